package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/udf/identity"
)

// served serves s over HTTP. The header X-Test names the caller, as the guard of a listener would, and the role.
func served(t testing.TB, s *Server) string {
	t.Helper()
	h := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		name, role, _ := strings.Cut(r.Header.Get("X-Test"), ":")
		caller := identity.Caller{Name: name, Roles: []identity.Role{identity.Role(role)}}
		s.Handler().ServeHTTP(rw, r.WithContext(identity.With(r.Context(), caller)))
	}))
	t.Cleanup(h.Close)
	return h.URL
}

type asCaller string

func (c asCaller) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("X-Test", string(c))
	return http.DefaultTransport.RoundTrip(r)
}

func connect(t testing.TB, url, as string) *sdk.ClientSession {
	t.Helper()
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&sdk.StreamableClientTransport{Endpoint: url + Path, HTTPClient: &http.Client{Transport: asCaller(as)}, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func callTool(t testing.TB, c *sdk.ClientSession, name, arguments string) string {
	t.Helper()
	r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	text := r.Content[0].(*sdk.TextContent).Text
	if r.IsError {
		return "error: " + text
	}
	return text
}

// Callers over HTTP have a limit and roles of their own, and no session.
func TestHTTPCallers(t *testing.T) {
	s := open(t, Options{Config: Config{Verdicts: 1}, Golden: items(goldenCase("a", table("[[42]]")))})
	url := served(t, s)
	wrong := `{"case_id":"a","result":` + table("[[1]]") + `}`
	other := `{"case_id":"a","result":` + table("[[2]]") + `}`
	for _, tc := range []struct{ as, tool, arguments, want string }{
		{"ana:call", "check_answer", wrong, `"reason":"other_data","left":0}`},
		{"ana:call", "check_answer", other, `"reason":"limit_reached","left":0}`},
		{"bob:call", "check_answer", other, `"reason":"other_data","left":0}`},
		{"eve:read", "check_answer", other, `error: the caller lacks the role call`},
		{"ana:call", "failing_cases", `{}`, `error: the caller lacks the role read`},
		{"eve:read", "failing_cases", `{}`, `error: stored runs are not available`},
		{"", "check_answer", other, `error: the caller lacks the role call`},
	} {
		c := connect(t, url, tc.as)
		if c.ID() != "" {
			t.Errorf("%s has a session %q, want none", tc.as, c.ID())
		}
		if got := callTool(t, c, tc.tool, tc.arguments); !strings.Contains(got, tc.want) {
			t.Errorf("%s %s: %s, want %s", tc.as, tc.tool, got, tc.want)
		}
	}
}

func TestTools(t *testing.T) {
	c := connect(t, served(t, open(t, Options{Golden: items()})), "ana:call")
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if !tool.Annotations.ReadOnlyHint || tool.Annotations.OpenWorldHint == nil || *tool.Annotations.OpenWorldHint {
			t.Errorf("%s is not read-only", tool.Name)
		}
	}
	if want := []string{"check_answer", "compare_runs", "explain_case", "failing_cases", "golden_gaps"}; !slices.Equal(names, want) {
		t.Errorf("tools %v, want %v", names, want)
	}
}

// tight is an account that has no memory.
type tight struct{ account.Account }

func (tight) Hold(context.Context, int64) error { return io.ErrShortBuffer }

func TestHTTPRequests(t *testing.T) {
	s := open(t, Options{MessageBytes: 1000, Golden: items(goldenCase("a", table("[[42]]")))})
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"check_answer","arguments":{"case_id":"a","result":` + table("[[1]]") + `}}}`
	for _, tc := range []struct {
		why, method, path, origin, body string
		ctx                             context.Context
		status                          int
		says                            string
	}{
		{"a call", "POST", Path, "", body, t.Context(), 200, "other_data"},
		{"a page of the server", "POST", Path, "http://example.com", body, t.Context(), 200, "other_data"},
		{"a page of another site", "POST", Path, "https://evil.example", body, t.Context(), 403, "another site"},
		{"a page without a site", "POST", Path, "null", body, t.Context(), 403, "another site"},
		{"another path", "POST", "/", "", body, t.Context(), 404, Path},
		{"a stream", "GET", Path, "", "", t.Context(), 405, "POST"},
		{"the end of a session", "DELETE", Path, "", "", t.Context(), 405, "POST"},
		{"a large body", "POST", Path, "", body + strings.Repeat(" ", 1000), t.Context(), 413, "1000 bytes"},
		{"no memory", "POST", Path, "", body, account.With(t.Context(), tight{}), 429, "memory"},
		{"no JSON", "POST", Path, "", "{", t.Context(), 400, ""},
		{"a compressed body", "POST", Path, "", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", t.Context(), 400, ""},
	} {
		r := httptest.NewRequestWithContext(tc.ctx, tc.method, "http://example.com"+tc.path, strings.NewReader(tc.body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if tc.origin != "" {
			r.Header.Set("Origin", tc.origin)
		}
		rec := httptest.NewRecorder()
		s.Handler().ServeHTTP(rec, r)
		if rec.Code != tc.status || !strings.Contains(rec.Body.String(), tc.says) {
			t.Errorf("%s: status %d, want %d: %s", tc.why, rec.Code, tc.status, rec.Body)
		}
		if id := rec.Header().Get("Mcp-Session-Id"); id != "" {
			t.Errorf("%s: a session %s", tc.why, id)
		}
	}
}

// A message on standard input that is too long ends the connection before it is read.
func TestStdio(t *testing.T) {
	s := open(t, Options{MessageBytes: 4000, Golden: items(goldenCase("a", table("[[42]]")))})
	start := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`
	check := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"check_answer","arguments":{"case_id":"a","result":` + table("[[42]]") + `}}}` + "\n"
	for _, tc := range []struct {
		why, first, want, then string
		fails                  bool
	}{
		{"a call", start + check, `"left\":2`, "", false},
		{"a long message", start, "protocolVersion", `{"x":"` + strings.Repeat("x", 1<<20), true},
	} {
		in, write := io.Pipe()
		var out strings.Builder
		ended := make(chan error, 1)
		answered := make(chan bool, 1)
		go func() { ended <- s.Stdio(t.Context(), in, &watching{&out, tc.want, answered}) }()
		go func() { _, _ = io.WriteString(write, tc.first) }()
		<-answered
		go func() { _, _ = io.WriteString(write, tc.then) }()
		if !tc.fails { // the first text was read whole, because it was answered
			_ = write.Close()
		}
		if err := <-ended; (err != nil) != tc.fails {
			t.Errorf("%s: %v", tc.why, err)
		}
		_ = in.Close()
	}
}

