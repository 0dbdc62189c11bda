package align

import (
	"slices"
	"strconv"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// grainWords are words in names and questions for periods of each grain. Words are compared after synonyms are
// replaced, see [words].
var grainWords = map[cell.Grain][]string{
	cell.GrainYear:    {"year", "y", "yearly", "annual", "annually", "yyyy", "fy", "fiscal", "vintage", "season"},
	cell.GrainHalf:    {"half", "halves", "halfyear", "semester", "h", "hy"},
	cell.GrainQuarter: {"quarter", "quarterly", "qtr", "q"},
	cell.GrainMonth:   {"month", "monthly", "m", "mon", "mm", "yearmonth", "ym"},
	cell.GrainWeek:    {"week", "weekly", "wk", "w", "isoweek", "yearweek", "kw", "cw"},
	cell.GrainWeekday: {"weekday", "dow", "wday", "dayofweek", "day"},
}

// dayWords are words in names of columns that hold days or instants.
var dayWords = []string{"date", "day", "at", "on", "time", "timestamp", "datetime", "start", "end", "since", "until",
	"due", "born", "birthday", "birthdate", "created", "updated", "opened", "closed", "first", "last"}

func (c *column) periodTexts() []cell.PeriodText {
	if c.periods == nil {
		list := cell.ReadPeriods(c.col)
		c.periods = &list
	}
	return *c.periods
}

// namesGrain reports whether the name of a column has a word for periods of a grain, or, except for weekdays, the word
// period.
func (c *column) namesGrain(g cell.Grain) bool {
	return c.nameHas(grainWords[g]...) || g != cell.GrainWeekday && c.nameHas("period")
}

// periodReadings returns the ways to compare two columns as the same calendar periods in different notations: labels,
// numbers, first or last days. Numbers are periods only if a name shows it, and days only if a name, the question or
// the other side does. A side without years has the single year of the other, if nothing contradicts that.
func (a *aligner) periodReadings(g, p *column) (out []viewPair) {
	for _, gt := range g.periodTexts() {
		for _, pt := range p.periodTexts() {
			if misnamed(g, &gt) || misnamed(p, &pt) || a.otherEnd(&gt, &pt) || gt.Grain != pt.Grain ||
				gt.Day && pt.Day && gt.Last == pt.Last || gt.Bare && pt.Bare || !a.meantAs(g, p, &gt, &pt) ||
				!a.meantAs(p, g, &pt, &gt) {
				continue
			}
			view := func(kind scoring.Kind, gf, pf string) {
				out = append(out, viewPair{g: cell.View{Kind: kind, Format: gf}, p: cell.View{Kind: kind, Format: pf}})
			}
			switch {
			case gt.Fiscal != pt.Fiscal && !a.asks("fiscal") && !g.nameHas("fiscal", "fy") && !p.nameHas("fiscal", "fy"):
			case gt.Fiscal || pt.Fiscal:
				if !gt.Day && !pt.Day && gt.Dated && pt.Dated {
					view(scoring.KindText, gt.AsLabel(), pt.AsLabel())
				}
			case gt.Grain == cell.GrainYear && (gt.Bare || pt.Bare):
				view(scoring.KindNumber, gt.AsNumber(), pt.AsNumber())
			case gt.Dated && pt.Dated:
				view(scoring.KindTime, gt.AsDay(), pt.AsDay())
			case !gt.Dated && !pt.Dated, gt.Dated && a.inYear(gt.Year, g, p, a.pred),
				pt.Dated && a.inYear(pt.Year, p, g, a.gold):
				view(scoring.KindNumber, gt.AsNumber(), pt.AsNumber())
			}
		}
	}
	return out
}

// Words in names and questions that show whether the first or the last day identifies a period.
var (
	startWords = []string{"start", "starting", "begin", "beginning", "commencing", "opening", "first", "from", "monday",
		"since"}
	endWords = []string{"end", "ending", "last", "close", "closing", "final", "through", "until", "sunday", "to"}
)

// misnamed reports whether a column holds the last days of periods although its name has a word for the first, or the
// reverse.
func misnamed(c *column, t *cell.PeriodText) bool {
	starts, ends := c.nameHas(startWords...), c.nameHas(endWords...)
	return t.Day && starts != ends && t.Last == starts
}

// otherEnd reports whether one column holds first days and the other last days of periods, and the question mentions a
// start or an end.
func (a *aligner) otherEnd(gt, pt *cell.PeriodText) bool {
	return gt.Day && pt.Day && gt.Last != pt.Last && (a.asks(startWords...) || a.asks(endWords...))
}

// meantAs reports whether a column may hold periods, by its values, its name, the question and the column that it is
// compared with.
func (a *aligner) meantAs(c, other *column, t, ot *cell.PeriodText) bool {
	switch {
	case t.Bare:
		if t.Grain == cell.GrainYear && t.Dated &&
			(a.asksGrain(t.Grain) || c.namesGrain(t.Grain) || other.namesGrain(t.Grain)) {
			return true
		}
		return c.namesGrain(t.Grain) ||
			sameName(c.col.Name, other.col.Name) && c.named().Meaningful() && !c.nameHas(measureWords...) &&
				!c.nameHas(countWords...)
	case t.Day && c.namesGrain(t.Grain):
		return true
	case t.Day && (c.nameHas(dayWords...) || a.asks("date", "day", "when")):
		return a.asksGrain(t.Grain)
	case t.Day:
		return a.asksGrain(t.Grain) || other.namesGrain(t.Grain) || ot.Label
	}
	return true
}

// asksGrain reports whether the question has a word for periods of a grain.
func (a *aligner) asksGrain(g cell.Grain) bool {
	return a.asks(slices.DeleteFunc(slices.Clone(grainWords[g]), func(w string) bool { return len(w) == 1 })...)
}

// inYear reports whether a column of periods without years may belong to the given year of the column dated. It is
// false if year is 0, or if the question, a name or a column of years in the result of undated shows only other years.
func (a *aligner) inYear(year int, dated, undated *column, beside []column) bool {
	if year == 0 {
		return false
	}
	for _, text := range []string{a.o.Asked, undated.col.Name, dated.col.Name} {
		if years := yearsIn(text); len(years) > 0 && (year < slices.Min(years) || year > slices.Max(years)) {
			return false
		}
	}
	for i := range beside {
		c := &beside[i]
		if c == undated || !c.nameHas("year", "fy") {
			continue
		}
		for _, t := range c.periodTexts() {
			if t.Grain == cell.GrainYear && !t.Last && t.Year != year {
				return false
			}
		}
	}
	return true
}

// yearsIn returns the four-digit numbers from 1800 to 2200 in text.
func yearsIn(text string) (years []int) {
	for i := 0; i < len(text); {
		j := i
		for j < len(text) && text[j] >= '0' && text[j] <= '9' {
			j++
		}
		if n, err := strconv.Atoi(text[i:j]); err == nil && j-i == 4 && n >= 1800 && n <= 2200 {
			years = append(years, n)
		}
		i = max(j, i+1)
	}
	return years
}

// NamesGrain reports whether the name of a column has a word for periods of a grain.
func NamesGrain(name string, g cell.Grain) bool {
	return slices.ContainsFunc(words(name), func(w string) bool { return slices.Contains(grainWords[g], w) })
}
