package metric

import "github.com/badger-eval/badger/scoring"

// rowTally says how the rows of two tables of equally many columns compare as sets and as
// multisets.
type rowTally struct {
	goldDistinct, predDistinct int // different rows of each side
	onlyGold, onlyPred         int // different rows that the other side does not have at all
	missing, extra             int // rows, repeats counted, that gold has more often; that pred has more often
}

// tallyRows counts rows by identity of their cells. Gold's column j corresponds to pred's column
// pair[j]; nil pairs them by position.
func tallyRows(gold, pred *scoring.Table, pair []int, r reading) rowTally {
	if pair == nil {
		pair = positions(len(gold.Columns))
	}
	return tallyParts(whole(gold), part{pred, pair}, r)
}

func tallyParts(gold, pred part, r reading) rowTally {
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

// rowsOptions are the options of the metrics that compare rows as Python values.
type rowsOptions struct {
	TypedText *bool `json:"typed_text"` // nil: onlyText decides
}

var rowsDeclared = scoring.DeclareOptions(rowsOptions{}, nil,
	scoring.Option{
		Name: "typed_text", Unset: "true where both results hold nothing but text, since such results have lost their types",
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

// positionalTally is tallyRows by position, made once for all metrics of a case.
func positionalTally(in *scoring.Input, r reading) rowTally {
	return scoring.Memo(in, tallyKey{r}, func() rowTally {
		return tallyRows(in.Gold.Result.Table, in.Pred.Result.Table, nil, r)
	})
}
