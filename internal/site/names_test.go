//go:build !no_duckdb

package site

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"

	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// An agent without a name or a version has words that stand for them, by which runs can be chosen, and
// no link is empty.
func TestAgentsWithoutAName(t *testing.T) {
	w := sitetest.Open(t, sitetest.Small(t))
	for _, table := range []string{"eval_runs", "scores", "agent_runs"} {
		if err := w.Exec(t.Context(), "UPDATE badger."+table+" SET agent_name = '', agent_version = '' WHERE agent_version = '1.0'"); err != nil {
			t.Fatal(err)
		}
	}
	s := siteOver(t, w)
	nobody := scoring.RunID{ID: "night-1.0", By: scoring.By{Batch: "atlas-1.0"}}
	options := func(doc *goquery.Document, name string) string {
		return strings.Join(texts(doc.Find("select[name="+name+"]")), "|")
	}
	runs := shows(t, s, runsAddress())
	if got := options(runs, "agent"); got != "any|(no name)|atlas" {
		t.Errorf("agents to choose from: %s", got)
	}
	if got := options(runs, "version"); got != "any|(no version)|2.0" {
		t.Errorf("versions to choose from: %s", got)
	}
	all := runs.Find("tbody tr").Length()
	for key, value := range map[string]string{"agent": "(no name)", "version": "(no version)"} {
		chosen := shows(t, s, address(runsAddress(), url.Values{key: {value}}))
		if n := chosen.Find("tbody tr").Length(); n == 0 || n == all || chosen.Find("select[name="+key+"] option[selected]").Text() != value {
			t.Errorf("%s %s chooses %d of %d runs", key, value, n, all)
		}
		chosen.Find("tbody tr").Each(func(_ int, row *goquery.Selection) {
			if !strings.Contains(row.Text(), "(no name)") {
				t.Errorf("%s %s chooses %q", key, value, row.Text())
			}
		})
	}
	for _, at := range []string{runsAddress(), runAddress(nobody), casesAddress(store.State{RunID: nobody}), "/trend", costAddress(nobody), "/trend?agent=" + url.QueryEscape("(no name)"), compareAddress(sides{From: nobody, To: []scoring.RunID{nightTwo}})} {
		doc := shows(t, s, at)
		if !strings.Contains(doc.Find("main").Text()+doc.Find(".agent").Text(), "(no name)") {
			t.Errorf("%s does not say that there is no name", at)
		}
		doc.Find("a, h1, title, option, main th[scope=row]").Each(func(_ int, e *goquery.Selection) {
			if strings.TrimSpace(strings.TrimSuffix(e.Text(), "· badger")) == "" {
				html, _ := goquery.OuterHtml(e)
				t.Errorf("%s has nothing in %s", at, html)
			}
		})
	}
	if title := shows(t, s, runAddress(nobody)).Find("title").Text(); !strings.HasPrefix(title, "(no name): ") {
		t.Errorf("the title is %q", title)
	}
	if one := oneFile(t, s, Static{Runs: []scoring.RunID{nobody}}); !strings.Contains(one, "<title>(no name) · badger</title>") {
		t.Error("the report in one file has another title")
	}
}

// The id of a case that is long is shown by its ends, with the whole of it in the title, and whole on the
// page of the case.
func TestLongCaseIDs(t *testing.T) {
	w := sitetest.Open(t, sitetest.Small(t))
	long := "bank-" + strings.Repeat("0123456789", 39) + "-last"
	for _, table := range []string{"scores", "agent_runs", "golden_set"} {
		if err := w.Exec(t.Context(), "UPDATE badger."+table+" SET case_id = '"+long+"' WHERE case_id = 'bank-11'"); err != nil {
			t.Fatal(err)
		}
	}
	s := siteOver(t, w)
	list := store.State{RunID: nightTwo, Mode: store.All}
	for _, at := range []string{runAddress(nightTwo), casesAddress(list), compareAddress(sides{From: nightOne, To: []scoring.RunID{nightTwo}})} {
		doc := shows(t, s, at)
		doc.Find("main a").Each(func(_ int, a *goquery.Selection) {
			if n := utf8.RuneCountInString(a.Text()); n > 60 && strings.HasPrefix(a.Text(), "bank-") {
				t.Errorf("%s has a link of %d characters", at, n)
			}
		})
		found := doc.Find(`main a[title="` + long + `"]`)
		if at != casesAddress(list) && found.Length() == 0 {
			continue
		}
		if text := found.First().Text(); !strings.HasPrefix(text, "bank-0123") || !strings.HasSuffix(text, "6789-last") || !strings.Contains(text, "…") {
			t.Errorf("%s shows it as %q", at, text)
		}
	}
	if doc := shows(t, s, caseAddress(list, long)); !strings.Contains(doc.Find("main").Text(), long) || utf8.RuneCountInString(doc.Find("h1").Text()) > 60 {
		t.Errorf("the page of the case is headed %q", doc.Find("h1").Text())
	}
}

