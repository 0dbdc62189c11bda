package store

import (
	"context"
	"iter"
	"strconv"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/scoring"
)

// Verdict is the outcome of a question in a run, by one metric.
type Verdict struct {
	scoring.RunID
	CaseID string
	Stands string // the outcome, as in [CasePair]
}

// Verdicts streams the verdicts of a metric on some questions in some runs, in any order.
func (w *Store) Verdicts(
	ctx context.Context,
	runs []scoring.RunID,
	metric string,
	ids []string,
) iter.Seq2[Verdict, error] {
	if len(runs) == 0 || len(ids) == 0 {
		return func(func(Verdict, error) bool) {}
	}
	return Rows(ctx, w, verdicts(w.SQL(), runs, metric, ids))
}

// inRuns returns the condition that a row of scores belongs to one of some runs. IDs come first, as the index on the
// key uses them.
func inRuns(p *arguments, runs []scoring.RunID) string {
	ids := make([]string, len(runs))
	for i := range runs {
		ids[i] = runs[i].ID
	}
	out := "eval_run_id IN (" + p.list(ids) + ") AND ("
	for i, run := range runs {
		if i > 0 {
			out += " OR "
		}
		out += runIs(p.dialect, &p.args, run)
	}
	return out + ")"
}

// unansweredScore is the start of the condition that a score does not apply because the agent gave no answer.
const unansweredScore = "status = 'not_applicable' AND COALESCE(reason, '') IN ("

func verdicts(d driver.Dialect, runs []scoring.RunID, metric string, ids []string) Select[Verdict] {
	p := &arguments{dialect: d}
	ofMetric, chosen, among := p.add(metric), inRuns(p, runs), p.list(ids)
	from := " FROM (SELECT eval_run_id, agent_name, agent_version, batch_id, case_id, status, " +
		"CASE WHEN passed THEN 1 WHEN NOT passed THEN 0 END AS passed, " +
		"CASE WHEN " + unansweredScore + noAnswer + ") THEN 1 ELSE 0 END AS unanswered" +
		" FROM badger.scores WHERE metric = " + ofMetric + " AND " + chosen + " AND case_id IN (" + among + ")) s"
	return Select[Verdict]{
		What: readingScores, From: from, Args: p.args,
		Fields: append(fieldsIn(runIDFields, func(v *Verdict) *scoring.RunID { return &v.RunID }),
			field[Verdict]{SQL: "case_id", In: func(v *Verdict) any { return &v.CaseID }},
			field[Verdict]{SQL: standing("s."), In: func(v *Verdict) any { return &v.Stands }}),
	}
}

// Unsteady lists the questions that passed in some of the runs and not in others, at most limit, ordered by the smaller
// of the numbers of passes and of misses, the largest first.
func (w *Store) Unsteady(ctx context.Context, runs []scoring.RunID, metric string, limit int) ([]string, error) {
	if len(runs) == 0 {
		return nil, nil
	}
	return all(ctx, w, unsteady(w.SQL(), runs, metric, limit))
}

func unsteady(d driver.Dialect, runs []scoring.RunID, metric string, limit int) Select[string] {
	p := &arguments{dialect: d}
	ofMetric, chosen := p.add(metric), inRuns(p, runs)
	from := " FROM (SELECT case_id, COUNT(CASE WHEN passed THEN 1 END) AS passes, " +
		"COUNT(CASE WHEN NOT passed OR " + unansweredScore + noAnswer + ") THEN 1 END) AS misses" +
		" FROM badger.scores WHERE metric = " + ofMetric + " AND " + chosen + " GROUP BY case_id) s" +
		" WHERE passes > 0 AND misses > 0" +
		" ORDER BY CASE WHEN passes < misses THEN passes ELSE misses END DESC, case_id LIMIT " + strconv.Itoa(limit)
	return Select[string]{What: readingScores, Fields: only[string]("case_id"), From: from, Args: p.args}
}
