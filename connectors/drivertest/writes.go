package drivertest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
)

// texts returns rows of string columns followed by integer columns.
func texts(textNames, intNames []string, rows ...[]any) array.RecordReader {
	var fields []arrow.Field
	for _, n := range textNames {
		fields = append(fields, arrow.Field{Name: n, Type: arrow.BinaryTypes.String, Nullable: true})
	}
	for _, n := range intNames {
		fields = append(fields, arrow.Field{Name: n, Type: arrow.PrimitiveTypes.Int64, Nullable: true})
	}
	b := array.NewRecordBuilder(memory.NewGoAllocator(), arrow.NewSchema(fields, nil))
	defer b.Release()
	for _, row := range rows {
		for i, v := range row {
			switch x := v.(type) {
			case string:
				b.Field(i).(*array.StringBuilder).Append(x)
			case int64:
				b.Field(i).(*array.Int64Builder).Append(x)
			default:
				b.Field(i).AppendNull()
			}
		}
	}
	rec := b.NewRecord()
	defer rec.Release()
	r, _ := array.NewRecordReader(rec.Schema(), []arrow.Record{rec})
	return r
}

func (h Harness) table(t *testing.T, c driver.Conn, name string, columns ...string) {
	t.Helper()
	for i, col := range columns {
		n, typ, _ := strings.Cut(col, " ")
		columns[i] = n + " " + h.Dialect.Types[driver.Type(typ)]
	}
	if err := c.Exec(context.Background(), "CREATE TABLE "+name+" ("+strings.Join(columns, ", ")+")"); err != nil {
		t.Fatal(err)
	}
}

func (h Harness) writes(t *testing.T) {
	ctx := context.Background()
	h.run(t, "rows replace those of their key", func(t *testing.T) {
		c := h.open(t)
		h.table(t, c, "t", "k text", "l text", "n bigint", "other text")
		if err := c.Exec(ctx, "INSERT INTO t VALUES ('a', 'x', 0, 'kept'), ('z', 'z', 26, 'kept')"); err != nil {
			t.Fatal(err)
		}
		for range 2 { // writing the same rows again changes nothing
			rows := texts([]string{"k", "l"}, []string{"n"},
				[]any{"a", "x", int64(1)}, []any{"a", "y", int64(2)}, []any{"b", "x", int64(3)}, []any{"b", "x", nil},
				[]any{"a", "y", int64(4)})
			n, err := c.Merge(ctx, "t", []string{"k", "l"}, rows)
			rows.Release()
			if err != nil || n != 5 {
				t.Fatalf("%d, %v, want 5 rows taken", n, err)
			}
			got := Show(mustRead(t, c, "SELECT k, l, n, other FROM t ORDER BY k, l"))
			want := "\"k\" STRING: \"a\"|\"a\"|\"b\"|\"z\"\n\"l\" STRING: \"x\"|\"y\"|\"x\"|\"z\"\n\"n\" INT64: 1|4|NULL|26\n\"other\" STRING: \"kept\"|NULL|NULL|\"kept\"\n"
			if got != want {
				t.Fatalf("got\n%swant\n%s", got, want)
			}
		}
	})
	h.run(t, "NULL in a key is a value", func(t *testing.T) {
		c := h.open(t)
		h.table(t, c, "t", "k text", "n bigint")
		for i := range 2 {
			rows := texts([]string{"k"}, []string{"n"}, []any{nil, int64(i)})
			if _, err := c.Merge(ctx, "t", []string{"k"}, rows); err != nil {
				t.Fatal(err)
			}
			rows.Release()
		}
		if got := Show(mustRead(t, c, "SELECT k, n FROM t")); got != "\"k\" STRING: NULL\n\"n\" INT64: 1\n" {
			t.Errorf("got\n%s", got)
		}
	})
	h.run(t, "without a key rows are added", func(t *testing.T) {
		c := h.open(t)
		h.table(t, c, "t", "k text", "n bigint")
		for range 2 {
			rows := texts([]string{"k"}, nil, []any{"a"}, []any{"a"})
			if _, err := c.Merge(ctx, "t", nil, rows); err != nil {
				t.Fatal(err)
			}
			rows.Release()
		}
		if got := Show(mustRead(t, c, "SELECT COUNT(*) AS n FROM t")); got != "\"n\" INT64: 4\n" {
			t.Errorf("got %s", got)
		}
	})
	h.run(t, "no rows are nothing", func(t *testing.T) {
		c := h.open(t)
		h.table(t, c, "t", "k text")
		rows := texts([]string{"k"}, nil)
		defer rows.Release()
		if n, err := c.Merge(ctx, "t", []string{"k"}, rows); err != nil || n != 0 {
			t.Errorf("%d, %v", n, err)
		}
	})
	h.run(t, "all rows or none", func(t *testing.T) {
		c := h.open(t)
		h.table(t, c, "t", "k text", "n bigint")
		for _, key := range [][]string{nil, {"k"}} {
			rows := &breaking{RecordReader: texts([]string{"k"}, []string{"n"}, []any{"a", int64(1)})}
			if _, err := c.Merge(ctx, "t", key, rows); !errors.Is(err, errBroken) {
				t.Errorf("rows that end in an error: %v, want that error", err)
			}
			rows.Release()
		}
		if got := Show(mustRead(t, c, "SELECT COUNT(*) AS n FROM t")); got != "\"n\" INT64: 0\n" {
			t.Errorf("some rows were written: %s", got)
		}
	})
	h.run(t, "every type of badger's tables", h.writeTypes)
	h.run(t, "more rows than fit one batch", func(t *testing.T) {
		c := h.open(t)
		h.table(t, c, "t", "k text", "n bigint")
		rows := make([][]any, 5000)
		sum := int64(0)
		for i := range rows {
			rows[i] = []any{fmt.Sprintf("key number %d", i), int64(i)}
			sum += int64(i)
		}
		for range 2 {
			r := texts([]string{"k"}, []string{"n"}, rows...)
			if n, err := c.Merge(ctx, "t", []string{"k"}, r); err != nil || n != 5000 {
				t.Fatalf("%d, %v", n, err)
			}
			r.Release()
		}
		got := mustRead(t, c, "SELECT COUNT(*), SUM(n), COUNT(DISTINCT k) FROM t")
		if got.Columns[0].Value(0).Int() != 5000 || got.Columns[1].Value(0).String() != fmt.Sprint(sum) ||
			got.Columns[2].Value(0).Int() != 5000 {
			t.Errorf("got %s", Show(got))
		}
	})
	h.run(t, "what cannot be written", func(t *testing.T) {
		c := h.open(t)
		h.table(t, c, "t", "k text")
		for _, tc := range []struct {
			why, table string
			columns    []string
			key        []string
			want       errcode.Code
		}{
			{"no such table", "nothing_here", []string{"k"}, nil, errcode.NotFound},
			{"no such table, with a key", "nothing_here", []string{"k"}, []string{"k"}, errcode.NotFound},
			{"no such column", "t", []string{"k", "l"}, []string{"k"}, errcode.InvalidArgument},
			{"the key is not a column", "t", []string{"k"}, []string{"l"}, errcode.InvalidArgument},
			{"no table's name", "t; DROP TABLE t", []string{"k"}, nil, errcode.InvalidArgument},
		} {
			rows := texts(tc.columns, nil, make([]any, len(tc.columns)))
			if _, err := c.Merge(ctx, tc.table, tc.key, rows); code(c, err) != tc.want {
				t.Errorf("%s: %v (%v), want %v", tc.why, err, code(c, err), tc.want)
			}
			rows.Release()
		}
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		rows := texts([]string{"k"}, nil, []any{"a"})
		defer rows.Release()
		if _, err := c.Merge(cancelled, "t", nil, rows); code(c, err) != errcode.Cancelled {
			t.Errorf("cancelled: %v", err)
		}
	})
}

