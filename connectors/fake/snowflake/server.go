// Package snowflake is a fake Snowflake for tests: a server that implements the protocol of Snowflake's drivers, over
// HTTP on this machine, and runs SQL in an embedded DuckDB. It covers what other emulators lack: results in chunks that
// are downloaded separately, sessions and results that expire, results of another user, statements that run for a
// while, 38 digits, nanoseconds with zones, busy servers, lost responses, and connections that break in the middle of a
// chunk.
//
// It supports as much of Snowflake's SQL as the connector's own statements and the conformance suite need (see
// engine.go). Other results are set by [Server.Answer].
package snowflake

import (
	"compress/gzip"
	"context"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/fake/engine"
)

// Result is the result or the error of a statement.
type Result struct {
	Columns []Column
	Rows    [][]Cell             // rows in the response itself
	Chunks  int                  // number of chunks that are downloaded separately
	Chunk   func(i int) [][]Cell // returns the rows of a chunk; called for each download
	Bytes   func(i int) []byte   // returns a chunk's Arrow stream instead
	JSON    bool                 // rows are sent as JSON, as for SHOW
	Err     *Error               // error of the statement; nil if it succeeds
	Polls   int                  // number of polls for which the statement is still running
	Hangs   bool                 // it runs until it is aborted
	Owner   string               // user whose result it is; "" is every user
	Expired bool                 // Snowflake no longer stores it
}

// Error is an error of Snowflake.
type Error struct {
	Code, State, Message string
}

// Step is what happens to one request. The zero Step handles it normally.
type Step struct {
	Status   int    // respond only with this HTTP status
	Error    *Error // respond with this error
	Lose     bool   // handle the request, but close the connection without a response
	Truncate int    // send so many bytes of the response, and close the connection
	Stall    bool   // send nothing until the client or the server closes; with Truncate, after so many bytes
}

// Kinds of requests, for Script and Count.
const (
	Login  = "login"
	Renew  = "renew"
	Query  = "query"
	poll   = "poll" // of a statement's result or state
	Chunk  = "chunk"
	Cancel = "cancel"
	End    = "end" // of a session
)

// Server is a fake Snowflake.
type Server struct {
	URL       string
	Password  string         // password that sign-in requires
	Token     string         // OAuth or programmatic access token that sign-in requires
	PublicKey *rsa.PublicKey // of the user, for key pairs
	Gzip      bool           // chunks are compressed

	http   *httptest.Server
	engine driver.Conn
	writes sync.Mutex // serializes statements that write

	mu         sync.Mutex
	steps      map[string][]Step
	canned     []canned
	sessions   map[string]*session // by token
	masters    map[string]*session
	requests   map[string]*request // by request id
	results    map[string]*stored  // by query id
	statements []string            // that were run, in order
	counts     map[string]int      // number of requests, by kind
	serial     int
	closing    chan struct{}
}

type canned struct {
	pattern *regexp.Regexp
	result  Result
}

type session struct {
	user, schema string
	database     string
	params       map[string]string
	expired      bool
}

// request is a running or finished statement, for retries under its id.
type request struct {
	cancel context.CancelFunc
	done   chan struct{}
	body   []byte
}

type stored struct {
	Result
	id string
}

// New starts a server that is closed when the test ends.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{
		Password: "swordfish", steps: map[string][]Step{}, sessions: map[string]*session{}, masters: map[string]*session{},
		requests: map[string]*request{}, results: map[string]*stored{}, counts: map[string]int{},
		closing: make(chan struct{}),
	}
	var err error
	if s.engine, err = engine.Open(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /session/v1/login-request", s.stepped(Login, s.login))
	mux.HandleFunc("POST /session/token-request", s.stepped(Renew, s.renew))
	mux.HandleFunc("POST /session", s.stepped(End, s.ok))
	mux.HandleFunc("POST /session/heartbeat", s.ok)
	mux.HandleFunc("POST /telemetry/send", func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.UserAgent(), "Go/") {
			t.Error("the driver sent telemetry")
		}
		reply(w, nil)
	})
	mux.HandleFunc("POST /queries/v1/query-request", s.stepped(Query, s.query))
	mux.HandleFunc("POST /queries/v1/abort-request", s.stepped(Cancel, s.abort))
	mux.HandleFunc("GET /queries/{id}/result", s.stepped(poll, s.result))
	mux.HandleFunc("GET /monitoring/queries/{id}", s.stepped(poll, s.status))
	mux.HandleFunc("GET /chunks/{id}/{n}", s.stepped(Chunk, s.chunk))
	s.http = httptest.NewServer(mux)
	s.URL = s.http.URL
	t.Cleanup(s.close)
	return s
}

