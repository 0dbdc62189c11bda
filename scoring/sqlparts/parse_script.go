package sqlparts

// script parses statements up to the end of the input.
func (p *parser) script() []*Statement {
	var out []*Statement
	for {
		for p.cur().kind != tokEOF && p.statementEnds() {
			p.next()
		}
		if p.cur().kind == tokEOF {
			return out
		}
		before := p.i
		if s := p.statement(); s != nil {
			out = append(out, s)
		}
		if p.i == before { // nothing could be read: a stray bracket
			p.noteAt(p.start(), p.cur().end, "stray token")
			p.next()
		}
		p.rest(&out)
	}
}

// rest skips text after a statement that did not end with a semicolon, with a note, up to the end of the statement or a
// word that starts another.
func (p *parser) rest(out *[]*Statement) {
	t := p.cur()
	if p.statementEnds() {
		return
	}
	last := (*out)[max(0, len(*out)-1):]
	if len(last) == 1 && last[0].Kind == KindBlock {
		return
	}
	if beginsStatement(t.code) {
		if !p.syntax.bareStatements {
			p.noteAt(t.start, t.end, "statement without a semicolon before it")
		}
		return
	}
	start := p.start()
	for {
		if p.statementEnds() || p.alters() {
			break
		}
		p.skip()
	}
	if s := p.from(start); s.End > s.Start {
		p.noteAt(s.Start, s.End, "text after the statement was not read")
	}
}

// statement parses one statement that starts at the current token.
func (p *parser) statement() *Statement {
	s := &Statement{}
	start := p.start()
	p.effects = 0
	p.readStatement(s)
	s.Effects |= p.effects
	s.Span = p.from(start)
	p.effects = 0
	return s
}

// readStatement reads a statement's kind, target and query into s.
func (p *parser) readStatement(s *Statement) {
	t := p.cur()
	if p.startsQuery() {
		p.queryStatement(s)
		return
	}
	for _, b := range beginnings[t.code] {
		if b.second == 0 || p.ahead(1).code == b.second {
			s.Kind, s.Effects = b.kind, b.effects
			b.read(p, s)
			return
		}
	}
	s.Kind, s.Effects = KindOther, Unknown
	p.skipStatement()
}

// queryStatement reads a query, or WITH … followed by INSERT, UPDATE, DELETE or MERGE.
func (p *parser) queryStatement(s *Statement) {
	s.Kind, s.Effects = KindQuery, Reads
	q := p.queryOrWith()
	s.Query = q
	if q.Body == nil { // WITH before another statement
		for _, b := range beginnings[p.cur().code] {
			if b.second == 0 || p.ahead(1).code == b.second {
				s.Kind, s.Effects = b.kind, b.effects|Reads
				s.Query = nil
				b.read(p, s)
				if s.Query != nil {
					s.Query.With = append(q.With, s.Query.With...)
					s.Query.Recursive = s.Query.Recursive || q.Recursive
				}
				return
			}
		}
		p.needBody(q)
	}
	if sel, ok := q.Body.(*Select); ok && len(sel.Into) > 0 {
		s.Target = sel.Into
		if sel.Into[0].Text == "" || sel.Into[0].Text[0] != '@' {
			s.Kind, s.Effects = KindCreateTableAs, Reads|Defines
		} else {
			s.Effects |= Session
		}
	}
}

// beginning describes a kind of statement that starts with a certain first word.
type beginning struct {
	second  code // the second word; 0 for any
	kind    Kind
	effects Effect
	read    func(*parser, *Statement)
}

// beginnings lists the kinds of statements by their first word. It is filled by init, because the parsing functions
// refer to it.
var beginnings [lastCode][]beginning

