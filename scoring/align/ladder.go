package align

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// manyPairs is the number of pairs of columns beyond which those with nothing in their names or values to suggest each other are not compared in full.
const manyPairs = 400

// noise is the relative difference that the order of adding doubles leaves behind.
const noise = 1e-9

// fit is how well two columns agree under a comparison.
type fit struct {
	agreement float64 // 0 to 1: share of the values of both that have a partner under the comparison
	equal     float64 // 0 to 1: likewise, of values that are equal outright
	cmp       scoring.Comparison
}

// looser is what agreement under a comparison that allows a difference is worth beside outright equality, while it is not complete: unrelated columns of
// many numbers also agree within 1 %.
const looser = 0.9

// better takes g where it agrees more. The ladder goes from tight to loose, so of equal agreement the tighter one stays.
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

// byEquality pairs columns of which at least half of the values are equal, or all of them once text is read as the numbers, dates or truth values
// that the other side has, so that only the others need the ladder.
func (a *aligner) byEquality() {
	golds, preds := a.open(a.gold), a.open(a.pred)
	many := len(golds)*len(preds) > manyPairs
	var candidates []candidate
	for _, i := range golds {
		for _, j := range preds {
			g, p := &a.gold[i], &a.pred[j]
			if naturalKind(g) != naturalKind(p) {
				if similar := a.similar(i, j); (!many || similar >= 0.3) && a.fitting(g, p, a.readings(g, p)).agreement == 1 {
					candidates = append(candidates, candidate{gold: i, pred: j, weight: 12 + 2*similar}) // more than part of the values under any name
				}
				continue
			}
			equal := overlap(a.reading(g, a.plain(g)), a.reading(p, a.plain(p)))
			if equal < 0.5 {
				continue
			}
			candidates = append(candidates, candidate{gold: i, pred: j, weight: 10*equal + 2*a.similar(i, j)})
		}
	}
	for _, c := range assign(candidates, len(a.gold), len(a.pred)) {
		f := a.fit(&a.gold[c.gold], &a.pred[c.pred])
		a.pair(c.gold, c.pred, "values", f.agreement, f.cmp)
	}
}

// plain is the view of a column as it is.
func (a *aligner) plain(c *column) cell.View {
	return cell.View{Kind: naturalKind(c), FloatBits: a.bits && naturalKind(c) == scoring.KindNumber}
}

// naturalKind is the kind of a column with truth values among the numbers.
func naturalKind(c *column) scoring.Kind {
	if c.kind == scoring.KindBool {
		return scoring.KindNumber
	}
	return c.kind
}

// similar is how alike the names of two columns are, 0 to 1.
func (a *aligner) similar(i, j int) float64 {
	g, p := &a.gold[i], &a.pred[j]
	s := nameSimilarity(g.nameWords(), p.nameWords())
	if sameName(g.col.Name, p.col.Name) {
		s = 1
	}
	return s
}

// byLadder pairs the columns that have no counterpart yet.
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
	candidates := make([]candidate, 0, len(golds)*len(preds))
	sole := len(golds) == 1 && len(preds) == 1
	many := len(golds)*len(preds) > manyPairs
	for _, i := range golds {
		for _, j := range preds {
			g, p := &a.gold[i], &a.pred[j]
			similar := a.similar(i, j)
			if many && similar < 0.3 && !a.mayAgree(g, p) {
				continue
			}
			f := a.fit(g, p)
			c := candidate{gold: i, pred: j, fit: f}
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
			c.weight = 6*f.equal + 4*f.agreement*a.speaks(g, &f.cmp) + 2.5*similar // the same name is worth a quarter of equal values
			candidates = append(candidates, c)
		}
	}
	for _, c := range assign(candidates, len(a.gold), len(a.pred)) {
		a.pair(c.gold, c.pred, c.by, c.fit.agreement, c.fit.cmp)
	}
	a.coverCopies(a.open(a.gold))
}

// speaks is how much agreement under a comparison says, 0 to 1: among a value or two, one that is 1 % off or a hundredfold is no rarity.
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

