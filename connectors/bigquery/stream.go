package bigquery

import (
	"context"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	bq "google.golang.org/api/bigquery/v2"

	"github.com/badger-eval/badger/connectors/bigquery/internal/value"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// whole is a stream that returns an error at the end if the number of rows differs from the expected one.
type whole struct {
	driverbase.Stream
	what string // names the result, for errors
	want int64  // expected number of rows; -1 is unknown
	rows int64
}

// Next returns the next record, or nil at the end.
func (w *whole) Next(ctx context.Context) (arrow.Record, error) {
	rec, err := w.Stream.Next(ctx)
	switch {
	case err != nil:
		return nil, err
	case rec != nil:
		w.rows += rec.NumRows()
	case w.want >= 0 && w.rows != w.want:
		return nil, errcode.New(errcode.DataLoss, "bigquery: %s: %d rows were read of %d; read it again", w.what, w.rows,
			w.want)
	}
	return rec, nil
}

// stream returns a reader of a job's result: the first page if that is all, else the destination table through the
// Storage Read API or REST pages.
func (c *Conn) stream(ctx context.Context, j *job) (array.RecordReader, error) {
	first := j.first
	what := "job " + j.ref.JobId
	schema, err := value.SchemaOf(first.Schema)
	if err != nil {
		return nil, errcode.New(errcode.Of(err), "bigquery: %s: %w", what, err)
	}
	if first.Schema == nil || len(first.Schema.Fields) == 0 { // not a query
		return driverbase.NewReader(ctx, schema, done{}), nil
	}
	r := &whole{what: what, want: int64(first.TotalRows)} //nolint:gosec // far below 2^63
	if first.PageToken != "" && c.read != nil && !c.noRead.Load() {
		table, err := c.destination(ctx, j.ref)
		if err != nil {
			return nil, err
		}
		if table != nil {
			if r.Stream, err = c.session(ctx, table, first.Schema, schema, what); err != nil {
				return nil, err
			}
		}
	}
	paged := func(context.Context) (driverbase.Stream, error) {
		picos := value.AnyPicoseconds(first.Schema.Fields)
		return c.pages(schema, first.Schema, what, page{first.Schema, first.Rows, first.PageToken},
			func(ctx context.Context, token string) (page, error) {
				p, err := c.results(ctx, j.ref, c.o.PageRows, token, picos)
				if err != nil {
					return page{}, err
				}
				return page{p.Schema, p.Rows, p.PageToken}, nil
			}), nil
	}
	if r.Stream, err = c.orPages(ctx, r.Stream, paged); err != nil {
		return nil, err
	}
	return driverbase.NewReader(ctx, schema, r), nil
}

// orPages returns the stream of, or a stream of REST pages if that is nil. With StorageAuto, pages are also the
// fallback.
func (c *Conn) orPages(ctx context.Context, of driverbase.Stream,
	paged func(context.Context) (driverbase.Stream, error)) (driverbase.Stream, error) {
	switch {
	case of == nil:
		return paged(ctx)
	case c.o.Storage == StorageAuto:
		return &either{of, paged}, nil
	}
	return of, nil
}

// either is a stream of the Storage Read API that falls back to REST pages if the API fails with an internal error
// before the first record, as it did for types that only REST supports.
type either struct {
	driverbase.Stream
	paged func(context.Context) (driverbase.Stream, error) // nil after the first record
}

func (e *either) Next(ctx context.Context) (arrow.Record, error) {
	rec, err := e.Stream.Next(ctx)
	if paged := e.paged; paged != nil && errcode.Of(err) == errcode.Internal {
		next, failed := paged(ctx)
		if failed != nil {
			return nil, failed
		}
		e.Stream.Close(ctx)
		e.Stream, e.paged = next, nil
		return next.Next(ctx)
	}
	e.paged = nil
	return rec, err
}

// destination returns the table with a job's result; nil for a script, whose last statement has it.
func (c *Conn) destination(ctx context.Context, ref *bq.JobReference) (*bq.TableReference, error) {
	j, err := c.job(ctx, ref)
	if err != nil || j.Configuration == nil || j.Configuration.Query == nil {
		return nil, err
	}
	return j.Configuration.Query.DestinationTable, nil
}

// job requests a job's metadata.
func (c *Conn) job(ctx context.Context, ref *bq.JobReference) (j *bq.Job, err error) {
	err = c.retry(ctx, func() error {
		j, err = c.rest.Jobs.Get(ref.ProjectId, ref.JobId).Location(ref.Location).Context(ctx).Do()
		return err
	})
	return j, c.errorOf(err, "job "+ref.JobId)
}

// done is a stream of a result without rows.
type done struct{}

func (done) Next(context.Context) (arrow.Record, error) { return nil, nil }
func (done) Close(context.Context)                      {}

// page is a page of a result from the REST API.
type page struct {
	schema *bq.TableSchema // nil if the response does not repeat it
	rows   []*bq.TableRow
	token  string // of the next page; "" at the end
}

// pages is a stream of the pages of a result. It holds one page in memory at a time.
type pages struct {
	c       *Conn
	build   *array.RecordBuilder
	schema  *bq.TableSchema
	what    string
	current page
	started bool
	rows    int64
	fetch   func(ctx context.Context, token string) (page, error)
}

func (c *Conn) pages(s *arrow.Schema, schema *bq.TableSchema, what string, first page,
	fetch func(context.Context, string) (page, error)) *pages {
	return &pages{c: c, build: array.NewRecordBuilder(c.mem, s), schema: schema, what: what, current: first, fetch: fetch}
}

func (p *pages) Close(context.Context) { p.build.Release() }

func (p *pages) Next(ctx context.Context) (arrow.Record, error) {
	for p.started || len(p.current.rows) == 0 {
		if p.current.token == "" {
			return nil, nil
		}
		var next page
		err := p.c.retry(ctx, func() (err error) {
			next, err = p.fetch(ctx, p.current.token)
			return err
		})
		if err != nil {
			return nil, p.c.errorOf(err, p.what)
		}
		if next.schema != nil {
			if err := value.Drift(p.schema.Fields, next.schema.Fields, "bigquery: "+p.what); err != nil {
				return nil, err
			}
		}
		if next.token == p.current.token {
			return nil, errcode.New(errcode.DataLoss, "bigquery: %s: duplicate page token", p.what)
		}
		p.current, p.started = next, false
	}
	p.started = true
	return p.record()
}

// record returns the rows of the current page as a record.
func (p *pages) record() (arrow.Record, error) {
	p.build.Reserve(len(p.current.rows))
	for i, row := range p.current.rows {
		if len(row.F) != len(p.schema.Fields) {
			return nil, errcode.New(errcode.DataLoss, "bigquery: %s: row %d has %d cells, expected %d", p.what,
				p.rows+int64(i)+1, len(row.F), len(p.schema.Fields))
		}
		for col, cell := range row.F {
			f := p.schema.Fields[col]
			if err := value.AppendCell(p.build.Field(col), f, f.Mode == "REPEATED", cell.V); err != nil {
				return nil, errcode.New(errcode.DataLoss, "bigquery: %s: row %d, column %q: expected a value of type %s", p.what,
					p.rows+int64(i)+1, f.Name, value.TypeName(f))
			}
		}
	}
	p.rows += int64(len(p.current.rows))
	p.current.rows = nil
	return p.build.NewRecord(), nil
}
