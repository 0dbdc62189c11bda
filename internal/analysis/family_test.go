package analysis

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/gate"
)

// brokenIn is the number of the ten answers that pass a metric on the first side only. With n of them and none fixed,
// McNemar's exact p is 2 / 2^n: 8 give 1/128, 7 give 1/64, 6 give 1/32, 5 give 1/16.
var brokenIn = map[string]int{"hybrid_ex": 7, "verdict": 8, "ex_bird": 6, "refusal": 5, "row_f1": 8, "tree_match": 7}

// familyP are Holm's p-values by hand. The primary metric is alone: 1/64. Of three, verdict has 3/128, ex_bird 2/32 and
// refusal the larger of 1/16 and that. Of two others, row_f1 has 2/128 and tree_match the larger of 1/64 and that.
var familyP = map[string]float64{"hybrid_ex": 1. / 64, "verdict": 3. / 128, "ex_bird": 2. / 32, "refusal": 1. / 16, "row_f1": 2. / 128, "tree_match": 1. / 64}

func familySides() (set *Set, there []string, from, to *Answers) {
	set = NewSet(nil)
	from, to = set.Answers(Batch{}), set.Answers(Batch{})
	for metric, broken := range brokenIn {
		there = append(there, metric)
		for i := range 10 {
			before, after := true, i >= broken
			for _, side := range []struct {
				of     *Answers
				passed *bool
			}{{from, &before}, {to, &after}} {
				s := value(metric, fmt.Sprint("c", i), 0)
				if s.Passed = side.passed; *side.passed {
					s.Value = 1
				}
				side.of.Add(&s)
			}
			tier := value(complexity, fmt.Sprint("c", i), 0)
			tier.Label = []string{"easy", "hard"}[i%2]
			to.Add(&tier)
		}
	}
	return set, there, from, to
}

// The p-value of a comparison does not depend on what is shown.
func TestFamilyDoesNotDependOnWhatIsShown(t *testing.T) {
	t.Parallel()
	set, there, from, to := familySides()
	for _, shown := range []string{"", "all", "hybrid_ex", "ex_bird", "verdict,ex_bird", "row_f1", "tree_match,ex_bird", "refusal,row_f1,tree_match"} {
		for _, byTier := range []bool{false, true} {
			o := CompareOptions{ByTier: byTier}
			if shown != "" {
				o.Metrics = strings.Split(shown, ",")
			}
			o, more := o.Select(set, there, nil)
			c := Compare(from, to, o)
			if c.Primary != "hybrid_ex" || !strings.Contains(c.Headline(), "30% of 10 answers are right by hybrid_ex, down from 100%") {
				t.Errorf("shown %q: the primary metric is %s: %s", shown, c.Primary, c.Headline())
			}
			for _, ch := range c.Changes {
				if !slices.Contains(o.Shown, ch.Metric) || slices.Contains(more, ch.Metric) {
					t.Errorf("shown %q: there is a row of %s", shown, ch.Metric)
				}
				if ch.Tier == "" && !near(*ch.PAdjusted, familyP[ch.Metric], 1e-12) {
					t.Errorf("shown %q, by tier %v: p of %s is %v, want %v", shown, byTier, ch.Metric, *ch.PAdjusted, familyP[ch.Metric])
				}
			}
		}
	}
}

// A declared primary metric is shown and tested by itself, and the former one joins the others.
func TestFamilyOfADeclaredPrimary(t *testing.T) {
	t.Parallel()
	set, there, from, to := familySides()
	for _, tc := range []struct {
		primary, shown string
		want           map[string]float64
	}{
		{"refusal", "hybrid_ex", map[string]float64{"refusal": 1. / 16, "hybrid_ex": 2. / 64}}, // of verdict, hybrid_ex, ex_bird the second
		{"row_f1", "", map[string]float64{"row_f1": 1. / 128, "hybrid_ex": 3. / 64, "verdict": 4. / 128, "ex_bird": 2. / 32, "refusal": 1. / 16}},
	} {
		o := CompareOptions{Primary: tc.primary}
		if tc.shown != "" {
			o.Metrics = []string{tc.shown}
		}
		o, _ = o.Select(set, there, nil)
		c := Compare(from, to, o)
		if len(c.Changes) != len(tc.want) || c.Primary != tc.primary {
			t.Errorf("%s: %d rows, primary %s", tc.primary, len(c.Changes), c.Primary)
		}
		for _, ch := range c.Changes {
			if want, shown := tc.want[ch.Metric]; !shown || !near(*ch.PAdjusted, want, 1e-12) {
				t.Errorf("primary %s: p of %s is %v, want %v", tc.primary, ch.Metric, *ch.PAdjusted, want)
			}
		}
	}
	// A gate has the p of its row: 2/32 of ex_bird is not more than chance.
	o, _ := CompareOptions{Metrics: []string{"ex_bird"}}.Select(set, there, []gate.Drop{{Metric: "ex_bird", Drop: 0.1}})
	if said, reached := Compare(from, to, o).Check([]gate.Drop{{Metric: "ex_bird", Drop: 0.1}}); !reached {
		t.Errorf("%q", said)
	}
}

// The tiers of one metric are a family: easy has 4 of 5 broken and hard 3, p 1/8 and 1/4, so that Holm gives 1/4 twice.
func TestFamilyOfTiers(t *testing.T) {
	t.Parallel()
	set, there, from, to := familySides()
	for _, shown := range []string{"hybrid_ex", "all"} {
		o, _ := CompareOptions{Metrics: []string{shown}, ByTier: true}.Select(set, there, nil)
		seen := 0
		for _, ch := range Compare(from, to, o).Changes {
			if ch.Metric == "hybrid_ex" && ch.Tier != "" {
				seen++
				if !near(*ch.PAdjusted, 0.25, 1e-12) || ch.Family != 2 {
					t.Errorf("shown %s: p of %s is %v among %d", shown, ch.Tier, *ch.PAdjusted, ch.Family)
				}
			}
		}
		if seen != 2 {
			t.Errorf("%d tiers", seen)
		}
	}
}
