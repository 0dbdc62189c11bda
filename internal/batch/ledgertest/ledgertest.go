// Package ledgertest tests implementations of [batch.Ledger], and has one in memory.
package ledgertest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Options describe the ledger to test.
type Options struct {
	OneRun bool // it holds a single run and ignores the run's name
}

// Test tests a ledger. open creates empty storage and returns a function that opens a ledger in it. That function is
// called again after each simulated crash, without closing the earlier ledger.
func Test(t *testing.T, o Options, open func(t *testing.T) func(t *testing.T) batch.Ledger) {
	t.Run("EmptyLedgerHoldsNothing", func(t *testing.T) {
		if got := held(t, open(t)(t), "r"); len(got) > 0 {
			t.Errorf("an empty ledger holds %v", got)
		}
	})
	t.Run("RowsComeBack", func(t *testing.T) { rowsComeBack(t, o, open(t)) })
	t.Run("StoringAgainReplaces", func(t *testing.T) { storingAgainReplaces(t, open(t)) })
	t.Run("RemovedRowsAreGone", func(t *testing.T) { removedRowsAreGone(t, o, open(t)) })
	t.Run("KilledAtEveryStep", func(t *testing.T) { killedAtEveryStep(t, open) })
	t.Run("CutAtRandomPoints", func(t *testing.T) { cutAtRandomPoints(t, open) })
}

// held returns the scores of a run, sorted, as "case agent version batch metric metric-version status value passed
// label reason code usage gold answer".
func held(t *testing.T, l batch.Ledger, run string) []string {
	t.Helper()
	var out []string
	for r, err := range l.Held(context.Background(), run) {
		if err != nil {
			t.Fatalf("Held: %v", err)
		}
		out = append(out, entry(&r))
	}
	slices.Sort(out)
	return out
}

func entry(r *scoring.Row) string {
	s := &r.Score
	passed, usage := "-", "-"
	if s.Passed != nil {
		passed = fmt.Sprint(*s.Passed)
	}
	if s.Usage != nil {
		usage = fmt.Sprint(*s.Usage)
	}
	return fmt.Sprintf("%q %q %q %q %s %d %s %v %s %q %q %v %s %s %s", r.CaseID, r.Agent, r.Version, r.Batch, s.Metric,
		s.Version, s.Status, s.Value, passed, s.Label, s.Reason, s.Code, usage, r.GoldHash, r.AnswerHash)
}

func entries(rows []scoring.Row) []string {
	out := make([]string, len(rows))
	for i := range rows {
		out[i] = entry(&rows[i])
	}
	slices.Sort(out)
	return out
}

func row(id, version, metric string, s scoring.Score) scoring.Row {
	s.Metric, s.Version = metric, 1
	return scoring.Row{
		AnswerID: scoring.AnswerID{CaseID: id, By: scoring.By{Agent: "atlas", Version: version, Batch: "b1"}}, Score: s}
}

func rowsComeBack(t *testing.T, o Options, open func(t *testing.T) batch.Ledger) {
	passed := true
	full := scoring.OK(0.25, `1 of 4 rows, "north" differs`)
	full.Passed, full.Label, full.Detail, full.Gold = &passed, "overlap", map[string]any{"n": 1}, 2
	full.Warnings, full.AssessmentIDs = []string{"w"}, []string{"a1", "a2"}
	full.Usage = &scoring.Usage{Calls: 2, TokensIn: 100, TokensOut: -1}
	ofGold := row("q3", "1", "m", scoring.OK(1, ""))
	ofGold.GoldHash, ofGold.AnswerHash = "0f63a9c2d41e77b8", "8d1b6f20c7a95e34"
	rows := []scoring.Row{
		ofGold,
		row("q1", "1", "m", full),
		row("q1", "1", "n", scoring.NotApplicable("no gold SQL given")),
		row("q1", "2", "m", scoring.Abstain("tie")),
		row("q2", "1", "m", scoring.Fail(errcode.New(errcode.Unavailable, "judge down"))),
		row("日本 \"q\"\n\t\\ 🦡 '; --", "1", "m", scoring.OK(1, "ids may hold anything")),
	}
	// no agent known
	rows = append(rows,
		scoring.Row{AnswerID: scoring.AnswerID{CaseID: "q1"},
			Score: scoring.Score{Metric: "m", Version: 1, Status: scoring.StatusOK}})
	next := row("q1", "1", "m", scoring.OK(0.5, "the next batch"))
	next.Batch = "b2"
	rows = append(rows, next)
	l := open(t)
	if err := l.Append(context.Background(), "r", rows[:2]); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(context.Background(), "r", rows[2:]); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(entries(rows), held(t, open(t), "r")); diff != "" {
		t.Errorf("what another process sees (-stored +held):\n%s", diff)
	}
	if !o.OneRun {
		if got := held(t, open(t), "another run"); len(got) > 0 {
			t.Errorf("another run holds %v", got)
		}
	}
}

