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

// rewritten finds a column of strings that equals gold's after both are converted to the given form. The form must
// keep distinct values distinct on each side.
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

// formed returns the multiset of a column's strings in a form, each with the rest of its row. ok is false if a
// value is not a string, or if the form makes two strings equal.
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

// unpunctuated returns s in lower case without blanks, quotes, dashes between words, and final stops. Everything
// else is content, including everything between two digits, where a blank stays.
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

// betweenWords reports whether a dash is between two words, with or without blanks. Between single letters it is a
// range: A-F.
func betweenWords(before, after []rune) bool {
	slices.Reverse(before)
	l, r := lettersFirst(before), lettersFirst(after)
	slices.Reverse(before)
	return l > 0 && r > 0 && l+r > 2
}

// lettersFirst returns the number of letters at the start of text, after blanks.
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

// orderedWords are words in names of lists whose order matters.
var orderedWords = wordSet("path route itinerary steps sequence order ranking rank ranked history stages phases journey coordinates coordinate point position location place address range interval podium finishers placings medalists medallists standings " +
	"leaderboard queue stops stations legs hops waypoints moves laps timeline chronology schedule agenda lineup playlist setlist tracklist chain pipeline funnel progression succession priorities preferences prioritized sorted ordered chronological instructions directions log trace")

// pairWords are the words of names of columns that hold pairs with a comma between them, unless a
// query made the lists.
var pairWords = wordSet("name title")

// unordered reports whether the order of the items in a list is meaningless: gold's query aggregates them without
// an order or, if that is unknown, they are words in lists of different lengths, which cannot be pairs.
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

// listAggregates are the functions that collect the values of a group into a list.
var listAggregates = wordSet("group_concat string_agg listagg array_agg json_arrayagg json_agg jsonb_agg collect_list collect_set list wm_concat array_to_string array_join concat_ws")

// wordsAlone reports whether an item of a list is words: letters first, and nothing that pairs it
// with something.
func wordsAlone(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && unicode.IsLetter([]rune(s)[0]) && !strings.ContainsAny(s, ":=<>()[]{}")
}
