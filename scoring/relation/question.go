package relation

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/naming"
	"github.com/badger-eval/badger/scoring/question"
)

// asks returns the parsed question. It is parsed once.
func (e *evidence) asks() *question.Question {
	if e.asked == nil {
		e.asked = question.Read(e.Question, e.Evidence)
	}
	return e.asked
}

// requests reports whether the question asks for a gold column: by its name, by when or where, by its aggregate if no
// column of shown has the same, or, for a number, by a pronoun or by asking for more numbers than shown has.
func (e *evidence) requests(column int, shown []int) bool {
	q := e.asks()
	if q.Empty() {
		return false
	}
	name := e.gold.Columns[column].Name
	if q.Requests(name) ||
		q.AsksBy("when") && (e.gold.Columns[column].Type.Temporal() || anyWord(naming.Words(name), whenWords)) ||
		q.AsksBy("where") && anyWord(naming.Words(name), whereWords) {
		return true
	}
	function := ""
	if x := e.queries().gold.item(column, len(e.gold.Columns)); x != nil {
		if function = aggregateOf(x); function != "" && q.RequestsAggregate(function) && !e.shownInstead(function, shown) {
			return true
		}
	}
	if !e.gold.Columns[column].Type.Numeric() && function == "" {
		return false
	}
	return q.AsksBack() || e.unmet(shown) > 0
}

// Words in names of columns that answer "when" and "where".
var (
	whenWords  = wordSet("date dates day time timestamp datetime month year at on start started end ended begin began due expiry expires deadline since until created updated opened closed")
	whereWords = wordSet("place location city town country state region address venue site port station street where position county district province continent latitude longitude")
)

// shownInstead reports whether a gold column of shown has the same aggregate function.
func (e *evidence) shownInstead(function string, shown []int) bool {
	return slices.ContainsFunc(shown, func(i int) bool {
		x := e.queries().gold.item(i, len(e.gold.Columns))
		return x != nil && aggregateOf(x) == function
	})
}

// unmet returns the number of measures that the question asks for and that no column of shown has by its name, less the
// other numeric columns of shown. It may be negative.
func (e *evidence) unmet(shown []int) int {
	free := 0 // columns of numbers that no request names
	unmet := e.asks().Measures()
	for _, i := range shown {
		words := naming.Words(e.gold.Columns[i].Name)
		for k, w := range words {
			words[k] = naming.Stem(w)
		}
		at := slices.IndexFunc(unmet, func(m string) bool {
			return slices.ContainsFunc(strings.Fields(m), func(w string) bool { return slices.Contains(words, w) })
		})
		switch {
		case at >= 0:
			unmet = slices.Delete(slices.Clone(unmet), at, at+1)
		case e.gold.Columns[i].Type.Numeric() && !keyish(&e.gold.Columns[i]):
			free++
		}
	}
	return len(unmet) - free
}
