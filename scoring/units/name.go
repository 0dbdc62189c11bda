package units

import (
	"math/big"
	"slices"
	"strings"
	"unicode"
)

// token is a word, a number or a sign in a name or other text.
type token struct {
	raw, low string
	word     *word // its entry in lexicon, or nil
	number   bool
	bracket  bool // it is in brackets
	before   rune // the separator from the previous token, or 0
}

// tokens appends the tokens of a name or other text to out. Signs such as % are separate tokens, but not in US$, °C and
// m². A number ends before a letter: 100k.
func tokens(out []token, s string) []token {
	depth, start := 0, -1
	var sep, first rune // first of the token that is being read
	flush := func(end int) {
		if start >= 0 {
			out = appendToken(out, s[start:end], depth > 0, sep)
			start, sep = -1, 0
		}
	}
	begin := func(i int, r rune) { start, first = i, r }
	for i, r := range s {
		switch {
		case unicode.IsDigit(r), unicode.IsLetter(r), r == '²', r == '³':
			if start >= 0 && unicode.IsDigit(first) && !unicode.IsDigit(r) {
				flush(i)
			}
			if start < 0 {
				begin(i, r)
			}
		case r == '$' && start >= 0 && i-start <= 2 && !unicode.IsDigit(first):
			flush(i + 1)
		case strings.ContainsRune(signs, r):
			flush(i)
			begin(i, r)
			if r != '°' {
				flush(i + len(string(r)))
			}
		default:
			flush(i)
			switch r {
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				depth = max(0, depth-1)
			}
			if r != ' ' || sep == 0 {
				sep = r
			}
		}
	}
	flush(len(s))
	return out
}

const signs = "$€£¥₹₩₽₺₫₪₱฿₦₴₵₸৳%‰‱°"

// appendToken appends a token, split into several if it is several words written as one, such as priceUsd.
func appendToken(out []token, s string, bracket bool, before rune) []token {
	add := func(s string, before rune) {
		low := strings.ToLower(s)
		out = append(out,
			token{raw: s, low: low, word: listed().lexicon[low], number: low[0] >= '0' && low[0] <= '9', bracket: bracket,
				before: before})
	}
	low := strings.ToLower(s)
	if _, known := listed().symbols[s]; low == s || known || len(listed().vocabulary[low]) > 0 {
		add(s, before)
		return out
	}
	for _, w := range camel(s) {
		add(w, before)
		before = 0
	}
	return out
}

// camel splits a word before each capital letter that follows a small letter.
func camel(s string) (parts []string) {
	from, small := 0, false
	for i, r := range s {
		if unicode.IsUpper(r) && small {
			parts = append(parts, s[from:i])
			from = i
		}
		small = unicode.IsLower(r)
	}
	return append(parts, s[from:])
}

// periods maps words for rates per time to the unit of time.
var periods = map[string]string{
	"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "quarterly": "quarter", "yearly": "year",
	"annual": "year", "annually": "year", "annualized": "year", "annualised": "year", "mrr": "month", "arr": "year",
}

// reader finds units in the tokens of a name or other text.
type reader struct {
	toks []token
	soft map[Measure]bool // the measures that the context, such as the question, mentions
	text bool             // the tokens are of a question, in which a unit may be anywhere, and not of a name
}

// InName returns the unit that the name of a column states. context, which may be nil, is the question; it resolves
// ambiguous spellings. If a name states two units of the same measure, the unit is unknown.
func InName(name string, context *Question) Stated {
	if name == "" {
		return Stated{}
	}
	var room [8]token
	r := reader{toks: tokens(room[:0], name)}
	if !r.known() {
		return Stated{}
	}
	if context != nil {
		r.soft = context.soft
	}
	return r.name()
}

// Mentions reports whether a name may state a unit, a share or a rate. If it is false, InName returns the zero value,
// so that this faster check can be made first.
func Mentions(name string) bool {
	start, camel := -1, false
	states := func(end int) bool {
		if start < 0 {
			return false
		}
		w := name[start:end]
		start = -1
		if camel {
			return true // it may be several words
		}
		known := listed().lexicon[strings.ToLower(w)]
		return known != nil && known.states()
	}
	var last rune
	for i, r := range name {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if start < 0 {
				start, camel = i, false
			} else if unicode.IsUpper(r) && unicode.IsLower(last) || unicode.IsDigit(last) && !unicode.IsDigit(r) {
				camel = true
			}
		case r == '/' || strings.ContainsRune(signs+"²³", r) || states(i):
			return true
		default:
			start = -1
		}
		last = r
	}
	return states(len(name))
}

