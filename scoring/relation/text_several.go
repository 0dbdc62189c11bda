package relation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/naming"
)

// maxParts is the maximum number of columns that joinedSeveral tries as parts.
const maxParts = 8

// joinedSeveral returns a finding if two or three columns of one side are each two columns of side many, joined, and
// all else agrees; else nil. An example is the first and last name of an employee and of a manager.
func joinedSeveral(e *evidence, many side) *found {
	s := e.solidPart()
	if s == nil {
		return nil
	}
	parts, wholes := s.gold, s.pred
	if many == predSide {
		parts, wholes = wholes, parts
	}
	if len(wholes) < 2 || len(wholes) > 3 || len(parts) < 2*len(wholes) || len(parts) > maxParts ||
		many == goldSide && len(parts) != 2*len(wholes) {
		return nil
	}
	t, o := e.table(many), e.table(!many)
	manyRows, oneRows := slices.Clone(s.keysOf(many, t.Rows())), slices.Clone(s.keysOf(!many, o.Rows()))
	left := slices.Clone(parts)
	var used []int
	for _, whole := range wholes {
		c := &o.Columns[whole]
		if c.Type != scoring.String {
			return nil
		}
		texts := cell.AllKeys(c, cell.View{Kind: scoring.KindText})
		two, keys := e.twoJoined(many, left, texts)
		if two == nil {
			return nil
		}
		left = slices.DeleteFunc(left, func(i int) bool { return slices.Contains(two, i) })
		used = append(used, two...)
		mixInto(oneRows, texts)
		mixInto(manyRows, keys)
	}
	if !match(manyRows, oneRows).sameBag() {
		return nil
	}
	r := &found{proof: Proof{GoldColumns: used, PredColumns: wholes}}
	verb := "The answer joins"
	if many == predSide {
		verb = "The answer splits into parts what gold joins from"
		r.proof.GoldColumns, r.proof.PredColumns = wholes, used
	}
	r.text = fmt.Sprintf("%s %s: %s are two of them each, one behind the other.", verb, named(t, used), named(o, wholes))
	return r
}

// twoJoined returns two columns of among and the keys of their cells joined by a separator, if these strings are the
// same multiset as texts; nil if there are none.
func (e *evidence) twoJoined(s side, among []int, texts []uint64) (two []int, keys []uint64) {
	t, want := e.table(s), keySum(texts)
	for _, order := range orders(among, false) {
		if len(order) != 2 || !e.orderTellable(s, order) {
			continue
		}
		for _, sep := range separators {
			seps := []string{sep}
			if !inPlace(t, order, sep) || strings.TrimSpace(sep) == "" && sep != " " || !partsTellable(t, order, seps) {
				continue
			}
			keys := make([]uint64, t.Rows())
			for i := range keys {
				keys[i] = joinedKey(t, order, seps, i)
			}
			if keySum(keys) == want {
				return order, keys
			}
		}
	}
	return nil, nil
}

// inPlace reports whether two columns, if both are parts of a person's name, are joined in a valid order: the first
// name first, or last if sep has a comma.
func inPlace(t *scoring.Table, two []int, sep string) bool {
	place := func(column int) (at int) {
		for _, w := range naming.Words(t.Columns[column].Name) {
			at = max(at, namePlace[w])
		}
		return at
	}
	x, y := place(two[0]), place(two[1])
	if x == 0 || y == 0 {
		return true
	}
	return (x < y) != strings.Contains(sep, ",")
}

func keySum(keys []uint64) (sum cell.Sum) {
	for _, k := range keys {
		sum.Add(k)
	}
	return sum
}
