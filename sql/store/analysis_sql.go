package store

import (
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/scoring"
)

// ScoredBatches reads the batches that have scores, with the date of the first run that evaluated
// them, the status of the last one, and the first and the last id of the runs whose scores they are.
func ScoredBatches() string {
	return `SELECT s.agent_name, s.agent_version, s.batch_id, r.evaluated, r.status, s.first_run, s.last_run
FROM (SELECT agent_name, agent_version, batch_id, MIN(eval_run_id) AS first_run, MAX(eval_run_id) AS last_run FROM badger.scores GROUP BY agent_name, agent_version, batch_id) s
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
	scoring.RunID          // of which an ID that is not empty chooses only what this run scored
	None          bool     // nothing at all
	Everything    bool     // of all batches that have those of the three names that are not empty
	Metrics       []string // nil: all
	Details       []string // metrics whose detail is read
	ByJudge       bool     // the latest of each judge that was asked
	WithoutGold   bool     // the table has no column gold_hash
}

const latestColumns = "case_id, agent_name, agent_version, batch_id, metric, metric_version, status, value, label, passed, reason, detail, config_hash, gold_hash, judge, asked, eval_run_id"

// Query reads the latest scores, with the judge of their run.
func (l *Latest) Query(d driver.Dialect) (query string, args []any) {
	p := arguments{dialect: d}
	return l.text(&p), p.args
}

// arguments are those of a query, in the order of its text.
type arguments struct {
	dialect driver.Dialect
	args    []any
}

func (p *arguments) add(v any) string {
	p.args = append(p.args, v)
	return p.dialect.Param(len(p.args))
}

func (p *arguments) list(values []string) string { return params(p.dialect, &p.args, values) }

func (l *Latest) text(p *arguments) string {
	d := p.dialect
	detail := "CAST(NULL AS " + d.Types[driver.Text] + ")"
	if len(l.Details) > 0 {
		detail = "CASE WHEN s.metric IN (" + p.list(l.Details) + ") THEN s.detail END"
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
		if name, ok := scoring.Named(c.value); ok || !l.Everything {
			conds = append(conds, "s."+c.column+" = "+p.add(name))
		}
	}
	if l.ID != "" {
		conds = append(conds, "s.eval_run_id = "+p.add(l.ID))
	}
	if l.None {
		conds = append(conds, "1 = 0")
	}
	if l.Metrics != nil {
		conds = append(conds, "s.metric IN ("+p.list(l.Metrics)+")")
	}
	newest := `ROW_NUMBER() OVER (PARTITION BY s.agent_name, s.agent_version, s.batch_id, s.case_id, s.metric` + judge + ` ORDER BY s.scored_at DESC, CASE WHEN r.eval_run_date IS NULL THEN 1 ELSE 0 END, r.eval_run_date DESC, s.eval_run_id DESC)`
	if l.ID != "" { // in a run each answer has one score of a metric
		newest = "1"
	}
	where := ""
	if len(conds) > 0 {
		where = " WHERE " + strings.Join(conds, " AND ")
	}
	return `SELECT ` + latestColumns + ` FROM (
  SELECT s.case_id, s.agent_name, s.agent_version, s.batch_id, s.metric, s.metric_version, s.status, s.value, s.label, s.passed, s.reason, ` + detail + ` AS detail, s.config_hash, ` + gold + ` AS gold_hash, r.judge,
         CASE WHEN s.usage IS NULL AND s.assessment_ids IS NULL THEN 0 ELSE 1 END AS asked, s.eval_run_id,
         ` + newest + ` AS newest
  FROM badger.scores s LEFT JOIN badger.eval_runs r
  ON r.eval_run_id = s.eval_run_id AND r.agent_name = s.agent_name AND r.agent_version = s.agent_version AND r.batch_id = s.batch_id` + where + `) t
WHERE newest = 1`
}
