package tracking

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/outbound"
)

const (
	attempts    = 5
	longestWait = 30 * time.Second
	callTime    = 60 * time.Second
	mostReply   = 16 << 20 // bytes
)

// client calls one server.
type client struct {
	base  *url.URL
	auth  string
	title string
	http  *http.Client
	wait  func(context.Context, time.Duration) error
}

// refused is the reply of a server that did not accept a request.
type refused struct {
	status int
	code   string // of the server's error, such as RESOURCE_DOES_NOT_EXIST; "" if it has none
}

func (e *refused) Error() string {
	if e.code != "" {
		return fmt.Sprintf("HTTP status %d, %s", e.status, e.code)
	}
	return fmt.Sprintf("HTTP status %d", e.status)
}

func newClient(o *Options, title string) (*client, error) {
	u, err := url.Parse(strings.TrimSuffix(o.URL, "/"))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" {
		return nil, errcode.Usage(
			"--tracking: expected a URL such as https://mlflow.example.com, without a user or password")
	}
	if u.Scheme == "http" && o.Key != "" && !driver.Loopback(u.Hostname()) {
		return nil, errcode.Usage("--tracking: a key is sent to https:// only, or to a server on this machine")
	}
	c := &client{base: u, title: title, wait: outbound.Wait}
	switch {
	case strings.Contains(o.Key, ":"):
		c.auth = "Basic " + base64.StdEncoding.EncodeToString([]byte(o.Key))
	case o.Key != "":
		c.auth = "Bearer " + o.Key
	}
	var ok bool
	if c.http, ok = outbound.Client(o.CA, callTime); !ok {
		return nil, errcode.Usage("--ca-file: the file has no certificate in PEM form")
	}
	return c, nil
}

// json calls path with body as JSON, unless it is nil, and decodes the reply into reply, unless that is nil.
func (c *client) json(ctx context.Context, method, path string, body, reply any) error {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return errcode.New(errcode.Internal, "%w", err)
		}
	}
	answer, err := c.call(ctx, method, path, "application/json", text)
	if err != nil || reply == nil {
		return err
	}
	if err := json.Unmarshal(answer, reply); err != nil {
		return errcode.New(errcode.DataLoss, "%s answered with something else than the expected JSON", c.title)
	}
	return nil
}

// call sends a request, again while the server may accept it later. All requests may be repeated. The error is a
// *refused if the server did not accept it, and Unavailable if it cannot be reached or rejects the key.
func (c *client) call(ctx context.Context, method, path, contentType string, body []byte) ([]byte, error) {
	wait := 500 * time.Millisecond
	for attempt := 1; ; attempt++ {
		answer, after, again, err := c.once(ctx, method, path, contentType, body)
		if err == nil || !again || attempt == attempts {
			return answer, err
		}
		if failed := c.wait(ctx, min(max(wait, after), longestWait)); failed != nil {
			return nil, err
		}
		wait *= 2
	}
}

func (c *client) once(ctx context.Context, method, path, contentType string,
	body []byte) (answer []byte, after time.Duration, again bool, err error) {
	r, err := http.NewRequestWithContext(ctx, method, c.base.String()+path, bytes.NewReader(body))
	if err != nil {
		return nil, 0, false, errcode.New(errcode.Internal, "%w", err)
	}
	if body != nil {
		r.Header.Set("Content-Type", contentType)
	}
	if c.auth != "" {
		r.Header.Set("Authorization", c.auth)
	}
	reply, err := c.http.Do(r)
	if err != nil {
		if u := (*url.Error)(nil); errors.As(err, &u) {
			err = u.Err
		}
		return nil, 0, ctx.Err() == nil, errcode.New(errcode.Unavailable, "%s cannot be reached: %w", c.title, err)
	}
	defer reply.Body.Close() //nolint:errcheck // only read from
	answer, err = io.ReadAll(io.LimitReader(reply.Body, mostReply))
	if err != nil {
		return nil, 0, true, errcode.New(errcode.Unavailable, "%s cannot be reached: the reply broke off", c.title)
	}
	if reply.StatusCode >= 200 && reply.StatusCode < 300 {
		return answer, 0, false, nil
	}
	var said struct {
		Code string `json:"error_code"`
	}
	_ = json.Unmarshal(answer, &said) // a reply in another form has no code
	failure := &refused{status: reply.StatusCode, code: said.Code}
	if status := reply.StatusCode; status == http.StatusUnauthorized || status == http.StatusForbidden {
		return nil, 0, false, errcode.New(errcode.Unauthenticated, "%s rejects the key: %w", c.title, failure)
	}
	return nil, outbound.RetryAfter(reply.Header), outbound.Busy(reply.StatusCode), failure
}

// fatal reports whether err will also be that of the next requests.
func fatal(err error) bool {
	code := errcode.Of(err)
	return code == errcode.Unavailable || code == errcode.Unauthenticated || code == errcode.Cancelled
}
