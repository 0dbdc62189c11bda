package openai

import (
	"strings"
	"unicode/utf8"

	"github.com/badger-eval/badger/judgebackend"
)

// saidToken is a token as a backend reports it. bytes is its exact text where the backend gives
// that: a character may be made of several tokens, and the text of each is then no character.
type saidToken struct {
	text    string
	bytes   []byte
	logProb float64
	top     []judgebackend.TokenLogProb
}

// condense returns the log-probabilities of a reply in fewer tokens. It keeps tokens with a value that a metric may
// weigh (a digit, true or false), and joins the tokens between them into one, whose log-probability is their sum.
// The joined tokens are still the whole reply. With the alternatives of every token, a record would be dozens of
// times as long as the reply.
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

// weighed reports whether a token holds a value: some digit, or one of the two truths with whatever
// stands around it in JSON.
func weighed(token string) bool {
	if strings.ContainsAny(token, "0123456789") {
		return true
	}
	bare := strings.Trim(token, " \t\r\n:,[]{}\"")
	return strings.EqualFold(bare, "true") || strings.EqualFold(bare, "false")
}
