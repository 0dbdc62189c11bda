// Package databricks is a fake Databricks workspace with one SQL warehouse for tests: the Thrift protocol over HTTP,
// files in cloud storage, the Statement Execution API and OAuth tokens. SQL runs in the embedded engine. Faults can be
// injected into requests.
//
// Its responses follow the vendor's drivers and documentation. A test in which the vendor's own driver reads from it
// shows that its Thrift is compatible.
package databricks

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/badger-eval/badger/connectors/driver"
)

// HTTPPath is the HTTP path of the warehouse.
const HTTPPath = "/sql/1.0/warehouses/0123456789abcdef"

// Server is a fake workspace.
type Server struct {
	Token                  string        // required of requests; "" accepts any
	ClientID, ClientSecret string        // of a service principal; each sign-in issues a new Token
	TokenLife              time.Duration // lifetime of issued tokens; 0 is an hour

	Files    bool          // results are links to files, for clients that support them
	LZ4      bool          // batches and files are compressed, for clients that support it
	PageRows int64         // maximum rows of a page; 0 is 10,000
	FileRows int64         // rows of a file; 0 is a page's
	LinkLife time.Duration // lifetime of links; 0 is 15 minutes
	Direct   bool          // the first page is in the first response
	Columns  bool          // results are sent by column, as by services without Arrow
	Extra    bool          // batches and files have more rows than announced
	Short    bool          // files have one row less than announced
	Storage  string        // prefix of the URLs of files; "" is the server's own

	url    string
	engine driver.Conn

	writes     sync.Mutex // serializes statements that write
	mu         sync.Mutex
	serial     int
	steps      map[string][]Step
	counts     map[string]int
	canned     []canned
	statements []string
	sessions   map[string]*session
	operations map[string]*operation
	kept       map[string]*Kept
	files      map[string]*file
}

type session struct {
	Catalog, Schema string
	Conf            map[string]string
}

// file is a file in cloud storage.
type file struct {
	body    []byte
	expires time.Time
}

// Fault is the protocol's error of a statement or a call.
type Fault struct {
	State, Message string
	Handle         bool // report an invalid handle
}

// Step is what happens to one request. The zero Step handles it normally.
type Step struct {
	Status     int // respond only with this HTTP status
	RetryAfter int // in seconds
	Reason     string
	Body       string
	Obey       bool   // handle the request before the response with Status
	Lose       bool   // handle the request, and close the connection without a response
	Drop       bool   // close the connection without handling the request
	Truncate   int    // handle the request, and send only so many bytes of the response
	Corrupt    bool   // handle the request, and change a byte in the middle of the response
	Fault      *Fault // respond with an error of the protocol
	Skip       bool   // skip a page: respond to this request as to the following one
}

// Result is a canned result of a statement.
type Result struct {
	Record arrow.Record
	Types  []string // SQL types, if they do not follow from the record
	Hangs  bool     // the statement runs until it is cancelled
	Polls  int      // number of polls before the statement has ended
	Fault  *Fault
	Repeat int // number of copies of the record; 0 is one
}

type canned struct {
	pattern *regexp.Regexp
	result  Result
}

// New starts a server that is closed when the test ends.
func New(t testing.TB) *Server {
	t.Helper()
	engine, err := openEngine(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{
		Direct: true, LZ4: true, Files: true, engine: engine, steps: map[string][]Step{}, counts: map[string]int{},
		sessions: map[string]*session{}, operations: map[string]*operation{}, kept: map[string]*Kept{},
		files: map[string]*file{},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+HTTPPath, s.thrift)
	mux.HandleFunc("GET /api/2.0/sql/statements/{id}", s.stepped("statement", s.statement))
	mux.HandleFunc("GET /api/2.0/sql/statements/{id}/result/chunks/{n}", s.stepped("chunk", s.chunk))
	mux.HandleFunc("POST /oidc/v1/token", s.stepped("token", s.signIn))
	mux.HandleFunc("GET /files/{id}", s.stepped("file", s.download))
	mux.HandleFunc("/", s.stepped("other", other))
	h := httptest.NewServer(mux)
	s.url = h.URL
	t.Cleanup(func() {
		s.mu.Lock()
		var open []*operation
		for _, op := range s.operations {
			open = append(open, op)
		}
		s.mu.Unlock()
		for _, op := range open {
			op.close()
		}
		h.CloseClientConnections()
		h.Close()
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// URL returns the URL of the warehouse, with additional options.
func (s *Server) URL(options ...string) string {
	return "databricks://" + strings.TrimPrefix(s.url, "http://") + "?protocol=http&http_path=" +
		url.QueryEscape(HTTPPath) + strings.Join(append([]string{""}, options...), "&")
}

// Address returns the server's host and port.
func (s *Server) Address() string { return strings.TrimPrefix(s.url, "http://") }

// Answer gives statements that match a pattern a canned result; the latest call takes precedence.
func (s *Server) Answer(pattern string, r Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.canned = append(s.canned, canned{regexp.MustCompile(`(?is)^\s*` + pattern + `\s*$`), r})
}

// Script sets what happens to the next requests of a kind, one Step each. The kinds are the protocol's methods, such as
// FetchResults, and statement, chunk, token, file and other.
func (s *Server) Script(kind string, steps ...Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps[kind] = append(s.steps[kind], steps...)
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

// Sessions returns the initial settings of the open sessions.
func (s *Server) Sessions() (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.sessions {
		out = append(out, fmt.Sprint(x.Catalog, ".", x.Schema, " ", x.Conf))
	}
	return out
}

// Halt cancels all running statements, as an administrator could.
func (s *Server) Halt() {
	s.mu.Lock()
	running := slices.Collect(maps.Values(s.operations))
	s.mu.Unlock()
	for _, op := range running {
		op.cancel()
	}
}

// Open returns the number of statements that were neither closed nor cancelled.
func (s *Server) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.operations)
}

// SetToken sets the token that requests must have, and the lifetime of tokens that are issued from now on.
func (s *Server) SetToken(token string, life time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Token, s.TokenLife = token, life
}

// ForgetSessions ends all sessions.
func (s *Server) ForgetSessions() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.sessions)
}

// ExpireLinks makes all links that were issued so far expire.
func (s *Server) ExpireLinks() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.files {
		f.expires = time.Time{}
	}
}

