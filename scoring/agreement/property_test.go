package agreement_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/scoring/agreement"
)

type confusion = agreement.Confusion

var statistics = map[string]agreement.Statistic{
	"kappa": confusion.Kappa, "mcc": confusion.MCC, "accuracy": confusion.Accuracy, "balanced accuracy": confusion.BalancedAccuracy, "f1": confusion.F1,
	"sensitivity": confusion.Sensitivity, "specificity": confusion.Specificity, "gap": confusion.Gap, "pass rate": confusion.PassRate, "label rate": confusion.LabelRate,
}

// everySmall yields all confusion matrices with counts up to 4.
func everySmall(yield func(confusion) bool) {
	for i := range 625 {
		if !yield(confusion{TP: i % 5, FP: i / 5 % 5, TN: i / 25 % 5, FN: i / 125}) {
			return
		}
	}
}

func TestStatisticsAreWithinTheirBoundsOrSayWhy(t *testing.T) {
	for c := range everySmall {
		for name, of := range statistics {
			s := of(c)
			least := 0.0
			if name == "kappa" || name == "mcc" {
				least = -1
			}
			switch {
			case math.IsNaN(s.Value) || s.Value < least || s.Value > 1:
				t.Errorf("%s of %+v is %v", name, c, s.Value)
			case !s.Defined && (s.Why == "" || s.Value != 0):
				t.Errorf("%s of %+v is not defined: value %v, why %q", name, c, s.Value, s.Why)
			}
		}
	}
}

func TestSymmetries(t *testing.T) {
	for c := range everySmall {
		classes := confusion{TP: c.TN, TN: c.TP, FP: c.FN, FN: c.FP} // pass is called fail
		raters := confusion{TP: c.TP, TN: c.TN, FP: c.FN, FN: c.FP}  // the metric is called the labels
		for _, name := range []string{"kappa", "mcc", "accuracy"} {
			of := statistics[name]
			for _, o := range []confusion{classes, raters} {
				if a, b := of(c), of(o); a.Defined != b.Defined || math.Abs(a.Value-b.Value) > 1e-12 {
					t.Errorf("%s of %+v is %v, of %+v %v", name, c, a, o, b)
				}
			}
		}
		if a, b := c.BalancedAccuracy(), classes.BalancedAccuracy(); a.Defined != b.Defined || math.Abs(a.Value-b.Value) > 1e-12 {
			t.Errorf("balanced accuracy of %+v is %v, of %+v %v", c, a, classes, b)
		}
		opposite := confusion{TP: c.FN, FN: c.TP, TN: c.FP, FP: c.TN} // every verdict is turned round
		if a, b := c.MCC(), opposite.MCC(); a.Defined && b.Defined && math.Abs(a.Value+b.Value) > 1e-12 {
			t.Errorf("MCC of %+v is %v, of the opposite %v", c, a, b)
		}
	}
}

// Kappa of two categories is the general kappa, from its definition.
func TestKappaIsCohens(t *testing.T) {
	for c := range everySmall {
		a, b := c.Kappa(), agreement.Cohen([][]int{{c.TP, c.FP}, {c.FN, c.TN}})
		if a.Defined != b.Defined || math.Abs(a.Value-b.Value) > 1e-12 {
			t.Errorf("%+v: %v, in general %v", c, a, b)
		}
	}
}

func TestDegenerateCases(t *testing.T) {
	for _, c := range []struct {
		why     string
		counts  confusion
		of      string
		defined bool
		value   float64
		reason  bool
	}{
		{"nothing to count", confusion{}, "kappa", false, 0, true},
		{"nothing to count", confusion{}, "accuracy", false, 0, true},
		{"a metric that never passes agrees as much as chance does", confusion{TN: 106, FN: 216}, "kappa", true, 0, true},
		{"its correlation is 0/0, by convention 0", confusion{TN: 106, FN: 216}, "mcc", true, 0, true},
		{"its F1 is an ordinary 0", confusion{TN: 106, FN: 216}, "f1", true, 0, false},
		{"labels of one class leave kappa at chance", confusion{TP: 5, FN: 5}, "kappa", true, 0, true},
		{"and half of balanced accuracy unknown", confusion{TP: 5, FN: 5}, "balanced accuracy", false, 0, true},
		{"and specificity", confusion{TP: 5, FN: 5}, "specificity", false, 0, true},
		{"everything passes everywhere: 0/0", confusion{TP: 5}, "kappa", false, 0, true},
		{"likewise for the correlation", confusion{TP: 5}, "mcc", false, 0, true},
		{"nothing passes anywhere: no precision, no recall", confusion{TN: 5}, "f1", false, 0, true},
		{"constant and contrary: no agreement, none expected", confusion{FP: 5}, "kappa", true, 0, true},
		{"perfect", confusion{TP: 3, TN: 2}, "kappa", true, 1, false},
		{"perfectly wrong, evenly", confusion{FP: 2, FN: 2}, "kappa", true, -1, false},
	} {
		s := statistics[c.of](c.counts)
		if s.Defined != c.defined || s.Value != c.value || (s.Why != "") != c.reason {
			t.Errorf("%s: %s of %+v is %+v, want %v (defined %v)", c.why, c.of, c.counts, s, c.value, c.defined)
		}
	}
}

