//go:build !no_duckdb

package site

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// showcase is a run over cases that have every state of cells.
var showcase = scoring.RunID{ID: "show", By: scoring.By{Agent: "atlas", Version: "1.0", Batch: "b"}}

func resultText(text string) scoring.Result {
	out, err := scoring.ParseResult([]byte(text))
	if err != nil {
		panic(err) // a text of this file
	}
	return scoring.Result{Table: out}
}

// showcaseStore opens a store with that run.
var showcaseStore = sitetest.Made(func(ctx context.Context, w *store.Store) error {
	agent := scoring.Agent{Name: showcase.Agent, Version: showcase.Version, BatchID: showcase.Batch}
	sales := &scoring.Case{
		ID: "sales", Question: "How much did each region sell?", Evidence: "Returns do not count.", Dialect: "duckdb", Tags: []string{"tier:easy"}, Agent: agent,
		Golds: []scoring.Query{
			{SQL: "SELECT region, day, revenue, share, note FROM sales WHERE NOT returned", Ran: true, Result: resultText(`{"columns":[{"name":"region","type":"STRING"},{"name":"day","type":"DATE"},{"name":"revenue","type":"DECIMAL"},{"name":"share","type":"FLOAT64"},{"name":"note","type":"STRING"}],"rows":[
				["north","2024-01-01","1234.50",0.125,"ok"],["south","2024-01-02","99.10",0.25,null],["west","2024-01-03","5.00",0.5,"a\u202eb"],["east","2024-01-04","7.25",0.375,"\tx "],["centre","2024-01-05","812.00",0.75,"late"]]}`)},
			{SQL: "SELECT 1", Ran: true, Result: resultText(`{"columns":["n"],"rows":[[1]]}`)},
		},
		Pred: scoring.Query{SQL: "select region, day, revenue, share * 100 as pct, note from sales", Ran: true, Result: resultText(`{"columns":[{"name":"Region","type":"STRING"},{"name":"day","type":"DATE"},{"name":"rev","type":"DECIMAL"},{"name":"pct","type":"FLOAT64"},{"name":"note","type":"STRING"},{"name":"rank","type":"INT64"}],"rows":[
				["North","2024-01-01","1234.5",12.5,"ok",7],["south","2024-01-02","98.10",25,"",3],["west","2024-01-03","5.00",50,"a\u202eb",9],["east","2024-01-04","7.25",37.5,"\tx ",4],["islands","2024-01-06","9.00",75,"late",5]]}`)},
	}
	long := &scoring.Case{ID: "a long one", Question: "?", Agent: agent, Golds: []scoring.Query{{Ran: true, Result: numbered(450, 0)}}, Pred: scoring.Query{Ran: true, Result: numbered(450, 1)}}
	failed := &scoring.Case{ID: "z failed", Question: "?", Agent: agent, Golds: sales.Golds[:1], Pred: scoring.Query{SQL: "select x", Ran: true, Error: "no column x"}}
	if err := w.WriteCases(ctx, "1", []*scoring.Case{sales, long, failed}); err != nil {
		return err
	}
	run := sitetest.Run{ID: showcase.ID, Metrics: []string{"hybrid_ex", "relation", "verdict", "ex_bird", "component_f1"}}
	return run.Score(ctx, w)
})

// numbered is a result of two columns whose second differs by a number.
func numbered(rows int, by int64) scoring.Result {
	id, x := scoring.NewBuilder("id", scoring.Int64, rows), scoring.NewBuilder("x", scoring.Int64, rows)
	for i := range rows {
		id.Append(scoring.IntValue(int64(i)))
		x.Append(scoring.IntValue(int64(1000+i*i) + by))
	}
	t, _ := scoring.NewTable(id.Column(), x.Column())
	return scoring.Result{Table: t}
}

// seeCase is the page of a case of the showcase; change changes its state.
func seeCase(t *testing.T, h http.Handler, id string, change func(*caseState)) *seen {
	t.Helper()
	s := caseState{List: store.State{RunID: showcase, Mode: store.All, Page: 1, Size: store.DefaultSize}, Case: id}
	if change != nil {
		change(&s)
	}
	p := visit(t, h, s.address(), "")
	p.check(t, 300_000)
	return p
}

