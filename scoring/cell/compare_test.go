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

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"golang.org/x/text/unicode/norm"
)

// What follows is Algorithm 2 of the BADGER paper (section 5.2), line by line and as slow as it is printed, with what DESIGN
// corrects: the mean is over all rows, rows of one key are matched greedily, and a row without compared columns is right.

// naiveColumn is one compared or index column: values of both sides, as read; a side that lacks the column is NULL.
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
	method                        string
	score, paper                  float64
	matched, unmatched, equalRows int
	pairs                         []int
	columnEqual                   []int
}

func naive(golds, preds int, compared, index []naiveColumn, goldColumns int) naiveResult {
	r := naiveResult{columnEqual: make([]int, goldColumns), pairs: make([]int, golds)}
	for i := range r.pairs {
		r.pairs[i] = -1
	}
	switch {
	case golds == 0 && preds == 0: // lines 1-2
		return naiveResult{method: "trivial", score: 1, paper: 1}
	case golds == 0 || preds == 0: // lines 3-4
		return naiveResult{method: "trivial", unmatched: max(golds, preds)}
	}
	rowScore := func(i, j int) float64 {
		if len(compared) == 0 {
			return 1
		}
		n := 0
		for k := range compared {
			if compared[k].matches(i, j) {
				n++
			}
		}
		return float64(n) / float64(len(compared))
	}
	greedy := func(gs, ps []int) { // lines 22-28
		left := slices.Clone(ps)
		for _, g := range gs {
			if len(left) == 0 {
				break
			}
			best, most := -1, -1.0
			for k, p := range left {
				if s := rowScore(g, p); s > most {
					best, most = k, s
				}
			}
			r.pairs[g] = left[best]
			left = slices.Delete(left, best, best+1)
		}
	}
	every := func(n int) []int {
		out := make([]int, n)
		for i := range out {
			out[i] = i
		}
		return out
	}
	if len(index) > 0 { // lines 12-19
		r.method = "index_matched"
		sameKey := func(i, j int) bool {
			return !slices.ContainsFunc(index, func(c naiveColumn) bool { return !c.matches(i, j) })
		}
		taken := make([]bool, preds)
		for i := range golds {
			if slices.ContainsFunc(every(preds), func(j int) bool { return taken[j] && sameKey(i, j) }) {
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
			greedy(gs, ps)
		}
	} else {
		r.method = "index_unmatched"
		greedy(every(golds), every(preds))
	}
	total := 0.0
	for i, j := range r.pairs {
		if j < 0 {
			continue
		}
		s := rowScore(i, j)
		total += s
		r.matched++
		if s == 1 {
			r.equalRows++
		}
		for _, c := range compared {
			if c.gold >= 0 && c.matches(i, j) {
				r.columnEqual[c.gold]++
			}
		}
	}
	for _, c := range index {
		r.columnEqual[c.gold] = r.matched
	}
	rows := max(golds, preds)
	if len(index) > 0 {
		rows = golds + preds - r.matched
	}
	r.unmatched = rows - r.matched
	r.score = total / float64(rows)
	r.paper = r.score
	if len(index) == 0 {
		r.paper = total / float64(r.matched)
	}
	return r
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
		golds, preds = 20+rng.IntN(60), 20+rng.IntN(60) // beyond the plain loop
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
	for range rng.IntN(3) { // predicted columns that gold lacks
		draw := pool(rng, scoring.KindNumber, 0)
		p := values(preds, func() scoring.Value { return draw(scoring.Int64) })
		c.alignment.Extra = append(c.alignment.Extra, len(predColumns))
		if rng.IntN(2) == 0 {
			c.alignment.Trivial = append(c.alignment.Trivial, len(predColumns))
		} else if c.options.PenalizeExtra {
			c.compared = append(c.compared, naiveColumn{g: make([]scoring.Value, golds), p: p, gold: -1, cmp: scoring.Comparison{Kind: scoring.KindNumber}})
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

func TestCompareIsAlgorithm2(t *testing.T) {
	methods := map[string]int{}
	between := 0
	runs := 6000
	if s := os.Getenv("BADGER_PROPERTY_RUNS"); s != "" {
		var err error
		if runs, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	for seed := range uint64(runs) {
		rng := rand.New(rand.NewPCG(seed, 11))
		c := random(t, rng)
		got := cell.Compare(c.gold, c.pred, &c.alignment, c.options)
		want := naive(c.gold.Rows(), c.pred.Rows(), c.compared, c.index, len(c.gold.Columns))
		methods[got.Method]++
		if got.Score > 0 && got.Score < 1 {
			between++
		}
		fail := func(what string, got, want any) {
			t.Helper()
			t.Fatalf("seed %d, %d and %d rows, %d compared and %d index columns: %s %v, want %v", seed, c.gold.Rows(), c.pred.Rows(), len(c.compared), len(c.index), what, got, want)
		}
		if math.Abs(got.Score-want.score) > 1e-12 {
			fail("score", got.Score, want.score)
		}
		if math.Abs(got.PaperScore-want.paper) > 1e-12 {
			fail("paper score", got.PaperScore, want.paper)
		}
		if got.Matched != want.matched || got.Unmatched != want.unmatched || got.Equal != want.equalRows {
			fail("matched, unmatched and equal rows", []int{got.Matched, got.Unmatched, got.Equal}, []int{want.matched, want.unmatched, want.equalRows})
		}
		nulls := len(c.alignment.Missing)
		if c.options.PenalizeExtra {
			nulls += len(c.alignment.Extra) - len(c.alignment.Trivial)
		}
		if got.NullFilled != nulls || got.Compared != len(c.compared) || got.GoldRows != c.gold.Rows() || got.PredRows != c.pred.Rows() {
			fail("columns filled with NULL, columns compared, rows", []int{got.NullFilled, got.Compared, got.GoldRows, got.PredRows}, []int{nulls, len(c.compared), c.gold.Rows(), c.pred.Rows()})
		}
		switch got.Method {
		case cell.MethodTrivial:
			if want.method != "trivial" {
				fail("method", got.Method, want.method)
			}
			continue
		case cell.MethodRows:
			if want.score != 1 {
				fail("method", got.Method, want.method)
			}
		default:
			if got.Method != want.method {
				fail("method", got.Method, want.method)
			}
			pairs := make([]int, len(got.Pairs))
			for i, j := range got.Pairs {
				pairs[i] = int(j)
			}
			if !reflect.DeepEqual(pairs, want.pairs) {
				fail("pairs", pairs, want.pairs)
			}
		}
		if !reflect.DeepEqual(got.ColumnEqual, want.columnEqual) {
			fail("equal cells by column", got.ColumnEqual, want.columnEqual)
		}
	}
	for _, m := range []string{cell.MethodTrivial, cell.MethodRows, cell.MethodIndex, cell.MethodGreedy} {
		if methods[m] < runs/100 {
			t.Errorf("only %d cases by %s: the test no longer covers it", methods[m], m)
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
		{"one right row of a hundred is one in a hundred; as printed, all that was matched is right", []scoring.Column{ints("a", 1), ints("b", 1)}, []scoring.Column{ints("a", make([]int64, 100)...), ints("b", append([]int64{1}, make([]int64, 99)...)...)}, two, cell.Options{}, cell.MethodGreedy, 0.005, 0.5},
		{"gold rows without a partner", []scoring.Column{ints("a", 1, 2, 3), ints("b", 1, 2, 3)}, []scoring.Column{ints("a", 2), ints("b", 2)}, two, cell.Options{}, cell.MethodGreedy, 0, 0},
		{"greed: the first gold row takes what the second needed", []scoring.Column{ints("a", 1, 1), ints("b", 9, 2)}, []scoring.Column{ints("a", 1, 7), ints("b", 2, 7)}, two, cell.Options{}, cell.MethodGreedy, 0.25, 0.25},
		{"an index: only the rest is compared", []scoring.Column{ints("k", 1, 2), ints("v", 5, 6)}, []scoring.Column{ints("k", 2, 1), ints("v", 6, 0)}, keyed, cell.Options{}, cell.MethodIndex, 0.5, 0.5},
		{"an index: rows of either side without a partner count 0", []scoring.Column{ints("k", 1, 2), ints("v", 5, 6)}, []scoring.Column{ints("k", 2, 3, 4), ints("v", 6, 0, 0)}, keyed, cell.Options{}, cell.MethodIndex, 0.25, 0.25},
		{"an index that is not unique multiplies no rows", []scoring.Column{ints("k", 1, 1), ints("v", 5, 6)}, []scoring.Column{ints("k", 1, 1), ints("v", 6, 4)}, keyed, cell.Options{}, cell.MethodIndex, 0, 0},
		{"all columns are the index: a row with a partner is right", []scoring.Column{ints("k", 1, 2), ints("l", 1, 2)}, []scoring.Column{ints("k", 1, 3), ints("l", 1, 3)}, both, cell.Options{}, cell.MethodIndex, 1. / 3, 1. / 3},
		{"a column that is not there", []scoring.Column{ints("a", 1, 2), ints("b", 3, 4)}, []scoring.Column{ints("a", 1, 2)}, lacking, cell.Options{}, cell.MethodGreedy, 0.5, 0.5},
		{"both empty", []scoring.Column{ints("a"), ints("b")}, []scoring.Column{ints("a"), ints("b")}, two, cell.Options{}, cell.MethodTrivial, 1, 1},
		{"gold empty", []scoring.Column{ints("a"), ints("b")}, []scoring.Column{ints("a", 1), ints("b", 1)}, two, cell.Options{}, cell.MethodTrivial, 0, 0},
		{"pred empty", []scoring.Column{ints("a", 1), ints("b", 1)}, []scoring.Column{ints("a"), ints("b")}, two, cell.Options{}, cell.MethodTrivial, 0, 0},
	} {
		r := cell.Compare(table(t, 0, tc.gold), table(t, 0, tc.pred), &tc.a, tc.o)
		if r.Method != tc.method || math.Abs(r.Score-tc.score) > 1e-12 || math.Abs(r.PaperScore-tc.paper) > 1e-12 {
			t.Errorf("%s: %s %v (as printed %v), want %s %v (%v)", tc.why, r.Method, r.Score, r.PaperScore, tc.method, tc.score, tc.paper)
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
