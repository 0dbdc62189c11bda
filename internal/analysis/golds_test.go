package analysis

import (
	"errors"
	"fmt"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// Gold queries are read once, however many answers there are, and listed by kind with their places.
func TestGolds(t *testing.T) {
	g := NewGolds()
	for range 3 {
		g.Add(&scoring.Case{ID: "q10", Dialect: "postgres", Golds: []scoring.Query{{SQL: "SELECT 1"}, {SQL: "SELECT a\nFROM t WHERE é = now()\nLIMIT 1"}}})
	}
	g.Add(&scoring.Case{ID: "q9", Dialect: "postgres", Schema: "CREATE TABLE t (id INT PRIMARY KEY, a INT)", Golds: []scoring.Query{{SQL: "SELECT a FROM t ORDER BY id LIMIT 1"}}})
	g.Add(&scoring.Case{ID: "q8", Dialect: "mysql", Golds: []scoring.Query{{SQL: "SELECT a FROM t ORDER BY rand() LIMIT 1"}}})
	g.Add(&scoring.Case{ID: "q7", Golds: []scoring.Query{{SQL: ""}}})
	g.Unread("c.jsonl:4", errors.New("no JSON"))
	g.Sort()
	if g.Read != 4 || g.Depending != 2 {
		t.Errorf("read %d, depending %d, want 4 and 2", g.Read, g.Depending)
	}
	var got []string
	for _, d := range g.Depends {
		got = append(got, fmt.Sprintf("%s/%d %s %d:%d %s", d.CaseID, d.Gold, d.On, d.Line, d.Column, d.Part))
	}
	want := "[q8/0 chance 1:26 rand() q10/2 clock 2:18 now() q10/2 order 3:1 LIMIT 1]"
	if fmt.Sprint(got) != want {
		t.Errorf("got %v\nwant %s", got, want)
	}
	if fmt.Sprint(g.Kinds) != "[{chance 1} {clock 1} {order 1}]" || len(g.Notes) != 1 {
		t.Errorf("kinds %v, notes %q", g.Kinds, g.Notes)
	}
}
