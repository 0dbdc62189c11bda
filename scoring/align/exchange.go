package align

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/naming"
)

const (
	// minAffinity is the minimum similarity of a column's name to another name for the column to be considered its
	// counterpart.
	minAffinity = 0.5
	// maxUnlike is the maximum number of columns with different names that are compared with each other.
	maxUnlike = 64
)

// bindNames replaces pairs by values with pairs by names if names are exchanged in a circle: if the answer shows gold's
// minimum as maximum and its maximum as minimum, it is wrong. In a circle, the counterpart of each column is named like
// the next gold column more than like its own. It returns the gold columns of all circles.
func (a *aligner) bindNames() (bound []int) {
	unlike := a.unlike()
	next := a.claims(unlike)
	for _, i := range unlike {
		circle := circleFrom(next, i)
		if len(circle) < 2 || !a.exchange(circle, next) {
			continue
		}
		a.bind(circle, next)
		bound = append(bound, circle...)
		for _, k := range circle {
			next[k] = -1
		}
	}
	return bound
}

// unlike returns the gold columns whose counterpart has another name.
func (a *aligner) unlike() (golds []int) {
	for i := range a.pairs {
		c := &a.pairs[i]
		if c.Pred < 0 || isCopy(c) {
			continue
		}
		if g, p := &a.gold[i], &a.pred[c.Pred]; g.col.Name != p.col.Name && g.bareName() != p.bareName() {
			golds = append(golds, i)
		}
	}
	return golds
}

// claims returns, by gold column, the other gold column of unlike whose name is most similar to the counterpart's name;
// -1 if that is its own, none or not unique.
func (a *aligner) claims(unlike []int) (next []int) {
	if len(unlike) < 2 {
		return nil
	}
	next = make([]int, len(a.gold))
	for i := range next {
		next[i] = -1
	}
	exact := map[string]int{} // the gold columns by their names, -1 if several have one
	for _, k := range unlike {
		b := a.gold[k].bareName()
		if _, twice := exact[b]; twice {
			k = -1
		}
		exact[b] = k
	}
	for _, i := range unlike {
		a.halt.Check()
		p := &a.pred[a.pairs[i].Pred]
		if k, ok := exact[p.bareName()]; ok && p.named().Meaningful() || len(unlike) > maxUnlike {
			if ok {
				next[i] = k
			}
			continue
		}
		own := a.gold[i].named().Affinity(p.named())
		best, second := minAffinity, 0.0
		for _, k := range unlike {
			if k == i {
				continue
			}
			if s := a.gold[k].named().Affinity(p.named()); s > own && s >= best && s > second {
				next[i], best, second = k, s, s
			} else if s == best && next[i] >= 0 {
				next[i] = -1 // two candidates: neither is taken
			}
		}
	}
	if len(unlike) <= maxNamedYears && !slices.ContainsFunc(next, func(k int) bool { return k >= 0 }) {
		golds, preds := make([]*naming.Name, len(unlike)), make([]*naming.Name, len(unlike))
		for k, i := range unlike {
			golds[k], preds[k] = a.gold[i].named(), a.pred[a.pairs[i].Pred].named()
		}
		for _, p := range naming.Relative(golds, preds) {
			if p[0] != p[1] {
				next[unlike[p[1]]] = unlike[p[0]]
			}
		}
	}
	return next
}

// maxNamedYears is the maximum number of columns whose names are matched as last year, this year and next year.
const maxNamedYears = 3

// exchange reports whether each pair of a circle by names is of the same kind, or has names with an affinity of at
// least 1.
func (a *aligner) exchange(circle, next []int) bool {
	for _, i := range circle {
		g, p := &a.gold[next[i]], &a.pred[a.pairs[i].Pred]
		if g.kind != p.kind && g.named().Affinity(p.named()) < 1 {
			return false
		}
	}
	return true
}

// bind pairs the gold columns of a circle with the predicted columns named like them, and records the former pairs as
// crossed.
func (a *aligner) bind(circle, next []int) {
	at := make(map[int]int, len(circle))
	for _, i := range circle {
		a.crossed = append(a.crossed, a.pairs[i])
		at[next[i]] = a.pairs[i].Pred
	}
	for _, i := range circle {
		a.pairs[i] = scoring.ColumnPair{Gold: i, Pred: -1}
	}
	for _, i := range circle {
		f := a.fit(&a.gold[i], &a.pred[at[i]])
		a.pair(i, at[i], "name", f.agreement, f.cmp)
	}
}

