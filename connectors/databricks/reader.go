package databricks

import (
	"bytes"
	"context"
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/databricks/internal/guard"
	"github.com/badger-eval/badger/connectors/databricks/internal/workspace"
	"github.com/badger-eval/badger/internal/account"
)

// part is some rows of a result: an Arrow stream, or one array for each column.
type part struct {
	stream io.Reader
	arrays []arrow.Array
	rows   int64 // number of rows that the service announced
}

// source returns the parts of a result in order.
type source interface {
	next(ctx context.Context) (*part, error) // nil at the end
	close(ctx context.Context)
}

// stream returns the records of a result from its parts.
type stream struct {
	c       *Conn
	mem     memory.Allocator
	source  source
	columns []column
	schema  *arrow.Schema

	part *ipc.Reader
	left int64 // number of rows of the part not yet returned
}

// Close releases the part and closes the source.
func (s *stream) Close(ctx context.Context) {
	if s.part != nil {
		s.part.Release()
		s.part = nil
	}
	s.source.close(ctx)
}

// Next returns the next nonempty record, or nil at the end, with its error made presentable.
func (s *stream) Next(ctx context.Context) (arrow.Record, error) {
	rec, err := s.next(ctx)
	return rec, s.c.errorOf(err)
}

// next returns the next nonempty record, or nil at the end.
func (s *stream) next(ctx context.Context) (rec arrow.Record, err error) {
	defer func() {
		if p := recover(); p != nil { // the decoder panics on malformed bytes
			rec, err = nil, workspace.Broken("its bytes are not an Arrow stream")
		}
	}()
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if s.part != nil {
			if s.left > 0 && s.part.Next() {
				rec, err := s.take(s.part.Record())
				if rec != nil || err != nil {
					return rec, err
				}
				continue
			}
			if err := s.part.Err(); err != nil && err != io.EOF { //nolint:errorlint // as the reader returns it
				return nil, workspace.Broken("its bytes are not an Arrow stream")
			}
			s.part.Release()
			s.part = nil
			if s.left > 0 {
				return nil, workspace.Broken("%d rows of a part are missing", s.left)
			}
		}
		p, err := s.source.next(ctx)
		if p == nil || err != nil {
			return nil, err
		}
		s.left = p.rows
		if p.arrays != nil {
			return s.assemble(p.arrays, p.rows)
		}
		if s.part, err = ipc.NewReader(account.ReadingOf(ctx).Reader(ctx, p.stream), ipc.WithAllocator(s.mem)); err != nil {
			s.part = nil
			return nil, workspace.Broken("its bytes are not an Arrow stream")
		}
		if n := len(s.part.Schema().Fields()); n != len(s.columns) {
			return nil, workspace.Broken("%d columns in its rows, %d in its description", n, len(s.columns))
		}
	}
}

// take returns the rows of a received record as one of the result, or nil if all announced rows are read. The service
// may send more rows than it announced; those are not part of the result.
func (s *stream) take(wire arrow.Record) (arrow.Record, error) {
	n := min(wire.NumRows(), s.left)
	s.left -= n
	if n == 0 {
		return nil, nil
	}
	arrays := make([]arrow.Array, len(s.columns))
	for i, col := range wire.Columns() {
		arrays[i] = array.NewSlice(col, 0, n)
	}
	return s.assemble(arrays, n)
}

// assemble returns a record of arrays, converted to the types of the schema, and releases them.
func (s *stream) assemble(arrays []arrow.Array, n int64) (rec arrow.Record, err error) {
	for i, arr := range arrays {
		if err != nil {
			arr.Release()
			arrays[i] = nil
			continue
		}
		arrays[i], err = s.retyped(i, arr)
	}
	if err == nil {
		rec = array.NewRecord(s.schema, arrays, n)
	}
	for _, arr := range arrays {
		if arr != nil {
			arr.Release()
		}
	}
	return rec, err
}

// stream returns a stream of a source. wire is the schema of the rows as they arrive, or nil if they arrive as text.
func (c *Conn) stream(src source, columns []column, wire *arrow.Schema) (*stream, error) {
	if wire != nil && len(wire.Fields()) != len(columns) {
		return nil, workspace.Broken("%d columns in its rows, %d in its description", len(wire.Fields()), len(columns))
	}
	fields := make([]arrow.Field, len(columns))
	for i := range columns {
		var t arrow.DataType = arrow.BinaryTypes.String
		if wire != nil {
			t = wire.Field(i).Type
		}
		fields[i] = columns[i].field(t)
	}
	return &stream{c: c, mem: c.mem, source: src, columns: columns, schema: arrow.NewSchema(fields, nil)}, nil
}

// result returns a stream of a statement's result.
func (c *Conn) result(ctx context.Context, op *guard.Statement) (*stream, error) {
	meta, err := op.Read(ctx)
	if err != nil {
		return nil, err
	}
	var wire *arrow.Schema
	if schema := meta.Bytes(1283); len(schema) > 0 {
		if wire, err = wireSchema(schema); err != nil {
			return nil, err
		}
	}
	return c.stream(streams{op}, columnsOf(meta, wire), wire)
}

// streams is the source of a statement's result, whose parts the driver returns.
type streams struct{ op *guard.Statement }

func (s streams) next(context.Context) (*part, error) {
	body, n, err := s.op.Next()
	if body == nil || err != nil {
		return nil, err
	}
	return &part{stream: body, rows: n}, nil
}

func (s streams) close(ctx context.Context) { s.op.Close(ctx) }

// wireSchema parses an Arrow schema message, which precedes a stream's batches.
func wireSchema(message []byte) (schema *arrow.Schema, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = workspace.Broken("its schema is not an Arrow schema")
		}
	}()
	r, err := ipc.NewReader(bytes.NewReader(message))
	if err != nil {
		return nil, workspace.Broken("its schema is not an Arrow schema")
	}
	defer r.Release()
	return r.Schema(), nil
}
