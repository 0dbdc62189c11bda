package driverbase

import (
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
)

// withJSON returns a record whose values marked as JSON are valid JSON, and releases rec. In columns of strings it
// replaces words such as NaN, which engines write but JSON lacks. It returns an error if a marked value, also one
// inside lists or structs, is not valid JSON then.
func withJSON(rec arrow.Record) (arrow.Record, error) {
	var columns []arrow.Array
	for i, f := range rec.Schema().Fields() {
		arr := rec.Column(i)
		row := notJSON(f, arr)
		if a, ok := arr.(*array.String); ok && row >= 0 {
			written := writtenAsJSON(a)
			defer written.Release()
			if columns == nil {
				columns = slices.Clone(rec.Columns())
			}
			columns[i] = written
			row = notJSON(f, written)
		}
		if row >= 0 {
			rec.Release()
			return nil, errcode.New(errcode.DataLoss,
				"column %d (%q): value %d of a record is marked as JSON but is not valid JSON; cast the column to text", i+1,
				f.Name, row+1)
		}
	}
	if columns == nil {
		return rec, nil
	}
	defer rec.Release()
	return array.NewRecord(rec.Schema(), columns, rec.NumRows()), nil
}

// notJSON returns the index of the first value in arr that is marked as JSON but is not valid JSON, or -1.
func notJSON(f arrow.Field, arr arrow.Array) int {
	switch a := arr.(type) {
	case *array.String:
		if !Marked(f, JSON) {
			return -1
		}
		var s jsonscan.Scanner
		for i := range a.Len() {
			if a.IsNull(i) {
				continue
			}
			s.Reset([]byte(a.Value(i)))
			if _, err := s.Skip(); err != nil || s.End() != nil {
				return i
			}
		}
	case *array.Struct:
		for i, child := range a.DataType().(*arrow.StructType).Fields() {
			if row := notJSON(child, a.Field(i)); row >= 0 {
				return row
			}
		}
	case *array.Map: // before lists, as it is also one
		if row := notJSON(a.DataType().(*arrow.MapType).KeyField(), a.Keys()); row >= 0 {
			return row
		}
		return notJSON(a.DataType().(*arrow.MapType).ItemField(), a.Items())
	case array.ListLike:
		if t, ok := a.DataType().(arrow.ListLikeType); ok {
			return notJSON(t.ElemField(), a.ListValues())
		}
	}
	return -1
}

func writtenAsJSON(a *array.String) arrow.Array {
	b := array.NewStringBuilder(memory.NewGoAllocator())
	defer b.Release()
	for i := range a.Len() {
		if a.IsNull(i) {
			b.AppendNull()
		} else {
			b.Append(asJSON(a.Value(i)))
		}
	}
	return b.NewArray()
}

// foreign are the words that engines write into semi-structured values but JSON lacks, and their replacements.
// Snowflake writes undefined for a NULL element; the others are doubles. Longer words precede their suffixes.
var foreign = []struct{ word, json string }{{"undefined", "null"}, {"-Infinity", `"-Infinity"`},
	{"Infinity", `"Infinity"`}, {"NaN", `"NaN"`}}

// asJSON replaces the words of foreign outside strings with their JSON values.
func asJSON(text string) string {
	var b strings.Builder
	for quoted := false; text != ""; {
		n, json := 1, text[:1]
		switch c := text[0]; {
		case c == '\\' && quoted && len(text) > 1:
			n, json = 2, text[:2]
		case c == '"':
			quoted = !quoted
		case !quoted:
			for _, f := range foreign {
				if strings.HasPrefix(text, f.word) {
					n, json = len(f.word), f.json
					break
				}
			}
		}
		b.WriteString(json)
		text = text[n:]
	}
	return b.String()
}