var errBroken = errors.New("the rows ended early")

// breaking is a reader of rows that ends with an error.
type breaking struct{ array.RecordReader }

func (b *breaking) Err() error { return errBroken }

func (h Harness) writeTypes(t *testing.T) {
	c := h.open(t)
	h.table(t, c, "t", "id bigint", "s text", "j json", "n bigint", "x double", "b boolean", "ts timestamp")
	fields := []arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "s", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "j", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "x", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "b", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
		{Name: "ts", Type: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, Nullable: true},
	}
	b := array.NewRecordBuilder(memory.NewGoAllocator(), arrow.NewSchema(fields, nil))
	defer b.Release()
	long := strings.Repeat("longer than any inlined text 😀 ", 200)
	for i := range 3 {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		if i == 1 {
			for f := 1; f < len(fields); f++ {
				b.Field(f).AppendNull()
			}
			continue
		}
		b.Field(1).(*array.StringBuilder).Append([]string{"", "", long}[i])
		b.Field(2).(*array.StringBuilder).Append([]string{`{"a": [1, null, "é"]}`, "", `"x"`}[i])
		b.Field(3).(*array.Int64Builder).Append([]int64{math.MinInt64, 0, math.MaxInt64}[i])
		b.Field(4).(*array.Float64Builder).Append([]float64{0.1, 0, 5e-324}[i])
		b.Field(5).(*array.BooleanBuilder).Append(i == 0)
		b.Field(6).(*array.TimestampBuilder).Append([]arrow.Timestamp{-1, 0, 1709251199999999}[i])
	}
	rec := b.NewRecord()
	defer rec.Release()
	// Slices too: the second one does not start at the beginning of its memory.
	for _, part := range []arrow.Record{rec.NewSlice(0, 1), rec.NewSlice(1, 3)} {
		r, err := array.NewRecordReader(part.Schema(), []arrow.Record{part})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Merge(context.Background(), "t", []string{"id"}, r); err != nil {
			t.Fatal(err)
		}
		r.Release()
		part.Release()
	}
	got := mustRead(t, c, "SELECT * FROM t ORDER BY id")
	for i, want := range [][]string{
		{"0", "1", "2"}, {"", "NULL", long}, {`{"a": [1, null, "é"]}`, "NULL", `"x"`},
		{"-9223372036854775808", "NULL", "9223372036854775807"},
		{"0.1", "NULL", "5e-324"}, {"true", "NULL", "false"},
		{"1969-12-31 23:59:59.999999Z", "NULL", "2024-02-29 23:59:59.999999Z"},
	} {
		for row := range want {
			v := got.Columns[i].Value(row).String()
			if fields[i].Name == "j" {
				// warehouses format JSON differently
				v, want[row] = strings.ReplaceAll(v, " ", ""), strings.ReplaceAll(want[row], " ", "")
			}
			if v != want[row] {
				t.Errorf("column %s, row %d: %.60q, want %.60q", fields[i].Name, row, v, want[row])
			}
		}
	}
	if h.Features.NULBytes {
		r := texts([]string{"s"}, []string{"id"}, []any{"a\x00b", int64(0)})
		defer r.Release()
		if _, err := c.Merge(context.Background(), "t", []string{"id"}, r); err != nil {
			t.Fatal(err)
		}
		if got := mustRead(t, c, "SELECT s FROM t WHERE id = 0"); got.Columns[0].Value(0).Text() != "a\x00b" {
			t.Errorf("a NUL byte: %s", Show(got))
		}
	}
}
