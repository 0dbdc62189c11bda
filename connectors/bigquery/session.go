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

// session reads a table through the Storage Read API. One goroutine for each stream reads at most one record ahead. A
// broken stream is reopened after the last row that was returned.
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

// session starts reading a table. It returns nil if that is not possible and REST pages are to be read instead.
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

// Next returns the next record of any stream, or nil at the end.
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
	if s.err == nil { // the streams have ended, or the reader was closed
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

// fail stores the first error and ends all streams.
func (s *session) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = s.c.errorOf(err, s.what)
	}
	s.stop()
}

// read reads one stream to its end, with retries.
func (s *session) read(ctx context.Context, name string) {
	offset := int64(0)
	for tries := 1; ; tries++ {
		start := offset
		err := s.from(ctx, name, &offset)
		if err == nil || ctx.Err() != nil {
			return
		}
		if offset > start {
			tries = 1 // progress resets the number of retries
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

// from reads a stream from row *offset on, and advances *offset with each record that is returned.
func (s *session) from(ctx context.Context, name string, offset *int64) (err error) {
	defer driverbase.Recovered(&err) // it runs in a separate goroutine
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
	expected := int64(0) // bytes to reserve for the next message
	for {
		if err := reading.Take(ctx, expected); err != nil {
			return err
		}
		m, err := rows.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			// gRPC's message limit, not a quota
			if limit := reading.Limit(); limit > 0 && strings.Contains(err.Error(), "larger than max") {
				return errcode.New(errcode.ResourceExhausted, "bigquery: %s: a message of more than the allowed %d bytes", s.what,
					limit)
			}
			return err
		}
		reading.Give(expected)
		size := int64(len(m.GetArrowRecordBatch().GetSerializedRecordBatch()))
		if err := reading.Take(ctx, size); err != nil { // until the reading ends, as the record shares its memory
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
