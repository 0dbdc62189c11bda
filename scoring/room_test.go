package scoring

import (
	"context"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
)

type roomOf struct{ left, held int64 }

func (r *roomOf) Limit() int64 { return 1 << 40 }

func (r *roomOf) Hold(_ context.Context, n int64) error {
	if n > r.left {
		return errcode.New(errcode.ResourceExhausted, "no room")
	}
	r.left -= n
	r.held += n
	return nil
}

// Comparing is charged by the values that a text becomes, not by its bytes: a million rows of one digit
// take as much as a million of twenty.
func TestComparingIsReserved(t *testing.T) {
	compare := &Metric{
		Name: "compare", Version: 1, Group: "test", Summary: "Compares.", Needs: FieldGoldResult | FieldPredResult, Range: "0 to 1",
		Score: func(context.Context, *Input) (Score, error) { return OK(1, "they were compared"), nil },
	}
	engine, err := NewEngine([]Metric{*compare}, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := func(row string, n int) Result {
		table, err := ParseResult([]byte(`{"columns":["a"],"rows":[` + strings.Repeat(row+",", n-1) + row + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		return Result{Table: table}
	}
	columns := func(n int) Result {
		table, err := ParseResult([]byte(`{"columns":["a"` + strings.Repeat(`,"a"`, n-1) + `],"rows":[[1` + strings.Repeat(",1", n-1) + `]]}`))
		if err != nil {
			t.Fatal(err)
		}
		return Result{Table: table}
	}
	for name, tc := range map[string]struct {
		gold, pred  Result
		least, most int64
	}{
		"small":           {rows("[1]", 10), rows("[2]", 10), 0, 0},
		"many rows":       {rows("[1]", 100_000), rows("[2]", 1), 10_000_000, 20_000_000},
		"the other side":  {rows("[1]", 1), rows("[2]", 100_000), 10_000_000, 20_000_000},
		"several kinds":   {rows(`["a"],[1]`, 50_000), rows("[2]", 1), 13_000_000, 25_000_000},
		"a long text":     {rows(`["`+strings.Repeat("1,", 500_000)+`"]`, 1), rows("[2]", 1), 33_000_000, 50_000_000},
		"a long value":    {rows(`[1],["`+strings.Repeat("1,", 500_000)+`"]`, 1), rows("[2]", 1), 33_000_000, 50_000_000},
		"long texts once": {rows(`["`+strings.Repeat("1,", 50_000)+`"]`, 10), rows("[2]", 1), 3_300_000, 5_000_000},
		"many columns":    {columns(50_000), columns(50_000), 2_000_000, 8_000_000},
	} {
		a := &roomOf{left: 1 << 40}
		c := &Case{Golds: []Query{{Result: tc.gold}}, Pred: Query{Ran: true, Result: tc.pred}}
		score := func(a *roomOf) Score {
			scores, err := engine.Score(account.With(t.Context(), a), c, "compare")
			if err != nil {
				t.Fatal(err)
			}
			return scores[0]
		}
		if s := score(a); s.Status != StatusOK || a.held < tc.least || a.held > tc.most {
			t.Errorf("%s: %s %s, %d bytes, want from %d to %d", name, s.Status, s.Reason, a.held, tc.least, tc.most)
		}
		if tc.least > 0 {
			if s := score(&roomOf{left: tc.least - 1}); s.Status != StatusFailed || s.Code != errcode.ResourceExhausted {
				t.Errorf("%s, without room: %s %s", name, s.Status, s.Reason)
			}
		}
	}
}

// A column of several kinds counts the texts and large numbers of its values.
func TestMemoryOfSeveralKinds(t *testing.T) {
	for _, cells := range []string{`[1],["%s"]`, `["%s"],[1]`, `["%s"],[true],["%s"]`} {
		long := strings.Repeat("x", 100_000)
		table, err := ParseResult([]byte(`{"columns":["a"],"rows":[` + strings.ReplaceAll(cells, "%s", long) + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		if n, want := table.MemoryBytes(), int64(100_000*strings.Count(cells, "%s")); n < want || n > want+1000 {
			t.Errorf("%s: %d bytes, want about %d", cells, n, want)
		}
	}
}
