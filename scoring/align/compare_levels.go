package align

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/naming"
)

// manyPairs is the number of pairs of columns beyond which pairs whose names and values are dissimilar are not compared
// in full.
const manyPairs = 400

// noise is the largest relative difference attributed to the order in which doubles are added.
const noise = 1e-12

// fit is a comparison of two columns and their agreement under it.
type fit struct {
	agreement float64 // 0 to 1: share of the values of both columns that pair up under the comparison
	equal     float64 // 0 to 1: likewise, of values that are equal without tolerance or scale
	cmp       scoring.Comparison
}

// looser is the weight of incomplete agreement under a comparison that is not exact, since unrelated columns of many
// numbers also agree within 1 %.
const looser = 0.9

// better replaces the comparison and agreement of f by those of g if g agrees more. If both agree equally, it keeps f,
// which is the stricter one.
func (f *fit) better(g fit) {
	worth := func(x *fit) float64 {
		if x.agreement < 1 && !x.cmp.Exact() {
			return looser * x.agreement
		}
		return x.agreement
	}
	if worth(&g) > worth(f) {
		f.agreement, f.cmp = g.agreement, g.cmp
	}
}

// byEquality pairs columns in which at least half of the values are equal, or in which all agree once strings are read
// as the kind of the other side. Other columns are left to byLadder.
func (a *aligner) byEquality() {
	golds, preds := a.open(a.gold), a.open(a.pred)
	pairs := len(golds) * len(preds)
	many := pairs > manyPairs
	equal := a.equalities(preds, pairs, naturalKind, a.plain)
	var candidates, others []candidate // others: pairs of columns of different kinds
	for _, i := range golds {
		a.halt.Check()
		others = others[:0]
		shares := equal.with(i)
		for at, j := range preds {
			g, p := &a.gold[i], &a.pred[j]
			if naturalKind(g) != naturalKind(p) {
				if similar := a.similar(i, j); !many || similar >= 0.3 {
					// more than part of the values under any name
					others = append(others, candidate{gold: i, pred: j, weight: 12 + 2*similar})
				}
				continue
			}
			if shares[at] < 0.5 {
				continue
			}
			candidates = append(candidates, candidate{gold: i, pred: j, weight: 10*shares[at] + 2*a.similar(i, j)})
		}
		for _, c := range mostPromising(others) {
			if g, p := &a.gold[i], &a.pred[c.pred]; a.withForms(a.fitting(g, p, a.plainReadings(g, p)), g, p).agreement == 1 {
				candidates = append(candidates, c)
			}
		}
	}
	for _, c := range assign(candidates, len(a.gold), len(a.pred)) {
		f := a.fit(&a.gold[c.gold], &a.pred[c.pred])
		a.pair(c.gold, c.pred, "values", f.agreement, f.cmp)
	}
}

// maxFits is the maximum number of columns of the answer that each gold column is compared with in full. maxRough is
// the maximum number of keys that all pairs of columns together may examine; for more pairs, fewer keys than a sample
// holds are compared. Results of at most 32 columns reach neither limit.
const (
	maxFits  = 32
	maxRough = 1 << 23
)

// mostPromising returns the candidates that are compared in full: the maxFits with the largest weights.
func mostPromising(cs []candidate) []candidate {
	if len(cs) > maxFits {
		slices.SortStableFunc(cs, func(a, b candidate) int { return cmp.Compare(b.weight, a.weight) })
		cs = cs[:maxFits]
	}
	return cs
}

// equalities computes the share of equal values of a gold column and each of several predicted columns of the same
// kind.
type equalities struct {
	*aligner
	preds  []int
	kind   func(*column) scoring.Kind
	view   func(*column) cell.View
	keys   int // number compared per column; 0: its whole sample
	rough  map[scoring.Kind]*rough
	alike  map[scoring.Kind][]int // positions in preds of the columns of a kind
	shares []float64
	some   []float64 // buffer for the shares of columns of one kind
}

