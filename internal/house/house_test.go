package house

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Every package is in the table, and imports what the table allows, all of it.
func TestImportsAreThoseOfTheTable(t *testing.T) {
	rows, err := table()
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[string][]string{}
	for i, r := range rows {
		if i > 0 && r.Package <= rows[i-1].Package {
			t.Errorf("imports.txt: %s stands behind %s; the table is sorted and names a package once", r.Package, rows[i-1].Package)
		}
		if !slices.IsSorted(r.Imports) {
			t.Errorf("imports.txt: the imports of %s are not sorted", r.Package)
		}
		allowed[r.Package] = r.Imports
	}
	for _, p := range listed(t, false) {
		may, known := allowed[p.Name()]
		if !known {
			t.Errorf("%s: imports.txt does not name it; add a line with what it may import", p.Name())
			continue
		}
		delete(allowed, p.Name())
		ours := p.Ours()
		for _, i := range ours {
			if !slices.Contains(may, i) {
				t.Errorf("%s imports %s, which imports.txt does not allow", p.Name(), i)
			}
		}
		for _, i := range may {
			if !slices.Contains(ours, i) {
				t.Errorf("%s does not import %s any more: strike it from imports.txt", p.Name(), i)
			}
		}
	}
	for name := range allowed {
		t.Errorf("imports.txt names %s, which is not there", name)
	}
}

// What a rule forbids is not reached, by any way.
func TestNothingForbiddenIsReached(t *testing.T) {
	rules, err := rules()
	if err != nil {
		t.Fatal(err)
	}
	imports := map[string][]string{}
	top := map[string]bool{} // first elements of the names of our packages
	for _, p := range listed(t, true) {
		imports[p.ImportPath] = p.Imports
		if strings.HasPrefix(p.ImportPath, module) {
			first, _, _ := strings.Cut(p.Name(), "/")
			top[first] = true
		}
	}
	full := func(name string) string {
		if first, _, _ := strings.Cut(name, "/"); top[first] {
			return module + name
		}
		return name
	}
	for _, r := range rules {
		base, below := strings.CutSuffix(full(r.Package), "/...")
		found := false
		for name := range imports {
			if name != base && !(below && strings.HasPrefix(name, base+"/")) {
				continue
			}
			found = true
			for reached, by := range reach(imports, name, r.Direct) {
				for _, n := range r.Never {
					if n = full(n); reached == n || strings.HasPrefix(reached, n+"/") {
						t.Errorf("%s reaches %s, by %s; never.txt forbids it", name, reached, by)
					}
				}
			}
		}
		if !found {
			t.Errorf("never.txt names %s, which is not there", r.Package)
		}
	}
}

// reach is what a package reaches, each with the package that imports it.
func reach(imports map[string][]string, name string, direct bool) map[string]string {
	by := map[string]string{}
	var visit func(string)
	visit = func(from string) {
		for _, i := range imports[from] {
			if by[i] == "" && i != name {
				by[i] = from
				if !direct {
					visit(i)
				}
			}
		}
	}
	visit(name)
	return by
}

// What is for tests is not in the program.
func TestOnlyTestsImportWhatIsForTests(t *testing.T) {
	forTests := map[string]bool{}
	packages := listed(t, false)
	for _, p := range packages {
		forTests[p.Name()] = p.ForTests()
	}
	for _, name := range []string{"connectors/fake/postgres", "internal/fake/browser", "connectors/drivertest"} {
		if !forTests[name] {
			t.Errorf("%s is not known to be for tests", name)
		}
	}
	for _, p := range packages {
		for _, i := range p.Ours() {
			if forTests[i] && !p.ForTests() {
				t.Errorf("%s imports %s, which is for tests", p.Name(), i)
			}
		}
	}
}

// Two versions of Arrow may not meet: one is this module's, the other is that of Snowflake's driver.
func TestOneArrow(t *testing.T) {
	const other, of = "github.com/apache/arrow-go/v18/arrow", "connectors/snowflake/internal/arrow18"
	for _, p := range listed(t, false) {
		for _, i := range p.Imports {
			if strings.HasPrefix(i, "github.com/apache/arrow") && !strings.HasPrefix(i, "github.com/apache/arrow/go/v17/") && (i != other || p.Name() != of) {
				t.Errorf("%s imports %s; the one Arrow of this module is v17", p.Name(), i)
			}
			if strings.HasSuffix(i, "/arrow/cdata") {
				t.Errorf("%s imports cdata, whose C symbols two versions of Arrow define", p.Name())
			}
		}
	}
}

// Broken tables are told by their entry.
func TestTablesAreRead(t *testing.T) {
	defer func(i, n string) { importsText, neverText = i, n }(importsText, neverText)
	importsText = "a: b c\n  d\n\n# no entry\nb:\n"
	rows, err := table()
	if err != nil || len(rows) != 2 || !slices.Equal(rows[0].Imports, []string{"b", "c", "d"}) || len(rows[1].Imports) != 0 {
		t.Errorf("%v, %v", rows, err)
	}
	importsText = "a: b\nc d\n"
	if _, err := table(); err == nil || !strings.Contains(err.Error(), "entry 2") {
		t.Errorf("a line without a colon: %v", err)
	}
	neverText = "a likes b\n"
	if _, err := rules(); err == nil || !strings.Contains(err.Error(), "entry 1") {
		t.Errorf("another verb: %v", err)
	}
}

func listed(t *testing.T, deps bool) []*Package {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command here")
	}
	all, err := List(t.Context(), ".", deps)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 80 {
		t.Fatalf("go list names %d packages only", len(all))
	}
	return all
}
