package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// How many functions outside of tests have more than five parameters, and how many more than forty branches. Each
// number only goes down: a new function takes a struct, or is two functions.
const (
	mostLongLists = 24
	mostBranchy   = 42
)

// Functions have few parameters and few branches.
func TestFunctionsAreSmall(t *testing.T) {
	var lists, branchy []string
	files := token.NewFileSet()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".pb.go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name := strings.TrimPrefix(filepath.ToSlash(path), "../../") + ": " + f.Name.Name
			if f.Type.Params.NumFields() > 5 {
				lists = append(lists, name)
			}
			if branches(f) > 40 {
				branchy = append(branchy, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		what  string
		found []string
		most  int
	}{{"more than five parameters", lists, mostLongLists}, {"more than forty branches", branchy, mostBranchy}} {
		switch {
		case len(x.found) > x.most:
			t.Errorf("%d functions have %s, expected at most %d:\n%s", len(x.found), x.what, x.most, strings.Join(x.found, "\n"))
		case len(x.found) < x.most:
			t.Errorf("%d functions have %s: lower the limit from %d", len(x.found), x.what, x.most)
		}
	}
}

// branches is the number of ways through a function, as McCabe counts them (A Complexity Measure, 1976).
func branches(f *ast.FuncDecl) int {
	n := 1
	ast.Inspect(f, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.CommClause:
			n++
		case *ast.CaseClause:
			if node.List != nil {
				n++
			}
		case *ast.BinaryExpr:
			if node.Op == token.LAND || node.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}
