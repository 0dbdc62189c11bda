package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/printable"
)

// analysisView prints the results of package analysis.
type analysisView struct{ *printer }

// notes prints each note below a table, starting on a new line.
func (v analysisView) notes(notes []string) {
	if len(notes) > 0 {
		v.line()
	}
	for _, n := range notes {
		v.paragraph("note: ", n)
	}
}

// paragraph prints s after head, wrapped to the width with the following lines indented.
func (p *printer) paragraph(head, s string) {
	for i, l := range printable.Wrap(printable.Text(s), p.Width-len(head)) {
		if i > 0 {
			head = strings.Repeat(" ", len(head))
		}
		p.line(span{head, dim}, span{l, dim})
	}
}

func (v analysisView) share(s *float64) cellSpans {
	if s == nil {
		return inStyle(v.dash, dim)
	}
	return text(percent(*s))
}

func (v analysisView) covered(s *float64) cellSpans {
	if s == nil {
		return inStyle(v.dash, dim)
	}
	return text(Covered(*s))
}

func (v analysisView) value(f *float64) cellSpans {
	if f == nil {
		return inStyle(v.dash, dim)
	}
	return text(decimal(*f))
}

// outcome formats the conclusion of a comparison: "more than chance" or "could be chance" if known, else the outcome;
// red if degraded, green if improved.
func (v analysisView) outcome(c *analysis.Change) cellSpans {
	switch c.Outcome {
	case analysis.Small:
		return inStyle("below --min-drop", dim)
	case analysis.NotCompared:
		return inStyle(c.Outcome, yellow)
	}
	return inStyle(cmp.Or(c.Chance, c.Outcome), changeStyle(c.Outcome))
}

func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

func tierName(t string) string { return strings.ReplaceAll(printable.Text(t), "_", " ") }

// RenderTrend writes for a terminal the findings about the newest batches, and each metric over the batches: the last
// ones for each metric and tier, or all if last is 0.
func RenderTrend(w io.Writer, t *analysis.Trend, last int, o Options) error {
	v := analysisView{newPrinter(w, o)}
	v.line(span{printable.Count(len(t.Batches), "batch"), bold},
		span{v.dot + " " + printable.Count(len(t.Metrics), "metric"), plain})
	for i := range t.Latest {
		v.latest(t, &t.Latest[i])
	}
	var without []string
	for _, m := range t.Metrics {
		var points []*analysis.Point
		tiers, values := []string{}, 0
		for i := range t.Points {
			if p := &t.Points[i]; p.Metric == m {
				points = append(points, p)
				values += p.Now.Scored + p.Now.Of
				if !slices.Contains(tiers, p.Tier) {
					tiers = append(tiers, p.Tier)
				}
			}
		}
		if values > 0 {
			v.trend(t, m, points, tiers, last)
		} else {
			without = append(without, m)
		}
	}
	if len(t.Points) > 0 {
		v.line()
		v.paragraph("", "change: against the baseline, on the questions that both have; of the share that passed, or of the mean if the metric has no verdicts. "+adjusting(t.Primary, t.MinDrop, t.Alpha))
	}
	if len(without) > 0 {
		v.paragraph("", fmt.Sprintf("Without a value in any batch: %s", strings.Join(without, ", ")))
	}
	if len(t.More) > 0 {
		v.paragraph("",
			fmt.Sprintf("%s %s scores: --metrics all, or --metrics %s", printable.Count(len(t.More), "more metric"),
				printable.Verb(len(t.More), "has", "have"), strings.Join(t.More[:min(3, len(t.More))], ",")))
	}
	v.notes(t.Notes)
	return v.w.Flush()
}

// latest prints the headline, baseline and findings of the newest batch of an agent.
func (v analysisView) latest(t *analysis.Trend, l *analysis.Latest) {
	v.line()
	name := t.Batches[l.Batch].Name()
	if at := t.Batches[l.Batch].At; !at.IsZero() {
		name += " (" + analysis.Day(at) + ")"
	}
	v.newest(printable.Text(name), l.Headline, l.Baseline, l.Findings)
}

