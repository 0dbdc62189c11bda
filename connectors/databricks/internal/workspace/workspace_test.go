package workspace

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
)

// clientOf is a client of a server of this test, which signs in with the token of an environment
// variable and tries again without waiting.
func clientOf(t *testing.T, h http.HandlerFunc) (*Client, string) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(at.Port())
	if err != nil {
		t.Fatal(err)
	}
	c := New(&Config{
		Host: at.Hostname(), Port: port, Protocol: "http", HTTPPath: "/sql/1.0/warehouses/a1?o=17", Secret: Secret{TokenEnv: "TOKEN"}, Retries: 3,
		Getenv: func(name string) string { return map[string]string{"TOKEN": "t0ken", "SECRET": "s3cret"}[name] },
	})
	c.Retry.First, c.Retry.Longest, c.Retry.Asked = time.Millisecond, 2*time.Millisecond, 5*time.Millisecond
	t.Cleanup(c.Close)
	return c, server.URL
}

// cut ends an answer before its end.
func cut(w http.ResponseWriter) {
	w.Header().Set("Content-Length", "100")
	_, _ = io.WriteString(w, "half")
	panic(http.ErrAbortHandler)
}

func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

func TestDo(t *testing.T) {
	fine := status(http.StatusOK, "fine")
	lost := func(w http.ResponseWriter, _ *http.Request) { cut(w) }
	busy := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	for _, tc := range []struct {
		why     string
		answers []http.HandlerFunc // in turn; the last one for ever
		repeat  bool
		asked   int64
		code    errcode.Code
		says    string
		maybe   bool // the service may have obeyed
	}{
		{why: "an answer", answers: []http.HandlerFunc{fine}, asked: 1},
		{why: "overloaded for a while", answers: []http.HandlerFunc{status(429, ""), busy, fine}, asked: 3},
		{why: "unavailable, and no word of when to come again", answers: []http.HandlerFunc{status(503, ""), fine}, asked: 1, code: errcode.Unavailable, says: "starting, stopped or overloaded", maybe: true},
		{why: "unavailable for what may be repeated", answers: []http.HandlerFunc{status(503, ""), fine}, repeat: true, asked: 2},
		{why: "unavailable for long for what may be repeated", answers: []http.HandlerFunc{status(503, "")}, repeat: true, asked: 4, code: errcode.Unavailable, says: "starting, stopped or overloaded"},
		{why: "overloaded for long", answers: []http.HandlerFunc{busy}, asked: 4, code: errcode.Unavailable, says: `SQL warehouse "a1" is starting, stopped or overloaded`},
		{why: "a failure that may have done something", answers: []http.HandlerFunc{status(500, ""), fine}, asked: 1, code: errcode.Unavailable, says: "HTTP status 500", maybe: true},
		{why: "a failure of what may be repeated", answers: []http.HandlerFunc{status(500, ""), fine}, repeat: true, asked: 2},
		{why: "an answer that is lost", answers: []http.HandlerFunc{lost, fine}, asked: 1, code: errcode.Unavailable, says: "was lost before the answer came", maybe: true},
		{why: "a lost answer of what may be repeated", answers: []http.HandlerFunc{lost, fine}, repeat: true, asked: 2},
		{why: "a token that is refused once", answers: []http.HandlerFunc{status(401, ""), fine}, asked: 2},
		{why: "a token that is refused", answers: []http.HandlerFunc{status(401, "")}, asked: 2, code: errcode.Unauthenticated, says: "the token is missing, expired or not accepted"},
		{why: "no rights", answers: []http.HandlerFunc{status(403, "")}, asked: 1, code: errcode.PermissionDenied, says: `the account needs CAN USE on SQL warehouse "a1"`},
		{why: "not there", answers: []http.HandlerFunc{status(404, "")}, asked: 1, code: errcode.NotFound, says: "check the host and http_path"},
		{why: "elsewhere", answers: []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) }}, asked: 1, code: errcode.NotFound, says: "the host redirects"},
		{why: "a bad request with a code", answers: []http.HandlerFunc{status(400, `{"error_code": "MALFORMED_REQUEST", "message": "SELECT 'secret'"}`)}, asked: 1, code: errcode.InvalidArgument, says: "(MALFORMED_REQUEST)"},
		{why: "a bad request with anything as its code", answers: []http.HandlerFunc{status(400, `{"error_code": "SELECT 'secret'"}`)}, asked: 1, code: errcode.InvalidArgument, says: "check http_path"},
		{why: "a bad request without one", answers: []http.HandlerFunc{status(400, "secret")}, asked: 1, code: errcode.InvalidArgument, says: "check http_path"},
	} {
		var asked atomic.Int64
		c, _ := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
			n := int(asked.Add(1))
			if got := r.Header.Get("Authorization") + " " + r.Header.Get("X-Databricks-Org-Id"); got != "Bearer t0ken 17" {
				t.Errorf("%s: token and workspace are %q", tc.why, got)
			}
			tc.answers[min(n, len(tc.answers))-1](w, r)
		})
		body, err := c.Do(t.Context(), Request{What: "asking", Method: http.MethodPost, Path: "/x", Body: []byte("body"), Repeat: tc.repeat})
		if maybe := Unanswered(err); maybe != tc.maybe {
			t.Errorf("%s: may have been obeyed: %v, want %v", tc.why, maybe, tc.maybe)
		}
		err = c.Explain(err)
		if n := asked.Load(); n != tc.asked || errcode.Of(err) != tc.code || err == nil && string(body) != "fine" {
			t.Errorf("%s: asked %d times, %q, %v (%v), want %d and %v", tc.why, n, body, err, errcode.Of(err), tc.asked, tc.code)
		}
		if err != nil && (!strings.HasPrefix(err.Error(), "databricks: asking: ") || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%s: %v, want it to say %q and no secret", tc.why, err, tc.says)
		}
	}
}