// words are the texts of what a selector finds, each on one line.
func words(s *goquery.Selection) (out []string) {
	s.Each(func(_ int, x *goquery.Selection) { out = append(out, strings.Join(strings.Fields(x.Text()), " ")) })
	return out
}

func showcaseSite(t testing.TB, masked ...string) http.Handler {
	t.Helper()
	s, err := New(Options{Warehouse: showcaseStore(t), Version: "test", Metrics: metric.All(), Masked: masked})
	if err != nil {
		t.Fatal(err)
	}
	return as(s, identity.Read)
}

// TestCasePage holds what the page of a case says, and that what it says with colour it says with a
// sign and in words, too.
func TestCasePage(t *testing.T) {
	h := showcaseSite(t)
	p := seeCase(t, h, "sales", func(s *caseState) { s.Show = 31 })
	if got := words(p.Find("p.kick, h1")); !slices.Equal(got, []string{"sales · easy", "How much did each region sell?"}) {
		t.Errorf("head: %q", got)
	}
	if got := words(p.Find("p.verdict .v")); !slices.Equal(got, []string{"Wrong."}) {
		t.Errorf("the verdict: %q", got)
	}
	if p.Find("p.verdict").NextAll().Find("#queries").Length()+p.Find("p.verdict").NextAllFiltered("#queries").Length() != 1 {
		t.Error("the verdict does not come before the queries")
	}

	// The mapping is a table, and drawn once.
	table := p.Find("#mapping table")
	if table.Length() != 1 || p.Find("svg").Length() > 1 {
		t.Errorf("%d tables of the mapping, %d pictures", table.Length(), p.Find("main svg").Length())
	}
	rows := map[string][]string{}
	table.Find("tbody tr").Each(func(_ int, tr *goquery.Selection) { rows[words(tr.Find("th"))[0]] = words(tr.Find("td")) })
	for name, want := range map[string][]string{
		"revenue": {"DECIMAL", "≠ differs", "rev", "DECIMAL"},
		"–":       {"–", "+ only in the answer", "rank", "INT64"},
	} {
		if got := rows[name]; len(got) < 4 || !slices.Equal(got[:4], want) {
			t.Errorf("column %s: %q, want %q", name, got, want)
		}
	}
	if got := rows["share"]; len(got) < 5 || got[1] != "≈ equal under the mapping" || !strings.Contains(got[4], "percent for fraction") || got[5] != "100.0%" {
		t.Errorf("column share: %q", got)
	}

	// The cells.
	cells := p.Find("table.cells")
	if got := words(cells.Find("thead th")); len(got) != 7 || !strings.HasPrefix(got[0], "row") || !strings.Contains(got[3], "DECIMAL") || !strings.Contains(got[6], "only in the answer") {
		t.Errorf("heads: %q", got)
	}
	if cells.Find("caption").Length() != 1 || cells.Find("thead th:not([scope=col])").Length() != 0 || cells.Find("tbody tr").Length() != cells.Find("tbody th[scope=row]").Length() {
		t.Error("the table of cells has no caption, or heads without a scope")
	}
	signs := map[string]string{"equal": "= equal:", "mapped": "≈ equal under the mapping:", "differs": "≠ differs:", "only_gold": "− only in gold:", "only_agent": "+ only in the answer:"}
	for class, sign := range signs {
		found := cells.Find("td." + class)
		if found.Length() == 0 {
			t.Errorf("no cell is %s", class)
		}
		found.Each(func(_ int, td *goquery.Selection) {
			if text := strings.TrimSpace(td.Text()); text != "" && !strings.HasPrefix(text, sign) {
				t.Errorf("a cell that is %s says %q", class, text)
			}
		})
	}
	south := cells.Find("tbody tr").FilterFunction(func(_ int, tr *goquery.Selection) bool { return strings.Contains(tr.Text(), "south") })
	if got := words(south.Find("td.differs")); !slices.Equal(got, []string{"≠ differs: gold 99.10answer 98.10", "≠ differs: gold NULLanswer empty text"}) {
		t.Errorf("the row of the south: %q", got)
	}
	if got := cells.Find("td:contains('a') .symbol[title='right-to-left override']"); got.Length() == 0 || strings.Contains(p.body, "\u202e") {
		t.Errorf("%d symbols stand for the override of direction", got.Length())
	}
	if cells.Find("bdi:not([dir=auto])").Length() != cells.Find("thead bdi").Length() {
		t.Error("a value has no direction of its own")
	}

	// The queries.
	if got := words(p.Find("pre.sql ins")); !slices.Contains(got, "* 100 as pct") {
		t.Errorf("only in the answer: %q", got)
	}
	if got := words(p.Find("pre.sql del")); !slices.Contains(got, "WHERE NOT returned") {
		t.Errorf("only in gold: %q", got)
	}
	if got := p.Find(".relation h3 a").First().AttrOr("href", ""); !strings.HasPrefix(got, "/cases?") || !strings.Contains(got, url.QueryEscape("relation=")) {
		t.Errorf("the cases of the relation: %s", got)
	}
	if got := words(p.Find("#golds").NextAllFiltered("div.wide").First().Find("tbody tr")); len(got) != 2 || !strings.Contains(got[0], "✓ used") || strings.Contains(got[1], "✓") {
		t.Errorf("the accepted answers: %q", got)
	}
}

