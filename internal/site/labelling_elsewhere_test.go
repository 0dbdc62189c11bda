//go:build !no_duckdb

package site

import (
	"net/url"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/labelling"
	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// What somebody says of an answer on the page of its case counts in a queue that holds the case and asks
// them, but not in a blind one, and is taken back there alone.
func TestLabelOnTheCasePageCountsInItsQueue(t *testing.T) {
	w := sitetest.Open(t, sitetest.Small(t))
	s := siteOver(t, w)
	lee := &browser{t: t, site: s, who: identity.Caller{Name: "lee", Roles: []identity.Role{identity.Label, identity.Read}}}
	labels := &labelling.Store{Warehouse: w}
	list := store.State{RunID: judgedRun, Mode: store.All}
	cases, err := labelling.Cases(t.Context(), w, nil, list)
	if err != nil || len(cases) < 3 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	newQueue := func(blind bool, cases ...string) *labelling.Queue {
		t.Helper()
		q, err := labels.Make(t.Context(), labelling.Plan{Name: "a queue", List: list, Blind: blind, Annotators: 2, Options: []string{"pass", "fail", "partly"}}, cases)
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	mine := func(q *labelling.Queue, caseID string) string {
		t.Helper()
		l, err := labels.Mine(t.Context(), labelling.Label{AnswerID: q.Answer(caseID), Annotator: "lee", Queue: q.ID})
		if err != nil {
			t.Fatal(err)
		}
		if l == nil {
			return ""
		}
		return l.Verdict
	}
	address := caseAddress(list, cases[0])
	blind := newQueue(true, cases...)
	_, page := lee.open(address)
	at, _ := lee.send(page.Find("form.label"), url.Values{"verdict": {"unsure"}})
	if got := mine(blind, cases[0]); got != "" || at != address {
		t.Errorf("a label with the scores in view is %q in a blind queue; the form leads to %s", got, at)
	}
	open := newQueue(false, cases[:2]...)
	if _, page = lee.open(address); !strings.Contains(page.Find("[data-label] .saved").Text(), "said unsure outside of queues") {
		t.Errorf("what was said before there was the queue is not shown: %s", page.Find("form.label").Text())
	}
	if to := page.Find("form.label a").AttrOr("href", ""); to != queueAddress(open.ID) {
		t.Errorf("the control names no queue: %q", to)
	}
	if page.Find(".labelbox.stays").Length() != 0 {
		t.Error("the control hides what is below it")
	}
	at, page = lee.send(page.Find("form.label"), url.Values{"verdict": {"partly"}})
	if got := mine(open, cases[0]); got != "partly" || at != address {
		t.Errorf("the queue has %q, the form leads to %s", got, at)
	}
	p, err := labels.Progress(t.Context(), open, "lee")
	if err != nil || p.Mine != 1 || p.MyLeft != 1 {
		t.Errorf("%+v, %v, want one labelled and one left", p, err)
	}
	if next, err := labels.Next(t.Context(), open, "lee"); err != nil || next.Item == nil || next.Item.CaseID != cases[1] {
		t.Errorf("next is %+v, %v, want %s", next, err, cases[1])
	}
	// The last label of the queue is of another case; the page takes back its own.
	_, other := lee.open(labelAddress(open.ID, cases[1]))
	lee.send(other.Find("form.label"), url.Values{"verdict": {"fail"}})
	at, page = lee.send(page.Find("form[data-undo]"), nil)
	if a, b := mine(open, cases[0]), mine(open, cases[1]); a != "" || b != "fail" || at != address {
		t.Errorf("after undo %q and %q, at %s", a, b, at)
	}
	if !strings.Contains(page.Find("[data-label] .saved").Text(), "said unsure") {
		t.Errorf("after undo the page says %s", page.Find("[data-label] .saved").Text())
	}
	// Two open queues hold the case: the page names the one that still wants them, shows what they said in
	// the other, and takes that back.
	_, labelled := lee.open(labelAddress(open.ID, cases[0]))
	lee.send(labelled.Find("form.label"), url.Values{"verdict": {"pass"}})
	second := newQueue(false, cases[0])
	if _, page = lee.open(address); page.Find("form[data-undo] input[name=queue]").AttrOr("value", "") != second.ID || !strings.Contains(page.Find("[data-label] .saved").Text(), "said right") {
		t.Errorf("the control of the second queue: %s", page.Find("[data-label]").Text())
	}
	if counts, said := page.Find("[data-label] span:not(.saved) a").AttrOr("href", ""), page.Find("[data-label] .saved a").AttrOr("href", ""); counts != queueAddress(second.ID) || said != queueAddress(open.ID) {
		t.Errorf("the control says that a label counts in %q and was given in %q", counts, said)
	}
	at, page = lee.send(page.Find("form[data-undo]"), nil)
	if a, b := mine(open, cases[0]), mine(second, cases[0]); a == "pass" || b != "" || at != address {
		t.Errorf("after undo %q and %q, at %s", a, b, at)
	}
	if strings.Contains(page.Find("[data-label] .saved").Text(), "said right") {
		t.Error("the page still shows what was taken back")
	}
	// If both have a label, the page shows the newest of them, whichever queue it is in.
	lee.send(page.Find("form.label"), url.Values{"verdict": {"fail"}})
	if got := mine(second, cases[0]); got != "fail" {
		t.Errorf("the second queue has %q", got)
	}
	_, labelled = lee.open(labelAddress(open.ID, cases[0]))
	lee.send(labelled.Find("form.label"), url.Values{"verdict": {"pass"}})
	if _, page = lee.open(address); page.Find("form[data-undo] input[name=queue]").AttrOr("value", "") != open.ID || !strings.Contains(page.Find("[data-label] .saved").Text(), "said right") {
		t.Errorf("the control of the newest label: %s", page.Find("[data-label]").Text())
	}
	if err := labels.Close(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	if err := labels.Close(t.Context(), open); err != nil {
		t.Fatal(err)
	}
	if _, page = lee.open(address); page.Find("form.label input[name=queue]").AttrOr("value", "x") != "" {
		t.Error("a queue that is closed takes labels of the page of the case")
	}
}
