package question

import "strings"

var (
	// turns are words for spans of time and stages; one repeated with "by", as in day by day, is an order.
	turns = set("second minute hour day night morning week month quarter season term semester year decade century lap round set inning over hole stage leg step stop station move blow play shot frame page chapter verse scene act episode event turn mile kilometre kilometer km phase period bid entry message goal point")
	// happened are verbs of events, in the past and the present.
	happened = set("happened fell occurred unfolded came arrived appeared followed developed progressed proceeded evolved emerged transpired happen occur unfold come arrive appear follow develop progress proceed")
	// done are participles of verbs that cause events.
	done = set("made played scored held heard given sung called taken run won filed served visited passed reached fought opened closed reported received sent signed set read spoken issued placed entered launched published released performed")
	// months are names of months, weekdays and seasons, which limit the time and do not ask for a course over time.
	months = set("january february march april may june july august september october november december monday tuesday wednesday thursday friday saturday sunday spring summer autumn winter")
	// courses are words for things with consecutive stages.
	courses = set("course path journey progress progression way history story passage travel life career trail steps stages stations events moves walk travels movements evolution development")
	// comes are verbs for the place of an item in a list.
	comes = set("come comes coming go goes going stand stands standing appear appears listed placed shown ranked put")
	// headEnds are words for the ends of a list or of a course.
	headEnds = set("top start beginning first front head left bottom end last back tail right")
)

// after finds a repeated word of turns around "by" at position i: day by day, blow by blow.
func (s orderReader) after(i int) (from, to int) {
	if w := s.at(i - 1); turns[w] && w == s.at(i+1) {
		return i - 1, i + 2
	}
	return i, i
}

// asItWas finds a course of events after "as" at position i: as they happened, as the day unfolded.
func (s orderReader) asItWas(i int) (from, to int) {
	for k := i + 2; k <= i+4; k++ {
		w := s.at(k)
		if w == "took" && s.at(k+1) == "place" || w == "played" && s.at(k+1) == "out" {
			return i, k + 2
		}
		if w := s.at(i + 1); w != "they" && w != "it" && w != "things" && w != "events" && w != "he" && w != "she" &&
			!articles[w] && !possessing[w] {
			break
		}
		if happened[w] || s.at(k-1) == "were" && done[w] {
			return i, k + 1
		}
	}
	return i, i
}

// superlativeBefore returns the position of a superlative that precedes word i with at most one word between, such as
// best milker or most urgent case; -1 if there is none.
func (s orderReader) superlativeBefore(i int) int {
	for k := i - 1; k >= i-2 && k >= 0; k-- {
		switch {
		case extreme(s.at(k)) && s.at(k) != "most" && s.at(k) != "least":
			return k
		case s.at(k-1) == "most" || s.at(k-1) == "least":
			return k - 1
		case articles[s.at(k)] || prepositions[s.at(k)] || auxiliary[s.at(k)]:
			return -1
		}
	}
	return -1
}

// beforeVerb returns the position of a phrase such as "should come" that ends before word i; i if there is none.
func (s orderReader) beforeVerb(i int) int {
	if comes[s.at(i-1)] {
		i--
	}
	if s.at(i-1) == "be" {
		i--
	}
	switch s.at(i - 1) {
	case "should", "must", "shall", "to", "will":
		i--
	}
	return i
}

// atLast finds a superlative before "last" at position i: least used machine last.
func (s orderReader) atLast(i int) (from, to int) {
	if k := s.superlativeBefore(s.beforeVerb(i)); k >= 0 && (s.at(i+1) == "" || s.at(i+1) == "please") {
		return k, i + 1
	}
	return i, i
}

// toBeginWith finds a superlative before "to begin with", with "with" at position i.
func (s orderReader) toBeginWith(i int) (from, to int) {
	if w := s.at(i - 1); s.at(i-2) != "to" || w != "begin" && w != "start" {
		return i, i
	}
	if k := s.superlativeBefore(i - 2); k >= 0 {
		return k, i + 1
	}
	return i, i
}

// leads finds a superlative before a verb at position i: the best milker leading, the oldest heading the list.
func (s orderReader) leads(i int) (from, to int) {
	k := s.superlativeBefore(i)
	if next := s.at(i + 1); k < 0 || next != "" && next != "the" && next != "off" && next != "and" {
		return i, i
	}
	return k, i + 1
}

// ahead finds two ends of an order around a word at position i: the richest come before the poorest.
func (s orderReader) ahead(i int) (from, to int) {
	k := i + 1
	if w := s.at(k); w == "of" || w == "by" {
		k++
	}
	for articlesOfOrder[s.at(k)] {
		k++
	}
	at := s.beforeVerb(i)
	if from := s.superlativeBefore(at); from >= 0 && (extreme(s.at(k)) || lastEnds[s.at(k)] && at < i && s.at(k+1) == "") {
		return from, k + 1
	}
	return i, i
}

// through finds a course from one end to the other around "to" at position i: from the top of the table to the bottom,
// the course of a stay from admission to discharge.
func (s orderReader) through(i int) (from, to int) {
	from = -1
	for k := i - 1; k >= 0 && k >= i-7; k-- {
		if s.at(k) == "from" {
			from = k
			break
		}
	}
	if from < 0 {
		return i, i
	}
	a, b := from+1, i+1
	for articlesOfOrder[s.at(a)] || s.at(a) == "very" {
		a++
	}
	for articlesOfOrder[s.at(b)] || s.at(b) == "very" {
		b++
	}
	if headEnds[s.at(a)] && headEnds[s.at(b)] && s.at(a) != s.at(b) && (s.at(a+1) == "of" || a+1 == i) {
		return from, b + 1
	}
	for k := from - 1; k >= 0 && k >= from-6; k-- {
		if courses[s.at(k)] && (s.at(k+1) == "of" || k+1 == from) && !months[s.at(a)] && !months[s.at(b)] &&
			!strings.ContainsAny(s.at(a)+s.at(b), "0123456789") {
			return k, b + 1
		}
	}
	return i, i
}
