//go:build !no_duckdb

package site

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	fakebrowser "github.com/badger-eval/badger/internal/fake/browser"
	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/internal/submission"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/udf/identity"
)

// fakeRuns evaluates nothing: a run is at work until the test ends it. Its ID is that of a run of the small store.
type fakeRuns struct {
	began  chan bool
	finish chan error
}

func (*fakeRuns) Offer() submission.Offer {
	o := submission.Offer{Judges: []string{"openai:gpt-4o-2024-08-06"}, Budget: "5.00USD"}
	for _, m := range metric.All() {
		o.Metrics = append(o.Metrics, submission.Metric{Name: m.Name, Display: m.Display, Group: m.Group, Summary: m.Summary, Judged: m.CostOf() == "judged", Default: true})
	}
	return o
}

func (*fakeRuns) Check(c submission.Choice) error {
	if c.Judge && c.Budget == "" {
		return errcode.New(errcode.InvalidArgument, "budget: expected a limit <b>here</b>")
	}
	return nil
}

func (*fakeRuns) Cases(_ context.Context, s *submission.Submission) (batch.Source, error) {
	if s.Tables != nil && s.Tables.SetVersion != "" {
		return nil, errcode.New(errcode.InvalidArgument, "golden set: there is no version %q", s.Tables.SetVersion)
	}
	if s.Tables != nil {
		return batch.FileSource{In: strings.NewReader(`{"case_id": "q1", "agent": {"name": "atlas"}}`), Path: "tables"}, nil
	}
	return batch.FileSource{Path: s.Path}, nil
}

func (*fakeRuns) Estimate(_ context.Context, s *submission.Submission) (*submission.Estimate, error) {
	return &submission.Estimate{Examined: 400, Answers: s.Understood.Answers, Calls: 1234, TokensIn: 56789, TokensOut: 4321, Money: "0.42"}, nil
}

func (f *fakeRuns) Evaluate(ctx context.Context, _ *submission.Submission, stop <-chan struct{}, progress func(batch.Progress)) error {
	progress(batch.Progress{Total: 2, Done: 1, ETA: 90 * time.Second})
	f.began <- true
	select {
	case err := <-f.finish:
		progress(batch.Progress{Total: 2, Done: 2})
		return err
	case <-stop:
	case <-ctx.Done():
	}
	return errcode.New(errcode.Cancelled, "stopped")
}

// submitting is a site whose callers may submit runs.
type submitting struct {
	*Site
	t    *testing.T
	runs *fakeRuns
	dir  string
}