// equalities returns an equalities for the given predicted columns. The more pairs are to be compared, the fewer keys
// of each column it compares.
func (a *aligner) equalities(preds []int, pairs int, kind func(*column) scoring.Kind,
	view func(*column) cell.View) *equalities {
	e := &equalities{aligner: a, preds: preds, kind: kind, view: view, rough: map[scoring.Kind]*rough{},
		alike: map[scoring.Kind][]int{}, shares: make([]float64, len(preds))}
	for at, j := range preds {
		k := kind(&a.pred[j])
		e.alike[k] = append(e.alike[k], at)
	}
	if n := maxRough / max(pairs, 1); n < sampleKeys {
		e.keys = max(n, 64)
	}
	return e
}

// with returns the shares of a gold column by position in preds; those of another kind are 0. The slice is valid until
// the next call.
func (e *equalities) with(gold int) []float64 {
	g := &e.gold[gold]
	kind, rg := e.kind(g), e.reading(g, e.view(g))
	clear(e.shares)
	alike := e.alike[kind]
	if e.keys == 0 {
		for _, at := range alike {
			p := &e.pred[e.preds[at]]
			e.shares[at] = overlap(rg, e.reading(p, e.view(p)))
		}
		return e.shares
	}
	if len(alike) == 0 {
		return e.shares
	}
	r := e.rough[kind]
	if r == nil {
		readings := make([]*reading, len(alike))
		for k, at := range alike {
			p := &e.pred[e.preds[at]]
			readings[k] = e.reading(p, e.view(p))
		}
		r = newRough(readings, e.keys)
		e.rough[kind] = r
	}
	e.some = slices.Grow(e.some[:0], len(alike))[:len(alike)]
	shares := e.some
	clear(shares)
	r.shares(rg, shares)
	for k, at := range alike {
		e.shares[at] = shares[k]
	}
	return e.shares
}

// plain returns the view of a column without conversion, with truth values as numbers.
func (a *aligner) plain(c *column) cell.View {
	v := a.natural(c)
	v.Kind, v.FloatBits = naturalKind(c), a.bits && naturalKind(c) == scoring.KindNumber
	return v
}

// naturalKind returns the kind of a column, with truth values as numbers.
func naturalKind(c *column) scoring.Kind {
	if c.kind == scoring.KindBool {
		return scoring.KindNumber
	}
	return c.kind
}

// similar returns the similarity of the names of two columns, 0 to 1.
func (a *aligner) similar(i, j int) float64 {
	g, p := &a.gold[i], &a.pred[j]
	s := naming.Similarity(g.nameWords(), p.nameWords())
	if s < 1 && g.col.Name != "" && (g.col.Name == p.col.Name || g.bareName() != "" && g.bareName() == p.bareName()) {
		s = 1
	}
	return s
}

// byLadder pairs the columns that have no counterpart yet: first by equality, then by agreement under looser
// comparisons, by name, or as the only ones left.
func (a *aligner) byLadder() {
	golds, preds := a.open(a.gold), a.open(a.pred)
	if len(golds) == 0 {
		return
	}
	if len(preds) == 0 || len(a.pred) == 0 {
		a.coverCopies(golds)
		return
	}
	a.byEquality()
	golds, preds = a.open(a.gold), a.open(a.pred)
	var candidates []candidate
	sole := len(golds) == 1 && len(preds) == 1
	pairs := len(golds) * len(preds)
	equal := a.equalities(preds, pairs, func(c *column) scoring.Kind { return c.kind }, a.natural)
	var promising []candidate
	for _, i := range golds {
		a.halt.Check()
		promising = promising[:0]
		var shares []float64 // a cheap estimate of how many values may be equal
		if pairs > manyPairs {
			shares = equal.with(i)
		}
		for at, j := range preds {
			similar, agrees := a.similar(i, j), 0.0
			if shares != nil {
				if agrees = shares[at]; similar < 0.3 && agrees <= 0.1 {
					continue
				}
			}
			promising = append(promising, candidate{gold: i, pred: j, weight: similar + agrees})
		}
		for _, c := range mostPromising(promising) {
			g, p, similar := &a.gold[i], &a.pred[c.pred], a.similar(i, c.pred)
			f := a.fit(g, p)
			c := candidate{gold: i, pred: c.pred, fit: &f}
			switch {
			case f.agreement >= 0.2 || f.agreement > 0.1 && similar > 0:
				c.by = "values"
			case similar >= 0.5 && compatible(g, p):
				c.by = "name"
			case sole && compatible(g, p) && len(a.gold) == len(a.pred):
				c.by = "position"
			default:
				continue
			}
			// the same name is worth a quarter of equal values
			c.weight = 6*f.equal + 4*f.agreement*a.speaks(g, &f.cmp) + 2.5*similar
			candidates = append(candidates, c)
		}
	}
	for _, c := range assign(candidates, len(a.gold), len(a.pred)) {
		a.pair(c.gold, c.pred, c.by, c.fit.agreement, c.fit.cmp)
	}
	a.coverCopies(a.open(a.gold))
}

