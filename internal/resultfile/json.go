package resultfile

import (
	"bytes"
	"io"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/scoring"
)

// readJSON reads an inline result (an object with columns and rows), or rows as in [scoring.ParseRecords].
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

// isInline reports whether data is one object with the lists columns and rows, or the truncated beginning of an object
// with one of them. The parser of inline results then reports where it is truncated.
func isInline(data []byte) bool {
	o := look(data, "rows")
	return o.columns && o.rows && o.alone || (o.columns || o.rows) && o.cut
}

// isFrame reports whether data is one object that holds a data frame by columns, by index, or with its columns and data
// as separate members. Read as rows, it would be a single row of nested cells.
func isFrame(data []byte) bool {
	o := look(data, "data")
	return o.alone &&
		(o.columns && o.rows || o.schema && o.rows || o.members > 0 && (o.lists == o.members || o.objects == o.members))
}

// outline describes the members of a JSON object at the beginning of the input.
type outline struct {
	columns, rows bool // members of these names exist and are lists
	schema        bool // a member of this name exists and is an object
	members       int  // number of members
	lists         int  // number of members that are lists
	objects       int  // number of members that are objects
	cut           bool // the text ends or is malformed before the object ends
	alone         bool // nothing follows the object
}

// look returns the outline of data. rows is the name of the member that holds the rows.
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