// mayAgree is a cheap look at whether it is worth comparing the values of two columns, for results of very many columns.
func (a *aligner) mayAgree(g, p *column) bool {
	return g.kind == p.kind && overlap(a.reading(g, a.natural(g)), a.reading(p, a.natural(p))) > 0.1
}

// compatible tells whether columns may correspond although their values do not.
func compatible(g, p *column) bool {
	numeric := func(c *column) bool { return c.kind == scoring.KindNumber || c.kind == scoring.KindBool }
	return g.kind == p.kind || numeric(g) && numeric(p) || g.col.Type == scoring.Null || p.col.Type == scoring.Null || g.kind == scoring.KindText || p.kind == scoring.KindText
}

const repeats = "repeats " // the fact of a gold column that shares the counterpart of another one

// coverCopies lets a gold column that repeats another one share its counterpart: a result that shows a value once has answered both. Few rows may be equal by chance,
// so it takes several distinct values.
func (a *aligner) coverCopies(golds []int) {
	if !a.rowsEqual {
		return
	}
	for _, i := range golds {
		for k := range a.gold {
			j := a.pairs[k].Pred
			if k == i || j < 0 || a.gold[k].sum != a.gold[i].sum || a.reading(&a.gold[i], a.natural(&a.gold[i])).distinct() < 3 {
				continue
			}
			if !slices.Equal(cell.AllKeys(a.gold[i].col, a.natural(&a.gold[i])), cell.AllKeys(a.gold[k].col, a.natural(&a.gold[k]))) {
				continue
			}
			a.pair(i, j, "values", a.pairs[k].Overlap, a.pairs[k].Comparison)
			a.pairs[i].Fact = repeats + strconv.Quote(a.gold[k].col.Name)
			break
		}
	}
}

// fit finds the tightest comparison under which two columns agree, or the one under which they agree most.
func (a *aligner) fit(g, p *column) fit {
	rs := a.readings(g, p)
	if naturalKind(g) != naturalKind(p) && mayReadAlike(g, p) {
		rs = append(rs, viewPair{cell.View{Kind: scoring.KindText}, cell.View{Kind: scoring.KindText}})
	}
	return a.fitting(g, p, rs)
}

// fitting is fit for some ways to read the columns.
func (a *aligner) fitting(g, p *column, readings []viewPair) fit {
	var best fit
	best.cmp.Kind = scoring.KindText
	for i, r := range readings {
		c := scoring.Comparison{Kind: r.g.Kind, GoldFormat: r.g.Format, PredFormat: r.p.Format}
		if f := formatFact(r.g.Format, r.p.Format); f != "" {
			c.Fact = f
		}
		rg, rp := a.reading(g, r.g), a.reading(p, r.p)
		if i == 0 {
			best.cmp = c // what they are compared as where nothing agrees
		}
		equal := overlap(rg, rp)
		best.equal = max(best.equal, equal)
		best.better(fit{agreement: equal, cmp: c})
		if best.agreement < 1 && r.g.Kind == scoring.KindNumber {
			a.numberRungs(&best, g, p, rg, rp, c)
		}
		if best.agreement == 1 {
			break
		}
	}
	return best
}

type viewPair struct{ g, p cell.View }

// formats are the ways in which a column of text may be read as something else.
type formats struct {
	number string
	dates  []string
	isBool bool
}

func (c *column) textFormats() *formats {
	if c.formats == nil {
		c.formats = &formats{dates: cell.DateFormats(c.col), isBool: cell.BoolFormat(c.col)}
		c.formats.number, _ = cell.NumberFormat(c.col)
	}
	return c.formats
}

