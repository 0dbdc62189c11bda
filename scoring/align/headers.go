package align

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// nameUnits are words of names that say in which unit a column is, by what they measure.
var nameUnits = map[string]struct{ measures, unit string }{
	"usd": {"money", "USD"}, "dollar": {"money", "USD"}, "eur": {"money", "EUR"}, "euro": {"money", "EUR"}, "gbp": {"money", "GBP"}, "jpy": {"money", "JPY"}, "yen": {"money", "JPY"},
	"chf": {"money", "CHF"}, "cny": {"money", "CNY"}, "inr": {"money", "INR"}, "cad": {"money", "CAD"}, "aud": {"money", "AUD"}, "sek": {"money", "SEK"}, "nok": {"money", "NOK"},
	"km": {"length", "km"}, "kilometer": {"length", "km"}, "kilometre": {"length", "km"}, "meter": {"length", "m"}, "metre": {"length", "m"}, "cm": {"length", "cm"}, "mm": {"length", "mm"},
	"mile": {"length", "mile"}, "feet": {"length", "foot"}, "ft": {"length", "foot"}, "inch": {"length", "inch"},
	"kg": {"mass", "kg"}, "kilogram": {"mass", "kg"}, "lb": {"mass", "lb"}, "lbs": {"mass", "lb"}, "gram": {"mass", "g"}, "ton": {"mass", "t"},
	"celsiu": {"temperature", "C"}, "fahrenheit": {"temperature", "F"}, "kelvin": {"temperature", "K"},
	"ms": {"duration", "ms"}, "millisecond": {"duration", "ms"}, "second": {"duration", "s"}, "sec": {"duration", "s"}, "minute": {"duration", "min"}, "hour": {"duration", "h"},
	"microsecond": {"duration", "µs"},
	"kb":          {"data", "KB"}, "mb": {"data", "MB"}, "gb": {"data", "GB"}, "tb": {"data", "TB"}, "byte": {"data", "B"},
	"mg": {"mass", "mg"}, "mcg": {"mass", "µg"}, "mmol": {"mass", "mmol"}, "oz": {"mass", "oz"}, "ounce": {"mass", "oz"}, "tonne": {"mass", "t"},
	"liter": {"volume", "l"}, "litre": {"volume", "l"}, "ml": {"volume", "ml"}, "gallon": {"volume", "gallon"}, "mph": {"speed", "mph"}, "kmh": {"speed", "km/h"}, "kph": {"speed", "km/h"}, "knot": {"speed", "knot"},
	"kwh": {"energy", "kWh"}, "mwh": {"energy", "MWh"}, "kw": {"power", "kW"}, "watt": {"power", "W"}, "psi": {"pressure", "psi"}, "bar": {"pressure", "bar"}, "kpa": {"pressure", "kPa"}, "hpa": {"pressure", "hPa"},
	"percent": {"share", "%"}, "bp": {"share", "bp"}, "bps": {"share", "bp"},
}

// calendarUnits are units only in the plural: tenure_years is a duration, last_year is none.
var calendarUnits = []string{"day", "week", "month", "year"}

// unitInName is the unit that a column's name states; none where it states several, as a rate does.
func unitInName(c *column) (measures, unit string) {
	words := c.nameWords()
	for i, w := range words {
		u, ok := nameUnits[w]
		if slices.Contains(calendarUnits, w) && countsCalendar(c.col.Name, w) {
			u, ok = struct{ measures, unit string }{"duration", w}, true
		}
		if last := i == len(words)-1; last && i > 0 && (w == "c" || w == "f") && slices.ContainsFunc(words[:i], func(w string) bool { return strings.HasPrefix(w, "temp") }) {
			u, ok = struct{ measures, unit string }{"temperature", strings.ToUpper(w)}, true
		}
		if !ok || u.unit == unit {
			continue
		}
		if unit != "" {
			return "", ""
		}
		measures, unit = u.measures, u.unit
	}
	return measures, unit
}

// countsCalendar tells whether a name ends in the plural of a calendar unit and has no number in
// it, as last_12_months does.
func countsCalendar(name, unit string) bool {
	return strings.HasSuffix(strings.ToLower(name), unit+"s") && !strings.ContainsAny(name, "0123456789")
}

// refuseNames takes apart pairs whose names contradict each other, and pairs whose name contradicts
// the values: neither column answers the other, however equal their values are.
func (a *aligner) refuseNames() {
	for i := range a.pairs {
		c := &a.pairs[i]
		if c.Pred < 0 || c.Overlap < 1 { // others are told apart by their values
			continue
		}
		g, p := &a.gold[i], &a.pred[c.Pred]
		if a.denied(i, c.Pred) {
			a.crossed = append(a.crossed, *c)
		} else if c.Kind != scoring.KindNumber || c.Scale != 0 || !otherUnits(g, p) {
			continue
		}
		if !slices.ContainsFunc(a.pairs, func(o scoring.ColumnPair) bool { return o.Pred == c.Pred && o.Gold != i }) {
			p.taken = false
		}
		g.taken = false
		a.pairs[i] = scoring.ColumnPair{Gold: i, Pred: -1}
	}
}

// otherUnits tells whether the names of two columns of numbers state two units of one measure, or
// the name of one states another currency than the values of the other: 100 in price_usd is not 100
// in price_eur.
func otherUnits(g, p *column) bool {
	gm, gu := unitInName(g)
	pm, pu := unitInName(p)
	if gm != "" && gm == pm && gu != pu {
		return true
	}
	other := func(valued *column, measures, in string) bool {
		stated := unitOf(valued)
		_, shared := cell.SharedUnit(stated, in)
		return measures == "money" && stated != cell.UnitPercent && !shared
	}
	return other(p, gm, gu) || other(g, pm, pu)
}
