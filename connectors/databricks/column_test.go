package databricks

import (
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/internal/errcode"
)

// Values that come as text are those of the column's type or an error, whatever Arrow takes for NULL.
func TestTextOfAType(t *testing.T) {
	for _, tc := range []struct {
		sql, text, want string // want is as Arrow shows it, "" for an error
	}{
		{"BOOLEAN", "true", "true"}, {"BOOLEAN", "(null)", ""}, {"BOOLEAN", "yes", ""},
		{"TINYINT", "-128", "-128"}, {"TINYINT", "128", ""}, {"SMALLINT", "32767", "32767"}, {"INTEGER", "(null)", ""}, {"INT", "1.0", ""},
		{"LONG", "9223372036854775807", "9223372036854775807"}, {"BIGINT", "9223372036854775808", ""},
		{"DOUBLE", "1e-3", "0.001"}, {"DOUBLE", "(null)", ""}, {"FLOAT", "0.5", "0.5"}, {"FLOAT", "x", ""},
		{"DECIMAL(20,4)", "-1.2345", "-1.2345"}, {"DECIMAL(20,4)", "1.23456", ""},
		{"STRING", "(null)", "(null)"}, {"VARIANT", "{}", "{}"}, {"INTERVAL YEAR", "1-2", "1-2"},
		{"DATE", "1969-12-31", "1969-12-31"}, {"DATE", "0001-01-01", "0001-01-01"}, {"DATE", "31.12.1969", ""},
		{"BINARY", "AQI=", "AQI="}, {"BINARY", "%", ""},
		{"TIMESTAMP_LTZ", "1969-12-31T23:59:59.999999Z", "1969-12-31 23:59:59.999999Z"}, {"TIMESTAMP", "1970-01-01T01:00:00+01:00", "1970-01-01 00:00:00Z"},
		{"TIMESTAMP_NTZ", "2024-02-29 12:00:00.5", "2024-02-29 12:00:00.5Z"}, {"TIMESTAMP", "noon", ""},
		{"TIME", "23:59:59.25", "23:59:59.250000"}, {"TIME", "24:00:00", ""},
	} {
		c := column{name: "a"}
		c.setType(tc.sql)
		arr, err := c.parse(memory.DefaultAllocator, 1, func(int) (string, bool) { return tc.text, true })
		if err != nil {
			if tc.want != "" || errcode.Of(err) != errcode.DataLoss {
				t.Errorf("%s %q: %v", tc.sql, tc.text, err)
			}
			continue
		}
		if got := arr.ValueStr(0); got != tc.want {
			t.Errorf("%s %q: %q, expected %q", tc.sql, tc.text, got, tc.want)
		}
		arr.Release()
	}
}

// Rows are cast to what the table has.
func TestCast(t *testing.T) {
	for sql, want := range map[string]string{
		"STRING": "r", "VARCHAR(5)": "r", "BINARY": "unhex(r)", "VARIANT": "parse_json(r)", "DECIMAL(20,4)": "CAST(r AS DECIMAL(20, 4))", "NUMERIC(5,0)": "CAST(r AS DECIMAL(5, 0))",
		"INTEGER": "CAST(r AS INT)", "TIMESTAMP_LTZ": "CAST(r AS TIMESTAMP)", "TIMESTAMP_NTZ": "CAST(r AS TIMESTAMP_NTZ)", "TIME": "CAST(r AS TIME)",
		"STRUCT<a: INT>": "", "ARRAY<INT>": "", "INTERVAL YEAR": "", "GEOGRAPHY(4326)": "", "VOID": "",
	} {
		var c column
		c.setType(sql)
		if want == "" {
			if kinds[c.sql].cast != "" {
				t.Errorf("%s is written", sql)
			}
		} else if got := c.cast("r"); got != want {
			t.Errorf("%s: %s, expected %s", sql, got, want)
		}
	}
}
