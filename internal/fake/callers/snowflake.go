package callers

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // Content-MD5 is a checksum
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// Snowflake simulates an external function of Snowflake or, if Service is set, a function of a service in Snowpark
// Container Services.
//
// An external function retries on 429 and on every 5xx with the same batch ID; a service function on 404, 429, 500,
// 502, 503 and 504, three times. Every other error status fails the statement. After 202 both poll by GET with the same
// headers, and fail after ten minutes.
type Snowflake struct {
	URL     string // URL of the function, such as http://…/v1/snowflake/NAME
	Service bool
	Gzip    bool        // COMPRESSION = GZIP
	BatchID string      // empty: no batch ID is sent, as by some service functions
	Header  http.Header // further headers
	Client  *http.Client
	Numbers []int64 // row numbers; nil: from 0
}

// Limits of Snowflake.
const (
	snowflakeReply   = 10_000_000       // bytes of a reply
	SnowflakePolling = 10 * time.Minute // maximum time of polling for a batch
)

// Call sends one batch of rows, with retries and polling, and checks the reply.
func (s *Snowflake) Call(ctx context.Context, rows ...[]any) (*Call, error) {
	data := make([][]any, len(rows))
	for i, r := range rows {
		data[i] = append([]any{s.number(i)}, r...)
	}
	body, err := json.Marshal(map[string]any{"data": data})
	if err != nil {
		return &Call{}, err
	}
	return s.Send(ctx, body, len(rows))
}

func (s *Snowflake) number(i int) int64 {
	if s.Numbers != nil {
		return s.Numbers[i]
	}
	return int64(i)
}

// Send sends a body, which may be malformed, with retries and polling. It expects a reply with the given number of
// rows.
func (s *Snowflake) Send(ctx context.Context, body []byte, rows int) (*Call, error) {
	c := &Call{}
	h := http.Header{"Content-Type": {"application/json"}, "User-Agent": {"snowflake/1.0"}}
	if !s.Service {
		h.Set("sf-external-function-format", "json")
		h.Set("sf-external-function-format-version", "1.0")
		h.Set("sf-external-function-current-query-id", "01c0aaaa-0000-1111-0000-222233334444")
	}
	if s.BatchID != "" {
		h.Set("sf-external-function-query-batch-id", s.BatchID)
	}
	for k, v := range s.Header {
		h[http.CanonicalHeaderKey(k)] = v
	}
	get := h.Clone()
	if s.Gzip {
		h.Set("Content-Encoding", "gzip")
		h.Set("Accept-Encoding", "gzip")
		get.Set("Accept-Encoding", "gzip")
		body = gzipped(body)
	}
	method := http.MethodPost
	polls := 0
	for attempt := 0; ; {
		var r *reply
		var err error
		if method == http.MethodPost {
			r, err = c.send(ctx, request{s.Client, method, s.URL, h, body})
		} else {
			r, err = c.send(ctx, request{s.Client, method, s.URL, get, nil})
		}
		switch {
		case err != nil && (ctx.Err() != nil || r == nil && isViolation(err)):
			return c, err
		case err != nil: // a transient error of the network
			if attempt++; attempt > s.retries() {
				return c, err
			}
		case r.status == http.StatusOK:
			c.Results, err = s.check(r, rows)
			return c, err
		case r.status == http.StatusAccepted:
			if s.BatchID == "" {
				return c, violation("202 without a batch id, by which to poll")
			}
			if c.Waited >= SnowflakePolling {
				return c, &Refused{r.status, "not ready after ten minutes", len(c.Attempts)}
			}
			method = http.MethodGet
			if err := c.wait(ctx, backoff(polls, time.Second, time.Minute)); err != nil {
				return c, err
			}
			polls++
			continue
		case s.retried(r.status) && attempt < s.retries():
			attempt++
		default:
			return c, &Refused{r.status, string(r.body), c.Posts()}
		}
		if err := c.wait(ctx, backoff(attempt, 100*time.Millisecond, 16*time.Second)); err != nil {
			return c, err
		}
	}
}

func isViolation(err error) bool {
	_, ok := err.(*Violation) //nolint:errorlint // made here
	return ok
}

func (s *Snowflake) retries() int {
	if s.Service {
		return 3
	}
	return 12
}

func (s *Snowflake) retried(status int) bool {
	if !s.Service {
		return status == http.StatusTooManyRequests || status >= 500
	}
	switch status {
	case 404, 429, 500, 502, 503, 504:
		return true
	}
	return false
}

// check returns the results of a reply. Like Snowflake it requires the row numbers of the request, in the same order.
func (s *Snowflake) check(r *reply, rows int) ([]json.RawMessage, error) {
	if len(r.body) > snowflakeReply {
		return nil, violation("%d bytes", len(r.body))
	}
	if digest := r.header.Get("Content-MD5"); digest != "" {
		if sum := md5.Sum(r.raw); digest != base64.StdEncoding.EncodeToString(sum[:]) { //nolint:gosec // a checksum
			return nil, violation("Content-MD5 is not that of the body")
		}
	}
	var reply struct {
		Data [][]json.RawMessage `json:"data"`
	}
	d := json.NewDecoder(bytes.NewReader(r.body))
	d.DisallowUnknownFields()
	if err := d.Decode(&reply); err != nil || reply.Data == nil {
		return nil, violation("no object with data alone: %v", err)
	}
	if len(reply.Data) != rows {
		return nil, violation("%d rows for %d", len(reply.Data), rows)
	}
	results := make([]json.RawMessage, rows)
	for i, row := range reply.Data {
		if len(row) != 2 || string(row[0]) != strconv.FormatInt(s.number(i), 10) {
			return nil, violation("row %d is not [%d, value]", i, s.number(i))
		}
		results[i] = row[1]
	}
	return results, nil
}
