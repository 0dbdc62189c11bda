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

// answerFlags select answers in a file or a warehouse.
type answerFlags struct {
	Agent      chosen     `placeholder:"NAME" help:"Only answers of this agent; an empty value means an agent without a name."`
	Version    chosen     `name:"agent-version" placeholder:"VERSION" help:"Only answers of this agent version."`
	Batch      chosen     `placeholder:"ID" help:"Only answers of this batch."`
	SetVersion setVersion `name:"set-version" placeholder:"VERSION" help:"Version of the golden set (default the highest version of each question)."`
}

// chosen is a flag that chooses among answers: "" if it is not given. One that is given and empty
// chooses the answers without such a name, and never all of them.
type chosen string

// UnmarshalText takes the value of a flag.
func (c *chosen) UnmarshalText(text []byte) error {
	*c = chosen(cmp.Or(string(text), scoring.Unnamed))
	return nil
}

// setVersion is a flag that names a version of the golden set. An empty value, as of a variable of a
// script that is not set, must not choose the highest.
type setVersion string

// UnmarshalText takes the value of a flag.
func (v *setVersion) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return errors.New("the value is empty; leave the flag out to take each question in the highest version that has it")
	}
	*v = setVersion(text)
	return nil
}

// answers is the pattern of the answers that are chosen.
func (f answerFlags) answers() scoring.AnswerID {
	return scoring.AnswerID{By: scoring.By{Agent: string(f.Agent), Version: string(f.Version), Batch: string(f.Batch)}}
}

// named are the names that are chosen, for a message: agent "nova", batch "b1".
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

// snapshots are the results that cases refer to.
type snapshots = cases.Snapshots

// openCases opens the cases of a place that match the flags.
func openCases(ctx context.Context, p process, from cases.Place, f answerFlags,
	open cases.Opener) (*cases.Opened, error) {
	return cases.Open(ctx, from, f.filter(), p.stderr, open)
}

// isWarehouse reports whether where is the URL of a warehouse and not the name of a file.
func isWarehouse(where string) bool {
	scheme, _, ok := strings.Cut(where, ":")
	return ok && (leftOut[scheme] != "" || slices.Contains(warehouses.Schemes(), scheme))
}
