package site

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/badger-eval/badger/internal/export"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// The page lists the cases of a run.
var _ = register(
	&page{name: "cases", pattern: "GET /cases", nav: "All answers", place: 100, ofRun: true, noted: true,
		inReport: (*staticPlan).lists, role: identity.Read, show: (*Site).cases})

// lists adds the lists of a run's cases, except those of changes, to the static report. The first page of a list also
// has the addresses without page size and without baseline, which other pages link to.
func (l *staticPlan) lists(p *page, of *staticRun) {
	for _, mode := range l.modesOf(of.run) {
		if ofChanges(mode) { // the page of changes lists these
			continue
		}
		name := p.name
		if mode != store.All {
			name = string(mode)
		}
		state := l.state(of.run, mode)
		for n := range l.pagesOf(mode, len(of.ids[mode])) {
			at, number := state, ""
			at.Page = n + 1
			var also []string
			if n > 0 {
				number = "-page-" + strconv.Itoa(n+1)
			} else {
				bare := state
				bare.Size = store.DefaultSize
				also = append(also, casesAddress(bare))
				bare.Baseline = scoring.RunID{}
				also = append(also, casesAddress(bare))
			}
			l.add(p, casesAddress(at), name+of.suffix+number, also...)
		}
	}
}

// pagesOf returns the number of pages of a list with the given number of cases. In a report in one file it is 1 for the
// modes All, StillRight and Unasked: a script pages through the list of all cases.
func (l *staticPlan) pagesOf(mode store.Mode, cases int) int {
	if l.file && (mode == store.All || mode == store.StillRight || mode == store.Unasked) {
		return 1
	}
	return max(1, (cases+pageSize-1)/pageSize)
}

// modeNames are the display names of the modes. A mode without a name has no link.
var modeNames = map[store.Mode]string{
	store.All: "All", store.Failed: "Failed", store.Passed: "Passed", store.Errors: "Errors", store.Abstained: "Abstained",
	store.Changed:   "Changed",
	store.Disagrees: "Disagrees with labels", store.Unlabelled: "Unlabelled",
}

// caseList is the content of the list of cases.
type caseList struct {
	State    store.State
	Metric   string
	Modes    []modeLink
	Pills    []pill       // filters and search, each with a link that removes it
	Kept     []hidden     // hidden fields that keep the state in forms that change a part of it
	Queue    string       // address of the form that creates a queue of the list's cases
	Heads    []columnHead // headings of the metrics and other columns
	Case     columnHead
	Question columnHead
	Status   columnHead
	Rows     []caseRow
	Of       int64 // number of cases in the mode
	From, To int
	Before   string
	After    string
	Left     int64 // number of cases that the search did not cover
	Columns  []string
	Ops      []store.Op
	Metrics  []columnChoice
	Sizes    []int
	Exports  []namedAddress
	Unfilter string // address of the list without filters and search
	Compared bool   // the list has a baseline
	// SearchError is the error of an invalid search, whose text is Typed; Code is then the HTTP status.
	SearchError string
	Typed       string
	Code        int
	Masked      bool // questions, queries, reasons and tags are withheld
}

// modeLink is a link to a list in another mode, with its number of cases.
type modeLink struct {
	Name    string
	N       int64
	Address string
	Here    bool
}

// pill is a filter or the search of a list.
type pill struct {
	Text    string
	Without string // address of the list without it
}

// hidden is a hidden field of a form.
type hidden struct{ Name, Value string }

// namedAddress is a link: an address with its text.
type namedAddress struct{ Text, Address string }

// columnHead is the heading of a column. Its address sorts the list by the column.
type columnHead struct {
	Name    string
	Address string
	Sorted  string // ascending, descending or none
}

// columnChoice is a metric that the user can show as a column.
type columnChoice struct {
	Metric string
	Shown  bool
}

// caseRow is the row of one case in a list.
type caseRow struct {
	store.CaseRow
	Address  string
	Status   string // status or verdict, see statusOf
	Reason   string
	Relation string
	SameOf   map[string]string // by column, the address of the list of cases with the same value
	TagLinks []namedAddress
	Cells    []scoreCell
	Ready    *readyRow // the row of a static report, without links on its values; else nil
}

// scoreCell is a score of a metric.
type scoreCell struct {
	Value  *float64
	Label  string
	Status string // if there is no value
	Same   string // address of the list of cases with the same label
}

