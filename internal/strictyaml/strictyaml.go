// Package strictyaml decodes the YAML that people write for badger: its configuration, values of an installation and
// judge files.
package strictyaml

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/badger-eval/badger/scoring"
)

// ErrDocuments is the error if the input has more than one document.
var ErrDocuments = errors.New("expected one YAML document")

// Error lists what is wrong in a document. It names lines, keys and what is expected there, and no values because they
// may be secrets.
type Error []Problem

// Problem is one thing that is wrong.
type Problem struct {
	Line int    // from 1; 0 if it is not known
	Key  string // the path of keys, as in judge.budget; "" if the problem is with the document
	Text string
}

// Error returns the problems in one line.
func (e Error) Error() string {
	said := make([]string, len(e))
	for i, p := range e {
		said[i] = p.String()
	}
	return strings.Join(said, "; ")
}

// String returns a problem as in "line 2: judge.budget: expected a number, found text".
func (p Problem) String() string {
	text := p.Text
	if p.Key != "" {
		text = p.Key + ": " + text
	}
	if p.Line > 0 {
		text = fmt.Sprintf("line %d: %s", p.Line, text)
	}
	return text
}

// Decode decodes the only document of the input. If the input has no document, the error is io.EOF. An unknown or
// duplicate key, a value of the wrong kind, or a number with a fraction for an integer, which the library would
// truncate, is an [Error]. So is a number or a duration below what the tag least of its field declares, as in
// least:"0", or above the tag most.
func Decode(text []byte, into any) error { return DecodeField(text, into, "") }

// DecodeField is Decode for the value of a field with a tag.
func DecodeField(text []byte, into any, tag reflect.StructTag) error {
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	failed := d.Decode(into)
	var wrongType *yaml.TypeError
	if failed != nil && !errors.As(failed, &wrongType) {
		return unreadable(failed, text)
	}
	if err := d.Decode(&yaml.Node{}); failed == nil && !errors.Is(err, io.EOF) {
		return ErrDocuments
	}
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return unreadable(err, text)
	}
	var c check
	for _, n := range root.Content {
		c.node(n, reflect.TypeOf(into), tag, "")
	}
	if c.wrong != nil {
		return c.wrong
	}
	if failed != nil {
		return unreadable(failed, text)
	}
	return nil
}

var lineMessage = regexp.MustCompile(`^(?:yaml: )?(?:unmarshal errors:\n +)?line (\d+): (.*)$`)

// unreadable returns an error of the library as an [Error]. It returns io.EOF and the errors of types that decode
// themselves unchanged.
func unreadable(err error, text []byte) error {
	var t *yaml.TypeError
	if !strings.HasPrefix(err.Error(), "yaml: ") {
		return err
	}
	messages := []string{err.Error()}
	if errors.As(err, &t) {
		messages = t.Errors
	}
	var out Error
	for _, message := range messages {
		p := Problem{Text: plain(strings.TrimPrefix(message, "yaml: "))}
		if m := lineMessage.FindStringSubmatch(message); m != nil {
			p.Line, _ = strconv.Atoi(m[1]) // digits
			p.Text = plain(m[2])
		}
		if line := indentedByTab(text); line > 0 && t == nil {
			p = Problem{Line: line, Text: "the line is indented by a tab; YAML expects spaces"}
		}
		out = append(out, p)
	}
	return out
}

// plainMessages maps the library's messages about syntax to their usual causes.
var plainMessages = map[string]string{
	"mapping values are not allowed in this context":         "a key stands where a value is expected: are the lines around it indented alike, and is a value with a colon in quotes?",
	"could not find expected ':'":                            "expected a colon after the key, as in key: value",
	"did not find expected key":                              "expected a key: are the lines around it indented alike, and is a value with a quote or a bracket in quotes?",
	"did not find expected ',' or ']'":                       "the list in [ ] is not closed; expected , or ]",
	"did not find expected ',' or '}'":                       "the mapping in { } is not closed; expected , or }",
	"found unexpected end of stream":                         "a quoted text is not closed",
	"did not find expected '-' indicator":                    "expected the next element of the list, which begins with a dash: are the lines indented alike?",
	"found character that cannot start any token":            "a value begins with a character that YAML reserves, such as @, ` or %; put the value in quotes",
	"block sequence entries are not allowed in this context": "a list begins in the line of its key; write its first dash on a separate line",
}

