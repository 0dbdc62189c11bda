package value

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
)

// TimestampText is the layout of a TIMESTAMP in UTC.
const TimestampText = "2006-01-02 15:04:05.999999+00:00"

// Written reports whether columns of a type can be written.
func Written(typ string) bool { return len(kinds[typ].takes) > 0 }

// Notation is the text format of values in parameters and load jobs, except for bytes.
var Notation = &driverbase.Notation{Infinity: "Infinity", Instant: TimestampText, Clock: "2006-01-02 15:04:05.999999",
	Finest: time.Microsecond}

// Takes reports whether values of an Arrow type can be written to a column of type typ: timestamps with a zone to a
// TIMESTAMP, those without one to a DATETIME.
func Takes(typ string, t arrow.DataType) bool {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return Takes(typ, t.ValueType)
	case *arrow.NullType:
		return true
	case *arrow.TimestampType:
		if (typ == "TIMESTAMP") != (t.TimeZone != "") {
			return false
		}
	}
	return slices.Contains(kinds[typ].takes, t.ID())
}

// Fits reports whether type typ holds the value with this text exactly.
func Fits(typ, text string) bool {
	_, fraction, _ := strings.Cut(text, ".")
	switch typ {
	case "INT64":
		_, err := strconv.ParseInt(text, 10, 64)
		return err == nil
	case "FLOAT64": // doubles of a million and more have a dot or an exponent, so this is an integer
		n, err := strconv.ParseInt(text, 10, 64)
		return err != nil && strings.ContainsAny(text, ".eIN") || err == nil && n <= 1<<53 && n >= -1<<53
	case "NUMERIC":
		return len(strings.TrimRight(fraction, "0")) <= 9
	case "BIGNUMERIC":
		return len(strings.TrimRight(fraction, "0")) <= 38
	}
	return true
}

// Text converts a cell in [Notation] to the text of parameters and load jobs.
func Text(typ string, cell []byte) string {
	if typ == "BYTES" {
		raw, _ := hex.DecodeString(string(cell)) // it is hexadecimal
		return base64.StdEncoding.EncodeToString(raw)
	}
	return string(cell)
}
