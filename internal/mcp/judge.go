package mcp

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

// fill adds the accepted answers to an answer, and runs queries without a result.
func (s *Server) fill(ctx context.Context, q *question, c *scoring.Case) error {
	c.Golds = slices.Clone(s.golden.accepted(ctx, q))
	if s.o.Execute == nil {
		return nil
	}
	own, err := s.readsOwn(ctx, c)
	switch {
	case err != nil:
		return err
	case own:
		c.Pred.Error = "the query reads badger's tables, or what the database keeps of queries and values"
		return nil
	}
	return s.o.Execute.Fill(ctx, c)
}

// score returns the score of an answer by the metric that decides.
func (s *Server) score(ctx context.Context, c *scoring.Case) scoring.Score {
	scores, err := s.engine.ScoreMetrics(ctx, c, []*scoring.Metric{s.metric})
	if err != nil {
		return scoring.Fail(err)
	}
	return scores[0]
}

// outcome returns the outcome of an answer that fill has filled, with its error.
func (s *Server) outcome(ctx context.Context, c *scoring.Case, broken error) (Outcome, scoring.Score) {
	var score scoring.Score
	if broken != nil {
		score = scoring.Fail(broken)
	} else {
		score = s.score(ctx, c)
	}
	return outcomeOf(c, &score), score
}

// judged is the outcome of a stored answer, which may be shown once its request is granted. It is limitReached if the
// answer was not compared.
type judged struct {
	Request
	Outcome
}

// wanted reports whether an answer will be compared. An answer that will be refused is not: the time that comparing
// takes would reveal gold, uncounted.
type wanted func(r *Request) (bool, error)

// within returns a wanted for the answers whose outcomes a caller may see.
func (s *Server) within(c *call) wanted {
	return func(r *Request) (bool, error) { return s.ledger.May(c.caller, r) }
}

// judge returns the outcome of a stored answer: the one that [checkAnswer] has for the same answer, whatever the scores
// of its run say, and counted as the same answer. So a stored answer tells no more than an answer that is checked.
func (s *Server) judge(ctx context.Context, id string, stored *scoring.Case, want wanted) (judged, error) {
	q := s.golden.byID[id]
	if q == nil {
		return judged{Request{Case: id, Topic: topicOf(id, ""), Answer: "no case"}, notDecided}, nil
	}
	c := *q.Case
	c.Pred, c.Agent.Response = stored.Pred, stored.Agent.Response
	if r := &c.Pred.Result; r.Ref != "" {
		if s.o.Snapshots == nil {
			r.Err = errcode.New(errcode.FailedPrecondition, "there is nothing to read references from")
		} else {
			r.Table, r.Err = s.o.Snapshots.ReadSnapshot(ctx, r.Ref)
		}
		r.Ref = ""
	}
	ctx, end := s.pool.With(ctx)
	defer end()
	broken := s.fill(ctx, q, &c)
	if err := ctx.Err(); err != nil {
		return judged{}, err
	}
	out := judged{Request{Case: q.ID, Topic: q.topic, Answer: s.digest(q, &c, broken != nil)}, limitReached}
	switch compare, err := want(&out.Request); {
	case err != nil:
		return judged{}, err
	case !compare:
	case strings.TrimSpace(c.Pred.SQL) == "" && c.Pred.Result.Absent() && c.Pred.Error == "" && c.Agent.Response == "":
		out.Outcome = noAnswer
	default:
		out.Outcome, _ = s.outcome(ctx, &c, broken)
	}
	return out, ctx.Err()
}

// each calls f with the answers of a batch to different cases, in the order of their source.
func (s *Server) each(ctx context.Context, by scoring.By, f func(item *batch.Item) error) error {
	seen := map[string]bool{}
	for item, err := range s.o.AnswersOf(ctx, by) {
		if err != nil {
			return err
		}
		if seen[item.CaseID] {
			continue
		}
		seen[item.CaseID] = true
		if err := f(&item); err != nil {
			return err
		}
	}
	return nil
}

// casesOf returns the cases that a batch has answers to, in natural order.
func (s *Server) casesOf(ctx context.Context, by scoring.By) (ids []string, err error) {
	err = s.each(ctx, by, func(item *batch.Item) error {
		ids = append(ids, item.CaseID)
		return nil
	})
	slices.SortFunc(ids, printable.CompareNatural)
	return ids, err
}

// judgeCases judges the answers of a batch to some cases; nil means all.
func (s *Server) judgeCases(ctx context.Context, by scoring.By, cases map[string]bool,
	want wanted) (map[string]judged, error) {
	out := map[string]judged{}
	err := s.each(ctx, by, func(item *batch.Item) error {
		if cases != nil && !cases[item.CaseID] {
			return nil
		}
		stored, err := item.Load(ctx)
		if err != nil {
			stored = &scoring.Case{Pred: scoring.Query{Result: scoring.Result{Err: err}}}
		}
		out[item.CaseID], err = s.judge(ctx, item.CaseID, stored, want)
		return err
	})
	return out, err
}

// digest identifies what a verdict follows from: the case, the answer and the accepted answers with their results, the
// warehouse, and how answers are compared. The recorded verdict of the same digest is the verdict.
func (s *Server) digest(q *question, c *scoring.Case, broken bool) string {
	h := sha256.New()
	add := func(text []byte) {
		fmt.Fprintf(h, "%d ", len(text))
		_, _ = h.Write(text)
	}
	query := func(q *scoring.Query) {
		add([]byte(strings.TrimSpace(q.SQL)))
		add(fmt.Append(nil, q.Error != "", q.Result.Err != nil))
		if t := q.Result.Table; t != nil {
			add(t.AppendJSON(nil))
		} else {
			add(nil)
		}
	}
	add(fmt.Append(nil, broken))
	for _, text := range []string{q.hash, q.ID, s.compares, strings.TrimSpace(c.Agent.Response)} {
		add([]byte(text))
	}
	query(&c.Pred)
	for i := range c.Golds {
		query(&c.Golds[i])
	}
	return string(h.Sum(nil))
}
