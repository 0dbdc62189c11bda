// Package aligntest is the test suite for aligners of results: those that find the correspondence of columns from
// the evidence, and those that ask a judge for it.
//
// [Contract] checks the form of an alignment, [Evidence] what it must find: cases whose answer can
// be reasoned out, and generated results that are changed in ways that keep the answer or break it.
package aligntest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// Align is an aligner.
type Align func(gold, pred *scoring.Table) scoring.Alignment

// runsVariable names the environment variable that sets how many generated results each property is
// tried on.
const runsVariable = "BADGER_PROPERTY_RUNS"

// runs returns the number of generated results that a property is tested on: usual in thorough tests, otherwise one in
// four of them.
func runs(t *testing.T, usual int) uint64 {
	t.Helper()
	s := os.Getenv(runsVariable)
	if s == "" {
		return uint64(sample.Count(usual, 4)) //nolint:gosec // a small constant
	}
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		t.Fatalf("%s: %v", runsVariable, err)
	}
	return n
}

// Contract checks that alignments fit the tables they are of, that every column has its place in
// them once, that the same tables have the same alignment, and that the order of columns whose
// names are unique does not matter.
func Contract(t *testing.T, align Align) {
	Form(t, align)
	t.Run("order of columns", func(t *testing.T) {
		for seed := range runs(t, 2000) {
			r := rand.New(rand.NewPCG(seed, 4))
			gold, pred, made := generated(seed)
			// which of two like columns is which may hang on their order
			if len(gold.rows) < 3 || !distinct(gold) || !distinct(pred) {
				continue
			}
			for c := range pred.columns {
				for slices.ContainsFunc(pred.columns[:c],
					func(other gridColumn) bool { return other.name == pred.columns[c].name }) {
					pred.columns[c].name += " again"
				}
			}
			before := named(align(gold.table(), pred.table()), gold, pred)
			gold.permuteColumns(r.Perm(len(gold.columns)))
			pred.permuteColumns(r.Perm(len(pred.columns)))
			if after := named(align(gold.table(), pred.table()), gold, pred); after != before {
				t.Fatalf("seed %d (%s): with the columns in another order it is\n%s\nnot\n%s", seed, made, after, before)
			}
		}
	})
}

// Form is the part of the contract that also holds for alignments that a judge or a user influenced: the alignment
// fits its tables, every column appears in it once, and equal tables get equal alignments.
func Form(t *testing.T, align Align) {
	t.Run("form", func(t *testing.T) {
		for seed := range runs(t, 2000) {
			gold, pred, made := generated(seed)
			gt, pt := gold.table(), pred.table()
			a := align(gt, pt)
			if err := wellFormed(&a, gt, pt); err != nil {
				t.Fatalf("seed %d (%s): %v\n%+v", seed, made, err, a)
			}
			if again := align(gt, pt); !reflect.DeepEqual(a, again) {
				t.Fatalf("seed %d (%s): the second time it is\n%+v\nafter\n%+v", seed, made, again, a)
			}
		}
	})
	t.Run("degenerate results", func(t *testing.T) {
		empty := func(columns, rows int) *scoring.Table {
			g := grid{rows: make([][]scoring.Value, rows)}
			for c := range columns {
				g.addColumn(strings.Repeat("x", c), "", func(int) scoring.Value { return scoring.NullValue })
			}
			return g.table()
		}
		for _, sizes := range [][4]int{{0, 0, 0, 0}, {0, 3, 0, 3}, {0, 3, 2, 3}, {2, 3, 0, 3}, {2, 0, 2, 0}, {2, 0, 3, 5},
			{3, 5, 2, 0}, {4, 5, 4, 5}, {1, 1, 9, 1}} {
			gold, pred := empty(sizes[0], sizes[1]), empty(sizes[2], sizes[3])
			a := align(gold, pred)
			if err := wellFormed(&a, gold, pred); err != nil {
				t.Errorf("%d columns of %d rows and %d of %d: %v\n%+v", sizes[0], sizes[1], sizes[2], sizes[3], err, a)
			}
		}
	})
}

// distinct reports whether no two columns hold the same values in any order, or values of the same kind.
func distinct(g *grid) bool {
	seen := map[string]bool{}
	for c := range g.columns {
		values, kind := strings.Join(slices.Sorted(slices.Values(g.cells(c))), "|"), g.columns[c].kind
		if seen[values] || seen[kind] {
			return false
		}
		seen[values], seen[kind] = true, true
	}
	return true
}

