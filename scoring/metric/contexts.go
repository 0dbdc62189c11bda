package metric

import (
	"bytes"
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring/naming"
)

// Limits of the passages of an answer.
const (
	maxContextBytes = 4 << 20
	maxPassages     = 1000
	maxStatements   = 500
	maxFigures      = 2000 // of one passage or statement
)

// passage is a retrieved text.
type passage struct {
	id, title, source string
	norm              string // its words, with single blanks
	sentences         []passageSentence
}

type passageSentence struct {
	text    string
	stems   map[string]bool
	figures []textFigure
}

// textFigure is a number in a text, with the words around it.
type textFigure struct {
	text     string
	number   statedNumber
	share    string // percent, permille, basis, or ""
	currency string
	unit     string // the word after it
}

// readPassages parses the passages of an answer: a list of strings, or of objects with a text.
func readPassages(raw json.RawMessage) ([]passage, error) {
	if len(raw) > maxContextBytes {
		return nil, errcode.New(errcode.ResourceExhausted, "contexts has %d bytes, expected at most %d", len(raw), maxContextBytes)
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil, errcode.New(errcode.InvalidArgument, `contexts: expected a JSON list of {"id", "text"} or of strings`)
	}
	if len(list) > maxPassages {
		return nil, errcode.New(errcode.ResourceExhausted, "contexts has %d passages, expected at most %d", len(list), maxPassages)
	}
	out := make([]passage, len(list))
	for i, one := range list {
		var o struct {
			ID     json.RawMessage `json:"id"` // a string or a number
			Text   *string         `json:"text"`
			Page   *string         `json:"page_content"`
			Body   *string         `json:"content"`
			Title  string          `json:"title"`
			Source string          `json:"source"`
		}
		if one = bytes.TrimSpace(one); len(one) > 0 && one[0] == '"' {
			o.Text = new(string)
			_ = json.Unmarshal(one, o.Text) // it is a string
		} else if json.Unmarshal(one, &o) != nil {
			return nil, errcode.New(errcode.InvalidArgument, `contexts[%d]: expected {"id", "text", "title", "source"} or a string`, i)
		}
		for _, other := range []*string{o.Page, o.Body} {
			if o.Text == nil {
				o.Text = other
			}
		}
		if o.Text == nil {
			return nil, errcode.New(errcode.InvalidArgument, "contexts[%d]: text is missing", i)
		}
		out[i] = passage{id: strings.Trim(string(o.ID), `" `), title: o.Title, source: o.Source, norm: normWords(*o.Text)}
		for _, s := range sentencesOf(*o.Text) {
			out[i].sentences = append(out[i].sentences, passageSentence{s, stems(s), figuresOf(s)})
		}
	}
	return out, nil
}

// normWords returns the words of a text in lower case, with a blank on either side of each.
func normWords(text string) string { return " " + strings.Join(words(plainDigits(text)), " ") + " " }

var (
	sentenceEnd = regexp.MustCompile(`[.!?;。！？]+["”»']*(?:\s*(?:\[[^\[\]\n]{1,80}\]|【[^【】\n]{1,80}】))*(?:\s+|$)|[。！？]|\n+`)
	listMarker  = regexp.MustCompile(`(?m)^\s*(?:[-*•#]+|\d{1,2}[.)])\s+`)
	bracketed   = regexp.MustCompile(`\[\^?([^\[\]\n]{1,80})\](\(?)|【([^【】\n]{1,80})】|\((?i:sources?|see|refs?|according to):?\s+([^()\n]{1,120})\)`)
	likeAnID    = regexp.MustCompile(`^(?i)[a-z]{1,12}[-_ #:]?\d{1,6}$`)
	quotation   = regexp.MustCompile(`“([^“”]{3,600})”|"([^"]{3,600})"|«([^«»]{3,600})»|„([^„“]{3,600})“`)
)

