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

// Cases without gold, and those whose gold the agent was given, are listed once and in natural order.
func TestGoldsThatAreMissingOrGiven(t *testing.T) {
	long := "SELECT name FROM customers WHERE country = 'Spain'"
	given := func(id, sql, contexts string) *scoring.Case {
		return &scoring.Case{ID: id, Golds: []scoring.Query{{SQL: sql}}, Agent: scoring.Agent{Contexts: []byte(contexts)}}
	}
	g := NewGolds()
	for range 2 {
		g.Add(&scoring.Case{ID: "q10"})
		g.Add(&scoring.Case{ID: "q9", Golds: []scoring.Query{{SQL: " "}}})
		g.Add(&scoring.Case{ID: "refuses", Expected: scoring.Expected{Behaviour: scoring.BehaviourRefuse}})
		g.Add(&scoring.Case{ID: "calls", Expected: scoring.Expected{Tools: []byte(`["a"]`)}})
		g.Add(given("q3", long, `[{"id": "1", "text": "Q: In Spain?\nselect  NAME from customers\nwhere country = 'Spain';"}]`))
		g.Add(given("q2", long, `["SELECT name FROM customers WHERE country = 'Spain'"]`))
		g.Add(given("another", long, `["SELECT name FROM customers WHERE country = 'Peru'"]`))
		g.Add(given("short", "SELECT 1", `["SELECT 1"]`))
		g.Add(given("none", long, ""))
	}
	g.Sort()
	if got := fmt.Sprint(g.NoGold, g.Leaked); got != "[q9 q10] [q2 q3]" {
		t.Errorf("got %s", got)
	}
}

// A case is saturated if it passes in the latest batch of each version, of two or more.
func TestSaturated(t *testing.T) {
	pass, fail := versionOutcome{"a@1", "r", StandPassed}, versionOutcome{"a@2", "r", StandFailed}
	for want, c := range map[bool][][]versionOutcome{
		true:  {{pass, pass}, {pass, pass, pass}},
		false: {{}, {pass}, {pass, fail}, {fail, fail}, {pass, {"a@2", "r", StandUnanswered}}, {pass, {"a@2", "r", StandAbstained}}},
	} {
		for _, outcomes := range c {
			one := caseOfVersions{"q", outcomes}
			if one.Saturated() != want {
				t.Errorf("%v: saturated %t", outcomes, !want)
			}
		}
	}
	v := &Versions{Metric: "ex", Number: 2, Cases: []caseOfVersions{{"q1", []versionOutcome{pass}}, {"q2", []versionOutcome{pass, pass}}, {"q3", []versionOutcome{pass, fail}}}}
	if s := v.Saturation(); s.Compared != 2 || fmt.Sprint(s.Cases) != "[q2]" || s.Versions != 2 {
		t.Errorf("got %+v", s)
	}
}
