package analysis

import (
	"math/big"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// Amount is an exact decimal number: an amount of money, tokens or milliseconds. Its JSON is a number with all digits.
type Amount struct {
	unscaled *big.Int
	decimals int
}

// AmountOf returns the amount of an estimate, rounded to 12 decimals.
func AmountOf(estimate float64) *Amount {
	r := new(big.Rat)
	if r.SetFloat64(estimate) == nil { // not finite
		r = new(big.Rat)
	}
	r.Mul(r, new(big.Rat).SetInt(power10(12)))
	return &Amount{divided(r.Num(), r.Denom()), 12}
}

// String formats the amount without trailing zeros.
func (a *Amount) String() string {
	digits := new(big.Int).Abs(a.unscaled).String()
	if len(digits) <= a.decimals {
		digits = strings.Repeat("0", a.decimals+1-len(digits)) + digits
	}
	whole, fraction := digits[:len(digits)-a.decimals], strings.TrimRight(digits[len(digits)-a.decimals:], "0")
	if fraction != "" {
		whole += "." + fraction
	}
	if a.unscaled.Sign() < 0 {
		whole = "-" + whole
	}
	return whole
}

// UnmarshalJSON parses a JSON number.
func (a *Amount) UnmarshalJSON(b []byte) error {
	r, ok := new(big.Rat).SetString(string(b))
	if !ok || len(b) > 100 {
		return errcode.New(errcode.InvalidArgument, "expected a number, such as 0.0021")
	}
	decimals, _ := r.FloatPrec()
	n := new(big.Int).Mul(r.Num(), power10(decimals))
	*a = Amount{n.Quo(n, r.Denom()), decimals}
	return nil
}

// MarshalJSON returns the amount as a JSON number.
func (a *Amount) MarshalJSON() ([]byte, error) { return []byte(a.String()), nil }

// Float returns the nearest double, for pictures and estimates.
func (a *Amount) Float() float64 {
	f, _ := new(big.Rat).SetFrac(a.unscaled, power10(a.decimals)).Float64()
	return f
}

// Rounded formats the amount with at most the given number of decimals, or more if it would have fewer than two
// significant digits. It is rounded half away from zero.
func (a *Amount) Rounded(decimals int) string {
	size := new(big.Int).Abs(a.unscaled)
	for decimals < a.decimals && size.Sign() > 0 &&
		size.Cmp(new(big.Int).Mul(big.NewInt(10), power10(a.decimals-decimals))) < 0 {
		decimals++
	}
	if decimals >= a.decimals {
		return a.String()
	}
	out := Amount{divided(a.unscaled, power10(a.decimals-decimals)), decimals}
	return out.String()
}

// minus returns a-b, which must have as many decimals.
func (a *Amount) minus(b *Amount) *Amount {
	return &Amount{new(big.Int).Sub(a.unscaled, b.unscaled), a.decimals}
}

// over returns a/n, rounded half away from zero to the decimals of a.
func (a *Amount) over(n int) *Amount {
	return &Amount{divided(a.unscaled, big.NewInt(int64(n))), a.decimals}
}

// divided returns a/b rounded half away from zero; b is positive.
func divided(a, b *big.Int) *big.Int {
	twice := new(big.Int).Lsh(new(big.Int).Abs(a), 1)
	out := twice.Add(twice, b).Quo(twice, new(big.Int).Lsh(b, 1))
	if a.Sign() < 0 {
		out.Neg(out)
	}
	return out
}

func power10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }
