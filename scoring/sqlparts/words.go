package sqlparts

// The parameters of the FNV-1a hash of a word in lower case, and the size of wordTable. The lexer computes the hash
// while it searches the end of the word.
const (
	wordSeed  = 2166136261
	wordPrime = 16777619
	wordSlots = 2048
)

// wordTable is a hash table of the words' codes, with linear probing.
var wordTable = func() (t [wordSlots]code) {
	for i, w := range wordTexts {
		h := uint32(wordSeed)
		for k := range len(w) {
			h = (h ^ uint32(w[k]|0x20)) * wordPrime
		}
		for t[h%wordSlots] != 0 {
			h++
		}
		t[h%wordSlots] = firstWord + code(i)
	}
	return t
}()

// wordCode returns the code of a word with hash h, in any case; 0 if the word is not in the parser's grammar.
func wordCode(h uint32, word string) code {
	for {
		c := wordTable[h%wordSlots]
		if c == 0 {
			return 0
		}
		if w := wordTexts[c-firstWord]; len(w) == len(word) && equalLower(w, word) {
			return c
		}
		h++
	}
}

// equalLower reports whether word in lower case is lower; the lengths are equal.
func equalLower(lower, word string) bool {
	for i := range len(lower) {
		c := word[i]
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// wordSet returns the set of these words and operators.
func wordSet(codes ...code) (t [lastCode]bool) {
	for _, c := range codes {
		t[c] = true
	}
	return t
}

// allBut returns the set of all words that are in none of the sets.
func allBut(sets ...[lastCode]bool) *[lastCode]bool {
	var t [lastCode]bool
	for c := firstWord; c < lastCode; c++ {
		t[c] = true
		for i := range sets {
			t[c] = t[c] && !sets[i][c]
		}
	}
	return &t
}

var (
	// hardClause are words that start a clause, and so cannot be an element of a list.
	hardClause = wordSet(wFrom, wWhere, wGroup, wHaving, wQualify, wOrder, wLimit, wUnion, wIntersect, wExcept, wInto)

	// clauseWord are words that may start a clause after a complete expression.
	clauseWord = wordSet(wFrom, wWhere, wGroup, wHaving, wQualify, wOrder, wLimit, wUnion, wIntersect, wExcept, wInto,
		wMinus,
		wWindow, wOffset, wFetch, wFor, wOption, wConnect, wStart, wDistribute, wCluster, wSort, wLateral, wUsing, wOn,
		wMatchCondition, wLock)

	// joinWord are words that may precede JOIN or APPLY.
	joinWord = wordSet(wJoin, wInner, wLeft, wRight, wFull, wOuter, wCross, wNatural, wSemi, wAnti, wAsof, wPositional,
		wAny,
		wAll, wGlobal, wHash, wLoop, wMerge, wStraightJoin, wApply, wDirected)

	// reserved are words that are not parsed as an unquoted name, except where reservedAsColumn allows it.
	reserved = wordSet(wSelect, wFrom, wWhere, wGroup, wHaving, wOrder, wBy, wUnion, wIntersect, wExcept, wLimit, wQualify,
		wInto, wSet, wJoin, wInner, wCross, wNatural, wOn, wUsing, wAs, wAnd, wOr, wNot, wIn, wIs, wLike, wBetween, wCase,
		wWhen, wThen, wElse, wEnd, wDistinct, wWith, wCreate, wDrop, wInsert, wUpdate, wDelete)

	// columnWord are reserved words that PostgreSQL and DuckDB read as a column where an operand is required.
	columnWord = wordSet(wBetween, wBy, wSet, wInsert, wUpdate, wDelete, wDrop)

	// callable are reserved words that are function names if a parenthesis follows.
	callable = wordSet(wLike, wInsert, wSet)

	// changing are words that start a statement which changes something. They cannot be an alias without AS.
	changing = wordSet(wInsert, wUpdate, wDelete, wMerge, wDrop, wCreate, wAlter, wTruncate, wGrant, wRevoke, wExec,
		wExecute,
		wCall, wCopy)

	// serverWord are words that start T-SQL's statements about the server; they are reserved there.
	serverWord = wordSet(wBackup, wRestore, wKill, wShutdown, wReconfigure, wDbcc, wWaitfor, wDeny, wBulk)

	// bareStatement are T-SQL's other reserved words that start a statement. They cannot be an alias without AS, so
	// that a statement without a semicolon before it is recognized.
	bareStatement = map[string]bool{"begin": true, "break": true, "checkpoint": true, "close": true, "commit": true,
		"continue":   true,
		"deallocate": true, "declare": true, "dump": true, "fetch": true, "goto": true, "if": true, "load": true,
		"open": true, "print": true,
		"raiserror": true, "readtext": true, "return": true, "revert": true, "rollback": true, "save": true, "setuser": true,
		"tran":        true,
		"transaction": true, "updatetext": true, "use": true, "while": true, "writetext": true}

	// afterOperand are words that continue an expression after an operand. They cannot be an alias without AS.
	afterOperand = wordSet(wAsc, wDesc, wNulls, wCollate, wEscape, wOver, wFilter, wWithin, wIgnore, wRespect, wAt, wIlike,
		wRlike, wRegexp, wGlob, wSimilar, wIsnull, wNotnull, wOverlaps, wDiv, wXor, wRows, wRange, wSeparator, wValues,
		wReturning)

	// afterTable are words that may follow a table. They cannot be an alias without AS.
	afterTable = wordSet(wTablesample, wPivot, wUnpivot, wMatchRecognize, wBefore, wChanges, wUse, wForce, wIndexed,
		wPartition, wApply)

	// selectAlias and tableAlias are the words that may be an alias without AS.
	selectAlias = allBut(reserved, clauseWord, changing, afterOperand, wordSet(wInner, wCross, wFull, wLeft, wRight))
	tableAlias  = allBut(reserved, clauseWord, changing, afterTable,
		wordSet(wReturning, wValues, wJoin, wInner, wLeft, wRight, wFull,
			wOuter, wCross, wNatural, wSemi, wAnti, wAsof, wPositional, wStraightJoin, wGlobal))
)

// takesHint reports whether an optimizer hint may follow the word.
func takesHint(c code) bool {
	return c == wSelect || c == wInsert || c == wUpdate || c == wDelete || c == wMerge || c == wReplace
}
