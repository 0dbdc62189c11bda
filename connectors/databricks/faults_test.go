package databricks_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/databricks"
	"github.com/badger-eval/badger/connectors/driver"
	fakedatabricks "github.com/badger-eval/badger/connectors/fake/databricks"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/sample"
)

// numbers reads the numbers from 0 to below n and checks that each comes once, in order.
func numbers(c *databricks.Conn, n int64) error {
	r, err := c.Query(ctx, fmt.Sprintf("SELECT i FROM range(%d) AS t(i) ORDER BY i", n))
	if err != nil {
		return err
	}
	defer r.Release()
	next := int64(0)
	for r.Next() {
		col := r.Record().Column(0).(*array.Int64)
		for i := range col.Len() {
			if col.Value(i) != next {
				return fmt.Errorf("row %d holds %d", next, col.Value(i))
			}
			next++
		}
	}
	if err := r.Err(); err != nil {
		return err
	}
	if next != n {
		return fmt.Errorf("%d rows of %d and no error", next, n)
	}
	return nil
}

type step = fakedatabricks.Step

// everyFile is more faults than the ten files of 20,000 rows have attempts. Files are read at once,
// so fewer faults than that may be spread so that each file survives by its retries.
const everyFile = 100

// Whatever happens on the way, all rows come once, or there is an error: never fewer rows without
// one.
func TestReadingWithFaults(t *testing.T) {
	short := func(s *fakedatabricks.Server) { s.Short = true }
	extra := func(s *fakedatabricks.Server) { s.Extra = true }
	plain := func(s *fakedatabricks.Server) { s.Extra, s.LZ4 = true, false }
	direct := func(s *fakedatabricks.Server) { s.Direct = true }
	gone := &fakedatabricks.Fault{State: "08000", Message: "[INTERNAL_ERROR] hunter2. SQLSTATE: XX000"}
	for _, tc := range sample.Of([]struct {
		why   string
		files bool
		kind  string
		steps []step
		want  errcode.Code // OK: all rows come
		names string
		set   func(s *fakedatabricks.Server)
	}{
		{"a page's answer is lost, and its place at the service has moved on", false, "FetchResults", []step{{}, {Lose: true}, {Lose: true}}, errcode.OK, "", nil},
		{"a page ends in the middle", false, "FetchResults", []step{{}, {Truncate: 400}}, errcode.OK, "", nil},
		{"a page is never asked for", false, "FetchResults", []step{{}, {Drop: true}, {Drop: true}}, errcode.OK, "", nil},
		{"the service leaves a page out", false, "FetchResults", []step{{}, {Skip: true}}, errcode.OK, "", nil},
		{"too many requests", false, "FetchResults", []step{{Status: 429, RetryAfter: 1}, {Status: 503}}, errcode.OK, "", nil},
		{"the service fails", false, "FetchResults", []step{{Status: 500}, {Status: 502}}, errcode.OK, "", nil},
		{"the service fails for good", false, "FetchResults", []step{{}, {Status: 500}, {Status: 500}, {Status: 500}, {Status: 500}}, errcode.Unavailable, "HTTP status 500", nil},
		{"the connection is lost for good", false, "FetchResults", []step{{}, {Lose: true}, {Lose: true}, {Lose: true}, {Lose: true}}, errcode.Unavailable, "lost", nil},
		{"a page fails", false, "FetchResults", []step{{}, {}, {Fault: gone}}, errcode.Unavailable, "INTERNAL_ERROR", nil},
		{"the result is closed meanwhile", false, "FetchResults", []step{{}, {Fault: &fakedatabricks.Fault{Handle: true, Message: "Invalid OperationHandle"}}}, errcode.Unavailable, "no longer exists", nil},
		{"asking how it is doing: lost", false, "GetOperationStatus", []step{{Lose: true}, {Status: 503}}, errcode.OK, "", nil},
		{"the answer to the statement is lost: it only reads and is run again", false, "ExecuteStatement", []step{{Lose: true}}, errcode.OK, "", nil},
		{"the warehouse is busy", false, "ExecuteStatement", []step{{Status: 429, RetryAfter: 1}, {Status: 503, RetryAfter: 1}}, errcode.OK, "", nil},
		{"the warehouse takes its time, and says when to come again", false, "ExecuteStatement", slices.Repeat([]step{{Status: 503, RetryAfter: 20}}, 9), errcode.OK, "", nil},
		{"the warehouse is stopped and says nothing", false, "ExecuteStatement", slices.Repeat([]step{{Status: 503}}, 9), errcode.Unavailable, "start it", nil},
		{"the session has ended", false, "ExecuteStatement", []step{{Fault: &fakedatabricks.Fault{Handle: true, Message: "Invalid SessionHandle"}}}, errcode.OK, "", nil},
		{"the token has expired and is renewed", false, "ExecuteStatement", []step{{Status: 401}}, errcode.OK, "", nil},
		{"the token has expired", false, "ExecuteStatement", []step{{Status: 401}, {Status: 401}}, errcode.Unauthenticated, "renew", nil},
		{"the account may not", false, "ExecuteStatement", []step{{Status: 403, Reason: "PERMISSION_DENIED: You do not have permission"}}, errcode.PermissionDenied, "CAN USE", nil},
		{"a file breaks off", true, "file", []step{{}, {Truncate: 100}, {Drop: true}}, errcode.OK, "", nil},
		{"cloud storage is busy", true, "file", []step{{Status: 503}, {Status: 500}, {Status: 429}}, errcode.OK, "", nil},
		{"a link has expired", true, "file", []step{{}, {}, {Status: 403}, {}, {Status: 403}}, errcode.OK, "", nil},
		{"a link is refused for good", true, "file", slices.Repeat([]step{{Status: 403}}, everyFile), errcode.Unavailable, "cloud_fetch=false", nil},
		{"cloud storage fails for good", true, "file", slices.Repeat([]step{{Drop: true}}, everyFile), errcode.Unavailable, "127.0.0.1", nil},
		{"files hold a row less than announced", true, "file", nil, errcode.DataLoss, "1 rows of a part are missing", short},
		{"files hold more than announced", true, "file", nil, errcode.OK, "", extra},
		{"files hold more than announced, and are not compressed", true, "file", nil, errcode.OK, "", plain},
		{"batches hold more than announced", false, "", nil, errcode.OK, "", extra},
		{"batches hold more than announced, and are not compressed", false, "", nil, errcode.OK, "", plain},
		{"a page of links fails", true, "FetchResults", []step{{}, {}, {Fault: gone}}, errcode.Unavailable, "INTERNAL_ERROR", nil},
		{"the first page fails", false, "FetchResults", []step{{Fault: gone}}, errcode.Unavailable, "INTERNAL_ERROR", nil},
		{"the second page fails, the first came with the answer", false, "FetchResults", []step{{Fault: gone}}, errcode.Unavailable, "INTERNAL_ERROR", direct},
		{"a link has expired that came with the answer", true, "file", []step{{}, {Status: 403}, {Status: 403}}, errcode.OK, "", direct},
		{"files that came with the answer break off", true, "file", []step{{Truncate: 100}, {}, {Drop: true}}, errcode.OK, "", direct},
		{"the answer is none of the protocol", false, "FetchResults", []step{{}, {Body: "<html>", Status: 200}}, errcode.Unavailable, "http_path", nil},
		{"rows in columns", false, "", nil, errcode.Unimplemented, "not Arrow", func(s *fakedatabricks.Server) { s.Columns = true }},
		{"rows in columns, that came with the answer", false, "", nil, errcode.Unimplemented, "not Arrow", func(s *fakedatabricks.Server) { s.Columns, s.Direct = true, true }},
	}, 3) {
		t.Run(tc.why, func(t *testing.T) {
			s := start(t)
			s.Direct, s.Files, s.PageRows, s.FileRows = false, tc.files, 4096, 2048
			if tc.set != nil {
				tc.set(s)
			}
			c := open(t, s.URL("retries=3"), options)
			defer c.Close() //nolint:errcheck // nothing follows
			s.Script(tc.kind, tc.steps...)
			err := numbers(c, 20_000)
			if code := c.ErrorCode(err); code != tc.want {
				t.Fatalf("%v (%v), want %v", err, code, tc.want)
			}
			if err != nil && (strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), tc.names)) {
				t.Errorf("%v, want it to say %q and no value", err, tc.names)
			}
			if n := s.Open(); n > 1 || n > 0 && tc.kind != "ExecuteStatement" { // a statement whose handle never came cannot be closed
				t.Errorf("%d statements are still open", n)
			}
		})
	}
}

