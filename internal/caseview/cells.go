package caseview

import (
	"github.com/badger-eval/badger/scoring"
)

// Column is a column of the cells: a gold column with what answers it, or one that only the answer
// has.
type Column struct {
	Label  string       `json:"label"`           // gold's name, or the answer's where gold lacks the column
	Gold   int          `json:"gold,omitempty"`  // position from 1; 0: only the answer has it
	Agent  int          `json:"agent,omitempty"` // position from 1; 0: only gold has it
	Key    bool         `json:"key,omitempty"`   // rows are matched on it
	Number bool         `json:"-"`               // a side holds numbers
	Masked bool         `json:"masked,omitempty"`
	Type   scoring.Type `json:"-"` // of gold, or of the answer where gold lacks the column

	pair int // position in the alignment, or -1
}

// RowKind classifies a row: matched or on one side only.
type RowKind string

// The kinds of rows, in the order in which they are shown.
const (
	MatchedRow RowKind = "matched"
	MissingRow RowKind = "missing" // only gold has it
	ExtraRow   RowKind = "extra"   // only the answer has it
)

// Row is a row of the cells. Numbers count from 1; 0 is none.
type Row struct {
	Kind     RowKind `json:"kind"`
	GoldRow  int     `json:"gold_row,omitempty"`
	AgentRow int     `json:"agent_row,omitempty"`
	Cells    []Cell  `json:"cells"` // in the order of the columns
}

// Cell is one cell. A side that lacks the cell is nil.
type Cell struct {
	State  State   `json:"state"`
	Gold   *Value  `json:"gold,omitempty"`
	Agent  *Value  `json:"agent,omitempty"`
	How    string  `json:"how,omitempty"`    // why it counts as equal, where it is not the same
	Change *Change `json:"change,omitempty"` // how far the values are from each other, where that can be computed
	From   int     `json:"from,omitempty"`   // the first character in which two texts differ, from 1
}

// Difference is a cell in the list of cells, with the row it is in.
type Difference struct {
	Kind     RowKind `json:"kind"`
	GoldRow  int     `json:"gold_row,omitempty"`
	AgentRow int     `json:"agent_row,omitempty"`
	Key      []Cell  `json:"key,omitempty"` // the cells of the key columns
	Column   int     `json:"column"`        // in Cells.Columns
	Cell
}

// RowCounts counts the rows. Matched are those with a partner, Equal and Differing of them those
// without and with a cell that differs.
type RowCounts struct {
	Gold      int `json:"gold"`
	Agent     int `json:"agent"`
	Matched   int `json:"matched"`
	Equal     int `json:"equal"`
	Differing int `json:"differing"`
	Missing   int `json:"missing"`
	Extra     int `json:"extra"`
}

// StateCount is how many cells are in a state.
type StateCount struct {
	State State `json:"state"`
	Cells int   `json:"cells"`
	Rows  int   `json:"rows"` // that have such a cell
}

// Cells are the cells of two results, a page of them.
type Cells struct {
	Columns []Column     `json:"columns"`
	Counts  []StateCount `json:"counts"` // of all cells, by [AllStates]
	Rows    RowCounts    `json:"rows"`

	Show   States      `json:"-"` // what was chosen
	Layout Arrangement `json:"layout"`
	Total  int         `json:"total"` // rows that were chosen, or cells in the list
	From   int         `json:"from"`  // the first of the page, from 0

	Page []Row        `json:"page,omitempty"`
	List []Difference `json:"list,omitempty"`
}

// CellOptions choose the cells of a page.
type CellOptions struct {
	Show   States // cells that a row must have to be shown; 0: the rows that differ or lack a partner
	Layout Arrangement
	From   int // the first row (of the list: cell), from 0
	Rows   int // maximum number of rows; 0: DefaultRows
	Each   int // above 0: the first rows of each kind, instead of From and Rows
	Cut    int // characters after which a string is cut; 0: DefaultCut
	Rest   int // characters behind that are shown when it is unfolded; 0: 20,000
}

