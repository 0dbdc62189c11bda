package postgres_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/sql/store"
)

// one is the single value of a query, as text.
func one(t testing.TB, c driver.Conn, query string) string {
	t.Helper()
	got, err := drivertest.Read(context.Background(), c, query)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return got.Columns[0].Value(0).String()
}

// numbered are n rows (k text, n bigint) in records of at most 1000.
func numbered(from, n int) array.RecordReader {
	schema := arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.BinaryTypes.String}, {Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	defer b.Release()
	var recs []arrow.Record
	for i := range n {
		b.Field(0).(*array.StringBuilder).Append(fmt.Sprintf("key %d with some length to it, so that there is more than one piece", from+i))
		b.Field(1).(*array.Int64Builder).Append(int64(i))
		if (i+1)%1000 == 0 || i == n-1 {
			recs = append(recs, b.NewRecord())
		}
	}
	r, _ := array.NewRecordReader(schema, recs)
	for _, rec := range recs {
		rec.Release()
	}
	return r
}

func merge(c driver.Conn, key []string, rows array.RecordReader) (int64, error) {
	defer rows.Release()
	return c.Merge(context.Background(), "t", key, rows)
}

// through is a connection through a proxy to an empty database with a table t, and one next to it.
func through(t *testing.T, s *server, unique bool) (c, beside driver.Conn, p *proxy) {
	t.Helper()
	name := s.database(t)
	p = newProxy(t, s.Port)
	c = openURL(t, s.URL(name, p.port()), driver.Options{})
	beside = s.open(t, name, driver.Options{})
	t.Cleanup(func() { p.cut(); c.Close(); beside.Close() })
	mustExec(t, beside, "CREATE TABLE t (k text, n bigint)")
	if unique {
		mustExec(t, beside, "CREATE UNIQUE INDEX ON t (k)")
	}
	return c, beside, p
}

func TestConnectionLostWhileReading(t *testing.T) {
	c, _, p := through(t, running(t), false)
	r, err := c.Query(context.Background(), slow)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	if !r.Next() {
		t.Fatal(r.Err())
	}
	p.cut()
	for r.Next() {
	}
	if code := c.ErrorCode(r.Err()); code != errcode.Unavailable {
		t.Errorf("%v (%v), want unavailable: a result that is cut short must not look whole", r.Err(), code)
	}
	if got := one(t, c, "SELECT 1"); got != "1" {
		t.Errorf("afterwards: %s", got)
	}
}

