package callers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
	"unicode/utf8"
)

// BigQuery simulates a remote function of BigQuery. It retries on 408, 429, 500, 503 and 504, up to twenty attempts in
// total. With any other error status the query fails with the errorMessage.
type BigQuery struct {
	URL     string            // URL of the function, such as http://…/v1/bigquery/NAME
	Context map[string]string // userDefinedContext; nil: absent
	Header  http.Header       // further headers, such as Authorization
	Client  *http.Client

	requests int
}

// Limits of BigQuery.
const (
	bigQueryReply    = 15_000_000 // bytes of a reply
	bigQueryMessage  = 1024       // bytes of an errorMessage, which must be fewer
	BigQueryAttempts = 20
)

// Call sends one batch of rows, with retries, and checks the reply.
func (b *BigQuery) Call(ctx context.Context, rows ...[]any) (*Call, error) {
	c := &Call{}
	b.requests++
	body := map[string]any{
		"requestId":   fmt.Sprintf("7b1f0000-aaaa-4bbb-8ccc-%012d", b.requests),
		"caller":      "//bigquery.googleapis.com/projects/acme/jobs/acme:EU.job_x1",
		"sessionUser": "ana@example.org", "calls": append([][]any{}, rows...),
	}
	if b.Context != nil {
		body["userDefinedContext"] = b.Context
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return c, err
	}
	h := http.Header{"Content-Type": {"application/json"}}
	for k, v := range b.Header {
		h[http.CanonicalHeaderKey(k)] = v
	}
	for attempt := 0; ; attempt++ {
		r, err := c.send(ctx, request{b.Client, http.MethodPost, b.URL, h, raw})
		if err != nil {
			return c, err
		}
		if r.status == http.StatusOK {
			c.Results, err = b.check(r, len(rows))
			return c, err
		}
		var fault struct {
			Message *string `json:"errorMessage"`
		}
		if err := json.Unmarshal(r.body, &fault); err != nil || fault.Message == nil {
			return c, violation("status %d without an errorMessage: %.100s", r.status, r.body)
		}
		if len(*fault.Message) >= bigQueryMessage || !utf8.ValidString(*fault.Message) {
			return c, violation("an errorMessage of %d bytes", len(*fault.Message))
		}
		switch r.status {
		case 408, 429, 500, 503, 504:
			if attempt+1 < BigQueryAttempts {
				if err := c.wait(ctx, backoff(attempt, 500*time.Millisecond, 30*time.Second)); err != nil {
					return c, err
				}
				continue
			}
		}
		return c, &Refused{r.status, *fault.Message, len(c.Attempts)}
	}
}

func (b *BigQuery) check(r *reply, rows int) ([]json.RawMessage, error) {
	if len(r.body) > bigQueryReply {
		return nil, violation("%d bytes", len(r.body))
	}
	var reply struct {
		Replies []json.RawMessage `json:"replies"`
	}
	if err := json.Unmarshal(r.body, &reply); err != nil || reply.Replies == nil {
		return nil, violation("no replies: %.100s", r.body)
	}
	if len(reply.Replies) != rows {
		return nil, violation("%d replies to %d calls", len(reply.Replies), rows)
	}
	return reply.Replies, nil
}
