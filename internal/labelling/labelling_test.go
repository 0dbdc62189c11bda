//go:build !no_duckdb && !no_postgres

package labelling_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/labelling"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

func TestTwoPeopleOneQueue(t *testing.T) {
	onEngines(t, 2, func(t *testing.T, c *clock, of []*labelling.Store) {
		a, b := of[0], of[1]
		q := queue(t, a, 3, labelling.Plan{})
		if got := next(t, a, q, "kim"); got != "c001" {
			t.Fatalf("kim is given %q first", got)
		}
		if got := next(t, b, q, "lee"); got != "c002" {
			t.Errorf("lee is given %q while kim has c001", got)
		}
		if got := next(t, a, q, "kim"); got != "c001" {
			t.Errorf("kim comes back and is given %q, want what she has not answered", got)
		}
		if got := next(t, a, q, "kim", "c001"); got != "c003" {
			t.Errorf("kim looks ahead and is given %q", got)
		}
		if got, err := b.Next(t.Context(), q, "mo"); err != nil || got.Item != nil || !got.Busy {
			t.Errorf("mo is given %+v, %v while others have everything", got, err)
		}
		c.pass(labelling.DefaultLease / 2)
		item, err := b.Item(t.Context(), q, "lee", "c002")
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Open(t.Context(), q, item, "lee"); err != nil { // renews
			t.Fatal(err)
		}
		c.pass(labelling.DefaultLease/2 + time.Second)
		if got := next(t, b, q, "mo"); got != "c001" {
			t.Errorf("after kim's lease has ended, mo is given %q", got)
		}
		if got := next(t, b, q, "mo", "c001"); got != "c003" {
			t.Errorf("mo is given %q beside c001; lee renewed c002", got)
		}
		// Kim comes back, and what she says is kept although mo has the case.
		save(t, a, q, say(q, "k1", "kim", "c001", "pass"))
		save(t, a, q, say(q, "m1", "mo", "c001", "fail"))
		p, err := a.Progress(t.Context(), q, "lee")
		want := store.QueueProgress{Cases: 3, Done: 1, Conflicting: 1, MyLeft: 2}
		if err != nil || p.QueueProgress != want || p.Left != 2 {
			t.Errorf("progress: %+v, %v", p, err)
		}
	})
}

// Kim has the answer, lee answered it and left. Whoever takes the free place for a moment, before they
// see that nobody else is wanted, does not cost kim theirs.
func TestLeaseOutlivesAttempts(t *testing.T) {
	onEngines(t, 1, func(t *testing.T, c *clock, of []*labelling.Store) {
		s := of[0]
		q := queue(t, s, 1, labelling.Plan{Annotators: 2})
		for _, who := range []string{"kim", "lee"} {
			if got := next(t, s, q, who); got != "c001" {
				t.Fatalf("%s is given %q", who, got)
			}
		}
		save(t, s, q, say(q, "lee-1", "lee", "c001", "pass"))
		got, err := s.Warehouse.Claim(t.Context(), "label:mo", c.now(), c.now().Add(labelling.DefaultLease), "label:"+q.ID+":1:1")
		if err != nil || len(got) != 1 {
			t.Fatal(got, err)
		}
		item, err := s.Item(t.Context(), q, "kim", "c001")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Open(t.Context(), q, item, "kim"); err != nil {
			t.Fatal(err)
		}
		if err := s.Warehouse.ReleaseClaims(t.Context(), "label:mo", got...); err != nil {
			t.Fatal(err)
		}
		if got := next(t, s, q, "mo"); got != "" {
			t.Errorf("mo is given %s, which kim has and lee answered", got)
		}
		if got := next(t, s, q, "kim"); got != "c001" {
			t.Errorf("kim, who has c001, is given %q", got)
		}
	})
}

