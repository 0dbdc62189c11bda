package openai

import (
	"strings"
	"unicode/utf8"

	"github.com/badger-eval/badger/judgebackend"
)

// saidToken is a token of a reply as the backend reports it. bytes is its exact content if reported: a character may
// span several tokens, whose texts are then not valid.
type saidToken struct {
	text    string
	bytes   []byte
	logProb float64
	top     []judgebackend.TokenLogProb
}

// condense returns the log-probabilities of a reply with fewer tokens. It keeps tokens with a value that a metric may
// weight (a digit, true or false), and joins the tokens between them into one, whose log-probability is their sum.
// This makes records much shorter, because only the former have alternatives.
func condense(tokens []saidToken) []judgebackend.TokenLogProb {
	var out []judgebackend.TokenLogProb
	var run strings.Builder
	var sum float64
	flush := func() {
		if run.Len() > 0 {
			out = append(out,
				judgebackend.TokenLogProb{Token: strings.ToValidUTF8(run.String(), string(utf8.RuneError)), LogProb: sum})
			run.Reset()
			sum = 0
		}
	}
	for _, t := range tokens {
		text := t.text
		if t.bytes != nil {
			text = string(t.bytes)
		}
		if !weighed(text) {
			run.WriteString(text)
			sum += t.logProb
			continue
		}
		flush()
		out = append(out,
			judgebackend.TokenLogProb{Token: strings.ToValidUTF8(text, string(utf8.RuneError)), LogProb: t.logProb, Top: t.top})
	}
	flush()
	return out
}

// weighed reports whether a token has a digit, or is true or false with any JSON punctuation around it.
func weighed(token string) bool {
	if strings.ContainsAny(token, "0123456789") {
		return true
	}
	bare := strings.Trim(token, " \t\r\n:,[]{}\"")
	return strings.EqualFold(bare, "true") || strings.EqualFold(bare, "false")
}
