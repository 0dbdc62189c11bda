//go:build !no_duckdb

package casesource_test

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/casesource"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// A filter chooses the same answers of a warehouse as of a file that holds them.
func TestOpenWarehouse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.duckdb")
	open := func() *connectors.Warehouse {
		c, err := duckdb.OpenFile(t.Context(), path, driver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return connectors.New(c, duckdb.Dialect)
	}
	w := open()
	if err := w.Install(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{
		"INSERT INTO badger.golden_set (case_id, question, set_version) SELECT unnest(['a', 'b', 'c', 'd']), 'q', '1'",
		"INSERT INTO badger.agent_runs (case_id, agent_name, agent_version, batch_id) VALUES ('a', 'nova', '1', 'mon'), ('b', 'nova', '2', 'tue'), ('c', 'atlas', '1', 'mon'), ('d', NULL, NULL, NULL)",
	} {
		if err := w.Exec(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file := fileOf(t, answers)
	for _, f := range []connectors.Filter{
		{}, {Agent: "nova"}, {Version: "1"}, {Batch: "tue"}, {Agent: "nova", Version: "1", Batch: "mon"}, {Agent: "nova", Batch: "wed"}, {Agent: scoring.Unnamed},
	} {
		there, err := casesource.OpenWarehouse(t.Context(), io.Discard, open(), f)
		if err != nil {
			t.Fatalf("%+v: %v", f, err)
		}
		here, err := casesource.OpenFile("--cases", file, f)
		if err != nil {
			t.Fatal(err)
		}
		of := idsOf(t, there)
		slices.Sort(of)
		if d := cmp.Diff(idsOf(t, here), of); d != "" {
			t.Errorf("%+v: file and warehouse differ: %s", f, d)
		}
		if there.Tables == nil || len(there.Warehouses()) != 1 || there.Snapshots.Warehouse == nil {
			t.Errorf("%+v: results and judges are not those of the warehouse", f)
		}
		there.Close()
	}
	_, err := casesource.OpenWarehouse(t.Context(), io.Discard, open(), connectors.Filter{SetVersion: "2"})
	if want := `--set-version: badger.golden_set has no version "2"; it has 1`; !errcode.IsUsage(err) || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}
