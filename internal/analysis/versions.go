package analysis

import (
	"context"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/printable"
)

// Versions are the outcomes of each case in the latest batch of each version of each agent.
type Versions struct {
	Metric string
	Number int // of versions
	Cases  []caseOfVersions
}

// caseOfVersions are the outcomes of a case in the batches that have it, ordered by version.
type caseOfVersions struct {
	CaseID   string
	Outcomes []versionOutcome
}

// versionOutcome is the outcome of a case with a version.
type versionOutcome struct {
	System, Run string
	Standing    Standing
}

// NewVersions reads the scores of a metric for the latest of batches, which must be sorted by time, of each version.
// Cases are in natural order.
func NewVersions(ctx context.Context, src Source, set *Set, batches []Batch, metric string) (*Versions, error) {
	latest := map[string]Batch{}
	for _, b := range batches {
		latest[b.System()] = b
	}
	of := map[string][]versionOutcome{}
	for system, b := range latest {
		h, err := NewHistory(ctx, src, set, []Batch{b}, metric)
		if err != nil {
			return nil, err
		}
		for _, x := range h.Cases {
			if x.Standings[0] != StandAbsent {
				of[x.CaseID] = append(of[x.CaseID], versionOutcome{system, b.Run, x.Standings[0]})
			}
		}
	}
	v := &Versions{Metric: metric, Number: len(latest)}
	for id, outcomes := range of {
		slices.SortFunc(outcomes, func(a, b versionOutcome) int { return strings.Compare(a.System, b.System) })
		v.Cases = append(v.Cases, caseOfVersions{id, outcomes})
	}
	slices.SortFunc(v.Cases, func(a, b caseOfVersions) int { return printable.CompareNatural(a.CaseID, b.CaseID) })
	return v, nil
}

// Compares reports whether two versions or more have the case.
func (c *caseOfVersions) Compares() bool { return len(c.Outcomes) > 1 }

// Saturated reports whether the case passes with all versions that have it, of two or more: it distinguishes none.
func (c *caseOfVersions) Saturated() bool {
	return c.Compares() && !slices.ContainsFunc(c.Outcomes, func(o versionOutcome) bool { return !o.Standing.Right() })
}

// Saturation lists the cases that pass with all versions.
type Saturation struct {
	Metric   string   `json:"metric"`
	Versions int      `json:"versions"`
	Compared int      `json:"compared"` // cases that two versions or more have
	Cases    []string `json:"cases"`
}

// Saturation returns the saturated cases.
func (v *Versions) Saturation() *Saturation {
	s := &Saturation{Metric: v.Metric, Versions: v.Number, Cases: []string{}}
	for i := range v.Cases {
		if v.Cases[i].Compares() {
			s.Compared++
		}
		if v.Cases[i].Saturated() {
			s.Cases = append(s.Cases, v.Cases[i].CaseID)
		}
	}
	return s
}
