// Package config makes a configuration in layers: defaults, a file in YAML, environment variables, flags. The keys are
// those of the yaml tags of a struct, found by reflection, so that each key also has an environment variable. The
// package records which layer each value comes from, and prints values without the secrets that URLs may contain.
//
// Errors in a layer are usage errors ([errcode.IsUsage]). They name the key and never quote the value, which may be
// a misplaced secret.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/internal/strictyaml"
	"github.com/badger-eval/badger/scoring"
)

// Key is one key of a configuration that is not a section.
type Key struct {
	Path string // such as limits.caller.calls
	Type reflect.Type
	Tag  reflect.StructTag
	in   func(root reflect.Value, make bool) (reflect.Value, bool)
}

// Variable returns the name of the key's environment variable, such as BADGER_LIMITS_CALLER_CALLS.
func (s Key) Variable() string {
	return "BADGER_" + strings.ToUpper(strings.ReplaceAll(s.Path, ".", "_"))
}

// Keys returns the keys of a struct type, with those of its sections, in the order of the fields.
func Keys(t reflect.Type) []Key { return keysBelow(t, "", nil) }

func keysBelow(t reflect.Type, prefix string, index []int) (all []Key) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if name == "-" {
			continue
		}
		at := append(append([]int(nil), index...), i)
		path := prefix
		if options != "inline" {
			path = strings.TrimPrefix(prefix+"."+name, ".")
		}
		of := f.Type
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		if of.Kind() == reflect.Struct {
			all = append(all, keysBelow(of, path, at)...)
			continue
		}
		all = append(all,
			Key{path, f.Type, f.Tag, func(root reflect.Value, make bool) (reflect.Value, bool) { return field(root, at, make) }})
	}
	return all
}

// field returns the field of struct v at index, and true. It follows pointers and allocates nil ones if make is set;
// otherwise a nil pointer returns false.
func field(v reflect.Value, index []int, make bool) (reflect.Value, bool) {
	for _, i := range index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				if !make {
					return reflect.Value{}, false
				}
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v, true
}

// Layers is a configuration that is built in layers, with the source of each value.
type Layers struct {
	c    reflect.Value // the struct that holds the values
	keys []Key
	from map[string]string // source of the value, by key
}

// New returns a configuration without layers. into is a pointer to the struct that receives the values.
func New(into any) *Layers {
	c := reflect.ValueOf(into).Elem()
	return &Layers{c: c, keys: Keys(c.Type()), from: map[string]string{}}
}

func (l *Layers) value(s Key) (reflect.Value, bool) {
	return s.in(l.c, false)
}

// Add runs f, which changes the configuration, and records from as the source of each value that f changed. An empty
// from means a default.
func (l *Layers) Add(from string, f func() error) error {
	was := map[string]string{}
	for _, s := range l.keys {
		was[s.Path] = l.text(s)
	}
	if err := f(); err != nil {
		return err
	}
	for _, s := range l.keys {
		if l.text(s) != was[s.Path] {
			l.from[s.Path] = from
		}
	}
	return nil
}

// Changed returns the keys whose values differ from those in from, a configuration of the same struct.
func (l *Layers) Changed(from *Layers) (paths []string) {
	for _, s := range l.keys {
		if l.text(s) != from.text(s) {
			paths = append(paths, s.Path)
		}
	}
	return paths
}

// Lost returns the keys that a file, variable or flag set in from, a configuration of the same struct, and that now
// have their defaults.
func (l *Layers) Lost(from *Layers) (paths []string) {
	for _, s := range l.keys {
		if from.from[s.Path] != "" && l.from[s.Path] == "" {
			paths = append(paths, s.Path)
		}
	}
	return paths
}

func (l *Layers) text(s Key) string {
	v, ok := l.value(s)
	if !ok || v.IsZero() {
		return ""
	}
	return fmt.Sprintf("%#v", v.Interface())
}

