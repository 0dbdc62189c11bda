package jsonscan_test

import (
	"testing"

	"github.com/badger-eval/badger/internal/jsonscan"
)

func TestQuoteNonFinite(t *testing.T) {
	for text, want := range map[string]string{
		`[NaN, Infinity,-Infinity]`:       `["NaN", "Infinity","-Infinity"]`,
		`{"a":NaN}`:                       `{"a":"NaN"}`,
		`NaN`:                             `"NaN"`,
		`{"NaN":"NaN, -Infinity","b":1}`:  `{"NaN":"NaN, -Infinity","b":1}`,
		`["\"NaN", NaN]`:                  `["\"NaN", "NaN"]`,
		`["\\", NaN]`:                     `["\\", "NaN"]`,
		`[NaNs, -1, Infinitys]`:           `[NaNs, -1, Infinitys]`,
		`[-Infinity]`:                     `["-Infinity"]`,
		`{"a":[1,{"b":Infinity }],"c":3}`: `{"a":[1,{"b":"Infinity" }],"c":3}`,
		`[1,2]`:                           `[1,2]`,
	} {
		if got := string(jsonscan.QuoteNonFinite([]byte(text))); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
