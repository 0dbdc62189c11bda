//go:build !no_duckdb

package site

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"github.com/badger-eval/badger/internal/labelling"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/udf/identity"
)

// siteOf is the site of a store.
func siteOf(tb testing.TB, path string) *Site {
	tb.Helper()
	s, err := New(Options{Warehouse: sitetest.Open(tb, path), Version: "test", Metrics: metric.All(), Labels: true})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// as lets a handler see somebody with a role.
func as(h http.Handler, role identity.Role) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(rw, r.WithContext(identity.With(r.Context(), identity.Caller{Name: "kim", Roles: []identity.Role{role}})))
	})
}

// remembered answers what was asked for before as it did then: tests that look at a page several
// times make it once.
func remembered(h http.Handler) http.Handler {
	var pages sync.Map // *httptest.ResponseRecorder by address
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			h.ServeHTTP(rw, r)
			return
		}
		at := r.URL.RequestURI()
		page, there := pages.Load(at)
		if !there {
			r.Header.Del("Accept-Encoding")
			w := httptest.NewRecorder()
			// A browser cuts a request for the next page when it leaves; the answer is remembered for others.
			h.ServeHTTP(w, r.WithContext(context.WithoutCancel(r.Context())))
			page, _ = pages.LoadOrStore(at, w)
		}
		w := page.(*httptest.ResponseRecorder)
		maps.Copy(rw.Header(), w.Header())
		rw.WriteHeader(w.Code)
		_, _ = rw.Write(w.Body.Bytes())
	})
}

// seen is a page that a walk through a site came to.
type seen struct {
	address string
	from    string // where the link stands
	took    time.Duration
	status  int
	header  http.Header
	body    string
	*goquery.Document
}

// path is that of its address.
func (p *seen) path() string {
	path, _, _ := strings.Cut(p.address, "?")
	return path
}

// visit asks for a page, and follows a redirection to it.
func visit(tb testing.TB, h http.Handler, address, from string) *seen {
	tb.Helper()
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1"+address, nil)
	w := httptest.NewRecorder()
	start := time.Now()
	h.ServeHTTP(w, r)
	p := &seen{address: address, from: from, took: time.Since(start), status: w.Code, header: w.Header(), body: w.Body.String()}
	if to := p.header.Get("Location"); p.status == http.StatusSeeOther && strings.HasPrefix(to, "/") {
		return visit(tb, h, to, address)
	}
	text := ""
	if strings.HasPrefix(p.header.Get("Content-Type"), "text/html") {
		text = p.body
	}
	var err error
	if p.Document, err = goquery.NewDocumentFromReader(strings.NewReader(text)); err != nil {
		tb.Fatalf("%.300s: %v", address, err)
	}
	return p
}

// Tests look at one in ten of the pages, rows and steps that are alike, and where they are thorough at all
// (BADGER_THOROUGH, as in CI) or at so many times as many pages (BADGER_CRAWL, make crawl).
var (
	crawls, _ = strconv.Atoi(os.Getenv("BADGER_CRAWL"))
	thorough  = sample.Thorough() || crawls > 0
)

// oneIn is of how many that are alike one is examined.
const oneIn = 10

// some is how many of so many that are alike are examined.
func some(n int) int {
	if thorough {
		return n
	}
	return sample.Count(n, oneIn)
}

// left reports whether the i-th of n that are alike is left out.
func left(i, n int) bool { return !thorough && !sample.Takes(i, n, oneIn) }

// crawl follows the links and the GET forms of a site from its first page, at most so many of each path,
// and shows every page once. Unless tests are thorough, it follows one or two of each path, and of one path in
// three it shows one more, which is drawn among the others of that path.
func crawl(tb testing.TB, h http.Handler, perPath int, show func(*seen)) {
	tb.Helper()
	perPath *= max(crawls, 1)
	first := perPath
	if !thorough && perPath > 1 {
		first = min(2, perPath/2) // the first of a path may lead nowhere, such as a comparison with nothing
	}
	type link struct{ address, from string }
	queue, known, of := []link{{"/", ""}}, map[string]bool{"/": true}, map[string]int{}
	others := map[string][]link{} // by path
	for len(queue) > 0 {
		next := queue[0]
		queue = queue[1:]
		p := visit(tb, h, next.address, next.from)
		show(p)
		if !strings.HasPrefix(p.header.Get("Content-Type"), "text/html") {
			continue
		}
		for _, to := range p.links() {
			path, _, _ := strings.Cut(to, "?")
			switch {
			case known[to]:
				continue
			case of[path] < first:
				of[path]++
				queue = append(queue, link{to, next.address})
			case first < perPath:
				others[path] = append(others[path], link{to, next.address})
			default:
				continue
			}
			known[to] = true
		}
	}
	for _, path := range sample.Of(slices.Sorted(maps.Keys(others)), 3) {
		drawn := others[path][sample.One(path, len(others[path]))]
		show(visit(tb, h, drawn.address, drawn.from))
	}
}

