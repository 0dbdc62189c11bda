package callers

import (
	"context"
	"encoding/json"
	"time"
)

// Redshift simulates an external function of Redshift, which calls AWS Lambda. If Invoke returns an error, it retries
// for RETRY_TIMEOUT. A result with success false fails the statement.
type Redshift struct {
	Function string // name of the function in Redshift, such as badger.hybrid_ex
	// Invoke runs the Lambda function on a payload. An error means an exception in the function, which Lambda reports
	// to Redshift as a failure of the service.
	Invoke func(ctx context.Context, payload []byte) ([]byte, error)
	Retry  time.Duration // RETRY_TIMEOUT; 0: 20 seconds
}

// lambdaPayload is the maximum number of bytes of a reply of AWS Lambda.
const lambdaPayload = 6 << 20

// Call sends one batch of rows, with retries, and checks the reply.
func (r *Redshift) Call(ctx context.Context, rows ...[]any) (*Call, error) {
	return r.Send(ctx, len(rows), rows)
}

// Send sends a call of the given number of records with any arguments, which may be malformed, and checks the reply.
func (r *Redshift) Send(ctx context.Context, records int, arguments any) (*Call, error) {
	c := &Call{}
	payload, err := json.Marshal(map[string]any{
		"request_id": "req-5", "cluster": "arn:aws:redshift:eu-west-1:111122223333:cluster:dw", "user": "ana",
		"database":          "eval",
		"external_function": r.Function, "query_id": 812, "num_records": records, "arguments": arguments,
	})
	if err != nil {
		return c, err
	}
	limit := r.Retry
	if limit == 0 {
		limit = 20 * time.Second
	}
	for attempt := 0; ; attempt++ {
		c.Reply, err = r.Invoke(ctx, payload)
		if err == nil {
			c.Attempts = append(c.Attempts, Attempt{"Invoke", 0})
			break
		}
		c.Attempts = append(c.Attempts, Attempt{"Invoke", -1})
		if ctx.Err() != nil || c.Waited >= limit {
			return c, err
		}
		if err := c.wait(ctx, backoff(attempt, 500*time.Millisecond, 5*time.Second)); err != nil {
			return c, err
		}
	}
	if len(c.Reply) > lambdaPayload {
		return c, violation("%d bytes", len(c.Reply))
	}
	var reply struct {
		Success *bool             `json:"success"`
		Records *int              `json:"num_records"`
		Results []json.RawMessage `json:"results"`
		Message string            `json:"error_msg"`
	}
	body := c.Reply
	var text string
	if json.Unmarshal(body, &text) == nil { // it may be a string of JSON
		body = []byte(text)
	}
	if err := json.Unmarshal(body, &reply); err != nil || reply.Success == nil {
		return c, violation("no success: %.100s", body)
	}
	if !*reply.Success {
		if reply.Message == "" {
			return c, violation("success is false without an error_msg")
		}
		return c, &Refused{0, reply.Message, len(c.Attempts)}
	}
	if len(reply.Results) != records || reply.Records != nil && *reply.Records != records {
		return c, violation("%d results for %d records", len(reply.Results), records)
	}
	c.Results = reply.Results
	return c, nil
}
