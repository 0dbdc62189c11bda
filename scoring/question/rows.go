package question

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/lazyregexp"
)

var (
	// kept and withEmpty match requests to include groups without anything.
	kept      = lazyregexp.New(` (?:do not|don t|not|never|without) (?:drop|dropping|omit|omitting|skip|skipping|leave out|leaving out|exclude|excluding|ignore|ignoring) `)
	withEmpty = lazyregexp.New(` (?:(?:include|includes|included|including) (?:also )?(?:the |those |all |any |even )*(?:\w+ ){0,3}(?:without|with no|with zero|that have no|that have none|who have no|who have none|that had no|who had no|having no|with none|zero|zeros|zeroes|empty|that never|who never|that did not|who did not|who have not|that have not)|` +
		`even (?:if|when|those|the ones|with|without|though|where|\w+ without|\w+ with no|\w+ who|\w+ that|zero)|(?:or )?(?:0|zero|none|nothing) (?:if|when|where|for|otherwise|else)|(?:as|count|counts|show|showing|shown as|display|report|with|return|is|are|be|to|give|gets?|list|at) (?:the |a |an )?(?:0|zero)|incl\w* 0|if any|whether or not|` +
		`(?:also|too) (?:the |those |\w+ )?(?:without|with no|who (?:have|had) (?:no|none)|that (?:have|had) (?:no|none))|(?:with|without) or (?:with|without)|regardless of whether|not (?:only|just) those|(?:as well as|and|plus) (?:those|the ones) (?:without|with no|who have none)|keep (?:those|\w+ )(?:without|with no)|(?:without|with no) (?:\w+ )?(?:too|as well|included)) `)

	// excluded matches requests to omit them, oneAtLeast conditions that exclude them.
	excluded = lazyregexp.New(` (?:(?:skip|skipping|omit|omitting|exclud\w*|drop|dropping|ignor\w*|disregard\w*|hide|hiding|remov\w*|leave out|leaving out) (?:\w+ ){0,5}(?:without|no|zero|zeros|zeroes|empty|none|0|never)|(?:without|no) (?:zeros|zeroes|zero (?:rows|counts|values|entries|lines|totals)|empty \w+)|` +
		`(?:without|with no|with none|with zero|who have no|that have no|with 0) (?:\w+ ){0,3}(?:left out|omitted|excluded|dropped|skipped|ignored|removed|hidden)|(?:without|with no|with none|with zero|who have no|that have no|with 0) (?:\w+ ){0,3}(?:should|must|shall|need|do|are|may|can) (?:not|never)|` +
		`(?:do not|don t|never) (?:show|list|include|count|return|print|report|display|want|need) (?:\w+ ){0,4}(?:without|no|zero|zeros|zeroes|empty|none|0)) `)
	oneAtLeast = lazyregexp.New(` (?:(?:at least|no fewer than|not fewer than|no less than|minimum of|a minimum of) (?:one|1|a|an|a single|two|2|[3-9]|[1-9][0-9]+|three|four|five|ten)|(?:one|1|two|three|[2-9]|[1-9][0-9]+) (?:\w+ )?or more|(?:more|greater|higher|larger) than (?:zero|0|none|nothing|one|1|two|2|[3-9]|[1-9][0-9]+)|above (?:zero|0)|over (?:zero|0)|` +
		`(?:non|not) ?(?:zero|empty)|nonzero|nonempty|positive|(?:with|have|has|had|having|made|placed|got|sold|is|are|were|was|exist|exists|do|did) any|any at all|if (?:it|they|he|she|there)? ?(?:has|have|had|is|are) (?:one|any|some|at least)|` +
		`only (?:\w+ ){0,3}(?:that|who|which|with|where|having|those)|(?:actually|ever|really) (?:\w+ed|has|have|had|did|made|sold|bought|won|got|took|sent|paid|wrote|gave|saw|ran|used)) `)
	// has matches a relative clause about actions or possessions of the groups: "customers who have orders".
	has      = lazyregexp.New(` (?:that|who|which) (?:actually |really |ever |also |do |did |already )?(?:have|has|had|own|owns|owned|contain|contains|contained|get|gets|got|receive|receives|received|record|records|recorded|show|shows|saw|hold|holds|held) (\w+)`)
	hadThere = lazyregexp.New(` (?:where|in which|from which|for which|to which|at which) (?:we|they|there|he|she|it|you|i) (?:have|has|had|are|were|is|was|got|received) (\w+)`)
	wereDone = lazyregexp.New(` whose (?:\w+ ){1,3}(?:was|were|got) (\w+ed) `)
	// selected matches an action that selects things whose number the question then asks for: "which ports did ships
	// call at, and how often", "what parts were ordered, and how many times".
	selected = lazyregexp.New(` (?:which|what|who|whom) (?:\w+ ){0,3}(?:(?:did|do|does|have|has|had) (?:the |a |an |we |they |he |she |you |i |it |our |their |its )?(?:\w+ ){1,6}|(?:is|are|was|were|been) (?:actually |ever |also )?\w+(?:ed|en|wn|ld|ght|um|ung) (?:\w+ ){0,5})(?:and|with) (?:how (?:often|frequently)|how many (?:times|did|do|does|have|has|had|of them|of those|of these|in all|in total|altogether|were|are|was|is)|how many $|how much (?:did|do|does|have|has|had)|how much $)`)
	ofAll    = lazyregexp.New(` (?:of all|for all|all (?:the )?\w+s) `)
	did      = lazyregexp.New(` (?:that|who) (?:actually |really |ever |also |already |have |has |had )?(\w+) `)
)

