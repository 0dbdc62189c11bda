// Package bigquery is a server that speaks BigQuery's REST API and the gRPC forms of its
// Storage API, as far as a connector needs them, over the embedded engine. It is for tests: of what
// no emulator has (large results through the Storage API, load jobs, time travel,
// expired results) and of everything that goes wrong between a client and BigQuery, which
// [Server.Fail] makes happen at a chosen request.
//
// It is no SQL engine of BigQuery's dialect. The statements that the connector writes are
// understood; a query that is spelled otherwise there is given with its spelling for the embedded
// engine in [Server.SQL], and a result that the engine has no types for in [Server.Canned].
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

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
)

// Names of the project and dataset of a new server.
const (
	Project  = "test-project"
	Dataset  = "data"
	Location = "EU"
)

// Fault is what happens to one request. The zero fault is none.
type Fault struct {
	Status     int    // of HTTP; with it Reason and Message of a REST error
	Reason     string // such as backendError
	Message    string
	RetryAfter string
	Code       codes.Code // of a gRPC error
	Done       bool       // the request is obeyed, and only its answer lost
	Cut        bool       // the connection is cut instead of an answer
	Batches    int        // of a ReadRows, answered before the fault; of AppendRows, confirmed before it
}

// Result is a result that the embedded engine cannot make: as the REST API and as the Storage API
// send it.
type Result struct {
	Schema *bq.TableSchema
	Rows   []*bq.TableRow
	Record arrow.Record
}

// Server is a running server.
type Server struct {
	REST    string // http://HOST:PORT
	Storage string // HOST:PORT

	writing sync.Mutex
	mu      sync.Mutex
	SQL     map[string]string // a query in BigQuery's dialect: its spelling for the engine
	Canned  map[string]Result // by query
	Token   string            // that is wanted; "" is none
	Running int               // answers that a job still runs, before it has ended
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
	modified map[string]int64 // milliseconds, of tables
	history  map[string][]version
	next     int
	last     string // job
	failing  []*bq.ErrorProto
}

// version is a table as it was.
type version struct {
	until time.Time
	table string
}

// Start starts a server on this machine, which is closed when the test ends.
func Start(t testing.TB) *Server {
	t.Helper()
	db, err := duckdb.OpenFile(context.Background(), "", driver.Options{})
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

// URL opens the server's project, with more options as a URL has them, such as storage=off.
func (s *Server) URL(options ...string) string {
	all := append([]string{"endpoint=" + s.REST, "storage_endpoint=" + s.Storage}, options...)
	return "bigquery://" + Project + "/" + Dataset + "?" + strings.Join(all, "&")
}

// Fail injects faults into the next requests of an operation, one each. Operations are named as in
// BigQuery's references: jobs.insert, jobs.get, jobs.getQueryResults, tables.get, tabledata.list,
// CreateReadSession, ReadRows and so on. A load job's rows are sent to upload.
func (s *Server) Fail(operation string, faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[operation] = append(s.faults[operation], faults...)
}

// Calls is how often an operation was asked for.
func (s *Server) Calls(operation string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[operation]
}

// Set changes the server's fields while it runs.
func (s *Server) Set(f func(s *Server)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s)
}

// Exec runs a statement of the embedded engine's dialect.
func (s *Server) Exec(statement string) error { return s.db.Exec(context.Background(), statement) }

// Expire drops the results of all queries so far, as 24 hours do.
func (s *Server) Expire() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range s.jobs {
		j.expired = true
	}
	return nil
}

// Keep keeps a table of the dataset as it is now: until now, reading it as it was finds these rows.
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

// fault takes the fault of a request, and counts it.
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

// allowed checks the token of a request.
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

// routes are the REST API's.
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
