// Package snowflake is a Snowflake for tests: a server that speaks the protocol of Snowflake's
// drivers, over HTTP on this machine, and runs SQL in an embedded DuckDB. It exists for what other
// emulators lack: results in chunks that are downloaded one by one, sessions that expire, results
// that expire or belong to another user, statements that run for a while, 38 digits, nanoseconds
// with zones, servers that are busy, answers that get lost, and connections that break in the
// middle of a chunk.
//
// It knows as much of Snowflake's SQL as the connector's own statements and the conformance suite
// need (see engine.go). Other results are given to it by [Server.Answer].
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

// Result is the result of a statement.
type Result struct {
	Columns []Column
	Rows    [][]Cell             // the part that comes with the answer
	Chunks  int                  // further parts, to be downloaded
	Chunk   func(i int) [][]Cell // the rows of one; called once for each download
	Bytes   func(i int) []byte   // or its Arrow stream
	JSON    bool                 // rows in JSON, as SHOW has them
	Err     *Error               // what the statement fails with
	Polls   int                  // how often the statement is still running when it is asked for
	Hangs   bool                 // it runs until it is aborted
	Owner   string               // whose result it is; "" is anybody's
	Expired bool                 // Snowflake keeps it no more
}

// Error is an error of Snowflake's.
type Error struct {
	Code, State, Message string
}

// Step is what happens to a request instead of, or around, its answer.
type Step struct {
	Status   int    // answer with this HTTP status only
	Error    *Error // answer with this error
	Lose     bool   // handle it, but close the connection instead of answering
	Truncate int    // send so many bytes of the answer, and close the connection
	Stall    bool   // answer nothing until the client or the server leaves; with Truncate, after so many bytes
}

// Kinds of requests that can be given steps.
const (
	Login  = "login"
	Renew  = "renew"
	Query  = "query"
	poll   = "poll" // of a statement's result or state
	Chunk  = "chunk"
	Cancel = "cancel"
	End    = "end" // of a session
)

// Server is a running server.
type Server struct {
	URL       string
	Password  string         // that logging in takes
	Token     string         // OAuth or programmatic access token
	PublicKey *rsa.PublicKey // of the user
	Gzip      bool           // chunks come compressed

	http   *httptest.Server
	engine driver.Conn
	writes sync.Mutex // the engine lets one write at a time

	mu         sync.Mutex
	steps      map[string][]Step
	canned     []canned
	sessions   map[string]*session // by token
	masters    map[string]*session
	requests   map[string]*request // by request id
	results    map[string]*stored  // by query id
	statements []string            // that were run
	counts     map[string]int      // of requests
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

// New starts a server that is closed at the test's end.
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

// stall waits until the client or the server leaves.
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

// Options are those of a connector's URL that reach the server.
func (s *Server) Options() string {
	u, _ := url.Parse(s.URL)
	host, port, _ := net.SplitHostPort(u.Host)
	return "protocol=http&host=" + host + "&port=" + port
}

// Answer gives statements that match a pattern a result.
func (s *Server) Answer(pattern string, r Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.canned = append(s.canned, canned{regexp.MustCompile(`(?is)^\s*` + pattern + `\s*$`), r})
}

// Keep stores a result under a query's id, as if the statement had been run before.
func (s *Server) Keep(id string, r Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.results[id] = &stored{r, id}
}

// Script gives the next requests of a kind their steps; the zero Step is an ordinary answer.
func (s *Server) Script(kind string, steps ...Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps[kind] = append(s.steps[kind], steps...)
}

// ExpireSessions makes all session tokens expire; they can be renewed. ForgetSessions takes that
// away too.
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

// Statements are the statements that were run, in order.
func (s *Server) Statements() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.statements...)
}

// Count is the number of requests of a kind.
func (s *Server) Count(kind string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[kind]
}

// stepped handles a request as the next step of its kind says.
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

// number counts up.
func (s *Server) number() int {
	s.serial++
	return s.serial
}

func (s *Server) newID() string { return fmt.Sprintf("01badbad-0000-1111-0000-%012d", s.number()) }

func token(r *http.Request) string {
	return strings.TrimSuffix(strings.TrimPrefix(r.Header.Get("Authorization"), `Snowflake Token="`), `"`)
}

// session finds a request's session, or answers why there is none.
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
