//go:build !no_duckdb

package deploy_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// shownByApp is the output of testdata/streamlit/app.py.
type shownByApp struct {
	Exceptions, Headers []string
	Tabs                map[string]struct {
		Headers, Text, Captions, Messages, Code []string
		Metrics                                 map[string]string
		Tables                                  [][][]any
	}
	Calls [][]any
}

// streamlitStore writes a store whose figures are known: 11 questions that expect a result and one that does not.
//
//	batch  version  right                     broke  fixed  missing
//	mon    1        q01 to q09 (9 of 11)
//	tue    1        q01 to q05 (5 of 11)       4      0
//	wed    2        q01, q10   (2 of 11)       8      1      q11
func streamlitStore(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "w.duckdb")
	conn, err := duckdb.OpenWith(t.Context(), path, duckdb.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	w := store.New(connectors.New(conn, duckdb.Dialect))
	defer w.Close()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(w.Install(t.Context()))
	name := func(i int) string { return fmt.Sprintf("q%02d", i) }
	var questions, answers []string
	for i := 1; i <= 12; i++ {
		questions = append(questions, fmt.Sprintf(`('%s', 'Question <b>%[1]s</b>?', 'SELECT %[2]d', 'v1')`, name(i), i))
	}
	must(w.Exec(t.Context(), `INSERT INTO badger.golden_set (case_id, question, gold_sql, set_version) VALUES `+strings.Join(questions, ", ")))
	began := time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
	for day, b := range []struct {
		batch, version string
		right          []int
		missing        int
	}{{"mon", "1", []int{1, 2, 3, 4, 5, 6, 7, 8, 9}, 0}, {"tue", "1", []int{1, 2, 3, 4, 5}, 0}, {"wed", "2", []int{1, 10}, 11}} {
		by := scoring.By{Agent: "nova", Version: b.version, Batch: b.batch}
		at := began.AddDate(0, 0, day)
		must(w.WriteRuns(t.Context(), store.Run{RunID: scoring.RunID{ID: "run-" + b.batch, By: by}, Started: at.Add(time.Hour), Mode: "both", Judge: "none", Status: "done"}))
		var rows []scoring.Row
		for i := 1; i <= 12; i++ {
			of := scoring.AnswerID{CaseID: name(i), By: by}
			passed := slices.Contains(b.right, i)
			s := scoring.OK(map[bool]float64{true: 1}[passed], "reason of "+name(i))
			s.Passed = &passed
			switch i {
			case 12:
				s = scoring.NotApplicable("the question calls for a refusal, not for a result")
			case b.missing:
				s = scoring.NotApplicable(scoring.NoAnswer)
			}
			if i != b.missing {
				answers = append(answers, fmt.Sprintf(`('nova', '%s', '%s', '%s', 'SELECT %d + 0', '%s')`, b.version, b.batch, name(i), i, at.Format(time.RFC3339)))
			}
			s.Metric, s.Version = "hybrid_ex", 1
			rows = append(rows, scoring.Row{AnswerID: of, Score: s})
			if i < 12 && !passed && i != b.missing {
				r := scoring.OK(1, "why")
				r.Metric, r.Version, r.Label = "relation", 1, map[bool]string{true: "condition_missing", false: "tables_more"}[i <= 6]
				rows = append(rows, scoring.Row{AnswerID: of, Score: r})
			}
		}
		must(w.WriteScores(t.Context(), "run-"+b.batch, "c", at.Add(time.Hour), rows))
	}
	must(w.Exec(t.Context(), `INSERT INTO badger.agent_runs (agent_name, agent_version, batch_id, case_id, sql, ran_at) VALUES `+strings.Join(answers, ", ")))
	return path
}

