package question

import (
	"cmp"
	"strings"
)

// Words and phrases by which questions ask for an order of rows.
var (
	// orderWords ask for an order by themselves.
	orderWords = set("sort sorted sorting ascending descending ascendingly descendingly asc desc alphabetical alphabetically lexicographical lexicographically chronological chronologically sequentially successively chronology timeline timelines " +
		"standings leaderboard scoreboard itinerary placings countdown rankings")
	// orderPhrases are phrases that ask for an order, by their first words.
	orderPhrases = phrases("ranked list|ranked overview|ranked table|in succession|in turn|one after another|one after the other|one by one|step by step|stop by stop|stage by stage|league table|medal table|points table|leader board|hit parade|starting grid|" +
		"the order in which|the sequence in which|by increasing|by decreasing|by rising|by falling|by seniority|by precedence|by priority|by rank|by position|from first on|from the first on|from the beginning on|in order of|by order of|" +
		"in which order|in what order|in which sequence|in what sequence|in which succession|in what succession|by which order|in sequence|in the sequence|in their sequence|in the order they|in the order of|in the order that|in the order it|in the order he|in the order she|in the order you|in the order we|in the order as|in the order by|" +
		"and rank|then rank|please rank|time line|winner first|winners first|leader first|leaders first|champion first|loser first|final table|final classification|priority list|waiting list")
	// kindsOfOrder are words before "order" that make it a request, some of them only after "in".
	kindsOfOrder = set("increasing decreasing rising falling growing reverse reversed numerical numeric finishing running starting batting boarding playing speaking pecking sequential logical natural correct right proper historical temporal time date calendar rank ranking ranked sorted priority " +
		"play travel travelling traveling route processing execution arrival departure appearance track size age alphabetic lexical lexicographic dictionary topological respective order original due birth height weight score price geographic geographical seating service treatment cooking reading release publication")
	// ofOrder are words after "order of" that make it a request.
	ofOrder = set("finish finishing arrival arrivals events appearance play birth service treatment execution departure steps stops stages completion importance priority release publication merit preference size age")
	// sortees are words after a verb such as arrange that make it a request; results are words for the rows.
	sortees = set("by from according based them it result results")
	results = set("result results rows list output answer answers")

	// startEnds and lastEnds are words for the two ends of an order, in addition to superlatives: from first to last.
	startEnds = set("recent high low higher lower large small big old new early late long short good bad fast slow cheap expensive young strong weak first start beginning top bottom left right front back past a north south east west")
	lastEnds  = set("recent high low higher lower large small big old new early late long short good bad fast slow cheap expensive young strong weak last finish end top bottom right left back front present today now z north south east west")

	// sequences are things whose rows have an order, so that a question that requests one asks for the order.
	sequences = set("ranking sequence queue schedule timetable itinerary route history succession agenda podium chart progression roadmap lineup ladder classification setlist tracklist tracklisting playlist order leaderboard scoreboard standing log diary")

	// inAnyOrder are phrases that say that the order is irrelevant, by their first words.
	inAnyOrder = phrases("any order|no particular order|no specific order|no special order|no fixed order|order does not matter|order doesn t matter|order doesnt matter|order do not matter|order is not important|order is irrelevant|order is not relevant|order isn t important|order need not be|regardless of order|" +
		"regardless of the order|irrespective of order|irrespective of the order|whatever order|whatever the order|unsorted|unordered|not sorted|not ordered|not be sorted|not be ordered|no sorting|no ordering|without sorting|without ordering|without order|need not sort|do not sort|don t sort|do not order|need to sort|need to order")

	// notOrders removes phrases that contain words for an order but do not ask for one.
	notOrders = strings.NewReplacer(" sort of ", " ", " sorts of ", " ", " first name ", " ", " first names ", " ",
		" in order to ", " ", " were ordered by ", " ", " was ordered by ", " ", " been ordered by ", " ",
		" are ordered by customer", " ", " right now ", " ", " order form ", " form ", " order number ", " number ",
		" order line ", " line ", " order status ", " status ")
)

// phrases splits phrases separated by bars into words and returns them by their first words.
func phrases(list string) map[string][][]string {
	m := map[string][][]string{}
	for _, p := range strings.Split(list, "|") {
		words := strings.Fields(p)
		m[words[0]] = append(m[words[0]], words)
	}
	return m
}

