package sql

import "github.com/badger-eval/badger/connectors/driver"

// ScoresOfAnswer reads the scores of one answer in a run with all that is evidence. Its parameters
// are the run, agent, version, batch and case.
func ScoresOfAnswer(d driver.Dialect, withoutGold bool) string {
	gold := "gold_hash"
	if withoutGold {
		gold = "CAST(NULL AS " + d.Types[driver.Text] + ")"
	}
	return `SELECT case_id, agent_name, agent_version, batch_id, metric, metric_version, status, value, label, passed, reason, code, usage, detail, assessment_ids, ` + gold + ` AS gold_hash, scored_at
FROM badger.scores WHERE eval_run_id = ` + d.Param(1) + " AND agent_name = " + d.Param(2) + " AND agent_version = " + d.Param(3) + " AND batch_id = " + d.Param(4) + " AND case_id = " + d.Param(5) + `
ORDER BY metric`
}

// AnswersOfCase reads whose answers to a question a run scored. Its parameters are the run and the
// case.
func AnswersOfCase(d driver.Dialect) string {
	return `SELECT DISTINCT agent_name, agent_version, batch_id FROM badger.scores WHERE eval_run_id = ` + d.Param(1) + " AND case_id = " + d.Param(2) + " ORDER BY agent_name, agent_version, batch_id"
}
