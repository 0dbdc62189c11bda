package align

import (
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// cutReadings returns the view that drops decimals of the second from the side of two columns of instants that has
// more. It returns nil if that makes instants equal, or if the question asks for them.
func (a *aligner) cutReadings(g, p *column) []viewPair {
	gd, gok := cell.FractionDigits(g.col)
	pd, pok := cell.FractionDigits(p.col)
	if !gok || !pok || gd == pd || a.asks("millisecond", "microsecond", "exact", "exactly", "precise") {
		return nil
	}
	fine, digits := g, pd
	if pd > gd {
		fine, digits = p, gd
	}
	v := cell.View{Kind: scoring.KindTime, Format: cell.CutTo(digits)}
	all := a.reading(fine, cell.View{Kind: scoring.KindTime, Format: isoFormat(fine)})
	if a.reading(fine, v).distinct() != all.distinct() {
		return nil
	}
	return []viewPair{{g: v, p: v}}
}

// isoFormat returns the format that reads a column of instants: ISO for strings, else "".
func isoFormat(c *column) string {
	if c.kind == scoring.KindText {
		return cell.FormatISO
	}
	return ""
}

// serialReadings returns the view of a column of numbers as day numbers of spreadsheets, if its name indicates days and
// the other column holds days in a single layout.
func (a *aligner) serialReadings(g, p *column) []viewPair {
	view := func(c, other *column) (cell.View, bool) {
		if c.kind == scoring.KindNumber {
			return cell.View{Kind: scoring.KindTime,
					Format: cell.FormatSerial}, (c.nameHas("date", "day", "serial", "excel") ||
					sameName(c.col.Name, other.col.Name) && c.nameHas(dayWords...)) && cell.SerialDates(c.col)
		}
		v := timeViews(c)
		return append(v, cell.View{})[0], len(v) == 1 && c.col.Type != scoring.Time
	}
	if (g.kind == scoring.KindNumber) == (p.kind == scoring.KindNumber) {
		return nil
	}
	gv, gok := view(g, p)
	pv, pok := view(p, g)
	if !gok || !pok {
		return nil
	}
	return []viewPair{{g: gv, p: pv}}
}