// readings are the ways to read two columns against each other, the most natural first, but for reading as text what on one side is none.
func (a *aligner) readings(g, p *column) []viewPair {
	gn, pn := cell.View{Kind: g.kind}, cell.View{Kind: p.kind}
	var out []viewPair
	add := func(gv, pv cell.View) { out = append(out, viewPair{gv, pv}) }
	numeric := func(k scoring.Kind) bool { return k == scoring.KindNumber || k == scoring.KindBool }
	switch {
	case numeric(g.kind) && numeric(p.kind):
		add(cell.View{Kind: scoring.KindNumber, FloatBits: a.bits}, cell.View{Kind: scoring.KindNumber, FloatBits: a.bits})
		return out
	case g.kind == p.kind:
		add(gn, pn)
		if g.kind != scoring.KindText {
			return out
		}
	}
	num := func(c *column) (cell.View, bool) {
		if numeric(c.kind) {
			return cell.View{Kind: scoring.KindNumber}, true
		}
		f := c.textFormats().number
		return cell.View{Kind: scoring.KindNumber, Format: f}, f != ""
	}
	if gv, ok := num(g); ok {
		if pv, ok := num(p); ok {
			add(gv, pv)
		}
	}
	dates := func(c *column) []cell.View {
		if c.kind == scoring.KindTime {
			return []cell.View{{Kind: scoring.KindTime}}
		}
		var vs []cell.View
		for _, f := range c.textFormats().dates {
			vs = append(vs, cell.View{Kind: scoring.KindTime, Format: f})
		}
		return vs
	}
	for _, gv := range dates(g) {
		for _, pv := range dates(p) {
			add(gv, pv)
		}
	}
	boolean := func(c *column) (cell.View, bool) {
		if numeric(c.kind) {
			return cell.View{Kind: scoring.KindBool}, true
		}
		return cell.View{Kind: scoring.KindBool, Format: cell.FormatBool}, c.textFormats().isBool
	}
	if gv, ok := boolean(g); ok {
		if pv, ok := boolean(p); ok && (gv.Format != "" || pv.Format != "") {
			add(gv, pv)
		}
	}
	return out
}

