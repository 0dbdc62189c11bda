package metric

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

func init() {
	register(scoring.Metric{
		Name: "row_f1", Display: "Whole rows in common",
		Version: 3, Group: "execution",
		Branch: scoring.BranchSQL, FailedQuery: scoring.FailedIsZero,
		Needs: scoring.FieldGoldResult | scoring.FieldPredResult,
		Summary: "How many whole rows of the two results are the same, as the F1 of precision and recall; detail says the same of columns. " +
			"Row order is ignored, and so is column order if the names agree.",
		Range: "0 to 1",
		Formula: "F1 = 2·m / (|G| + |P|), where m is the number of gold rows that the agent's result also has. Repeated rows count as often as they occur. Precision is " +
			"m/|P|, recall is m/|G|. Columns are paired by name (case and surrounding blanks are ignored) if every gold column has a namesake; the agent's other " +
			"columns are then left out. Otherwise columns are paired by position if both results have equally many. Otherwise no row is the same. Cells compare as " +
			"in ex_multiset. Two results without rows score 1. Detail also gives precision, recall and F1 of columns. For these, rows are joined on a key without " +
			"NULL and without repeats on both sides: the columns of the option key, or the first paired column, or all columns that are not FLOAT64. A column is " +
			"right if it is the same in every joined row, and at least one row is joined. Without a key, a column is right if it holds the same values equally " +
			"often.",
		Source: "BADGER, section 6.2, RAGAS M4 (its deterministic part); the row and column comparison of capitalone/datacompy fd91514 as vibrantlabsai/ragas " +
			"scores it (DataCompyScore), but joined on values instead of row numbers",
		Gaming:    "Every row of a table gives recall 1 and pays in precision; a few frequent rows earn a part. Columns without common names are paired by position, so that names that were changed hide columns that were exchanged only if their values agree. A constant that is right today has 1.",
		Example:   "gold (1, 'a'), (2, 'b') and pred (2, 'b'), (3, 'c'), (1, 'x') share one row: precision 1/3, recall 1/2, F1 0.4.",
		Threshold: scoring.At(1),
		Options:   rowF1Declared.OptionSet,
		Score:     rowF1,
	})
}

type rowF1Options struct {
	Key []string `json:"key"`
}

var rowF1Declared = scoring.DeclareOptions(rowF1Options{}, nil,
	scoring.Option{Name: "key", Unset: "found in the data",
		Doc: "Names of the gold columns that rows are joined on for the figures of columns."},
)

