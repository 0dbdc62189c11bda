package snowflake_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/driver"
	fakesnowflake "github.com/badger-eval/badger/connectors/fake/snowflake"
	"github.com/badger-eval/badger/internal/arrowtable"
)

const (
	benchRows  = 1_000_000
	chunkRows  = 50_000
	benchQuery = "SELECT * FROM wide"
)

// wide is a result of a million rows of ten columns, its chunks made beforehand: integers,
// decimals, doubles, text, a date, a timestamp.
func wide(b *testing.B) (r fakesnowflake.Result, bytes int64) {
	b.Helper()
	columns := []fakesnowflake.Column{
		{Name: "A", Type: "fixed", Precision: 38}, {Name: "B", Type: "fixed", Precision: 38}, {Name: "C", Type: "fixed", Precision: 9}, {Name: "D", Type: "fixed", Precision: 15, Scale: 2}, {Name: "E", Type: "real"},
		{Name: "F", Type: "text"}, {Name: "G", Type: "text"}, {Name: "H", Type: "text"}, {Name: "I", Type: "date"}, {Name: "J", Type: "timestamp_ntz", Scale: 9},
	}
	chunks := make([][]byte, benchRows/chunkRows)
	for c := range chunks {
		rows := make([][]fakesnowflake.Cell, chunkRows)
		for i := range rows {
			n := c*chunkRows + i
			rows[i] = cells(strconv.Itoa(n), strconv.Itoa(n*7), strconv.Itoa(n%1000), fmt.Sprintf("%d.%02d", n/100, n%100), strconv.Itoa(n)+".5",
				fmt.Sprintf("Customer #%09d", n), "short", "region "+strconv.Itoa(n%25), strconv.Itoa(8036+n%2500), fmt.Sprintf("%d.%09d", 1_600_000_000+n, n))
		}
		var err error
		if chunks[c], err = fakesnowflake.Stream(columns, rows); err != nil {
			b.Fatal(err)
		}
		bytes += int64(len(chunks[c]))
	}
	return fakesnowflake.Result{Columns: columns, Chunks: len(chunks), Bytes: func(i int) []byte { return chunks[i] }}, bytes
}

// peak samples how much more of the heap is used than before.
func peak(b *testing.B) (stop func()) {
	b.Helper()
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	before := m.HeapAlloc
	var most atomic.Uint64
	done := make(chan bool)
	go func() {
		defer close(done)
		var m runtime.MemStats
		for {
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
				runtime.ReadMemStats(&m)
				most.Store(max(most.Load(), m.HeapAlloc))
			}
		}
	}()
	return func() {
		done <- true
		b.ReportMetric((float64(most.Load())-float64(before))/1e6, "peak-MB")
	}
}