// newest prints the name of a batch, its headline, its baseline if any, and its findings.
func (v analysisView) newest(name, headline string, base *analysis.Baseline, found []analysis.Finding) {
	v.line(span{name, bold})
	if base == nil {
		headline = cmp.Or(headline, "It has no baseline to be compared with.")
	}
	if headline != "" {
		v.paragraph("  ", headline)
	}
	if base != nil {
		v.paragraph("  ", "baseline: "+base.String())
	}
	for _, f := range found {
		v.paragraph("  ! ", f.Text)
	}
}

// adjusting returns sentences about the test, how p-values are adjusted, and from which change on a change counts.
func adjusting(primary string, drop, alpha float64) string {
	s := "p: paired test (McNemar's exact test, or a sign-flip test of the mean)"
	if primary != "" {
		s += fmt.Sprintf("; that of %s is not adjusted, the others are adjusted among all metrics (Holm)", primary)
	}
	s += fmt.Sprintf("; p below %g is more than chance", alpha)
	if drop > 0 {
		s += fmt.Sprintf(", and a change below %g does not count", drop)
	}
	return s + ". A missing answer counts as 0 and does not pass."
}

func (v analysisView) trend(t *analysis.Trend, metric string, points []*analysis.Point, tiers []string, last int) {
	v.title(printable.Text(metric), "")
	var g grid
	sameAgent, sameVersion := true, true
	for i := range t.Batches {
		sameAgent = sameAgent && t.Batches[i].Agent == t.Batches[0].Agent && t.Batches[i].Origin == t.Batches[0].Origin
		sameVersion = sameVersion && t.Batches[i].Version == t.Batches[0].Version
	}
	dates, verdicts := map[string]bool{}, false
	for _, p := range points {
		dates[p.Tier+" "+day(t.Batches[p.Batch].At)] = true
		verdicts = verdicts || p.Now.PassRate != nil
	}
	g.column("date")
	if len(dates) == len(points) { // no two batches have one date
		g.cols[0].drop = 3
	}
	g.names("batch", 16) // --batch needs it
	g.words("agent", 8)
	g.words("version", 7)
	g.cols[3].drop = 2
	g.column("tier")
	g.number("cases").drop = 5
	g.number("cov.").drop = 8
	g.number("mean")
	if verdicts {
		g.cols[7].drop = 7
	}
	g.number("P90").drop = 9
	g.number("passed")
	g.number("change")
	g.number("p")
	g.column("")
	hidden := 0
	var remarks []string
	for _, tier := range tiers {
		var of []*analysis.Point
		for _, p := range points {
			if p.Tier == tier {
				of = append(of, p)
			}
		}
		if last > 0 && len(of) > last {
			hidden = max(hidden, len(of)-last)
			of = of[len(of)-last:]
		}
		for _, p := range of {
			b := &t.Batches[p.Batch]
			row := make([]cellSpans, 13)
			row[1] = text(printable.Text(b.Batch))
			if d := day(b.At); d != b.Batch {
				row[0] = inStyle(d, dim)
			}
			if !sameAgent {
				row[2] = text(printable.Text(strings.TrimSpace(cmp.Or(b.Agent, analysis.NoName) + " " + b.Origin)))
			}
			if !sameVersion {
				row[3] = text(printable.Text(cmp.Or(b.Version, analysis.NoVersion)))
			}
			row[4] = text(tierName(tier))
			row[5], row[6], row[7], row[8] = text(strconv.Itoa(p.Now.Asked)), v.covered(p.Now.Coverage), v.value(p.Now.Mean),
				v.value(p.Now.P90)
			if p.Now.PassRate != nil {
				row[9] = v.share(p.Now.PassRate)
			}
			if c := p.Change; c != nil {
				if c.Mean != nil {
					row[10], row[11] = text(Changed(c)), text(analysis.PValue(*c.PAdjusted))
				}
				row[12] = v.outcome(c)
				if tier == "" {
					remarks = append(remarks, unlike(b.Name(), c)...)
				}
			}
			g.add(row...)
		}
	}
	g.print(v.printer)
	if hidden > 0 {
		v.line(span{fmt.Sprintf("%s %d earlier: --last 0", v.ellipsis, hidden), dim})
	}
	v.remarks(remarks)
}

