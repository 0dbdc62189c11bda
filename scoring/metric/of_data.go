package metric

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// A gold query whose result is not a function of the data depends on the clock, on chance, on the session or on an
// order of rows that it does not state. Every score that reads such a result reports this.

// ofData returns the Score function of a metric, wrapped if it reads the gold query and result: the score warns if
// the result depends on more than the data, and is not applicable if results are compared and gold's shows nothing
// about the answer. A metric of results alone returns the same as its SQL function.
func ofData(m *scoring.Metric) func(context.Context, *scoring.Input) (scoring.Score, error) {
	score := m.Score
	fields := m.Needs | m.Reads | m.Context
	if fields&scoring.FieldGoldResult == 0 || fields&scoring.FieldGoldSQL == 0 {
		return score
	}
	compares := m.Needs&bothResults == bothResults
	return func(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
		if why := uninformativeGold(in); compares && why != "" {
			return scoring.NotApplicable(why), nil
		}
		s, err := score(ctx, in)
		s.Warnings = append(s.Warnings, dependenceWarnings(in)...)
		return s, err
	}
}

// goldDepends returns the parts of the gold query that make its result depend on more than the data, such as on the
// clock unless it was pinned. Dependence on the order of tied rows is excluded, since the results show more about it
// than the SQL does.
func goldDepends(in *scoring.Input) []sqlparts.Dependence {
	type key struct{}
	return scoring.Memo(in, key{}, func() []sqlparts.Dependence {
		if in.Gold == nil || in.Gold.SQL == "" {
			return nil
		}
		s, t := script(in, goldSide), in.Gold.Result.Table
		return slices.DeleteFunc(s.Dependences(nil), func(d sqlparts.Dependence) bool {
			return d.On == sqlparts.OnTies || d.On == sqlparts.OnClock && in.Gold.Clock != nil ||
				t != nil && s.Unreached(d, t.Rows())
		})
	})
}

// uninformativeGold returns the reason why a comparison with the gold result shows nothing about the answer, or "" if
// it does: the values or the choice of the rows depend on chance, or the query reads the clock and its result is
// empty, NULL or 0. It depends on gold alone, so an answer cannot cause it.
func uninformativeGold(in *scoring.Input) string {
	if in.Gold == nil || in.Gold.Result.Table == nil {
		return ""
	}
	for _, d := range goldDepends(in) {
		switch at := script(in, goldSide).Place(d); {
		case d.On == sqlparts.OnChance && !d.Rows:
			return fmt.Sprintf("the gold query depends on chance (%s, %s), so that its result says nothing of another query's",
				at, d.What)
		case d.On == sqlparts.OnClock && vacuous(in.Gold.Result.Table):
			return fmt.Sprintf("the gold query reads the clock (%s, %s) and its result is empty, NULL or 0, as that of any query whose window holds no data; pin the clock to a time of the data with --clock", at, d.What)
		}
	}
	return ""
}

// vacuous reports whether a result has no rows, or only cells that are NULL or 0.
func vacuous(t *scoring.Table) bool {
	for k := range t.Columns {
		c := &t.Columns[k]
		for i := range t.Rows() {
			if !c.IsNull(i) && !isNought(c.Value(i)) {
				return false
			}
		}
	}
	return true
}

func isNought(v scoring.Value) bool {
	x, err := strconv.ParseFloat(v.String(), 64)
	return err == nil && x == 0
}

// dependenceWarnings returns a warning if the clock was pinned, and one for each kind of dependence of the gold
// result on more than the data.
func dependenceWarnings(in *scoring.Input) (warnings []string) {
	if in.Gold == nil || in.Gold.Result.Table == nil {
		return nil
	}
	if at := in.Gold.Clock; at != nil {
		warnings = append(warnings, "the clock of the gold query stood at "+at.Format(time.RFC3339))
	}
	all := goldDepends(in)
	for i, d := range all {
		if slices.ContainsFunc(all[:i], func(o sqlparts.Dependence) bool { return o.On == d.On }) {
			continue
		}
		more := 0
		for _, o := range all[i+1:] {
			if o.On == d.On {
				more++
			}
		}
		w := fmt.Sprintf("%s, %s: %s", goldSide, script(in, goldSide).Place(d), d.Sentence())
		if more > 0 {
			w += fmt.Sprintf(" (and %d more)", more)
		}
		warnings = append(warnings, w)
	}
	return warnings
}
