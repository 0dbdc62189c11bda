package sqlparts

// Kind is the kind of a statement, by its first words.
type Kind string

// The kinds of statements.
const (
	KindQuery         Kind = "query" // SELECT, VALUES, FROM, TABLE, with or without WITH
	KindInsert        Kind = "insert"
	KindUpdate        Kind = "update"
	KindDelete        Kind = "delete"
	KindMerge         Kind = "merge"
	KindCreateTable   Kind = "create table"
	KindCreateTableAs Kind = "create table as" // also SELECT … INTO
	KindCreateView    Kind = "create view"
	KindCreate        Kind = "create" // anything else
	KindDrop          Kind = "drop"
	KindUndrop        Kind = "undrop"
	KindAlter         Kind = "alter"
	KindTruncate      Kind = "truncate"
	KindRename        Kind = "rename"
	KindComment       Kind = "comment"
	KindGrant         Kind = "grant"
	KindRevoke        Kind = "revoke" // also DENY
	KindCopy          Kind = "copy"
	KindImport        Kind = "import" // LOAD DATA, IMPORT, PUT
	KindExport        Kind = "export" // UNLOAD, EXPORT DATA, GET
	KindCall          Kind = "call"
	KindExecute       Kind = "execute" // EXECUTE, EXECUTE IMMEDIATE, PREPARE
	KindSet           Kind = "set"
	KindDeclare       Kind = "declare"
	KindUse           Kind = "use"
	KindShow          Kind = "show" // also LIST
	KindDescribe      Kind = "describe"
	KindExplain       Kind = "explain"
	KindTransaction   Kind = "transaction"
	KindBlock         Kind = "block"       // BEGIN, IF, LOOP …; the statements inside are separate statements
	KindMaintenance   Kind = "maintenance" // VACUUM, ANALYZE, OPTIMIZE, REFRESH …
	KindAttach        Kind = "attach"      // ATTACH, DETACH, INSTALL, LOAD extension
	KindPragma        Kind = "pragma"
	KindLock          Kind = "lock"
	KindOther         Kind = "other" // starts with an unknown word
)

// Effect is the possible effect of running a statement, as a set of flags.
type Effect uint16

// The effects. A statement has those of every statement inside it: WITH x AS (DELETE …) SELECT … has Writes.
const (
	Reads    Effect = 1 << iota // reads tables
	Writes                      // changes rows
	Defines                     // creates, changes or drops objects
	Grants                      // changes privileges
	Imports                     // reads data from files or stages
	Exports                     // writes data to files or stages
	Runs                        // runs code that is not in the script: CALL, EXECUTE
	Session                     // changes the session or the transaction only
	Attaches                    // opens other databases, loads extensions
	Locks                       // takes locks: LOCK TABLE, SELECT … FOR UPDATE
	Unknown                     // may have any effect
)

// ReadOnly reports whether the effects are at most reading and changes of the statement's own session.
func (e Effect) ReadOnly() bool { return e&^(Reads|Session) == 0 }

var effectNames = [...]string{"reads", "writes", "defines", "grants", "imports", "exports", "runs", "session",
	"attaches", "locks", "unknown"}

// String returns the names of the flags, separated by commas.
func (e Effect) String() string {
	s := ""
	for i, name := range effectNames {
		if e&(1<<i) != 0 {
			if s != "" {
				s += ","
			}
			s += name
		}
	}
	return s
}

// Effects returns the possible effects of running the script.
func (s *Script) Effects() Effect {
	var e Effect
	for _, st := range s.Statements {
		e |= st.Effects
	}
	return e
}

// Final returns the query whose rows are the script's result: that of the last query statement or, if there is none,
// the query inside the last statement that has one. It is nil if the script has no query.
func (s *Script) Final() *Query {
	var inside *Query
	for i := len(s.Statements) - 1; i >= 0; i-- {
		st := s.Statements[i]
		if st.Kind == KindQuery && st.Query != nil {
			return st.Query
		}
		if inside == nil {
			inside = st.Query
		}
	}
	return inside
}

// link records for each statement's query the tables that earlier statements of the script create from queries, and the
// variables that they declare.
func link(s *Script) {
	var made []*CTE
	var declared []Ident
	for _, st := range s.Statements {
		if st.Query != nil {
			st.Query.created = made[:len(made):len(made)]
			st.Query.declared = declared[:len(declared):len(declared)]
		}
		declared = append(declared, st.Names...)
		if (st.Kind == KindCreateTableAs || st.Kind == KindCreateView) && st.Query != nil && len(st.Target) > 0 {
			made = append(made, &CTE{Span: st.Span, Name: st.Target.Last(), Query: st.Query})
		}
	}
}
