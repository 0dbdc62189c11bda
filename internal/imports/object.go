package imports

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/scoring"
)

// object is a JSON object.
type object map[string]json.RawMessage

// objectOf parses an object, or a string that contains one. It returns nil for other JSON.
func objectOf(raw json.RawMessage) (o object) {
	raw = unquoted(raw)
	if len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

// listOf parses a list, or a string that contains one. It returns nil for other JSON.
func listOf(raw json.RawMessage) (list []json.RawMessage) {
	raw = unquoted(raw)
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// unquoted returns the JSON in a string that contains an object or a list, and other values unchanged.
func unquoted(raw json.RawMessage) json.RawMessage {
	text := strings.TrimSpace(textOf(raw))
	if text != "" && (text[0] == '{' || text[0] == '[') && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return raw
}

// textOf returns the value of a JSON string, or "" for other JSON.
func textOf(raw json.RawMessage) (text string) {
	if len(raw) > 0 && raw[0] == '"' {
		_ = json.Unmarshal(raw, &text) // valid JSON
	}
	return text
}

// nameOf returns a string or a number as text, or "" for other JSON.
func nameOf(raw json.RawMessage) string {
	if len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9') {
		return string(raw)
	}
	return textOf(raw)
}

// first returns the first of the members that is present and not null, or nil.
func (o object) first(names ...string) json.RawMessage {
	for _, name := range names {
		if raw, ok := o[name]; ok && string(raw) != "null" {
			return raw
		}
	}
	return nil
}

func (o object) text(names ...string) string { return nameOf(o.first(names...)) }

func (o object) object(names ...string) object { return objectOf(o.first(names...)) }

// at returns the value at a path of names that points separate, and nil if it does not exist. A name may contain
// points.
func (o object) at(path string) json.RawMessage {
	if raw := o.first(path); raw != nil || o == nil {
		return raw
	}
	for i := 0; i < len(path); i++ {
		if path[i] == '.' {
			if raw := o.object(path[:i]).at(path[i+1:]); raw != nil {
				return raw
			}
		}
	}
	return nil
}

// number returns the first of the members that is a number, or text that is one.
func (o object) number(names ...string) (f float64, ok bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(nameOf(o.first(names...))), 64)
	return f, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
}

// count adds the first of the members that is a number to *sum.
func (o object) count(sum **int64, names ...string) {
	if f, ok := o.number(names...); ok && f >= 0 && f < 1<<53 {
		if *sum == nil {
			*sum = new(int64)
		}
		**sum += int64(f)
	}
}

// cost adds the first of the members that is a number to *sum.
func (o object) cost(sum **float64, names ...string) {
	if f, ok := o.number(names...); ok && f >= 0 {
		if *sum == nil {
			*sum = new(float64)
		}
		**sum += f
	}
}

// time returns the first of the members that is a time: RFC 3339 with or without a zone, or a number of seconds,
// milliseconds, microseconds or nanoseconds since 1970.
func (o object) time(names ...string) (t time.Time) {
	text := o.text(names...)
	if text == "" {
		return t
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		if !(n > 0 && n < 1e19) {
			return t
		}
		if whole, err := strconv.ParseInt(text, 10, 64); err == nil && whole > 1e17 {
			return time.Unix(0, whole).UTC()
		}
		for n > 1e11 { // the year 5138 in seconds
			n /= 1000
		}
		return time.UnixMicro(int64(math.Round(n * 1e6))).UTC()
	}
	t, _ = scoring.ParseInstant(text)
	return t
}

// sortParts sorts the parts of a trace: those without a parent first, then the others, each group by start. The
// function part reports whether a part has no parent, and returns its start.
func sortParts[T any](parts []T, part func(T) (root bool, start time.Time)) {
	slices.SortStableFunc(parts, func(a, b T) int {
		rootA, startA := part(a)
		rootB, startB := part(b)
		switch {
		case rootA == rootB:
			return startA.Compare(startB)
		case rootA:
			return -1
		}
		return 1
	})
}

// span returns the time between two times, and nil if one is unknown.
func span(from, to time.Time) *time.Duration {
	if from.IsZero() || to.IsZero() || to.Before(from) {
		return nil
	}
	d := to.Sub(from)
	return &d
}
