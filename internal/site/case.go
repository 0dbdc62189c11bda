package site

import (
	"cmp"
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
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/scoring/relation"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// The page shows one case of a run.
var _ = register(
	&page{name: "case", pattern: "GET /case", ofRun: true, perCase: true, role: identity.Read, show: (*Site).oneCase})

// caseState is the state of a case's page, as its address encodes it: the list that it was opened from, the case, and
// how its cells and texts are shown.
type caseState struct {
	List   store.State
	Case   string
	Metric string // the metric whose score is explained; "" lets headline choose
	Gold   int    // number of the gold answer to compare with, from 1; 0: the one that was scored
	Show   caseview.States
	Layout caseview.Arrangement
	From   int  // offset of the first row, or of the first cell in the list layout
	Raw    bool // show the queries as written, not formatted and compared
	Whole  bool // long texts are not shortened
}

// parseCase parses the state of the page from the query of an address.
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

// with returns the address of the page after change was applied to a copy of s. If change keeps From, the rows begin at
// 0.
func (s caseState) with(change func(*caseState)) string {
	from := s.From
	change(&s)
	if s.From == from {
		s.From = 0
	}
	return s.address()
}

// choice is a link to a variant of the page; Here marks the current one.
type choice struct {
	Text    string
	Address string
	Here    bool
}

// legend is a cell state with its number of cells. Its link adds rows with such cells to the selection, or removes
// them.
type legend struct {
	caseview.StateCount
	choice
}

// onecase is the content of the page of one case.
type onecase struct {
	*caseview.View
	State   caseState
	Shown   *scoreLink // the score that is explained
	Finding *finding   // verdict and reason of the explained score; nil without a score
	Kick    []string   // tags shown above the question, such as its difficulty

	List      string // address of the list that the case was opened from
	ListName  string // name of the list
	Neighbour store.Neighbours
	Before    string // address of the case before; "": none
	After     string

	Table     *cellTable // default view of the cells; nil if another view was chosen
	Legend    []legend
	Differing choice // selects the default view: some rows of each kind
	Every     choice
	Layouts   []choice
	To        int // number of the last row shown, counted from 1
	First     string
	Previous  string
	Next      string

	Golds     []goldChoice
	Queries   []query // the earlier answer's, if any, the answer's, and gold's
	Beside    string  // heading of the earlier answer: its agent version, or batch if versions are equal
	WasFound  *finding
	WasPage   string // address of the earlier answer
	step      *stepper
	wasHeld   string // label of refusal of the earlier answer, if the question calls for declining or asking back
	Judges    []judgeLine
	History   *history // nil if there are fewer than three batches
	Failed    int      // number of scores that did not pass
	Raw       choice
	Whole     *choice // shows cut text in full; nil if nothing was cut
	Relations []relationPart
	Metrics   []metricScores
	Short     bool       // the page is a shortened one of a static report
	Brief     *shortCase // content of the shortened page; nil unless Short
	LeftOut   int        // metrics of the run that are not shown

	Labels  []store.LoggedLabel // the labels of the answer, latest first
	Control *labelControl       // nil if the user may not label, or if the agent gave no readable answer
	Masked  bool
}

// goldChoice is an accepted answer with the address of the page that compares the answer with it.
type goldChoice struct {
	caseview.Gold
	Number  int
	Address string
	Here    bool
}

// query is a query shown on the page, with the verdict, response and error of the answer that it belongs to.
type query struct {
	Name   string
	Groups []sqlGroup
	Text   string
	Side   string // before, answer or gold

	Verdict *finding
	Said    string // the agent's response
	Error   string // the agent's error, if it failed
	Note    string
}

// sqlGroup is a run of consecutive parts of a query that are all in one side's query only, or all in both.
type sqlGroup struct {
	In    caseview.Side // empty: both
	Parts []caseview.SQLPart
}

// Plain returns the text of the group without markup.
func (g sqlGroup) Plain() string {
	var b strings.Builder
	for _, p := range g.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// grouped joins consecutive parts that have the same In. Whitespace between two parts of one group belongs to it.
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

// relationPart is a relation that holds between the results, with the address of the run's cases that have it.
type relationPart struct {
	caseview.HeldRelation
	Display string // the name that people read
	Kind    string // description of its class
	Address string
}

// metricScores holds the scores of a case for one group of metrics.
type metricScores struct {
	Group  string
	Scores []scoreLink
}

// scoreLink is a score with the address of the run's cases that have the same reason.
type scoreLink struct {
	caseview.Score
	Display string // the name that people read
	Reasons string // "": none
	Here    bool
}

// Verdict returns the score's verdict or status in the terms of the template status: passed, failed, error,
// not_applicable, abstained, or "" for a score without a verdict.
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
	short := heldIn(ctx) != nil && heldIn(ctx).brief
	o := caseview.CellOptions{Show: state.Show, Layout: state.Layout, From: state.From, Rest: shortRest}
	first := state.Show == 0 && state.Layout == caseview.Merged && state.From == 0
	if first {
		o.Some = someRows
	}
	if state.Whole {
		o.Rest = 0
	}
	var pr *pair
	options := caseview.Options{Metric: s.headline(&state, detail.Scores), Gold: state.Gold, Cells: o}
	if !short {
		if pr, err = s.pairOf(ctx, state.List.RunID, state.List.Baseline); err != nil {
			return content{}, err
		}
		if options.Before, err = s.earlierAnswer(ctx, p, pr, state.Case); err != nil {
			return content{}, err
		}
	}
	v, err := caseview.Build(ctx, in, options)
	if err != nil {
		return content{}, err
	}
	out := &onecase{View: v, State: state, List: casesAddress(state.List), ListName: listName(&state.List),
		Labels: detail.Labels, Masked: v.Masked}
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
	out.Short = short
	if options.Before != nil {
		out.wasHeld = heldLabel(options.Before.Scores)
	}
	out.find(s, detail.Unanswered())
	if pr != nil {
		if err := s.history(ctx, out, pr); err != nil {
			return content{}, err
		}
	}
	out.shorten()
	out.cells(first)
	out.texts()
	if out.Shown != nil && !s.mask.Filters("reason") {
		out.Shown.Reasons = ""
	}
	if out.Short {
		out.abridge(heldIn(ctx).runs[state.List.RunID].of)
	}
	run := state.List.RunID
	title := state.Case
	if out.Finding != nil && out.Finding.Word != "" {
		title += ": " + strings.ToLower(out.Finding.Word)
	}
	list := "cases"
	if ofChanges(state.List.Mode) {
		list = "compare"
	}
	return content{Title: title, Run: &run, Page: out, Short: out.Short, Step: out.step, List: list}, nil
}

// earlierAnswer reads the answer to the same question in the baseline run. It returns nil without a baseline, if the
// baseline is the run itself, or if the baseline has no readable answer to the question.
func (s *Site) earlierAnswer(ctx context.Context, p *store.Pages, pr *pair, id string) (*caseview.Input, error) {
	run, there := pr.baseline()
	if !there {
		return nil, nil
	}
	var in caseview.Input
	var err error
	if h := heldIn(ctx); h != nil && h.shown != nil && h.shown.earlier != nil {
		d := h.shown.earlier.cases[id]
		if d == nil || d.Answer.Case == nil {
			return nil, nil
		}
		in, err = caseview.StoredUnder(ctx, s.o.Warehouse, d, run, h.shown.earlier.config)
	} else {
		d, failed := p.Case(ctx, run, id)
		if errcode.Of(failed) == errcode.NotFound {
			return nil, nil // the question is new
		}
		if failed != nil {
			return nil, failed
		}
		if d.Answer.Case == nil {
			return nil, nil
		}
		in, err = s.storedOf(ctx, d, run)
	}
	if err != nil {
		return nil, err
	}
	in.Mask = s.mask
	if s.o.Snapshots != nil {
		in.Snapshots = s.o.Snapshots
	}
	return &in, nil
}

// earlierAnswers reads the answers to several questions in the baseline run; nil without a baseline.
func (s *Site) earlierAnswers(ctx context.Context, p *store.Pages, pr *pair, ids []string) (*heldAnswers, error) {
	run, there := pr.baseline()
	if !there {
		return nil, nil
	}
	rows, err := s.o.Warehouse.Runs(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	cases, err := p.ScoredCases(ctx, run, ids)
	return &heldAnswers{cases, caseview.ConfigOf(rows, run)}, err
}

// find sets the finding of the answer and that of the earlier answer, if any, with the tags and lines of judges.
func (c *onecase) find(s *Site, unanswered bool) {
	v := c.View
	c.Kick, c.Judges = kick(v), judged(v)
	if v.Asked != nil {
		names := make([]string, len(v.Scores))
		for i := range v.Scores {
			names[i] = v.Scores[i].Metric
		}
		c.Finding = newFinding(v.Asked, v.Reason, unanswered)
		if s := scoreIn(v, refusalMetric); s != nil && s.Label == overRefusal && c.Finding.Word == noAnswerWord {
			c.Finding.Why = relation.Sentence{{Text: asSentence(s.Reason)}} // it declined, or asked back
		}
		if c.Finding.Word == "" || v.Asked.Metric != s.primary(names) {
			c.Finding.By = metric.DisplayName(v.Asked.Metric)
		}
		if c.Finding.By != "" && c.Finding.Word != "" { // what was checked; a display name may read as a statement
			c.Finding.By = "Checked: " + c.Finding.By
		}
		if c.Finding.Class == "wrong" && v.Reason != nil && ofTies(v.Reason.Relation) {
			c.Finding.Word, c.Finding.By = "Wrong by "+v.Asked.Metric, "" // with another choice among ties it may be right
		}
		c.hold(unanswered)
		c.Finding.tag(c.Labels)
	}
	b := v.Before
	if b == nil {
		return
	}
	c.Beside = cmp.Or(b.Version, b.Batch, "before")
	if b.Version == v.AgentVersion {
		c.Beside = cmp.Or(b.Batch, b.Version, "before")
	}
	if b.Asked != nil {
		c.WasFound = newFinding(b.Asked, b.Reason, false)
		if b.Asked.Status == scoring.StatusNotApplicable && c.WasFound.Class == "none" && c.wasHeld != "" {
			word := verdictWords[c.wasHeld]
			c.WasFound = &finding{Class: word.Class, Word: upper(word.Text)}
		}
	}
	run := scoring.RunID{ID: b.Run, By: b.By}
	c.WasPage = caseAddress(store.State{RunID: run, Mode: store.All}, c.State.Case)
}

// hold replaces the finding of an answer to a question that calls for declining or asking back, and of a query that
// does more than read.
func (c *onecase) hold(unanswered bool) {
	v := c.View
	held := (*finding)(nil)
	switch asked := v.Asked; {
	case asked.Metric == safetyMetric && verdictOf(asked) == "failed":
		held = unsafeFinding(asked)
	case asked.Metric == refusalMetric, asked.Status == scoring.StatusNotApplicable && !unanswered:
		held = heldFinding(scoreIn(v, refusalMetric), scoreIn(v, safetyMetric))
	}
	if held == nil {
		return
	}
	c.Finding = held
	if s := scoreIn(v, safetyMetric); s != nil && verdictOf(s) == "failed" && held.Class == "wrong" &&
		scoring.ChangesData(s.Label) {
		held.Note = ranNote(v)
	}
}

// history holds the verdicts of a question over the batches of the agent.
type history struct {
	Strip       *strip
	Batches     string // number of batches in words, such as 39 nights
	First, Last string
	Says        string
}

// history sets c.History to the verdicts of the question in the agent's latest batches. It leaves it nil if there is no
// score or if there are fewer than three batches.
func (s *Site) history(ctx context.Context, c *onecase, pr *pair) error {
	if c.View.Asked == nil {
		return nil
	}
	var nights []night
	for _, m := range pr.t.ofAgent(pr.to.Of.Agent) {
		if m.Run.ID != "" {
			nights = append(nights, night{moment: m, Name: pr.t.name(&m)})
		}
	}
	nights = nights[max(0, len(nights)-stripBatches):]
	if len(nights) < 3 {
		return nil
	}
	of, err := s.standsOf(ctx, pr, nights, c.View.Asked.Metric, []string{c.State.Case})
	if err != nil {
		return err
	}
	h := &history{Strip: stripOf(nights, of, c.State.Case), First: nights[0].Name, Last: nights[len(nights)-1].Name}
	c.step = stepIn(nights, of, pr.to.Of.By, c.State.Case)
	for i := range h.Strip.Ticks {
		tick, run := &h.Strip.Ticks[i], nights[i].Run.RunID
		if of[run][c.State.Case] == "" {
			continue // the night does not have the question
		}
		tick.Tip = nights[i].Name + ": " + of.word(run, c.State.Case).Text
		h.Strip.Links = true
		tick.Address = caseAddress(store.State{RunID: run, Mode: store.All}, c.State.Case)
	}
	noun := pr.t.noun(pr.to.Of.Agent)
	h.Batches = things(len(nights), noun)
	right, asked := 0, 0
	for i := range nights {
		if nights[i].Of.By == pr.to.Of.By {
			break
		}
		switch of.word(nights[i].Run.RunID, c.State.Case).Class {
		case "right":
			right++
			asked++
		case "wrong":
			asked++
		}
	}
	if asked > 0 {
		h.Says = "Right in " + count(right) + " of " + things(asked, noun) + " before."
	}
	c.History = h
	return nil
}

// stepIn returns the links from a case of the night by to the same question in the nights before and after, unless it
// was not asked there.
func stepIn(nights []night, of stands, by scoring.By, id string) *stepper {
	at := slices.IndexFunc(nights, func(n night) bool { return n.Of.By == by })
	if at < 0 {
		return nil
	}
	out := &stepper{Text: nights[at].Name}
	for _, side := range []struct {
		at            int
		address, text *string
	}{{at - 1, &out.Before, &out.BeforeText}, {at + 1, &out.After, &out.AfterText}} {
		if side.at < 0 || side.at >= len(nights) {
			continue
		}
		if n := &nights[side.at]; of[n.Run.RunID][id] != "" {
			*side.text = n.Name
			*side.address = caseAddress(store.State{RunID: n.Run.RunID, Mode: store.All}, id)
		}
	}
	return out
}

// queries sets c.Queries: the earlier answer's query, if any, this answer's, and gold's.
func (c *onecase) queries() {
	v := c.View
	if b := v.Before; b != nil {
		c.Queries = append(c.Queries, query{
			Name: c.Beside, Side: "before", Groups: grouped(b.SQL), Text: b.RawSQL,
			Verdict: c.WasFound, Said: b.Response, Error: b.AgentError, Note: b.Note,
		})
	}
	name := "Answer"
	if c.Beside != "" {
		name = cmp.Or(v.AgentVersion, name)
		if name == v.Before.Version {
			name = cmp.Or(v.Batch, name)
		}
	}
	c.Queries = append(c.Queries,
		query{
			Name: name, Side: "answer", Groups: grouped(v.Queries.Agent), Text: v.Queries.RawAgent,
			Verdict: c.Finding, Said: v.Response, Error: v.AgentError,
		},
		query{Name: "Gold", Side: "gold", Groups: grouped(v.Queries.Gold), Text: v.Queries.RawGold},
	)
}

// headline returns the metric whose score heads the page: state.Metric if set, else the list's metric if the case has a
// score of it, else the primary metric. It returns "" if the case has a score of neither.
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

// adjacent sets the addresses of the previous and the next case in the list, if any.
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

// listName returns a display name for a list: its mode, and ", filtered" if it has filters or a search.
func listName(l *store.State) string {
	name := "All answers"
	if l.Mode != store.All {
		name = strings.ReplaceAll(string(l.Mode), "_", " ")
		name = strings.ToUpper(name[:1]) + name[1:]
	}
	if len(l.Filters) > 0 || l.Search != "" {
		name += ", filtered"
	}
	return name
}

// neighbour returns the address of case id of the same list, with the same view but the default gold answer.
func (c *onecase) neighbour(id string) string {
	return c.State.with(func(s *caseState) { s.Case, s.Gold = id, 0 })
}

// cells sets the table of cells if first, the legend, and the links to other layouts and pages of rows. It does nothing
// if the results were not compared.
func (c *onecase) cells(first bool) {
	if c.View.Cells == nil {
		return
	}
	cells, state := c.View.Cells, c.State
	if first {
		c.Table = newCellTable(c.View)
	}
	if c.Short {
		return
	}
	if first {
		if c.Beside != "" {
			c.Table.Was = c.Beside
		}
		c.Table.Every = state.with(func(s *caseState) { s.Show = caseview.All })
	}
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
	c.Differing = choice{"some of each kind", state.with(func(s *caseState) { s.Show, s.Layout = 0, caseview.Merged }),
		first}
	c.Every = choice{"all rows", state.with(func(s *caseState) { s.Show = caseview.All }), state.Show == caseview.All}
	if c.Table != nil {
		defer func() { c.Table.Layouts = c.Layouts }()
	}
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

// The lengths at which texts are shortened, in characters.
const (
	shortText    = 1000
	shortMessage = 2500 // of a prompt
	shortRest    = 400  // of the part of a value that is folded
)

// shorten shortens long texts of the page unless c.State.Whole is set. It sets c.Whole to the link that switches
// between both, if there is one.
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
	if v.Conversation != nil {
		for i := range v.Conversation.Earlier {
			t := &v.Conversation.Earlier[i]
			for _, s := range []*string{&t.Question, &t.SQL, &t.Response} {
				cut(s, shortText)
			}
		}
	}
	if v.Before != nil {
		cut(&v.Before.Response, shortText)
		cut(&v.Before.AgentError, shortText)
	}
	if v.Chart != nil {
		cut(&v.Chart.JSON, shortMessage)
		cut(&v.Chart.Gold, shortMessage)
	}
	for _, list := range [][]string{v.Tools, v.Notes, v.Contexts} {
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

// cutText returns s if it has at most n+40 characters, else its first n characters followed by the length of s.
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

// texts sets the accepted answers, queries, relations and scores, with their links.
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
	c.queries()
	c.Raw = choice{"show as written", state.with(func(s *caseState) { s.Raw = !s.Raw }), state.Raw}
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
			part := relationPart{h, relation.DisplayName(h.Name), classWords[h.Class], filtered("relation", h.Name)}
			c.Relations = append(c.Relations, part)
		}
	}
	for i := range v.Scores {
		s := scoreLink{Score: v.Scores[i], Display: metric.DisplayName(v.Scores[i].Metric),
			Here: v.Asked != nil && v.Asked.Metric == v.Scores[i].Metric}
		group := s.Group
		if group == "" {
			group = "custom"
		}
		if group = metric.GroupName(group); len(c.Metrics) == 0 || c.Metrics[len(c.Metrics)-1].Group != group {
			c.Metrics = append(c.Metrics, metricScores{Group: group})
		}
		if s.Passed != nil && !*s.Passed {
			c.Failed++
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
