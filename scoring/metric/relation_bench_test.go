package metric_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// differing changes a result a little: a share of its rows is left out, or a value in each of that
// share is another one.
func differing(gold, pred *scoring.Table, how string) *scoring.Table {
	rng := rand.New(rand.NewPCG(11, uint64(pred.Rows())))
	columns := make([]scoring.Column, len(pred.Columns))
	drop := make([]bool, pred.Rows())
	for i := range drop {
		drop[i] = rng.IntN(100) == 0
	}
	for c := range columns {
		b := scoring.NewBuilder(pred.Columns[c].Name, pred.Columns[c].Type, pred.Rows())
		for i := range pred.Rows() {
			v := pred.Columns[c].Value(i)
			switch {
			case drop[i] && how == "subset":
				continue
			case drop[i] && how == "altered" && v.Type == scoring.Float64:
				v = scoring.FloatValue(v.Float() + 1000)
			case drop[i] && how == "altered" && v.Type == scoring.Int64:
				v = scoring.IntValue(1 - v.Int())
			}
			b.Append(v)
		}
		columns[c] = b.Column()
	}
	t, err := scoring.NewTable(columns...)
	if err != nil {
		panic(err)
	}
	return t
}

// BenchmarkRelation measures hybrid_ex alone and relation, which makes hybrid_ex's alignment and
// comparison first, on results that are the same and that are not.
func BenchmarkRelation(b *testing.B) {
	run := func(name string, gold, pred *scoring.Table) {
		for _, metric := range []string{"hybrid_ex", "relation"} {
			b.Run(name+"/"+metric, func(b *testing.B) {
				b.ReportAllocs()
				runtime.GC()
				for b.Loop() {
					score(b, metric, gold, pred)
				}
			})
		}
	}
	for _, rows := range []int{10, 10_000, 100_000, 1_000_000} {
		if testing.Short() && rows > 10_000 {
			continue
		}
		gold, pred := shuffledPair(rows)
		for _, how := range []string{"same", "subset", "altered"} {
			other := pred
			if how != "same" {
				other = differing(gold, pred, how)
			}
			run(fmt.Sprintf("rows=%d/%s", rows, how), gold, other)
		}
	}
	gold, pred := binaryPair(26, 100)
	run("columns=26/same", gold, pred)
	run("columns=26/altered", gold, differing(gold, pred, "altered"))
}
