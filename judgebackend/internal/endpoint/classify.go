package endpoint

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/judgebackend"
)

// classifyHTTP returns the error for a response that is not a completion: by its status, and by its body if the
// status is ambiguous (no credit is 429 at OpenAI and 400 at Anthropic; throttling is 400 at Cortex). secrets are
// masked in the endpoint's words.
func classifyHTTP(status int, header http.Header, body []byte, now time.Time, secrets []string) *judgebackend.Error {
	s := sayingOf(body)
	e := &judgebackend.Error{Status: status, RetryAfter: retryAfter(header, now), Said: s.said(secrets)}
	if e.RetryAfter == 0 && (status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable) {
		e.RetryAfter = cmp.Or(s.delay, e.Said.RetryAfter())
	}
	e.NoRetry = strings.EqualFold(header.Get("X-Should-Retry"), "false")
	said := e.Said.Kind()
	switch {
	case status == http.StatusTooManyRequests && s.delay > 0: // Google's, whatever its words say of billing
		e.Kind = judgebackend.KindRateLimited
	case said == judgebackend.KindBilling || status == http.StatusPaymentRequired:
		e.Kind = judgebackend.KindBilling
	case strings.Contains(e.Said.Code(), invalidJSON):
		e.Kind, e.Detail = judgebackend.KindMalformed, "the model's reply was not valid JSON"
	case said == judgebackend.KindRegion:
		e.Kind = said
	case status == http.StatusUnauthorized:
		e.Kind = judgebackend.KindUnauthorized
	case status == http.StatusForbidden:
		// 403 also comes from a gateway that rejects SQL in a body, in which case other calls may succeed: so it is a
		// failure of credentials only if the body mentions them.
		e.Kind = judgebackend.KindDenied
		switch {
		case said == judgebackend.KindUnauthorized:
			e.Kind = judgebackend.KindUnauthorized
		case strings.Contains(e.Said.Message(), "upstream connect error"): // Envoy's, whatever its status
			e.Kind = judgebackend.KindServer
		}
	case status == http.StatusNotFound:
		e.Kind = judgebackend.KindNotFound
	case status == http.StatusRequestEntityTooLarge, status >= 500 && e.Said.TooLong(),
		status == http.StatusTooManyRequests && e.Said.TooLarge():
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

// invalidJSON is Groq's code for a model that did not reply in the requested format. Another attempt may succeed.
const invalidJSON = "json_validate_failed"

// sayingOf parses an error body in any of the formats that endpoints use: {"error":{"type","code","param","message"}},
// {"error":"text"}, {"detail":"text"}, {"detail":[{"loc","msg"}]}, a list of these, the members at the top level, or
// plain text, also in HTML.
func sayingOf(body []byte) (s saying) {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) == nil {
		s.read(v, 0)
	}
	if s.message == nil && s.codes == nil {
		s.message = []string{withoutMarkup(body)}
	}
	return s
}

func (s *saying) said(secrets []string) judgebackend.Said {
	return judgebackend.NewSaid(Mask(s.code(), secrets...), Mask(strings.Join(s.message, "; "), secrets...))
}

// saying collects the code, the parameter and the messages in the JSON of an error.
type saying struct {
	codes, message []string
	param          string
	delay          time.Duration // before another attempt; 0 if unknown
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
	if details, ok := m["details"].([]any); ok { // Google's: https://google.aip.dev/193
		for _, d := range details[:min(len(details), mostSaid)] {
			s.google(d)
		}
	}
	if meta, ok := m["metadata"].(map[string]any); ok { // OpenRouter's, with the provider's own message
		s.read(meta["raw"], depth+1)
	}
}

// google collects what a detail of an error by Google says: when to try again, and the quotas that were exceeded.
func (s *saying) google(detail any) {
	m, _ := detail.(map[string]any)
	switch kind, _ := m["@type"].(string); {
	case strings.HasSuffix(kind, "RetryInfo"):
		text, _ := m["retryDelay"].(string)
		if d, err := time.ParseDuration(text); err == nil && d > 0 {
			s.delay = d
		}
	case strings.HasSuffix(kind, "QuotaFailure"):
		violations, _ := m["violations"].([]any)
		for _, v := range violations[:min(len(violations), mostSaid)] {
			of, _ := v.(map[string]any)
			if id, ok := of["quotaId"].(string); ok {
				s.message = append(s.message, "quota "+joined.ReplaceAllString(id, "$1 $2"))
			}
		}
	}
}

// joined matches where two words of a name such as RequestsPerMinute meet.
var joined = lazyregexp.New(`([a-z])([A-Z])`)

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
