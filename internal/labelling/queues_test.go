//go:build !no_duckdb && !no_postgres

package labelling_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/labelling"
	"github.com/badger-eval/badger/scoring/agreement"
	"github.com/badger-eval/badger/sql/store"
)

// Whoever passes over an answer in one queue, or takes a label of it back there, says nothing of what
// they said of it elsewhere.
func TestQueuesApart(t *testing.T) {
	onEngines(t, 1, func(t *testing.T, c *clock, of []*labelling.Store) {
		s := of[0]
		queues := map[string]*labelling.Queue{"": {}}
		for _, name := range []string{"a", "b", "c"} {
			queues[name] = queue(t, s, 17, labelling.Plan{Name: name, Annotators: 3})
		}
		for i, tc := range []struct {
			steps string // each QUEUE:VERDICT, or QUEUE:undo
			want  string // what counts of it
		}{
			{"b:fail a:pass a:undo", "fail"},
			{"a:pass b:pass c:skip", "pass"},
			{"a:pass b:fail b:skip", "pass"},
			{"a:fail a:skip", ""},
			{"a:pass a:skip a:undo", "pass"},
			{":fail a:pass a:undo", "fail"},
			{"a:pass :skip", "pass"},
			{"a:pass b:fail", "fail"},
			{"a:pass b:skip b:undo b:undo", "pass"},
			{"a:fail b:pass a:unsure a:undo", "pass"},
			{"a:fail b:pass a:fail a:undo a:undo", "fail"},
			{"a:fail b:pass a:unsure a:undo b:undo", "fail"},
			{"a:fail b:pass a:unsure a:undo b:undo b:undo", "pass"},
			{"a:fail a:unsure b:pass a:undo", "pass"},
			{"a:fail :pass a:unsure a:undo", "pass"},
			{":fail a:pass :unsure :undo", "pass"},
			{"a:fail b:pass c:fail a:skip a:undo", "fail"},
		} {
			caseID := caseIDs(17)[i]
			for j, step := range strings.Fields(tc.steps) {
				c.pass(time.Second)
				name, verdict, _ := strings.Cut(step, ":")
				q, id := queues[name], fmt.Sprintf("s%dx%d", i, j)
				var err error
				if verdict == "undo" && name == "" {
					_, err = s.UndoAnswer(t.Context(), queues["a"].Answer(caseID), "lee", id)
				} else if verdict == "undo" {
					_, err = s.Undo(t.Context(), q, "lee", id)
				} else if l := say(q, id, "lee", caseID, verdict); name == "" {
					_, err = s.Save(t.Context(), nil, l)
				} else {
					_, err = s.Save(t.Context(), q, l)
				}
				if err != nil {
					t.Fatalf("%s, %s: %v", tc.steps, step, err)
				}
			}
			counted := consensus(t, s, caseID)
			mine, err := s.Mine(t.Context(), say(queues[""], "", "lee", caseID, ""))
			if err != nil {
				t.Fatal(err)
			}
			shown := ""
			if mine != nil && mine.Verdict != labelling.Skip {
				shown = mine.Verdict
			}
			var file bytes.Buffer
			if _, err := s.Export(t.Context(), &file, ""); err != nil {
				t.Fatal(err)
			}
			exported := map[string]string{}
			for line := range strings.Lines(file.String()) {
				var of struct {
					CaseID string `json:"case_id"`
					Human  struct {
						Label string `json:"label"`
					} `json:"human"`
				}
				if err := json.Unmarshal([]byte(line), &of); err != nil {
					t.Fatal(err)
				}
				exported[of.CaseID] = of.Human.Label
			}
			if counted != tc.want || shown != tc.want || exported[caseID] != tc.want {
				t.Errorf("%s: the consensus says %q, lee is shown %q, exported is %q, want %q", tc.steps, counted, shown, exported[caseID], tc.want)
			}
		}
	})
}

// consensus is what people say of a case as metrics are measured against it: pass, fail, or "" if they
// are divided or say nothing.
func consensus(t *testing.T, s *labelling.Store, caseID string) string {
	t.Helper()
	table, err := s.Warehouse.Query(t.Context(), "SELECT passes FROM badger.consensus WHERE case_id = '"+caseID+"'")
	if err != nil {
		t.Fatal(err)
	}
	if table.Rows() != 1 {
		return ""
	}
	return map[string]string{"1": "pass", "0": "fail"}[table.Columns[0].Value(0).String()]
}

