package align

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/badger-eval/badger/internal/halt"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/naming"
	"github.com/badger-eval/badger/scoring/question"
	"github.com/badger-eval/badger/scoring/units"
)

// Align maps the columns of gold to those of pred. It never fails: columns without a counterpart are listed as missing
// or extra. The result does not depend on the order of rows or columns.
func Align(gold, pred *scoring.Table, o Options) scoring.Alignment {
	goldPlaces, predPlaces := orderOf(gold), orderOf(pred)
	out := alignSorted(gold, pred, goldPlaces, predPlaces, o)
	inPlaces(&out, goldPlaces, predPlaces)
	return out
}

// alignSorted is Align for a given order in which the columns of each side are visited. Columns of the result refer to
// that order.
func alignSorted(gold, pred *scoring.Table, goldPlaces, predPlaces []int, o Options) scoring.Alignment {
	a := newAligner(gold, pred, goldPlaces, predPlaces, o)
	a.halt.Check()
	a.bySums()
	a.searchRows(a.ambiguous)
	a.byLadder()
	a.searchRows(a.exchangeable())
	a.bindNames()
	a.refuseNames()
	return a.alignment()
}

// column holds the aligner's data on a column.
type column struct {
	col   *scoring.Column
	gold  bool
	place int // position in the original result
	kind  scoring.Kind
	sum   cell.Sum
	taken bool

	verbatim bool     // its strings are compared with regard to case
	words    []string // of the name; made when first needed, stored in
	room     [3]string
	bare     *string      // the name without case and punctuation; likewise
	name     *naming.Name // its parsed name; likewise
	reading  map[cell.View]*reading
	formats  *formats           // made when first needed
	periods  *[]cell.PeriodText // likewise
	lasts    *durations         // likewise
	code     *cell.CodeText     // likewise
	nests    *cell.NestedText   // likewise
	spells   *cell.SpelledText  // likewise

	values *counted // its distinct values; made when first needed

	unit *units.Stated // see stated; made when first needed

	numberLike *bool // of a string column: whether any value starts like a number; computed when first needed

	read    *cell.View // its view when rows are compared to decide the pairing of columns; nil: natural
	readSum cell.Sum   // the sum of its values under that view
}

type aligner struct {
	halt       *halt.Signal // stops the search
	gold, pred []column
	goldT      *scoring.Table
	predT      *scoring.Table
	o          Options
	bits       bool
	rowsEqual  bool                 // both sides have the same number of rows
	pairs      []scoring.ColumnPair // by gold column; Pred is -1 if unpaired
	ambiguous  []group              // groups of columns with the same multiset of values
	undecided  bool                 // the rows do not decide the pairing of a group
	crossed    []scoring.ColumnPair // pairs with equal values whose names contradict each other
	asked      map[string]bool      // the words of the question; made when first needed
	sentence   *naming.Name         // the question as a name; likewise
	read       *units.Question      // the units that it mentions; likewise
	shown      *question.Question   // the digits that it asks for; likewise
	items      [2]queried           // select lists of gold's query and the answer's
	refused    []scoring.ColumnPair // pairs of equal numbers in units that contradict each other
}

// newAligner returns an aligner that visits the columns in the order of their places, or in the given order if places
// is nil.
func newAligner(gold, pred *scoring.Table, goldPlaces, predPlaces []int, o Options) *aligner {
	a := &aligner{halt: cmp.Or(gold.Halt(), pred.Halt()), goldT: gold, predT: pred, o: o, bits: cell.FloatBits(gold, pred),
		rowsEqual: gold.Rows() == pred.Rows()}
	a.gold, a.pred = make([]column, len(gold.Columns)), make([]column, len(pred.Columns))
	// Letter case counts if gold has strings that differ in nothing else; then it also counts if the answer has
	// such strings.
	verbatim := take(a.gold, gold, goldPlaces, true)
	for i := range a.gold {
		a.gold[i].gold = true
	}
	take(a.pred, pred, predPlaces, verbatim)
	a.pairs = make([]scoring.ColumnPair, len(gold.Columns))
	for i := range a.pairs {
		a.halt.Check()
		a.pairs[i] = scoring.ColumnPair{Gold: i, Pred: -1}
	}
	return a
}

