package metric

import (
	"slices"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/sqlparts"
	"github.com/badger-eval/badger/scoring/sqlproof"
	"github.com/badger-eval/badger/scoring/sqltree"
)

// schemaOf returns the schema of the case's tables, parsed from its DDL, or a schema without tables if the case has
// none.
func schemaOf(in *scoring.Input) *sqltree.Schema {
	type key struct{}
	return scoring.Memo(in, key{}, func() *sqltree.Schema {
		s := sqltree.SchemaOf(in.Texts().ReadSchema(in.Case.Schema, sqlparts.DialectOf(in.Case.Dialect)))
		s.Halt = in.Halt()
		return s
	})
}

// boundOf returns both queries of a case with their names resolved, by the case's schema and the table definitions in
// both scripts.
func boundOf(in *scoring.Input) (g, p *sqlparts.Bound) {
	text := func(s side) string {
		if q := s.query(in); q != nil {
			return q.SQL
		}
		return ""
	}
	return in.Texts().Bind(in.Case.Schema, text(goldSide), text(predSide), sqlparts.DialectOf(in.Case.Dialect))
}

// trees returns new trees of both queries of a case, which must have one query each, and the schema. The caller may
// modify them. whole is false if common table expressions expand to too much to build.
func trees(in *scoring.Input) (g, p *sqltree.Query, schema *sqltree.Schema, whole bool) {
	schema = schemaOf(in)
	gb, pb := boundOf(in)
	built, whole := sqltree.Build(schema, sqltree.Text{Bound: gb, Query: gb.Final()},
		sqltree.Text{Bound: pb, Query: pb.Final()})
	return built[0], built[1], schema, whole
}

// notWhole returns the score of queries whose trees would be too large.
func notWhole() scoring.Score {
	return scoring.Abstain("common table expressions read each other so often that there is too much to compare")
}

// treesCompared is the outcome of comparing the trees of both queries, for tree_match and clause_similarity.
type treesCompared struct {
	equal      bool
	similarity float64
	stated     bool // the case states a schema
	whole      bool
}

func compareTrees(in *scoring.Input, rules sqltree.Rules) treesCompared {
	type key struct{ sqltree.Rules }
	return scoring.Memo(in, key{rules}, func() treesCompared {
		g, p, schema, whole := trees(in)
		if !whole {
			return treesCompared{}
		}
		n := sqltree.Normalizer{Schema: schema, Rules: rules}
		g, p = n.Normalize(g), n.Normalize(p)
		same := g.String() == p.String() && sqlproof.SameStatements(script(in, goldSide), script(in, predSide))
		if gb, pb := boundOf(in); same {
			before := [2][]sqltree.Text{innerTexts(gb), innerTexts(pb)}
			trees, all := sqltree.Build(schema, slices.Concat(before[0], before[1])...)
			same = all && len(before[0]) == len(before[1])
			for i := range before[0] {
				same = same && n.Normalize(trees[i]).String() == n.Normalize(trees[len(before[0])+i]).String()
			}
		}
		c := treesCompared{equal: same, stated: schema.Stated, whole: true}
		if c.similarity = 1; g.String() != p.String() {
			c.similarity = sqltree.Similarity(g, p)
		}
		return c
	})
}

// innerTexts returns the queries of a script's statements before the last one.
func innerTexts(b *sqlparts.Bound) []sqltree.Text {
	var out []sqltree.Text
	for _, q := range sqlproof.Inner(b.Script) {
		out = append(out, sqltree.Text{Bound: b, Query: q})
	}
	return out
}
