package bigquery

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow/array"
	bq "google.golang.org/api/bigquery/v2"

	"github.com/badger-eval/badger/connectors/bigquery/internal/value"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// Query runs a query and streams its result, in the query's order unless Options.Streams is more than one.
func (c *Conn) Query(ctx context.Context, sql string, args ...any) (array.RecordReader, error) {
	j, err := c.ended(ctx, sql, args)
	if err != nil {
		return nil, err
	}
	return c.stream(ctx, j)
}

// Exec runs a statement and discards its result.
func (c *Conn) Exec(ctx context.Context, sql string, args ...any) error {
	_, err := c.ended(ctx, sql, args)
	return err
}

// ended runs a caller's statement and returns its ended job.
func (c *Conn) ended(ctx context.Context, sql string, args []any) (*job, error) {
	q, err := c.query(sql, args)
	if err != nil {
		return nil, err
	}
	if c.o.ReadOnly {
		if err := c.onlyReads(ctx, q); err != nil {
			return nil, err
		}
	}
	j, err := c.run(ctx, &bq.JobConfiguration{Query: q}, nil)
	return j, c.errorOf(err, c.subject())
}

// QueryText runs a query that returns a single string.
func (c *Conn) QueryText(ctx context.Context, query string, args ...any) (string, error) {
	r, err := c.Query(ctx, query, args...)
	if err != nil {
		return "", err
	}
	return driverbase.OneText("bigquery", r)
}

// subject returns the subject of errors that concern no table or job: the project.
func (c *Conn) subject() string { return "project " + c.o.Project }

// query returns the configuration of a query job.
func (c *Conn) query(sql string, args []any) (*bq.JobConfigurationQuery, error) {
	if strings.IndexByte(sql, 0) >= 0 {
		return nil, errcode.New(errcode.InvalidArgument, "bigquery: a NUL byte in the SQL text; use a parameter")
	}
	if strings.TrimSpace(sql) == "" {
		return nil, errcode.New(errcode.InvalidArgument, "bigquery: no statement")
	}
	legacy := false
	q := &bq.JobConfigurationQuery{Query: sql, UseLegacySql: &legacy, MaximumBytesBilled: c.o.MaxBytesBilled}
	if c.o.Dataset != "" {
		q.DefaultDataset = &bq.DatasetReference{ProjectId: c.o.Project, DatasetId: c.o.Dataset}
	}
	for i, arg := range args {
		p, err := parameter(arg)
		if err != nil {
			return nil, errcode.New(errcode.InvalidArgument, "bigquery: parameter %d: %w", i+1, err)
		}
		q.QueryParameters = append(q.QueryParameters, p)
	}
	if len(args) > 0 {
		q.ParameterMode = "POSITIONAL"
	}
	return q, nil
}

// parameter returns an argument as BigQuery's query parameter: a type and a value as a string.
func parameter(arg any) (*bq.QueryParameter, error) {
	typ, text := "", ""
	switch v := arg.(type) {
	case nil:
		return &bq.QueryParameter{ParameterType: &bq.QueryParameterType{Type: "STRING"},
			ParameterValue: &bq.QueryParameterValue{NullFields: []string{"Value"}}}, nil
	case bool:
		typ, text = "BOOL", strconv.FormatBool(v)
	case int64:
		typ, text = "INT64", strconv.FormatInt(v, 10)
	case int:
		typ, text = "INT64", strconv.Itoa(v)
	case float64:
		typ, text = "FLOAT64", floatText(v)
	case string:
		typ, text = "STRING", v
	case time.Time:
		typ, text = "TIMESTAMP", v.UTC().Format(value.TimestampText)
	case *bq.QueryParameter:
		return v, nil
	default:
		return nil, errcode.New(errcode.InvalidArgument, "unsupported Go type %T", arg)
	}
	return &bq.QueryParameter{ParameterType: &bq.QueryParameterType{Type: typ}, ParameterValue: textValue(text)}, nil
}

func textValue(s string) *bq.QueryParameterValue {
	return &bq.QueryParameterValue{Value: s, ForceSendFields: []string{"Value"}}
}

func floatText(x float64) string {
	switch {
	case math.IsInf(x, 1):
		return "Infinity"
	case math.IsInf(x, -1):
		return "-Infinity"
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// onlyReads has BigQuery plan a statement without running it, and returns an error for anything other than a SELECT.
func (c *Conn) onlyReads(ctx context.Context, q *bq.JobConfigurationQuery) error {
	location, err := c.jobLocation(ctx)
	if err != nil {
		return err
	}
	var j *bq.Job
	err = c.retry(ctx, func() error {
		j, err = c.rest.Jobs.Insert(c.o.BillingProject, &bq.Job{
			JobReference:  &bq.JobReference{ProjectId: c.o.BillingProject, Location: location},
			Configuration: &bq.JobConfiguration{Query: q, DryRun: true},
		}).Context(ctx).Do()
		return err
	})
	if err != nil {
		return c.errorOf(err, c.subject())
	}
	kind := ""
	if j.Statistics != nil && j.Statistics.Query != nil {
		kind = j.Statistics.Query.StatementType
	}
	if kind != "SELECT" {
		return errcode.New(errcode.PermissionDenied,
			"bigquery: project %s is opened read-only; the statement is a %s, expected a SELECT", c.o.Project, kind)
	}
	return nil
}
