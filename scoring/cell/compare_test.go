package cell_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// What follows is what Compare and Paper must return, as slow as it can be said: the cells one by
// one, the best assignment of rows by the method of shortest augmenting paths, and Algorithm 2 of
// the BADGER paper (section 5.2) line by line.

// naiveColumn is one compared or index column: values of both sides, as read; a side that lacks the
// column is NULL.
type naiveColumn struct {
	g, p []scoring.Value
	cmp  scoring.Comparison
	gold int // position of the gold column, or -1
}

// matches is CELLMATCH (lines 33-42).
func (c *naiveColumn) matches(i, j int) bool {
	g, p := c.g[i], c.p[j]
	nullG, nullP := isNull(g), isNull(p)
	switch {
	case nullG && nullP:
		return true
	case nullG || nullP:
		return false
	}
	switch c.cmp.Kind {
	case scoring.KindNumber:
		a, okA := number(g)
		b, okB := number(p)
		if okA != okB {
			return false
		}
		if okA {
			return c.near(a, b)
		}
	case scoring.KindTime:
		a, okA := instant(g)
		b, okB := instant(p)
		if okA && okB {
			return a == b
		}
	}
	return plainText(g) == plainText(p)
}

// plainText is lower(strip(v)), with inner blanks as one and Unicode composed.
func plainText(v scoring.Value) string {
	return strings.Join(strings.Fields(strings.ToLower(norm.NFC.String(v.String()))), " ")
}

func (c *naiveColumn) near(g, p *big.Rat) bool {
	if c.cmp.Exact() && c.cmp.Scale == 0 {
		return g.Cmp(p) == 0
	}
	a, _ := g.Float64()
	b, _ := p.Float64()
	b *= math.Pow(10, float64(c.cmp.Scale))
	diff := math.Abs(a - b)
	return diff <= c.cmp.Within || diff/math.Max(math.Max(math.Abs(a), math.Abs(b)), 1e-10) <= c.cmp.Tolerance
}

func isNull(v scoring.Value) bool {
	return v.IsNull() || v.Type == scoring.Float64 && math.IsNaN(v.Float())
}

func number(v scoring.Value) (*big.Rat, bool) {
	if v.Type == scoring.Bool {
		return new(big.Rat).SetInt64(v.Int()), true
	}
	if !v.Type.Numeric() {
		return nil, false
	}
	return new(big.Rat).SetString(v.String())
}

func instant(v scoring.Value) (string, bool) {
	switch v.Type {
	case scoring.Date:
		return v.String() + " 00:00:00", true
	case scoring.Timestamp, scoring.TimestampTZ:
		return strings.TrimSuffix(v.String(), "Z"), true
	}
	return "", false
}

type naiveResult struct {
	method             string
	score              float64
	matched, unmatched int
}

// naive counts equal cells under the best assignment of rows, among rows of one key if there is
// an index.
func naive(golds, preds int, compared, index []naiveColumn) naiveResult {
	switch {
	case golds == 0 && preds == 0:
		return naiveResult{method: cell.MethodTrivial, score: 1}
	case golds == 0 || preds == 0:
		return naiveResult{method: cell.MethodTrivial, unmatched: max(golds, preds)}
	}
	sameKey := func(i, j int) bool {
		return !slices.ContainsFunc(index, func(c naiveColumn) bool { return !c.matches(i, j) })
	}
	r := naiveResult{method: cell.MethodContent}
	rows := max(golds, preds)
	total := 0
	if len(index) == 0 {
		r.matched = min(golds, preds)
		total = best(compared, count(golds), count(preds))
	} else {
		r.method = cell.MethodIndex
		taken := make([]bool, preds)
		for i := range golds {
			if slices.ContainsFunc(count(preds), func(j int) bool { return taken[j] && sameKey(i, j) }) {
				continue // this key was seen
			}
			var gs, ps []int
			for j := range preds {
				if sameKey(i, j) {
					ps, taken[j] = append(ps, j), true
				}
			}
			if len(ps) == 0 {
				continue
			}
			for k := range golds {
				if sameKey(k, ps[0]) {
					gs = append(gs, k)
				}
			}
			r.matched += min(len(gs), len(ps))
			total += best(compared, gs, ps)
		}
		rows = golds + preds - r.matched
	}
	r.unmatched = rows - r.matched
	if len(compared) == 0 {
		r.score = float64(r.matched) / float64(rows)
	} else {
		r.score = float64(total) / float64(rows*len(compared))
	}
	return r
}

