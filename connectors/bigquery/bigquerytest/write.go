package bigquerytest

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigquery/storage/apiv1/storagepb"
	bq "google.golang.org/api/bigquery/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// writeServer is the Storage Write API, of which it has pending streams.
type writeServer struct {
	storagepb.UnimplementedBigQueryWriteServer
	s *Server
}

// writeStream is a pending stream: rows that are not seen until it is committed.
type writeStream struct {
	mu        sync.Mutex
	table     *bq.TableReference
	fields    []*bq.TableFieldSchema // of the rows
	columns   []*descriptorpb.FieldDescriptorProto
	rows      *textRows
	n         int64
	final     bool
	committed bool
}

// refused is an error with the Storage API's own code.
func refused(code codes.Code, own storagepb.StorageError_StorageErrorCode, message string) *status.Status {
	s := status.New(code, message)
	if with, err := s.WithDetails(&storagepb.StorageError{Code: own, ErrorMessage: message}); err == nil {
		return with
	}
	return s
}

func (w *writeServer) CreateWriteStream(ctx context.Context, in *storagepb.CreateWriteStreamRequest) (*storagepb.WriteStream, error) {
	fault := w.s.fault("CreateWriteStream")
	if !w.s.allowed(authorizationOf(ctx)) {
		return nil, status.Error(codes.Unauthenticated, "Request had invalid authentication credentials.")
	}
	if fault.any() && !fault.Done {
		return nil, status.Error(fault.Code, fault.Message)
	}
	ref, err := tableIn(in.Parent)
	if err != nil {
		return nil, err
	}
	if _, _, _, err := w.s.tableOf(ctx, ref); err != nil {
		return nil, status.Error(codes.NotFound, err.Error())
	}
	if in.WriteStream.GetType() != storagepb.WriteStream_PENDING {
		return nil, status.Error(codes.Unimplemented, "pending streams only")
	}
	w.s.mu.Lock()
	w.s.next++
	name := fmt.Sprintf("%s/streams/%d", in.Parent, w.s.next)
	w.s.streams[name] = &writeStream{table: ref}
	w.s.mu.Unlock()
	if fault.any() {
		return nil, status.Error(fault.Code, fault.Message)
	}
	return &storagepb.WriteStream{Name: name, Type: storagepb.WriteStream_PENDING}, nil
}

func (w *writeServer) stream(name string) (*writeStream, error) {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	stream := w.s.streams[name]
	if stream == nil {
		return nil, refused(codes.NotFound, storagepb.StorageError_STREAM_NOT_FOUND, "no such stream").Err()
	}
	return stream, nil
}

func (w *writeServer) AppendRows(conn storagepb.BigQueryWrite_AppendRowsServer) error {
	fault := w.s.fault("AppendRows")
	if !w.s.allowed(authorizationOf(conn.Context())) {
		return status.Error(codes.Unauthenticated, "Request had invalid authentication credentials.")
	}
	var stream *writeStream
	for n := 0; ; n++ {
		in, err := conn.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if fault.any() && n == fault.Batches && !fault.Done {
			return status.Error(fault.Code, fault.Message)
		}
		if n == 0 {
			md, _ := metadata.FromIncomingContext(conn.Context())
			if params := md.Get("x-goog-request-params"); len(params) != 1 || params[0] != "write_stream="+url.QueryEscape(in.WriteStream) {
				return status.Error(codes.InvalidArgument, "the stream is not named in the header that routes the call")
			}
			if stream, err = w.stream(in.WriteStream); err != nil {
				return err
			}
		}
		answer, err := w.append(conn.Context(), stream, in)
		if err != nil {
			return err
		}
		if fault.any() && n == fault.Batches {
			return status.Error(fault.Code, fault.Message)
		}
		if err := conn.Send(answer); err != nil {
			return err
		}
	}
}

func (w *writeServer) append(ctx context.Context, stream *writeStream, in *storagepb.AppendRowsRequest) (*storagepb.AppendRowsResponse, error) {
	stream.mu.Lock()
	defer stream.mu.Unlock()
	if proto.Size(in) > 10<<20 {
		return nil, status.Error(codes.InvalidArgument, "an append of more than 10 MB")
	}
	data := in.GetProtoRows()
	if schema := data.GetWriterSchema(); schema != nil && stream.rows == nil {
		if err := w.describe(ctx, stream, schema.ProtoDescriptor); err != nil {
			return nil, err
		}
	}
	if stream.rows == nil || data == nil {
		return nil, status.Error(codes.InvalidArgument, "no schema of the writer")
	}
	failed := func(s *status.Status) (*storagepb.AppendRowsResponse, error) {
		return &storagepb.AppendRowsResponse{Response: &storagepb.AppendRowsResponse_Error{Error: s.Proto()}}, nil
	}
	at := in.Offset.GetValue()
	switch {
	case stream.final:
		return failed(refused(codes.InvalidArgument, storagepb.StorageError_STREAM_FINALIZED, "the stream is finalized"))
	case in.Offset != nil && at < stream.n:
		return failed(refused(codes.AlreadyExists, storagepb.StorageError_OFFSET_ALREADY_EXISTS, "the offset is within the stream"))
	case in.Offset != nil && at > stream.n:
		return failed(refused(codes.OutOfRange, storagepb.StorageError_OFFSET_OUT_OF_RANGE, "the offset is beyond the stream"))
	}
	for _, row := range data.Rows.GetSerializedRows() {
		if err := stream.row(row); err != nil {
			return nil, status.Error(codes.InvalidArgument, err.Error())
		}
	}
	out := &storagepb.AppendRowsResponse{Response: &storagepb.AppendRowsResponse_AppendResult_{AppendResult: &storagepb.AppendRowsResponse_AppendResult{Offset: wrapperspb.Int64(stream.n)}}}
	stream.n += int64(len(data.Rows.GetSerializedRows()))
	return out, nil
}

