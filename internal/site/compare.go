package site

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/internal/storedscores"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// The page compares a baseline with up to four other runs.
var _ = register(
	&page{name: "compare", pattern: "GET /compare", nav: "Changes", place: 20, ofRun: true, inPrint: true,
		inReport: (*staticPlan).comparison, role: identity.Read, show: (*Site).compare})

// comparison adds the comparisons of a run to the static report, if the run has a baseline: a list for each kind of
// change, and the table of all metrics. The link Changes leads to the broken answers.
func (l *staticPlan) comparison(p *page, of *staticRun) {
	base := l.baselines[of.run]
	if base == (scoring.RunID{}) {
		return
	}
	for _, mode := range changeModes {
		if !alwaysLinked(mode) && len(of.ids[mode]) == 0 {
			continue
		}
		state, name := l.state(of.run, mode), string(mode)
		bare := state
		bare.Size = store.DefaultSize
		also := []string{casesAddress(bare)}
		if mode == store.Broke {
			name = p.name
			also = append(also, addressOf(p, &of.run), compareAddress(sides{From: base, To: []scoring.RunID{of.run}}))
		}
		for n := range l.pagesOf(mode, len(of.ids[mode])) {
			at, number := state, ""
			if at.Page = n + 1; n > 0 {
				number, also = "-page-"+strconv.Itoa(n+1), nil
			}
			l.add(p, casesAddress(at), name+of.suffix+number, also...)
		}
	}
	tables := sides{From: base, To: []scoring.RunID{of.run}, Metrics: []string{"all"}}
	l.add(p, compareAddress(tables), "measures"+of.suffix)
}

// mostCandidates is the maximum number of runs to compare with a baseline.
const mostCandidates = 4

// sides are the runs of a comparison and its options, as the query of an address encodes them. Each run is a query
// encoded as one value.
type sides struct {
	From    scoring.RunID // the baseline
	To      []scoring.RunID
	Metrics []string // nil: the most informative ones; "all": all
	Metric  string   // the metric whose transitions are shown; "": the first
	Itself  bool     // the baseline was also named in To, from where it was removed
}

func parseSides(v url.Values) (s sides, err error) {
	one := func(key, text string) (scoring.RunID, error) {
		q, err := url.ParseQuery(text)
		if err != nil {
			return scoring.RunID{}, errcode.New(errcode.InvalidArgument, "%s: %.80q names no run", key, text)
		}
		return store.ParseRun(q), nil
	}
	if text := v.Get("from"); text != "" {
		if s.From, err = one("from", text); err != nil {
			return s, err
		}
	}
	if base := store.ParseBaseline(v); s.From.ID == "" && base.ID != "" { // the state of a list of cases
		s.From = base
	}
	for _, text := range v["to"] {
		if text == "" { // an empty field of a form
			continue
		}
		run, err := one("to", text)
		if err != nil {
			return s, err
		}
		switch {
		case run == s.From:
			s.Itself = true
		case !slices.Contains(s.To, run):
			s.To = append(s.To, run)
		}
	}
	if run := store.ParseRun(v); run.ID != "" && len(s.To) == 0 && !s.Itself { // the link of a run's pages
		s.To = []scoring.RunID{run}
	}
	if len(s.To) > mostCandidates {
		return s, errcode.New(errcode.InvalidArgument, "to: %d runs, expected at most %d to compare with the baseline",
			len(s.To), mostCandidates)
	}
	s.Metrics = metricsIn(v)
	s.Metric = v.Get("metric")
	return s, nil
}

func (s sides) values() url.Values {
	v := url.Values{}
	if s.From.ID != "" {
		v.Set("from", store.RunValues(s.From).Encode())
	}
	for _, run := range s.To {
		v.Add("to", store.RunValues(run).Encode())
	}
	for _, m := range s.Metrics {
		v.Add("metrics", m)
	}
	if s.Metric != "" {
		v.Set("metric", s.Metric)
	}
	return v
}

// compareAddress returns the address of the comparison s.
func compareAddress(s sides) string { return address("/compare", s.values()) }

// runChoice is an option in a form's list of runs.
type runChoice struct {
	Value  string
	Text   string
	Chosen bool
}

