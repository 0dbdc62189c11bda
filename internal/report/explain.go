package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// ExplainOptions select how much of a case is printed.
type ExplainOptions struct {
	Options
	Full bool // print whole texts: queries, prompts and replies of judges, all relations that were tested
}

// RenderCase writes the view of a case for a terminal.
func RenderCase(w io.Writer, v *caseview.View, o ExplainOptions) error {
	e := &explanation{View: v, printer: newPrinter(w, o.Options), full: o.Full}
	e.head()
	e.golds()
	e.comparison()
	e.list()
	e.relations()
	e.counterexample()
	e.queries()
	if e.full {
		e.chart()
		e.contexts()
	}
	e.statements()
	e.judge()
	e.scores()
	for _, n := range v.Notes {
		e.line()
		e.text("note: " + n)
	}
	return e.w.Flush()
}

type explanation struct {
	*caseview.View
	*printer
	full bool
}

// text prints text from data, escaped and wrapped.
func (e *explanation) text(s string) { e.indented("", s, plain) }

func (e *explanation) indented(indent, s string, st style) {
	lines := printable.Wrap(printable.Text(s), e.Width-len(indent))
	shown := e.shown(len(lines), textLines)
	for _, l := range lines[:shown] {
		e.line(span{indent, plain}, span{l, st})
	}
	e.cut(indent, len(lines)-shown, len(s))
}

// Maximum numbers of lines printed for text and for a query, unless --full is set.
const (
	textLines  = 20
	queryLines = 60
)

// shown returns how many of n lines are printed: all of them if they are at most most lines, or with --full.
func (e *explanation) shown(n, most int) int {
	if e.full {
		return n
	}
	return min(n, most)
}

// cut prints how many lines of size bytes were omitted, if any.
func (e *explanation) cut(indent string, lines, size int) {
	if lines > 0 {
		e.line(span{indent, plain}, span{fmt.Sprintf("and %s of %s: --full", printable.Count(lines, "more line"),
			printable.Count(size, "byte")), dim})
	}
}

// facts prints pairs of a name and a value on separate lines, without empty values.
func (e *explanation) facts(pairs ...string) {
	wide := 0
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			wide = max(wide, printable.Width(pairs[i]))
		}
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		lines := printable.Wrap(printable.Text(pairs[i+1]), e.Width-wide-len(gap))
		shown := e.shown(len(lines), textLines)
		for k, l := range lines[:shown] {
			name := ""
			if k == 0 {
				name = pairs[i]
			}
			e.line(span{printable.Pad(name, wide, false), dim}, span{gap, plain}, span{l, plain})
		}
		e.cut(printable.Pad("", wide, false)+gap, len(lines)-shown, len(pairs[i+1]))
	}
}

// turns writes the turns of the conversation before the question.
func (e *explanation) turns() {
	c := e.Conversation
	if c == nil {
		return
	}
	title := "a turn of a conversation"
	if c.Turn > 0 {
		title = fmt.Sprintf("turn %d of a conversation", c.Turn)
	}
	if c.ID != "" {
		title = strings.TrimSuffix(title, " a conversation") + " conversation " + printable.Text(c.ID)
	}
	e.line(span{title, dim})
	if c.Omitted > 0 {
		e.line(span{printable.Count(c.Omitted, "earlier turn") + " omitted", dim})
	}
	for _, t := range c.Earlier {
		e.facts("before", t.Question, "answer", cmp.Or(t.Response, t.SQL))
	}
}

// tokens returns the tokens of the answer, or "" if both numbers are unknown.
func (e *explanation) tokens() string {
	var parts []string
	for _, of := range []struct {
		n    *int64
		what string
	}{{e.TokensIn, "in"}, {e.TokensOut, "out"}} {
		if of.n != nil {
			parts = append(parts, strconv.FormatInt(*of.n, 10)+" "+of.what)
		}
	}
	return strings.Join(parts, ", ")
}

