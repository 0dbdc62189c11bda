package policy

import (
	"slices"

	"github.com/badger-eval/badger/scoring/relation"
)

// Outcome is the verdict on a case by a table that was fitted without the cases of its group.
type Outcome struct {
	Row        Row
	Right      bool // the verdict: right if the row passes, else the judge's, else Guess
	ByEvidence bool
	Guess      bool // the verdict if no judge is available
	Calls      int  // number of judge calls
}

// HeldOut returns the verdict on every case by a table fitted to the cases of all other groups. This measures a table
// on databases that it was not fitted to.
func HeldOut(p Policy, cases []Labelled) []Outcome {
	out := make([]Outcome, len(cases))
	tables := map[string]*Table{}
	for i, c := range cases {
		t := tables[c.Group]
		if t == nil {
			others := slices.DeleteFunc(slices.Clone(cases), func(o Labelled) bool { return o.Group == c.Group })
			t = Join(Fit(p, others))
			tables[c.Group] = t
		}
		row := t.Row(p, relation.Relation{Name: c.Relation, Class: c.Class})
		o := Outcome{Row: row, ByEvidence: row.Passes, Guess: row.Passes || row.Chance > 0.5}
		switch {
		case row.Passes:
			o.Right = true
		case c.First != nil && *c.First && row.Chance >= AcceptFrom: // the first reply suffices, as in the metric verdict
			o.Right, o.Calls = true, 1
		case c.Judge != nil:
			o.Right, o.Calls = *c.Judge, c.Calls
		default:
			o.Right = o.Guess
		}
		out[i] = o
	}
	return out
}