// A third verdict is taken back by undo like any label, and nothing else is.
func TestUndoDecision(t *testing.T) {
	onEngines(t, 1, func(t *testing.T, c *clock, of []*labelling.Store) {
		s := of[0]
		q := queue(t, s, 2, labelling.Plan{Annotators: 2})
		n := 0
		give := func(who, caseID, verdict string, decides bool) {
			t.Helper()
			n++
			c.pass(time.Second)
			l := say(q, fmt.Sprintf("g%d", n), who, caseID, verdict)
			l.Decides = decides
			save(t, s, q, l)
		}
		says := func(want string) {
			t.Helper()
			rows, err := s.Warehouse.LoggedLabels(t.Context(), store.LabelFilter{Queue: q.ID, Newest: true}, 0)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, l := range rows {
				if l.Verdict != labelling.Withdrawn {
					got = append(got, map[bool]string{true: "!"}[l.Decides]+l.Annotator+" "+l.CaseID+" "+l.Verdict)
				}
			}
			if g := strings.Join(got, ", "); g != want {
				t.Errorf("%s, want %s", g, want)
			}
		}
		for _, caseID := range caseIDs(2) {
			give("kim", caseID, "fail", false)
			give("lee", caseID, "pass", false)
		}
		const votes = "kim c001 fail, lee c001 pass, kim c002 fail, lee c002 pass"
		give("kim", "c001", "pass", true)
		says("kim c001 fail, lee c001 pass, !kim c001 pass, kim c002 fail, lee c002 pass")
		c.pass(time.Second)
		if l, err := s.Undo(t.Context(), q, "kim", "u1"); err != nil || !l.Decides || l.CaseID != "c001" || l.Verdict != labelling.Withdrawn {
			t.Errorf("undo of a third verdict: %+v, %v", l, err)
		}
		says(votes)
		give("sam", "c001", "unsure", true)
		give("sam", "c001", "fail", true)
		give("sam", "c002", "pass", true)
		// Of one case, though the last is of another; then what it was before.
		for i, want := range []string{"unsure", "fail"} {
			for range 2 { // the second time it is the same request sent again
				c.pass(time.Second)
				if l, err := s.UndoDecision(t.Context(), q, "sam", "c001", fmt.Sprintf("d%d", i)); err != nil || l.Verdict != want {
					t.Errorf("%+v, %v", l, err)
				}
			}
		}
		says("kim c001 fail, lee c001 pass, !sam c001 fail, kim c002 fail, lee c002 pass, !sam c002 pass")
	})
}

// A third verdict needs people who differ: as many as are told to the others in a blind queue.
func TestDecisionNeedsConflict(t *testing.T) {
	onEngines(t, 1, func(t *testing.T, c *clock, of []*labelling.Store) {
		s := of[0]
		open := queue(t, s, 3, labelling.Plan{Annotators: 3})
		blind := queue(t, s, 3, labelling.Plan{Annotators: 3, Blind: true})
		for i, tc := range []struct {
			q       *labelling.Queue
			caseID  string
			given   string // verdicts before it
			refused bool
		}{
			{open, "c001", "", true}, {open, "c001", "pass", true}, {open, "c002", "pass pass", true}, {open, "c003", "pass skip", true}, {open, "c003", "pass fail", false},
			{blind, "c001", "pass fail", true}, {blind, "c001", "pass fail pass", false},
		} {
			c.pass(time.Second)
			for j, verdict := range strings.Fields(tc.given) {
				save(t, s, tc.q, say(tc.q, fmt.Sprintf("v%d-%d", i, j), []string{"kim", "lee", "mo"}[j], tc.caseID, verdict))
			}
			l := say(tc.q, fmt.Sprintf("d%d", i), "sam", tc.caseID, "pass")
			l.Decides = true
			_, err := s.Save(t.Context(), tc.q, l)
			if (err != nil) != tc.refused || tc.refused && errcode.Of(err) != errcode.FailedPrecondition {
				t.Errorf("%d: after %q of %s: %v", i, tc.given, tc.caseID, err)
			}
			if l.Queue = ""; err == nil {
				continue
			}
			if _, err := s.Save(t.Context(), nil, l); errcode.Of(err) != errcode.FailedPrecondition {
				t.Errorf("%d: outside of a queue: %v", i, err)
			}
		}
		for _, l := range logged(t, s) {
			if l.Decides && l.ID != "d4" && l.ID != "d6" {
				t.Errorf("written: %+v", l)
			}
		}
	})
}

