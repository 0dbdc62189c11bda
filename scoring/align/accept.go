package align

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/units"
)

// Rejection is a part of a proposal that Accept rejected, and why. Part names columns by their positions, from 1.
type Rejection struct {
	Part string `json:"part"`
	Why  string `json:"why"`
}

// maxRejections is the maximum number of rejections that are stored; the length of a proposal is unlimited.
const maxRejections = 32

// knownScales are the exponents of ten that a proposal may state as the scale of a pair: percent, thousands, millions
// and their inverses.
var knownScales = []int{-6, -3, -2, 2, 3, 6}

// minDigits is the number of significant digits that the distinct values of a column must have together before a scale
// that only a judge proposes is accepted: 5 for 5000 may be chance, 1.235 for 1235 is not.
const minDigits = 4

// Accept returns the alignment of the evidence, changed by the parts of the proposal that the values confirm, and the
// rejected parts with the reasons. Source of the alignment is "judge".
//
// A pair is accepted if both columns exist and are named once, they have values in common under some comparison, and
// the evidence has no other counterpart that agrees in all values. A gold column that loses its counterpart to another
// gold column gets that column's. The comparison of a pair is found from the values, as for any other pair: a kind or a
// scale can only choose among the comparisons that the values allow. An index is accepted if its columns are paired
// exactly, identify the rows of both sides, are known to both sides and leave a column to compare. A tolerance is
// accepted from 0 to most. If the proposal leaves a choice, the result does not depend on the order of rows and
// columns.
func Accept(gold, pred *scoring.Table, evidence *scoring.Alignment, p *Proposal, o Options,
	most float64) (scoring.Alignment, []Rejection) {
	givenGold, givenPred := gold, pred
	gold, goldPlaces := inOrder(gold)
	pred, predPlaces := inOrder(pred)
	goldAt, predAt := inverse(goldPlaces), inverse(predPlaces)
	// nothing else of it is read
	sorted := scoring.Alignment{Columns: slices.Clone(evidence.Columns), Crossed: slices.Clone(evidence.Crossed)}
	inPlaces(&sorted, goldAt, predAt)
	j := &judged{
		aligner: newAligner(gold, pred, nil, nil, o), evidence: &sorted,
		golds: proposedSide{givenGold, goldAt}, preds: proposedSide{givenPred, predAt},
	}
	for i := range j.gold {
		j.gold[i].place = goldPlaces[i]
	}
	for i := range j.pred {
		j.pred[i].place = predPlaces[i]
	}
	j.sum()
	if t := p.Tolerance; t != nil {
		if *t >= 0 && *t <= most {
			j.o.Tolerance = *t
		} else {
			j.reject("recommended_tolerance", "it is not within 0 and %g", most)
		}
	}
	j.columns(p.Columns)
	j.leaveOut(p)
	j.rest()
	for _, g := range j.bindNames() {
		j.reject(fmt.Sprintf("column_mapping gold %d", goldPlaces[g]+1),
			"the answer has a column of that name, and this one has the name of another gold column")
	}
	j.refuseNames()
	for _, c := range sorted.Crossed { // the proposal cannot undo it
		if j.pairs[c.Gold].Overlap < 1 &&
			!slices.ContainsFunc(j.crossed, func(o scoring.ColumnPair) bool { return o.Gold == c.Gold }) {
			j.crossed = append(j.crossed, c)
		}
	}
	out := j.alignment()
	out.Source = "judge"
	if len(p.Index) > 0 {
		if index, ok := j.indexOf(out.Columns, p.Index); ok {
			out.Index = index
		}
	}
	inPlaces(&out, goldPlaces, predPlaces)
	return out, j.rejections
}

// judged is an aligner that applies a proposal to the alignment of the evidence.
type judged struct {
	*aligner
	evidence     *scoring.Alignment
	golds, preds proposedSide
	rejections   []Rejection
}

// proposedSide is a result with the column order that positions in the proposal refer to.
type proposedSide struct {
	table *scoring.Table
	at    []int // for each column of table, its position in the aligner
}