func init() {
	add := func(first, second code, k Kind, e Effect, read func(*parser, *Statement)) {
		beginnings[first] = append(beginnings[first], beginning{second, k, e, read})
	}
	add(wInsert, 0, KindInsert, Writes, (*parser).insert)
	add(wReplace, 0, KindInsert, Writes, (*parser).insert)
	add(wUpsert, 0, KindInsert, Writes, (*parser).insert)
	add(wUpdate, wStatistics, KindMaintenance, Defines, (*parser).skipTo)
	add(wUpdate, 0, KindUpdate, Writes, (*parser).target)
	add(wDelete, 0, KindDelete, Writes, (*parser).target)
	add(wMerge, 0, KindMerge, Writes, (*parser).target)
	add(wCreate, 0, KindCreate, Defines, (*parser).create)
	add(wDrop, 0, KindDrop, Defines, (*parser).objectName)
	add(wUndrop, 0, KindUndrop, Defines, (*parser).objectName)
	add(wAlter, 0, KindAlter, Defines, (*parser).objectName)
	add(wTruncate, 0, KindTruncate, Writes|Defines, (*parser).objectName)
	add(wRename, 0, KindRename, Defines, (*parser).objectName)
	add(wComment, wOn, KindComment, Defines, (*parser).skipTo)
	add(wGrant, 0, KindGrant, Grants, (*parser).skipTo)
	add(wRevoke, 0, KindRevoke, Grants, (*parser).skipTo)
	add(wDeny, 0, KindRevoke, Grants, (*parser).skipTo)
	add(wCopy, 0, KindCopy, Imports|Exports, (*parser).copyInto)
	add(wUnload, 0, KindExport, Exports, (*parser).skipTo)
	add(wExport, 0, KindExport, Exports, (*parser).queryAfterAs)
	add(wGet, 0, KindExport, Exports, (*parser).skipTo)
	add(wPut, 0, KindImport, Imports, (*parser).skipTo)
	add(wImport, 0, KindImport, Imports|Defines, (*parser).skipTo)
	add(wLoad, wData, KindImport, Imports|Writes, (*parser).skipTo)
	add(wLoad, 0, KindAttach, Attaches, (*parser).skipTo)
	add(wRemove, 0, KindDrop, Defines, (*parser).skipTo)
	add(wCall, 0, KindCall, Runs, (*parser).skipTo)
	add(wExec, 0, KindExecute, Runs, (*parser).skipTo)
	add(wExecute, 0, KindExecute, Runs, (*parser).skipTo)
	add(wPrepare, 0, KindExecute, Runs, (*parser).skipTo)
	add(wBulk, 0, KindImport, Imports|Writes, (*parser).skipTo)
	add(wBackup, 0, KindExport, Exports, (*parser).skipTo)
	add(wRestore, 0, KindImport, Imports|Defines|Writes, (*parser).skipTo)
	for _, first := range []code{wKill, wShutdown, wReconfigure, wDbcc} {
		add(first, 0, KindMaintenance, Defines, (*parser).skipTo)
	}
	add(wWaitfor, 0, KindLock, Locks, (*parser).skipTo)
	add(wSet, 0, KindSet, Session, (*parser).skipSession)
	add(wReset, 0, KindSet, Session, (*parser).skipSession)
	add(wDeclare, 0, KindDeclare, Session, (*parser).declare)
	add(wUse, 0, KindUse, Session, (*parser).skipSession)
	add(wShow, 0, KindShow, Reads, (*parser).skipSession)
	add(wList, 0, KindShow, Reads, (*parser).skipSession)
	add(wDescribe, 0, KindDescribe, Reads, (*parser).explain)
	add(wDesc, 0, KindDescribe, Reads, (*parser).explain)
	add(wSummarize, 0, KindDescribe, Reads, (*parser).explain)
	add(wExplain, 0, KindExplain, Reads, (*parser).explain)
	for _, second := range []code{wTransaction, wTran, wWork, wDeferred, wImmediate, wExclusive, wIsolation, oSemicolon} {
		add(wBegin, second, KindTransaction, Session, (*parser).skipSession)
	}
	add(wBegin, 0, KindBlock, 0, (*parser).block)
	add(wStart, 0, KindTransaction, Session, (*parser).skipSession)
	add(wCommit, 0, KindTransaction, Session, (*parser).skipSession)
	add(wRollback, 0, KindTransaction, Session, (*parser).skipSession)
	add(wSavepoint, 0, KindTransaction, Session, (*parser).skipSession)
	add(wRelease, 0, KindTransaction, Session, (*parser).skipSession)
	for _, first := range []code{wIf, wElse, wElseif, wElsif, wLoop, wWhile, wFor, wRepeat, wEnd, wThen, wDo, wCase,
		wUntil,
		wException, wTry, wCatch, wWhen, wReturn, wBreak, wContinue, wLeave, wIterate, wPrint, wRaise, wThrow, wRaiserror} {
		add(first, 0, KindBlock, 0, (*parser).block)
	}
	add(wVacuum, 0, KindMaintenance, Defines, (*parser).skipTo)
	add(wAnalyze, 0, KindMaintenance, Defines, (*parser).skipTo)
	add(wOptimize, 0, KindMaintenance, Defines, (*parser).skipTo)
	add(wReindex, 0, KindMaintenance, Defines, (*parser).skipTo)
	add(wRefresh, 0, KindMaintenance, Defines, (*parser).skipTo)
	add(wMsck, 0, KindMaintenance, Defines, (*parser).skipTo)
	add(wCluster, 0, KindMaintenance, Defines, (*parser).skipTo)
	add(wCache, 0, KindMaintenance, Session, (*parser).queryAfterAs)
	add(wUncache, 0, KindMaintenance, Session, (*parser).skipTo)
	add(wAttach, 0, KindAttach, Attaches, (*parser).skipTo)
	add(wDetach, 0, KindAttach, Attaches, (*parser).skipTo)
	add(wInstall, 0, KindAttach, Attaches, (*parser).skipTo)
	add(wPragma, 0, KindPragma, Unknown, (*parser).skipTo)
	add(wLock, 0, KindLock, Locks, (*parser).skipTo)
	add(wUnlock, 0, KindLock, Session, (*parser).skipTo)
	add(wPivot, 0, KindQuery, Reads, (*parser).pivotStatement)
	add(wUnpivot, 0, KindQuery, Reads, (*parser).pivotStatement)
}