// noObjects are words after have that do not name a thing that is had.
var noObjects = set(
	"how no never not been to be less fewer more their its highest lowest most least the a an none nothing zero neither 0")

// states are verbs in relative clauses that describe a state and not an event.
var states = set("is are was were live lives lived reside resides resided work works worked belong belongs come comes came speak speaks born weigh weighs cost costs know knows like likes earn earns earned based located named called start starts began begin begins end ends include includes does do did can could will would should may must has have had not never retired age aged make makes")

// AtLeastOne reports whether the question asks only for groups with at least one thing, so that empty groups are not
// part of the answer. counted are the names of columns that count. It is false for "How many orders did each customer
// place?", which leaves this open.
func (q *Question) AtLeastOne(counted ...string) bool {
	plain := q.Plain()
	switch {
	case q.Empty(), kept.MatchString(plain):
		return false
	case excluded.MatchString(plain):
		return true
	case withEmpty.MatchString(plain):
		return false
	case oneAtLeast.MatchString(plain), wereDone.MatchString(plain),
		selected.MatchString(plain) && !q.AsksEach() && !ofAll.MatchString(plain):
		return true
	}
	q.read()
	if slices.ContainsFunc(q.acts, func(w string) bool { return !states[w] || w == "have" }) && q.subject() {
		return true
	}
	things := map[string]bool{}
	add := func(words string) {
		for _, w := range strings.Fields(strings.Trim(Plain(words), " ")) {
			things[stemOf(w)] = true
		}
	}
	for _, c := range counted {
		add(c)
	}
	for i := range q.phrases {
		if p := &q.phrases[i]; p.role == requested && p.measure {
			add(joined(p.words))
		}
	}
	back := strings.Contains(plain, " and how many ") || strings.Contains(plain, " and how much ") ||
		strings.Contains(plain, " how many each ") || strings.Contains(plain, " and how often ")
	for _, m := range append(has.FindAllStringSubmatch(plain, -1), hadThere.FindAllStringSubmatch(plain, -1)...) {
		if !noObjects[m[1]] && (things[stemOf(m[1])] || back) {
			return true
		}
	}
	if q.withPlural(func(stem string) bool { return things[stem] || back }) {
		return true
	}
	for _, m := range did.FindAllStringSubmatch(plain, -1) {
		if !states[m[1]] && acts(m[1]) {
			return true
		}
	}
	return false
}

