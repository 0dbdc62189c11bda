package align

import (
	"math"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/question"
	"github.com/badger-eval/badger/scoring/sqlparts"
	"github.com/badger-eval/badger/scoring/units"
)

// question returns the units and scales that the question states.
func (a *aligner) question() *units.Question {
	if a.read == nil {
		a.read = units.Asked(a.o.Asked)
	}
	return a.read
}

// digits returns the parsed question, which states the digits that it asks for.
func (a *aligner) digits() *question.Question {
	if a.shown == nil {
		a.shown = question.Read(a.o.Asked, "")
	}
	return a.shown
}

// item returns what the query of a column's side shows about its unit; nil if it is unknown.
func (a *aligner) item(c *column) *units.Item {
	side, sql := &a.items[0], a.o.GoldSQL
	n := len(a.gold)
	if !c.gold {
		side, sql, n = &a.items[1], a.o.PredSQL, len(a.pred)
	}
	if sql == "" {
		return nil
	}
	if side.of == nil && !side.read {
		side.of, side.read = units.OfQuery(a.o.Texts.Parse(sql, sqlparts.DialectOf(a.o.Dialect)), n, a.question()), true
	}
	if side.of == nil {
		return nil
	}
	return &side.of[c.place]
}

// queried holds what a query shows about the columns of its result. It is parsed when first needed.
type queried struct {
	of   []units.Item
	read bool
}

// stated returns the unit that the cells of a column state, else the one in its name.
func (a *aligner) stated(c *column) units.Stated {
	if c.unit == nil {
		var s units.Stated
		if units.Mentions(c.col.Name) { // otherwise the question need not be parsed
			s = units.InName(c.col.Name, a.question())
		}
		if c.kind == scoring.KindText {
			s = c.textFormats().numbers.Stated().Or(s)
		}
		c.unit = &s
	}
	return *c.unit
}

// meant returns the unit of gold's column to compare with the unit other: the one that its cells or name state, else
// its query, else the question.
func (a *aligner) meant(g *column, other units.Stated) units.Stated {
	s := a.stated(g)
	if s.Unit != nil || s.Scale != nil || !other.Known() {
		return s
	}
	if it := a.item(g); it != nil && it.Known() {
		return s.Or(it.Stated)
	}
	if asked, ok := a.question().Expected(other); ok {
		return s.Or(asked)
	}
	return s
}

// compareUnits returns how the units of two columns relate, and the conversion of gold's numbers to the answer's, if
// any.
func (a *aligner) compareUnits(g, p *column) (units.Relation, *units.Conversion) {
	sp := a.stated(p)
	if !sp.Known() {
		return units.Unknown, nil
	}
	return units.Compare(a.meant(g, sp), sp)
}

// otherUnits reports whether two columns of equal numbers are in different units: 100 in price_usd is not 100 in
// price_eur, nor in price_cents. It is false for formats that convert units.
func (a *aligner) otherUnits(g, p *column, c *scoring.Comparison) bool {
	if !asWritten(c.GoldFormat) || !asWritten(c.PredFormat) {
		return false
	}
	how, _ := a.compareUnits(g, p)
	return how == units.Other || how == units.Converted
}

// unitsFact returns the units of two columns as text, the answer's first.
func (a *aligner) unitsFact(g, p *column) string {
	sp := a.stated(p)
	return sp.String() + " for " + a.meant(g, sp).String()
}

// asWritten reports whether a format keeps numbers in the unit in which they are written. Quantities and durations are
// converted to a common one.
func asWritten(format string) bool {
	switch format {
	case "", cell.FormatNumber, cell.FormatCurrency, cell.FormatPercent, cell.FormatComma, cell.FormatShort,
		cell.FormatMeasure:
		return true
	}
	return false
}

// scales returns the powers of ten to try between two columns of numbers. If both sides state units, it is only the
// factor between these; else percent or smaller shares for fractions, if percentFor finds them, and the scale that one
// name states, such as thousands.
func (a *aligner) scales(g, p *column, rg, rp *reading) (out []scale) {
	switch how, c := a.compareUnits(g, p); how {
	case units.Same, units.Other:
		return nil
	case units.Converted:
		if n, ok := c.PowerOfTen(); ok {
			out = append(out, scale{-n, "in another unit"})
		}
		return out
	case units.Unknown:
	}
	if n, ok := a.percentFor(g, p, rg, rp); ok {
		out = append(out, scale{-n, shareNames[n] + " for fraction"})
	}
	if n, ok := a.percentFor(p, g, rp, rg); ok {
		out = append(out, scale{n, "fraction for " + shareNames[n]})
	}
	sg, sp := a.stated(g), a.stated(p)
	if sg.Scale == nil && sp.Scale != nil {
		if n, ok := sp.Scale.PowerOfTen(); ok {
			out = append(out, scale{n, "in " + sp.Scale.Symbol + "s"})
		}
	}
	if sg.Scale != nil && sp.Scale == nil {
		if n, ok := sg.Scale.PowerOfTen(); ok {
			out = append(out, scale{-n, "not in " + sg.Scale.Symbol + "s"})
		}
	}
	return out
}

