package naming

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/badger-eval/badger/internal/lazyregexp"
)

// Name is a parsed name of a column, or a parsed label.
type Name struct {
	bare    string   // without case and punctuation
	tokens  []string // words and numbers as written, in lower case
	plain   []string // the words of [Canonical]
	words   []word
	numbers []number
	place   bool // it states only the position of a column, see [Positional]
	// the root of the word after "no" or "missing" at the start of the name, else "": no_visa may deny has_visa, or be
	// a number of visas
	no   string
	owns bool // it starts with a word of owning, such as has
}

type word struct {
	text    string // in lower case
	phrase  string // the phrase of the lexicon that it starts, such as on_time; "" if none
	root    string
	senses  []sense
	negated bool   // "not" or a similar word precedes it
	denies  string // the root of the word that it negates: uninsured negates insured
	covered bool   // it is part of a phrase of the lexicon
	slight  bool   // it is a preposition, which has a meaning only on an axis
}

// number is a number in a name, such as 2023 in revenue_2023, and its unit, such as year, quarter or week; "" if the
// unit is unknown.
type number struct{ unit, value string }

// positional matches names that engines give to columns without a name.
var positional = lazyregexp.New(
	`^(_?(c|col|column|f|expr|field|var|unnamed|_c)?[_$: ]*\d{0,3}_?|(col|column|expr|field|var)[_$: ]+[a-z]|\?column\?)$`)

// Positional reports whether a name states only the position of its column, as col_1 does.
func Positional(name string) bool {
	name = strings.ToLower(strings.TrimSpace(name))
	return positional.MatchString(name) && (len(name) != 1 || name == "_")
}

// maxRead is the maximum number of parsed names in the cache; names of more than longName bytes are not cached.
const (
	maxRead  = 4096
	longName = 128
)

var names = struct {
	sync.RWMutex
	read map[string]*Name
}{read: map[string]*Name{}}

// Read returns the parsed name. It is safe for concurrent use. The caller must not change the result.
func Read(name string) *Name {
	if len(name) > longName {
		return read(name)
	}
	names.RLock()
	n := names.read[name]
	names.RUnlock()
	if n != nil {
		return n
	}
	n = read(name)
	names.Lock()
	defer names.Unlock()
	if len(names.read) >= maxRead {
		clear(names.read)
	}
	names.read[strings.Clone(name)] = n
	return n
}

func read(name string) *Name {
	name = unqualified(name)
	n := &Name{bare: Bare(name)}
	if Positional(name) {
		n.place = true
		return n
	}
	tokens := tokens(name)
	n.tokens = tokens
	n.plain = Canonical(make([]string, 0, len(tokens)), name)
	if len(tokens) > 1 && (tokens[0] == "no" || tokens[0] == "missing") && tokens[1] != "of" {
		n.no = root(tokens[1])
	}
	n.owns = len(tokens) > 1 && owning[tokens[0]]
	n.readNumbers(tokens)
	n.readWords(tokens)
	return n
}

// unqualified returns a name without any part before a double underscore or a point.
func unqualified(name string) string {
	if i := strings.LastIndex(name, "__"); i > 0 && i+2 < len(name) {
		name = name[i+2:]
	}
	if i := strings.LastIndexByte(name, '.'); i > 0 && i+1 < len(name) && !strings.ContainsAny(name, "( ") {
		name = name[i+1:]
	}
	return name
}

// Bare returns s in lower case with only its letters and digits.
func Bare(s string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s))
}

// canonical returns the common synonym of a word if synonyms has one, else the word without the ending of its plural.
func canonical(w string) string {
	if s, ok := synonyms[w]; ok {
		return s
	}
	if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
		return w[:len(w)-1]
	}
	return w
}

// Owns reports whether the name starts with "has", "is" or a similar word, like the name of a flag.
func (n *Name) Owns() bool { return n.owns }

// Words returns the words of the name in the form of [Canonical]. The caller must not change them.
func (n *Name) Words() []string { return n.plain }

// Tokens returns the words and numbers of the name as written, in lower case; y2019 is y and 2019. The caller must not
// change them.
func (n *Name) Tokens() []string { return n.tokens }

// Meaningful reports whether the name has letters or digits and is more than the position of a column, such as col_1.
func (n *Name) Meaningful() bool { return !n.place && n.bare != "" }

