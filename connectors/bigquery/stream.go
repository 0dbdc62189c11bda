package bigquery

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	bq "google.golang.org/api/bigquery/v2"

	"github.com/badger-eval/badger/internal/errcode"
)

// source gives the records of a result, one after the other.
type source interface {
	// next is the next record, or nil at the end.
	next(ctx context.Context) (arrow.Record, error)
	close()
}

// reader is a result as it is read. It counts rows: a result that ends early is an error, whoever
// ended it.
type reader struct {
	ctx    context.Context //nolint:containedctx // governs the stream
	schema *arrow.Schema
	src    source
	what   string // for errors
	want   int64  // rows; -1 is unknown
	rows   int64
	rec    arrow.Record
	err    error
	end    bool
	refs   int64
}

var _ array.RecordReader = (*reader)(nil)

// Schema is that of all records.
func (r *reader) Schema() *arrow.Schema { return r.schema }

// Record is the current record, valid until Next.
func (r *reader) Record() arrow.Record { return r.rec }

// Err is why the stream ended early.
func (r *reader) Err() error { return r.err }

// Next reads the next record.
func (r *reader) Next() bool {
	if r.rec != nil {
		r.rec.Release()
		r.rec = nil
	}
	if r.err != nil || r.end {
		return false
	}
	if r.err = r.ctx.Err(); r.err != nil {
		return false
	}
	r.rec, r.err = r.src.next(r.ctx)
	switch {
	case r.err != nil:
		if r.ctx.Err() != nil {
			r.err = r.ctx.Err()
		}
		return false
	case r.rec == nil:
		r.end = true
		if r.want >= 0 && r.rows != r.want {
			r.err = errcode.New(errcode.DataLoss, "bigquery: %s: %d rows were read of %d; read it again", r.what, r.rows, r.want)
		}
		return false
	}
	r.rows += r.rec.NumRows()
	return true
}

// Retain and Release count who uses the reader.
func (r *reader) Retain() { r.refs++ }

// Release is the opposite of Retain.
func (r *reader) Release() {
	if r.refs--; r.refs != 0 {
		return
	}
	if r.rec != nil {
		r.rec.Release()
		r.rec = nil
	}
	r.src.close()
}

// stream reads the result of a job: what came with its end if that is all, else its destination
// table through the Storage Read API, else page by page.
func (c *Conn) stream(ctx context.Context, j *job) (array.RecordReader, error) {
	first := j.first
	what := "job " + j.ref.JobId
	schema, err := schemaOf(first.Schema)
	if err != nil {
		return nil, errcode.New(errcode.Of(err), "bigquery: %s: %w", what, err)
	}
	r := &reader{ctx: ctx, schema: schema, what: what, want: int64(first.TotalRows), refs: 1} //nolint:gosec // far below 2^63
	if first.Schema == nil || len(first.Schema.Fields) == 0 {                                 // no query
		r.want, r.src = 0, done{}
		return r, nil
	}
	if first.PageToken != "" && c.read != nil && !c.noRead.Load() {
		table, err := c.destination(ctx, j.ref)
		if err != nil {
			return nil, err
		}
		if table != nil {
			if r.src, err = c.session(ctx, table, first.Schema, schema, what); err != nil {
				return nil, err
			}
		}
	}
	if r.src == nil {
		picos := anyPicos(first.Schema.Fields)
		r.src = c.pages(schema, first.Schema, what, page{first.Schema, first.Rows, first.PageToken}, func(ctx context.Context, token string) (page, error) {
			p, err := c.results(ctx, j.ref, c.o.PageRows, token, picos)
			if err != nil {
				return page{}, err
			}
			return page{p.Schema, p.Rows, p.PageToken}, nil
		})
	}
	return r, nil
}

// destination is the table that holds a job's result; nil for a script, whose last statement has
// it.
func (c *Conn) destination(ctx context.Context, ref *bq.JobReference) (*bq.TableReference, error) {
	j, err := c.job(ctx, ref)
	if err != nil || j.Configuration == nil || j.Configuration.Query == nil {
		return nil, err
	}
	return j.Configuration.Query.DestinationTable, nil
}

// job asks for a job.
func (c *Conn) job(ctx context.Context, ref *bq.JobReference) (j *bq.Job, err error) {
	err = c.retry(ctx, func() error {
		j, err = c.rest.Jobs.Get(ref.ProjectId, ref.JobId).Location(ref.Location).Context(ctx).Do()
		return err
	})
	return j, c.errorOf(err, "job "+ref.JobId)
}

// done is a result without rows.
type done struct{}

func (done) next(context.Context) (arrow.Record, error) { return nil, nil }
func (done) close()                                     {}

// page is a part of a result as the REST API sends it.
type page struct {
	schema *bq.TableSchema // nil where it is not repeated
	rows   []*bq.TableRow
	token  string // of the next page; "" is the end
}

// pages reads a result page by page; one page is held at a time.
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

func (c *Conn) pages(s *arrow.Schema, schema *bq.TableSchema, what string, first page, fetch func(context.Context, string) (page, error)) *pages {
	return &pages{c: c, build: array.NewRecordBuilder(c.mem, s), schema: schema, what: what, current: first, fetch: fetch}
}

func (p *pages) close() { p.build.Release() }

func (p *pages) next(ctx context.Context) (arrow.Record, error) {
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
			if err := drift(p.schema.Fields, next.schema.Fields, "bigquery: "+p.what); err != nil {
				return nil, err
			}
		}
		if next.token == p.current.token {
			return nil, errcode.New(errcode.DataLoss, "bigquery: %s: two pages have one token", p.what)
		}
		p.current, p.started = next, false
	}
	p.started = true
	return p.record()
}

// record makes a record of the current page.
func (p *pages) record() (arrow.Record, error) {
	p.build.Reserve(len(p.current.rows))
	for i, row := range p.current.rows {
		if len(row.F) != len(p.schema.Fields) {
			return nil, errcode.New(errcode.DataLoss, "bigquery: %s: row %d has %d cells, expected %d", p.what, p.rows+int64(i)+1, len(row.F), len(p.schema.Fields))
		}
		for col, cell := range row.F {
			f := p.schema.Fields[col]
			if err := appendCell(p.build.Field(col), f, f.Mode == "REPEATED", cell.V); err != nil {
				return nil, errcode.New(errcode.DataLoss, "bigquery: %s: row %d, column %q: expected a value of type %s", p.what, p.rows+int64(i)+1, f.Name, typeName(f))
			}
		}
	}
	p.rows += int64(len(p.current.rows))
	p.current.rows = nil
	return p.build.NewRecord(), nil
}

func typeName(f *bq.TableFieldSchema) string {
	if f.Mode == "REPEATED" {
		return fmt.Sprintf("ARRAY<%s>", f.Type)
	}
	return f.Type
}
