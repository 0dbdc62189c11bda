package sqlite

import (
	"context"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/badger-eval/badger/internal/errcode"
)

// The maximum number of rows and bytes of a record. A single row may have more bytes.
const (
	batchRows  = 1024
	batchBytes = 1 << 20
)

// rows is a stream of the records of a result. The statement is at the row to read next, or at the end.
type rows struct {
	conn    *Conn
	session *session
	stmt    uintptr
	done    bool
	next    int64 // bytes of the row to read next

	schema  *arrow.Schema
	columns []column
}

// newRows runs a statement up to its first row. After an error the caller still owns the session.
func newRows(ctx context.Context, c *Conn, s *session, sql string, args []any) (*rows, error) {
	r := &rows{conn: c, session: s}
	err := s.run(ctx, func() (err error) {
		if r.stmt, err = s.query(sql, args); err != nil {
			return err
		}
		return r.step()
	})
	if err != nil {
		sqlite3.Xsqlite3_finalize(s.tls, r.stmt)
		return nil, err
	}
	r.columns = make([]column, sqlite3.Xsqlite3_column_count(s.tls, r.stmt))
	fields := make([]arrow.Field, len(r.columns))
	for i := range fields {
		name := libc.GoString(sqlite3.Xsqlite3_column_name(s.tls, r.stmt, int32(i))) //nolint:gosec // few
		fields[i] = arrow.Field{Name: strings.ToValidUTF8(name, "\uFFFD"), Type: arrow.Null, Nullable: true}
		if !r.done {
			fields[i].Type = classTypes[r.class(int32(i))] //nolint:gosec // few
		}
	}
	r.schema = arrow.NewSchema(fields, nil)
	return r, nil
}

// class returns the storage class of a value of the current row.
func (r *rows) class(column int32) class {
	return classes[sqlite3.Xsqlite3_column_type(r.session.tls, r.stmt, column)]
}

// step moves the statement to the next row and counts its bytes.
func (r *rows) step() error {
	s := r.session
	switch rc := sqlite3.Xsqlite3_step(s.tls, r.stmt); rc {
	case sqlite3.SQLITE_ROW:
	case sqlite3.SQLITE_DONE:
		r.done, r.next = true, 0
		if s.file.changed(s.state) {
			return s.file.error(errcode.Unavailable, "the file was written to while it was read; try again")
		}
		return nil
	default:
		return s.failure(rc)
	}
	r.next = 0
	for i := range sqlite3.Xsqlite3_column_count(s.tls, r.stmt) {
		if c := r.class(i); c == classText || c == classBlob {
			r.next += int64(sqlite3.Xsqlite3_column_bytes(s.tls, r.stmt, i))
		}
	}
	if r.next > rowLimit {
		return s.file.error(errcode.ResourceExhausted, "a row has %d bytes; the limit is %d", r.next, rowLimit)
	}
	return nil
}

// NextBytes returns an upper bound of the memory for the next record and the buffers that its values are gathered in.
func (r *rows) NextBytes() int64 {
	return 2 * (max(batchBytes, r.next) + int64(len(r.columns))*batchRows*16)
}