// unlike returns a line for each reason why cases are not compared, except for those without a value, which the table
// counts.
func unlike(what string, c *analysis.Change) (out []string) {
	for _, u := range c.Unlike {
		if u.Why != analysis.NoValue {
			out = append(out, what+": not compared on "+u.String())
		}
	}
	return out
}

// remarks prints at most six remarks, and the number of the others.
func (v analysisView) remarks(list []string) {
	const most = 6
	for _, r := range list[:min(most, len(list))] {
		v.paragraph("  ! ", r)
	}
	if len(list) > most {
		v.line(span{fmt.Sprintf("  ! and %d more like these: --json", len(list)-most), dim})
	}
}

// Changed formats the change that was tested: that of the pass rate in points if c has one, else that of the mean,
// which must be set.
func Changed(c *analysis.Change) string {
	if c.Rate != nil {
		return Points(*c.Rate)
	}
	return signed(*c.Mean)
}

// RenderComparison writes for a terminal how two sides differ; if cases, with the IDs of broken and fixed cases. more
// are metrics with scores that were not asked for.
func RenderComparison(w io.Writer, c *analysis.Comparison, more []string, cases bool, o Options) error {
	v := analysisView{newPrinter(w, o)}
	v.line(span{printable.Text(c.From.Name()) + " " + v.arrow + " " + printable.Text(c.To.Name()), bold},
		span{v.dot + " " + printable.Count(c.Shared, "shared question"), plain})
	if h := c.Headline(); h != "" {
		v.paragraph("", h)
	}
	if c.Baseline != nil {
		v.paragraph("", "baseline: "+c.Baseline.String())
	}
	v.line()
	var g grid
	g.words("metric", 12)
	g.column("tier")
	g.number("compared").drop = 5
	g.number("before")
	g.number("after")
	g.number("change")
	g.column("95 % CI").drop = 4
	g.number("broke").drop = 2
	g.number("fixed").drop = 2
	g.number("p").drop = 1
	g.column("")
	var remarks []string
	for i := range c.Changes {
		ch := &c.Changes[i]
		row := make([]cellSpans, 11)
		row[0], row[1], row[2], row[10] = text(printable.Text(ch.Metric)), text(tierName(ch.Tier)),
			text(fmt.Sprintf("%d/%d", ch.Compared, ch.Shared)), v.outcome(ch)
		switch {
		case ch.Rate != nil:
			before, after := ch.Shares()
			row[3], row[4], row[5] = text(percent(before)), text(percent(after)), text(Changed(ch))
			row[6] = inStyle(Points(*ch.RateLow)+" to "+Points(*ch.RateHigh), dim)
			row[7], row[8] = v.count(ch.NBroken, red), v.count(ch.NFixed, green)
		case ch.Mean != nil:
			row[3], row[4], row[5] = v.value(ch.Before), v.value(ch.After), text(Changed(ch))
			row[6] = inStyle(signed(*ch.Low)+" to "+signed(*ch.High), dim)
		}
		if ch.PAdjusted != nil {
			row[9] = text(analysis.PValue(*ch.PAdjusted))
		}
		g.add(row...)
		if ch.Tier == "" {
			remarks = append(remarks, unlike(ch.Metric, ch)...)
		}
	}
	g.print(v.printer)
	v.remarks(remarks)
	v.whole(c)
	v.spending(c.Spending)
	if cases {
		v.cases(c)
	}
	v.line()
	legend := ""
	if slices.Contains(g.shown, "compared") {
		legend += "compared: questions with a value or a missing answer on both sides, scored the same way, of those that both sides have. "
	}
	legend += "before, after, change: share that passed, or the mean if the metric has no verdicts, on the questions that are compared. "
	if slices.Contains(g.shown, "95 % CI") {
		legend += "95 % CI: of the change (score interval, as wide as the exact test, or resampling of a mean), not adjusted for other metrics. "
	}
	v.paragraph("", legend+adjusting(c.Primary, c.MinDrop, c.Alpha))
	if !cases {
		v.paragraph("", "Cases behind the changes: --cases, or --json")
	}
	if len(more) > 0 {
		v.paragraph("",
			fmt.Sprintf("%s %s scores: --metrics all", printable.Count(len(more), "more metric"),
				printable.Verb(len(more), "has", "have")))
	}
	v.notes(c.Notes)
	return v.w.Flush()
}

