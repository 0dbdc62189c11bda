package relation

import "sync"

// Group is a category of relations, by the cause of the difference. Pages count wrong answers by these groups.
type Group string

// The groups of relations. An answer can be wrong for a relation of the first eight groups. Relations of the last two
// are between results that hold the same data.
const (
	GroupsAndJoins       Group = "Groups and joins"
	Filters              Group = "Filters"
	SortingAndCuttingOff Group = "Sorting and limits"
	Counting             Group = "Counting"
	DigitsLost           Group = "Digits lost"
	Columns              Group = "Columns"
	OtherValue           Group = "Other value"
	QueryDidNotRun       Group = "Query did not run"
	ShownOtherwise       Group = "Shown differently"
	SameData             Group = "Same data"
)

// Groups lists the groups in the order in which pages show them.
func Groups() []Group {
	return []Group{
		GroupsAndJoins, Filters, SortingAndCuttingOff, Counting, DigitsLost, Columns, OtherValue, QueryDidNotRun,
		ShownOtherwise, SameData,
	}
}

// QueryFailed is the label of an answer whose query failed, so that there is no result to compare.
const QueryFailed = "query_failed"

// catalogue returns all relations by name, and QueryFailed.
var catalogue = sync.OnceValue(func() map[string]Kind {
	all := map[string]Kind{
		QueryFailed: {Name: QueryFailed, Display: "Query did not run", Group: QueryDidNotRun, Class: Difference},
	}
	for _, k := range Kinds() {
		all[k.Name] = k
	}
	return all
})

// DisplayName returns the name of a relation for display, or name itself if no relation has it.
func DisplayName(name string) string {
	if k, ok := catalogue()[name]; ok {
		return k.Display
	}
	return name
}

// GroupOf returns the group of a relation, or OtherValue if no relation has the name.
func GroupOf(name string) Group {
	if k, ok := catalogue()[name]; ok {
		return k.Group
	}
	return OtherValue
}
