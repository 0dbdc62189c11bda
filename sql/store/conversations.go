package store

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// turnRow is an answer as a turn of its conversation.
type turnRow struct {
	scoring.AnswerID
	conversation, at string
	scoring.Turn
}

var turnRowFields = append(
	fieldsIn(answerFields, func(t *turnRow) *scoring.AnswerID { return &t.AnswerID }),
	field[turnRow]{SQL: "conversation_id", In: func(t *turnRow) any { return &t.conversation }},
	field[turnRow]{SQL: "turn", In: func(t *turnRow) any { return &t.at }},
	field[turnRow]{SQL: "sql", In: func(t *turnRow) any { return &t.SQL }},
	field[turnRow]{SQL: "response", In: func(t *turnRow) any { return &t.Response }},
)

// turns returns the statement for the turns of the conversations of the selected answers, without their questions.
func (q inputs) turns(f Filter, r *keyRange) Select[turnRow] {
	answers := func(columns ...string) string {
		out := ""
		for _, key := range []string{"agent_name", "agent_version", "batch_id", "case_id", "conversation_id"} {
			out += q.Key("agent_runs", key) + " AS " + key + ", "
		}
		for _, c := range columns {
			out += q.Text("agent_runs", c) + " AS " + c + ", "
		}
		return "(SELECT " + out + "case_id AS raw_id FROM badger.agent_runs) r"
	}
	from := "\nFROM (SELECT r.* FROM " + answers("turn", "sql", "response")
	if r == nil {
		from += q.where(f, nil)
	} else {
		where := " WHERE "
		for _, k := range []struct{ column, value string }{{"agent_name", r.Agent}, {"agent_version", r.Version},
			{"batch_id", r.Batch}} {
			from += where + "r." + k.column + " = " + q.param(k.value)
			where = " AND "
		}
		from += " AND r.conversation_id IN (SELECT conversation_id FROM " + answers() + q.where(f, r) + ")"
	}
	return Select[turnRow]{What: readingCases, Fields: turnRowFields, From: from + ") t WHERE conversation_id <> ''",
		Args: q.args}
}

// questionsAtOnce is the number of questions in one statement.
const questionsAtOnce = 1000

// conversations reads the turns of the conversations of the selected answers.
func (w *Store) conversations(ctx context.Context, q inputs, f Filter, r *keyRange) (*scoring.Conversations, error) {
	out := &scoring.Conversations{}
	if q.Missing["agent_runs.conversation_id"] || q.Missing["agent_runs.turn"] {
		return out, nil
	}
	for t, err := range Rows(ctx, w, q.turns(f, r)) {
		if err == nil {
			err = out.Add(t.AnswerID, t.conversation, turnNumber(t.at), t.Turn)
		}
		if err != nil {
			return out, err
		}
	}
	for ids := range slices.Chunk(out.CaseIDs(), questionsAtOnce) {
		questions := map[string]string{}
		for a, err := range Rows(ctx, w, q.questionsNamed(f, ids)) {
			if err != nil {
				return out, err
			}
			questions[a.CaseID] = a.Question.Text
		}
		if err := out.Ask(questions); err != nil {
			return out, err
		}
	}
	out.Sort()
	return out, nil
}

// turnNumber returns the position that a cell holds, or 0.
func turnNumber(text string) int64 {
	n, _ := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return n
}

// casesWithin streams the answers of [inputs.cases], each with the earlier turns of its conversation unless its row has
// them.
func (w *Store) casesWithin(ctx context.Context, q inputs, f Filter, r *keyRange) iter.Seq2[Answer, error] {
	return func(yield func(Answer, error) bool) {
		turns, err := w.conversations(ctx, q, f, r)
		if err != nil {
			yield(Answer{}, err)
			return
		}
		for a, err := range w.answers(ctx, q.cases(f, r)) {
			if err == nil && a.Case != nil {
				turns.Complete(a.Case)
			}
			if !yield(a, err) || err != nil {
				return
			}
		}
	}
}
