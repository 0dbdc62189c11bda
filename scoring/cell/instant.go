package cell

import (
	"math/big"
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// FormatSerial is the format of numbers that count days as spreadsheets do: 1 is the first day of
// 1900, and 60 the 29 February that there was not, so that day 61 is the first of March.
const FormatSerial = "spreadsheet date number"

// Serial numbers are read from 1954 to 2119.
const (
	minSerial, maxSerial = 20000, 80000
	serialEpoch          = -25569 // days from 1970 of day 0, for days after February 1900
)

// cutForms read instants and times of day truncated to a number of fractional digits.
var cutForms = map[string]int{CutTo(0): 0, CutTo(3): 3, CutTo(6): 6}

// CutTo is the format that reads instants and times of day without what is smaller than seconds (0),
// milliseconds (3) or microseconds (6).
func CutTo(digits int) string {
	return map[int]string{0: "time to the second", 3: "time to the millisecond", 6: "time to the microsecond"}[digits]
}

// instantOf is an instant or a time of day, from text too.
func instantOf(v scoring.Value) (scoring.Value, bool) {
	switch v.Type {
	case scoring.Timestamp, scoring.TimestampTZ, scoring.Time, scoring.Date:
		return v, true
	case scoring.String:
		return scoring.ParseTimestamp(strings.TrimSpace(v.Text()))
	}
	return v, false
}

func cut(v scoring.Value, digits int) (scoring.Value, bool) {
	v, ok := instantOf(v)
	unit := int64(Pow10(9 - digits))
	switch {
	case !ok:
	case v.Type == scoring.Time:
		return scoring.TimeValue(v.Int() / unit * unit), true
	case v.Type != scoring.Date:
		return scoring.TimestampValue(v.Type, v.Int(), int32(int64(v.Nanos())/unit*unit)), true //nolint:gosec // below 1e9
	}
	return v, ok
}

// FractionDigits returns the maximum number of fractional digits of a second that a column's instants or times of
// day need, in steps of three; ok is false if it holds other values.
func FractionDigits(c *scoring.Column) (digits int, ok bool) {
	c.Halt().Check()
	if c.Type != scoring.String && NaturalKind(c) != scoring.KindTime {
		return 0, false
	}
	if c.Type == scoring.Date || (c.Type == scoring.Timestamp || c.Type == scoring.TimestampTZ) && c.Nanos() == nil {
		return 0, true
	}
	for i := range c.Len() {
		v := c.Value(i)
		if v.IsNull() || v.Type == scoring.String && absent(v.Text()) {
			continue
		}
		if v, ok = instantOf(v); !ok {
			return 0, false
		}
		nanos := int64(v.Nanos())
		if v.Type == scoring.Time {
			nanos = v.Int() % 1e9
		}
		for digits < 9 && nanos%int64(Pow10(9-digits)) != 0 {
			digits += 3
		}
	}
	return digits, ok
}

// serialTime returns the instant of a spreadsheet's serial number, to the second.
func serialTime(v scoring.Value) (scoring.Value, bool) {
	f := magnitude(v)
	if f < minSerial || f >= maxSerial || f != f {
		return v, false
	}
	r, ok := new(big.Rat).SetString(v.String())
	if !ok {
		return v, false
	}
	r.Mul(r, big.NewRat(86400, 1)).Add(r, big.NewRat(1, 2)) // to the nearest second
	seconds := new(big.Int).Quo(r.Num(), r.Denom()).Int64()
	return scoring.TimestampValue(scoring.Timestamp, seconds+serialEpoch*86400, 0), true
}

// SerialDates reports whether a column of numbers may hold serial numbers of days.
func SerialDates(c *scoring.Column) bool {
	c.Halt().Check()
	if !c.Type.Numeric() {
		return false
	}
	seen := false
	for i := range c.Len() {
		if v := c.Value(i); !v.IsNull() {
			if _, ok := serialTime(v); !ok {
				return false
			}
			seen = true
		}
	}
	return seen
}
