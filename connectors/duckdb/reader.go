package duckdb

import (
	"context"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/badger-eval/badger/connectors/duckdb/internal/vector"
	"github.com/badger-eval/badger/internal/errcode"
)

// stream returns a result as records of one chunk (at most 2,048 rows) each. The engine computes them as they are read.
type stream struct {
	session  *session
	prepared mapping.PreparedStatement
	result   mapping.Result
	done     func() // releases the session

	schema  *arrow.Schema
	columns []vector.Column
}

// init determines the schema of the result.
func (s *stream) init() error {
	n := int(mapping.ColumnCount(&s.result)) //nolint:gosec // few
	if mapping.ResultReturnType(s.result) == mapping.ResultTypeNothing {
		n = 0
	}
	fields := make([]arrow.Field, n)
	s.columns = make([]vector.Column, n)
	for i := range n {
		at := mapping.IdxT(i) //nolint:gosec // few
		name := mapping.ColumnName(&s.result, at)
		t := mapping.ColumnLogicalType(&s.result, at)
		c, err := vector.NewColumn(t, s.session.db.mem)
		mapping.DestroyLogicalType(&t)
		if err != nil {
			return errcode.New(errcode.Of(err), "duckdb: column %d (%q): %w", i+1, name, err)
		}
		s.columns[i] = c
		fields[i] = c.Field()
		fields[i].Name = name
	}
	s.schema = arrow.NewSchema(fields, nil)
	return nil
}

// Next returns the next chunk as a record, or nil at the end.
func (s *stream) Next(ctx context.Context) (arrow.Record, error) {
	var chunk mapping.DataChunk
	defer func() { mapping.DestroyDataChunk(&chunk) }()
	err := s.session.run(ctx, func() error {
		if chunk = mapping.FetchChunk(s.result); chunk.Ptr == nil {
			if message := mapping.ResultError(&s.result); message != "" {
				return s.session.db.errorOf(message)
			}
		}
		return nil
	})
	if chunk.Ptr == nil || err != nil {
		return nil, err
	}
	return s.record(chunk)
}

func (s *stream) record(chunk mapping.DataChunk) (arrow.Record, error) {
	n := int(mapping.DataChunkGetSize(chunk)) //nolint:gosec // 2048 at most
	arrays := make([]arrow.Array, len(s.columns))
	defer func() {
		for _, a := range arrays {
			if a != nil {
				a.Release()
			}
		}
	}()
	for i := range s.columns {
		v := mapping.DataChunkGetVector(chunk, mapping.IdxT(i)) //nolint:gosec // few
		data, err := s.columns[i].Read(v, n)
		if err != nil {
			return nil, errcode.New(errcode.Of(err), "duckdb: column %d (%q): %w", i+1, s.schema.Field(i).Name, err)
		}
		arrays[i] = array.MakeFromData(data)
		data.Release()
	}
	return array.NewRecord(s.schemaOf(arrays), arrays, int64(n)), nil
}

// schemaOf returns the result's schema, or one with the arrays' types if those of this record differ, as timestamp
// units can.
func (s *stream) schemaOf(arrays []arrow.Array) *arrow.Schema {
	var fields []arrow.Field
	for i, a := range arrays {
		if a.DataType() == s.schema.Field(i).Type || arrow.TypeEqual(a.DataType(), s.schema.Field(i).Type) {
			continue
		}
		if fields == nil {
			fields = s.schema.Fields()
		}
		fields[i].Type = a.DataType()
	}
	if fields == nil {
		return s.schema
	}
	return arrow.NewSchema(fields, nil)
}

// Close releases the result and the session.
func (s *stream) Close(context.Context) {
	for i := range s.columns {
		s.columns[i].Release()
	}
	mapping.DestroyResult(&s.result)
	mapping.DestroyPrepare(&s.prepared)
	s.done()
}
