package report

import "testing"

func TestReasonsOfOneKind(t *testing.T) {
	for _, tc := range []struct{ a, b string }{
		{`gold result: row 17, column 3 ("revenue"): a number in a column of type DATE`, `gold result: row 1, column 12 ("x y"): a number in a column of type DATE`},
		{"the case took longer than 1.5s", "the case took longer than 20s"},
		{`c.jsonl:17: case: case_id is missing`, `c.jsonl:4: case: case_id is missing`},
	} {
		if shape(tc.a) != shape(tc.b) {
			t.Errorf("%q and %q are of one kind", shape(tc.a), shape(tc.b))
		}
	}
	for _, tc := range []struct{ a, b string }{{"no gold SQL given", "no gold result given"}, {"ex_bird2 failed", "ex_bird3 failed"}, {`a "b`, `a "c`}} {
		if shape(tc.a) == shape(tc.b) {
			t.Errorf("%q and %q are not of one kind", tc.a, tc.b)
		}
	}
}