// shareNames are the units of shares, by the power of ten that equals a whole.
var shareNames = map[int]string{2: "percent", 3: "per mille", 4: "basis points", 6: "parts per million",
	9: "parts per billion"}

// percentFor reports whether one column may hold fractions and the other the same shares in percent or a smaller unit,
// and the power of ten between them. Stated units other than shares exclude it, and a percent sign or name confirms it.
// Otherwise the values must be in range and speakOfShare true.
func (a *aligner) percentFor(fraction, percent *column, rf, rp *reading) (n int, ok bool) {
	f, p := a.stated(fraction), a.orByQuery(percent)
	if q := a.question(); q.CountsOnly() && !f.Speaks() || q.PerMany && !p.Percent() {
		return 0, false // 0.85 children per household are not a share, and 2.5 per 100 admissions are not 0.025
	}
	if f.NoShare() || p.NoShare() || f.Unit != nil || unitOf(fraction) != "" || unitOf(percent) != "" && !p.Speaks() {
		return 0, false
	}
	if p.Percent() {
		return 2, true
	}
	if rf.count() == 0 || rp.count() == 0 || !within(rf, -1, 1) || rf.decimals() <= 0 {
		return 0, false
	}
	if p.Unit != nil {
		n, ok := p.Unit.PowerOfTen()
		return -n, ok && n < 0 && (f.Speaks() || a.divides(fraction) || a.question().Share)
	}
	return 2, within(rp, -100, 100) && a.speakOfShare(fraction, percent, rf, rp)
}

// orByQuery returns the unit that the cells or the name of a column state. If there is none, it is percent for a gold
// column that its query takes from a column named so, as MAX(humidity_pct) AS highest.
func (a *aligner) orByQuery(c *column) units.Stated {
	s := a.stated(c)
	if it := a.item(c); c.gold && !s.Known() && it != nil && it.Percent() && !it.Counts && !it.Divides && !it.Hundreds &&
		!it.Subtracts {
		return it.Stated
	}
	return s
}

// speakOfShare reports whether names, the question, a query or a sum of 1 show that fractions and percentages are the
// same shares. If none of them contains information, a fraction with three digits suffices.
func (a *aligner) speakOfShare(fraction, percent *column, rf, rp *reading) bool {
	f, p, q := a.stated(fraction), a.stated(percent), a.question()
	x, y := a.item(fraction), a.item(percent)
	switch {
	case x != nil && x.Hundreds:
		return false
	case percent.nameHas(fractionWords...) && !within(rp, -1, 1):
		return false // no fraction is above 1
	case q.Percent && !fraction.gold && fraction.named().Same(percent.named()) && !fraction.nameHas(shareWords...):
		return false // growth of 0.025, asked for in percent, is 0.025 %
	case f.Speaks() || p.Speaks() || isQuotient(fraction) || isQuotient(percent) || y != nil && y.Divides && y.Hundreds:
		return true
	case q.HowMany && rp.decimals() <= 0:
		return a.divides(fraction) && a.divides(percent) // whole numbers, asked how many: they count
	case q.Percent && !fraction.gold: // asked for percent, 0.025 is 0.025 %
		return false
	case q.Share || a.divides(fraction) || a.divides(percent) || addsToOne(rf.numbers()):
		return true
	}
	return strings.TrimSpace(a.o.Asked) == "" && x == nil && y == nil && uninformative(fraction) &&
		uninformative(percent) && slices.ContainsFunc(rf.numbers(), func(f float64) bool { return digits([]float64{f}) > 2 })
}

// Words in names of fractions of a whole, and of shares in any unit.
var (
	fractionWords = []string{"fraction", "proportion"}
	shareWords    = append([]string{"rate", "share", "ratio", "probability", "frequency"}, fractionWords...)
)

