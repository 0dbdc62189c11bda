//go:build !no_duckdb

package site

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

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
	h := siteOf(t, sitetest.Small(t), identity.Admin)
	server := httptest.NewServer(h)
	defer server.Close()
	sample := samples(t, h)
	t.Run("every page", func(t *testing.T) { everyPage(t, b, server.URL, sample) })
	t.Run("accessibility", func(t *testing.T) { accessibility(t, b, server.URL, sample) })
	t.Run("without script", func(t *testing.T) { withoutScript(t, b, server.URL, sample) })
	t.Run("hostile texts", func(t *testing.T) { hostileTexts(t, b) })
}

// sampled is a page to look at.
type sampled struct{ name, address string }

// samples are the first page of each path that the links of a site lead to, and an error.
func samples(t *testing.T, h http.Handler) []sampled {
	t.Helper()
	out := []sampled{{"error", "/nowhere"}}
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

// withoutScript looks at every page with and without scripts: what can be read is the same, but for
// the controls that the script makes.
func withoutScript(t *testing.T, b *browsertest.Browser, origin string, sample []sampled) {
	with, without := b.Tab(t, browsertest.Options{}), b.Tab(t, browsertest.Options{NoScript: true})
	for _, p := range sample {
		var text []string
		for _, tab := range []*browsertest.Tab{with, without} {
			tab.Go(origin + p.address)
			text = append(text, browsertest.Eval[string](tab, `(() => {
				const main = document.querySelector("main").cloneNode(true);
				for (const made of main.querySelectorAll("[data-made]")) made.remove(); // controls that only a script can serve
				return main.textContent.replace(/\s+/g, " ");
			})()`))
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

// hostileTexts opens pages full of hostile texts: no script of theirs runs, nobody else is asked, and
// nothing is forbidden by the page's policy because nothing tries.
func hostileTexts(t *testing.T, b *browsertest.Browser) {
	h := siteOf(t, sitetest.HostileStore(t), identity.Admin)
	server := httptest.NewServer(h)
	defer server.Close()
	tab := b.Tab(t, browsertest.Options{})
	var addresses []string
	crawl(t, h, 5, func(p *seen) { // the walk without a browser sees more
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
