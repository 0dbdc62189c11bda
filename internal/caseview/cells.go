package caseview

import (
	"cmp"
	"slices"

	"github.com/badger-eval/badger/scoring"
)

// Column is a column of the cells: a gold column with the answer's column that it is mapped to, if any, or a column
// that only the answer has.
type Column struct {
	Label  string       `json:"label"`           // gold's name, or the answer's if gold lacks the column
	Gold   int          `json:"gold,omitempty"`  // position from 1; 0: only the answer has it
	Agent  int          `json:"agent,omitempty"` // position from 1; 0: only gold has it
	Key    bool         `json:"key,omitempty"`   // rows are matched on it
	Number bool         `json:"-"`               // at least one side is numeric
	Masked bool         `json:"masked,omitempty"`
	Type   scoring.Type `json:"-"` // gold's type, or the answer's if gold lacks the column

	Differ    int `json:"differ,omitempty"`    // number of matched rows in which the column differs
	Otherwise int `json:"otherwise,omitempty"` // number of matched rows with state Mapped

	pair int // index of the column's pair in the alignment, or -1
}

// RowKind classifies a row: matched or on one side only.
type RowKind string

// The kinds of rows, in the order in which they are shown.
const (
	MatchedRow RowKind = "matched"
	MissingRow RowKind = "missing" // only gold has it
	ExtraRow   RowKind = "extra"   // only the answer has it
)

// Row is a row of the cells. Row numbers count from 1; 0: the side lacks the row.
type Row struct {
	Kind     RowKind `json:"kind"`
	GoldRow  int     `json:"gold_row,omitempty"`
	AgentRow int     `json:"agent_row,omitempty"`
	Cells    []Cell  `json:"cells"` // in the order of the columns
}

// Cell compares one cell of gold and the answer. The value of a side that lacks the cell is nil.
type Cell struct {
	State  State   `json:"state"`
	Gold   *Value  `json:"gold,omitempty"`
	Agent  *Value  `json:"agent,omitempty"`
	How    string  `json:"how,omitempty"`    // why the values count as equal, if they are not identical
	Change *Change `json:"change,omitempty"` // difference of the values, if it can be computed
	From   int     `json:"from,omitempty"`   // position, from 1, of the first character that differs; 0: none

	Before *Value `json:"before,omitempty"`       // the earlier answer's cell of the same gold row and column
	Was    *State `json:"before_state,omitempty"` // state of Before; nil without an earlier answer or a gold cell
}

// Difference is a cell in the list layout, with its row and column.
type Difference struct {
	Kind     RowKind `json:"kind"`
	GoldRow  int     `json:"gold_row,omitempty"`
	AgentRow int     `json:"agent_row,omitempty"`
	Key      []Cell  `json:"key,omitempty"` // the cells of the key columns
	Column   int     `json:"column"`        // index in Cells.Columns
	Cell
}

// RowCounts counts the rows of a comparison. Matched rows are on both sides: Equal plus Differing, which have a cell
// that differs. Missing rows are in gold only, Extra ones in the answer only.
type RowCounts struct {
	Gold      int `json:"gold"`
	Agent     int `json:"agent"`
	Matched   int `json:"matched"`
	Equal     int `json:"equal"`
	Differing int `json:"differing"`
	Missing   int `json:"missing"`
	Extra     int `json:"extra"`
}

// StateCount is the number of cells in a state.
type StateCount struct {
	State State `json:"state"`
	Cells int   `json:"cells"`
	Rows  int   `json:"rows"` // number of rows with such a cell
}

// Cells is one page of the cells of two results, with counts over all cells.
type Cells struct {
	Columns []Column     `json:"columns"`
	Counts  []StateCount `json:"counts"` // over all cells, in the order of [allStates]
	Rows    RowCounts    `json:"rows"`

	Show   States      `json:"-"` // the states that were chosen
	Layout Arrangement `json:"layout"`
	Total  int         `json:"total"` // number of chosen rows, or of cells in the list layout
	From   int         `json:"from"`  // offset of the page's first row or cell, from 0

	Page []Row        `json:"page,omitempty"`
	List []Difference `json:"list,omitempty"`
}

// CellOptions select the cells of a page.
type CellOptions struct {
	Show   States // show rows with a cell in one of these states; 0: rows that differ or are unmatched
	Layout Arrangement
	From   int // offset of the first row (list layout: cell), from 0
	Rows   int // maximum number of rows; 0: DefaultRows
	Each   int // if above 0, show this many rows of each kind, instead of From and Rows
	Some   int // if above 0 and Show is 0, show this many rows: a sample of each kind, and rows that agree
	Cut    int // characters after which a value is folded; 0: defaultCut
	Rest   int // maximum number of folded characters; 0: 20,000
}

// Numbers of rows on a page.
const (
	DefaultRows = 200
	MaxRows     = 500
)

// tables is a comparison of two results for display, with the values of masked columns as hashes.
type tables struct {
	*Comparison
	mask                  *Masked
	maskedGold, maskedAns []bool
	cut, rest             int
	before                *classified // the cells of the earlier answer, or nil
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

// cells returns the page of cells that o selects, with counts over all cells.
func (t *tables) cells(o CellOptions) *Cells {
	if o.Rows <= 0 {
		o.Rows = DefaultRows
	}
	if t.cut = o.Cut; t.cut <= 0 {
		t.cut = defaultCut
	}
	if t.rest = o.Rest; t.rest <= 0 {
		t.rest = mostRest
	}
	out := &Cells{Columns: t.columns(), Show: o.Show, Layout: o.Layout, From: max(0, o.From)}
	if out.Layout == "" {
		out.Layout = Merged
	}
	k := t.classify(out)
	k.before = t.before
	k.count(out)
	if out.Layout == List {
		k.list(out, &o)
	} else {
		k.page(out, &o)
	}
	return out
}

// columns returns gold's columns in their order, followed by those that only the answer has.
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

// classified holds the state of every cell of a comparison.
type classified struct {
	*tables
	columns  []Column
	outright []RowSet // rows in state Equal, by column
	partner  []int32  // the matched row of the answer, by gold row; or -1
	extra    []int    // unmatched rows of the answer
	equal    RowSet   // matched gold rows with a cell in state Equal
	mapped   RowSet
	before   *classified // the earlier answer's cells against the same gold result, or nil
	lacks    bool        // a gold column is not mapped
	adds     bool        // the answer has a column that is not mapped
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
			col.Differ, col.Otherwise = t.differs[col.pair].Len(), mapped.Len()
		}
	}
	return k
}

