package duckdb_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/internal/columnar"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

func mustOpen(t testing.TB, path string, o duckdb.Options) *duckdb.Conn {
	t.Helper()
	c, err := duckdb.OpenWith(context.Background(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func mustExec(t testing.TB, c *duckdb.Conn, query string) {
	t.Helper()
	if err := c.Exec(context.Background(), query); err != nil {
		t.Fatal(err)
	}
}

func query(t testing.TB, c *duckdb.Conn, sql string, args ...any) (*scoring.Table, error) {
	t.Helper()
	r, err := c.Query(context.Background(), sql, args...)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	return arrowtable.Read(r, arrowtable.Limits{})
}

// one is the only value of a query.
func one(t testing.TB, c *duckdb.Conn, sql string) string {
	t.Helper()
	got, err := query(t, c, sql)
	if err != nil {
		t.Fatal(err)
	}
	if got.Rows() != 1 || len(got.Columns) != 1 {
		t.Fatalf("%d rows of %d columns, want one value", got.Rows(), len(got.Columns))
	}
	return got.Columns[0].Value(0).String()
}

func TestWhatCannotBeOpened(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := filepath.Join(dir, "good.duckdb")
	c := mustOpen(t, good, duckdb.Options{})
	mustExec(t, c, "CREATE TABLE t AS SELECT range AS i FROM range(100000)")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		why, path string
		o         duckdb.Options
		want      errcode.Code
	}{
		{"a file that must be there", filepath.Join(dir, "none.duckdb"), duckdb.Options{Options: driver.Options{MustExist: true}}, errcode.NotFound},
		{"a file to be read only", filepath.Join(dir, "none.duckdb"), duckdb.Options{Options: driver.Options{ReadOnly: true}}, errcode.NotFound},
		{"no directory", filepath.Join(dir, "no", "none.duckdb"), duckdb.Options{}, errcode.NotFound},
		{"a directory", dir, duckdb.Options{}, errcode.InvalidArgument},
		{"text", write("text.duckdb", "a,b\n1,2\n"), duckdb.Options{}, errcode.DataLoss},
		{"long text", write("long.duckdb", strings.Repeat("no database ", 10000)), duckdb.Options{}, errcode.DataLoss},
		{"nothing", write("empty.duckdb", ""), duckdb.Options{}, errcode.DataLoss},
		{"cut in its header", write("cut.duckdb", string(data[:5000])), duckdb.Options{}, errcode.DataLoss},
		{"a damaged header", write("damaged.duckdb", string(data[:8])+strings.Repeat("\xff", 12000)+string(data[12008:])), duckdb.Options{}, errcode.DataLoss},
		{"a question mark in the name", filepath.Join(dir, "a?b.duckdb"), duckdb.Options{}, errcode.InvalidArgument},
		{"a setting that makes no sense", filepath.Join(dir, "s.duckdb"), duckdb.Options{MemoryLimit: "much"}, errcode.InvalidArgument},
		{"CSV, which the engine would show as a view", write("cases.csv", "a,b\n1,2\n3,4\n"), duckdb.Options{}, errcode.DataLoss},
		{"JSON Lines", write("scores.jsonl", `{"case_id": "a"}`+"\n"), duckdb.Options{}, errcode.DataLoss},
		{"JSON Lines to be read only", write("read.jsonl", `{"case_id": "a"}`+"\n"), duckdb.Options{Options: driver.Options{ReadOnly: true}}, errcode.DataLoss},
		{"a short file", write("short.txt", "a"), duckdb.Options{}, errcode.DataLoss},
		{"an empty file", write("empty.duckdb", ""), duckdb.Options{}, errcode.DataLoss},
		{"in memory", "", duckdb.Options{}, errcode.OK},
		{"in memory, to be kept", "", duckdb.Options{Options: driver.Options{Lasting: true}}, errcode.InvalidArgument},
		{"in memory by name, to be kept", ":memory:", duckdb.Options{Options: driver.Options{Lasting: true}}, errcode.InvalidArgument},
		{"in memory, which must be there", ":memory:", duckdb.Options{Options: driver.Options{MustExist: true}}, errcode.InvalidArgument},
		{"in memory, to be read only", "", duckdb.Options{Options: driver.Options{ReadOnly: true}}, errcode.InvalidArgument},
	} {
		c, err := duckdb.OpenWith(context.Background(), tc.path, tc.o)
		if err == nil {
			_ = c.Close()
		}
		if errcode.Of(err) != tc.want {
			t.Errorf("%s: %v (%v), want %v", tc.why, err, errcode.Of(err), tc.want)
		}
		if err != nil && strings.Contains(err.Error(), dir) {
			t.Errorf("%s: the error shows the directory: %v", tc.why, err)
		}
		if err != nil && tc.path != "" && tc.path != ":memory:" && tc.o.MemoryLimit == "" && !strings.Contains(tc.path, "?") && !strings.Contains(err.Error(), filepath.Base(tc.path)) {
			t.Errorf("%s: the error does not name the file: %v", tc.why, err)
		}
	}
}

func TestURLs(t *testing.T) {
	for url, want := range map[string]string{
		"duckdb:a.duckdb": "a.duckdb {}", "duckdb:/a b/c.db?mode=ro": "/a b/c.db ro", "duckdb:x?mode=rw&threads=2": "x must 2",
		"duckdb:x?memory_limit=1GB&temp_directory=/tmp&confined=true": "x 1GB /tmp confined", "duckdb::memory:": ":memory: {}",
	} {
		path, o, err := duckdb.ParseURL(url)
		got := path
		for _, part := range []struct {
			set  bool
			text string
		}{{o.ReadOnly, "ro"}, {o.MustExist, "must"}, {o.Threads > 0, fmt.Sprint(o.Threads)}, {o.MemoryLimit != "", o.MemoryLimit}, {o.TempDir != "", o.TempDir}, {o.Confined, "confined"}} {
			if part.set {
				got += " " + part.text
			}
		}
		if got == path {
			got += " {}"
		}
		if err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", url, got, err, want)
		}
	}
	for _, url := range []string{"duckdb:x?mode=w", "duckdb:x?threads=0", "duckdb:x?threads=many", "duckdb:x?confined=perhaps", "duckdb:x?unknown=1", "duckdb:x?%zz"} {
		if _, _, err := duckdb.ParseURL(url); errcode.Of(err) != errcode.InvalidArgument {
			t.Errorf("%s: %v, want invalid_argument", url, err)
		}
	}
}

// The test's own binary plays the other process.
const roleVariable = "BADGER_DUCKDB_TEST_ROLE"

func TestMain(m *testing.M) {
	role, path, _ := strings.Cut(os.Getenv(roleVariable), ":")
	switch role {
	case "hold":
		hold(path)
	case "fill":
		fill(path)
	default:
		os.Exit(m.Run())
	}
}

// hold opens a database and keeps it until its input ends.
func hold(path string) {
	c, err := duckdb.OpenFile(context.Background(), path, driver.Options{})
	fmt.Println("open", err)
	_, _ = os.Stdin.Read(make([]byte, 1))
	if c != nil {
		_ = c.Close()
	}
}

// fill writes until the disk is full, which a limit on the size of files plays.
func fill(path string) {
	signal.Ignore(syscall.SIGXFSZ)
	c, err := duckdb.OpenFile(context.Background(), path, driver.Options{})
	if err != nil {
		fmt.Println(errcode.Of(err), err)
		return
	}
	limit := syscall.Rlimit{Cur: 4 << 20, Max: 4 << 20}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		fmt.Println("skip", err)
		return
	}
	err = c.Exec(context.Background(), "CREATE TABLE big AS SELECT hash(range) AS a, hash(range + 1) AS b FROM range(3000000)")
	fmt.Println(errcode.Of(err), err)
}

