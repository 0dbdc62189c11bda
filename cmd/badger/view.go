package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/site"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/udf/identity"
)

// reportConfig is what a deployment decides about the report.
type reportConfig struct {
	Off     bool     `yaml:"off"`      // badger serve does not serve it
	Prefix  string   `yaml:"prefix"`   // of its addresses, such as /report
	Labels  bool     `yaml:"labels"`   // people with the role label may label, people with admin may make queues
	Masked  []string `yaml:"masked"`   // columns of results whose cells are shown as hashes
	EmbedIn []string `yaml:"embed_in"` // origins whose pages may show the report in a frame
}

type viewCommand struct {
	DB     string   `name:"db" required:"" placeholder:"URL" help:"Database whose runs are shown, such as duckdb:badger.duckdb."`
	Config string   `placeholder:"FILE" help:"Configuration in YAML, of which report.masked counts."`
	HTTP   string   `name:"http" default:"127.0.0.1:7435" placeholder:"HOST:PORT" help:"Where the pages are, on this machine; port 0 takes a free one."`
	Mask   []string `placeholder:"COLUMN,…" help:"Columns of results whose cells are shown as hashes."`
	Label  bool     `help:"Let people label, too. Without it nothing is written."`
}

// Run shows the report until it is interrupted.
func (c *viewCommand) Run(ctx context.Context, p process) error {
	config, err := readConfig(c.Config, p)
	if err != nil {
		return err
	}
	host, _, err := net.SplitHostPort(c.HTTP)
	if ip, _ := netip.ParseAddr(host); err != nil || !(host == "localhost" || ip.IsLoopback()) {
		return usage("--http: %.60q is no address of this machine only, such as 127.0.0.1:7435; badger serve shows the report to others", c.HTTP)
	}
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer w.Close()
	pages, err := site.New(site.Options{
		Warehouse: w, Version: version(), Metrics: metric.All(), Masked: append(config.Report.Masked, c.Mask...), Labels: c.Label, Now: p.now,
		Budget: site.Budget(config.Judge.Budget), Log: slog.New(slog.NewTextHandler(p.stderr, nil)),
	})
	if err != nil {
		return err
	}
	roles := []string{string(identity.Read)}
	if c.Label {
		roles = []string{string(identity.Admin)}
	}
	guard, err := identity.New(identity.Config{Mode: identity.Local, DefaultRoles: roles}, identity.Surroundings{Getenv: p.getenv})
	if err != nil {
		return err
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", c.HTTP)
	if err != nil {
		return errcode.New(errcode.FailedPrecondition, "--http: %w", err)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	d := newDoor(guard, pages, l.Addr())
	fmt.Fprintf(p.stderr, "open %s (the link works once; Enter makes another, Ctrl+C ends)\n", d.newLink())
	go d.renew(p)
	server := &http.Server{Handler: d, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, WriteTimeout: 5 * time.Minute, MaxHeaderBytes: 64 << 10}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err = server.Shutdown(last); err != nil {
			err = server.Close()
		}
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// open opens the database: to read, or to write labels, too.
func (c *viewCommand) open(ctx context.Context) (*connectors.Warehouse, error) {
	if !c.Label {
		return openSparingly(ctx, c.DB, readOnly)
	}
	w, err := openSparingly(ctx, c.DB, readWrite)
	return installed(ctx, w, err)
}

// door lets in the browser that opened a link from the terminal: other users of the machine reach
// the port, too. A link works once and leaves a cookie that is good until the program ends.
type door struct {
	guard  *identity.Guard
	next   http.Handler
	addr   net.Addr
	cookie string // its name, which has the port: cookies do not keep ports apart
	secret string

	mu   sync.Mutex
	link string // the key that opens; "": it was used
}

func newDoor(guard *identity.Guard, next http.Handler, addr net.Addr) *door {
	_, port, _ := net.SplitHostPort(addr.String())
	return &door{guard: guard, next: next, addr: addr, cookie: "badger_" + port, secret: rand.Text()}
}

// newLink makes a link; one that was not used ends.
func (d *door) newLink() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.link = rand.Text()
	return fmt.Sprintf("http://%s/?open=%s", d.addr, d.link)
}

// renew prints another link for each line of standard input.
func (d *door) renew(p process) {
	for lines := bufio.NewScanner(p.stdin); lines.Scan(); {
		fmt.Fprintf(p.stderr, "open %s\n", d.newLink())
	}
}

// takes tells whether a key is that of the link, which then ends.
func (d *door) takes(key string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.link == "" || subtle.ConstantTimeCompare([]byte(key), []byte(d.link)) != 1 {
		return false
	}
	d.link = ""
	return true
}

func (d *door) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	rw.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'") // the pages have a policy of their own
	rw.Header().Set("X-Content-Type-Options", "nosniff")
	who, err := d.guard.Identify(r.Context(), &identity.Request{Header: r.Header.Values, HTTP: true, Host: r.Host, Origin: r.Header.Get("Origin")})
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
		http.Error(rw, "This browser has not opened the link that the terminal shows, or the link was used. Press Enter in the terminal for another.", http.StatusForbidden)
		return
	}
	d.next.ServeHTTP(rw, r.WithContext(identity.With(r.Context(), who)))
}