func TestBootstrapIsSeeded(t *testing.T) {
	c := confusion{TP: 75, FP: 4, TN: 54, FN: 17}
	a := agreement.Bootstrap(c, confusion.Kappa, agreement.Resampling{Seed: 7})
	b := agreement.Bootstrap(c, confusion.Kappa, agreement.Resampling{Seed: 7})
	other := agreement.Bootstrap(c, confusion.Kappa, agreement.Resampling{Seed: 8})
	if a != b {
		t.Errorf("one seed gave %v and %v", a, b)
	}
	if a == other {
		t.Errorf("two seeds gave the same interval %v", a)
	}
	if k := c.Kappa().Value; a.Lo >= k || a.Hi <= k {
		t.Errorf("kappa %v is not within %v", k, a)
	}
	wide := agreement.Bootstrap(c, confusion.Kappa, agreement.Resampling{Seed: 7, Level: 0.99})
	if wide.Lo >= a.Lo || wide.Hi <= a.Hi {
		t.Errorf("at 99 %% %v, at 95 %% %v", wide, a)
	}
}

// Drawing counts is the same as drawing cases one by one, as the bootstrap is defined.
func TestBootstrapIsResamplingCases(t *testing.T) {
	for _, c := range []confusion{{TP: 53, FP: 11, TN: 47, FN: 39}, {TP: 24, TN: 58, FN: 68}, {TP: 9, FP: 2, TN: 4, FN: 1}} {
		const resamples = 200_000
		r := rand.New(rand.NewPCG(1, 2))
		values := make([]float64, 0, resamples)
		for range resamples {
			var k confusion
			for range c.N() {
				switch i := r.IntN(c.N()); {
				case i < c.TP:
					k.TP++
				case i < c.TP+c.FP:
					k.FP++
				case i < c.TP+c.FP+c.TN:
					k.TN++
				default:
					k.FN++
				}
			}
			if s := k.Kappa(); s.Defined {
				values = append(values, s.Value)
			}
		}
		slices.Sort(values)
		lo, hi := values[len(values)/40], values[len(values)*39/40]
		in := agreement.Bootstrap(c, confusion.Kappa, agreement.Resampling{Resamples: resamples})
		if math.Abs(in.Lo-lo) > 0.004 || math.Abs(in.Hi-hi) > 0.004 {
			t.Errorf("%+v: [%.4f, %.4f], case by case [%.4f, %.4f]", c, in.Lo, in.Hi, lo, hi)
		}
	}
}

func TestIntervalsOfDegenerateCases(t *testing.T) {
	for _, c := range []struct {
		why     string
		counts  confusion
		defined bool
		lo, hi  float64
	}{
		{"no cases", confusion{}, false, 0, 0},
		{"kappa is not defined", confusion{TP: 5}, false, 0, 0},
		{"no disagreement: a point, with a remark", confusion{TP: 40, TN: 40}, true, 1, 1},
		{"a constant metric: kappa is 0 in every resample", confusion{TP: 40, FP: 40}, true, 0, 0},
	} {
		in := agreement.Bootstrap(c.counts, confusion.Kappa, agreement.Resampling{})
		if in.Defined != c.defined || in.Lo != c.lo || in.Hi != c.hi || c.lo != 0 && in.Why == "" || !in.Defined && in.Why == "" {
			t.Errorf("%s: %+v", c.why, in)
		}
	}
}

func TestWilsonHoldsTheShareAndKeepsWithinBounds(t *testing.T) {
	for whole := 1; whole <= 40; whole++ {
		for part := range whole + 1 {
			in, p := agreement.Wilson(part, whole, 0.95), float64(part)/float64(whole)
			mirror := agreement.Wilson(whole-part, whole, 0.95)
			if in.Lo < 0 || in.Hi > 1 || in.Lo > p || in.Hi < p || in.Hi-in.Lo <= 0 {
				t.Errorf("%d of %d: %v", part, whole, in)
			}
			if math.Abs(in.Lo-(1-mirror.Hi)) > 1e-12 {
				t.Errorf("%d of %d: %v, mirrored %v", part, whole, in, mirror)
			}
		}
	}
	if in := agreement.Wilson(0, 0, 0.95); in.Defined || in.Why == "" {
		t.Errorf("of no cases: %+v", in)
	}
}

