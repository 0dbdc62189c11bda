package driverbase

import (
	"strings"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/internal/errcode"
)

// OneText reads the single string of a query's result, "" for NULL, and releases the reader. The error begins with
// the connector's name and has the code InvalidArgument if the result is not one row of one column.
func OneText(connector string, r array.RecordReader) (string, error) {
	defer r.Release()
	if n := r.Schema().NumFields(); n != 1 {
		return "", errcode.New(errcode.InvalidArgument, "%s: %d columns; expected one string", connector, n)
	}
	text, rows := "", int64(0)
	for rows <= 1 && r.Next() {
		col := r.Record().Column(0)
		if rows == 0 && col.Len() > 0 && !IsNull(col, 0) {
			text = strings.Clone(col.ValueStr(0)) // the record's memory is reused
		}
		rows += int64(col.Len())
	}
	switch err := r.Err(); {
	case err != nil && rows <= 1:
		return "", err
	case rows == 0:
		return "", errcode.New(errcode.InvalidArgument, "%s: no rows; expected one string", connector)
	case rows > 1:
		return "", errcode.New(errcode.InvalidArgument, "%s: several rows; expected one string", connector)
	}
	return text, nil
}
