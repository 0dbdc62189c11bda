package calibration

import (
	"fmt"
	"slices"

	"github.com/badger-eval/badger/scoring/policy"
)

// PolicyPart is the sources of labelled cases for one policy.
type PolicyPart struct {
	Policy policy.Policy
	From   []LabelSource
}

// MadePolicies is a table of policies derived from labelled cases, with its evidence.
type MadePolicies struct {
	Table   *policy.Table
	Counted []PolicyCounts // by policy with labelled cases
	Tried   []PolicyTrial  // by policy and source, each case by a table derived without its database
}

// MakePolicies derives the table of policies from labelled cases, which label reads, and measures it on databases
// that it was not derived from. A policy without cases keeps the rows of the built-in table; without any source the
// table is the built-in one. judge names the judge for the trials, or is "".
func MakePolicies(parts []PolicyPart, judge string,
	label func(policy.Policy, LabelSource) ([]policy.Labelled, error)) (*MadePolicies, error) {
	made := MadePolicies{Table: policy.Default()}
	if !slices.ContainsFunc(parts, func(p PolicyPart) bool { return len(p.From) > 0 }) {
		return &made, nil
	}
	sources := []string{"Made by badger policy from labelled cases, the hash of each file after its name"}
	var rows [][]policy.Row
	for _, part := range parts {
		var cases []policy.Labelled
		var of []string // where each is from
		for _, from := range part.From {
			labelled, err := label(part.Policy, from)
			if err != nil {
				return nil, err
			}
			for i := range labelled {
				labelled[i].Chosen = from.Option == "--chosen"
				of = append(of, from.Where)
			}
			line, err := from.Line(len(labelled))
			if err != nil {
				return nil, err
			}
			cases, sources = append(cases, labelled...), append(sources, line)
		}
		if len(cases) == 0 { // parts without new labels are kept
			rows = append(rows,
				slices.DeleteFunc(slices.Clone(made.Table.Rows()), func(r policy.Row) bool { return r.Policy != part.Policy }))
			sources = append(sources, fmt.Sprintf("%s: as before", part.Policy))
			continue
		}
		rows = append(rows, policy.Fit(part.Policy, cases))
		outcomes := policy.HeldOut(part.Policy, cases)
		made.Counted = append(made.Counted, countPolicy(part.Policy, part.From, cases, of))
		for _, from := range part.From {
			made.Tried = append(made.Tried, TryPolicy(part.Policy, from, Tried{cases, outcomes, of}, judge))
		}
	}
	made.Table = policy.Join(rows...)
	made.Table.Sources = sources
	return &made, nil
}
