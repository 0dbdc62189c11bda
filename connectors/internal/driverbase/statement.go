package driverbase

import (
	"fmt"
	"slices"
	"strings"
)

// Spelling holds the dialect-specific parts of the statements of a merge.
type Spelling struct {
	Quote func(name string) string
	// Same returns a condition that is true if a and b are equal or both NULL. If nil, IS NOT DISTINCT FROM is used.
	Same func(a, b string) string
	// Named reports that staged columns are named as the table's; otherwise they are c0, c1, ….
	Named bool
	// Assigned is the prefix of a column that is assigned to, such as "t."
	Assigned string
	// Among is a condition that is true for every row of the table, called t, with the key of a staged row; "" is none.
	Among string
}

// Targets returns the quoted names of the table's columns.
func (p *Plan) Targets(s Spelling) []string {
	out := make([]string, len(p.Columns))
	for i, name := range p.Columns {
		out[i] = s.Quote(name)
	}
	return out
}

// Staged returns the names of the staged columns, each with a prefix such as "s.".
func (p *Plan) Staged(s Spelling, prefix string) []string {
	out := make([]string, len(p.Columns))
	for i, name := range p.Columns {
		if out[i] = fmt.Sprintf("%sc%d", prefix, i); s.Named {
			out[i] = prefix + s.Quote(name)
		}
	}
	return out
}

// OfKey returns those of the columns that are part of the key.
func (p *Plan) OfKey(columns []string) []string {
	var out []string
	for i, c := range columns {
		if p.Keyed[i] {
			out = append(out, c)
		}
	}
	return out
}

// On returns the condition that the row t of the table has the key of the staged row. NULLs are equal; a key column
// that has held no NULL is compared by =, which joins faster.
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

// Set returns the assignments of values to the columns that are not part of the key; "" if there are none.
func (p *Plan) Set(s Spelling, values []string) string {
	var out []string
	for i, name := range p.Targets(s) {
		if !p.Keyed[i] {
			out = append(out, s.Assigned+name+" = "+values[i])
		}
	}
	return List(out)
}

// Insert returns the statement that adds the rows of source, a table or a parenthesized query.
func (p *Plan) Insert(s Spelling, table, source string) string {
	return fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s AS s", table, List(p.Targets(s)), List(p.Staged(s, "s.")),
		source)
}

// Merge returns the statement that replaces the rows with the keys of source's rows, and adds the others. source, a
// table or a parenthesized query, has one row for each key.
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

// List joins parts of a statement with commas.
func List(parts []string) string { return strings.Join(parts, ", ") }