// speaks returns the weight, 0 to 1, of agreement under a comparison. It is less than 1 for a comparison with a
// tolerance or scale and fewer than four distinct values, since these may agree by chance.
func (a *aligner) speaks(g *column, c *scoring.Comparison) float64 {
	if c.Exact() && c.Scale == 0 {
		return 1
	}
	return math.Min(1, 0.25*float64(a.distinct(g, c)))
}

func (a *aligner) open(cols []column) []int {
	var out []int
	for i := range cols {
		if !cols[i].taken {
			out = append(out, i)
		}
	}
	return out
}

// compatible reports whether the kinds of two columns allow pairing them although their values differ.
func compatible(g, p *column) bool {
	numeric := func(c *column) bool { return c.kind == scoring.KindNumber || c.kind == scoring.KindBool }
	return g.kind == p.kind || numeric(g) && numeric(p) || g.col.Type == scoring.Null || p.col.Type == scoring.Null ||
		g.kind == scoring.KindText || p.kind == scoring.KindText
}

const repeats = "repeats " // start of the Fact of a gold column that shares the counterpart of another one

// coverCopies pairs each given gold column that equals a paired gold column row by row with the same counterpart. The
// two must have three distinct values or the same name, since few rows may be equal by chance.
func (a *aligner) coverCopies(golds []int) {
	if !a.rowsEqual {
		return
	}
	var paired []int // ascending: most of thousands of columns have no counterpart
	for k := range a.gold {
		if a.pairs[k].Pred >= 0 {
			paired = append(paired, k)
		}
	}
	for _, i := range golds {
		a.halt.Check()
		for _, k := range paired {
			j := a.pairs[k].Pred
			if k == i || a.gold[k].sum != a.gold[i].sum ||
				!sameName(a.gold[k].col.Name, a.gold[i].col.Name) && a.reading(&a.gold[i], a.natural(&a.gold[i])).distinct() < 3 {
				continue
			}
			if !slices.Equal(cell.AllKeys(a.gold[i].col, a.natural(&a.gold[i])),
				cell.AllKeys(a.gold[k].col, a.natural(&a.gold[k]))) {
				continue
			}
			a.pair(i, j, "values", a.pairs[k].Overlap, a.pairs[k].Comparison)
			a.pairs[i].Fact = repeats + printable.Quoted(a.gold[k].col.Name)
			if at, has := slices.BinarySearch(paired, i); !has {
				paired = slices.Insert(paired, at, i)
			}
			break
		}
	}
}

// fit returns the strictest comparison under which all values of two columns agree, or the one under which most do,
// with their agreement.
func (a *aligner) fit(g, p *column) fit {
	rs := a.plainReadings(g, p)
	if naturalKind(g) != naturalKind(p) && mayReadAlike(g, p) {
		rs = append(rs, asText(g, p))
	}
	return a.withForms(a.fitting(g, p, rs), g, p)
}

// asText returns the views that read both columns as strings, or as the text of their values.
func asText(g, p *column) viewPair {
	v := cell.View{Kind: scoring.KindText, Verbatim: g.verbatim}
	return viewPair{g: v, p: v}
}