// mixed are words with digits that are not split.
var mixed = wordSet(
	"co2 no2 so2 h2o o2 o3 n2o ch4 pm10 pm25 b2b b2c c2c p2p md5 sha1 sha256 utf8 ipv4 ipv6 mp3 mp4 3d 2d 4g 5g covid19")

// tokens returns the words of a name in lower case, split between letters and digits: q1 becomes q and 1. Ordinals such
// as 1st and words of mixed are not split.
func tokens(name string) []string {
	var out []string
	for _, w := range Words(strings.ReplaceAll(name, "%", " percent ")) {
		if mixed[w] || ordinal(w) != "" || words().senses[w] != nil {
			out = append(out, w)
			continue
		}
		start := 0
		for i, r := range w {
			if i > start && unicode.IsDigit(r) != unicode.IsDigit(rune(w[start])) {
				out = append(out, w[start:i])
				start = i
			}
		}
		out = append(out, w[start:])
	}
	return out
}

// owning are first words of names of columns that hold truth values.
var owning = wordSet("has have had with any is are")

// negations are words that negate the word after them.
var negations = wordSet("not non isnt arent wasnt werent hasnt havent hadnt doesnt dont didnt cant cannot wont never without lacks lack lacking sans violates violate violating breaks breaching breaches infringes infringing")

// ills are things whose absence is good, so that "free" after them negates them: defect_free denies defects, but
// rooms_free is the number of free rooms.
var ills = wordSet("accident alcohol allergen bug cancer carbon conflict damage debt defect disease drug dust error fault fever flaw fraud frost germ gluten ice infection lactose leak noise pain parasite pest poison pollution risk rust smoke spam sugar symptom toxin virus weed")

// prepositions are prepositions with a meaning on an axis at the start or end of a name, but not inside: in_count is
// not out_count, and amount_in_usd has no direction.
var prepositions = wordSet("in to from for on off no by at out against")

// spans are words that are not opposites if a number follows, as in last_30_days.
var spans = wordSet("last past previous prior next first trailing")

func (n *Name) readWords(tokens []string) {
	l := words()
	negated := false
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if isNumber(t) || MonthNumber(t) != "" || weekday(t) != "" {
			continue
		}
		if count, senses := l.phrase(tokens[i:]); count > 0 {
			for k := range count {
				w := word{text: tokens[i+k], root: root(tokens[i+k]), covered: true}
				if k == 0 {
					w.senses, w.negated, w.phrase = senses, negated, strings.Join(tokens[i:i+count], "_")
				}
				n.words = append(n.words, w)
			}
			i += count - 1
			negated = false
			continue
		}
		if negations[t] && i+1 < len(tokens) {
			negated = !negated
			if senses := l.of(t); senses != nil {
				n.words = append(n.words, word{text: t, root: root(t), senses: senses})
			}
			continue
		}
		if t == "free" && i+2 < len(tokens) && tokens[i+1] == "of" {
			negated = !negated
			i++
			continue
		}
		if ills[Stem(t)] && i+1 < len(tokens) && tokens[i+1] == "free" {
			n.words = append(n.words, word{text: t, root: root(t), negated: !negated, senses: l.of(t)})
			negated = false
			i++
			continue
		}
		edge := i == 0 || i == len(tokens)-1
		if (fillers[t] || helpers[t]) && !(edge && prepositions[t]) {
			continue
		}
		w := word{text: t, root: root(t), negated: negated, slight: prepositions[t]}
		if edge || !prepositions[t] {
			w.senses = l.of(t)
		}
		if spans[t] && i+1 < len(tokens) && isNumber(tokens[i+1]) {
			w.senses = nil
		}
		if w.senses == nil {
			w.denies = denied(t)
		}
		negated = false
		n.words = append(n.words, w)
	}
}

// adjectives are words that the prefixes in, im, ir, il, dis, de, a and mis negate. The prefixes un and non negate any
// word.
var adjectives = wordSet("active valid complete correct eligible accurate visible sufficient dependent direct effective efficient elastic experienced organic secure soluble frequent adequate appropriate consistent " +
	"capable convenient definite divisible edible equal excusable finite formal human possible perfect mature mobile proper balanced polite material permeable regular relevant responsible reversible rational " +
	"legal legible licit literate logical approved able abled agree agreed qualified satisfied enrolled allowed similar honest connected continued continuous assembled engaged infected integrated interested " +
	"loyal obedient organized proven respectful trust advantaged activated registered listed commissioned funded centralized typical symptomatic moral social sexual theist synchronous matched classified labeled spelled")

