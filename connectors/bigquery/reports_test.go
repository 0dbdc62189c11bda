package bigquery_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	bq "google.golang.org/api/bigquery/v2"
	"google.golang.org/grpc/codes"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	fakebigquery "github.com/badger-eval/badger/connectors/fake/bigquery"
	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Results that clients and tools were publicly reported to read wrongly, by the report: as the REST API sends
// them, a field and its cells. Those that a connector for streaming inserts has (apache/airflow#59408: rows
// in the streaming buffer cannot be changed) do not arise: rows are loaded by jobs.
func TestReportedValues(t *testing.T) {
	days := &bq.TableFieldSchemaRangeElementType{Type: "DATE"}
	v := func(v any) map[string]any { return map[string]any{"v": v} }
	most := "578960446186580977117854925043439539266.34992332820282019728792003956564819967"
	for _, tc := range []struct {
		report string
		field  bq.TableFieldSchema
		cells  []any
		want   string
	}{
		{"googleapis/google-cloud-go#11047: NULL of type RANGE ends the program", bq.TableFieldSchema{Type: "RANGE", RangeElementType: days}, []any{nil, "[2024-02-29, UNBOUNDED)"}, `JSON: NULL|"{\"start\":\"2024-02-29\",\"end\":null}"`},
		{"googleapis/google-cloud-go#10878: ARRAY of RANGE ends the program", bq.TableFieldSchema{Type: "RANGE", Mode: "REPEATED", RangeElementType: days}, []any{[]any{v("[UNBOUNDED, 2024-02-29)")}, []any{}}, `JSON: "[{\"start\":null,\"end\":\"2024-02-29\"}]"|"[]"`},
		{"Canner/wren-engine#909: no rows of type INTERVAL fail", bq.TableFieldSchema{Type: "INTERVAL"}, nil, "STRING:"},
		{"Canner/wren-engine#909: no rows of type JSON fail", bq.TableFieldSchema{Type: "JSON"}, nil, "JSON:"},
		{"googleapis/python-bigquery#168: the year 4567 is out of bounds", bq.TableFieldSchema{Type: "TIMESTAMP"}, []any{"81953424000000000", nil}, "TIMESTAMPTZ: 4567-01-01 00:00:00Z|NULL"},
		{"googleapis/python-bigquery#201: the year 9999 is 1816", bq.TableFieldSchema{Type: "DATETIME"}, []any{"9999-12-31T00:00:00"}, "TIMESTAMP: 9999-12-31 00:00:00"},
		{"googleapis/python-bigquery-pandas#365: the year 1 is out of bounds", bq.TableFieldSchema{Type: "TIMESTAMP"}, []any{"-62135596800000000", "253402300799999999"}, "TIMESTAMPTZ: 0001-01-01 00:00:00Z|9999-12-31 23:59:59.999999Z"},
		{"GoogleCloudDataproc/spark-bigquery-connector#1171: microseconds before 1970 are one off", bq.TableFieldSchema{Type: "TIMESTAMP"}, []any{"-1", "-1000001"}, "TIMESTAMPTZ: 1969-12-31 23:59:59.999999Z|1969-12-31 23:59:58.999999Z"},
		{"Recidiviz/bigquery-emulator#50: the least and the most BIGNUMERIC have 77 digits", bq.TableFieldSchema{Type: "BIGNUMERIC"}, []any{most, "-" + most[:len(most)-1] + "8"}, "DECIMAL: " + most + "|-" + most[:len(most)-1] + "8"},
		{"googleapis/google-cloud-go#2575, googleapis/google-cloud-ruby#3488: NaN and infinities are refused", bq.TableFieldSchema{Type: "FLOAT"}, []any{"NaN", "Infinity", "-Infinity", nil, "0.1"}, "FLOAT64: NaN|Infinity|-Infinity|NULL|0.1"},
		{"googleapis/google-cloud-ruby#3488: NaN and infinities inside", bq.TableFieldSchema{Type: "FLOAT", Mode: "REPEATED"}, []any{[]any{v("NaN"), v("-Infinity"), v("1e300")}}, `JSON: "[\"NaN\",\"-Infinity\",1e+300]"`},
		{"googleapis/nodejs-bigquery#6: INT64 and TIMESTAMP lose digits", bq.TableFieldSchema{Type: "INTEGER"}, []any{"9223372036854775807", "-9223372036854775808", "9007199254740993"}, "INT64: 9223372036854775807|-9223372036854775808|9007199254740993"},
		{"googleapis/java-bigquery#16, googleapis/google-cloud-dotnet#4031, googleapis/python-bigquery#392: instants are a microsecond off", bq.TableFieldSchema{Type: "TIMESTAMP"}, []any{"-19954383398377106", "1090855528173333", "1605575212353795"}, "TIMESTAMPTZ: 1337-09-02 11:43:21.622894Z|2004-07-26 15:25:28.173333Z|2020-11-17 01:06:52.353795Z"},
	} {
		t.Run(tc.report, func(t *testing.T) {
			s := start(t)
			tc.field.Name = "v"
			rows := make([]*bq.TableRow, len(tc.cells))
			for i, cell := range tc.cells {
				rows[i] = &bq.TableRow{F: []*bq.TableCell{{V: cell}}}
			}
			s.Canned["SELECT v"] = fakebigquery.Result{Schema: &bq.TableSchema{Fields: []*bq.TableFieldSchema{&tc.field}}, Rows: rows}
			for _, o := range [][]string{nil, {"storage=off", "page_rows=1"}} {
				c := open(t, s, driver.Options{}, o...)
				r, err := c.Query(context.Background(), "SELECT v")
				if err != nil {
					t.Fatal(err)
				}
				table, err := arrowtable.Read(r, arrowtable.Limits{})
				r.Release()
				if err != nil {
					t.Fatal(err)
				}
				if got := drivertest.Show(table); got != `"v" `+tc.want+"\n" {
					t.Errorf("%v: %s, want %s", o, got, tc.want)
				}
				c.Close() //nolint:errcheck // the test's end
			}
		})
	}
}