func storingAgainReplaces(t *testing.T, open func(t *testing.T) batch.Ledger) {
	l := open(t)
	first := []scoring.Row{row("q1", "1", "m", scoring.Fail(errcode.New(errcode.Unavailable, "judge down"))),
		row("q2", "1", "m", scoring.OK(1, ""))}
	again := []scoring.Row{row("q1", "1", "m", scoring.OK(0.5, ""))}
	for _, rows := range [][]scoring.Row{first, again} {
		if err := l.Append(context.Background(), "r", rows); err != nil {
			t.Fatal(err)
		}
	}
	last := map[batch.Key]scoring.Status{}
	n := 0
	for r, err := range open(t).Held(context.Background(), "r") {
		if err != nil {
			t.Fatal(err)
		}
		last[batch.KeyOf(&r)] = r.Score.Status
		n++
	}
	want := map[batch.Key]scoring.Status{batch.KeyOf(&first[0]): scoring.StatusOK,
		batch.KeyOf(&first[1]): scoring.StatusOK}
	if diff := cmp.Diff(want, last); diff != "" {
		t.Errorf("(-want +held):\n%s", diff)
	}
	if n != 2 {
		t.Errorf("%d rows for 2 keys", n)
	}
}

// removedRowsAreGone removes answers with several scores, one that is stored again afterwards, and one that has none.
func removedRowsAreGone(t *testing.T, o Options, open func(t *testing.T) batch.Ledger) {
	ctx := context.Background()
	rows := []scoring.Row{row("q1", "1", "m", scoring.OK(1, "")), row("q1", "1", "n", scoring.OK(1, "")),
		row("q1", "2", "m", scoring.OK(1, "another version")), row("q2", "1", "m", scoring.OK(1, "")),
		row("q'3", "1", "m", scoring.OK(1, ""))}
	for i := range 700 { // more than one statement names
		rows = append(rows, row(fmt.Sprint("many", i), "1", "m", scoring.OK(0, "")))
	}
	l := open(t)
	for range l.Held(ctx, "r") { // a writer may note what there is
	}
	if err := l.Append(ctx, "r", rows); err != nil {
		t.Fatal(err)
	}
	if !o.OneRun {
		if err := l.Append(ctx, "other", rows[:1]); err != nil {
			t.Fatal(err)
		}
	}
	var gone []scoring.AnswerID
	for i := range rows {
		if i != 2 && i != 3 && (i == 0 || rows[i].AnswerID != rows[i-1].AnswerID) {
			gone = append(gone, rows[i].AnswerID)
		}
	}
	never := rows[0].AnswerID
	never.CaseID = "never scored"
	if err := l.Remove(ctx, "r", append(gone, never)); err != nil {
		t.Fatal(err)
	}
	again := row("q'3", "1", "m", scoring.OK(0.5, "again"))
	if err := l.Append(ctx, "r", []scoring.Row{again}); err != nil {
		t.Fatal(err)
	}
	want := []scoring.Row{rows[2], rows[3], again}
	for _, l := range []batch.Ledger{l, open(t)} {
		if diff := cmp.Diff(entries(want), held(t, l, "r")); diff != "" {
			t.Errorf("(-want +held):\n%s", diff)
		}
		if !o.OneRun {
			if diff := cmp.Diff(entries(rows[:1]), held(t, l, "other")); diff != "" {
				t.Errorf("of another run (-want +held):\n%s", diff)
			}
		}
	}
}

// cases is the number of items that source yields: cases of two agent versions, one of them unreadable and one a
// duplicate.
const cases = 23

func source() batch.Source {
	return sourceFunc(func(context.Context) iter.Seq2[batch.Item, error] {
		return func(yield func(batch.Item, error) bool) {
			for i := range cases {
				c := &scoring.Case{ID: fmt.Sprintf("q%02d", i/2), Question: "?",
					Agent: scoring.Agent{Name: "atlas", Version: fmt.Sprint(i % 2), BatchID: "b"}}
				if i == 20 {
					c.ID = "q00"
				}
				item := batch.ItemOf(c, fmt.Sprintf("case %d", i+1))
				if i == 7 {
					item.Load = func(context.Context) (*scoring.Case, error) {
						return nil, errcode.New(errcode.InvalidArgument, "case 8: not readable")
					}
				}
				if !yield(item, nil) {
					return
				}
			}
		}
	})
}

