package bigquery_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	bq "google.golang.org/api/bigquery/v2"
	"google.golang.org/grpc/codes"

	"github.com/badger-eval/badger/connectors/bigquery"
	"github.com/badger-eval/badger/connectors/driver"
	fakebigquery "github.com/badger-eval/badger/connectors/fake/bigquery"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/sample"
)

// rows is how many rows the table many has: more than come with the end of a job, in several
// batches and pages.
const rows = 9000

func withRows(t *testing.T, options ...string) (*fakebigquery.Server, *bigquery.Conn) {
	t.Helper()
	s := start(t)
	if err := s.Exec(fmt.Sprintf("CREATE TABLE data.many AS SELECT i, 'row ' || i AS s FROM range(%d) AS t(i)", rows)); err != nil {
		t.Fatal(err)
	}
	return s, open(t, s, driver.Options{}, options...)
}

// read reads a result and checks that each row is there once, and in order if that is wanted.
func read(t *testing.T, c driver.Conn, query string, ordered bool) (int, error) {
	t.Helper()
	r, err := c.Query(context.Background(), query)
	if err != nil {
		return 0, err
	}
	defer r.Release()
	seen := map[int64]bool{}
	for r.Next() {
		col := r.Record().Column(0).(*array.Int64)
		for i := range col.Len() {
			if ordered && col.Value(i) != int64(len(seen)) {
				t.Fatalf("row %d holds %d", len(seen), col.Value(i))
			}
			if seen[col.Value(i)] {
				t.Fatalf("row %d came twice", col.Value(i))
			}
			seen[col.Value(i)] = true
		}
	}
	return len(seen), r.Err()
}

const all = "SELECT i, s FROM many ORDER BY i"

// What passes is tried again, and nothing is lost or doubled by it.
func TestReadingThroughFaults(t *testing.T) {
	unavailable := fakebigquery.Fault{Code: codes.Unavailable, Message: "the connection was reset"}
	after := func(batches int, code codes.Code) fakebigquery.Fault {
		return fakebigquery.Fault{Code: code, Batches: batches, Message: "gone"}
	}
	busy := fakebigquery.Fault{Status: 503, Reason: "backendError", Message: "Error encountered during execution. Retrying may solve the problem."}
	throttled := fakebigquery.Fault{Status: 429, Reason: "rateLimitExceeded", Message: "Exceeded rate limits", RetryAfter: "0"}
	cut := fakebigquery.Fault{Cut: true}
	lost := fakebigquery.Fault{Cut: true, Done: true}
	for _, tc := range []struct {
		why, operation string
		options        []string
		faults         []fakebigquery.Fault
	}{
		{"the job is refused for a while", "jobs.insert", nil, []fakebigquery.Fault{busy, throttled, cut}},
		{"the job runs, its answer is lost", "jobs.insert", nil, []fakebigquery.Fault{lost}},
		{"the question whether it has ended is refused", "jobs.getQueryResults", nil, []fakebigquery.Fault{busy, cut, lost}},
		{"the job's table is not told at once", "jobs.get", nil, []fakebigquery.Fault{throttled, cut}},
		{"no session at first", "CreateReadSession", nil, []fakebigquery.Fault{unavailable, unavailable}},
		{"the stream breaks at its begin", "ReadRows", nil, []fakebigquery.Fault{unavailable}},
		{"the stream breaks in its middle, twice", "ReadRows", nil, []fakebigquery.Fault{after(2, codes.Unavailable), after(1, codes.Internal), after(1, codes.DeadlineExceeded)}},
		{"the stream is aborted again and again, a batch further each time", "ReadRows", nil, []fakebigquery.Fault{after(1, codes.Aborted), after(1, codes.Aborted), after(1, codes.Aborted)}},
		{"three streams, two of which break", "ReadRows", []string{"streams=3"}, []fakebigquery.Fault{after(1, codes.Unavailable), {}, after(1, codes.Unavailable)}},
		{"pages: one is refused, one cut, one lost", "jobs.getQueryResults", []string{"storage=off", "page_rows=1000"}, []fakebigquery.Fault{{}, busy, {}, cut, {}, lost}},
	} {
		t.Run(tc.why, func(t *testing.T) {
			s, c := withRows(t, tc.options...)
			defer c.Close() //nolint:errcheck // the test's end
			s.Fail(tc.operation, tc.faults...)
			n, err := read(t, c, all, len(tc.options) != 1)
			if err != nil || n != rows {
				t.Fatalf("%d rows, %v, want %d", n, err, rows)
			}
			if inserted := s.Calls("jobs.insert"); tc.operation != "jobs.insert" && inserted != 1 {
				t.Errorf("%d jobs were inserted", inserted)
			}
		})
	}
}

