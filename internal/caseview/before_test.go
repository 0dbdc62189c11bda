package caseview_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/caseview"
)

// besides is how rows show: number of the gold row, and for each column gold | before with its sign | answer with its
// sign.
func besides(rows []caseview.Row) (out []string) {
	text := func(v *caseview.Value) string {
		if v == nil {
			return ""
		}
		return v.Text
	}
	for _, r := range rows {
		var parts []string
		for _, c := range r.Cells {
			was := " "
			if c.Was != nil {
				was = c.Was.Sign()
			}
			parts = append(parts, text(c.Gold)+"|"+was+text(c.Before)+"|"+c.State.Sign()+text(c.Agent))
		}
		out = append(out, strings.Join(parts, "  "))
	}
	return out
}

// The rows of an earlier and a later answer stand beside the same gold rows, in whatever order and columns each has.
func TestBefore(t *testing.T) {
	gold := `{"columns":["k","n","m"],"rows":[["a",10,1],["b",20,2],["c",30,3]]}`
	now, was := pairOf(
		table(t, gold),
		table(t, `{"columns":["k","n","m"],"rows":[["c",33,3],["a",10,1]]}`),
	), pairOf(
		table(t, gold),
		table(t, `{"columns":["N","K"],"rows":[[30,"c"],[25,"b"],[10,"a"]]}`),
	)
	now.Pred.SQL, was.Pred.SQL, was.Agent.Response = "select 2", "select 1", "Here it is."
	in := caseview.Input{Case: now, Scores: scored(t, now, "hybrid_ex")}
	earlier := caseview.Input{Case: was, Scores: scored(t, was, "hybrid_ex"), RunID: "r1"}
	v := build(
		t,
		in,
		caseview.Options{Metric: "hybrid_ex", Before: &earlier, Cells: caseview.CellOptions{Show: caseview.All}},
	)
	want := []string{
		"a|=a|=a  10|=10|=10  1|−|=1",
		"c|=c|=c  30|=30|≠33  3|−|=3",
		"b|=b|−  20|≠25|−  2|−|−",
	}
	if diff := cmp.Diff(want, besides(v.Cells.Page)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	b := v.Before
	if b == nil || b.Run != "r1" || b.RawSQL != "select 1" || b.Response != "Here it is." || b.Note != "" ||
		b.Asked == nil ||
		*b.Asked.Passed {
		t.Fatalf("before: %+v", b)
	}
	if b.Rows.Gold != 3 || b.Rows.Matched != 3 || b.Rows.Extra != 0 {
		t.Errorf("rows before: %+v", *b.Rows)
	}
	was.Question = "another one"
	v = build(t, in, caseview.Options{Metric: "hybrid_ex", Before: &earlier})
	if v.Before.Rows != nil || !strings.Contains(v.Before.Note, "has changed") || v.Cells.Page[0].Cells[0].Was != nil {
		t.Errorf("another question: %+v", v.Before)
	}
	was.Question, was.Pred.Result.Table, was.Pred.Error = "", nil, "no column n"
	v = build(t, in, caseview.Options{Metric: "hybrid_ex", Before: &caseview.Input{Case: was}})
	if v.Before.AgentError != "no column n" || v.Before.Rows != nil || v.Before.Asked != nil {
		t.Errorf("a failed query: %+v", v.Before)
	}
}

// A page of some rows has some of each kind, and says how many there are.
func TestSomeRows(t *testing.T) {
	var gold, agent []string
	add := func(n int, g, a string) {
		for range n {
			k := string(rune('A'+len(gold)%26)) + string(rune('a'+len(gold)/26))
			if g != "" {
				gold = append(gold, `["`+k+`",`+g+`]`)
			}
			if a != "" {
				agent = append(agent, `["`+k+`",`+a+`]`)
			}
			if g == "" {
				gold = append(gold, "")
			}
		}
	}
	add(20, "1", "1") // agree
	add(9, "1", "2")  // differ
	add(7, "1", "")   // missing
	add(2, "", "1")   // too many
	var some []string
	for _, g := range gold {
		if g != "" {
			some = append(some, g)
		}
	}
	head := `{"columns":["k","n"],"rows":[`
	c := pairOf(table(t, head+strings.Join(some, ",")+"]}"), table(t, head+strings.Join(agent, ",")+"]}"))
	cells := build(t, caseview.Input{Case: c}, caseview.Options{Cells: caseview.CellOptions{Some: 14}}).Cells
	kinds := map[string]int{}
	last := 0
	for _, r := range cells.Page {
		kind := string(r.Kind)
		if r.Kind == caseview.MatchedRow {
			kind = r.Cells[1].State.String()
		}
		kinds[kind]++
		if r.GoldRow > 0 && r.GoldRow <= last {
			t.Errorf("row %d follows row %d", r.GoldRow, last)
		}
		last = max(r.GoldRow, last)
	}
	// Of 14 rows three of each kind; two are too many in all, so that three are left, which are of those that differ.
	if want := map[string]int{"differs": 6, "missing": 3, "extra": 2, "equal": 3}; !cmp.Equal(kinds, want) ||
		cells.Total != 38 {
		t.Errorf("%v of %d, expected %v of 38", kinds, cells.Total, want)
	}
	if c := cells.Columns[1]; c.Differ != 9 {
		t.Errorf("%d rows differ in the column", c.Differ)
	}
}
