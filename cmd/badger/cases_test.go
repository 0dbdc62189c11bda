//go:build !no_duckdb

package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Commands that only read cases open them alike: a file that is not there is an error that names the
// flag and the file.
func TestCommandsOpenCasesAlike(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "none.jsonl")
	if code, _, log := badger(t, "judge", "new", "short", "--dir", dir); code != exitDone {
		t.Fatalf("exit %d: %s", code, log)
	}
	for _, tc := range []struct {
		flag string
		args []string
	}{
		{"--cases", []string{"run", "--no-to", "--cases"}},
		{"--answer", []string{"policy", "--answer"}},
		{"--logic", []string{"policy", "--logic"}},
		{"--chosen", []string{"policy", "--chosen"}},
		{"--cases", []string{"judge", "test", filepath.Join(dir, "short.star"), "--cases"}},
		{"--cases", []string{"calibrate", "--cases"}},
	} {
		code, _, log := badger(t, append(tc.args, missing)...)
		if want := tc.flag + `: there is no file "none.jsonl"`; code != exitUsage || !strings.Contains(log, want) {
			t.Errorf("%v: exit %d %s, want %q", tc.args, code, log, want)
		}
	}
}
