//go:build !no_duckdb

package site

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	fakebrowser "github.com/badger-eval/badger/internal/fake/browser"
	"github.com/badger-eval/badger/internal/labelling"
	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// TestNothingTypedIsLost labels in a browser and leaves pages at once, in each of the ways in which
// somebody leaves them, without a verdict, and with a browser that keeps nothing.
func TestNothingTypedIsLost(t *testing.T) {
	s := siteOver(t, sitetest.Open(t, sitetest.Small(t)))
	b := fakebrowser.Start(t)
	q := makeQueue(t, s, labelling.Plan{Most: 12})
	strict := makeQueue(t, s, labelling.Plan{Most: 4, ReasonRequired: true, Blind: true})
	var status atomic.Int64 // what the server answers to what is sent; 0: it works
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if code := int(status.Load()); code != 0 && r.Method == http.MethodPost {
			http.Error(rw, "no", code)
			return
		}
		s.ServeHTTP(rw, r.WithContext(identity.With(r.Context(), identity.Caller{Name: "kim", Roles: []identity.Role{identity.Label}})))
	}))
	defer server.Close()
	said := func(q *labelling.Queue, caseID string) string {
		t.Helper()
		rows, err := s.o.Warehouse.LoggedLabels(t.Context(), store.LabelFilter{Queue: q.ID, Cases: []string{caseID}, Newest: true}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) == 0 {
			return ""
		}
		return strings.TrimSpace(rows[0].Verdict + " " + rows[0].Note)
	}
	soon := func(what string, q *labelling.Queue, caseID, want string) {
		t.Helper()
		got, pause := said(q, caseID), 5*time.Millisecond
		for end := time.Now().Add(15 * time.Second); got != want && time.Now().Before(end); got = said(q, caseID) {
			time.Sleep(pause)
			pause = min(2*pause, 200*time.Millisecond) // asking often takes the time that is waited for
		}
		if got != want {
			t.Errorf("%s: the store has %q, want %q", what, got, want)
		}
	}
	store, err := s.labels()
	if err != nil {
		t.Fatal(err)
	}
	cases := func(q *labelling.Queue) (ids []string) {
		t.Helper()
		items, err := store.Items(t.Context(), q, "", 1, 20)
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range items {
			ids = append(ids, item.CaseID)
		}
		return ids
	}
	ids, strictIDs := cases(q), cases(strict)
	tab := b.Tab(t, fakebrowser.Options{})
	open := func(q *labelling.Queue, caseID string) {
		t.Helper()
		tab.Go(server.URL + labelAddress(q.ID, caseID))
		tab.Wait(`document.querySelector("[data-save]") !== null`)
	}
	write := func(text string) {
		t.Helper()
		tab.Press("n")
		tab.Wait(`document.activeElement.name === "note"`)
		tab.Press(text)
	}
	const escape = "\u001b"
	ways := []struct {
		name string
		go_  func()
	}{
		{"next", func() { tab.Press(escape); tab.Press("j") }},
		{"previous", func() { tab.Press(escape); tab.Press("k") }},
		{"list", func() { tab.Press(escape); tab.Press("l") }},
		{"another address", func() { tab.Go(server.URL + queuesAddress()) }},
	}
	for i, way := range ways {
		at := ids[1+i]
		open(q, at)
		tab.Press("2")
		write("why " + way.name)
		way.go_()
		tab.Wait(`!location.href.includes("case=` + at + `") && document.readyState === "complete"`)
		soon(way.name, q, at, "fail why "+way.name)
	}

	// A note and a tick without a verdict are kept, and the person is told, there and elsewhere.
	open(q, ids[6])
	write("odd")
	tab.Press(escape)
	fakebrowser.Eval[bool](tab, `document.querySelector("input[name=gold_wrong]").click() || true`)
	tab.Wait(`document.querySelector("form[data-keys] .saved").textContent.includes("choose a verdict")`)
	tab.Press("j")
	tab.Wait(`document.querySelector("#refused")?.textContent.includes("is not saved: choose a verdict")`)
	if got := said(q, ids[6]); got != "" {
		t.Errorf("without a verdict the store has %q", got)
	}
	tab.Click("#refused a")
	tab.Wait(`document.querySelector("form[data-keys] textarea")?.value === "odd" && document.querySelector("input[name=gold_wrong]").checked`)
	tab.Press("1")
	soon("a verdict afterwards", q, ids[6], "pass odd")
	tab.Wait(`document.querySelector("#refused") === null && JSON.parse(localStorage.getItem("badger.unsent")).length === 0`)

	// So is fail without the reason that the queue asks for.
	open(strict, strictIDs[0])
	tab.Press("2")
	tab.Wait(`document.querySelector("form[data-keys] .saved").textContent.includes("wrong needs a note")`)
	tab.Press("n") // leads to the note, and is no text there
	tab.Wait(`document.activeElement.name === "note" && document.activeElement.value === ""`)
	tab.Press(escape)
	tab.Press("j")
	tab.Wait(`document.querySelector("#refused")?.textContent.includes("wrong needs a note")`)
	open(strict, strictIDs[0])
	tab.Wait(`document.querySelector("form[data-keys] button[value=fail]").getAttribute("aria-pressed") === "true"`)
	write("a reason")
	tab.Press("\r", chromedp.ModifierCtrl)
	soon("the reason", strict, strictIDs[0], "fail a reason")

	// A verdict and its note are taken back as one, from the first label of a session on.
	open(q, ids[8])
	tab.Press("2")
	write("both")
	tab.Press(escape)
	tab.Press("u")
	soon("undo", q, ids[8], labelling.Withdrawn)
	tab.Wait(`document.querySelector("form[data-keys] button[aria-pressed=true]") === null && document.querySelector("textarea").value === ""`)

	// d hides what is the same if nothing is compared.
	open(strict, strictIDs[1])
	tab.Press("d")
	tab.Wait(`document.querySelector("[data-only]").getAttribute("aria-pressed") === "true"`)

	// A label that waits is shown on its page after the page is loaded again; the next page comes, and
	// if it does not, the person stays where they are.
	status.Store(http.StatusBadGateway)
	open(q, ids[9])
	tab.Press("3")
	tab.Wait(`document.querySelector("form[data-keys] .saved").textContent.startsWith("not saved yet, kept in this browser")`)
	open(q, ids[9])
	tab.Wait(`document.querySelector("form[data-keys] button[value=unsure]").getAttribute("aria-pressed") === "true"`)
	status.Store(0)
	soon("after it was down", q, ids[9], "unsure")

	// Who is signed out or may no more is told so, and nothing is sent for ever.
	for _, tc := range []struct {
		status int64
		want   string
	}{{http.StatusUnauthorized, "you are signed out"}, {http.StatusForbidden, "the server was restarted"}} {
		open(q, ids[10])
		status.Store(tc.status)
		tab.Press("1")
		tab.Wait(`document.querySelector("#refused")?.textContent.includes("` + tc.want + `")`)
		status.Store(0)
		fakebrowser.Eval[bool](tab, `document.querySelector("#refused button").click() || true`)
		soon(tc.want, q, ids[10], "pass")
		tab.Wait(`document.querySelector("#refused") === null`)
		open(q, ids[10])
		tab.Press("u")
		soon("undo", q, ids[10], labelling.Withdrawn)
		tab.Wait(`document.querySelector("form[data-keys] button[aria-pressed=true]") === null && document.readyState === "complete"`)
	}

	// A browser that keeps nothing: what could not be sent is sent from memory.
	open(q, ids[11])
	fakebrowser.Eval[bool](tab, `(Storage.prototype.setItem = () => { throw new Error("full"); }) && true`)
	status.Store(http.StatusBadGateway)
	tab.Press("2")
	tab.Wait(`document.querySelector("form[data-keys] .saved").textContent.startsWith("not saved yet, stay on this page")`)
	status.Store(0)
	soon("without storage", q, ids[11], "fail")
	tab.Wait(`document.querySelector("form[data-keys] .saved").textContent === "saved"`)

	// On the page of a case a label counts in the queue that has it, undo takes it back there, and d shows
	// only what differs, and all again.
	tab.Click("a[href^='/case?']")
	tab.Wait(`location.pathname === "/case" && document.readyState === "complete"`)
	if got := fakebrowser.Eval[string](tab, `document.querySelector("form[data-keys] input[name=queue]").value`); got != q.ID {
		t.Errorf("a label on the page of the case counts in %q, want %q; %q has %q", got, q.ID, strict.ID, strictIDs)
	}
	tab.Press("1")
	soon("on the page of the case", q, ids[11], "pass")
	tab.Press("u")
	soon("undo on the page of the case", q, ids[11], "fail")
	tab.Wait(`document.querySelector("form[data-keys] button[aria-pressed=true]")?.value === "fail" && document.readyState === "complete"`)
	first := tab.Address()
	tab.Press("d")
	tab.Wait(`location.href !== "` + first + `" && document.readyState === "complete"`)
}

