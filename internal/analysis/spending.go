package analysis

import (
	"context"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
)

// The quantities that answers take, by the names of their columns.
const (
	QuantityCost      = "cost_usd"
	QuantityTokensIn  = "tokens_in"
	QuantityTokensOut = "tokens_out"
	QuantityLatency   = "latency_ms"
)

// quantity is one thing that answers take, as integers with a number of decimals.
type quantity struct {
	name     string
	unit     int64 // factor from the field of Spent to an integer with these decimals
	decimals int
	of       func(*scoring.Spent) *int64
}

var quantities = []quantity{
	{QuantityCost, 1, 12, func(s *scoring.Spent) *int64 { return (*int64)(s.CostUSD) }},
	{QuantityTokensIn, 1000, 3, func(s *scoring.Spent) *int64 { return s.TokensIn }},
	{QuantityTokensOut, 1000, 3, func(s *scoring.Spent) *int64 { return s.TokensOut }},
	{QuantityLatency, 1, 6, func(s *scoring.Spent) *int64 { return (*int64)(s.Latency) }},
}

// amount returns a number of units of the quantity.
func (q *quantity) amount(n int64) *Amount {
	return &Amount{new(big.Int).Mul(big.NewInt(n), big.NewInt(q.unit)), q.decimals}
}

// AnswerSpent is what one answer of a batch took, and whether it is right.
type AnswerSpent struct {
	CaseID string
	scoring.Spent
	Right bool // passed the primary metric
}

// Spent holds what the answers of a batch took.
type Spent struct {
	Batch      Batch
	Answers    []AnswerSpent // one for each answer, also if nothing is known of it
	Unreadable scoring.UnreadableSpent
}

// known reports whether anything is known about any answer.
func (s *Spent) known() bool {
	return slices.ContainsFunc(s.Answers, func(a AnswerSpent) bool { return !a.Unknown() })
}

// Spending is what the answers of batches took, and the changes between them.
type Spending struct {
	Primary string           `json:"right_by"` // the metric that decides which answers are right
	Batches []BatchSpending  `json:"batches"`
	Changes []SpendingChange `json:"changes,omitempty"`
}

// BatchSpending is what the answers of one batch took.
type BatchSpending struct {
	Batch      Batch      `json:"batch"`
	Answers    int        `json:"answers"`
	Right      int        `json:"right"`
	Unreadable int        `json:"unreadable,omitempty"`       // answers with a value that cannot be read, and so is unknown
	Unread     string     `json:"first_unreadable,omitempty"` // the case and the column of the first of them
	Quantities []Quantity `json:"quantities"`                 // those with a known value
	// PerRight is the cost of all answers with a known cost, right or wrong, divided by RightOfKnown, the right ones among
	// them; null if there is none. It is rounded to 12 decimals.
	PerRight     *Amount `json:"cost_usd_per_right"`
	RightOfKnown int     `json:"right_with_cost"`
}

// Quantity holds the figures of one quantity over the answers of a batch that have a value.
type Quantity struct {
	Name   string  `json:"quantity"` // cost_usd, tokens_in, tokens_out or latency_ms
	N      int     `json:"n"`        // answers with a value
	Total  *Amount `json:"total"`
	Median *Amount `json:"median"` // of an even number of values: the mean of the middle two
	P95    *Amount `json:"p95"`    // by nearest rank
}

// SpendingChange is the change of the quantities from one batch to another.
type SpendingChange struct {
	From       Batch            `json:"from"`
	To         Batch            `json:"to"`
	Quantities []QuantityChange `json:"quantities"`
}

// QuantityChange is the change of a quantity on the questions whose answers have a value in both batches.
type QuantityChange struct {
	Name     string  `json:"quantity"`
	Compared int     `json:"compared"` // number of these questions
	Before   *Amount `json:"before"`   // mean of an answer
	After    *Amount `json:"after"`
	Mean     *Amount `json:"mean_change"`
	// Ratio is After/Before-1; null if Before is 0.
	Ratio *float64 `json:"relative_change"`
	Low   float64  `json:"mean_low"` // 95 % CI of Mean
	High  float64  `json:"mean_high"`
	// P is the p-value of Mean by a sign-flip test. PAdjusted is adjusted among the quantities (Holm).
	P         float64 `json:"p"`
	PAdjusted float64 `json:"p_adjusted"`
	Chance    string  `json:"chance,omitempty"` // "more than chance" or "could be chance"; "" if nothing changed
}

