package evaluation

import (
	"context"
	"encoding/json"
	"hash/maphash"
	"slices"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// removeGone removes the scores of answers that the run scored earlier and its input lacks now, from the ledger and the
// summary: after a resume, a run has the scores that a new run over the same input would have. Answers that the call
// does not select keep theirs. If the input has none of the run's answers, it is probably another one: nothing is
// removed and the error is FailedPrecondition.
func (e *Run) removeGone(ctx context.Context, ledger batch.Ledger, o *batch.Outcome) error {
	gone := slices.DeleteFunc(slices.Clone(o.Gone), func(a scoring.AnswerID) bool { return !e.expected(a) })
	if len(gone) > 0 && o.Known == 0 { // of a source that can be read only once
		return batch.ForeignSource(len(gone), e.ID)
	}
	return e.remove(ctx, ledger, gone)
}

// expected reports whether the call selects an answer that was scored before, and that was not missing.
func (e *Run) expected(a scoring.AnswerID) bool {
	_, missing := e.absent[a]
	return !missing && a.Matches(e.Chosen)
}

// removeAbsent removes the scores of missing answers whose questions the golden set has no longer.
func (e *Run) removeAbsent(ctx context.Context, ledger batch.Ledger) error {
	var gone []scoring.AnswerID
	for a := range e.absent {
		if a.Matches(e.Chosen) {
			gone = append(gone, a)
		}
	}
	return e.remove(ctx, ledger, gone)
}

// remove removes the scores of answers. Rows of eval_runs record it first, so that a batch does not lose scores
// without a trace.
func (e *Run) remove(ctx context.Context, ledger batch.Ledger, gone []scoring.AnswerID) error {
	if len(gone) == 0 {
		return nil
	}
	if e.removed == nil {
		e.removed = map[scoring.By]int64{}
	}
	touched := map[scoring.By]bool{}
	for _, a := range gone {
		e.removed[a.By]++
		touched[a.By] = true
	}
	if e.Warehouse != nil {
		var rows []store.Run
		for by := range touched {
			run := e.earlier[scoring.RunID{ID: e.ID, By: by}]
			versions, err := e.versions()
			if err != nil {
				return err
			}
			run.RunID = scoring.RunID{ID: e.ID, By: by}
			versions.Removed = e.removals(run.RunID)
			run.Started, run.Answered, run.Status, run.Versions = e.started, e.answered[run.RunID], "running", toJSON(versions)
			rows = append(rows, run)
		}
		if err := e.Warehouse.WriteRuns(ctx, rows...); err != nil {
			return err
		}
	}
	if err := ledger.Remove(ctx, e.ID, gone); err != nil {
		return errcode.New(errcode.Of(err), "removing scores of answers that the input lacks: %w; resuming the run repeats it", err)
	}
	e.Summary.report.Forget(gone)
	return nil
}

// removals returns the answers of a row of eval_runs whose scores were removed, by this call and earlier ones.
func (e *Run) removals(key scoring.RunID) *store.Removed {
	var earlier runVersions
	_ = json.Unmarshal([]byte(e.earlier[key].Versions), &earlier) // a row of another program may lack it
	n := e.removed[key.By]
	switch {
	case n == 0:
		return earlier.Removed
	case earlier.Removed != nil:
		n += earlier.Removed.Answers
	}
	return &store.Removed{Answers: n, At: e.Now().UTC()}
}

// heldMissing is called with the stored scores of a missing answer.
func (e *Run) heldMissing(rows []scoring.Row) {
	if e.absent == nil {
		e.absent = map[scoring.AnswerID]uint64{}
	}
	e.absent[rows[0].AnswerID] = e.sumOf(rows)
}

var scoreSeed = maphash.MakeSeed()

// sumOf returns a sum of hashes of an answer's scores, without their evidence.
func (e *Run) sumOf(rows []scoring.Row) (sum uint64) {
	type key struct {
		metric                    string
		version                   int
		status                    scoring.Status
		value                     float64
		passed, label, reason, of string
	}
	for i := range rows {
		s := &rows[i].Score
		k := key{metric: s.Metric, version: s.Version, status: s.Status, value: s.Value, label: s.Label, reason: s.Reason,
			of: rows[i].GoldHash}
		if s.Passed != nil {
			k.passed = toJSON(*s.Passed)
		}
		sum += maphash.Comparable(scoreSeed, k)
	}
	return sum
}

// arrange arranges the score file of a resumed run, which may have several lines of one score.
func (e *Run) arrange(ctx context.Context, r *batch.Runner) error {
	if e.ScoreFile == nil || !e.Resumed || !e.ScoreFile.Untidy() {
		return nil
	}
	metrics, err := r.Selection()
	if err != nil {
		return err
	}
	copies, err := batch.FindCopies(ctx, e.Source)
	if err != nil {
		return err
	}
	src := e.Source
	if copies == nil { // it can be read only once
		src = nil
	}
	return e.ScoreFile.Arrange(ctx, src, metrics)
}

func sum[K comparable](counts map[K]int64) (n int64) {
	for _, k := range counts {
		n += k
	}
	return n
}
