package metric_test

import (
	"context"
	"testing"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// Engines write one length of time in several ways and compare lengths, and so do the drivers that the published
// programs compare values with. Words that only people write stay words, and so does a column with another text.
func TestRowsCompareIntervalsByLength(t *testing.T) {
	column := func(texts ...string) *scoring.Table {
		b := scoring.NewBuilder("wait", scoring.String, len(texts))
		for _, s := range texts {
			if s == "" {
				b.AppendNull()
				continue
			}
			b.Append(scoring.StringValue(s))
		}
		table, err := scoring.NewTable(b.Column())
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		gold, pred []string
		want       float64
	}{
		{[]string{"36:00:00", ""}, []string{"1 day 12:00:00", ""}, 1},
		{[]string{"2 mons"}, []string{"60 days"}, 1},
		{[]string{"-01:30:00"}, []string{"-1 days +22:30:00"}, 1},
		{[]string{"36:00:00"}, []string{"1 day 12:00:01"}, 0},
		{[]string{"1 year 5 days"}, []string{"365 days"}, 0},
		{[]string{"36:00:00", "late"}, []string{"1 day 12:00:00", "late"}, 0},
		{[]string{"36:00:00"}, []string{""}, 0},
	} {
		c := &scoring.Case{ID: "c", Golds: []scoring.Query{{Result: scoring.Result{Table: column(tc.gold...)}}}, Pred: scoring.Query{Result: scoring.Result{Table: column(tc.pred...)}}}
		scores, err := engine.Score(context.Background(), c, "ex_bird", "ex_multiset")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range scores {
			if s.Value != tc.want || s.Status != scoring.StatusOK {
				t.Errorf("%s of %q and %q: %s %v (%s), expected %v", s.Metric, tc.gold, tc.pred, s.Status, s.Value, s.Reason, tc.want)
			}
		}
	}
}
