package udf

import (
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Type is the SQL type of a parameter or of a result.
type Type uint8

// The types. JSON is text in memory and the warehouse's own JSON type where it has one.
const (
	VARCHAR Type = iota
	JSON
	DOUBLE
	BIGINT
	BOOLEAN
)

var typeNames = [...]string{"VARCHAR", "JSON", "DOUBLE", "BIGINT", "BOOLEAN"}

// String is the type's name in SQL.
func (t Type) String() string { return typeNames[t] }

// MarshalText writes the name.
func (t Type) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// Column is a vector of values of one type, one for each row of a batch. Only the slice of its type
// is used. Texts may alias the request they came from; they stay valid for as long as anyone holds
// them.
type Column struct {
	Type   Type
	Texts  []string  // VARCHAR and JSON
	Floats []float64 // DOUBLE
	Ints   []int64   // BIGINT
	Bools  []bool    // BOOLEAN
	Nulls  []bool    // as long as the column; true: NULL

	scores []scoring.Score // of score_case, in a column of one row
}

// NewColumn makes a column of so many rows, none of them NULL.
func NewColumn(t Type, rows int) *Column {
	c := &Column{Type: t}
	c.resize(rows)
	return c
}

// Len is the number of rows.
func (c *Column) Len() int { return len(c.Nulls) }

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

// resize makes the column rows long, all of them the type's zero value and not NULL.
func (c *Column) resize(rows int) {
	c.Nulls = zeroed(c.Nulls, rows)
	switch c.Type {
	case DOUBLE:
		c.Floats = zeroed(c.Floats, rows)
	case BIGINT:
		c.Ints = zeroed(c.Ints, rows)
	case BOOLEAN:
		c.Bools = zeroed(c.Bools, rows)
	default:
		c.Texts = zeroed(c.Texts, rows)
	}
}

func zeroed[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// reset empties the column for values of type t that are appended, keeping its memory.
func (c *Column) reset(t Type) {
	*c = Column{Type: t, Texts: c.Texts[:0], Floats: c.Floats[:0], Ints: c.Ints[:0], Bools: c.Bools[:0], Nulls: c.Nulls[:0]}
}

// appendText appends a value that a caller wrote as text, reading it as the column's type.
// What is wrong with it, if anything, is returned; the row is then NULL.
func (c *Column) appendText(v string) (wrong string) {
	switch c.Type {
	case DOUBLE:
		f, err := strconv.ParseFloat(v, 64)
		if err != nil {
			c.appendNull()
			return "expected a number within the range of a double"
		}
		c.Floats = append(c.Floats, f)
	case BIGINT:
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			c.appendNull()
			return "expected an integer of 64 bits"
		}
		c.Ints = append(c.Ints, n)
	case BOOLEAN:
		b, err := strconv.ParseBool(v)
		if err != nil {
			c.appendNull()
			return "expected true or false"
		}
		c.Bools = append(c.Bools, b)
	default:
		c.Texts = append(c.Texts, v)
	}
	c.Nulls = append(c.Nulls, false)
	return ""
}

func (c *Column) appendNull() {
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

// countNulls is how many rows are NULL.
func (c *Column) countNulls() (n int) {
	for _, null := range c.Nulls {
		if null {
			n++
		}
	}
	return n
}

// Batch is the rows of one call: the arguments of a function, column by column.
type Batch struct {
	Rows int
	Args []Column // the first ones of the function's parameters; optional ones may be left out

	// Explain asks for Problems, the reasons why rows have no value.
	Explain  bool
	Problems []Problem

	mu  sync.Mutex
	bad []error // by row: why its arguments cannot be read; nil: all can
}

// Problem says why one row has no value.
type Problem struct {
	Row    int // from 0
	Status scoring.Status
	Code   errcode.Code // of a failed row
	Reason string
}

// NewBatch makes a batch for the first arity parameters of fn, its columns ready to be set.
func NewBatch(fn *Function, arity, rows int) *Batch {
	b := &Batch{Rows: rows, Args: make([]Column, arity)}
	for k := range b.Args {
		b.Args[k].Type = fn.Params[k].Type
		b.Args[k].resize(rows)
	}
	return b
}

// IsNull tells whether argument k of row i is NULL or was not given.
func (b *Batch) IsNull(k, i int) bool { return k < 0 || k >= len(b.Args) || b.Args[k].Nulls[i] }

// Text is argument k of row i, or "" where it is NULL or was not given.
func (b *Batch) Text(k, i int) string {
	if b.IsNull(k, i) {
		return ""
	}
	return b.Args[k].Texts[i]
}

// Bool is argument k of row i; ok is false where it is NULL or was not given.
func (b *Batch) Bool(k, i int) (v, ok bool) {
	if b.IsNull(k, i) {
		return false, false
	}
	return b.Args[k].Bools[i], true
}

// Float is argument k of row i; ok is false where it is NULL or was not given.
func (b *Batch) Float(k, i int) (v float64, ok bool) {
	if b.IsNull(k, i) {
		return math.NaN(), false
	}
	return b.Args[k].Floats[i], true
}

// spoil marks row i as one whose arguments cannot be read.
func (b *Batch) spoil(i int, err error) {
	for len(b.bad) <= i {
		b.bad = append(b.bad, nil)
	}
	if b.bad[i] == nil {
		b.bad[i] = err
	}
}

// badArgument says what is wrong with argument k of fn, without its value.
func badArgument(fn *Function, k int, wrong string) error {
	return errcode.New(errcode.InvalidArgument, "argument %d (%s): %s", k+1, fn.Params[k].Name, wrong)
}

// explain records why a row has no value, if anyone wants to know.
func (b *Batch) explain(p Problem) {
	if !b.Explain {
		return
	}
	b.mu.Lock()
	b.Problems = append(b.Problems, p)
	b.mu.Unlock()
}

// reset empties the batch for the first arity arguments of fn.
func (b *Batch) reset(fn *Function, arity int) {
	b.Rows, b.Explain, b.Problems, b.bad = 0, false, nil, nil
	b.Args = slices.Grow(b.Args[:0], arity)[:arity]
	for k := range b.Args {
		b.Args[k].reset(fn.Params[k].Type)
	}
}
