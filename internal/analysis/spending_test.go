package analysis_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/scoring"
)

// answer returns what an answer took; "" and -1 are unknown.
func answer(t *testing.T, id, cost string, in, ms int64, right bool) analysis.AnswerSpent {
	t.Helper()
	a := analysis.AnswerSpent{CaseID: id, Right: right}
	if cost != "" {
		usd, err := scoring.ParseCost(cost)
		if err != nil {
			t.Fatal(err)
		}
		a.CostUSD = &usd
	}
	if in >= 0 {
		a.TokensIn = &in
	}
	if ms >= 0 {
		d := time.Duration(ms) * time.Millisecond
		a.Latency = &d
	}
	return a
}

func batchNamed(version string) analysis.Batch {
	return analysis.Batch{By: scoring.By{Agent: "nova", Version: version}}
}

// Figures by hand: sums, medians and ranks of a few answers, some of which are unknown.
func TestSpendingFigures(t *testing.T) {
	t.Parallel()
	one := analysis.Spent{Batch: batchNamed("1"), Answers: []analysis.AnswerSpent{
		answer(t, "a", "0.10", 100, 10, true), answer(t, "b", "0.20", 200, 20, false),
		answer(t, "c", "0.40", -1, 30, true), answer(t, "d", "", 300, -1, true), // the cost of a right answer is unknown
		answer(t, "e", "0.000000000001", 0, 1000, false),
	}}
	s := analysis.NewSpending("hybrid_ex", []analysis.Spent{one}, nil)
	b := &s.Batches[0]
	if b.Answers != 5 || b.Right != 3 || b.RightOfKnown != 2 {
		t.Errorf("%d answers, %d right, %d of them with a cost; want 5, 3, 2", b.Answers, b.Right, b.RightOfKnown)
	}
	// 0.700000000001 dollars are known, for two right answers: 0.3500000000005, rounded half up
	if got := b.PerRight.String(); got != "0.350000000001" {
		t.Errorf("a right answer costs %s, want 0.350000000001", got)
	}
	for name, want := range map[string][4]string{
		analysis.QuantityCost:     {"4", "0.700000000001", "0.15", "0.4"},
		analysis.QuantityTokensIn: {"4", "600", "150", "300"},
		analysis.QuantityLatency:  {"4", "1060", "25", "1000"},
	} {
		q := b.Of(name)
		n, _ := json.Marshal(q.N)
		if got := [4]string{string(n), q.Total.String(), q.Median.String(), q.P95.String()}; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if b.Of(analysis.QuantityTokensOut) != nil {
		t.Error("tokens out are shown, and no answer has them")
	}
	unknown := analysis.Spent{Batch: batchNamed("1"), Answers: []analysis.AnswerSpent{answer(t, "a", "", -1, -1, true)}}
	if got := analysis.NewSpending("hybrid_ex", []analysis.Spent{unknown}, nil); got != nil {
		t.Errorf("%+v, want nothing, as nothing is known", got)
	}
	wrong := analysis.Spent{Batch: batchNamed("1"), Answers: []analysis.AnswerSpent{answer(t, "a", "1", -1, -1, false)}}
	if got := analysis.NewSpending("hybrid_ex", []analysis.Spent{wrong}, nil).Batches[0].PerRight; got != nil {
		t.Errorf("a right answer costs %s, and there is none", got)
	}
}

// P95 is the nearest rank: the 19th of 20 values, and the 20th of 21.
func TestSpendingP95(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "1", 19: "19", 20: "19", 21: "20", 40: "38", 100: "95"} {
		s := analysis.Spent{Batch: batchNamed("1")}
		for i := range n {
			s.Answers = append(s.Answers, answer(t, "q", "", -1, int64(i+1), false))
		}
		if got := analysis.NewSpending("m", []analysis.Spent{s}, nil).Batches[0].Of(analysis.QuantityLatency).P95.String(); got != want {
			t.Errorf("of %d values: %s, want %s", n, got, want)
		}
	}
}

// A change is of the questions that have a value in both batches. With 5 differences of one sign, 2 of the 32
// assignments of signs are as far from 0: p is 2/32, and 3 · 2/32 by Holm among three quantities.
func TestSpendingChange(t *testing.T) {
	t.Parallel()
	from, to := analysis.Spent{Batch: batchNamed("1")}, analysis.Spent{Batch: batchNamed("2")}
	for i, id := range []string{"a", "b", "c", "d", "e"} {
		n := int64(i + 1)
		from.Answers = append(from.Answers, answer(t, id, "0.1", 100, 50, true))
		to.Answers = append(to.Answers, answer(t, id, "0.3", 100+10*n, 50, true))
	}
	from.Answers = append(from.Answers, answer(t, "f", "9", -1, -1, true), answer(t, "g", "9", -1, -1, true))
	to.Answers = append(to.Answers, answer(t, "f", "", 9, -1, true), answer(t, "h", "9", 9, 9, true))
	s := analysis.NewSpending("m", []analysis.Spent{from, to}, [][2]int{{0, 1}})
	cost := s.Changes[0].Of(analysis.QuantityCost)
	if cost.Compared != 5 || cost.Before.String() != "0.1" || cost.After.String() != "0.3" || cost.Mean.String() != "0.2" || *cost.Ratio != 2 {
		t.Errorf("%+v", cost)
	}
	if cost.P != 2.0/32 || cost.PAdjusted != 2*2.0/32+2.0/32 || cost.Chance != analysis.Chance {
		t.Errorf("p %v, adjusted %v, %s; want %v and %v", cost.P, cost.PAdjusted, cost.Chance, 2.0/32, 3*2.0/32)
	}
	in := s.Changes[0].Of(analysis.QuantityTokensIn)
	if in.Compared != 5 || in.Mean.String() != "30" || in.P != 2.0/32 {
		t.Errorf("%+v", in)
	}
	if same := s.Changes[0].Of(analysis.QuantityLatency); same.P != 1 || same.Chance != "" || same.Mean.String() != "0" {
		t.Errorf("an equal latency: %+v", same)
	}
	text, err := json.Marshal(cost.Mean)
	if err != nil || string(text) != "0.2" {
		t.Errorf("%s, %v", text, err)
	}
}

func TestAmountRounded(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		cost     string
		decimals int
		want     string
	}{
		{"12.3456", 2, "12.35"}, {"12.345", 2, "12.35"}, {"0.0031", 2, "0.0031"}, {"0.00312", 2, "0.0031"},
		{"0.5", 2, "0.5"}, {"0", 2, "0"}, {"0.000000000001", 2, "0.000000000001"}, {"1840", 0, "1840"}, {"99.5", 0, "100"},
	} {
		s := analysis.NewSpending("m", []analysis.Spent{{Answers: []analysis.AnswerSpent{answer(t, "a", tc.cost, -1, -1, true)}}}, nil)
		if got := s.Batches[0].Of(analysis.QuantityCost).Total.Rounded(tc.decimals); got != tc.want {
			t.Errorf("%s to %d decimals: %s, want %s", tc.cost, tc.decimals, got, tc.want)
		}
	}
}
