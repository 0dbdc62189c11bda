package prompt

import (
	"strings"
	"unicode/utf8"
)

// MostClaims is the maximum number of claims of a response that a judge is asked for. That many claims with their
// figures fit into a reply of the usual length.
const MostClaims = 30

// MostResponse is the maximum number of characters of a response in a prompt. A longer response is cut to the first
// three quarters of them from its start and the rest from its end.
const MostResponse = 12_000

// Unshown returns the share of a response that a judge is not shown, because it is longer than MostResponse.
func Unshown(response string) float64 {
	n := utf8.RuneCountInString(strings.TrimSpace(visible(response)))
	return max(0, float64(n-MostResponse)/float64(max(n, 1)))
}

// The questions about an agent's answer in prose (BADGER, sections 7.2 to 7.5 and appendix A.4).
var (
	// its claims, the four dimensions of G-Eval and how it resolves the question's intents, in one call
	Response = load("response", "response", 1, "response")
	Intent   = load("intent", "intent", 1, "intent")    // whether the interpretation means the same as the question
	Refusal  = load("refusal", "refusal", 1, "refusal") // whether it answers, refuses or asks back
)
