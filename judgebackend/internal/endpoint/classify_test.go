package endpoint

import (
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/badger-eval/badger/judgebackend"
)

// Errors are classified by what an endpoint says if its status is ambiguous, and the time to wait is read from its
// message if no header has it.
func TestClassify(t *testing.T) {
	t.Parallel()
	google := func(details string) string {
		return `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"You exceeded your current quota, see billing.","details":[` +
			details + `]}}`
	}
	for _, tc := range []struct {
		name   string
		status int
		body   string
		kind   judgebackend.Kind
		wait   time.Duration
	}{
		{"a quota without an end", 429, google(``), judgebackend.KindBilling, 0},
		{"a quota for a minute", 429, google(`{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"CallsPerMinutePerProject"}]}`), judgebackend.KindRateLimited, 0},
		{"a quota for good", 429, google(`{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"CallsPerProject"}]}`), judgebackend.KindBilling, 0},
		{"when to retry", 429, google(`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"2.5s"}`), judgebackend.KindRateLimited, 2500 * time.Millisecond},
		{"a delay that is none", 429, google(`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"soon"}`), judgebackend.KindBilling, 0},
		{"seconds", 429, `{"error":"Rate limit reached. Please try again in 7.5 seconds."}`, judgebackend.KindRateLimited, 7500 * time.Millisecond},
		{"Go's durations", 429, `{"error":"Rate limit reached; please retry after 1m2s."}`, judgebackend.KindRateLimited, 62 * time.Second},
		{"milliseconds", 503, `{"error":"busy, wait for 300 ms"}`, judgebackend.KindServer, 300 * time.Millisecond},
		{"minutes", 503, `{"error":"busy, try again in about 2 minutes"}`, judgebackend.KindServer, 2 * time.Minute},
		{"no unit", 503, `{"error":"busy, try again in 5"}`, judgebackend.KindServer, 0},
		{"other numbers", 503, `{"error":"retry budget of 20 seconds"}`, judgebackend.KindServer, 0},
		{"a wrong key as a bad request", 400, `{"error":{"message":"Incorrect API key provided: ab***."}}`, judgebackend.KindUnauthorized, 0},
		{"an expired token", 403, `{"message":"The access token has expired."}`, judgebackend.KindUnauthorized, 0},
		{"an expired offer is no key", 403, `{"message":"The offer has expired."}`, judgebackend.KindDenied, 0},
		{"a proxy without its server", 403, `upstream connect error or disconnect`, judgebackend.KindServer, 0},
		{"no credits", 403, `{"error":"The team has no credits left."}`, judgebackend.KindBilling, 0},
		{"overdue", 403, `{"error":"Account overdue."}`, judgebackend.KindBilling, 0},
		{"region", 403, `{"error":{"message":"This model is not available in your country."}}`, judgebackend.KindRegion, 0},
		{"a column named region", 400, `{"error":{"message":"Column region not found."}}`, judgebackend.KindInvalid, 0},
		{"context as a server error", 500, `{"error":{"type":"server_error","message":"the prompt exceeds the context size (4096)"}}`, judgebackend.KindTooLong, 0},
		{"another server error", 500, `{"error":{"type":"server_error","message":"context canceled"}}`, judgebackend.KindServer, 0},
		{"a request above the limit of a minute", 429, `{"error":{"code":"rate_limit_exceeded","message":"Request too large for m: Limit 9000, Requested 9001."}}`, judgebackend.KindTooLong, 0},
		{"invalid JSON of the model", 400, `{"error":{"code":"json_validate_failed","message":"Failed."}}`, judgebackend.KindMalformed, 0},
		{"an unknown path", 200, `{"error":"Unexpected endpoint or method. (POST /x)"}`, judgebackend.KindNotFound, 0},
	} {
		e := classifyHTTP(tc.status, http.Header{}, []byte(tc.body), time.Now(), nil)
		if e.Kind != tc.kind || e.RetryAfter != tc.wait {
			t.Errorf("%s: kind %s, wait %v; expected %s, %v", tc.name, e.Kind, e.RetryAfter, tc.kind, tc.wait)
		}
	}
	h := http.Header{"Retry-After": {"3"}, "X-Should-Retry": {"false"}}
	e := classifyHTTP(429, h, []byte(`{"error":"try again in 9s"}`), time.Now(), nil)
	if e.RetryAfter != 3*time.Second || !e.NoRetry {
		t.Errorf("wait %v, no retry %v; expected the header's", e.RetryAfter, e.NoRetry)
	}
}

// The room for a reply is what the context has left beside the prompt, in each vendor's words.
func TestRoomForReply(t *testing.T) {
	t.Parallel()
	for said, room := range map[string]int{
		"This model's maximum context length is 3000 tokens. However, you requested 4500 tokens (500 in the messages, 4000 in the completion).": 2500,
		"max_tokens is too large: 4000. The maximum context length is 3000 tokens and your request has 500 input tokens (4000 > 3000 - 500).":   2500,
		"The maximum context length of 3000 tokens is exceeded: 500 tokens from the input messages and 4000 tokens for the completion.":         2500,
		"`inputs` tokens + `max_new_tokens` must be <= 3000. Given: 500 `inputs` tokens and 4000 `max_new_tokens`":                              2500,
		"input length and `max_tokens` exceed context limit: 500 + 4000 > 3000":                                                                 2500,
		"maximum context length is 3000 tokens. However, you requested 7000 tokens (3500 in the messages, 3500 in the completion).":             0,
		"maximum context length is 3000 tokens": 0,
		"500 in the messages":                   0,
	} {
		r := judgebackend.Request{MaxTokens: 4000}
		err := classifyHTTP(400, http.Header{}, []byte(said), time.Now(), nil)
		again := NewFeatures(judgebackend.Identity{}, nil).Fit(&r, err)
		if again != (room > 0) || again && r.MaxTokens != room {
			t.Errorf("%s: again %v with %d tokens; expected %d", said, again, r.MaxTokens, room)
		}
	}
	r := judgebackend.Request{MaxTokens: 2500} // what fits was refused: the number is of no use
	err := classifyHTTP(400, http.Header{}, []byte("exceed context limit: 500 + 2500 > 3000"), time.Now(), nil)
	if NewFeatures(judgebackend.Identity{}, nil).Fit(&r, err) {
		t.Error("the same request is sent again")
	}
}

// A model whose JSON the endpoint finds invalid is asked once more in the same way, then without a format.
func TestInvalidJSONOfTheModel(t *testing.T) {
	t.Parallel()
	f := NewFeatures(judgebackend.Identity{}, slog.New(slog.DiscardHandler))
	err := classifyHTTP(400, http.Header{}, []byte(`{"error":{"code":"json_validate_failed","message":"Failed."}}`), time.Now(), nil)
	used := []Feature{UseTemperature, UseJSONSchema}
	if f.Learn(err, used) || !f.Offers(UseJSONSchema) {
		t.Error("one invalid reply changes the format")
	}
	_ = f.Done(judgebackend.Request{}, 4096, judgebackend.Response{})
	if f.Learn(err, used) || !f.Offers(UseJSONSchema) {
		t.Error("an invalid reply after a valid one changes the format")
	}
	if !f.Learn(err, used) || f.Offers(UseJSONSchema) || f.Offers(UseJSONObject) || !f.Offers(UseTemperature) {
		t.Error("two invalid replies do not change the format")
	}
	for range 2 {
		if f.Learn(err, []Feature{UseTemperature}) {
			t.Error("a request without a format is sent again without end")
		}
	}
}
