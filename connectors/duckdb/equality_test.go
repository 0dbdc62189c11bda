//go:build !no_postgres

package duckdb_test

import (
	"context"
	"testing"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	fakepostgres "github.com/badger-eval/badger/connectors/fake/postgres"
	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// Intervals, times of day with a zone and infinite times are equal to hybrid_ex where they are to the
// engine that has them. Whether they are, the engine is asked: two times of day with a zone, for one, are
// equal only in the same zone. Left out are intervals of which neither is written as only engines do, such
// as DuckDB's 1 month and 30 days, which may be words; and in DuckDB those of parts with different signs,
// of which it borrows no days. Metrics that compare values as a driver for Python
// returns them (ex_bird and its kin) see the texts.
func TestEqualToTheEngine(t *testing.T) {
	engines := map[string]func(t *testing.T) driver.Conn{
		"duckdb": func(t *testing.T) driver.Conn {
			c, err := duckdb.OpenFile(context.Background(), ":memory:", driver.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return c
		},
		"postgres": func(t *testing.T) driver.Conn {
			server, err := fakepostgres.Start(nil)
			if err != nil {
				t.Skipf("there is no PostgreSQL server to test with: %v", err)
			}
			t.Cleanup(server.Remove)
			c, _, err := postgres.Open(context.Background(), server.URL("postgres", server.Port), driver.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return c
		},
	}
	pairs := []struct{ engine, a, b string }{
		{"", "INTERVAL '36 hours'", "INTERVAL '1 day 12 hours'"},
		{"", "INTERVAL '36 hours'", "INTERVAL '1 day 13 hours'"},
		{"", "INTERVAL '48 hours'", "INTERVAL '2 days'"},
		{"", "INTERVAL '720 hours'", "INTERVAL '1 month'"},
		{"", "INTERVAL '14 months'", "INTERVAL '1 year 2 months'"},
		{"", "INTERVAL '1 day' - INTERVAL '24 hours'", "INTERVAL '0 hours'"},
		{"postgres", "INTERVAL '1 month' - INTERVAL '1 hour'", "INTERVAL '29 days 23 hours'"},
		{"", "INTERVAL '1 hour'", "INTERVAL '-1 hour'"},
		{"postgres", "INTERVAL '1 month'", "INTERVAL '30 days'"},
		{"postgres", "INTERVAL '1 month'", "INTERVAL '31 days'"},
		{"postgres", "INTERVAL '1 year'", "INTERVAL '365 days'"},
		{"", "CAST('12:00:00+02' AS TIMETZ)", "CAST('10:00:00+00' AS TIMETZ)"},
		{"", "CAST('12:00:00+02' AS TIMETZ)", "CAST('12:00:00+02:00' AS TIMETZ)"},
		{"", "CAST('12:00:00+02' AS TIMETZ)", "CAST('12:00:00+03' AS TIMETZ)"},
		{"", "CAST('infinity' AS TIMESTAMP)", "CAST('infinity' AS DATE)"},
		{"", "CAST('infinity' AS TIMESTAMP)", "CAST('-infinity' AS DATE)"},
		{"", "CAST('-infinity' AS TIMESTAMP)", "CAST('-infinity' AS DATE)"},
		{"duckdb", "CAST('infinity' AS TIMESTAMP_NS)", "CAST('infinity' AS TIMESTAMP)"},
		{"duckdb", "CAST('infinity' AS TIMESTAMP_S)", "CAST('infinity' AS TIMESTAMP_MS)"},
	}
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			c := open(t)
			defer c.Close() //nolint:errcheck // only read from
			for _, p := range pairs {
				if p.engine != "" && p.engine != name {
					continue
				}
				equal := table(t, c, "SELECT "+p.a+" = "+p.b+" AS equal").Columns[0].Value(0).Bool()
				answer := &scoring.Case{
					ID:    "c",
					Golds: []scoring.Query{{Result: scoring.Result{Table: table(t, c, "SELECT "+p.a+" AS v")}}},
					Pred:  scoring.Query{Result: scoring.Result{Table: table(t, c, "SELECT "+p.b+" AS v")}},
				}
				scores, err := engine.Score(context.Background(), answer, "hybrid_ex")
				if err != nil {
					t.Fatal(err)
				}
				if got := scores[0].Value == 1; got != equal || scores[0].Status != scoring.StatusOK {
					t.Errorf("%s and %s: %s %v, %s; to the engine %v", p.a, p.b, scores[0].Status, scores[0].Value, scores[0].Reason, equal)
				}
			}
		})
	}
}

// table is the result of a query.
func table(t *testing.T, c driver.Conn, query string) *scoring.Table {
	t.Helper()
	r, err := c.Query(context.Background(), query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer r.Release()
	got, err := arrowtable.Read(r, arrowtable.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return got
}
