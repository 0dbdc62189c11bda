package judgebackend

import (
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// said is what an endpoint wrote about a failure, in lower case. The message may repeat the prompt
// further on, and a prompt may speak of billing or rate limits: only its beginning is kept.
type said struct {
	code    string // type, code and parameter
	message string // the first bytes of the text
}

const messageLooked = 200

// classifyHTTP makes an *Error of an answer that is not a completion: by status, and by what the
// body says where a status says too little (OpenAI: an empty account is a 429; Anthropic: it is a
// 400; Cortex: throttling is a 400).
func classifyHTTP(status int, header http.Header, body []byte, now time.Time) *Error {
	e := &Error{Status: status, RetryAfter: retryAfter(header, now), said: saidIn(body)}
	said := e.said.kind()
	switch {
	case said == KindBilling || status == http.StatusPaymentRequired:
		e.Kind = KindBilling
	case status == http.StatusUnauthorized:
		e.Kind = KindUnauthorized
	case status == http.StatusForbidden:
		// A gateway that dislikes SQL in a body says 403 as well, and the next case may pass: only
		// an answer that speaks of credentials counts as one about credentials.
		e.Kind = KindDenied
		if said == KindUnauthorized {
			e.Kind = KindUnauthorized
		}
	case status == http.StatusNotFound:
		e.Kind = KindNotFound
	case status == http.StatusRequestEntityTooLarge:
		e.Kind = KindTooLong
	case status == http.StatusTooManyRequests:
		e.Kind = KindRateLimited
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		e.Kind = KindTimeout
	case status >= 500:
		e.Kind = KindServer
	case said != "":
		e.Kind = said
	default:
		e.Kind = KindInvalid
	}
	return e
}

// saidIn reads an error body in any of the forms that endpoints use:
// {"error":{"type","code","param","message"}}, {"error":"text"}, the members at the top, or plain
// text.
func saidIn(body []byte) said {
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
		return said{message: looked(string(body))}
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
	return said{code: looked(code), message: looked(m.Message)}
}

func looked(s string) string { return strings.ToLower(s[:min(len(s), messageLooked)]) }

// phrases are tried in order; the first line with a phrase in the text decides.
var phrases = []struct {
	kind Kind
	re   *regexp.Regexp
}{
	{KindBilling, regexp.MustCompile(`insufficient_quota|exceeded your current quota|billing_|credit balance is too low|insufficient credit|budget (limit|exceeded)|payment required`)},
	{KindRefused, regexp.MustCompile(`content_filter|content filter|content management policy|responsibleaipolicy|guardrail|prohibited_content|safety (filter|reasons)|blocked by`)},
	{KindRateLimited, regexp.MustCompile(`throttled|throttling|rate.?limit|too many requests|resource.exhausted|quota exceeded|(status|code|http|error)[ :=]*429`)},
	{KindTooLong, regexp.MustCompile(`context.length|context window|maximum context|too many tokens|max tokens exceeded|prompt is too long|request_too_large`)},
	{KindUnauthorized, regexp.MustCompile(`invalid_api_key|invalid api key|api key not valid|authentication|unauthenticated|unauthorized|permission_error|390112`)},
	{KindDenied, regexp.MustCompile(`permission.denied|access denied|not authorized|insufficient privileges|forbidden`)},
	{KindNotFound, regexp.MustCompile(`model_not_found|not_found_error|unknown model|model not found|no such model`)},
	{KindTimeout, regexp.MustCompile(`timeout|timed out|deadline`)},
	{KindServer, regexp.MustCompile(`overloaded|unavailable|internal.error|server_error|(status|code|http|error)[ :=]*5\d\d`)},
}

// kind tells the kind of failure from what was said, code before message; "" where nothing is
// recognised.
func (s said) kind() Kind {
	for _, text := range []string{s.code, s.message} {
		for _, p := range phrases {
			if p.re.MatchString(text) {
				return p.kind
			}
		}
	}
	return ""
}

// retryAfter reads Retry-After in seconds or as an HTTP date (RFC 9110, 10.2.3), and the finer
// Retry-After-Ms that some endpoints send. Nonsense is as good as nothing.
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

func isJSONError(err error) bool {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &kind)
}
