package drivertest

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
)

func (h Harness) results(t *testing.T) {
	c := h.open(t)
	h.run(t, "no rows still have columns", func(t *testing.T) {
		got := mustRead(t, c, "SELECT a, b FROM (SELECT 1 AS a, 'x' AS b) AS t WHERE a = 2")
		if got.Rows() != 0 || len(got.Columns) != 2 || got.Columns[1].Name != "b" {
			t.Errorf("%d rows, %d columns, expected no rows of two columns", got.Rows(), len(got.Columns))
		}
	})
	h.run(t, "column names may repeat", func(t *testing.T) {
		got := mustRead(t, c, "SELECT 1 AS a, 'x' AS a, 2.5 AS a")
		if len(got.Columns) != 3 || got.Columns[0].Name != "a" || got.Columns[1].Name != "a" ||
			got.Columns[1].Value(0).Text() != "x" {
			t.Errorf("got %s", Show(got))
		}
	})
	h.run(t, "a reader may be left early", func(t *testing.T) {
		for range 20 { // more often than there are connections
			r, err := c.Query(context.Background(), h.Slow)
			if err != nil {
				t.Fatal(err)
			}
			if !r.Next() {
				t.Fatalf("no first batch: %v", r.Err())
			}
			r.Release()
		}
		if got := mustRead(t, c, "SELECT 1 AS a"); got.Rows() != 1 {
			t.Errorf("afterwards: %s", Show(got))
		}
	})
	h.run(t, "a record outlives the next one if it is retained", func(t *testing.T) {
		r, err := c.Query(context.Background(), h.Slow)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Release()
		if !r.Next() {
			t.Fatal(r.Err())
		}
		first := r.Record()
		first.Retain()
		defer first.Release()
		before := first.Column(0).ValueStr(0)
		for range 5 {
			if !r.Next() {
				t.Fatal(r.Err())
			}
		}
		if after := first.Column(0).ValueStr(0); after != before {
			t.Errorf("its first value was %s and became %s", before, after)
		}
	})
}

func (h Harness) parameters(t *testing.T) {
	c := h.open(t)
	at := time.Date(2024, 2, 29, 12, 0, 0, 123456000, time.FixedZone("", 3600))
	got := mustRead(t, c,
		"SELECT "+h.Dialect.Param(1)+" AS a, "+h.Dialect.Param(2)+" AS b, "+h.Dialect.Param(3)+" AS c, "+h.Dialect.Param(4)+
			" AS d, "+h.Dialect.Param(5)+" AS e, "+h.Dialect.Param(6)+" AS f",
		"it's \"añ😀\"; --", int64(math.MaxInt64), 0.1, true, at, nil)
	for i, want := range []string{"it's \"añ😀\"; --", "9223372036854775807", "0.1", "true", "2024-02-29 11:00:00.123456Z",
		"NULL"} {
		if v := got.Columns[i].Value(0).String(); v != h.spelled(want) {
			t.Errorf("parameter %d came back as %s, want %s", i+1, v, want)
		}
	}
	for _, tc := range []struct {
		arg  any
		want string
	}{
		{time.Date(1600, 2, 29, 1, 2, 3, 0, time.UTC), "1600-02-29 01:02:03Z"}, // beyond 64 bits of nanoseconds
		{time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC), "9999-12-31 23:59:59.999999Z"},
		{0.30000000000000004, "0.30000000000000004"},
		{math.MaxFloat64, "1.7976931348623157e+308"},
		{int64(math.MinInt64), "-9223372036854775808"},
		{"", ""},
	} {
		table := mustRead(t, c, "SELECT "+h.Dialect.Param(1)+" AS a", tc.arg)
		if got := table.Columns[0].Value(0).String(); got != h.spelled(tc.want) {
			t.Errorf("%v came back as %s, want %s", tc.arg, got, tc.want)
		}
	}
	if _, err := Read(context.Background(), c, "SELECT "+h.Dialect.Param(1)+" AS a"); code(c,
		err) != errcode.InvalidArgument {
		t.Errorf("too few parameters: %v (%v), want invalid_argument", err, code(c, err))
	}
	if _, err := Read(context.Background(), c, "SELECT "+h.Dialect.Param(1)+" AS a", struct{}{}); code(c,
		err) != errcode.InvalidArgument {
		t.Errorf("a parameter of no known type: %v (%v), want invalid_argument", err, code(c, err))
	}
}

