package relation

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/naming"
)

// conversion is a factor between two units: a value in the first, times the factor, is that value
// in the second. Each unit has the words that names and questions call it by.
type conversion struct {
	factor        float64
	first, second map[string]bool
	of            string
	share         bool // the first is a fraction of a whole: from 0 to 1
}

var conversions = func() []conversion {
	const (
		money    = "dollar dollars usd euro euros eur gbp chf"
		cents    = "cent cents pence"
		metre    = "m metre metres meter meters"
		second   = "s sec secs second seconds"
		minute   = "min mins minute minutes"
		hour     = "h hr hrs hour hours"
		day      = "d day days"
		kilogram = "kg kgs kilogram kilograms kilo kilos"
		gram     = "g gram grams"
		kilometr = "km kms kilometre kilometres kilometer kilometers"
		milli    = "ms msec millisecond milliseconds millis"
		bytes    = "b byte bytes"
		kilobyte = "kb kib kilobyte kilobytes"
		megabyte = "mb mib megabyte megabytes"
		gigabyte = "gb gib gigabyte gigabytes"
		thousand = "k thousand thousands tsd"
		million  = "million millions mio mn mln"
		billion  = "billion billions bn bln milliard milliards"
		fraction = "fraction proportion ratio share"
		percent  = "percent percentage pct perc"
	)
	var all []conversion
	add := func(factor float64, of, first, second string) {
		all = append(all, conversion{factor: factor, of: of, first: wordSet(first), second: wordSet(second)})
	}
	all = append(all, conversion{factor: 100, of: "fraction and percent", first: wordSet(fraction), second: wordSet(percent), share: true})
	add(100, "cents", money, cents)
	add(100, "metres and centimetres", metre, "cm centimetre centimetres centimeter centimeters")
	add(10, "centimetres and millimetres", "cm centimetre centimetres centimeter centimeters", "mm millimetre millimetres millimeter millimeters")
	add(1e3, "metres and millimetres", metre, "mm millimetre millimetres millimeter millimeters")
	add(1e3, "kilometres and metres", kilometr, metre)
	add(1e3, "kilograms and grams", kilogram, gram)
	add(1e3, "tonnes and kilograms", "tonne tonnes", kilogram)
	add(1e3, "grams and milligrams", gram, "mg milligram milligrams")
	add(1e3, "litres and millilitres", "l litre litres liter liters", "ml millilitre millilitres milliliter milliliters")
	add(1e3, "kilowatts and watts", "kw kwh kilowatt kilowatts", "w wh watt watts")
	add(1e3, "megawatts and kilowatts", "mw mwh megawatt megawatts", "kw kwh kilowatt kilowatts")
	add(1e3, "seconds and milliseconds", second, milli)
	add(1e3, "thousands", thousand, "")
	add(1e6, "millions", million, "")
	add(1e9, "billions", billion, "")
	add(1e3, "millions and thousands", million, thousand)
	add(1e3, "billions and millions", billion, million)
	add(60, "minutes and seconds", minute, second)
	add(60, "hours and minutes", hour, minute)
	add(3600, "hours and seconds", hour, second)
	add(24, "days and hours", day, hour)
	add(1440, "days and minutes", day, minute)
	add(86400, "days and seconds", day, second)
	add(7, "weeks and days", "week weeks", day)
	add(12, "years and months", "year years yr yrs", "month months")
	for _, step := range []float64{1000, 1024} {
		add(step, "kilobytes and bytes", kilobyte, bytes)
		add(step, "megabytes and kilobytes", megabyte, kilobyte)
		add(step, "gigabytes and megabytes", gigabyte, megabyte)
		add(step*step, "megabytes and bytes", megabyte, bytes)
		add(step*step, "gigabytes and kilobytes", gigabyte, kilobyte)
		add(step*step*step, "gigabytes and bytes", gigabyte, bytes)
	}
	add(1.609344, "miles and kilometres", "mi mile miles", kilometr)
	add(0.3048, "feet and metres", "ft foot feet", metre)
	add(2.54, "inches and centimetres", "inch inches", "cm centimetre centimetres centimeter centimeters")
	add(25.4, "inches and millimetres", "inch inches", "mm millimetre millimetres millimeter millimeters")
	add(0.45359237, "pounds and kilograms", "lb lbs pound pounds", kilogram)
	return all
}()