func TestCompare(t *testing.T) {
	labels := make([]agreement.Vote, 300)
	good, bad, missing := make([]agreement.Vote, 300), make([]agreement.Vote, 300), make([]agreement.Vote, 300)
	for i := range labels {
		labels[i] = agreement.Fail + agreement.Vote(i%2)
		good[i], bad[i] = labels[i], labels[i]
		if i%20 < 2 {
			good[i] = agreement.Fail + agreement.Pass - labels[i]
		}
		if i%20 < 8 {
			bad[i] = agreement.Fail + agreement.Pass - labels[i]
		}
	}
	p := agreement.TallyPair(labels, good, bad)
	x := agreement.Compare(p, confusion.Kappa, agreement.Resampling{})
	near(t, "kappa of the good one", x.A, 0.8, 9) // 10 % errors, evenly
	near(t, "kappa of the bad one", x.B, 0.2, 9)  // 40 %
	near(t, "their difference", x.Difference, 0.6, 9)
	if x.P > 0.001 || x.P <= 0 || x.Interval.Lo <= 0.4 || x.Interval.Hi >= 0.8 {
		t.Errorf("a clear difference: %+v", x)
	}
	y := agreement.Compare(agreement.TallyPair(labels, bad, good), confusion.Kappa, agreement.Resampling{Resamples: 50_000})
	if math.Abs(y.Interval.Lo+x.Interval.Hi) > 0.02 || math.Abs(y.Interval.Hi+x.Interval.Lo) > 0.02 || y.Difference.Value != -x.Difference.Value {
		t.Errorf("exchanged: %+v, before %+v", y, x)
	}
	same := agreement.Compare(agreement.TallyPair(labels, good, good), confusion.Kappa, agreement.Resampling{})
	if same.P != 1 || same.Difference.Value != 0 || same.Interval.Lo != 0 || same.Interval.Hi != 0 {
		t.Errorf("a metric against itself: %+v", same)
	}
	none := agreement.Compare(agreement.TallyPair(labels, good, missing), confusion.Kappa, agreement.Resampling{})
	if none.N != 0 || none.Difference.Defined || none.Interval.Defined || none.P != 1 || none.Interval.Why == "" {
		t.Errorf("without common cases: %+v", none)
	}
}

// Where two metrics are equally good the test raises false alarms about as often as its level says.
func TestCompareKeepsItsLevel(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const trials = 400
	alarms := 0
	for range trials {
		var p agreement.Pair
		for range 200 {
			label := r.IntN(2)
			a, b := label, label
			if r.IntN(5) == 0 {
				a = 1 - a
			}
			if r.IntN(5) == 0 {
				b = 1 - b
			}
			p[label<<2|a<<1|b]++
		}
		if agreement.Compare(p, confusion.Kappa, agreement.Resampling{Resamples: 500}).P < 0.05 {
			alarms++
		}
	}
	if alarms < 6 || alarms > 40 { // 20 expected; 4.6 standard deviations above
		t.Errorf("%d alarms in %d trials at the 5 %% level", alarms, trials)
	}
}

func TestMajority(t *testing.T) {
	const m, f, p = agreement.Missing, agreement.Fail, agreement.Pass
	for _, c := range []struct {
		why   string
		votes []agreement.Vote
		want  agreement.Vote
	}{
		{"nobody", nil, m}, {"all missing", []agreement.Vote{m, m}, m}, {"one", []agreement.Vote{f}, f}, {"two to one", []agreement.Vote{p, f, p}, p},
		{"a missing vote leaves a tie", []agreement.Vote{p, f, m}, m}, {"or a majority", []agreement.Vote{m, f, m}, f},
	} {
		if got := agreement.Majority(c.votes); got != c.want {
			t.Errorf("%s: %v, want %v", c.why, got, c.want)
		}
	}
}

func TestTallyBy(t *testing.T) {
	const m, f, p = agreement.Missing, agreement.Fail, agreement.Pass
	labels, verdicts := []agreement.Vote{p, p, f, f, m, p}, []agreement.Vote{p, f, f, p, p, m}
	groups := []string{"hard", "easy", "hard", "easy", "easy", "none"}
	want := []agreement.Part{{"easy", confusion{FP: 1, FN: 1}}, {"hard", confusion{TP: 1, TN: 1}}, {"none", confusion{}}}
	parts := agreement.TallyBy(labels, verdicts, groups)
	if d := cmp.Diff(want, parts); d != "" {
		t.Error(d)
	}
	var sum confusion
	for _, part := range parts {
		sum = sum.Plus(part.Confusion)
	}
	if all := agreement.Tally(labels, verdicts); sum != all {
		t.Errorf("the parts sum to %+v, all is %+v", sum, all)
	}
}

