package store_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/badger-eval/badger/sql/store"
)

// statement finds SQL over one of badger's tables or views: a verb of SQL and, after a word that a
// table's name follows, one of the names.
var statement = func() *regexp.Regexp {
	var names []string
	for i := range store.Tables {
		names = append(names, store.Tables[i].Name)
	}
	for i := range store.Views {
		names = append(names, store.Views[i].Name)
	}
	return regexp.MustCompile(`(?is)\b(FROM|JOIN|INTO|UPDATE|TABLE|VIEW)\s+(IF\s+(NOT\s+)?EXISTS\s+)?"?badger"?\.("?(` + strings.Join(names, "|") + `)\b|$)`)
}()

// open is text behind which a table's name is to be put.
var open = regexp.MustCompile(`(?is)\b(FROM|JOIN|INTO|UPDATE)\s+$`)

// elsewhere are the statements that may stand outside of sql/store, by file, with the reason.
var elsewhere = map[string]string{
	"cmd/badger/demo.go":       "shown to people as an example, and run as it is shown",
	"internal/docs/tables.go":  "views over tables of the users' own, on the page that documents the tables",
	"connectors/connectors.go": "table:NAME, a table of the users' own",
}

// SQL over badger's tables has one home: no other file holds a statement over them.
func TestStatementsLiveHere(t *testing.T) {
	for text, want := range map[string]bool{
		"SELECT a FROM badger.scores WHERE x": true, "SELECT 1\nFROM badger.eval_runs": true, `DELETE FROM "badger".judges`: true, "UPDATE badger.scores SET": true, "SELECT * FROM badger.": true,
		"the scores are in badger.scores": false, "writing eval_runs": false, "from badger.yaml": false, "SELECT 1": false,
	} {
		if statement.MatchString(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
	seen := 0
	for _, root := range []string{"../../connectors", "../../cmd", "../../internal", "../../scoring", "../../udf", "../../judgebackend"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name := strings.TrimPrefix(filepath.ToSlash(path), "../../")
			dir := filepath.Base(filepath.Dir(path))
			if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(dir, "test") || elsewhere[name] != "" {
				return nil
			}
			seen++
			for _, text := range literals(t, path) {
				// A driver merges into the table that it is told.
				portable := strings.HasPrefix(name, "cmd/") || strings.HasPrefix(name, "connectors/doctor/") || strings.HasPrefix(name, "connectors/") && strings.Count(name, "/") == 1
				if statement.MatchString(text) || portable && open.MatchString(text) {
					t.Errorf("%s holds SQL over badger's tables, which belongs into sql/store:\n%s", name, text)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 100 {
		t.Errorf("only %d files were read", seen)
	}
}

// literals are the texts in a Go file.
func literals(t *testing.T, path string) (out []string) {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), path, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil {
				out = append(out, s)
			}
		}
		return true
	})
	return out
}