// What does not pass ends in an error that names the object and says what to do.
func TestReadingFails(t *testing.T) {
	repeat := func(f fakebigquery.Fault) []fakebigquery.Fault {
		var out []fakebigquery.Fault
		for range 20 {
			out = append(out, f)
		}
		return out
	}
	for _, tc := range []struct {
		why, operation string
		options        []string
		fault          []fakebigquery.Fault
		want           errcode.Code
		says           []string
	}{
		{"never any answer", "jobs.insert", nil, repeat(fakebigquery.Fault{Status: 503, Reason: "backendError"}), errcode.Unavailable, []string{fakebigquery.Project, "try again later"}},
		{"throttled for good", "jobs.insert", nil, repeat(fakebigquery.Fault{Status: 403, Reason: "rateLimitExceeded", Message: "Exceeded rate limits"}), errcode.Unavailable, []string{"too many requests"}},
		{"the quota is used up, which waiting a second does not change", "jobs.insert", nil, []fakebigquery.Fault{{Status: 403, Reason: "quotaExceeded", Message: "Quota exceeded: Your project exceeded quota for free query bytes scanned."}},
			errcode.FailedPrecondition, []string{"quota", "raised"}},
		{"no right to run jobs", "jobs.insert", nil, []fakebigquery.Fault{{Status: 403, Reason: "accessDenied", Message: "Access Denied: Project test-project: User does not have bigquery.jobs.create permission in project test-project."}},
			errcode.PermissionDenied, []string{"test-project", "roles/bigquery.jobUser"}},
		{"no right to read a table", "jobs.getQueryResults", nil, []fakebigquery.Fault{{Status: 403, Reason: "accessDenied", Message: "Access Denied: Table test-project:data.many: User does not have permission to query table"}},
			errcode.PermissionDenied, []string{"test-project:data.many", "dataViewer"}},
		{"the token has expired, and nobody renews it", "jobs.insert", nil, repeat(fakebigquery.Fault{Status: 401, Reason: "authError", Message: "Invalid Credentials"}), errcode.Unauthenticated, []string{"renew"}},
		{"the stream's token has expired", "ReadRows", nil, repeat(fakebigquery.Fault{Code: codes.Unauthenticated, Message: "expired"}), errcode.Unauthenticated, []string{"job badger_", "renew"}},
		{"the stream ends for good in its middle", "ReadRows", nil, repeat(fakebigquery.Fault{Code: codes.Unavailable}), errcode.Unavailable, []string{"job badger_", "try again"}},
		{"the session is gone", "ReadRows", nil, []fakebigquery.Fault{{Code: codes.NotFound, Message: "session expired", Batches: 1}}, errcode.NotFound, []string{"job badger_"}},
		{"a page that is gone", "jobs.getQueryResults", []string{"storage=off", "page_rows=1000"}, []fakebigquery.Fault{{}, {}, {Status: 404, Reason: "notFound", Message: "Not found: Table test-project:_results.x"}}, errcode.NotFound, []string{"_results.x"}},
		{"storage=on, and the account may not", "CreateReadSession", []string{"storage=on"}, []fakebigquery.Fault{{Code: codes.PermissionDenied, Message: "Permission 'bigquery.readsessions.create' denied on resource"}},
			errcode.PermissionDenied, []string{"bigquery.readsessions.create", "readSessionUser"}},
	} {
		t.Run(tc.why, func(t *testing.T) {
			s, c := withRows(t, tc.options...)
			defer c.Close() //nolint:errcheck // the test's end
			s.Fail(tc.operation, tc.fault...)
			n, err := read(t, c, all, false)
			if errcode.Of(err) != tc.want {
				t.Fatalf("%d rows, %v (%v), want %v", n, err, errcode.Of(err), tc.want)
			}
			for _, part := range tc.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
		})
	}
}

