package batch_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/batch/ledgertest"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

func one(context.Context, *scoring.Input) (scoring.Score, error) { return scoring.OK(1, ""), nil }

func engineOf(t testing.TB, metrics ...scoring.Metric) *scoring.Engine {
	t.Helper()
	for i := range metrics {
		if metrics[i].Version == 0 {
			metrics[i].Version = 1
		}
	}
	e, err := scoring.NewEngine(metrics, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// items is a source in memory. An error in it ends the source there.
type items []batch.Item

func (s items) Cases(ctx context.Context) iter.Seq2[batch.Item, error] {
	return func(yield func(batch.Item, error) bool) {
		for _, item := range s {
			if item.Load == nil {
				yield(batch.Item{}, errcode.New(errcode.Unavailable, "%s", item.Place))
				return
			}
			if ctx.Err() != nil || !yield(item, nil) {
				return
			}
		}
	}
}

// Copies finds those before an error, which reading meets.
func (s items) Copies(ctx context.Context) (map[scoring.AnswerID]batch.Copies, error) {
	found, _ := batch.ReadCopies(ctx, s)
	return found, nil
}

func (s items) Count(context.Context) (int64, error) { return int64(len(s)), nil }

func numbered(n int) items {
	s := make(items, n)
	for i := range s {
		s[i] = batch.ItemOf(&scoring.Case{ID: fmt.Sprintf("q%03d", i), Question: "?"}, fmt.Sprintf("case %d", i+1))
	}
	return s
}

func ids(rows []scoring.Row) []string {
	out := make([]string, len(rows))
	for i := range rows {
		out[i] = rows[i].CaseID
	}
	return out
}

func TestEveryCaseEndsInScores(t *testing.T) {
	e := engineOf(t,
		scoring.Metric{Name: "m", Score: one},
		scoring.Metric{Name: "sql", Needs: scoring.FieldGoldSQL, Score: one},
		scoring.Metric{Name: "breaks", Score: func(context.Context, *scoring.Input) (scoring.Score, error) { panic("defect") }},
		scoring.Metric{Name: "odd_detail", Score: func(context.Context, *scoring.Input) (scoring.Score, error) {
			s := scoring.OK(1, "")
			s.Detail = func() {}
			return s, nil
		}},
	)
	src := numbered(6)
	src[1].Load = func(context.Context) (*scoring.Case, error) {
		return nil, errcode.New(errcode.InvalidArgument, "case 2: torn")
	}
	src[2].Load = func(context.Context) (*scoring.Case, error) { panic("defect") }
	src[3].Load = func(context.Context) (*scoring.Case, error) { return nil, nil }
	src[5].CaseID = "q004"
	l := &ledgertest.Memory{}
	o, err := batch.Runner{Engine: e, Ordered: true}.Run(context.Background(), "r", src, l)
	if err != nil || !o.Complete {
		t.Fatalf("%v, complete %v", err, o.Complete)
	}
	if o.Done != 5 || o.Failed != 5 || o.Scores != 20 || o.Cut != 0 {
		t.Errorf("outcome %+v", o)
	}
	type got struct {
		id, metric string
		status     scoring.Status
		code       errcode.Code
		reason     string
	}
	all := map[got]bool{}
	for _, r := range l.Rows("r") {
		all[got{r.CaseID, r.Score.Metric, r.Score.Status, r.Score.Code, r.Score.Reason}] = true
	}
	for why, want := range map[string]got{
		"a score":                         {"q000", "m", scoring.StatusOK, 0, ""},
		"a metric that does not apply":    {"q000", "sql", scoring.StatusNotApplicable, 0, "no gold SQL given"},
		"a metric that breaks down":       {"q000", "breaks", scoring.StatusFailed, errcode.Internal, "metric breaks panicked on this case; this is a bug in badger"},
		"evidence that JSON cannot hold":  {"q000", "odd_detail", scoring.StatusFailed, errcode.Internal, "the evidence of the score cannot be written as JSON; this is a bug in badger"},
		"a case that cannot be read":      {"q001", "m", scoring.StatusFailed, errcode.InvalidArgument, "case 2: torn"},
		"but what describes the question": {"q001", "sql", scoring.StatusNotApplicable, 0, "no gold SQL given"},
		"the same, of every metric":       {"q001", "odd_detail", scoring.StatusFailed, errcode.InvalidArgument, "case 2: torn"},
		"a reader that breaks down":       {"q002", "m", scoring.StatusFailed, errcode.Internal, "case 3: reading the case panicked; this is a bug in badger"},
		"a reader without a case":         {"q003", "m", scoring.StatusFailed, errcode.NotFound, "case 4: there is no case"},
		"an id that comes twice":          {"q004", "m", scoring.StatusFailed, errcode.AlreadyExists, `case "q004" has 2 rows (case 5, case 6), expected one; none of them is scored`},
	} {
		if !all[want] {
			t.Errorf("%s: no row %+v", why, want)
		}
	}
}

// A resumed run keeps no score that was made from another question, gold or answer, or of an answer that is malformed or
// ambiguous now. What cannot be read for another reason keeps its scores.
func TestChangedCasesAreScoredAgain(t *testing.T) {
	gold := func(sql string) items {
		src := numbered(3)
		for i := range src {
			src[i] = batch.ItemOf(&scoring.Case{ID: src[i].CaseID, Golds: []scoring.Query{{SQL: sql}}}, src[i].Place)
		}
		return src
	}
	first := gold("SELECT 1")
	changed := slices.Clone(first)
	changed[1] = gold("SELECT 2")[1]
	away := slices.Clone(first)
	away[1] = batch.ItemOf(&scoring.Case{ID: away[1].CaseID, Golds: []scoring.Query{{SQL: "SELECT 1", Result: scoring.Result{Ref: "g.csv", Err: errors.New("away")}}}}, away[1].Place)
	answered := func(sql string) items {
		src := slices.Clone(first)
		c := &scoring.Case{ID: src[2].CaseID, Golds: []scoring.Query{{SQL: "SELECT 1"}}, Pred: scoring.Query{SQL: sql}}
		src[2] = batch.ItemOf(c, src[2].Place)
		return src
	}
	lost := slices.Clone(first)
	lost[2] = batch.ItemOf(&scoring.Case{ID: lost[2].CaseID, Golds: []scoring.Query{{SQL: "SELECT 1"}}, Pred: scoring.Query{SQL: "SELECT 3", Result: scoring.Result{Err: errors.New("away")}}}, lost[2].Place)
	both := slices.Clone(first)
	both[2] = batch.ItemOf(&scoring.Case{ID: both[2].CaseID, Golds: []scoring.Query{{SQL: "SELECT 4"}}, Pred: scoring.Query{SQL: "SELECT 4"}}, both[2].Place)
	unread := slices.Clone(first)
	unread[1].Load = func(context.Context) (*scoring.Case, error) { return nil, errors.New("torn") }
	malformed := slices.Clone(first)
	malformed[1].Load = func(context.Context) (*scoring.Case, error) {
		return nil, errcode.New(errcode.InvalidArgument, "malformed")
	}
	twice := append(slices.Clone(first), first[0])
	for _, tc := range []struct {
		why             string
		held            []string // metrics
		before, after   items
		scores, changed int64
		other           int64
		told            []string // that all scores are held
	}{
		{"another answer", []string{"m", "n"}, answered("SELECT 2"), answered("SELECT 3"), 2, 0, 1, []string{"q000", "q001"}},
		{"another answer, some of whose scores are held", []string{"m"}, answered("SELECT 2"), answered("SELECT 3"), 4, 0, 1, nil},
		{"the same answer", []string{"m", "n"}, answered("SELECT 2"), answered("SELECT 2"), 0, 0, 0, []string{"q000", "q001", "q002"}},
		{"another answer and gold", []string{"m", "n"}, answered("SELECT 2"), both, 2, 1, 1, []string{"q000", "q001"}},
		{"an answer whose result cannot be read now", []string{"m", "n"}, answered("SELECT 2"), lost, 0, 0, 0, []string{"q000", "q001", "q002"}},
		{"an answer whose result could not be read before", []string{"m", "n"}, lost, answered("SELECT 2"), 0, 0, 0, []string{"q000", "q001", "q002"}},
		{"nothing changed", []string{"m", "n"}, first, first, 0, 0, 0, []string{"q000", "q001", "q002"}},
		{"one changed, all of whose scores are held", []string{"m", "n"}, first, changed, 2, 1, 0, []string{"q000", "q002"}},
		{"one changed, some of whose scores are held", []string{"m"}, first, changed, 4, 1, 0, nil},
		{"a metric that is not asked for now", []string{"other"}, first, changed, 6, 0, 0, nil},
		{"a gold result that cannot be read now", []string{"m", "n"}, first, away, 0, 0, 0, []string{"q000", "q001", "q002"}},
		{"a case that cannot be read now", []string{"m", "n"}, first, unread, 0, 0, 0, []string{"q000", "q002"}},
		{"a case that could not be read before", []string{"m", "n"}, unread, first, 2, 0, 1, []string{"q000", "q002"}},
		{"a case that is malformed now", []string{"m", "n"}, first, malformed, 2, 0, 1, []string{"q000", "q002"}},
		{"a case that is still malformed", []string{"m", "n"}, malformed, malformed, 0, 0, 0, []string{"q000", "q002"}},
		{"a case with two rows now", []string{"m", "n"}, first, twice, 2, 0, 1, []string{"q001", "q002"}},
		{"a case with two rows before", []string{"m", "n"}, twice, first, 2, 0, 1, []string{"q001", "q002"}},
	} {
		t.Run(tc.why, func(t *testing.T) {
			e := engineOf(t, scoring.Metric{Name: "m", Score: one}, scoring.Metric{Name: "n", Score: one}, scoring.Metric{Name: "other", Score: one})
			l := &ledgertest.Memory{}
			if _, err := (batch.Runner{Engine: e, Metrics: tc.held}).Run(t.Context(), "r", tc.before, l); err != nil {
				t.Fatal(err)
			}
			again := func() (batch.Outcome, []string) {
				var told []string
				o, err := batch.Runner{Engine: e, Metrics: []string{"m", "n"}, Ordered: true, Skipped: func(c *scoring.Case, _ scoring.AnswerID, _ scoring.Spent) {
					if c != nil {
						told = append(told, c.ID)
					}
				}}.Run(t.Context(), "r", tc.after, l)
				if err != nil || !o.Complete {
					t.Fatal(err, o.Complete)
				}
				return o, told
			}
			if o, told := again(); o.Scores != tc.scores || o.Changed != tc.changed || o.Other != tc.other || o.Done+o.Skipped != 3 || !slices.Equal(told, tc.told) {
				t.Errorf("%d scores, %d changed, %d other, %d done, %d held, told of %q; want %d, %d, %d and %q", o.Scores, o.Changed, o.Other, o.Done, o.Skipped, told, tc.scores, tc.changed, tc.other, tc.told)
			}
			if o, _ := again(); o.Scores != 0 || o.Changed != 0 || o.Other != 0 {
				t.Errorf("once more: %d scores, %d changed, want none", o.Scores, o.Changed)
			}
		})
	}
}

func TestWhatIsDoneIsNotReadAgain(t *testing.T) {
	var scored sync.Map
	count := func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
		scored.Store(in.Case.ID, true)
		return scoring.OK(1, ""), nil
	}
	metrics := []scoring.Metric{{Name: "m", Version: 1, Score: count}, {Name: "n", Version: 1, Score: one}}
	l := &ledgertest.Memory{}
	loads := 0
	run := func(src items, r batch.Runner) batch.Outcome {
		t.Helper()
		scored.Clear()
		loads = 0
		src = slices.Clone(src)
		for i := range src {
			load := src[i].Load
			src[i].Load = func(ctx context.Context) (*scoring.Case, error) { loads++; return load(ctx) }
		}
		r.Concurrency = 1
		o, err := r.Run(context.Background(), "r", src, l)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	src := numbered(4)
	run(src, batch.Runner{Engine: engineOf(t, metrics...), Metrics: []string{"n"}})
	if o := run(src, batch.Runner{Engine: engineOf(t, metrics...), Metrics: []string{"n", "n"}}); loads != 0 || o.Skipped != 4 || o.Done != 0 || !o.Complete {
		t.Errorf("all done: %d loads, %+v", loads, o)
	}
	if o := run(src, batch.Runner{Engine: engineOf(t, metrics...)}); loads != 4 || o.Scores != 4 {
		t.Errorf("one more metric: %d loads, %d scores, want 4 and 4: only the new metric", loads, o.Scores)
	}
	metrics[0].Version = 2
	if o := run(src, batch.Runner{Engine: engineOf(t, metrics...)}); o.Scores != 4 {
		t.Errorf("a new version of one metric: %d scores, want 4", o.Scores)
	}
	for i := range src {
		src[i].Version = "2"
	}
	if o := run(src[:2], batch.Runner{Engine: engineOf(t, metrics...)}); o.Scores != 4 {
		t.Errorf("another version of the agent: %d scores, want 4: 2 cases, 2 metrics", o.Scores)
	}
}

func TestFailedScoresAreScoredAgainOnDemand(t *testing.T) {
	down := true
	e := engineOf(t, scoring.Metric{Name: "m", Score: one}, scoring.Metric{Name: "judge", Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
		if down && in.Case.ID == "q001" {
			return scoring.Score{}, errcode.New(errcode.Unavailable, "judge down")
		}
		return scoring.OK(1, ""), nil
	}})
	l := &ledgertest.Memory{}
	for _, step := range []struct {
		why    string
		r      batch.Runner
		scores int64
	}{
		{"first", batch.Runner{Engine: e}, 6},
		{"a failed score is a score", batch.Runner{Engine: e}, 0},
		{"only what failed", batch.Runner{Engine: e, RetryFailed: true}, 1},
		{"nothing failed any more", batch.Runner{Engine: e, RetryFailed: true}, 0},
	} {
		step.r.Concurrency = 1
		o, err := step.r.Run(context.Background(), "r", numbered(3), l)
		if err != nil || o.Scores != step.scores {
			t.Errorf("%s: %d scores, %v; want %d", step.why, o.Scores, err, step.scores)
		}
		down = step.why == "first"
		if step.why == "a failed score is a score" {
			down = false
		}
	}
}

func TestBadMetricsAreErrorsBeforeTheRun(t *testing.T) {
	e := engineOf(t, scoring.Metric{Name: "hybrid_ex", Score: one})
	_, err := batch.Runner{Engine: e, Metrics: []string{"hybrid_x"}}.Run(context.Background(), "r", numbered(1), batch.Discard)
	if errcode.Of(err) != errcode.NotFound || !strings.Contains(err.Error(), "did you mean hybrid_ex") {
		t.Errorf("unknown metric: %v", err)
	}
	if _, err = (batch.Runner{Engine: engineOf(t)}).Run(context.Background(), "r", numbered(1), batch.Discard); errcode.Of(err) != errcode.InvalidArgument {
		t.Errorf("no metrics: %v", err)
	}
}

func TestOrderOfTheSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Cases take the longer the earlier they come within ten, so that they finish out of order.
		e := engineOf(t, scoring.Metric{Name: "m", Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
			time.Sleep(time.Duration('9'-in.Case.ID[3]) * time.Millisecond)
			return scoring.OK(1, ""), nil
		}}, scoring.Metric{Name: "n", Score: one})
		src := numbered(200)
		var want []string
		for i := range src {
			want = append(want, src[i].CaseID, src[i].CaseID)
		}
		for _, concurrency := range []int{1, 7, 64} {
			l := &ledgertest.Memory{}
			if _, err := (batch.Runner{Engine: e, Concurrency: concurrency, BatchSize: 3, Ordered: true}).Run(context.Background(), "r", src, l); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, ids(l.Rows("r"))); diff != "" {
				t.Errorf("concurrency %d (-source +ledger):\n%s", concurrency, diff)
			}
		}
		l := &ledgertest.Memory{}
		if _, err := (batch.Runner{Engine: e, Concurrency: 7}).Run(context.Background(), "r", src, l); err != nil {
			t.Fatal(err)
		}
		if slices.Equal(want, ids(l.Rows("r"))) {
			t.Error("without Ordered the cases must come in another order, or this test shows nothing")
		}
	})
}

