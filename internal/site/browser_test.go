//go:build !no_duckdb

package site

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/internal/caselist"
	"github.com/badger-eval/badger/internal/labelling"
	"github.com/badger-eval/badger/internal/site/browsertest"
	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/udf/identity"
)

// TestInBrowser looks at the pages with Chromium. It is one test, so that Chromium and the stores are
// started once.
func TestInBrowser(t *testing.T) {
	if len(pages) == 0 {
		t.Skip("there are no pages yet")
	}
	b := browsertest.Start(t)
	s := siteOf(t, sitetest.Small(t))
	q := makeQueue(t, s, labelling.Plan{Name: "Everything", Guideline: "Compare the answer with the question."})
	h := as(s, identity.Admin)
	server := httptest.NewServer(h)
	defer server.Close()
	sample := samples(t, h)
	t.Run("every page", func(t *testing.T) { everyPage(t, b, server.URL, sample) })
	t.Run("accessibility", func(t *testing.T) { accessibility(t, b, server.URL, sample) })
	t.Run("without script", func(t *testing.T) { withoutScript(t, b, server.URL, sample) })
	t.Run("walk", func(t *testing.T) { walk(t, b, server.URL, s, q) })
	t.Run("from files", func(t *testing.T) { fromFiles(t, b, s) })
	t.Run("accessibility of files", func(t *testing.T) { accessibilityOfFiles(t, b, s) })
	t.Run("hostile texts", func(t *testing.T) { hostileTexts(t, b) })
}

// sampled is a page to look at.
type sampled struct{ name, address string }

// samples are the first page of each path that the links of a site lead to, an error, and pages with
// more on them than the first ones.
func samples(t *testing.T, h http.Handler) []sampled {
	t.Helper()
	judged := caselist.State{Run: caselist.Run{ID: "judged", Agent: "atlas", Version: "2.0", Batch: sitetest.Rerun}, Mode: caselist.All}
	out := []sampled{
		{"error", "/nowhere"}, {"run-labelled", runAddress(nightTwo)}, {"agreement-labelled", address("/agreement", nightTwo.Values())},
		{"case-long", caseAddress(judged, "retail-05")}, {"case-hard-values", caseAddress(judged, "retail-06")}, {"case-unreadable", caseAddress(judged, "retail-03")},
	}
	crawl(t, h, 1, func(p *seen) {
		if !strings.HasPrefix(p.header.Get("Content-Type"), "text/html") || p.status != http.StatusOK {
			return
		}
		name := strings.Trim(p.path(), "/")
		if name == "" {
			name = "runs"
		}
		out = append(out, sampled{strings.ReplaceAll(name, "/", "-"), p.address})
	})
	return out
}

// looks are the windows in which pages are looked at.
var looks = []struct {
	name  string
	width int64
	dark  bool
}{{"320-light", 320, false}, {"320-dark", 320, true}, {"1280-light", 1280, false}, {"1280-dark", 1280, true}}

// everyPage looks at pages as they are: they ask nobody else for anything, say nothing on the
// console, and are not wider than the window. Pictures are taken where they are wanted.
func everyPage(t *testing.T, b *browsertest.Browser, origin string, sample []sampled) {
	tab := b.Tab(t, browsertest.Options{})
	for _, p := range sample {
		want := int64(http.StatusOK)
		if p.name == "error" {
			want = http.StatusNotFound
		}
		if got := tab.Go(origin + p.address); got != want {
			t.Errorf("%s: status %d, want %d", p.address, got, want)
			continue
		}
		for _, look := range looks {
			tab.Resize(look.width)
			tab.Theme(look.dark)
			if wide := browsertest.Eval[int64](tab, "document.documentElement.scrollWidth"); wide > look.width {
				t.Errorf("%s: %d wide in a window of %d; what sticks out: %s", p.address, wide, look.width, browsertest.Eval[string](tab, fmt.Sprintf(sticksOut, look.width)))
			}
			tab.Picture(p.name + "-" + look.name)
		}
		tab.Resize(0)
		tab.Theme(false)
		tab.Print(p.name + "-print")
		said := tab.Console()
		if p.name == "error" { // Chromium tells of the status
			said = slices.DeleteFunc(said, func(s string) bool { return strings.Contains(s, "status of 404") })
		}
		if len(said) > 0 {
			t.Errorf("%s: on the console: %s", p.address, strings.Join(said, "\n"))
		}
	}
	tab.Clean(origin)
}

// sticksOut names elements that are wider than the window and not in one that scrolls.
const sticksOut = `[...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > %d + 1 && !e.closest(".wide")).slice(0, 3).map(e => e.outerHTML.slice(0, 120)).join("\n")`

// accessibility runs axe-core over every page in every window.
func accessibility(t *testing.T, b *browsertest.Browser, origin string, sample []sampled) {
	browsertest.NeedAxe(t)
	tab := b.Tab(t, browsertest.Options{})
	for _, p := range sample {
		tab.Go(origin + p.address)
		for _, look := range looks {
			tab.Resize(look.width)
			tab.Theme(look.dark)
			for _, f := range tab.Findings() {
				t.Errorf("%s, %s: %s", p.address, look.name, f)
			}
		}
	}
}