// Restricts reports whether the question selects things by a clause about actions, so that it may exclude those with
// none: "which nurses worked a night shift", "every species for which poaching was recorded". It is true more often
// than [Question.AtLeastOne], and less reliable.
func (q *Question) Restricts() bool {
	if q.Empty() || kept.MatchString(q.Plain()) || withEmpty.MatchString(q.Plain()) && !excluded.MatchString(q.Plain()) {
		return false
	}
	q.read()
	return slices.ContainsFunc(q.sentences, func(s []token) bool {
		for i := range s {
			if !relatives[s[i].text] || s[i].kind != word ||
				s[i].text == "that" && i+1 < len(s) && !acts(s[i+1].text) && !auxiliary[s[i+1].text] {
				continue
			}
			for k := i + 1; k < len(s) && k <= i+8; k++ {
				w := s[k].text
				if s[k].kind == stop || w == "and" || w == "or" || w == "how" || w == "each" || w == "every" || w == "per" {
					break
				}
				if s[k].kind == word && acts(w) && !beings[w] && !superlative(w) {
					return true
				}
			}
		}
		return false
	})
}

// relatives are words that start clauses that select things.
var relatives = set("who whom whose which that where")

// beings are verbs in clauses that describe a state and not an event.
var beings = set("lived live lives resided reside resides located named called based born aged listed known weighed cost belonged belong belongs contain contains contained include own owns share shares produce produces offer offers serve serves use uses need needs require requires started begin begins end ends last cover covers")

// withPlural reports whether "with" or "having" is followed, as a condition, by things for which holds is true:
// shippers with orders.
func (q *Question) withPlural(holds func(stem string) bool) bool {
	return slices.ContainsFunc(q.sentences, func(s []token) bool {
		for i := 0; i+1 < len(s); i++ {
			if w := s[i].text; w != "with" && w != "having" {
				continue
			}
			one := false
			for _, t := range s[i+1 : min(i+5, len(s))] {
				if t.text == "a" || t.text == "an" || t.text == "one" {
					one = true
					continue
				}
				if t.kind != word || noObjects[t.text] || prepositions[t.text] || possessing[t.text] {
					break
				}
				if t.role&filter != 0 && (one || t.stem != t.text) && holds(t.stem) {
					return true
				}
			}
		}
		return false
	})
}

// subject reports whether "which" or "who" is the subject of an action: "which customers placed orders", and not "how
// many orders were placed".
func (q *Question) subject() bool {
	return slices.ContainsFunc(q.sentences, func(s []token) bool {
		asks := false
		for i := range s {
			w := s[i].text
			switch {
			case w == "which" || w == "who":
				asks = i+1 < len(s) && !measures[s[i+1].stem]
			case w == "how" || w == "," || s[i].kind == stop:
				asks = false
			case !asks || s[i].kind != word:
			case w == "did" || w == "does" || w == "do" || linking[w]:
				asks = false
			case w == "have" || w == "has" || w == "had":
				next := ""
				for k := i + 1; k < len(s) && next == ""; k++ {
					if !articles[s[k].text] || s[k].text == "any" || s[k].text == "a" {
						next = s[k].text
					}
				}
				return !noObjects[next] && !superlative(next)
			case acts(w), slices.Contains(q.acts, w):
				return true
			}
		}
		return false
	})
}

// happenings are words for events, which count separately even if two have the same values.
var happenings = set("withdrawal refund sale order purchase visit call login click trip ride flight booking reading measurement score goal claim sighting delivery return dose test result arrival departure loss line row record entry event item position transfer deposit debit credit charge swipe scan run lap bid trade rental loan repair service " +
	"shift session message email ticket complaint incident accident crash birth death strike earthquake alarm alert error failure outage rejection approval referral arrest offence offense crime win injury fine fee invoice receipt bill expense cheque check posting offer download upload view impression lease stay night guess answer vote response pass throw shot hit")

var notHappenings = set("department apartment station nation institution organization organisation document building animal hospital terminal region ring king thing wing continent element equipment monument instrument government union edition collection section position division occupation profession religion location version canal journal medal capital portal material mammal rival signal metal " +
	"version dimension mansion ceiling clothing wedding meeting being parliament segment compartment fragment regiment environment settlement national festival condition function constitution")