func TestSavedOnce(t *testing.T) {
	onEngines(t, 2, func(t *testing.T, c *clock, of []*labelling.Store) {
		q := queue(t, of[0], 2, labelling.Plan{Annotators: 2})
		l := say(q, "id-1", "kim", "c001", "fail")
		l.Note, l.GoldWrong, l.Ambiguous = "  the alias; it's \"odd\" \u202e ", true, true
		first := save(t, of[0], q, l)
		c.pass(time.Minute)
		second := save(t, of[1], q, l)
		if d := cmp.Diff(first, second); d != "" || first.Note != "the alias; it's \"odd\" \u202e" || !first.At.Equal(newClock().at) {
			t.Errorf("sent again: %s\n%+v", d, first)
		}
		l.Verdict = "pass"
		if _, err := of[1].Save(t.Context(), q, l); errcode.Of(err) != errcode.AlreadyExists {
			t.Errorf("another label under the same id: %v", err)
		}
		l.Annotator, l.Verdict = "lee", "fail"
		if _, err := of[1].Save(t.Context(), q, l); errcode.Of(err) != errcode.AlreadyExists {
			t.Errorf("another person's label under the same id: %v", err)
		}
		if rows := logged(t, of[0]); len(rows) != 1 || rows[0] != first {
			t.Errorf("the log holds %+v", rows)
		}
		// Whoever says two things says the later one, also where the second server's clock is behind.
		c.pass(-time.Hour)
		changed := save(t, of[1], q, say(q, "id-2", "kim", "c001", "pass"))
		if !changed.At.After(first.At) {
			t.Errorf("the change is of %s, the label before it of %s", changed.At, first.At)
		}
		mine, err := of[0].Mine(t.Context(), l)
		if err != nil || mine != nil {
			t.Errorf("lee's label: %+v, %v", mine, err)
		}
		if mine, err = of[0].Mine(t.Context(), changed); err != nil || mine == nil || *mine != changed {
			t.Errorf("kim's label: %+v, %v", mine, err)
		}
	})
}

func TestUndo(t *testing.T) {
	onEngines(t, 1, func(t *testing.T, c *clock, of []*labelling.Store) {
		s := of[0]
		q := queue(t, s, 2, labelling.Plan{})
		if _, err := s.Undo(t.Context(), q, "kim", "u0"); errcode.Of(err) != errcode.NotFound {
			t.Errorf("undo of nothing: %v", err)
		}
		steps := []struct{ do, want string }{
			{"c001 pass", "c001 pass"},
			{"c002 fail", "c001 pass, c002 fail"},
			{"c002 unsure", "c001 pass, c002 unsure"},
			{"undo", "c001 pass, c002 fail"},
			{"undo", "c001 pass, c002 unsure"},
			{"c001 fail", "c001 fail, c002 unsure"},
			{"undo", "c001 pass, c002 unsure"},
			{"c002 skip", "c001 pass, c002 skip"},
			{"undo", "c001 pass, c002 unsure"},
		}
		for i, step := range steps {
			c.pass(time.Second)
			id := fmt.Sprintf("s%d", i)
			if step.do == "undo" {
				for range 2 { // the second time it is the same request sent again
					if _, err := s.Undo(t.Context(), q, "kim", id); err != nil {
						t.Fatal(err)
					}
				}
			} else {
				caseID, verdict, _ := strings.Cut(step.do, " ")
				save(t, s, q, say(q, id, "kim", caseID, verdict))
			}
			newest, err := s.Warehouse.LoggedLabels(t.Context(), store.LabelFilter{Queue: q.ID, Newest: true}, 0)
			if err != nil {
				t.Fatal(err)
			}
			var says []string
			for _, l := range newest {
				says = append(says, l.CaseID+" "+l.Verdict)
			}
			if got := strings.Join(says, ", "); got != step.want {
				t.Errorf("after %d %s: %s, want %s", i, step.do, got, step.want)
			}
		}
	})
	onEngines(t, 1, func(t *testing.T, _ *clock, of []*labelling.Store) {
		s := of[0]
		q := queue(t, s, 1, labelling.Plan{})
		save(t, s, q, say(q, "only", "kim", "c001", "pass"))
		if got := next(t, s, q, "kim"); got != "" {
			t.Errorf("kim is given %q, which she answered", got)
		}
		if l, err := s.Undo(t.Context(), q, "kim", "u1"); err != nil || l.Verdict != labelling.Withdrawn {
			t.Errorf("undo of the only label: %+v, %v", l, err)
		}
		if got := next(t, s, q, "kim"); got != "c001" {
			t.Errorf("after undoing it kim is given %q", got)
		}
	})
}

