package relation_test

import "fmt"

const (
	inYear   = "SELECT COUNT(*) AS n FROM visits WHERE YEAR(came_at) = 2031"
	upToDate = "SELECT COUNT(*) AS n FROM visits WHERE came_at BETWEEN '2031-01-01' AND '2031-12-31'"
	perGroup = "SELECT s.town, SUM(b.fee) AS fees FROM berths b JOIN skippers s ON s.skipper_id = b.skipper_id GROUP BY s.town"
	withMany = "SELECT s.town, SUM(b.fee) AS fees FROM berths b JOIN skippers s ON s.skipper_id = b.skipper_id JOIN trips t ON t.skipper_id = s.skipper_id GROUP BY s.town"
	withKey  = "SELECT s.town, SUM(b.fee) AS fees FROM berths b JOIN skippers s ON s.skipper_id = b.skipper_id JOIN ports p ON p.port_id = b.port_id GROUP BY s.town"
	fees     = "town, fees: ['Genoa', 40], ['Split', 90], ['Bergen', 10]"
	pairs    = "SELECT a.dish, b.dish, COUNT(*) AS n FROM orders a JOIN orders b ON a.bill = b.bill AND a.dish %s b.dish GROUP BY a.dish, b.dish"
)

// counted makes an example of two queries whose results are one number each.
func counted(why, gold, pred, goldSQL, predSQL string) example {
	return example{why: why, gold: "n: [" + gold + "]", pred: "n: [" + pred + "]", goldSQL: goldSQL, predSQL: predSQL}
}

