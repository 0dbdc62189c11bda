package metric

import (
	"math/rand/v2"
	"testing"

	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/align"
	"github.com/badger-eval/badger/scoring/cell"
)

// On results of real queries, the worst that a judge can do: of all cases whose alignment leaves
// doubt, the best score that any of many proposals brings. A case that experts call wrong must not
// become right by it.
func TestRedTeamWorstJudgeOfRecordedCases(t *testing.T) {
	for _, set := range []string{"rosevec/cases.jsonl", "flex200/cases.jsonl"} {
		scored, proven, doubted, open, raised, accepted := 0, 0, 0, 0, 0, 0
		for _, c := range recordedCases(t, set) {
			if !c.hasResults() {
				continue
			}
			gold, pred := c.Golds[0].Result.Table, c.Pred.Result.Table
			o := hybridDeclared.Defaults
			h := compareResults(gold, pred, o.align(nil), &o, false)
			scored++
			if h.Counts.Score == 1 {
				proven++
				continue
			}
			if h.Counts.Method == cell.MethodTrivial || len(pred.Columns) == 0 || len(align.Uncertainties(&h.Alignment)) == 0 {
				continue
			}
			doubted++
			asked := align.Open(gold, pred, &h.Alignment, o.align(nil), o.maxTolerance())
			if asked {
				open++
			}
			best := h.Counts.Score
			rng := rand.New(rand.NewPCG(uint64(scored), 31))
			for range sample.Count(150, 10) {
				a, _ := align.Accept(gold, pred, &h.Alignment, anyProposal(rng, gold, pred), o.align(nil), o.maxTolerance())
				best = max(best, cell.Compare(gold, pred, &a, o.cell()).Score)
			}
			if best > h.Counts.Score {
				if raised++; !asked {
					t.Errorf("%s: nobody would be asked, and yet %v comes to be %v", c.ID, h.Counts.Score, best)
				}
			}
			if best == 1 {
				if accepted++; c.Human != nil && !*c.Human {
					t.Errorf("%s: experts call it wrong, and a judge could make it right", c.ID)
				}
			}
		}
		t.Logf("%s: %d scored, %d proven right, %d in doubt, %d asked about, %d raised by some proposal, %d to 1", set, scored, proven, doubted, open, raised, accepted)
	}
}

// anyProposal is a mapping of the columns in some order, with some unit and some index.
func anyProposal(rng *rand.Rand, gold, pred *scoring.Table) *align.Proposal {
	p := &align.Proposal{}
	to := rng.Perm(len(pred.Columns))
	for g := range gold.Columns {
		if g < len(to) {
			p.Columns = append(p.Columns, align.ProposedPair{
				Gold: align.Column(g + 1), Pred: align.Column(to[g] + 1), Scale: []float64{0, 0, 0, -2, 2, 3, -3, 6, -6}[rng.IntN(9)],
			})
		}
	}
	if len(gold.Columns) > 0 && rng.IntN(2) == 0 {
		p.Index = []align.ColumnRef{align.Column(1 + rng.IntN(len(gold.Columns)))}
	}
	return p
}
