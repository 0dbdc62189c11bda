package store

import (
	"context"
	"iter"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// ScoredAnswer is an answer with its scores in one run, without their evidence.
type ScoredAnswer struct {
	scoring.AnswerID
	Question Question
	Position scoring.Position // in a conversation
	Spent    *scoring.Spent   // what the answer took; nil if agent_runs does not have the answer
	Scores   []scoring.Score  // sorted by metric

	cells [len(spentColumns)]string // the columns that Spent is read from
}

// Question is a question of the golden set; zero if it is not in the set.
type Question struct {
	Text    string
	Tags    []string
	TagsErr error // why the tags cannot be parsed
}

// questionFields are the fields of a Question.
var questionFields = []field[Question]{
	{SQL: "question", In: func(q *Question) any { return &q.Text }},
	{SQL: "tags", Decode: func(q *Question, v scoring.Value) error {
		q.Tags, q.TagsErr = scoring.ParseTags(strings.Clone(textIn(v)))
		return nil
	}},
}

// QuestionsNamed returns some questions by ID: of the version in the filter, or of the highest version that has the
// question. The error is NotFound if golden_set does not exist.
func (w *Store) QuestionsNamed(ctx context.Context, f Filter, ids []string) (map[string]Question, error) {
	q, err := w.query(ctx)
	if err != nil {
		return nil, err
	}
	out := make(map[string]Question, len(ids))
	for r, err := range Rows(ctx, w, q.questionsNamed(f, ids)) {
		if err != nil {
			return out, err
		}
		out[r.CaseID] = r.Question
	}
	return out, nil
}

// questionsNamed returns the statement for some questions by ID.
func (q inputs) questionsNamed(f Filter, ids []string) Select[ScoredAnswer] {
	from := " FROM " + q.golden(f, &keyRange{ids: ids})
	fields := append([]field[ScoredAnswer]{{SQL: "case_id", In: func(a *ScoredAnswer) any { return &a.CaseID }}},
		fieldsIn(questionFields, func(a *ScoredAnswer) *Question { return &a.Question })...)
	return Select[ScoredAnswer]{What: readingQuestions, Fields: ofTable("g", fields), From: from, Args: q.args}
}

// WholeQuestions returns some questions by ID, as cases without an answer, of the versions of [Store.QuestionsNamed].
// Invalid ones are omitted.
func (w *Store) WholeQuestions(ctx context.Context, f Filter, ids []string) (map[string]*scoring.Case, error) {
	q, err := w.query(ctx)
	if err != nil {
		return nil, err
	}
	out := make(map[string]*scoring.Case, len(ids))
	for a, err := range w.answers(ctx, q.questionsWithin(f, &keyRange{ids: ids})) {
		if err != nil {
			return out, err
		}
		if a.Err == nil {
			out[a.CaseID] = a.Case
		}
	}
	return out, nil
}

// ScoredAnswers streams the answers that a run scored, ordered by agent, version, batch and case. It holds few of them
// in memory.
func (w *Store) ScoredAnswers(ctx context.Context, of OfRun) iter.Seq2[ScoredAnswer, error] {
	return func(yield func(ScoredAnswer, error) bool) {
		parts, err := []OfRun{of}, error(nil)
		if w.SQL().Embedded { // sorting all scores in one query would hold them all in memory
			parts, err = w.partsOf(ctx, of)
		}
		for _, part := range parts {
			more := true
			if err == nil {
				more, err = w.scoredAnswers(ctx, part, yield)
			}
			if !more {
				return
			}
			if err != nil {
				break
			}
		}
		if err != nil {
			yield(ScoredAnswer{}, err)
		}
	}
}

// rangeScores is the approximate number of scores in one query of an embedded engine.
const rangeScores = 100_000

// partsOf splits the answers of a run into parts of about rangeScores scores.
func (w *Store) partsOf(ctx context.Context, of OfRun) (parts []OfRun, err error) {
	var r *keyRange
	n := int64(0)
	for k, err := range Rows(ctx, w, of.keys(w.SQL())) {
		if err != nil {
			return parts, err
		}
		if r != nil && r.By == k.By && n < rangeScores {
			r.last = k.CaseID
		} else {
			r, n = &keyRange{By: k.By, first: k.CaseID, last: k.CaseID}, 0
			parts = append(parts, OfRun{RunID: scoring.RunID{ID: of.ID}, within: r})
		}
		n += k.n
	}
	return parts, nil
}

// scoredAnswers streams answers until yield returns false; more is false then.
func (w *Store) scoredAnswers(ctx context.Context, of OfRun,
	yield func(ScoredAnswer, error) bool) (more bool, err error) {
	questions, stop := iter.Pull2(w.questionsOf(ctx, of))
	defer stop()
	var now ScoredAnswer
	var broken error
	more = true
	// give yields the current answer when all its scores are read.
	give := func() bool {
		if len(now.Scores) == 0 {
			return true
		}
		asked, err, any := questions()
		if broken = err; err != nil {
			return false
		}
		if any && asked.AnswerID == now.AnswerID {
			now.Question, now.Position, now.Spent = asked.Question, asked.Position, asked.Spent
			if now.Spent != nil {
				*now.Spent, _ = spentOf(asked.cells) // a value that cannot be read is unknown
			}
		}
		more = yield(now, nil)
		return more
	}
	for r, failed := range Rows(ctx, w, of.scores(w.SQL(), scoreFields)) {
		if failed != nil {
			err = failed
			break
		}
		if r.AnswerID != now.AnswerID || len(now.Scores) == 0 {
			if !give() {
				break
			}
			now = ScoredAnswer{AnswerID: r.AnswerID, Scores: make([]scoring.Score, 0, len(now.Scores))}
		}
		now.Scores = append(now.Scores, r.Score)
	}
	if err == nil && broken == nil && more {
		give()
	}
	if broken != nil {
		err = broken
	}
	return more, err
}

// questionsOf streams the questions of the answers that a run scored, in the order of their scores. It streams nothing
// if the golden set or a required column of it is missing.
func (w *Store) questionsOf(ctx context.Context, of OfRun) iter.Seq2[ScoredAnswer, error] {
	return func(yield func(ScoredAnswer, error) bool) {
		q, err := w.query(ctx)
		switch errcode.Of(err) {
		case errcode.OK:
			Rows(ctx, w, q.questionsOf(of))(yield)
		case errcode.NotFound, errcode.FailedPrecondition:
		default:
			yield(ScoredAnswer{}, err)
		}
	}
}

// questionsOf returns the statement for the questions of the answers that a run scored, one row for each answer, in the
// order of [OfRun.scores].
func (q inputs) questionsOf(o OfRun) Select[ScoredAnswer] {
	where, args := o.where(q.Dialect)
	q.args = args
	from := " FROM (SELECT DISTINCT " + byAnswer + " FROM badger.scores" + where + ") k LEFT JOIN " +
		q.golden(Filter{}, o.within) + " ON g.case_id = k.case_id LEFT JOIN (" + q.expand(positions) +
		") t ON t.agent_name = k.agent_name AND t.agent_version = k.agent_version AND t.batch_id = k.batch_id AND t.case_id = k.case_id LEFT JOIN (" +
		q.expand(spentTexts) + ") c ON c.copy = 1 AND c.agent_name = k.agent_name AND c.agent_version = k.agent_version AND c.batch_id = k.batch_id AND c.case_id = k.case_id ORDER BY k.agent_name, k.agent_version, k.batch_id, k.case_id"
	fields := append(
		ofTable("k", fieldsIn(answerFields, func(a *ScoredAnswer) *scoring.AnswerID { return &a.AnswerID })),
		ofTable("g", fieldsIn(questionFields, func(a *ScoredAnswer) *Question { return &a.Question }))...)
	for i, name := range spentColumns {
		fields = append(fields, field[ScoredAnswer]{SQL: "c." + name, In: func(a *ScoredAnswer) any { return &a.cells[i] }})
	}
	fields = append(fields, field[ScoredAnswer]{SQL: "c.copy", Decode: func(a *ScoredAnswer, v scoring.Value) error {
		if !v.IsNull() {
			a.Spent = &scoring.Spent{}
		}
		return nil
	}})
	return Select[ScoredAnswer]{
		What: readingQuestions, From: from, Args: q.args,
		Fields: append(fields,
			field[ScoredAnswer]{SQL: "t.conversation_id", In: func(a *ScoredAnswer) any { return &a.Position.Conversation }},
			field[ScoredAnswer]{SQL: "t.turn", Decode: func(a *ScoredAnswer, v scoring.Value) error {
				a.Position.Turn = int(turnNumber(textIn(v)))
				return nil
			}}),
	}
}

// MetricsOf lists the metrics for which answers of a run have scores.
func (w *Store) MetricsOf(ctx context.Context, of OfRun) (names []string, err error) {
	return all(ctx, w, of.metrics(w.SQL()))
}

// OfRun selects answers that a run scored. Empty fields other than ID select all; [scoring.Unnamed] selects those
// without such a name.
type OfRun struct {
	scoring.RunID

	within *keyRange // if not nil, only answers in this range
}

func (o OfRun) where(d driver.Dialect) (where string, args []any) {
	var conds []string
	if r := o.within; r != nil {
		for _, c := range []struct{ condition, value string }{{"agent_name = ", r.Agent}, {"agent_version = ", r.Version},
			{"batch_id = ", r.Batch}, {"case_id >= ", r.first}, {"case_id <= ", r.last}} {
			args = append(args, c.value)
			conds = append(conds, c.condition+d.Param(len(args)))
		}
		o.By = scoring.By{}
	}
	for _, c := range []struct{ column, value string }{{"eval_run_id", o.ID}, {"agent_name", o.Agent},
		{"agent_version", o.Version}, {"batch_id", o.Batch}} {
		if name, ok := scoring.Named(c.value); ok || c.column == "eval_run_id" {
			args = append(args, name)
			conds = append(conds, c.column+" = "+d.Param(len(args)))
		}
	}
	return " WHERE " + strings.Join(conds, " AND "), args
}

// byAnswer is the order of answers, in which those of a batch are consecutive.
const byAnswer = "agent_name, agent_version, batch_id, case_id"

// scores returns the statement for the scores of the answers, ordered by answer and metric.
func (o OfRun) scores(d driver.Dialect, fields []field[scoring.Row]) Select[scoring.Row] {
	where, args := o.where(d)
	return Select[scoring.Row]{
		What:   "reading the scores of a run",
		Fields: fields,
		From:   " FROM badger.scores" + where + " ORDER BY " + byAnswer + ", metric",
		Args:   args,
	}
}

// metrics returns the statement for the names of the metrics for which the answers have scores.
func (o OfRun) metrics(d driver.Dialect) Select[string] {
	where, args := o.where(d)
	return Select[string]{
		What:     readingScores,
		Distinct: true,
		Fields:   only[string]("metric"),
		From:     " FROM badger.scores" + where + " ORDER BY metric",
		Args:     args,
	}
}

// keys returns the statement for the keys of the answers in order, with the number of scores of each.
func (o OfRun) keys(d driver.Dialect) Select[counted] {
	where, args := o.where(d)
	return Select[counted]{
		What:   readingScores,
		Fields: countedFields("COUNT(*)"),
		From:   " FROM badger.scores" + where + " GROUP BY " + byAnswer + " ORDER BY " + byAnswer,
		Args:   args,
	}
}