// known reports whether a token may state a unit, a share or a rate.
func (r *reader) known() bool {
	for i := range r.toks {
		if w := r.toks[i].word; w != nil && w.states() || r.toks[i].before == '/' {
			return true
		}
	}
	return false
}

// speaks reports whether a token other than that at but is used with the measure m, or the context mentions m.
func (r *reader) speaks(m Measure, but int) bool {
	for i := range r.toks {
		if i == but || r.toks[i].word == nil {
			continue
		}
		if slices.Contains(r.toks[i].word.speaks, m) || m == Money && r.money(i) {
			return true
		}
	}
	return r.soft[m] && (r.text || len(r.toks) > 1)
}

// at returns the unit at position i, nil if there is none, and its number of tokens.
func (r *reader) at(i int) (u *Unit, n int) {
	t := &r.toks[i]
	if t.word == nil || !t.word.spells {
		return nil, 1
	}
	if i+1 < len(r.toks) {
		if w, ok := listed().phrases[t.low+" "+r.toks[i+1].low]; ok {
			if u := r.of(token{raw: w, low: w, bracket: t.bracket, before: t.before}, i, i+2); u != nil {
				return u, 2
			}
		}
	}
	return r.of(*t, i, i+1), 1
}

// of returns the unit of token t at position i, or nil; the following token is at next. An ambiguous spelling is a unit
// only if the name or the context mentions its measure.
func (r *reader) of(t token, i, next int) *Unit {
	if u, ok := listed().symbols[t.raw]; ok && t.raw != t.low && strings.ToUpper(t.raw) != t.raw {
		return u // kWh, mW, MiB
	}
	ends := next == len(r.toks) || r.toks[next].low == "per" || r.toks[next].before == '/' || t.bracket
	for _, sp := range listed().vocabulary[t.low] { // k_usd, eur m, revenue_mm
		if sp.doubt && sp.unit.Measure == Count &&
			(i > 0 && r.money(i-1) || next < len(r.toks) && r.money(next) || ends && r.hard(Money, i)) {
			return sp.unit
		}
	}
	for _, sp := range listed().vocabulary[t.low] {
		if !sp.doubt {
			if sp.unit.Measure == Duration && r.bounded(i) {
				return nil
			}
			return sp.unit
		}
	}
	for _, sp := range listed().vocabulary[t.low] {
		switch m := sp.unit.Measure; {
		case next < len(r.toks) && r.toks[next].before == '/' && (m == Length || m == Mass || m == Volume): // m/s
			return sp.unit
		case !ends && !(m == Money && r.text):
		case m == Count:
			if r.speaks(Money, i) || r.speaks(Count, i) && t.low != "b" && t.low != "m" && t.low != "mm" {
				return sp.unit
			}
		case r.speaks(m, i):
			return sp.unit
		}
	}
	if u, ok := listed().singulars[t.low]; ok && ends && i > 0 && u.Measure == Duration && !r.bounded(i) &&
		r.hard(Duration, i) {
		return u // duration_hour
	}
	return nil
}

// hard is speaks without the context.
func (r *reader) hard(m Measure, but int) bool {
	soft := r.soft
	r.soft = nil
	defer func() { r.soft = soft }()
	return r.speaks(m, but)
}

// money reports whether the token at position i is an unambiguous currency.
func (r *reader) money(i int) bool {
	for _, sp := range listed().vocabulary[r.toks[i].low] {
		if sp.unit.Measure == Money && !sp.doubt {
			return true
		}
	}
	return false
}

// bounds are words before a time that is a limit and not a unit, as in the last 12 months.
var bounds = setOf("last past next first previous prior recent trailing rolling within over under after before older younger coming every")

// bounded reports whether a time at position i follows a number or a word of bounds, so that it is not a unit.
func (r *reader) bounded(i int) bool {
	return i > 0 && (r.toks[i-1].number || bounds[r.toks[i-1].low])
}