// denied reports whether the names contradict a pair with equal values: the names exclude each other, the answer's name
// has something that the question does not ask for, or another column of the answer, with other values, has the name of
// the gold column.
func (a *aligner) denied(i, j int) bool {
	g, p := &a.gold[i], &a.pred[j]
	if g.col.Name == p.col.Name || g.bareName() == p.bareName() {
		return false
	}
	if g.named().Contradicts(p.named()) || a.o.Asked != "" && p.named().Belies(a.askedName(), g.named()) ||
		a.rivalled(g, p) {
		return true
	}
	if p.named().Covers(g.named()) || generic(g.named()) || !p.named().Meaningful() {
		return false
	}
	if slices.ContainsFunc(a.gold, func(c column) bool { return c.col != g.col && g.named().Same(c.named()) }) {
		return false
	}
	return slices.ContainsFunc(a.pred, func(c column) bool {
		return !c.taken && c.kind == g.kind && !a.copies(&c) &&
			(g.named().Same(c.named()) ||
				(c.kind == scoring.KindText || onlySums(&c, g)) && c.named().Covers(g.named()) && !g.named().Related(p.named()))
	})
}

// summing are words that may be added to or omitted from the name of a measure.
var summing = []string{"total", "sum", "amount", "number", "count", "n", "value", "overall", "the", "of"}

// onlySums reports whether the name of c has only words of gold's name and of summing.
func onlySums(c, g *column) bool {
	return allIn(c.named().Words(), g.named().Words(), summing)
}

// rivalled reports whether the question has a word of another predicted column, and not one of p, although p has gold's
// values: games_2023 is asked for and games_2022 has the values. Their names must differ by opposites or a number, or
// gold's name be generic.
func (a *aligner) rivalled(g, p *column) bool {
	if a.o.Asked == "" {
		return false
	}
	nameless := !g.named().Meaningful() || allIn(g.named().Words(), summing)
	return slices.ContainsFunc(a.pred, func(c column) bool {
		if c.taken || c.kind != p.kind || c.identifies() || !nameless && !c.named().Differs(p.named()) ||
			g.named().Affinity(p.named()) > g.named().Affinity(c.named()) {
			return false
		}
		return a.asksFor(&c, p) && !a.asksFor(p, &c)
	})
}

// askedName returns the question, parsed as a column name.
func (a *aligner) askedName() *naming.Name {
	if a.sentence == nil {
		a.sentence = naming.Read(strings.ReplaceAll(a.o.Asked, "__", " ") + " ")
	}
	return a.sentence
}

// asksFor reports whether the question has a word of the name of c that the name of other lacks.
func (a *aligner) asksFor(c, other *column) bool {
	theirs := other.named().Tokens()
	return slices.ContainsFunc(c.named().Tokens(),
		func(w string) bool { return !slices.Contains(theirs, w) && a.asks(words(w)...) })
}

// eitherWay reports whether the names do not show which of two opposites a pair is: both sides have the opposite column
// too, such as imports and exports, goods_out and goods_in, and no name is more similar to its counterpart's than to
// that of the opposite.
func (a *aligner) eitherWay(c *scoring.ColumnPair) bool {
	i, j := c.Gold, c.Pred
	if j < 0 || isCopy(c) {
		return false
	}
	g, p := a.gold[i].named(), a.pred[j].named()
	return len(a.pairs) <= maxUnlike && slices.ContainsFunc(a.pairs, func(o scoring.ColumnPair) bool {
		if o.Gold == i || o.Pred < 0 || o.Pred == j || isCopy(&o) {
			return false
		}
		h, q := a.gold[o.Gold].named(), a.pred[o.Pred].named()
		return g.Opposes(h) && p.Opposes(q) && g.Affinity(p) <= g.Affinity(q) && h.Affinity(q) <= h.Affinity(p)
	})
}

// copies reports whether a column of the answer has the same values as one that has a counterpart.
func (a *aligner) copies(c *column) bool {
	return a.rowsEqual && slices.ContainsFunc(a.pred, func(o column) bool { return o.taken && o.sum == c.sum })
}

// genericNames are words of names of columns that may occur in any table.
var genericNames = []string{"id", "name", "title", "label", "description", "count", "total", "value", "result", "date",
	"time", "year", "status", "type", "code", "number", "amount", "rank", "category", "group", "average"}

func generic(n *naming.Name) bool {
	return allIn(n.Words(), genericNames)
}

// allIn reports whether every word is in one of the lists.
func allIn(words []string, lists ...[]string) bool {
	return !slices.ContainsFunc(words, func(w string) bool {
		return !slices.ContainsFunc(lists, func(list []string) bool { return slices.Contains(list, w) })
	})
}

// circleFrom returns the gold columns on the circle in next that starts and ends at from; nil if next does not return
// to it.
func circleFrom(next []int, from int) []int {
	if next == nil {
		return nil
	}
	circle := []int{from}
	for k := next[from]; k != from; k = next[k] {
		if k < 0 || slices.Contains(circle, k) {
			return nil
		}
		circle = append(circle, k)
	}
	return circle
}
