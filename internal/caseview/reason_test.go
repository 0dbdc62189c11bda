package caseview_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/scoring/relation"
)

// Ranges are by hand: 27562/17231 is 1.5996, 10738/8056 is 1.3329.
func TestReason(t *testing.T) {
	for _, tc := range []struct {
		name, gold, agent, goldSQL, agentSQL string
		want, relation                       string
	}{
		{
			"size", `{"columns":["seg","total"],"rows":[["a",17231],["b",8056]]}`, `{"columns":["seg","total"],"rows":[["a",27562],["b",10738]]}`,
			"select seg, sum(x) as total from loans group by seg", "select seg, sum(x) as total from loans join acc using (id) group by seg",
			"Also reads `acc`, and `total` is 33 to 60 % too high.", "tables_more",
		},
		{
			"one number", `{"columns":["n"],"rows":[[2388]]}`, `{"columns":["n"],"rows":[[15819]]}`,
			"select count(distinct c) as n from t", "select count(c) as n from t", "Counts every row where gold counts different values: 15819 instead of 2388.", "count_distinct",
		},
		{
			"zero for a number", `{"columns":["n"],"rows":[[612]]}`, `{"columns":["n"],"rows":[[0]]}`,
			"", "", "Another value: 0 instead of 612.", "value_differs",
		},
		{
			"gold is zero", `{"columns":["n"],"rows":[[0]]}`, `{"columns":["n"],"rows":[[612]]}`,
			"", "", "", "",
		},
		{
			"some rows", `{"columns":["k","n"],"rows":[["a",10],["b",20],["c",30],["d",40]]}`, `{"columns":["k","n"],"rows":[["a",10],["b",25],["c",33],["d",41]]}`,
			"", "", "`n` is 2.5 to 25 % too high in 3 of 4 rows.", "measures_differ",
		},
		{
			"rows missing", `{"columns":["k"],"rows":[["a"],["b"],["c"]]}`, `{"columns":["k"],"rows":[["a"]]}`,
			"", "", "Leaves out 2 rows; the other rows are right.", "subset",
		},
		{"the same", `{"columns":["k"],"rows":[["a"],["b"]]}`, `{"columns":["k"],"rows":[["a"],["b"]]}`, "", "", "The same 2 rows as gold.", "same"},
	} {
		c := pairOf(table(t, tc.gold), table(t, tc.agent))
		c.Golds[0].SQL, c.Pred.SQL = tc.goldSQL, tc.agentSQL
		r := build(t, caseview.Input{Case: c}, caseview.Options{}).Reason
		if r == nil {
			t.Errorf("%s: no reason", tc.name)
			continue
		}
		if got := r.Sentence().String(); tc.want != "" && (got != tc.want || r.Relation != tc.relation) {
			t.Errorf("%s: %s %q, expected %s %q", tc.name, r.Relation, got, tc.relation, tc.want)
		}
		if tc.want == "" && r.Sizes[0].Range != nil {
			t.Errorf("%s: a range of %v", tc.name, r.Sizes[0].Range)
		}
	}
	c := pairOf(table(t, `{"columns":["n"],"rows":[[1]]}`), nil)
	c.Pred.Error = "no such column: z"
	if got := build(t, caseview.Input{Case: c}, caseview.Options{}).Reason; got.Sentence().
		String() !=
		"The query did not run: no such column: z" ||
		got.Group != relation.QueryDidNotRun {
		t.Errorf("a failed query: %+v", got)
	}
}

