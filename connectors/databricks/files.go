package databricks

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/pierrec/lz4/v4"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// link is where some rows of a result lie in cloud storage. Whoever has it may read them, until it
// expires.
type link struct {
	URL     string            `json:"external_link"`
	Start   int64             `json:"row_offset"` // the first row
	Rows    int64             `json:"row_count"`
	Expires time.Time         `json:"expiration"` // zero is unknown
	Headers map[string]string `json:"http_headers"`

	// Of a result of the Statement Execution API: the chunk, and the next one.
	Chunk int  `json:"chunk_index"`
	Next  *int `json:"next_chunk_index"`
}

// refresh asks for links anew, from one that has expired on.
type refresh func(ctx context.Context, expired link) ([]link, error)

// files downloads the files of a result in their order, a few ahead of the one that is read.
type files struct {
	c       *Conn
	lz4     bool
	refresh refresh

	pending []link
	started []*download
}

// downloads at once: their files, of some tens of megabytes each at most, are what a result holds
// in memory.
const downloads = 3

// refreshes of one link before it is given up.
const refreshes = 3

// linkMargin is how long a link must live still to be used.
const linkMargin = 10 * time.Second

type download struct {
	link   link
	cancel context.CancelFunc
	done   chan struct{}
	body   []byte
	err    error
}

func (f *files) add(l link)    { f.pending = append(f.pending, l) }
func (f *files) waiting() bool { return len(f.pending)+len(f.started) > 0 }

func (f *files) close() {
	for _, d := range f.started {
		d.cancel()
	}
	f.started, f.pending = nil, nil
}

// begin starts downloads, as many as may run at once.
func (f *files) begin(ctx context.Context) {
	for len(f.started) < downloads && len(f.pending) > 0 {
		f.started = append(f.started, f.download(ctx, f.pending[0]))
		f.pending = f.pending[1:]
	}
}

// next is the next file's rows.
func (f *files) next(ctx context.Context) (*part, error) {
	f.begin(ctx)
	d := f.started[0]
	f.started = f.started[1:]
	defer d.cancel()
	select {
	case <-d.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if d.err != nil {
		return nil, d.err
	}
	return &part{stream: unpacked(bytes.NewReader(d.body), f.lz4), rows: d.link.Rows}, nil
}

func (f *files) download(ctx context.Context, l link) *download {
	ctx, cancel := context.WithCancel(ctx)
	d := &download{link: l, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(d.done)
		d.body, d.err = f.c.download(ctx, l, f.refresh)
	}()
	return d
}

// errExpired is a link that is not good any more.
var errExpired = errors.New("the link has expired")

// download downloads one file, and asks for another link where this one has expired.
func (c *Conn) download(ctx context.Context, l link, again refresh) ([]byte, error) {
	for attempt := 0; ; attempt++ {
		body, err := c.file(ctx, l)
		if !errors.Is(err, errExpired) {
			return body, err
		}
		if attempt == refreshes {
			return nil, errcode.New(errcode.Unavailable, "databricks: a link to a part of the result is refused again and again; check that this machine's clock is right and that it may reach the workspace's cloud storage, or open with cloud_fetch=false")
		}
		links, err := again(ctx, l)
		if err != nil {
			return nil, err
		}
		fresh := slices.IndexFunc(links, func(n link) bool { return n.Start == l.Start && n.Rows == l.Rows })
		if fresh < 0 {
			return nil, broken("the service gives no new link for row %d", l.Start)
		}
		l = links[fresh]
	}
}

// file downloads one file, without the token: the link is the permission.
func (c *Conn) file(ctx context.Context, l link) ([]byte, error) {
	if !l.Expires.IsZero() && time.Until(l.Expires) < linkMargin {
		return nil, errExpired
	}
	u, err := url.Parse(l.URL)
	if err != nil || u.Scheme != "https" && (u.Scheme != "http" || c.config.Protocol != "http") {
		return nil, errcode.New(errcode.Unavailable, "databricks: the service gave a link that is no https address")
	}
	var body []byte
	passing := func(err error) (bool, time.Duration) {
		var no *refusal
		var lost *lostError
		if errors.As(err, &no) {
			return no.status >= 500 || no.status == http.StatusTooManyRequests, no.after
		}
		return errors.As(err, &lost), 0
	}
	err = c.retry.Do(ctx, func() error {
		body, err = c.fileOnce(ctx, l)
		return err
	}, passing)
	if again, _ := passing(err); again {
		return nil, errcode.New(errcode.Unavailable, "databricks: a part of the result in cloud storage cannot be downloaded from %s; allow this machine to reach it, or open with cloud_fetch=false", u.Hostname())
	}
	return body, err
}

func (c *Conn) fileOnce(ctx context.Context, l link) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, l.URL, nil)
	if err != nil {
		return nil, errExpired
	}
	for k, v := range l.Headers {
		req.Header.Set(k, v)
	}
	resp, err := c.files.Do(req)
	if err != nil {
		return nil, unreachable(ctx, err, "reading a part of the result")
	}
	defer resp.Body.Close() //nolint:errcheck // read to the end, or of no use
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusGone, http.StatusBadRequest:
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16))
		return nil, errExpired
	default:
		return nil, &refusal{status: resp.StatusCode, after: driverbase.RetryAfter(resp.Header), what: "reading a part of the result"}
	}
	body, err := readAll(resp, maxAnswer)
	switch {
	case errors.Is(err, errTooLarge):
		return nil, errcode.New(errcode.ResourceExhausted, "databricks: a part of the result is larger than 1 GiB")
	case err != nil:
		return nil, unreachable(ctx, err, "reading a part of the result")
	}
	return body, nil
}

// unpacked reads what may be compressed.
func unpacked(r io.Reader, packed bool) io.Reader {
	if packed {
		return lz4.NewReader(r)
	}
	return r
}