// Of an answer that agent_runs has two rows of, nobody can tell which one is meant: none is scored, shown
// or given to label.
func TestAnswersThatAreThereTwice(t *testing.T) {
	w := sitetest.Open(t, sitetest.Small(t))
	for _, statement := range []string{
		"CREATE TABLE twice AS SELECT * FROM badger.agent_runs", "DROP TABLE badger.agent_runs", "CREATE TABLE badger.agent_runs AS SELECT * FROM twice",
		"INSERT INTO badger.agent_runs SELECT * FROM twice WHERE case_id = 'bank-11'",
	} {
		if err := w.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	s := siteOver(t, w)
	lee := &browser{t: t, site: s, who: identity.Caller{Name: "lee", Roles: []identity.Role{identity.Admin}}}
	list := store.State{RunID: nightTwo, Mode: store.All}
	_, page := lee.open(caseAddress(list, "bank-11"))
	if said := page.Find(".warning").Text(); !strings.Contains(said, "agent_runs has 2 rows of this answer") || page.Find("form.label").Length() != 0 || page.Find("#cells").Length() != 0 || strings.Contains(page.Find("main").Text(), "has no accepted answer") {
		t.Errorf("the page of the case says %q", page.Find("main").Text())
	}
	_, page = lee.open(newQueueAddress(list))
	if said := page.Find(".warning").Text(); !strings.HasPrefix(said, "1 more are left out") && !strings.HasPrefix(said, "1 more is left out") {
		t.Errorf("who makes a queue is told %q", said)
	}
	_, page = lee.send(page.Find("form"), url.Values{"name": {"once"}, "order": {"listed"}})
	if page.Find("main tbody tr").Length() == 0 || strings.Contains(page.Find("main tbody").Text(), "bank-11") {
		t.Errorf("the queue has %s", page.Find("main tbody").Text())
	}
	name := caseName(nightTwo, "bank-11")
	pages := somePages(t, s, Static{Runs: []scoring.RunID{nightTwo}, All: true}, func(p *staticPage) bool { return p.name == name })
	if said := pages[name+".html"].Find(".warning").Text(); !strings.Contains(said, "agent_runs has 2 rows of this answer") {
		t.Errorf("a static report says %q", said)
	}
}

// Of a question without an answer, the page says so, and nobody is asked to label it.
func TestCaseWithoutAnAnswer(t *testing.T) {
	w := sitetest.Open(t, sitetest.Small(t))
	for _, statement := range []string{
		"DELETE FROM badger.agent_runs WHERE case_id = 'bank-11'",
		"UPDATE badger.scores SET status = 'not_applicable', value = NULL, passed = NULL, detail = NULL, reason = '" + scoring.NoAnswer + "' WHERE case_id = 'bank-11'",
	} {
		if err := w.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	lee := &browser{t: t, site: siteOver(t, w), who: identity.Caller{Name: "lee", Roles: []identity.Role{identity.Admin}}}
	_, page := lee.open(caseAddress(store.State{RunID: nightTwo, Mode: store.All}, "bank-11"))
	said := page.Find("main").Text()
	if !strings.Contains(said, "The agent gave no answer.") || strings.Contains(said, "only its scores are") || page.Find("form.label").Length() != 0 {
		t.Errorf("the page says %s", said)
	}
}
