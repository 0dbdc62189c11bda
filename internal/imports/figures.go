package imports

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/scoring"
)

// maxTokens is the maximum number of tokens of an answer, as in a case file.
const maxTokens = 1_000_000_000_000

// invalid records that a figure of an answer is not valid and is left out.
func (a *Answer) invalid(name string) {
	if !slices.Contains(a.Invalid, name) {
		a.Invalid = append(a.Invalid, name)
	}
}

// tokens adds the first of the members of o that is present to *sum. A value that is not a number from 0 is invalid.
func (a *Answer) tokens(sum **int64, o object, names ...string) {
	raw := o.first(names...)
	if raw == nil {
		return
	}
	text := strings.TrimSpace(nameOf(raw))
	if whole, zeros, ok := strings.Cut(text, "."); ok && strings.Trim(zeros, "0") == "" {
		text = whole
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > maxTokens || *sum != nil && **sum+n > maxTokens {
		a.invalid("tokens")
		return
	}
	if *sum == nil {
		*sum = new(int64)
	}
	**sum += n
}

// cost adds the first of the members of o that is present to *sum. A value that is not a cost is invalid.
func (a *Answer) cost(sum **scoring.USD, o object, names ...string) {
	raw := o.first(names...)
	if raw == nil {
		return
	}
	usd, err := scoring.ParseCost(strings.TrimSpace(nameOf(raw)))
	if err != nil {
		a.invalid("cost")
		return
	}
	if *sum == nil {
		*sum = new(scoring.USD)
	}
	**sum = (*sum).Plus(usd)
}

// usage adds the tokens in the usage of a model. The input tokens of Anthropic and Bedrock do not include those that a
// cache read or wrote; those of other APIs do.
func (a *Answer) usage(u object) {
	switch {
	case u.first("prompt_tokens") != nil:
		a.tokens(&a.TokensIn, u, "prompt_tokens")
	case u.first("input_tokens") != nil:
		for _, name := range []string{"input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"} {
			a.tokens(&a.TokensIn, u, name)
		}
	default:
		for _, name := range []string{"inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens"} {
			a.tokens(&a.TokensIn, u, name)
		}
	}
	a.tokens(&a.TokensOut, u, "output_tokens", "completion_tokens", "outputTokens")
}

// took sets the latency of an answer, from a number of units or else from the time between two times.
func (a *Answer) took(number float64, known bool, unit time.Duration, from, to time.Time) {
	switch {
	case known:
		if d := number * float64(unit); d >= 0 && d < float64(maxLatency) {
			latency := time.Duration(d)
			a.Latency = &latency
			return
		}
	case from.IsZero() || to.IsZero():
		return
	default:
		if d := to.Sub(from); d >= 0 && d < maxLatency {
			a.Latency = &d
			return
		}
	}
	a.invalid("latency")
}

// maxLatency is the maximum latency of an answer.
const maxLatency = 1e6 * time.Second