// If the account may not use the Storage API, REST pages are read, and it is not asked again.
func TestFallsBackToPages(t *testing.T) {
	s, c := withRows(t)
	defer c.Close() //nolint:errcheck // the test's end
	s.Fail("CreateReadSession", fakebigquery.Fault{Code: codes.PermissionDenied, Message: "no"})
	for range 2 {
		if n, err := read(t, c, all, true); err != nil || n != rows {
			t.Fatalf("%d rows, %v", n, err)
		}
	}
	if n := s.Calls("CreateReadSession"); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

// A job that failed for a passing reason did nothing: it is run again. One that failed for its own
// reason is not.
func TestFailedJobs(t *testing.T) {
	s, c := withRows(t)
	defer c.Close()                                       //nolint:errcheck // the test's end
	s.Set(func(s *fakebigquery.Server) { s.Running = 2 }) // it is asked three times
	if n, err := read(t, c, all, true); err != nil || n != rows {
		t.Fatalf("%d rows, %v", n, err)
	}
	s.Set(func(s *fakebigquery.Server) { s.Running = 0 })
	s.FailJobs(&bq.ErrorProto{Reason: "backendError", Message: "x"}, &bq.ErrorProto{Reason: "invalidQuery", Message: "Could not serialize access to table data.many due to concurrent update"})
	before := s.Calls("jobs.insert")
	if n, err := read(t, c, all, true); err != nil || n != rows || s.Calls("jobs.insert") != before+3 {
		t.Fatalf("%d rows, %v, %d jobs; want all rows of the third", n, err, s.Calls("jobs.insert")-before)
	}
	s.FailJobs(&bq.ErrorProto{Reason: "invalidQuery", Message: "Division by zero: hunter2"})
	before = s.Calls("jobs.insert")
	if _, err := read(t, c, all, true); errcode.Of(err) != errcode.InvalidArgument || strings.Contains(err.Error(), "hunter2") || s.Calls("jobs.insert") != before+1 {
		t.Fatalf("%v, %d jobs; want invalid_argument of one", err, s.Calls("jobs.insert")-before)
	}
}

func TestSchemaDrift(t *testing.T) {
	s, c := withRows(t, "storage=off", "page_rows=1000")
	defer c.Close() //nolint:errcheck // the test's end
	s.Set(func(s *fakebigquery.Server) { s.Drift["*"] = "renamed" })
	if _, err := read(t, c, all, true); errcode.Of(err) != errcode.DataLoss || !strings.Contains(err.Error(), "renamed") || !strings.Contains(err.Error(), "read it again") {
		t.Errorf("%v, want data_loss that names the column", err)
	}
}

// A server that sends a whole stream for each batch is understood too.
func TestWholeStreams(t *testing.T) {
	s, c := withRows(t)
	defer c.Close() //nolint:errcheck // the test's end
	s.Set(func(s *fakebigquery.Server) { s.Whole = true })
	if n, err := read(t, c, all, true); err != nil || n != rows {
		t.Fatalf("%d rows, %v", n, err)
	}
}

// keyed are n rows, of which each key comes twice; the second counts.
func keyed(n int) array.RecordReader {
	schema := arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	var records []arrow.Record
	for i := range 2 * n {
		b.Field(0).(*array.StringBuilder).Append(fmt.Sprintf("key %d %s", i%n, strings.Repeat("x", 200)))
		b.Field(1).(*array.Int64Builder).Append(int64(i))
		if i%1000 == 999 {
			records = append(records, b.NewRecord())
		}
	}
	records = append(records, b.NewRecord())
	r, _ := array.NewRecordReader(schema, records)
	for _, rec := range records {
		rec.Release()
	}
	return r
}

func writable(t *testing.T, options ...string) (*fakebigquery.Server, *bigquery.Conn) {
	t.Helper()
	s := start(t)
	if err := s.Exec("CREATE TABLE data.t (k VARCHAR, n BIGINT)"); err != nil {
		t.Fatal(err)
	}
	return s, open(t, s, driver.Options{}, options...)
}

func contents(t *testing.T, c driver.TextQueryer) string {
	t.Helper()
	text, err := c.QueryText(context.Background(), "SELECT CAST(COUNT(*) AS STRING) || ' ' || CAST(COUNT(DISTINCT k) AS STRING) || ' ' || COALESCE(CAST(SUM(n) AS STRING), '-') FROM t")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Nothing is written twice or by halves, whatever is lost on the way.
func TestWritingThroughFaults(t *testing.T) {
	cut, lost := fakebigquery.Fault{Cut: true}, fakebigquery.Fault{Cut: true, Done: true}
	busy := fakebigquery.Fault{Status: 503, Reason: "backendError"}
	for _, tc := range sample.Of([]struct {
		why, operation string
		options        []string
		n              int
		faults         []fakebigquery.Fault
	}{
		{"few rows: the statement's answer is lost", "jobs.insert", nil, 20, []fakebigquery.Fault{lost, lost, busy}},
		{"few rows: asking for its end fails", "jobs.getQueryResults", nil, 20, []fakebigquery.Fault{busy, lost}},
		{"the table is not told at once", "tables.get", nil, 5000, []fakebigquery.Fault{busy, lost}},
		{"the staging table was made, its answer lost", "tables.insert", nil, 5000, []fakebigquery.Fault{lost, busy}},
		{"the MERGE's answer is lost", "jobs.insert", nil, 5000, []fakebigquery.Fault{lost}},
		{"a load job is refused, then its rows are lost on their way", "upload", nil, 5000, []fakebigquery.Fault{busy, cut}},
		{"a load job runs, its answer is lost", "upload", nil, 5000, []fakebigquery.Fault{lost, lost}},
		{"the token expires, then one is given out in time", "upload", nil, 5000, []fakebigquery.Fault{{Status: 401, Reason: "authError"}}},
		{"the end of a load job is not told at once", "jobs.get", nil, 5000, []fakebigquery.Fault{busy, lost}},
		{"several load jobs, one of which is lost", "upload", nil, 45_000, []fakebigquery.Fault{{}, cut, lost}},
		{"without the Storage Read API", "upload", []string{"storage=off"}, 5000, []fakebigquery.Fault{lost}},
	}, 5) {
		t.Run(tc.why, func(t *testing.T) {
			s, c := writable(t, tc.options...)
			defer c.Close() //nolint:errcheck // the test's end
			s.Fail(tc.operation, tc.faults...)
			want := fmt.Sprintf("%d %d %d", tc.n, tc.n, tc.n*tc.n+tc.n*(tc.n-1)/2) // of 2n rows the second half counts
			for round := range 2 {
				r := keyed(tc.n)
				n, err := c.Merge(context.Background(), "t", []string{"k"}, r)
				r.Release()
				if err != nil || n != int64(2*tc.n) {
					t.Fatalf("round %d: %d, %v, want %d rows taken", round, n, err, 2*tc.n)
				}
				if got := contents(t, c); got != want {
					t.Fatalf("round %d: the table holds %s, want %s", round, got, want)
				}
			}
			tables, err := c.QueryText(context.Background(), "SELECT COALESCE(STRING_AGG(table_name, ' '), '') FROM duckdb_tables() WHERE schema_name = 'data' AND table_name <> 't'")
			if err != nil || tables != "" {
				t.Errorf("left behind: %s, %v", tables, err)
			}
		})
	}
}

// Without a key rows are added by one statement, too.
func TestAppendingThroughFaults(t *testing.T) {
	lost := fakebigquery.Fault{Cut: true, Done: true}
	for _, operation := range sample.Of([]string{"tables.insert", "upload", "jobs.get", "jobs.insert"}, 2) {
		t.Run(operation, func(t *testing.T) {
			s, c := writable(t)
			defer c.Close() //nolint:errcheck // the test's end
			s.Fail(operation, lost)
			r := keyed(5000)
			defer r.Release()
			if n, err := c.Merge(context.Background(), "t", nil, r); err != nil || n != 10_000 {
				t.Fatalf("%d, %v", n, err)
			}
			if got := contents(t, c); got != "10000 5000 49995000" {
				t.Errorf("the table holds %s", got)
			}
		})
	}
}

// A load job that failed for a passing reason did nothing, and is run again with the same rows.
func TestLoadJobsFail(t *testing.T) {
	s, c := writable(t)
	defer c.Close() //nolint:errcheck // the test's end
	s.FailJobs(&bq.ErrorProto{Reason: "backendError", Message: "gone"}, &bq.ErrorProto{Reason: "backendError", Message: "gone again"})
	r := keyed(5000)
	defer r.Release()
	if n, err := c.Merge(context.Background(), "t", []string{"k"}, r); err != nil || n != 10_000 {
		t.Fatalf("%d, %v", n, err)
	}
	if got := contents(t, c); got != "5000 5000 37497500" {
		t.Errorf("the table holds %s", got)
	}
}

// A row may be larger than what the library sends at once.
func TestHugeRow(t *testing.T) {
	s, c := writable(t)
	defer c.Close() //nolint:errcheck // the test's end
	s.Fail("upload", fakebigquery.Fault{}, fakebigquery.Fault{Cut: true})
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.BinaryTypes.String}}, nil))
	defer b.Release()
	b.Field(0).(*array.StringBuilder).Append(strings.Repeat("x", 20<<20))
	rec := b.NewRecord()
	defer rec.Release()
	r, err := array.NewRecordReader(rec.Schema(), []arrow.Record{rec})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	if n, err := c.Merge(context.Background(), "t", []string{"k"}, r); err != nil || n != 1 {
		t.Fatalf("%d, %v", n, err)
	}
	if n, err := c.QueryText(context.Background(), "SELECT CAST(LENGTH(k) AS STRING) FROM t"); err != nil || n != "20971520" {
		t.Errorf("%s characters, %v", n, err)
	}
}

