package relation

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

var textKinds = []Kind{
	{
		Name: "concatenated", Class: Presentational, find: func(e *evidence) *found { return joined(e, goldSide) },
		Meaning: "All rows agree once two to four columns of gold are joined into the text that the answer shows.", Example: "('Ada', 'Lovelace'); ('Ada Lovelace')",
	},
	{
		Name: "split", Class: Presentational, find: func(e *evidence) *found { return joined(e, predSide) },
		Meaning: "All rows agree once two to four columns of the answer are joined into the text that gold shows.", Example: "('Ada Lovelace'); ('Ada', 'Lovelace')",
	},
	{
		Name: "punctuated", Class: Defensible, find: punctuated,
		Meaning: "All rows agree once nothing but the letters and digits of a column of text is looked at, by which no two of its texts become one.", Example: "('Home >> Cart'); ('Home>>Cart')",
	},
	{
		Name: "list_reordered", Class: Presentational, find: listReordered,
		Meaning: "All rows agree once the items of lists in a column of text, set off by commas, semicolons or bars, are sorted.", Example: "('USP24,PCSK9'); ('PCSK9, USP24')",
	},
}

// separators stand between texts that are joined.
var separators = []string{" ", ", ", "", ",", "-", " - ", "_", "/", " / ", "|", "; ", ": ", ":", "."}

// maxJoined is how many columns are joined at most.
const maxJoined = 4

// joined tells whether some columns that only one side has are, joined, one that only the other side has, with all else equal.
func joined(e *evidence, many side) *found {
	s := e.solidPart()
	if s == nil {
		return nil
	}
	from, to := s.gold, s.pred
	if many == predSide {
		from, to = to, from
	}
	if len(from) < 2 || len(to) == 0 || len(to) > 3 || len(from) > 6 || many == goldSide && len(from) > maxJoined {
		return nil
	}
	// On gold's side everything that is left must be explained; the answer may have columns besides.
	if many == predSide && len(to) > 1 {
		return nil
	}
	rest := s.keysOf(many, e.table(many).Rows())
	wholeRest := s.keysOf(!many, e.table(!many).Rows())
	for _, whole := range to {
		c := &e.table(!many).Columns[whole]
		if c.Type != scoring.String {
			continue
		}
		texts := cell.AllKeys(c, cell.View{Kind: scoring.KindText})
		want := make([]uint64, len(texts))
		var sum cell.Sum
		known := make(map[uint64]bool, min(len(texts), 1<<16))
		for i, k := range texts {
			want[i] = cell.Mix(wholeRest[i], k)
			sum.Add(want[i])
			known[want[i]] = true
		}
		for _, order := range orders(from, many == goldSide) {
			for _, sep := range separators {
				t := e.table(many)
				if !known[cell.Mix(rest[0], joinedKey(t, order, sep, 0))] {
					continue
				}
				var got cell.Sum
				for i := range rest {
					got.Add(cell.Mix(rest[i], joinedKey(t, order, sep, i)))
				}
				if got != sum {
					continue
				}
				verb := "The answer joins"
				r := &found{proof: Proof{GoldColumns: order, PredColumns: []int{whole}, Facts: []string{"joined by " + strconv.Quote(sep)}}}
				if many == predSide {
					verb = "The answer splits into parts what gold joins from"
					r.proof.GoldColumns, r.proof.PredColumns = []int{whole}, order
				}
				r.text = fmt.Sprintf("%s %s: %s is the parts one behind the other in all %s.", verb, named(t, order), columnName(e.table(!many), whole), plural(len(rest), "row"))
				return r
			}
		}
	}
	return nil
}

// joinedKey is the text key of the cells of a row, joined. A NULL is left out with its separator.
func joinedKey(t *scoring.Table, columns []int, sep string, row int) uint64 {
	var b strings.Builder
	for _, i := range columns {
		c := &t.Columns[i]
		if c.IsNull(row) {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(sep)
		}
		if c.Type == scoring.String {
			b.WriteString(c.Text(row))
		} else {
			b.WriteString(c.Value(row).String())
		}
	}
	if b.Len() == 0 {
		return cell.NullKey
	}
	return cell.TextKey(b.String())
}

// orders are the ways of joining columns: all of them in any order or, where some may stay out, any two to four of them as they stand or turned round.
func orders(columns []int, all bool) [][]int {
	var out [][]int
	if all {
		permute(columns, func(p []int) { out = append(out, p) })
		return out
	}
	for mask := 1; mask < 1<<len(columns); mask++ {
		var some, turned []int
		for k, c := range columns {
			if mask&(1<<k) != 0 {
				some = append(some, c)
				turned = append([]int{c}, turned...)
			}
		}
		if len(some) >= 2 && len(some) <= maxJoined {
			out = append(out, some, turned)
		}
	}
	return out
}

func permute(list []int, f func([]int)) {
	if len(list) <= 1 {
		f(append([]int(nil), list...))
		return
	}
	for k := range list {
		rest := append(append([]int(nil), list[:k]...), list[k+1:]...)
		permute(rest, func(p []int) { f(append([]int{list[k]}, p...)) })
	}
}