// TestCaseChoices holds that the legend filters, that its counts are those of the cells, and that
// every choice is an address that shows the same again.
func TestCaseChoices(t *testing.T) {
	h := showcaseSite(t)
	all := seeCase(t, h, "sales", func(s *caseState) { s.Show = 31 })
	counts := map[string]string{}
	all.Find(".legend .state").Each(func(_ int, s *goquery.Selection) {
		counts[strings.Fields(s.AttrOr("class", ""))[1]] = s.Find("b").Text()
	})
	for class, n := range counts {
		shown := 0
		all.Find("table.cells td." + class).Each(func(_ int, td *goquery.Selection) {
			if strings.TrimSpace(td.Text()) != "" {
				shown++
			}
		})
		if count(shown) != n {
			t.Errorf("%s: the legend says %s, %d cells are shown", class, n, shown)
		}
	}
	plainly := seeCase(t, h, "sales", nil)
	// By hand: row 2 differs in revenue and note, row 5 is missing, and one row is too many; share is a percentage.
	var first []string
	plainly.Find("table.result tbody tr").Each(func(_ int, tr *goquery.Selection) {
		first = append(first, strings.Join(words(tr.Find("td")), "|"))
	})
	if len(first) != 6 || !strings.Contains(first[1], "|99.10|98.10|−1.009 %|") || first[4] != "5|2024-01-05|centre|none|812.00|none||0.75|none|late|none" || !strings.HasPrefix(first[5], "+|2024-01-06||islands|") {
		t.Errorf("rows at first: %q", first)
	}
	if got := words(plainly.Find("table.result thead th[scope=colgroup]")); !slices.Equal(got, []string{"region", "revenue", "share", "note"}) {
		t.Errorf("columns that differ or are shown otherwise: %q", got)
	}
	if got := plainly.Find("table.result td.missing").Length(); got != 4 {
		t.Errorf("%d cells of the missing row", got)
	}
	if text := plainly.Find("table.result").Parent().Next().Text(); !strings.Contains(text, "other column: rank") {
		t.Errorf("below the table: %q", text)
	}
	all.Find(".legend a").Each(func(_ int, a *goquery.Selection) {
		p := visit(t, h, a.AttrOr("href", ""), "legend")
		if p.check(t, 300_000); p.Find("table.result").Length() > 0 { // the first view again
			return
		}
		if !slices.Contains(words(p.Find(".legend a[aria-current]")), strings.Join(strings.Fields(a.Text()), " ")) {
			t.Errorf("%s: not chosen after its link was followed: %q", a.Text(), words(p.Find(".legend a[aria-current]")))
		}
	})
	beside := seeCase(t, h, "sales", func(s *caseState) { s.Layout = "beside" })
	if beside.Find(".besides table.cells").Length() != 2 {
		t.Error("side by side there are not two tables")
	}
	list := seeCase(t, h, "sales", func(s *caseState) { s.Layout = "list" })
	if got := words(list.Find("table.cells tbody tr")); len(got) != 2 || !strings.Contains(got[0], "-1.00") || !strings.Contains(got[0], "-1.009 %") {
		t.Errorf("the list: %q", got)
	}
	raw := seeCase(t, h, "sales", func(s *caseState) { s.Raw = true })
	if got := words(raw.Find("section.query pre")); len(got) != 2 || got[0] != "select region, day, revenue, share * 100 as pct, note from sales" {
		t.Errorf("as written: %q", got)
	}
	if p := seeCase(t, h, "sales", func(s *caseState) { s.Gold = 2 }); !strings.Contains(p.Find(".notice.warning").Text(), "by accepted answer 1") {
		t.Errorf("another accepted answer: %q", p.Find(".notice.warning").Text())
	}
}

