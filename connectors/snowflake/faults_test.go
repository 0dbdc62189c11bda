package snowflake_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	fakesnowflake "github.com/badger-eval/badger/connectors/fake/snowflake"
	"github.com/badger-eval/badger/connectors/snowflake"
	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/sample"
)

var ctx = context.Background()

// opened opens a server that is closed with the test.
func opened(t testing.TB, s *fakesnowflake.Server) *snowflake.Conn {
	t.Helper()
	c := open(t, urlOf(s), driver.Options{})
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return c.Conn
}

func show(r array.RecordReader, err error) (string, error) {
	if err != nil {
		return "", err
	}
	defer r.Release()
	t, err := arrowtable.Read(r, arrowtable.Limits{})
	if err != nil {
		return "", err
	}
	return drivertest.Show(t), nil
}

func mustExec(t testing.TB, c *snowflake.Conn, query string) {
	t.Helper()
	if err := c.Exec(ctx, query); err != nil {
		t.Fatal(err)
	}
}

func cells(values ...string) []fakesnowflake.Cell {
	out := make([]fakesnowflake.Cell, len(values))
	for i, v := range values {
		if v != "NULL" {
			out[i] = fakesnowflake.Text(v)
		}
	}
	return out
}

// numbered is a result of n rows in chunks of ten, numbered from 0.
func numbered(n int) fakesnowflake.Result {
	part := func(at int) (rows [][]fakesnowflake.Cell) {
		for i := at * 10; i < at*10+10; i++ {
			rows = append(rows, cells(strconv.Itoa(i), "row "+strconv.Itoa(i)))
		}
		return rows
	}
	return fakesnowflake.Result{
		Columns: []fakesnowflake.Column{{Name: "N", Type: "fixed", Precision: 38}, {Name: "S", Type: "text"}},
		Rows:    part(0), Chunks: n/10 - 1, Chunk: func(i int) [][]fakesnowflake.Cell { return part(i + 1) },
	}
}

// wantNumbered reads a numbered result and wants every row once, in order.
func wantNumbered(r array.RecordReader, err error, n int) error {
	if err != nil {
		return err
	}
	defer r.Release()
	next := 0
	for r.Next() {
		rec := r.Record()
		for i := range int(rec.NumRows()) {
			if got := rec.Column(0).ValueStr(i) + " " + rec.Column(1).ValueStr(i); got != fmt.Sprintf("%d row %d", next, next) {
				return fmt.Errorf("row %d is %q", next, got)
			}
			next++
		}
	}
	if err := r.Err(); err != nil {
		return err
	}
	if next != n {
		return fmt.Errorf("%d rows, want %d", next, n)
	}
	return nil
}

// Whatever happens on the way, every row arrives once.
func TestChunksArriveWhole(t *testing.T) {
	t.Parallel() // it waits for its next try
	for _, tc := range sample.Of([]struct {
		why   string
		gzip  bool
		steps []fakesnowflake.Step
	}{
		{"nothing happens", false, nil},
		{"compressed", true, nil},
		{"the connection is lost in the head of a chunk", false, []fakesnowflake.Step{{}, {Truncate: 3}}},
		{"in the schema", false, []fakesnowflake.Step{{}, {}, {Truncate: 150}}},
		{"in the rows", false, []fakesnowflake.Step{{Truncate: 700}}},
		{"before the last byte", false, []fakesnowflake.Step{{}, {Truncate: 899}}},
		{"several times, at one chunk and at others", false, []fakesnowflake.Step{{Truncate: 500}, {Truncate: 20}, {}, {}, {Truncate: 600}}},
		{"in a compressed chunk", true, []fakesnowflake.Step{{}, {Truncate: 100}}},
		{"its link has expired", false, []fakesnowflake.Step{{}, {}, {}, {Status: 403}}},
		{"without an answer", false, []fakesnowflake.Step{{}, {Lose: true}}},
	}, 3) {
		for _, inline := range []bool{true, false} { // whether the answer holds the first part
			t.Run(fmt.Sprintf("%s, inline %v", tc.why, inline), func(t *testing.T) {
				s := fakesnowflake.New(t)
				s.Gzip = tc.gzip
				res := numbered(80)
				if !inline {
					res = downloaded(res)
				}
				s.Answer("SELECT n, s FROM t", res)
				c := opened(t, s)
				s.Script(fakesnowflake.Chunk, tc.steps...)
				r, err := c.Query(ctx, "SELECT n, s FROM t")
				if err := wantNumbered(r, err, 80); err != nil {
					t.Error(err)
				}
				if n := len(s.Statements()); n != 1 {
					t.Errorf("%d statements were run", n)
				}
			})
		}
	}
}