func (e *explanation) head() {
	of := scoring.By{Agent: e.Agent, Version: e.AgentVersion, Batch: e.Batch}.Of()
	if e.Run != "" {
		of = strings.TrimPrefix(of+", run "+e.Run, ", ")
	}
	e.line(span{"case " + printable.Text(e.CaseID), bold}, span{gap, plain}, span{printable.Text(of), dim})
	e.turns()
	e.text(e.Question)
	latency := ""
	if e.LatencyMS != nil {
		latency = printable.Figure(*e.LatencyMS, 4) + " ms"
		if e.GoldMS != nil {
			latency += " (gold " + printable.Figure(*e.GoldMS, 4) + " ms)"
		}
	}
	cost := ""
	if e.CostUSD != nil {
		cost = "$" + e.CostUSD.String()
	}
	e.facts("hint", e.Evidence, "expected", e.Behaviour, "understood as", e.Interpretation, "response", e.Response,
		"tools", e.tools(), "failed with", e.AgentError, "latency", latency, "cost", cost,
		"tokens", e.tokens())
	if s := e.Asked; s != nil {
		e.line()
		if e.Headline != "" {
			e.indented("", e.Headline, bold)
		}
		line := []span{{printable.Text(s.Metric) + " " + scoreText(s), bold}}
		if s.Passed != nil {
			line = append(line, span{gap, plain}, passedSpan(*s.Passed))
		}
		if s.Value != nil && *s.Value >= 0 && *s.Value <= 1 && s.Label == "" {
			line = append(append(line, span{gap, plain}), e.bar(*s.Value, 20)...)
		}
		e.line(line...)
		e.text(s.Reason)
		for _, w := range s.Warnings {
			e.indented("", "warning: "+w, yellow)
		}
	}
}

// tools returns the agent's tool calls in one line, each shortened unless full, with the forms they were parsed from.
func (e *explanation) tools() string {
	var out []string
	for _, t := range e.Tools {
		if !e.full {
			t = printable.Cut(t, 60, e.ellipsis)
		}
		out = append(out, t)
	}
	text := strings.Join(out, "; ")
	if len(e.ToolForms) > 0 {
		text += " (read as " + strings.Join(e.ToolForms, ", ") + ")"
	}
	return text
}

// scoreText formats the label of a score, else its value, or its status if it has no value. The score of a missing
// answer is "no answer": the metric applies, and the answer counts as not passed.
func scoreText(s *caseview.Score) string {
	switch {
	case s.Status == scoring.StatusNotApplicable && slices.Contains(scoring.UnansweredReasons(), s.Reason):
		return "no answer"
	case s.Value == nil:
		return string(s.Status)
	case s.Label != "":
		return printable.Text(s.Label)
	}
	return Value(*s.Value)
}

func passedSpan(passed bool) span {
	if passed {
		return span{"passed", green}
	}
	return span{"failed", red}
}

func (e *explanation) scores() {
	if len(e.Scores) < 2 {
		return
	}
	e.title("Scores", "")
	var g grid
	g.words("metric", 12)
	g.number("value")
	g.column("")
	g.words("reason", 20)
	left := 0
	for i := range e.Scores {
		s := &e.Scores[i]
		if !e.full && (s.Status == scoring.StatusNotApplicable || part(s.Metric)) {
			left++
			continue
		}
		passed := cellSpans(nil)
		if s.Passed != nil {
			passed = cellSpans{passedSpan(*s.Passed)}
		}
		g.add(text(printable.Text(s.Metric)), text(scoreText(s)), passed, inStyle(printable.Text(s.Reason), dim))
	}
	g.print(e.printer)
	if left > 0 {
		e.line(span{"and " + printable.Count(left, "metric") + " of single clauses or not applicable", dim})
	}
}

// part reports whether a metric is about a single clause of the query, such as component_f1_where.
func part(name string) bool {
	return strings.HasPrefix(name, "component_") && strings.Count(name, "_") > 1
}

func (e *explanation) golds() {
	if len(e.Golds) < 2 {
		return
	}
	e.title("Accepted answers", fmt.Sprintf("%d; number %d is compared", len(e.Golds), e.Gold))
	var g grid
	g.number("")
	g.number("hybrid_ex")
	g.column("")
	g.words("", 20)
	for i := range e.Golds {
		a := &e.Golds[i]
		value, counted := e.dash, cellSpans(nil)
		if a.Value != nil {
			value = Value(*a.Value)
		}
		if a.Counted {
			counted = inStyle("counts", green)
		}
		g.add(text(fmt.Sprint(i+1)), text(value), counted, inStyle(printable.Text(a.Reason), dim))
	}
	g.print(e.printer)
}