// readable is what can be read on a page, without buttons, which scripts add, and their keys.
const readable = `(() => { const main = document.querySelector("main").cloneNode(true); main.querySelectorAll("button, kbd, .saved").forEach(e => e.remove()); return main.textContent.replace(/\s+/g, " ").trim() })()`

// withoutScript looks at every page with and without scripts: what can be read is the same.
func withoutScript(t *testing.T, b *browsertest.Browser, origin string, sample []sampled) {
	with, without := b.Tab(t, browsertest.Options{}), b.Tab(t, browsertest.Options{NoScript: true})
	for _, p := range sample {
		var text []string
		for _, tab := range []*browsertest.Tab{with, without} {
			tab.Go(origin + p.address)
			text = append(text, browsertest.Eval[string](tab, readable))
		}
		if p.name != "error" && text[0] != text[1] {
			at := 0
			for at < min(len(text[0]), len(text[1])) && text[0][at] == text[1][at] {
				at++
			}
			t.Errorf("%s: with scripts %.200q, without %.200q", p.address, text[0][max(0, at-20):], text[1][max(0, at-20):])
		}
	}
}

// fromFiles opens the report as one file and as a folder, with the network off: it looks like the
// served one, its links work, and its own policy stands in the way of nothing.
func fromFiles(t *testing.T, b *browsertest.Browser, s *Site) {
	o := Static{Runs: []caselist.Run{nightTwo}, Baseline: nightOne}
	dir := t.TempDir()
	var one bytes.Buffer
	if err := s.WriteFile(t.Context(), &one, o); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "report.html"), one.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.WriteFolder(t.Context(), filepath.Join(dir, "report"), o); err != nil {
		t.Fatal(err)
	}
	tab := b.Tab(t, browsertest.Options{Offline: true})
	for name, path := range map[string]string{"file": "report.html", "folder": "report/index.html"} {
		tab.Go("file://" + filepath.Join(dir, path))
		if got := browsertest.Eval[string](tab, "getComputedStyle(document.body).marginTop"); got != "0px" {
			t.Errorf("%s: the report's style does not count: the margin is %s", name, got)
		}
		for _, look := range looks {
			tab.Resize(look.width)
			tab.Theme(look.dark)
			if wide := browsertest.Eval[int64](tab, "document.documentElement.scrollWidth"); wide > look.width {
				t.Errorf("%s: %d wide in a window of %d; what sticks out: %s", name, wide, look.width, browsertest.Eval[string](tab, fmt.Sprintf(sticksOut, look.width)))
			}
			tab.Picture("static-" + name + "-" + look.name)
		}
		tab.Resize(0)
		tab.Theme(false)
		tab.Print("static-" + name + "-print")
		// Every link within the report leads to something that is there.
		if lost := browsertest.Eval[[]string](tab, `[...document.querySelectorAll("a[href^='#']")].map(a => a.getAttribute("href")).filter(h => h.length > 1 && !document.getElementById(decodeURIComponent(h.slice(1))))`); len(lost) > 0 {
			t.Errorf("%s: %d links lead nowhere, such as %.300q", name, len(lost), lost[0])
		}
		if n := browsertest.Eval[int](tab, `document.querySelectorAll("main a[href]").length`); n < 10 {
			t.Errorf("%s: the first page has %d links", name, n)
		}
	}
	tab.Go("file://" + filepath.Join(dir, "report/index.html"))
	tab.Click("main table a[href$='.html']")
	if at := tab.Address(); strings.HasSuffix(at, "index.html") || browsertest.Eval[string](tab, "document.querySelector('h1').textContent") == "" {
		t.Errorf("a link of the folder leads to %s", at)
	}
	tab.Clean("file://")
}

// accessibilityOfFiles runs axe-core over static reports, once narrow and once dark, as the pages are
// made from the templates of the served ones: the one document, and of the folder every page but for
// cases, of which there are many alike: one of these.
func accessibilityOfFiles(t *testing.T, b *browsertest.Browser, s *Site) {
	browsertest.NeedAxe(t)
	dir := t.TempDir()
	o := Static{Runs: []caselist.Run{nightTwo}, Baseline: nightOne, All: true}
	if err := s.WriteFolder(t.Context(), filepath.Join(dir, "report"), o); err != nil {
		t.Fatal(err)
	}
	var one bytes.Buffer
	if err := s.WriteFile(t.Context(), &one, Static{Runs: o.Runs, Baseline: o.Baseline}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "report.html"), one.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	files := []string{"report.html"}
	alike := map[string]int{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		if err != nil || d.IsDir() || filepath.Ext(path) != ".html" || name == "report.html" {
			return err
		}
		kind, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(name), ".html"), "-") // such as case and cases
		if alike[kind]++; alike[kind] <= 1 {
			files = append(files, name)
		}
		return nil
	})
	if err != nil || len(files) < 8 {
		t.Fatalf("%v, %v", files, err)
	}
	tab := b.Tab(t, browsertest.Options{Offline: true})
	for _, name := range files {
		tab.Go("file://" + filepath.Join(dir, name))
		for i, look := range looks {
			if i%3 != 0 {
				continue
			}
			tab.Resize(look.width)
			tab.Theme(look.dark)
			for _, f := range tab.Findings() {
				t.Errorf("%s, %s: %s", name, look.name, f)
			}
			tab.Picture("axe-" + strings.NewReplacer("/", "-", ".html", "").Replace(name) + "-" + look.name)
		}
	}
	t.Logf("looked at %d files", len(files))
}