// state returns the state of a cell of a matched gold row.
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

// count sets out.Counts, the numbers of cells and rows by state.
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
	for _, s := range allStates {
		out.Counts = append(out.Counts, StateCount{s, cells[s], rows[s]})
	}
}

// chosen reports whether show selects a matched row.
func (k *classified) chosen(row int, show States) bool {
	return show == 0 && k.differing.Has(row) || show.Has(Differs) && k.differing.Has(row) ||
		show.Has(Equal) && k.equal.Has(row) || show.Has(Mapped) && k.mapped.Has(row) ||
		show.Has(OnlyGold) && k.lacks || show.Has(OnlyAgent) && k.adds || show == All
}

// each calls f with the rows that show selects, in order, until f returns false. gold and agent are the row's indexes
// in both results; -1: the side lacks the row.
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

// page sets out.Page and pads its numbers so that their decimal points align.
func (k *classified) page(out *Cells, o *CellOptions) {
	if o.Some > 0 && o.Show == 0 {
		k.some(out, o.Some)
	} else {
		k.inOrder(out, o)
	}
	for c := range out.Columns {
		widest := 0
		for i := range out.Page {
			cell := &out.Page[i].Cells[c]
			widest = max(widest, cell.Gold.fraction(), cell.Agent.fraction(), cell.Before.fraction())
		}
		for i := range out.Page {
			cell := &out.Page[i].Cells[c]
			for _, v := range []*Value{cell.Gold, cell.Agent, cell.Before} {
				if v != nil && v.Number {
					v.Pad = widest - v.fraction()
				}
			}
		}
	}
}

// inOrder sets out.Page to the selected rows, in order: from o.From on, or the first o.Each rows of each kind.
func (k *classified) inOrder(out *Cells, o *CellOptions) {
	of := map[RowKind]int{}
	k.each(o.Show, func(gold, agent int) bool {
		if at := out.Total; o.Each <= 0 && at >= out.From && at < out.From+o.Rows || of[kindOf(gold, agent)] < o.Each {
			of[kindOf(gold, agent)]++
			out.Page = append(out.Page, k.row(gold, agent))
		}
		out.Total++
		return true
	})
}

// some sets out.Page to at most n rows: up to n/4 rows each that differ, are missing, are extra and agree. What one
// kind leaves is filled from the others, in this order.
func (k *classified) some(out *Cells, n int) {
	type row struct{ gold, agent int }
	var kinds [4][]row // at most n of each
	add := func(kind, gold, agent int) {
		if out.Total++; len(kinds[kind]) < n {
			kinds[kind] = append(kinds[kind], row{gold, agent})
		}
	}
	for i, j := range k.partner {
		switch {
		case j < 0:
			add(1, i, -1)
		case k.differing.Has(i):
			add(0, i, int(j))
		default:
			add(3, i, int(j))
		}
	}
	for _, j := range k.extra {
		add(2, -1, j)
	}
	var take [4]int
	left := n
	for kind := range kinds {
		take[kind] = min(len(kinds[kind]), n/4)
		left -= take[kind]
	}
	var rows []row
	for kind := range kinds {
		more := min(left, len(kinds[kind])-take[kind])
		left -= more
		rows = append(rows, kinds[kind][:take[kind]+more]...)
	}
	slices.SortFunc(rows, func(a, b row) int {
		if (a.gold < 0) != (b.gold < 0) { // rows that gold lacks come last
			return b.gold - a.gold
		}
		return cmp.Or(a.gold-b.gold, a.agent-b.agent)
	})
	for _, r := range rows {
		out.Page = append(out.Page, k.row(r.gold, r.agent))
	}
}

// list sets out.List to the cells in the selected states, by default those that differ.
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

// stateOf returns the state of a cell in a matched or unmatched row; is is false if neither side has the cell.
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
		k.was(&r.Cells[c], c, gold)
	}
	return r
}

// was sets the earlier answer's value and state in a cell of a gold row, if there was an earlier answer.
func (k *classified) was(out *Cell, column, gold int) {
	if k.before == nil || gold < 0 || k.columns[column].Gold == 0 {
		return
	}
	state, b := OnlyGold, k.before
	if j := int(b.partner[gold]); j >= 0 {
		if state = b.state(column, gold); state != OnlyGold {
			out.Before = b.agent(b.columns[column].Agent-1, j)
		}
	}
	out.Was = &state
}

// cell returns one cell for display. If neither side has the cell, it is empty and has the state of its row.
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
		if !identifies(k.Comparison.Gold.Columns[c.Gold-1].Name) {
			out.Change = changeOf(g, a, &how)
		}
		if s == Mapped && out.Change != nil && out.Change.Absolute == "0" {
			out.Change = nil
		}
		if s == Differs && out.Change == nil {
			out.From = firstDifference(out.Gold, out.Agent)
		}
	}
	return out
}

// firstDifference returns the position, from 1, of the first character in which two values differ. It returns 0 if one
// is NULL or if neither is folded.
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