var _ = addExamples(map[string]examplesOf{
	"null_comparison": {
		holds: []example{
			{why: "nothing is unequal to NULL", gold: "name: ['Ida'], ['Olav']", pred: "name", goldSQL: "SELECT name FROM boats WHERE sunk IS NOT NULL", predSQL: "SELECT name FROM boats WHERE sunk <> NULL"},
			counted("nothing is counted", "7", "0", "SELECT COUNT(*) FROM boats WHERE sunk IS NULL AND sails = 2", "SELECT COUNT(*) FROM boats WHERE sails = 2 AND sunk = NULL"),
			counted("nor summed", "7", "null", "SELECT SUM(sails) FROM boats WHERE sunk IS NULL", "SELECT SUM(sails) FROM boats WHERE NULL = sunk"),
		},
		almost: []example{
			{why: "the answer finds something", gold: "name: ['Ida'], ['Olav']", pred: "name: ['Ida']", goldSQL: "SELECT name FROM boats WHERE sunk IS NOT NULL", predSQL: "SELECT name FROM boats WHERE sails = 2 OR sunk <> NULL"},
			{why: "under OR it keeps what the other part keeps", gold: "name: ['Ida']", pred: "name", goldSQL: "SELECT name FROM boats WHERE sunk IS NOT NULL", predSQL: "SELECT name FROM boats WHERE sails = 9 OR sunk <> NULL"},
			{why: "a text that reads NULL", gold: "name: ['Ida']", pred: "name", goldSQL: "SELECT name FROM boats WHERE sunk IS NOT NULL", predSQL: "SELECT name FROM boats WHERE sunk <> 'NULL'"},
			{why: "of the optional side of a join alone", gold: "name: ['Ida']", pred: "name", goldSQL: "SELECT name FROM boats b JOIN ports p ON p.id = b.port", predSQL: "SELECT name FROM boats b LEFT JOIN ports p ON p.id = NULL"},
			{why: "gold has it too", gold: "name: ['Ida']", pred: "name", goldSQL: "SELECT name FROM boats WHERE sails = 2 OR sunk = NULL", predSQL: "SELECT name FROM boats WHERE sunk = NULL"},
		},
	},
	"not_in_null": {
		holds: []example{
			counted("the list has NULL", "31", "0", "SELECT COUNT(*) FROM guests WHERE id NOT IN (SELECT guest_id FROM bills WHERE guest_id IS NOT NULL)", "SELECT COUNT(*) FROM guests WHERE id NOT IN (SELECT guest_id FROM bills)"),
			counted("gold asks for no match", "31", "0", "SELECT COUNT(*) FROM guests g WHERE NOT EXISTS (SELECT 1 FROM bills b WHERE b.guest_id = g.id)", "SELECT COUNT(*) FROM guests WHERE NOT (id IN (SELECT guest_id FROM bills))"),
			{why: "gold keeps rows without a match", gold: "name: ['Ida'], ['Olav']", pred: "name", goldSQL: "SELECT name FROM guests g LEFT JOIN bills b ON b.guest_id = g.id WHERE b.guest_id IS NULL", predSQL: "SELECT name FROM guests WHERE id NOT IN (SELECT guest_id FROM bills)"},
			{why: "NULL is written into the list", gold: "name: ['Ida']", pred: "name", goldSQL: "SELECT name FROM guests WHERE room NOT IN (7, 8) AND room IS NOT NULL", predSQL: "SELECT name FROM guests WHERE room NOT IN (7, 8, NULL)"},
		},
		almost: []example{
			counted("the answer finds some", "31", "30", "SELECT COUNT(*) FROM guests WHERE id NOT IN (SELECT guest_id FROM bills WHERE guest_id IS NOT NULL)", "SELECT COUNT(*) FROM guests WHERE id NOT IN (SELECT guest_id FROM bills)"),
			counted("the list leaves NULL out", "31", "0", "SELECT COUNT(*) FROM guests WHERE id NOT IN (SELECT guest_id FROM bills WHERE guest_id IS NOT NULL AND paid IS NULL)", "SELECT COUNT(*) FROM guests WHERE id NOT IN (SELECT guest_id FROM bills WHERE guest_id > 0)"),
			counted("another condition may be why", "31", "0", "SELECT COUNT(*) FROM guests WHERE id NOT IN (SELECT guest_id FROM bills WHERE guest_id IS NOT NULL)", "SELECT COUNT(*) FROM guests WHERE room = 12 AND id NOT IN (SELECT guest_id FROM bills)"),
			counted("another table", "31", "0", "SELECT COUNT(*) FROM guests WHERE id NOT IN (SELECT guest_id FROM bills WHERE guest_id IS NOT NULL)", "SELECT COUNT(*) FROM guests WHERE id NOT IN (SELECT guest_id FROM stays)"),
			counted("a list without NULL", "31", "0", "SELECT COUNT(*) FROM guests WHERE room NOT IN (7, 8) AND room IS NOT NULL", "SELECT COUNT(*) FROM guests WHERE room NOT IN (7, 9)"),
		},
	},
	"last_day_lost": {
		holds: []example{
			counted("the year without its last day", "731", "730", inYear, upToDate),
			counted("up to the next day", "731", "730", "SELECT COUNT(*) FROM visits WHERE came_at >= '2031-03-01' AND came_at < '2031-04-01'", "SELECT COUNT(*) FROM visits WHERE came_at >= '2031-03-01' AND came_at <= DATE '2031-03-31'"),
			counted("the day of the time", "731", "730", "SELECT COUNT(*) FROM visits WHERE CAST(came_at AS date) <= '2031-03-31'", "SELECT COUNT(*) FROM visits WHERE came_at <= '2031-03-31'"),
			counted("up to the last second", "731", "730", "SELECT COUNT(*) FROM visits WHERE came_at <= '2031-03-31 23:59:59'", "SELECT COUNT(*) FROM visits WHERE came_at <= '2031-03-31'"),
			{why: "a sum by group", gold: "town, n: ['Genoa', 41.5], ['Split', 90]", pred: "town, n: ['Genoa', 41.5], ['Split', 77]", goldSQL: "SELECT town, SUM(paid) FROM visits WHERE strftime('%Y', came_at) = '2031' GROUP BY town", predSQL: "SELECT town, SUM(paid) FROM visits WHERE came_at BETWEEN '2031-01-01' AND '2031-12-31' GROUP BY town"},
		},
		almost: []example{
			counted("both end at the date", "731", "730", "SELECT COUNT(*) FROM visits WHERE paid AND came_at <= '2031-12-31'", "SELECT COUNT(*) FROM visits WHERE came_at <= '2031-12-31'"),
			counted("the year ends elsewhere", "731", "730", inYear, "SELECT COUNT(*) FROM visits WHERE came_at BETWEEN '2031-01-01' AND '2031-12-30'"),
			counted("it starts elsewhere", "731", "730", inYear, "SELECT COUNT(*) FROM visits WHERE came_at BETWEEN '2031-02-01' AND '2031-12-31'"),
			counted("another column", "731", "730", inYear, "SELECT COUNT(*) FROM visits WHERE left_at BETWEEN '2031-01-01' AND '2031-12-31'"),
			counted("the day is included", "731", "730", inYear, "SELECT COUNT(*) FROM visits WHERE DATE(came_at) BETWEEN '2031-01-01' AND '2031-12-31'"),
			counted("another aggregate", "731", "730", inYear, "SELECT SUM(heads) FROM visits WHERE came_at BETWEEN '2031-01-01' AND '2031-12-31'"),
			counted("and another condition", "731", "730", inYear, upToDate+" AND paid = 1"),
		},
	},
	"pairs_twice": {
		holds: []example{
			{why: "soup with bread, bread with soup", gold: "a, b, n: ['bread', 'soup', 9], ['bread', 'tea', 4]", pred: "a, b, n: ['bread', 'soup', 9], ['soup', 'bread', 9], ['bread', 'tea', 4], ['tea', 'bread', 4]", goldSQL: pairsBy("<"), predSQL: pairsBy("<>")},
			{why: "among the first ones", gold: "a, b, n: ['bread', 'soup', 9], ['bread', 'tea', 4]", pred: "a, b, n: ['bread', 'soup', 9], ['soup', 'bread', 9]", goldSQL: pairsBy(">") + " ORDER BY n DESC LIMIT 2", predSQL: pairsBy("<>") + " ORDER BY n DESC LIMIT 2"},
			counted("twice the number", "17", "34", "SELECT COUNT(*) FROM orders a JOIN orders b ON a.bill = b.bill AND a.dish < b.dish", "SELECT COUNT(*) FROM orders a JOIN orders b ON a.bill = b.bill WHERE a.dish <> b.dish"),
		},
		almost: []example{
			{why: "each pair once", gold: "a, b, n: ['bread', 'soup', 9], ['bread', 'tea', 4]", pred: "a, b, n: ['soup', 'bread', 9], ['bread', 'cake', 4]", goldSQL: pairsBy("<"), predSQL: pairsBy("<>")},
			{why: "gold has both orders", gold: "a, b, n: ['bread', 'soup', 9], ['soup', 'bread', 9]", pred: "a, b, n: ['tea', 'soup', 9], ['soup', 'tea', 9]", goldSQL: pairsBy("<"), predSQL: pairsBy("<>")},
			{why: "by the same comparison", gold: "a, b, n: ['bread', 'soup', 9]", pred: "a, b, n: ['bread', 'soup', 9], ['soup', 'bread', 9]", goldSQL: pairsBy("<>"), predSQL: pairsBy("<>")},
			counted("not twice the number", "17", "33", "SELECT COUNT(*) FROM orders a JOIN orders b ON a.bill = b.bill AND a.dish < b.dish", "SELECT COUNT(*) FROM orders a JOIN orders b ON a.bill = b.bill AND a.dish <> b.dish"),
			counted("of two tables", "17", "34", "SELECT COUNT(*) FROM orders a JOIN menus b ON a.bill = b.bill AND a.dish < b.dish", "SELECT COUNT(*) FROM orders a JOIN menus b ON a.bill = b.bill AND a.dish <> b.dish"),
		},
	},
	"currency_in_text": {
		holds: []example{
			{why: "each row in its own", gold: "cur, owed: ['EUR', 1200], ['SEK', 90.5]", pred: "cur, owed: ['EUR', '1,200.00 EUR'], ['SEK', '90.50 SEK']"},
			{why: "the code comes first, rows elsewhere", gold: "port, cur, owed: ['Genoa', 'EUR', 1200], ['Malmö', 'SEK', 90], ['Lund', 'SEK', null]", pred: "port, cur, owed: ['Lund', 'SEK', null], ['Malmö', 'SEK', 'SEK 90'], ['Genoa', 'EUR', 'EUR1200']"},
		},
		almost: []example{
			{why: "no column states the currency", gold: "port, owed: ['Genoa', 1200], ['Malmö', 90]", pred: "port, owed: ['Genoa', '1,200 EUR'], ['Malmö', '90 SEK']"},
			{why: "a row is in another", gold: "cur, owed: ['EUR', 1200], ['SEK', 90], ['NOK', 70]", pred: "cur, owed: ['EUR', '1,200 EUR'], ['SEK', '90 NOK'], ['NOK', '70 SEK']"},
			{why: "a figure is another", gold: "cur, owed: ['EUR', 1200], ['SEK', 90]", pred: "cur, owed: ['EUR', '1,200 EUR'], ['SEK', '91 SEK']"},
			{why: "the groups are not thousands", gold: "cur, owed: ['EUR', 1200], ['SEK', 90]", pred: "cur, owed: ['EUR', '12,00 EUR'], ['SEK', '90 SEK']"},
		},
	},
	"fan_out": {
		holds: []example{
			{why: "a skipper has many trips", gold: fees, pred: "town, fees: ['Genoa', 120], ['Split', 150], ['Bergen', 10]", goldSQL: perGroup, predSQL: withMany},
			counted("counts them", "6", "19", "SELECT COUNT(*) FROM berths b", "SELECT COUNT(*) FROM berths b LEFT JOIN trips t ON t.skipper_id = b.skipper_id"),
			counted("by USING", "6", "19", "SELECT COUNT(fee) FROM berths b", "SELECT COUNT(fee) FROM berths b JOIN trips USING (skipper_id)"),
		},
		almost: []example{
			{why: "a berth has one port", gold: fees, pred: "town, fees: ['Genoa', 120], ['Split', 150], ['Bergen', 10]", goldSQL: perGroup, predSQL: withKey},
			{why: "one is lower", gold: fees, pred: "town, fees: ['Genoa', 120], ['Split', 30], ['Bergen', 10]", goldSQL: perGroup, predSQL: withMany},
			{why: "sums below zero may lose rows", gold: "town, fees: ['Genoa', -40], ['Split', -90], ['Bergen', 10]", pred: "town, fees: ['Genoa', -20], ['Split', -50], ['Bergen', 10]", goldSQL: perGroup, predSQL: withMany},
			counted("counts different ones", "6", "19", "SELECT COUNT(DISTINCT b.fee) FROM berths b", "SELECT COUNT(DISTINCT b.fee) FROM berths b JOIN trips t ON t.skipper_id = b.skipper_id"),
			counted("an average", "6", "19", "SELECT AVG(b.fee) FROM berths b", "SELECT AVG(b.fee) FROM berths b JOIN trips t ON t.skipper_id = b.skipper_id"),
			counted("leaves a condition out, too", "6", "19", "SELECT COUNT(*) FROM berths b WHERE b.fee > 5", "SELECT COUNT(*) FROM berths b JOIN trips t ON t.skipper_id = b.skipper_id"),
		},
	},
})

func pairsBy(operator string) string { return fmt.Sprintf(pairs, operator) }
