package relation

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/naming"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Rows alone may agree by chance: a 3 is not necessarily a count of three rows. The evidence for a relation is the
// number of digits that agree, the names of the columns, and the queries.

// minDigits is the number of significant digits that the distinct values of a column must have together before a factor
// that only a name or the question suggests is accepted: 5 for 5000 may be chance, 1.235 for 1235 is not. It applies to
// a judge's proposal too.
const minDigits = 4

// digitsOf returns the number of significant digits of the distinct numbers of a list. It ignores 0, NaN (NULL) and
// infinities and stops counting at minDigits, so the result may exceed it.
func digitsOf(values []float64) int {
	seen := map[float64]bool{}
	n := 0
	for _, f := range values {
		if f == 0 || f != f || math.IsInf(f, 0) || seen[f] {
			continue
		}
		seen[f] = true
		mantissa, _, _ := strings.Cut(strconv.FormatFloat(math.Abs(f), 'e', -1, 64), "e")
		if n += len(strings.ReplaceAll(mantissa, ".", "")); n >= minDigits {
			break
		}
	}
	return n
}

// finite reports whether a double is neither NaN nor an infinity.
func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// ratio returns g/p; ok is false if p is 0 or the result is not finite.
func ratio(g, p float64) (float64, bool) {
	r := g / p
	return r, p != 0 && finite(r)
}

// onlyNulls reports whether each cell of c whose key is cell.NullKey is NULL. NaN has the same key, but a 0 or a label
// does not replace it.
func onlyNulls(c *scoring.Column, keys []uint64) bool {
	for i, k := range keys {
		if k == cell.NullKey && !c.IsNull(i) {
			return false
		}
	}
	return true
}

// nullAt reports whether the column c is NULL in all the given rows.
func nullAt(c *scoring.Column, rows []int32) bool {
	return !slices.ContainsFunc(rows, func(i int32) bool { return !c.IsNull(int(i)) })
}

// Words in names that show how a number is computed.
var (
	additiveWords = wordSet("count counts number numbers num cnt n total totals sum sums subtotal amount amounts quantity qty revenue sales turnover volume frequency times orders occurrences")
	// For an average, a rate or an extremum, 0 is a value like any other, and parts do not add up to the whole.
	otherMeasures = wordSet("growth change delta diff difference increase decrease yoy mom qoq lag previous prev next latest earliest newest oldest last first unit typical usual probability chance index percentile quantile quartile variance deviation std correlation slope trend margin markup yield avg average mean median rate ratio pct percent percentage share proportion score rating rank min minimum max maximum lowest highest price temperature temp age year date id key code " +
		"latitude longitude lat lng lon stddev variance per degree celsius fahrenheit height weight length width depth elevation altitude salary balance speed size level grade point position floor")
)

// countsFirst are words that mark a count at the start of a name, except in names of shares and averages.
var (
	countsFirst = wordSet("count sum total number num")
	shares      = wordSet("avg average mean median rate ratio pct perc percent percentage share proportion fraction min minimum max maximum stddev variance growth change percentile rank per")
)

// sums reports whether the words of a name are those of a count or a sum and not of a share or an average: true for
// total_orders and number_of_rates, false for total_score_pct.
func sums(words []string) bool {
	if len(words) == 0 || !countsFirst[words[0]] {
		return false
	}
	if len(words) > 1 && words[1] == "of" ||
		words[0] != "sum" && words[0] != "total" && len(words) == 2 && naming.Stem(words[1]) != words[1] {
		return !anyWord(words[1:], wordSet("pct perc percent percentage"))
	}
	return !slices.ContainsFunc(words, func(w string) bool { return shares[w] }) && !isGiven(words)
}

// given are last words of names of values that a person assigns or reads off, such as a score. A missing one is not a
// sum over no rows, so 0 does not replace it.
var given = wordSet("score grade mark rating reading")

func isGiven(words []string) bool { return len(words) > 0 && given[words[len(words)-1]] }

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

func anyWord(words []string, set map[string]bool) bool {
	return slices.ContainsFunc(words, func(w string) bool { return set[w] || set[naming.Stem(w)] })
}

// adds reports whether a column is a count or a sum, so that 0 may mean no rows. The aggregate in the query decides; if
// none is known, the name does. Integers named in the plural, such as clients, are a count.
func (e *evidence) adds(s side, column int) bool {
	q, t := e.queries().pred, e.table(s)
	if s == goldSide {
		q = e.queries().gold
	}
	c := &t.Columns[column]
	if x := q.item(column, len(t.Columns)); x != nil {
		switch aggregateOf(x) {
		case "count", "sum", "total", "count_if", "countif", "sumif":
			return !divides(x)
		case "":
		default:
			return false
		}
	}
	w := naming.Words(c.Name)
	switch {
	case len(w) == 0 || strings.Contains(c.Name, "/"):
		return false
	case sums(w): // COUNT(client_id), number_of_clients
		return true
	case anyWord(w, otherMeasures), isGiven(w):
		return false
	case anyWord(w, additiveWords):
		return true
	}
	last := w[len(w)-1]
	return c.Type == scoring.Int64 && naming.Stem(last) != last
}

// pairAdds reports whether an aligned pair of columns is a count or a sum: it is by the query or name of one side, and
// neither name is that of another measure, such as an average.
func (e *evidence) pairAdds(pair int) bool {
	g, p := e.a.Columns[pair].Gold, e.a.Columns[pair].Pred
	other := func(s side, column int) bool {
		w := naming.Words(e.table(s).Columns[column].Name)
		return !sums(w) && (anyWord(w, otherMeasures) || anyWord(w, shares) || isGiven(w))
	}
	return (e.adds(goldSide, g) || e.adds(predSide, p)) && !other(goldSide, g) && !other(predSide, p)
}

func divides(x sqlparts.Expr) bool {
	found := false
	sqlparts.Walk(x, func(n sqlparts.Node) bool {
		if b, ok := n.(*sqlparts.Binary); ok && b.Op == "/" {
			found = true
		}
		return !found
	})
	return found
}
