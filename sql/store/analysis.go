package store

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// ScoredBatch is a batch that has scores.
type ScoredBatch struct {
	scoring.By
	Answered  time.Time // agent_runs.ran_at of its last answer, or else eval_runs.answered_at; zero if unknown
	Evaluated time.Time // when the first run that scored it started; zero if unknown
	Changed   time.Time // when a score of it was last stored, or removed by resuming a run; zero if unknown
	Status    string    // of the last run that scored it; empty if unknown
	Run       string    // the run that made all its scores; empty if several did
}

var byOfBatch = fieldsIn(byFields, func(b *ScoredBatch) *scoring.By { return &b.By })

const readingScores = "reading scores"

// ScoredBatches lists the batches that have scores.
func (w *Store) ScoredBatches(ctx context.Context) ([]ScoredBatch, error) {
	answered := map[scoring.By]time.Time{}
	r, err := w.reader(ctx, "agent_runs")
	if err != nil && errcode.Of(err) != errcode.NotFound {
		return nil, err
	}
	if err == nil {
		batches, err := all(ctx, w, r.answeredBatches())
		if err != nil {
			return nil, err
		}
		for i := range batches {
			answered[batches[i].By] = batches[i].Answered
		}
	}
	columns, err := w.columns(ctx, TableNamed("eval_runs"))
	if err != nil {
		return nil, err
	}
	out, err := all(ctx, w, scoredBatches(w.SQL(), columns["answered_at"]))
	if err != nil {
		return nil, err
	}
	removed := map[scoring.By]time.Time{}
	for r, err := range Rows(ctx, w, removals()) {
		if err != nil {
			return nil, err
		}
		if at := r.removedAt(); at.After(removed[r.By]) {
			removed[r.By] = at
		}
	}
	for i := range out {
		b := &out[i]
		if at := answered[b.By]; !at.IsZero() {
			b.Answered = at
		}
		if at := removed[b.By]; at.After(b.Changed) {
			b.Changed = at
		}
	}
	return out, nil
}

// Written is how far the scores of runs have been written.
type Written struct {
	Scores int64     // number of rows
	Last   time.Time // when the last was stored
}

// Written returns how far the scores of the runs with these IDs have been written. It is a fraction of the work of
// [Store.ScoredBatches].
func (w *Store) Written(ctx context.Context, ids []string) (Written, error) {
	out, err := all(ctx, w, written(w.SQL(), ids))
	if err != nil || len(out) == 0 {
		return Written{}, err
	}
	return out[0], nil
}

// written returns the statement of [Store.Written].
func written(d driver.Dialect, ids []string) Select[Written] {
	names, args := make([]string, len(ids)), make([]any, len(ids))
	for i, id := range ids {
		names[i], args[i] = d.Param(i+1), id
	}
	return Select[Written]{
		What: readingScores,
		Fields: []field[Written]{
			{SQL: "COUNT(*)", In: func(w *Written) any { return &w.Scores }},
			{SQL: "MAX(scored_at)", In: func(w *Written) any { return &w.Last }},
		},
		From: " FROM badger.scores WHERE eval_run_id IN (" + strings.Join(names, ", ") + ")",
		Args: args,
	}
}