// TestUndoVisit holds that what was said on one visit of a page, a verdict and then its note, is taken
// back as one, in a queue and outside of queues.
func TestUndoVisit(t *testing.T) {
	onEngines(t, 1, func(t *testing.T, _ *clock, of []*labelling.Store) {
		s := of[0]
		q := queue(t, s, 2, labelling.Plan{})
		for name, in := range map[string]*labelling.Queue{"queue": q, "outside": nil} {
			put := func(id, verdict, note string) {
				t.Helper()
				l := say(q, id, "kim", "c001", verdict)
				l.Note = note
				if in == nil {
					l.Queue = ""
				}
				if _, err := s.Save(t.Context(), in, l); err != nil {
					t.Fatal(err)
				}
			}
			undo := func(id, verdict, note string) {
				t.Helper()
				var got labelling.Label
				var err error
				if in == nil {
					got, err = s.UndoAnswer(t.Context(), q.Answer("c001"), "kim", id)
				} else {
					got, err = s.Undo(t.Context(), q, "kim", id)
				}
				if err != nil || got.Verdict != verdict || got.Note != note {
					t.Errorf("%s: undo is %s %q, %v, want %s %q", name, got.Verdict, got.Note, err, verdict, note)
				}
			}
			if in == nil {
				if _, err := s.UndoAnswer(t.Context(), q.Answer("c001"), "kim", "nothing"); errcode.Of(err) != errcode.NotFound {
					t.Errorf("undoing nothing: %v", err)
				}
			}
			put(name+"1-a", "pass", "")
			put(name+"1-b", "pass", "first")
			put(name+"2-a", "fail", "")
			put(name+"2-b", "fail", "second")
			undo(name+"u1", "pass", "first")
			undo(name+"u1", "pass", "first") // sent again
			undo(name+"u2", "fail", "second")
		}
		l := say(q, "long", "kim", "c002", "pass")
		l.Note = strings.Repeat("ж", 10_000)
		save(t, s, q, l)
		l.ID, l.Note = "longer", l.Note+"ж"
		if _, err := s.Save(t.Context(), q, l); errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), "10001 characters") {
			t.Errorf("a note of 10001 characters: %v", err)
		}
	})
}

