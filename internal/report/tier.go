package report

import (
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// Tier returns the complexity of a case, such as extra hard, from the label of the metric sql_complexity in scores, or
// "" without one, as for a case without an accepted query.
func Tier(scores []scoring.Score) string {
	for i := range scores {
		if s := &scores[i]; s.Metric == "sql_complexity" && s.Status == scoring.StatusOK {
			return strings.ReplaceAll(s.Label, "_", " ")
		}
	}
	return ""
}
