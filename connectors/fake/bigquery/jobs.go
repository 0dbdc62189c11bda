package bigquery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	bq "google.golang.org/api/bigquery/v2"

	"github.com/badger-eval/badger/internal/errcode"
)

// anonymous is the dataset of temporary results.
const anonymous = "_results"

// Endless is a query whose result has no end. A query over it never ends.
const Endless = "SELECT i, r FROM badger_endless"

// job is an inserted job.
type job struct {
	ref     *bq.JobReference
	config  *bq.JobConfiguration
	kind    string
	table   string // the engine's table that contains the result
	list    string // the select list of its columns; see [Server.columns]
	schema  *bq.TableSchema
	sent    *arrow.Schema // what the Storage Read API sends, once it was asked for; guarded by the server's mu
	rows    int64
	canned  *Result
	failed  *bq.ErrorProto
	endless bool
	never   bool
	expired bool
	running int // number of responses that report it as still running
	ended   int64
	parent  string
}

func (s *Server) insertJob(r *http.Request) (any, error) {
	var raw any
	d := json.NewDecoder(r.Body)
	d.UseNumber()
	if err := d.Decode(&raw); err != nil {
		return nil, &apiError{http.StatusBadRequest, "parseError", "the body is no JSON"}
	}
	keepNulls(raw)
	var in bq.Job
	text, err := json.Marshal(raw)
	if err == nil {
		err = json.Unmarshal(text, &in)
	}
	if err != nil {
		return nil, &apiError{http.StatusBadRequest, "parseError", "the body is not a job"}
	}
	return s.startJob(r.PathValue("project"), &in, nil)
}

// startJob runs a job until it ends, or never ends. rows are the data of a load job.
func (s *Server) startJob(project string, in *bq.Job, rows *textRows) (any, error) {
	if in.Configuration == nil || in.Configuration.Query == nil && in.Configuration.Load == nil {
		return nil, &apiError{http.StatusBadRequest, "invalid", "Required parameter is missing: query"}
	}
	if in.JobReference == nil {
		in.JobReference = &bq.JobReference{ProjectId: project}
	}
	ref := in.JobReference
	if l := ref.Location; l != "" && l != Location {
		return nil, notFound("Dataset " + project + ":" + Dataset + " was not found in location " + l)
	}
	s.mu.Lock()
	s.next++
	if ref.JobId == "" {
		ref.JobId = fmt.Sprintf("job_%d", s.next)
	}
	if s.jobs[ref.JobId] != nil {
		s.mu.Unlock()
		return nil, &apiError{http.StatusConflict, "duplicate", "Already Exists: Job " + project + ":" + ref.JobId}
	}
	j := &job{ref: &bq.JobReference{ProjectId: project, JobId: ref.JobId, Location: Location}, config: in.Configuration,
		running: s.Running}
	if !in.Configuration.DryRun {
		s.jobs[ref.JobId], s.last = j, ref.JobId
		if len(s.failing) > 0 {
			j.failed, s.failing = s.failing[0], s.failing[1:]
		}
	}
	s.mu.Unlock()
	if in.Configuration.Load != nil {
		j.kind = "LOAD"
		err := error(nil)
		if j.failed == nil {
			err = s.insertRows(context.Background(), in.Configuration.Load.DestinationTable, in.Configuration.Load.Schema.Fields,
				rows)
		}
		if err != nil {
			j.failed = &bq.ErrorProto{Reason: "invalid", Message: err.Error()}
		}
	} else {
		j.kind = statementType(in.Configuration.Query.Query)
		if !in.Configuration.DryRun && j.failed == nil {
			s.runQuery(j)
		}
	}
	j.ended = time.Now().UnixMilli()
	return s.show(j), nil
}

// keepNulls replaces NULL parameters with a marker, as the generated types do not distinguish them from empty
// strings.
func keepNulls(v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			if name == "value" && member == nil {
				v[name] = nullText
			}
			keepNulls(member)
		}
	case []any:
		for _, member := range v {
			keepNulls(member)
		}
	}
}

func statementType(sql string) string {
	word := strings.ToUpper(strings.TrimSpace(sql))
	if strings.Count(strings.TrimSuffix(word, ";"), ";") > 0 {
		return "SCRIPT"
	}
	for word != "" && word[0] == '(' {
		word = word[1:]
	}
	fields := strings.Fields(word)
	if len(fields) == 0 {
		return ""
	}
	switch fields[0] {
	case "SELECT", "WITH", "FROM", "VALUES":
		return "SELECT"
	case "CREATE":
		for _, f := range fields[1:] {
			if f == "SCHEMA" || f == "TABLE" || f == "VIEW" {
				return "CREATE_" + f
			}
		}
	case "DROP", "ALTER":
		return fields[0] + "_" + fields[1]
	}
	return fields[0]
}

