package sqlproof

import (
	"slices"

	"github.com/badger-eval/badger/internal/halt"
	"github.com/badger-eval/badger/scoring/sqlparts"
	"github.com/badger-eval/badger/scoring/sqltree"
)

// Proof is the reason why two queries are equivalent.
type Proof struct {
	By       By       `json:"by"`
	Permuted bool     `json:"permuted,omitempty"` // the columns are in another order, or the same order is not proven
	Relies   []string `json:"relies,omitempty"`   // facts of the schema, and assumptions, that the proof uses
}

// By is the basis of a proof.
type By string

// Text: the scripts consist of the same tokens. Rules: the rules convert both queries to the same normal form.
const (
	Text  By = "text"
	Rules By = "rules"
)

// Same proves that the final queries of two scripts, bound together, return the same rows on every database with their
// schema, in the same order if a query specifies one. The order of columns may differ, and so may rows that the queries
// leave to chance, as a LIMIT without ORDER BY does. A nil result means that nothing is proven, not that they differ.
// If stop is given, the computation ends; a nil stop never is.
func Same(gold, pred *sqlparts.Bound, stop *halt.Signal) *Proof {
	if gold.Dialect != pred.Dialect || gold.Final() == nil || pred.Final() == nil {
		return nil
	}
	if sameText(gold.Script, pred.Script) {
		return &Proof{By: Text}
	}
	both := []*sqlparts.Bound{gold, pred}
	for _, s := range both {
		if q, _ := s.Whole(); q == nil {
			return nil
		}
	}
	m := &meaning{schema: sqltree.SchemaOf(gold.Schema), relies: map[string]bool{}}
	m.schema.Halt = stop
	var texts, ordered [2]string
	for i, s := range both {
		tree := m.normal(s)
		if tree == nil {
			return nil
		}
		var ok, ok2 bool
		texts[i], ok = write(s.Script, tree, delivered, stop)
		ordered[i], ok2 = write(s.Script, tree, positional, stop)
		if !ok || !ok2 {
			return nil
		}
	}
	if texts[0] != texts[1] {
		return nil
	}
	proof := &Proof{By: Rules, Permuted: ordered[0] != ordered[1]}
	for fact := range m.relies {
		proof.Relies = append(proof.Relies, fact)
	}
	slices.Sort(proof.Relies)
	return proof
}

// meaning holds what the trees of both queries share: the schema and the facts used.
type meaning struct {
	schema *sqltree.Schema
	relies map[string]bool
}

// build returns the tree of a script, or nil if it contains an unsupported construct.
func (m *meaning) build(s *sqlparts.Bound) *block {
	b := &builder{rules: rules{s.Dialect}, sql: s.SQL, bound: s, schema: m.schema, relies: m.relies,
		used: map[*sqlparts.CTE][]*block{}}
	tree := b.query(s.Final(), nil)
	if b.why != "" {
		return nil
	}
	order := 0
	for _, c := range b.ctes {
		if uses := b.used[c]; len(uses) > 1 && slices.ContainsFunc(uses, b.chancy) {
			order++
			for _, u := range uses {
				u.shared = order
			}
		}
	}
	return tree
}

// normal returns the tree of a script in normal form, or nil if it contains an unsupported construct.
func (m *meaning) normal(s *sqlparts.Bound) *block {
	tree := m.build(s)
	if tree == nil {
		return nil
	}
	n := &normalizer{rules: rules{s.Dialect}, schema: m.schema, nullable: map[*source]bool{}, relies: m.relies}
	n.query(tree)
	n.classes(tree)
	return tree
}

// write returns the canonical text of a tree, which is the same for equivalent trees in normal form. ok is false if it
// is too long.
func write(s *sqlparts.Script, tree *block, u use, stop *halt.Signal) (text string, ok bool) {
	p := &printer{stop: stop, rules: rules{s.Dialect}, labels: map[*source]string{}, ranks: map[*block][]int{},
		closed: map[*block]bool{}, turned: map[*full]bool{}, texts: map[*block]string{}}
	text = p.query(tree, 0, u)
	return text, !p.over
}

// chancy reports whether the rows or values of a query may differ between two runs: it has a limit, DISTINCT ON, a
// sample, a window function or an order-sensitive function.
func (r rules) chancy(q *block) bool {
	if q.limit != nil || q.offset != nil || len(q.distinctOn) > 0 || q.windowed() ||
		slices.ContainsFunc(q.terms, r.chancy) {
		return true
	}
	for _, s := range q.sources() {
		if s.block != nil && r.chancy(s.block) || s.table != "" && slices.Contains([]byte(s.table), ' ') {
			return true
		}
	}
	found := false
	q.clauses(func(e **expr) {
		found = found || (*e).has(r.ordered)
	})
	return found
}