func newSubmitting(t *testing.T, c submission.Config) *submitting {
	t.Helper()
	s := &submitting{t: t, runs: &fakeRuns{make(chan bool, 9), make(chan error)}, dir: filepath.Join(t.TempDir(), "desk")}
	c.Dir = s.dir
	desk, err := submission.Open(submission.Options{Config: c, Work: s.runs, NewRun: func(time.Time) string { return "night-2.0" }, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(desk.Close)
	if s.Site, err = New(Options{Warehouse: sitetest.Shared(t), Version: "test", Metrics: metric.All(), Submit: desk}); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *submitting) as(name string, roles ...identity.Role) *browser {
	return &browser{t: s.t, site: s.Site, who: identity.Caller{Name: name, Roles: roles}}
}

// sendFile sends the form of the page with a file.
func sendFile(b *browser, id, name, text string, header ...string) (*http.Response, string) {
	b.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("id", id)
	part, err := form.CreateFormFile("file", name)
	if err != nil {
		b.t.Fatal(err)
	}
	_, _ = io.WriteString(part, text)
	_ = form.Close()
	return b.raw(http.MethodPost, "/submit/file", &body, append([]string{"Content-Type", form.FormDataContentType()}, header...)...)
}

// raw sends a body unchanged.
func (b *browser) raw(method, address string, body io.Reader, header ...string) (*http.Response, string) {
	b.t.Helper()
	r := httptest.NewRequest(method, address, body)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	b.site.ServeHTTP(w, r.WithContext(identity.With(r.Context(), b.who)))
	return w.Result(), w.Body.String()
}

const submitted = `{"case_id": "q1", "gold": {"result": {"columns": ["n"], "rows": [[1]]}}, "agent": {"name": "nova", "version": "3", "batch_id": "mon", "sql": "SELECT 1", "result": {"columns": ["n"], "rows": [[1]]}}}
{"case_id": "q2", "gold": {"result": {"columns": ["n"], "rows": [[1]]}}, "agent": {"name": "nova", "version": "4", "result": {"columns": ["n"], "rows": [[2]]}}}
`

// entries are the submissions that are stored.
func (s *submitting) entries() (out []string) {
	all, _ := os.ReadDir(s.dir)
	for _, e := range all {
		if e.IsDir() {
			out = append(out, e.Name())
		}
	}
	return out
}

func text(body string) string {
	d, err := goquery.NewDocumentFromReader(strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(d.Find("main").Text()), " ")
}

func TestSubmitFromUploadToResult(t *testing.T) {
	s := newSubmitting(t, submission.Config{})
	kim := s.as("kim", identity.Submit)
	_, page := kim.open("/submit")
	if page.Find("nav.tabs a[href='/submit'][aria-current]").Length() != 1 {
		t.Error("the navigation does not lead to the page")
	}
	id := page.Find("form[enctype] input[name=id]").AttrOr("value", "")
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, _ = io.WriteString(w, submitted)
	_ = w.Close()
	res, body := sendFile(kim, id, "mon <b>.jsonl.gz", z.String())
	at := res.Header.Get("Location")
	if res.StatusCode != http.StatusSeeOther || at != submissionAddress(id) {
		t.Fatalf("%d %s %s", res.StatusCode, at, text(body))
	}
	again, _ := sendFile(kim, id, "other.jsonl", "")
	if again.Header.Get("Location") != at || len(s.entries()) != 1 {
		t.Errorf("the form again: %d %s, %v", again.StatusCode, again.Header.Get("Location"), s.entries())
	}
	_, page = kim.open(at)
	shown := text(page.Find("html").Text()) + page.Find("main").Text()
	for _, want := range []string{"2 answers to 2 questions can be scored.", "mon <b>.jsonl.gz", "nova", "2 batches do not answer every question", "openai:gpt-4o-2024-08-06"} {
		if !strings.Contains(strings.Join(strings.Fields(shown), " "), want) {
			t.Errorf("the preview lacks %q: %s", want, shown)
		}
	}
	var rows []string
	page.Find("tbody tr").Each(func(_ int, tr *goquery.Selection) { rows = append(rows, strings.Join(strings.Fields(tr.Text()), "")) })
	if strings.Join(rows, "|") != "nova3mon11|nova4–11" {
		t.Errorf("agents: %v", rows)
	}
	do := func(v url.Values) (*http.Response, string) {
		t.Helper()
		v.Set("id", id)
		return kim.do(http.MethodPost, "/submission", v)
	}
	// A rejected form comes back with its choice.
	res, body = do(url.Values{"do": {"start"}, "judge": {"1"}, "which": {"chosen"}, "metric": {"hybrid_ex"}})
	d, _ := goquery.NewDocumentFromReader(strings.NewReader(body))
	if res.StatusCode != http.StatusBadRequest || !strings.Contains(text(body), "budget: expected a limit <b>here</b>") || d.Find("[name=judge][value='1'][checked]").Length() != 1 || d.Find("[name=metric][checked]").AttrOr("value", "") != "hybrid_ex" {
		t.Errorf("without a budget: %d %s", res.StatusCode, text(body))
	}
	if res, body = do(url.Values{"do": {"start"}, "which": {"chosen"}}); res.StatusCode != http.StatusBadRequest || !strings.Contains(text(body), "tick at least one") {
		t.Errorf("no metric: %d", res.StatusCode)
	}
	if res, _ = do(url.Values{"do": {"explode"}}); res.StatusCode != http.StatusBadRequest {
		t.Errorf("no such button: %d", res.StatusCode)
	}
	if res, _ = do(url.Values{"do": {"estimate"}, "judge": {"1"}, "budget": {"7USD"}}); res.StatusCode != http.StatusSeeOther {
		t.Fatalf("estimate: %d", res.StatusCode)
	}
	_, page = kim.open(at)
	if got := strings.Join(strings.Fields(page.Find(".notice").Text()), " "); !strings.HasPrefix(got, "About 1,234 judge calls, 0.42 USD. 56,789 tokens in, at most 4,321 out.") || page.Find("[name=budget]").AttrOr("value", "") != "7USD" {
		t.Errorf("estimate: %s", got)
	}
	for range 2 { // the second is the same run
		if res, _ = do(url.Values{"do": {"start"}, "judge": {"1"}, "budget": {"7USD"}}); res.StatusCode != http.StatusSeeOther {
			t.Fatalf("start: %d", res.StatusCode)
		}
	}
	<-s.runs.began
	_, page = kim.open(at)
	if _, polls := page.Find("body").Attr("data-poll"); !polls || page.Find("h1").Text() != "1 of 2 answers are scored." || page.Find("progress[value='1'][max='2']").Length() != 1 || page.Find("button[value=cancel]").Length() != 1 || !strings.Contains(page.Find("main").Text(), "About 1 min 30 s left") {
		t.Errorf("at work: %s", page.Find("main").Text())
	}
	_, list := kim.open("/submit")
	if _, polls := list.Find("body").Attr("data-poll"); polls || list.Find("h1").Text() != "A run of yours is at work." {
		t.Errorf("the list: %s", list.Find("h1").Text())
	}
	s.runs.finish <- nil
	for range 300 {
		if _, page = kim.open(at); page.Find(".status.pass").Length() == 1 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if _, polls := page.Find("body").Attr("data-poll"); polls || page.Find("h1").Text() != "2 answers are scored." {
		t.Errorf("done: %s", page.Find("main").Text())
	}
	to, result := kim.open(page.Find("a.btn.main").AttrOr("href", ""))
	if !strings.HasPrefix(to, "/run?") || result.Find("h1").Length() != 1 {
		t.Errorf("the result is at %s", to)
	}
	if _, err := os.Stat(filepath.Join(s.dir, id, "cases.jsonl")); err == nil {
		t.Error("the file is left")
	}
	if res, _ = do(url.Values{"do": {"discard"}}); res.Header.Get("Location") != "/submit" || len(s.entries()) != 0 {
		t.Errorf("discarded: %v", s.entries())
	}
}

func TestSubmitTables(t *testing.T) {
	s := newSubmitting(t, submission.Config{})
	kim := s.as("kim", identity.Submit)
	_, page := kim.open("/submit")
	form := page.Find("form[action='/submit/tables']")
	v := sends(form)
	v.Set("set", `<v9>`)
	res, body := kim.do(http.MethodPost, "/submit/tables", v)
	d, _ := goquery.NewDocumentFromReader(strings.NewReader(body))
	if res.StatusCode != http.StatusBadRequest || d.Find("[name=set]").AttrOr("value", "") != "<v9>" || !strings.Contains(d.Find("[role=alert]").Text(), "there is no version") {
		t.Errorf("%d %s", res.StatusCode, text(body))
	}
	at, page := kim.send(form, url.Values{"agent": {" atlas "}})
	if !strings.HasPrefix(at, "/submission?") || page.Find("h1").Text() != "1 answer to 1 question can be scored." {
		t.Errorf("%s %s", at, page.Find("h1").Text())
	}
}

// Nothing is reachable without the role, and nothing by a page of another site.
func TestSubmitIsGuarded(t *testing.T) {
	s := newSubmitting(t, submission.Config{})
	kim := s.as("kim", identity.Submit)
	id := strings.Repeat("k", 20)
	if res, _ := sendFile(kim, id, "x.jsonl", submitted); res.StatusCode != http.StatusSeeOther {
		t.Fatal(res.StatusCode)
	}
	for name, roles := range map[string][]identity.Role{"nobody": nil, "read": {identity.Read}, "label": {identity.Label}, "call": {identity.Call}} {
		b := s.as("kim", roles...)
		for _, address := range []string{"/submit", submissionAddress(id)} {
			if res, body := b.do(http.MethodGet, address, nil); res.StatusCode != http.StatusForbidden || strings.Contains(body, "nova") {
				t.Errorf("%s: GET %s: %d", name, address, res.StatusCode)
			}
		}
		for address, v := range map[string]url.Values{"/submit/tables": {"id": {strings.Repeat("t", 20)}}, "/submission": {"id": {id}, "do": {"discard"}}} {
			if res, _ := b.do(http.MethodPost, address, v); res.StatusCode != http.StatusForbidden {
				t.Errorf("%s: POST %s: %d", name, address, res.StatusCode)
			}
		}
		if res, _ := sendFile(b, strings.Repeat("u", 20), "x.jsonl", submitted); res.StatusCode != http.StatusForbidden {
			t.Errorf("%s: an upload: %d", name, res.StatusCode)
		}
		if _, body := b.do(http.MethodGet, "/runs", nil); strings.Contains(body, "/submit") {
			t.Errorf("%s: the navigation leads to the page", name)
		}
	}
	for _, header := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Origin", "https://evil.example"}} {
		if res, _ := sendFile(kim, strings.Repeat("e", 20), "x.jsonl", submitted, header...); res.StatusCode != http.StatusForbidden {
			t.Errorf("%v: an upload: %d", header, res.StatusCode)
		}
		for _, address := range []string{"/submit/tables", "/submission"} {
			if res, _ := kim.do(http.MethodPost, address, url.Values{"id": {id}, "do": {"start"}}, header...); res.StatusCode != http.StatusForbidden {
				t.Errorf("%v: %s: %d", header, address, res.StatusCode)
			}
		}
	}
	lee := s.as("lee", identity.Submit) // another's submission
	if res, body := lee.do(http.MethodGet, submissionAddress(id), nil); res.StatusCode != http.StatusNotFound || strings.Contains(body, "nova") {
		t.Errorf("another's: %d", res.StatusCode)
	}
	if res, _ := lee.do(http.MethodPost, "/submission", url.Values{"id": {id}, "do": {"discard"}}); res.StatusCode != http.StatusNotFound {
		t.Errorf("another's: %d", res.StatusCode)
	}
	if got := s.entries(); len(got) != 1 || got[0] != id {
		t.Errorf("stored: %v", got)
	}
	if d := s.o.Submit.List(submission.Caller{Name: "kim"}); len(d) != 1 || d[0].Status != submission.Draft {
		t.Errorf("%+v", d)
	}
}

// Where runs cannot be submitted, the page says why.
func TestSubmitIsOff(t *testing.T) {
	w := sitetest.Shared(t)
	for _, tc := range []struct {
		why  string // the reason that the program gives
		role identity.Role
		want int
		says string
		link bool
	}{
		{"", identity.Admin, 403, "start badger view with --submit", false},
		{"", identity.Read, 403, "start badger view with --submit", false},
		{"the database <b>cannot</b> be written", identity.Submit, 409, "the database <b>cannot</b> be written", true},
		{"the database cannot be written", identity.Read, 409, "the database cannot be written", false},
	} {
		s, err := New(Options{Warehouse: w, Version: "test", Metrics: metric.All(), NoSubmit: tc.why})
		if err != nil {
			t.Fatal(err)
		}
		b := &browser{t: t, site: s, who: identity.Caller{Roles: []identity.Role{tc.role}}}
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			address := map[string]string{http.MethodGet: "/submit", http.MethodPost: "/submission"}[method]
			if res, body := b.do(method, address, url.Values{}); res.StatusCode != tc.want || !strings.Contains(text(body), tc.says) {
				t.Errorf("%s %s: %d %s", tc.role, method, res.StatusCode, text(body))
			}
		}
		_, page := b.open("/runs")
		if got := page.Find("nav a[href='/submit']").Length() == 1; got != tc.link {
			t.Errorf("%s, %q: a link: %t", tc.role, tc.why, got)
		}
	}
}

// What is rejected comes back with the form, its reason and a status, and nothing of it is stored.
func TestSubmitRejectsUploads(t *testing.T) {
	s := newSubmitting(t, submission.Config{UploadBytes: 2000, CaseBytes: 3000})
	kim := s.as("kim", identity.Submit)
	bomb := func(n int) string {
		var z bytes.Buffer
		w := gzip.NewWriter(&z)
		_, _ = io.WriteString(w, submitted+strings.Repeat("\n", n-len(submitted)))
		_ = w.Close()
		return z.String()
	}
	id := strings.Repeat("r", 20)
	for _, tc := range []struct {
		why, name, text string
		want            int
	}{
		{"too large", "a.jsonl", submitted + strings.Repeat(" ", 2001-len(submitted)), 413},
		{"much too large", "a.jsonl", strings.Repeat("x", 4<<20), 413},
		{"a bomb by a byte", "a.gz", bomb(3001), 413},
		{"no file", "", "", 400},
		{"an empty file", "a.jsonl", "", 400},
		{"CSV", "a.csv", "case_id,sql\n1,SELECT 1\n", 400},
		{"binary", "a.parquet", "PAR1\x00\x01", 400},
	} {
		res, body := sendFile(kim, id, tc.name, tc.text)
		d, _ := goquery.NewDocumentFromReader(strings.NewReader(body))
		if res.StatusCode != tc.want || d.Find("[role=alert]").Length() != 1 || d.Find("form[enctype]").Length() != 1 || strings.Contains(body, s.dir) {
			t.Errorf("%s: %d, want %d: %s", tc.why, res.StatusCode, tc.want, d.Find("[role=alert]").Text())
		}
		if got := s.entries(); len(got) != 0 {
			t.Fatalf("%s: stored: %v", tc.why, got)
		}
	}
	for _, bad := range []string{"", "../../etc", strings.Repeat("R", 20)} {
		if res, _ := sendFile(kim, bad, "a.jsonl", submitted); res.StatusCode != http.StatusBadRequest {
			t.Errorf("identifier %q: %d", bad, res.StatusCode)
		}
	}
	if res, _ := kim.do(http.MethodPost, "/submit/file", url.Values{"file": {"x"}}); res.StatusCode != http.StatusBadRequest {
		t.Errorf("another kind of form: %d", res.StatusCode)
	}
	if res, _ := kim.raw(http.MethodPost, "/submit/file", strings.NewReader("--b\r\nContent-Disposition: form-data; name=\"id\"\r\n\r\n"+id), "Content-Type", "multipart/form-data; boundary=b"); res.StatusCode != http.StatusBadRequest {
		t.Errorf("a cut form: %d", res.StatusCode)
	}
	// Just within the limits.
	if res, body := sendFile(kim, id, "../../a.gz", bomb(3000)); res.StatusCode != http.StatusSeeOther {
		t.Errorf("as large as is allowed: %d %s", res.StatusCode, text(body))
	}
}

// hostileFile is a case file in which every text tries to leave its place.
func hostileFile(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for i, h := range sitetest.Hostile() {
		line, err := json.Marshal(map[string]any{
			"case_id": h.Called(), "question": h.Text, h.Called(): 1,
			"agent": map[string]any{"name": h.Called(), "version": h.Called(), "sql": "SELECT 1"},
		})
		if err != nil {
			t.Fatal(err)
		}
		b.Write(line)
		b.WriteString("\n")
		if i%5 == 0 {
			fmt.Fprintf(&b, "%s\n%s\n", line, strings.ReplaceAll(h.Text, "\n", " ")) // a duplicate, and no JSON
		}
	}
	return b.String()
}

func TestHostileSubmissions(t *testing.T) {
	s := newSubmitting(t, submission.Config{})
	h := as(s.Site, identity.Submit)
	kim := s.as("kim", identity.Submit)
	file := hostileFile(t)
	for i, of := range sitetest.Hostile() {
		if i%24 != 0 && !thorough {
			continue
		}
		// Go's writer of forms escapes no other control characters in names of files; browsers do.
		name := strings.Map(func(r rune) rune { return map[bool]rune{true: r, false: '?'}[r >= ' ' && r != 0x7f] }, of.Text)
		id := fmt.Sprintf("hostile%020d", i)
		res, body := sendFile(kim, id, name, file)
		if res.StatusCode != http.StatusSeeOther {
			t.Fatalf("%s: %d %s", of.Name, res.StatusCode, text(body))
		}
		p := visit(t, h, submissionAddress(id), of.Name)
		p.check(t, 0)
		visit(t, h, "/submit", of.Name).check(t, 0)
		if p.Find("ul.alerts li").Length() < 4 {
			t.Errorf("%s: %s", of.Name, p.text())
		}
		res, body = kim.do(http.MethodPost, "/submission", url.Values{"id": {id}, "do": {of.Text}, "metric": {of.Text}, "budget": {of.Text}})
		if res.StatusCode != http.StatusBadRequest || strings.Contains(body, "<pwned") || strings.Contains(body, "<script>pwned") {
			t.Errorf("%s: %d", of.Name, res.StatusCode)
		}
		if res, _ = kim.do(http.MethodPost, "/submission", url.Values{"id": {id}, "do": {"discard"}}); res.StatusCode != http.StatusSeeOther {
			t.Fatal(res.StatusCode)
		}
	}
}

// TestSubmitInBrowser looks at the pages in each state with Chromium, and sends a file by it.
func TestSubmitInBrowser(t *testing.T) {
	b := fakebrowser.Start(t)
	s := newSubmitting(t, submission.Config{})
	kim := s.as("kim", identity.Submit)
	server := httptest.NewServer(as(s.Site, identity.Submit))
	defer server.Close()
	id := func(name string) string { return fmt.Sprintf("%s%s", name, strings.Repeat("0", 20)) }
	post := func(name, do string) {
		t.Helper()
		if res, body := kim.do(http.MethodPost, "/submission", url.Values{"id": {id(name)}, "do": {do}, "judge": {"1"}, "budget": {"5USD"}}); res.StatusCode != http.StatusSeeOther {
			t.Fatalf("%s %s: %d %s", do, name, res.StatusCode, text(body))
		}
	}
	for name, file := range map[string]string{"draft": submitted, "faults": mended(hostileFile(t)), "running": submitted, "waiting": submitted, "failed": submitted, "done": submitted, "cancelled": submitted, "broken": "{}\nnot JSON\n"} {
		if res, body := sendFile(kim, id(name), name+".jsonl", file); res.StatusCode != http.StatusSeeOther {
			t.Fatalf("%s: %d %s", name, res.StatusCode, text(body))
		}
	}
	post("faults", "estimate")
	for name, err := range map[string]error{"failed": errcode.New(errcode.Unavailable, "the warehouse does not answer"), "done": nil} {
		post(name, "start")
		<-s.runs.began
		s.runs.finish <- err
		for range 300 {
			if one, _, _ := s.o.Submit.Get(submission.Caller{Name: "kim"}, id(name)); one.Status.Over() {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	post("running", "start")
	<-s.runs.began
	post("waiting", "start")
	post("cancelled", "start")
	post("cancelled", "cancel")
	pages := []sampled{{"submit", "/submit"}}
	for _, name := range []string{"draft", "faults", "broken", "running", "waiting", "failed", "done", "cancelled"} {
		pages = append(pages, sampled{"submission-" + name, submissionAddress(id(name))})
	}
	lookAt(t, b, server.URL, pages)

	// The page of a run at work goes on by itself.
	tab := b.Tab(t, fakebrowser.Options{})
	tab.Go(server.URL + submissionAddress(id("running")))
	s.runs.finish <- nil
	tab.Wait("document.querySelector('h1').textContent === '2 answers are scored.'")
	tab.Clean(server.URL)
}

// mended leaves the first lines of a file, so that a picture of it can be looked at.
func mended(file string) string {
	lines := strings.SplitAfter(file, "\n")
	return strings.Join(lines[:12], "") + submitted
}
