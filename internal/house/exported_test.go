package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// How many exported names no other package writes. They are types and constants that others meet in fields and
// results of names which they do write. The number only goes down: what only its own package uses is not exported.
const mostUnwritten = 119

func TestExportedNamesAreUsed(t *testing.T) {
	exported := map[string]map[string]bool{} // by folder
	written := map[string]map[string]bool{}  // names, by folders that write them behind a package's name
	files := token.NewFileSet()
	err := filepath.WalkDir("../..", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, ".pb.go") {
			return err
		}
		file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder := path.Dir(strings.TrimPrefix(filepath.ToSlash(name), "../../"))
		if file.Name.Name != "main" && !strings.HasSuffix(name, "_test.go") {
			for _, o := range topLevel(file) {
				if ast.IsExported(o) {
					add(exported, folder, o)
				}
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				add(written, s.Sel.Name, file.Name.Name+" "+folder)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var unwritten []string
	for folder, names := range exported {
		for name := range names {
			elsewhere := false
			for by := range written[name] {
				pkg, where, _ := strings.Cut(by, " ")
				elsewhere = elsewhere || where != folder || strings.HasSuffix(pkg, "_test")
			}
			if !elsewhere {
				unwritten = append(unwritten, folder+"."+name)
			}
		}
	}
	switch {
	case len(unwritten) > mostUnwritten:
		t.Errorf("%d exported names are used by no other package, expected at most %d; do not export what is new of:\n%s",
			len(unwritten), mostUnwritten, strings.Join(unwritten, "\n"))
	case len(unwritten) < mostUnwritten:
		t.Errorf("%d exported names are used by no other package: lower the limit from %d", len(unwritten), mostUnwritten)
	}
}

func add(m map[string]map[string]bool, k, v string) {
	if m[k] == nil {
		m[k] = map[string]bool{}
	}
	m[k][v] = true
}

// topLevel are the names that a file declares, without methods.
func topLevel(file *ast.File) (names []string) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return names
}
