package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

// Render writes the complete summary for a terminal.
func (f *Figures) Render(w io.Writer, o Options) error {
	v := &view{Figures: f, printer: newPrinter(w, o)}
	v.header()
	if f.Scores > 0 { // what matters most comes last, where the prompt will be
		v.scores()
		v.parts()
		v.labels()
		v.unscored()
		v.slices("Tags", "tag", v.shownTags())
		v.slices("Tiers", "tier", v.Tiers)
		v.turns()
		v.changes()
		v.spending(v.Spending)
		v.worst()
		v.verdict()
		v.batches()
	}
	return v.w.Flush()
}

// view prints the figures of a summary.
type view struct {
	*Figures
	*printer
}

func (v *view) header() {
	agents := make([]string, 0, len(v.Agents))
	for _, a := range v.Agents {
		if a.Full() != "" || len(v.Agents) > 1 {
			agents = append(agents, printable.Text(a.Shown()))
		}
	}
	counts := v.Counts()
	line := []span{{counts[0], bold}}
	for _, c := range counts[1:] {
		line = append(line, span{v.dot + " " + c, plain})
	}
	if len(agents) > 0 {
		line = append(line, span{v.dot + " " + strings.Join(agents, ", "), plain})
	}
	v.line(line...)
	by := map[string][]string{}
	for _, m := range v.Metrics {
		for _, tag := range m.Judges {
			by[tag] = append(by[tag], m.Name)
		}
	}
	for _, tag := range slices.Sorted(maps.Keys(by)) {
		v.line(span{"judged by " + printable.Text(tag), bold}, span{" (" + strings.Join(by[tag], ", ") + ")", plain})
	}
}

// name returns the display name of an agent version in tables, see [Figures.Label].
func (v *view) name(a Agent) string { return printable.Text(v.Label(a)) }

// Label returns the part of an agent version that distinguishes it from the others in tables, or "" if there are no
// others.
func (f *Figures) Label(a Agent) string {
	sameName, sameVersion := true, true
	for _, b := range f.Agents {
		sameName, sameVersion = sameName && a.Name == b.Name, sameVersion && a.Version == b.Version
	}
	switch {
	case sameName && sameVersion:
		return ""
	case sameName:
		return cmp.Or(a.Version, analysis.NoVersion)
	case sameVersion:
		return cmp.Or(a.Name, analysis.NoName)
	}
	return a.Shown()
}

// Full returns the agent's name and version, or "" if it has neither.
func (a Agent) Full() string { return analysis.System(a.Name, a.Version) }

// Shown returns [Agent.Full], or a placeholder if that is empty.
func (a Agent) Shown() string { return cmp.Or(a.Full(), analysis.NoName) }

// isPart reports whether a metric is one of at least three whose names extend that of another metric, such as
// component_recall_where of component_recall.
func (v *view) isPart(name string) bool {
	base, _ := v.partOf(name)
	return base != ""
}

func (v *view) partOf(name string) (base, part string) {
	for i := range v.Metrics {
		if b := v.Metrics[i].Name; strings.HasPrefix(name, b+"_") && len(b) > len(base) {
			base, part = b, name[len(b)+1:]
		}
	}
	if base == "" {
		return "", ""
	}
	n := 0
	for i := range v.Metrics {
		if strings.HasPrefix(v.Metrics[i].Name, base+"_") {
			n++
		}
	}
	if n < 3 {
		return "", ""
	}
	return base, part
}

func (v *view) scores() {
	var g grid
	v.rateColumns(&g, "metric")
	var groups []string
	for _, m := range v.Metrics {
		if !slices.Contains(groups, m.Group) {
			groups = append(groups, m.Group)
		}
	}
	for _, group := range groups {
		if len(groups) > 1 {
			g.add(append([]cellSpans{inStyle(printable.Text(cmp.Or(group, "-")), cyan)}, make([]cellSpans, len(g.cols)-1)...)...)
		}
		for _, m := range v.Metrics {
			if m.Group == group && !v.isPart(m.Name) {
				v.addRates(&g, m.Name, m.Name == v.Primary, m.Rates)
			}
		}
	}
	v.title("Scores", "cov.: of the applicable cases, those with a value; passed: of those")
	g.print(v.printer)
	v.nowhere()
}

