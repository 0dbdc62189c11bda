package sql

import (
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
)

// ScoredBatches reads the batches that have scores, with the date of the first run that evaluated
// them and the status of the last one.
func ScoredBatches() string {
	return `SELECT s.agent_name, s.agent_version, s.batch_id, r.evaluated, r.status FROM (SELECT DISTINCT agent_name, agent_version, batch_id FROM badger.scores) s
LEFT JOIN (SELECT agent_name, agent_version, batch_id, status, MIN(eval_run_date) OVER (PARTITION BY agent_name, agent_version, batch_id) AS evaluated,
    ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id ORDER BY CASE WHEN eval_run_date IS NULL THEN 1 ELSE 0 END, eval_run_date DESC, eval_run_id DESC) AS newest FROM badger.eval_runs) r
ON r.agent_name = s.agent_name AND r.agent_version = s.agent_version AND r.batch_id = s.batch_id AND r.newest = 1
ORDER BY s.agent_name, s.agent_version, s.batch_id`
}

// AnsweredAt reads when the batches of agent_runs were answered.
func (r Reader) AnsweredAt() string {
	return r.expand(`SELECT agent_name, agent_version, batch_id, MAX(ran_at) AS answered
FROM (SELECT {key agent_runs.agent_name} AS agent_name, {key agent_runs.agent_version} AS agent_version, {key agent_runs.batch_id} AS batch_id, {column agent_runs.ran_at} AS ran_at FROM badger.agent_runs) k
GROUP BY agent_name, agent_version, batch_id`)
}

// ScoredMetrics reads the names of the metrics that have scores.
func ScoredMetrics() string { return "SELECT DISTINCT metric FROM badger.scores ORDER BY metric" }

// RunConfigs reads the configuration of every run; a run may have several rows.
func RunConfigs() string {
	return "SELECT eval_run_id, config FROM badger.eval_runs"
}

// Latest chooses the latest scores of answers and metrics.
type Latest struct {
	Agent, Version, Batch string
	Everything            bool     // of all batches that have those of the three names that are not empty
	Metrics               []string // nil: all
	Details               []string // metrics whose detail is read
	ByJudge               bool     // the latest of each judge that was asked
	WithoutGold           bool     // the table has no column gold_hash
}

// Query reads the latest scores, with the judge of their run.
func (l *Latest) Query(d driver.Dialect) (query string, args []any) {
	param := func(v any) string {
		args = append(args, v)
		return d.Param(len(args))
	}
	list := func(names []string) string {
		params := make([]string, len(names))
		for i, n := range names {
			params[i] = param(n)
		}
		return strings.Join(params, ", ")
	}
	detail := "CAST(NULL AS " + d.Types[driver.Text] + ")"
	if len(l.Details) > 0 {
		detail = "CASE WHEN s.metric IN (" + list(l.Details) + ") THEN s.detail END"
	}
	gold, judge := "s.gold_hash", ""
	if l.WithoutGold {
		gold = "CAST(NULL AS " + d.Types[driver.Text] + ")"
	}
	if l.ByJudge {
		judge = ", r.judge"
	}
	var conds []string
	for _, c := range []struct{ column, value string }{{"agent_name", l.Agent}, {"agent_version", l.Version}, {"batch_id", l.Batch}} {
		if c.value != "" || !l.Everything {
			conds = append(conds, "s."+c.column+" = "+param(c.value))
		}
	}
	if l.Metrics != nil {
		conds = append(conds, "s.metric IN ("+list(l.Metrics)+")")
	}
	where := ""
	if len(conds) > 0 {
		where = " WHERE " + strings.Join(conds, " AND ")
	}
	return `SELECT case_id, agent_name, agent_version, batch_id, metric, metric_version, status, value, label, passed, reason, detail, config_hash, gold_hash, judge, asked, eval_run_id FROM (
  SELECT s.case_id, s.agent_name, s.agent_version, s.batch_id, s.metric, s.metric_version, s.status, s.value, s.label, s.passed, s.reason, ` + detail + ` AS detail, s.config_hash, ` + gold + ` AS gold_hash, r.judge,
         CASE WHEN s.usage IS NULL AND s.assessment_ids IS NULL THEN 0 ELSE 1 END AS asked, s.eval_run_id,
         ROW_NUMBER() OVER (PARTITION BY s.agent_name, s.agent_version, s.batch_id, s.case_id, s.metric` + judge + ` ORDER BY s.scored_at DESC, CASE WHEN r.eval_run_date IS NULL THEN 1 ELSE 0 END, r.eval_run_date DESC, s.eval_run_id DESC) AS newest
  FROM badger.scores s LEFT JOIN badger.eval_runs r
  ON r.eval_run_id = s.eval_run_id AND r.agent_name = s.agent_name AND r.agent_version = s.agent_version AND r.batch_id = s.batch_id` + where + `) t
WHERE newest = 1`, args
}
