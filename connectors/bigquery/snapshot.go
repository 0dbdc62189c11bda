package bigquery

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow/array"
	bq "google.golang.org/api/bigquery/v2"

	"github.com/badger-eval/badger/connectors/bigquery/internal/value"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
)

// ReadSnapshot reads the result of an earlier query without running it again, query:[PROJECT:][LOCATION.]JOBID, or a
// table, table:[[PROJECT.]DATASET.]NAME, in its present version or, with @TIMESTAMP, an earlier one.
func (c *Conn) ReadSnapshot(ctx context.Context, ref driver.Ref) (array.RecordReader, error) {
	switch {
	case ref.Kind == driver.RefQuery:
		return c.readJob(ctx, ref.Name)
	case ref.Kind != driver.RefTable:
		return nil, errcode.New(errcode.Unimplemented,
			"bigquery: file references are unsupported; use query:JOBID or table:NAME")
	}
	table, err := c.tableRef(ref)
	if err != nil {
		return nil, err
	}
	if ref.At != "" {
		return c.readAt(ctx, table, ref.At)
	}
	t, err := c.table(ctx, table)
	if err != nil {
		return nil, err
	}
	if t.Type != "TABLE" && t.Type != "SNAPSHOT" && t.Type != "" { // a view stores no rows
		return c.Query(ctx, "SELECT * FROM "+quoted(table))
	}
	return c.readTable(ctx, t, -1, "table "+shownTable(table))
}

// tableName matches the parts of table names that are requested.
var tableName = lazyregexp.New(`^[\p{L}\p{M}\p{N}\p{Pc}\p{Pd} $]+$`)

// tableRef returns the table of a reference, with the URL's project and dataset if it names none.
func (c *Conn) tableRef(ref driver.Ref) (*bq.TableReference, error) {
	parts, err := ref.Parts()
	if err != nil {
		return nil, errcode.New(errcode.InvalidArgument, "bigquery: expected a table's name, such as dataset.table")
	}
	if len(parts) == 1 {
		if c.o.Dataset == "" {
			return nil, errcode.New(errcode.InvalidArgument,
				"bigquery: table %s: expected DATASET.NAME, or a dataset in the URL", ref.Name)
		}
		parts = []string{c.o.Dataset, parts[0]}
	}
	if len(parts) == 2 {
		parts = append([]string{c.o.Project}, parts...)
	}
	for _, p := range parts[1:] {
		if !tableName.MatchString(p) {
			return nil, errcode.New(errcode.NotFound, "bigquery: no table has the name %s", ref.Name)
		}
	}
	return &bq.TableReference{ProjectId: parts[0], DatasetId: parts[1], TableId: parts[2]}, nil
}

func quoted(t *bq.TableReference) string {
	return identifiers.Quoted(t.ProjectId) + "." + identifiers.Quoted(t.DatasetId) + "." + identifiers.Quoted(t.TableId)
}

func shownTable(t *bq.TableReference) string {
	return t.ProjectId + "." + t.DatasetId + "." + t.TableId
}

// table requests a table's metadata.
func (c *Conn) table(ctx context.Context, ref *bq.TableReference) (t *bq.Table, err error) {
	if _, err := c.jobLocation(ctx); err != nil { // it fails if the connection is closed
		return nil, err
	}
	err = c.retry(ctx, func() error {
		t, err = c.rest.Tables.Get(ref.ProjectId, ref.DatasetId, ref.TableId).Context(ctx).Do()
		return err
	})
	if err != nil {
		return nil, c.errorOf(err, "table "+shownTable(ref))
	}
	return t, nil
}