// whole prints mean, P90 and coverage of each side over all its cases, compared or not.
func (v analysisView) whole(c *analysis.Comparison) {
	v.title("All cases of each side", "")
	var g grid
	g.words("metric", 12)
	for side := range 2 {
		if side == 1 {
			g.column("")
		}
		g.number("cases").drop = 1
		g.number("cov.").drop = 2
		g.number("mean")
		g.number("P90").drop = 3
		g.number("passed")
	}
	for i := range c.Changes {
		ch := &c.Changes[i]
		if ch.Tier != "" {
			continue
		}
		row := []cellSpans{text(printable.Text(ch.Metric))}
		for k, f := range []*analysis.Figures{&ch.From, &ch.To} {
			if k == 1 {
				row = append(row, inStyle(v.arrow, dim))
			}
			row = append(row, text(strconv.Itoa(f.Asked)), v.covered(f.Coverage), v.value(f.Mean), v.value(f.P90))
			if f.PassRate == nil {
				row = append(row, nil)
			} else {
				row = append(row, v.share(f.PassRate))
			}
		}
		g.add(row...)
	}
	g.print(v.printer)
}

func (v analysisView) cases(c *analysis.Comparison) {
	v.title("Cases that pass on one side only", "")
	for i := range c.Changes {
		ch := &c.Changes[i]
		if ch.Tier != "" {
			continue
		}
		for _, l := range []struct {
			what string
			ids  []string
			side int // where the answer is wrong
		}{{"broke", ch.Broken, 1}, {"fixed", ch.Fixed, 0}} {
			if len(l.ids) == 0 {
				continue
			}
			v.paragraph("  ", fmt.Sprintf("%s, %d %s: %s", ch.Metric, len(l.ids), l.what, strings.Join(l.ids, ", ")))
			for _, r := range reasonsOf(l.ids, c.Reasons, l.side) {
				v.paragraph("    ", r)
			}
		}
	}
}

func (v analysisView) count(n int, st style) cellSpans {
	if n == 0 {
		return inStyle("0", dim)
	}
	return inStyle(strconv.Itoa(n), st)
}

// FailureView selects how failures are shown.
type FailureView struct {
	By    string // column by which labels are counted: tier, version or none
	Cases bool   // also list the cases of each label
	All   bool   // list all labels of each kind, not only the first ten
}

// kindTitles are the titles of the kinds of findings.
var kindTitles = map[string]string{
	analysis.KindIssue: "Issues of the query, by the SQL judge", analysis.KindError: "Errors, by FLEX",
	analysis.KindDifference: "Why right answers differ, by FLEX",
	analysis.KindExecution:  "How execution accuracy errs, by FLEX",
	analysis.KindRelation:   "Relations between the results",
	analysis.KindFilters:    "Filters applied, by STEF",
	analysis.KindDiagnosis:  "Diagnoses, by ROSE",
	analysis.KindRefusal:    "Answered what should be declined, or declined what should be answered, by refusal",
	analysis.KindSafety:     "SQL that does more than read, or could not be judged, by sql_safety",
}

// KindTitle returns the heading for a kind of findings.
func KindTitle(kind string) string { return kindTitles[kind] }