func TestProgressAndConflicts(t *testing.T) {
	for _, blind := range []bool{false, true} {
		onEngines(t, 1, func(t *testing.T, c *clock, of []*labelling.Store) {
			s := of[0]
			q := queue(t, s, 6, labelling.Plan{Annotators: 3, Blind: blind})
			for i, l := range []struct{ who, caseID, verdict string }{
				{"kim", "c001", "pass"}, {"lee", "c001", "pass"}, {"mo", "c001", "pass"},
				{"kim", "c002", "fail"}, {"kim", "c002", "pass"}, {"lee", "c002", "fail"}, {"mo", "c002", "pass"},
				{"kim", "c003", "pass"}, {"lee", "c003", "unsure"},
				{"kim", "c004", "skip"}, {"lee", "c004", "pass"},
				{"kim", "c005", "pass"}, {"lee", "c005", "fail"}, {"lee", "c005", "withdrawn"},
			} {
				c.pass(time.Minute)
				save(t, s, q, say(q, fmt.Sprintf("l%d", i), l.who, l.caseID, l.verdict))
			}
			check := func(want store.QueueProgress) {
				t.Helper()
				if p, err := s.Progress(t.Context(), q, "kim"); err != nil || p.QueueProgress != want || p.Left != want.Cases-want.Done {
					t.Errorf("blind %v: progress %+v, %v, want %+v", blind, p, err, want)
				}
			}
			check(store.QueueProgress{Cases: 6, Done: 2, Skipped: 1, Conflicting: 2, Mine: 4, MySkipped: 1, MyLeft: 1})
			shown := func() (out []string) {
				t.Helper()
				conflicts, err := s.Conflicts(t.Context(), q, "kim", 1, 100)
				if err != nil {
					t.Fatal(err)
				}
				for _, x := range conflicts {
					line := x.CaseID
					for _, l := range x.Labels {
						line += " " + l.Annotator + ":" + l.Verdict
					}
					if x.Decision != nil {
						line += " = " + x.Decision.Verdict + " by " + x.Decision.Annotator
					}
					out = append(out, line)
				}
				return out
			}
			want := []string{"c002 kim:pass lee:fail mo:pass", "c003 kim:pass lee:unsure"}
			if blind {
				want = want[:1] // one more is to label c003
			}
			if d := cmp.Diff(want, shown()); d != "" {
				t.Errorf("blind %v: %s", blind, d)
			}
			decision := say(q, "d1", "lee", "c002", "fail")
			decision.Decides, decision.Note = true, "the filter is missing"
			save(t, s, q, decision)
			want[0] += " = fail by lee"
			if d := cmp.Diff(want, shown()); d != "" {
				t.Errorf("blind %v, settled: %s", blind, d)
			}
			check(store.QueueProgress{Cases: 6, Done: 2, Skipped: 1, Conflicting: 1, Mine: 4, MySkipped: 1, MyLeft: 1})
			// The readers of labels count the third verdict, against the majority.
			passes := map[string]string{}
			table, err := s.Warehouse.Query(t.Context(), "SELECT case_id, passes FROM badger.consensus")
			if err != nil {
				t.Fatal(err)
			}
			for i := range table.Rows() {
				passes[table.Columns[0].Value(i).String()] = table.Columns[1].Value(i).String()
			}
			if d := cmp.Diff(map[string]string{"c001": "1", "c002": "0", "c003": "1", "c004": "1", "c005": "1"}, passes); d != "" {
				t.Errorf("consensus: %s", d)
			}
		})
	}
}

// By hand: of eight answers both pass three and fail three, and they differ about two. o = 3/4, and
// with half of the labels being pass e = 1/2: kappa is 1/2, and 289 answers make its interval 0.2 wide.
func TestAgreement(t *testing.T) {
	onEngines(t, 1, func(t *testing.T, c *clock, of []*labelling.Store) {
		s := of[0]
		q := queue(t, s, 10, labelling.Plan{Annotators: 2})
		if a, err := s.Agreement(t.Context(), q); err != nil || a.Kappa.Defined || a.More.Defined {
			t.Errorf("without labels: %+v, %v", a, err)
		}
		n := 0
		give := func(who string, verdicts ...string) {
			for i, v := range verdicts {
				n++
				c.pass(time.Second)
				save(t, s, q, say(q, fmt.Sprintf("a%d", n), who, caseIDs(10)[i], v))
			}
		}
		give("kim", "fail", "pass", "pass", "pass", "fail", "fail", "fail", "fail", "pass", "skip")
		give("kim", "pass") // a change of mind
		give("lee", "pass", "pass", "pass", "fail", "fail", "fail", "fail", "pass", "skip", "fail")
		third := say(q, "third", "mo", "c004", "fail")
		third.Decides = true
		save(t, s, q, third)
		a, err := s.Agreement(t.Context(), q)
		if err != nil || a.Pairs != 8 || a.Kappa.Value != 0.5 || a.More.Value != 281 {
			t.Errorf("%+v, %v", a, err)
		}
	})
}

