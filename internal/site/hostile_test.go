//go:build !no_duckdb

package site

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/badger-eval/badger/internal/labelling"
	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// TestHostileTextsStayText walks through the site of a store in which every text tries to leave its
// place, and opens cases, one in ten or where tests are thorough all. No page gets an element or
// an attribute of them, and the texts can be read where they belong.
func TestHostileTextsStayText(t *testing.T) {
	if len(pages) == 0 {
		t.Skip("there are no pages yet")
	}
	texts := sitetest.Hostile()
	at := func(i int) string { return texts[i%len(texts)].Called() }
	of := 2
	if !thorough {
		of = 16
	}
	s := hostileSite(t, of)
	h := as(s, identity.Admin)
	crawl(t, h, 3, func(p *seen) { p.check(t, 0) })

	all := store.State{RunID: scoring.RunID{ID: sitetest.Plain.ID, By: sitetest.Plain.By}, Mode: store.All, Page: 1, Size: store.MaxSize}
	for _, address := range []string{runsAddress(), casesAddress(all)} {
		p := visit(t, h, address, "")
		p.check(t, 0)
		text := p.text()
		for i, h := range texts {
			if address == runsAddress() && !sitetest.HasOwnRun(i) {
				continue
			}
			if !strings.Contains(text, begin(plain(at(i)), 40)) {
				t.Errorf("%s: %s does not show it", h.Name, p.path())
			}
		}
	}
	for i, of := range texts {
		if left(i, len(texts)) {
			continue
		}
		run := scoring.RunID{ID: at(i), By: scoring.By{Agent: at(i), Version: at(i + 1), Batch: at(i + 2)}}
		if !sitetest.HasOwnRun(i) {
			run = all.RunID
		}
		p := visit(t, h, caseAddress(store.State{RunID: run}, at(i)), of.Name)
		p.check(t, 0)
		if !strings.Contains(p.text(), begin(plain(at(i)), 60)) {
			t.Errorf("%s: the page of its case does not show it", of.Name)
		}
	}
}

// TestHostileTextsStayTextInShortPages is the same of the short pages of cases, which large reports have.
func TestHostileTextsStayTextInShortPages(t *testing.T) {
	s := siteOf(t, sitetest.HostileStore(t))
	run := scoring.RunID{ID: sitetest.Plain.ID, By: sitetest.Plain.By}
	shown := map[string]bool{} // the pages of cases that are looked at, one in ten or where tests are thorough all
	for i, of := range sitetest.Hostile() {
		if !left(i, len(sitetest.Hostile())) {
			shown[caseName(run, of.Called())] = true
		}
	}
	pages := somePages(t, s, Static{Runs: []scoring.RunID{run}, All: true, short: true}, func(p *staticPage) bool { return p.of == nil || shown[p.name] })
	files := map[string]bool{}
	for _, a := range usedAssets() {
		files[a.name] = true
	}
	wrong := func(name string) func(string, ...any) {
		return func(format string, args ...any) {
			t.Helper()
			t.Errorf("%s: %s", name, fmt.Sprintf(format, args...))
		}
	}
	for name, doc := range pages {
		doc.Find("link, script[src]").Each(func(_ int, e *goquery.Selection) { // assets stand next to the pages
			if !files[e.AttrOr("src", e.AttrOr("href", ""))] {
				t.Errorf("%s loads something else than the report's own files", name)
			}
		})
		doc.Find("link, script[src]").Remove()
		p := &seen{address: name, Document: doc}
		p.elements(wrong(name))
		p.names(wrong(name))
	}
	for _, of := range sitetest.Hostile() {
		if !shown[caseName(run, of.Called())] {
			continue
		}
		doc := pages[caseName(run, of.Called())+".html"]
		if doc == nil {
			t.Errorf("%s: its case has no page", of.Name)
			continue
		}
		if doc.Find("table.cells").Length() == 0 && doc.Find(".legend").Length() > 0 {
			t.Fatalf("%s: the page is not short", of.Name)
		}
		if text := (&seen{Document: doc}).text(); !strings.Contains(text, begin(plain(of.Text), 60)) {
			t.Errorf("%s: the page of its case does not show it", of.Name)
		}
	}
}