// RenderFailures writes for a terminal the reasons of wrong answers, and the labels that metrics gave to answers.
func RenderFailures(w io.Writer, f *analysis.Failures, o FailureView, terminal Options) error {
	v := analysisView{newPrinter(w, terminal)}
	for i := range f.Wrong {
		v.wrong(&f.Wrong[i], f.Primary, o)
	}
	if o.By == "none" && len(f.Batches) > 1 {
		o.By = "version"
	}
	v.line(span{printable.Count(len(f.Labels), "label"), bold},
		span{v.dot + " an answer may have several, and is counted under each", plain})
	if len(f.Wrong) > 0 && len(f.Labels) > 0 {
		v.paragraph("", "Of "+batchNames(f.Batches)+". Above, an answer counts once, for the relation that explains most.")
	}
	for i := 0; i < len(f.Labels); {
		j := i
		for j < len(f.Labels) && f.Labels[j].Metric == f.Labels[i].Metric && f.Labels[j].Kind == f.Labels[i].Kind {
			j++
		}
		v.failures(f, f.Labels[i:j], o)
		i = j
	}
	if !o.Cases && len(f.Labels) > 0 {
		v.line()
		v.paragraph("",
			"The cases behind a label: --label NAME --cases, or --json. By tier or version: --by tier, --by version")
	}
	v.notes(f.Notes)
	return v.w.Flush()
}

// batchNames lists batches, at most four.
func batchNames(batches []analysis.Batch) string {
	const most = 4
	var names []string
	for i := range batches[:min(most, len(batches))] {
		names = append(names, batches[i].Name())
	}
	if n := len(batches) - most; n > 0 {
		names = append(names, printable.Count(n, "more batch"))
	}
	return strings.Join(names, "; ")
}

func (v analysisView) failures(f *analysis.Failures, labels []analysis.FailureLabel, o FailureView) {
	scored := f.LookedAt[labels[0].Metric]
	v.title(kindTitles[labels[0].Kind],
		fmt.Sprintf("%s, of %s", labels[0].Metric, printable.Count(scored, "answer")))
	const most = 10
	shown := labels
	if !o.All && len(shown) > most {
		shown = shown[:most]
	}
	groupOf := func(g *analysis.FailureGroup) string {
		switch o.By {
		case "tier":
			return tierName(g.Tier)
		case "version":
			return printable.Text(g.System)
		}
		return ""
	}
	var groups []string
	for _, l := range shown {
		for i := range l.Groups {
			if name := groupOf(&l.Groups[i]); name != "" && !slices.Contains(groups, name) {
				groups = append(groups, name)
			}
		}
	}
	if o.By == "tier" {
		slices.SortFunc(groups, func(a, b string) int {
			at := func(s string) int {
				return slices.Index(analysis.Tiers, strings.ReplaceAll(s, " ", "_"))
			}
			return at(a) - at(b)
		})
	}
	var g grid
	g.words("label", 16)
	g.number("wrong")
	g.number("right")
	g.number("answers").drop = 12
	g.number("of all").drop = 11
	for i, name := range groups {
		c := g.number(printable.Cut(name, 16, v.ellipsis))
		c.drop = i + 1
		if o.By == "version" { // before the example and the share of all
			c.drop = 1
		}
	}
	g.words("example", 8)
	for _, l := range shown {
		row := []cellSpans{text(printable.Text(l.Label)), nil, nil, text(strconv.Itoa(l.N))}
		if f.Primary != "" {
			row[1], row[2] = v.count(l.Wrong, plain), v.count(l.Right, dim)
		}
		if scored > 0 {
			row = append(row, text(percent(float64(l.N)/float64(scored))))
		} else {
			row = append(row, nil)
		}
		for _, name := range groups {
			n := 0
			for i := range l.Groups {
				if groupOf(&l.Groups[i]) == name {
					n += l.Groups[i].N
				}
			}
			row = append(row, text(strconv.Itoa(n)))
		}
		g.add(append(row, inStyle(printable.Text(l.Groups[0].Cases[0]), dim))...)
	}
	g.print(v.printer)
	if len(shown) < len(labels) {
		v.line(span{fmt.Sprintf("%s %s: --all", v.ellipsis, printable.Count(len(labels)-len(shown), "more label")), dim})
	}
	if o.Cases {
		for _, l := range shown {
			for i := range l.Groups {
				gr := &l.Groups[i]
				of := strings.TrimSpace(strings.Join([]string{gr.System, tierName(gr.Tier)}, " "))
				v.paragraph("  ", fmt.Sprintf("%s, %s (%d of %d): %s", l.Label, of, gr.N, gr.Scored, strings.Join(gr.Cases, ", ")))
			}
		}
	}
}

