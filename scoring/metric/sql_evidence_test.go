package metric

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// realPairs are the queries of the labelled cases, with their dialects.
func realPairs(t *testing.T) []*scoring.Input {
	t.Helper()
	var out []*scoring.Input
	for _, set := range []string{"rosevec/cases.jsonl", "flex200/cases.jsonl"} {
		for _, c := range recordedCases(t, set) {
			out = append(out, &scoring.Input{Case: c.Case, Gold: &c.Golds[0], Pred: &c.Pred})
		}
	}
	return out
}

// On real answers: a list of differences names what differs in the sets, says so if nothing
// there does, is the other way round for the other query, and stays short.
func TestDifferencesOfRealPairs(t *testing.T) {
	longest := 0
	for _, in := range realPairs(t) {
		text := differencesOf(in)
		if script(in, goldSide).Final() == nil || script(in, predSide).Final() == nil {
			if text != "" {
				t.Errorf("%s: differences without a query", in.Case.ID)
			}
			continue
		}
		longest = max(longest, len(text))
		sets := componentsOf(in)
		differ := false
		for _, c := range []sqlparts.Component{sqlparts.ComponentSelect, sqlparts.ComponentGroupBy, sqlparts.ComponentOrderBy, sqlparts.ComponentTables, sqlparts.ComponentKeywords} {
			n, _, _ := difference(sets.gold.Set(c), sets.pred.Set(c))
			named := strings.Contains("\n"+text, "\n"+componentNouns[c]+": ")
			differ = differ || named
			if named != (n.exact() == 0) {
				t.Errorf("%s: %s: named is %v, the sets share %d of %d and %d", in.Case.ID, c, named, n.both, n.gold, n.pred)
			}
		}
		if strings.HasPrefix(text, "none in the parts") && differ || text == "" {
			t.Errorf("%s: %s", in.Case.ID, text)
		}
		back := differencesOf(&scoring.Input{Case: in.Case, Gold: in.Pred, Pred: in.Gold})
		if strings.Count(text, "only the reference has") != strings.Count(back, "only the query to grade has") {
			t.Errorf("%s: the other way round\n%s\nis\n%s", in.Case.ID, text, back)
		}
	}
	if longest == 0 || longest > 6000 {
		t.Errorf("the longest list has %d bytes: prompts show 6,000 characters", longest)
	}
}

// On real queries: the filters of a specification are the conditions wherever they stand, and a
// question that called for just these finds every one applied that compares with constants and
// restricts all rows; the others are the judge's to say.
func TestSTEFSpecsOfRealQueries(t *testing.T) {
	filters := 0
	rules := rulesOf(t, "")
	for _, in := range realPairs(t) {
		for _, of := range []side{goldSide, predSide} {
			q := script(in, of).Final()
			if q == nil {
				continue
			}
			s := specOf(q, rules)
			if c := sqlparts.Extract(q); len(s.Filters)+len(joinsOf(q)) < len(c.Where) {
				t.Errorf("%s: %d filters, %d conditions in the final WHERE", in.Case.ID, len(s.Filters), len(c.Where))
			}
			var asked []stefAsked
			computed := 0
			for i, f := range s.Filters {
				if filters++; !s.decided[i] {
					computed++
				}
				asked = append(asked, stefAsked{stefFilter: f, Status: "missing"})
			}
			a, err := alignFilters(asked, s, rules)
			if err != nil || len(a.extras) > computed || computed == 0 && a.status != fullyApplied {
				t.Errorf("%s: its own filters are %s: %v %v", in.Case.ID, a.status, a.extras, err)
			}
		}
	}
	if filters < 1000 {
		t.Errorf("%d filters in all", filters)
	}
}
