package relation_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/align"
	"github.com/badger-eval/badger/scoring/relation"
)

// TestSplitOfManyRows tells the one right order of three columns from the others, which give the
// same texts in all rows but a few, wherever those rows stand.
func TestSplitOfManyRows(t *testing.T) {
	const rows, whole = 500, 5
	for seed := range uint64(3) {
		names := []string{"full", "a", "b", "c"}
		b := make([]*scoring.Builder, len(names))
		for k, name := range names {
			b[k] = scoring.NewBuilder(name, scoring.String, rows)
		}
		for _, r := range rand.New(rand.NewPCG(1, seed)).Perm(rows) {
			part := []string{fmt.Sprintf("ash %d", r), fmt.Sprintf("birch %d", r), fmt.Sprintf("cedar %d", r)}
			if r >= whole { // one part alone
				b[0].Append(scoring.StringValue(part[r%3]))
				for k := range part {
					if k == r%3 {
						b[k+1].Append(scoring.StringValue(part[k]))
					} else {
						b[k+1].Append(scoring.Value{})
					}
				}
				continue
			}
			b[0].Append(scoring.StringValue(part[1] + ", " + part[0] + ", " + part[2]))
			for k := range part {
				b[k+1].Append(scoring.StringValue(part[k]))
			}
		}
		gold, err := scoring.NewTable(b[0].Column())
		if err != nil {
			t.Fatal(err)
		}
		pred, err := scoring.NewTable(b[1].Column(), b[2].Column(), b[3].Column())
		if err != nil {
			t.Fatal(err)
		}
		a := align.Align(gold, pred, align.Options{})
		found := relation.Find(relation.Input{Gold: gold, Pred: pred, Alignment: &a})
		if len(found) == 0 || found[0].Name != "split" || fmt.Sprint(found[0].Proof.PredColumns) != "[1 0 2]" {
			t.Errorf("seed %d: %+v, want split into columns 1, 0, 2", seed, found)
		}
	}
}
