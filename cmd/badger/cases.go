package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/cases"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// answerFlags select answers, and the version of the golden set, in a file or a warehouse.
type answerFlags struct {
	Agent      chosen     `empty:"no name" placeholder:"NAME" help:"Only answers of this agent; an empty value means an agent without a name."`
	Version    chosen     `empty:"no version" name:"agent-version" placeholder:"VERSION" help:"Only answers of this agent version."`
	Batch      chosen     `empty:"no batch" placeholder:"ID" help:"Only answers of this batch."`
	SetVersion setVersion `name:"set-version" placeholder:"VERSION" help:"Version of the golden set (default the highest version of each question)."`
}

// chosen is a flag that selects answers by agent, version or batch. It is "" if the flag is absent. An empty value
// selects the answers without such a name, never all.
type chosen string

// UnmarshalText sets c to the value of a flag, or to scoring.Unnamed if the value is empty.
func (c *chosen) UnmarshalText(text []byte) error {
	*c = chosen(cmp.Or(string(text), scoring.Unnamed))
	return nil
}

// setVersion is a flag that names a version of the golden set. An empty value is an error, because an unset shell
// variable must not select the highest version.
type setVersion string

// UnmarshalText sets v to the value of a flag. An empty value is an error.
func (v *setVersion) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return errors.New("the value is empty; remove the flag to use the highest version of each question")
	}
	*v = setVersion(text)
	return nil
}

// answers returns the pattern that the selected answers match. An empty field matches every value.
func (f answerFlags) answers() scoring.AnswerID {
	return scoring.AnswerID{By: scoring.By{Agent: string(f.Agent), Version: string(f.Version), Batch: string(f.Batch)}}
}

// named returns the selected names for a message, each with its kind, such as agent "nova" and batch "b1". It leaves
// out flags that are absent or have an empty value.
func (f answerFlags) named() (out []string) {
	for _, x := range []struct {
		what  string
		value chosen
	}{{"agent", f.Agent}, {"version", f.Version}, {"batch", f.Batch}} {
		if name, ok := scoring.Named(string(x.value)); ok {
			out = append(out, fmt.Sprintf("%s %.60q", x.what, name))
		}
	}
	return out
}

func (f answerFlags) filter() store.Filter {
	of := f.answers()
	return store.Filter{By: of.By, SetVersion: string(f.SetVersion)}
}

// snapshots reads the results that cases refer to instead of containing them.
type snapshots = cases.Snapshots

// openCases opens the cases at from and selects the answers that match f. open opens a warehouse.
func openCases(ctx context.Context, p process, from cases.Place, f answerFlags,
	open cases.Opener) (*cases.Opened, error) {
	return cases.Open(ctx, from, f.filter(), p.stderr, open)
}

// isWarehouse reports whether where is the URL of a warehouse and not the name of a file.
func isWarehouse(where string) bool {
	scheme, _, ok := strings.Cut(where, ":")
	return ok && (leftOut[scheme] != "" || slices.Contains(warehouses.Schemes(), scheme))
}
