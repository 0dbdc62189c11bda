//go:build !no_duckdb

package site

import (
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

	fakebrowser "github.com/badger-eval/badger/internal/fake/browser"
	"github.com/badger-eval/badger/internal/labelling"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

func TestMain(m *testing.M) { os.Exit(fakebrowser.Main(m)) }

// TestInBrowser looks at the pages with Chromium.
func TestInBrowser(t *testing.T) {
	if len(pages) == 0 {
		t.Skip("there are no pages yet")
	}
	b := fakebrowser.Start(t)
	s := siteOf(t, sitetest.Small(t))
	q := makeQueue(t, s, labelling.Plan{Name: "Everything", Guideline: "Compare the answer with the question."})
	h := as(s, identity.Admin)
	server := httptest.NewServer(h)
	defer server.Close()
	t.Run("every page", func(t *testing.T) {
		h := remembered(h)
		server := httptest.NewServer(h)
		defer server.Close()
		lookAt(t, b, server.URL, samples(t, h))
	})
	t.Run("walk", func(t *testing.T) { walk(t, b, server.URL, s, q) })
	t.Run("from files", func(t *testing.T) { fromFiles(t, b) })
	t.Run("hostile texts", func(t *testing.T) { hostileTexts(t, b) })
}

// sampled is a page to look at.
type sampled struct{ name, address string }

// samples are the first page of each path that the links of a site lead to, an error, and pages with
// more on them than the first ones.
func samples(t *testing.T, h http.Handler) []sampled {
	t.Helper()
	judged := store.State{RunID: scoring.RunID{ID: "judged", By: scoring.By{Agent: "atlas", Version: "2.0", Batch: sitetest.Rerun}}, Mode: store.All}
	out := []sampled{
		{"error", "/nowhere"}, {"run-labelled", runAddress(nightTwo)}, {"agreement-labelled", address("/agreement", store.RunValues(nightTwo))},
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

// look is a window in which pages are examined.
type look struct {
	name  string
	width int64
	dark  bool
}

// looks are each width and each theme once, or where tests are thorough or pictures are wanted each
// with each.
func looks() []look {
	out := []look{{"320-light", 320, false}, {"1280-dark", 1280, true}}
	if thorough || fakebrowser.Pictures() {
		out = append(out, look{"320-dark", 320, true}, look{"1280-light", 1280, false})
	}
	return out
}

// drawn are all looks where tests are thorough, else one that is drawn for each name.
func drawn(name string, all []look) []look {
	if thorough {
		return all
	}
	i := sample.One(name, len(all))
	return all[i : i+1]
}

// lookAt looks at pages as they are, at one in three or where tests are thorough at all: they ask nobody else for anything, say nothing on the console,
// are not wider than the window, break no rule of axe-core, and can be read without scripts as with
// them. Pictures are taken where they are wanted.
func lookAt(t *testing.T, b *fakebrowser.Browser, origin string, pages []sampled) {
	axe := false
	t.Run("axe", func(t *testing.T) { // says where it is skipped
		fakebrowser.NeedAxe(t)
		axe = true
	})
	with, without := b.Tab(t, fakebrowser.Options{}), b.Tab(t, fakebrowser.Options{NoScript: true})
	if !fakebrowser.Pictures() {
		pages = sample.Of(pages, 3)
	}
	for _, p := range pages {
		want := int64(http.StatusOK)
		if p.name == "error" {
			want = http.StatusNotFound
		}
		if got := with.Go(origin + p.address); got != want {
			t.Errorf("%s: status %d, want %d", p.address, got, want)
			continue
		}
		seenIn := looks()
		if !fakebrowser.Pictures() {
			seenIn = drawn(p.name, seenIn)
		}
		for _, look := range seenIn {
			with.Resize(look.width)
			with.Theme(look.dark)
			fits(t, with, p.address, look)
			with.Picture(p.name + "-" + look.name)
		}
		with.Resize(0)
		with.Theme(false)
		with.Print(p.name + "-print")
		said := with.Console()
		if p.name == "error" { // Chromium tells of the status
			said = slices.DeleteFunc(said, func(s string) bool { return strings.Contains(s, "status of 404") })
		}
		if len(said) > 0 {
			t.Errorf("%s: on the console: %s", p.address, strings.Join(said, "\n"))
		}
		without.Go(origin + p.address)
		if got, want := fakebrowser.Eval[string](without, readable), fakebrowser.Eval[string](with, readable); p.name != "error" && got != want {
			at := 0
			for at < min(len(got), len(want)) && got[at] == want[at] {
				at++
			}
			t.Errorf("%s: with scripts %.200q, without %.200q", p.address, want[max(0, at-20):], got[max(0, at-20):])
		}
		if axe {
			accessible(t, with, p.address, drawn(p.name, looks())...)
		}
	}
	with.Clean(origin)
}

// fits holds that a page is not wider than the window.
func fits(t *testing.T, tab *fakebrowser.Tab, name string, l look) {
	t.Helper()
	if wide := fakebrowser.Eval[int64](tab, "document.documentElement.scrollWidth"); wide > l.width {
		t.Errorf("%s: %d wide in a window of %d; what sticks out: %s", name, wide, l.width, fakebrowser.Eval[string](tab, fmt.Sprintf(sticksOut, l.width)))
	}
}

// sticksOut names elements that are wider than the window and not in one that scrolls.
const sticksOut = `[...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > %d + 1 && !e.closest(".wide")).slice(0, 3).map(e => e.outerHTML.slice(0, 120)).join("\n")`

// accessible runs axe-core over a page. What it finds depends on the theme and on the width each, and
// hardly ever on both together. Unless tests are thorough it sees the first rows of each table: most are alike.
func accessible(t *testing.T, tab *fakebrowser.Tab, name string, looks ...look) {
	t.Helper()
	if !thorough {
		fakebrowser.Eval[int](tab, fewerRows)
	}
	for _, look := range looks {
		tab.Resize(look.width)
		tab.Theme(look.dark)
		for _, f := range tab.Findings() {
			t.Errorf("%s, %s: %s", name, look.name, f)
		}
	}
	tab.Resize(0)
	tab.Theme(false)
}

// fewerRows leaves the first ten rows of each body of a table.
const fewerRows = `(() => {
	const more = document.querySelectorAll("tbody > tr:nth-child(n+11)");
	more.forEach(e => e.remove());
	return more.length;
})()`

// readable is what can be read on a page, without buttons, which scripts add, and their keys.
const readable = `(() => { const main = document.querySelector("main").cloneNode(true); main.querySelectorAll("button, kbd, .saved").forEach(e => e.remove()); return main.textContent.replace(/\s+/g, " ").trim() })()`

// fromFiles opens the report as one file and as a folder, with the network off: it looks like the
// served one, its links work, its own policy is in the way of nothing, and no page breaks a rule
// of axe-core. Of the folder's pages of cases, which are many alike, that looks at one.
func fromFiles(t *testing.T, b *fakebrowser.Browser) {
	dir := t.TempDir()
	_, files := nightlyFolder(t)
	if err := os.Mkdir(filepath.Join(dir, "report"), 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("report.html", nightlyFile(t))
	for name, text := range files {
		write(filepath.Join("report", name), text)
	}
	tab := b.Tab(t, fakebrowser.Options{Offline: true})
	for name, path := range map[string]string{"file": "report.html", "folder": "report/index.html"} {
		tab.Go("file://" + filepath.Join(dir, path))
		if got := fakebrowser.Eval[string](tab, "getComputedStyle(document.body).marginTop"); got != "0px" {
			t.Errorf("%s: the report's style does not count: the margin is %s", name, got)
		}
		for _, look := range looks() {
			tab.Resize(look.width)
			tab.Theme(look.dark)
			fits(t, tab, name, look)
			tab.Picture("static-" + name + "-" + look.name)
		}
		tab.Resize(0)
		tab.Theme(false)
		tab.Print("static-" + name + "-print")
		// The tables of all measures alone are more pages than that.
		if n := tab.Pages(); n < 2 || n > 10 {
			t.Errorf("%s: the report is printed on %d pages", name, n)
		}
		// Every link within the report leads to something that exists.
		if lost := fakebrowser.Eval[[]string](tab, `[...document.querySelectorAll("a[href^='#']")].map(a => a.getAttribute("href")).filter(h => h.length > 1 && !document.getElementById(decodeURIComponent(h.slice(1))))`); len(lost) > 0 {
			t.Errorf("%s: %d links lead nowhere, such as %.300q", name, len(lost), lost[0])
		}
		if n := fakebrowser.Eval[int](tab, `document.querySelectorAll("main a[href]").length`); n < 10 {
			t.Errorf("%s: the first page has %d links", name, n)
		}
	}
	tab.Go("file://" + filepath.Join(dir, "report/index.html"))
	tab.Click("main table a[href$='.html']")
	if at := tab.Address(); strings.HasSuffix(at, "index.html") || fakebrowser.Eval[string](tab, "document.querySelector('h1').textContent") == "" {
		t.Errorf("a link of the folder leads to %s", at)
	}
	tab.Clean("file://")
	t.Run("axe", func(t *testing.T) { accessibleFiles(t, b, dir) })
}

// accessibleFiles runs axe-core over the report in a directory, whose pages are made from the
// templates of the served ones.
func accessibleFiles(t *testing.T, b *fakebrowser.Browser, dir string) {
	fakebrowser.NeedAxe(t)
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
	tab := b.Tab(t, fakebrowser.Options{Offline: true})
	for _, name := range files {
		tab.Go("file://" + filepath.Join(dir, name))
		if !thorough { // sections of cases are many alike, too
			fakebrowser.Eval[int](tab, fewerCases)
		}
		accessible(t, tab, name, drawn(name, looks()[:2])...)
		tab.Picture("axe-" + strings.NewReplacer("/", "-", ".html", "").Replace(name))
	}
	t.Logf("looked at %d files", len(files))
}

// fewerCases leaves the first three of the sections of cases in a document.
const fewerCases = `(() => { const all = [...document.querySelectorAll("[id^=p-case-]")].filter(e => /^p-case-[0-9a-f]{16}$/.test(e.id)); all.slice(3).forEach(e => e.remove()); return all.length })()`

// hostileTexts opens pages full of hostile texts: no script of theirs runs, nobody else is asked, and
// nothing is forbidden by the page's policy because nothing tries.
func hostileTexts(t *testing.T, b *fakebrowser.Browser) {
	h := remembered(as(hostileSite(t, 30), identity.Admin))
	server := httptest.NewServer(h)
	defer server.Close()
	tab := b.Tab(t, fakebrowser.Options{})
	// The walk without a browser sees more. These lists have every text.
	every := store.State{RunID: scoring.RunID{ID: sitetest.Plain.ID, By: sitetest.Plain.By}, Mode: store.All, Page: 1, Size: store.MaxSize}
	addresses := []string{casesAddress(every), queuesAddress()}
	crawl(t, h, 1, func(p *seen) {
		if strings.HasPrefix(p.header.Get("Content-Type"), "text/html") {
			addresses = append(addresses, p.address)
		}
	})
	for _, address := range append(addresses[:2:2], sample.Of(addresses[2:], 4)...) {
		tab.Go(server.URL + address)
		if n := fakebrowser.Eval[int](tab, "document.querySelectorAll('pwned, [data-pwned], #pwned, iframe, object, embed, base, [onerror], [onload], [onclick], [onmouseover], [style]').length + (window.pwned ? 1 : 0)"); n > 0 {
			t.Errorf("%.300s: %d elements of an attacker", address, n)
		}
	}
	tab.Clean(server.URL)
}

// walk goes from the list of runs over a comparison to a case, and labels cases of a queue by keys
// only.
func walk(t *testing.T, b *fakebrowser.Browser, origin string, s *Site, q *labelling.Queue) {
	tab := b.Tab(t, fakebrowser.Options{})
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
	tab.Go(origin + "/runs")
	follow("main table a[href^='/run?']", "/run?")
	follow("nav.tabs a[href^='/compare']", "/compare?")
	fakebrowser.Eval[bool](tab, "document.querySelector('main details.change').open = true")
	tab.Wait("document.querySelector('main details.change .sides')") // both answers beside gold, from the page of the case
	follow("main details.change .row a[href^='/case?']", "/case?")
	// Back and forth, and a view that is opened again by its address.
	here := tab.Address()
	fakebrowser.Eval[bool](tab, "history.back(), true")
	tab.Wait("location.pathname === '/compare' && document.readyState === 'complete'")
	tab.Go(here)
	title := fakebrowser.Eval[string](tab, "document.title")
	tab.Do(chromedp.Reload())
	if again := fakebrowser.Eval[string](tab, "document.title"); again != title {
		t.Errorf("the same address shows %q, then %q", title, again)
	}

	tab.Go(origin + queueAddress(q.ID))
	follow("main a[href^='/label/next']", "/label?")
	said := map[string]string{} // verdict by case
	verdicts := []string{"pass", "fail", "unsure"}
	wantNotes := 0
	for i := range some(20) {
		tab.Wait("document.querySelector('form[data-keys]') && document.querySelector('[data-save]')")
		id := fakebrowser.Eval[string](tab, "document.querySelector('form[data-keys]').elements.case.value")
		if said[id] != "" {
			t.Fatalf("case %s comes again", id)
		}
		n := i % len(verdicts)
		said[id] = verdicts[n]
		tab.Press(fmt.Sprint(n + 1))
		if i%5 == 0 {
			wantNotes++
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
	rows, err := s.o.Warehouse.LoggedLabels(t.Context(), store.LabelFilter{Queue: q.ID, Annotator: "kim"}, 0)
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
	if !maps.Equal(got, said) || notes < wantNotes {
		t.Errorf("the store holds %v with %d notes, want %v with %d", got, notes, said, wantNotes)
	}
}
