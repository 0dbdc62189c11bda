package report

import (
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Tier is the complexity that a score says its case has, such as extra hard; "" where it says none.
func Tier(s *scoring.Score) string {
	if s.Metric == "sql_complexity" && s.Status == scoring.StatusOK {
		return strings.ReplaceAll(s.Label, "_", " ")
	}
	return ""
}

// TierOf is the complexity of a case's accepted query, so that the case has the same in every run: as a
// score of the case says it, or else as the query itself has it. "" where there is no such query.
func TierOf(scores []scoring.Score, gold, dialect string) string {
	for i := range scores {
		if t := Tier(&scores[i]); t != "" && !strings.HasSuffix(scores[i].Reason, metric.OfAgentsQuery) {
			return t
		}
	}
	q := sqlparts.Parse(gold, sqlparts.DialectOf(dialect)).Final()
	if q == nil {
		return ""
	}
	tier, _ := sqlparts.Complexity(sqlparts.Extract(q))
	return string(tier)
}
