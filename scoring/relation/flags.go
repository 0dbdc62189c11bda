package relation

import (
	"fmt"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/naming"
)

// flag holds a column of truth values: the value of each row, and whether it is NULL.
type flag struct{ value, null []bool }

// flagOf parses a column of truth values, of 0 and 1, or of words for true and false; nil if it is another column.
func flagOf(c *scoring.Column) *flag {
	v := cell.View{Kind: scoring.KindBool}
	switch c.Type {
	case scoring.String:
		v.Format = cell.FormatBool
	case scoring.Bool, scoring.Int64:
	default:
		return nil
	}
	f := &flag{make([]bool, c.Len()), make([]bool, c.Len())}
	for i := range c.Len() {
		x := cell.Read(c, v, i)
		switch {
		case c.IsNull(i):
			f.null[i] = true
		case x.Type == scoring.Bool:
			f.value[i] = x.Bool()
		case x.Type == scoring.Int64 && (x.Int() == 0 || x.Int() == 1):
			f.value[i] = x.Int() == 1
		default:
			return nil
		}
	}
	return f
}

// keys returns a key for each row, from its key in rest and the value of the flag, negated if turned.
func (f *flag) keys(rest []uint64, turned bool) []uint64 {
	keys := make([]uint64, len(rest))
	for i := range rest {
		k := cell.NullKey
		if !f.null[i] {
			k = 2
			if f.value[i] != turned {
				k = 3
			}
		}
		keys[i] = cell.Mix(rest[i], k)
	}
	return keys
}

// turnedFlag returns a finding if one column is left to explain and the answer has the negated truth values in every
// row, under a name that negates gold's, such as uninsured for insured; else nil.
func turnedFlag(e *evidence) *found {
	s := e.solidPart()
	if s == nil || len(s.gold) != 1 {
		return nil
	}
	g := flagOf(&e.gold.Columns[s.gold[0]])
	if g == nil {
		return nil
	}
	name := naming.Read(e.gold.Columns[s.gold[0]].Name)
	for _, j := range s.pred {
		if !name.Denies(naming.Read(e.pred.Columns[j].Name)) {
			continue
		}
		p := flagOf(&e.pred.Columns[j])
		if p == nil ||
			!match(g.keys(s.keysOf(goldSide, e.gold.Rows()), false), p.keys(s.keysOf(predSide, e.pred.Rows()), true)).sameBag() {
			continue
		}
		return &found{
			text: fmt.Sprintf("%s of the answer says the opposite of %s, by its name and in every row; all else agrees.",
				columnName(e.pred, j), columnName(e.gold, s.gold[0])),
			proof: Proof{GoldColumns: s.gold, PredColumns: []int{j}},
		}
	}
	return nil
}
