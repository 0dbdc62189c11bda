package align

import (
	"testing"

	"github.com/badger-eval/badger/scoring"
)

func TestParseRule(t *testing.T) {
	for _, tc := range []struct {
		text string
		want Rule // zero if it is not a rule
	}{
		{"exact", Rule{Numbers: Exact}},
		{"rounded", Rule{Numbers: Rounded}},
		{"relative 0.01", Rule{Numbers: Relative, By: 0.01}},
		{" absolute  5 ", Rule{Numbers: Absolute, By: 5}},
		{"relative 1", Rule{}},
		{"relative", Rule{}},
		{"relative -0.1", Rule{}},
		{"absolute NaN", Rule{}},
		{"absolute Inf", Rule{}},
		{"exact 0.1", Rule{}},
		{"nearly", Rule{}},
		{"", Rule{}},
	} {
		got, err := ParseRule(tc.text)
		if (err == nil) != (tc.want.Numbers != "") || err == nil && got != tc.want {
			t.Errorf("%q: %+v, %v, want %+v", tc.text, got, err, tc.want)
		}
	}
}

// A tolerance of 1 % makes two columns equal whose numbers measure something, and no others. A rule
// of a column holds for every column.
func TestWhatATolerancePermits(t *testing.T) {
	columns := func(name string, vs ...float64) *scoring.Table {
		out, err := scoring.NewTable(scoringFloats(name, vs...))
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	whole := func(name string, vs ...int64) *scoring.Table {
		out, err := scoring.NewTable(ints(name, vs...))
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, tc := range []struct {
		why        string
		gold, pred *scoring.Table
		asked      string
		equal      bool
	}{
		{"amounts with cents", columns("v", 100.25, 2000.5), columns("v", 100.75, 2003.5), "", true},
		{"a measure in whole numbers", whole("revenue", 1000, 2000), whole("revenue", 1005, 2008), "", true},
		{"fractions beside whole numbers of a measure", columns("avg", 1000.5, 2000.5), whole("avg", 1005, 2008), "", true},
		{"whole numbers of which nothing is known", whole("v", 1000, 2000), whole("v", 1005, 2008), "", false},
		{"fractions beside a count", whole("v", 1000, 2000), columns("v", 1009.5, 2011.25), "", false},
		{"a count by its name", columns("order_count", 1000.5, 2000.5), columns("order_count", 1005.5, 2008.5), "", false},
		{"an identifier", columns("customer_id", 1000.5, 2000.5), columns("customer_id", 1005.5, 2008.5), "", false},
		{"a latitude", columns("lat", 52.52), columns("lat", 52.23), "", false},
		{"seconds from 1970", columns("v", 1709510400.5), columns("v", 1717510400.5), "", false},
		{"a share near 1", columns("v", 0.9999), columns("v", 0.999), "", false},
		{"asked for the exact amount", columns("v", 1000.5), columns("v", 1009.5), "What is the exact total?", false},
		{"beyond the tolerance", columns("v", 100.25, 2000.5), columns("v", 102.25, 2003.5), "", false},
	} {
		o := Options{Tolerance: PaperTolerance, Asked: tc.asked}
		if a := Align(tc.gold, tc.pred, o); (len(a.Columns) == 1 && a.Columns[0].Overlap == 1) != tc.equal {
			t.Errorf("%s: %+v, want equal: %v", tc.why, a.Columns, tc.equal)
		}
		o = Options{}
		if a := Align(tc.gold, tc.pred, o); len(a.Columns) == 1 && a.Columns[0].Overlap == 1 {
			t.Errorf("%s: equal without a tolerance", tc.why)
		}
		o = Options{Columns: map[string]Rule{tc.gold.Columns[0].Name: {Numbers: Relative, By: 0.1}}}
		if a := Align(tc.gold, tc.pred, o); len(a.Columns) != 1 || a.Columns[0].Overlap != 1 {
			t.Errorf("%s: not equal by a rule for the column: %+v", tc.why, a.Columns)
		}
	}
}
