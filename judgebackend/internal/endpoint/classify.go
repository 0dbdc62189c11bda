package endpoint

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/judgebackend"
)

// classifyHTTP returns the error for a response that is not a completion: by its status, and by its body if the
// status is ambiguous (no credit is 429 at OpenAI and 400 at Anthropic; throttling is 400 at Cortex).
func classifyHTTP(status int, header http.Header, body []byte, now time.Time) *judgebackend.Error {
	e := &judgebackend.Error{Status: status, RetryAfter: retryAfter(header, now), Said: saidIn(body)}
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
// {"error":"text"}, the members at the top level, or plain text.
func saidIn(body []byte) judgebackend.Said {
	type members struct {
		Code    any    `json:"code"`
		Type    string `json:"type"`
		Param   string `json:"param"`
		Message string `json:"message"`
	}
	var outer struct {
		members
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &outer) != nil && len(outer.Error) == 0 && outer.Message == "" {
		return judgebackend.NewSaid("", string(body))
	}
	m := outer.members
	var text string
	if json.Unmarshal(outer.Error, &text) == nil && text != "" {
		m.Message = text
	} else if len(outer.Error) > 0 {
		m = members{}
		_ = json.Unmarshal(outer.Error, &m) // what can be read is enough
	}
	code := m.Type
	switch c := m.Code.(type) {
	case string:
		code += " " + c
	case float64:
		code += " " + strconv.FormatFloat(c, 'f', -1, 64)
	}
	if m.Param != "" {
		code += " param=" + m.Param
	}
	return judgebackend.NewSaid(code, m.Message)
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
