package store

import (
	"context"
	"iter"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// ScoredAnswer is an answer with its scores in one run, without what is only evidence.
type ScoredAnswer struct {
	scoring.AnswerID
	Question Question
	Scores   []scoring.Score // by metric
}

// Question is a question of the golden set; zero if it is not in the set.
type Question struct {
	Text    string
	Tags    []string
	TagsErr error // why they cannot be read
}

// questionOf reads the columns question and tags, from a column on.
func questionOf(r *record, from int) Question {
	q := Question{Text: r.text(from)}
	q.Tags, q.TagsErr = scoring.ParseTags(r.text(from + 1))
	return q
}

// QuestionsNamed reads some questions by their ids: of the version of the set that a filter names, or of
// the highest that has the question. NotFound if there is no golden set.
func (w *Store) QuestionsNamed(ctx context.Context, f Filter, ids []string) (map[string]Question, error) {
	q, err := w.query(ctx)
	if err != nil {
		return nil, err
	}
	out := make(map[string]Question, len(ids))
	query := q.QuestionsNamed(f, ids)
	err = w.Each(ctx, "reading golden_set", query, q.Args, func(t *scoring.Table, row int) bool {
		r := record{t: t, row: row}
		out[r.text(0)] = questionOf(&r, 1)
		return true
	})
	return out, err
}

// WholeQuestions reads some questions by their ids, as [Warehouse.QuestionsNamed] chooses them, as cases
// without an answer. Those that cannot be read are left out.
func (w *Store) WholeQuestions(ctx context.Context, f Filter, ids []string) (map[string]*scoring.Case, error) {
	q, err := w.query(ctx)
	if err != nil {
		return nil, err
	}
	out := make(map[string]*scoring.Case, len(ids))
	query := q.QuestionsWithin(f, &Range{IDs: ids})
	err = w.Each(ctx, "reading golden_set", query, q.Args, func(t *scoring.Table, row int) bool {
		if a := answer(t, row); a.Err == nil {
			out[a.CaseID] = a.Case
		}
		return true
	})
	return out, err
}

// ScoredAnswers streams the answers that a run scored, those of an agent, version and batch
// together. It holds few of them at a time.
func (w *Store) ScoredAnswers(ctx context.Context, of OfRun) iter.Seq2[ScoredAnswer, error] {
	return func(yield func(ScoredAnswer, error) bool) {
		parts, err := []OfRun{of}, error(nil)
		if w.SQL().Embedded { // sorting all scores at once would take the memory of all
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

// rangeScores is the number of scores that an embedded engine sorts in one query.
const rangeScores = 100_000

// partsOf cuts the answers of a run into parts of about so many scores.
func (w *Store) partsOf(ctx context.Context, of OfRun) (parts []OfRun, err error) {
	var r *Range
	n := int64(0)
	query, args := of.Keys(w.SQL())
	err = w.Each(ctx, readingScores, query, args, func(t *scoring.Table, row int) bool {
		k := record{t: t, row: row}
		by, id, scores := scoring.By{Agent: k.text(0), Version: k.text(1), Batch: k.text(2)}, k.text(3), k.count(4)
		if r != nil && r.By == by && n < rangeScores {
			r.Last = id
		} else {
			r, n = &Range{By: by, First: id, Last: id}, 0
			parts = append(parts, OfRun{RunID: scoring.RunID{ID: of.ID}, Within: r})
		}
		n += scores
		return true
	})
	return parts, err
}

// scoredAnswers streams answers until yield wants no more.
func (w *Store) scoredAnswers(ctx context.Context, of OfRun, yield func(ScoredAnswer, error) bool) (more bool, err error) {
	questions, stop := iter.Pull2(w.questionsOf(ctx, of))
	defer stop()
	var now ScoredAnswer
	var broken error
	more = true
	// give ends an answer: what comes next is of another one.
	give := func() bool {
		if len(now.Scores) == 0 {
			return true
		}
		asked, err, any := questions()
		if broken = err; err != nil {
			return false
		}
		if any && asked.AnswerID == now.AnswerID {
			now.Question = asked.Question
		}
		more = yield(now, nil)
		return more
	}
	from, args := of.Scores(w.SQL())
	for r, failed := range Rows(ctx, w, Select[scoring.Row]{What: "reading the scores of a run", Fields: scoreFields, From: from, Args: args}) {
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

// questionsOf streams the questions of the answers that a run scored, in the order of their scores.
// If there is no golden set, or none of badger's form, it streams nothing.
func (w *Store) questionsOf(ctx context.Context, of OfRun) iter.Seq2[ScoredAnswer, error] {
	return func(yield func(ScoredAnswer, error) bool) {
		q, err := w.query(ctx)
		if code := errcode.Of(err); code == errcode.NotFound || code == errcode.FailedPrecondition {
			return
		}
		more := true
		if err == nil {
			query := q.QuestionsOf(of)
			err = w.Each(ctx, "reading golden_set", query, q.Args, func(t *scoring.Table, row int) bool {
				r := record{t: t, row: row}
				a := ScoredAnswer{AnswerID: scoring.AnswerID{By: scoring.By{Agent: r.text(0), Version: r.text(1), Batch: r.text(2)}, CaseID: r.text(3)}, Question: questionOf(&r, 4)}
				more = yield(a, nil)
				return more
			})
		}
		if err != nil && more {
			yield(ScoredAnswer{}, err)
		}
	}
}

// MetricsOf lists the metrics that answers of a run have scores of.
func (w *Store) MetricsOf(ctx context.Context, of OfRun) (names []string, err error) {
	query, args := of.Metrics(w.SQL())
	err = w.Each(ctx, readingScores, query, args, func(t *scoring.Table, row int) bool {
		names = append(names, (&record{t: t, row: row}).text(0))
		return true
	})
	return names, err
}
