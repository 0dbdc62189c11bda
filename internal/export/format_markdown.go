package export

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/report"
)

var _ = register(
	Format{Name: "markdown", File: "summary.md", Type: "text/markdown; charset=utf-8",
		open: func(w io.Writer, o Options) (Writer, error) {
			return &summarised{w: w, o: o,
				sum: report.NewSummary(report.SummaryOptions{Metrics: o.Known, Primary: o.Metric})}, nil
		}})

// MarkdownOptions are the parts of a summary other than its figures.
type MarkdownOptions struct {
	Run    string // ID of the run; "": omitted
	Report string // path of the complete report, such as report.html; "": omitted
	Only   string // which answers of the run the summary is about, such as a filter; "": all
}

// Maximum numbers in a summary, so that it fits into a comment on a pull request.
const (
	markdownMetrics  = 8
	markdownVersions = 8 // agent versions, and changes; the last ones are kept
	markdownAnswers  = 5

	markdownObjections = 20
	markdownText       = 240 // maximum bytes of a string from data
	markdownGate       = 1000
)

// last returns the last markdownVersions elements of list, or all if there are fewer.
func last[T any](list []T) []T { return list[max(0, len(list)-markdownVersions):] }

// Markdown writes the summary of a run, at most 60 KB: the newest batches, leading metrics, changes, and the worst
// answers. All text from data is in code spans, so that HTML, links and mentions in it have no effect; bars in it are
// escaped.
func Markdown(w io.Writer, f *report.Figures, o MarkdownOptions) error {
	m := &markdown{Figures: f, w: bufio.NewWriter(w)}
	m.head(o)
	if f.Scores > 0 {
		m.batches()
		m.scores()
		for i := range m.Conversations {
			m.line("\n" + code(m.Conversations[i].Shown()) + ": " + m.Conversations[i].Text())
		}
		m.changes()
		m.spending()
		m.worst()
		m.objections()
	}
	if o.Report != "" {
		m.line("\nThe whole report: " + code(o.Report))
	}
	return m.w.Flush()
}

type markdown struct {
	*report.Figures
	w *bufio.Writer
}

func (m *markdown) line(s string) { _, _ = m.w.WriteString(s + "\n") }

func (m *markdown) head(o MarkdownOptions) {
	m.line("## badger\n")
	if m.RunStatus != "" && m.RunStatus != report.RunDone {
		m.line("**" + report.Unfinished(m.RunStatus) + "**\n")
	}
	m.gates()
	m.newest()
	for _, metric := range m.Metrics {
		if metric.Name != m.Primary {
			continue
		}
		for _, r := range last(metric.Rates) {
			who := "The agent"
			if name := r.Agent.Full(); name != "" || len(m.Agents) > 1 {
				who = code(r.Agent.Shown())
			}
			switch {
			case r.Passed != nil:
				m.line(fmt.Sprintf("- %s passes %s on %d of %s: **%s**%s", who, code(metric.Name), r.Passed.Passed, r.Passed.Over(),
					report.Percent(r.Passed.Rate), m.comparison(r.Agent)) + undecided(&r.Coverage))
			case r.Mean != nil:
				m.line(fmt.Sprintf("- %s has a mean %s of **%s** on %s%s", who, code(metric.Name), report.Value(*r.Mean),
					printable.Count(r.N, "case"), m.comparison(r.Agent)))
			case r.Coverage.Nowhere():
				m.line(fmt.Sprintf("- %s does not apply to any of the %s of %s: %s", code(metric.Name),
					printable.Count(r.Coverage.Asked, "case"), who, code(r.Coverage.Why())))
			default:
				m.line(fmt.Sprintf("- %s has no value of %s: of %d asked, %s", who, code(metric.Name), r.Coverage.Asked,
					cmp.Or(r.Coverage.Left(), "none has one")))
			}
		}
	}
	line := "\n" + strings.Join(m.Counts(), ", ")
	if o.Run != "" {
		line += ", run " + code(o.Run)
	}
	if o.Only != "" {
		line += ", only " + code(o.Only)
	}
	m.line(line)
}

