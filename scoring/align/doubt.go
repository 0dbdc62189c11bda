package align

import (
	"fmt"

	"github.com/badger-eval/badger/scoring"
)

// SureFrom is the confidence from which an alignment found by the evidence is not doubted: every column has at least about 60 % of its values on the
// other side, or differs in its form alone.
const SureFrom = 0.75

// Doubts says why the columns of two results may correspond in another way than the evidence shows, one clause each: what a judge can be asked about.
// There is none where the evidence is sure of every column. Whether the results agree under the alignment is not looked at; where they do, nobody needs to be asked.
func Doubts(a *scoring.Alignment) []string {
	var doubts []string
	if n := len(a.Missing); n > 0 {
		if m := len(a.Extra); m > 0 {
			doubts = append(doubts, fmt.Sprintf("gold columns without a counterpart: %d, while predicted columns are left: %d", n, m))
		} else {
			doubts = append(doubts, fmt.Sprintf("gold columns without a counterpart: %d", n))
		}
	}
	if a.Confidence < SureFrom {
		doubts = append(doubts, fmt.Sprintf("the confidence is %.2f, below %.2f", a.Confidence, SureFrom))
	}
	return doubts
}
