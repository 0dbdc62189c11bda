package align

import (
	"slices"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// The search for a pairing under which the rows agree stops after maxTrials attempts, or after reading maxCells cells.
const (
	maxTrials = 128
	maxCells  = 1 << 27
)

// searchRows decides by the rows how columns with the same values are paired. It keeps the current pairs if the rows
// agree under them, or if it finds no pairing under which they do.
func (a *aligner) searchRows(ambiguous []group) {
	if !a.rowsEqual || len(ambiguous) == 0 {
		return
	}
	s := &rowSearch{aligner: a}
	var fixed []scoring.ColumnPair
	open := map[int]bool{}
	for _, g := range ambiguous {
		for _, i := range g.gold {
			open[i] = true
		}
	}
	for i := range a.pairs {
		if a.readAlike(&a.pairs[i]) && !open[i] {
			fixed = append(fixed, a.pairs[i])
		}
	}
	rows := a.goldT.Rows()
	st := state{g: make([]uint64, rows), p: make([]uint64, rows), groups: ambiguous}
	for _, c := range fixed {
		mixInto(st.g, s.keys(true, c.Gold))
		mixInto(st.p, s.keys(false, c.Pred))
	}
	base := st
	for _, g := range ambiguous {
		for _, i := range g.gold {
			if j := a.pairs[i].Pred; j >= 0 {
				base = base.with(s, i, j)
			}
		}
	}
	if base.agrees() {
		return
	}
	if s.search(st) {
		for i := range open { // found pairs all it can
			if j := a.pairs[i].Pred; j >= 0 {
				a.gold[i].taken, a.pred[j].taken = false, false
				a.pairs[i].Pred = -1
			}
		}
		for _, c := range s.found {
			a.pair(c.gold, c.pred, "values", 1, a.readSo(c.gold, c.pred))
		}
		return
	}
	a.undecided = true
}

// readAlike reports whether both columns of a pair hold the same multiset of values, each under its own view.
func (a *aligner) readAlike(c *scoring.ColumnPair) bool {
	return c.Pred >= 0 && c.Overlap == 1 && c.Exact() && c.Scale == 0 && a.gold[c.Gold].readSum == a.pred[c.Pred].readSum
}

// readSo returns the comparison of two columns that are equal under their views.
func (a *aligner) readSo(g, p int) scoring.Comparison {
	c := a.exact(g, p)
	if v := a.gold[g].read; v != nil && v.Format != "" {
		c.Kind, c.GoldFormat = v.Kind, v.Format
	}
	if v := a.pred[p].read; v != nil && v.Format != "" {
		c.Kind, c.PredFormat = v.Kind, v.Format
	}
	c.Verbatim = c.Verbatim && c.Kind == scoring.KindText
	c.Fact = formatFact(c.GoldFormat, c.PredFormat)
	return c
}

// exchangeable returns groups of columns that hold the same multiset of values after strings are converted to numbers,
// dates or truth values; nil if no column needs a conversion.
func (a *aligner) exchangeable() []group {
	if !a.rowsEqual {
		return nil
	}
	spare := map[int][]cell.View{} // ways to read predicted columns that answer nothing
	formats := false
	for j := range a.pred {
		if c := &a.pred[j]; !c.taken {
			spare[j] = append([]cell.View{{Kind: c.kind}}, c.otherViews()...)
			formats = formats || len(spare[j]) > 1
		}
	}
	if !formats &&
		!slices.ContainsFunc(a.pairs, func(c scoring.ColumnPair) bool { return c.GoldFormat != "" || c.PredFormat != "" }) {
		return nil
	}
	var groups []group
	at := map[cell.Sum]int{}
	met := map[int]bool{}
	for i := range a.pairs {
		a.halt.Check()
		c := &a.pairs[i]
		if c.Pred < 0 || met[c.Pred] || c.Overlap < 1 || !c.Exact() || c.Scale != 0 ||
			c.Kind == scoring.KindText && a.gold[i].kind != a.pred[c.Pred].kind {
			continue
		}
		met[c.Pred] = true // a column that repeats another shares its counterpart
		g, p := &a.gold[i], &a.pred[c.Pred]
		g.readAs(cell.View{Kind: c.Kind, Format: c.GoldFormat})
		p.readAs(cell.View{Kind: c.Kind, Format: c.PredFormat})
		if g.readSum != p.readSum {
			continue
		}
		k, ok := at[g.readSum]
		if !ok {
			k = len(groups)
			at[g.readSum] = k
			groups = append(groups, group{})
		}
		groups[k].gold, groups[k].pred = append(groups[k].gold, i), append(groups[k].pred, c.Pred)
	}
	for j := range a.pred {
		for _, v := range spare[j] {
			a.pred[j].readAs(v)
			if k, ok := at[a.pred[j].readSum]; ok {
				groups[k].pred = append(groups[k].pred, j)
				break
			}
		}
	}
	return slices.DeleteFunc(groups, func(g group) bool { return len(g.pred) < 2 || !a.oneKind(g) })
}

// otherViews returns the views of a column of strings as numbers without units, dates or truth values.
func (c *column) otherViews() (views []cell.View) {
	f := c.textFormats()
	if f.number != "" && f.numbers.Unit == "" { // a unit is not seen in the numbers
		views = append(views, cell.View{Kind: scoring.KindNumber, Format: f.number})
	}
	for _, d := range f.dates {
		views = append(views, cell.View{Kind: scoring.KindTime, Format: d})
	}
	if f.isBool {
		views = append(views, cell.View{Kind: scoring.KindBool, Format: cell.FormatBool})
	}
	return views
}

// readAs sets the view of the column for comparing rows, and its sum under that view.
func (c *column) readAs(v cell.View) {
	if v.Format == "" {
		v.Kind, v.Verbatim = c.kind, c.verbatim
	}
	c.read, c.readSum = &v, cell.SumOf(c.col, v)
}

// oneKind reports whether the views with a format in a group are all of the same kind, so that any two of its columns
// can be compared.
func (a *aligner) oneKind(g group) bool {
	kinds := map[scoring.Kind]bool{}
	note := func(v *cell.View) {
		if v != nil && v.Format != "" {
			kinds[v.Kind] = true
		}
	}
	for _, i := range g.gold {
		note(a.gold[i].read)
	}
	for _, j := range g.pred {
		note(a.pred[j].read)
	}
	return len(kinds) <= 1
}

type choice struct{ gold, pred int }

// state is a state of the search: row keys over the columns paired so far, on both sides, and the groups not yet
// paired.
type state struct {
	g, p    []uint64
	groups  []group
	choices []choice
}

func mixInto(rows, keys []uint64) {
	for r, k := range keys {
		rows[r] = cell.Mix(rows[r], k)
	}
}

// with returns the state after pairing columns g and p.
func (st state) with(s *rowSearch, g, p int) state {
	st.g, st.p = slices.Clone(st.g), slices.Clone(st.p)
	mixInto(st.g, s.keys(true, g))
	mixInto(st.p, s.keys(false, p))
	st.choices = append(slices.Clip(st.choices), choice{g, p})
	return st
}

// agrees reports whether both sides hold the same multiset of rows over the columns paired so far.
func (st state) agrees() bool {
	var g, p cell.Sum
	for r := range st.g {
		g.Add(st.g[r])
		p.Add(st.p[r])
	}
	return g == p
}

type rowSearch struct {
	*aligner
	goldKeys, predKeys map[int][]uint64
	trials, cells      int
	found              []choice
}

func (s *rowSearch) keys(goldSide bool, i int) []uint64 {
	if s.goldKeys == nil {
		s.goldKeys, s.predKeys = map[int][]uint64{}, map[int][]uint64{}
	}
	cols, cache := s.pred, s.predKeys
	if goldSide {
		cols, cache = s.gold, s.goldKeys
	}
	k, ok := cache[i]
	if !ok {
		v := s.natural(&cols[i])
		if cols[i].read != nil {
			v = *cols[i].read
		}
		k = cell.AllKeys(cols[i].col, v)
		cache[i] = k
	}
	return k
}

// search reports whether it found a pairing of all groups under which the rows agree, and stores it in found. It
// refines the groups, and if this is not enough, tries each partner in turn.
func (s *rowSearch) search(st state) bool {
	s.trials++
	st, ok := s.refine(st)
	if !ok {
		return false
	}
	if len(st.groups) == 0 {
		if st.agrees() {
			s.found = st.choices
			return true
		}
		return false
	}
	g := st.groups[0]
	rest := st.groups[1:]
	i := g.gold[0]
	for _, j := range g.pred {
		if s.trials >= maxTrials || s.cells >= maxCells {
			return false
		}
		next := st.with(s, i, j)
		next.groups = slices.Clone(rest)
		if left := (group{gold: g.gold[1:], pred: without(g.pred, j)}); len(left.gold) > 0 && len(left.pred) > 0 {
			next.groups = append([]group{left}, next.groups...)
		}
		if s.search(next) {
			return true
		}
	}
	return false
}

func without(list []int, v int) []int {
	return slices.DeleteFunc(slices.Clone(list), func(x int) bool { return x == v })
}

// refine splits the groups by how their values are distributed over the rows distinguished so far, and pairs columns
// that are alone, until this changes nothing. ok is false if a gold column has no partner left although its group had
// enough.
func (s *rowSearch) refine(st state) (state, bool) {
	for {
		var open []group
		progress := false
		// The values of all open columns together, without their order, also distinguish rows.
		gc, pc := s.contexts(st)
		for _, g := range st.groups {
			bySign := map[cell.Sum]*group{}
			var order []*group
			part := func(sum cell.Sum) *group {
				if bySign[sum] == nil {
					bySign[sum] = &group{}
					order = append(order, bySign[sum])
				}
				return bySign[sum]
			}
			s.cells += len(gc) * (len(g.gold) + len(g.pred))
			for _, i := range g.gold {
				q := part(sign(gc, s.keys(true, i)))
				q.gold = append(q.gold, i)
			}
			for _, j := range g.pred {
				q := part(sign(pc, s.keys(false, j)))
				q.pred = append(q.pred, j)
			}
			for _, q := range order {
				switch {
				case len(q.gold) == 0:
					progress = progress || len(order) > 1
				case len(q.gold) > len(q.pred) && len(g.gold) <= len(g.pred):
					return st, false
				case len(q.pred) == 0: // of too many gold columns, these are the ones that are missing
					progress = true
				case len(q.gold) == 1 && len(q.pred) == 1:
					st = st.with(s, q.gold[0], q.pred[0])
					progress = true
				default:
					open = append(open, *q)
					progress = progress || len(order) > 1
				}
			}
		}
		st.groups = open
		if !progress || len(open) == 0 {
			return st, true
		}
	}
}

func sign(context, keys []uint64) cell.Sum {
	var s cell.Sum
	for r, k := range keys {
		s.Add(cell.Mix(context[r], k))
	}
	return s
}

// contexts returns the row keys of both sides, extended by the multiset of the cells of each group that has equally
// many columns on both sides.
func (s *rowSearch) contexts(st state) (g, p []uint64) {
	g, p = slices.Clone(st.g), slices.Clone(st.p)
	for _, q := range st.groups {
		if len(q.gold) != len(q.pred) {
			continue
		}
		addUp := func(into []uint64, goldSide bool, cols []int) {
			sums := make([]uint64, len(into))
			for _, i := range cols {
				for r, k := range s.keys(goldSide, i) {
					sums[r] += cell.Mix(k, k)
				}
			}
			mixInto(into, sums)
		}
		addUp(g, true, q.gold)
		addUp(p, false, q.pred)
	}
	return g, p
}
