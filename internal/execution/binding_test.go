//go:build !no_duckdb

package execution_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	fakepostgres "github.com/badger-eval/badger/connectors/fake/postgres"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// bracketed writes an expression of the test with all its parentheses; empty if it has something else.
func bracketed(e sqlparts.Expr) string {
	not := func(is bool) string { return map[bool]string{true: " NOT "}[is] }
	whole := true
	sub := func(e sqlparts.Expr) string {
		s := bracketed(e)
		whole = whole && s != ""
		return s
	}
	out := ""
	switch e := e.(type) {
	case *sqlparts.Literal:
		switch e.Kind {
		case sqlparts.String:
			return "'" + e.Text + "'"
		default:
			return e.Text
		}
	case *sqlparts.Unary:
		out = "(" + string(e.Op) + " " + sub(e.X) + ")"
	case *sqlparts.Binary:
		out = "(" + sub(e.L) + " " + string(e.Op) + " " + sub(e.R) + ")"
	case *sqlparts.Logic:
		op := map[bool]string{false: " AND ", true: " OR "}[e.Or]
		for i, a := range e.Args {
			if i > 0 {
				out += op
			}
			out += sub(a)
		}
		out = "(" + out + ")"
	case *sqlparts.Is:
		out = "(" + sub(e.X) + " IS" + not(e.Not) + " " + sub(e.What) + ")"
	case *sqlparts.Like:
		out = "(" + sub(e.X) + not(e.Not) + " " + string(e.Op) + " " + sub(e.Pattern) + ")"
	case *sqlparts.Between:
		out = "(" + sub(e.X) + not(e.Not) + " BETWEEN " + sub(e.Low) + " AND " + sub(e.High) + ")"
	case *sqlparts.In:
		var list []string
		for _, x := range e.List {
			list = append(list, sub(x))
		}
		out = "(" + sub(e.X) + not(e.Not) + " IN (" + strings.Join(list, ", ") + "))"
	}
	if !whole {
		return ""
	}
	return out
}

