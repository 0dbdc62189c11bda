package metric

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// maxExpectedTools is the maximum number of tools in a specification, which limits the cost of matching.
const maxExpectedTools = 1000

// toolSpec is the parsed expected.tools: tools and their partial order.
//
// It is written in one of two forms. A list is a sequence, each call after the one before it:
//
//	["search", {"name": "run_sql", "arguments": {"limit": 10}}, {"name": "chart", "optional": true}]
//
// An object is a partial order: a call comes after those that its "after" names by their ids, and
// calls that no chain of "after" connects may come in any order:
//
//	{"tools": [{"id": "s", "name": "search"}, {"id": "m", "name": "metadata"}, {"name": "run_sql", "after": ["s", "m"]}]}
//
// A call is a bare name or an object with a name. Arguments that are absent may be anything; {}
// asks for none. The id of a call without one is its name, where only one call has that name.
// Optional calls may be left out, are never in excess and hold no place in the order themselves,
// though what comes before them comes before what comes after them.
type toolSpec struct {
	tools   []expectedTool
	ignored int // the number of ignored tools, which are optional and are not compared with calls
}

type expectedTool struct {
	name      string
	arguments map[string]any // nil: any arguments
	optional  bool
	after     []int // indexes of the tools that must be called before it
}

// toolJSON is an expected call in its JSON form.
type toolJSON struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Optional  bool            `json:"optional"`
	After     []string        `json:"after"`
}

// parseToolSpec parses expected.tools. It returns nil for null. An error names the invalid field.
func parseToolSpec(raw json.RawMessage) (*toolSpec, error) {
	raw = bytes.TrimSpace(raw)
	fail := func(format string, args ...any) (*toolSpec, error) {
		return nil, errcode.New(errcode.InvalidArgument, "expected.tools"+format, args...)
	}
	if string(raw) == "null" {
		return nil, nil //nolint:nilnil // none is not an error
	}
	if len(raw) == 0 || raw[0] != '[' && raw[0] != '{' {
		return fail(": expected a list of calls, or an object with a list named tools")
	}
	sequence, field := raw[0] == '[', ""
	var items []json.RawMessage
	if sequence {
		if err := json.Unmarshal(raw, &items); err != nil {
			return fail(": not valid JSON")
		}
	} else {
		field = ".tools"
		var spec struct {
			Tools *[]json.RawMessage `json:"tools"`
		}
		if err := strict(raw, &spec); err != nil {
			return fail(": expected an object with nothing but a list named tools")
		}
		if spec.Tools == nil {
			return fail(".tools: missing")
		}
		items = *spec.Tools
	}
	if len(items) > maxExpectedTools {
		return fail("%s: %d calls, expected at most %d", field, len(items), maxExpectedTools)
	}
	s := &toolSpec{tools: make([]expectedTool, len(items))}
	written := make([]toolJSON, len(items))
	for i, item := range items {
		at := fmt.Sprintf("%s[%d]", field, i)
		w := &written[i]
		if err := w.decode(item); err != nil {
			return fail("%s%w", at, err)
		}
		if w.Name == "" {
			return fail("%s.name: missing", at)
		}
		t := expectedTool{name: w.Name, optional: w.Optional}
		var ok bool
		if t.arguments, ok = parseArguments(w.Arguments); !ok {
			return fail("%s.arguments: expected an object", at)
		}
		if sequence {
			if len(w.After) > 0 {
				return fail(`%s.after: a list is a sequence already; for a partial order write {"tools": [...]}`, at)
			}
			if i > 0 {
				t.after = []int{i - 1}
			}
		}
		s.tools[i] = t
	}
	if sequence {
		return s, nil
	}
	if err := s.connect(written); err != nil {
		return nil, err
	}
	return s, nil
}

// decode parses one expected call: a name or an object. An unknown member is an error, because a misspelled one, such
// as args, would be ignored and the specification would require less than intended.
func (w *toolJSON) decode(item json.RawMessage) error {
	if item[0] == '"' {
		return json.Unmarshal(item, &w.Name)
	}
	if item[0] != '{' {
		return errcode.New(errcode.InvalidArgument, ": expected a name or an object with one")
	}
	err := strict(item, w)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong):
		return errcode.New(errcode.InvalidArgument, ".%s: a JSON %s, expected %s", wrong.Field, wrong.Value,
			wantOf(wrong.Field))
	case err != nil:
		said := strings.TrimPrefix(err.Error(), "json: ")
		if name, unknown := strings.CutPrefix(said, "unknown field "); unknown {
			return errcode.New(errcode.InvalidArgument,
				": unknown member %.60s, expected id, name, arguments, optional or after", name)
		}
		return errcode.New(errcode.InvalidArgument, ": %s", said)
	}
	return nil
}

