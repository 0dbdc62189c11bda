package metric

import (
	"context"
	"strings"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

func init() {
	register(scoring.Metric{
		Name: "sql_complexity", Display: "Difficulty of the question",
		Version: 2, Group: "sql",
		Branch: scoring.BranchSQL, FailedQuery: scoring.FailedIsIgnored("it describes the case"),
		Needs:   scoring.FieldGoldSQL,
		Labels:  []string{"easy", "medium", "hard", "extra_hard"},
		Summary: "How complex the accepted query is. It describes the case, not the answer, and a case whose answer is missing has it too.",
		Range:   "1 easy, 2 medium, 3 hard, 4 extra_hard",
		Formula: "the names stand for the sizes of the component sets of the final SELECT. The first rule that holds decides. easy: select ≤ 1 and where ≤ 1, and no " +
			"group_by, order_by, join, nested condition or set operation. medium: select ≤ 3 and where ≤ 2, and no group_by, nested condition, set operation or " +
			"WITH. extra_hard: at least two of select > 3, where > 3, group_by > 2, nested condition, set operation, having, WITH, tables > 3. hard: select > 2, " +
			"where > 2, group_by ≥ 2, nested condition, set operation or WITH. medium otherwise. These tiers are not Spider's.",
		Source:  "BADGER, section 4.3, Algorithm 1, as printed",
		Gaming:  "It describes and does not judge. Nothing of the answer moves it.",
		Example: "SELECT count(*) FROM t: easy. SELECT a, b FROM t ORDER BY a: medium. WITH x AS (…) SELECT a, b, c, d FROM x: extra_hard, by select > 3 and WITH.",
		Score:   sqlComplexity,
	})
}

var tierValues = map[sqlparts.Tier]struct {
	label string
	value float64
}{sqlparts.Easy: {"easy", 1}, sqlparts.Medium: {"medium", 2}, sqlparts.Hard: {"hard", 3},
	sqlparts.ExtraHard: {"extra_hard", 4}}

// complexParts describes the signals of [sqlparts.Signals.Fired].
var complexParts = map[string]string{
	"select>3": "more than 3 selected columns", "where>3": "more than 3 conditions in WHERE",
	"group_by>2": "more than 2 grouping expressions", "nested": "a subquery in WHERE",
	"set_op": "UNION, INTERSECT or EXCEPT", "having": "HAVING", "cte": "WITH", "tables>3": "more than 3 tables",
}

func sqlComplexity(_ context.Context, in *scoring.Input) (scoring.Score, error) {
	q := script(in, goldSide).Final()
	if q == nil {
		return scoring.NotApplicable("the gold SQL holds no query"), nil
	}
	tier, sig := sqlparts.Complexity(sqlparts.Extract(q))
	t := tierValues[tier]
	s := scoring.OK(t.value, "no complex part; the tier is by the sizes of the clauses")
	if len(sig.Fired) > 0 {
		parts := make([]string, len(sig.Fired))
		for i, f := range sig.Fired {
			parts[i] = complexParts[f]
		}
		s.Reason = printable.Noun(len(parts), "complex part") + ": " +
			strings.Join(parts, ", ")
	}
	s.Label = t.label
	s.Detail = struct {
		Fired    []string `json:"fired"`
		Select   int      `json:"select"`
		Where    int      `json:"where"`
		GroupBy  int      `json:"group_by"`
		OrderBy  int      `json:"order_by"`
		Having   int      `json:"having"`
		Tables   int      `json:"tables"`
		HasJoin  bool     `json:"has_join"`
		Nested   bool     `json:"has_nested"`
		HasSetOp bool     `json:"has_set_op"`
		HasCTE   bool     `json:"has_cte"`
	}{
		append([]string{}, sig.Fired...), sig.Select, sig.Where, sig.GroupBy, sig.OrderBy, sig.Having, sig.Tables,
		sig.Join, sig.Nested, sig.SetOp, sig.CTE,
	}
	s.Warnings = unread(in, goldSide)
	return s, nil
}
