package caseview

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// Comparison is the cell-by-cell comparison of a gold and an agent's result under an alignment.
type Comparison struct {
	Gold, Agent *scoring.Table
	Alignment   *scoring.Alignment // refers to columns of both
	Counts      cell.Result        // result of cell.Compare; must have Pairs if cells are to differ

	differs   []RowSet // gold rows that differ, by index of the column pair
	differing RowSet
	pairOf    []int // index of the column pair in the alignment, by gold column; or -1
}

// Compare finds the cells that differ, by the rules of package cell. counts must have the pairs of matched rows:
// without them no cell counts as differing.
func Compare(gold, agent *scoring.Table, a *scoring.Alignment, counts *cell.Result) *Comparison {
	c := &Comparison{Gold: gold, Agent: agent, Alignment: a, Counts: *counts, differs: make([]RowSet, len(a.Columns)),
		pairOf: make([]int, len(gold.Columns))}
	for k := range a.Columns {
		c.differs[k] = c.findDiffering(k)
		c.differing = c.differing.union(c.differs[k])
	}
	for i := range c.pairOf {
		c.pairOf[i] = slices.IndexFunc(a.Columns, func(p scoring.ColumnPair) bool { return p.Gold == i })
	}
	return c
}

// Pair returns the index in the alignment of the pair of a gold column, or -1.
func (c *Comparison) Pair(gold int) int { return c.pairOf[gold] }

// Differs returns the matched gold rows whose cells of a pair of columns differ.
func (c *Comparison) Differs(pair int) RowSet { return c.differs[pair] }

// Differing returns the matched gold rows with a cell that differs.
func (c *Comparison) Differing() RowSet { return c.differing }

// Partner returns the agent's row that a gold row is matched with, or -1.
func (c *Comparison) Partner(row int) int {
	if c.Counts.Pairs == nil {
		return -1
	}
	return int(c.Counts.Pairs[row])
}

// key reports whether rows were matched on a pair of columns.
func (c *Comparison) key(pair int) bool { return slices.Contains(c.Alignment.Index, pair) }

func (c *Comparison) findDiffering(k int) RowSet {
	if c.Counts.Pairs == nil || c.key(k) {
		return nil
	}
	p := &c.Alignment.Columns[k]
	gold, agent, how := &c.Gold.Columns[p.Gold], &c.Agent.Columns[p.Pred], p.Comparison
	goldView, agentView := cell.Views(&how, cell.FloatBits(c.Gold, c.Agent))
	goldKeys, agentKeys := cell.AllKeys(gold, goldView), cell.AllKeys(agent, agentView)
	equal := func(i, j int) bool { return goldKeys[i] == agentKeys[j] }
	if how.Kind == scoring.KindNumber && (!how.Exact() || how.Scale != 0) {
		g, q, unit := make([]float64, gold.Len()), make([]float64, agent.Len()), cell.Pow10(how.Scale)
		cell.Magnitudes(gold, goldView, g)
		cell.Magnitudes(agent, agentView, q)
		sameKey := equal
		equal = func(i, j int) bool {
			x, y := g[i], q[j]
			if how.Scale != 0 {
				y *= unit
			}
			if x != x || y != y { // NULL, or text that is not a number
				return x != x && y != y && sameKey(i, j)
			}
			return cell.Near(x, y, &how)
		}
	}
	set := newRowSet(len(c.Counts.Pairs))
	for i, j := range c.Counts.Pairs {
		if j >= 0 && !equal(i, int(j)) {
			set.add(i)
		}
	}
	return set
}

// outright returns the matched gold rows whose cells of a pair of columns are equal without the mapping: the same text,
// the same number (1 equals 1.0), the same date.
func (c *Comparison) outright(k int) RowSet {
	set := newRowSet(len(c.Counts.Pairs))
	p := &c.Alignment.Columns[k]
	gold, agent := &c.Gold.Columns[p.Gold], &c.Agent.Columns[p.Pred]
	same := func(i, j int) bool { return outrightEqual(gold.Value(i), agent.Value(j)) }
	if gold.Type.Numeric() && agent.Type.Numeric() {
		bits := cell.FloatBits(c.Gold, c.Agent)
		view := cell.View{Kind: scoring.KindNumber, FloatBits: bits}
		goldKeys, agentKeys := cell.AllKeys(gold, view), cell.AllKeys(agent, view)
		same = func(i, j int) bool { return goldKeys[i] == agentKeys[j] && gold.IsNull(i) == agent.IsNull(j) }
	}
	for i, j := range c.Counts.Pairs {
		if j >= 0 && !c.differs[k].Has(i) && same(i, int(j)) {
			set.add(i)
		}
	}
	return set
}

// outrightEqual reports whether two values are equal as stored: of the same type, or numbers of the same value.
func outrightEqual(g, a scoring.Value) bool {
	if g.Type == a.Type && g.Type != scoring.Decimal {
		return g == a
	}
	if g.Type.Numeric() && a.Type.Numeric() {
		x, ok := exactNumber(g)
		y, also := exactNumber(a)
		return ok && also && x.Cmp(y) == 0
	}
	return false
}

// how returns a phrase for why two different values count as equal under the mapping, such as "letter case".
func (c *Comparison) how(k, i, j int) string {
	p := &c.Alignment.Columns[k]
	g, a := c.Gold.Columns[p.Gold].Value(i), c.Agent.Columns[p.Pred].Value(j)
	switch {
	case g.IsNull() || a.IsNull():
		other := g
		if g.IsNull() {
			other = a
		}
		if other.Type == scoring.Float64 {
			return "NaN for NULL"
		}
		return "blank text for NULL"
	case p.Kind == scoring.KindText && g.Type == scoring.String && a.Type == scoring.String && p.GoldFormat == "" &&
		p.PredFormat == "":
		x, y := g.Text(), a.Text()
		oneX, oneY := strings.Join(strings.Fields(x), " "), strings.Join(strings.Fields(y), " ")
		switch {
		case strings.EqualFold(x, y):
			return "letter case"
		case oneX == oneY:
			return "white space"
		case strings.EqualFold(oneX, oneY):
			return "letter case and white space"
		}
		return "another spelling of the text"
	case p.Fact != "":
		return p.Fact
	case g.Type != a.Type:
		return a.Type.String() + " for " + g.Type.String()
	case g.Type == scoring.JSON:
		return "JSON written otherwise"
	}
	return "as " + string(p.Kind)
}
