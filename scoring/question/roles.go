package question

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/naming"
)

// role is what a word of the question contributes to the answer. It is a set of bits, since a word may occur more than
// once.
type role uint8

const (
	requested role = 1 << iota // requested as output: "the salary"
	grouped                    // the answer has a row for each: "per city"
	of                         // the owner of the requested value: "the salary of the managers"
	key                        // determines which rows are first: "with the highest salary"
	filter                     // restricts the rows: "who live in Bonn"
)

// phrase is a thing that the question requests, or wants a row for each of.
type phrase struct {
	words    []string // stems, in order; the last one names the thing, the others qualify it
	role     role
	measure  bool   // it is a number of something, or an amount
	count    bool   // it is a count: how many, number of
	sentence int    // index of its sentence
	pronoun  bool   // it is a pronoun for a thing in the sentence before: "and what is it"
	ranked   bool   // it has a superlative
	extremum string // max or min if it asks for the largest or smallest value; else ""
}

func (p *phrase) head() string {
	if len(p.words) == 0 {
		return ""
	}
	return p.words[len(p.words)-1]
}

// reader assigns roles to the words of a sentence. It knows the function words of English and treats all others as
// nouns.
type reader struct {
	q *Question
	s []token
	n int // index of the sentence
	i int

	role    role
	start   int    // position of the first word after courtesies such as please
	leading bool   // the current words are before the comma that opens a request: "For each city, …"
	asks    bool   // a question word was read, so that the next verb ends the requested phrase
	ranked  bool   // a superlative was in the requested phrase: "the top 3 products by revenue"
	phrase  phrase // the current phrase
	verb    bool   // the request was opened by a verb or a question word
}

func (q *Question) read() {
	if q.done {
		return
	}
	q.done = true
	q.sentences = split(q.text)
	for n, s := range q.sentences {
		r := &reader{q: q, s: s, n: n}
		r.open(n == 0)
		r.start = r.i
		for r.i < len(r.s) {
			r.step()
		}
		r.cut()
	}
}

func (r *reader) word(i int) string {
	if i < 0 || i >= len(r.s) {
		return ""
	}
	return r.s[i].text
}

// at reports whether the words from position i on are the given ones.
func (r *reader) at(i int, words ...string) bool {
	for k, w := range words {
		if r.word(i+k) != w {
			return false
		}
	}
	return true
}

func (r *reader) any(i int, list [][]string) int {
	for _, words := range list {
		if r.at(i, words...) {
			return len(words)
		}
	}
	return 0
}

// cut ends the current phrase, and adds it to the question if it is requested, grouped or of.
func (r *reader) cut() {
	p := r.phrase
	p.sentence = r.n
	r.phrase = phrase{}
	if len(p.words) == 0 && !p.pronoun {
		return
	}
	if p.role&(requested|grouped|of) != 0 {
		p.measure = p.measure || measures[p.head()] ||
			slices.ContainsFunc(p.words, func(w string) bool { return w == "total" || w == "average" || w == "percentage" })
		p.count = p.count || slices.ContainsFunc(p.words, func(w string) bool { return w == "count" }) ||
			p.words != nil && p.words[0] == "number" && len(p.words) > 1
		if p.role == requested && !p.measure {
			p.extremum = ""
		}
		r.q.phrases = append(r.q.phrases, p)
	}
}

// be ends the current phrase and sets the role of the following words.
func (r *reader) be(role role) {
	r.cut()
	r.role = role
	r.ranked = false
	if role != requested {
		r.asks = false
	}
}

// take adds the current word to the phrase.
func (r *reader) take() {
	t := &r.s[r.i]
	t.role |= r.role
	if r.phrase.role != r.role {
		r.cut()
		r.phrase.role = r.role
	}
	r.phrase.words = append(r.phrase.words, t.stem)
	r.i++
	if t.possessive && r.role == grouped { // each carrier's share
		r.be(requested)
	}
}

