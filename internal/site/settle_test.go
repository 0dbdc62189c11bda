//go:build !no_duckdb

package site

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/badger-eval/badger/internal/labelling"
	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

func visitor(t *testing.T, s *Site, name string, role identity.Role) *browser {
	t.Helper()
	return &browser{t: t, site: s, who: identity.Caller{Name: name, Roles: []identity.Role{role}}}
}

// divided makes a queue of one case of which kim says fail and lee says pass.
func divided(t *testing.T, s *Site, blind bool) (*labelling.Queue, string) {
	t.Helper()
	q := makeQueue(t, s, labelling.Plan{Most: 1, Annotators: 2, Blind: blind})
	store, err := s.labels()
	if err != nil {
		t.Fatal(err)
	}
	items, err := store.Items(t.Context(), q, "", 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	for who, verdict := range map[string]string{"kim": "fail", "lee": "pass"} {
		l := labelling.Label{ID: q.ID + who, AnswerID: q.Answer(items[0].CaseID), Annotator: who, Verdict: verdict, Queue: q.ID, AnswerHash: "00000000000000aa"}
		if _, err := store.Save(t.Context(), q, l); err != nil {
			t.Fatal(err)
		}
	}
	return q, items[0].CaseID
}

// TestWhoSettles holds that whoever labelled a case does not settle it, unless they are an admin, and
// that the third verdict carries the answer that was shown and can be taken back.
func TestWhoSettles(t *testing.T) {
	s := siteOver(t, sitetest.Open(t, sitetest.Small(t)))
	q, caseID := divided(t, s, false)
	kim, sam, ann := visitor(t, s, "kim", identity.Label), visitor(t, s, "sam", identity.Label), visitor(t, s, "kim", identity.Admin)
	_, page := kim.open(adjudicateAddress(q.ID))
	if page.Find("form.label").Length() != 0 || !strings.Contains(page.Find(".conflict .notice").Text(), "you labelled this case yourself") {
		t.Errorf("a rater sees %s", page.Find("main").Text())
	}
	_, page = sam.open(adjudicateAddress(q.ID))
	form := page.Find("form.label")
	forged := sends(form)
	forged.Set("as", "kim")
	forged.Set("verdict", "pass")
	if res, _ := kim.do(http.MethodPost, "/label", forged); res.StatusCode != http.StatusForbidden {
		t.Errorf("a rater who forges the form: %d", res.StatusCode)
	}
	decisions := func() (out []labelling.Label) {
		t.Helper()
		rows, err := s.o.Warehouse.LoggedLabels(t.Context(), store.LabelFilter{Queue: q.ID, Newest: true}, 0)
		if err != nil {
			t.Fatal(err)
		}
		return slices.DeleteFunc(rows, func(l labelling.Label) bool { return !l.Decides })
	}
	if got := decisions(); len(got) != 0 {
		t.Errorf("written: %+v", got)
	}
	one, err := s.o.Warehouse.LabelledCase(t.Context(), q.Answer(caseID))
	if err != nil {
		t.Fatal(err)
	}
	_, page = sam.send(form, url.Values{"verdict": {"pass"}})
	if got := decisions(); len(got) != 1 || got[0].AnswerHash != labelling.AnswerHash(one) || got[0].Annotator != "sam" {
		t.Errorf("settled: %+v", got)
	}
	if strings.Contains(page.Text(), "labelled it, too") {
		t.Error("sam labelled nothing")
	}
	_, page = sam.send(page.Find("form[action='/label/undo']"), nil)
	if got := decisions(); len(got) != 1 || got[0].Verdict != labelling.Withdrawn || !strings.Contains(page.Find(".conflict .status").Text(), "open") {
		t.Errorf("taken back: %+v", got)
	}
	_, page = ann.open(adjudicateAddress(q.ID)) // kim, who is an admin now
	_, page = ann.send(page.Find("form.label"), url.Values{"verdict": {"fail"}})
	if !strings.Contains(page.Find(".conflict").Text(), "labelled it, too") {
		t.Errorf("an admin settles what they labelled: %s", page.Find("main").Text())
	}
	// u on a page of the queue takes the third verdict back, which was last, and leads to it.
	at, _ := ann.send(must(ann, labelAddress(q.ID, caseID)).Find("form[data-undo]"), nil)
	if !strings.HasPrefix(at, "/adjudicate?") {
		t.Errorf("undo leads to %s", at)
	}
}

// TestBlindRaters holds that annotators of a blind queue learn nothing of what others did until it is
// closed.
func TestBlindRaters(t *testing.T) {
	s := siteOver(t, sitetest.Open(t, sitetest.Small(t)))
	q, caseID := divided(t, s, true)
	kim, boss := visitor(t, s, "kim", identity.Label), visitor(t, s, "boss", identity.Admin)
	page := must(kim, queueAddress(q.ID))
	if text := page.Find("main").Text(); strings.Contains(text, "differ") || strings.Contains(text, "kappa") || strings.Contains(text, "done") || page.Find("thead th").Length() != 3 || page.Find("main a[href^='/cases']").Length() != 0 {
		t.Errorf("a rater sees %s", text)
	}
	if res, _ := kim.do(http.MethodGet, adjudicateAddress(q.ID), nil); res.StatusCode != http.StatusForbidden {
		t.Errorf("a rater sees where people differ: %d", res.StatusCode)
	}
	if text := must(boss, queueAddress(q.ID)).Find("main").Text(); !strings.Contains(text, "conflicting labels") || !strings.Contains(text, "over 1 pair of labels") || !strings.Contains(text, "kim, lee") {
		t.Errorf("an admin sees %s", text)
	}
	if must(boss, adjudicateAddress(q.ID)).Find("form.label").Length() != 1 {
		t.Error("an admin cannot settle")
	}
	if res, _ := boss.do(http.MethodPost, "/queue/close", url.Values{"queue": {q.ID}}); res.StatusCode != http.StatusSeeOther {
		t.Fatalf("closing: %d", res.StatusCode)
	}
	if !strings.Contains(must(kim, queueAddress(q.ID)).Find("main").Text(), "conflicting labels") {
		t.Error("once it is closed a rater sees nothing")
	}
	must(kim, adjudicateAddress(q.ID))
	// A closed queue says so wherever it is met.
	if !strings.Contains(must(kim, labelAddress(q.ID, caseID)).Find(".notice").Text(), "This queue was closed") {
		t.Error("the page of a case does not say that the queue is closed")
	}
	if res, _ := kim.do(http.MethodGet, labelAddress(q.ID, ""), nil); res.StatusCode != http.StatusSeeOther || !strings.HasPrefix(res.Header.Get("Location"), "/queue?") {
		t.Errorf("the next of a closed queue: %d %v", res.StatusCode, res.Header)
	}
}

// TestCountOfAPageFetchedAhead holds that a page that is fetched while the case before it is labelled
// counts that case as labelled.
func TestCountOfAPageFetchedAhead(t *testing.T) {
	s := siteOver(t, sitetest.Open(t, sitetest.Small(t)))
	q := makeQueue(t, s, labelling.Plan{Most: 3})
	kim := visitor(t, s, "kim", identity.Label)
	_, first := kim.open(labelAddress(q.ID, ""))
	at, ahead := kim.open(first.Find("[data-ahead]").AttrOr("data-ahead", ""))
	kim.send(first.Find("form.label"), url.Values{"verdict": {"pass"}})
	for name, page := range map[string]*goquery.Document{"ahead": ahead, "loaded again": must(kim, at)} {
		if text := page.Find("p.quiet.broad").First().Text(); text != "2 of 3 left for you" {
			t.Errorf("%s: %q", name, text)
		}
	}
}

// TestFormsOfLabelling holds what a browser without scripts is told of what is not in order.
func TestFormsOfLabelling(t *testing.T) {
	s := siteOver(t, sitetest.Open(t, sitetest.Small(t)))
	q := makeQueue(t, s, labelling.Plan{Most: 1})
	kim := visitor(t, s, "kim", identity.Label)
	at, page := kim.open(labelAddress(q.ID, ""))
	form := sends(page.Find("form.label"))
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	res, _ := kim.do(http.MethodPost, "/label/undo", url.Values{"queue": {q.ID}, "id": {"u0"}})
	if to := res.Header.Get("Location"); res.StatusCode != http.StatusSeeOther || !strings.Contains(must(kim, to).Find(".notice").Text(), "nothing to undo") {
		t.Errorf("undo of nothing: %d %s", res.StatusCode, to)
	}
	for _, seen := range []string{"", "x", "0123456789ABCDEFG", "0123456789abcdeg"} {
		form.Set("verdict", "pass")
		form.Set("answer", seen)
		if res, body := kim.do(http.MethodPost, "/label", form); res.StatusCode != http.StatusBadRequest || !strings.Contains(body, "expected 16 hexadecimal digits") {
			t.Errorf("answer %q: %d", seen, res.StatusCode)
		}
	}
	form.Set("answer", "0123456789abcdef")
	if res, _ := kim.do(http.MethodPost, "/label", form); res.StatusCode != http.StatusSeeOther {
		t.Errorf("%d", res.StatusCode)
	}
	form.Set("verdict", "fail")                                                                     // the same form, another button
	if res, _ := kim.do(http.MethodPost, "/label", form); res.StatusCode != http.StatusBadRequest { // it comes back
		t.Errorf("the same form sent with another verdict: %d", res.StatusCode)
	}
	if must(kim, queueAddress(q.ID)).Find("a.button[href^='/label/next']").Length() != 0 {
		t.Error("all are labelled, and the page offers to go on")
	}
	// An answer that is gone is not to be labelled.
	if err := s.o.Warehouse.Exec(t.Context(), "DELETE FROM badger.agent_runs"); err != nil {
		t.Fatal(err)
	}
	if page := must(kim, labelAddress(q.ID, u.Query().Get("case"))); page.Find("form.label").Length() != 0 || !strings.Contains(page.Find(".warning").Text(), "cannot be shown") {
		t.Errorf("an answer that is gone: %s", page.Find("main").Text())
	}
	lee := visitor(t, s, "lee", identity.Label)
	if gone := must(lee, labelAddress(makeQueue(t, s, labelling.Plan{Most: 2}).ID, "")).Find(".notice").Text(); !strings.Contains(gone, "has no row of the answers") {
		t.Errorf("whoever is given nothing is told %q", gone)
	}
	boss := visitor(t, s, "boss", identity.Admin)
	if warned := must(boss, "/queue/new?run="+url.QueryEscape(q.RunID.ID)+"&agent="+url.QueryEscape(q.Agent)+"&version="+url.QueryEscape(q.Version)+"&batch="+url.QueryEscape(q.Batch)).Find(".warning").Text(); !strings.Contains(warned, "agent_runs has no row of these answers") {
		t.Errorf("who makes a queue is told %q", warned)
	}
}

func must(b *browser, address string) *goquery.Document {
	b.t.Helper()
	_, page := b.open(address)
	return page
}
