package sql

import (
	"strconv"
)

// RecentRuns reads the rows of eval_runs that began last, at most n of them: eval_run_id, agent_name,
// agent_version, batch_id, eval_run_date, judge, status.
func RecentRuns(n int) string {
	return "SELECT eval_run_id, agent_name, agent_version, batch_id, eval_run_date, judge, status FROM badger.eval_runs ORDER BY CASE WHEN eval_run_date IS NULL THEN 1 ELSE 0 END, eval_run_date DESC, eval_run_id DESC, agent_name, agent_version, batch_id LIMIT " + strconv.Itoa(n)
}
