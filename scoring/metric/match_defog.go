package metric

import (
	"context"

	"github.com/badger-eval/badger/scoring"
)

func init() {
	register(scoring.Metric{
		Name: "match_defog", Display: "Match by Defog's rules",
		Version: 2, Group: "execution",
		Context: scoring.FieldQuestion | scoring.FieldPredSQL,
		Branch:  scoring.BranchSQL, FailedQuery: scoring.FailedIsZero,
		Needs: scoring.FieldGoldResult | scoring.FieldPredResult,
		Reads: scoring.FieldGoldSQL,
		Summary: "Whether Defog's sql-eval calls the result correct, with its faults: equal to gold once normalized, or gold equal to some of its columns. " +
			"Repeated rows are ignored; detail.match is exact or subset.",
		Range: "0 or 1",
		Formula: "1 if the match is exact or a subset, else 0. The match is exact in two cases. All cells are equal unchanged, with numpy's broadcasting (one gold " +
			"row equals any number of its copies). Or all cells are equal after repeated rows are dropped, columns are sorted by name, rows are sorted by their " +
			"cells, and missing values are replaced by -99999. The match is a subset if, after sorting, every gold column equals a different column of the agent's " +
			"(numbers within 0.001 %, integers exactly), and the rows over these columns are equal after the same normalization. If the question asks to order, " +
			"sort or arrange, or the option category is order_by, rows are not sorted; for the exact match they are then sorted by the columns of each query's " +
			"first ORDER BY. Cells that cannot be sorted and repeated column names make the original program fail; here they score 0.",
		Source:    "defog-ai/sql-eval b833324, eval/eval.py, compare_df, subset_df, normalize_table and compare_query_results, on pandas 2.3",
		Gaming:    "One gold row equals any number of its copies, repeated rows are ignored, and the answer may have any further columns. Columns may have each other's names: lo = 9, hi = 1 equals lo = 1, hi = 9. It is the peer's comparison with its faults; hybrid_ex and verdict see more.",
		Example:   "gold n = 1, 1, 2 and pred n = 2, 1 match exactly; pred total = 2, 1 is a subset (another name), and so is pred n = 1, 1, 2 with a column more.",
		Threshold: scoring.At(1),
		Options:   defogDeclared.OptionSet,
		Score:     matchDefog,
	})
}

type defogOptions struct {
	Category string `json:"category"`
	Subset   bool   `json:"subset"`
}

var defogDeclared = scoring.DeclareOptions(defogOptions{Subset: true}, nil,
	scoring.Option{Name: "category", Doc: "Defog's category of the question; order_by keeps the order of rows."},
	scoring.Option{Name: "subset", Doc: "Whether a subset counts as correct."},
)

// defogDetail is the evidence of match_defog.
type defogDetail struct {
	Match string `json:"match"` // exact, subset or none; stopped if Defog's program fails with an error
}

func matchDefog(_ context.Context, in *scoring.Input) (scoring.Score, error) {
	o, err := defogDeclared.Read(in)
	if err != nil {
		return scoring.Score{}, err
	}
	gold, pred := newFrame(in.Gold.Result.Table), newFrame(in.Pred.Result.Table)
	q := defogQuery{category: o.Category, question: in.Case.Question}
	goldQuery, predQuery := q, q
	goldQuery.sql, predQuery.sql = in.Gold.SQL, in.Pred.SQL
	result := func(value float64, match, reason string) (scoring.Score, error) {
		s := scoring.OK(value, reason)
		s.Detail = defogDetail{match}
		return s, nil
	}
	exact, err := defogExact(gold, pred, goldQuery, predQuery)
	if err == nil && exact {
		return result(1, "exact", "the results are equal after Defog's normalization")
	}
	subset := false
	if err == nil {
		subset, err = defogSubset(gold, pred, q)
	}
	switch {
	case err != nil:
		return result(0, "stopped", "Defog's comparison stops here, which counts as wrong: "+err.Error())
	case subset && o.Subset:
		return result(1, "subset", "the gold rows are the rows of some of the agent's columns")
	case subset:
		return result(0, "subset", "the gold rows are the rows of some of the agent's columns, but not all")
	}
	return result(0, "none",
		"the results differ after Defog's normalization, and gold is no subset of the agent's columns")
}
