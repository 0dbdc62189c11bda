package metric

import (
	"context"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

func init() {
	register(scoring.Metric{
		Name: "sql_complexity", Version: 1, Group: "sql",
		Branch: scoring.BranchSQL, FailedQuery: scoring.FailedIsIgnored("it describes the case"),
		Reads:   scoring.FieldGoldSQL,
		Context: scoring.FieldPredSQL,
		Labels:  []string{"easy", "medium", "hard", "extra_hard"},
		Summary: "How complex the query is that answers the question: the accepted one, or the agent's where none is given. It describes the case, not the answer.",
		Range:   "1 easy, 2 medium, 3 hard, 4 extra_hard",
		Formula: "the names stand for the sizes of the component sets of the final SELECT. The first rule that holds decides. easy: select ≤ 1 and where ≤ 1, and no " +
			"group_by, order_by, join, nested condition or set operation. medium: select ≤ 3 and where ≤ 2, and no group_by, nested condition, set operation or " +
			"WITH. extra_hard: at least two of select > 3, where > 3, group_by > 2, nested condition, set operation, having, WITH, tables > 3. hard: select > 2, " +
			"where > 2, group_by ≥ 2, nested condition, set operation or WITH. medium otherwise. These tiers are not Spider's.",
		Source:  "BADGER, section 4.3, Algorithm 1, as printed",
		Gaming:  "It describes and does not judge. Without an accepted query the agent's own tier counts, which needless joins, conditions and subqueries raise.",
		Example: "SELECT count(*) FROM t: easy. SELECT a, b FROM t ORDER BY a: medium. WITH x AS (…) SELECT a, b, c, d FROM x: extra_hard, by select > 3 and WITH.",
		Score:   sqlComplexity,
	})
}

// OfAgentsQuery ends the reason of a complexity that is the agent's query's, since no accepted one is
// given: another answer may have another.
const OfAgentsQuery = "; by the SQL of the agent, since no accepted query is given"

var tierValues = map[sqlparts.Tier]struct {
	label string
	value float64
}{sqlparts.Easy: {"easy", 1}, sqlparts.Medium: {"medium", 2}, sqlparts.Hard: {"hard", 3}, sqlparts.ExtraHard: {"extra_hard", 4}}

func sqlComplexity(_ context.Context, in *scoring.Input) (scoring.Score, error) {
	from := goldSide
	if script(in, goldSide).Final() == nil {
		from = predSide
	}
	q := script(in, from).Final()
	if q == nil {
		return scoring.NotApplicable("neither SQL holds a query"), nil
	}
	tier, sig := sqlparts.Complexity(sqlparts.Extract(q))
	t := tierValues[tier]
	s := scoring.OK(t.value, "no signal fired")
	if len(sig.Fired) > 0 {
		s.Reason = "fired: " + strings.Join(sig.Fired, ", ")
	}
	s.Label = t.label
	s.Detail = struct {
		Of       string   `json:"of"` // gold or agent: whose query it is
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
		map[side]string{goldSide: "gold", predSide: "agent"}[from], append([]string{}, sig.Fired...), sig.Select, sig.Where, sig.GroupBy, sig.OrderBy, sig.Having, sig.Tables,
		sig.Join, sig.Nested, sig.SetOp, sig.CTE,
	}
	if from == predSide {
		s.Reason += OfAgentsQuery
	}
	s.Warnings = unread(in, from)
	return s, nil
}