// overlap is the precision, recall and F1 of two sets of rows or columns.
type overlap struct {
	Matched   int     `json:"matched"`
	Gold      int     `json:"gold"`
	Pred      int     `json:"pred"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

func newOverlap(matched, gold, pred int) overlap {
	return overlap{matched, gold, pred, share(matched, pred), share(matched, gold), share(2*matched, gold+pred)}
}

// rowF1Detail is the evidence of row_f1.
type rowF1Detail struct {
	Rows    overlap  `json:"rows"`
	Columns overlap  `json:"columns"`
	Paired  string   `json:"paired"`           // how columns were paired: name or position
	Key     []string `json:"key,omitempty"`    // the columns that rows were joined on
	Joined  int      `json:"joined,omitempty"` // rows whose key is on both sides
}

func rowF1(_ context.Context, in *scoring.Input) (scoring.Score, error) {
	o, err := rowF1Declared.Read(in)
	if err != nil {
		return scoring.Score{}, err
	}
	gold, pred := in.Gold.Result.Table, in.Pred.Result.Table
	if gold.Rows() == 0 && pred.Rows() == 0 {
		return scoring.OK(1, "neither result has rows"), nil
	}
	pair, how := pairByName(gold, pred)
	if pair == nil {
		return scoring.OK(0,
			fmt.Sprintf("no row can be the same: gold has %s, the agent's result %d, and names do not pair them",
				counted(len(gold.Columns), "column"), len(pred.Columns))), nil
	}
	var t rowTally
	if how == "position" {
		t = positionalTally(in, asTyped)
	} else {
		t = tallyRows(gold, pred, pair, asTyped)
	}
	d := rowF1Detail{Rows: newOverlap(gold.Rows()-t.missing, gold.Rows(), pred.Rows()), Paired: how}
	key, err := joinKey(gold, pred, pair, o.Key)
	if err != nil {
		return scoring.Score{}, err
	}
	var right int
	if key == nil {
		right = equalColumns(gold, pred, pair)
	} else {
		for _, j := range key {
			d.Key = append(d.Key, gold.Columns[j].Name)
		}
		right, d.Joined = joinedColumns(gold, pred, pair, key)
	}
	d.Columns = newOverlap(right, len(gold.Columns), len(pred.Columns))
	s := scoring.OK(d.Rows.F1,
		fmt.Sprintf("%d of %s of gold and %d of the agent's result are the same", d.Rows.Matched, rowsOf(gold), pred.Rows()))
	s.Detail = d
	return s, nil
}

// pairByName returns the index of the agent's column for each gold column: by name if each gold column's name is
// unique on both sides, else by position (how) if the numbers of columns are equal. Otherwise it returns nil.
func pairByName(gold, pred *scoring.Table) (pair []int, how string) {
	place := func(t *scoring.Table) map[string]int {
		at := make(map[string]int, len(t.Columns))
		for j := range t.Columns {
			name := strings.ToLower(strings.TrimSpace(t.Columns[j].Name))
			if _, repeated := at[name]; repeated || name == "" {
				j = -1
			}
			at[name] = j
		}
		return at
	}
	if len(gold.Columns) == 0 && len(pred.Columns) > 0 {
		return nil, ""
	}
	inGold, inPred := place(gold), place(pred)
	pair = make([]int, len(gold.Columns))
	for j := range gold.Columns {
		name := strings.ToLower(strings.TrimSpace(gold.Columns[j].Name))
		k, ok := inPred[name]
		if !ok || k < 0 || inGold[name] < 0 {
			if len(gold.Columns) != len(pred.Columns) {
				return nil, ""
			}
			return positions(len(gold.Columns)), "position"
		}
		pair[j] = k
	}
	return pair, "name"
}

// joinKey returns the gold columns on which rows are joined: the named ones, or the first column that is not FLOAT64
// and is unique on both sides, or all columns that are not FLOAT64 if they are unique together. It returns nil if
// none are. Named columns that are not unique are an error.
func joinKey(gold, pred *scoring.Table, pair []int, named []string) ([]int, error) {
	if len(named) > 0 {
		key := make([]int, len(named))
		for i, name := range named {
			key[i] = slices.IndexFunc(gold.Columns, func(c scoring.Column) bool { return strings.EqualFold(c.Name, name) })
			if key[i] < 0 {
				return nil, errcode.New(errcode.InvalidArgument, "option key: gold has no column %.60q", name)
			}
		}
		if !uniqueRows(gold, key) || !uniqueRows(pred, through(pair, key)) {
			return nil, errcode.New(errcode.InvalidArgument, "option key: the columns hold NULL or repeat in one of the results")
		}
		return key, nil
	}
	var dimensions []int
	for j := range gold.Columns {
		if gold.Columns[j].Type == scoring.Float64 || pred.Columns[pair[j]].Type == scoring.Float64 {
			continue
		}
		if key := []int{j}; uniqueRows(gold, key) && uniqueRows(pred, through(pair, key)) {
			return key, nil
		}
		dimensions = append(dimensions, j)
	}
	if len(dimensions) > 1 && uniqueRows(gold, dimensions) && uniqueRows(pred, through(pair, dimensions)) {
		return dimensions, nil
	}
	return nil, nil
}

func through(pair, columns []int) []int {
	out := make([]int, len(columns))
	for i, j := range columns {
		out[i] = pair[j]
	}
	return out
}

// uniqueRows reports whether the columns have no NULL and no combination of values occurs in two rows.
func uniqueRows(t *scoring.Table, columns []int) bool {
	for _, j := range columns {
		if t.Columns[j].HasNulls() {
			return false
		}
	}
	return len(kindsOf(asTyped, part{t, columns}).first) == t.Rows()
}

// joinedColumns joins rows on a key. It returns the number of columns that are equal in every joined row, and the
// number of joined rows.
func joinedColumns(gold, pred *scoring.Table, pair, key []int) (right, joined int) {
	kinds := kindsOf(asTyped, part{gold, key}, part{pred, through(pair, key)})
	unequal := make([]bool, len(gold.Columns))
	for i := range pred.Rows() {
		k := int(kinds.first[kinds.of[gold.Rows()+i]])
		if k >= gold.Rows() {
			continue
		}
		joined++
		for j := range unequal {
			unequal[j] = unequal[j] || !sameCell(&gold.Columns[j], k, &pred.Columns[pair[j]], i, asTyped)
		}
	}
	if joined == 0 {
		return 0, 0
	}
	for _, wrong := range unequal {
		if !wrong {
			right++
		}
	}
	return right, joined
}

// equalColumns returns the number of paired columns with the same multiset of values.
func equalColumns(gold, pred *scoring.Table, pair []int) int {
	right := 0
	for j := range pair {
		t := tallyParts(part{gold, []int{j}}, part{pred, []int{pair[j]}}, asTyped)
		if t.missing == 0 && t.extra == 0 {
			right++
		}
	}
	return right
}