// open skips courtesies at the start of a sentence and sets the role of its first words by the kind of the sentence.
// first is true for the first sentence.
func (r *reader) open(first bool) {
	for courtesies := [][]string{
		{"please"}, {"kindly"}, {"can", "you"}, {"could", "you"}, {"would", "you"}, {"will", "you"},
		{"i", "want", "to", "know"}, {"i", "want", "to", "see"}, {"i", "want"}, {"i", "need", "to", "know"},
		{"i", "need", "to", "see"}, {"i", "need"},
		{"we", "need", "to", "know"}, {"we", "need"}, {"we", "want", "to", "know"}, {"we", "want"},
		{"i", "would", "like", "to", "know"}, {"i", "would", "like", "to", "see"}, {"i", "would", "like"},
		{"i", "d", "like", "to", "know"}, {"i", "d", "like", "to", "see"}, {"i", "d", "like"},
		{"let", "me", "know"}, {"help", "me"}, {"help", "us"}, {"do", "you", "know"}, {"i", "wonder"},
		{"i", "am", "interested", "in"}, {"hi"}, {"hello"}, {"hey"}, {"now"}, {"then"}, {"also"}, {"and"}, {"finally"},
		{"next"}, {"additionally"}, {"additionally"},
		{"here"}, {"ok"}, {"thanks"}, {"so"}, {"just"}, {"be", "sure", "to"}, {"make", "sure", "to"}, {"first"}, {"to"},
		{"we", "would", "like", "to", "know"}, {"we", "would", "like", "to", "see"}, {"we", "would", "like"}, {"me"},
	}; ; {
		n := r.any(r.i, courtesies)
		if n == 1 && r.word(r.i) == "first" && r.i+1 < len(r.s) && r.s[r.i+1].kind != stop && !tellVerbs[r.word(r.i+1)] {
			n = 0
		}
		if n == 0 {
			break
		}
		r.i += n
		for r.word(r.i) == "," {
			r.i++
		}
	}
	w := r.word(r.i)
	switch {
	case r.opensRequest(r.i):
		r.role = requested
	case questions[w]:
		r.role = requested
	case w == "for" || w == "of" || w == "on" || w == "at" || w == "in" || w == "to" || w == "from" || w == "by" ||
		w == "with" || w == "under" || w == "through" || w == "during" || prepositions[w] || w == "out" || w == "if":
		switch {
		case questions[r.word(r.i+1)] && w != "if": // in which county
			r.role = requested
			r.i++
		case r.any(r.i, grouping) > 0:
			r.role, r.leading = grouped, true
		default:
			r.role, r.leading = filter, slices.ContainsFunc(r.s[r.i:], func(t token) bool {
				return t.text == "," || questions[t.text] || tellVerbs[t.text] && !nounsToo[t.text]
			})
			if !r.leading {
				r.role = filter
			}
			r.i++
		}
	case r.any(r.i, grouping) > 0 && first:
		r.role, r.leading = grouped, true
	case auxiliary[w]:
		r.role = filter
		r.q.yesNo = r.q.yesNo || first
	case w == "only":
		r.role = filter
	case first:
		r.role = requested // a fragment: "Sales per region"
	default:
		r.role = filter
		if r.fragment() {
			r.role = requested
		}
	}
}

// fragment reports whether a sentence has neither a verb nor a preposition, so that it lists further outputs.
func (r *reader) fragment() bool {
	for i := r.i; i < len(r.s); i++ {
		if w := r.s[i].text; auxiliary[w] || acts(w) || prepositions[w] || w == "count" || w == "counts" || w == "means" ||
			w == "refers" || w == "assume" || w == "consider" || w == "use" || w == "ignore" || w == "exclude" || w == "round" {
			return false
		}
	}
	return true
}

// opensRequest reports whether the word at position i is a verb that starts a request.
func (r *reader) opensRequest(i int) bool {
	w := r.word(i)
	if !tellVerbs[w] {
		return false
	}
	if !nounsToo[w] {
		return !(w == "include" || w == "add") || !r.rowsIncluded(i+1)
	}
	next := r.word(i + 1)
	// rank teams by points
	if stem := naming.Stem(next); i == 0 && stem != next && !identifiers[stem] && !attributes[stem] && !measures[stem] {
		return true
	}
	if w == "count" && i == 0 {
		return next != "" && next != "of" && next != "by" && next != "per" && next != "and" && next != "," && next != "for"
	}
	return articles[next] && next != "that" || questions[next] || possessing[next] || next == "each" || next == "every" ||
		next == "down" || next == "out" || next == "only" || next == "me" || next == "us" || next == "them"
}