// What the log says counts in place of what human_labels says of the same annotator, unless it says
// nothing.
func TestLogAndHumanLabels(t *testing.T) {
	onEngines(t, 1, func(t *testing.T, c *clock, of []*labelling.Store) {
		s, w := of[0], of[0].Warehouse
		id := func(caseID string) scoring.AnswerID {
			return scoring.AnswerID{CaseID: caseID, By: run.By}
		}
		for _, caseID := range caseIDs(4) {
			l := store.Label{AnswerID: id(caseID), Annotator: "kim", Verdict: "pass", At: c.now().Add(time.Hour)}
			if err := w.WriteLabels(t.Context(), l); err != nil {
				t.Fatal(err)
			}
		}
		for i, l := range []struct{ who, caseID, verdict string }{{"kim", "c002", "fail"}, {"kim", "c003", "fail"}, {"kim", "c003", "withdrawn"}, {"kim", "c004", "skip"}, {"lee", "c001", "unsure"}} {
			c.pass(time.Second)
			v := say(&labelling.Queue{}, fmt.Sprintf("x%d", i), l.who, l.caseID, l.verdict)
			if _, err := s.Save(t.Context(), nil, v); err != nil {
				t.Fatal(err)
			}
		}
		answer(t, s, run, "c001")
		votes, err := w.Votes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, v := range votes {
			got = append(got, fmt.Sprintf("%s %s %d", v.CaseID, v.Annotator, v.Says))
		}
		if d := cmp.Diff([]string{"c001 kim 1", "c001 lee 0", "c002 kim -1", "c003 kim 1", "c004 kim 1"}, got); d != "" {
			t.Error(d)
		}
		// A view of the users' own is as good as a table.
		for _, sql := range []string{
			"CREATE TABLE review AS SELECT case_id, agent_name, agent_version, batch_id, annotator, verdict FROM badger.human_labels",
			"DROP VIEW badger.consensus CASCADE", "DROP TABLE badger.human_labels", "CREATE VIEW badger.human_labels AS SELECT * FROM review",
		} {
			if w.Dialect() == "duckdb" {
				sql = strings.TrimSuffix(sql, " CASCADE")
			}
			if err := w.Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
		again, err := w.Votes(t.Context())
		if d := cmp.Diff(votes, again); err != nil || d != "" {
			t.Errorf("human_labels is a view: %v %s", err, d)
		}
		if _, err := s.Save(t.Context(), nil, say(&labelling.Queue{}, "late", "mo", "c001", "pass")); err != nil {
			t.Errorf("saving where human_labels is a view: %v", err)
		}
		// Tables of an earlier version have no log.
		if err := w.Exec(t.Context(), "DROP TABLE badger.label_log"); err != nil {
			t.Fatal(err)
		}
		if old, err := w.Votes(t.Context()); err != nil || len(old) != 4 {
			t.Errorf("without the log: %+v, %v", old, err)
		}
	})
}

func TestWhatIsRefused(t *testing.T) {
	onEngines(t, 1, func(t *testing.T, _ *clock, of []*labelling.Store) {
		s := of[0]
		q := queue(t, s, 1, labelling.Plan{ReasonRequired: true, Options: []string{"pass", "fail", "partly"}})
		ok := say(q, "ok", "kim", "c001", "partly")
		for want, change := range map[string]func(*labelling.Label){
			"the id is":                     func(l *labelling.Label) { l.ID = "a b" },
			`the id is ""`:                  func(l *labelling.Label) { l.ID = "" },
			"annotator is missing":          func(l *labelling.Label) { l.Annotator = " " },
			`the verdict is "unsure"`:       func(l *labelling.Label) { l.Verdict = "unsure" },
			`the verdict is ""`:             func(l *labelling.Label) { l.Verdict = "" },
			"note is missing":               func(l *labelling.Label) { l.Verdict, l.Note = "fail", " \n" },
			"note: it holds the character":  func(l *labelling.Label) { l.Note = "a\x00b" },
			"note: 10001 characters":        func(l *labelling.Label) { l.Note = strings.Repeat("x", 10_001) },
			"annotator: 201 bytes":          func(l *labelling.Label) { l.Annotator = strings.Repeat("x", 201) },
			`it has no case "c002"`:         func(l *labelling.Label) { l.CaseID = "c002" },
			"it is of another answer":       func(l *labelling.Label) { l.Batch = "tue" },
			"of another answer than those ": func(l *labelling.Label) { l.Queue = "other" },
		} {
			l := ok
			change(&l)
			if _, err := s.Save(t.Context(), q, l); err == nil || !strings.Contains(err.Error(), want) || (errcode.Of(err) != errcode.InvalidArgument && errcode.Of(err) != errcode.NotFound) {
				t.Errorf("%v, want %s", err, want)
			}
		}
		if rows := logged(t, s); len(rows) > 0 {
			t.Errorf("written: %+v", rows)
		}
		if err := s.Close(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		q, err := s.Queue(t.Context(), q.ID)
		if err != nil || q.ClosedAt.IsZero() {
			t.Fatalf("%+v, %v", q, err)
		}
		if _, err := s.Next(t.Context(), q, "kim"); errcode.Of(err) != errcode.FailedPrecondition {
			t.Errorf("next of a closed queue: %v", err)
		}
		save(t, s, q, ok) // it was on its way
	})
}

// Names may hold anything but NUL.
// A case whose id holds NUL cannot be labelled: tables hold no NUL. No queue is made of it.
func TestCaseWithNUL(t *testing.T) {
	onEngines(t, 1, func(t *testing.T, _ *clock, of []*labelling.Store) {
		s := of[0]
		_, err := s.Make(t.Context(), labelling.Plan{List: store.State{RunID: scoring.RunID{ID: "r1"}}}, []string{"c001", "a\x00b"})
		if errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), `"a\x00b"`) || !strings.Contains(err.Error(), "NUL") {
			t.Errorf("%v, want an error that names the case", err)
		}
		if queues, err := s.Queues(t.Context()); err != nil || len(queues) != 0 {
			t.Errorf("%d queues were made, %v", len(queues), err)
		}
	})
}

