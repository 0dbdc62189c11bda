package relation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// rewritten finds a column of text that is gold's once both are written in one form. The form must keep apart what each side tells apart.
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

// formed is the multiset of a column's texts in a form, each with what stands beside it; ok is false where it is no text, or the form makes two texts one.
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
	return e.rewritten(letters, "are compared by their letters and digits alone")
}

func listReordered(e *evidence) *found {
	lists := false
	sorted := func(s string) string {
		items := strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ';' || r == '|' })
		for i := range items {
			items[i] = strings.TrimSpace(items[i])
		}
		lists = lists || len(items) > 1
		slices.Sort(items)
		return strings.Join(items, ", ")
	}
	if r := e.rewritten(sorted, "have the items of their lists sorted"); lists {
		return r
	}
	return nil
}
