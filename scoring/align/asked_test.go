package align

import (
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// alike reports whether all columns of two results agree in all values.
func alike(t *testing.T, gold, pred string, o Options) bool {
	t.Helper()
	var tables [2]*scoring.Table
	for i, s := range []string{gold, pred} {
		r := scoring.ParseResultText([]byte(s))
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		tables[i] = r.Table
	}
	a := Align(tables[0], tables[1], o)
	for _, c := range a.Columns {
		if c.Overlap < 1 {
			return false
		}
	}
	return len(a.Columns) == len(tables[0].Columns)
}

// What a question asks for may deny a header over its values.
func TestHeadersAgainstTheQuestion(t *testing.T) {
	const rows = `"rows":[["Hamm",412],["Unna",377]]}`
	for _, tt := range []struct {
		asked, header string
		want          bool
	}{
		{"Parcels by hub in 2021", "parcels_2021", true},
		{"Parcels by hub in 2021", "parcels_2022", false},
		{"Parcels by hub in 2021 that were not sent in 2020", "parcels_2021", true},
		{"Parcels by hub before 2022", "parcels_until_2021", true},
		{"Lockers by hub that are enabled", "enabled_lockers", true},
		{"Enabled lockers by hub", "disabled_lockers", false},
		{"Enabled and disabled lockers by hub", "disabled_lockers", true},
		{"", "parcels_2022", true},
	} {
		gold, pred := `{"columns":[{"name":"hub"},{"name":"n"}],`+rows, `{"columns":[{"name":"hub"},{"name":"`+tt.header+`"}],`+rows
		if got := alike(t, gold, pred, Options{Asked: tt.asked}); got != tt.want {
			t.Errorf("%q under %q: got %v, want %v", tt.asked, tt.header, got, tt.want)
		}
	}
}

// Where gold's query takes a number from a column of percentages, it is one.
func TestQueriesSayPercent(t *testing.T) {
	const gold = `{"columns":[{"name":"site"},{"name":"highest"}],"rows":[["a",93],["b",47],["c",61]]}`
	for _, tt := range []struct {
		name, sql, rows string
		want            bool
	}{
		{"a percent sign", "SELECT site, MAX(humidity_pct) AS highest FROM readings GROUP BY site", `["a","93%"],["b","47%"],["c","61%"]`, true},
		{"fractions", "SELECT site, MAX(humidity_pct) AS highest FROM readings GROUP BY site", `["a",0.93],["b",0.47],["c",0.61]`, true},
		{"others", "SELECT site, MAX(humidity_pct) AS highest FROM readings GROUP BY site", `["a","93%"],["b","48%"],["c","61%"]`, false},
		{"readings", "SELECT site, COUNT(humidity_pct) AS highest FROM readings GROUP BY site", `["a","93%"],["b","47%"],["c","61%"]`, false},
		{"litres", "SELECT site, MAX(litres) AS highest FROM readings GROUP BY site", `["a","93%"],["b","47%"],["c","61%"]`, false},
		{"a fraction of litres", "SELECT site, MAX(litres) AS highest FROM readings GROUP BY site", `["a",0.93],["b",0.47],["c",0.61]`, false},
	} {
		pred := `{"columns":[{"name":"site"},{"name":"top"}],"rows":[` + tt.rows + `]}`
		if got := alike(t, gold, pred, Options{Asked: "The most humid reading of each site", GoldSQL: tt.sql}); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

// Durations that are written are rounded to their last place.
func TestDurationsAreRounded(t *testing.T) {
	const gold = `{"columns":[{"name":"dock"},{"name":"avg_minutes","type":"DOUBLE"}],"rows":[["a",72.51388888888889],["b",148.2574074074074]]}`
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"01:12:31", "02:28:15", true},  // 30.83 s and 15.44 s
		{"01:12:30", "02:28:15", false}, // cut
		{"01:12:30.833", "02:28:15.444", true},
		{"01:12:30.833", "02:28:15.446", false},
		{"1h 12m 31s", "2h 28m 15s", false}, // units say no place
	} {
		pred := `{"columns":[{"name":"dock"},{"name":"took","type":"VARCHAR"}],"rows":[["a","` + tt.a + `"],["b","` + tt.b + `"]]}`
		if got := alike(t, gold, pred, Options{Asked: "How long did unloading take on average at each dock, in minutes?"}); got != tt.want {
			t.Errorf("%s, %s: got %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}
