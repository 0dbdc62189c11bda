package metric

import (
	"fmt"
	"sort"
	"strconv"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// side is one of the two queries of a case.
type side bool

const (
	goldSide side = true
	predSide side = false
)

func (s side) String() string {
	if s == goldSide {
		return "gold SQL"
	}
	return "SQL of the agent"
}

func (s side) query(in *scoring.Input) *scoring.Query {
	if s == goldSide {
		return in.Gold
	}
	return in.Pred
}

// script returns the parsed SQL of one side, shared by all metrics. It returns an empty script if the side has no
// query.
func script(in *scoring.Input, s side) *sqlparts.Script {
	if q := s.query(in); q != nil {
		return in.Texts().Parse(q.SQL, sqlparts.DialectOf(in.Case.Dialect))
	}
	return &sqlparts.Script{}
}

// withoutQuery returns the score if a side has no query to compare: not applicable if the gold SQL contains none, 0
// if the agent's contains none. Otherwise it returns false.
func withoutQuery(in *scoring.Input) (scoring.Score, bool) {
	switch {
	case script(in, goldSide).Final() == nil:
		return scoring.NotApplicable("the gold SQL holds no query"), true
	case script(in, predSide).Final() == nil:
		s := scoring.OK(0, "the SQL of the agent holds no query")
		s.Warnings = unread(in, goldSide, predSide)
		return s, true
	}
	return scoring.Score{}, false
}

// unread returns a warning for an unknown dialect, and for each kind of text that was not parsed, with the lines
// where it starts, since the score may be inaccurate.
func unread(in *scoring.Input, sides ...side) []string {
	warnings := in.Case.UnknownDialect()
	for _, s := range sides {
		sc := script(in, s)
		lines := map[string][]int{}
		var kinds []string
		for _, n := range sc.Notes {
			if lines[n.What] == nil {
				kinds = append(kinds, n.What)
			}
			start, _ := n.Range()
			lines[n.What] = append(lines[n.What], lineOf(sc.SQL, start))
		}
		for _, what := range kinds {
			at := lines[what]
			sort.Ints(at)
			w := fmt.Sprintf("%s, line %d: %s", s, at[0], what)
			if len(at) > 1 {
				w += " (and " + strconv.Itoa(len(at)-1) + " more)"
			}
			warnings = append(warnings, w)
		}
	}
	return warnings
}

// lineOf returns the line number of an offset, from 1.
func lineOf(text string, offset int) int {
	line := 1
	for i := range min(offset, len(text)) {
		if text[i] == '\n' {
			line++
		}
	}
	return line
}
