package metric

import (
	"context"
	"fmt"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

func init() {
	register(scoring.Metric{
		Name: "ex_bird", Display: "Same rows (BIRD)",
		Version: 3, Group: "execution",
		Branch: scoring.BranchSQL, FailedQuery: scoring.FailedIsZero,
		Needs: scoring.FieldGoldResult | scoring.FieldPredResult,
		Summary: "Whether both results hold the same set of rows: the execution accuracy of the BIRD benchmark. " +
			"Repeated rows, row order and column names are ignored, column order is not.",
		Range: "0 or 1",
		Formula: "1 if set(pred rows) = set(gold rows), else 0. Cells compare as the values that a Python database driver returns. Numbers are equal by exact value, " +
			"whatever their types (1 = 1.0 = TRUE, but 0.1 + 0.2 ≠ 0.3). Text equals only text ('1' ≠ 1). NULL = NULL. NaN equals nothing. Intervals as engines write them are equal by their length ('36:00:00' = '1 day 12:00:00'). Two results without rows " +
			"are equal, whatever their columns. If both results contain only text, their types were lost: text that Python prints for a number is then read as that " +
			"number ('507' = '507.0', but '0507' stays text). The option typed_text (true or false) overrides this.",
		Source: "BIRD, Li et al. 2023, section 4 (arXiv:2305.03111); bird-bench/mini_dev 4d970a9, evaluation/evaluation_ex.py, calculate_ex; " +
			"AlibabaResearch/DAMO-ConvAI bird/llm/src/evaluation.py",
		Gaming:    "Repeated rows are ignored, so that a join that multiplies rows passes, and so does any query without rows where gold has none. A constant that is right today passes. ex_multiset sees repeated rows; the relation both_empty names the second case.",
		Example:   "gold (1), (1), (2) and pred (2), (1) score 1: a lost DISTINCT is not seen. Gold (1, 'a') and pred ('a', 1) score 0.",
		Threshold: scoring.At(1),
		Options:   rowsDeclared.OptionSet,
		Score:     exBird,
	})
}

// rowCounts is the evidence of the metrics that compare whole rows.
type rowCounts struct {
	GoldRows     int `json:"gold_rows"`
	PredRows     int `json:"pred_rows"`
	GoldDistinct int `json:"gold_distinct"`
	PredDistinct int `json:"pred_distinct"`
	Missing      int `json:"missing"` // rows of gold that pred lacks
	Extra        int `json:"extra"`   // rows of pred that gold lacks
}

func exBird(_ context.Context, in *scoring.Input) (scoring.Score, error) {
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
	s.Detail = rowCounts{gold.Rows(), pred.Rows(), t.goldDistinct, t.predDistinct, t.onlyGold, t.onlyPred}
	switch {
	case t.onlyGold > 0 || t.onlyPred > 0:
		s.Reason = fmt.Sprintf("%d of %s %s missing, %s extra", t.onlyGold,
			counted(t.goldDistinct, "distinct gold row"), printable.Verb(t.onlyGold, "is", "are"), countRows(t.onlyPred))
	case hasNaN(gold):
		s.Reason = "the sets of rows are equal but for NaN, which equals nothing"
	default:
		s.Value, s.Reason = 1, "both results hold the same set of rows"
	}
	return s, nil
}

// withoutRows returns the score of two results that can be decided without comparing rows: if one has no rows, or
// their numbers of columns differ. Otherwise it returns false.
func withoutRows(gold, pred *scoring.Table) (scoring.Score, bool) {
	switch {
	case gold.Rows() == 0 && pred.Rows() == 0:
		return scoring.OK(1, "neither result has rows"), true
	case gold.Rows() == 0 || pred.Rows() == 0:
		return scoring.OK(0, fmt.Sprintf("gold has %s, the agent's result %s", rowsOf(gold), rowsOf(pred))), true
	case len(gold.Columns) != len(pred.Columns):
		return scoring.OK(0,
			fmt.Sprintf("gold has %s, the agent's result %d", counted(len(gold.Columns), "column"), len(pred.Columns))), true
	}
	return scoring.Score{}, false
}

func rowsOf(t *scoring.Table) string { return counted(t.Rows(), "row") }

// countRows returns "1 row is" or "2 rows are".
func countRows(n int) string {
	if n == 1 {
		return "1 row is"
	}
	return counted(n, "row") + " are"
}

// counted returns "no rows", "1 row" or "2 rows", with the given noun.
func counted(n int, noun string) string {
	if n == 0 {
		return "no " + noun + "s"
	}
	return printable.Count(n, noun)
}