// fitting is fit for the given ways to read the columns, tried in this order.
func (a *aligner) fitting(g, p *column, readings []viewPair) fit {
	var best fit
	best.cmp.Kind = scoring.KindText
	for i, r := range readings {
		c := scoring.Comparison{Kind: r.g.Kind, GoldFormat: r.g.Format, PredFormat: r.p.Format, Verbatim: r.g.Verbatim}
		if f := formatFact(r.g.Format, r.p.Format); f != "" {
			c.Fact = f
		}
		if r.scaled { // also if nothing agrees
			if c.Scale = 2; unitOf(p) == cell.UnitPercent {
				c.Scale = -2
			}
		}
		rg, rp := a.reading(g, r.g), a.reading(p, r.p)
		if i == 0 {
			best.cmp = c // what they are compared as if nothing agrees
		}
		if !r.scaled {
			equal := overlap(rg, rp)
			best.equal = max(best.equal, equal)
			best.better(fit{agreement: equal, cmp: c})
		}
		if best.agreement < 1 && r.g.Kind == scoring.KindNumber {
			a.numberRungs(&best, [2]*column{g, p}, [2]*reading{rg, rp}, c, r.scaled)
		}
		if best.agreement == 1 {
			break
		}
	}
	return best
}

// viewPair is a pair of views under which two columns are compared.
type viewPair struct {
	g, p   cell.View
	scaled bool // compare only with a scale, since a percentage does not equal the plain number
}

// formats are the formats in which the strings of a column can be read.
type formats struct {
	number      string
	numbers     cell.NumberText
	dates       []string
	isBool      bool
	strictBool  bool // all values are the same letter
	json, lists bool
	intervals   bool
	engines     bool // an interval is written as only database engines write it
}

func (c *column) textFormats() *formats {
	if c.formats == nil {
		f := &formats{dates: cell.DateFormats(c.col), json: cell.JSONFormat(c.col), lists: cell.ListFormat(c.col)}
		f.intervals, f.engines = cell.IntervalFormat(c.col)
		f.strictBool, f.isBool = cell.ReadBools(c.col)
		f.numbers, _ = cell.ReadNumbers(c.col)
		if f.number = f.numbers.Format; f.numbers.Strict {
			f.number = "" // only against numbers
		}
		c.formats = f
	}
	return c.formats
}

func isNumeric(c *column) bool { return c.kind == scoring.KindNumber || c.kind == scoring.KindBool }

// plainReadings returns the ways to compare two columns, the most natural first, without those of formReadings and
// without comparing different kinds as strings.
func (a *aligner) plainReadings(g, p *column) []viewPair {
	if isNumeric(g) && isNumeric(p) {
		v := cell.View{Kind: scoring.KindNumber, FloatBits: a.bits}
		return []viewPair{{g: v, p: v}}
	}
	var out []viewPair
	if g.kind == p.kind {
		if g.kind != scoring.KindText {
			return []viewPair{{g: cell.View{Kind: g.kind}, p: cell.View{Kind: p.kind}}}
		}
		out = append(out, asText(g, p))
	}
	out = append(out, structuredReadings(g, p)...)
	out = append(out, a.numberReadings(g, p)...)
	for _, gv := range timeViews(g) {
		for _, pv := range timeViews(p) {
			// 1:30 is an hour and a half or a minute and a half
			if (gv.Format != cell.FormatClock || pv.Format != cell.FormatClock) && !exchangesDays(g, p, gv, pv) {
				out = append(out, viewPair{g: gv, p: pv})
			}
		}
	}
	gb, gs, gok := boolView(g)
	pb, ps, pok := boolView(p)
	if gok && pok && (gb.Format != "" || pb.Format != "") && !(gb.Format != "" && pb.Format != "" && (gs || ps)) {
		out = append(out, viewPair{g: gb, p: pb})
	}
	return out
}

