package resultfile

import (
	"encoding/base64"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/flight"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet/file"

	"github.com/badger-eval/badger/internal/arrowtable"
)

// withoutFixedSizes replaces lists of fixed size in the Arrow schema of a Parquet file (stream) by lists of any size.
// The library rejects a NULL in fixed-size lists, because it has no elements in Parquet. The table has lists as JSON,
// which does not need the size.
func withoutFixedSizes(f *file.Reader, stream []byte) error {
	s, err := flight.DeserializeSchema(stream, memory.NewGoAllocator())
	if err != nil {
		return arrowtable.Classify(err)
	}
	fields, changed := freed(s.Fields())
	if !changed {
		return nil
	}
	meta := s.Metadata()
	text := base64.StdEncoding.EncodeToString(
		flight.SerializeSchema(arrow.NewSchema(fields, &meta), memory.NewGoAllocator()))
	for _, kv := range f.MetaData().KeyValueMetadata() {
		if kv.Key == arrowSchemaKey {
			kv.Value = &text
		}
	}
	return nil
}

// freed returns fields with fixed-size lists replaced by lists of any size, and whether there were any.
func freed(fields []arrow.Field) (out []arrow.Field, changed bool) {
	out = make([]arrow.Field, len(fields))
	for i, f := range fields {
		var is bool
		f.Type, is = freedType(f.Type)
		out[i], changed = f, changed || is
	}
	return out, changed
}

func freedType(t arrow.DataType) (arrow.DataType, bool) {
	one := func(f arrow.Field) (arrow.Field, bool) {
		fields, changed := freed([]arrow.Field{f})
		return fields[0], changed
	}
	switch t := t.(type) {
	case *arrow.FixedSizeListType:
		f, _ := one(t.ElemField())
		return arrow.ListOfField(f), true
	case *arrow.ListType:
		if f, changed := one(t.ElemField()); changed {
			return arrow.ListOfField(f), true
		}
	case *arrow.LargeListType:
		if f, changed := one(t.ElemField()); changed {
			return arrow.LargeListOfField(f), true
		}
	case *arrow.StructType:
		if fields, changed := freed(t.Fields()); changed {
			return arrow.StructOf(fields...), true
		}
	case *arrow.MapType:
		if f, changed := one(t.ItemField()); changed {
			m := arrow.MapOf(t.KeyType(), f.Type)
			m.KeysSorted = t.KeysSorted
			m.SetItemNullable(f.Nullable)
			return m, true
		}
	}
	return t, false
}
