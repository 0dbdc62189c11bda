// Names writes the attributes and blocks of the resources that the modules in deploy/terraform use, for a test that
// compares the modules with them. They are read from the typings of the packages @cdktf/provider-… of npm, which were
// generated from the providers' own schemas. The providers themselves are not in a package registry.
//
//	go run ./deploy/names FOLDER    # with the unpacked packages as FOLDER/snowflake and so on
package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// provider is the stored part of a provider's schema.
type provider struct {
	Source    string            `json:"source"`
	Version   string            `json:"version"`
	Resources map[string]*block `json:"resources"` // by type; data sources begin with "data."
}

// block is the schema of a resource or of a block in it.
type block struct {
	Attributes map[string]attribute `json:"attributes,omitempty"`
	Blocks     map[string]*nested   `json:"blocks,omitempty"`
	Computed   []string             `json:"computed,omitempty"` // further attributes that can be referred to
}

type attribute struct {
	Type     string `json:"type"` // string, number, bool, list, map or object
	Required bool   `json:"required,omitempty"`
}

type nested struct {
	Required bool `json:"required,omitempty"`
	block
}

func main() {
	if err := write(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "names:", err)
		os.Exit(1)
	}
}

var used = regexp.MustCompile(`(?m)^(resource|data) "(([a-z]+)_([a-z0-9_]+))"`)

func write(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("expected the folder of the unpacked packages")
	}
	modules, err := filepath.Glob("deploy/terraform/*/main.tf")
	if err != nil {
		return err
	}
	if len(modules) == 0 {
		return fmt.Errorf("deploy/terraform has no modules: run this in the root of the repository")
	}
	packages := os.DirFS(args[0])
	providers := map[string]*provider{}
	for _, m := range modules {
		text, err := os.ReadFile(m)
		if err != nil {
			return err
		}
		for _, u := range used.FindAllStringSubmatch(string(text), -1) {
			folder, key := strings.ReplaceAll(u[4], "_", "-"), u[2]
			if u[1] == "data" {
				folder, key = "data-"+u[3]+"-"+folder, "data."+key
			}
			folder = path.Join(u[3], "lib", folder)
			typings, err := fs.ReadFile(packages, path.Join(folder, "index.d.ts"))
			if err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			p := providers[u[3]]
			if p == nil {
				p = &provider{Resources: map[string]*block{}}
				providers[u[3]] = p
			}
			if err := p.read(key, string(typings), packages, folder); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
		}
	}
	for name, p := range providers {
		text, err := json.MarshalIndent(p, "", " ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join("deploy/testdata/providers", name+".json"), append(text, '\n'), 0o644); err != nil { //nolint:gosec // people read it
			return err
		}
	}
	return nil
}

var (
	source      = regexp.MustCompile(`registry\.terraform\.io/providers/([^/]+/[^/]+)/([0-9.]+)/`)
	interfaces  = regexp.MustCompile(`(?s)export interface (\w+)(?: extends [\w.]+)? \{\n(.*?)\n\}`)
	field       = regexp.MustCompile(`(?s)/\*\*(.*?)\*/\s+readonly (\w+)(\??): (\{[^}]*\}|[^;]+)(.*?);`)
	anchor      = regexp.MustCompile(`\{@link [^#}\s]+#(\w+) `)
	class       = regexp.MustCompile(`(?s)export declare class \w+ extends cdktf\.Terraform(?:Resource|DataSource) \{(.*)`)
	getter      = regexp.MustCompile(`(?m)^    get (\w+)\(\): `)
	capital     = regexp.MustCompile(`[A-Z]`)
	annotations = regexp.MustCompile(`\s*\| cdktf\.IResolvable`)
)

// read adds the schema of one resource from its typings. The types of nested blocks are in other files of folder.
func (p *provider) read(key, typings string, packages fs.FS, folder string) error {
	s := source.FindStringSubmatch(typings)
	if s == nil {
		return fmt.Errorf("the typings do not name their provider")
	}
	if p.Version != "" && p.Version != s[2] {
		return fmt.Errorf("versions %s and %s", p.Version, s[2])
	}
	p.Source, p.Version = s[1], s[2]
	more, err := fs.Glob(packages, path.Join(folder, "*", "*.d.ts"))
	if err != nil {
		return err
	}
	all := typings
	for _, m := range more {
		text, err := fs.ReadFile(packages, m)
		if err != nil {
			return err
		}
		all += string(text)
	}
	bodies := map[string]string{}
	root := ""
	for _, i := range interfaces.FindAllStringSubmatch(all, -1) {
		bodies[i[1]] = i[2]
		if root == "" && strings.Contains(i[0], "extends cdktf.TerraformMetaArguments") {
			root = i[1]
		}
	}
	if root == "" {
		return fmt.Errorf("the typings have no configuration")
	}
	b := blockOf(root, bodies)
	if c := class.FindStringSubmatch(typings); c != nil {
		for _, g := range getter.FindAllStringSubmatch(c[1], -1) {
			name := snake(g[1])
			if _, known := b.Attributes[name]; !known && !strings.HasSuffix(name, "_input") && b.Blocks[name] == nil {
				b.Computed = append(b.Computed, name)
			}
		}
		slices.Sort(b.Computed)
		b.Computed = slices.Compact(b.Computed)
	}
	p.Resources[key] = &b
	return nil
}

func snake(camel string) string {
	return capital.ReplaceAllStringFunc(camel, func(c string) string { return "_" + strings.ToLower(c) })
}

func blockOf(name string, bodies map[string]string) block {
	b := block{Attributes: map[string]attribute{}, Blocks: map[string]*nested{}}
	for _, f := range field.FindAllStringSubmatch(bodies[name], -1) {
		doc, required, kind := f[1], f[3] == "", strings.TrimSpace(annotations.ReplaceAllString(f[4], ""))
		at := anchor.FindStringSubmatch(doc)
		if at == nil {
			continue
		}
		is := strings.Contains(doc, at[1]+" block\n")
		of := strings.TrimSuffix(kind, "[]")
		switch {
		case is:
			b.Blocks[at[1]] = &nested{required, blockOf(of, bodies)}
		case kind == "string" || kind == "number":
			b.Attributes[at[1]] = attribute{kind, required}
		case strings.HasPrefix(kind, "boolean"):
			b.Attributes[at[1]] = attribute{"bool", required}
		case strings.HasPrefix(kind, "{"):
			b.Attributes[at[1]] = attribute{"map", required}
		case strings.HasSuffix(kind, "[]"):
			b.Attributes[at[1]] = attribute{"list", required}
		default:
			b.Attributes[at[1]] = attribute{"object", required}
		}
	}
	return b
}
