package evaluation

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/cases"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/custom"
	"github.com/badger-eval/badger/sql/store"
)

// key returns the key of the row of eval_runs that a score belongs to.
func (e *Run) key(r *scoring.Row) scoring.RunID {
	return scoring.RunID{ID: e.ID, By: r.By}
}

// tallyOf returns the tally of the row of eval_runs that a score belongs to.
func (e *Run) tallyOf(r *scoring.Row) *tally {
	key := e.key(r)
	t := e.answers[key]
	if t == nil {
		t = &tally{statuses: map[scoring.Status]int64{}}
		e.answers[key] = t
	}
	return t
}

// begin writes the rows of eval_runs before answers are scored, so that the scores and costs of a killed run have a
// row.
func (e *Run) begin(ctx context.Context, answers ...scoring.RunID) error {
	e.beginning.Lock()
	defer e.beginning.Unlock()
	var runs []store.Run
	for _, key := range answers {
		if e.begun[key] {
			continue
		}
		e.begun[key] = true
		run, ok := e.earlier[key]
		if !ok {
			run.RunID = key
			versions, err := e.versions()
			if err != nil {
				return err
			}
			run.Mode, run.Judge, run.Config, run.Versions = e.Mode, e.judgeName(), toJSON(e.Config), toJSON(versions)
		}
		run.Started, run.Answered, run.Status = e.started, e.answered[key], "running"
		runs = append(runs, run)
	}
	return e.Warehouse.WriteRuns(ctx, runs...)
}

// date records that an answer of a row of eval_runs was given at that time; zero if unknown.
func (e *Run) date(key scoring.RunID, at time.Time) {
	e.beginning.Lock()
	defer e.beginning.Unlock()
	if at.After(e.answered[key]) {
		e.answered[key] = at
	}
}

// begins is a source that records when its answers were given, and writes the rows of eval_runs of its cases, if the
// run has a database, before it yields them.
type begins struct {
	batch.Source
	e *Run
}

// Cases implements batch.Source.
func (b begins) Cases(ctx context.Context) iter.Seq2[batch.Item, error] {
	return func(yield func(batch.Item, error) bool) {
		for item, err := range b.Source.Cases(ctx) {
			if err == nil && item.Matches(b.e.Chosen) {
				key := scoring.RunID{ID: b.e.ID, By: item.By}
				b.e.date(key, item.RanAt)
				if b.e.Warehouse != nil {
					err = b.e.begin(ctx, key)
				}
			}
			if !yield(item, err) {
				return
			}
		}
	}
}

// Copies returns the duplicate answers of the wrapped source.
func (b begins) Copies(ctx context.Context) (map[scoring.AnswerID]batch.Copies, error) {
	return batch.FindCopies(ctx, b.Source)
}

// Count implements batch.Counter; it returns 0 if the wrapped source cannot count.
func (b begins) Count(ctx context.Context) (int64, error) {
	if c, ok := b.Source.(batch.Counter); ok {
		return c.Count(ctx)
	}
	return 0, nil
}

// versions returns what the run is made with, and what it selects. A resumed run keeps its metrics and its selection.
func (e *Run) versions() (*runVersions, error) {
	v := &runVersions{Badger: e.Version, Metrics: map[string]int{}, Judges: map[string]string{},
		Answers: recorded(e.selection)}
	maps.Copy(v.Metrics, e.had)
	for _, name := range e.Metrics {
		m, err := e.Engine.Metric(name)
		if err != nil {
			return nil, err
		}
		v.Metrics[name] = m.Version
		if m.Group == custom.Group {
			v.Judges[name] = m.Source
		}
	}
	return v, nil
}

// record writes the rows of eval_runs with their counts, costs and the given status: one for each agent, version and
// batch.
func (e *Run) record(ctx context.Context, status string) error {
	others := map[scoring.RunID]bool{} // rows that have scores of metrics that are not part of this call
	if e.Resumed {                     // what is held may be of metrics that are not part of this call, or replaced
		e.answers = map[scoring.RunID]*tally{}
		for r, err := range e.Warehouse.Scores(ctx, e.ID) {
			if err != nil {
				return err
			}
			e.count([]scoring.Row{r})
			if !slices.Contains(e.Metrics, r.Score.Metric) {
				others[e.key(&r)] = true
			}
		}
	}
	for key := range e.begun {
		if e.answers[key] == nil { // it has no scores yet
			e.answers[key] = &tally{statuses: map[scoring.Status]int64{}}
		}
	}
	for by := range e.removed { // its scores may all be removed
		if key := (scoring.RunID{ID: e.ID, By: by}); e.answers[key] == nil {
			e.answers[key] = &tally{statuses: map[scoring.Status]int64{}}
		}
	}
	versions, err := e.versions()
	if err != nil {
		return err
	}
	if s, ok := e.Source.(*cases.Warehouse); ok {
		versions.GoldenSet = s.Taken()
	}
	var paid Cost
	if e.Judge != nil {
		paid = e.Judge.Paid()
	}
	paid.plus(e.paidEarlier())
	var runs []store.Run
	for key, t := range e.answers {
		if !key.Matches(e.Chosen.By) {
			continue // this call did not go through its answers
		}
		status := status
		if earlier := e.earlier[key]; others[key] && earlier.Status != "done" {
			status = earlier.Status // the other metrics may lack scores
		}
		run := store.Run{RunID: key, Answered: e.answered[key]}
		run.Started, run.Mode, run.Status, run.Judge = e.started, e.Mode, status, e.judgeName()
		versions.Removed = e.removals(key)
		run.Config, run.Versions, run.Counts = toJSON(e.Config), toJSON(versions), toJSON(t.statuses)
		run.Tokens, run.Cost = toJSON(t.usage), toJSON(paid)
		runs = append(runs, run)
	}
	return e.Warehouse.WriteRuns(ctx, runs...)
}

// judgeName returns the name of the judge or of the backend of recorded replies, or "none".
func (e *Run) judgeName() string {
	name := "none"
	if e.Judge != nil {
		name = e.Judge.Name()
	}
	switch {
	case e.Recorded == nil:
		return name
	case e.Judge == nil:
		return "recorded:" + e.Recorded.backend
	}
	return "recorded:" + e.Recorded.backend + ", " + name
}

// toJSON returns v as JSON for a table; "null" if it cannot be encoded.
func toJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(text)
}

// warehouseLedger stores the scores of a run in a warehouse's tables.
type warehouseLedger struct {
	w     *store.ScoreWriter
	now   func() time.Time
	begin func(ctx context.Context, answers ...scoring.RunID) error // writes rows of eval_runs
	key   func(*scoring.Row) scoring.RunID
}

// Held yields the stored scores of the run.
func (l warehouseLedger) Held(ctx context.Context, _ string) iter.Seq2[scoring.Row, error] {
	return l.w.Held(ctx)
}

// Remove deletes the scores of the answers.
func (l warehouseLedger) Remove(ctx context.Context, _ string, answers []scoring.AnswerID) error {
	return l.w.Remove(ctx, answers)
}

// Append stores scores. A score replaces a stored one with the same key.
func (l warehouseLedger) Append(ctx context.Context, _ string, rows []scoring.Row) error {
	keys := make([]scoring.RunID, len(rows))
	for i := range rows {
		keys[i] = l.key(&rows[i])
	}
	if err := l.begin(ctx, keys...); err != nil {
		return err
	}
	return l.w.Write(ctx, l.now(), rows)
}
