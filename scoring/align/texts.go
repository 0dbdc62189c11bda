package align

import (
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

func (c *column) nested() *cell.NestedText {
	if c.nests == nil {
		t := cell.ReadNested(c.col)
		c.nests = &t
	}
	return c.nests
}

func (c *column) spelled() *cell.SpelledText {
	if c.spells == nil {
		t := cell.ReadSpelling(c.col)
		c.spells = &t
	}
	return c.spells
}

// textReadings returns the ways to compare two columns of strings as nested values in different notations, or as names
// and words in different spellings.
func (a *aligner) textReadings(g, p *column) (out []viewPair) {
	if g.kind != scoring.KindText || p.kind != scoring.KindText {
		return nil
	}
	view := func(gf, pf string) {
		out = append(out,
			viewPair{g: cell.View{Kind: scoring.KindText, Format: gf}, p: cell.View{Kind: scoring.KindText, Format: pf}})
	}
	gn, pn := g.nested(), p.nested()
	switch {
	case gn.Nested && pn.Nested && !(gn.JSON && pn.JSON):
		view(cell.FormatNested, cell.FormatNested)
	case gn.Shape && pn.Shape:
		view(cell.FormatShape, cell.FormatShape)
	}
	if g.col.Type != scoring.String || p.col.Type != scoring.String || g.verbatim {
		return out
	}
	gs, ps := g.spelled(), p.spelled()
	if (gs.Plain || ps.Plain) && !cell.MergesPlain(g.col) && !cell.MergesPlain(p.col) {
		view(cell.FormatPlain, cell.FormatPlain)
	}
	if gs.LastFirst && !ps.Commas {
		view(cell.FormatLastFirst, "")
	}
	if ps.LastFirst && !gs.Commas {
		view("", cell.FormatLastFirst)
	}
	return out
}
