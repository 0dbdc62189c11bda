package policy

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring/relation"
)

func labelled(name string, class relation.Class, group string, accepted, refused int) []Labelled {
	var out []Labelled
	for i := range accepted + refused {
		out = append(out, Labelled{Relation: name, Class: class, Group: group, Accepted: i < accepted})
	}
	return out
}

// chosen are cases that were built, or chosen by their label.
func chosen(name string, class relation.Class, accepted, refused int) []Labelled {
	out := labelled(name, class, "", accepted, refused)
	for i := range out {
		out[i].Chosen = true
	}
	return out
}

func rowOf(t *testing.T, p Policy, rows []Row, name string) Row {
	t.Helper()
	for _, r := range rows {
		if r.Policy == p && r.Relation == name {
			return r
		}
	}
	t.Fatalf("no row of %s under %s", name, p)
	return Row{}
}

// The expected chances follow from the rule, by hand: a class is believed as priors say, drawn
// towards what the other relations of it showed as if it had been seen 20 times; a relation towards
// its class as if seen as often as the prior's weight.
func TestFit(t *testing.T) {
	for _, tc := range []struct {
		why    string
		policy Policy
		cases  []Labelled
		name   string
		chance float64
		passes bool
	}{
		{"nothing seen: the class alone", Answer, nil, "zero_filled", 0.75, false},
		{"nothing seen, the same data", Answer, nil, "permuted", 0.95, true},
		{"six accepted of six", Answer, append(labelled("zero_filled", relation.Defensible, "a", 5, 0), labelled("zero_filled", relation.Defensible, "b", 1, 0)...), "zero_filled", (0.75*2 + 6) / 8, true},
		{"four of one database", Answer, labelled("zero_filled", relation.Defensible, "a", 4, 0), "zero_filled", (0.75*2 + 4) / 6, false},
		{"five of one database", Answer, labelled("zero_filled", relation.Defensible, "a", 5, 0), "zero_filled", (0.75*2 + 5) / 7, true},
		{"built cases show it, and do not move the chance", Answer, chosen("wide_for_long", relation.Presentational, 2, 0), "wide_for_long", 0.90, true},
		{"one built case is not enough", Answer, chosen("wide_for_long", relation.Presentational, 1, 0), "wide_for_long", 0.90, false},
		{"a built case and one of a database", Answer, append(chosen("wide_for_long", relation.Presentational, 1, 0), labelled("wide_for_long", relation.Presentational, "a", 1, 0)...), "wide_for_long", (0.90*4 + 1) / 5, true},
		{"wrong answers that were chosen speak against it", Answer, append(chosen("zero_filled", relation.Defensible, 0, 3), append(labelled("zero_filled", relation.Defensible, "a", 5, 0), labelled("zero_filled", relation.Defensible, "b", 1, 0)...)...), "zero_filled", (0.75*2 + 6) / 8, false},
		{"a single label bears no reading out", Answer, append(labelled("zero_filled", relation.Defensible, "a", 1, 0), labelled("tie_one", relation.Defensible, "b", 20, 0)...), "zero_filled", ((0.75*20+20)/40*2 + 1) / 3, false},
		{"so does the same data shown otherwise", Answer, nil, "wide_for_long", 0.90, false},
		{"three of six refused", Answer, labelled("zero_filled", relation.Defensible, "a", 3, 3), "zero_filled", (0.75*2 + 3) / 8, false},
		{"others of the class were accepted", Answer, labelled("tie_one", relation.Defensible, "a", 20, 0), "zero_filled", (0.75*20 + 20) / 40, false},
		{"other data never passes, however often it was accepted", Answer, labelled("superset", relation.Difference, "a", 100, 0), "superset", (0.25*8 + 100) / 108, false},
		{"the same data refused by most", Answer, labelled("same", relation.Equivalent, "a", 1, 9), "same", (0.95*4 + 1) / 14, false},
		{"under logic the same data does not pass", Logic, labelled("same", relation.Equivalent, "a", 50, 0), "same", (0.95*4 + 50) / 54, false},
		{"queries without results never pass", Answer, labelled(NoResults, relation.Defensible, "a", 50, 0), NoResults, (0.75*2 + 50) / 52, false},
		{"and say nothing of relations between results", Answer, labelled(NoResults+"/superset", relation.Difference, "a", 50, 0), "superset", 0.25, false},
		{"but the same query does", Logic, labelled(SameQuery, relation.Equivalent, "a", 50, 0), SameQuery, (0.95*4 + 50) / 54, true},
	} {
		r := rowOf(t, tc.policy, Fit(tc.policy, tc.cases), tc.name)
		if math.Abs(r.Chance-tc.chance) > 1e-12 || r.Passes != tc.passes {
			t.Errorf("%s: chance %v passes %v, want %v %v", tc.why, r.Chance, r.Passes, tc.chance, tc.passes)
		}
	}
}

func TestFitCounts(t *testing.T) {
	cases := append(labelled("tie_one", relation.Defensible, "a", 2, 1), labelled("tie_one", relation.Defensible, "b", 1, 0)...)
	if r := rowOf(t, Answer, Fit(Answer, cases), "tie_one"); r.Cases != 4 || r.Accepted != 3 || r.Groups != 2 {
		t.Errorf("%+v, want 3 of 4 from 2 groups", r)
	}
	if n := len(Fit(Answer, nil)); n != len(relation.Kinds())+2 {
		t.Errorf("%d rows, want one for each of %d relations and two that are not between results", n, len(relation.Kinds()))
	}
	if r := rowOf(t, Answer, Fit(Answer, labelled("of_tomorrow", relation.Difference, "a", 1, 0)), "of_tomorrow"); r.Cases != 1 {
		t.Errorf("a relation that is not known here is left out: %+v", r)
	}
}

