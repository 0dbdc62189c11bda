//go:build !no_duckdb

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// creating are the flags whose database is created if it does not exist.
var creating = []string{"run --to", "judge sentinel --to", "judge promote --to", "import traces --to", "install --apply", "calibrate --to"}

// A database that is read is not created, because its name may be mistyped.
func TestMistypedDatabases(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{"required": `{"case_id":"1","question":"Q","agent":{"sql":"SELECT 1"}}`, "argument": "x"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cases := [][]string{
		{"run", "--cases", "required", "--resume", "x", "--to", "duckdb:missing.duckdb"},
		{"import", "traces", "required", "--check", "--to", "duckdb:missing.duckdb"},
		{"export", "--tracking", "http://127.0.0.1:1", "--to", "mlflow", "--read-labels", "--db", "duckdb:missing.duckdb"},
		{"accept", "--list", "--db", "duckdb:missing.duckdb"},
		{"accept", "a@1", "--withdraw", "--db", "duckdb:missing.duckdb"},
	}
	for n, flags := range leaves(t) {
		for _, f := range flags {
			use, ok := useOf(n.Path(), f.Value)
			if ok && use == isRead && strings.Contains(f.PlaceHolder, "URL") && f.Name != "judge-url" && f.Name != "tracking" && !slices.Contains(creating, n.Path()+" --"+f.Name) {
				cases = append(cases, given(n, flags, dir, "--"+f.Name, "duckdb:missing.duckdb"))
			}
		}
	}
	missed := 0
	for _, args := range cases {
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		var out bytes.Buffer
		code := run(ctx, args, process{getenv: func(string) string { return "" }, stdin: strings.NewReader(""), stdout: &out, stderr: &out, now: time.Now})
		stop()
		if strings.Contains(out.String(), `"missing.duckdb" does not exist`) {
			missed++
		}
		if code == exitDone {
			t.Errorf("%s: succeeds\n%s", strings.Join(args, " "), &out)
		}
		for _, name := range []string{"missing.duckdb", "scores.duckdb"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
				t.Errorf("%s: %s is created\n%s", strings.Join(args, " "), name, &out)
				_ = os.Remove(filepath.Join(dir, name))
			}
		}
	}
	if len(cases) < 25 || missed < len(cases)/2 {
		t.Errorf("%d of %d commands miss the database, expected more", missed, len(cases))
	}
}
