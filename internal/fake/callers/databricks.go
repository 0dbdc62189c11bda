package callers

import (
	"context"
	"encoding/json"
	"net/http"
)

// Databricks simulates the SQL function http_request: one request for each row, with an object of arguments by name,
// and no retries. SQL gets the status and the body, and parses the body as JSON for every status.
type Databricks struct {
	URL    string // URL of the function, such as http://…/v1/databricks/NAME
	Header http.Header
	Client *http.Client
}

// Call sends one row. The only result is the response's body, for every status. A status other than 200 is also an
// error, [Refused].
func (d *Databricks) Call(ctx context.Context, args map[string]any) (*Call, error) {
	c := &Call{}
	if args == nil {
		args = map[string]any{}
	}
	body, err := json.Marshal(args)
	if err != nil {
		return c, err
	}
	h := http.Header{"Content-Type": {"application/json"}}
	for k, v := range d.Header {
		h[http.CanonicalHeaderKey(k)] = v
	}
	r, err := c.send(ctx, request{d.Client, http.MethodPost, d.URL, h, body})
	if err != nil {
		return c, err
	}
	if !json.Valid(r.body) {
		return c, violation("status %d with a body that from_json cannot read: %.100s", r.status, r.body)
	}
	c.Results = []json.RawMessage{r.body}
	if r.status != http.StatusOK {
		var envelope struct {
			Status string `json:"status"`
			Code   string `json:"code"`
		}
		if err := json.Unmarshal(r.body, &envelope); err != nil || envelope.Status != "failed" || envelope.Code == "" {
			return c, violation("status %d without an envelope: %.100s", r.status, r.body)
		}
		return c, &Refused{r.status, string(r.body), 1}
	}
	return c, nil
}
