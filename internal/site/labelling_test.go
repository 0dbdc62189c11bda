//go:build !no_duckdb

package site

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/badger-eval/badger/internal/labelling"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// browser is somebody who looks at a site and sends forms.
type browser struct {
	t       *testing.T
	site    http.Handler
	who     identity.Caller
	cookies map[string]string
}

func (b *browser) do(method, address string, form url.Values, header ...string) (*http.Response, string) {
	b.t.Helper()
	r := httptest.NewRequest(method, address, strings.NewReader(form.Encode()))
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	for name, value := range b.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	w := httptest.NewRecorder()
	b.site.ServeHTTP(w, r.WithContext(identity.With(r.Context(), b.who)))
	res := w.Result()
	for _, c := range res.Cookies() {
		if b.cookies == nil {
			b.cookies = map[string]string{}
		}
		b.cookies[c.Name] = c.Value
	}
	return res, w.Body.String()
}

// open follows redirections to a page.
func (b *browser) open(address string) (string, *goquery.Document) {
	b.t.Helper()
	for range 5 {
		res, body := b.do(http.MethodGet, address, nil)
		if res.StatusCode == http.StatusSeeOther {
			address = res.Header.Get("Location")
			continue
		}
		d, err := goquery.NewDocumentFromReader(strings.NewReader(body))
		if err != nil || res.StatusCode != http.StatusOK {
			b.t.Fatalf("%s: %d %v\n%s", address, res.StatusCode, err, d.Find("main").Text())
		}
		return address, d
	}
	b.t.Fatalf("%s leads nowhere", address)
	return "", nil
}

// sends are what a form of a page would send.
func sends(form *goquery.Selection) url.Values {
	v := url.Values{}
	form.Find("input[name], textarea[name]").Each(func(_ int, e *goquery.Selection) {
		if _, checked := e.Attr("checked"); checked || e.AttrOr("type", "") != "checkbox" {
			v.Set(e.AttrOr("name", ""), e.AttrOr("value", e.Text()))
		}
	})
	return v
}

// send sends a form of a page with some fields changed, and follows where it leads.
func (b *browser) send(form *goquery.Selection, with url.Values) (string, *goquery.Document) {
	b.t.Helper()
	if form.Length() != 1 {
		b.t.Fatalf("%d forms", form.Length())
	}
	v := sends(form)
	for name, values := range with {
		v[name] = values
	}
	res, body := b.do(http.MethodPost, form.AttrOr("action", ""), v)
	if res.StatusCode != http.StatusSeeOther {
		b.t.Fatalf("%s: %d\n%s", form.AttrOr("action", ""), res.StatusCode, body)
	}
	return b.open(res.Header.Get("Location"))
}