func (j *judged) reject(part, format string, args ...any) {
	if len(j.rejections) < maxRejections {
		j.rejections = append(j.rejections, Rejection{part, fmt.Sprintf(format, args...)})
	}
}

// columns applies the pairs of a proposal; it rejects those that are malformed or that take rejects.
func (j *judged) columns(pairs []ProposedPair) {
	golds, preds := make([]bool, len(j.gold)), make([]bool, len(j.pred))
	for k := range pairs {
		p := &pairs[k]
		part := "column_mapping " + strconv.Itoa(k+1)
		g, why := p.Gold.in(j.golds.table)
		if why != "" {
			j.reject(part, "gold: %s", why)
			continue
		}
		q, why := p.Pred.in(j.preds.table)
		if why != "" {
			j.reject(part, "pred: %s", why)
			continue
		}
		part = fmt.Sprintf("column_mapping gold %d, pred %d", g+1, q+1)
		g, q = j.golds.at[g], j.preds.at[q]
		if golds[g] || preds[q] {
			j.reject(part, "a column is used twice")
			continue
		}
		golds[g], preds[q] = true, true
		j.take(part, g, q, p)
	}
}

// take pairs columns g and q if the values confirm it, with the better of the proposed and the found comparison;
// otherwise it rejects the part.
func (j *judged) take(part string, g, q int, p *ProposedPair) {
	own, other := j.counterpart(g), j.counterpartOf(q, g)
	hinted, hints := j.hinted(part, g, q, p)
	if own != nil && own.Pred == q {
		if c := j.closer(own); hints && hinted.agreement > c.Overlap {
			j.pair(g, q, "judge", hinted.agreement, hinted.cmp)
		} else {
			j.pair(g, q, c.By, c.Overlap, c.Comparison)
		}
		return
	}
	f := j.fit(&j.gold[g], &j.pred[q])
	if hints && hinted.agreement > f.agreement {
		f = hinted
	}
	switch {
	case f.agreement == 0 && !j.comparable(g, q):
		j.reject(part, "%s and %s cannot be compared", j.gold[g].col.Type, j.pred[q].col.Type)
	case f.agreement == 0:
		j.reject(part, "they have no value in common")
	case f.agreement < 1 && proven(own):
		j.reject(part, "all values of the gold column agree with another column")
	case f.agreement < 1 && proven(other):
		j.reject(part, "all values of the predicted column agree with another column")
	default:
		j.pair(g, q, "judge", f.agreement, f.cmp)
	}
}

// closer returns a pair of the evidence. If it does not agree in all values and more agree under the accepted
// tolerance, it has that comparison.
func (j *judged) closer(c *scoring.ColumnPair) scoring.ColumnPair {
	pair := *c
	if pair.Overlap < 1 {
		if f := j.fit(&j.gold[c.Gold], &j.pred[c.Pred]); f.agreement > pair.Overlap {
			pair.Overlap, pair.Comparison = f.agreement, f.cmp
		}
	}
	return pair
}

func proven(c *scoring.ColumnPair) bool { return c != nil && c.Overlap == 1 && c.By == "values" }

// counterpart returns the evidence's pair of a gold column, or nil.
func (j *judged) counterpart(g int) *scoring.ColumnPair {
	for k := range j.evidence.Columns {
		if c := &j.evidence.Columns[k]; c.Gold == g {
			return c
		}
	}
	return nil
}

// counterpartOf returns the evidence's pair of a predicted column with a gold column other than g, or nil.
func (j *judged) counterpartOf(q, g int) *scoring.ColumnPair {
	for k := range j.evidence.Columns {
		if c := &j.evidence.Columns[k]; c.Pred == q && c.Gold != g {
			return c
		}
	}
	return nil
}

// comparable reports whether a kind of value can be read from both columns, or one of them holds only NULLs.
func (j *judged) comparable(g, q int) bool {
	c, d := &j.gold[g], &j.pred[q]
	return c.col.Type == scoring.Null || d.col.Type == scoring.Null || len(j.readings(c, d)) > 0
}