// For two raters without missing votes, Fleiss and Krippendorff are both about Scott's pi:
// (a-e)/(1-e) with the pooled shares; alpha corrects for the size of the sample: 1 - alpha = (1 -
// pi) (n-1)/n, where n counts ratings (Krippendorff 2004, section 11.3).
func TestFleissAndAlphaOfTwoRaters(t *testing.T) {
	for c := range everySmall {
		counts, units := [][]int{}, [][]float64{}
		add := func(k int, a, b float64) {
			for range k {
				row := []int{0, 0}
				row[int(a)]++
				row[int(b)]++
				counts, units = append(counts, row), append(units, []float64{a, b})
			}
		}
		add(c.TP, 1, 1)
		add(c.FP, 0, 1)
		add(c.FN, 1, 0)
		add(c.TN, 0, 0)
		kappa, alpha := agreement.Fleiss(counts), agreement.Alpha(units, agreement.LevelNominal)
		n := float64(2 * c.N())
		share := float64(2*c.TP+c.FP+c.FN) / n
		chance := share*share + (1-share)*(1-share)
		if c.N() == 0 || share == 0 || share == 1 {
			if kappa.Defined || alpha.Defined || kappa.Why == "" || alpha.Why == "" {
				t.Errorf("%+v: %+v, %+v, want neither defined", c, kappa, alpha)
			}
			continue
		}
		pi := (float64(c.TP+c.TN)/float64(c.N()) - chance) / (1 - chance)
		if math.Abs(kappa.Value-pi) > 1e-12 || math.Abs(1-alpha.Value-(1-pi)*(n-1)/n) > 1e-12 {
			t.Errorf("%+v: kappa %v, alpha %v; pi is %v", c, kappa.Value, alpha.Value, pi)
		}
		for _, level := range []agreement.Level{agreement.LevelOrdinal, agreement.LevelInterval, agreement.LevelRatio} {
			if a := agreement.Alpha(units, level); math.Abs(a.Value-alpha.Value) > 1e-12 {
				t.Errorf("%+v: two values, yet alpha at level %v is %v, nominal %v", c, level, a.Value, alpha.Value)
			}
		}
	}
}

func TestRatersWithMissingVotes(t *testing.T) {
	const m, f, p = agreement.Missing, agreement.Fail, agreement.Pass
	votes := [][]agreement.Vote{{p, p, p}, {f, f, m}, {p, f, f}, {m, m, p}, {m, m, m}}
	counts, units := agreement.Ballots(votes)
	if d := cmp.Diff([][]int{{0, 3}, {2, 0}, {2, 1}, {0, 1}, {0, 0}}, counts); d != "" {
		t.Error(d)
	}
	// Agreement over the three cases with two votes: (1 + 1 + 1/3)/3 = 7/9. Shares of fail over the
	// four that were rated: (0 + 1 + 2/3 + 0)/4 = 5/12; chance (25 + 49)/144. Kappa is (7/9 -
	// 74/144) / (70/144) = 38/70.
	near(t, "Fleiss", agreement.Fleiss(counts), 38.0/70, 9)
	// Eight ratings in units of two or more, four of each value. Observed: the third unit has two
	// unequal pairs of three: 2·2/2 = 2. Expected 2·4·4 = 32. Alpha is 1 - 7·2/32.
	near(t, "alpha", agreement.Alpha(units, agreement.LevelNominal), 1-14.0/32, 9)
	if a := agreement.Alpha([][]float64{{1}, {0}}, agreement.LevelNominal); a.Defined || a.Why == "" {
		t.Errorf("alpha of single votes: %+v", a)
	}
	if a := agreement.Alpha([][]float64{{-1, 1}}, agreement.LevelRatio); a.Defined || a.Why == "" {
		t.Errorf("alpha of ratios below 0: %+v", a)
	}
}

func TestSampleWarnings(t *testing.T) {
	for _, c := range []struct {
		counts confusion
		want   int
	}{
		{confusion{TP: 40, FP: 5, TN: 50, FN: 5}, 0}, {confusion{TP: 20, TN: 20}, 1}, {confusion{TP: 95, TN: 5}, 1}, {confusion{TP: 10}, 2}, {confusion{}, 1},
	} {
		if got := agreement.SampleWarnings(c.counts); len(got) != c.want {
			t.Errorf("%+v: %q, want %d warnings", c.counts, got, c.want)
		}
	}
	few := agreement.SampleWarnings(confusion{TP: 20, TN: 29})
	if want := "49 cases are too few to tell: below 50, even a kappa of 0.4 may be chance"; len(few) != 1 || few[0] != want {
		t.Errorf("%q, want %q", few, want)
	}
	if one := agreement.SampleWarnings(confusion{TP: 1}); !strings.HasPrefix(one[0], "1 case is too few to tell: below 50, ") {
		t.Errorf("one case: %q", one[0])
	}
}
