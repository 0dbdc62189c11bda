package report

import (
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// Tier returns the complexity of a case, such as extra hard, from the scores of an answer to it; "" if none has it.
// It is unknown for a case without an accepted query. Lists of cases, views and analyses read the same score.
func Tier(scores []scoring.Score) string {
	for i := range scores {
		if s := &scores[i]; s.Metric == "sql_complexity" && s.Status == scoring.StatusOK {
			return strings.ReplaceAll(s.Label, "_", " ")
		}
	}
	return ""
}
