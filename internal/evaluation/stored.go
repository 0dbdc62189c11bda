package evaluation

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/export"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/internal/storedscores"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
)

// Named identifies a stored run and a pattern of its answers.
type Named struct {
	ID   string           // "": the latest run
	Flag string           // flag that names the run, for messages: --run or --against
	Of   scoring.AnswerID // pattern of the answers to examine
	DB   string           // the URL of the database, for messages
}

// Only describes the answers that a pattern selects, such as agent "nova", batch "b1"; "" for all.
func Only(of scoring.By) string {
	var out []string
	for _, f := range []struct{ what, pattern string }{{"agent", of.Agent}, {"version", of.Version}, {"batch", of.Batch}} {
		if name, ok := scoring.Named(f.pattern); ok {
			out = append(out, fmt.Sprintf("%s %q", f.what, name))
		}
	}
	return strings.Join(out, ", ")
}

// latestOf returns the ID of the latest run with answers that match the pattern by; "" if there is none among the last
// runs.
func latestOf(ctx context.Context, w *store.Store, by scoring.By) (string, error) {
	const most = 500
	ids, err := w.LatestRuns(ctx, most)
	if err != nil {
		return "", err
	}
	for _, id := range ids {
		rows, err := w.Runs(ctx, id)
		if err != nil {
			return "", err
		}
		if slices.ContainsFunc(rows, func(r store.Run) bool { return r.Matches(by) }) {
			return id, nil
		}
	}
	return "", nil
}

// Against returns the side that a report compares with: a run by its ID, or else the latest run of the latest batch
// that n.ID selects, which is AGENT@VERSION, an agent, a version or a batch.
func (n Named) Against(ctx context.Context, notes io.Writer, w *store.Store) (store.OfRun, error) {
	rows, err := w.Runs(ctx, n.ID)
	if err != nil {
		return store.OfRun{}, err
	}
	if len(rows) > 0 {
		of, err := n.Find(ctx, notes, w)
		return store.OfRun{RunID: scoring.RunID{ID: of.ID}}, err
	}
	batches, err := storedscores.In(w).Batches(ctx)
	if err != nil {
		return store.OfRun{}, err
	}
	analysis.Sort(batches)
	named, err := analysis.BatchesNamed(batches, n.Flag, n.ID, "")
	if err != nil {
		var other error
		if named, other = analysis.BatchesNamed(batches, n.Flag, "", n.ID); other != nil {
			return store.OfRun{}, errcode.Usage("%w; or name a run or a batch", err)
		}
	}
	by := named[len(named)-1].By
	id, err := latestOf(ctx, w, by)
	return store.OfRun{RunID: scoring.RunID{ID: id, By: by}}, err
}

// Find returns the run and pattern. A run that does not exist is a usage error, and for --run so is one without
// matching answers; a database without runs is NotFound. It writes a note if the run is incomplete.
func (n Named) Find(ctx context.Context, notes io.Writer, w *store.Store) (of store.OfRun, err error) {
	id, flag := n.ID, n.Flag
	if id == "" && n.Of.By != (scoring.By{}) {
		if id, err = latestOf(ctx, w, n.Of.By); err != nil {
			return of, err
		}
	}
	if id == "" {
		last, err := w.LastRun(ctx)
		if err != nil {
			return of, err
		}
		if last == nil {
			return of, errcode.New(errcode.NotFound, "the database holds no runs; badger run --to %s creates one",
				printable.Shell(n.DB))
		}
		id = last.ID
	}
	rows, err := w.Runs(ctx, id)
	if err != nil {
		return of, err
	}
	if len(rows) == 0 {
		latest, err := w.LatestRuns(ctx, 5)
		if err != nil {
			return of, err
		}
		return of, errcode.Usage("%s: there is no run %s; the latest runs are %s", flag, printable.Short(id),
			printable.List(latest))
	}
	of = store.OfRun{RunID: scoring.RunID{ID: id, By: n.Of.By}}
	var names, unfinished []string
	matched := false
	for _, row := range rows {
		names = append(names, strings.TrimSpace(report.Agent{Name: row.Agent, Version: row.Version}.Shown()+" "+row.Batch))
		if matches := row.Matches(n.Of.By); flag == "--run" && matches || flag != "--run" {
			matched = true
			if row.Status != "done" && !slices.Contains(unfinished, row.Status) {
				unfinished = append(unfinished, row.Status)
			}
		}
	}
	if !matched {
		return of, errcode.Usage("run %s has no such answers; it has those of %s", printable.Short(id), printable.List(names))
	}
	if len(unfinished) > 0 {
		fmt.Fprintf(notes, "note: run %s is %s; the figures are of the scores that it holds\n", printable.Short(id),
			strings.Join(unfinished, ", "))
	}
	return of, nil
}

