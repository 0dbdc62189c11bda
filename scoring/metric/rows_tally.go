package metric

import (
	"slices"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// rowTally holds counts from comparing the rows of two tables with the same number of columns, as sets and as
// multisets.
type rowTally struct {
	goldDistinct, predDistinct int // number of distinct rows on each side
	onlyGold, onlyPred         int // number of distinct rows that the other side does not have
	missing, extra             int // surplus of occurrences of rows that gold has more often, and that pred has more often
}

// tallyRows compares the rows of two tables. Gold's column j corresponds to pred's column pair[j]; if pair is nil,
// columns correspond by position.
func tallyRows(gold, pred *scoring.Table, pair []int, r reading) rowTally {
	if pair == nil {
		pair = positions(len(gold.Columns))
	}
	return tallyParts(whole(gold), part{pred, pair}, r)
}

func tallyParts(gold, pred part, r reading) rowTally {
	gold, pred = withLengths(gold, pred)
	kinds := kindsOf(r, gold, pred)
	counts := make([]struct{ gold, pred int32 }, len(kinds.first))
	for i, k := range kinds.of {
		if i < gold.table.Rows() {
			counts[k].gold++
		} else {
			counts[k].pred++
		}
	}
	var t rowTally
	for _, c := range counts {
		switch {
		case c.pred == 0:
			t.onlyGold++
		case c.gold == 0:
			t.onlyPred++
		}
		t.missing += int(max(0, c.gold-c.pred))
		t.extra += int(max(0, c.pred-c.gold))
	}
	t.goldDistinct, t.predDistinct = len(counts)-t.onlyPred, len(counts)-t.onlyGold
	return t
}

// withLengths returns the parts with columns of intervals replaced by their lengths, since engines write the same
// length in several ways, such as 36:00:00 and 1 day 12:00:00. Two corresponding columns are intervals if all their
// strings are, and one column has a form that only engines write.
func withLengths(gold, pred part) (part, part) {
	v := cell.View{Kind: scoring.KindText, Format: cell.FormatInterval}
	for j := range gold.columns {
		g, p := &gold.table.Columns[gold.columns[j]], &pred.table.Columns[pred.columns[j]]
		goldIs, goldWritten := cell.IntervalFormat(g)
		if !goldIs {
			continue
		}
		if predIs, predWritten := cell.IntervalFormat(p); predIs && (goldWritten || predWritten) {
			gold, pred = gold.with(j, cell.Rewritten(g, v)), pred.with(j, cell.Rewritten(p, v))
		}
	}
	return gold, pred
}

// with returns a copy of the part whose j-th column is c.
func (p part) with(j int, c scoring.Column) part {
	columns := slices.Clone(p.table.Columns)
	columns[p.columns[j]] = c
	t, err := scoring.NewTable(columns...)
	if err != nil { // it has as many rows
		return p
	}
	return part{t, p.columns}
}

// rowsOptions are the options of the metrics that compare rows as Python values.
type rowsOptions struct {
	TypedText *bool `json:"typed_text"` // nil: strings are numbers if all values of a result are strings (onlyText)
}

var rowsDeclared = scoring.DeclareOptions(rowsOptions{}, nil,
	scoring.Option{
		Name: "typed_text", Unset: "true if both results hold nothing but text, since such results have lost their types",
		Doc: "Whether text that Python prints for a number is read as that number.",
	},
)

func (o rowsOptions) reading(gold, pred *scoring.Table) reading {
	if o.TypedText != nil && *o.TypedText || o.TypedText == nil && onlyText(gold) && onlyText(pred) {
		return asPrinted
	}
	return asTyped
}

type tallyKey struct{ r reading }

// positionalTally returns the tallyRows of the two results with columns paired by position, computed once for all
// metrics of a case.
func positionalTally(in *scoring.Input, r reading) rowTally {
	return scoring.Memo(in, tallyKey{r}, func() rowTally {
		return tallyRows(in.Gold.Result.Table, in.Pred.Result.Table, nil, r)
	})
}