// Sessions that died while nobody used them are found out before anything is run in them.
func TestSessionsThatDied(t *testing.T) {
	c, beside, p := through(t, running(t), false)
	for range 3 {
		p.cut()
		if got := one(t, c, "SELECT 1"); got != "1" {
			t.Errorf("got %s", got)
		}
		mustExec(t, beside, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
		if n, err := merge(c, []string{"k"}, numbered(0, 1)); n != 1 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
}

func TestConnectionLostWhileWriting(t *testing.T) {
	for _, key := range [][]string{nil, {"k"}} {
		c, beside, p := through(t, running(t), key != nil)
		sent := 0
		p.on(func(toServer bool, piece []byte) bool {
			if toServer {
				sent += len(piece)
			}
			return sent < 100_000
		})
		if n, err := merge(c, key, numbered(0, 5000)); c.ErrorCode(err) != errcode.Unavailable {
			t.Fatalf("key %v: %d, %v, want unavailable", key, n, err)
		}
		if got := one(t, beside, "SELECT count(*) FROM t"); got != "0" {
			t.Errorf("key %v: %s rows of a write that failed are there", key, got)
		}
		p.saw.Store(nil)
		if n, err := merge(c, key, numbered(0, 5000)); n != 5000 || err != nil {
			t.Errorf("key %v, again: %d, %v", key, n, err)
		}
		if got := one(t, beside, "SELECT count(*) FROM t"); got != "5000" {
			t.Errorf("key %v: %s rows, want 5000", key, got)
		}
	}
}

// The connection ends around COMMIT: rows without a key show whether the outcome is found out.
func TestConnectionLostWhileCommitting(t *testing.T) {
	defer postgres.AskFor(postgres.AskFor(2 * time.Second))
	for _, tc := range []struct {
		why    string
		before bool // COMMIT does not reach the server
		blind  bool // nobody can be asked afterwards
		want   errcode.Code
		rows   string
	}{
		{"COMMIT arrives and its answer does not", false, false, errcode.OK, "3000"},
		{"COMMIT does not arrive", true, false, errcode.Unavailable, "0"},
		{"the answer is lost, and the server cannot be asked", false, true, errcode.Unavailable, "3000"},
	} {
		c, beside, p := through(t, running(t), false)
		var committing atomic.Bool
		p.on(func(toServer bool, piece []byte) bool {
			if toServer && bytes.Contains(piece, []byte("COMMIT\x00")) {
				committing.Store(true)
				p.refuse.Store(tc.blind)
				return !tc.before
			}
			return toServer || !committing.CompareAndSwap(true, false) // the answer
		})
		if tc.before {
			p.on(func(toServer bool, piece []byte) bool {
				return !toServer || !bytes.Contains(piece, []byte("COMMIT\x00"))
			})
		}
		n, err := merge(c, nil, numbered(0, 3000))
		if got := errcode.Of(err); got != tc.want || err == nil && n != 3000 {
			t.Errorf("%s: %d, %v (%v), want %v", tc.why, n, err, got, tc.want)
		}
		if tc.blind && !strings.Contains(err.Error(), "outcome is unknown") {
			t.Errorf("%s: %v, want an unknown outcome", tc.why, err)
		}
		if got := one(t, beside, "SELECT count(*) FROM t"); got != tc.rows {
			t.Errorf("%s: %s rows, want %s", tc.why, got, tc.rows)
		}
	}
}

// A server of its own is restarted and shut down.
func TestRestart(t *testing.T) {
	running(t)
	s, err := newServer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Stop("immediate")
		os.RemoveAll(s.Dir)
	})
	c := s.open(t, "postgres", driver.Options{})
	defer c.Close()
	mustExec(t, c, "CREATE TABLE t (k text, n bigint)")
	r, err := c.Query(context.Background(), slow)
	if err != nil || !r.Next() {
		t.Fatal(err)
	}
	s.Stop("fast")
	for r.Next() {
	}
	if code := c.ErrorCode(r.Err()); code != errcode.Unavailable || !strings.Contains(r.Err().Error(), "57P01") {
		t.Errorf("a shutdown while reading: %v (%v), want unavailable for what the server said", r.Err(), code)
	}
	r.Release()
	if _, err := drivertest.Read(context.Background(), c, "SELECT 1"); c.ErrorCode(err) != errcode.Unavailable || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("while it is away: %v", err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	if n, err := merge(c, []string{"k"}, numbered(0, 10)); n != 10 || err != nil {
		t.Errorf("after the restart: %d, %v", n, err)
	}
}

func TestServerErrors(t *testing.T) {
	s := running(t)
	name := s.database(t)
	owner := s.open(t, name, driver.Options{})
	defer owner.Close()
	mustExec(t, owner, "CREATE TABLE t (k text, n bigint NOT NULL)", "CREATE ROLE reader_"+name+" LOGIN", "CREATE TABLE u (k text UNIQUE, n bigint)", "INSERT INTO u VALUES ('a', 1)",
		"CREATE FUNCTION raises() RETURNS int LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''hunter2''; END'")
	reader := openURL(t, strings.Replace(s.URL(name, s.Port), "owner", "reader_"+name, 1), driver.Options{})
	defer reader.Close()
	slowly := openURL(t, s.URL(name, s.Port)+"&statement_timeout=50&lock_timeout=50", driver.Options{})
	defer slowly.Close()
	ctx := context.Background()
	for _, tc := range []struct {
		why   string
		c     driver.Conn
		query string
		want  errcode.Code
		says  string
	}{
		{"a table that the role may not read", reader, "SELECT * FROM t", errcode.PermissionDenied, "table t"},
		{"a schema that it may not make", reader, "CREATE SCHEMA badger", errcode.PermissionDenied, "database " + name},
		{"longer than the server allows", slowly, "SELECT COUNT(*) FROM (" + slow + ") AS s", errcode.DeadlineExceeded, "statement_timeout"},
		{"a key twice", owner, "INSERT INTO u VALUES ('a', 2)", errcode.AlreadyExists, ""},
		{"NULL where none may be", owner, "INSERT INTO t VALUES ('hunter2', NULL)", errcode.InvalidArgument, "NULL"},
		{"division by zero", owner, "SELECT n / 0 FROM u", errcode.InvalidArgument, "division by zero"},
		{"what a function says may be a value", owner, "SELECT raises()", errcode.InvalidArgument, "P0001"},
		{"two statements", owner, "SELECT 1; DROP TABLE t", errcode.InvalidArgument, "several statements"},
		{"a name with a quote", owner, `SELECT * FROM "a""b"`, errcode.NotFound, `table a"b`},
		{"a column of another name with quotes", owner, `SELECT "x""y""" FROM u`, errcode.InvalidArgument, `column x"y"`},
		{"a schema that is not there", owner, "SELECT * FROM nowhere.t", errcode.NotFound, "nowhere"},
		{"another database", owner, "SELECT * FROM other.public.t", errcode.Unimplemented, ""},
		{"COPY, which would wait for rows", owner, "/* a /* nested */ comment */ -- and\n copy t FROM STDIN", errcode.InvalidArgument, "COPY"},
		{"a comment and nothing else", owner, "-- nothing", errcode.InvalidArgument, "no statement"},
	} {
		_, err := drivertest.Read(ctx, tc.c, tc.query)
		if code := errcode.Of(err); code != tc.want || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v (%v), want %v with %q", tc.why, err, code, tc.want, tc.says)
		}
	}
	if _, err := reader.Merge(ctx, "t", []string{"k"}, numbered(0, 1)); errcode.Of(err) != errcode.PermissionDenied {
		t.Errorf("writing where the role may not: %v", err)
	}
	if _, err := owner.Merge(ctx, "u", []string{"n"}, numbered(0, 1)); err != nil {
		t.Errorf("a key that no index is on: %v", err)
	}
	mustExec(t, owner, "DELETE FROM u", "INSERT INTO u VALUES ('key 0 with some length to it, so that there is more than one piece', 7)")
	if _, err := owner.Merge(ctx, "u", []string{"n"}, numbered(0, 1)); errcode.Of(err) != errcode.AlreadyExists {
		t.Errorf("a row that another key stands against: %v, want already_exists", err)
	}
	if _, _, err := postgres.Open(ctx, s.URL("nothing_here", s.Port), driver.Options{}); errcode.Of(err) != errcode.NotFound {
		t.Errorf("no such database: %v", err)
	}
	if _, _, err := postgres.Open(ctx, fmt.Sprintf("postgres://guarded@127.0.0.1:%d/%s?sslmode=disable", s.Port, name), driver.Options{}); errcode.Of(err) != errcode.Unauthenticated {
		t.Errorf("without a password: %v", err)
	}
}

