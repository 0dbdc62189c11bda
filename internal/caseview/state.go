package caseview

import (
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// State is the result of comparing one cell.
type State uint8

// The states. A cell of a matched row has one of the first three, or one of the last two if its column is not mapped.
// All cells of an unmatched row have the state of its side.
const (
	Equal     State = iota // equal as stored
	Mapped                 // equal under the mapping
	Differs                // both sides have the cell, with different values
	OnlyGold               // the answer lacks the row or the column
	OnlyAgent              // gold lacks the row or the column
	numStates
)

// allStates are all states, in order.
var allStates = [...]State{Equal, Mapped, Differs, OnlyGold, OnlyAgent}

var stateNames = [...]string{"equal", "mapped", "differs", "only_gold", "only_agent"}

// String returns the state's name in addresses and JSON.
func (s State) String() string { return stateNames[s] }

// MarshalText returns the state's name.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Sign returns a one-character symbol of the state.
func (s State) Sign() string { return [...]string{"=", "≈", "≠", "−", "+"}[s] }

// Words returns the state's display name.
func (s State) Words() string {
	return [...]string{"equal", "equal under the mapping", "differs", "only in gold", "only in the answer"}[s]
}

// States is a set of states that selects rows. The empty set selects rows with a cell that differs, and unmatched rows.
type States uint8

// Set returns a set of states.
func Set(states ...State) (set States) {
	for _, s := range states {
		set |= 1 << s
	}
	return set
}

// All is the set of all states, which selects every row.
const All = States(1<<numStates - 1)

// Has reports whether a state is in the set.
func (s States) Has(state State) bool { return s&(1<<state) != 0 }

// String returns the names, separated by commas, or "all" for all states.
func (s States) String() string {
	if s == All {
		return "all"
	}
	var names []string
	for _, state := range allStates {
		if s.Has(state) {
			names = append(names, state.String())
		}
	}
	return strings.Join(names, ",")
}

// ParseStates parses the result of [States.String].
func ParseStates(text string) (set States, err error) {
	if text == "all" {
		return All, nil
	}
	for name := range strings.SplitSeq(text, ",") {
		if name == "" {
			continue
		}
		known := false
		for _, s := range allStates {
			if s.String() == name {
				set |= 1 << s
				known = true
			}
		}
		if !known {
			return 0, errcode.New(errcode.InvalidArgument, "show: unknown cell state %.40q; expected all or some of %s", name,
				strings.Join(stateNames[:], ", "))
		}
	}
	return set, nil
}

// Arrangement is the layout of cells.
type Arrangement string

// The layouts of cells.
const (
	Merged Arrangement = "merged" // gold over the answer in one cell
	Beside Arrangement = "beside" // two tables that scroll together
	List   Arrangement = "list"   // one line for each cell that differs
)

// ParseArrangement parses the name of an arrangement; "" is Merged.
func ParseArrangement(text string) (Arrangement, error) {
	switch a := Arrangement(text); a {
	case "":
		return Merged, nil
	case Merged, Beside, List:
		return a, nil
	}
	return "", errcode.New(errcode.InvalidArgument, "layout: %.40q, expected merged, beside or list", text)
}
