package driver

import (
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// Allowed are the tables that references may name: patterns NAME, SCHEMA.NAME, SCHEMA.* and
// CATALOG.SCHEMA.*, with as many parts as the references that they allow. A part in double quotes is
// exact and allows a quoted one; a plain part allows a plain one, in whatever case.
type Allowed [][]Name

// any is the part of a pattern that allows every name, without quotes.
const anyName = "*"

// ParseAllowed reads patterns.
func ParseAllowed(patterns []string) (all Allowed, err error) {
	for _, p := range patterns {
		whole := strings.HasSuffix(p, anyName)
		text := p
		if whole { // only the last part
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

// Allows reports whether one of the patterns allows a table.
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
