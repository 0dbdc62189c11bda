package align

import (
	"slices"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// maxTrials bounds how many ways of pairing columns with the same values are tried to the end.
const maxTrials = 64

// settle decides, by the rows, which of several columns that hold the same values corresponds to which. The pairing by names stands where the
// rows agree under it, or where no other pairing makes them agree.
func (a *aligner) settle() {
	s := &settler{aligner: a}
	var fixed []scoring.ColumnPair
	open := map[int]bool{}
	for _, g := range a.ambiguous {
		for _, i := range g.gold {
			open[i] = true
		}
	}
	for i := range a.pairs {
		if a.pairs[i].Pred >= 0 && !open[i] {
			fixed = append(fixed, a.pairs[i])
		}
	}
	rows := a.goldT.Rows()
	st := state{g: make([]uint64, rows), p: make([]uint64, rows), groups: a.ambiguous}
	for _, c := range fixed {
		mixInto(st.g, s.keys(true, c.Gold))
		mixInto(st.p, s.keys(false, c.Pred))
	}
	base := st
	for _, g := range a.ambiguous {
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
		for _, c := range s.found {
			a.pred[a.pairs[c.gold].Pred].taken = false
		}
		for _, c := range s.found {
			a.pair(c.gold, c.pred, "values", 1, a.exact(c.gold, c.pred))
		}
		return
	}
	a.undecided = true
}

type choice struct{ gold, pred int }

// state is a point of the search: the keys of all rows over the columns paired so far, on both sides, and the groups still open.
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

// with is the state after one more pair.
func (st state) with(s *settler, g, p int) state {
	st.g, st.p = slices.Clone(st.g), slices.Clone(st.p)
	mixInto(st.g, s.keys(true, g))
	mixInto(st.p, s.keys(false, p))
	st.choices = append(slices.Clip(st.choices), choice{g, p})
	return st
}

// agrees tells whether both sides hold the same rows over the columns paired so far.
func (st state) agrees() bool {
	var g, p cell.Sum
	for r := range st.g {
		g.Add(st.g[r])
		p.Add(st.p[r])
	}
	return g == p
}

type settler struct {
	*aligner
	goldKeys, predKeys map[int][]uint64
	trials             int
	found              []choice
}

func (s *settler) keys(goldSide bool, i int) []uint64 {
	if s.goldKeys == nil {
		s.goldKeys, s.predKeys = map[int][]uint64{}, map[int][]uint64{}
	}
	cols, cache := s.pred, s.predKeys
	if goldSide {
		cols, cache = s.gold, s.goldKeys
	}
	k, ok := cache[i]
	if !ok {
		k = cell.AllKeys(cols[i].col, s.natural(&cols[i]))
		cache[i] = k
	}
	return k
}

// search refines the groups until every column has its partner, choosing and going back where refining does not get there.
func (s *settler) search(st state) bool {
	st, ok := s.refine(st)
	if !ok {
		return false
	}
	if len(st.groups) == 0 {
		s.trials++
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
		if s.trials >= maxTrials {
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

// refine splits the groups by how their columns' values fall on the rows as they are told apart so far, pairs what is alone,
// and repeats while that tells the rows apart further. ok is false where a group has lost all partners of a gold column.
func (s *settler) refine(st state) (state, bool) {
	for {
		var open []group
		progress := false
		// What the open columns hold together, whichever is which, also tells rows apart.
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
				case len(q.pred) == 0:
					return st, false
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

// contexts are the row keys with, for every open group of as many columns on both sides, the multiset of what its columns hold in the row.
func (s *settler) contexts(st state) (g, p []uint64) {
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
