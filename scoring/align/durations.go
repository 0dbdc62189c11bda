package align

import (
	"slices"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/units"
)

// durations is how a column may be read as durations, if it can be.
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

// firstField returns the unit of the first of two fields: minutes, hours, or unknown.
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

// durationReadings returns the ways to read two columns as durations: both written as such, or one of them a number
// in the unit that its name or else the question states. 1:30 is read if something states the units of its fields.
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

// durationFormat is the format that reads a column of durations as numbers of the unit that another
// one is in.
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

// durationUnit is the unit of time that the name of a column of numbers states, or else the
// question, if it asks for one alone.
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

// timeUnit is the symbol of a unit of time in which durations are read; ok is false if a
// statement is of another one, or of a rate.
func timeUnit(s *units.Stated) (symbol string, ok bool) {
	if s.Unit == nil || s.Unit.Measure != units.Duration || s.Scale != nil || s.Per != nil || s.PerThing {
		return "", false
	}
	return s.Unit.Symbol, slices.Contains([]string{"ms", "s", "min", "h", "d"}, s.Unit.Symbol)
}