func (s *Site) cases(r *http.Request) (content, error) {
	ctx := r.Context()
	v := caseList{}
	state, err := s.searchedList(r.URL.Query(), &v)
	if err != nil {
		return content{}, err
	}
	p, err := s.reader(ctx)
	if err != nil {
		return content{}, err
	}
	list, err := p.List(ctx, state)
	if err != nil {
		return content{}, err
	}
	counts, err := countsOf(ctx, list)
	if err != nil {
		return content{}, err
	}
	v.State, v.Metric, v.Masked = state, list.State.Metric, !s.mask.None()
	v.Of, v.Compared = counts[state.Mode], state.Baseline != (scoring.RunID{})
	for _, m := range store.Modes {
		if m == store.Changed && !v.Compared || modeNames[m] == "" {
			continue
		}
		v.Modes = append(v.Modes, modeLink{modeNames[m], counts[m], casesAddress(state.In(m)), m == state.Mode})
	}
	metrics := shownMetrics(list)
	rows, err := rowsOfPage(ctx, list, append([]string{v.Metric, "relation"}, metrics...))
	if err != nil {
		return content{}, err
	}
	if v.Left, err = list.Unsearched(ctx); err != nil {
		return content{}, err
	}
	for i := range rows {
		s.withholdRow(&rows[i])
		row := rowOfCase(&rows[i], state, v.Metric, metrics)
		if h := heldIn(ctx); h != nil && !state.Tall {
			row.Ready = newReadyRow(&row)
		}
		v.Rows = append(v.Rows, row)
	}
	v.Columns = s.shownColumns()
	v.frame(list, metrics)
	return content{Title: modeNames[state.Mode] + " cases", Run: &state.RunID, Page: v, Status: v.Code,
		Poll: list.Run.Status == "running"}, nil
}

