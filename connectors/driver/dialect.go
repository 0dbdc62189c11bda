package driver

import (
	"fmt"
	"strings"
)

// Type is a type of badger's own tables and of functions, which every warehouse has under some name.
type Type uint8

// The types.
const (
	Text Type = iota
	Int
	Float
	Bool
	Date
	Timestamp // an instant, to the microsecond at least
	JSON
	numTypes
)

// Dialect is how a warehouse writes what differs between them.
type Dialect struct {
	Name  string           // as cases and prompts name it: duckdb, snowflake, bigquery, databricks
	Quote byte             // around identifiers: '"' or '`'
	Types [numTypes]string // by Type
}

// Ident quotes an identifier.
func (d *Dialect) Ident(name string) string {
	q := string(d.Quote)
	return q + strings.ReplaceAll(name, q, q+q) + q
}

// Idents quotes identifiers, with commas between them.
func (d *Dialect) Idents(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = d.Ident(n)
	}
	return strings.Join(quoted, ", ")
}

// Table quotes the parts of a qualified name.
func (d *Dialect) Table(n Name) string {
	parts := make([]string, len(n))
	for i, p := range n {
		parts[i] = d.Ident(p)
	}
	return strings.Join(parts, ".")
}

// Merge renders the MERGE that writes the rows of source, a table or a query in parentheses, to target by key. Of rows of one key in
// source, the one with the largest value of the expression order counts.
func (d *Dialect) Merge(target Name, source string, columns, key []string, order string) string {
	isKey := make(map[string]bool, len(key))
	var on, set, values []string
	for _, k := range key {
		isKey[k] = true
		on = append(on, fmt.Sprintf("t.%[1]s = s.%[1]s", d.Ident(k)))
	}
	for _, c := range columns {
		values = append(values, "s."+d.Ident(c))
		if !isKey[c] {
			set = append(set, fmt.Sprintf("%[1]s = s.%[1]s", d.Ident(c)))
		}
	}
	update := ""
	if len(set) > 0 {
		update = " WHEN MATCHED THEN UPDATE SET " + strings.Join(set, ", ")
	}
	return fmt.Sprintf("MERGE INTO %s AS t USING (SELECT * FROM %s QUALIFY row_number() OVER (PARTITION BY %s ORDER BY %s DESC) = 1) AS s ON %s%s WHEN NOT MATCHED THEN INSERT (%s) VALUES (%s)",
		d.Table(target), source, d.Idents(key), order, strings.Join(on, " AND "), update, d.Idents(columns), strings.Join(values, ", "))
}