// name returns the unit that the tokens of a name state.
func (r *reader) name() (s Stated) {
	several := false
	take := func(u *Unit) {
		switch {
		case u.Measure == Count:
			if s.Scale == nil {
				s.Scale = u
			}
		case s.Unit == nil || s.Unit.Measure != Share && u.Measure == Share:
			s.Unit = u
		case s.Unit == u || s.Unit.Measure == Share ||
			s.Unit.Measure == Money && u.Measure == Money && (s.Unit.Base == "" || u.Base == ""):
			if s.Unit.Measure == Money && u.Base == "" { // USD cents
				s.Unit = &Unit{Measure: Money, Symbol: s.Unit.Symbol + " " + u.Symbol, Base: s.Unit.Base, factor: u.factor}
			} else if s.Unit.Measure == Money && s.Unit.Base == "" {
				s.Unit = &Unit{Measure: Money, Symbol: u.Symbol + " " + s.Unit.Symbol, Base: u.Base, factor: s.Unit.factor}
			}
		case s.Unit.Measure == u.Measure:
			several = true
		default: // the unit of a name comes last: hr_cost_usd
			s.Unit = u
		}
	}
	sport, rate, no := false, false, false
	for i := 0; i < len(r.toks); {
		t := &r.toks[i]
		if t.low == "per" && i > 0 && i+1 < len(r.toks) || t.before == '/' && i > 0 {
			if t.low == "per" && i+1 < len(r.toks) && (r.toks[i+1].low == "cent" || r.toks[i+1].low == "mille") {
				u, n := r.at(i)
				if u != nil {
					take(u)
				}
				i += n
				continue
			}
			if t.low == "per" {
				i++
			}
			i = r.per(&s, i)
			continue
		}
		if w := t.word; w != nil && w.per != nil && s.Per == nil {
			s.Per = w.per
			i++
			continue
		}
		u, n := r.at(i)
		if u != nil {
			take(u)
		}
		if w := t.word; w != nil {
			rate, no = rate || w.share, no || w.notShare
			sport = sport || w.sport && len(r.toks) > 1
		}
		i += n
	}
	s.Share = rate && !no
	if several {
		s.Unit, s.Scale = nil, nil
	}
	if sport && s.Percent() {
		s.Unit, s.Share = nil, true
	}
	return s.joined()
}

// per sets the denominator of a rate from position i, after per or a slash, and returns the position after it.
func (r *reader) per(s *Stated, i int) int {
	if i >= len(r.toks) {
		return i
	}
	t := &r.toks[i]
	if t.number {
		n, ok := new(big.Rat).SetString(t.low)
		if !ok {
			n = new(big.Rat).Set(one)
			digits := strings.TrimRight(t.low, "k")
			if v, ok := new(big.Rat).SetString(digits); ok {
				n = v
				for range len(t.low) - len(digits) {
					n.Mul(n, big.NewRat(1000, 1))
				}
			}
		}
		i++
		for i < len(r.toks) &&
			(r.toks[i].low == "k" || r.toks[i].low == "000" || r.toks[i].low == "thousand" || r.toks[i].low == "m" ||
				r.toks[i].low == "million") {
			by := int64(1000)
			if w := r.toks[i].low; w == "m" || w == "million" {
				by = 1000000
			}
			n.Mul(n, big.NewRat(by, 1))
			i++
		}
		if i < len(r.toks) && !r.toks[i].number {
			if u := r.denominator(i); u != nil && u.Measure != Duration {
				s.Per = &Unit{Measure: u.Measure, Symbol: n.RatString() + " " + u.Symbol, Base: u.Base,
					factor: new(big.Rat).Mul(n, u.factor)}
				return i + 1
			}
		}
		s.Per = &Unit{Measure: Count, Symbol: n.RatString(), factor: n}
		return i
	}
	if u := r.denominator(i); u != nil {
		s.Per = u
		return i + 1
	}
	s.PerThing = true
	return i + 1
}

// denominator returns the unit at position i after per, or nil.
func (r *reader) denominator(i int) *Unit {
	t := &r.toks[i]
	if u, ok := listed().singulars[t.low]; ok {
		return u
	}
	if u, ok := listed().symbols[t.raw]; ok {
		return u
	}
	for _, sp := range listed().vocabulary[t.low] {
		return sp.unit
	}
	return nil
}

// rates are the measures of rates that have units of their measure, by numerator and denominator.
var rates = map[[2]Measure]Measure{{Length, Duration}: Speed, {Data, Duration}: Throughput,
	{Length, Volume}: FuelEconomy}

// joined converts a unit and a denominator to a unit of the rate, such as km and hour to km/h, if rates has it.
func (s Stated) joined() Stated {
	if s.Unit == nil || s.Per == nil {
		return s
	}
	if m, ok := rates[[2]Measure{s.Unit.Measure, s.Per.Measure}]; ok && s.Unit.Base == s.Per.Base {
		s.Unit, s.Per = &Unit{Measure: m, Symbol: s.Unit.Symbol + "/" + s.Per.Symbol,
			factor: new(big.Rat).Quo(s.Unit.factor, s.Per.factor)}, nil
	}
	return s
}
