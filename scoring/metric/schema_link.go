package metric

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

func init() {
	register(scoring.Metric{
		Name: "schema_link_f1", Display: "Right tables and columns",
		Version: 3, Group: "sql",
		Branch: scoring.BranchSQL, FailedQuery: scoring.FailedIsZero,
		Needs:   scoring.FieldGoldSQL | scoring.FieldPredSQL,
		Summary: "How far both queries use the same tables and columns, anywhere.",
		Range:   "0 to 1",
		Formula: "F1 = 2 · |G ∩ P| / (|G| + |P|) of the sets of identifiers. An identifier is a table, or a column with its table, that the query reads anywhere. Names " +
			"are in lower case and without schema; aliases are resolved. If the text does not say which table a column belongs to, it belongs to the table in scope " +
			"that has such a column according to either query. 0 if the agent's SQL holds no query.",
		Source:  "baseline M5 in BADGER, section 6.2 (schema-link F1 after Dr. Spider, Chang et al. 2023), with identifiers resolved rather than overlapping as tokens",
		Gaming:  "Naming the right tables and columns is enough, whatever is done with them: a query with the wrong aggregate, or one that lists every column, keeps much of it. Read it with a metric of the results.",
		Example: "gold uses t, t.a, t.b; the agent t, t.a, u, u.c: 2 of 3 and 2 of 4, F1 = 4/7.",
		Score:   schemaLinkF1,
	})
}

func schemaLinkF1(_ context.Context, in *scoring.Input) (scoring.Score, error) {
	if s, done := withoutQuery(in); done {
		return s, nil
	}
	gq, pq := script(in, goldSide).Final(), script(in, predSide).Final()
	// The schema is omitted, since the metric's SQL function has no argument for it.
	gb, pb := in.Texts().Bind("", in.Gold.SQL, in.Pred.SQL, sqlparts.DialectOf(in.Case.Dialect))
	g, p := identifiers(gq, gb.Columns(gq)), identifiers(pq, pb.Columns(pq))
	n, missing, extra := difference(g, p)
	s := scoring.OK(n.f1(),
		fmt.Sprintf("tables and columns: %d in gold, %d in the agent's query, %d in both", n.gold, n.pred, n.both))
	s.Detail = struct {
		componentDetail
		Recall    float64 `json:"recall"`
		Precision float64 `json:"precision"`
	}{componentDetail{n.gold, n.pred, n.both, missing, extra}, n.recall(), n.precision()}
	s.Warnings = unread(in, goldSide, predSide)
	return s, nil
}

// identifiers returns the tables that a query uses, and its columns as table.column, sorted.
func identifiers(q *sqlparts.Query, columns []sqlparts.ColumnRef) []string {
	var out []string
	for _, t := range sqlparts.Tables(q) {
		out = append(out, strings.ToLower(t.Last().Text))
	}
	for _, c := range columns {
		table := c.Table
		if table == "" {
			table = "?"
		}
		out = append(out, table+"."+c.Column)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
