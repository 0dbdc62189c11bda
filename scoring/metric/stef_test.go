package metric

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/prompt"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Equations 11 to 14 with tables 1 and 2, worked by hand.
func TestSTEFScore(t *testing.T) {
	for _, tc := range []struct {
		why, status, verdict string
		lenient              bool
		confidence           float64
		want                 float64
		tier                 string
	}{
		{"the greatest: (5 + 5) / 10 * 100 * 1", "fully_applied", "Correct", false, 1, 100, "excellent"},
		{"the greatest with leniency: (4 + 5 + 1) / 10 * 100 * 1 (section 4.6)", "fully_applied_with_extras", "Correct", true, 0.85, 100, "excellent"},
		{"extras that are not benign: (4 + 5) / 10 * 100", "fully_applied_with_extras", "Correct", false, 0.9, 90, "excellent"},
		{"(5 + 3) / 10 * 100", "fully_applied", "Likely Correct", false, 0.9, 80, "good"},
		{"(3 + 5) / 10 * 100", "partially_applied", "Correct", false, 0.9, 80, "good"},
		{"(5 + 5) / 10 * 100 * 0.8", "fully_applied", "Correct", false, 0.84, 80, "good"},
		{"(4 + 3) / 10 * 100", "fully_applied_with_extras", "Likely Correct", false, 0.9, 70, "marginal"},
		{"(4 + 3 + 1) / 10 * 100 * 0.8", "fully_applied_with_extras", "Likely Correct", true, 0.7, 64, "marginal"},
		{"(5 + 2) / 10 * 100 * 0.8", "fully_applied", "Potentially Incorrect", false, 0.65, 56, "marginal"},
		{"(5 + 5) / 10 * 100 * 0.5", "fully_applied", "Correct", false, 0.64, 50, "marginal"},
		{"(3 + 3) / 10 * 100 * 0.8", "partially_applied", "Likely Correct", false, 0.8, 48, "poor"},
		{"(4 + 5) / 10 * 100 * 0.5", "fully_applied_with_extras", "Correct", false, 0, 45, "poor"},
		{"the least of a verdict that is not Incorrect: 2 / 10 * 100 * 0.5 (section 4.6)", "not_applied", "Potentially Incorrect", false, 0.1, 10, "poor"},
		{"nothing is right", "not_applied", "Incorrect", false, 1, 0, "poor"},
	} {
		got := paperScale.score(tc.status, tc.verdict, tc.lenient, tc.confidence)
		if tier := paperScale.tier(got); got != tc.want || tier != tc.tier {
			t.Errorf("%s: %v %s, want %v %s", tc.why, got, tier, tc.want, tc.tier)
		}
	}
	for score, want := range map[float64]string{100: "excellent", 90: "excellent", 89: "good", 75: "good", 74: "marginal", 50: "marginal", 49: "poor", 0: "poor"} {
		if got := paperScale.tier(score); got != want {
			t.Errorf("%v is %s, want %s (Table 3)", score, got, want)
		}
	}
	for confidence, want := range map[float64]float64{1: 1, 0.85: 1, 0.8499: 0.8, 0.65: 0.8, 0.6499: 0.5, 0: 0.5} {
		if got, _ := paperScale.reliability(confidence); got != want {
			t.Errorf("multiplier of %v is %v, want %v (equation 13)", confidence, got, want)
		}
	}
}

