package custom

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// The limits of a judge's output.
const (
	maxReason = 2000     // characters
	maxDetail = 64 << 10 // bytes of JSON
)

// members are the names that a judge's result may have.
var members = []string{"value", "label", "passed", "reason", "detail", "status"}

// scoreOf converts a judge's result, a map with some of members, to a score. An unknown member or an invalid value is
// an error.
func (j *Judge) scoreOf(said map[string]starlark.Value) (scoring.Score, error) {
	var s scoring.Score
	bad := func(member, format string, args ...any) (scoring.Score, error) {
		return scoring.Score{}, errcode.New(errcode.InvalidArgument, member+": "+format, args...)
	}
	for name := range said {
		if !slices.Contains(members, name) {
			return scoring.Score{}, errcode.New(errcode.InvalidArgument, "the judge returned an unknown member; a score has %s",
				strings.Join(members, ", "))
		}
	}
	get := func(name string) starlark.Value {
		if v := said[name]; v != nil && v != starlark.None {
			return v
		}
		return nil
	}
	if v := get("reason"); v != nil {
		text, ok := starlark.AsString(v)
		if !ok {
			return bad("reason", "got %s, expected text", v.Type())
		}
		s.Reason = cutText(strings.ToValidUTF8(text, "\ufffd"), maxReason)
	}
	if v := get("detail"); v != nil {
		raw, err := encodeDetail(v)
		if err != nil {
			return s, errcode.New(errcode.Of(err), "detail: %w", err)
		}
		s.Detail = raw
	}
	s.Status = scoring.StatusOK
	if v := get("status"); v != nil {
		text, _ := starlark.AsString(v)
		s.Status = scoring.Status(text)
		if !slices.Contains([]scoring.Status{scoring.StatusOK, scoring.StatusAbstained, scoring.StatusNotApplicable},
			s.Status) {
			return bad("status", "expected ok, abstained or not_applicable; to fail, call fail(…)")
		}
	}
	if s.Status != scoring.StatusOK {
		if s.Reason == "" {
			return bad("reason", "missing: a score that is %s says why", s.Status)
		}
		return s, nil
	}
	if v := get("label"); v != nil {
		text, ok := starlark.AsString(v)
		switch {
		case !ok:
			return bad("label", "got %s, expected text", v.Type())
		case len(j.header.Labels) == 0:
			return bad("label", "the judge declares no labels")
		case !slices.Contains(j.header.Labels, text):
			return bad("label", "not one of the declared labels")
		}
		s.Label = text
	} else if len(j.header.Labels) > 0 {
		return bad("label", "missing: the judge declares labels")
	}
	switch v := get("value"); {
	case v != nil:
		f, err := number(v)
		if err != nil {
			return bad("value", "%w", err)
		}
		if !j.header.inRange(f) {
			return bad("value", "is outside the range %s", j.header.rangeText())
		}
		s.Value = f
	case s.Label != "": // without a value, the value is the index of the label
		s.Value = float64(slices.Index(j.header.Labels, s.Label))
		if !j.header.inRange(s.Value) {
			return bad("value", "missing")
		}
	default:
		return bad("value", "missing; a judge that cannot tell returns status abstained with a reason")
	}
	if v := get("passed"); v != nil {
		b, ok := v.(starlark.Bool)
		switch {
		case !ok:
			return bad("passed", "got %s, expected True or False", v.Type())
		case j.header.Threshold != nil:
			return bad("passed", "the judge has a threshold, which decides")
		}
		passed := bool(b)
		s.Passed = &passed
	}
	return s, nil
}

// number converts an int, float, decimal or bool to a float64. A value that is not finite is an error.
func number(v starlark.Value) (float64, error) {
	var f float64
	switch v := v.(type) {
	case starlark.Bool:
		if v {
			f = 1
		}
	case starlark.Int:
		f = float64(v.Float())
	case starlark.Float:
		f = float64(v)
	case decimal:
		f, _ = strconv.ParseFloat(v.String(), 64) // infinite if it is too large
	default:
		return 0, errcode.New(errcode.InvalidArgument, "got %s, expected a number", v.Type())
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, errcode.New(errcode.InvalidArgument, "is not a finite number")
	}
	return f, nil
}

// encodeDetail returns the detail as JSON of at most maxDetail bytes. It limits the size again, since shared values
// in a script may be repeated in JSON.
func encodeDetail(v starlark.Value) (json.RawMessage, error) {
	b := &budget{limits: Limits{Steps: maxDetail, Memory: maxDetail}, thread: new(starlark.Thread)}
	if size, err := b.walk(v); err != nil || size > 4*maxDetail {
		return nil, errcode.New(errcode.ResourceExhausted, "more than %d KiB", maxDetail>>10)
	}
	raw, err := encodeJSON(nil, v, 0)
	if err != nil {
		return nil, err
	}
	if len(raw) > maxDetail {
		return nil, errcode.New(errcode.ResourceExhausted, "more than %d KiB", maxDetail>>10)
	}
	return raw, nil
}

func cutText(s string, most int) string {
	if len(s) <= most {
		return s
	}
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most-1]) + "…"
}
