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

// A value that gives a long column another form asks for the memory of all values before it takes it.
func TestWideningAsksForRoom(t *testing.T) {
	const rows = 100_000 // 800 kB of numbers
	noRoom := errcode.New(errcode.ResourceExhausted, "no room")
	for _, tc := range []struct {
		last  string
		least int64 // bytes for each row
	}{
		{`"a"`, 64},
		{`123456789012345678901234567890`, 48},
		{`1.000000000000000000000000000001`, 48},
	} {
		inline := `{"columns":["a"],"rows":[` + strings.Repeat("[1],", rows) + "[" + tc.last + "]]}"
		list := `[` + strings.Repeat(`{"a":1},`, rows) + `{"a":` + tc.last + `}]`
		for _, text := range []string{inline, list} {
			asked := int64(0)
			grow := func(n int64) error {
				if asked = max(asked, n); n > 4<<20 {
					return noRoom
				}
				return nil
			}
			r := ParseResultTextWithin([]byte(text), grow)
			if errcode.Of(r.Err) != errcode.ResourceExhausted || asked < tc.least*rows {
				t.Errorf("%.10s, %s: asked for %d bytes, want at least %d; %v", text, tc.last, asked, tc.least*rows, r.Err)
			}
			if r := ParseResultTextWithin([]byte(text), func(int64) error { return nil }); r.Err != nil || r.Table.Rows() != rows+1 {
				t.Errorf("%.10s, %s, with room: %v", text, tc.last, r.Err)
			}
		}
	}
}

// A member that comes often in a row is a column each time, of rows that follow too.
func TestMembersOfOneName(t *testing.T) {
	table, err := ParseRecords([]byte(`[{"a":1,"b":2,"a":3,"a":4},{"a":5},{"b":6,"a":7,"a":8}]`), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range table.Columns {
		c := &table.Columns[i]
		row := c.Name
		for r := range table.Rows() {
			row += " " + c.Value(r).String()
		}
		got = append(got, row)
	}
	if want := "a 1 5 7|b 2 NULL 6|a 3 NULL 8|a 4 NULL NULL"; strings.Join(got, "|") != want {
		t.Errorf("got %s, want %s", strings.Join(got, "|"), want)
	}
}
