package relation

import (
	"fmt"
	"slices"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/align"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/naming"
)

var partKinds = []Kind{
	{
		Name: "period_parts", Display: "Periods in one column or two", Group: ShownOtherwise,
		Class: Presentational, find: periodParts,
		Meaning: "All rows agree once a year and a month, quarter, half-year or week in two columns of one side are the period that the other side shows in one.", Example: "(year, quarter) = (2023, 1), (2023, 2); ('2023-Q1'), ('2023-Q2')",
	},
	{
		Name: "struct_parts", Display: "Nested values in columns of their own", Group: ShownOtherwise,
		Class: Presentational, find: structParts,
		Meaning: "All rows agree once columns of one side, called like the members of a struct of the other side, are that struct.", Example: "({'w': 20, 'h': 15}); (w, h) = (20, 15)",
	},
}

// inPlaceOf reports whether all rows agree if the columns gold and pred are compared by goldKeys and predKeys instead.
// All other columns of gold must have a counterpart with the same values equally often.
func (e *evidence) inPlaceOf(gold, pred []int, goldKeys, predKeys []uint64) bool {
	explained := map[int]bool{}
	for _, i := range gold {
		explained[i] = true
	}
	var rest []int
	for k := range e.a.Columns {
		c := &e.a.Columns[k]
		if !explained[c.Gold] && !slices.Contains(pred, c.Pred) && e.sameSums(k) {
			rest = append(rest, k)
		}
	}
	for _, k := range rest {
		explained[e.a.Columns[k].Gold] = true
	}
	for i := range e.gold.Columns {
		if !explained[i] {
			return false
		}
	}
	g, p := make([]uint64, e.gold.Rows()), make([]uint64, e.pred.Rows())
	if m := e.over(rest); m != nil {
		copy(g, m.gold)
		copy(p, m.pred)
	}
	mixInto(g, goldKeys)
	mixInto(p, predKeys)
	return match(g, p).sameBag()
}

// reshapable reports whether both results have the same number of rows, and at least one.
func (e *evidence) reshapable() bool {
	return !e.queriesOnly && e.gold.Rows() > 0 && e.gold.Rows() == e.pred.Rows()
}

func periodParts(e *evidence) *found {
	if !e.reshapable() {
		return nil
	}
	for _, many := range []side{goldSide, predSide} {
		t, one := e.table(many), e.table(!many)
		for _, whole := range e.columns(!many) {
			for _, period := range cell.ReadPeriods(&one.Columns[whole]) {
				if !period.Dated || period.Fiscal || period.Grain == cell.GrainYear || period.Day && period.Last {
					continue
				}
				keys := cell.PeriodKeys(&one.Columns[whole], &period)
				for _, year := range e.columns(many) {
					for _, number := range e.columns(many) {
						if year == number || !align.NamesGrain(t.Columns[year].Name, cell.GrainYear) ||
							!align.NamesGrain(t.Columns[number].Name, period.Grain) {
							continue
						}
						parts, ok := cell.JoinedPeriods(&t.Columns[year], &t.Columns[number], period.Grain)
						if !ok {
							continue
						}
						r := &found{
							proof: Proof{GoldColumns: []int{year, number}, PredColumns: []int{whole},
								Facts: []string{period.Grain.String()}}}
						holds, who := e.inPlaceOf(r.proof.GoldColumns, r.proof.PredColumns, parts, keys), "gold"
						if many == predSide {
							r.proof.GoldColumns, r.proof.PredColumns = r.proof.PredColumns, r.proof.GoldColumns
							holds, who = e.inPlaceOf(r.proof.GoldColumns, r.proof.PredColumns, keys, parts), "the answer"
						}
						if holds {
							r.text = fmt.Sprintf("All rows agree: %s of %s are the %s that the other side shows as %s.",
								named(t, []int{year, number}), who, period.Grain, columnName(one, whole))
							return r
						}
					}
				}
			}
		}
	}
	return nil
}

func structParts(e *evidence) *found {
	if !e.reshapable() {
		return nil
	}
	for _, many := range []side{goldSide, predSide} {
		t, one := e.table(many), e.table(!many)
		for _, whole := range e.columns(!many) {
			names := cell.Fields(&one.Columns[whole])
			columns, cols := e.called(many, names, one.Columns[whole].Name)
			if len(columns) < 2 || len(columns) != len(names) {
				continue
			}
			parts, keys := cell.StructKeys(names, cols), cell.NestedKeys(&one.Columns[whole])
			r := &found{proof: Proof{GoldColumns: columns, PredColumns: []int{whole}}}
			holds := many == goldSide && e.inPlaceOf(columns, r.proof.PredColumns, parts, keys)
			if many == predSide {
				r.proof.GoldColumns, r.proof.PredColumns = r.proof.PredColumns, columns
				holds = e.inPlaceOf(r.proof.GoldColumns, columns, keys, parts)
			}
			if holds {
				r.text = fmt.Sprintf("All rows agree: %s are the members of %s.", named(t, columns), columnName(one, whole))
				return r
			}
		}
	}
	return nil
}

// called returns the columns of a side whose names are those of the members of a struct, alone or after the struct's
// name; nil if a member has none.
func (e *evidence) called(s side, members []string, structName string) (at []int, columns []*scoring.Column) {
	t := e.table(s)
	for _, m := range members {
		i := calledSo(t, m)
		if i < 0 {
			i = calledSo(t, structName+" "+m)
		}
		if i < 0 {
			return nil, nil
		}
		at, columns = append(at, i), append(columns, &t.Columns[i])
	}
	return at, columns
}

// calledSo returns the only column of t with this name, ignoring case and punctuation; -1 if there is none or more than
// one.
func calledSo(t *scoring.Table, name string) int {
	bare := naming.Bare(name)
	return only(len(t.Columns), func(i int) bool { return naming.Bare(t.Columns[i].Name) == bare })
}
