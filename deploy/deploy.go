// Package deploy writes the files that run badger serve on a platform: service specifications,
// manifests, bundles, charts and modules.
//
// The files are made from the values and functions that sql/install also uses, so that functions, names and endpoints
// agree. Each target is a folder here. A file that ends in .tmpl is a template of text/template with the delimiters [[
// and ]], because Helm charts use the usual ones. Its path may contain them too. Every other file is copied. To add a
// target, add a folder and a file that calls register. Its own values are a section of [service.Deployment], with a
// file in deploy/service.
package deploy

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"text/template"

	"gopkg.in/yaml.v3"

	"github.com/badger-eval/badger/deploy/service"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/install"
)

// Target is a platform that files are written for.
type Target struct {
	Name      string
	Doc       string   // description: what it creates, requires and costs
	Warehouse string   // warehouse that calls this deployment; "": any
	Via       string   // how the warehouse calls it, such as spcs; "": any
	Required  []string // keys of the values that must be set
	// Needs returns further keys that must be set, which depend on other values. It may be nil.
	Needs  func(*install.Values) []string
	Beside string // a folder of this package that is copied next to the output, under its base name; "": none

	files fs.FS // the target's folder, and the one that is copied with it
	place int   // position in listings, in steps of ten

	// Prepare checks values in combination and returns the field Own of the templates' data. All keys that Missing
	// returns are set. It may be nil.
	Prepare func(*install.Plan) (any, error)
}

// Targets lists all targets in display order. Each is registered by a file of this package.
var Targets []Target

// register adds a target at program start. It panics if another target has the same name or place.
func register(t Target) *Target {
	for i := range Targets {
		if o := &Targets[i]; o.Name == t.Name || o.place == t.place {
			panic("target " + t.Name + ": its name or place is that of " + o.Name)
		}
	}
	Targets = append(Targets, t)
	slices.SortFunc(Targets, func(a, b Target) int { return a.place - b.place })
	return &t
}

//go:embed examples
var examples embed.FS

// Example returns a file of values for the target. The file is valid. Values that every deployment replaces are
// marked.
func (t *Target) Example() string {
	text, err := examples.ReadFile("examples/" + t.Name + ".yaml")
	if err != nil {
		panic(err) // each target has a file
	}
	return string(text)
}

// Missing returns the keys that must be set for the target.
func (t *Target) Missing(v *install.Values) []string {
	keys := slices.Clone(t.Required)
	if t.Needs != nil {
		keys = append(keys, t.Needs(v)...)
	}
	return keys
}

// Find returns the target with a name. An unknown name is an error that lists the targets.
func Find(name string) (*Target, error) {
	var names []string
	for i := range Targets {
		if Targets[i].Name == name {
			return &Targets[i], nil
		}
		names = append(names, Targets[i].Name)
	}
	return nil, errcode.New(errcode.InvalidArgument, "unknown target %.40q, expected one of %s%s", name,
		strings.Join(names, ", "), scoring.Suggest(name, names))
}

// File is one file of a target.
type File struct {
	Name    string // path with slashes, relative to the output folder
	Content []byte
	Copied  bool // copied unchanged, not from a template
}

// page is the data of a template.
type page struct {
	*install.Plan
	Target  *Target
	Version string // version of badger
	Own     any    // result of Target.Prepare
}

// Render returns the files of target t for an installation, sorted by name. version is badger's, for the templates. It
// returns an error if the plan is for another warehouse or connection type, or if a required value is missing.
func Render(t *Target, plan *install.Plan, version string) ([]File, error) {
	if t.Warehouse != "" && plan.Warehouse.Name != t.Warehouse || t.Via != "" && plan.Via.Name != t.Via {
		return nil, errcode.New(errcode.InvalidArgument, "%s belongs to %s via %s, and the values are for %s via %s", t.Name,
			t.Warehouse, t.Via, plan.Warehouse.Name, plan.Via.Name)
	}
	if err := plan.Values.Require(t.Missing(&plan.Values)...); err != nil {
		return nil, err
	}
	data := &page{Plan: plan, Target: t, Version: version}
	if t.Prepare != nil {
		own, err := t.Prepare(plan)
		if err != nil {
			return nil, err
		}
		data.Own = own
	}
	out, err := folder(t.files, t.Name, "", data)
	if err != nil || t.Beside == "" {
		return out, err
	}
	beside, err := folder(t.files, t.Beside, path.Base(t.Beside), data)
	out = append(out, beside...)
	slices.SortFunc(out, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return out, err
}

// folder returns the files below root in files, rendered, with paths below to. Templates whose output is blank are left
// out.
func folder(files fs.FS, root, to string, data *page) (out []File, err error) {
	err = fs.WalkDir(files, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		file := path.Join(to, strings.TrimPrefix(name, root+"/"))
		rest, made := strings.CutSuffix(file, ".tmpl")
		if made {
			if content, err = fill(name, content, data); err != nil {
				return err
			}
			if len(bytes.TrimSpace(content)) == 0 { // the values do not ask for it
				return nil
			}
		}
		out = append(out, File{rest, content, !made})
		return nil
	})
	return out, err
}

// fill returns the output of the template text, which is called name in errors.
func fill(name string, text []byte, data *page) ([]byte, error) {
	t, err := template.New(path.Base(name)).Delims("[[", "]]").Funcs(template.FuncMap{
		"yaml": yamlText, "json": jsonText, "image": imageOf, "hcl": hclText,
		"sh": service.ShellWord, "cat": func(a ...any) string { return fmt.Sprint(a...) },
	}).Option("missingkey=error").Parse(string(text))
	if err != nil {
		return nil, errcode.New(errcode.Internal, "template %s: %w", name, err)
	}
	var out bytes.Buffer
	if err := t.Execute(&out, data); err != nil {
		if coded := (*errcode.Error)(nil); errors.As(err, &coded) {
			return nil, coded
		}
		return nil, errcode.New(errcode.Internal, "template %s: %w", name, err)
	}
	return out.Bytes(), nil
}

// yamlText returns a value as YAML on one line, quoted if necessary.
func yamlText(v any) (string, error) {
	var n yaml.Node
	if err := n.Encode(v); err != nil {
		return "", err
	}
	n.Style |= yaml.FlowStyle
	b, err := yaml.Marshal(&n)
	return strings.TrimSuffix(string(b), "\n"), err
}

func jsonText(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

// Explain writes the list of targets, each with its description and required values.
func Explain(w io.Writer) error {
	var b strings.Builder
	b.WriteString("badger deploy writes the files that run badger serve on a platform, from the\nvalues that badger install reads. Choose one:\n")
	for i := range Targets {
		t := &Targets[i]
		fmt.Fprintf(&b, "\n  %s\n      %s\n", t.Name, strings.Join(printable.Wrap(t.Doc, 74), "\n      "))
		if t.Warehouse != "" {
			fmt.Fprintf(&b, "      for: %s\n", strings.TrimSuffix(t.Warehouse+" via "+t.Via, " via "))
		}
		if len(t.Required) > 0 {
			fmt.Fprintf(&b, "      needs: %s\n", strings.Join(t.Required, ", "))
		}
	}
	b.WriteString("\nThen: badger deploy TARGET --example > FILE, and badger deploy TARGET --values FILE --to DIR\n")
	_, err := io.WriteString(w, b.String())
	return err
}