// NewSpending returns the figures of batches, in their order, and the changes for pairs of their indexes. It returns
// nil if nothing is known about any answer.
func NewSpending(primary string, batches []Spent, pairs [][2]int) *Spending {
	if !slices.ContainsFunc(batches, func(s Spent) bool { return s.known() }) {
		return nil
	}
	out := &Spending{Primary: primary}
	for i := range batches {
		out.Batches = append(out.Batches, batches[i].figures())
	}
	for _, p := range pairs {
		if c := changeOfSpending(&batches[p[0]], &batches[p[1]]); len(c.Quantities) > 0 {
			out.Changes = append(out.Changes, c)
		}
	}
	return out
}

// With returns s with the batches and changes of o that it lacks; s may be nil. Batches of o come first, as they are
// the baselines.
func (s *Spending) With(o *Spending) *Spending {
	if s == nil {
		return o
	}
	out := *s
	var more []BatchSpending
	for _, b := range o.Batches {
		if !slices.ContainsFunc(s.Batches, func(a BatchSpending) bool { return a.Batch.By == b.Batch.By }) {
			more = append(more, b)
		}
	}
	out.Batches = append(more, s.Batches...)
	out.Changes = slices.Clone(s.Changes)
	for _, c := range o.Changes {
		if !slices.ContainsFunc(s.Changes,
			func(a SpendingChange) bool { return a.From.By == c.From.By && a.To.By == c.To.By }) {
			out.Changes = append([]SpendingChange{c}, out.Changes...)
		}
	}
	return &out
}

// figures returns the figures of a batch.
func (s *Spent) figures() BatchSpending {
	b := BatchSpending{Batch: s.Batch, Answers: len(s.Answers), Unreadable: s.Unreadable.Answers,
		Unread: s.Unreadable.First}
	for i := range s.Answers {
		if a := &s.Answers[i]; a.Right {
			b.Right++
			if a.CostUSD != nil {
				b.RightOfKnown++
			}
		}
	}
	for _, q := range quantities {
		var values []int64
		for i := range s.Answers {
			if v := q.of(&s.Answers[i].Spent); v != nil {
				values = append(values, *v)
			}
		}
		if len(values) == 0 {
			continue
		}
		slices.Sort(values)
		f := Quantity{Name: q.name, N: len(values), Total: q.amount(0), P95: q.amount(values[(19*len(values)+19)/20-1])}
		for _, v := range values {
			f.Total.unscaled.Add(f.Total.unscaled, q.amount(v).unscaled)
		}
		middle := q.amount(values[len(values)/2])
		middle.unscaled.Add(middle.unscaled, q.amount(values[(len(values)-1)/2]).unscaled)
		f.Median = middle.over(2)
		if q.name == QuantityCost && b.RightOfKnown > 0 {
			b.PerRight = f.Total.over(b.RightOfKnown)
		}
		b.Quantities = append(b.Quantities, f)
	}
	return b
}

// Of returns the figures of a quantity, or nil if no answer has a value.
func (b *BatchSpending) Of(name string) *Quantity {
	for i := range b.Quantities {
		if b.Quantities[i].Name == name {
			return &b.Quantities[i]
		}
	}
	return nil
}

// Of returns the change of a quantity, or nil if no question has a value in both batches.
func (c *SpendingChange) Of(name string) *QuantityChange {
	for i := range c.Quantities {
		if c.Quantities[i].Name == name {
			return &c.Quantities[i]
		}
	}
	return nil
}

