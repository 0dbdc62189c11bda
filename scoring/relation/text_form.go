package relation

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/naming"
	"github.com/badger-eval/badger/scoring/question"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// rewritten returns a finding if gold's only column left to explain equals a string column of the answer once form is
// applied to both; else nil. form must keep distinct values of a column distinct. how completes the sentence.
func (e *evidence) rewritten(form func(string) string, how string) *found {
	s := e.solidPart()
	if s == nil || len(s.gold) != 1 || len(s.pred) == 0 || len(s.pred) > 3 || s.rows != nil && !s.rows.sameBag() {
		return nil
	}
	g := s.gold[0]
	want, ok := formed(&e.gold.Columns[g], s.keysOf(goldSide, e.gold.Rows()), form)
	if !ok {
		return nil
	}
	for _, p := range s.pred {
		if got, ok := formed(&e.pred.Columns[p], s.keysOf(predSide, e.pred.Rows()), form); ok && got == want {
			return &found{
				text:  fmt.Sprintf("All rows agree once %s and %s %s.", columnName(e.gold, g), columnName(e.pred, p), how),
				proof: Proof{GoldColumns: []int{g}, PredColumns: []int{p}},
			}
		}
	}
	return nil
}

// formed returns the multiset hash of the pairs of rest and form of each string in c. ok is false if c is not a column
// of strings, if a form is empty, or if the form makes two distinct strings equal.
func formed(c *scoring.Column, rest []uint64, form func(string) string) (s cell.Sum, ok bool) {
	if c.Type != scoring.String {
		return s, false
	}
	of := map[uint64]uint64{} // text by form
	for i := range rest {
		if c.IsNull(i) {
			s.Add(cell.Mix(rest[i], cell.NullKey))
			continue
		}
		text := form(c.Text(i))
		if text == "" {
			return s, false
		}
		plain, key := cell.TextKey(c.Text(i)), cell.TextKey(text)
		if before, seen := of[key]; seen && before != plain {
			return s, false
		}
		of[key] = plain
		s.Add(cell.Mix(rest[i], key))
	}
	return s, true
}

func punctuated(e *evidence) *found {
	return e.rewritten(unpunctuated, "are compared without blanks, quotes, final stops and dashes between words")
}

// unpunctuated returns s in lower case without blanks, quotes, dashes between words, and dots at the end after a
// letter. Other characters are kept. A blank or quote between two digits becomes a space, and a quote after a digit is
// kept.
func unpunctuated(s string) string {
	runes := []rune(strings.ToLower(strings.TrimSpace(s)))
	for len(runes) > 1 && runes[len(runes)-1] == '.' && unicode.IsLetter(runes[len(runes)-2]) {
		runes = runes[:len(runes)-1]
	}
	var b strings.Builder
	var last rune   // the one written last
	apart := false  // blanks came since then
	quoted := false // or quotes
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case unicode.IsSpace(r):
			apart = true
			continue
		case strings.ContainsRune("\"'`´‘’“”«»", r) && !unicode.IsDigit(last): // 5' and 6" are feet and inches
			quoted = true
			continue
		case strings.ContainsRune("-‐‑–—", r) && betweenWords(runes[:i], runes[i+1:]):
			apart = true
			continue
		}
		if (apart || quoted) && unicode.IsDigit(last) && unicode.IsDigit(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last, apart, quoted = r, false, false
	}
	return b.String()
}

// betweenWords reports whether a dash is between two words, with or without blanks. It is false between single letters,
// as in the range A-F.
func betweenWords(before, after []rune) bool {
	slices.Reverse(before)
	l, r := lettersFirst(before), lettersFirst(after)
	slices.Reverse(before)
	return l > 0 && r > 0 && l+r > 2
}

// lettersFirst returns the number of letters at the start of text, after leading blanks.
func lettersFirst(text []rune) int {
	i := 0
	for i < len(text) && unicode.IsSpace(text[i]) {
		i++
	}
	n := 0
	for i+n < len(text) && unicode.IsLetter(text[i+n]) {
		n++
	}
	return n
}

func isSeparator(r rune) bool { return r == ',' || r == ';' || r == '|' }

func listReordered(e *evidence) *found {
	lists := false
	sorted := func(s string) string {
		items := strings.FieldsFunc(s, isSeparator)
		for i := range items {
			items[i] = strings.TrimSpace(items[i])
		}
		lists = lists || len(items) > 1
		slices.Sort(items)
		return strings.Join(items, ", ")
	}
	r := e.rewritten(sorted, "have the items of their lists sorted")
	if r == nil || !lists || !e.unordered(r.proof.GoldColumns[0], r.proof.PredColumns[0]) {
		return nil
	}
	return r
}

// orderedWords are words in names of columns that hold lists whose order matters.
var orderedWords = wordSet("path route itinerary steps sequence order ranking rank ranked history stages phases journey coordinates coordinate point position location place address range interval podium finishers placings medalists medallists standings " +
	"leaderboard queue stops stations legs hops waypoints moves laps timeline chronology schedule agenda lineup playlist setlist tracklist chain pipeline funnel progression succession priorities preferences prioritized sorted ordered chronological instructions directions log trace")

// pairWords are words in names of columns whose values may be pairs with a comma, such as a last and a first name, and
// not lists.
var pairWords = wordSet("name title")

// unordered reports whether the order of the items in lists is meaningless: no name or question asks for one, and
// gold's query aggregates them without ORDER BY or, if it is unknown, they are words in lists of different lengths, and
// so not pairs.
func (e *evidence) unordered(gold, pred int) bool {
	g, p := &e.gold.Columns[gold], &e.pred.Columns[pred]
	words := append(naming.Words(g.Name), naming.Words(p.Name)...)
	if anyWord(words, orderedWords) || slices.ContainsFunc(words, question.Superlative) || e.asks().OrdersLists() {
		return false
	}
	if q := e.queries().gold; q != nil {
		x := q.item(gold, len(e.gold.Columns))
		if x == nil {
			return false
		}
		aggregates := false
		sqlparts.Walk(x, func(n sqlparts.Node) bool {
			if c, ok := n.(*sqlparts.Call); ok && listAggregates[strings.ToLower(c.Name.Last().Text)] {
				aggregates = !strings.Contains(strings.ToLower(sqlparts.Format(c)), "order by")
			}
			return true
		})
		return aggregates
	}
	if anyWord(append(naming.Words(g.Name), naming.Words(p.Name)...), pairWords) {
		return false
	}
	lengths := map[int]bool{}
	for i := range g.Len() {
		if g.IsNull(i) {
			continue
		}
		items := strings.FieldsFunc(g.Text(i), isSeparator)
		if slices.ContainsFunc(items, func(s string) bool { return !wordsAlone(s) }) {
			return false
		}
		lengths[len(items)] = true
	}
	return len(lengths) > 1
}

// listAggregates are functions that collect values into a list.
var listAggregates = wordSet("group_concat string_agg listagg array_agg json_arrayagg json_agg jsonb_agg collect_list collect_set list wm_concat array_to_string array_join concat_ws")

// wordsAlone reports whether a list item starts with a letter and has no sign that pairs it with something, such as a
// colon.
func wordsAlone(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && unicode.IsLetter([]rune(s)[0]) && !strings.ContainsAny(s, ":=<>()[]{}")
}