func TestHostileNames(t *testing.T) {
	hostile := []string{"Bob'); DROP TABLE badger.label_log;--", `"quoted" \back`, "a%b_c", "../..", "<script>alert(1)</script>", "Zoë Ω 漢字 \u202e", "line\nfeed\ttab", "{text x}", "?", "$1", ":a"}
	onEngines(t, 1, func(t *testing.T, _ *clock, of []*labelling.Store) {
		s := of[0]
		var cases []string
		for _, h := range hostile {
			cases = append(cases, "case "+h)
		}
		for i, h := range hostile {
			answer(t, s, scoring.RunID{ID: h, By: scoring.By{Agent: h, Version: h, Batch: h}}, cases...)
			q, err := s.Make(t.Context(), labelling.Plan{
				Name: h, Guideline: h, By: h, Annotators: len(hostile), Options: []string{"pass", "fail", "o" + h},
				List: store.State{RunID: scoring.RunID{ID: h, By: scoring.By{Agent: h, Version: h, Batch: h}}, Mode: store.All, Search: h},
			}, cases)
			if err != nil {
				t.Fatal(err)
			}
			again, err := s.Queue(t.Context(), q.ID)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(q, again); d != "" {
				t.Errorf("%q: %s", h, d)
			}
			if got := next(t, s, q, h); got != cases[0] {
				t.Errorf("%q is given %q", h, got)
			}
			l := labelling.Label{ID: fmt.Sprintf("h%d", i), AnswerID: q.Answer(cases[i]), Annotator: h, Verdict: "o" + h, Note: h, Queue: q.ID}
			if got := save(t, s, q, l); got.Note != strings.TrimSpace(h) || got.CaseID != cases[i] || got.Verdict != "o"+h {
				t.Errorf("%q: saved %+v", h, got)
			}
			if p, err := s.Progress(t.Context(), q, h); err != nil || p.Mine != 1 || p.MyLeft != int64(len(cases)-1) {
				t.Errorf("%q: %+v, %v", h, p, err)
			}
		}
		var out bytes.Buffer
		if n, err := s.Export(t.Context(), &out, ""); err != nil || n != len(hostile) {
			t.Fatalf("exported %d, %v", n, err)
		}
		if done, err := s.Import(t.Context(), &out, labelling.ImportOptions{}); err != nil || done.Written != 0 || done.Labels != len(hostile) {
			t.Errorf("imported %+v, %v", done, err)
		}
	})
}

