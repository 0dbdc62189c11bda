package driverbase

import (
	"fmt"
	"slices"
	"strings"
)

// Spelling is how a warehouse writes what merging takes.
type Spelling struct {
	Quote func(name string) string
	// Same is a condition that holds where a and b are the same value or both NULL; nil is
	// IS NOT DISTINCT FROM.
	Same func(a, b string) string
	// Named reports that staged columns have the names of the table's, and are not called c0, c1, ….
	Named bool
	// Assigned is before a column in an assignment.
	Assigned string
	// Among holds of all rows of the table, called t, that may have the key of a staged one; "" is nothing.
	Among string
}

// Targets are the table's columns.
func (p *Plan) Targets(s Spelling) []string {
	out := make([]string, len(p.Columns))
	for i, name := range p.Columns {
		out[i] = s.Quote(name)
	}
	return out
}

// Staged returns the staged columns, after a prefix such as "s.".
func (p *Plan) Staged(s Spelling, prefix string) []string {
	out := make([]string, len(p.Columns))
	for i, name := range p.Columns {
		if out[i] = fmt.Sprintf("%sc%d", prefix, i); s.Named {
			out[i] = prefix + s.Quote(name)
		}
	}
	return out
}

// OfKey keeps the columns of the key.
func (p *Plan) OfKey(columns []string) []string {
	var out []string
	for i, c := range columns {
		if p.Keyed[i] {
			out = append(out, c)
		}
	}
	return out
}

// On is the condition that a row of the table, called t, has the key of a staged one, called s.
// NULL is a value; it joins worse, so only where it occurs.
func (p *Plan) On(s Spelling, t, staged string) string {
	a, b := p.Targets(s), p.Staged(s, staged+".")
	var out []string
	for i, keyed := range p.Keyed {
		switch {
		case !keyed:
		case !p.Nulls[i]:
			out = append(out, t+"."+a[i]+" = "+b[i])
		case s.Same == nil:
			out = append(out, t+"."+a[i]+" IS NOT DISTINCT FROM "+b[i])
		default:
			out = append(out, s.Same(t+"."+a[i], b[i]))
		}
	}
	return strings.Join(out, " AND ")
}

// Set assigns values to the columns that are not the key's; it is empty if there are none.
func (p *Plan) Set(s Spelling, values []string) string {
	var out []string
	for i, name := range p.Targets(s) {
		if !p.Keyed[i] {
			out = append(out, s.Assigned+name+" = "+values[i])
		}
	}
	return List(out)
}

// Insert is the statement that adds the rows of a source, a table or a query in brackets.
func (p *Plan) Insert(s Spelling, table, source string) string {
	return fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s AS s", table, List(p.Targets(s)), List(p.Staged(s, "s.")),
		source)
}

// Merge is the statement that puts the rows of a source in the place of those of their key. The
// source, a table or a query in brackets, has one row of each key.
func (p *Plan) Merge(s Spelling, table, source string) string {
	update, values := "", p.Staged(s, "s.")
	if slices.Contains(p.Keyed, false) {
		update = " WHEN MATCHED THEN UPDATE SET " + p.Set(s, values)
	}
	on := p.On(s, "t", "s")
	if s.Among != "" {
		on += " AND " + s.Among
	}
	return fmt.Sprintf("MERGE INTO %s AS t USING %s AS s ON %s%s WHEN NOT MATCHED THEN INSERT (%s) VALUES (%s)",
		table, source, on, update, List(p.Targets(s)), List(values))
}

// List joins parts of a statement by commas.
func List(parts []string) string { return strings.Join(parts, ", ") }
