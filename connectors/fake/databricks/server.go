// Package databricks is a server for tests that answers as a Databricks workspace with one SQL
// warehouse does: the Thrift protocol over HTTP, files of cloud storage, the Statement Execution
// API and OAuth tokens. SQL runs in the embedded engine. Requests can be given faults.
//
// What it answers follows the vendor's drivers and documentation; that its Thrift is the real one
// is shown by a test that lets the vendor's own driver read from it.
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

// HTTPPath is where the warehouse is.
const HTTPPath = "/sql/1.0/warehouses/0123456789abcdef"

// Server is a workspace.
type Server struct {
	Token                  string        // that requests must carry; "" is any
	ClientID, ClientSecret string        // of a service principal; each sign-in gives a new Token
	TokenLife              time.Duration // that sign-ins say; 0 is an hour

	Files    bool          // results go as links to files, to those who take them
	LZ4      bool          // batches and files are compressed, for those who take them
	PageRows int64         // of one page at most; 0 is 10,000
	FileRows int64         // of one file; 0 is a page's
	LinkLife time.Duration // of links; 0 is 15 minutes
	Direct   bool          // the first page comes with the first answer
	Columns  bool          // results go column by column, as from services without Arrow
	Extra    bool          // batches and files hold more rows than they announce
	Short    bool          // files hold a row less than they announce
	Storage  string        // address that links to files begin with; "" is the server's own

	url    string
	engine driver.Conn

	writes     sync.Mutex // one writing statement at a time
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

// file is one of cloud storage.
type file struct {
	body    []byte
	expires time.Time
}

// Fault is an error of a statement or a call.
type Fault struct {
	State, Message string
	Handle         bool // an invalid handle
}

// Step is how one request fares.
type Step struct {
	Status     int // the answer is this status and nothing else
	RetryAfter int // seconds
	Reason     string
	Body       string
	Obey       bool   // it is obeyed before the answer of that status
	Lose       bool   // it is obeyed, and the connection ends before the answer
	Drop       bool   // it is not obeyed, and the connection ends
	Truncate   int    // it is obeyed, and so much of the answer arrives
	Corrupt    bool   // it is obeyed, and a byte in the middle of the answer is another
	Fault      *Fault // it is answered with an error of the protocol
	Skip       bool   // it is answered as the next one of its kind would be: a page is left out
}

// Result is a canned result.
type Result struct {
	Record arrow.Record
	Types  []string // in SQL, if they do not follow from the record
	Hangs  bool     // until it is cancelled
	Polls  int      // questions before it has ended
	Fault  *Fault
	Repeat int // the record so many times; 0 is once
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

// URL opens the warehouse, with more options if need be.
func (s *Server) URL(options ...string) string {
	return "databricks://" + strings.TrimPrefix(s.url, "http://") + "?protocol=http&http_path=" +
		url.QueryEscape(HTTPPath) + strings.Join(append([]string{""}, options...), "&")
}

// Address is the server's host and port.
func (s *Server) Address() string { return strings.TrimPrefix(s.url, "http://") }

// Answer gives statements that match a pattern a canned result; the latest call takes precedence.
func (s *Server) Answer(pattern string, r Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.canned = append(s.canned, canned{regexp.MustCompile(`(?is)^\s*` + pattern + `\s*$`), r})
}

// Script gives the next requests of a kind their steps; the zero Step is an ordinary answer. The
// kinds are the protocol's methods, such as FetchResults, and statement, chunk, token, file and other.
func (s *Server) Script(kind string, steps ...Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps[kind] = append(s.steps[kind], steps...)
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

// Sessions returns the initial settings of the open sessions.
func (s *Server) Sessions() (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.sessions {
		out = append(out, fmt.Sprint(x.Catalog, ".", x.Schema, " ", x.Conf))
	}
	return out
}

// Halt cancels the statements that run, as an administrator may.
func (s *Server) Halt() {
	s.mu.Lock()
	running := slices.Collect(maps.Values(s.operations))
	s.mu.Unlock()
	for _, op := range running {
		op.cancel()
	}
}

// Open is the number of statements that were neither closed nor cancelled.
func (s *Server) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.operations)
}

// SetToken makes another token the one that requests must carry, and TokenLife that of those given
// out from now on.
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

// ExpireLinks makes all links expire that were given out so far.
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

// stepped handles a request as the next step of its kind says.
func (s *Server) stepped(kind string, handle http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { s.follow(s.step(kind), w, r, handle) }
}

// follow answers a request as a step says.
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

// allowed reports whether a request carries the token, and answers if it does not.
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

// signIn gives a service principal a token.
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

// store puts a file into cloud storage and returns its address.
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

// Canned is the canned result of a statement, nil if there is none.
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
