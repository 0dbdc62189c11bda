//go:build !no_duckdb

package evaluation_test

import (
	"bytes"
	"context"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/cases"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/evaluation"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
)

// database is a new one with badger's tables and some rows of eval_runs.
func database(t *testing.T, runs ...store.Run) *store.Store {
	t.Helper()
	c, err := duckdb.OpenFile(t.Context(), filepath.Join(t.TempDir(), "w.duckdb"), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := store.New(connectors.New(c, duckdb.Dialect))
	t.Cleanup(func() { _ = w.Close() })
	if err := w.Install(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.WriteRuns(t.Context(), runs...); err != nil {
		t.Fatal(err)
	}
	return w
}

// Two runs: r1 of two versions, one of which was stopped, and r2, which began later.
var (
	monday = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	stored = []store.Run{
		{RunID: scoring.RunID{ID: "r1", By: scoring.By{Agent: "nova", Version: "1", Batch: "mon"}}, Started: monday, Status: "done"},
		{RunID: scoring.RunID{ID: "r1", By: scoring.By{Agent: "nova", Version: "2", Batch: "mon"}}, Started: monday, Status: "stopped"},
		{RunID: scoring.RunID{ID: "r2", By: scoring.By{Agent: "atlas", Version: "1", Batch: "tue"}}, Started: monday.Add(24 * time.Hour), Status: "done"},
	}
)

func TestFindsAStoredRun(t *testing.T) {
	w, none := database(t, stored...), database(t)
	for _, tc := range []struct {
		why   string
		in    *store.Store
		named evaluation.Named
		want  store.OfRun
		note  string
		err   string // how it begins
		code  errcode.Code
	}{
		{why: "the last one", in: w, named: evaluation.Named{Flag: "--run"}, want: store.OfRun{RunID: scoring.RunID{ID: "r2"}}},
		{why: "a run of which a part was stopped", in: w, named: evaluation.Named{ID: "r1", Flag: "--run"}, want: store.OfRun{RunID: scoring.RunID{ID: "r1"}}, note: "note: run r1 is stopped; the figures are of the scores that it holds\n"},
		{why: "the other part of it", in: w, named: evaluation.Named{ID: "r1", Flag: "--run", Of: scoring.AnswerID{By: scoring.By{Version: "1"}}}, want: store.OfRun{RunID: scoring.RunID{ID: "r1", By: scoring.By{Version: "1"}}}},
		{why: "a run that is compared with, whose answers need not be such", in: w, named: evaluation.Named{ID: "r2", Flag: "--against", Of: scoring.AnswerID{By: scoring.By{Agent: "nova"}}}, want: store.OfRun{RunID: scoring.RunID{ID: "r2", By: scoring.By{Agent: "nova"}}}},
		{why: "no such run", in: w, named: evaluation.Named{ID: "r3", Flag: "--against"}, err: "--against: there is no run r3; the latest runs are r2, r1"},
		{why: "no such answers", in: w, named: evaluation.Named{ID: "r1", Flag: "--run", Of: scoring.AnswerID{By: scoring.By{Agent: "atlas"}}}, err: "run r1 has no such answers; it has those of nova 1 mon, nova 2 mon"},
		{why: "no runs", in: none, named: evaluation.Named{Flag: "--run", DB: "duckdb:w"}, err: "the database holds no runs; badger run --to duckdb:w creates one", code: errcode.NotFound},
	} {
		var notes bytes.Buffer
		got, err := tc.named.Find(t.Context(), &notes, tc.in)
		refused(t, tc.why, err, tc.err, tc.code)
		if tc.err == "" && tc.want != got || notes.String() != tc.note {
			t.Errorf("%s: %+v and note %q, want %+v and %q", tc.why, got, &notes, tc.want, tc.note)
		}
	}
}

// refused reports whether an error is what it should be: none, one of usage, or one with a code.
func refused(t *testing.T, why string, err error, want string, code errcode.Code) {
	t.Helper()
	switch {
	case want == "" && err == nil:
	case want == "" || err == nil || !strings.HasPrefix(err.Error(), want):
		t.Errorf("%s: %v, want %q", why, err, want)
	case code != errcode.OK && (errcode.IsUsage(err) || errcode.Of(err) != code), code == errcode.OK && !errcode.IsUsage(err):
		t.Errorf("%s: of usage: %t, code %s", why, errcode.IsUsage(err), errcode.Of(err))
	}
}

func TestFindsOneRow(t *testing.T) {
	w, none := database(t, stored...), database(t)
	second := scoring.RunID{ID: "r1", By: scoring.By{Agent: "nova", Version: "2", Batch: "mon"}}
	for _, tc := range []struct {
		why     string
		in      *store.Store
		id      string
		pattern scoring.AnswerID
		named   scoring.RunID
		want    scoring.RunID
		err     string
		code    errcode.Code
	}{
		{why: "the last run", in: w, want: scoring.RunID{ID: "r2", By: scoring.By{Agent: "atlas", Version: "1", Batch: "tue"}}},
		{why: "a version of a run", in: w, id: "r1", pattern: scoring.AnswerID{By: scoring.By{Version: "2"}}, want: second},
		{why: "the row that a list names", in: w, named: second, want: second},
		{why: "a pattern wins over the list", in: w, named: second, pattern: scoring.AnswerID{By: scoring.By{Version: "1"}}, want: scoring.RunID{ID: "r1", By: scoring.By{Agent: "nova", Version: "1", Batch: "mon"}}},
		{why: "several rows", in: w, id: "r1", err: "run r1 has the answers of nova 1 mon, nova 2 mon; choose one with --agent"},
		{why: "no row", in: w, id: "r1", pattern: scoring.AnswerID{By: scoring.By{Batch: "tue"}}, err: "run r1 has the answers of nova 1 mon, nova 2 mon; choose one with --agent"},
		{why: "no such run", in: w, id: "r3", err: "--run: there is no run r3"},
		{why: "no runs", in: none, err: "the database holds no runs; badger run --to duckdb:w creates one", code: errcode.NotFound},
	} {
		got, err := evaluation.FindRow(t.Context(), tc.in, "duckdb:w", evaluation.RowChoice{ID: tc.id, Pattern: tc.pattern, Listed: tc.named})
		refused(t, tc.why, err, tc.err, tc.code)
		if tc.err == "" && got != tc.want {
			t.Errorf("%s: %+v, want %+v", tc.why, got, tc.want)
		}
	}
}

// A new run is new, a resumed one exists. The file of scores is emptied for a new run, kept for one that
// continues, and left alone where the run is refused.
func TestBegin(t *testing.T) {
	const score = `{"case_id":"a","agent_name":"","agent_version":"","batch_id":"","metric":"ex_bird","metric_version":1,"status":"ok","value":1}` + "\n"
	w, none := database(t, stored...), database(t)
	for _, tc := range []struct {
		why     string
		in      *store.Store
		id      string
		resumed bool
		was     string // of the file; "-": there is none, and one is named; "": none is named
		is      string // afterwards
		err     string
	}{
		{why: "a new run", in: w, id: "r3"},
		{why: "a new run that is there", in: w, id: "r1", was: score, is: score, err: `--run-id: run "r1" already exists; continue it with --resume r1, or choose another name`},
		{why: "a run that goes on", in: w, id: "r1", resumed: true},
		{why: "a run that is not there", in: w, id: "r3", resumed: true, was: score, is: score, err: `--resume: there is no run "r3"; the latest runs are r2, r1`},
		{why: "no runs", in: none, id: "r1", resumed: true, err: `--resume: there is no run "r1"; the database holds no runs`},
		{why: "a new run with a file", in: w, id: "r3", was: score},
		{why: "a run that goes on with a file", in: w, id: "r1", resumed: true, was: score, is: score},
		{why: "a run that goes on with a new file", in: w, id: "r1", resumed: true, was: "-"},
		{why: "to no database", id: "r1"},
		{why: "to a new file alone", id: "r1", was: "-"},
		{why: "to a file alone, again", id: "r1", was: score},
		{why: "a file goes on", id: "r1", resumed: true, was: score, is: score},
		{why: "a file that is not there", id: "r1", resumed: true, was: "-", is: "-", err: `--resume: no scores of run "r1"`},
		{why: "no file is named", id: "r1", resumed: true, err: `--resume: no scores of run "r1"`},
	} {
		path := ""
		if tc.was != "" {
			path = filepath.Join(t.TempDir(), "s.jsonl")
		}
		if len(tc.was) > 1 {
			if err := os.WriteFile(path, []byte(tc.was), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		e := evaluation.Run{ID: tc.id, Resumed: tc.resumed, Warehouse: tc.in}
		err := e.Begin(t.Context(), path)
		refused(t, tc.why, err, tc.err, errcode.OK)
		if opened := path != "" && tc.err == ""; (e.ScoreFile != nil) != opened {
			t.Errorf("%s: the file is open: %t", tc.why, !opened)
		}
		if e.ScoreFile != nil {
			_ = e.ScoreFile.Close()
		}
		is, err := os.ReadFile(path)
		if path != "" && (err != nil) != (tc.is == "-") || err == nil && string(is) != tc.is {
			t.Errorf("%s: the file holds %q, %v, want %q", tc.why, is, err, tc.is)
		}
	}
}

// A run that continues tells the same of its cases as one that is done at once, also of those whose scores it
// holds: their tags, and that tags cannot be read.
func TestAResumedRunTellsTheSame(t *testing.T) {
	w, path := database(t), filepath.Join(t.TempDir(), "c.jsonl")
	const result = `{"columns":[{"name":"n","type":"integer"}],"rows":[[1]]}`
	var lines strings.Builder
	for _, c := range []struct{ id, tags string }{{"a", `["sales"]`}, {"b", `["sales", "hard"]`}, {"c", `{"no": "list"}`}} {
		lines.WriteString(`{"case_id":"` + c.id + `","question":"how many?","tags":` + c.tags + `,"gold":{"sql":"SELECT 1","result":` + result + `},"agent":{"sql":"SELECT 1","result":` + result + `}}` + "\n")
	}
	if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	evaluate := func(resumed bool) (batch.Outcome, any) {
		e := evaluation.Run{
			ID: "r", Mode: "both", Resumed: resumed, Engine: engine, Metrics: []string{"ex_bird"}, Source: batch.FileSource{Path: path}, Warehouse: w,
			Now: func() time.Time { return monday }, Notes: io.Discard, Progress: func(batch.Progress) {},
		}
		if err := e.Begin(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		outcome, err := e.Evaluate(context.WithoutCancel(t.Context()))
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Summary.Close(""); err != nil {
			t.Fatal(err)
		}
		if e.Summary.Figures.UnreadableTags == nil {
			t.Errorf("resumed %t: the case whose tags cannot be read is not told", resumed)
		}
		return outcome, e.Summary.Figures
	}
	done, at := evaluate(false)
	held, again := evaluate(true)
	if done.Done != 3 || held.Done != 0 || held.Skipped != 3 {
		t.Fatalf("%+v, then %+v", done, held)
	}
	if d := cmp.Diff(at, again); d != "" {
		t.Error(d)
	}
}

// looking is a source that looks at each case when it is read.
type looking struct {
	batch.Source
	look func()
}

func (l looking) Cases(ctx context.Context) iter.Seq2[batch.Item, error] {
	return func(yield func(batch.Item, error) bool) {
		for item, err := range l.Source.Cases(ctx) {
			if load := item.Load; load != nil {
				item.Load = func(ctx context.Context) (*scoring.Case, error) { l.look(); return load(ctx) }
			}
			if !yield(item, err) {
				return
			}
		}
	}
}

// A run that is killed before its first score can be resumed: it has its row before a case is read, and so
// before a judge is asked.
func TestARunHasItsRowFirst(t *testing.T) {
	w, path := database(t), filepath.Join(t.TempDir(), "c.jsonl")
	const result = `{"columns":[{"name":"n","type":"integer"}],"rows":[[1]]}`
	line := `{"case_id":"a","question":"how many?","gold":{"sql":"SELECT 1","result":` + result + `},"agent":{"name":"nova","version":"7","sql":"SELECT 1","result":` + result + "}}\n"
	if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	statuses := func() string {
		got, err := w.Query(t.Context(), "SELECT agent_version, status FROM badger.eval_runs WHERE eval_run_id = 'r'")
		if err != nil {
			t.Error(err)
			return ""
		}
		return string(got.AppendJSON(nil))
	}
	var before string
	e := evaluation.Run{
		ID: "r", Mode: "both", Engine: engine, Metrics: []string{"ex_bird"}, Source: looking{batch.FileSource{Path: path}, func() { before = statuses() }}, Warehouse: w,
		Now: func() time.Time { return monday }, Notes: io.Discard, Progress: func(batch.Progress) {},
	}
	if err := e.Begin(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Evaluate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(before, `["7","running"]`) || !strings.Contains(statuses(), `["7","done"]`) {
		t.Errorf("when the case is read: %s; in the end: %s", before, statuses())
	}
}

// A run that was started with a selection records it, keeps it when a part is resumed, and is resumed with it.
func TestRunRecordsItsSelection(t *testing.T) {
	w := database(t)
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "c.jsonl")
	if err := os.WriteFile(path, []byte(`{"case_id":"q1","agent":{"name":"a","version":"1","batch_id":"d1"}}
{"case_id":"q1","agent":{"name":"a","version":"1","batch_id":"d2"}}
{"case_id":"q1","agent":{"name":"b","version":"1","batch_id":"d2"}}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	for i, step := range []struct {
		given   scoring.By
		metrics string // of the command line
		rows    int    // of eval_runs
	}{{scoring.By{Batch: "d2"}, "ex_bird,row_f1", 2}, {scoring.By{Agent: "a"}, "ex_bird", 2}, {scoring.By{}, "", 2}} {
		e := evaluation.Run{ID: "r", Mode: "both", Engine: engine, Warehouse: w, Resumed: i > 0, Now: func() time.Time { return monday }, Notes: io.Discard}
		if err := e.Begin(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		given := evaluation.Selection{By: step.given}
		if e.Metrics = strings.FieldsFunc(step.metrics, func(r rune) bool { return r == ',' }); e.Resumed {
			if given, err = e.Resume(given, e.Metrics); err != nil {
				t.Fatal(err)
			}
			e.Metrics = e.ResumedMetrics(e.Metrics)
		} else {
			e.Select(given)
		}
		if given.Batch != "d2" || given.Agent != step.given.Agent {
			t.Errorf("step %d: selected %+v", i, given)
		}
		e.Chosen = scoring.AnswerID{By: given.By}
		source, err := cases.OpenFile("--cases", path, store.Filter{By: given.By})
		if err != nil {
			t.Fatal(err)
		}
		e.Source = source.Source
		if _, err := e.Evaluate(t.Context()); err != nil {
			t.Fatal(err)
		}
		runs, err := w.Runs(t.Context(), "r")
		if err != nil || len(runs) != step.rows {
			t.Fatalf("step %d: %d rows, %v", i, len(runs), err)
		}
		for _, r := range runs {
			if names := strings.Join(r.Metrics(), " "); names != "ex_bird row_f1" || !strings.Contains(r.Versions, `"batch_id"`) || strings.Contains(r.Versions, `"agent_name"`) {
				t.Errorf("step %d: %s", i, r.Versions)
			}
		}
	}
}

// The ID of a run is untrusted text: a terminal gets no control character of it.
func TestRunIDsArePrintable(t *testing.T) {
	var notes bytes.Buffer
	e := evaluation.Run{ID: "z\x1b[31m", Warehouse: database(t), Notes: &notes, Summary: &evaluation.Summary{}}
	var done batch.Outcome
	done.Done = 2
	e.PrintSummary(done)
	if got := notes.String(); strings.Contains(got, "\x1b") || !strings.HasPrefix(got, `run z\x1b[31m: 2 answers scored`) {
		t.Errorf("%q", got)
	}
}
