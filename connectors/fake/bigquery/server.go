// Package bigquery is a fake BigQuery for tests: its REST API and the gRPC Storage API, as far as a connector needs
// them, over the embedded engine. It covers what no emulator has (large results through the Storage API, load jobs,
// time travel, expired results) and the faults between a client and BigQuery, which [Server.Fail] injects into chosen
// requests.
//
// It does not implement BigQuery's SQL dialect. It supports the statements that the connector writes. For another
// query, [Server.SQL] sets its translation for the embedded engine, and [Server.Canned] a result that the engine has no
// types for.
package bigquery

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/bigquery/storage/apiv1/storagepb"
	"github.com/apache/arrow/go/v17/arrow"
	bq "google.golang.org/api/bigquery/v2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"

	"github.com/badger-eval/badger/connectors/duckdb"
)

// The project, dataset and location of a new server.
const (
	Project  = "test-project"
	Dataset  = "data"
	Location = "EU"
)

// Fault is what happens to one request. The zero Fault handles it normally.
type Fault struct {
	Status     int    // HTTP status, of a REST error with Reason and Message
	Reason     string // such as backendError
	Message    string
	RetryAfter string
	Code       codes.Code // code of a gRPC error
	Done       bool       // the request is handled, and only its response is lost
	Cut        bool       // the connection is closed without a response
	Batches    int        // number of batches that a ReadRows sends before the fault
}

// Result is a result that the embedded engine cannot produce, for the REST API and for the Storage API.
type Result struct {
	Schema *bq.TableSchema
	Rows   []*bq.TableRow
	Record arrow.Record
}

// Server is a fake BigQuery.
type Server struct {
	REST    string // http://HOST:PORT
	Storage string // HOST:PORT

	writing sync.Mutex
	mu      sync.Mutex
	SQL     map[string]string // translations for the engine, by the query in BigQuery's dialect
	Canned  map[string]Result // results by query
	Token   string            // required of requests; "" accepts any
	Running int               // number of responses that report a job as running before it has ended
	Whole   bool              // each batch of the Storage Read API is a whole stream with its schema
	Drift   map[string]string // by page token: a column that is renamed from that page on

	db       *duckdb.Conn
	http     *httptest.Server
	rpc      *grpc.Server
	faults   map[string][]Fault
	calls    map[string]int
	jobs     map[string]*job
	uploads  map[string]*upload
	expires  map[string]time.Time
	modified map[string]int64 // time of the last modification of tables, in milliseconds
	history  map[string][]version
	next     int
	last     string // ID of the last job
	failing  []*bq.ErrorProto
}

// version is an earlier version of a table.
type version struct {
	until time.Time
	table string
}

// Start starts a server on this machine that is closed when the test ends.
func Start(t testing.TB) *Server {
	t.Helper()
	db, err := duckdb.OpenWith(context.Background(), "", duckdb.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{
		SQL: map[string]string{}, Canned: map[string]Result{}, Drift: map[string]string{}, db: db,
		faults: map[string][]Fault{}, calls: map[string]int{}, jobs: map[string]*job{},
		uploads: map[string]*upload{}, expires: map[string]time.Time{}, modified: map[string]int64{},
		history: map[string][]version{},
	}
	for _, statement := range []string{"CREATE SCHEMA " + Dataset, "CREATE SCHEMA " + anonymous,
		"CREATE MACRO TO_JSON_STRING(x) AS COALESCE(CAST(to_json(x) AS VARCHAR), 'null')",
		"CREATE MACRO JSON_QUERY(x, path) AS json_extract(x, path)"} {
		if err := db.Exec(context.Background(), statement); err != nil {
			t.Fatal(err)
		}
	}
	s.http = httptest.NewServer(s.routes())
	s.REST = s.http.URL
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Storage = listener.Addr().String()
	s.rpc = grpc.NewServer(grpc.MaxRecvMsgSize(32 << 20))
	storagepb.RegisterBigQueryReadServer(s.rpc, &readServer{s: s})
	go s.rpc.Serve(listener) //nolint:errcheck // it ends with the server
	t.Cleanup(func() {
		s.rpc.Stop()
		s.http.CloseClientConnections()
		s.http.Close()
		db.Close() //nolint:errcheck // in memory
	})
	return s
}

// URL returns the URL of the server's project, with additional options such as storage=off.
func (s *Server) URL(options ...string) string {
	all := append([]string{"endpoint=" + s.REST, "storage_endpoint=" + s.Storage}, options...)
	return "bigquery://" + Project + "/" + Dataset + "?" + strings.Join(all, "&")
}

// Fail injects faults into the next requests of an operation, one each. Operations are named as in BigQuery's
// reference: jobs.insert, jobs.get, jobs.getQueryResults, tables.get, tabledata.list, CreateReadSession, ReadRows and
// so on. The operation upload receives a load job's rows.
func (s *Server) Fail(operation string, faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[operation] = append(s.faults[operation], faults...)
}

// Calls returns the number of requests of an operation.
func (s *Server) Calls(operation string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[operation]
}

// Set calls f to change the server's fields while it runs.
func (s *Server) Set(f func(s *Server)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s)
}