// gauge measures how many cases, and bytes, are loaded and not yet stored.
type gauge struct{ now, most, bytes, mostBytes atomic.Int64 }

func (g *gauge) add(n, bytes int64) {
	now, held := g.now.Add(n), g.bytes.Add(bytes)
	for _, m := range []struct {
		most *atomic.Int64
		now  int64
	}{{&g.most, now}, {&g.mostBytes, held}} {
		for old := m.most.Load(); m.now > old && !m.most.CompareAndSwap(old, m.now); old = m.most.Load() {
		}
	}
}

// Where cases take 300 ms and computing takes nothing, 64 at a time are done in a 64th of the time:
// no worker ever waits for another, the window or the ledger.
func TestWorkersNeverWait(t *testing.T) {
	for _, ordered := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			e := engineOf(t, scoring.Metric{Name: "judge", Score: func(context.Context, *scoring.Input) (scoring.Score, error) {
				time.Sleep(300 * time.Millisecond)
				return scoring.OK(1, ""), nil
			}})
			start := time.Now()
			o, err := batch.Runner{Engine: e, Concurrency: 64, Ordered: ordered}.Run(context.Background(), "r", numbered(64*50), slowLedger{batch.Discard})
			if took := time.Since(start); err != nil || o.Done != 64*50 || took > 15*time.Second+200*time.Millisecond {
				t.Errorf("ordered %v: %d cases in %v, %v; want 15 s and the last append", ordered, o.Done, took, err)
			}
		})
	}
}

