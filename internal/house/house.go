// Package house lists, in one table, which packages of this module may import which, and prints it. Its test checks
// the imports of every package: a package missing from the table, an import that it does not allow, and an allowed
// import that is unused are errors. A second table lists what a package must not reach, directly or indirectly.
//
// To add a package, add its line to imports.txt. An import that is missing there is a decision: look
// at docs/reference/packages.md first, which is printed from the same table.
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

// table is the table of imports, sorted by package. An error names the line.
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

// rule forbids packages to others.
type rule struct {
	Package string // of this module; with /... at its end, all below it too
	Direct  bool   // only what it imports itself
	Never   []string
}

// rules lists the packages that each package must not reach. Packages of this module have no module path. An error
// names the line.
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

// lines are the lines of a table that say something; one that begins with a blank continues with the
// line before.
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

// Package is a package as the go command lists it.
type Package struct {
	ImportPath string
	Doc        string // the first sentence of its documentation
	Imports    []string
	GoFiles    []string
	CgoFiles   []string
	Dir        string
}

// Name is the path of a package without that of the module.
func (p *Package) Name() string { return strings.TrimPrefix(p.ImportPath, module) }

// ForTests reports whether only tests may import a package: one below a folder fake, which replaces
// something outside, or a NAMEtest, which checks the contract of a package next to it.
func (p *Package) ForTests() bool {
	return strings.HasSuffix(p.Name(), "test") || slices.Contains(strings.Split(p.Name(), "/"), "fake")
}

// Ours are the packages of this module that it imports, sorted.
func (p *Package) Ours() (names []string) {
	for _, i := range p.Imports {
		if name, ours := strings.CutPrefix(i, module); ours {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// List lists all packages of the module, and with deps those that they reach too. It needs the go
// command, and runs it in a directory of the module.
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
