//go:build !no_duckdb

package site

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// verdictsOf are the verdicts of hybrid_ex in a run, by case: right, wrong or "".
func verdictsOf(t *testing.T, w *store.Store, run scoring.RunID) map[string]string {
	t.Helper()
	return verdictsBy(t, w, run, "hybrid_ex")
}

// verdictsBy are the verdicts of a metric in a run, as verdictsOf returns them.
func verdictsBy(t *testing.T, w *store.Store, run scoring.RunID, metric string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, score := range scoresOf(t, w, run) {
		if score.Metric != metric {
			continue
		}
		s := scoring.Score{Status: score.Status, Reason: score.Reason}
		switch {
		case score.Passed != nil && *score.Passed:
			out[score.CaseID] = "right"
		case score.Passed != nil, s.Unanswered():
			out[score.CaseID] = "wrong"
		default:
			out[score.CaseID] = ""
		}
	}
	return out
}

// becameOf counts what became of the questions of two runs, by the classes of the bar.
func becameOf(before, now map[string]string) map[string][]string {
	out := map[string][]string{}
	for id, is := range now {
		class := map[[2]string]string{
			{"right", "wrong"}: "broke", {"wrong", "right"}: "fixed", {"wrong", "wrong"}: "still", {"right", "right"}: "kept",
		}[[2]string{before[id], is}]
		out[class] = append(out[class], id)
	}
	for _, ids := range out {
		slices.Sort(ids)
	}
	return out
}

// TestOverviewAddsUp holds that the bar counts what became of every question, and that each part leads to a list of so
// many questions, from whose first one the next leads through the same list.
func TestOverviewAddsUp(t *testing.T) {
	w := sitetest.Shared(t)
	s := siteOver(t, w)
	want := becameOf(verdictsOf(t, w, night2), verdictsOf(t, w, night1))
	at := address(
		"/compare",
		url.Values{"from": {store.RunValues(night2).Encode()}, "to": {store.RunValues(night1).Encode()}},
	)
	doc := shows(t, s, at)
	parts := 0
	doc.Find("nav.filters a").Each(func(_ int, a *goquery.Selection) {
		href, _ := a.Attr("href")
		list := shows(t, s, href)
		var ids []string
		list.Find("details.change .id").Each(func(_ int, id *goquery.Selection) { ids = append(ids, id.Text()) })
		slices.Sort(ids)
		words := strings.Fields(a.Text())
		classes := map[string]string{"Broke": "broke", "Fixed": "fixed", "Still wrong": "still", "Still right": "kept"}
		class := classes[strings.Join(words[:len(words)-1], " ")]
		if class == "" {
			return
		}
		parts++
		if !slices.Equal(ids, want[class]) || words[len(words)-1] != strconv.Itoa(len(ids)) {
			t.Errorf("%s lists %q, want %q", a.Text(), ids, want[class])
		}
	})
	if head := doc.Find(".changehead").Text(); strings.Contains(head, "up right") != (doc.Find("svg.strip").Length() > 0) {
		t.Errorf("the head of the list is %q, with %d strips", head, doc.Find("svg.strip").Length())
	}
	if parts != 4 || len(want["broke"]) < 5 {
		t.Fatalf("%d parts, %d questions broke", parts, len(want["broke"]))
	}
	// From the list to a case, and on to the next that broke.
	var walked []string
	href, _ := doc.Find("details.change [data-case]").First().Attr("data-case")
	for href != "" && len(walked) < max(2, some(100)/3) {
		u, err := url.Parse(href)
		if err != nil {
			t.Fatal(err)
		}
		walked = append(walked, u.Query().Get("case"))
		href, _ = shows(t, s, href).Find("a.next").First().Attr("href")
	}
	slices.Sort(walked)
	if !thorough { // they are walked in the order of the list, which is not that of their names
		for i, id := range walked {
			if !slices.Contains(want["broke"], id) || slices.Contains(walked[:i], id) {
				t.Errorf("next leads through %q, want some of %q", walked, want["broke"])
			}
		}
	} else if !slices.Equal(walked, want["broke"]) {
		t.Errorf("next leads through %q, want %q", walked, want["broke"])
	}

	// The overview of a run says the same against its own baseline.
	top := shows(t, s, runAddress(night2))
	want = becameOf(verdictsOf(t, w, night1), verdictsOf(t, w, night2))
	for class, ids := range want {
		if class == "" {
			continue
		}
		n := top.Find(".flow ." + class + " b").Text()
		if len(ids) > 0 && n != strconv.Itoa(len(ids)) {
			t.Errorf("the bar has %s %s, want %d", class, n, len(ids))
		}
	}
	right := len(want["kept"]) + len(want["fixed"])
	of := right + len(want["broke"]) + len(want["still"])
	if said := top.Find("h1").Text(); !strings.HasPrefix(
		said,
		percent(float64(right)/float64(of))+" of the answers are right, up from ",
	) {
		t.Errorf("%q, want %d of %d", said, right, of)
	}
}