func TestExchange(t *testing.T) {
	var file, other bytes.Buffer
	onEngines(t, 1, func(t *testing.T, c *clock, of []*labelling.Store) {
		s := of[0]
		q := queue(t, s, 3, labelling.Plan{Annotators: 2})
		for i, l := range []struct{ who, caseID, verdict string }{
			{"kim", "c001", "fail"}, {"kim", "c001", "pass"}, {"lee", "c001", "pass"}, {"kim", "c002", "skip"}, {"lee", "c002", "fail"}, {"kim", "c003", "pass"}, {"lee", "c003", "fail"},
		} {
			c.pass(1234567 * time.Microsecond)
			v := say(q, fmt.Sprintf("l%d", i), l.who, l.caseID, l.verdict)
			v.GoldWrong, v.Ambiguous, v.Note = i%2 == 0, i%3 == 0, strings.Repeat("n<", i%3)
			save(t, s, q, v)
		}
		d := say(q, "d", "mo", "c003", "pass")
		d.Decides = true
		save(t, s, q, d)
		file.Reset()
		if n, err := s.Export(t.Context(), &file, q.ID); err != nil || n != 3 {
			t.Fatalf("exported %d answers, %v", n, err)
		}
		// It is a case file: who reads cases finds the labels.
		for i, want := range []string{"true kim:pass lee:pass", "false lee:fail", "true kim:pass lee:fail"} {
			one, err := scoring.DecodeCase([]byte(strings.Split(file.String(), "\n")[i]))
			if err != nil {
				t.Fatal(err)
			}
			got := "-"
			if one.Human != nil {
				got = fmt.Sprint(*one.Human)
			}
			for _, who := range []string{"kim", "lee", "mo"} {
				if _, v, found := strings.Cut(string(one.Votes), `"`+who+`":"`); found {
					got += " " + who + ":" + v[:strings.IndexByte(v, '"')]
				}
			}
			if got != want || one.AnswerID() != q.Answer(caseIDs(3)[i]) {
				t.Errorf("case %d: %s, want %s", i+1, got, want)
			}
		}
		before := logged(t, s)
		if done, err := s.Import(t.Context(), bytes.NewReader(file.Bytes()), labelling.ImportOptions{}); err != nil || done != (labelling.Imported{Lines: 3, Labels: 8}) {
			t.Errorf("read again: %+v, %v", done, err)
		}
		if d := cmp.Diff(before, logged(t, s)); d != "" {
			t.Errorf("reading the file again changed the log: %s", d)
		}
	})
	onEngines(t, 1, func(t *testing.T, c *clock, of []*labelling.Store) {
		s := of[0]
		c.pass(time.Hour)
		if done, err := s.Import(t.Context(), bytes.NewReader(file.Bytes()), labelling.ImportOptions{}); errcode.Of(err) != errcode.FailedPrecondition || done.Written != 0 || len(logged(t, s)) != 0 {
			t.Errorf("into a warehouse without the answers: %+v, %v", done, err)
		}
		if done, err := s.Import(t.Context(), bytes.NewReader(file.Bytes()), labelling.ImportOptions{Unknown: true}); err != nil || done.Written != 8 || done.Unknown != 3 {
			t.Fatalf("into another warehouse: %+v, %v", done, err)
		}
		other.Reset()
		if _, err := s.Export(t.Context(), &other, ""); err != nil || other.String() != file.String() {
			t.Errorf("out again: %v\n%s", err, cmp.Diff(file.String(), other.String()))
		}
	})
}

