package store

import (
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/scoring"
)

// OfRun chooses answers that a run scored. Empty fields but the run's choose all, [scoring.Unnamed] those
// without such a name.
type OfRun struct {
	scoring.RunID
	Within *Range // only these; nil: all
}

func (o OfRun) where(d driver.Dialect) (where string, args []any) {
	var conds []string
	if r := o.Within; r != nil {
		for _, c := range []struct{ condition, value string }{{"agent_name = ", r.Agent}, {"agent_version = ", r.Version}, {"batch_id = ", r.Batch}, {"case_id >= ", r.First}, {"case_id <= ", r.Last}} {
			args = append(args, c.value)
			conds = append(conds, c.condition+d.Param(len(args)))
		}
		o.By = scoring.By{}
	}
	for _, c := range []struct{ column, value string }{{"eval_run_id", o.ID}, {"agent_name", o.Agent}, {"agent_version", o.Version}, {"batch_id", o.Batch}} {
		if name, ok := scoring.Named(c.value); ok || c.column == "eval_run_id" {
			args = append(args, name)
			conds = append(conds, c.column+" = "+d.Param(len(args)))
		}
	}
	return " WHERE " + strings.Join(conds, " AND "), args
}

// byAnswer is the order of answers; those of a batch come together.
const byAnswer = "agent_name, agent_version, batch_id, case_id"

// Scores chooses the scores of the answers, those of an answer together: what follows the columns of the
// statement.
func (o OfRun) Scores(d driver.Dialect) (from string, args []any) {
	where, args := o.where(d)
	return " FROM badger.scores" + where + " ORDER BY " + byAnswer + ", metric", args
}

// Metrics reads the names of the metrics that the answers have scores of.
func (o OfRun) Metrics(d driver.Dialect) (query string, args []any) {
	where, args := o.where(d)
	return "SELECT DISTINCT metric FROM badger.scores" + where + " ORDER BY metric", args
}

// Keys reads the keys of the answers in their order, with how many scores each has.
func (o OfRun) Keys(d driver.Dialect) (query string, args []any) {
	where, args := o.where(d)
	return "SELECT " + byAnswer + ", COUNT(*) FROM badger.scores" + where + " GROUP BY " + byAnswer + " ORDER BY " + byAnswer, args
}

// questionTexts are the columns of a question that exports show.
const questionTexts = "g.question, g.tags"

// QuestionsNamed reads some questions by their ids: case_id, question, tags.
func (q *Answers) QuestionsNamed(f Filter, ids []string) string {
	return "SELECT g.case_id, " + questionTexts + " FROM " + q.golden(f, &Range{IDs: ids})
}

// QuestionsOf reads the questions of the answers that a run scored, one row for each answer, in the order
// of [OfRun.Scores]: the answer's key, question, tags.
func (q *Answers) QuestionsOf(o OfRun) string {
	where, args := o.where(q.Dialect)
	q.Args = args
	return "SELECT k.agent_name, k.agent_version, k.batch_id, k.case_id, " + questionTexts + " FROM (SELECT DISTINCT " + byAnswer + " FROM badger.scores" + where + ") k LEFT JOIN " +
		q.golden(Filter{}, o.Within) + " ON g.case_id = k.case_id ORDER BY k.agent_name, k.agent_version, k.batch_id, k.case_id"
}
