package sqlparts

import "github.com/badger-eval/badger/internal/halt"

// Span is the position of a node in the SQL text: byte offsets, End exclusive.
type Span struct{ Start, End int32 }

// Range returns the offsets; it makes every node a [Node].
func (s Span) Range() (start, end int) { return int(s.Start), int(s.End) }

// Node is a node of the syntax tree: a *Query, a *Select, a *Source, an [Expr] or one of their parts.
type Node interface {
	Range() (start, end int)
}

// Script is a parsed text: its statements in order, and notes on the parts that were not understood.
type Script struct {
	SQL        string
	Dialect    Dialect
	Statements []*Statement
	Notes      []Note

	syntax    *syntax      // the lexical rules by which the text was split into tokens
	bySetting bool         // the lexical rules depend on a setting of the server
	numbers   numbers      // the highest numbers of its nodes
	stop      *halt.Signal // stops work that takes too long; may be nil
}

// numbers are the highest numbers that columns, sources and queries of a script have. [Bound] stores what it finds
// about a node at the index that is the node's number.
type numbers struct{ columns, sources, queries int32 }

// Note reports that a part of the text was kept as raw text, skipped or assumed rather than understood. What describes
// the problem and never quotes the text.
type Note struct {
	Span
	What string
}

// Statement is one statement. Of statements other than queries only the kind, the effects, the target object and the
// query inside them are parsed.
type Statement struct {
	Span
	Kind    Kind
	Effects Effect
	Target  Name    // the table, view or other object a statement other than a query acts on; nil if none was found
	Query   *Query  // the query, or the query inside CREATE … AS, INSERT, DECLARE CURSOR, EXPLAIN …; nil if none
	Names   []Ident // the variables a DECLARE declares
}

// Ident is one part of a name, unquoted and with its escapes resolved, in the case it was written
// in.
type Ident struct {
	Text   string
	Quoted bool
}

// Name is a possibly qualified name: catalogue, schema, table, column, fields …, outermost first.
type Name []Ident

// Last returns the innermost part, or the empty identifier for an empty name.
func (n Name) Last() Ident {
	if len(n) == 0 {
		return Ident{}
	}
	return n[len(n)-1]
}

// Query is a query expression: a body with its WITH, ORDER BY and LIMIT clauses.
//
// A parenthesized query is represented by the query inside the parentheses unless clauses follow the parentheses. Then
// Body is the inner *Query.
type Query struct {
	Span
	Recursive bool
	With      []*CTE
	Body      Body
	OrderBy   []*OrderItem
	Limit     *Limit // LIMIT, TOP, FETCH FIRST; nil if none

	id       int32 // its number in the script, from 1 on
	dialect  Dialect
	closed   bool    // was in parentheses: clauses after them belong to another query
	created  []*CTE  // tables that earlier statements of the script made from queries
	declared []Ident // variables that earlier statements declared
}

// Dialect returns the dialect in which the query was parsed, or [Generic] if q is nil.
func (q *Query) Dialect() Dialect {
	if q == nil {
		return Generic
	}
	return q.dialect
}

// Body is the body of a query: *Select, *SetOp, *Values or *Query.
type Body interface {
	Node
	body()
}

// CTE is one common table expression.
type CTE struct {
	Span
	Name    Ident
	Columns []Ident
	Query   *Query     // nil if the body is not a query
	Write   *Statement // a data-modifying body: WITH x AS (DELETE … RETURNING …); nil otherwise
}

// Limit is the maximal number of rows. Offset may occur without it.
type Limit struct {
	Span
	Count    Expr // nil: no limit, or ALL
	Offset   Expr // nil: none
	Percent  bool
	WithTies bool
}

// Values is a VALUES list; every row has its expressions.
type Values struct {
	Span
	Rows [][]Expr
}

// SetOp is a chain of set operations of one precedence, applied left to right: Ops[i] is between Terms[i] and
// Terms[i+1]. INTERSECT binds tighter than UNION and EXCEPT, so that a mixed chain nests, except in SQLite, where
// all have the same precedence.
type SetOp struct {
	Span
	Ops   []SetOperator
	Terms []*Query
}

// SetOperator is one set operator. MINUS is EXCEPT.
type SetOperator struct {
	Kind   SetKind
	All    bool // duplicates are kept
	ByName bool // columns are matched by name (BY NAME, CORRESPONDING)
}

