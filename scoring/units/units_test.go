package units_test

import (
	"testing"

	"github.com/badger-eval/badger/scoring/sqlparts"
	"github.com/badger-eval/badger/scoring/units"
)

func symbolOf(u *units.Unit) string {
	if u == nil {
		return ""
	}
	return u.Symbol
}

func shown(s units.Stated) string {
	out := symbolOf(s.Unit)
	if s.Scale != nil {
		out += "*" + s.Scale.Symbol
	}
	switch {
	case s.Per != nil:
		out += "/" + s.Per.Symbol
	case s.PerThing:
		out += "/thing"
	}
	if s.Share && s.Unit == nil {
		out += " share"
	}
	return out
}

// A name states the unit that its words spell, and nothing where they mean other things.
func TestInName(t *testing.T) {
	for _, tc := range []struct{ name, question, want string }{
		{"distance_km", "", "km"}, {"DistanceKm", "", "km"}, {"Distance (km)", "", "km"}, {"weight [kg]", "", "kg"}, {"rainfall_mm", "", "mm"}, {"height_in", "", "inch"}, {"height_in_metres", "", "m"}, {"elevation_m", "", "m"}, {"room_m", "", ""},
		{"price_usd", "", "USD"}, {"priceEUR", "", "EUR"}, {"price ($)", "", "USD"}, {"cost_us$", "", "USD"}, {"total_cents", "", "cent"}, {"amount_usd_cents", "", "USD cent"}, {"fee_pence", "", "penny"}, {"won", "", ""}, {"real_gdp", "", ""}, {"top_php_repo", "", ""},
		{"revenue_thousands", "", "*thousand"}, {"revenue_keur", "", "kEUR"}, {"umsatz_teur", "", "kEUR"}, {"capex_musd", "", "MUSD"}, {"museum", "", ""}, {"revenue_k", "", "*thousand"}, {"revenue_k_usd", "", "USD*thousand"}, {"sales_lakh_inr", "", "INR*lakh"}, {"revenue_m", "", "*million"}, {"capex_eur_m", "", "EUR*million"}, {"gmv_usd_mm", "", "USD*million"}, {"cost_bn", "", "*billion"},
		{"duration_s", "", "s"}, {"dur_ms", "", "ms"}, {"wait_min", "", "min"}, {"temp_min", "", ""}, {"price_min", "", ""}, {"min", "", ""}, {"latency_us", "", "µs"}, {"hours_worked", "", "h"}, {"days_to_ship", "", "d"}, {"last_12_months", "", ""}, {"second_name", "", ""}, {"last_day", "", ""}, {"tenure_years", "", "year"},
		{"tenure_months", "", "month"}, {"avg_days", "", "d"}, {"orders_last_30_days", "", ""}, {"duration_hour", "", "h"}, {"first_hour", "", ""},
		{"max_c", "", ""}, {"max_c", "What was the maximum temperature in each city?", "°C"}, {"max_f", "How hot did it get? Give the temperature.", "°F"}, {"temp_c", "", "°C"}, {"temperature_k", "", "K"}, {"temp_°F", "", "°F"},
		{"size_kb", "", "kB"}, {"size_kib", "", "KiB"}, {"size_MiB", "", "MiB"}, {"bandwidth_mbit", "", "Mbit"}, {"power_mW", "", "mW"}, {"power_MW", "", "MW"}, {"energy_kWh", "", "kWh"}, {"area_m2", "", "m²"}, {"living_area_sqft", "", "ft²"}, {"area_square_feet", "", "ft²"}, {"volume_m³", "", "m³"},
		{"parcels_per_day", "", "/d"}, {"parcels/hour", "", "/h"}, {"orders_per_customer", "", "/thing"}, {"avg_daily_users", "", "/d"}, {"annual_salary", "", "/year"}, {"cases_per_100k", "", "/100000"}, {"cases_per_100_000", "", "/100000"}, {"deaths_per_million", "", "/million"}, {"price_per_kg", "", "/kg"}, {"eur_per_kwh", "", "EUR/kWh"},
		{"speed_kmh", "", "km/h"}, {"speed_km_per_h", "", "km/h"}, {"speed (m/s)", "", "m/s"}, {"wind_mph", "", "mph"}, {"kcal_per_100g", "", "kcal/100 g"},
		{"growth_pct", "", "%"}, {"growth %", "", "%"}, {"percent_late", "", "%"}, {"change_bps", "", "bp"}, {"bp_systolic", "", ""}, {"spread_bp", "", "bp"}, {"change_pct_points", "", "pp"}, {"bac_permille", "", "‰"}, {"bac_per_mille", "", "‰"}, {"co2_ppm", "", "ppm"}, {"late_fraction", "", " share"}, {"late_fraction_pct", "", "%"},
		{"win_pct", "", " share"}, {"pct_on_time", "", "%"}, {"goal_attainment_pct", "", "%"}, {"fg_percentage", "", " share"}, {"percent_rank", "", " share"}, {"return_rate", "", " share"}, {"heart_rate", "", ""}, {"exchange_rate", "", ""}, {"prob_default", "", " share"}, {"percentile", "", ""}, {"hourly_rate_usd", "", "USD/h"},
		{"dose_mg", "", "mg"}, {"dose_mcg", "", "µg"}, {"vitamin_d_iu", "", "IU"}, {"glucose_mmol_per_l", "", "mmol/l"}, {"customer", "", ""}, {"a", "", ""}, {"n", "", ""}, {"v", "", ""}, {"name", "", ""},
		{"usd_eur", "", ""}, {"weight_pounds", "", "lb"}, {"price_pounds", "", "GBP"}, {"pounds", "", ""}, {"pressure_bar", "", "bar"}, {"bar_name", "", ""},
	} {
		got := shown(units.InName(tc.name, units.Asked(tc.question)))
		if got != "" && !units.Mentions(tc.name) {
			t.Errorf("%s states %q, and mentions no unit", tc.name, got)
		}
		if got != tc.want {
			t.Errorf("%s (%s): %q, want %q", tc.name, tc.question, got, tc.want)
		}
	}
}

