package sqlparts

// code names a word or operator the parser knows; 0 for any other.
type code uint16

// noCode is a code that no token has.
const noCode code = 0xffff

const (
	_ code = iota
	oLparen
	oRparen
	oLbracket
	oRbracket
	oLbrace
	oRbrace
	oComma
	oDot
	oSemicolon
	oColon
	oColons
	oAssign
	oNamed
	oPlus
	oMinus
	oStar
	oStar2
	oSlash
	oSlash2
	oPercent
	oCaret
	oConcat
	oBar
	oPipe
	oAmp
	oAmp2
	oHash
	oTilde
	oTildeStar
	oNotTilde
	oNotTildeStar
	oLikeTilde
	oIlikeTilde
	oNotLikeTilde
	oNotIlikeTilde
	oShiftLeft
	oShiftRight
	oBang
	oEqual
	oEqual2
	oNotEqual
	oLessMore
	oCaretEqual
	oLess
	oLessEqual
	oMore
	oMoreEqual
	oNotLess
	oNotMore
	oNullSafe
	oArrow
	oArrow2
	oHashMore
	oHashMore2
	oContains
	oContained
	oAt2
	oAtQuestion
	oCaretAt
	oDistance
	oQuestion
	oQuestionBar
	oQuestionAmp

	wAbsent
	wAggregate
	wAll
	wAlter
	wAnalyze
	wAnd
	wAnti
	wAny
	wApply
	wApproximate
	wArray
	wAs
	wAsc
	wAsof
	wAsymmetric
	wAt
	wAttach
	wBackup
	wBefore
	wBegin
	wBernoulli
	wBetween
	wBinary
	wBlock
	wBoth
	wBreak
	wBrowse
	wBulk
	wBy
	wCache
	wCall
	wCase
	wCast
	wCatch
	wChanges
	wCluster
	wCollate
	wColumn
	wComment
	wCommit
	wConnect
	wConnectByRoot
	wContinue
	wConvert
	wCopy
	wCorresponding
	wCreate
	wCross
	wCube
	wCurrent
	wCurrentCatalog
	wCurrentDate
	wCurrentRole
	wCurrentSchema
	wCurrentTime
	wCurrentTimestamp
	wCurrentUser
	wCycle
	wData
	wDatabase
	wDate
	wDatetime
	wDbcc
	wDeclare
	wDefault
	wDeferred
	wDefine
	wDelete
	wDeny
	wDesc
	wDescribe
	wDetach
	wDirected
	wDirectory
	wDistinct
	wDistinctrow
	wDistribute
	wDiv
	wDo
	wDrop
	wDumpfile
	wDynamic
	wElse
	wElseif
	wElsif
	wEnd
	wEscape
	wExcept
	wException
	wExclude
	wExclusive
	wExec
	wExecute
	wExists
	wExplain
	wExport
	wExtend
	wExtension
	wExternal
	wExtract
	wFalse
	wFetch
	wFilter
	wFinal
	wFirst
	wFollowing
	wFor
	wForce
	wForeign
	wFormat
	wFrom
	wFull
	wFunction
	wGet
	wGlob
	wGlobal
	wGo
	wGrant
	wGroup
	wGrouping
	wGroups
	wHash
	wHaving
	wHighPriority
	wIceberg
	wIf
	wIgnore
	wIlike
	wImmediate
	wImport
	wIn
	wInclude
	wIndex
	wIndexed
	wInner
	wInsert
	wInstall
	wIntersect
	wInterval
	wInto
	wIs
	wIsnull
	wIsolation
	wIterate
	wJoin
	wJson
	wKey
	wKill
	wLambda
	wLast
	wLateral
	wLeading
	wLeave
	wLeft
	wLike
	wLimit
	wList
	wLoad
	wLocal
	wLocaltime
	wLocaltimestamp
	wLock
	wLoop
	wLowPriority
	wMap
	wMatch
	wMatchCondition
	wMatchRecognize
	wMaterialized
	wMax
	wMeasures
	wMember
	wMerge
	wMin
	wMinus
	wMod
	wModel
	wMsck
	wName
	wNatural
	wNext
	wNo
	wNocycle
	wNolock
	wNot
	wNotnull
	wNull
	wNulls
	wOf
	wOffset
	wOn
	wOnly
	wOperator
	wOptimize
	wOption
	wOr
	wOrder
	wOrdinality
	wOuter
	wOutfile
	wOver
	wOverlaps
	wOverlay
	wOverwrite
	wPartition
	wPercent
	wPivot
	wPlacing
	wPosition
	wPositional
	wPragma
	wPreceding
	wPrepare
	wPrint
	wPrior
	wProcedure
	wPut
	wQualify
	wRaise
	wRaiserror
	wRange
	wRead
	wReconfigure
	wRecursive
	wRefresh
	wRegexp
	wReindex
	wRelease
	wRemove
	wRename
	wRepeat
	wRepeatable
	wReplace
	wReservoir
	wReset
	wRespect
	wRestore
	wReturn
	wReturning
	wRevoke
	wRight
	wRlike
	wRole
	wRollback
	wRollup
	wRow
	wRows
	wRunning
	wSafeCast
	wSample
	wSavepoint
	wSchema
	wSearch
	wSecure
	wSeed
	wSelect
	wSemi
	wSeparator
	wSequence
	wSessionUser
	wSet
	wSets
	wShare
	wShow
	wShutdown
	wSiblings
	wSimilar
	wSnapshot
	wSome
	wSort
	wSqlCalcFoundRows
	wSqlNoCache
	wStage
	wStart
	wStatistics
	wStraightJoin
	wStream
	wStrict
	wStruct
	wSubstr
	wSubstring
	wSummarize
	wSymmetric
	wSystem
	wSystemTime
	wSystemVersion
	wTable
	wTablesample
	wTask
	wTemp
	wTemporary
	wThen
	wThrow
	wTies
	wTime
	wTimestamp
	wTo
	wTop
	wTrailing
	wTran
	wTransaction
	wTransient
	wTrigger
	wTrim
	wTrue
	wTruncate
	wTry
	wTryCast
	wTryConvert
	wType
	wUnbounded
	wUncache
	wUndrop
	wUnion
	wUnique
	wUnknown
	wUnload
	wUnlock
	wUnlogged
	wUnpivot
	wUntil
	wUpdate
	wUpsert
	wUr
	wUse
	wUser
	wUsing
	wVacuum
	wValue
	wValues
	wVersion
	wView
	wVirtual
	wVolatile
	wWaitfor
	wWarehouse
	wWhen
	wWhere
	wWhile
	wWindow
	wWith
	wWithin
	wWithout
	wWork
	wXml
	wXor
	wZone
	lastCode
)

