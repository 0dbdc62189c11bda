package bigquery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"strconv"
	"time"

	"cloud.google.com/go/bigquery/storage/apiv1/storagepb"
	"github.com/apache/arrow/go/v17/arrow"
	bq "google.golang.org/api/bigquery/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/badger-eval/badger/internal/errcode"
)

const (
	chunkBytes = 1 << 20 // of one append, which may be of 10 MB
	maxRow     = 9 << 20
	inFlight   = 4 // appends that are not confirmed yet
)

// writeStream makes a pending stream. A table that was made a moment ago may not be known
// everywhere yet.
func (c *Conn) writeStream(ctx context.Context, into *bq.TableReference, fresh bool) (string, error) {
	parent := fmt.Sprintf("projects/%s/datasets/%s/tables/%s", into.ProjectId, into.DatasetId, into.TableId)
	var stream *storagepb.WriteStream
	err := c.backoff.Do(ctx, func() error {
		return c.retry(ctx, func() (err error) {
			stream, err = c.write.CreateWriteStream(ctx, &storagepb.CreateWriteStreamRequest{Parent: parent, WriteStream: &storagepb.WriteStream{Type: storagepb.WriteStream_PENDING}})
			return err
		})
	}, func(err error) (bool, time.Duration) { return fresh && codeOf(err) == errcode.NotFound, 0 })
	return stream.GetName(), err
}

// chunk is an append: rows and where they begin in the stream.
type chunk struct {
	offset int64
	rows   [][]byte
}

// append sends rows through a pending stream and commits it. Appends carry their offset: one that
// is sent again is taken once.
func (m *merge) append(ctx context.Context, name string, numbered bool, next func() (arrow.Record, error)) error {
	ctx, done := context.WithCancel(ctx)
	defer done()
	encode := &encoder{m: m, numbered: numbered, next: next}
	defer encode.close()
	a := &appender{c: m.c, name: name, schema: &storagepb.ProtoSchema{ProtoDescriptor: m.descriptor(numbered)}}
	if err := a.all(ctx, encode.chunk); err != nil {
		return m.c.errorOf(err, m.c.subject())
	}
	var final *storagepb.FinalizeWriteStreamResponse
	err := m.c.retry(ctx, func() (err error) {
		final, err = m.c.write.FinalizeWriteStream(ctx, &storagepb.FinalizeWriteStreamRequest{Name: name})
		return err
	})
	if err != nil {
		return m.c.errorOf(err, m.c.subject())
	}
	if final.RowCount != m.plan.Rows {
		return m.plan.Error(errcode.DataLoss, "%d rows arrived of %d; nothing was written", final.RowCount, m.plan.Rows)
	}
	return m.c.errorOf(m.c.commit(ctx, name), m.c.subject())
}

// commit makes the rows of a stream seen. The stream is ours alone: one that is committed already
// is so by us, and the answer was lost.
func (c *Conn) commit(ctx context.Context, name string) error {
	parent, _, _ := cutLast(name, "/streams/")
	return c.retry(ctx, func() error {
		r, err := c.write.BatchCommitWriteStreams(ctx, &storagepb.BatchCommitWriteStreamsRequest{Parent: parent, WriteStreams: []string{name}})
		if err != nil {
			if storageCode(err) == storagepb.StorageError_STREAM_ALREADY_COMMITTED {
				return nil
			}
			return err
		}
		for _, e := range r.StreamErrors {
			if e.Code != storagepb.StorageError_STREAM_ALREADY_COMMITTED {
				return errcode.Because(errors.New(e.ErrorMessage), errcode.FailedPrecondition, "bigquery: the rows were not committed (%s)", e.Code)
			}
		}
		return nil
	})
}

func cutLast(s, sep string) (before, after string, ok bool) {
	for i := len(s) - len(sep); i >= 0; i-- {
		if s[i:i+len(sep)] == sep {
			return s[:i], s[i+len(sep):], true
		}
	}
	return s, "", false
}

// storageCode is the code that the Storage API attaches to an error.
func storageCode(err error) storagepb.StorageError_StorageErrorCode {
	s, _ := status.FromError(err)
	for _, d := range s.Details() {
		if e, ok := d.(*storagepb.StorageError); ok {
			return e.Code
		}
	}
	return storagepb.StorageError_STORAGE_ERROR_CODE_UNSPECIFIED
}

