//go:build !no_duckdb

package main

import (
	"os"
	"path/filepath"
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
