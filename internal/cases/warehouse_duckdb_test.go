//go:build !no_duckdb

package cases_test

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/cases"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// A filter chooses the same answers of a warehouse as of a file that holds them.
func TestOpenWarehouse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.duckdb")
	at := cases.Place{Flag: "--cases", URL: "duckdb:" + path}
	open := func(ctx context.Context, url string) (*store.Store, error) {
		if url != at.URL {
			t.Errorf("%s was opened, want %s", url, at.URL)
		}
		c, err := duckdb.OpenFile(ctx, path, driver.Options{})
		if err != nil {
			return nil, err
		}
		return store.New(connectors.New(c, duckdb.Dialect)), nil
	}
	w, err := open(t.Context(), at.URL)
	if err != nil {
		t.Fatal(err)
	}
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
	for _, f := range []store.Filter{
		{}, {By: scoring.By{Agent: "nova"}}, {By: scoring.By{Version: "1"}}, {By: scoring.By{Batch: "tue"}}, {By: scoring.By{Agent: "nova", Version: "1", Batch: "mon"}}, {By: scoring.By{Agent: "nova", Batch: "wed"}}, {By: scoring.By{Agent: scoring.Unnamed}},
	} {
		there, err := cases.Open(t.Context(), at, f, io.Discard, open)
		if err != nil {
			t.Fatalf("%+v: %v", f, err)
		}
		here, err := cases.OpenFile("--cases", file, f)
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
	_, err = cases.Open(t.Context(), at, store.Filter{SetVersion: "2"}, io.Discard, open)
	if want := `--set-version: badger.golden_set has no version "2"; it has 1`; !errcode.IsUsage(err) || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
	broken := errors.New("no such warehouse")
	if _, err := cases.Open(t.Context(), at, store.Filter{}, io.Discard, func(context.Context, string) (*store.Store, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("%v, want the error of opening", err)
	}
}

// A file is opened if one is named, and no warehouse besides.
func TestOpenOpensTheFile(t *testing.T) {
	in, err := cases.Open(t.Context(), cases.Place{Flag: "--cases", File: fileOf(t, answers), URL: "duckdb:w"}, store.Filter{By: scoring.By{Agent: "nova"}}, io.Discard, func(context.Context, string) (*store.Store, error) {
		t.Error("a warehouse was opened")
		return nil, errors.New("none")
	})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if d := cmp.Diff([]string{"a", "b"}, idsOf(t, in)); d != "" {
		t.Error(d)
	}
}
