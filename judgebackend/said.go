package judgebackend

import (
	"cmp"
	"index/suffixarray"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/internal/printable"
)

// Said is an endpoint's or a warehouse's error message. It may quote the prompt, and a prompt may mention billing or
// rate limits: so only the first 200 bytes classify the failure. [Said.Words] is the start of the message for the
// user or the operator of badger. No method of formatting prints the message.
type Said struct {
	code, message string // the start, in lower case
	all           string // in lower case, at most allBytes
	words         string // on one line, printable
}

const (
	saidBytes = 200
	allBytes  = 16 << 10
	passBytes = 600 // of the message, in which the time to wait is given
	wordWidth = 300 // columns of Words
)

// NewSaid returns the error with this code (its type, code and parameter, if any) and message. The caller has masked
// secrets in both.
func NewSaid(code, message string) Said {
	cut := func(s string, most int) string { return strings.ToLower(s[:min(len(s), most)]) }
	return Said{cut(code, saidBytes), cut(message, saidBytes), cut(message, allBytes),
		oneLine(message[:min(len(message), 4*wordWidth)])} // what does not fit need not be escaped
}

// oneLine returns a text on one line, without characters that control a terminal.
func oneLine(text string) string {
	return printable.Text(strings.Join(strings.Fields(strings.ToValidUTF8(text, "\ufffd")), " "))
}

// promptPart is the length of a part of a prompt that is masked in an endpoint's words.
const promptPart = 20

// without returns s with the parts of r that the endpoint repeats masked in its words.
func (s Said) without(r Request) Said {
	for _, m := range r.Messages {
		if s.words == "" {
			break
		}
		s.words = MaskParts(s.words, oneLine(m.Content), promptPart, "[prompt]")
	}
	return s
}

// MaskParts replaces the parts of text that also occur in another string and have at least the given number of bytes.
// The case of ASCII letters does not matter.
func MaskParts(text, of string, least int, with string) string {
	if len(text) < least || len(of) < least {
		return text
	}
	folded := foldASCII(text)
	index := suffixarray.New(foldASCII(of)) // a prompt is long, and nearly every byte of text is looked up in it
	isPart := func(i, j int) bool { return len(index.Lookup(folded[i:j], 1)) > 0 }
	var out strings.Builder
	for i := 0; i < len(text); {
		n := least
		if i+n > len(text) || !isPart(i, i+n) {
			out.WriteByte(text[i])
			i++
			continue
		}
		for i+n < len(text) && isPart(i, i+n+1) {
			n++
		}
		out.WriteString(with)
		i += n
	}
	return out.String()
}

// foldASCII returns a text with its ASCII letters in lower case, of the same length.
func foldASCII(text string) []byte {
	b := []byte(text)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return b
}

// Code returns the start of the code, in lower case.
func (s Said) Code() string { return s.code }

// Message returns the start of the message, in lower case.
func (s Said) Message() string { return s.message }

// All returns the message in lower case, up to 16 KiB of it.
func (s Said) All() string { return s.all }

// Words returns the start of the message as it can be shown to the user of the endpoint: on one line, printable, at
// most 300 columns wide, without the parts of the prompt in it; "" if there is none.
func (s Said) Words() string {
	return printable.Cut(strings.ToValidUTF8(s.words, "\ufffd"), wordWidth, "...")
}

// String returns a placeholder, not the message.
func (Said) String() string { return "[what the endpoint wrote]" }

// GoString returns String.
func (s Said) GoString() string { return s.String() }

// Kind returns the kind of failure that s describes, by its code before its message; "" if it recognizes none. A
// message about an exhausted account takes precedence over a code of a rate limit: proxies put their own code on it.
func (s Said) Kind() Kind {
	kind := kindIn(s.code)
	if kind == "" || kind == KindRateLimited {
		said := kindIn(s.message)
		if said == KindBilling && s.passes() {
			said = KindRateLimited
		}
		if kind == "" || said == KindBilling {
			kind = said
		}
	}
	return kind
}

// passes reports whether the message describes a limit that time lifts, such as requests per minute.
func (s Said) passes() bool { return passing.MatchString(s.all[:min(len(s.all), passBytes)]) }

func kindIn(text string) Kind {
	for _, p := range phrases {
		if p.re.MatchString(text) {
			return p.kind
		}
	}
	return ""
}

// RetryAfter returns the time to wait that the message names, as in "try again in 20.1s", or 0.
func (s Said) RetryAfter() time.Duration {
	m := waiting.FindStringSubmatch(s.all[:min(len(s.all), passBytes)])
	if m == nil {
		return 0
	}
	if d, err := time.ParseDuration(m[1]); err == nil { // such as 1m2.5s
		return d
	}
	n, err := strconv.ParseFloat(m[2], 64)
	if err != nil || n > 1e6 {
		return 0
	}
	unit := time.Second
	switch m[3][0] {
	case 'm':
		if unit = time.Minute; m[3][1] == 's' || strings.HasPrefix(m[3], "mil") {
			unit = time.Millisecond
		}
	case 'h':
		unit = time.Hour
	}
	return time.Duration(n * float64(unit))
}

