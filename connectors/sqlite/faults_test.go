package sqlite_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/sqlite"
	"github.com/badger-eval/badger/internal/errcode"
)

const endless = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) "

// first returns the first value of a result.
func first(ctx context.Context, c driver.Conn, query string) (string, error) {
	t, err := connectors.New(c, sqlite.Dialect).Query(ctx, query)
	if err != nil || t.Rows() == 0 {
		return "", err
	}
	return t.Columns[0].Value(0).String(), nil
}

func TestFilesThatAreNoDatabase(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good, err := os.ReadFile(create(t, "CREATE TABLE t AS SELECT 1 AS a", "CREATE TABLE u AS SELECT 2 AS b"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		why, path string
		code      errcode.Code
		text      string
	}{
		{"missing", filepath.Join(dir, "none.sqlite"), errcode.NotFound, `"none.sqlite": file not found`},
		{"a directory", dir, errcode.InvalidArgument, "is not a file"},
		{"empty", write("empty", nil), errcode.DataLoss, "is empty"},
		{"text", write("text", []byte("id,name\n1,Ana\n")), errcode.DataLoss, "not a SQLite database"},
		{"the header alone", write("header", good[:100]), errcode.DataLoss, "damaged"},
		{"damaged", write("damaged", append(append([]byte{}, good[:100]...), bytes.Repeat([]byte{0xaa}, len(good)-100)...)), errcode.DataLoss, "damaged"},
		{"no path", "", errcode.InvalidArgument, "expected sqlite: and the path"},
		{"in memory", ":memory:", errcode.InvalidArgument, "expected sqlite: and the path"},
		{"a URL with two slashes", "//data/shop.sqlite", errcode.InvalidArgument, "expected sqlite: and the path"},
		{"a URL with three slashes is a path", "//" + dir + "/none.sqlite", errcode.NotFound, `"none.sqlite": file not found`},
		{"a NUL byte", "a\x00b", errcode.InvalidArgument, "expected sqlite: and the path"},
		{"to write", dir + "/x?mode=rwc", errcode.InvalidArgument, "option mode: expected ro"},
		{"an unknown option", dir + "/x?cache=shared", errcode.InvalidArgument, `unknown option "cache"`},
	} {
		_, _, err := sqlite.Open(t.Context(), "sqlite:"+tc.path, driver.Options{ReadOnly: true})
		if errcode.Of(err) != tc.code || !strings.Contains(err.Error(), tc.text) {
			t.Errorf("%s: %v (%v), want %v, %q", tc.why, err, errcode.Of(err), tc.code, tc.text)
		}
	}
	if _, _, err := sqlite.Open(t.Context(), "sqlite:"+filepath.Join(dir, "new"), driver.Options{}); errcode.Of(err) != errcode.PermissionDenied || !strings.Contains(err.Error(), "duckdb:FILE") {
		t.Errorf("to write: %v", err)
	}
}

// Names of files are not read as parts of a URI.
func TestNamesOfFiles(t *testing.T) {
	for _, name := range []string{"a b.sqlite", "50%25.sqlite", "a#b", "a&mode=rwc", "ünï", "file:x", "'q'"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.Rename(create(t, "CREATE TABLE t AS SELECT 7 AS a"), path); err != nil {
			t.Fatal(err)
		}
		c := open(t, "sqlite:"+path, driver.Options{})
		if got, err := first(t.Context(), c, "SELECT a FROM t"); err != nil || got != "7" {
			t.Errorf("%s: %s, %v", name, got, err)
		}
		c.Close()
	}
}

func TestWithin(t *testing.T) {
	path, dir := create(t, "CREATE TABLE t AS SELECT 1 AS a"), t.TempDir()
	if err := os.Symlink(path, filepath.Join(dir, "link.sqlite")); err != nil {
		t.Skip(err)
	}
	_, _, err := sqlite.Open(t.Context(), "sqlite:"+dir+"/link.sqlite", driver.Options{ReadOnly: true, Within: dir})
	if errcode.Of(err) != errcode.PermissionDenied || !strings.Contains(err.Error(), "link") {
		t.Errorf("a link out of the directory: %v, want permission_denied", err)
	}
}

// No statement changes the file, its directory, settings or another file.
func TestOnlyReads(t *testing.T) {
	for _, mode := range []string{"DELETE", "WAL"} {
		path := create(t, "PRAGMA journal_mode = "+mode, "CREATE TABLE t AS SELECT 1 AS a")
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		other := filepath.Join(t.TempDir(), "other.sqlite")
		c := open(t, "sqlite:"+path, driver.Options{})
		for _, sql := range []string{
			"INSERT INTO t VALUES (2)", "INSERT INTO t VALUES (2) RETURNING a", "WITH x AS (SELECT 1) DELETE FROM t", "REPLACE INTO t VALUES (1)", "UPDATE t SET a = 2",
			"CREATE TEMP TABLE u (a)", "CREATE VIEW v AS SELECT 1", "CREATE VIRTUAL TABLE f USING fts5(a)", "DROP TABLE t", "ALTER TABLE t RENAME TO u",
			"ATTACH '" + other + "' AS o", "DETACH main", "VACUUM INTO '" + other + "'", "VACUUM", "ANALYZE", "BEGIN", "BEGIN IMMEDIATE", "COMMIT", "SAVEPOINT s",
			"PRAGMA journal_mode = WAL", "PRAGMA query_only = OFF", "PRAGMA writable_schema = ON", "PRAGMA user_version = 7", "PRAGMA database_list", "PRAGMA wal_checkpoint",
			"PRAGMA hard_heap_limit = 1000", "PRAGMA temp_store_directory = '/tmp'", "SELECT * FROM pragma_database_list", "SELECT load_extension('x')", "SELECT * FROM pragma_journal_mode",
		} {
			if err := c.Exec(t.Context(), sql); errcode.Of(err) != errcode.PermissionDenied {
				t.Errorf("%s: %v (%v), want permission_denied", sql, err, errcode.Of(err))
			}
		}
		for _, sql := range []string{"SELECT 1; SELECT 2", "SELECT 1; DROP TABLE t", "SELECT 1; x", "; SELECT 1; SELECT 2", "-- none", ";", "SELECT readfile('/etc/passwd')", "SELECT fts3_tokenizer('x')"} {
			if err := c.Exec(t.Context(), sql); err == nil {
				t.Errorf("%s ran", sql)
			}
		}
		for _, sql := range []string{"SELECT a FROM t; -- a comment", "SELECT a FROM t;;\n/* x */ ", "PRAGMA table_info(t)", "SELECT name FROM pragma_table_info('t')", "EXPLAIN SELECT 1", "VALUES (1)"} {
			if err := c.Exec(t.Context(), sql); err != nil {
				t.Errorf("%s: %v", sql, err)
			}
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		after, err := os.ReadFile(path)
		files, dirErr := os.ReadDir(filepath.Dir(path))
		if err != nil || dirErr != nil || !bytes.Equal(before, after) || len(files) != 1 {
			t.Errorf("%s: the file changed, or is not alone: %v", mode, files)
		}
		if _, err := os.Stat(other); err == nil {
			t.Error("another file was made")
		}
	}
}

// A file in WAL mode is read with its log, and one that another process starts to write to is read anew.
func TestWAL(t *testing.T) {
	path := create(t, "PRAGMA journal_mode = WAL", "CREATE TABLE t AS SELECT 1 AS a")
	c := open(t, "sqlite:"+path, driver.Options{})
	defer c.Close()
	check := func(want string) {
		t.Helper()
		if got, err := first(t.Context(), c, "SELECT max(a) FROM t"); err != nil || got != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
	check("1")
	run, closing, err := sqlite.Create(path, "INSERT INTO t VALUES (2)")
	if err != nil {
		t.Fatal(err)
	}
	check("2")
	if err := run("INSERT INTO t VALUES (3)"); err != nil {
		t.Fatal(err)
	}
	check("3")
	closing()
	check("3")
}

// A result that was read while another process wrote to the file, which was not open anywhere before, is an error.
func TestWrittenWhileRead(t *testing.T) {
	path := create(t, "PRAGMA journal_mode = WAL", "CREATE TABLE t AS "+endless+"SELECT i FROM r LIMIT 5000")
	c := open(t, "sqlite:"+path, driver.Options{})
	defer c.Close()
	r, err := c.Query(t.Context(), "SELECT i FROM t")
	if err != nil || !r.Next() {
		t.Fatal(err)
	}
	defer r.Release()
	_, closing, err := sqlite.Create(path, "INSERT INTO t VALUES (1)")
	if err != nil {
		t.Fatal(err)
	}
	closing()
	for r.Next() {
	}
	if errcode.Of(r.Err()) != errcode.Unavailable {
		t.Errorf("%v, want unavailable", r.Err())
	}
}

func TestLocked(t *testing.T) {
	path := create(t, "CREATE TABLE t AS SELECT 1 AS a")
	c := open(t, "sqlite:"+path, driver.Options{})
	defer c.Close()
	run, closing, err := sqlite.Create(path, "BEGIN EXCLUSIVE")
	defer closing()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := first(ctx, c, "SELECT a FROM t"); errcode.Of(err) != errcode.DeadlineExceeded {
		t.Errorf("a short time: %v, want deadline_exceeded", err)
	}
	restore := sqlite.WaitForLocks(30 * time.Millisecond)
	_, err = first(t.Context(), c, "SELECT a FROM t")
	restore()
	if errcode.Of(err) != errcode.Unavailable || !strings.Contains(err.Error(), "another process is writing") {
		t.Errorf("%v, want unavailable", err)
	}
	time.AfterFunc(50*time.Millisecond, func() { _ = run("COMMIT") })
	if got, err := first(t.Context(), c, "SELECT a FROM t"); err != nil || got != "1" {
		t.Errorf("after a wait: %s, %v", got, err)
	}
}

// A journal that a crashed process left must be rolled back first.
func TestHotJournal(t *testing.T) {
	path := create(t, "CREATE TABLE t AS "+endless+"SELECT i, hex(randomblob(500)) AS s FROM r LIMIT 2000")
	_, closing, err := sqlite.Create(path, "PRAGMA cache_size = 5", "BEGIN", "UPDATE t SET s = 'x'")
	defer closing()
	if err != nil {
		t.Fatal(err)
	}
	crashed := filepath.Join(t.TempDir(), "crashed.sqlite")
	for _, end := range []string{"", "-journal"} {
		data, err := os.ReadFile(path + end)
		if err == nil {
			err = os.WriteFile(crashed+end, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	_, _, err = sqlite.Open(t.Context(), "sqlite:"+crashed, driver.Options{ReadOnly: true})
	if errcode.Of(err) != errcode.FailedPrecondition || !strings.Contains(err.Error(), "left a journal") {
		t.Errorf("%v, want failed_precondition", err)
	}
}

func TestEndlessQueries(t *testing.T) {
	c := open(t, "sqlite:"+create(t, "CREATE TABLE t AS SELECT 1 AS a"), driver.Options{})
	defer c.Close()
	for _, sql := range []string{
		endless + "SELECT count(*) FROM r", endless + "SELECT i FROM r WHERE i < 0", endless + "SELECT max(i) OVER () FROM r WHERE i % 2 = 3",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		_, err := first(ctx, c, sql)
		cancel()
		if code := errcode.Of(err); code != errcode.DeadlineExceeded {
			t.Errorf("%s: %v, want deadline_exceeded", sql, err)
		}
	}
}

// Memory is bounded: of the engine, of a value, of a row, and of a result, before values are copied.
func TestMemoryIsBounded(t *testing.T) {
	c := open(t, "sqlite:"+create(t, "CREATE TABLE t AS SELECT 1 AS a"), driver.Options{})
	defer c.Close()
	for _, sql := range []string{"SELECT zeroblob(300000000)", "SELECT length(printf('%1000000000d', 1))", "SELECT zeroblob(200000000), zeroblob(200000000)", "SELECT randomblob(1000000000)"} {
		if _, err := first(t.Context(), c, sql); errcode.Of(err) != errcode.ResourceExhausted {
			t.Errorf("%s: %v, want resource_exhausted", sql, err)
		}
	}
	w := connectors.New(c, sqlite.Dialect)
	for sql, want := range map[string]errcode.Code{"SELECT zeroblob(1000000)": errcode.OK, "SELECT zeroblob(1100000)": errcode.ResourceExhausted, endless + "SELECT i FROM r": errcode.ResourceExhausted} {
		if _, err := w.QueryWithin(t.Context(), 0, 1<<20, sql); errcode.Of(err) != want {
			t.Errorf("%s within 1 MiB: %v, want %v", sql, err, want)
		}
	}
	defer sqlite.LimitHeap(8 << 20)()
	for _, sql := range []string{endless + "SELECT i, randomblob(1000) AS b FROM r ORDER BY b", "WITH RECURSIVE r(i) AS (SELECT 1 UNION SELECT i + 1 FROM r) SELECT count(*) FROM r"} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // rather than for ever
		if _, err := first(ctx, c, sql); errcode.Of(err) != errcode.ResourceExhausted || !strings.Contains(err.Error(), "memory") {
			t.Errorf("%s: %v, want resource_exhausted", sql, err)
		}
		cancel()
	}
	if got, err := first(t.Context(), c, "SELECT a FROM t"); err != nil || got != "1" {
		t.Errorf("afterwards: %s, %v", got, err)
	}
}

// Errors show names, and neither values nor the SQL text.
func TestErrors(t *testing.T) {
	c := open(t, "sqlite:"+create(t, "CREATE TABLE t AS SELECT 1 AS a"), driver.Options{})
	defer c.Close()
	for _, tc := range []struct {
		sql  string
		code errcode.Code
		text string
	}{
		{"SELECT * FROM nowhere", errcode.NotFound, "no such table: nowhere"},
		{"SELECT nowhere FROM t", errcode.InvalidArgument, "no such column: nowhere"},
		{"SELECT nowhere(1)", errcode.NotFound, "no such function: nowhere"},
		{"SELECT * FROM other.t", errcode.NotFound, "other.t"},
		{"SELECT a FROM t JOIN t AS u", errcode.InvalidArgument, "ambiguous column name: a"},
		{"SELECT a FROM t WHERE", errcode.InvalidArgument, "syntax error"},
		{"SELECT 'hunter2", errcode.InvalidArgument, "syntax error"},
		{"SELECT hunter2 hunter2 hunter2", errcode.InvalidArgument, "syntax error"},
		{"SELECT sum(count(*)) FROM t", errcode.InvalidArgument, "misuse of aggregate"},
		{"SELECT (SELECT 1, 2)", errcode.InvalidArgument, "columns"},
		{"SELECT 1 UNION SELECT 1, 2", errcode.InvalidArgument, "same number of result columns"},
		{"SELECT json('hunter2')", errcode.InvalidArgument, "malformed JSON"},
		{"SELECT json_extract('{}', 'hunter2')", errcode.InvalidArgument, "bad JSON path"},
		{"SELECT sum(a) FROM (SELECT 9223372036854775807 AS a UNION ALL SELECT 1)", errcode.InvalidArgument, "integer overflow"},
		{"SELECT abs(-9223372036854775808)", errcode.InvalidArgument, "integer overflow"},
		{"SELECT a COLLATE nowhere FROM t ORDER BY 1", errcode.NotFound, "nowhere"},
		{"SELECT length()", errcode.InvalidArgument, "wrong number of arguments to function length()"},
		{"SELECT 1 LIKE '" + strings.Repeat("%a", 600) + "'", errcode.InvalidArgument, "pattern too complex"},
	} {
		_, err := first(t.Context(), c, tc.sql)
		if errcode.Of(err) != tc.code || !strings.Contains(err.Error(), tc.text) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v (%v), want %v, %q", tc.sql, err, errcode.Of(err), tc.code, tc.text)
		}
	}
}

// A statement is closed, whatever became of it.
func TestStatementsAreClosed(t *testing.T) {
	c := open(t, "sqlite:"+create(t, "CREATE TABLE t AS SELECT 1 AS a"), driver.Options{})
	defer c.Close()
	for _, sql := range []string{"SELECT a FROM t", "SELECT 1; SELECT 2", "SELECT ?", "SELEC", "SELECT abs(-9223372036854775808)", "DROP TABLE t", ""} {
		_ = c.Exec(t.Context(), sql)
		if n := sqlite.Statements(c); n != 0 {
			t.Errorf("%q: %d statements are open", sql, n)
		}
	}
}

// Names of columns that are not UTF-8 are shown as far as they are.
func TestNamesOfColumns(t *testing.T) {
	c := open(t, "sqlite:"+create(t, "CREATE TABLE t (\"caf\xe9\", \"\")", "INSERT INTO t VALUES (1, 2)"), driver.Options{})
	defer c.Close()
	got, err := connectors.New(c, sqlite.Dialect).Query(t.Context(), "SELECT * FROM t")
	if err != nil || got.Columns[0].Name != "caf\uFFFD" || got.Columns[1].Name != "" {
		t.Errorf("%v, %v", got, err)
	}
}

func TestUTF16(t *testing.T) {
	c := open(t, "sqlite:"+create(t, "PRAGMA encoding = 'UTF-16le'", "CREATE TABLE t AS SELECT 'añ😀' AS a"), driver.Options{})
	defer c.Close()
	if got, err := first(t.Context(), c, "SELECT a FROM t"); err != nil || got != "añ😀" {
		t.Errorf("%s, %v", got, err)
	}
}

func TestDefinition(t *testing.T) {
	c := open(t, "sqlite:"+create(t, "CREATE TABLE Orders (id INTEGER PRIMARY KEY, placed DATE)", "CREATE VIEW late AS SELECT 1 AS a"), driver.Options{})
	defer c.Close()
	for name, want := range map[string]string{"orders": "CREATE TABLE Orders (id INTEGER PRIMARY KEY, placed DATE)", "LATE": "CREATE VIEW late AS SELECT 1 AS a", "none": ""} {
		if got, err := first(t.Context(), c, sqlite.Dialect.Definition("main", name)); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
}
