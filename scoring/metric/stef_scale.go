package metric

import (
	"math"

	"github.com/badger-eval/badger/internal/errcode"
)

// stefScale is the scale by which a judgement is converted to a score, and a score to a tier (STEF, tables 1 to 3 and
// equations 11 to 13).
type stefScale struct {
	FilterPoints     [4]float64 `json:"filter_points"`     // in the order of stefStatuses
	VerdictPoints    [4]float64 `json:"verdict_points"`    // in the order of stefVerdicts
	Leniency         float64    `json:"leniency"`          // added to the points if all extra filters are benign
	ConfidenceLimits [2]float64 `json:"confidence_limits"` // lower limits of high and of moderate reliability
	Multipliers      [3]float64 `json:"multipliers"`       // Γ of high, moderate and low reliability
	Tiers            [3]float64 `json:"tiers"`             // lower limits of excellent, good and marginal scores

	own bool // it is not the paper's scale
}

// stefBase is the maximum sum of the points of filters and verdict.
const stefBase = 10

var (
	stefStatuses      = []string{fullyApplied, fullyAppliedWithExtras, partiallyApplied, notApplied}
	stefVerdicts      = []string{"Correct", "Likely Correct", "Potentially Incorrect", "Incorrect"}
	stefReliabilities = []string{"high", "moderate", "low"}
	stefTiers         = []string{"excellent", "good", "marginal", "poor"}

	paperScale = stefScale{
		FilterPoints: [4]float64{5, 4, 3, 0}, VerdictPoints: [4]float64{5, 3, 2, 0}, Leniency: 1,
		ConfidenceLimits: [2]float64{0.85, 0.65}, Multipliers: [3]float64{1, 0.8, 0.5}, Tiers: [3]float64{90, 75, 50},
	}
)

// scale returns the paper's scale with the changes in the options, or an error if they are invalid.
func (o *stefOptions) scale() (stefScale, error) {
	s := paperScale
	bad := func(format string, args ...any) (stefScale, error) {
		return s, errcode.New(errcode.InvalidArgument, "option "+format, args...)
	}
	for _, list := range []struct {
		name  string
		given []float64
		into  []float64
		most  float64
	}{
		{"filter_points", o.FilterPoints, s.FilterPoints[:], stefBase},
		{"verdict_points", o.VerdictPoints, s.VerdictPoints[:], stefBase},
		{"confidence_limits", o.ConfidenceLimits, s.ConfidenceLimits[:], 1},
		{"multipliers", o.Multipliers, s.Multipliers[:], 1}, {"tiers", o.Tiers, s.Tiers[:], 100},
	} {
		if list.given == nil {
			continue
		}
		if len(list.given) != len(list.into) {
			return bad("%s has %d numbers, expected %d", list.name, len(list.given), len(list.into))
		}
		for i, v := range list.given {
			if !(v >= 0 && v <= list.most) {
				return bad("%s[%d] is %v, expected at least 0 and at most %v", list.name, i, v, list.most)
			}
			if i > 0 && v > list.given[i-1] {
				return bad("%s[%d] is %v, which is more than the %v before it; expected the highest first", list.name, i, v,
					list.given[i-1])
			}
		}
		copy(list.into, list.given)
	}
	s.Leniency = o.Leniency
	if sum := s.FilterPoints[0] + s.VerdictPoints[0]; math.Abs(sum-stefBase) > 1e-9 {
		return bad("filter_points and verdict_points: the highest are %v and %v, which sum to %v; expected %d, so that a perfect answer has 100", s.FilterPoints[0], s.VerdictPoints[0], sum, stefBase)
	}
	if most := s.FilterPoints[0] - s.FilterPoints[1]; s.Leniency > most+1e-9 {
		return bad("leniency is %v, expected at most %v: benign extras must not score above no extras", s.Leniency, most)
	}
	s.own = s != paperScale
	return s, nil
}

// reliability returns the confidence multiplier Γ (STEF, equation 13) and the name of the reliability (section 4.4)
// for a confidence.
func (s *stefScale) reliability(confidence float64) (multiplier float64, tier string) {
	for i, limit := range s.ConfidenceLimits {
		if confidence >= limit {
			return s.Multipliers[i], stefReliabilities[i]
		}
	}
	return s.Multipliers[2], stefReliabilities[2]
}

// score returns Φ (STEF, equations 11 and 12), from 0 to 100.
func (s *stefScale) score(status, verdict string, lenient bool, confidence float64) float64 {
	base := 0.0
	for i := range stefStatuses {
		if stefStatuses[i] == status {
			base += s.FilterPoints[i]
		}
		if stefVerdicts[i] == verdict {
			base += s.VerdictPoints[i]
		}
	}
	if lenient {
		base += s.Leniency
	}
	multiplier, _ := s.reliability(confidence)
	const digits = 1e9 // 0.8 has no exact binary form, and 64 must not come out as 63.999…
	return math.Round(base/stefBase*100*multiplier*digits) / digits
}

// tier returns the quality tier of a score (STEF, Table 3).
func (s *stefScale) tier(score float64) string {
	for i, limit := range s.Tiers {
		if score >= limit {
			return stefTiers[i]
		}
	}
	return stefTiers[3]
}
