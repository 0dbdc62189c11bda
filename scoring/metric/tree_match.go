package metric

import (
	"context"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/sqltree"
)

func init() {
	register(scoring.Metric{
		Name: "tree_match", Display: "Same query tree",
		Version: 6, Group: "sql",
		Branch: scoring.BranchSQL, FailedQuery: scoring.FailedIsZero,
		Needs:   scoring.FieldGoldSQL | scoring.FieldPredSQL,
		Context: scoring.FieldSchema,
		Summary: "Whether both queries are the same up to differences that change no result: Enhanced Tree Match (ETM).",
		Range:   "0 or 1",
		Formula: "1 if the syntax trees are equal after names are resolved (aliases, schema prefixes, quotes, case, positions) and the published equivalence rules are " +
			"applied, else 0. The rules ignore the order of AND, OR, joins, groups and select items. They expand BETWEEN, IN lists, NOT, IIF and LIKE prefixes. " +
			"They treat as the same: IN with a key and a join; MIN or MAX and ORDER BY … LIMIT 1; set operations and conditions; common table expressions and " +
			"subqueries; COUNT of a column that is never NULL and COUNT(*). They drop joins, DISTINCT and IS NOT NULL that a key makes useless. The documentation " +
			"of scoring/sqltree lists them all. Keys come from schema_ddl. Without it, a column counts as a key if its name is id or its table's name " +
			"followed by id. 0 if the agent's SQL holds no query.",
		Source:    "Ascoli, Kandikonda, Choi 2024, arXiv:2407.07313 (rules 1-26 and 100-108 of emorynlp/ETM e1cfb07), with rule 2, 4, 13, 20 and 25 held to the conditions under which they are true; ROSE, appendix A",
		Gaming:    "It cannot be raised without knowing gold; keep gold from the agent. Its rules are those of a careful reader and no proofs: max(a) matches ORDER BY a DESC LIMIT 1, which differ where the table is empty, and two aliases of the output that change places still match. verdict rests on proofs.",
		Example:   "SELECT T1.a FROM t AS T1 JOIN u ON u.id = T1.id WHERE x BETWEEN 1 AND 2 and SELECT a FROM u INNER JOIN t ON t.id = u.id WHERE x <= 2 AND x >= 1: 1.",
		Threshold: scoring.At(1),
		Options:   treeDeclared.OptionSet,
		Score:     treeMatch,
	})
}

type treeOptions struct {
	ColumnOrder string `json:"column_order"`
}

var treeDeclared = scoring.DeclareOptions(treeOptions{ColumnOrder: "ignore"}, nil,
	scoring.Option{Name: "column_order", Choices: []string{"ignore", "keep"},
		Doc: "Whether the order of the select list counts: ignore, as published, or keep."},
)

func treeMatch(_ context.Context, in *scoring.Input) (scoring.Score, error) {
	o, err := treeDeclared.Read(in)
	if err != nil {
		return scoring.Score{}, err
	}
	if s, done := withoutQuery(in); done {
		return s, nil
	}
	c := compareTrees(in, sqltree.Rules{ColumnOrder: o.ColumnOrder == "keep"})
	if !c.whole {
		return notWhole(), nil
	}
	s := scoring.OK(0, "the queries differ")
	if c.equal {
		s.Value, s.Reason = 1, "the queries are the same up to differences that change no result"
	}
	s.Detail = struct {
		Similarity float64 `json:"similarity"` // similarity of the trees, as in clause_similarity
		Keys       string  `json:"keys"`       // source of the keys of tables
	}{c.similarity, map[bool]string{true: "schema", false: "assumed from names"}[c.stated]}
	s.Warnings = unread(in, goldSide, predSide)
	return s, nil
}
