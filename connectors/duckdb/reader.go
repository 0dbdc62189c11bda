package duckdb

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"
	"sync/atomic"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/decimal256"
	"github.com/apache/arrow/go/v17/arrow/memory"
	duck "github.com/duckdb/duckdb-go/v2"

	"github.com/badger-eval/badger/internal/errcode"
)

const batchRows = 8192

// column is how one column of a result becomes Arrow.
type column struct {
	typ    arrow.DataType
	text   bool // asked for as text, because the driver's value would lose something or be a tree
	json   bool // asked for as JSON text
	append func(b array.Builder, v any) error
}

// columnOf chooses the form of a column by its type.
func columnOf(t duck.Type, info duck.TypeInfo) column {
	switch t {
	case duck.TYPE_BOOLEAN:
		return column{typ: arrow.FixedWidthTypes.Boolean, append: func(b array.Builder, v any) error {
			b.(*array.BooleanBuilder).Append(v.(bool)) //nolint:forcetypeassert // by type
			return nil
		}}
	case duck.TYPE_TINYINT, duck.TYPE_SMALLINT, duck.TYPE_INTEGER, duck.TYPE_BIGINT, duck.TYPE_UTINYINT, duck.TYPE_USMALLINT, duck.TYPE_UINTEGER:
		return column{typ: arrow.PrimitiveTypes.Int64, append: appendInt}
	case duck.TYPE_UBIGINT:
		return column{typ: arrow.PrimitiveTypes.Uint64, append: func(b array.Builder, v any) error {
			b.(*array.Uint64Builder).Append(v.(uint64)) //nolint:forcetypeassert // by type
			return nil
		}}
	case duck.TYPE_FLOAT:
		return column{typ: arrow.PrimitiveTypes.Float32, append: func(b array.Builder, v any) error {
			b.(*array.Float32Builder).Append(v.(float32)) //nolint:forcetypeassert // by type
			return nil
		}}
	case duck.TYPE_DOUBLE:
		return column{typ: arrow.PrimitiveTypes.Float64, append: func(b array.Builder, v any) error {
			b.(*array.Float64Builder).Append(v.(float64)) //nolint:forcetypeassert // by type
			return nil
		}}
	case duck.TYPE_HUGEINT, duck.TYPE_UHUGEINT:
		return column{typ: &arrow.Decimal256Type{Precision: 39}, append: func(b array.Builder, v any) error {
			n, ok := v.(*big.Int)
			if !ok {
				return fmt.Errorf("unexpected value of %T", v)
			}
			b.(*array.Decimal256Builder).Append(decimal256.FromBigInt(n)) //nolint:forcetypeassert // by type
			return nil
		}}
	case duck.TYPE_DECIMAL:
		if d, ok := info.Details().(*duck.DecimalDetails); ok {
			return column{typ: &arrow.Decimal128Type{Precision: int32(d.Width), Scale: int32(d.Scale)}, append: func(b array.Builder, v any) error {
				b.(*array.Decimal128Builder).Append(decimal128.FromBigInt(v.(duck.Decimal).Value)) //nolint:forcetypeassert // by type
				return nil
			}}
		}
	case duck.TYPE_VARCHAR, duck.TYPE_ENUM:
		return column{typ: arrow.BinaryTypes.String, text: true, append: appendText}
	case duck.TYPE_BLOB:
		return column{typ: arrow.BinaryTypes.Binary, append: func(b array.Builder, v any) error {
			b.(*array.BinaryBuilder).Append(v.([]byte)) //nolint:forcetypeassert // by type
			return nil
		}}
	case duck.TYPE_DATE:
		return column{typ: arrow.FixedWidthTypes.Date32, append: func(b array.Builder, v any) error {
			b.(*array.Date32Builder).Append(arrow.Date32(floorDays(v.(time.Time)))) //nolint:forcetypeassert // by type
			return nil
		}}
	case duck.TYPE_TIME:
		return column{typ: arrow.FixedWidthTypes.Time64us, append: func(b array.Builder, v any) error {
			t := v.(time.Time) //nolint:forcetypeassert // by type
			micros := int64(t.Hour()*3600+t.Minute()*60+t.Second())*1e6 + int64(t.Nanosecond()/1000)
			b.(*array.Time64Builder).Append(arrow.Time64(micros)) //nolint:forcetypeassert // by type
			return nil
		}}
	case duck.TYPE_TIMESTAMP, duck.TYPE_TIMESTAMP_S, duck.TYPE_TIMESTAMP_MS:
		return column{typ: &arrow.TimestampType{Unit: arrow.Microsecond}, append: appendMicros}
	case duck.TYPE_TIMESTAMP_TZ:
		return column{typ: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, append: appendMicros}
	case duck.TYPE_TIMESTAMP_NS:
		return column{typ: &arrow.TimestampType{Unit: arrow.Nanosecond}, append: func(b array.Builder, v any) error {
			b.(*array.TimestampBuilder).Append(arrow.Timestamp(v.(time.Time).UnixNano())) //nolint:forcetypeassert // by type
			return nil
		}}
	case duck.TYPE_LIST, duck.TYPE_ARRAY, duck.TYPE_STRUCT, duck.TYPE_MAP, duck.TYPE_UNION:
		return column{typ: arrow.BinaryTypes.String, json: true, append: appendText}
	case duck.TYPE_SQLNULL:
		return column{typ: arrow.Null, append: func(array.Builder, any) error { return errors.New("a NULL column holds a value") }}
	}
	return column{typ: arrow.BinaryTypes.String, text: true, append: appendText} // intervals, UUIDs, bits, times with a zone, …
}