// comparison prints the mapping of columns and the rows that differ, in the layout of badger score.
func (e *explanation) comparison() {
	if e.Cells == nil {
		return
	}
	d := newDiffView(diffOfView(e.View), e.printer)
	how := "hybrid_ex " + Value(*e.Score)
	if !e.Stored {
		how += ", found now: no score of these results is stored"
	}
	e.title("Results", how)
	d.shapes()
	if e.Reshaped != "" {
		e.text("The score is 1 all the same: " + e.Reshaped)
	}
	if e.Order != "" {
		e.text(e.Order)
	}
	e.states()
	d.tables()
	if m := e.Mapping.Judge; m != nil {
		e.mappingJudge(m)
	}
}

// states prints the number of cells in each state.
func (e *explanation) states() {
	var parts []string
	for _, c := range e.Cells.Counts {
		if c.Cells > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", c.State.Words(), c.Cells))
		}
	}
	e.text("cells: " + strings.Join(parts, ", "))
}

func (e *explanation) mappingJudge(m *caseview.MappingJudge) {
	switch {
	case !m.Asked:
		e.text("A judge call is needed to map the columns, but no judge is configured.")
	case m.Unusable:
		e.text("A judge was asked to map the columns; its reply is invalid.")
	case m.Used:
		e.text("A judge was asked how the columns correspond; the mapping is the judge's, as far as the tables bear it out.")
	default:
		e.text("A judge was asked how the columns correspond; no more cells are equal under its mapping, so that of the evidence stands.")
	}
	for _, r := range m.Rejected {
		e.indented("  ", "rejected: "+r.Part+": "+r.Why, dim)
	}
}

// diffOfView converts the comparison of a case to the figures that badger score prints.
func diffOfView(v *caseview.View) *DiffFigures {
	c, m := v.Cells, v.Mapping
	f := &DiffFigures{
		Method: m.Method, Source: m.Source, Confidence: m.Confidence, Why: m.Why,
		Gold: Shape{c.Rows.Gold, len(m.Columns)}, Pred: Shape{c.Rows.Agent, len(m.Extra)},
		Matched: c.Rows.Matched, Equal: c.Rows.Equal, Differing: c.Rows.Differing, OnlyGold: c.Rows.Missing,
		OnlyPred: c.Rows.Extra,
	}
	numbers := map[int]bool{} // by gold position
	for i := range c.Columns {
		numbers[c.Columns[i].Gold] = c.Columns[i].Number
	}
	for i := range m.Columns {
		x := &m.Columns[i]
		d := DiffColumn{Gold: x.Name, GoldPosition: x.Position, By: x.By, Key: x.Key, Differing: x.Of - x.Equal,
			goldRight: numbers[x.Position], predRight: numbers[x.Position]}
		if x.Agent != nil {
			f.Pred.Columns++
			d.Pred, d.PredPosition = x.Agent.Name, x.Agent.Position
			d.Kind, d.Fact = x.Kind, x.Fact
		}
		f.Columns = append(f.Columns, d)
	}
	for i := range m.Extra {
		x := &m.Extra[i]
		f.Extra = append(f.Extra,
			ExtraColumn{x.Name, x.Position, x.Trivial,
				strings.HasPrefix(x.Type, "INT") || x.Type == "FLOAT64" || x.Type == "DECIMAL"})
	}
	for i := range c.Page {
		r := &c.Page[i]
		switch r.Kind {
		case caseview.MatchedRow:
			row := DiffRow{Gold: r.GoldRow, Pred: r.AgentRow}
			for k := range f.Columns {
				x := &r.Cells[k]
				row.Cells = append(row.Cells,
					DiffCell{storedText(x.Gold), storedText(x.Agent), x.State == caseview.Equal || x.State == caseview.Mapped})
			}
			f.Rows = append(f.Rows, row)
		case caseview.MissingRow:
			row := LoneRow{Row: r.GoldRow}
			for k := range f.Columns {
				row.Cells = append(row.Cells, storedText(r.Cells[k].Gold))
			}
			f.GoldRows = append(f.GoldRows, row)
		case caseview.ExtraRow:
			row := LoneRow{Row: r.AgentRow}
			for k := range r.Cells {
				row.Cells = append(row.Cells, storedText(r.Cells[k].Agent))
			}
			f.PredRows = append(f.PredRows, row)
		}
	}
	if f.Method == cell.MethodRows { // all rows agree: there is nothing to list
		f.Rows = nil
	}
	return f
}

func storedText(v *caseview.Value) *string {
	if v == nil || v.Null {
		return nil
	}
	return &v.Text
}

