package cell

import "github.com/badger-eval/badger/internal/halt"

// assignment matches kinds of rows so that as many cells as possible are equal: a maximum-weight bipartite matching by
// the method of Kuhn and Munkres with the phases of Hopcroft and Karp. An edge weighs the number of equal cells, a node
// has the capacity of its rows. Small weights bound the changes of duals by the columns.
type assignment struct {
	edges          []edge  // sorted by gold kind
	start          []int32 // index of the first edge of each gold kind
	flow           []int32 // number of rows that each edge pairs
	into           [][]int32
	supply, demand []int32 // number of rows of each kind without a partner
	gold, pred     []int32 // duals: gold[i] + pred[j] is at least the weight of an edge, and equal to it if there is flow

	halt               *halt.Signal // stops the search
	steps, most        int          // edges examined so far, and the number after which the search stops
	pass               int32
	goldSeen, predSeen []int32 // the last pass that visited the kind
	path               []step
}

// edge joins two kinds of rows that have equal cells; weight is their number.
type edge struct{ gold, pred, weight int32 }

// step is a gold kind on the path from a gold kind to a predicted kind that both have rows without a partner.
type step struct {
	gold int32
	via  int32 // index of the edge whose flow the path reverses to get here; -1: the start of the path
	next int32 // index of the next edge of gold to examine
	edge int32 // index of the edge by which the path continues, or -1
	back int   // position in into of the next edge with flow to examine
}

// maxSteps bounds the work of an assignment: the search stops after this many steps for each edge and kind of rows.
// Random values take up to 45; the worst case is as many as there are kinds.
const maxSteps = 64

// assign pairs rows so that as many cells as possible are equal. complete is false if the search stopped early; then it
// has paired the rows with the most equal cells, and others have no partner.
func (p *problem) assign(common int) (complete bool) {
	a := p.newAssignment(common)
	complete = a.solve()
	for e, n := range a.flow {
		if n > 0 {
			p.pair(int(a.edges[e].gold), int(a.edges[e].pred), n)
		}
	}
	return complete
}

func (p *problem) newAssignment(common int) *assignment {
	golds, preds := p.gold.len(), p.pred.len()
	a := &assignment{
		halt:  p.halt,
		edges: make([]edge, 0, common), start: make([]int32, 1, golds+1), into: make([][]int32, preds),
		supply: p.gold.left(), demand: p.pred.left(), gold: make([]int32, golds), pred: make([]int32, preds),
		goldSeen: make([]int32, golds), predSeen: make([]int32, preds),
	}
	p.listKinds()
	weight, met := make([]int32, preds), make([]int32, 0, preds)
	most := int32(0)
	for t := range golds {
		met = met[:0]
		for k := range p.codes {
			from, to := p.span(t, k)
			if from == dead {
				continue
			}
			c := &p.codes[k]
			for _, j := range c.kinds[c.start[from]:c.start[to]] {
				if weight[j] == 0 {
					met = append(met, j)
				}
				weight[j]++
			}
		}
		for _, j := range met {
			a.edges = append(a.edges, edge{int32(t), j, weight[j]}) //nolint:gosec // rows are bounded far below
			most, weight[j] = max(most, weight[j]), 0
		}
		a.start = append(a.start, int32(len(a.edges))) //nolint:gosec // common is bounded far below
	}
	for t := range a.gold {
		a.gold[t] = most
	}
	a.flow, a.most = make([]int32, len(a.edges)), maxSteps*(len(a.edges)+golds+preds)
	return a
}

// listKinds sets, for each code of a column, the list of the predicted kinds that have it.
func (p *problem) listKinds() {
	for k := range p.codes {
		c := &p.codes[k]
		c.kinds = make([]int32, c.start[c.n])
		at := append([]int32(nil), c.start...)
		for t := range p.pred.len() {
			if code := p.packed.code(p.pred.cells, t, k); code < uint64(c.n) { //nolint:gosec // not negative
				c.kinds[at[code]] = int32(t) //nolint:gosec // rows are bounded far below
				at[code]++
			}
		}
	}
}