func TestLinksThatExpireWhileReading(t *testing.T) {
	s := start(t)
	s.PageRows, s.FileRows = 1<<20, 2048
	c := open(t, s.URL(), options)
	defer c.Close() //nolint:errcheck // nothing follows
	r, err := c.Query(ctx, "SELECT i FROM range(40000) AS t(i) ORDER BY i")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	n := int64(0)
	for r.Next() {
		if n == 0 {
			s.ExpireLinks()
		}
		n += r.Record().NumRows()
	}
	if r.Err() != nil || n != 40000 {
		t.Errorf("%d rows, %v, want 40000: the links are asked for again, the statement is not run again", n, r.Err())
	}
	if got := len(s.Statements()); got != 1 {
		t.Errorf("%d statements were run, want one", got)
	}
}

func TestAWarehouseThatStartsSlowly(t *testing.T) {
	s := start(t)
	s.Script("OpenSession", step{Status: 503, RetryAfter: 1, Reason: "TEMPORARILY_UNAVAILABLE: Warehouse is starting"}, step{Status: 503, RetryAfter: 1})
	c, _, err := databricks.Open(ctx, s.URL(), options)
	if err != nil {
		t.Fatalf("%v, want patience: the service said when to come again", err)
	}
	c.Close() //nolint:errcheck // nothing follows
	for range 3 {
		s.Script("OpenSession", step{Status: 503})
	}
	if _, _, err = databricks.Open(ctx, s.URL("retries=1"), options); errcode.Of(err) != errcode.Unavailable || !strings.Contains(err.Error(), `"0123456789abcdef" is starting`) {
		t.Errorf("%v, want unavailable, the warehouse named", err)
	}
	s.Answer("SELECT 41 AS a", fakedatabricks.Result{Record: text([]string{"a"}, nil, "x").Record, Polls: 4})
	c = open(t, s.URL(), options)
	defer c.Close() //nolint:errcheck // nothing follows
	if got, err := c.(*databricks.Conn).QueryText(ctx, "SELECT 41 AS a"); got != "x" || err != nil {
		t.Errorf("a statement that waits for the warehouse: %q, %v", got, err)
	}
}

