package align

import (
	"slices"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/units"
)

// durations is a column parsed as durations; ok is false if that is not possible.
type durations struct {
	cell.DurationText
	ok bool
}

func (c *column) durations() *durations {
	if c.lasts == nil {
		c.lasts = &durations{}
		c.lasts.DurationText, c.lasts.ok = cell.ReadDurations(c.col)
	}
	return c.lasts
}

// Words in names and questions that mark two fields as minutes and seconds, or as hours and minutes.
var (
	minuteFirst = []string{"lap", "pace", "song", "track", "sprint", "hold", "mmss"}
	hourFirst   = []string{"departure", "arrival", "depart", "arrive", "open", "close", "opening", "closing", "start",
		"begin", "clock", "schedule", "scheduled", "flight", "shift", "hhmm", "sunrise", "sunset"}
)

// firstField returns the unit of the first of two fields, as in 1:30: minutes if set, else hours. known is false if
// neither the values, the name nor the question show it.
func (a *aligner) firstField(c *column) (minutes, known bool) {
	switch d := c.durations(); {
	case !d.TwoFields:
		return false, true
	case d.Minutes || c.nameHas(minuteFirst...):
		return true, true
	case c.nameHas(hourFirst...):
		return false, true
	case a.asks("minute") && a.asks("second"):
		return true, true
	case a.asks("hour") && a.asks("minute"):
		return false, true
	}
	return false, false
}

// durationReadings returns the ways to compare two columns as durations: both written as such, or one as a number in
// the unit that its name or else the question states. 1:30 is compared only if the units of its fields are known or the
// same on both sides.
func (a *aligner) durationReadings(g, p *column) []viewPair {
	gd, pd := g.durations(), p.durations()
	number := func(format string) cell.View { return cell.View{Kind: scoring.KindNumber, Format: format} }
	switch {
	case gd.ok && pd.ok && !(gd.Clock && pd.Clock):
		gm, gok := a.firstField(g)
		pm, pok := a.firstField(p)
		if gd.TwoFields && pd.TwoFields && !gok && !pok { // whatever they are, they are the same
			gok, pok = true, true
		}
		if gok && pok {
			return []viewPair{{g: number(cell.DurationIn("s", gm)), p: number(cell.DurationIn("s", pm))}}
		}
	case gd.ok && isNumeric(p):
		if f, ok := a.durationFormat(g, p); ok {
			return []viewPair{{g: number(f), p: number("")}}
		}
	case pd.ok && isNumeric(g):
		if f, ok := a.durationFormat(p, g); ok {
			return []viewPair{{g: number(""), p: number(f)}}
		}
	}
	return nil
}

// durationFormat returns the format that reads the durations of column text as numbers in the unit of column numbers.
// ok is false if that unit or the unit of a field is unknown.
func (a *aligner) durationFormat(text, numbers *column) (format string, ok bool) {
	unit, ok := a.durationUnit(numbers)
	if !ok {
		return "", false
	}
	minutes, known := a.firstField(text)
	if !known {
		minutes = true // 1:30 may be 90 seconds, so it is not certainly minutes or hours
		known = unit == "s" || unit == "ms"
	}
	return cell.DurationIn(unit, minutes), known
}

// durationUnit returns the unit of time that the name of a column of numbers states, or else the only one that the
// question asks for. ok is false if there is none.
func (a *aligner) durationUnit(c *column) (unit string, ok bool) {
	if stated := a.stated(c); stated.Known() || stated.PerThing {
		return timeUnit(&stated)
	}
	question := a.question()
	for i := range question.Asked {
		asked, isTime := timeUnit(&question.Asked[i])
		switch {
		case !isTime || asked == unit:
		case ok:
			return "", false
		default:
			unit, ok = asked, true
		}
	}
	return unit, ok
}

// timeUnit returns the symbol of a stated unit of time. ok is false for another unit, for one longer than days, and for
// a rate.
func timeUnit(s *units.Stated) (symbol string, ok bool) {
	if s.Unit == nil || s.Unit.Measure != units.Duration || s.Scale != nil || s.Per != nil || s.PerThing {
		return "", false
	}
	return s.Unit.Symbol, slices.Contains([]string{"ms", "s", "min", "h", "d"}, s.Unit.Symbol)
}
