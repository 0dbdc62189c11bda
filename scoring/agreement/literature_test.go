package agreement_test

import (
	"math"
	"testing"

	"github.com/badger-eval/badger/scoring/agreement"
)

// near reports whether a statistic is what was printed, to the decimals that were printed.
func near(t *testing.T, what string, got agreement.Stat, want float64, decimals int) {
	t.Helper()
	if !got.Defined {
		t.Errorf("%s is not defined (%s), want %v", what, got.Why, want)
		return
	}
	if half := 0.5 * math.Pow10(-decimals); math.Abs(got.Value-want) > half*1.0001 {
		t.Errorf("%s = %.6f, want %.*f", what, got.Value, decimals, want)
	}
}

// Cohen (1960), A coefficient of agreement for nominal scales: 200 cases, three categories; tables
// 1 (in percent) and 2 (counts).
func TestCohen1960(t *testing.T) {
	near(t, "kappa of table 1", agreement.Cohen([][]int{{50, 26, 24}, {24, 4, 32}, {6, 30, 4}}), -0.092, 3)
	near(t, "kappa of table 2", agreement.Cohen([][]int{{88, 10, 2}, {14, 40, 6}, {18, 10, 12}}), 0.492, 3)
}

// Fleiss (1971), Measuring nominal scale agreement among many raters, table 1: 30 patients, 6
// psychiatrists, 5 diagnoses; kappa 0.430.
func TestFleiss1971(t *testing.T) {
	near(t, "kappa", agreement.Fleiss([][]int{
		{0, 0, 0, 6, 0}, {0, 3, 0, 0, 3}, {0, 1, 4, 0, 1}, {0, 0, 0, 0, 6}, {0, 3, 0, 3, 0}, {2, 0, 4, 0, 0},
		{0, 0, 4, 0, 2}, {2, 0, 3, 1, 0}, {2, 0, 0, 4, 0}, {0, 0, 0, 0, 6}, {1, 0, 0, 5, 0}, {1, 1, 0, 4, 0},
		{0, 3, 3, 0, 0}, {1, 0, 0, 5, 0}, {0, 2, 0, 3, 1}, {0, 0, 5, 0, 1}, {3, 0, 0, 1, 2}, {5, 1, 0, 0, 0},
		{0, 2, 0, 4, 0}, {1, 0, 2, 0, 3}, {0, 0, 0, 0, 6}, {0, 1, 0, 5, 0}, {0, 2, 0, 1, 3}, {2, 0, 0, 4, 0},
		{1, 0, 0, 4, 1}, {0, 5, 0, 1, 0}, {4, 0, 0, 0, 2}, {0, 2, 0, 4, 0}, {1, 0, 5, 0, 0}, {0, 0, 0, 0, 6},
	}), 0.430, 3)
}

// Krippendorff (2011), Computing Krippendorff's Alpha-Reliability: parts A (binary, two observers),
// B (nominal, two observers), and C and D (four observers, missing data, four levels of
// measurement).
func TestKrippendorff2011(t *testing.T) {
	two := func(a, b string) (units [][]float64) {
		for i := range a {
			units = append(units, []float64{float64(a[i]), float64(b[i])})
		}
		return units
	}
	near(t, "A, binary", agreement.Alpha(two("0100000010", "1110010000"), agreement.LevelNominal), 0.095, 3)
	near(t, "B, nominal", agreement.Alpha(two("aabbdcccedda", "babbbccceddd"), agreement.LevelNominal), 0.692, 3)
	observers := []string{"123321412...", "1233224125.3", ".3332342251.", "12332441251."}
	units := make([][]float64, 12)
	for _, o := range observers {
		for i := range o {
			if o[i] != '.' {
				units[i] = append(units[i], float64(o[i]-'0'))
			}
		}
	}
	for _, c := range []struct {
		level agreement.Level
		name  string
		want  float64
	}{
		{agreement.LevelNominal, "nominal", 0.743}, {agreement.LevelOrdinal, "ordinal", 0.815},
		{agreement.LevelInterval, "interval", 0.849}, {agreement.LevelRatio, "ratio", 0.797},
	} {
		near(t, "C and D, "+c.name, agreement.Alpha(units, c.level), c.want, 3)
	}
}

// Newcombe (1998), Two-sided confidence intervals for the single proportion, table I, method 3: the
// score interval of Wilson (1927).
func TestWilson1927(t *testing.T) {
	for _, c := range []struct {
		part, whole int
		lo, hi      float64
	}{
		{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718},
	} {
		in := agreement.Wilson(c.part, c.whole, 0.95)
		near(t, "lower end", agreement.Stat{Value: in.Lo, Defined: in.Defined}, c.lo, 4)
		near(t, "upper end", agreement.Stat{Value: in.Hi, Defined: in.Defined}, c.hi, 4)
	}
}

