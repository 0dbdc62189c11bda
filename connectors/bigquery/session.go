package bigquery

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"cloud.google.com/go/bigquery/storage/apiv1/storagepb"
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	bq "google.golang.org/api/bigquery/v2"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// session reads a table through the Storage Read API. Each stream is read by a goroutine that is at
// most one record ahead. A stream that breaks is opened again behind the last row that was handed
// on.
type session struct {
	c       *Conn
	schema  *arrow.Schema // what is handed on
	table   *bq.TableSchema
	what    string
	encoded []byte // the session's schema message

	records chan arrow.Record
	stop    context.CancelFunc
	wg      sync.WaitGroup

	mu  sync.Mutex
	err error
}

// session starts reading a table; nil where the account may not, and REST pages are to be read.
func (c *Conn) session(ctx context.Context, table *bq.TableReference, schema *bq.TableSchema, s *arrow.Schema, what string) (driverbase.Stream, error) {
	name := fmt.Sprintf("projects/%s/datasets/%s/tables/%s", table.ProjectId, table.DatasetId, table.TableId)
	request := &storagepb.CreateReadSessionRequest{
		Parent: "projects/" + c.o.BillingProject, MaxStreamCount: int32(c.o.Streams), //nolint:gosec // at most 1000
		ReadSession: &storagepb.ReadSession{
			Table: name, DataFormat: storagepb.DataFormat_ARROW,
			ReadOptions: &storagepb.ReadSession_TableReadOptions{OutputFormatSerializationOptions: &storagepb.ReadSession_TableReadOptions_ArrowSerializationOptions{
				ArrowSerializationOptions: &storagepb.ArrowSerializationOptions{PicosTimestampPrecision: storagepb.ArrowSerializationOptions_TIMESTAMP_PRECISION_PICOS},
			}},
		},
	}
	var rs *storagepb.ReadSession
	err := c.retry(ctx, func() (err error) {
		rs, err = c.read.CreateReadSession(ctx, request)
		return err
	})
	if err != nil {
		code := codeOf(err)
		refused := code == errcode.PermissionDenied || code == errcode.Unimplemented
		if c.o.Storage == StorageAuto && (refused || code == errcode.InvalidArgument || code == errcode.FailedPrecondition) {
			if refused {
				c.noRead.Store(true)
			}
			return nil, nil
		}
		return nil, c.errorOf(err, what+": the Storage Read API")
	}
	reading, stop := context.WithCancel(ctx)
	out := &session{c: c, schema: s, table: schema, what: what, encoded: rs.GetArrowSchema().GetSerializedSchema(), records: make(chan arrow.Record), stop: stop}
	for _, stream := range rs.Streams {
		out.wg.Go(func() { out.read(reading, stream.Name) })
	}
	go func() {
		out.wg.Wait()
		close(out.records)
	}()
	return out, nil
}

// Next returns the next record of whichever stream has one.
func (s *session) Next(ctx context.Context) (arrow.Record, error) {
	select {
	case rec, more := <-s.records:
		if more {
			return rec, nil
		}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil { // the streams have ended: by themselves, or because nobody waits any more
		return nil, ctx.Err()
	}
	return nil, s.err
}

// Close ends the goroutines and gives back what they had read.
func (s *session) Close(context.Context) {
	s.stop()
	for rec := range s.records {
		rec.Release()
	}
}

// fail keeps the first error and ends all streams.
func (s *session) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = s.c.errorOf(err, s.what)
	}
	s.stop()
}

// read reads one stream to its end.
func (s *session) read(ctx context.Context, name string) {
	offset := int64(0)
	for tries := 1; ; tries++ {
		start := offset
		err := s.from(ctx, name, &offset)
		if err == nil || ctx.Err() != nil {
			return
		}
		if offset > start {
			tries = 1 // it went on
		}
		if f := faultOf(err); !f.transient && f.code != errcode.Unauthenticated || tries > s.c.backoff.Times {
			s.fail(err)
			return
		}
		if s.c.backoff.Pause(ctx, tries, asked(err)) != nil {
			return
		}
	}
}