// Rows of a page.
const (
	DefaultRows = 200
	MaxRows     = 500
)

// tables are two results as they are shown: masked columns as hashes.
type tables struct {
	*Comparison
	mask                  *Masked
	maskedGold, maskedAns []bool
	cut, rest             int
}

func (t *tables) gold(column, row int) *Value {
	return t.value(&t.Comparison.Gold.Columns[column], row, t.maskedGold[column])
}

func (t *tables) agent(column, row int) *Value {
	return t.value(&t.Comparison.Agent.Columns[column], row, t.maskedAns[column])
}

func (t *tables) value(c *scoring.Column, row int, masked bool) *Value {
	if masked {
		return t.mask.value(c.Value(row))
	}
	return newValue(c.Value(row), t.cut, t.rest)
}

// cells classifies all cells and shows a page of them.
func (t *tables) cells(o CellOptions) *Cells {
	if o.Rows <= 0 {
		o.Rows = DefaultRows
	}
	if t.cut = o.Cut; t.cut <= 0 {
		t.cut = DefaultCut
	}
	if t.rest = o.Rest; t.rest <= 0 {
		t.rest = mostRest
	}
	out := &Cells{Columns: t.columns(), Show: o.Show, Layout: o.Layout, From: max(0, o.From)}
	if out.Layout == "" {
		out.Layout = Merged
	}
	k := t.classify(out)
	k.count(out)
	if out.Layout == List {
		k.list(out, &o)
	} else {
		k.page(out, &o)
	}
	return out
}

// columns are gold's in their order, then those that only the answer has.
func (t *tables) columns() []Column {
	names := t.names(t.Comparison.Gold)
	var out []Column
	for i := range t.Comparison.Gold.Columns {
		g := &t.Comparison.Gold.Columns[i]
		c := Column{Label: names[i], Gold: i + 1, Number: g.Type.Numeric(), Masked: t.maskedGold[i], Type: g.Type,
			pair: t.Pair(i)}
		if c.pair >= 0 {
			j := t.Alignment.Columns[c.pair].Pred
			c.Agent, c.Key = j+1, t.key(c.pair)
			c.Number = c.Number || t.Comparison.Agent.Columns[j].Type.Numeric()
		}
		out = append(out, c)
	}
	names = t.names(t.Comparison.Agent)
	for _, j := range t.Alignment.Extra {
		a := &t.Comparison.Agent.Columns[j]
		out = append(out,
			Column{Label: names[j], Agent: j + 1, Number: a.Type.Numeric(), Masked: t.maskedAns[j], Type: a.Type, pair: -1})
	}
	return out
}

// classified knows the state of every cell.
type classified struct {
	*tables
	columns  []Column
	outright []RowSet // by column
	partner  []int32  // by gold row, or -1
	extra    []int    // the answer's rows without a partner
	equal    RowSet   // matched gold rows with a cell of the state
	mapped   RowSet
	lacks    bool // a gold column has no counterpart
	adds     bool // the answer has further columns
}

func (t *tables) classify(out *Cells) *classified {
	k := &classified{tables: t, columns: out.Columns, outright: make([]RowSet, len(out.Columns)), partner: t.Counts.Pairs}
	gold, agent := t.Comparison.Gold.Rows(), t.Comparison.Agent.Rows()
	if k.partner == nil {
		k.partner = make([]int32, gold)
		for i := range k.partner {
			k.partner[i] = -1
		}
	}
	taken := newRowSet(agent)
	r := RowCounts{Gold: gold, Agent: agent, Differing: t.differing.Len()}
	for _, j := range k.partner {
		if j >= 0 {
			taken.add(int(j))
			r.Matched++
		}
	}
	r.Equal, r.Missing, r.Extra = r.Matched-r.Differing, gold-r.Matched, agent-r.Matched
	for j := range agent {
		if !taken.Has(j) {
			k.extra = append(k.extra, j)
		}
	}
	out.Rows = r
	for c := range k.columns {
		switch col := &k.columns[c]; {
		case col.Agent == 0:
			k.lacks = true
		case col.Gold == 0:
			k.adds = true
		default:
			k.outright[c] = t.outright(col.pair)
			k.equal = k.equal.union(k.outright[c])
			mapped := newRowSet(gold)
			for i, j := range k.partner {
				if j >= 0 && !k.outright[c].Has(i) && !t.differs[col.pair].Has(i) {
					mapped.add(i)
				}
			}
			k.mapped = k.mapped.union(mapped)
		}
	}
	return k
}

