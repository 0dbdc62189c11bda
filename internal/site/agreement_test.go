//go:build !no_duckdb

package site

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
)

// The page counts verdicts against labels as the statements of the warehouse do, with kappa from
// these counts, and every count leads to a list of so many cases.
func TestAgreement(t *testing.T) {
	w := sitetest.Shared(t)
	s := siteOver(t, w)
	pages, err := w.Pages(t.Context(), metric.All())
	if err != nil {
		t.Fatal(err)
	}
	doc := shows(t, s, agreementAddress(agreementState{Run: night1, By: "tier"}))
	seen := 0
	doc.Find(`[aria-label="Metrics"] tbody tr`).Each(func(_ int, row *goquery.Selection) {
		cells := texts(row)
		if len(cells) != 15 {
			t.Fatalf("a row of %d cells: %v", len(cells), cells)
		}
		key := keyOfRow(row)
		if _, _, judged := strings.Cut(key, "@"); judged != strings.Contains(cells[0], ", judge ") {
			t.Errorf("%q", cells[0])
		}
		c := agreement.Confusion{TP: number(t, cells[9]), FP: number(t, cells[10]), FN: number(t, cells[11]), TN: number(t, cells[12])}
		if c.N() != number(t, cells[1]) || stat(c.LabelKappa()) != cells[2] || statPercent(c.BalancedAccuracy()) != cells[5] {
			t.Errorf("%s: %v do not go with the counts %+v", cells[0], cells, c)
		}
		row.Find("td.number a").Each(func(_ int, a *goquery.Selection) {
			href, _ := a.Attr("href")
			seen++
			if left(seen, 1<<20) {
				return
			}
			_, query, _ := strings.Cut(href, "?")
			state := stateFrom(t, query)
			list, err := pages.List(t.Context(), state)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, err := range list.IDs(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
			if n != number(t, a.Text()) {
				t.Errorf("%s: %s leads to %d cases, the count is %s", cells[0], href, n, a.Text())
			}
		})
	})
	if seen < 20 {
		t.Errorf("only %d counts lead to cases", seen)
	}
	said := map[string]bool{}
	doc.Find(`[aria-label="Warnings"] li`).Each(func(_ int, li *goquery.Selection) {
		_, text, ok := strings.Cut(li.Text(), ": ")
		if !ok || said[text] {
			t.Errorf("a warning without metrics, or twice: %q", li.Text())
		}
		said[text] = true
	})
	if len(said) == 0 {
		t.Error("the small sample warns of nothing")
	}
	people := doc.Find(`[aria-label="People"] tbody tr`)
	votes, err := w.Votes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]int{}
	for _, v := range votes {
		if v.Agent == night1.Agent && v.Version == night1.Version && v.Batch == night1.Batch {
			by[v.Annotator]++
		}
	}
	if people.Length() != len(by) || len(by) < 2 {
		t.Errorf("%d people, want %d", people.Length(), len(by))
	}
	people.Each(func(_ int, row *goquery.Selection) {
		if cells := texts(row); strconv.Itoa(by[cells[0]]) != cells[1] || cells[2] == dash {
			t.Errorf("%q, want %d labels", cells, by[cells[0]])
		}
	})
}

// keyOfRow returns the key of a metric that a row names.
func keyOfRow(row *goquery.Selection) string {
	if key := row.Find("th small").First(); key.Length() > 0 {
		return key.Text()
	}
	return row.Find("th").Text()
}

// An interval of kappa half as wide takes four times as many labels, and one as wide as can be none.
func TestLabelsToCome(t *testing.T) {
	s := siteOver(t, sitetest.Shared(t))
	more := func(width float64) (int, int) {
		doc := shows(t, s, agreementAddress(agreementState{Run: night1, By: "tier", Width: width}))
		var cells []string
		doc.Find(`[aria-label="Metrics"] tbody tr`).Each(func(_ int, row *goquery.Selection) {
			if keyOfRow(row) == "ex_bird" {
				cells = texts(row)
			}
		})
		if cells == nil {
			t.Fatal("there is no row of ex_bird")
		}
		return number(t, cells[13]), number(t, cells[1])
	}
	wide, n := more(0.2)
	narrow, _ := more(0.1)
	if all := 4 * (wide + n); narrow+n < all-4 || narrow+n > all {
		t.Errorf("a width of 0.2 takes %d labels, one of 0.1 takes %d", wide+n, narrow+n)
	}
	if none, _ := more(2); none != 0 {
		t.Errorf("a width of 2 takes %d more labels", none)
	}
}