// runQuery runs a statement in the engine, and stores a query's result in a table.
func (s *Server) runQuery(j *job) {
	ctx := context.Background()
	q := j.config.Query
	s.mu.Lock()
	canned, isCanned := s.Canned[strings.TrimSpace(q.Query)]
	s.mu.Unlock()
	switch {
	case isCanned:
		j.canned, j.schema, j.rows = &canned, canned.Schema, int64(len(canned.Rows))
	case strings.TrimSpace(q.Query) == Endless:
		j.endless, j.rows = true, 1<<50
		j.schema = &bq.TableSchema{Fields: []*bq.TableFieldSchema{{Name: "i", Type: "INTEGER"}, {Name: "r", Type: "FLOAT"}}}
	case strings.Contains(q.Query, Endless):
		j.never = true
		return
	default:
		if err := s.runStatement(ctx, j); err != nil {
			j.failed = s.jobError(err)
		}
	}
	if j.kind == "SELECT" && q.DestinationTable == nil {
		q.DestinationTable = &bq.TableReference{ProjectId: j.ref.ProjectId, DatasetId: anonymous, TableId: j.ref.JobId}
	}
}

func (s *Server) runStatement(ctx context.Context, j *job) error {
	sql, args, cleanup, err := s.translate(ctx, j)
	if cleanup != nil {
		defer cleanup()
	}
	if err != nil {
		return err
	}
	const inDataset = "SET schema = '" + Dataset + "'; "
	if j.kind != "SELECT" {
		s.writing.Lock() // BigQuery too queues statements that change the same table
		defer s.writing.Unlock()
		if err := s.db.Exec(ctx, inDataset+sql, args...); err != nil {
			return err
		}
		s.touch()
		return nil
	}
	if sql == "" {
		return errors.New("Syntax error: no statement at [1:1]")
	}
	j.table = anonymous + "." + quote(j.ref.JobId)
	if err := s.db.Exec(ctx, inDataset+"CREATE TABLE "+j.table+" AS "+sql, args...); err != nil {
		return err
	}
	list, schema, sums, err := s.columns(ctx, j.table)
	if err != nil {
		return err
	}
	j.list, j.schema = list, schema
	if j.rows, err = s.count(ctx, j.table); err != nil || !sums {
		return err
	}
	// Values that BigQuery's types do not hold are an error of the job, not of the one who reads its result.
	wide := j.table
	j.table = anonymous + "." + quote(j.ref.JobId+"_narrow")
	defer s.db.Exec(ctx, "DROP TABLE "+wide) //nolint:errcheck // in memory
	return s.db.Exec(ctx, "CREATE TABLE "+j.table+" AS SELECT "+list+" FROM "+wide)
}

// columns returns the columns of a table: as a select list with the types in which they are stored, and as BigQuery's
// schema. sums is set if the values of a column may be too large for the type in which it is stored.
func (s *Server) columns(ctx context.Context, table string) (list string, schema *bq.TableSchema, sums bool,
	err error) {
	r, err := s.db.Query(ctx, "SELECT * FROM "+table+" LIMIT 0")
	if err != nil {
		return "", nil, false, err
	}
	defer r.Release()
	schema = &bq.TableSchema{}
	var casts []string
	for _, f := range r.Schema().Fields() {
		engine, c := stored(f)
		sums = sums || strings.Contains(fmt.Sprint(f.Type), "decimal256")
		casts = append(casts, fmt.Sprintf("CAST(%s AS %s) AS %[1]s", quote(f.Name), engine))
		schema.Fields = append(schema.Fields, c)
	}
	return strings.Join(casts, ", "), schema, sums, nil
}

func (s *Server) count(ctx context.Context, table string) (int64, error) {
	text, err := s.db.QueryText(ctx, "SELECT CAST(COUNT(*) AS VARCHAR) FROM "+table)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(text, 10, 64)
}

// touch records that tables may have been modified.
func (s *Server) touch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.modified[""] = time.Now().UnixMilli()
}

var (
	noTable = regexp.MustCompile(
		`Table with name "?([^"\s]+)"? does not exist|schema(?: with name)? "?([^"\s]+)"? does not exist`)
	noColumn   = regexp.MustCompile(`Referenced column "([^"]+)" not found|column named "?([^"\s]+)"?`)
	noFunction = regexp.MustCompile(`Function with name "?([^"\s!]+)"? does not exist`)
)

// jobError returns BigQuery's error for an error of the engine. Like BigQuery's, it quotes values and SQL text.
func (s *Server) jobError(err error) *bq.ErrorProto {
	text := err.Error()
	if cause := errors.Unwrap(err); cause != nil {
		text = cause.Error()
	}
	first := func(m []string) string {
		for _, g := range m[1:] {
			if g != "" {
				return g
			}
		}
		return ""
	}
	if m := noTable.FindStringSubmatch(text); m != nil {
		return &bq.ErrorProto{Reason: "notFound",
			Message: fmt.Sprintf("Not found: Table %s:%s.%s was not found in location %s", Project, Dataset, first(m), Location)}
	}
	if m := noColumn.FindStringSubmatch(text); m != nil {
		return &bq.ErrorProto{Reason: "invalidQuery", Message: fmt.Sprintf("Unrecognized name: %s at [1:8]", first(m))}
	}
	if m := noFunction.FindStringSubmatch(text); m != nil {
		return &bq.ErrorProto{Reason: "invalidQuery", Message: fmt.Sprintf("Function not found: %s at [1:8]", first(m))}
	}
	if errcode.Of(err) == errcode.AlreadyExists {
		return &bq.ErrorProto{Reason: "duplicate", Message: "Already Exists: " + text}
	}
	return &bq.ErrorProto{Reason: "invalidQuery", Message: text}
}

