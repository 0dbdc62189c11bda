// Package house lists, in one table, which packages of this module may import which, and prints it. Its test checks
// the imports of every package: a package missing from the table, an import that it does not allow, and an allowed
// import that is unused are errors. A second table lists what a package must not reach, directly or indirectly.
//
// To add a package, add its line to imports.txt. Adding an import there is a design decision: see
// docs/reference/packages.md first, which is generated from the code.
package house

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// module is the path of the module, with a slash at its end.
const module = "github.com/badger-eval/badger/"

//go:embed imports.txt
var importsText string

//go:embed never.txt
var neverText string

// row lists the packages of this module that a package may import directly.
type row struct {
	Package string
	Imports []string // sorted
}

// table returns the table of imports in imports.txt. An error names the entry.
func table() ([]row, error) {
	var rows []row
	for n, line := range lines(importsText) {
		name, imports, ok := strings.Cut(line, ":")
		if !ok || strings.ContainsAny(name, " \t") {
			return nil, fmt.Errorf("imports.txt, entry %d: expected a package, a colon and packages between blanks, got %.60q",
				n+1, line)
		}
		rows = append(rows, row{name, strings.Fields(imports)})
	}
	return rows, nil
}

// rule lists packages that a package must not import.
type rule struct {
	Package string // a package of this module; with /... at its end, also all packages below it
	Direct  bool   // Never applies to direct imports only
	Never   []string
}

// rules returns the rules of never.txt: the packages that each package must not reach. Packages of this module are
// written without the module path. An error names the entry.
func rules() ([]rule, error) {
	var rules []rule
	for n, line := range lines(neverText) {
		words := strings.Fields(line)
		if len(words) < 3 || words[1] != "reaches" && words[1] != "imports" {
			return nil, fmt.Errorf("never.txt, entry %d: expected a package, reaches or imports, and packages, got %.60q", n+1,
				line)
		}
		rules = append(rules, rule{words[0], words[1] == "imports", words[2:]})
	}
	return rules, nil
}

// lines returns the lines of a table without blank lines and comments (#). A line that starts with a blank is joined to
// the one before.
func lines(text string) (out []string) {
	for _, line := range strings.Split(text, "\n") {
		switch {
		case strings.TrimSpace(line) == "" || line[0] == '#':
		case line[0] == ' ' && len(out) > 0:
			out[len(out)-1] += line
		default:
			out = append(out, line)
		}
	}
	return out
}

// Package is a package in the output of go list.
type Package struct {
	ImportPath string
	Doc        string // the first sentence of its documentation
	Imports    []string
	GoFiles    []string
	CgoFiles   []string
	Dir        string
}

// Name returns the import path of the package without the module path.
func (p *Package) Name() string { return strings.TrimPrefix(p.ImportPath, module) }

// ForTests reports whether only tests may import a package: one below a folder fake, which replaces
// something outside, or a NAMEtest, which checks the contract of a package next to it.
func (p *Package) ForTests() bool {
	return strings.HasSuffix(p.Name(), "test") || slices.Contains(strings.Split(p.Name(), "/"), "fake")
}

// Ours returns the packages of this module that p imports, sorted, without the module path.
func (p *Package) Ours() (names []string) {
	for _, i := range p.Imports {
		if name, ours := strings.CutPrefix(i, module); ours {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// List returns all packages of the module and, if deps is set, all packages that they depend on. It runs the go command
// in dir, a directory of the module.
func List(ctx context.Context, dir string, deps bool) ([]*Package, error) {
	args := []string{"list", "-json=ImportPath,Doc,Imports,GoFiles,CgoFiles,Dir"}
	if deps {
		args = append(args, "-deps")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, module+"...")...) //nolint:gosec // the arguments are fixed words
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var all []*Package
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		p := &Package{}
		if err := d.Decode(p); err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, p)
	}
	return all, nil
}
