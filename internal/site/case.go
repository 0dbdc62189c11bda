package site

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/labelling"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// The page shows one case of a run.
var _ = register(
	&page{name: "case", pattern: "GET /case", ofRun: true, perCase: true, role: identity.Read, show: (*Site).oneCase})

// caseState is the state of a case's page: the list that it was opened from, the case, and the part of its cells.
type caseState struct {
	List   store.State
	Case   string
	Metric string // whose score is explained; empty: the page's choice
	Gold   int    // the accepted answer that is compared; 0: the one that counted
	Show   caseview.States
	Layout caseview.Arrangement
	From   int  // the first row, or cell of the list
	Raw    bool // the queries as they were written
	Whole  bool // text is not cut
}

// parseCase reads the state in the query of an address.
func (s *Site) parseCase(v url.Values) (c caseState, err error) {
	if c.List, err = s.listOf(v); err != nil {
		return c, err
	}
	if c.Case = v.Get("case"); c.Case == "" {
		return c, errcode.New(errcode.InvalidArgument, "case: expected the id of a case")
	}
	c.Metric, c.Raw, c.Whole = v.Get("metric"), v.Get("sql") == "raw", v.Get("texts") == "whole"
	if c.Show, err = caseview.ParseStates(v.Get("show")); err != nil {
		return c, err
	}
	if c.Layout, err = caseview.ParseArrangement(v.Get("layout")); err != nil {
		return c, err
	}
	for _, n := range []struct {
		key  string
		into *int
	}{{"gold", &c.Gold}, {"from", &c.From}} {
		text := v.Get(n.key)
		if text == "" {
			continue
		}
		if *n.into, err = strconv.Atoi(text); err != nil || *n.into < 0 || *n.into > 1<<30 {
			return c, errcode.New(errcode.InvalidArgument, "%s: %.40q, expected a whole number from 0", n.key, text)
		}
	}
	return c, nil
}

// address returns the address of the page. Default values are omitted.
func (s caseState) address() string {
	v := s.List.Values()
	v.Set("case", s.Case)
	set := func(key, value string) {
		if value != "" {
			v.Set(key, value)
		}
	}
	set("metric", s.Metric)
	set("show", s.Show.String())
	if s.Layout != caseview.Merged {
		set("layout", string(s.Layout))
	}
	if s.Gold > 0 {
		v.Set("gold", strconv.Itoa(s.Gold))
	}
	if s.From > 0 {
		v.Set("from", strconv.Itoa(s.From))
	}
	if s.Raw {
		v.Set("sql", "raw")
	}
	if s.Whole {
		v.Set("texts", "whole")
	}
	return address("/case", v)
}

// with is the address of the page with something changed. Other rows begin with the first.
func (s caseState) with(change func(*caseState)) string {
	from := s.From
	change(&s)
	if s.From == from {
		s.From = 0
	}
	return s.address()
}

// choice is one of several things that the page can show.
type choice struct {
	Text    string
	Address string
	Here    bool
}

// legend is a state of cells with how many are in it. Its link chooses the rows that have such cells.
type legend struct {
	caseview.StateCount
	choice
}

// onecase is the content of the page.
type onecase struct {
	*caseview.View
	State caseState
	Shown *scoreLink // the score that is explained

	List      string // address of the list that the case was opened from
	Neighbour store.Neighbours
	Before    string // address of the case before; "": none
	After     string

	Ribbon    *ribbon
	Legend    []legend
	Differing choice // the rows that differ
	Every     choice
	Layouts   []choice
	To        int // the last row of the page, from 1
	First     string
	Previous  string
	Next      string

	Golds     []goldChoice
	Queries   []query
	Raw       choice
	Whole     *choice // shows cut text in full; nil if nothing was cut
	Relations []relationPart
	Metrics   []metricScores
	Short     bool       // only what differs and why
	Brief     *shortCase // of a short page
	LeftOut   int        // metrics of the run that are not shown

	Labels  []store.LoggedLabel // the labels of the answer, latest first
	Control *labelControl       // nil: the user may not label
	Masked  bool
}

