package relation

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/question"
	"github.com/badger-eval/badger/scoring/units"
)

// evidence holds the input of Find and what its relations compute from it. Fields whose computation is expensive are
// filled in when first needed.
type evidence struct {
	Input
	gold, pred  *scoring.Table
	a           *scoring.Alignment
	counts      *cell.Result
	bits        bool
	queriesOnly bool // only the queries are compared; gold and pred are empty

	pairKeys   map[int]pairKeys     // by position of the pair in a.Columns
	pairNulls  map[int]pairNulls    // likewise
	natural    map[side][][]uint64  // keys of unconverted columns, by position
	matches    map[string]*matching // by the positions of the compared pairs
	solid      *solid               // made when first needed
	q          *queries             // likewise
	measured   *measures            // likewise
	replaced   *[]replacement       // likewise
	asked      *question.Question   // likewise
	broken     **Order              // likewise
	unitsAsked *units.Question      // likewise
	items      *[]units.Item        // the select list of gold's query, likewise
}

type side bool

const (
	goldSide side = true
	predSide side = false
)

type pairKeys struct{ g, p []uint64 }

func (e *evidence) table(s side) *scoring.Table {
	if s == goldSide {
		return e.gold
	}
	return e.pred
}

// columns returns the positions of the columns of a side, sorted by name, so that the column that a finding names does
// not depend on their order.
func (e *evidence) columns(s side) []int {
	t := e.table(s)
	return byName(t, positionsOf(len(t.Columns)))
}

// byName returns columns, which are positions in t, sorted by name.
func byName(t *scoring.Table, columns []int) []int {
	columns = slices.Clone(columns)
	slices.SortStableFunc(columns, func(i, j int) int { return strings.Compare(t.Columns[i].Name, t.Columns[j].Name) })
	return columns
}

// keys returns the keys of the cells of an aligned pair of columns: equal for cells that are equal under the pair's
// comparison.
func (e *evidence) keys(pair int) pairKeys {
	if k, ok := e.pairKeys[pair]; ok {
		return k
	}
	c := &e.a.Columns[pair]
	var k pairKeys
	k.g, k.p, _ = cell.JointKeys(&e.gold.Columns[c.Gold], &e.pred.Columns[c.Pred], c.Comparison, e.bits)
	if e.pairKeys == nil {
		e.pairKeys = map[int]pairKeys{}
	}
	e.pairKeys[pair] = k
	return k
}

// naturalKeys returns the keys of the unconverted cells of a column. They are comparable with those of any other
// column.
func (e *evidence) naturalKeys(s side, column int) []uint64 {
	if e.natural == nil {
		e.natural = map[side][][]uint64{goldSide: make([][]uint64, len(e.gold.Columns)),
			predSide: make([][]uint64, len(e.pred.Columns))}
	}
	if k := e.natural[s][column]; k != nil {
		return k
	}
	c := &e.table(s).Columns[column]
	k := cell.AllKeys(c, cell.View{Kind: cell.NaturalKind(c), FloatBits: e.bits})
	e.natural[s][column] = k
	return k
}

// over matches the rows of both sides by the given aligned pairs; nil if pairs is empty.
func (e *evidence) over(pairs []int) *matching {
	if len(pairs) == 0 {
		return nil
	}
	name := make([]byte, 0, 2*len(pairs))
	for _, k := range pairs {
		name = append(name, byte(k), byte(k>>8))
	}
	if m, ok := e.matches[string(name)]; ok {
		return m
	}
	gold, pred := make([]uint64, e.gold.Rows()), make([]uint64, e.pred.Rows())
	for _, k := range pairs {
		c := &e.a.Columns[k]
		g, p := &e.gold.Columns[c.Gold], &e.pred.Columns[c.Pred]
		if _, ok := e.pairKeys[k]; !ok && c.Exact() && c.Scale == 0 && quick(g) && quick(p) { // nothing is kept
			gv, pv := cell.Views(&c.Comparison, e.bits)
			cell.MixKeys(gold, g, gv)
			cell.MixKeys(pred, p, pv)
			continue
		}
		keys := e.keys(k)
		mixInto(gold, keys.g)
		mixInto(pred, keys.p)
	}
	m := match(gold, pred)
	if e.matches == nil {
		e.matches = map[string]*matching{}
	}
	e.matches[string(name)] = m
	return m
}

