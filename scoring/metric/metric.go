// Package metric contains the metrics, one file each, and lists them.
//
// A metric file registers one or more [scoring.Metric] values, data plus one function, in an init
// function. Adding a metric requires no other change of the program: [All] generates the engine's list, the
// SQL functions of every warehouse, the wire formats, the command line and the documentation. Its cases are in
// testdata/NAME.test; testdata/README.md describes them, CONTRIBUTING.md the steps.
//
// Metrics share these readings of a case, each computed once:
//
//   - script (sql_text.go): the parsed SQL of gold or of the agent; boundOf and trees (sql_trees.go): with names
//     bound, and as normalized trees;
//   - kindsOf and tallyRows (rows.go, rows_tally.go): which rows of two results are equal, under a reading of
//     values (identity.go);
//   - pairByName (row_f1.go): the agent's column for each gold column, by names alone;
//   - hybrid (hybrid_ex.go): the alignment of columns and rows by their values;
//   - relationsOf and relationInput (relation.go): why the results differ, and the order that gold asks for
//     ([relation.AskedOrder]).
//
// A metric that reads the gold query and its result reports if the result depends on more than the data; register
// adds this (of_data.go).
package metric

import (
	"cmp"
	"slices"

	"github.com/badger-eval/badger/scoring"
)

// Needs and reads that several metrics share.
const (
	bothResults = scoring.FieldGoldResult | scoring.FieldPredResult
	// inputs of comparisons of two queries, in addition to the queries
	circumstance = scoring.FieldEvidence | scoring.FieldSchema | bothResults | scoring.FieldExecution
)

var registered = map[string]scoring.Metric{}

// register adds a metric to the catalogue. It is called from init functions only, and panics if the name is a
// duplicate or a field is missing or invalid.
func register(m scoring.Metric) {
	if _, dup := registered[m.Name]; dup {
		panic("metric " + m.Name + ": duplicate name")
	}
	for _, f := range []struct {
		name  string
		valid bool
	}{
		{"Name", m.Name != ""}, {"Display", m.Display != ""}, {"Version", m.Version >= 1},
		{"Group", slices.Contains(groups, m.Group)},
		{"Branch", m.Branch != 0}, {"Summary", m.Summary != ""}, {"Range", m.Range != ""}, {"Formula", m.Formula != ""},
		{"Source", m.Source != ""}, {"Gaming", m.Gaming != ""}, {"Example", m.Example != ""},
		{"FailedQuery", m.FailedQuery.Declared()}, {"Score", m.Score != nil},
	} {
		if !f.valid {
			panic("metric " + m.Name + ": missing or invalid field " + f.name)
		}
	}
	m.Score = ofData(&m)
	registered[m.Name] = m
}

// DisplayName returns the name of a metric for pages and the terminal. It returns name for a metric that is not in
// the catalogue, such as a custom judge.
func DisplayName(name string) string {
	if m, ok := registered[name]; ok {
		return m.Display
	}
	return name
}

// GroupName returns the name of a group of metrics for pages, or group itself if it is unknown.
func GroupName(group string) string { return cmp.Or(groupNames[group], group) }

var groupNames = map[string]string{
	"verdict": "Verdict", "execution": "Results", "sql": "Query", "judge": "Judges", "agent": "Agent",
}

// groups lists the groups of metrics in their order in listings.
var groups = []string{"verdict", "execution", "sql", "judge", "agent"}

// All returns the metrics sorted by group, then by name. The caller may modify the slice.
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
