package align

import (
	"regexp"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// bindHeaders undoes pairs that cross columns under their own names: where the answer shows gold's minimum as maximum and its maximum as minimum, the names are part
// of the answer, and it is wrong. Pairs that the values found cross where their names, each of them that of one column on either side, change places in a circle.
// A column that is called like another one, while its own name is gone, is only renamed. The gold columns are returned.
func (a *aligner) bindHeaders() (bound []int) {
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

// circleFrom follows the names from a gold column until they come back to it; nil where they do not.
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

// header is what a column's name says, synonyms being the same; empty where it says nothing, such as col_1.
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