// denied returns the root of the word that w negates by its prefix or the ending less; "" if it does not.
func denied(w string) string {
	if base, ok := strings.CutSuffix(w, "less"); ok && len(base) > 3 && base != "regard" && base != "never" {
		return root(base)
	}
	for _, p := range []string{"un", "non", "in", "im", "ir", "il", "dis", "de", "mis", "a"} {
		base, ok := strings.CutPrefix(w, p)
		if !ok || len(base) < 3 {
			continue
		}
		any := p == "un" || p == "non"
		if any && (len(base) > 3 || base == "met" || base == "fit") && !strings.HasPrefix(w, "uni") &&
			!strings.HasPrefix(w, "under") || adjectives[base] {
			return root(base)
		}
	}
	return ""
}

func isNumber(t string) bool {
	return t != "" && t[0] >= '0' && t[0] <= '9' && !strings.ContainsFunc(t, unicode.IsLetter)
}

// ordinals maps ordinal and cardinal numbers written as words to digits.
var ordinals = map[string]string{
	"first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5", "sixth": "6", "seventh": "7", "eighth": "8",
	"ninth": "9", "tenth": "10",
	"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
	"ten": "10",
}

// ordinal returns the digits for a word of ordinals or such as 1st; "" for other words.
func ordinal(w string) string {
	if o := ordinals[w]; o != "" {
		return o
	}
	for _, ending := range []string{"st", "nd", "rd", "th"} {
		if d, ok := strings.CutSuffix(w, ending); ok && isNumber(d) {
			return strings.TrimLeft(d, "0")
		}
	}
	return ""
}

// units maps words next to a number to the unit of the number.
var units = map[string]string{
	"q": "quarter", "quarter": "quarter", "qtr": "quarter", "w": "week", "wk": "week", "week": "week", "month": "month",
	"m": "month", "y": "year", "yr": "year", "year": "year", "fy": "year", "cy": "year",
	"h": "half", "half": "half", "hy": "half", "semester": "half", "p": "percentile", "pct": "percentile",
	"percentile": "percentile", "d": "day", "day": "day",
}

func (n *Name) readNumbers(tokens []string) {
	for i, t := range tokens {
		switch {
		case isNumber(t):
			v := strings.TrimLeft(t, "0")
			if v == "" {
				v = "0"
			}
			of := number{value: v}
			switch {
			case i > 0 && units[tokens[i-1]] != "":
				of.unit = units[tokens[i-1]]
			case i+1 < len(tokens) && tokens[i+1] == "q":
				of.unit = "quarter"
			case len(t) == 4 && v >= "1800" && v <= "2199":
				of.unit = "year"
			case len(n.numbers) == 1 && n.numbers[0].unit == "year" && len(t) == 2 && v <= "12":
				of.unit = "month" // 2024-03, …
			case len(n.numbers) == 2 && n.numbers[1].unit == "month" && len(t) == 2:
				of.unit = "day" // … and 2024-03-01
			}
			n.numbers = append(n.numbers, of)
		case i+1 < len(tokens) && ordinal(t) != "" && len(tokens[i+1]) > 1 && units[Stem(tokens[i+1])] != "":
			n.numbers = append(n.numbers, number{units[Stem(tokens[i+1])], ordinal(t)})
		case i > 0 && ordinal(t) != "" && len(tokens[i-1]) > 1 && units[Stem(tokens[i-1])] != "":
			n.numbers = append(n.numbers, number{units[Stem(tokens[i-1])], ordinal(t)})
		default:
			if m := MonthNumber(t); m != "" {
				n.numbers = append(n.numbers, number{"month", m})
			} else if d := weekday(t); d != "" {
				n.numbers = append(n.numbers, number{"weekday", d})
			}
		}
	}
}

// Negated returns the parsed label for false in a column with the name n, such as not insured in a column "insured".
func (n *Name) Negated() *Name {
	m := &Name{bare: "not" + n.bare, tokens: append([]string{"not"}, n.tokens...), plain: n.plain, numbers: n.numbers,
		words: slices.Clone(n.words)}
	for i := range m.words {
		m.words[i].negated = !m.words[i].negated
	}
	m.words = append(m.words, Read("false").words...)
	return m
}