// environment sets the keys that variables BADGER_… in environ name. An empty variable is ignored.
func (l *Layers) environment(environ []string) error {
	byName := map[string]Key{}
	var names []string
	for _, s := range l.keys {
		byName[s.Variable()] = s
		names = append(names, strings.TrimPrefix(s.Variable(), "BADGER_"))
	}
	var unknown []string
	for _, kv := range environ {
		name, text, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "BADGER_") || text == "" {
			continue
		}
		s, ok := byName[name]
		if !ok {
			if !notOurs(name, text) {
				unknown = append(unknown, name)
			}
			continue
		}
		v, _ := s.in(l.c, true)
		if err := setText(v, s.Tag, text); err != nil {
			return errcode.Usage("%s (%s): %w", name, s.Path, err)
		}
		l.from[s.Path] = "$" + name
	}
	for _, name := range unknown {
		if l.named(name) {
			continue
		}
		hint := keyName.ReplaceAllString(scoring.Suggest(strings.TrimPrefix(name, "BADGER_"), names), "BADGER_$0")
		return errcode.Usage("the environment variable %.80s names no key of the configuration%s", name,
			cmp.Or(hint, "; unset it, or give it a name that does not begin with BADGER_"))
	}
	return nil
}

// keyName matches the name of a configuration variable without its prefix.
var keyName = lazyregexp.New(`[A-Z][A-Z0-9_]+`)

// named reports whether a value of the configuration refers to an environment variable, such as the one that holds a
// key.
func (l *Layers) named(variable string) bool {
	for _, s := range l.keys {
		if v, ok := l.value(s); ok && v.Kind() == reflect.String &&
			regexp.MustCompile(`(^|[=:/])`+regexp.QuoteMeta(variable)+`($|&)`).MatchString(v.String()) {
			return true
		}
	}
	return false
}

// kubernetes matches the variables that Kubernetes creates for a service called badger or badger-something.
var kubernetes = lazyregexp.New(
	`^BADGER_(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PORT|PROTO|ADDR))?)$`)

// notOurs reports whether a variable BADGER_… does not belong to the configuration: one of badger's child processes, of
// Kubernetes, or of badger's tests (with the suffix _PYTHON).
func notOurs(name, text string) bool {
	return name == SQLProcess || strings.HasSuffix(name, "_PYTHON") || kubernetes.MatchString(name) ||
		strings.HasSuffix(name, "_PORT") && (strings.HasPrefix(text, "tcp://") || strings.HasPrefix(text, "udp://"))
}

// SQLProcess is the environment variable that badger sets for the child processes that run judges of kind sql.
const SQLProcess = "BADGER_SQL_JUDGE_PROCESS"

// setText sets the value of a field with a tag from a variable: a string verbatim, a list of strings that commas
// separate or that is YAML, anything else as YAML. The error does not quote the value: it may be a misplaced secret.
func setText(v reflect.Value, tag reflect.StructTag, text string) error {
	kind := ""
	switch {
	case v.Kind() == reflect.String:
		v.SetString(text)
		return nil
	case v.Type() == reflect.TypeFor[[]string]() && !strings.HasPrefix(strings.TrimSpace(text), "["):
		var list []string
		for part := range strings.SplitSeq(text, ",") {
			list = append(list, strings.TrimSpace(part))
		}
		v.Set(reflect.ValueOf(list))
		return nil
	case v.Kind() == reflect.Map:
		kind = "YAML such as {name: …}"
	}
	into := reflect.New(v.Type())
	if err := strictyaml.DecodeField([]byte(text), into.Interface(), tag); err != nil {
		if wrong := (strictyaml.Error)(nil); kind == "" && errors.As(err, &wrong) {
			return errors.New(wrong[0].Text)
		}
		return fmt.Errorf("expected %s", cmp.Or(kind, v.Type().String()))
	}
	v.Set(into.Elem())
	return nil
}

