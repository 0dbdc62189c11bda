package sqlproof

import (
	"slices"

	"github.com/badger-eval/badger/scoring/metric/sqltree"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Proof is why two queries are the same.
type Proof struct {
	By     string   `json:"by"`               // text: the same words; rules: the same after the rules
	Relies []string `json:"relies,omitempty"` // what the rules took from the schema
}

// Same proves that two scripts are one query each and return the same rows on every database with the schema, in the same order where one is
// asked for, up to the order of columns and to what the queries leave to chance. A nil result means that it is not proven, not that they differ.
func Same(gold, pred *sqlparts.Script, schema *sqltree.Schema) *Proof {
	g, p := single(gold), single(pred)
	if g == nil || p == nil || gold.Dialect != pred.Dialect {
		return nil
	}
	if sameText(gold, pred) {
		return &Proof{By: "text"}
	}
	if !kept(gold, g) || !kept(pred, p) {
		return nil
	}
	if schema == nil {
		schema = &sqltree.Schema{}
	}
	learned := map[[2]string]bool{}
	relies := map[string]bool{}
	texts := [2]string{}
	for round := range 2 {
		for i, s := range []*sqlparts.Script{gold, pred} {
			text, ok := canonical(s, s.Final(), schema, learned, relies, round == 1)
			if !ok {
				return nil
			}
			texts[i] = text
		}
	}
	if texts[0] != texts[1] {
		return nil
	}
	proof := &Proof{By: "rules"}
	for fact := range relies {
		proof.Relies = append(proof.Relies, fact)
	}
	slices.Sort(proof.Relies)
	return proof
}

// single is the query of a script that is nothing but one query that only reads, and was read whole.
func single(s *sqlparts.Script) *sqlparts.Query {
	if len(s.Notes) > 0 || len(s.Statements) != 1 || s.Statements[0].Kind != sqlparts.KindQuery || s.Statements[0].Effects&^sqlparts.Reads != 0 {
		return nil
	}
	return s.Statements[0].Query
}

// canonical is the normal form of a query; ok is false where it has something that the rules have no meaning for. The first time through, names are learned only.
func canonical(s *sqlparts.Script, q *sqlparts.Query, schema *sqltree.Schema, learned map[[2]string]bool, relies map[string]bool, write bool) (text string, ok bool) {
	b := &builder{rules: rules{s.Dialect}, sql: s.SQL, schema: schema, learned: learned, used: map[*sqlparts.CTE][]*block{}}
	tree := b.query(q, nil)
	if b.why != "" {
		return "", false
	}
	if !write {
		return "", true
	}
	order := 0
	for _, c := range b.ctes {
		if uses := b.used[c]; len(uses) > 1 && slices.ContainsFunc(uses, chancy) {
			order++
			for _, u := range uses {
				u.shared = order
			}
		}
	}
	n := &normalizer{rules: b.rules, schema: schema, nullable: map[*source]bool{}, relies: relies}
	n.query(tree)
	p := &printer{rules: b.rules, labels: map[*source]string{}, ranks: map[*block][]int{}}
	text = p.query(tree, 0, delivered)
	return text, !p.over
}

// chancy tells whether a query leaves to chance which rows it returns.
func chancy(q *block) bool {
	if q.limit != nil || q.offset != nil || len(q.distinctOn) > 0 || q.windowed() || slices.ContainsFunc(q.terms, chancy) {
		return true
	}
	for _, s := range q.sources() {
		if s.block != nil && chancy(s.block) || s.table != "" && slices.Contains([]byte(s.table), ' ') {
			return true
		}
	}
	found := false
	q.clauses(func(e **expr) {
		found = found || (*e).has(func(x *expr) bool { return x.op == opCall && inOrder[x.text] })
	})
	return found
}
