package counterexample

import (
	"regexp"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// A script may declare variables before its query. Where each has one value that the text says, the
// query is read with these values in place of the names.

var (
	declaration = regexp.MustCompile(`(?is)^\s*DECLARE\s+([a-z_][a-z0-9_]*)\s+(?:([a-z0-9_<>]+)\s*)?(?:DEFAULT\s+(.+?))?\s*;?\s*$`)
	setting     = regexp.MustCompile(`(?is)^\s*SET\s+([a-z_][a-z0-9_]*)\s*=\s*(.+?)\s*;?\s*$`)
)

// plainQuery is the query of a text and the values of the variables that the text declares before it. The
// query is nil, and why says so, for a text that is anything else.
func plainQuery(text string, script *sqlparts.Script, d sqlparts.Dialect) (query string, q *sqlparts.Query, variables map[string]sqlparts.Expr, why string) {
	n := len(script.Statements)
	if d != sqlparts.BigQuery || n < 2 {
		q, why = script.Whole()
		return text, q, nil, why
	}
	const other = "is not one query"
	variables = map[string]sqlparts.Expr{}
	end := 0
	for i, st := range script.Statements[:n-1] {
		start, stop := st.Range()
		if next, _ := script.Statements[i+1].Range(); start < end || stop > next || next > len(text) || strings.Trim(text[end:start], "; \t\r\n") != "" {
			return text, nil, nil, other
		}
		m, name := declaration.FindStringSubmatch(text[start:stop]), ""
		value := ""
		switch {
		case st.Kind == sqlparts.KindDeclare && m != nil:
			name, value = m[1], m[3]
		case st.Kind == sqlparts.KindSet:
			if m = setting.FindStringSubmatch(text[start:stop]); m == nil {
				return text, nil, nil, other
			}
			if _, ok := variables[strings.ToLower(m[1])]; !ok {
				return text, nil, nil, other
			}
			name, value = m[1], m[2]
		default:
			return text, nil, nil, other
		}
		var e sqlparts.Expr = &sqlparts.Literal{Kind: sqlparts.Null}
		if value != "" {
			if e = constant(value, d); e == nil {
				return text, nil, nil, other
			}
		}
		variables[strings.ToLower(name)] = e
		end = stop
	}
	query = strings.TrimLeft(text[end:], "; \t\r\n")
	q, why = sqlparts.Parse(query, d).Whole()
	return query, q, variables, why
}

// constant is an expression that names no column; nil for another.
func constant(text string, d sqlparts.Dialect) sqlparts.Expr {
	q, _ := sqlparts.Parse("SELECT "+text, d).Whole()
	if q == nil {
		return nil
	}
	b, ok := q.Body.(*sqlparts.Select)
	if !ok || len(b.Items) != 1 || len(b.From) > 0 || b.Where != nil || b.Group != nil {
		return nil
	}
	plain := true
	sqlparts.Walk(b.Items[0].Expr, func(n sqlparts.Node) bool {
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
	return b.Items[0].Expr
}
