package postgres_test

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/postgres"
)

// The definition of a table holds what the catalogue knows: types, keys, references and checks. That of
// a view is its query, and a table that the search path does not find takes its schema.
func TestDefinition(t *testing.T) {
	s := running(t)
	var m connectors.Mux
	m.Register(postgres.Scheme, postgres.Open)
	w, err := m.Open(t.Context(), s.URL(s.database(t), s.Port), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, statement := range []string{
		`CREATE TABLE district (id int PRIMARY KEY, name varchar(20) NOT NULL, UNIQUE (name))`,
		`CREATE TABLE "Client's" (id bigint, "District" int REFERENCES district (id), age numeric(4, 1) CHECK (age >= 18), twice numeric GENERATED ALWAYS AS (age * 2) STORED, gone int)`,
		`ALTER TABLE "Client's" DROP COLUMN gone`,
		`CREATE VIEW names AS SELECT name FROM district`,
		`CREATE SCHEMA other`,
		`CREATE TABLE other.district (code text)`,
		`CREATE TABLE other.apart (code text)`,
	} {
		if err := w.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		name string
		want []string // nil: there is none
	}{
		{"district", []string{"CREATE TABLE district (id integer NOT NULL, name character varying(20) NOT NULL, PRIMARY KEY (id), UNIQUE (name)"}},
		{"DISTRICT", []string{"CREATE TABLE district (id integer NOT NULL"}},
		{"Client's", []string{`CREATE TABLE "Client's" (id bigint, "District" integer, age numeric(4,1), twice numeric GENERATED ALWAYS AS (`, `FOREIGN KEY ("District") REFERENCES district(id)`, "CHECK ((age >= (18)::numeric))"}},
		{"names", []string{"CREATE VIEW names AS", "FROM district"}},
		{"other.district", []string{"CREATE TABLE district (code text)"}},
		{"apart", nil},
		{"x' OR true --", nil},
	} {
		table, err := w.Query(t.Context(), w.SQL().Definition(strings.Split(tc.name, ".")...))
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		got := ""
		if table.Rows() > 0 {
			got = table.Columns[0].Value(0).String()
		}
		if tc.want == nil && got != "" {
			t.Errorf("%s: %s, want none", tc.name, got)
		}
		for _, want := range tc.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %s, want %q in it", tc.name, got, want)
			}
		}
		if strings.Contains(got, "gone") || strings.Contains(got, "dropped") {
			t.Errorf("%s has a column that was dropped: %s", tc.name, got)
		}
	}
}
