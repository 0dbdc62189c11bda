package metric

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/resultfile"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring"
	relations "github.com/badger-eval/badger/scoring/relation"
)

// rearranged is a result with its rows and columns in another order.
func rearranged(tb testing.TB, rng *rand.Rand, t *scoring.Table) *scoring.Table {
	tb.Helper()
	rows := rng.Perm(t.Rows())
	var columns []scoring.Column
	for _, from := range rng.Perm(len(t.Columns)) {
		c := &t.Columns[from]
		b := scoring.NewBuilder(c.Name, c.Type, len(rows))
		for _, i := range rows {
			b.Append(c.Value(i))
		}
		moved := b.Column()
		moved.Scale = c.Scale // of doubles, the digits that they were written with
		columns = append(columns, moved)
	}
	if columns == nil {
		return scoring.EmptyTable(t.Rows())
	}
	out, err := scoring.NewTable(columns...)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// told is the complete output for two results, with columns by name and rows by content.
func told(gold, pred *scoring.Table) string {
	h := CompareResults(gold, pred)
	var b strings.Builder
	r := &h.Counts
	fmt.Fprintf(&b, "%v %s: %d and %d rows, %d matched, %d equal, %d without a partner, %d columns, %d NULL\n%s\n", r.Score, r.Method, r.GoldRows, r.PredRows, r.Matched, r.Equal, r.Unmatched, r.Compared, r.NullFilled, h.Reason())
	a := &h.Alignment
	fmt.Fprintf(&b, "confidence %v: %s\n", a.Confidence, strings.Join(a.Why, "; "))
	var lines []string
	for k, c := range a.Columns {
		lines = append(lines, fmt.Sprintf("%q is %q by %s, overlap %v, index %v, equal %d: %+v", h.GoldColumns[c.Gold], h.PredColumns[c.Pred], c.By, c.Overlap, slices.Contains(a.Index, k), at(r.ColumnEqual, c.Gold), c.Comparison))
	}
	for what, list := range map[string][]int{"extra": a.Extra, "trivial": a.Trivial} {
		for _, j := range list {
			lines = append(lines, fmt.Sprintf("%q %s", h.PredColumns[j], what))
		}
	}
	for _, i := range a.Missing {
		lines = append(lines, fmt.Sprintf("%q missing", h.GoldColumns[i]))
	}
	slices.Sort(lines)
	b.WriteString(strings.Join(lines, "\n"))
	lines = nil
	for i, j := range r.Pairs {
		if j >= 0 {
			lines = append(lines, rowText(gold, i, a.Columns, func(c scoring.ColumnPair) int { return c.Gold })+" with "+rowText(pred, int(j), a.Columns, func(c scoring.ColumnPair) int { return c.Pred }))
		}
	}
	slices.Sort(lines)
	b.WriteString("\n" + strings.Join(lines, "\n"))
	for _, found := range relations.Find(relations.Input{Gold: gold, Pred: pred}) {
		if found.Name == "same" || found.Name == "permuted" {
			continue // which of the two it is says how the columns stand
		}
		fmt.Fprintf(&b, "\n%s: %s", found.Name, found.Text)
	}
	return b.String()
}

func at(list []int, i int) int {
	if list == nil {
		return -1
	}
	return list[i]
}

// rowText is the compared cells of a row, by the names of gold's columns.
func rowText(t *scoring.Table, row int, pairs []scoring.ColumnPair, of func(scoring.ColumnPair) int) string {
	var cells []string
	for _, p := range pairs {
		cells = append(cells, t.Columns[of(p)].Name+"="+t.Columns[of(p)].Value(row).String())
	}
	slices.Sort(cells)
	return strings.Join(cells, ",")
}

// differenceOf is the first line in which two texts differ.
func differenceOf(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("%s\nwas\n%s", y[i], x[i])
		}
	}
	return fmt.Sprintf("%d lines, not %d", len(y), len(x))
}