// slowLedger takes 100 ms for an append, as a warehouse does.
type slowLedger struct{ batch.Ledger }

func (l slowLedger) Append(ctx context.Context, run string, rows []scoring.Row) error {
	time.Sleep(100 * time.Millisecond)
	return l.Ledger.Append(ctx, run, rows)
}

func TestHeldCasesAreBounded(t *testing.T) {
	for _, tc := range []struct {
		why             string
		r               batch.Runner
		bytes           int64
		cases, mostHeld int64
	}{
		{"a window of cases", batch.Runner{Concurrency: 4, Window: 10, BatchSize: 3}, 0, 10, 1 << 40},
		{"a window of cases, in order", batch.Runner{Concurrency: 4, Window: 10, BatchSize: 3, Ordered: true}, 0, 10, 1 << 40},
		{"a batch larger than the window", batch.Runner{Concurrency: 4, Window: 10, BatchSize: 1000, Linger: time.Hour}, 0, 10, 1 << 40},
		{"large cases", batch.Runner{Concurrency: 8, MemoryBytes: 100}, 30, 3, 100},
		{"cases larger than the bound, one at a time", batch.Runner{Concurrency: 8, MemoryBytes: 100}, 1000, 1, 1000},
	} {
		synctest.Test(t, func(t *testing.T) {
			var g gauge
			tc.r.Engine = engineOf(t, scoring.Metric{Name: "m", Score: func(context.Context, *scoring.Input) (scoring.Score, error) {
				time.Sleep(time.Millisecond)
				return scoring.OK(1, ""), nil
			}})
			src := numbered(300)
			for i := range src {
				c, _ := src[i].Load(context.Background())
				src[i].Bytes = tc.bytes
				src[i].Load = func(context.Context) (*scoring.Case, error) { g.add(1, tc.bytes); return c, nil }
			}
			tc.r.Scored = func(*scoring.Case, []scoring.Row) { g.add(-1, -tc.bytes) }
			start := time.Now()
			o, err := tc.r.Run(context.Background(), "r", src, batch.Discard)
			if err != nil || o.Done != 300 {
				t.Fatalf("%s: %v, %d done", tc.why, err, o.Done)
			}
			// The last batch is told one by one after it is stored, hence never fewer than counted.
			if g.most.Load() > tc.cases || g.mostBytes.Load() > tc.mostHeld {
				t.Errorf("%s: %d cases and %d bytes were held, want at most %d and %d", tc.why, g.most.Load(), g.mostBytes.Load(), tc.cases, tc.mostHeld)
			}
			if took := time.Since(start); took > time.Second {
				t.Errorf("%s: took %v of a few hundred ms of work: the run waited although there was work", tc.why, took)
			}
		})
	}
}

