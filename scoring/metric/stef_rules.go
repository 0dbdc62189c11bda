package metric

import (
	"maps"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// stefOptions are the application rules R_app (STEF, section 3.5, listing 1), the minimum of rule 4, and the scale.
type stefOptions struct {
	ColumnMappings map[string]string `json:"column_mappings"`
	BenignFilters  []string          `json:"benign_filters"`
	IgnoreFilters  []string          `json:"ignore_filters"`
	LimitMin       int64             `json:"limit_min"`

	FilterPoints     []float64 `json:"filter_points"`
	VerdictPoints    []float64 `json:"verdict_points"`
	Leniency         float64   `json:"leniency"`
	ConfidenceLimits []float64 `json:"confidence_limits"`
	Multipliers      []float64 `json:"multipliers"`
	Tiers            []float64 `json:"tiers"`
}

// stefLimitMin is the recommended λ_min (STEF, section 5.4): a LIMIT from it is a safety default.
const stefLimitMin = 1000

var stefDeclared = scoring.DeclareOptions(stefOptions{LimitMin: stefLimitMin, Leniency: paperScale.Leniency},
	func(o *stefOptions) error {
		if _, err := o.scale(); err != nil {
			return err
		}
		_, err := o.rules(sqlparts.Generic)
		return err
	},
	scoring.Option{Name: "column_mappings",
		Doc: "Words of questions, each with the name of the column that it stands for."},
	scoring.Option{Name: "benign_filters", Doc: "Conditions that a question need not ask for, such as \"status = 'Active'\"; each compares one column with constants."},
	scoring.Option{Name: "ignore_filters", Doc: "Columns whose conditions count neither as called for nor as extra."},
	scoring.Option{Name: "limit_min", Min: scoring.At(1),
		Doc: "The number of rows from which a LIMIT is a safety default."},
	scoring.Option{Name: "filter_points", Unset: "5, 4, 3, 0", Doc: "Points of fully_applied, fully_applied_with_extras, partially_applied and not_applied. The highest points of filters and verdict sum to 10."},
	scoring.Option{Name: "verdict_points", Unset: "5, 3, 2, 0",
		Doc: "Points of Correct, Likely Correct, Potentially Incorrect and Incorrect."},
	scoring.Option{Name: "leniency", Min: scoring.At(0), Max: scoring.At(stefBase),
		Doc: "Points for extras that are all benign; at most what extras cost."},
	scoring.Option{Name: "confidence_limits", Unset: "0.85, 0.65",
		Doc: "The confidence from which the reliability is high, and moderate."},
	scoring.Option{Name: "multipliers", Unset: "1, 0.8, 0.5",
		Doc: "The multiplier of high, moderate and low reliability."},
	scoring.Option{Name: "tiers", Unset: "90, 75, 50", Doc: "The score from which an answer is excellent, good and marginal. The threshold of passed is set apart from it, under thresholds."},
)

// stefRules are the application rules in the form in which they are applied.
type stefRules struct {
	names    stefNames
	benign   []stefFilter    // in the normal form
	ignored  map[string]bool // by key
	limitMin int64
	query    string // the letters and digits of the agent's query
}

func (o stefOptions) rules(dialect sqlparts.Dialect) (*stefRules, error) {
	bad := func(format string, args ...any) (*stefRules, error) {
		return nil, errcode.New(errcode.InvalidArgument, "option "+format, args...)
	}
	r := &stefRules{names: namesOf(o.ColumnMappings), ignored: map[string]bool{}, limitMin: o.LimitMin}
	for _, from := range slices.Sorted(maps.Keys(o.ColumnMappings)) {
		if nameKey(from) == "" || nameKey(o.ColumnMappings[from]) == "" {
			return bad("column_mappings: %.40q stands for %.40q, expected names", from, o.ColumnMappings[from])
		}
	}
	for i, text := range o.BenignFilters {
		script := sqlparts.Parse("SELECT 1 FROM t WHERE "+text, dialect)
		var conditions []sqlparts.Predicate
		if q := script.Final(); q != nil && len(script.Statements) == 1 && len(script.Notes) == 0 {
			if s, ok := q.Body.(*sqlparts.Select); ok && s.Group == nil && s.Having == nil && len(q.OrderBy) == 0 &&
				q.Limit == nil {
				conditions = sqlparts.Predicates(q)
			}
		}
		if len(conditions) != 1 {
			return bad("benign_filters, element %d, is not one condition such as \"status = 'Active'\"", i+1)
		}
		f, literal := sqlFilter(&conditions[0])
		if !literal {
			return bad("benign_filters, element %d, does not compare a column with constants", i+1)
		}
		r.benign = append(r.benign, f.normal(r.names))
	}
	for i, name := range o.IgnoreFilters {
		if nameKey(name) == "" {
			return bad("ignore_filters, element %d, is no name of a column", i+1)
		}
		r.ignored[r.names.key(name)] = true
	}
	return r, nil
}

// text returns the rules for a judge's prompt, one on each line, or "" if there are none.
func (o stefOptions) text() string {
	var out []string
	for _, from := range slices.Sorted(maps.Keys(o.ColumnMappings)) {
		out = append(out, "column mapping: "+from+" stands for "+o.ColumnMappings[from])
	}
	for _, f := range o.BenignFilters {
		out = append(out, "benign filter: "+f)
	}
	for _, f := range o.IgnoreFilters {
		out = append(out, "ignored filter: any condition on "+f)
	}
	return strings.Join(out, "\n")
}
