//go:build !no_duckdb

package site

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/badger-eval/badger/internal/labelling"
	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// TestRefusedFormComesBack sends forms that are refused: the page comes back with what was typed and
// why, and sent again as it is corrected it is saved.
func TestRefusedFormComesBack(t *testing.T) {
	s := siteOver(t, sitetest.Open(t, sitetest.Small(t)))
	q := makeQueue(t, s, labelling.Plan{Most: 3, ReasonRequired: true})
	kim := &browser{t: t, site: s, who: identity.Caller{Name: "kim", Roles: []identity.Role{identity.Label}}}
	at, page := kim.open(labelAddress(q.ID, ""))
	form := sends(page.Find("form.label"))
	outside, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	_, casePage := kim.open(caseAddress(store.State{RunID: judgedRun, Mode: store.All}, outside.Query().Get("case")))
	for name, tc := range map[string]struct {
		form    *goquery.Selection
		verdict string
		note    string
		why     string
	}{
		"no reason":             {page.Find("form.label"), "fail", "", "the note is missing"},
		"a note that is long":   {page.Find("form.label"), "pass", strings.Repeat("ж", 10_001), "note: 10001 characters, expected at most 10000"},
		"on the page of a case": {casePage.Find("form.label"), "pass", strings.Repeat("ж", 10_001), "note: 10001 characters"},
		"no such verdict":       {page.Find("form.label"), "perhaps", "<b>odd</b>", "the verdict is"},
	} {
		v := sends(tc.form)
		v.Set("verdict", tc.verdict)
		v.Set("note", tc.note)
		v.Set("ambiguous", "1")
		res, body := kim.do(http.MethodPost, "/label", v)
		d, err := goquery.NewDocumentFromReader(strings.NewReader(body))
		if err != nil || res.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %d %v", name, res.StatusCode, err)
			continue
		}
		again := d.Find("form.label")
		got := sends(again)
		if got.Get("note") != tc.note || got.Get("ambiguous") != "1" || got.Get("gold_wrong") != "" || got.Get("case") != v.Get("case") || got.Get("queue") != v.Get("queue") {
			t.Errorf("%s: what comes back is %.300v", name, got)
		}
		if pressed := again.Find("button[aria-pressed=true]").AttrOr("value", ""); tc.verdict != "perhaps" && pressed != tc.verdict {
			t.Errorf("%s: %q is chosen, want %q", name, pressed, tc.verdict)
		}
		if why := d.Find(".labelbox [role=alert]").Text(); !strings.Contains(why, tc.why) {
			t.Errorf("%s: it says %q, want %q", name, why, tc.why)
		}
	}

	// As many characters as the field takes are taken, also with line ends, which forms send as two.
	longest := strings.Repeat("ж", 9_998) + "\r\nж"
	form.Set("verdict", "fail")
	form.Set("note", longest)
	if res, body := kim.do(http.MethodPost, "/label", form); res.StatusCode != http.StatusSeeOther {
		t.Errorf("10000 characters: %d\n%.500s", res.StatusCode, body)
	}
	// The same form with another verdict comes back, and is saved when it is sent again.
	form.Set("verdict", "pass")
	res, body := kim.do(http.MethodPost, "/label", form)
	d, err := goquery.NewDocumentFromReader(strings.NewReader(body))
	if err != nil || res.StatusCode != http.StatusBadRequest || d.Find("form.label button[aria-pressed=true]").AttrOr("value", "") != "pass" {
		t.Fatalf("the form a second time: %d %v\n%.500s", res.StatusCode, err, body)
	}
	kim.send(d.Find("form.label"), url.Values{"verdict": {"pass"}})
	store, err := s.labels()
	if err != nil {
		t.Fatal(err)
	}
	mine, err := store.Mine(t.Context(), labelling.Label{AnswerID: q.Answer(outside.Query().Get("case")), Annotator: "kim", Queue: q.ID})
	if err != nil || mine == nil || mine.Verdict != "pass" {
		t.Errorf("%+v, %v", mine, err)
	}
}

// TestErrorsForScripts holds that whoever asks for JSON is told of errors as JSON.
func TestErrorsForScripts(t *testing.T) {
	s := siteOver(t, sitetest.Open(t, sitetest.Small(t)))
	q := makeQueue(t, s, labelling.Plan{Most: 2})
	for address, want := range map[string]int{"/label": http.StatusForbidden, "/nowhere": http.StatusNotFound} {
		b := &browser{t: t, site: s, who: identity.Caller{Name: "reader", Roles: []identity.Role{identity.Read}}}
		res, body := b.do(http.MethodPost, address, url.Values{"queue": {q.ID}}, "Accept", "application/json")
		var got struct{ Error, ID string }
		if err := json.Unmarshal([]byte(body), &got); err != nil || res.StatusCode != want || got.Error == "" || got.ID == "" || res.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %s %v %.200s", address, res.StatusCode, res.Header.Get("Content-Type"), err, body)
		}
	}
}

