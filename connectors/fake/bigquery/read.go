package bigquery

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"cloud.google.com/go/bigquery/storage/apiv1/storagepb"
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	bq "google.golang.org/api/bigquery/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// readServer implements the Storage Read API.
type readServer struct {
	storagepb.UnimplementedBigQueryReadServer
	s *Server
}

func (r *readServer) CreateReadSession(ctx context.Context,
	in *storagepb.CreateReadSessionRequest) (*storagepb.ReadSession, error) {
	s := r.s
	fault := s.fault("CreateReadSession")
	if !s.allowed(authorizationOf(ctx)) {
		return nil, status.Error(codes.Unauthenticated, "Request had invalid authentication credentials.")
	}
	if fault.any() && !fault.Done {
		return nil, status.Error(fault.Code, fault.Message)
	}
	table, err := tableIn(in.ReadSession.GetTable())
	if err != nil {
		return nil, err
	}
	t, name, j, err := s.tableOf(ctx, table)
	if err != nil {
		return nil, status.Error(codes.NotFound, err.Error())
	}
	if t.Type == "VIEW" {
		return nil, status.Error(codes.InvalidArgument,
			"request failed: non-table entities cannot be read with the storage API")
	}
	schema, err := s.sentSchema(ctx, t, name, j)
	if err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	if fault.any() {
		return nil, status.Error(fault.Code, fault.Message)
	}
	encoded, err := schemaBytes(schema)
	if err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	out := &storagepb.ReadSession{
		Name: "session", Table: in.ReadSession.Table, DataFormat: storagepb.DataFormat_ARROW,
		Schema: &storagepb.ReadSession_ArrowSchema{ArrowSchema: &storagepb.ArrowSchema{SerializedSchema: encoded}},
	}
	if t.NumRows == 0 {
		return out, nil // like BigQuery: no streams
	}
	n := max(in.MaxStreamCount, 1)
	for i := range n {
		out.Streams = append(out.Streams, &storagepb.ReadStream{Name: fmt.Sprintf("%s/%d/%d", in.ReadSession.Table, i, n)})
	}
	return out, nil
}

// tableIn parses projects/P/datasets/D/tables/T, which may be followed by more parts.
func tableIn(name string) (*bq.TableReference, error) {
	p := strings.Split(name, "/")
	if len(p) < 6 || p[0] != "projects" || p[2] != "datasets" || p[4] != "tables" {
		return nil, status.Error(codes.InvalidArgument, "no table's name")
	}
	return &bq.TableReference{ProjectId: p[1], DatasetId: p[3], TableId: p[5]}, nil
}

// sentSchema returns the schema of a table, which has this name in the engine, as the Storage Read API sends it.
func (s *Server) sentSchema(ctx context.Context, t *bq.Table, name string, j *job) (*arrow.Schema, error) {
	switch {
	case j != nil && j.endless:
		return endlessSchema, nil
	case j != nil && j.canned != nil:
		return j.canned.Record.Schema(), nil
	}
	if j != nil {
		s.mu.Lock()
		sent := j.sent
		s.mu.Unlock()
		if sent != nil {
			return sent, nil
		}
	}
	list, err := s.listOf(ctx, name, j)
	if err != nil {
		return nil, err
	}
	r, err := s.db.Query(ctx, "SELECT "+list+" FROM "+name+" LIMIT 0")
	if err != nil {
		return nil, err
	}
	defer r.Release()
	fields := r.Schema().Fields()
	for i := range fields {
		fields[i] = sent(fields[i], t.Schema.Fields[i])
	}
	out := arrow.NewSchema(fields, nil)
	if j != nil {
		s.mu.Lock()
		j.sent = out
		s.mu.Unlock()
	}
	return out, nil
}

// listOf returns the select list of a table's columns, which is known of a job's result.
func (s *Server) listOf(ctx context.Context, name string, j *job) (string, error) {
	if j != nil && j.list != "" {
		return j.list, nil
	}
	list, _, _, err := s.columns(ctx, name)
	return list, err
}

// schemaBytes returns the schema message of a stream.
func schemaBytes(schema *arrow.Schema) ([]byte, error) {
	var b bytes.Buffer
	if err := ipc.NewWriter(&b, ipc.WithSchema(schema)).Close(); err != nil {
		return nil, err
	}
	return b.Bytes()[:b.Len()-len(endOfStream)], nil
}

const endOfStream = "\xff\xff\xff\xff\x00\x00\x00\x00"

// batchBytes returns the message of a record, or a whole stream with it if whole is set.
func batchBytes(rec arrow.Record, schemaLength int, whole bool) ([]byte, error) {
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(rec.Schema()))
	if err := w.Write(rec); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if whole {
		return b.Bytes(), nil
	}
	return b.Bytes()[schemaLength : b.Len()-len(endOfStream)], nil
}

