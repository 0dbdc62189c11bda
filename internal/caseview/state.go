package caseview

import (
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// State is the result of comparing one cell.
type State uint8

// The states. A cell of a matched row is in one of the first three, or, where its column has no
// counterpart, in one of the last two. All cells of a row without a partner are of its side.
const (
	Equal     State = iota // the same as it is stored
	Mapped                 // equal under the mapping
	Differs                // both sides have the cell, with other values
	OnlyGold               // the answer lacks the row or the column
	OnlyAgent              // gold lacks the row or the column
	numStates
)

// AllStates lists the states in order.
var AllStates = [...]State{Equal, Mapped, Differs, OnlyGold, OnlyAgent}

var stateNames = [...]string{"equal", "mapped", "differs", "only_gold", "only_agent"}

// String is the state's name in addresses and JSON.
func (s State) String() string { return stateNames[s] }

// MarshalText writes the state's name.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Sign is the state in one character.
func (s State) Sign() string { return [...]string{"=", "≈", "≠", "−", "+"}[s] }

// Words are the state for people.
func (s State) Words() string {
	return [...]string{"equal", "equal under the mapping", "differs", "only in gold", "only in the answer"}[s]
}

// States is a set of states. The empty set means the default: the rows with differences, of all columns that both
// sides have.
type States uint8

// Set makes a set of states.
func Set(states ...State) (set States) {
	for _, s := range states {
		set |= 1 << s
	}
	return set
}

// All is the set of all states: every row has a cell in it.
const All = States(1<<numStates - 1)

// Has reports whether a state is in the set.
func (s States) Has(state State) bool { return s&(1<<state) != 0 }

// String lists the names, with commas between them; "all" is all of them.
func (s States) String() string {
	if s == All {
		return "all"
	}
	var names []string
	for _, state := range AllStates {
		if s.Has(state) {
			names = append(names, state.String())
		}
	}
	return strings.Join(names, ",")
}

// ParseStates reads what [States.String] writes.
func ParseStates(text string) (set States, err error) {
	if text == "all" {
		return All, nil
	}
	for name := range strings.SplitSeq(text, ",") {
		if name == "" {
			continue
		}
		known := false
		for _, s := range AllStates {
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

// Arrangement is how cells are shown.
type Arrangement string

// The arrangements.
const (
	Merged Arrangement = "merged" // gold over the answer in one cell
	Beside Arrangement = "beside" // two tables that scroll together
	List   Arrangement = "list"   // one line for each cell that differs
)

// ParseArrangement reads the name of an arrangement; the empty name is merged.
func ParseArrangement(text string) (Arrangement, error) {
	switch a := Arrangement(text); a {
	case "":
		return Merged, nil
	case Merged, Beside, List:
		return a, nil
	}
	return "", errcode.New(errcode.InvalidArgument, "layout: %.40q, expected merged, beside or list", text)
}