// waiting matches a time to wait: a duration as Go writes it, or a number with a unit.
var waiting = lazyregexp.New(`(?:try again|retry|wait|available again)(?:ing)? (?:again )?(?:in|after|for|at least)?:? ?` +
	`(?:about |approximately )?((?:\d+(?:\.\d+)?(?:h|ms|m|s))+\b|(\d+(?:\.\d+)?) ?` +
	`(ms|milliseconds?|seconds?|secs?|minutes?|mins?|hours?)\b)`)

// TooLong reports whether the message, whatever its code, says that the prompt does not fit the model.
func (s Said) TooLong() bool { return kindIn(s.message) == KindTooLong }

// TooLarge reports whether the message of a rate limit says that the request alone exceeds the limit.
func (s Said) TooLarge() bool { return tooLarge.MatchString(s.all[:min(len(s.all), passBytes)]) }

var tooLarge = lazyregexp.New(`request too large.{0,200}\brequested \d`)

// Room returns the tokens that the context of the model has left for a reply, if the message says that the prompt and
// the requested limit of the reply together exceed it; else 0.
func (s Said) Room() int {
	text := s.all[:min(len(s.all), passBytes)]
	number := func(of string) int {
		n, err := strconv.Atoi(of)
		if err != nil {
			return 0
		}
		return n
	}
	if m := sumOver.FindStringSubmatch(text); m != nil {
		return max(0, number(m[3])-number(m[1]))
	}
	whole, prompt := contextOf.FindStringSubmatch(text), promptOf.FindStringSubmatch(text)
	if whole == nil || prompt == nil {
		return 0
	}
	return max(0, number(cmp.Or(whole[1], whole[2]))-number(cmp.Or(prompt[1], prompt[2])))
}

var (
	contextOf = lazyregexp.New(`(?:context length|context window|context size|context limit) (?:is|of):? (\d{1,8})|must be <= (\d{1,8})`)
	promptOf  = lazyregexp.New(`(\d{1,8}) (?:tokens )?(?:in|from) (?:the |your )?(?:input|messages|prompt)|` +
		"(\\d{1,8}) (?:of text input|input tokens|prompt tokens|`inputs` tokens)")
	sumOver = lazyregexp.New(`(\d{1,8}) \+ (\d{1,8}) > (\d{1,8})`)
)

// NoCredit reports whether the message of a 429 describes an exhausted quota or account, and no limit that time
// lifts.
func (s Said) NoCredit() bool { return exhausted.MatchString(s.message) && !s.passes() }

var (
	exhausted = lazyregexp.New(`\bquota\b|\bcredits?\b|\bbilling\b|insufficient.(balance|funds)|` +
		`\b(out of|no) (money|funds|balance)|(exceeded|over|exhausted).{0,20}(budget|spend)`)
	passing = lazyregexp.New(`per.?(second|minute|hour|day|min|sec)\b|\b[rt]p[mds]\b|(retry|try again|wait).{0,20}\d|` +
		`(re)?try (after|in)\b|rate limit of|free.tier|` +
		`resource has been exhausted|try again (later|in)|quota.?increase`)
)

// phrases are tried in order; the first expression that matches decides.
var phrases = []struct {
	kind Kind
	re   *lazyregexp.Regexp
}{
	{KindBilling, lazyregexp.New(`insufficient_quota|exceeded your current quota|billing_|credit balance is too low|insufficient credit|budget.?(limit|exceeded)|budget has been exceeded|exceeded (your|their|its) budget|payment required|insufficient.balance|n[o']t? have any credits|no credits|arrear|overdue|out of call volume|(budget|quota).{0,12}exhausted`)},
	{KindRegion, lazyregexp.New(`unsupported_country|country, region, or territory|not (supported|available) in your (country|region|location)|location is not supported`)},
	{KindRefused, lazyregexp.New(`content_filter|content filter|content management policy|responsibleaipolicy|guardrail|prohibited_content|safety (filter|reasons)|blocked by`)},
	{KindRateLimited, lazyregexp.New(`throttled|throttling|rate.?limit|too many requests|resource.exhausted|quota exceeded|(status|code|http|error)[ :=]*429`)},
	{KindTooLong, lazyregexp.New(`context.length|context window|context.size|exceed.{0,12}context|maximum context|too many tokens|max tokens exceeded|prompt is too long|request_too_large`)},
	{KindUnauthorized, lazyregexp.New(`invalid_api_key|(invalid|incorrect) (api.?key|access.?token)|api.?key not valid|(api.?key|access.?token|token) (has |is )?expired|expired (api.?key|token)|authentication|unauthenticated|unauthorized|permission_error|390112`)},
	{KindDenied, lazyregexp.New(`permission.denied|access denied|not authorized|insufficient privileges|forbidden`)},
	{KindNotFound, lazyregexp.New(`model_not_found|not_found_error|unknown model|model not found|no such model|unexpected endpoint or method`)},
	{KindTimeout, lazyregexp.New(`timeout|timed out|deadline`)},
	{KindServer,
		lazyregexp.New(`overloaded|unavailable|internal.error|server_error|(status|code|http|error)[ :=]*5\d\d`)},
}