// Stored is a run in a database, which is read once for figures and exports.
type Stored struct {
	Warehouse *store.Store
	Of        store.OfRun
	Metrics   []scoring.Metric // metrics with scores, in the order of reports
	Summary   *Summary
	Now       func() time.Time
	Progress  func(batch.Progress)

	read  int64 // number of answers read
	begun time.Time
	shown time.Time
}

// Open prepares to read a run with a declared primary metric, or "": see [scoring.Primary]. A run without scores is a
// NotFound error.
func Open(ctx context.Context, w *store.Store, of store.OfRun, mask *caseview.Mask, primary string) (*Stored, error) {
	names, err := w.MetricsOf(ctx, of)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, errcode.New(errcode.NotFound, "run %s holds no scores", printable.Short(of.ID))
	}
	r := &Stored{Warehouse: w, Of: of, Metrics: MetricsNamed(names), Now: time.Now, Progress: func(batch.Progress) {}}
	r.Summary = summaryOf(r.Metrics, primary)
	r.Summary.Mask = mask
	r.Summary.Status, err = r.status(ctx)
	return r, err
}

// Read reads the answers of the run: if summed, into the summary, after those of base (the zero value: none), and
// into files. Summary memory grows with the number of scores; files are written as answers are read. against is the
// agent and version of base for comparisons; "" if there are several.
func (r *Stored) Read(ctx context.Context, base store.OfRun, summed bool,
	files *export.Files) (against string, err error) {
	r.begun = r.Now()
	if summed {
		if against, err = r.readBase(ctx, base); err != nil {
			return "", err
		}
	}
	if !summed && !files.Any() {
		return "", nil
	}
	if err := r.each(ctx, r.Of, func(a *export.Answer) error {
		if summed {
			r.sum(a)
		}
		files.Add(a)
		return files.Err()
	}); err != nil || !summed {
		return against, err
	}
	return against, r.Summary.date(ctx, r.Warehouse)
}

// status returns the status of the run's rows that match r.Of: done if all are done.
func (r *Stored) status(ctx context.Context) (status string, err error) {
	of := r.Of
	rows, err := r.Warehouse.Runs(ctx, of.ID)
	for _, row := range rows {
		if row.Matches(of.By) && (status == "" || status == report.RunDone) {
			status = row.Status
		}
	}
	return status, err
}

// readBase adds the scores of the run base to the summary, and returns its agent and version; "" if there are
// several.
func (r *Stored) readBase(ctx context.Context, base store.OfRun) (string, error) {
	if base.ID == "" {
		return "", nil
	}
	runs, err := r.Warehouse.Runs(ctx, r.Of.ID)
	if err != nil {
		return "", err
	}
	compared := map[report.Agent]bool{}
	for _, row := range runs {
		compared[report.Agent{Name: row.Agent, Version: row.Version}] = true
	}
	versions := map[report.Agent]bool{}
	err = r.each(ctx, base, func(a *export.Answer) error {
		if compared[report.Agent{Name: a.Agent, Version: a.Version}] { // the same version, scored in another run
			a.Version = strings.TrimSpace(a.Version + " (" + a.RunID + ")")
		}
		versions[report.Agent{Name: a.Agent, Version: a.Version}] = true
		r.sum(a)
		return nil
	})
	if err != nil || len(versions) != 1 {
		return "", err
	}
	for a := range versions {
		return a.Name + "@" + a.Version, nil
	}
	return "", nil
}