// Chicco and Jurman (2020), The advantages of the Matthews correlation coefficient over F1 score
// and accuracy, use cases A1 to C2; the coefficient is that of Matthews (1975).
func TestMatthews1975(t *testing.T) {
	for _, c := range []struct {
		name              string
		tp, fn, tn, fp    int
		accuracy, f1, mcc float64
	}{
		{"A1", 90, 1, 0, 9, 0.90, 0.95, -0.03}, {"A2", 5, 70, 19, 6, 0.24, 0.12, -0.24},
		{"B1", 47, 3, 5, 45, 0.52, 0.66, 0.07}, {"B2", 10, 40, 46, 4, 0.56, 0.31, 0.17},
		{"C1", 9, 1, 1, 89, 0.10, 0.17, -0.19}, {"C2", 2, 9, 88, 1, 0.90, 0.29, 0.31},
	} {
		m := agreement.Confusion{TP: c.tp, FP: c.fp, TN: c.tn, FN: c.fn}
		near(t, c.name+": accuracy", m.Accuracy(), c.accuracy, 2)
		near(t, c.name+": F1", m.F1(), c.f1, 2)
		near(t, c.name+": MCC", m.MCC(), c.mcc, 2)
	}
}

// The BADGER paper, table 4: 150 cases, 92 of them passing (the only number of passes that gives all printed
// sensitivities). Kappa, balanced accuracy, sensitivity, specificity, gap, class, and the bootstrap interval. The
// paper does not state which kind of interval it computed, nor how; an interval from resampling single cases is in
// TestBootstrapIsResamplingCases.
func TestBadgerTable4(t *testing.T) {
	const passes, fails = 92, 58
	for _, c := range []struct {
		name                                              string
		tp, tn                                            int
		kappa, lo, hi, balanced, sensitivity, specificity float64
		gap                                               float64
		class                                             string
	}{
		{"Hybrid-EX", 75, 54, 0.717, 0.600, 0.822, 87.3, 81.5, 93.1, 11.6, "substantial"},
		{"LLM-EX", 91, 34, 0.621, 0.489, 0.744, 78.8, 98.9, 58.6, 40.3, "substantial"},
		{"BIRD M3", 50, 52, 0.395, 0.265, 0.528, 72.0, 54.4, 89.7, 35.3, "fair"},
		{"RAGAS M4", 53, 48, 0.370, 0.226, 0.510, 70.2, 57.6, 82.8, 25.2, "fair"},
		{"IBM EvalAssist M2", 53, 47, 0.355, 0.209, 0.495, 69.3, 57.6, 81.0, 23.4, "fair"},
		{"Defog M1", 50, 49, 0.351, 0.209, 0.487, 69.4, 54.4, 84.5, 30.1, "fair"},
		{"Dr. Spider M5", 90, 13, 0.235, 0.113, 0.367, 60.1, 97.8, 22.4, 75.4, "fair"},
		{"Spider2 M6", 24, 58, 0.214, 0.132, 0.308, 63.0, 26.1, 100, 73.9, "fair"},
	} {
		m := agreement.Confusion{TP: c.tp, FN: passes - c.tp, TN: c.tn, FP: fails - c.tn}
		percent := func(s agreement.Stat) agreement.Stat { s.Value *= 100; return s }
		near(t, c.name+": kappa", m.Kappa(), c.kappa, 3)
		near(t, c.name+": balanced accuracy", percent(m.BalancedAccuracy()), c.balanced, 1)
		if s := percent(m.Sensitivity()); math.Abs(s.Value-c.sensitivity) > 0.06 { // 50 of 92 is printed as 54.4
			t.Errorf("%s: sensitivity %.3f, want %.1f", c.name, s.Value, c.sensitivity)
		}
		near(t, c.name+": specificity", percent(m.Specificity()), c.specificity, 1)
		if g := percent(m.Gap()); math.Abs(g.Value-c.gap) > 0.11 { // printed as the difference of rounded figures
			t.Errorf("%s: gap %.2f, want %.1f", c.name, g.Value, c.gap)
		}
		if got := agreement.LandisKoch(m.Kappa().Value); got != c.class {
			t.Errorf("%s: %s, want %s", c.name, got, c.class)
		}
		in := agreement.Bootstrap(m, agreement.Confusion.Kappa, agreement.Resampling{})
		const chance = 0.015
		if !in.Defined || math.Abs(in.Lo-c.lo) > chance || math.Abs(in.Hi-c.hi) > chance {
			t.Errorf("%s: interval [%.3f, %.3f] %s, printed [%.3f, %.3f]", c.name, in.Lo, in.Hi, in.Why, c.lo, c.hi)
		}
	}
}

// Landis and Koch (1977), The measurement of observer agreement for categorical data: the table of
// strengths, and its edges.
func TestLandisKoch1977(t *testing.T) {
	for _, c := range []struct {
		kappa float64
		want  string
	}{
		{-0.01, "poor"}, {0, "slight"}, {0.20, "slight"}, {0.21, "fair"}, {0.40, "fair"}, {0.41, "moderate"}, {0.60, "moderate"},
		{0.606, "substantial"}, {0.80, "substantial"}, {0.81, "almost perfect"}, {1, "almost perfect"},
	} {
		if got := agreement.LandisKoch(c.kappa); got != c.want {
			t.Errorf("%v is %s, want %s", c.kappa, got, c.want)
		}
	}
}

// Holm (1979): p-values times 4, 3, 2, 1 in their order, never falling below an earlier one.
func TestHolm(t *testing.T) {
	got := agreement.Holm([]float64{0.01, 0.04, 0.03, 0.005})
	for i, want := range []float64{0.03, 0.06, 0.06, 0.02} {
		if math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("p-value %d: %v, want %v", i, got[i], want)
		}
	}
}