// Results that come in parts.
func TestReportedParts(t *testing.T) {
	t.Run("rocky-data/rocky#1650, tylertreat/BigQuery-Python#8: only the first page is read", func(t *testing.T) {
		_, c := withRows(t, "storage=off", "page_rows=700")
		defer c.Close() //nolint:errcheck // the test's end
		if n, err := read(t, c, all, true); err != nil || n != rows {
			t.Errorf("%d rows, %v, want %d", n, err, rows)
		}
	})
	t.Run("graphene-data/graphene#466, kkamkou/gitmostwanted.com#62: a job that still runs is taken for one without rows", func(t *testing.T) {
		s, c := withRows(t)
		defer c.Close() //nolint:errcheck // the test's end
		s.Set(func(s *fakebigquery.Server) { s.Running = 3 })
		if n, err := read(t, c, all, true); err != nil || n != rows {
			t.Errorf("%d rows, %v, want %d", n, err, rows)
		}
	})
	t.Run("googleapis/google-cloud-python#7759: the order of rows is lost", func(t *testing.T) {
		_, c := withRows(t)
		defer c.Close() //nolint:errcheck // the test's end
		if n, err := read(t, c, "SELECT i, s FROM many ORDER BY i", true); err != nil || n != rows {
			t.Errorf("%d rows, %v, want %d", n, err, rows)
		}
	})
}

// A service that does not heed how instants are asked for, as emulators do, sends seconds. They are read where they
// are an instant of microseconds, and never cut to one.
func TestReportedSeconds(t *testing.T) {
	for cell, want := range map[string]string{"-1.9954383398377106E10": "1337-09-02 11:43:21.622894Z", "1.6055752E9": "2020-11-17 01:06:40Z", "1090855528.1733329": ""} {
		t.Run("googleapis/python-bigquery#436, googleapis/java-bigquery#16, googleapis/google-cloud-dotnet#4031: seconds with a fraction, "+cell, func(t *testing.T) {
			s := start(t)
			s.Canned["SELECT v"] = fakebigquery.Result{Schema: &bq.TableSchema{Fields: []*bq.TableFieldSchema{{Name: "v", Type: "TIMESTAMP"}}}, Rows: []*bq.TableRow{{F: []*bq.TableCell{{V: cell}}}}}
			c := open(t, s, driver.Options{}, "storage=off")
			defer c.Close() //nolint:errcheck // the test's end
			got := ""
			r, err := c.Query(context.Background(), "SELECT v")
			if err == nil {
				var table *scoring.Table
				if table, err = arrowtable.Read(r, arrowtable.Limits{}); err == nil {
					got = table.Columns[0].Value(0).String()
				}
				r.Release()
			}
			if got != want || (err == nil) != (want != "") {
				t.Errorf("%s, %v, want %q", got, err, want)
			}
		})
	}
}