// Print writes the configuration as YAML, with the source of each value as a comment. Keys without a value are omitted.
func (l *Layers) Print(w io.Writer) error {
	root := &yaml.Node{Kind: yaml.MappingNode}
	for _, s := range l.keys {
		v, ok := l.value(s)
		if !ok || v.IsZero() && l.from[s.Path] == "" {
			continue
		}
		var n yaml.Node
		if err := n.Encode(v.Interface()); err != nil {
			return err
		}
		if n.Kind != yaml.ScalarNode {
			n.Style = yaml.FlowStyle
		}
		maskNode(&n)
		key := put(root, strings.Split(s.Path, "."), &n)
		from := l.from[s.Path]
		if from == "" {
			from = "default"
		}
		if n.Kind == yaml.ScalarNode {
			n.LineComment = from
		} else { // after a flow collection the encoder would break the line
			key.HeadComment = from
		}
	}
	e := yaml.NewEncoder(w)
	e.SetIndent(2)
	if err := e.Encode(root); err != nil {
		return err
	}
	return e.Close()
}

// put adds value v at a path below m, creates missing sections, and returns the node of its key.
func put(m *yaml.Node, path []string, v *yaml.Node) *yaml.Node {
	for i := 0; i < len(m.Content); i += 2 {
		if m.Content[i].Value == path[0] && len(path) > 1 {
			return put(m.Content[i+1], path[1:], v)
		}
	}
	key := &yaml.Node{Kind: yaml.ScalarNode, Value: path[0]}
	if len(path) == 1 {
		m.Content = append(m.Content, key, v)
		return key
	}
	section := &yaml.Node{Kind: yaml.MappingNode}
	m.Content = append(m.Content, key, section)
	return put(section, path[1:], v)
}

func maskNode(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		n.Value = MaskSecrets(n.Value)
	}
	for _, c := range n.Content {
		maskNode(c)
	}
}

// MaskSecrets returns text with secrets replaced by *** if it is a URL: its password, and parameters whose values are
// secrets. Parameters that name files or variables are unchanged.
func MaskSecrets(text string) string {
	scheme, rest, ok := strings.Cut(text, ":")
	if !ok || scheme == "" || strings.ContainsAny(scheme, " /") {
		return text
	}
	if before, query, ok := strings.Cut(rest, "?"); ok {
		parts := strings.Split(query, "&")
		for i, p := range parts {
			name, value, _ := strings.Cut(p, "=")
			if plain, err := url.QueryUnescape(name); err == nil {
				name = plain
			}
			if value != "" && driver.SecretOption(name) {
				parts[i] = name + "=" + masked
			}
		}
		rest = before + "?" + strings.Join(parts, "&")
	}
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		end := strings.IndexAny(after, "/?#")
		if end < 0 {
			end = len(after)
		}
		if at := strings.LastIndexByte(after[:end], '@'); at >= 0 {
			if user, _, ok := strings.Cut(after[:at], ":"); ok {
				rest = "//" + user + ":" + masked + after[at:]
			}
		}
	}
	return scheme + ":" + rest
}

const masked = "***"

// Read reads the file at path, unless path is "", and then the environment variables BADGER_… of environ in the form
// NAME=VALUE. Unknown keys and variables are errors.
func (l *Layers) Read(path string, environ []string) error {
	name := ""
	if path != "" {
		name = filepath.Base(path)
	}
	if err := l.Add(name, func() error { return readFile(path, l.c.Addr().Interface()) }); err != nil {
		return err
	}
	return l.environment(environ)
}

// readFile reads a file in YAML into a struct. Unknown keys are errors. An empty path reads nothing.
func readFile(path string, into any) error {
	if path == "" {
		return nil
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return errcode.NoFile("--config: ", path)
	}
	if err != nil {
		return errcode.Usage("--config: %w", err)
	}
	if err := strictyaml.Decode(text, into); err != nil && !errors.Is(err, io.EOF) {
		return errcode.Usage("--config %s: %w", path, err)
	}
	return nil
}