// stall waits until the client or the server closes.
func (s *Server) stall(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-s.closing:
	}
}

func (s *Server) close() {
	close(s.closing)
	s.mu.Lock()
	for _, r := range s.requests {
		r.cancel()
	}
	s.mu.Unlock()
	s.http.CloseClientConnections()
	s.http.Close()
	s.engine.Close() //nolint:errcheck // in memory
}

// Options returns the options of a connector's URL for this server.
func (s *Server) Options() string {
	u, _ := url.Parse(s.URL)
	host, port, _ := net.SplitHostPort(u.Host)
	return "protocol=http&host=" + host + "&port=" + port
}

// Answer sets the result of statements that match a pattern.
func (s *Server) Answer(pattern string, r Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.canned = append(s.canned, canned{regexp.MustCompile(`(?is)^\s*` + pattern + `\s*$`), r})
}

// Keep adds a result under a query's ID, as if the statement had been run before.
func (s *Server) Keep(id string, r Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.results[id] = &stored{r, id}
}

// Script sets what happens to the next requests of a kind, one Step each.
func (s *Server) Script(kind string, steps ...Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps[kind] = append(s.steps[kind], steps...)
}

// ExpireSessions makes all session tokens expire; they can be renewed. [Server.ForgetSessions] ends sessions for good.
func (s *Server) ExpireSessions() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.sessions {
		x.expired = true
	}
}

// Parameter returns the value of a parameter in each session.
func (s *Server) Parameter(name string) (values []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.sessions {
		values = append(values, x.params[name])
	}
	return values
}

// ForgetSessions ends all sessions for good.
func (s *Server) ForgetSessions() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.sessions)
	clear(s.masters)
}

// Statements returns the statements that were run, in order.
func (s *Server) Statements() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.statements...)
}

// Count returns the number of requests of a kind.
func (s *Server) Count(kind string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[kind]
}

// stepped returns a handler that applies the next Step of its kind to each request.
func (s *Server) stepped(kind string, handle http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.counts[kind]++
		var step Step
		if len(s.steps[kind]) > 0 {
			step, s.steps[kind] = s.steps[kind][0], s.steps[kind][1:]
		}
		s.mu.Unlock()
		switch {
		case step.Status != 0:
			w.WriteHeader(step.Status)
		case step.Error != nil:
			fail(w, *step.Error)
		case step.Stall && step.Truncate == 0:
			s.stall(r)
		case step.Lose || step.Truncate > 0:
			rec := httptest.NewRecorder()
			handle(rec, r)
			body := rec.Body.Bytes()
			if step.Truncate > 0 && step.Truncate < len(body) {
				for k, v := range rec.Header() {
					w.Header()[k] = v
				}
				w.Header().Set("Content-Length", fmt.Sprint(len(body)))
				_, _ = w.Write(body[:step.Truncate])
				_ = http.NewResponseController(w).Flush()
			}
			if step.Stall {
				s.stall(r)
			}
			panic(http.ErrAbortHandler)
		default:
			handle(w, r)
		}
	}
}

func reply(w http.ResponseWriter, data any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"success": true, "data": data, "code": nil, "message": nil})
}

func fail(w http.ResponseWriter, e Error) { failQuery(w, e, "") }

func failQuery(w http.ResponseWriter, e Error, id string) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"success": false, "code": e.Code, "message": e.Message,
		"data": map[string]any{"sqlState": e.State, "errorCode": e.Code, "queryId": id},
	})
}

func (s *Server) ok(w http.ResponseWriter, _ *http.Request) { reply(w, nil) }

func body(r *http.Request) ([]byte, error) {
	in := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			return nil, err
		}
		in = z
	}
	return io.ReadAll(in)
}

// number returns the next number of a sequence.
func (s *Server) number() int {
	s.serial++
	return s.serial
}

func (s *Server) newID() string { return fmt.Sprintf("01badbad-0000-1111-0000-%012d", s.number()) }

func token(r *http.Request) string {
	return strings.TrimSuffix(strings.TrimPrefix(r.Header.Get("Authorization"), `Snowflake Token="`), `"`)
}

// session returns a request's session, or writes an error response and returns nil.
func (s *Server) session(w http.ResponseWriter, r *http.Request) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.sessions[token(r)]
	switch {
	case x == nil:
		fail(w, Error{"390111", "08003", "Session no longer exists. New login required to access the service."})
		return nil
	case x.expired:
		fail(w, Error{"390112", "08003", "Your session has expired. Please login again."})
		return nil
	}
	return x
}