// A service principal gets a token, which is used until it is about to expire or is refused.
func TestServicePrincipal(t *testing.T) {
	given := 0
	refuse := ""
	c, _ := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/oidc/v1/token" {
			given++
			id, secret, _ := r.BasicAuth()
			if id != "app" || secret != "s3cret" || r.FormValue("grant_type") != "client_credentials" {
				status(http.StatusUnauthorized, `{"error": "invalid_client"}`)(w, r)
				return
			}
			status(http.StatusOK, `{"access_token": "g`+strconv.Itoa(given)+`", "expires_in": 3600}`)(w, r)
			return
		}
		got := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		if got == refuse {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, got)
	})
	c.config.Secret, c.config.ClientID = Secret{ClientSecretEnv: "SECRET"}, "app"
	now := time.Now()
	c.tokens.now = func() time.Time { return now }
	for _, tc := range []struct {
		why    string
		later  time.Duration
		refuse string
		want   string
	}{{"the first one", 0, "", "g1"}, {"the same", 50 * time.Minute, "", "g1"}, {"about to expire", 9 * time.Minute, "", "g2"}, {"refused", 0, "g2", "g3"}} {
		now, refuse = now.Add(tc.later), tc.refuse
		if got, err := c.Do(t.Context(), Request{What: "asking", Method: http.MethodGet, Path: "/x"}); err != nil || string(got) != tc.want {
			t.Errorf("%s: %q, %v, want %q", tc.why, got, err, tc.want)
		}
	}
	c.config.ClientID = "other"
	now = now.Add(time.Hour)
	if _, err := c.Do(t.Context(), Request{What: "asking", Method: http.MethodGet, Path: "/x"}); errcode.Of(err) != errcode.Unauthenticated || !strings.Contains(err.Error(), "(invalid_client)") {
		t.Errorf("another's secret: %v", err)
	}
}

func TestDownload(t *testing.T) {
	fine := status(http.StatusOK, "rows")
	for _, tc := range []struct {
		why     string
		answers []http.HandlerFunc
		link    Link
		again   []Link // what asking anew gives
		fetched int64
		code    errcode.Code
		says    string
	}{
		{why: "a file", answers: []http.HandlerFunc{fine}, fetched: 1},
		{why: "a service that fails", answers: []http.HandlerFunc{status(500, ""), fine}, fetched: 2},
		{why: "a file that is cut", answers: []http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) { cut(w) }, fine}, fetched: 2},
		{why: "a link that is refused", answers: []http.HandlerFunc{status(403, ""), fine}, again: []Link{{Start: 5, Rows: 1}, {Start: 7, Rows: 2}}, fetched: 2},
		{why: "a link that has expired", answers: []http.HandlerFunc{fine}, link: Link{Expires: time.Now().Add(time.Second)}, again: []Link{{Start: 7, Rows: 2}}, fetched: 1},
		{why: "links of other rows", answers: []http.HandlerFunc{status(403, ""), fine}, again: []Link{{Start: 7, Rows: 3}}, fetched: 1, code: errcode.DataLoss, says: "no new link for row 7"},
		{why: "links that are always refused", answers: []http.HandlerFunc{status(403, "")}, again: []Link{{Start: 7, Rows: 2}}, fetched: 4, code: errcode.Unavailable, says: "rejects every new link"},
		{why: "a service that always fails", answers: []http.HandlerFunc{status(500, "")}, fetched: 4, code: errcode.Unavailable, says: "cannot be downloaded from 127.0.0.1"},
		{why: "another scheme", link: Link{URL: "file:///etc/passwd"}, code: errcode.Unavailable, says: "not an https URL"},
	} {
		var fetched atomic.Int64
		c, at := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "" || r.Header.Get("X-Key") != "k" {
				t.Errorf("%s: the headers are %v", tc.why, r.Header)
			}
			tc.answers[min(int(fetched.Add(1)), len(tc.answers))-1](w, r)
		})
		whole := func(l Link) Link {
			if l.URL == "" {
				l.URL = at + "/file"
			}
			l.Headers = map[string]string{"X-Key": "k"}
			return l
		}
		l := whole(tc.link)
		l.Start, l.Rows = 7, 2
		body, err := c.Download(t.Context(), l, func(_ context.Context, expired Link) ([]Link, error) {
			if expired.Start != 7 {
				t.Errorf("%s: asked anew from row %d", tc.why, expired.Start)
			}
			var out []Link
			for _, l := range tc.again {
				out = append(out, whole(l))
			}
			return out, nil
		})
		if n := fetched.Load(); n != tc.fetched || errcode.Of(err) != tc.code || err == nil && string(body) != "rows" || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: fetched %d times, %q, %v; want %d, %v and %q", tc.why, n, body, err, tc.fetched, tc.code, tc.says)
		}
	}
}

// What ends with the caller's context is no fault of the workspace.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c, at := clientOf(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done() // no reply comes first
	})
	if _, err := c.Do(ctx, Request{What: "asking", Method: http.MethodGet, Path: "/x", Repeat: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("a request: %v", err)
	}
	if _, err := c.Download(ctx, Link{URL: at}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a file: %v", err)
	}
}

func TestAddresses(t *testing.T) {
	for want, c := range map[string]Config{
		"https://h.example 443":       {Host: "h.example", Protocol: "https"},
		"https://h.example:8443 8443": {Host: "h.example", Protocol: "https", Port: 8443},
		"http://[::1]:80 80":          {Host: "::1", Protocol: "http", Port: 80},
		"http://[::1] 80":             {Host: "::1", Protocol: "http"},
	} {
		if got := c.base() + " " + strconv.Itoa(c.PortNumber()); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
