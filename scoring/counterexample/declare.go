package counterexample

import (
	"strings"

	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// A script may declare variables before its query. If each has a single value that is in the script, the query is
// translated with these values in place of the names.

var (
	declaration = lazyregexp.New(
		`(?is)^\s*DECLARE\s+([a-z_][a-z0-9_]*)\s+(?:([a-z0-9_<>]+)\s*)?(?:DEFAULT\s+(.+?))?\s*;?\s*$`)
	setting = lazyregexp.New(`(?is)^\s*SET\s+([a-z_][a-z0-9_]*)\s*=\s*(.+?)\s*;?\s*$`)
)

// declarations are the variables and functions that a script declares before its query.
type declarations struct {
	variables map[string]sqlparts.Expr
	functions map[string]*function
}

// function is a function that a script defines by a single expression.
type function struct {
	params []string
	kinds  []Kind // kinds of the parameters; Null for any
	kind   Kind   // kind of the result; Null for that of the expression
	body   sqlparts.Expr
}

var (
	definition = lazyregexp.New(`(?is)^\s*CREATE\s+(?:OR\s+REPLACE\s+)?TEMP(?:ORARY)?\s+FUNCTION\s+([a-z_][a-z0-9_]*)\s*\(([^()]*)\)\s*(?:RETURNS\s+([a-z0-9_]+)\s*)?AS\s*\((.*)\)\s*;?\s*$`)
	parameter  = lazyregexp.New(`(?is)^\s*([a-z_][a-z0-9_]*)\s+([a-z0-9_]+(?:\s+TYPE)?)\s*$`)
)

// functionOf parses the definition of a BigQuery function by an expression. It returns nil for any other text.
func functionOf(text string, d sqlparts.Dialect) (name string, f *function) {
	m := definition.FindStringSubmatch(text)
	if m == nil {
		return "", nil
	}
	kindOf := func(t string) (Kind, bool) {
		switch strings.ToLower(t) {
		case "float64":
			return Real, true
		case "int64":
			return Int, true
		case "string":
			return Text, true
		case "bool":
			return Bool, true
		case "", "any type":
			return Null, true
		}
		return Null, false
	}
	f = &function{}
	for _, p := range strings.Split(m[2], ",") {
		if strings.TrimSpace(m[2]) == "" {
			break
		}
		part := parameter.FindStringSubmatch(p)
		if part == nil {
			return "", nil
		}
		k, ok := kindOf(strings.Join(strings.Fields(part[2]), " "))
		if !ok {
			return "", nil
		}
		f.params, f.kinds = append(f.params, part[1]), append(f.kinds, k)
	}
	var ok bool
	if f.kind, ok = kindOf(m[3]); !ok {
		return "", nil
	}
	b := oneExpression(m[4], d)
	if b == nil {
		return "", nil
	}
	f.body = b
	return strings.ToLower(m[1]), f
}

// oneExpression parses a single SQL expression, and returns nil if text is anything else.
func oneExpression(text string, d sqlparts.Dialect) sqlparts.Expr {
	q, _ := sqlparts.Parse("SELECT "+text, d).Whole()
	if q == nil || len(q.With) > 0 || len(q.OrderBy) > 0 || q.Limit != nil {
		return nil
	}
	b, ok := q.Body.(*sqlparts.Select)
	if !ok || len(b.Items) != 1 || b.Items[0].Alias.Text != "" || b.Distinct || len(b.From) > 0 || b.Where != nil ||
		b.Group != nil || b.Having != nil || b.Qualify != nil {
		return nil
	}
	return b.Items[0].Expr
}

// plainQuery returns the query of a script, and the variables and functions that the script declares before it. If
// the script is more than that, q is nil, and why is the reason.
func plainQuery(script *sqlparts.Script) (q *sqlparts.Query, declared declarations, why string) {
	text, d, n := script.SQL, script.Dialect, len(script.Statements)
	if d != sqlparts.BigQuery || n < 2 {
		q, why = script.Whole()
		return q, declared, why
	}
	const other = "is not one query"
	declared = declarations{map[string]sqlparts.Expr{}, map[string]*function{}}
	end := 0
	for i, st := range script.Statements[:n-1] {
		start, stop := st.Range()
		if next, _ := script.Statements[i+1].Range(); start < end || stop > next || next > len(text) ||
			strings.Trim(text[end:start], "; \t\r\n") != "" {
			return nil, declared, other
		}
		m, name := declaration.FindStringSubmatch(text[start:stop]), ""
		value := ""
		if st.Kind == sqlparts.KindCreate {
			name, f := functionOf(text[start:stop], d)
			if f == nil {
				return nil, declared, other
			}
			declared.functions[name] = f
			end = stop
			continue
		}
		switch {
		case st.Kind == sqlparts.KindDeclare && m != nil:
			name, value = m[1], m[3]
		case st.Kind == sqlparts.KindSet:
			if m = setting.FindStringSubmatch(text[start:stop]); m == nil {
				return nil, declared, other
			}
			if _, ok := declared.variables[strings.ToLower(m[1])]; !ok {
				return nil, declared, other
			}
			name, value = m[1], m[2]
		default:
			return nil, declared, other
		}
		var e sqlparts.Expr = &sqlparts.Literal{Kind: sqlparts.Null}
		if value != "" {
			if e = constant(value, d); e == nil {
				return nil, declared, other
			}
		}
		declared.variables[strings.ToLower(name)] = e
		end = stop
	}
	if q, why = sqlparts.Parse(strings.TrimLeft(text[end:], "; \t\r\n"), d).Whole(); q != nil {
		q = script.Final()
	}
	return q, declared, why
}

// constant parses an expression that consists only of literals, signs and casts. It returns nil for any other text.
func constant(text string, d sqlparts.Dialect) sqlparts.Expr {
	e := oneExpression(text, d)
	if e == nil {
		return nil
	}
	plain := true
	sqlparts.Walk(e, func(n sqlparts.Node) bool {
		switch n.(type) {
		case *sqlparts.Literal, *sqlparts.List, *sqlparts.Item, *sqlparts.Unary, *sqlparts.Cast:
		default:
			plain = false
		}
		return plain
	})
	if !plain {
		return nil
	}
	return e
}
