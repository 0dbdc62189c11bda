package openai

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/judgebackend"
)

func TestCondense(t *testing.T) {
	four := []judgebackend.TokenLogProb{{Token: "4", LogProb: -0.5}, {Token: "5", LogProb: -1}}
	for _, tc := range []struct {
		why    string
		tokens []saidToken
		want   []judgebackend.TokenLogProb
	}{
		{"nothing said", nil, nil},
		{
			"what stands between values is one text, as probable as its tokens together",
			[]saidToken{{text: `{"`, logProb: -0.25}, {text: "score", logProb: -0.5, top: four}, {text: `":`, logProb: -0.125}, {text: " 4", logProb: -0.5, top: four}, {text: "}", logProb: -1}},
			[]judgebackend.TokenLogProb{{Token: `{"score":`, LogProb: -0.875}, {Token: " 4", LogProb: -0.5, Top: four}, {Token: "}", LogProb: -1}},
		},
		{
			"a character of two tokens is whole again; its bytes are what counts, not the text shown for them",
			[]saidToken{{text: `\xe2\x82`, bytes: []byte{0xe2, 0x82}, logProb: -1}, {text: `\xac`, bytes: []byte{0xac}, logProb: -1}, {text: "3", bytes: []byte("3")}},
			[]judgebackend.TokenLogProb{{Token: "€", LogProb: -2}, {Token: "3"}},
		},
		{"truths are values", []saidToken{{text: " true", top: four}, {text: ","}, {text: "False"}}, []judgebackend.TokenLogProb{{Token: " true", Top: four}, {Token: ","}, {Token: "False"}}},
		{"words that hold one are not", []saidToken{{text: "un"}, {text: "true,", top: four}, {text: "falsehood", top: four}}, []judgebackend.TokenLogProb{{Token: "un"}, {Token: "true,", Top: four}, {Token: "falsehood"}}},
	} {
		if diff := cmp.Diff(tc.want, condense(tc.tokens)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.why, diff)
		}
	}
}

// However a reply is cut into tokens, the condensed tokens are the reply, as probable as before.
func FuzzCondense(f *testing.F) {
	f.Add("{\"a\": 4, \"b\": true, \"c\": \"größer 😀\"}", uint16(3))
	f.Add("0\xff1", uint16(0xffff))
	f.Fuzz(func(t *testing.T, reply string, cuts uint16) {
		var tokens []saidToken
		for i := 0; i < len(reply); {
			n := min(1+int(cuts>>(uint(i)%16)&3), len(reply)-i)
			tokens = append(tokens, saidToken{text: "?", bytes: []byte(reply[i : i+n]), logProb: -0.25})
			i += n
		}
		var joined strings.Builder
		sum := 0.0
		for _, p := range condense(tokens) {
			joined.WriteString(p.Token)
			sum += p.LogProb
		}
		if strings.ToValidUTF8(reply, "") == reply && joined.String() != reply && !splitsCharacter(tokens) {
			t.Errorf("%q became %q", reply, joined.String())
		}
		if math.Abs(sum+0.25*float64(len(tokens))) > 1e-9 {
			t.Errorf("log-probability %v of %d tokens", sum, len(tokens))
		}
	})
}

// splitsCharacter reports whether a token with a digit holds a part of a character: no known
// tokenizer does that.
func splitsCharacter(tokens []saidToken) bool {
	for _, token := range tokens {
		if weighed(string(token.bytes)) && strings.ToValidUTF8(string(token.bytes), "") != string(token.bytes) {
			return true
		}
	}
	return false
}
