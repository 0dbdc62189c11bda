package bigquery

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// notation is how parameters and load jobs write values, but for bytes.
var notation = &driverbase.Notation{Infinity: "Infinity", Instant: timestampText, Clock: "2006-01-02 15:04:05.999999", Finest: time.Microsecond}

// takes tells whether a column of a type takes values of an Arrow type: instants go into a
// TIMESTAMP, wall clocks into a DATETIME.
func takes(typ string, t arrow.DataType) bool {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return takes(typ, t.ValueType)
	case *arrow.NullType:
		return true
	case *arrow.TimestampType:
		if (typ == "TIMESTAMP") != (t.TimeZone != "") {
			return false
		}
	}
	return slices.Contains(kinds[typ].takes, t.ID())
}

// check finds columns of a record that do not go into those of the table.
func (m *merge) check(rec arrow.Record) error {
	for i, typ := range m.types {
		if t := rec.Column(i).DataType(); !takes(typ, t) {
			return m.plan.Error(errcode.InvalidArgument, "column %q: values of Arrow type %v do not go into one of type %s", m.columns[i].Name, t, typ)
		}
	}
	return nil
}

// cell is a value in the notation, until the next one, or nil for NULL.
func (m *merge) cell(rec arrow.Record, col, row int) ([]byte, error) {
	arr := rec.Column(col)
	if driverbase.IsNull(arr, row) {
		m.plan.Nulls[col] = true
		return nil, nil
	}
	text, err := notation.Append(append(m.text[:0], '='), arr, row) // never nil
	if m.text = text; err == nil && !fits(m.types[col], string(text[1:])) {
		err = errcode.New(errcode.InvalidArgument, "the value does not fit type %s", m.types[col])
	}
	if err != nil {
		return nil, m.plan.CellError(col, err)
	}
	return text[1:], nil
}

// fits tells whether a type holds a value exactly.
func fits(typ, text string) bool {
	_, fraction, _ := strings.Cut(text, ".")
	switch typ {
	case "INT64":
		_, err := strconv.ParseInt(text, 10, 64)
		return err == nil
	case "FLOAT64": // of an integer; doubles have a point or an exponent from a million on
		n, err := strconv.ParseInt(text, 10, 64)
		return err != nil && strings.ContainsAny(text, ".eIN") || err == nil && n <= 1<<53 && n >= -1<<53
	case "NUMERIC":
		return len(strings.TrimRight(fraction, "0")) <= 9
	case "BIGNUMERIC":
		return len(strings.TrimRight(fraction, "0")) <= 38
	}
	return true
}

// cellText is how parameters and load jobs write a cell.
func cellText(typ string, cell []byte) string {
	if typ == "BYTES" {
		raw, _ := hex.DecodeString(string(cell)) // it is hexadecimal
		return base64.StdEncoding.EncodeToString(raw)
	}
	return string(cell)
}