func plain(message string) string { return cmp.Or(plainMessages[message], message) }

// indentedByTab returns the first line, from 1, that is indented by a tab; 0 if there is none.
func indentedByTab(text []byte) int {
	for i, line := range bytes.Split(text, []byte("\n")) {
		indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
		if bytes.ContainsRune(indent, '\t') && len(indent) < len(line) {
			return i + 1
		}
	}
	return 0
}

// maxNodes is the number of nodes of a document that are checked, with those that aliases repeat.
const maxNodes = 1_000_000

// check compares a document with the Go type that it is decoded into.
type check struct {
	wrong Error
	nodes int
}

func (c *check) say(n *yaml.Node, key, format string, args ...any) {
	c.wrong = append(c.wrong, Problem{Line: n.Line, Key: key, Text: fmt.Sprintf(format, args...)})
}

var (
	nodeType     = reflect.TypeFor[yaml.Node]()
	durationType = reflect.TypeFor[time.Duration]()
	ownType      = reflect.TypeFor[yaml.Unmarshaler]()
)

// node checks a node that is decoded into t, in a field with a tag.
func (c *check) node(n *yaml.Node, t reflect.Type, tag reflect.StructTag, key string) {
	c.nodes++
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nodeType || t.Kind() == reflect.Interface || c.nodes > maxNodes || n.ShortTag() == "!!null" ||
		t.Implements(ownType) || reflect.PointerTo(t).Implements(ownType) {
		return
	}
	want, out := kindOf(t), ""
	if n.Kind == yaml.ScalarNode {
		out = outOfRange(n, t, tag)
	}
	switch {
	case out != "":
		c.say(n, key, "%s", out)
	case t.Kind() == reflect.Struct && n.Kind == yaml.MappingNode, t.Kind() == reflect.Map && n.Kind == yaml.MappingNode:
		c.mapping(n, t, key)
	case (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && n.Kind == yaml.SequenceNode:
		for i, item := range n.Content {
			c.node(item, t.Elem(), tag, fmt.Sprintf("%s[%d]", key, i))
		}
	case n.Kind != yaml.ScalarNode || n.Decode(reflect.New(t).Interface()) != nil:
		c.say(n, key, "expected %s, found %s", want, kindOfNode(n))
	case isWhole(t) && n.ShortTag() == "!!float":
		var x float64
		if n.Decode(&x) == nil && x != math.Trunc(x) {
			c.say(n, key, "expected %s, found a fraction", want)
		}
	}
}

// mapping checks the keys of a mapping.
func (c *check) mapping(n *yaml.Node, t reflect.Type, key string) {
	if c.nodes++; c.nodes > maxNodes {
		return
	}
	seen := map[string]int{} // lines of the keys
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		at := strings.TrimPrefix(key+"."+name.Value, ".")
		if name.ShortTag() == "!!merge" {
			for _, part := range merged(value) {
				c.mapping(part, t, key)
			}
			continue
		}
		if line, again := seen[name.Value]; again {
			c.say(name, at, "duplicate key; the first is in line %d", line)
			continue
		}
		seen[name.Value] = name.Line
		if t.Kind() == reflect.Map {
			c.node(value, t.Elem(), "", at)
			continue
		}
		f := fieldOf(t, name.Value)
		if f == nil {
			c.say(name, key, "unknown key %.40q%s", name.Value, cmp.Or(
				scoring.Suggest(name.Value, fieldNames(t)), "; expected one of "+strings.Join(fieldNames(t), ", ")))
			continue
		}
		c.node(value, f.Type, f.Tag, at)
	}
}