// appender keeps a connection to a stream.
type appender struct {
	c       *Conn
	name    string
	schema  *storagepb.ProtoSchema
	conn    storagepb.BigQueryWrite_AppendRowsClient // nil where it is broken
	end     context.CancelFunc
	first   bool    // nothing was sent on it
	pending []chunk // sent, or to be sent again; not confirmed
	sent    int     // of them on this connection
}

// all sends chunks until there are none, some of them ahead of their confirmation.
func (a *appender) all(ctx context.Context, chunk func() (*chunk, error)) error {
	defer a.drop()
	more := true
	for tries := 1; ; {
		for more && len(a.pending) < inFlight {
			next, err := chunk()
			if err != nil {
				return err
			}
			if next == nil {
				more = false
				break
			}
			a.pending = append(a.pending, *next)
		}
		if len(a.pending) == 0 {
			return nil
		}
		err := a.step(ctx)
		if err == nil {
			tries = 1
			continue
		}
		a.drop()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		lost := storageCode(err) == storagepb.StorageError_OFFSET_OUT_OF_RANGE || status.Code(err) == codes.OutOfRange
		if f := faultOf(err); !f.transient && !lost && f.code != errcode.Unauthenticated || tries > a.c.backoff.Times {
			return err
		}
		if err := a.c.backoff.Pause(ctx, tries, asked(err)); err != nil {
			return err
		}
		tries++
	}
}

// step sends what is pending and waits for one confirmation.
func (a *appender) step(ctx context.Context) error {
	if a.conn == nil {
		ctx, end := context.WithCancel(ctx)
		// The client routes other calls by what they name; a stream of calls names it in a header,
		// without which it is not found outside the US.
		conn, err := a.c.write.AppendRows(metadata.AppendToOutgoingContext(ctx, "x-goog-request-params", "write_stream="+url.QueryEscape(a.name)))
		if err != nil {
			end()
			return err
		}
		a.conn, a.end, a.first, a.sent = conn, end, true, 0
	}
	for ; a.sent < len(a.pending); a.sent++ {
		p := a.pending[a.sent]
		request := &storagepb.AppendRowsRequest{Offset: wrapperspb.Int64(p.offset), Rows: &storagepb.AppendRowsRequest_ProtoRows{ProtoRows: &storagepb.AppendRowsRequest_ProtoData{Rows: &storagepb.ProtoRows{SerializedRows: p.rows}}}}
		if a.first {
			request.WriteStream, request.TraceId, request.GetProtoRows().WriterSchema, a.first = a.name, "badger", a.schema, false
		}
		if err := a.conn.Send(request); err != nil {
			if errors.Is(err, io.EOF) { // why is what receiving tells
				if _, err := a.conn.Recv(); err != nil && !errors.Is(err, io.EOF) {
					return a.confirmed(err)
				}
			}
			return err
		}
	}
	r, err := a.conn.Recv()
	if err == nil && r.GetError() != nil {
		err = status.ErrorProto(r.GetError())
		if len(r.RowErrors) > 0 {
			return errcode.Because(err, errcode.InvalidArgument, "row %d of the rows was refused (%s)", a.pending[0].offset+r.RowErrors[0].Index+1, r.RowErrors[0].Code)
		}
	}
	if err != nil {
		return a.confirmed(err)
	}
	if at := r.GetAppendResult().GetOffset(); at != nil && at.Value != a.pending[0].offset {
		return errcode.New(errcode.DataLoss, "an append at row %d was confirmed at row %d", a.pending[0].offset, at.Value)
	}
	a.pop()
	return nil
}

// confirmed takes the error that an append arrived before for its confirmation.
func (a *appender) confirmed(err error) error {
	if storageCode(err) == storagepb.StorageError_OFFSET_ALREADY_EXISTS || status.Code(err) == codes.AlreadyExists {
		a.pop()
		a.drop() // what else is pending may not be in order on it
		return nil
	}
	return err
}

func (a *appender) pop() {
	a.pending = a.pending[1:]
	a.sent--
}

func (a *appender) drop() {
	if a.conn != nil {
		_ = a.conn.CloseSend() // it is given up
		a.end()
		a.conn, a.sent = nil, 0
	}
}

