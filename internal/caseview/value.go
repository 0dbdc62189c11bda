package caseview

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// Value is one cell's value for display.
type Value struct {
	Type   scoring.Type // type of the value, even if its column has another one
	Null   bool
	Masked bool   // Text is a hash
	Text   string // the whole value as stored; empty for NULL
	Number bool   // a number, which is aligned on its decimal point

	// Pieces is the displayed part of Text and Rest the folded part. Length is the number of characters of Text if it
	// is folded, else 0.
	Pieces, Rest []Piece
	Length       int

	// Pad is the number of characters to append so that the decimal points of the column align on the page.
	Pad int
}

// Empty reports whether the value is the empty string, which is not NULL.
func (v *Value) Empty() bool { return !v.Null && v.Text == "" }

// MarshalJSON writes the value as {"type", "text"}; the text is null for NULL.
func (v *Value) MarshalJSON() ([]byte, error) {
	out := struct {
		Type   string  `json:"type"`
		Text   *string `json:"text"`
		Masked bool    `json:"masked,omitempty"`
	}{Type: v.Type.String(), Masked: v.Masked}
	if !v.Null {
		out.Text = &v.Text
	}
	return json.Marshal(out)
}

// Default numbers of characters: up to which a value is displayed, and of the folded part.
const (
	defaultCut = 160
	mostRest   = 20_000
)

// newValue returns v for display. Text longer than cut characters is folded, and up to rest characters of the folded
// part are kept.
func newValue(v scoring.Value, cut, rest int) *Value {
	out := &Value{Type: v.Type, Null: v.IsNull()}
	if out.Null {
		return out
	}
	out.Text = v.String()
	out.Number = v.Type.Numeric()
	out.show(cut, rest)
	return out
}

func (v *Value) show(cut, rest int) {
	head := prefix(v.Text, cut)
	if n := len(v.Text) - len(head); n > 0 && n <= 16 { // nothing is gained
		head = v.Text
	}
	v.Pieces = Pieces(head)
	if len(head) < len(v.Text) {
		v.Rest, v.Length = Pieces(prefix(v.Text[len(head):], rest)), utf8.RuneCountInString(v.Text)
	}
}

// prefix returns the first n characters of s.
func prefix(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// fraction returns the number of characters of a number from the decimal point or exponent on, at most mostPad.
func (v *Value) fraction() int {
	if v == nil || !v.Number {
		return 0
	}
	if at := strings.IndexAny(v.Text, ".eE"); at >= 0 {
		return min(len(v.Text)-at, mostPad)
	}
	return 0
}

const mostPad = 24

// Change is the exact difference of an agent's value from gold's.
type Change struct {
	Absolute string `json:"absolute"`           // agent - gold, in gold's unit
	Relative string `json:"relative,omitempty"` // in percent of gold; empty for dates, or if gold is 0
}

// changeOf returns the difference of two values as the comparison how reads them, or nil unless both are numbers, or
// both dates or times.
func changeOf(g, a scoring.Value, how *scoring.Comparison) *Change {
	if x, ok := exactNumber(g); ok {
		y, also := exactNumber(a)
		if !also {
			return nil
		}
		if how.Scale != 0 {
			y = y.Mul(y, pow10(how.Scale))
		}
		diff := new(big.Rat).Sub(y, x)
		digits := 0
		if how.Scale == 0 && g.Type == scoring.Decimal && a.Type == scoring.Decimal { // as the column shows them
			_, _, x := g.Decimal()
			_, _, y := a.Decimal()
			digits = int(max(x, y))
		}
		c := &Change{Absolute: signed(diff, exactText(diff, digits))}
		if x.Sign() != 0 {
			share := new(big.Rat).Quo(diff, new(big.Rat).Abs(x))
			if c.Relative = percent(share); diff.Sign() != 0 && new(big.Rat).Abs(share).Cmp(lastDigits) < 0 {
				c.Relative = "in the last digits"
			}
		}
		return c
	}
	if x, ok := nanosOf(g); ok {
		if y, also := nanosOf(a); also && (g.Type == scoring.Time) == (a.Type == scoring.Time) {
			return &Change{Absolute: span(y.Sub(y, x))}
		}
	}
	return nil
}

// lastDigits is the share of a number below which a difference is only in the last of the digits that a double has.
var lastDigits = big.NewRat(1, 1e12)

// exactNumber returns a number as a fraction, and whether v is a finite number. A double is converted to the shortest
// decimal that parses to it.
func exactNumber(v scoring.Value) (*big.Rat, bool) {
	switch v.Type {
	case scoring.Int64:
		return new(big.Rat).SetInt64(v.Int()), true
	case scoring.Float64:
		d, ok := scoring.ParseDecimal(strconv.AppendFloat(nil, v.Float(), 'e', -1, 64))
		if !ok {
			return nil, false
		}
		return exactNumber(d)
	case scoring.Decimal:
		unscaled, wide, scale := v.Decimal()
		if wide == nil {
			wide = big.NewInt(unscaled)
		}
		n := new(big.Rat).SetInt(wide)
		return n.Mul(n, pow10(-int(scale))), true
	}
	return nil, false
}

func pow10(n int) *big.Rat {
	p := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(n, -n))), nil))
	if n < 0 {
		p.Inv(p)
	}
	return p
}

