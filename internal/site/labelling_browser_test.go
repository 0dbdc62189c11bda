//go:build !no_duckdb

package site

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	fakebrowser "github.com/badger-eval/badger/internal/fake/browser"
	"github.com/badger-eval/badger/internal/labelling"
	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// TestScript tests the parts of the script that need no page.
func TestScript(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node to run the script with")
	}
	if out, err := exec.CommandContext(t.Context(), node, "--test", "testdata/site_test.js").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if size := len(assets()["site.js"].data); size > 20<<10 {
		t.Errorf("the script has %d bytes, want at most %d", size, 20<<10)
	}
}

// TestLabelByKeys labels in a browser by keys alone, over a network that fails and a page that is
// loaded again, and finds every label once.
func TestLabelByKeys(t *testing.T) {
	s := siteOver(t, sitetest.Open(t, sitetest.Small(t)))
	b := fakebrowser.Start(t)
	q := makeQueue(t, s, labelling.Plan{Most: 25})
	var down atomic.Bool // the server answers what is sent with an error
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if down.Load() && r.Method == http.MethodPost {
			http.Error(rw, "down", http.StatusBadGateway)
			return
		}
		s.ServeHTTP(rw, r.WithContext(identity.With(r.Context(), identity.Caller{Name: "kim", Roles: []identity.Role{identity.Label}})))
	}))
	defer server.Close()
	tab := b.Tab(t, fakebrowser.Options{})
	here := func() string {
		t.Helper()
		u, err := url.Parse(tab.Address())
		if err != nil {
			t.Fatal(err)
		}
		return u.Query().Get("case")
	}
	labels := func() map[string]string {
		t.Helper()
		rows, err := s.o.Warehouse.LoggedLabels(t.Context(), store.LabelFilter{Queue: q.ID, Newest: true}, 0)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		for _, l := range rows {
			out[l.CaseID] = strings.TrimSpace(l.Verdict + " " + l.Note)
		}
		return out
	}
	if got := tab.Go(server.URL + labelAddress(q.ID, "")); got != http.StatusOK {
		t.Fatalf("status %d", got)
	}
	want := map[string]string{}
	took := func(f func()) time.Duration {
		begin := time.Now()
		f()
		return time.Since(begin)
	}
	var slowest time.Duration
	first := some(20)
	for i := range first {
		at := here()
		if want[at] != "" {
			t.Fatalf("%s is given again", at)
		}
		verdict := []string{"pass", "fail", "unsure"}[i%3]
		want[at] = verdict
		tab.Press(fmt.Sprint(1 + i%3))
		tab.Wait(`document.querySelector("form[data-keys] .saved").textContent === "saved"`)
		if i == 4 { // a note, in which keys are letters
			tab.Press("n")
			tab.Press("just 1 s")
			want[at] += " just 1 s"
			tab.Wait(`document.querySelector("form[data-keys] .saved").textContent === "saved" && document.querySelector("textarea").value === "just 1 s"`)
			fakebrowser.Eval[bool](tab, `document.querySelector("textarea").blur() || true`)
		}
		slowest = max(slowest, took(func() {
			tab.Press("\r")
			tab.Wait(fmt.Sprintf(`new URLSearchParams(location.search).get("case") !== %q && document.querySelector("main h1") !== null`, at))
		}))
	}
	t.Logf("key to next case, at most: %v", slowest)
	for deadline := time.Now().Add(10 * time.Second); !maps.Equal(labels(), want) && time.Now().Before(deadline); { // what was typed last is still on its way
		time.Sleep(20 * time.Millisecond)
	}
	same := func(when string) {
		t.Helper()
		got := labels()
		for id, verdict := range want {
			if got[id] != verdict {
				t.Errorf("%s: %s is %q, want %q", when, id, got[id], verdict)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: %d labels, want %d", when, len(got), len(want))
		}
	}
	same("by keys")

	// The server is down, and the page is loaded again: the label is kept and sent afterwards.
	at := here()
	down.Store(true)
	tab.Press("2")
	tab.Wait(`document.querySelector("form[data-keys] .saved").textContent.startsWith("not saved yet")`)
	same("while the server is down")
	tab.Go(server.URL + labelAddress(q.ID, at))
	down.Store(false)
	want[at] = "fail"
	tab.Wait(`JSON.parse(localStorage.getItem("badger.unsent")).length === 0`)
	same("after the server came back")

	// Undo, and what is refused is said.
	tab.Go(server.URL + labelAddress(q.ID, at))
	tab.Press("u")
	tab.Wait(`document.querySelector("form[data-keys] button[aria-pressed=true]") === null`)
	want[at] = labelling.Withdrawn
	same("after undo")
	fakebrowser.Eval[bool](tab, `(document.querySelector("form[data-keys] input[name=as]").value = document.querySelector("[data-as]").dataset.as = "somebody") !== ""`)
	tab.Press("1")
	tab.Wait(`document.querySelector("#refused")?.textContent.includes("and you are kim")`)
	same("refused")

	// Keys can be switched off, and only their map, the theme and labels are stored.
	tab.Press("?")
	tab.Wait(`document.querySelector("dialog[open]") !== null`)
	fakebrowser.Eval[bool](tab, `document.querySelector("#keyson").click() || document.querySelector("dialog button[value=keep]").click() || true`)
	tab.Wait(`document.querySelector("dialog") === null && document.querySelectorAll("kbd.key").length === 0`)
	tab.Press("2")
	same("with keys switched off")
	if stored := fakebrowser.Eval[string](tab, `Object.keys(localStorage).sort().join() + document.cookie`); stored != "badger.keys,badger.unsent" {
		t.Errorf("stored are %s", stored)
	}
}

