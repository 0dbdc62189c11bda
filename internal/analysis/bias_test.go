package analysis_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// A probe keeps what is said: the tokens of the query, and each line of the response.
func TestProbed(t *testing.T) {
	t.Parallel()
	c := &scoring.Case{ID: "c", Golds: []scoring.Query{{SQL: "SELECT 1"}}, Dialect: "postgres",
		Pred:  scoring.Query{SQL: "SELECT a AS \"From\" FROM t WHERE b = 'WHERE' -- AND\n"},
		Agent: scoring.Agent{Response: "There are 3.\nIn 2024."}}
	for _, probe := range []string{analysis.ProbeLength, analysis.ProbeStyle} {
		x, ok := analysis.Probed(c, probe)
		if !ok || x.Pred.SQL == c.Pred.SQL || x.Agent.Response == c.Agent.Response {
			t.Fatalf("%s: nothing changed", probe)
		}
		was, is := sqlparts.Lexemes(c.Pred.SQL, sqlparts.Postgres), sqlparts.Lexemes(x.Pred.SQL, sqlparts.Postgres)
		if len(was) != len(is) || !strings.Contains(x.Pred.SQL, `"From"`) || !strings.Contains(x.Pred.SQL, "'WHERE'") {
			t.Errorf("%s: %s", probe, x.Pred.SQL)
		}
		for _, line := range []string{"There are 3.", "In 2024."} {
			if !strings.Contains(x.Agent.Response, line) {
				t.Errorf("%s: %q lacks %q", probe, x.Agent.Response, line)
			}
		}
		if again, _ := analysis.Probed(c, probe); again.Pred.SQL != x.Pred.SQL || again.Agent.Response != x.Agent.Response {
			t.Errorf("%s is not deterministic", probe)
		}
		if _, ok := analysis.Probed(&scoring.Case{}, probe); ok {
			t.Errorf("%s applies to a case without an answer", probe)
		}
	}
	longer, _ := analysis.Probed(c, analysis.ProbeLength)
	if len(longer.Pred.SQL) < 2*len(c.Pred.SQL) || len(longer.Agent.Response) < 2*len(c.Agent.Response) {
		t.Errorf("%q and %q are not twice as long", longer.Pred.SQL, longer.Agent.Response)
	}
	restyled, _ := analysis.Probed(c, analysis.ProbeStyle)
	if want := "select a as \"From\" from t where b = 'WHERE' -- AND\n"; restyled.Pred.SQL != want {
		t.Errorf("%q, want %q", restyled.Pred.SQL, want)
	}
	swapped, ok := analysis.Probed(c, analysis.ProbePosition)
	if !ok || swapped.Pred.SQL != "SELECT 1" || swapped.Golds[0].SQL != c.Pred.SQL || c.Pred.SQL == "SELECT 1" {
		t.Errorf("position: %+v", swapped)
	}
	two := *c
	two.Golds = append(two.Golds, scoring.Query{SQL: "SELECT 2"})
	if _, ok := analysis.Probed(&two, analysis.ProbePosition); ok {
		t.Error("position applies to two accepted answers")
	}
}

// A judge that always prefers the first answer contradicts itself on every exchanged pair, one that prefers the longer
// with some probability in about as many; the size of the bias is found. A noisy judge without a bias is found about as
// often as the level says, and not more often.
func TestNewBias_Simulated(t *testing.T) {
	t.Parallel()
	const seeds, cases = 200, 60
	found := func(bias, noise float64) (biased int, change float64) {
		for seed := range uint64(seeds) {
			r := rand.New(rand.NewPCG(seed, 5))
			var of []analysis.ProbedVerdict
			for range cases {
				truth := r.Float64() < 0.5
				verdict := func(flip float64) bool { return truth != (r.Float64() < flip) }
				v := analysis.ProbedVerdict{Metric: "m", Probe: analysis.ProbeLength, Before: verdict(noise), After: verdict(noise)}
				v.After = v.After || r.Float64() < bias // prefers the longer text
				of = append(of, v)
			}
			row := analysis.NewBias(of, 0.05).Rows[0]
			if change += row.Change / seeds; row.Biased {
				biased++
			}
		}
		return biased, change
	}
	// 5 % of 200 is 10, and three standard deviations 9. An exact test of few flips stays below its level.
	if n, change := found(0, 0.2); n > 19 || change < -0.02 || change > 0.02 {
		t.Errorf("without a bias: found in %d of %d, change %.3f", n, seeds, change)
	}
	// Half of the cases fail before, and pass after with probability 0.5: 25 points.
	if n, change := found(0.5, 0); n < seeds*95/100 || change < 0.23 || change > 0.27 {
		t.Errorf("prefers longer with probability 0.5: found in %d of %d, change %.3f; want 0.25", n, seeds, change)
	}
	// With noise 0.2, 0.3 of its failures turn: 0.5 times 0.3 is 15 points.
	if n, change := found(0.3, 0.1); n < seeds/2 || change < 0.13 || change > 0.17 {
		t.Errorf("prefers longer with probability 0.3, with noise: found in %d of %d, change %.3f; want 0.15", n, seeds, change)
	}
	var first []analysis.ProbedVerdict
	for range cases { // the verdict on an exchanged pair of a preference is reversed before it is compared
		first = append(first, analysis.ProbedVerdict{Metric: "m", Probe: analysis.ProbePosition, Before: true, After: false})
	}
	if row := analysis.NewBias(first, 0.05).Rows[0]; !row.Biased || row.Consistent != 0 || row.Change != -1 || row.ToFail != cases {
		t.Errorf("always the first: %+v", row)
	}
}
