package drivertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// testUpsert checks that each key has one row, the last one written, whether the scores of a run are written by one
// writer, by several, repeatedly, or after an interruption.
func (h Harness) testUpsert(t *testing.T) {
	ctx := context.Background()
	w := store.New(connectors.New(h.open(t), h.Dialect))
	if err := w.Install(ctx); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2025, 1, 13, 6, 0, 0, 0, time.UTC)
	// rows returns scores with this value, for each "case metric" in of.
	rows := func(value float64, of ...string) (out []scoring.Row) {
		for _, key := range of {
			id, metric, _ := strings.Cut(key, " ")
			out = append(out, scoring.Row{
				AnswerID: scoring.AnswerID{CaseID: id, By: scoring.By{Agent: "atlas", Version: "1"}},
				Score:    scoring.Score{Metric: metric, Version: 1, Status: scoring.StatusOK, Value: value},
			})
		}
		return out
	}
	writer := func(t *testing.T, run string) *store.ScoreWriter {
		t.Helper()
		s := w.ScoreWriter(run, "h")
		for _, err := range s.Held(ctx) {
			if err != nil {
				t.Fatal(err)
			}
		}
		return s
	}
	write := func(t *testing.T, s *store.ScoreWriter, value float64, of ...string) {
		t.Helper()
		if err := s.Write(ctx, at, rows(value, of...)); err != nil {
			t.Fatal(err)
		}
	}
	want := func(t *testing.T, run string, want ...string) {
		t.Helper()
		var got []string
		for r, err := range w.Scores(ctx, run) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(r.CaseID, " ", r.Score.Metric, " ", r.Score.Value))
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("run %s (-want +held):\n%s", run, diff)
		}
	}
	h.run(t, "two runs side by side", func(t *testing.T) {
		one, other := writer(t, "r1"), writer(t, "r2")
		write(t, one, 1, "a m", "a n")
		write(t, other, 2, "a m", "b m")
		write(t, one, 3, "b m", "b n")
		write(t, other, 4, "c m")
		want(t, "r1", "a m 1", "a n 1", "b m 3", "b n 3")
		want(t, "r2", "a m 2", "b m 2", "c m 4")
	})
	h.run(t, "a rival comes before the first rows", func(t *testing.T) {
		s := writer(t, "r3")
		if err := w.WriteScores(ctx, "r3", "h", at, rows(1, "a m", "b m")); err != nil {
			t.Fatal(err)
		}
		write(t, s, 2, "b m", "c m")
		want(t, "r3", "a m 1", "b m 2", "c m 2")
	})
	h.run(t, "a rival comes between two batches, and its rows are met later", func(t *testing.T) {
		s := writer(t, "r4")
		write(t, s, 1, "a m")
		write(t, writer(t, "r4"), 2, "c m", "d m")
		for i, id := range []string{"b", "c", "d", "e"} {
			write(t, s, float64(3+i), id+" m")
		}
		want(t, "r4", "a m 1", "b m 3", "c m 4", "d m 5", "e m 6")
	})
	h.run(t, "a batch is sent again", func(t *testing.T) {
		s := writer(t, "r5")
		for i := range 3 {
			write(t, s, float64(i), "a m", "a n", "b m")
		}
		write(t, s, 9, "c m")
		want(t, "r5", "a m 2", "a n 2", "b m 2", "c m 9")
	})
	h.run(t, "a batch has a key twice", func(t *testing.T) {
		s := writer(t, "r6")
		batch := slices.Concat(rows(1, "a m", "a n"), rows(2, "a m"), rows(3, "b m", "a n"))
		if err := s.Write(ctx, at, batch); err != nil {
			t.Fatal(err)
		}
		want(t, "r6", "a m 2", "a n 3", "b m 3")
	})
	h.run(t, "resumed: held scores are replaced, others are new", func(t *testing.T) {
		write(t, writer(t, "r7"), 1, "a m", "b m")
		s := writer(t, "r7")
		write(t, s, 2, "c m", "c n")
		write(t, s, 3, "b m", "b n", "d m")
		write(t, s, 4, "e m")
		want(t, "r7", "a m 1", "b m 3", "b n 3", "c m 2", "c n 2", "d m 3", "e m 4")
	})
	h.run(t, "what the run holds was not read", func(t *testing.T) {
		write(t, writer(t, "r8"), 1, "a m")
		unread := w.ScoreWriter("r8", "h")
		for range unread.Held(ctx) {
			break
		}
		write(t, unread, 2, "a m", "b m")
		write(t, w.ScoreWriter("r8", "h"), 3, "b m")
		want(t, "r8", "a m 2", "b m 3")
	})
	h.run(t, "interrupted and sent again", func(t *testing.T) {
		s := writer(t, "r9")
		write(t, s, 1, "a m")
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		if err := s.Write(cancelled, at, rows(2, "b m", "c m")); errcode.Of(err) != errcode.Cancelled {
			t.Fatalf("%v, want cancelled", err)
		}
		want(t, "r9", "a m 1")
		write(t, s, 3, "b m", "c m")
		write(t, s, 4, "d m")
		want(t, "r9", "a m 1", "b m 3", "c m 3", "d m 4")
	})
	h.run(t, "two concurrent attempts of a run", func(t *testing.T) {
		var wg sync.WaitGroup
		var failed sync.Map
		var wanted []string
		for i := range 12 {
			wanted = append(wanted, fmt.Sprintf("c%02d m", i))
		}
		for g := range 2 {
			s := writer(t, "r10")
			wg.Go(func() {
				for i := range wanted {
					key := wanted[i]
					if g == 1 {
						key = wanted[len(wanted)-1-i]
					}
					for try := 0; ; try++ {
						err := s.Write(ctx, at, rows(7, key))
						if err == nil {
							break
						}
						if code := errcode.Of(err); !code.Retryable() || try == 20 {
							failed.Store(key, err)
							return
						}
					}
				}
			})
		}
		wg.Wait()
		failed.Range(func(key, err any) bool {
			t.Errorf("%v: %v", key, err)
			return true
		})
		for i := range wanted {
			wanted[i] += " 7"
		}
		want(t, "r10", wanted...)
	})
}

