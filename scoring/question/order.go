package question

import (
	"cmp"
	"regexp"
	"strings"
)

// superlativeWords is a word or two that names an end of an order.
const superlativeWords = `(?:best|worst|most(?: \w+)?|least(?: \w+)?|\w+est|recent)`

// ends of an order, in pairs such as from high to low.
const (
	oneEnd   = `(?:` + superlativeWords + `|high|low|higher|lower|large|small|big|old|new|early|late|long|short|good|bad|fast|slow|cheap|expensive|young|strong|weak|first|start|beginning|top|bottom|left|right|front|back|oldest|past|a)`
	otherEnd = `(?:` + superlativeWords + `|high|low|higher|lower|large|small|big|old|new|early|late|long|short|good|bad|fast|slow|cheap|expensive|young|strong|weak|last|finish|end|top|bottom|left|right|front|back|present|today|now|z)`
)

// orderPhrases are the ways in which questions ask for an order of rows. "Top 5" counts, though it
// may also mean a set.
var orderPhrases = regexp.MustCompile(` (?:` + strings.Join([]string{
	`sort|sorted|sorting|ascending|descending|ascendingly|descendingly|asc|desc`,
	`alphabetical|alphabetically|lexicographical|lexicographically|chronological|chronologically|sequentially|successively|chronology|timeline|timelines`,
	`(?:order|ordered|ordering|arrange|arranged|rank|ranked|ranking) (?:(?:the|these|those|all) (?:results?|rows|list|output|answers?)|them|it|results?|by|from|according|based|with)`,
	`ranked (?:list|overview|table)`,
	`(?:in|by) order of`,
	`(?:in|by) (?:which|what) (?:order|sequence|succession)`,
	`in (?:the |their |its )?(?:\w+ )?sequence`, `in succession|in turn|one after another|one after the other|one by one|step by step|stop by stop|stage by stage`,
	`in (?:the |a |an |their |its )?(?:increasing|decreasing|rising|falling|growing|reverse|reversed|numerical|numeric|sequential|logical|natural|correct|right|proper|historical|temporal|time|date|calendar|rank|ranking|ranked|sorted|priority|running|finishing|starting|batting|boarding|playing|` +
		`play|travel|travelling|traveling|route|processing|execution|arrival|departure|appearance|track|size|age|alphabetic|lexical|lexicographic|dictionary|topological|respective|order|original|due|birth|height|weight|score|price|geographic|geographical|speaking|seating|service|treatment|cooking|reading|release|publication) order`,
	`(?:increasing|decreasing|rising|falling|reverse|reversed|numerical|numeric|finishing|running|starting|batting|boarding|playing|speaking|pecking) order`,
	`in the order (?:in which|of|they|that|it|he|she|you|as|we|by)`, `(?:order|sequence|succession) of (?:their |its |the )?(?:finish|finishing|arrival|arrivals|events|appearance|play|birth|service|treatment|execution|departure|steps|stops|stages|completion|importance|priority|release|publication|merit|preference|size|age)`,
	`by (?:increasing|decreasing|rising|falling|seniority|precedence|priority|rank|position)`,
	superlativeWords + ` (?:ones? |items? |rows? |entries |entry |values? |dates? )?first`, superlativeWords + ` (?:ones? |items? |rows? )?(?:at|on) (?:the )?(?:top|bottom|beginning|start|end)`,
	`(?:top|bottom) (?:[2-9]|[1-9][0-9]+|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|fifty|few)`,
	oneEnd + ` to (?:the |its |their )?` + otherEnd,
	`(?:and|then|please) rank`,
	`(?:start|starts|starting|begin|begins|beginning) (?:with|from|at) (?:the )?` + superlativeWords,
	`standings|leaderboard|leader board|league table|medal table|points table|scoreboard|itinerary|placings|hit parade|countdown|starting grid|rankings|order of finish`,
	`from (?:the )?(?:first|start|beginning|top|bottom) (?:on|onwards?|up|down)`,
}, `|`) + `) `)

// sequences are things whose rows come in an order: where the question asks to be told one, it asks
// for the order.
var sequences = set("ranking sequence queue schedule timetable itinerary route history succession agenda podium chart progression roadmap lineup setlist tracklist tracklisting playlist order leaderboard scoreboard standing log diary")

// inAnyOrder takes the order back.
var inAnyOrder = regexp.MustCompile(` (?:(?:in |the |of )?any order|(?:in )?no (?:particular|specific|special|fixed) order|order (?:does|do|is|s|doesn|isn|need|must)(?: not| t)? (?:matter|important|relevant|be)(?: \w+)?|(?:regardless|irrespective) of (?:the |their )?order|whatever (?:the )?order|unsorted|unordered|` +
	`not (?:be )?(?:sorted|ordered|ranked)|(?:no|without|need not|don t|do not) (?:sort|sorting|order|ordering|be sorted|need to sort)|no need to (?:sort|order)) `)

// notOrders are phrases with the words of an order that ask for none.
var notOrders = strings.NewReplacer(" sort of ", " ", " sorts of ", " ", " first name ", " ", " first names ", " ", " in order to ", " ", " in short order ", " ", " were ordered by ", " ", " was ordered by ", " ", " been ordered by ", " ", " are ordered by customer", " ",
	" a to b ", " ", " right now ", " ", " as long as ", " ", " at top level ", " ", " first to ", " first to ")

// Order is the words by which the question, or what came with it, asks for an order of rows; empty
// where neither does, or where the question says that the order does not matter.
func (q *Question) Order() string {
	plain := q.Plain()
	if inAnyOrder.MatchString(plain) {
		return ""
	}
	if p := cmp.Or(orderIn(plain), q.sequence()); p != "" || strings.TrimSpace(q.evidence) == "" {
		return p
	}
	return orderIn(Plain(q.evidence))
}

func orderIn(plain string) string {
	plain = notOrders.Replace(plain)
	if strings.HasPrefix(plain, " rank ") {
		return "rank"
	}
	return strings.TrimSpace(orderPhrases.FindString(plain))
}

// sequence is the word for a sequence that the question asks to be told.
func (q *Question) sequence() string {
	found := false
	for w := range strings.FieldsSeq(q.plainText) {
		found = found || sequences[w]
	}
	if !found {
		return ""
	}
	q.read()
	for _, s := range q.sentences {
		for i := range s {
			t := &s[i]
			if t.kind != word || !sequences[t.text] || t.role&told == 0 || i > 0 && (articles[s[i-1].text] && s[i-1].text != "the" && s[i-1].text != "a" && s[i-1].text != "an") {
				continue
			}
			// The order of customer 5 is a purchase; "the order of the stops" is none.
			if t.text == "order" && !(i+2 < len(s) && s[i+1].text == "of" && (articles[s[i+2].text] || possessing[s[i+2].text]) && i > 0 && s[i-1].text == "the") {
				continue
			}
			// A log or a route may be named: "the route id", "history teachers".
			if i+1 < len(s) && s[i+1].kind == word && s[i+1].role&told != 0 {
				continue
			}
			return t.text
		}
	}
	return ""
}

// OrdersLists tells whether the question asks for an order that may be one of the items in a list:
// any but that of the first few rows.
func (q *Question) OrdersLists() bool {
	o := q.Order()
	return o != "" && !strings.HasPrefix(o, "top ") && !strings.HasPrefix(o, "bottom ")
}
