package batch_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/batch/ledgertest"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Whatever part of an answer's identity differs, it is another answer; of equal ones the first is
// scored and each other one says so, under an id of its own, also where the places of the source
// are not unique.
func TestEveryAnswerHasScoresOfItsOwn(t *testing.T) {
	var src items
	add := func(n int, id scoring.AnswerID) {
		for range n {
			c := &scoring.Case{ID: id.CaseID, Agent: scoring.Agent{Name: id.Agent, Version: id.Version, BatchID: id.Batch}}
			src = append(src, batch.ItemOf(c, "a table"))
		}
	}
	different := 0
	for _, id := range []string{"q", "r"} {
		for _, agent := range []string{"", "a"} {
			for _, version := range []string{"", "1"} {
				for _, night := range []string{"", "mon"} {
					add(1, scoring.AnswerID{CaseID: id, By: scoring.By{Agent: agent, Version: version, Batch: night}})
					different++
				}
			}
		}
	}
	single := different - 1                                                 // all but the one that follows
	add(5, scoring.AnswerID{CaseID: "q"})                                   // again
	add(1, scoring.AnswerID{CaseID: "q (a table)"})                         // a real id that looks like a made-up one
	add(2000, scoring.AnswerID{CaseID: "many", By: scoring.By{Agent: "a"}}) // one more
	different, single = different+2, single+1
	l := &ledgertest.Memory{}
	o, err := batch.Runner{Engine: engineOf(t, scoring.Metric{Name: "m", Score: one})}.Run(context.Background(), "r", src, l)
	if err != nil || int(o.Done) != different {
		t.Fatalf("%+v, %v, want %d done", o, err, different)
	}
	keys, ok := map[batch.Key]bool{}, 0
	for _, r := range l.Rows("r") {
		keys[batch.KeyOf(&r)] = true
		if r.Score.Status == scoring.StatusOK {
			ok++
		} else if r.Score.Code != errcode.AlreadyExists {
			t.Errorf("%+v", r)
		}
	}
	if len(keys) != different || ok != single {
		t.Errorf("%d keys, want %d; %d scored, want %d", len(keys), different, ok, single)
	}
}

// What a run held before and what it scores now are told once each, whichever ledgers hold it:
// together they are the whole run.
func TestHeldAndScoredAreTheWholeRun(t *testing.T) {
	e := engineOf(t, scoring.Metric{Name: "m", Score: one}, scoring.Metric{Name: "n", Score: one})
	src := numbered(20)
	whole := &ledgertest.Memory{}
	if _, err := (batch.Runner{Engine: e}).Run(context.Background(), "r", src, whole); err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{0, 1, 7, 39, 40} {
		rows := whole.Rows("r")[:cut]
		a, b := &ledgertest.Memory{}, &ledgertest.Memory{}
		for _, l := range []*ledgertest.Memory{a, b} {
			if err := l.Append(context.Background(), "r", rows); err != nil {
				t.Fatal(err)
			}
		}
		var told, cases []string
		tell := func(_ *scoring.Case, rows []scoring.Row) {
			for _, r := range rows {
				told = append(told, fmt.Sprint(batch.KeyOf(&r)))
			}
		}
		r := batch.Runner{
			Engine: e, BatchSize: 3, Scored: func(c *scoring.Case, rows []scoring.Row) { cases = append(cases, c.ID); tell(c, rows) },
			Held: func(rows []scoring.Row) { tell(nil, rows) }, Skipped: func(c *scoring.Case, _ scoring.AnswerID, _ scoring.Spent) { cases = append(cases, c.ID) },
		}
		o, err := r.Run(context.Background(), "r", src, batch.Tee(a, b))
		if err != nil || o.Done+o.Skipped != 20 || int(o.Skipped) != cut/2 {
			t.Errorf("%d held: %+v, %v", cut, o, err)
		}
		slices.Sort(told)
		slices.Sort(cases)
		if n := len(told); n != 40 || len(slices.Compact(told)) != 40 {
			t.Errorf("%d held: %d scores were told, want each of 40 once", cut, n)
		}
		if n := len(cases); n != 20 || len(slices.Compact(cases)) != 20 {
			t.Errorf("%d held: %d cases were told, want each of 20 once", cut, n)
		}
	}
}