// rowsOf makes rows of a key and a number.
func rowsOf(from, to int64) array.RecordReader {
	b := array.NewRecordBuilder(memory.NewGoAllocator(), arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.BinaryTypes.String}, {Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil))
	defer b.Release()
	for i := from; i < to; i++ {
		b.Field(0).(*array.StringBuilder).Append(fmt.Sprintf("key %d %s", i, strings.Repeat("x", 100)))
		b.Field(1).(*array.Int64Builder).Append(i)
	}
	rec := b.NewRecord()
	defer rec.Release()
	r, _ := array.NewRecordReader(rec.Schema(), []arrow.Record{rec})
	return r
}

// Rows are written once or not at all, whatever happens on the way.
func TestWritingWithFaults(t *testing.T) {
	conflict := &fakedatabricks.Fault{State: "2D521", Message: "[DELTA_CONCURRENT_APPEND.ROW_LEVEL_CHANGES] Files were added by a concurrent update. hunter2 SQLSTATE: 2D521"}
	for _, tc := range sample.Of([]struct {
		why   string
		rows  int64
		key   []string
		kind  string
		steps []step
		want  errcode.Code // OK: the rows are there
		there bool         // though there was an error
	}{
		{"few rows: the answer is lost", 10, []string{"k"}, "ExecuteStatement", []step{{}, {Lose: true}}, errcode.OK, false},
		{"few rows: the request is lost", 10, []string{"k"}, "ExecuteStatement", []step{{}, {Drop: true}}, errcode.OK, false},
		{"few rows: another statement was faster", 10, []string{"k"}, "ExecuteStatement", []step{{}, {Fault: conflict}, {Fault: conflict}}, errcode.OK, false},
		{"few rows: always faster", 10, []string{"k"}, "ExecuteStatement", []step{{}, {Fault: conflict}, {Fault: conflict}, {Fault: conflict}, {Fault: conflict}}, errcode.Unavailable, false},
		{"many rows: answers are lost on each way", 40_000, []string{"k"}, "ExecuteStatement", []step{{}, {Lose: true}, {}, {Lose: true}, {Lose: true}, {}, {Lose: true}}, errcode.OK, false},
		{"many rows: too many requests", 40_000, []string{"k"}, "ExecuteStatement", []step{{}, {}, {Status: 429, RetryAfter: 1}, {Status: 503}}, errcode.OK, false},
		{"many rows: lost for good", 40_000, []string{"k"}, "ExecuteStatement", []step{{}, {}, {}, {Drop: true}, {Drop: true}, {Drop: true}, {Drop: true}}, errcode.Unavailable, false},
		{"without a key: too many requests", 10, nil, "ExecuteStatement", []step{{}, {Status: 429}}, errcode.OK, false},
		{"without a key: the answer is lost, and nobody knows", 10, nil, "ExecuteStatement", []step{{}, {Lose: true}}, errcode.Unavailable, true},
		{"without a key, many rows: chunks arrive twice", 40_000, nil, "ExecuteStatement", []step{{}, {}, {Lose: true}, {Lose: true}}, errcode.OK, false},
		{"without a key: 503 without a word of when to come again, and nobody knows", 10, nil, "ExecuteStatement", []step{{}, {Status: 503, Obey: true}}, errcode.Unavailable, true},
		{"without a key: 503 with one", 10, nil, "ExecuteStatement", []step{{}, {Status: 503, RetryAfter: 1}}, errcode.OK, false},
		{"few rows: 503 without a word of when to come again, though they were written", 10, []string{"k"}, "ExecuteStatement", []step{{}, {Status: 503, Obey: true}, {Status: 503}}, errcode.OK, false},
		{"asking how it is doing: lost", 10, []string{"k"}, "GetOperationStatus", []step{{}, {Lose: true}}, errcode.OK, false},
		{"the account may not", 10, []string{"k"}, "ExecuteStatement", []step{{}, {Fault: &fakedatabricks.Fault{State: "42501", Message: "[INSUFFICIENT_PERMISSIONS] Insufficient privileges: User does not have MODIFY on Table 'main.badger.scores'. SQLSTATE: 42501"}}}, errcode.PermissionDenied, false},
	}, 3) {
		t.Run(tc.why, func(t *testing.T) {
			s := start(t)
			s.Direct = tc.kind != "GetOperationStatus"
			c := open(t, s.URL("retries=3"), options)
			defer c.Close() //nolint:errcheck // nothing follows
			if err := c.Exec(ctx, "CREATE TABLE t (k STRING, n BIGINT)"); err != nil {
				t.Fatal(err)
			}
			s.Script(tc.kind, tc.steps...)
			rows := rowsOf(0, tc.rows)
			defer rows.Release()
			n, err := c.Merge(ctx, "t", tc.key, rows)
			if code := c.ErrorCode(err); code != tc.want || err == nil && n != tc.rows {
				t.Fatalf("%d, %v (%v), want %v", n, err, code, tc.want)
			}
			if err != nil && (strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "key 1") || !strings.Contains(err.Error(), "`t`")) {
				t.Errorf("%v, want it to name the table and no value", err)
			}
			want := tc.rows
			if tc.want != errcode.OK && !tc.there {
				want = 0
			}
			if got, err := c.QueryText(ctx, "SELECT CAST(COUNT(*) AS STRING) || ' ' || CAST(COUNT(DISTINCT n) AS STRING) FROM t"); err != nil || got != fmt.Sprint(want, " ", want) {
				t.Errorf("the table holds %q, %v, want %d rows", got, err, want)
			}
			if got, err := c.QueryText(ctx, "SELECT CAST(COUNT(*) AS STRING) FROM information_schema.tables WHERE table_name LIKE 'badger_stage%'"); err != nil || got != "0" {
				t.Errorf("%s staging tables stay behind, %v", got, err)
			}
		})
	}
}

