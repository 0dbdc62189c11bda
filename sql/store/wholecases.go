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
	out, byID := make([]*CaseDetail, len(ids)), make(map[string]*CaseDetail, len(ids))
	for i, id := range ids {
		out[i] = &CaseDetail{Answer: Answer{AnswerID: scoring.AnswerID{CaseID: id, By: key.By}}}
		byID[id] = out[i]
	}
	if len(ids) == 0 {
		return out, nil
	}
	run, err := p.Run(ctx, key)
	if err != nil {
		return nil, err
	}
	for s, err := range Rows(ctx, p.w, scoresOfCases(p.w.SQL(), run.scored(), ids, metrics)) {
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
	for a, err := range p.w.answers(ctx, q.cases(Filter{}, &keyRange{By: key.By, ids: ids})) {
		if err != nil {
			return nil, err
		}
		if c := byID[a.CaseID]; c != nil {
			rows[a.CaseID]++
			c.take(a, rows[a.CaseID])
		}
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
	if silent != nil {
		for a, err := range p.w.answers(ctx, p.layout.questionsWithin(Filter{}, &keyRange{ids: silent})) {
			if err != nil {
				return nil, err
			}
			if c := byID[a.CaseID]; c != nil {
				c.ask(&a)
			}
		}
	}
	if silent != nil && p.elsewhere != nil {
		found, err := p.elsewhere(ctx, key, silent)
		if err != nil {
			return nil, err
		}
		for id, c := range found {
			byID[id].Answer.Case, byID[id].Answer.InSet, byID[id].Answered = c, true, true
		}
	}
	labels, err := p.labels(ctx, key, ids)
	for _, c := range out {
		c.Labels = labels[c.Answer.CaseID]
	}
	return out, err
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