// readTable reads the rows of a table without a query, and so without a query's costs. rows is the expected number of
// rows, or -1 if unknown.
func (c *Conn) readTable(ctx context.Context, t *bq.Table, rows int64, what string) (array.RecordReader, error) {
	if t.Schema == nil {
		t.Schema = &bq.TableSchema{}
	}
	schema, err := value.SchemaOf(t.Schema)
	if err != nil {
		return nil, errcode.New(errcode.Of(err), "bigquery: %s: %w", what, err)
	}
	r := &whole{what: what, want: rows}
	if c.read != nil && !c.noRead.Load() {
		if r.Stream, err = c.session(ctx, t.TableReference, t.Schema, schema, what); err != nil {
			return nil, err
		}
	}
	paged := func(ctx context.Context) (driverbase.Stream, error) {
		ref, picos := t.TableReference, value.AnyPicoseconds(t.Schema.Fields)
		fetch := func(ctx context.Context, token string) (page, error) {
			call := c.rest.Tabledata.List(ref.ProjectId, ref.DatasetId, ref.TableId).MaxResults(c.o.PageRows).Context(ctx)
			if picos {
				call.FormatOptionsTimestampOutputFormat("ISO8601_STRING")
			} else {
				call.FormatOptionsUseInt64Timestamp(true)
			}
			if token != "" {
				call.PageToken(token)
			}
			p, err := call.Do()
			if err != nil {
				return page{}, err
			}
			r.want = p.TotalRows
			return page{nil, p.Rows, p.PageToken}, nil
		}
		var first page
		if err := c.retry(ctx, func() (err error) {
			first, err = fetch(ctx, "")
			return err
		}); err != nil {
			return nil, c.errorOf(err, what)
		}
		return c.pages(schema, t.Schema, what, first, fetch), nil
	}
	if r.Stream, err = c.orPages(ctx, r.Stream, paged); err != nil {
		return nil, err
	}
	return driverbase.NewReader(ctx, schema, r), nil
}

// readAt reads a table as of an earlier time, within the dataset's time travel window of two to seven days.
func (c *Conn) readAt(ctx context.Context, t *bq.TableReference, at string) (array.RecordReader, error) {
	when, ok := instantOf(at)
	if !ok {
		return nil, errcode.New(errcode.InvalidArgument,
			"bigquery: table %s@…: expected a timestamp such as 2026-02-28T12:00:00Z, or milliseconds since 1970", shownTable(t))
	}
	if _, err := c.table(ctx, t); err != nil { // its error is clearer than the query's
		return nil, err
	}
	r, err := c.Query(ctx,
		fmt.Sprintf("SELECT * FROM %s FOR SYSTEM_TIME AS OF TIMESTAMP_MICROS(%d)", quoted(t), when.UnixMicro()))
	if f := faultOf(err); err != nil && (f.code == errcode.InvalidArgument || f.code == errcode.NotFound) {
		return nil, errcode.Because(err, errcode.FailedPrecondition, "bigquery: table %s has no rows of %s any more or yet: a dataset keeps old rows for its time travel window, 7 days unless it was made shorter; snapshots (CREATE SNAPSHOT TABLE) are kept longer",
			shownTable(t), when.UTC().Format(time.RFC3339))
	}
	return r, err
}

