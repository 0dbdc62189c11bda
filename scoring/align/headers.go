package align

import (
	"regexp"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// bindHeaders undoes pairs that cross columns under their own names: where the answer shows gold's
// minimum as maximum and its maximum as minimum, the names are part of the answer, and it is wrong.
// Pairs that the values found cross where their names, each of them that of one column on either
// side, change places in a circle. A column that is called like another one, while its own name is
// gone, is only renamed. The gold columns are returned.
func (a *aligner) bindHeaders() (bound []int) {
	if !a.mayCross() {
		return nil
	}
	golds, preds := headers(a.gold), headers(a.pred)
	next := make([]int, len(a.gold)) // the gold column whose name the counterpart has, or -1
	for i := range a.gold {
		next[i] = -1
		j := a.pairs[i].Pred
		if j < 0 || isCopy(&a.pairs[i]) {
			continue
		}
		own, other := header(&a.gold[i]), header(&a.pred[j])
		if at(preds, other) == j && at(golds, own) == i && at(preds, own) >= 0 {
			next[i] = at(golds, other)
		}
	}
	for i := range next {
		if circle := circleFrom(next, i); len(circle) > 1 {
			a.bind(circle, preds)
			bound = append(bound, circle...)
			for _, k := range circle {
				next[k] = -1
			}
		}
	}
	return bound
}

// mayCross tells whether any gold column is paired with a column of another header while some
// column of the answer has its own: where none is, no headers are crossed.
func (a *aligner) mayCross() bool {
	const wide = 32 // beyond it, looking takes longer than it saves
	if len(a.pred) > wide {
		return true
	}
	for i := range a.pairs {
		j := a.pairs[i].Pred
		if j < 0 {
			continue
		}
		own, other := a.gold[i].nameWords(), a.pred[j].nameWords()
		if len(own) == 0 || len(other) == 0 { // nothing but words that say little
			return true
		}
		if !slices.Equal(own, other) && a.hasName(own) {
			return true
		}
	}
	return false
}

// hasName tells whether the name of a column of the answer has just these words.
func (a *aligner) hasName(words []string) bool {
	for j := range a.pred {
		if slices.Equal(words, a.pred[j].nameWords()) {
			return true
		}
	}
	return false
}

// bind pairs some gold columns with the predicted columns of their names.
func (a *aligner) bind(golds []int, preds map[string]int) {
	for _, i := range golds {
		a.pairs[i] = scoring.ColumnPair{Gold: i, Pred: -1}
	}
	for _, i := range golds {
		j := preds[header(&a.gold[i])]
		f := a.fit(&a.gold[i], &a.pred[j])
		a.pair(i, j, "name", f.agreement, f.cmp)
	}
}

// refuseNames takes apart pairs whose names contradict each other, and pairs whose name contradicts
// the values: neither column answers the other, however equal their values are.
func (a *aligner) refuseNames() {
	for i := range a.pairs {
		c := &a.pairs[i]
		if c.Pred < 0 || c.Overlap < 1 || c.Scale != 0 { // others are told apart by their values
			continue
		}
		g, p := &a.gold[i], &a.pred[c.Pred]
		switch {
		case exclude(g.nameWords(), p.nameWords()):
		case c.Kind == scoring.KindNumber && a.otherUnits(g, p, &c.Comparison):
			a.refuse(*c)
		default:
			continue
		}
		if !slices.ContainsFunc(a.pairs, func(o scoring.ColumnPair) bool { return o.Pred == c.Pred && o.Gold != i }) {
			p.taken = false
		}
		g.taken = false
		a.pairs[i] = scoring.ColumnPair{Gold: i, Pred: -1}
	}
}

// circleFrom follows the names from a gold column until they come back to it; nil where they do
// not.
func circleFrom(next []int, from int) []int {
	circle := []int{from}
	for k := next[from]; k != from; k = next[k] {
		if k < 0 || slices.Contains(circle, k) {
			return nil
		}
		circle = append(circle, k)
	}
	return circle
}

func at(headers map[string]int, name string) int {
	if i, ok := headers[name]; ok {
		return i
	}
	return -1
}

// headers finds the column of each name; -1 where several have it.
func headers(cols []column) map[string]int {
	found := map[string]int{}
	for i := range cols {
		h := header(&cols[i])
		if h == "" {
			continue
		}
		if _, taken := found[h]; taken {
			found[h] = -1
			continue
		}
		found[h] = i
	}
	return found
}

// positional are names that engines give columns without one.
var positional = regexp.MustCompile(`^(_?(c|col|column|f|expr|field|unnamed|_c)?[_$: ]*\d{0,3}_?|\?column\?)$`)

// header is what a column's name says, synonyms being the same; empty where it says nothing, such
// as col_1.
func header(c *column) string {
	name := strings.ToLower(strings.TrimSpace(c.col.Name))
	if positional.MatchString(name) && len(name) != 1 {
		return ""
	}
	if w := c.nameWords(); len(w) > 0 {
		return strings.Join(w, " ")
	}
	return name
}
