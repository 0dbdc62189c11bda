package scoring

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
)

// USD is an exact amount of US dollars, in 10^-12 dollars. Its JSON is a number with all digits, such as 0.0021.
type USD int64

// usdDigits is the number of decimals of [USD].
const usdDigits = 12

// Limits of what one answer takes. Values that are negative or larger are mistakes, such as milliseconds in a column of
// dollars. They are unknown, see [Case.Invalid].
const (
	MaxCost      = 1_000_000         // US dollars
	MaxTokens    = 1_000_000_000_000 // in one direction
	MaxLatencyMS = 1_000_000_000_000 // milliseconds
)

// String formats the amount as a decimal number with at least two decimals, and with more only if needed.
func (u USD) String() string { return judgebackend.Money(u).String() }

// Plus returns u+o, or the maximum on overflow. Neither may be negative.
func (u USD) Plus(o USD) USD {
	if u > math.MaxInt64-o {
		return math.MaxInt64
	}
	return u + o
}

// MarshalJSON returns the amount as a JSON number.
func (u USD) MarshalJSON() ([]byte, error) { return []byte(u.String()), nil }

// UnmarshalJSON parses a JSON number, or a string that contains one, see [ParseCost].
func (u *USD) UnmarshalJSON(b []byte) (err error) {
	var text amountJSON
	if err := text.UnmarshalJSON(b); err != nil {
		return err
	}
	*u, err = ParseCost(string(text))
	return err
}

// ParseCost parses the cost of an answer in US dollars: a decimal number from 0 to 1,000,000, also with an exponent,
// such as 2.1e-3. Digits after the twelfth decimal are rounded half up, so that 4e-13 is 0.
func ParseCost(text string) (USD, error) {
	bad := func() (USD, error) {
		return 0, errcode.New(errcode.InvalidArgument, "expected US dollars from 0 to %d, such as 0.0021", MaxCost)
	}
	v, ok := ParseDecimal(text)
	if !ok {
		return bad()
	}
	unscaled, n, scale := v.Decimal()
	if n == nil {
		n = big.NewInt(unscaled)
	}
	ten := big.NewInt(10)
	power := func(k int32) *big.Int { return new(big.Int).Exp(ten, big.NewInt(int64(k)), nil) }
	out := new(big.Int)
	if scale <= usdDigits {
		out.Mul(n, power(usdDigits-scale))
	} else {
		half := power(scale - usdDigits)
		out.Add(n, new(big.Int).Rsh(half, 1))
		out.Div(out, half)
	}
	if n.Sign() < 0 || out.Cmp(new(big.Int).Mul(big.NewInt(MaxCost), power(usdDigits))) > 0 {
		return bad()
	}
	return USD(out.Int64()), nil
}

// parseTokens parses a number of tokens, a whole number from 0 to 10^12. Trailing zeros after a decimal point, which
// columns of other types have, are ignored.
func parseTokens(text string) (int64, error) {
	v, ok := ParseDecimal(text)
	n, wide, scale := v.Decimal()
	for ; ok && wide == nil && scale > 0 && n%10 == 0; scale-- {
		n /= 10
	}
	if !ok || wide != nil || scale > 0 && n != 0 || n < 0 || n > MaxTokens {
		return 0, errcode.New(errcode.InvalidArgument, "expected a whole number of tokens from 0 to %d", int64(MaxTokens))
	}
	return n, nil
}

// parseLatency parses a number of milliseconds from 0 to 10^12.
func parseLatency(text string) (time.Duration, error) {
	ms, err := strconv.ParseFloat(text, 64)
	if err != nil {
		ms = -1
	}
	return latencyOf(ms)
}

// latencyOf converts milliseconds from 0 to 10^12.
func latencyOf(ms float64) (time.Duration, error) {
	if !(ms >= 0 && ms <= MaxLatencyMS) { // also NaN
		return 0, errcode.New(errcode.InvalidArgument, "expected milliseconds from 0 to %d", int64(MaxLatencyMS))
	}
	return time.Duration(ms * float64(time.Millisecond)), nil
}

// Spent is what an answer took. A field is nil if it is unknown. No metric reads it.
type Spent struct {
	CostUSD   *USD
	TokensIn  *int64
	TokensOut *int64
	Latency   *time.Duration // of the agent's query, or of the whole answer if it was measured instead
}

// Unknown reports whether nothing is known.
func (s *Spent) Unknown() bool {
	return s.CostUSD == nil && s.TokensIn == nil && s.TokensOut == nil && s.Latency == nil
}

// Spent returns what the answer took.
func (c *Case) Spent() Spent {
	return Spent{c.Agent.CostUSD, c.Agent.TokensIn, c.Agent.TokensOut, c.Pred.Latency}
}

// UnreadableSpent counts the answers with a value of [Spent] that cannot be read, and so is unknown.
type UnreadableSpent struct {
	Answers int
	First   string // names the case and the column of the first
}

// Add counts an answer with the error of [SpentOfCells].
func (u *UnreadableSpent) Add(caseID string, err error) {
	if u.Answers++; u.Answers == 1 {
		u.First = fmt.Sprintf("case %.60q: %v", caseID, err)
	}
}

// SpentOfCells returns what an answer took from the cells of its row in agent_runs: cost_usd, tokens_in, tokens_out and
// latency_ms. An invalid cell is an error that names the column; the other fields are set nevertheless.
func SpentOfCells(run Cells) (Spent, error) {
	var f figures
	s := f.ofCells(run)
	if len(f.invalid) > 0 {
		return s, errcode.New(errcode.InvalidArgument, "%s", f.invalid[0])
	}
	return s, nil
}

// figures parses what answers and queries took, and collects a sentence for each invalid value, which is unknown.
type figures struct{ invalid []string }

// ofCells returns what an answer took, as [SpentOfCells].
func (f *figures) ofCells(run Cells) (s Spent) {
	s.Latency = parsed(f, "latency_ms", run("latency_ms"), parseLatency)
	s.CostUSD = parsed(f, "cost_usd", run("cost_usd"), ParseCost)
	s.TokensIn = parsed(f, "tokens_in", run("tokens_in"), parseTokens)
	s.TokensOut = parsed(f, "tokens_out", run("tokens_out"), parseTokens)
	return s
}

// parsed returns the value of text, or nil if it is empty or invalid. name is the column or member of the text, which
// the sentence about an invalid value does not repeat: it may be of another column.
func parsed[T any](f *figures, name, text string, parse func(string) (T, error)) *T {
	if text == "" {
		return nil
	}
	v, err := parse(text)
	if err != nil {
		f.invalid = append(f.invalid, fmt.Sprintf("%s cannot be read, and counts as unknown: %v", name, err))
		return nil
	}
	return &v
}

// amountJSON is the text of a JSON number, or of a string that contains one; "" for null. Other JSON is kept unchanged,
// so that it is an invalid number.
type amountJSON string

// UnmarshalJSON keeps the text of the JSON.
func (a *amountJSON) UnmarshalJSON(b []byte) error {
	switch {
	case string(b) == "null":
	case b[0] == '"':
		return json.Unmarshal(b, (*string)(a))
	default:
		*a = amountJSON(b)
	}
	return nil
}