// scoredBatches returns the statement for the batches that have scores, with the date of the first run that scored
// them, the status of the last one, the times of the last answer and the last score, and the lowest and the highest ID
// of the runs with these scores. Tables of earlier versions are not dated.
func scoredBatches(d driver.Dialect, dated bool) Select[ScoredBatch] {
	answered := "CAST(NULL AS " + d.Types[driver.Timestamp] + ")"
	if dated {
		answered = "MAX(answered_at) OVER (PARTITION BY agent_name, agent_version, batch_id)"
	}
	return Select[ScoredBatch]{
		What: readingScores,
		Fields: append(ofTable("s", byOfBatch),
			field[ScoredBatch]{SQL: "r.answered", In: func(b *ScoredBatch) any { return &b.Answered }},
			field[ScoredBatch]{SQL: "r.evaluated", In: func(b *ScoredBatch) any { return &b.Evaluated }},
			field[ScoredBatch]{SQL: "s.stored", In: func(b *ScoredBatch) any { return &b.Changed }},
			field[ScoredBatch]{SQL: "r.status", In: func(b *ScoredBatch) any { return &b.Status }},
			field[ScoredBatch]{SQL: "s.first_run", In: func(b *ScoredBatch) any { return &b.Run }},
			field[ScoredBatch]{SQL: "s.last_run", Decode: func(b *ScoredBatch, last scoring.Value) error {
				if textIn(last) != b.Run {
					b.Run = ""
				}
				return nil
			}}),
		From: `
FROM (SELECT agent_name, agent_version, batch_id, MIN(eval_run_id) AS first_run, MAX(eval_run_id) AS last_run, MAX(stored) AS stored
  FROM (SELECT agent_name, agent_version, batch_id, eval_run_id, MAX(scored_at) AS stored FROM badger.scores GROUP BY agent_name, agent_version, batch_id, eval_run_id) d
  GROUP BY agent_name, agent_version, batch_id) s
LEFT JOIN (SELECT agent_name, agent_version, batch_id, status, MIN(eval_run_date) OVER (PARTITION BY agent_name, agent_version, batch_id) AS evaluated,
    ` + answered + ` AS answered, ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id ORDER BY CASE WHEN eval_run_date IS NULL THEN 1 ELSE 0 END, eval_run_date DESC, eval_run_id DESC) AS newest FROM badger.eval_runs) r
ON r.agent_name = s.agent_name AND r.agent_version = s.agent_version AND r.batch_id = s.batch_id AND r.newest = 1
ORDER BY s.agent_name, s.agent_version, s.batch_id`,
	}
}

// answeredBatches returns the statement for the time of the last answer of each batch in agent_runs.
func (r Reader) answeredBatches() Select[ScoredBatch] {
	return Select[ScoredBatch]{
		What: "reading agent_runs",
		Fields: append(slices.Clone(byOfBatch),
			field[ScoredBatch]{SQL: "MAX(ran_at) AS answered", In: func(b *ScoredBatch) any { return &b.Answered }}),
		From: r.expand(`
FROM (SELECT {key agent_runs.agent_name} AS agent_name, {key agent_runs.agent_version} AS agent_version, {key agent_runs.batch_id} AS batch_id, {column agent_runs.ran_at} AS ran_at FROM badger.agent_runs) k
GROUP BY agent_name, agent_version, batch_id`),
	}
}

// Removed are the answers of a row of eval_runs whose scores were removed, because the input of a resumed run lacked
// them. The JSON of [Run.Versions] has it as the member removed.
type Removed struct {
	Answers int64     `json:"answers"`
	At      time.Time `json:"at"` // when the last were removed
}

// removedAt returns when scores of the run's row were removed last; zero if none were.
func (r *Run) removedAt() time.Time {
	var v struct {
		Removed Removed `json:"removed"`
	}
	if json.Unmarshal([]byte(r.Versions), &v) != nil {
		return time.Time{} // a row of another program
	}
	return v.Removed.At
}

// Changed returns when a score of a run was last stored or removed by resuming it, by agent, version and batch.
func (w *Store) Changed(ctx context.Context, run string) (map[scoring.By]time.Time, error) {
	list, err := all(ctx, w, changed(w.SQL(), run))
	if err != nil {
		return nil, err
	}
	rows, err := w.Runs(ctx, run)
	out := map[scoring.By]time.Time{}
	for i := range list {
		out[list[i].By] = list[i].Changed
	}
	for i := range rows {
		if at := rows[i].removedAt(); at.After(out[rows[i].By]) {
			out[rows[i].By] = at
		}
	}
	return out, err
}

// removals returns the statement for what was removed from the rows of eval_runs.
func removals() Select[Run] {
	return Select[Run]{
		What: readingRuns,
		Fields: append(fieldsIn(byFields, func(r *Run) *scoring.By { return &r.By }),
			field[Run]{SQL: "versions", In: func(r *Run) any { return &r.Versions }}),
		From: " FROM badger.eval_runs",
	}
}