func formatFact(g, p string) string {
	name := func(f string) string {
		switch f {
		case "", cell.FormatNumber, cell.FormatCurrency, cell.FormatPercent, cell.FormatComma, cell.FormatBool, cell.FormatISO, cell.FormatQuarter, cell.FormatCompact, cell.FormatMonth, cell.FormatYearMon:
			return f
		}
		return "date text"
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

// numberRungs goes down the ladder for two columns of numbers.
func (a *aligner) numberRungs(best *fit, g, p *column, rg, rp *reading, base scoring.Comparison) {
	if rg.load(); rp.values != rg.values && best.agreement >= 0.5 {
		return // rows are missing; where the values are equal there is nothing to allow for
	}
	if g.kind == scoring.KindBool || p.kind == scoring.KindBool {
		return // truth is not rounded
	}
	gs, ps := rg.numbers(), rp.numbers()
	if len(gs) == 0 || len(ps) == 0 {
		return
	}
	try := func(c scoring.Comparison, fact string) bool {
		c.Fact = strings.TrimPrefix(c.Fact+", "+fact, ", ")
		best.better(fit{agreement: agreement(gs, ps, &c), cmp: c})
		return best.agreement == 1
	}
	dg, dp := rg.decimals(), rp.decimals()
	integers := dg <= 0 && dp <= 0
	if !integers {
		c := base
		c.Tolerance = noise
		if best.better(fit{agreement: agreement(gs, ps, &c), cmp: c}); best.agreement == 1 {
			return
		}
	}
	if c, fact, ok := rounding(base, gs, ps, dg, dp); ok && try(c, fact) {
		return
	}
	for _, scale := range a.scales(g, p, rg, rp) {
		c := base
		c.Scale, c.Tolerance = scale.by, noise
		if try(c, scale.fact) {
			return
		}
		// Compared in gold's unit: a percentage with two digits pins a fraction down to four.
		if c, fact, ok := rounding(base, gs, ps, dg, dp-scale.by); ok {
			c.Scale = scale.by
			if try(c, scale.fact+", "+fact) {
				return
			}
		}
	}
	if !integers && a.o.Tolerance > noise {
		c := base
		c.Tolerance = a.o.Tolerance
		if agreement(gs, ps, &c) == 1 { // how little of the tolerance does it take?
			for t := noise * 10; t < a.o.Tolerance; t *= 10 {
				tight := c
				tight.Tolerance = t
				if agreement(gs, ps, &tight) == 1 {
					c = tight
					break
				}
			}
		}
		try(c, fmt.Sprintf("within %.2g %%", 100*c.Tolerance))
	}
}

// rounding is the comparison of numbers of which one side shows fewer digits than the other: they agree within half a unit of the last one shown.
// It is none where the rounding leaves nothing of the numbers, or much less than they say.
func rounding(base scoring.Comparison, gs, ps []float64, dg, dp int) (c scoring.Comparison, fact string, ok bool) {
	if dg == dp {
		return c, "", false
	}
	d := min(dg, dp)
	coarse, fine := ps, gs
	if dg < dp {
		coarse, fine = gs, ps
	}
	if d < 0 && max(dg, dp) <= 0 && d > -2 {
		return c, "", false
	}
	if allZero(coarse) && !allZero(fine) || len(fine) > 1 && fine[0] != fine[len(fine)-1] && coarse[0] == coarse[len(coarse)-1] {
		return c, "", false
	}
	c = base
	c.Within = 0.5 * cell.Pow10(-d)
	switch {
	case d >= 2:
	case d >= 0: // whole numbers and tenths say little of small numbers
		if median := math.Abs(fine[len(fine)/2]); c.Within > 0.05*median {
			return c, "", false
		}
	default:
		if median := math.Abs(fine[len(fine)/2]); c.Within > DefaultTolerance*median {
			return c, "", false
		}
		return c, fmt.Sprintf("rounded to %.0f", cell.Pow10(-d)), true
	}
	if d == 0 {
		return c, "rounded to whole numbers", true
	}
	return c, fmt.Sprintf("rounded to %d digits", d), true
}

func allZero(fs []float64) bool { return fs[0] == 0 && fs[len(fs)-1] == 0 }

type scale struct {
	by   int // gold = pred × 10^by
	fact string
}

// scales are the powers of ten worth trying between two columns: percent for fraction where one side looks like fractions or a name or format
// says so, thousands and millions only where a name says so.
func (a *aligner) scales(g, p *column, rg, rp *reading) []scale {
	var out []scale
	says := func(c *column, words ...string) bool {
		return slices.ContainsFunc(c.nameWords(), func(w string) bool { return slices.Contains(words, w) })
	}
	percent := func(c *column) bool { return says(c, "percent", "rate", "fraction", "proportion", "margin") } // with their synonyms
	hint := percent(g) || percent(p) || rg.view.Format == cell.FormatPercent || rp.view.Format == cell.FormatPercent
	if hint || fractions(rg) {
		out = append(out, scale{-2, "percent for fraction"})
	}
	if hint || fractions(rp) {
		out = append(out, scale{2, "fraction for percent"})
	}
	for _, unit := range []struct {
		by    int
		name  string
		words []string
	}{{3, "thousands", []string{"thousand", "k", "000"}}, {6, "millions", []string{"million", "m", "mm", "mio", "mn"}}} {
		inG, inP := says(g, unit.words...), says(p, unit.words...)
		if inP && !inG {
			out = append(out, scale{unit.by, "in " + unit.name})
		}
		if inG && !inP {
			out = append(out, scale{-unit.by, "not in " + unit.name})
		}
	}
	return out
}

// fractions tells whether a column may hold shares of a whole: small numbers, not all whole.
func fractions(r *reading) bool {
	fs := r.numbers()
	return len(fs) > 0 && fs[0] >= -10 && fs[len(fs)-1] <= 10 && r.decimals() > 0
}

// agreement is the share of the numbers of both columns, given in ascending order, that pair up under the comparison.
func agreement(gs, ps []float64, c *scoring.Comparison) float64 {
	k := cell.Pow10(c.Scale)
	common := 0
	for i, j := 0, 0; i < len(gs) && j < len(ps); {
		p := ps[j] * k
		switch {
		case cell.Near(gs[i], p, c):
			common++
			i, j = i+1, j+1
		case gs[i] < p:
			i++
		default:
			j++
		}
	}
	return float64(common) / float64(max(len(gs), len(ps)))
}