// An engine gives a chain of operators without parentheses the value that it has with those of the tree that
// the chain is read as.
func TestOperatorsBindAsInTheEngine(t *testing.T) {
	// by dialect: what is between operands, and what is before one
	common := []string{" + ", " - ", " * ", " % ", " = ", " <> ", " < ", " <= ", " > ", " >= ", " IS NOT DISTINCT FROM ", " AND ", " OR ", " IN (0, 1) ", " NOT IN (1, 2) ", " BETWEEN 0 AND ", " NOT BETWEEN 1 AND ", " IS NULL ", " IS NOT NULL ", " LIKE ", " NOT LIKE ", " || "}
	for _, engine := range []struct {
		dialect  sqlparts.Dialect
		operands []string
		infix    []string
		prefix   []string
		open     func(t *testing.T) (value func(text string) (string, error))
	}{
		{sqlparts.SQLite, []string{"0", "1", "2", "3", "NULL", "'1'"}, append(common[:len(common):len(common)], " & ", " | ", " << ", " >> ", " == ", " IS ", " IS NOT ", " GLOB ", " / "), []string{"-", "~", "NOT "}, valuesOfSQLite},
		{sqlparts.DuckDB, []string{"0", "1", "2", "3", "NULL", "TRUE", "'1'"}, append(common[:len(common):len(common)], " & ", " | ", " << ", " IS DISTINCT FROM ", " ^ ", " // ", " ILIKE "), []string{"-", "~", "NOT "}, valuesOfDuckDB},
		{sqlparts.Postgres, []string{"0", "1", "2", "3", "NULL", "TRUE", "'1'"}, append(common[:len(common):len(common)], " & ", " | ", " # ", " << ", " IS DISTINCT FROM ", " ^ ", " / ", " ILIKE ", " ~~ ", " IS TRUE "), []string{"-", "~", "NOT "}, valuesOfPostgres},
		{sqlparts.MySQL, []string{"0", "1", "2", "3", "NULL", "'1'"}, []string{" + ", " - ", " * ", " % ", " = ", " <> ", " < ", " <= ", " > ", " >= ", " <=> ", " AND ", " OR ", " XOR ", " IN (0, 1) ", " NOT IN (1, 2) ", " BETWEEN 0 AND ", " NOT BETWEEN 1 AND ", " IS NULL ", " IS NOT NULL ", " LIKE ", " NOT LIKE ", " & ", " | ", " ^ ", " << ", " >> ", " DIV ", " MOD ", " REGEXP ", " IS TRUE "}, []string{"-", "~", "NOT ", "!"}, valuesOfMariaDB},
	} {
		t.Run(engine.dialect.String(), func(t *testing.T) {
			value := engine.open(t)
			r := rand.New(rand.NewPCG(7, 35))
			pick := func(list []string) string { return list[r.IntN(len(list))] }
			operand := func() string {
				if r.IntN(5) == 0 {
					return pick(engine.prefix) + pick(engine.operands)
				}
				return pick(engine.operands)
			}
			compared, unsure := 0, 0
			for range sample.Count(6000, 12) {
				text := operand()
				for range 2 + r.IntN(2) {
					op := pick(engine.infix)
					text += op
					if !strings.HasSuffix(op, ") ") && !strings.HasSuffix(op, "NULL ") && !strings.HasSuffix(op, "TRUE ") {
						text += operand()
					}
				}
				s := sqlparts.Parse("SELECT "+text, engine.dialect)
				q, _ := s.Whole()
				if q == nil {
					unsure++
					continue
				}
				sel, ok := q.Body.(*sqlparts.Select)
				if !ok || len(sel.Items) != 1 {
					continue
				}
				with := bracketed(sel.Items[0].Expr)
				if with == "" {
					continue
				}
				a, err := value("SELECT " + text)
				b, err2 := value("SELECT " + with)
				if err != nil || err2 != nil {
					continue
				}
				if compared++; a != b {
					t.Errorf("%s is %s, and %s is %s", text, a, with, b)
				}
			}
			t.Logf("%d chains compared, %d of which it is not known how they are read", compared, unsure)
			if compared < sample.Count(500, 12) {
				t.Errorf("only %d chains were compared: the test says nothing", compared)
			}
		})
	}
}

func valuesOfSQLite(t *testing.T) func(string) (string, error) {
	ask := pythonProgram(t, `
import json, sqlite3, sys
c = sqlite3.connect(":memory:")
for line in sys.stdin:
    try:
        print("=", c.execute(json.loads(line)).fetchone()[0], flush=True)
    except Exception:
        print("failed", flush=True)
`)
	return func(text string) (string, error) {
		answer := ask(text)
		if answer == "failed" {
			return "", errStatement
		}
		return answer, nil
	}
}

func valuesOfDuckDB(t *testing.T) func(string) (string, error) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return func(text string) (string, error) {
		var v any
		err := db.QueryRowContext(t.Context(), text).Scan(&v)
		return fmt.Sprint(v), err
	}
}

func valuesOfPostgres(t *testing.T) func(string) (string, error) {
	s, err := fakepostgres.Start(nil)
	if err != nil {
		t.Skipf("there is no PostgreSQL server to test with: %v", err)
	}
	t.Cleanup(s.Remove)
	c, err := pgconn.Connect(t.Context(), fmt.Sprintf("host=127.0.0.1 port=%d user=owner dbname=postgres sslmode=disable", s.Port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.WithoutCancel(t.Context())) })
	return func(text string) (string, error) {
		res, err := c.Exec(t.Context(), text).ReadAll()
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%q", res[0].Rows[0][0]), nil
	}
}

func valuesOfMariaDB(t *testing.T) func(string) (string, error) {
	m := startMariaDB(t)
	return func(text string) (string, error) {
		rows, err := m.query(text)
		if err != nil || len(rows) == 0 {
			return "", errStatement
		}
		return rows[0][0], nil
	}
}