func floorDays(t time.Time) int64 {
	secs := t.Unix()
	days := secs / 86400
	if secs%86400 < 0 {
		days--
	}
	return days
}

func appendMicros(b array.Builder, v any) error {
	b.(*array.TimestampBuilder).Append(arrow.Timestamp(v.(time.Time).UnixMicro())) //nolint:forcetypeassert // by type
	return nil
}

func appendInt(b array.Builder, v any) error {
	to := b.(*array.Int64Builder) //nolint:forcetypeassert // by type
	switch n := v.(type) {
	case int8:
		to.Append(int64(n))
	case int16:
		to.Append(int64(n))
	case int32:
		to.Append(int64(n))
	case int64:
		to.Append(n)
	case uint8:
		to.Append(int64(n))
	case uint16:
		to.Append(int64(n))
	case uint32:
		to.Append(int64(n))
	default:
		return fmt.Errorf("unexpected value of %T", v)
	}
	return nil
}

func appendText(b array.Builder, v any) error {
	s, ok := v.(string)
	if !ok {
		return fmt.Errorf("unexpected value of %T", v)
	}
	b.(*array.StringBuilder).Append(s) //nolint:forcetypeassert // by type
	return nil
}

// reader streams a result. It owns the connection it runs on.
type reader struct {
	refs    atomic.Int64
	conn    sqldriver.Conn
	stmt    *duck.Stmt
	rows    sqldriver.Rows
	schema  *arrow.Schema
	columns []column
	build   *array.RecordBuilder
	row     []sqldriver.Value
	record  arrow.Record
	err     error
	done    bool
}

func newReader(ctx context.Context, connector *duck.Connector, query string, args []any) (_ *reader, err error) {
	r := &reader{}
	r.refs.Store(1)
	defer func() {
		if err != nil {
			r.close()
		}
	}()
	if r.conn, err = connector.Connect(ctx); err != nil {
		return nil, err
	}
	if err := r.prepare(ctx, query); err != nil {
		return nil, err
	}
	n, err := r.stmt.ColumnCount()
	if err != nil {
		return nil, err
	}
	fields := make([]arrow.Field, n)
	for i := range n {
		name, err := r.stmt.ColumnName(i)
		if err != nil {
			return nil, err
		}
		t, err := r.stmt.ColumnType(i)
		if err != nil {
			return nil, err
		}
		var info duck.TypeInfo
		if t == duck.TYPE_DECIMAL {
			if info, err = r.stmt.ColumnTypeInfo(i); err != nil {
				return nil, err
			}
		}
		r.columns = append(r.columns, columnOf(t, info))
		fields[i] = arrow.Field{Name: name, Type: r.columns[i].typ, Nullable: true}
	}
	r.schema = arrow.NewSchema(fields, nil)
	if err := r.askForText(ctx, query); err != nil {
		return nil, err
	}
	r.build = array.NewRecordBuilder(memory.DefaultAllocator, r.schema)
	r.row = make([]sqldriver.Value, n)
	named := make([]sqldriver.NamedValue, len(args))
	for i, a := range args {
		named[i] = sqldriver.NamedValue{Ordinal: i + 1, Value: a}
	}
	r.rows, err = r.stmt.QueryContext(ctx, named)
	return r, err
}

