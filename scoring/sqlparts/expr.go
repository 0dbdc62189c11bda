package sqlparts

import "strings"

// Expr is an expression: one of the node types of this file.
type Expr interface {
	Node
	expr()
}

// Column is a reference by name: to a column, a field of a structured column, or another thing that only a schema
// distinguishes from these, such as an alias. Name has at least one part.
type Column struct {
	Span
	Name Name

	id     int32 // its number in the script, from 1; 0 for a word that is not a name, such as LOCAL
	double bool  // the name starts with a double quote
}

// LiteralKind is the kind of a literal.
type LiteralKind uint8

// The kinds of literals.
const (
	Number LiteralKind = iota
	String
	Bytes // b'…', x'…': Text has the prefix in lower case and single quotes
	Bool
	Null
)

// Literal is a constant. Text is a number as written, a string's value, or true, false and null in
// lower case.
type Literal struct {
	Span
	Kind LiteralKind
	Text string
}

// Param is a placeholder or a variable, as written: ?, $1, @x, :x, ${x}, {{ x }}.
type Param struct {
	Span
	Text string
}

// Star is * or t.* with its modifiers.
type Star struct {
	Span
	Qualifier Expr // nil for a plain *
	Except    []Ident
	Replace   []*Item // expression and the name it replaces
	Rename    []*Item // column and its new name
	Like      Expr    // Snowflake's * ILIKE 'pattern'
}

// Op is an operator in its canonical spelling, lower case: "=", "<>", "||", "not", "is distinct
// from".
type Op string

// Logic is a chain of AND or a chain of OR, flattened.
type Logic struct {
	Span
	Or   bool
	Args []Expr // at least two
}

// Unary is a prefix operator: "not", "-", "+", "~", "@", "prior", "binary" …
type Unary struct {
	Span
	Op Op
	X  Expr
}

// Binary is an infix operator other than AND, OR and the predicates below: arithmetic, comparison,
// concatenation, "at time zone", "collate", "->", "div" …
type Binary struct {
	Span
	Op   Op
	L, R Expr
	// Quantifier is "any" or "all" for a comparison with a quantified right side, otherwise empty.
	Quantifier string
}

// In is x [NOT] IN (list), IN (query), IN UNNEST(…) or IN expression.
type In struct {
	Span
	Not   bool
	X     Expr
	List  []Expr // the list; nil if Query or Of is set
	Query *Query
	Of    Expr // an array expression
}

// Between is x [NOT] BETWEEN [SYMMETRIC] low AND high.
type Between struct {
	Span
	Not, Symmetric bool
	X, Low, High   Expr
}

// Like is a pattern predicate: Op is "like", "ilike", "rlike", "regexp", "glob", "similar to",
// "match" …
type Like struct {
	Span
	Op         Op
	Not        bool
	X, Pattern Expr
	Escape     Expr   // nil if none
	Quantifier string // "any" or "all": LIKE ANY (…)
}

// Is is x IS [NOT] NULL, TRUE, FALSE, UNKNOWN, JSON …; also ISNULL and NOTNULL. IS [NOT] DISTINCT
// FROM is a [Binary].
type Is struct {
	Span
	Not  bool
	X    Expr
	What Expr
}

// Exists is EXISTS (query).
type Exists struct {
	Span
	Query *Query
}

// Case is CASE [x] WHEN … THEN … [ELSE …] END.
type Case struct {
	Span
	X     Expr // nil for a searched case
	Whens []When
	Else  Expr // nil if none
}

// When is one branch of a case.
type When struct{ Cond, Then Expr }

// Cast is CAST(x AS type), x::type and a typed literal such as DATE '2024-01-01'.
type Cast struct {
	Span
	Try    bool // TRY_CAST, SAFE_CAST
	X      Expr
	Type   string // lower case, single spaces
	Format Expr   // CAST(x AS type FORMAT f); nil if none
}

// Subquery is a query as an expression.
type Subquery struct {
	Span
	Query *Query
}

// Call is a function call with everything that may follow it. A call without parentheses
// (CURRENT_DATE) has no arguments.
type Call struct {
	Span
	Name     Name
	Distinct bool
	Args     []Expr
	OrderBy  []*OrderItem // inside the parentheses
	Limit    Expr         // ARRAY_AGG(x LIMIT 3)
	Having   Expr         // ANY_VALUE(x HAVING MAX y): the y
	HavMax   bool         // HAVING MAX, not HAVING MIN
	Nulls    string       // "ignore" or "respect", empty if not written
	Within   []*OrderItem // WITHIN GROUP (ORDER BY …)
	Filter   Expr
	Over     *Window
}

