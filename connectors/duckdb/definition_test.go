package duckdb_test

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/duckdb"
)

// The definition of a table or a view is the statement that made it. A table outside the current schema
// takes its name.
func TestDefinition(t *testing.T) {
	w, _ := installed(t)
	for _, statement := range []string{
		`CREATE TABLE district (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL UNIQUE)`,
		`CREATE TABLE "Client's" (id BIGINT, district INTEGER REFERENCES district (id), age DECIMAL(4, 1) CHECK (age >= 18))`,
		`CREATE VIEW names AS SELECT name, 1 AS "a ""b" FROM district`,
		`CREATE SCHEMA other`,
		`CREATE TABLE other.district (code VARCHAR)`,
		`CREATE TABLE other.apart (code VARCHAR)`,
	} {
		if err := w.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		name string
		want []string // nil: there is none
	}{
		{"DISTRICT", []string{"CREATE TABLE district(id INTEGER PRIMARY KEY, \"name\" VARCHAR NOT NULL UNIQUE)"}},
		{"Client's", []string{`CREATE TABLE "Client's"(`, "CHECK((age >= 18))", "FOREIGN KEY (district) REFERENCES district(id)"}},
		{"names", []string{`CREATE VIEW "names" AS SELECT`, "FROM district"}},
		{"other.district", []string{"(code VARCHAR)"}},
		{"apart", nil},
		{"x' OR true --", nil},
	} {
		table, err := w.Query(t.Context(), duckdb.Dialect.Definition(strings.Split(tc.name, ".")...))
		if err != nil || table.Rows() != 1 {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		got := table.Columns[0].Value(0).String()
		if tc.want == nil && !table.Columns[0].IsNull(0) {
			t.Errorf("%s: %s, want none", tc.name, got)
		}
		for _, want := range tc.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %s, want %q in it", tc.name, got, want)
			}
		}
	}
}
