package relation_test

import "testing"

// TestQuestionDecides states pairs of results whose relation hangs on the question, or on what the
// queries ask for, with the first relation on each side of the border.
func TestQuestionDecides(t *testing.T) {
	const (
		best     = "SELECT crew, SUM(catch) AS kg FROM hauls GROUP BY crew ORDER BY kg DESC LIMIT 3"
		bestOnly = "SELECT crew FROM hauls GROUP BY crew ORDER BY SUM(catch) DESC LIMIT 3"
		three    = "crew, kg: ['Nora', 812.5], ['Elbe', 640], ['Ahoi', 602.25]"
		crews    = "crew: ['Nora'], ['Elbe'], ['Ahoi']"

		legs     = "SELECT port FROM legs WHERE voyage = 9 ORDER BY leg"
		ports    = "port: ['Kiel'], ['Riga'], ['Oslo'], ['Bergen']"
		byName   = "port: ['Bergen'], ['Kiel'], ['Oslo'], ['Riga']"
		numbered = "no, port: [1, 'Kiel'], [2, 'Riga'], [3, 'Oslo'], [4, 'Bergen']"
		counted  = "no, port: [4, 'Kiel'], [3, 'Riga'], [2, 'Oslo'], [1, 'Bergen']"

		spills     = "SELECT COUNT(*) AS n FROM spills WHERE port = 'Riga' AND year = 2021"
		maxDraught = "SELECT MAX(draught) AS d FROM ships WHERE flag = 'MT'"
		none       = "d DOUBLE: [null]"
		zero       = "n: [0]"
	)
	for _, tc := range []struct {
		example
		want string
	}{
		// A column that is asked for next to the ranking.
		{example{question: "Top 3 crews with their catch in kg", gold: three, pred: crews, goldSQL: best, predSQL: bestOnly}, "dropped_asked"},
		{example{question: "Which 3 crews caught most, and how much?", gold: three, pred: crews, goldSQL: best, predSQL: bestOnly}, "dropped_asked"},
		{example{question: "The three best crews; also state what they caught", gold: three, pred: crews, goldSQL: best, predSQL: bestOnly}, "dropped_asked"},
		{example{question: "How many kg did the three best crews land?", gold: three, pred: crews, goldSQL: best, predSQL: bestOnly}, "dropped_asked"},
		{example{question: "Top 3 crews by catch (crew, kg)", gold: three, pred: crews, goldSQL: best, predSQL: bestOnly}, "dropped_asked"},
		{example{question: "Top 3 crews by catch", gold: three, pred: crews, goldSQL: best, predSQL: bestOnly}, "dropped_order_key"},
		{example{question: "Which three crews landed the largest catch?", gold: three, pred: crews, goldSQL: best, predSQL: bestOnly}, "dropped_order_key"},
		{example{question: "Name the 3 crews with the highest total catch.", gold: three, pred: crews, goldSQL: best, predSQL: bestOnly}, "dropped_order_key"},
		// A column that a condition holds to one value.
		{example{question: "List name and flag of the ships under flag MT", gold: "name, flag: ['Gozo', 'MT'], ['Comino', 'MT']", pred: "name: ['Gozo'], ['Comino']", goldSQL: "SELECT name, flag FROM ships WHERE flag = 'MT'", predSQL: "SELECT name FROM ships WHERE flag = 'MT'"}, "dropped_constant"},
		{example{question: "Which ships sail under MT?", gold: "name, flag: ['Gozo', 'MT'], ['Comino', 'MT']", pred: "name: ['Gozo'], ['Comino']", goldSQL: "SELECT name, flag FROM ships WHERE flag = 'MT'", predSQL: "SELECT name FROM ships WHERE flag = 'MT'"}, "dropped_filter"},
		// Order in any words.
		{example{question: "List the ports of voyage 9 from first to last.", gold: ports, pred: byName, goldSQL: legs}, "reordered"},
		{example{question: "In what sequence were the ports of voyage 9 called at?", gold: ports, pred: byName, goldSQL: legs}, "reordered"},
		{example{question: "Show the itinerary of voyage 9.", gold: ports, pred: byName, goldSQL: legs}, "reordered"},
		{example{question: "Which ports does voyage 9 call at?", gold: ports, pred: byName, goldSQL: legs}, "same"},
		{example{question: "List the ports of voyage 9 in any order.", gold: ports, pred: byName, goldSQL: legs}, "same"},
		// Both sort, each by something else.
		{example{question: "Which ports does voyage 9 call at?", gold: ports, pred: byName, goldSQL: legs, predSQL: "SELECT port FROM legs WHERE voyage = 9 ORDER BY port"}, "reordered"},
		{example{question: "Which ports does voyage 9 call at? The order does not matter.", gold: ports, pred: byName, goldSQL: legs, predSQL: "SELECT port FROM legs WHERE voyage = 9 ORDER BY port"}, "same"},
		{example{question: "Which ports does voyage 9 call at?", gold: ports, pred: byName, goldSQL: legs, predSQL: "SELECT port FROM legs WHERE voyage = 9"}, "same"},
		{example{question: "Which ports does voyage 9 call at?", gold: byName, pred: ports, goldSQL: "SELECT port FROM legs WHERE voyage = 9 ORDER BY port", predSQL: legs}, "same"},
		{example{question: "Catch of each crew", gold: "crew, kg: ['Ahoi', 5], ['Elbe', 9], ['Nora', 7]", pred: "crew, kg: ['Elbe', 9], ['Nora', 7], ['Ahoi', 5]", goldSQL: "SELECT crew, SUM(catch) AS kg FROM hauls GROUP BY crew ORDER BY crew", predSQL: "SELECT crew, SUM(catch) AS kg FROM hauls GROUP BY crew ORDER BY kg DESC"}, "same"},
		{example{question: "Which 3 crews caught most?", gold: crews, pred: "crew: ['Ahoi'], ['Elbe'], ['Nora']", goldSQL: bestOnly, predSQL: "SELECT crew FROM (" + bestOnly + ") AS b ORDER BY crew"}, "same"},
		// One of those that tie, where the question wants one or all.
		{example{question: "Which mare has the most foals?", gold: "mare: ['Fee'], ['Lila']", pred: "mare: ['Fee']", goldSQL: "SELECT mare FROM herd WHERE foals = (SELECT MAX(foals) FROM herd)", predSQL: "SELECT mare FROM herd ORDER BY foals DESC LIMIT 1"}, "tie_one"},
		{example{question: "Of all the mares, which one has the most foals?", gold: "mare: ['Fee'], ['Lila']", pred: "mare: ['Fee']", goldSQL: "SELECT mare FROM herd WHERE foals = (SELECT MAX(foals) FROM herd)", predSQL: "SELECT mare FROM herd ORDER BY foals DESC LIMIT 1"}, "tie_one"},
		{example{question: "Which mare has the most foals? If several tie, name each of them.", gold: "mare: ['Fee'], ['Lila']", pred: "mare: ['Fee']", goldSQL: "SELECT mare FROM herd WHERE foals = (SELECT MAX(foals) FROM herd)", predSQL: "SELECT mare FROM herd ORDER BY foals DESC LIMIT 1"}, "limit_shorter"},
		{example{question: "Show every mare with the most foals.", gold: "mare: ['Fee'], ['Lila']", pred: "mare: ['Fee']", goldSQL: "SELECT mare FROM herd WHERE foals = (SELECT MAX(foals) FROM herd)", predSQL: "SELECT mare FROM herd ORDER BY foals DESC LIMIT 1"}, "limit_shorter"},
		// What a thing is called, and another text about it.
		{example{question: "Which members owe a fee?", gold: "member_name: ['Ada'], ['Bo']", pred: "member_id: [7], [9]", goldSQL: "SELECT member_name FROM members WHERE owes", predSQL: "SELECT member_id FROM members WHERE owes"}, "key_for_name"},
		{example{question: "How do we reach the members who owe a fee?", gold: "phone: ['0123'], ['0456']", pred: "member_id: [7], [9]", goldSQL: "SELECT phone FROM members WHERE owes", predSQL: "SELECT member_id FROM members WHERE owes"}, "select_differs"},
		{example{question: "Write out who of the members owes a fee, by name.", gold: "member_name: ['Ada'], ['Bo']", pred: "member_id: [7], [9]", goldSQL: "SELECT member_name FROM members WHERE owes", predSQL: "SELECT member_id FROM members WHERE owes"}, "select_differs"},
		// Each once, in other words.
		{example{question: "Which vets came in May? Every vet only once.", gold: "vet: ['Kim'], ['Lee']", pred: "vet: ['Kim'], ['Kim'], ['Lee']", goldSQL: "SELECT DISTINCT vet FROM visits", predSQL: "SELECT vet FROM visits"}, "duplicates_against_question"},
		{example{question: "Which vets came in May?", gold: "vet: ['Kim'], ['Lee']", pred: "vet: ['Kim'], ['Kim'], ['Lee']", goldSQL: "SELECT DISTINCT vet FROM visits", predSQL: "SELECT vet FROM visits"}, "duplicates"},
		// A stored value is not an average.
		{example{question: "Best throw of each athlete", gold: "athlete, metres: ['Ann', 61.47], ['Bea', 58.52]", pred: "athlete, metres: ['Ann', 61.5], ['Bea', 58.5]", goldSQL: "SELECT athlete, metres FROM throws", predSQL: "SELECT athlete, ROUND(metres, 1) AS metres FROM throws"}, "select_differs"},
		{example{question: "Average throw of each athlete", gold: "athlete, metres: ['Ann', 61.47], ['Bea', 58.52]", pred: "athlete, metres: ['Ann', 61.5], ['Bea', 58.5]", goldSQL: "SELECT athlete, AVG(metres) AS metres FROM throws GROUP BY athlete", predSQL: "SELECT athlete, ROUND(AVG(metres), 1) AS metres FROM throws GROUP BY athlete"}, "rounded"},
		{example{question: "Best throw of each athlete", gold: "athlete, metres: ['Ann', 61.4731], ['Bea', 58.5216]", pred: "athlete, metres: ['Ann', 61.47], ['Bea', 58.52]", goldSQL: "SELECT athlete, metres FROM throws", predSQL: "SELECT athlete, ROUND(metres, 2) AS metres FROM throws"}, "rounded"},
		// Two columns of the answer; the question names one.
		{example{question: "Barrels tapped per cellar in 2019", gold: "cellar, barrels: ['A', 31], ['B', 27]", pred: "cellar, y2019, y2018: ['A', 12, 31], ['B', 15, 27]"}, "crossed"},
		{example{question: "Barrels tapped per cellar in 2018", gold: "cellar, barrels: ['A', 31], ['B', 27]", pred: "cellar, y2019, y2018: ['A', 12, 31], ['B', 15, 27]"}, "extra_columns"},
		{example{question: "Mares per stable", gold: "stable, horses: ['A', 31], ['B', 27]", pred: "stable, female, male: ['A', 12, 31], ['B', 15, 27]"}, "extra_columns"},
		{example{question: "Female horses per stable", gold: "stable, horses: ['A', 31], ['B', 27]", pred: "stable, female, male: ['A', 12, 31], ['B', 15, 27]"}, "crossed"},
		{example{question: "How many calves did each cow have?", gold: "cow, n: ['A', 31], ['B', 27]", pred: "cow, calves, twins: ['A', 12, 31], ['B', 15, 27]"}, "crossed"},
		{example{question: "How many calves did each cow have?", gold: "cow, n: ['A', 31], ['B', 27]", pred: "cow, twins, calves: ['A', 12, 31], ['B', 15, 27]"}, "extra_columns"},
		{example{question: "Milk by cow", gold: "cow, milk: ['A', 31], ['B', 27]", pred: "cow, total_milk, feed: ['A', 12, 31], ['B', 15, 27]"}, "crossed"},
		// What the data are in is not what is asked for.
		{example{question: "Tolls by bridge in euros (stored in cents)", gold: "bridge, tolls: ['A', 120.55], ['B', 98.25]", pred: "bridge, tolls: ['A', 12055], ['B', 9825]", goldSQL: "SELECT bridge, SUM(t) / 100.0 AS tolls FROM x GROUP BY bridge", predSQL: "SELECT bridge, SUM(t) AS tolls FROM x GROUP BY bridge"}, "multiplied"},
		{example{question: "Tolls by bridge in cents", gold: "bridge, tolls_eur: ['A', 120.55], ['B', 98.25]", pred: "bridge, tolls: ['A', 12055], ['B', 9825]"}, "unit_factor"},
		// A flag with the opposite meaning is not a key.
		{example{question: "Is each ticket valid?", gold: "id, valid: [1, 1], [2, 0], [3, 1]", pred: "id, valid: [1, 'no'], [2, 'yes'], [3, 'no']", goldSQL: "SELECT id, valid FROM l", predSQL: "SELECT id, IF(valid, 'no', 'yes') AS valid FROM l"}, "select_differs"},
		// A number per so many.
		{example{question: "Broken cups per 100 washed, by kitchen", gold: "kitchen, rate: ['A', 3.5], ['B', 1.25]", pred: "kitchen, rate: ['A', 0.035], ['B', 0.0125]", goldSQL: "SELECT kitchen, 100.0 * broken / washed AS rate FROM cups", predSQL: "SELECT kitchen, 1.0 * broken / washed AS rate FROM cups"}, "multiplied"},
		{example{question: "Rate of broken cups by kitchen", gold: "kitchen, rate: ['A', 3.5], ['B', 1.25]", pred: "kitchen, rate: ['A', 0.035], ['B', 0.0125]", goldSQL: "SELECT kitchen, 100.0 * broken / washed AS rate FROM cups", predSQL: "SELECT kitchen, 1.0 * broken / washed AS rate FROM cups"}, "scaled"},
		// By which day a period is called.
		{example{question: "Hatches per week", gold: "week_start, n: ['2023-05-01', 4], ['2023-05-08', 9]", pred: "week, n: ['2023-05-07', 4], ['2023-05-14', 9]"}, "formatted"},
		{example{question: "Hatches per week", gold: "week_start, n: ['2023-05-01', 4], ['2023-05-08', 9]", pred: "week_start, n: ['2023-05-07', 4], ['2023-05-14', 9]"}, "columns_in_common"},
		{example{question: "Hatches per week, each by its first day", gold: "week, n: ['2023-05-01', 4], ['2023-05-08', 9]", pred: "week, n: ['2023-05-07', 4], ['2023-05-14', 9]"}, "columns_in_common"},
		// Names in full.
		{example{question: "Jars by shelf keeper", gold: "keeper, jars: ['Nina Olt', 5], ['Paul Renn', 7]", pred: "keeper, jars: ['NO', 5], ['PR', 7]"}, "abbreviated"},
		{example{question: "Jars by shelf keeper, names written out", gold: "keeper, jars: ['Nina Olt', 5], ['Paul Renn', 7]", pred: "keeper, jars: ['NO', 5], ['PR', 7]"}, "columns_in_common"},
		// Who did something, and each of all.
		{example{question: "Which keepers broke a jar, and how many did they break?", gold: "keeper, jars: ['Nina', 5], ['Paul', 7]", pred: "keeper, jars: ['Nina', 5], ['Paul', 7], ['Vera', 0]"}, "zero_against_question"},
		{example{question: "Every shelf from which a jar fell, with the number of jars", gold: "shelf, jars: ['A', 5], ['B', 7]", pred: "shelf, jars: ['A', 5], ['B', 7], ['C', 0]"}, "superset"},
		{example{question: "How many jars did each keeper break?", gold: "keeper, jars: ['Nina', 5], ['Paul', 7]", pred: "keeper, jars: ['Nina', 5], ['Paul', 7], ['Vera', 0]"}, "zero_filled"},
		{example{question: "Broken jars of each keeper who is based in Gent", gold: "keeper, jars: ['Nina', 5], ['Paul', 7]", pred: "keeper, jars: ['Nina', 5], ['Paul', 7], ['Vera', 0]"}, "zero_filled"},
		// Nearly the same number of the same rows.
		{example{question: "How many different plates passed in June?", gold: "plates: [40210]", pred: "plates: [40877]", goldSQL: "SELECT COUNT(DISTINCT plate) AS plates FROM gates WHERE m = 6", predSQL: "SELECT APPROX_COUNT_DISTINCT(plate) AS plates FROM gates WHERE m = 6"}, "approximate"},
		{example{question: "How many different plates passed in June?", gold: "plates: [40210]", pred: "plates: [40877]", goldSQL: "SELECT COUNT(DISTINCT plate) AS plates FROM gates WHERE m = 6 AND NOT trial", predSQL: "SELECT APPROX_COUNT_DISTINCT(plate) AS plates FROM gates WHERE m = 6"}, "aggregate_differs"},
		{example{question: "90th percentile of the tare", gold: "p: [402.5]", pred: "p: [408.75]", goldSQL: "SELECT quantile_cont(tare, 0.9) AS p FROM gates", predSQL: "SELECT approx_quantile(tare, 0.9) AS p FROM gates"}, "approximate"},
		{example{question: "90th percentile of the tare", gold: "p: [402.5]", pred: "p: [408.75]", goldSQL: "SELECT quantile_cont(tare, 0.9) AS p FROM gates", predSQL: "SELECT approx_quantile(tare, 0.91) AS p FROM gates"}, "aggregate_differs"},
		// A value that gold's query writes.
		{example{question: "Foals per year in Jura", gold: "canton, year, n: ['Jura', 2020, 4], ['Jura', 2021, 6]", pred: "year, n: [2020, 4], [2021, 6]", goldSQL: "SELECT 'Jura' AS canton, year, n FROM f", predSQL: "SELECT year, n FROM f"}, "dropped_filter"},
		// Numbers of rows.
		{example{question: "Show the itinerary of voyage 9.", gold: ports, pred: numbered, goldSQL: legs}, "extra_columns"},
		{example{question: "Show the itinerary of voyage 9.", gold: ports, pred: counted, goldSQL: legs}, "reordered"},
		{example{question: "Show the itinerary of voyage 9.", gold: ports, pred: "x, port: [4, 'Kiel'], [3, 'Riga'], [2, 'Oslo'], [1, 'Bergen']", goldSQL: legs, predSQL: "SELECT ROW_NUMBER() OVER (ORDER BY port) AS x, port FROM legs"}, "reordered"},
		{example{question: "Show the itinerary of voyage 9.", gold: ports, pred: "hours, port: [4, 'Kiel'], [3, 'Riga'], [2, 'Oslo'], [1, 'Bergen']", goldSQL: legs}, "extra_columns"},
		{example{question: "Which ports does voyage 9 call at?", gold: ports, pred: counted, goldSQL: legs}, "extra_columns"},
		{example{question: "List the ports of voyage 9 in reverse order, with their number.", gold: ports, pred: counted, goldSQL: legs}, "extra_columns"},
		// Lists in a cell.
		{example{gold: "k, tags: ['a', 'Ida,Ben'], ['b', 'Cy,Dot,Eve']", pred: "k, tags: ['a', 'Ben,Ida'], ['b', 'Eve,Dot,Cy']"}, "list_reordered"},
		{example{gold: "k, podium: ['a', 'Ida,Ben'], ['b', 'Cy,Dot,Eve']", pred: "k, podium: ['a', 'Ben,Ida'], ['b', 'Eve,Dot,Cy']"}, "cells_differ"},
		{example{gold: "k, top_sellers: ['a', 'Ida,Ben'], ['b', 'Cy,Dot,Eve']", pred: "k, top_sellers: ['a', 'Ben,Ida'], ['b', 'Eve,Dot,Cy']"}, "cells_differ"},
		{example{gold: "k, waypoints: ['a', 'Ida,Ben'], ['b', 'Cy,Dot,Eve']", pred: "k, waypoints: ['a', 'Ben,Ida'], ['b', 'Eve,Dot,Cy']"}, "cells_differ"},
		{example{question: "List the guests of each tour in the order they signed up.", gold: "k, guests: ['a', 'Ida,Ben'], ['b', 'Cy,Dot,Eve']", pred: "k, guests: ['a', 'Ben,Ida'], ['b', 'Eve,Dot,Cy']"}, "cells_differ"},
		{example{question: "List the guests of each tour.", gold: "k, guests: ['a', 'Ida,Ben'], ['b', 'Cy,Dot,Eve']", pred: "k, guests: ['a', 'Ben,Ida'], ['b', 'Eve,Dot,Cy']"}, "list_reordered"},
		// A column that is not a count or a sum has no 0 for missing rows.
		{example{gold: "k, total_score_pct: ['a', 1], ['b', null]", pred: "k, total_score_pct: ['a', 1], ['b', 0]"}, "measures_differ"},
		{example{gold: "k, sum_growth DOUBLE: ['a', 1.5], ['b', null]", pred: "k, sum_growth DOUBLE: ['a', 1.5], ['b', 0]"}, "measures_differ"},
		{example{gold: "k, order_share DOUBLE: ['a', 0.5], ['b', null]", pred: "k, order_share DOUBLE: ['a', 0.5], ['b', 0]"}, "measures_differ"},
		{example{gold: "k, last_amount DOUBLE: ['a', 7.5], ['b', null]", pred: "k, last_amount DOUBLE: ['a', 7.5], ['b', 0]"}, "measures_differ"},
		{example{gold: "k, total_amount DOUBLE: ['a', 7.5], ['b', null]", pred: "k, total_amount DOUBLE: ['a', 7.5], ['b', 0]"}, "null_as_zero"},
		{example{gold: "k, number_of_rates: ['a', 7], ['b', null]", pred: "k, number_of_rates: ['a', 7], ['b', 0]"}, "null_as_zero"},
		{example{gold: "k, total_shares: ['a', 7], ['b', null]", pred: "k, total_shares: ['a', 7], ['b', 0]"}, "null_as_zero"},
		{example{gold: "k, total_mark: ['a', 17], ['b', null]", pred: "k, total_mark: ['a', 17], ['b', 0]"}, "measures_differ"},
		{example{gold: "k, number_of_readings: ['a', 17], ['b', null]", pred: "k, number_of_readings: ['a', 17], ['b', 0]"}, "null_as_zero"},
		{example{question: "How many nests does each bay hold? Leave blank what was never counted or not surveyed.", gold: "bay, nests: ['a', 7], ['b', null]", pred: "bay, nests: ['a', 7], ['b', 0]"}, "measures_differ"},
		{example{question: "Number of berths per quay; null where no data exist", gold: "quay, berths: ['a', 7], ['b', null]", pred: "quay, berths: ['a', 7], ['b', 0]"}, "measures_differ"},
		{example{question: "How many berths does each quay have? Unknown is shown as 0.", gold: "quay, berths: ['a', 7], ['b', null]", pred: "quay, berths: ['a', 7], ['b', 0]"}, "null_as_zero"},
		{example{question: "How many empty berths does each quay have?", gold: "quay, berths: ['a', 7], ['b', null]", pred: "quay, berths: ['a', 7], ['b', 0]"}, "null_as_zero"},
		{example{question: "How many missing crates does each depot report?", gold: "depot, crates: ['a', 7], ['b', null]", pred: "depot, crates: ['a', 7], ['b', 0]"}, "null_as_zero"},
		// Digits.
		{example{question: "The precise salt content of each basin", gold: "k, salt DOUBLE: ['a', 7.2478], ['b', 6.7712]", pred: "k, salt DOUBLE: ['a', 7.2], ['b', 6.8]"}, "measures_differ"},
		{example{question: "Exactly how deep is each basin?", gold: "k, depth DOUBLE: ['a', 7.2478], ['b', 6.7712]", pred: "k, depth DOUBLE: ['a', 7.2], ['b', 6.8]"}, "measures_differ"},
		{example{question: "How deep is each basin with exactly two sluices?", gold: "k, depth DOUBLE: ['a', 7.2478], ['b', 6.7712]", pred: "k, depth DOUBLE: ['a', 7.2], ['b', 6.8]"}, "rounded"},
		{example{question: "Mean draught of each class, to two decimals", gold: "k, d DOUBLE: ['a', 7.2478], ['b', 6.7712]", pred: "k, d DOUBLE: ['a', 7.2], ['b', 6.8]"}, "measures_differ"},
		{example{question: "Mean draught of each class, rounded to one decimal", gold: "k, d DOUBLE: ['a', 7.2512], ['b', 6.7534]", pred: "k, d DOUBLE: ['a', 7.3], ['b', 6.8]"}, "rounded"},
		// Results that many queries give.
		{example{gold: zero, pred: zero, goldSQL: spills, predSQL: "SELECT COUNT(*) AS n FROM spills WHERE port = 'Riga' AND year = 2012"}, "by_chance"},
		{example{gold: zero, pred: zero, goldSQL: spills, predSQL: "SELECT COUNT(*) AS n FROM leaks WHERE port = 'Riga' AND year = 2021"}, "by_chance"},
		{example{gold: zero, pred: zero, goldSQL: spills, predSQL: "SELECT 0 AS n"}, "by_chance"},
		{example{gold: zero, pred: zero, goldSQL: spills, predSQL: "SELECT COUNT(*) AS n FROM spills WHERE port = 'Riga' AND year = 2021 AND 1 = 2"}, "by_chance"},
		{example{gold: "n: [2]", pred: "n: [2]", goldSQL: spills, predSQL: "SELECT COUNT(*) AS n FROM spills WHERE port = 'Riga'"}, "by_chance"},
		{example{gold: none, pred: none, goldSQL: maxDraught, predSQL: "SELECT MIN(draught) AS d FROM ships WHERE flag = 'MT'"}, "by_chance"},
		{example{gold: none, pred: none, goldSQL: maxDraught, predSQL: "SELECT MAX(length) AS d FROM ships WHERE flag = 'MT'"}, "by_chance"},
		{example{gold: "port", pred: "port", goldSQL: "SELECT port FROM spills WHERE year = 2021", predSQL: "SELECT port FROM spills WHERE year > 2021"}, "by_chance"},
		{example{gold: "port", pred: "port", goldSQL: "SELECT port FROM spills WHERE year = 2021", predSQL: "SELECT s.port FROM spills AS s WHERE s.year IN (2021)"}, "both_empty"},
		{example{gold: zero, pred: zero, goldSQL: spills, predSQL: "SELECT COUNT(id) AS n FROM spills WHERE year = 2021 AND port = 'Riga'"}, "same"},
		{example{gold: zero, pred: zero, goldSQL: spills, predSQL: "SELECT COUNT(*) FILTER (WHERE port = 'Riga') AS n FROM spills WHERE year = 2021"}, "same"},
		{example{gold: none, pred: none, goldSQL: maxDraught, predSQL: "SELECT draught AS d FROM ships WHERE flag = 'MT' ORDER BY draught DESC LIMIT 1"}, "same"},
		{example{gold: "n: [212]", pred: "n: [212]", goldSQL: spills, predSQL: "SELECT COUNT(*) AS n FROM spills WHERE port = 'Riga' AND year = 2012"}, "same"},
		{example{gold: zero, pred: zero}, "same"},
		{example{gold: "ship", pred: "ship", goldSQL: "SELECT ship FROM ships WHERE launched = 1911", predSQL: "SELECT ship FROM ships WHERE scrapped = 1911"}, "by_chance"},
		{example{gold: zero, pred: zero, goldSQL: "SELECT COUNT(*) AS n FROM ships WHERE tonnage > 900", predSQL: "SELECT COUNT(*) AS n FROM ships WHERE crew > 900"}, "by_chance"},
		{example{gold: zero, pred: zero, goldSQL: "SELECT COUNT(*) AS n FROM ships WHERE tonnage > 900", predSQL: "SELECT COUNT(*) AS n FROM ships WHERE tonnage > 400"}, "by_chance"},
		{example{gold: zero, pred: zero, goldSQL: "SELECT COUNT(*) AS n FROM ships WHERE tonnage > 900", predSQL: "SELECT COUNT(*) AS n FROM ships WHERE tonnage >= 901"}, "same"},
		{example{gold: "n: [2]", pred: "n: [2]", goldSQL: "SELECT COUNT(*) AS n FROM ships WHERE steam AND paddles", predSQL: "SELECT COUNT(*) AS n FROM ships WHERE motor"}, "by_chance"},
		{example{gold: "ship", pred: "ship", goldSQL: "SELECT ship FROM crew GROUP BY ship HAVING COUNT(sailor) > 90", predSQL: "SELECT ship FROM (SELECT ship, COUNT(*) AS hands FROM crew GROUP BY ship) AS c WHERE hands > 90"}, "both_empty"},
		{example{gold: "x: [false]", pred: "x: [false]", goldSQL: "SELECT EXISTS (SELECT 1 FROM ships WHERE masts > 5) AS x", predSQL: "SELECT EXISTS (SELECT 1 FROM ships WHERE decks > 5) AS x"}, "by_chance"},
		{example{gold: "x: [false]", pred: "x: [false]", goldSQL: "SELECT EXISTS (SELECT 1 FROM ships WHERE masts > 5) AS x", predSQL: "SELECT COUNT(*) > 0 AS x FROM ships WHERE masts > 5"}, "same"},
		{example{gold: "n: [3]", pred: "n: [3]", goldSQL: "SELECT COUNT(DISTINCT captain_id) AS n FROM voyages", predSQL: "SELECT COUNT(DISTINCT ship_id) AS n FROM voyages"}, "by_chance"},
		{example{gold: "n: [3]", pred: "n: [3]", goldSQL: "SELECT COUNT(DISTINCT captain_id) AS n FROM voyages", predSQL: "SELECT COUNT(DISTINCT captain) AS n FROM voyages"}, "same"},
		{example{gold: "ship", pred: "ship", goldSQL: "SELECT ship FROM ships WHERE country = 'MT'", predSQL: "SELECT ship FROM ships WHERE country_code = 'MT'"}, "both_empty"},
		{example{gold: "ship: ['Gozo']", pred: "ship: ['Gozo']", goldSQL: "SELECT ship FROM ships ORDER BY launched LIMIT 1", predSQL: "SELECT ship FROM ships ORDER BY bought DESC LIMIT 1"}, "by_chance"},
		{example{gold: "ship: ['Gozo']", pred: "ship: ['Gozo']", goldSQL: "SELECT ship FROM ships ORDER BY launched LIMIT 1", predSQL: "SELECT ship FROM ships WHERE launched = (SELECT MIN(launched) FROM ships)"}, "same"},
		{example{gold: "ship: ['Gozo']", pred: "ship: ['Gozo']", goldSQL: "SELECT ship FROM crew GROUP BY ship ORDER BY COUNT(id) DESC LIMIT 1", predSQL: "SELECT ship FROM crew GROUP BY ship ORDER BY COUNT(name) DESC LIMIT 1"}, "same"},
		{example{gold: "ship: ['Gozo']", pred: "ship: ['Gozo']", goldSQL: "SELECT ship FROM ships ORDER BY launched LIMIT 1", predSQL: "SELECT 'Gozo' AS ship"}, "by_chance"},
	} {
		found := tc.find(t)
		if found[0].Name != tc.want {
			t.Errorf("%s gold (%s) pred (%s) %s | %s: %s, want %s", tc.question, tc.gold, tc.pred, tc.goldSQL, tc.predSQL, found[0].Name, tc.want)
		}
	}
}
