package site

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/report"
)

// dash is shown for a missing figure. It is never 0.
const dash = "–"

// shown formats v as the text of a link.
func shown(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return fmt.Sprint(v)
}

// agentName formats an agent with its version, or returns a placeholder if both are empty.
func agentName(agent, version string) string {
	return report.Agent{Name: agent, Version: version}.Shown()
}

// visible replaces invisible characters of s by symbols, for an attribute or plain text.
func visible(s string) string {
	var b strings.Builder
	for _, p := range caseview.Pieces(s) {
		b.WriteString(p.Text)
	}
	return b.String()
}

// count formats a number with thousands separators: 1,234. n may be an integer or *int64; nil is a dash.
func count(n any) string {
	if p, is := n.(*int64); is {
		if p == nil {
			return dash
		}
		n = *p
	}
	digits := fmt.Sprint(n)
	sign := ""
	if digits != "" && digits[0] == '-' {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// share formats a share in percent, as the terminal report does: 93.4%. v is a float64 or *float64; nil and other types
// are a dash.
func share(v any) string {
	switch v := v.(type) {
	case *float64:
		if v != nil {
			return report.Percent(*v)
		}
	case float64:
		return report.Percent(v)
	}
	return dash
}

// interval formats the 95 % interval of a share in whole percent: 39–67. It returns a dash for nil.
func interval(s *report.Share) string {
	if s == nil {
		return dash
	}
	return fmt.Sprintf("%.0f–%.0f", 100*s.Low, 100*s.High)
}

// figure formats a metric's value as the terminal report does. v is a float64 or *float64; nil and other types are a
// dash.
func figure(v any) string {
	switch v := v.(type) {
	case *float64:
		if v != nil {
			return report.Value(*v)
		}
	case float64:
		return report.Value(v)
	}
	return dash
}

// instant formats t in UTC: 2025-01-13 02:00:00Z. It returns a dash for the zero time.
func instant(t time.Time) string {
	if t.IsZero() {
		return dash
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}

// took formats a duration: 57 ms, 2.3 s, 4 min 5 s. ms is a float64 or *float64 in milliseconds or a time.Duration;
// others are a dash.
func took(ms any) string {
	f, ok := ms.(float64)
	if p, is := ms.(*float64); is && p != nil {
		f, ok = *p, true
	}
	if d, is := ms.(time.Duration); is {
		f, ok = float64(d)/float64(time.Millisecond), true
	}
	switch {
	case !ok:
		return dash
	case f < 10:
		return strconv.FormatFloat(f, 'f', 1, 64) + " ms"
	case f < 1000:
		return strconv.FormatFloat(f, 'f', 0, 64) + " ms"
	case f < 60_000:
		return strconv.FormatFloat(f/1000, 'f', 1, 64) + " s"
	}
	d := time.Duration(f * float64(time.Millisecond)).Round(time.Second)
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}

// things formats a number with its noun, pluralized from the singular one: 1 batch, 1,200 batches.
func things(n any, one string) string {
	text := count(n)
	if text == "1" {
		return text + " " + one
	}
	return text + " " + printable.Noun(2, one)
}
