package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/sample"
)

// Every connector can be left out, and a build without it names it: in --version, and where
// somebody asks for it.
func TestBuildsSayWhatTheyLack(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command here")
	}
	if !sample.Thorough() {
		t.Skip("builds the command without connectors: with BADGER_THOROUGH=1")
	}
	binary := filepath.Join(t.TempDir(), "badger")
	tags := "no_bigquery,no_databricks,no_duckdb,no_mysql,no_postgres,no_snowflake,no_sqlite,no_sqlserver"
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
	for _, want := range []string{"v9.8.7\n", "\ngo: go1.", "\nconnectors: none\n", "\nbuilt without: bigquery, databricks, duckdb, mysql, postgres, snowflake, sqlite, sqlserver\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("--version lacks %q:\n%s", want, out)
		}
	}
	names := map[string]string{} // of connectors, by the schemes of their URLs
	for _, c := range linkedConnectors() {
		for _, scheme := range c.Schemes {
			names[scheme] = c.Name
		}
	}
	for scheme, connector := range names {
		for _, args := range [][]string{{"doctor", "--source", scheme + "://somewhere"}, {"run", "--source", scheme + ":x", "--no-to"}} {
			code, out := badger(args...)
			if want := "built without " + connector + " (build tag no_" + connector + ")"; code != exitUsage || !strings.Contains(out, want) {
				t.Errorf("badger %s: exit code %d and %q, want %d and %q", strings.Join(args, " "), code, out, exitUsage, want)
			}
		}
	}
	for _, warehouse := range []string{"snowflake", "redshift"} {
		code, out := badger("install", "--warehouse", warehouse, "--print")
		if want := "built without " + names[warehouse]; code != exitUsage || !strings.Contains(out, want) {
			t.Errorf("install for %s: exit code %d and %q, want %q", warehouse, code, out, want)
		}
	}
	for _, command := range []string{"demo", "sql"} {
		if code, out := badger(command); code != exitUsage || !strings.Contains(out, "built without duckdb") {
			t.Errorf("badger %s: exit code %d and %q", command, code, out)
		}
	}
}

// Every folder of a connector has a file that links it and one that says that a build lacks it, and names it
// as its folder is called.
func TestEveryConnectorIsLinked(t *testing.T) {
	others := []string{"doctor", "driver", "drivertest", "fake", "internal"} // what is no connector
	folders, err := os.ReadDir("../../connectors")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		name := f.Name()
		if !f.IsDir() || slices.Contains(others, name) {
			continue
		}
		for file, wants := range map[string][]string{
			"../../connectors/" + name + "/connector.go": {"var Connector = driver.Connector{", "Name: \"" + name + "\""},
			"connector_" + name + ".go":                  {"//go:build !no_" + name + "\n", "link(" + name + ".Connector)"},
			"connector_" + name + "_off.go":              {"//go:build no_" + name + "\n", "leaveOut(\"" + name + "\""},
		} {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Errorf("the connector %s: %v", name, err)
				continue
			}
			for _, want := range wants {
				if !strings.Contains(string(text), want) {
					t.Errorf("the connector %s: %s lacks %q", name, filepath.Base(file), want)
				}
			}
		}
		c, known := linked[name]
		if !known {
			continue // this build lacks it
		}
		off, err := os.ReadFile("connector_" + name + "_off.go")
		if err != nil {
			continue
		}
		for _, scheme := range c.Schemes {
			if !strings.Contains(string(off), strconv.Quote(scheme)) {
				t.Errorf("the connector %s: connector_%s_off.go lacks the scheme %s", name, name, scheme)
			}
		}
		if c.Open == nil || c.Contacts == nil || len(c.Schemes) == 0 || len(c.Examples) == 0 || c.Place == 0 {
			t.Errorf("the connector %s lacks a field: %+v", name, c)
		}
		for _, d := range c.Dialects {
			if d.Grants == "" || d.RoleQuery != "" && d.Reader == "" {
				t.Errorf("the dialect %s does not say what a role needs", d.Name)
			}
		}
		for _, o := range linkedConnectors() {
			if o.Name != name && o.Place == c.Place {
				t.Errorf("the connectors %s and %s have one place", name, o.Name)
			}
		}
	}
}

// docs/reference/residency.md is what the connectors say of whom they contact.
func TestHostsPage(t *testing.T) {
	if len(leftOut) > 0 {
		t.Skip("this build lacks connectors")
	}
	want, err := os.ReadFile("../../docs/reference/residency.md")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if code := run(t.Context(), []string{"functions", "--hosts"}, process{stdout: &out, stderr: &out, now: time.Now}); code != exitDone || out.String() != string(want) {
		t.Errorf("exit code %d; docs/reference/residency.md is stale: make generate", code)
	}
}

func TestVersionNamesEveryConnector(t *testing.T) {
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