// Statements of several writers that need the same rows wait for each other and end.
func TestWritersOfTheSameRows(t *testing.T) {
	for _, unique := range []bool{true, false} {
		c, beside, _ := through(t, running(t), unique)
		errs := make(chan error, 8)
		for w := range 4 {
			go func() {
				for range 2 {
					_, err := merge(c, []string{"k"}, numbered(w, 500)) // overlapping
					errs <- err
				}
			}()
		}
		for range 8 {
			if err := <-errs; err != nil {
				t.Errorf("unique %v: %v", unique, err)
			}
		}
		if got := one(t, beside, "SELECT count(*)::text || ' ' || count(DISTINCT k)::text FROM t"); got != "503 503" {
			t.Errorf("unique %v: %s rows and keys, want 503 of both", unique, got)
		}
	}
}

// A client that is gone without a word, as one that was killed, leaves no statement running, also behind a
// pooler.
func TestClientThatIsGone(t *testing.T) {
	t.Parallel()
	s := running(t)
	for _, mode := range []string{"", "session", "transaction"} {
		t.Run("pool_mode="+mode, func(t *testing.T) {
			t.Parallel()
			port := s.Port
			if mode != "" {
				port = pool(t, s, mode).Port
			}
			name := s.database(t)
			p := newProxy(t, port)
			c := openURL(t, s.URL(name, p.port()), driver.Options{})
			beside := s.open(t, name, driver.Options{})
			t.Cleanup(func() { p.cut(); c.Close(); beside.Close() })
			go drivertest.Read(context.Background(), c, "SELECT count(*) FROM ("+slow+") AS left_behind") //nolint:errcheck // its connection is cut
			still := func() string {
				return one(t, beside, "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND datname = current_database() AND query LIKE '%left_behind%' AND pid <> pg_backend_pid()")
			}
			for range 100 {
				if still() == "1" {
					break
				}
				time.Sleep(50 * time.Millisecond)
			}
			if one(t, beside, "SELECT (current_setting('server_version_num')::int >= 140000)::text") != "true" {
				t.Skip("the server does not look whether its clients are there, as PostgreSQL does from version 14 on")
			}
			p.refuse.Store(true) // a client that is gone asks for nothing to be cancelled
			p.cut()
			for start := time.Now(); still() != "0"; time.Sleep(100 * time.Millisecond) {
				if time.Since(start) > 30*time.Second {
					t.Fatal("the statement runs on")
				}
			}
		})
	}
}

