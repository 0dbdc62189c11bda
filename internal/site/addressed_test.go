//go:build !no_duckdb

package site

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// An address that leaves out the agent, the version or the batch of a run shows the only run that
// fits, offers several to choose from, and says what is missing if there is none. Of the parts that suffice, each page
// is tried with one, and of the pages one in three; where tests are thorough, all.
func TestAddressOfARunInPart(t *testing.T) {
	w := sitetest.Open(t, sitetest.Small(t))
	if err := w.WriteRuns(t.Context(), store.Run{RunID: scoring.RunID{ID: "twice", By: scoring.By{Agent: "atlas", Version: "1.0", Batch: "b1"}}, Status: "done"}, store.Run{RunID: scoring.RunID{ID: "twice", By: scoring.By{Agent: "atlas", Version: "2.0", Batch: "b2"}}, Status: "done"}); err != nil {
		t.Fatal(err)
	}
	h := as(siteOver(t, w), identity.Read)
	for _, path := range sample.Of([]string{"/run?", "/cases?mode=failed&", "/case?case=bank-01&", "/failures?", "/suspects?", "/cost?", "/export?format=csv&"}, 3) {
		whole := visit(t, h, path+store.RunValues(nightOne).Encode(), "")
		parts := []string{"run=night-1.0", "run=night-1.0&version=1.0", "run=night-1.0&batch=atlas-1.0"}
		for i, part := range parts {
			if !thorough && i != sample.One(path, len(parts)) {
				continue
			}
			p := visit(t, h, path+part, "")
			if p.status != http.StatusOK || p.body != whole.body {
				t.Errorf("%s%s: status %d, or another page than with the whole address", path, part, p.status)
			}
		}
		p := visit(t, h, path+"run=twice", "")
		if to := p.Find("main ul a"); p.status != http.StatusNotFound || to.Length() != 2 || !strings.Contains(to.Eq(1).AttrOr("href", "")+to.Eq(0).AttrOr("href", ""), "version=2.0") || !strings.Contains(p.body, "agent and version and batch") {
			t.Errorf("%srun=twice: status %d, %d choices", path, p.status, to.Length())
		}
		if p := visit(t, h, path+"run=twice&version=2.0", ""); strings.Contains(p.body, "The address may mean") {
			t.Errorf("%srun=twice&version=2.0 is still not clear", path)
		}
		if p := visit(t, h, path+"run=none", ""); p.status != http.StatusNotFound || !strings.Contains(p.body, "there is no run") {
			t.Errorf("%srun=none: status %d", path, p.status)
		}
	}
	none := scoring.RunID{ID: "none", By: scoring.By{Agent: "atlas", Version: "1.0", Batch: "atlas-1.0"}}
	for _, address := range []string{
		compareAddress(sides{From: nightOne, To: []scoring.RunID{none}}), compareAddress(sides{From: none, To: []scoring.RunID{nightTwo}}), trendAddress(trendState{Agent: "zzz", Last: lastBatches}),
	} {
		if p := visit(t, h, address, ""); p.status != http.StatusNotFound {
			t.Errorf("%s: status %d, want 404", address, p.status)
		}
	}
}

func TestWrongMethods(t *testing.T) {
	h := as(siteOf(t, sitetest.Small(t)), identity.Admin)
	for _, c := range []struct{ method, path, allow string }{{"DELETE", "/", "GET, HEAD"}, {"POST", "/cases", "GET, HEAD"}, {"PUT", "/label", "GET, HEAD, POST"}} {
		rw := httptest.NewRecorder()
		h.ServeHTTP(rw, httptest.NewRequest(c.method, "http://127.0.0.1"+c.path, nil))
		allow := strings.Split(rw.Header().Get("Allow"), ", ")
		slices.Sort(allow)
		if rw.Code != http.StatusMethodNotAllowed || strings.Join(allow, ", ") != c.allow {
			t.Errorf("%s %s: status %d, allowed %v", c.method, c.path, rw.Code, allow)
		}
	}
	rw := httptest.NewRecorder()
	h.ServeHTTP(rw, httptest.NewRequest(http.MethodPost, "http://127.0.0.1/nowhere", nil))
	if rw.Code != http.StatusNotFound {
		t.Errorf("a page that is not there: status %d", rw.Code)
	}
}

