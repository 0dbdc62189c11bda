package snowflake

import (
	"context"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	sf "github.com/snowflakedb/gosnowflake"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/connectors/snowflake/internal/arrow18"
	"github.com/badger-eval/badger/internal/errcode"
)

// ahead is how many batches are downloaded before they are asked for.
const ahead = 2

// attempts is how often the links of a result are renewed at one place.
const attempts = 4

// stream is a result. Batches are downloaded a few ahead; one that cannot be is asked for
// again under new links, which Snowflake gives for as long as it keeps the result.
type stream struct {
	db      *Conn
	ctx     context.Context //nolint:containedctx // governs the stream
	cancel  context.CancelFunc
	res     *result
	schema  *arrow.Schema
	pending []chan download // of the batches from next-len(pending) on
	next    int             // the batch to download next

	queue []arrow.Record // of the batch that is being read
}

// download is a batch's records, in Snowflake's encoding.
type download struct {
	records []arrow.Record
	err     error
}

// read starts the stream. The first batch is waited for: its widths are the schema's.
func (c *Conn) read(ctx context.Context, res *result) (array.RecordReader, error) {
	fields := make([]arrow.Field, len(res.columns))
	for i := range res.columns {
		fields[i] = res.columns[i].field()
	}
	r := &stream{db: c, res: res, schema: arrow.NewSchema(fields, nil)}
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

// Next returns the next record. Later ones than the first may hold wider numbers or another unit of
// time.
func (r *stream) Next(context.Context) (arrow.Record, error) {
	if err := r.fill(); err != nil || len(r.queue) == 0 {
		return nil, err
	}
	rec := r.queue[0]
	r.queue = r.queue[1:]
	return rec, nil
}

// fill puts the next batch that has rows into the queue, if it is empty.
func (r *stream) fill() error {
	for len(r.queue) == 0 {
		records, ok, err := r.records()
		if !ok || err != nil {
			return err
		}
		for _, rec := range records {
			if err == nil {
				err = r.decode(rec)
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

// nextBatch waits for the next batch.
func (r *stream) nextBatch() (records []arrow.Record, ok bool, err error) {
	for attempt := 1; ; attempt++ {
		for len(r.pending) <= ahead && r.next < len(r.res.batches) {
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
		// gosnowflake 1.19.1 takes what arrived of a batch for the whole of it when asked again:
		// only new ones are safe.
		if err := r.renew(at); err != nil {
			return nil, false, err
		}
	}
}

// renew gets new links and starts again at a batch.
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

// fetch downloads a batch. Bytes that are no Arrow make the Arrow libraries panic.
func fetch(ctx context.Context, batch *sf.ArrowBatch) (d download) {
	defer func() {
		if recover() != nil {
			d = download{err: errMalformed}
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

var errMalformed = errcode.New(errcode.DataLoss, "snowflake: a part of the result is damaged")

// decode queues a record, decoded and cut where a column's timestamps change their unit.
func (r *stream) decode(rec arrow.Record) (err error) {
	defer func() {
		if recover() != nil {
			err = errMalformed
		}
	}()
	if int(rec.NumCols()) != len(r.res.columns) {
		return errcode.New(errcode.DataLoss, "snowflake: a batch of %d columns in a result of %d", rec.NumCols(), len(r.res.columns))
	}
	arrays := make([]arrow.Array, rec.NumCols())
	stamps := make([]*moments, rec.NumCols())
	defer func() {
		for _, a := range arrays {
			if a != nil {
				a.Release()
			}
		}
	}()
	for i := range r.res.columns {
		c := &r.res.columns[i]
		if scale := scaleOf(rec, i); c.isTimestamp() {
			stamps[i], err = c.momentsOf(rec.Column(i), scale)
		} else {
			arrays[i], err = c.decode(r.db.mem, rec.Column(i), scale, r.schema.Field(i).Type)
		}
		if err != nil {
			return errcode.New(errcode.Of(err), "snowflake: column %d (%q): %w", i+1, c.name, err)
		}
	}
	for start, rows := 0, int(rec.NumRows()); start < rows; {
		end := rows
		units := make([]arrow.TimeUnit, len(stamps))
		for i, m := range stamps {
			if m == nil {
				continue
			}
			fit, unit := m.run(start)
			if fit == 0 {
				return errcode.New(errcode.Unimplemented, "snowflake: column %d (%q): a time before 1678 or after 2261 with nanoseconds; cast the column to a scale of 6 or to VARCHAR", i+1, r.res.columns[i].name)
			}
			units[i], end = unit, min(end, start+fit)
		}
		r.queue = append(r.queue, r.record(arrays, stamps, units, start, end))
		start = end
	}
	return nil
}

// scaleOf is the scale of a column of times, 9 where a record does not say.
func scaleOf(rec arrow.Record, column int) int32 {
	text, _ := rec.Schema().Field(column).Metadata.GetValue("scale")
	if n, err := strconv.ParseUint(text, 10, 8); err == nil && n <= 9 {
		return int32(n)
	}
	return 9
}

// record makes a record of the rows from start to end.
func (r *stream) record(arrays []arrow.Array, stamps []*moments, units []arrow.TimeUnit, start, end int) arrow.Record {
	cols := make([]arrow.Array, len(arrays))
	schema := r.schema
	var fields []arrow.Field
	for i := range cols {
		if m := stamps[i]; m != nil {
			t := &arrow.TimestampType{Unit: units[i], TimeZone: r.schema.Field(i).Type.(*arrow.TimestampType).TimeZone}
			cols[i] = m.array(r.db.mem, t, start, end)
		} else {
			cols[i] = array.NewSlice(arrays[i], int64(start), int64(end))
		}
		defer cols[i].Release()
		if !arrow.TypeEqual(cols[i].DataType(), r.schema.Field(i).Type) {
			if fields == nil {
				fields = append(fields, r.schema.Fields()...)
			}
			fields[i].Type = cols[i].DataType()
		}
	}
	if fields != nil {
		schema = arrow.NewSchema(fields, nil)
	}
	return array.NewRecord(schema, cols, int64(end-start))
}

// Close ends the downloads.
func (r *stream) Close(context.Context) {
	r.cancel()
	for _, rec := range r.queue {
		rec.Release()
	}
	r.queue, r.pending = nil, nil
}