// counted holds the distinct values of a column, or nil if they cannot be counted, and their keys: keyed[1] with
// View.FloatBits set, keyed[0] without.
type counted struct {
	of    *cell.Counts
	keyed [2][]cell.KeyCount
}

// counts returns the distinct values of the column; nil if it has fewer than cell.MinCounted rows or cell.CountValues
// cannot count them.
func (c *column) counts() *cell.Counts {
	if c.col.Len() < cell.MinCounted {
		return nil
	}
	if c.values == nil {
		c.values = &counted{of: cell.CountValues(c.col)}
	}
	return c.values.of
}

// counted returns the keys of the distinct values under a view. ok is false if the view converts the values or the
// column has no counts. Of the other properties of a view, only FloatBits changes the keys.
func (c *column) counted(v cell.View) (keys []cell.KeyCount, ok bool) {
	if !v.AsIs() || c.counts() == nil {
		return nil, false
	}
	keyed := &c.values.keyed[0]
	if v.FloatBits {
		keyed = &c.values.keyed[1]
	}
	if *keyed == nil {
		*keyed = c.values.of.Keys(v)
	}
	return *keyed, true
}

// take fills in cols from a result. If verbatim is set, columns of strings that differ only in case are compared with
// regard to case; it reports whether there are any.
func take(cols []column, t *scoring.Table, places []int, verbatim bool) (any bool) {
	for i := range cols {
		c, at := &cols[i], i
		if places != nil {
			at = places[i]
		}
		c.col, c.place = &t.Columns[at], at
		c.kind = cell.NaturalKind(c.col)
		c.verbatim = verbatim && c.kind == scoring.KindText && cell.MergesTexts(c.col)
		any = any || c.verbatim
	}
	return any
}

func (c *column) nameWords() []string {
	if c.words == nil {
		c.words = naming.Canonical(c.room[:0], c.col.Name)
	}
	return c.words
}

func (c *column) bareName() string {
	if c.bare == nil {
		b := naming.Bare(c.col.Name)
		c.bare = &b
	}
	return *c.bare
}

// named returns the parsed name of the column.
func (c *column) named() *naming.Name {
	if c.name == nil {
		c.name = naming.Read(c.col.Name)
	}
	return c.name
}

func (a *aligner) natural(c *column) cell.View {
	return cell.View{Kind: c.kind, FloatBits: a.bits, Verbatim: c.verbatim}
}

func (a *aligner) pair(g, p int, by string, overlap float64, c scoring.Comparison) {
	a.pairs[g] = scoring.ColumnPair{Gold: g, Pred: p, By: by, Overlap: overlap, Comparison: c}
	a.gold[g].taken, a.pred[p].taken = true, true
}

// group is a set of gold and predicted columns that all hold the same multiset of values.
type group struct{ gold, pred []int }

// bySums pairs columns that hold the same multiset of values, if both sides have the same number of rows.
func (a *aligner) bySums() {
	if !a.rowsEqual {
		return
	}
	a.sum()
	if a.bySumsAlone() {
		return
	}
	for _, g := range a.groups() {
		if len(g.gold) == 1 && len(g.pred) == 1 {
			a.pair(g.gold[0], g.pred[0], "values", 1, a.exact(g.gold[0], g.pred[0]))
			continue
		}
		a.ambiguous = append(a.ambiguous, g)
		a.byNames(g)
	}
}

// sum computes the sums, that is the multiset hashes, of all columns.
func (a *aligner) sum() {
	for _, cols := range [][]column{a.gold, a.pred} {
		for i := range cols {
			c, view := &cols[i], a.natural(&cols[i])
			if counts, ok := c.counted(view); ok {
				c.sum = cell.SumOfCounts(counts)
			} else {
				c.sum = cell.SumOf(c.col, view)
			}
			c.readSum = c.sum
		}
	}
}

