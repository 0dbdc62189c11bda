//go:build !no_duckdb

package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

var (
	nightOne = scoring.RunID{ID: "night-1.0", By: scoring.By{Agent: "atlas", Version: "1.0", Batch: "atlas-1.0"}}
	nightTwo = scoring.RunID{ID: "night-2.0", By: scoring.By{Agent: "atlas", Version: "2.0", Batch: "atlas-2.0"}}
)

// folder is the pages of a static report, by the names of their files.
func folder(t *testing.T, s *Site, o Static) (pages map[string]*goquery.Document, files map[string]string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "report")
	if err := s.WriteFolder(t.Context(), dir, o); err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	pages, files = map[string]*goquery.Document{}, map[string]string{}
	for _, f := range list {
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name()] = string(text)
		if strings.HasSuffix(f.Name(), ".html") {
			pages[f.Name()] = parsed(t, text)
		}
	}
	return pages, files
}

// somePages is the pages of a static report as a folder that are wanted, by the names of their files; the others are
// not made.
func somePages(t *testing.T, s *Site, o Static, wanted func(*staticPage) bool) map[string]*goquery.Document {
	t.Helper()
	ctx, f, all, err := s.begin(t.Context(), &o, false)
	if err != nil {
		t.Fatal(err)
	}
	var pages []staticPage
	for i := range all {
		if wanted(&all[i]) {
			pages = append(pages, all[i])
		}
	}
	out := map[string]*goquery.Document{}
	err = s.each(ctx, f, pages, &o, func(p staticPage, text []byte) error {
		out[p.name+".html"] = parsed(t, text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// nightly is the report of nightTwo against nightOne, made once: as files of a folder by name, and as one file.
var nightly struct {
	folder, file sync.Once
	files        map[string]string
	text         string
}

// nightlyFolder returns the nightly report as a folder, as [folder] does.
func nightlyFolder(t *testing.T) (pages map[string]*goquery.Document, files map[string]string) {
	t.Helper()
	nightly.folder.Do(func() {
		_, nightly.files = folder(t, siteOver(t, sitetest.Shared(t)), Static{Runs: []scoring.RunID{nightTwo}, Baseline: nightOne})
	})
	pages = map[string]*goquery.Document{}
	for name, text := range nightly.files {
		if strings.HasSuffix(name, ".html") {
			pages[name] = parsed(t, []byte(text))
		}
	}
	return pages, nightly.files
}

// nightlyFile returns the nightly report as one file.
func nightlyFile(t *testing.T) string {
	t.Helper()
	nightly.file.Do(func() {
		nightly.text = oneFile(t, siteOver(t, sitetest.Shared(t)), Static{Runs: []scoring.RunID{nightTwo}, Baseline: nightOne})
	})
	return nightly.text
}

func parsed(t *testing.T, text []byte) *goquery.Document {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// oneFile is a static report in one document.
func oneFile(t *testing.T, s *Site, o Static) string {
	t.Helper()
	var b bytes.Buffer
	if err := s.WriteFile(t.Context(), &b, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// names lists the values of an attribute.
func names(doc *goquery.Selection, selector, attribute string) (out []string) {
	doc.Find(selector).Each(func(_ int, s *goquery.Selection) {
		out = append(out, s.AttrOr(attribute, ""))
	})
	return out
}

// TestFolder holds that a report in a folder opens from the disk: all that a page names is a file
// next to it, every page can be reached, and nothing is there that needs a server.
func TestFolder(t *testing.T) {
	pages, files := nightlyFolder(t)
	reached := map[string]bool{"index.html": true}
	for todo := []string{"index.html"}; len(todo) > 0; todo = todo[1:] {
		for _, to := range names(pages[todo[0]].Selection, "a[href]", "href") {
			if strings.HasPrefix(to, "#") {
				continue
			}
			if _, there := files[to]; !there {
				t.Errorf("%s leads to %q", todo[0], to)
			} else if !reached[to] {
				reached[to], todo = true, append(todo, to)
			}
		}
	}
	cases := 0
	for name, page := range pages {
		if !reached[name] {
			t.Errorf("nothing leads to %s", name)
		}
		if strings.HasPrefix(name, "case-") {
			cases++
		}
		if n := page.Find("form, input, button[type=submit], iframe, object, [style], script:not([src]), style").Length(); n > 0 {
			t.Errorf("%s has %d elements that a static page has no use for", name, n)
		}
		for _, of := range [][2]string{{"script", "src"}, {"link", "href"}, {"img", "src"}} {
			for _, to := range names(page.Selection, of[0]+"["+of[1]+"]", of[1]) {
				if _, there := files[to]; !there {
					t.Errorf("%s names the %s %q", name, of[0], to)
				}
			}
		}
	}
	if cases == 0 || cases >= 56 {
		t.Errorf("%d of 56 cases have a page", cases)
	}
	cases = 0
	somePages(t, siteOver(t, sitetest.Shared(t)), Static{Runs: []scoring.RunID{nightTwo}, All: true}, func(p *staticPage) bool {
		if p.of != nil {
			cases++
		}
		return p.of != nil && !left(cases-1, 56)
	})
	if cases != 56 {
		t.Errorf("%d of 56 cases have a page, where all were asked for", cases)
	}
}

// TestChosenCases holds which cases have a page: those that did not pass, those with an error, and
// those that changed.
func TestChosenCases(t *testing.T) {
	w := sitetest.Shared(t)
	pages, _ := nightlyFolder(t)
	p, err := w.Pages(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for _, mode := range []store.Mode{store.Failed, store.Errors, store.Changed} {
		list, err := p.List(t.Context(), store.State{RunID: nightTwo, Baseline: nightOne, Mode: mode})
		if err != nil {
			t.Fatal(err)
		}
		for id, err := range list.IDs(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			want[caseName(nightTwo, id)+".html"] = true
		}
	}
	for name := range pages {
		if strings.HasPrefix(name, "case-") != want[name] {
			t.Errorf("%s: is there, and should be: %t", name, want[name])
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("%d pages are missing", len(want))
	}
}

// TestOneFile holds that a report in one document holds together: its links lead to its sections, its
// names are unique, and its policy is that of its own style and script.
func TestOneFile(t *testing.T) {
	text := nightlyFile(t)
	doc := parsed(t, []byte(text))
	there := map[string]int{}
	for _, id := range names(doc.Selection, "[id]", "id") {
		if there[id]++; there[id] > 1 {
			t.Errorf("two elements are called %s", id)
		}
	}
	links := 0
	doc.Find("[href], [src], [for], [aria-labelledby], [aria-controls], [aria-describedby]").Each(func(_ int, e *goquery.Selection) {
		for _, a := range e.Nodes[0].Attr {
			to := a.Val
			switch a.Key {
			case "href", "src":
				if !strings.HasPrefix(to, "#") {
					t.Errorf("%s=%q leads out of the document", a.Key, to)
				}
				links++
				to = strings.TrimPrefix(to, "#")
			case "for", "aria-labelledby", "aria-controls", "aria-describedby":
			default:
				continue
			}
			if there[to] != 1 {
				t.Errorf("%s=%q names nothing", a.Key, a.Val)
			}
		}
	})
	if links < 50 {
		t.Errorf("%d links", links)
	}
	if n := doc.Find("form, iframe, object, [style]").Length(); n > 0 {
		t.Errorf("%d elements that a static page has no use for", n)
	}
	policy := doc.Find(`meta[http-equiv="Content-Security-Policy"]`).AttrOr("content", "")
	for element, want := range map[string]int{"style": 1, "script:not([type])": len(scriptsOfFile)} { // others are data
		found := doc.Find(element)
		found.Each(func(_ int, e *goquery.Selection) {
			sum := sha256.Sum256([]byte(e.Text()))
			if !strings.Contains(policy, " 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
				t.Errorf("the policy %q does not allow %.60q", policy, e.Text())
			}
		})
		if found.Length() != want || strings.Count(policy, "'sha256-") != 1+len(scriptsOfFile) {
			t.Errorf("%d elements %s; the policy is %q", found.Length(), element, policy)
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
		t.Errorf("policy %q", policy)
	}
	for _, data := range assets() { // they stand in elements that such an end tag would close
		if bytes.Contains(data.data, []byte("</script")) || bytes.Contains(data.data, []byte("</style")) {
			t.Errorf("%s holds an end tag", data.name)
		}
	}
}

// TestSameReport holds that the same run gives the same bytes, in both forms, and where tests are thorough that two
// runs do.
func TestSameReport(t *testing.T) {
	path := sitetest.Small(t)
	w := sitetest.Open(t, path)
	o := Static{Runs: []scoring.RunID{nightTwo, nightOne}, Baseline: nightOne}
	var document string
	var first map[string]string
	if thorough {
		document = oneFile(t, siteOver(t, w), o)
		_, first = folder(t, siteOver(t, w), o)
	} else { // of another copy of the store
		o.Runs = o.Runs[:1]
		samePages(t, siteOver(t, w), o)
		return
	}
	if second := oneFile(t, siteOver(t, w), o); document != second {
		t.Error("two documents of one run differ")
	}
	_, again := folder(t, siteOver(t, w), o)
	if len(first) != len(again) {
		t.Errorf("%d and %d files", len(first), len(again))
	}
	for name, text := range first {
		if again[name] != text {
			t.Errorf("%s differs", name)
		}
	}
}

// samePages holds that pages of the nightly report are made again with the same content: all that are of no case, and
// one in ten of the others.
func samePages(t *testing.T, s *Site, o Static) {
	t.Helper()
	first, _ := nightlyFolder(t)
	n := 0
	again := somePages(t, s, o, func(p *staticPage) bool {
		if p.of == nil {
			return true
		}
		n++
		return sample.Takes(n-1, len(first), oneIn)
	})
	if len(again) < 10 {
		t.Errorf("%d of %d pages are made again", len(again), len(first))
	}
	for name, page := range again {
		if first[name] == nil {
			t.Errorf("%s is made once only", name)
			continue
		}
		one, err := first[name].Html()
		if err != nil {
			t.Fatal(err)
		}
		if two, err := page.Html(); err != nil || one != two {
			t.Errorf("%s differs: %v", name, err)
		}
	}
}

// TestFolderReplaced holds that a report takes the place of another one in its folder, and that a
// folder with anything else in it is left alone.
func TestFolderReplaced(t *testing.T) {
	s := siteOver(t, sitetest.Shared(t))
	// A run without scores: the report has few pages.
	few := scoring.RunID{ID: "cut-short", By: scoring.By{Agent: "atlas", Version: "1.0", Batch: "atlas-1.0"}}
	dir := t.TempDir()
	_, before := nightlyFolder(t)
	for name, text := range before {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old, err := filepath.Glob(filepath.Join(dir, "case-*.html"))
	if err != nil || len(old) == 0 {
		t.Fatalf("the report has %d pages of cases, %v", len(old), err)
	}
	mine := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.WriteFolder(t.Context(), dir, Static{Runs: []scoring.RunID{few}}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Errorf("a file that is no part of the report: %v", err)
	}
	for _, path := range old {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s of the report before is still there", filepath.Base(path))
		}
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "index.html"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.WriteFolder(t.Context(), other, Static{Runs: []scoring.RunID{few}}); errcode.Of(err) != errcode.AlreadyExists {
		t.Errorf("a folder of somebody else's: %v", err)
	}
	// A list of files that somebody changed removes nothing outside of the folder.
	outside := filepath.Join(filepath.Dir(dir), "outside")
	if err := os.WriteFile(outside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile(filepath.Join(dir, listFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, listFile), append([]byte("../outside\n/etc/none\n..\n.\n"), list...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.WriteFolder(t.Context(), dir, Static{Runs: []scoring.RunID{few}}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(outside); err != nil {
		t.Errorf("a file outside of the folder: %v", err)
	}
	// A file with the name of a page, which is not of the report, stays, and so does the report. A link is not followed.
	if err := os.WriteFile(filepath.Join(dir, listFile), []byte(strings.Replace(string(list), "index.html\n", "", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.WriteFolder(t.Context(), dir, Static{Runs: []scoring.RunID{few}}); err == nil || !strings.Contains(err.Error(), "has a file index.html that is not of the report") {
		t.Errorf("a foreign file: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "cases.html")); err != nil {
		t.Errorf("the report before an error: %v", err)
	}
	page := filepath.Join(dir, "index.html")
	err = errors.Join(os.Remove(page), os.Symlink(outside, page), os.WriteFile(filepath.Join(dir, listFile), list, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.WriteFolder(t.Context(), dir, Static{Runs: []scoring.RunID{few}}); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(outside); err != nil || len(text) > 0 {
		t.Errorf("the file that a page was a link to: %q, %v", text, err)
	}
}

// TestStaticHostile holds that texts from data make no elements in a report of one document, and that
// they cannot look like the names of elements.
func TestStaticHostile(t *testing.T) {
	if got := string(inSection("p-x", []byte(`<a href="#cells" id="a"> id=&#34;b&#34; <a href="#p-y"><svg aria-labelledby="t">`))); got != `<a href="#p-x-cells" id="p-x-a"> id=&#34;b&#34; <a href="#p-y"><svg aria-labelledby="p-x-t">` {
		t.Errorf("%s", got)
	}
	odd := scoring.RunID{ID: "../r", By: scoring.By{Agent: `"><script>`, Version: "a/b", Batch: "?x=1&y#z"}}
	for _, id := range []string{"", "../../x", "a b", "\x00", "é", strings.Repeat("x", 5000)} {
		if name := caseName(odd, id); !regexp.MustCompile(`^case-[0-9a-f]{16}$`).MatchString(name) {
			t.Errorf("%q has a page called %q", id, name)
		}
		f := &staticForm{cases: map[scoring.RunID]map[string]bool{odd: {id: true}}}
		if got, want := f.href(caseAddress(store.State{RunID: odd, Mode: store.Failed, Page: 3, Search: "x"}, id)), caseName(odd, id)+".html"; got != want && id != "" {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
		if got := f.href(caseAddress(store.State{RunID: odd}, id) + "&layout=list"); got != "" {
			t.Errorf("another view of a case leads to %q", got)
		}
	}
	if slices.Contains([]string{caseName(nightOne, "a"), caseName(nightTwo, "b")}, caseName(nightTwo, "a")) {
		t.Error("two cases have one page")
	}
}

// TestMostCases holds which cases have pages if there are too many for all of them, and that the
// report says so.
func TestMostCases(t *testing.T) {
	run := &heldRun{ids: map[store.Mode][]string{
		store.All: strings.Fields("a b c d e f g h"), store.Failed: strings.Fields("b d f"), store.Errors: strings.Fields("f g"), store.Changed: strings.Fields("a d h"),
	}}
	for _, c := range []struct {
		o    Static
		room int
		ids  string
		left int
	}{
		{Static{}, 9, "a b d f g h", 0},
		{Static{}, 1, "d", 5},     // it changed and did not pass
		{Static{}, 3, "b d f", 3}, // then those that did not pass
		{Static{}, 5, "a b d f g", 1},
		{Static{}, 0, "", 6},
		{Static{All: true}, 1, "a b c d e f g h", 0},
	} {
		ids, left := c.o.chosen(run, c.room)
		if got := strings.Join(ids, " "); got != c.ids || left != c.left {
			t.Errorf("room for %d, all %t: %q and %d left out, want %q and %d", c.room, c.o.All, got, left, c.ids, c.left)
		}
	}

	w := sitetest.Large(t, sitetest.Size{Cases: 5000, Metrics: 3, Runs: 2})
	s := siteOver(t, w)
	of := func(i int) scoring.RunID {
		return scoring.RunID{ID: sitetest.RunID(i), By: scoring.By{Agent: "atlas", Version: sitetest.AgentVersion(i), Batch: sitetest.BatchID(i)}}
	}
	ctx, f, pages, err := s.begin(t.Context(), &Static{Runs: []scoring.RunID{of(1)}, Baseline: of(0)}, true)
	if err != nil {
		t.Fatal(err)
	}
	cases, said := 0, 0
	for _, p := range pages {
		if p.of != nil {
			cases++
			continue
		}
		if p.name != "index" && p.name != "cases" && p.name != "cost" {
			continue
		}
		var b strings.Builder
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.address, nil)
		if err == nil {
			err = f.render(ctx, &b, s, p.page, r)
		}
		if err != nil {
			t.Fatal(err)
		}
		if has := strings.Contains(b.String(), "This report has pages of 2,000 cases. "); has != (p.name != "cost") {
			t.Errorf("%s: what is left out is said: %t", p.name, has)
		}
		said++
	}
	if cases != mostCases || said != 3 {
		t.Errorf("%d pages of cases and %d others", cases, said)
	}
}

// TestReadTogether holds that cases that are read together are what each is when it is read alone;
// one in ten, or where tests are thorough all.
func TestReadTogether(t *testing.T) {
	w := sitetest.Shared(t)
	p, err := w.Pages(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	o, s := Static{}, siteOver(t, w)
	for _, run := range []scoring.RunID{nightOne, nightTwo, {ID: "judged", By: scoring.By{Agent: "atlas", Version: "2.0", Batch: sitetest.Rerun}}} {
		h, err := s.holdRun(t.Context(), p, &o, run)
		if err != nil {
			t.Fatal(err)
		}
		ids := h.ids[store.All]
		if len(ids) < 50 {
			t.Fatalf("%d cases", len(ids))
		}
		together, err := p.Cases(t.Context(), run, ids, nil)
		if err != nil {
			t.Fatal(err)
		}
		scored, err := p.ScoredCases(t.Context(), run, append([]string{"none"}, ids...))
		if err != nil || len(scored) != len(ids) || scored["none"] != nil {
			t.Fatalf("%d of %d cases, %v", len(scored), len(ids), err)
		}
		for i, id := range ids {
			if left(i, len(ids)) {
				continue
			}
			alone, err := p.Case(t.Context(), run, id)
			if err != nil {
				t.Fatal(err)
			}
			for _, got := range []*store.CaseDetail{together[i], scored[id]} {
				for _, of := range [][2]any{{alone.Scores, got.Scores}, {alone.Labels, got.Labels}, {alone.Answered, got.Answered}, {alone.Answer.AnswerID, got.Answer.AnswerID}, {alone.Answer.SetVersion, got.Answer.SetVersion}} {
					if d := cmp.Diff(of[0], of[1]); d != "" {
						t.Errorf("%s %s:\n%s", run.ID, id, d)
					}
				}
				if a, b := alone.Answer.Case, got.Answer.Case; a != nil && (b == nil || a.GoldHash() != b.GoldHash() || a.Pred.SQL != b.Pred.SQL || a.Question != b.Question) {
					t.Errorf("%s %s: another case", run.ID, id)
				}
			}
		}
	}
	if _, err := p.Cases(t.Context(), nightOne, []string{"bank-01", "none"}, nil); errcode.Of(err) != errcode.NotFound {
		t.Errorf("a case that is not there: %v", err)
	}
}

// TestShortCases holds that the short pages of a report of many cases say of what differs and why all
// that the whole pages say.
func TestShortCases(t *testing.T) {
	w := sitetest.Large(t, sitetest.Size{Cases: manyCases + 56, Metrics: 60})
	s := siteOver(t, w)
	run := scoring.RunID{ID: sitetest.RunID(0), By: scoring.By{Agent: "atlas", Version: sitetest.AgentVersion(0), Batch: sitetest.BatchID(0)}}
	seen := map[string]bool{} // the pages that are looked at, one in four or where tests are thorough all
	for i := range 56 {
		if thorough || sample.Takes(i, 56, 4) {
			seen[caseName(run, sitetest.CaseID(i))] = true
		}
	}
	short := somePages(t, s, Static{Runs: []scoring.RunID{run}, All: true}, func(p *staticPage) bool { return seen[p.name] })
	texts := func(page *goquery.Selection, selector string) (out []string) {
		page.Find(selector).Each(func(_ int, s *goquery.Selection) { out = append(out, s.Text()) })
		return out
	}
	marked, related, several := 0, 0, 0
	for i := range 56 {
		id := sitetest.CaseID(i)
		if !seen[caseName(run, id)] {
			continue
		}
		page := short[caseName(run, id)+".html"]
		w := httptest.NewRecorder()
		as(s, identity.Read).ServeHTTP(w, httptest.NewRequest(http.MethodGet, caseAddress(store.State{RunID: run, Mode: store.All, Page: 1, Size: store.DefaultSize}, id), nil))
		whole, err := goquery.NewDocumentFromReader(w.Body)
		if err != nil || w.Code != http.StatusOK {
			t.Fatal(w.Code, err)
		}
		if page.Find("main svg").Length() > 0 || page.Find("#queries").Length() != whole.Find("#queries").Length() {
			t.Errorf("%s: the page is not short, or has other parts", id)
		}
		for _, selector := range []string{".question", ".verdict .v", ".verdict .why", "pre.sql", "pre.sql del", "pre.sql ins", ".relation h3", ".relation > p:first-of-type", "table.result th", "table.result td"} {
			all, got := texts(whole.Selection, selector), texts(page.Selection, selector)
			if d := cmp.Diff(all, got); d != "" {
				t.Errorf("%s: %s (-whole +short):\n%s", id, selector, d)
			}
		}
		marked += page.Find("pre.sql del, pre.sql ins").Length()
		related += page.Find(".relation").Length()
		several += page.Find("table.result td.x").Length()
	}
	if marked == 0 || related == 0 || several == 0 && thorough {
		t.Errorf("%d marks, %d relations, %d cells that differ: there is nothing to compare", marked, related, several)
	}
}

// BenchmarkStatic writes the report of 10,000 cases as one document: every fifth of them has a page.
func BenchmarkStatic(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as badger report does
	w := sitetest.Large(b, sitetest.Size{Cases: 10_000, Metrics: 60})
	s := siteOver(b, w)
	run := scoring.RunID{ID: sitetest.RunID(0), By: scoring.By{Agent: "atlas", Version: sitetest.AgentVersion(0), Batch: sitetest.BatchID(0)}}
	for b.Loop() {
		n := &weighed{}
		if err := s.WriteFile(b.Context(), n, Static{Runs: []scoring.RunID{run}, Done: func(_, of int) { n.pages = of }}); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(n.bytes)/1e6, "MB")
		b.ReportMetric(float64(n.pages), "pages")
	}
}

// weighed counts what is written.
type weighed struct{ bytes, pages int }

func (c *weighed) Write(p []byte) (int, error) {
	c.bytes += len(p)
	return len(p), nil
}