// The app shows what the tables hold. The figures follow from the table at streamlitStore: of nine answers that
// changed, eight broke and one was fixed, so p is 2(1+9)/512 = 0.04, which is below 0.05. Of four that changed, all
// broke, so p is 2/16 = 0.125.
func TestStreamlitApp(t *testing.T) {
	python := os.Getenv("BADGER_STREAMLIT_PYTHON")
	if python == "" {
		t.Skip("BADGER_STREAMLIT_PYTHON does not name a python3 that has Streamlit (.ci/streamlit.txt)")
	}
	db := streamlitStore(t)
	cmd := exec.CommandContext(t.Context(), python, "testdata/streamlit/app.py", "snowflake/streamlit/streamlit_app.py", db)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var problems strings.Builder
	cmd.Stderr = &problems
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	answers := json.NewDecoder(out)
	show := func(steps ...string) (shown shownByApp) {
		t.Helper()
		if steps == nil {
			steps = []string{}
		}
		err := json.NewEncoder(in).Encode(steps)
		if err == nil {
			err = answers.Decode(&shown)
		}
		if err != nil || len(shown.Exceptions) > 0 {
			_ = in.Close()
			t.Fatalf("%v: %v %v, %v\n%s", steps, err, shown.Exceptions, cmd.Wait(), problems.String())
		}
		return shown
	}
	has := func(what string, texts []string, want string) {
		t.Helper()
		if !strings.Contains(strings.Join(texts, "\n"), want) {
			t.Errorf("%s: %q lacks %q", what, texts, want)
		}
	}

	wed := show()
	for i, want := range []string{"18 % of the answers are right, down from 82 %.", "8 broke and 1 were fixed.", "8 wrong answers have a reason.", "3 batches, the latest 18 % right.", "0 answers have no score yet."} {
		if wed.Headers[i] != want {
			t.Errorf("headline %q, want %q", wed.Headers[i], want)
		}
	}
	over := wed.Tabs["Overview"]
	has("overview", over.Text, "2 of 11 questions that expect a result. 1 have no answer, and count as wrong. The drop is more than chance")
	has("baseline", over.Captions, "1 · mon, the first batch of the version before; no batch is accepted.")
	if fmt.Sprint(over.Metrics) != "map[broke:8 fixed:1 still right:1 still wrong:1]" {
		t.Errorf("what became of the questions: %v", over.Metrics)
	}
	if got := fmt.Sprint(wed.Tabs["Changes"].Tables); got != "[[[q02 reason of q02] [q03 reason of q03] [q04 reason of q04] [q05 reason of q05] [q06 reason of q06] [q07 reason of q07] [q08 reason of q08] [q09 reason of q09]] [[q10 reason of q10]] [[q11 the agent gave no answer]]]" {
		t.Errorf("changes: %s", got)
	}
	if got := fmt.Sprint(wed.Tabs["Failures"].Tables[0]); got != "[[condition missing 5 q02] [tables more 3 q07]]" {
		t.Errorf("reasons: %s", got)
	}
	if rows := wed.Tabs["Trend"].Tables[0]; len(rows) != 3 || fmt.Sprint(rows[0][2:]) != "[mon 9 12 0 0.8181818182]" || fmt.Sprint(rows[2][2:]) != "[wed 2 12 1 0.1818181818]" {
		t.Errorf("trend: %v", rows)
	}

	tue := show("batch=1 · tue", "case=q03")
	if tue.Headers[0] != "45 % of the answers are right; 82 % before." {
		t.Errorf("tue: %s", tue.Headers[0])
	}
	has("tue", tue.Tabs["Overview"].Text, "The change could be chance.")
	has("its baseline", tue.Tabs["Overview"].Captions, "1 · mon, the first batch of this version; no batch is accepted.")
	one := tue.Tabs["Case"]
	has("question", one.Text, "Question <b>q03</b>?")
	if fmt.Sprint(one.Code) != "[SELECT 3 SELECT 3 + 0]" || fmt.Sprint(one.Tables[0]) != "[[hybrid_ex ok 1 true <nil> reason of q03]]" {
		t.Errorf("case: %v %v", one.Code, one.Tables)
	}

	mon := show("batch=1 · mon")
	if mon.Headers[0] != "82 % of the answers are right." {
		t.Errorf("mon: %s", mon.Headers[0])
	}
	has("mon", mon.Tabs["Overview"].Messages, "There is no earlier batch to compare with.")

	// Runs are started by the procedure, and its error is shown.
	started := show("run_batch=tue", "run_metrics=hybrid_ex, row_f1", "click=Start the run")
	if fmt.Sprint(started.Calls) != "[[CALL badger.evaluate(%s, %s) tue hybrid_ex,row_f1]]" {
		t.Errorf("calls: %v", started.Calls)
	}
	has("started", started.Tabs["Runs"].Messages, "The run has ended.")
	if usual := show("click=Start the run"); fmt.Sprint(usual.Calls) != "[[CALL badger.evaluate(%s, %s) <nil> <nil>]]" {
		t.Errorf("calls: %v", usual.Calls)
	}
	if bad := show("run_metrics=x'; DROP TABLE t", "click=Start the run"); len(bad.Calls) != 0 {
		t.Errorf("calls: %v", bad.Calls)
	}

	// An accepted batch is the baseline, until the acceptance is withdrawn.
	for i, tc := range []struct{ withdrawn, want string }{{"FALSE", "1 · tue, the last accepted batch."}, {"TRUE", "1 · mon, the first batch of the version before"}} {
		changed := show(fmt.Sprintf(`sql=INSERT INTO badger.accepted (acceptance_id, agent_name, agent_version, batch_id, withdrawn, accepted_by, accepted_at) VALUES ('a%d', 'nova', '1', 'tue', %s, 'kim', '2026-03-0%dT00:00:00Z')`, i, tc.withdrawn, 5+i))
		has("withdrawn: "+tc.withdrawn, changed.Tabs["Overview"].Captions, tc.want)
	}

	// New answers wait for scores.
	waiting := show(`sql=INSERT INTO badger.agent_runs (agent_name, agent_version, batch_id, case_id, sql) VALUES ('nova', '2', 'broken', 'q01', 'SELECT 1'), ('nova', '2', 'broken', 'q02', 'SELECT 2')`, "run_batch=broken", "click=Start the run")
	if got := waiting.Tabs["Runs"]; got.Headers[0] != "2 answers have no score yet." || !strings.Contains(strings.Join(got.Messages, ""), "3 answers were skipped") {
		t.Errorf("%v %v", got.Headers, got.Messages)
	}
	if empty := show("sql=DELETE FROM badger.scores"); empty.Headers[0] != "There are no scores yet." {
		t.Errorf("an empty store: %v", empty.Headers)
	}
	if err := errors.Join(in.Close(), cmd.Wait()); err != nil { // every statement is valid in Snowflake, too
		t.Errorf("%v\n%s", err, problems.String())
	}
}