// What people are called makes no difference to how far they agree. Where three labelled all answers,
// kappa is that of Fleiss.
func TestAgreementHasNoNames(t *testing.T) {
	onEngines(t, 1, func(t *testing.T, c *clock, of []*labelling.Store) {
		s := of[0]
		verdicts := [][]string{
			{"pass", "pass", "pass", "pass", "pass", "fail"},
			{"pass", "fail", "fail", "fail", "pass", "unsure"},
			{"fail", "fail", "fail", "unsure", "pass", "fail"},
		}
		counts := make([][]int, 6)
		for i := range counts {
			counts[i] = make([]int, 3)
			for _, said := range verdicts {
				counts[i][slices.Index(labelling.DefaultOptions, said[i])]++
			}
		}
		want, more := agreement.Fleiss(counts), agreement.PairwiseCases(counts, labelling.KappaWidth, agreement.DefaultLevel).Value-6
		n := 0
		for _, names := range [][]string{{"a", "b", "c"}, {"c", "b", "a"}, {"b", "a", "c"}, {"b", "c", "a"}} {
			q := queue(t, s, 6, labelling.Plan{Annotators: 3})
			for rater, name := range names {
				for i, v := range verdicts[rater] {
					n++
					save(t, s, q, say(q, fmt.Sprintf("n%d", n), name, caseIDs(6)[i], v))
				}
			}
			got, err := s.Agreement(t.Context(), q)
			if err != nil || math.Abs(got.Kappa.Value-want.Value) > 1e-12 || !got.Kappa.Defined || got.Pairs != 18 || len(got.People) != 3 || got.More.Value != more {
				t.Errorf("%q: %+v, %v, want kappa %v and %v more", names, got, err, want.Value, more)
			}
		}
	})
}

// An answer that the warehouse does not hold is given to nobody: there is nothing to look at.
func TestAnswersThatAreGone(t *testing.T) {
	onEngines(t, 1, func(t *testing.T, c *clock, of []*labelling.Store) {
		s := of[0]
		q := queue(t, s, 3, labelling.Plan{})
		other := run
		other.Batch = "tue"
		answer(t, s, other, "c004") // of another batch
		var many []string
		for i := range 1500 {
			many = append(many, fmt.Sprintf("b%d", i))
		}
		for _, cases := range [][]string{{"c003", "c004", "c001", "x"}, append(many, "c003", "c001", "z")} {
			shown, err := s.Shown(t.Context(), q.Answer(""), cases)
			if err != nil || strings.Join(shown, " ") != "c003 c001" {
				t.Errorf("of %d cases %q can be shown, %v", len(cases), shown, err)
			}
		}
		if err := s.Warehouse.Exec(t.Context(), "DELETE FROM badger.agent_runs WHERE case_id IN ('c001', 'c003')"); err != nil {
			t.Fatal(err)
		}
		if got := next(t, s, q, "kim"); got != "c002" {
			t.Errorf("kim is given %q", got)
		}
		if got, err := s.Next(t.Context(), q, "lee"); err != nil || got.Item != nil || !got.Busy || !got.Gone {
			t.Errorf("lee is given %+v, %v", got, err)
		}
		save(t, s, q, say(q, "l", "kim", "c002", "pass"))
		if got, err := s.Next(t.Context(), q, "kim"); err != nil || got.Item != nil || got.Busy || !got.Gone {
			t.Errorf("then kim is given %+v, %v", got, err)
		}
		// A file was scored: there is no such table at all.
		drop := "DROP TABLE badger.agent_runs CASCADE"
		if s.Warehouse.Dialect() == "duckdb" {
			drop = "DROP TABLE badger.agent_runs"
		}
		if err := s.Warehouse.Exec(t.Context(), drop); err != nil {
			t.Fatal(err)
		}
		if shown, err := s.Shown(t.Context(), q.Answer(""), caseIDs(3)); err != nil || shown != nil {
			t.Errorf("without agent_runs %q can be shown, %v", shown, err)
		}
	})
}

