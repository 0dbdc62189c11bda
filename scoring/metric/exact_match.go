package metric

import (
	"context"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/sqlparts"
	"github.com/badger-eval/badger/scoring/sqltree"
)

func init() {
	register(scoring.Metric{
		Name: "exact_match_spider", Display: "Same query by parts (Spider)",
		Version: 4, Group: "sql",
		Branch: scoring.BranchSQL, FailedQuery: scoring.FailedIsZero,
		Needs:   scoring.FieldGoldSQL | scoring.FieldPredSQL,
		Summary: "Whether the parts of both queries are the same sets, values and DISTINCT left out: the exact set match of the Spider benchmark.",
		Range:   "0 or 1",
		Formula: "1 if all of these are equal: the multiset of select items; the multiset of conditions of WHERE without their values, and the words (AND, OR) between " +
			"them; the multiset of tables; the names of the grouping columns; HAVING, if there is a GROUP BY; the sort keys, their direction, and whether there is " +
			"a LIMIT; the queries combined by UNION, INTERSECT and EXCEPT, compared the same way; and the keywords. A foreign key column and the column that it " +
			"refers to count as the same. Foreign keys come from schema_ddl, or, without it, from the joins of both queries. Subqueries must be in the same " +
			"order. Queries beyond Spider's grammar are compared in the same way. With the option strict, such an answer scores 0, and such a gold query makes the " +
			"metric not applicable.",
		Source:    "Spider, Yu et al. 2018, section 5 (arXiv:1809.08887); taoyds/spider b7b5b8c, evaluation.py and process_sql.py",
		Gaming:    "Values of conditions are ignored, as in the benchmark: WHERE x = 1 matches x = 2. component_exact compares them.",
		Example:   "SELECT name, age FROM singer WHERE age > 20 and SELECT T1.age, T1.name FROM singer AS T1 WHERE T1.age > 30: 1, for values are ignored.",
		Threshold: scoring.At(1),
		Options:   setMatchDeclared.OptionSet,
		Score:     exactMatchSpider,
	})
	register(scoring.Metric{
		Name: "exact_match_text", Display: "Same query, word for word",
		Version: 2, Group: "sql",
		Branch: scoring.BranchSQL, FailedQuery: scoring.FailedIsZero,
		Needs:   scoring.FieldGoldSQL | scoring.FieldPredSQL,
		Summary: "Whether both queries are the same text, white space and a last semicolon left out.",
		Range:   "0 or 1",
		Formula: "1 if the strings are equal after runs of white space are collapsed white space at both ends is removed, and so are semicolons at the end. White space " +
			"inside strings and quoted names counts, and so do the line break that ends a comment, case and quotes.",
		Source:    "ROSE, appendix A, exact match (EM)",
		Gaming:    "It cannot be raised without knowing gold; keep gold from the agent. It is 0 for nearly every right answer that is written in another way.",
		Example:   "SELECT a  FROM t; and SELECT a FROM t: 1. select a from t: 0.",
		Threshold: scoring.At(1),
		Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
			d := sqlparts.DialectOf(in.Case.Dialect)
			if sqlparts.OneSpace(in.Gold.SQL, d) == sqlparts.OneSpace(in.Pred.SQL, d) {
				return scoring.OK(1, "the texts are the same"), nil
			}
			return scoring.OK(0, "the texts differ"), nil
		},
	})
}

type setMatchOptions struct {
	Strict bool `json:"strict"`
}

var setMatchDeclared = scoring.DeclareOptions(setMatchOptions{}, nil,
	scoring.Option{Name: "strict", Doc: "Whether to read no more than Spider's own parser does: an answer beyond its grammar scores 0, a gold query beyond it is not applicable."},
)

func exactMatchSpider(_ context.Context, in *scoring.Input) (scoring.Score, error) {
	o, err := setMatchDeclared.Read(in)
	if err != nil {
		return scoring.Score{}, err
	}
	if s, done := withoutQuery(in); done {
		return s, nil
	}
	g, p, schema, whole := trees(in)
	if !whole {
		return notWhole(), nil
	}
	if o.Strict {
		beyond := func(s side, tree *sqltree.Query) string {
			why := sqltree.BeyondSpider(script(in, s).Final(), script(in, s).SQL)
			if why == "" && schema.Unknown(tree) {
				why = "a column that the schema does not have"
			}
			return why
		}
		if why := beyond(goldSide, g); why != "" {
			return scoring.NotApplicable("the gold SQL is beyond Spider's grammar: " + why), nil
		}
		if why := beyond(predSide, p); why != "" {
			return scoring.OK(0, "the SQL of the agent is beyond Spider's grammar: "+why), nil
		}
	}
	differ := sqltree.SetMatch(g, p, schema)
	s := scoring.OK(1, "all parts are the same")
	if len(differ) > 0 {
		s.Value, s.Reason = 0, "the queries differ in "+strings.Join(differ, ", ")
	}
	s.Detail = struct {
		Differ []string `json:"differ"`
	}{append([]string{}, differ...)}
	s.Warnings = unread(in, goldSide, predSide)
	return s, nil
}
