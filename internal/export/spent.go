package export

import (
	"strconv"
	"time"

	"github.com/badger-eval/badger/scoring"
)

// jsonSpent is what an answer took. Unknown values are omitted.
type jsonSpent struct {
	TokensIn  *int64       `json:"tokens_in,omitempty"`
	TokensOut *int64       `json:"tokens_out,omitempty"`
	CostUSD   *scoring.USD `json:"cost_usd,omitempty"`
	LatencyMS *float64     `json:"latency_ms,omitempty"`
}

func jsonSpentOf(s *scoring.Spent) (out jsonSpent) {
	if s == nil {
		return out
	}
	out.TokensIn, out.TokensOut, out.CostUSD = s.TokensIn, s.TokensOut, s.CostUSD
	if s.Latency != nil {
		ms := float64(*s.Latency) / float64(time.Millisecond)
		out.LatencyMS = &ms
	}
	return out
}

// spentFields returns what an answer took as the last of csvColumns; "" is unknown.
func spentFields(s *scoring.Spent) []string {
	out, j := make([]string, 4), jsonSpentOf(s)
	for i, n := range []*int64{j.TokensIn, j.TokensOut} {
		if n != nil {
			out[i] = strconv.FormatInt(*n, 10)
		}
	}
	if j.CostUSD != nil {
		out[2] = j.CostUSD.String()
	}
	if j.LatencyMS != nil {
		out[3] = strconv.FormatFloat(*j.LatencyMS, 'f', -1, 64)
	}
	return out
}