// bySumsAlone pairs columns with equal sums if no two columns of a side have the same sum. It returns false, and pairs
// none, if two do, or if there are many columns.
func (a *aligner) bySumsAlone() bool {
	if len(a.gold)*len(a.pred) > 1024 {
		return false
	}
	for _, cols := range [][]column{a.gold, a.pred} {
		for i := range cols {
			for k := range i {
				if cols[k].sum == cols[i].sum {
					return false
				}
			}
		}
	}
	for i := range a.gold {
		for j := range a.pred {
			if a.gold[i].sum == a.pred[j].sum {
				a.pair(i, j, "values", 1, a.exact(i, j))
			}
		}
	}
	return true
}

// exact returns the comparison of two columns that are equal without conversion.
func (a *aligner) exact(g, p int) scoring.Comparison {
	k := a.gold[g].kind
	if pk := a.pred[p].kind; k != pk {
		k = scoring.KindNumber // truth values and 0, 1 share their keys; so do all-NULL columns
		if a.gold[g].col.Type == scoring.Null {
			k = pk
		} else if a.pred[p].col.Type == scoring.Null {
			k = a.gold[g].kind
		}
	}
	return scoring.Comparison{Kind: k, Verbatim: k == scoring.KindText && a.gold[g].verbatim}
}

// groups returns groups of columns with the same sum, in order of their first gold columns, without those that lack a
// predicted column.
func (a *aligner) groups() []group {
	var out []group
	at := map[cell.Sum]int{}
	for i := range a.gold {
		k, ok := at[a.gold[i].sum]
		if !ok {
			k = len(out)
			at[a.gold[i].sum] = k
			out = append(out, group{})
		}
		out[k].gold = append(out[k].gold, i)
	}
	for j := range a.pred {
		if k, ok := at[a.pred[j].sum]; ok {
			out[k].pred = append(out[k].pred, j)
		}
	}
	return slices.DeleteFunc(out, func(g group) bool { return g.pred == nil })
}

// byNames pairs the columns of a group: those with the same name, then the pairs with the most similar names, the
// earlier ones first if equal.
func (a *aligner) byNames(g group) {
	for _, i := range g.gold {
		a.halt.Check()
		for _, j := range g.pred {
			if !a.pred[j].taken && sameName(a.gold[i].col.Name, a.pred[j].col.Name) {
				a.pair(i, j, "values", 1, a.exact(i, j))
				break
			}
		}
	}
	for {
		a.halt.Check()
		best, most := [2]int{-1, -1}, -2.0
		for _, i := range g.gold {
			a.halt.Check()
			for _, j := range g.pred {
				if a.gold[i].taken || a.pred[j].taken {
					continue
				}
				s := a.gold[i].named().Affinity(a.pred[j].named())
				if a.gold[i].kind == a.pred[j].kind {
					s += 0.1 // truth values and 0, 1 are the same values
				}
				if s > most {
					best, most = [2]int{i, j}, s
				}
			}
		}
		if best[0] < 0 {
			return
		}
		a.pair(best[0], best[1], "values", 1, a.exact(best[0], best[1]))
	}
}

// alignment returns the alignment with its index, its confidence and the reasons.
func (a *aligner) alignment() scoring.Alignment {
	out := scoring.Alignment{Source: "evidence", Columns: make([]scoring.ColumnPair, 0, len(a.pairs)), Confidence: 1}
	for i := range a.pairs {
		a.halt.Check()
		if a.pairs[i].Pred >= 0 {
			out.Columns = append(out.Columns, a.pairs[i])
		} else {
			out.Missing = append(out.Missing, i)
		}
	}
	for j := range a.pred {
		if !a.pred[j].taken {
			out.Extra = append(out.Extra, j)
			if a.isTrivial(j) {
				out.Trivial = append(out.Trivial, j)
			}
		}
	}
	out.Refused = a.refused
	out.Crossed = a.crossed
	out.Index = a.index(out.Columns)
	a.explain(&out)
	return out
}

// paired describes how a pair of columns was found if not by its values, and whether any of these agree. It has no
// figure: how many cells agree follows from the rows, which are matched later.
func paired(by string, overlap float64) string {
	if overlap == 0 {
		return "is paired by " + by + " alone"
	}
	return "is paired by " + by + " and agrees in part"
}

