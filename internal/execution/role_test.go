//go:build !no_duckdb

package execution_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	fakepostgres "github.com/badger-eval/badger/connectors/fake/postgres"
	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/execution"
	"github.com/badger-eval/badger/sql/store"
)

// Queries of others run with a role that only reads. A superuser is refused before anything runs.
func TestPostgresRoles(t *testing.T) {
	s, err := fakepostgres.Start(nil)
	if err != nil {
		t.Skipf("there is no PostgreSQL server to test with: %v", err)
	}
	t.Cleanup(s.Remove)
	open := func(ctx context.Context, url, _ string) (execution.Closer, error) {
		c, d, err := postgres.Open(ctx, url, driver.Options{ReadOnly: true})
		if err != nil {
			return nil, err
		}
		return store.New(connectors.New(c, d)), nil
	}
	owner := s.URL("postgres", s.Port)
	c, _, err := postgres.Open(t.Context(), owner, driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		"CREATE TABLE t AS SELECT 7 AS n", "CREATE ROLE reader LOGIN", "GRANT SELECT ON t TO reader", "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
		"CREATE ROLE filer LOGIN", "GRANT pg_read_server_files TO filer",
	} {
		if err := c.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for role, refused := range map[string]string{"owner": "is a superuser", "filer": "pg_read_server_files", "reader": ""} {
		x, err := execution.Open(execution.Config{URL: strings.Replace(owner, "owner", role, 1), Snapshots: "none"}, execution.OpenOptions{Now: time.Now, Open: open})
		if refused != "" {
			if errcode.Of(err) != errcode.PermissionDenied || !strings.Contains(err.Error(), refused) {
				t.Errorf("%s: %v, want it refused: %s", role, err, refused)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", role, err)
		}
		got := caseOf("SELECT n FROM t", "SELECT n + 1 FROM t -- x\r")
		if err := x.Fill(t.Context(), got); err != nil {
			t.Fatal(err)
		}
		if g, p := got.Golds[0].Result, got.Pred.Result; g.Table == nil || g.Table.Columns[0].Value(0).String() != "7" || p.Table == nil || p.Table.Columns[0].Value(0).String() != "8" {
			t.Errorf("%s: gold %v %s, agent %v %s", role, g.Err, got.Golds[0].Error, p.Err, got.Pred.Error)
		}
		x.Close()
	}
}
