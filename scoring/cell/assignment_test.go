package cell

import "testing"

// funnel is an assignment that the search solves one row at a time: n kinds of one row have only
// the first predicted kind in common with anything, and a kind of n rows takes all of that before
// them although it could have the second.
func funnel(n int32) *assignment {
	golds := n + 1
	a := &assignment{
		edges: []edge{{0, 0, 1}, {0, 1, 1}}, start: []int32{0, 2}, into: make([][]int32, 2),
		supply: []int32{n}, demand: []int32{n, n}, gold: make([]int32, golds), pred: make([]int32, 2),
		goldSeen: make([]int32, golds), predSeen: make([]int32, 2),
	}
	for i := int32(1); i < golds; i++ {
		a.edges = append(a.edges, edge{i, 0, 1})
		a.start = append(a.start, int32(len(a.edges)))
		a.supply = append(a.supply, 1)
	}
	for i := range a.gold {
		a.gold[i] = 1
	}
	a.flow, a.most = make([]int32, len(a.edges)), maxSteps*(len(a.edges)+len(a.gold)+len(a.pred))
	return a
}

// However rows are made up, the search ends after a number of steps that grows with the number of
// edges and kinds of rows. What it has found by then is a matching.
func TestAssignmentIsBounded(t *testing.T) {
	for _, n := range []int32{16, 100, 1000, 10_000} {
		a := funnel(n)
		complete := a.solve()
		if round := 2 * (len(a.edges) + len(a.gold) + len(a.pred)); a.steps > a.most+round {
			t.Errorf("%d kinds: %d steps, want at most %d and those of one round, %d", n, a.steps, a.most, round)
		}
		if want := n <= 100; complete != want {
			t.Errorf("%d kinds: complete is %v, want %v", n, complete, want)
		}
		var total int32
		supply, demand := make([]int32, len(a.gold)), make([]int32, len(a.pred))
		for k, e := range a.edges {
			total += a.flow[k]
			supply[e.gold] += a.flow[k]
			demand[e.pred] += a.flow[k]
		}
		for i, used := range supply {
			if all := used + a.supply[i]; all != 1 && (i > 0 || all != n) {
				t.Fatalf("%d kinds: %d rows of gold kind %d", n, all, i)
			}
		}
		for j, used := range demand {
			if used+a.demand[j] != n {
				t.Fatalf("%d kinds: %d rows of predicted kind %d", n, used+a.demand[j], j)
			}
		}
		if total < n || complete && total != 2*n {
			t.Errorf("%d kinds: %d rows are paired, want %d at best and %d at least", n, total, 2*n, n)
		}
	}
}
