package resultfile_test

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/flight"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
)

// A list of fixed size that is NULL, and one with NULL in it, are read from Parquet as any list.
func TestFixedSizeListsWithNull(t *testing.T) {
	elem := arrow.PrimitiveTypes.Int64
	for _, tc := range []struct {
		why          string
		typ, written arrow.DataType
		want         string
	}{
		{"a list", arrow.FixedSizeListOf(2, elem), arrow.ListOf(elem), "v JSON: [1,2]|NULL|[3,null]"},
		{"no list", elem, elem, "v INT64: 1|NULL|3"},
		{"in a list", arrow.ListOf(arrow.FixedSizeListOf(2, elem)), arrow.ListOf(arrow.ListOf(elem)), "v JSON: [[1,2],null]|NULL|[[3,null]]"},
		{"in a struct", arrow.StructOf(arrow.Field{Name: "a", Type: arrow.FixedSizeListOf(2, elem), Nullable: true}), arrow.StructOf(arrow.Field{Name: "a", Type: arrow.ListOf(elem), Nullable: true}), `v JSON: {"a":[1,2]}|{"a":null}|{"a":[3,null]}`},
	} {
		values := map[string]string{"a list": `[[1,2],null,[3,null]]`, "no list": `[1,null,3]`, "in a list": `[[[1,2],null],null,[[3,null]]]`, "in a struct": `[{"a":[1,2]},{"a":null},{"a":[3,null]}]`}[tc.why]
		column, _, err := array.FromJSON(memory.DefaultAllocator, tc.written, strings.NewReader(values))
		if err != nil {
			t.Fatal(err)
		}
		schema := func(typ arrow.DataType) *arrow.Schema {
			return arrow.NewSchema([]arrow.Field{{Name: "v", Type: typ, Nullable: true}}, nil)
		}
		record := array.NewRecord(schema(tc.written), []arrow.Array{column}, int64(column.Len()))
		var buf bytes.Buffer
		w, err := pqarrow.NewFileWriter(record.Schema(), &buf, parquet.NewWriterProperties(), pqarrow.NewArrowWriterProperties())
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(record); err != nil {
			t.Fatal(err)
		}
		if err := w.AppendKeyValueMetadata("ARROW:schema", base64.StdEncoding.EncodeToString(flight.SerializeSchema(schema(tc.typ), memory.DefaultAllocator))); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := read(t, "r.parquet", buf.String(), nil)
		if err != nil || show(got) != tc.want {
			t.Errorf("%s: %v, want %s", tc.why, err, tc.want)
			if err == nil {
				t.Error(show(got))
			}
		}
	}
}