// phraseAt returns the phrase of a list that starts at word i, or "".
func phraseAt(words []string, i int, of map[string][][]string) string {
	for _, p := range of[words[i]] {
		if len(words)-i < len(p) {
			continue
		}
		k := 1
		for k < len(p) && words[i+k] == p[k] {
			k++
		}
		if k == len(p) {
			return strings.Join(p, " ")
		}
	}
	return ""
}

// Order returns the words by which the question, or else its evidence, asks for an order of rows. It is "" if neither
// does, or if the question says that order is irrelevant. "Top 5" asks for an order, though it may also mean a set.
func (q *Question) Order() string {
	if q.ordered == nil {
		o := q.order()
		q.ordered = &o
	}
	return *q.ordered
}

func (q *Question) order() string {
	if q.AnyOrder() {
		return ""
	}
	words := strings.Fields(notOrders.Replace(q.Plain()))
	if p := cmp.Or(orderIn(words), q.sequence(words)); p != "" || strings.TrimSpace(q.evidence) == "" {
		return p
	}
	return orderIn(strings.Fields(notOrders.Replace(Plain(q.evidence))))
}

// AnyOrder reports whether the question says that the order of rows is irrelevant.
func (q *Question) AnyOrder() bool {
	words := strings.Fields(notOrders.Replace(q.Plain()))
	for i := range words {
		if phraseAt(words, i, inAnyOrder) != "" {
			return true
		}
	}
	return false
}

func orderIn(words []string) string {
	if len(words) > 0 && words[0] == "rank" {
		return "rank"
	}
	s := orderReader{words}
	for i, w := range words {
		if orderWords[w] {
			return w
		}
		if p := phraseAt(words, i, orderPhrases); p != "" {
			return p
		}
		var from, to int
		switch w {
		case "order", "ordered", "ordering", "arrange", "arranged", "rank", "ranked", "ranking", "sequence", "succession":
			from, to = s.sorts(i)
		case "first":
			from, to = s.before(i, i)
		case "top", "bottom", "beginning", "start", "end", "head", "tail", "front", "foot":
			from, to = s.end(i)
		case "to":
			if from, to = s.between(i); from == to {
				from, to = s.through(i)
			}
		case "by":
			from, to = s.after(i)
		case "as":
			from, to = s.asItWas(i)
		case "leading", "heading":
			from, to = s.leads(i)
		case "before", "ahead", "above", "followed", "precede", "precedes", "preceding":
			from, to = s.ahead(i)
		case "last":
			from, to = s.atLast(i)
		case "with":
			from, to = s.toBeginWith(i)
		case "starts", "starting", "begin", "begins":
			from, to = s.starts(i)
		default:
			continue
		}
		if to > from {
			return strings.Join(words[from:to], " ")
		}
	}
	return ""
}

// orderReader finds phrases that ask for an order around a word. Its methods return the range of the words of the
// phrase; from equals to if there is none.
type orderReader struct{ words []string }

func (s orderReader) at(i int) string {
	if i < 0 || i >= len(s.words) {
		return ""
	}
	return s.words[i]
}

// extreme reports whether a word is a superlative, and so an end of an order.
func extreme(w string) bool {
	return w == "recent" || w == "best" || w == "worst" || w == "most" || w == "least" ||
		len(w) > 3 && strings.HasSuffix(w, "est")
}

// sorts finds a phrase around a word such as order, rank or sequence at position i.
func (s orderReader) sorts(i int) (from, to int) {
	next, prev := s.at(i+1), s.at(i-1)
	switch s.at(i) {
	case "order":
		in := s.at(i - 2)
		if in == "the" || in == "a" || in == "an" || in == "their" || in == "its" {
			in = s.at(i - 3)
		}
		switch {
		case prev == "in" && next == "":
			return i - 1, i + 1
		case kindsOfOrder[prev] &&
			(in == "in" || strings.HasSuffix(prev, "ing") || prev == "reverse" || prev == "reversed" || prev == "numerical" ||
				prev == "numeric"):
			return i - 1, i + 1
		case next == "of" && (ofOrder[s.at(i+2)] || articlesOfOrder[s.at(i+2)] && ofOrder[s.at(i+3)]):
			return i, i + 3
		}
	case "sequence", "succession":
		if next == "of" && (ofOrder[s.at(i+2)] || articlesOfOrder[s.at(i+2)] && ofOrder[s.at(i+3)]) {
			return i, i + 3
		}
		if s.at(i-2) == "in" && s.at(i-1) != "this" && s.at(i-1) != "each" {
			return i - 2, i + 1
		}
		return i, i
	}
	if sortees[next] {
		return i, i + 2
	}
	if (next == "the" || next == "these" || next == "those" || next == "all") && results[s.at(i+2)] {
		return i, i + 3
	}
	return i, i
}