// RenderAudit writes for a terminal the first top suspect questions, or all if top is 0, with the evidence by reason.
func RenderAudit(w io.Writer, a *analysis.Audit, top int, o Options) error {
	v := analysisView{newPrinter(w, o)}
	if a.Golds != nil && a.EX == "" { // there are no scores yet
		v.golds(a.Golds, top)
		v.notes(a.Notes)
		return v.w.Flush()
	}
	v.line(span{fmt.Sprintf("%d of %s suspect", len(a.Suspects), printable.Count(a.Cases, "question")), bold},
		span{fmt.Sprintf("%s %d of %s rejected by %s", v.dot, a.Rejected, printable.Count(a.Answers, "answer"), a.EX), plain})
	shown := a.Suspects
	if top > 0 && len(shown) > top {
		shown = shown[:top]
	}
	if len(shown) > 0 {
		v.title("Suspect questions", "the most reasons first")
		var g grid
		g.words("case", 8)
		g.column("suspicion")
		g.number("rejected").drop = 2
		g.number("accepted").drop = 1
		g.words("reasons", 20)
		for _, s := range shown {
			var reasons []string
			for _, r := range s.Reasons {
				text := r.Reason
				if len(r.By) > 1 {
					text += fmt.Sprintf(" (%d judges)", len(r.By))
				}
				reasons = append(reasons, text)
			}
			row := []cellSpans{text(printable.Text(s.CaseID)), text(s.Of), text(fmt.Sprintf("%d/%d", s.Rejected, s.Answers)),
				nil, text(printable.Text(strings.Join(reasons, ", ")))}
			if s.Accepted != nil {
				row[3] = text(strconv.Itoa(*s.Accepted))
			}
			g.add(row...)
		}
		g.print(v.printer)
		if len(shown) < len(a.Suspects) {
			v.line(span{fmt.Sprintf("%s %d more: --top 0, or --json", v.ellipsis, len(a.Suspects)-len(shown)), dim})
		}
	}
	v.measured(a)
	v.discordance(a)
	if s := a.Saturated; s != nil && s.Compared > 0 {
		of := fmt.Sprintf("two versions or more of %d", s.Versions)
		if s.Versions == 2 {
			of = "both versions"
		}
		v.title("Cases that every version passes", fmt.Sprintf("%d of the %d that %s answered, by %s",
			len(s.Cases), s.Compared, of, s.Metric))
		v.ids(s.Cases, top)
	}
	v.golds(a.Golds, top)
	v.notes(a.Notes)
	return v.w.Flush()
}

// golds prints the first top gold queries whose result depends on more than the data, such as the current date.
func (v analysisView) golds(g *analysis.Golds, top int) {
	if g == nil {
		return
	}
	var kinds []string
	for _, k := range g.Kinds {
		kinds = append(kinds, fmt.Sprintf("%s %d", k.On, k.Golds))
	}
	about := fmt.Sprintf("%d of %d", g.Depending, g.Read)
	if len(kinds) > 0 {
		about += ": " + strings.Join(kinds, ", ")
	}
	v.title("Gold queries that depend on more than the data", about)
	shown := g.Depends
	if top > 0 && len(shown) > top {
		shown = shown[:top]
	}
	for _, d := range shown {
		place := fmt.Sprintf("line %d, column %d: ", d.Line, d.Column)
		if d.Gold > 1 {
			place = fmt.Sprintf("gold %d, ", d.Gold) + place
		}
		v.line(span{printable.Text(d.CaseID), bold}, span{"  " + string(d.On), plain})
		v.paragraph("  ", place+d.Sentence)
	}
	if len(shown) < len(g.Depends) {
		v.line(span{fmt.Sprintf("%s %d more: --top 0, or --json", v.ellipsis, len(g.Depends)-len(shown)), dim})
	}
	for _, l := range []struct {
		title string
		cases []string
	}{
		{"Cases without gold", g.NoGold}, {"Cases whose gold query is in a passage that the agent retrieved", g.Leaked},
	} {
		if len(l.cases) > 0 {
			v.title(l.title, strconv.Itoa(len(l.cases)))
			v.ids(l.cases, top)
		}
	}
	v.notes(g.Notes)
}

