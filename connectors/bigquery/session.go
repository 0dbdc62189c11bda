package bigquery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"

	"cloud.google.com/go/bigquery/storage/apiv1/storagepb"
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/googleapis/gax-go/v2"
	bq "google.golang.org/api/bigquery/v2"
	"google.golang.org/grpc"

	"github.com/badger-eval/badger/connectors/bigquery/internal/value"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
)

// session reads a table through the Storage Read API. A goroutine for each stream reads at most one record ahead. A
// broken stream is opened again after the last row that was returned.
type session struct {
	c       *Conn
	what    string
	batches value.Batches

	records chan arrow.Record
	stop    context.CancelFunc
	wg      sync.WaitGroup

	mu  sync.Mutex
	err error
}

// session starts reading a table; nil if the account may not, and REST pages are to be read.
func (c *Conn) session(ctx context.Context, table *bq.TableReference, schema *bq.TableSchema, s *arrow.Schema,
	what string) (driverbase.Stream, error) {
	name := fmt.Sprintf("projects/%s/datasets/%s/tables/%s", table.ProjectId, table.DatasetId, table.TableId)
	request := &storagepb.CreateReadSessionRequest{
		Parent: "projects/" + c.o.BillingProject, MaxStreamCount: int32(c.o.Streams), //nolint:gosec // at most 1000
		ReadSession: &storagepb.ReadSession{
			Table: name, DataFormat: storagepb.DataFormat_ARROW,
			ReadOptions: &storagepb.ReadSession_TableReadOptions{
				OutputFormatSerializationOptions: &storagepb.ReadSession_TableReadOptions_ArrowSerializationOptions{
					ArrowSerializationOptions: &storagepb.ArrowSerializationOptions{
						PicosTimestampPrecision: storagepb.ArrowSerializationOptions_TIMESTAMP_PRECISION_PICOS},
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
	out := &session{
		c: c, what: what, records: make(chan arrow.Record), stop: stop,
		batches: value.Batches{Schema: s, Table: schema, What: what, Encoded: rs.GetArrowSchema().GetSerializedSchema(),
			Mem: c.mem},
	}
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
	if s.err == nil { // the streams have ended, or the caller has stopped reading
		return nil, ctx.Err()
	}
	return nil, s.err
}

// Close stops the goroutines and releases the records that they have read.
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
			tries = 1 // the stream made progress
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
func (s *session) from(ctx context.Context, name string, offset *int64) (err error) {
	defer driverbase.Recovered(&err) // in its own goroutine
	ctx, done := context.WithCancel(ctx)
	defer done()
	reading := account.ReadingOf(ctx)
	var options []gax.CallOption
	if limit := reading.Limit(); limit > 0 {
		options = append(options, gax.WithGRPCOptions(grpc.MaxCallRecvMsgSize(int(min(limit, math.MaxInt32)))))
	}
	rows, err := s.c.read.ReadRows(ctx, &storagepb.ReadRowsRequest{ReadStream: name, Offset: *offset}, options...)
	if err != nil {
		return err
	}
	expected := int64(0) // bytes that are reserved for the next message
	for {
		if err := reading.Take(ctx, expected); err != nil {
			return err
		}
		m, err := rows.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			// a limit of gRPC, not a quota
			if limit := reading.Limit(); limit > 0 && strings.Contains(err.Error(), "larger than max") {
				return errcode.New(errcode.ResourceExhausted, "bigquery: %s: a message of more than the allowed %d bytes", s.what,
					limit)
			}
			return err
		}
		reading.Give(expected)
		size := int64(len(m.GetArrowRecordBatch().GetSerializedRecordBatch()))
		if err := reading.Take(ctx, size); err != nil { // until the reading ends: the record refers to it
			return err
		}
		if expected = max(expected, size); m.RowCount == 0 {
			continue
		}
		rec, err := s.batches.Decode(m.GetArrowRecordBatch().GetSerializedRecordBatch(), m.RowCount)
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