type compareContent struct {
	Baselines  []runChoice
	Candidates []runChoice
	Asked      []string
	Metric     string
	All        string // address of the page with all metrics; "" if all are shown
	More       int    // number of metrics that are not shown
	From       runLine
	Compared   []comparedRun
	Warnings   []string     // about differences other than the answers
	Changes    *changesView // comparison of one run with its baseline; nil if Compared is shown
	Hint       string       // what the user should choose, if there is nothing to compare
}

// runLine describes a run in a comparison or list.
type runLine struct {
	scoring.RunID
	Address string
	Status  string
	Started string
	Judge   string
}

// comparedRun is the comparison of one run with the baseline.
type comparedRun struct {
	Run              runLine
	Shared           int
	OnlyFrom, OnlyTo int
	Rows             []changeRow
	Notes            []string
	Primary          string // the metric whose p-value is not adjusted
	Metric           string
	Transitions      transitionTable
	Moves            []move // the most important transitions
	Cases            string // address of the list of all changed cases of the metric
	Spending         *spending
}

// counted is a number of cases with the address of the list of these cases.
type counted struct {
	N       int
	Address string // "" without a link
}

// changeRow is the change of one metric between two runs, formatted.
type changeRow struct {
	Metric           string
	Address          string // address of the cases, the largest regressions first
	Compared, Shared int
	Before, After    string
	Change, Interval string
	Class            string // better, worse or nothing
	Rate             string
	Fixed, Broken    counted
	P, Adjusted      string
	Outcome          string
	Unlike           []string
	HasRate          bool
}

func (s *Site) compare(r *http.Request) (content, error) {
	asked, err := parseSides(r.URL.Query())
	if err != nil {
		return content{}, err
	}
	ctx := r.Context()
	recent, err := s.recentRuns(ctx)
	if err != nil {
		return content{}, err
	}
	page := &compareContent{Asked: asked.Metrics, Metric: asked.Metric}
	out := content{Title: "Compare runs", Page: page}
	if len(asked.To) > 0 {
		run := asked.To[0]
		out.Run = &run
	}
	if asked.From.ID == "" && len(asked.To) > 0 {
		asked.From = before(recent, asked.To[0])
	}
	for key, runs := range map[string][]scoring.RunID{"from": {asked.From}, "to": asked.To} {
		for _, run := range runs {
			if run.ID == "" {
				continue
			}
			if err := s.runThere(r, recent, key, run); err != nil {
				return content{}, err
			}
		}
	}
	names, err := s.runNames(ctx, recent)
	if err != nil {
		return content{}, err
	}
	for i, run := range recent {
		id := run.RunID
		c := runChoice{Value: store.RunValues(id).Encode(), Text: names[i]}
		b := c
		b.Chosen, c.Chosen = id == asked.From, slices.Contains(asked.To, id)
		page.Baselines, page.Candidates = append(page.Baselines, b), append(page.Candidates, c)
	}
	if len(asked.To) == 1 && asked.Metrics == nil && !asked.Itself && len(recent) > 1 {
		from := scoring.RunID{}
		if named := r.URL.Query(); named.Get("from") != "" || store.ParseBaseline(named).ID != "" {
			from = asked.From
		}
		return s.changes(r, page, asked.To[0], from)
	}
	switch {
	case len(recent) < 2:
		page.Hint = "A comparison needs two runs. badger run --cases FILE --to URL creates one."
	case asked.Itself && len(asked.To) == 0:
		page.Hint = "The run that you chose is the baseline itself: a run cannot be compared with itself. Choose another run, or another baseline."
	case asked.From.ID == "" || len(asked.To) == 0:
		page.Hint = "Choose a baseline, and the runs to compare with it."
	}
	if page.Hint != "" {
		return out, nil
	}
	if asked.Itself {
		page.Warnings = append(page.Warnings,
			"The baseline is among the runs that you chose: it is left out, as a run cannot be compared with itself.")
	}
	return out, s.compared(ctx, page, asked, recent)
}

// offeredRuns is the maximum number of runs in a form's list.
const offeredRuns = 500

// recentRuns returns the runs that started last, from new to old, at most offeredRuns.
func (s *Site) recentRuns(ctx context.Context) ([]store.Run, error) {
	pages, err := s.reader(ctx)
	if err != nil {
		return nil, err
	}
	runs, _, err := pages.Runs(ctx, store.RunFilter{Limit: offeredRuns})
	return runs, err
}

