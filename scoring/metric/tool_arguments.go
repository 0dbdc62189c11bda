package metric

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// parseArguments parses the arguments of a call, a JSON object, and keeps numbers as text. A string that contains an
// object, as some agents log it, is parsed as that object. It returns nil for a call without arguments. ok is false
// for anything else, such as a list, a number or text after the object.
func parseArguments(raw json.RawMessage) (arguments map[string]any, ok bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return nil, true
	}
	if raw[0] == '"' {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			return nil, false
		}
		if raw = bytes.TrimSpace([]byte(text)); len(raw) == 0 {
			return nil, true
		}
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&arguments) != nil || ended(d) != nil {
		return nil, false
	}
	return arguments, true
}

// argumentMatch holds the rules for comparing the arguments of a call with the expected ones.
type argumentMatch struct {
	subset bool            // a call may have more members than expected, at every depth
	ignore map[string]bool // members that are not compared, at every depth
}

// equal reports whether two JSON values are equal: numbers by exact value, objects in any order of members, lists in
// order. The rules of m apply.
func (m *argumentMatch) equal(want, got any) bool {
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		return ok && m.objects(want, got)
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) != len(want) {
			return false
		}
		for i := range want {
			if !m.equal(want[i], got[i]) {
				return false
			}
		}
		return true
	case json.Number:
		got, ok := got.(json.Number)
		return ok && canonicalNumber(string(want)) == canonicalNumber(string(got))
	}
	switch got.(type) {
	case map[string]any, []any, json.Number:
		return false
	}
	return want == got // string, true, false or null
}

func (m *argumentMatch) objects(want, got map[string]any) bool {
	compared := 0
	for key, w := range want {
		if m.ignore[key] {
			continue
		}
		g, ok := got[key]
		if !ok || !m.equal(w, g) {
			return false
		}
		compared++
	}
	if m.subset {
		return true
	}
	for key := range got {
		if !m.ignore[key] {
			compared--
		}
	}
	return compared == 0
}

// canonicalNumber returns a JSON number in a form that is the same text for equal values: 1, 1.0 and 10e-1 are 1e0.
func canonicalNumber(s string) string {
	mantissa, exponent := s, 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		e, err := strconv.Atoi(s[i+1:])
		if err != nil || e > 1<<30 || e < -1<<30 {
			return s // too large an exponent: equal only to the same text
		}
		mantissa, exponent = s[:i], e
	}
	sign := ""
	if strings.HasPrefix(mantissa, "-") {
		sign, mantissa = "-", mantissa[1:]
	}
	if whole, fraction, ok := strings.Cut(mantissa, "."); ok {
		mantissa = whole + fraction
		exponent -= len(fraction)
	}
	digits := strings.TrimRight(mantissa, "0")
	exponent += len(mantissa) - len(digits)
	if digits = strings.TrimLeft(digits, "0"); digits == "" {
		return "0"
	}
	return sign + digits + "e" + strconv.Itoa(exponent)
}