// changeOfSpending compares two batches.
func changeOfSpending(from, to *Spent) SpendingChange {
	c := SpendingChange{From: from.Batch, To: to.Batch}
	before := map[string]*scoring.Spent{}
	for i := range from.Answers {
		before[from.Answers[i].CaseID] = &from.Answers[i].Spent
	}
	var p []float64
	for _, q := range quantities {
		ch := QuantityChange{Name: q.name, Before: q.amount(0), After: q.amount(0)}
		var diffs []float64
		for i := range to.Answers {
			was := before[to.Answers[i].CaseID]
			if was == nil {
				continue
			}
			v, w := q.of(was), q.of(&to.Answers[i].Spent)
			if v == nil || w == nil {
				continue
			}
			a, b := q.amount(*v), q.amount(*w)
			ch.Before.unscaled.Add(ch.Before.unscaled, a.unscaled)
			ch.After.unscaled.Add(ch.After.unscaled, b.unscaled)
			diffs = append(diffs, b.minus(a).Float())
		}
		if ch.Compared = len(diffs); ch.Compared == 0 {
			continue
		}
		ch.conclude(diffs)
		p = append(p, ch.P)
		c.Quantities = append(c.Quantities, ch)
	}
	for i, adjusted := range agreement.Holm(p) {
		ch := &c.Quantities[i]
		switch ch.PAdjusted = adjusted; {
		case ch.P == 1 && ch.Low == 0 && ch.High == 0:
		case adjusted < defaultAlpha:
			ch.Chance = MoreThanChance
		default:
			ch.Chance = Chance
		}
	}
	return c
}

const defaultAlpha = 0.05

// conclude replaces the sums in Before and After by the means of the compared answers, and tests the difference.
func (ch *QuantityChange) conclude(diffs []float64) {
	if ch.Before.unscaled.Sign() > 0 {
		ratio, _ := new(big.Rat).SetFrac(ch.After.minus(ch.Before).unscaled, ch.Before.unscaled).Float64()
		ch.Ratio = &ratio
	}
	ch.Mean = ch.After.minus(ch.Before).over(ch.Compared)
	ch.Before, ch.After = ch.Before.over(ch.Compared), ch.After.over(ch.Compared)
	ch.P = agreement.SignFlip(diffs, 0)
	ch.Low, ch.High = agreement.MeanInterval(diffs, 0)
}

// spentSource is a source that knows what answers took.
type spentSource interface {
	// Spent returns what the answers of a batch took, by case, and the answers with a value that cannot be read, and so is
	// unknown. It returns nil if it has no answer of the batch.
	Spent(ctx context.Context, b Batch) (answers map[string]scoring.Spent, unreadable scoring.UnreadableSpent,
		err error)
}

// SpentOf returns what the answers of a side took. If several batches have an answer to a question, that of the last is
// used. scores has the scores of the primary metric, which decides which answers are right.
func SpentOf(ctx context.Context, src spentSource, batches []Batch, scores *Answers, primary string) (Spent, error) {
	out := Spent{Batch: scores.Batch}
	all := map[string]scoring.Spent{}
	for _, b := range batches {
		answers, unreadable, err := src.Spent(ctx, b)
		if err != nil {
			return out, err
		}
		maps.Copy(all, answers)
		if out.Unreadable.Answers += unreadable.Answers; out.Unreadable.First == "" {
			out.Unreadable.First = unreadable.First
		}
	}
	for id, spent := range all {
		a := AnswerSpent{CaseID: id, Spent: spent}
		if n, is := scores.set.cases.Known(id); is {
			a.Right = scores.series[primary].at(int(n)).mark.passed()
		}
		out.Answers = append(out.Answers, a)
	}
	slices.SortFunc(out.Answers, func(a, b AnswerSpent) int { return strings.Compare(a.CaseID, b.CaseID) })
	return out, nil
}

// CompareSpending returns what the answers of the two sides of a comparison took, given the batches of each; nil if
// nothing is known, or src does not know it.
func CompareSpending(ctx context.Context, src Source, set *Set, c *Comparison, sides [2][]Batch) (*Spending, error) {
	known, is := src.(spentSource)
	if !is {
		return nil, nil //nolint:nilnil // nothing is known
	}
	var spent []Spent
	for i, batches := range sides {
		scores := set.Answers([]Batch{c.From, c.To}[i])
		for _, b := range batches {
			if err := src.Load(ctx, b, []string{c.Primary}, scores); err != nil {
				return nil, err
			}
		}
		side, err := SpentOf(ctx, known, batches, scores, c.Primary)
		if err != nil {
			return nil, err
		}
		spent = append(spent, side)
	}
	return NewSpending(c.Primary, spent, [][2]int{{0, 1}}), nil
}