// links are the addresses of the site that a page leads to or loads, without fragments.
func (p *seen) links() (out []string) {
	base, err := url.Parse(p.address)
	if err != nil {
		return nil
	}
	add := func(href string) {
		u, err := base.Parse(href)
		if err != nil || u.Scheme != "" || u.Host != "" {
			return // judged elsewhere
		}
		if u.Fragment = ""; u.Path == "" {
			u.Path = base.Path
		}
		out = append(out, u.String())
	}
	for _, name := range []string{"href", "src"} {
		p.Find("[" + name + "]").Each(func(_ int, e *goquery.Selection) { add(e.AttrOr(name, "")) })
	}
	p.Find("form").Each(func(_ int, f *goquery.Selection) {
		if !strings.EqualFold(f.AttrOr("method", "get"), "get") {
			return
		}
		v := url.Values{}
		f.Find("input[name], textarea[name]").Each(func(_ int, e *goquery.Selection) {
			_, checked := e.Attr("checked")
			if kind := e.AttrOr("type", ""); kind != "submit" && (checked || kind != "checkbox" && kind != "radio") {
				v.Add(e.AttrOr("name", ""), e.AttrOr("value", e.Text()))
			}
		})
		f.Find("select[name]").Each(func(_ int, e *goquery.Selection) {
			chosen := e.Find("option[selected]")
			if chosen.Length() == 0 {
				chosen = e.Find("option").First()
			}
			v.Add(e.AttrOr("name", ""), chosen.AttrOr("value", chosen.Text()))
		})
		add(f.AttrOr("action", "") + "?" + v.Encode())
	})
	return out
}

// sentBack are the values of fields, which a browser sends and does not show.
var sentBack = regexp.MustCompile(` value="[^"]*"`)

// check says what is wrong with a page that a link led to. It may have so many bytes; 0 is no limit.
func (p *seen) check(tb testing.TB, limit int) {
	tb.Helper()
	wrong := func(format string, args ...any) {
		tb.Helper()
		tb.Errorf("%.300s (from %.200s): %s", p.address, p.from, fmt.Sprintf(format, args...))
	}
	if p.status != http.StatusOK {
		wrong("status %d: %.300s", p.status, p.Find(".lead").Text())
		return
	}
	if policy := p.header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; script-src 'self'; style-src 'self';") || strings.Contains(policy, "unsafe") {
		wrong("the policy is %q", policy)
	}
	shown := sentBack.ReplaceAllString(p.body, "") // U+0080 to U+009F have no reference, and a value is sent back as it is
	if i := strings.IndexFunc(shown, printable.Steers); i >= 0 {
		wrong("holds a character that steers what shows it: %q", begin(shown[max(0, i-40):], 80))
	}
	if !strings.HasPrefix(p.header.Get("Content-Type"), "text/html") {
		if p.header.Get("X-Content-Type-Options") != "nosniff" || p.path() == "/export" && !strings.HasPrefix(p.header.Get("Content-Disposition"), "attachment") {
			wrong("what is no page may be taken for one: %v", p.header)
		}
		return
	}
	size := len(p.body) // without addresses, which repeat the names of the case
	p.Find("[href]").Each(func(_ int, a *goquery.Selection) { size -= len(a.AttrOr("href", "")) })
	if limit > 0 && size > limit {
		wrong("the page has %d bytes without its addresses, expected at most %d", size, limit)
	}
	if n := p.Find("h1").Length(); n != 1 {
		wrong("%d headings of the first rank, want 1", n)
	}
	if strings.TrimSpace(strings.TrimSuffix(p.Find("head > title").Text(), "· badger")) == "" || p.Find("html").AttrOr("lang", "") != "en" {
		wrong("the page has no title or no language")
	}
	p.elements(wrong)
	p.names(wrong)
	p.Find("table").Each(func(_ int, e *goquery.Selection) {
		if e.ChildrenFiltered("caption").Length() == 0 {
			wrong("a table without a caption: %.100q", e.Text())
		}
	})
	p.Find("thead th").Each(func(_ int, e *goquery.Selection) {
		if e.AttrOr("scope", "") == "" {
			wrong("a head of a column without its scope: %.60q", e.Text())
		}
	})
}

// allowed are the elements that pages are made of. What only an attacker would make is not among them.
var allowed = strings.Fields(`html head meta title link script body a header main nav footer section article aside div p span h1 h2 h3 h4 h5 ul ol li dl dt dd
	table caption colgroup col thead tbody tfoot tr th td form fieldset legend label input select option optgroup textarea button output
	details summary b strong em i bdi bdo code pre kbd small sub sup mark ins del time abbr br hr wbr figure figcaption progress dialog
	svg g title desc rect line path circle text tspan polyline polygon defs use clippath lineargradient stop blockquote`)

