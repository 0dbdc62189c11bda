package relation_test

const (
	innerCounts = "SELECT depot, COUNT(*) AS trips FROM depots JOIN trips USING (depot_id) GROUP BY depot"
	outerCounts = "SELECT depot, COUNT(t.id) AS trips FROM depots LEFT JOIN trips t USING (depot_id) GROUP BY depot"
	twoDepots   = "depot, trips: ['Hamm', 12], ['Jena', 7]"
	threeDepots = "depot, trips: ['Hamm', 12], ['Jena', 7], ['Suhl', 0]"
)

// The relations that rest on what the question asks, with the questions on the other side.
var _ = addExamples(map[string]examplesOf{
	"zero_against_question": {
		holds: []example{
			{why: "in so many words", gold: twoDepots, pred: threeDepots, goldSQL: innerCounts, predSQL: outerCounts, question: "Number of trips of depots with at least one trip"},
			{why: "depots are the subject of what was done", gold: twoDepots, pred: threeDepots, goldSQL: innerCounts, predSQL: outerCounts, question: "Which depots ran trips in June, and how many?"},
			{why: "what was done to depots selects them", gold: twoDepots, pred: threeDepots, goldSQL: innerCounts, predSQL: outerCounts, question: "Which depots did lorries leave in June, and how often?"},
			{why: "what was done to depots, in the passive", gold: twoDepots, pred: threeDepots, goldSQL: innerCounts, predSQL: outerCounts, question: "What depots were visited in June, and how many times?"},
			{why: "a relative clause", gold: twoDepots, pred: threeDepots, goldSQL: innerCounts, predSQL: outerCounts, question: "For depots that have trips, show the trip count."},
			{why: "any", gold: twoDepots, pred: threeDepots, goldSQL: innerCounts, predSQL: outerCounts, question: "Trips per depot, for depots with any trips"},
			{why: "empty ones are left out", gold: twoDepots, pred: threeDepots, goldSQL: innerCounts, predSQL: outerCounts, question: "Trips per depot, excluding depots without trips"},
		},
		almost: []example{
			{why: "of each", gold: twoDepots, pred: threeDepots, goldSQL: innerCounts, predSQL: outerCounts, question: "How many trips did each depot run?"},
			{why: "of all, with those without", gold: twoDepots, pred: threeDepots, goldSQL: innerCounts, predSQL: outerCounts, question: "Which depots ran trips, and how many? Include depots without trips."},
			{why: "what was done, and a count for each", gold: twoDepots, pred: threeDepots, goldSQL: innerCounts, predSQL: outerCounts, question: "Which depots did we open in June, and how many trips did each run?"},
			{why: "a state, and a count of something else", gold: twoDepots, pred: threeDepots, goldSQL: innerCounts, predSQL: outerCounts, question: "Which depots are in Hesse, and how many trips are there from them?"},
			{why: "per depot", gold: twoDepots, pred: threeDepots, goldSQL: innerCounts, predSQL: outerCounts, question: "Trips per depot"},
			{why: "a relative clause about something else", gold: twoDepots, pred: threeDepots, goldSQL: innerCounts, predSQL: outerCounts, question: "How many trips were there for each depot that is located in Thuringia?"},
			{why: "no question", gold: twoDepots, pred: threeDepots, goldSQL: innerCounts, predSQL: outerCounts},
		},
	},
	"duplicates_against_question": {
		holds: []example{
			{why: "every passage has a toll", gold: "lane: ['A'], ['A'], ['B']", pred: "lane: ['A'], ['B']", goldSQL: "SELECT lane FROM passages", predSQL: "SELECT DISTINCT lane FROM passages", question: "Which lane did each passage of K7 use? One row per passage."},
			{why: "all withdrawals", gold: "machine, amount: ['Süd', 50], ['Süd', 50], ['Ost', 20]", pred: "machine, amount: ['Süd', 50], ['Ost', 20]", goldSQL: "SELECT machine, amount FROM w", predSQL: "SELECT DISTINCT machine, amount FROM w", question: "List all withdrawals: machine and amount."},
			{why: "each line", gold: "unit: ['kg'], ['kg'], ['l']", pred: "unit: ['kg'], ['l']", goldSQL: "SELECT unit FROM lines", predSQL: "SELECT DISTINCT unit FROM lines", question: "Show the unit of each line of delivery note 12."},
			{why: "repetitions are asked for", gold: "colour: ['red'], ['red'], ['blue']", pred: "colour: ['red'], ['blue']", goldSQL: "SELECT colour FROM cars", predSQL: "SELECT DISTINCT colour FROM cars", question: "Colours of the cars, with repetitions"},
			{why: "each once is asked for, and the answer repeats", gold: "unit: ['kg'], ['l']", pred: "unit: ['kg'], ['kg'], ['l']", goldSQL: "SELECT DISTINCT unit FROM lines", predSQL: "SELECT unit FROM lines", question: "List the distinct units of delivery note 12."},
			{why: "the answer shows another column", gold: "unit: ['kg'], ['kg'], ['kg'], ['l']", pred: "unit, site: ['kg', 'x'], ['kg', 'y'], ['l', 'x']", goldSQL: "SELECT unit FROM lines", predSQL: "SELECT DISTINCT unit, site FROM lines", question: "Show the unit of every line."},
		},
		almost: []example{
			{why: "different ones", gold: "unit: ['kg'], ['kg'], ['l']", pred: "unit: ['kg'], ['l']", goldSQL: "SELECT unit FROM lines", predSQL: "SELECT DISTINCT unit FROM lines", question: "Which different units are there on each line?"},
			{why: "which units", gold: "unit: ['kg'], ['kg'], ['l']", pred: "unit: ['kg'], ['l']", goldSQL: "SELECT unit FROM lines", predSQL: "SELECT DISTINCT unit FROM lines", question: "Which units occur on delivery note 12?"},
			{why: "the names of all that did something may come once", gold: "name: ['Ida'], ['Ida'], ['Max']", pred: "name: ['Ida'], ['Max']", goldSQL: "SELECT name FROM p JOIN v ON p.id = v.p", predSQL: "SELECT DISTINCT name FROM p JOIN v ON p.id = v.p", question: "Names of all patients who had a scan"},
			{why: "gold has each once, and the answer every one", gold: "unit: ['kg'], ['l']", pred: "unit: ['kg'], ['kg'], ['l']", goldSQL: "SELECT DISTINCT unit FROM lines", predSQL: "SELECT unit FROM lines", question: "Show the unit of every line."},
			{why: "no question", gold: "unit: ['kg'], ['kg'], ['l']", pred: "unit: ['kg'], ['l']", goldSQL: "SELECT unit FROM lines", predSQL: "SELECT DISTINCT unit FROM lines"},
		},
	},
})