// generated returns two results with named columns. The second is the first after some changes, which made
// describes.
func generated(seed uint64) (gold, pred *grid, made string) {
	r := rand.New(rand.NewPCG(seed, 3))
	gold = randomGrid(r, 20)
	for c := range gold.columns {
		for slices.ContainsFunc(gold.columns[:c], func(other gridColumn) bool { return other.name == gold.columns[c].name }) {
			gold.columns[c].name += string(rune('b' + c))
		}
	}
	pred = gold.clone()
	var names []string
	for range r.IntN(4) {
		c := &keeping[r.IntN(len(keeping))]
		if r.IntN(3) == 0 {
			c = &breaking[r.IntN(len(breaking))]
		}
		if len(pred.rows) > 0 && c.apply(r, pred) {
			names = append(names, c.name)
		}
	}
	return gold, pred, strings.Join(names, ", ")
}

// named writes an alignment by the names of columns.
func named(a scoring.Alignment, gold, pred *grid) string {
	g := func(i int) string { return gold.columns[i].name }
	p := func(j int) string { return pred.columns[j].name }
	var lines []string
	for _, c := range a.Columns { // of several keys, the first may be preferred
		lines = append(lines, fmt.Sprintf("%q is %q %+v", g(c.Gold), p(c.Pred), c.Comparison))
	}
	for what, at := range map[string][]int{"extra": a.Extra, "trivial": a.Trivial} {
		for _, j := range at {
			lines = append(lines, fmt.Sprintf("%q %s", p(j), what))
		}
	}
	for _, i := range a.Missing {
		lines = append(lines, fmt.Sprintf("%q missing", g(i)))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// wellFormed checks an alignment against its tables: every gold column is paired or missing, once; every predicted
// column answers at most one gold column (but where gold repeats a column) or is extra; index columns are compared
// exactly and are unique on both sides.
func wellFormed(a *scoring.Alignment, gold, pred *scoring.Table) error {
	golds, preds := make([]int, len(gold.Columns)), make([]int, len(pred.Columns))
	in := func(list []int, n int) bool {
		return slices.IsSorted(list) && !slices.ContainsFunc(list, func(i int) bool { return i < 0 || i >= n })
	}
	if !in(a.Missing, len(golds)) || !in(a.Extra, len(preds)) || !in(a.Trivial, len(preds)) ||
		!in(a.Index, len(a.Columns)) {
		return fmt.Errorf("a list is out of order or of range")
	}
	if !slices.IsSortedFunc(a.Columns, func(x, y scoring.ColumnPair) int { return x.Gold - y.Gold }) {
		return fmt.Errorf("the pairs are not in the order of the gold columns")
	}
	for _, c := range a.Columns {
		if c.Gold < 0 || c.Gold >= len(golds) || c.Pred < 0 || c.Pred >= len(preds) {
			return fmt.Errorf("a pair names a column that does not exist")
		}
		golds[c.Gold]++
		if !strings.HasPrefix(c.Fact, "repeats") {
			preds[c.Pred]++
		}
		if !(c.Overlap >= 0 && c.Overlap <= 1) || !(c.Within >= 0) || !(c.Tolerance >= 0 && c.Tolerance < 1) {
			return fmt.Errorf("a pair is out of range: %+v", c)
		}
		switch c.Kind {
		case scoring.KindNumber, scoring.KindTime, scoring.KindBool, scoring.KindText:
		default:
			return fmt.Errorf("a pair has no kind: %+v", c)
		}
		switch c.By {
		case "values", "name", "position", "judge":
		default:
			return fmt.Errorf("a pair does not say by what it was found: %+v", c)
		}
	}
	for _, i := range a.Missing {
		golds[i]++
	}
	for _, j := range a.Extra {
		preds[j]++
	}
	once := func(n int) bool { return n != 1 }
	if slices.ContainsFunc(golds, once) || slices.ContainsFunc(preds, once) {
		return fmt.Errorf("a column has no place, or two")
	}
	for _, j := range a.Trivial {
		if !slices.Contains(a.Extra, j) {
			return fmt.Errorf("a trivial column is not extra")
		}
	}
	if !(a.Confidence >= 0 && a.Confidence <= 1) {
		return fmt.Errorf("confidence %v", a.Confidence)
	}
	if len(a.Index) == 0 {
		return nil
	}
	index := *a
	index.Columns = nil
	for _, k := range a.Index {
		if c := a.Columns[k]; !c.Exact() || c.Scale != 0 {
			return fmt.Errorf("an index column is not compared exactly: %+v", c)
		}
		index.Columns = append(index.Columns, a.Columns[k])
	}
	for goldSide, t := range map[bool]*scoring.Table{true: gold, false: pred} {
		seen := map[string]bool{}
		for i := range t.Rows() {
			key := ""
			for _, c := range index.Columns {
				col, v := &t.Columns[c.Pred%len(t.Columns)], cell.View{Kind: c.Kind, Format: c.PredFormat}
				if goldSide {
					col, v = &t.Columns[c.Gold], cell.View{Kind: c.Kind, Format: c.GoldFormat}
				}
				one := make([]uint64, 1)
				cell.Keys(col, v, i, one)
				key += fmt.Sprint(one, "|")
			}
			if seen[key] {
				return fmt.Errorf("the index is not unique")
			}
			seen[key] = true
		}
	}
	return nil
}

// Evidence checks what an aligner finds: the score under its alignments is exactly 1 where the
// answer was kept, and less if it was broken.
func Evidence(t *testing.T, align Align) {
	t.Run("cases", func(t *testing.T) { testCases(t, align) })
	score := func(gold, pred *grid) (float64, scoring.Alignment) {
		gt, pt := gold.table(), pred.table()
		a := align(gt, pt)
		return cell.Compare(gt, pt, &a, cell.Options{}).Score, a
	}
	t.Run("changes that keep the answer", func(t *testing.T) {
		for seed := range runs(t, 4000) {
			r := rand.New(rand.NewPCG(seed, 1))
			gold := randomGrid(r, 25)
			if r.IntN(4) == 0 {
				for range r.IntN(4) {
					gold.rows = append(gold.rows, slices.Clone(gold.rows[r.IntN(len(gold.rows))]))
				}
			}
			pred := gold.clone()
			var made []string
			for range 1 + r.IntN(5) {
				if c := &keeping[r.IntN(len(keeping))]; c.apply(r, pred) {
					made = append(made, c.name)
				}
			}
			if s, a := score(gold, pred); s != 1 {
				t.Fatalf("seed %d: after %s the score is %v\n%s", seed, strings.Join(made, ", "), s, named(a, gold, pred))
			}
		}
	})
	t.Run("changes that break it", func(t *testing.T) {
		broken := map[string]int{}
		n := runs(t, 4000)
		for seed := range n {
			r := rand.New(rand.NewPCG(seed, 2))
			gold := randomGrid(r, 12)
			if len(gold.rows) < 2 {
				continue // one value may be near another by chance
			}
			pred := gold.clone()
			made := []string{}
			add := func(cs []change) {
				if c := &cs[r.IntN(len(cs))]; len(pred.rows) > 0 && c.apply(r, pred) {
					made = append(made, c.name)
				}
			}
			if len(gold.rows) > 2 && r.IntN(3) == 0 {
				add(keeping[firstAddition:])
			}
			add(breaking)
			if slices.ContainsFunc(gold.allNull(), func(null bool) bool { return null }) || same(gold, pred) {
				continue // padding answers a column without any value
			}
			broken[made[len(made)-1]]++
			for range r.IntN(3) {
				add(keeping[:firstAddition])
			}
			if s, a := score(gold, pred); s >= 1 {
				t.Fatalf("seed %d: after %s the score is %v\n%s", seed, strings.Join(made, ", "), s, named(a, gold, pred))
			}
		}
		for _, c := range breaking {
			if uint64(broken[c.name]) < n/100 {
				t.Errorf("%q broke only %d of %d results: the test no longer covers it", c.name, broken[c.name], n)
			}
		}
	})
}

// allNull reports for every column whether it holds no value.
func (g *grid) allNull() []bool {
	out := make([]bool, len(g.columns))
	for c := range out {
		out[c] = !slices.ContainsFunc(g.rows, func(row []scoring.Value) bool { return !row[c].IsNull() })
	}
	return out
}