// TestResultsInFirstScreen holds that results are seen without scrolling while somebody labels.
func TestResultsInFirstScreen(t *testing.T) {
	s := siteOver(t, sitetest.Open(t, sitetest.Small(t)))
	b := fakebrowser.Start(t)
	server := httptest.NewServer(as(s, identity.Admin))
	defer server.Close()
	for _, plan := range []labelling.Plan{{Most: 3}, {Most: 3, Blind: true, ReasonRequired: true}} {
		q := makeQueue(t, s, plan)
		tab := b.Tab(t, fakebrowser.Options{})
		tab.Do(chromedp.EmulateViewport(1280, 1000))
		tab.Go(server.URL + labelAddress(q.ID, ""))
		tab.Wait(`document.querySelector("[data-save]") !== null`)
		tab.Picture("first-screen")
		if at := fakebrowser.Eval[float64](tab, `document.querySelector("table.result tbody tr, table.cells tbody tr").getBoundingClientRect().bottom`); at > 700 {
			t.Errorf("blind %v: the first row of a result ends %v from the top", plan.Blind, at)
		}
		if at := fakebrowser.Eval[float64](tab, `document.querySelector(".labelbox").getBoundingClientRect().bottom`); at > 1000 {
			t.Errorf("blind %v: the label box ends %v from the top", plan.Blind, at)
		}
	}
}
