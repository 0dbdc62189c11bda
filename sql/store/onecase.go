package store

import (
	"context"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/scoring"
)

// AnswersOfCase lists the keys of the answers to a question that a run scored.
func (w *Store) AnswersOfCase(ctx context.Context, run, caseID string) (out []scoring.AnswerID, err error) {
	out, err = all(ctx, w, answersOfCase(w.SQL(), run, caseID))
	for i := range out {
		out[i].CaseID = caseID
	}
	return out, err
}

func answersOfCase(d driver.Dialect, run, caseID string) Select[scoring.AnswerID] {
	from := " FROM badger.scores WHERE eval_run_id = " + d.Param(1) + " AND case_id = " + d.Param(2) +
		" ORDER BY agent_name, agent_version, batch_id"
	return Select[scoring.AnswerID]{
		What:     readingScores,
		Distinct: true,
		Fields:   byOfAnswer,
		From:     from,
		Args:     []any{run, caseID},
	}
}

// Results calls f with the result and the SQL of each answer to some questions, as stored in agent_runs: an inline
// result or a reference. The error is NotFound if the table does not exist.
func (w *Store) Results(ctx context.Context, cases []string, f func(id scoring.AnswerID, result, sql string)) error {
	q, err := w.query(ctx)
	if err != nil {
		return err
	}
	for r, err := range Rows(ctx, w, q.results(cases)) {
		if err != nil {
			return err
		}
		f(r.AnswerID, r.result, r.sql)
	}
	return nil
}

type givenResult struct {
	scoring.AnswerID
	result, sql string
}

// results returns the statement for the keys, results and SQL of all answers to some questions.
func (q inputs) results(cases []string) Select[givenResult] {
	from := " FROM " + q.runs([]string{"result", "sql"}) + " WHERE " + q.within("r", &keyRange{ids: cases}) + inOrder
	fields := append(fieldsIn(answerFields, func(r *givenResult) *scoring.AnswerID { return &r.AnswerID }),
		field[givenResult]{SQL: "result", In: func(r *givenResult) any { return &r.result }},
		field[givenResult]{SQL: "sql", In: func(r *givenResult) any { return &r.sql }})
	return Select[givenResult]{What: readingCases, Fields: ofTable("r", fields), From: from, Args: q.args}
}
