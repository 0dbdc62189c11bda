package site

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf/identity"
)

// ask sends a request to a handler as somebody with roles.
func ask(t *testing.T, h http.Handler, method, address string, header map[string]string, roles ...identity.Role) (*http.Response, string) {
	t.Helper()
	r := httptest.NewRequest(method, address, strings.NewReader(""))
	r = r.WithContext(identity.With(r.Context(), identity.Caller{Name: "kim", Roles: roles}))
	for k, v := range header {
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	body, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Result(), string(body)
}

// TestHeaders holds that every answer has the headers, errors and assets too.
func TestHeaders(t *testing.T) {
	s, err := New(Options{Version: "test", EmbedIn: []string{"https://app.example.com"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"/nowhere", assetAddress("site.css"), "/assets/site.css"} {
		res, _ := ask(t, s, "GET", address, nil, identity.Read)
		policy := res.Header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self'", "base-uri 'none'", "frame-ancestors https://app.example.com"} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s: the policy %q lacks %s", address, policy, part)
			}
		}
		if strings.Contains(policy, "unsafe") {
			t.Errorf("%s: %s", address, policy)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin"} {
			if got := res.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", address, name, got, want)
			}
		}
	}
}

// TestErrorPage holds that an error says what is wrong and by which identifier the log knows it, and
// that what came in the address stays text.
func TestErrorPage(t *testing.T) {
	s, err := New(Options{Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	res, body := ask(t, s, "GET", "/nowhere?x=%3Cscript%3E", nil, identity.Read)
	id := res.Header.Get(requestID)
	if res.StatusCode != http.StatusNotFound || id == "" || !strings.Contains(body, "<code>"+id+"</code>") || !strings.Contains(body, "there is no such page") {
		t.Errorf("%d %s\n%s", res.StatusCode, id, body)
	}
	for code, want := range map[errcode.Code]int{
		errcode.InvalidArgument: 400, errcode.PermissionDenied: 403, errcode.FailedPrecondition: 409, errcode.Unavailable: 503, errcode.DeadlineExceeded: 503, errcode.Internal: 500,
	} {
		w := httptest.NewRecorder()
		s.fail(w, httptest.NewRequest(http.MethodGet, "/", nil), errcode.New(code, "<b>%s</b>", "hostile"))
		if w.Code != want || strings.Contains(w.Body.String(), "<b>hostile") || !strings.Contains(w.Body.String(), "&lt;b&gt;hostile") {
			t.Errorf("%s: %d, want %d\n%s", code, w.Code, want, w.Body)
		}
	}
}

// TestDefectsAreNotShown holds that an error that was not written for people is in the log alone.
func TestDefectsAreNotShown(t *testing.T) {
	var log bytes.Buffer
	s, err := New(Options{Version: "test", Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	s.fail(w, httptest.NewRequest(http.MethodGet, "/", nil), errors.New("template: x.html:1: boom"))
	if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "boom") || !strings.Contains(log.String(), "boom") {
		t.Errorf("%d\n%s\n%s", w.Code, w.Body, &log)
	}
}

// TestWho holds that a page is shown only to those with its role, and that another site's pages
// send nothing.
func TestWho(t *testing.T) {
	s, err := New(Options{Prefix: "/report/", Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	shown := false
	p := &page{pattern: "POST /try", role: identity.Label, serve: func(_ *Site, rw http.ResponseWriter, _ *http.Request) error {
		shown = true
		rw.WriteHeader(http.StatusNoContent)
		return nil
	}}
	mux := http.NewServeMux()
	mux.Handle("POST /report/try", s.page(p))
	s.handler = http.NewCrossOriginProtection().Handler(mux)
	for _, c := range []struct {
		name   string
		header map[string]string
		roles  []identity.Role
		want   int
	}{
		{"role", nil, []identity.Role{identity.Label}, 204},
		{"admin", map[string]string{"Sec-Fetch-Site": "same-origin"}, []identity.Role{identity.Admin}, 204},
		{"reader", nil, []identity.Role{identity.Read, identity.Call}, 403},
		{"nobody", nil, nil, 403},
		{"another site", map[string]string{"Sec-Fetch-Site": "cross-site"}, []identity.Role{identity.Admin}, 403},
		{"another origin", map[string]string{"Origin": "https://evil.example"}, []identity.Role{identity.Admin}, 403},
	} {
		shown = false
		res, _ := ask(t, s, "POST", "/report/try", c.header, c.roles...)
		if res.StatusCode != c.want || shown != (c.want == 204) {
			t.Errorf("%s: %d, want %d; shown %t", c.name, res.StatusCode, c.want, shown)
		}
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []Options{{Prefix: "report"}, {Prefix: "/a?b"}, {Prefix: "/{x}"}, {EmbedIn: []string{"*"}}, {EmbedIn: []string{"https://*"}}, {EmbedIn: []string{"https://*:443"}}, {EmbedIn: []string{"https://a.example; script-src *"}}, {EmbedIn: []string{"http://a.example"}}} {
		if _, err := New(o); errcode.Of(err) != errcode.InvalidArgument {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestAssets(t *testing.T) {
	s, err := New(Options{Prefix: "/report"})
	if err != nil {
		t.Fatal(err)
	}
	res, body := ask(t, s, "GET", "/report"+assetAddress("site.css"), nil)
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/css; charset=utf-8" || !strings.Contains(res.Header.Get("Cache-Control"), "immutable") || !strings.Contains(body, ":root") {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
	if res, _ = ask(t, s, "GET", "/report/assets/site.css", nil); res.StatusCode != http.StatusNotFound {
		t.Errorf("a name without a hash: %d", res.StatusCode)
	}
	if n := len(assets()["site.js"].data); n > 20<<10 {
		t.Errorf("site.js has %d bytes, at most 20 KB are allowed", n)
	}
}

func TestFormats(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567", 100000: "100,000"} {
		if got := count(n); got != want {
			t.Errorf("count(%d) = %s, want %s", n, got, want)
		}
	}
	half := 0.5
	for _, c := range []struct{ got, want string }{
		{share(nil), dash},
		{share((*float64)(nil)), dash},
		{share(&half), "50.0%"},
		{figure(half), "0.500"},
		{figure(nil), dash},
		{took(57.4), "57 ms"},
		{took(2.34), "2.3 ms"},
		{took(2300.0), "2.3 s"},
		{took(245000.0), "4 min 5 s"},
		{took(nil), dash},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}

// A page that is not whole, or whose address, name or place is taken, stops the program.
func TestRegister(t *testing.T) {
	before := slices.Clone(pages)
	defer func() { pages = before }()
	show := func(*Site, *http.Request) (content, error) { return content{}, nil }
	for _, tc := range []struct {
		why  string
		p    page
		stop bool
	}{
		{"a page without a link", page{name: "new", pattern: "GET /new", show: show}, false},
		{"a page with a link", page{name: "linked", pattern: "GET /linked", show: show, nav: "Linked", place: 25}, false},
		{"no page", page{pattern: "POST /new", serve: func(*Site, http.ResponseWriter, *http.Request) error { return nil }}, false},
		{"no address", page{name: "other", show: show}, true},
		{"nothing to show", page{name: "other", pattern: "GET /other"}, true},
		{"no name", page{pattern: "GET /other", show: show}, true},
		{"a link without a place", page{name: "other", pattern: "GET /other", show: show, nav: "Other"}, true},
		{"an address that is taken", page{name: "other", pattern: "GET /cases", show: show}, true},
		{"a name that is taken", page{name: "cases", pattern: "GET /other", show: show}, true},
		{"a place that is taken", page{name: "other", pattern: "GET /other", show: show, nav: "Other", place: 25}, true},
		{"a second page of cases", page{name: "other", pattern: "GET /other", show: show, perCase: true}, true},
	} {
		stopped := func() (v any) {
			defer func() { v = recover() }()
			register(&tc.p)
			return nil
		}()
		if (stopped != nil) != tc.stop {
			t.Errorf("%s: %v, expected it to stop: %t", tc.why, stopped, tc.stop)
		}
	}
	var links []string
	for _, p := range pages {
		if p.nav != "" {
			links = append(links, p.nav)
		}
	}
	if want := []string{"Overview", "Changes", "Linked", "Failures", "Questions", "Trend", "Labelling", "All answers", "Runs", "Submit a run", "Suspect golds", "Agreement", "Judges’ cost"}; !slices.Equal(links, want) {
		t.Errorf("links to %q, expected %q", links, want)
	}
}
