package site

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/analysis"
)

// The picture has a point for each of two runs, and exists only if both have a share and a cost.
func TestSpendingPicture(t *testing.T) {
	rate := 0.25
	right := &analysis.Change{Rate: &rate, Rated: 40, PassedBefore: 20, PassedAfter: 30}
	costs := &analysis.SpendingChange{Quantities: []analysis.QuantityChange{
		{Name: analysis.QuantityCost, Before: analysis.AmountOf(0.002), After: analysis.AmountOf(0.008)}}}
	tokens := &analysis.SpendingChange{Quantities: []analysis.QuantityChange{
		{Name: analysis.QuantityTokensIn, Before: analysis.AmountOf(2), After: analysis.AmountOf(8)}}}
	for name, tc := range map[string]struct {
		right  *analysis.Change
		change *analysis.SpendingChange
		before string
		want   bool
	}{
		"both": {right, costs, "1.0", true}, "no baseline": {right, costs, "", false}, "no verdict": {nil, costs, "1.0", false},
		"no pair": {&analysis.Change{}, costs, "1.0", false}, "no cost": {right, tokens, "1.0", false}, "no change": {right, nil, "1.0", false},
	} {
		o := &spending{Before: tc.before, Now: "2.0"}
		o.drawn(tc.right, tc.change)
		got := o.Picture()
		if (got != nil) != tc.want {
			t.Errorf("%s: %v", name, got)
		}
		if got == nil {
			continue
		}
		if text := got.Wide.Title; !strings.Contains(text, "cost") || got.Narrow == nil {
			t.Errorf("%s: %+v", name, got.Wide)
		}
		if q := o.of; len(q) != 2 || q[0].quality != 0.5 || q[1].quality != 0.75 || q[0].cost != 0.002 || q[1].cost != 0.008 || q[0].low >= q[0].quality || q[1].high <= q[1].quality || q[0].now {
			t.Errorf("%s: %+v", name, q)
		}
	}
}
