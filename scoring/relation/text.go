package relation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/naming"
)

var textKinds = []Kind{
	{
		Name: "concatenated", Display: "Columns joined into one text", Group: ShownOtherwise,
		Class: Presentational, find: func(e *evidence) *found { return joinedAny(e, goldSide) },
		Meaning: "All rows agree once two to four columns of gold are joined into one text that the answer shows, or several pairs of its columns into one text each.", Example: "('Ada', 'Lovelace'); ('Ada Lovelace')",
	},
	{
		Name: "split", Display: "One text split into columns", Group: ShownOtherwise,
		Class: Presentational, find: func(e *evidence) *found { return joinedAny(e, predSide) },
		Meaning: "All rows agree once two to four columns of the answer are joined into one text that gold shows, or several pairs of its columns into one text each.", Example: "('Ada Lovelace'); ('Ada', 'Lovelace')",
	},
	{
		Name: "punctuated", Display: "Text punctuated differently", Group: ShownOtherwise,
		Class: Presentational, find: punctuated,
		Meaning: "All rows agree once blanks, quotes, final stops and dashes between words are left out of a column of text, by which no two of its texts become one. Signs, points, operators and characters between digits stay.", Example: "('Home >> Cart'); ('Home>>Cart')",
	},
	{
		Name: "list_reordered", Display: "Items of a comma list in another order", Group: ShownOtherwise,
		Class: Presentational, find: listReordered,
		Meaning: "All rows agree once the items of lists in a column of text, set off by commas, semicolons or bars, are sorted, if their order has no meaning: gold's query aggregates them without an order, or they are words and the lists vary in length, so that no position stands for anything.", Example: "STRING_AGG(gene, ','): ('USP24,PCSK9'); ('PCSK9, USP24')",
	},
	{
		Name: "abbreviated", Display: "Words abbreviated or written out", Group: ShownOtherwise,
		Class: Presentational, find: abbreviated,
		Meaning: "All rows agree once the values of a column of text are written out: each of several is the code of one of the other side in a public list, or a beginning or the initials of its words, and of no other. The question does not ask for names where the answer shortens them.", Example: "('M', 5), ('F', 7); ('male', 5), ('female', 7)",
	},
}

// separators are the strings that are tried between joined columns.
var separators = []string{" ", ", ", "", ",", "-", " - ", "_", "/", " / ", "|", "; ", ": ", ":", ".", "@"}

// joints returns the lists of n-1 separators that are tried between n joined columns: one separator repeated and, from
// three columns on, mixtures of four common ones.
func joints(n int) [][]string {
	var out [][]string
	for _, s := range separators {
		out = append(out, slices.Repeat([]string{s}, n-1))
	}
	if n < 3 {
		return out
	}
	mixed := [][]string{nil}
	for range n - 1 {
		var longer [][]string
		for _, m := range mixed {
			for _, s := range []string{" ", ", ", "-", "/"} {
				longer = append(longer, append(slices.Clip(m), s))
			}
		}
		mixed = longer
	}
	return append(out, mixed...)
}

// maxJoined is the maximum number of columns that are joined into one.
const maxJoined = 4

// A way of joining columns is tried on all rows if it gives known strings in joinSample rows, and at most maxJoins ways
// are tried for each column. Otherwise up to 510 orders of columns, each with up to 79 separators, would be tried on
// all rows.
const (
	joinSample = 64
	maxJoins   = 32
)

// someRows returns up to joinSample rows of a side, those with the smallest hashes of their content, so that the choice
// does not depend on the order of rows.
func (e *evidence) someRows(s side, columns []int, rest []uint64) []int {
	rows := make([]int, len(rest))
	for i := range rows {
		rows[i] = i
	}
	if len(rows) <= joinSample {
		return rows
	}
	keys := slices.Clone(rest)
	for _, c := range columns {
		for i, k := range e.naturalKeys(s, c) {
			keys[i] += cell.Mix(k, cell.TextKey(e.table(s).Columns[c].Name)) // in no order of the columns
		}
	}
	for i, k := range keys {
		keys[i] = cell.Mix(k, k)
	}
	slices.SortFunc(rows, func(i, j int) int { return cmp.Compare(keys[i], keys[j]) })
	return rows[:joinSample]
}

// joinedAny returns a finding if columns of side many, joined, are one column or several of the other side; else nil.
func joinedAny(e *evidence, many side) *found {
	if r := joined(e, many); r != nil {
		return r
	}
	return joinedSeveral(e, many)
}

// joined returns a finding if several columns of side many without an equal are, joined, a column of the other side
// without one, and all else agrees; else nil.
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
	// Everything left on gold's side must be explained; the answer may have more columns.
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
		t := e.table(many)
		some := e.someRows(many, from, rest)
		tries := maxJoins
		for _, order := range orders(from, many == goldSide) {
			for _, sep := range joints(len(order)) {
				unknown := func(row int) bool { return !known[cell.Mix(rest[row], joinedKey(t, order, sep, row))] }
				if !joinsInOrder(t, order, sep) || slices.ContainsFunc(some, unknown) {
					continue
				}
				if tries--; tries < 0 {
					return nil
				}
				got, ok := joinedSum(t, order, sep, rest, known)
				if !ok || got != sum || !partsTellable(t, order, sep) || !e.orderTellable(many, order) {
					continue
				}
				verb := "The answer joins"
				r := &found{
					proof: Proof{GoldColumns: order, PredColumns: []int{whole},
						Facts: []string{"joined by " + strings.Join(quoted(sep), " and ")}}}
				if many == predSide {
					verb = "The answer splits into parts what gold joins from"
					r.proof.GoldColumns, r.proof.PredColumns = []int{whole}, order
				}
				r.text = fmt.Sprintf("%s %s: %s is the parts one behind the other in all %s.", verb, named(t, order),
					columnName(e.table(!many), whole), printable.Count(len(rest), "row"))
				return r
			}
		}
	}
	return nil
}