// TestLabellingPagesInBrowser looks at the pages of labelling as TestInBrowser looks at the others,
// which find no queue.
func TestLabellingPagesInBrowser(t *testing.T) {
	s := siteOver(t, sitetest.Open(t, sitetest.Small(t)))
	b := fakebrowser.Start(t)
	open := makeQueue(t, s, labelling.Plan{Name: "open", Guideline: "Compare the answer with the question.", Annotators: 2, Most: 8, Order: labelling.Disagreement})
	blind := makeQueue(t, s, labelling.Plan{Name: "blind", Blind: true, Most: 3, ReasonRequired: true})
	labels, err := s.labels()
	if err != nil {
		t.Fatal(err)
	}
	items, err := labels.Items(t.Context(), open, "", 1, 4)
	if err != nil {
		t.Fatal(err)
	}
	for i, item := range items {
		for who, verdict := range map[string]string{"kim": "pass", "lee": []string{"fail", "pass"}[i%2]} {
			l := labelling.Label{ID: fmt.Sprint(who, i), AnswerID: open.Answer(item.CaseID), Annotator: who, Verdict: verdict, Note: "The alias differs.\nThe count is right.", Queue: open.ID}
			if _, err := labels.Save(t.Context(), open, l); err != nil {
				t.Fatal(err)
			}
		}
	}
	rest, err := labels.Items(t.Context(), open, "", 5, 4)
	if err != nil {
		t.Fatal(err)
	}
	hidden, err := labels.Items(t.Context(), blind, "", 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(remembered(as(s, identity.Admin)))
	defer server.Close()
	sample := []sampled{
		{"error", "/label?queue=none"}, {"queues", queuesAddress()}, {"queue", queueAddress(open.ID)}, {"adjudicate", adjudicateAddress(open.ID)},
		{"newqueue", newQueueAddress(store.State{RunID: judgedRun, Mode: store.Failed})}, {"label-blind", labelAddress(blind.ID, hidden[0].CaseID)},
	}
	for i, item := range append(items[:1], rest...) {
		sample = append(sample, sampled{fmt.Sprint("label-", i), labelAddress(open.ID, item.CaseID)})
	}
	lookAt(t, b, server.URL, sample)
}
