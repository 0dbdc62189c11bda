package snowflake

import "testing"

// Rows are cast to what the table has; a type that is not known takes the text as it is.
func TestCast(t *testing.T) {
	for _, tc := range []struct {
		c    column
		want string
	}{
		{column{kind: "FIXED", precision: 19}, "r::NUMBER(19, 0)"},
		{column{kind: "FIXED", precision: 20, scale: 4}, "r::NUMBER(20, 4)"},
		{column{kind: "FIXED"}, "r::NUMBER(38, 0)"},
		{column{kind: "REAL"}, "r::FLOAT"},
		{column{kind: "BOOLEAN"}, "r::BOOLEAN"},
		{column{kind: "DATE"}, "r::DATE"},
		{column{kind: "TIME"}, "r::TIME(9)"},
		{column{kind: "TIMESTAMP_NTZ"}, "r::TIMESTAMP_NTZ(9)"},
		{column{kind: "TIMESTAMP_LTZ"}, "r::TIMESTAMP_LTZ(9)"},
		{column{kind: "TIMESTAMP_TZ"}, "r::TIMESTAMP_TZ(9)"},
		{column{kind: "BINARY"}, "TO_BINARY(r, 'HEX')"},
		{column{kind: "VARIANT"}, "PARSE_JSON(r)"},
		{column{kind: "OBJECT"}, "PARSE_JSON(r)::OBJECT"},
		{column{kind: "ARRAY"}, "PARSE_JSON(r)::ARRAY"},
		{column{kind: "TEXT"}, "r"}, {column{kind: "MAP"}, "r"}, {column{kind: "GEOGRAPHY"}, "r"}, {column{kind: "DECFLOAT"}, "r"},
	} {
		if got := tc.c.cast("r"); got != tc.want {
			t.Errorf("%+v: %s, expected %s", tc.c, got, tc.want)
		}
	}
}