func child(t *testing.T, role, path string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Skipf("no way to start another process: %v", err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), roleVariable+"="+role+":"+path)
	return cmd
}

func TestLockedByAnotherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "locked.duckdb")
	cmd := child(t, "hold", path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skipf("no way to start another process: %v", err)
	}
	line := make([]byte, 64)
	n, _ := out.Read(line)
	if got := strings.TrimSpace(string(line[:n])); got != "open <nil>" {
		t.Fatalf("the other process says %q", got)
	}
	for _, o := range []driver.Options{{}, {ReadOnly: true}} {
		_, err := duckdb.OpenFile(context.Background(), path, o)
		if errcode.Of(err) != errcode.FailedPrecondition || !strings.Contains(err.Error(), "locked.duckdb") || !strings.Contains(err.Error(), fmt.Sprintf("another process holds it (process %d)", cmd.Process.Pid)) {
			t.Errorf("%+v: %v (%v), want failed_precondition that names file and process", o, err, errcode.Of(err))
		}
	}
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, path, duckdb.Options{})
}

func TestFullDisk(t *testing.T) {
	out, err := child(t, "fill", filepath.Join(t.TempDir(), "full.duckdb")).Output()
	if strings.HasPrefix(string(out), "skip") {
		t.Skip(string(out))
	}
	if err != nil || !strings.HasPrefix(string(out), "resource_exhausted ") || !strings.Contains(string(out), "full.duckdb") {
		t.Errorf("%s, %v, want resource_exhausted that names the file", out, err)
	}
}