// hostileSite is the site of the hostile store, with queues whose names, guidelines and verdicts are
// hostile, too, and a label in each: a queue for each text, or for one of so many.
func hostileSite(t *testing.T, of int) *Site {
	t.Helper()
	s := siteOf(t, sitetest.HostileStore(t))
	labels, err := s.labels()
	if err != nil {
		t.Fatal(err)
	}
	list := store.State{RunID: scoring.RunID{ID: sitetest.Plain.ID, By: sitetest.Plain.By}, Mode: store.All}
	ids, err := labelling.Cases(t.Context(), s.o.Warehouse, s.o.Metrics, list)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range sitetest.Hostile() {
		if i%of != 0 {
			continue
		}
		// Names are short, and no text of a queue holds NUL.
		harmless := strings.ReplaceAll(text.Text, "\x00", "")
		verdict := strings.TrimSpace(strings.ToValidUTF8(begin(harmless, 40), ""))
		q, err := labels.Make(t.Context(), labelling.Plan{Name: begin(harmless, 200), List: list, Guideline: harmless, Options: []string{"pass", "fail", verdict}, Most: 5, Order: labelling.Random, Seed: int64(i)}, ids)
		if err != nil {
			t.Errorf("%s: %v", text.Name, err)
			continue
		}
		item, err := labels.Next(t.Context(), q, text.Name)
		if err != nil || item.Item == nil {
			t.Fatalf("%s: %v", text.Name, err)
		}
		l := labelling.Label{ID: fmt.Sprintf("hostile-%d", i), AnswerID: q.Answer(item.Item.CaseID), Annotator: text.Name, Verdict: verdict, Note: harmless, Queue: q.ID}
		if _, err := labels.Save(t.Context(), q, l); err != nil {
			t.Errorf("%s: %v", text.Name, err)
		}
	}
	return s
}

// text is what can be read on a page, as [plain] leaves it.
func (p *seen) text() string {
	p.Find("script, style, head, i.symbol").Remove()
	return plain(p.Text())
}

// plain is what is left of a text when everything is taken away that a page may show as a symbol, or
// break into several lines.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r > ' ' && r < 0x7f {
			return r
		}
		return -1
	}, s)
}

func begin(s string, n int) string { return s[:min(n, len(s))] }

// TestHostileAddressesRoundTrip holds that whatever a run, a case or a filter is called, its address
// leads to it and to nothing else.
func TestHostileAddressesRoundTrip(t *testing.T) {
	texts := sitetest.Hostile()
	at := func(i int) string { return texts[i%len(texts)].Text }
	for i, text := range texts {
		want := store.State{
			RunID: scoring.RunID{ID: at(i), By: scoring.By{Agent: at(i + 1), Version: at(i + 2), Batch: at(i + 3)}}, Baseline: scoring.RunID{ID: at(i + 4), By: scoring.By{Agent: at(i + 5)}},
			Mode: store.All, Search: begin(at(i), 900), Page: 1, Size: store.DefaultSize, Columns: []string{at(i), at(i + 1)},
			Filters: []store.ListFilter{{Column: "tag", Op: store.Equal, Value: at(i)}},
		}
		address := caseAddress(want, at(i))
		for _, c := range []byte(address) {
			if c <= ' ' || c >= 0x7f || strings.IndexByte(`"'<>\^{}|`+"`", c) >= 0 {
				t.Errorf("%s: the address holds %q", text.Name, c)
			}
		}
		u, err := url.Parse(address)
		if err != nil || u.Path != "/case" || u.Host != "" || u.Scheme != "" || u.Fragment != "" {
			t.Errorf("%s: the address leads to %+v, %v", text.Name, u, err)
			continue
		}
		v, err := url.ParseQuery(u.RawQuery)
		if err != nil {
			t.Errorf("%s: %v", text.Name, err)
			continue
		}
		got, err := store.Parse(v)
		if err != nil {
			t.Errorf("%s: %v", text.Name, err)
			continue
		}
		if got.RunID != want.RunID || got.Baseline != want.Baseline || got.Search != want.Search || v.Get("case") != at(i) || !slices.Equal(got.Filters, want.Filters) || !slices.Equal(got.Columns, want.Columns) {
			t.Errorf("%s: the address leads to %+v, want %+v", text.Name, got, want)
		}
	}
}