// hinted returns the best fit of two columns under the kind and the scale of the proposal. ok is false if it states
// neither or both were rejected.
func (j *judged) hinted(part string, g, q int, p *ProposedPair) (best fit, ok bool) {
	c, d := &j.gold[g], &j.pred[q]
	readings := j.readings(c, d)
	if p.Kind != "" {
		of := slices.DeleteFunc(append(slices.Clone(readings), asText(c, d)),
			func(v viewPair) bool { return v.g.Kind != p.Kind })
		if len(of) == 0 {
			j.reject(part+" kind", "they cannot be read as %.10q", string(p.Kind))
		} else {
			readings, best, ok = of, j.fitting(c, d, of), true
		}
	}
	if p.Scale == 0 {
		return best, ok
	}
	scale := int(math.Max(-100, math.Min(100, p.Scale)))
	if float64(scale) != p.Scale || !slices.Contains(knownScales, scale) {
		j.reject(part+" scale", "want one of %v", knownScales)
		return best, ok
	}
	if f, why := j.scaled(c, d, readings, scale); why != "" {
		j.reject(part+" scale", "%s", why)
	} else if f.agreement > best.agreement {
		best, ok = f, true
	}
	return best, ok
}

// scaled returns the best fit of two columns of numbers if gold is the answer times 10^by. why is the reason for a
// rejection, else "".
func (j *judged) scaled(g, p *column, readings []viewPair, by int) (best fit, why string) {
	switch how, c := j.compareUnits(g, p); how {
	case units.Same, units.Other:
		return best, "their units state another factor"
	case units.Converted:
		if n, ok := c.PowerOfTen(); !ok || n != -by {
			return best, "their units state another factor"
		}
	case units.Unknown:
	}
	why = "they are not numbers"
	for _, r := range readings {
		if r.g.Kind != scoring.KindNumber || g.kind == scoring.KindBool || p.kind == scoring.KindBool {
			continue
		}
		rg, rp := j.reading(g, r.g), j.reading(p, r.p)
		if min(digits(rg.numbers()), digits(rp.numbers())) < minDigits {
			why = fmt.Sprintf("their values show fewer than %d digits", minDigits)
			continue
		}
		base := scoring.Comparison{Kind: r.g.Kind, GoldFormat: r.g.Format, PredFormat: r.p.Format, Scale: by,
			Tolerance: noise, Fact: fmt.Sprintf("times 10^%d", by)}
		try := func(c scoring.Comparison) { best.better(fit{agreement: agreement(rg, rp, &c), cmp: c}) }
		try(base)
		for _, r := range j.roundings(base, figuresOf(g, rg), figuresOf(p, rp).times(by)) {
			if r.cmp.Tolerance, r.cmp.Fact = 0, base.Fact+", "+r.fact; best.agreement < 1 {
				try(r.cmp)
			}
		}
		why = ""
		break
	}
	if why == "" && best.agreement < 0.5 {
		why = "most values do not agree in this unit"
	}
	return best, why
}

// digits returns the number of significant digits of the distinct numbers of an ascending list. It stops counting at
// minDigits, so the result may exceed it.
func digits(fs []float64) (n int) {
	for i, f := range fs {
		if n >= minDigits {
			break
		}
		if f == 0 || i > 0 && f == fs[i-1] {
			continue
		}
		for _, c := range strconv.FormatFloat(math.Abs(f), 'e', -1, 64) {
			if c == 'e' {
				break
			}
			if c != '.' {
				n++
			}
		}
	}
	return n
}

// leaveOut rejects what the proposal calls missing or extra if the column is mapped or the evidence has a counterpart.
// It changes no pairs, since leaving out a column could only hide differences.
func (j *judged) leaveOut(p *Proposal) {
	check := func(part string, refs []ColumnRef, side proposedSide, cols []column,
		pairOf func(i int) *scoring.ColumnPair) {
		for k, r := range refs {
			i, why := r.in(side.table)
			switch {
			case why != "":
				j.reject(part+" "+strconv.Itoa(k+1), "%s", why)
			case cols[side.at[i]].taken:
				j.reject(fmt.Sprintf("%s %d", part, i+1), "it is also mapped")
			case pairOf(side.at[i]) != nil:
				j.reject(fmt.Sprintf("%s %d", part, i+1), "the evidence has a counterpart")
			}
		}
	}
	check("missing_columns", p.Missing, j.golds, j.gold, j.counterpart)
	check("extra_columns", p.Extra, j.preds, j.pred, func(i int) *scoring.ColumnPair { return j.counterpartOf(i, -1) })
}