func TestSpaceForWhatDoesNotFitTheMemory(t *testing.T) {
	c := mustOpen(t, "", duckdb.Options{MemoryLimit: "20MB", Threads: 1, TempDir: t.TempDir()})
	mustExec(t, c, "SET GLOBAL max_temp_directory_size = '1MB'")
	_, err := query(t, c, "SELECT count(*) FROM (SELECT a FROM (SELECT hash(range)::VARCHAR || 'padding' AS a FROM range(3000000)) ORDER BY a OFFSET 1)")
	if errcode.Of(err) != errcode.ResourceExhausted {
		t.Errorf("%v (%v), want resource_exhausted", err, errcode.Of(err))
	}
	if got := one(t, c, "SELECT 1"); got != "1" {
		t.Errorf("afterwards: %s", got)
	}
}

// A damaged block is found when it is read.
func TestDamagedBlock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "damaged.duckdb")
	c := mustOpen(t, path, duckdb.Options{})
	mustExec(t, c, "CREATE TABLE t AS SELECT hash(range) AS i FROM range(300000)")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 3 * 4096; i+262144 < len(data); i += 262144 { // the last block holds the catalogue
		copy(data[i+1000:], strings.Repeat("\x55", 3000))
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := duckdb.OpenFile(context.Background(), path, driver.Options{})
	if err == nil {
		defer d.Close() //nolint:errcheck // a test
		_, err = query(t, d, "SELECT sum(i) FROM t")
	}
	if errcode.Of(err) != errcode.DataLoss || !strings.Contains(err.Error(), "damaged.duckdb") {
		t.Errorf("%v (%v), want data_loss that names the file", err, errcode.Of(err))
	}
}

func TestNothingReachesTheNetwork(t *testing.T) {
	c := mustOpen(t, "", duckdb.Options{})
	for _, setting := range []string{"autoinstall_known_extensions", "autoload_known_extensions", "allow_community_extensions"} {
		if got := one(t, c, "SELECT current_setting('"+setting+"')"); got != "false" {
			t.Errorf("%s is %s", setting, got)
		}
	}
	if _, err := query(t, c, "SELECT * FROM 'https://127.0.0.1:1/x.parquet'"); errcode.Of(err) == errcode.OK || errcode.Of(err) == errcode.Unknown {
		t.Errorf("a URL as a table: %v (%v)", err, errcode.Of(err))
	}
}

