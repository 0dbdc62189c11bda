package snowflake

import (
	"context"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	sf "github.com/snowflakedb/gosnowflake"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/connectors/snowflake/internal/arrow18"
	"github.com/badger-eval/badger/connectors/snowflake/internal/value"
	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
)

// ahead is the number of batches that are downloaded in advance. A call with a memory account downloads none in
// advance.
const ahead = 2

// attempts is the maximum number of times that the links of a result are renewed for the same batch.
const attempts = 4

// stream returns the batches of a result, which are downloaded ahead. If a download fails, new links are requested,
// which Snowflake provides for as long as it keeps the result.
type stream struct {
	db      *Conn
	ctx     context.Context //nolint:containedctx // that of all downloads
	cancel  context.CancelFunc
	res     *result
	schema  *arrow.Schema
	pending []chan download // downloads of the batches from index next-len(pending) on
	next    int             // index of the batch to download next
	ahead   int

	queue []arrow.Record // records of the batch that is being read
}

// download is the records of one batch, in Snowflake's encoding.
type download struct {
	records []arrow.Record
	err     error
}

// read returns a reader of a result. It waits for the first batch, which determines the widths of numbers in the
// schema.
func (c *Conn) read(ctx context.Context, res *result) (array.RecordReader, error) {
	fields := make([]arrow.Field, len(res.columns))
	for i := range res.columns {
		fields[i] = res.columns[i].Field()
	}
	r := &stream{db: c, res: res, schema: arrow.NewSchema(fields, nil)}
	if account.ReadingOf(ctx) == nil {
		r.ahead = ahead
	}
	r.ctx, r.cancel = context.WithCancel(ctx)
	if err := r.fill(); err != nil {
		r.Close(ctx)
		return nil, err
	}
	if len(r.queue) > 0 {
		r.schema = r.queue[0].Schema()
	}
	return driverbase.NewReader(ctx, r.schema, r), nil
}

// Next returns the next record, or nil at the end. Records after the first may have wider numbers or another unit of
// time.
func (r *stream) Next(context.Context) (arrow.Record, error) {
	if err := r.fill(); err != nil || len(r.queue) == 0 {
		return nil, err
	}
	rec := r.queue[0]
	r.queue = r.queue[1:]
	return rec, nil
}

// fill sets the queue, if it is empty, to the records of the next nonempty batch.
func (r *stream) fill() error {
	for len(r.queue) == 0 {
		records, ok, err := r.records()
		if !ok || err != nil {
			return err
		}
		for _, rec := range records {
			if err == nil {
				var decoded []arrow.Record
				decoded, err = value.Decode(r.db.mem, rec, r.res.columns, r.schema)
				r.queue = append(r.queue, decoded...)
			}
			rec.Release()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *stream) records() (records []arrow.Record, ok bool, err error) {
	if r.res.rows != nil {
		return r.res.nextRows(r.db.mem)
	}
	return r.nextBatch()
}

// nextBatch waits for the next batch and returns its records; ok is false at the end.
func (r *stream) nextBatch() (records []arrow.Record, ok bool, err error) {
	for attempt := 1; ; attempt++ {
		for len(r.pending) <= r.ahead && r.next < len(r.res.batches) {
			ch := make(chan download, 1)
			r.pending = append(r.pending, ch)
			batch := r.res.batches[r.next]
			r.res.batches[r.next] = nil
			r.next++
			go func() { ch <- fetch(r.ctx, batch) }()
		}
		if len(r.pending) == 0 {
			return nil, false, nil
		}
		var d download
		select {
		case d = <-r.pending[0]:
		case <-r.ctx.Done():
			return nil, false, r.ctx.Err()
		}
		at := r.next - len(r.pending)
		if d.err == nil {
			r.pending = r.pending[1:]
			return d.records, true, nil
		}
		if errcode.Of(d.err) != errcode.Unknown || attempt == attempts {
			return nil, false, r.db.errorOf(r.ctx, d.err)
		}
		if at == 0 && unreadable(d.err) {
			if r.res, err = r.db.resume(r.ctx, r.res.id, false); err != nil {
				return nil, false, err
			}
			return r.res.nextRows(r.db.mem)
		}
		// If a batch is requested twice, gosnowflake 1.19.1 may return a partially received batch as complete, so new
		// batch objects are needed.
		if err := r.renew(at); err != nil {
			return nil, false, err
		}
	}
}

// renew requests new links and continues with the batch at index at.
func (r *stream) renew(at int) error {
	res, err := r.db.resume(r.ctx, r.res.id, true)
	if err != nil {
		return err
	}
	if len(res.batches) < at || res.rows != nil {
		return errcode.New(errcode.DataLoss, "snowflake: the result of query %s has changed while it was read", r.res.id)
	}
	r.res.batches, r.next, r.pending = res.batches, at, nil
	return nil
}

// fetch downloads a batch. If the bytes are malformed, the Arrow libraries panic, and the error is [value.ErrDamaged].
func fetch(ctx context.Context, batch *sf.ArrowBatch) (d download) {
	defer func() {
		if recover() != nil {
			d = download{err: value.ErrDamaged}
		}
	}()
	records, err := batch.WithContext(ctx).Fetch()
	if err != nil {
		return download{err: err}
	}
	for _, rec := range *records {
		own, err := arrow18.TakeOver(rec)
		if err != nil {
			return download{err: err}
		}
		d.records = append(d.records, own)
	}
	return d
}

// Close stops the downloads and releases the queue.
func (r *stream) Close(context.Context) {
	r.cancel()
	for _, rec := range r.queue {
		rec.Release()
	}
	r.queue, r.pending = nil, nil
}
