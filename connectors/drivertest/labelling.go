package drivertest

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// labelling checks the statements for queues and labels: written rows are read back, a label that is sent again changes
// nothing, and the latest label of each annotator is used.
func (h Harness) labelling(t *testing.T) {
	ctx := context.Background()
	w := store.New(connectors.New(h.open(t), h.Dialect))
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(w.Install(ctx))
	at := func(seconds int) time.Time {
		return time.Date(2025, 1, 14, 8, 0, 0, 123456000, time.UTC).Add(time.Duration(seconds) * time.Second)
	}
	q := store.Queue{
		ID: "q1", Name: "it's \"odd\" ✓",
		RunID:  scoring.RunID{ID: "r", By: scoring.By{Agent: "atlas", Version: "1", Batch: "mon"}},
		Filter: "mode=failed&run=r", Ordering: "random", Seed: -9007199254740993, Annotators: 2,
		Guideline: "two\nlines", Options: []string{"pass", "fail", "partly"}, Blind: true, CreatedBy: "kim", CreatedAt: at(0),
		Cases: 3,
	}
	other := store.Queue{ID: "q2", Name: "n", RunID: scoring.RunID{ID: "r"}, Ordering: "listed", Annotators: 1,
		Options: []string{"pass", "fail"}, ReasonRequired: true, CreatedAt: at(1), Cases: 1}
	must(w.WriteQueue(ctx, &q, []string{"c2", "c1", "c'3"}))
	must(w.WriteQueue(ctx, &other, []string{"c1"}))
	must(w.CloseQueue(ctx, "q2", at(5)))
	must(w.CloseQueue(ctx, "q2", at(9))) // it is closed already
	other.ClosedAt = at(5)
	all, err := w.Queues(ctx, "")
	must(err)
	if d := cmp.Diff([]store.Queue{other, q}, all); d != "" {
		t.Errorf("queues: %s", d)
	}
	if one, err := w.Queues(ctx, "q1"); err != nil || len(one) != 1 || one[0].ID != "q1" {
		t.Errorf("one queue: %+v, %v", one, err)
	}

	say := func(id string, seconds int, caseID, who, verdict string) store.LoggedLabel {
		return store.LoggedLabel{ID: id, AnswerID: q.Answer(caseID), Annotator: who, Verdict: verdict, At: at(seconds),
			Queue: "q1"}
	}
	first := say("l1", 1, "c1", "kim", "pass")
	first.Note, first.GoldWrong, first.Ambiguous, first.AnswerHash = "a 'note' – ∞", true, true, "0f63"
	labels := []store.LoggedLabel{
		first, say("l2", 2, "c1", "lee", "fail"), say("l3", 3, "c1", "lee", "partly"), say("l4", 4, "c2", "kim", "skip"),
		say("l5", 5, "c2", "lee", "pass"), say("l6", 6, "c'3", "kim", "fail"), say("l7", 7, "c'3", "kim", "withdrawn"),
	}
	for i := range labels {
		must(w.AddLabel(ctx, &labels[i]))
	}
	again := first
	again.Verdict, again.At = "fail", at(99)
	must(w.AddLabel(ctx, &again))
	outside := store.LoggedLabel{ID: "l8", AnswerID: q.Answer("c1"), Annotator: "mo", Verdict: "fail", At: at(8)}
	must(w.AddLabel(ctx, &outside))
	read := func(f store.LabelFilter, want ...store.LoggedLabel) {
		t.Helper()
		got, err := w.LoggedLabels(ctx, f, 0)
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%+v: %v %s", f, err, d)
		}
	}
	read(store.LabelFilter{ID: "l1"}, first)
	read(store.LabelFilter{Queue: "q1", Cases: []string{"c1", "none"}, Newest: true}, first, labels[2])
	read(store.LabelFilter{Annotator: "kim", NewestFirst: true}, labels[6], labels[5], labels[3], first)
	read(store.LabelFilter{Cases: []string{"c1"}, By: scoring.By{Agent: "atlas", Version: "1", Batch: "mon"},
		OfAnswer: true}, first, labels[1], labels[2], outside)
	read(store.LabelFilter{Cases: []string{"c1"}, OfAnswer: true})

	items, err := w.QueueItems(ctx, store.ItemFilter{Queue: "q1", Me: "kim", From: 1})
	must(err)
	if d := cmp.Diff([]store.QueueItem{
		{Position: 1, CaseID: "c2", Done: 1, Skipped: 1, Mine: store.Skipped},
		{Position: 2, CaseID: "c1", Done: 2, Differ: true, Mine: store.Answered}, {Position: 3, CaseID: "c'3"},
	}, items); d != "" {
		t.Errorf("items: %s", d)
	}
	for _, tc := range []struct {
		f    store.ItemFilter
		want string
	}{
		{store.ItemFilter{From: 2, To: 2}, "c1"}, {store.ItemFilter{Case: "c'3"}, "c'3"}, {store.ItemFilter{Open: 2}, "c'3"},
		{store.ItemFilter{Open: 1}, "c'3"},
		{store.ItemFilter{Conflict: 2}, "c1"}, {store.ItemFilter{Conflict: 3}, ""}, {store.ItemFilter{Limit: 1}, "c2"},
		{store.ItemFilter{Limit: 1, Descending: true}, "c'3"},
	} {
		tc.f.Queue, tc.f.Me = "q1", "kim"
		found, err := w.QueueItems(ctx, tc.f)
		got := ""
		for _, i := range found {
			got += i.CaseID
		}
		if err != nil || got != tc.want {
			t.Errorf("%+v: %q, %v, want %q", tc.f, got, err, tc.want)
		}
	}
	if p, err := w.QueueProgress(ctx, &q, "kim"); err != nil ||
		p != (store.QueueProgress{Cases: 3, Done: 1, Skipped: 1, Conflicting: 1, Mine: 1, MySkipped: 1, MyLeft: 1}) {
		t.Errorf("progress: %+v, %v", p, err)
	}
	if pairs, err := w.LabelPairs(ctx, "q1"); err != nil || len(pairs) != 1 ||
		pairs[0] != (store.LabelPair{One: "kim", Says: "pass", Other: "lee", OtherSays: "partly", Count: 1}) {
		t.Errorf("pairs: %+v, %v", pairs, err)
	}

	passed, failed := true, false
	must(w.WriteScores(ctx, "r", "h", at(0), []scoring.Row{
		{AnswerID: q.Answer("c1"), Score: scoring.Score{Metric: "a", Status: scoring.StatusOK, Value: 1, Passed: &passed}},
		{AnswerID: q.Answer("c1"),
			Score: scoring.Score{Metric: "b", Status: scoring.StatusOK, Value: 0.25, Passed: &failed,
				Usage: &scoring.Usage{Calls: 1}}},
		{AnswerID: q.Answer("c1"), Score: scoring.Score{Metric: "relation", Status: scoring.StatusOK, Label: "rounding"}},
		{AnswerID: q.Answer("c2"),
			Score: scoring.Score{Metric: "b", Status: scoring.StatusAbstained, Usage: &scoring.Usage{Calls: 1}}},
	}))
	signals, err := w.CaseSignals(ctx, scoring.RunID{ID: "r", By: q.By})
	if d := cmp.Diff(
		[]store.CaseSignal{{CaseID: "c1", Passes: 1, Fails: 1, Unsure: 0.5, Relation: "rounding"}, {CaseID: "c2", Unsure: 1}},
		signals); err != nil || d != "" {
		t.Errorf("signals: %v %s", err, d)
	}

	// Readers of labels include the log. Only answers in agent_runs count as answered, and that table need
	// not exist.
	must(w.WriteCases(ctx, "v1",
		[]*scoring.Case{
			{ID: "c1", Question: "?", Agent: scoring.Agent{Name: "atlas", Version: "1", BatchID: "mon", Response: "r"}}}))
	votes, err := w.Votes(ctx)
	must(err)
	var said []string
	for _, v := range votes {
		said = append(said, v.CaseID+" "+v.Annotator+" "+map[int]string{1: "pass", -1: "fail", 0: "unsure"}[v.Says])
	}
	slices.Sort(said)
	if d := cmp.Diff([]string{"c1 kim pass", "c1 lee unsure", "c1 mo fail", "c2 lee pass"}, said); d != "" {
		t.Errorf("votes: %s", d)
	}

	if h.Dialect.NoClaims {
		return
	}
	h.run(t, "leases", func(t *testing.T) {
		if _, err := w.Claim(ctx, "label:kim", at(0), at(60), "label:q1:1:0", "label:q1:2:0"); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Claim(ctx, "label:lee", at(0), at(60), "label:q11:1:0"); err != nil {
			t.Fatal(err)
		}
		must(w.RenewLeases(ctx, "label:kim", at(120), "label:q1:2:0"))
		must(w.RenewLeases(ctx, "label:lee", at(120), "label:q1:1:0")) // kim holds it
		leases, err := w.Leases(ctx, "label:q1:", at(90))
		if d := cmp.Diff([]store.Lease{{Key: "label:q1:2:0", Owner: "label:kim"}}, leases); err != nil || d != "" {
			t.Errorf("leases: %v %s", err, d)
		}
	})
	h.run(t, "sent at the same time", func(t *testing.T) {
		twice := say("l9", 9, "c2", "mo", "pass")
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if err := w.AddLabel(ctx, &twice); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		read(store.LabelFilter{ID: "l9"}, twice)
	})
}