// A statement whose answer is lost is asked for again under its name, and its job is taken up.
func TestReportedJobs(t *testing.T) {
	for _, fault := range []fakebigquery.Fault{{Cut: true, Done: true}, {Status: 503, Reason: "backendError", Done: true}} {
		t.Run(fmt.Sprintf("googleapis/nodejs-bigquery#864, googleapis/python-bigquery#738, googleapis/google-cloud-java#2867: the job is there already, or is run twice, cut %v", fault.Cut), func(t *testing.T) {
			s, c := writable(t)
			defer c.Close() //nolint:errcheck // the test's end
			s.Fail("jobs.insert", fault)
			if err := c.Exec(context.Background(), "INSERT INTO t VALUES ('a', 1)"); err != nil {
				t.Error(err)
			}
			if got := contents(t, c); got != "1 1 1" {
				t.Errorf("the table holds %s, want one row", got)
			}
		})
	}
}

// What passes is tried again, and not for ever.
func TestReportedAgain(t *testing.T) {
	t.Run("googleapis/google-cloud-go#1168: a job that failed by a rate limit is waited for for ever", func(t *testing.T) {
		s, c := withRows(t)
		defer c.Close() //nolint:errcheck // the test's end
		s.FailJobs(&bq.ErrorProto{Reason: "rateLimitExceeded", Message: "Exceeded rate limits: too many concurrent queries for this project"}, &bq.ErrorProto{Reason: "jobRateLimitExceeded", Message: "Job exceeded rate limits"})
		if n, err := read(t, c, all, true); err != nil || n != rows {
			t.Errorf("%d rows, %v", n, err)
		}
		var always []*bq.ErrorProto
		for range 30 {
			always = append(always, &bq.ErrorProto{Reason: "rateLimitExceeded", Message: "Exceeded rate limits"})
		}
		s.FailJobs(always...)
		if _, err := read(t, c, all, true); errcode.Of(err) != errcode.Unavailable {
			t.Errorf("%v, want unavailable", err)
		}
	})
	notFound := fakebigquery.Fault{Status: 404, Reason: "notFound", Message: "Not found: Job test-project:EU.badger_x"}
	for _, tc := range []struct {
		why    string
		faults map[string][]fakebigquery.Fault
	}{
		{"its first answer was lost", map[string][]fakebigquery.Fault{"jobs.insert": {{Cut: true, Done: true}}, "jobs.get": {notFound}}},
		{"its end is asked for", map[string][]fakebigquery.Fault{"jobs.getQueryResults": {notFound}}},
		{"its end is asked for, twice", map[string][]fakebigquery.Fault{"jobs.getQueryResults": {notFound, notFound}, "jobs.get": {notFound, notFound}}},
	} {
		t.Run("googleapis/python-bigquery#2134: a job that was started is not there yet; "+tc.why, func(t *testing.T) {
			s, c := withRows(t)
			defer c.Close() //nolint:errcheck // the test's end
			for operation, faults := range tc.faults {
				s.Fail(operation, faults...)
			}
			if n, err := read(t, c, all, true); err != nil || n != rows {
				t.Errorf("%d rows, %v", n, err)
			}
		})
	}
	t.Run("googleapis/google-cloud-python#15707: 400 that says to run the job again", func(t *testing.T) {
		s, c := withRows(t)
		defer c.Close() //nolint:errcheck // the test's end
		s.FailJobs(&bq.ErrorProto{Reason: "jobBackendError", Message: "The job encountered an error during execution. Retrying the job may solve the problem."})
		if n, err := read(t, c, all, true); err != nil || n != rows {
			t.Errorf("%d rows, %v", n, err)
		}
		s.Fail("jobs.getQueryResults", fakebigquery.Fault{Status: 400, Reason: "jobBackendError", Message: "The job encountered an error during execution. Retrying the job may solve the problem."})
		if n, err := read(t, c, all, true); err != nil || n != rows {
			t.Errorf("%d rows, %v", n, err)
		}
	})
	t.Run("googleapis/python-bigquery#949: the Storage API fails on a type that pages have", func(t *testing.T) {
		s, c := withRows(t)
		defer c.Close() //nolint:errcheck // the test's end
		inside := fakebigquery.Fault{Code: codes.Internal, Message: "there was an error operating on 'projects/p/locations/us/sessions/s/streams/t': internal error"}
		s.Fail("ReadRows", slices.Repeat([]fakebigquery.Fault{inside}, 40)...)
		if n, err := read(t, c, all, true); err != nil || n != rows {
			t.Errorf("%d rows, %v", n, err)
		}
		r, err := c.ReadSnapshot(context.Background(), driver.Ref{Kind: driver.RefTable, Name: "many"})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Release()
		n := int64(0)
		for r.Next() {
			n += r.Record().NumRows()
		}
		if r.Err() != nil || n != rows {
			t.Errorf("the table: %d rows, %v", n, r.Err())
		}
	})
	t.Run("googleapis/python-bigquery#949: it fails behind the first rows, which pages would bring again", func(t *testing.T) {
		s, c := withRows(t)
		defer c.Close() //nolint:errcheck // the test's end
		inside := fakebigquery.Fault{Code: codes.Internal, Message: "internal error"}
		begun := inside
		begun.Batches = 1
		s.Fail("ReadRows", append([]fakebigquery.Fault{begun}, slices.Repeat([]fakebigquery.Fault{inside}, 40)...)...)
		if n, err := read(t, c, all, true); errcode.Of(err) != errcode.Internal {
			t.Errorf("%d rows, %v, want internal", n, err)
		}
	})
	t.Run("googleapis/python-bigquery-storage#366: RESOURCE_EXHAUSTED ends the read", func(t *testing.T) {
		s, c := withRows(t)
		defer c.Close() //nolint:errcheck // the test's end
		busy := fakebigquery.Fault{Code: codes.ResourceExhausted, Message: "too many streams are read at once"}
		s.Fail("ReadRows", busy, busy)
		if n, err := read(t, c, all, true); err != nil || n != rows {
			t.Errorf("%d rows, %v", n, err)
		}
	})
	t.Run("confluentinc/kafka-connect-bigquery#363, googleapis/python-bigquery#1790: jobInternalError and jobRateLimitExceeded end a statement that writes", func(t *testing.T) {
		s, c := writable(t)
		defer c.Close() //nolint:errcheck // the test's end
		s.FailJobs(&bq.ErrorProto{Reason: "jobInternalError", Message: "x"}, &bq.ErrorProto{Reason: "jobRateLimitExceeded", Message: "Job exceeded rate limits: Your table exceeded quota for table update operations."})
		limited := fakebigquery.Fault{Status: 400, Reason: "jobRateLimitExceeded", Message: "Job exceeded rate limits"}
		s.Fail("jobs.insert", limited, limited)
		r := keyed(20)
		defer r.Release()
		if n, err := c.Merge(context.Background(), "t", []string{"k"}, r); err != nil || n != 40 || contents(t, c) != "20 20 590" {
			t.Errorf("%d rows, %v", n, err)
		}
	})
	t.Run("PostHog/posthog#68482: a stream that is reset ends the read", func(t *testing.T) {
		s, c := withRows(t)
		defer c.Close() //nolint:errcheck // the test's end
		reset := fakebigquery.Fault{Code: codes.Internal, Batches: 1, Message: "Received RST_STREAM with error code 2"}
		s.Fail("ReadRows", reset, reset, reset)
		if n, err := read(t, c, all, true); err != nil || n != rows {
			t.Errorf("%d rows, %v", n, err)
		}
	})
}
