// Package toolcalls parses the tool calls of an agent in the forms that model APIs, agent frameworks and tracing
// products publish.
//
// Every form is a file that calls register. A form recognizes its objects by their structure and never by a guess: an
// object that no form recognizes is an error. Messages, reasoning and tool results that a form publishes next to calls
// are skipped. Arguments stay JSON text, so numbers are exact.
package toolcalls

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
)

// Call is one call of a tool.
type Call struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // nil if the call has none
	// ReadAs is the name of the form that the call was parsed from, and "" for badger's own form.
	ReadAs string `json:"read_as,omitempty"`
}

// UnmarshalJSON parses a call in badger's own form: an object, or a string, which is the name of a tool that is called
// without arguments.
func (c *Call) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &c.Name)
	}
	type plain Call
	return json.Unmarshal(b, (*plain)(c))
}

// Form describes a form that is parsed.
type Form struct{ Name, Title string }

// Forms returns all forms but badger's own, sorted by name.
func Forms() []Form {
	out := make([]Form, len(forms))
	for i := range forms {
		out[i] = Form{forms[i].name, forms[i].title}
	}
	slices.SortFunc(out, func(a, b Form) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Titles returns the titles of the forms that calls were parsed from, each once, in the order of the calls. It is empty
// if all calls have badger's own form.
func Titles(calls []Call) (titles []string) {
	for i := range calls {
		if f := named(calls[i].ReadAs); f != nil && !slices.Contains(titles, f.title) {
			titles = append(titles, f.title)
		}
	}
	return titles
}

// Parse parses a list of calls, or one object that holds calls, such as a message or a span. The elements of a list may
// have different forms. The calls are in the order of the trace; spans are sorted by their start if all calls have one.
// Parse returns nil for null, and an empty list if a trace has no calls. what names the value in errors.
func Parse(raw []byte, what string) ([]Call, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	switch raw[0] {
	case '[', '{':
	default:
		return nil, errcode.New(errcode.InvalidArgument, "%s is a JSON %s, expected a list of calls", what, kind(raw))
	}
	if !json.Valid(raw) {
		return nil, errcode.New(errcode.InvalidArgument, "%s is not valid JSON", what)
	}
	r := reader{}
	if raw[0] == '[' {
		r.elements(jsonscan.ParseList(raw), &place{name: what})
	} else {
		r.element(raw, &place{name: what})
	}
	return r.result(what)
}

// ParseParts is like [Parse] for the parts of a trace, which must be valid JSON without repeated spans.
func ParseParts(parts []json.RawMessage, what string) ([]Call, error) {
	r := reader{distinct: true}
	r.elements(parts, &place{name: what})
	return r.result(what)
}

// result returns the calls, or the first error.
func (r *reader) result(what string) ([]Call, error) {
	if r.err == nil && r.spans > 0 && !r.agents {
		r.fail("%s: no span has attributes of agents or models; expected those of a convention in docs/eval/traces.md", what)
	}
	calls := r.calls()
	if r.err != nil {
		return nil, r.err
	}
	return calls, nil
}

// form is a form of calls. Exactly one form recognizes an object that holds calls.
type form struct {
	name  string // as in Call.ReadAs
	title string // as users know it
	is    func(o *object) bool
	read  func(r *reader, o *object)
}

// forms are all forms but badger's own.
var forms []form

func register(f form) { forms = append(forms, f) }

// named returns the form with a name, or nil.
func named(name string) *form {
	for i := range forms {
		if forms[i].name == name {
			return &forms[i]
		}
	}
	return nil
}

// formOf returns the form that recognizes an object, or nil. An object with a role is a message. Objects that hold
// messages are last: they are recognized by the fewest members.
func formOf(o *object) *form {
	if role(o) != "" {
		return &messages
	}
	for i := range forms {
		if forms[i].is(o) {
			return &forms[i]
		}
	}
	if messages.is(o) {
		return &messages
	}
	return nil
}

// maxDepth is the maximum nesting of the parts of a trace, which limits the cost of parsing.
const maxDepth = 64

const expected = `expected {"name", "arguments"} or a form of docs/eval/traces.md`

// reader collects the calls of a trace. After an error it does nothing.
type reader struct {
	as    string // the name of the form that is parsed
	rank  int    // rank of the calls that are parsed
	of    string // the form of the trace, if rank is not 0
	depth int
	found []found
	inner map[string]bool            // ids of observations that enclose others
	parts map[string]json.RawMessage // spans, runs and observations, by form and id
	// distinct is set if no part repeats another, so that parts is not needed.
	distinct bool
	lost     []lost
	// spans counts the spans, and agents is set if one of them has attributes of agents or models.
	spans  int
	agents bool
	err    error
}

// found is a call with its place in the trace.
type found struct {
	Call
	of    string // the form of the trace
	rank  int    // calls with a rank above the lowest of their trace are a second record of the same calls
	*part        // nil if the call has no span
}

// part is the span, the run or the observation of a call.
type part struct {
	id    string // identifies the call in spans
	at    int64  // start of the span
	timed bool
	inner string // id of an observation that is a call only if it encloses no other
}

// lost is an error in a second record of calls. It is an error of the trace if the trace has no other record of them.
type lost struct {
	of   string
	rank int
	err  error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = errcode.New(errcode.InvalidArgument, format, args...)
	}
}

// element parses an element of a list of calls.
func (r *reader) element(raw json.RawMessage, at *place) {
	switch o := objectOf(raw, at); {
	case r.err != nil:
	case o != nil:
		if !r.object(o) && !passed(o) {
			readOwn(r, o)
		}
	case raw[0] == '"':
		r.named(raw, at, nil)
	default:
		r.fail("%v is a JSON %s; "+expected, at, kind(raw))
	}
}

// elements parses the elements of a list.
func (r *reader) elements(list []json.RawMessage, at *place) {
	for i, item := range list {
		if r.element(item, at.element(i)); r.err != nil {
			return
		}
	}
}

// blocks parses the content of a message. A block of an unknown kind is skipped unless it names a tool.
func (r *reader) blocks(list []json.RawMessage, at *place) {
	for i, item := range list {
		o := objectOf(item, at.element(i))
		if o == nil || r.object(o) || passed(o) {
			continue
		}
		if o.has("name") || o.has("tool") || o.has("toolName") || o.has("tool_name") {
			r.fail("%v: unknown form of a tool call; "+expected, o.at)
		}
	}
}

// object parses an object by the form that recognizes it. It returns false if none does.
func (r *reader) object(o *object) bool {
	f := formOf(o)
	if f == nil {
		return false
	}
	r.with(f.name, o, f.read)
	return true
}

// with calls read with the name of a form.
func (r *reader) with(name string, o *object, read func(*reader, *object)) {
	if r.err != nil {
		return
	}
	if r.depth == maxDepth {
		r.fail("%v: a trace nests deeper than %d levels", o.at, maxDepth)
		return
	}
	as := r.as
	r.as, r.depth = name, r.depth+1
	read(r, o)
	r.as, r.depth = as, r.depth-1
}

// second parses a second record of calls, such as the reply of the model that requested them. Its calls are used only
// if the trace has none of a lower rank, and errors in it are reported only then.
func (r *reader) second(rank int, read func()) {
	if r.err != nil {
		return
	}
	outer, of, n := r.rank, r.of, len(r.found)
	r.rank, r.of = max(rank, outer), cmp.Or(of, r.as)
	read()
	if r.err != nil {
		r.lost = append(r.lost, lost{r.of, r.rank, r.err})
		r.err, r.found = nil, r.found[:n]
	}
	r.rank, r.of = outer, of
}

// add adds a call whose name is a member of o. It returns nil if the call is invalid.
func (r *reader) add(o *object, name string, arguments json.RawMessage) *found {
	if r.err == nil {
		r.oneRecord(o)
	}
	return r.named(o.get(name), o.at.member(name), arguments)
}

// argumentMembers are the members of calls that hold arguments, in all forms.
var argumentMembers = []string{"arguments", "args", "input", "parameters", "input_parameters", "inputParameters",
	"tool_kwargs", "tool_input", "action_input", "kwargs"}

// oneRecord reports an error if a call has different arguments in two members.
func (r *reader) oneRecord(o *object) {
	var first json.RawMessage
	var as string
	for _, name := range argumentMembers {
		switch raw := o.any(name); {
		case raw == nil:
		case first == nil:
			first, as = raw, name
		case !sameJSON(decoded(first), decoded(raw)):
			r.fail("%v has different arguments in %s and %s; expected one of them", o.at, as, name)
			return
		}
	}
}

// sameJSON reports whether two JSON values are equal, without regard to the order of members and to white space.
func sameJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, errX := canonical(a)
	y, errY := canonical(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

func canonical(raw json.RawMessage) ([]byte, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var s jsonscan.Scanner
	s.Reset(raw)
	return jsonscan.AppendCanonical(nil, &s, false)
}

// named adds a call with a name as JSON. It returns nil if the call is invalid.
func (r *reader) named(raw json.RawMessage, at *place, arguments json.RawMessage) *found {
	text := textOf(raw)
	switch {
	case len(raw) == 0 || string(raw) == "null":
		r.fail("%v is missing; expected the name of a tool", at)
	case raw[0] != '"':
		r.fail("%v is a JSON %s; expected the name of a tool", at, kind(raw))
	case strings.TrimSpace(text) == "":
		r.fail("%v is empty; expected the name of a tool", at)
	}
	return r.call(text, arguments, at)
}

// call adds a call with a valid name. It returns nil if its arguments have several meanings, such as text with a
// duplicate member.
func (r *reader) call(name string, arguments json.RawMessage, at *place) *found {
	if string(arguments) == "null" {
		arguments = nil
	}
	if arguments != nil && r.err == nil {
		if err := jsonscan.Check(arguments); err != nil {
			r.fail("%v: arguments of the call: %w", at, err)
		}
	}
	if r.err != nil {
		return nil
	}
	r.found = append(r.found, found{Call: Call{Name: name, Arguments: arguments, ReadAs: r.as}, rank: r.rank,
		of: cmp.Or(r.of, r.as)})
	return &r.found[len(r.found)-1]
}

// again reports whether a span, a run or an observation with this id was read before. One with other content is an
// error. Parts that o encloses are not compared.
func (r *reader) again(o *object, id string, encloses string) bool {
	if id == "" || r.err != nil || r.distinct {
		return false
	}
	id = r.as + " " + id
	other, ok := r.parts[id]
	if !ok {
		if r.parts == nil {
			r.parts = map[string]json.RawMessage{}
		}
		r.parts[id] = o.raw
		return false
	}
	if !bytes.Equal(other, o.raw) && !sameJSON(without(other, encloses), without(o.raw, encloses)) {
		r.fail("%v differs from another %s with its id; expected one record of each", o.at, cmp.Or(encloses, "span"))
	}
	return true
}

// without returns an object without a member.
func without(raw json.RawMessage, name string) json.RawMessage {
	return jsonscan.AppendObject(nil, slices.DeleteFunc(jsonscan.ParseObject(raw),
		func(m jsonscan.Member) bool { return string(m.Name) == name }))
}

// calls returns the calls in order, without second records of calls.
func (r *reader) calls() []Call {
	lowest := map[string]int{}
	kept := r.found[:0]
	for _, f := range r.found {
		if f.part == nil || f.inner == "" || !r.inner[f.inner] {
			kept = append(kept, f)
			if rank, ok := lowest[f.of]; !ok || f.rank < rank {
				lowest[f.of] = f.rank
			}
		}
	}
	for _, l := range r.lost {
		if rank, ok := lowest[l.of]; (!ok || l.rank <= rank) && r.err == nil {
			r.err = l.err
		}
	}
	timed, seen := true, map[[2]string]bool{}
	kept = slices.DeleteFunc(kept, func(f found) bool {
		if f.rank > lowest[f.of] {
			return true
		}
		if f.part != nil && f.id != "" {
			id := [2]string{f.of + " " + f.Name, f.id}
			if seen[id] {
				return true
			}
			seen[id] = true
		}
		timed = timed && f.part != nil && f.timed
		return false
	})
	if timed {
		slices.SortStableFunc(kept, func(a, b found) int { return cmp.Compare(a.at, b.at) })
	}
	out := make([]Call, len(kept))
	for i := range kept {
		out[i] = kept[i].Call
	}
	return out
}