// elements looks at elements and attributes: none may run anything, style itself, or come from or
// lead to elsewhere.
func (p *seen) elements(wrong func(string, ...any)) {
	own := map[string]bool{}
	for _, a := range assets() {
		own[a.address] = true
	}
	for n := range p.Nodes[0].Descendants() {
		if n.Type == html.CommentNode {
			wrong("a comment: %.100q", n.Data)
		}
		if n.Type != html.ElementNode {
			continue
		}
		if !slices.Contains(allowed, strings.ToLower(n.Data)) {
			wrong("an element <%.60s>", n.Data)
		}
		if n.Data == "script" && (n.FirstChild != nil || !own[attribute(n, "src")]) {
			wrong("a script that is not the report's own: %v", n.Attr)
		}
		for _, a := range n.Attr {
			key := strings.ToLower(a.Key)
			switch {
			case strings.HasPrefix(key, "on") || slices.Contains([]string{"style", "srcdoc", "formaction", "http-equiv", "background", "ping", "target", "xlink:href", "is"}, key),
				strings.Contains(key, "pwned") || key == "id" && strings.Contains(a.Val, "pwned"):
				wrong("<%s> has an attribute %s=%.60q", n.Data, a.Key, a.Val)
			case slices.Contains([]string{"href", "src", "action", "data", "poster", "cite", "manifest", "longdesc"}, key):
				if n.Data == "link" && !own[a.Val] {
					wrong("<link> loads %.100q", a.Val)
				}
				if u, err := url.Parse(a.Val); err != nil || u.Scheme != "" && !documentation(n, u) || u.Scheme == "" && u.Host != "" || strings.HasPrefix(a.Val, "//") || strings.HasPrefix(a.Val, `/\`) {
					wrong("<%s> leads to %.100q", n.Data, a.Val)
				}
			}
		}
	}
}

// documentation reports whether an element is a link to badger's own documentation, which people may
// follow and no page loads.
func documentation(n *html.Node, u *url.URL) bool {
	return n.Data == "a" && u.Scheme == "https" && u.Host == "github.com" && strings.HasPrefix(u.Path, "/badger-eval/badger/")
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// names looks at identifiers: they are there once, and who refers to one finds it.
func (p *seen) names(wrong func(string, ...any)) {
	ids := map[string]int{}
	p.Find("[id]").Each(func(_ int, e *goquery.Selection) { ids[e.AttrOr("id", "")]++ })
	for id, n := range ids {
		if n > 1 || id == "" {
			wrong("the identifier %.60q is there %d times", id, n)
		}
	}
	for _, name := range []string{"for", "form", "list", "aria-labelledby", "aria-describedby", "aria-controls", "headers"} {
		p.Find("[" + name + "]").Each(func(_ int, e *goquery.Selection) {
			for _, id := range strings.Fields(e.AttrOr(name, "")) {
				if ids[id] == 0 {
					wrong("%s names %.60q, which is not there", name, id)
				}
			}
		})
	}
	p.Find("a[href^='#']").Each(func(_ int, e *goquery.Selection) {
		if id := e.AttrOr("href", "#")[1:]; id != "" && ids[id] == 0 {
			wrong("a link leads to #%.60s, which is not there", id)
		}
	})
}

// TestEveryLinkLeadsSomewhere walks through the site of the small store, as one who labels and as one
// who only reads.
func TestEveryLinkLeadsSomewhere(t *testing.T) {
	if len(pages) == 0 {
		t.Skip("there are no pages yet")
	}
	s := siteOf(t, sitetest.Small(t))
	makeQueue(t, s, labelling.Plan{Name: "Everything", Guideline: "Compare the answer with the question."})
	for role, perPath := range map[identity.Role]int{identity.Admin: 6, identity.Read: 3} {
		t.Run(string(role), func(t *testing.T) {
			of, took := map[string]int{}, map[string]time.Duration{}
			crawl(t, as(s, role), perPath, func(p *seen) {
				of[p.path()]++
				took[p.path()] += p.took
				p.check(t, 300_000)
			})
			for path, n := range of {
				t.Logf("%3d pages %s, %v each", n, path, took[path]/time.Duration(n))
			}
			for _, page := range pages {
				method, path, _ := strings.Cut(page.pattern, " ")
				if path = strings.TrimSuffix(path, "{$}"); method == http.MethodGet && page.role == identity.Read && !page.shortcut && of[path] == 0 {
					t.Errorf("no link leads to %s", path)
				}
			}
		})
	}
}