// quick reports whether the type of a column makes its keys cheaper to compute again than to store.
func quick(c *scoring.Column) bool {
	return c.Type == scoring.Int64 || c.Type == scoring.Float64 || c.Type == scoring.Bool || c.Type == scoring.Date
}

func mixInto(rows, keys []uint64) {
	cell.Spread(len(rows), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			rows[i] = cell.Mix(rows[i], keys[i])
		}
	})
}

// rows matches the rows by all aligned pairs. It returns nil if a gold column with a value has no counterpart, if a
// side has no rows, or if only queries are compared.
func (e *evidence) rows() *matching {
	if e.queriesOnly || e.gold.Rows() == 0 || e.pred.Rows() == 0 || len(e.missing()) > 0 {
		return nil
	}
	return e.over(e.allPairs())
}

func (e *evidence) allPairs() []int {
	out := make([]int, len(e.a.Columns))
	for k := range out {
		out[k] = k
	}
	return out
}

// missing returns the gold columns without a counterpart that are not all NULL.
func (e *evidence) missing() []int {
	var out []int
	for _, i := range e.a.Missing {
		if !allNull(&e.gold.Columns[i]) {
			out = append(out, i)
		}
	}
	return out
}

// extra returns the answer's columns without a counterpart, except those that the alignment calls trivial.
func (e *evidence) extra() []int {
	var out []int
	for _, j := range e.a.Extra {
		if !slices.Contains(e.a.Trivial, j) {
			out = append(out, j)
		}
	}
	return out
}

func allNull(c *scoring.Column) bool {
	if c.Type == scoring.Null {
		return true
	}
	if !c.HasNulls() {
		return c.Len() == 0
	}
	for i := range c.Len() {
		if !c.IsNull(i) {
			return false
		}
	}
	return true
}

// solid splits the columns of two results with equally many rows into aligned pairs that hold the same values equally
// often and all other columns, which other relations are left to explain.
type solid struct {
	pairs []int // positions in the alignment
	gold  []int // the other gold columns, sorted by name
	pred  []int // the answer's other columns, sorted by name
	rows  *matching
}

// solidPart returns the solid part. It is nil if the numbers of rows differ or are 0, or if only queries are compared.
func (e *evidence) solidPart() *solid {
	if e.queriesOnly || e.gold.Rows() != e.pred.Rows() || e.gold.Rows() == 0 {
		return nil
	}
	if e.solid != nil {
		return e.solid
	}
	s := &solid{gold: slices.Clone(e.a.Missing), pred: slices.Clone(e.a.Extra)}
	for k := range e.a.Columns {
		c := &e.a.Columns[k]
		if !cell.ValuesDiffer(e.a, c) && e.sameSums(k) {
			s.pairs = append(s.pairs, k)
		} else {
			s.gold, s.pred = append(s.gold, c.Gold), append(s.pred, c.Pred)
		}
	}
	slices.Sort(s.gold)
	slices.Sort(s.pred)
	s.gold, s.pred = byName(e.gold, s.gold), byName(e.pred, slices.Compact(s.pred))
	s.rows = e.over(s.pairs)
	e.solid = s
	return s
}

// sameSums reports whether both columns of a pair hold the same values equally often.
func (e *evidence) sameSums(pair int) bool {
	keys := e.keys(pair)
	var g, p cell.Sum
	for i := range keys.g {
		g.Add(keys.g[i])
		p.Add(keys.p[i])
	}
	return g == p
}

// keysOf returns one key for each row of a side, over all columns in pairs; all 0 if pairs is empty.
func (s *solid) keysOf(side side, rows int) []uint64 {
	switch {
	case s.rows == nil:
		return make([]uint64, rows)
	case side == goldSide:
		return s.rows.gold
	}
	return s.rows.pred
}

// goldColumns returns the gold columns of aligned pairs, predColumns the answer's.
func (e *evidence) goldColumns(pairs []int) []int {
	out := make([]int, len(pairs))
	for i, k := range pairs {
		out[i] = e.a.Columns[k].Gold
	}
	return out
}

func (e *evidence) predColumns(pairs []int) []int {
	out := make([]int, len(pairs))
	for i, k := range pairs {
		out[i] = e.a.Columns[k].Pred
	}
	return out
}

// some returns the first five rows of a list.
func some(rows []int32) []int {
	var out []int
	for _, r := range rows[:min(len(rows), 5)] {
		out = append(out, int(r))
	}
	return out
}