// rowsIncluded reports whether the words from i on name rows to include, and not a column: "include those without".
func (r *reader) rowsIncluded(i int) bool {
	for k := i; k < len(r.s) && r.s[k].kind != stop; k++ {
		switch r.s[k].text {
		case "without", "no", "zero", "none", "empty", "who", "that", "those", "ones", "even", "all", "null", "nulls",
			"missing", "ties", "tied", "inactive", "duplicates", "only", "with":
			return true
		case "and", "their", "its":
			return false
		}
	}
	return false
}

func (r *reader) step() {
	t := &r.s[r.i]
	w := t.text
	switch t.kind {
	case stop:
		r.punctuation(w)
		return
	case number:
		r.i++
		return
	case quoted:
		r.cut()
		if r.role&(requested|of) != 0 {
			r.role = filter
		}
		r.i++
		return
	}
	prev := r.word(r.i - 1)
	fresh := r.i == 0 || prev == "," || prev == "and" || prev == ":" || prev == "(" || prev == "then" || prev == "also" ||
		prev == "but" || prev == "please" || prev == "or"
	if n := r.any(r.i, additions); n > 0 {
		switch {
		case (w == "including" || w == "include" || w == "includes" || w == "incl") && r.rowsIncluded(r.i+n),
			w == "as" && r.role == filter && !r.possessed(r.i+n):
			r.be(filter)
		case w == "plus" && r.i > 0 && r.s[r.i-1].kind == number, w == "followed" && r.role == filter:
			r.cut()
		default:
			r.be(requested)
		}
		r.i += n
		return
	}
	if r.opensRequest(r.i) && (fresh || r.role == 0 || prev == "to" || r.leading || r.i == r.start) {
		r.be(requested)
		r.leading = false
		if w == "name" {
			t.role |= requested
		}
		r.ranked = w == "rank" || w == "sort" || w == "order" || w == "arrange"
		r.i++
		return
	}
	if questions[w] && r.question(fresh) {
		return
	}
	if n := r.any(r.i, sorting); n > 0 && !(w == "ordered" && r.role == filter && n == 1) &&
		!(n == 1 && auxiliary[prev] && w == "ranked") {
		r.be(key)
		r.i += n
		if w := r.word(r.i); w == "by" || w == "on" || w == "from" {
			r.i++
		}
		return
	}
	if n := r.any(r.i, grouping); n > 0 {
		if next := r.word(r.i + n); next == "" || r.s[min(r.i+n, len(r.s)-1)].kind == stop || acts(next) || auxiliary[next] ||
			next == "of" {
			r.cut() // how many orders each made
			r.i += n
			if next == "of" { // each of the customers
				r.be(grouped)
				r.i++
			}
			return
		}
		leading := r.leading
		if r.role == key && w == "each" {
			r.cut()
			r.i++
			return
		}
		r.be(grouped)
		r.leading = leading
		r.i += n
		return
	}
	switch {
	case w == "by":
		r.by()
	case w == "with":
		r.with()
	case w == "of":
		r.of()
	case w == "and" || w == "or" || w == "but" || w == "nor":
		r.and()
	case w == "that":
		if r.i > 0 && (r.role != 0) && len(r.phrase.words) > 0 {
			r.be(filter)
		}
		r.i++
	case possessing[w]:
		if (fresh || prev == "with" || prev == "both" || prev == "all") &&
			(r.role == filter || r.role == key || r.role == grouped || r.role == of) && !r.leading {
			r.be(requested)
		}
		r.cut()
		r.i++
	case articles[w]:
		if w == "the" && fresh &&
			(r.role == of || r.role == grouped || r.role == key || r.role == filter && measuring[r.word(r.i+1)]) && !r.leading {
			r.be(requested)
		}
		r.cut()
		r.i++
	case auxiliary[w]:
		r.auxiliary()
	case superlative(w):
		r.superlative()
	case prepositions[w]:
		r.preposition()
	case pronouns[w] || adverbs[w]:
		// products never sold
		if (w == "never" || w == "not" || w == "ever" || w == "already") && acts(r.word(r.i+1)) &&
			r.role&(requested|of) != 0 && !r.asks {
			r.be(filter)
		}
		r.cut()
		r.i++
	case amounts[w] && r.role != 0:
		r.i++
	case r.ends(w):
		r.be(filter)
		r.i++
	default:
		r.take()
	}
}

// measuring are words that, after "and the", continue a request.
var measuring = set("number total sum average count amount corresponding respective associated resulting mean median percentage share names name date")