// operators are the operators by their first byte, longest first.
var operators = func() (t [256][]operator) {
	for _, o := range []operator{
		{"!~~*", oNotIlikeTilde},
		{"!~*", oNotTildeStar},
		{"~~*", oIlikeTilde},
		{"!~~", oNotLikeTilde},
		{"<=>", oNullSafe},
		{"->>", oArrow2},
		{"#>>", oHashMore2},
		{"<->", oDistance},
		{"::", oColons},
		{":=", oAssign},
		{"=>", oNamed},
		{"**", oStar2},
		{"//", oSlash2},
		{"||", oConcat},
		{"|>", oPipe},
		{"&&", oAmp2},
		{"~*", oTildeStar},
		{"!~", oNotTilde},
		{"~~", oLikeTilde},
		{"<<", oShiftLeft},
		{">>", oShiftRight},
		{"==", oEqual2},
		{"!=", oNotEqual},
		{"<>", oLessMore},
		{"^=", oCaretEqual},
		{"<=", oLessEqual},
		{">=", oMoreEqual},
		{"!<", oNotLess},
		{"!>", oNotMore},
		{"->", oArrow},
		{"#>", oHashMore},
		{"@>", oContains},
		{"<@", oContained},
		{"@@", oAt2},
		{"@?", oAtQuestion},
		{"^@", oCaretAt},
		{"?|", oQuestionBar},
		{"?&", oQuestionAmp},
		{",", oComma},
		{".", oDot},
		{";", oSemicolon},
		{":", oColon},
		{"+", oPlus},
		{"-", oMinus},
		{"*", oStar},
		{"/", oSlash},
		{"%", oPercent},
		{"^", oCaret},
		{"|", oBar},
		{"&", oAmp},
		{"#", oHash},
		{"~", oTilde},
		{"!", oBang},
		{"=", oEqual},
		{"<", oLess},
		{">", oMore},
		{"?", oQuestion},
	} {
		t[o.text[0]] = append(t[o.text[0]], o)
	}
	return t
}()

