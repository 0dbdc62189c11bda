//go:build !no_duckdb

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Flags that do not fit, and servers that cannot be used, are said, and the key is not.
func TestExportOfScoresMistakes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := "duckdb:" + filepath.Join(dir, "scores.duckdb")
	must(t, "run", "--cases", writeCases(t, dir, 1, 1), "--metrics", "hybrid_ex", "--to", db, "--quiet")
	lines := filepath.Join(dir, "lines")
	if err := os.WriteFile(lines, []byte(`{"case": "q1"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		code int
		says string
		args []string
	}{
		{exitUsage, "expected --db URL", []string{"--to", "mlflow", "--tracking", "http://127.0.0.1:1"}},
		{exitUsage, "expected langfuse or mlflow with --tracking", []string{"--to", "bird", "--tracking", "http://127.0.0.1:1", "--db", db}},
		{exitUsage, "--cases and --out write a file", []string{"--to", "mlflow", "--tracking", "http://127.0.0.1:1", "--db", db, "--out", "x"}},
		{exitUsage, "expected --tracking URL", []string{"--to", "mlflow", "--db", db}},
		{exitUsage, "expected --cases FILE, or --tracking URL", []string{"--to", "mlflow", "--out", "x"}},
		{exitUsage, "labels cannot be read from Langfuse", []string{"--to", "langfuse", "--tracking", "http://127.0.0.1:1", "--db", db, "--read-labels"}},
		{exitUsage, "holds no key", []string{"--to", "mlflow", "--tracking", "http://127.0.0.1:1", "--db", db, "--key-env", "NOT_SET_HERE"}},
		{exitUsage, `line 1: expected {"case_id"`, []string{"--to", "mlflow", "--tracking", "http://127.0.0.1:1", "--db", db, "--traces", lines}},
		{exitUsage, "a key is sent to https:// only", []string{"--to", "mlflow", "--tracking", "http://mlflow.example.com", "--db", db, "--key-env", "JUDGE_KEY"}},
		{exitFail, "MLflow cannot be reached", []string{"--to", "mlflow", "--tracking", "http://127.0.0.1:1", "--db", db, "--key-env", "JUDGE_KEY"}},
	} {
		code, _, stderr := badger(t, append([]string{"export"}, tc.args...)...)
		if code != tc.code || !strings.Contains(stderr, tc.says) || strings.Contains(stderr, testKey) {
			t.Errorf("%v: exit %d, expected %d and %q: %s", tc.args, code, tc.code, tc.says, stderr)
		}
	}
}
