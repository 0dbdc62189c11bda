package cell

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/badger-eval/badger/scoring"
)

// maxPaper is the maximum number of comparisons of cells in [Paper]. Its loop is quadratic in the rows, and its value
// is only for comparison with the paper, whose results have at most 100 rows.
const maxPaper = 1 << 17

// Paper returns the value of Algorithm 2 of the BADGER paper (section 5.2) as printed. The first row with the
// highest score is taken, so the order of rows matters. Without an index, unmatched rows are excluded from the
// mean; with one, repeated keys multiply rows. Numbers, whole or not, are equal if they differ by at most delta of
// the larger one, regardless of units. Strings are compared in lower case without surrounding blanks. Columns that
// a side lacks are padded with NULL. The input that the algorithm takes from a model is taken from the alignment.
// omitted is the reason if there is no value.
func Paper(gold, pred *scoring.Table, a *scoring.Alignment, delta float64) (score float64, omitted string) {
	golds, preds := gold.Rows(), pred.Rows()
	switch { // lines 1-4
	case golds == 0 && preds == 0:
		return 1, ""
	case golds == 0 || preds == 0:
		return 0, ""
	}
	all, indexed := columns(gold, pred, a, Options{PenalizeExtra: true})
	index, compared := all[:indexed], all[indexed:]
	width := max(1, len(compared))
	if len(index) > 0 { // lines 12-19
		if max(golds, preds) > maxPaper/width {
			return 0, omittedPaper
		}
		return paperJoin(index, compared, golds, preds, delta)
	}
	if golds > maxPaper/width/preds {
		return 0, omittedPaper
	}
	if len(compared) == 0 {
		return 1, "" // rows without cells
	}
	cols := paperColumns(compared, golds, preds, delta)
	left := make([]int32, preds)
	for j := range left {
		left[j] = int32(j) //nolint:gosec // bounded above
	}
	total, matched := 0, min(golds, preds)
	for i := range matched { // lines 22-28
		best, most := 0, -1
		for at, j := range left {
			if n := paperRow(cols, i, int(j), most); n > most {
				if best, most = at, n; n == len(cols) {
					break
				}
			}
		}
		total += most
		left = slices.Delete(left, best, best+1)
	}
	return float64(total) / float64(len(cols)*matched), ""
}

var omittedPaper = fmt.Sprintf("it takes more than %d comparisons of cells", maxPaper)

func paperJoin(index, compared []pair, golds, preds int, delta float64) (score float64, omitted string) {
	for k := range index {
		index[k].load(golds, preds, false)
		index[k].resolve(golds, preds, false)
	}
	gk, rows := keysOf(index, golds, true), newFinder(keysOf(index, preds, false))
	cols := paperColumns(compared, golds, preds, delta)
	total, joined, alone := 0, 0, 0
	met := make([]bool, preds)
	for i, key := range gk {
		j := rows.after(key, -1)
		if j < 0 {
			alone++
		}
		for ; j >= 0; j = rows.after(key, j) {
			if joined++; joined > maxPaper/max(1, len(cols)) {
				return 0, omittedPaper
			}
			met[j] = true
			if len(cols) == 0 { // nothing is left to compare, and the row exists
				total++
			}
			total += paperRow(cols, i, int(j), -1)
		}
	}
	for _, m := range met {
		if !m {
			alone++
		}
	}
	return float64(total) / float64(max(1, len(cols))*(joined+alone)), ""
}

// finder finds rows by key: by a linear search if there are few rows, else with chains.
type finder struct {
	keys   []uint64
	chains *chains
}

func newFinder(keys []uint64) finder {
	if len(keys) <= 32 {
		return finder{keys: keys}
	}
	return finder{keys, newChains(keys)}
}

// after returns the first row with a key after row j, or -1. j is -1 for the first row.
func (f finder) after(key uint64, j int32) int32 {
	switch {
	case f.chains != nil && j < 0:
		return f.chains.root(key)
	case f.chains != nil:
		return f.chains.next[j]
	}
	for j++; int(j) < len(f.keys); j++ {
		if f.keys[j] == key {
			return j
		}
	}
	return -1
}

// paperColumn holds the cells of a compared column as CELLMATCH compares them.
type paperColumn struct {
	g, p   []uint64  // keys of strings and dates; NullKey for NULL
	gm, pm []float64 // the numbers, NaN for a cell that is not a number; nil if the column is not numeric
	delta  float64
}

func paperColumns(compared []pair, golds, preds int, delta float64) []paperColumn {
	cols := make([]paperColumn, len(compared))
	keys, numbers := make([]uint64, len(cols)*(golds+preds)), make([]float64, len(cols)*(golds+preds))
	for k := range cols {
		c, from := &cols[k], k*(golds+preds)
		c.g, c.p, c.delta = keys[from:][:golds], keys[from+golds:][:preds], delta
		kind := compared[k].cmp.Kind
		if kind == scoring.KindNumber {
			c.gm, c.pm = numbers[from:][:golds], numbers[from+golds:][:preds]
		}
		paperRead(compared[k].gold, View{Kind: kind, Format: compared[k].cmp.GoldFormat}, c.g, c.gm)
		paperRead(compared[k].pred, View{Kind: kind, Format: compared[k].cmp.PredFormat}, c.p, c.pm)
	}
	return cols
}

// paperRead sets the keys and numbers of one side of a column. They stay zero, that is NULL, if c is nil.
func paperRead(c *scoring.Column, v View, keys []uint64, numbers []float64) {
	if c == nil {
		return
	}
	for i := range keys {
		val := c.Value(i)
		if numbers != nil {
			number := val
			if val.Type == scoring.String {
				number, _ = scoring.ParseDecimal([]byte(strings.TrimSpace(val.Text())))
			}
			numbers[i] = magnitude(number)
		}
		switch {
		case val.IsNull() || val.Type == scoring.Float64 && math.IsNaN(val.Float()):
			keys[i] = NullKey
		case v.Kind == scoring.KindTime:
			keys[i] = valueKey(Read(c, v, i))
		case numbers == nil || math.IsNaN(numbers[i]):
			text := val.Text()
			if val.Type != scoring.String {
				text = val.String()
			}
			keys[i] = nonNull(xxhash.Sum64String(strings.ToLower(strings.TrimSpace(text))))
		default:
			keys[i] = tagNumber // a number is not a string
		}
	}
}

// paperRow returns the number of columns in which two rows match, or -1 once it cannot exceed most.
func paperRow(cols []paperColumn, i, j, most int) int {
	n := 0
	for k := range cols {
		if cols[k].matches(i, j) {
			n++
		} else if n+len(cols)-1-k <= most {
			return -1
		}
	}
	return n
}

// matches reports whether two cells match by CELLMATCH (lines 33-42).
func (c *paperColumn) matches(i, j int) bool {
	g, p := c.g[i], c.p[j]
	if g == NullKey || p == NullKey {
		return g == p
	}
	if c.gm != nil {
		if a, b := c.gm[i], c.pm[j]; a == a && b == b {
			return math.Abs(a-b)/max(math.Abs(a), math.Abs(b), 1e-10) <= c.delta || a == b
		}
	}
	return g == p
}