// outOfRange describes how a number or a duration is outside of what the tags least and most of its field declare, or
// of its type, as in "expected a whole number of at least 1, found less"; "" if it is within, or n is of another kind.
func outOfRange(n *yaml.Node, t reflect.Type, tag reflect.StructTag) string {
	kind, x := kindOf(t), 0.0
	least, most := tag.Get("least"), tag.Get("most")
	number := func(text string) float64 {
		x, _ := strconv.ParseFloat(text, 64) //nolint:errcheck // the test of the configuration's keys reads each tag
		return x
	}
	switch {
	case t == durationType:
		d := time.Duration(0)
		if n.Decode(&d) != nil {
			return ""
		}
		kind, x = "a duration", float64(d)
		number = func(text string) float64 {
			d, _ := time.ParseDuration(text) //nolint:errcheck // as above
			return float64(d)
		}
	case t.Kind() < reflect.Int || t.Kind() > reflect.Float64 || kindOfNode(n) != "a number" || n.Decode(&x) != nil,
		isWhole(t) && x != math.Trunc(x):
		return ""
	case isWhole(t):
		zero := reflect.Zero(t)
		low, high := int64(math.MinInt64)>>(64-t.Bits()), uint64(math.MaxInt64)>>(64-t.Bits())
		if zero.CanUint() {
			low, high = 0, uint64(math.MaxUint64)>>(64-t.Bits())
		}
		least, most = cmp.Or(least, strconv.FormatInt(low, 10)), cmp.Or(most, strconv.FormatUint(high, 10))
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "expected a finite number"
	}
	switch {
	case least != "" && x < number(least):
		return fmt.Sprintf("expected %s of at least %s, found less", kind, least)
	case most != "" && x > number(most):
		return fmt.Sprintf("expected %s of at most %s, found more", kind, most)
	}
	return ""
}

// isWhole reports whether a type is one of whole numbers.
func isWhole(t reflect.Type) bool { return reflect.Int <= t.Kind() && t.Kind() <= reflect.Uint64 }

// merged returns the mappings that the value of a merge key names.
func merged(n *yaml.Node) (list []*yaml.Node) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind == yaml.MappingNode {
		return []*yaml.Node{n}
	}
	for _, item := range n.Content {
		if item.Kind == yaml.AliasNode {
			item = item.Alias
		}
		if item.Kind == yaml.MappingNode {
			list = append(list, item)
		}
	}
	return list
}

// kindOf describes the values of a type.
func kindOf(t reflect.Type) string {
	switch kind := t.Kind(); {
	case t == durationType:
		return "a duration such as 10s"
	case kind == reflect.Struct:
		return "a mapping with " + oneOf(fieldNames(t))
	case kind == reflect.Map:
		return "a mapping from a name to " + kindOf(elem(t))
	case kind == reflect.Slice, kind == reflect.Array:
		return "a list"
	case isWhole(t):
		return "a whole number"
	case kind == reflect.Float64, kind == reflect.Float32:
		return "a number"
	case kind == reflect.Bool:
		return "true or false"
	}
	return "text"
}

func elem(t reflect.Type) reflect.Type {
	for t = t.Elem(); t.Kind() == reflect.Pointer; t = t.Elem() {
	}
	return t
}

// maxNamed is the number of keys of a section that an error names.
const maxNamed = 6

func oneOf(names []string) string {
	if len(names) > maxNamed {
		return "keys such as " + strings.Join(names[:maxNamed], ", ")
	}
	return "the keys " + strings.Join(names, ", ")
}

// kindOfNode describes the kind of a node.
func kindOfNode(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	}
	switch n.ShortTag() {
	case "!!int", "!!float":
		return "a number"
	case "!!bool":
		return "true or false"
	}
	return "text"
}

// fieldOf returns the field of struct type t with a YAML key, or nil if there is none.
func fieldOf(t reflect.Type, key string) (of *reflect.StructField) {
	fields(t, func(name string, field *reflect.StructField) {
		if name == key && of == nil {
			of = field
		}
	})
	return of
}

// fieldNames returns the YAML keys of a struct type, sorted.
func fieldNames(t reflect.Type) (names []string) {
	fields(t, func(name string, _ *reflect.StructField) { names = append(names, name) })
	slices.Sort(names)
	return names
}

// fields calls f with the YAML key of each field of struct type t.
func fields(t reflect.Type, f func(name string, of *reflect.StructField)) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		switch {
		case name == "-" || !field.IsExported() && !field.Anonymous:
		case strings.Contains(options, "inline") && field.Type.Kind() == reflect.Struct:
			fields(field.Type, f)
		case name == "":
			f(strings.ToLower(field.Name), &field)
		default:
			f(name, &field)
		}
	}
}