// watching tells when a text was written.
type watching struct {
	to   *strings.Builder
	want string
	seen chan bool
}

func (w *watching) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if strings.Contains(w.to.String(), w.want) {
		select {
		case w.seen <- true:
		default:
		}
	}
	return n, err
}

// BenchmarkCheckAnswer is one check of a new answer over HTTP, on a golden set of 1,000 cases with 100 rows each. It
// reports the 50th and the 99th percentile.
func BenchmarkCheckAnswer(b *testing.B) {
	const cases, rows = 1000, 100
	result := func(wrong int) string {
		var cells []string
		for i := range rows {
			cells = append(cells, fmt.Sprintf(`["boat %d",%d,%d.5]`, i, 7*i, i+wrong))
		}
		return `{"columns":[{"name":"name"},{"name":"n"},{"name":"length"}],"rows":[` + strings.Join(cells, ",") + `]}`
	}
	gold := result(0)
	s := open(b, Options{Config: Config{Verdicts: 1 << 30}, Golden: items(manyCases(cases, func(int) string { return gold })...)})
	c := connect(b, served(b, s), "ana:call")
	var took []time.Duration
	n := 0
	for b.Loop() {
		n++
		arguments := fmt.Sprintf(`{"case_id":"c%d","sql":"SELECT name, n, length FROM boats -- %d","result":%s}`, n%cases+1, n, result(n%3))
		start := time.Now()
		if got := callTool(b, c, "check_answer", arguments); !strings.Contains(got, `"left"`) {
			b.Fatal(got)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	ms := func(share float64) float64 {
		return float64(took[int(share*float64(len(took)-1))].Microseconds()) / 1000
	}
	b.ReportMetric(ms(0.5), "p50-ms")
	b.ReportMetric(ms(0.99), "p99-ms")
}
