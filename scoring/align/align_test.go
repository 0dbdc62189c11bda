package align

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/naming"
)

// wide makes a result of columns of whole numbers below card, named by name.
func wide(r *rand.Rand, columns, rows, card int, name func(c int) string) *scoring.Table {
	cs := make([]scoring.Column, columns)
	for c := range cs {
		b := scoring.NewBuilder(name(c), scoring.Int64, rows)
		for range rows {
			b.AppendInt(int64(r.IntN(card)))
		}
		cs[c] = b.Column()
	}
	t, err := scoring.NewTable(cs...)
	if err != nil {
		panic(err)
	}
	return t
}

// shuffled is a result with its columns and rows in another order and other names.
func shuffled(r *rand.Rand, t *scoring.Table) *scoring.Table {
	rows := r.Perm(t.Rows())
	cs := make([]scoring.Column, len(t.Columns))
	for to, from := range r.Perm(len(t.Columns)) {
		b := scoring.NewBuilder(fmt.Sprint("x", to), t.Columns[from].Type, len(rows))
		for _, i := range rows {
			b.Append(t.Columns[from].Value(i))
		}
		cs[to] = b.Column()
	}
	out, err := scoring.NewTable(cs...)
	if err != nil {
		panic(err)
	}
	return out
}

func numbered(c int) string { return fmt.Sprint("c", c) }

// steps runs the aligner and counts what grows with the width of results: pairs of columns that
// were compared in full, ways of pairing that were tried to the end, and keys that settling made.
func steps(gold, pred *scoring.Table) (a *aligner, readings int) {
	a = newAligner(gold, pred, nil, nil, Options{Tolerance: PaperTolerance})
	a.bySums()
	a.searchRows(a.ambiguous)
	a.byLadder()
	a.searchRows(a.exchangeable())
	for _, cols := range [][]column{a.gold, a.pred} {
		for i := range cols {
			readings += len(cols[i].reading)
		}
	}
	return a, readings
}

// Results of many columns, of few values or of many, cost no permutations: what is examined grows
// with the columns, not with their pairs or orders.
func TestWideResults(t *testing.T) {
	for _, tc := range []struct {
		why                 string
		columns, rows, card int
	}{
		{"8 binary columns", 8, 100, 2},
		{"26 binary columns", 26, 100, 2},
		{"26 binary columns of few rows", 26, 12, 2},
		{"500 columns", 500, 50, 1000},
		{"500 columns of few values", 500, 50, 3},
		{"constant columns", 60, 30, 1},
	} {
		r := rand.New(rand.NewPCG(1, uint64(tc.columns))) //nolint:gosec // small
		gold := wide(r, tc.columns, tc.rows, tc.card, numbered)
		pred := shuffled(r, gold)
		a, readings := steps(gold, pred)
		out := a.alignment()
		if res := cell.Compare(gold, pred, &out, cell.Options{}); res.Score != 1 {
			t.Errorf("%s: the score is %v", tc.why, res.Score)
		}
		if readings > 2*tc.columns {
			t.Errorf("%s: columns were read in %d ways", tc.why, readings)
		}
		// Every cell altered: nothing is found, and that is found out without comparing every pair
		// in full.
		other := wide(r, tc.columns, tc.rows, 1_000_000, func(c int) string { return fmt.Sprint("y", c) })
		if _, readings = steps(gold, other); readings > 6*tc.columns {
			t.Errorf("%s: of unrelated results, columns were read in %d ways", tc.why, readings)
		}
	}
}