// joinsInOrder reports whether columns are joined in the order that their names require: a person's first name precedes
// the last name, or follows it if a separator has a comma.
func joinsInOrder(t *scoring.Table, columns []int, sep []string) bool {
	comma := strings.Contains(strings.Join(sep, ""), ",")
	last := 0
	for _, i := range columns {
		place := namePlace[nameWordsOf(t, i)]
		if comma && place == lastName {
			place = beforeFirst
		}
		if place == 0 {
			continue
		}
		if last != 0 && place < last {
			return false
		}
		last = place
	}
	return true
}

// orderTellable reports whether the names or values of columns show which part of a joined string comes from which
// column. It is false for 2 and 1 under home and away, joined to 2-1.
func (e *evidence) orderTellable(many side, columns []int) bool {
	t := e.table(many)
	for k, i := range columns {
		for _, j := range columns[:k] {
			x, y := namePlace[nameWordsOf(t, i)], namePlace[nameWordsOf(t, j)]
			if (x == 0 || y == 0 || x == y) && !e.apart(many, i, j) {
				return false
			}
		}
	}
	return true
}

// apart reports whether two columns of a result have no values in common and, if both are numeric, no overlap of their
// ranges.
func (e *evidence) apart(s side, i, j int) bool {
	t := e.table(s)
	if t.Columns[i].Type.Numeric() && t.Columns[j].Type.Numeric() {
		x, y := numbersOf(&t.Columns[i]), numbersOf(&t.Columns[j])
		return len(x) == 0 || len(y) == 0 || slices.Max(x) < slices.Min(y) || slices.Max(y) < slices.Min(x)
	}
	in := map[uint64]bool{}
	for _, k := range e.naturalKeys(s, i) {
		in[k] = true
	}
	return !slices.ContainsFunc(e.naturalKeys(s, j), func(k uint64) bool { return k != cell.NullKey && in[k] })
}

const (
	lastName    = 3
	beforeFirst = -1
)

// namePlace is the position of a part in a person's name, by the word for the part.
var namePlace = map[string]int{
	"first": 1, "given": 1, "forename": 1, "firstname": 1, "fname": 1, "middle": 2, "last": lastName, "family": lastName,
	"surname": lastName, "lastname": lastName, "lname": lastName,
}

// nameWordsOf returns the first word of a column's name if the column holds a part of a person's name; else "".
func nameWordsOf(t *scoring.Table, column int) string {
	if name := t.Columns[column].Name; isNamePart(name) {
		return naming.Words(name)[0]
	}
	return ""
}

// partsTellable reports whether joining the columns keeps the digits of different parts separate in every row. It is
// false if 1 and 23 become 123, 1.23 or 1,23.
func partsTellable(t *scoring.Table, columns []int, sep []string) bool {
	for row := range t.Rows() {
		before := ""
		for k, i := range columns {
			if t.Columns[i].IsNull(row) {
				continue
			}
			part := t.Columns[i].Value(row).String()
			if before != "" && part != "" && digitAt(before, len(before)-1) && digitAt(part, 0) &&
				(sep[k-1] == "" || sep[k-1] == "." || sep[k-1] == ",") {
				return false
			}
			before = part
		}
	}
	return true
}

func quoted(list []string) []string {
	var out []string
	for _, s := range list {
		if q := printable.Quoted(s); !slices.Contains(out, q) {
			out = append(out, q)
		}
	}
	return out
}

func digitAt(s string, i int) bool { return s[i] >= '0' && s[i] <= '9' }

// joinedSum returns the multiset hash of the rows with the given cells joined. ok is false if the key of a row is not
// in known.
func joinedSum(t *scoring.Table, columns []int, sep []string, rest []uint64,
	known map[uint64]bool) (sum cell.Sum, ok bool) {
	for i := range rest {
		key := cell.Mix(rest[i], joinedKey(t, columns, sep, i))
		if !known[key] {
			return sum, false
		}
		sum.Add(key)
	}
	return sum, true
}

// joinedKey returns the key of a row's cells joined into a string. A NULL is omitted with its separator; if all are
// NULL or empty, the key is cell.NullKey.
func joinedKey(t *scoring.Table, columns []int, sep []string, row int) uint64 {
	var b strings.Builder
	for k, i := range columns {
		c := &t.Columns[i]
		if c.IsNull(row) {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(sep[k-1])
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

// orders returns all permutations of columns if all is set, else those of each subset of two to maxJoined columns.
func orders(columns []int, all bool) [][]int {
	var out [][]int
	add := func(p []int) { out = append(out, p) }
	if all {
		permute(columns, add)
		return out
	}
	for mask := 1; mask < 1<<len(columns); mask++ {
		var some []int
		for k, c := range columns {
			if mask&(1<<k) != 0 {
				some = append(some, c)
			}
		}
		if len(some) >= 2 && len(some) <= maxJoined {
			permute(some, add)
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