func happens(stem string) bool {
	if happenings[stem] {
		return true
	}
	return !notHappenings[stem] && len(stem) > 5 &&
		(strings.HasSuffix(stem, "tion") || strings.HasSuffix(stem, "ssion") || strings.HasSuffix(stem, "ment") ||
			strings.HasSuffix(stem, "ing") && stem != "building")
}

var (
	// leftBlank matches words for missing values, except those that may describe the counted things.
	leftBlank = lazyregexp.New(` (?:(?:is|are|was|were) (?:blank|null|unknown|undefined|unavailable|void)|(?:be|stay|stays|remain|remains|left|leave|keep|kept|leaving|keeping|as|show|shows|shown|appear|appears|come|comes|mean|means|or|otherwise|else|them|it|that|which) (?:as |a |an |the )?(?:blank|null|unknown|missing|empty|undefined|unavailable|open|void)|(?:blank|null|unknown|undefined|unavailable|unmeasured) $|(?:blank|null|unknown|missing|empty|undefined|unavailable|unmeasured) (?:cells?|values?|fields?|entry|entries|if|where|when|for|unless|otherwise|means|stays?|remains?|readings?|measurements?)|blanks|nulls|` +
		`(?:not|never|isn t|aren t|wasn t|weren t|hasn t|yet to be) (?:yet |been |be )*(?:measured|recorded|known|surveyed|assessed|reported|tested|graded|rated|inspected|determined|examined|sampled|observed|marked|scored|taken|collected|filled in|available|applicable)|no (?:data|value|reading|readings|measurement|measurements|survey|figure|figures|test|inspection|observation|observations|assessment|information) |(?:unmeasured|unrecorded|unsurveyed|unreported|ungraded|unrated|untested|unassessed)) ?`)
	asZero = lazyregexp.New(` (?:0|zero|zeros|zeroes|none|nil|nought) `)

	rowEach   = lazyregexp.New(` (?:(?:one|a|1|single|separate|own|individual) (?:\w+ )?(?:row|line|record|entry|result) (?:for|per|to|of|each)|(?:row|line|record) (?:for|per) (?:each|every|\w+)|row by row|line by line|repetitions?|(?:duplicates|repeats|doubles) (?:count|included|are|too|stay|kept|as well)|(?:with|including|include|keep|keeping|show|with all) (?:the |any |all )?(?:duplicates?|repeats|repetitions|repeated)|equal \w+ (?:count|stay|are)|as often as|each time|every time|every single|each individual|each single|every individual|one by one|all individual) `)
	keepAll   = lazyregexp.New(` (?:do not|don t|not|without|never) (?:dedup\w*|deduplicat\w*|(?:remov|drop|leav|exclud|omit)\w* (?:out )?(?:the |any )?(?:duplicates|repetitions|repeats)|collaps\w+|merg\w+) `)
	once      = lazyregexp.New(` (?:(?:list|show|give|name|which|what|get|return|find|display|enumerate|print|report|select|are|all|me|output|provide) (?:(?:me|us|out|are|is|all|of|the|a|any|list|names?|set|up) )*(?:distinct|different|unique|deduplicated)|no duplicates|without (?:duplicates|repetitions?|repeats)|no repeats|only once|once each|each once|each only once|just once|(?:each|every|any|no) (?:\w+ ){1,3}(?:only |just |exactly |more than )?once|one (?:line|row|entry|record) (?:for |per )(?:each|every|\w+)|a single time|one time each|listed once|named once|collapsed|deduplicate|dedupe|(?:exclud|remov|eliminat|dropp?)\w+ duplicates) `)
	different = lazyregexp.New(` (?:distinct|different|unique|distinctly|uniquely|deduplicated|no duplicates|without duplicates|without repetition|without repetitions|no repeats|without repeats|only once|once each|each once|each only once|just once|exclud\w+ duplicates|remov\w+ duplicates|various|what kinds? of|which kinds? of|what types? of|which types? of) `)
)

