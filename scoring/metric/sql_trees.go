package metric

import (
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric/sqltree"
)

// schemaOf is what is known of the tables of a case, from its DDL; it is not stated where there is none.
func schemaOf(in *scoring.Input) *sqltree.Schema {
	return sqltree.ReadSchema(in.Case.Schema)
}

// trees builds the trees of both queries of a case, which must hold one each. They are the caller's to change.
func trees(in *scoring.Input) (g, p *sqltree.Query, schema *sqltree.Schema, warnings []string) {
	schema = schemaOf(in)
	built, whole := sqltree.Build(schema, script(in, goldSide).Final(), script(in, predSide).Final())
	warnings = unread(in, goldSide, predSide)
	if !whole {
		warnings = append(warnings, "common table expressions read each other so often that some were left unread")
	}
	return built[0], built[1], schema, warnings
}

// treesCompared is what comparing the trees of both queries said, once for tree_match and clause_similarity.
type treesCompared struct {
	equal      bool
	similarity float64
	stated     bool // the schema was given
	warnings   []string
}

func compareTrees(in *scoring.Input, rules sqltree.Rules) treesCompared {
	type key struct{ sqltree.Rules }
	return scoring.Memo(in, key{rules}, func() treesCompared {
		g, p, schema, warnings := trees(in)
		n := sqltree.Normalizer{Schema: schema, Rules: rules}
		g, p = n.Normalize(g), n.Normalize(p)
		c := treesCompared{equal: g.String() == p.String(), stated: schema.Stated, warnings: warnings}
		if c.similarity = 1; !c.equal {
			c.similarity = sqltree.Similarity(g, p)
		}
		return c
	})
}
