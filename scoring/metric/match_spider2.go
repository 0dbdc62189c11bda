package metric

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

func init() {
	register(scoring.Metric{
		Name: "match_spider2", Display: "Match by Spider 2.0's rules",
		Version: 2, Group: "execution",
		Branch: scoring.BranchSQL, FailedQuery: scoring.FailedIsZero,
		Needs: scoring.FieldGoldResult | scoring.FieldPredResult,
		Summary: "Whether every gold column that counts has an equal column in the agent's result: the comparison of Spider 2.0, with its faults. " +
			"Columns are compared one by one, so rows may be scrambled; NULL is 0; numbers may differ by 0.01.",
		Range: "0 or 1",
		Formula: "1 if every gold column named in the option condition_cols equals some column of the agent's result, else 0. Without the option, all gold columns " +
			"count. One column of the agent may match several gold columns. Both results are read as pandas.read_csv reads a file: text that is a number becomes a " +
			"number, and empty text and words such as NA and null are missing. A missing value is 0. Two columns are equal if they have the same length and equal " +
			"cells: numbers within 0.01 or one part in 10^9, everything else exactly. With the option ignore_order, each column is first sorted by the text of its " +
			"cells. condition_cols is a list of positions from 0, or a list of such lists, one for each accepted answer. A position that gold does not have scores " +
			"0.",
		Source:    "Spider 2.0, Lei et al. 2025 (arXiv:2411.07763); xlang-ai/Spider2 e12c5f1, spider2-snow/evaluation_suite/evaluate.py, compare_pandas_table",
		Gaming:    "Columns are compared one by one, so that values may be attached to the wrong rows if ignore_order is set, NULL counts as 0, columns may have each other's names (lo = 9, hi = 1 equals lo = 1, hi = 9), and further columns cost nothing. It is the peer's comparison with its faults.",
		Example:   "gold (1, 'a'), (2, 'b') and pred ('b', 1.004), ('a', 2) score 1 with ignore_order, though no row is right.",
		Threshold: scoring.At(1),
		Options:   spiderDeclared.OptionSet,
		Score:     matchSpider2,
	})
}

type spiderOptions struct {
	ConditionCols conditionCols `json:"condition_cols"`
	IgnoreOrder   bool          `json:"ignore_order"`
}

var spiderDeclared = scoring.DeclareOptions(spiderOptions{}, nil,
	scoring.Option{
		Name: "condition_cols", Type: "integer, list of integers or list of lists of integers", Unset: "all columns",
		Doc: "Positions, from 0, of the gold columns that count; a list of lists holds one for each accepted answer.",
	},
	scoring.Option{Name: "ignore_order",
		Doc: "Whether each column is sorted by the text of its cells before it is compared."},
)

// conditionCols holds the indexes of the gold columns that are compared: one list for all accepted answers, or a list
// for each.
type conditionCols struct {
	all  []int
	each [][]int
}

func (c *conditionCols) UnmarshalJSON(b []byte) error {
	*c = conditionCols{}
	if trimmed := bytes.TrimSpace(b); len(trimmed) > 0 && trimmed[0] != '[' { // one column, or null
		var one *int
		if json.Unmarshal(b, &one) != nil {
			return errCondition
		}
		if one != nil {
			c.all = []int{*one}
		}
		return nil
	}
	if json.Unmarshal(b, &c.all) == nil {
		return nil
	}
	c.all = nil
	if json.Unmarshal(b, &c.each) != nil {
		return errCondition
	}
	return nil
}

var errCondition = errcode.New(errcode.InvalidArgument,
	"condition_cols is a list of column positions, or a list of such lists, one for each accepted answer")

// sets returns the gold columns that are compared for the accepted answer of in. If several accepted answers are
// equal to it, it returns the sets of all of them; the best score counts.
func (c *conditionCols) sets(in *scoring.Input) ([][]int, error) {
	if c.each == nil {
		return [][]int{c.all}, nil
	}
	if len(c.each) == 1 && len(c.each[0]) == 0 {
		return c.each, nil // Spider 2.0 writes [[]] for no condition at all
	}
	if len(c.each) != max(1, len(in.Case.Golds)) {
		return nil, errcode.New(errcode.InvalidArgument, "condition_cols has %d lists, but there are %d accepted answers",
			len(c.each), len(in.Case.Golds))
	}
	var sets [][]int
	for i := range in.Case.Golds {
		g, r := &in.Case.Golds[i], &in.Gold.Result
		if g.SQL == in.Gold.SQL && g.Result.Ref == r.Ref && (r.Ref != "" || g.Result.Table == r.Table) {
			sets = append(sets, c.each[i])
		}
	}
	return sets, nil
}

// spiderDetail is the evidence of match_spider2.
type spiderDetail struct {
	Columns     []columnMatch `json:"columns"`
	IgnoreOrder bool          `json:"ignore_order"`
}

// columnMatch is a compared gold column and the index (from 0) of the first of the agent's columns that equals it;
// nil if none does.
type columnMatch struct {
	Gold int  `json:"gold"`
	Pred *int `json:"pred"`
}

func matchSpider2(_ context.Context, in *scoring.Input) (scoring.Score, error) {
	o, err := spiderDeclared.Read(in)
	if err != nil {
		return scoring.Score{}, err
	}
	sets, err := o.ConditionCols.sets(in)
	if err != nil {
		return scoring.Score{}, err
	}
	gold, pred := readCSV(in.Gold.Result), spiderVectors(readCSV(in.Pred.Result))
	var best scoring.Score
	for i, set := range sets {
		if s := spiderScore(gold, pred, set, o.IgnoreOrder); i == 0 || s.Value > best.Value {
			best = s
		}
	}
	return best, nil
}

func spiderScore(gold []csvColumn, pred []spiderVector, set []int, ignoreOrder bool) scoring.Score {
	if len(set) == 0 {
		set = positions(len(gold))
	}
	chosen := make([]csvColumn, len(set))
	for i, j := range set {
		if j < 0 {
			j += len(gold) // pandas counts from the end
		}
		if j < 0 || j >= len(gold) {
			return scoring.OK(0,
				fmt.Sprintf("condition_cols names column %d, but gold has %s; Spider 2.0 counts that as wrong", set[i],
					counted(len(gold), "column")))
		}
		chosen[i] = gold[j]
	}
	detail := spiderDetail{Columns: make([]columnMatch, len(set)), IgnoreOrder: ignoreOrder}
	missing := 0
	for i, v := range spiderVectors(chosen) {
		detail.Columns[i].Gold = set[i]
		for k := range pred {
			if spiderMatch(&v, &pred[k], ignoreOrder) {
				detail.Columns[i].Pred = &k
				break
			}
		}
		if detail.Columns[i].Pred == nil {
			missing++
		}
	}
	s := scoring.OK(1, "every gold column that counts has an equal one in the agent's result")
	if missing > 0 {
		s = scoring.OK(0,
			fmt.Sprintf("%d of %s %s not in the agent's result", missing, counted(len(set), "compared gold column"),
				printable.Verb(missing, "is", "are")))
	}
	s.Detail = detail
	return s
}
