package cell

import (
	"math/big"
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// FormatSerial is the format of numbers that count days as spreadsheets do: day 1 is 1 January 1900, and day 60 a 29
// February 1900 that did not exist, so that day 61 is 1 March.
const FormatSerial = "spreadsheet date number"

// Serial numbers are accepted from 1954 to 2119.
const (
	minSerial, maxSerial = 20000, 80000
	serialEpoch          = -25569 // day 0, in days since 1970, for dates after February 1900
)

// cutForms are the formats that truncate instants and times of day, with the number of decimals of the second that they
// keep.
var cutForms = map[string]int{CutTo(0): 0, CutTo(3): 3, CutTo(6): 6}

// CutTo returns the format that truncates instants and times of day to seconds (0), milliseconds (3) or microseconds
// (6).
func CutTo(digits int) string {
	return map[int]string{0: "time to the second", 3: "time to the millisecond", 6: "time to the microsecond"}[digits]
}

// instantOf returns an instant, date or time of day, parsed if it is a string; ok is false for other values.
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

// FractionDigits returns the number of decimals of the second, in steps of three, that the instants or times of day of
// a column need. ok is false if it holds other values.
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

// serialTime returns the instant of a spreadsheet's serial number, rounded to the second; ok is false if it is out of
// range.
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

// SerialDates reports whether all cells of a column of numbers are valid serial numbers of days.
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