// beginsStatement reports whether a word starts a statement if it appears where nothing else can be parsed.
func beginsStatement(c code) bool { return c == wSelect || c == wWith || len(beginnings[c]) > 0 }

// changes reports whether a word starts a statement that changes something, so that it must not be skipped
// silently.
func changes(c code) bool {
	switch c {
	case wInsert, wUpdate, wDelete, wMerge, wDrop, wCreate, wAlter, wTruncate, wGrant, wRevoke, wExec, wExecute, wCall,
		wSelect:
		return true
	}
	return serverWord[c]
}

// statementEnds reports whether the current token ends a statement: a semicolon, the end of the input, GO in T-SQL, or
// ->> in Snowflake, which passes the result to the next statement.
func (p *parser) statementEnds() bool {
	t := p.cur()
	return t.kind == tokEOF || t.code == oSemicolon || t.code == wGo && p.dialect == TSQL ||
		t.code == oArrow2 && p.dialect == Snowflake
}

// skipStatement skips to the end of the statement.
func (p *parser) skipStatement() {
	for !p.statementEnds() {
		p.skip()
	}
}

// alters reports whether the current token, within text that is not understood, may start a statement that does more
// than read.
func (p *parser) alters() bool {
	c := p.cur().code
	if p.ahead(1).code != oLparen {
		for _, b := range beginnings[c] {
			if !b.effects.ReadOnly() {
				return true
			}
		}
	}
	return changes(c)
}

// skipTo skips the whole statement. Only its kind is known.
func (p *parser) skipTo(*Statement) { p.skipStatement() }

// skipSession skips a statement that only reads or changes the session, such as SET, COMMIT or SHOW. In a dialect
// with optional semicolons it stops before a word that starts a statement which changes data.
func (p *parser) skipSession(s *Statement) {
	p.next()
	if s.Kind == KindShow && !p.statementEnds() {
		p.next() // SHOW CREATE TABLE, SHOW GRANTS
	}
	for !p.statementEnds() {
		if (p.syntax.bareStatements || p.dialect == Generic) && changes(p.cur().code) {
			return
		}
		p.skip()
	}
}

// objectWords may appear between DROP, ALTER, CREATE … and the name of the object.
var objectWords = wordSet(wTable, wView, wIf, wExists, wNot, wOr, wReplace, wTemp, wTemporary, wTransient, wExternal,
	wMaterialized,
	wDynamic, wIceberg, wSchema, wDatabase, wFunction, wProcedure, wIndex, wUnique, wOnly, wFrom, wInto, wLocal, wGlobal,
	wVolatile,
	wUnlogged, wForeign, wSecure, wColumn, wSequence, wStage, wStream, wTask, wUser, wRole, wTrigger, wType, wExtension,
	wOverwrite,
	wIgnore, wLowPriority, wRecursive, wVirtual, wWarehouse, wForce, wAggregate, wSnapshot)

// atObjectWord reports whether the current token is one of objectWords and not the name of the object, since a name
// follows it.
func (p *parser) atObjectWord() bool {
	if p.cur().kind != tokWord || !objectWords[p.cur().code] {
		return false
	}
	t := p.ahead(1)
	switch t.kind {
	case tokWord:
		return !reserved[t.code] || objectWords[t.code]
	case tokQuoted, tokDouble, tokParam, tokString:
		return true
	}
	return false
}

// targetName skips the words before an object's name and returns the name, or nil if there is none.
func (p *parser) targetName() Name {
	for p.atObjectWord() {
		p.next()
	}
	switch p.cur().kind {
	case tokWord:
		if reserved[p.cur().code] {
			return nil
		}
	case tokQuoted, tokDouble:
	case tokParam:
		n := Name{{Text: p.text()}}
		p.next()
		return n
	default:
		return nil
	}
	return p.tableName()
}

// objectName parses the object's name in DROP, ALTER, TRUNCATE … and skips the rest of the statement.
func (p *parser) objectName(s *Statement) {
	p.next()
	s.Target = p.targetName()
	p.skipStatement()
}

// target parses the name of the changed table in UPDATE, DELETE and MERGE, and skips the rest of the statement.
func (p *parser) target(s *Statement) {
	p.next()
	if p.at(wTop) {
		p.next()
		p.skip()
	}
	s.Target = p.targetName()
	p.skipStatement()
}

