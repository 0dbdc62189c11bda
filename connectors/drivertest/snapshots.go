package drivertest

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

func (h Harness) snapshots(t *testing.T) {
	c := h.open(t)
	s, ok := c.(driver.SnapshotReader)
	if !ok {
		t.Skip("this connector reads no snapshots")
	}
	ctx := context.Background()
	for _, query := range []string{
		"CREATE SCHEMA s", "CREATE TABLE s.t AS SELECT 1 AS a", `CREATE TABLE "odd . ""name" AS SELECT 2 AS a`,
		"CREATE VIEW v AS SELECT 3 AS a", "CREATE TABLE plain AS SELECT 4 AS a",
	} {
		if query = h.spelled(query); query == "" {
			continue
		}
		if err := c.Exec(ctx, query); err != nil {
			t.Fatal(err)
		}
	}
	read := func(ref string) (*scoring.Table, error) {
		parsed, err := driver.ParseRef(ref)
		if err != nil {
			return nil, err
		}
		r, err := s.ReadSnapshot(ctx, parsed)
		if err != nil {
			return nil, err
		}
		defer r.Release()
		return arrowtable.Read(r, arrowtable.Limits{})
	}
	for ref, want := range map[string]string{
		"table:s.t": "1", `table:"odd . ""name"`: "2", "table:v": "3", "table:PLAIN": "4",
	} {
		if ref = h.spelled(ref); ref == "" {
			continue
		}
		if got, err := read(ref); err != nil || got.Columns[0].Value(0).String() != want {
			t.Errorf("%s: %v, %v, want %s", ref, got, err, want)
		}
	}
	// A file is not a table, even if the engine accepts its name.
	path := filepath.Join(t.TempDir(), "secret.csv")
	if err := os.WriteFile(path, []byte("a\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		why, ref string
		want     errcode.Code
	}{
		{"no such table", "table:nothing_here", errcode.NotFound},
		{"no such schema", "table:nothing_here.t", errcode.NotFound},
		{"a table of another schema", "table:t", errcode.NotFound},
		{"a file", `table:"` + path + `"`, errcode.NotFound},
		{"a file by parts", `table:"` + path[:len(path)-4] + `".csv`, errcode.NotFound},
		{"a file of the kind file", "file:" + path, errcode.Unimplemented},
	} {
		if got, err := read(tc.ref); code(c, err) != tc.want {
			t.Errorf("%s: %v, %v (%v), want %v", tc.why, got, err, code(c, err), tc.want)
		}
	}
	if _, err := read("query:01b2c3"); !h.Features.QueryByID && code(c, err) != errcode.Unimplemented {
		t.Errorf("a query's result: %v (%v), want unimplemented", err, code(c, err))
	}
	for _, ref := range []string{"table:plain@1", "table:plain@2024-01-01T00:00:00Z"} {
		if _, err := read(ref); !h.Features.TimeTravel && code(c, err) != errcode.Unimplemented {
			t.Errorf("%s: %v (%v), want unimplemented", ref, err, code(c, err))
		}
	}
}