type sourceFunc func(ctx context.Context) iter.Seq2[batch.Item, error]

func (f sourceFunc) Cases(ctx context.Context) iter.Seq2[batch.Item, error] { return f(ctx) }
func (f sourceFunc) Copies(ctx context.Context) (map[scoring.AnswerID]batch.Copies, error) {
	return batch.ReadCopies(ctx, f)
}

func engine(t *testing.T) *scoring.Engine {
	t.Helper()
	score := func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
		return scoring.OK(float64(len(in.Case.ID)), ""), nil
	}
	e, err := scoring.NewEngine([]scoring.Metric{
		{Name: "m", Version: 1, Score: score}, {Name: "n", Version: 3, Score: score},
		{Name: "sql", Version: 1, Needs: scoring.FieldGoldSQL, Score: score},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func want(t *testing.T) []string {
	t.Helper()
	l := &Memory{}
	if _, err := (batch.Runner{Engine: engine(t)}).Run(context.Background(), "r", source(), l); err != nil {
		t.Fatal(err)
	}
	all := held(t, l, "r")
	if len(all) != 3*(cases-1) {
		t.Fatalf("%d scores of an uninterrupted run, want %d", len(all), 3*(cases-1))
	}
	return all
}

var errCrash = errors.New("crash")

// crashing simulates a process that dies in its n-th append: before the rows are stored or right after.
type crashing struct {
	batch.Ledger
	left  int
	after bool
}

func (c *crashing) Append(ctx context.Context, run string, rows []scoring.Row) error {
	if c.left--; c.left >= 0 {
		return c.Ledger.Append(ctx, run, rows)
	}
	if c.after && c.left == -1 {
		if err := c.Ledger.Append(ctx, run, rows); err != nil {
			return err
		}
	}
	return errCrash
}

func killedAtEveryStep(t *testing.T, open func(t *testing.T) func(t *testing.T) batch.Ledger) {
	all := want(t)
	for _, after := range []bool{false, true} {
		for step := range cases - 1 { // one is a duplicate
			reopen := open(t)
			r := batch.Runner{Engine: engine(t), Concurrency: 3, BatchSize: 1, Ordered: step%2 == 0}
			_, err := r.Run(context.Background(), "r", source(), &crashing{reopen(t), step, after})
			if !errors.Is(err, errCrash) {
				t.Fatalf("step %d: %v, want the crash", step, err)
			}
			before := held(t, reopen(t), "r")
			o, err := r.Run(context.Background(), "r", source(), reopen(t))
			if err != nil || !o.Complete {
				t.Fatalf("step %d: resumed: %v, complete %v", step, err, o.Complete)
			}
			if int(o.Scores) != len(all)-len(before) {
				t.Errorf("step %d: %d scores were made after %d of %d: some of them again", step, o.Scores, len(before), len(all))
			}
			if diff := cmp.Diff(all, held(t, reopen(t), "r")); diff != "" {
				t.Fatalf("step %d, after %v (-uninterrupted +resumed):\n%s", step, after, diff)
			}
		}
	}
}

// cutAtRandomPoints cancels the contexts of runs at random cases until one run completes.
func cutAtRandomPoints(t *testing.T, open func(t *testing.T) func(t *testing.T) batch.Ledger) {
	all := want(t)
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		reopen := open(t)
		for complete := false; !complete; {
			ctx, cancel := context.WithCancel(context.Background())
			left := random.IntN(6)
			r := batch.Runner{Engine: engine(t), Concurrency: 1 + random.IntN(4), BatchSize: 1 + random.IntN(3),
				Ordered: random.IntN(2) == 0}
			r.Scored = func(*scoring.Case, []scoring.Row) {
				if left--; left == 0 {
					cancel()
				}
			}
			o, err := r.Run(ctx, "r", source(), reopen(t))
			if complete = o.Complete; !complete && errcode.Of(err) != errcode.Cancelled {
				t.Fatalf("seed %d: %v, want cancelled", seed, err)
			}
			cancel()
		}
		if diff := cmp.Diff(all, held(t, reopen(t), "r")); diff != "" {
			t.Fatalf("seed %d (-uninterrupted +resumed):\n%s", seed, diff)
		}
	}
}