func (r *reader) prepare(ctx context.Context, query string) error {
	p, ok := r.conn.(sqldriver.ConnPrepareContext)
	if !ok {
		return errcode.New(errcode.Internal, "the driver's connection prepares no statements")
	}
	s, err := p.PrepareContext(ctx, query)
	if err != nil {
		return err
	}
	r.stmt, ok = s.(*duck.Stmt)
	if !ok {
		return errcode.New(errcode.Internal, "the driver's statement is of another type")
	}
	return nil
}

// askForText prepares the query again where some columns are better asked for as text: nested ones as JSON, and those of which the driver's value is no text.
// Statements that cannot stand in a FROM clause are left as they are.
func (r *reader) askForText(ctx context.Context, query string) error {
	needed := false
	var names, exprs []string
	for i, c := range r.columns {
		name := fmt.Sprintf("c%d", i)
		names = append(names, name)
		switch {
		case c.json:
			needed = true
			exprs = append(exprs, "to_json("+name+")::VARCHAR")
		case c.text:
			needed = true
			exprs = append(exprs, name+"::VARCHAR")
		default:
			exprs = append(exprs, name)
		}
	}
	kind, err := r.stmt.StatementType()
	if err != nil || !needed || kind != duck.STATEMENT_TYPE_SELECT {
		return nil
	}
	plain := r.stmt
	wrapped := "SELECT " + strings.Join(exprs, ", ") + " FROM (" + strings.TrimRight(strings.TrimSpace(query), ";") + "\n) AS t(" + strings.Join(names, ", ") + ")"
	if err := r.prepare(ctx, wrapped); err != nil {
		r.stmt = plain // such as SHOW or a query that ends in a comment of its own kind
		return nil     //nolint:nilerr // the plain statement stands
	}
	return plain.Close()
}

// Schema is the result's.
func (r *reader) Schema() *arrow.Schema { return r.schema }

// Retain counts a user more.
func (r *reader) Retain() { r.refs.Add(1) }

// Release counts a user less and ends the statement with the last one.
func (r *reader) Release() {
	if r.refs.Add(-1) == 0 {
		r.close()
	}
}

func (r *reader) close() {
	if r.record != nil {
		r.record.Release()
		r.record = nil
	}
	if r.build != nil {
		r.build.Release()
	}
	if r.rows != nil {
		_ = r.rows.Close()
	}
	if r.stmt != nil {
		_ = r.stmt.Close()
	}
	if r.conn != nil {
		_ = r.conn.Close()
	}
}

// Record is the current batch, valid until the next call of Next.
func (r *reader) Record() arrow.Record { return r.record }

// Err is why Next ended early.
func (r *reader) Err() error { return r.err }

// Next moves to the next batch.
func (r *reader) Next() bool {
	if r.record != nil {
		r.record.Release()
		r.record = nil
	}
	if r.done || r.err != nil {
		return false
	}
	n := 0
	for n < batchRows {
		err := r.rows.Next(r.row)
		if errors.Is(err, io.EOF) {
			r.done = true
			break
		}
		if err != nil {
			r.err = err
			return false
		}
		for i, v := range r.row {
			b := r.build.Field(i)
			if v == nil {
				b.AppendNull()
				continue
			}
			if err := r.columns[i].append(b, v); err != nil {
				r.err = errcode.New(errcode.Internal, "column %d (%q): %w", i+1, r.schema.Field(i).Name, err)
				return false
			}
		}
		n++
	}
	if n == 0 {
		return false
	}
	r.record = r.build.NewRecord()
	return true
}