// structuredReadings returns the ways to compare two columns of strings as JSON, as intervals, or as lists that one
// side stores as arrays.
func structuredReadings(g, p *column) (out []viewPair) {
	isJSON := func(c *column) bool { return c.col.Type == scoring.JSON }
	if g.kind != scoring.KindText || p.kind != scoring.KindText {
		return nil
	}
	view := func(c *column, format string) cell.View {
		if isJSON(c) && format == cell.FormatJSON {
			format = ""
		}
		return cell.View{Kind: scoring.KindText, Format: format}
	}
	jg, jp := isJSON(g) || g.textFormats().json, isJSON(p) || p.textFormats().json
	if jg && jp && !(isJSON(g) && isJSON(p)) {
		out = append(out, viewPair{g: view(g, cell.FormatJSON), p: view(p, cell.FormatJSON)})
	}
	if gi, pi := g.textFormats(), p.textFormats(); gi.intervals && pi.intervals && (gi.engines || pi.engines) {
		v := cell.View{Kind: scoring.KindText, Format: cell.FormatInterval}
		out = append(out, viewPair{g: v, p: v})
	}
	if g.textFormats().lists && p.col.Type == scoring.String || p.textFormats().lists && g.col.Type == scoring.String {
		out = append(out, viewPair{g: view(g, cell.FormatList), p: view(p, cell.FormatList)})
	}
	return out
}

// numberReadings returns the ways to compare strings with numbers or with strings as numbers. If both sides state
// units, these must be the same. A percentage equals a plain number only if a name shows that this is a percentage.
func (a *aligner) numberReadings(g, p *column) (out []viewPair) {
	numbers := func(c, other *column) (v cell.View, t *cell.NumberText, ok bool) {
		if isNumeric(c) {
			return cell.View{Kind: scoring.KindNumber}, &cell.NumberText{}, true
		}
		t = &c.textFormats().numbers
		return cell.View{Kind: scoring.KindNumber, Format: t.Format}, t, t.Format != "" && (!t.Strict || isNumeric(other))
	}
	gv, gt, gok := numbers(g, p)
	pv, pt, pok := numbers(p, g)
	if !gok || !pok {
		return nil
	}
	if _, ok := cell.SharedUnit(gt.Unit, pt.Unit); !ok || isVersion(g, gt) || isVersion(p, pt) {
		return nil
	}
	if !isNumeric(g) && !isNumeric(p) && gt.Padded != pt.Padded && !g.nameHas(measureWords...) &&
		!p.nameHas(measureWords...) {
		return nil // 1.10 and 1.1 as text may be versions
	}
	// in the unit that one side states
	if gt.Format == cell.FormatQuantity && pt.Unit == "" || pt.Format == cell.FormatQuantity && gt.Unit == "" {
		gv.Format, pv.Format = ownUnit(gt), ownUnit(pt)
		if gv.Format == "" && !isNumeric(g) || pv.Format == "" && !isNumeric(p) {
			return nil
		}
		return []viewPair{{g: gv, p: pv}}
	}
	scaled := false
	switch percent := cell.UnitPercent; {
	case gt.Unit == percent && pt.Unit != percent:
		scaled = !a.countsPercent(p)
	case pt.Unit == percent && gt.Unit != percent:
		scaled = !a.countsPercent(g)
	}
	out = append(out, viewPair{g: gv, p: pv, scaled: scaled})
	if gv.Format == cell.FormatCredit != (pv.Format == cell.FormatCredit) { // or the column counts debits
		turned := viewPair{g: gv, p: pv}
		for _, v := range []*cell.View{&turned.g, &turned.p} {
			if v.Format == cell.FormatCredit {
				v.Format = cell.FormatDebit
			}
		}
		out = append(out, turned)
	}
	if f, ok := pt.InShortForm(); ok && isNumeric(g) {
		out = append(out, viewPair{g: cell.View{Kind: scoring.KindNumber, Format: f}, p: pv})
	}
	if f, ok := gt.InShortForm(); ok && isNumeric(p) {
		out = append(out, viewPair{g: gv, p: cell.View{Kind: scoring.KindNumber, Format: f}})
	}
	return out
}

// ownUnit returns the format for comparison with numbers without units: for quantities that all have the same unit,
// their numbers; "" if they have several units.
func ownUnit(t *cell.NumberText) string {
	switch {
	case t.Format != cell.FormatQuantity:
		return t.Format
	case t.OneUnit:
		return cell.FormatMeasure
	}
	return ""
}

