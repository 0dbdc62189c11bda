package judgebackend

import (
	"math"
	"math/bits"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// Money is an amount in 10^-12 of the price table's currency, US dollars by default, up to 9.2 million. It represents
// prices exactly: a price per million tokens in millionths is a price per token in this unit.
type Money int64

const unit = 1_000_000_000_000

// ParseMoney parses a plain decimal number such as "12.50", without a sign, with at most 12 decimals.
func ParseMoney(s string) (Money, error) {
	whole, fraction, _ := strings.Cut(s, ".")
	digits := whole + fraction
	if digits == "" || len(fraction) > 12 || len(digits) > 30 {
		return 0, errcode.New(errcode.InvalidArgument, "amount of money: expected a plain decimal number such as 12.50")
	}
	var n uint64
	for _, c := range []byte(digits + strings.Repeat("0", 12-len(fraction))) {
		if c < '0' || c > '9' {
			return 0, errcode.New(errcode.InvalidArgument,
				"amount of money: %.40q, expected a plain decimal number such as 12.50", s)
		}
		hi, lo := bits.Mul64(n, 10)
		if n = lo + uint64(c-'0'); hi != 0 || n > math.MaxInt64 {
			return 0, errcode.New(errcode.InvalidArgument, "amount of money: at most 9.2 million")
		}
	}
	return Money(n), nil
}

// String formats the amount with at least two decimals, and with more only if needed.
func (m Money) String() string {
	sign := ""
	u := uint64(m)
	if m < 0 {
		sign, u = "-", -u
	}
	whole, fraction := u/unit, u%unit
	digits := make([]byte, 12)
	for i := 11; i >= 0; i-- {
		digits[i] = byte('0' + fraction%10)
		fraction /= 10
	}
	f := strings.TrimRight(string(digits), "0")
	for len(f) < 2 {
		f += "0"
	}
	return sign + itoa(whole) + "." + f
}

func itoa(n uint64) string {
	var b [20]byte
	i := len(b)
	for {
		i--
		b[i] = byte('0' + n%10)
		if n /= 10; n == 0 {
			return string(b[i:])
		}
	}
}

// times returns m·n, or 0 if one of them is negative, or the maximum amount on overflow.
func (m Money) times(n int64) Money {
	if m <= 0 || n <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(m), uint64(n))
	if hi != 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return Money(lo)
}

// add returns a+b, or the maximum on overflow. a and b must not be negative.
func add[T ~int64](a, b T) T {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Price is the price of a million tokens as plain decimal numbers, such as Price{In: "2.50", Out: "10"}. They are
// strings because floating-point numbers of a configuration file would not be exact.
type Price struct {
	In  string `json:"in" yaml:"in"`
	Out string `json:"out" yaml:"out"`
}

// PriceTable maps "model" or "backend:model" to prices; the latter takes precedence. A dated name, such as
// gpt-4o-2024-08-06, also finds the price of the name without the date.
type PriceTable map[string]Price

// ListPricesOf is the year of the list prices.
const ListPricesOf = "2026"

// listPrices returns vendors' list prices in US dollars of [ListPricesOf], for models at the vendors' own endpoints.
// They change without notice: a configuration that limits money should set its own.
func listPrices() PriceTable {
	return PriceTable{
		"openai:gpt-4o":               {"2.50", "10"},
		"openai:gpt-4o-mini":          {"0.15", "0.60"},
		"openai:gpt-4.1":              {"2", "8"},
		"openai:gpt-4.1-mini":         {"0.40", "1.60"},
		"openai:gpt-4.1-nano":         {"0.10", "0.40"},
		"openai:gpt-5":                {"1.25", "10"},
		"openai:gpt-5-mini":           {"0.25", "2"},
		"openai:gpt-5-nano":           {"0.05", "0.40"},
		"openai:o3":                   {"2", "8"},
		"openai:o3-mini":              {"1.10", "4.40"},
		"openai:o4-mini":              {"1.10", "4.40"},
		"anthropic:claude-opus-4":     {"15", "75"},
		"anthropic:claude-opus-4-1":   {"15", "75"},
		"anthropic:claude-opus-4-5":   {"5", "25"},
		"anthropic:claude-sonnet-4":   {"3", "15"},
		"anthropic:claude-sonnet-4-5": {"3", "15"},
		"anthropic:claude-haiku-4-5":  {"1", "5"},
		"anthropic:claude-3-5-haiku":  {"0.80", "4"},
		"anthropic:claude-3-7-sonnet": {"3", "15"},
		"anthropic:claude-3-5-sonnet": {"3", "15"},
	}
}

const million = 1_000_000

// tokenPrice is the price of one token.
type tokenPrice struct{ in, out Money }

func (p Price) perToken() (tokenPrice, error) {
	in, err := ParseMoney(p.In)
	if err != nil {
		return tokenPrice{}, err
	}
	out, err := ParseMoney(p.Out)
	if err != nil {
		return tokenPrice{}, err
	}
	if in%million != 0 || out%million != 0 {
		return tokenPrice{}, errcode.New(errcode.InvalidArgument, "price of a million tokens: at most 6 decimals")
	}
	return tokenPrice{in / million, out / million}, nil
}

// cost returns the cost of a call with these numbers of tokens; a negative number counts as 0.
func (p tokenPrice) cost(in, out int64) Money { return add(p.in.times(in), p.out.times(out)) }

// Released returns the month, as yymm, in which a model was released, if the end of its name has a date, as in
// gpt-4o-2024-08-06 and claude-x-20250514, or the month itself, as in o3-2504.
func Released(model string) (yymm string, ok bool) {
	base := undated(model)
	date := strings.ReplaceAll(strings.TrimLeft(model[len(base):], "-@"), "-", "")
	if len(date) == len("yyyymmdd") {
		date = date[2:6]
	} else if i := len(model) - len("-yymm"); i > 0 && fits(model[i:], "-dddd") && model[i+1:] >= firstMonth {
		date = model[i+1:]
	}
	if len(date) != len("yymm") || date[2:] < "01" || date[2:] > "12" {
		return "", false
	}
	return date, true
}

// firstMonth is the earliest month that Released accepts as yymm: -0613 at the end of a name is June 13.
const firstMonth = "2201"

// Undated returns a model's name without the date or month that [Released] finds at its end.
func Undated(model string) string {
	month, ok := Released(model)
	if !ok {
		return model
	}
	if s, found := strings.CutSuffix(model, "-"+month); found {
		return s
	}
	return undated(model)
}

// undated returns a model's name without a date or tag at its end: -2024-08-06, -20250514, @20250514, -latest.
func undated(model string) string {
	if m, ok := strings.CutSuffix(model, "-latest"); ok {
		return m
	}
	for _, layout := range []string{"-dddd-dd-dd", "-dddddddd", "@dddddddd"} {
		if i := len(model) - len(layout); i > 0 && fits(model[i:], layout) {
			return model[:i]
		}
	}
	return model
}

func fits(s, layout string) bool {
	for i, c := range []byte(layout) {
		if c == 'd' && (s[i] < '0' || s[i] > '9') || c != 'd' && s[i] != c {
			return false
		}
	}
	return true
}
