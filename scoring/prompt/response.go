package prompt

import (
	"strings"
	"unicode/utf8"
)

// MostClaims is how many claims of a response a judge is asked for: with their figures they fit
// into a reply of the usual bound.
const MostClaims = 30

// MostResponse is how many characters of a response a judge is shown: the first three quarters of
// them from its beginning, the rest from its end.
const MostResponse = 12_000

// Unshown is the share of a response that a judge is not shown.
func Unshown(response string) float64 {
	n := utf8.RuneCountInString(strings.TrimSpace(visible(response)))
	return max(0, float64(n-MostResponse)/float64(max(n, 1)))
}

// The questions about an agent's answer in prose (BADGER, sections 7.2 to 7.5 and appendix A.4).
var (
	// its claims, the four dimensions of G-Eval and how it resolves what was meant, in one call
	Response = load("response", "response", 1, "response")
	Intent   = load("intent", "intent", 1, "intent")    // whether the interpretation means what the question means
	Refusal  = load("refusal", "refusal", 1, "refusal") // whether it answers, refuses or asks back
)