func TestConfined(t *testing.T) {
	dir := t.TempDir()
	csv := filepath.Join(dir, "a.csv")
	if err := os.WriteFile(csv, []byte("a\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := mustOpen(t, filepath.Join(dir, "c.duckdb"), duckdb.Options{Confined: true})
	mustExec(t, c, "CREATE TABLE t AS SELECT 1 AS a")
	for _, sql := range []string{"SELECT * FROM read_csv('" + csv + "')", "COPY t TO '" + filepath.Join(dir, "out.csv") + "'", "ATTACH '" + filepath.Join(dir, "other.duckdb") + "'", "SET enable_external_access = true", "SET GLOBAL autoinstall_known_extensions = true", "INSTALL httpfs"} {
		if err := c.Exec(context.Background(), sql); err == nil || errcode.Of(err) == errcode.Unknown || strings.Contains(err.Error(), dir) {
			t.Errorf("%.30s…: %v (%v), want it refused, with a code and without the path", sql, err, errcode.Of(err))
		}
	}
	if got := one(t, c, "SELECT count(*) FROM t"); got != "1" {
		t.Errorf("its own tables: %s", got)
	}
}

func TestSessionsLeaveNothingBehind(t *testing.T) {
	c := mustOpen(t, "", duckdb.Options{})
	mustExec(t, c, "CREATE TEMP TABLE x AS SELECT 1")
	if _, err := query(t, c, "SELECT * FROM x"); errcode.Of(err) != errcode.NotFound {
		t.Errorf("a temporary table of an earlier call: %v, want not_found", err)
	}
	mustExec(t, c, "BEGIN; CREATE TABLE y AS SELECT 1")
	if _, err := query(t, c, "SELECT * FROM y"); errcode.Of(err) != errcode.NotFound {
		t.Errorf("a transaction left open: %v, want it rolled back", err)
	}
	if got := one(t, c, "CREATE TEMP TABLE z AS SELECT 7 AS a; SELECT a FROM z"); got != "7" {
		t.Errorf("several statements of one call: %s", got)
	}
	mustExec(t, c, "SET TimeZone = 'Asia/Tokyo'")
	if got := one(t, c, "SELECT TIMESTAMPTZ '2024-06-01 12:00:00+00'::VARCHAR"); got != "2024-06-01 12:00:00+00" {
		t.Errorf("the time zone of an earlier call: %s", got)
	}
}

func TestTwoConnectionsToOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "two.duckdb")
	a, b := mustOpen(t, path, duckdb.Options{}), mustOpen(t, path, duckdb.Options{})
	mustExec(t, a, "CREATE TABLE t AS SELECT 1 AS a")
	if got := one(t, b, "SELECT a FROM t"); got != "1" {
		t.Errorf("got %s", got)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if got := one(t, b, "SELECT a FROM t"); got != "1" {
		t.Errorf("after the first was closed: %s", got)
	}
	if _, err := duckdb.OpenFile(context.Background(), path, driver.Options{ReadOnly: true}); errcode.Of(err) != errcode.FailedPrecondition {
		t.Errorf("once to write and once to read only: %v (%v), want failed_precondition", err, errcode.Of(err))
	}
}

// Functions belong to the database: registered through one connection, they are called through
// another, with that call's context and errors.
func TestFunctionsOfTwoConnections(t *testing.T) {
	path := filepath.Join(t.TempDir(), "two.duckdb")
	a, b := mustOpen(t, path, duckdb.Options{}), mustOpen(t, path, duckdb.Options{})
	version := func(v int64) driver.Scalar {
		return driver.Scalar{Name: "version_of", Params: []columnar.Type{columnar.VARCHAR}, Result: columnar.BIGINT, Eval: func(ctx context.Context, args []columnar.Column, out *columnar.Column) error {
			if args[0].Texts[0] == "fail" {
				return errcode.New(errcode.Unavailable, "try again later")
			}
			for i := range out.Ints {
				out.Ints[i] = v
			}
			return nil
		}}
	}
	for v := range int64(2) {
		if err := a.RegisterScalar(context.Background(), version(v)); err != nil {
			t.Fatal(err)
		}
		if got := one(t, b, "SELECT version_of('x')"); got != fmt.Sprint(v) {
			t.Errorf("got %s, want the function registered last, %d", got, v)
		}
	}
	if _, err := query(t, b, "SELECT version_of('fail')"); errcode.Of(err) != errcode.Unavailable {
		t.Errorf("%v (%v), want the function's own error", err, errcode.Of(err))
	}
}

func TestDatabaseSQLSeesTheSameDatabase(t *testing.T) {
	c := mustOpen(t, filepath.Join(t.TempDir(), "sql.duckdb"), duckdb.Options{Threads: 2})
	mustExec(t, c, "CREATE TABLE t AS SELECT 7 AS a")
	if err := c.RegisterScalar(context.Background(), driver.Scalar{Name: "plus_one", Params: []columnar.Type{columnar.BIGINT}, Result: columnar.BIGINT, Eval: func(_ context.Context, a []columnar.Column, out *columnar.Column) error {
		for i, v := range a[0].Ints {
			out.Ints[i] = v + 1
		}
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	var got int
	if err := c.DB().QueryRow("SELECT plus_one(a) FROM t").Scan(&got); err != nil || got != 8 {
		t.Errorf("%d, %v, want 8", got, err)
	}
	if _, err := c.DB().Exec("INSERT INTO t VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	if got := one(t, c, "SELECT count(*) FROM t"); got != "2" {
		t.Errorf("%s rows, want 2", got)
	}
	if mustOpen(t, "", duckdb.Options{}).DB() != nil {
		t.Error("a database in memory has no second door")
	}
}

// A database in memory can be confined however often it is opened: the order of its settings is not
// left to chance.
func TestConfinedInMemory(t *testing.T) {
	for range 20 {
		c := mustOpen(t, "", duckdb.Options{Confined: true, Threads: 1, MemoryLimit: "64MB"})
		r, err := c.Query(context.Background(), "SELECT count(*) FROM range(10)")
		if err != nil {
			t.Fatal(err)
		}
		r.Release()
		if _, err := c.Query(context.Background(), "SELECT * FROM read_text('/etc/hostname')"); err == nil {
			t.Fatal("a confined database reads files")
		}
		c.Close()
	}
}

// A file of a later storage version, with the checksum that belongs to it, is refused with both
// versions and a way out.
func TestFileOfANewerEngine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "newer.duckdb")
	c, err := duckdb.OpenFile(context.Background(), path, driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Exec(context.Background(), "CREATE TABLE t (i INT)"); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file[12] = 99 // the storage version
	sum := uint64(5381)
	for i := 8; i < 4096; i += 8 {
		sum ^= binary.LittleEndian.Uint64(file[i:]) * 0xbf58476d1ce4e5b9
	}
	binary.LittleEndian.PutUint64(file, sum)
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = duckdb.OpenFile(context.Background(), path, driver.Options{ReadOnly: true})
	for _, want := range []string{"newer.duckdb", "a newer DuckDB wrote the file", "99", "STORAGE_VERSION"} {
		if errcode.Of(err) != errcode.FailedPrecondition || !strings.Contains(err.Error(), want) {
			t.Errorf("%v (%v), want failed_precondition and %q", err, errcode.Of(err), want)
		}
	}
}

// DuckDB 2, as the Python package has it: a new file of it is refused, the copy that the error advises is read, and a file of this
// engine that it has changed is still read.
func TestFilesOfDuckDB2(t *testing.T) {
	python := os.Getenv("BADGER_CLIENTS_PYTHON")
	if python == "" {
		t.Skip("BADGER_CLIENTS_PYTHON names no Python with duckdb 2; .ci/run installs it")
	}
	dir := t.TempDir()
	const create = "CREATE TABLE t AS SELECT i, 'x' || i AS s FROM range(3) r(i)"
	own, err := duckdb.OpenFile(t.Context(), filepath.Join(dir, "own.duckdb"), driver.Options{})
	if err == nil {
		err = own.Exec(t.Context(), create)
	}
	if err == nil {
		err = own.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), python, "-c", `
import duckdb
if int(duckdb.__version__.split(".")[0]) < 2:
    print("old", duckdb.__version__)
    raise SystemExit
d = duckdb.connect("new.duckdb")
d.execute("""`+create+`""")
d.execute("ATTACH 'copy.duckdb' AS copy (STORAGE_VERSION 'v1.0.0')")
d.execute("COPY FROM DATABASE new TO copy")
d.close()
d = duckdb.connect("own.duckdb")
d.execute("INSERT INTO t SELECT i + 3, s FROM t")
print(d.execute("SELECT COUNT(*) FROM t").fetchone()[0])
d.close()
`)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if strings.HasPrefix(string(out), "old ") {
		t.Skipf("duckdb of %s is %s, not 2", python, strings.TrimPrefix(strings.TrimSpace(string(out)), "old "))
	}
	if err != nil || strings.TrimSpace(string(out)) != "6" {
		t.Fatalf("%v: %s", err, out)
	}
	_, err = duckdb.OpenFile(t.Context(), filepath.Join(dir, "new.duckdb"), driver.Options{ReadOnly: true})
	if errcode.Of(err) != errcode.FailedPrecondition || !strings.Contains(err.Error(), "a newer DuckDB wrote the file") ||
		!strings.Contains(err.Error(), "ATTACH 'copy.duckdb' AS copy (STORAGE_VERSION 'v1.0.0'); COPY FROM DATABASE … TO copy") {
		t.Errorf("a file of version 2: %v", err)
	}
	for file, rows := range map[string]int64{"copy.duckdb": 3, "own.duckdb": 6} {
		conn, err := duckdb.OpenFile(t.Context(), filepath.Join(dir, file), driver.Options{ReadOnly: true})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		r, err := conn.Query(t.Context(), "SELECT i, s FROM t")
		got := int64(0)
		for err == nil && r.Next() {
			got += r.Record().NumRows()
		}
		if err != nil || r.Err() != nil || got != rows {
			t.Errorf("%s: %d rows, %v, want %d", file, got, err, rows)
		}
		if err == nil {
			r.Release()
		}
		_ = conn.Close()
	}
}

// A confined connection that only reads runs the queries of others: one statement a text.
func TestConfinedRunsOneStatement(t *testing.T) {
	path := filepath.Join(t.TempDir(), "one.duckdb")
	c, err := duckdb.OpenFile(t.Context(), path, driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Exec(t.Context(), "CREATE TABLE t (a int); INSERT INTO t VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	c, err = duckdb.OpenWith(t.Context(), path, duckdb.Options{Options: driver.Options{ReadOnly: true}, Confined: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for sql, want := range map[string]errcode.Code{"SELECT a FROM t": errcode.OK, "SELECT a FROM t;": errcode.OK, "SELECT 1; SELECT 2": errcode.PermissionDenied, "SELECT 1 -- x\r; SELECT 2": errcode.PermissionDenied} {
		r, err := c.Query(t.Context(), sql)
		if err == nil {
			r.Release()
		}
		if got := errcode.Of(err); got != want {
			t.Errorf("%q: %v, want %v", sql, err, want)
		}
	}
}