func (h Harness) errors(t *testing.T) {
	const secret = "hunter2"
	c := h.open(t)
	ctx := context.Background()
	for _, tc := range []struct {
		why, query string
		want       errcode.Code
		names      string // the message must contain it
	}{
		{"an unknown table", "SELECT '" + secret + "' FROM nothing_here", errcode.NotFound, "nothing_here"},
		{"an unknown column", "SELECT no_such_column, '" + secret + "' FROM (SELECT 1 AS a) AS t", errcode.InvalidArgument,
			"no_such_column"},
		{"an unknown function", "SELECT no_such_function('" + secret + "')", errcode.NotFound, "no_such_function"},
		{"no SQL", "SELEC '" + secret + "'", errcode.InvalidArgument, ""},
		{"an open quote", "SELECT '" + secret, errcode.InvalidArgument, ""},
		{"nothing", "", errcode.InvalidArgument, ""},
		{"a cast that fails", "SELECT CAST(a AS INTEGER) FROM (SELECT '" + secret + "' AS a) AS t", errcode.InvalidArgument,
			""},
		{"a NUL byte", "SELECT 1\x00" + secret, errcode.InvalidArgument, ""},
	} {
		query := h.spelled(tc.query)
		if query == "" && tc.query != "" {
			continue
		}
		_, err := Read(ctx, c, query)
		got := code(c, err)
		if err == nil || got != tc.want {
			t.Errorf("%s: %v (%v), want %v", tc.why, err, got, tc.want)
			continue
		}
		if strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "SELEC") {
			t.Errorf("%s: the error shows a value or the SQL text: %v", tc.why, err)
		}
		if !strings.Contains(strings.ToLower(err.Error()), tc.names) {
			t.Errorf("%s: %v, want it to name %s", tc.why, err, tc.names)
		}
	}
	if !h.Features.ReadOnly {
		return
	}
	ro := closing(t, h.OpenReadOnly)
	if got := mustRead(t, ro, "SELECT * FROM present"); got.Rows() != 1 {
		t.Errorf("reading what may only be read: %s", Show(got))
	}
	for _, query := range []string{"CREATE TABLE t (a INTEGER)", "INSERT INTO present VALUES (2)", "DROP TABLE present",
		"DELETE FROM present"} {
		if err := ro.Exec(ctx, h.spelled(query)); code(ro, err) != errcode.PermissionDenied {
			t.Errorf("%s on a read-only connection: %v (%v), want permission_denied", query, err, code(ro, err))
		}
	}
	for _, key := range [][]string{nil, {"a"}} {
		rows := texts(nil, []string{"a"}, []any{int64(1)})
		if _, err := ro.Merge(ctx, "present", key, rows); code(ro, err) != errcode.PermissionDenied {
			t.Errorf("merging on a read-only connection: %v (%v), want permission_denied", err, code(ro, err))
		}
		rows.Release()
	}
}

func (h Harness) cancel(t *testing.T) {
	c := h.open(t)
	h.run(t, "before", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := Read(ctx, c, "SELECT 1"); code(c, err) != errcode.Cancelled {
			t.Errorf("%v, want cancelled", err)
		}
	})
	h.run(t, "while it runs", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(50*time.Millisecond, cancel)
		if _, err := Read(ctx, c, "SELECT COUNT(*) FROM ("+h.Slow+") AS t"); code(c, err) != errcode.Cancelled {
			t.Errorf("%v (%v), want cancelled", err, code(c, err))
		}
	})
	h.run(t, "between two batches", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		r, err := c.Query(ctx, h.Slow)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Release()
		if !r.Next() {
			t.Fatal(r.Err())
		}
		cancel()
		for r.Next() {
		}
		if code(c, r.Err()) != errcode.Cancelled {
			t.Errorf("%v, want cancelled", r.Err())
		}
	})
	h.run(t, "when the time is over", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond) // enough time to open a session
		defer cancel()
		if _, err := Read(ctx, c, "SELECT COUNT(*) FROM ("+h.Slow+") AS t"); code(c, err) != errcode.DeadlineExceeded {
			t.Errorf("%v (%v), want deadline_exceeded", err, code(c, err))
		}
	})
	if got := mustRead(t, c, "SELECT 1 AS a"); got.Rows() != 1 {
		t.Errorf("afterwards: %s", Show(got))
	}
}

