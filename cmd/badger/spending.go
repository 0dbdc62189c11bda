package main

import (
	"encoding/json"

	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
)

// asked is what judges were asked for a version's scores, whether somebody answered now or the
// ledger did. Tokens of answers whose backend did not count them are missing, and the calls say so.
type asked struct {
	Calls     int64 `json:"calls"`
	Uncounted int64 `json:"uncounted_calls,omitempty"` // of them, scores with calls whose tokens are not known
	In        int64 `json:"in"`
	Out       int64 `json:"out"`
}

func (u *asked) add(s *scoring.Usage) {
	if s == nil {
		return
	}
	u.Calls += int64(s.Calls)
	if s.TokensIn < 0 || s.TokensOut < 0 {
		u.Uncounted++
	}
	u.In += int64(max(0, s.TokensIn))
	u.Out += int64(max(0, s.TokensOut))
}

// cost is what a run paid for, all versions together.
type cost struct {
	Calls     int64  `json:"calls"`
	TokensIn  int64  `json:"tokens_in"`
	TokensOut int64  `json:"tokens_out"`
	Money     string `json:"money,omitempty"` // in the currency of the prices; left out where no price is known
}

func (c *cost) plus(o cost) {
	c.Calls, c.TokensIn, c.TokensOut = c.Calls+o.Calls, c.TokensIn+o.TokensIn, c.TokensOut+o.TokensOut
	a, errA := judgebackend.ParseMoney(c.Money)
	b, errB := judgebackend.ParseMoney(o.Money)
	if errA == nil || errB == nil {
		c.Money = (a + b).String()
	}
}

// paid is what the judge's answers cost so far.
func (j *judging) paid() cost {
	if j == nil {
		return cost{}
	}
	s := j.budget.Spent()
	c := cost{Calls: j.stack.Stats().Calls, TokensIn: s.TokensIn, TokensOut: s.TokensOut}
	if s.Money > 0 {
		c.Money = s.Money.String()
	}
	return c
}

// paidEarlier is what the run had paid for before it was resumed. Each row has the cost of the
// whole run; those of batches that were not reached in every part say less.
func (e *evaluation) paidEarlier() cost {
	var most cost
	for _, r := range e.earlier {
		var c cost // a row that another version of badger wrote may say nothing
		if json.Unmarshal([]byte(r.Cost), &c) == nil && c.Calls > most.Calls {
			most = c
		}
	}
	return most
}
