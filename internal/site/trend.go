package site

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/chart"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// The page shows metrics over the batches of agents.
var _ = register(
	&page{name: "trend", pattern: "GET /trend", nav: "Trend", place: 50, ofRun: true, inReport: (*staticPlan).one,
		role: identity.Read, show: (*Site).trend})

const lastBatches = 10 // batches that are shown by default

// trendState is the state of the page, as its address encodes it.
type trendState struct {
	Agent   string   // "": all
	Metrics []string // nil: the page of the primary metric
	Last    int      // batches; 0: all
	Across  bool     // draw lines also between points that are not comparable
}

func parseTrend(v url.Values) (s trendState, err error) {
	s = trendState{Agent: v.Get("agent"), Last: lastBatches, Across: v.Get("across") != ""}
	s.Metrics = metricsIn(v)
	if text := v.Get("last"); text != "" {
		if s.Last, err = strconv.Atoi(text); err != nil || s.Last < 0 || s.Last > 1e6 {
			return s, errcode.New(errcode.InvalidArgument, "last: %.40q, expected a number of batches, or 0 for all", text)
		}
	}
	return s, nil
}

// metricsIn returns the values of the parameter metrics, each once. A value may list several metrics between commas.
func metricsIn(v url.Values) (out []string) {
	for _, m := range strings.Split(strings.Join(v["metrics"], ","), ",") {
		if m = strings.TrimSpace(m); m != "" && !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// trendAddress returns the address of the page in state s. Default values are omitted.
func trendAddress(s trendState) string {
	v := url.Values{}
	if s.Agent != "" {
		v.Set("agent", s.Agent)
	}
	for _, m := range s.Metrics {
		v.Add("metrics", m)
	}
	if s.Last != lastBatches {
		v.Set("last", strconv.Itoa(s.Last))
	}
	if s.Across {
		v.Set("across", "1")
	}
	return address("/trend", v)
}

type trendContent struct {
	Nights  *nightsView // the batches of one agent; nil if metrics are selected
	State   trendState
	Agents  []option
	Metrics []trendMetric
	Others  []trendLink // links to metrics that are not shown
	AllAt   string      // address of the page with all batches; "" if all are shown
	Hidden  int         // number of batches that are not shown
	Legend  []string    // meanings of the marks in charts
	Notes   []string
	Alpha   float64
	Primary string // the metric whose p-values are not adjusted
	Batches int
}

type trendLink struct{ Address, Text string }

// trendMetric is the chart and table of one metric over the batches.
type trendMetric struct {
	Name    string
	Picture *chart.Picture
	Rows    []trendRow
}

type trendRow struct {
	Batch          analysis.Batch
	Day            string
	Cases          int
	Coverage       string
	Mean, P90      string
	Passed         string
	Change, P      string
	Class, Outcome string
	Changed        []string // changes other than the answers since the batch before
	Address        string   // address of the comparison with the batch before
}

// changeMarks are the letters that mark changes other than the answers in a chart, with their meaning.
var changeMarks = []struct{ letter, why, said string }{
	{"G", "golden set", "the question or its accepted answer changed in some cases"},
	{"M", "metric version", "the metric has another version"},
	{"C", "configuration", "options or threshold of the metric changed"},
	{"J", "judge", "another judge was asked, or another model answered"},
	{"P", "prompt", "the judge was asked with another version of a prompt"},
}

func (s *Site) trend(r *http.Request) (content, error) {
	state, err := parseTrend(r.URL.Query())
	if err != nil {
		return content{}, err
	}
	ctx := r.Context()
	var run *scoring.RunID
	if named := store.ParseRun(r.URL.Query()); named.ID != "" {
		run = &named
	}
	if len(state.Metrics) == 0 {
		v, err := s.nightsPage(ctx, state, run)
		if err != nil {
			return content{}, err
		}
		return content{Title: strings.TrimSuffix(v.Headline, "."), Run: run,
			Page: &trendContent{State: state, Nights: v}}, nil
	}
	src, err := s.scores()
	if err != nil {
		return content{}, err
	}
	chosen, others, err := s.comparing(ctx, state.Metrics)
	if err != nil {
		return content{}, err
	}
	o := analysis.TrendOptions{Choose: func(b *analysis.Batch) bool {
		return state.Agent == "" || cmp.Or(b.Agent, analysis.NoName) == state.Agent
	}}
	o.Metrics, o.Primary = state.Metrics, s.o.Primary
	page := &trendContent{State: state}
	out := content{Title: "Trend", Run: run, Page: page}
	if len(chosen.Shown) == 0 {
		page.Notes = []string{"there are no scores"}
		return out, nil
	}
	t, err := src.Trend(ctx, analysis.NewSet(s.o.Metrics), o, state.Last)
	if err != nil {
		return content{}, err
	}
	all, err := src.Batches(ctx)
	if err != nil {
		return content{}, err
	}
	for _, b := range all {
		name := cmp.Or(b.Agent, analysis.NoName)
		if !slices.ContainsFunc(page.Agents, func(c option) bool { return c.Value == name }) {
			page.Agents = append(page.Agents, option{name, name, name == state.Agent})
		}
	}
	if state.Agent != "" && !slices.ContainsFunc(page.Agents, func(o option) bool { return o.Chosen }) {
		return content{}, errcode.New(errcode.NotFound, "agent: there are no scores of an agent %.80q", state.Agent)
	}
	asked, err := s.prompts(ctx)
	if err != nil {
		return content{}, err
	}
	page.Notes, page.Alpha, page.Batches = t.Notes, t.Alpha, len(t.Batches)
	if state.Last > 0 && len(t.Batches) > state.Last {
		page.Hidden = len(t.Batches) - state.Last
		more := state
		more.Last = 0
		page.AllAt = trendAddress(more)
	}
	occurred := map[string]bool{}
	page.Primary = t.Primary
	for i, m := range chosen.Shown {
		page.Metrics = append(page.Metrics, trendOf(t, m, i, state, asked, occurred))
	}
	for _, m := range changeMarks {
		if occurred[m.letter] {
			page.Legend = append(page.Legend, m.letter+": "+m.said)
		}
	}
	for _, m := range others {
		one := state
		one.Metrics = []string{m}
		page.Others = append(page.Others, trendLink{trendAddress(one), m})
	}
	return out, nil
}

// prompts returns the judge models and prompt versions that the latest run of each batch paid for, by batch (a RunID
// without ID) and by purpose.
func (s *Site) prompts(ctx context.Context) (map[scoring.RunID]map[string][2][]string, error) {
	asked, err := s.o.Warehouse.Asked(ctx, "")
	if err != nil {
		return nil, err
	}
	recent, err := s.recentRuns(ctx)
	if err != nil {
		return nil, err
	}
	byRun := map[string]map[string][2][]string{}
	for _, a := range asked {
		run, ok := strings.CutPrefix(a.Payer, "run:")
		if !ok {
			continue
		}
		if byRun[run] == nil {
			byRun[run] = map[string][2][]string{}
		}
		seen := byRun[run][a.Kind]
		for i, text := range []string{a.Model, a.Prompt} {
			if text != "" && !slices.Contains(seen[i], text) {
				seen[i] = append(seen[i], text)
			}
		}
		byRun[run][a.Kind] = seen
	}
	out := map[scoring.RunID]map[string][2][]string{}
	for i := len(recent) - 1; i >= 0; i-- { // the latest run of a batch counts
		run := recent[i].RunID
		if of := byRun[run.ID]; of != nil {
			run.ID = ""
			out[run] = of
		}
	}
	return out, nil
}

// trendOf returns the chart and table of one metric. It adds the letters of changeMarks that it uses to occurred.
func trendOf(t *analysis.Trend, metric string, number int, state trendState,
	asked map[scoring.RunID]map[string][2][]string, occurred map[string]bool) trendMetric {
	out := trendMetric{Name: metric}
	picture := chart.Lines{
		Name: "trend-" + strconv.Itoa(number), Title: metric + " over the batches", X: "batch", Y: "mean", Steps: []string{},
	}
	series := map[string]*chart.Series{} // by agent
	var agents []string
	place := map[int]int{} // of a batch among those that are shown
	letters := map[int][]string{}
	version := "" // of the batch before
	for i := range t.Points {
		p := &t.Points[i]
		if p.Metric != metric || p.Tier != "" {
			continue
		}
		b := t.Batches[p.Batch]
		row, cut := rowOfPoint(t, p, asked)
		for _, m := range changeMarks {
			if slices.ContainsFunc(row.Changed, func(c string) bool { return strings.HasPrefix(c, m.why) }) {
				occurred[m.letter] = true
				letters[len(picture.Steps)] = append(letters[len(picture.Steps)], m.letter)
			}
		}
		out.Rows = append(out.Rows, row)
		place[p.Batch] = len(picture.Steps)
		if p.Now.Mean != nil {
			if series[b.Agent] == nil {
				series[b.Agent] = &chart.Series{Name: cmp.Or(b.Agent, analysis.NoName)}
				agents = append(agents, b.Agent)
			}
			line := series[b.Agent]
			point := chart.Point{X: float64(len(picture.Steps)), Y: *p.Now.Mean, Cut: cut && !state.Across,
				Tip: b.Name() + ": " + row.Mean + ", " + printable.Count(p.Now.Scored, "case")}
			if p.Now.PassLow != nil && p.Now.PassRate != nil && *p.Now.PassRate == *p.Now.Mean {
				point.Low, point.High = p.Now.PassLow, p.Now.PassHigh
			}
			line.Points = append(line.Points, point)
		}
		picture.Steps = append(picture.Steps, stepName(&b, version))
		version = b.Version
	}
	for _, a := range agents {
		picture.Series = append(picture.Series, *series[a])
	}
	if len(picture.Series) == 1 {
		picture.Series[0].Name = ""
	}
	for x := range picture.Steps {
		if l := letters[x]; l != nil {
			picture.Marks = append(picture.Marks, chart.Mark{X: float64(x) - 0.5, Text: strings.Join(l, " ")})
		}
	}
	if n := len(out.Rows); n > 0 {
		picture.Desc = fmt.Sprintf("From %s to %s over %s.", out.Rows[0].Mean, out.Rows[n-1].Mean, things(n, "batch"))
	}
	out.Picture = picture.Picture()
	return out
}

// stepName names a batch on the axis: its date, or its ID without one, after its version if the batch before it has
// another one.
func stepName(b *analysis.Batch, before string) string {
	name := b.Batch
	if !b.At.IsZero() {
		name = b.At.UTC().Format("2 Jan")
	}
	if name == "" || b.Version != before {
		name = strings.TrimSpace(b.Version + " " + name)
	}
	return name
}

// rowOfPoint returns a point as a row of the table. cut reports that some or all of its scores are not comparable with
// those of the previous point, or that it is the first.
func rowOfPoint(t *analysis.Trend, p *analysis.Point,
	asked map[scoring.RunID]map[string][2][]string) (row trendRow, cut bool) {
	b := t.Batches[p.Batch]
	row = trendRow{
		Batch: b, Cases: p.Now.Asked, Coverage: covered(p.Now.Coverage), Mean: figure(p.Now.Mean), P90: figure(p.Now.P90),
		Passed: share(p.Now.PassRate), Change: dash, P: dash,
	}
	if !b.At.IsZero() {
		row.Day = b.At.UTC().Format("2006-01-02")
	}
	c := p.Change
	if c == nil {
		return row, true
	}
	if c.Mean != nil {
		row.Change, row.P = report.Changed(c), analysis.PValue(*c.PAdjusted)
	}
	row.Outcome = outcomes[c.Outcome]
	row.Class = outcomeClasses[c.Outcome]
	for _, u := range c.Unlike {
		if u.Why != analysis.NoValue {
			row.Changed = append(row.Changed, u.Why+": "+u.String())
			cut = true
		}
	}
	var was map[string][2][]string
	if p.Before != nil { // else the baseline is not among the batches of the page
		was = asked[scoring.RunID{By: t.Batches[*p.Before].By}]
	}
	is := asked[scoring.RunID{By: b.By}]
	for kind, now := range is {
		then, ok := was[kind]
		if !ok || !strings.HasPrefix(p.Metric, kind) && !strings.HasPrefix(kind, p.Metric) {
			continue
		}
		for i, what := range []string{"judge", "prompt"} {
			if !slices.Equal(then[i], now[i]) {
				row.Changed = append(row.Changed, what+": "+strings.Join(then[i], ", ")+", then "+strings.Join(now[i], ", "))
			}
		}
	}
	slices.Sort(row.Changed)
	return row, cut || c.Compared == 0
}

// covered formats a coverage, or returns a dash for nil: the metric applies to no case.
func covered(share *float64) string {
	if share == nil {
		return dash
	}
	return report.Covered(*share)
}
