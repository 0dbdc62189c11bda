package units

import "strings"

// Question holds the units that a question mentions.
type Question struct {
	Asked   []Stated // the units in which it asks for numbers
	Percent bool     // it asks for a percentage
	Share   bool     // it mentions a share of a whole: a percentage, a rate, a probability
	// HowMany: it asks how many of something there are, or by which factor it differs.
	HowMany bool
	// PerMany: it asks for a number per several things, such as per 100 admissions.
	PerMany bool

	measures map[Measure]bool // the measures that it mentions
	soft     map[Measure]bool // measures whose ambiguous spellings in names are units, see softly
}

// CountsOnly reports whether the question asks how many of something there are, or by which factor it differs, and
// mentions no share.
func (q *Question) CountsOnly() bool { return q.HowMany && !q.Share }

// storing are words before "in" and the unit of the stored data, which is not requested: stored in cents, recorded in
// minutes.
var storing = setOf("stored recorded kept saved logged held captured tracked entered is are was were comes come")

// manies are number words after "per", "each" or "every".
var manies = setOf("ten dozen hundred thousand million")

// fillers are words that may be between a word that asks for a unit and the unit.
var fillers = setOf("a an the of us total whole full metric")

// Asked parses the units of a question, such as in US dollars, how many minutes, the number of days, in millions of
// euros, (MWh), or as a percentage. A time such as the last week is not a unit. It never returns nil.
func Asked(text string) *Question {
	q := &Question{}
	if text == "" {
		return q
	}
	r := reader{toks: tokens(nil, text), text: true}
	q.measures = map[Measure]bool{}
	for i := range r.toks {
		w := r.toks[i].low
		if known := r.toks[i].word; known != nil {
			for _, m := range known.speaks {
				q.measures[m] = true
			}
			q.Share = q.Share || known.share
		}
		if w == "many" && i > 0 && r.toks[i-1].low == "how" || w == "number" || w == "count" || w == "factor" ||
			w == "multiple" || w == "multiplier" {
			q.HowMany = true
		}
		if i > 0 && (r.toks[i-1].low == "per" || r.toks[i-1].low == "each" || r.toks[i-1].low == "every") &&
			(r.toks[i].number && r.toks[i].low != "1" || manies[w]) {
			q.PerMany = true
		}
	}
	q.Share = q.Share && r.shares()
	r.soft = q.measures
	for i := 0; i < len(r.toks); i++ {
		t := &r.toks[i]
		before := ""
		if i > 0 {
			before = r.toks[i-1].low
		}
		opens := t.bracket && (i == 0 || !r.toks[i-1].bracket)
		switch {
		case before == "in" || before == "many" || before == "what" || before == "as" || opens:
		case before == "of" && i > 1 && (r.toks[i-2].low == "number" || r.toks[i-2].low == "count"):
		case before == "a" && i > 1 && r.toks[i-2].low == "as":
		case before == "the" && i > 1 && r.toks[i-2].low == "in":
		default:
			if u, _ := r.at(i); u != nil && u.Measure == Share && u.Symbol == "%" {
				q.note(Stated{Unit: u})
			}
			continue
		}
		s, n := r.sequence(i, before == "in")
		if n == 0 {
			continue
		}
		if before == "in" && i > 1 && storing[r.toks[i-2].low] {
			i += n - 1
			continue // the unit of the stored data
		}
		q.note(s)
		i += n - 1
	}
	q.Share = q.Share || q.Percent
	q.soft = map[Measure]bool{}
	for _, m := range softly {
		q.soft[m] = q.measures[m]
	}
	for i := range q.Asked {
		if u := q.Asked[i].Unit; u != nil {
			q.soft[u.Measure] = true
		}
	}
	return q
}

// note adds a requested unit.
func (q *Question) note(s Stated) {
	if s.Unit != nil && s.Unit.Measure == Share {
		q.Percent = q.Percent || s.Percent()
		q.Share = true
	}
	for i := range q.Asked {
		if q.Asked[i] == s {
			return
		}
	}
	q.Asked = append(q.Asked, s)
}

// sequence returns the unit at position i, such as thousands of US dollars, and its number of tokens, 0 if there is
// none. If in is set, two capital letters are a place, unless the question mentions the measure.
func (r *reader) sequence(i int, in bool) (s Stated, n int) {
	for at := i; at < len(r.toks); {
		t := &r.toks[at]
		if fillers[t.low] && at > i-1 && at+1 < len(r.toks) {
			if _, ok := listed().phrases[t.low+" "+r.toks[at+1].low]; !ok {
				at++
				continue
			}
		}
		u, k := r.at(at)
		if u == nil && in && at == i {
			u, k = r.behindIn(at)
		}
		if u == nil ||
			in && k == 1 && len(t.raw) == 2 && strings.ToUpper(t.raw) == t.raw && strings.ToLower(t.raw) != t.raw &&
				!r.soft[u.Measure] {
			break
		}
		switch {
		case u.Measure == Count && s.Scale == nil:
			s.Scale = u
		case s.Unit == nil && u.Measure != Count:
			s.Unit = u
		default:
			return s, n
		}
		at += k
		n = at - i
		if at < len(r.toks) && (r.toks[at].before == '/' || r.toks[at].low == "per" && at+1 < len(r.toks)) {
			if r.toks[at].low == "per" {
				at++
			}
			if d := r.denominator(at); d != nil {
				s.Per = d
				s = s.joined()
				n = at + 1 - i
			}
			break
		}
	}
	return s, n
}

// behindIn returns the unit that an ambiguous spelling at position i means if the question mentions its measure, and
// its number of tokens; nil and 0 otherwise.
func (r *reader) behindIn(i int) (*Unit, int) {
	for _, sp := range listed().vocabulary[r.toks[i].low] {
		if r.speaks(sp.unit.Measure, i) {
			return sp.unit, 1
		}
	}
	return nil, 0
}

// shares reports whether the text has a word for a share that is not next to a word of notShares. In heart rate, rate
// is next to one.
func (r *reader) shares() bool {
	for i := range r.toks {
		beside := func(k int) bool { return k >= 0 && k < len(r.toks) && r.toks[k].word != nil && r.toks[k].word.notShare }
		if w := r.toks[i].word; w != nil && w.share && !beside(i-1) && !beside(i+1) {
			return true
		}
	}
	return false
}

// Expected returns the unit of gold's numbers according to the question, if gold states none: a requested unit of the
// same measure as other. ok is false if there is none, or if the question also requests other's unit.
func (q *Question) Expected(other Stated) (s Stated, ok bool) {
	for i := range q.Asked {
		switch how, _ := Compare(q.Asked[i], other); how {
		case Same:
			return Stated{}, false
		case Converted:
			s, ok = q.Asked[i], true
		case Other:
			if a := &q.Asked[i]; a.Unit != nil && other.Unit != nil && a.Unit.Measure == other.Unit.Measure && !ok {
				s, ok = q.Asked[i], true
			}
		}
	}
	return s, ok
}

// Asks reports whether the question asks for numbers in the unit s.
func (q *Question) Asks(s Stated) bool {
	for i := range q.Asked {
		if how, _ := Compare(q.Asked[i], s); how == Same {
			return true
		}
	}
	return false
}
