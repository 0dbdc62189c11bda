//go:build !no_duckdb

package main

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/fake/browser"
	"github.com/badger-eval/badger/internal/fake/port"
	"github.com/badger-eval/badger/internal/labelling"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
)

// TestLabelsOutliveTheServer lets two people label one queue in two browsers. The server is killed
// twice, or twenty times where tests are thorough (BADGER_THOROUGH), some milliseconds after a key that
// saves or one that leads on, and started again. Every label that a page said was saved is in the
// store, and each once.
func TestLabelsOutliveTheServer(t *testing.T) {
	b := browser.Start(t)
	path := sitetest.Small(t)
	queue := queueOfTwo(t, path)
	config := filepath.Join(t.TempDir(), "badger.yaml")
	if err := os.WriteFile(config, []byte("results: {warehouse: 'duckdb:"+path+"'}\nreport: {labels: true}\n"+
		"auth: {mode: proxy, peers: [127.0.0.1], header: X-Tester, default_roles: [label]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	at := port.Unused(t)
	args := []string{"serve", "--config", config, "--grpc", port.Unused(t), "--http", at}
	server := startReport(t, args...)
	begin := "http://" + at + "/label/next?" + url.Values{"queue": {queue}}.Encode()

	people := []string{"kim", "lee"}
	tabs := map[string]*browser.Tab{}
	saved := map[string]map[string]string{} // verdicts that pages said were saved, by person and case
	for _, name := range people {
		tabs[name], saved[name] = b.Tab(t, browser.Options{}), map[string]string{}
		tabs[name].Header("X-Tester", name)
		tabs[name].Reach(begin)
	}
	rounds, kills := 3, 2 // after a key that saves, and after one that leads on
	if sample.Thorough() {
		rounds, kills = 30, 20
	}
	lot := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // meant to repeat
	killed := 0
	again := func() { // kills the server shortly after what was pressed, and starts it again
		if killed++; killed > kills {
			return
		}
		time.Sleep(time.Duration(lot.IntN(30)) * time.Millisecond)
		server.kill()
		server = startReport(t, args...)
	}
	for round := range rounds {
		verdict := round % 3
		for i, name := range people {
			tabs[name].Wait("document.querySelector('form[data-keys]') && document.querySelector('[data-save]')")
			tabs[name].Press(fmt.Sprint((verdict+i)%3 + 1))
		}
		if round%2 == 0 {
			again()
		}
		for i, name := range people {
			tab := tabs[name]
			tab.Wait("document.querySelector('form[data-keys] .saved').textContent === 'saved'")
			id := browser.Eval[string](tab, "document.querySelector('form[data-keys]').elements.case.value")
			if was := saved[name][id]; was != "" {
				t.Fatalf("%s is given case %s again, which was saved as %s", name, id, was)
			}
			saved[name][id] = []string{"pass", "fail", "unsure"}[(verdict+i)%3]
			tab.Press("\r")
		}
		if round%2 == 1 {
			again()
		}
		for _, name := range people {
			tab := tabs[name]
			// If the next case had not been fetched yet, the browser may have found nobody.
			if !tab.Soon(time.Second, "document.querySelector('form[data-keys]') && !document.querySelector('form[data-keys] .saved').textContent") {
				tab.Reach(begin)
			}
		}
	}
	if killed < kills {
		t.Errorf("the server was killed %d times, want %d", killed, kills)
	}
	server.kill()
	rows, err := sitetest.Open(t, path).LoggedLabels(t.Context(), store.LabelFilter{Queue: queue}, 0)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]map[string][]string{"kim": {}, "lee": {}}
	for _, r := range rows {
		got[r.Annotator][r.CaseID] = append(got[r.Annotator][r.CaseID], r.Verdict)
	}
	for name, verdicts := range saved {
		if len(verdicts) != rounds {
			t.Errorf("%s labelled %d cases, want %d", name, len(verdicts), rounds)
		}
		for id, verdict := range verdicts {
			if there := got[name][id]; len(there) != 1 || there[0] != verdict {
				t.Errorf("%s was told that %s is saved as %s; the store holds %q", name, id, verdict, there)
			}
		}
		if len(got[name]) != len(verdicts) {
			t.Errorf("the store holds labels of %d cases by %s, want %d", len(got[name]), name, len(verdicts))
		}
	}
}

// queueOfTwo makes a queue in which two people label each case, and returns its id.
func queueOfTwo(t *testing.T, path string) string {
	t.Helper()
	w := sitetest.Open(t, path)
	defer w.Close()
	list := store.State{RunID: scoring.RunID{ID: "judged", By: scoring.By{Agent: "atlas", Version: "2.0", Batch: sitetest.Rerun}}, Mode: store.All}
	ids, err := labelling.Cases(t.Context(), w, metric.All(), list)
	if err != nil {
		t.Fatal(err)
	}
	q, err := (&labelling.Store{Warehouse: w}).Make(t.Context(), labelling.Plan{Name: "two people", List: list, Annotators: 2}, ids)
	if err != nil {
		t.Fatal(err)
	}
	return q.ID
}