// Exec runs a statement of the embedded engine's dialect on the engine.
func (s *Server) Exec(statement string) error { return s.db.Exec(context.Background(), statement) }

// Expire drops the results of all queries so far, as BigQuery does after 24 hours.
func (s *Server) Expire() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range s.jobs {
		j.expired = true
	}
	return nil
}

// Keep saves the present rows of a table as its version until now, for time travel.
func (s *Server) Keep(table string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	copied := fmt.Sprintf("%s.version_%d", anonymous, s.next)
	if err := s.db.Exec(context.Background(), "CREATE TABLE "+copied+" AS SELECT * FROM "+Dataset+"."+table); err != nil {
		return err
	}
	s.history[table] = append(s.history[table], version{time.Now(), copied})
	return nil
}

// fault counts a request, and removes and returns its fault, if any.
func (s *Server) fault(operation string) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[operation]++
	queue := s.faults[operation]
	if len(queue) == 0 {
		return Fault{}
	}
	s.faults[operation] = queue[1:]
	return queue[0]
}

func (f Fault) any() bool { return f.Status != 0 || f.Code != codes.OK || f.Cut }

// allowed reports whether a request's Authorization header has the token.
func (s *Server) allowed(authorization string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Token == "" || authorization == "Bearer "+s.Token
}

func authorizationOf(ctx context.Context) string {
	md, _ := metadata.FromIncomingContext(ctx)
	if v := md.Get("authorization"); len(v) > 0 {
		return v[0]
	}
	return ""
}

// routes returns the handler of the REST API.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	const base = "/bigquery/v2/projects/{project}"
	handle := func(pattern, operation string, f func(*http.Request) (any, error)) {
		method, path, _ := strings.Cut(pattern, " ")
		mux.HandleFunc(method+" "+base+path, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, operation, f) })
	}
	handle("POST /jobs", "jobs.insert", s.insertJob)
	handle("GET /jobs", "jobs.list", s.listJobs)
	handle("GET /jobs/{job}", "jobs.get", s.getJob)
	handle("POST /jobs/{job}/cancel", "jobs.cancel", s.cancelJob)
	handle("GET /queries/{job}", "jobs.getQueryResults", s.queryResults)
	handle("GET /datasets/{dataset}", "datasets.get", s.getDataset)
	handle("POST /datasets/{dataset}/tables", "tables.insert", s.insertTable)
	handle("GET /datasets/{dataset}/tables/{table}", "tables.get", s.getTable)
	handle("DELETE /datasets/{dataset}/tables/{table}", "tables.delete", s.deleteTable)
	handle("GET /datasets/{dataset}/tables/{table}/data", "tabledata.list", s.listData)
	mux.HandleFunc("POST /upload"+base+"/jobs", func(w http.ResponseWriter, r *http.Request) { s.startUpload(w, r) })
	mux.HandleFunc("/upload/session/{id}", func(w http.ResponseWriter, r *http.Request) { s.continueUpload(w, r) })
	return mux
}