// isVersion reports whether the name of a column of strings shows that it holds versions with points, or telephone
// numbers.
func isVersion(c *column, t *cell.NumberText) bool {
	if isNumeric(c) {
		return false
	}
	return t.Digits > 0 && c.nameHas("version", "release", "build", "revision", "code", "sku") ||
		c.nameHas("phone", "telephone", "tel", "mobile", "fax")
}

// keyWords are words at the end of names of columns whose numbers are identifiers, so that no digit may be ignored.
var keyWords = []string{"id", "code", "isbn", "sku", "uuid", "zip", "postcode"}

// identifies reports whether the last word of the column's name marks its numbers as identifiers. It is false if the
// name is an expression.
func (c *column) identifies() bool {
	w := c.nameWords()
	return len(w) > 0 && !strings.ContainsAny(c.col.Name, "(*/+") && slices.Contains(keyWords, w[len(w)-1])
}

// nameHas reports whether the name of the column contains one of the words.
func (c *column) nameHas(words ...string) bool {
	return slices.ContainsFunc(c.nameWords(), func(w string) bool { return slices.Contains(words, w) })
}

// timeViews returns the views of a column as dates or times.
func timeViews(c *column) []cell.View {
	if c.kind == scoring.KindTime {
		return []cell.View{{Kind: scoring.KindTime}}
	}
	var vs []cell.View
	for _, f := range c.textFormats().dates {
		vs = append(vs, cell.View{Kind: scoring.KindTime, Format: f})
	}
	return vs
}

func boolView(c *column) (v cell.View, strict, ok bool) {
	if isNumeric(c) {
		return cell.View{Kind: scoring.KindBool}, false, true
	}
	f := c.textFormats()
	return cell.View{Kind: scoring.KindBool, Format: cell.FormatBool}, f.strictBool, f.isBool
}

func formatFact(g, p string) string {
	name := func(f string) string {
		switch {
		case strings.ContainsAny(f, "0123456789") && (strings.Contains(f, "2006") || strings.Contains(f, "06")) ||
			f == time.ANSIC:
			return "date text"
		case strings.HasPrefix(f, "as "):
			return "" // as the other side shows it
		}
		return f
	}
	g, p = name(g), name(p)
	switch {
	case g == p:
		return ""
	case p == "":
		return "gold is " + g
	case g == "":
		return p
	}
	return p + " for " + g
}

// numberRungs tries looser comparisons of two columns of numbers, from the last bits of doubles over rounding and
// powers of ten to a tolerance, and keeps the best fit in best. If scaled is set, it tries only powers of ten.
func (a *aligner) numberRungs(best *fit, columns [2]*column, readings [2]*reading, base scoring.Comparison,
	scaled bool) {
	g, p, rg, rp := columns[0], columns[1], readings[0], readings[1]
	if best.agreement >= 0.5 {
		if rg.load(); rp.values != rg.values {
			return // rows are missing; where the values are equal there is nothing to allow for
		}
	}
	if g.kind == scoring.KindBool || p.kind == scoring.KindBool {
		return // truth is not rounded
	}
	gs, ps := figuresOf(g, rg), figuresOf(p, rp)
	if rg.count() == 0 || rp.count() == 0 {
		return
	}
	rule := a.o.rule(g.col.Name)
	if rule.Numbers == Exact {
		gs.rounds, ps.rounds = false, false
	}
	try := func(c scoring.Comparison, fact string) bool {
		c.Fact = strings.TrimPrefix(c.Fact+", "+fact, ", ")
		best.better(fit{agreement: agreement(gs.of, ps.of, &c), cmp: c})
		return best.agreement == 1
	}
	integers := gs.needs <= 0 && ps.needs <= 0
	if !integers && !scaled && rule.Numbers != Exact && (mayBeDouble(g.col) || mayBeDouble(p.col)) {
		c := base
		c.Tolerance = noise
		if best.better(fit{agreement: agreement(gs.of, ps.of, &c), cmp: c}); best.agreement == 1 {
			return
		}
	}
	if !scaled {
		for _, r := range a.roundings(base, gs, ps) {
			if try(r.cmp, r.fact) {
				return
			}
		}
	}
	for _, scale := range a.scales(g, p, rg, rp) {
		c := base
		c.Scale = scale.by
		if rule.Numbers != Exact {
			c.Tolerance = noise
		}
		if try(c, scale.fact) {
			return
		}
		// in gold's unit: a percentage with two digits pins a fraction down to four
		for _, r := range a.roundings(base, gs, ps.times(scale.by)) {
			r.cmp.Scale = scale.by
			if try(r.cmp, scale.fact+", "+r.fact) {
				return
			}
		}
	}
	if !scaled {
		a.toleranceRung(gs, ps, base, rule, try)
	}
}