// The search for an order of columns that the rows confirm ends after a number of trials, and
// without one the columns stay paired as they were.
func TestSettlingIsBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	gold := wide(r, 14, 14, 1, numbered)
	for c := range gold.Columns { // every column has its one row: columns are all alike
		b := scoring.NewBuilder("c", scoring.Int64, 14)
		for i := range 14 {
			b.AppendInt(int64(min(1, max(0, 1-(i-c)*(i-c)))))
		}
		gold.Columns[c] = b.Column()
	}
	pred := shuffled(r, gold)
	last := &pred.Columns[13]
	b := scoring.NewBuilder("x", scoring.Int64, 14) // the last column has its row where another has it already
	other := pred.Columns[0]
	for i := range 14 {
		b.Append(other.Value(i))
	}
	*last = b.Column()
	a := newAligner(gold, pred, nil, nil, Options{})
	a.bySums()
	s := &rowSearch{aligner: a}
	rows := gold.Rows()
	if s.search(state{g: make([]uint64, rows), p: make([]uint64, rows), groups: a.ambiguous}) {
		t.Fatal("rows that differ were found alike")
	}
	if s.trials > maxTrials {
		t.Errorf("%d trials", s.trials)
	}
	before := slices.Clone(a.pairs)
	a.searchRows(a.ambiguous)
	if !slices.Equal(before, a.pairs) || !a.undecided {
		t.Errorf("undecided: %v, pairs %v were %v", a.undecided, a.pairs, before)
	}
	out := a.alignment()
	if out.Confidence > 0.6 || !strings.Contains(strings.Join(out.Why, " "), "the rows do not tell them apart") {
		t.Errorf("confidence %v: %v", out.Confidence, out.Why)
	}
}

// More columns of the same values in gold than in pred, in rows that say which is meant.
func TestSettlingWithFewerPartners(t *testing.T) {
	gold := columns("k", "a", "b", "c")
	gold.Columns[0] = text("k", "x", "y", "z")
	gold.Columns[1] = ints("a", 1, 2, 3)
	gold.Columns[2] = ints("b", 2, 3, 1)
	gold.Columns[3] = ints("c", 3, 1, 2)
	pred := columns("k", "u", "v")
	pred.Columns[0] = text("k", "x", "y", "z")
	pred.Columns[1] = ints("b", 3, 1, 2)
	pred.Columns[2] = ints("a", 2, 3, 1)
	a := Align(gold, pred, Options{})
	used := map[int]bool{}
	for _, c := range a.Columns {
		if used[c.Pred] {
			t.Errorf("predicted column %d answers two", c.Pred)
		}
		used[c.Pred] = true
	}
	if len(a.Columns)+len(a.Missing) != 4 || len(a.Missing) != 1 {
		t.Errorf("%+v", a)
	}
	if r := cell.Compare(gold, pred, &a, cell.Options{}); r.Score != 2./3 {
		t.Errorf("two of three columns are there, in their rows: %v, %+v", r.Score, a.Columns)
	}
}

func columns(names ...string) *scoring.Table {
	cs := make([]scoring.Column, len(names))
	for i, n := range names {
		cs[i] = ints(n, 0, 0, 0)
	}
	t, err := scoring.NewTable(cs...)
	if err != nil {
		panic(err)
	}
	return t
}

func ints(name string, vs ...int64) scoring.Column {
	b := scoring.NewBuilder(name, scoring.Int64, 0)
	for _, v := range vs {
		b.AppendInt(v)
	}
	return b.Column()
}

func text(name string, vs ...string) scoring.Column {
	b := scoring.NewBuilder(name, scoring.String, 0)
	for _, v := range vs {
		b.Append(scoring.StringValue(v))
	}
	return b.Column()
}

