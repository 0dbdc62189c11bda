package browser_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/fake/browser"
)

const page = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>%</title><link rel="icon" href="data:,"></head><body><main><h1>Page</h1>%</main></body></html>`

func pageOf(title, body string) string {
	return strings.Replace(strings.Replace(page, "%", title, 1), "%", body, 1)
}

// A test that finds nothing shows something only if it would find what is there.
func TestWhatGoesWrongIsSeen(t *testing.T) {
	pages := map[string]string{
		"/good":    pageOf("Good", `<p>All is well.</p><a href="/foreign">on</a>`),
		"/foreign": pageOf("Foreign", `<p>A picture</p><img alt="" src="http://pwned.example/x.png">`),
		"/error":   pageOf("Error", `<p>A script</p><script>nothing.there()</script>`),
		"/policy":  pageOf("Policy", `<p style="color: red">A style</p>`),
		"/axe":     pageOf("Axe", `<p>A picture</p><img src="data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==">`),
		"/dark":    pageOf("Dark", `<p>Grey</p><style>@media (prefers-color-scheme: dark) { body { background: #333 } p { color: #444 } h1 { color: #fff } }</style>`),
		"/script":  pageOf("Script", `<p id="p">off</p><script>document.getElementById("p").textContent = "on"</script>`),
		"/keys":    pageOf("Keys", `<p id="p"></p><input id="i"><script>addEventListener("keydown", e => { p.textContent += e.key; if (e.key === "n" && e.target !== i) { i.focus(); e.preventDefault() } })</script>`),
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/policy" {
			w.Header().Set("Content-Security-Policy", "default-src 'none'; img-src data:")
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		text := pages[r.URL.Path]
		if text == "" {
			w.WriteHeader(http.StatusNotFound)
			text = pageOf("Nowhere", "<p>There is no such page</p>")
		}
		_, _ = w.Write([]byte(text))
	}))
	defer server.Close()
	b := browser.Start(t)

	t.Run("a good page", func(t *testing.T) {
		tab := b.Tab(t, browser.Options{})
		if status := tab.Go(server.URL + "/good"); status != 200 {
			t.Errorf("status %d", status)
		}
		tab.Clean(server.URL)
		tab.Click("a")
		if tab.Address() != server.URL+"/foreign" {
			t.Errorf("the link led to %s", tab.Address())
		}
		if status := tab.Go(server.URL + "/nowhere"); status != 404 {
			t.Errorf("status %d, want 404", status)
		}
	})
	t.Run("a foreign request", func(t *testing.T) {
		tab := b.Tab(t, browser.Options{})
		tab.Go(server.URL + "/foreign")
		if got := tab.Foreign(server.URL); len(got) != 1 || got[0] != "http://pwned.example/x.png" {
			t.Errorf("foreign requests %q", got)
		}
	})
	for path, want := range map[string]string{"/error": "nothing is not defined", "/policy": "Content Security Policy"} {
		t.Run("the console"+path, func(t *testing.T) {
			tab := b.Tab(t, browser.Options{})
			tab.Go(server.URL + path)
			if said := strings.Join(tab.Console(), "\n"); !strings.Contains(said, want) {
				t.Errorf("%q was said, want %q", said, want)
			}
			if again := tab.Console(); len(again) > 0 {
				t.Errorf("said again: %q", again)
			}
		})
	}
	t.Run("no script", func(t *testing.T) {
		for want, off := range map[string]bool{"on": false, "off": true} {
			tab := b.Tab(t, browser.Options{NoScript: off})
			tab.Go(server.URL + "/script")
			if got := browser.Eval[string](tab, "document.getElementById('p').textContent"); got != want {
				t.Errorf("scripts are %s, want %s", got, want)
			}
		}
	})
	t.Run("no network", func(t *testing.T) {
		tab := b.Tab(t, browser.Options{})
		tab.Go(server.URL + "/good")
		tab.Offline(true)
		if got := browser.Eval[string](tab, "fetch('/good').then(() => 'there', () => 'gone')"); got != "gone" {
			t.Errorf("the network is %s, want gone", got)
		}
		tab.Offline(false)
		if got := browser.Eval[string](tab, "fetch('/good').then(() => 'there', () => 'gone')"); got != "there" {
			t.Errorf("the network is %s, want there", got)
		}
	})
	t.Run("keys", func(t *testing.T) {
		tab := b.Tab(t, browser.Options{})
		tab.Go(server.URL + "/keys")
		tab.Press("1j\r")
		tab.Wait("p.textContent == '1jEnter'")
		tab.Press("nan") // the first is taken, the others are typed
		tab.Wait("i.value == 'an'")
	})
	t.Run("width", func(t *testing.T) {
		tab := b.Tab(t, browser.Options{Width: 320})
		tab.Go(server.URL + "/good")
		if got := browser.Eval[int](tab, "innerWidth"); got != 320 {
			t.Errorf("the window is %d wide, want 320", got)
		}
	})
	t.Run("accessibility", func(t *testing.T) {
		browser.NeedAxe(t)
		for _, tc := range []struct {
			path string
			dark bool
			want string
		}{{"/good", false, ""}, {"/axe", false, "image-alt"}, {"/dark", false, ""}, {"/dark", true, "color-contrast"}} {
			tab := b.Tab(t, browser.Options{Dark: tc.dark})
			tab.Go(server.URL + tc.path)
			var rules []string
			for _, f := range tab.Findings() {
				rules = append(rules, f.Rule)
			}
			if got := strings.Join(rules, " "); got != tc.want {
				t.Errorf("%s, dark %v: %q, want %q", tc.path, tc.dark, got, tc.want)
			}
		}
	})
}