// from reads a stream from a row on, and moves the offset with each record that is taken.
func (s *session) from(ctx context.Context, name string, offset *int64) error {
	ctx, done := context.WithCancel(ctx)
	defer done()
	rows, err := s.c.read.ReadRows(ctx, &storagepb.ReadRowsRequest{ReadStream: name, Offset: *offset})
	if err != nil {
		return err
	}
	for {
		m, err := rows.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if m.RowCount == 0 {
			continue
		}
		rec, err := s.decode(m.GetArrowRecordBatch().GetSerializedRecordBatch(), m.RowCount)
		if err != nil {
			return err
		}
		select {
		case s.records <- rec:
			*offset += m.RowCount
		case <-ctx.Done():
			rec.Release()
			return ctx.Err()
		}
	}
}

// decode decodes a record batch message. Some servers send a whole stream with its schema for each
// batch.
func (s *session) decode(batch []byte, rows int64) (rec arrow.Record, err error) {
	malformed := func(cause error) error {
		return errcode.Because(cause, errcode.DataLoss, "bigquery: %s: a batch of the Storage Read API cannot be decoded as Arrow", s.what)
	}
	defer func() {
		if p := recover(); p != nil {
			err = malformed(fmt.Errorf("%v", p))
		}
	}()
	var in io.Reader = bytes.NewReader(batch)
	if !beginsWithSchema(batch) {
		in = io.MultiReader(bytes.NewReader(s.encoded), in)
	}
	r, err := ipc.NewReader(in, ipc.WithAllocator(s.c.mem))
	if err != nil {
		return nil, malformed(err)
	}
	defer r.Release()
	if !r.Next() {
		return nil, malformed(r.Err())
	}
	got := r.Record()
	if got.NumRows() != rows {
		return nil, malformed(fmt.Errorf("%d rows", got.NumRows()))
	}
	return s.adopt(got)
}

// schemaHeader is the number that an Arrow message with a schema has as the type of its header.
const schemaHeader = 1

// beginsWithSchema tells whether IPC bytes begin with a schema message: it reads the flatbuffer's
// second field, the header's type.
func beginsWithSchema(b []byte) bool {
	if len(b) < 8 || binary.LittleEndian.Uint32(b) != 0xffffffff {
		return false
	}
	size := int64(binary.LittleEndian.Uint32(b[4:]))
	if b = b[8:]; size < 4 || size > int64(len(b)) {
		return false
	}
	b = b[:size]
	at := func(pos int64, n int64) bool { return pos >= 0 && pos+n <= size }
	root := int64(binary.LittleEndian.Uint32(b))
	if !at(root, 4) {
		return false
	}
	vtable := root - int64(int32(binary.LittleEndian.Uint32(b[root:]))) //nolint:gosec // it is signed
	if !at(vtable, 8) || binary.LittleEndian.Uint16(b[vtable:]) < 8 {
		return false
	}
	field := root + int64(binary.LittleEndian.Uint16(b[vtable+6:]))
	return field > root && at(field, 1) && b[field] == schemaHeader
}

// adopt gives a record the schema of the result: its names, and which texts are JSON. Other types
// than those of the table are drift.
func (s *session) adopt(rec arrow.Record) (arrow.Record, error) {
	if int(rec.NumCols()) != s.schema.NumFields() {
		return nil, errcode.New(errcode.DataLoss, "bigquery: %s: the table was changed while it was read: %d columns became %d; read it again", s.what, s.schema.NumFields(), rec.NumCols())
	}
	columns := make([]arrow.Array, rec.NumCols())
	defer func() {
		for _, c := range columns {
			if c != nil {
				c.Release()
			}
		}
	}()
	for i, f := range s.schema.Fields() {
		col := rec.Column(i)
		if rec.ColumnName(i) != f.Name {
			return nil, errcode.New(errcode.DataLoss, "bigquery: %s: the table was changed while it was read: column %d was %q and is %q; read it again", s.what, i+1, f.Name, rec.ColumnName(i))
		}
		if text, ok := col.(*array.String); ok && s.table.Fields[i].Type == "INTERVAL" && s.table.Fields[i].Mode != "REPEATED" {
			if columns[i], ok = intervalTexts(text, s.c.mem); ok {
				continue
			}
		}
		data, ok := retyped(col.Data(), f.Type, s.c.mem)
		if !ok {
			return nil, errcode.New(errcode.DataLoss, "bigquery: %s: column %q: batches of type %s, expected %s; the table may have been changed while it was read", s.what, f.Name, col.DataType(), f.Type)
		}
		columns[i] = array.MakeFromData(data)
		data.Release()
	}
	return array.NewRecord(s.schema, columns, rec.NumRows()), nil
}