func wantOf(field string) string {
	switch field {
	case "after":
		return "a list of ids"
	case "optional":
		return "true or false"
	}
	return "text"
}

// strict decodes one JSON value. An unknown member or text after the value is an error.
func strict(raw []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	return ended(d)
}

// ended returns an error if text follows a JSON value.
func ended(d *json.Decoder) error {
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("unexpected text after the JSON value")
	}
	return nil
}

// connect sets the edges of a partial order from the ids in "after". An unknown id or a cycle is an error.
func (s *toolSpec) connect(written []toolJSON) error {
	fail := func(i int, format string, args ...any) error {
		return errcode.New(errcode.InvalidArgument, fmt.Sprintf("expected.tools.tools[%d]", i)+format, args...)
	}
	const shared = -1 // several calls have the name, so that it identifies none
	ids := make(map[string]int, len(written))
	for i, w := range written {
		if w.ID == "" {
			continue
		}
		if _, dup := ids[w.ID]; dup {
			return fail(i, ".id: %.60q is taken", w.ID)
		}
		ids[w.ID] = i
	}
	names := make(map[string]int, len(written))
	for i, w := range written {
		if _, dup := names[w.Name]; dup {
			names[w.Name] = shared
		} else {
			names[w.Name] = i
		}
	}
	for i, w := range written {
		for k, id := range w.After {
			j, ok := ids[id]
			if !ok {
				j, ok = names[id]
			}
			switch {
			case !ok:
				return fail(i, ".after[%d]: no call has the id %.60q", k, id)
			case j == shared:
				return fail(i, ".after[%d]: several calls are named %.60q; give them ids", k, id)
			}
			s.tools[i].after = append(s.tools[i].after, j)
		}
	}
	if cycle := s.cycle(); cycle != nil {
		names := make([]string, len(cycle))
		for k, i := range cycle {
			names[k] = fmt.Sprintf("tools[%d]", i)
		}
		return fail(cycle[0], ".after: a cycle, %s", strings.Join(names, " after "))
	}
	return nil
}

// cycle returns the indexes of the tools of a cycle, with the first one repeated at the end, or nil if there is none.
func (s *toolSpec) cycle() []int {
	const (
		fresh = iota
		open
		closed
	)
	state := make([]int, len(s.tools))
	var path []int
	var visit func(i int) bool
	visit = func(i int) bool {
		path = append(path, i)
		state[i] = open
		for _, j := range s.tools[i].after {
			if state[j] == open {
				path = append(path, j)
				return true
			}
			if state[j] == fresh && visit(j) {
				return true
			}
		}
		state[i] = closed
		path = path[:len(path)-1]
		return false
	}
	for i := range s.tools {
		if state[i] == fresh && visit(i) {
			last := path[len(path)-1]
			for path[0] != last {
				path = path[1:]
			}
			return path
		}
	}
	return nil
}

// ignore makes the tools with these names optional and counts them as ignored. They keep their place in the partial
// order.
func (s *toolSpec) ignore(names []string) {
	for i := range s.tools {
		if slices.Contains(names, s.tools[i].name) {
			s.tools[i].optional = true
			s.ignored++
		}
	}
}

// required returns the tools that are not optional, with their partial order: a tool before an optional tool also
// precedes the tools after that. index maps each tool of the specification to its index in need, or to -1 if it is
// optional.
func (s *toolSpec) required() (need []expectedTool, index []int) {
	index = make([]int, len(s.tools))
	for i, t := range s.tools {
		index[i] = -1
		if !t.optional {
			index[i] = len(need)
			need = append(need, t)
		}
	}
	if len(need) == len(s.tools) {
		return need, index
	}
	for i, t := range s.tools {
		if t.optional {
			continue
		}
		var after []int
		seen := map[int]bool{}
		var collect func(before []int)
		collect = func(before []int) {
			for _, j := range before {
				switch {
				case seen[j]:
				case s.tools[j].optional:
					seen[j] = true
					collect(s.tools[j].after)
				default:
					seen[j] = true
					after = append(after, index[j])
				}
			}
		}
		collect(t.after)
		need[index[i]].after = after
	}
	return need, index
}
