package driverbase

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
)

// checkJSON finds a value that is marked as JSON and is none, also inside lists and structs. Whoever
// reads it would compare its text instead.
func checkJSON(rec arrow.Record) error {
	for i, f := range rec.Schema().Fields() {
		if row := notJSON(f, rec.Column(i)); row >= 0 {
			return errcode.New(errcode.DataLoss, "column %d (%q): value %d of a record is marked as JSON and is none; cast the column to text", i+1, f.Name, row+1)
		}
	}
	return nil
}

// notJSON is the index of a value that is marked as JSON and is none, and -1 where all are.
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
	case *array.Map: // before lists, which it is one of
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
