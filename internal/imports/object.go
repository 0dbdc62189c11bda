package imports

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/toolcalls"
)

// object holds the members of a JSON object.
type object jsonscan.Object

// objectOf parses an object, or a string that contains one. It returns nil for other JSON.
func objectOf(raw json.RawMessage) object {
	if raw = unquoted(raw); len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	return object(jsonscan.ParseObject(raw))
}

// listOf parses a list, or a string that contains one. It returns nil for other JSON.
func listOf(raw json.RawMessage) []json.RawMessage {
	if raw = unquoted(raw); len(raw) == 0 || raw[0] != '[' {
		return nil
	}
	return jsonscan.ParseList(raw)
}

// unquoted returns the JSON in a string that contains an object or a list, and other values unchanged.
func unquoted(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || raw[0] != '"' {
		return raw
	}
	start := bytes.TrimLeft(raw[1:], " \t\r\n\\nrt")
	if len(start) == 0 || start[0] != '{' && start[0] != '[' { // text may only be JSON if it begins like it
		return raw
	}
	text := bytes.TrimSpace(jsonscan.Unquote(raw))
	if len(text) > 0 && (text[0] == '{' || text[0] == '[') && json.Valid(text) {
		return text
	}
	return raw
}

// textOf returns the value of a JSON string, or "" for other JSON.
func textOf(raw json.RawMessage) string { return string(jsonscan.Unquote(raw)) }

// nameOf returns a string or a number as text, or "" for other JSON.
func nameOf(raw json.RawMessage) string {
	if len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9') {
		return string(raw)
	}
	return textOf(raw)
}

// get returns a member, or nil.
func (o object) get(name string) json.RawMessage { return jsonscan.Object(o).Get(name) }

// first returns the first of the members that is present and not null, or nil.
func (o object) first(names ...string) json.RawMessage { return jsonscan.Object(o).Any(names...) }

func (o object) text(names ...string) string { return nameOf(o.first(names...)) }

func (o object) object(names ...string) object { return objectOf(o.first(names...)) }

// role returns the role of a message, and "" if o is not a message.
func (o object) role() string { return toolcalls.Role(jsonscan.Object(o)) }

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

// sorted returns the indexes of the parts of a trace: those without a parent first, then the others, each group by
// start. The function of returns whether a part has no parent, and its start.
func sorted(parts []json.RawMessage, of func(object) (root bool, start time.Time)) []int {
	type key struct {
		root  bool
		start time.Time
	}
	keys, order := make([]key, len(parts)), make([]int, len(parts))
	for i, raw := range parts {
		order[i] = i
		keys[i].root, keys[i].start = of(objectOf(raw))
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch a, b := keys[i], keys[j]; {
		case a.root == b.root:
			return a.start.Compare(b.start)
		case a.root:
			return -1
		}
		return 1
	})
	return order
}

// atIndex returns the place of an element of a list, such as spans[3].
func atIndex(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]" }
