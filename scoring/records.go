package scoring

import (
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
)

// ParseRecords parses an array of rows, or consecutive rows (JSON Lines). A row is an object or an array. The members
// of objects are columns, in the order in which they first occur; they are NULL in rows without the member. The
// columns of arrays have no names. If an object repeats a name, its n-th member with that name belongs to the n-th
// column with that name. check is called with the number of rows so far and their approximate size in bytes, and its
// error ends the parsing. It may be nil.
func ParseRecords(data []byte, check func(rows int, bytes int64) error) (_ *Table, err error) {
	defer noRoom("", &err)
	j := records{check: check, index: map[string]*namesakes{}}
	j.scan.Reset(jsonscan.QuoteNonFinite(data))
	if err := j.all(); err != nil {
		return nil, err
	}
	return j.table()
}

// records collects rows that are objects or arrays.
type records struct {
	check   func(rows int, bytes int64) error // called with the size of the table so far; may be nil
	scan    jsonscan.Scanner
	columns []recordColumn
	index   map[string]*namesakes // columns of each name
	rows    int
	arrays  bool // rows are arrays
	bytes   int64
	looked  int // offset at which the memory of the columns was last measured
}

type recordColumn struct {
	*Builder
	name   string
	shared bool // other columns have the name too
}

func (j *records) all() error {
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

// isArrayOfRows reports whether the text begins [[ or [{, or is []. Otherwise an array is one row, such as the line
// [1,2] of JSON Lines.
func (j *records) isArrayOfRows() bool {
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

func (j *records) inRow(err error) error {
	return errcode.New(errcode.Of(err), "row %d: %w", j.rows+1, err)
}

func (j *records) row() error {
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
	j.bytes += 8 * int64(len(j.columns)) // even NULLs take room
	if j.check == nil {
		return nil
	}
	if at := j.scan.Offset(); at-j.looked > max(growStep, at/growPart) {
		j.looked = at
		j.bytes = max(j.bytes, j.size())
	}
	return j.check(j.rows, j.bytes)
}

// size returns the size of all columns so far.
func (j *records) size() int64 {
	n := columnBytes * int64(len(j.columns))
	for i := range j.columns {
		n += (*Column)(j.columns[i].Builder).memoryBytes()
	}
	return n
}

func (j *records) object() error {
	if err := j.scan.Object(); err != nil {
		return err
	}
	place := 0 // where the column is if members keep the order of the first row
	for first := true; ; first = false {
		key, ok, err := j.scan.Key(first)
		if err == nil && ok {
			err = j.scan.Lone()
		}
		if err != nil || !ok {
			return err
		}
		i := place
		if i >= len(j.columns) || j.columns[i].name != string(key) || j.columns[i].shared || j.columns[i].Len() > j.rows {
			if i, err = j.column(key); err != nil {
				return err
			}
		}
		place = i + 1
		if err := j.cell(i); err != nil {
			return errcode.New(errcode.Of(err), "column %d (%q): %w", i+1, j.columns[i].name, err)
		}
	}
}

// column returns the index of the first column named key that has no value in this row yet, and adds a column if
// there is none.
func (j *records) column(key []byte) (int, error) {
	same := j.index[string(key)]
	if same == nil {
		same = &namesakes{}
		j.index[string(key)] = same
	}
	if same.row != j.rows {
		same.row, same.next = j.rows, 0
	}
	for ; same.next < len(same.columns); same.next++ {
		if i := same.columns[same.next]; j.columns[i].Len() == j.rows {
			return i, nil
		}
	}
	i := len(j.columns)
	if err := j.addColumn(string(key)); err != nil {
		return 0, err
	}
	if same.columns = append(same.columns, i); len(same.columns) > 1 {
		j.columns[i].shared, j.columns[same.columns[0]].shared = true, true
	}
	return i, nil
}

// namesakes are the indexes of the columns with one name. In the row with the number row, the first next of them have
// a value.
type namesakes struct {
	columns   []int
	row, next int
}

// columnsAtOnce is the number of columns that are added between two calls of check, since a single row may add very
// many columns.
const columnsAtOnce = 1024

func (j *records) addColumn(name string) error {
	if n := len(j.columns); n == MaxColumns {
		return errcode.New(errcode.ResourceExhausted, "more than %d columns", MaxColumns)
	} else if j.check != nil && n > 0 && n%columnsAtOnce == 0 {
		if err := j.check(j.rows, j.bytes+columnBytes*int64(n)); err != nil {
			return err
		}
	}
	b := NewBuilder(name, Null, 0)
	b.AppendNulls(j.rows)
	if j.check != nil {
		b.Bound(func(n int64) error { return j.check(j.rows, max(j.bytes, j.size())+n) })
	}
	j.columns = append(j.columns, recordColumn{Builder: b, name: name})
	return nil
}

// cell parses a value and appends it to column i. Numbers keep every digit, and objects and arrays are JSON.
func (j *records) cell(i int) error {
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
		b.Append(BoolValue(v))
		return nil
	case '"':
		text, err := j.scan.String()
		if err == nil {
			err = j.scan.Lone()
		}
		if err != nil {
			return err
		}
		return b.AppendText(String, text)
	case '[', '{':
		raw, err := j.scan.Skip()
		if err != nil {
			return err
		}
		return b.AppendText(JSON, CanonicalJSON(raw))
	}
	text, isInt, err := j.scan.Number()
	if err != nil {
		return err
	}
	return b.AppendNumber(text, isInt)
}

func (j *records) array() error {
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
			return errcode.New(errcode.InvalidArgument, "more values than columns, expected one for each of the %d",
				len(j.columns))
		case i >= len(j.columns):
			if err := j.addColumn(""); err != nil {
				return err
			}
		}
		if err := j.cell(i); err != nil {
			return errcode.New(errcode.Of(err), "column %d: %w", i+1, err)
		}
	}
}

func (j *records) table() (*Table, error) {
	if len(j.columns) == 0 {
		return EmptyTable(j.rows), nil
	}
	columns := make([]Column, len(j.columns))
	for i, b := range j.columns {
		c := b.Column()
		columns[i] = c.WithoutNullWords()
	}
	return NewTable(columns...)
}