// changed returns the statement of [Store.Changed].
func changed(d driver.Dialect, run string) Select[ScoredBatch] {
	return Select[ScoredBatch]{
		What: readingScores,
		Fields: append(slices.Clone(byOfBatch),
			field[ScoredBatch]{SQL: "MAX(scored_at)", In: func(b *ScoredBatch) any { return &b.Changed }}),
		From: " FROM badger.scores WHERE eval_run_id = " + d.Param(1) + " GROUP BY agent_name, agent_version, batch_id",
		Args: []any{run},
	}
}

// ScoredMetrics lists the names of the metrics that have scores.
func (w *Store) ScoredMetrics(ctx context.Context) (names []string, err error) {
	return all(ctx, w, scoredMetrics())
}

func scoredMetrics() Select[string] {
	return Select[string]{
		What:     readingScores,
		Distinct: true,
		Fields:   only[string]("metric"),
		From:     " FROM badger.scores ORDER BY metric",
	}
}

// LatestScore is the latest score of an answer and metric. Its strings are valid until the next one is read.
type LatestScore struct {
	scoring.Row
	Detail     json.RawMessage // nil unless the metric is in [Latest.Details]
	RunID      string
	ConfigHash string
	Judge      string // the judge of its run
	Asked      bool   // whether a judge was called for the score
}

var latestFields = append(
	fieldsIn(slices.Concat(keyOfRow, resultFields), func(s *LatestScore) *scoring.Row { return &s.Row }),
	field[LatestScore]{SQL: "detail", In: func(s *LatestScore) any { return &s.Detail }},
	field[LatestScore]{SQL: "config_hash", In: func(s *LatestScore) any { return &s.ConfigHash }},
	field[LatestScore]{SQL: "gold_hash", In: func(s *LatestScore) any { return &s.GoldHash }},
	field[LatestScore]{SQL: "judge", In: func(s *LatestScore) any { return &s.Judge }},
	isOne("asked", func(s *LatestScore) *bool { return &s.Asked }),
	field[LatestScore]{SQL: "eval_run_id", In: func(s *LatestScore) any { return &s.RunID }},
)

// LatestScores streams the latest score of each answer and metric, in any order.
func (w *Store) LatestScores(ctx context.Context, l Latest) iter.Seq2[LatestScore, error] {
	return rowsWhenRead(ctx, w, func() (Select[LatestScore], error) {
		there, err := w.columns(ctx, TableNamed("scores"))
		l.withoutGold = !there["gold_hash"]
		return l.scores(w.SQL()), err
	})
}

// Latest selects the latest scores of answers and metrics.
type Latest struct {
	scoring.RunID          // if ID is set, only the scores of this run
	None          bool     // no scores
	Everything    bool     // also scores with other names, if Agent, Version or Batch is empty
	Batches       []string // only of these batches; nil: all
	Runs          []string // the runs that made all scores of Batches, so that none replaces another; nil: unknown
	Metrics       []string // nil: all
	Details       []string // metrics whose detail is read
	ByJudge       bool     // the latest score for each judge, not for all judges together
	Brief         bool     // without labels, and without reasons of scores with a value

	withoutGold bool // the table lacks the column gold_hash
}

// scores returns the statement for the selected scores, with the judge of their run.
func (l *Latest) scores(d driver.Dialect) Select[LatestScore] {
	p := arguments{dialect: d}
	from := l.from(&p)
	// strings are borrowed, as there may be millions of rows
	return Select[LatestScore]{
		What:   readingScores,
		Fields: latestFields,
		From:   from,
		Args:   p.args,
		Borrow: true,
	}
}

// text returns the statement of [Latest.scores] as a subquery, with its arguments added to p.
func (l *Latest) text(p *arguments) string { return "SELECT " + columnsOf(latestFields) + l.from(p) }

// arguments collects the arguments of a statement, in the order of its text.
type arguments struct {
	dialect driver.Dialect
	args    []any
}

func (p *arguments) add(v any) string {
	p.args = append(p.args, v)
	return p.dialect.Param(len(p.args))
}

func (p *arguments) list(values []string) string { return params(p.dialect, &p.args, values) }

