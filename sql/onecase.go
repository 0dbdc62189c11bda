package sql

import "github.com/badger-eval/badger/connectors/driver"

// AnswersOfCase reads whose answers to a question a run scored. Its parameters are the run and the
// case.
func AnswersOfCase(d driver.Dialect) string {
	return "SELECT DISTINCT agent_name, agent_version, batch_id FROM badger.scores WHERE eval_run_id = " + d.Param(1) + " AND case_id = " + d.Param(2) + " ORDER BY agent_name, agent_version, batch_id"
}
