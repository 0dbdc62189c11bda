package databricks

import (
	"math"
	"strconv"
	"time"

	"github.com/badger-eval/badger/connectors/databricks/internal/thrift"
)

// parameters are the values of a statement's question marks. All travel as text with their type,
// which keeps them exact.
func parameters(args []any) ([]thrift.Struct, error) {
	var out []thrift.Struct
	for i, arg := range args {
		kind, text := "", ""
		switch v := arg.(type) {
		case nil:
			out = append(out, thrift.Struct{1: int32(i + 1), 3: "VOID"}) //nolint:gosec // few
			continue
		case bool:
			kind, text = "BOOLEAN", strconv.FormatBool(v)
		case int64:
			kind, text = "BIGINT", strconv.FormatInt(v, 10)
		case float64:
			kind, text = "DOUBLE", doubleText(v)
		case string:
			kind, text = "STRING", v
		case time.Time:
			kind, text = "TIMESTAMP", v.UTC().Format("2006-01-02T15:04:05.000000Z")
		default:
			return nil, invalid("parameter %d: expected nil, bool, int64, float64, string or time.Time, not %T", i+1, arg)
		}
		out = append(out, thrift.Struct{1: int32(i + 1), 3: kind, 4: thrift.Struct{1: text}}) //nolint:gosec // few
	}
	return out, nil
}

// doubleText writes a double so that it is read back as it was.
func doubleText(v float64) string {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1):
		return "Infinity"
	case math.IsInf(v, -1):
		return "-Infinity"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
