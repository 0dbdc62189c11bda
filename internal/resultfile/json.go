package resultfile

import (
	"bytes"
	"io"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/scoring"
)

// readJSON reads an inline result, or rows as [scoring.ParseRecords] reads them.
func (r *reader) readJSON(in io.Reader) (*scoring.Table, error) {
	data, err := r.readAll(in)
	if err != nil {
		return nil, err
	}
	data = jsonscan.QuoteNonFinite(bytes.TrimPrefix(data, []byte("\ufeff")))
	if isInline(data) {
		inline := scoring.ParseResultTextWithin(data, r.limits.CheckBytes)
		if inline.Err != nil {
			return nil, inline.Err
		}
		return inline.Table, r.limits.CheckRows(int64(inline.Table.Rows()))
	}
	if err := checkObject(data); err != nil {
		return nil, err
	}
	if isFrame(data) {
		return nil, errcode.New(errcode.InvalidArgument, `one object whose members are lists or objects, as a data frame in the orientation split, index, columns, list or table; expected {"columns":…,"rows":…} or a list of rows (orient="records")`)
	}
	return scoring.ParseRecords(data, func(rows int, bytes int64) error {
		if rows&0x3ff == 0 {
			if err := r.ctx.Err(); err != nil {
				return err
			}
		}
		if err := r.limits.CheckRows(int64(rows)); err != nil {
			return err
		}
		return r.limits.CheckBytes(bytes)
	})
}

// isInline reports whether the text is one object with columns and rows, or the beginning of one: its
// reader says where it is cut.
func isInline(data []byte) bool {
	o := look(data, "rows")
	return o.columns && o.rows && o.alone || (o.columns || o.rows) && o.cut
}

// isFrame reports whether the text is one object that holds a data frame by columns, by its index, or
// with its columns and data next to each other. Read as a row, it would be one of nested cells.
func isFrame(data []byte) bool {
	o := look(data, "data")
	return o.alone &&
		(o.columns && o.rows || o.schema && o.rows || o.members > 0 && (o.lists == o.members || o.objects == o.members))
}

// outline is the structure of a JSON text that begins with an object.
type outline struct {
	columns, rows bool // it has these members, which are lists
	schema        bool // it has this member, which is an object
	members       int  // how many it has …
	lists         int  // … which are lists
	objects       int  // … which are objects
	cut           bool // it ends, or is broken, before the object does
	alone         bool // nothing comes after the object
}

// look reads the outline of data. rows is the name of the member that holds the rows.
func look(data []byte, rows string) (o outline) {
	var s jsonscan.Scanner
	s.Reset(data)
	if s.Peek() != '{' || s.Object() != nil {
		return o
	}
	for first := true; ; first = false {
		key, ok, err := s.Key(first)
		if err == nil && !ok {
			o.alone = s.End() == nil
			return o
		}
		if err == nil {
			o.members++
			switch s.Peek() {
			case '[':
				o.lists++
			case '{':
				o.objects++
			}
			switch string(key) {
			case "schema":
				o.schema = s.Peek() == '{'
			case "columns":
				o.columns = s.Peek() == '['
			case rows:
				o.rows = s.Peek() == '['
			}
			_, err = s.Skip()
		}
		if err != nil {
			o.cut = true
			return o
		}
	}
}
