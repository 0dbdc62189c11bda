// Command page prints the packages of the module in Markdown: what each does, by the first sentence of
// its documentation, and what it may import. With -sizes it prints lines of code, exported names and
// imports instead, tab-separated, for comparing two states of the code. With -levels it writes the
// picture of the levels between two comments of ARCHITECTURE.md.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/house"
)

func main() {
	log.SetFlags(0)
	sizes := flag.Bool("sizes", false, "print lines, exported names and imports of each package")
	levels := flag.Bool("levels", false, "write the picture of the levels into "+architecture)
	flag.Parse()
	packages, err := house.List(context.Background(), ".", false)
	if err != nil {
		log.Fatal(err)
	}
	slices.SortFunc(packages, func(a, b *house.Package) int { return strings.Compare(a.Name(), b.Name()) })
	if *levels {
		if err := writeLevels(packages); err != nil {
			log.Fatal(err)
		}
		return
	}
	w := bufio.NewWriter(os.Stdout)
	if *sizes {
		err = printSizes(w, packages)
	} else {
		err = printPage(w, packages)
	}
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		log.Fatal(err)
	}
}

// depths are how many steps each package stands above those that import none of this module.
func depths(packages []*house.Package) map[string]int {
	byName := map[string]*house.Package{}
	for _, p := range packages {
		byName[p.Name()] = p
	}
	depth := map[string]int{}
	var of func(string) int
	of = func(name string) int {
		if d, known := depth[name]; known {
			return d
		}
		d := 0
		for _, i := range byName[name].Ours() {
			d = max(d, of(i)+1)
		}
		depth[name] = d
		return d
	}
	for _, p := range packages {
		of(p.Name())
	}
	return depth
}

func printPage(w *bufio.Writer, packages []*house.Package) error {
	fmt.Fprint(w, `# Packages

What each package does and which others of this module it may import. A test holds the code to this table;
what must not be reached by any way stands in `+"`internal/house/never.txt`"+`. [ARCHITECTURE.md](../ARCHITECTURE.md)
shows them in levels. This page is generated: `+"`go run ./internal/house/page`"+`.

| Package | Does | May import |
| --- | --- | --- |
`)
	for _, p := range packages {
		fmt.Fprintf(w, "| `%s` | %s | %s |\n", p.Name(), strings.ReplaceAll(does(p), "|", "\\|"), strings.Join(p.Ours(), ", "))
	}
	return nil
}

const architecture = "ARCHITECTURE.md"

// The comments that the picture of the levels is between.
const (
	begin = "<!-- levels: written by make generate -->\n"
	end   = "<!-- end of levels -->\n"
)

func writeLevels(packages []*house.Package) error {
	b, err := os.ReadFile(architecture)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(b), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return fmt.Errorf("%s: expected the lines %q and %q", architecture, begin, end)
	}
	return os.WriteFile(architecture, []byte(before+begin+"\n"+picture(packages)+"\n"+end+after), 0o600) //nolint:gosec // a constant
}

// picture is the packages by level, the highest first, in a block of text. A package is one level above the
// highest that it imports. Test support is left out.
func picture(packages []*house.Package) string {
	depth := depths(packages)
	var w strings.Builder
	most := 0
	for _, d := range depth {
		most = max(most, d)
	}
	w.WriteString("```\n")
	for level := most; level >= 0; level-- {
		var names []string
		for _, p := range packages {
			if depth[p.Name()] == level && !p.ForTests() && !strings.HasSuffix(p.Name(), "/page") {
				names = append(names, p.Name())
			}
		}
		for i, line := range wrapped(names, 130) {
			label := ""
			if i == 0 {
				label = fmt.Sprint(level)
			}
			fmt.Fprintf(&w, "%2s  %s\n", label, line)
		}
	}
	w.WriteString("```\n")
	return w.String()
}

// does is the first sentence of a package's documentation without "Package NAME".
func does(p *house.Package) string {
	doc := strings.TrimSpace(p.Doc)
	if words := strings.SplitN(doc, " ", 3); len(words) == 3 && (words[0] == "Package" || words[0] == "Command") {
		doc = words[2]
	}
	return strings.TrimSuffix(doc, ".")
}

// wrapped are words in lines of up to so many bytes.
func wrapped(words []string, width int) (out []string) {
	line := ""
	for _, word := range words {
		if line != "" && len(line)+2+len(word) > width {
			out, line = append(out, line), ""
		}
		if line != "" {
			line += "  "
		}
		line += word
	}
	if line != "" {
		out = append(out, line)
	}
	return out
}

func printSizes(w *bufio.Writer, packages []*house.Package) error {
	fmt.Fprintln(w, "package\tlines\texported\timports")
	for _, p := range packages {
		lines, exported := 0, 0
		for _, file := range append(slices.Clone(p.GoFiles), p.CgoFiles...) {
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, filepath.Join(p.Dir, file), nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			lines += set.File(f.Pos()).LineCount()
			exported += exportedNames(f)
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\n", p.Name(), lines, exported, len(p.Ours()))
	}
	return nil
}

// exportedNames counts the exported names that a file declares, methods included.
func exportedNames(f *ast.File) (n int) {
	count := func(id *ast.Ident) {
		if id.IsExported() {
			n++
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			count(d.Name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					count(s.Name)
				case *ast.ValueSpec:
					for _, id := range s.Names {
						count(id)
					}
				}
			}
		}
	}
	return n
}