// TestCasePaging holds that the pages of rows follow one another, and lead from case to case in the
// order of the list.
func TestCasePaging(t *testing.T) {
	h := showcaseSite(t)
	p := seeCase(t, h, "a long one", nil)
	if got := p.Find("table.result tbody tr").Length(); got != someRows || !strings.Contains(p.Find("main").Text(), "14 of 450 rows") {
		t.Errorf("%d rows at first", got)
	}
	p = seeCase(t, h, "a long one", func(s *caseState) { s.Show = caseview.Set(caseview.Differs) })
	var rows []string
	for n := 0; n < 5; n++ {
		rows = append(rows, words(p.Find("table.cells tbody th"))...)
		next := p.Find("nav.pager a:contains('more rows')")
		if next.Length() == 0 {
			break
		}
		p = visit(t, h, next.AttrOr("href", ""), "pager")
		p.check(t, 300_000)
	}
	if len(rows) != 450 || rows[0] != "1 ↔ 1" || rows[449] != "450 ↔ 450" {
		t.Errorf("%d rows: %q", len(rows), rows[:min(3, len(rows))])
	}
	p = seeCase(t, h, "a long one", func(s *caseState) { s.Layout = "list" })
	var seenCases []string
	for {
		seenCases = append(seenCases, p.Find("p.kick bdi").First().Text())
		next := p.Find(".crumb a.next")
		if next.Length() == 0 {
			break
		}
		p = visit(t, h, next.AttrOr("href", ""), "next")
		p.check(t, 300_000)
	}
	if !slices.Equal(seenCases, []string{"a long one", "sales", "z failed"}) {
		t.Errorf("%q", seenCases)
	}
	if got := words(p.Find(".crumb .quiet")); !slices.Equal(got, []string{"3 of 3"}) || p.Find(".crumb a.previous").Length() != 1 {
		t.Errorf("the last case: %q", got)
	}
	if !strings.Contains(p.Find("main").Text(), "no column x") || p.Find("table.cells").Length() != 0 {
		t.Error("the message of the query that failed is not shown")
	}
	first := seeCase(t, h, "sales", func(s *caseState) {
		s.List.Filters = []store.ListFilter{{Column: "hybrid_ex", Op: store.Greater, Value: "0.1"}}
	})
	if got := words(first.Find(".crumb .quiet")); !slices.Equal(got, []string{"1 of 1"}) {
		t.Errorf("within a filter: %q", got)
	}
}

// TestCaseStateRoundTrip holds that an address says all of the state.
func TestCaseStateRoundTrip(t *testing.T) {
	s := caseState{
		List: store.State{RunID: showcase, Mode: store.Failed, Search: "a&b", Page: 2, Size: 100}, Case: "x/y?z=1&é", Metric: "rose", Gold: 2, Show: 5, Layout: "list", From: 200, Raw: true, Whole: true,
	}
	u, err := url.Parse(s.address())
	if err != nil || u.Path != "/case" {
		t.Fatal(u, err)
	}
	got, err := (&Site{}).parseCase(u.Query())
	if err != nil || got.address() != s.address() {
		t.Errorf("%v\n%s\n%s", err, got.address(), s.address())
	}
	if got := s.with(func(s *caseState) { s.Layout = "merged" }); strings.Contains(got, "from=") {
		t.Errorf("another layout goes on in the middle: %s", got)
	}
	h := showcaseSite(t)
	for _, bad := range []string{"case=", "case=sales&show=x", "case=sales&layout=x", "case=sales&from=-1", "case=sales&from=x", "case=sales&gold=9", "case=sales&metric=nothing", "case=nothing"} {
		p := visit(t, h, "/case?"+store.RunValues(showcase).Encode()+"&"+bad, "")
		want := http.StatusBadRequest
		if strings.HasSuffix(bad, "nothing") {
			want = http.StatusNotFound
		}
		if p.status != want {
			t.Errorf("%s: %d, want %d", bad, p.status, want)
		}
	}
}

