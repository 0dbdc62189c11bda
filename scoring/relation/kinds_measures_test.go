package relation_test

const (
	topOf   = "SELECT k, COUNT(*) FROM t GROUP BY k ORDER BY COUNT(*) DESC LIMIT 1"
	topName = "SELECT k FROM t GROUP BY k ORDER BY COUNT(*) DESC LIMIT 1"
)

const (
	ranked = "SELECT k, COUNT(*), RANK() OVER (ORDER BY COUNT(*) DESC) AS place FROM t GROUP BY k"
	sorted = "SELECT k FROM t GROUP BY k ORDER BY COUNT(*) DESC"
)

var _ = addExamples(map[string]examplesOf{
	"dropped_order_key": {
		holds: []example{
			{why: "the count only sorts", gold: "k, COUNT(*): ['a', 9]", pred: "k: ['a']", goldSQL: topOf, predSQL: topName, question: "Which agency has the most clients?"},
			{why: "the count only filters", gold: "year, n: [1908, 2], [1920, 3]", pred: "year: [1908], [1920]", goldSQL: "SELECT year, COUNT(*) FROM t GROUP BY year HAVING COUNT(*) > 1", predSQL: "SELECT year FROM t GROUP BY year HAVING COUNT(*) > 1", question: "In which years was more than one founded?"},
			{why: "the answer's rows come in its order", gold: "k, COUNT(*), place: ['a', 2, 3], ['b', 9, 1], ['c', 5, 2]", pred: "k: ['b'], ['c'], ['a']", goldSQL: ranked, predSQL: sorted, question: "Rank the kinds, the most common first."},
		},
		almost: []example{
			{why: "the answer's rows come in another order", gold: "k, COUNT(*), place: ['a', 2, 3], ['b', 9, 1], ['c', 5, 2]", pred: "k: ['a'], ['b'], ['c']", goldSQL: ranked, predSQL: sorted, question: "Rank the kinds, the most common first."},
			{why: "they do so by chance, for nothing sorts them", gold: "k, COUNT(*), place: ['a', 2, 3], ['b', 9, 1], ['c', 5, 2]", pred: "k: ['b'], ['c'], ['a']", goldSQL: ranked, predSQL: "SELECT k FROM t GROUP BY k", question: "Rank the kinds, the most common first."},
			{why: "the question asks for the place", gold: "k, COUNT(*), place: ['a', 2, 3], ['b', 9, 1], ['c', 5, 2]", pred: "k: ['b'], ['c'], ['a']", goldSQL: ranked, predSQL: sorted, question: "Give kinds, how many there are of each and the place of each."},
			{why: "the question asks for the count", gold: "k, COUNT(*): ['a', 9]", pred: "k: ['a']", goldSQL: topOf, predSQL: topName, question: "Which agency has the most clients, and how many?"},
			{why: "nothing is sorted by it", gold: "k, COUNT(*): ['a', 9]", pred: "k: ['a']", goldSQL: "SELECT k, COUNT(*) FROM t GROUP BY k", predSQL: topName, question: "Which agency has the most clients?"},
		},
	},
	"dropped_filter": {
		holds: []example{
			{why: "the id is in the question", gold: "id, atom: ['TR1', 'c'], ['TR1', 'h']", pred: "atom: ['c'], ['h']", goldSQL: "SELECT id, atom FROM m WHERE id = 'TR1'", predSQL: "SELECT atom FROM m WHERE id = 'TR1'", question: "Which atoms does TR1 have?"},
			{why: "in one row", gold: "id, label: ['TR1', '+']", pred: "label: ['+']", goldSQL: "SELECT id, label FROM m WHERE id = 'TR1'", predSQL: "SELECT label FROM m WHERE id = 'TR1'", question: "What is the label of TR1?"},
		},
		almost: []example{
			{why: "the id is not in the question", gold: "id, atom: ['TR1', 'c'], ['TR1', 'h']", pred: "atom: ['c'], ['h']", goldSQL: "SELECT id, atom FROM m WHERE id = 'TR1'", predSQL: "SELECT atom FROM m WHERE id = 'TR1'", question: "Which atoms does the first have?"},
			{why: "there are two ids", gold: "id, label: ['TR1', '+'], ['TR2', '-']", pred: "label: ['+'], ['-']", goldSQL: "SELECT id, label FROM m WHERE id IN ('TR1', 'TR2')", predSQL: "SELECT label FROM m WHERE id IN ('TR1', 'TR2')", question: "What are the labels for TR1 and TR2?"},
		},
	},
	"dropped_filter_list": {
		holds:  []example{{why: "the ids are in the question", gold: "id, label: ['TR1', '+'], ['TR2', '-']", pred: "label: ['+'], ['-']", goldSQL: "SELECT id, label FROM m WHERE id IN ('TR1', 'TR2')", predSQL: "SELECT label FROM m WHERE id IN ('TR1', 'TR2')", question: "What are the labels for TR1 and TR2?"}},
		almost: []example{{why: "the ids are not in the question", gold: "id, label: ['TR1', '+'], ['TR2', '-']", pred: "label: ['+'], ['-']", goldSQL: "SELECT id, label FROM m WHERE id IN ('TR1', 'TR2')", predSQL: "SELECT label FROM m WHERE id IN ('TR1', 'TR2')", question: "What are the labels of the first two?"}},
	},
	"dropped_constant": {
		holds:  []example{{why: "one year throughout", gold: "k, year: ['a', 2024], ['b', 2024]", pred: "k: ['a'], ['b']"}},
		almost: []example{{why: "two years", gold: "k, year: ['a', 2024], ['b', 2023]", pred: "k: ['a'], ['b']"}, {why: "one row is constant by itself", gold: "k, year: ['a', 2024]", pred: "k: ['a']"}},
	},
	"dropped_name_part": {
		holds:  []example{{why: "the surname alone", gold: "forename, surname: ['Ada', 'Lovelace'], ['Alan', 'Turing']", pred: "surname: ['Lovelace'], ['Turing']"}},
		almost: []example{{why: "the city is no part of a name", gold: "city, surname: ['Rome', 'Lovelace'], ['Oslo', 'Turing']", pred: "surname: ['Lovelace'], ['Turing']"}},
	},
	"dropped_asked": {
		holds:  []example{{why: "the city is asked for", gold: "name, city: ['a', 'Rome'], ['b', 'Oslo']", pred: "name: ['a'], ['b']", question: "What are the names and cities of all customers?"}},
		almost: []example{{why: "it is not", gold: "name, city: ['a', 'Rome'], ['b', 'Oslo']", pred: "name: ['a'], ['b']", question: "Who are the customers?"}},
	},
	"dropped_columns": {
		holds:  []example{{why: "the city is left out", gold: "name, city: ['a', 'Rome'], ['b', 'Oslo']", pred: "name: ['a'], ['b']"}},
		almost: []example{{why: "and a name is another", gold: "name, city: ['a', 'Rome'], ['b', 'Oslo'], ['c', 'Bonn']", pred: "name: ['a'], ['b'], ['x']"}},
	},
	"aggregate_for_list": {
		holds:  []example{{why: "the average", gold: "n: [3], [4], [8]", pred: "n: [5]"}, {why: "the greatest", gold: "n: [3], [4], [8]", pred: "n: [8]", second: false}},
		almost: []example{{why: "none of them", gold: "n: [3], [4], [8]", pred: "n: [6]"}, {why: "of two, one is the greater", gold: "n: [3], [8]", pred: "n: [8]"}},
	},
	"rolled_up": {
		holds: []example{
			{why: "sums over the products", gold: "region, product, n: ['a', 'x', 1], ['a', 'y', 2], ['b', 'x', 4], ['b', 'z', 5]", pred: "region, n: ['a', 3], ['b', 9]"},
			{why: "how many products", gold: "region, product: ['a', 'x'], ['a', 'y'], ['b', 'x']", pred: "region, products: ['a', 2], ['b', 1]"},
		},
		almost: []example{{why: "a sum is another", gold: "region, product, n: ['a', 'x', 1], ['a', 'y', 2], ['b', 'x', 4], ['b', 'z', 5]", pred: "region, n: ['a', 3], ['b', 10]"}},
	},
	"drilled_down": {
		holds:  []example{{why: "gold's sums are of these", gold: "region, n: ['a', 3], ['b', 9]", pred: "region, product, n: ['a', 'x', 1], ['a', 'y', 2], ['b', 'x', 4], ['b', 'z', 5]"}},
		almost: []example{{why: "a part is missing", gold: "region, n: ['a', 3], ['b', 9]", pred: "region, product, n: ['a', 'x', 1], ['a', 'y', 2], ['b', 'x', 4]"}},
	},
	"complement": {
		holds:  []example{{why: "the share of the others", gold: "share: [0.3]", pred: "share: [0.7]"}, {why: "in percent", gold: "k, share: ['a', 30.5], ['b', 20]", pred: "k, share: ['a', 69.5], ['b', 80]"}},
		almost: []example{{why: "a count and another", gold: "n: [1]", pred: "n: [0]"}, {why: "they add up to less", gold: "share: [0.3]", pred: "share: [0.6]"}},
	},
	"precision_lost": {
		holds:  []example{{why: "through a double", gold: "k, id: ['a', 9007199254740993], ['b', 9007199254740995]", pred: "k, id: ['a', 9007199254740992], ['b', 9007199254740996]"}},
		almost: []example{{why: "a hundred off", gold: "k, id: ['a', 9007199254740993], ['b', 9007199254740995]", pred: "k, id: ['a', 9007199254740893], ['b', 9007199254740996]"}, {why: "numbers that a double holds", gold: "k, id: ['a', 1000000000000001], ['b', 5]", pred: "k, id: ['a', 1000000000000002], ['b', 5]"}},
	},
	"truncated": {
		holds:  []example{{why: "integer division", gold: "k, v: ['a', 2.7], ['b', 1.9]", pred: "k, v: ['a', 2], ['b', 1]"}},
		almost: []example{{why: "one is rounded up", gold: "k, v: ['a', 2.7], ['b', 1.2]", pred: "k, v: ['a', 3], ['b', 1]"}, {why: "whole numbers that a double takes for each other", gold: "k, id: ['a', 9007199254740993], ['b', 9007199254740995]", pred: "k, id: ['a', 9007199254740992], ['b', 9007199254740996]"}, {why: "a lone zero, and nobody knows of a division", gold: "v: [0.4]", pred: "v: [0]"}},
	},
	"multiplied": {
		holds:  []example{{why: "every row counted twice", gold: "k, n: ['a', 3], ['b', 5]", pred: "k, n: ['a', 6], ['b', 10]"}},
		almost: []example{{why: "one of them once", gold: "k, n: ['a', 3], ['b', 5]", pred: "k, n: ['a', 6], ['b', 5]"}, {why: "a lone number has a factor to any other", gold: "n: [3]", pred: "n: [6]"}},
	},
	"shifted": {
		holds:  []example{{why: "both ends counted", gold: "k, days: ['a', 3], ['b', 5]", pred: "k, days: ['a', 4], ['b', 6]"}},
		almost: []example{{why: "not by the same number", gold: "k, days: ['a', 3], ['b', 5]", pred: "k, days: ['a', 4], ['b', 7]"}},
	},
	"measures_differ": {
		holds:  []example{{why: "b has another count", gold: "k, n: ['a', 3], ['b', 5]", pred: "k, n: ['a', 3], ['b', 8]"}},
		almost: []example{{why: "b is c", gold: "k, n: ['a', 3], ['b', 5]", pred: "k, n: ['a', 3], ['c', 8]"}},
	},
	"limit_longer": {
		holds:  []example{{why: "five of which gold shows two", gold: "n: [9], [8]", pred: "n: [9], [8], [7]", goldSQL: "SELECT n FROM t ORDER BY n DESC LIMIT 2", predSQL: "SELECT n FROM t ORDER BY n DESC"}},
		almost: []example{{why: "gold has no limit", gold: "n: [9], [8]", pred: "n: [9], [8], [7]", goldSQL: "SELECT n FROM t WHERE n > 7", predSQL: "SELECT n FROM t"}},
	},
	"limit_shorter": {
		holds:  []example{{why: "two of gold's three", gold: "n: [9], [8], [7]", pred: "n: [9], [8]", goldSQL: "SELECT n FROM t ORDER BY n DESC", predSQL: "SELECT n FROM t ORDER BY n DESC LIMIT 2"}},
		almost: []example{{why: "the answer has no limit", gold: "n: [9], [8], [7]", pred: "n: [9], [8]", goldSQL: "SELECT n FROM t", predSQL: "SELECT n FROM t WHERE n > 7"}},
	},
	"sort_flipped": {
		holds:  []example{{why: "the least for the greatest", gold: "k: ['a']", pred: "k: ['z']", goldSQL: "SELECT k FROM t ORDER BY n DESC LIMIT 1", predSQL: "SELECT k FROM t ORDER BY n LIMIT 1"}},
		almost: []example{{why: "by another key", gold: "k: ['a']", pred: "k: ['z']", goldSQL: "SELECT k FROM t ORDER BY n DESC LIMIT 1", predSQL: "SELECT k FROM t ORDER BY m LIMIT 1"}},
	},
	"pred_empty": {
		holds:  []example{{why: "no rows", gold: "k: ['a']", pred: "k"}},
		almost: []example{{why: "gold says nothing either", gold: "k: [null]", pred: "k"}},
	},
	"gold_empty": {
		holds:  []example{{why: "no rows", gold: "k", pred: "k: ['a']"}},
		almost: []example{{why: "the answer says nothing either", gold: "k", pred: "k: [null]"}},
	},
	"superset": {
		holds:  []example{{why: "one more", gold: "n: [1], [2]", pred: "n: [1], [2], [3]"}},
		almost: []example{{why: "and one less", gold: "n: [1], [2]", pred: "n: [1], [4], [3]"}},
	},
	"subset": {
		holds:  []example{{why: "one less", gold: "n: [1], [2], [3]", pred: "n: [1], [2]"}},
		almost: []example{{why: "and one that gold has not", gold: "n: [1], [2], [3]", pred: "n: [1], [5]"}},
	},
	"overlap_high": {
		holds:  []example{{why: "four of five", gold: "k: ['a'], ['b'], ['c'], ['d'], ['e']", pred: "k: ['a'], ['b'], ['c'], ['d'], ['x']"}},
		almost: []example{{why: "three of five", gold: "k: ['a'], ['b'], ['c'], ['d'], ['e']", pred: "k: ['a'], ['b'], ['c'], ['y'], ['x']"}},
	},
	"overlap": {
		holds:  []example{{why: "three of five", gold: "k: ['a'], ['b'], ['c'], ['d'], ['e']", pred: "k: ['a'], ['b'], ['c'], ['y'], ['x']"}},
		almost: []example{{why: "none", gold: "k: ['a'], ['b']", pred: "k: ['x'], ['y']"}},
	},
	"value_differs": {
		holds:  []example{{why: "one number each", gold: "n: [5]", pred: "n: [7]"}},
		almost: []example{{why: "the answer has two", gold: "n: [5]", pred: "n: [7], [8]"}},
	},
	"cells_differ": {
		holds:  []example{{why: "the rest of every row is other", gold: "k, n, c: ['a', 1, 'x'], ['b', 2, 'y']", pred: "k, n, c: ['a', 7, 'v'], ['b', 8, 'w']"}},
		almost: []example{{why: "a row agrees", gold: "k, n, c: ['a', 1, 'x'], ['b', 2, 'y']", pred: "k, n, c: ['a', 1, 'x'], ['b', 8, 'w']"}},
	},
	"columns_in_common": {
		holds:  []example{{why: "names in common, none of them unique", gold: "k, n: ['a', 1], ['a', 2], ['b', 3]", pred: "k, n: ['a', 7], ['a', 8], ['b', 9]"}},
		almost: []example{{why: "nothing in common", gold: "k: ['a']", pred: "k: ['b'], ['c']"}},
	},
	"disjoint": {
		holds:  []example{{why: "nothing in common", gold: "k: ['a']", pred: "k: ['b'], ['c']"}},
		almost: []example{{why: "a row in common", gold: "k: ['a'], ['b']", pred: "k: ['b'], ['c']"}},
	},
})