// A statement that the service took and then forgot is not run again: it may have been obeyed.
func TestForgottenStatementsAreNotRunAgain(t *testing.T) {
	s := start(t)
	s.Direct = false
	c := open(t, s.URL("retries=3"), options)
	defer c.Close() //nolint:errcheck // nothing follows
	if err := c.Exec(ctx, "CREATE TABLE t (n BIGINT)"); err != nil {
		t.Fatal(err)
	}
	s.Script("GetOperationStatus", step{Fault: &fakedatabricks.Fault{Handle: true, Message: "Invalid OperationHandle"}})
	if err := c.Exec(ctx, "INSERT INTO t VALUES (1)"); c.ErrorCode(err) != errcode.Unavailable {
		t.Errorf("%v, want unavailable", err)
	}
	if all := s.Statements(); len(all) != 2 {
		t.Errorf("%q were run, want each once", all)
	}
}

func TestErrorsNameObjectAndRemedy(t *testing.T) {
	s := start(t)
	c := open(t, s.URL("retries=1"), options)
	defer c.Close() //nolint:errcheck // nothing follows
	for _, tc := range []struct {
		why     string
		fault   fakedatabricks.Fault
		want    errcode.Code
		say     []string
		sayNone string
	}{
		{"no privilege", fakedatabricks.Fault{State: "42501", Message: "[INSUFFICIENT_PERMISSIONS] Insufficient privileges: User does not have SELECT on Table 'main.sales.orders'. SQLSTATE: 42501"}, errcode.PermissionDenied, []string{"SELECT", "table main.sales.orders"}, ""},
		{"no use", fakedatabricks.Fault{State: "42501", Message: "PERMISSION_DENIED: User does not have USE SCHEMA on Schema 'main.sales'."}, errcode.PermissionDenied, []string{"USE SCHEMA", "schema main.sales"}, ""},
		{"a state that is not in the list", fakedatabricks.Fault{State: "22003", Message: "[SOMETHING_NEW] hunter2"}, errcode.InvalidArgument, []string{"SOMETHING_NEW"}, "hunter2"},
		{"a vacuumed version", fakedatabricks.Fault{State: "42K03", Message: "[DELTA_FILE_NOT_FOUND_DETAILED] File s3://hunter2 referenced in the transaction log cannot be found."}, errcode.NotFound, []string{"VACUUM"}, "hunter2"},
		{"no such version", fakedatabricks.Fault{State: "22003", Message: "[DELTA_VERSION_NOT_FOUND] Cannot time travel Delta table to version 9. SQLSTATE: 22003"}, errcode.NotFound, []string{"DESCRIBE HISTORY"}, ""},
		{"a model that fails", fakedatabricks.Fault{State: "57012", Message: "[REMOTE_FUNCTION_HTTP_FAILED_ERROR] The remote HTTP request failed with code 429, hunter2"}, errcode.Unavailable, []string{"endpoint"}, "hunter2"},
	} {
		s.Answer("SELECT 1 AS fault", fakedatabricks.Result{Fault: &tc.fault})
		_, err := c.Query(ctx, "SELECT 1 AS fault")
		if got := c.ErrorCode(err); got != tc.want {
			t.Errorf("%s: %v (%v), want %v", tc.why, err, got, tc.want)
			continue
		}
		for _, say := range tc.say {
			if !strings.Contains(err.Error(), say) {
				t.Errorf("%s: %v, want it to say %q", tc.why, err, say)
			}
		}
		if tc.sayNone != "" && strings.Contains(err.Error(), tc.sayNone) {
			t.Errorf("%s: %v shows a value", tc.why, err)
		}
	}
}

