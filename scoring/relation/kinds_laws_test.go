package relation_test

const (
	distinctNames = "SELECT DISTINCT name FROM t JOIN v ON t.id = v.t"
	allNames      = "SELECT name FROM t JOIN v ON t.id = v.t"
)

// The relations that names, queries or enough values must bear out, with the neighbours that they
// do not bear out.
var _ = addExamples(map[string]examplesOf{
	"crossed": {
		holds: []example{
			{why: "least and greatest", gold: "k, min, max: ['a', 1, 9], ['b', 2, 8]", pred: "k, min, max: ['a', 9, 1], ['b', 8, 2]"},
			{why: "whatever the headers' case", gold: "debit, credit: [5, 7], [6, 8]", pred: "Debit, Credit: [7, 5], [8, 6]"},
			{why: "one row", gold: "home, away: [3, 1]", pred: "home, away: [1, 3]"},
			{why: "texts", gold: "first, last: ['Ann', 'Lee'], ['Bob', 'Ray']", pred: "first, last: ['Lee', 'Ann'], ['Ray', 'Bob']"},
			{why: "years, and the headers in another order", gold: "r, y2023, y2024: ['n', 10, 12], ['s', 20, 22]", pred: "y2024, r, y2023: [10, 'n', 12], [20, 's', 22]"},
			{why: "three in a round", gold: "x, y, z: [1, 2, 3], [4, 5, 6]", pred: "x, y, z: [2, 3, 1], [5, 6, 4]"},
		},
		almost: []example{
			{why: "the headers moved with their values", gold: "k, min, max: ['a', 1, 9], ['b', 2, 8]", pred: "max, min, k: [9, 1, 'a'], [8, 2, 'b']"},
			{why: "the answer's headers are other words", gold: "min, max: [1, 9], [2, 8]", pred: "greatest, least: [9, 1], [8, 2]"},
			{why: "headers that only number the columns", gold: "c1, c2: [1, 9], [2, 8]", pred: "c1, c2: [9, 1], [8, 2]"},
			{why: "one header for both", gold: "name, name: ['a', 'x'], ['b', 'y']", pred: "name, name: ['x', 'a'], ['y', 'b']"},
			{why: "the same values in both columns", gold: "a, b: [1, 1], [2, 2]", pred: "b, a: [1, 1], [2, 2]"},
			{why: "the rows do not agree either way", gold: "min, max: [1, 9], [2, 8]", pred: "min, max: [9, 2], [8, 1]"},
		},
	},
	"other_unit": {
		holds: []example{
			{why: "two currencies", gold: "k, price_usd: ['a', 1.5], ['b', 2.5]", pred: "k, price_eur: ['a', 1.5], ['b', 2.5]"},
			{why: "cells against the name", gold: "k, avg_days: ['a', 76.512], ['b', 75.463]", pred: "k, v: ['a', '76.51 hours'], ['b', '75.46 hours']"},
			{why: "cells against the question", gold: "k, freight: ['a', 160.5], ['b', 205.25]", pred: "k, freight: ['a', '€160.50'], ['b', '€205.25']", question: "What is the freight of each in US dollars?"},
			{why: "cells against gold's query", gold: "k, revenue: ['a', 160.5], ['b', 205.25]", pred: "k, revenue: ['a', '£160.50'], ['b', '£205.25']", goldSQL: "SELECT k, SUM(amount_usd) AS revenue FROM t GROUP BY k", predSQL: "SELECT 1, 2"},
			{why: "rates by the day and by the hour", gold: "k, calls_per_day: ['a', 30], ['b', 24]", pred: "k, calls_per_hour: ['a', 30], ['b', 24]"},
		},
		almost: []example{
			{why: "one unit in two spellings", gold: "k, price_usd: ['a', 1.5], ['b', 2.5]", pred: "k, price_dollars: ['a', 1.5], ['b', 2.5]"},
			{why: "one side says nothing", gold: "k, price_usd: ['a', 1.5], ['b', 2.5]", pred: "k, price: ['a', 1.5], ['b', 2.5]"},
			{why: "the question asks for both", gold: "k, freight: ['a', 160.5], ['b', 205.25]", pred: "k, freight: ['a', '€160.50'], ['b', '€205.25']", question: "What is the freight of each in euros and its tax in dollars?"},
			{why: "other numbers", gold: "k, price_usd: ['a', 1.5], ['b', 2.5]", pred: "k, price_eur: ['a', 1.4], ['b', 2.3]"},
		},
	},
	"by_chance": {
		holds: []example{
			{why: "a branch's number is as large as the count", gold: "visits: [3]", pred: "branch, staff: [3, 17]"},
			{why: "two short numbers", gold: "visits: [3], [5]", pred: "branch, staff: [3, 17], [5, 12]"},
		},
		almost: []example{
			{why: "the header says so", gold: "visits: [3]", pred: "visits, staff: [3, 17]"},
			{why: "in a word of its own", gold: "COUNT(*): [3]", pred: "n, staff: [3, 17]"},
			{why: "four digits", gold: "visits: [3127]", pred: "value, staff: [3127, 17]"},
			{why: "no other number is there", gold: "visits: [3]", pred: "value, staff: [3, 'Ann']"},
			{why: "the queries say so", gold: "visits: [3]", pred: "value, staff: [3, 17]", goldSQL: "SELECT COUNT(*) FROM v", predSQL: "SELECT COUNT(*), MAX(s) FROM v"},
			{why: "another column holds the rows together", gold: "k, visits: ['a', 3]", pred: "k, value, staff: ['a', 3, 17]"},
		},
	},
	"extra_columns": {
		holds:  []example{{why: "a column more", gold: "k: ['a'], ['b']", pred: "k, n: ['a', 4], ['b', 5]"}},
		almost: []example{{why: "and a row less", gold: "k: ['a'], ['b']", pred: "k, n: ['a', 4]"}, {why: "the only number may be any", gold: "visits: [3]", pred: "branch, staff: [3, 17]"}},
	},
	"permuted": {
		holds:  []example{{why: "number and name changed places", gold: "k, n: ['a', 4], ['b', 5]", pred: "n, k: [4, 'a'], [5, 'b']"}},
		almost: []example{{why: "the numbers belong to other names", gold: "k, n: ['a', 4], ['b', 5]", pred: "n, k: [5, 'a'], [4, 'b']"}, {why: "the headers stayed", gold: "min, max: [1, 9], [2, 8]", pred: "min, max: [9, 1], [8, 2]"}},
	},
	"unrounded": {
		holds: []example{{why: "an average as it is", gold: "share DOUBLE: [66.7], [50.1]", pred: "share DOUBLE: [66.67], [50.13]", goldSQL: "SELECT AVG(x) FROM t GROUP BY k", predSQL: "SELECT AVG(y) FROM t GROUP BY k"}},
		almost: []example{
			{why: "gold's query rounds", gold: "share DOUBLE: [66.7], [50.1]", pred: "share DOUBLE: [66.67], [50.13]", goldSQL: "SELECT ROUND(AVG(x)) FROM t GROUP BY k", predSQL: "SELECT AVG(x) FROM t GROUP BY k"},
			{why: "the answer shows fewer digits", gold: "share DOUBLE: [66.6667], [50.1234]", pred: "share DOUBLE: [66.67], [50.12]", goldSQL: "SELECT AVG(x) FROM t GROUP BY k", predSQL: "SELECT AVG(x) FROM t GROUP BY k"},
			{why: "gold's query is not known", gold: "share DOUBLE: [66.7], [50.1]", pred: "share DOUBLE: [66.67], [50.13]"},
		},
	},
	"null_column_asked": {
		holds:  []example{{why: "the phone is asked for", gold: "a, phone: [1, null], [2, null]", pred: "a: [1], [2]", question: "List each a and its phone."}},
		almost: []example{{why: "it is not", gold: "a, phone: [1, null], [2, null]", pred: "a: [1], [2]", question: "List each a."}},
	},
	"null_column_left_out": {
		holds:  []example{{why: "gold's second column says nothing", gold: "a, b: [1, null], [2, null]", pred: "a: [1], [2]"}},
		almost: []example{{why: "it says something of one row", gold: "a, b: [1, null], [2, 7]", pred: "a: [1], [2]"}, {why: "the question asks for it", gold: "a, phone: [1, null], [2, null]", pred: "a: [1], [2]", question: "List each a and its phone."}},
	},
	"zero_for_nothing": {
		holds: []example{
			{why: "a count over no rows", gold: "n", pred: "n: [0]"},
			{why: "a sum of nothing against a zero", gold: "total: [0]", pred: "total: [null]"},
			{why: "by the query", gold: "s", pred: "s: [0]", goldSQL: "SELECT SUM(x) FROM t GROUP BY k", predSQL: "SELECT SUM(x) FROM t"},
		},
		almost: []example{
			{why: "one is something", gold: "n", pred: "n: [1]"},
			{why: "an average of nothing is not 0", gold: "avg_n: [null]", pred: "avg_n: [0]"},
			{why: "a column more", gold: "id, n", pred: "n: [0]"},
		},
	},
	"duplicates": {
		holds: []example{
			{why: "the answer repeats what gold shows once", gold: "name: ['a'], ['b']", pred: "name: ['a'], ['b'], ['b']", goldSQL: distinctNames, predSQL: allNames},
			{why: "the reverse", gold: "name: ['a'], ['b'], ['b']", pred: "name: ['a'], ['b']", goldSQL: allNames, predSQL: distinctNames},
			{why: "by GROUP BY", gold: "name: ['a'], ['b']", pred: "name: ['a'], ['b'], ['b']", goldSQL: "SELECT name FROM t GROUP BY name", predSQL: allNames},
			{why: "by UNION", gold: "name: ['a'], ['b']", pred: "name: ['a'], ['b'], ['b']", goldSQL: "SELECT name FROM t UNION SELECT name FROM u", predSQL: "SELECT name FROM t UNION ALL SELECT name FROM u"},
			{why: "keys are of one thing", gold: "t_id: [1], [2], [2]", pred: "t_id: [1], [2]", goldSQL: "SELECT t_id FROM v", predSQL: "SELECT DISTINCT t_id FROM v"},
		},
		almost: []example{
			{why: "the third row is another", gold: "name, n: ['a', 1], ['b', 2]", pred: "name, n: ['a', 1], ['b', 2], ['b', 3]", goldSQL: distinctNames, predSQL: allNames},
			{why: "no queries", gold: "name: ['a'], ['b']", pred: "name: ['a'], ['b'], ['b']"},
			{why: "neither query drops repetitions", gold: "name: ['a'], ['b']", pred: "name: ['a'], ['b'], ['b']", goldSQL: "SELECT name FROM t", predSQL: allNames},
			{why: "a limit cuts other rows off", gold: "name: ['a'], ['b']", pred: "name: ['a'], ['b'], ['b']", goldSQL: distinctNames, predSQL: allNames + " LIMIT 3"},
			{why: "equal amounts are no one payment", gold: "amount: [5], [7], [7]", pred: "amount: [5], [7]", goldSQL: "SELECT amount FROM v", predSQL: "SELECT DISTINCT amount FROM v"},
			{why: "a join counts twice", gold: "name, n: ['a', 1], ['b', 2]", pred: "name, n: ['a', 1], ['b', 2], ['b', 2]", goldSQL: "SELECT DISTINCT name, COUNT(*) AS n FROM t GROUP BY name", predSQL: "SELECT name, COUNT(*) AS n FROM t GROUP BY name, id"},
		},
	},
	"duplicates_extra_columns": {
		holds: []example{{why: "a row for each of its visits", gold: "name: ['a'], ['b'], ['c']", pred: "name, visit: ['a', 7], ['a', 9], ['b', 8], ['c', 5]", goldSQL: distinctNames, predSQL: "SELECT name, visit FROM t JOIN v ON t.id = v.t"}},
		almost: []example{
			{why: "c is missing", gold: "name: ['a'], ['b'], ['c']", pred: "name, visit: ['a', 7], ['a', 9], ['b', 8], ['b', 5]", goldSQL: distinctNames, predSQL: "SELECT name, visit FROM t JOIN v ON t.id = v.t"},
			{why: "gold's query does not drop repetitions", gold: "name: ['a'], ['b'], ['c']", pred: "name, visit: ['a', 7], ['a', 9], ['b', 8], ['c', 5]", goldSQL: "SELECT name FROM t", predSQL: "SELECT * FROM t JOIN v ON t.id = v.t"},
		},
	},
	"repeated": {
		holds: []example{
			{why: "b twice", gold: "k, n: ['a', 1], ['b', 2]", pred: "k, n: ['a', 1], ['b', 2], ['b', 2]"},
			{why: "b once", gold: "n: [1], [2], [2]", pred: "n: [1], [2]"},
			{why: "with another column", gold: "name: ['a'], ['b']", pred: "name, visit: ['a', 7], ['a', 9], ['b', 8]"},
		},
		almost: []example{{why: "the queries say why", gold: "name: ['a'], ['b']", pred: "name: ['a'], ['b'], ['b']", goldSQL: distinctNames, predSQL: allNames}, {why: "the third row is another", gold: "k: ['a'], ['b']", pred: "k: ['a'], ['b'], ['c']"}},
	},
	"total_row": {
		holds: []example{
			{why: "it says so", gold: "k, v: ['a', 1], ['b', 2]", pred: "k, v: ['a', 1], ['b', 2], ['Total', 3]"},
			{why: "NULL, as ROLLUP leaves it", gold: "k, v: ['a', 1], ['b', 2]", pred: "k, v: ['a', 1], ['b', 2], [null, 3]"},
			{why: "by any name", gold: "k, v: ['a', 1], ['b', 2]", pred: "k, v: ['Sigma', 3], ['a', 1], ['b', 2]"},
			{why: "gold has it", gold: "k, v: ['a', 1], ['b', 2], ['All', 3]", pred: "k, v: ['a', 1], ['b', 2]"},
			{why: "of exact decimals", gold: "k, v DECIMAL: ['a', '0.1'], ['b', '0.2']", pred: "k, v DECIMAL: ['a', '0.1'], ['b', '0.2'], ['x', '0.3']"},
			{why: "beside an average", gold: "k, v, avg: ['a', 1, 5], ['b', 2, 6]", pred: "k, v, avg: ['a', 1, 5], ['b', 2, 6], ['Sum', 3, 5.5]"},
		},
		almost: []example{
			{why: "the row more is a group", gold: "k, v: ['a', 1], ['b', 2]", pred: "k, v: ['a', 1], ['b', 2], ['c', 4]"},
			{why: "a group of zero", gold: "k, v: ['a', 1], ['b', 2]", pred: "k, v: ['a', 1], ['b', 2], ['c', 0]"},
			{why: "of one other row", gold: "k, v: ['a', 1]", pred: "k, v: ['a', 1], ['b', 1]"},
			{why: "two rows more", gold: "k, v: ['a', 1], ['b', 2]", pred: "k, v: ['a', 1], ['b', 2], ['c', 3], ['d', 6]"},
			{why: "bare numbers", gold: "v: [1], [2]", pred: "v: [1], [2], [3]"},
		},
	},
	"zero_filled": {
		holds: []example{
			{why: "an agency without clients", gold: "agency, clients: [1, 2], [3, 1]", pred: "agency, clients: [1, 2], [2, 0], [3, 1]"},
			{why: "a sum over none is NULL", gold: "agency, clients, total_fee: ['x', 2, 9.5], ['z', 1, 3.5]", pred: "agency, clients, total_fee: ['x', 2, 9.5], ['y', 0, null], ['z', 1, 3.5]"},
			{why: "a count by its query", gold: "agency, c: ['x', 2], ['z', 1]", pred: "agency, c: ['x', 2], ['y', 0], ['z', 1]", goldSQL: "SELECT agency, COUNT(*) c FROM t GROUP BY agency", predSQL: "SELECT a.agency, COUNT(t.id) c FROM a LEFT JOIN t ON a.id = t.a GROUP BY a.agency"},
			{why: "revenue", gold: "month, revenue: ['May', 9.5], ['June', 3.5]", pred: "month, revenue: ['May', 9.5], ['June', 3.5], ['July', 0]"},
			{why: "a column called as SQL calls it", gold: "k, COUNT(*): ['x', 2], ['z', 1]", pred: "k, COUNT(t.id): ['x', 2], ['y', 0], ['z', 1]"},
		},
		almost: []example{
			{why: "the row more has a client", gold: "agency, clients: [1, 2], [3, 1]", pred: "agency, clients: [1, 2], [2, 1], [3, 1]"},
			{why: "gold's rows are not all there", gold: "agency, clients: [1, 2], [3, 1]", pred: "agency, clients: [1, 2], [2, 0], [3, 4]"},
			{why: "the group is one that gold has", gold: "agency, clients: [1, 2], [3, 1]", pred: "agency, clients: [1, 2], [1, 0], [3, 1]"},
			{why: "a temperature of 0 is no lack of one", gold: "city, temperature: ['Oslo', 2], ['Rome', 21]", pred: "city, temperature: ['Oslo', 2], ['Rome', 21], ['Bonn', 0]"},
			{why: "nor is an average", gold: "city, avg_score: ['Oslo', 2.5], ['Rome', 2]", pred: "city, avg_score: ['Oslo', 2.5], ['Rome', 2], ['Bonn', 0]"},
			{why: "by its query it is the least", gold: "city, n: ['Oslo', 2], ['Rome', 21]", pred: "city, n: ['Oslo', 2], ['Rome', 21], ['Bonn', 0]", goldSQL: "SELECT city, MIN(x) AS n FROM t GROUP BY city", predSQL: "SELECT city, MIN(x) AS n FROM t GROUP BY city"},
		},
	},
	"null_as_zero": {
		holds: []example{
			{why: "COALESCE to 0", gold: "k, n: ['a', 4], ['b', null], ['c', 6]", pred: "k, n: ['a', 4], ['b', 0], ['c', 6]"},
			{why: "the reverse", gold: "k, total: ['a', 4.5], ['b', 0]", pred: "k, total: ['a', 4.5], ['b', null]"},
			{why: "whole numbers of things", gold: "k, orders: ['a', 4], ['b', null]", pred: "k, orders: ['a', 4], ['b', 0]"},
			{why: "a sum by its query", gold: "k, x: ['a', 4], ['b', null]", pred: "k, x: ['a', 4], ['b', 0]", goldSQL: "SELECT k, SUM(y) AS x FROM t GROUP BY k", predSQL: "SELECT k, COALESCE(SUM(y), 0) AS x FROM t GROUP BY k"},
			{why: "in two sums", gold: "k, sales, quantity: ['a', 4.5, 2], ['b', null, null]", pred: "k, sales, quantity: ['a', 4.5, 2], ['b', 0, 0]"},
		},
		almost: []example{
			{why: "another number than 0", gold: "k, n: ['a', 4], ['b', null], ['c', 6]", pred: "k, n: ['a', 4], ['b', 1], ['c', 6]"},
			{why: "a zero of gold's is no NULL", gold: "k, n: ['a', 4], ['b', 0], ['c', null]", pred: "k, n: ['a', 4], ['b', null], ['c', 0]"},
			{why: "not a number is no missing count", gold: "k, n DOUBLE: ['a', 4], ['b', 'NaN']", pred: "k, n DOUBLE: ['a', 4], ['b', 0]"},
			{why: "degrees", gold: "k, degrees: ['a', 4], ['b', null]", pred: "k, degrees: ['a', 4], ['b', 0]"},
			{why: "a temperature", gold: "k, temperature: ['a', 4], ['b', null]", pred: "k, temperature: ['a', 4], ['b', 0]"},
			{why: "an average", gold: "k, avg_amount: ['a', 4], ['b', null]", pred: "k, avg_amount: ['a', 4], ['b', 0]"},
			{why: "an average by its query", gold: "k, n: ['a', 4], ['b', null]", pred: "k, x: ['a', 4], ['b', 0]", goldSQL: "SELECT k, AVG(y) AS n FROM t GROUP BY k", predSQL: "SELECT k, COALESCE(AVG(y), 0) AS x FROM t GROUP BY k"},
		},
	},
	"null_labelled": {
		holds: []example{
			{why: "a word for what is missing", gold: "region, n: ['north', 4], [null, 5], ['south', 6]", pred: "region, n: ['north', 4], ['Unknown', 5], ['south', 6]"},
			{why: "in brackets", gold: "region, n: ['north', 4], [null, 5]", pred: "region, n: ['north', 4], ['(not set)', 5]"},
			{why: "the column's own word", gold: "region, n: ['north', 4], [null, 5]", pred: "region, n: ['north', 4], ['No region', 5]"},
			{why: "n/a, which gold's query writes", gold: "region, n: ['north', 4], ['n/a', 5]", pred: "region, n: ['north', 4], [null, 5]", goldSQL: "SELECT COALESCE(region, 'n/a') AS region, n FROM t", predSQL: "SELECT region, n FROM t"},
			{why: "a dash", gold: "region, n: ['north', 4], [null, 5]", pred: "region, n: ['north', 4], ['-', 5]"},
			{why: "the total of a rollup", gold: "region, n: ['north', 4], ['south', 5], [null, 9]", pred: "region, n: ['north', 4], ['south', 5], ['Total', 9]", goldSQL: "SELECT region, SUM(n) AS n FROM t GROUP BY ROLLUP (region)", predSQL: "SELECT COALESCE(region, 'Total') AS region, SUM(n) AS n FROM t GROUP BY ROLLUP (region)"},
		},
		almost: []example{
			{why: "a name of its own", gold: "region, n: ['north', 4], [null, 5], ['south', 6]", pred: "region, n: ['north', 4], ['east', 5], ['south', 6]"},
			{why: "the others are not those without", gold: "region, n: ['north', 4], [null, 5]", pred: "region, n: ['north', 4], ['Other', 5]"},
			{why: "a minus among signs", gold: "label, n: ['+', 4], [null, 5]", pred: "label, n: ['+', 4], ['-', 5]"},
			{why: "a negation", gold: "status, n: ['toxic', 4], [null, 5]", pred: "status, n: ['toxic', 4], ['not toxic', 5]"},
			{why: "those without a region are not the total", gold: "region, n: ['north', 4], ['south', 5], [null, 9]", pred: "region, n: ['north', 4], ['south', 5], ['Total', 9]"},
			{why: "gold's data say unknown, the answer nothing", gold: "region, n: ['north', 4], ['unknown', 5]", pred: "region, n: ['north', 4], [null, 5]"},
			{why: "the query does not write it", gold: "bond, n: ['=', 4], ['-', 5]", pred: "bond, n: ['=', 4], [null, 5]", goldSQL: "SELECT bond, n FROM t", predSQL: "SELECT bond, n FROM u"},
			{why: "NA is a country", gold: "country, n: ['DE', 4], [null, 5]", pred: "country, n: ['DE', 4], ['NA', 5]"},
		},
	},
	"unit_factor": {
		holds: []example{
			{why: "both names say so", gold: "k, hours: ['a', 2], ['b', 5]", pred: "k, minutes: ['a', 120], ['b', 300]"},
			{why: "one number, and both names", gold: "duration_hours: [1.5]", pred: "duration_minutes: [90]"},
			{why: "hours by the answer's name", gold: "k, v: ['a', 2.25], ['b', 5.5]", pred: "k, avg_hours: ['a', 54], ['b', 132]"},
			{why: "Celsius and Fahrenheit", gold: "city, temp_c: ['Oslo', -4], ['Rome', 21]", pred: "city, temp_f: ['Oslo', 24.8], ['Rome', 69.8]"},
			{why: "cells that say their unit", gold: "k, depth_inches: ['a', 90], ['b', 45]", pred: "k, depth: ['a', '7.5 ft'], ['b', '3.75 ft']"},
			{why: "rounded once converted", gold: "k, trip_km: ['a', 412.5], ['b', 95.25]", pred: "k, trip_miles: ['a', 256.3], ['b', 59.2]"},
			{why: "a year and a month of pay", gold: "k, annual_salary: ['a', 60000], ['b', 54000]", pred: "k, monthly_salary: ['a', 5000], ['b', 4500]"},
			{why: "gold's unit by its query", gold: "k, t: ['a', 90], ['b', 45]", pred: "k, hours: ['a', 1.5], ['b', 0.75]", goldSQL: "SELECT k, SUM(ms) / 60000.0 AS t FROM v GROUP BY k", predSQL: "SELECT k, SUM(ms) / 3600000.0 AS hours FROM v GROUP BY k"},
			{why: "the question asks for minutes", gold: "k, t: ['a', 2.25], ['b', 5.5]", pred: "k, t: ['a', 135], ['b', 330]", question: "How many minutes did each take?"},
			{why: "miles and kilometres", gold: "k, miles: ['a', 10], ['b', 3]", pred: "k, km: ['a', 16.09344], ['b', 4.828032]"},
			{why: "gold in the smaller unit", gold: "k, weight_lb: ['a', 1250], ['b', 730]", pred: "k, weight_kg: ['a', 566.9904625], ['b', 331.1224301]"},
			{why: "kibibytes", gold: "file, kb: ['a', 2], ['b', 3]", pred: "file, bytes: ['a', 2048], ['b', 3072]"},
		},
		almost: []example{
			{why: "one of them is not", gold: "k, hours: ['a', 1.5], ['b', 2.25]", pred: "k, minutes: ['a', 90], ['b', 136]"},
			{why: "a hundred times, and no unit", gold: "n: [42]", pred: "n: [4200]"},
			{why: "sixty times in every row, and no unit", gold: "k, n: ['a', 41.25], ['b', 17.5]", pred: "k, n: ['a', 2475], ['b', 1050]"},
			{why: "the answer does not say that it is in hours", gold: "k, days: ['a', 2.25], ['b', 5.5]", pred: "k, v: ['a', 54], ['b', 132]"},
			{why: "a month has no fixed number of days", gold: "k, days: ['a', 60], ['b', 90]", pred: "k, months: ['a', 2], ['b', 3]"},
			{why: "kelvin under the name of Celsius", gold: "city, max_c: ['Oslo', 4], ['Rome', 21]", pred: "city, max_c: ['Oslo', 277.15], ['Rome', 294.15]", question: "Maximum temperature of each city"},
			{why: "one name, and too few digits", gold: "k, hours: ['a', 2], ['b', 5]", pred: "k, v: ['a', 120], ['b', 300]"},
			{why: "the names say the reverse", gold: "k, minutes: ['a', 2.25], ['b', 5.5]", pred: "k, hours: ['a', 135], ['b', 330]"},
			{why: "both names say one unit", gold: "k, km: ['a', 1.525], ['b', 2.25]", pred: "k, km: ['a', 1525], ['b', 2250]"},
			{why: "the question asks for gold's unit", gold: "k, t: ['a', 2.25], ['b', 5.5]", pred: "k, t: ['a', 135], ['b', 330]", question: "How many hours did each take?"},
			{why: "the question names a time, not a unit", gold: "k, sales: ['a', 301], ['b', 455]", pred: "k, sales: ['a', 43], ['b', 65]", question: "How many sales did each make last week?"},
			{why: "an infinity is no multiple", gold: "k, hours DOUBLE: ['a', 1.5], ['b', 2.5]", pred: "k, minutes DOUBLE: ['a', 'Infinity'], ['b', 'Infinity']"},
			{why: "a share above one", gold: "ratio: [2.515]", pred: "percent: [2515]"},
		},
	},
	"opposite": {
		holds: []example{
			{why: "loss and profit", gold: "k, profit: ['a', 3], ['b', -2]", pred: "k, loss: ['a', -3], ['b', 2]"},
			{why: "one number", gold: "net_loss: [120.5]", pred: "net_profit: [-120.5]"},
			{why: "debit and credit", gold: "k, debit: ['a', 3.5]", pred: "k, credit: ['a', -3.5]"},
			{why: "decrease and increase", gold: "k, price_increase: ['a', 3], ['b', -2]", pred: "k, price_decrease: ['a', -3], ['b', 2]"},
			{why: "south and north", gold: "k, degrees_south: ['a', 33.9]", pred: "k, degrees_north: ['a', -33.9]"},
		},
		almost: []example{
			{why: "the names are the same", gold: "k, v: ['a', 3], ['b', -2]", pred: "k, v: ['a', -3], ['b', 2]"},
			{why: "the names say other things", gold: "k, profit: ['a', 3]", pred: "k, income: ['a', -3]"},
			{why: "of one alone", gold: "k, profit: ['a', 3], ['b', -2]", pred: "k, loss: ['a', -3], ['b', -5]"},
			{why: "the names are opposite, the sign is the same", gold: "k, profit: ['a', 3], ['b', -2]", pred: "k, loss: ['a', 3], ['b', -2]"},
			{why: "both names say both", gold: "profit_loss: [3]", pred: "loss_profit: [-3]"},
		},
	},
	"negated": {
		holds: []example{
			{why: "the other sign", gold: "k, v: ['a', 3], ['b', -2]", pred: "k, v: ['a', -3], ['b', 2]"},
			{why: "one number", gold: "a: [-3]", pred: "a: [3]"},
		},
		almost: []example{{why: "of one alone", gold: "k, v: ['a', 3], ['b', -2]", pred: "k, v: ['a', -3], ['b', -5]"}, {why: "the names say so", gold: "k, profit: ['a', 3]", pred: "k, loss: ['a', -3]"}},
	},
	"long_for_wide": {
		holds: []example{
			{why: "labels of other words, and rounded", gold: "month, of_buyers, of_others: ['May', 25.8897, 3.9793], ['June', 23.6114, 4.4465]", pred: "month, kind, views: ['May', 'no', 3.98], ['May', 'yes', 25.89], ['June', 'no', 4.45], ['June', 'yes', 23.61]"},
			{why: "and months in another form", gold: "month TIMESTAMP, visits, orders: ['2019-05-01 00:00:00', 51, 11], ['2019-06-01 00:00:00', 60, 23]", pred: "month, metric, n: ['2019-05', 'visits', 51], ['2019-05', 'orders', 11], ['2019-06', 'visits', 60], ['2019-06', 'orders', 23]"},
			{why: "one row", gold: "w0, w1, w2: [622, 133, 94]", pred: "week, n: ['Week 0', 622], ['Week 1', 133], ['Week 2', 94]"},
			{why: "a row for each region", gold: "year, north, south: [2023, 5, 7], [2024, 6, 8]", pred: "year, region, n: [2023, 'north', 5], [2023, 'south', 7], [2024, 'north', 6], [2024, 'south', 8]"},
			{why: "labels with a word more", gold: "k, north_sales, south_sales: ['a', 5, 7]", pred: "k, region, n: ['a', 'North', 5], ['a', 'South', 7]"},
			{why: "months by number", gold: "jan, feb: [5, 7]", pred: "month, n: [1, 5], [2, 7]"},
		},
		almost: []example{
			{why: "months of another year", gold: "month TIMESTAMP, visits, orders: ['2019-05-01 00:00:00', 51, 11], ['2019-06-01 00:00:00', 60, 23]", pred: "month, metric, n: ['2018-05', 'visits', 51], ['2018-05', 'orders', 11], ['2018-06', 'visits', 60], ['2018-06', 'orders', 23]"},
			{why: "south and north changed places in a year", gold: "year, north, south: [2023, 5, 7], [2024, 6, 8]", pred: "year, region, n: [2023, 'north', 5], [2023, 'south', 7], [2024, 'north', 8], [2024, 'south', 6]"},
			{why: "and in every year", gold: "year, north, south: [2023, 5, 7], [2024, 6, 8]", pred: "year, region, n: [2023, 'south', 5], [2023, 'north', 7], [2024, 'south', 6], [2024, 'north', 8]"},
			{why: "a column of gold is not there", gold: "w0, w1, w2: [622, 133, 94]", pred: "week, n: ['Week 0', 622], ['Week 1', 133]"},
			{why: "letters for words, exchanged", gold: "male, female: [5, 7]", pred: "sex, n: ['F', 5], ['M', 7]"},
			{why: "labels of something else, and two numbers", gold: "men, women: [5, 7]", pred: "year, n: ['x', 5], ['y', 7]"},
			{why: "weeks one later", gold: "w0, w1, w2: [622, 133, 94]", pred: "week, n: ['Week 0', 133], ['Week 1', 622], ['Week 2', 94]"},
		},
	},
	"wide_for_long": {
		holds: []example{
			{why: "a column for each region, with no row for a zero", gold: "year, region, n: [2023, 'north', 5], [2024, 'north', 6], [2024, 'south', 8]", pred: "year, north, south: [2023, 5, 0], [2024, 6, 8]"},
			{why: "letters for words", gold: "sex, n: ['F', 5], ['M', 7]", pred: "male, female: [7, 5]"},
			{why: "numbers for labels", gold: "k, year, n: ['a', 2023, 5], ['a', 2024, 7]", pred: "k, y2023, y2024: ['a', 5, 7]"},
			{why: "quarters", gold: "quarter, n: ['Q1', 5], ['Q2', 7], ['Q3', 6]", pred: "q3, q2, q1: [6, 7, 5]"},
			{why: "other words, and values enough", gold: "k, what, n: ['a', 'x', 25.5], ['a', 'y', 17.25], ['b', 'x', 11.5], ['b', 'y', 12.75]", pred: "k, p, q: ['a', 25.5, 17.25], ['b', 11.5, 12.75]"},
		},
		almost: []example{
			{why: "a value is another", gold: "year, region, n: [2023, 'north', 5], [2024, 'north', 6], [2024, 'south', 8]", pred: "year, north, south: [2023, 5, 0], [2024, 6, 9]"},
			{why: "the headers are exchanged", gold: "k, what, v: ['a', 'north', 5], ['a', 'south', 7], ['b', 'north', 1], ['b', 'south', 2]", pred: "k, south, north: ['a', 5, 7], ['b', 1, 2]"},
			{why: "in one row", gold: "what, v: ['north', 10], ['south', 25]", pred: "north, south: [25, 10]"},
			{why: "letters in longer headers", gold: "k, what, v: ['a', 'north', 5], ['a', 'south', 7], ['b', 'north', 11], ['b', 'south', 12]", pred: "k, s_sales, n_sales: ['a', 5, 7], ['b', 11, 12]"},
			{why: "years exchanged", gold: "k, year, n: ['a', 2023, 5], ['a', 2024, 7]", pred: "k, y2023, y2024: ['a', 7, 5]"},
			{why: "an infinity for a missing row", gold: "year, region, n DOUBLE: [2023, 'north', 5], [2024, 'north', 6], [2024, 'south', 8]", pred: "year, north DOUBLE, south DOUBLE: [2023, 5, 'Infinity'], [2024, 6, 8]"},
		},
	},
	"unpivoted": {
		holds: []example{
			{why: "both atoms of the bond, one below the other", gold: "a, b: ['x', 'y']", pred: "atom: ['x'], ['y']"},
			{why: "the places of all routes, each once", gold: "place1, place2: ['x', 'y'], ['x', 'z'], ['y', 'z'], ['y', 'x']", pred: "place: ['x'], ['y'], ['z']"},
			{why: "scores of one kind", gold: "score_1, score_2: [4, 7]", pred: "score: [4], [7]"},
		},
		almost: []example{
			{why: "and a third", gold: "a, b: ['x', 'y']", pred: "atom: ['x'], ['y'], ['z']"},
			{why: "one of the columns, which has all values", gold: "a, b: ['x', 'y'], ['y', 'x']", pred: "place: ['x'], ['y']"},
			{why: "some places twice, others once", gold: "a, b: ['x', 'y'], ['x', 'z'], ['y', 'z'], ['y', 'x'], ['z', 'x']", pred: "place: ['x'], ['y'], ['z'], ['z']"},
			{why: "which is men, which women?", gold: "men, women: [4, 7]", pred: "n: [4], [7]"},
			{why: "who won?", gold: "winner, loser: ['x', 'y']", pred: "player: ['x'], ['y']"},
			{why: "who plays at home?", gold: "home, away: ['x', 'y'], ['y', 'z']", pred: "team: ['x'], ['y'], ['z']"},
		},
	},
	"pivoted": {
		holds: []example{{why: "two texts beside each other", gold: "name: ['a'], ['b']", pred: "one, other: ['a', 'b']"}, {why: "numbers of one kind", gold: "n: [4], [7]", pred: "n1, n2: [4, 7]"}},
		almost: []example{
			{why: "one is another", gold: "n: [4], [7]", pred: "n1, n2: [4, 8]"},
			{why: "gold does not say which are men", gold: "n: [4], [7]", pred: "men, women: [4, 7]"},
		},
	},
	"concatenated": {
		holds: []example{
			{why: "a full name", gold: "first, last, n: ['Ada', 'Lovelace', 1], ['Alan', 'Turing', 2]", pred: "who, n: ['Ada Lovelace', 1], ['Alan Turing', 2]"},
			{why: "the last name first", gold: "first, last: ['Ada', 'Lovelace'], ['Alan', 'Turing']", pred: "who: ['Lovelace, Ada'], ['Turing, Alan']"},
			{why: "gold has the last name first", gold: "surname, forename: ['Lovelace', 'Ada'], ['Turing', 'Alan']", pred: "who: ['Ada Lovelace'], ['Alan Turing']"},
			{why: "city and country", gold: "city, country: ['Oslo', 'Norway'], ['Rome', 'Italy']", pred: "place: ['Oslo, Norway'], ['Rome, Italy']"},
			{why: "an address", gold: "street, no, city: ['Elm St', 12, 'Hull'], ['Oak Ave', 7, 'York']", pred: "address: ['Elm St 12, Hull'], ['Oak Ave 7, York']"},
			{why: "of mail", gold: "local, domain: ['info', 'abc.org'], ['jobs', 'xyz.net']", pred: "mail: ['info@abc.org'], ['jobs@xyz.net']"},
			{why: "gold has the parts the other way round, and the values say which is which", gold: "l, f: ['Lovelace', 'Ada'], ['Turing', 'Alan']", pred: "who: ['Ada Lovelace'], ['Alan Turing']"},
			{why: "a NULL leaves its blank out", gold: "a, b: ['Ada', null], ['Alan', 'Turing']", pred: "who: ['Ada'], ['Alan Turing']"},
		},
		almost: []example{
			{why: "a name is another", gold: "first, last, n: ['Ada', 'Lovelace', 1], ['Alan', 'Turing', 2]", pred: "who, n: ['Ada Lovelace', 1], ['Alan Kay', 2]"},
			{why: "first and last name exchanged", gold: "first, last: ['Ada', 'Lovelace'], ['Alan', 'Turing']", pred: "who: ['Lovelace Ada'], ['Turing Alan']"},
			{why: "digits run into one number", gold: "a, b: [1, 23], [4, 5]", pred: "x VARCHAR: ['123'], ['45']"},
			{why: "a point makes a fraction", gold: "a, b: [1, 5], [2, 7]", pred: "x VARCHAR: ['1.5'], ['2.7']"},
			{why: "the second row is joined otherwise", gold: "city, country: ['Oslo', 'Norway'], ['Rome', 'Italy']", pred: "place: ['Oslo, Norway'], ['Italy, Rome']"},
			{why: "the values do not say which score is whose", gold: "home, away: [2, 1], [1, 3]", pred: "score: ['1-2'], ['3-1']"},
			{why: "the values do not say where a flight starts", gold: "a, b: ['Oslo', 'Rome'], ['Rome', 'Bonn']", pred: "flight: ['Rome Oslo'], ['Bonn Rome']"},
		},
	},
	"split": {
		holds: []example{
			{why: "the parts of a full name", gold: "who, n: ['Ada Lovelace', 1], ['Alan Turing', 2]", pred: "first, last, n: ['Ada', 'Lovelace', 1], ['Alan', 'Turing', 2]"},
			{why: "the last name first", gold: "who, n: ['Ada Lovelace', 1], ['Alan Turing', 2]", pred: "last, first, n: ['Lovelace', 'Ada', 1], ['Turing', 'Alan', 2]"},
			{why: "two names at once", gold: "author, editor: ['Ada Lovelace', 'Max Born'], ['Alan Turing', 'Lise Meitner']", pred: "author_first, author_last, editor_first, editor_last: ['Alan', 'Turing', 'Lise', 'Meitner'], ['Ada', 'Lovelace', 'Max', 'Born']"},
		},
		almost: []example{
			{why: "two names at once, in other rows", gold: "author, editor: ['Ada Lovelace', 'Max Born'], ['Alan Turing', 'Lise Meitner']", pred: "author_first, author_last, editor_first, editor_last: ['Ada', 'Lovelace', 'Lise', 'Meitner'], ['Alan', 'Turing', 'Max', 'Born']"},
			{why: "two names at once, one of them under the wrong headers", gold: "author, editor: ['Ada Lovelace', 'Max Born'], ['Alan Turing', 'Lise Meitner']", pred: "author_first, author_last, editor_first, editor_last: ['Lovelace', 'Ada', 'Max', 'Born'], ['Turing', 'Alan', 'Lise', 'Meitner']"},
			{why: "a part is another", gold: "who, n: ['Ada Lovelace', 1], ['Alan Turing', 2]", pred: "first, last, n: ['Ada', 'Lovelace', 1], ['Alan', 'Kay', 2]"},
			{why: "the parts under the wrong headers", gold: "who, n: ['Ada Lovelace', 1], ['Alan Turing', 2]", pred: "first, last, n: ['Lovelace', 'Ada', 1], ['Turing', 'Alan', 2]"},
		},
	},
	"abbreviated": {
		holds: []example{
			{why: "words for letters", gold: "sex, age: ['M', 41.2], ['F', 38.7]", pred: "sex, age: ['male', 41.2], ['female', 38.7]"},
			{why: "departments", gold: "dept, n: ['Engineering', 5], ['Finance', 8]", pred: "dept, n: ['Eng', 5], ['Fin', 8]"},
			{why: "directions", gold: "d, n: ['N', 5], ['S', 8], ['N', 6]", pred: "d, n: ['North', 5], ['South', 8], ['North', 6]"},
			{why: "numbered words", gold: "p, n: ['P1', 5], ['P2', 8]", pred: "p, n: ['Phase 1', 5], ['Phase 2', 8]"},
			{why: "with NULL", gold: "sex, n: ['M', 5], ['F', 8], [null, 1]", pred: "sex, n: ['Male', 5], ['Female', 8], [null, 1]"},
		},
		almost: []example{
			{why: "exchanged", gold: "sex, age: ['M', 41.2], ['F', 38.7]", pred: "sex, age: ['female', 41.2], ['male', 38.7]"},
			{why: "a value on both sides", gold: "t, n: ['A', 5], ['B', 8]", pred: "t, n: ['ABC', 5], ['B', 8]"},
			{why: "two that may be meant", gold: "m, n: ['J', 5], ['F', 8]", pred: "m, n: ['June', 5], ['July', 8]"},
			{why: "another word", gold: "st, n: ['active', 5], ['closed', 8]", pred: "st, n: ['inactive', 5], ['open', 8]"},
			{why: "digits are not shortened", gold: "c, n: ['1x', 5], ['2x', 8]", pred: "c, n: ['10x', 5], ['20x', 8]"},
			{why: "currencies exchanged", gold: "k, amt: ['a', '$300'], ['b', '€500']", pred: "k, amt: ['a', '€300'], ['b', '$500']"},
			{why: "grades with signs", gold: "k, g: ['a', 'A+x'], ['b', 'B-x']", pred: "k, g: ['a', 'Ax'], ['b', 'Bxy']"},
			{why: "one value alone", gold: "t, n: ['A', 5]", pred: "t, n: ['Away', 5]"},
		},
	},
	"punctuated": {
		holds: []example{
			{why: "blanks around arrows", gold: "k, path: ['a', 'Home >> Cart'], ['b', 'Home >> Pay']", pred: "k, path: ['a', 'Home>>Cart'], ['b', 'Home>>Pay']"},
			{why: "a dash between words", gold: "k, v: ['a', 'e-mail'], ['b', 'phone']", pred: "k, v: ['a', 'email'], ['b', 'phone']"},
			{why: "a final stop", gold: "k, v: ['a', 'Acme Inc.'], ['b', 'Foo']", pred: "k, v: ['a', 'Acme Inc'], ['b', 'Foo']"},
			{why: "quotes", gold: "k, v: ['a', '«Faust»'], ['b', 'Emma']", pred: "k, v: ['a', 'Faust'], ['b', 'Emma']"},
			{why: "an apostrophe", gold: "k, v: ['a', 'O’Hara'], ['b', 'Lee']", pred: "k, v: ['a', 'OHara'], ['b', 'Lee']"},
			{why: "a double name", gold: "k, v: ['a', 'Jean-Paul'], ['b', 'Lee']", pred: "k, v: ['a', 'Jean Paul'], ['b', 'Lee']"},
		},
		almost: []example{
			{why: "another page", gold: "k, path: ['a', 'Home >> Cart'], ['b', 'Home >> Pay']", pred: "k, path: ['a', 'Home>>Cart'], ['b', 'Home>>Buy']"},
			{why: "the signs tell them apart", gold: "k, name: ['a', 'C++'], ['b', 'C#']", pred: "k, name: ['a', 'C'], ['b', 'C']"},
			{why: "a blood group", gold: "k, v: ['a', 'O+'], ['b', 'A+']", pred: "k, v: ['a', 'O-'], ['b', 'A+']"},
			{why: "a grade without its sign", gold: "k, v: ['a', 'A-'], ['b', 'B']", pred: "k, v: ['a', 'A'], ['b', 'B']"},
			{why: "below zero", gold: "k, v: ['a', '-5 C']", pred: "k, v: ['a', '5 C']"},
			{why: "a decimal point", gold: "k, v: ['a', '1.5 kg']", pred: "k, v: ['a', '15 kg']"},
			{why: "an address", gold: "k, v: ['a', '10.1.1.1']", pred: "k, v: ['a', '10.11.1']"},
			{why: "less and more", gold: "k, v: ['a', '<5 x']", pred: "k, v: ['a', '>5 x']"},
			{why: "a time", gold: "k, v: ['a', '1:23 h']", pred: "k, v: ['a', '123 h']"},
			{why: "a range", gold: "k, v: ['a', 'ages 1-10']", pred: "k, v: ['a', 'ages 110']"},
			{why: "a blank between digits", gold: "k, v: ['a', 'room 1 2']", pred: "k, v: ['a', 'room 12']"},
			{why: "a range of letters", gold: "k, v: ['a', 'A-F']", pred: "k, v: ['a', 'AF']"},
			{why: "an operator between words", gold: "k, v: ['a', 'R&D']", pred: "k, v: ['a', 'RD']"},
			{why: "feet and inches", gold: "k, v: ['a', '5\\' tall']", pred: "k, v: ['a', '5 tall']"},
		},
	},
	"list_reordered": {
		holds: []example{
			{why: "lists of different lengths", gold: "k, genes: ['a', 'USP24,PCSK9'], ['b', 'TP53']", pred: "k, genes: ['a', 'PCSK9, USP24'], ['b', 'TP53']"},
			{why: "aggregated without an order", gold: "k, x: ['a', 'b,c'], ['d', 'e,f']", pred: "k, x: ['a', 'c,b'], ['d', 'f,e']", goldSQL: "SELECT k, GROUP_CONCAT(y) AS x FROM t GROUP BY k", predSQL: "SELECT k, GROUP_CONCAT(y) FROM t GROUP BY k"},
			{why: "numbers, aggregated", gold: "k, ids VARCHAR: ['a', '3,1']", pred: "k, ids VARCHAR: ['a', '1,3']", goldSQL: "SELECT k, STRING_AGG(id, ',') FROM t GROUP BY k", predSQL: "SELECT k, STRING_AGG(id, ',') FROM t GROUP BY k"},
			{why: "semicolons", gold: "k, tags: ['a', 'x; y; z'], ['b', 'x']", pred: "k, tags: ['a', 'z; x; y'], ['b', 'x']"},
			{why: "bars", gold: "k, tags: ['a', 'x|y'], ['b', 'x|y|z']", pred: "k, tags: ['a', 'y|x'], ['b', 'z|y|x']"},
		},
		almost: []example{
			{why: "another gene", gold: "k, genes: ['a', 'USP24,PCSK9'], ['b', 'TP53']", pred: "k, genes: ['a', 'PCSK9, USP25'], ['b', 'TP53']"},
			{why: "last and first name", gold: "k, v: ['a', 'Smith, John'], ['b', 'Lee, Ann']", pred: "k, v: ['a', 'John, Smith'], ['b', 'Ann, Lee']"},
			{why: "a place", gold: "k, v: ['a', '52.5,13.4']", pred: "k, v: ['a', '13.4,52.5']"},
			{why: "keyed", gold: "k, v: ['a', 'a:1,b:2'], ['b', 'c:3']", pred: "k, v: ['a', 'b:2,a:1'], ['b', 'c:3']"},
			{why: "a route", gold: "k, route: ['a', 'Oslo,Rome'], ['b', 'Oslo,Bonn,Rome']", pred: "k, route: ['a', 'Rome,Oslo'], ['b', 'Rome,Bonn,Oslo']"},
			{why: "aggregated in an order", gold: "k, x: ['a', 'b,c']", pred: "k, x: ['a', 'c,b']", goldSQL: "SELECT k, GROUP_CONCAT(y ORDER BY z) AS x FROM t GROUP BY k", predSQL: "SELECT k, GROUP_CONCAT(y) FROM t GROUP BY k"},
			{why: "not aggregated", gold: "k, x: ['a', 'b,c'], ['b', 'd']", pred: "k, x: ['a', 'c,b'], ['b', 'd']", goldSQL: "SELECT k, x FROM t", predSQL: "SELECT k, x FROM u"},
		},
	},
	"sum_for_parts": {
		holds: []example{
			{why: "3 + 4 + 5", gold: "n: [3], [4], [5]", pred: "total: [12]"},
			{why: "beside each other", gold: "owners, others: [10, 3]", pred: "n: [13]"},
			{why: "exact where doubles are not", gold: "n DECIMAL: ['0.1'], ['0.2']", pred: "total DECIMAL: ['0.3']"},
			{why: "by the query", gold: "x: [3], [4]", pred: "x: [7]", goldSQL: "SELECT x FROM t", predSQL: "SELECT SUM(x) AS x FROM t"},
			{why: "of negative numbers", gold: "n: [-3], [-4]", pred: "total: [-7]"},
		},
		almost: []example{
			{why: "one more", gold: "n: [3], [4], [5]", pred: "total: [13]"},
			{why: "of numbers of which one is a name", gold: "name, n: ['a', 3]", pred: "total: [3]"},
			{why: "one number and zeros", gold: "n: [3], [0]", pred: "total: [3]"},
			{why: "the question asks for all", gold: "age: [34], [35]", pred: "total: [69]", question: "What are the ages of all artists?"},
			{why: "or for each", gold: "n: [3], [4]", pred: "n: [7]", question: "How many projects does each scientist work on?"},
			{why: "nothing says that it is a sum", gold: "x: [3], [4]", pred: "best: [7]"},
			{why: "they cancel out", gold: "n: [5], [-5]", pred: "total: [0]"},
			{why: "parts of both signs", gold: "n: [5], [-2]", pred: "total: [3]"},
			{why: "the query takes the greatest", gold: "n: [3], [4]", pred: "total: [7]", goldSQL: "SELECT n FROM t", predSQL: "SELECT MAX(total) AS total FROM t"},
		},
	},
	"parts_for_sum": {
		holds: []example{
			{why: "3 + 4 + 5", gold: "total: [12]", pred: "n: [3], [4], [5]"},
			{why: "40 and 60 of revenue", gold: "revenue: [100]", pred: "k, revenue: ['a', 40], ['b', 60]"},
			{why: "beside each other", gold: "number_of_people: [7]", pred: "men, women: [3, 4]"},
			{why: "by the query", gold: "x: [7]", pred: "x: [3], [4]", goldSQL: "SELECT SUM(x) AS x FROM t", predSQL: "SELECT x FROM t"},
			{why: "counts", gold: "COUNT(*): [7]", pred: "k, n: ['a', 3], ['b', 4]"},
		},
		almost: []example{
			{why: "one more", gold: "total: [13]", pred: "n: [3], [4], [5]"},
			{why: "they cancel out", gold: "total: [0]", pred: "v: [5], [-5]"},
			{why: "nothing says that it is a sum", gold: "v: [100]", pred: "v: [40], [60]"},
			{why: "parts of both signs", gold: "total: [3]", pred: "n: [5], [-2]"},
			{why: "an average", gold: "avg_total: [7]", pred: "n: [3], [4]"},
		},
	},
	"list_for_count": {
		holds: []example{
			{why: "two names", gold: "n: [2]", pred: "name: ['a'], ['b']"},
			{why: "two different ones", gold: "n: [2]", pred: "name: ['a'], ['b'], ['b']"},
			{why: "by the query", gold: "x: [2]", pred: "name: ['a'], ['b']", goldSQL: "SELECT COUNT(name) AS x FROM t", predSQL: "SELECT name FROM t"},
			{why: "a header as SQL makes it", gold: "COUNT(name): [2]", pred: "name: ['a'], ['b']"},
			{why: "a number of things", gold: "clients: [2]", pred: "name: ['a'], ['b']"},
		},
		almost: []example{
			{why: "three names", gold: "n: [2]", pred: "name: ['a'], ['b'], ['c']"},
			{why: "the query shows that it is no count", gold: "n: [2]", pred: "name: ['a'], ['b']", goldSQL: "SELECT MAX(x) FROM t", predSQL: "SELECT name FROM t"},
			{why: "a rating", gold: "rating: [2]", pred: "name: ['a'], ['b']"},
			{why: "an id", gold: "client_id: [2]", pred: "name: ['a'], ['b']"},
			{why: "a value", gold: "v: [3]", pred: "name: ['a'], ['b'], ['c']"},
		},
	},
	"count_for_list": {
		holds:  []example{{why: "two names", gold: "name: ['a'], ['b']", pred: "n: [2]"}},
		almost: []example{{why: "three names", gold: "name: ['a'], ['b'], ['c']", pred: "n: [2]"}, {why: "nothing says that it is a count", gold: "name: ['a'], ['b']", pred: "age: [2]"}},
	},
})
