package caseview

import (
	"fmt"
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// Panel describes how a panel of judges decided a score.
type Panel struct {
	Metric string `json:"metric"`
	scoring.PanelScore
}

// panels returns how panels decided the scores, with reasons masked.
func (b *builder) panels() (out []Panel) {
	for i := range b.Scores {
		s := &b.Scores[i]
		if s.Usage == nil || s.Usage.Panel == nil {
			continue
		}
		p := Panel{Metric: s.Metric, PanelScore: *s.Usage.Panel}
		p.Votes = nil
		for _, v := range s.Usage.Panel.Votes {
			if v.Status == scoring.StatusFailed {
				v.Reason = b.masked.written(v.Reason)
			} else {
				v.Reason = b.masked.reason(s.Metric, v.Reason)
			}
			p.Votes = append(p.Votes, v)
		}
		out = append(out, p)
	}
	return out
}

// Decision describes the outcome of the panel in a phrase.
func (p *Panel) Decision() string {
	switch p.Outcome {
	case scoring.PanelAgreed:
		return "all judges that were asked agree"
	case scoring.PanelMajority:
		return "more than half of the judges agree"
	case scoring.PanelMedian:
		return "the median of the values"
	case scoring.PanelArbiter:
		return "the arbiter decides"
	case scoring.PanelTie:
		return "as many judges pass the answer as fail it"
	case scoring.PanelSplit:
		return "the judges differ, which leaves the answer to a person"
	case scoring.PanelSilent:
		return "too few judges decide, which leaves the answer to a person"
	case scoring.PanelNoQuorum:
		return "too few judges replied"
	case scoring.PanelOutside:
		return "the metric is not applicable"
	case scoring.PanelBroken:
		return "the score failed for a reason that concerns every judge"
	}
	return p.Outcome
}

// Said describes the vote of a judge of a panel, such as: pass (0.9), unsure.
func Said(v scoring.PanelVote) string {
	parts := []string{}
	switch {
	case v.Status != scoring.StatusOK:
		return strings.ReplaceAll(string(v.Status), "_", " ")
	case v.Passed != nil && *v.Passed:
		parts = append(parts, "pass")
	case v.Passed != nil:
		parts = append(parts, "fail")
	}
	if v.Label != "" {
		parts = append(parts, v.Label)
	}
	if v.Value != nil {
		parts = append(parts, fmt.Sprintf("%.4g", *v.Value))
	}
	if v.Unsure {
		parts = append(parts, "unsure")
	}
	return strings.Join(parts, ", ")
}
