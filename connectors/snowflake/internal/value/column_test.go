package value

import "testing"

// Rows are cast to what the table has; a type that is not known takes the text as it is.
func TestCast(t *testing.T) {
	for _, tc := range []struct {
		c    Column
		want string
	}{
		{Column{Kind: "FIXED", Precision: 19}, "r::NUMBER(19, 0)"},
		{Column{Kind: "FIXED", Precision: 20, Scale: 4}, "r::NUMBER(20, 4)"},
		{Column{Kind: "FIXED"}, "r::NUMBER(38, 0)"},
		{Column{Kind: "REAL"}, "r::FLOAT"},
		{Column{Kind: "BOOLEAN"}, "r::BOOLEAN"},
		{Column{Kind: "DATE"}, "r::DATE"},
		{Column{Kind: "TIME"}, "r::TIME(9)"},
		{Column{Kind: "TIMESTAMP_NTZ"}, "r::TIMESTAMP_NTZ(9)"},
		{Column{Kind: "TIMESTAMP_LTZ"}, "r::TIMESTAMP_LTZ(9)"},
		{Column{Kind: "TIMESTAMP_TZ"}, "r::TIMESTAMP_TZ(9)"},
		{Column{Kind: "BINARY"}, "TO_BINARY(r, 'HEX')"},
		{Column{Kind: "VARIANT"}, "PARSE_JSON(r)"},
		{Column{Kind: "OBJECT"}, "PARSE_JSON(r)::OBJECT"},
		{Column{Kind: "ARRAY"}, "PARSE_JSON(r)::ARRAY"},
		{Column{Kind: "TEXT"}, "r"}, {Column{Kind: "MAP"}, "r"}, {Column{Kind: "GEOGRAPHY"}, "r"}, {Column{Kind: "DECFLOAT"}, "r"},
	} {
		if got := tc.c.Cast("r"); got != tc.want {
			t.Errorf("%+v: %s, expected %s", tc.c, got, tc.want)
		}
	}
}