func TestCancellingReachesTheService(t *testing.T) {
	s := start(t)
	s.Direct = false
	s.Answer("SELECT hangs", fakedatabricks.Result{Hangs: true})
	c := open(t, s.URL(), options)
	defer c.Close() //nolint:errcheck // nothing follows
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		for s.Count("GetOperationStatus") == 0 { // until the client has the statement, and asks how it is getting on
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if _, err := c.Query(ctx, "SELECT hangs"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that the caller cancelled", err)
	}
	if s.Count("CancelOperation") != 1 || s.Open() != 0 {
		t.Errorf("%d cancellings, %d statements open, want one and none", s.Count("CancelOperation"), s.Open())
	}
}

func TestSessions(t *testing.T) {
	s := start(t)
	c := open(t, strings.Replace(s.URL("conf.TIMEZONE=UTC"), "?", "/main/sales?", 1), options)
	if got := fmt.Sprint(s.Sessions()); got != "[main.sales map[TIMEZONE:UTC]]" {
		t.Errorf("the session began with %s", got)
	}
	for _, sql := range []string{"SELECT 1", "SELECT 2", "CREATE TABLE a (b INT)"} {
		if err := c.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.Count("OpenSession"); n != 1 {
		t.Errorf("%d sessions for statements that change none, want one", n)
	}
	s.Answer("USE .*|CREATE TEMPORARY .*", text([]string{"a"}, nil, "x"))
	for _, sql := range []string{"USE SCHEMA other", "/* x */ create or replace temporary view v AS SELECT 1"} {
		if err := c.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.Count("OpenSession"); n != 3 || len(s.Sessions()) != 1 {
		t.Errorf("%d sessions, %d open: statements that change a session have one of their own, which ends with them", n, len(s.Sessions()))
	}
	s.ForgetSessions()
	if err := c.Exec(ctx, "SELECT 3"); err != nil {
		t.Errorf("after the session expired: %v", err)
	}
	if err := c.Close(); err != nil || len(s.Sessions()) != 0 {
		t.Errorf("%v, %d sessions stay open", err, len(s.Sessions()))
	}
	if err := c.Exec(ctx, "SELECT 4"); errcode.Of(err) != errcode.FailedPrecondition {
		t.Errorf("after Close: %v", err)
	}
}

func TestReadOnly(t *testing.T) {
	s := start(t)
	c := open(t, s.URL(), driver.Options{ReadOnly: true})
	defer c.Close() //nolint:errcheck // nothing follows
	for _, sql := range []string{
		"WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x", "FROM x INSERT INTO t SELECT 1", "-- SELECT\nDROP TABLE t", "/* SELECT */ MERGE INTO t", "OPTIMIZE t", "GET '/Volumes/x' TO '/etc'", "SET x = 1", "COPY INTO t",
		"/* /* */ SELECT 1 */ DELETE FROM t", `WITH x AS (SELECT r'\') INSERT INTO t SELECT ''`, "WITH x AS (SELECT 1) -- \r INSERT INTO t SELECT 1", "WITH x AS (SELECT 1) -- \\\n ' \n INSERT INTO t SELECT ''",
		"WITH x AS (SELECT 1) -- c:\\\nINSERT INTO t SELECT 1",
	} {
		if err := c.Exec(ctx, sql); errcode.Of(err) != errcode.PermissionDenied {
			t.Errorf("%s: %v, want permission_denied", sql, err)
		}
	}
	for _, sql := range []string{"WITH x AS (SELECT 'INSERT' AS a) SELECT a FROM x", "(SELECT 1)", "SELECT 1 AS `DELETE`", "WITH x AS (SELECT 1 AS a /* UPDATE */) SELECT a FROM x -- MERGE"} {
		if err := c.Exec(ctx, sql); err != nil {
			t.Errorf("%s: %v, want it to run", sql, err)
		}
	}
	if n := len(s.Statements()); n != 4 {
		t.Errorf("%d statements reached the warehouse, want 4", n)
	}
}

// Files of one page are downloaded ahead, and no more of them than are held at once. The next page
// is asked for when it is read.
func TestFilesAreDownloadedAhead(t *testing.T) {
	for _, tc := range []struct{ fileRows, files, pages int }{{2048, 3, 1}, {100_000, 1, 1}} {
		s := start(t)
		s.Direct, s.FileRows, s.PageRows = false, int64(tc.fileRows), 10_240
		c := open(t, s.URL(), options)
		r, err := c.Query(ctx, "SELECT i FROM range(100000) AS t(i) ORDER BY i")
		if err != nil {
			t.Fatal(err)
		}
		if !r.Next() {
			t.Fatal(r.Err())
		}
		for s.Count("file") < tc.files { // what never comes meets the time limit of go test
			time.Sleep(time.Millisecond)
		}
		r.Release()
		if files, pages := s.Count("file"), s.Count("FetchResults"); files != tc.files || pages != tc.pages || s.Open() != 0 {
			t.Errorf("%d files and %d pages were fetched, want %d and %d; %d statements open", files, pages, tc.files, tc.pages, s.Open())
		}
		c.Close() //nolint:errcheck // nothing follows
	}
}

// A result that is left early leaves nothing behind.
func TestLeavingEarlyLeavesNoDownloads(t *testing.T) {
	s := start(t)
	s.FileRows = 2048
	before := runtime.NumGoroutine()
	for range 20 {
		c := open(t, s.URL(), options)
		r, err := c.Query(ctx, "SELECT i FROM range(100000) AS t(i)")
		if err != nil {
			t.Fatal(err)
		}
		if !r.Next() {
			t.Fatal(r.Err())
		}
		r.Release()
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for runtime.NumGoroutine() > before+10 { // connections take a moment to end; what never ends meets the time limit of go test, which shows it
		time.Sleep(10 * time.Millisecond)
	}
}

// Names are quoted part by part, also where they hold quotes and points themselves; the staging
// table lies next to its table.
func TestNamesOfTables(t *testing.T) {
	s := start(t)
	c := open(t, s.URL(), options)
	defer c.Close() //nolint:errcheck // nothing follows
	for _, sql := range []string{"CREATE SCHEMA `s``.``t`", "CREATE TABLE `s``.``t`.`a``.``b` (k STRING, n BIGINT)"} {
		if err := c.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range []int64{10, 40_000} {
		rows := rowsOf(0, n)
		if got, err := c.Merge(ctx, "\"s`.`t\".\"a`.`b\"", []string{"k"}, rows); err != nil || got != n {
			t.Errorf("%d, %v", got, err)
		}
		rows.Release()
	}
	if got, err := c.QueryText(ctx, "SELECT CAST(COUNT(*) AS STRING) FROM `s``.``t`.`a``.``b`"); got != "40000" || err != nil {
		t.Errorf("%s rows, %v", got, err)
	}
	if !strings.Contains(strings.Join(s.Statements(), "\n"), "CREATE TABLE IF NOT EXISTS `s``.``t`.`badger_stage_") {
		t.Error("no staging table in the table's schema")
	}
}
