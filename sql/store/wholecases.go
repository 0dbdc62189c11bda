package store

import (
	"cmp"
	"context"
	"slices"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Cases reads some cases of a run as [Pages.Case] does, with a few statements for all. They are in the order of
// ids. With metrics it reads only the scores of these, failed ones, and those that rest on a judge's reply. A case
// without such a score is NotFound. Human verdicts are in the labels only.
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
	query, args := ScoresOfWhole(p.w.SQL(), run.scored(), ids, metrics)
	var broken error
	err = p.w.Each(ctx, readingScores, query, args, func(t *scoring.Table, row int) bool {
		id, s, err := caseScore(t, row)
		if of := byID[id]; of != nil {
			of.Scores = append(of.Scores, s)
		}
		broken = cmp.Or(broken, err)
		return true
	})
	if err = cmp.Or(err, broken); err != nil {
		return nil, err
	}
	for _, c := range out { // an engine would sort whole rows
		slices.SortFunc(c.Scores, func(a, b CaseScore) int { return cmp.Compare(a.Metric, b.Metric) })
	}
	rows := map[string]int{}
	q := p.layout
	q.Labelled = false // what people say is read below
	q.Plain = p.w.SQL().Embedded && p.w.comparesPlainly(ctx, &q)
	query = q.Cases(Filter{}, &Range{By: key.By, IDs: ids})
	err = p.w.Each(ctx, readingCases, query, q.Args, func(t *scoring.Table, row int) bool {
		a := answer(t, row)
		if of := byID[a.CaseID]; of != nil {
			rows[a.CaseID]++
			of.take(a, rows[a.CaseID])
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
	if silent != nil {
		q = p.layout
		query = q.QuestionsWithin(Filter{}, &Range{IDs: silent})
		err = p.w.Each(ctx, readingCases, query, q.Args, func(t *scoring.Table, row int) bool {
			a := answer(t, row)
			if of := byID[a.CaseID]; of != nil {
				of.Answer.SetVersion, of.Answer.InSet, of.Answer.Case, of.Answer.Err = a.SetVersion, a.InSet, a.Case, a.Err
			}
			return true
		})
		if err != nil {
			return nil, err
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

// labels reads the human labels of answers, from new to old.
func (p *Pages) labels(ctx context.Context, key scoring.RunID, ids []string) (map[string][]LoggedLabel, error) {
	out := map[string][]LoggedLabel{}
	if !p.layout.Labelled {
		return out, nil
	}
	query, args := p.layout.LabelsOfCases(key, ids)
	err := p.w.Each(ctx, "reading human_labels", query, args, func(t *scoring.Table, row int) bool {
		r := record{t: t, row: row}
		id := r.text(5)
		out[id] = append(out[id], LoggedLabel{
			AnswerID: scoring.AnswerID{CaseID: id, By: scoring.By{Agent: key.Agent, Version: r.text(4), Batch: key.Batch}}, Annotator: r.text(0), Verdict: r.text(1), Note: r.text(2), At: instant(t, 3, row),
		})
		return true
	})
	if err != nil || p.layout.NoLog {
		return out, err
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