// Whoever bounds the memory of the process is told what cases and results may take: at the beginning, while a result
// takes more than all may together, and when it is gone.
func TestMemoryOfARunIsTold(t *testing.T) {
	var told []int64
	e := engineOf(t, scoring.Metric{Name: "m", Score: func(ctx context.Context, _ *scoring.Input) (scoring.Score, error) {
		return scoring.OK(1, ""), account.From(ctx).Hold(ctx, 2<<30)
	}})
	r := batch.Runner{Engine: e, Concurrency: 1, MemoryBytes: 100 << 20, Memory: func(bytes int64) { told = append(told, bytes>>20) }}
	if o, err := r.Run(t.Context(), "r", numbered(1), batch.Discard); err != nil || o.Failed > 0 {
		t.Fatalf("%v, %d failed", err, o.Failed)
	}
	if want := []int64{612, 2148, 612}; !slices.Equal(told, want) {
		t.Errorf("told %v MiB, want %v", told, want)
	}
}

// slow is a metric of one second that obeys its context, counting what began and what ended.
type slow struct{ began, ended atomic.Int64 }

func (s *slow) score(ctx context.Context, _ *scoring.Input) (scoring.Score, error) {
	s.began.Add(1)
	select {
	case <-time.After(time.Second):
		s.ended.Add(1)
		return scoring.OK(1, ""), nil
	case <-ctx.Done():
		return scoring.Score{}, ctx.Err()
	}
}