func (r *readServer) ReadRows(in *storagepb.ReadRowsRequest, out storagepb.BigQueryRead_ReadRowsServer) error {
	s, ctx := r.s, out.Context()
	fault := s.fault("ReadRows")
	if !s.allowed(authorizationOf(ctx)) {
		return status.Error(codes.Unauthenticated, "Request had invalid authentication credentials.")
	}
	parts := strings.Split(in.ReadStream, "/")
	ref, err := tableIn(in.ReadStream)
	if err != nil || len(parts) != 8 {
		return status.Error(codes.InvalidArgument, "no stream's name")
	}
	index, _ := strconv.Atoi(parts[6])
	of, _ := strconv.Atoi(parts[7])
	t, name, j, err := s.tableOf(ctx, ref)
	if err != nil {
		return status.Error(codes.NotFound, err.Error())
	}
	schema, err := s.sentSchema(ctx, t, name, j)
	if err != nil {
		return status.Error(codes.Internal, err.Error())
	}
	encoded, err := schemaBytes(schema)
	if err != nil {
		return status.Error(codes.Internal, err.Error())
	}
	s.mu.Lock()
	whole := s.Whole
	s.mu.Unlock()
	batches := 0
	send := func(rec arrow.Record) error {
		if fault.any() && batches == fault.Batches {
			return status.Error(fault.Code, fault.Message)
		}
		batches++
		b, err := batchBytes(rec, len(encoded), whole)
		if err != nil {
			return status.Error(codes.Internal, err.Error())
		}
		answer := &storagepb.ReadRowsResponse{RowCount: rec.NumRows(),
			Rows: &storagepb.ReadRowsResponse_ArrowRecordBatch{
				ArrowRecordBatch: &storagepb.ArrowRecordBatch{SerializedRecordBatch: b}}}
		if batches == 1 { // the first response of a stream repeats the schema
			answer.Schema = &storagepb.ReadRowsResponse_ArrowSchema{
				ArrowSchema: &storagepb.ArrowSchema{SerializedSchema: encoded}}
		}
		return out.Send(answer)
	}
	if fault.any() && fault.Batches == 0 {
		return status.Error(fault.Code, fault.Message)
	}
	switch {
	case j != nil && j.endless:
		for at := in.Offset; ; at += endlessRows {
			rec := endlessRecord(at, endlessRows)
			err := send(rec)
			rec.Release()
			if err != nil {
				return err
			}
		}
	case j != nil && j.canned != nil:
		if in.Offset >= j.canned.Record.NumRows() {
			return nil
		}
		rec := j.canned.Record.NewSlice(in.Offset, j.canned.Record.NumRows())
		defer rec.Release()
		return send(rec)
	}
	list, err := s.listOf(ctx, name, j)
	if err != nil {
		return status.Error(codes.Internal, err.Error())
	}
	reader, err := s.db.Query(ctx,
		fmt.Sprintf("SELECT "+list+" FROM %s WHERE rowid %% %d = %d ORDER BY rowid OFFSET %d", name, of, index, in.Offset))
	if err != nil {
		return status.Error(codes.Internal, err.Error())
	}
	defer reader.Release()
	for reader.Next() {
		rec := asSent(reader.Record(), schema)
		err := send(rec)
		rec.Release()
		if err != nil {
			return err
		}
	}
	if err := reader.Err(); err != nil {
		return status.Error(codes.Internal, err.Error())
	}
	if fault.any() {
		return status.Error(fault.Code, fault.Message)
	}
	return nil
}

func asSent(rec arrow.Record, schema *arrow.Schema) arrow.Record {
	columns := make([]arrow.Array, rec.NumCols())
	for i := range columns {
		columns[i] = sentArray(rec.Column(i), schema.Field(i).Type)
		defer columns[i].Release()
	}
	return array.NewRecord(schema, columns, rec.NumRows())
}

// endlessRows is the number of rows in a batch of an endless result.
const endlessRows = 500

var endlessSchema = arrow.NewSchema(
	[]arrow.Field{{Name: "i", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "r", Type: arrow.PrimitiveTypes.Float64, Nullable: true}}, nil)

func endlessRecord(first, n int64) arrow.Record {
	b := array.NewRecordBuilder(memory.DefaultAllocator, endlessSchema)
	defer b.Release()
	for i := range n {
		b.Field(0).(*array.Int64Builder).Append(first + i)
		b.Field(1).(*array.Float64Builder).Append(float64(first+i) / 2)
	}
	return b.NewRecord()
}