// undecided counts the answers without a verdict, which a share that passed leaves out; "" if there are none.
func undecided(c *report.Coverage) string {
	var parts []string
	if c.Abstained > 0 {
		parts = append(parts, fmt.Sprintf("%d undecided", c.Abstained))
	}
	if c.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed to be scored", c.Failed))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("; %s of %d asked", strings.Join(parts, ", "), c.Asked)
}

// gates writes a line for each gate, those that failed first.
func (m *markdown) gates() {
	for _, passed := range []bool{false, true} {
		for _, g := range m.Gates {
			if g.Passed != passed {
				continue
			}
			word := map[bool]string{false: "- **gate failed**: ", true: "- gate passed: "}[passed]
			m.line(word + codeOf(strings.TrimPrefix(g.Text, gate.Line(passed, "")), markdownGate))
		}
	}
	if len(m.Gates) > 0 {
		m.line("")
	}
}

// newest writes the headline, baseline and findings of the newest batch of each agent.
func (m *markdown) newest() {
	for _, b := range m.NewestBatches() {
		if b.Headline != "" {
			m.line(code(b.Headline) + "\n")
		}
		if b.Baseline != nil {
			m.line(code(b.Named()) + " against its baseline, " + code(b.Baseline.String()) + "\n")
		}
		for _, f := range b.Findings {
			m.line("- " + code(f.Text))
		}
		if len(b.Findings) > 0 {
			m.line("")
		}
	}
}

// batches writes the table of a run's batches, the newest first, if there are several.
func (m *markdown) batches() {
	if len(m.Batches) < 2 {
		return
	}
	t := table{columns: []string{"batch", "cases", "passed", "mean", "change", "p", "", "baseline"},
		right: []bool{1: true, 2: true, 3: true, 4: true, 5: true, 7: false}}
	for i := range m.Batches {
		b := &m.Batches[i]
		row := []string{code(b.Named()), fmt.Sprint(b.Figures.Asked), dash, dash, dash, dash, "", ""}
		if s := b.Figures.PassRate; s != nil {
			row[2] = report.Percent(*s)
		}
		if s := b.Figures.Mean; s != nil {
			row[3] = report.Value(*s)
		}
		if change, p, word := b.Changed(); b.Baseline != nil {
			row[4], row[5], row[6], row[7] = cmp.Or(change, dash), cmp.Or(p, dash), word, code(b.Baseline.Batch.Name())
		}
		t.rows = append(t.rows, row)
	}
	m.line("\n### Batches, the newest first, by " + code(m.Primary) + "\n")
	t.write(m.w)
	if m.EarlierBatches > 0 {
		m.line("\nand " + printable.Count(m.EarlierBatches, "earlier batch"))
	}
}

func (m *markdown) comparison(a report.Agent) string {
	for _, c := range m.Changes {
		if change := m.Change(m.Primary, a); change != nil && c.To == a {
			on := m.On(&c, change)
			if on != "" {
				on = " on " + on
			}
			return fmt.Sprintf(" (%s against %s%s, %s)", change.By(), code(c.From.Shown()), on, change.Sure())
		}
	}
	return ""
}

func (m *markdown) scores() {
	t := table{columns: []string{"metric", "answers", "cases", "mean", "passed", "95 % CI", "failed", "no answer"},
		right: []bool{2: true, 3: true, 4: true, 6: true, 7: true}}
	leading := m.Leading(markdownMetrics)
	for _, metric := range leading {
		for i, r := range last(metric.Rates) {
			c := &r.Coverage
			cases := fmt.Sprintf("%d/%d", c.Scored, c.Asked)
			if c.Nowhere() {
				cases = dash
			}
			row := []string{"", code(m.Label(r.Agent)), cases, dash, dash, dash, number(c.Failed), number(c.Unanswered)}
			if i == 0 {
				row[0] = code(metric.Name)
			}
			if r.Mean != nil {
				row[3] = report.Value(*r.Mean)
			}
			if s := r.Passed; s != nil {
				row[4], row[5] = report.Percent(s.Rate), strings.TrimSpace(s.Interval("–"))
			}
			t.rows = append(t.rows, row)
		}
	}
	if len(t.rows) > 0 {
		m.line("")
		t.write(m.w)
	}
	var more []string
	if n := len(m.Metrics) - len(leading); n > 0 {
		more = append(more, printable.Count(n, "more metric"))
	}
	if n := len(m.Agents) - markdownVersions; n > 0 {
		more = append(more, printable.Count(n, "earlier version"))
	}
	if len(more) > 0 {
		m.line("\nand " + strings.Join(more, ", "))
	}
}

