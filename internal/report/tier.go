package report

import (
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// Tier is the complexity of a case, such as extra hard, as the scores of an answer to it say it; "" if
// none says it. Of a case without an accepted query it is not known. Lists of cases, views and analyses
// read the same score.
func Tier(scores []scoring.Score) string {
	for i := range scores {
		if s := &scores[i]; s.Metric == "sql_complexity" && s.Status == scoring.StatusOK {
			return strings.ReplaceAll(s.Label, "_", " ")
		}
	}
	return ""
}