// mayBeDouble reports whether the numbers of a column may be doubles, and so differ in their last bits.
func mayBeDouble(c *scoring.Column) bool {
	return c.Type != scoring.Decimal && c.Type != scoring.Int64
}

// toleranceRung tries the tolerance that the rule allows for a column, if any. A relative one is reduced to the
// smallest power of ten under which all numbers agree.
func (a *aligner) toleranceRung(gs, ps figures, base scoring.Comparison, rule Rule,
	try func(scoring.Comparison, string) bool) {
	if rule.By <= 0 || !a.mayDiffer(gs.col, ps.col, gs, ps, rule) {
		return
	}
	c := base
	switch rule.Numbers {
	case Absolute:
		c.Within = rule.By
		try(c, "within "+printable.Figure(rule.By, 6))
		return
	case Relative:
	default:
		return
	}
	c.Tolerance = rule.By
	if agreement(gs.of, ps.of, &c) == 1 { // how little of the tolerance does it take?
		for t := noise * 10; t < rule.By; t *= 10 {
			tight := c
			tight.Tolerance = t
			if agreement(gs.of, ps.of, &tight) == 1 {
				c = tight
				break
			}
		}
	}
	try(c, "within "+printable.Figure(100*c.Tolerance, 2)+" %")
}

// figures are the numbers of a column, possibly converted to another unit, and their digits.
type figures struct {
	col    *column
	of     *reading
	by     int  // exponent: the numbers are those of the column times 10^by
	needs  int  // decimals that the numbers need, see [reading.decimals]
	shows  int  // decimals that the column shows, by its type or text, or unknown
	least  int  // minimum of the decimals: 0, or less in another unit
	counts bool // the column is of type Int64
	rounds bool // it may be rounded, since its name does not mark identifiers
}

const unknown = math.MinInt32

func figuresOf(c *column, r *reading) figures {
	f := figures{col: c, of: r, needs: r.decimals(), shows: unknown, counts: c.col.Type == scoring.Int64,
		rounds: !c.identifies()}
	switch t := c.col; {
	case t.Type == scoring.Decimal || t.Type == scoring.Float64 && t.Scale > 0:
		f.shows = int(t.Scale)
	case t.Type == scoring.String && r.view.Format != cell.FormatQuantity && r.view.Format != cell.FormatMeasure &&
		r.view.Format != cell.FormatShort:
		f.shows = c.textFormats().numbers.Digits
	}
	return f
}

// times returns the figures multiplied by 10^by.
func (f figures) times(by int) figures {
	f.by, f.counts = by, false
	f.needs, f.least = max(f.needs, 0)-by, min(f.least-by, 0)
	if f.shows != unknown {
		f.shows -= by
	}
	return f
}

// numbers returns the figures, ascending, in their unit.
func (f *figures) numbers() []float64 {
	if f.by == 0 {
		return f.of.numbers()
	}
	k := cell.Pow10(f.by)
	numbers := make([]float64, f.of.count())
	for i, n := range f.of.numbers() {
		numbers[i] = n * k
	}
	return numbers
}

type rung struct {
	cmp  scoring.Comparison
	fact string
}

