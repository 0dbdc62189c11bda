package server

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf"
)

var gzipReaders, gzipWriters sync.Pool

// readBody reads a request's body, decompresses it by its Content-Encoding, and reserves its memory as it arrives.
// Neither the received nor the decompressed bytes may exceed the limit. If the server starts to stop meanwhile, the
// error is ErrStopping.
func (s *Server) readBody(rw http.ResponseWriter, r *http.Request, held *share) (body []byte, err error) {
	limit := s.limits.Body
	if r.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	rc := http.NewResponseController(rw)
	_ = rc.SetReadDeadline(time.Now().Add(s.limits.ReadTime)) // not every ResponseWriter has one
	stop := context.AfterFunc(s.stopping, func() { _ = rc.SetReadDeadline(time.Now()) })
	defer stop()
	src, done, err := inflate(r.Header.Get("Content-Encoding"), &io.LimitedReader{R: r.Body, N: limit + 1})
	if err == nil {
		hint := r.ContentLength
		if done != nil { // compressed: about four times as much
			defer done()
			hint *= 4
		}
		body, err = readWithin(src, hint, limit, held)
	}
	if !stop() || err != nil { // the deadline stays: the HTTP library reads on before it closes
		if s.stopping.Err() != nil {
			err = udf.ErrStopping
		}
		return nil, err
	}
	_ = rc.SetReadDeadline(noDeadline)
	return body, nil
}

// firstRead is the memory reserved for a body before its first byte. The declared length of a body is trusted only
// up to this size, since it costs nothing to declare.
const firstRead = 64 << 10

// readWithin reads all of src, at most limit bytes, and reserves the memory as the body grows. hint is the expected
// length.
func readWithin(src io.Reader, hint, limit int64, held *share) (body []byte, err error) {
	size := min(max(hint, 512)+1, firstRead, limit+1)
	if err := held.Hold(size); err != nil {
		return nil, err
	}
	body = make([]byte, 0, size)
	for {
		n, err := src.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if int64(len(body)) > limit {
			return nil, tooLarge(limit)
		}
		switch {
		case errors.Is(err, io.EOF):
			return body, nil
		case err != nil:
			return nil, readError(err)
		}
		if len(body) == cap(body) {
			more := min(int64(cap(body)), limit+1-int64(cap(body)))
			if rest := hint + 1 - int64(cap(body)); rest > 0 {
				more = min(more, rest)
			}
			if err := held.Hold(more); err != nil {
				return nil, err
			}
			body = append(make([]byte, 0, int64(cap(body))+more), body...)
		}
	}
}

func tooLarge(limit int64) error {
	return errcode.New(errcode.ResourceExhausted, "the body is larger than %d bytes (limits.body_bytes); send fewer rows at once", limit)
}

func readError(err error) error {
	if e := (*errcode.Error)(nil); errors.As(err, &e) {
		return err
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return errcode.New(errcode.DeadlineExceeded, "the body did not arrive in time")
	}
	return errcode.New(errcode.InvalidArgument, "the body ended early or is not compressed as Content-Encoding says")
}

// inflate returns a reader that decompresses body. done releases it; it is nil if the body is not compressed.
func inflate(encoding string, body io.Reader) (src io.Reader, done func(), err error) {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
		return body, nil, nil
	case "gzip", "x-gzip":
		z, _ := gzipReaders.Get().(*gzip.Reader)
		if z == nil {
			z = new(gzip.Reader)
		}
		if err := z.Reset(body); err != nil {
			gzipReaders.Put(z)
			return nil, nil, readError(err)
		}
		return z, func() { gzipReaders.Put(z) }, nil
	case "deflate": // zlib by the standard, raw by some clients
		b := bufio.NewReader(body)
		head, _ := b.Peek(2)
		if len(head) == 2 && head[0]&0x0f == 8 && (uint(head[0])<<8|uint(head[1]))%31 == 0 {
			z, err := zlib.NewReader(b)
			if err != nil {
				return nil, nil, readError(err)
			}
			return z, func() { _ = z.Close() }, nil
		}
		z := flate.NewReader(b)
		return z, func() { _ = z.Close() }, nil
	}
	return nil, nil, errcode.New(errcode.InvalidArgument, "Content-Encoding %.40q: expected gzip, deflate or none",
		encoding)
}

// gzipped returns body compressed with gzip.
func gzipped(body []byte) []byte {
	buf := bytes.NewBuffer(make([]byte, 0, len(body)/4+64))
	z, _ := gzipWriters.Get().(*gzip.Writer)
	if z == nil {
		z, _ = gzip.NewWriterLevel(nil, gzip.BestSpeed) // a known level
	}
	z.Reset(buf)
	_, _ = z.Write(body) // a buffer takes all
	_ = z.Close()
	gzipWriters.Put(z)
	return buf.Bytes()
}

// acceptsGzip reports whether an Accept-Encoding header has gzip or *, without q=0.
func acceptsGzip(header string) bool {
	if header == "gzip" || header == "" {
		return header != ""
	}
	for part := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(part, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		if name != "gzip" && name != "*" {
			continue
		}
		q := strings.ReplaceAll(params, " ", "")
		return q != "q=0" && q != "q=0.0" && q != "q=0.00" && q != "q=0.000"
	}
	return false
}