// uninformative reports whether a column's name is empty, a single letter, or meaningless, such as a position.
func uninformative(c *column) bool {
	return !c.named().Meaningful() || len(strings.TrimSpace(c.col.Name)) < 2
}

// divides reports whether a column's query divides or multiplies by 100, and states no unit other than a share.
func (a *aligner) divides(c *column) bool {
	it := a.item(c)
	return it != nil && (it.Divides || it.Hundreds) && !it.NoShare()
}

// addsToOne reports whether there are at least three numbers, none negative, and their sum is 1 within 0.005.
func addsToOne(fs []float64) bool {
	sum := 0.0
	for _, f := range fs {
		if f < 0 {
			return false
		}
		sum += f
	}
	return len(fs) > 2 && math.Abs(sum-1) <= 0.005
}

// countsPercent reports whether a column of plain numbers holds percentages: its name or gold's query shows it, or its
// name is that of a share and a number is larger than 1.
func (a *aligner) countsPercent(c *column) bool {
	s := a.orByQuery(c)
	if s.Percent() {
		return true
	}
	v := cell.View{Kind: scoring.KindNumber}
	if !isNumeric(c) {
		v.Format = c.textFormats().numbers.Format
	}
	r := a.reading(c, v)
	if !s.Speaks() || r.count() == 0 {
		return false
	}
	least, most := r.bounds()
	return math.Max(-least, most) > 1
}

// Words in names of columns whose last digits matter, and of shares whose distance from 1 or 100 % matters.
var (
	contentWords = []string{"shoe", "dose", "dosage", "dosing", "strength", "grade", "gpa", "version", "release",
		"handicap", "prescription", "diopter", "dioptre", "caliber", "calibre", "gauge", "isbn"}
	wholeWords = []string{"availability", "uptime", "yield", "reliability", "sla", "purity"}
)

// rounds reports whether the answer's numbers may be gold's, rounded to the given number of decimals. It is false if
// the question asks for more decimals or exact numbers, and for counts and values such as versions, doses and sizes in
// halves.
func (a *aligner) rounds(g, p *column, fine *reading, digits int) bool {
	n, asked := a.digits().Digits()
	if asked && digits < n || !asked && a.digits().Exact() {
		return false
	}
	if it := a.item(p); it != nil && it.Counts {
		return false
	}
	if g.nameHas(placeWords...) || p.nameHas(placeWords...) {
		return digits >= 3
	}
	if it := a.item(g); it != nil && it.Stored && !asked && digits < 2 {
		return false // a stored value is not an average, which may have one digit more or less
	}
	if a.averages(g) || a.averages(p) {
		return true
	}
	if g.nameHas(contentWords...) || p.nameHas(contentWords...) || a.asks(contentWords...) && digits <= 0 {
		return false
	}
	return digits > 0 || !inSteps(fine.distinctNumbers())
}

// averages reports whether the numbers of a column are averages or quotients by its name or query, so that their last
// digits do not matter.
func (a *aligner) averages(c *column) bool {
	if c.nameHas("average", "median", "deviation", "variance") || isQuotient(c) {
		return true
	}
	it := a.item(c)
	return it != nil && (it.Averages || it.Divides)
}

// inSteps reports whether numbers, not all of them whole, are multiples of a quarter, such as sizes, ratings and half
// days. It needs two distinct nonzero numbers.
func inSteps(fs []float64) bool {
	fractions, distinct := 0, 0
	for i, f := range fs {
		if i > 0 && f == fs[i-1] || f == 0 {
			continue
		}
		if !whole(4 * f) {
			return false
		}
		if distinct++; !whole(f) {
			fractions++
		}
	}
	return distinct > 1 && fractions > 0
}

// leftToWhole returns 1 or 100 minus each number if all are near it and a name shows that this distance matters, as for
// 99.98 % availability; else nil. Both lists are ascending.
func (a *aligner) leftToWhole(g, p *column, fs []float64) []float64 {
	if len(fs) == 0 || !g.nameHas(wholeWords...) && !p.nameHas(wholeWords...) {
		return nil
	}
	for _, of := range []float64{1, 100} {
		if fs[0] >= 0.9*of && fs[len(fs)-1] <= of {
			left := make([]float64, len(fs))
			for i, f := range fs {
				left[len(fs)-1-i] = of - f
			}
			return left
		}
	}
	return nil
}

// distinctNumbers returns the numbers of the column, ascending, without repetitions if tallied has them.
func (r *reading) distinctNumbers() []float64 {
	if t := r.tallied(); t != nil {
		return t.numbers
	}
	return r.numbers()
}
