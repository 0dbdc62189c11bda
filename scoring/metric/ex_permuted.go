package metric

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/badger-eval/badger/scoring"
	relations "github.com/badger-eval/badger/scoring/relation"
)

func init() {
	register(scoring.Metric{
		Name: "ex_permuted", Display: "Same rows, any column order",
		Version: 3, Group: "execution",
		Branch: scoring.BranchSQL, FailedQuery: scoring.FailedIsZero,
		Needs: scoring.FieldGoldResult | scoring.FieldPredResult,
		Reads: scoring.FieldQuestion | scoring.FieldEvidence | scoring.FieldGoldSQL | scoring.FieldPredSQL,
		Summary: "Whether both results hold the same rows equally often under some order of the columns. The order of rows " +
			"counts if the question asks for one. Column names and types of values do not matter.",
		Range: "0 or 1",
		Formula: "1 if the columns of the agent's result can be put into an order that makes its rows the gold rows, as a multiset, and no order of rows is broken that the question asks for; else 0. " + orderRule +
			" Values count as equal across types: 1 = 1.0 = '1' = TRUE, 0.10 = '0.1', a date or time = its " +
			"ISO text, NULL = NULL, NaN = NaN. Two results without rows are equal. Detail: ordered, whether the order of rows counted; columns, the agent's column for each gold column.",
		Source: "Execution match with column permutation and value normalization, after Zhong et al. 2020 (arXiv:2010.02840) and " +
			"taoyds/test-suite-sql-eval e97acc5, exec_eval.py, result_eq, which takes any ORDER BY of the gold query for an order that is asked for, and has no ties",
		Gaming:    "Columns are distinguished by their values alone: if two columns hold the same values in other rows, as in a result of one row, they may change places. A constant that is right today passes. verdict with policy logic judges the query.",
		Example:   "gold (Alice, 30), (Bob, 25) and pred (25.0, Bob), ('30', Alice) score 1, but 0 if the gold query ends in ORDER BY age DESC and the question asks for the oldest first.",
		Threshold: scoring.At(1),
		Options:   permutedDeclared.OptionSet,
		Score:     exPermuted,
	})
}

// orderRule documents when the order of rows is part of an answer; [relations.AskedOrder] implements it.
const orderRule = "The order of rows counts if the question asks for one (sorted by, descending, alphabetical, highest " +
	"first, from oldest to newest, top 5 and similar, in English) and the gold query has its own ORDER BY. " +
	"Without a question, that ORDER BY is enough. Without a gold query, the question must name a column by " +
	"which gold's rows are sorted. Rows that agree in all sort keys may change places. If gold's columns do " +
	"not contain a key, every row must be in its gold position, unless both queries sort by the same keys. " +
	"NULL may come first or last unless the query says which."

type permutedOptions struct {
	Order string `json:"order"`
}

var permutedDeclared = scoring.DeclareOptions(permutedOptions{Order: "asked"}, nil,
	scoring.Option{
		Name: "order", Choices: []string{"asked", "gold", "keep", "ignore"},
		Doc: "When the order of rows counts: asked, where the question asks for it; gold, wherever the gold query orders its rows; keep, always, and ties do too; ignore, never.",
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
	about := relationInput(in)
	switch o.Order {
	case "keep":
		p := pairInOrder(gold, pred, asSpelled)
		s := scoring.OK(0, "no order of the columns makes the rows equal one by one")
		if p.columns != nil {
			s = scoring.OK(1, "both results hold the same rows in the same order")
		}
		s.Detail = permutedDetail{Ordered: true, Columns: p.columns}
		return s, nil
	case "gold":
		about.Question, about.Evidence = "", "" // then gold's ORDER BY alone determines the order
	}
	order := relations.AskedOrder(about)
	if o.Order == "ignore" || order != nil && order.Lost {
		order = nil
	}
	p, broken, err := pairAsked(ctx, gold, pred, order)
	if err != nil {
		return scoring.Score{}, err
	}
	var s scoring.Score
	switch {
	case !p.decided:
		s = scoring.Abstain("the columns are too much alike to find their order within the bound on work")
	case broken:
		s = scoring.OK(0, "both results hold the same rows. "+order.Broken())
	case p.columns == nil:
		s = scoring.OK(0, "no order of the columns makes the rows equal")
	case order != nil:
		s = scoring.OK(1, "both results hold the same rows equally often, in the order that is asked for")
	default:
		s = scoring.OK(1, "both results hold the same rows equally often")
	}
	s.Detail = permutedDetail{Ordered: order != nil, Columns: p.columns}
	return s, nil
}

// pairAsked returns the order of pred's columns in which the rows of both tables are equal and in the requested
// order; a nil order requests none. broken reports whether the rows are equal, but in another order.
//
// Rows are in order if the positions of each group of tied rows hold the rows of that group. So the search is the
// one for any order, with the number of its group added to every row.
func pairAsked(ctx context.Context, gold, pred *scoring.Table,
	order *relations.Order) (p pairing, broken bool, err error) {
	if order == nil || order.Proven {
		p, err = pairAnyOrder(ctx, gold, pred, asSpelled)
		return p, false, err
	}
	if p = pairInOrder(gold, pred, asSpelled); p.columns != nil {
		return p, false, nil
	}
	if p, err = pairAnyOrder(ctx, gold, pred, asSpelled); err != nil || p.columns == nil {
		return p, false, err
	}
	for _, s := range order.Sequences(gold) {
		ofRow := make([]int32, len(s.Rows))
		for place, row := range s.Rows {
			ofRow[row] = s.Ties[place]
		}
		p, err = pairAnyOrder(ctx, withGroups(gold, ofRow), withGroups(pred, s.Ties), asSpelled)
		if err != nil || !p.decided {
			return p, false, err
		}
		if p.columns != nil {
			p.columns = p.columns[:len(gold.Columns)]
			return p, false, nil
		}
	}
	return pairing{decided: true}, true, nil
}

// withGroups returns the table with an additional column of strings that identify the group of each row. The strings
// differ from all other values.
func withGroups(t *scoring.Table, groups []int32) *scoring.Table {
	var text []byte
	ends := make([]uint32, len(groups))
	for i, g := range groups {
		text = strconv.AppendInt(append(text, "\x00group "...), int64(g), 10)
		ends[i] = uint32(len(text)) //nolint:gosec // rows are bounded far below
	}
	with, err := scoring.NewTable(
		append(slices.Clone(t.Columns), scoring.TextColumn("", scoring.String, text, ends, nil))...)
	if err != nil {
		panic(err) // the column is as long as the others
	}
	return with
}
