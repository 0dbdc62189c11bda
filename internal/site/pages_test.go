//go:build !no_duckdb

package site

import (
	"cmp"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// siteOver is a site over a warehouse. That over the shared store is shared, too: it reads once what it remembers.
func siteOver(t testing.TB, w *store.Store) *Site {
	t.Helper()
	open := func() (*Site, error) {
		return New(Options{Warehouse: w, Version: "test", Metrics: metric.All(), Labels: true})
	}
	if sitetest.IsShared(w) {
		sharedSite.once.Do(func() { sharedSite.site, sharedSite.err = open() })
		open = func() (*Site, error) { return sharedSite.site, sharedSite.err }
	}
	s, err := open()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var sharedSite struct {
	once sync.Once
	site *Site
	err  error
}

// see is a page that must be there.
func see(t *testing.T, s *Site, at string, roles ...identity.Role) string {
	t.Helper()
	res, body := ask(t, s, "GET", at, nil, append(roles, identity.Read)...)
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d\n%s", at, res.StatusCode, body)
	}
	return body
}

var (
	tableRow  = regexp.MustCompile(`(?s)<tr[^>]*>(.*?)</tr>`)
	tableCell = regexp.MustCompile(`(?s)<t[hd]([^>]*)>(.*?)</t[hd]>`)
	anchor    = regexp.MustCompile(`<a href="([^"]*)"`)
	markup    = regexp.MustCompile(`<[^>]*>`)
)

// shownCell is a cell of a table on a page: its text, and where it leads.
type shownCell struct{ text, to string }

// tableBelow reads the table that follows a text of a page, by the first cell of its rows.
func tableBelow(t *testing.T, page, text string) map[string][]shownCell {
	t.Helper()
	_, rest, found := strings.Cut(page, text)
	if !found {
		return nil
	}
	rest, _, _ = strings.Cut(rest, "</table>")
	out := map[string][]shownCell{}
	for _, row := range tableRow.FindAllStringSubmatch(rest, -1) {
		var cells []shownCell
		for _, c := range tableCell.FindAllStringSubmatch(row[1], -1) {
			if len(cells) == 0 {
				c[2], _, _ = strings.Cut(c[2], "<br>") // below a name stands what is said of it
			}
			cell := shownCell{text: strings.TrimSpace(html.UnescapeString(markup.ReplaceAllString(c[2], "")))}
			if a := anchor.FindStringSubmatch(c[2]); a != nil {
				cell.to = html.UnescapeString(a[1])
			}
			cells = append(cells, cell)
		}
		if len(cells) > 1 {
			out[strings.TrimSuffix(cells[0].text, " ↓")] = cells[1:]
		}
	}
	return out
}

// The columns of a row of figures, after its name.
const (
	cellCases = iota
	cellOK
	cellCoverage
	cellMean
	cellMeanInterval
	cellShare
	cellShareInterval
	cellPassed
	cellNotPassed
	cellAbstained
	cellNotApplicable
	cellUnanswered
	cellFailed
)

var smallRuns = []scoring.RunID{
	{ID: "night-1.0", By: scoring.By{Agent: "atlas", Version: "1.0", Batch: "atlas-1.0"}}, {ID: "night-2.0", By: scoring.By{Agent: "atlas", Version: "2.0", Batch: "atlas-2.0"}}, {ID: "judged", By: scoring.By{Agent: "atlas", Version: "2.0", Batch: sitetest.Rerun}},
}

// TestRunHasTheDigitsOfTheSummary holds the page of a run against the summary that the terminal, JSON
// and CSV show of the same scores.
func TestRunHasTheDigitsOfTheSummary(t *testing.T) {
	w := sitetest.Shared(t)
	s := siteOver(t, w)
	for _, run := range smallRuns {
		summary := report.NewSummary(report.SummaryOptions{Metrics: metric.All()})
		cases := map[string]report.Case{}
		for a, err := range w.Cases(t.Context(), store.Filter{By: run.By}) {
			if err != nil {
				t.Fatal(err)
			}
			if a.Case != nil {
				cases[a.CaseID] = report.Case{Question: a.Case.Question, Tags: a.Case.Tags}
			}
		}
		var rows []scoring.Row
		for r, err := range w.Scores(t.Context(), run.ID) {
			if err != nil {
				t.Fatal(err)
			}
			if c := cases[r.CaseID]; r.Score.Metric == "sql_complexity" {
				c.Tier = strings.ReplaceAll(r.Score.Label, "_", " ")
				cases[r.CaseID] = c
			}
			rows = append(rows, r)
		}
		for _, r := range rows {
			c := cases[r.CaseID]
			c.AnswerID = r.AnswerID
			summary.Add(r.Score, c)
		}
		figures := summary.Figures()
		page := see(t, s, runAddress(run))
		shown := tableBelow(t, page, "<h2>Metrics</h2>")
		for _, m := range figures.Metrics {
			name := m.Name
			if display := metric.DisplayName(m.Name); display != name {
				name = display + " " + m.Name
			}
			checkFigures(t, run.ID+" "+name, shown[name], &m.Rates[0])
		}
		if n := len(shown); n < len(figures.Metrics) {
			t.Errorf("%s: %d metrics are shown, want %d", run.ID, n, len(figures.Metrics))
		}
		for heading, parts := range map[string][]report.Slice{"<h3>Tags</h3>": figures.Tags, "<h3>Complexity</h3>": figures.Tiers} {
			shown := tableBelow(t, page, heading)
			for _, part := range parts {
				name := cmp.Or(part.Name, report.NotKnown)
				checkFigures(t, run.ID+" "+name, shown[name], &part.Rates[0])
			}
		}
		above, _, _ := strings.Cut(page, "<h2>Metrics</h2>")
		folded := strings.Contains(above, `<details class="fold long" id="detail">`)
		if headline := strings.Contains(page, `class="top"`); folded != headline {
			t.Errorf("%s: the tables of measures are folded: %t, below a headline: %t", run.ID, folded, headline)
		}
		worst := tableBelow(t, page, "<h3>Worst answers</h3>")
		for _, a := range figures.Worst {
			if row := worst[a.CaseID]; row == nil || row[0].text != report.Value(a.Value) || !strings.HasPrefix(row[2].text, html.UnescapeString(a.Reason)) {
				t.Errorf("%s: of the worst answer %s the page says %v, want %s, %s", run.ID, a.CaseID, row, report.Value(a.Value), a.Reason)
			}
		}
	}
}

func checkFigures(t *testing.T, what string, row []shownCell, r *report.Rate) {
	t.Helper()
	if row == nil {
		t.Errorf("%s is not shown", what)
		return
	}
	c := &r.Coverage
	want := map[int]string{
		cellCases: count(c.Asked), cellOK: count(r.N), cellMean: "–", cellShare: "–", cellShareInterval: "–", cellPassed: "–", cellNotPassed: "–",
		cellAbstained: count(c.Abstained), cellNotApplicable: count(c.NotApplicable), cellUnanswered: count(c.Unanswered), cellFailed: count(c.Failed),
	}
	if want[cellCoverage] = c.Text(); c.Nowhere() {
		want[cellOK], want[cellCoverage] = "–", "–"
	}
	if r.Mean != nil {
		want[cellMean] = report.Value(*r.Mean)
	}
	if p := r.Passed; p != nil {
		want[cellShare], want[cellShareInterval] = report.Percent(p.Rate), fmt.Sprintf("%.0f–%.0f", 100*p.Low, 100*p.High)
		want[cellPassed], want[cellNotPassed] = count(p.Passed), count(p.Of-p.Passed-c.Unanswered)
	}
	for i, text := range want {
		if row[i].text != text {
			t.Errorf("%s: cell %d is %q, the summary says %q", what, i, row[i].text, text)
		}
	}
}

var (
	hereMode = regexp.MustCompile(`aria-current="page">[^<]* <small>([\d,]+)</small>`)
	caption  = regexp.MustCompile(`<caption>([\d,]+)–([\d,]+) of ([\d,]+)</caption>`)
)

// listed is how many cases a list says that it has.
func listed(t *testing.T, page string) string {
	t.Helper()
	m := hereMode.FindAllStringSubmatch(page, -1)
	if len(m) != 1 {
		t.Fatalf("%d modes are the present one\n%s", len(m), page)
	}
	if c := caption.FindStringSubmatch(page); c != nil && c[3] != m[0][1] {
		t.Errorf("the mode says %s cases, the table %s", m[0][1], c[3])
	}
	return m[0][1]
}

// TestNumbersLeadToTheirCases follows the numbers of a run's page, those of one row in ten or where
// tests are thorough all: the list behind a number has so many cases.
func TestNumbersLeadToTheirCases(t *testing.T) {
	s := siteOver(t, sitetest.Shared(t))
	page := see(t, s, runAddress(smallRuns[2]))
	followed := 0
	number := regexp.MustCompile(`^[1-9][\d,]*$`)
	counted := map[int]bool{cellCases: true, cellOK: true, cellPassed: true, cellNotPassed: true, cellAbstained: true, cellNotApplicable: true, cellUnanswered: true, cellFailed: true}
	for _, heading := range []string{"<h2>Metrics</h2>", "<h3>Tags</h3>", "<h3>Dialects</h3>", "<h3>Why results differ</h3>", "<h3>Reasons</h3>"} {
		table := tableBelow(t, page, heading)
		if len(table) == 0 {
			t.Errorf("there is no table below %s", heading)
		}
		names := slices.Sorted(maps.Keys(table))
		for n, name := range names {
			for i, cell := range table[name] {
				if cell.to == "" {
					if counted[i] && number.MatchString(cell.text) {
						t.Errorf("%s %s: the number %s leads nowhere", heading, name, cell.text)
					}
					continue
				}
				if left(n, len(names)) {
					continue
				}
				followed++
				if n := listed(t, see(t, s, cell.to)); n != cell.text {
					t.Errorf("%s %s: %s leads to %s cases: %s", heading, name, cell.text, n, cell.to)
				}
			}
		}
	}
	if followed < some(100)/2 {
		t.Errorf("%d numbers were followed", followed)
	}
}

// TestCasesOverPages walks the pages of a list by its links, and counts its modes.
func TestCasesOverPages(t *testing.T) {
	s := siteOver(t, sitetest.Shared(t))
	run := smallRuns[1]
	at := casesAddress(store.State{RunID: run, Baseline: smallRuns[0], Mode: store.All, Page: 1, Size: 25, Sort: store.Sort{Column: "hybrid_ex", Descending: true}})
	var ids []string
	pages := 0
	for at != "" {
		page := see(t, s, at)
		pages++
		for id := range tableBelow(t, page, `aria-label="Cases"`) {
			if id != "case" && !strings.HasPrefix(id, "case ") {
				ids = append(ids, id)
			}
		}
		at = ""
		if m := regexp.MustCompile(`<a href="([^"]*)">more →`).FindStringSubmatch(page); m != nil {
			at = html.UnescapeString(m[1])
		}
	}
	slices.Sort(ids)
	if pages != 3 || len(ids) != 56 || len(slices.Compact(ids)) != 56 {
		t.Errorf("%d cases on %d pages: %q", len(ids), pages, ids)
	}
}

// TestCasesForms holds what forms without a script send: another condition is put with those that are
// there, and what the list looked like stays.
func TestCasesForms(t *testing.T) {
	s := siteOver(t, sitetest.Shared(t))
	v := store.RunValues(smallRuns[1])
	v.Set("filter", "tag=domain:retail")
	v.Set("filter_column", "hybrid_ex")
	v.Set("filter_op", "<")
	v.Set("filter_value", "0.5")
	v.Set("column", "verdict")
	v.Set("rows", "tall")
	page := see(t, s, "/cases?"+v.Encode(), identity.Admin)
	for _, want := range []string{"tag = domain:retail", "hybrid_ex &lt; 0.5", `<th scope="col"><a href="/cases?`, ">verdict</a>", `<input type="hidden" name="filter" value="hybrid_ex&lt;0.5">`, `<table class="cases tall">`,
		"/queue/new?", "format=csv"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s\n%s", want, page)
		}
	}
	if strings.Contains(see(t, s, "/cases?"+v.Encode()), "/queue/new?") {
		t.Error("who may not make queues is led to a new one")
	}
	for query, want := range map[string]string{
		"filter=nothing%3D1": "nothing", "sort=nothing": "nothing", "metric=nothing": "nothing", "mode=nothing": "nothing", "regexp=1&search=(": "missing closing", "filter=hybrid_ex%3Ex": "expected a number", "size=7": "size",
	} {
		res, body := ask(t, s, "GET", "/cases?"+store.RunValues(smallRuns[1]).Encode()+"&"+query, nil, identity.Read)
		if res.StatusCode != http.StatusBadRequest || !strings.Contains(body, want) {
			t.Errorf("%s: %d, want 400 with %q\n%s", query, res.StatusCode, want, body)
		}
	}
	if res, _ := ask(t, s, "GET", "/cases?run=nowhere", nil, identity.Read); res.StatusCode != http.StatusNotFound {
		t.Errorf("a run that is not there: %d", res.StatusCode)
	}
}

