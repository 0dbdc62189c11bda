package driverbase

import (
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/badger-eval/badger/internal/errcode"
)

// Plan is how rows go into a table: which of its columns the rows have, which of these are the key,
// and what the rows read so far held. Slices have one element for each column of the rows.
type Plan struct {
	Names   []string // of the rows' columns
	Columns []string // of the table, as it writes them; empty before Match
	Places  []int    // of Columns in the table, from 0
	Keyed   []bool   // the column is one of the key
	Nulls   []bool   // the column held a NULL; who reads the rows sets it
	Rows    int64    // read so far; who reads the rows counts them

	// Covers reports whether the rows have all of the table's columns.
	Covers bool

	connector, table string
	keyed            bool
}

// NewPlan returns a plan for rows of a schema, with the parts that do not depend on the table. Errors begin with
// the names of the connector and the table. Their code is InvalidArgument for invalid columns and keys, and
// Unimplemented for types that no connector writes.
func NewPlan(connector, table string, rows *arrow.Schema, key []string) (*Plan, error) {
	p := &Plan{connector: connector, table: table, keyed: len(key) > 0}
	for _, f := range rows.Fields() {
		if slices.Contains(p.Names, f.Name) {
			return nil, p.Error(errcode.InvalidArgument, "the rows have column %q twice", f.Name)
		}
		if !writable(f.Type) {
			return nil, p.Error(errcode.Unimplemented, "column %q: values of Arrow type %v are not written", f.Name, f.Type)
		}
		p.Names = append(p.Names, f.Name)
		p.Keyed = append(p.Keyed, slices.Contains(key, f.Name))
	}
	for _, k := range key {
		if !slices.Contains(p.Names, k) {
			return nil, p.Error(errcode.InvalidArgument, "the rows lack the key column %q", k)
		}
	}
	p.Nulls = make([]bool, len(p.Names))
	return p, nil
}

// Match finds the rows' columns among the table's. A name means the column that is written just so,
// else the one that is written so in other cases of letters. It can be called again.
func (p *Plan) Match(table []string) error {
	p.Columns, p.Places = nil, nil
	for _, name := range p.Names {
		place := slices.Index(table, name)
		for i, column := range table {
			switch {
			case place >= 0 && table[place] == name || !strings.EqualFold(column, name):
			case place >= 0:
				return p.Error(errcode.InvalidArgument, "column %q may be the table's %q or %q", name, table[place], column)
			default:
				place = i
			}
		}
		if place < 0 {
			return p.Error(errcode.InvalidArgument, "the table has no column %q", name)
		}
		if other := slices.Index(p.Places, place); other >= 0 {
			return p.Error(errcode.InvalidArgument, "the rows' columns %q and %q are one column of the table, %q",
				p.Names[other], name, table[place])
		}
		p.Columns, p.Places = append(p.Columns, table[place]), append(p.Places, place)
	}
	p.Covers = len(p.Columns) == len(table)
	return nil
}

// HasKey reports whether rows replace those with the same key; without one they are added.
func (p *Plan) HasKey() bool { return p.keyed }

// KeyHeldNull reports whether a column of the key held a NULL.
func (p *Plan) KeyHeldNull() bool {
	for i, null := range p.Nulls {
		if null && p.Keyed[i] {
			return true
		}
	}
	return false
}

// Error returns an error about the write: "CONNECTOR: writing to TABLE: ...". A %w in the format becomes the cause.
func (p *Plan) Error(code errcode.Code, format string, args ...any) error {
	return errcode.New(code, strings.ReplaceAll(p.prefix(), "%", "%%")+format, args...)
}

// CellError is an error at a column of the row that is being read.
func (p *Plan) CellError(column int, err error) error {
	return p.Error(errcode.Of(err), "row %d, column %q: %w", p.Rows+1, p.Names[column], err)
}

// Failed adds the operation to an error of the connection. Errors without a code, which come from the source of the
// rows, and those of an ended context are returned unchanged.
func (p *Plan) Failed(err error) error {
	code := errcode.Of(err)
	switch code {
	case errcode.OK, errcode.Unknown, errcode.Cancelled, errcode.DeadlineExceeded:
		return err
	}
	text, prefix := err.Error(), p.prefix()
	if strings.HasPrefix(text, prefix) {
		return err
	}
	return &errcode.Error{Code: code, Msg: prefix + strings.TrimPrefix(text, p.connector+": "), Err: err}
}

func (p *Plan) prefix() string { return p.connector + ": writing to " + p.table + ": " }