// runNames returns the names of runs in a form: date, version and share of right answers of those that are a night,
// such as "Sun 29 Nov, 3.4, 77 %", else those of runName. Only equal names have the run's ID.
func (s *Site) runNames(ctx context.Context, recent []store.Run) ([]string, error) {
	t, err := s.timeline(ctx)
	if err != nil {
		return nil, err
	}
	p, err := s.reader(ctx)
	if err != nil {
		return nil, err
	}
	figures, err := p.FiguresOf(ctx, recent, func(r *store.Run) string { return s.primary(r.Metrics()) })
	if err != nil {
		return nil, err
	}
	out, agents, times := make([]string, len(recent)), map[string]bool{}, map[string]int{}
	for i := range recent {
		agents[recent[i].Agent] = true
	}
	for i := range recent {
		r := &recent[i]
		m := t.at(r.RunID)
		if m == nil || !t.daily[r.Agent] || m.Of.At.IsZero() {
			out[i] = runName(r)
			continue
		}
		parts := []string{t.name(m)}
		if len(agents) > 1 {
			parts = append(parts, agentName(r.Agent, r.Version))
		} else if r.Version != "" {
			parts = append(parts, r.Version)
		}
		f := figures[store.RunMetric{RunID: r.RunID, Metric: s.primary(r.Metrics())}]
		if of := f.Judged + f.Unanswered; f.Judged > 0 {
			parts = append(parts, percent(float64(f.Passed)/float64(of)))
		}
		out[i] = strings.Join(parts, ", ")
		times[out[i]]++
	}
	for i := range out {
		if times[out[i]] > 1 {
			out[i] += " · " + recent[i].ID
		}
	}
	return out, nil
}

func runName(r *store.Run) string {
	name := agentName(r.Agent, r.Version)
	for i, part := range []string{r.Batch, r.ID} {
		if part != "" {
			name += " · " + [...]string{"batch ", "run "}[i] + part
		}
	}
	if !r.Started.IsZero() {
		name += " · scored " + r.Started.UTC().Format("2006-01-02 15:04Z")
	}
	return name
}

// before returns the default baseline of a run: the latest earlier run of the same agent with another version, else the
// latest earlier run of the agent, or the zero RunID. recent is sorted from new to old.
func before(recent []store.Run, run scoring.RunID) scoring.RunID {
	at := slices.IndexFunc(recent, func(r store.Run) bool { return r.RunID == run })
	var any scoring.RunID
	for i := at + 1; at >= 0 && i < len(recent); i++ {
		id := recent[i].RunID
		if id.Agent != run.Agent {
			continue
		}
		if id.Version != run.Version {
			return id
		}
		if any.ID == "" {
			any = id
		}
	}
	return any
}

func (s *Site) line(recent []store.Run, run scoring.RunID) runLine {
	out := runLine{RunID: run, Address: runAddress(run)}
	for i := range recent {
		if r := &recent[i]; r.RunID == run {
			out.Status, out.Judge, out.Started = r.Status, r.Judge, instant(r.Started)
		}
	}
	return out
}

// scores returns the reader of the warehouse's scores, or an error without a warehouse.
func (s *Site) scores() (*storedscores.Warehouse, error) {
	if s.o.Warehouse == nil {
		return nil, errcode.New(errcode.Unavailable, "there is no warehouse yet")
	}
	return storedscores.In(s.o.Warehouse), nil
}

// comparing returns the options of a comparison that shows the metrics asked, or else the most informative ones, and
// the other metrics that have scores. It returns an error if a metric of asked has none.
func (s *Site) comparing(ctx context.Context, asked []string) (o analysis.CompareOptions, more []string, err error) {
	there, err := s.o.Warehouse.ScoredMetrics(ctx)
	if err != nil {
		return o, nil, err
	}
	for _, m := range asked {
		if m != "all" && !slices.Contains(there, m) {
			return o, nil, errcode.New(errcode.InvalidArgument, "metrics: there are no scores of the metric %.60q", m)
		}
	}
	o.Metrics, o.Primary = asked, s.o.Primary
	o, more = o.Select(analysis.NewSet(s.o.Metrics), there, nil)
	return o, more, nil
}

