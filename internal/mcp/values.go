package mcp

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/policy"
)

// byValues lists the relations with which an answer may be accepted: those that the values of both results decide. All
// others, also those that are not known yet, rest on the text of the agent's query as well, on the question, or on
// values that the answer need not have. Who ran the query does not matter: its text can define the data that it reads.
var byValues = []string{"same", "permuted", "extra_columns", "formatted", "rounded", "scaled", "tolerance",
	"both_empty", policy.SameQuery}

// class is the kind of values of a column. A column of another class is never equal to it.
type class string

const (
	classNone   class = "none" // no values
	classNumber class = "number"
	classDate   class = "date"
	classText   class = "text"
)

// columnValues holds the values of a column in an order that does not depend on that of the rows.
type columnValues struct {
	class    class
	nulls    int
	numbers  []float64 // of the classes number and date, which is in seconds
	texts    []string
	decimals int // number of decimal digits of all values of gold, if it is known
}

// valuesOf reads a column. A text that people write for a number is a number: '1.2M' is the guess 1200000.
func valuesOf(c *scoring.Column) columnValues {
	v := columnValues{class: classNone, decimals: int(c.Scale)}
	classes := map[class]bool{}
	formats := cell.DateFormats(c)
	view := cell.View{Kind: scoring.KindTime}
	if len(formats) == 1 {
		view.Format = formats[0]
	}
	for i := range c.Len() {
		x := c.Value(i)
		if x.IsNull() {
			v.nulls++
			continue
		}
		text := strings.TrimSpace(x.String())
		v.texts = append(v.texts, folded(text))
		number, isNumber := numberOf(x, text)
		at, isDate := instant(x)
		if !isDate && !isNumber && len(formats) == 1 {
			at, isDate = instant(cell.Read(c, view, i))
		}
		switch {
		case isDate:
			classes[classDate], v.numbers = true, append(v.numbers, at)
		case isNumber:
			classes[classNumber], v.numbers = true, append(v.numbers, number)
		default:
			classes[classText] = true
		}
	}
	switch {
	case len(classes) > 1:
		v.class = classText
	default:
		for only := range classes {
			v.class = only
		}
	}
	slices.Sort(v.numbers)
	slices.Sort(v.texts)
	return v
}

// instant returns a date or timestamp in seconds.
func instant(x scoring.Value) (float64, bool) {
	if x.IsNull() || !x.Type.Temporal() {
		return 0, false
	}
	at, ok := x.Instant()
	return float64(at.Unix()) + float64(at.Nanosecond())/1e9, ok
}

// numberOf returns the number that a value states, with its scale word and without its currency.
func numberOf(x scoring.Value, text string) (float64, bool) {
	switch {
	case x.Type == scoring.Bool:
		if x.Bool() {
			return 1, true
		}
		return 0, true
	case !x.Type.Numeric():
		n, _, ok := cell.ParseNumber(text, false)
		if !ok {
			n, _, ok = cell.ParseNumber(text, true)
		}
		if !ok {
			return 0, false
		}
		text = n.String()
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil
}

// significant is the number of significant digits to which an answer must state a number, if gold has as many.
const significant = 4

// scales are the factors by which all numbers of a column may differ from gold's: those between fractions and percent.
var scales = []float64{1, 100, 0.01}

// states reports whether an answer states gold's number: to four significant digits, or to all digits of gold. So a
// number in an answer excludes a thousandth of what gold may be, and not a half.
func states(gold, pred float64, decimals int) bool {
	const slack = 1 + 1e-9
	if gold == pred {
		return true
	}
	if gold == 0 || math.IsInf(gold, 0) {
		return false
	}
	difference := math.Abs(gold - pred)
	unit := math.Pow(10, math.Floor(math.Log10(math.Abs(gold)))-significant+1)
	if difference <= unit/2*slack {
		return true
	}
	// a longer answer that rounds to a rounded gold
	return decimals > 0 && digits(pred) >= significant && difference <= math.Pow(10, -float64(decimals))/2*slack
}

// digits returns the number of significant digits of a number.
func digits(f float64) int {
	mantissa, _, _ := strings.Cut(strconv.FormatFloat(math.Abs(f), 'e', -1, 64), "e")
	return len(strings.Replace(mantissa, ".", "", 1))
}

// agree reports whether a column of an answer has the values of a gold column.
func (g *columnValues) agree(p *columnValues) bool {
	if g.class != p.class || g.nulls != p.nulls || len(g.texts) != len(p.texts) {
		return false
	}
	switch g.class {
	case classText:
		return slices.Equal(g.texts, p.texts)
	case classDate:
		return slices.Equal(g.numbers, p.numbers)
	}
	return slices.ContainsFunc(scales, func(scale float64) bool {
		return slices.EqualFunc(g.numbers, p.numbers, func(gold, pred float64) bool {
			return states(gold, round15(pred*scale), g.decimals)
		})
	})
}

// round15 removes the error of a multiplication.
func round15(f float64) float64 {
	out, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'g', 15, 64), 64)
	return out
}

// tableValues holds the values of the columns of a result.
func tableValues(t *scoring.Table) (out []columnValues) {
	for i := range t.Columns {
		out = append(out, valuesOf(&t.Columns[i]))
	}
	return out
}

// tooMany reports whether an answer has more columns than gold of one of gold's classes: some are then guesses.
func tooMany(gold, pred []columnValues) bool {
	spare := map[class]int{}
	for i := range gold {
		spare[gold[i].class]++
	}
	for i := range pred {
		if n, is := spare[pred[i].class]; is && pred[i].class != classNone {
			if n == 0 {
				return true
			}
			spare[pred[i].class]--
		}
	}
	return false
}

// sameValues reports whether each gold column has a separate column with its values in the answer. Which values are
// in the same row is left to the metric.
func sameValues(gold, pred []columnValues, goldRows, predRows int) bool {
	if goldRows == 0 {
		return predRows == 0
	}
	if goldRows != predRows || len(gold) > len(pred) {
		return false
	}
	taken := map[int]int{} // by column of the answer: that of gold
	var place func(g int, tried map[int]bool) bool
	place = func(g int, tried map[int]bool) bool {
		for p := range pred {
			if tried[p] || !gold[g].agree(&pred[p]) {
				continue
			}
			tried[p] = true
			if was, is := taken[p]; !is || place(was, tried) {
				taken[p] = g
				return true
			}
		}
		return false
	}
	for g := range gold {
		if !place(g, map[int]bool{}) {
			return false
		}
	}
	return true
}

// compared is what the values alone say of an answer.
type compared struct {
	gold bool // there is a gold result
	same bool // as one of them
}

// compareValues compares an answer with each gold result.
func compareValues(c *scoring.Case) (out compared) {
	t := c.Pred.Result.Table
	if t == nil {
		return compared{gold: slices.ContainsFunc(c.Golds, func(q scoring.Query) bool { return q.Result.Table != nil })}
	}
	pred := tableValues(t)
	for i := range c.Golds {
		g := c.Golds[i].Result.Table
		if g == nil {
			continue
		}
		gold := tableValues(g)
		out.gold = true
		out.same = out.same || !tooMany(gold, pred) && sameValues(gold, pred, g.Rows(), t.Rows())
	}
	return out
}