func TestStoppingInTwoStages(t *testing.T) {
	for _, tc := range []struct {
		why        string
		stop, hard time.Duration // after which it happens; 0: never
		soft       time.Duration
		done, cut  int64
		took       time.Duration
	}{
		{"nothing stops it", 0, 0, 0, 40, 0, 10 * time.Second},
		{"first signal: those in flight finish", 2500 * time.Millisecond, 0, 0, 12, 0, 3 * time.Second},
		{"first signal, and the soft limit passes", 2500 * time.Millisecond, 0, 100 * time.Millisecond, 8, 4, 2600 * time.Millisecond},
		{"first signal, then the second", 2500 * time.Millisecond, 2700 * time.Millisecond, 0, 8, 4, 2700 * time.Millisecond},
		{"the second alone", 0, 2500 * time.Millisecond, 0, 8, 4, 2500 * time.Millisecond},
		{"first signal when all is in flight: the run is complete", 9500 * time.Millisecond, 0, 0, 40, 0, 10 * time.Second},
	} {
		for _, ordered := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				var s slow
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				stop := make(chan struct{})
				if tc.stop > 0 {
					time.AfterFunc(tc.stop, func() { close(stop) })
				}
				if tc.hard > 0 {
					time.AfterFunc(tc.hard, cancel)
				}
				l := &ledgertest.Memory{}
				r := batch.Runner{Engine: engineOf(t, scoring.Metric{Name: "m", Score: s.score}), Concurrency: 4, Stop: stop, SoftLimit: tc.soft, Ordered: ordered}
				start := time.Now()
				o, err := r.Run(ctx, "r", numbered(40), l)
				if took := time.Since(start); took != tc.took {
					t.Errorf("%s: took %v, want %v", tc.why, took, tc.took)
				}
				if o.Done != tc.done || o.Cut != tc.cut || s.began.Load() != tc.done+tc.cut {
					t.Errorf("%s: %d done, %d cut, %d begun; want %d, %d, %d", tc.why, o.Done, o.Cut, s.began.Load(), tc.done, tc.cut, tc.done+tc.cut)
				}
				if n := int64(len(l.Rows("r"))); n != tc.done {
					t.Errorf("%s: %d scores are stored, want those of the %d cases that ran", tc.why, n, tc.done)
				}
				for _, row := range l.Rows("r") {
					if row.Score.Status != scoring.StatusOK {
						t.Errorf("%s: a case that was cut has a score: %+v", tc.why, row.Score)
					}
				}
				if want := tc.done == 40; o.Complete != want || want != (err == nil) || err != nil && errcode.Of(err) != errcode.Cancelled {
					t.Errorf("%s: complete %v, %v", tc.why, o.Complete, err)
				}
				o, err = batch.Runner{Engine: r.Engine}.Run(context.Background(), "r", numbered(40), l)
				if err != nil || !o.Complete || o.Skipped != tc.done || len(l.Rows("r")) != 40 {
					t.Errorf("%s: resumed: %v, %+v, %d scores", tc.why, err, o, len(l.Rows("r")))
				}
			})
		}
	}
}

