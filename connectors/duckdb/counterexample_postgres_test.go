//go:build !no_postgres

package duckdb_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/badger-eval/badger/connectors/duckdb"
	fakepostgres "github.com/badger-eval/badger/connectors/fake/postgres"
	"github.com/badger-eval/badger/scoring/counterexample"
)

// What refutes a rewrite refutes it in PostgreSQL, too: of the pairs of no known dialect, each whose
// queries it runs returns there what the counterexample says. Of the rewrites of Calcite it runs all.
func TestCounterexamplesAndPostgres(t *testing.T) {
	long(t)
	server, err := fakepostgres.Start(nil)
	if err != nil {
		t.Skipf("PostgreSQL is not here: %v", err)
	}
	t.Cleanup(server.Remove)
	conn, err := pgx.Connect(t.Context(), server.URL("postgres", server.Port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	e := duckdb.NewSmallDatabases(1)
	defer e.Close()
	for _, tc := range []struct {
		file  string
		least int // refutations whose queries PostgreSQL runs
	}{{"equivalence/literature.jsonl", 24}, {"equivalence/calcite.jsonl", 5}} {
		found, ran := 0, 0
		for _, p := range pairs(t, tc.file) {
			o, err := counterexample.Find(t.Context(), e, &counterexample.Problem{Gold: p.Gold.SQL, Pred: p.Agent.SQL, Dialect: p.Dialect, Schema: p.Schema, Time: 60_000})
			if err != nil {
				t.Fatal(err)
			}
			if !o.Found {
				continue
			}
			found++
			if _, err := conn.PgConn().Exec(t.Context(), "DROP SCHEMA IF EXISTS small CASCADE; CREATE SCHEMA small; SET search_path TO small; "+inPostgres(o.Tables)).ReadAll(); err != nil {
				t.Fatalf("%s: %v\n%s", p.CaseID, err, inPostgres(o.Tables))
			}
			var got [2][]string
			refused := ""
			for i, q := range []string{p.Gold.SQL, p.Agent.SQL} {
				// A name cannot begin with this character there.
				results, err := conn.PgConn().Exec(t.Context(), strings.ReplaceAll(q, "$f", "f_")).ReadAll()
				if err != nil {
					refused = err.Error()
					continue
				}
				for _, row := range results[0].Rows {
					var cells []string
					for _, cell := range row {
						cells = append(cells, cellText(cell))
					}
					got[i] = append(got[i], strings.Join(cells, "|"))
				}
				slices.Sort(got[i])
			}
			if refused != "" {
				t.Logf("%s is not run: %s", p.CaseID, refused)
				continue
			}
			ran++
			for i, want := range [][][]counterexample.Value{o.Gold.Rows, o.Pred.Rows} {
				var rows []string
				for _, row := range want {
					var cells []string
					for _, v := range row {
						text := []byte(v.String())
						if v.Kind == counterexample.Null {
							text = nil
						}
						cells = append(cells, cellText(text))
					}
					rows = append(rows, strings.Join(cells, "|"))
				}
				if slices.Sort(rows); !slices.Equal(rows, got[i]) {
					t.Errorf("%s: query %d returns %q in PostgreSQL, not %q, on\n%s", p.CaseID, i+1, got[i], rows, inPostgres(o.Tables))
				}
			}
			if o.Shows != counterexample.ShowsOrder && slices.Equal(got[0], got[1]) {
				t.Errorf("%s: both return %q in PostgreSQL", p.CaseID, got[0])
			}
		}
		t.Logf("%s: PostgreSQL runs %d of %d refutations", tc.file, ran, found)
		if ran < tc.least {
			t.Errorf("%s: PostgreSQL runs %d of %d refutations, want at least %d", tc.file, ran, found, tc.least)
		}
	}
}

// inPostgres makes the tables of a counterexample, by the kinds of their values.
func inPostgres(tables []counterexample.SmallTable) string {
	var b strings.Builder
	for _, t := range tables {
		var columns []string
		for k, name := range t.Columns {
			kind := t.Types[k]
			for _, row := range t.Rows {
				if row[k].Kind == counterexample.Text {
					kind = "text"
				}
			}
			columns = append(columns, fmt.Sprintf("%q %s", strings.ToLower(name), kind))
		}
		fmt.Fprintf(&b, "CREATE TABLE %q (%s);\n", strings.ToLower(t.Name), strings.Join(columns, ", "))
		for _, row := range t.Rows {
			var cells []string
			for _, v := range row {
				cell := v.SQL()
				if v.Kind == counterexample.Bool {
					cell = strconv.FormatBool(v.Int != 0)
				}
				cells = append(cells, cell)
			}
			fmt.Fprintf(&b, "INSERT INTO %q VALUES (%s);\n", strings.ToLower(t.Name), strings.Join(cells, ", "))
		}
	}
	return b.String()
}

// cellText is a cell as both engines write it: numbers with five digits behind the point.
func cellText(cell []byte) string {
	text := strings.TrimRight(string(cell), " ")
	switch {
	case cell == nil:
		return "NULL"
	case text == "t":
		text = "1"
	case text == "f":
		text = "0"
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(x, 0) {
		return strconv.FormatFloat(x, 'f', 5, 64)
	}
	return text
}
