package agreement

import (
	"maps"
	"slices"
)

// Vote is a verdict, or Missing, such as if an annotator did not vote or a metric has no score. Missing is the zero
// value.
type Vote int8

// The votes.
const (
	Missing Vote = iota
	Fail
	Pass
)

// VoteOf returns the vote for a verdict, and Missing for nil.
func VoteOf(passed *bool) Vote {
	switch {
	case passed == nil:
		return Missing
	case *passed:
		return Pass
	}
	return Fail
}

// Majority returns the verdict of more than half of the votes. Missing votes are ignored. The result is missing if
// there are no votes or a tie.
func Majority(votes []Vote) Vote {
	balance := 0
	for _, v := range votes {
		switch v {
		case Pass:
			balance++
		case Fail:
			balance--
		case Missing:
		}
	}
	switch {
	case balance > 0:
		return Pass
	case balance < 0:
		return Fail
	}
	return Missing
}

// Tally returns the counts of cases by their labels and verdicts. Cases in which one is missing are omitted.
func Tally(labels, verdicts []Vote) Confusion {
	var c Confusion
	for i, label := range labels {
		if label != Missing && verdicts[i] != Missing {
			c.Add(label == Pass, verdicts[i] == Pass)
		}
	}
	return c
}

// Part is the agreement on a group of the cases.
type Part struct {
	Name string
	Confusion
}

// TallyBy returns the [Tally] of each group of cases, such as a complexity tier or a data set, sorted by name.
// groups[i] is the name of the group of case i.
func TallyBy(labels, verdicts []Vote, groups []string) []Part {
	counts := map[string]*Confusion{}
	for i, g := range groups {
		if counts[g] == nil {
			counts[g] = &Confusion{}
		}
		if labels[i] != Missing && verdicts[i] != Missing {
			counts[g].Add(labels[i] == Pass, verdicts[i] == Pass)
		}
	}
	parts := make([]Part, 0, len(counts))
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, Part{name, *counts[name]})
	}
	return parts
}