func (r *reader) possessed(i int) bool {
	return possessing[r.word(i)] || r.word(i) == "the" && measuring[r.word(i+1)]
}

// ends reports whether the verb w ends the requested phrase: the first verb after which, who and how many, or a
// participle after a noun ("orders placed in May").
func (r *reader) ends(w string) bool {
	switch {
	case r.role == grouped && acts(w) && len(r.phrase.words) > 0:
		return true
	case r.role&(requested|of) == 0 || len(r.phrase.words) == 0:
		return false
	case r.asks:
		if acts(w) {
			r.q.acts = append(r.q.acts, w)
			return true
		}
		// Another verb shows by what follows: which plant emits the most.
		next := r.word(r.i + 1)
		if verb := next != "that" && articles[next] || superlative(next) && next != "first" && next != "last" ||
			next == "more" || next == "less" || next == "fewer" || next == "over" || next == "no" || next == "at" ||
			r.i+1 < len(r.s) && r.s[r.i+1].kind == quoted; verb {
			r.q.acts = append(r.q.acts, w)
			return true
		}
		return false
	}
	return acts(w) && w != "paid" && w != "cost" && w != "lead" && w != "need" && !r.nounFollows() || w == "belonging" ||
		w == "starting" || w == "containing" || w == "located" || w == "costing" || w == "weighing" || w == "living" ||
		w == "working"
}

// nounFollows reports whether the next word may be a noun that a participle qualifies: "net paid amount".
func (r *reader) nounFollows() bool {
	w := r.word(r.i + 1)
	return w != "" && r.i+1 < len(r.s) && r.s[r.i+1].kind == word && !prepositions[w] && w != "by" && w != "with" &&
		w != "and" && w != "or" && w != "of" && w != "per" && w != "each" && w != "every" && !articles[w] && !auxiliary[w] &&
		!questions[w] && !adverbs[w] && !superlative(w) && w != "as"
}

func (r *reader) punctuation(w string) {
	r.cut()
	switch w {
	case ",":
		switch {
		case r.leading && !r.listGoesOn():
			r.be(requested)
			r.leading = false
		case r.leading:
		case r.role == of || r.role == grouped && !r.leading:
			if !r.names() {
				r.be(requested)
			}
		}
	case ":":
		if r.role != 0 {
			r.be(requested)
		}
	case "(":
		r.parenthesis()
		return
	}
	r.i++
}

// listGoesOn reports whether the introductory part continues after the comma: "In Bonn, Cologne and Aachen, …".
func (r *reader) listGoesOn() bool {
	next := r.word(r.i + 1)
	return !questions[next] && !tellVerbs[next] && !articles[next] &&
		slices.ContainsFunc(r.s[r.i+1:], func(t token) bool { return t.text == "," }) && r.role == filter
}

// names reports whether the next token is a proper name, a number or a quoted string.
func (r *reader) names() bool {
	return r.i+1 < len(r.s) && (r.s[r.i+1].name || r.s[r.i+1].kind == number || r.s[r.i+1].kind == quoted)
}

// parenthesis requests the columns listed in parentheses, "(product, revenue)", and skips any other parenthesis.
func (r *reader) parenthesis() {
	end := slices.IndexFunc(r.s[r.i:], func(t token) bool { return t.text == ")" && t.kind == stop })
	if end < 0 {
		r.i++
		return
	}
	end += r.i
	inside := r.s[r.i+1 : end]
	if len(inside) > 0 && inside[0].text == "and" {
		inside = inside[1:]
	}
	list := false
	for k, t := range inside {
		w := t.text
		switch {
		case t.kind == number || t.kind == quoted || t.kind == stop && w != ",",
			auxiliary[w] || acts(w) || prepositions[w] || questions[w] && k > 0 || w == "times" || w == "or" || w == "minus" ||
				w == "divided":
			r.i = end + 1
			return
		case w == "," || w == "and":
			list = true
		}
	}
	if !list && !(len(inside) > 1 &&
		(inside[0].text == "how" || inside[0].text == "with" || inside[0].text == "incl" || inside[0].text == "including" ||
			inside[0].text == "show")) {
		r.i = end + 1
		return
	}
	before := r.role
	r.be(requested)
	r.i++
	for r.i < end {
		r.step()
	}
	r.be(before)
	r.i = end + 1
}