// The two that are named are tested against each other, and the page says what a graded metric's
// threshold is worth.
func TestTwoMetrics(t *testing.T) {
	s := siteOver(t, sitetest.Shared(t))
	doc := shows(t, s, agreementAddress(agreementState{Run: night1, By: "relation", A: "hybrid_ex", B: "ex_bird", Key: "row_f1"}))
	rows := doc.Find(`[aria-label="Comparisons"] tbody tr`)
	if cells := texts(rows.First()); rows.Length() != 1 || cells[0] != "Right result hybrid_ex" || cells[1] != "Same rows (BIRD) ex_bird" {
		t.Errorf("%d comparisons, %v", rows.Length(), cells)
	}
	if text := doc.Find("h2").Text(); !strings.Contains(text, "Threshold of Whole rows in common") || !strings.Contains(text, "By relation") {
		t.Errorf("headings: %s", text)
	}
	if said := doc.Find("main").Text(); !strings.Contains(said, "With thresholds chosen on other cases (10 folds)") {
		t.Error("the page does not say how the threshold was chosen")
	}
	points := strings.Fields(doc.Find("svg polyline").Last().AttrOr("points", ""))
	for i := 1; i < len(points); i++ {
		x0, y0, _ := strings.Cut(points[i-1], ",")
		x1, y1, _ := strings.Cut(points[i], ",")
		if x0 != x1 && y0 != y1 {
			t.Errorf("kappa changes between the thresholds at %s and %s", points[i-1], points[i])
		}
	}
	if len(points) < 3 {
		t.Errorf("the line of kappa has %d points", len(points))
	}
	for _, wrong := range []string{"width=0", "width=x", "by=judge"} {
		res, _ := ask(t, s, "GET", agreementAddress(agreementState{Run: night1, By: "tier"})+"&"+wrong, nil, "read")
		if res.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %d", wrong, res.StatusCode)
		}
	}
	empty := shows(t, s, agreementAddress(agreementState{Run: scoring.RunID{ID: "under-way", By: scoring.By{Agent: "other", Version: "2.0", Batch: "none"}}, By: "tier"}))
	if text := empty.Find(".notice").Text(); !strings.Contains(text, "No answer of this batch has a label yet") {
		t.Errorf("without labels the page says %q", text)
	}
}

func stateFrom(t *testing.T, query string) store.State {
	t.Helper()
	v, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Parse(v)
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", query, err))
	}
	return s
}

// TestAgreementOnAPhone holds that the charts have a form that is no wider than a phone of 400 pixels.
func TestAgreementOnAPhone(t *testing.T) {
	doc := shows(t, siteOver(t, sitetest.Open(t, sitetest.Small(t))), agreementAddress(agreementState{Run: night1, By: "tier"}))
	wide, narrow := doc.Find("figure.broad svg.chart"), doc.Find("figure.narrow svg.chart")
	if wide.Length() == 0 || wide.Length() != narrow.Length() {
		t.Fatalf("%d wide charts, %d narrow ones", wide.Length(), narrow.Length())
	}
	narrow.Each(func(_ int, svg *goquery.Selection) {
		if width, err := strconv.ParseFloat(svg.AttrOr("width", ""), 64); err != nil || width > 368 {
			t.Errorf("%s: %g pixels wide, %v", svg.Find("title").First().Text(), width, err)
		}
	})
	if dots := narrow.First().Find("circle").Length(); dots == 0 || dots != wide.First().Find("circle").Length() {
		t.Errorf("%d dots", dots)
	}
}
