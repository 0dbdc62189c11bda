package main

import (
	"context"
	"sync"
	"time"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/cases"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/judging"
	"github.com/badger-eval/badger/internal/submission"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/udf/identity"
)

// missedCall is called with each judge call that is not made, because a run only estimates.
type missedCall func(judgebackend.Identity, judgebackend.Request)

const (
	estimateAnswers = 400              // maximum number of answers that an estimate computes
	estimateTime    = 20 * time.Second // time limit of an estimate
)

// missedCalls counts judge calls that are not made, each request once.
type missedCalls struct {
	mu   sync.Mutex
	seen map[string]bool
	of   map[judgebackend.Identity]*submission.Estimate
}

func (m *missedCalls) add(id judgebackend.Identity, r judgebackend.Request) {
	hash := r.Hash(id)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seen[hash] {
		return
	}
	m.seen[hash] = true
	e := m.of[id]
	if e == nil {
		e = &submission.Estimate{}
		m.of[id] = e
	}
	in, out := r.AboutTokens()
	e.Calls, e.TokensIn, e.TokensOut = e.Calls+1, e.TokensIn+in, e.TokensOut+out
}

// Estimate implements submission.Work. It computes the judged metrics of some answers without a judge, and counts the
// calls that they would make first. Calls that follow a reply are not counted.
func (x *submissions) Estimate(ctx context.Context, s *submission.Submission) (*submission.Estimate, error) {
	ctx, cancel := context.WithTimeout(identity.With(ctx, callerOf(s)), estimateTime)
	defer cancel()
	missed := &missedCalls{seen: map[string]bool{}, of: map[judgebackend.Identity]*submission.Estimate{}}
	e, ended, err := x.begin(ctx, s, missed.add)
	if err != nil {
		return nil, err
	}
	defer ended()
	out := &submission.Estimate{Answers: s.Understood.Answers}
	var judged []string
	for _, name := range e.Metrics {
		if m, err := e.Engine.Metric(name); err == nil && e.Engine.AsksJudge(m) {
			judged = append(judged, name)
		}
	}
	if len(judged) == 0 {
		out.Examined, out.Money = out.Answers, "0"
		return out, nil
	}
	step := max(1, (out.Answers+estimateAnswers-1)/estimateAnswers)
	runner := batch.Runner{Engine: e.Engine, Metrics: judged, Now: x.now}
	outcome, err := runner.Run(ctx, "estimate", cases.Every(e.Source, step), batch.Discard)
	if err != nil && (ctx.Err() == nil || outcome.Done == 0) {
		return nil, errcode.New(errcode.Of(err), "no estimate: %w", err)
	}
	sum := missed.total(e.judge, func(n int64) int64 { return (n*out.Answers + outcome.Done - 1) / outcome.Done })
	out.Examined, out.Calls, out.TokensIn, out.TokensOut, out.Money = outcome.Done, sum.Calls, sum.TokensIn, sum.TokensOut,
		sum.Money
	return out, nil
}

// total sums up the calls over all judges, each number scaled. Money is empty if a price is unknown.
func (m *missedCalls) total(judges *judging.Judges, scale func(int64) int64) (sum submission.Estimate) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var money judgebackend.Money
	priced := true
	for id, of := range m.of {
		calls, in, out := scale(of.Calls), scale(of.TokensIn), scale(of.TokensOut)
		sum.Calls, sum.TokensIn, sum.TokensOut = sum.Calls+calls, sum.TokensIn+in, sum.TokensOut+out
		cost, ok := judges.Price(id, in, out)
		money, priced = money+cost, priced && ok
	}
	if priced {
		sum.Money = money.String()
	}
	return sum
}