// rest adds the evidence's pairs of the columns that are not paired yet. A gold column whose counterpart was given to
// another gold column gets the former counterpart of that column, if it is free.
func (j *judged) rest() {
	byJudge := make([]bool, len(j.pred)) // also what the judge confirms
	for i := range j.pred {
		byJudge[i] = j.pred[i].taken
	}
	for k := range j.evidence.Columns {
		c := &j.evidence.Columns[k]
		if j.gold[c.Gold].taken || byJudge[c.Pred] && !j.shares(c) {
			continue
		}
		pair := j.closer(c)
		j.pair(c.Gold, c.Pred, c.By, pair.Overlap, pair.Comparison)
	}
	for k := range j.evidence.Columns { // exchanged
		c := &j.evidence.Columns[k]
		if j.gold[c.Gold].taken {
			continue
		}
		taker := slices.IndexFunc(j.pairs, func(o scoring.ColumnPair) bool { return o.Pred == c.Pred })
		if taker < 0 {
			continue
		}
		if left := j.counterpart(taker); left != nil && !j.pred[left.Pred].taken {
			f := j.fit(&j.gold[c.Gold], &j.pred[left.Pred])
			j.pair(c.Gold, left.Pred, "judge", f.agreement, f.cmp)
		}
	}
	for i := range j.pairs { // a column whose original has another partner is not a copy
		if c := &j.pairs[i]; isCopy(c) &&
			!slices.ContainsFunc(j.pairs, func(o scoring.ColumnPair) bool { return o.Pred == c.Pred && !isCopy(&o) }) {
			c.Fact = ""
		}
	}
}

// isCopy reports whether a gold column has the same values as another one and shares its counterpart.
func isCopy(c *scoring.ColumnPair) bool { return strings.HasPrefix(c.Fact, repeats) }

// shares reports whether the evidence pairs the predicted column of c with a second gold column that has the same
// values, and that one is still paired with it.
func (j *judged) shares(c *scoring.ColumnPair) bool {
	return slices.ContainsFunc(j.evidence.Columns, func(o scoring.ColumnPair) bool {
		return o.Pred == c.Pred && o.Gold != c.Gold && (isCopy(c) || isCopy(&o)) && j.pairs[o.Gold].Pred == c.Pred
	})
}

// indexOf returns the positions in pairs of the columns that the proposal uses as an index. ok is false if the index is
// rejected.
func (j *judged) indexOf(pairs []scoring.ColumnPair, refs []ColumnRef) (index []int, ok bool) {
	const part = "index_columns"
	for k, r := range refs {
		i, why := r.in(j.golds.table)
		if why != "" {
			j.reject(part+" "+strconv.Itoa(k+1), "%s", why)
			return nil, false
		}
		at := slices.IndexFunc(pairs, func(c scoring.ColumnPair) bool { return c.Gold == j.golds.at[i] })
		switch {
		case at < 0:
			j.reject(part, "gold %d has no counterpart", i+1)
			return nil, false
		case !pairs[at].Exact() || pairs[at].Scale != 0:
			j.reject(part, "gold %d is not compared exactly", i+1)
			return nil, false
		case !j.known(&pairs[at]):
			j.reject(part, "fewer than %.0f %% of the values of gold %d are known to both sides", 100*minKnownKeys, i+1)
			return nil, false
		}
		if !slices.Contains(index, at) {
			index = append(index, at)
		}
	}
	slices.Sort(index)
	switch {
	case len(index) >= len(j.gold):
		j.reject(part, "nothing is left to compare")
		return nil, false
	case !j.unique(pairs, index):
		j.reject(part, "they do not tell the rows of both sides apart")
		return nil, false
	}
	return index, true
}
