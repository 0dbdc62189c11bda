package relation

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/question"
	"github.com/badger-eval/badger/scoring/units"
)

// evidence holds what the relations examine. Expensive parts are computed when they are first needed.
type evidence struct {
	Input
	gold, pred  *scoring.Table
	a           *scoring.Alignment
	counts      *cell.Result
	bits        bool
	queriesOnly bool // there are no tables

	pairKeys   map[int]pairKeys     // by position in the alignment
	pairNulls  map[int]pairNulls    // likewise
	natural    map[side][][]uint64  // keys of columns as they are
	matches    map[string]*matching // by the pairs it is over
	solid      *solid               // made when first needed
	q          *queries             // likewise
	measured   *measures            // likewise
	replaced   *[]replacement       // likewise
	asked      *question.Question   // likewise
	broken     **Order              // likewise
	unitsAsked *units.Question      // likewise
	items      *[]units.Item        // of gold's query, likewise
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

// columns returns the columns of a side in order of name. If several of them show a relation, the first is
// reported, whatever its position.
func (e *evidence) columns(s side) []int {
	t := e.table(s)
	return byName(t, positionsOf(len(t.Columns)))
}

// byName sorts columns of a result by their names.
func byName(t *scoring.Table, columns []int) []int {
	columns = slices.Clone(columns)
	slices.SortStableFunc(columns, func(i, j int) int { return strings.Compare(t.Columns[i].Name, t.Columns[j].Name) })
	return columns
}

// keys are the keys of an aligned pair of columns, under its comparison.
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

// naturalKeys returns the keys of a column without conversion. They may be compared with those of any other column.
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

// over matches rows on some of the aligned pairs, nil if there are none.
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

// quick reports whether the keys of a column take less time to make than to keep.
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

// rows matches whole gold rows; nil if a gold column that holds a value has no counterpart, or
// one side has no rows.
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

// missing are the gold columns without a counterpart that hold a value.
func (e *evidence) missing() []int {
	var out []int
	for _, i := range e.a.Missing {
		if !allNull(&e.gold.Columns[i]) {
			out = append(out, i)
		}
	}
	return out
}

// extra are the answer's columns that gold does not have and that carry something.
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

// solid is the certain part of two results with equally many rows: the aligned columns that hold the same values
// equally often. The other columns are left to explain.
type solid struct {
	pairs []int // positions in the alignment
	gold  []int // gold columns that are left, by name
	pred  []int // the answer's columns that are left, by name
	rows  *matching
}

// solidPart is the solid part; nil if the results have different numbers of rows, or none.
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

// rowsOf folds the keys of the pairs into one key a row, 0 if there are no pairs.
func (s *solid) keysOf(side side, rows int) []uint64 {
	switch {
	case s.rows == nil:
		return make([]uint64, rows)
	case side == goldSide:
		return s.rows.gold
	}
	return s.rows.pred
}

// goldColumns and predColumns are the columns of aligned pairs.
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

// some are the first few of a list of rows.
func some(rows []int32) []int {
	var out []int
	for _, r := range rows[:min(len(rows), 5)] {
		out = append(out, int(r))
	}
	return out
}