// What fails for good leaves the table as it was.
func TestWritingFails(t *testing.T) {
	repeat := func(f fakebigquery.Fault) []fakebigquery.Fault {
		var out []fakebigquery.Fault
		for range 20 {
			out = append(out, f)
		}
		return out
	}
	for _, tc := range sample.Of([]struct {
		why, operation string
		key            []string
		fault          fakebigquery.Fault
		want           errcode.Code
	}{
		{"load jobs never arrive", "upload", []string{"k"}, fakebigquery.Fault{Status: 503, Reason: "backendError"}, errcode.Unavailable},
		{"load jobs never arrive, without a key", "upload", nil, fakebigquery.Fault{Status: 503, Reason: "backendError"}, errcode.Unavailable},
		{"the quota of load jobs", "upload", nil, fakebigquery.Fault{Status: 403, Reason: "quotaExceeded", Message: "Quota exceeded: Your table exceeded quota for imports"}, errcode.FailedPrecondition},
		{"a load job is refused", "upload", nil, fakebigquery.Fault{Status: 403, Reason: "accessDenied"}, errcode.PermissionDenied},
		{"the MERGE is refused", "jobs.insert", []string{"k"}, fakebigquery.Fault{Status: 403, Reason: "accessDenied", Message: "Access Denied: Table test-project:data.t: Permission bigquery.tables.updateData denied"}, errcode.PermissionDenied},
		{"no staging table", "tables.insert", []string{"k"}, fakebigquery.Fault{Status: 403, Reason: "accessDenied", Message: "Access Denied: Dataset test-project:data: Permission bigquery.tables.create denied"}, errcode.PermissionDenied},
	}, 3) {
		t.Run(tc.why, func(t *testing.T) {
			s, c := writable(t)
			defer c.Close() //nolint:errcheck // the test's end
			s.Fail(tc.operation, repeat(tc.fault)...)
			r := keyed(9000)
			defer r.Release()
			_, err := c.Merge(context.Background(), "t", tc.key, r)
			if errcode.Of(err) != tc.want || !strings.Contains(err.Error(), "data.t") {
				t.Errorf("%v (%v), want %v and the table's name", err, errcode.Of(err), tc.want)
			}
			n, err := open(t, s, driver.Options{}).QueryText(context.Background(), "SELECT CAST(COUNT(*) AS STRING) FROM t")
			for errcode.Of(err) == errcode.PermissionDenied { // faults that are left
				n, err = open(t, s, driver.Options{}).QueryText(context.Background(), "SELECT CAST(COUNT(*) AS STRING) FROM t")
			}
			if err != nil || n != "0" {
				t.Errorf("the table holds %s rows, %v", n, err)
			}
		})
	}
}