func TestChunksThatNeverArrive(t *testing.T) {
	s := fakesnowflake.New(t)
	s.Answer("SELECT n, s FROM t", numbered(80))
	c := opened(t, s)
	for range 50 {
		s.Script(fakesnowflake.Chunk, fakesnowflake.Step{Truncate: 300})
	}
	r, err := c.Query(ctx, "SELECT n, s FROM t")
	if err := wantNumbered(r, err, 80); errcode.Of(err) != errcode.Unavailable {
		t.Errorf("%v (%v), want unavailable", err, errcode.Of(err))
	}
}

// The links of a result that Snowflake keeps no more cannot be renewed; what was read is not passed
// off as the whole.
func TestResultThatExpiresWhileItIsRead(t *testing.T) {
	s := fakesnowflake.New(t)
	kept := numbered(80)
	kept.Expired = true
	s.Answer("SELECT n, s FROM t", kept)
	c := opened(t, s)
	s.Script(fakesnowflake.Chunk, fakesnowflake.Step{}, fakesnowflake.Step{Status: 403})
	r, err := c.Query(ctx, "SELECT n, s FROM t")
	if err := wantNumbered(r, err, 80); errcode.Of(err) != errcode.NotFound || !strings.Contains(err.Error(), "24 hours") {
		t.Errorf("%v (%v), want not_found, and how long results are kept", err, errcode.Of(err))
	}
}

// Sessions end while the program runs. What is asked for is run once nevertheless.
func TestSessionsThatEnd(t *testing.T) {
	for why, end := range map[string]func(*fakesnowflake.Server){
		"expired, and renewed":         (*fakesnowflake.Server).ExpireSessions,
		"gone, and signed in for anew": (*fakesnowflake.Server).ForgetSessions,
		"expired, and not renewable": func(s *fakesnowflake.Server) {
			s.ExpireSessions()
			s.Script(fakesnowflake.Renew, fakesnowflake.Step{Error: &fakesnowflake.Error{Code: "390114", State: "08001", Message: "Authentication token has expired."}})
		},
	} {
		t.Run(why, func(t *testing.T) {
			s := fakesnowflake.New(t)
			c := opened(t, s)
			mustExec(t, c, "CREATE TABLE t (k VARCHAR, n NUMBER(19, 0))")
			end(s)
			if got, err := show(c.Query(ctx, "SELECT COUNT(*) AS n FROM t")); err != nil || !strings.HasSuffix(got, ": 0\n") {
				t.Fatalf("%s, %v", got, err)
			}
			end(s)
			rows := scoreRows("a", "b")
			defer rows.Release()
			if n, err := c.Merge(ctx, "t", []string{"k"}, rows); err != nil || n != 2 {
				t.Fatalf("%d, %v", n, err)
			}
			end(s)
			if got, err := show(c.Query(ctx, "SELECT COUNT(*) AS n FROM t")); err != nil || !strings.HasSuffix(got, ": 2\n") {
				t.Fatalf("%s, %v", got, err)
			}
			merges := 0
			for _, q := range s.Statements() {
				if strings.HasPrefix(q, "MERGE") {
					merges++
				}
			}
			if merges != 1 {
				t.Errorf("%d MERGE statements were run", merges)
			}
		})
	}
}

// scoreRows makes rows of a key and a number.
func scoreRows(keys ...string) array.RecordReader {
	b := array.NewRecordBuilder(memory.NewGoAllocator(), arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.BinaryTypes.String}, {Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil))
	defer b.Release()
	for i, k := range keys {
		b.Field(0).(*array.StringBuilder).Append(k)
		b.Field(1).(*array.Int64Builder).Append(int64(i))
	}
	rec := b.NewRecord()
	defer rec.Release()
	r, err := array.NewRecordReader(rec.Schema(), []arrow.Record{rec})
	if err != nil {
		panic(err)
	}
	return r
}