// SetKind is UNION, INTERSECT or EXCEPT.
type SetKind uint8

// The set operations.
const (
	Union SetKind = iota
	Intersect
	Except
)

// Select is one SELECT with its clauses.
type Select struct {
	Span
	Hints      []string // optimizer hints /*+ … */, without the comment signs
	Distinct   bool
	DistinctOn []Expr
	As         string // "struct" or "value" for BigQuery's SELECT AS STRUCT and AS VALUE
	Items      []*Item
	Into       Name      // SELECT … INTO table; nil if none
	From       []*Source // joined left to right
	Where      Expr
	Group      *GroupBy
	Having     Expr
	Qualify    Expr
	Windows    []*WindowDef
	Connect    []Expr // CONNECT BY and START WITH conditions
	Extra      []Expr // DISTRIBUTE BY, SORT BY, CLUSTER BY keys and other clauses that change no component
}

// Item is one element of a select list.
type Item struct {
	Span
	Expr  Expr
	Alias Ident // empty if none
}

// GroupBy is the GROUP BY clause. Rollups, cubes and grouping sets are *Grouping elements of Items.
type GroupBy struct {
	Span
	All      bool // GROUP BY ALL
	Distinct bool // GROUP BY DISTINCT: no grouping set twice
	Items    []Expr
}

// OrderItem is one sort key.
type OrderItem struct {
	Span
	Expr  Expr
	Desc  bool
	Nulls Nulls
}

// Nulls is the position of nulls in a sort order.
type Nulls uint8

// NullsDefault is the dialect's behavior if nothing is written.
const (
	NullsDefault Nulls = iota
	NullsFirst
	NullsLast
)

// JoinKind is the way in which a source joins the sources before it.
type JoinKind uint8

// The join kinds. FirstSource is the first element of FROM, which has no join; CommaJoin is FROM a, b.
const (
	FirstSource JoinKind = iota
	CommaJoin
	InnerJoin
	LeftJoin
	RightJoin
	FullJoin
	CrossJoin
	SemiJoin
	AntiJoin
)

// Source is one element of FROM and how it is joined. Exactly one of Table, Query, Call, Nested and
// Raw is set.
type Source struct {
	Span
	Join       JoinKind
	Natural    bool
	Lateral    bool // LATERAL, APPLY or LATERAL VIEW
	Only       bool // ONLY: without the tables that inherit from it
	Asof       bool
	Positional bool
	On         Expr
	Match      Expr    // MATCH_CONDITION of an ASOF join
	Using      []Ident // USING (…)

	Table  Name      // a table, view or CTE
	Query  *Query    // a derived table
	Call   *Call     // a table function: UNNEST, FLATTEN, EXPLODE, GENERATE_SERIES …
	Nested []*Source // a parenthesised join
	Raw    *Raw      // text that was not understood

	Alias      Ident
	Columns    []Ident // alias columns: t(a, b)
	Offset     Ident   // UNNEST … WITH OFFSET AS o, WITH ORDINALITY
	Version    Expr    // time travel: AT, BEFORE, FOR SYSTEM_TIME AS OF, VERSION AS OF
	Sample     Expr    // TABLESAMPLE
	Pivots     []*Pivot
	Recognize  *Recognize
	FromString bool // Table was written as a string: FROM 'file.csv'

	id int32 // its number in the script, from 1 on
}

// Pivot is PIVOT or UNPIVOT on a source.
type Pivot struct {
	Span
	Unpivot      bool
	IncludeNulls bool
	Values       []*Item // aggregates of PIVOT, value columns of UNPIVOT
	For          []Expr  // the columns after FOR
	In           []*Item // the list after IN; one item with a *Subquery for IN (SELECT …) and a *Star for IN (ANY)
	Group        []Expr  // GROUP BY of DuckDB's PIVOT
	Alias        Ident
	Columns      []Ident
}

// Recognize is MATCH_RECOGNIZE. Pattern and row options are kept as text.
type Recognize struct {
	Span
	Partition []Expr
	OrderBy   []*OrderItem
	Measures  []*Item
	Pattern   string
	Define    []*Item
	Alias     Ident
}

// WindowDef is one definition of the WINDOW clause.
type WindowDef struct {
	Span
	Name   Ident
	Window *Window
}

func (*Select) body() {}
func (*SetOp) body()  {}
func (*Values) body() {}
func (*Query) body()  {}
