//go:build !no_duckdb

package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

var demonstration struct {
	once sync.Once
	dir  string
}

// demoDatabase is the database of badger demo, scores included. It is not to be written to.
func demoDatabase(t testing.TB) string {
	t.Helper()
	d := &demonstration
	d.once.Do(func() {
		dir, err := os.MkdirTemp("", "badger-demo-")
		if err != nil {
			t.Fatal(err)
		}
		d.dir = dir
		atEnd = append(atEnd, func() { _ = os.RemoveAll(dir) })
		must(t, "demo", "--dir", dir, "--json")
	})
	return "duckdb:" + filepath.Join(d.dir, "demo.duckdb") + "?mode=ro"
}

func init() {
	demoFile = func(t testing.TB) string {
		return strings.TrimSuffix(strings.TrimPrefix(demoDatabase(t), "duckdb:"), "?mode=ro")
	}
}

// copyOfDemo is the file of a copy of that database, which may be written to.
func copyOfDemo(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile(demoFile(t))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "demo.duckdb")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
