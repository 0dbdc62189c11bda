package relation_test

// of makes an example of two queries whose results, one text each, have nothing in common.
func of(why, goldSQL, predSQL, question string) example {
	return example{why: why, gold: "x: ['p']", pred: "x: ['q']", goldSQL: goldSQL, predSQL: predSQL, question: question}
}

var _ = addExamples(map[string]examplesOf{
	"gold_literal_foreign": {
		holds: []example{of("the question asks for TR346", "SELECT x FROM m WHERE id = 'TR000'", "SELECT x FROM m WHERE id = 'TR346'", "Which atoms belong to TR346?")},
		almost: []example{
			of("the question asks for both", "SELECT x FROM m WHERE id = 'TR000'", "SELECT x FROM m WHERE id = 'TR346'", "Which atoms belong to TR346 and TR000?"),
			of("one is the other, written otherwise", "SELECT x FROM m WHERE q LIKE '1:40%'", "SELECT x FROM m WHERE q = '0:01:40'", "Who had the time 0:01:40?"),
			{why: "the evidence has gold's", gold: "x: ['p']", pred: "x: ['q']", goldSQL: "SELECT x FROM m WHERE e = 'cl'", predSQL: "SELECT x FROM m WHERE e = 'chlorine'", question: "Which have chlorine?", evidence: "chlorine refers to e = 'cl'"},
		},
	},
	"gold_finds_nothing": {
		holds: []example{
			{why: "gold's literal is misspelt", gold: "x", pred: "x: ['q']", goldSQL: "SELECT x FROM t WHERE e = 'c1' AND k = 5", predSQL: "SELECT x FROM t WHERE k = 5 AND t.e = 'cl'"},
			{why: "its sum is NULL", gold: "x: [null]", pred: "x: [3]", goldSQL: "SELECT SUM(n) FROM t WHERE d = '2011-09'", predSQL: "SELECT SUM(n) FROM t WHERE d = '201109'"},
		},
		almost: []example{
			{why: "the answer leaves a condition out", gold: "x", pred: "x: ['q']", goldSQL: "SELECT x FROM t WHERE e = 'cl' AND sex = 'M'", predSQL: "SELECT x FROM t WHERE e = 'cl'"},
			{why: "it reads another table", gold: "x", pred: "x: ['q']", goldSQL: "SELECT x FROM t WHERE e = 'cl'", predSQL: "SELECT x FROM u WHERE e = 'cl'"},
			{why: "gold asks nothing", gold: "x", pred: "x: ['q']", goldSQL: "SELECT x FROM t", predSQL: "SELECT x FROM t WHERE e = 'cl'"},
			{why: "the answer finds nothing either", gold: "x", pred: "x: [null]", goldSQL: "SELECT x FROM t WHERE e = 'c1'", predSQL: "SELECT MAX(x) FROM t WHERE e = 'cl'"},
		},
	},
	"gold_vacuous_limit": {
		holds:  []example{of("the sum is of all", "SELECT SUM(v) FROM b JOIN w ON b.w = w.c ORDER BY w.capacity DESC LIMIT 1", "SELECT SUM(v) FROM b JOIN w ON b.w = w.c WHERE w.capacity = (SELECT MAX(capacity) FROM w)", "")},
		almost: []example{of("the sums are of groups", "SELECT SUM(v) FROM b JOIN w ON b.w = w.c GROUP BY w.c ORDER BY w.capacity DESC LIMIT 1", "SELECT SUM(v) FROM b", "")},
	},
	"gold_vacuous_having": {
		holds:  []example{of("every group has a row", "SELECT id FROM s GROUP BY id HAVING COUNT(*) >= 1", "SELECT s.id FROM s JOIN m ON s.id = m.id", "")},
		almost: []example{of("not every group has two", "SELECT id FROM s GROUP BY id HAVING COUNT(*) >= 2", "SELECT s.id FROM s JOIN m ON s.id = m.id", "")},
	},
	"gold_ungrouped": {
		holds: []example{of("one average for all", "SELECT AVG(v) FROM t", "SELECT k, AVG(v) FROM t GROUP BY k", "What is the average value of each?")},
		almost: []example{
			of("the question is about all", "SELECT AVG(v) FROM t", "SELECT k, AVG(v) FROM t GROUP BY k", "What is the average value?"),
			of("the answer groups something else", "SELECT COUNT(*) FROM transactions", "SELECT account, COUNT(*) FROM accounts GROUP BY account", "How many transactions does each account have?"),
		},
	},
	"gold_sort_against_question": {
		holds: []example{
			of("the highest is at the other end", "SELECT x FROM t ORDER BY r LIMIT 1", "SELECT x FROM t ORDER BY r DESC LIMIT 1", "Which has the highest r?"),
			of("and so is the lowest", "SELECT x FROM t ORDER BY r DESC LIMIT 1", "SELECT x FROM t ORDER BY r LIMIT 1", "Which has the fewest r?"),
		},
		almost: []example{
			of("gold does what the question asks", "SELECT x FROM t ORDER BY r DESC LIMIT 1", "SELECT x FROM t ORDER BY r LIMIT 1", "Which has the highest r?"),
			of("the question has both", "SELECT x FROM t ORDER BY r LIMIT 1", "SELECT x FROM t ORDER BY r DESC LIMIT 1", "Which of the lowest has the highest r?"),
			of("by another measure", "SELECT x FROM t ORDER BY r LIMIT 1", "SELECT x FROM t ORDER BY s DESC LIMIT 1", "Which has the highest r?"),
			of("of other things", "SELECT x FROM t ORDER BY r LIMIT 1", "SELECT x FROM u ORDER BY r DESC LIMIT 1", "Which has the highest r?"),
			of("the oldest has the earliest birth and the highest age", "SELECT x FROM t ORDER BY born LIMIT 1", "SELECT x FROM t ORDER BY born DESC LIMIT 1", "Who is the oldest?"),
		},
	},
	"gold_and_for_or": {
		holds:  []example{of("the question says or", "SELECT x FROM t WHERE c = 'A' INTERSECT SELECT x FROM t WHERE c = 'B'", "SELECT x FROM t WHERE c = 'A' OR c = 'B'", "Which are from A or B?")},
		almost: []example{of("the question says and", "SELECT x FROM t WHERE c = 'A' INTERSECT SELECT x FROM t WHERE c = 'B'", "SELECT x FROM t WHERE c = 'A' OR c = 'B'", "Which are from A and B?"), of("what both share", "SELECT x FROM t WHERE c = 'A' INTERSECT SELECT x FROM t WHERE c = 'B'", "SELECT x FROM t WHERE c = 'A' OR c = 'B'", "Which are shared by A or B?")},
	},
	"filter_missing": {
		holds:  []example{{why: "without b = 2", gold: "n: [1]", pred: "n: [1], [5]", goldSQL: "SELECT n FROM t WHERE a = 1 AND b = 2", predSQL: "SELECT n FROM t WHERE a = 1"}},
		almost: []example{{why: "another condition is there", gold: "n: [1]", pred: "n: [1], [5]", goldSQL: "SELECT n FROM t WHERE a = 1 AND b = 2", predSQL: "SELECT n FROM t WHERE a = 1 AND c = 3"}, {why: "the rows are not all there", gold: "n: [1]", pred: "n: [4], [5]", goldSQL: "SELECT n FROM t WHERE a = 1 AND b = 2", predSQL: "SELECT n FROM t WHERE a = 1"}},
	},
	"filter_added": {
		holds:  []example{{why: "and b = 2", gold: "n: [1], [5]", pred: "n: [1]", goldSQL: "SELECT n FROM t WHERE a = 1", predSQL: "SELECT n FROM t WHERE a = 1 AND b = 2"}},
		almost: []example{{why: "the row is another", gold: "n: [1], [5]", pred: "n: [7]", goldSQL: "SELECT n FROM t WHERE a = 1", predSQL: "SELECT n FROM t WHERE a = 1 AND b = 2"}},
	},
	"literal_case": {
		holds:  []example{of("Aminer", "SELECT x FROM t WHERE c = 'aminer'", "SELECT x FROM t WHERE c = 'Aminer'", ""), of("gold in any case", "SELECT x FROM t WHERE LOWER(c) = 'aminer'", "SELECT x FROM t WHERE c = 'Aminer'", ""), of("LOWER gives no capital", "SELECT x FROM t WHERE LOWER(c) = 'Aminer'", "SELECT x FROM t WHERE c = 'aminer'", "")},
		almost: []example{of("both in any case", "SELECT x FROM t WHERE LOWER(c) = 'aminer'", "SELECT y FROM t WHERE UPPER(c) = 'AMINER'", ""), of("a pattern in any case", "SELECT x FROM t WHERE LOWER(c) LIKE '%min%'", "SELECT y FROM t WHERE c ILIKE '%Min%'", ""), of("another word", "SELECT x FROM t WHERE c = 'aminer'", "SELECT x FROM t WHERE c = 'miner'", ""), of("the same", "SELECT x FROM t WHERE c = 'aminer'", "SELECT y FROM t WHERE c = 'aminer'", "")},
	},
	"literal_form": {
		holds:  []example{of("hours before the minutes", "SELECT x FROM t WHERE q LIKE '1:54%'", "SELECT x FROM t WHERE q = '0:01:54'", ""), of("a number as text", "SELECT x FROM t WHERE soc = '11-2'", "SELECT x FROM t WHERE soc = '112'", "")},
		almost: []example{of("another time", "SELECT x FROM t WHERE q LIKE '1:54%'", "SELECT x FROM t WHERE q = '0:01:33'", "")},
	},
	"literal_foreign": {
		holds:  []example{of("the question says Most", "SELECT x FROM t WHERE c = 'Most'", "SELECT x FROM t WHERE c = 'Brno'", "Which are from Most?")},
		almost: []example{of("the question says neither", "SELECT x FROM t WHERE c = 'Most'", "SELECT x FROM t WHERE c = 'Brno'", "Which are from there?")},
	},
	"literals_differ": {
		holds:  []example{of("another year", "SELECT x FROM t WHERE y = 2023", "SELECT x FROM t WHERE y = 2024", "")},
		almost: []example{of("the same year", "SELECT x FROM t WHERE y = 2023", "SELECT z FROM t WHERE y = 2023", ""), of("of another column", "SELECT x FROM t WHERE y = 2023", "SELECT x FROM t WHERE m = 2024", "")},
	},
	"boundary": {
		holds:  []example{of("five itself", "SELECT x FROM t WHERE n > 5", "SELECT x FROM t WHERE n >= 5", ""), of("from the other side", "SELECT x FROM t WHERE 5 <= n", "SELECT x FROM t WHERE n > 5", "")},
		almost: []example{of("the other way", "SELECT x FROM t WHERE n > 5", "SELECT x FROM t WHERE n < 5", ""), of("another bound", "SELECT x FROM t WHERE n > 5", "SELECT x FROM t WHERE n >= 6", "")},
	},
	"comparison_differs": {
		holds:  []example{of("the other way", "SELECT x FROM t WHERE n > 5", "SELECT x FROM t WHERE n < 5", ""), of("the opposite", "SELECT x FROM t WHERE n < 7", "SELECT x FROM t WHERE NOT (n < 7)", "")},
		almost: []example{of("columns of which a self-join has two", "SELECT a.x FROM t a JOIN t b ON a.c < b.c", "SELECT a.x FROM t a JOIN t b ON a.c <> b.c", ""), of("five itself", "SELECT x FROM t WHERE n > 5", "SELECT x FROM t WHERE n >= 5", "")},
	},
	"or_for_and": {
		holds:  []example{of("both for either", "SELECT x FROM t WHERE c = 'A' INTERSECT SELECT x FROM t WHERE c = 'B'", "SELECT x FROM t WHERE c IN ('A', 'B')", "")},
		almost: []example{of("both do", "SELECT x FROM t WHERE c = 'A' INTERSECT SELECT x FROM t WHERE c = 'B'", "SELECT x FROM t WHERE c = 'A' INTERSECT SELECT x FROM t WHERE c = 'C'", "")},
	},
	"and_for_or": {
		holds:  []example{of("either for both", "SELECT x FROM t WHERE c IN ('A', 'B')", "SELECT x FROM t WHERE c = 'A' INTERSECT SELECT x FROM t WHERE c = 'B'", "")},
		almost: []example{of("gold has one condition", "SELECT x FROM t WHERE c = 'A'", "SELECT x FROM t WHERE c = 'A' INTERSECT SELECT x FROM t WHERE c = 'B'", "")},
	},
	"condition_missing": {
		holds: []example{of("nothing of the year", "SELECT x FROM t WHERE c = 'A' AND y = 2023", "SELECT x FROM t WHERE c = 'A'", "")},
		almost: []example{of("the opposite is said of the year", "SELECT x FROM t WHERE y < 7", "SELECT x FROM t WHERE NOT (y < 7)", ""), of("the year is another", "SELECT x FROM t WHERE c = 'A' AND y = 2023", "SELECT x FROM t WHERE c = 'A' AND y = 2024", ""),
			of("an aggregate tests the year", "SELECT COUNT(*) FROM t WHERE c = 'A' AND y = 2023", "SELECT SUM(CASE WHEN y = 2023 THEN 1 ELSE 0 END) FROM t WHERE c = 'A'", ""), of("a CASE of the year", "SELECT COUNT(*) FROM t WHERE c = 'A' AND y = 2023", "SELECT COUNT(CASE y WHEN 2023 THEN 1 END) FROM t WHERE c = 'A'", ""),
			of("a FILTER tests the year", "SELECT COUNT(*) FROM t WHERE c = 'A' AND y = 2023", "SELECT COUNT(*) FILTER (WHERE y = 2023) FROM t WHERE c = 'A'", ""), of("the year is compared in a sum", "SELECT COUNT(*) FROM t WHERE c = 'A' AND y = 2023", "SELECT SUM(y = 2023) FROM t WHERE c = 'A'", ""),
			of("a function counts by the flag", "SELECT COUNT(*) FROM t WHERE c = 'A' AND y = 1", "SELECT COUNT_IF(y) FROM t WHERE c = 'A'", "")},
	},
	"condition_added": {
		holds: []example{of("and the year", "SELECT x FROM t WHERE c = 'A'", "SELECT x FROM t WHERE c = 'A' AND y = 2023", ""),
			of("gold's ratio counts all rows", "SELECT 100.0 * SUM(CASE WHEN y = 2023 THEN 1 ELSE 0 END) / COUNT(*) FROM t WHERE c = 'A'", "SELECT 100.0 * COUNT(*) / (SELECT COUNT(*) FROM t) FROM t WHERE c = 'A' AND y = 2023", "")},
		almost: []example{of("gold has it too", "SELECT x FROM t WHERE c = 'A' AND y = 2023", "SELECT x FROM t WHERE c = 'A' AND y = 2023", ""),
			of("gold counts with it", "SELECT SUM(CASE WHEN y = 2023 THEN 1 ELSE 0 END) FROM t WHERE c = 'A'", "SELECT COUNT(*) FROM t WHERE c = 'A' AND y = 2023", "")},
	},
	"same_query": {
		holds:  []example{of("but for spelling", "SELECT x FROM t WHERE c = 'A' AND y = 1", "select x\nfrom t -- all\nwhere c='A' and y=1;", "")},
		almost: []example{of("results that differ outrank a proof", "SELECT T1.x FROM t AS T1 WHERE T1.c = 'A'", "SELECT x FROM t WHERE 'A' = c", ""), of("another column of the same name", "SELECT T1.x FROM t AS T1 JOIN u AS T2 ON T1.id = T2.id", "SELECT T2.x FROM t AS T1 JOIN u AS T2 ON T1.id = T2.id", ""), of("outer for inner", "SELECT t.x FROM t JOIN u ON t.id = u.id", "SELECT t.x FROM t LEFT JOIN u ON t.id = u.id", ""), of("another limit", "SELECT x FROM t ORDER BY x LIMIT 3", "SELECT x FROM t ORDER BY x LIMIT 4", "")},
	},
	"count_distinct": {
		holds:  []example{of("rows for values", "SELECT COUNT(DISTINCT x) FROM t", "SELECT COUNT(x) FROM t", "")},
		almost: []example{of("both count values", "SELECT COUNT(DISTINCT x) FROM t", "SELECT COUNT(DISTINCT y) FROM t", "")},
	},
	"aggregate_differs": {
		holds:  []example{of("the mean for the greatest", "SELECT MAX(x) FROM t", "SELECT AVG(x) FROM t", "")},
		almost: []example{of("the answer has one more", "SELECT MAX(x) FROM t", "SELECT MAX(x), AVG(x) FROM t", "")},
	},
	"ratio_for_plain": {
		holds:  []example{of("a share for a number", "SELECT COUNT(*) FROM t", "SELECT COUNT(*) * 100.0 / 7 FROM t", "")},
		almost: []example{of("both divide", "SELECT COUNT(*) / 3 FROM t", "SELECT COUNT(*) * 100.0 / 7 FROM t", "")},
	},
	"ratio_differs": {
		holds:  []example{{why: "two shares", gold: "x: [41.5]", pred: "x: [17.25]", goldSQL: "SELECT 100.0 * SUM(a) / COUNT(*) FROM t", predSQL: "SELECT 100.0 * SUM(a) / COUNT(b) FROM t"}},
		almost: []example{{why: "one does not divide", gold: "x: [41.5]", pred: "x: [17.25]", goldSQL: "SELECT SUM(a) FROM t", predSQL: "SELECT SUM(a) / COUNT(b) FROM t"}},
	},
	"order_total_for_raw": {
		holds: []example{of("by the sum", "SELECT x FROM t ORDER BY p DESC LIMIT 1", "SELECT x FROM t GROUP BY x ORDER BY SUM(p) DESC LIMIT 1", "")},
		almost: []example{
			of("both by single values", "SELECT x FROM t ORDER BY p DESC LIMIT 1", "SELECT x FROM t ORDER BY q DESC LIMIT 1", ""),
			of("by how many rows there are", "SELECT x FROM t ORDER BY p DESC LIMIT 1", "SELECT x FROM t GROUP BY x ORDER BY COUNT(*) DESC LIMIT 1", ""),
			of("by the sum of something else", "SELECT x FROM t ORDER BY p DESC LIMIT 1", "SELECT x FROM t GROUP BY x ORDER BY SUM(q) DESC LIMIT 1", ""),
			of("by the sum over other rows", "SELECT x FROM t ORDER BY p DESC LIMIT 1", "SELECT x FROM t JOIN u ON t.k = u.k GROUP BY x ORDER BY SUM(p) DESC LIMIT 1", ""),
		},
	},
	"order_raw_for_total": {
		holds:  []example{of("by single values", "SELECT x FROM t GROUP BY x ORDER BY SUM(p) DESC LIMIT 1", "SELECT x FROM t ORDER BY p DESC LIMIT 1", ""), of("the sum by its alias", "SELECT x, SUM(p) AS s FROM t GROUP BY x ORDER BY s DESC LIMIT 1", "SELECT x FROM t ORDER BY p DESC LIMIT 1", "")},
		almost: []example{of("both by sums", "SELECT x FROM t GROUP BY x ORDER BY SUM(p) DESC LIMIT 1", "SELECT x FROM t GROUP BY x ORDER BY SUM(q) DESC LIMIT 1", "")},
	},
	"order_differs": {
		holds:  []example{of("by q", "SELECT x FROM t ORDER BY p DESC LIMIT 1", "SELECT x FROM t ORDER BY q DESC LIMIT 1", "")},
		almost: []example{of("by p, written as a position", "SELECT p FROM t ORDER BY p DESC LIMIT 1", "SELECT p FROM t ORDER BY 1 DESC LIMIT 1", "")},
	},
	"limits_differ": {
		holds:  []example{of("three and five", "SELECT x FROM t LIMIT 3", "SELECT x FROM t LIMIT 5", "")},
		almost: []example{of("three and three", "SELECT x FROM t LIMIT 3", "SELECT y FROM t LIMIT 3", "")},
	},
	"distinct_under_limit": {
		holds:  []example{of("repetitions count", "SELECT DISTINCT x FROM t ORDER BY x LIMIT 3", "SELECT x FROM t ORDER BY x LIMIT 3", "")},
		almost: []example{of("nothing is cut off", "SELECT DISTINCT x FROM t ORDER BY x", "SELECT x FROM t ORDER BY x", "")},
	},
	"same_order_limit": {
		holds:  []example{of("groups of other keys", "SELECT x FROM t GROUP BY id ORDER BY COUNT(*) DESC LIMIT 3", "SELECT x FROM t GROUP BY x ORDER BY COUNT(*) DESC LIMIT 3", "")},
		almost: []example{of("the first is passed over", "SELECT x FROM t ORDER BY x LIMIT 3", "SELECT x FROM t ORDER BY x LIMIT 3 OFFSET 1", ""), of("the other direction", "SELECT x FROM t GROUP BY id ORDER BY COUNT(*) DESC LIMIT 3", "SELECT x FROM t GROUP BY x ORDER BY COUNT(*) LIMIT 3", "")},
	},
	"group_differs": {
		holds:  []example{of("by name", "SELECT COUNT(*) FROM t GROUP BY id", "SELECT COUNT(*) FROM t GROUP BY name", ""), of("the average of sums for that of values", "SELECT AVG(s) FROM (SELECT SUM(n) AS s FROM t GROUP BY id) g", "SELECT AVG(n) AS sum_of_n, SUM(n) FROM t", "")},
		almost: []example{of("by the same", "SELECT COUNT(*) FROM t GROUP BY id", "SELECT SUM(n) FROM t GROUP BY t.id", "")},
	},
	"outer_join": {
		holds: []example{of("left for inner", "SELECT x FROM t JOIN u ON t.id = u.id", "SELECT x FROM t LEFT JOIN u ON t.id = u.id", ""),
			{why: "of a table that both read", gold: "x: ['p']", pred: "x: ['q']", goldSQL: "SELECT x FROM t LEFT JOIN u ON t.id = u.id LEFT JOIN v ON v.id = t.id", predSQL: "SELECT x FROM t JOIN u ON t.id = u.id"}},
		almost: []example{of("both left", "SELECT x FROM t LEFT JOIN u ON t.id = u.id", "SELECT y FROM u LEFT JOIN t ON t.id = u.id", ""),
			of("the other query does not read the table", "SELECT t.x, SUM(t.a * r.rate) FROM t LEFT JOIN rates r ON r.cur = t.cur GROUP BY t.x", "SELECT t.x, SUM(t.a) FROM t GROUP BY t.x", ""),
			of("nor through an expression before it", "WITH day AS (SELECT * FROM rates WHERE d = 7), now AS (SELECT cur, rate FROM day) SELECT x, rate FROM t LEFT JOIN now ON now.cur = t.cur", "SELECT x, 1 FROM t", ""),
			of("it was not read to its end", "SELECT x FROM t LEFT JOIN u ON t.id = u.id", "SELECT x FROM (SELECT x, id FROM t JOIN u ON (t.id = u.id", "")},
	},
	"tables_fewer": {
		holds:  []example{of("without u", "SELECT x FROM t JOIN u ON t.id = u.id", "SELECT x FROM t", "")},
		almost: []example{of("v in place of u", "SELECT x FROM t JOIN u ON t.id = u.id", "SELECT x FROM t JOIN v ON t.id = v.id", "")},
	},
	"tables_more": {
		holds:  []example{of("with u", "SELECT x FROM t", "SELECT x FROM t JOIN u ON t.id = u.id", "")},
		almost: []example{of("the same table twice", "SELECT x FROM t", "SELECT x FROM t WHERE n = (SELECT MAX(n) FROM t)", "")},
	},
	"tables_differ": {
		holds:  []example{of("v in place of u", "SELECT x FROM t JOIN u ON t.id = u.id", "SELECT x FROM t JOIN v ON t.id = v.id", "")},
		almost: []example{of("without u", "SELECT x FROM t JOIN u ON t.id = u.id", "SELECT x FROM t", "")},
	},
	"select_differs": {
		holds:  []example{of("y for x", "SELECT x FROM t WHERE n = 1", "SELECT y FROM t WHERE n = 1", "")},
		almost: []example{of("and another condition", "SELECT x FROM t WHERE n = 1", "SELECT y FROM t WHERE n = 2", "")},
	},
})
