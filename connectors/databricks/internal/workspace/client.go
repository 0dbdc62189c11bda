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
	"github.com/badger-eval/badger/internal/outbound"
)

// maxAnswer is the maximum size of a response, which is held in memory. Pages of results are far smaller.
const maxAnswer = 1 << 30

// newClient returns an HTTP client that uses a proxy, or connects directly if proxy is nil. It follows no redirects,
// which could lead to another host.
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
	files  *http.Client // for cloud storage, without the token
	tokens *tokens
}

// New returns a client without connecting. The configuration must be valid, and must not change afterwards.
func New(config *Config) *Client {
	c := &Client{Retry: driverbase.DefaultRetry, config: config, http: newClient(config.Proxy),
		files: newClient(config.Proxy)}
	c.Retry.Times = config.Retries
	c.tokens = &tokens{config: config, client: c.http, now: time.Now}
	return c
}

// Config returns the client's configuration.
func (c *Client) Config() *Config { return c.config }

// Close closes idle connections.
func (c *Client) Close() {
	c.http.CloseIdleConnections()
	c.files.CloseIdleConnections()
}

// Refusal is a response with an HTTP status other than 200.
type Refusal struct {
	Status int    // HTTP status
	Code   string // error code in the body or a header, such as PERMISSION_DENIED
	detail string // the service's message; not shown
	after  time.Duration
	told   bool // the response has a Retry-After header
	tried  bool // the request was retried, as it may be repeated
	what   string
}

// unheard reports whether the request certainly had no effect. A 503 without Retry-After may come from a proxy, which
// does not know whether the warehouse ran the statement.
func (r *Refusal) unheard() bool {
	return r.Status == http.StatusTooManyRequests || r.Status == http.StatusServiceUnavailable && r.told
}

func (r *Refusal) Error() string { return r.what + ": HTTP status " + strconv.Itoa(r.Status) }

// lostError is the error of a request without a complete response.
type lostError struct {
	sent bool // the request may have had an effect
	what string
	err  error
}

func (l *lostError) Error() string { return l.what + ": the connection was lost" }
func (l *lostError) Unwrap() error { return l.err }

// unreachable returns the error for a failure of the network, or the context's error if it has ended.
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
	What         string // names the operation in messages
	Method, Path string
	Kind         string // media type of the body and the response
	Agent        string // User-Agent, if not [UserAgent]
	Body         []byte
	Repeat       bool // repeating it is harmless
	Finish       bool // wait for the response even after the context ends, as it identifies the statement to cancel
}

// Do sends a request until the response has status 200. A request that certainly had no effect (429, 503 with
// Retry-After, no connection) is retried. One that may have had an effect is retried only if r.Repeat is set. A
// rejected token is renewed once.
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

// Unanswered reports whether it is unknown whether the service ran the request. Errors after which it certainly did not
// run have been retried by [Client.Do].
func Unanswered(err error) bool {
	var no *Refusal
	return Lost(err) ||
		errors.As(err, &no) && no.Status >= 500 && !(no.Status == http.StatusServiceUnavailable && (no.told || no.tried))
}

// Lost reports whether the connection was lost after the request was sent.
func Lost(err error) bool {
	var lost *lostError
	return errors.As(err, &lost) && lost.sent
}

// Afterwards is the time limit for requests that cancel or close a statement after its context has ended.
const Afterwards = 15 * time.Second

// lingering returns a context that ends [Afterwards] after ctx does.
func lingering(ctx context.Context) (context.Context, context.CancelFunc) {
	out, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(Afterwards, cancel) })
	return out, func() {
		stop()
		cancel()
	}
}

// once sends a request one time. stale requests a new token.
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
	req.GetBody = nil // prevents the transport from repeating the request
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, unreachable(ctx, err, r.What)
	}
	defer resp.Body.Close() //nolint:errcheck // read to the end, or not needed
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

// readAll reads a whole body. It returns an error for one larger than limit or shorter than announced.
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

// refused returns the error for a response with an HTTP status other than 200.
func refused(resp *http.Response, body []byte, what string) *Refusal {
	no := &Refusal{Status: resp.StatusCode, after: outbound.RetryAfter(resp.Header),
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