// hostileTexts opens pages full of hostile texts: no script of theirs runs, nobody else is asked, and
// nothing is forbidden by the page's policy because nothing tries.
func hostileTexts(t *testing.T, b *browsertest.Browser) {
	h := as(hostileSite(t, 30), identity.Admin)
	server := httptest.NewServer(h)
	defer server.Close()
	tab := b.Tab(t, browsertest.Options{})
	// The walk without a browser sees more. These lists have every text.
	every := caselist.State{Run: caselist.Run{ID: sitetest.Plain.ID, Agent: sitetest.Plain.Agent, Version: sitetest.Plain.AgentVersion, Batch: sitetest.Plain.BatchID}, Mode: caselist.All, Page: 1, Size: caselist.MaxSize}
	addresses := []string{casesAddress(every), queuesAddress()}
	crawl(t, h, 1, func(p *seen) {
		if strings.HasPrefix(p.header.Get("Content-Type"), "text/html") {
			addresses = append(addresses, p.address)
		}
	})
	for _, address := range addresses {
		tab.Go(server.URL + address)
		if n := browsertest.Eval[int](tab, "document.querySelectorAll('pwned, [data-pwned], #pwned, iframe, object, embed, base, [onerror], [onload], [onclick], [onmouseover], [style]').length + (window.pwned ? 1 : 0)"); n > 0 {
			t.Errorf("%.300s: %d elements of an attacker", address, n)
		}
	}
	tab.Clean(server.URL)
}

// walk goes from the list of runs over a comparison to a case, and labels twenty cases of a queue by
// keys only.
func walk(t *testing.T, b *browsertest.Browser, origin string, s *Site, q *labelling.Queue) {
	tab := b.Tab(t, browsertest.Options{})
	at := func(want string) {
		t.Helper()
		if got := strings.TrimPrefix(tab.Address(), origin); !strings.HasPrefix(got, want) {
			t.Fatalf("the walk is at %s, want %s", got, want)
		}
	}
	follow := func(selector, want string) {
		t.Helper()
		tab.Click(selector)
		at(want)
		tab.Clean(origin)
	}
	tab.Go(origin + "/")
	follow("main table a[href^='/run?']", "/run?")
	follow("nav.run a[href^='/compare']", "/compare?")
	follow("main a[href^='/compare/cases']", "/compare/cases?")
	follow("main table a[href^='/case?']", "/case?")
	// Back and forth, and a view that is opened again by its address.
	here := tab.Address()
	browsertest.Eval[bool](tab, "history.back(), true")
	tab.Wait("location.pathname === '/compare/cases' && document.readyState === 'complete'")
	tab.Go(here)
	title := browsertest.Eval[string](tab, "document.title")
	tab.Do(chromedp.Reload())
	if again := browsertest.Eval[string](tab, "document.title"); again != title {
		t.Errorf("the same address shows %q, then %q", title, again)
	}

	tab.Go(origin + queueAddress(q.ID))
	follow("main a[href^='/label/next']", "/label?")
	said := map[string]string{} // verdict by case
	verdicts := []string{"pass", "fail", "unsure"}
	for i := range 20 {
		tab.Wait("document.querySelector('form[data-keys]') && document.querySelector('[data-save]')")
		id := browsertest.Eval[string](tab, "document.querySelector('form[data-keys]').elements.case.value")
		if said[id] != "" {
			t.Fatalf("case %s comes again", id)
		}
		n := i % len(verdicts)
		said[id] = verdicts[n]
		tab.Press(fmt.Sprint(n + 1))
		if i%5 == 0 {
			tab.Press("n")
			tab.Wait("document.activeElement.name == 'note'")
			tab.Press(fmt.Sprintf("because of j, k and %d", i)) // keys are text here
			tab.Press("\r", chromedp.ModifierCtrl)
		} else {
			tab.Press("\r")
		}
		tab.Wait(fmt.Sprintf("document.querySelector('form[data-keys]')?.elements.case.value !== %q", id))
	}
	tab.Wait("(JSON.parse(localStorage.getItem('badger.unsent')) || []).length === 0")
	tab.Clean(origin)
	rows, err := s.o.Warehouse.LoggedLabels(t.Context(), connectors.LabelFilter{Queue: q.ID, Annotator: "kim"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	got, notes := map[string]string{}, 0
	for _, r := range rows {
		got[r.CaseID] = r.Verdict // the newest comes last
		if strings.HasPrefix(r.Note, "because of j, k and ") {
			notes++
		}
	}
	if !maps.Equal(got, said) || notes < 4 {
		t.Errorf("the store holds %v with %d notes, want %v with 4", got, notes, said)
	}
}