// protoTypes are those of proto2 for BigQuery's types; text is the rule.
var protoTypes = map[string]descriptorpb.FieldDescriptorProto_Type{
	"INTEGER": descriptorpb.FieldDescriptorProto_TYPE_INT64, "INT64": descriptorpb.FieldDescriptorProto_TYPE_INT64, "TIMESTAMP": descriptorpb.FieldDescriptorProto_TYPE_INT64,
	"FLOAT": descriptorpb.FieldDescriptorProto_TYPE_DOUBLE, "FLOAT64": descriptorpb.FieldDescriptorProto_TYPE_DOUBLE,
	"BOOLEAN": descriptorpb.FieldDescriptorProto_TYPE_BOOL, "BOOL": descriptorpb.FieldDescriptorProto_TYPE_BOOL, "BYTES": descriptorpb.FieldDescriptorProto_TYPE_BYTES,
}

// descriptor describes the rows as a proto2 message: field i+1 is column i; the row number follows.
func (m *merge) descriptor(numbered bool) *descriptorpb.DescriptorProto {
	d := &descriptorpb.DescriptorProto{Name: proto.String("Row")}
	add := func(name string, t descriptorpb.FieldDescriptorProto_Type) {
		f := &descriptorpb.FieldDescriptorProto{
			Name: proto.String(name), Number: proto.Int32(int32(len(d.Field) + 1)), Type: t.Enum(), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), //nolint:gosec // few
		}
		if !protoName(name) {
			f.Name, f.Options = proto.String("column_"+strconv.Itoa(len(d.Field)+1)), &descriptorpb.FieldOptions{}
			proto.SetExtension(f.Options, storagepb.E_ColumnName, name)
		}
		d.Field = append(d.Field, f)
	}
	for _, f := range m.columns {
		t, ok := protoTypes[f.Type]
		if !ok {
			t = descriptorpb.FieldDescriptorProto_TYPE_STRING
		}
		add(f.Name, t)
	}
	if numbered {
		add(rowNumber, descriptorpb.FieldDescriptorProto_TYPE_INT64)
	}
	return d
}

func protoName(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '_' && (c < '0' || c > '9' || i == 0) && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return s != ""
}

// encoder writes rows as proto messages, a chunk at a time.
type encoder struct {
	m        *merge
	numbered bool
	next     func() (arrow.Record, error)
	rec      arrow.Record
	cells    []toValue
	row      int
}

func (e *encoder) close() {
	if e.rec != nil {
		e.rec.Release()
		e.rec = nil
	}
}

// chunk is the next chunk, or nil.
func (e *encoder) chunk() (*chunk, error) {
	out := &chunk{offset: e.m.plan.Rows}
	for size := 0; size < chunkBytes; {
		if e.rec == nil || e.row == int(e.rec.NumRows()) {
			e.close()
			rec, err := e.next()
			if err != nil {
				return nil, err
			}
			if rec == nil {
				break
			}
			e.rec, e.row = rec, 0
			if e.cells, err = e.m.cells(rec); err != nil {
				return nil, err
			}
			continue
		}
		row, err := e.message()
		if err != nil {
			return nil, err
		}
		out.rows = append(out.rows, row)
		size += len(row)
		e.m.plan.Rows++
		e.row++
	}
	if len(out.rows) == 0 {
		return nil, nil
	}
	return out, nil
}

func (e *encoder) message() ([]byte, error) {
	var b []byte
	for col, f := range e.m.columns {
		v, err := e.m.cell(e.cells, e.rec, col, e.row)
		if err != nil {
			return nil, err
		}
		if v == nil {
			continue
		}
		number := protowire.Number(col + 1) //nolint:gosec // few
		switch protoTypes[f.Type] {
		case descriptorpb.FieldDescriptorProto_TYPE_INT64, descriptorpb.FieldDescriptorProto_TYPE_BOOL:
			b = protowire.AppendVarint(protowire.AppendTag(b, number, protowire.VarintType), uint64(v.n)) //nolint:gosec // as proto writes it
		case descriptorpb.FieldDescriptorProto_TYPE_DOUBLE:
			b = protowire.AppendFixed64(protowire.AppendTag(b, number, protowire.Fixed64Type), math.Float64bits(v.x))
		default:
			b = protowire.AppendString(protowire.AppendTag(b, number, protowire.BytesType), v.s)
		}
	}
	if e.numbered {
		b = protowire.AppendVarint(protowire.AppendTag(b, protowire.Number(len(e.m.columns)+1), protowire.VarintType), uint64(e.m.plan.Rows)) //nolint:gosec // few; not negative
	}
	if len(b) > maxRow {
		return nil, e.m.plan.Error(errcode.ResourceExhausted, "row %d is of %d bytes; BigQuery takes 10 MB", e.m.plan.Rows+1, len(b))
	}
	return b, nil
}