// insert reads INSERT [OVERWRITE] INTO t [(columns)] query.
func (p *parser) insert(s *Statement) {
	p.next()
	if p.accept(wOverwrite) && p.accept(wDirectory) {
		s.Effects |= Exports
	}
	s.Target = p.targetName()
	p.queryInside(s)
}

// queryInside skips to the first query of the statement and parses it.
func (p *parser) queryInside(s *Statement) {
	for !p.statementEnds() {
		if p.startsQuery() {
			s.Query = p.query()
			s.Effects |= Reads
			if p.at(wOn) || p.at(wReturning) {
				p.skipStatement()
			}
			return
		}
		p.skip()
	}
}

// create reads CREATE … name [AS query].
func (p *parser) create(s *Statement) {
	p.next()
	table, view, other := false, false, false
	for p.atObjectWord() {
		switch p.cur().code {
		case wTable:
			table = true
		case wView:
			view = true
		case wFunction, wProcedure, wIndex, wTrigger, wSchema, wDatabase, wSequence, wStage, wTask, wStream, wType,
			wExtension, wUser, wRole, wWarehouse:
			other = true
		}
		p.next()
	}
	s.Target = p.targetName()
	switch {
	case other || !table && !view:
		p.skipStatement()
		return
	case view:
		s.Kind = KindCreateView
	default:
		s.Kind = KindCreateTable
	}
	p.queryAfterAs(s)
	if table && s.Query != nil {
		s.Kind = KindCreateTableAs
	}
}

// queryAfterAs skips to AS or SELECT, and parses the query there if there is one.
func (p *parser) queryAfterAs(s *Statement) {
	for !p.statementEnds() {
		if p.accept(wAs) && p.startsQuery() || p.at(wSelect) {
			s.Query = p.query()
			s.Effects |= Reads
			return
		}
		p.skip()
	}
}

// copyInto parses COPY. INTO a table and FROM import data; INTO a stage or location and TO export data.
func (p *parser) copyInto(s *Statement) {
	p.next()
	into := p.accept(wInto)
	switch k := p.cur().kind; {
	case into && (k == tokParam || k == tokString):
		s.Effects = Exports
	case into:
		s.Effects = Imports | Writes
		s.Target = p.targetName()
	default:
		if k == tokWord || k == tokQuoted {
			s.Target = p.targetName()
		}
		for !p.statementEnds() {
			if p.at(wTo) {
				s.Effects = Exports
				break
			}
			if p.at(wFrom) {
				s.Effects = Imports | Writes
				break
			}
			p.skip()
		}
	}
	p.skipStatement()
}

// declare parses DECLARE: the declared names, and the query of a cursor.
func (p *parser) declare(s *Statement) {
	p.next()
	for p.cur().kind == tokWord || p.cur().kind == tokQuoted {
		s.Names = append(s.Names, p.ident())
		if !p.accept(oComma) {
			break
		}
	}
	for !p.statementEnds() {
		if p.at2(wFor, wSelect) || p.at2(wFor, wWith) {
			p.next()
			s.Query = p.query()
			s.Effects |= Reads
			return
		}
		if (p.syntax.bareStatements || p.dialect == Generic) && changes(p.cur().code) {
			return
		}
		p.skip()
	}
}

// explain parses EXPLAIN, DESCRIBE and similar statements. The effects of the statement that they explain are
// included, because it may be run (EXPLAIN ANALYZE).
func (p *parser) explain(s *Statement) {
	p.next()
	for p.cur().kind == tokWord && !p.startsQuery() && !changes(p.cur().code) || p.at(oLparen) && !p.startsQuery() {
		p.skip()
	}
	switch {
	case p.startsQuery():
		s.Query = p.query()
	case changes(p.cur().code):
		var in Statement
		p.readStatement(&in)
		s.Effects |= in.Effects
		s.Query, s.Target = in.Query, in.Target
	}
	if !p.statementEnds() && !beginsStatement(p.cur().code) {
		p.skipStatement()
	}
}

// block skips the opening of a block (BEGIN, IF … THEN, WHILE … DO, ELSE) up to the first statement inside it.
func (p *parser) block(s *Statement) {
	first := p.cur().code
	p.next()
	if first == wDo && p.cur().kind == tokString { // DO $$ … $$
		s.Kind, s.Effects = KindExecute, Runs
		p.skipStatement()
		return
	}
	if first == wBegin || first == wElse || first == wLoop || first == wThen || first == wDo || first == wTry ||
		first == wRepeat {
		return
	}
	for !p.statementEnds() {
		if p.acceptAny(wThen, wDo, wLoop) || p.at(wBegin) || changes(p.cur().code) {
			return
		}
		p.skip()
	}
}
