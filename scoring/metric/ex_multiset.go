package metric

import (
	"context"
	"fmt"

	"github.com/badger-eval/badger/scoring"
)

func init() {
	register(scoring.Metric{
		Name: "ex_multiset", Display: "Same rows, equally often",
		Version: 3, Group: "execution",
		Branch: scoring.BranchSQL, FailedQuery: scoring.FailedIsZero,
		Needs: scoring.FieldGoldResult | scoring.FieldPredResult,
		Summary: "Whether both results hold the same rows equally often. Row order and column names are ignored, column order is not: " +
			"ex_bird with repeated rows.",
		Range: "0 or 1",
		Formula: "1 if every row occurs equally often in both results, else 0. Cells compare as in ex_bird, but NaN equals NaN, as it does where a warehouse groups by " +
			"it. Two results without rows are equal.",
		Source: "Bag semantics of relations; Zhong et al. 2020, Semantic Evaluation for Text-to-SQL with Distilled Test Suites (arXiv:2010.02840), " +
			"taoyds/test-suite-sql-eval e97acc5, exec_eval.py, multiset_eq",
		Gaming:    "Nothing reads the query: a constant that is right today passes. Column names are ignored, so that revenue may be called cost. verdict with policy logic judges the query.",
		Example:   "gold (1), (1), (2) and pred (2), (1), (1) score 1; pred (2), (1) scores 0.",
		Threshold: scoring.At(1),
		Options:   rowsDeclared.OptionSet,
		Score:     exMultiset,
	})
}

func exMultiset(_ context.Context, in *scoring.Input) (scoring.Score, error) {
	o, err := rowsDeclared.Read(in)
	if err != nil {
		return scoring.Score{}, err
	}
	gold, pred := in.Gold.Result.Table, in.Pred.Result.Table
	if s, done := withoutRows(gold, pred); done {
		return s, nil
	}
	t := positionalTally(in, o.reading(gold, pred))
	s := scoring.OK(0, "")
	s.Detail = rowCounts{gold.Rows(), pred.Rows(), t.goldDistinct, t.predDistinct, t.missing, t.extra}
	if t.missing > 0 || t.extra > 0 {
		s.Reason = fmt.Sprintf("%d of %s of gold missing, %s not in gold", t.missing, rowsOf(gold), countRows(t.extra))
		return s, nil
	}
	s.Value, s.Reason = 1, "both results hold the same rows equally often"
	return s, nil
}