// marks checks that Add detects whether another client has written rows with the mark's value.
func (h Harness) marks(t *testing.T) {
	ctx := context.Background()
	c := h.open(t)
	to, ok := c.(driver.Adder)
	if !ok {
		t.Skip("this connector adds no rows")
	}
	h.table(t, c, "t", "run text", "k text", "n bigint")
	key := []string{"run", "k"}
	m := driver.Mark{Column: "run", Value: "r", Table: -1, Alone: true}
	add := func(again bool, rows ...[]any) {
		t.Helper()
		r := texts([]string{"run", "k"}, []string{"n"}, rows...)
		defer r.Release()
		if n, err := to.Add(ctx, "t", key, r, again, &m); err != nil || n != int64(len(rows)) {
			t.Fatalf("%d, %v", n, err)
		}
	}
	is := func(want driver.Mark) {
		t.Helper()
		want.Column, want.Value, want.Before = "run", "r", 1
		if m != want {
			t.Errorf("mark %+v, want %+v", m, want)
		}
	}
	if err := c.Exec(ctx, "INSERT INTO t VALUES ('old', 'a', 0)"); err != nil {
		t.Fatal(err)
	}
	add(false, []any{"r", "a", int64(1)}, []any{"r", "b", int64(1)})
	is(driver.Mark{Own: 2, Table: 3, Alone: true})
	if err := c.Exec(ctx, "INSERT INTO t VALUES ('other', 'a', 0)"); err != nil { // not one of the writer's own rows
		t.Fatal(err)
	}
	add(false, []any{"r", "c", int64(1)})
	is(driver.Mark{Own: 3, Table: 5, Alone: true})
	add(true, []any{"r", "c", int64(2)}, []any{"r", "d", int64(2)})
	is(driver.Mark{Own: 4, Table: 6, Alone: true})
	before := m
	broken := &breaking{RecordReader: texts([]string{"run", "k"}, []string{"n"}, []any{"r", "e", int64(1)})}
	defer broken.Release()
	if _, err := to.Add(ctx, "t", key, broken, false, &m); !errors.Is(err, errBroken) || m != before {
		t.Errorf("rows that end in an error: %v, mark %+v, want that error and the mark %+v", err, m, before)
	}
	if err := c.Exec(ctx, "INSERT INTO t VALUES ('r', 'e', 0)"); err != nil {
		t.Fatal(err)
	}
	add(false, []any{"r", "e", int64(3)})
	is(driver.Mark{Own: 5, Table: 7})
	add(false, []any{"r", "f", int64(4)})
	is(driver.Mark{Own: 6, Table: 8})
	got := Show(mustRead(t, c, "SELECT k, n FROM t WHERE run = 'r' ORDER BY k"))
	if want := "\"k\" STRING: \"a\"|\"b\"|\"c\"|\"d\"|\"e\"|\"f\"\n\"n\" INT64: 1|1|2|2|3|4\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
