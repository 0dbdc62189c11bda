package metric

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

func init() {
	register(scoring.Metric{
		Name: "soft_f1_bird", Display: "Cells in common, row by row (BIRD)",
		Version: 3, Group: "execution",
		Branch: scoring.BranchSQL, FailedQuery: scoring.FailedIsZero,
		Needs: scoring.FieldGoldResult | scoring.FieldPredResult,
		Summary: "How much of the gold cells the agent's result holds, row by row in the order they come: the soft F1 of BIRD mini-dev, " +
			"with its faults. It falls with every row that is out of place.",
		Range: "0 to 1",
		Formula: "F1 = 2·tp / (2·tp + fp + fn), after repeated rows are dropped. The i-th gold row is compared with the i-th row of the agent. tp adds the share of the " +
			"agent's cells that occur anywhere in the gold row, fp the share of those that do not, and fn the share of the gold cells that do not occur in the " +
			"agent's row. All shares are of the number of gold columns. A gold row without a counterpart adds 1 to fn, an agent's row without one adds 1 to fp. Two " +
			"results without rows score 1. Cells compare as in ex_bird.",
		Source:  "bird-bench/mini_dev 4d970a9, evaluation/evaluation_f1.py, calculate_f1_score",
		Gaming:  "A cell counts at any position of its row: right values under the wrong columns have 1. It is the peer's comparison with its faults; hybrid_ex aligns columns.",
		Example: "gold (1, 2), (3, 4) and pred (1, 2), (3, 5) score 0.75; pred (3, 4), (1, 2) scores 0.",
		Options: rowsDeclared.OptionSet,
		Score:   softF1Bird,
	})
}

// softF1Detail is the evidence of soft_f1_bird. Counts are of cells. A row without a counterpart counts as many cells
// as gold has columns.
type softF1Detail struct {
	Matched   int     `json:"matched_cells"`
	PredOnly  int     `json:"pred_only_cells"`
	GoldOnly  int     `json:"gold_only_cells"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
}

func softF1Bird(_ context.Context, in *scoring.Input) (scoring.Score, error) {
	o, err := rowsDeclared.Read(in)
	if err != nil {
		return scoring.Score{}, err
	}
	gold, pred := in.Gold.Result.Table, in.Pred.Result.Table
	if gold.Rows() == 0 && pred.Rows() == 0 {
		return scoring.OK(1, "neither result has rows"), nil
	}
	width := len(gold.Columns)
	if width == 0 {
		return scoring.NotApplicable("the gold result has no columns"), nil
	}
	r := o.reading(gold, pred)
	goldRows, predRows := differentRows(gold, r), differentRows(pred, r)
	var d softF1Detail
	g, p := make([]cellKey, width), make([]cellKey, len(pred.Columns))
	for i := range min(len(goldRows), len(predRows)) {
		readRow(g, gold, int(goldRows[i]), r)
		readRow(p, pred, int(predRows[i]), r)
		for _, k := range p {
			if holds(g, k) {
				d.Matched++
			} else {
				d.PredOnly++
			}
		}
		for _, k := range g {
			if !holds(p, k) {
				d.GoldOnly++
			}
		}
	}
	d.GoldOnly += width * max(0, len(goldRows)-len(predRows))
	d.PredOnly += width * max(0, len(predRows)-len(goldRows))
	d.Precision, d.Recall = share(d.Matched, d.Matched+d.PredOnly), share(d.Matched, d.Matched+d.GoldOnly)
	s := scoring.OK(share(2*d.Matched, 2*d.Matched+d.PredOnly+d.GoldOnly),
		fmt.Sprintf("precision %s, recall %s over cells of rows in the same place", printable.Figure(d.Precision, 4),
			printable.Figure(d.Recall, 4)))
	s.Detail = d
	return s, nil
}

// share returns part / whole, and 0 if whole is 0.
func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// differentRows returns the first of each set of equal rows, in order. A row with a NaN equals no other row.
func differentRows(t *scoring.Table, r reading) []int32 {
	first := kindsOf(r, whole(t)).first
	if !hasNaN(t) {
		return first
	}
	kept := make([]bool, t.Rows())
	for _, i := range first {
		kept[i] = true
	}
	first = first[:0]
	row := make([]cellKey, len(t.Columns))
	for i := range kept {
		readRow(row, t, i, r)
		if kept[i] || slices.ContainsFunc(row, isNaN) {
			first = append(first, int32(i))
		}
	}
	return first
}

func readRow(dst []cellKey, t *scoring.Table, i int, r reading) {
	for j := range dst {
		dst[j] = keyOf(t.Columns[j].Value(i), r)
	}
}

var nanKey = floatKey(math.NaN())

func isNaN(k cellKey) bool { return k == nanKey }

// holds reports whether a row has a cell that Python finds equal to k.
func holds(row []cellKey, k cellKey) bool { return k != nanKey && slices.Contains(row, k) }