// exactText formats a decimal fraction with all its decimals, and with at least least of them.
func exactText(r *big.Rat, least int) string {
	digits, _ := r.FloatPrec() // the denominators of decimals are products of 2 and 5
	return r.FloatString(max(digits, least))
}

func signed(r *big.Rat, text string) string {
	if r.Sign() > 0 {
		return "+" + text
	}
	return text
}

// percent formats a share in percent with its sign and four significant digits.
func percent(share *big.Rat) string {
	p := new(big.Rat).Mul(share, big.NewRat(100, 1))
	size := new(big.Rat).Abs(p)
	digits := 3
	for limit := big.NewRat(10, 1); digits > 0 && size.Cmp(limit) >= 0; limit.Mul(limit, big.NewRat(10, 1)) {
		digits--
	}
	for limit := big.NewRat(1, 1); digits < 30 && size.Sign() > 0 &&
		size.Cmp(limit) < 0; limit.Quo(limit, big.NewRat(10, 1)) {
		digits++
	}
	return signed(p, p.FloatString(digits)) + " %"
}

// nanosOf returns a date or time in nanoseconds, and whether v is one.
func nanosOf(v scoring.Value) (*big.Int, bool) {
	switch v.Type {
	case scoring.Date:
		return new(big.Int).Mul(big.NewInt(v.Int()), big.NewInt(86400e9)), true
	case scoring.Time:
		return big.NewInt(v.Int()), true
	case scoring.Timestamp, scoring.TimestampTZ:
		n := new(big.Int).Mul(big.NewInt(v.Int()), big.NewInt(1e9))
		return n.Add(n, big.NewInt(int64(v.Nanos()))), true
	}
	return nil, false
}

// span formats a duration in nanoseconds, such as "+3 days" or "-1 day 02:30:00".
func span(nanos *big.Int) string {
	sign := "+"
	if nanos.Sign() < 0 {
		sign = "-"
	}
	days, rest := new(big.Int).QuoRem(new(big.Int).Abs(nanos), big.NewInt(86400e9), new(big.Int))
	var parts []string
	if days.Sign() > 0 {
		unit := " days"
		if days.IsInt64() && days.Int64() == 1 {
			unit = " day"
		}
		parts = append(parts, days.String()+unit)
	}
	if rest.Sign() > 0 || days.Sign() == 0 {
		parts = append(parts, scoring.TimeValue(rest.Int64()).String())
	}
	return sign + strings.Join(parts, " ")
}

// readAs returns two values as the comparison how reads them.
func readAs(gold, agent *scoring.Column, how *scoring.Comparison, i, j int) (g, a scoring.Value) {
	goldView, agentView := cell.Views(how, false)
	return cell.Read(gold, goldView, i), cell.Read(agent, agentView, j)
}

// identifies reports whether a column's name says that its numbers identify things, so that their differences mean
// nothing.
func identifies(column string) bool {
	last := column[strings.LastIndexAny(column, "_ .-")+1:]
	switch strings.ToLower(last) {
	case "id", "ids", "key", "uuid", "guid", "code":
		return true
	}
	return strings.HasSuffix(last, "Id") || strings.HasSuffix(last, "ID") // customerId
}