// A token is read again for each request: one that was renewed in its file is used.
func TestTokenFile(t *testing.T) {
	s, _ := withRows(t)
	s.Set(func(s *fakebigquery.Server) { s.Token = "first" })
	path := filepath.Join(t.TempDir(), "token")
	write := func(token string) {
		if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("first")
	c := open(t, s, driver.Options{}, "token_file="+path)
	defer c.Close() //nolint:errcheck // the test's end
	if n, err := read(t, c, all, true); err != nil || n != rows {
		t.Fatalf("%d rows, %v", n, err)
	}
	s.Set(func(s *fakebigquery.Server) { s.Token = "second" })
	if _, err := read(t, c, all, true); errcode.Of(err) != errcode.Unauthenticated || strings.Contains(err.Error(), "first") {
		t.Fatalf("%v, want unauthenticated, without the token", err)
	}
	write("second")
	if n, err := read(t, c, all, true); err != nil || n != rows {
		t.Fatalf("with the new token: %d rows, %v", n, err)
	}
	write("{\"no\": \"token\"}")
	if _, err := read(t, c, all, true); errcode.Of(err) != errcode.Unauthenticated {
		t.Errorf("%v, want unauthenticated", err)
	}
	if _, _, err := bigquery.Open(context.Background(), s.URL("token_file="+path), driver.Options{}); errcode.Of(err) != errcode.Unauthenticated || !strings.Contains(err.Error(), `token file "token"`) {
		t.Errorf("%v, want what the token file lacks", err)
	}
}

func TestSnapshots(t *testing.T) {
	s, c := withRows(t)
	defer c.Close() //nolint:errcheck // the test's end
	ctx := context.Background()
	rowsOf := func(ref string) (int64, error) {
		parsed, err := driver.ParseRef(ref)
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.ReadSnapshot(ctx, parsed)
		if err != nil {
			return 0, err
		}
		defer r.Release()
		n := int64(0)
		for r.Next() {
			n += r.Record().NumRows()
		}
		return n, r.Err()
	}
	if _, err := read(t, c, all, true); err != nil {
		t.Fatal(err)
	}
	id := s.LastJob()
	jobs := s.Calls("jobs.insert")
	for _, ref := range []string{"query:" + id, "query:EU." + id, "query:test-project:EU." + id} {
		if n, err := rowsOf(ref); err != nil || n != rows {
			t.Errorf("%s: %d rows, %v", ref, n, err)
		}
	}
	if s.Calls("jobs.insert") != jobs {
		t.Error("reading a result ran a query")
	}
	many := &bq.TableReference{ProjectId: fakebigquery.Project, DatasetId: fakebigquery.Dataset, TableId: "many"}
	now := time.Now()
	s.AddJob(fakebigquery.Past{ID: "named", Kind: "SELECT", Destination: many, Ended: now})
	s.AddJob(fakebigquery.Past{ID: "stale", Kind: "SELECT", Destination: many, Ended: now.Add(-time.Hour)})
	s.AddJob(fakebigquery.Past{ID: "insert", Kind: "INSERT", Ended: now})
	s.AddJob(fakebigquery.Past{ID: "script", Kind: "SCRIPT", Ended: now})
	s.AddJob(fakebigquery.Past{ID: "child1", Kind: "INSERT", Parent: "script", Ended: now})
	s.AddJob(fakebigquery.Past{ID: "child2", Kind: "SELECT", Parent: "script", Destination: many, Ended: now})
	s.AddJob(fakebigquery.Past{ID: "failed", Kind: "SELECT", Ended: now, Failed: &bq.ErrorProto{Reason: "invalidQuery", Message: "Bad value: hunter2"}})
	for _, tc := range []struct {
		why, ref string
		want     errcode.Code
		says     string
	}{
		{"a result in a table of its own", "query:named", errcode.OK, ""},
		{"the last query of a script", "query:script", errcode.OK, ""},
		{"no such job", "query:nothing", errcode.NotFound, "LOCATION"},
		{"another location", "query:US." + id, errcode.NotFound, "LOCATION"},
		{"no job's id", "query:a/b", errcode.InvalidArgument, "JOBID"},
		{"a statement without a result", "query:insert", errcode.FailedPrecondition, "INSERT"},
		{"a job that failed", "query:failed", errcode.FailedPrecondition, "failed"},
		{"a table of the dataset", "table:many", errcode.OK, ""},
		{"a table that was always so", "table:many@" + now.Format(time.RFC3339Nano), errcode.OK, ""},
		{"a time beyond the window", "table:many@2001-02-03", errcode.FailedPrecondition, "7 days"},
		{"no time", "table:many@soon", errcode.InvalidArgument, "timestamp"},
		{"no such table then", "table:nothing@" + now.Format(time.RFC3339Nano), errcode.NotFound, "nothing"},
	} {
		n, err := rowsOf(tc.ref)
		if errcode.Of(err) != tc.want || err != nil && (!strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "hunter2")) || err == nil && n != rows {
			t.Errorf("%s: %d rows, %v (%v), want %v and %q", tc.why, n, err, errcode.Of(err), tc.want, tc.says)
		}
	}
	// A table as it was.
	then := time.Now() // before what is kept ends to be so
	if err := s.Keep("many"); err != nil {
		t.Fatal(err)
	}
	if err := c.Exec(ctx, "DELETE FROM many WHERE i < 10"); err != nil {
		t.Fatal(err)
	}
	if n, err := rowsOf("table:many@" + then.Format(time.RFC3339Nano)); err != nil || n != rows {
		t.Errorf("as it was: %d rows, %v", n, err)
	}
	if n, err := rowsOf("table:many"); err != nil || n != rows-10 {
		t.Errorf("as it is: %d rows, %v", n, err)
	}
	if _, err := rowsOf("query:stale"); errcode.Of(err) != errcode.FailedPrecondition || !strings.Contains(err.Error(), "written again") {
		t.Errorf("a table that was written again: %v, want failed_precondition", err)
	}
	s.Expire()
	if _, err := rowsOf("query:" + id); errcode.Of(err) != errcode.NotFound || !strings.Contains(err.Error(), "24 hours") || !strings.Contains(err.Error(), id) {
		t.Errorf("an expired result: %v, want not_found that says 24 hours", err)
	}
	s.Fail("jobs.get", fakebigquery.Fault{Status: 403, Reason: "accessDenied", Message: "Access Denied: Job"})
	if _, err := rowsOf("query:" + id); errcode.Of(err) != errcode.PermissionDenied || !strings.Contains(err.Error(), "the account that ran it") {
		t.Errorf("another's job: %v, want permission_denied that says who may", err)
	}
}