// An answer that is lost is asked for again under the same id: rows without a key are not doubled.
func TestAnswersThatAreLost(t *testing.T) {
	s := fakesnowflake.New(t)
	c := opened(t, s)
	mustExec(t, c, "CREATE TABLE t (k VARCHAR, n NUMBER(19, 0))")
	s.Script(fakesnowflake.Query, fakesnowflake.Step{}, fakesnowflake.Step{Lose: true}) // the description, the rows
	rows := scoreRows("a", "a", "b")
	defer rows.Release()
	if n, err := c.Merge(ctx, "t", nil, rows); err != nil || n != 3 {
		t.Fatalf("%d, %v", n, err)
	}
	if got, err := show(c.Query(ctx, "SELECT COUNT(*) AS n FROM t")); err != nil || got != "\"N\" INT64: 3\n" {
		t.Errorf("%s, %v, want three rows", got, err)
	}
}

func TestServersThatAreBusy(t *testing.T) {
	t.Parallel() // it waits for its next try
	s := fakesnowflake.New(t)
	c := opened(t, s)
	s.Script(fakesnowflake.Query, fakesnowflake.Step{Status: 429})
	if got, err := show(c.Query(ctx, "SELECT 1 AS a")); err != nil || got != "\"A\" INT64: 1\n" {
		t.Errorf("once: %s, %v", got, err)
	}
	for _, status := range sample.Of([]int{429, 503}, 2) {
		const want = errcode.Unavailable
		s.Script(fakesnowflake.Query, fakesnowflake.Step{Status: status}, fakesnowflake.Step{Status: status}, fakesnowflake.Step{Status: status})
		_, err := show(c.Query(ctx, "SELECT 1 AS a"))
		if code := errcode.Of(err); code != want || !code.Retryable() || !strings.Contains(err.Error(), strconv.Itoa(status)) {
			t.Errorf("HTTP %d for good: %v (%v), want %v", status, err, code, want)
		}
	}
}

// A warehouse that has to be resumed keeps statements waiting.
func TestStatementsThatTakeLong(t *testing.T) {
	s := fakesnowflake.New(t)
	slow := numbered(30)
	slow.Polls = 3
	s.Answer("SELECT n, s FROM t", slow)
	c := opened(t, s)
	r, err := c.Query(ctx, "SELECT n, s FROM t")
	if err := wantNumbered(r, err, 30); err != nil {
		t.Error(err)
	}
	if n := len(s.Statements()); n != 1 {
		t.Errorf("%d statements were run", n)
	}
}

const (
	anID    = "01b2c3d4-0000-1111-0000-222233334444"
	otherID = "01b2c3d4-0000-1111-0000-222233335555"
)

// Results are read again without a statement being run.
func TestResultsByID(t *testing.T) {
	read := func(c *snowflake.Conn, ref string) (array.RecordReader, error) {
		r, err := driver.ParseRef(ref)
		if err != nil {
			return nil, err
		}
		return c.ReadSnapshot(ctx, r)
	}
	running := numbered(50)
	running.Polls = 2
	expired, foreign, failed := numbered(50), numbered(50), numbered(50)
	expired.Expired, foreign.Owner = true, "somebody"
	failed.Err = &fakesnowflake.Error{Code: "100051", State: "22012", Message: "Division by zero in hunter2"}
	for _, tc := range []struct {
		why   string
		kept  *fakesnowflake.Result
		want  errcode.Code
		words string
	}{
		{"there", ptr(numbered(50)), errcode.OK, ""},
		{"still running", &running, errcode.OK, ""},
		{"expired", &expired, errcode.NotFound, "24 hours"},
		{"another user's", &foreign, errcode.NotFound, "the user who ran"},
		{"never run", nil, errcode.NotFound, anID},
		{"failed", &failed, errcode.FailedPrecondition, "division by zero"},
	} {
		t.Run(tc.why, func(t *testing.T) {
			s := fakesnowflake.New(t)
			if tc.kept != nil {
				s.Keep(anID, *tc.kept)
			}
			c := opened(t, s)
			r, err := read(c, "query:"+anID)
			if tc.want == errcode.OK {
				if err := wantNumbered(r, err, 50); err != nil {
					t.Error(err)
				}
			} else if errcode.Of(err) != tc.want || !strings.Contains(err.Error(), tc.words) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%v (%v), want %v, with the words %q", err, errcode.Of(err), tc.want, tc.words)
			}
			if got := s.Statements(); len(got) != 0 {
				t.Errorf("these statements were run: %q", got)
			}
		})
	}
	s := fakesnowflake.New(t)
	if _, err := read(opened(t, s), "query:x'; DROP TABLE t"); errcode.Of(err) != errcode.InvalidArgument {
		t.Errorf("no id: %v, want invalid_argument", err)
	}
	t.Run("cancelled while it is running", func(t *testing.T) {
		s := fakesnowflake.New(t)
		endless := numbered(10)
		endless.Polls = 1 << 30
		s.Keep(anID, endless)
		c := opened(t, s)
		cancelled, cancel := context.WithCancel(ctx)
		go cancel()
		if _, err := c.ReadSnapshot(cancelled, driver.Ref{Kind: driver.RefQuery, Name: anID}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want cancelled", err)
		}
	})
}

