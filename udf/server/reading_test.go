package server

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf"
)

// Long SQL is charged while its row is computed, and no longer: a text that takes more than the memory of
// calls fails its row, and one that fits may come again and again.
func TestLongSQLIsCharged(t *testing.T) {
	length := udf.Function{
		Name: "length", Group: "test", Params: []udf.Param{{Name: "gold_sql", Type: udf.VARCHAR}, {Name: "note", Type: udf.VARCHAR}}, Result: udf.DOUBLE, Doc: "The length of a query.", Version: 1,
		Row: func(_ context.Context, in *udf.Batch, i int, out *udf.Column) error {
			out.Floats[i] = float64(len(in.Args[0].Texts[i]))
			return nil
		},
	}
	c := newCatalogue(t, length)
	s := newAdmission(Limits{Calls: 1, InFlight: 64 << 20, Caller: CallerLimits{Calls: 1, InFlight: 64 << 20}}).of("")
	defer s.end()
	fn, err := c.Function("length")
	if err != nil {
		t.Fatal(err)
	}
	score := func(sql, note string) (float64, bool) {
		in := udf.NewBatch(fn, 2, 1)
		in.Explain = true
		in.Args[0].Texts[0], in.Args[1].Texts[0] = sql, note
		out, err := c.Call(withShare(t.Context(), s), fn, in)
		if err != nil {
			t.Fatal(err)
		}
		if len(in.Problems) > 0 {
			if p := in.Problems[0]; p.Code != errcode.ResourceExhausted || !strings.Contains(p.Reason, "shorter strings") {
				t.Errorf("%+v", p)
			}
			return 0, false
		}
		return out.Floats[0], true
	}
	for range 5 { // what is reserved is returned
		if n, ok := score(strings.Repeat("x", 400<<10), ""); !ok || n != 400<<10 {
			t.Fatal("400 KiB of SQL do not fit into 64 MiB")
		}
	}
	if _, ok := score(strings.Repeat("x", 600<<10), ""); ok {
		t.Error("600 KiB of SQL were read in 64 MiB")
	}
	if _, ok := score("SELECT 1", strings.Repeat("x", 600<<10)); !ok {
		t.Error("a long text that is no SQL was charged as SQL")
	}
}

// A row that cannot have its memory next to what its own call holds ends at once: nobody else's end would
// make room. One that could waits for its turn.
func TestRowThatNeverFitsEndsAtOnce(t *testing.T) {
	for name, tc := range map[string]struct {
		others int64
		wants  int64
		runs   int
		waits  bool
	}{
		"next to its own call":     {0, 41, 1, false}, // the call has 60 of the caller's 100
		"next to another caller's": {110, 31, 2, true},
		"it fits":                  {0, 40, 1, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			a := newAdmission(Limits{Calls: 9, InFlight: 200, Caller: CallerLimits{Calls: 9, InFlight: 100}, Callers: map[string]CallerLimits{"other": {Calls: 9, InFlight: 200}}})
			one := a.of("one")
			if one.Hold(60) != nil || a.of("other").Hold(tc.others) != nil {
				t.Fatal("no room for the calls")
			}
			runs, begun := 0, time.Now()
			var err error
			one.Read(withShare(t.Context(), one), func(ctx context.Context) {
				runs++
				err = account.From(ctx).Hold(ctx, tc.wants)
			})
			if waited := time.Since(begun) > 0; runs != tc.runs || waited != tc.waits || (err == nil) != (name == "it fits") {
				t.Errorf("%s: it ran %d times, want %d; it waited: %t, want %t; %v", name, runs, tc.runs, waited, tc.waits, err)
			}
		})
	}
}

// What a large row or call held is given back when the garbage collector has been through, and not before.
func TestLargeRowsAreCollected(t *testing.T) {
	a := newAdmission(Limits{Calls: 9, InFlight: 1 << 30, Caller: CallerLimits{Calls: 9, InFlight: 1 << 30}})
	collected := []int64{}
	a.collect = func() { collected = append(collected, a.held.Load()) }
	s := a.of("one")
	for _, n := range []int64{1000, garbage - 1, garbage, 3 * garbage} {
		s.Read(withShare(t.Context(), s), func(ctx context.Context) {
			if err := account.From(ctx).Hold(ctx, n); err != nil {
				t.Error(err)
			}
		})
	}
	if err := s.Hold(2 * garbage); err != nil {
		t.Fatal(err)
	}
	s.end()
	if want := []int64{garbage, 3 * garbage, 2 * garbage}; !slices.Equal(collected, want) || a.held.Load() != 0 {
		t.Errorf("collected while %v bytes were held, want %v; %d are held", collected, want, a.held.Load())
	}
}
