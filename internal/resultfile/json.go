package resultfile

import (
	"bytes"
	"io"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/scoring"
)

// readJSON reads an inline result, an array of rows, or rows one behind the other (JSON Lines). A
// row is an object, whose members are columns in the order they first appear and NULL where a row
// lacks them, or an array, whose columns have no names. The n-th member of one name belongs to the
// n-th column of that name.
func (r *reader) readJSON(in io.Reader) (*scoring.Table, error) {
	data, err := r.readAll(in)
	if err != nil {
		return nil, err
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if isInline(data) {
		inline := scoring.ParseResultTextWithin(data, r.limits.CheckBytes)
		if inline.Err != nil {
			return nil, inline.Err
		}
		return inline.Table, r.limits.CheckRows(int64(inline.Table.Rows()))
	}
	if isFrame(data) {
		return nil, errcode.New(errcode.InvalidArgument, `one object whose members are lists or objects, as a data frame in the orientation split, index, columns, list or table; expected {"columns":…,"rows":…} or a list of rows (orient="records")`)
	}
	rows := jsonRows{reader: r, index: map[string][]int{}}
	rows.scan.Reset(data)
	if err := rows.all(); err != nil {
		return nil, err
	}
	return rows.table()
}

// isInline tells whether the text is one object with columns and rows, or the beginning of one: its
// reader says where it is cut.
func isInline(data []byte) bool {
	o := look(data, "rows")
	return o.columns && o.rows && o.alone || (o.columns || o.rows) && o.cut
}

// isFrame tells whether the text is one object that holds a data frame by columns, by its index, or
// with its columns and data beside each other. Read as a row, it would be one of nested cells.
func isFrame(data []byte) bool {
	o := look(data, "data")
	return o.alone && (o.columns && o.rows || o.schema && o.rows || o.members > 0 && (o.lists == o.members || o.objects == o.members))
}

// outline is what a text that begins with an object looks like from above.
type outline struct {
	columns, rows bool // it has these members, which are lists
	schema        bool // it has this member, which is an object
	members       int  // how many it has …
	lists         int  // … which are lists
	objects       int  // … which are objects
	cut           bool // it ends, or is broken, before the object does
	alone         bool // nothing comes after the object
}

// look reads the outline of a text. The member that holds the rows is called rows.
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

// jsonRows collects rows.
type jsonRows struct {
	*reader
	scan    jsonscan.Scanner
	columns []jsonColumn
	index   map[string][]int // columns of each name
	rows    int
	arrays  bool // rows are arrays
	bytes   int64
	looked  int // the offset of the last look at what the columns take
}

type jsonColumn struct {
	*scoring.Builder
	name   string
	shared bool // other columns have the name too
}

func (j *jsonRows) all() error {
	if j.scan.Peek() == '[' && j.isArrayOfRows() {
		if err := j.scan.Array(); err != nil {
			return err
		}
		for first := true; ; first = false {
			more, err := j.scan.More(first)
			if err != nil {
				return j.inRow(err)
			}
			if !more {
				return j.scan.End()
			}
			if err := j.row(); err != nil {
				return err
			}
		}
	}
	for j.scan.Peek() != 0 {
		if err := j.row(); err != nil {
			return err
		}
	}
	if j.rows == 0 {
		return errcode.New(errcode.InvalidArgument, "empty: expected JSON")
	}
	return nil
}

// isArrayOfRows tells [[…],…], [{…},…] and [] from a line [1,2] of JSON Lines.
func (j *jsonRows) isArrayOfRows() bool {
	s := j.scan
	if s.Array() != nil {
		return false
	}
	switch s.Peek() {
	case '{', '[':
		return true
	case ']':
		_, err := s.More(true)
		return err == nil && s.End() == nil
	}
	return false
}

func (j *jsonRows) inRow(err error) error {
	return errcode.New(errcode.Of(err), "row %d: %w", j.rows+1, err)
}

func (j *jsonRows) row() error {
	if j.rows&0x3ff == 0 {
		if err := j.ctx.Err(); err != nil {
			return err
		}
	}
	var err error
	switch c := j.scan.Peek(); {
	case c == '{' && (j.rows == 0 || !j.arrays):
		err = j.object()
	case c == '[' && (j.rows == 0 || j.arrays):
		j.arrays = true
		err = j.array()
	case c == '{' || c == '[':
		err = errcode.New(errcode.InvalidArgument, "rows are arrays here and objects there")
	default:
		err = errcode.New(errcode.InvalidArgument, "expected a row: an object or an array")
	}
	if err != nil {
		return j.inRow(err)
	}
	j.rows++
	for _, b := range j.columns { // members the row lacks
		if b.Len() < j.rows {
			b.AppendNull()
		}
	}
	if err := j.limits.CheckRows(int64(j.rows)); err != nil {
		return err
	}
	j.bytes += 8 * int64(len(j.columns)) // even NULLs take room
	if at := j.scan.Offset(); at-j.looked > max(lookAfter, at/8) {
		j.looked = at
		t := scoring.Table{Columns: make([]scoring.Column, len(j.columns))}
		for i, b := range j.columns {
			t.Columns[i] = b.Column()
		}
		j.bytes = max(j.bytes, t.MemoryBytes()+columnBytes*int64(len(j.columns)))
	}
	return j.limits.CheckBytes(j.bytes)
}

// lookAfter is how many bytes of text are read at least between two looks at what the columns take.
const lookAfter = 16 << 10

// columnBytes is what a column takes without values.
const columnBytes = 512

func (j *jsonRows) object() error {
	if err := j.scan.Object(); err != nil {
		return err
	}
	place := 0 // where the column is if members keep the order of the first row
	for first := true; ; first = false {
		key, ok, err := j.scan.Key(first)
		if err != nil || !ok {
			return err
		}
		i := place
		if i >= len(j.columns) || j.columns[i].name != string(key) || j.columns[i].shared || j.columns[i].Len() > j.rows {
			if i = j.column(key); i < 0 {
				return errColumns
			}
		}
		place = i + 1
		if err := j.cell(i); err != nil {
			return errcode.New(errcode.Of(err), "column %d (%q): %w", i+1, j.columns[i].name, err)
		}
	}
}

var errColumns = errcode.New(errcode.ResourceExhausted, "more than %d columns, or than there is memory for", scoring.MaxColumns)

// column finds the first column of that name that has no value in this row yet, or adds one; -1 where
// there are too many.
func (j *jsonRows) column(key []byte) int {
	same := j.index[string(key)]
	for _, i := range same {
		if j.columns[i].Len() == j.rows {
			return i
		}
	}
	i, name := len(j.columns), string(key)
	if i == scoring.MaxColumns || i > 1000 && j.limits.Beside(columnBytes) != nil {
		return -1
	}
	j.index[name] = append(same, i)
	j.addColumn(name)
	for _, other := range j.index[name] {
		j.columns[other].shared = len(same) > 0
	}
	return i
}

func (j *jsonRows) addColumn(name string) {
	b := scoring.NewBuilder(name, scoring.Null, 0)
	b.AppendNulls(j.rows)
	j.columns = append(j.columns, jsonColumn{Builder: b, name: name})
}

// cell reads a value. Numbers keep every digit, text stays text, nested values are JSON.
func (j *jsonRows) cell(i int) error {
	b := j.columns[i].Builder
	switch j.scan.Peek() {
	case 'n':
		if err := j.scan.Null(); err != nil {
			return err
		}
		b.AppendNull()
		return nil
	case 't', 'f':
		v, err := j.scan.Bool()
		if err != nil {
			return err
		}
		b.Append(scoring.BoolValue(v))
		return nil
	case '"':
		text, err := j.scan.String()
		if err != nil {
			return err
		}
		return b.AppendText(scoring.String, text)
	case '[', '{':
		raw, err := j.scan.Skip()
		if err != nil {
			return err
		}
		return b.AppendText(scoring.JSON, raw)
	}
	text, isInt, err := j.scan.Number()
	if err != nil {
		return err
	}
	return b.AppendNumber(text, isInt)
}

func (j *jsonRows) array() error {
	if err := j.scan.Array(); err != nil {
		return err
	}
	for i := 0; ; i++ {
		more, err := j.scan.More(i == 0)
		if err != nil {
			return err
		}
		switch {
		case !more && j.rows > 0 && i < len(j.columns):
			return errcode.New(errcode.InvalidArgument, "%d values, expected one for each of the %d columns", i, len(j.columns))
		case !more:
			return nil
		case i >= len(j.columns) && j.rows > 0:
			return errcode.New(errcode.InvalidArgument, "more values than columns, expected one for each of the %d", len(j.columns))
		case i == scoring.MaxColumns:
			return errColumns
		case i >= len(j.columns):
			j.addColumn("")
		}
		if err := j.cell(i); err != nil {
			return errcode.New(errcode.Of(err), "column %d: %w", i+1, err)
		}
	}
}

func (j *jsonRows) table() (*scoring.Table, error) {
	if len(j.columns) == 0 {
		return scoring.EmptyTable(j.rows), nil
	}
	columns := make([]scoring.Column, len(j.columns))
	for i, b := range j.columns {
		columns[i] = b.Column()
	}
	return scoring.NewTable(columns...)
}
