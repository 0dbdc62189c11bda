//go:build !no_duckdb && !no_postgres

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	fakepostgres "github.com/badger-eval/badger/connectors/fake/postgres"
	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/sql/store"
)

// engine is a kind of warehouse that the tests of the commands run on.
type engine struct {
	name  string
	empty func(t *testing.T) (url string) // makes an empty database
}

// engines are those that need no account. PostgreSQL needs its programs on this machine.
var engines = []engine{
	{"duckdb", func(t *testing.T) string { return "duckdb:" + filepath.Join(t.TempDir(), "w.duckdb") }},
	{"postgres", emptyPostgres},
}

var postgresServer struct {
	sync.Mutex
	*fakepostgres.Server
	err error
}

func emptyPostgres(t *testing.T) string {
	t.Helper()
	if err := startPostgres(); err != nil {
		t.Skipf("there is no PostgreSQL server to test with: %v", err)
	}
	s := &postgresServer
	s.Lock()
	defer s.Unlock()
	return s.URL(s.Database(t), s.Port)
}

// startPostgres starts the server unless it runs already.
func startPostgres() error {
	s := &postgresServer
	s.Lock()
	defer s.Unlock()
	if s.Server == nil && s.err == nil {
		if s.Server, s.err = fakepostgres.Start(nil); s.err == nil {
			atEnd = append(atEnd, s.Remove)
		}
	}
	return s.err
}

// onEngines runs a test with an empty database: on every engine if tests are thorough, otherwise on one of those that
// start, as sql/store tests the statements themselves on every engine.
func onEngines(t *testing.T, f func(t *testing.T, url string)) {
	if sample.Thorough() {
		onAllEngines(t, f)
		return
	}
	e := engines[sample.One(t.Name(), len(engines))]
	if e.name == "postgres" && startPostgres() != nil {
		e = engines[0]
	}
	t.Run(e.name, func(t *testing.T) { f(t, e.empty(t)) })
}

// onAllEngines runs a test on every engine, each with an empty database.
func onAllEngines(t *testing.T, f func(t *testing.T, url string)) {
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) { f(t, e.empty(t)) })
	}
}

// engineOf is the engine of a URL.
func engineOf(url string) engine {
	if strings.HasPrefix(url, "duckdb:") {
		return engines[0]
	}
	return engines[1]
}

// withTables makes badger's tables in a database.
func withTables(t testing.TB, url string) {
	t.Helper()
	if path, is := strings.CutPrefix(url, "duckdb:"); is && !sample.Thorough() {
		if err := newInstalled(path); err != nil {
			t.Fatal(err)
		}
	}
	w := openURL(t, url)
	defer w.Close()
	if err := w.Install(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// execute runs statements in a database, past badger.
func execute(t testing.TB, url string, statements ...string) {
	t.Helper()
	w := openURL(t, url)
	defer w.Close()
	for _, s := range statements {
		if err := w.Exec(t.Context(), s); err != nil {
			t.Fatalf("%.200s: %v: %v", s, err, errors.Unwrap(err))
		}
	}
}

// reader is the URL of a role that may read what the database has, and nothing else: queries of cases are
// run with one. An engine without roles has the same URL.
func reader(t testing.TB, url string) string {
	t.Helper()
	if engineOf(url).name != "postgres" {
		return url
	}
	_, database, _ := strings.Cut(strings.TrimPrefix(url, "postgres://"), "/")
	database, _, _ = strings.Cut(database, "?")
	role := "reads_" + database
	execute(t, url, "CREATE ROLE "+role+" LOGIN", "GRANT SELECT ON ALL TABLES IN SCHEMA public TO "+role, "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
	return strings.Replace(url, "//owner@", "//"+role+"@", 1)
}

// ask is the result of a query, one line a row and a blank between the cells.
func ask(t testing.TB, url, query string) string {
	t.Helper()
	w := openURL(t, url)
	defer w.Close()
	got, err := w.Query(t.Context(), query)
	if err != nil {
		t.Fatalf("%.200s: %v: %v", query, err, errors.Unwrap(err))
	}
	var b strings.Builder
	for row := range got.Rows() {
		for i := range got.Columns {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(got.Columns[i].Value(row).String())
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func openURL(t testing.TB, url string) *store.Store {
	t.Helper()
	w, err := warehouses.Open(context.Background(), url, driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return store.New(w)
}

// lossy runs badger, which cannot read some of the answers and says so.
func lossy(t testing.TB, args ...string) (stdout, stderr string) {
	t.Helper()
	code, stdout, stderr := badger(t, args...)
	if code != exitGate || !strings.Contains(stderr, "could not be read") {
		t.Fatalf("badger %s: exit %d\n%s", strings.Join(args, " "), code, stderr)
	}
	return stdout, stderr
}

// fails runs a command that has to end with an exit code and a message.
func fails(t testing.TB, want int, message string, args ...string) {
	t.Helper()
	code, _, stderr := badger(t, args...)
	if code != want || !strings.Contains(stderr, message) {
		t.Errorf("badger %s: exit %d, want %d and %q\n%s", strings.Join(args, " "), code, want, message, stderr)
	}
}

// same compares two texts and shows where they begin to differ.
func same(t testing.TB, what, want, got string) {
	t.Helper()
	if want == got {
		return
	}
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			t.Errorf("%s: line %d is\n%s\nwant\n%s", what, i+1, g[i], w[i])
			return
		}
	}
	t.Errorf("%s: %d lines, want %d", what, len(g), len(w))
}

func writeFile(t testing.TB, name, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// withDemo puts the questions, answers and labels of the demonstration into a database, row by row
// as they are.
func withDemo(t *testing.T, url string) {
	t.Helper()
	from, _, err := duckdb.Open(t.Context(), demoDatabase(t), driver.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	withTables(t, url)
	open := duckdb.Open
	if !strings.HasPrefix(url, "duckdb:") {
		open = postgres.Open
	}
	to, _, err := open(t.Context(), url, driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	for i := range store.Tables {
		table := &store.Tables[i]
		if !table.Input {
			continue
		}
		rows, err := from.Query(t.Context(), "SELECT * FROM "+table.FullName())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := to.Merge(t.Context(), table.FullName(), nil, rows); err != nil {
			t.Fatal(err)
		}
		rows.Release()
	}
}