// ids prints the first top IDs of cases, with commas in between.
func (v analysisView) ids(ids []string, top int) {
	shown := ids
	if top > 0 && len(shown) > top {
		shown = shown[:top]
	}
	if len(shown) > 0 {
		v.paragraph("  ", strings.Join(shown, ", "))
	}
	if len(shown) < len(ids) {
		v.line(span{fmt.Sprintf("%s %d more: --top 0, or --json", v.ellipsis, len(ids)-len(shown)), dim})
	}
}

func (v analysisView) measured(a *analysis.Audit) {
	if len(a.Reasons) == 0 {
		return
	}
	about := "without labels"
	if a.Labelled > 0 {
		about = fmt.Sprintf("people accept %d of %d labelled answers that %s rejects, %s", a.Accepted, a.Labelled, a.EX,
			percent(float64(a.Accepted)/float64(a.Labelled)))
	}
	v.title("Reasons", about)
	var g grid
	g.words("reason", 12)
	g.names("by", 8)
	g.number("cases")
	g.number("answers").drop = 2
	g.number("accepted")
	g.number("precision")
	g.column("95 % CI").drop = 1
	g.number("recall")
	for i := range a.Reasons {
		r := &a.Reasons[i]
		name := r.Reason
		if name == "any" {
			name = map[string]string{"any": "any reason"}[r.Of]
			if name == "" {
				name = "any: " + r.Of
			}
		}
		row := []cellSpans{text(name), inStyle(printable.Text(r.By), dim), text(strconv.Itoa(r.Cases)),
			text(strconv.Itoa(r.N)), nil, nil, nil, nil}
		if r.Labelled > 0 {
			row[4] = text(fmt.Sprintf("%d of %d", r.Accepted, r.Labelled))
			row[5] = v.share(r.Precision)
			row[6] = inStyle(interval100(*r.Low, *r.High, v.dash), dim)
		}
		if r.Recall != nil {
			row[7] = v.share(r.Recall)
		}
		g.add(row...)
	}
	g.print(v.printer)
	if a.Labelled > 0 {
		v.paragraph("", "precision: of the flagged answers that EX rejects, the share that people accept; recall: of all that it rejects and people accept, the share that is flagged")
	}
}

func interval100(low, high float64, dash string) string {
	return strconv.FormatFloat(100*low, 'f', 0, 64) + dash + strconv.FormatFloat(100*high, 'f', 0, 64)
}

func (v analysisView) discordance(a *analysis.Audit) {
	if len(a.Discordance) == 0 {
		return
	}
	v.title("Discordance with "+a.EX, "answers on which the verdicts differ")
	var g grid
	g.words("metric", 8)
	g.names("by", 8)
	heads := []string{"gold_x", "amb_q", "either", "all"}
	for _, h := range heads {
		g.number(h)
	}
	g.number("of discordant").drop = 1
	type key struct{ metric, by string }
	rows := map[key][]cellSpans{}
	var order []key
	for i := range a.Discordance {
		d := &a.Discordance[i]
		k := key{d.Metric, d.By}
		if rows[k] == nil {
			rows[k] = []cellSpans{text(printable.Text(d.Metric)), inStyle(printable.Text(d.By), dim), nil, nil, nil, nil, nil}
			order = append(order, k)
		}
		at := slices.Index(heads, d.On)
		rows[k][2+at] = text(fmt.Sprintf("%d/%d %s", d.Differ, d.N, percent(float64(d.Differ)/float64(d.N))))
		if d.On == "either" {
			rows[k][6] = v.share(d.Share)
		}
	}
	for _, k := range order {
		g.add(rows[k]...)
	}
	g.print(v.printer)
}