func TestClosed(t *testing.T) {
	_, c := withRows(t)
	if err := errors.Join(c.Close(), c.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := read(t, c, "SELECT 1", false); errcode.Of(err) != errcode.FailedPrecondition {
		t.Errorf("%v, want failed_precondition", err)
	}
}

// A result whose reading is given up does not look like one that has ended.
func TestGivenUp(t *testing.T) {
	_, c := withRows(t)
	defer c.Close() //nolint:errcheck // the test's end
	for range 50 {
		ctx, cancel := context.WithCancel(context.Background())
		r, err := c.ReadSnapshot(ctx, driver.Ref{Kind: driver.RefTable, Name: "many"})
		if err != nil {
			t.Fatal(err)
		}
		n := int64(0)
		for r.Next() {
			n += r.Record().NumRows()
			cancel()
		}
		if n < rows && !errors.Is(r.Err(), context.Canceled) {
			t.Fatalf("%d rows, %v, want cancelled", n, r.Err())
		}
		r.Release()
		cancel()
	}
}

// BigQuery ends a job that takes longer than its caller waits, whatever becomes of the caller.
func TestJobsEndWithTheTimeOfTheirCallers(t *testing.T) {
	s := start(t)
	c := open(t, s, driver.Options{})
	defer c.Close() //nolint:errcheck // the test's end
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := c.Exec(ctx, "SELECT 1 AS a"); err != nil {
		t.Fatal(err)
	}
	if got := s.Timeout(); got < time.Minute || got > 71*time.Second {
		t.Errorf("a job for a caller who waits a minute may take %v, want little more", got)
	}
	if err := c.Exec(context.Background(), "SELECT 1 AS a"); err != nil || s.Timeout() != 0 {
		t.Errorf("a job for a caller who waits as long as it takes may take %v, %v, want no limit", s.Timeout(), err)
	}
}
