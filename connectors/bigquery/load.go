package bigquery

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/apache/arrow/go/v17/arrow"
	bq "google.golang.org/api/bigquery/v2"
	"google.golang.org/api/googleapi"
)

// loadJob fills a table by a load job, which adds all rows or none. Rows are sent as JSON lines
// whose values are text, as they are read: they are not held.
func (m *merge) loadJob(ctx context.Context, into *bq.TableReference, numbered bool, next func() (arrow.Record, error)) error {
	schema := &bq.TableSchema{}
	for _, f := range m.columns {
		schema.Fields = append(schema.Fields, &bq.TableFieldSchema{Name: f.Name, Type: f.Type})
	}
	if numbered {
		schema.Fields = append(schema.Fields, &bq.TableFieldSchema{Name: rowNumber, Type: "INTEGER"})
	}
	location, err := m.c.jobLocation(ctx)
	if err != nil {
		return err
	}
	out, in := io.Pipe()
	var failed error
	written := make(chan struct{})
	go func() {
		defer close(written)
		failed = m.lines(in, numbered, next)
		in.CloseWithError(failed) //nolint:errcheck // it never fails
	}()
	ref := &bq.JobReference{ProjectId: m.c.o.BillingProject, JobId: "badger_" + newID(), Location: location}
	_, err = m.c.rest.Jobs.Insert(ref.ProjectId, &bq.Job{JobReference: ref, Configuration: &bq.JobConfiguration{
		Labels: map[string]string{"application": "badger"},
		Load: &bq.JobConfigurationLoad{
			DestinationTable: into, Schema: schema, SourceFormat: "NEWLINE_DELIMITED_JSON", WriteDisposition: "WRITE_APPEND", CreateDisposition: "CREATE_NEVER",
		},
	}}).Media(out, googleapi.ContentType("application/octet-stream")).Context(ctx).Do()
	out.Close() //nolint:errcheck // the writer ends
	<-written
	if failed != nil && failed != io.ErrClosedPipe { //nolint:errorlint // as the pipe returns it
		return failed
	}
	if err != nil && faultOf(err).status != http.StatusConflict { // the job with our id is there: its answer was lost
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return m.c.errorOf(err, m.c.subject())
	}
	return m.c.errorOf(m.c.waitLoad(ctx, ref), m.c.subject())
}

// waitLoad waits for the end of a load job.
func (c *Conn) waitLoad(ctx context.Context, ref *bq.JobReference) error {
	for n := 1; ; n++ {
		j, err := c.job(ctx, ref)
		switch {
		case err != nil:
			return err
		case j.Status != nil && j.Status.State == "DONE":
			if j.Status.ErrorResult != nil {
				return &jobError{j.Status.ErrorResult}
			}
			return nil
		}
		if err := c.backoff.Pause(ctx, min(n, 4), 0); err != nil {
			c.cancel(ref)
			return err
		}
	}
}

// lines writes rows as JSON lines.
func (m *merge) lines(to io.Writer, numbered bool, next func() (arrow.Record, error)) error {
	w := bufio.NewWriterSize(to, 64<<10)
	encode := json.NewEncoder(w)
	encode.SetEscapeHTML(false)
	for {
		rec, err := next()
		if err != nil {
			return err
		}
		if rec == nil {
			return w.Flush()
		}
		err = m.recordLines(encode, rec, numbered)
		rec.Release()
		if err != nil {
			return err
		}
	}
}

func (m *merge) recordLines(encode *json.Encoder, rec arrow.Record, numbered bool) error {
	cells, err := m.cells(rec)
	if err != nil {
		return err
	}
	row := make(map[string]any, len(cells)+1)
	for i := range int(rec.NumRows()) {
		clear(row)
		for col, f := range m.columns {
			v, err := m.cell(cells, rec, col, i)
			if err != nil {
				return err
			}
			if v == nil {
				continue // absent is NULL
			}
			row[f.Name] = v.text(f.Type)
			if f.Type == "JSON" {
				row[f.Name] = json.RawMessage(v.s)
			}
		}
		if numbered {
			row[rowNumber] = m.plan.Rows
		}
		if err := encode.Encode(row); err != nil {
			return err
		}
		m.plan.Rows++
	}
	return nil
}