// roundings returns the comparisons under which one side is the other rounded: they agree within half a unit of its
// last digit. Gold's whole numbers count as rounded only if gold's query rounds. It never rounds to tens or more in the
// column's unit.
func (a *aligner) roundings(base scoring.Comparison, gs, ps figures) (out []rung) {
	if !gs.rounds || !ps.rounds {
		return nil
	}
	add := func(coarse, fine figures, d int) {
		if d >= max(fine.needs, fine.least) || !coarse.of.exact() {
			return
		}
		c := base
		c.Within = 0.5 * cell.Pow10(-d)
		probe := c
		if probe.Scale = ps.by; !mayAgree(gs.of, ps.of, &probe) {
			return
		}
		coarseNumbers, fineNumbers := coarse.numbers(), fine.numbers()
		if left := a.leftToWhole(gs.col, ps.col, fineNumbers); left != nil && fine.col == gs.col {
			coarseNumbers, fineNumbers = a.leftToWhole(gs.col, ps.col, coarseNumbers), left
			if coarseNumbers == nil {
				return
			}
		}
		if !keepsDigits(coarseNumbers, fineNumbers, c.Within) {
			return
		}
		fact := "rounded to " + printable.Count(d, "digit")
		switch {
		case d == 0:
			fact = "rounded to whole numbers"
		case d < 0:
			fact = fmt.Sprintf("rounded to %.0f", cell.Pow10(-d))
		}
		out = append(out, rung{c, fact})
	}
	for _, d := range ps.digits() {
		if a.rounds(gs.col, ps.col, gs.of, d-gs.by) {
			add(ps, gs, d)
		}
	}
	if step, ok := cell.DurationStep(ps.col.col, ps.of.view); ok && gs.by == 0 && ps.by == 0 &&
		a.rounds(gs.col, ps.col, gs.of, 0) {
		c := base
		if c.Within = step / 2; keepsDigits(ps.numbers(), gs.numbers(), c.Within) {
			out = append(out, rung{c, "rounded as a duration is written"})
		}
	}
	if q := a.digits(); q.Rounds() && !q.AtLeast() {
		if _, says := q.Digits(); says || !q.Exact() {
			return out // an answer that was asked to be rounded must be
		}
	}
	if gs.needs > 0 || gs.shows > 1 && gs.shows <= padding {
		add(gs, ps, gs.digits()[0])
	} else if it := a.item(gs.col); it != nil && it.Rounds && !it.Counts {
		add(gs, ps, max(it.Digits, gs.needs))
	}
	return out
}

// digits returns the numbers of decimals that the figures may have been rounded to, the likeliest first: as many as the
// column shows, or as the numbers need. One zero after the point of whole doubles may come from printing.
func (f *figures) digits() []int {
	d := max(f.needs, f.least)
	double := f.col.col.Type == scoring.Float64 && f.by == 0
	switch {
	case f.needs <= 0 && (f.shows == 1 || double && f.shows == unknown):
		return []int{1, d}
	case f.shows <= d || f.shows > d+padding:
		return []int{d}
	}
	return []int{f.shows}
}

// padding is the maximum number of zeros at the end of decimals that are attributed to rounding; more zeros come from a
// type, such as DECIMAL(38,9).
const padding = 3

// hidden is the maximum share of the nonzero numbers of a column that may lose their significant digits by rounding.
const hidden = 0.2

// keepsDigits reports whether rounding within the given distance keeps enough digits: at least about two significant
// ones of most numbers, and not all numbers become equal or zero. Both lists are ascending.
func keepsDigits(coarse, fine []float64, within float64) bool {
	if allZero(coarse) && !allZero(fine) ||
		len(fine) > 1 && fine[0] != fine[len(fine)-1] && coarse[0] == coarse[len(coarse)-1] {
		return false
	}
	lost, some := 0, 0
	for _, f := range fine {
		if f == 0 {
			continue
		}
		some++
		if within > 0.05*math.Abs(f) && !whole(f/(2*within)) {
			lost++
		}
	}
	return float64(lost) <= hidden*float64(some)
}

func allZero(fs []float64) bool { return fs[0] == 0 && fs[len(fs)-1] == 0 }

type scale struct {
	by   int // gold = pred × 10^by
	fact string
}

// isQuotient reports whether a column's name contains a slash, as an expression that divides.
func isQuotient(c *column) bool { return strings.Contains(c.col.Name, "/") }

// unitOf returns the unit that the strings of a column state; "" if they state none.
func unitOf(c *column) string {
	if c.kind != scoring.KindText {
		return ""
	}
	return c.textFormats().numbers.Unit
}