// unitFactor finds measures in another unit. A number may be any multiple of another by chance, so
// a unit must be named: by both names, each its own, or by one name or the question, and then the
// numbers must show minDigits digits. Whatever is named must fit: what says that it is in seconds
// is not taken for minutes.
func unitFactor(e *evidence) *found {
	for i := range conversions {
		c := &conversions[i]
		for _, converted := range []bool{true, false} { // whether the answer is in the second unit
			holds := func(g, p float64) bool { return nearly(g*c.factor, p) }
			if !converted {
				holds = func(g, p float64) bool { return nearly(g, p*c.factor) }
			}
			pairs := e.explained(holds, 1)
			if pairs == nil || slices.ContainsFunc(pairs, func(m measurePair) bool { return !e.unitNamed(&m, c, converted) }) {
				continue
			}
			how, factor := fmt.Sprintf("gold's times %g (%s)", c.factor, c.of), 1/c.factor
			if !converted {
				how, factor = fmt.Sprintf("gold's divided by %g (%s)", c.factor, c.of), c.factor
			}
			r := e.measureFound(pairs, how)
			r.proof.Factor, r.proof.Facts = factor, []string{c.of}
			return r
		}
	}
	return nil
}

// unitNamed tells whether names or the question bear it out that the answer's measure is gold's in
// the other unit of a conversion.
func (e *evidence) unitNamed(m *measurePair, c *conversion, converted bool) bool {
	goldUnit, predUnit := c.first, c.second
	if !converted {
		goldUnit, predUnit = predUnit, goldUnit
	}
	if c.share {
		fractions := m.g
		if !converted {
			fractions = m.p
		}
		if slices.ContainsFunc(fractions, func(f float64) bool { return math.Abs(f) > 1 }) {
			return false
		}
	}
	gold, pred := unitWords(e.gold.Columns[m.gold].Name), unitWords(e.pred.Columns[m.pred].Name)
	goldSays, predSays := anyWord(gold, goldUnit), anyWord(pred, predUnit)
	if !goldSays && anyWord(gold, anyUnit) || !predSays && anyWord(pred, anyUnit) {
		return false // a name says another unit
	}
	if goldSays && predSays {
		return true
	}
	if min(digitsOf(m.g), digitsOf(m.p)) < minDigits {
		return false
	}
	asked := e.unitsAsked()
	if anyWord(asked, goldUnit) && !anyWord(asked, predUnit) {
		return false // the question asks for gold's unit
	}
	return goldSays || predSays || len(predUnit) > 0 && anyWord(asked, predUnit)
}

// unitsAsked are the words that the question asks for figures in: how many minutes, in kilometres,
// the number of days. The last week is no unit.
func (e *evidence) unitsAsked() (asked []string) {
	words := unitWords(e.Question + " " + e.Evidence)
	for i := 1; i < len(words); i++ {
		before := words[i-1]
		if len(words[i]) > 1 && (before == "in" || before == "many" || before == "of" && i > 1 && words[i-2] == "number") {
			asked = append(asked, words[i])
		}
	}
	return asked
}

// unitWords are the words of a name or a text, a percent sign as a word.
func unitWords(s string) []string {
	return naming.Words(strings.NewReplacer("%", " percent ", "$", " usd ", "€", " eur ").Replace(s))
}

// anyUnit are the words of all units.
var anyUnit = func() map[string]bool {
	all := map[string]bool{}
	for _, c := range conversions {
		maps.Copy(all, c.first)
		maps.Copy(all, c.second)
	}
	return all
}()

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
