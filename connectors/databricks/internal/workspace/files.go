package workspace

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

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/outbound"
)

// Link is the URL of a file in cloud storage with some rows of a result. Anyone with the URL may read them until it
// expires.
type Link struct {
	URL     string            `json:"external_link"`
	Start   int64             `json:"row_offset"` // index of the first row in the result
	Rows    int64             `json:"row_count"`
	Expires time.Time         `json:"expiration"` // zero if unknown
	Headers map[string]string `json:"http_headers"`

	// The index of the link's chunk and of the next one, in a result of the Statement Execution API.
	Chunk int  `json:"chunk_index"`
	Next  *int `json:"next_chunk_index"`
}

// Refresh requests new links, starting with the one that has expired.
type Refresh func(ctx context.Context, expired Link) ([]Link, error)

// Downloads is the maximum number of concurrent downloads of a result. Files are in memory, at most tens of megabytes
// each.
const Downloads = 3

// refreshes is the maximum number of new links for a file.
const refreshes = 3

// linkMargin is the minimum remaining lifetime of a link that is used.
const linkMargin = 10 * time.Second

// errExpired is the error for an expired or rejected link.
var errExpired = errors.New("the link has expired")

// Download downloads one file. If the link has expired, it requests new ones with again.
func (c *Client) Download(ctx context.Context, l Link, again Refresh) ([]byte, error) {
	for attempt := 0; ; attempt++ {
		body, err := c.file(ctx, l)
		if !errors.Is(err, errExpired) {
			return body, err
		}
		if attempt == refreshes {
			return nil, errcode.New(errcode.Unavailable, "databricks: cloud storage rejects every new link to a part of the result; check that this machine's clock is right and that it may reach the workspace's cloud storage, or open with cloud_fetch=false")
		}
		links, err := again(ctx, l)
		if err != nil {
			return nil, err
		}
		fresh := slices.IndexFunc(links, func(n Link) bool { return n.Start == l.Start && n.Rows == l.Rows })
		if fresh < 0 {
			return nil, Broken("the service returns no new link for row %d", l.Start)
		}
		l = links[fresh]
	}
}

// file downloads one file without the token, as the link itself grants access. It retries transient errors.
func (c *Client) file(ctx context.Context, l Link) ([]byte, error) {
	if !l.Expires.IsZero() && time.Until(l.Expires) < linkMargin {
		return nil, errExpired
	}
	u, err := url.Parse(l.URL)
	if err != nil || u.Scheme != "https" && (u.Scheme != "http" || c.config.Protocol != "http") {
		return nil, errcode.New(errcode.Unavailable, "databricks: the service returned a link that is not an https URL")
	}
	var body []byte
	passing := func(err error) (bool, time.Duration) {
		var no *Refusal
		var lost *lostError
		if errors.As(err, &no) {
			return no.Status >= 500 || no.Status == http.StatusTooManyRequests, no.after
		}
		return errors.As(err, &lost), 0
	}
	err = c.Retry.Do(ctx, func() error {
		body, err = c.fileOnce(ctx, l)
		return err
	}, passing)
	if again, _ := passing(err); again {
		return nil, errcode.New(errcode.Unavailable, "databricks: a part of the result in cloud storage cannot be downloaded from %s, which failed again and again; if this machine cannot reach it, allow that, or open with cloud_fetch=false", u.Hostname())
	}
	if err != nil {
		return nil, err
	}
	return body, checkContent(body)
}

func (c *Client) fileOnce(ctx context.Context, l Link) ([]byte, error) {
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
		return nil, &Refusal{Status: resp.StatusCode, after: outbound.RetryAfter(resp.Header),
			what: "reading a part of the result"}
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

// lz4Magic is the magic number of an LZ4 frame (LZ4 Frame Format, General Structure).
const lz4Magic = "\x04\x22\x4d\x18"

// checkContent verifies the checksum at the end of a file's LZ4 frame. A reader of the Arrow stream stops before the
// checksum, and a changed byte may be a changed number. Files without compression have no checksum.
func checkContent(body []byte) error {
	if !bytes.HasPrefix(body, []byte(lz4Magic)) {
		return nil
	}
	if _, err := io.Copy(io.Discard, lz4.NewReader(bytes.NewReader(body))); err != nil {
		return Broken("a file was changed on its way: %w", err)
	}
	return nil
}

// Unpacked returns a reader that decompresses r if packed is set.
func Unpacked(r io.Reader, packed bool) io.Reader {
	if packed {
		return lz4.NewReader(r)
	}
	return r
}