// list prints the cells that differ, one per line.
func (e *explanation) list() {
	if e.Cells == nil || len(e.Cells.List) == 0 {
		return
	}
	e.title("Cells that differ", fmt.Sprintf("%d of %d", len(e.Cells.List), e.Cells.Total))
	var g grid
	g.words("row", 8)
	g.words("column", 8)
	g.number("gold").flex = true
	g.cols[len(g.cols)-1].least = 10
	g.column("")
	g.words("answer", 10)
	g.number("by")
	g.number("of gold")
	for i := range e.Cells.List {
		d := &e.Cells.List[i]
		var key []string
		for k := range d.Key {
			v := d.Key[k].Gold
			if v == nil {
				v = d.Key[k].Agent
			}
			key = append(key, cellText(storedText(v)))
		}
		if len(key) == 0 {
			key = []string{fmt.Sprint(max(d.GoldRow, d.AgentRow))}
		}
		change := caseview.Change{}
		if d.Change != nil {
			change = *d.Change
		}
		side := func(v *caseview.Value, st style) cellSpans {
			if v == nil {
				return nil
			}
			return inStyle(cellText(storedText(v)), st)
		}
		sign := d.State.Sign()
		if !e.Unicode {
			sign = [...]string{"=", "~", "!=", "-", "+"}[d.State]
		}
		g.add(text(strings.Join(key, ", ")), text(printable.Text(e.Cells.Columns[d.Column].Label)), side(d.Gold, green),
			text(sign), side(d.Agent, red), text(change.Absolute), text(change.Relative))
	}
	g.print(e.printer)
	e.more(e.Cells.Total-len(e.Cells.List), "cell")
}

func (e *explanation) more(n int, what string) {
	if n > 0 {
		e.line(span{"and " + printable.Count(n, "more "+what), dim})
	}
}

func (e *explanation) queries() {
	q := &e.Queries
	if len(q.Gold)+len(q.Agent) == 0 {
		return
	}
	how := ""
	switch {
	case !q.Compared:
	case q.Same:
		how = "token by token the same"
	case e.Color:
		how = "marked: only in one of them"
	default:
		how = "{-only in gold-} {+only in the answer+}"
	}
	e.title("Queries", how)
	e.query("gold", q.Gold)
	e.query("answer", q.Agent)
}

// query prints a formatted query with marked differences. Lines that are too wide are broken.
func (e *explanation) query(name string, parts []caseview.SQLPart) {
	e.line(span{name, dim})
	if len(parts) == 0 {
		e.line(span{"  " + e.dash, dim})
		return
	}
	const indent = "  "
	line, used := []span{{indent, plain}}, len(indent)
	lines, size := 0, 0
	flush := func() {
		if lines++; e.full || lines <= queryLines {
			e.line(line...)
		}
		line, used = []span{{indent, plain}}, len(indent)
	}
	for i := range parts {
		p := &parts[i]
		size += len(p.Text)
		if p.Kind == caseview.SQLSpace {
			if k := strings.LastIndexByte(p.Text, '\n'); k >= 0 {
				flush()
				line, used = append(line, span{p.Text[k+1:], plain}), used+len(p.Text)-k-1
			} else {
				line, used = append(line, span{" ", plain}), used+1
			}
			continue
		}
		st := plain
		open, end := "", ""
		switch {
		case p.In == caseview.InGold:
			st, open, end = "4;32", "{-", "-}" // underlined: not by colour alone
		case p.In == caseview.InAgent:
			st, open, end = "4;31", "{+", "+}"
		case p.Kind == caseview.SQLKeyword:
			st = bold
		case p.Kind == caseview.SQLComment:
			st = dim
		}
		if e.Color {
			open, end = "", ""
		} else { // adjacent differences of the same kind are marked together
			if i > 0 && marked(parts, i, -1) == p.In {
				open = ""
			}
			if marked(parts, i, 1) == p.In {
				end = ""
			}
		}
		for k, l := range strings.Split(p.Text, "\n") {
			if k > 0 {
				flush()
			}
			t := printable.Text(strings.TrimSuffix(l, "\r"))
			if k == 0 {
				t = open + t
			}
			if k == strings.Count(p.Text, "\n") {
				t += end
			}
			for _, piece := range pieces(t, e.Width-len(indent)-2) {
				if w := printable.Width(piece); used > len(indent) && used+w > e.Width {
					flush()
					line, used = append(line, span{"  ", plain}), used+2
				}
				line, used = append(line, span{piece, st}), used+printable.Width(piece)
			}
		}
	}
	flush()
	e.cut(indent, lines-e.shown(lines, queryLines), size)
}

