// Package metric holds the metrics, one file each, and lists them.
//
// A metric file registers one or more [scoring.Metric] values, data plus one function, in an init
// function. Adding a metric requires no other change: [All] generates the engine's list, the SQL
// functions of every warehouse, the wire formats, the command line and the documentation.
package metric

import (
	"cmp"
	"slices"

	"github.com/badger-eval/badger/scoring"
)

// Needs and reads that several metrics share.
const (
	bothResults = scoring.FieldGoldResult | scoring.FieldPredResult
	// of two queries: what else is known
	circumstance = scoring.FieldEvidence | scoring.FieldSchema | bothResults | scoring.FieldExecution
)

var registered = map[string]scoring.Metric{}

// register adds a metric. It is called from init functions only; a name that is taken or malformed
// stops the program at its start.
func register(m scoring.Metric) {
	if _, dup := registered[m.Name]; dup {
		panic("metric " + m.Name + " is registered twice")
	}
	if m.Name == "" || m.Display == "" || m.Version < 1 || m.Score == nil || m.Summary == "" || m.Range == "" ||
		m.Formula == "" ||
		m.Source == "" {
		panic("metric " + m.Name + " lacks a name, display name, version, function or documentation")
	}
	if m.Branch == 0 || !m.FailedQuery.Declared() {
		panic("metric " + m.Name + " does not say to which branch it belongs, or what a failed query makes of it")
	}
	m.Score = ofData(&m)
	registered[m.Name] = m
}

// DisplayName returns the name of a metric that people read on pages and in the terminal. It returns name for a metric
// that is not in the catalogue, such as a custom judge.
func DisplayName(name string) string {
	if m, ok := registered[name]; ok {
		return m.Display
	}
	return name
}

// GroupName returns the name of a group of metrics that people read.
func GroupName(group string) string { return cmp.Or(groupNames[group], group) }

var groupNames = map[string]string{
	"verdict": "Verdict", "execution": "Results", "sql": "Query", "judge": "Judges", "agent": "Agent",
}

// groups is the order of families in listings.
var groups = []string{"verdict", "execution", "sql", "judge", "agent"}

// All lists the metrics by group, then name. The slice is the caller's.
func All() []scoring.Metric {
	all := make([]scoring.Metric, 0, len(registered))
	for _, m := range registered {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b scoring.Metric) int {
		return cmp.Or(
			cmp.Compare(slices.Index(groups, a.Group), slices.Index(groups, b.Group)),
			cmp.Compare(a.Name, b.Name),
		)
	})
	return all
}
