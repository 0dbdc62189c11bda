//go:build !no_duckdb

package site

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/labelling"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// Texts and a number that stand in masked cells and in all that may quote them.
const (
	markedText   = "quokkamark"
	markedNumber = "777123.45"
)

// fillMarked puts the marks into the small store: into the cells of masked columns, the question and
// its hint, queries that can be read and queries that cannot, messages of the database, tags, reasons
// of scores, and notes of people.
const fillMarked = `
UPDATE badger.golden_set SET question = 'Who is quokkamark, with 777,123.45?', evidence = 'quokkamark has 777123.45', tags = '["quokkamark", "777123.45"]';
UPDATE badger.golden_set SET gold_sql = 'SELECT name, email, salary FROM staff WHERE email = ''quokkamark'' AND salary > 777123.45 -- quokkamark',
	gold_result = '{"columns": [{"name": "name", "type": "VARCHAR"}, {"name": "email", "type": "VARCHAR"}, {"name": "salary", "type": "DOUBLE"}], "rows": [["Ada", "quokkamark", 777123.45]]}';
UPDATE badger.agent_runs SET sql = 'SELECT 777123.45, ''quokkamark''', result = '{"columns": [{"name": "777123.45", "type": "DOUBLE"}, {"name": "quokkamark", "type": "VARCHAR"}], "rows": [[777123.45, "quokkamark"]]}';
UPDATE badger.agent_runs SET sql = 'SELECT name FROM ((( staff WHERE x = quokkamark AND 777123.45', result = NULL, sql_error = 'no such value: quokkamark 777123.45' WHERE case_id LIKE '%-03';
UPDATE badger.agent_runs SET sql = 'SELECT email FROM staff WHERE email LIKE ''%quokkamark%''', result = '{"columns": [{"name": "n", "type": "DOUBLE"}, [quokkamark 777123.45' WHERE case_id LIKE '%-04';
UPDATE badger.scores SET reason = 'quokkamark is 777123.45' WHERE metric NOT IN ('hybrid_ex', 'ex_bird', 'ex_multiset', 'row_f1', 'soft_f1_bird', 'result_match_category', 'sql_complexity', 'latency_overhead', 'r_ves') OR status = 'failed';
UPDATE badger.human_labels SET note = 'quokkamark is 777123.45';
UPDATE badger.label_log SET note = 'quokkamark is 777123.45'`

// markedSite is the site of the small store with the marks, with and without a mask.
func markedSite(t *testing.T, masked ...string) *Site {
	t.Helper()
	w := sitetest.Open(t, sitetest.Small(t))
	for _, statement := range strings.Split(fillMarked, ";\n") {
		if err := w.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	s, err := New(Options{Warehouse: w, Version: "test", Metrics: metric.All(), Labels: true, Masked: masked})
	if err != nil {
		t.Fatal(err)
	}
	makeQueue(t, s, labelling.Plan{Name: "Everything", Guideline: "Compare."})
	return s
}

func marked(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, markedText) || strings.Contains(strings.ReplaceAll(text, ",", ""), markedNumber)
}

// TestMaskedSiteTellsNothing walks through every page, export and case of a site with masked columns:
// no mark is anywhere, nor does a search or a condition report whether it exists.
func TestMaskedSiteTellsNothing(t *testing.T) {
	s := markedSite(t, "email", "sal*")
	h := as(s, identity.Admin)
	crawl(t, h, max(3, some(10)), func(p *seen) {
		p.check(t, 0)
		if at := strings.Index(strings.ToLower(p.body), markedText); at >= 0 {
			t.Errorf("%.300s (from %.200s) tells …%s…", p.address, p.from, p.body[max(0, at-200):at+20])
		} else if at := strings.Index(strings.ReplaceAll(p.body, ",", ""), markedNumber); at >= 0 {
			t.Errorf("%.300s (from %.200s) tells the number …%s…", p.address, p.from, strings.ReplaceAll(p.body, ",", "")[max(0, at-200):at+20])
		}
	})
	for _, f := range []string{"search=%s", "search=%s&regexp=1", "filter=question~%s", "filter=sql~%s", "filter=gold~%s", "filter=reason~%s", "filter=reason!=%s", "filter=tag=%s", "sort=question", "sort=-sql", "sort=tag", "sort=reason", "sort=gold"} {
		for i, text := range []string{"quokka", "wombat"} {
			if !thorough && i != sample.One(f, 2) {
				continue
			}
			query := f
			if strings.Contains(f, "%s") {
				query = fmt.Sprintf(f, text)
			}
			q, _ := url.ParseQuery(query)
			for key, values := range store.RunValues(nightOne) {
				q[key] = values
			}
			q.Set("case", "bank-01")
			q.Set("format", "csv")
			for _, path := range sample.Of([]string{"/cases", "/export", "/case", "/queue/new"}, 2) {
				p := visit(t, h, path+"?"+q.Encode(), "")
				if p.status != http.StatusBadRequest || !strings.Contains(p.body, "columns are masked") {
					t.Errorf("%s by %s: status %d: %s", path, query, p.status, p.Find(".lead").Text())
				}
			}
		}
	}
	for _, by := range []string{"tag", "reason"} {
		if p := visit(t, h, runAddress(nightOne)+"&by="+by, ""); p.status != http.StatusBadRequest {
			t.Errorf("slices by %s: status %d", by, p.status)
		}
	}
	if text := oneFile(t, s, Static{Runs: []scoring.RunID{nightOne, nightTwo}[:some(2)]}); marked(text) {
		t.Error("the report in one file tells it")
	}
}

// Without a mask the marks are on every page and export that could tell them, so that the test above
// can fail.
func TestMarksAreSeenWithoutAMask(t *testing.T) {
	h := as(markedSite(t), identity.Admin)
	told := map[string]bool{}
	crawl(t, h, 5, func(p *seen) { told[p.path()] = told[p.path()] || marked(p.body) })
	for _, path := range []string{"/run", "/cases", "/case", "/export", "/compare/cases", "/label"} {
		if !told[path] {
			t.Errorf("%s tells no mark", path)
		}
	}
}
