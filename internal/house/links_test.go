package house

import (
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// files returns the files of the repository with one of the suffixes, with their contents. Test data are left out.
func files(t *testing.T, suffixes ...string) map[string]string {
	t.Helper()
	root := os.DirFS(filepath.Join("..", ".."))
	texts := map[string]string{}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); name != "." && (strings.HasPrefix(base, ".") || slices.Contains([]string{"testdata", "bin", "dist", "node_modules"}, base)) {
				return fs.SkipDir
			}
			return nil
		}
		if slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(name, s) }) {
			text, err := fs.ReadFile(root, name)
			if err != nil {
				return err
			}
			texts[name] = string(text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

var (
	fence   = regexp.MustCompile("(?ms)^[ >]*```.*?^[ >]*```")
	code    = regexp.MustCompile("`[^`\n]*`")
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#{1,6} +(.+?)\s*$`)
)

// anchor returns the fragment that GitHub gives a heading.
func anchor(heading string) string {
	heading = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAllString(heading, "$1")
	var b strings.Builder
	for _, r := range strings.ToLower(heading) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

func TestAnchor(t *testing.T) {
	for in, want := range map[string]string{"The role": "the-role", "`hybrid_ex`: a score": "hybrid_ex-a-score", "Read [it](x.md), twice": "read-it-twice"} {
		if got := anchor(in); got != want {
			t.Errorf("anchor(%q) = %q, want %q", in, got, want)
		}
	}
}

// anchors returns the fragments of a page. A heading that repeats gets a number, as on GitHub.
func anchors(text string) map[string]bool {
	all := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		name := anchor(m[1])
		for n := 1; all[name]; n++ {
			name = anchor(m[1]) + "-" + string(rune('0'+n))
		}
		all[name] = true
	}
	for _, m := range regexp.MustCompile(`<a (?:id|name)="([^"]+)"`).FindAllStringSubmatch(text, -1) {
		all[m[1]] = true
	}
	return all
}

// templates are pages that a program renders into another folder, which their links are relative to.
var templates = map[string]string{"deploy/preflight/hosts_page.md": "docs/reference"}

// TestLinksOfPages checks that every relative link of a page leads to a file, and its fragment to a heading.
func TestLinksOfPages(t *testing.T) {
	pages := files(t, ".md")
	links := 0
	for name, text := range pages {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(fence.ReplaceAllString(text, ""), ""), -1) {
			to, err := url.Parse(m[1])
			if err != nil {
				t.Errorf("%s: link %s: %v", name, m[1], err)
				continue
			}
			if to.Scheme != "" || to.Host != "" {
				continue
			}
			links++
			file, folder := name, path.Dir(name)
			if written, ok := templates[name]; ok {
				folder = written
			}
			if to.Path != "" {
				file = path.Join(folder, to.Path)
			}
			if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(file))); err != nil {
				t.Errorf("%s: link %s: no such file", name, m[1])
				continue
			}
			if target, ok := pages[file]; ok && to.Fragment != "" && !anchors(target)[to.Fragment] {
				t.Errorf("%s: link %s: no such heading", name, m[1])
			}
		}
	}
	if links < 100 {
		t.Errorf("%d links found, expected hundreds", links)
	}
}

// TestPagesThatCodeNames checks that a page that code, a script or a message refers to exists.
func TestPagesThatCodeNames(t *testing.T) {
	named := regexp.MustCompile(`(?:^|[^\w/.-])(docs/[\w/-]+\.md)`)
	for name, text := range files(t, ".go", "Makefile", ".yaml", ".yml", ".tmpl", ".html", ".sql", ".md") {
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s names %s: no such file", name, m[1])
			}
		}
	}
}

