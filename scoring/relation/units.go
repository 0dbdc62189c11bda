package relation

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/naming"
	"github.com/badger-eval/badger/scoring/units"
)

// unitsOfQuestion returns the units that the question and its evidence mention. They are parsed once.
func (e *evidence) unitsOfQuestion() *units.Question {
	if e.unitsAsked == nil {
		e.unitsAsked = units.Asked(e.Question + " " + e.Evidence)
	}
	return e.unitsAsked
}

// statedUnit returns the unit that the cells of a column state, else the one in its name.
func (e *evidence) statedUnit(s side, column int) units.Stated {
	c := &e.table(s).Columns[column]
	name := units.InName(c.Name, e.unitsOfQuestion())
	if c.Type == scoring.String {
		if t, ok := cell.ReadNumbers(c); ok {
			return t.Stated().Or(name)
		}
	}
	return name
}

// queriedUnit returns the unit that gold's query shows for a column. fraction is true if the column is a fraction by
// the query: it divides and does not multiply by 100.
func (e *evidence) queriedUnit(column int) (s units.Stated, fraction bool) {
	it := e.goldItem(column)
	if it == nil {
		return units.Stated{}, false
	}
	return it.Stated, it.Divides && !it.Hundreds
}

// goldItem returns what gold's query shows about the unit of a column; nil if it is unknown.
func (e *evidence) goldItem(column int) *units.Item {
	if e.items == nil {
		items := units.OfQuery(e.script(e.GoldSQL), len(e.gold.Columns), e.unitsOfQuestion())
		e.items = &items
	}
	if *e.items == nil {
		return nil
	}
	return &(*e.items)[column]
}

// otherUnit returns a finding if the alignment rejected a pair of columns with equal numbers because their units
// contradict each other; else nil.
func otherUnit(e *evidence) *found {
	if len(e.a.Refused) == 0 || e.gold.Rows() == 0 {
		return nil
	}
	r := &found{}
	var what []string
	for _, c := range e.a.Refused {
		r.proof.GoldColumns, r.proof.PredColumns = append(r.proof.GoldColumns, c.Gold), append(r.proof.PredColumns, c.Pred)
		what = append(what,
			fmt.Sprintf("%s of the answer has the numbers of gold's %s in another unit (%s)", named(e.pred, []int{c.Pred}),
				named(e.gold, []int{c.Gold}), c.Fact))
	}
	r.text = strings.Join(what, ", ") + "."
	return r
}

// unitFactor returns a finding if every measure that differs is gold's in another unit; else nil. So that it is not
// chance, the answer's cells, name or question must state its unit, and gold's cells, name, query or question another
// one, or the numbers must have at least minDigits digits.
func unitFactor(e *evidence) *found {
	pairs, ok := e.measurePairs()
	if !ok {
		return nil
	}
	var how []string
	var factor float64
	for k := range pairs {
		c := e.converted(&pairs[k])
		if c == nil {
			return nil
		}
		factor = 1 / c.factor
		text := "gold's times " + printable.Figure(c.factor, 7)
		if c.factor < 1 {
			text = "gold's divided by " + printable.Figure(1/c.factor, 7)
		}
		if c.offset != 0 {
			text += " plus " + printable.Figure(c.offset, 5)
		}
		if text += " (" + c.of + ")"; !slices.Contains(how, text) {
			how = append(how, text)
		}
	}
	if len(how) == 0 {
		return nil
	}
	r := e.measureFound(pairs, strings.Join(how, ", "))
	r.proof.Factor, r.proof.Facts = factor, how
	return r
}

// conversion converts gold's numbers to the answer's: g * factor + offset.
type conversion struct {
	factor, offset float64
	of             string // the units of gold and of the answer, as text
}

// converted returns the conversion of units by which the answer's measure is gold's; nil if there is none.
func (e *evidence) converted(m *measurePair) *conversion {
	gold, pred := e.statedUnit(goldSide, m.gold), e.statedUnit(predSide, m.pred)
	goldSays := gold.Unit != nil || gold.Scale != nil
	if !goldSays {
		s, fraction := e.queriedUnit(m.gold)
		switch {
		case s.Unit != nil || s.Scale != nil:
			gold, goldSays = gold.Or(s), true
		case pred.Unit != nil && pred.Unit.Measure == units.Share &&
			(gold.Share || fraction && !e.unitsOfQuestion().CountsOnly()) && withinOne(m.g):
			gold, goldSays = units.Stated{Unit: units.Fraction()}, true
		}
	}
	q := e.unitsOfQuestion()
	difference := e.isDifference(m)
	enough := min(digitsOf(m.g), digitsOf(m.p)) >= minDigits
	switch predSays := pred.Unit != nil || pred.Scale != nil; {
	case predSays || pred.Per != nil && gold.Per != nil:
		if !goldSays {
			if s, ok := q.Expected(pred); ok {
				gold, goldSays = gold.Or(s), true
			}
		}
		if goldSays || gold.Per != nil && pred.Per != nil {
			return m.inUnit(gold, pred, true, difference)
		}
		if enough && !q.Asks(pred) {
			return m.anyUnit(pred, true, difference)
		}
	case enough:
		for _, s := range q.Asked {
			if !goldSays {
				if c := m.anyUnit(s, false, difference); c != nil {
					return c
				}
			} else if c := m.inUnit(gold, pred.Or(s), false, difference); c != nil {
				return c
			}
		}
	}
	return nil
}

