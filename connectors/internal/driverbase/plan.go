package driverbase

import (
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/badger-eval/badger/internal/errcode"
)

// Plan maps rows to a table: the table's columns that the rows have, those of the key, and counts of the rows read so
// far. Slices have one element for each column of the rows.
type Plan struct {
	Names   []string // names of the rows' columns
	Columns []string // names of these columns in the table; empty before Match
	Places  []int    // indexes of Columns among the table's columns
	Keyed   []bool   // whether the column is part of the key
	Nulls   []bool   // whether the column has held a NULL; set by the code that reads the rows
	Rows    int64    // number of rows read so far, counted by the code that reads the rows

	// Covers reports whether the rows have all of the table's columns.
	Covers bool

	connector, table string
	keyed            bool
}

// NewPlan returns a plan for rows with a schema, before it is matched to a table. Errors begin with the names of the
// connector and the table. Their code is InvalidArgument for duplicate columns or missing key columns, and
// Unimplemented for types that no connector writes.
func NewPlan(connector, table string, rows *arrow.Schema, key []string) (*Plan, error) {
	p := &Plan{connector: connector, table: table, keyed: len(key) > 0}
	for _, f := range rows.Fields() {
		if slices.Contains(p.Names, f.Name) {
			return nil, p.Error(errcode.InvalidArgument, "the rows have column %q twice", f.Name)
		}
		if !writable(f.Type) {
			return nil, p.Error(errcode.Unimplemented, "column %q: unsupported Arrow type %v", f.Name, f.Type)
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

// Match finds each of the rows' columns among the table's columns: the one with exactly the same name, or else the only
// one whose name differs only in case. It may be called again.
func (p *Plan) Match(table []string) error {
	p.Columns, p.Places = nil, nil
	for _, name := range p.Names {
		place := slices.Index(table, name)
		for i, column := range table {
			switch {
			case place >= 0 && table[place] == name || !strings.EqualFold(column, name):
			case place >= 0:
				return p.Error(errcode.InvalidArgument, "column %q is ambiguous: the table has %q and %q", name, table[place],
					column)
			default:
				place = i
			}
		}
		if place < 0 {
			return p.Error(errcode.InvalidArgument, "the table has no column %q", name)
		}
		if other := slices.Index(p.Places, place); other >= 0 {
			return p.Error(errcode.InvalidArgument, "the rows' columns %q and %q are the same column of the table, %q",
				p.Names[other], name, table[place])
		}
		p.Columns, p.Places = append(p.Columns, table[place]), append(p.Places, place)
	}
	p.Covers = len(p.Columns) == len(table)
	return nil
}

// HasKey reports whether the rows have a key, and replace rows with the same key; otherwise they are added.
func (p *Plan) HasKey() bool { return p.keyed }

// KeyHeldNull reports whether a key column has held a NULL in the rows read so far.
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

// CellError returns an error about a column of the row after the Rows rows read so far.
func (p *Plan) CellError(column int, err error) error {
	return p.Error(errcode.Of(err), "row %d, column %q: %w", p.Rows+1, p.Names[column], err)
}

// Failed adds the connector and the table to an error of the connection. It returns errors without a code, which come
// from the source of the rows, and those of an ended context unchanged.
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
