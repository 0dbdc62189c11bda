package storedscores

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/scoring"
)

// tiersOf returns the complexity of each question on one side, by case id.
func (s *Warehouse) tiersOf(ctx context.Context, side Side) (map[string]string, error) {
	tiers, names := map[string]string{}, map[string]string{}
	for r, err := range s.w.LatestScores(ctx, side.Latest(complexityMetric)) {
		if err != nil {
			return nil, err
		}
		if r.Score.Status != scoring.StatusOK || r.Score.Label == "" {
			continue
		}
		tier, known := names[r.Score.Label]
		if !known { // strings are only valid until the next row
			tier = strings.Clone(r.Score.Label)
			names[tier] = tier
		}
		tiers[strings.Clone(r.CaseID)] = tier
	}
	return tiers, nil
}

// tierCounts is the number of answers by complexity.
type tierCounts map[string]int

// add counts an answer to the question caseID.
func (c tierCounts) add(tiers map[string]string, caseID string) {
	tier := tiers[caseID]
	if tier == "" {
		tier = analysis.UnknownTier
	}
	c[tier]++
}

// groups returns, by complexity, these counts and the numbers of answers that the metric scored, which looked has.
func (c tierCounts) groups(looked tierCounts) (out []analysis.FailureGroup) {
	for _, tier := range slices.SortedFunc(maps.Keys(looked), analysis.CompareTiers) {
		out = append(out, analysis.FailureGroup{Tier: tier, N: c[tier], Scored: looked[tier]})
	}
	return out
}
