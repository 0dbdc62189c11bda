package metric

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// measure is one way of comparing the set G of components of the gold query with the set P of the agent's.
type measure struct {
	name, display, summary, formula string
	of                              func(setCounts) float64
	threshold                       *float64
}

var measures = []measure{
	{"recall", "share of gold's found", "Share of the gold query's %s that the agent's query has.",
		"|G ∩ P| / |G|, and 1 where G is empty", setCounts.recall, nil},
	{"precision", "share that gold has too", "Share of the agent's %s that the gold query has.",
		"|G ∩ P| / |P|, and 1 where P is empty", setCounts.precision, nil},
	{"f1", "agreement", "How far the %s of both queries agree.",
		"2 · |G ∩ P| / (|G| + |P|), the harmonic mean of recall and precision; 1 where both are empty", setCounts.f1, nil},
	{"exact", "all the same", "Whether both queries have the same %s.", "1 if G = P, else 0", setCounts.exact,
		scoring.At(1)},
}

var componentNouns = map[sqlparts.Component]string{
	sqlparts.ComponentSelect: "select items", sqlparts.ComponentWhere: "conditions of WHERE",
	sqlparts.ComponentGroupBy: "grouping expressions",
	sqlparts.ComponentOrderBy: "sort keys", sqlparts.ComponentHaving: "conditions of HAVING and QUALIFY",
	sqlparts.ComponentTables: "base tables", sqlparts.ComponentKeywords: "keywords",
}

// componentDisplay are the display names of the components.
var componentDisplay = map[sqlparts.Component]string{
	sqlparts.ComponentSelect: "Selected columns", sqlparts.ComponentWhere: "Filters (WHERE)",
	sqlparts.ComponentGroupBy: "Grouping", sqlparts.ComponentOrderBy: "Sorting",
	sqlparts.ComponentHaving: "Group filters (HAVING)", sqlparts.ComponentTables: "Tables",
	sqlparts.ComponentKeywords: "Keywords",
}

func init() {
	const (
		normal = " The sets are those of the final SELECT; tables are all tables that the query reads. Names are in lower " +
			"case, without schema, alias and double-underscore prefix. Positions in GROUP BY and ORDER BY are resolved " +
			"(the documentation of scoring/sqlparts gives every rule)." + extractNote
		source = "BADGER, section 4.2, equation 1 and appendix A.1, after Spider, Yu et al. 2018"
	)
	for _, m := range measures {
		for _, c := range sqlparts.ComponentList {
			version := 2
			if c == sqlparts.ComponentWhere || c == sqlparts.ComponentHaving {
				version = 3
			}
			register(scoring.Metric{
				Name: "component_" + m.name + "_" + string(c), Version: version, Group: "sql",
				Display: componentDisplay[c] + ": " + m.display,
				Branch:  scoring.BranchSQL, FailedQuery: scoring.FailedIsZero,
				Needs:     scoring.FieldGoldSQL | scoring.FieldPredSQL,
				Summary:   fmt.Sprintf(m.summary, componentNouns[c]),
				Range:     rangeOf(m),
				Formula:   m.formula + ", of the sets of " + componentNouns[c] + "." + normal,
				Source:    source + sourceNote(m),
				Gaming:    gaming["component_one"],
				Example:   "select items: gold region, sum(amount); agent region, count(*): recall, precision and F1 are 0.5, exact is 0.",
				Threshold: m.threshold,
				Options:   extractDeclared.OptionSet,
				Score: func(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
					return scoreComponent(ctx, in, m, c)
				},
			})
		}
		all := "component_" + m.name
		version := 2
		formula := "the mean of component_" + m.name +
			"_* over select, where, group_by, order_by, having, tables and keywords"
		if m.name == "exact" {
			formula = "1 if all seven sets are equal, both scripts are statements of the same kinds and the sort keys put nulls in the same place, else 0"
			version = 3
		}
		register(scoring.Metric{
			Name: all, Version: version, Group: "sql",
			Display: "All query parts: " + m.display,
			Branch:  scoring.BranchSQL, FailedQuery: scoring.FailedIsZero,
			Needs:   scoring.FieldGoldSQL | scoring.FieldPredSQL,
			Summary: strings.TrimSuffix(fmt.Sprintf(m.summary, "components"), ".") + ", over all seven kinds.",
			Range:   rangeOf(m),
			Formula: formula + ". A kind that neither query has counts as 1, as in the paper's mean over seven. detail.stated is the figure over the kinds that at least one query has. 0 if the agent's SQL holds no query." + normal,
			Source: "BADGER, section 4.2, equation 1, and Table 2 (overall recall and F1 are means over all seven kinds)" +
				sourceNote(m),
			Gaming:    gaming[all],
			Example:   "queries that differ in one of two select items and in nothing else: recall is (0.5 + 6) / 7 = 0.929; without GROUP BY, ORDER BY and HAVING on either side, detail.stated is (0.5 + 3) / 4 = 0.875.",
			Threshold: m.threshold,
			Options:   extractDeclared.OptionSet,
			Score: func(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
				return scoreComponents(ctx, in, m)
			},
		})
	}
}

func rangeOf(m measure) string {
	if m.name == "exact" {
		return "0 or 1"
	}
	return "0 to 1"
}