func ptr[T any](v T) *T { return &v }

func TestTimeTravel(t *testing.T) {
	s := fakesnowflake.New(t)
	s.Answer("SELECT.*FROM s.t (AT|BEFORE).*", numbered(10))
	c := opened(t, s)
	for _, tc := range []struct{ why, at, clause string }{
		{"an instant", "2024-02-29T13:00:00.5+01:00", "AT(TIMESTAMP => '2024-02-29 12:00:00.500000000+00:00'::TIMESTAMP_TZ)"},
		{"a wall clock is UTC", "2024-02-29 12:00:00", "AT(TIMESTAMP => '2024-02-29 12:00:00.000000000+00:00'::TIMESTAMP_TZ)"},
		{"a day", "2024-02-29", "AT(TIMESTAMP => '2024-02-29 00:00:00.000000000+00:00'::TIMESTAMP_TZ)"},
		{"after a statement", anID, "AT(STATEMENT => '" + anID + "')"},
		{"before a statement", "before:" + anID, "BEFORE(STATEMENT => '" + anID + "')"},
		{"a number", "17", ""},
		{"no statement's id", "before:x", ""},
		{"SQL", "x') --", ""},
	} {
		_, err := show(c.ReadSnapshot(ctx, driver.Ref{Kind: driver.RefTable, Name: "s.t", At: tc.at}))
		got := s.Statements()
		if tc.clause == "" {
			if errcode.Of(err) != errcode.Unimplemented {
				t.Errorf("%s: %v, want unimplemented", tc.why, err)
			}
			continue
		}
		if want := "SELECT * FROM s.t " + tc.clause; err != nil || got[len(got)-1] != want {
			t.Errorf("%s: %v, ran %q, want %q", tc.why, err, got[len(got)-1], want)
		}
	}
}

// Errors name what they are about and what helps, and neither values nor SQL.
func TestErrors(t *testing.T) {
	s := fakesnowflake.New(t)
	c := opened(t, s)
	for _, tc := range []struct {
		code, state, message string
		want                 errcode.Code
		words                string
	}{
		{"003001", "42501", "SQL access control error:\nInsufficient privileges to operate on table 'SCORES'", errcode.PermissionDenied, "SCORES"},
		{"002003", "42S02", "SQL compilation error:\nObject 'DB.S.SCORES' does not exist or not authorized.", errcode.NotFound, "DB.S.SCORES"},
		{"000606", "57P03", "No active warehouse selected in the current session.", errcode.FailedPrecondition, "warehouse="},
		{"090073", "57014", "Warehouse 'W' cannot be resumed because resource monitor 'M' has exceeded its quota.", errcode.FailedPrecondition, "resource monitor"},
		{"000630", "57014", "Statement reached its statement or warehouse timeout of 3 second(s) and was canceled.", errcode.DeadlineExceeded, "STATEMENT_TIMEOUT"},
		{"000707", "02000", "Time travel data is not available for table T.", errcode.NotFound, "DATA_RETENTION_TIME_IN_DAYS"},
		{"100038", "22018", "Numeric value 'hunter2' is not recognized", errcode.InvalidArgument, "number"},
		{"100078", "22000", "String 'hunter2' is too long and would be truncated", errcode.InvalidArgument, "longer"},
		{"999999", "42501", "hunter2", errcode.PermissionDenied, "999999"},
		{"999998", "", "hunter2", errcode.Internal, "999998"},
		{"999997", "", "Too many requests of hunter2", errcode.Unavailable, "too many"},
		{"999996", "", "Too many arguments for function hunter2", errcode.Internal, "999996"},
		{"999995", "", "Resource monitor hunter2 has exceeded its limit", errcode.FailedPrecondition, "quota"},
		{"999994", "53300", "hunter2", errcode.Unavailable, "999994"},
		{"999993", "53100", "hunter2", errcode.FailedPrecondition, "not enough"},
		{"999992", "54001", "hunter2", errcode.InvalidArgument, "not accepted"},
		{"000625", "57014", "Statement 'x' has locked table 'T' in transaction 1", errcode.Unavailable, "lock"},
	} {
		s.Answer("SELECT 'hunter2' AS a", fakesnowflake.Result{Err: &fakesnowflake.Error{Code: tc.code, State: tc.state, Message: tc.message}})
		_, err := c.Query(ctx, "SELECT 'hunter2' AS a")
		if errcode.Of(err) != tc.want || !strings.Contains(err.Error(), tc.words) || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "SELECT") || !strings.Contains(err.Error(), "query 01badbad") {
			t.Errorf("%s: %v (%v), want %v with the words %q and the query's id", tc.code, err, errcode.Of(err), tc.want, tc.words)
		}
	}
}

