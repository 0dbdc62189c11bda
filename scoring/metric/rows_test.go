package metric

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// tallySlowly is tallyRows by definition, comparing every row with every other.
func tallySlowly(gold, pred *scoring.Table, r reading) rowTally {
	same := func(a *scoring.Table, i int, b *scoring.Table, j int) bool {
		for c := range a.Columns {
			if keyOf(a.Columns[c].Value(i), r) != keyOf(b.Columns[c].Value(j), r) {
				return false
			}
		}
		return true
	}
	count := func(t *scoring.Table, of *scoring.Table, i int) (n int) {
		for j := range t.Rows() {
			if same(of, i, t, j) {
				n++
			}
		}
		return n
	}
	first := func(t *scoring.Table, i int) bool {
		for j := range i {
			if same(t, i, t, j) {
				return false
			}
		}
		return true
	}
	var out rowTally
	for i := range gold.Rows() {
		if !first(gold, i) {
			continue
		}
		g, p := count(gold, gold, i), count(pred, gold, i)
		out.goldDistinct++
		if p == 0 {
			out.onlyGold++
		}
		out.missing += max(0, g-p)
		out.extra += max(0, p-g)
	}
	for i := range pred.Rows() {
		if !first(pred, i) {
			continue
		}
		out.predDistinct++
		if count(gold, pred, i) == 0 {
			out.onlyPred++
			out.extra += count(pred, pred, i)
		}
	}
	return out
}

func TestTallyEqualsCountingEveryRow(t *testing.T) {
	for seed := range uint64(4000) {
		rng := rand.New(rand.NewPCG(seed, 3))
		p := randomPeerPair(rng)
		for len(p.pred.names) > len(p.gold.names) { // tallies need equally many columns
			p = randomPeerPair(rng)
		}
		gold, pred := p.gold.table(), p.pred.table()
		for _, r := range []reading{asTyped, asPrinted, asSpelled} {
			if got, want := tallyRows(gold, pred, nil, r), tallySlowly(gold, pred, r); got != want {
				t.Fatalf("seed %d, reading %d: %+v, counting says %+v, of %s", seed, r, got, want, p.line())
			}
		}
	}
}

// Columns that correspond need not stand in the same place.
func TestTallyThroughAnotherColumnOrder(t *testing.T) {
	gold := tableOf(2, [][]scoring.Value{{scoring.IntValue(1), scoring.StringValue("a")}, {scoring.IntValue(2), scoring.StringValue("b")}})
	pred := tableOf(2, [][]scoring.Value{{scoring.StringValue("b"), scoring.IntValue(2)}, {scoring.StringValue("c"), scoring.IntValue(1)}})
	got := tallyRows(gold, pred, []int{1, 0}, asTyped)
	want := rowTally{goldDistinct: 2, predDistinct: 2, onlyGold: 1, onlyPred: 1, missing: 1, extra: 1}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Different rows may have the same hash; they must be distinguished all the same.
func TestKindsSurviveCollisions(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 4))
		p := randomPeerPair(rng)
		for len(p.pred.names) != len(p.gold.names) {
			p = randomPeerPair(rng)
		}
		parts := []part{whole(p.gold.table()), whole(p.pred.table())}
		good := kindsOf(asTyped, parts...)
		hashes := make([]uint64, len(good.of)) // all the same
		if bad := kindsBehind(hashes, asTyped, parts); !slices.Equal(bad.of, good.of) || !slices.Equal(bad.first, good.first) {
			t.Fatalf("seed %d: kinds %v with equal hashes, %v with good ones, of %s", seed, bad, good, p.line())
		}
	}
}