// TestMaskedCasePage holds that no page of a case tells a masked value.
func TestMaskedCasePage(t *testing.T) {
	h := showcaseSite(t, "revenue")
	for _, change := range []func(*caseState){nil, func(s *caseState) { s.Show = 31 }, func(s *caseState) { s.Layout = "list" }, func(s *caseState) { s.Layout = "beside" }, func(s *caseState) { s.Raw = true }} {
		p := seeCase(t, h, "sales", change)
		for _, secret := range []string{"1234.5", "99.10", "98.10", "812.00", "-1.00"} {
			if strings.Contains(p.body, secret) {
				t.Errorf("%s tells %s", p.address, secret)
			}
		}
		if !strings.Contains(p.Find("main").Text(), "are masked") {
			t.Error("the page does not say that columns are masked")
		}
	}
	open := showcaseSite(t)
	if p := seeCase(t, open, "sales", nil); !strings.Contains(p.body, "99.10") {
		t.Error("without a mask the value is not shown, so that nothing was tested")
	}
}

// TestJudgedCasePage holds that the panel of a judged case has what was asked and what came back.
func TestJudgedCasePage(t *testing.T) {
	w := sitetest.Shared(t)
	h := as(siteOver(t, w), identity.Read)
	run := smallRuns[2]
	pages, err := w.Pages(t.Context(), metric.All())
	if err != nil {
		t.Fatal(err)
	}
	d, err := pages.Case(t.Context(), run, "retail-01")
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, s := range d.Scores {
		for _, id := range s.AssessmentIDs {
			ids[id] = true
		}
	}
	p := visit(t, h, caseAddress(store.State{RunID: run, Mode: store.All, Page: 1, Size: store.DefaultSize}, "retail-01"), "")
	p.check(t, 300_000)
	votes := p.Find("section.vote")
	if votes.Length() != len(ids) || len(ids) == 0 {
		t.Fatalf("%d replies are shown of %d", votes.Length(), len(ids))
	}
	shown := p.Find("main").Text()
	for a, err := range w.Assessments(t.Context(), store.AssessmentFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if !ids[a.ID] {
			continue
		}
		var reply map[string]any
		if !strings.Contains(shown, a.RequestHash) || !strings.Contains(shown, a.Model) {
			t.Errorf("%s: request and model are not shown", a.Kind)
		}
		if json.Unmarshal([]byte(a.Reply), &reply) == nil {
			for name := range reply {
				if !strings.Contains(shown, name) {
					t.Errorf("%s: the member %s is not shown", a.Kind, name)
				}
			}
		}
	}
	votes.Each(func(_ int, v *goquery.Selection) {
		if v.Find("details summary:contains('What was asked')").Length() != 1 {
			t.Errorf("%s: the question is not shown", v.Find("h3").Text())
		}
	})
	if got := p.Find("#labels li").Length(); got != len(d.Labels) {
		t.Errorf("%d labels are shown of %d", got, len(d.Labels))
	}
}