// TestBlindQueueHidesItsFilter holds that raters of a blind queue are not told why its cases are there.
func TestBlindQueueHidesItsFilter(t *testing.T) {
	s := siteOver(t, sitetest.Open(t, sitetest.Small(t)))
	blind, open := makeQueue(t, s, labelling.Plan{Most: 2, Blind: true}), makeQueue(t, s, labelling.Plan{Most: 2})
	if blind.Name != "blind "+blind.ID || open.Name == "" || strings.HasPrefix(open.Name, "blind") {
		t.Errorf("the queues are called %q and %q", blind.Name, open.Name)
	}
	for role, want := range map[identity.Role]int{identity.Label: 0, identity.Admin: 1} {
		b := &browser{t: t, site: s, who: identity.Caller{Name: "kim", Roles: []identity.Role{role}}}
		_, page := b.open(queueAddress(blind.ID))
		if n := page.Find("dl.facts a[href^='/cases']").Length(); n != want {
			t.Errorf("%s: %d links to the list of a blind queue, want %d", role, n, want)
		}
		_, page = b.open(queueAddress(open.ID))
		if n := page.Find("dl.facts a[href^='/cases']").Length(); n != 1 {
			t.Errorf("%s: %d links to the list of an open queue", role, n)
		}
	}
}

// TestQueuesShowProgress holds that the list of queues says how many answers are done.
func TestQueuesShowProgress(t *testing.T) {
	s := siteOver(t, sitetest.Open(t, sitetest.Small(t)))
	makeQueue(t, s, labelling.Plan{Name: "only", Most: 3})
	kim := &browser{t: t, site: s, who: identity.Caller{Name: "kim", Roles: []identity.Role{identity.Admin}}}
	_, page := kim.open("/queues")
	at, _ := page.Find("tbody th a").Attr("href")
	_, page = kim.open(at)
	_, page = kim.open(page.Find("a.button[href^='/label/next']").AttrOr("href", ""))
	kim.send(page.Find("form.label"), url.Values{"verdict": {"pass"}})
	_, page = kim.open("/queues")
	var columns []string
	page.Find("thead th").Each(func(_ int, th *goquery.Selection) { columns = append(columns, th.Text()) })
	for i, name := range columns {
		cell := page.Find("tbody tr").First().Children().Eq(i).Text()
		if name == "cases" && cell != "3" || name == "done" && cell != "1" {
			t.Errorf("%s: %s", name, cell)
		}
	}
	if !strings.Contains(strings.Join(columns, " "), "cases done") {
		t.Errorf("the columns are %q", columns)
	}
	// Undoing twice brings it back, and undoing nothing is told on the page of the queue.
	lee := &browser{t: t, site: s, who: identity.Caller{Name: "lee", Roles: []identity.Role{identity.Label}}}
	_, page = lee.open(labelAddress(strings.TrimPrefix(at, "/queue?queue="), ""))
	if _, page = lee.send(page.Find("form[data-undo]"), nil); !strings.Contains(page.Find(".notice").Text(), "nothing to undo") {
		t.Errorf("undoing nothing says %q", page.Find(".notice").Text())
	}
}

// TestCompareLeadsToLabel holds that a case of a comparison is one link away from its label box.
func TestCompareLeadsToLabel(t *testing.T) {
	s := siteOver(t, sitetest.Shared(t))
	address := pairsAddress(pairs{From: nightOne, To: nightTwo, Metric: "hybrid_ex"})
	for role, labels := range map[identity.Role]bool{identity.Read: false, identity.Label: true} {
		b := &browser{t: t, site: s, who: identity.Caller{Name: "kim", Roles: []identity.Role{role}}}
		_, page := b.open(address)
		rows, links := page.Find("tbody tr").Length(), page.Find("tbody td a[href$='#label']")
		if rows == 0 || labels && links.Length() != rows || !labels && links.Length() != 0 {
			t.Errorf("%s: %d links in %d rows", role, links.Length(), rows)
			continue
		}
		if labels {
			to, _, _ := strings.Cut(links.First().AttrOr("href", ""), "#")
			if _, page = b.open(to); page.Find("#label form.label").Length() != 1 {
				t.Errorf("%s has no label box", to)
			}
		}
	}
}
