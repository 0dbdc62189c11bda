package relation_test

var _ = addExamples(map[string]examplesOf{
	"period_parts": {
		holds: []example{
			{why: "a label of a quarter", gold: "year, quarter, v: [2021, 3, 5.5], [2022, 1, 7.5]", pred: "period, v: ['2021-Q3', 5.5], ['2022-Q1', 7.5]"},
			{why: "the first day", gold: "yr, month, v: [2021, 11, 5.5], [2022, 1, 7.5]", pred: "v, month DATE: [5.5, '2021-11-01'], [7.5, '2022-01-01']"},
			{why: "split by the answer", gold: "month, v: ['2021-11', 5.5], ['2022-01', 7.5]", pred: "y, m, v: [2021, 11, 5.5], [2022, 1, 7.5]"},
			{why: "with the name of the month", gold: "month, v: ['2021-11', 5.5], ['2022-01', 7.5]", pred: "year, month, v: [2021, 'November', 5.5], [2022, 'January', 7.5]"},
			{why: "ISO weeks at the turn of a year", gold: "iso_year, iso_week, v: [2020, 53, 5.5], [2021, 1, 7.5]", pred: "week, v: ['2020-W53', 5.5], ['2021-W01', 7.5]"},
			{why: "with another column besides", gold: "half, v: ['2021-H2', 5.5], ['2022-H1', 7.5]", pred: "year, half, n, v: [2021, 2, 4, 5.5], [2022, 1, 6, 7.5]"},
		},
		almost: []example{
			{why: "another year", gold: "year, quarter, v: [2021, 3, 5.5], [2022, 1, 7.5]", pred: "period, v: ['2020-Q3', 5.5], ['2021-Q1', 7.5]"},
			{why: "a week of the calendar year", gold: "iso_year, iso_week, v: [2020, 53, 5.5], [2021, 1, 7.5]", pred: "week, v: ['2021-W53', 5.5], ['2021-W01', 7.5]"},
			{why: "quarters exchanged", gold: "year, quarter, v: [2021, 3, 5.5], [2022, 1, 7.5]", pred: "period, v: ['2022-Q1', 5.5], ['2021-Q3', 7.5]"},
			{why: "a rank is no quarter", gold: "year, rank, v: [2021, 3, 5.5], [2022, 1, 7.5]", pred: "period, v: ['2021-Q3', 5.5], ['2022-Q1', 7.5]"},
			{why: "another value", gold: "year, quarter, v: [2021, 3, 5.5], [2022, 1, 7.5]", pred: "period, v: ['2021-Q3', 5.5], ['2022-Q1', 9.5]"},
		},
	},
	"struct_parts": {
		holds: []example{
			{why: "columns for a struct", gold: "box, size JSON: ['S', {\"w\": 20, \"h\": 15}], ['L', {\"w\": 60, \"h\": 40}]", pred: "box, w, h: ['S', 20, 15], ['L', 60, 40]"},
			{why: "a struct for columns", gold: "k, lat, lon: ['a', 52.5, 13.4], ['b', 48.1, 11.5]", pred: "k, at JSON: ['a', {\"lon\": 13.4, \"lat\": 52.5}], ['b', {\"lon\": 11.5, \"lat\": 48.1}]"},
			{why: "with the name of the struct before", gold: "k, size JSON: ['S', {\"w\": 20, \"h\": 15}], ['L', {\"w\": 60, \"h\": 40}]", pred: "k, size_w, size_h: ['S', 20, 15], ['L', 60, 40]"},
		},
		almost: []example{
			{why: "exchanged", gold: "box, size JSON: ['S', {\"w\": 20, \"h\": 15}], ['L', {\"w\": 60, \"h\": 40}]", pred: "box, w, h: ['S', 15, 20], ['L', 40, 60]"},
			{why: "a member is missing", gold: "box, size JSON: ['S', {\"w\": 20, \"h\": 15, \"d\": 5}]", pred: "box, w, h: ['S', 20, 15]"},
			{why: "of other rows", gold: "box, size JSON: ['S', {\"w\": 20, \"h\": 15}], ['L', {\"w\": 60, \"h\": 40}]", pred: "box, w, h: ['L', 20, 15], ['S', 60, 40]"},
		},
	},
	"total_labelled": {
		holds: []example{
			{why: "NULL, as ROLLUP has it", second: true, gold: "region, v: ['Ost', 4], ['West', 6], [null, 10]", pred: "region, v: ['Ost', 4], ['West', 6], ['All', 10]"},
			{why: "two words", gold: "region, v: ['Ost', 4], ['West', 6], ['Grand total', 10]", pred: "region, v: ['all regions', 10], ['Ost', 4], ['West', 6]"},
		},
		almost: []example{
			{why: "another total", gold: "region, v: ['Ost', 4], ['West', 6], [null, 10]", pred: "region, v: ['Ost', 4], ['West', 6], ['All', 11]"},
			{why: "a group without a name is no total", gold: "region, v: ['Ost', 4], ['West', 6], [null, 3]", pred: "region, v: ['Ost', 4], ['West', 6], ['Nord', 3]"},
			{why: "no total", gold: "region, v: ['Ost', 4], ['West', 6], ['Total', 10]", pred: "region, v: ['Ost', 4], ['West', 6]"},
			{why: "the total of something else", gold: "region, v: ['Total Ost', 4], ['Total West', 6], ['Total', 10]", pred: "region, v: ['Total West', 4], ['Total Ost', 6], ['All', 10]"},
		},
	},
	"empty_for_null": {
		holds: []example{
			{why: "the question says empty", gold: "name, fax: ['a', '12'], ['b', '']", pred: "name, fax: ['a', '12'], ['b', null]", question: "Give the fax of each shop, empty if it has none."},
			{why: "the other way round", second: true, gold: "name, fax: ['a', '12'], ['b', null]", pred: "name, fax: ['a', '12'], ['b', '']", question: "Give the fax of each shop; leave it blank where there is none."},
		},
		almost: []example{
			{why: "the question does not", gold: "name, fax: ['a', '12'], ['b', '']", pred: "name, fax: ['a', '12'], ['b', null]", question: "Give the fax of each shop."},
			{why: "another value", gold: "name, fax: ['a', '12'], ['b', '']", pred: "name, fax: ['a', '13'], ['b', null]", question: "Give the fax of each shop, empty if it has none."},
		},
	},
	"approximate": {
		holds: []example{
			{why: "gold counts approximately", gold: "n: [34138551]", pred: "n: [34099240]", goldSQL: "SELECT APPROX_COUNT_DISTINCT(u) AS n FROM e", predSQL: "SELECT COUNT(DISTINCT u) AS n FROM e"},
			{why: "by groups", gold: "k, n: ['a', 1000], ['b', 2000]", pred: "k, n: ['a', 1010], ['b', 1990]", goldSQL: "SELECT k, uniq(u) AS n FROM e GROUP BY k", predSQL: "SELECT k, COUNT(DISTINCT u) AS n FROM e GROUP BY k"},
			{why: "a median", gold: "k, med: ['a', 120.4], ['b', 88.1]", pred: "k, med: ['a', 120.9], ['b', 88.0]", goldSQL: "SELECT k, APPROX_PERCENTILE(t, 0.5) AS med FROM e GROUP BY k", predSQL: "SELECT k, MEDIAN(t) AS med FROM e GROUP BY k"},
			{why: "of the same rows under other aliases", gold: "n: [34138551]", pred: "n: [34099240]", goldSQL: "SELECT APPROX_COUNT_DISTINCT(e.u) AS n FROM e JOIN f ON e.i = f.i WHERE f.host = 'a.org'", predSQL: "SELECT COUNT(DISTINCT x.u) AS n FROM e AS x JOIN f AS y ON x.i = y.i WHERE y.host = 'a.org'"},
		},
		almost: []example{
			{why: "both are exact", gold: "n: [34138551]", pred: "n: [34099240]", goldSQL: "SELECT COUNT(DISTINCT u) AS n FROM e", predSQL: "SELECT COUNT(DISTINCT u) AS n FROM e WHERE x > 1"},
			{why: "of another column", gold: "n: [34138551]", pred: "n: [34099240]", goldSQL: "SELECT APPROX_COUNT_DISTINCT(u) AS n FROM e", predSQL: "SELECT COUNT(DISTINCT repo) AS n FROM e"},
			{why: "too far", gold: "n: [34138551]", pred: "n: [30099240]", goldSQL: "SELECT APPROX_COUNT_DISTINCT(u) AS n FROM e", predSQL: "SELECT COUNT(DISTINCT u) AS n FROM e"},
			{why: "it counts rows", gold: "n: [34138551]", pred: "n: [34099240]", goldSQL: "SELECT APPROX_COUNT_DISTINCT(u) AS n FROM e", predSQL: "SELECT COUNT(u) AS n FROM e"},
			{why: "of other rows", gold: "n: [34138551]", pred: "n: [34099240]", goldSQL: "SELECT APPROX_COUNT_DISTINCT(u) AS n FROM e WHERE kind = 'a'", predSQL: "SELECT COUNT(DISTINCT u) AS n FROM e WHERE kind = 'b'"},
			{why: "of rows whose text differs before a point", gold: "n: [34138551]", pred: "n: [34099240]", goldSQL: "SELECT APPROX_COUNT_DISTINCT(u) AS n FROM e WHERE host = 'a.org'", predSQL: "SELECT COUNT(DISTINCT u) AS n FROM e WHERE host = 'b.org'"},
			{why: "of rows by the column of another table", gold: "n: [34138551]", pred: "n: [34099240]", goldSQL: "SELECT APPROX_COUNT_DISTINCT(e.u) AS n FROM e JOIN f ON e.i = f.i WHERE f.host = 'a'", predSQL: "SELECT COUNT(DISTINCT e.u) AS n FROM e JOIN f ON e.i = f.i WHERE e.host = 'a'"},
			{why: "of all rows", gold: "n: [34138551]", pred: "n: [34099240]", goldSQL: "SELECT APPROX_COUNT_DISTINCT(u) AS n FROM e WHERE kind = 'a'", predSQL: "SELECT COUNT(DISTINCT u) AS n FROM e"},
			{why: "of another table", gold: "n: [34138551]", pred: "n: [34099240]", goldSQL: "SELECT APPROX_COUNT_DISTINCT(u) AS n FROM e", predSQL: "SELECT COUNT(DISTINCT u) AS n FROM f"},
			{why: "a sum of it", gold: "n: [34138551]", pred: "n: [34099240]", goldSQL: "SELECT 2 * APPROX_COUNT_DISTINCT(u) AS n FROM e", predSQL: "SELECT COUNT(DISTINCT u) AS n FROM e"},
		},
	},
	"owed": {
		holds: []example{
			{why: "a debt", gold: "k, negative: ['a', -20471.2], ['b', -13900.7]", pred: "k, debt: ['a', 20471.2], ['b', 13900.7]"},
			{why: "an outflow", gold: "k, net_amount: ['a', -20471.2], ['b', -13900.7]", pred: "k, outflow: ['a', 20471.2], ['b', 13900.7]"},
		},
		almost: []example{
			{why: "nothing says so", gold: "k, negative: ['a', -20471.2], ['b', -13900.7]", pred: "k, amount: ['a', 20471.2], ['b', 13900.7]"},
			{why: "both are debts", gold: "k, debt: ['a', -20471.2], ['b', -13900.7]", pred: "k, debt: ['a', 20471.2], ['b', 13900.7]"},
			{why: "of both signs", gold: "k, balance: ['a', -20471.2], ['b', 13900.7]", pred: "k, debt: ['a', 20471.2], ['b', -13900.7]"},
		},
	},
})