func sideOf(run scoring.RunID) storedscores.Side {
	return storedscores.Side{RunID: run}
}

// batchOf returns the batch of a run for package analysis, with the run's status if it is not done.
func batchOf(l *runLine) analysis.Batch {
	b := analysis.Batch{By: l.By}
	if l.Status != "done" {
		b.Unfinished = l.Status
	}
	return b
}

func (s *Site) compared(ctx context.Context, page *compareContent, asked sides, recent []store.Run) error {
	o, more, err := s.comparing(ctx, asked.Metrics)
	if err != nil {
		return err
	}
	if page.More = len(more); page.More > 0 {
		all := asked
		all.Metrics = []string{"all"}
		page.All = compareAddress(all)
	}
	page.From = s.line(recent, asked.From)
	src, set := storedscores.In(s.o.Warehouse), analysis.NewSet(s.o.Metrics)
	differs := map[string]bool{}
	for _, to := range asked.To {
		line := s.line(recent, to)
		c, err := src.Compare(ctx, set, sideOf(asked.From), sideOf(to), batchOf(&page.From), batchOf(&line), o)
		if err != nil {
			return err
		}
		one := comparedRun{Run: line, Shared: c.Shared, OnlyFrom: c.OnlyOf[0], OnlyTo: c.OnlyOf[1], Notes: c.Notes,
			Metric: asked.Metric, Primary: c.Primary}
		pair := pairs{From: asked.From, To: to}
		for i := range c.Changes {
			ch := &c.Changes[i]
			if one.Metric == "" || i == 0 && c.Transitions[one.Metric] == nil {
				one.Metric = ch.Metric
			}
			for _, u := range ch.Unlike {
				if u.Why != analysis.NoValue {
					differs[u.Why] = true
				}
			}
			one.Rows = append(one.Rows, changeRowOf(ch, pair))
		}
		pair.Metric = one.Metric
		one.Cases = pairsAddress(pair)
		one.Transitions = transitionsOf(c.Transitions[one.Metric], pair)
		one.Moves = movesOf(c.Transitions[one.Metric], pair)
		of := storedscores.SpendingOf{From: sideOf(asked.From), To: sideOf(to), FromBatch: batchOf(&page.From),
			ToBatch: batchOf(&line), Primary: c.Primary}
		if one.Spending, err = s.spendingOf(ctx, of, c.Main); err != nil {
			return err
		}
		if one.Spending != nil {
			one.Spending.Before, one.Spending.Now = "before", "after"
		}
		page.Compared = append(page.Compared, one)
	}
	for _, d := range []struct{ why, said string }{
		{"golden set", "The golden sets differ: the question or its accepted answer changed in some cases."},
		{"configuration", "The configurations differ: some metrics were computed with other options or thresholds."},
		{"metric version", "Some metrics have another version."},
		{"judge", "A different judge was used."},
	} {
		if differs[d.why] {
			page.Warnings = append(page.Warnings, d.said+" Such scores are not compared; the tables count them.")
		}
	}
	return nil
}

// changeRowOf formats the change of a metric as a row, with the same digits as the terminal report.
func changeRowOf(ch *analysis.Change, pair pairs) changeRow {
	pair.Metric = ch.Metric
	row := changeRow{
		Metric: ch.Metric, Address: pairsAddress(pair), Compared: ch.Compared, Shared: ch.Shared,
		Before: figure(ch.Before), After: figure(ch.After), Change: dash, Interval: dash, Rate: dash, P: dash, Adjusted: dash,
		Outcome: outcomes[ch.Outcome],
	}
	if ch.Mean != nil {
		row.Change, row.Interval = report.Changed(ch), report.Signed(*ch.Low)+" to "+report.Signed(*ch.High)
		row.P, row.Adjusted = analysis.PValue(*ch.P), analysis.PValue(*ch.PAdjusted)
	}
	if ch.Rate != nil { // the figure that p is of
		before, after := ch.Shares()
		row.Before, row.After = report.Percent(before), report.Percent(after)
		row.Interval = report.Points(*ch.RateLow) + " to " + report.Points(*ch.RateHigh)
		row.HasRate = true
		row.Rate = report.Points(*ch.Rate)
		pair.Cell = "fixed"
		row.Fixed = counted{ch.NFixed, pairsAddress(pair)}
		pair.Cell = "broken"
		row.Broken = counted{ch.NBroken, pairsAddress(pair)}
	}
	row.Class = outcomeClasses[ch.Outcome]
	for _, u := range ch.Unlike {
		row.Unlike = append(row.Unlike, u.String())
		if u.Why == "configuration" || u.Why == "judge" { // a list of cases does not distinguish these
			row.Fixed.Address, row.Broken.Address = "", ""
		}
	}
	return row
}