// nowhere prints which metrics apply to no case, and why.
func (v *view) nowhere() {
	var reasons []string
	of := map[string][]string{}
	for _, m := range v.Metrics {
		for _, r := range m.Rates {
			if !r.Coverage.Nowhere() {
				continue
			}
			name := printable.Text(m.Name)
			if label := v.name(r.Agent); label != "" && !everywhere(m.Rates, (*Coverage).Nowhere) {
				name += " of " + label
			}
			why := r.Coverage.Why()
			if of[why] == nil {
				reasons = append(reasons, why)
			}
			if !slices.Contains(of[why], name) {
				of[why] = append(of[why], name)
			}
		}
	}
	for _, why := range reasons {
		v.paragraph("", "does not apply to any case: "+strings.Join(of[why], ", ")+" ("+printable.Text(why)+")")
	}
}

// everywhere reports whether such is true for the coverage of all agent versions.
func everywhere(rates []Rate, such func(*Coverage) bool) bool {
	for i := range rates {
		if !such(&rates[i].Coverage) {
			return false
		}
	}
	return true
}

// agentWidth returns the minimum width of the column of agents' names. It is wide enough for whole names if possible,
// since versions are at their end.
func (v *view) agentWidth() int {
	widest := 7
	for _, a := range v.Agents {
		widest = max(widest, printable.Width(v.name(a)))
	}
	return min(widest, v.Width/4)
}

func (v *view) barWidth() int {
	return min(24, max(8, v.Width/4-10))
}

func (v *view) rateColumns(g *grid, first string) {
	g.words(first, 22)
	g.words("", v.agentWidth())
	g.number("cases")
	g.number("cov.")
	g.number("mean")
	g.column("passed").drop = 3
	g.number("").heir = true
	g.column("95 % CI").drop = 2
	g.number("abst")
	g.number("n/a")
	g.number("fail")
	g.number("none")
}

// addRates adds a row for each agent version; the first has the metric's or slice's name, bold if strong.
func (v *view) addRates(g *grid, name string, strong bool, rates []Rate) {
	for i, r := range rates {
		st := plain
		if strong {
			st = bold
		}
		first := inStyle(printable.Text(name), st)
		if i > 0 {
			first = nil
		}
		c := &r.Coverage
		row := []cellSpans{first, text(v.name(r.Agent)), text(fmt.Sprintf("%d/%d", c.Scored, c.Asked)), v.coverage(c), nil,
			nil, nil, nil}
		if r.Mean != nil {
			row[4] = text(decimal(*r.Mean))
		}
		if s := r.Passed; s != nil {
			row[5] = v.bar(s.Rate, v.barWidth())
			row[6] = inStyle(percent(s.Rate), shareStyle(s.Rate))
			row[7] = inStyle(s.Interval(v.dash), dim)
		}
		g.add(append(row, v.count(c.Abstained, dim), v.count(c.NotApplicable, dim), v.count(c.Failed, red),
			v.count(c.Unanswered, red))...)
	}
}

// coverage formats a coverage, yellow below 90 %, or a dash if the metric applies to no case.
func (v *view) coverage(c *Coverage) cellSpans {
	if c.Share == nil {
		return inStyle(v.dash, dim)
	}
	st := plain
	if *c.Share < 0.9 {
		st = yellow
	}
	return inStyle(c.Text(), st)
}

// count formats n, or returns an empty cell for 0.
func (v *view) count(n int, st style) cellSpans {
	if n == 0 {
		return nil
	}
	return inStyle(strconv.Itoa(n), st)
}

// parts prints the means of metrics that are parts of others, side by side.
func (v *view) parts() {
	means := map[string]*float64{} // by metric and agent
	var bases, names []string
	for _, m := range v.Metrics {
		base, part := v.partOf(m.Name)
		if base == "" || !slices.ContainsFunc(m.Rates, func(r Rate) bool { return r.Mean != nil }) {
			continue
		}
		if !slices.Contains(bases, base) {
			bases = append(bases, base)
		}
		if !slices.Contains(names, part) {
			names = append(names, part)
		}
		for _, r := range m.Rates {
			means[base+"\x00"+part+"\x00"+v.name(r.Agent)] = r.Mean
		}
	}
	if len(bases) == 0 {
		return
	}
	var g grid
	g.words("mean of", 22)
	g.words("", v.agentWidth())
	for i, part := range names {
		c := g.number(printable.Text(part))
		c.flex, c.least, c.drop = true, 5, i+1
	}
	for _, base := range bases {
		for i, a := range v.Agents {
			row := []cellSpans{nil, text(v.name(a))}
			if i == 0 {
				row[0] = text(printable.Text(base))
			}
			for _, part := range names {
				var cell cellSpans
				if m := means[base+"\x00"+part+"\x00"+v.name(a)]; m != nil {
					cell = text(decimal(*m))
				}
				row = append(row, cell)
			}
			g.add(row...)
		}
	}
	v.title("Parts", "means over the cases with a value; --json says how many of how many")
	g.print(v.printer)
}

