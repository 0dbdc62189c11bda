package sqlparts

import (
	"reflect"
	"sync"
	"testing"
)

// SQL is parsed once in each dialect, for all its users; a nil *Texts parses it each time.
func TestTexts(t *testing.T) {
	var texts Texts
	const sql, ddl = "SELECT a FROM t", "CREATE TABLE t (a INT)"
	var all sync.WaitGroup
	scripts := make([]*Script, 8)
	for i := range scripts {
		all.Go(func() { scripts[i] = texts.Parse(sql, Postgres) })
	}
	all.Wait()
	for _, s := range scripts {
		if s != scripts[0] {
			t.Error("a text was read twice")
		}
	}
	if other := texts.Parse(sql, MySQL); other == scripts[0] || other.Dialect != MySQL {
		t.Error("a text of another dialect is another")
	}
	if first, second := texts.ReadSchema(ddl, Postgres), texts.ReadSchema(ddl, Postgres); first != second {
		t.Error("DDL was read twice")
	}
	var none *Texts
	if none.Parse(sql, Postgres).Final() == nil || len(none.ReadSchema(ddl, Postgres).Tables) != 1 {
		t.Error("a nil *Texts reads nothing")
	}
}

// A clone is equal to the query and shares no node with it.
func TestClone(t *testing.T) {
	if Clone(nil) != nil {
		t.Error("a clone of nothing")
	}
	for _, q := range loadCorpus(t) {
		of := Parse(q.SQL, DialectOf(q.Dialect)).Final()
		c := Clone(of)
		if !reflect.DeepEqual(of, c) {
			t.Fatalf("the clone of %s is another query", q.SQL)
		}
		if of == nil {
			continue
		}
		nodes := map[Node]bool{}
		Walk(of, func(n Node) bool { nodes[n] = true; return true })
		Walk(c, func(n Node) bool {
			if nodes[n] {
				t.Fatalf("%s: %T is shared", q.SQL, n)
			}
			return true
		})
	}
}
