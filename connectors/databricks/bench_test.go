package databricks_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	fakedatabricks "github.com/badger-eval/badger/connectors/fake/databricks"
)

// wide is a record of ten columns of the types that results are made of.
func wide(rows int) arrow.Record {
	var fields []arrow.Field
	for i, t := range []arrow.DataType{
		arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64, arrow.BinaryTypes.String, arrow.BinaryTypes.String, &arrow.Decimal128Type{Precision: 18, Scale: 2},
		&arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int32,
	} {
		fields = append(fields, arrow.Field{Name: fmt.Sprintf("c%d", i), Type: t, Nullable: true})
	}
	b := array.NewRecordBuilder(memory.NewGoAllocator(), arrow.NewSchema(fields, nil))
	defer b.Release()
	for i := range rows {
		n := int64(i)
		b.Field(0).(*array.Int64Builder).Append(n)
		b.Field(1).(*array.Int64Builder).Append(n * 7919)
		b.Field(2).(*array.Float64Builder).Append(float64(n) / 3)
		b.Field(3).(*array.StringBuilder).Append(fmt.Sprintf("customer %d", n%5000))
		b.Field(4).(*array.StringBuilder).Append("status " + strings.Repeat("x", i%10))
		_ = b.Field(5).(*array.Decimal128Builder).AppendValueFromString(fmt.Sprintf("%d.25", n%100000))
		b.Field(6).(*array.TimestampBuilder).Append(arrow.Timestamp(1700000000000000 + n*1000))
		b.Field(7).(*array.Date32Builder).Append(arrow.Date32(i % 20000)) //nolint:gosec // small
		b.Field(8).(*array.BooleanBuilder).Append(i%2 == 0)
		b.Field(9).(*array.Int32Builder).Append(int32(i % 1000)) //nolint:gosec // small
	}
	return b.NewRecord()
}

// Reading a million rows of ten columns, as files of 100,000 rows and as batches in the answers.
// The server encodes them in the same process, on the same cores.
func BenchmarkRead(b *testing.B) {
	for name, files := range map[string]bool{"files": true, "pages": false} {
		b.Run(name, func(b *testing.B) {
			s := start(b)
			s.Files, s.PageRows = files, 100_000
			s.Answer("SELECT wide", fakedatabricks.Result{Record: wide(100_000), Repeat: 10})
			c := open(b, s.URL(), options)
			defer c.Close() //nolint:errcheck // nothing follows
			b.ReportAllocs()
			for b.Loop() {
				r, err := c.Query(ctx, "SELECT wide")
				if err != nil {
					b.Fatal(err)
				}
				n := int64(0)
				for r.Next() {
					n += r.Record().NumRows()
				}
				if r.Err() != nil || n != 1_000_000 {
					b.Fatal(n, r.Err())
				}
				r.Release()
			}
			b.ReportMetric(1_000_000*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// Writing 100,000 scores, with their keys, into a table that is empty; the server runs the
// statements in the embedded engine.
func BenchmarkMerge(b *testing.B) {
	s := start(b)
	c := open(b, s.URL(), options)
	defer c.Close() //nolint:errcheck // nothing follows
	for _, sql := range []string{
		"CREATE TABLE scores (eval_run_id STRING, case_id STRING, metric STRING, status STRING, value DOUBLE, reason STRING, scored_at TIMESTAMP)",
	} {
		if err := c.Exec(ctx, sql); err != nil {
			b.Fatal(err)
		}
	}
	const rows = 100_000
	var fields []arrow.Field
	for _, n := range []string{"eval_run_id", "case_id", "metric", "status", "reason"} {
		fields = append(fields, arrow.Field{Name: n, Type: arrow.BinaryTypes.String})
	}
	fields = append(fields, arrow.Field{Name: "value", Type: arrow.PrimitiveTypes.Float64}, arrow.Field{Name: "scored_at", Type: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}})
	build := array.NewRecordBuilder(memory.NewGoAllocator(), arrow.NewSchema(fields, nil))
	defer build.Release()
	at := arrow.Timestamp(time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC).UnixMicro())
	for i := range rows {
		for f, v := range []string{"run-1", fmt.Sprintf("case-%06d", i/10), fmt.Sprintf("metric_%d", i%10), "ok", "the results are equal in every cell"} {
			build.Field(f).(*array.StringBuilder).Append(v)
		}
		build.Field(5).(*array.Float64Builder).Append(float64(i%100) / 100)
		build.Field(6).(*array.TimestampBuilder).Append(at)
	}
	rec := build.NewRecord()
	defer rec.Release()
	b.ReportAllocs()
	for b.Loop() {
		r, err := array.NewRecordReader(rec.Schema(), []arrow.Record{rec})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := c.Merge(ctx, "scores", []string{"eval_run_id", "case_id", "metric"}, r); err != nil {
			b.Fatal(err)
		}
		r.Release()
	}
	b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// What of writing is done on this side: rows into the text of parameters. The table does not exist
// at the server, which answers at once.
func BenchmarkRowTexts(b *testing.B) {
	rows := rowsOf(0, 100_000)
	defer rows.Release()
	s := start(b)
	s.Answer("SELECT .* WHERE 1 = 0", fakedatabricks.Result{Record: empty(rows)})
	s.Answer("(CREATE|INSERT|MERGE|DROP) .*", fakedatabricks.Result{Record: empty(rows)})
	c := open(b, s.URL(), options)
	defer c.Close() //nolint:errcheck // nothing follows
	b.ReportAllocs()
	for b.Loop() {
		rows := rowsOf(0, 100_000)
		if _, err := c.Merge(ctx, "t", []string{"k"}, rows); err != nil {
			b.Fatal(err)
		}
		rows.Release()
	}
}

// empty is a record of no rows of a reader's columns.
func empty(r array.RecordReader) arrow.Record {
	b := array.NewRecordBuilder(memory.NewGoAllocator(), r.Schema())
	defer b.Release()
	return b.NewRecord()
}