// makeQueue makes a queue of some cases of a run with a judge.
func makeQueue(t *testing.T, s *Site, p labelling.Plan) *labelling.Queue {
	t.Helper()
	p.List = store.State{RunID: judgedRun, Mode: store.All}
	labels, err := s.labels()
	if err != nil {
		t.Fatal(err)
	}
	ids, err := labelling.Cases(t.Context(), s.o.Warehouse, s.o.Metrics, p.List)
	if err != nil {
		t.Fatal(err)
	}
	q, err := labels.Make(t.Context(), p, ids)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// TestLabellingWithoutScript walks through it all as a browser without scripts does: say one's name,
// make a queue, label, undo, change one's mind, and settle where two people differ.
func TestLabellingWithoutScript(t *testing.T) {
	s := siteOver(t, sitetest.Open(t, sitetest.Small(t)))
	kim := &browser{t: t, site: s, who: identity.Caller{Roles: []identity.Role{identity.Admin}}} // nobody says who this is
	list := store.State{RunID: judgedRun, Mode: store.Failed}
	_, page := kim.open(newQueueAddress(list))
	at, page := kim.send(page.Find("form"), url.Values{"name": {"A <b>queue</b>"}, "order": {"listed"}, "annotators": {"2"}, "cases": {"3"}, "guideline": {"Be <i>fair</i>."}})
	if page.Find("h1").Text() != "A <b>queue</b>" || page.Find("h1 b, .guideline i").Length() != 0 || page.Find(".guideline").Text() != "Be <i>fair</i>." {
		t.Errorf("%s shows %s", at, page.Find("main").Text())
	}
	queueAt := at
	if page.Find("form[action='/name']").Length() != 1 || page.Find("a.button[href^='/label/next']").Length() != 0 {
		t.Error("whoever has no name yet is not asked for it")
	}
	res, _ := kim.do(http.MethodPost, "/name", url.Values{"name": {"Kim Ω"}, "back": {queueAt}})
	if c := res.Cookies(); res.StatusCode != http.StatusSeeOther || len(c) != 1 || !c[0].HttpOnly || c[0].SameSite != http.SameSiteStrictMode || res.Header.Get("Location") != queueAt {
		t.Fatalf("saying one's name: %d %v", res.StatusCode, c)
	}
	_, page = kim.open(queueAt)
	var cases []string
	at, page = kim.open(page.Find("a.button[href^='/label/next']").AttrOr("href", ""))
	for _, verdict := range []string{"pass", "fail", "skip"} {
		u, err := url.Parse(at)
		if err != nil || u.Path != "/label" {
			t.Fatalf("the next case is at %s", at)
		}
		cases = append(cases, u.Query().Get("case"))
		at, page = kim.send(page.Find("form.label"), url.Values{"verdict": {verdict}, "note": {"a <b>note</b>"}, "gold_wrong": {"1"}})
	}
	if !strings.HasPrefix(at, "/queue?") || !strings.Contains(page.Find(".notice").Text(), "Nothing is left for you here. You skipped 1") || len(slices.Compact(slices.Sorted(slices.Values(cases)))) != 3 {
		t.Errorf("after %v: %s %s", cases, at, page.Find(".notice").Text())
	}
	var says []string
	page.Find("tbody tr").Each(func(_ int, tr *goquery.Selection) { says = append(says, tr.Find("td").Eq(1).Text()) })
	if strings.Join(says, " ") != "pass fail skip" {
		t.Errorf("the queue says %q", says)
	}
	// What was said is shown, and can be changed and taken back.
	_, page = kim.open(labelAddress(strings.TrimPrefix(queueAt, "/queue?queue="), cases[1]))
	form := page.Find("form.label")
	if form.Find("button[aria-pressed=true]").AttrOr("value", "") != "fail" || form.Find("textarea").Text() != "a <b>note</b>" || sends(form).Get("gold_wrong") != "1" || sends(form).Get("ambiguous") != "" {
		t.Errorf("what was said: %v", sends(form))
	}
	kim.send(form, url.Values{"verdict": {"unsure"}})
	at, page = kim.send(page.Find("form[data-undo]"), nil)
	if u, _ := url.Parse(at); u.Query().Get("case") != cases[1] || page.Find("form.label button[aria-pressed=true]").AttrOr("value", "") != "fail" {
		t.Errorf("undo leads to %s, %s", at, page.Find("form.label").Text())
	}
	// The same form sent twice is one label, under the name of who sent it, whatever the form says.
	labels, err := s.labels()
	if err != nil {
		t.Fatal(err)
	}
	rows := func() []labelling.Label {
		t.Helper()
		rows, err := s.o.Warehouse.LoggedLabels(t.Context(), store.LabelFilter{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	before := len(rows())
	lee := &browser{t: t, site: s, who: identity.Caller{Name: "lee@example.com", Roles: []identity.Role{identity.Label}}, cookies: map[string]string{nameCookie: "mallory"}}
	_, page = lee.open(labelAddress(strings.TrimPrefix(queueAt, "/queue?queue="), cases[1]))
	form = page.Find("form.label")
	for range 2 {
		lee.send(form, url.Values{"verdict": {"pass"}, "annotator": {"mallory"}, "name": {"mallory"}})
	}
	if got := rows(); len(got) != before+1 || !slices.ContainsFunc(got, func(l labelling.Label) bool {
		return l.Annotator == "lee@example.com" && l.CaseID == cases[1] && l.Verdict == "pass" && l.AnswerHash != ""
	}) {
		t.Errorf("%d rows after two, %d before", len(got), before)
	}
	if res, body := lee.do(http.MethodPost, "/name", url.Values{"name": {"mallory"}}); res.StatusCode != http.StatusForbidden {
		t.Errorf("another name than one's own: %d\n%s", res.StatusCode, body)
	}
	// They differ; a third verdict settles it.
	_, page = kim.open(queueAt)
	_, page = kim.open(page.Find(".tile a").AttrOr("href", ""))
	if got := page.Find(".conflict ul b bdi").Text(); got != "Kim Ωlee@example.com" || !strings.Contains(page.Find(".conflict .status").Text(), "open") {
		t.Errorf("where they differ: %s", page.Find("main").Text())
	}
	_, page = kim.send(page.Find("form.label"), url.Values{"verdict": {"fail"}, "note": {"final"}})
	if !strings.Contains(page.Find(".conflict .status").Text(), "settled") || !strings.Contains(page.Find(".conflict").Text(), "adjudicated") {
		t.Errorf("settled: %s", page.Find("main").Text())
	}
	all, err := labels.Queues(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	p, err := labels.Progress(t.Context(), &all[0], "Kim Ω")
	if err != nil || p.Conflicting != 0 || p.Mine != 2 || p.MySkipped != 1 {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestLabelByScript holds what a script is told.
func TestLabelByScript(t *testing.T) {
	s := siteOver(t, sitetest.Open(t, sitetest.Small(t)))
	q := makeQueue(t, s, labelling.Plan{Most: 2, ReasonRequired: true})
	kim := &browser{t: t, site: s, who: identity.Caller{Name: "kim", Roles: []identity.Role{identity.Label}}}
	_, page := kim.open(labelAddress(q.ID, ""))
	form := sends(page.Find("form.label"))
	send := func(status int, change ...string) sentLabel {
		t.Helper()
		v := url.Values{}
		for name := range form {
			v.Set(name, form.Get(name))
		}
		for i := 0; i < len(change); i += 2 {
			v.Set(change[i], change[i+1])
		}
		res, body := kim.do(http.MethodPost, "/label", v, "Accept", "application/json")
		var got sentLabel
		if err := json.Unmarshal([]byte(body), &got); err != nil || res.StatusCode != status || res.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%v: %d %v %s, want %d", change, res.StatusCode, err, body, status)
		}
		return got
	}
	first := send(http.StatusOK, "verdict", "pass")
	if first.ID != form.Get("id") || first.At == nil || first.Case != form.Get("case") {
		t.Errorf("%+v", first)
	}
	if again := send(http.StatusOK, "verdict", "pass"); !again.At.Equal(*first.At) {
		t.Errorf("sent again: %+v, %+v", again, first)
	}
	for _, tc := range []struct {
		status int
		want   string
		change []string
	}{
		{http.StatusConflict, "another label has the id", []string{"verdict", "fail", "note", "n"}},
		{http.StatusConflict, "the note is missing", []string{"verdict", "fail", "id", "a"}},
		{http.StatusConflict, "given by lee, and you are kim", []string{"verdict", "pass", "id", "b", "as", "lee"}},
		{http.StatusConflict, "it has no case", []string{"verdict", "pass", "id", "c", "case", "x"}},
		{http.StatusConflict, "no queue", []string{"verdict", "pass", "id", "d", "queue", "x"}},
	} {
		if got := send(tc.status, tc.change...); !strings.Contains(got.Error, tc.want) || got.Again || got.At != nil {
			t.Errorf("%+v, want %s", got, tc.want)
		}
	}
	if err := s.o.Warehouse.Close(); err != nil {
		t.Fatal(err)
	}
	if got := send(http.StatusConflict, "verdict", "pass", "id", "e"); got.Error == "" {
		t.Errorf("a warehouse that is closed: %+v", got)
	}
}

// TestLabelRoles holds who may do what.
func TestLabelRoles(t *testing.T) {
	s := siteOver(t, sitetest.Open(t, sitetest.Small(t)))
	q := makeQueue(t, s, labelling.Plan{Most: 2})
	caseID := func() string {
		labels, _ := s.labels()
		items, err := labels.Items(t.Context(), q, "", 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		return items[0].CaseID
	}()
	label := url.Values{"queue": {q.ID}, "case": {caseID}, "agent": {q.Agent}, "version": {q.Version}, "batch": {q.Batch}, "verdict": {"pass"}, "answer": {"0123456789abcdef"}}
	list := store.State{RunID: judgedRun, Mode: store.All}
	for i, tc := range []struct {
		method, address   string
		form              url.Values
		read, label, admn int
	}{
		{"GET", "/queues", nil, 200, 200, 200},
		{"GET", queueAddress(q.ID), nil, 200, 200, 200},
		{"GET", labelAddress(q.ID, caseID), nil, 403, 200, 200},
		{"GET", labelAddress(q.ID, ""), nil, 403, 303, 303},
		{"GET", adjudicateAddress(q.ID), nil, 403, 200, 200},
		{"GET", "/queue/labels?queue=" + q.ID, nil, 403, 403, 200},
		{"GET", newQueueAddress(list), nil, 403, 403, 200},
		{"POST", "/label", label, 403, 303, 303},
		{"POST", "/label/undo", url.Values{"queue": {q.ID}, "id": {"u"}}, 403, 303, 303},
		{"POST", "/label/renew", url.Values{"queue": {q.ID}, "case": {caseID}}, 403, 204, 204},
		{"POST", "/name", url.Values{"name": {"x"}}, 403, 403, 403}, // their names are known
		{"POST", "/queue/new", url.Values{"list": {list.Values().Encode()}}, 403, 403, 303},
		{"POST", "/queue/close", url.Values{"queue": {q.ID}}, 403, 403, 303},
	} {
		for role, want := range map[identity.Role]int{identity.Call: 403, identity.Read: tc.read, identity.Label: tc.label, identity.Admin: tc.admn} {
			b := &browser{t: t, site: s, who: identity.Caller{Name: string(role), Roles: []identity.Role{role}}}
			form := url.Values{}
			for name, v := range tc.form {
				form[name] = v
			}
			if tc.address == "/label" || tc.address == "/label/undo" {
				form.Set("id", string(role)+string(rune('a'+i)))
			}
			if res, body := b.do(tc.method, tc.address, form); res.StatusCode != want {
				t.Errorf("%s %s as %s: %d, want %d\n%.2000s", tc.method, tc.address, role, res.StatusCode, want, body)
			}
		}
	}
	// A page of another site sends nothing.
	b := &browser{t: t, site: s, who: identity.Caller{Name: "kim", Roles: []identity.Role{identity.Admin}}}
	label.Set("id", "cross")
	if res, _ := b.do("POST", "/label", label, "Sec-Fetch-Site", "cross-site"); res.StatusCode != http.StatusForbidden {
		t.Errorf("from another site: %d", res.StatusCode)
	}
	// Where labelling is switched off, nobody labels.
	off, err := New(Options{Warehouse: s.o.Warehouse, Version: "test", Metrics: metric.All()})
	if err != nil {
		t.Fatal(err)
	}
	b.site = off
	for _, address := range []string{"/label", "/queue/new", "/queue/close", "/label/undo", "/label/renew"} {
		if res, _ := b.do("POST", address, label); res.StatusCode != http.StatusForbidden {
			t.Errorf("%s with labelling switched off: %d", address, res.StatusCode)
		}
	}
	// Who has no other role is told how it is switched on.
	b.who.Roles = []identity.Role{identity.Read}
	if res, body := b.do(http.MethodGet, "/label?queue=x", nil); res.StatusCode != http.StatusForbidden || !strings.Contains(body, "badger view with --label") {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}

// TestFormsLeadBackToThisSite holds that a form cannot be made to lead to another site.
func TestFormsLeadBackToThisSite(t *testing.T) {
	for text, want := range map[string]string{
		"/case?run=r&case=%2F%2Fx": "/case?run=r&case=%2F%2Fx", "": "/queues", "//evil.example": "/queues", "https://evil.example/": "/queues", "/\\evil.example": "/queues", "javascript:alert(1)": "/queues",
		"evil": "/queues", "/a\r\nSet-Cookie: x=y": "/queues", "\t//evil.example": "/queues",
	} {
		r := httptest.NewRequest(http.MethodPost, "/x", strings.NewReader(url.Values{"back": {text}}.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if got := back(r, "/queues"); got != want {
			t.Errorf("%q leads to %q, want %q", text, got, want)
		}
	}
}

// TestBlind holds that what a blind queue shows on the pages of its annotators tells nothing of how
// the answers were scored, nor of what others said.
func TestBlind(t *testing.T) {
	s := siteOver(t, sitetest.Open(t, sitetest.Small(t)))
	q := makeQueue(t, s, labelling.Plan{Blind: true, Annotators: 3, Order: labelling.Random, Seed: 3, Most: 15})
	open := makeQueue(t, s, labelling.Plan{Order: labelling.Random, Seed: 3, Most: 15})
	labels, err := s.labels()
	if err != nil {
		t.Fatal(err)
	}
	items, err := labels.Items(t.Context(), q, "kim", 1, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for i, item := range items {
		for _, who := range []string{"Zebedee", "Quirinus"} {
			verdict := "pass"
			if who == "Quirinus" {
				verdict = "fail"
			}
			l := labelling.Label{ID: who + "-" + string(rune('a'+i%26)) + string(rune('a'+i/26)), AnswerID: q.Answer(item.CaseID), Annotator: who, Verdict: verdict, Note: "xylophone of " + who, Queue: q.ID}
			if _, err := labels.Save(t.Context(), q, l); err != nil {
				t.Fatal(err)
			}
		}
	}
	secrets := []string{"Zebedee", "Quirinus", "xylophone", "hybrid_ex", "Checked against the ledger", "can be read in two ways"}
	for _, query := range []string{
		"SELECT DISTINCT metric FROM badger.scores WHERE metric <> 'verdict'", "SELECT DISTINCT label FROM badger.scores WHERE metric = 'relation'", "SELECT DISTINCT reason FROM badger.scores WHERE length(reason) > 20",
		"SELECT DISTINCT code FROM badger.scores WHERE code IS NOT NULL", "SELECT DISTINCT reply FROM badger.assessments",
	} {
		table, err := s.o.Warehouse.Query(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		for row := range table.Rows() {
			if v := table.Columns[0].Value(row); !v.IsNull() && len(v.String()) > 5 { // refusal, same and the like are words
				secrets = append(secrets, v.String())
			}
		}
	}
	if len(secrets) < 100 {
		t.Fatalf("%d secrets", len(secrets))
	}
	kim := &browser{t: t, site: s, who: identity.Caller{Name: "kim", Roles: []identity.Role{identity.Label}}}
	words := regexp.MustCompile(`class="[^"]*\b(pass|fail|differs|only_gold|only_agent|mapped|matched|missing|extra)\b|[≠≈]`)
	leaks := func(address string) (found []string) {
		res, body := kim.do(http.MethodGet, address, nil)
		if res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d\n%s", address, res.StatusCode, body)
		}
		d, err := goquery.NewDocumentFromReader(strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		d.Find(".question, section.query, section.side").Remove() // the question, the queries and what they returned may hold any word
		text, err := d.Find("main").Html()
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range secrets {
			if strings.Contains(d.Find("main").Text(), secret) || strings.Contains(text, secret) {
				found = append(found, secret)
			}
		}
		if w := words.FindString(body); w != "" {
			found = append(found, w)
		}
		return found
	}
	shown := 0
	for _, item := range sample.Of(items, 3) {
		if found := leaks(labelAddress(q.ID, item.CaseID)); found != nil {
			t.Errorf("case %s shows %.300q", item.CaseID, found)
		}
	}
	for _, item := range items { // until one is found
		if shown == 0 && leaks(labelAddress(open.ID, item.CaseID)) != nil {
			shown++
		}
	}
	for _, address := range []string{queueAddress(q.ID), "/queues"} {
		if found := leaks(address); found != nil {
			t.Errorf("%s shows %.300q", address, found)
		}
	}
	if shown == 0 || leaks(caseAddress(store.State{RunID: judgedRun, Mode: store.All}, items[0].CaseID)) == nil {
		t.Error("nothing is found on pages that are not blind: the test cannot fail")
	}
}

// TestMaskedLabelling holds that what is masked is hidden on the pages of labelling, too: the cells,
// the queries, and the notes that may quote them.
func TestMaskedLabelling(t *testing.T) {
	w := sitetest.Open(t, sitetest.Small(t))
	show := func(masked ...string) string {
		t.Helper()
		s, err := New(Options{Warehouse: w, Version: "test", Metrics: metric.All(), Labels: true, Masked: masked})
		if err != nil {
			t.Fatal(err)
		}
		q := makeQueue(t, s, labelling.Plan{Blind: true, Annotators: 2})
		labels, err := s.labels()
		if err != nil {
			t.Fatal(err)
		}
		for who, verdict := range map[string]string{"lee": "pass", "mo": "fail"} {
			l := labelling.Label{ID: q.ID + who, AnswerID: q.Answer("retail-06"), Annotator: who, Verdict: verdict, Note: "it has 12345678901234567890.0123456789", Queue: q.ID}
			if _, err := labels.Save(t.Context(), q, l); err != nil {
				t.Fatal(err)
			}
		}
		kim := &browser{t: t, site: s, who: identity.Caller{Name: "kim", Roles: []identity.Role{identity.Admin}}}
		all := ""
		for _, address := range []string{labelAddress(q.ID, "retail-06"), adjudicateAddress(q.ID)} {
			_, body := kim.do(http.MethodGet, address, nil)
			all += body
		}
		return all
	}
	const secret = "12345678901234567890.01234567"
	if n := strings.Count(show(), secret); n < 3 {
		t.Errorf("what is not masked is there %d times: the test cannot fail", n)
	}
	if hidden := show("exact"); strings.Contains(hidden, secret) || !strings.Contains(hidden, "are masked") {
		t.Error("what is masked is shown")
	}
}

// TestHostileLabelling holds that hostile texts stay texts on the pages of labelling.
func TestHostileLabelling(t *testing.T) {
	s := siteOver(t, sitetest.Open(t, sitetest.HostileStore(t)))
	labels, err := s.labels()
	if err != nil {
		t.Fatal(err)
	}
	kim := as(s, identity.Admin)
	texts := sitetest.Hostile()
	list := store.State{RunID: scoring.RunID{ID: sitetest.Plain.ID, By: sitetest.Plain.By}, Mode: store.All}
	ids, err := labelling.Cases(t.Context(), s.o.Warehouse, s.o.Metrics, list)
	if err != nil || len(ids) != len(texts) {
		t.Fatal(len(ids), err)
	}
	free := func(text string) bool { return !strings.ContainsRune(text, 0) && len(text) < 180 }
	pwned := func(p *seen) {
		t.Helper()
		if n := p.Find("pwned, [data-pwned], #pwned, iframe, object, embed, base, [onerror], [onload], [onclick], [onmouseover], [style]").Length(); n > 0 || p.status != http.StatusOK {
			t.Errorf("%.300s: status %d, %d elements of an attacker", p.address, p.status, n)
		}
	}
	n := 0
	for i := 0; i < len(texts); i += 7 {
		text := texts[i].Text
		if !free(text) || left(i/7, len(texts)/7+1) {
			continue
		}
		q, err := labels.Make(t.Context(), labelling.Plan{Name: text, Guideline: text, By: text, List: list, Annotators: 3, Most: 1}, ids[i:])
		if err != nil {
			t.Fatal(err)
		}
		for j, who := range []string{text, "other"} {
			l := labelling.Label{ID: q.ID + who[:1] + "x", AnswerID: q.Answer(ids[i]), Annotator: who, Verdict: []string{"pass", "fail"}[j], Note: text, Queue: q.ID}
			l.ID = strings.Map(func(r rune) rune {
				if r > 'a' && r < 'z' {
					return r
				}
				return -1
			}, l.ID) + string(rune('a'+j))
			if _, err := labels.Save(t.Context(), q, l); err != nil {
				t.Fatal(err)
			}
		}
		for _, address := range []string{queueAddress(q.ID), labelAddress(q.ID, ids[i]), adjudicateAddress(q.ID)} {
			p := visit(t, kim, address, texts[i].Name)
			pwned(p)
			p.Find("script, style, head").Remove()
			if !strings.Contains(p.Text(), texts[i].Mark) {
				t.Errorf("%s: %s does not show it", texts[i].Name, address)
			}
		}
		n++
	}
	pwned(visit(t, kim, queuesAddress(), ""))
	if n < some(20) {
		t.Errorf("%d texts were shown", n)
	}
}
