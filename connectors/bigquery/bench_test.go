package bigquery_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/bigquery"
	"github.com/badger-eval/badger/connectors/driver"
	fakebigquery "github.com/badger-eval/badger/connectors/fake/bigquery"
	"github.com/badger-eval/badger/sql/store"
)

const benchRows = 1_000_000

// TestServe is no test: it is the server of the benchmarks, in a process of its own, until its
// input ends.
func TestServe(t *testing.T) {
	if os.Getenv("BADGER_BIGQUERYTEST_SERVE") == "" {
		t.Skip("the server of the benchmarks")
	}
	s := fakebigquery.Start(t)
	for _, statement := range []string{
		fmt.Sprintf(`CREATE TABLE data.wide AS SELECT i AS a, i * 7 AS b, (i %% 1000)::BIGINT AS c, i / 3 AS d, sqrt(i) AS e,
'Customer #' || lpad(i::VARCHAR, 9, '0') AS f, 'short' AS g, 'region ' || (i %% 25) AS h, DATE '1992-01-01' + (i %% 2500)::INTEGER AS j, (i / 100)::DECIMAL(38,9) AS k FROM range(%d) t(i)`, benchRows),
		"CREATE SCHEMA badger",
	} {
		if err := s.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	for _, statement := range store.Create(bigquery.Dialect) {
		c := open(t, s, driver.Options{})
		if err := c.Exec(context.Background(), statement); err != nil {
			t.Fatal(err)
		}
		c.Close() //nolint:errcheck // it made a table
	}
	fmt.Println("URL", s.URL())
	io.Copy(io.Discard, os.Stdin) //nolint:errcheck // until it ends
}

// serve starts the server and returns a URL.
func serve(b *testing.B) string {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), os.Args[0], "-test.run=^TestServe$", "-test.v") //nolint:gosec // this test itself
	cmd.Env = append(os.Environ(), "BADGER_BIGQUERYTEST_SERVE=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close() //nolint:errcheck // it ends then
		cmd.Wait() //nolint:errcheck // how does not matter
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if url, ok := strings.CutPrefix(lines.Text(), "URL "); ok {
			return url
		}
	}
	b.Fatal("the server did not start")
	return ""
}

// peak is the most memory this process held, in MB.
func peak() float64 {
	text, _ := os.ReadFile("/proc/self/status")
	for _, line := range strings.Split(string(text), "\n") {
		var kb float64
		if n, _ := fmt.Sscanf(line, "VmHWM: %f kB", &kb); n == 1 {
			return kb / 1024
		}
	}
	return 0
}

// BenchmarkRead reads a table of a million rows and ten columns, record by record.
func BenchmarkRead(b *testing.B) {
	url := serve(b)
	for _, mode := range []struct{ name, options string }{{"storage", ""}, {"rest", "&storage=off"}} {
		b.Run(mode.name, func(b *testing.B) {
			c, _, err := bigquery.Open(b.Context(), url+mode.options, driver.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close() //nolint:errcheck // the benchmark's end
			b.ReportAllocs()
			bytes := int64(0)
			for b.Loop() {
				r, err := c.(driver.SnapshotReader).ReadSnapshot(b.Context(), driver.Ref{Kind: driver.RefTable, Name: "wide"})
				if err != nil {
					b.Fatal(err)
				}
				rows := int64(0)
				bytes = 0
				for r.Next() {
					rows += r.Record().NumRows()
					for _, col := range r.Record().Columns() {
						for _, buffer := range col.Data().Buffers() {
							if buffer != nil {
								bytes += int64(buffer.Len())
							}
						}
					}
				}
				if r.Err() != nil || rows != benchRows {
					b.Fatal(rows, r.Err())
				}
				r.Release()
			}
			b.ReportMetric(benchRows*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
			b.ReportMetric(float64(bytes)*float64(b.N)/b.Elapsed().Seconds()/1e6, "MB/s")
			b.ReportMetric(peak(), "MB-peak")
		})
	}
}

// BenchmarkWrite merges a hundred thousand scores.
func BenchmarkWrite(b *testing.B) {
	url := serve(b)
	table := store.TableNamed("scores")
	var fields []arrow.Field
	for _, c := range table.Columns {
		t := map[driver.Type]arrow.DataType{
			driver.Text: arrow.BinaryTypes.String, driver.JSON: arrow.BinaryTypes.String, driver.BigInt: arrow.PrimitiveTypes.Int64, driver.Double: arrow.PrimitiveTypes.Float64,
			driver.Boolean: arrow.FixedWidthTypes.Boolean, driver.Timestamp: arrow.FixedWidthTypes.Timestamp_us,
		}[c.Type]
		fields = append(fields, arrow.Field{Name: c.Name, Type: t, Nullable: true})
	}
	schema := arrow.NewSchema(fields, nil)
	build := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer build.Release()
	const rows = 100_000
	var records []arrow.Record
	for i := range rows {
		for k := range fields {
			switch to := build.Field(k).(type) {
			case *array.StringBuilder:
				to.Append(fmt.Sprintf("%s %d", fields[k].Name, i))
			case *array.Int64Builder:
				to.Append(int64(i))
			case *array.Float64Builder:
				to.Append(float64(i) / 7)
			case *array.BooleanBuilder:
				to.Append(i%2 == 0)
			case *array.TimestampBuilder:
				to.Append(arrow.Timestamp(i))
			}
		}
		if i%5000 == 4999 {
			records = append(records, build.NewRecord())
		}
	}
	c, _, err := bigquery.Open(b.Context(), url, driver.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close() //nolint:errcheck // the benchmark's end
	b.ReportAllocs()
	for b.Loop() {
		r, err := array.NewRecordReader(schema, records)
		if err != nil {
			b.Fatal(err)
		}
		if n, err := c.Merge(b.Context(), "badger.scores", table.Key, r); err != nil || n != rows {
			b.Fatal(n, err)
		}
		r.Release()
	}
	b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds()/1e3, "krows/s")
	b.ReportMetric(peak(), "MB-peak")
}
