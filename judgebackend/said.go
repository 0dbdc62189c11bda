package judgebackend

import (
	"regexp"
	"strings"
)

// Said is the start of an endpoint's or a warehouse's error message, in lower case. It may quote the prompt, and a
// prompt may mention billing or rate limits: so only the first 200 bytes are stored, to classify the failure, and no
// method of formatting prints them.
type Said struct{ code, message string }

const saidBytes = 200

// NewSaid returns the start of code (the error's type, code and parameter, if any) and of message.
func NewSaid(code, message string) Said {
	cut := func(s string) string { return strings.ToLower(s[:min(len(s), saidBytes)]) }
	return Said{cut(code), cut(message)}
}

// Code returns the start of the code, in lower case.
func (s Said) Code() string { return s.code }

// Message returns the start of the message, in lower case.
func (s Said) Message() string { return s.message }

// String returns a placeholder, not the message.
func (Said) String() string { return "[what the endpoint wrote]" }

// GoString returns String.
func (s Said) GoString() string { return s.String() }

// Kind returns the kind of failure that s describes, by its code before its message; "" if it recognizes none.
func (s Said) Kind() Kind {
	for _, text := range []string{s.code, s.message} {
		for _, p := range phrases {
			if p.re.MatchString(text) {
				return p.kind
			}
		}
	}
	return ""
}

// phrases are tried in order; the first expression that matches decides.
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
	{KindServer,
		regexp.MustCompile(`overloaded|unavailable|internal.error|server_error|(status|code|http|error)[ :=]*5\d\d`)},
}
