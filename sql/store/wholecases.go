package store

import (
	"cmp"
	"context"
	"slices"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Cases returns some cases of a run in the order of ids, like [Pages.Case] but with a few statements for all. If
// metrics is not nil, it reads only scores of these, failed scores, and scores with a judge's reply. A case without
// such a score is an error (NotFound). Human verdicts are only in Labels.
func (p *Pages) Cases(ctx context.Context, key scoring.RunID, ids, metrics []string) ([]*CaseDetail, error) {
	if len(ids) == 0 {
		return []*CaseDetail{}, nil
	}
	run, err := p.Run(ctx, key)
	if err != nil {
		return nil, err
	}
	out, err := p.together(ctx, run.scored(), ids, metrics)
	if err != nil {
		return nil, err
	}
	for _, c := range out {
		if c.Scores == nil {
			return nil, errcode.New(errcode.NotFound, "the run has no scores of a case %.80q", c.Answer.CaseID)
		}
	}
	return out, p.missing(ctx, key, out)
}

// ScoredCases returns the cases of ids that a run has scores of, by ID, like [Pages.Case] but with a few statements for
// all.
func (p *Pages) ScoredCases(ctx context.Context, key scoring.RunID, ids []string) (map[string]*CaseDetail, error) {
	out := map[string]*CaseDetail{}
	if len(ids) == 0 {
		return out, nil
	}
	all, err := p.together(ctx, runScores{RunID: key}, ids, nil)
	for _, c := range all {
		if c.Scores != nil {
			out[c.Answer.CaseID] = c
		}
	}
	return out, err
}

// together reads some cases of a run, in the order of ids. A case without scores has none, and no question either if
// it has no answer.
func (p *Pages) together(ctx context.Context, run runScores, ids, metrics []string) ([]*CaseDetail, error) {
	key := run.RunID
	out, byID := make([]*CaseDetail, len(ids)), make(map[string]*CaseDetail, len(ids))
	for i, id := range ids {
		out[i] = &CaseDetail{Answer: Answer{AnswerID: scoring.AnswerID{CaseID: id, By: key.By}}}
		byID[id] = out[i]
	}
	for s, err := range Rows(ctx, p.w, scoresOfCases(p.w.SQL(), run, ids, metrics)) {
		if err != nil {
			return nil, err
		}
		if c := byID[s.row.CaseID]; c != nil {
			c.Scores = append(c.Scores, s.score())
		}
	}
	for _, c := range out { // sorting in the engine would sort whole rows
		slices.SortFunc(c.Scores, func(a, b CaseScore) int { return cmp.Compare(a.Metric, b.Metric) })
	}
	rows := map[string]int{}
	q := p.layout
	q.labelled = false // the human labels are read separately
	q.plain = p.w.SQL().Embedded && p.w.comparesPlainly(ctx, &q)
	for a, err := range p.w.casesWithin(ctx, q, Filter{}, &keyRange{By: key.By, ids: ids}) {
		if err != nil {
			return nil, err
		}
		if c := byID[a.CaseID]; c != nil {
			rows[a.CaseID]++
			c.take(a, rows[a.CaseID])
		}
	}
	if silent := unanswered(out); silent != nil {
		for a, err := range p.w.answers(ctx, p.layout.questionsWithin(Filter{}, &keyRange{ids: silent})) {
			if err != nil {
				return nil, err
			}
			if c := byID[a.CaseID]; c != nil {
				c.ask(&a)
			}
		}
	}
	labels, err := p.labels(ctx, key, ids)
	for _, c := range out {
		c.Labels = labels[c.Answer.CaseID]
	}
	return out, err
}

// unanswered returns the IDs of the cases with scores that have no row of agent_runs.
func unanswered(of []*CaseDetail) (ids []string) {
	for _, c := range of {
		if c.Scores != nil && !c.Answered {
			ids = append(ids, c.Answer.CaseID)
		}
	}
	return ids
}

// missing reads the answers and questions that the warehouse lacks from p.elsewhere.
func (p *Pages) missing(ctx context.Context, key scoring.RunID, of []*CaseDetail) error {
	silent := unanswered(of)
	if silent == nil || p.elsewhere == nil {
		return nil
	}
	found, err := p.elsewhere(ctx, key, silent)
	if err != nil {
		return err
	}
	for _, c := range of {
		if a := found[c.Answer.CaseID]; a != nil {
			c.Answer.Case, c.Answer.InSet, c.Answered = a, true, true
		}
	}
	return nil
}

// Evidence returns the scores of some metrics with their evidence, by case; also failed scores and those with a judge's
// reply.
func (l *List) Evidence(ctx context.Context, ids, metrics []string) (map[string][]scoring.Score, error) {
	out := map[string][]scoring.Score{}
	if len(ids) == 0 {
		return out, nil
	}
	for s, err := range Rows(ctx, l.p.w, scoresOfCases(l.p.w.SQL(), l.Run.scored(), ids, metrics)) {
		if err != nil {
			return nil, err
		}
		out[s.row.CaseID] = append(out[s.row.CaseID], s.score().Score)
	}
	return out, nil
}

// labels returns the human labels of answers by case, the latest first.
func (p *Pages) labels(ctx context.Context, key scoring.RunID, ids []string) (map[string][]LoggedLabel, error) {
	out := map[string][]LoggedLabel{}
	if !p.layout.labelled {
		return out, nil
	}
	for l, err := range Rows(ctx, p.w, p.layout.labelsOfCases(key, ids)) {
		if err != nil {
			return out, err
		}
		l.Agent, l.Batch = key.Agent, key.Batch
		out[l.CaseID] = append(out[l.CaseID], l)
	}
	if p.layout.NoLog {
		return out, nil
	}
	logged, err := p.w.LoggedLabels(ctx, LabelFilter{Cases: ids, By: key.By, OfAnswer: true, NewestFirst: true}, 0)
	for _, l := range logged {
		out[l.CaseID] = append(out[l.CaseID], l)
	}
	for _, of := range out {
		slices.SortStableFunc(of, func(a, b LoggedLabel) int { return b.At.Compare(a.At) })
	}
	return out, err
}
