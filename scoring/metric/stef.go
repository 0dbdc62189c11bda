package metric

import (
	"context"
	"fmt"
	"slices"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/prompt"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

func init() {
	register(scoring.Metric{
		Name: "stef", Display: "Answers the question, without gold (STEF)",
		Version: 4, Group: "judge",
		Branch: scoring.BranchSQL, FailedQuery: scoring.FailedQuery{Status: scoring.StatusOK, Label: "poor"},
		Needs: scoring.FieldJudge | scoring.FieldQuestion | scoring.FieldPredSQL,
		Reads: scoring.FieldInterpretation, Context: scoring.FieldExecution,
		Summary: "How well the agent's query does what the question asks for, without a gold query, schema or result. Made " +
			"for monitoring in production. The label is excellent, good, marginal or poor.",
		Range: "0 to 100",
		Formula: "B / 10 · 100 · Γ with B = filters + verdict + leniency. filters: 5 fully_applied, 4 " +
			"fully_applied_with_extras, 3 partially_applied, 0 not_applied. verdict: 5 Correct, 3 Likely Correct, 2 " +
			"Potentially Incorrect, 0 Incorrect. leniency: 1 if the filters are fully applied with extras and all " +
			"extras are in benign_filters. Γ: 1 from a confidence of 0.85, 0.8 from 0.65, else 0.5. Labels: excellent " +
			"from 90, good from 75, marginal from 50, else poor. Options set other points, limits and tiers, which the detail then lists (scale). The parser reads the query: projections, aggregates, " +
			"grouping, order, limit, and all filters. From these it decides the normalization rules 1 to 4 (a GROUP BY " +
			"that the select list requires or whose column is held to one value, a default ORDER BY, a safety LIMIT). " +
			"The judge reads the question and the interpretation, which is the enriched question, in one call at " +
			"temperature 0. It says how the query handles each filter, and gives a verdict and a confidence. A filter " +
			"counts as applied, whatever the judge says, if the query contains it after normalization and all rows " +
			"have passed it. Normalization maps names, ignores case, white space and quotes, compares values as " +
			"numbers, and treats lists of one and patterns without wildcards as equality. A filter does not count as " +
			"applied, whatever the judge says, if the query has no condition and does not mention its values, or if the " +
			"only condition on the same column has the opposite operator, other numbers or another proper name. Then a " +
			"verdict above Potentially Incorrect counts as that, and a warning says why. Another value that may be a " +
			"code for the one asked for, such as status = 3 for completed, is a warning only. not_applied: the question " +
			"requires filters, and the query applies none of them correctly. fully_applied: neither the question nor the query has " +
			"filters. Without a query: 0, without a call. Detail: the specifications of both sides, the status of each " +
			"filter, extras, the results of the rules, enrichment (faithful, adds, loses, changes), reliability (high, " +
			"moderate, low).",
		Source: "STEF, equations 1 to 18, tables 1 to 3, sections 3.2 to 5.6 and listing 8; the threshold is that of the " +
			"tiers that need no human review",
		Gaming:    "There is no gold: the agent's own interpretation is evidence, so that an agent that words it after its query agrees with itself. stef_enrichment asks whether the interpretation is still the question. The judge extracts and does not grade, which leaves little to talk it into.",
		Example:   "all filters applied, an extra status = 'Active' that is benign, verdict Likely Correct, confidence 0.7: (4 + 3 + 1) / 10 · 100 · 0.8 = 64, marginal.",
		Threshold: scoring.At(75),
		Options:   stefDeclared.OptionSet,
		Score:     stef,
	})
	register(scoring.Metric{
		Name: "stef_enrichment", Display: "Question kept when enriched",
		Version: 2, Group: "judge",
		Branch: scoring.BranchSQL, FailedQuery: scoring.FailedIsNotApplicable,
		Needs:   scoring.FieldJudge | scoring.FieldQuestion | scoring.FieldPredSQL | scoring.FieldInterpretation,
		Context: scoring.FieldExecution,
		Labels:  []string{enrichmentFaithful, "adds", "loses", "changes"},
		Summary: "Whether the agent's enriched question still asks what the question asks.",
		Range:   "1 faithful, 0 adds, 0 loses, 0 changes",
		Formula: "faithful if the enriched question asks what the question asks, in the same or more words; adds if it has " +
			"conditions or assumptions that the question does not support; loses if a requirement is missing; changes " +
			"if it asks something else. The judge decides this in the call of stef, without another call if the " +
			"options are the same (they are the options of stef). Not applicable if the SQL holds no query.",
		Source:    "STEF, abstract and section 1: the quality of the enriched question as a separate signal; the four words are decided here",
		Gaming:    "Repeating the question as the interpretation is faithful. It judges the interpretation and not the query; read it with stef.",
		Example:   "question: Spend in 2023; enriched: Spend in 2022: changes, 0.",
		Threshold: scoring.At(1),
		Options:   stefDeclared.OptionSet,
		Score:     stefEnrichment,
	})
}

// enrichmentFaithful is the label of an enriched question with the same meaning as the question.
const enrichmentFaithful = "faithful"

// The filter statuses (STEF, Table 1).
const (
	fullyApplied           = "fully_applied"
	fullyAppliedWithExtras = "fully_applied_with_extras"
	partiallyApplied       = "partially_applied"
	notApplied             = "not_applied"
)

// verdictInPart is the best verdict on a query that does not apply a filter which the judge calls applied.
const verdictInPart = "Potentially Incorrect"

// stefReply is the judge's reply.
type stefReply struct {
	Outputs        []string          `json:"outputs"`
	Aggregations   []stefAggregation `json:"aggregations"`
	Filters        []stefAsked       `json:"filters"`
	GroupBy        []string          `json:"group_by"`
	ExplicitOrder  bool              `json:"explicit_order"`
	TopK           bool              `json:"top_k"`
	Matches        stefMatches       `json:"matches"`
	Enrichment     string            `json:"enrichment"`
	EnrichmentNote string            `json:"enrichment_note"`
	Reason         string            `json:"reason"`
	Verdict        string            `json:"verdict"`
	Confidence     float64           `json:"confidence"`
}

// stefMatches holds whether outputs, aggregations and grouping match (STEF, section 3.3).
type stefMatches struct {
	Outputs      bool `json:"outputs"`
	Aggregations bool `json:"aggregations"`
	GroupBy      bool `json:"group_by"`
}

// questionSpec is the specification that the judge extracts from the question (STEF, equations 1 to 4).
type questionSpec struct {
	Outputs       []string          `json:"outputs"`
	Aggregations  []stefAggregation `json:"aggregations"`
	GroupBy       []string          `json:"group_by"`
	ExplicitOrder bool              `json:"explicit_order"`
	TopK          bool              `json:"top_k"`
}

// stefDetail is the evidence of the metric stef.
type stefDetail struct {
	Question       questionSpec `json:"question"`
	Query          *querySpec   `json:"query"`
	Filters        []stefAsked  `json:"filters"` // of the question, without ignored ones
	Extras         []stefFilter `json:"extras"`  // filters of the query that the question does not ask for
	FilterStatus   string       `json:"filters_applied_status"`
	Matches        stefMatches  `json:"matches"`
	OrderBy        string       `json:"order_by"` // none, asked_for, default or unexpected
	Limit          string       `json:"limit"`    // none, asked_for, safety_default or unexpected
	Verdict        string       `json:"overall_verdict"`
	JudgeVerdict   string       `json:"judge_verdict,omitempty"` // if overall_verdict is another one
	Overruled      []string     `json:"overruled,omitempty"`     // why filters that the judge calls applied are not
	Confidence     float64      `json:"confidence"`
	Lenient        bool         `json:"lenient"`
	Reliability    string       `json:"reliability"`
	Tier           string       `json:"tier"`
	Scale          *stefScale   `json:"scale,omitempty"`      // set if it is not the paper's
	Enrichment     string       `json:"enrichment,omitempty"` // label of the enriched question, if there is one
	EnrichmentNote string       `json:"enrichment_note,omitempty"`
	Analysis       string       `json:"reason"`
}

// stefRead holds the judge's reply, the specification of the query, and the options.
type stefRead struct {
	stefReply
	spec  *querySpec
	rules *stefRules
	scale stefScale
}

// readSTEF parses the agent's query, and asks the judge for the question's specification and a comparison. If there
// is nothing to compare, none is the reason.
func readSTEF(ctx context.Context, in *scoring.Input) (r stefRead, none string, err error) {
	o, err := stefDeclared.Read(in)
	if err != nil {
		return r, "", err
	}
	if r.scale, err = o.scale(); err != nil {
		return r, "", err
	}
	if r.rules, err = o.rules(sqlparts.DialectOf(in.Case.Dialect)); err != nil {
		return r, "", err
	}
	sc := script(in, predSide)
	if sc.Final() == nil {
		return r, "the SQL of the agent holds no query", nil
	}
	r.spec = specOf(sc.Final(), r.rules)
	r.rules.query = queryKey(in.Pred.SQL, sqlparts.DialectOf(in.Case.Dialect))
	return r, "", in.AskOnce(ctx, prompt.STEF.Request(prompt.Material{
		Question: in.Case.Question, Earlier: in.Case.Agent.Earlier, Interpretation: in.Case.Agent.Interpretation,
		Dialect: in.Case.Dialect, PredSQL: in.Pred.SQL,
		Rules: o.text(), Facts: r.spec.facts(len(sc.Notes) == 0),
	}), &r.stefReply)
}

func stefEnrichment(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
	r, none, err := readSTEF(ctx, in)
	switch {
	case err != nil:
		return scoring.Score{}, err
	case none != "":
		return scoring.NotApplicable(none), nil
	case r.Enrichment == "none":
		return scoring.Score{}, unusable("it finds no enriched question where there is one")
	}
	s := scoring.OK(0, "the enriched question "+r.Enrichment+" what the question asks for")
	if s.Label = r.Enrichment; s.Label == enrichmentFaithful {
		s.Value, s.Reason = 1, "the enriched question asks what the question asks"
	}
	if s.Label == "adds" {
		s.Reason = "the enriched question adds to what the question asks for"
	}
	s.Detail = struct {
		Note string `json:"note,omitempty"`
	}{r.EnrichmentNote}
	return s, nil
}

func stef(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
	r, none, err := readSTEF(ctx, in)
	if err != nil {
		return scoring.Score{}, err
	}
	if none != "" {
		s := scoring.OK(0, none)
		s.Label = r.scale.tier(0)
		return s, nil
	}
	reply, spec, rules := r.stefReply, r.spec, r.rules
	a, err := alignFilters(reply.Filters, spec, rules)
	if err != nil {
		return scoring.Score{}, err
	}
	d := stefDetail{
		Question: questionSpec{nonNil(reply.Outputs), nonNil(reply.Aggregations), nonNil(reply.GroupBy), reply.ExplicitOrder,
			reply.TopK},
		Query: spec, Filters: a.asked, Extras: a.extras, FilterStatus: a.status, Matches: matches(reply, spec, rules),
		Verdict: reply.Verdict, Confidence: reply.Confidence, Lenient: a.lenient, Analysis: reply.Reason,
	}
	if len(a.overruled) > 0 && slices.Index(stefVerdicts, d.Verdict) < slices.Index(stefVerdicts, verdictInPart) {
		d.JudgeVerdict, d.Verdict = d.Verdict, verdictInPart // Correct and Likely Correct presume all filters
	}
	d.Overruled = a.overruled
	d.OrderBy = constructOf(len(spec.OrderBy) > 0, reply.ExplicitOrder || reply.TopK, spec.OrderDefault, "default")
	d.Limit = constructOf(spec.Limit != nil, reply.TopK, spec.LimitSafe, "safety_default")
	value := r.scale.score(d.FilterStatus, d.Verdict, d.Lenient, d.Confidence)
	_, d.Reliability = r.scale.reliability(d.Confidence)
	d.Tier = r.scale.tier(value)
	if r.scale.own {
		d.Scale = &r.scale
	}
	s := scoring.OK(value,
		fmt.Sprintf("%s: filters %s, verdict %s, %s confidence", d.Tier, d.FilterStatus, d.Verdict, d.Reliability))
	s.Label = d.Tier
	s.Warnings = slices.Concat(unread(in, predSide), a.overruled, a.doubts, reply.contradictions(d.Matches))
	if in.Case.Agent.Interpretation != "" {
		d.Enrichment, d.EnrichmentNote = reply.Enrichment, reply.EnrichmentNote
		if reply.Enrichment == "loses" || reply.Enrichment == "changes" {
			s.Warnings = append(s.Warnings, "the enriched question "+reply.Enrichment+" what the question asks for")
		}
	}
	s.Detail = d
	return s, nil
}

// constructOf classifies an ORDER BY or LIMIT by rules 3 and 4: "none" if the query does not have it, "asked_for" if
// the question asks for it, name if it is harmless, else "unexpected".
func constructOf(there, askedFor, harmless bool, name string) string {
	switch {
	case !there:
		return "none"
	case askedFor:
		return "asked_for"
	case harmless:
		return name
	}
	return "unexpected"
}

// matches returns the judge's matches, and adds those that the specifications prove: all requested aggregates are in
// the query with the same mapped columns; or the query groups by everything requested, and any other grouping is
// required by the select list or restricted to one value.
func matches(reply stefReply, spec *querySpec, rules *stefRules) stefMatches {
	m := reply.Matches
	m.Aggregations = m.Aggregations ||
		len(reply.Aggregations) > 0 && !slices.ContainsFunc(reply.Aggregations, func(a stefAggregation) bool {
			return !slices.ContainsFunc(spec.Aggregations, func(b stefAggregation) bool {
				return nameKey(a.Function) == nameKey(b.Function) && rules.names.key(a.Column) == rules.names.key(b.Column) &&
					a.Distinct == b.Distinct
			})
		})
	has := func(names []string, g string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return rules.names.key(n) == rules.names.key(g) })
	}
	missing := slices.ContainsFunc(reply.GroupBy, func(g string) bool { return !has(spec.GroupBy, g) })
	unexpected := !spec.GroupByRequired &&
		slices.ContainsFunc(spec.GroupBy,
			func(g string) bool { return !has(reply.GroupBy, g) && !slices.Contains(spec.GroupByBenign, g) })
	m.GroupBy = m.GroupBy || !missing && !unexpected
	return m
}

// unusable returns the error, with the code DataLoss, for a reply that satisfies its schema but contradicts itself or
// the query.
func unusable(format string, args ...any) error {
	return errcode.New(errcode.DataLoss, "judge reply: "+format, args...)
}
