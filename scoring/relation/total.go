package relation

import (
	"math"
	"math/big"

	"github.com/badger-eval/badger/scoring"
)

// total is a sum of numbers. exact is set for integers and decimals and nil for doubles.
type total struct {
	exact *big.Rat
	near  float64
}

// accumulator adds up the cells of a column.
type accumulator struct {
	small int64
	big   *big.Int // the rest of the sum, once it overflows small
	sum   float64  // sum of doubles, and
	lost  float64  // its accumulated rounding error (Neumaier summation)
}

func (a *accumulator) addInt(n int64) {
	if s := a.small + n; (s > a.small) == (n > 0) {
		a.small = s
		return
	}
	if a.big == nil {
		a.big = new(big.Int)
	}
	a.big.Add(a.big, big.NewInt(a.small))
	a.small = n
}

func (a *accumulator) addFloat(f float64) {
	s := a.sum + f
	if math.Abs(a.sum) >= math.Abs(f) {
		a.lost += (a.sum - s) + f
	} else {
		a.lost += (f - s) + a.sum
	}
	a.sum = s
}

// add adds cell i of a column; NULL adds 0. ok is false if the column is not numeric, or if the scale of a decimal
// differs from the column's.
func (a *accumulator) add(c *scoring.Column, i int) (ok bool) {
	switch c.Type {
	case scoring.Int64:
		a.addInt(c.Ints()[i])
	case scoring.Decimal:
		if ints := c.Ints(); ints != nil {
			a.addInt(ints[i])
			break
		}
		u, wide, scale := c.Value(i).Decimal()
		if wide == nil {
			wide = big.NewInt(u)
		}
		if scale != c.Scale && !c.IsNull(i) {
			return false
		}
		if a.big == nil {
			a.big = new(big.Int)
		}
		a.big.Add(a.big, wide)
	case scoring.Float64:
		a.addFloat(c.Floats()[i])
	default:
		return false
	}
	return true
}

func (a *accumulator) total(c *scoring.Column) total {
	if c.Type == scoring.Float64 {
		return total{near: a.sum + a.lost}
	}
	n := big.NewInt(a.small)
	if a.big != nil {
		n.Add(n, a.big)
	}
	r := new(big.Rat).SetFrac(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(c.Scale)), nil))
	f, _ := r.Float64()
	return total{exact: r, near: f}
}

// sumOf returns the sum of a column; ok is false if it is not numeric.
func sumOf(c *scoring.Column) (t total, ok bool) {
	if !c.Type.Numeric() {
		return total{}, false
	}
	var a accumulator
	for i := range c.Len() {
		if !a.add(c, i) {
			return total{}, false
		}
	}
	return a.total(c), true
}

// is reports whether a cell equals the total: exactly if both are exact, else within rounding noise.
func (t total) is(c *scoring.Column, i int) bool {
	if c.IsNull(i) {
		return false
	}
	v := c.Value(i)
	if t.exact != nil && (v.Type == scoring.Int64 || v.Type == scoring.Decimal) {
		r, ok := new(big.Rat).SetString(v.String())
		return ok && r.Cmp(t.exact) == 0
	}
	f, ok := floatOf(v)
	return ok && nearly(f, t.near)
}

// floatOf returns a number as a double; ok is false if it is not a number or is not finite.
func floatOf(v scoring.Value) (float64, bool) {
	switch v.Type {
	case scoring.Int64:
		return float64(v.Int()), true
	case scoring.Float64:
		return v.Float(), !math.IsNaN(v.Float()) && !math.IsInf(v.Float(), 0)
	case scoring.Decimal:
		r, ok := new(big.Rat).SetString(v.String())
		if !ok {
			return 0, false
		}
		f, _ := r.Float64()
		return f, !math.IsInf(f, 0)
	}
	return 0, false
}

// nearly reports whether two doubles are equal within a relative difference of noise.
func nearly(a, b float64) bool {
	return a == b || math.Abs(a-b) <= noise*math.Max(math.Abs(a), math.Abs(b))
}
