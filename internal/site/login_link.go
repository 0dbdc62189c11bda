package site

import (
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"

	"github.com/badger-eval/badger/internal/webheaders"
	"github.com/badger-eval/badger/udf/identity"
)

// Door authenticates a browser by a link printed in the terminal, since other users of the machine can connect to the
// port, too. A link works once and sets a cookie that is valid until the program ends.
type Door struct {
	guard  *identity.Guard
	next   http.Handler
	addr   net.Addr
	cookie string // cookie's name, with the port: browsers share cookies between ports
	secret string

	mu   sync.Mutex
	link string // the key in the current link; "" if it was used
}

// NewDoor returns a Door that passes authenticated requests to next. addr is the listener's address, and guard rejects
// disallowed callers, hosts and origins.
func NewDoor(guard *identity.Guard, next http.Handler, addr net.Addr) *Door {
	_, port, _ := net.SplitHostPort(addr.String())
	return &Door{guard: guard, next: next, addr: addr, cookie: "badger_" + port, secret: rand.Text()}
}

// NewLink returns a new link. An earlier link stops working.
func (d *Door) NewLink() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.link = rand.Text()
	return fmt.Sprintf("http://%s/?open=%s", d.addr, d.link)
}

// takes reports whether key is that of the current link, and invalidates the link if so.
func (d *Door) takes(key string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.link == "" || subtle.ConstantTimeCompare([]byte(key), []byte(d.link)) != 1 {
		return false
	}
	d.link = ""
	return true
}

func (d *Door) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	webheaders.Set(rw.Header()) // the pages have a separate policy
	who, err := d.guard.Identify(r.Context(),
		&identity.Request{Header: r.Header.Values, HTTP: true, Host: r.Host, Origin: r.Header.Get("Origin")})
	if err != nil {
		http.Error(rw, err.Error(), http.StatusForbidden)
		return
	}
	if key := r.URL.Query().Get("open"); key != "" && r.Method == http.MethodGet && d.takes(key) {
		http.SetCookie(rw, &http.Cookie{Name: d.cookie, Value: d.secret, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode}) //nolint:gosec // loopback has no TLS
		rw.Header().Set("Cache-Control", "no-store")
		rw.Header().Set("Referrer-Policy", "no-referrer")
		// A page, not a redirection: a strict cookie is not sent to where another program's link is
		// redirected.
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(rw, `<!DOCTYPE html><html lang="en"><meta http-equiv="refresh" content="0; url=/"><title>badger</title><p><a href="/">Open the report</a></p></html>`)
		return
	}
	c, err := r.Cookie(d.cookie)
	if err != nil || subtle.ConstantTimeCompare([]byte(c.Value), []byte(d.secret)) != 1 {
		if wantsJSON(r) { // a label that waits in a page from before: it is sent again from the next page
			out := sentLabel{Error: "this browser is signed out: press Enter in the terminal, and open the link", Again: true}
			_ = answerJSON(rw, http.StatusUnauthorized, out)
			return
		}
		http.Error(rw, "This browser has not opened the link that the terminal shows, or the link was used. Press Enter in the terminal for another.", http.StatusForbidden)
		return
	}
	d.next.ServeHTTP(rw, r.WithContext(identity.With(r.Context(), who)))
}