// differenceWords are words in names and questions for a difference of two values.
var differenceWords = wordSet("difference diff delta change range rise drop fall increase decrease spread span gap deviation stddev std variance variation amplitude anomaly exceed exceeds exceeded gain gained lost loss swing jump warmed cooled cooling warming error tolerance shift warmer cooler colder hotter")

// isDifference reports whether a measure is a difference of two values: gold's query subtracts, or a name or the
// question has such a word.
func (e *evidence) isDifference(m *measurePair) bool {
	if it := e.goldItem(m.gold); it != nil && it.Subtracts {
		return true
	}
	return anyWord(naming.Words(e.gold.Columns[m.gold].Name), differenceWords) ||
		anyWord(naming.Words(e.pred.Columns[m.pred].Name), differenceWords) ||
		anyWord(strings.Fields(e.asks().Plain()), differenceWords)
}

// anyUnit returns the conversion to the answer's unit pred from another unit of the same quantity that holds in all
// rows; nil if there is none. Units that differ by a power of ten are tried only if tens is set.
func (m *measurePair) anyUnit(pred units.Stated, tens, difference bool) *conversion {
	for _, s := range units.Alternatives(pred) {
		if _, by := units.Compare(s, pred); !tens {
			if _, ten := by.PowerOfTen(); ten {
				continue
			}
		}
		if c := m.inUnit(s, pred, false, difference); c != nil {
			return c
		}
	}
	return nil
}

func withinOne(fs []float64) bool {
	return !slices.ContainsFunc(fs, func(f float64) bool { return math.Abs(f) > 1 })
}

// inUnit returns the conversion from unit gold to unit pred if it converts all of gold's numbers to the answer's; else
// nil. If rounded, the answer may be rounded, by at most 0.5 %, unless the factor is a power of ten. If difference, the
// zero of a scale is ignored: 10 °C more are 18 °F more.
func (m *measurePair) inUnit(gold, pred units.Stated, rounded, difference bool) *conversion {
	how, by := units.Compare(gold, pred)
	if how != units.Converted {
		return nil
	}
	offset := 0.0
	if by.Offset != nil && !difference {
		offset, _ = by.Offset.Float64()
	}
	for _, f := range by.Factors {
		if f.Cmp(big.NewRat(1, 1)) == 0 && offset == 0 {
			continue
		}
		factor, _ := f.Float64()
		within := 0.0
		if _, ten := by.PowerOfTen(); rounded && !ten { // the alignment knows of powers of ten
			within = 0.5 * cell.Pow10(-decimalsOf(m.p)) * (1 + noise)
		}
		holds := func(g, p float64) bool {
			want := g*factor + offset
			off := math.Abs(want - p)
			return nearly(want, p) || off <= within && off <= 0.005*math.Abs(want)
		}
		if ok, n := m.every(holds); ok && n > 0 {
			return &conversion{factor, offset, gold.String() + " and " + pred.String()}
		}
	}
	return nil
}

// decimalsOf returns the number of decimals that the finite numbers of a list have, at most nine.
func decimalsOf(fs []float64) (d int) {
	for _, f := range fs {
		for finite(f) && d < 9 && math.Abs(f*cell.Pow10(d)-math.Round(f*cell.Pow10(d))) > 1e-6 {
			d++
		}
	}
	return d
}

func negated(e *evidence, opposite bool) *found {
	if f := turnedFlag(e); f != nil {
		if opposite {
			return f
		}
		return nil
	}
	pairs := e.explained(func(g, p float64) bool { return g == -p }, 1)
	if pairs == nil {
		return nil
	}
	named := !slices.ContainsFunc(pairs, func(m measurePair) bool {
		return !naming.Read(e.gold.Columns[m.gold].Name).Reversed(naming.Read(e.pred.Columns[m.pred].Name))
	})
	if named != opposite {
		return nil
	}
	how := "gold's with the other sign"
	if opposite {
		how += ", and the names say opposite things"
	}
	return e.measureFound(pairs, how)
}