func count(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// best is the largest number of equal cells under any assignment of rows: Bellman and Ford's
// shortest augmenting paths, one row after the other.
func best(compared []naiveColumn, gs, ps []int) (total int) {
	equal := make([][]int, len(gs))
	for a, i := range gs {
		equal[a] = make([]int, len(ps))
		for b, j := range ps {
			for k := range compared {
				if compared[k].matches(i, j) {
					equal[a][b]++
				}
			}
		}
	}
	partner := make([]int, len(ps)) // of each predicted row
	for b := range partner {
		partner[b] = -1
	}
	for a := range gs {
		gain, from := make([]int, len(ps)), make([]int, len(ps)) // by taking this predicted row, and whose partner it takes it from
		for b := range ps {
			gain[b], from[b] = equal[a][b], -1
		}
		for changed := true; changed; {
			changed = false
			for b, owner := range partner {
				if owner < 0 {
					continue
				}
				for c := range ps { // the owner of b moves to c
					if n := gain[b] - equal[owner][b] + equal[owner][c]; c != b && n > gain[c] {
						gain[c], from[c], changed = n, b, true
					}
				}
			}
		}
		most, end := 0, -1 // or it stays alone
		for b, owner := range partner {
			if owner < 0 && gain[b] > most {
				most, end = gain[b], b
			} else if owner >= 0 && gain[b]-equal[owner][b] > most {
				most, end = gain[b]-equal[owner][b], b // the owner stays alone
			}
		}
		total += most
		for end >= 0 {
			next := from[end]
			if next < 0 {
				partner[end] = a
			} else {
				partner[end] = partner[next]
			}
			end = next
		}
	}
	return total
}

// printed is Algorithm 2, with the rows and columns in the order they come in.
func printed(golds, preds int, compared, index []naiveColumn, delta float64) float64 {
	switch {
	case golds == 0 && preds == 0: // lines 1-2
		return 1
	case golds == 0 || preds == 0: // lines 3-4
		return 0
	}
	rowScore := func(i, j int) float64 {
		if len(compared) == 0 {
			return 1
		}
		n := 0
		for k := range compared {
			if compared[k].cellMatch(i, j, delta) {
				n++
			}
		}
		return float64(n) / float64(len(compared))
	}
	total, rows := 0.0, 0
	if len(index) > 0 { // lines 12-19
		alone := make([]bool, preds)
		for j := range alone {
			alone[j] = true
		}
		for i := range golds {
			joined := false
			for j := range preds {
				if !slices.ContainsFunc(index, func(c naiveColumn) bool { return !c.matches(i, j) }) {
					total += rowScore(i, j)
					rows++
					joined, alone[j] = true, false
				}
			}
			if !joined {
				rows++
			}
		}
		for _, a := range alone {
			if a {
				rows++
			}
		}
		return total / float64(rows)
	}
	left := count(preds) // lines 22-28
	for i := range golds {
		if len(left) == 0 {
			break
		}
		best, most := -1, -1.0
		for k, j := range left {
			if s := rowScore(i, j); s > most {
				best, most = k, s
			}
		}
		total += most
		rows++
		left = slices.Delete(left, best, best+1)
	}
	return total / float64(rows)
}

// cellMatch is CELLMATCH (lines 33-42).
func (c *naiveColumn) cellMatch(i, j int, delta float64) bool {
	g, p := c.g[i], c.p[j]
	if isNull(g) || isNull(p) {
		return isNull(g) && isNull(p)
	}
	switch c.cmp.Kind {
	case scoring.KindNumber:
		a, okA := number(g)
		b, okB := number(p)
		if okA && okB {
			x, _ := a.Float64()
			y, _ := b.Float64()
			return math.Abs(x-y)/math.Max(math.Max(math.Abs(x), math.Abs(y)), 1e-10) <= delta
		}
	case scoring.KindTime:
		a, _ := instant(g)
		b, _ := instant(p)
		return a == b
	}
	text := func(v scoring.Value) string { return strings.ToLower(strings.TrimSpace(v.String())) }
	return text(g) == text(p)
}

// pool is what the cells of a column are drawn from: values that meet each other across types.
func pool(rng *rand.Rand, kind scoring.Kind, spread float64) func(typ scoring.Type) scoring.Value {
	card := []int{1, 2, 4, 12}[rng.IntN(4)]
	switch kind {
	case scoring.KindText:
		texts := []string{"North", " north", "NORTH  ", "south", "South\tEast", "south east", "", "é", "E\u0301", "1", "1.0", "x"}
		return func(scoring.Type) scoring.Value { return scoring.StringValue(texts[rng.IntN(min(card*2, len(texts)))]) }
	case scoring.KindTime:
		return func(typ scoring.Type) scoring.Value {
			day := int64(rng.IntN(card))
			switch typ {
			case scoring.Date:
				return scoring.DateValue(day)
			default:
				return scoring.TimestampValue(typ, day*86400+int64(rng.IntN(2))*3600, int32(rng.IntN(2)))
			}
		}
	case scoring.KindBool:
		return func(scoring.Type) scoring.Value { return scoring.BoolValue(rng.IntN(2) == 0) }
	}
	return func(typ scoring.Type) scoring.Value {
		k := rng.IntN(card)
		if spread > 0 { // for comparisons that allow a difference: powers that meet no bound exactly
			return scoring.FloatValue(100 * math.Pow(spread, float64(k)))
		}
		switch typ {
		case scoring.Int64:
			return scoring.IntValue(int64(k))
		case scoring.Decimal:
			return scoring.DecimalValue(int64(k*50), 2)
		case scoring.String:
			return scoring.StringValue([]string{"$%d.00", "%d", " %d.0", "(%d)"}[rng.IntN(3)])
		}
		return scoring.FloatValue(float64(k) / 2)
	}
}

type randomCase struct {
	gold, pred      *scoring.Table
	alignment       scoring.Alignment
	compared, index []naiveColumn
	printed         []naiveColumn // what the printed algorithm compares
	options         cell.Options
}

// random makes two results with an alignment between them, and the same for the naive algorithm.
func random(t *testing.T, rng *rand.Rand) randomCase {
	t.Helper()
	var c randomCase
	golds, preds := rng.IntN(9), rng.IntN(9)
	switch rng.IntN(8) {
	case 0:
		golds = 0
	case 1:
		preds = 0
	case 2:
		golds, preds = 20+rng.IntN(60), 20+rng.IntN(60)
	case 3:
		preds = golds
	}
	copied := rng.IntN(3) == 0 // predicted rows are gold rows in another order
	order := rng.Perm(max(golds, 1))
	values := func(n int, make func() scoring.Value) []scoring.Value {
		out := []scoring.Value{}
		for range n {
			if rng.IntN(8) == 0 {
				out = append(out, scoring.NullValue)
			} else {
				out = append(out, make())
			}
		}
		return out
	}
	column := func(typ scoring.Type, vs []scoring.Value) scoring.Column {
		b := scoring.NewBuilder(fmt.Sprint("c", rng.IntN(3)), typ, 0)
		for _, v := range vs {
			b.Append(v)
		}
		return b.Column()
	}
	var goldColumns, predColumns []scoring.Column
	pairs := rng.IntN(5)
	numbers := []scoring.Type{scoring.Int64, scoring.Float64, scoring.Decimal}
	times := []scoring.Type{scoring.Date, scoring.Timestamp, scoring.TimestampTZ}
	for range pairs {
		cmp := scoring.Comparison{Kind: []scoring.Kind{scoring.KindNumber, scoring.KindNumber, scoring.KindText, scoring.KindTime, scoring.KindBool}[rng.IntN(5)]}
		gt, pt, spread := scoring.String, scoring.String, 0.0
		switch cmp.Kind {
		case scoring.KindNumber:
			gt, pt = numbers[rng.IntN(3)], numbers[rng.IntN(3)]
			switch rng.IntN(5) {
			case 0: // nearness falls into classes
				spread, cmp.Tolerance = 1.05, 0.01
			case 1: // it does not
				spread, cmp.Tolerance = 1.003, 0.01
			case 2:
				spread, cmp.Within = 1.003, 0.7
			case 3: // a percentage; every power is about ten steps of a tenth
				spread, cmp.Scale, cmp.Tolerance = 1.004, -2, 0.006
			}
			if spread > 0 {
				gt, pt = scoring.Float64, scoring.Float64
			}
		case scoring.KindTime:
			gt, pt = times[rng.IntN(3)], times[rng.IntN(3)]
		case scoring.KindBool:
			gt, pt = scoring.Bool, scoring.Bool
		}
		draw := pool(rng, cmp.Kind, spread)
		g := values(golds, func() scoring.Value { return draw(gt) })
		p := values(preds, func() scoring.Value {
			v := draw(pt)
			if cmp.Scale == -2 && rng.IntN(3) > 0 {
				v = scoring.FloatValue(v.Float() * 100)
			}
			return v
		})
		if copied && golds > 0 {
			for j := range p {
				if rng.IntN(10) > 0 {
					p[j] = g[order[j%golds]]
					if cmp.Scale == -2 && !p[j].IsNull() {
						p[j] = scoring.FloatValue(p[j].Float() * 100)
					}
				}
			}
			pt = scoring.Null // whatever comes
			if cmp.Kind != scoring.KindNumber {
				pt = gt
			}
		}
		if cmp.Kind == scoring.KindNumber && rng.IntN(6) == 0 { // a text among the numbers
			for _, vs := range [][]scoring.Value{g, p} {
				if len(vs) > 0 {
					vs[rng.IntN(len(vs))] = scoring.StringValue([]string{"n/a", "N/A", "?"}[rng.IntN(3)])
				}
			}
			gt, pt = scoring.Any, scoring.Any
		}
		c.alignment.Columns = append(c.alignment.Columns, scoring.ColumnPair{Gold: len(goldColumns), Pred: len(predColumns), Comparison: cmp})
		n := naiveColumn{g: g, p: p, cmp: cmp, gold: len(goldColumns)}
		goldColumns, predColumns = append(goldColumns, column(gt, g)), append(predColumns, column(pt, p))
		if rng.IntN(3) == 0 && cmp.Exact() && cmp.Scale == 0 {
			c.alignment.Index = append(c.alignment.Index, len(c.alignment.Columns)-1)
			c.index = append(c.index, n)
		} else {
			c.compared = append(c.compared, n)
		}
	}
	for range rng.IntN(3) { // gold columns that pred lacks
		draw := pool(rng, scoring.KindNumber, 0)
		g := values(golds, func() scoring.Value { return draw(scoring.Int64) })
		c.alignment.Missing = append(c.alignment.Missing, len(goldColumns))
		c.compared = append(c.compared, naiveColumn{g: g, p: make([]scoring.Value, preds), gold: len(goldColumns), cmp: scoring.Comparison{Kind: scoring.KindNumber}})
		goldColumns = append(goldColumns, column(scoring.Int64, g))
	}
	c.options = cell.Options{PenalizeExtra: rng.IntN(2) == 0, Pairs: true}
	c.printed = slices.Clone(c.compared)
	for range rng.IntN(3) { // predicted columns that gold lacks
		draw := pool(rng, scoring.KindNumber, 0)
		p := values(preds, func() scoring.Value { return draw(scoring.Int64) })
		c.alignment.Extra = append(c.alignment.Extra, len(predColumns))
		if rng.IntN(2) == 0 {
			c.alignment.Trivial = append(c.alignment.Trivial, len(predColumns))
		} else {
			n := naiveColumn{g: make([]scoring.Value, golds), p: p, gold: -1, cmp: scoring.Comparison{Kind: scoring.KindNumber}}
			c.printed = append(c.printed, n)
			if c.options.PenalizeExtra {
				c.compared = append(c.compared, n)
			}
		}
		predColumns = append(predColumns, column(scoring.Int64, p))
	}
	c.gold, c.pred = table(t, golds, goldColumns), table(t, preds, predColumns)
	return c
}

func table(t testing.TB, rows int, columns []scoring.Column) *scoring.Table {
	t.Helper()
	if len(columns) == 0 {
		return scoring.EmptyTable(rows)
	}
	out, err := scoring.NewTable(columns...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestCompareFindsTheBestAssignment(t *testing.T) {
	methods := map[string]int{}
	between := 0
	runs := propertyRuns(t, 6000)
	for seed := range uint64(runs) {
		rng := rand.New(rand.NewPCG(seed, 11))
		c := random(t, rng)
		golds, preds := c.gold.Rows(), c.pred.Rows()
		got := cell.Compare(c.gold, c.pred, &c.alignment, c.options)
		want := naive(golds, preds, c.compared, c.index)
		methods[got.Method]++
		if got.Score > 0 && got.Score < 1 {
			between++
		}
		fail := func(what string, got, want any) {
			t.Helper()
			t.Fatalf("seed %d, %d and %d rows, %d compared and %d index columns: %s %v, want %v", seed, golds, preds, len(c.compared), len(c.index), what, got, want)
		}
		if math.Abs(got.Score-want.score) > 1e-12 {
			fail("score", got.Score, want.score)
		}
		if got.Matched != want.matched || got.Unmatched != want.unmatched {
			fail("matched and unmatched rows", []int{got.Matched, got.Unmatched}, []int{want.matched, want.unmatched})
		}
		nulls := len(c.alignment.Missing)
		if c.options.PenalizeExtra {
			nulls += len(c.alignment.Extra) - len(c.alignment.Trivial)
		}
		if got.NullFilled != nulls || got.Compared != len(c.compared) || got.GoldRows != golds || got.PredRows != preds {
			fail("columns filled with NULL, columns compared, rows", []int{got.NullFilled, got.Compared, got.GoldRows, got.PredRows}, []int{nulls, len(c.compared), golds, preds})
		}
		switch got.Method {
		case cell.MethodTrivial:
			if want.method != cell.MethodTrivial {
				fail("method", got.Method, want.method)
			}
			continue
		case cell.MethodRows:
			if want.score != 1 {
				fail("method", got.Method, want.method)
			}
			continue
		}
		if got.Method != want.method {
			fail("method", got.Method, want.method)
		}
		// The pairs are a matching of rows of one key, and the counts are those of the pairs.
		matched, equal, cells := 0, 0, 0
		columnEqual, taken := make([]int, len(c.gold.Columns)), make([]bool, preds)
		for i, p := range got.Pairs {
			j := int(p)
			if j < 0 {
				continue
			}
			matched++
			if taken[j] {
				t.Fatalf("seed %d: predicted row %d is matched twice", seed, j)
			}
			taken[j] = true
			for k := range c.index {
				if !c.index[k].matches(i, j) {
					t.Fatalf("seed %d: rows %d and %d are of different keys", seed, i, j)
				}
				columnEqual[c.index[k].gold]++
			}
			n := 0
			for k := range c.compared {
				if c.compared[k].matches(i, j) {
					n++
					if at := c.compared[k].gold; at >= 0 {
						columnEqual[at]++
					}
				}
			}
			cells += n
			if n == len(c.compared) {
				equal++
			}
		}
		if len(c.compared) == 0 {
			cells = matched
		}
		if total := int(math.Round(got.Score * float64((got.Matched+got.Unmatched)*max(1, len(c.compared))))); cells != total {
			fail("equal cells of the pairs", cells, total)
		}
		if matched != got.Matched || equal != got.Equal || !reflect.DeepEqual(got.ColumnEqual, columnEqual) {
			fail("rows matched, rows equal, equal cells by column", []any{got.Matched, got.Equal, got.ColumnEqual}, []any{matched, equal, columnEqual})
		}
	}
	for _, m := range []string{cell.MethodTrivial, cell.MethodRows, cell.MethodIndex, cell.MethodContent} {
		if methods[m] < runs/100 {
			t.Errorf("only %d cases by %s: the test no longer covers it", methods[m], m)
		}
	}
	if between < runs/4 {
		t.Errorf("only %d scores between 0 and 1", between)
	}
}

func propertyRuns(t *testing.T, usual int) int {
	t.Helper()
	s := os.Getenv("BADGER_PROPERTY_RUNS")
	if s == "" {
		return sample.Count(usual, 5)
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestPaperIsAlgorithm2(t *testing.T) {
	between := 0
	runs := propertyRuns(t, 6000)
	for seed := range uint64(runs) {
		rng := rand.New(rand.NewPCG(seed, 11))
		c := random(t, rng)
		delta := []float64{0.01, 0, 0.3}[rng.IntN(3)]
		got, omitted := cell.Paper(c.gold, c.pred, &c.alignment, delta)
		want := printed(c.gold.Rows(), c.pred.Rows(), c.printed, c.index, delta)
		if math.Abs(got-want) > 1e-12 || omitted != "" {
			t.Fatalf("seed %d, %d and %d rows, %d compared and %d index columns: %v %s, want %v", seed, c.gold.Rows(), c.pred.Rows(), len(c.printed), len(c.index), got, omitted, want)
		}
		if got > 0 && got < 1 {
			between++
		}
	}
	if between < runs/4 {
		t.Errorf("only %d scores between 0 and 1", between)
	}
}

func ints(name string, vs ...int64) scoring.Column {
	b := scoring.NewBuilder(name, scoring.Int64, 0)
	for _, v := range vs {
		b.AppendInt(v)
	}
	return b.Column()
}

// Cases small enough to be reasoned out.
func TestCompareByHand(t *testing.T) {
	exact := scoring.Comparison{Kind: scoring.KindNumber}
	two := scoring.Alignment{Columns: []scoring.ColumnPair{{Gold: 0, Pred: 0, Comparison: exact}, {Gold: 1, Pred: 1, Comparison: exact}}}
	one := scoring.Alignment{Columns: two.Columns[:1]}
	keyed := two
	keyed.Index = []int{0}
	both := two
	both.Index = []int{0, 1}
	lacking := scoring.Alignment{Columns: two.Columns[:1], Missing: []int{1}}
	for _, tc := range []struct {
		why          string
		gold, pred   []scoring.Column
		a            scoring.Alignment
		o            cell.Options
		method       string
		score, paper float64
	}{
		{"the same rows in another order", []scoring.Column{ints("a", 1, 2), ints("b", 3, 4)}, []scoring.Column{ints("a", 2, 1), ints("b", 4, 3)}, two, cell.Options{}, cell.MethodRows, 1, 1},
		{"one right row of a hundred is one in a hundred; as printed, all that was matched is right", []scoring.Column{ints("a", 1), ints("b", 1)}, []scoring.Column{ints("a", make([]int64, 100)...), ints("b", append([]int64{1}, make([]int64, 99)...)...)}, two, cell.Options{}, cell.MethodContent, 0.005, 0.5},
		{"gold rows without a partner", []scoring.Column{ints("a", 1, 2, 3), ints("b", 1, 2, 3)}, []scoring.Column{ints("a", 2), ints("b", 2)}, two, cell.Options{}, cell.MethodContent, 1. / 3, 0},
		{"rows that are equal come first; as printed, the first gold row takes what the second needed", []scoring.Column{ints("a", 1, 1), ints("b", 9, 2)}, []scoring.Column{ints("a", 1, 7), ints("b", 2, 7)}, two, cell.Options{}, cell.MethodContent, 0.5, 0.25},
		{"names in another order, two of them missing", []scoring.Column{ints("a", 1, 2, 3, 4)}, []scoring.Column{ints("a", 4, 3)}, one, cell.Options{}, cell.MethodContent, 0.5, 0},
		{"as printed, whole numbers are within the tolerance too", []scoring.Column{ints("a", 100000), ints("b", 1)}, []scoring.Column{ints("a", 100001), ints("b", 1)}, two, cell.Options{}, cell.MethodContent, 0.5, 1},
		{"an index: only the rest is compared", []scoring.Column{ints("k", 1, 2), ints("v", 5, 6)}, []scoring.Column{ints("k", 2, 1), ints("v", 6, 0)}, keyed, cell.Options{}, cell.MethodIndex, 0.5, 0.5},
		{"an index: rows of either side without a partner count 0", []scoring.Column{ints("k", 1, 2), ints("v", 5, 6)}, []scoring.Column{ints("k", 2, 3, 4), ints("v", 6, 0, 0)}, keyed, cell.Options{}, cell.MethodIndex, 0.25, 0.25},
		{"an index that is not unique multiplies no rows but as printed", []scoring.Column{ints("k", 1, 1), ints("v", 5, 6)}, []scoring.Column{ints("k", 1, 1), ints("v", 6, 4)}, keyed, cell.Options{}, cell.MethodIndex, 0.5, 0.25},
		{"all columns are the index: a row with a partner is right", []scoring.Column{ints("k", 1, 2), ints("l", 1, 2)}, []scoring.Column{ints("k", 1, 3), ints("l", 1, 3)}, both, cell.Options{}, cell.MethodIndex, 1. / 3, 1. / 3},
		{"a column that is not there", []scoring.Column{ints("a", 1, 2), ints("b", 3, 4)}, []scoring.Column{ints("a", 1, 2)}, lacking, cell.Options{}, cell.MethodContent, 0.5, 0.5},
		{"both empty", []scoring.Column{ints("a"), ints("b")}, []scoring.Column{ints("a"), ints("b")}, two, cell.Options{}, cell.MethodTrivial, 1, 1},
		{"gold empty", []scoring.Column{ints("a"), ints("b")}, []scoring.Column{ints("a", 1), ints("b", 1)}, two, cell.Options{}, cell.MethodTrivial, 0, 0},
		{"pred empty", []scoring.Column{ints("a", 1), ints("b", 1)}, []scoring.Column{ints("a"), ints("b")}, two, cell.Options{}, cell.MethodTrivial, 0, 0},
	} {
		r := cell.Compare(table(t, 0, tc.gold), table(t, 0, tc.pred), &tc.a, tc.o)
		paper, _ := cell.Paper(table(t, 0, tc.gold), table(t, 0, tc.pred), &tc.a, 0.01)
		if r.Method != tc.method || math.Abs(r.Score-tc.score) > 1e-12 || math.Abs(paper-tc.paper) > 1e-12 {
			t.Errorf("%s: %s %v (as printed %v), want %s %v (%v)", tc.why, r.Method, r.Score, paper, tc.method, tc.score, tc.paper)
		}
	}
}

// Large results go through many processors and chunks; what comes out does not depend on that.
func TestCompareOfManyRows(t *testing.T) {
	const n = 70_001
	rng := rand.New(rand.NewPCG(1, 1))
	build := func(order []int, spoil int) *scoring.Table {
		a, b, c := scoring.NewBuilder("a", scoring.Int64, n), scoring.NewBuilder("b", scoring.String, n), scoring.NewBuilder("c", scoring.Float64, n)
		for k, i := range order {
			v := int64(i)
			if k == spoil {
				v = -1
			}
			a.AppendInt(v)
			if i%7 == 0 {
				b.AppendNull()
			} else if err := b.AppendText(scoring.String, fmt.Append(nil, "t", i%1000)); err != nil {
				t.Fatal(err)
			}
			c.AppendFloat(float64(i) / 3)
		}
		return table(t, n, []scoring.Column{a.Column(), b.Column(), c.Column()})
	}
	gold := build(rng.Perm(n), -1)
	a := scoring.Alignment{Columns: []scoring.ColumnPair{
		{Gold: 0, Pred: 0, Comparison: scoring.Comparison{Kind: scoring.KindNumber}}, {Gold: 1, Pred: 1, Comparison: scoring.Comparison{Kind: scoring.KindText}},
		{Gold: 2, Pred: 2, Comparison: scoring.Comparison{Kind: scoring.KindNumber, Tolerance: 1e-9}},
	}}
	if r := cell.Compare(gold, build(rng.Perm(n), -1), &a, cell.Options{}); r.Score != 1 || r.Method != cell.MethodRows || r.Equal != n {
		t.Errorf("the same rows: %+v", r)
	}
	spoilt := build(rng.Perm(n), 5)
	for _, index := range [][]int{nil, {1}} {
		a.Index = index
		r := cell.Compare(gold, spoilt, &a, cell.Options{})
		if cells := r.Compared * n; math.Abs(r.Score-float64(cells-1)/float64(cells)) > 1e-12 || r.Equal != n-1 || r.ColumnEqual[0] != n-1 || r.ColumnEqual[2] != n {
			t.Errorf("index %v, one cell of %d: %+v", index, cells, r)
		}
	}
}
