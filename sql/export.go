package sql

import (
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
)

// OfRun chooses answers that a run scored. Empty fields but the run's choose all.
type OfRun struct{ Run, Agent, Version, Batch string }

func (o OfRun) where(d driver.Dialect) (where string, args []any) {
	var conds []string
	for _, c := range []struct{ column, value string }{{"eval_run_id", o.Run}, {"agent_name", o.Agent}, {"agent_version", o.Version}, {"batch_id", o.Batch}} {
		if c.value != "" || c.column == "eval_run_id" {
			args = append(args, c.value)
			conds = append(conds, c.column+" = "+d.Param(len(args)))
		}
	}
	return " WHERE " + strings.Join(conds, " AND "), args
}

// byAnswer is the order of answers; those of a batch come together.
const byAnswer = "agent_name, agent_version, batch_id, case_id"

// Scores reads the scores of the answers, those of an answer together, in the columns of
// [ScoresOfRun].
func (o OfRun) Scores(d driver.Dialect) (query string, args []any) {
	where, args := o.where(d)
	return scoresOfRunColumns + where + " ORDER BY " + byAnswer + ", metric", args
}

// Metrics reads the names of the metrics that the answers have scores of.
func (o OfRun) Metrics(d driver.Dialect) (query string, args []any) {
	where, args := o.where(d)
	return "SELECT DISTINCT metric FROM badger.scores" + where + " ORDER BY metric", args
}

// QuestionsOf reads the questions and tags of the answers that a run scored, one row for each answer,
// in the order of [OfRun.Scores].
func (q *Answers) QuestionsOf(o OfRun) string {
	where, args := o.where(q.Dialect)
	q.Args = args
	return "SELECT k.agent_name, k.agent_version, k.batch_id, k.case_id, g.question, g.tags FROM (SELECT DISTINCT " + byAnswer + " FROM badger.scores" + where + ") k LEFT JOIN " +
		q.golden(Filter{}, nil) + " ON g.case_id = k.case_id ORDER BY k.agent_name, k.agent_version, k.batch_id, k.case_id"
}