// Many rows go through a temporary table; of one key the last still counts, and a failure on the
// way leaves nothing.
func TestManyRows(t *testing.T) {
	const n = 60
	keys := make([]string, n)
	for i := range keys {
		keys[i] = strconv.Itoa(i%50) + strings.Repeat(" long", 40_000) // 12 MB in all
	}
	s := fakesnowflake.New(t)
	c := opened(t, s)
	mustExec(t, c, "CREATE TABLE t (k VARCHAR, n NUMBER(19, 0))")
	s.Script(fakesnowflake.Query, fakesnowflake.Step{}, fakesnowflake.Step{}, fakesnowflake.Step{}, fakesnowflake.Step{Error: &fakesnowflake.Error{Code: "100082", State: "54000", Message: "Max LOB size exceeded"}})
	rows := scoreRows(keys...)
	if _, err := c.Merge(ctx, "t", []string{"k"}, rows); errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), "writing to t") {
		t.Errorf("%v (%v), want invalid_argument", err, errcode.Of(err))
	}
	rows.Release()
	if got, err := show(c.Query(ctx, "SELECT COUNT(*) AS n FROM t")); err != nil || got != "\"N\" INT64: 0\n" {
		t.Errorf("after a failure: %s, %v", got, err)
	}
	for range 2 {
		rows := scoreRows(keys...)
		if got, err := c.Merge(ctx, "t", []string{"k"}, rows); err != nil || got != n {
			t.Fatalf("%d, %v", got, err)
		}
		rows.Release()
	}
	got, err := show(c.Query(ctx, "SELECT COUNT(*) AS n, MIN(n) AS low, MAX(n) AS high, COUNT(DISTINCT k) AS k FROM t"))
	if want := "\"N\" INT64: 50\n\"LOW\" INT64: 10\n\"HIGH\" INT64: 59\n\"K\" INT64: 50\n"; err != nil || got != want {
		t.Errorf("got\n%swant\n%s%v", got, want, err)
	}
	for _, q := range s.Statements() {
		if strings.Contains(q, "CREATE TEMPORARY TABLE") {
			return
		}
	}
	t.Error("no temporary table was used: the test does not test what it says")
}