// A question asks for the units that stand where a figure is asked for in them.
func TestAsked(t *testing.T) {
	for _, tc := range []struct {
		question string
		want     []string
		percent  bool
		share    bool
	}{
		{"What is the total freight in US dollars per shipper?", []string{"USD"}, false, false},
		{"Revenue by region in millions of euros", []string{"EUR*million"}, false, false},
		{"How many minutes of music does each playlist contain?", []string{"min"}, false, false},
		{"What is the average number of days between order and receipt?", []string{"d"}, false, false},
		{"Energy use per month of the first half year (MWh).", []string{"MWh"}, false, false},
		{"By how many percent did revenue grow?", []string{"%"}, true, true},
		{"What percentage of orders was late?", []string{"%"}, true, true},
		{"Give the late orders as a percentage of all.", []string{"%"}, true, true},
		{"What is the click-through rate, in percent?", []string{"%"}, true, true},
		{"How many customers are there in GB?", nil, false, false},
		{"How large is each table in GB of storage?", []string{"GB"}, false, false},
		{"How many orders were placed in the last week?", nil, false, false},
		{"How many orders came in the last 30 days?", nil, false, false},
		{"Which customers in MS and IN ordered?", nil, false, false},
		{"How far is each stop, in m?", []string{"m"}, false, false},
		{"Salaries in thousand USD", []string{"USD*thousand"}, false, false},
		{"By how many basis points did each rate move?", []string{"bp"}, false, true},
		{"What is the heart rate of each patient?", nil, false, false},
		{"Maximum temperature in degrees Celsius", []string{"°C"}, false, false},
		{"average speed in km/h", []string{"km/h"}, false, false},
		{"blood alcohol in per mille", []string{"‰"}, false, true},
		{"Sales in lakh rupees", []string{"INR*lakh"}, false, false},
		{"Who finished in second place?", nil, false, false},
	} {
		q := units.Asked(tc.question)
		var got []string
		for _, s := range q.Asked {
			got = append(got, shown(s))
		}
		same := len(got) == len(tc.want)
		for i := range got {
			same = same && got[i] == tc.want[i]
		}
		if !same || q.Percent != tc.percent || q.Share != tc.share {
			t.Errorf("%s: %q, percent %v, share %v", tc.question, got, q.Percent, q.Share)
		}
	}
}