// state is the state of a cell of a matched gold row.
func (k *classified) state(column, row int) State {
	c := &k.columns[column]
	switch {
	case c.Agent == 0:
		return OnlyGold
	case c.Gold == 0:
		return OnlyAgent
	case k.differs[c.pair].Has(row):
		return Differs
	case k.outright[column].Has(row):
		return Equal
	}
	return Mapped
}

// count counts all cells by state.
func (k *classified) count(out *Cells) {
	var cells, rows [numStates]int
	r := &out.Rows
	for c := range k.columns {
		switch col := &k.columns[c]; {
		case col.Agent == 0:
			cells[OnlyGold] += r.Gold
		case col.Gold == 0:
			cells[OnlyAgent] += r.Agent
		default:
			equal, differs := k.outright[c].Len(), k.differs[col.pair].Len()
			cells[Equal] += equal
			cells[Differs] += differs
			cells[Mapped] += r.Matched - equal - differs
			cells[OnlyGold] += r.Missing
			cells[OnlyAgent] += r.Extra
		}
	}
	rows[Equal], rows[Mapped], rows[Differs] = k.equal.Len(), k.mapped.Len(), r.Differing
	rows[OnlyGold], rows[OnlyAgent] = r.Missing, r.Extra
	if k.lacks {
		rows[OnlyGold] = r.Gold
	}
	if k.adds {
		rows[OnlyAgent] = r.Agent
	}
	for _, s := range AllStates {
		out.Counts = append(out.Counts, StateCount{s, cells[s], rows[s]})
	}
}

// chosen reports whether a matched row is shown.
func (k *classified) chosen(row int, show States) bool {
	return show == 0 && k.differing.Has(row) || show.Has(Differs) && k.differing.Has(row) ||
		show.Has(Equal) && k.equal.Has(row) || show.Has(Mapped) && k.mapped.Has(row) ||
		show.Has(OnlyGold) && k.lacks || show.Has(OnlyAgent) && k.adds || show == All
}

// each calls f with the rows that are shown, in order, until it returns false. A row is its gold row
// and the answer's, -1 if it has none.
func (k *classified) each(show States, f func(gold, agent int) bool) {
	for i, j := range k.partner {
		if j >= 0 && k.chosen(i, show) && !f(i, int(j)) {
			return
		}
	}
	if show == 0 || show.Has(OnlyGold) {
		for i, j := range k.partner {
			if j < 0 && !f(i, -1) {
				return
			}
		}
	}
	if show == 0 || show.Has(OnlyAgent) {
		for _, j := range k.extra {
			if !f(-1, j) {
				return
			}
		}
	}
}

// page shows the rows of a page.
func (k *classified) page(out *Cells, o *CellOptions) {
	of := map[RowKind]int{}
	k.each(o.Show, func(gold, agent int) bool {
		if at := out.Total; o.Each <= 0 && at >= out.From && at < out.From+o.Rows || of[kindOf(gold, agent)] < o.Each {
			of[kindOf(gold, agent)]++
			out.Page = append(out.Page, k.row(gold, agent))
		}
		out.Total++
		return true
	})
	for c := range out.Columns {
		widest := 0
		for i := range out.Page {
			cell := &out.Page[i].Cells[c]
			widest = max(widest, cell.Gold.fraction(), cell.Agent.fraction())
		}
		for i := range out.Page {
			cell := &out.Page[i].Cells[c]
			for _, v := range []*Value{cell.Gold, cell.Agent} {
				if v != nil && v.Number {
					v.Pad = widest - v.fraction()
				}
			}
		}
	}
}