var articlesOfOrder = set("the their its")

// before finds a superlative that precedes word i, as in "most expensive first". The phrase ends after word end.
func (s orderReader) before(i, end int) (from, to int) {
	k := s.beforeVerb(i) - 1
	switch s.at(k) {
	case "one", "ones", "item", "items", "row", "rows", "entry", "entries", "value", "values", "date", "dates":
		k--
	}
	switch {
	case extreme(s.at(k)):
		return k, end + 1
	case s.at(k-1) == "most" || s.at(k-1) == "least":
		return k - 1, end + 1
	}
	return i, i
}

// end finds a phrase with an end of a list at position i: top 5, newest at the top.
func (s orderReader) end(i int) (from, to int) {
	w, next := s.at(i), s.at(i+1)
	if (w == "top" || w == "bottom") &&
		(amounts[next] && next != "one" || next != "" && next != "1" && strings.Trim(next, "0123456789") == "") {
		return i, i + 2
	}
	k := i - 1
	if s.at(k) == "the" {
		k--
	}
	if s.at(k) == "very" {
		k = i - 3
	}
	if prep := s.at(k); prep == "at" || prep == "on" || w == "front" && (prep == "in" || prep == "up") {
		if from, to := s.before(k, i); to > from {
			return from, to
		}
		// The oldest tree at the top of the hill is an example.
		if from := s.superlativeBefore(s.beforeVerb(k)); from >= 0 &&
			(next == "" || next == "and" || next == "then" || next == "please" ||
				next == "of" && (results[s.at(i+3)] || s.at(i+3) == "page")) {
			return from, i + 1
		}
		return i, i
	}
	return s.starts(i)
}

// between finds two ends of an order around "to" at position i: highest to lowest, first to last.
func (s orderReader) between(i int) (from, to int) {
	if w := s.at(i - 1); w == "down" || w == "up" || w == "through" { // dearest down to cheapest
		if k := i - 2; extreme(s.at(k)) && extreme(s.at(i+1)) {
			return k, i + 2
		}
	}
	prev := s.at(i - 1)
	k := i + 1
	for articlesOfOrder[s.at(k)] {
		k++
	}
	from = i - 1
	if s.at(i-2) == "most" || s.at(i-2) == "least" {
		from = i - 2
	}
	if (startEnds[prev] || extreme(prev) || from < i-1) && (lastEnds[s.at(k)] || extreme(s.at(k))) &&
		(prev != "a" || s.at(k) == "z") {
		return from, k + 1
	}
	return i, i
}

// starts finds how a list begins: starting with the oldest.
func (s orderReader) starts(i int) (from, to int) {
	k := i + 1
	if w := s.at(k); w != "with" && w != "from" && w != "at" {
		return i, i
	}
	if k++; s.at(k) == "the" {
		k++
	}
	if extreme(s.at(k)) {
		return i, k + 1
	}
	return i, i
}

// sequence returns the word of sequences that the question requests, or "".
func (q *Question) sequence(words []string) string {
	found := false
	for _, w := range words {
		found = found || sequences[w]
	}
	if !found {
		return ""
	}
	q.read()
	for _, s := range q.sentences {
		for i := range s {
			t := &s[i]
			if t.kind != word || !sequences[t.text] || t.role&requested == 0 ||
				i > 0 && articles[s[i-1].text] && s[i-1].text != "the" && s[i-1].text != "a" && s[i-1].text != "an" {
				continue
			}
			// The order of customer 5 is a purchase; "the order of the stops" is not.
			if t.text == "order" &&
				!(i > 0 && s[i-1].text == "the" && i+2 < len(s) && s[i+1].text == "of" &&
					(articles[s[i+2].text] || possessing[s[i+2].text])) {
				continue
			}
			// A log or a route may be named: "the route id", "history teachers".
			if i+1 < len(s) && s[i+1].kind == word && s[i+1].role&requested != 0 {
				continue
			}
			return t.text
		}
	}
	return ""
}

// OrdersLists reports whether the question asks for an order that may be that of the items in a list in a cell: any
// except "top n" and "bottom n".
func (q *Question) OrdersLists() bool {
	o := q.Order()
	return o != "" && !strings.HasPrefix(o, "top ") && !strings.HasPrefix(o, "bottom ")
}