// instantOf parses a timestamp, or milliseconds since 1970.
func instantOf(s string) (time.Time, bool) {
	if t, ok := driverbase.Instant(s); ok {
		return t, true
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return time.UnixMilli(n), err == nil && n > 1e9 && n < 1e14
}

// jobRef parses [PROJECT:][LOCATION.]JOBID.
func (c *Conn) jobRef(ctx context.Context, id string) (*bq.JobReference, error) {
	ref := &bq.JobReference{ProjectId: c.o.BillingProject, JobId: id}
	if i := strings.LastIndexByte(ref.JobId, ':'); i >= 0 {
		ref.ProjectId, ref.JobId = ref.JobId[:i], ref.JobId[i+1:]
	}
	if location, name, ok := strings.Cut(ref.JobId, "."); ok {
		ref.Location, ref.JobId = location, name
	}
	if !plainName(ref.JobId) || ref.ProjectId == "" || ref.Location != "" && !plainName(ref.Location) {
		return nil, errcode.New(errcode.InvalidArgument,
			"bigquery: expected a reference query:JOBID, query:LOCATION.JOBID or query:PROJECT:LOCATION.JOBID")
	}
	if ref.Location != "" {
		return ref, nil
	}
	var err error
	ref.Location, err = c.jobLocation(ctx)
	return ref, err
}

// readJob reads the result of an earlier query job, which it waits for.
func (c *Conn) readJob(ctx context.Context, id string) (array.RecordReader, error) {
	ref, err := c.jobRef(ctx, id)
	if err != nil {
		return nil, err
	}
	what := "job " + ref.JobId
	j, err := c.job(ctx, ref)
	switch errcode.Of(err) {
	case errcode.OK:
	case errcode.NotFound:
		return nil, errcode.Because(err, errcode.NotFound, "bigquery: %s is not known in project %s, location %s: jobs are kept for 180 days; name both with query:PROJECT:LOCATION.JOBID", what, ref.ProjectId, orUnknown(ref.Location))
	case errcode.PermissionDenied:
		return nil, errcode.Because(err, errcode.PermissionDenied,
			"bigquery: no access to %s; use the account that ran it, or grant bigquery.jobs.get on project %s", what,
			ref.ProjectId)
	default:
		return nil, err
	}
	for j.Status != nil && j.Status.State != "DONE" { // the job may still be running
		if _, err := c.wait(ctx, ref); err != nil {
			return nil, c.errorOf(err, what)
		}
		if j, err = c.job(ctx, ref); err != nil {
			return nil, err
		}
	}
	if cause := failureOf(j); cause != nil {
		return nil, errcode.Because(cause, errcode.FailedPrecondition, "bigquery: %s failed and has no result: %s", what,
			shown(faultOf(cause)))
	}
	kind, script := "", false
	if j.Statistics != nil && j.Statistics.Query != nil {
		kind = j.Statistics.Query.StatementType
		script = kind == "SCRIPT"
	}
	if script {
		if j, err = c.lastChild(ctx, ref); err != nil {
			return nil, err
		}
	} else if kind != "" && kind != "SELECT" {
		return nil, errcode.New(errcode.FailedPrecondition, "bigquery: %s ran a %s, which has no result; expected a SELECT",
			what, kind)
	}
	if j == nil || j.Configuration == nil || j.Configuration.Query == nil ||
		j.Configuration.Query.DestinationTable == nil {
		return nil, errcode.New(errcode.FailedPrecondition, "bigquery: %s has no result table; expected a query", what)
	}
	return c.readDestination(ctx, j, what)
}

func orUnknown(location string) string {
	if location == "" {
		return "unknown"
	}
	return location
}

// lastChild returns the last SELECT of a script; nil if it has none.
func (c *Conn) lastChild(ctx context.Context, ref *bq.JobReference) (last *bq.Job, err error) {
	var list *bq.JobList
	err = c.retry(ctx, func() error {
		list, err = c.rest.Jobs.List(ref.ProjectId).ParentJobId(ref.JobId).Projection("full").Context(ctx).Do()
		return err
	})
	if err != nil {
		return nil, c.errorOf(err, "job "+ref.JobId)
	}
	for _, child := range list.Jobs {
		if s := child.Statistics; s == nil || s.Query == nil || s.Query.StatementType != "SELECT" {
			continue
		}
		if last == nil || child.Statistics.EndTime > last.Statistics.EndTime {
			last = &bq.Job{JobReference: child.JobReference, Configuration: child.Configuration, Statistics: child.Statistics,
				Status: child.Status}
		}
	}
	return last, nil
}

// readDestination reads the destination table of a job. It returns an error if the table has expired, is not readable,
// or was written again.
func (c *Conn) readDestination(ctx context.Context, j *bq.Job, what string) (array.RecordReader, error) {
	ref := j.Configuration.Query.DestinationTable
	anonymous := strings.HasPrefix(ref.DatasetId, "_")
	t, err := c.table(ctx, ref)
	switch code := errcode.Of(err); {
	case code == errcode.NotFound && anonymous:
		return nil, errcode.Because(err, errcode.NotFound, "bigquery: the result of %s has expired: BigQuery keeps results for about 24 hours; have the query write to a table with an expiration and refer to table:NAME", what)
	case code == errcode.NotFound:
		return nil, errcode.Because(err, errcode.NotFound, "bigquery: table %s, the result of %s, no longer exists",
			shownTable(ref), what)
	case code == errcode.PermissionDenied && anonymous:
		return nil, errcode.Because(err, errcode.PermissionDenied, "bigquery: the result of %s may be read only by the account that ran it; have the query write to a table and refer to table:NAME", what)
	case err != nil:
		return nil, err
	}
	// A write within a second after the job's end may be the job's own.
	if s := j.Statistics; !anonymous && s != nil && s.EndTime > 0 && int64(t.LastModifiedTime) > s.EndTime+1000 { //nolint:gosec // milliseconds
		return nil, errcode.New(errcode.FailedPrecondition,
			"bigquery: table %s was written again after %s ended; refer to table:%s.%s@%s", shownTable(ref), what,
			ref.DatasetId, ref.TableId, time.UnixMilli(s.EndTime).UTC().Format("2006-01-02T15:04:05.000Z"))
	}
	rows := int64(-1)
	if anonymous {
		rows = int64(t.NumRows) //nolint:gosec // far below 2^63
	}
	return c.readTable(ctx, t, rows, what)
}