// TestRuns holds that the list of runs is the newest first, is filtered by its form, and says how far
// a run is that continues.
func TestRuns(t *testing.T) {
	s := siteOver(t, sitetest.Shared(t))
	page := see(t, s, "/runs")
	last := -1
	for _, id := range []string{"judged", "judged-1.0", "night-2.0", "night-1.0", "under-way", "cut-short"} {
		at := strings.Index(page, ">"+id+"</a>")
		if at <= last {
			t.Errorf("%s is at %d, behind %d", id, at, last)
		}
		last = at
	}
	for _, want := range []string{"data-poll", `<progress max="55" value="0"`, "✓ done", "? stopped"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	filtered := see(t, s, "/runs?"+url.Values{"text": {"JUDGED"}, "version": {"1.0"}, "status": {"done"}}.Encode())
	if strings.Count(filtered, `<th scope="row" class="name">`) != 1 || !strings.Contains(filtered, ">judged-1.0</a>") || strings.Contains(filtered, "data-poll") {
		t.Errorf("filtered:\n%s", filtered)
	}
	if body := see(t, s, "/runs?agent=nobody"); !strings.Contains(body, "No run matches") {
		t.Errorf("%s", body)
	}
	if body := see(t, s, "/run?"+store.RunValues((scoring.RunID{ID: "under-way", By: scoring.By{Agent: "atlas", Version: "2.0", Batch: sitetest.Rerun}})).Encode()); !strings.Contains(body, "data-poll") || !strings.Contains(body, "No score is stored yet") {
		t.Errorf("a run without scores:\n%s", body)
	}
}

// TestEmptyStore holds that a store without runs says what to run.
func TestEmptyStore(t *testing.T) {
	w := emptyStore(t)
	s := siteOver(t, w)
	if body := see(t, s, "/runs"); !strings.Contains(body, "badger run --cases") || !strings.Contains(body, "badger demo") {
		t.Errorf("%s", body)
	}
	if body := see(t, s, "/runs?text=x"); !strings.Contains(body, "No run matches") {
		t.Errorf("%s", body)
	}
}

// TestMissingIsADash holds that what is missing is a dash and never 0.
func TestMissingIsADash(t *testing.T) {
	w := emptyStore(t)
	id := scoring.AnswerID{CaseID: "c1", By: scoring.By{Agent: "a", Version: "1", Batch: "b"}}
	if err := w.WriteRuns(t.Context(), store.Run{RunID: scoring.RunID{ID: "r", By: scoring.By{Agent: "a", Version: "1", Batch: "b"}}, Status: "done"}); err != nil {
		t.Fatal(err)
	}
	rows := []scoring.Row{{AnswerID: id, Score: scoring.Score{Metric: "hybrid_ex", Version: 1, Status: scoring.StatusAbstained, Reason: "unsure"}}}
	if err := w.WriteScores(t.Context(), "r", "h", time.Date(2025, 1, 14, 6, 0, 0, 0, time.UTC), rows); err != nil {
		t.Fatal(err)
	}
	s := siteOver(t, w)
	run := scoring.RunID{ID: "r", By: scoring.By{Agent: "a", Version: "1", Batch: "b"}}
	row := tableBelow(t, see(t, s, runAddress(run)), "<h2>Metrics</h2>")["Right result hybrid_ex"]
	if len(row) != 13 || row[cellCoverage].text != "0%" || row[cellMean].text != "–" || row[cellShare].text != "–" || row[cellPassed].text != "–" || row[cellAbstained].text != "1" || row[cellOK].text != "0" {
		t.Errorf("the run's page says %v", row)
	}
	cells := tableBelow(t, see(t, s, casesAddress(store.State{RunID: run})), `aria-label="Cases"`)["c1"]
	if len(cells) < 6 || cells[0].text != "? abstained" || cells[1].text != "abstained" || cells[2].text != "–" || cells[5].text != "–" {
		t.Errorf("the list says %v", cells)
	}
}
