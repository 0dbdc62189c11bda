//go:build !no_duckdb && !no_postgres

package labelling_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/labelling"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

func voteLine(caseID, batch, votes string) string {
	return fmt.Sprintf(`{"case_id": %q, "agent": {"name": "atlas", "version": "2", "batch_id": %q}, "human": {"votes": {%s}}}`, caseID, batch, votes)
}

// A file that names answers that the warehouse does not have is refused as a whole, unless it is said
// that these are meant.
func TestImportOfUnknownAnswers(t *testing.T) {
	onEngines(t, 1, func(t *testing.T, c *clock, of []*labelling.Store) {
		s := of[0]
		answer(t, s, run, "c001", "c002")
		file := strings.Join([]string{
			voteLine("c001", "mon", `"kim": "pass"`), voteLine("c002", "mom", `"kim": "pass"`), voteLine("c009", "mon", `"kim": "pass"`),
			`{"case_id": "c001", "human": {"votes": {"kim": "pass"}}}`, voteLine("c002", "mom", `"lee": "pass"`),
		}, "\n")
		done, err := s.Import(t.Context(), strings.NewReader(file), labelling.ImportOptions{})
		if errcode.Of(err) != errcode.FailedPrecondition || !strings.Contains(err.Error(), `4 of 5 lines name answers that the database does not have, the first in line 2: case "c002" of agent "atlas", version "2", batch "mom"`) || done.Written != 0 {
			t.Errorf("%+v, %v", done, err)
		}
		if rows := logged(t, s); len(rows) != 0 {
			t.Errorf("written: %+v", rows)
		}
		if done, err = s.Import(t.Context(), strings.NewReader(file), labelling.ImportOptions{Unknown: true}); err != nil || done.Unknown != 4 || done.Written != 5 {
			t.Errorf("allowed: %+v, %v", done, err)
		}
		// An answer that was scored from a file is known, too.
		if err := s.Warehouse.Exec(t.Context(), "INSERT INTO badger.scores (eval_run_id, case_id, agent_name, agent_version, batch_id, metric, status) VALUES ('r1', 'c009', 'atlas', '2', 'mon', 'ex', 'scored')"); err != nil {
			t.Skipf("a row of scores: %v", err)
		}
		if done, err = s.Import(t.Context(), strings.NewReader(voteLine("c009", "mon", `"mo": "fail"`)), labelling.ImportOptions{}); err != nil || done.Written != 1 {
			t.Errorf("scored: %+v, %v", done, err)
		}
	})
}

// Of several votes of one person on one answer the last of the file counts, and reading it again
// changes nothing.
func TestImportTakesTheLastVote(t *testing.T) {
	onEngines(t, 1, func(t *testing.T, c *clock, of []*labelling.Store) {
		s := of[0]
		answer(t, s, run, "c001")
		file := strings.Join([]string{voteLine("c001", "mon", `"kim": "fail", "lee": "fail"`), voteLine("c001", "mon", `"kim": "pass"`)}, "\n")
		for i, want := range []int{2, 0, 0} {
			c.pass(time.Second)
			if done, err := s.Import(t.Context(), strings.NewReader(file), labelling.ImportOptions{}); err != nil || done.Written != want || done.Labels != 3 {
				t.Errorf("time %d: %+v, %v", i+1, done, err)
			}
		}
		got := ""
		for _, l := range logged(t, s) {
			got += l.Annotator + ":" + l.Verdict + " "
		}
		if got != "kim:pass lee:fail " && got != "lee:fail kim:pass " {
			t.Errorf("the log holds %s", got)
		}
	})
}

// A label from the future would count before all that its annotator says until then.
func TestImportFromTheFuture(t *testing.T) {
	onEngines(t, 1, func(t *testing.T, c *clock, of []*labelling.Store) {
		s := of[0]
		answer(t, s, run, "c001")
		at := func(id, verdict, when string) string {
			return fmt.Sprintf(`{"id": %q, "annotator": "kim", "verdict": %q, "labelled_at": %q}`, id, verdict, when)
		}
		file := `{"case_id": "c001", "agent": {"name": "atlas", "version": "2", "batch_id": "mon"}, "human": {"labels": [` +
			strings.Join([]string{at("b", "pass", "2032-01-01T00:00:00Z"), at("a", "fail", "2031-01-01T00:00:00Z"), at("c", "unsure", "2024-01-01T00:00:00Z")}, ",") + `]}}`
		for i, want := range []int{3, 0} {
			if done, err := s.Import(t.Context(), strings.NewReader(file), labelling.ImportOptions{}); err != nil || done.Written != want {
				t.Errorf("time %d: %+v, %v", i+1, done, err)
			}
			c.pass(time.Minute)
		}
		got := ""
		for _, l := range logged(t, s) {
			got += l.Verdict + " "
			if l.At.After(newClock().at) {
				t.Errorf("%s is of %s", l.ID, l.At)
			}
		}
		if got != "unsure fail pass " {
			t.Errorf("in the order of their times: %s", got)
		}
		l := say(&labelling.Queue{}, "now", "kim", "c001", "fail")
		if l, err := s.Save(t.Context(), nil, l); err != nil || !l.At.Equal(c.now()) {
			t.Errorf("the next label is of %s, %v", l.At, err)
		}
	})
}

// What is taken out as a whole says what the readers of labels say, of human_labels too; and reading it
// back changes nothing.
func TestExportReadsHumanLabels(t *testing.T) {
	onEngines(t, 1, func(t *testing.T, c *clock, of []*labelling.Store) {
		s := of[0]
		answer(t, s, run, caseIDs(3)...)
		for _, l := range []struct{ who, caseID, verdict string }{{"mo", "c001", "fail"}, {"mo", "c002", "fail"}, {"kim", "c003", "pass"}} {
			id := scoring.AnswerID{CaseID: l.caseID, By: run.By}
			if err := s.Warehouse.WriteLabels(t.Context(), store.Label{AnswerID: id, Annotator: l.who, Verdict: l.verdict, At: c.now()}); err != nil {
				t.Fatal(err)
			}
		}
		for i, l := range []struct{ who, caseID, verdict string }{{"kim", "c001", "pass"}, {"kim", "c003", "fail"}} {
			if _, err := s.Save(t.Context(), nil, say(&labelling.Queue{}, fmt.Sprintf("e%d", i), l.who, l.caseID, l.verdict)); err != nil {
				t.Fatal(err)
			}
		}
		var file bytes.Buffer
		if n, err := s.Export(t.Context(), &file, ""); err != nil || n != 3 {
			t.Fatalf("%d answers, %v", n, err)
		}
		var got []string
		for line := range strings.Lines(file.String()) {
			one, err := scoring.DecodeCase([]byte(line))
			if err != nil {
				t.Fatal(err)
			}
			label := "-"
			if one.Human != nil {
				label = fmt.Sprint(*one.Human)
			}
			got = append(got, one.ID+" "+label+" "+string(one.Votes))
		}
		if d := cmp.Diff([]string{`c001 - {"kim":"pass","mo":"fail"}`, `c002 false {"mo":"fail"}`, `c003 false {"kim":"fail"}`}, got); d != "" {
			t.Error(d)
		}
		before := logged(t, s)
		if done, err := s.Import(t.Context(), bytes.NewReader(file.Bytes()), labelling.ImportOptions{}); err != nil || done.Written != 0 {
			t.Errorf("read back: %+v, %v", done, err)
		}
		if d := cmp.Diff(before, logged(t, s)); d != "" {
			t.Error(d)
		}
	})
}