// Window is an OVER clause or a named window's definition.
type Window struct {
	Span
	Name      Ident // OVER w, or the base of (w ORDER BY …)
	Partition []Expr
	OrderBy   []*OrderItem
	Frame     string // lower case: "rows between 1 preceding and current row"; empty if none
}

// Interval is INTERVAL value unit; Unit is in lower case, and empty if the value includes it.
type Interval struct {
	Span
	X    Expr
	Unit string
}

// List is a parenthesised row (a, b), an array [a, b] or a struct.
type List struct {
	Span
	Kind  ListKind
	Type  string  // element type of ARRAY<t>[…], field types of STRUCT<…>(…); empty if not written
	Items []*Item // alias: field name of a struct, key of {'a': 1}
}

// ListKind is the kind of a [List].
type ListKind uint8

// Tuple is (a, b), Array is [a, b] or ARRAY[a, b], Struct is STRUCT(a AS x), Object is {'a': 1} or
// MAP {…}.
const (
	Tuple ListKind = iota
	Array
	Struct
	Object
)

// Index is x[i] or x[from:to]; the bounds may be nil in a slice.
type Index struct {
	Span
	X, I, To Expr
	Slice    bool
}

// Field is a field of an expression that is not a plain name: (x).f, f(x).y, a[0].b. The field * is x.*.
type Field struct {
	Span
	X    Expr
	Name Ident
}

// Path is a path into semi-structured data: x:a.b[0]. Text is the part after the colon, with its case unchanged. A
// name is kept in double quotes only if it is not a plain word: x:"a.b" reads one key.
type Path struct {
	Span
	X    Expr
	Text string
}

// Keys returns the names in the path, without quotes.
func (p *Path) Keys() (keys []string) {
	var key strings.Builder
	quoted := false
	for i := 0; i < len(p.Text); i++ {
		switch c := p.Text[i]; {
		case c == '"' && quoted && strings.HasPrefix(p.Text[i+1:], `"`):
			i++
			key.WriteByte(c)
		case c == '"':
			quoted = !quoted
		case c == '.' && !quoted:
			keys = append(keys, key.String())
			key.Reset()
		default:
			key.WriteByte(c)
		}
	}
	return append(keys, key.String())
}

// Named is a named argument of a call: input => x, or x := 1.
type Named struct {
	Span
	Name Ident
	X    Expr
}

// Lambda is x -> f(x) or lambda x, y: f(x, y).
type Lambda struct {
	Span
	Params []Ident
	X      Expr
}

// Alias is an expression with a name inside an argument list: STRUCT(a AS x), XMLFOREST(a AS x).
type Alias struct {
	Span
	X    Expr
	Name Ident
}

// Special is a call whose arguments are separated by words: EXTRACT(year FROM x), TRIM(BOTH 'a'
// FROM x), POSITION(a IN b). Words[i] is before Args[i]; an empty word after the first means a
// comma.
type Special struct {
	Span
	Name  string
	Words []string
	Args  []Expr
}

// Grouping is ROLLUP (…), CUBE (…) or GROUPING SETS (…) in GROUP BY; Kind is "rollup", "cube" or
// "grouping sets".
type Grouping struct {
	Span
	Kind string
	Args []Expr
}

// Raw is text with balanced brackets that the parser did not understand. A note reports it, except for clauses that are
// always kept as text, such as samples.
type Raw struct {
	Span
	Text string
}

func (*Column) expr()   {}
func (*Literal) expr()  {}
func (*Param) expr()    {}
func (*Star) expr()     {}
func (*Logic) expr()    {}
func (*Unary) expr()    {}
func (*Binary) expr()   {}
func (*In) expr()       {}
func (*Between) expr()  {}
func (*Like) expr()     {}
func (*Is) expr()       {}
func (*Exists) expr()   {}
func (*Case) expr()     {}
func (*Cast) expr()     {}
func (*Subquery) expr() {}
func (*Call) expr()     {}
func (*Interval) expr() {}
func (*List) expr()     {}
func (*Index) expr()    {}
func (*Field) expr()    {}
func (*Path) expr()     {}
func (*Named) expr()    {}
func (*Lambda) expr()   {}
func (*Alias) expr()    {}
func (*Special) expr()  {}
func (*Grouping) expr() {}
func (*Raw) expr()      {}