// deaf is a source that waits for input and does not listen to its context, as reading from a
// terminal does.
type deaf struct {
	items
	input chan struct{}
}

func (s deaf) Cases(ctx context.Context) iter.Seq2[batch.Item, error] {
	return func(yield func(batch.Item, error) bool) {
		for item, err := range s.items.Cases(ctx) {
			if !yield(item, err) {
				return
			}
		}
		<-s.input
		yield(s.items[0], nil)
	}
}

func TestASourceThatDoesNotListenDoesNotHoldAStoppedRun(t *testing.T) {
	for _, hard := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			stop := make(chan struct{})
			time.AfterFunc(10*time.Second, func() {
				if hard {
					cancel()
				} else {
					close(stop)
				}
			})
			src := deaf{numbered(5), make(chan struct{})}
			l := &ledgertest.Memory{}
			start := time.Now()
			o, err := batch.Runner{Engine: engineOf(t, scoring.Metric{Name: "m", Score: one}), Stop: stop}.Run(ctx, "r", src, l)
			if errcode.Of(err) != errcode.Cancelled || o.Done != 5 || len(l.Rows("r")) != 5 || time.Since(start) > 11*time.Second {
				t.Errorf("hard %v: %v after %v, %d done", hard, err, time.Since(start), o.Done)
			}
			close(src.input)
		})
	}
}