// describe finds the table's columns for the fields of a writer's message.
func (w *writeServer) describe(ctx context.Context, stream *writeStream, d *descriptorpb.DescriptorProto) error {
	t, _, _, err := w.s.tableOf(ctx, stream.table)
	if err != nil {
		return status.Error(codes.NotFound, err.Error())
	}
	for _, f := range d.Field {
		name := f.GetName()
		if proto.HasExtension(f.Options, storagepb.E_ColumnName) {
			name = proto.GetExtension(f.Options, storagepb.E_ColumnName).(string)
		}
		var column *bq.TableFieldSchema
		for _, c := range t.Schema.Fields {
			if strings.EqualFold(c.Name, name) {
				column = c
			}
		}
		if column == nil {
			return refused(codes.InvalidArgument, storagepb.StorageError_SCHEMA_MISMATCH_EXTRA_FIELDS, "a field that is no column").Err()
		}
		stream.fields = append(stream.fields, column)
	}
	stream.columns, stream.rows = d.Field, newTextRows(stream.fields)
	return nil
}

// row reads a message as its descriptor says.
func (w *writeStream) row(b []byte) error {
	for len(b) > 0 {
		number, wire, n := protowire.ConsumeTag(b)
		if n < 0 || int(number) > len(w.columns) {
			return errors.New("a malformed row")
		}
		b = b[n:]
		text, column := "", int(number)-1
		switch wire {
		case protowire.VarintType:
			v, n := protowire.ConsumeVarint(b)
			if n < 0 {
				return errors.New("a malformed row")
			}
			b = b[n:]
			switch {
			case w.columns[column].GetType() == descriptorpb.FieldDescriptorProto_TYPE_BOOL:
				text = strconv.FormatBool(v != 0)
			case w.fields[column].Type == "TIMESTAMP":
				text = time.UnixMicro(int64(v)).UTC().Format("2006-01-02 15:04:05.999999+00:00") //nolint:gosec // as proto writes it
			default:
				text = strconv.FormatInt(int64(v), 10) //nolint:gosec // as proto writes it
			}
		case protowire.Fixed64Type:
			v, n := protowire.ConsumeFixed64(b)
			if n < 0 {
				return errors.New("a malformed row")
			}
			b, text = b[n:], strconv.FormatFloat(math.Float64frombits(v), 'g', -1, 64)
		case protowire.BytesType:
			v, n := protowire.ConsumeBytes(b)
			if n < 0 {
				return errors.New("a malformed row")
			}
			b, text = b[n:], string(v)
			if w.columns[column].GetType() == descriptorpb.FieldDescriptorProto_TYPE_BYTES {
				text = base64.StdEncoding.EncodeToString(v)
			}
		default:
			return errors.New("a malformed row")
		}
		w.rows.set(column, text)
	}
	w.rows.end()
	return nil
}

func (w *writeServer) FinalizeWriteStream(_ context.Context, in *storagepb.FinalizeWriteStreamRequest) (*storagepb.FinalizeWriteStreamResponse, error) {
	fault := w.s.fault("FinalizeWriteStream")
	if fault.any() && !fault.Done {
		return nil, status.Error(fault.Code, fault.Message)
	}
	stream, err := w.stream(in.Name)
	if err != nil {
		return nil, err
	}
	stream.mu.Lock()
	defer stream.mu.Unlock()
	stream.final = true
	if fault.any() {
		return nil, status.Error(fault.Code, fault.Message)
	}
	return &storagepb.FinalizeWriteStreamResponse{RowCount: stream.n}, nil
}

func (w *writeServer) BatchCommitWriteStreams(ctx context.Context, in *storagepb.BatchCommitWriteStreamsRequest) (*storagepb.BatchCommitWriteStreamsResponse, error) {
	fault := w.s.fault("BatchCommitWriteStreams")
	if fault.any() && !fault.Done {
		return nil, status.Error(fault.Code, fault.Message)
	}
	out := &storagepb.BatchCommitWriteStreamsResponse{}
	for _, name := range in.WriteStreams {
		stream, err := w.stream(name)
		if err != nil {
			return nil, err
		}
		stream.mu.Lock()
		switch {
		case stream.committed:
			out.StreamErrors = append(out.StreamErrors, &storagepb.StorageError{Code: storagepb.StorageError_STREAM_ALREADY_COMMITTED, Entity: name})
		case !stream.final:
			out.StreamErrors = append(out.StreamErrors, &storagepb.StorageError{Code: storagepb.StorageError_INVALID_STREAM_STATE, Entity: name})
		default:
			if err := w.s.insertRows(ctx, stream.table, stream.fields, stream.rows); err != nil {
				stream.mu.Unlock()
				return nil, status.Error(codes.InvalidArgument, err.Error())
			}
			stream.committed = true
		}
		stream.mu.Unlock()
	}
	if len(out.StreamErrors) == 0 {
		out.CommitTime = timestamppb.Now()
	}
	if fault.any() {
		return nil, status.Error(fault.Code, fault.Message)
	}
	return out, nil
}
