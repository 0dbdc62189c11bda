// Package callers simulates the warehouses that call a badger server, for tests. A simulator sends the same requests as
// the product, retries as the product's documentation states, and checks every reply by the strictest reading of the
// documentation. The server sees no difference between a simulator and the product.
//
// Waits between attempts are shortened: a documented second takes a millisecond. [Call.Waited] has the documented time.
package callers

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Call is the outcome of one call of a function. A simulator returns it together with any error.
type Call struct {
	Results  []json.RawMessage // one for each row, in order
	Attempts []Attempt         // every request of the call
	Waited   time.Duration     // between the attempts, as documented
	Reply    []byte            // the last reply, decompressed
}

// Attempt is one request.
type Attempt struct {
	Method string // POST or GET, or the name of the gRPC method
	Status int    // HTTP status or gRPC code; -1: no response
}

// Posts returns the number of attempts that sent the rows.
func (c *Call) Posts() (n int) {
	for _, a := range c.Attempts {
		if a.Method != http.MethodGet {
			n++
		}
	}
	return n
}

// Refused is the error of a call that the server rejected. The real product fails the statement.
type Refused struct {
	Status   int    // HTTP status or gRPC code
	Text     string // body or message of the response
	Attempts int    // number of attempts; 1 if the product does not retry
}

func (r *Refused) Error() string {
	return fmt.Sprintf("refused with status %d after %d attempts: %.300s", r.Status, r.Attempts, r.Text)
}

// Violation is the error of a reply that breaks the protocol. The real product would fail the statement or return wrong
// results.
type Violation struct{ What string }

func (v *Violation) Error() string { return "the reply breaks the protocol: " + v.What }

func violation(format string, args ...any) error { return &Violation{fmt.Sprintf(format, args...)} }

// wait waits for a thousandth of d, and adds d, the documented wait, to c.Waited.
func (c *Call) wait(ctx context.Context, d time.Duration) error {
	c.Waited += d
	select {
	case <-time.After(d / 1000):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// reply is an HTTP response; body is raw after decompression.
type reply struct {
	status int
	header http.Header
	raw    []byte
	body   []byte
}

// request is an HTTP request of a simulator. If client is nil, plainClient is used.
type request struct {
	client      *http.Client
	method, url string
	header      http.Header
	body        []byte
}

// send sends an HTTP request and records it in the call.
func (c *Call) send(ctx context.Context, r request) (*reply, error) {
	client, method := r.client, r.method
	req, err := http.NewRequestWithContext(ctx, method, r.url, bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	req.Header = r.header.Clone()
	if client == nil {
		client = &plainClient
	}
	resp, err := client.Do(req)
	if err != nil {
		c.Attempts = append(c.Attempts, Attempt{method, -1})
		return nil, err
	}
	defer resp.Body.Close()
	c.Attempts = append(c.Attempts, Attempt{method, resp.StatusCode})
	out := &reply{status: resp.StatusCode, header: resp.Header}
	if out.raw, err = io.ReadAll(resp.Body); err != nil {
		return nil, err
	}
	out.body = out.raw
	if resp.Header.Get("Content-Encoding") == "gzip" {
		if r.header.Get("Accept-Encoding") != "gzip" {
			return nil, violation("compressed, though the caller does not accept it")
		}
		z, err := gzip.NewReader(bytes.NewReader(out.raw))
		if err == nil {
			out.body, err = io.ReadAll(z)
		}
		if err != nil {
			return nil, violation("Content-Encoding is gzip: %v", err)
		}
	} else if e := resp.Header.Get("Content-Encoding"); e != "" {
		return nil, violation("Content-Encoding %q", e)
	}
	c.Reply = out.body
	if method != http.MethodHead && len(out.body) > 0 && resp.Header.Get("Content-Type") != "application/json" {
		return nil, violation("Content-Type %q", resp.Header.Get("Content-Type"))
	}
	return out, nil
}

// plainClient is an HTTP client without automatic compression, which the simulators do themselves.
var plainClient = http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64}}

// CloseIdle closes the idle connections of the simulators.
func CloseIdle() { plainClient.CloseIdleConnections() }

func gzipped(b []byte) []byte {
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	_, _ = z.Write(b)
	_ = z.Close()
	return buf.Bytes()
}

// backoff returns the wait after an attempt, counted from 0: first, doubled for each attempt, and at most most.
func backoff(attempt int, first, most time.Duration) time.Duration {
	d := first << min(attempt, 30)
	if d <= 0 || d > most {
		return most
	}
	return d
}
