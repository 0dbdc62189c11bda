package store

import "github.com/badger-eval/badger/connectors/driver"

// AnswersOfCase reads whose answers to a question a run scored. Its parameters are the run and the
// case.
func AnswersOfCase(d driver.Dialect) string {
	return "SELECT DISTINCT agent_name, agent_version, batch_id FROM badger.scores WHERE eval_run_id = " + d.Param(1) + " AND case_id = " + d.Param(2) + " ORDER BY agent_name, agent_version, batch_id"
}

// Results reads the keys and results of all answers to the questions of a range: agent, version, batch,
// case, result.
func (q *Answers) Results(r *Range) string {
	return "SELECT r.agent_name, r.agent_version, r.batch_id, r.case_id, r.result FROM " + q.runs([]string{"result"}) + " WHERE " + q.within("r", r) + inOrder
}
