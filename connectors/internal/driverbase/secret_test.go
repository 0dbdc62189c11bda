package driverbase_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// Snowflake read passwords of several lines and of any size, and Databricks did not report whether a
// file exists.
func TestReadSecret(t *testing.T) {
	const secret = "hunter2"
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	env := map[string]string{"GOOD": " " + secret + "\n", "LINES": secret + "\n" + secret}
	for _, tc := range []struct{ why, file, env, want, says string }{
		{"a file", file("good", secret+"\r\n"), "", secret, ""},
		{"a variable", "", "GOOD", secret, ""},
		{"the file counts", file("other", "other"), "GOOD", "other", ""},
		{"no file", filepath.Join(dir, "nothing"), "", "", `engine: the file "nothing" of the token does not exist`},
		{"a directory", dir, "", "", "cannot be read"},
		{"a large file", file("large", strings.Repeat(secret, 1<<18)), "", "", "at most 1 MiB"},
		{"an empty file", file("empty", " \n"), "", "", `the file "empty" of the token is empty: expected one line`},
		{"two lines", file("lines", secret+"\n"+secret), "", "", `the file "lines" holds no token: expected one line`},
		{"no variable", "", "NOTHING", "", "engine: the environment variable NOTHING of the token is empty: expected one line"},
		{"two lines in a variable", "", "LINES", "", "the environment variable LINES holds no token: expected one line"},
	} {
		got, err := driverbase.ReadSecret("engine", "token", tc.file, tc.env, func(name string) string { return env[name] })
		if got != tc.want || (err == nil) != (tc.says == "") {
			t.Errorf("%s: %q, %v", tc.why, got, err)
		}
		if err != nil && (errcode.Of(err) != errcode.Unauthenticated || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), dir)) {
			t.Errorf("%s: %v, want it to say %q", tc.why, err, tc.says)
		}
	}
}