// Beyond the last row the page of a case says so, and leads back.
func TestCaseBeyondItsLastRow(t *testing.T) {
	h := showcaseSite(t)
	p := seeCase(t, h, "a long one", func(s *caseState) { s.Show, s.From = 31, 100_000 })
	if said := p.Find("#cells ~ p.notice").First().Text(); !strings.Contains(said, "The rows end before") || !strings.Contains(said, "450") {
		t.Errorf("it says %q", said)
	}
	back := p.Find("nav[aria-label=Rows] a").Eq(1)
	if q := visit(t, h, back.AttrOr("href", ""), ""); q.Find("table.cells tbody tr").Length() == 0 && !strings.Contains(q.body, "customer") && strings.Contains(q.body, "The rows end before") {
		t.Errorf("%s leads beyond the last row, too", back.AttrOr("href", ""))
	}
}

// If the database has scores only, the page says that the question is not stored, not that it has
// no accepted answer, and takes the relation from its score.
func TestCaseWithoutItsQuestion(t *testing.T) {
	w := showcaseStore(t)
	for _, table := range []string{"golden_set", "agent_runs"} {
		if err := w.Exec(t.Context(), "DELETE FROM badger."+table); err != nil {
			t.Fatal(err)
		}
	}
	p := seeCase(t, as(siteOver(t, w), identity.Read), "sales", nil)
	said := strings.Join(words(p.Find("p.notice")), " ")
	if !strings.Contains(said, "are not stored in this database") || strings.Contains(said, "has no accepted answer") || strings.Contains(said, "another accepted answer") {
		t.Errorf("it says %q", said)
	}
	if p.Find("#relation").Length() != 1 {
		t.Error("the relation of the score is not shown")
	}
}

// All cases of a list have the same metric at their head: that of the list.
func TestHeadlineIsThatOfTheList(t *testing.T) {
	h := showcaseSite(t)
	for metric, shown := range map[string]string{"": "", "ex_bird": "Checked: Same rows (BIRD).", "verdict": "Checked: Verdict."} {
		heads := map[string]bool{}
		for _, id := range []string{"sales", "a long one", "z failed"} {
			p := seeCase(t, h, id, func(s *caseState) { s.List.Metric = metric })
			heads[p.Find("p.verdict .by").Text()] = true
		}
		if len(heads) != 1 || metric != "" && !heads[shown] {
			t.Errorf("list by %q: the pages of its cases are headed by %v", metric, heads)
		}
	}
}

// What steers a terminal or turns the direction of writing is a symbol in lists, too.
func TestListsShowWhatIsNotSeen(t *testing.T) {
	w := sitetest.Open(t, sitetest.Small(t))
	const text = "x\x1b[31my\u202ez"
	for _, statement := range []string{
		"UPDATE badger.golden_set SET question = '" + text + "', tags = '[\"x\\u001b[31my\\u202ez\"]'", "UPDATE badger.scores SET reason = '" + text + "', label = CASE WHEN label <> '' THEN '" + text + "' END, agent_name = agent_name",
	} {
		if err := w.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	h := as(siteOver(t, w), identity.Read)
	for _, address := range []string{runAddress(nightOne), casesAddress(store.State{RunID: nightOne, Mode: store.All, Columns: []string{"relation"}}), pairsAddress(pairs{From: nightOne, To: nightTwo, Metric: "hybrid_ex", Page: 1})} {
		p := visit(t, h, address, "")
		if p.status != http.StatusOK || p.Find("main i.symbol").Length() == 0 {
			t.Errorf("%s: status %d, no symbol", p.path(), p.status)
		}
		if strings.ContainsAny(p.Find("main").Text(), "\x1b\u202e") {
			t.Errorf("%s holds the characters themselves", p.path())
		}
	}
}