// sentencesOf splits a text into sentences. Citations after a full stop belong to the sentence before it.
func sentencesOf(text string) (out []string) {
	text = listMarker.ReplaceAllString(text, "")
	at := 0
	for _, m := range sentenceEnd.FindAllStringIndex(text, -1) {
		if s := strings.TrimSpace(text[at:m[1]]); s != "" {
			out = append(out, s)
		}
		at = m[1]
	}
	if s := strings.TrimSpace(text[at:]); s != "" {
		out = append(out, s)
	}
	return out
}

// figuresOf returns the numbers in a text, except those that are part of a word, such as a code.
func figuresOf(text string) (out []textFigure) {
	text = plainDigits(text)
	found := numbersInText.FindAllStringIndex(text, maxFigures)
	for i, m := range found {
		if r, _ := utf8.DecodeLastRuneInString(text[:m[0]]); unicode.IsLetter(r) && r < unicode.MaxLatin1 {
			continue
		}
		from, to := 0, len(text)
		if i > 0 {
			from = found[i-1][1]
		}
		if i+1 < len(found) {
			to = found[i+1][0]
		}
		for m[0]-from > 24 {
			_, size := utf8.DecodeRuneInString(text[from:])
			from += size
		}
		for to-m[1] > 32 {
			_, size := utf8.DecodeLastRuneInString(text[:to])
			to -= size
		}
		before, after := text[from:m[0]], text[m[1]:to]
		n, ok := parseStated(before + text[m[0]:m[1]] + after)
		if !ok {
			continue
		}
		n.prepare(nil)
		u := unitAfter(after)
		f := textFigure{text: strings.TrimSpace(text[m[0]:m[1]]), number: n, share: u.share}
		if r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(before, " ")); unicode.Is(unicode.Sc, r) {
			f.currency = string(r)
		}
		if next := words(u.rest); len(next) > 0 && len(u.rest) > 0 {
			f.unit = next[0]
		}
		out = append(out, f)
	}
	return out
}

// is reports whether a number in a passage is the figure of a response: equal, or the figure is it when rounded, in
// the same unit.
func (f *textFigure) is(other *textFigure) bool {
	if !f.sameKind(other) {
		return false
	}
	for i := range other.number.readings {
		v := other.number.readings[i].value
		if other.number.sign == negative {
			v = new(big.Rat).Neg(v)
		}
		size, _ := v.Float64()
		if f.number.matches(size, func() []*big.Rat { return []*big.Rat{v} }, false) >= matchOpen {
			return true
		}
	}
	return false
}

// sameKind reports whether two figures may be of one measure: both are shares or neither, and in one currency.
func (f *textFigure) sameKind(other *textFigure) bool {
	return f.share == other.share && (f.currency == "" || other.currency == "" || f.currency == other.currency)
}

// statement is a sentence of a response that claims something.
type statement struct {
	text     string // without citations
	cites    []int  // positions of passages
	unknown  []string
	cited    bool
	quotes   []string
	figures  []textFigure
	stems    map[string]bool
	negative bool
}

// statementsOf returns the statements of a response: its sentences that have a figure, a quotation, a citation or at
// least four words, and are not questions.
func statementsOf(response string, passages []passage) (out []statement) {
	for _, s := range sentencesOf(response) {
		st := statement{}
		st.text = strings.TrimSpace(st.takeCitations(s, passages))
		for _, m := range quotation.FindAllStringSubmatch(st.text, 50) {
			if q := strings.Join(m[1:], ""); len(words(q)) >= 3 {
				st.quotes = append(st.quotes, q)
			}
		}
		plain := st.text
		for _, q := range st.quotes {
			plain = strings.Replace(plain, q, " ", 1)
		}
		st.figures, st.stems, st.negative = figuresOf(plain), stems(plain), denies(plain)
		switch {
		case len(st.figures) == 0 && len(st.quotes) == 0 &&
			(strings.HasSuffix(st.text, "?") || !st.cited && len(st.stems) < 4):
		case len(out) < maxStatements && len(words(st.text)) > 0:
			out = append(out, st)
		}
	}
	return out
}

