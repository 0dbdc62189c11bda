package main

import (
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/scoring"
)

// A configuration is made in layers: defaults, the file, environment variables, flags. The keys are
// those of the struct's yaml tags, found by reflection, so that no key can lack its variable.

// setting is one key of a configuration: anything but a section.
type setting struct {
	path string // such as limits.caller.calls
	in   func(root reflect.Value, make bool) (reflect.Value, bool)
}

// variable is the name of the environment variable of a key.
func (s setting) variable() string {
	return "BADGER_" + strings.ToUpper(strings.ReplaceAll(s.path, ".", "_"))
}

// settingsOf lists the keys of a struct in its order.
func settingsOf(t reflect.Type) []setting { return keysBelow(t, "", nil) }

func keysBelow(t reflect.Type, prefix string, index []int) (all []setting) {
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
		all = append(all, setting{path, func(root reflect.Value, make bool) (reflect.Value, bool) { return field(root, at, make) }})
	}
	return all
}

// field is a field of a struct, through pointers, which are allocated if make says so.
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

// layers remembers where the values of a configuration are from.
type layers struct {
	c        *configuration
	settings []setting
	from     map[string]string // by key
}

func newLayers(c *configuration) *layers {
	return &layers{c: c, settings: settingsOf(reflect.TypeOf(*c)), from: map[string]string{}}
}

func (l *layers) value(s setting) (reflect.Value, bool) {
	return s.in(reflect.ValueOf(l.c).Elem(), false)
}

// layer runs f, which changes the configuration, and takes note of what it changed.
func (l *layers) layer(from string, f func() error) error {
	was := map[string]string{}
	for _, s := range l.settings {
		was[s.path] = l.text(s)
	}
	if err := f(); err != nil {
		return err
	}
	for _, s := range l.settings {
		if l.text(s) != was[s.path] {
			l.from[s.path] = from
		}
	}
	return nil
}

func (l *layers) text(s setting) string {
	v, ok := l.value(s)
	if !ok || v.IsZero() {
		return ""
	}
	return fmt.Sprintf("%#v", v.Interface())
}

// environment sets every key that a variable BADGER_… names. An empty variable counts as none.
func (l *layers) environment(environ []string) error {
	byName := map[string]setting{}
	var names []string
	for _, s := range l.settings {
		byName[s.variable()] = s
		names = append(names, strings.TrimPrefix(s.variable(), "BADGER_"))
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
		v, _ := s.in(reflect.ValueOf(l.c).Elem(), true)
		if err := setText(v, text); err != nil {
			return usage("%s (%s): %w", name, s.path, err)
		}
		l.from[s.path] = "$" + name
	}
	for _, name := range unknown {
		if l.named(name) {
			continue
		}
		return usage("the environment variable %.80s names no key of the configuration%s", name, keyName.ReplaceAllString(scoring.Suggest(strings.TrimPrefix(name, "BADGER_"), names), "BADGER_$0"))
	}
	return nil
}

// keyName is a variable's name without its prefix.
var keyName = regexp.MustCompile(`[A-Z][A-Z0-9_]+`)

// named tells whether the configuration says that a variable holds something, such as a key.
func (l *layers) named(variable string) bool {
	for _, s := range l.settings {
		if v, ok := l.value(s); ok && v.Kind() == reflect.String && regexp.MustCompile(`(^|[=:/])`+regexp.QuoteMeta(variable)+`($|&)`).MatchString(v.String()) {
			return true
		}
	}
	return false
}

// kubernetes is the form of the variables that Kubernetes makes of a service called badger or
// badger-something.
var kubernetes = regexp.MustCompile(`^BADGER_(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PORT|PROTO|ADDR))?)$`)

// notOurs tells whether a variable is meant for something else than the configuration. Those in
// _PYTHON name the environments of badger's own tests.
func notOurs(name, text string) bool {
	return name == sqlProcessName || strings.HasSuffix(name, "_PYTHON") || kubernetes.MatchString(name) ||
		strings.HasSuffix(name, "_PORT") && (strings.HasPrefix(text, "tcp://") || strings.HasPrefix(text, "udp://"))
}

// sqlProcessName is set by badger itself for the process that runs judges of kind sql.
const sqlProcessName = "BADGER_SQL_JUDGE_PROCESS"

// setText sets a value from a variable: a text as it is, a list of texts with commas between them or
// as YAML, anything else as YAML. The error does not quote the text: it may be a secret in the wrong
// place.
func setText(v reflect.Value, text string) error {
	kind := v.Type().String()
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
	case v.Type() == reflect.TypeFor[time.Duration]():
		kind = "a duration such as 10s"
	case v.CanInt():
		kind = "a whole number"
	case v.CanFloat():
		kind = "a number"
	case v.Kind() == reflect.Bool:
		kind = "true or false"
	case v.Kind() == reflect.Map:
		kind = "YAML such as {name: …}"
	}
	into := reflect.New(v.Type())
	d := yaml.NewDecoder(strings.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(into.Interface()); err != nil {
		return fmt.Errorf("expected %s", kind)
	}
	v.Set(into.Elem())
	return nil
}

// print writes the configuration as YAML, with where each value is from. Keys without a value are
// left out.
func (l *layers) print(w io.Writer) error {
	root := &yaml.Node{Kind: yaml.MappingNode}
	for _, s := range l.settings {
		v, ok := l.value(s)
		if !ok || v.IsZero() && l.from[s.path] == "" {
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
		key := put(root, strings.Split(s.path, "."), &n)
		from := l.from[s.path]
		if from == "" {
			from = "default"
		}
		if n.Kind == yaml.ScalarNode {
			n.LineComment = from
		} else { // behind a flow collection the encoder would break the line
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

// put adds a value at a path, and returns the node of its key.
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
		n.Value = maskSecrets(n.Value)
	}
	for _, c := range n.Content {
		maskNode(c)
	}
}

// maskSecrets hides what a URL may carry: a password, and parameters that are secrets themselves
// and no names of files or variables.
func maskSecrets(text string) string {
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

// read reads a configuration from a file and the environment.
func (l *layers) read(path string, environ []string) error {
	name := ""
	if path != "" {
		name = filepath.Base(path)
	}
	if err := l.layer(name, func() error { return readYAML(path, l.c) }); err != nil {
		return err
	}
	return l.environment(environ)
}
