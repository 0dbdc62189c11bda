package align

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Numbers is a rule for when two different numbers count as equal.
type Numbers string

// The rules, from strict to loose. Relative and Absolute include [Rounded].
const (
	Exact    Numbers = "exact"    // all digits must be equal
	Rounded  Numbers = "rounded"  // one side may be rounded to fewer digits; the last bits of doubles are ignored
	Relative Numbers = "relative" // also |gold - answer| <= By × the larger of them
	Absolute Numbers = "absolute" // also |gold - answer| <= By
)

// PaperTolerance is the relative tolerance δ0 of the BADGER paper (section 5.2, Default tolerance).
const PaperTolerance = 0.01

// DefaultTolerance is 0: numbers with the same number of digits must be equal.
const DefaultTolerance = 0

// Rule is the tolerance for the numbers of a column: By applies to Relative and Absolute.
type Rule struct {
	Numbers Numbers
	By      float64
	given   bool // set for this column by name
}

// ParseRule parses a rule: exact, rounded, "relative 0.01" or "absolute 5". A relative tolerance must be less than 1.
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

// Options are the options of [Align] and [Accept].
type Options struct {
	// Tolerance is the largest difference of numbers that a comparison may allow, relative unless Numbers states
	// otherwise. Identifiers, instants, coordinates, counts and shares near 1 are compared without it unless Columns
	// has a rule for the column.
	Tolerance float64
	Numbers   Numbers         // "": [Rounded], or [Relative] if Tolerance is positive
	Columns   map[string]Rule // rules by name of the gold column; they apply to identifiers and counts too
	Asked     string          // the question and its evidence, which may state a unit or a number of digits

	// The two queries, which may show whether a column is a count or rounded, or its unit; empty if unknown.
	GoldSQL, PredSQL, Dialect string
	Texts                     *sqlparts.Texts // caches parsed queries; may be nil
}

// rule returns the rule for a gold column: its own, or the default of the options.
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

// Words in names of columns for which a near value is wrong: places, instants and counts. measureWords are words in
// names of measures, which may be whole numbers.
var (
	placeWords   = []string{"latitude", "longitude", "lat", "lon", "lng", "coordinate", "coord"}
	instantWords = []string{"epoch", "timestamp", "time", "date", "unix", "year"}
	countWords   = []string{"count", "quantity", "rank", "position", "order", "row"}
	measureWords = []string{"revenue", "sales", "amount", "price", "cost", "average", "total", "balance", "income",
		"profit", "salary", "spend", "budget", "value", "fee", "margin", "deviation", "median", "weight", "distance",
		"duration"}
)

// mayDiffer reports whether the rule's tolerance may be applied to two columns of numbers. A rule set for the column
// always is; otherwise not to identifiers, places, instants, counts and shares near 1, nor if the question asks for
// exact values.
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

// epochFrom is the least number that is taken for seconds since 1970.
const epochFrom = 1e9

// within reports whether all numbers of a column are from lo to hi. The column must have at least one.
func within(r *reading, lo, hi float64) bool {
	least, most := r.bounds()
	return least >= lo && most <= hi
}