func (s *Server) show(j *job) *bq.Job {
	out := &bq.Job{
		JobReference: j.ref, Configuration: j.config, Status: &bq.JobStatus{State: "DONE"},
		Statistics: &bq.JobStatistics{EndTime: j.ended, Query: &bq.JobStatistics2{StatementType: j.kind}},
	}
	if j.never || j.running > 0 {
		out.Status.State = "RUNNING"
		return out
	}
	if j.failed != nil {
		out.Status.ErrorResult = j.failed
	}
	return out
}

func (s *Server) find(r *http.Request) (*job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.jobs[r.PathValue("job")]
	location := r.URL.Query().Get("location")
	if j == nil || location != Location || j.ref.ProjectId != r.PathValue("project") {
		return nil, notFound("Job " + r.PathValue("project") + ":" + location + "." + r.PathValue("job"))
	}
	return j, nil
}

func (s *Server) getJob(r *http.Request) (any, error) {
	j, err := s.find(r)
	if err != nil {
		return nil, err
	}
	return s.show(j), nil
}

func (s *Server) listJobs(r *http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := &bq.JobList{}
	for _, j := range s.jobs {
		if j.parent == r.URL.Query().Get("parentJobId") {
			shown := s.show(j)
			out.Jobs = append(out.Jobs,
				&bq.JobListJobs{JobReference: shown.JobReference, Configuration: shown.Configuration, Statistics: shown.Statistics,
					Status: shown.Status})
		}
	}
	return out, nil
}

func (s *Server) cancelJob(r *http.Request) (any, error) {
	j, err := s.find(r)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if j.never {
		j.never, j.failed = false,
			&bq.ErrorProto{Reason: "stopped", Message: "Job execution was cancelled: User requested cancellation"}
	}
	return &bq.JobCancelResponse{}, nil
}

// FailJobs makes the next jobs fail, each with one of the reasons.
func (s *Server) FailJobs(reasons ...*bq.ErrorProto) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failing = append(s.failing, reasons...)
}

// Timeout returns the timeout of the last job, or 0 if it had none.
func (s *Server) Timeout() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Duration(s.jobs[s.last].config.JobTimeoutMs) * time.Millisecond
}

// LastJob returns the ID of the job that was inserted last.
func (s *Server) LastJob() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// Past is an earlier job.
type Past struct {
	ID, Kind, Parent string
	Destination      *bq.TableReference // nil if it has no result
	Ended            time.Time
	Failed           *bq.ErrorProto // nil if it succeeded
}

// AddJob adds an earlier job, for references to it.
func (s *Server) AddJob(p Past) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.jobs[p.ID] = &job{
		ref: &bq.JobReference{ProjectId: Project, JobId: p.ID, Location: Location}, kind: p.Kind, parent: p.Parent,
		ended: p.Ended.UnixMilli(), failed: p.Failed,
		config: &bq.JobConfiguration{Query: &bq.JobConfigurationQuery{DestinationTable: p.Destination}},
	}
}

func (s *Server) queryResults(r *http.Request) (any, error) {
	j, err := s.find(r)
	if err != nil {
		return nil, err
	}
	out := &bq.GetQueryResultsResponse{JobReference: j.ref}
	s.mu.Lock()
	running, failed := j.running > 0, j.failed
	if running {
		j.running--
	}
	never := j.never
	s.mu.Unlock()
	if never {
		select { // wait for at most 200 ms
		case <-r.Context().Done():
		case <-time.After(200 * time.Millisecond):
		}
		return out, nil
	}
	if running {
		return out, nil
	}
	if failed != nil {
		status := map[string]int{"notFound": 404, "accessDenied": 403, "quotaExceeded": 403, "rateLimitExceeded": 403,
			"backendError": 503, "duplicate": 409}[failed.Reason]
		if status == 0 {
			status = http.StatusBadRequest
		}
		return nil, &apiError{status, failed.Reason, failed.Message}
	}
	out.JobComplete, out.Schema, out.TotalRows = true, j.schema, uint64(j.rows) //nolint:gosec // not negative
	out.Rows, out.PageToken, err = s.page(r, j)
	if token := r.URL.Query().Get("pageToken"); token != "" {
		out.Schema = s.drifted(token, out.Schema)
	}
	return out, err
}

// drifted returns the schema, with a column renamed as Drift specifies for this page token.
func (s *Server) drifted(token string, schema *bq.TableSchema) *bq.TableSchema {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, ok := s.Drift["*"]
	if !ok {
		name, ok = s.Drift[token]
	}
	if !ok {
		return schema
	}
	first := *schema.Fields[0]
	first.Name = name
	return &bq.TableSchema{Fields: append([]*bq.TableFieldSchema{&first}, schema.Fields[1:]...)}
}