// Next returns the next record, or nil at the end.
func (r *rows) Next(ctx context.Context) (arrow.Record, error) {
	n, size := 0, int64(0)
	err := r.session.run(ctx, func() error {
		for !r.done && n < batchRows && (n == 0 || size+r.next <= batchBytes) {
			n, size = n+1, size+r.next
			for i := range r.columns {
				if err := r.columns[i].read(r, int32(i)); err != nil { //nolint:gosec // few
					return err
				}
			}
			if err := r.step(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || n == 0 {
		return nil, err
	}
	fields, arrays := r.schema.Fields(), make([]arrow.Array, len(r.columns))
	for i := range arrays {
		arrays[i] = r.columns[i].array(r.conn.mem)
		defer arrays[i].Release()
		fields[i].Type = arrays[i].DataType()
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), arrays, int64(n)), nil
}

// Close closes the statement and releases the session.
func (r *rows) Close(context.Context) {
	sqlite3.Xsqlite3_finalize(r.session.tls, r.stmt)
	r.conn.release(r.session)
}

// class is a storage class.
type class int8

const (
	classNull class = iota
	classInteger
	classReal
	classText
	classBlob
)

var (
	classes = [...]class{
		sqlite3.SQLITE_INTEGER: classInteger,
		sqlite3.SQLITE_FLOAT:   classReal,
		sqlite3.SQLITE_TEXT:    classText,
		sqlite3.SQLITE_BLOB:    classBlob,
		sqlite3.SQLITE_NULL:    classNull,
	}
	classTypes = [...]arrow.DataType{
		classNull:    arrow.Null,
		classInteger: arrow.PrimitiveTypes.Int64,
		classReal:    arrow.PrimitiveTypes.Float64,
		classText:    arrow.BinaryTypes.String,
		classBlob:    arrow.BinaryTypes.Binary,
	}
	classNames = [...]string{
		classNull:    "null",
		classInteger: "integer",
		classReal:    "real",
		classText:    "text",
		classBlob:    "blob",
	}
)

// column gathers the values of one column for a record.
type column struct {
	classes []class
	words   []int64 // numbers, or the lengths of strings and blobs
	bytes   []byte  // strings and blobs
	have    [len(classTypes)]int
	wide    bool // an integer is not exact as a double
}

// read appends the column's value in the current row. Text that is invalid UTF-8 becomes a blob.
func (c *column) read(r *rows, at int32) error {
	tls, stmt := r.session.tls, r.stmt
	is, word := r.class(at), int64(0)
	switch is {
	case classInteger:
		word = sqlite3.Xsqlite3_column_int64(tls, stmt, at)
		c.wide = c.wide || word < -1<<53 || word > 1<<53
	case classReal:
		word = int64(math.Float64bits(sqlite3.Xsqlite3_column_double(tls, stmt, at))) //nolint:gosec // bits
	case classText, classBlob:
		p := uintptr(0)
		if is == classText {
			p = sqlite3.Xsqlite3_column_text(tls, stmt, at)
		} else {
			p = sqlite3.Xsqlite3_column_blob(tls, stmt, at)
		}
		word = int64(sqlite3.Xsqlite3_column_bytes(tls, stmt, at))
		if p == 0 {
			if rc := sqlite3.Xsqlite3_errcode(tls, r.session.db); is == classText || rc&0xff == sqlite3.SQLITE_NOMEM {
				return r.session.failure(rc)
			}
			word = 0 // an empty blob
			break
		}
		value := libc.GoBytes(p, int(word))
		if is == classText && !utf8.Valid(value) {
			is = classBlob
		}
		c.bytes = append(c.bytes, value...)
	}
	c.classes, c.words = append(c.classes, is), append(c.words, word)
	c.have[is]++
	return nil
}

// array returns the gathered values as an array, and clears them. Its type is that of their storage class, or a union
// if they have several. Integers among doubles are doubles if all of them are exact.
func (c *column) array(mem memory.Allocator) arrow.Array {
	defer func() {
		c.classes, c.words, c.have, c.wide = c.classes[:0], c.words[:0], [len(classTypes)]int{}, false
		if c.bytes = c.bytes[:0]; cap(c.bytes) > 2*batchBytes {
			c.bytes = nil
		}
	}()
	if c.have[classReal] > 0 && !c.wide && c.have[classText]+c.have[classBlob] == 0 {
		for i, is := range c.classes {
			if is == classInteger {
				c.classes[i] = classReal
				c.words[i] = int64(math.Float64bits(float64(c.words[i]))) //nolint:gosec // bits
			}
		}
		c.have[classInteger] = 0
	}
	var present []class
	for is := classInteger; is <= classBlob; is++ {
		if c.have[is] > 0 {
			present = append(present, is)
		}
	}
	if len(present) == 0 {
		return array.NewNull(len(c.classes))
	}
	if len(present) == 1 {
		b := array.NewBuilder(mem, classTypes[present[0]])
		defer b.Release()
		b.Reserve(len(c.classes))
		c.fill(func(class) array.Builder { return b })
		return b.NewArray()
	}
	var fields []arrow.Field
	var codes []arrow.UnionTypeCode
	places := [len(classTypes)]int{}
	for i, is := range present {
		fields = append(fields, arrow.Field{Name: classNames[is], Type: classTypes[is], Nullable: true})
		codes, places[is] = append(codes, arrow.UnionTypeCode(is)), i
	}
	b := array.NewDenseUnionBuilder(mem, arrow.DenseUnionOf(fields, codes))
	defer b.Release()
	c.fill(func(is class) array.Builder {
		if is == classNull {
			is = present[0] // NULL may be in any child
		}
		b.Append(arrow.UnionTypeCode(is))
		return b.Child(places[is])
	})
	return b.NewArray()
}

// fill appends each value to the builder of its class.
func (c *column) fill(of func(class) array.Builder) {
	at := int64(0)
	for i, is := range c.classes {
		b, word := of(is), c.words[i]
		switch is {
		case classNull:
			b.AppendNull()
		case classInteger:
			b.(*array.Int64Builder).Append(word) //nolint:forcetypeassert // of the class
		case classReal:
			b.(*array.Float64Builder).Append(math.Float64frombits(uint64(word))) //nolint:forcetypeassert,gosec // bits
		case classText:
			b.(*array.StringBuilder).BinaryBuilder.Append(c.bytes[at : at+word]) //nolint:forcetypeassert // of the class
			at += word
		case classBlob:
			b.(*array.BinaryBuilder).Append(c.bytes[at : at+word]) //nolint:forcetypeassert // of the class
			at += word
		}
	}
}