// The server ends what runs for longer than its caller waits, also where it cannot see that the caller is
// gone: behind a pooler. A role's own limit stays where it is shorter, and nothing is left in the session.
func TestServerEndsWhatNobodyWaitsFor(t *testing.T) {
	s := running(t)
	name := s.database(t)
	owner := s.open(t, name, driver.Options{})
	defer owner.Close()
	role := "limited_" + name
	mustExec(t, owner, "CREATE ROLE "+role+" LOGIN")
	limit := func(c driver.Conn, wait time.Duration) string {
		ctx := context.Background()
		if wait > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, wait)
			defer cancel()
		}
		got, err := drivertest.Read(ctx, c, "SELECT (extract(epoch FROM current_setting('statement_timeout')::interval) / 5)::int * 5 AS seconds") // to five seconds
		if err != nil {
			t.Fatal(err)
		}
		return got.Columns[0].Value(0).String()
	}
	for _, tc := range []struct {
		own  string
		wait time.Duration
		want string
	}{
		{"0", 0, "0"}, {"0", time.Minute, "65"}, {"10s", time.Minute, "10"}, {"2h", time.Minute, "65"}, {"10s", 0, "10"}, {"1d", 2 * time.Hour, "7205"},
	} {
		mustExec(t, owner, "ALTER ROLE "+role+" SET statement_timeout = '"+tc.own+"'")
		c := openURL(t, strings.Replace(s.URL(name, s.Port), "owner", role, 1)+"&pool_max_conns=1", driver.Options{})
		for _, wait := range []time.Duration{tc.wait, 0, tc.wait} {
			want := tc.want
			if wait == 0 {
				want = map[string]string{"0": "0", "10s": "10", "2h": "7200", "1d": "86400"}[tc.own]
			}
			if got := limit(c, wait); got != want {
				t.Errorf("the role's limit %s, a caller who waits %v: %s seconds, want %s", tc.own, wait, got, want)
			}
		}
		c.Close()
	}
	mustExec(t, owner, "CREATE TABLE t (k text, n bigint)")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, key := range [][]string{{"k"}, nil} {
		rows := numbered(0, 3)
		if n, err := owner.Merge(ctx, "t", key, rows); n != 3 || err != nil {
			t.Errorf("writing for a caller who waits a minute: %d rows, %v", n, err)
		}
		rows.Release()
	}
}

// Rows with a key are written again where a deadlock or the end of the session got in the way.
func TestScoresAreWrittenAgain(t *testing.T) {
	s := running(t)
	p := newProxy(t, s.Port)
	name := s.database(t)
	c := openURL(t, s.URL(name, p.port()), driver.Options{})
	w := store.New(connectors.New(c, postgres.Dialect))
	defer w.Close()
	if err := w.Install(context.Background()); err != nil {
		t.Fatal(err)
	}
	beside := s.open(t, name, driver.Options{})
	defer beside.Close()
	var once atomic.Bool
	p.on(func(toServer bool, piece []byte) bool { // the connection is lost in the first transaction
		return !toServer || !bytes.Contains(piece, []byte("COPY ")) || !once.CompareAndSwap(false, true)
	})
	if err := w.WriteScores(context.Background(), "20260901T221919", "h", time.Unix(0, 0), batchOf(2, 0)); err != nil {
		t.Errorf("a session that was lost: %v", err)
	}
	if got := one(t, beside, "SELECT count(*) FROM badger.scores"); got != "128" || !once.Load() {
		t.Errorf("%s scores, want 128; lost %v", got, once.Load())
	}
}