func (v *view) labels() {
	var g grid
	g.words("metric", 22)
	g.words("", v.agentWidth())
	g.words("labels", 20)
	for _, m := range v.Metrics {
		first := m.Name
		for _, r := range m.Rates {
			if len(r.Labels) == 0 {
				continue
			}
			for i, line := range v.labelLines(r.Labels) {
				name := ""
				if i == 0 {
					name = v.name(r.Agent)
				}
				g.add(text(printable.Text(first)), text(name), text(line))
				first = ""
			}
		}
	}
	if len(g.rows) > 0 {
		v.title("Labels", "of metrics, with the number of answers; badger failures describes them in words")
		g.print(v.printer)
	}
}

// labelLines formats counts of labels, as many on a line as fit.
func (v *view) labelLines(labels []Count) []string {
	var lines []string
	for i, l := range labels {
		word := printable.Text(l.Label) + " " + strconv.Itoa(l.N)
		if i < len(labels)-1 {
			word += v.dot
		}
		if n := len(lines) - 1; n >= 0 && printable.Width(lines[n])+1+printable.Width(word) <= v.Width-36 {
			lines[n] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// shownTags returns the first eight tags, without tiers, which have a table, followed by the slice of unreadable tags.
func (v *view) shownTags() []Slice {
	const most = 8
	var out []Slice
	for _, s := range v.Tags {
		if len(out) < most && !strings.HasPrefix(s.Name, "tier:") {
			out = append(out, s)
		}
	}
	if of := v.UnreadableTags; of != nil {
		out = append(out, *of)
	}
	return out
}

func (v *view) slices(title, head string, list []Slice) {
	if len(list) == 0 {
		return
	}
	var g grid
	v.rateColumns(&g, head)
	for _, s := range list {
		name := s.Name
		switch {
		case s.First != nil:
			name = UnreadableTags
		case name == "":
			name = NotKnown
		}
		v.addRates(&g, name, false, s.Rates)
	}
	v.title(title, "by "+printable.Text(v.Primary))
	g.print(v.printer)
	for i := range list {
		if ids := list[i].First; ids != nil {
			said := "tags that cannot be read: " + strings.Join(ids, ", ")
			if more := list[i].Cases - len(ids); more > 0 {
				said += fmt.Sprintf(" and %d more", more)
			}
			v.aside(printable.Text(said))
		}
	}
}

// turns prints the figures of conversations.
func (v *view) turns() {
	v.slices("Turns of conversations", "turn", v.Turns)
	if len(v.Conversations) > 0 && len(v.Turns) == 0 {
		v.title("Conversations", "by "+printable.Text(v.Primary))
	}
	for i := range v.Conversations {
		c := &v.Conversations[i]
		v.aside(strings.TrimSpace(printable.Text(c.Shown()) + ": " + c.Text()))
	}
}

// worst prints the worst answers of the last version of each agent.
func (v *view) worst() {
	last := map[string]Agent{}
	for _, a := range v.Agents {
		last[a.Name] = a
	}
	titled := ""
	for i := range v.Worst {
		a := &v.Worst[i]
		if last[a.Name] != a.Agent {
			continue
		}
		of := "by " + printable.Text(v.Primary)
		if name := v.name(a.Agent); name != "" {
			of = "of " + name + ", " + of
		}
		if of != titled {
			v.title("Worst answers", of)
			titled = of
		}
		v.answer(a, decimal(a.Value))
	}
}

// answer prints one answer: its value, case and question, with the reasons below.
func (v *view) answer(a *Answer, value string) {
	id := printable.Text(a.CaseID)
	if a.Tier != "" {
		id += " (" + printable.Text(a.Tier) + ")"
	}
	v.line(span{value, red}, span{gap, plain}, span{id, bold}, span{gap, plain}, span{printable.Text(a.Question), plain})
	v.aside(printable.Text(a.Reason))
	if a.Why != "" {
		v.aside("why they differ: " + printable.Text(a.Why))
	}
}

// unscored prints the first ten reasons why scores have no value: in two lines each, but those that do not apply in a
// table.
func (v *view) unscored() {
	if len(v.Unscored) == 0 {
		return
	}
	const shown = 10
	v.title("Without a value", "")
	var g grid
	g.number("scores")
	g.number("cases")
	g.words("not applicable because", 46)
	g.words("metrics", 12)
	for i, u := range v.Unscored {
		of, metrics := u.Metrics[0].Label, "of "+u.Metrics[0].Label
		if n := len(u.Metrics) - 1; n > 0 {
			metrics = fmt.Sprintf("of %s and %s", of, printable.Count(n, "other metric"))
			of += fmt.Sprintf(" and %d more", n)
		}
		if i >= shown {
			break
		}
		if u.Status == scoring.StatusNotApplicable {
			g.add(text(strconv.Itoa(u.N)), text(strconv.Itoa(u.Cases)), text(printable.Text(u.Reason)),
				inStyle(printable.Text(of), dim))
			continue
		}
		on := printable.Count(u.Cases, "case")
		if u.Cases == 1 {
			on = u.Example
		}
		said := fmt.Sprintf(": %s, %s, on %s", printable.Count(u.N, "score"), printable.Text(metrics), printable.Text(on))
		v.line(span{string(u.Status), red}, span{said, plain})
		if u.Code != "" {
			u.Reason = u.Code + ": " + u.Reason
		}
		v.aside(printable.Text(u.Reason))
	}
	if len(g.rows) > 0 {
		g.print(v.printer)
	}
	if n := len(v.Unscored) - shown; n > 0 {
		v.line(span{"and " + printable.Count(n, "more reason"), dim})
	}
}

// verdict prints, for each agent version, how many answers pass the primary metric, or its mean, and the change from
// the version that it is compared with.
func (v *view) verdict() {
	for _, m := range v.Metrics {
		if m.Name != v.Primary {
			continue
		}
		v.line()
		for _, r := range m.Rates {
			who := printable.Text(r.Agent.Shown())
			if r.Agent.Full() == "" && len(m.Rates) == 1 {
				who = "the agent"
			}
			switch {
			case r.Passed != nil:
				v.line(span{who, bold},
					span{fmt.Sprintf(" passes %s on %d of %s, ", printable.Text(m.Name), r.Passed.Passed, r.Passed.Over()), plain},
					span{percent(r.Passed.Rate), shareStyle(r.Passed.Rate)}, span{v.comparison(&r), plain})
			case r.Mean != nil:
				v.line(span{who, bold},
					span{fmt.Sprintf(" has a mean %s of %s on %s", printable.Text(m.Name), decimal(*r.Mean),
						printable.Count(r.N, "case")), plain}, span{v.comparison(&r), plain})
			default:
				v.line(span{who, bold}, span{" has no value of " + printable.Text(m.Name), plain})
			}
			v.comparedOn(&r)
			if left := r.Coverage.Left(); left != "" {
				v.line(span{fmt.Sprintf("  of %d asked; without a value: %s", r.Coverage.Asked, left), dim})
			}
		}
	}
}

// Why returns the most frequent reason why the metric does not apply, and the number of other reasons.
func (c *Coverage) Why() string {
	if len(c.Reasons) == 0 {
		return "no reason is stored"
	}
	why := c.Reasons[0].Reason
	if n := len(c.Reasons) - 1; n > 0 {
		why += fmt.Sprintf(" and %s", printable.Count(n, "other reason"))
	}
	return why
}

// Left returns the numbers of cases without a value, such as 2 unanswered, 1 failed; "" if all have one.
func (c *Coverage) Left() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{c.Unanswered, "unanswered"}, {c.Failed, "failed"}, {c.Abstained, "abstained"},
		{c.NotApplicable, "not applicable"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return strings.Join(parts, ", ")
}

// decimal formats a value with three decimals below 10, one below 1000, none below 1e9, and else with four significant
// digits.
func decimal(f float64) string {
	switch abs := math.Abs(f); {
	case abs < 10:
		return strconv.FormatFloat(rounded(f, 3), 'f', 3, 64)
	case abs < 1000:
		return strconv.FormatFloat(rounded(f, 1), 'f', 1, 64)
	case abs < 1e9:
		return strconv.FormatFloat(rounded(f, 0), 'f', 0, 64)
	}
	return strconv.FormatFloat(f, 'g', 4, 64)
}

func signed(f float64) string {
	s := decimal(f)
	if s[0] == '-' {
		return s
	}
	return "+" + s
}

// Percent formats a share as the terminal report does, such as 93.4%.
func Percent(share float64) string { return percent(share) }

// Value formats a metric's value as the terminal report does.
func Value(f float64) string { return decimal(f) }

// Points formats a difference of shares in percentage points, such as +1.5 pts.
func Points(f float64) string { return fmt.Sprintf("%+.1f pts", rounded(100*f, 1)) }

// Signed formats a difference of values with its sign.
func Signed(f float64) string { return signed(f) }

// Interval formats the 95 % interval of a pass rate in whole percent, such as 67–90, with the given dash.
func (s *Share) Interval(dash string) string {
	return fmt.Sprintf("%2.0f%s%.0f", 100*s.Low, dash, 100*s.High)
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) + "%" }
