package value

import (
	"bytes"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// Text is the text format in which the server reads values. [AppendCell] writes dates and timestamps, which have a
// wider range than those of other warehouses.
var Text = &driverbase.Notation{Infinity: "Infinity", Finest: time.Microsecond}

// AppendCell appends a value that is not NULL in the server's text format.
func AppendCell(dst []byte, arr arrow.Array, i int) ([]byte, error) {
	switch a := arr.(type) {
	case *array.Dictionary:
		return AppendCell(dst, a.Dictionary(), a.GetValueIndex(i))
	case *array.Binary, *array.LargeBinary:
		dst = append(dst, '\\', 'x')
	case *array.FixedSizeBinary:
		if len(a.Value(i)) != 16 { // 16 bytes are written as a UUID
			dst = append(dst, '\\', 'x')
		}
	case *array.Date32:
		return appendDate(dst, a.Value(i)), nil
	case *array.Time64:
		if time.Duration(a.Value(i))*a.DataType().(*arrow.Time64Type).Unit.Multiplier() == 24*time.Hour {
			return appendClock(dst, microsPerDay), nil
		}
	case *array.Timestamp:
		t, layout := a.DataType().(*arrow.TimestampType), wallLayout
		if t.TimeZone != "" {
			layout = instantLayout
		}
		v := int64(a.Value(i))
		switch {
		case t.Unit == arrow.Microsecond:
			return appendMicros(dst, v, layout), nil
		case t.Unit == arrow.Nanosecond && v%1000 != 0:
			return dst, errcode.New(errcode.InvalidArgument, "a time has more than the microsecond precision of PostgreSQL")
		}
		return appendMoment(dst, a.Value(i).ToTime(t.Unit), layout), nil
	}
	at := len(dst)
	dst, err := Text.Append(dst, arr, i)
	if err == nil && bytes.IndexByte(dst[at:], 0) >= 0 {
		err = errcode.New(errcode.InvalidArgument, "PostgreSQL strings cannot contain NUL bytes")
	}
	return dst, err
}