// The reason of a case with a masked column has no value of it, no constant of the queries and no message.
func TestReasonMasked(t *testing.T) {
	c := pairOf(
		table(t, `{"columns":["email","pay"],"rows":[["ada@example.org",100]]}`),
		table(t, `{"columns":["email","pay"],"rows":[["ada@example.org",150]]}`),
	)
	c.Golds[0].SQL, c.Pred.SQL = "select email, pay from p where dept = 'sales77'", "select email, pay from p"
	mask := mask(t, "pay")
	v := build(t, caseview.Input{Case: c, Mask: mask}, caseview.Options{})
	raw, err := json.Marshal(v.Reason)
	if err != nil || v.Reason == nil {
		t.Fatal(v.Reason, err)
	}
	for _, hidden := range []string{"sales77", "100", "150", "50"} {
		if strings.Contains(string(raw), hidden) {
			t.Errorf("%q is in %s", hidden, raw)
		}
	}
	c.Pred.Error = "bad value sales77"
	if got := build(t, caseview.Input{Case: c, Mask: mask}, caseview.Options{}).Reason.Sentence().String(); got != "The query did not run." {
		t.Errorf("the failed query: %q", got)
	}
}

// Stored scores give the same reason as the case, without sizes.
func TestReasonOfScores(t *testing.T) {
	c := pairOf(
		table(t, `{"columns":["k","n"],"rows":[["a",10],["b",20]]}`),
		table(t, `{"columns":["k","m"],"rows":[["a",10.2],["b",25]]}`),
	)
	c.Golds[0].SQL, c.Pred.SQL = "select k, sum(n) from t where x = 1 group by k", "select k, sum(n) from t group by k"
	scores := scored(t, c, "hybrid_ex", "relation")
	r := caseview.ReasonOf(scores)
	if got := r.Sentence().String(); got != "Leaves out the filter `x = 1`." || r.Group != relation.Filters {
		t.Errorf("%q in %s", got, r.Group)
	}
	scores[1].Label, scores[1].Detail = relation.QueryFailed, nil
	if got := caseview.ReasonOf(scores); got.Relation != relation.QueryFailed {
		t.Errorf("a failed query: %+v", got)
	}
	if got := caseview.ReasonOf(scores[:1]); got != nil {
		t.Errorf("without the metric: %+v", got)
	}
}

// What is said of the order of rows is what the rows show: nothing if none of them agree.
func TestOrderOfRows(t *testing.T) {
	const gold = `{"columns":["name","price"],"rows":[["a",90],["b",70],["c",50],["d",30]]}`
	for _, tc := range []struct{ name, agent, want string }{
		{"all agree", gold, "The rows are in the order that the question asks for."},
		{"turned round", `{"columns":["name","price"],"rows":[["d",30],["c",50],["b",70],["a",90]]}`, "another"},
		{"none agrees", `{"columns":["name","price"],"rows":[["k",1],["l",2],["m",4],["n",8]]}`, ""},
		{"one agrees", `{"columns":["name","price"],"rows":[["a",90],["l",2],["m",4],["n",8]]}`, ""},
		{"two agree", `{"columns":["name","price"],"rows":[["a",90],["b",70],["m",4],["n",8]]}`, "The rows that agree are in the order that the question asks for."},
	} {
		c := pairOf(table(t, gold), table(t, tc.agent))
		c.Question = "Which four have the highest price, the most expensive first?"
		c.Golds[0].SQL = "select name, price from p order by price desc limit 4"
		got := build(t, caseview.Input{Case: c}, caseview.Options{}).Order
		if got != tc.want && (tc.want != "another" || !strings.Contains(got, tc.want)) {
			t.Errorf("%s: %q, expected %q", tc.name, got, tc.want)
		}
	}
}

// A database's message is shown on one line, without the line that points into the query.
func TestErrorText(t *testing.T) {
	for message, want := range map[string]string{
		"no such column: z": "no such column: z",
		"Parser Error: syntax error at or near \"FROM\"\n\nLINE 1: SELECT a, FROM t\n                  ^": `Parser Error: syntax error at or near "FROM" LINE 1: SELECT a, FROM t`,
		"ERROR:  division by zero\r\n\tSQL state: 22012":                                                  "ERROR: division by zero SQL state: 22012",
		"Catalog Error: Table with name t does not exist!\n  ~~~~^~~~\nDid you mean \"u - v\"?\n\n":       `Catalog Error: Table with name t does not exist! Did you mean "u - v"?`,
	} {
		c := pairOf(table(t, `{"columns":["n"],"rows":[[1]]}`), nil)
		c.Pred.Error = message
		if got := build(t, caseview.Input{Case: c}, caseview.Options{}).AgentError; got != want {
			t.Errorf("%q: %q, expected %q", message, got, want)
		}
	}
}

