package caseview

import (
	"context"
	"slices"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// ask rebuilds the prompts that are not recorded with the replies, by scoring the case again with a judge that returns
// the recorded replies. A prompt is accepted only if its hash equals the recorded one, so that it is exact.
func (b *builder) ask(ctx context.Context) error {
	b.requests = map[string]*judgebackend.Request{}
	if b.masked.active {
		return nil // questions hold values
	}
	replies := map[string]judgebackend.Response{}
	var asked []judgebackend.Identity
	for i := range b.Assessments {
		a := &b.Assessments[i]
		id := judgebackend.Identity{Backend: a.Backend, Model: a.Model}
		if !slices.Contains(asked, id) {
			asked = append(asked, id)
		}
		replies[a.RequestHash] = judgebackend.Response{
			Reply: a.Reply, Model: a.Model, FinishReason: judgebackend.FinishStop, RequestHash: a.RequestHash,
			AssessmentID: a.ID, CreatedAt: a.CreatedAt, Cached: true,
			TokensIn: judgebackend.TokensUnknown, TokensOut: judgebackend.TokensUnknown,
		}
	}
	if len(replies) == 0 {
		return nil
	}
	all := metric.All()
	var names []string
	for i := range b.Scores {
		name := b.Scores[i].Metric
		if len(b.Scores[i].AssessmentIDs) > 0 &&
			slices.IndexFunc(all, func(m scoring.Metric) bool { return m.Name == name }) >= 0 {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	for i := range asked { // later questions of a judge depend on its own replies
		order := append(asked[i:len(asked):len(asked)], asked[:i]...)
		recorded := judgebackend.Func(func(_ context.Context, r judgebackend.Request) (judgebackend.Response, error) {
			for _, id := range order {
				hash := r.Hash(id)
				if reply, ok := replies[hash]; ok {
					b.requests[hash] = &r
					return reply, nil
				}
			}
			return judgebackend.Response{}, errcode.New(errcode.NotFound, "no reply to this question is recorded")
		})
		e, err := b.engine(recorded)
		if err != nil {
			return err
		}
		if _, err = e.Score(ctx, b.Case, names...); err != nil { // what it gives is of no interest
			return err
		}
	}
	return nil
}
