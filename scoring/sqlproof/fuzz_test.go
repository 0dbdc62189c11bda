package sqlproof

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring/sqlparts"
	"github.com/badger-eval/badger/scoring/sqltree"
)

// FuzzSame feeds pairs of texts in every dialect: nothing panics, a proof does not depend on which
// query comes first, and a query is the same as itself however it is spaced.
func FuzzSame(f *testing.F) {
	for _, sql := range []string{
		"SELECT a FROM t", "SELECT * FROM (SELECT DISTINCT a FROM t ORDER BY a LIMIT 3) x JOIN u USING (a) WHERE x.a IN (SELECT y FROM v) ORDER BY 1",
		"WITH RECURSIVE r AS (SELECT 1 n UNION ALL SELECT n + 1 FROM r) SELECT * FROM r", "SELECT t.*, s.x.y FROM t, UNNEST(t.l) AS x WITH OFFSET AS o", "SELECT", "VALUES (1, 2), ()",
		"SELECT a FROM t LEFT JOIN (u FULL JOIN v ON u.a = v.a) ON t.a = u.a WHERE u.b IS NULL QUALIFY RANK() OVER w = 1 WINDOW w AS (ORDER BY b)",
		"SELECT f(DISTINCT a ORDER BY b LIMIT 1) FILTER (WHERE c), x -> x + 1 FROM t GROUP BY ALL HAVING COUNT(*) > 1", "(SELECT a FROM t UNION SELECT * FROM u) ORDER BY 1 LIMIT ?",
	} {
		f.Add(sql, strings.ToLower(sql), "", uint8(0))
		f.Add(sql, "SELECT a FROM u", keyedSchema, uint8(6))
	}
	f.Fuzz(func(t *testing.T, a, b, ddl string, dialect uint8) {
		d := sqlparts.Dialect(dialect % uint8(sqlparts.TSQL+1))
		x, y := sqlparts.Parse(a, d), sqlparts.Parse(b, d)
		schema := sqlparts.ReadSchema(ddl, d)
		if p, q := prove(x, y, schema), prove(y, x, schema); (p == nil) != (q == nil) {
			t.Errorf("proven in one direction only: %v, %v", p, q)
		}
		if x.Final() != nil && prove(x, sqlparts.Parse("\n"+a+" ", d), schema) == nil {
			t.Errorf("a query is not the same as itself")
		}
	})
}

// FuzzMeaning makes two queries and a database of numbers: where the queries are proven to be the
// same, DuckDB returns the same rows.
func FuzzMeaning(f *testing.F) {
	db := open(f, strings.Split(strings.TrimSpace(keyedSchema), "\n")...)
	schema := sqlparts.ReadSchema(keyedSchema, sqlparts.DuckDB)
	for seed := range uint64(50) {
		f.Add(seed, seed+1)
	}
	f.Fuzz(func(t *testing.T, seed, other uint64) {
		r := speaker{rand.New(rand.NewPCG(seed, other))}
		forms := map[string]string{}
		for range 60 {
			q := r.query()
			s := sqlparts.Parse(q, sqlparts.DuckDB)
			m := &meaning{schema: sqltree.SchemaOf(schema), relies: map[string]bool{}}
			tree := m.normal(sqlparts.Bind(schema, s)[0])
			if tree == nil {
				continue
			}
			form, ok := write(s, tree, delivered, nil)
			if before, known := forms[form]; ok && known && before != q {
				for _, stmt := range r.world() {
					if _, err := db.Exec(stmt); err != nil {
						t.Fatal(stmt, err)
					}
				}
				one, err := rows(db, before)
				two, err2 := rows(db, q)
				if err == nil && err2 == nil && !slices.Equal(one, two) {
					t.Errorf("proven to be the same, but they differ\n  %s: %q\n  %s: %q", before, one, q, two)
				}
			}
			forms[form] = q
		}
	})
}
