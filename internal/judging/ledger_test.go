package judging_test

import (
	"context"
	"errors"
	"iter"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/judging"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/backendtest"
	"github.com/badger-eval/badger/sql/store"
)

// table counts statements, and holds the first ones back until it is let go.
type table struct {
	mu     sync.Mutex
	reads  int
	writes [][]judgebackend.Assessment
	fail   error
	first  chan struct{} // closed when a statement has come
	let    chan struct{}
}

func newTable() *table { return &table{first: make(chan struct{}), let: make(chan struct{})} }

func (f *table) hold() {
	f.mu.Lock()
	first := f.reads+len(f.writes) == 1
	f.mu.Unlock()
	if first {
		close(f.first)
		<-f.let
	}
}

func (f *table) Assessments(_ context.Context, filter store.AssessmentFilter) iter.Seq2[judgebackend.Assessment, error] {
	return func(yield func(judgebackend.Assessment, error) bool) {
		f.mu.Lock()
		f.reads++
		f.mu.Unlock()
		f.hold()
		if f.fail != nil {
			yield(judgebackend.Assessment{}, f.fail)
		}
	}
}

func (f *table) WriteAssessments(_ context.Context, rows ...judgebackend.Assessment) error {
	f.mu.Lock()
	f.writes = append(f.writes, rows)
	f.mu.Unlock()
	f.hold()
	return f.fail
}

// What comes while a statement is on its way goes into the next one.
func TestStatementsAreShared(t *testing.T) {
	for _, tc := range []struct {
		why  string
		ask  func(s judgebackend.Store, n int) error
		done func(f *table) int
	}{
		{"answers that are looked up", func(s judgebackend.Store, n int) error {
			_, _, err := s.Get(context.Background(), backendtest.SampleAssessment(n).RequestHash)
			return err
		}, func(f *table) int { return f.reads }},
		{"answers that are put", func(s judgebackend.Store, n int) error {
			return s.Put(context.Background(), backendtest.SampleAssessment(n))
		}, func(f *table) int { return len(f.writes) }},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newTable()
			s := judging.NewLedger(f, time.Now, nil)
			var wg sync.WaitGroup
			for i := range 65 {
				wg.Go(func() {
					if err := tc.ask(s, i); err != nil {
						t.Error(err)
					}
				})
				synctest.Wait() // the first statement is on its way, the others wait for it
			}
			close(f.let)
			wg.Wait()
			if n := tc.done(f); n != 2 {
				t.Errorf("%s: %d statements for 65 requests, want the first one's and one for all others", tc.why, n)
			}
		})
	}
}

// A failure is told to all who wait for it, and ends nothing.
func TestFailures(t *testing.T) {
	f := newTable()
	close(f.let)
	f.fail = errors.New("the warehouse is asleep")
	s := judging.NewLedger(f, time.Now, nil)
	if _, _, err := s.Get(t.Context(), "h"); !errors.Is(err, f.fail) {
		t.Errorf("reading: %v", err)
	}
	if err := s.Put(t.Context(), backendtest.SampleAssessment(1)); !errors.Is(err, f.fail) {
		t.Errorf("writing: %v", err)
	}
	f.fail = nil
	if _, ok, err := s.Get(t.Context(), "h"); ok || err != nil {
		t.Errorf("after the failure: %v %v", ok, err)
	}
}

// An answer that cannot be written fails alone: it is in no statement with others.
func TestUnwritable(t *testing.T) {
	f := newTable()
	close(f.let)
	a := backendtest.SampleAssessment(1)
	a.LogProbs = []judgebackend.TokenLogProb{{Token: "4", LogProb: math.Inf(-1)}}
	if err := judging.NewLedger(f, time.Now, nil).Put(t.Context(), a); errcode.Of(err) != errcode.Internal || len(f.writes) != 0 {
		t.Errorf("%v after %d statements, want internal and none", err, len(f.writes))
	}
}

// One who gives up does not wait for the warehouse.
func TestGivingUp(t *testing.T) {
	f := newTable()
	s := judging.NewLedger(f, time.Now, nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-f.first; cancel() }()
	if _, _, err := s.Get(ctx, "h"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
	close(f.let)
}