// A scale of one's own keeps a perfect answer at 100 and its parts in order.
func TestSTEFScaleOfOnesOwn(t *testing.T) {
	for _, tc := range []struct{ why, options, wrong string }{
		{"the paper's, spelt out", `{"filter_points": [5, 4, 3, 0], "verdict_points": [5, 3, 2, 0], "leniency": 1, "confidence_limits": [0.85, 0.65], "multipliers": [1, 0.8, 0.5], "tiers": [90, 75, 50]}`, ""},
		{"filters weigh more", `{"filter_points": [7, 5, 3, 0], "verdict_points": [3, 2, 1, 0], "leniency": 2}`, ""},
		{"weights that do not sum", `{"filter_points": [6, 4, 3, 0]}`, "the highest are 6 and 5, which sum to 11; expected 10"},
		{"points out of order", `{"filter_points": [5, 3, 4, 0]}`, "filter_points[2] is 4, which is more than the 3 before it"},
		{"too few points", `{"verdict_points": [5, 0]}`, "verdict_points has 2 numbers, expected 4"},
		{"tiers out of order", `{"tiers": [50, 75, 90]}`, "tiers[1] is 75, which is more than the 50 before it"},
		{"a tier out of range", `{"tiers": [101, 75, 50]}`, "tiers[0] is 101, expected at least 0 and at most 100"},
		{"a limit that is a percentage", `{"confidence_limits": [85, 65]}`, "confidence_limits[0] is 85"},
		{"a negative multiplier", `{"multipliers": [1, 0.5, -1]}`, "multipliers[2] is -1"},
		{"leniency beyond what extras cost", `{"leniency": 2}`, "leniency is 2, expected at most 1"},
		{"an unknown name", `{"tier": [90, 75, 50]}`, "did you mean tiers"},
	} {
		err := stefDeclared.Check(json.RawMessage(tc.options))
		if tc.wrong == "" && err != nil || tc.wrong != "" && (err == nil || !strings.Contains(err.Error(), tc.wrong)) {
			t.Errorf("%s: %v, want %q", tc.why, err, tc.wrong)
		}
	}
	own := paperScale
	own.FilterPoints, own.VerdictPoints, own.Tiers = [4]float64{7, 5, 3, 0}, [4]float64{3, 2, 1, 0}, [3]float64{80, 60, 40}
	if got := own.score("partially_applied", "Correct", false, 0.7); got != 48 || own.tier(got) != "marginal" { // (3 + 3) / 10 * 100 * 0.8
		t.Errorf("%v %s, want 48 marginal", got, own.tier(got))
	}
}