// Two statements are the same unit, one that converts to the other by an exact factor, or no
// possible unit of one number.
func TestCompare(t *testing.T) {
	for _, tc := range []struct {
		a, b   string
		want   units.Relation
		factor string // from a's numbers to b's
	}{
		{"distance_km", "distance_m", units.Converted, "1000"},
		{"distance_km", "distance_miles", units.Converted, "15625/25146"},
		{"distance_km", "length_kilometres", units.Same, ""},
		{"price_usd", "price_eur", units.Other, ""},
		{"price_usd", "price_cents", units.Converted, "100"},
		{"revenue_eur", "revenue_keur", units.Converted, "1/1000"},
		{"revenue_usd", "revenue_keur", units.Other, ""},
		{"price_gbp", "price_pence", units.Converted, "100"},
		{"price_eur", "price_pence", units.Other, ""},
		{"sales_inr", "sales_lakh_inr", units.Converted, "1/100000"},
		{"sales_lakh", "sales_crore", units.Converted, "1/100"},
		{"revenue_thousands", "revenue_millions", units.Converted, "1/1000"},
		{"revenue_usd", "revenue_thousands", units.Converted, "1/1000"},
		{"revenue", "revenue_thousands", units.Unknown, ""},
		{"weight_kg", "distance_km", units.Other, ""},
		{"dur_months", "dur_years", units.Converted, "1/12"},
		{"dur_days", "dur_months", units.Other, ""},
		{"parcels_per_day", "parcels_per_hour", units.Converted, "1/24"},
		{"parcels_per_day", "parcels_per_month", units.Other, ""},
		{"annual_salary", "monthly_salary", units.Converted, "1/12"},
		{"daily_orders", "orders_per_day", units.Same, ""},
		{"cases_per_100k", "cases_per_million", units.Converted, "10"},
		{"price_per_kg", "price_per_lb", units.Converted, "45359237/100000000"},
		{"price_per_kg", "price_per_litre", units.Other, ""},
		{"change_bps", "change_pct_points", units.Converted, "1/100"},
		{"late_fraction", "late_percent", units.Unknown, ""},
		{"co2_ppm", "co2_permille", units.Converted, "1/1000"},
		{"discount_pct", "discount_usd", units.Other, ""},
		{"speed_kmh", "speed_ms", units.Other, ""},
		{"speed_kmh", "speed_mps", units.Converted, "5/18"},
		{"size_kib", "size_mib", units.Converted, "1/1024"},
		{"size_kb", "size_bytes", units.Converted, "1000 1024"},
		{"size_kb", "size_mb", units.Converted, "1/1000 1/1024"},
		{"size_kb", "size_kib", units.Converted, "125/128 1"},
		{"tenure_years", "n", units.Unknown, ""},
		{"orders_per_customer", "orders_per_store", units.Unknown, ""},
		{"faults_per_1000", "fault_pct", units.Converted, "1/10"},
		{"cases_per_100k", "case_percent", units.Converted, "1/1000"},
		{"births_per_100", "birth_pct", units.Same, ""},
		{"cases_per_100k", "cases_per_day", units.Other, ""},
	} {
		how, c := units.Compare(units.InName(tc.a, nil), units.InName(tc.b, nil))
		got := ""
		if c != nil {
			for i, f := range c.Factors {
				if i > 0 {
					got += " "
				}
				got += f.RatString()
			}
		}
		if how != tc.want || got != tc.factor {
			t.Errorf("%s and %s: %v by %q, want %v by %q", tc.a, tc.b, how, got, tc.want, tc.factor)
		}
	}
	c, f := units.InName("temp_c", nil), units.InName("temp_f", nil)
	how, by := units.Compare(c, f)
	if how != units.Converted || by.Factors[0].RatString() != "9/5" || by.Offset.RatString() != "32" {
		t.Errorf("Celsius and Fahrenheit: %v, %+v", how, by)
	}
}

// The items of a select list say what their columns hold.
func TestOfQuery(t *testing.T) {
	const sql = `SELECT k, COUNT(*) AS n, ROUND(AVG(x), 2) AS a, SUM(amount_cents) / 100.0 AS total, 100.0 * SUM(a) / SUM(b) AS share, AVG(CASE WHEN late THEN 1.0 ELSE 0 END) AS late, SUM(ms) / 60000.0 AS minutes, DATE_DIFF('day', a, b) AS d, CAST(AVG(x) AS INT) AS w, SUM(m_usd) FROM t GROUP BY k`
	items := units.OfQuery(sqlparts.Parse(sql, sqlparts.DuckDB), 10, nil)
	if items == nil {
		t.Fatal("not read")
	}
	for i, want := range []struct {
		stated                                      string
		counts, rounds, divides, hundreds, averages bool
		digits                                      int
	}{
		{}, {counts: true}, {rounds: true, digits: 2, averages: true}, {stated: "cent"}, {divides: true, hundreds: true}, {divides: true, averages: true}, {stated: "min"}, {stated: "d"}, {rounds: true, averages: true}, {stated: "USD*million"},
	} {
		it := items[i]
		if shown(it.Stated) != want.stated || it.Counts != want.counts || it.Rounds != want.rounds || it.Divides != want.divides || it.Hundreds != want.hundreds || it.Digits != want.digits || it.Averages != want.averages {
			t.Errorf("item %d: %+v (%s)", i+1, it, shown(it.Stated))
		}
	}
	if how, _ := units.Compare(items[3].Stated, units.InName("total_usd", nil)); how != units.Same {
		t.Errorf("cents divided by 100 and dollars: %v", how)
	}
	if how, _ := units.Compare(items[6].Stated, units.InName("minutes", nil)); how != units.Same {
		t.Errorf("milliseconds divided by 60000 and minutes: %v", how)
	}
	twice := units.OfQuery(sqlparts.Parse("SELECT km * 2 AS there_and_back, price_usd * 0.9 AS reduced, amount_usd / 1000 AS k FROM t", sqlparts.DuckDB), 3, nil)
	for i, want := range []string{"", "", "USD*thousand"} {
		if got := shown(twice[i].Stated); got != want {
			t.Errorf("item %d: %q, want %q", i+1, got, want)
		}
	}
	if units.OfQuery(sqlparts.Parse("SELECT * FROM t", sqlparts.DuckDB), 1, nil) != nil {
		t.Error("a star says nothing of its columns")
	}
}

func BenchmarkInName(b *testing.B) {
	q := units.Asked("What is the total freight in US dollars for each shipper and month of the year 2024?")
	b.ReportAllocs()
	for b.Loop() {
		units.InName("customer_segment", q)
		units.InName("total_freight_usd", q)
	}
}

func BenchmarkMentions(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		units.Mentions("customer_segment")
	}
}

func BenchmarkAsked(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		units.Asked("What is the total freight in US dollars for each shipper and month of the year 2024?")
	}
}
