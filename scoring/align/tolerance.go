package align

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Numbers is the rule by which two numbers that are not equal may count as equal.
type Numbers string

// The rules, from tight to loose. A looser one includes [Rounded].
const (
	Exact    Numbers = "exact"    // every digit counts
	Rounded  Numbers = "rounded"  // one side shows fewer digits than the other; the last bits of doubles are ignored
	Relative Numbers = "relative" // also |gold - answer| <= By × the larger of them
	Absolute Numbers = "absolute" // also |gold - answer| <= By
)

// PaperTolerance is the relative tolerance δ0 of the paper (section 5.2, Default tolerance).
const PaperTolerance = 0.01

// DefaultTolerance is 0: two numbers with equally many digits are equal or they are not.
const DefaultTolerance = 0

// Rule is how far apart the numbers of a column may be.
type Rule struct {
	Numbers Numbers
	By      float64
	given   bool // for this one column
}

// ParseRule reads a rule: exact, rounded, "relative 0.01" or "absolute 5".
func ParseRule(s string) (Rule, error) {
	how, by, measured := strings.Cut(strings.TrimSpace(s), " ")
	r := Rule{Numbers: Numbers(how)}
	switch r.Numbers {
	case Exact, Rounded:
		if !measured {
			return r, nil
		}
	case Relative, Absolute:
		var err error
		if r.By, err = strconv.ParseFloat(strings.TrimSpace(by), 64); err == nil && r.By > 0 &&
			(r.By < 1 || r.Numbers == Absolute && r.By < math.MaxFloat64) {
			return r, nil
		}
	}
	return r, errors.New(`is not a rule; expected exact, rounded, "relative 0.01" or "absolute 5"`)
}

// Options of the aligner.
type Options struct {
	// Tolerance is the largest difference of numbers that a comparison may allow, relative unless Numbers states
	// otherwise. Identifiers, instants, coordinates, counts and shares near 1 are always compared without
	// tolerance.
	Tolerance float64
	Numbers   Numbers         // "": [Rounded], and [Relative] if there is a tolerance
	Columns   map[string]Rule // rules of single columns, by the gold column's name; they hold whatever the numbers are
	Asked     string          // the question and its hint, which may state the unit that it wants

	// The two queries, which may show what a column counts, its rounding or its unit; empty if unknown.
	GoldSQL, PredSQL, Dialect string
	Texts                     *sqlparts.Texts // caches parsed queries; may be nil
}

// rule is the rule of a gold column.
func (o *Options) rule(column string) Rule {
	if r, ok := o.Columns[column]; ok {
		r.given = true
		return r
	}
	r := Rule{Numbers: o.Numbers, By: o.Tolerance}
	if r.Numbers == "" {
		if r.Numbers = Rounded; r.By > 0 {
			r.Numbers = Relative
		}
	}
	return r
}

// asks reports whether the question has one of the words.
func (a *aligner) asks(list ...string) bool {
	if a.asked == nil && a.o.Asked != "" {
		a.asked = map[string]bool{}
		for _, w := range words(strings.ReplaceAll(strings.ReplaceAll(a.o.Asked, ".", " "), "__", " ")) {
			a.asked[w] = true
		}
	}
	return slices.ContainsFunc(list, func(w string) bool { return a.asked[w] })
}

// Words of names of columns that hold what is never nearly right, with their synonyms, and of those
// that hold measures, which may be whole numbers.
var (
	placeWords   = []string{"latitude", "longitude", "lat", "lon", "lng", "coordinate", "coord"}
	instantWords = []string{"epoch", "timestamp", "time", "date", "unix", "year"}
	countWords   = []string{"count", "quantity", "rank", "position", "order", "row"}
	measureWords = []string{"revenue", "sales", "amount", "price", "cost", "average", "total", "balance", "income",
		"profit", "salary", "spend", "budget", "value", "fee", "margin", "deviation", "median", "weight", "distance",
		"duration"}
)

// mayDiffer reports whether a tolerance may be used for two columns of numbers at all.
func (a *aligner) mayDiffer(g, p *column, gs, ps figures, rule Rule) bool {
	if rule.given {
		return true
	}
	for _, c := range []*column{g, p} {
		if c.identifies() || c.nameHas(placeWords...) || c.nameHas(instantWords...) || c.nameHas(countWords...) {
			return false
		}
	}
	if a.asks("exact", "exactly", "precise", "precisely") {
		return false
	}
	whole := gs.needs <= 0 || ps.needs <= 0
	if whole && !g.nameHas(measureWords...) && !p.nameHas(measureWords...) &&
		(gs.counts || ps.counts || gs.needs <= 0 && ps.needs <= 0) {
		return false
	}
	return !within(gs.of, 0.9, 1.1) && !within(gs.of, epochFrom, math.Inf(1))
}

// epochFrom is the least number that may count the seconds from 1970 to something in a report.
const epochFrom = 1e9

// within reports whether all numbers of a column, which has some, are within bounds.
func within(r *reading, lo, hi float64) bool {
	least, most := r.bounds()
	return least >= lo && most <= hi
}