// Of third verdicts by several people the newest decides, in the consensus, on the page and in files; one
// that is taken back gives way to the other.
func TestTheNewestThirdVerdictDecides(t *testing.T) {
	onEngines(t, 1, func(t *testing.T, c *clock, of []*labelling.Store) {
		s := of[0]
		for i, tc := range []struct{ steps, want string }{
			{"ada:pass bo:fail", "fail"},
			{"bo:fail ada:pass", "pass"},
			{"ada:pass bo:fail cy:pass bo:fail", "fail"},
			{"ada:pass bo:unsure", ""},
			{"ada:pass bo:fail bo:undo", "pass"},
			{"ada:pass bo:fail ada:undo", "fail"},
			{"ada:pass bo:fail ada:unsure ada:undo", "fail"},
		} {
			q := queue(t, s, 9, labelling.Plan{Name: fmt.Sprint("third ", i), Annotators: 2})
			caseID := caseIDs(9)[i]
			for who, verdict := range map[string]string{"kim": "pass", "lee": "fail"} {
				save(t, s, q, say(q, fmt.Sprintf("v%d%s", i, who), who, caseID, verdict))
			}
			for j, step := range strings.Fields(tc.steps) {
				c.pass(time.Second)
				who, verdict, _ := strings.Cut(step, ":")
				id := fmt.Sprintf("t%dx%d", i, j)
				if verdict == "undo" {
					if _, err := s.UndoDecision(t.Context(), q, who, caseID, id); err != nil {
						t.Fatal(err)
					}
					continue
				}
				l := say(q, id, who, caseID, verdict)
				l.Decides = true
				save(t, s, q, l)
			}
			counted := consensus(t, s, caseID)
			conflicts, err := s.Conflicts(t.Context(), q, "", 1, 9)
			if err != nil || len(conflicts) != 1 || conflicts[0].Decision == nil {
				t.Fatalf("%s: %+v, %v", tc.steps, conflicts, err)
			}
			shown := conflicts[0].Decision.Verdict
			var file bytes.Buffer
			if _, err := s.Export(t.Context(), &file, q.ID); err != nil {
				t.Fatal(err)
			}
			var line struct {
				Human struct {
					Label string `json:"label"`
				} `json:"human"`
			}
			if err := json.Unmarshal(file.Bytes(), &line); err != nil {
				t.Fatal(err)
			}
			if shown = strings.TrimPrefix(shown, "unsure"); counted != tc.want || shown != tc.want || line.Human.Label != tc.want {
				t.Errorf("%s: the consensus says %q, the page %q, the file %q, want %q", tc.steps, counted, shown, line.Human.Label, tc.want)
			}
		}
	})
}

func TestOverviews(t *testing.T) {
	onEngines(t, 1, func(t *testing.T, _ *clock, of []*labelling.Store) {
		s := of[0]
		if got, err := s.Overviews(t.Context()); err != nil || got == nil || len(got) != 0 {
			t.Errorf("without queues: %#v, %v, want an empty list", got, err)
		}
		q := queue(t, s, 3, labelling.Plan{Name: "mine", Blind: true})
		save(t, s, q, say(q, "l", "kim", "c002", "pass"))
		if err := s.Close(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		got, err := s.Overviews(t.Context())
		if err != nil || len(got) != 1 || got[0].Progress == nil {
			t.Fatalf("%+v, %v", got, err)
		}
		if o := got[0]; o.ID != q.ID || o.Name != "mine" || o.Run != q.RunID.ID || o.Cases != 3 || o.Annotators != 1 || !o.Blind || o.Open || *o.Progress != (labelling.Counts{Done: 1, Left: 2}) {
			t.Errorf("%+v with %+v", o, *o.Progress)
		}
		if o := labelling.OverviewOf(q); o.Progress != nil || o.ID != q.ID {
			t.Errorf("without progress: %+v", o)
		}
	})
}