// TestChangesCanBeNarrowed holds that filters and searches of lists work on changes, and that a search that is no
// regular expression is an error next to its field.
func TestChangesCanBeNarrowed(t *testing.T) {
	w := sitetest.Shared(t)
	s := siteOver(t, w)
	v := store.RunValues(night1)
	for key, values := range store.RunValues(night2) {
		v["base_"+key] = values
	}
	all := shows(t, s, address("/compare", v)).Find("details.change").Length()
	v.Set("search", "RETAIL-")
	some := shows(t, s, address("/compare", v)).Find("details.change .id")
	if n := some.Length(); n == 0 || n >= all ||
		some.FilterFunction(func(_ int, id *goquery.Selection) bool { return !strings.HasPrefix(id.Text(), "retail-") }).
			Length() >
			0 {
		t.Errorf("%d of %d rows match", n, all)
	}
	for _, path := range []string{"/compare", "/cases"} {
		v.Set("search", "(((")
		v.Set("regexp", "1")
		res, body := ask(t, s, "GET", address(path, v), nil, identity.Read)
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		field := doc.Find("input[name=search]")
		if typed, _ := field.Attr("value"); res.StatusCode != http.StatusBadRequest || typed != "(((" ||
			!strings.Contains(doc.Find("#searcherror").Text(), "missing closing )") {
			t.Errorf(
				"%s: %d, the field has %q, and %q is said",
				path,
				res.StatusCode,
				typed,
				doc.Find("#searcherror").Text(),
			)
		}
	}
}

// TestReasonsAddUp holds that each wrong answer is counted once, under one reason and one difficulty.
func TestReasonsAddUp(t *testing.T) {
	w := sitetest.Shared(t)
	s := siteOver(t, w)
	wrong := 0
	for _, score := range scoresOf(t, w, night1) {
		if score.Metric == "hybrid_ex" && score.Passed != nil && !*score.Passed {
			wrong++
		}
	}
	doc := shows(t, s, failuresAddress(night1))
	sum, byTier := 0, 0
	doc.Find("table.heat").First().Find("tbody tr").Each(func(_ int, row *goquery.Selection) {
		sum += number(t, row.Find("td.number b").Text())
		row.Find("td.h a").Each(func(_ int, a *goquery.Selection) { byTier += number(t, a.Text()) })
	})
	if sum != wrong || byTier != wrong || wrong < 10 {
		t.Errorf("the reasons add up to %d, and by difficulty to %d; want %d", sum, byTier, wrong)
	}
	if said := doc.Find("h1").Text(); !strings.HasPrefix(said, strconv.Itoa(wrong)+" of ") {
		t.Errorf("%q, want %d wrong", said, wrong)
	}
}

// TestGridHasEveryVerdict holds the cells of the grid against the scores.
func TestGridHasEveryVerdict(t *testing.T) {
	w := sitetest.Shared(t)
	s := siteOver(t, w)
	doc := shows(t, s, address("/questions", store.RunValues(night2)))
	runs := []map[string]string{
		verdictsOf(t, w, scoring.RunID{ID: "judged-1.0", By: night1.By}),
		verdictsOf(t, w, night2),
	}
	held := []map[string]string{
		verdictsBy(t, w, scoring.RunID{ID: "judged-1.0", By: night1.By}, "refusal"),
		verdictsBy(t, w, night2, "refusal"),
	}
	rows := 0
	doc.Find("table.grid tbody tr:not(.part)").Each(func(_ int, row *goquery.Selection) {
		id := row.Find("th a").Text()
		row.Find("td.k").Each(func(i int, cell *goquery.Selection) {
			want := map[string]string{"right": "r", "wrong": "w", "": "u"}[runs[i][id]]
			if want == "u" && held[i][id] != "" {
				want = map[string]string{"right": "r", "wrong": "w"}[held[i][id]]
			}
			if !cell.HasClass(want) {
				class, _ := cell.Attr("class")
				t.Errorf("%s in batch %d is %q, want %s", id, i, class, want)
			}
		})
		rows++
	})
	if rows != len(runs[1]) {
		t.Errorf("%d rows, want %d", rows, len(runs[1]))
	}
	if n, want := doc.Find("td.broken").Length(), len(becameOf(verdictsOf(t, w, night1), runs[1])["broke"]); n != want {
		t.Errorf("%d cells are ringed, want %d", n, want)
	}
}

// TestListDataOfFile holds that a report in one file has all cases of the run as data, with the sections of those that
// have pages.
func TestListDataOfFile(t *testing.T) {
	w := sitetest.Shared(t)
	report := nightlyFile(t)
	_, rest, _ := strings.Cut(report, `data-list="p-cases">`)
	text, _, _ := strings.Cut(rest, "</script>")
	var data listData
	if err := json.Unmarshal([]byte(text), &data); err != nil {
		t.Fatal(err)
	}
	want := verdictsOf(t, w, night2)
	linked := 0
	for _, row := range data.Rows {
		if is := map[string]string{"passed": "right", "failed": "wrong", "unanswered": "wrong"}[row[1]]; is != want[row[0]] {
			t.Errorf("%s is %s, want %s", row[0], row[1], want[row[0]])
		}
		if section := row[len(row)-1]; section != "" {
			linked++
			if !strings.Contains(report, `id="`+section+`"`) {
				t.Errorf("%s leads to %s, which is missing", row[0], section)
			}
		}
	}
	if len(data.Rows) != len(want) || linked == 0 {
		t.Errorf("%d rows, want %d; %d lead to a page", len(data.Rows), len(want), linked)
	}
}