// question handles a question word; fresh is true if it starts a clause. It always returns true.
func (r *reader) question(fresh bool) bool {
	w, prev := r.word(r.i), r.word(r.i-1)
	opens := fresh || r.leading ||
		r.i > 0 && (tellVerbs[prev] || prepositions[prev] || prev == "by" || prev == "of" || prev == "to" || prev == "with" ||
			prev == "me" || prev == "us" || prev == "out" || prev == "as") || r.role == 0
	if !opens && (w == "how" || w == "what") {
		opens = true
	}
	if (w == "who" || w == "which" || w == "whose" || w == "that" || w == "where") &&
		(prev == "and" || prev == "or" || prev == "but") && r.word(r.i-2) != "," && r.role == filter && r.relative() {
		opens = false // who live in Bonn and who own a car
	}
	if r.i > 1 && (w == "which" || w == "whom" || w == "where") && prev != "and" &&
		(prepositions[prev] || prev == "of" || prev == "to") && len(r.q.phrases) > 0 && r.word(r.i-2) != "," &&
		r.word(r.i-2) != "and" && r.i-1 > 0 {
		opens = false // the city in which he lives
	}
	if prev == "," && (w == "who" || w == "whose" || w == "which") && r.role&(requested|of) != 0 && len(r.q.phrases) > 0 &&
		!r.leading && w != "which" {
		opens = w == "who" && r.role == requested && slices.Contains([]string{"is", "are"}, r.word(r.i+1)) &&
			r.word(r.i+2) == "the"
	}
	if !opens {
		r.be(filter)
		r.i++
		return true
	}
	r.be(requested)
	r.leading = false
	r.verb = true
	next := r.word(r.i + 1)
	switch w {
	case "how":
		r.i++
		switch {
		case next == "many":
			r.phrase = phrase{role: requested, measure: true, count: true}
			r.s[r.i].role |= requested
			r.phrase.words = append(r.phrase.words, "many")
			r.q.counts = true
			r.i++
			r.asks = true
		case next != "" && r.s[min(r.i+1, len(r.s)-1)].kind == word && !auxiliary[next] && !articles[next] &&
			!pronouns[next] && next != "to" && next != "come":
			// how tall
			r.phrase = phrase{role: requested, measure: true, words: []string{r.s[r.i].stem}}
			r.s[r.i].role |= requested
			r.i++
			r.asks = true
		default:
			r.asks = true
		}
		return true
	case "who", "whom", "whose":
		r.s[r.i].role |= requested
		if linking[next] && w == "who" {
			if r.word(r.i+2) == "the" || r.word(r.i+2) == "our" {
				r.i += 2
				return true
			}
		}
		r.phrase = phrase{role: requested, words: []string{"who"}}
		r.asks = true
		if w == "whose" {
			r.cut()
		}
	case "what", "which":
		if linking[next] {
			r.i += 2
			if n := r.word(r.i); pronouns[n] && (r.i+1 >= len(r.s) || r.s[r.i+1].kind == stop || r.s[r.i+1].text == "and") &&
				len(r.q.phrases) > 0 {
				r.phrase = phrase{role: requested, measure: true, pronoun: true}
				r.cut()
				r.i++
			}
			return true
		}
		r.asks = true
		if w == "what" && (next == "did" || next == "does" || next == "do" || next == "has" || next == "have") {
			r.phrase = phrase{role: requested, words: []string{w}}
		}
	case "where", "when", "why":
		r.s[r.i].role |= requested
		r.phrase = phrase{role: requested, words: []string{w}}
		r.cut()
		r.i++
		if auxiliary[r.word(r.i)] {
			r.role = filter
			if linking[r.word(r.i)] {
				r.role = of
			}
			r.i++
		}
		return true
	case "whether":
		r.i++
		r.role = requested
		return true
	}
	r.i++
	return true
}

// relative reports whether a verb follows the current word, as in a relative clause.
func (r *reader) relative() bool {
	next := r.word(r.i + 1)
	return auxiliary[next] || acts(next)
}

func (r *reader) by() {
	prev := r.word(r.i - 1)
	next := r.word(r.i + 1)
	switch {
	case r.role == requested && r.ranked, r.role == of && r.ranked:
		r.be(key)
	case r.role == key, r.role == filter && prev == "then", prev == "descending", prev == "ascending":
		r.cut()
	case prev == "," && !acts(next):
		r.be(grouped)
	case r.role == filter || acts(prev) || prev == "made":
		r.be(filter)
		if superlative(next) {
			r.role = key
		}
	case questions[next]:
		r.cut()
	default:
		r.be(grouped)
	}
	r.i++
}

