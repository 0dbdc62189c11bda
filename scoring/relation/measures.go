package relation

import (
	"fmt"
	"math"
	"slices"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

var measureKinds = []Kind{
	{
		Name: "unit_factor", Display: "Same amounts in another unit", Group: ShownOtherwise,
		Class: Presentational, find: unitFactor,
		Meaning: "All other columns agree and each measure that does not is gold's in another unit in every row: the answer says its unit by its cells, its name or the question, and gold its own by them or its query, or does not say and the numbers show at least four digits.", Example: "(hours) = (1.5), (2); (minutes) = (90), (120)",
	},
	{
		Name: "opposite", Display: "Opposite values, and named so", Group: ShownOtherwise,
		Class: Presentational, find: func(e *evidence) *found { return negated(e, true) },
		Meaning: "All other columns agree and each measure that does not is gold's with the other sign in every row, and the names say opposite things; or a column of truth values is the other way round in every row, and its name denies gold's.", Example: "(profit) = (3), (-2); (loss) = (-3), (2)",
	},
	{
		Name: "negated", Display: "Sign reversed", Group: OtherValue,
		Class: Difference, find: func(e *evidence) *found { return negated(e, false) },
		Meaning: "All other columns agree and each measure that does not is gold's with the other sign in every row; the names do not mention it.", Example: "('a', 3), ('b', -2); ('a', -3), ('b', 2)",
	},
	{
		Name: "complement", Display: "The rest of gold's share (1 minus it)", Group: OtherValue,
		Class: Difference, find: complement,
		Meaning: "All other columns agree and a share and gold's add up to 1, or to 100, in every row.",
		Example: "(0.3); (0.7)",
	},
	{
		Name: "precision_lost", Display: "Last digits wrong", Group: DigitsLost,
		Class: Difference, find: precisionLost,
		Meaning: "All other columns agree and numbers of more than fifteen digits agree in those, and not in the last ones, as passing through a double leaves them.", Example: "(9007199254740993); (9007199254740992)",
	},
	{
		Name: "truncated", Display: "Decimals cut off", Group: DigitsLost,
		Class: Difference, find: truncated,
		Meaning: "All other columns agree and each measure that does not is gold's without its decimal places, as after integer division.", Example: "('a', 2.7), ('b', 1.2); ('a', 2), ('b', 1)",
	},
	{
		Name: "multiplied", Display: "All values multiplied by one number", Group: OtherValue,
		Class: Difference, find: multiplied,
		Meaning: "All other columns agree and a measure is gold's times one and the same number in every row, as a join that repeats rows makes it.", Example: "('a', 3), ('b', 5); ('a', 6), ('b', 10)",
	},
	{
		Name: "shifted", Display: "All values shifted by one number", Group: OtherValue,
		Class: Difference, find: shifted,
		Meaning: "All other columns agree and a measure is gold's plus one and the same number in every row.",
		Example: "('a', 3), ('b', 5); ('a', 4), ('b', 6)",
	},
}

// measurePair is a numeric column of gold and the answer's column in its place, row by row.
type measurePair struct {
	gold, pred int
	g, p       []float64 // of the same rows; NaN for NULL
	differ     []int32   // gold rows whose cells are not exactly equal
	// a row in differ holds an infinity, NaN or NULL on either side: no formula converts one side to the other
	unlike bool
}

// measurePairs returns the pairs of numeric columns that differ, in rows that the other columns match one to one. ok is
// false if the other columns do not match them so, or if a column that is not numeric is left to explain.
func (e *evidence) measurePairs() (pairs []measurePair, ok bool) {
	if e.measured == nil {
		pairs, ok := e.pairMeasures()
		e.measured = &measures{pairs, ok}
	}
	return e.measured.pairs, e.measured.ok
}

type measures struct {
	pairs []measurePair
	ok    bool
}

func (e *evidence) pairMeasures() (pairs []measurePair, ok bool) {
	s := e.solidPart()
	if s == nil || len(s.gold) == 0 || len(s.gold) > maxMeasures || len(s.pred) < len(s.gold) {
		return nil, false
	}
	var partner []int32
	switch {
	case s.rows == nil && e.gold.Rows() == 1:
		partner = []int32{0}
	case s.rows != nil && s.rows.unique() && s.rows.sameBag():
		partner = s.rows.partners()
	default:
		return nil, false
	}
	taken := map[int]bool{}
	for k := range e.a.Columns {
		taken[e.a.Columns[k].Pred] = true
	}
	for _, g := range s.gold {
		p := e.counterpart(g, s.pred, taken)
		if p < 0 {
			return nil, false
		}
		goldView, goldOK := numbersIn(&e.gold.Columns[g])
		predView, predOK := numbersIn(&e.pred.Columns[p])
		if !goldOK || !predOK {
			return nil, false
		}
		taken[p] = true
		m := measurePair{gold: g, pred: p, g: make([]float64, len(partner)), p: make([]float64, len(partner))}
		cell.Magnitudes(&e.gold.Columns[g], goldView, m.g)
		values := make([]float64, len(partner))
		cell.Magnitudes(&e.pred.Columns[p], predView, values)
		if goldView.Format != "" || predView.Format != "" { // text and numbers have no keys in common
			for i, j := range partner {
				if m.p[i] = values[j]; m.g[i] != m.p[i] {
					m.differ = append(m.differ, int32(i)) //nolint:gosec // rows are bounded far below
				}
			}
			pairs = append(pairs, m)
			continue
		}
		goldKeys, predKeys := e.naturalKeys(goldSide, g), e.naturalKeys(predSide, p)
		for i, j := range partner {
			if m.p[i] = values[j]; goldKeys[i] != predKeys[j] {
				m.differ = append(m.differ, int32(i)) //nolint:gosec // rows are bounded far below
				m.unlike = m.unlike || !finite(m.g[i]) || !finite(m.p[i])
			}
		}
		pairs = append(pairs, m)
	}
	return pairs, true
}

// numbersIn returns how to read the numbers of a column: unconverted, or parsed from strings that state one unit. ok is
// false for other columns, and for percentages, which the alignment handles.
func numbersIn(c *scoring.Column) (v cell.View, ok bool) {
	v.Kind = scoring.KindNumber
	if c.Type.Numeric() {
		return v, true
	}
	t, ok := cell.ReadNumbers(c)
	if v.Format = t.Format; t.Format == cell.FormatQuantity {
		v.Format = cell.FormatMeasure
		ok = t.OneUnit
	}
	return v, ok && t.Unit != cell.UnitPercent && t.Format != cell.FormatMonth &&
		(t.Unit != "" || t.Format == cell.FormatShort)
}

// counterpart returns the answer's column to compare with a gold column: the one that it is aligned with, else the only
// numeric column of among that is not taken; -1 if there is not exactly one.
func (e *evidence) counterpart(gold int, among []int, taken map[int]bool) int {
	for k := range e.a.Columns {
		if c := &e.a.Columns[k]; c.Gold == gold {
			return c.Pred
		}
	}
	at := -1
	for _, p := range among {
		if _, ok := numbersIn(&e.pred.Columns[p]); taken[p] || !ok {
			continue
		}
		if at >= 0 {
			return -1
		}
		at = p
	}
	return at
}

// every reports whether holds is true for each row with two finite numbers and m.unlike is false. distinct counts the
// different nonzero numbers of gold in these rows, up to 3.
func (m *measurePair) every(holds func(g, p float64) bool) (ok bool, distinct int) {
	if m.unlike {
		return false, 0
	}
	var seen [3]float64
	for i, g := range m.g {
		p := m.p[i]
		if !finite(g) || !finite(p) {
			continue
		}
		if !holds(g, p) {
			return false, 0
		}
		if g == 0 || distinct == len(seen) {
			continue
		}
		fresh := true
		for _, s := range seen[:distinct] {
			fresh = fresh && s != g
		}
		if fresh {
			seen[distinct] = g
			distinct++
		}
	}
	return true, distinct
}

// explained returns all measure pairs if holds is true in every row of each and each has at least distinct different
// nonzero numbers; else nil.
func (e *evidence) explained(holds func(g, p float64) bool, distinct int) []measurePair {
	pairs, ok := e.measurePairs()
	if !ok {
		return nil
	}
	for k := range pairs {
		if ok, n := pairs[k].every(holds); !ok || n < distinct {
			return nil
		}
	}
	return pairs
}

func (e *evidence) measureFound(pairs []measurePair, how string) *found {
	r := &found{}
	for _, m := range pairs {
		r.proof.GoldColumns, r.proof.PredColumns = append(r.proof.GoldColumns, m.gold), append(r.proof.PredColumns, m.pred)
	}
	r.text = fmt.Sprintf("In every row %s of the answer %s %s; all else agrees.", named(e.pred, r.proof.PredColumns),
		printable.Verb(len(pairs), "is", "are"), how)
	return r
}

func complement(e *evidence) *found {
	for _, whole := range []float64{1, 100} {
		holds := func(g, p float64) bool { return g >= 0 && p >= 0 && math.Abs(g+p-whole) <= 1e-6*whole }
		pairs := e.explained(holds, 1)
		if pairs == nil {
			continue
		}
		if !slices.ContainsFunc(pairs[0].g, func(g float64) bool { return g != math.Trunc(g) }) {
			continue // whole numbers that add up may be anything
		}
		return e.measureFound(pairs, "what is left of "+printable.Figure(whole, 3)+" once gold's is taken away")
	}
	return nil
}

func truncated(e *evidence) *found {
	pairs := e.explained(func(g, p float64) bool { return p == math.Trunc(g) }, 0)
	if pairs == nil || !slices.ContainsFunc(pairs[0].g, func(g float64) bool { return g == g && g != math.Trunc(g) }) {
		return nil
	}
	if len(pairs[0].g) == 1 && math.Abs(pairs[0].g[0]) < 1 && !e.divides() {
		return nil // a lone 0 may be anything
	}
	return e.measureFound(pairs, "gold's without decimals, as integer division leaves it")
}

// precisionLost returns a finding if numbers with more digits than a double holds differ by at most a double's rounding
// error, else nil.
func precisionLost(e *evidence) *found {
	pairs := e.explained(func(g, p float64) bool { return math.Abs(g-p) <= 1e-14*math.Abs(g) }, 1)
	if pairs == nil {
		return nil
	}
	for _, m := range pairs {
		if len(m.differ) == 0 ||
			slices.ContainsFunc(m.differ,
				func(i int32) bool {
					return math.Abs(m.g[i]) < 1<<53 &&
						e.gold.Columns[m.gold].Type == scoring.Int64
				}) || e.gold.Columns[m.gold].Type == scoring.Float64 {
			return nil
		}
	}
	return e.measureFound(pairs, "gold's but for the last digits, which a double drops")
}

// divides reports whether the answer's query is known to divide.
func (e *evidence) divides() bool {
	q := e.queries().pred
	return q != nil && q.divides > 0
}

func multiplied(e *evidence) *found {
	pairs, ok := e.measurePairs()
	if !ok || len(pairs[0].g) < 2 {
		return nil
	}
	factor, largest := 0.0, 0.0 // the largest number shows it most exactly
	for _, m := range pairs {
		for i, g := range m.g {
			if p := m.p[i]; p == p && (math.Abs(g) > largest || math.Abs(g) == largest && g != 0 && p/g < factor) {
				factor, largest = p/g, math.Abs(g)
			}
		}
	}
	if factor == 0 || factor == 1 || !finite(factor) {
		return nil
	}
	pairs = e.explained(func(g, p float64) bool { return nearly(p, g*factor) }, 2)
	if pairs == nil {
		return nil
	}
	r := e.measureFound(pairs, "gold's times "+factorText(factor))
	r.proof.Factor = 1 / factor
	return r
}

// factorText formats a factor with six significant digits, or with more if it would be formatted as 1.
func factorText(f float64) string {
	for digits := 6; digits < 17; digits++ {
		if s := printable.Figure(f, digits); s != "1" {
			return s
		}
	}
	return printable.Figure(f, 17)
}

func shifted(e *evidence) *found {
	pairs, ok := e.measurePairs()
	if !ok || len(pairs) != 1 || len(pairs[0].g) < 2 {
		return nil
	}
	by := math.Inf(1)
	for i, g := range pairs[0].g {
		if d := pairs[0].p[i] - g; d < by {
			by = d
		}
	}
	if by == 0 || !finite(by) {
		return nil
	}
	pairs = e.explained(func(g, p float64) bool { return nearly(p-g, by) }, 2)
	if pairs == nil {
		return nil
	}
	return e.measureFound(pairs, "gold's plus "+printable.Figure(by, 6))
}

func measuresDiffer(e *evidence) *found {
	pairs, ok := e.measurePairs()
	if !ok || e.solidPart().rows == nil {
		return nil
	}
	var rows []int32
	for _, m := range pairs {
		rows = append(rows, m.differ...)
	}
	slices.Sort(rows)
	rows = slices.Compact(rows)
	if len(rows) == 0 {
		return nil
	}
	r := e.measureFound(pairs, "")
	what := named(e.gold, r.proof.GoldColumns)
	r.text = fmt.Sprintf("The answer has gold's rows, but other figures in %s in %d of %d rows.", what, len(rows),
		e.gold.Rows())
	if e.gold.Rows() == 1 {
		r.text = fmt.Sprintf("The one row of the answer has other figures in %s than gold's.", what)
	}
	r.proof.Rows = some(rows)
	return r
}