func rulesOf(t *testing.T, options string) *stefRules {
	t.Helper()
	o := stefDeclared.Defaults
	if err := scoring.DecodeOptions(json.RawMessage(options), &o); err != nil {
		t.Fatal(err)
	}
	r, err := o.rules(sqlparts.Generic)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Section 3.2.3: what is the same filter.
func TestSTEFFiltersAreNormalized(t *testing.T) {
	rules := rulesOf(t, `{"column_mappings": {"region": "RegionName"}}`)
	for _, tc := range []struct {
		why   string
		asked stefFilter
		where string
		want  bool
	}{
		{"case and white space of a text", stefFilter{"country", "=", []string{" new  zealand"}}, "country = 'New Zealand'", true},
		{"a pattern without wildcards", stefFilter{"country", "=", []string{"china"}}, "country ILIKE 'China'", true},
		{"a pattern with wildcards is another filter", stefFilter{"country", "=", []string{"China"}}, "country ILIKE '%China%'", false},
		{"and is the same pattern", stefFilter{"country", "like", []string{"%china%"}}, "country LIKE '%China%'", true},
		{"a name by mapping", stefFilter{"Region", "=", []string{"APAC"}}, "t.RegionName = 'APAC'", true},
		{"a name in another notation", stefFilter{"product category", "=", []string{"Electronics"}}, `"Product_Category" = 'Electronics'`, true},
		{"another name", stefFilter{"country", "=", []string{"x"}}, "county = 'x'", false},
		{"a number as text", stefFilter{"year", "=", []string{"2023"}}, "year = '2023'", true},
		{"a number in another notation", stefFilter{"price", ">", []string{"10"}}, "price > 10.00", true},
		{"another number", stefFilter{"year", "=", []string{"2023"}}, "year = 2022", false},
		{"another operator", stefFilter{"price", ">", []string{"10"}}, "price >= 10", false},
		{"sides exchanged", stefFilter{"price", ">", []string{"10"}}, "10 < price", true},
		{"a list in another order", stefFilter{"c", "in", []string{"b", "a"}}, "c IN ('A', 'B')", true},
		{"a list of one", stefFilter{"c", "=", []string{"a"}}, "c IN ('a')", true},
		{"not a list of one", stefFilter{"c", "<>", []string{"a"}}, "NOT c IN ('a')", true},
		{"a comma inside a text", stefFilter{"c", "in", []string{"a, b", "it's"}}, "c IN ('a, b', 'it''s')", true},
		{"both bounds", stefFilter{"d", "between", []string{"2023-01-01", "2023-12-31"}}, "d BETWEEN DATE '2023-01-01' AND CAST('2023-12-31' AS DATE)", true},
		{"a bound with and in it", stefFilter{"d", "between", []string{"a and b", "c"}}, "d BETWEEN 'a and b' AND 'c'", true},
		{"no value", stefFilter{"d", "is null", nil}, "d IS NULL", true},
		{"the opposite", stefFilter{"d", "is null", nil}, "d IS NOT NULL", false},
		{"functions of case", stefFilter{"c", "=", []string{"x"}}, "LOWER(TRIM(c)) = 'x'", true},
		{"an absurd number is a text", stefFilter{"c", "=", []string{"1e999999999"}}, "c = '1E999999999'", true},
	} {
		q := sqlparts.Parse("SELECT 1 FROM t WHERE "+tc.where, sqlparts.Generic).Final()
		f, _ := sqlFilter(&conditionsOf(q)[0])
		if got := tc.asked.normal(rules.names).equal(f.normal(rules.names)); got != tc.want {
			t.Errorf("%s: %v and %s: %v, want %v", tc.why, tc.asked, tc.where, got, tc.want)
		}
	}
}

// Section 5, rules 1 to 4, by the paper's listings and by what the conditions leave out.
func TestSTEFNormalizationRules(t *testing.T) {
	for _, tc := range []struct {
		why, sql                         string
		required, orderDefault, limitOff bool
		benign                           []string
	}{
		{"listing 2", "SELECT Year, Country, SUM(Spend) AS TotalSpend FROM spend_table WHERE Country ILIKE '%China%' GROUP BY Year, Country", true, false, false, []string{"country"}},
		{"listing 3", "SELECT Country, SUM(Spend) AS TotalSpend FROM spend_table WHERE Country ILIKE '%China%' GROUP BY Country", true, false, false, []string{"country"}},
		{"listing 4", "SELECT Year, Country, SUM(Spend) AS TotalSpend FROM spend_table WHERE Country ILIKE '%China%' GROUP BY Year, Country ORDER BY SUM(Spend) DESC", true, true, false, []string{"country"}},
		{"listing 5", "SELECT Year, Country, SUM(Spend) AS TotalSpend FROM spend_table WHERE Country ILIKE '%China%' GROUP BY Year, Country ORDER BY SUM(Spend) DESC LIMIT 20000", true, true, true, []string{"country"}},
		{"rule 1: positions stand for columns", "SELECT a, sum(b) FROM t GROUP BY 1", true, false, false, nil},
		{"rule 1: a column that is not grouped by", "SELECT a, c, sum(b) FROM t GROUP BY a", false, false, false, nil},
		{"rule 1: more groups than columns", "SELECT a, sum(b) FROM t GROUP BY a, c", true, false, false, nil},
		{"rule 1: no aggregate", "SELECT a FROM t GROUP BY a", false, false, false, nil},
		{"rule 1: nothing but aggregates", "SELECT sum(b) FROM t GROUP BY a", false, false, false, nil},
		{"rule 1: a constant is no column", "SELECT 'x', a, sum(b) FROM t GROUP BY a", true, false, false, nil},
		{"rule 1: an aggregate over a window mixes nothing", "SELECT a, sum(b) OVER () FROM t GROUP BY a", false, false, false, nil},
		{"rule 1: every arm of a set operation", "SELECT a, sum(b) FROM t GROUP BY a UNION ALL SELECT a, b FROM u", false, false, false, nil},
		{"rule 2: equality with a constant", "SELECT a, sum(b) FROM t WHERE a = 1 AND c > 2 GROUP BY a, c", true, false, false, []string{"a"}},
		{"rule 2: one side of an OR holds nothing to a value", "SELECT a, sum(b) FROM t WHERE a = 1 OR a = 2 GROUP BY a", true, false, false, nil},
		{"rule 2: equality with a column", "SELECT a, sum(b) FROM t WHERE a = c GROUP BY a", true, false, false, nil},
		{"rule 2: equality with a subquery", "SELECT a, sum(b) FROM t WHERE a = (SELECT max(a) FROM t) GROUP BY a", true, false, false, nil},
		{"rule 2: not equal", "SELECT a, sum(b) FROM t WHERE NOT a = 1 GROUP BY a", true, false, false, nil},
		{"rule 3: an alias stands for its aggregate", "SELECT a, sum(b) AS total FROM t GROUP BY a ORDER BY total DESC", true, true, false, nil},
		{"rule 3: an aggregate upwards", "SELECT a, sum(b) FROM t GROUP BY a ORDER BY 2", true, false, false, nil},
		{"rule 3: a dimension upwards", "SELECT a, sum(b) FROM t GROUP BY a ORDER BY a", true, true, false, nil},
		{"rule 3: a dimension downwards", "SELECT a, sum(b) FROM t GROUP BY a ORDER BY a DESC", true, false, false, nil},
		{"rule 3: all keys", "SELECT a, sum(b) FROM t GROUP BY a ORDER BY sum(b) DESC, a", true, true, false, nil},
		{"rule 3: all keys, one of them neither", "SELECT a, sum(b) FROM t GROUP BY a ORDER BY sum(b) DESC, count(*) DESC", true, false, false, nil},
		{"rule 3: a column that is neither aggregate nor group", "SELECT a FROM t ORDER BY a", false, false, false, nil},
		{"rule 4: the threshold itself", "SELECT a FROM t LIMIT 1000", false, false, true, nil},
		{"rule 4: below it", "SELECT a FROM t LIMIT 999", false, false, false, nil},
		{"rule 4: TOP", "SELECT TOP 5000 a FROM t", false, false, true, nil},
	} {
		s := specOf(sqlparts.Parse(tc.sql, sqlparts.Generic).Final(), rulesOf(t, ""))
		if s.GroupByRequired != tc.required || s.OrderDefault != tc.orderDefault || s.LimitSafe != tc.limitOff || !slices.Equal(s.GroupByBenign, tc.benign) {
			t.Errorf("%s: required %v, benign %v, order %v, limit %v", tc.why, s.GroupByRequired, s.GroupByBenign, s.OrderDefault, s.LimitSafe)
		}
	}
}

func TestSTEFFilterStatus(t *testing.T) {
	const sql = "SELECT sum(x) FROM t WHERE a = 1 AND b = 2 AND tenant = 3 AND active = 1"
	rules := rulesOf(t, `{"ignore_filters": ["tenant"], "benign_filters": ["active = 1"]}`)
	spec := specOf(sqlparts.Parse(sql, sqlparts.Generic).Final(), rules)
	one := func(lhs, rhs, status string, about ...int) stefAsked {
		return stefAsked{stefFilter: stefFilter{lhs, "=", []string{rhs}}, Status: status, SQLFilters: about}
	}
	for _, tc := range []struct {
		why     string
		asked   []stefAsked
		status  string
		extras  int
		lenient bool
	}{
		{"all there, a benign extra", []stefAsked{one("a", "1", "applied", 1), one("b", "2", "applied", 3)}, fullyAppliedWithExtras, 1, true},
		{"all there by the texts alone", []stefAsked{one("a", "1", "missing"), one("b", "2", "incorrect")}, fullyAppliedWithExtras, 1, true},
		{"one of them is an extra that is not benign", []stefAsked{one("a", "1", "applied", 1)}, fullyAppliedWithExtras, 2, false},
		{"the extra was asked for", []stefAsked{one("a", "1", "applied"), one("b", "2", "applied"), one("state", "active", "applied", 2)}, fullyApplied, 0, false},
		{"one is wrong: what is about it is no extra", []stefAsked{one("a", "1", "applied"), one("b", "5", "incorrect", 3)}, partiallyApplied, 1, false},
		{"one is missing", []stefAsked{one("a", "1", "applied"), one("b", "2", "applied"), one("c", "9", "missing")}, partiallyApplied, 1, false},
		{"none is right", []stefAsked{one("c", "9", "missing"), one("b", "5", "incorrect", 3)}, notApplied, 2, false},
		{"an ignored one is not called for", []stefAsked{one("tenant", "4", "incorrect"), one("a", "1", "applied"), one("b", "2", "applied")}, fullyAppliedWithExtras, 1, true},
		{"only extras", nil, fullyAppliedWithExtras, 3, false},
	} {
		a, err := alignFilters(tc.asked, spec, rules)
		if err != nil || a.status != tc.status || len(a.extras) != tc.extras || a.lenient != tc.lenient {
			t.Errorf("%s: %s, extras %v, lenient %v, %v", tc.why, a.status, a.extras, a.lenient, err)
		}
	}
	for _, n := range []int{0, -1, 4} {
		if _, err := alignFilters([]stefAsked{one("a", "1", "applied", n)}, spec, rules); err == nil {
			t.Errorf("filter %d is accepted, the query has 3", n)
		}
	}
}

// Finding a filter is proof only where every row has passed it.
func TestBindingConditions(t *testing.T) {
	for _, tc := range []struct {
		why, sql string
		want     bool // a = 1 binds
	}{
		{"in WHERE", "SELECT x FROM t WHERE a = 1", true},
		{"in an AND", "SELECT x FROM t WHERE b = 2 AND (c = 3 AND a = 1)", true},
		{"in an OR", "SELECT x FROM t WHERE a = 1 OR b = 2", false},
		{"in an OR within an AND", "SELECT x FROM t WHERE c = 3 AND (a = 1 OR b = 2)", false},
		{"in an AND that is negated", "SELECT x FROM t WHERE NOT (a <> 1 AND b = 2)", false},
		{"negated twice", "SELECT x FROM t WHERE NOT a <> 1", true},
		{"in both", "SELECT x FROM t WHERE (a = 1 OR b = 2) AND a = 1", true},
		{"in an inner join", "SELECT x FROM t JOIN u ON t.id = u.id AND u.a = 1", true},
		{"in an OR of an inner join", "SELECT x FROM t JOIN u ON t.id = u.id OR u.a = 1", false},
		{"in a left join", "SELECT x FROM t LEFT JOIN u ON t.id = u.id AND u.a = 1", false},
		{"in WHERE beside a full join", "SELECT x FROM t FULL JOIN u ON t.id = u.id WHERE a = 1", true},
		{"in an inner join before a right join", "SELECT x FROM t JOIN u ON t.id = u.id AND u.a = 1 RIGHT JOIN v ON v.id = u.id", false},
		{"in a derived table", "SELECT x FROM (SELECT * FROM t WHERE a = 1) AS d", true},
		{"in a derived table that may lack a row", "SELECT x FROM u LEFT JOIN (SELECT * FROM t WHERE a = 1) AS d ON d.id = u.id", false},
		{"in a common table expression that is read", "WITH y AS (SELECT * FROM t WHERE a = 1), z AS (SELECT * FROM y) SELECT x FROM z", true},
		{"in one that is not read", "WITH y AS (SELECT * FROM t WHERE a = 1) SELECT x FROM t", false},
		{"in one that reads itself", "WITH RECURSIVE y AS (SELECT * FROM y WHERE a = 1) SELECT x FROM y", true},
		{"in an arm of a set operation", "SELECT x FROM t WHERE a = 1 UNION SELECT x FROM u", false},
		{"in a subquery of a condition", "SELECT x FROM t WHERE EXISTS (SELECT 1 FROM u WHERE a = 1)", false},
		{"in brackets around the whole", "(SELECT x FROM t WHERE a = 1)", true},
	} {
		q := sqlparts.Parse(tc.sql, sqlparts.Generic).Final()
		if got := bindingConditions(q)["a = 1"]; got != tc.want {
			t.Errorf("%s: %v, want %v", tc.why, got, tc.want)
		}
		if !slices.Contains(conditionTexts(conditionsOf(q)), "a = 1") {
			t.Errorf("%s: %v lacks a = 1", tc.why, conditionsOf(q))
		}
	}
}

// Common table expressions that read each other twice make no more work with each.
func TestBindingConditionsEnd(t *testing.T) {
	sql := "WITH c0 AS (SELECT * FROM t WHERE a = 1)"
	for i := range 200 {
		sql += fmt.Sprintf(", c%d AS (SELECT * FROM c%d x JOIN c%d y ON x.id = y.id)", i+1, i, i)
	}
	if !bindingConditions(sqlparts.Parse(sql+" SELECT * FROM c200", sqlparts.Generic).Final())["a = 1"] {
		t.Error("the condition at the bottom is not found")
	}
}

// One call, which sees what section 3 gives it and no reference: at temperature 0 (section 8.2).
func TestSTEFSeesNoReference(t *testing.T) {
	c, err := scoring.DecodeCase([]byte(`{"case_id": "1", "question": "Q-text", "schema_ddl": "S-text", "dialect": "duckdb",
		"gold": {"sql": "SELECT gold", "result": {"columns": [{"name": "c"}], "rows": [["gold-cell"]]}},
		"agent": {"sql": "SELECT country, sum(x) FROM t WHERE country = 'Norway' AND tenant_id = 7 GROUP BY country ORDER BY 2 DESC LIMIT 5000", "interpretation": "I-text", "result": {"columns": [{"name": "c"}], "rows": [["pred-cell"]]}},
		"options": {"stef": {"column_mappings": {"land": "country"}, "ignore_filters": ["tenant_id"], "benign_filters": ["country = 'norway'"]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	judge := &asked{replies: map[string]string{"stef": `{"outputs": [], "aggregations": [], "filters": [{"lhs": "land", "op": "=", "rhs": ["NORWAY"], "status": "applied", "sql_filters": [1]}], "group_by": [], "explicit_order": false, "top_k": false,
		"matches": {"outputs": true, "aggregations": true, "group_by": true}, "enrichment": "faithful", "enrichment_note": "", "reason": "", "verdict": "Correct", "confidence": 0.9`}}
	engine, err := scoring.NewEngine(All(), &scoring.EngineOptions{Judge: judge})
	if err != nil {
		t.Fatal(err)
	}
	scores, err := engine.Score(t.Context(), c, "stef")
	if err != nil {
		t.Fatal(err)
	}
	if s := scores[0]; s.Value != 100 || s.Usage == nil || s.Usage.Calls != 1 || len(judge.got) != 1 {
		t.Fatalf("%s %v %s, %d calls", s.Status, s.Value, s.Reason, len(judge.got))
	}
	r := judge.got[0]
	text := r.Messages[len(r.Messages)-1].Content
	for _, part := range []string{
		"Q-text", "I-text", "duckdb", "WHERE country = 'Norway'",
		"column mapping: land stands for country", "benign filter: country = 'norway'", "ignored filter: any condition on tenant_id",
		"filter 1: country = Norway (a benign default of the application)", "out of account: tenant_id = 7",
		"grouped by: country; the select list requires it; held to one value: country", "sorted by: sum(x) desc; a harmless default", "at most 5000 rows; a harmless safety limit",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("the judge does not see %s", part)
		}
	}
	for _, part := range []string{"S-text", "SELECT gold", "gold-cell", "pred-cell"} {
		if strings.Contains(text, part) {
			t.Errorf("the judge sees %s", part)
		}
	}
	if r.Temperature != 0 {
		t.Errorf("temperature %v, want 0", r.Temperature)
	}
}

// The enriched question is judged in the same call.
func TestSTEFEnrichmentCostsNoCall(t *testing.T) {
	c := &scoring.Case{ID: "c", Question: "Spend?", Pred: scoring.Query{SQL: "SELECT sum(spend) FROM t"}, Agent: scoring.Agent{Interpretation: "Total spend?"}}
	judge := &asked{replies: map[string]string{"stef": `{"outputs": ["spend"], "aggregations": [], "filters": [], "group_by": [], "explicit_order": false, "top_k": false,
		"matches": {"outputs": true, "aggregations": true, "group_by": true}, "enrichment": "faithful", "enrichment_note": "", "reason": "", "verdict": "Correct", "confidence": 0.9`}}
	engine, err := scoring.NewEngine(All(), &scoring.EngineOptions{Judge: judge})
	if err != nil {
		t.Fatal(err)
	}
	scores, err := engine.Score(t.Context(), c, "stef_enrichment", "stef")
	if err != nil {
		t.Fatal(err)
	}
	if scores[0].Value != 1 || scores[1].Value != 100 || len(judge.got) != 1 {
		t.Errorf("%v (%s), %v (%s), %d calls, want 1, 100 and 1 call", scores[0].Value, scores[0].Reason, scores[1].Value, scores[1].Reason, len(judge.got))
	}
}

func TestSTEFFactsAreBounded(t *testing.T) {
	var where []string
	for range 5000 {
		where = append(where, "c"+strings.Repeat("x", len(where)%977)+" = 'v'")
	}
	spec := specOf(sqlparts.Parse("SELECT a FROM t WHERE "+strings.Join(where, " AND "), sqlparts.Generic).Final(), rulesOf(t, ""))
	facts := spec.facts(true)
	if !strings.Contains(facts, "filter 100:") || strings.Contains(facts, "filter 101:") || !strings.Contains(facts, "more filters are left out") || len(facts) > 30_000 {
		t.Errorf("%d bytes of facts", len(facts))
	}
}

func TestSTEFVocabularyIsThatOfTheSchema(t *testing.T) {
	var schema struct {
		Properties struct {
			Verdict struct {
				Enum []string `json:"enum"`
			} `json:"verdict"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(prompt.STEF.Schema, &schema); err != nil {
		t.Fatal(err)
	}
	if len(schema.Properties.Verdict.Enum) != len(stefVerdicts) {
		t.Errorf("%v, want the verdicts of Table 2", schema.Properties.Verdict.Enum)
	}
	for _, v := range schema.Properties.Verdict.Enum {
		if !slices.Contains(stefVerdicts, v) {
			t.Errorf("no points for the verdict %s", v)
		}
	}
}

// Any text gives a specification whose filters have a normal form, and the same one again.
func FuzzSTEFSpec(f *testing.F) {
	for _, sql := range []string{
		"SELECT a, sum(b) FROM t WHERE c = 'x''y' AND d IN ('a, b', 1) AND e BETWEEN 'a and b' AND 2 GROUP BY a ORDER BY 2 DESC LIMIT 10",
		"WITH x AS (SELECT 1 WHERE a LIKE '%') SELECT * FROM x LEFT JOIN y ON x.a = y.a AND y.b = '' UNION SELECT 2 HAVING 1", "SELECT ((((", "SELECT '''",
	} {
		f.Add(sql)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		rules := &stefRules{names: stefNames{}, limitMin: stefLimitMin}
		q := sqlparts.Parse(sql, sqlparts.Generic).Final()
		if q == nil {
			return
		}
		s := specOf(q, rules)
		for i, x := range s.Filters {
			n := x.normal(rules.names)
			if again := n.normal(rules.names); !cmp.Equal(n, again) {
				t.Errorf("filter %d: the normal form %v has the normal form %v", i, n, again)
			}
		}
		if again := specOf(q, rules); s.facts(true) != again.facts(true) {
			t.Error("the same query gave other facts")
		}
	})
}