func sourceNote(m measure) string {
	if m.name == "recall" || m.name == "precision" {
		return "; the paper prints the denominators of recall and precision exchanged"
	}
	return ""
}

// setCounts holds the sizes of two sets and of their intersection.
type setCounts struct{ gold, pred, both int }

func (c setCounts) recall() float64    { return ratio(c.both, c.gold) }
func (c setCounts) precision() float64 { return ratio(c.both, c.pred) }
func (c setCounts) f1() float64        { return ratio(2*c.both, c.gold+c.pred) }
func (c setCounts) exact() float64 {
	if c.both == c.gold && c.both == c.pred {
		return 1
	}
	return 0
}

// difference compares two sorted sets: c has their sizes and the size of the intersection, missing the elements that
// only gold has, and extra those that only pred has.
func difference(gold, pred []string) (c setCounts, missing, extra []string) {
	c.gold, c.pred = len(gold), len(pred)
	for i, j := 0, 0; i < len(gold) || j < len(pred); {
		switch {
		case j == len(pred) || i < len(gold) && gold[i] < pred[j]:
			missing = append(missing, gold[i])
			i++
		case i == len(gold) || pred[j] < gold[i]:
			extra = append(extra, pred[j])
			j++
		default:
			c.both++
			i++
			j++
		}
	}
	return c, missing, extra
}

// componentSets holds the components of both queries of a case.
type componentSets struct{ gold, pred sqlparts.Components }

func componentsOf(in *scoring.Input) *componentSets {
	type key struct{}
	return scoring.Memo(in, key{}, func() *componentSets {
		return &componentSets{sqlparts.Extract(script(in, goldSide).Final()), sqlparts.Extract(script(in, predSide).Final())}
	})
}

// componentDetail is the evidence of one component metric.
type componentDetail struct {
	Gold    int      `json:"gold"` // sizes of the sets
	Pred    int      `json:"pred"`
	Both    int      `json:"both"`
	Missing []string `json:"missing,omitempty"` // elements that only the gold query has
	Extra   []string `json:"extra,omitempty"`   // elements that only the agent's query has
}

func scoreComponent(ctx context.Context, in *scoring.Input, m measure, c sqlparts.Component) (scoring.Score, error) {
	sets, s, done, err := extract(ctx, in)
	if done || err != nil {
		return s, err
	}
	n, missing, extra := difference(sets.gold.Set(c), sets.pred.Set(c))
	reason := fmt.Sprintf("%s: %d in gold, %d in the agent's query, %d in both", componentNouns[c], n.gold, n.pred,
		n.both)
	if n.gold == 0 && n.pred == 0 {
		reason = "neither query has " + componentNouns[c]
	}
	s = scoring.OK(m.of(n), reason)
	s.Detail = struct {
		componentDetail
		ExtractedBy *extractedBy `json:"extracted_by,omitempty"`
	}{componentDetail{n.gold, n.pred, n.both, missing, extra}, sets.by}
	s.Warnings = sets.warnings
	return s, nil
}

func scoreComponents(ctx context.Context, in *scoring.Input, m measure) (scoring.Score, error) {
	sets, s, done, err := extract(ctx, in)
	if done || err != nil {
		return s, err
	}
	detail := struct {
		Stated      float64                                `json:"stated"` // mean over the kinds that a query has
		Components  map[sqlparts.Component]componentDetail `json:"components"`
		ExtractedBy *extractedBy                           `json:"extracted_by,omitempty"`
	}{Components: map[sqlparts.Component]componentDetail{}, ExtractedBy: sets.by}
	var sum float64
	kinds := 0
	var differ []string
	for _, c := range sqlparts.ComponentList {
		n, missing, extra := difference(sets.gold.Set(c), sets.pred.Set(c))
		v := m.of(n)
		sum += v
		if n.gold > 0 || n.pred > 0 {
			kinds++
			detail.Stated += v
		}
		if n.exact() == 0 {
			differ = append(differ, string(c))
		}
		detail.Components[c] = componentDetail{n.gold, n.pred, n.both, missing, extra}
	}
	if m.name == "exact" {
		differ = append(differ, besideComponents(script(in, goldSide), script(in, predSide))...)
	}
	s = scoring.OK(sum/float64(len(sqlparts.ComponentList)), "all components agree")
	if kinds > 0 {
		detail.Stated /= float64(kinds)
	}
	if len(differ) > 0 {
		s.Reason = "the queries differ in " + strings.Join(differ, ", ")
	}
	if m.name == "exact" && len(differ) > 0 {
		s.Value = 0
	}
	s.Detail = detail
	s.Warnings = sets.warnings
	return s, nil
}

// besideComponents returns the differences of two scripts that components do not show: different kinds of statements,
// or a different position of NULLs in ORDER BY.
func besideComponents(g, p *sqlparts.Script) (differ []string) {
	kind := func(a, b *sqlparts.Statement) bool { return a.Kind == b.Kind }
	if !slices.EqualFunc(g.Statements, p.Statements, kind) {
		differ = append(differ, "the kinds of statements")
	}
	gq, pq := g.Final(), p.Final()
	if gq != nil && pq != nil &&
		!slices.EqualFunc(gq.Order(), pq.Order(), func(a, b *sqlparts.OrderItem) bool { return a.Nulls == b.Nulls }) {
		differ = append(differ, "where nulls are sorted")
	}
	return differ
}
