package site

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring/policy"
	"github.com/badger-eval/badger/scoring/relation"
	"github.com/badger-eval/badger/sql/store"
)

// percent formats a share in whole percent: 45 %.
func percent(share float64) string { return strconv.Itoa(int(math.Round(100*share))) + " %" }

// minus replaces all hyphens in text by minus signs.
func minus(text string) string { return strings.ReplaceAll(text, "-", "−") }

// points formats a change of a share in whole percentage points, with its sign: −34, or 0.
func points(change float64) string {
	n := int(math.Round(100 * change))
	if n == 0 {
		return "0"
	}
	return minus(fmt.Sprintf("%+d", n))
}

// inThousand formats a p-value as a frequency: in 6 of 1,000 nights, or from 0.2 on in percent: in 23 of 100 nights.
func inThousand(p float64, noun string) string {
	many := printable.Noun(2, noun)
	switch n := math.Round(1000 * p); {
	case p < 0.0005:
		return "in fewer than 1 of 1,000 " + many
	case p >= 0.2:
		return "in " + strconv.Itoa(int(math.Round(100*p))) + " of 100 " + many
	default:
		return "in " + strconv.Itoa(int(n)) + " of 1,000 " + many
	}
}

// noAnswerGroup is the group of questions that the agent did not answer.
const noAnswerGroup = "No answer"

// reasonGroups returns the labels of the metric relation with their groups, in the order in which pages show them.
func reasonGroups() (out []store.LabelGroup) {
	out = append(out, store.LabelGroup{Group: noAnswerGroup})
	for _, g := range relation.Groups() {
		for _, k := range relation.Kinds() {
			if k.Group == g {
				out = append(out, store.LabelGroup{Label: k.Name, Group: string(g)})
			}
		}
		if g == relation.QueryDidNotRun {
			out = append(out, store.LabelGroup{Label: relation.QueryFailed, Group: string(g)})
		}
	}
	return out
}

// groupOfLabel returns the groups of reasonGroups by label.
var groupOfLabel = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for _, g := range reasonGroups() {
		if g.Label != "" {
			out[g.Label] = g.Group
		}
	}
	return out
})

// groupName returns the display name of a group of reasons; "" is the group of answers that no relation explains.
func groupName(group string) string {
	if group == "" {
		return analysis.NoReason
	}
	return group
}

// labelName returns the display name of a label of the metric relation, or [analysis.NoReason] for "".
func labelName(label string) string {
	if label == "" {
		return analysis.NoReason
	}
	return policy.DisplayName(label)
}

// tierName returns the display name of a difficulty.
func tierName(tier string) string {
	switch tier {
	case "":
		return "not known"
	case "extra_hard":
		return "extra hard"
	}
	return strings.ReplaceAll(tier, "_", " ")
}
