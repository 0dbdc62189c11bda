package driverbase

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
)

// room is an account with room for so much.
type room struct{ limit, left int64 }

func (r *room) Limit() int64 { return r.limit }

func (r *room) Hold(_ context.Context, n int64) error {
	if n > r.left {
		return errcode.New(errcode.ResourceExhausted, "no room")
	}
	r.left -= n
	return nil
}

const mib = 1 << 20

// What comes over HTTP is read as far as there is room, and no further: of what is compressed, of what it becomes.
func TestCountedAnswers(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write(make([]byte, 8*mib))
	_ = z.Close()
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/zipped" {
			_, _ = rw.Write(zipped.Bytes())
			return
		}
		_, _ = rw.Write(make([]byte, 8*mib))
	}))
	defer s.Close()
	for _, path := range []string{"/plain", "/zipped"} {
		for left, whole := range map[int64]bool{2 * mib: false, 9 * mib: true} {
			ctx, _ := account.Begin(account.With(t.Context(), &room{left: left}))
			req, _ := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+path, nil)
			resp, err := Counted{RoundTripper: http.DefaultTransport, Unzip: true}.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			n, err := io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			if whole && (err != nil || n != 8*mib) || !whole && (errcode.Of(err) != errcode.ResourceExhausted || n > left) {
				t.Errorf("%s with room for %d bytes: %d were read, %v", path, left, n, err)
			}
		}
	}
}

// A connection counts what is read for a call, and nothing before and after it.
func TestCountedConn(t *testing.T) {
	here, there := net.Pipe()
	defer here.Close()
	go func() {
		_, _ = there.Write(make([]byte, 3*mib))
		_ = there.Close()
	}()
	c := &CountedConn{Conn: here}
	if _, err := io.ReadFull(c, make([]byte, mib)); err != nil {
		t.Fatal(err)
	}
	ctx, reading := account.Begin(account.With(t.Context(), &room{left: mib / 2}))
	c.Count(ctx, reading)
	if n, err := io.ReadFull(c, make([]byte, mib)); errcode.Of(err) != errcode.ResourceExhausted || n > mib/2 {
		t.Errorf("%d bytes were read, %v", n, err)
	}
	c.Count(ctx, nil)
	if _, err := io.ReadFull(c, make([]byte, mib)); err != nil {
		t.Errorf("after the call: %v", err)
	}
	if CountedOf(c) != c || CountedOf(here) != nil {
		t.Error("the connection is not found")
	}
}

// records gives records of one text each.
type records struct{ sizes []int }

func (r *records) Next(context.Context) (arrow.Record, error) {
	if len(r.sizes) == 0 {
		return nil, nil
	}
	b := array.NewStringBuilder(memory.DefaultAllocator)
	b.Append(string(make([]byte, r.sizes[0])))
	r.sizes = r.sizes[1:]
	return array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.BinaryTypes.String}}, nil), []arrow.Array{b.NewArray()}, 1), nil
}

func (*records) Close(context.Context) {}

// A record counts while it exists, and the next takes its room; one that is larger than a result may be is refused.
func TestReaderCountsRecords(t *testing.T) {
	for _, tc := range []struct {
		sizes []int
		room  int64
		rows  int
	}{{[]int{mib, mib, mib, mib}, 2 * mib, 4}, {[]int{mib, 3 * mib}, 2 * mib, 1}, {[]int{mib, 6 * mib}, 50 * mib, 1}} {
		ctx, _ := account.Begin(account.With(t.Context(), &room{limit: 5 * mib, left: tc.room}))
		r := NewReader(ctx, nil, &records{tc.sizes})
		rows := 0
		for r.Next() {
			rows++
		}
		if want := tc.rows < len(tc.sizes); rows != tc.rows || (errcode.Of(r.Err()) == errcode.ResourceExhausted) != want {
			t.Errorf("%v in %d bytes: %d records, %v", tc.sizes, tc.room, rows, r.Err())
		}
		r.Release()
	}
}
