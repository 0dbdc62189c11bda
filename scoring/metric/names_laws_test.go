package metric

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/naming"
)

// namedPair is two results, and whether the names of their columns and the values under them let
// one answer for the other. Results are written "k, n: 'a', 1; 'b', 2", a type as "n:DOUBLE".
type namedPair struct {
	gold, pred       string
	equal            bool
	related          bool // equal to verdict alone
	question         string
	goldSQL, predSQL string
}

// result is the JSON of a result.
func (p *namedPair) result(t *testing.T, text string) map[string]any {
	t.Helper()
	head, rows, _ := strings.Cut(text, ": ")
	var columns []map[string]string
	for _, name := range strings.Split(head, ", ") {
		name, typ, typed := strings.Cut(name, ":")
		c := map[string]string{"name": name}
		if typed {
			c["type"] = typ
		}
		columns = append(columns, c)
	}
	var cells [][]any
	if err := json.Unmarshal([]byte("[["+strings.ReplaceAll(strings.ReplaceAll(rows, "'", `"`), "; ", "],[")+"]]"), &cells); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return map[string]any{"columns": columns, "rows": cells}
}

func (p *namedPair) check(t *testing.T, engine *scoring.Engine) {
	t.Helper()
	side := func(text, sql string) map[string]any {
		m := map[string]any{"result": p.result(t, text)}
		if sql != "" {
			m["sql"] = sql
		}
		return m
	}
	text, err := json.Marshal(map[string]any{"case_id": "x", "question": p.question, "gold": side(p.gold, p.goldSQL), "agent": side(p.pred, p.predSQL)})
	if err != nil {
		t.Fatal(err)
	}
	c, err := scoring.DecodeCase(text)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := engine.Score(t.Context(), c, "hybrid_ex", "verdict")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scores {
		accepted := s.Status == scoring.StatusOK && s.Value == 1
		if accepted != p.equal && !(p.equal && p.related && s.Metric == "hybrid_ex") {
			t.Errorf("%s | %s: %s accepts it: %v (%s)", p.gold, p.pred, s.Metric, accepted, s.Reason)
		}
	}
}