// shownMetrics returns the metrics with columns in addition to the primary one: those that the user chose, and those
// that the list is filtered or sorted by.
func shownMetrics(list *store.List) []string {
	s := &list.State
	var out []string
	add := func(name string) {
		known := slices.ContainsFunc(list.Shape.Metrics, func(m store.MetricShape) bool { return m.Metric == name })
		if known && name != s.Metric && name != "relation" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, c := range s.Columns {
		add(c)
	}
	for _, f := range s.Filters {
		add(f.Column)
	}
	add(s.Sort.Column)
	return out
}

// frame sets what surrounds the rows: headings, filters, forms, exports, and links to other pages. metrics are the
// shown metrics in addition to the primary one.
func (v *caseList) frame(list *store.List, metrics []string) {
	s := v.State
	v.Ops, v.Sizes = store.Ops, []int{25, 50, 100, 250, 500}
	head := func(column, name string) columnHead {
		to := s
		to.Page, to.Sort = 1, store.Sort{Column: column}
		h := columnHead{Name: name, Sorted: "none"}
		if s.Sort.Column == column || s.Sort.Column == "" && column == "case" {
			h.Sorted, to.Sort.Descending = "ascending", true
			if s.Sort.Descending {
				h.Sorted, to.Sort.Descending = "descending", false
			}
		}
		if to.Sort == (store.Sort{Column: "case"}) { // the order of a list that says none
			to.Sort.Column = ""
		}
		h.Address = casesAddress(to)
		return h
	}
	v.Case, v.Question, v.Status = head("case", "case"), head("question", "question"), head("status", "status")
	if v.Masked {
		v.Question.Address = ""
	}
	v.Heads = append(v.Heads, head(v.Metric, v.Metric))
	for _, m := range metrics {
		v.Heads = append(v.Heads, head(m, m))
	}
	for _, c := range []string{"relation", "people", "latency"} {
		v.Heads = append(v.Heads, head(c, map[string]string{"latency": "ms"}[c]))
		if h := &v.Heads[len(v.Heads)-1]; h.Name == "" {
			h.Name = c
		}
	}
	for _, f := range s.Filters {
		v.Pills = append(v.Pills, pill{filterText(f), casesAddress(s.Without(f))})
	}
	if s.Search != "" {
		without := s
		without.Search, without.Regexp, without.Page = "", false, 1
		v.Pills = append(v.Pills, pill{"search " + s.Search, casesAddress(without)})
	}
	v.Unfilter = casesAddress(
		store.State{RunID: s.RunID, Baseline: s.Baseline, Metric: s.Metric, Mode: s.Mode, Columns: s.Columns, Size: s.Size,
			Tall: s.Tall})
	v.Kept = fields(s, "search", "regexp", "page", "size", "column", "rows")
	v.Queue = newQueueAddress(s)
	for _, m := range list.Shape.Metrics {
		if m.Metric != v.Metric && m.Metric != "relation" {
			v.Metrics = append(v.Metrics, columnChoice{m.Metric, slices.Contains(metrics, m.Metric)})
		}
	}
	for _, format := range export.Formats() {
		v.Exports = append(v.Exports, namedAddress{format.Name, exportAddress(s, format.Name)})
	}
	size := s.Size
	v.From, v.To = (s.Page-1)*size+1, (s.Page-1)*size+len(v.Rows)
	if s.Page > 1 {
		before := s
		before.Page--
		v.Before = casesAddress(before)
	}
	if int64(v.To) < v.Of && len(v.Rows) > 0 {
		after := s
		after.Page++
		v.After = casesAddress(after)
	}
}

// filterText describes a filter: those that lists of this site begin with in words, others as they are written.
func filterText(f store.ListFilter) string {
	switch {
	case f == store.ListFilter{Column: "status", Op: store.Equal, Value: "ok"}:
		return "with a score"
	case f.Op == store.NotEqual && f.Column == "label":
		return "label is not " + f.Value
	case f.Op == store.Equal && f.Value == "":
		return "no value of " + f.Column
	}
	return f.Column + " " + string(f.Op) + " " + f.Value
}

// fields returns the state s as hidden form fields, sorted by key, except those with the keys without.
func fields(s store.State, without ...string) (out []hidden) {
	values := s.Values()
	for _, key := range without {
		values.Del(key)
	}
	for _, key := range sortedKeys(values) {
		for _, value := range values[key] {
			out = append(out, hidden{key, value})
		}
	}
	return out
}

func sortedKeys(v url.Values) []string {
	keys := make([]string, 0, len(v))
	for key := range v {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// linkedRows is the maximum number of rows on a page whose values link to the cases with the same value. On longer
// pages these links would be most of the response.
const linkedRows = 100

func rowOfCase(c *store.CaseRow, s store.State, metric string, metrics []string) caseRow {
	primary, scored := c.Scores[metric]
	row := caseRow{CaseRow: *c, Address: caseAddress(s, c.ID), Reason: primary.Reason, SameOf: map[string]string{}}
	if scored {
		row.Status = statusOf(&primary)
	}
	if !s.Tall {
		row.Question, row.Reason = shortened(row.Question), shortened(row.Reason)
	}
	same := func(column, value string) string {
		if s.Size > linkedRows {
			return ""
		}
		return casesAddress(s.With(store.ListFilter{Column: column, Op: store.Equal, Value: value}))
	}
	if r, there := c.Scores["relation"]; there && r.Status == scoring.StatusOK {
		row.Relation = r.Label
	}
	for column, value := range map[string]string{"relation": row.Relation, "database": c.Database, "people": c.People} {
		row.SameOf[column] = same(column, value)
	}
	for _, tag := range c.Tags {
		row.TagLinks = append(row.TagLinks, namedAddress{tag, same("tag", tag)})
	}
	if c.TagsErr != nil {
		row.TagLinks = append(row.TagLinks, namedAddress{c.TagsErr.Error(), ""})
	}
	for _, m := range append([]string{metric}, metrics...) {
		cell := scoreCell{}
		if score, there := c.Scores[m]; there {
			if score.Status == scoring.StatusOK {
				value := score.Value
				cell.Value, cell.Label = &value, score.Label
				if _, err := strconv.ParseFloat(score.Label, 64); score.Label != "" && err != nil {
					cell.Same = same(m, score.Label)
				}
			} else {
				cell.Status = statusOf(&score)
			}
		}
		row.Cells = append(row.Cells, cell)
	}
	return row
}

// lineLength is the approximate number of characters that fit into a row of one line.
const lineLength = 90

// shortened returns the first lineLength characters of s and an ellipsis, or s if it is not longer.
func shortened(s string) string {
	n := 0
	for at := range s {
		if n++; n > lineLength {
			return s[:at] + "…"
		}
	}
	return s
}

// opName returns the display name of a comparison operator.
func opName(op store.Op) string {
	if op == store.Contains {
		return "contains"
	}
	return string(op)
}

// statusOf returns the score's status or verdict in the terms of the template status: error, unanswered, scored,
// passed, failed, or the status itself.
func statusOf(s *scoring.Score) string {
	switch {
	case s.Status == scoring.StatusFailed:
		return "error"
	case s.Unanswered():
		return "unanswered"
	case s.Status != scoring.StatusOK:
		return string(s.Status)
	case s.Passed == nil:
		return "scored"
	case *s.Passed:
		return "passed"
	}
	return "failed"
}
