package driverbase

import (
	"bufio"
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/badger-eval/badger/internal/account"
)

// The bytes that a warehouse sends for a call are charged to that call's memory account ([account.Reading]) before they
// are read: by Counted for HTTP, by CountedConn for other protocols.

// Counted is an [http.RoundTripper] that charges the bytes of a response body to the account of the request's context,
// before they are read. Without an account it only passes requests on.
type Counted struct {
	http.RoundTripper
	// Unzip decompresses bodies compressed with gzip, whatever their headers state, so that the decompressed bytes
	// are counted.
	Unzip bool
}

// RoundTrip sends a request and returns its response, whose body charges the bytes that are read from it.
func (c Counted) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	reading := account.ReadingOf(r.Context())
	if reading == nil || resp.Body == nil {
		return resp, nil
	}
	body := struct {
		io.Reader
		io.Closer
	}{resp.Body, resp.Body}
	if c.Unzip {
		in := bufio.NewReader(resp.Body)
		body.Reader = in
		if magic, err := in.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
			if body.Reader, err = gzip.NewReader(in); err != nil {
				_ = resp.Body.Close()
				return nil, err
			}
			resp.Header.Del("Content-Encoding")
			resp.Header.Del("Content-Length")
			resp.ContentLength, resp.Uncompressed = -1, true
		}
	}
	body.Reader = reading.Reader(r.Context(), body.Reader)
	resp.Body = body
	return resp, nil
}

// CloseIdleConnections is called by [http.Client.CloseIdleConnections].
func (c Counted) CloseIdleConnections() {
	if t, ok := c.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// CountedConn is a connection whose received bytes can be charged to an account. One call uses it at a time.
type CountedConn struct {
	net.Conn
	in atomic.Pointer[counter]
}

type counter struct{ io.Reader }

// Count charges the bytes that are read from now on to r, or to no account if r is nil.
func (c *CountedConn) Count(ctx context.Context, r *account.Reading) {
	if r == nil {
		c.in.Store(nil)
		return
	}
	c.in.Store(&counter{r.Reader(ctx, c.Conn)})
}

// Read reads from the connection, and charges the bytes if an account is set.
func (c *CountedConn) Read(p []byte) (int, error) {
	if in := c.in.Load(); in != nil {
		return in.Read(p)
	}
	return c.Conn.Read(p)
}

// CountedOf returns the CountedConn that c wraps, for example in TLS; nil if there is none.
func CountedOf(c net.Conn) *CountedConn {
	for {
		switch conn := c.(type) {
		case *CountedConn:
			return conn
		case interface{ NetConn() net.Conn }:
			c = conn.NetConn()
		default:
			return nil
		}
	}
}

// sizeOf returns the number of bytes in the buffers of a record.
func sizeOf(rec arrow.Record) (n int64) {
	for _, c := range rec.Columns() {
		n += bytesOf(c.Data())
	}
	return n
}

func bytesOf(d arrow.ArrayData) (n int64) {
	if d == nil {
		return 0
	}
	for _, b := range d.Buffers() {
		if b != nil {
			n += int64(b.Len())
		}
	}
	for _, child := range d.Children() {
		n += bytesOf(child)
	}
	if d.DataType().ID() == arrow.DICTIONARY {
		n += bytesOf(d.Dictionary())
	}
	return n
}
