package demo

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"
)

// maxExact is 2^53, up to which a float64 represents every integer; many JSON readers convert numbers to float64.
var maxExact = big.NewInt(1 << 53)

// typeName returns DuckDB's full name of a type that the driver reports under a short name; others are unchanged.
func typeName(reported string) string {
	switch reported {
	case "TIMESTAMPTZ":
		return "TIMESTAMP WITH TIME ZONE"
	case "TIMETZ":
		return "TIME WITH TIME ZONE"
	}
	return reported
}

// cellOf converts a value of the driver, of DuckDB type typ, to a cell of a snapshot. ok is false for unsupported
// types.
func cellOf(v any, typ string) (cell any, ok bool) {
	switch v := v.(type) {
	case nil, bool:
		return v, true
	case string:
		return v, true
	case int8, int16, int32, uint8, uint16, uint32:
		return json.Number(fmt.Sprint(v)), true
	case int64:
		return whole(big.NewInt(v)), true
	case uint64:
		return whole(new(big.Int).SetUint64(v)), true
	case *big.Int:
		return whole(v), true
	case float32:
		return float(float64(v), v), true
	case float64:
		return float(v, v), true
	case duckdb.Decimal:
		return decimal(v), true
	case time.Time:
		return moment(v, typ), true
	case []byte:
		if typ == "UUID" && len(v) == 16 {
			return fmt.Sprintf("%x-%x-%x-%x-%x", v[:4], v[4:6], v[6:8], v[8:10], v[10:]), true
		}
		return hex.EncodeToString(v), true
	}
	return nil, false
}

// whole converts an integer to a JSON number, or to a string if its absolute value exceeds maxExact.
func whole(n *big.Int) any {
	if n.CmpAbs(maxExact) > 0 {
		return n.String()
	}
	return json.Number(n.String())
}

// float converts a floating-point number to its shortest JSON number that parses to own, or to a string for NaN and
// infinities. f is own as a float64.
func float(f float64, own any) any {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	b, err := json.Marshal(own)
	if err != nil { // only for the three above
		panic(err)
	}
	return json.Number(b)
}

// decimal formats d with all decimals of its scale, such as 0.50.
func decimal(d duckdb.Decimal) string {
	digits, sign := d.Value.String(), ""
	if d.Value.Sign() < 0 {
		digits, sign = digits[1:], "-"
	}
	scale := int(d.Scale)
	if scale == 0 {
		return sign + digits
	}
	if len(digits) <= scale {
		digits = strings.Repeat("0", scale-len(digits)+1) + digits
	}
	return sign + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
}

// moment formats a date or time of DuckDB type typ as DuckDB does. The driver returns all but TIME WITH TIME ZONE in
// UTC.
func moment(t time.Time, typ string) string {
	switch typ {
	case "DATE":
		return t.Format("2006-01-02")
	case "TIME":
		return t.Format("15:04:05.999999999")
	case "TIME WITH TIME ZONE":
		return t.Format("15:04:05.999999999-07:00")
	case "TIMESTAMP WITH TIME ZONE":
		return t.UTC().Format("2006-01-02 15:04:05.999999999-07")
	}
	return t.Format("2006-01-02 15:04:05.999999999")
}