// What a statement does to its session is not found by the next call.
func TestSessionsAreNotMixed(t *testing.T) {
	s := fakesnowflake.New(t)
	c := opened(t, s)
	mustExec(t, c, "CREATE SCHEMA other") // makes it the current one in Snowflake
	mustExec(t, c, "CREATE TABLE here AS SELECT 1 AS a")
	mustExec(t, c, "USE SCHEMA other")
	if got, err := show(c.Query(ctx, "SELECT a FROM public.here")); err != nil || got != "\"A\" INT64: 1\n" {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := show(c.Query(ctx, "SELECT a FROM here")); err != nil || got != "\"A\" INT64: 1\n" {
		t.Errorf("%s, %v", got, err)
	}
}

func TestStatementsThatAreNotRun(t *testing.T) {
	s := fakesnowflake.New(t)
	c := opened(t, s)
	ro := open(t, urlOf(s), driver.Options{ReadOnly: true})
	defer ro.Close()
	before := len(s.Statements())
	for _, query := range []string{"PUT file:///etc/passwd @~", "  -- why\n get @~ file:///tmp", "/* x */ PUT file:///etc/passwd @~", "(PUT file:///x @~"} {
		if err := c.Exec(ctx, query); errcode.Of(err) != errcode.PermissionDenied {
			t.Errorf("%s: %v, want permission_denied", query, err)
		}
	}
	for _, query := range []string{"INSERT INTO t VALUES (1)", "-- SELECT\nDELETE FROM t", "CALL p()", "BEGIN", "EXECUTE IMMEDIATE 'DROP TABLE t'", "CREATE TABLE t (a INT)", "/* SELECT */ DROP TABLE t", "COPY INTO @s FROM t", "SHOW TABLES ->> INSERT INTO t SELECT 1", "/*/ SELECT */ DROP TABLE t", "/* /* */ SELECT */ DROP TABLE t",
		"/* /* */ SELECT 1 */ DELETE FROM t", "/* SELECT */ MERGE INTO t", "SET x = 1", "GET @~ file:///etc", // as Databricks' TestReadOnly
		"-- \r DELETE FROM t USING (\nSELECT 1)", "// \r DELETE FROM t USING (\nSELECT 1)", "-- \rSELECT 1\nDROP TABLE t", "SELECT 1 -- \r ->> DROP TABLE t",
		"SELECT '->>' ->> DROP TABLE t", "SHOW TABLES ->> 'a' SELECT 1", "SELECT $$ a $$ ->> DELETE FROM t", "SELECT 'a\\\\' ->> DROP TABLE t -- '", "SELECT {{ 1 ->> DROP TABLE t }}",
		"WITH p AS PROCEDURE () RETURNS INT LANGUAGE SQL AS 'DELETE FROM t' CALL p()", "with p as/* */procedure -- x\n() RETURNS INT LANGUAGE SQL AS 'DELETE FROM t' CALL p()",
	} {
		if err := ro.Exec(ctx, query); errcode.Of(err) != errcode.PermissionDenied {
			t.Errorf("%s: %v, want permission_denied", query, err)
		}
	}
	rows := scoreRows("a")
	defer rows.Release()
	if _, err := ro.Merge(ctx, "t", nil, rows); errcode.Of(err) != errcode.PermissionDenied {
		t.Errorf("writing: %v, want permission_denied", err)
	}
	if after := len(s.Statements()); after != before {
		t.Errorf("%d statements were run", after-before)
	}
	for _, query := range []string{
		"WITH x AS (SELECT 1 AS a) SELECT a FROM x", "WITH x AS (SELECT 'INSERT' AS a) SELECT a FROM x", "(SELECT 1)", `SELECT 1 AS "DELETE"`, "WITH x AS (SELECT 1 AS a /* UPDATE */) SELECT a FROM x -- MERGE",
		"-- why\r\nSELECT 1", "SELECT 1\r-- why\r\n", "WITH procedure AS (SELECT 1 AS procedure) SELECT procedure FROM procedure",
		"SELECT 'a ->> b' AS x", `SELECT 1 AS "a ->> b" -- ->> c`, "SELECT 'as procedure (' AS x /* ->> drop */", "SELECT '/* /*' AS x", "SELECT '-- \r ' AS x",
	} {
		if got, err := show(ro.Query(ctx, query)); err != nil {
			t.Errorf("%s: %s, %v; want it to run", query, got, err)
		}
	}
}

// Snowflake ends what a client ran that is gone, unless the URL says that it should not.
func TestStatementsOfClientsThatAreGone(t *testing.T) {
	for options, want := range map[string]string{"": "true", "&param.ABORT_DETACHED_QUERY=false": "false"} {
		s := fakesnowflake.New(t)
		c := open(t, urlOf(s)+options, driver.Options{})
		if got := s.Parameter("ABORT_DETACHED_QUERY"); len(got) != 1 || got[0] != want {
			t.Errorf("%q: %v, want %s", options, got, want)
		}
		c.Close()
	}
}
