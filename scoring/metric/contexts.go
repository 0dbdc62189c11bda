package metric

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
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
	rest    string        // the text without its figures
	written writing       // of the passage
	said    *sentenceSays // nil until it is needed
}

// sentenceSays is what the words of a sentence say, without its figures.
type sentenceSays struct {
	words    []string
	changes  map[string]int // see changesOf
	amounts  []string       // see amountsIn
	fall     bool           // a number without a sign may be negative
	minus    bool           // it has a negative percentage
	negative bool           // see denies
	language string
}

func readSentence(text, rest, language string, figures []textFigure) *sentenceSays {
	s := &sentenceSays{words: wordsAndMarks(strings.ToLower(rest)), changes: changesOf(rest), amounts: amountsIn(rest),
		language: cmp.Or(languageOf(rest), language)}
	s.fall = falls.MatchString(text) || lossWords.MatchString(text) ||
		slices.Contains(slices.Collect(maps.Values(s.changes)), -1)
	s.negative = denies(text, s.language)
	s.minus = slices.ContainsFunc(figures, func(f textFigure) bool {
		return f.share != "" && (f.sign == negative || f.bracket)
	})
	return s
}

func (s *passageSentence) says() *sentenceSays {
	if s.said == nil {
		s.said = readSentence(s.text, s.rest, s.written.language, s.figures)
	}
	return s.said
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
		written, list := writingOf(text), sentencesOf(text)
		if sentences += len(list); sentences > maxSentences {
			return nil, errcode.New(errcode.ResourceExhausted, "contexts has more than %d sentences", maxSentences)
		}
		for _, s := range list {
			one := passageSentence{text: s, written: written}
			one.figures, one.rest = figuresOf(s, written)
			one.stems = contextStems(one.rest)
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
	sentenceEnd = lazyregexp.New(`[.!?;。！？]+["”»']*(?:\s*(?:\[[^\[\]\n]{1,80}\]|【[^【】\n]{1,80}】))*(?:\s+|$)|[。！？]|\n+`)
	abbreviated = lazyregexp.New(`\b(?i:(pp?|secs?|ch|no|nr|fig|vol|art|approx|ca|est))\.[ \t]+(\d)`)
	dayOfMonth  = lazyregexp.New(`([0-9]{1,2})\.[ \t]+(\p{Lu}\p{L}+|\p{Ll}{4,})`) // 3. Mai
	scaleStop   = lazyregexp.New(`([0-9] ?(?i:mio|mrd|tsd|mln|mld|mlrd|bn|тыс|млн|млрд))\.([ \t]+\p{L})`)
	listMarker  = lazyregexp.New(`(?m)^\s*(?:[-*•#]+|\d{1,2}[.)])\s+`)
	quotation   = lazyregexp.New(`“([^“”]{3,600})”|"([^"]{3,600})"|«([^«»]{3,600})»|„([^„“]{3,600})“`)
)

// sentencesOf splits a text into sentences. Citations after a full stop belong to the sentence before it.
func sentencesOf(text string) (out []string) {
	text = dayOfMonth.ReplaceAllStringFunc(scaleStop.ReplaceAllString(text, "$1$2"), func(found string) string {
		if m := dayOfMonth.FindStringSubmatch(found); monthOf(m[2]) > 0 {
			return m[1] + "." + m[2]
		}
		return found
	})
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

// statement is a sentence of a response that claims something.
type statement struct {
	text    string  // without citations
	cites   []int   // positions of passages
	groups  [][]int // those of each citation: several if passages share an id
	unknown []string
	cited   bool
	quotes  []string
	rest    string // the text without figures and quotations
	figures []textFigure
	stems   map[string]bool
	said    *sentenceSays
}

// statementsOf returns the statements of a response: its sentences that have a figure, a quotation, a citation or at
// least four words, and are not questions. ok is false beyond a limit.
func statementsOf(response string, passages []passage) (out []statement, ok bool) {
	refs, figures, written := referencesTo(passages), 0, writingOf(response)
	for _, s := range sentencesOf(refs.prepare(response)) {
		if len(out) > maxStatements || figures > maxFigures {
			return nil, false
		}
		st := statement{}
		if st.text = strings.TrimSpace(st.takeCitations(s, refs)); st.cited {
			st.text = leftBlank.ReplaceAllString(st.text, "$1")
		}
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
		st.figures, st.rest = figuresOf(plain, written)
		st.stems, st.said = contextStems(st.rest), readSentence(plain, st.rest, written.language, st.figures)
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

// leftBlank matches the blank that a citation leaves before a full stop or a comma.
var leftBlank = lazyregexp.New(`[ \t]+([.,。](?:\s|$))`)

var denials = lazyregexp.New(`(?i)\b(?:not|no|never|none|neither|without|cannot)\b|n['’]t\b`)

// inThe matches a Portuguese word for in the.
var inThe = lazyregexp.New(`(?i)\bno\b`)

// denies reports whether a sentence has an odd number of negations.
func denies(text, language string) bool {
	n := len(denials.FindAllString(text, -1)) + len(denialWords.FindAllString(text, -1))
	if language == "pt" {
		n -= len(inThe.FindAllString(text, -1))
	}
	return n%2 == 1
}

// nearness is how a sentence of a passage is related to a statement.
type nearness struct {
	share    float64 // of the statement's words that the sentence has
	contrary bool    // the sentence says the opposite by its words
	open     bool    // it may be about something else: a name is missing, or one of the two is negated
	lacks    bool    // the statement says more: a number in words, or a rise or fall, that the sentence does not have
}

// near returns how a sentence of a passage is related to a statement.
func (st *statement) near(s *passageSentence) (n nearness) {
	if len(st.stems) == 0 {
		n.share = 1
		n.lacks = st.lacks(s)
		return n
	}
	shared := 0
	var missing []string
	for w := range st.stems {
		if s.stems[w] {
			shared++
		} else {
			missing = append(missing, w)
		}
	}
	if n.share = float64(shared) / float64(len(st.stems)); n.share < relatedShare {
		return n
	}
	n.lacks = st.lacks(s)
	if st.opposes(s) {
		n.contrary = true
		return n
	}
	others := words(s.text)
	for i, w := range strings.Fields(st.rest) {
		first := i == 0 && strings.HasPrefix(st.text, w) // of the sentence
		w = strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) })
		r := []rune(strings.ToLower(w))
		if len(r) < stemLength || !slices.Contains(missing, string(r[:stemLength])) ||
			monthOf(w) > 0 || currencyOf(string(r)) != "" {
			continue
		}
		if letter, _ := utf8.DecodeRuneInString(w); !first && unicode.IsUpper(letter) {
			n.open = true
		}
		if changeOf(string(r)) != 0 { // decided by opposes
			continue
		}
		a := naming.Read(string(r))
		for _, other := range others {
			if o := []rune(other); len(o) >= stemLength && !st.stems[string(o[:stemLength])] && a.Opposes(naming.Read(other)) {
				n.contrary, n.open = true, false
				return n
			}
		}
	}
	n.open = n.open || st.said.negative != s.says().negative
	return n
}

// only returns the sum of the directions of changes that another sentence does not have in the same words, and whether
// there is a change upwards or downwards.
func only(own, other map[string]int) (sum int, has [2]bool) {
	for w, up := range own {
		if has[(1-up)/2] = true; other[w] == 0 {
			sum += up
		}
	}
	return sum, has
}

// opposes reports whether the statement has a word for a rise where the sentence has one for a fall, or the reverse.
func (st *statement) opposes(s *passageSentence) bool {
	own, other := st.said.changes, s.says().changes
	a, _ := only(own, other)
	if b, _ := only(other, own); a*b >= 0 {
		return false
	}
	for w, up := range other {
		if up*a > 0 && own[w] == 0 { // the same in other words
			return false
		}
	}
	return true
}

// lacks reports whether the statement says something that a figure of the sentence does not decide: a number, a part or
// a multiple in words, or a rise or fall that the sentence does not have, or may not have.
func (st *statement) lacks(s *passageSentence) bool {
	own, other := st.said, s.says()
	for _, w := range own.amounts {
		value := numberNames[w]
		if !slices.Contains(other.amounts, w) && (value == 0 || !slices.ContainsFunc(s.figures, func(g textFigure) bool {
			return slices.ContainsFunc(g.readings, func(r figureReading) bool {
				return r.value.IsInt() && r.value.Num().IsInt64() && r.value.Num().Int64() == int64(value)
			})
		})) {
			return true
		}
	}
	a, has := only(own.changes, other.changes)
	_, in := only(other.changes, own.changes)
	has[1], in[1] = has[1] || own.minus, in[1] || other.minus
	switch {
	case a > 0 && !in[0], a < 0 && !in[1]:
		return true
	case has == [2]bool{} && in != [2]bool{}:
		return len(otherWords(own, other)) > 0
	case cmp.Or(own.language, other.language) == "": // its words for a rise and a fall are not known
		return len(otherWords(own, other)) > 0 && len(otherWords(other, own)) > 0
	}
	return false
}

// otherWords returns the words of a sentence, except the most frequent ones, that another does not have.
func otherWords(a, b *sentenceSays) (out []string) {
	for _, w := range otherThan(a.words, b.words) {
		if !languageWords[a.language][w] && utf8.RuneCountInString(w) > 2 {
			out = append(out, w)
		}
	}
	return out
}
