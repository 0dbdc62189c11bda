package aligntest

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// Kept makes a result and what becomes of it by changes that keep the answer: names, order, types,
// formats, and columns that carry nothing. made names the changes.
func Kept(seed uint64) (gold, pred *scoring.Table, made string) {
	r := rand.New(rand.NewPCG(seed, 1))
	g := randomGrid(r, 25)
	p := g.clone()
	var names []string
	for range 1 + r.IntN(5) {
		if c := &keeping[r.IntN(len(keeping))]; c.apply(r, p) {
			names = append(names, c.name)
		}
	}
	return g.table(), p.table(), strings.Join(names, ", ")
}

// Broken makes a result and what becomes of it by a change after which the answer is another one,
// named in broke, and changes that keep it. ok is false if the change found nothing to break.
func Broken(seed uint64) (gold, pred *scoring.Table, broke, made string, ok bool) {
	r := rand.New(rand.NewPCG(seed, 2))
	g := randomGrid(r, 12)
	p := g.clone()
	b := &breaking[r.IntN(len(breaking))]
	if len(g.rows) < 2 || !b.apply(r, p) || same(g, p) || slices.Contains(g.allNull(), true) {
		return nil, nil, "", "", false
	}
	names := []string{b.name}
	for range r.IntN(3) {
		if c := &keeping[r.IntN(firstAddition)]; len(p.rows) > 0 && c.apply(r, p) {
			names = append(names, c.name)
		}
	}
	return g.table(), p.table(), b.name, strings.Join(names, ", "), true
}