// TestWideCasePage holds that a case of 300 columns and a query of 3,000 stay usable: columns that agree are named and
// not shown, and nothing long comes before the cells.
func TestWideCasePage(t *testing.T) {
	w := emptyStore(t)
	var query strings.Builder
	query.WriteString("SELECT ")
	for i := range 3000 {
		fmt.Fprintf(&query, "some_name_of_a_column_%d, ", i)
	}
	query.WriteString("1 AS n FROM t")
	agent := scoring.Agent{Name: showcase.Agent, Version: showcase.Version, BatchID: showcase.Batch}
	// Column c differs in rows i with i + c a multiple of 100, so of 30 rows in every column c with c % 100 = 0 or above 70.
	c := &scoring.Case{
		ID: "wide", Question: "?", Agent: agent, Golds: []scoring.Query{{SQL: query.String(), Ran: true, Result: wide(30, 300, 0)}},
		Pred: scoring.Query{SQL: query.String() + " WHERE x", Ran: true, Result: wide(30, 300, 3)},
	}
	if err := w.WriteCases(t.Context(), "1", []*scoring.Case{c}); err != nil {
		t.Fatal(err)
	}
	run := sitetest.Run{ID: showcase.ID, Metrics: []string{"hybrid_ex", "relation"}}
	if err := run.Score(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	p := seeWide(t, as(siteOver(t, w), identity.Read))
	split, rows := p.Find("table.result thead th[scope=colgroup]").Length(), p.Find("table.result tbody tr").Length()
	if split != splitShown || rows != someRows {
		t.Errorf("%d columns that differ in %d rows, expected %d in %d", split, rows, splitShown, someRows)
	}
	text := words(p.Find("table.result").Parent().Next())[0]
	if !strings.Contains(text, "more columns differ") || !strings.Contains(text, "columns agree and are not shown") || len(text) > 1000 {
		t.Errorf("below the table: %.1200q", text)
	}
	if n := p.Find("table.cells").Length(); n != 0 {
		t.Errorf("%d tables of all cells", n)
	}
}

// seeWide is the page of the wide case, which has the text of both queries.
func seeWide(t *testing.T, h http.Handler) *seen {
	t.Helper()
	s := caseState{List: store.State{RunID: showcase, Mode: store.All, Page: 1, Size: store.DefaultSize}, Case: "wide"}
	p := visit(t, h, s.address(), "")
	p.check(t, 1_000_000)
	return p
}

// BenchmarkCasePage opens a case of two results of 10,000 rows and 50 columns, from the warehouse to
// the whole page.
func BenchmarkCasePage(b *testing.B) {
	w := emptyStore(b)
	agent := scoring.Agent{Name: showcase.Agent, Version: showcase.Version, BatchID: showcase.Batch}
	c := &scoring.Case{ID: "wide", Question: "?", Agent: agent, Golds: []scoring.Query{{Ran: true, Result: wide(10_000, 50, 0)}}, Pred: scoring.Query{Ran: true, Result: wide(10_000, 50, 3)}}
	if err := w.WriteCases(b.Context(), "1", []*scoring.Case{c}); err != nil {
		b.Fatal(err)
	}
	run := sitetest.Run{ID: showcase.ID, Metrics: []string{"hybrid_ex", "relation", "verdict"}}
	if err := run.Score(b.Context(), w); err != nil {
		b.Fatal(err)
	}
	h := as(siteOver(b, w), identity.Read)
	for name, show := range map[string]caseview.States{"differences": 0, "all": caseview.All} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s := caseState{List: store.State{RunID: showcase, Mode: store.All, Page: 1, Size: store.DefaultSize}, Case: "wide", Show: show}
				rw := httptest.NewRecorder()
				if h.ServeHTTP(rw, httptest.NewRequest(http.MethodGet, s.address(), nil)); rw.Code != http.StatusOK || strings.Count(rw.Body.String(), "<tr") < 100 {
					b.Fatal(rw.Code)
				}
			}
		})
	}
}

// wide is a result of numbers, of which every hundredth is larger by some number.
func wide(rows, columns int, by int64) scoring.Result {
	var out []scoring.Column
	for c := range columns {
		x := scoring.NewBuilder(fmt.Sprintf("column_%d", c), scoring.Decimal, rows)
		for i := range rows {
			n := int64(i*columns + c)
			if c > 0 && (i+c)%100 == 0 {
				n += by
			}
			x.Append(scoring.DecimalValue(n, 2))
		}
		out = append(out, x.Column())
	}
	t, _ := scoring.NewTable(out...)
	return scoring.Result{Table: t}
}
