package report

import (
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// Tier is the complexity that a score says its case has, such as extra hard; "" where it says none.
func Tier(s *scoring.Score) string {
	if s.Metric == "sql_complexity" && s.Status == scoring.StatusOK {
		return strings.ReplaceAll(s.Label, "_", " ")
	}
	return ""
}

// TierOf is the complexity that scores say their case has.
func TierOf(scores []scoring.Score) string {
	for i := range scores {
		if t := Tier(&scores[i]); t != "" {
			return t
		}
	}
	return ""
}