// outcomes are the display texts of the outcomes of a comparison.
var outcomes = map[string]string{
	analysis.Degraded: "▼ degraded", analysis.Improved: "▲ improved", analysis.Chance: "could be chance",
	analysis.Small: "below the minimum", analysis.Same: "no change", analysis.NotCompared: "not compared",
}

// outcomeClasses are the CSS classes of the outcomes; others than these have none.
var outcomeClasses = map[string]string{analysis.Degraded: "worse", analysis.Improved: "better"}

// transitionTable counts the cases by their standing in the baseline (rows) and in the candidate (columns).
type transitionTable struct {
	Columns []string
	Rows    []transitionRow
	N       int // the sum of all cells
}

type transitionRow struct {
	Name  string
	Cells []transitionCell
	N     int
}

type transitionCell struct {
	N       int
	Other   int // how many of N have another reason than before
	Address string
	Class   string
}

// standingNames are the display names of the standings.
var standingNames = map[analysis.Standing]string{
	analysis.StandPassed: "passed", analysis.StandFailed: "failed", analysis.StandScored: "no verdict",
	analysis.StandAbstained: "abstained", analysis.StandNotApplicable: "not applicable",
	analysis.StandUnanswered: "unanswered", analysis.StandError: "error", analysis.StandAbsent: "no score",
}

func transitionsOf(all []analysis.Transition, pair pairs) transitionTable {
	var rows, columns []analysis.Standing
	cells := map[[2]analysis.Standing]analysis.Transition{}
	for _, t := range all {
		cells[[2]analysis.Standing{t.From, t.To}] = t
		if !slices.Contains(rows, t.From) {
			rows = append(rows, t.From)
		}
		if !slices.Contains(columns, t.To) {
			columns = append(columns, t.To)
		}
	}
	slices.Sort(rows)
	slices.Sort(columns)
	var out transitionTable
	for _, c := range columns {
		out.Columns = append(out.Columns, standingNames[c])
	}
	for _, from := range rows {
		row := transitionRow{Name: standingNames[from]}
		for _, to := range columns {
			t := cells[[2]analysis.Standing{from, to}]
			pair.Cell = from.String() + "." + to.String()
			cell := transitionCell{N: t.Cases, Other: t.OtherReason, Address: pairsAddress(pair)}
			switch {
			case t.Cases == 0:
			case from == analysis.StandPassed && to != analysis.StandPassed && to != analysis.StandAbsent:
				cell.Class = "worse"
			case to == analysis.StandPassed && from != analysis.StandPassed && from != analysis.StandAbsent:
				cell.Class = "better"
			}
			row.Cells = append(row.Cells, cell)
			row.N += t.Cases
		}
		out.N += row.N
		out.Rows = append(out.Rows, row)
	}
	return out
}

// move is an important transition, such as passed to failed, with its number of cases.
type move struct {
	Text    string
	N       int
	Class   string
	Address string
}

func movesOf(all []analysis.Transition, pair pairs) []move {
	to := func(cell string) string {
		pair.Cell = cell
		return pairsAddress(pair)
	}
	out := []move{
		{"passed, now failed", 0, "worse", to("passed.failed")},
		{"failed, now passed", 0, "better", to("failed.passed")},
		{"failed both times, for another reason", 0, "", to("failed.failed.reason")},
		{"another status", 0, "", to("status")},
	}
	for _, t := range all {
		switch {
		case t.From == analysis.StandPassed && t.To == analysis.StandFailed:
			out[0].N += t.Cases
		case t.From == analysis.StandFailed && t.To == analysis.StandPassed:
			out[1].N += t.Cases
		case t.From == analysis.StandFailed && t.To == analysis.StandFailed:
			out[2].N += t.OtherReason
		case t.From.Status() != t.To.Status():
			out[3].N += t.Cases
		}
	}
	return out
}
