package cell

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

func TestNear(t *testing.T) {
	inf := math.Inf(1)
	for _, tc := range []struct {
		why       string
		g, p      float64
		within    float64
		tolerance float64
		want      bool
	}{
		{"equal without any allowance", 1.5, 1.5, 0, 0, true},
		{"not equal without any", 1.5, math.Nextafter(1.5, 2), 0, 0, false},
		{"at the relative bound", 100, 99, 0, 0.01, true},
		{"just beyond it", 100, 98.99999, 0, 0.01, false},
		{"the larger of the two is what it is relative to", 99, 100, 0, 0.01, true},
		{"which is larger by magnitude below 0", -99, -100, 0, 0.01, true},
		{"beyond it below 0", -100, -98.9, 0, 0.01, false},
		{"the sign counts", 100, -100, 0, 0.01, false},
		{"nothing is within 1 % of 0 but 0", 0, 1e-9, 0, 0.01, false},
		{"unless the difference is lost in the paper's floor of 1e-10", 0, 1e-13, 0, 0.01, true},
		{"0 and -0", 0, math.Copysign(0, -1), 0, 0, true},
		{"at the absolute bound", 1.235, 1.24, 0.005, 0, true},
		{"just beyond it", 1.2349, 1.24, 0.005, 0, false},
		{"half a unit, which doubles miss by a bit", 0.285, 0.29, 0.005, 0, true},
		{"either allowance is enough", 1000, 1009, 0.5, 0.01, true},
		{"neither is", 1000, 1011, 0.5, 0.01, false},
		{"infinity is infinity", inf, inf, 0, 0, true},
		{"and near nothing else", inf, 1e308, 0, 0.5, false},
		{"nor to minus infinity", inf, -inf, 10, 0.5, false},
		{"not a number is near nothing", math.NaN(), 1, 10, 0.5, false},
		{"not even itself", math.NaN(), math.NaN(), 10, 0.5, false},
		{"the largest doubles", math.MaxFloat64, -math.MaxFloat64, 0, 0.5, false},
	} {
		c := scoring.Comparison{Kind: scoring.KindNumber, Within: tc.within, Tolerance: tc.tolerance}
		if got := Near(tc.g, tc.p, &c); got != tc.want {
			t.Errorf("%s: Near(%v, %v) within %v, %v is %v", tc.why, tc.g, tc.p, tc.within, tc.tolerance, got)
		}
		if got := Near(tc.p, tc.g, &c); got != tc.want {
			t.Errorf("%s: it matters which side is which", tc.why)
		}
	}
}

// floats makes a column with NULLs where the numbers are not.
func floats(values []float64) *scoring.Column {
	b := scoring.NewBuilder("c", scoring.Float64, len(values))
	for _, f := range values {
		if math.IsNaN(f) {
			b.AppendNull()
		} else {
			b.AppendFloat(f)
		}
	}
	c := b.Column()
	return &c
}

// Classes where nearness falls into them and ranges if it does not: both say of every pair of
// rows what [Near] says of their numbers.
func TestLoadedPairsEqualWhatIsNear(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	byClass, byRange := 0, 0
	for n := range 3000 {
		step := []float64{1.05, 1.003, 2}[n%3]
		card := 1 + rng.IntN(20)
		draw := func(scale float64) []float64 {
			out := make([]float64, 1+rng.IntN(12))
			for i := range out {
				switch rng.IntN(8) {
				case 0:
					out[i] = math.NaN()
				case 1:
					out[i] = []float64{0, math.Inf(1), -1e-12, 1e-12}[rng.IntN(4)]
				default:
					out[i] = math.Pow(step, float64(rng.IntN(card))) * scale
					if rng.IntN(3) == 0 {
						out[i] = -out[i]
					}
				}
			}
			return out
		}
		c := pair{cmp: scoring.Comparison{Kind: scoring.KindNumber}}
		switch rng.IntN(3) {
		case 0:
			c.cmp.Tolerance = 0.01
		case 1:
			c.cmp.Within = 0.7
		case 2:
			c.cmp.Tolerance, c.cmp.Within = 0.02, 0.1
		}
		scale := 1.0
		if rng.IntN(3) == 0 {
			c.cmp.Scale, scale = -2, 100
		}
		g, p := draw(1), draw(scale)
		if rng.IntN(2) == 0 {
			p = append(p, g[0]) // unscaled: equal only where nothing is scaled
		}
		c.gold, c.pred = floats(g), floats(p)
		c.load(len(g), len(p), true)
		unresolved := c
		c.resolve(len(g), len(p), true)
		if c.ranges != nil {
			byRange++
		} else {
			byClass++
		}
		near := func(i, j int) bool {
			if math.IsNaN(g[i]) || math.IsNaN(p[j]) {
				return math.IsNaN(g[i]) && math.IsNaN(p[j])
			}
			return Near(g[i], p[j]*Pow10(c.cmp.Scale), &c.cmp)
		}
		for i := range g {
			for j := range p {
				if got := c.equal(i, j); got != near(i, j) {
					t.Fatalf("run %d, %+v: %v and %v are equal: %v, by ranges: %v", n, c.cmp, g[i], p[j], got, c.ranges != nil)
				}
				if got := unresolved.equal(i, j); got != near(i, j) {
					t.Fatalf("run %d, %+v: %v and %v are equal: %v, one by one", n, c.cmp, g[i], p[j], got)
				}
			}
		}
	}
	if byClass < 300 || byRange < 300 {
		t.Errorf("%d by classes, %d by ranges: the test no longer covers both", byClass, byRange)
	}
}

func TestMagnitudes(t *testing.T) {
	for _, tc := range []struct {
		why    string
		v      scoring.Value
		format string
		want   float64
	}{
		{"an integer", scoring.IntValue(-7), "", -7},
		{"a truth value", scoring.BoolValue(true), "", 1},
		{"a double", scoring.FloatValue(0.1), "", 0.1},
		{"a decimal is rounded once", scoring.DecimalValue(1, 1), "", 0.1},
		{"one of many digits", scoring.DecimalValue(123456789012345678, 17), "", 1.2345678901234567},
		{"one beyond 64 bits", wide("123456789012345678901234567890", 20), "", 1234567890.1234567},
		{"one of a large scale", wide("1"+"0000000000", 30), "", 1e-20},
		{"text in a format", scoring.StringValue("$1,234.50"), FormatCurrency, 1234.5},
		{"text without one", scoring.StringValue("12"), "", math.NaN()},
		{"text that is none in its format", scoring.StringValue("n/a"), FormatCurrency, math.NaN()},
		{"a date", scoring.DateValue(5), "", math.NaN()},
		{"NULL", scoring.NullValue, "", math.NaN()},
	} {
		b := scoring.NewBuilder("c", scoring.Null, 0)
		b.AppendNull()
		b.Append(tc.v)
		c := b.Column()
		out := make([]float64, 2)
		Magnitudes(&c, View{Kind: scoring.KindNumber, Format: tc.format}, out)
		if !math.IsNaN(out[0]) || out[1] != tc.want && !(math.IsNaN(tc.want) && math.IsNaN(out[1])) {
			t.Errorf("%s: %v, want %v", tc.why, out, tc.want)
		}
	}
	for n := -40; n <= 40; n++ {
		if got, want := Pow10(n), math.Pow10(n); math.Abs(got-want) > 1e-15*want {
			t.Errorf("10^%d is %v", n, got)
		}
	}
}