// explain sets the confidence of an alignment and the reasons for it.
func (a *aligner) explain(out *scoring.Alignment) {
	why := func(format string, args ...any) { out.Why = append(out.Why, fmt.Sprintf(format, args...)) }
	whole := 0
	for k := range out.Columns {
		c := &out.Columns[k]
		name := printable.Quoted(a.gold[c.Gold].col.Name)
		switch {
		case c.Overlap == 1 && c.Fact == "":
			whole++
		case c.Overlap == 1:
			whole++
			why("%s: %s", name, c.Fact)
			out.Confidence = math.Min(out.Confidence, a.factConfidence(c))
		case c.By == "values":
			why("%s agrees in part", name)
			out.Confidence = math.Min(out.Confidence, 0.5+0.4*c.Overlap)
		case c.By == "judge":
			why("%s %s", name, paired("the judge", c.Overlap))
			out.Confidence = math.Min(out.Confidence, 0.3+0.4*c.Overlap)
		default:
			why("%s %s", name, paired("its "+c.By, c.Overlap))
			out.Confidence = math.Min(out.Confidence, 0.3+0.4*c.Overlap)
		}
	}
	switch {
	case len(out.Columns) == 0 && len(a.gold) > 0:
		why("no column has a counterpart")
	case whole == len(a.gold) && whole == 1:
		out.Why = append([]string{"all values of its only column agree"}, out.Why...)
	case whole == len(a.gold):
		out.Why = append([]string{fmt.Sprintf("all %d columns agree in all values", whole)}, out.Why...)
	default:
		out.Why = append(
			[]string{fmt.Sprintf("%d of %s %s in all values", whole, printable.Count(len(a.gold), "column"),
				printable.Verb(whole, "agrees", "agree"))}, out.Why...)
	}
	if len(out.Missing) > 0 {
		why("%s %s no counterpart", printable.Count(len(out.Missing), "gold column"),
			printable.Verb(len(out.Missing), "has", "have"))
		out.Confidence = math.Min(out.Confidence, 0.5*float64(len(out.Columns))/float64(len(a.gold)))
	}
	if a.undecided {
		why("several columns hold the same values and the rows do not tell them apart")
		out.Confidence = math.Min(out.Confidence, 0.6)
	}
}

// factConfidence returns the confidence of a pair whose values all agree, but not exactly. It is higher the more
// distinct values the gold column has.
func (a *aligner) factConfidence(c *scoring.ColumnPair) float64 {
	if c.Scale == 0 && c.Tolerance <= noise && c.Within == 0 {
		return 0.99
	}
	return 1 - 0.3/float64(1+a.distinct(&a.gold[c.Gold], &c.Comparison))
}

// isRowNumber reports whether a column holds each of the numbers from 0 or 1 once for its rows, in any order.
func isRowNumber(c *scoring.Column) bool {
	if c.Type != scoring.Int64 || c.HasNulls() || c.Len() == 0 {
		return false
	}
	first := slices.Min(c.Ints())
	if first != 0 && first != 1 {
		return false
	}
	seen := make([]bool, c.Len())
	for _, n := range c.Ints() {
		if n -= first; n >= int64(len(seen)) || seen[n] {
			return false
		}
		seen[n] = true
	}
	return true
}

// isTrivial reports whether an extra predicted column has no information: row numbers, one value in all rows, or a copy
// of a paired column.
func (a *aligner) isTrivial(j int) bool {
	c := a.pred[j].col
	if isRowNumber(c) {
		return true
	}
	if !a.rowsEqual {
		a.pred[j].sum = cell.SumOf(c, a.natural(&a.pred[j]))
	}
	for k := range a.pred {
		if a.pred[k].taken && a.rowsEqual && a.pred[k].sum == a.pred[j].sum {
			return true
		}
	}
	var keys [64]uint64
	var first uint64
	view := a.natural(&a.pred[j])
	view.Verbatim = false
	for from := 0; from < c.Len(); from += len(keys) {
		k := keys[:min(len(keys), c.Len()-from)]
		cell.Keys(c, view, from, k)
		if from == 0 {
			first = k[0]
		}
		for _, key := range k {
			if key != first {
				return false
			}
		}
	}
	return true
}
