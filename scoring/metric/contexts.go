package metric

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
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
	maxFigures      = 2000   // of a response
	maxAllFigures   = 20_000 // of all passages
	maxSentences    = 20_000
	maxSentence     = 4000      // bytes; longer ones, such as tables, are cut
	maxComparisons  = 4_000_000 // each about a microsecond
)

// passage is a retrieved text.
type passage struct {
	id, title, source string
	text              string
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
	sentences, figures := 0, 0
	for i, one := range list {
		p, text, err := readPassage(one, i)
		if err != nil {
			return nil, err
		}
		p.text, p.norm = text, normWords(text)
		list := sentencesOf(text)
		if sentences += len(list); sentences > maxSentences {
			return nil, errcode.New(errcode.ResourceExhausted, "contexts has more than %d sentences", maxSentences)
		}
		for _, s := range list {
			one := passageSentence{s, stems(s), figuresOf(s)}
			p.sentences = append(p.sentences, one)
			if figures += len(one.figures); figures > maxAllFigures {
				return nil, errcode.New(errcode.ResourceExhausted, "contexts has more than %d figures", maxAllFigures)
			}
		}
		out[i] = p
	}
	return out, nil
}

// passageMembers are the members of a passage in the spellings of common libraries.
type passageMembers struct {
	ID       json.RawMessage `json:"id"` // a string or a number
	NodeID   string          `json:"id_"`
	Text     *string         `json:"text"`
	Page     *string         `json:"page_content"`
	Content  *string         `json:"content"`
	Title    string          `json:"title"`
	Source   string          `json:"source"`
	Metadata json.RawMessage `json:"metadata"` // an object with a title and a source
	Meta     json.RawMessage `json:"meta"`
	Node     json.RawMessage `json:"node"` // the passage itself, next to its score
}

// readPassage parses a passage without its sentences.
func readPassage(raw json.RawMessage, i int) (p passage, text string, err error) {
	if raw = bytes.TrimSpace(raw); len(raw) > 0 && raw[0] == '"' {
		_ = json.Unmarshal(raw, &text) // it is a string
		return p, text, nil
	}
	var o passageMembers
	bad := errcode.New(errcode.InvalidArgument, `contexts[%d]: expected {"id", "text", "title", "source"} or a string`, i)
	if json.Unmarshal(raw, &o) != nil {
		return p, "", bad
	}
	if len(o.Node) > 0 && o.Text == nil && json.Unmarshal(o.Node, &o) != nil {
		return p, "", bad
	}
	for _, other := range []*string{o.Page, o.Content} {
		if o.Text == nil {
			o.Text = other
		}
	}
	if o.Text == nil {
		return p, "", errcode.New(errcode.InvalidArgument, "contexts[%d]: text is missing", i)
	}
	p = passage{id: cmp.Or(strings.Trim(string(o.ID), `" `), o.NodeID), title: o.Title, source: o.Source}
	for _, m := range []json.RawMessage{o.Metadata, o.Meta} {
		var about struct{ Title, Source string }
		if json.Unmarshal(m, &about) == nil { // members of other types are not compared
			p.title, p.source = cmp.Or(p.title, about.Title), cmp.Or(p.source, about.Source)
		}
	}
	return p, *o.Text, nil
}

// normWords returns the words of a text in lower case, with a blank on either side of each.
func normWords(text string) string { return " " + strings.Join(words(plainDigits(text)), " ") + " " }

var (
	sentenceEnd = regexp.MustCompile(`[.!?;。！？]+["”»']*(?:\s*(?:\[[^\[\]\n]{1,80}\]|【[^【】\n]{1,80}】))*(?:\s+|$)|[。！？]|\n+`)
	abbreviated = regexp.MustCompile(`\b(?i:(pp?|secs?|ch|no|nr|fig|vol|art|approx|ca|est))\.[ \t]+(\d)`)
	listMarker  = regexp.MustCompile(`(?m)^\s*(?:[-*•#]+|\d{1,2}[.)])\s+`)
	quotation   = regexp.MustCompile(`“([^“”]{3,600})”|"([^"]{3,600})"|«([^«»]{3,600})»|„([^„“]{3,600})“`)
)

// sentencesOf splits a text into sentences. Citations after a full stop belong to the sentence before it.
func sentencesOf(text string) (out []string) {
	text = abbreviated.ReplaceAllString(listMarker.ReplaceAllString(text, ""), "$1.$2")
	at := 0
	add := func(s string) {
		s = strings.TrimSpace(s)
		for len(s) > maxSentence {
			end := strings.LastIndexByte(s[:maxSentence], ' ')
			if end <= 0 {
				end = len(strings.ToValidUTF8(s[:maxSentence], ""))
			}
			if end == 0 { // invalid UTF-8
				end = maxSentence
			}
			out = append(out, s[:end])
			s = strings.TrimSpace(s[end:])
		}
		if s != "" {
			out = append(out, s)
		}
	}
	for _, m := range sentenceEnd.FindAllStringIndex(text, -1) {
		add(text[at:m[1]])
		at = m[1]
	}
	add(text[at:])
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
// least four words, and are not questions. ok is false beyond a limit.
func statementsOf(response string, passages []passage) (out []statement, ok bool) {
	refs, figures := referencesTo(passages), 0
	for _, s := range sentencesOf(refs.prepare(response)) {
		if len(out) > maxStatements || figures > maxFigures {
			return nil, false
		}
		st := statement{}
		st.text = strings.TrimSpace(st.takeCitations(s, refs))
		if refs.resolve(strings.Trim(st.text, " .:*_")) >= 0 && !isNumber(st.text) { // an entry of a list of sources
			continue
		}
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
		figures += len(st.figures)
		switch {
		case len(st.figures) == 0 && len(st.quotes) == 0 &&
			(strings.HasSuffix(st.text, "?") || !st.cited && len(st.stems) < 4):
		case len(words(st.text)) > 0:
			out = append(out, st)
		}
	}
	return out, len(out) <= maxStatements && figures <= maxFigures
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
	if share < relatedShare {
		return share, false, false
	}
	if a, b := trendOf(st.stems), trendOf(s.stems); a*b < 0 {
		return share, true, false
	}
	others := words(s.text)
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
		for _, other := range others {
			if o := []rune(other); len(o) >= stemLength && !st.stems[string(o[:stemLength])] && a.Opposes(naming.Read(other)) {
				return share, true, false
			}
		}
	}
	return share, false, open || st.negative != denies(s.text)
}
