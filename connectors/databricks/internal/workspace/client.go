// Package workspace sends requests to a Databricks workspace: with its credentials, with retries of
// transient errors, and with errors that describe the rejected request and a remedy. It also reads the
// files of cloud storage in which a workspace returns parts of results.
package workspace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// maxAnswer bounds one answer of the service, which is held whole. Pages of results are far below.
const maxAnswer = 1 << 30

// newClient makes a client that reaches others through a proxy, or directly where it is nil. It
// follows no redirection, which could lead it to another host.
func newClient(proxy *url.URL) *http.Client {
	t := driver.Transport(proxy)
	t.MaxIdleConnsPerHost = 8
	t.ResponseHeaderTimeout = 10 * time.Minute
	return &http.Client{Transport: driverbase.Counted{RoundTripper: t},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// Client is a connection to a workspace. It may be used from several goroutines at once.
type Client struct {
	Retry driverbase.Retry // of requests

	config *Config
	http   *http.Client
	files  *http.Client // of cloud storage, which gets no token
	tokens *tokens
}

// New makes a client, and connects to nothing. The configuration must be checked, and stay as it is.
func New(config *Config) *Client {
	c := &Client{Retry: driverbase.DefaultRetry, config: config, http: newClient(config.Proxy),
		files: newClient(config.Proxy)}
	c.Retry.Times = config.Retries
	c.tokens = &tokens{config: config, client: c.http, now: time.Now}
	return c
}

// Config is the client's configuration.
func (c *Client) Config() *Config { return c.config }

// Close closes connections that wait for a request.
func (c *Client) Close() {
	c.http.CloseIdleConnections()
	c.files.CloseIdleConnections()
}

// Refusal is an answer other than 200.
type Refusal struct {
	Status int    // of HTTP
	Code   string // of the body or of a header, such as PERMISSION_DENIED
	detail string // what it says; not shown
	after  time.Duration
	told   bool // when to come again
	tried  bool // again, as it may be repeated
	what   string
}

// unheard tells refusals before anything was done. A 503 that does not say when to come again may come from
// something on the way, which has lost sight of a statement that the warehouse runs, or has run.
func (r *Refusal) unheard() bool {
	return r.Status == http.StatusTooManyRequests || r.Status == http.StatusServiceUnavailable && r.told
}

func (r *Refusal) Error() string { return r.what + ": HTTP status " + strconv.Itoa(r.Status) }

// lostError is a request whose answer did not come, or not whole.
type lostError struct {
	sent bool // the service may have obeyed it
	what string
	err  error
}

func (l *lostError) Error() string { return l.what + ": the connection was lost" }
func (l *lostError) Unwrap() error { return l.err }

// unreachable is an error of the network, or the context's where that ended it.
func unreachable(ctx context.Context, err error, what string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if code, text := driverbase.Transport(err); code == errcode.Unauthenticated {
		return errcode.Because(err, code, "databricks: %s: %s; does something on the way open connections?", what, text)
	}
	var op *net.OpError
	return &lostError{sent: !(errors.As(err, &op) && op.Op == "dial"), what: what, err: err}
}

// Request is one request to the workspace.
type Request struct {
	What         string // for messages
	Method, Path string
	Kind         string // of the body
	Agent        string // instead of [UserAgent]
	Body         []byte
	Repeat       bool // obeying it twice does no harm
	Finish       bool // its response is awaited even if the context ends: it identifies the statement to cancel
}

// Do sends a request until it is answered with 200. A request that certainly had no effect (429, 503 with
// Retry-After, no connection) is retried. One that may have had an effect is retried only if it may be repeated. A
// refused token is renewed once.
func (c *Client) Do(ctx context.Context, r Request) (body []byte, err error) {
	renewed := false
	err = c.Retry.Do(ctx, func() error {
		body, err = c.once(ctx, r, false)
		var no *Refusal
		if errors.As(err, &no) && no.Status == http.StatusUnauthorized && !renewed {
			renewed = true
			body, err = c.once(ctx, r, true)
		}
		return err
	}, func(err error) (bool, time.Duration) {
		var no *Refusal
		var lost *lostError
		switch {
		case errors.As(err, &no):
			return no.unheard() || r.Repeat && no.Status >= 500 && no.Status != http.StatusNotImplemented, no.after
		case errors.As(err, &lost):
			return r.Repeat || !lost.sent, 0
		}
		return false, 0
	})
	return body, err
}

// Unanswered tells errors after which the service may have obeyed; [Client.Do] has tried again after
// the others.
func Unanswered(err error) bool {
	var no *Refusal
	return Lost(err) ||
		errors.As(err, &no) && no.Status >= 500 && !(no.Status == http.StatusServiceUnavailable && (no.told || no.tried))
}

// Lost reports whether the connection was lost when a request was on its way or obeyed.
func Lost(err error) bool {
	var lost *lostError
	return errors.As(err, &lost) && lost.sent
}

// Afterwards is how long may be spent on ending what was cancelled.
const Afterwards = 15 * time.Second

// lingering is a context that ends some time after ctx does.
func lingering(ctx context.Context) (context.Context, context.CancelFunc) {
	out, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(Afterwards, cancel) })
	return out, func() {
		stop()
		cancel()
	}
}