// number formats a count, or returns "" for 0.
func number(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func (m *markdown) changes() {
	for _, c := range last(m.Changes) {
		t := table{columns: []string{"metric", "cases", "change", "better", "worse", "p", ""},
			right: []bool{1: true, 2: true, 3: true, 4: true, 5: true}}
		for _, metric := range m.Leading(markdownMetrics) {
			for i := range c.Metrics {
				if x := &c.Metrics[i]; x.Metric == metric.Name {
					t.rows = append(t.rows,
						[]string{code(x.Metric), fmt.Sprintf("%d/%d", x.N, x.Of), x.By(), number(x.Improved), number(x.Worse), x.PText(),
							x.Sure()})
				}
			}
		}
		if len(t.rows) == 0 {
			continue
		}
		m.line("\n### " + code(c.From.Shown()) + " → " + code(c.To.Shown()) + "\n")
		t.write(m.w)
		untested := func(row []string) bool { return row[5] == "" }
		if len(slices.DeleteFunc(slices.Clone(t.rows), untested)) > 1 {
			m.line("\np of " + code(m.Primary) + " is not adjusted, p of the others is adjusted among them (Holm): equal counts may have different p.")
		}
		if len(c.Regressed) == 0 {
			continue
		}
		m.line("\nWorse than before, by " + code(m.Primary) + ":\n")
		worse := table{columns: []string{"case", "before", "now", "why"}, right: []bool{1: true, 2: true, 3: false}}
		for _, a := range c.Regressed[:min(len(c.Regressed), markdownAnswers)] {
			worse.rows = append(worse.rows,
				[]string{code(printable.ShortID(a.CaseID)), report.Value(*a.Before), report.Value(a.Value), why(&a)})
		}
		worse.write(m.w)
	}
}

// spending writes what the answers of each version took.
func (m *markdown) spending() {
	s := m.Spending
	if s == nil {
		return
	}
	m.line("\n### Cost and time\n")
	t := table{columns: []string{"", "answers", "total", "median", "P95", "known", "change", "p", ""},
		right: []bool{2: true, 3: true, 4: true, 5: true, 6: true, 7: true, 8: false}}
	for _, r := range report.SpendingRows(s) {
		t.rows = append(t.rows, []string{r.Quantity, code(r.Of), r.Total, r.Median, r.P95, r.Known, cmp.Or(r.Change, dash),
			cmp.Or(r.P, dash), r.Word})
	}
	t.write(m.w)
	m.line("")
	for _, text := range report.PerRight(s) {
		m.line("- " + code(text))
	}
}

// worst writes the worst answers of the last version of each agent.
func (m *markdown) worst() {
	newest := map[string]report.Agent{}
	for _, a := range last(m.Agents) {
		newest[a.Name] = a
	}
	shown := map[report.Agent]int{}
	t := table{columns: []string{"case", "answer", "value", "question", "why"}, right: []bool{2: true, 4: false}}
	for i := range m.Worst {
		a := &m.Worst[i]
		if shown[a.Agent]++; newest[a.Name] != a.Agent || shown[a.Agent] > markdownAnswers {
			continue
		}
		t.rows = append(t.rows,
			[]string{code(printable.ShortID(a.CaseID)), code(m.Label(a.Agent)), report.Value(a.Value), code(a.Question), why(a)})
	}
	if len(t.rows) > 0 {
		m.line("\n### Worst answers\n\nBy " + code(m.Primary) + ".\n")
		t.write(m.w)
	}
}

// objections writes the answers of the last version of each agent that would change data or should have been declined.
func (m *markdown) objections() {
	newest := map[string]report.Agent{}
	for _, a := range last(m.Agents) {
		newest[a.Name] = a
	}
	t := table{columns: []string{"case", "answer", "by", "label", "why"}}
	for i := range m.Objections {
		if o := &m.Objections[i]; newest[o.Name] == o.Agent {
			t.rows = append(t.rows, []string{code(printable.ShortID(o.CaseID)), code(m.Label(o.Agent)), code(o.Metric),
				code(o.Label), code(o.Reason)})
		}
	}
	if len(t.rows) == 0 {
		return
	}
	m.line("\n### Answers that would change data, or should have been declined\n")
	more := len(t.rows) - markdownObjections
	t.rows = t.rows[:min(len(t.rows), markdownObjections)]
	t.write(m.w)
	if more > 0 {
		m.line("\nand " + printable.Count(more, "more answer"))
	}
}

// why returns the reason why an answer did not pass, as a code span: how the results differ, if known, else the
// metric's reason.
func why(a *report.Answer) string {
	if a.Why != "" {
		return code(a.Why)
	}
	return code(a.Reason)
}

// dash is written for missing values.
const dash = "–"

// table is a Markdown table, whose columns are also aligned in its source. Columns without any values are omitted.
type table struct {
	columns []string
	right   []bool // columns that are right-aligned
	rows    [][]string
}

func (t *table) write(w io.Writer) {
	widths := make([]int, len(t.columns))
	for i, c := range t.columns {
		filled := false
		for _, row := range t.rows {
			widths[i] = max(widths[i], printable.Width(row[i]))
			filled = filled || row[i] != "" && row[i] != dash
		}
		if widths[i] = max(widths[i], printable.Width(c), 3); !filled {
			widths[i] = 0
		}
	}
	isRight := func(i int) bool { return i < len(t.right) && t.right[i] }
	line := func(cells []string) {
		var b strings.Builder
		for i, c := range cells {
			if widths[i] > 0 {
				b.WriteString("| " + printable.Pad(c, widths[i], isRight(i)) + " ")
			}
		}
		_, _ = io.WriteString(w, b.String()+"|\n")
	}
	line(t.columns)
	rule := make([]string, len(widths))
	for i, n := range widths {
		switch {
		case n == 0:
		case isRight(i):
			rule[i] = strings.Repeat("-", n-1) + ":"
		default:
			rule[i] = strings.Repeat("-", n)
		}
	}
	line(rule)
	for _, row := range t.rows {
		line(row)
	}
}

// code returns text from data as a code span, cut to markdownText, or a dash for "". Markup, mentions and references
// have no effect in a code span. Bars are escaped, since they would end a table's cell. An invisible space separates a
// bar from a preceding backslash, which would undo the escape.
func code(s string) string { return codeOf(s, markdownText) }

// codeOf is code with another maximum number of bytes.
func codeOf(s string, most int) string {
	if s == "" {
		return dash
	}
	s = printable.Text(cut(s, most))
	s = strings.ReplaceAll(strings.ReplaceAll(s, `\|`, "\\\u200b|"), "|", `\|`)
	longest, run := 0, 0
	for _, r := range s {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if s[0] == '`' || s[len(s)-1] == '`' || s[0] == ' ' && strings.TrimSpace(s) != "" {
		s = " " + s + " "
	}
	return fence + s + fence
}

// summarised is a Writer that collects the scores of answers and writes their summary on Close.
type summarised struct {
	w   io.Writer
	o   Options
	sum *report.Summary
	run string
}

// Add adds the scores of an answer to the summary.
func (m *summarised) Add(a *Answer) error {
	m.run = a.RunID
	of := report.Case{AnswerID: a.AnswerID, Question: a.Question, Tier: a.Tier, Tags: a.Tags, TagsErr: a.TagsErr,
		Position: a.Position}
	for i := range a.Scores {
		m.sum.Add(a.Scores[i], of)
	}
	if a.Spent != nil {
		m.sum.Took(a.AnswerID, *a.Spent)
	}
	return nil
}

// Close writes the summary.
func (m *summarised) Close() error {
	f := m.sum.Figures()
	f.RunStatus = m.o.status()
	return Markdown(m.w, f, MarkdownOptions{Run: m.run, Only: m.o.Only})
}
