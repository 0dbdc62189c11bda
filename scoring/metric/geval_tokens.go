package metric

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/badger-eval/badger/judgebackend"
)

// scoreProbabilities returns the probabilities of the scores 1 to 5 at the token of the score at a path of the reply,
// normalized to a sum of 1. It returns nil if the backend returned none, or if no token can be matched with the
// written score.
func scoreProbabilities(r judgebackend.Response, path []string, written int) []float64 {
	at, ok := locate(r.Reply, path)
	if !ok || at >= len(r.Reply) || int(r.Reply[at])-'0' != written {
		return nil
	}
	token, ok := tokenAt(r, at)
	if !ok || len(token.Top) == 0 {
		return nil
	}
	logs := make([]float64, gevalMost)
	for i := range logs {
		logs[i] = math.Inf(-1)
	}
	alternatives := token.Top
	if !slices.ContainsFunc(alternatives, func(a judgebackend.TokenLogProb) bool { return a.Token == token.Token }) {
		alternatives = append(slices.Clone(alternatives), token) // the written token may not be among the alternatives
	}
	for _, a := range alternatives {
		if score, ok := scoreIn(a.Token); ok {
			logs[score-1] = logSum(logs[score-1], a.LogProb)
		}
	}
	most := slices.Max(logs)
	if math.IsInf(logs[written-1], -1) || math.IsInf(most, 0) || math.IsNaN(most) {
		return nil
	}
	p, total := make([]float64, len(logs)), 0.0
	for i, l := range logs {
		p[i] = math.Exp(l - most)
		total += p[i]
	}
	for i := range p {
		p[i] = rounded(p[i] / total)
	}
	return p
}

// expectedScore returns Σ p(i)·i (G-Eval, equation 1) of the scores' probabilities, divided by their sum.
func expectedScore(p []float64) float64 {
	var sum, total float64
	for i, q := range p {
		sum += q * float64(i+1)
		total += q
	}
	return rounded(sum / total)
}

// rounded returns v with six decimal digits, so that results of exp that differ in the last bit between machines give
// the same output.
func rounded(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// logSum returns the logarithm of the sum of two probabilities, whose logarithms are a and b.
func logSum(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// scoreIn returns the score from 1 to 5 that a token contains, possibly with blanks and JSON punctuation around it;
// ok is false for any other token.
func scoreIn(token string) (score int, ok bool) {
	bare := strings.Trim(token, " \t\r\n:,}\"")
	if len(bare) != 1 || bare[0] < '1' || bare[0] > '0'+gevalMost {
		return 0, false
	}
	return int(bare[0] - '0'), true
}

// locate returns the offset of the number at a path of members in a reply that is one JSON object, possibly with text
// around it.
func locate(reply string, path []string) (at int, ok bool) {
	first, last := strings.IndexByte(reply, '{'), strings.LastIndexByte(reply, '}')
	if first < 0 || last < first || !json.Valid([]byte(reply[first:last+1])) {
		return 0, false
	}
	d := json.NewDecoder(strings.NewReader(reply[first : last+1]))
	d.UseNumber()
	for _, member := range path {
		if t, err := d.Token(); err != nil || t != json.Delim('{') {
			return 0, false
		}
		for {
			name, err := d.Token()
			if err != nil || name == json.Delim('}') {
				return 0, false
			}
			if name == member {
				break
			}
			var skipped json.RawMessage
			if d.Decode(&skipped) != nil {
				return 0, false
			}
		}
	}
	var number json.RawMessage
	if d.Decode(&number) != nil {
		return 0, false
	}
	return first + int(d.InputOffset()) - len(bytes.TrimSpace(number)), true
}

// tokenAt returns the token that contains byte at of the reply. ok is false if the tokens, concatenated, differ from
// the reply before that byte.
func tokenAt(r judgebackend.Response, at int) (judgebackend.TokenLogProb, bool) {
	offset := 0
	for _, t := range r.LogProbs {
		if !strings.HasPrefix(r.Reply[offset:], t.Token) {
			break
		}
		if offset+len(t.Token) > at {
			return t, true
		}
		offset += len(t.Token)
	}
	return judgebackend.TokenLogProb{}, false
}
