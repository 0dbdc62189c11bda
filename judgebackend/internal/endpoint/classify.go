package endpoint

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/judgebackend"
)

// classifyHTTP returns the error for a response that is not a completion: by its status, and by its body if the
// status is ambiguous (no credit is 429 at OpenAI and 400 at Anthropic; throttling is 400 at Cortex). secrets are
// masked in the endpoint's words.
func classifyHTTP(status int, header http.Header, body []byte, now time.Time, secrets []string) *judgebackend.Error {
	e := &judgebackend.Error{Status: status, RetryAfter: retryAfter(header, now), Said: saidIn(body, secrets)}
	said := e.Said.Kind()
	switch {
	case said == judgebackend.KindBilling || status == http.StatusPaymentRequired:
		e.Kind = judgebackend.KindBilling
	case status == http.StatusUnauthorized:
		e.Kind = judgebackend.KindUnauthorized
	case status == http.StatusForbidden:
		// 403 also comes from a gateway that rejects SQL in a body, in which case other calls may succeed: so it is a
		// failure of credentials only if the body mentions them.
		e.Kind = judgebackend.KindDenied
		if said == judgebackend.KindUnauthorized {
			e.Kind = judgebackend.KindUnauthorized
		}
	case status == http.StatusNotFound:
		e.Kind = judgebackend.KindNotFound
	case status == http.StatusRequestEntityTooLarge:
		e.Kind = judgebackend.KindTooLong
	case status == http.StatusTooManyRequests && e.RetryAfter == 0 && e.Said.NoCredit():
		e.Kind = judgebackend.KindBilling
	case status == http.StatusTooManyRequests:
		e.Kind = judgebackend.KindRateLimited
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		e.Kind = judgebackend.KindTimeout
	case status >= 500:
		e.Kind = judgebackend.KindServer
	case said != "":
		e.Kind = said
	default:
		e.Kind = judgebackend.KindInvalid
	}
	return e
}

// saidIn parses an error body in any of the formats that endpoints use: {"error":{"type","code","param","message"}},
// {"error":"text"}, {"detail":"text"}, {"detail":[{"loc","msg"}]}, a list of these, the members at the top level, or
// plain text.
func saidIn(body []byte, secrets []string) judgebackend.Said {
	var s saying
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) == nil {
		s.read(v, 0)
	}
	if s.message == nil && s.codes == nil {
		s.message = []string{string(body)}
	}
	return judgebackend.NewSaid(Mask(s.code(), secrets...), Mask(strings.Join(s.message, "; "), secrets...))
}

// saying collects the code, the parameter and the messages in the JSON of an error.
type saying struct {
	codes, message []string
	param          string
}

// Limits of what is read in an error: nested levels, elements of a list.
const (
	deepest  = 6
	mostSaid = 5
)

// read collects what v says. It ignores the input that some endpoints repeat.
func (s *saying) read(v any, depth int) {
	if depth > deepest {
		return
	}
	switch v := v.(type) {
	case string:
		if inner := any(nil); strings.HasPrefix(strings.TrimSpace(v), "{") && json.Unmarshal([]byte(v), &inner) == nil {
			was := len(s.message)
			if s.read(inner, depth+1); len(s.message) > was {
				return
			}
		}
		if v != "" {
			s.message = append(s.message, v)
		}
	case []any:
		for _, e := range v[:min(len(v), mostSaid)] {
			s.read(e, depth+1)
		}
	case map[string]any:
		s.object(v, depth)
	}
}

func (s *saying) object(m map[string]any, depth int) {
	was := len(s.message)
	if s.read(m["error"], depth+1); len(s.message) > was { // the outer members only wrap it
		return
	}
	for _, name := range []string{"type", "status", "code", "error_code", "errorCode"} {
		switch c := m[name].(type) {
		case string:
			s.codes = append(s.codes, c)
		case json.Number:
			s.codes = append(s.codes, c.String())
		case float64:
			s.codes = append(s.codes, strconv.FormatFloat(c, 'f', -1, 64))
		}
	}
	switch p, _ := m["param"].(string); {
	case s.param != "", strings.EqualFold(p, "none"), strings.EqualFold(p, "null"): // Python's None, as text
	default:
		s.param = p
	}
	place := ""
	if loc, ok := m["loc"].([]any); ok { // FastAPI's
		for _, l := range loc {
			if name, ok := l.(string); ok {
				place = strings.TrimPrefix(place+"."+name, ".")
			}
		}
	}
	for _, name := range []string{"message", "msg", "detail", "error_description", "errorMessage", "error_message",
		"title", "errors"} {
		was = len(s.message)
		s.read(m[name], depth+1)
		if len(s.message) > was && place != "" {
			s.message[was], place = place+": "+s.message[was], ""
		}
	}
	if meta, ok := m["metadata"].(map[string]any); ok { // OpenRouter's, with the provider's own message
		s.read(meta["raw"], depth+1)
	}
}

// code returns the codes and the parameter as one text.
func (s *saying) code() string {
	code := strings.Join(s.codes, " ")
	if s.param != "" {
		code += " param=" + s.param
	}
	return code
}

// retryAfter parses Retry-After in seconds or as an HTTP date (RFC 9110, 10.2.3), or Retry-After-Ms in milliseconds.
// Invalid values are 0.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e10 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	v := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		if s > 0 && s < 1e7 {
			return time.Duration(s * float64(time.Second))
		}
		return 0
	}
	if t, err := http.ParseTime(v); err == nil && t.After(now) {
		return t.Sub(now)
	}
	return 0
}