// once sends a request one time.
func (c *Client) once(ctx context.Context, r Request, stale bool) ([]byte, error) {
	if r.Finish {
		var done context.CancelFunc
		ctx, done = lingering(ctx)
		defer done()
	}
	token, err := c.tokens.access(ctx, stale)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, c.config.base()+r.Path, bytes.NewReader(r.Body))
	if err != nil {
		return nil, invalid("the host or http_path is invalid in a URL")
	}
	if r.Kind != "" {
		req.Header.Set("Content-Type", r.Kind)
		req.Header.Set("Accept", r.Kind)
	}
	req.Header.Set("User-Agent", cmp.Or(r.Agent, UserAgent))
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if o := c.config.number(); o != "" {
		req.Header.Set("X-Databricks-Org-Id", o)
	}
	req.GetBody = nil // the transport would send it again by itself
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, unreachable(ctx, err, r.What)
	}
	defer resp.Body.Close() //nolint:errcheck // read to the end, or of no use
	body, err := readAll(resp, maxAnswer)
	switch {
	case resp.StatusCode != http.StatusOK:
		no := refused(resp, body, r.What)
		no.tried = r.Repeat
		return nil, no
	case errors.Is(err, errTooLarge):
		return nil, errcode.New(errcode.ResourceExhausted,
			"databricks: %s: the answer is larger than 1 GiB; fetch fewer rows at once with page_rows", r.What)
	case err != nil:
		return nil, unreachable(ctx, err, r.What)
	}
	return body, nil
}

// UserAgent is the User-Agent of requests.
const UserAgent = "badger"

var errTooLarge = errors.New("too large")

// readAll reads a body whole. One that ends before the length that was announced is an error.
func readAll(resp *http.Response, limit int64) ([]byte, error) {
	if resp.ContentLength > limit {
		return nil, errTooLarge
	}
	var b bytes.Buffer
	if resp.ContentLength > 0 {
		b.Grow(int(resp.ContentLength) + bytes.MinRead)
	}
	n, err := b.ReadFrom(io.LimitReader(resp.Body, limit+1))
	if err == nil && n > limit {
		return nil, errTooLarge
	}
	return b.Bytes(), err
}

// refused reads what an answer other than 200 says.
func refused(resp *http.Response, body []byte, what string) *Refusal {
	no := &Refusal{Status: resp.StatusCode, after: driverbase.RetryAfter(resp.Header),
		told: resp.Header.Get("Retry-After") != "", what: what}
	for _, h := range []string{"X-Databricks-Error-Or-Redirect-Message", "X-Databricks-Reason-Phrase",
		"X-Thriftserver-Error-Message"} {
		if text := resp.Header.Get(h); text != "" {
			no.detail = text
		}
	}
	code, message := restError(body)
	no.Code = code
	if message != "" {
		no.detail = message
	}
	if no.Code == "" {
		for _, word := range []string{"PERMISSION_DENIED", "RESOURCE_DOES_NOT_EXIST", "TEMPORARILY_UNAVAILABLE",
			"INVALID_STATE", "ENDPOINT_NOT_FOUND"} {
			if strings.Contains(no.detail, word) {
				no.Code = word
			}
		}
	}
	return no
}
