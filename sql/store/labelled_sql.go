package store

import (
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/scoring"
)

// LabelledScores reads the scores of a batch's answers that are labeled, or that answer the same question as a
// labeled one, those of later runs after those of earlier ones: case_id, metric, status, value, label, passed, the
// calls to a judge, the judge of the run, whether the score rests on a reply, and the run.
func (r Reader) LabelledScores(by scoring.By) (query string, args []any) {
	p := &arguments{dialect: r.Dialect}
	log := ""
	if !r.NoLog {
		log = " UNION ALL SELECT case_id FROM badger.label_log"
	}
	of := func(column, value string) string { return "s." + column + " = " + p.add(value) }
	where := of("agent_name", by.Agent) + " AND " + of("agent_version", by.Version) + " AND " + of("batch_id", by.Batch)
	return r.expand(`SELECT s.case_id, s.metric, s.status, s.value, s.label, CASE WHEN s.passed THEN 1 WHEN NOT s.passed THEN 0 END AS verdict, {s.json usage.calls} AS calls, r.judge,
  CASE WHEN s.usage IS NULL AND s.assessment_ids IS NULL THEN 0 ELSE 1 END AS asked, s.eval_run_id
FROM badger.scores s LEFT JOIN badger.eval_runs r ON r.eval_run_id = s.eval_run_id AND r.agent_name = s.agent_name AND r.agent_version = s.agent_version AND r.batch_id = s.batch_id
WHERE `) + where + r.expand(` AND s.case_id IN (SELECT {key human_labels.case_id} FROM badger.human_labels`+log+`)
ORDER BY CASE WHEN r.eval_run_date IS NULL THEN 0 ELSE 1 END, r.eval_run_date, s.eval_run_id`), p.args
}

// Labellers reads the annotators of a batch's answers: annotator, number of answers, times of the first and the
// last. The times of human_labels may be of any type.
func (r Reader) Labellers(by scoring.By) (query string, args []any) {
	p := &arguments{dialect: r.Dialect}
	which := func() string {
		return "agent_name = " + p.add(by.Agent) + " AND COALESCE(agent_version, " + p.add(by.Version) + ") = " + p.add(by.Version) + " AND batch_id = " + p.add(by.Batch)
	}
	return r.expand(`SELECT annotator, COUNT(DISTINCT case_id) AS answers, MIN(labelled_at) AS since, MAX(labelled_at) AS last
FROM (SELECT {key human_labels.annotator} AS annotator, {key human_labels.case_id} AS case_id, {key human_labels.agent_name} AS agent_name, {text human_labels.agent_version} AS agent_version, {key human_labels.batch_id} AS batch_id, {column human_labels.labelled_at} AS labelled_at
  FROM badger.human_labels) k WHERE `) + which() + " GROUP BY annotator ORDER BY annotator", p.args
}

// LogLabellers is [Reader.Labellers] of the log of labels.
func LogLabellers(d driver.Dialect, by scoring.By) (query string, args []any) {
	p := &arguments{dialect: d}
	return "SELECT annotator, COUNT(DISTINCT case_id) AS answers, MIN(labelled_at) AS since, MAX(labelled_at) AS last FROM badger.label_log WHERE agent_name = " + p.add(by.Agent) + " AND agent_version = " + p.add(by.Version) + " AND batch_id = " + p.add(by.Batch) +
		" AND verdict NOT IN (" + noOpinion + ") GROUP BY annotator ORDER BY annotator", p.args
}
