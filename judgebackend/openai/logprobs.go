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

// condense makes the LogProbs of a response: the tokens that hold a value somebody may weigh, a
// digit, true or false, as they are, and the tokens between them joined into one, whose
// log-probability is their sum. Joined together they are still the reply. Alternatives of every
// token would make a record dozens of times as long as what it records.
func condense(tokens []saidToken) []judgebackend.TokenLogProb {
	var out []judgebackend.TokenLogProb
	var run strings.Builder
	var sum float64
	flush := func() {
		if run.Len() > 0 {
			out = append(out, judgebackend.TokenLogProb{Token: strings.ToValidUTF8(run.String(), string(utf8.RuneError)), LogProb: sum})
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
		out = append(out, judgebackend.TokenLogProb{Token: strings.ToValidUTF8(text, string(utf8.RuneError)), LogProb: t.logProb, Top: t.top})
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
