package scoring_test

import (
	"context"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// A result that ends where tools cut is said to, where gold continues and the query names no such limit.
func TestReasonSaysThatAResultIsCut(t *testing.T) {
	rows := func(n int) scoring.Result {
		b := scoring.NewBuilder("n", scoring.Int64, n)
		for i := range n {
			b.AppendInt(int64(i))
		}
		table, err := scoring.NewTable(b.Column())
		if err != nil {
			t.Fatal(err)
		}
		return scoring.Result{Table: table}
	}
	m := scoring.Metric{Name: "rows", Version: 1, Needs: scoring.FieldGoldResult | scoring.FieldPredResult, Score: func(context.Context, *scoring.Input) (scoring.Score, error) { return scoring.OK(0.5, "half"), nil }}
	for _, tc := range []struct {
		why        string
		gold, pred int
		sql        string
		cut        bool
	}{
		{"a thousand of more", 1234, 1000, "SELECT n FROM t", true},
		{"five hundred of more", 501, 500, "", true},
		{"no usual number", 1234, 999, "", false},
		{"few", 80, 50, "", false},
		{"gold ends there too", 1000, 1000, "", false},
		{"gold has fewer", 900, 1000, "", false},
		{"the query's own limit", 1234, 1000, "SELECT n FROM t LIMIT 1000", false},
		{"another number in the query", 1234, 1000, "SELECT n FROM t WHERE n < 10000", true},
	} {
		c := &scoring.Case{ID: "c", Golds: []scoring.Query{{Result: rows(tc.gold)}}, Pred: scoring.Query{SQL: tc.sql, Result: rows(tc.pred), Ran: true}}
		if s := scoreOne(t, engine(t, nil, m), c); strings.Contains(s.Reason, "was it cut?") != tc.cut {
			t.Errorf("%s: %q", tc.why, s.Reason)
		}
	}
}
