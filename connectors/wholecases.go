package connectors

import (
	"cmp"
	"context"

	"github.com/badger-eval/badger/internal/caselist"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	badgersql "github.com/badger-eval/badger/sql"
)

// Cases reads some cases of a run as [Pages.Case] does, but for what people said of them, with a
// statement or two for all. They are in the order of ids. A case that the run has no scores of is
// NotFound.
func (p *Pages) Cases(ctx context.Context, key caselist.Run, ids []string) ([]*CaseDetail, error) {
	out, byID := make([]*CaseDetail, len(ids)), make(map[string]*CaseDetail, len(ids))
	for i, id := range ids {
		out[i] = &CaseDetail{Answer: Answer{AnswerID: scoring.AnswerID{CaseID: id, Agent: key.Agent, Version: key.Version, Batch: key.Batch}}}
		byID[id] = out[i]
	}
	if len(ids) == 0 {
		return out, nil
	}
	query, args := badgersql.ScoresOfWhole(p.w.dialect, badgersql.ScoredRun{Run: key}, ids)
	var broken error
	err := p.w.each(ctx, readingScores, query, args, func(t *scoring.Table, row int) bool {
		s, err := caseScore(t, row)
		if of := byID[s.CaseID]; of != nil {
			of.Scores = append(of.Scores, s)
		}
		broken = cmp.Or(broken, err)
		return true
	})
	if err = cmp.Or(err, broken); err != nil {
		return nil, err
	}
	q := p.layout
	query = q.Cases(Filter{}, &badgersql.Range{Agent: key.Agent, Version: key.Version, Batch: key.Batch, IDs: ids})
	err = p.w.each(ctx, readingCases, query, q.Args, func(t *scoring.Table, row int) bool {
		a := answer(t, row)
		if of := byID[a.CaseID]; of != nil && !of.Answered {
			of.Answer, of.Answered = a, true
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	var silent []string
	for _, c := range out {
		if c.Scores == nil {
			return nil, errcode.New(errcode.NotFound, "the run has no scores of a case %.80q", c.Answer.CaseID)
		}
		if !c.Answered {
			silent = append(silent, c.Answer.CaseID)
		}
	}
	if silent == nil {
		return out, nil
	}
	q = p.layout
	query = q.QuestionsWithin(&badgersql.Range{IDs: silent})
	err = p.w.each(ctx, readingCases, query, q.Args, func(t *scoring.Table, row int) bool {
		a := answer(t, row)
		if of := byID[a.CaseID]; of != nil {
			of.Answer.SetVersion, of.Answer.InSet, of.Answer.Case, of.Answer.Err = a.SetVersion, a.InSet, a.Case, a.Err
		}
		return true
	})
	return out, err
}
