package site

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/badger-eval/badger/udf/identity"
)

// TestDoor holds that a link of the terminal lets in one browser once, and nobody else gets in.
func TestDoor(t *testing.T) {
	guard, err := identity.New(identity.Config{Mode: identity.Local, DefaultRoles: []string{"read"}}, identity.Env{})
	if err != nil {
		t.Fatal(err)
	}
	var seen identity.Caller
	inside := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen, _ = identity.From(r.Context()) })
	d := NewDoor(guard, inside, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7435})
	ask := func(address, host string, cookies ...*http.Cookie) *http.Response {
		seen = identity.Caller{}
		r := httptest.NewRequest(http.MethodGet, address, nil)
		r.Host = host
		for _, c := range cookies {
			r.AddCookie(c)
		}
		w := httptest.NewRecorder()
		d.ServeHTTP(w, r)
		return w.Result()
	}
	first := d.NewLink()
	link := d.NewLink()
	const here = "127.0.0.1:7435"
	if res := ask("/", here); res.StatusCode != http.StatusForbidden {
		t.Errorf("without the link: %d", res.StatusCode)
	}
	if res := ask(first, here); res.StatusCode != http.StatusForbidden {
		t.Errorf("a link that a later one replaced: %d", res.StatusCode)
	}
	if res := ask(link, "evil.example"); res.StatusCode != http.StatusForbidden {
		t.Errorf("under another host name: %d", res.StatusCode)
	}
	res := ask(link, here)
	if res.StatusCode != http.StatusOK || len(res.Cookies()) != 1 || seen.Roles != nil {
		t.Fatalf("the link: %d, %v", res.StatusCode, res.Cookies())
	}
	cookie := res.Cookies()[0]
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || strings.Contains(link, cookie.Value) {
		t.Errorf("the cookie: %+v", cookie)
	}
	if res := ask(link, here); res.StatusCode != http.StatusForbidden || len(res.Cookies()) != 0 {
		t.Errorf("the link again: %d", res.StatusCode)
	}
	if res := ask("/", here, cookie); res.StatusCode != http.StatusOK || !seen.May(identity.Read) || seen.May(identity.Label) {
		t.Errorf("with the cookie: %d, %v", res.StatusCode, seen)
	}
	// A label that a page from before sends is kept by that page and sent again, so it is told when and why.
	r := httptest.NewRequest(http.MethodPost, "/label", nil)
	r.Host = here
	r.Header.Set("Accept", "application/json")
	w := httptest.NewRecorder()
	if d.ServeHTTP(w, r); w.Code != http.StatusUnauthorized || !strings.Contains(w.Body.String(), `"again":true`) || !strings.Contains(w.Body.String(), "open the link") {
		t.Errorf("a script without the cookie: %d %s", w.Code, w.Body)
	}
	if res := ask("/", here, &http.Cookie{Name: cookie.Name, Value: "x"}); res.StatusCode != http.StatusForbidden {
		t.Errorf("with another cookie: %d", res.StatusCode)
	}
}
