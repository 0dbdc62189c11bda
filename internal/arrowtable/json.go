package arrowtable

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/scoring"
)

// maxNesting is the maximum depth of nested lists and structs, and maxJSON the maximum length of a value as JSON: a
// small array of views may represent a huge value.
const (
	maxNesting = 100
	maxJSON    = 1 << 28
	maxEscape  = 6 // maximum bytes in JSON of a byte of text
)

// jsonWriter writes nested values as JSON. Numbers keep every digit. NaN, infinities, dates, times and bytes become
// strings, as in inline results. A map becomes an object whose names are the map's keys as text.
type jsonWriter struct {
	reader
	b    []byte
	told int // length of b that memory was last reserved for
}

// room reserves memory for n more bytes of b, twice because the buffer is copied as it grows and again into the column.
// It must be called before they are written.
func (w *jsonWriter) room(n int) error {
	n += len(w.b)
	if w.beside == nil || n-w.told <= growStep {
		return nil
	}
	w.told = n
	return w.beside(2 * int64(n))
}

func (w *jsonWriter) value(arr arrow.Array, i int, k kind, depth int) error {
	if err := w.room(0); err != nil {
		return err
	}
	if ext, ok := arr.(array.ExtensionArray); ok {
		return w.value(ext.Storage(), i, kinds[ext.ExtensionType().ExtensionName()], depth)
	}
	switch {
	case depth > maxNesting:
		return errcode.New(errcode.ResourceExhausted, "nested deeper than %d", maxNesting)
	case len(w.b) > maxJSON:
		return errcode.New(errcode.ResourceExhausted, "a nested value of more than %d bytes as JSON", maxJSON)
	case arr.IsNull(i):
		w.b = append(w.b, "null"...)
		return nil
	}
	switch a := arr.(type) {
	case *array.Map:
		return w.object(a, i, depth)
	case array.ListLike:
		return w.list(a, i, depth)
	case *array.Struct:
		return w.structure(a, i, depth)
	case *array.Dictionary:
		return w.value(a.Dictionary(), a.GetValueIndex(i), k, depth+1)
	case *array.RunEndEncoded:
		return w.value(a.Values(), a.GetPhysicalIndex(i), k, depth+1)
	case *array.SparseUnion:
		return w.value(a.Field(a.ChildID(i)), i, kindOf(a.UnionType().Fields()[a.ChildID(i)]), depth+1)
	case *array.DenseUnion:
		return w.value(a.Field(a.ChildID(i)), int(a.ValueOffset(i)), kindOf(a.UnionType().Fields()[a.ChildID(i)]), depth+1)
	}
	v, err := w.reader.value(arr, i, k)
	if err == nil {
		err = w.room(maxEscape * len(v.Text()))
	}
	if err != nil {
		return err
	}
	w.scalar(v)
	return nil
}

func (w *jsonWriter) scalar(v scoring.Value) {
	bare := false
	switch v.Type {
	case scoring.Null:
		w.b = append(w.b, "null"...)
		return
	case scoring.Bool, scoring.Int64, scoring.Decimal:
		bare = true
	case scoring.Float64:
		bare = !math.IsNaN(v.Float()) && !math.IsInf(v.Float(), 0)
	case scoring.JSON:
		bare = isJSON(v.Text())
	}
	if bare {
		w.b = append(w.b, v.String()...)
		return
	}
	w.b = jsonscan.AppendString(w.b, v.String())
}

func (w *jsonWriter) list(a array.ListLike, i, depth int) error {
	items := a.ListValues()
	k := kindOf(elemField(a.DataType()))
	start, end := a.ValueOffsets(i)
	w.b = append(w.b, '[')
	for j := start; j < end; j++ {
		if j > start {
			w.b = append(w.b, ',')
		}
		if err := w.value(items, int(j), k, depth+1); err != nil {
			return err
		}
	}
	w.b = append(w.b, ']')
	return nil
}

func elemField(t arrow.DataType) arrow.Field {
	if l, ok := t.(arrow.ListLikeType); ok {
		return l.ElemField()
	}
	return arrow.Field{Type: arrow.Null}
}

func (w *jsonWriter) structure(a *array.Struct, i, depth int) error {
	fields := a.DataType().(*arrow.StructType).Fields()
	w.b = append(w.b, '{')
	for f := range a.NumField() {
		if f > 0 {
			w.b = append(w.b, ',')
		}
		w.b = jsonscan.AppendString(w.b, fields[f].Name)
		w.b = append(w.b, ':')
		if err := w.value(a.Field(f), i, kindOf(fields[f]), depth+1); err != nil {
			return err
		}
	}
	w.b = append(w.b, '}')
	return nil
}

func (w *jsonWriter) object(a *array.Map, i, depth int) error {
	t := a.DataType().(*arrow.MapType)
	start, end := a.ValueOffsets(i)
	w.b = append(w.b, '{')
	for j := start; j < end; j++ {
		if j > start {
			w.b = append(w.b, ',')
		}
		key := jsonWriter{reader: w.reader}
		if err := key.value(a.Keys(), int(j), kindOf(t.KeyField()), depth+1); err != nil {
			return err
		}
		if len(key.b) > 0 && key.b[0] == '"' {
			w.b = append(w.b, key.b...)
		} else { // numbers, nested keys: their text
			w.b = jsonscan.AppendString(w.b, key.b)
		}
		w.b = append(w.b, ':')
		if err := w.value(a.Items(), int(j), kindOf(t.ItemField()), depth+1); err != nil {
			return err
		}
	}
	w.b = append(w.b, '}')
	return nil
}