// BenchmarkRead reads a million rows from the server in this process, as records and as the table
// that metrics see.
func BenchmarkRead(b *testing.B) {
	s := fakesnowflake.New(b)
	r, bytes := wide(b)
	s.Answer(`SELECT \* FROM wide`, r)
	long := r
	long.Chunks *= 10
	long.Bytes = func(i int) []byte { return r.Bytes(i % r.Chunks) }
	s.Answer(`SELECT \* FROM long`, long)
	c := open(b, urlOf(s), driver.Options{})
	defer c.Close()
	for name, read := range map[string]func(array.RecordReader) (int64, error){
		"records": func(r array.RecordReader) (n int64, err error) {
			for r.Next() {
				n += r.Record().NumRows()
			}
			return n, r.Err()
		},
		"table": func(r array.RecordReader) (int64, error) {
			t, err := arrowtable.Read(r, arrowtable.Limits{})
			return int64(t.Rows()), err
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(bytes)
			stop := peak(b)
			for b.Loop() {
				r, err := c.Conn.Query(context.Background(), benchQuery)
				if err != nil {
					b.Fatal(err)
				}
				n, err := read(r)
				if err != nil || n != benchRows {
					b.Fatalf("%d rows, %v", n, err)
				}
				r.Release()
			}
			stop()
			b.ReportMetric(benchRows*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
	b.Run("ten times as many", func(b *testing.B) { // the memory must not be
		stop := peak(b)
		for b.Loop() {
			rows, err := c.Conn.Query(context.Background(), "SELECT * FROM long")
			if err != nil {
				b.Fatal(err)
			}
			n := int64(0)
			for rows.Next() {
				n += rows.Record().NumRows()
			}
			if rows.Err() != nil || n != 10*benchRows {
				b.Fatalf("%d rows, %v", n, rows.Err())
			}
			rows.Release()
		}
		stop()
		b.ReportMetric(10*benchRows*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
	})
	b.Run("snowflake-connector-python", func(b *testing.B) {
		rows, seconds, mb := python(b, s, "testdata/read.py", benchQuery)
		if rows != benchRows {
			b.Fatalf("%v rows", rows)
		}
		b.ReportMetric(rows/seconds/1e6, "Mrows/s")
		b.ReportMetric(mb, "process-MB")
	})
}

// BenchmarkWrite merges score rows by key into a table of DuckDB's behind the server, most of whose
// time it takes.
func BenchmarkWrite(b *testing.B) {
	const n = 100_000
	fields := []arrow.Field{
		{Name: "eval_run_id", Type: arrow.BinaryTypes.String}, {Name: "case_id", Type: arrow.BinaryTypes.String}, {Name: "metric", Type: arrow.BinaryTypes.String}, {Name: "value", Type: arrow.PrimitiveTypes.Float64},
		{Name: "passed", Type: arrow.FixedWidthTypes.Boolean}, {Name: "reason", Type: arrow.BinaryTypes.String}, {Name: "detail", Type: arrow.BinaryTypes.String}, {Name: "scored_at", Type: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}},
	}
	rb := array.NewRecordBuilder(memory.NewGoAllocator(), arrow.NewSchema(fields, nil))
	defer rb.Release()
	for i := range n {
		rb.Field(0).(*array.StringBuilder).Append("01JC5Z3V8T7XK2")
		rb.Field(1).(*array.StringBuilder).Append(fmt.Sprintf("case-%06d", i/10))
		rb.Field(2).(*array.StringBuilder).Append("metric-" + strconv.Itoa(i%10))
		rb.Field(3).(*array.Float64Builder).Append(float64(i) / n)
		rb.Field(4).(*array.BooleanBuilder).Append(i%2 == 0)
		rb.Field(5).(*array.StringBuilder).Append("all rows and columns agree within the tolerance")
		rb.Field(6).(*array.StringBuilder).Append(`{"columns":[{"gold":"a","pred":"b","source":"values"}],"rows":{"gold":10,"pred":10,"matched":10}}`)
		rb.Field(7).(*array.TimestampBuilder).Append(arrow.Timestamp(1732000000000000 + int64(i)))
	}
	rec := rb.NewRecord()
	defer rec.Release()
	for _, batch := range []int64{n, 1000} {
		b.Run(fmt.Sprintf("merge by %d", batch), func(b *testing.B) {
			s := fakesnowflake.New(b)
			c := open(b, urlOf(s), driver.Options{})
			defer c.Close()
			ddl := "CREATE TABLE scores (eval_run_id VARCHAR, case_id VARCHAR, metric VARCHAR, value FLOAT, passed BOOLEAN, reason VARCHAR, detail VARIANT, scored_at TIMESTAMP_LTZ(9))"
			if err := c.Exec(context.Background(), ddl); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			stop := peak(b)
			for b.Loop() {
				for at := int64(0); at < n; at += batch {
					part := rec.NewSlice(at, min(at+batch, n))
					r, err := array.NewRecordReader(part.Schema(), []arrow.Record{part})
					if err != nil {
						b.Fatal(err)
					}
					if _, err := c.Merge(context.Background(), "scores", []string{"eval_run_id", "case_id", "metric"}, r); err != nil {
						b.Fatal(err)
					}
					r.Release()
					part.Release()
				}
			}
			stop()
			b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds()/1e3, "krows/s")
		})
	}
	b.Run("snowflake-connector-python", func(b *testing.B) {
		s := fakesnowflake.New(b)
		rows, seconds, mb := python(b, s, "testdata/write.py", strconv.Itoa(n))
		if rows != n {
			b.Fatalf("%v rows", rows)
		}
		b.ReportMetric(rows/seconds/1e3, "krows/s")
		b.ReportMetric(mb, "process-MB")
	})
}

// python runs a script against the server; it prints rows, seconds and the peak of its memory in
// MB.
func python(b *testing.B, s *fakesnowflake.Server, script, arg string) (rows, seconds, mb float64) {
	b.Helper()
	program := os.Getenv("BADGER_FAKESNOW_PYTHON")
	if program == "" {
		b.Skip("BADGER_FAKESNOW_PYTHON is not set: expected the python of an environment with snowflake-connector-python")
	}
	out, err := exec.Command(program, script, strings.TrimPrefix(s.URL, "http://127.0.0.1:"), arg).CombinedOutput()
	if err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if _, err := fmt.Sscan(lines[len(lines)-1], &rows, &seconds, &mb); err != nil {
		b.Fatalf("%s", out)
	}
	return rows, seconds, mb
}
