package chartspec

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/naming"
)

// sameName reports whether two names of columns differ in form only: letter case, punctuation, synonyms and plurals.
func sameName(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b)) || naming.Read(a).Same(naming.Read(b))
}

// Number returns the number that a value is, and the number of its decimal digits. A string is a number as people
// write it, such as "$1,234.50". A float is the shortest decimal number that it prints as.
func Number(v scoring.Value) (r *big.Rat, digits int, ok bool) {
	switch v.Type { //nolint:exhaustive // numbers, and strings
	case scoring.Int64:
		return new(big.Rat).SetInt64(v.Int()), 0, true
	case scoring.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, 0, false
		}
		d, ok := scoring.ParseDecimal(strconv.FormatFloat(v.Float(), 'g', -1, 64))
		if !ok {
			return nil, 0, false
		}
		return Number(d)
	case scoring.Decimal:
		unscaled, wide, scale := v.Decimal()
		if wide == nil {
			wide = big.NewInt(unscaled)
		}
		if scale < 0 || scale > scoring.MaxDecimalDigits*2 {
			return nil, 0, false
		}
		return new(big.Rat).SetFrac(wide, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)), int(scale), true
	case scoring.String:
		if text := v.Text(); len(text) < 64 {
			if d, _, ok := cell.ParseNumber(text, false); ok {
				return Number(d)
			}
		}
	}
	return nil, 0, false
}

// rational returns an exact result as a decimal with up to 30 digits after the point.
func rational(r *big.Rat) scoring.Value {
	for _, digits := range []int{0, 2, 4, 9, 30} {
		if d, ok := scoring.ParseDecimal(r.FloatString(digits)); ok {
			if got, _, ok := Number(d); ok && got.Cmp(r) == 0 || digits == 30 {
				return d
			}
		}
	}
	return scoring.NullValue
}

var (
	monthLabel   = lazyregexp.New(`^(\d{4})[-/](\d{2})$`)
	quarterLabel = lazyregexp.New(`(?i)^(\d{4})[- /]?Q([1-4])$|^Q([1-4])[- /](\d{4})$`)
)

// instantOf returns the day or time that a value means, in seconds since 1970 and nanoseconds. The label of a month or
// a quarter is its first day.
func instantOf(v scoring.Value) (seconds int64, nanos int32, ok bool) {
	switch v.Type { //nolint:exhaustive // values with a day
	case scoring.Date:
		return v.Int() * 86400, 0, true
	case scoring.Timestamp, scoring.TimestampTZ:
		return v.Int(), v.Nanos(), true
	case scoring.String:
		text := strings.TrimSpace(v.Text())
		if len(text) < 6 || len(text) > 40 {
			return 0, 0, false
		}
		if days, ok := scoring.ParseDate(text); ok {
			return days * 86400, 0, true
		}
		if t, ok := scoring.ParseTimestamp(text); ok {
			return t.Int(), t.Nanos(), true
		}
		if m := monthLabel.FindStringSubmatch(text); m != nil {
			if days, ok := scoring.ParseDate(m[1] + "-" + m[2] + "-01"); ok {
				return days * 86400, 0, true
			}
		}
		if m := quarterLabel.FindStringSubmatch(text); m != nil {
			year, _ := strconv.Atoi(m[1] + m[4])
			quarter, _ := strconv.Atoi(m[2] + m[3])
			return scoring.DaysOf(year, 3*quarter-2, 1) * 86400, 0, true
		}
	}
	return 0, 0, false
}

// Temporal reports whether a value is a day or a time, or the text of one.
func Temporal(v scoring.Value) bool { _, _, ok := instantOf(v); return ok }

// Key returns a text that is the same for values that are the same category: numbers by value, days and times by
// instant, other text without letter case and surrounding blanks.
func Key(v scoring.Value) string {
	switch v.Type { //nolint:exhaustive // the others have the text of their value
	case scoring.Null:
		return "null"
	case scoring.Int64, scoring.Float64, scoring.Decimal:
		if r, _, ok := Number(v); ok {
			return "n" + r.RatString()
		}
	case scoring.String:
		if d, ok := scoring.ParseDecimal(strings.TrimSpace(v.Text())); ok {
			return Key(d)
		}
	}
	if seconds, nanos, ok := instantOf(v); ok {
		return "t" + strconv.FormatInt(seconds, 10) + "." + strconv.Itoa(int(nanos))
	}
	return "s" + strings.ToLower(strings.Join(strings.Fields(v.String()), " "))
}

// Near reports whether a plotted value shows another one: it is equal, or equal when rounded to the digits that it
// shows, two or more. If computed is set, the plotted value is exact and the other one may be rounded.
// A float, or a computed value, is also equal to a number from which it differs by less than 1e-12 of its size. Values
// that are not numbers must be the same category.
func Near(plotted, value scoring.Value, computed bool) bool {
	a, digitsA, okA := Number(plotted)
	b, digitsB, okB := Number(value)
	if !okA || !okB {
		return Key(plotted) == Key(value)
	}
	if a.Cmp(b) == 0 {
		return true
	}
	diff := new(big.Rat).Sub(a, b)
	diff.Abs(diff)
	if plotted.Type == scoring.Float64 || value.Type == scoring.Float64 || computed {
		limit := new(big.Rat).Mul(new(big.Rat).Abs(b), big.NewRat(1, 1_000_000_000_000))
		if diff.Cmp(limit) <= 0 {
			return true
		}
	}
	rounded := func(shown *big.Rat, digits int) bool {
		half := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil))
		half.Quo(half, big.NewRat(2, 1))
		significant := new(big.Rat).Quo(new(big.Rat).Abs(shown), half) // at least 20 with two digits
		return diff.Cmp(half) <= 0 && significant.Cmp(big.NewRat(20, 1)) >= 0
	}
	return rounded(a, digitsA) || computed && rounded(b, digitsB)
}

// compare returns the order of two values; ok is false if they are of different kinds.
func compare(a, b scoring.Value) (order int, ok bool) {
	x, _, okX := Number(a)
	y, _, okY := Number(b)
	if okX && okY {
		return x.Cmp(y), true
	}
	s, n, okS := instantOf(a)
	t, m, okT := instantOf(b)
	switch {
	case okS && okT && s != t:
		return map[bool]int{true: -1, false: 1}[s < t], true
	case okS && okT:
		return int(n - m), true
	case okX != okY || okS != okT || a.IsNull() || b.IsNull():
		return 0, false
	}
	return strings.Compare(a.String(), b.String()), true
}

// Compare returns the order of two values, with NULL first and numbers before text.
func Compare(a, b scoring.Value) int {
	if order, ok := compare(a, b); ok {
		return order
	}
	if a.IsNull() != b.IsNull() {
		return map[bool]int{true: -1, false: 1}[a.IsNull()]
	}
	return strings.Compare(Key(a), Key(b))
}
