package metric_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// leaving is a context that ends after so many looks at it, and counts them.
type leaving struct {
	context.Context
	done  chan struct{}
	after int64
	looks atomic.Int64
}

func leavingAfter(t *testing.T, looks int64) *leaving {
	return &leaving{Context: t.Context(), done: make(chan struct{}), after: looks}
}

func (l *leaving) Done() <-chan struct{} { return l.done }

func (l *leaving) Err() error {
	if l.looks.Add(1) > l.after {
		return context.Canceled
	}
	return nil
}

// Whatever a comparison is long by, it looks again and again whether its caller is still there, and gives
// up at the first look after the caller has left: at most a few looks follow, of goroutines and of what
// was begun around it.
func TestComparisonsEndWithTheirCaller(t *testing.T) {
	const n = 600
	list := func(form, between string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = strings.ReplaceAll(strings.ReplaceAll(form, "#", fmt.Sprint(i+1)), "%", fmt.Sprint(i))
		}
		return strings.Join(parts, between)
	}
	table := func(rows, columns, seed int) *scoring.Table {
		var b strings.Builder
		b.WriteString(`{"columns":["` + strings.Repeat(`x","`, columns-1) + `x"],"rows":[`)
		for i := range rows {
			if i > 0 {
				b.WriteByte(',')
			}
			for k := range columns {
				fmt.Fprintf(&b, "%c%d", "[,"[min(k, 1)], (i*31+k*17)*seed%9973)
			}
			b.WriteByte(']')
		}
		out, err := scoring.ParseResult([]byte(b.String() + "]}"))
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	sql := func(form string) *scoring.Case {
		return &scoring.Case{Question: "q", Golds: []scoring.Query{{SQL: form}}, Pred: scoring.Query{SQL: strings.Replace(form, "1", "2", 1), Ran: true}}
	}
	tables := func(rows, columns int) *scoring.Case {
		c := sql("SELECT 1")
		c.Golds[0].Result.Table, c.Pred.Result.Table = table(rows, columns, 3), table(rows, columns, 7)
		return c
	}
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	joins, columns := sql("SELECT t0.a FROM t0 "+list("JOIN t# ON t#.id = t%.id", " ")), sql("SELECT "+list("a#", ", ")+" FROM "+list("t#", ", "))
	conditions := sql("SELECT a FROM t WHERE " + list("EXISTS (SELECT 1 FROM t# WHERE a = %)", " AND "))
	computations := map[string]struct {
		metric string
		c      *scoring.Case
		least  int64 // looks of a whole computation
	}{
		"joins, tree_match": {"tree_match", joins, n}, "joins, clause_similarity": {"clause_similarity", joins, n}, "columns, tree_match": {"tree_match", columns, n},
		"columns, exact_match_spider": {"exact_match_spider", columns, n}, "columns, verdict": {"verdict", columns, n}, "conditions, verdict": {"verdict", conditions, n},
		"many columns, hybrid_ex": {"hybrid_ex", tables(8, n), n}, "many columns, relation": {"relation", tables(8, n), n}, "many columns, ex_permuted": {"ex_permuted", tables(8, n), n},
		"many columns of one row, hybrid_ex": {"hybrid_ex", tables(1, n), n}, "many columns of one row, relation": {"relation", tables(1, n), n},
		"many rows, hybrid_ex": {"hybrid_ex", tables(40_000, 2), 10}, "many rows, relation": {"relation", tables(40_000, 2), 50}, "many rows, verdict": {"verdict", tables(40_000, 2), 50},
	}
	for _, name := range sample.Of(slices.Sorted(maps.Keys(computations)), 3) {
		tc := computations[name]
		whole := leavingAfter(t, 1<<60)
		if _, err := engine.Score(whole, tc.c, tc.metric); err != nil {
			t.Fatal(name, err)
		}
		all := whole.looks.Load()
		if all < tc.least {
			t.Errorf("%s: %d looks in all, want at least %d", name, all, tc.least)
		}
		for _, after := range sample.Of([]int64{all / 10, all / 2, all * 9 / 10}, 3) {
			left := leavingAfter(t, after)
			_, err := engine.Score(left, tc.c, tc.metric)
			if more := left.looks.Load() - after; !errors.Is(err, context.Canceled) || more > 64 {
				t.Errorf("%s: %d of %d looks after the caller left, %v", name, more, all, err)
			}
		}
	}
}