// marked returns the side of the nearest token before (step -1) or after (step 1) part i on the same line, or "".
func marked(parts []caseview.SQLPart, i, step int) caseview.Side {
	for i += step; i >= 0 && i < len(parts); i += step {
		if p := &parts[i]; p.Kind != caseview.SQLSpace {
			return p.In
		} else if strings.Contains(p.Text, "\n") {
			break
		}
	}
	return ""
}

// pieces splits s into pieces of at most n terminal columns.
func pieces(s string, n int) (out []string) {
	used, from := 0, 0
	for i, r := range s {
		if used += printable.RuneWidth(r); used > n {
			out, from, used = append(out, s[from:i]), i, printable.RuneWidth(r)
		}
	}
	return append(out, s[from:])
}

func (e *explanation) relations() {
	r := e.Relations
	if r == nil {
		return
	}
	how := "stored with the score"
	if !r.Stored {
		how = "computed now"
	}
	what := "How the results compare"
	if e.Cells == nil {
		what = "How the queries differ"
	}
	e.title(what, how)
	shown := r.Holds
	if !e.full {
		shown = shown[:min(len(shown), shownRelations)]
	}
	for i := range shown {
		h := &shown[i]
		e.line(span{h.Name, bold}, span{"  " + string(h.Class), dim})
		e.indented("  ", h.Text, plain)
		if len(h.Rows) > 0 {
			e.indented("  ", "rows "+numbers(h.Rows), dim)
		}
		e.indented("  ", h.People.Text(Percent(h.People.Chance), string(r.Policy)), dim)
	}
	e.more(len(r.Holds)-len(shown), "relation")
	if n := len(r.Tried); n > 0 {
		e.indented("",
			fmt.Sprintf("%d other %s tested, none of them holds. Shares of right answers are from %s.", n,
				printable.Verb(n, "way to differ was", "ways to differ were"), r.Source), dim)
	}
	if e.full {
		var names []string
		for _, t := range r.Tried {
			names = append(names, t.Name)
		}
		e.indented("  ", strings.Join(names, ", "), dim)
	}
}

// counterexample prints a small database on which the results of both queries differ, if one was found.
func (e *explanation) counterexample() {
	c := e.Counterexample
	if c == nil {
		return
	}
	e.title("Counterexample", "a small database on which both queries differ")
	e.text(c.Sentence)
	for _, t := range append(slices.Clone(c.Tables), c.Results...) {
		e.smallTable(&t)
	}
	if c.Inferred {
		e.indented("  ", "no schema was given: tables, columns, types and keys were inferred from both queries", dim)
	}
	if len(c.Breaks) > 0 {
		e.indented("  ",
			"no realistic database was found: this one breaks constraints inferred from the data: "+strings.Join(c.Breaks, "; "),
			dim)
	}
	if kept := slices.Concat(c.Constraints, c.Keeps); e.full && len(kept) > 0 {
		e.indented("  ", "it satisfies: "+strings.Join(kept, "; "), dim)
	}
}

// smallTable prints a table of a few rows with aligned columns.
func (e *explanation) smallTable(t *caseview.SmallTable) {
	e.line(span{"  " + printable.Text(t.Name), bold})
	if len(t.Rows) == 0 {
		e.line(span{"    no rows", dim})
		return
	}
	widths := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		widths[i] = printable.Width(printable.Text(c))
		for _, row := range t.Rows {
			widths[i] = max(widths[i], printable.Width(printable.Text(row[i])))
		}
	}
	write := func(cells []string, st style) {
		var b strings.Builder
		for i, cell := range cells {
			cell = printable.Text(cell)
			b.WriteString("  " + cell + strings.Repeat(" ", widths[i]-printable.Width(cell)))
		}
		e.line(span{"  " + strings.TrimRight(b.String(), " "), st})
	}
	write(t.Columns, dim)
	for _, row := range t.Rows {
		write(row, plain)
	}
}

func numbers(list []int) string {
	out := make([]string, len(list))
	for i, n := range list {
		out[i] = fmt.Sprint(n)
	}
	return strings.Join(out, ", ")
}

