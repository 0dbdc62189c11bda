package metric

import (
	"context"
	"fmt"

	"github.com/badger-eval/badger/scoring"
)

func init() {
	register(scoring.Metric{
		Name: "ex_permuted", Version: 1, Group: "execution",
		Branch: scoring.BranchSQL, FailedQuery: scoring.FailedIsZero,
		Needs: scoring.FieldGoldResult | scoring.FieldPredResult,
		Reads: scoring.FieldGoldSQL,
		Summary: "Whether both results hold the same rows equally often under some order of the columns, in the same order where the gold query " +
			"orders its rows. Column names do not count, and neither does how a value is typed.",
		Range: "0 or 1",
		Formula: "1 if the columns of the agent's result can be put into an order that makes its rows the gold rows: as a sequence where the gold query " +
			"has an ORDER BY of its own (not one in a subquery or window), else as a multiset. Values count as equal across types: 1 = 1.0 = '1' = TRUE, 0.10 = '0.1', a date or time = its " +
			"ISO text, NULL = NULL, NaN = NaN. Two results without rows are equal.",
		Source: "Execution match with column permutation and value normalization, after Zhong et al. 2020 (arXiv:2010.02840) and " +
			"taoyds/test-suite-sql-eval e97acc5, exec_eval.py, result_eq",
		Example:   "gold (Alice, 30), (Bob, 25) and pred (25.0, Bob), ('30', Alice) score 1, but 0 where the gold query ends in ORDER BY.",
		Threshold: scoring.At(1),
		Options:   permutedDeclared.OptionSet,
		Score:     exPermuted,
	})
}

type permutedOptions struct {
	Order string `json:"order"`
}

var permutedDeclared = scoring.DeclareOptions(permutedOptions{Order: "gold"}, nil,
	scoring.Option{
		Name: "order", Choices: []string{"gold", "keep", "ignore"},
		Doc: "Whether the order of rows counts: gold, where the gold query orders its rows; keep, always; ignore, never.",
	},
)

// permutedDetail is the evidence of ex_permuted.
type permutedDetail struct {
	Ordered bool  `json:"ordered"`           // whether the order of rows counted
	Columns []int `json:"columns,omitempty"` // for each gold column, the agent's column (from 0) that answers it
}

func exPermuted(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
	o, err := permutedDeclared.Read(in)
	if err != nil {
		return scoring.Score{}, err
	}
	gold, pred := in.Gold.Result.Table, in.Pred.Result.Table
	if s, done := withoutRows(gold, pred); done {
		return s, nil
	}
	if gold.Rows() != pred.Rows() {
		return scoring.OK(0, fmt.Sprintf("gold has %s, the agent's result %d", rowsOf(gold), pred.Rows())), nil
	}
	detail := permutedDetail{Ordered: o.Order == "keep"}
	if o.Order == "gold" {
		q := script(in, goldSide).Final()
		detail.Ordered = q != nil && q.Ordered()
	}
	var p pairing
	if detail.Ordered {
		p = pairInOrder(gold, pred, asSpelled)
	} else {
		var err error
		if p, err = pairAnyOrder(ctx, gold, pred, asSpelled); err != nil {
			return scoring.Score{}, err
		}
	}
	detail.Columns = p.columns
	var s scoring.Score
	switch {
	case p.columns != nil:
		s = scoring.OK(1, "both results hold the same rows equally often")
		if detail.Ordered {
			s.Reason = "both results hold the same rows in the same order"
		}
	case !p.decided:
		s = scoring.Abstain("the columns are too much alike to find their order within the bound on work")
	default:
		s = scoring.OK(0, "no order of the columns makes the rows equal")
	}
	s.Detail = detail
	return s, nil
}