// stuck is a ledger that does not answer until its context ends.
type stuck struct{ batch.Ledger }

func (stuck) Append(ctx context.Context, _ string, _ []scoring.Row) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestALedgerThatHangsDoesNotHoldAStoppedRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		start := time.Now()
		r := batch.Runner{Engine: engineOf(t, scoring.Metric{Name: "m", Score: one}), SoftLimit: 5 * time.Second}
		o, err := r.Run(ctx, "r", numbered(200), stuck{batch.Discard})
		if errcode.Of(err) != errcode.DeadlineExceeded || time.Since(start) != 15*time.Second || o.Done != 0 {
			t.Errorf("%v after %v, %d done", err, time.Since(start), o.Done)
		}
	})
}

func TestACaseMayTakeOnlySoLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engineOf(t, scoring.Metric{Name: "m", Score: func(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
			if in.Case.ID == "q001" {
				<-ctx.Done()
			}
			return scoring.OK(1, ""), ctx.Err()
		}})
		l := &ledgertest.Memory{}
		o, err := batch.Runner{Engine: e, CaseLimit: time.Minute, Ordered: true}.Run(context.Background(), "r", numbered(3), l)
		if err != nil || o.Done != 3 || o.Failed != 1 {
			t.Fatalf("%v, %+v", err, o)
		}
		if s := l.Rows("r")[1].Score; s.Status != scoring.StatusFailed || s.Code != errcode.DeadlineExceeded || s.Reason != "the case took longer than 1m0s" {
			t.Errorf("%+v", s)
		}
	})
}

// full is a ledger that has room for some appends.
type full struct {
	ledgertest.Memory
	room int
}

func (f *full) Append(ctx context.Context, run string, rows []scoring.Row) error {
	if f.room--; f.room < 0 {
		return errcode.New(errcode.ResourceExhausted, "the disk is full")
	}
	return f.Memory.Append(ctx, run, rows)
}

func TestALedgerThatFailsEndsTheRun(t *testing.T) {
	var s slow
	synctest.Test(t, func(t *testing.T) {
		l := &full{room: 2}
		claimed := 0
		r := batch.Runner{
			Engine: engineOf(t, scoring.Metric{Name: "m", Score: s.score}), Concurrency: 4, BatchSize: 4,
			Scored: func(_ *scoring.Case, rows []scoring.Row) { claimed += len(rows) },
		}
		start := time.Now()
		o, err := r.Run(context.Background(), "r", numbered(1000), l)
		if errcode.Of(err) != errcode.ResourceExhausted || err.Error() != "storing scores: the disk is full; the run can be resumed" {
			t.Errorf("error %v", err)
		}
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("the run went on for %v, want 3s: what is in flight is cut", took)
		}
		if stored := len(l.Rows("r")); stored != 8 || o.Done != 8 || o.Scores != 8 || claimed != 8 || o.Complete {
			t.Errorf("%d stored; %d done, %d scores, %d told, complete %v; want 8 of each", stored, o.Done, o.Scores, claimed, o.Complete)
		}
	})
}

func TestASourceThatBreaksEndsTheRun(t *testing.T) {
	src := append(numbered(10), batch.Item{Place: "the connection broke"})
	l := &ledgertest.Memory{}
	o, err := batch.Runner{Engine: engineOf(t, scoring.Metric{Name: "m", Score: one})}.Run(context.Background(), "r", src, l)
	if errcode.Of(err) != errcode.Unavailable || err.Error() != "reading cases: the connection broke" {
		t.Errorf("error %v", err)
	}
	if o.Complete || o.Done != 10 || len(l.Rows("r")) != 10 {
		t.Errorf("%+v, %d stored: what came before the error must be stored, and the run is not complete", o, len(l.Rows("r")))
	}
}