func TestImportVotes(t *testing.T) {
	onEngines(t, 1, func(t *testing.T, c *clock, of []*labelling.Store) {
		s := of[0]
		read := func(o labelling.ImportOptions, lines ...string) (labelling.Imported, error) {
			c.pass(time.Second)
			o.Unknown = true
			return s.Import(t.Context(), strings.NewReader(strings.Join(lines, "\n")), o)
		}
		votes := `{"case_id": "c1", "agent": {"name": "atlas", "batch_id": 7}, "human": {"label": 1, "votes": {"kim": "yes", "lee": 0, "mo": "Unsure", "nobody": null}}}`
		label := `{"case_id": "c2", "agent": {"name": "atlas"}, "human": {"label": "incorrect"}}`
		for i, want := range []int{4, 0} {
			if done, err := read(labelling.ImportOptions{Annotator: "kim"}, "\xef\xbb\xbf"+votes, "", label); err != nil || done != (labelling.Imported{Lines: 2, Labels: 4, Written: want, Unknown: 2}) {
				t.Errorf("time %d: %+v, %v", i+1, done, err)
			}
		}
		// A file that was corrected, and then corrected back.
		changed := strings.Replace(votes, `"lee": 0`, `"lee": true`, 1)
		for _, text := range []string{changed, votes} {
			if done, err := read(labelling.ImportOptions{}, text); err != nil || done.Written != 1 {
				t.Errorf("%+v, %v", done, err)
			}
		}
		var got []string
		newest, err := s.Warehouse.LoggedLabels(t.Context(), store.LabelFilter{Newest: true}, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range newest {
			got = append(got, l.CaseID+" "+l.Batch+" "+l.Annotator+" "+l.Verdict)
		}
		slices.Sort(got)
		if d := cmp.Diff([]string{"c1 7 kim pass", "c1 7 lee fail", "c1 7 mo unsure", "c2  kim fail"}, got); d != "" {
			t.Error(d)
		}
		for _, bad := range []struct{ line, want string }{
			{label, "line 2: human.votes is missing"},
			{`{"case_id": "c1", "human": {"votes": ["pass"]}}`, "line 2: human.votes: expected an object"},
			{`{"human": {"votes": {}}}`, "line 2: case: case_id is missing"},
			{`{"case_id": "c1", "human": {"labels": [{"id": "a", "annotator": "kim", "verdict": "pass"}]}}`, "line 2: human.labels: label 1 has no labelled_at"},
			{`{"case_id": "c1", "human": {"labels": [{"id": "a", "verdict": "pass", "labelled_at": "2025-01-14T08:00:00Z"}]}}`, "line 2: label: the annotator is missing"},
			{`{"case_id": "c1", "human": {"votes": {"kim": "pass", "lee": "banana"}}}`, `line 2: human.votes: "lee" says "banana", expected pass, fail, unsure`},
			{`{"case_id": "c1", "human": {"votes": {"lee": 7}}}`, `line 2: human.votes: "lee" says "7"`},
			{`{"case_id": "c1", "human": {"labels": [{"id": "a", "annotator": "kim", "verdict": "banana", "labelled_at": "2025-01-14T08:00:00Z"}]}}`, `line 2: label: the verdict is "banana"`},
			{`{"case_id": "c1", "human": {"labels": 3}}`, "line 2: human.labels"},
			{`{"case_id": "c1", "human": {"votes": {"a\u0000": "pass"}}}`, "line 2: annotator: it holds the character NUL"},
		} {
			if _, err := read(labelling.ImportOptions{}, "", bad.line); err == nil || !strings.Contains(err.Error(), bad.want) {
				t.Errorf("%v, want %s", err, bad.want)
			}
		}
	})
}