func (s *Server) step(kind string) Step {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[kind]++
	var step Step
	if len(s.steps[kind]) > 0 {
		step, s.steps[kind] = s.steps[kind][0], s.steps[kind][1:]
	}
	return step
}

// stepped returns a handler that applies the next Step of its kind to each request.
func (s *Server) stepped(kind string, handle http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { s.follow(s.step(kind), w, r, handle) }
}

// follow handles a request according to a Step.
func (s *Server) follow(step Step, w http.ResponseWriter, r *http.Request, handle http.HandlerFunc) {
	switch {
	case step.Drop:
		panic(http.ErrAbortHandler)
	case step.Status != 0:
		if step.Obey {
			handle(httptest.NewRecorder(), r)
		}
		if step.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(step.RetryAfter))
		}
		if step.Reason != "" {
			w.Header().Set("X-Databricks-Reason-Phrase", step.Reason)
		}
		w.WriteHeader(step.Status)
		_, _ = w.Write([]byte(step.Body))
	case step.Corrupt:
		rec := httptest.NewRecorder()
		handle(rec, r)
		body := rec.Body.Bytes()
		body[len(body)/2] ^= 0xff
		_, _ = w.Write(body)
	case step.Lose || step.Truncate > 0:
		rec := httptest.NewRecorder()
		handle(rec, r)
		body := rec.Body.Bytes()
		if step.Truncate > 0 && step.Truncate < len(body) {
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
			_, _ = w.Write(body[:step.Truncate])
			_ = http.NewResponseController(w).Flush()
		}
		panic(http.ErrAbortHandler)
	default:
		handle(w, r)
	}
}

// other answers requests that a client of the warehouse does not need. It reports that telemetry is enabled.
func other(w http.ResponseWriter, r *http.Request) {
	if !strings.Contains(r.URL.Path, "/feature-flags/") {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"flags":[{"name":"databricks.partnerplatform.clientConfigsFeatureFlags.enableTelemetryForGoDriver","value":"true"}],"ttl_seconds":3600}`))
}

// allowed reports whether a request has the token, and writes an error response if not.
func (s *Server) allowed(w http.ResponseWriter, r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Token == "" || r.Header.Get("Authorization") == "Bearer "+s.Token {
		return true
	}
	w.WriteHeader(http.StatusUnauthorized)
	_, _ = w.Write(
		[]byte(`{"error_code":"401","message":"Credential was not sent or was of an unsupported type for this API."}`))
	return false
}

// signIn issues a token to a service principal.
func (s *Server) signIn(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, secret, _ := r.BasicAuth()
	w.Header().Set("Content-Type", "application/json")
	if s.ClientID == "" || id != s.ClientID || secret != url.QueryEscape(s.ClientSecret) ||
		r.FormValue("grant_type") != "client_credentials" || r.FormValue("scope") != "all-apis" {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"error":"invalid_client","error_description":"Client authentication failed"}`))
		return
	}
	s.serial++
	s.Token = fmt.Sprintf("token-%d", s.serial)
	life := s.TokenLife
	if life == 0 {
		life = time.Hour
	}
	_ = json.NewEncoder(w).Encode(
		map[string]any{"access_token": s.Token, "token_type": "Bearer", "expires_in": int(life / time.Second)})
}

// download sends a file to a client that knows its URL, and rejects requests with a token.
func (s *Server) download(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	f := s.files[r.PathValue("id")]
	s.mu.Unlock()
	switch {
	case r.Header.Get("Authorization") != "":
		w.WriteHeader(http.StatusBadRequest)
	case f == nil || time.Now().After(f.expires) || r.Header.Get("X-Storage-Key") != "k":
		w.WriteHeader(http.StatusForbidden)
	default:
		w.Header().Set("Content-Length", strconv.Itoa(len(f.body)))
		_, _ = w.Write(f.body)
	}
}

// store adds a file to cloud storage and returns its URL and its expiration.
func (s *Server) store(body []byte) (address string, expires time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serial++
	id := fmt.Sprintf("f%d", s.serial)
	life := s.LinkLife
	if life == 0 {
		life = 15 * time.Minute
	}
	s.files[id] = &file{body, time.Now().Add(life)}
	return cmp.Or(s.Storage, s.url) + "/files/" + id, s.files[id].expires
}

// Canned returns the canned result for a statement, or nil.
func (s *Server) Canned(sql string) *Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.canned) - 1; i >= 0; i-- {
		if s.canned[i].pattern.MatchString(sql) {
			return &s.canned[i].result
		}
	}
	return nil
}
