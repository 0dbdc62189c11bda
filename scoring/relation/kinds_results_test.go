package relation_test

var _ = addExamples(map[string]examplesOf{
	"both_empty": {
		holds:  []example{{why: "no rows on either side", gold: "a", pred: "b, c"}},
		almost: []example{{why: "one side has a row", gold: "a", pred: "a: [1]"}},
	},
	"tolerance": {
		holds: []example{{why: "fractions within a hundredth, which a deployment allows", tolerance: 0.01, gold: "k, v: ['a', 1000.25], ['b', 20.5]", pred: "k, v: ['a', 1003.25], ['b', 20.6]"}},
		almost: []example{
			{why: "one of them is two hundredths off", tolerance: 0.01, gold: "k, v: ['a', 1000.25], ['b', 20.5]", pred: "k, v: ['a', 1003.25], ['b', 20.95]"},
			{why: "a deployment that allows none", gold: "k, v: ['a', 1000.25], ['b', 20.5]", pred: "k, v: ['a', 1003.25], ['b', 20.6]"},
		},
	},
	"rounding_asked": {
		holds:  []example{{why: "gold rounds to four decimals", gold: "v: [66.6667], [12.3457]", pred: "v: [67], [12]", question: "What is the share, rounded as usual?"}},
		almost: []example{{why: "the answer has not the four decimals that the question wants", gold: "v: [66.6667], [12.3457]", pred: "v: [67], [12]", question: "What is the share, rounded to four decimals?"}, {why: "the question does not say", gold: "v: [66.6667], [12.3457]", pred: "v: [67], [12]", question: "What is the share?"}, {why: "the answer rounds as it says", gold: "v: [66.66667], [12.34567]", pred: "v: [66.667], [12.346]", question: "What is the share, to three decimal places?"}},
	},
	"scaled": {
		holds:  []example{{why: "percent for fraction", gold: "k, share: ['a', 0.125], ['b', 0.5]", pred: "k, pct: ['a', 12.5], ['b', 50]"}},
		almost: []example{{why: "one of them is not", gold: "k, share: ['a', 0.125], ['b', 0.5]", pred: "k, pct: ['a', 12.5], ['b', 57]"}},
	},
	"rounded": {
		holds:  []example{{why: "no digits behind the point", gold: "k, v: ['a', 66.6667], ['b', 12.3457]", pred: "k, v: ['a', 67], ['b', 12]"}},
		almost: []example{{why: "cut, not rounded", gold: "k, v: ['a', 66.6667], ['b', 12.3457]", pred: "k, v: ['a', 66], ['b', 12]"}},
	},
	"formatted": {
		holds: []example{
			{why: "open and closed", gold: "valve, state: ['v', 'open'], ['w', 'closed'], ['x', 'open']", pred: "valve, is_open: ['v', true], ['w', false], ['x', true]"},
			{why: "the reverse", gold: "pupil, failed: ['v', 1], ['w', 0]", pred: "pupil, result: ['v', 'failed'], ['w', 'passed']"},
			{why: "with NULL", gold: "valve, state: ['v', 'open'], ['w', 'shut'], ['x', null]", pred: "valve, closed: ['v', 'no'], ['w', 'yes'], ['x', null]"},
			{why: "money with its sign", gold: "k, v: ['a', 1234.5], ['b', 20]", pred: "k, v: ['a', '$1,234.50'], ['b', '$20.00']"},
			{why: "words for truth values", gold: "k, f BOOL: ['a', true], ['b', false]", pred: "k, f: ['a', 'yes'], ['b', 'no']"},
			{why: "a date in words", gold: "k, d DATE: ['a', '2024-01-05'], ['b', '2024-02-17']", pred: "k, d: ['a', '5 Jan 2024'], ['b', '17 Feb 2024']"},
		},
		almost: []example{
			{why: "the other label", gold: "valve, state: ['v', 'open'], ['w', 'closed']", pred: "valve, is_closed: ['v', true], ['w', false]"},
			{why: "a name that says nothing of the labels", gold: "valve, state: ['v', 'open'], ['w', 'closed']", pred: "valve, flag: ['v', true], ['w', false]"},
			{why: "three labels", gold: "valve, state: ['v', 'open'], ['w', 'closed'], ['x', 'broken']", pred: "valve, is_open: ['v', true], ['w', false], ['x', false]"},
			{why: "one row is not so", gold: "valve, state: ['v', 'open'], ['w', 'closed'], ['x', 'open']", pred: "valve, is_open: ['v', true], ['w', false], ['x', false]"},
			{why: "another amount", gold: "k, v: ['a', 1234.5], ['b', 20]", pred: "k, v: ['a', '$1,834.50'], ['b', '$20.00']"}},
	},
	"reordered": {
		holds: []example{
			{why: "no question says otherwise", gold: "k, n: ['a', 3], ['b', 2], ['c', 1]", pred: "k, n: ['c', 1], ['b', 2], ['a', 3]", goldSQL: "SELECT k, n FROM t ORDER BY n DESC", predSQL: "SELECT k, n FROM t ORDER BY n"},
			{why: "the best are asked for first", gold: "k, n: ['a', 3], ['b', 2], ['c', 1]", pred: "k, n: ['c', 1], ['b', 2], ['a', 3]", goldSQL: "SELECT k, n FROM t ORDER BY n DESC", predSQL: "SELECT k, n FROM t ORDER BY n", question: "Who scored, best first?"},
			{why: "and a column is rounded besides, which is less", gold: "k, n: ['a', 30.62], ['b', 20.41], ['c', 10.27]", pred: "k, n: ['c', 10.3], ['b', 20.4], ['a', 30.6]", goldSQL: "SELECT k, AVG(n) AS n FROM t GROUP BY k ORDER BY n DESC", question: "Who scored, best first?"},
			{why: "both sort, gold by what it does not show", gold: "k: ['a'], ['b'], ['c']", pred: "k: ['c'], ['b'], ['a']", goldSQL: "SELECT k FROM t ORDER BY n DESC", predSQL: "SELECT k FROM t ORDER BY k DESC", question: "Who scored?"},
			{why: "rows differ besides, which is more", gold: "k, n: ['a', 3], ['b', 2], ['c', 1]", pred: "k, n: ['d', 0], ['c', 1], ['b', 2], ['a', 3]", goldSQL: "SELECT k, n FROM t ORDER BY n DESC", question: "Who scored, best first?", second: true},
		},
		almost: []example{
			{why: "the question wants none", gold: "k: ['a'], ['b'], ['c']", pred: "k: ['c'], ['b'], ['a']", goldSQL: "SELECT k FROM t ORDER BY n DESC", predSQL: "SELECT k FROM t ORDER BY k DESC", question: "Who scored? In any order."},
			{why: "gold sorts by what it shows, and nobody asks for it", gold: "k, n: ['a', 3], ['b', 2], ['c', 1]", pred: "k, n: ['c', 1], ['b', 2], ['a', 3]", goldSQL: "SELECT k, n FROM t ORDER BY n DESC", predSQL: "SELECT k, n FROM t ORDER BY k DESC", question: "How much did each score?"},
			{why: "gold sorts, but nobody asks for it", gold: "k, n: ['a', 3], ['b', 2], ['c', 1]", pred: "k, n: ['c', 1], ['b', 2], ['a', 3]", goldSQL: "SELECT k, n FROM t ORDER BY n DESC", question: "How many points has each?"},
			{why: "two that tie change places", gold: "k, n: ['a', 3], ['b', 2], ['c', 2]", pred: "k, n: ['a', 3], ['c', 2], ['b', 2]", goldSQL: "SELECT k, n FROM t ORDER BY n DESC", question: "Who scored, best first?"},
			{why: "one row has no order", gold: "k, n: ['a', 3]", pred: "k, n: ['a', 3]", goldSQL: "SELECT k, n FROM t ORDER BY n DESC LIMIT 1", question: "Who scored, best first?"},
			{why: "no order is asked for", gold: "k, n: ['a', 3], ['b', 2], ['c', 1]", pred: "k, n: ['c', 1], ['b', 2], ['a', 3]", goldSQL: "SELECT k, n FROM t", predSQL: "SELECT k, n FROM t"},
			{why: "sorted by the same key, which is not shown: rows that tie changed places", gold: "k: ['a'], ['b'], ['c']", pred: "k: ['b'], ['a'], ['c']", goldSQL: "SELECT k FROM t ORDER BY n DESC", predSQL: "SELECT k FROM t ORDER BY n DESC"},
		},
	},
	"same": {
		holds:  []example{{why: "names are no data, and no order is asked for", gold: "k, n: ['a', 4], ['b', 5]", pred: "x, y: ['b', 5], ['a', 4]"}},
		almost: []example{{why: "one number is another", gold: "k, n: ['a', 4], ['b', 5]", pred: "k, n: ['a', 4], ['b', 6]"}},
	},
	"null_row_for_empty": {
		holds:  []example{{why: "an aggregate over no rows", gold: "s", pred: "s: [null]"}},
		almost: []example{{why: "two rows of NULL are rows", gold: "s", pred: "s: [null], [null]"}, {why: "a zero is a number", gold: "s", pred: "s: [0]"}},
	},
	"blank_rows": {
		holds: []example{
			{why: "a person without a name", gold: "name: ['Ada'], ['Bob']", pred: "name: ['Ada'], ['Bob'], [null], [null]", goldSQL: "SELECT name FROM t WHERE name IS NOT NULL", predSQL: "SELECT name FROM t"},
			{why: "in gold", gold: "name: ['Ada'], ['Bob'], [null]", pred: "name: ['Bob'], ['Ada']", goldSQL: "SELECT u.name FROM t LEFT JOIN u ON t.k = u.k", predSQL: "SELECT u.name FROM t JOIN u ON t.k = u.k"},
			{why: "beside repetitions that DISTINCT drops", gold: "name: ['Ada'], ['Bob']", pred: "name: ['Ada'], ['Bob'], ['Ada'], [null]", goldSQL: "SELECT DISTINCT name FROM t WHERE name IS NOT NULL", predSQL: "SELECT name FROM t", second: true},
		},
		almost: []example{
			{why: "a group without a name has a figure", gold: "name, n: ['Ada', 1], ['Bob', 2]", pred: "name, n: ['Ada', 1], ['Bob', 2], [null, 3]", goldSQL: "SELECT name FROM t WHERE name IS NOT NULL", predSQL: "SELECT name FROM t"},
			{why: "a name is missing as well", gold: "name: ['Ada'], ['Bob']", pred: "name: ['Ada'], [null]", goldSQL: "SELECT name FROM t WHERE name IS NOT NULL", predSQL: "SELECT name FROM t"},
			{why: "a name repeats, and nothing says why", gold: "name: ['Ada'], ['Bob']", pred: "name: ['Ada'], ['Ada'], ['Bob'], [null]", goldSQL: "SELECT name FROM t WHERE name IS NOT NULL", predSQL: "SELECT name FROM t"},
			{why: "the queries do not say why", gold: "name: ['Ada'], ['Bob']", pred: "name: ['Ada'], ['Bob'], [null]", goldSQL: "SELECT name FROM t", predSQL: "SELECT name FROM u"},
			{why: "nothing else is there", gold: "name: ['Ada']", pred: "name: [null]", goldSQL: "SELECT name FROM t WHERE name IS NOT NULL", predSQL: "SELECT name FROM t"},
		},
	},
	"null_rows_kept": {
		holds:  []example{{why: "a group for those without a region", gold: "region, n: ['north', 4], ['south', 6]", pred: "region, n: ['north', 4], ['south', 6], [null, 3]"}},
		almost: []example{{why: "the row more has a region", gold: "region, n: ['north', 4], ['south', 6]", pred: "region, n: ['north', 4], ['south', 6], ['east', 3]"}},
	},
	"null_rows_dropped": {
		holds:  []example{{why: "no group for those without a region", gold: "region, n: ['north', 4], ['south', 6], [null, 3]", pred: "region, n: ['north', 4], ['south', 6]"}},
		almost: []example{{why: "the row that lacks has a region", gold: "region, n: ['north', 4], ['south', 6], ['east', 3]", pred: "region, n: ['north', 4], ['south', 6]"}},
	},
	"zero_dropped": {
		holds:  []example{{why: "an agency without clients is left out", gold: "agency, clients: [1, 2], [2, 0], [3, 1]", pred: "agency, clients: [1, 2], [3, 1]"}},
		almost: []example{{why: "one with a client is", gold: "agency, clients: [1, 2], [2, 1], [3, 1]", pred: "agency, clients: [1, 2], [3, 1]"}},
	},
	"groups_merged": {
		holds: []example{{why: "both Newarks are one", gold: "city, km: ['Rome', 3], ['Newark', 5], ['Newark', 1], ['Oslo', 2]", pred: "city, km: ['Rome', 3], ['Newark', 6], ['Oslo', 2]"}},
		almost: []example{
			{why: "Oslo, which is one, differs too", gold: "city, km: ['Rome', 3], ['Newark', 5], ['Newark', 1], ['Oslo', 2]", pred: "city, km: ['Rome', 3], ['Newark', 6], ['Oslo', 4]"},
			{why: "the row of Newark is one of gold's two: the other was lost", gold: "city, km: ['Rome', 3], ['Newark', 5], ['Newark', 1], ['Oslo', 2]", pred: "city, km: ['Rome', 3], ['Newark', 5], ['Oslo', 2]"},
			{why: "Newark's is neither the sum nor between", gold: "city, km: ['Rome', 3], ['Newark', 5], ['Newark', 1], ['Oslo', 2]", pred: "city, km: ['Rome', 3], ['Newark', 7], ['Oslo', 2]"},
			{why: "there is another city", gold: "city, km: ['Rome', 3], ['Newark', 5], ['Newark', 1], ['Oslo', 2]", pred: "city, km: ['Rome', 3], ['Newark', 6], ['Oslo', 2], ['Bonn', 1]"},
			{why: "most names are more than one group", gold: "city, km: ['Rome', 3], ['Rome', 4], ['Newark', 5], ['Newark', 1], ['Oslo', 2], ['Bonn', 1], ['Lima', 1], ['Lima', 2]", pred: "city, km: ['Rome', 7], ['Newark', 6], ['Oslo', 2], ['Bonn', 1], ['Lima', 3]"},
		},
	},
	"groups_split": {
		holds:  []example{{why: "each Newark by itself", gold: "city, km: ['Rome', 3], ['Newark', 6], ['Oslo', 2]", pred: "city, km: ['Rome', 3], ['Newark', 5], ['Newark', 1], ['Oslo', 2]"}},
		almost: []example{{why: "Rome, which is one, differs too", gold: "city, km: ['Rome', 3], ['Newark', 6], ['Oslo', 2]", pred: "city, km: ['Rome', 8], ['Newark', 5], ['Newark', 1], ['Oslo', 2]"}},
	},
	"key_for_name": {
		holds: []example{
			{why: "one row, of the same group by the queries, whatever they count", gold: "name: ['Most']", pred: "id: [39]", goldSQL: "SELECT d.name FROM d JOIN a ON d.id = a.d GROUP BY d.id ORDER BY COUNT(a.k) DESC LIMIT 1", predSQL: "SELECT d.id FROM d JOIN a ON d.id = a.d GROUP BY d.id ORDER BY COUNT(a.d) DESC LIMIT 1"},
			{why: "the district's id in place of its name", gold: "loan, district_name: [1, 'Most'], [2, 'Brno'], [3, 'Most']", pred: "loan, district_id: [1, 39], [2, 14], [3, 39]"},
			{why: "its own key under any alias", gold: "breeder, n: ['Most', 2], ['Brno', 3]", pred: "who_id, n: [39, 2], [14, 3]", goldSQL: "SELECT b.name AS breeder, COUNT(*) AS n FROM dogs d JOIN breeders b ON b.id = d.breeder_id GROUP BY b.name", predSQL: "SELECT breeder_id AS who_id, COUNT(*) AS n FROM dogs GROUP BY breeder_id"},
			{why: "one column, of the same rows by the queries", gold: "name: ['Most'], ['Brno']", pred: "id: [39], [14]", goldSQL: "SELECT name FROM d WHERE x > 1", predSQL: "SELECT id FROM d WHERE x > 1"},
		},
		almost: []example{
			{why: "Most has two ids", gold: "loan, district_name: [1, 'Most'], [2, 'Brno'], [3, 'Most']", pred: "loan, district_id: [1, 39], [2, 14], [3, 40]"},
			{why: "one row, of groups of another kind", gold: "name: ['Most']", pred: "id: [39]", goldSQL: "SELECT d.name FROM d JOIN a ON d.id = a.d GROUP BY d.id ORDER BY COUNT(a.k) DESC LIMIT 1", predSQL: "SELECT d.id FROM d JOIN a ON d.id = a.d GROUP BY d.x ORDER BY COUNT(a.d) DESC LIMIT 1"},
			{why: "one row, by another order", gold: "name: ['Most']", pred: "id: [39]", goldSQL: "SELECT d.name FROM d JOIN a ON d.id = a.d GROUP BY d.id ORDER BY COUNT(a.k) DESC LIMIT 1", predSQL: "SELECT d.id FROM d JOIN a ON d.id = a.d GROUP BY d.id ORDER BY SUM(a.d) DESC LIMIT 1"},
			{why: "an alias calls another's key so", gold: "breeder, n: ['Most', 2], ['Brno', 3]", pred: "breeder_id, n: [39, 2], [14, 3]", goldSQL: "SELECT b.name AS breeder, COUNT(*) AS n FROM dogs d JOIN breeders b ON b.id = d.breeder_id GROUP BY b.name", predSQL: "SELECT vet_id AS breeder_id, COUNT(*) AS n FROM dogs GROUP BY vet_id"},
			{why: "an alias calls another table's key so", gold: "breeder, n: ['Most', 2], ['Brno', 3]", pred: "breeder_id, n: [39, 2], [14, 3]", goldSQL: "SELECT b.name AS breeder, COUNT(*) AS n FROM dogs d JOIN breeders b ON b.id = d.breeder_id GROUP BY b.name", predSQL: "SELECT v.id AS breeder_id, COUNT(*) AS n FROM dogs d JOIN vets v ON v.id = d.vet_id GROUP BY v.id"},
			{why: "one column, of other rows", gold: "name: ['Most'], ['Brno']", pred: "id: [39], [14]", goldSQL: "SELECT name FROM d WHERE x > 1", predSQL: "SELECT id FROM d WHERE x > 2"},
		},
	},
	"renamed_values": {
		holds:  []example{{why: "words for codes", gold: "n, sex: [1, 'S1'], [2, 'S2'], [3, 'S2'], [4, 'S1']", pred: "n, sex: [1, 'male'], [2, 'female'], [3, 'female'], [4, 'male']"}},
		almost: []example{{why: "the fourth is neither", gold: "n, sex: [1, 'M'], [2, 'F'], [3, 'F'], [4, 'M']", pred: "n, sex: [1, 'male'], [2, 'female'], [3, 'female'], [4, 'female']"}, {why: "the same words, at other rows", gold: "n, sex: [1, 'M'], [2, 'F'], [3, 'F'], [4, 'M']", pred: "n, sex: [1, 'F'], [2, 'M'], [3, 'M'], [4, 'F']"}},
	},
	"other_column": {
		holds:  []example{{why: "first names for login names, which are shared", gold: "login, pass: ['ann1', 'x'], ['ann2', 'y'], ['bo', 'z']", pred: "first, pass: ['Ann', 'x'], ['Ann', 'y'], ['Bo', 'z']"}},
		almost: []example{{why: "the passwords are others too", gold: "login, pass: ['ann1', 'x'], ['ann2', 'y'], ['bo', 'z']", pred: "first, pass: ['Ann', 'p'], ['Ann', 'q'], ['Bo', 'r']"}},
	},
	"tie_one": {
		holds: []example{
			{why: "one of all at the maximum, by the queries", gold: "name: ['a'], ['b']", pred: "name: ['b']", goldSQL: "SELECT name FROM t WHERE p = (SELECT MAX(p) FROM t)", predSQL: "SELECT name FROM t ORDER BY p DESC LIMIT 1"},
			{why: "the tie is shown", gold: "name, p: ['a', 9], ['b', 9]", pred: "name, p: ['b', 9]", goldSQL: "SELECT name, p FROM t WHERE p >= 9", predSQL: "SELECT name, p FROM t ORDER BY p DESC LIMIT 1"},
		},
		almost: []example{
			{why: "gold does not look for an extremum, and shows no tie", gold: "name: ['a'], ['b']", pred: "name: ['b']", goldSQL: "SELECT name FROM t WHERE p > 5", predSQL: "SELECT name FROM t ORDER BY p DESC LIMIT 1"},
			{why: "the row is not among gold's", gold: "name: ['a'], ['b']", pred: "name: ['c']", goldSQL: "SELECT name FROM t WHERE p = (SELECT MAX(p) FROM t)", predSQL: "SELECT name FROM t ORDER BY q DESC LIMIT 1"},
			{why: "without a limit it is a subset", gold: "name, p: ['a', 9], ['b', 9]", pred: "name, p: ['b', 9]"},
		},
	},
	"tie_all": {
		holds: []example{
			{why: "all at the maximum, of which gold shows one", gold: "name: ['b']", pred: "name: ['a'], ['b']", goldSQL: "SELECT name FROM t ORDER BY p DESC LIMIT 1", predSQL: "SELECT name FROM t WHERE p = (SELECT MAX(p) FROM t)"},
		},
		almost: []example{{why: "the second row is less", gold: "name, p: ['b', 9]", pred: "name, p: ['a', 8], ['b', 9]", goldSQL: "SELECT name, p FROM t ORDER BY p DESC LIMIT 1", predSQL: "SELECT name, p FROM t WHERE p > 7"}},
	},
	"tie_other": {
		holds: []example{
			{why: "two with seven points, of which each shows one", gold: "name, p: ['a', 9], ['b', 7]", pred: "name, p: ['a', 9], ['c', 7]", goldSQL: "SELECT name, p FROM t ORDER BY p DESC LIMIT 2", predSQL: "SELECT name, p FROM t ORDER BY p DESC, name DESC LIMIT 2"},
			{why: "a tie in both of gold's sort keys", gold: "club, pts, diff: ['a', 9, 4], ['b', 7, 1]", pred: "club, pts, diff: ['a', 9, 4], ['c', 7, 1]", goldSQL: "SELECT club, pts, diff FROM t ORDER BY pts DESC, diff DESC LIMIT 2", predSQL: "SELECT club, pts, diff FROM t ORDER BY pts DESC, diff DESC LIMIT 2"},
			{why: "conditions in another order", gold: "name, p: ['a', 9], ['b', 7]", pred: "name, p: ['a', 9], ['c', 7]", goldSQL: "SELECT name, p FROM t WHERE s = 1 AND k = 2 ORDER BY p DESC LIMIT 2", predSQL: "SELECT name, p FROM t WHERE k = 2 AND s = 1 ORDER BY p DESC LIMIT 2"},
			{why: "the same join", gold: "name, p: ['a', 9], ['b', 7]", pred: "name, p: ['a', 9], ['c', 7]", goldSQL: "SELECT t.name, t.p FROM t JOIN u ON t.id = u.id ORDER BY t.p DESC LIMIT 2", predSQL: "SELECT t.name, t.p FROM t INNER JOIN u ON t.id = u.id ORDER BY t.p DESC, t.name LIMIT 2"},
			{why: "by the alias of an aggregate", gold: "rep, n: ['a', 5]", pred: "rep, deals: ['b', 5]", goldSQL: "SELECT rep, COUNT(*) AS n FROM d GROUP BY rep ORDER BY n DESC LIMIT 1", predSQL: "SELECT rep, COUNT(*) AS deals FROM d GROUP BY rep ORDER BY COUNT(*) DESC, rep LIMIT 1"},
		},
		almost: []example{
			{why: "the one that differs is the first", gold: "name, p: ['a', 9], ['b', 7]", pred: "name, p: ['c', 9], ['b', 7]", goldSQL: "SELECT name, p FROM t ORDER BY p DESC LIMIT 2", predSQL: "SELECT name, p FROM t ORDER BY p DESC LIMIT 2"},
			{why: "nothing is cut off", gold: "name, p: ['a', 9], ['b', 7]", pred: "name, p: ['a', 9], ['c', 7]", goldSQL: "SELECT name, p FROM t ORDER BY p DESC", predSQL: "SELECT name, p FROM t ORDER BY p DESC"},
			{why: "gold says which of them it wants", gold: "name, p: ['a', 9], ['b', 7]", pred: "name, p: ['a', 9], ['c', 7]", goldSQL: "SELECT name, p FROM t ORDER BY p DESC, name LIMIT 2", predSQL: "SELECT name, p FROM t ORDER BY p DESC LIMIT 2"},
			{why: "they do not tie in the second key", gold: "club, pts, diff: ['a', 9, 4], ['b', 7, 2]", pred: "club, pts, diff: ['a', 9, 4], ['c', 7, 1]", goldSQL: "SELECT club, pts, diff FROM t ORDER BY pts DESC, diff DESC LIMIT 2", predSQL: "SELECT club, pts, diff FROM t ORDER BY pts DESC, diff DESC LIMIT 2"},
		},
	},
	"tie_unproven": {
		holds: []example{
			{why: "the answer leaves out a condition", gold: "name, p: ['a', 9], ['b', 7]", pred: "name, p: ['a', 9], ['c', 7]", goldSQL: "SELECT name, p FROM t WHERE s = 1 ORDER BY p DESC LIMIT 2", predSQL: "SELECT name, p FROM t ORDER BY p DESC LIMIT 2"},
			{why: "another subquery", gold: "name, p: ['a', 9], ['b', 7]", pred: "name, p: ['a', 9], ['c', 7]", goldSQL: "SELECT name, p FROM t WHERE s > (SELECT MIN(s) FROM u) ORDER BY p DESC LIMIT 2", predSQL: "SELECT name, p FROM t WHERE s > (SELECT MAX(s) FROM u) ORDER BY p DESC LIMIT 2"},
			{why: "another condition in a subquery", gold: "name, p: ['a', 9], ['b', 7]", pred: "name, p: ['a', 9], ['c', 7]", goldSQL: "SELECT name, p FROM t WHERE s IN (SELECT s FROM u WHERE k = 1) ORDER BY p DESC LIMIT 2", predSQL: "SELECT name, p FROM t WHERE s IN (SELECT s FROM u WHERE k = 2) ORDER BY p DESC LIMIT 2"},
			{why: "another kind of join", gold: "name, p: ['a', 9], ['b', 7]", pred: "name, p: ['a', 9], ['c', 7]", goldSQL: "SELECT t.name, t.p FROM t JOIN u ON t.id = u.id ORDER BY t.p DESC LIMIT 2", predSQL: "SELECT t.name, t.p FROM t LEFT JOIN u ON t.id = u.id ORDER BY t.p DESC LIMIT 2"},
			{why: "joined by another column", gold: "name, p: ['a', 9], ['b', 7]", pred: "name, p: ['a', 9], ['c', 7]", goldSQL: "SELECT t.name, t.p FROM t JOIN u ON t.id = u.id ORDER BY t.p DESC LIMIT 2", predSQL: "SELECT t.name, t.p FROM t JOIN u ON t.id = u.owner ORDER BY t.p DESC LIMIT 2"},
			{why: "repeated rows removed", gold: "name, p: ['a', 9], ['b', 7]", pred: "name, p: ['a', 9], ['c', 7]", goldSQL: "SELECT name, p FROM t ORDER BY p DESC LIMIT 2", predSQL: "SELECT DISTINCT name, p FROM t ORDER BY p DESC LIMIT 2"},
			{why: "another common table expression", gold: "name, p: ['a', 9], ['b', 7]", pred: "name, p: ['a', 9], ['c', 7]", goldSQL: "WITH x AS (SELECT name, p FROM t WHERE p > 1) SELECT name, p FROM x ORDER BY p DESC LIMIT 2", predSQL: "WITH x AS (SELECT name, p FROM t WHERE p > 3) SELECT name, p FROM x ORDER BY p DESC LIMIT 2"},
			{why: "only one query is known", gold: "name, p: ['a', 9], ['b', 7]", pred: "name, p: ['a', 9], ['c', 7]", goldSQL: "SELECT name, p FROM t ORDER BY p DESC LIMIT 2"},
		},
		almost: []example{
			{why: "proven", gold: "name, p: ['a', 9], ['b', 7]", pred: "name, p: ['a', 9], ['c', 7]", goldSQL: "SELECT name, p FROM t ORDER BY p DESC LIMIT 2", predSQL: "SELECT name, p FROM t ORDER BY p DESC LIMIT 2"},
			{why: "the values differ, too", gold: "name, p: ['a', 9], ['b', 7]", pred: "name, p: ['a', 9], ['c', 6]", goldSQL: "SELECT name, p FROM t ORDER BY p DESC LIMIT 2"},
		},
	},
})
