package align

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// A whole double is the same in every format that it comes in: as JSON with and without a point, as
// text, and as the bits that Parquet and Arrow hold.
func TestWholeDoublesInEveryFormat(t *testing.T) {
	tableOf := func(typ, a, b string) *scoring.Table {
		t.Helper()
		r := scoring.ParseResultText([]byte(`{"columns":[{"name":"k"},{"name":"v","type":"` + typ + `"}],"rows":[["a",` + a + `],["b",` + b + `]]}`))
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		return r.Table
	}
	bits := func(a, b float64) *scoring.Table {
		v := scoring.NewBuilder("v", scoring.Float64, 2)
		v.AppendFloat(a)
		v.AppendFloat(b)
		table, err := scoring.NewTable(tableOf("DOUBLE", "1", "2").Columns[0], v.Column())
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	forms := func(a, b string, fa, fb float64) map[string]*scoring.Table {
		point := func(s string) string { return s + ".0" }
		return map[string]*scoring.Table{
			"DOUBLE with a point": tableOf("DOUBLE", point(a), point(b)), "DOUBLE without one": tableOf("DOUBLE", a, b), "FLOAT64": tableOf("FLOAT64", point(a), point(b)),
			"text": tableOf("VARCHAR", `"`+point(a)+`"`, `"`+point(b)+`"`), "DECIMAL": tableOf("DECIMAL(12,1)", `"`+point(a)+`"`, `"`+point(b)+`"`), "bits": bits(fa, fb),
		}
	}
	agrees := func(gold, pred *scoring.Table) bool {
		a := Align(gold, pred, Options{})
		return len(a.Columns) == 2 && a.Columns[1].Overlap == 1
	}
	exact := tableOf("DOUBLE", "1830.447", "2210.81")
	for name, pred := range forms("1830", "2211", 1830, 2211) {
		if !agrees(exact, pred) {
			t.Errorf("%s: 1830.447 and 2210.81 are not 1830 and 2211", name)
		}
		if agrees(pred, exact) {
			t.Errorf("%s: whole numbers of gold are fractions that were rounded", name)
		}
	}
	for name, pred := range forms("1830", "2210", 1830, 2210) {
		if agrees(exact, pred) {
			t.Errorf("%s: 2210.81 is 2210", name)
		}
	}
}

// What a query rounds was rounded, and what it counts was not, whatever the types.
func TestQueriesSayWhatWasRounded(t *testing.T) {
	number := func(typ, n string) *scoring.Table {
		r := scoring.ParseResultText([]byte(`{"columns":[{"name":"v","type":"` + typ + `"}],"rows":[[` + n + `]]}`))
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		return r.Table
	}
	for _, typ := range []string{"DOUBLE", "NUMBER(18,0)", "HUGEINT", "NUMERIC", "BIGINT"} {
		for _, tc := range []struct {
			sql  string
			want bool
		}{
			{"SELECT COUNT(*) AS v FROM t", false}, {"SELECT SUM(n) AS v FROM t", false}, {"", false},
			{"SELECT ROUND(AVG(x)) AS v FROM t", true}, {"SELECT CAST(AVG(x) AS INTEGER) AS v FROM t", true}, {"SELECT COALESCE(ROUND(SUM(x), 0), 0) AS v FROM t", true},
		} {
			a := Align(number(typ, "8120"), number("DOUBLE", "8119.7"), Options{GoldSQL: tc.sql, Dialect: "duckdb"})
			if got := len(a.Columns) == 1 && a.Columns[0].Overlap == 1; got != tc.want {
				t.Errorf("%s by %q: equal %v (%s)", typ, tc.sql, got, strings.Join(a.Why, "; "))
			}
		}
	}
}
