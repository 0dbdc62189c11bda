package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Every connector can be left out, and a build without it names it: in --version, and where
// somebody asks for it.
func TestBuildsSayWhatTheyLack(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command here")
	}
	binary := filepath.Join(t.TempDir(), "badger")
	tags := "no_bigquery,no_databricks,no_duckdb,no_postgres,no_snowflake"
	build := exec.CommandContext(t.Context(), "go", "build", "-tags", tags, "-ldflags", "-s -w -X main.release=v9.8.7", "-o", binary, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build -tags %s: %v\n%s", tags, err, out)
	}
	badger := func(args ...string) (code int, out string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), binary, args...)
		cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "BADGER_") }) // those of tests name no keys
		b, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return exit.ExitCode(), string(b)
		}
		if err != nil {
			t.Fatal(err)
		}
		return 0, string(b)
	}
	_, out := badger("--version")
	for _, want := range []string{"v9.8.7\n", "\ngo: go1.", "\nconnectors: none\n", "\nbuilt without: bigquery, databricks, duckdb, postgres, snowflake\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("--version lacks %q:\n%s", want, out)
		}
	}
	for scheme, connector := range connectorSchemes {
		for _, args := range [][]string{{"doctor", "--source", scheme + "://somewhere"}, {"run", "--source", scheme + ":x", "--no-to"}} {
			code, out := badger(args...)
			if want := "built without " + connector + " (build tag no_" + connector + ")"; code != exitUsage || !strings.Contains(out, want) {
				t.Errorf("badger %s: exit code %d and %q, want %d and %q", strings.Join(args, " "), code, out, exitUsage, want)
			}
		}
	}
	for _, warehouse := range []string{"snowflake", "redshift"} {
		code, out := badger("install", "--warehouse", warehouse, "--print")
		if want := "built without " + connectorSchemes[warehouse]; code != exitUsage || !strings.Contains(out, want) {
			t.Errorf("install for %s: exit code %d and %q, want %q", warehouse, code, out, want)
		}
	}
	for _, command := range []string{"demo", "sql"} {
		if code, out := badger(command); code != exitUsage || !strings.Contains(out, "built without duckdb") {
			t.Errorf("badger %s: exit code %d and %q", command, code, out)
		}
	}
}

// Every scheme of this build belongs to a connector, so that --version names it.
func TestVersionNamesEveryConnector(t *testing.T) {
	for _, scheme := range warehouses.Schemes() {
		if connectorSchemes[scheme] == "" {
			t.Errorf("the scheme %s is of no connector", scheme)
		}
	}
	var out bytes.Buffer
	if code := run(context.Background(), []string{"--version"}, process{stdout: &out, stderr: &out, now: time.Now}); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	first, rest, _ := strings.Cut(out.String(), "\n")
	if first != version() {
		t.Errorf("the first line is %q, want the version %q", first, version())
	}
	in, _ := builtConnectors()
	if want := "connectors: " + strings.Join(in, ", "); !strings.Contains(rest, want) {
		t.Errorf("%q lacks %q", rest, want)
	}
}