// list lists the cells of the chosen states, by default those that differ.
func (k *classified) list(out *Cells, o *CellOptions) {
	show := o.Show
	if show == 0 {
		show = Set(Differs)
	}
	var keys []int
	for c := range k.columns {
		if k.columns[c].Key {
			keys = append(keys, c)
		}
	}
	k.each(show, func(gold, agent int) bool {
		for c := range k.columns {
			s, is := k.stateOf(c, gold, agent)
			if !is || !show.Has(s) {
				continue
			}
			if at := out.Total; at >= out.From && at < out.From+o.Rows {
				d := Difference{Kind: kindOf(gold, agent), GoldRow: gold + 1, AgentRow: agent + 1, Column: c,
					Cell: k.cell(c, gold, agent)}
				for _, key := range keys {
					d.Key = append(d.Key, k.cell(key, gold, agent))
				}
				out.List = append(out.List, d)
			}
			out.Total++
		}
		return true
	})
}

func kindOf(gold, agent int) RowKind {
	switch {
	case agent < 0:
		return MissingRow
	case gold < 0:
		return ExtraRow
	}
	return MatchedRow
}

// stateOf is the state of a cell; is is false if neither side has the cell.
func (k *classified) stateOf(column, gold, agent int) (s State, is bool) {
	c := &k.columns[column]
	switch {
	case agent < 0:
		return OnlyGold, c.Gold > 0
	case gold < 0:
		return OnlyAgent, c.Agent > 0
	}
	return k.state(column, gold), true
}

func (k *classified) row(gold, agent int) Row {
	r := Row{Kind: kindOf(gold, agent), GoldRow: gold + 1, AgentRow: agent + 1, Cells: make([]Cell, len(k.columns))}
	for c := range k.columns {
		r.Cells[c] = k.cell(c, gold, agent)
	}
	return r
}

// cell shows one cell. One that neither side has is empty, in the state of its row.
func (k *classified) cell(column, gold, agent int) Cell {
	c := &k.columns[column]
	s, _ := k.stateOf(column, gold, agent)
	out := Cell{State: s}
	if gold >= 0 && c.Gold > 0 {
		out.Gold = k.gold(c.Gold-1, gold)
	}
	if agent >= 0 && c.Agent > 0 {
		out.Agent = k.agent(c.Agent-1, agent)
	}
	if c.Masked || out.Agent != nil && out.Agent.Masked || out.Gold == nil || out.Agent == nil {
		return out // how a masked value compares with another would reveal it
	}
	switch s {
	case Mapped:
		out.How = k.how(c.pair, gold, agent)
		fallthrough
	case Differs:
		how := k.Alignment.Columns[c.pair].Comparison
		g, a := readAs(&k.Comparison.Gold.Columns[c.Gold-1], &k.Comparison.Agent.Columns[c.Agent-1], &how, gold, agent)
		out.Change = changeOf(g, a, &how)
		if s == Mapped && out.Change != nil && out.Change.Absolute == "0" {
			out.Change = nil
		}
		if s == Differs && out.Change == nil {
			out.From = firstDifference(out.Gold, out.Agent)
		}
	}
	return out
}

// firstDifference is the first character in which two long texts differ, from 1; 0 if they are
// short enough to see.
func firstDifference(g, a *Value) int {
	if g.Null || a.Null || g.Length == 0 && a.Length == 0 {
		return 0
	}
	n := 1
	rest := a.Text
	for _, r := range g.Text {
		s := string(r)
		if len(rest) < len(s) || rest[:len(s)] != s {
			break
		}
		rest = rest[len(s):]
		n++
	}
	return n
}