// goldChoice is an accepted answer with the address that compares it.
type goldChoice struct {
	caseview.Gold
	Number  int
	Address string
	Here    bool
}

// query is one of the two queries.
type query struct {
	Name   string
	Groups []sqlGroup
	Text   string
}

// sqlGroup is neighbouring parts of a query that one of the queries or both have.
type sqlGroup struct {
	In    caseview.Side // empty: both
	Parts []caseview.SQLPart
}

// Plain is the text of the group, which is of one side.
func (g sqlGroup) Plain() string {
	var b strings.Builder
	for _, p := range g.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// grouped puts neighbouring parts of one side together, with the blanks between them.
func grouped(parts []caseview.SQLPart) (out []sqlGroup) {
	var blank []caseview.SQLPart
	for _, p := range parts {
		if p.Kind == caseview.SQLSpace {
			blank = append(blank, p)
			continue
		}
		n := len(out)
		same := n > 0 && out[n-1].In == p.In
		switch {
		case same:
			out[n-1].Parts = append(out[n-1].Parts, blank...)
		case len(blank) > 0 && n > 0 && out[n-1].In == "":
			out[n-1].Parts = append(out[n-1].Parts, blank...)
		case len(blank) > 0:
			out = append(out, sqlGroup{Parts: blank})
			same = p.In == ""
		}
		blank = nil
		if !same {
			out = append(out, sqlGroup{In: p.In})
		}
		out[len(out)-1].Parts = append(out[len(out)-1].Parts, p)
	}
	return out
}

// relationPart is a relation that holds, with the address of its cases.
type relationPart struct {
	caseview.HeldRelation
	Address string
}

// metricScores are the scores of a group of metrics.
type metricScores struct {
	Group  string
	Scores []scoreLink
}

// scoreLink is a score with the address of all cases with its reason.
type scoreLink struct {
	caseview.Score
	Reasons string // "": none
	Here    bool
}

// Verdict is the score's verdict or status, as the template status has it.
func (s scoreLink) Verdict() string { return verdictOf(&s.Score) }

func verdictOf(s *caseview.Score) string {
	switch {
	case s.Status == "failed":
		return "error"
	case s.Status != "ok":
		return string(s.Status)
	case s.Passed == nil:
		return ""
	case *s.Passed:
		return "passed"
	}
	return "failed"
}

func (s *Site) oneCase(r *http.Request) (content, error) {
	ctx := r.Context()
	state, err := s.parseCase(r.URL.Query())
	if err != nil {
		return content{}, err
	}
	p, err := s.reader(ctx)
	if err != nil {
		return content{}, err
	}
	detail, err := detailOf(ctx, p, &state)
	if err != nil {
		return content{}, err
	}
	in, err := s.storedOf(ctx, detail, state.List.RunID)
	if err != nil {
		return content{}, err
	}
	in.Mask = s.mask
	if s.o.Snapshots != nil {
		in.Snapshots = s.o.Snapshots
	}
	o := caseview.CellOptions{Show: state.Show, Layout: state.Layout, From: state.From, Rest: shortRest, Rows: rowsOf(ctx)}
	if state.Whole {
		o.Rest = 0
	}
	v, err := caseview.Build(ctx, in,
		caseview.Options{Metric: s.headline(&state, detail.Scores), Gold: state.Gold, Cells: o})
	if err != nil {
		return content{}, err
	}
	out := &onecase{View: v, State: state, List: casesAddress(state.List), Labels: detail.Labels, Masked: v.Masked}
	if detail.Answer.Err != nil {
		why := detail.Answer.Err.Error()
		if !s.mask.None() {
			why = caseview.Withheld
		}
		v.Notes = append(v.Notes, "The case cannot be read: "+why)
	} else if detail.Unanswered() {
		v.Notes = append(v.Notes, "The agent gave no answer.")
	} else if !detail.Answered {
		v.Notes = append(v.Notes, "The answer is not in this warehouse: only its scores are.")
	}
	if out.Masked || detail.Answer.Err != nil && !s.mask.None() { // notes are free text
		for i := range out.Labels {
			if out.Labels[i].Note != "" {
				out.Labels[i].Note = caseview.Withheld
			}
		}
	}
	if err := out.adjacent(ctx, p); err != nil {
		return content{}, err
	}
	// else there is nothing to look at
	if s.o.Labels && caller(ctx).May(identity.Label) && detail.Answer.Case != nil && !detail.Unanswered() {
		if out.Control, err = s.controlOnOtherPage(r, detail.Answer.AnswerID, labelling.AnswerHash(detail.Answer.Case),
			state.address()); err != nil {
			return content{}, err
		}
		out.Control.Keys = true
	}
	out.Short = heldIn(ctx) != nil && heldIn(ctx).brief
	out.shorten()
	out.cells()
	out.texts()
	if out.Shown != nil && !s.mask.Filters("reason") {
		out.Shown.Reasons = ""
	}
	if out.Short {
		out.abridge(heldIn(ctx).runs[state.List.RunID].of)
	}
	run := state.List.RunID
	return content{Title: "Case " + state.Case, Run: &run, Page: out, Short: out.Short}, nil
}

// headline is the metric whose score heads the page: the one that is asked for, else that of the list,
// so that all cases of a list have the same.
func (s *Site) headline(state *caseState, scores []store.CaseScore) string {
	names := make([]string, len(scores))
	for i := range scores {
		names[i] = scores[i].Metric
	}
	switch {
	case state.Metric != "" || len(names) == 0:
		return state.Metric
	case slices.Contains(names, state.List.Metric):
		return state.List.Metric
	}
	if primary := s.primary(names); slices.Contains(names, primary) {
		return primary
	}
	return ""
}

// adjacent finds the previous and the next case in the list.
func (c *onecase) adjacent(ctx context.Context, p *store.Pages) (err error) {
	if c.Neighbour, err = neighboursOf(ctx, p, &c.State); err != nil {
		return err
	}
	if id := c.Neighbour.Before; id != "" {
		c.Before = c.neighbour(id)
	}
	if id := c.Neighbour.After; id != "" {
		c.After = c.neighbour(id)
	}
	return nil
}

// neighbour is the address of another case of the list, shown the same way.
func (c *onecase) neighbour(id string) string {
	return c.State.with(func(s *caseState) { s.Case, s.Gold = id, 0 })
}

// cells fills in what surrounds the cells.
func (c *onecase) cells() {
	if c.View.Cells == nil {
		return
	}
	cells, state := c.View.Cells, c.State
	if c.Short {
		c.To = cells.From + len(cells.Page)
		return
	}
	c.Ribbon = newRibbon(c.View.Mapping)
	for _, n := range cells.Counts {
		one := caseview.Set(n.State)
		here := state.Show != caseview.All && state.Show.Has(n.State)
		next := state.Show | one
		if state.Show == caseview.All {
			next = one
		} else if here {
			next = state.Show &^ one
		}
		c.Legend = append(c.Legend,
			legend{n, choice{n.State.Words(), state.with(func(s *caseState) { s.Show = next }), here}})
	}
	c.Differing = choice{"only differences", state.with(func(s *caseState) { s.Show = 0 }), state.Show == 0}
	c.Every = choice{"all rows", state.with(func(s *caseState) { s.Show = caseview.All }), state.Show == caseview.All}
	for _, l := range []struct {
		layout caseview.Arrangement
		text   string
	}{{caseview.Merged, "gold over answer"}, {caseview.Beside, "side by side"}, {caseview.List, "list of cells"}} {
		c.Layouts = append(c.Layouts,
			choice{l.text, state.with(func(s *caseState) { s.Layout = l.layout }), cells.Layout == l.layout})
	}
	n := max(len(cells.Page), len(cells.List))
	c.To = cells.From + n
	at := func(from int) string {
		state.From = from
		return state.address()
	}
	if cells.From > 0 {
		c.First, c.Previous = at(0), at(max(0, min(cells.From, cells.Total)-caseview.DefaultRows))
	}
	if c.To < cells.Total && n > 0 {
		c.Next = at(c.To)
	}
}

// The lengths at which text is cut, in characters.
const (
	shortText    = 1000
	shortMessage = 2500 // of a prompt
	shortRest    = 400  // of a value, behind where it is folded
)

// shorten cuts long texts, unless they were asked for whole.
func (c *onecase) shorten() {
	was := false
	cut := func(s *string, n int) {
		if short := cutText(*s, n); short != *s {
			was, *s = true, short
		}
	}
	if c.State.Whole {
		c.Whole = &choice{Text: "cut long texts", Address: c.State.with(func(s *caseState) { s.Whole = false })}
		return
	}
	v := c.View
	for _, s := range []*string{&v.Question, &v.Evidence, &v.Interpretation, &v.Response, &v.AgentError} {
		cut(s, shortText)
	}
	for _, list := range [][]string{v.Tools, v.Notes} {
		for i := range list {
			cut(&list[i], shortText)
		}
	}
	for i := range v.Scores {
		cut(&v.Scores[i].Reason, shortText)
	}
	for i := range c.Labels {
		cut(&c.Labels[i].Note, shortText)
	}
	if v.Judge != nil {
		for i := range v.Judge.Asked {
			a := &v.Judge.Asked[i]
			cut(&a.Reply, shortMessage)
			for k := range a.Decoded {
				cut(&a.Decoded[k].Text, shortText)
			}
			for k := range a.Question {
				cut(&a.Question[k].Text, shortMessage)
			}
		}
	}
	if was {
		c.Whole = &choice{Text: "show long texts whole", Address: c.State.with(func(s *caseState) { s.Whole = true })}
	}
}

// cutText returns the first n characters of s, with its length if it is longer.
func cutText(s string, n int) string {
	if len(s) <= n+40 {
		return s
	}
	length := utf8.RuneCountInString(s)
	if length <= n+40 {
		return s
	}
	return string([]rune(s)[:n]) + "… (" + count(length) + " characters)"
}

// texts fills in queries, accepted answers, relations and scores.
func (c *onecase) texts() {
	v, state := c.View, c.State
	for i := range v.Golds {
		g := goldChoice{Gold: v.Golds[i], Number: i + 1, Here: v.Gold == i+1}
		g.Address = state.with(func(s *caseState) {
			if s.Gold = i + 1; g.Counted {
				s.Gold = 0
			}
		})
		c.Golds = append(c.Golds, g)
	}
	c.Queries = []query{{"Accepted query", grouped(v.Queries.Gold), v.Queries.RawGold},
		{"Query of the answer", grouped(v.Queries.Agent), v.Queries.RawAgent}}
	c.Raw = choice{"as written", state.with(func(s *caseState) { s.Raw = !s.Raw }), state.Raw}
	if c.Raw.Here {
		c.Raw.Text = "laid out and compared"
	}
	filtered := func(column, value string) string {
		return casesAddress(
			store.State{RunID: state.List.RunID, Mode: store.All, Page: 1, Size: store.DefaultSize,
				Filters: []store.ListFilter{{Column: column, Op: store.Equal, Value: value}}})
	}
	if v.Relations != nil {
		for _, h := range v.Relations.Holds {
			c.Relations = append(c.Relations, relationPart{h, filtered("relation", h.Name)})
		}
	}
	for i := range v.Scores {
		s := scoreLink{Score: v.Scores[i], Here: v.Asked != nil && v.Asked.Metric == v.Scores[i].Metric}
		group := s.Group
		if group == "" {
			group = "custom"
		}
		if n := len(c.Metrics); n == 0 || c.Metrics[n-1].Group != group {
			c.Metrics = append(c.Metrics, metricScores{Group: group})
		}
		of := &c.Metrics[len(c.Metrics)-1]
		of.Scores = append(of.Scores, s)
	}
	if a := v.Asked; a != nil {
		c.Shown = &scoreLink{Score: *a}
		if a.Reason != "" && a.Reason != caseview.Withheld && len(a.Reason) <= shortText {
			c.Shown.Reasons = filtered("reason", a.Reason)
		}
	}
}