// takeCitations removes the citations from a sentence and resolves them.
func (st *statement) takeCitations(s string, passages []passage) string {
	return bracketed.ReplaceAllStringFunc(s, func(found string) string {
		m := bracketed.FindStringSubmatch(found)
		if m[2] != "" { // a link
			return found
		}
		inner, named := m[1]+m[3]+m[4], m[4] != ""
		inner, _, _ = strings.Cut(inner, "†")
		var refs []string
		if k := resolvePassage(inner, passages); k >= 0 {
			refs = []string{inner}
		} else {
			refs = strings.FieldsFunc(inner, func(r rune) bool { return r == ',' || r == ';' })
		}
		is := false
		for _, ref := range refs {
			ref = strings.TrimSpace(ref)
			_, err := strconv.Atoi(ref)
			k := resolvePassage(ref, passages)
			if k < 0 && err != nil && !named && !likeAnID.MatchString(ref) {
				continue
			}
			is = true
			if k < 0 {
				st.unknown = append(st.unknown, ref)
			} else if !slices.Contains(st.cites, k) {
				st.cites = append(st.cites, k)
			}
		}
		if !is {
			return found
		}
		st.cited = true
		return ""
	})
}

// resolvePassage returns the passage that a citation names, by its id, its title, its source or its number from 1; −1
// if there is none.
func resolvePassage(ref string, passages []passage) int {
	ref = strings.TrimSpace(ref)
	for _, name := range []func(p passage) string{func(p passage) string { return p.id },
		func(p passage) string { return p.title }, func(p passage) string { return p.source }} {
		if k := slices.IndexFunc(passages, func(p passage) bool {
			return name(p) != "" &&
				strings.EqualFold(name(p), ref)
		}); k >= 0 {
			return k
		}
	}
	if n, err := strconv.Atoi(ref); err == nil && n >= 1 && n <= len(passages) {
		return n - 1
	}
	return -1
}

var denials = regexp.MustCompile(`(?i)\b(?:not|no|never|none|neither|without|cannot)\b|n['’]t\b`)

// denies reports whether a sentence has an odd number of negations.
func denies(text string) bool { return len(denials.FindAllString(text, -1))%2 == 1 }

// trends are the prefixes of words for a rise and for a fall.
var trends = [2][]string{{"rose", "rise", "risi", "incr", "grew", "grow", "gain", "clim", "high"},
	{"fell", "fall", "decr", "drop", "decl", "shra", "shri", "lost", "lowe"}}

func trendOf(stems map[string]bool) int {
	trend := 0
	for k, list := range trends {
		if slices.ContainsFunc(list, func(w string) bool { return stems[w] }) {
			trend += 1 - 2*k
		}
	}
	return trend
}

// near returns the share of a statement's words that a sentence of a passage has. contrary reports that the sentence
// says the opposite by its words; open reports that it may be about something else: a name is missing, or one of the
// two is negated.
func (st *statement) near(s *passageSentence) (share float64, contrary, open bool) {
	if len(st.stems) == 0 {
		return 1, false, false
	}
	n := 0
	var missing []string
	for w := range st.stems {
		if s.stems[w] {
			n++
		} else {
			missing = append(missing, w)
		}
	}
	share = float64(n) / float64(len(st.stems))
	if a, b := trendOf(st.stems), trendOf(s.stems); a*b < 0 {
		return share, true, false
	}
	for i, w := range strings.Fields(st.text) {
		w = strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) })
		r := []rune(strings.ToLower(w))
		if len(r) < stemLength || !slices.Contains(missing, string(r[:stemLength])) {
			continue
		}
		if first, _ := utf8.DecodeRuneInString(w); i > 0 && unicode.IsUpper(first) {
			open = true
		}
		a := naming.Read(string(r))
		for _, other := range words(s.text) {
			if o := []rune(other); len(o) >= stemLength && !st.stems[string(o[:stemLength])] && a.Opposes(naming.Read(other)) {
				return share, true, false
			}
		}
	}
	return share, false, open || st.negative != denies(s.text)
}
