package counterexample

import (
	"slices"
	"testing"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// A join by equal values makes no more rows than those that share one; without, it makes all pairs.
func TestWorkOfJoins(t *testing.T) {
	table := func(name string, values ...int64) Rows {
		of := &Table{Name: name}
		c := &Column{Name: "a", Kind: Int, table: of, used: true}
		of.Columns = []*Column{c}
		rows := Rows{Table: of, Columns: []*Column{c}}
		for _, v := range values {
			rows.Rows = append(rows.Rows, []Value{intValue(v)})
		}
		return rows
	}
	d := &Database{Tables: []Rows{table("x", 1, 2, 3, 4), table("y", 1, 1, 2, 3, 3, 3)}}
	stated := sqlparts.ReadSchema("CREATE TABLE x (a INT); CREATE TABLE y (a INT)", sqlparts.Postgres)
	schema := &Schema{stated: map[*sqlparts.Table]*Table{stated.Tables[0]: d.Tables[0].Table, stated.Tables[1]: d.Tables[1].Table}}
	for _, tc := range []struct {
		sql  string
		rows float64
	}{
		{"SELECT * FROM x, y", 24},
		{"SELECT * FROM x JOIN y ON x.a = y.a", 12}, // three rows of y share 3
		{"SELECT * FROM x JOIN y ON x.a > y.a", 24},
		{"SELECT * FROM x JOIN y ON x.a = y.a OR x.a = 1", 24},
		{"SELECT * FROM y JOIN x ON x.a = y.a", 6},
		{"SELECT * FROM y FULL JOIN x ON x.a = y.a", 10},
		{"SELECT * FROM x JOIN (SELECT a, count(*) AS n FROM y GROUP BY a) g ON g.a = x.a", 4},
		{"SELECT * FROM x JOIN (SELECT a AS b FROM y) g ON g.b = x.a", 12},
		{"SELECT * FROM x JOIN (x AS z JOIN y ON z.a = y.a) ON z.a = x.a", 48},
		{"SELECT max(a) FROM y", 1},
		{"SELECT a FROM y LIMIT 2", 2},
	} {
		script := sqlparts.Parse(tc.sql, sqlparts.Postgres)
		q, why := script.Whole()
		if q == nil {
			t.Fatalf("%s: %s", tc.sql, why)
		}
		s := &search{schema: schema}
		s.scripts[0], s.trees[0] = sqlparts.Bind(stated, script)[0], q
		if got := s.worker(d, 0).query(q).rows; got != tc.rows {
			t.Errorf("%s: %v rows, want %v", tc.sql, got, tc.rows)
		}
	}
}

// Types of structures are read with the brackets inside of them.
func TestStructuredTypes(t *testing.T) {
	for _, tc := range []struct {
		dialect sqlparts.Dialect
		text    string
		element string
		fields  [][2]string
		ok      bool
	}{
		{sqlparts.BigQuery, "array<struct<key string, n int64>>", "struct<key string, n int64>", nil, true},
		{sqlparts.BigQuery, "struct<a struct<x int64, y array<string>>, b numeric(10, 2)>", "", [][2]string{{"a", "struct<x int64, y array<string>>"}, {"b", "numeric(10, 2)"}}, true},
		{sqlparts.Databricks, "struct<a: int, b: array<struct<c: string>>>", "", [][2]string{{"a", "int"}, {"b", "array<struct<c: string>>"}}, true},
		{sqlparts.DuckDB, "struct(a integer, b varchar[])[]", "struct(a integer, b varchar[])", nil, true},
		{sqlparts.DuckDB, "struct(a integer, b varchar[])", "", [][2]string{{"a", "integer"}, {"b", "varchar[]"}}, true},
		{sqlparts.BigQuery, "struct<int64, string>", "", nil, false}, // fields without names
		{sqlparts.Postgres, "struct<a int>", "", nil, false},
		{sqlparts.BigQuery, "string", "", nil, false},
	} {
		fields, element, ok := structured(tc.text, tc.dialect)
		if ok != tc.ok || ok && (element != tc.element || !slices.Equal(fields, tc.fields)) {
			t.Errorf("%s: %q, %q, %v", tc.text, fields, element, ok)
		}
	}
}

// A pattern has one match where no rule of choice matters.
func TestOneMatchOfPatterns(t *testing.T) {
	for pattern, one := range map[string]bool{
		"a|b": true, "^x|x$": true, "https:|http_": true, "ab|a": false, "a|ab": false, "cat|dog|bird": true, "[0-9]|a": true, "[0-9]+|a": false, "a?b": false, "a+b": true, "a*?b": false, "(x|y)+z": true,
	} {
		tree, err := parsePattern(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := oneMatch(tree); got != one {
			t.Errorf("%s: %v, want %v", pattern, got, one)
		}
	}
}
