package align

import (
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// cutReadings reads instants with fewer decimal digits of the second on one side than on the other. The additional
// digits are dropped if that makes no two instants equal.
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

// isoFormat is the format that reads a column of instants, text or not.
func isoFormat(c *column) string {
	if c.kind == scoring.KindText {
		return cell.FormatISO
	}
	return ""
}

// serialReadings reads a column of numbers as the day numbers of spreadsheets, if its name indicates days and the
// other side holds days.
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