func namedEngine(t *testing.T) *scoring.Engine {
	t.Helper()
	engine, err := scoring.NewEngine(All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

// TestOppositesEverywhere checks, for the words of every axis of opposites, that their values may
// not change places, whatever words of the poles the answer uses, and may stand in any order.
func TestOppositesEverywhere(t *testing.T) {
	engine := namedEngine(t)
	pairs := 0
	for _, axis := range naming.Axes() {
		for p := range axis.Poles {
			for q := p + 1; q < len(axis.Poles); q++ {
				a, b := axis.Poles[p], axis.Poles[q]
				for k := range max(len(a), len(b)) {
					va, vb := a[k%len(a)], b[k%len(b)]
					ua, ub := a[(k+1)%len(a)], b[(k+1)%len(b)]
					if k%3 == 1 {
						ua, ub = ua+" value", ub+" value"
					}
					gold := fmt.Sprintf("site, %s, %s: 'Graz', 151.5, 72.25; 'Linz', 13.75, 24.5; 'Wels', 45, 61.5", va, vb)
					right := namedPair{gold: gold, pred: fmt.Sprintf("site, %s, %s: 'Graz', 72.25, 151.5; 'Linz', 24.5, 13.75; 'Wels', 61.5, 45", ub, ua), equal: true}
					crossed := namedPair{gold: gold, pred: fmt.Sprintf("site, %s, %s: 'Graz', 151.5, 72.25; 'Linz', 13.75, 24.5; 'Wels', 45, 61.5", ub, ua)}
					right.check(t, engine)
					crossed.check(t, engine)
					pairs++
				}
			}
		}
	}
	t.Logf("%d pairs of headers", pairs)
}

// The pairs below stand on both sides of the border of what names say.
var namedPairs = map[string][]namedPair{
	"headers in other words": {
		{gold: "plot, wet_yield, dry_yield: 1, 5.5, 3.25; 2, 6.5, 4.75", pred: "plot, yield_dry_season, yield_wet_season: 1, 3.25, 5.5; 2, 4.75, 6.5", equal: true},
		{gold: "shop, purchases, sales: 'a', 51, 72; 'b', 62, 30", pred: "shop, bought, sold: 'a', 51, 72; 'b', 62, 30", equal: true},
		{gold: "shop, purchases, sales: 'a', 51, 72; 'b', 62, 30", pred: "shop, sold, bought: 'a', 51, 72; 'b', 62, 30"},
		{gold: "road, inbound_cars, outbound_cars: 'A1', 210, 145; 'A9', 98, 120", pred: "road, cars_leaving, cars_entering: 'A1', 145, 210; 'A9', 120, 98", equal: true},
		{gold: "road, inbound_cars, outbound_cars: 'A1', 210, 145; 'A9', 98, 120", pred: "road, cars_leaving, cars_entering: 'A1', 210, 145; 'A9', 98, 120"},
		{gold: "ward, admissions, discharges: 'C', 31, 28; 'D', 12, 19", pred: "ward, released, admitted: 'C', 28, 31; 'D', 19, 12", equal: true},
		{gold: "ward, admissions, discharges: 'C', 31, 28; 'D', 12, 19", pred: "ward, released, admitted: 'C', 31, 28; 'D', 12, 19"},
		{gold: "bank, deposits, withdrawals: 'x', 1200.5, 900.25; 'y', 340.5, 410.75", pred: "bank, paid_out, paid_in: 'x', 1200.5, 900.25; 'y', 340.5, 410.75"},
		{gold: "bank, deposits, withdrawals: 'x', 1200.5, 900.25; 'y', 340.5, 410.75", pred: "bank, paid_in, paid_out: 'x', 1200.5, 900.25; 'y', 340.5, 410.75", equal: true},
		{gold: "case, plaintiff, defendant: 7, 'Orr', 'Lunt'; 8, 'Pike', 'Webb'", pred: "case, accused, claimant: 7, 'Orr', 'Lunt'; 8, 'Pike', 'Webb'"},
		{gold: "case, plaintiff, defendant: 7, 'Orr', 'Lunt'; 8, 'Pike', 'Webb'", pred: "case, accused, claimant: 7, 'Lunt', 'Orr'; 8, 'Webb', 'Pike'", equal: true},
		{gold: "flight, origin, destination: 'LX1', 'ZRH', 'OSL'; 'LX2', 'GVA', 'RIX'", pred: "flight, arrival_airport, departure_airport: 'LX1', 'ZRH', 'OSL'; 'LX2', 'GVA', 'RIX'"},
		{gold: "flight, origin, destination: 'LX1', 'ZRH', 'OSL'; 'LX2', 'GVA', 'RIX'", pred: "flight, dest, src: 'LX1', 'OSL', 'ZRH'; 'LX2', 'RIX', 'GVA'", equal: true},
		{gold: "unit, forecast, actual: 'u1', 410, 395; 'u2', 120, 133", pred: "unit, realized, budgeted: 'u1', 410, 395; 'u2', 120, 133"},
		{gold: "unit, forecast, actual: 'u1', 410, 395; 'u2', 120, 133", pred: "unit, realized, budgeted: 'u1', 395, 410; 'u2', 133, 120", equal: true},
		{gold: "site, before, after: 's', 4.5, 3.25; 't', 6.75, 5.5", pred: "site, post_treatment, pre_treatment: 's', 4.5, 3.25; 't', 6.75, 5.5"},
		{gold: "vote, ayes, nays: 1, 310, 290; 2, 285, 301", pred: "vote, opposed, in_favour: 1, 310, 290; 2, 285, 301"},
		{gold: "vote, ayes, nays: 1, 310, 290; 2, 285, 301", pred: "vote, opposed, in_favour: 1, 290, 310; 2, 301, 285", equal: true},
		{gold: "lab, true_positives, false_positives: 'p', 91, 8; 'q', 75, 13", pred: "lab, fp, tp: 'p', 91, 8; 'q', 75, 13"},
		{gold: "link, uploaded_gb, downloaded_gb: 'w', 4.5, 31.25; 'z', 2.75, 18.5", pred: "link, dl_gb, ul_gb: 'w', 4.5, 31.25; 'z', 2.75, 18.5"},
		{gold: "couple, husband, wife: 1, 'Ole', 'Ida'; 2, 'Per', 'Eva'", pred: "couple, bride, groom: 1, 'Ole', 'Ida'; 2, 'Per', 'Eva'"},
		{gold: "net, gross: 80.25, 100.5; 61.75, 70.5", pred: "netAmt, grossAmt: 100.5, 80.25; 70.5, 61.75"},
		{gold: "net, gross: 80.25, 100.5; 61.75, 70.5", pred: "grossAmt, netAmt: 100.5, 80.25; 70.5, 61.75", equal: true},
		{gold: "sku, height_cm, width_cm: 'b', 31, 17; 'c', 28, 45", pred: "sku, width, height: 'b', 31, 17; 'c', 28, 45"},
		{gold: "name, city: 'Ann', 'Oslo'; 'Bob', 'Rome'", pred: "city_name, hometown: 'Ann', 'Oslo'; 'Bob', 'Rome'", equal: true},
		{gold: "customer, total: 'Ann', 40.5; 'Bob', 50.25", pred: "name, customer_spend: 'Ann', 40.5; 'Bob', 50.25", equal: true},
		{gold: "month, revenue: 'Jan', 40.5; 'Feb', 50.25", pred: "revenue_month, total: 'Jan', 40.5; 'Feb', 50.25", equal: true},
		{gold: "item, count: 'x', 412; 'y', 377", pred: "label, item_count: 'x', 412; 'y', 377", equal: true},
		{gold: "land, area_km2, population: 'A', 300, 5100; 'B', 410, 7200", pred: "land, inhabitants, surface: 'A', 300, 5100; 'B', 410, 7200"},
		{gold: "land, area_km2, population: 'A', 300, 5100; 'B', 410, 7200", pred: "land, inhabitants, surface: 'A', 5100, 300; 'B', 7200, 410", equal: true},
		{gold: "song, artist, composer: 's', 'Ann', 'Bob'; 't', 'Cyd', 'Dan'", pred: "song, writer, performer: 's', 'Ann', 'Bob'; 't', 'Cyd', 'Dan'"},
		{gold: "parcel, order_date, ship_date: 1, '2014-01-03', '2014-01-09'; 2, '2020-02-01', '2020-02-04'", pred: "parcel, shipped_on, ordered_on: 1, '2014-01-03', '2014-01-09'; 2, '2020-02-01', '2020-02-04'"},
		{gold: "bed, occupied, vacant: 'n', 14, 6; 's', 11, 9", pred: "bed, free_beds, taken_beds: 'n', 14, 6; 's', 11, 9"},
	},
	"numbered headers": {
		{gold: "r, rent_2021, rent_2022: 'n', 410.5, 432.25; 's', 380.75, 395.5", pred: "r, 2022, 2021: 'n', 410.5, 432.25; 's', 380.75, 395.5"},
		{gold: "r, rent_2021, rent_2022: 'n', 410.5, 432.25; 's', 380.75, 395.5", pred: "r, fy22, fy21: 'n', 432.25, 410.5; 's', 395.5, 380.75", equal: true},
		{gold: "r, rent_2021, rent_2022: 'n', 410.5, 432.25; 's', 380.75, 395.5", pred: "r, fy22, fy21: 'n', 410.5, 432.25; 's', 380.75, 395.5"},
		{gold: "r, rent_2021, rent_2022: 'n', 410.5, 432.25; 's', 380.75, 395.5", pred: "r, this_year, last_year: 'n', 410.5, 432.25; 's', 380.75, 395.5"},
		{gold: "r, rent_2021, rent_2022: 'n', 410.5, 432.25; 's', 380.75, 395.5", pred: "r, this_year, last_year: 'n', 432.25, 410.5; 's', 395.5, 380.75", equal: true},
		{gold: "r, q1_units, q2_units: 'n', 41, 43; 's', 38, 39", pred: "r, units_second_quarter, units_first_quarter: 'n', 41, 43; 's', 38, 39"},
		{gold: "r, q1_units, q2_units: 'n', 41, 43; 's', 38, 39", pred: "r, units_second_quarter, units_first_quarter: 'n', 43, 41; 's', 39, 38", equal: true},
		{gold: "r, march, april: 'n', 41, 43; 's', 38, 39", pred: "r, apr, mar: 'n', 41, 43; 's', 38, 39"},
		{gold: "r, week_1, week_2: 'n', 41, 43; 's', 38, 39", pred: "r, w2, w1: 'n', 43, 41; 's', 39, 38", equal: true},
		{gold: "r, week_1, week_2: 'n', 41, 43; 's', 38, 39", pred: "r, w2, w1: 'n', 41, 43; 's', 38, 39"},
		{gold: "r, p50, p95: 'n', 41, 83; 's', 38, 99", pred: "r, percentile_95, percentile_50: 'n', 41, 83; 's', 38, 99"},
		{gold: "r, growth_2021: 'n', 4.5; 's', 3.25", pred: "r, growth_2022: 'n', 4.5; 's', 3.25"},
		{gold: "r, growth_2021: 'n', 4.5; 's', 3.25", pred: "r, growth: 'n', 4.5; 's', 3.25", equal: true},
		{gold: "a, name, name_1: 1, 'x', 'y'; 2, 'z', 'w'", pred: "a, name, name_2: 1, 'x', 'y'; 2, 'z', 'w'", equal: true},
	},
	"one-sided headers": {
		{gold: "depot, late_trips: 'a', 16; 'b', 12", pred: "depot, late_trips, punctual_trips: 'a', 299, 16; 'b', 233, 12"},
		{gold: "depot, late_trips: 'a', 16; 'b', 12", pred: "depot, punctual_trips: 'a', 16; 'b', 12"},
		{gold: "depot, late_trips: 'a', 16; 'b', 12", pred: "depot, delayed: 'a', 16; 'b', 12", equal: true},
		{gold: "org, members: 'a', 16; 'b', 12", pred: "org, members, visits: 'a', 299, 16; 'b', 233, 12"},
		{gold: "org, members: 'a', 16; 'b', 12", pred: "org, visits, active_members: 'a', 299, 16; 'b', 233, 12", equal: true},
		{gold: "id, pay: 4, 16.5; 5, 12.25", pred: "id, worker_id, pay: 90, 4, 16.5; 91, 5, 12.25", equal: true},
		{gold: "shop, win_loss_ratio: 'a', 1.5; 'b', 2.25", pred: "shop, wins_per_loss: 'a', 1.5; 'b', 2.25", equal: true},
		{gold: "team, home_win: 'a', 151; 'b', 225", pred: "team, away_loss: 'a', 151; 'b', 225", equal: true},
		{gold: "k, amount_in_usd: 'a', 15.5; 'b', 22.25", pred: "k, amount_out: 'a', 15.5; 'b', 22.25", equal: true},
		{gold: "k, opening_balance: 'a', 15.5; 'b', 22.25", pred: "k, closing_balance: 'a', 15.5; 'b', 22.25"},
		{gold: "k, oldest_invoice: 'a', 15; 'b', 22", pred: "k, latest_invoice: 'a', 15; 'b', 22"},
	},
	"negated flags": {
		{gold: "boat, licensed: 'a', true; 'b', false; 'c', true", pred: "boat, unlicensed: 'a', true; 'b', false; 'c', true"},
		{gold: "boat, licensed: 'a', true; 'b', false; 'c', true", pred: "boat, unlicensed: 'a', false; 'b', true; 'c', false", equal: true, related: true},
		{gold: "boat, licensed: 'a', true; 'b', false; 'c', true", pred: "boat, not_licensed: 'a', 'no'; 'b', 'yes'; 'c', 'no'", equal: true, related: true},
		{gold: "boat, licensed: 'a', true; 'b', false; 'c', true", pred: "boat, not_licensed: 'a', 'yes'; 'b', 'no'; 'c', 'yes'"},
		{gold: "boat, licensed: 'a', true; 'b', false; 'c', true", pred: "boat, licensed: 'a', false; 'b', true; 'c', false"},
		{gold: "boat, licensed: 'a', true; 'b', false; 'c', true", pred: "boat, unlicensed: 'a', false; 'b', true; 'c', true"},
		{gold: "boat, seaworthy: 'a', true; 'b', false", pred: "boat, non_seaworthy: 'a', false; 'b', true", equal: true, related: true},
		{gold: "host, has_visa: 'a', true; 'b', false; 'c', false", pred: "host, no_visa: 'a', true; 'b', false; 'c', false"},
		{gold: "host, visas: 'a', 412; 'b', 377", pred: "host, no_visas: 'a', 412; 'b', 377", equal: true},
		{gold: "host, has_children: 'a', true; 'b', false; 'c', false", pred: "host, childless: 'a', true; 'b', false; 'c', false"},
		{gold: "firm, profit: 'a', 3; 'b', -3", pred: "firm, loss: 'a', -3; 'b', 3", equal: true, related: true},
		{gold: "form, complete: 'a', true; 'b', false; 'c', true", pred: "form, is_incomplete: 'a', true; 'b', false; 'c', true"},
		{gold: "form, complete: 'a', true; 'b', false; 'c', true", pred: "form, is_complete: 'a', 1; 'b', 0; 'c', 1", equal: true},
		{gold: "gate, position: 'g1', 'open'; 'g2', 'closed'; 'g3', 'closed'", pred: "gate, is_shut: 'g1', false; 'g2', true; 'g3', true", equal: true, related: true},
		{gold: "gate, position: 'g1', 'open'; 'g2', 'closed'; 'g3', 'closed'", pred: "gate, is_shut: 'g1', true; 'g2', false; 'g3', false"},
		{gold: "exam, verdict: 'x', 'passed'; 'y', 'failed'", pred: "exam, failed: 'x', true; 'y', false"},
		{gold: "firm, units: 'a', 412; 'b', 377", pred: "firm, discount_units: 'a', 412; 'b', 377", equal: true},
	},
	"pivots": {
		{gold: "area, fate, n: 'N', 'survived', 51; 'N', 'died', 72; 'S', 'survived', 13; 'S', 'died', 24", pred: "area, deaths, survivors: 'N', 72, 51; 'S', 24, 13", equal: true},
		{gold: "area, fate, n: 'N', 'survived', 51; 'N', 'died', 72; 'S', 'survived', 13; 'S', 'died', 24", pred: "area, deaths, survivors: 'N', 51, 72; 'S', 13, 24"},
		{gold: "area, year, n: 'N', 2019, 51; 'N', 2020, 72; 'S', 2019, 13; 'S', 2020, 24", pred: "area, this_year, previous_year: 'N', 51, 72; 'S', 13, 24"},
		{gold: "area, year, n: 'N', 2019, 51; 'N', 2020, 72; 'S', 2019, 13; 'S', 2020, 24", pred: "area, this_year, previous_year: 'N', 72, 51; 'S', 24, 13", equal: true},
		{gold: "area, year, n: 'N', 2019, 51; 'N', 2020, 72; 'S', 2019, 13; 'S', 2020, 24", pred: "area, y19, y20: 'N', 72, 51; 'S', 24, 13"},
		{gold: "area, q1, q2: 'N', 51, 72; 'S', 13, 24", pred: "area, quarter, n: 'N', 'second quarter', 72; 'N', 'first quarter', 51; 'S', 'second quarter', 24; 'S', 'first quarter', 13", equal: true},
		{gold: "area, q1, q2: 'N', 51, 72; 'S', 13, 24", pred: "area, quarter, n: 'N', 'first quarter', 72; 'N', 'second quarter', 51; 'S', 'first quarter', 24; 'S', 'second quarter', 13"},
		{gold: "enrolled, pupils: true, 871; false, 129", pred: "enrolled_pupils, not_enrolled: 871, 129", equal: true},
		{gold: "enrolled, pupils: true, 871; false, 129", pred: "enrolled_pupils, not_enrolled: 129, 871"},
		{gold: "vaccinated, pupils: 'yes', 871; 'no', 129", pred: "unvaccinated, vaccinated: 129, 871", equal: true},
		{gold: "vaccinated, pupils: 'yes', 871; 'no', 129", pred: "unvaccinated, vaccinated: 871, 129"},
		{gold: "area, month, n: 'N', '2021-03-01', 51; 'N', '2021-04-01', 72; 'S', '2021-03-01', 13; 'S', '2021-04-01', 24", pred: "area, apr, mar: 'N', 51, 72; 'S', 13, 24"},
		{gold: "way, n: 'inbound', 451; 'outbound', 372", pred: "departures, arrivals: 451, 372"},
		{gold: "way, n: 'inbound', 451; 'outbound', 372", pred: "departures, arrivals: 372, 451", equal: true},
	},
	"keys and names": {
		{gold: "branch_name, n: 'Ulm', 412; 'Jena', 377; 'Graz', 295", pred: "branch_id, n: 7, 412; 9, 377; 4, 295", equal: true, related: true},
		{gold: "branch_name, n: 'Ulm', 412; 'Jena', 377; 'Graz', 295", pred: "manager_id, n: 7, 412; 9, 377; 4, 295"},
		{gold: "branch_name, n: 'Ulm', 412; 'Jena', 377; 'Graz', 295", pred: "count_branch_id, n: 7, 412; 9, 377; 4, 295"},
		{gold: "branch_name, n: 'Ulm', 412; 'Jena', 377; 'Graz', 295", pred: "branch_id, n: 7, 412; 9, 377; 4, 295", question: "Give the name of each branch and its number of loans."},
		{gold: "branch_id, n: 7, 412; 9, 377; 4, 295", pred: "branch_name, n: 'Ulm', 412; 'Jena', 377; 'Graz', 295", question: "Loans per branch id."},
		{gold: "branch_id, n: 7, 412; 9, 377; 4, 295", pred: "branch_name, n: 'Ulm', 412; 'Jena', 377; 'Graz', 295", question: "How many loans has each branch?", equal: true, related: true},
		{
			gold: "name: 'Ulm'; 'Jena'", pred: "id: 7; 9", question: "Which branches gave loans in May?", equal: true, related: true,
			goldSQL: "SELECT b.name FROM branch b JOIN loan l ON l.bid = b.id WHERE l.m = 5", predSQL: "SELECT b.id FROM branch b JOIN loan l ON l.bid = b.id WHERE l.m = 5",
		},
		{
			gold: "name: 'Ulm'; 'Jena'", pred: "bid: 7; 9", question: "Which branches gave loans in May?", equal: true, related: true,
			goldSQL: "SELECT b.name FROM branch b JOIN loan l ON l.bid = b.id WHERE l.m = 5", predSQL: "SELECT l.bid FROM branch b JOIN loan l ON l.bid = b.id WHERE l.m = 5",
		},
		{
			gold: "name: 'Ulm'; 'Jena'", pred: "id: 7; 9", question: "Which branches gave loans in May?",
			goldSQL: "SELECT b.name FROM branch b JOIN loan l ON l.bid = b.id WHERE l.m = 5", predSQL: "SELECT l.id FROM branch b JOIN loan l ON l.bid = b.id WHERE l.m = 5",
		},
		{
			gold: "name: 'Ulm'; 'Jena'", pred: "region_id: 7; 9", question: "Which branches gave loans in May?",
			goldSQL: "SELECT b.name FROM branch b JOIN loan l ON l.bid = b.id WHERE l.m = 5", predSQL: "SELECT b.region_id FROM branch b JOIN loan l ON l.bid = b.id WHERE l.m = 5",
		},
		{
			gold: "name: 'Ulm'; 'Jena'", pred: "product_id: 7; 9", question: "Which branches gave loans in May?",
			goldSQL: "SELECT b.name FROM branch b JOIN loan l USING (branch_id) WHERE l.m = 5", predSQL: "SELECT l.product_id FROM branch b JOIN loan l USING (branch_id) WHERE l.m = 5",
		},
		{
			gold: "name: 'Ulm'; 'Jena'", pred: "branch_id: 7; 9", question: "Which branches gave loans in May?", equal: true, related: true,
			goldSQL: "SELECT b.name FROM branch b JOIN loan l USING (branch_id) WHERE l.m = 5", predSQL: "SELECT l.branch_id FROM branch b JOIN loan l USING (branch_id) WHERE l.m = 5",
		},
		{gold: "COUNT(DISTINCT branch_name): 40", pred: "COUNT(DISTINCT loan_id): 212", goldSQL: "SELECT COUNT(DISTINCT branch_name) FROM l", predSQL: "SELECT COUNT(DISTINCT loan_id) FROM l"},
		{gold: "last_branch: 'Ulm'", pred: "last_id: 212", goldSQL: "SELECT MAX(branch_name) AS last_branch FROM l", predSQL: "SELECT MAX(branch_id) AS last_id FROM l"},
	},
	"short forms and codes": {
		{gold: "land, n: 'PT', 412; 'PL', 377; 'PY', 295", pred: "country, n: 'Portugal', 412; 'Poland', 377; 'Paraguay', 295", equal: true, related: true},
		{gold: "land, n: 'PT', 412; 'PL', 377; 'PY', 295", pred: "country, n: 'Poland', 412; 'Portugal', 377; 'Paraguay', 295"},
		{gold: "land, n: 'AT', 412; 'AU', 377", pred: "country, n: 'Australia', 412; 'Austria', 377"},
		{gold: "land, n: 'SUI', 412; 'SWE', 377; 'CRO', 295", pred: "country, n: 'Switzerland', 412; 'Sweden', 377; 'Croatia', 295", equal: true, related: true},
		{gold: "land, n: 'CHE', 412; 'CHL', 377", pred: "country, n: 'Chile', 412; 'Switzerland', 377"},
		{gold: "land, n: 'AUT', 412; 'AUS', 377", pred: "country, n: 'AT', 412; 'AU', 377", equal: true, related: true},
		{gold: "state, n: 'AK', 412; 'AR', 377; 'AZ', 295", pred: "state, n: 'Alaska', 412; 'Arkansas', 377; 'Arizona', 295", equal: true, related: true},
		{gold: "state, n: 'AK', 412; 'AR', 377; 'AZ', 295", pred: "state, n: 'Arkansas', 412; 'Alaska', 377; 'Arizona', 295"},
		{gold: "state, n: 'AL', 412; 'IA', 377", pred: "state, n: 'Alaska', 412; 'Idaho', 377"},
		{gold: "province, n: 'BC', 412; 'ON', 377", pred: "province, n: 'British Columbia', 412; 'Ontario', 377", equal: true, related: true},
		{gold: "cur, n: 'SEK', 412; 'NOK', 377", pred: "cur, n: 'Swedish krona', 412; 'Norwegian krone', 377", equal: true, related: true},
		{gold: "cur, n: 'SEK', 412; 'NOK', 377", pred: "cur, n: 'Norwegian krone', 412; 'Swedish krona', 377"},
		{gold: "lang, n: 'de', 412; 'da', 377", pred: "lang, n: 'German', 412; 'Danish', 377", equal: true, related: true},
		{gold: "lang, n: 'de', 412; 'da', 377", pred: "lang, n: 'Danish', 412; 'German', 377"},
		{gold: "m, n: 'Aug', 412; 'Apr', 377", pred: "m, n: 'August', 412; 'April', 377", equal: true, related: true},
		{gold: "m, n: 'Aug', 412; 'Apr', 377", pred: "m, n: 'April', 412; 'August', 377"},
		{gold: "d, n: 'Su', 412; 'Sa', 377", pred: "d, n: 'Saturday', 412; 'Sunday', 377"},
		{gold: "team, n: 'QA', 412; 'PR', 377", pred: "team, n: 'Quality Assurance', 412; 'Public Relations', 377", equal: true, related: true},
		{gold: "team, n: 'QA', 412; 'PR', 377", pred: "team, n: 'Public Relations', 412; 'Quality Assurance', 377"},
		{gold: "team, n: 'R&D', 412; 'PR', 377", pred: "team, n: 'Research & Development', 412; 'Public Relations', 377", equal: true, related: true},
		{gold: "team, n: 'SA', 412; 'SP', 377", pred: "team, n: 'Sales', 412; 'Support', 377"},
		{gold: "team, n: 'Acct', 412; 'Mktg', 377", pred: "team, n: 'Account', 412; 'Marketing', 377"},
		{gold: "grade, n: 'Jun', 412; 'Sen', 377", pred: "grade, n: 'Junior', 412; 'Senior', 377", equal: true, related: true},
		{gold: "grade, n: 'S', 412; 'St', 377", pred: "grade, n: 'Steel', 412; 'Stone', 377"},
		{gold: "metal, n: 'Pb', 412; 'Pt', 377", pred: "metal, n: 'Lead', 412; 'Platinum', 377", equal: true, related: true},
		{gold: "metal, n: 'Pb', 412; 'Pt', 377", pred: "metal, n: 'Platinum', 412; 'Lead', 377"},
	},
}

// TestNames checks the pairs.
func TestNames(t *testing.T) {
	engine := namedEngine(t)
	for what, pairs := range namedPairs {
		t.Run(what, func(t *testing.T) {
			for i := range pairs {
				pairs[i].check(t, engine)
			}
		})
	}
}