// operator is an operator's spelling and code.
type operator struct {
	text string
	code code
}

// wordTexts are the words in lower case, in the order of their codes, starting with firstWord.
var wordTexts = [...]string{
	"absent", "aggregate", "all", "alter", "analyze", "and", "anti", "any", "apply", "approximate", "array", "as", "asc",
	"asof",
	"asymmetric", "at", "attach", "backup", "before", "begin", "bernoulli", "between", "binary", "block", "both",
	"break", "browse", "bulk", "by", "cache", "call", "case", "cast", "catch", "changes", "cluster", "collate",
	"column", "comment", "commit", "connect", "connect_by_root", "continue", "convert", "copy", "corresponding",
	"create", "cross", "cube", "current", "current_catalog", "current_date", "current_role", "current_schema",
	"current_time", "current_timestamp", "current_user", "cycle", "data", "database", "date", "datetime", "dbcc",
	"declare", "default", "deferred", "define", "delete", "deny", "desc", "describe", "detach", "directed", "directory",
	"distinct", "distinctrow", "distribute", "div", "do", "drop", "dumpfile", "dynamic", "else", "elseif", "elsif",
	"end", "escape", "except", "exception", "exclude", "exclusive", "exec", "execute", "exists", "explain", "export",
	"extend", "extension", "external", "extract", "false", "fetch", "filter", "final", "first", "following", "for",
	"force", "foreign", "format", "from", "full", "function", "get", "glob", "global", "go", "grant", "group",
	"grouping", "groups", "hash", "having", "high_priority", "iceberg", "if", "ignore", "ilike", "immediate", "import",
	"in", "include", "index", "indexed", "inner", "insert", "install", "intersect", "interval", "into", "is", "isnull",
	"isolation", "iterate", "join", "json", "key", "kill", "lambda", "last", "lateral", "leading", "leave", "left",
	"like", "limit", "list", "load", "local", "localtime", "localtimestamp", "lock", "loop", "low_priority", "map",
	"match", "match_condition", "match_recognize", "materialized", "max", "measures", "member", "merge", "min", "minus",
	"mod", "model", "msck", "name", "natural", "next", "no", "nocycle", "nolock", "not", "notnull", "null", "nulls",
	"of", "offset", "on", "only", "operator", "optimize", "option", "or", "order", "ordinality", "outer", "outfile",
	"over", "overlaps", "overlay", "overwrite", "partition", "percent", "pivot", "placing", "position", "positional",
	"pragma", "preceding", "prepare", "print", "prior", "procedure", "put", "qualify", "raise", "raiserror", "range",
	"read", "reconfigure", "recursive", "refresh", "regexp", "reindex", "release", "remove", "rename", "repeat",
	"repeatable", "replace", "reservoir", "reset", "respect", "restore", "return", "returning", "revoke", "right",
	"rlike", "role", "rollback", "rollup", "row", "rows", "running", "safe_cast", "sample", "savepoint", "schema",
	"search", "secure", "seed", "select", "semi", "separator", "sequence", "session_user", "set", "sets", "share",
	"show", "shutdown", "siblings", "similar", "snapshot", "some", "sort", "sql_calc_found_rows", "sql_no_cache",
	"stage", "start", "statistics", "straight_join", "stream", "strict", "struct", "substr", "substring", "summarize",
	"symmetric", "system", "system_time", "system_version", "table", "tablesample", "task", "temp", "temporary", "then",
	"throw", "ties", "time", "timestamp", "to", "top", "trailing", "tran", "transaction", "transient", "trigger",
	"trim", "true", "truncate", "try", "try_cast", "try_convert", "type", "unbounded", "uncache", "undrop", "union",
	"unique", "unknown", "unload", "unlock", "unlogged", "unpivot", "until", "update", "upsert", "ur", "use", "user",
	"using", "vacuum", "value", "values", "version", "view", "virtual", "volatile", "waitfor", "warehouse", "when",
	"where", "while", "window", "with", "within", "without", "work", "xml", "xor", "zone",
}

const firstWord = wAbsent
