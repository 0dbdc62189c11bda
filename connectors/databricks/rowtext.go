package databricks

import (
	"encoding/hex"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/internal/errcode"
)

// rowTexts writes rows as JSON, an array of arrays of texts: {"id": 1, "s": null} is ["1",null].
// All values pass as text, exactly.
type rowTexts struct {
	r       array.RecordReader
	columns []column // of the table
	rec     arrow.Record
	row     int
	n       int64  // rows so far
	before  int64  // rows before the last chunk
	nulls   []bool // columns that held a NULL
	done    bool   // there are no more
}

// chunk writes the next rows, up to about so many bytes; "" where there are none.
func (t *rowTexts) chunk(size int) (string, error) {
	t.before = t.n
	b := []byte{'['}
	for len(b) < size {
		if t.rec == nil || t.row == int(t.rec.NumRows()) {
			if !t.r.Next() {
				t.done = true
				if err := t.r.Err(); err != nil {
					return "", err
				}
				break
			}
			t.rec, t.row = t.r.Record(), 0
			continue
		}
		if t.n > t.before {
			b = append(b, ',')
		}
		var err error
		if b, err = t.append(b); err != nil {
			return "", err
		}
		t.row++
		t.n++
	}
	if t.n == t.before {
		return "", nil
	}
	return string(append(b, ']')), nil
}

func (t *rowTexts) append(b []byte) ([]byte, error) {
	b = append(b, '[')
	for i, col := range t.rec.Columns() {
		if i > 0 {
			b = append(b, ',')
		}
		if col.IsNull(t.row) {
			t.nulls[i] = true
			b = append(b, "null"...)
			continue
		}
		text, ok := textOf(col, t.row)
		if !ok || !utf8.ValidString(text) {
			return nil, errcode.New(errcode.InvalidArgument, "databricks: row %d, column %q: expected text in UTF-8", t.n+1, t.rec.ColumnName(i))
		}
		quoted, err := json.Marshal(text)
		if err != nil {
			return nil, errcode.New(errcode.InvalidArgument, "databricks: row %d, column %q: expected text in UTF-8", t.n+1, t.rec.ColumnName(i))
		}
		b = append(b, quoted...)
	}
	return append(b, ']'), nil
}

// readable tells the types of values that can be written.
func readable(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.STRING, arrow.LARGE_STRING, arrow.BINARY, arrow.BOOL, arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64,
		arrow.FLOAT32, arrow.FLOAT64, arrow.DECIMAL128, arrow.DATE32, arrow.TIMESTAMP, arrow.NULL:
		return true
	}
	return false
}

// textOf is a value as Databricks reads it in a cast.
func textOf(arr arrow.Array, i int) (string, bool) {
	switch a := arr.(type) {
	case *array.String:
		return a.Value(i), true
	case *array.LargeString:
		return a.Value(i), true
	case *array.Binary:
		return hex.EncodeToString(a.Value(i)), true
	case *array.Boolean:
		return strconv.FormatBool(a.Value(i)), true
	case *array.Int64:
		return strconv.FormatInt(a.Value(i), 10), true
	case *array.Float64:
		return doubleText(a.Value(i)), true
	case *array.Float32:
		return strconv.FormatFloat(float64(a.Value(i)), 'g', -1, 32), true
	case *array.Decimal128:
		return a.Value(i).ToString(a.DataType().(*arrow.Decimal128Type).Scale), true
	case *array.Date32:
		return a.Value(i).ToTime().Format("2006-01-02"), true
	case *array.Timestamp:
		t := a.DataType().(*arrow.TimestampType)
		layout := "2006-01-02T15:04:05.999999"
		if t.TimeZone != "" {
			layout += "Z"
		}
		return a.Value(i).ToTime(t.Unit).UTC().Format(layout), true
	case *array.Int8, *array.Int16, *array.Int32, *array.Uint8, *array.Uint16, *array.Uint32, *array.Uint64:
		return arr.ValueStr(i), true
	}
	return "", false
}
