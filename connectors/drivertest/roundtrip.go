package drivertest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/sql/store"
)

// kept maps the types of badger's tables to the Arrow type that they are written as, and to two values that are easily
// corrupted, in the format of [scoring.Value].
var kept = map[driver.Type]struct {
	written arrow.DataType
	values  [2]string
}{
	driver.Text:    {arrow.BinaryTypes.String, [2]string{"", strings.Repeat("it's \"quoted\", a\\b\n😀 ", 100)}},
	driver.JSON:    {arrow.BinaryTypes.String, [2]string{`{"a":[1,null,"é"]}`, `"x"`}},
	driver.BigInt:  {arrow.PrimitiveTypes.Int64, [2]string{"-9223372036854775808", "9007199254740993"}},
	driver.Decimal: {&arrow.Decimal128Type{Precision: 38, Scale: 12}, [2]string{"9223372.036854775807", "0.000000000001"}},
	driver.Double:  {arrow.PrimitiveTypes.Float64, [2]string{"0.1", "5e-324"}},
	driver.Boolean: {arrow.FixedWidthTypes.Boolean, [2]string{"true", "false"}},
	driver.Timestamp: {&arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
		[2]string{"1969-12-31 23:59:59.999999Z", "2024-02-29 23:59:59.999999Z"}},
}

// roundTrips writes rows into each of badger's tables and reads them back, and then again with other values and the
// same keys. New tables, columns and types are included automatically.
func (h Harness) roundTrips(t *testing.T) {
	ctx := context.Background()
	c := h.open(t)
	if err := store.New(connectors.New(c, h.Dialect)).Install(ctx); err != nil {
		t.Fatal(err)
	}
	for i := range store.Tables {
		table := &store.Tables[i]
		if !sample.Takes(i, len(store.Tables), 3) {
			continue
		}
		h.run(t, table.Name, func(t *testing.T) {
			if err := c.Exec(ctx, "DELETE FROM "+table.FullName()+" WHERE 1 = 1"); err != nil { // the version of the tables
				t.Fatal(err)
			}
			for change := range 2 {
				rows, want := keptRows(t, table, change)
				_, err := c.Merge(ctx, table.FullName(), table.Key, rows)
				rows.Release()
				if err != nil {
					t.Fatal(err)
				}
				got := mustRead(t, c, "SELECT * FROM "+table.FullName()+" ORDER BY "+table.Key[0])
				if got.Rows() != len(want) || len(got.Columns) != len(table.Columns) {
					t.Fatalf("%d rows of %d columns, want %d of %d", got.Rows(), len(got.Columns), len(want), len(table.Columns))
				}
				for i, column := range table.Columns {
					for row := range want {
						v := got.Columns[i].Value(row).String()
						if column.Type == driver.JSON {
							v = strings.ReplaceAll(v, " ", "") // warehouses format JSON differently
						}
						if column.Type == driver.Decimal && strings.Contains(v, ".") {
							v = strings.TrimRight(v, "0") // a warehouse may return more decimals
						}
						if v != want[row][i] {
							t.Errorf("column %s, row %d: %.60q, want %.60q", column.Name, row, v, want[row][i])
						}
					}
				}
			}
		})
	}
}

// keptRows returns three rows of a table, in the order of the key: the first and the last have the two values of each
// type, which change exchanges, and the one between has NULLs.
func keptRows(t *testing.T, table *store.Table, change int) (rows array.RecordReader, texts [3][]string) {
	t.Helper()
	isKey := map[string]bool{}
	for _, name := range table.Key {
		isKey[name] = true
	}
	var fields []arrow.Field
	for _, column := range table.Columns {
		k, ok := kept[column.Type]
		if !ok {
			t.Fatalf("column %s: the suite has no values of type %s", column.Name, column.Type)
		}
		fields = append(fields, arrow.Field{Name: column.Name, Type: k.written, Nullable: true})
	}
	b := array.NewRecordBuilder(memory.NewGoAllocator(), arrow.NewSchema(fields, nil))
	defer b.Release()
	for row := range texts {
		for i, column := range table.Columns {
			text := kept[column.Type].values[(row/2+change)%2]
			switch {
			case isKey[column.Name]:
				text = fmt.Sprint(row)
			case row == 1:
				b.Field(i).AppendNull()
				texts[row] = append(texts[row], "NULL")
				continue
			}
			if err := b.Field(i).AppendValueFromString(text); err != nil {
				t.Fatal(err)
			}
			texts[row] = append(texts[row], text)
		}
	}
	rec := b.NewRecord()
	defer rec.Release()
	rows, err := array.NewRecordReader(rec.Schema(), []arrow.Record{rec})
	if err != nil {
		t.Fatal(err)
	}
	return rows, texts
}