// A case does not take part in the table that decides it.
func TestHeldOut(t *testing.T) {
	yes, no := true, false
	cases := append(labelled("superset", relation.Difference, "a", 30, 0), labelled("superset", relation.Difference, "b", 0, 1)...)
	cases = append(cases, Labelled{Relation: "same", Class: relation.Equivalent, Group: "b", Accepted: false, Judge: &no, Calls: 2})
	cases[0].Judge, cases[0].Calls = &yes, 1
	out := HeldOut(Answer, cases)
	if o := out[30]; o.Row.Cases != 30 || !o.Guess || o.ByEvidence {
		t.Errorf("b is decided by a: %+v", o)
	}
	if o := out[0]; o.Row.Cases != 1 || o.Guess || !o.Right || o.Calls != 1 {
		t.Errorf("a is decided by b, and by its judge: %+v", o)
	}
	if o := out[1]; o.Right != o.Guess {
		t.Errorf("without a judge the guess counts: %+v", o)
	}
	if o := out[31]; !o.ByEvidence || !o.Right || o.Calls != 0 {
		t.Errorf("what passes by evidence asks nobody: %+v", o)
	}
}

func TestTableText(t *testing.T) {
	table := Join(Fit(Answer, labelled("same", relation.Equivalent, "a", 3, 0)), Fit(Logic, nil))
	text := table.Format()
	back, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if again := back.Format(); !bytes.Equal(again, text) {
		t.Errorf("text, table and text again differ:\n%s\n%s", text, again)
	}
	for _, tc := range []struct{ why, text, says string }{
		{"empty", "", "no rows"},
		{"another header", "policy,relation\n", "line 1: expected the header"},
		{"too few columns", header + "\nanswer\tsame\n", "line 2: 2 columns, expected 10"},
		{"an unknown policy", header + "\nmaybe\tsame\tequivalent\t1\t1\t1\t0\t0\t0.9\tyes\n", "column policy is"},
		{"an unknown class", header + "\nanswer\tsame\tnice\t1\t1\t1\t0\t0\t0.9\tyes\n", "column class is"},
		{"more accepted than cases", header + "\nanswer\tsame\tequivalent\t1\t2\t1\t0\t0\t0.9\tyes\n", "column accepted is"},
		{"a chance above 1", header + "\n# note\n\nanswer\tsame\tequivalent\t1\t1\t1\t0\t0\t1.9\tyes\n", "line 4: column chance is"},
		{"not a number", header + "\nanswer\tsame\tequivalent\t1\t1\t1\t0\t0\tNaN\tyes\n", "column chance is"},
		{"neither yes nor no", header + "\nanswer\tsame\tequivalent\t1\t1\t1\t0\t0\t0.9\tsure\n", "column passes is"},
		{"twice", header + "\nanswer\tsame\tequivalent\t1\t1\t1\t0\t0\t0.9\tyes\nanswer\tsame\tequivalent\t1\t1\t1\t0\t0\t0.9\tno\n", "line 3: duplicate relation same"},
	} {
		if _, err := Parse([]byte(tc.text)); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %q in it", tc.why, err, tc.says)
		}
	}
}

// A table of an earlier version, without chosen cases, is read as one that has none.
func TestParseShortTable(t *testing.T) {
	table, err := Parse([]byte("# made by hand\n" + shortHeader + "\n# of ours\nanswer\tsame\tequivalent\t4\t3\t2\t0.9\tyes\n"))
	if err != nil {
		t.Fatal(err)
	}
	if r, want := table.Rows()[0], (Row{Policy: Answer, Relation: "same", Class: relation.Equivalent, Cases: 4, Accepted: 3, Groups: 2, Chance: 0.9, Passes: true}); r != want {
		t.Errorf("%+v, want %+v", r, want)
	}
	if len(table.Sources) != 1 || table.Sources[0] != "made by hand" {
		t.Errorf("sources %q", table.Sources)
	}
}

// The delivered table knows every relation under both policies, so that no newer relation is
// decided by its class alone unnoticed.
func TestDeliveredTableIsWhole(t *testing.T) {
	for _, p := range Policies() {
		for _, k := range append(relation.Kinds(), relation.Kind{Name: SameQuery, Class: relation.Equivalent}, relation.Kind{Name: NoResults, Class: relation.Defensible}) {
			if r := rowOf(t, p, Default().Rows(), k.Name); r.Class != k.Class {
				t.Errorf("%s under %s has the class %s in the table, %s in the code: make the table anew with badger policy", k.Name, p, r.Class, k.Class)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(header + "\nanswer\tsame\tequivalent\t1\t1\t1\t0\t0\t0.9\tyes\n"))
	f.Add(delivered)
	f.Fuzz(func(t *testing.T, text []byte) {
		table, err := Parse(text)
		if err != nil {
			return
		}
		back, err := Parse(table.Format())
		if err != nil || len(back.Rows()) != len(table.Rows()) {
			t.Errorf("a table that was read cannot be written and read again: %v", err)
		}
	})
}

func TestDisplayName(t *testing.T) {
	for name, want := range map[string]string{
		SameQuery: "Equivalent query", NoResults: "No results to compare", "superset": "Too many rows",
		NoResults + "/or_for_and": "OR instead of AND", "unknown": "unknown",
	} {
		if got := DisplayName(name); got != want {
			t.Errorf("%s is displayed as %q, expected %q", name, got, want)
		}
	}
}