func (r *reader) of() {
	head := r.phrase.head()
	// the phone number of
	if head == "number" && len(r.phrase.words) > 1 && r.phrase.words[0] != "total" && r.phrase.words[0] != "average" &&
		r.phrase.words[0] != "overall" && r.phrase.words[0] != "mean" {
		r.be(of)
		r.i++
		return
	}
	switch {
	case r.role == requested && containers[head] && !identifiers[head]:
		r.phrase = phrase{}
	case r.role == requested &&
		(head == "number" || head == "count" || head == "total" || head == "sum" || head == "amount" || head == "average" ||
			head == "quantity" || head == "percentage" || head == "share" || head == "volume" || head == "proportion" ||
			head == "many" || head == "much"):
		if head == "number" || head == "count" {
			r.phrase.count, r.q.counts = true, true
		}
		r.phrase.measure = true
	case r.role == requested && head == "" && r.ranked:
	case r.role == requested && len(r.phrase.words) == 0 && r.asks: // which of the customers
	case r.role == requested:
		r.be(of)
	case r.role == grouped || r.role == of:
		r.cut()
	}
	r.i++
}

func (r *reader) and() {
	if r.role == requested && r.asks && len(r.phrase.words) > 0 {
		r.cut()
		r.i++
		return
	}
	r.cut()
	r.i++
}

func (r *reader) auxiliary() {
	w := r.word(r.i)
	switch {
	case r.leading:
		r.cut()
	case r.role&(requested|of|grouped) != 0 && (len(r.phrase.words) > 0 || r.asks || r.verb):
		if r.asks && (w == "has" || w == "have" || w == "had") {
			r.q.acts = append(r.q.acts, "have")
		}
		if r.asks && len(r.phrase.words) == 0 && (w == "do" || w == "does" || w == "did") {
			r.q.acts = append(r.q.acts, w)
		}
		r.be(filter)
	default:
		r.cut()
	}
	r.i++
}

func (r *reader) superlative() {
	w, t := r.word(r.i), &r.s[r.i]
	next := r.word(r.i + 1)
	if (w == "first" || w == "last" || w == "final" || w == "middle") &&
		(next == "name" || next == "names" || next == "and" && r.word(r.i+2) == "last" ||
			next == "or" && r.word(r.i+2) == "last") || (w == "last" && r.word(r.i-1) == "and" && next == "name") {
		r.take()
		return
	}
	if (w == "last" || w == "first") && !(r.i+1 < len(r.s) && r.s[r.i+1].kind == number) && r.role == filter { // last year
		r.cut()
		r.i++
		return
	}
	if w == "most" && next == "recently" {
		r.i++
	}
	r.ranked = true
	switch {
	case r.role == requested, r.role == of:
		extremum := ""
		switch w {
		case "highest", "maximum", "max", "largest", "greatest", "biggest", "most", "latest", "longest", "best", "top":
			extremum = "max"
		case "lowest", "minimum", "min", "smallest", "least", "fewest", "earliest", "shortest", "worst":
			extremum = "min"
		}
		if r.role == requested && r.asks && len(r.phrase.words) > 0 { // which 3 products earned most
			r.be(key)
			break
		}
		if r.role == requested {
			r.cutFor(requested)
			r.phrase.role, r.phrase.extremum, r.phrase.ranked = requested, extremum, true
			if extremum != "" && (next == "and" || next == "or" || next == ",") { // the minimum and maximum depth
				r.phrase.words, r.phrase.measure = []string{w}, true
			}
			t.role |= requested
		}
	case r.role == filter || r.role == grouped:
		r.be(key)
		r.ranked = true
	}
	r.i++
}

// cutFor ends the current phrase, if it has words, and sets the role of the next one.
func (r *reader) cutFor(role role) {
	if len(r.phrase.words) > 0 {
		r.cut()
	}
	r.phrase.role = role
}