// TestNamesOnPages checks that the folders, files and exported names that the pages of the root folder name in code
// spans exist: connectors/driver, scoring/engine.go, scoring.Engine, scoring.Engine.Score. Names with NAME in them are
// placeholders.
func TestNamesOnPages(t *testing.T) {
	root := filepath.Join("..", "..")
	sources := files(t, ".go")
	folders := map[string]bool{}
	for name := range sources {
		for folder := path.Dir(name); !folders[folder]; folder = path.Dir(folder) {
			folders[folder] = true
		}
	}
	place := regexp.MustCompile(`^([a-z]+)/[\w./-]+$`)
	exported := regexp.MustCompile(`^([a-z]+)\.([A-Z]\w*\.)?([A-Z]\w*)$`)
	checked := 0
	for name, text := range files(t, ".md") {
		if path.Dir(name) != "." {
			continue
		}
		for _, span := range code.FindAllString(fence.ReplaceAllString(text, ""), -1) {
			span = strings.Trim(span, "`")
			if m := place.FindStringSubmatch(span); m != nil && folders[m[1]] && !strings.Contains(span, "NAME") {
				checked++
				if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(span))); err != nil {
					t.Errorf("%s names %s: no such file or folder", name, span)
				}
			}
			m := exported.FindStringSubmatch(span)
			if m == nil {
				continue
			}
			checked++
			receiver := ""
			if m[2] != "" {
				receiver = `\(\w+ \*?` + strings.TrimSuffix(m[2], ".") + `\) `
			}
			declared := regexp.MustCompile(`(?m)^(?:type|func|var|const) ` + receiver + m[3] + `\b`)
			found := false
			for file, source := range sources {
				found = found || path.Base(path.Dir(file)) == m[1] && declared.MatchString(source)
			}
			if !found {
				t.Errorf("%s names %s: no package %s declares it", name, span, m[1])
			}
		}
	}
	if checked < 50 {
		t.Errorf("%d names found, expected dozens", checked)
	}
}

// TestGeneratedPages checks that each page in docs/reference names the command that writes it, in its first line.
func TestGeneratedPages(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	first := regexp.MustCompile(`^<!-- Generated by ((?:badger|go run|make) [^()]+?)(?: \(make generate\))?\. Do not edit\. -->\n\n# `)
	for name, text := range files(t, ".md") {
		if path.Dir(name) != "docs/reference" {
			continue
		}
		m := first.FindStringSubmatch(text)
		if m == nil {
			t.Errorf("%s: the first line does not name the command that writes it", name)
			continue
		}
		recipe := strings.NewReplacer("badger ", "go run ./cmd/badger ", "make policy DATA=DIR", "go run ./cmd/badger policy").Replace(m[1])
		if !strings.Contains(string(makefile), recipe) || !strings.Contains(string(makefile), name) {
			t.Errorf("%s: the Makefile does not write it by %s", name, recipe)
		}
	}
}

// TestDesignDecisions checks that decisions are numbered without gaps, have the same parts in the same order, and are
// listed in order in the index.
func TestDesignDecisions(t *testing.T) {
	folder := filepath.Join("..", "..", "docs", "design")
	index, err := os.ReadFile(filepath.Join(folder, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if e.Name() != "README.md" {
			names = append(names, e.Name())
		}
	}
	var listed []string
	for _, m := range regexp.MustCompile(`(?m)^(\d+)\. \[(.+?)\]\((\S+?)\)`).FindAllStringSubmatch(string(index), -1) {
		listed = append(listed, m[3])
		text, err := os.ReadFile(filepath.Join(folder, m[3]))
		if err != nil {
			t.Error(err)
			continue
		}
		if first, _, _ := strings.Cut(string(text), "\n"); first != "# "+m[1]+". "+m[2] {
			t.Errorf("%s: first line %q, expected number and title of the index, # %s. %s", m[3], first, m[1], m[2])
		}
		var parts []string
		for _, h := range regexp.MustCompile(`(?m)^## (.+)$`).FindAllStringSubmatch(string(text), -1) {
			parts = append(parts, h[1])
		}
		if !regexp.MustCompile(`^Context Decision( Alternatives)?( Measured)?$`).MatchString(strings.Join(parts, " ")) {
			t.Errorf("%s: headings %q, expected Context, Decision, and Alternatives and Measured if there are any", m[3], parts)
		}
	}
	if !slices.Equal(names, listed) {
		t.Errorf("decisions in the folder and in the index differ:\n%q\n%q", names, listed)
	}
	for i, name := range names {
		if want := string([]byte{'0', '0', byte('0' + (i+1)/10), byte('0' + (i+1)%10)}) + "-"; i < 99 && !strings.HasPrefix(name, want) {
			t.Errorf("decision %d is %s, expected %sNAME.md", i+1, name, want)
		}
	}
}