// Blank reports whether the question or its evidence says that values are missing, and not that they are 0. A missing
// value and a count of zero are then different answers.
func (q *Question) Blank() bool {
	plain := q.all()
	return leftBlank.MatchString(plain) && !asZero.MatchString(plain)
}

// Once reports whether the question asks for each value once, as in "list the different types". A request for the
// number of different values does not count.
func (q *Question) Once() bool { return once.MatchString(q.Plain()) }

// Different reports whether the question contains words for different values or a single occurrence of each.
func (q *Question) Different() bool { return different.MatchString(q.Plain()) }

// EveryRow reports whether the question asks for a row for each thing regardless of its values, so that equal rows are
// not duplicates: "one row per track", "the amount of every payment", "all withdrawals". After each, every and all it
// is false if names of the things are requested, since a name may appear once.
func (q *Question) EveryRow() bool {
	plain := q.Plain()
	if q.Empty() {
		return false
	}
	if keepAll.MatchString(plain) {
		return true
	}
	if different.MatchString(plain) {
		return false
	}
	if rowEach.MatchString(plain) {
		return true
	}
	if !strings.Contains(plain, " each ") && !strings.Contains(plain, " every ") && !strings.Contains(plain, " all ") {
		return false
	}
	q.read()
	for _, s := range q.sentences {
		for i := 0; i+1 < len(s); i++ {
			if w := s[i].text; w != "each" && w != "every" && w != "all" || s[i].kind != word {
				continue
			}
			thing := thingAt(s, i+1)
			if thing == "" {
				continue
			}
			// The requested attribute of the thing: a name identifies it, and is needed once.
			attribute := q.attribute(thing)
			switch {
			case happens(thing) && attribute != "name" && attribute != "measure":
				return true
			case s[i].text == "all" && (measures[thing] || thing == "time") && attribute != "measure":
				return true
			case s[i].text != "all" && attribute == "other" && !(i > 0 && auxiliary[s[i-1].text]) && i > 0 &&
				s[i-1].text != "in" && s[i-1].text != "by":
				return true
			}
		}
	}
	return false
}

// thingAt returns the stem of the last noun of the noun phrase at position i, or "".
func thingAt(s []token, i int) string {
	thing := ""
	for ; i < len(s) && s[i].kind == word; i++ {
		w := s[i].text
		if articles[w] || w == "of" && thing == "" || possessing[w] {
			continue
		}
		if w == "of" || prepositions[w] || auxiliary[w] || questions[w] || w == "and" || w == "with" || w == "by" ||
			w == "that" || pronouns[w] || thing != "" && acts(w) || w == "per" || w == "each" {
			break
		}
		if thing = s[i].stem; s[i].possessive {
			break
		}
	}
	return thing
}

// ownName reports whether all words before "name" show that it is the name of the thing: first name, student name.
func ownName(words []string, thing string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return w != thing && !nameParts[w] })
}

var nameParts = set("first last full family given middle short long complete official second the")

// attribute returns the kind of attribute of a thing that the question requests: "name", "measure" (an aggregate),
// "other", or "" if none.
func (q *Question) attribute(thing string) string {
	name, other, measure := false, false, false
	for i := range q.phrases {
		p := &q.phrases[i]
		if p.role != requested {
			continue
		}
		switch head := p.head(); {
		case p.count || p.ranked || slices.ContainsFunc(p.words, func(w string) bool {
			return w == "total" || w == "average" || w == "sum" || w == "percentage" || w == "mean" || w == "share" ||
				w == "much" || w == "maximum" || w == "minimum"
		}):
			measure = true
		case head == thing || head == "" || containers[head] && !identifiers[head]:
		case identifiers[head] && (len(p.words) == 1 || ownName(p.words[:len(p.words)-1], thing)) || head == "who":
			name = true
		default:
			other = true
		}
	}
	switch {
	case name:
		return "name"
	case measure:
		return "measure"
	case other:
		return "other"
	}
	return ""
}