func (r *reader) preposition() {
	w, next := r.word(r.i), r.word(r.i+1)
	switch {
	case (w == "in" || w == "on") &&
		(next == "total" || next == "average" || next == "percent" || next == "descending" || next == "ascending" ||
			next == "alphabetical" || next == "chronological" || next == "order" || next == "addition"):
		r.cut()
		r.i += 2
		return
	case w == "than" && r.role == requested, w == "like" && r.role == requested:
		r.be(filter)
	case w == "for" && r.role&(requested|of) != 0 && (next == "all" || next == "the" && r.ranks(r.i+2)):
		r.be(of)
	case w == "for" && r.role == requested && len(r.phrase.words) == 0:
		r.cut()
	case r.role&(requested|of|grouped|key) != 0 && !r.leading:
		r.be(filter)
		if w == "from" && superlative(next) || w == "having" && r.followedBySuperlative(r.i+1) {
			r.role = key
		}
	default:
		r.cut()
	}
	r.i++
}

// ranks reports whether the word at i or the next one is a superlative: "for the three largest cities".
func (r *reader) ranks(i int) bool {
	return superlative(r.word(i)) || superlative(r.word(i+1))
}

func (r *reader) followedBySuperlative(i int) bool {
	for articles[r.word(i)] {
		i++
	}
	return superlative(r.word(i))
}

// with handles "with": the words after it are an output, a filter or the rank of rows.
func (r *reader) with() {
	j := r.i + 1
	prev := r.word(r.i - 1)
	defer func() { r.i++ }()
	if possessing[r.word(j)] || r.word(j) == "respective" || r.word(j) == "corresponding" || r.word(j) == "associated" ||
		r.word(j) == "both" && possessing[r.word(j+1)] {
		r.be(requested)
		return
	}
	the := false
	for articles[r.word(j)] && r.word(j) != "any" && r.word(j) != "a" && r.word(j) != "an" {
		the = true
		j++
	}
	if j >= len(r.s) || r.s[j].kind != word {
		r.be(filter)
		return
	}
	if superlative(r.word(j)) && !((r.word(j) == "first" || r.word(j) == "last") && identifiers[r.word(j+1)]) ||
		superlative(r.word(j+1)) && r.s[j].kind == number {
		if r.role == requested || r.role == of || r.role == filter || r.role == grouped {
			r.be(key)
		}
		return
	}
	if comparing[r.word(j)] || r.word(j) == "respect" || r.word(j) == "regard" {
		r.be(filter)
		return
	}
	// A requested output has no value next to it: "with the name of their manager", not "with the name Bob".
	head := ""
	k := j
	for ; k < len(r.s) && r.s[k].kind == word && !prepositions[r.word(k)] && !auxiliary[r.word(k)] && r.word(k) != "of" &&
		r.word(k) != "and" && r.word(k) != "by" && r.word(k) != "per" && !questions[r.word(k)] && r.word(k) != "as"; k++ {
		if r.s[k].name && k > j {
			r.be(filter)
			return
		}
		head = r.s[k].stem
	}
	valued := k < len(r.s) &&
		(r.s[k].kind == number || r.s[k].kind == quoted ||
			comparing[r.word(k)] && r.word(k) != "at" && r.word(k) != "no" && r.word(k) != "a" && r.word(k) != "the" ||
			r.word(k) == "in" || r.word(k) == "like" || r.word(k) == "than" || r.word(k) == "above" || r.word(k) == "below" ||
			auxiliary[r.word(k)]) ||
		k+1 < len(r.s) && r.word(k) == "of" &&
			(r.s[k+1].kind == number || r.s[k+1].kind == quoted || r.s[k+1].name || r.word(k+1) == "at" ||
				r.word(k+1) == "more" || r.word(k+1) == "over" || r.word(k+1) == "less")
	switch {
	case valued:
		r.be(filter)
	case prev == "," || prev == "(" || the || measures[head] || identifiers[head] || attributes[head]:
		if r.leading || r.role == filter && !the && prev != "," && !measures[head] {
			r.be(filter)
			return
		}
		r.be(requested)
	default:
		r.be(filter)
	}
}

// attributes are properties that a thing has one of, so that "with address" requests it.
var attributes = set("name address email phone date title description country city category status type department manager owner birthday birthdate gender author artist region currency unit percentage time year month location capital")

// makers are words in names of columns that describe how the column is computed.
var makers = set("total sum count cnt num number n nr no avg average mean max maximum min minimum value pct percent percentage usd eur gbp in of the per by distinct current overall all amount amt")

func joined(words []string) string { return strings.Join(words, " ") }
