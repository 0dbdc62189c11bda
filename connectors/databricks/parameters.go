package databricks

import (
	sqldriver "database/sql/driver"
	"strconv"
	"time"

	dbsql "github.com/databricks/databricks-sql-go"
)

// parameters returns the values of a statement's question marks. All are sent as text with their type, so that they
// stay exact: by itself, the driver writes doubles without an exponent and timestamps with nanoseconds and their zone.
func parameters(args []any) ([]sqldriver.NamedValue, error) {
	var out []sqldriver.NamedValue
	for i, arg := range args {
		var p dbsql.Parameter
		switch v := arg.(type) {
		case nil:
			p = dbsql.Parameter{Type: dbsql.SqlVoid}
		case bool:
			p = dbsql.Parameter{Type: dbsql.SqlBoolean, Value: strconv.FormatBool(v)}
		case int64:
			p = dbsql.Parameter{Type: dbsql.SqlBigInt, Value: strconv.FormatInt(v, 10)}
		case float64:
			p = dbsql.Parameter{Type: dbsql.SqlDouble, Value: string(notation.AppendFloat(nil, v, 64))}
		case string:
			p = dbsql.Parameter{Type: dbsql.SqlString, Value: v}
		case time.Time:
			p = dbsql.Parameter{Type: dbsql.SqlTimestamp, Value: v.UTC().Format("2006-01-02T15:04:05.000000Z")}
		default:
			return nil, invalid("parameter %d: expected nil, bool, int64, float64, string or time.Time, not %T", i+1, arg)
		}
		out = append(out, sqldriver.NamedValue{Ordinal: i + 1, Value: p})
	}
	return out, nil
}
