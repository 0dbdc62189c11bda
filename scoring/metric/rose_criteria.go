package metric

import (
	"maps"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// criterion is one of the acceptance criteria that a deployment configures (ROSE, section 3): which differences an
// answer may have. Each choice has a sentence for the judges.
type criterion struct {
	name    string
	choices []choice
}

type choice struct{ name, says string }

var criteria = []criterion{
	{"duplicates", []choice{
		{"allowed", "Repeated rows do not make a list wrong, also where the question says nothing of them."},
		{"forbidden", "A list in which rows are repeated that the question asks for once is wrong."},
	}},
	{"nulls", []choice{
		{"allowed", "NULL among the values of a list does not make it wrong."},
		{"forbidden", "A list that holds NULL where the question asks for values is wrong."},
	}},
	{"ties", []choice{
		{"any", "Where several rows tie, one of them is a right answer."},
		{"all", "Where several rows tie, all of them must be in the answer."},
	}},
	{"extra_columns", []choice{
		{"allowed", "Columns beside those that the question asks for do not make an answer wrong, as long as they do not change its rows."},
		{"forbidden", "Columns that the question does not ask for make an answer wrong."},
	}},
	{"readings", []choice{
		{"any", "Of several reasonable readings of the question, a query that commits to any of them is right."},
		{"reference", "Of several reasonable readings of the question, only the one that the reference follows is right, where a reference is shown."},
	}},
}

func (c *criterion) names() (out []string) {
	for _, ch := range c.choices {
		out = append(out, ch.name)
	}
	return out
}

// criteriaInWords returns a list of the criteria with the names of their choices.
func criteriaInWords() string {
	var parts []string
	for i := range criteria {
		parts = append(parts, criteria[i].name+": "+strings.Join(criteria[i].names(), " or "))
	}
	return strings.Join(parts, "; ") + "."
}

func checkCriteria(given map[string]string) error {
	var known []string
	for i := range criteria {
		known = append(known, criteria[i].name)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		at := slices.Index(known, name)
		if at < 0 {
			return errcode.New(errcode.InvalidArgument, "option criteria: unknown criterion %.40q; there are %s%s", name,
				strings.Join(known, ", "), scoring.Suggest(name, known))
		}
		if want := criteria[at].names(); !slices.Contains(want, given[name]) {
			return errcode.New(errcode.InvalidArgument, "option criteria.%s is %.40q, expected %s", name, given[name],
				strings.Join(want, " or "))
		}
	}
	return nil
}

// criteria returns the sentences of the configured choices and rules for the judges, or "" if nothing is configured.
func (o *roseOptions) criteria() string {
	var out []string
	for _, c := range criteria {
		for _, ch := range c.choices {
			if o.Criteria[c.name] == ch.name {
				out = append(out, ch.says)
			}
		}
	}
	for _, rule := range o.Rules {
		out = append(out, strings.TrimSpace(rule))
	}
	return strings.Join(out, "\n")
}
