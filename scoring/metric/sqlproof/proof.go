package sqlproof

import (
	"maps"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/metric/sqltree"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Proof is why two queries are the same.
type Proof struct {
	By       By       `json:"by"`
	Permuted bool     `json:"permuted,omitempty"` // the columns come in another order, or that is not proven
	Relies   []string `json:"relies,omitempty"`   // what the rules took from the schema, and what they assumed
}

// By is what a proof rests on.
type By string

// The texts are the same words, or the rules make one query of both.
const (
	Text  By = "text"
	Rules By = "rules"
)

// Same proves that two scripts return the same rows on every database with the schema, in the same
// order where one is asked for, up to the order of columns and to what the queries leave to chance.
// A nil result means that it is not proven, not that they differ.
func Same(gold, pred *sqlparts.Script, schema *sqltree.Schema) *Proof {
	if gold.Dialect != pred.Dialect || gold.Final() == nil || pred.Final() == nil {
		return nil
	}
	if sameText(gold, pred) {
		return &Proof{By: Text}
	}
	for _, s := range []*sqlparts.Script{gold, pred} {
		if q, _ := s.Whole(); q == nil {
			return nil
		}
	}
	if schema == nil {
		schema = &sqltree.Schema{}
	}
	scripts := []*sqlparts.Script{gold, pred}
	m := &meaning{schema: schema, learned: map[[2]string]bool{}, relies: map[string]bool{}}
	for _, s := range scripts { // which tables are named
		if m.build(s) == nil {
			return nil
		}
	}
	m.unify()
	for _, s := range scripts { // which columns they are said to have
		m.build(s)
	}
	var texts, ordered [2]string
	for i, s := range scripts {
		tree := m.normal(s)
		if tree == nil {
			return nil
		}
		var ok, ok2 bool
		texts[i], ok = write(s, tree, delivered)
		ordered[i], ok2 = write(s, tree, positional)
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

// meaning is what the trees of queries are made with.
type meaning struct {
	schema  *sqltree.Schema
	learned map[[2]string]bool // columns that queries say tables have
	paths   []map[string]bool  // the tables that each query names
	full    map[string]string  // the whole name of a table that is named in part
	apart   map[string]bool    // names that are of tables in several schemas
	relies  map[string]bool
}

// build makes the tree of a script, nil where it has something that the rules have no meaning for.
func (m *meaning) build(s *sqlparts.Script) *block {
	b := &builder{rules: rules{s.Dialect}, sql: s.SQL, schema: m.schema, learned: m.learned, full: m.full, apart: m.apart, paths: map[string]bool{}, used: map[*sqlparts.CTE][]*block{}}
	tree := b.query(s.Final(), nil)
	if b.why != "" {
		return nil
	}
	if m.full == nil {
		m.paths = append(m.paths, b.paths)
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

// unify takes a table without a schema or catalog for the one table of that name with one, unless
// one query names both.
func (m *meaning) unify() {
	m.full, m.apart = map[string]string{}, map[string]bool{}
	all := map[string]bool{}
	for _, paths := range m.paths {
		maps.Copy(all, paths)
	}
	for part := range all {
		m.schema.Halt.Check()
		var whole []string
		apart := false // one query tells them apart
		for o := range all {
			if strings.HasSuffix(o, "."+part) {
				whole = append(whole, o)
				apart = apart || slices.ContainsFunc(m.paths, func(paths map[string]bool) bool { return paths[part] && paths[o] })
			}
		}
		if len(whole) == 1 && !apart {
			m.full[part] = whole[0]
			m.relies[part+" is "+whole[0]] = true
		}
	}
	seen := map[string]string{}
	for path := range all {
		if whole, ok := m.full[path]; ok {
			path = whole
		}
		last := strings.ToLower(path[strings.LastIndexByte(path, '.')+1:])
		if other, ok := seen[last]; ok && other != path {
			m.apart[last] = true
		}
		seen[last] = path
	}
}

// normal is the tree of a script in normal form.
func (m *meaning) normal(s *sqlparts.Script) *block {
	tree := m.build(s)
	if tree == nil {
		return nil
	}
	n := &normalizer{rules: rules{s.Dialect}, schema: m.schema, nullable: map[*source]bool{}, relies: m.relies}
	n.query(tree)
	n.classes(tree)
	return tree
}

// write is the text of a tree that equal trees share; ok is false where it is too long.
func write(s *sqlparts.Script, tree *block, u use) (text string, ok bool) {
	p := &printer{rules: rules{s.Dialect}, labels: map[*source]string{}, ranks: map[*block][]int{}, closed: map[*block]bool{}, turned: map[*full]bool{}, texts: map[*block]string{}}
	text = p.query(tree, 0, u)
	return text, !p.over
}

// chancy tells whether a query leaves to chance which rows it returns.
func (r rules) chancy(q *block) bool {
	if q.limit != nil || q.offset != nil || len(q.distinctOn) > 0 || q.windowed() || slices.ContainsFunc(q.terms, r.chancy) {
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
