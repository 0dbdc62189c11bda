package bigquery

import (
	"bytes"
	"context"
	"crypto/rand"
	"net/http"
	"strings"
	"time"

	bq "google.golang.org/api/bigquery/v2"
	"google.golang.org/api/googleapi"

	"github.com/badger-eval/badger/connectors/bigquery/internal/value"
)

// firstRows is the number of rows in the response that reports the end of a query job: a result with no more rows needs
// no further request.
const firstRows = 1000

// waitMillis is how long BigQuery may wait for the end of a job before it responds, in milliseconds.
const waitMillis = 10_000

// grace is the time after the caller's deadline at which BigQuery cancels a job, so that the caller usually does it
// first.
const grace = 10 * time.Second

// newID returns a unique id for a job or a table.
func newID() string { return strings.ToLower(rand.Text()) }

// job is a job that has ended without an error.
type job struct {
	ref   *bq.JobReference
	first *bq.GetQueryResultsResponse // for a query: its schema, number of rows and first rows
}

// run runs a job until it ends; rows are the data of a load job. A job that failed transiently had no effect, and is
// run again with another ID.
func (c *Conn) run(ctx context.Context, config *bq.JobConfiguration, rows []byte) (j *job, err error) {
	err = c.backoff.Do(ctx, func() error {
		j, err = c.runOnce(ctx, config, rows)
		return err
	}, func(err error) (bool, time.Duration) {
		_, failed := err.(*jobError) //nolint:errorlint // it is not wrapped
		return failed && faultOf(err).transient, 0
	})
	return j, err
}

func (c *Conn) runOnce(ctx context.Context, config *bq.JobConfiguration, rows []byte) (*job, error) {
	inserted, err := c.insert(ctx, config, rows)
	if err != nil {
		return nil, err
	}
	j := &job{ref: inserted.JobReference}
	if config.Query != nil {
		j.first, err = c.wait(ctx, j.ref)
	} else {
		err = c.waitLoad(ctx, j.ref)
	}
	if ctx.Err() != nil {
		c.cancel(j.ref)
		return nil, ctx.Err()
	}
	return j, err
}

// insert starts a job. Its ID is chosen here: if the response is lost, a repeated request finds the running job.
func (c *Conn) insert(ctx context.Context, config *bq.JobConfiguration, rows []byte) (*bq.Job, error) {
	location, err := c.jobLocation(ctx)
	if err != nil {
		return nil, err
	}
	ref := &bq.JobReference{ProjectId: c.o.BillingProject, JobId: "badger_" + newID(), Location: location}
	config.Labels = map[string]string{"application": "badger"}
	if deadline, ok := ctx.Deadline(); ok { // BigQuery cancels the job even if the caller is gone
		config.JobTimeoutMs = max(1, time.Until(deadline)+grace).Milliseconds()
	}
	var j *bq.Job
	sent := false
	err = c.retryOfJob(ctx, func() error {
		sent = true
		call := c.rest.Jobs.Insert(ref.ProjectId, &bq.Job{JobReference: ref, Configuration: config}).Context(ctx)
		if rows != nil {
			call.Media(bytes.NewReader(rows), googleapi.ContentType("application/octet-stream"),
				googleapi.ChunkSize(2*pieceBytes))
		}
		j, err = call.Do()
		// the ID is random, so the job is this one, and its response was lost
		if err != nil && faultOf(err).status == http.StatusConflict {
			j, err = c.rest.Jobs.Get(ref.ProjectId, ref.JobId).Location(ref.Location).Context(ctx).Do()
		}
		return err
	})
	if ctx.Err() != nil && sent {
		c.cancel(ref) // the job may be running
	}
	if err != nil {
		return nil, err
	}
	if j.JobReference == nil {
		j.JobReference = ref
	}
	return j, nil
}

// waitLoad waits until a load job has ended.
func (c *Conn) waitLoad(ctx context.Context, ref *bq.JobReference) error {
	for n := 1; ; n++ {
		var j *bq.Job
		err := c.retryOfJob(ctx, func() (err error) {
			j, err = c.rest.Jobs.Get(ref.ProjectId, ref.JobId).Location(ref.Location).Context(ctx).Do()
			return err
		})
		if err != nil {
			return c.errorOf(err, "job "+ref.JobId)
		}
		if j.Status != nil && j.Status.State == "DONE" {
			return failureOf(j)
		}
		if err := c.backoff.Pause(ctx, min(n, 4), 0); err != nil {
			return err
		}
	}
}

// wait waits until a query job has ended, and returns the first page of its result.
func (c *Conn) wait(ctx context.Context, ref *bq.JobReference) (r *bq.GetQueryResultsResponse, err error) {
	for {
		var failed error // the job's error, not the request's
		err = c.retryOfJob(ctx, func() error {
			r, err = c.results(ctx, ref, firstRows, "", false)
			if err == nil || ctx.Err() != nil {
				return err
			}
			if failed = c.failure(ctx, ref); failed != nil {
				err = nil
			}
			return err
		})
		if failed != nil {
			return nil, failed
		}
		if err != nil {
			return nil, err
		}
		if !r.JobComplete {
			continue
		}
		if r.Schema != nil && value.AnyPicoseconds(r.Schema.Fields) && len(r.Rows) > 0 {
			err = c.retry(ctx, func() error {
				r, err = c.results(ctx, ref, firstRows, "", true)
				return err
			})
		}
		return r, err
	}
}

// results requests a page of a job's result. Timestamps arrive as integer microseconds, or as text if picos is set.
func (c *Conn) results(ctx context.Context, ref *bq.JobReference, rows int64, token string,
	picos bool) (*bq.GetQueryResultsResponse, error) {
	call := c.rest.Jobs.GetQueryResults(ref.ProjectId,
		ref.JobId).Location(ref.Location).MaxResults(rows).TimeoutMs(waitMillis).Context(ctx)
	if picos {
		call.FormatOptionsTimestampOutputFormat("ISO8601_STRING")
	} else {
		call.FormatOptionsUseInt64Timestamp(true)
	}
	if token != "" {
		call.PageToken(token)
	}
	return call.Do()
}

// failure returns the error of a failed job; nil if it has not failed or cannot be requested.
func (c *Conn) failure(ctx context.Context, ref *bq.JobReference) error {
	j, err := c.rest.Jobs.Get(ref.ProjectId, ref.JobId).Location(ref.Location).Context(ctx).Do()
	if err == nil {
		return failureOf(j)
	}
	return nil
}

func failureOf(j *bq.Job) error {
	if j.Status == nil || j.Status.State != "DONE" || j.Status.ErrorResult == nil {
		return nil
	}
	return &jobError{j.Status.ErrorResult}
}

// cancel requests the cancellation of a job whose caller's context has ended.
func (c *Conn) cancel(ref *bq.JobReference) {
	ctx, done := context.WithTimeout(context.Background(), 3*time.Second)
	defer done()
	_, _ = c.rest.Jobs.Cancel(ref.ProjectId, ref.JobId).Location(ref.Location).Context(ctx).Do() // it may have ended
}