// params appends values to args and returns their placeholders, separated by commas.
func params(d driver.Dialect, args *[]any, values []string) string {
	out := make([]string, len(values))
	for i, v := range values {
		*args = append(*args, v)
		out[i] = d.Param(len(*args))
	}
	return strings.Join(out, ", ")
}

func (l *Latest) from(p *arguments) string {
	d := p.dialect
	detail := "CAST(NULL AS " + d.Types[driver.Text] + ")"
	if len(l.Details) > 0 {
		detail = "CASE WHEN s.metric IN (" + p.list(l.Details) + ") THEN s.detail END"
	}
	label, reason := "s.label", "s.reason"
	if l.Brief {
		label = "CAST(NULL AS " + d.Types[driver.Text] + ") AS label"
		reason = "CASE WHEN s.status <> 'ok' THEN s.reason END AS reason"
	}
	gold, judge := "s.gold_hash", ""
	if l.withoutGold {
		gold = "CAST(NULL AS " + d.Types[driver.Text] + ")"
	}
	if l.ByJudge {
		judge = ", r.judge"
	}
	var conds []string
	for _, c := range []struct{ column, value string }{{"agent_name", l.Agent}, {"agent_version", l.Version},
		{"batch_id", l.Batch}} {
		if name, ok := scoring.Named(c.value); ok || !l.Everything {
			conds = append(conds, "s."+c.column+" = "+p.add(name))
		}
	}
	if l.ID != "" {
		conds = append(conds, "s.eval_run_id = "+p.add(l.ID))
	}
	if l.Runs != nil {
		conds = append(conds, "s.eval_run_id IN ("+p.list(l.Runs)+")")
	}
	if l.Batches != nil {
		conds = append(conds, "s.batch_id IN ("+p.list(l.Batches)+")")
	}
	if l.None {
		conds = append(conds, "1 = 0")
	}
	if l.Metrics != nil {
		conds = append(conds, "s.metric IN ("+p.list(l.Metrics)+")")
	}
	newest := `ROW_NUMBER() OVER (PARTITION BY s.agent_name, s.agent_version, s.batch_id, s.case_id, s.metric` + judge + ` ORDER BY s.scored_at DESC, CASE WHEN r.eval_run_date IS NULL THEN 1 ELSE 0 END, r.eval_run_date DESC, s.eval_run_id DESC)`
	if l.ID != "" || l.Runs != nil { // a run has only one score for an answer and metric
		newest = "1"
	}
	where := ""
	if len(conds) > 0 {
		where = " WHERE " + strings.Join(conds, " AND ")
	}
	return ` FROM (
  SELECT s.case_id, s.agent_name, s.agent_version, s.batch_id, s.metric, s.metric_version, ` + countedScoreOf(l.Metrics, "s.", "status") + ` AS status, ` + countedScoreOf(l.Metrics, "s.", "value") + ` AS value, ` + label + `, ` + countedScoreOf(l.Metrics, "s.", "passed") + ` AS passed, ` + reason + `, ` + detail + ` AS detail, s.config_hash, ` + gold + ` AS gold_hash, r.judge,
         ` + restsOnJudge("s.") + ` AS asked, s.eval_run_id,
         ` + newest + ` AS newest
  FROM badger.scores s LEFT JOIN badger.eval_runs r
  ON r.eval_run_id = s.eval_run_id AND r.agent_name = s.agent_name AND r.agent_version = s.agent_version AND r.batch_id = s.batch_id` + where + `) t
WHERE newest = 1`
}

// RunConfigs returns the configurations of the runs, as JSON, by run ID.
func (w *Store) RunConfigs(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	for r, err := range Rows(ctx, w, runConfigs()) {
		if err != nil {
			return out, err
		}
		if r.Config != "" {
			out[r.ID] = r.Config
		}
	}
	return out, nil
}

// runConfigs returns the statement for the configuration of every row of eval_runs; a run may have several rows.
func runConfigs() Select[Run] {
	return Select[Run]{
		What:   readingRuns,
		Fields: []field[Run]{runFields[0], configOfRun},
		From:   " FROM badger.eval_runs",
	}
}