// What is said of two results does not depend on the order of their rows and columns.
func TestOrderOfRowsAndColumnsDoesNotMatter(t *testing.T) {
	check := func(t *testing.T, id string, rng *rand.Rand, gold, pred *scoring.Table) bool {
		t.Helper()
		before := told(gold, pred)
		for range 2 {
			if after := told(rearranged(t, rng, gold), rearranged(t, rng, pred)); after != before {
				t.Errorf("%s: in another order: %s", id, differenceOf(before, after))
				return false
			}
		}
		return true
	}
	for _, set := range []string{"rosevec/cases", "flex200/cases", "maple/cases", "splash/cases", "splash/same_result", "traps/cases"} {
		t.Run(set, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, 1))
			checked, failed := 0, 0
			all := recordedCases(t, set+".jsonl")
			for i, c := range all {
				if !sample.Takes(i, len(all), 24) || !c.hasResults() {
					continue
				}
				checked++
				if !check(t, c.ID, rng, c.Golds[0].Result.Table, c.Pred.Result.Table) {
					failed++
				}
			}
			if checked == 0 || failed > 0 {
				t.Errorf("%d of %d cases", failed, checked)
			}
		})
	}
	t.Run("spider2", func(t *testing.T) {
		path := referenceData(t, "spider2/cases.jsonl")
		rng := rand.New(rand.NewPCG(3, 2))
		all := recordedCases(t, "spider2/cases.jsonl")
		for i, c := range all {
			if !sample.Takes(i, len(all), 24) {
				continue
			}
			var results [2]*scoring.Table
			for side, ref := range []string{c.Golds[0].Result.Ref, c.Pred.Result.Ref} {
				var err error
				if results[side], err = resultfile.Read(t.Context(), filepath.Join(filepath.Dir(path), strings.TrimPrefix(ref, "file:")), nil); err != nil {
					t.Fatal(err)
				}
			}
			if results[0].Rows() <= 2000 && results[1].Rows() <= 2000 {
				check(t, c.ID, rng, results[0], results[1])
			}
		}
	})
	t.Run("generated", func(t *testing.T) {
		for seed := range uint64(sample.Count(600, 12)) { //nolint:gosec // few
			rng := rand.New(rand.NewPCG(seed, 3))
			gold, pred := fewOf(rng), fewOf(rng)
			if rng.IntN(2) == 0 {
				pred = rearranged(t, rng, gold)
				for k := range pred.Columns { // a few cells from elsewhere
					b := scoring.NewBuilder(pred.Columns[k].Name, pred.Columns[k].Type, pred.Rows())
					for i := range pred.Rows() {
						if rng.IntN(6) == 0 {
							i = rng.IntN(pred.Rows())
						}
						b.Append(pred.Columns[k].Value(i))
					}
					pred.Columns[k] = b.Column()
				}
			}
			if !check(t, fmt.Sprint("seed ", seed), rng, gold, pred) {
				return
			}
		}
	})
}

// fewOf makes a result of few rows and columns whose names are its own, of values that repeat.
func fewOf(rng *rand.Rand) *scoring.Table {
	rows := 1 + rng.IntN(12)
	columns := make([]scoring.Column, 1+rng.IntN(5))
	for k := range columns {
		name, card := fmt.Sprintf("%c%d", 'a'+rune(rng.IntN(26)), k), 1+rng.IntN(6)
		switch rng.IntN(3) {
		case 0:
			b := scoring.NewBuilder(name, scoring.Int64, rows)
			for range rows {
				b.AppendInt(int64(rng.IntN(card)))
			}
			columns[k] = b.Column()
		case 1:
			b := scoring.NewBuilder(name, scoring.String, rows)
			for range rows {
				if rng.IntN(8) == 0 {
					b.AppendNull()
				} else {
					b.Append(scoring.StringValue(fmt.Sprint("t", rng.IntN(card))))
				}
			}
			columns[k] = b.Column()
		default:
			b := scoring.NewBuilder(name, scoring.Float64, rows)
			for range rows {
				b.AppendFloat(100 + 0.4*float64(rng.IntN(card)))
			}
			columns[k] = b.Column()
		}
	}
	t, err := scoring.NewTable(columns...)
	if err != nil {
		panic(err)
	}
	return t
}