func (h Harness) features(t *testing.T) {
	c := h.open(t)
	_, snapshots := c.(driver.SnapshotReader)
	_, texts := c.(driver.TextQueryer)
	_, functions := c.(driver.FunctionRegistrar)
	_, adds := c.(driver.Adder)
	for _, f := range []struct {
		name            string
		declared, there bool
	}{
		{"Snapshots", h.Features.Snapshots, snapshots}, {"TextQuery", h.Features.TextQuery, texts},
		{"Functions", h.Features.Functions, functions}, {"Adds", h.Features.Adds, adds},
		{"ReadOnly", h.Features.ReadOnly, h.OpenReadOnly != nil}, {"Dialect.NoModels", h.Dialect.NoModels, !texts},
	} {
		if f.declared != f.there {
			t.Errorf("%s: declared %v, there %v", f.name, f.declared, f.there)
		}
	}
	if q, ok := c.(driver.TextQueryer); ok {
		ctx := context.Background()
		if got, err := q.QueryText(ctx, "SELECT 'añ😀' AS a"); err != nil || got != "añ😀" {
			t.Errorf("single string: %q, %v", got, err)
		}
		for why, query := range map[string]string{"no row": "SELECT 'x' AS a WHERE 1 = 0",
			"two rows": "SELECT 'x' AS a UNION ALL SELECT 'y'", "two columns": "SELECT 'x' AS a, 'y' AS b"} {
			if got, err := q.QueryText(ctx, query); code(c, err) != errcode.InvalidArgument {
				t.Errorf("%s: %q, %v, want invalid_argument", why, got, err)
			}
		}
	}
}

// parallelReads checks that many goroutines can read from one connection.
func (h Harness) parallelReads(t *testing.T) {
	c := h.open(t)
	var wg sync.WaitGroup
	for i := range int64(12) {
		wg.Go(func() {
			for range 4 {
				got, err := Read(context.Background(), c, "SELECT "+h.Dialect.Param(1)+" AS a", i)
				if err != nil || got.Columns[0].Value(0).String() != strconv.FormatInt(i, 10) {
					t.Errorf("%d came back as %v, %v", i, got, err)
				}
			}
		})
	}
	wg.Wait()
}

// parallel checks that many goroutines can use one connection.
func (h Harness) parallel(t *testing.T) {
	c := h.open(t)
	ctx := context.Background()
	if err := c.Exec(ctx,
		"CREATE TABLE t (k "+h.Dialect.Types[driver.Text]+", n "+h.Dialect.Types[driver.BigInt]+")"); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	errs := make(chan error, 100)
	for g := range 6 {
		wg.Go(func() {
			for i := range 8 {
				rows := texts([]string{"k"}, []string{"n"}, []any{"key", int64(i)}, []any{"of" + string(rune('a'+g)), int64(i)})
				_, err := c.Merge(ctx, "t", []string{"k"}, rows)
				rows.Release()
				if err == nil {
					_, err = Read(ctx, c, "SELECT SUM(n) FROM t")
				}
				if err != nil {
					errs <- err
				}
			}
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		if code := code(c, err); !code.Retryable() {
			t.Errorf("%v (%v)", err, code)
		}
		if errors.Is(err, context.Canceled) {
			t.Error("nobody cancelled")
		}
	}
	if got := mustRead(t, c, "SELECT COUNT(*), COUNT(DISTINCT k) FROM t"); got.Columns[0].Value(0).Int() != 7 ||
		got.Columns[1].Value(0).Int() != 7 {
		t.Errorf("one row a key was written by all, seven are wanted: %s", Show(got))
	}
}