// each calls f with each answer of a run.
func (r *Stored) each(ctx context.Context, of store.OfRun, f func(*export.Answer) error) error {
	for s, err := range r.Warehouse.ScoredAnswers(ctx, of) {
		if err != nil {
			return err
		}
		if err := f(export.Of(of.ID, &s)); err != nil {
			return err
		}
		r.read++
		if now := r.Now(); now.Sub(r.shown) > 200*time.Millisecond {
			r.shown = now
			r.Progress(batch.Progress{Done: r.read, Rate: float64(r.read) / max(now.Sub(r.begun).Seconds(), 0.001)})
		}
	}
	return nil
}

func (r *Stored) sum(a *export.Answer) {
	rows := make([]scoring.Row, len(a.Scores))
	for i := range a.Scores {
		rows[i] = scoring.Row{AnswerID: a.AnswerID, Score: a.Scores[i]}
	}
	r.Summary.Add(Asked{store.Question{Text: a.Question, Tags: a.Tags, TagsErr: a.TagsErr}, a.Position}, rows)
	if a.Spent != nil {
		r.Summary.report.Took(a.AnswerID, *a.Spent)
	}
}

// MetricsNamed returns the metrics with these names in the order of reports. Unknown ones, such as custom judges,
// come last and have only a name.
func MetricsNamed(names []string) []scoring.Metric {
	var out []scoring.Metric
	for _, m := range metric.All() {
		if slices.Contains(names, m.Name) {
			out = append(out, m)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(out, func(m scoring.Metric) bool { return m.Name == name }) {
			out = append(out, scoring.Metric{Name: name})
		}
	}
	return out
}

// RowChoice selects a row of eval_runs.
type RowChoice struct {
	ID      string           // of the run; "": Listed.ID, or else the latest run
	Pattern scoring.AnswerID // pattern of the row's agent, version and batch
	Listed  scoring.RunID    // the run that a list of cases names; empty if it names none
}

// FindRow returns the selected row of eval_runs. If none or several match, it returns a usage error, and for a
// database without runs NotFound. db is the URL of the database, for messages.
func FindRow(ctx context.Context, w *store.Store, db string, choice RowChoice) (scoring.RunID, error) {
	id, pattern, named := cmp.Or(choice.ID, choice.Listed.ID), choice.Pattern, choice.Listed
	if id == "" {
		last, err := w.LastRun(ctx)
		if err != nil {
			return named, err
		}
		if last == nil {
			return named, errcode.New(errcode.NotFound, "the database holds no runs; badger run --to %s creates one",
				printable.Shell(db))
		}
		id = last.ID
	}
	rows, err := w.Runs(ctx, id)
	if err != nil {
		return named, err
	}
	if len(rows) == 0 {
		return named, errcode.Usage("--run: there is no run %s", printable.Short(id))
	}
	if pattern == (scoring.AnswerID{}) && named.ID != "" {
		pattern = scoring.AnswerID{By: named.By}
	}
	var found []scoring.RunID
	var names []string
	for i := range rows {
		key := rows[i].RunID
		if key.Matches(pattern.By) {
			found = append(found, key)
		}
		names = append(names, strings.TrimSpace(report.Agent{Name: key.Agent, Version: key.Version}.Shown()+" "+key.Batch))
	}
	if len(found) != 1 {
		return named, errcode.Usage("run %s has the answers of %s; choose one with --agent, --agent-version and --batch",
			printable.Short(id), printable.List(names))
	}
	return found[0], nil
}
