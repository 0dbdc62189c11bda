//go:build !no_duckdb

package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// A database that does not exist is created with its tables, as by badger run; an address that is none is an error.
func TestPromoteCreatesTheDatabase(t *testing.T) {
	dir := t.TempDir()
	file, url := writeFile(t, "polite.yaml", politeJudge), "duckdb:"+filepath.Join(dir, "new.duckdb")
	code, _, log := badger(t, "judge", "promote", file, "--untested", "--to", url)
	if code != exitDone || !strings.Contains(log, "promoted ") {
		t.Fatalf("exit %d: %s", code, log)
	}
	w, err := openWarehouse(t.Context(), url, readOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if newest, err := w.NewestJudges(t.Context()); err != nil || len(newest) != 1 {
		t.Errorf("%d judges, %v", len(newest), err)
	}
	code, _, log = badger(t, "judge", "promote", file, "--untested", "--to", "duckdb:"+filepath.Join(dir, "none", "new.duckdb"))
	if code == exitDone || !strings.Contains(log, "--to: ") {
		t.Errorf("exit %d: %s", code, log)
	}
}