// chart writes the chart as data, with what was found in it.
func (e *explanation) chart() {
	c := e.Chart
	if c == nil {
		return
	}
	e.title("Chart", strings.Join(c.Marks, ", "))
	for _, f := range c.Findings {
		e.facts("finding", f.Text, "point", f.Point, "expected", f.Expected, "in chart", f.Got)
	}
	e.facts("agent", oneLine(c.JSON), "gold", oneLine(c.Gold))
}

// oneLine returns a JSON document without spaces between its parts, or text that is none unchanged.
func oneLine(text string) string {
	var out bytes.Buffer
	if json.Compact(&out, []byte(text)) != nil {
		return text
	}
	return out.String()
}

// contexts writes the passages that the agent retrieved.
func (e *explanation) contexts() {
	if len(e.Contexts) == 0 {
		return
	}
	e.title("Passages", printable.Count(len(e.Contexts), "passage")+" retrieved")
	for i, text := range e.Contexts {
		e.facts(fmt.Sprint(i+1), oneLine(text))
	}
}

// statements writes the statements of the response about passages, if a metric of passages is explained.
func (e *explanation) statements() {
	if len(e.Statements) == 0 || !e.full && (e.Asked == nil || !caseview.AboutPassages(e.Asked.Metric)) {
		return
	}
	e.title("Statements", printable.Count(len(e.Statements), "statement")+" of the response")
	for i := range e.Statements {
		s := &e.Statements[i]
		e.facts(s.Verdict, s.Text, "", s.Reason())
	}
}

func (e *explanation) judge() {
	j := e.Judge
	if j == nil {
		return
	}
	e.title("Judge", printable.Count(len(j.Asked), "answer"))
	for i := range j.Panels {
		e.panel(&j.Panels[i])
	}
	for i := range j.Asked {
		e.vote(&j.Asked[i])
	}
	for _, o := range j.Overruled {
		e.text(o)
	}
	if n := len(j.Unknown); n > 0 {
		e.line(span{printable.Count(n, "recorded answer") + " not available", dim})
	}
}

func (e *explanation) panel(p *caseview.Panel) {
	e.line(span{"panel " + printable.Text(p.Name), bold}, span{"  " + printable.Text(p.Metric), dim})
	facts := []string{"rule", string(p.Rule), "outcome", p.Decision()}
	for _, v := range p.Votes {
		text := caseview.Said(v)
		if v.Reason != "" {
			text += ": " + v.Reason
		}
		if !e.full && printable.Width(text) > 300 {
			text = printable.Cut(text, 300, e.ellipsis)
		}
		facts = append(facts, printable.Text(v.Judge), text)
	}
	e.facts(append(facts, "shown", p.Shown)...)
}

func (e *explanation) vote(v *caseview.Vote) {
	model := v.Model
	if v.ServedModel != "" {
		model += " (" + v.ServedModel + ")"
	}
	e.line(span{printable.Text(v.Kind), bold}, span{"  " + printable.Text(strings.Join(v.Metrics, ", ")), dim})
	tokens := ""
	if v.TokensIn >= 0 && v.TokensOut >= 0 {
		tokens = fmt.Sprintf("%d in, %d out", v.TokensIn, v.TokensOut)
	}
	asked := ""
	if v.Fresh != nil {
		asked = map[bool]string{true: "asked by this run", false: "from the ledger"}[*v.Fresh]
	}
	when := ""
	if !v.At.IsZero() {
		when = v.At.UTC().Format(time.RFC3339)
	}
	facts := []string{"by", v.Backend + " " + model, "prompt", v.PromptVersion, "request", v.RequestHash, "tokens", tokens,
		"took", fmt.Sprintf("%d ms", v.LatencyMS), "at", when, "", asked}
	for _, f := range v.Decoded {
		value := f.Text
		if !e.full && printable.Width(value) > 300 {
			value = printable.Cut(value, 300, e.ellipsis)
		}
		facts = append(facts, f.Name, value)
	}
	if len(v.Decoded) == 0 {
		facts = append(facts, "reply", v.Reply)
	}
	e.facts(facts...)
	if !e.full {
		return
	}
	for _, m := range v.Question {
		e.line(span{"  asked (" + printable.Text(m.Role) + ")", dim})
		for l := range strings.SplitSeq(m.Text, "\n") {
			e.indented("    ", l, plain)
		}
	}
	if len(v.Decoded) > 0 {
		e.line(span{"raw reply", dim})
		e.indented("    ", v.Reply, plain)
	}
}
