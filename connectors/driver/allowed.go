package driver

import (
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// Allowed lists patterns of the tables that references may name: NAME, SCHEMA.NAME, SCHEMA.* and CATALOG.SCHEMA.*. A
// pattern allows references with as many parts as it has. A quoted part matches only the same quoted name, a plain part
// a plain name in any case.
type Allowed [][]Name

// anyName is the last part of a pattern that allows every plain name.
const anyName = "*"

// ParseAllowed parses patterns. The error names the first malformed one.
func ParseAllowed(patterns []string) (all Allowed, err error) {
	for _, p := range patterns {
		whole := strings.HasSuffix(p, anyName)
		text := p
		if whole { // only the last part may be *
			text = strings.TrimSuffix(p, anyName) + "x"
		}
		names, err := Ref{Kind: RefTable, Name: text}.Names()
		if err != nil {
			return nil, errcode.New(errcode.InvalidArgument,
				"%.60q: expected NAME, SCHEMA.NAME, SCHEMA.* or CATALOG.SCHEMA.*", p)
		}
		if whole {
			if names[len(names)-1] != (Name{Text: "x"}) {
				return nil, errcode.New(errcode.InvalidArgument, "%.60q: * stands for a whole name", p)
			}
			names[len(names)-1].Text = anyName
		}
		all = append(all, names)
	}
	return all, nil
}

// Allows reports whether a pattern allows the table of a reference; false for references of other kinds.
func (a Allowed) Allows(r Ref) bool {
	names, err := r.Names()
	if err != nil {
		return false
	}
	for _, pattern := range a {
		if len(pattern) == len(names) && allows(pattern, names) {
			return true
		}
	}
	return false
}

func allows(pattern, names []Name) bool {
	for i, p := range pattern {
		n := names[i]
		switch {
		case p == Name{Text: anyName}:
		case p.Quoted != n.Quoted, p.Quoted && p.Text != n.Text, !strings.EqualFold(p.Text, n.Text):
			return false
		}
	}
	return true
}