// A difference in the last digits of a double has no share that anybody reads, and one of identifiers no meaning.
func TestSizesOfDifferences(t *testing.T) {
	for _, tc := range []struct{ name, column, gold, agent, relative, of string }{
		{"a number", "fee", "40", "50", "+25.00 %", "`fee` is 25 % too high in 1 of 3 rows."},
		{"still a share", "fee", "1000000000", "1000000001", "+0.0000001000 %", ""},
		{"an identifier", "skipper_id", "4", "292", "", "`skipper_id` differs in 1 of 3 rows."},
		{"a name that ends like one", "paid", "4", "292", "+7200 %", ""},
	} {
		c := pairOf(table(t, `{"columns":["boat","`+tc.column+`"],"rows":[["Ida",`+tc.gold+`],["Olav",7],["Runa",8]]}`),
			table(t, `{"columns":["boat","`+tc.column+`"],"rows":[["Ida",`+tc.agent+`],["Olav",7],["Runa",8]]}`))
		v := build(t, caseview.Input{Case: c}, caseview.Options{})
		got := ""
		for _, row := range v.Cells.Page {
			for _, d := range row.Cells {
				if d.Change != nil {
					got = d.Change.Relative
				}
			}
		}
		if got != tc.relative {
			t.Errorf("%s: %q, expected %q", tc.name, got, tc.relative)
		}
		if said := v.Reason.Sentence().String(); tc.of != "" && said != tc.of {
			t.Errorf("%s: %q, expected %q", tc.name, said, tc.of)
		}
	}
}

// Rows of both results are not counted together, and a question without gold says why.
func TestPlainReasons(t *testing.T) {
	c := pairOf(table(t, `{"columns":["id","boat","sails"],"rows":[[101,"Ida",2],[205,"Olav",2],[377,"Runa",4],[402,"Ebba",4],[518,"Nils",2]]}`),
		table(t, `{"columns":["id","boat","sails"],"rows":[[101,"Ida",2],[205,"Olav",2],[377,"Runa",4],[402,"Ebba",4],[914,"Sif",2]]}`))
	v := build(t, caseview.Input{Case: c, Scores: scored(t, c, "hybrid_ex")}, caseview.Options{})
	if got := v.Asked.Reason; !strings.HasPrefix(got, "4 of gold's 5 rows agree") {
		t.Errorf("rows: %q", got)
	}
	c = pairOf(table(t, `{"columns":["id","boat"],"rows":[[1,"Ida"],[2,"Olav"]]}`),
		table(t, `{"columns":["id","boat"],"rows":[[1,"Ida"],[2,"Olav"],[9,"Sif"]]}`))
	v = build(t, caseview.Input{Case: c, Scores: scored(t, c, "hybrid_ex")}, caseview.Options{})
	if got := v.Asked.Reason; !strings.HasPrefix(got, "2 of 3 rows agree; gold has 2 rows, the agent 3") {
		t.Errorf("a row more: %q", got)
	}
	for behaviour, want := range map[string]string{"refuse": "decline", "clarify": "ask back", "answer": "No gold answer"} {
		c := pairOf(table(t, `{"columns":["n"],"rows":[[1]]}`), table(t, `{"columns":["n"],"rows":[[1]]}`))
		c.Golds, c.Expected.Behaviour = nil, behaviour
		notes := build(t, caseview.Input{Case: c}, caseview.Options{}).Notes
		if len(notes) != 1 || !strings.Contains(notes[0], want) {
			t.Errorf("%s: %q", behaviour, notes)
		}
	}
}