// solve computes the flow. All gold kinds with rows left have the same dual: the gain of one more pair. complete is
// false if it exceeded the number of steps.
func (a *assignment) solve() (complete bool) {
	looks := halt.Every{Signal: a.halt, N: 1024}
	for {
		found := false
		a.pass++
		least := int32(-1) // dual of gold kinds with rows to spare
		for i := range a.supply {
			if a.steps > a.most {
				return false
			}
			looks.Step()
			for a.supply[i] > 0 && a.augment(int32(i)) { //nolint:gosec // rows are bounded far below
				found = true
			}
			if a.supply[i] > 0 {
				least = a.gold[i]
			}
		}
		switch {
		case least < 0:
			return true
		case found:
			continue
		}
		if a.reprice(least); least == 0 {
			return true
		}
	}
}

// reprice lowers the duals of the gold kinds visited in the last pass, and raises those of the predicted ones, until
// another edge can be used or the dual least of kinds with rows left is 0. least must be at least 1.
func (a *assignment) reprice(least int32) {
	by := least
	for i, pass := range a.goldSeen {
		if pass != a.pass {
			continue
		}
		a.steps += int(a.start[i+1] - a.start[i])
		for _, e := range a.edges[a.start[i]:a.start[i+1]] {
			if a.predSeen[e.pred] != pass {
				by = min(by, a.gold[i]+a.pred[e.pred]-e.weight)
			}
		}
	}
	for i, pass := range a.goldSeen {
		if pass == a.pass {
			a.gold[i] -= by
		}
	}
	for j, pass := range a.predSeen {
		if pass == a.pass {
			a.pred[j] += by
		}
	}
}

// augment searches for a path from the gold kind root to a predicted kind with rows left, along edges whose weight
// equals the sum of their duals, and backward along those with flow. It pairs as many rows along it as possible, and
// reports whether there is one.
func (a *assignment) augment(root int32) bool {
	a.goldSeen[root] = a.pass
	a.path = append(a.path[:0], step{gold: root, via: -1, next: a.start[root], edge: -1})
	for len(a.path) > 0 {
		a.steps++
		s := &a.path[len(a.path)-1]
		if s.edge >= 0 {
			into := a.into[a.edges[s.edge].pred]
			if s.back == len(into) {
				s.edge = -1
				continue
			}
			via := into[s.back]
			s.back++
			if i := a.edges[via].gold; a.goldSeen[i] != a.pass {
				a.goldSeen[i] = a.pass
				a.path = append(a.path, step{gold: i, via: via, next: a.start[i], edge: -1})
			}
			continue
		}
		e := a.usable(s)
		if e == nil {
			a.path = a.path[:len(a.path)-1]
			continue
		}
		a.predSeen[e.pred] = a.pass
		s.edge, s.back = s.next-1, 0
		if a.demand[e.pred] > 0 {
			a.send(root, e.pred)
			return true
		}
	}
	return false
}

// usable returns the next edge of a step whose weight equals the sum of its duals and whose predicted kind was not
// visited in this pass, or nil. Each examined edge counts as a step.
func (a *assignment) usable(s *step) *edge {
	own := a.gold[s.gold]
	edges := a.edges[s.next:a.start[s.gold+1]]
	for k := range edges {
		if e := &edges[k]; own+a.pred[e.pred] == e.weight && a.predSeen[e.pred] != a.pass {
			s.next += int32(k + 1) //nolint:gosec // as the edges
			a.steps += k
			return e
		}
	}
	s.next += int32(len(edges)) //nolint:gosec // as above
	a.steps += len(edges)
	return nil
}

func (a *assignment) send(root, end int32) {
	a.steps += len(a.path)
	n := min(a.supply[root], a.demand[end])
	for _, s := range a.path[1:] {
		n = min(n, a.flow[s.via])
	}
	a.supply[root] -= n
	a.demand[end] -= n
	for _, s := range a.path {
		if s.via >= 0 {
			if a.flow[s.via] -= n; a.flow[s.via] == 0 {
				j := a.edges[s.via].pred
				a.into[j] = remove(a.into[j], s.via)
			}
		}
		if a.flow[s.edge] == 0 {
			j := a.edges[s.edge].pred
			a.into[j] = append(a.into[j], s.edge)
		}
		a.flow[s.edge] += n
	}
}

// remove removes v from a list without keeping the order.
func remove(list []int32, v int32) []int32 {
	for k, x := range list {
		if x == v {
			list[k] = list[len(list)-1]
			return list[:len(list)-1]
		}
	}
	return list
}
