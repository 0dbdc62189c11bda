package sqltree

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// BeyondSpider describes in a few words the first part of a query that Spider's parser does not support; "" if it
// supports all of it. Spider's script treats such a query as empty. text is the SQL text of the query.
func BeyondSpider(q *sqlparts.Query, text string) string {
	g := &grammar{text: text}
	for word := range strings.FieldsFuncSeq(strings.ToLower(outsideQuotes(text)),
		func(r rune) bool { return !(r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r >= 0x80) }) {
		if beyondWords[word] {
			g.add(strings.ToUpper(word))
		}
	}
	sqlparts.Walk(q, g.visit)
	return g.reason
}

// beyondWords are SQL keywords that are not in Spider's grammar.
var beyondWords = map[string]bool{
	"inner": true, "left": true, "right": true, "full": true, "outer": true, "cross": true, "natural": true, "using": true,
	"exists": true,
	"case":   true, "cast": true, "is": true, "over": true, "offset": true, "with": true, "null": true, "values": true,
}

// grammar finds constructs that Spider's parser does not support. It supports single operators between columns, five
// aggregates, and conditions without parentheses whose right side is a value, a column or a query.
type grammar struct {
	text   string
	reason string // the first unsupported construct
}

func (g *grammar) add(reason string) {
	if g.reason == "" {
		g.reason = reason
	}
}

func (g *grammar) visit(n sqlparts.Node) bool {
	switch n := n.(type) {
	case *sqlparts.Select:
		for _, it := range n.Items {
			if it.Alias.Text != "" {
				g.add("an alias of a column")
			}
			if b, ok := it.Expr.(*sqlparts.Binary); ok && isCall(b.L) {
				g.add("arithmetic with an aggregate")
			}
			g.unit(it.Expr)
		}
		g.condition(n.Where)
		g.condition(n.Having)
		if n.Group != nil {
			for _, e := range n.Group.Items {
				g.unit(e)
			}
		}
	case *sqlparts.OrderItem:
		g.unit(n.Expr)
	case *sqlparts.Source:
		g.source(n)
		g.condition(n.On)
	case *sqlparts.Limit:
		if l, ok := n.Count.(*sqlparts.Literal); !ok || l.Kind != sqlparts.Number {
			g.add("LIMIT without a number")
		}
	case *sqlparts.Column:
		if slices.ContainsFunc(n.Name, func(id sqlparts.Ident) bool { return id.Quoted }) {
			g.add("a quoted name")
		}
		if len(n.Name) > 2 {
			g.add("a name with a schema")
		}
	case *sqlparts.Star:
		if n.Qualifier != nil {
			g.add("the star of one table")
		}
	}
	return g.reason == ""
}

func (g *grammar) source(s *sqlparts.Source) {
	start, end := s.Range()
	words := strings.Fields(strings.ToLower(g.text[start:min(end, len(g.text))]))
	switch {
	case s.Join == sqlparts.CommaJoin:
		g.add("a comma between tables")
	case s.Table == nil && s.Query == nil:
		g.add("a table function")
	case s.Query != nil && s.Alias.Text != "":
		g.add("an alias of a derived table")
	case s.Alias.Text != "" && !slices.Contains(words, "as"):
		g.add("an alias without AS")
	case len(s.Table) > 1 || len(s.Table) == 1 && s.Table[0].Quoted:
		g.add("a quoted or qualified table")
	}
}

func isCall(e sqlparts.Expr) bool { _, ok := e.(*sqlparts.Call); return ok }

// unit checks an operand: a column, an aggregate of one, or one operator between two of these.
func (g *grammar) unit(e sqlparts.Expr) {
	if b, ok := e.(*sqlparts.Binary); ok {
		if !strings.Contains("+-*/", string(b.Op)) || b.Op == "" {
			g.add("the operator " + string(b.Op))
		}
		g.single(b.L)
		g.single(b.R)
		return
	}
	g.single(e)
}

func (g *grammar) single(e sqlparts.Expr) {
	switch e := e.(type) {
	case *sqlparts.Column, *sqlparts.Star:
	case *sqlparts.Call:
		if len(e.Name) != 1 ||
			!slices.Contains([]string{"max", "min", "count", "sum", "avg"}, strings.ToLower(e.Name[0].Text)) {
			g.add("a function besides the five aggregates")
			return
		}
		if len(e.Args) != 1 || e.Over != nil || e.Filter != nil {
			g.add("an aggregate with more than a column")
			return
		}
		g.unit(e.Args[0])
	default:
		g.add("an expression that is no column")
	}
}

// condition checks a condition: atoms joined by AND and OR without parentheses.
func (g *grammar) condition(e sqlparts.Expr) {
	switch e := e.(type) {
	case nil:
	case *sqlparts.Logic:
		for _, a := range e.Args {
			if l, ok := a.(*sqlparts.Logic); ok && l.Or {
				g.add("parentheses around OR")
			}
			g.condition(a)
		}
	case *sqlparts.Binary:
		if _, ok := comparisons[string(e.Op)]; !ok || e.Quantifier != "" {
			g.add("the condition " + string(e.Op))
			return
		}
		start, end := e.Range()
		if e.Op == "<>" && strings.Contains(outsideQuotes(g.text[start:end]), "<>") {
			g.add("<>")
		}
		g.unit(e.L)
		g.value(e.R)
	case *sqlparts.In:
		g.unit(e.X)
		if e.Query == nil && len(e.List) != 1 {
			g.add("a list after IN")
		}
	case *sqlparts.Between:
		g.unit(e.X)
		g.value(e.Low)
		g.value(e.High)
	case *sqlparts.Like:
		g.unit(e.X)
		if e.Op != "like" {
			g.add(strings.ToUpper(string(e.Op)))
		}
		g.value(e.Pattern)
	default:
		g.add("a condition of another kind")
	}
}

func (g *grammar) value(e sqlparts.Expr) {
	switch e := e.(type) {
	case *sqlparts.Literal, *sqlparts.Subquery, *sqlparts.Column:
	case *sqlparts.Unary:
		if _, ok := e.X.(*sqlparts.Literal); !ok || e.Op != "-" {
			g.add("an expression as a value")
		}
	default:
		g.single(e)
	}
}

// outsideQuotes replaces the quoted parts of a string by blanks.
func outsideQuotes(s string) string {
	b := []byte(s)
	for i := 0; i < len(b); i++ {
		if b[i] == '\'' || b[i] == '"' || b[i] == '`' {
			_, end := quoted(s, i)
			for ; i < end; i++ {
				b[i] = ' '
			}
			i--
		}
	}
	return string(b)
}

// quoted returns the content of the quoted name or string that starts at i, and the position after it. A doubled
// closing quote is an escaped quote.
func quoted(s string, i int) (text string, end int) {
	closing := s[i]
	if closing == '[' {
		closing = ']'
	}
	var b strings.Builder
	for i++; i < len(s); i++ {
		if s[i] == closing {
			if i+1 >= len(s) || s[i+1] != closing {
				return b.String(), i + 1
			}
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), len(s)
}