type brokenLedger struct{ batch.Ledger }

func (brokenLedger) Held(context.Context, string) iter.Seq2[scoring.Row, error] {
	return func(yield func(scoring.Row, error) bool) {
		yield(scoring.Row{}, errcode.New(errcode.FailedPrecondition, "locked"))
	}
}

func TestALedgerThatCannotBeReadIsAnError(t *testing.T) {
	_, err := batch.Runner{Engine: engineOf(t, scoring.Metric{Name: "m", Score: one})}.Run(context.Background(), "r", numbered(3), brokenLedger{batch.Discard})
	if errcode.Of(err) != errcode.FailedPrecondition {
		t.Errorf("%v, want the ledger's error: scoring everything again would be wrong", err)
	}
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s slow
		var seen []batch.Progress
		src := numbered(100)
		src[3].Load = func(context.Context) (*scoring.Case, error) { return nil, errors.New("x") }
		l := &ledgertest.Memory{}
		e := engineOf(t, scoring.Metric{Name: "m", Score: s.score})
		if _, err := (batch.Runner{Engine: e}).Run(context.Background(), "r", src[80:], l); err != nil {
			t.Fatal(err)
		}
		r := batch.Runner{Engine: e, Concurrency: 1, Progress: func(p batch.Progress) { seen = append(seen, p) }}
		if _, err := r.Run(context.Background(), "r", src, l); err != nil {
			t.Fatal(err)
		}
		for i, p := range seen {
			if p.Total != 100 || i > 0 && (p.Done < seen[i-1].Done || p.Elapsed < seen[i-1].Elapsed) {
				t.Fatalf("event %d: %+v after %+v", i, p, seen[max(i-1, 0)])
			}
		}
		if first := seen[0]; first.Done != 0 || first.ETA >= 0 || first.Elapsed != 200*time.Millisecond {
			t.Errorf("first %+v: nothing is known yet", first)
		}
		// One case a second: after 40 seconds the rate over the last half minute is 1, and the
		// skipped ones are known only at the end.
		for _, p := range seen {
			if p.Elapsed == 40200*time.Millisecond {
				if p.Rate < 0.95 || p.Rate > 1.05 || p.Failed != 1 || p.ETA < 55*time.Second || p.ETA > 65*time.Second {
					t.Errorf("after 40 s: %+v", p)
				}
			}
		}
		last := seen[len(seen)-1]
		if last.Done != 80 || last.Skipped != 20 || last.Failed != 1 || last.ETA != 0 || last.Scores != 80 {
			t.Errorf("last %+v", last)
		}
		if n := len(seen); n < 300 || n > 500 {
			t.Errorf("%d events in 79 s, want about five a second", n)
		}
	})
}

func TestScoresDoNotWaitLongToBeStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var at []time.Duration
		e := engineOf(t, scoring.Metric{Name: "m", Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
			if in.Case.ID != "q000" {
				time.Sleep(time.Hour)
			}
			return scoring.OK(1, ""), nil
		}})
		r := batch.Runner{Engine: e, Concurrency: 2, Linger: 3 * time.Second, Scored: func(*scoring.Case, []scoring.Row) { at = append(at, time.Since(start)) }}
		if _, err := r.Run(context.Background(), "r", numbered(2), batch.Discard); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]time.Duration{3 * time.Second, time.Hour}, at); diff != "" {
			t.Errorf("stored at (-want +got):\n%s", diff)
		}
	})
}

func TestSourceOf(t *testing.T) {
	src := batch.SourceOf(func(context.Context) iter.Seq2[*scoring.Case, error] {
		return func(yield func(*scoring.Case, error) bool) {
			_ = yield(&scoring.Case{ID: "a", Agent: scoring.Agent{Name: "x", Version: "2"}}, nil) && yield(nil, errors.New("gone"))
		}
	})
	var got []string
	for item, err := range src.Cases(context.Background()) {
		got = append(got, fmt.Sprintf("%q %q %s %v", item.CaseID, item.Of(), item.Place, err))
	}
	if diff := cmp.Diff([]string{`"a" "agent x 2" case 1 <nil>`, `"" ""  gone`}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