// RenderRanking writes for a terminal how systems rank by each metric.
func RenderRanking(w io.Writer, r *analysis.Ranking, o Options) error {
	v := analysisView{newPrinter(w, o)}
	v.line(span{printable.Count(len(r.Systems), "system"), bold},
		span{fmt.Sprintf("%s %d of %s shared by all", v.dot, r.Shared, printable.Count(r.Cases, "case")), plain})
	for i := range r.Metrics {
		v.ranked(r, &r.Metrics[i], i == 0)
	}
	v.exErrors(r)
	v.line()
	v.paragraph("", fmt.Sprintf("Systems of equal means share the mean of their places. shift: rank by %s minus this rank; above 0: ranked better here than by %[1]s. Brackets: 95 %% bootstrap intervals over the shared cases. Every tier and figure: --json", r.EX))
	v.notes(r.Notes)
	return v.w.Flush()
}

func place(f float64) string { return strconv.FormatFloat(rounded(f, 1), 'f', -1, 64) }

func (v analysisView) ranked(r *analysis.Ranking, m *analysis.Ranked, ex bool) {
	about := "on " + printable.Count(m.Compared, "case")
	if m.MeanAbs != nil {
		about += fmt.Sprintf("; ranks shift by %s on average, %s at most", place(*m.MeanAbs), place(*m.MaxAbs))
		if m.Tau != nil {
			about += fmt.Sprintf("; tau %.2f", *m.Tau)
		}
	}
	v.title(printable.Text(m.Metric), about)
	if len(m.Systems) == 0 {
		v.paragraph("  ", "no shared case may be compared for all systems")
	} else {
		var g grid
		g.number("rank")
		g.column("")
		g.words("system", 10)
		g.number("mean")
		g.column("95 % CI")
		g.number("shift")
		g.column("")
		for i := range m.Systems {
			s := &m.Systems[i]
			row := []cellSpans{text(place(s.Rank)), inStyle("["+place(s.RankLow)+v.dash+place(s.RankHigh)+"]", dim),
				text(printable.Text(s.System)), text(decimal(s.Mean)),
				inStyle(decimal(s.Low)+" to "+decimal(s.High), dim), nil, nil}
			if s.Shift != nil && !ex {
				st := dim
				if *s.Shift != 0 {
					st = bold
				}
				shift := place(*s.Shift)
				if *s.Shift > 0 {
					shift = "+" + shift
				}
				row[5], row[6] = inStyle(shift, st),
					inStyle(fmt.Sprintf("[%s to %s]", place(*s.ShiftLow), place(*s.ShiftHigh)), dim)
			}
			g.add(row...)
		}
		g.print(v.printer)
	}
	var remarks []string
	for _, u := range m.Unlike {
		switch {
		case u.Why == analysis.NoValue:
			remarks = append(remarks,
				printable.Count(u.Cases, "case")+" left out: a system has no value (abstained, failed or not applicable)")
		default:
			remarks = append(remarks, printable.Count(u.Cases, "case")+" left out: the systems have another "+u.Why)
		}
	}
	v.remarks(remarks)
}

func (v analysisView) exErrors(r *analysis.Ranking) {
	if len(r.Errors) == 0 {
		return
	}
	v.title("Errors of "+printable.Text(r.EX), "against "+printable.Text(r.Against))
	var g grid
	g.words("system", 10)
	g.column("tier")
	g.number("answers")
	g.number("false positives")
	g.number("false negatives")
	shownSystems := len(r.Systems) <= 3
	for i := range r.Errors {
		e := &r.Errors[i]
		if e.System != "" && e.Tier != "" && !shownSystems {
			continue // --json has them
		}
		name, tier := printable.Text(e.System), tierName(e.Tier)
		if name == "" {
			name = "all together"
		}
		if tier == "" {
			tier = "all"
		}
		share := func(n int) cellSpans {
			return text(fmt.Sprintf("%d  %5.1f%%", n, 100*float64(n)/math.Max(1, float64(e.N))))
		}
		g.add(text(name), text(tier), text(strconv.Itoa(e.N)), share(e.FalsePositives), share(e.FalseNegatives))
	}
	g.print(v.printer)
	if !shownSystems {
		v.line(span{"each system by tier: --json", dim})
	}
}
