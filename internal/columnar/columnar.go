// Package columnar contains the columns that SQL passes to a function and receives from it. They have five types. A
// column is a slice of values and a slice of NULL flags. The protocols of package udf and the embedded engine
// (connectors/driver) build and read such columns, so that no value is converted to an interface.
//
// It is not scoring.Column, the read-only column of a query result that is scored, which can have all types of a
// warehouse.
package columnar

import (
	"slices"
	"strconv"
	"strings"
)

// Type is the SQL type of a function's parameter or result.
type Type uint8

// The types. JSON is held as text. In SQL it is the warehouse's own JSON type, if it has one.
const (
	VARCHAR Type = iota
	JSON
	DOUBLE
	BIGINT
	BOOLEAN
)

var typeNames = [...]string{"VARCHAR", "JSON", "DOUBLE", "BIGINT", "BOOLEAN"}

// String returns the type's name in SQL.
func (t Type) String() string { return typeNames[t] }

// MarshalText returns the type's name in SQL.
func (t Type) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// Column is a vector of values of the same type, one for each row of a batch. Only the slice of its type is used,
// and it is as long as Nulls.
type Column struct {
	Type   Type
	Texts  []string  // VARCHAR and JSON
	Floats []float64 // DOUBLE
	Ints   []int64   // BIGINT
	Bools  []bool    // BOOLEAN
	Nulls  []bool    // true: NULL
}

// New returns a column with the given number of rows, none of them NULL.
func New(t Type, rows int) *Column {
	c := &Column{Type: t}
	c.Resize(rows)
	return c
}

// Len returns the number of rows.
func (c *Column) Len() int { return len(c.Nulls) }

// IsNull reports whether row i is NULL.
func (c *Column) IsNull(i int) bool { return c.Nulls[i] }

// SetNull makes row i NULL.
func (c *Column) SetNull(i int) { c.Nulls[i] = true }

// SetText sets row i of a VARCHAR or JSON column.
func (c *Column) SetText(i int, v string) { c.Texts[i] = v }

// SetFloat sets row i of a DOUBLE column.
func (c *Column) SetFloat(i int, v float64) { c.Floats[i] = v }

// SetInt sets row i of a BIGINT column.
func (c *Column) SetInt(i int, v int64) { c.Ints[i] = v }

// SetBool sets row i of a BOOLEAN column.
func (c *Column) SetBool(i int, v bool) { c.Bools[i] = v }

// CountNulls returns the number of NULL rows.
func (c *Column) CountNulls() (n int) {
	for _, null := range c.Nulls {
		if null {
			n++
		}
	}
	return n
}

// Resize sets the number of rows, all with the type's zero value and not NULL. It reuses the column's memory if that is
// large enough.
func (c *Column) Resize(rows int) {
	c.Nulls = Zeroed(c.Nulls, rows)
	switch c.Type {
	case DOUBLE:
		c.Floats = Zeroed(c.Floats, rows)
	case BIGINT:
		c.Ints = Zeroed(c.Ints, rows)
	case BOOLEAN:
		c.Bools = Zeroed(c.Bools, rows)
	default:
		c.Texts = Zeroed(c.Texts, rows)
	}
}

// Zeroed returns a slice of n zero values, in the memory of s if that is large enough.
func Zeroed[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// Reset removes all rows and sets the type to t. It keeps the memory for rows that are appended.
func (c *Column) Reset(t Type) {
	*c = Column{Type: t, Texts: c.Texts[:0], Floats: c.Floats[:0], Ints: c.Ints[:0], Bools: c.Bools[:0],
		Nulls: c.Nulls[:0]}
}

// AppendText parses v as the column's type and appends it. If v is invalid, it appends NULL and returns the reason.
func (c *Column) AppendText(v string) (wrong string) {
	switch c.Type {
	case DOUBLE:
		f, err := strconv.ParseFloat(v, 64)
		if err != nil {
			c.AppendNull()
			return "expected a number within the range of a double"
		}
		c.Floats = append(c.Floats, f)
	case BIGINT:
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			c.AppendNull()
			return "expected an integer of 64 bits"
		}
		c.Ints = append(c.Ints, n)
	case BOOLEAN:
		b, err := strconv.ParseBool(v)
		if err != nil {
			c.AppendNull()
			return "expected true or false"
		}
		c.Bools = append(c.Bools, b)
	default:
		c.Texts = append(c.Texts, v)
	}
	c.Nulls = append(c.Nulls, false)
	return ""
}

// AppendNull appends a row that is NULL.
func (c *Column) AppendNull() {
	switch c.Type {
	case DOUBLE:
		c.Floats = append(c.Floats, 0)
	case BIGINT:
		c.Ints = append(c.Ints, 0)
	case BOOLEAN:
		c.Bools = append(c.Bools, false)
	default:
		c.Texts = append(c.Texts, "")
	}
	c.Nulls = append(c.Nulls, true)
}

// CopyRow sets row to to the value of row i of from, a column of the same type.
func (c *Column) CopyRow(to int, from *Column, i int) {
	c.Nulls[to] = from.Nulls[i]
	switch c.Type {
	case DOUBLE:
		c.Floats[to] = from.Floats[i]
	case BIGINT:
		c.Ints[to] = from.Ints[i]
	case BOOLEAN:
		c.Bools[to] = from.Bools[i]
	default:
		c.Texts[to] = from.Texts[i]
	}
}

// CopyFrom sets all rows to those of from, a column of the same type and length.
func (c *Column) CopyFrom(from *Column) {
	copy(c.Texts, from.Texts)
	copy(c.Floats, from.Floats)
	copy(c.Ints, from.Ints)
	copy(c.Bools, from.Bools)
	copy(c.Nulls, from.Nulls)
}

// Row returns row i as a column that shares the memory of c.
func (c *Column) Row(i int) Column {
	row := Column{Type: c.Type, Nulls: c.Nulls[i : i+1]}
	switch c.Type {
	case DOUBLE:
		row.Floats = c.Floats[i : i+1]
	case BIGINT:
		row.Ints = c.Ints[i : i+1]
	case BOOLEAN:
		row.Bools = c.Bools[i : i+1]
	default:
		row.Texts = c.Texts[i : i+1]
	}
	return row
}

// KeepTexts returns c with its strings copied, so that they stay valid when their memory is reused. The copies share
// one allocation. Other values are not copied.
func (c *Column) KeepTexts() Column {
	kept := *c
	var all strings.Builder
	total := 0
	for _, s := range c.Texts {
		total += len(s)
	}
	all.Grow(total)
	for _, s := range c.Texts {
		all.WriteString(s)
	}
	rest := all.String()
	kept.Texts = make([]string, len(c.Texts))
	for i, s := range c.Texts {
		kept.Texts[i], rest = rest[:len(s)], rest[len(s):]
	}
	return kept
}