// What the confidence rests on is said, and it falls with what is not sure.
func TestConfidence(t *testing.T) {
	table := func(cs ...scoring.Column) *scoring.Table {
		out, err := scoring.NewTable(cs...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	many := make([]int64, 40)
	percent := make([]int64, 40)
	for i := range many {
		many[i], percent[i] = int64(i*i), int64(100*i*i)
	}
	decimals := func(name string, scale int32, vs []int64) scoring.Column {
		b := scoring.NewBuilder(name, scoring.Decimal, 0)
		for _, v := range vs {
			b.Append(scoring.DecimalValue(v, scale))
		}
		return b.Column()
	}
	for _, tc := range []struct {
		why        string
		gold, pred *scoring.Table
		lo, hi     float64
		says       string
	}{
		{"all equal", table(ints("a", 1, 2), text("b", "x", "y")), table(ints("a", 1, 2), text("b", "x", "y")), 1, 1, "all 2 columns agree in all values"},
		{"a scale among many values", table(decimals("a", 4, many)), table(decimals("a", 4, percent)), 0.98, 0.999, "percent for fraction"},
		{"a scale of one value", table(decimals("share", 3, many[7:8])), table(decimals("a", 3, percent[7:8])), 0.5, 0.9, "percent for fraction"},
		{"half of the values", table(ints("a", 1, 2, 3, 4)), table(ints("a", 1, 2, 7, 8)), 0.6, 0.8, "agrees in part"},
		{"the name alone", table(ints("total", 10, 20), ints("n", 1, 2)), table(ints("total", 33, 44), ints("n", 1, 2)), 0.2, 0.4, "is paired by its name alone"},
		{"a missing column", table(ints("a", 1, 2), text("b", "x", "y")), table(ints("a", 1, 2)), 0.2, 0.3, "1 gold column has no counterpart"},
		{"nothing", table(ints("a", 5, 6)), table(text("b", "x", "y"), text("c", "z", "y")), 0, 0, "no column has a counterpart"},
		{"the last bits of doubles", table(scoringFloats("a", 0.1+0.2, 1)), table(scoringFloats("a", 0.3, 1)), 1, 1, "all values of its only column agree"},
	} {
		a := Align(tc.gold, tc.pred, Options{Tolerance: PaperTolerance})
		if a.Confidence < tc.lo || a.Confidence > tc.hi || !strings.Contains(strings.Join(a.Why, "; "), tc.says) {
			t.Errorf("%s: confidence %v (%q), want %v to %v and %q", tc.why, a.Confidence, a.Why, tc.lo, tc.hi, tc.says)
		}
		if a.Source != "evidence" {
			t.Errorf("%s: source %q", tc.why, a.Source)
		}
	}
}

func scoringFloats(name string, vs ...float64) scoring.Column {
	b := scoring.NewBuilder(name, scoring.Float64, 0)
	for _, v := range vs {
		b.AppendFloat(v)
	}
	return b.Column()
}

// The assignment is the heaviest there is, found by trying all of them.
func TestAssignIsTheHeaviest(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 3000 {
		golds, preds := 1+r.IntN(5), 1+r.IntN(5)
		var cs []candidate
		weight := map[[2]int]float64{}
		for i := range golds {
			for j := range preds {
				if r.IntN(3) > 0 {
					w := float64(1+r.IntN(20)) / 2
					cs = append(cs, candidate{gold: i, pred: j, weight: w})
					weight[[2]int{i, j}] = w
				}
			}
		}
		var best float64
		var try func(i int, used []bool, sum float64)
		try = func(i int, used []bool, sum float64) {
			best = math.Max(best, sum)
			if i == golds {
				return
			}
			try(i+1, used, sum)
			for j := range preds {
				if w, ok := weight[[2]int{i, j}]; ok && !used[j] {
					used[j] = true
					try(i+1, used, sum+w)
					used[j] = false
				}
			}
		}
		try(0, make([]bool, preds), 0)
		for _, how := range []func([]candidate) []candidate{func(cs []candidate) []candidate { return assign(cs, golds, preds) }, assignGreedily} {
			sum := 0.0
			usedG, usedP := map[int]bool{}, map[int]bool{}
			for _, c := range how(cs) {
				if usedG[c.gold] || usedP[c.pred] {
					t.Fatal("a column is taken twice")
				}
				usedG[c.gold], usedP[c.pred] = true, true
				sum += c.weight
			}
			if sum > best || sum < best/2 {
				t.Fatalf("weight %v of at most %v", sum, best)
			}
		}
		sum := 0.0
		for _, c := range assign(cs, golds, preds) {
			sum += c.weight
		}
		if sum != best {
			t.Fatalf("weight %v, the heaviest is %v: %v", sum, best, cs)
		}
	}
	var cs []candidate // beyond the width for which the best is sought
	for i := range 2 * maxAssign {
		cs = append(cs, candidate{gold: i, pred: i, weight: 2}, candidate{gold: i, pred: (i + 1) % (2 * maxAssign), weight: 1})
	}
	if got := assign(cs, 2*maxAssign, 2*maxAssign); len(got) != 2*maxAssign || slices.ContainsFunc(got, func(c candidate) bool { return c.gold != c.pred }) {
		t.Errorf("%d pairs", len(got))
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"total_revenue": "total revenue", "TotalRevenue": "total revenue", "SUM(Revenue)": "total revenue", "t1.customer_id": "customer id", "schema.tab.col": "col",
		"cust_acct_no": "customer account count", "orders__total_amt": "total amount", "count of the orders": "count order", "pct%": "percent percent", "": "", "__": "", "Price ($)": "price", "größe": "größe", "address": "address",
	} {
		if got := strings.Join(words(name), " "); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
	for _, tc := range []struct {
		a, b string
		same bool
	}{{"Total Revenue", "total_revenue", true}, {"a", "A", true}, {"", "", false}, {"_", "-", false}, {"a", "b", false}, {`"x"`, "x", true}} {
		if got := sameName(tc.a, tc.b); got != tc.same {
			t.Errorf("%q and %q are the same: %v", tc.a, tc.b, got)
		}
	}
	similarity := func(a, b string) float64 { return naming.Similarity(words(a), words(b)) }
	if s := similarity("avg_amt", "average amount"); s != 1 {
		t.Errorf("synonyms are %v alike", s)
	}
	if s := similarity("revenue", "total_revenue"); s <= 0.5 || s >= 1 {
		t.Errorf("a word more is %v alike", s)
	}
	if s := similarity("revenue", "cost"); s != 0 {
		t.Errorf("other words are %v alike", s)
	}
	if similarity("", "a") != 0 || similarity("a_b", "b_a") != 1 {
		t.Error("no words are like none; their order does not matter")
	}
}

// The share of values that two columns have in common, exactly for few and from a sample for many.
func TestOverlap(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	read := func(vs []int64) *reading {
		c := ints("c", vs...)
		return readingOf(&c)
	}
	for _, tc := range []struct {
		why  string
		g, p []int64
		want float64
	}{
		{"the same", []int64{1, 2, 2}, []int64{2, 1, 2}, 1},
		{"repetitions count", []int64{1, 2, 2}, []int64{1, 1, 2}, 2. / 3},
		{"rows are missing", []int64{1, 2, 3, 4}, []int64{1, 2}, 0.5},
		{"nothing in common", []int64{1}, []int64{2}, 0},
		{"no values at all", nil, nil, 1},
		{"none on one side", []int64{1}, nil, 0},
	} {
		if got := overlap(read(tc.g), read(tc.p)); math.Abs(got-tc.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", tc.why, got, tc.want)
		}
	}
	for _, share := range []float64{0, 0.3, 0.9, 1} {
		const n = 100_000
		g, p := make([]int64, n), make([]int64, n)
		for i := range g {
			g[i], p[i] = int64(i), int64(i)
			if float64(i) >= share*n {
				p[i] += n
			}
		}
		r.Shuffle(n, func(i, j int) { p[i], p[j] = p[j], p[i] })
		rg, rp := read(g), read(p)
		if got := overlap(rg, rp); math.Abs(got-share) > 0.03 {
			t.Errorf("of %d values, %v in common: %v", n, share, got)
		}
		if len(rg.keys) > 2*sampleKeys {
			t.Errorf("%d keys are kept", len(rg.keys))
		}
	}
}

func TestDecimals(t *testing.T) {
	for _, tc := range []struct {
		why  string
		vs   []float64
		want int
	}{
		{"whole numbers", []float64{1, 20, 305}, 0},
		{"cents", []float64{1, 2.5, 3.25}, 2},
		{"thousands", []float64{12000, 7000, 0}, -3},
		{"tens are whole numbers like any", []float64{10, 20}, 0},
		{"zero alone says nothing", []float64{0}, 0},
		{"more digits than are counted", []float64{math.Pi}, maxDigits},
		{"large amounts with cents", []float64{123456789012.25}, 2},
		{"none", nil, 0},
	} {
		c := scoringFloats("c", tc.vs...)
		r := readingOf(&c)
		for range 2 {
			if got := r.decimals(); got != tc.want {
				t.Errorf("%s: %d digits, want %d", tc.why, got, tc.want)
			}
		}
	}
}
