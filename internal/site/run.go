package site

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/scoring/relation"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// The page shows the results of a run.
var _ = register(
	&page{name: "run", pattern: "GET /run", nav: "Overview", place: 10, ofRun: true, inPrint: true, noted: true,
		inReport: (*staticPlan).results, role: identity.Read, show: (*Site).run})

// results adds the page of a run to a static report. That of the first run is the report's index.
func (l *staticPlan) results(p *page, of *staticRun) {
	if of.first {
		l.add(p, addressOf(p, &of.run), "index", "/")
		return
	}
	l.one(p, of)
}

const (
	partsShown = 50   // maximum number of parts of a slice
	partsAll   = 1000 // the same, if only one slice is shown
	worstShown = 10
)

// sliced are the columns by which the page of a run breaks down its cases, with their headings.
var sliced = []struct{ column, heading string }{
	{"tier", "Complexity"}, {"tag", "Tags"}, {"database", "Databases"}, {"dialect", "Dialects"},
	{"relation", "Why results differ"}, {"reason", "Reasons"},
}

// runView is the data of the page of a run.
type runView struct {
	Row     runRow
	Cases   int64
	Every   string      // address of all cases
	Program string      // version of badger
	Leading []metricRow // the primary metric and other informative ones
	Groups  []metricGroup
	Metrics int    // number of metrics in all groups
	Metric  string // the metric of slices and worst cases
	Display string // its display name
	Lower   bool   // lower values of Metric are better
	Chosen  *metricRow
	Spread  *spread
	Slices  []slice
	Worst   []worst
	AllBad  string    // address of the list that Worst is the start of
	Only    string    // column of the only slice shown; "": all slices
	Whole   string    // address of the page with all slices
	Top     *overview // nil if the page is about another metric, or one slice
	Bare    bool      // the warehouse seems to hold scores only, without questions and queries
}

// metricGroup is the metrics of one group.
type metricGroup struct {
	Name string
	Rows []metricRow
}

// metricRow holds the figures of a metric for all cases, or for a part of them. Each number links to its cases.
type metricRow struct {
	Name     string
	Display  string // name to show, such as Right result for hybrid_ex
	Address  string // address of the page of the row's metric
	Chosen   bool
	Lower    bool // lower values are better
	Figures  store.Figures
	Cases    int64
	Coverage string // share of the cases that the metric applies to; "" if it applies to none
	Why      string // why the metric applies to no case
	Mean     *float64
	Interval string // 95 % interval of the mean; "": unknown
	Share    *report.Share
	To       rowAddresses
}

// rowAddresses are the addresses of the lists of cases behind the numbers of a row.
type rowAddresses struct{ All, OK, Passed, NotPassed, Abstained, NotApplicable, Unanswered, Failed string }

// spread is the five-number summary of a metric's values.
type spread struct{ Min, Q1, Median, Q3, Max float64 }

// slice breaks down the figures of one metric by the values of a column of the cases.
type slice struct {
	Column  string
	Heading string
	Rows    []metricRow
	More    int64
	Address string // address of the page with all parts of this slice
}

// worst is a case in the list of worst answers.
type worst struct {
	store.CaseRow
	Address string
	Score   scoring.Score
	Why     string // why the results differ, if Score does not say so
}

func (s *Site) run(r *http.Request) (content, error) {
	q := r.URL.Query()
	ctx := r.Context()
	key := store.ParseRun(q)
	p, err := s.reader(ctx)
	if err != nil {
		return content{}, err
	}
	run, err := p.Run(ctx, key)
	if err != nil {
		return content{}, err
	}
	rows, err := s.runRows(ctx, p, []store.Run{run.Run})
	if err != nil {
		return content{}, err
	}
	list, err := p.List(ctx, store.State{RunID: key, Mode: store.All, Metric: q.Get("metric")})
	if err != nil {
		return content{}, err
	}
	figures, err := p.Figures(ctx, run)
	if err != nil {
		return content{}, err
	}
	v := runView{Row: rows[0], Cases: list.Shape.Cases, Every: casesAddress(store.State{RunID: key}),
		Metric: list.State.Metric, Only: q.Get("by"), Whole: s.ofMetric(key, list, list.State.Metric)}
	v.Display, v.Lower = metric.DisplayName(v.Metric), s.lower(v.Metric)
	if v.Groups, err = s.metricGroups(ctx, p, list, figures); err != nil {
		return content{}, err
	}
	for _, g := range v.Groups {
		v.Metrics += len(g.Rows)
		for i := range g.Rows {
			row := &g.Rows[i]
			if row.Chosen {
				v.Chosen = row
			}
			switch {
			case row.Name == list.Shape.Primary():
				v.Leading = slices.Insert(v.Leading, 0, *row)
			case report.Leads(row.Name) && row.Figures.OK > 0:
				v.Leading = append(v.Leading, *row)
			}
		}
	}
	if v.Bare, err = bare(ctx, p, key); err != nil {
		return content{}, err
	}
	if v.Chosen != nil {
		if err := s.aboutMetric(ctx, p, list, &v); err != nil {
			return content{}, err
		}
	}
	title := agentName(run.Agent, run.Version)
	if len(v.Groups) > 0 && v.Only == "" && (v.Chosen == nil || v.Metric == list.Shape.Primary()) {
		if v.Top, err = s.overviewOf(ctx, p, &v, list); err != nil {
			return content{}, err
		}
		title += ": " + strings.TrimSuffix(v.Top.Headline, ".")
	}
	return content{Title: title, Run: &key, Page: v, Poll: run.Status == "running"}, nil
}

// bare reports whether the first five cases of a run have neither questions nor queries, as if badger run had read them
// from a file and stored only scores.
func bare(ctx context.Context, p *store.Pages, run scoring.RunID) (bool, error) {
	list, err := p.List(ctx, store.State{RunID: run, Mode: store.All, Size: 5})
	if err != nil {
		return false, err
	}
	rows, err := list.Page(ctx, nil)
	return len(rows) > 0 &&
		!slices.ContainsFunc(rows, func(r store.CaseRow) bool { return r.Question != "" || r.SQL != "" }), err
}

// ofMetric returns the address of a run's page about a metric. The primary metric is omitted.
func (s *Site) ofMetric(key scoring.RunID, list *store.List, metric string) string {
	v := store.RunValues(key)
	if metric != list.Shape.Primary() {
		v.Set("metric", metric)
	}
	return address("/run", v)
}

func (s *Site) known(metric string) *scoring.Metric {
	for i := range s.o.Metrics {
		if s.o.Metrics[i].Name == metric {
			return &s.o.Metrics[i]
		}
	}
	return nil
}

func (s *Site) lower(metric string) bool {
	m := s.known(metric)
	return m != nil && m.LowerIsBetter
}

// metricGroups returns the figures of all metrics, in the order of the terminal's summary.
func (s *Site) metricGroups(ctx context.Context, p *store.Pages, list *store.List,
	figures map[string]store.MetricFigures) ([]metricGroup, error) {
	var groups []metricGroup
	for _, m := range list.Shape.Metrics {
		name := ""
		if known := s.known(m.Metric); known != nil {
			name = known.Group
		}
		state := store.State{RunID: list.State.RunID, Mode: store.All}
		if m.Metric != list.Shape.Primary() {
			state.Metric = m.Metric
		}
		f := figures[m.Metric]
		row := s.rowOf(m.Metric, &f.Figures, list.Shape.Cases, state)
		row.Display = metric.DisplayName(m.Metric)
		row.Chosen, row.Lower = m.Metric == list.State.Metric, s.lower(m.Metric)
		if row.Coverage == "" && f.Scores > 0 {
			row.Why = s.mask.ReasonOf(&scoring.Score{Metric: m.Metric, Status: scoring.StatusNotApplicable, Reason: f.Why})
		}
		if linked(list.State.RunID) {
			row.Address = s.ofMetric(list.State.RunID, list, m.Metric)
		}
		var err error
		if row.Interval, err = meanInterval(ctx, p, list.Run, m.Metric, &f); err != nil {
			return nil, err
		}
		i := slices.IndexFunc(groups, func(g metricGroup) bool { return g.Name == name })
		if i < 0 {
			i, groups = len(groups), append(groups, metricGroup{Name: name})
		}
		groups[i].Rows = append(groups[i].Rows, row)
	}
	return groups, nil
}

// longestLinked is the maximum length in bytes of a run's encoded names for which the numbers in tables link to their
// cases. With longer names, hundreds of addresses would make a page of megabytes.
const longestLinked = 1000

func linked(run scoring.RunID) bool { return len(store.RunValues(run).Encode()) <= longestLinked }

// rowOf returns the figures f with the addresses of the lists of their cases, unless the run's names are too long.
func (s *Site) rowOf(name string, f *store.Figures, cases int64, state store.State) metricRow {
	covered := coverageOf(f)
	row := metricRow{Name: name, Display: name, Figures: *f, Cases: cases, Coverage: covered.Text(),
		Mean:  s.meanOf(name, f),
		Share: s.shareOf(name, f)}
	if !linked(state.RunID) {
		return row
	}
	status := func(of string) string {
		return casesAddress(state.With(store.ListFilter{Column: "status", Op: store.Equal, Value: of}))
	}
	row.To = rowAddresses{
		All: casesAddress(state), OK: status("ok"), Passed: casesAddress(state.In(store.Passed)),
		NotPassed: casesAddress(scored(state.In(store.Failed))),
		Abstained: status("abstained"), NotApplicable: status("not_applicable"), Unanswered: status("unanswered"),
		Failed: status("failed"),
	}
	return row
}

// coverageOf returns the coverage of a metric: the share of cases that it applies to.
func coverageOf(f *store.Figures) report.Coverage {
	return report.CoverageOf(int(f.OK), int(f.Abstained), int(f.NotApplicable), int(f.Failed), int(f.Unanswered))
}

// few is the maximum number of values for which the interval of the mean is computed by the bootstrap.
const few = 5000

// meanInterval formats the 95 % interval of the mean of a metric's values: by the bootstrap for up to few values, else
// the normal one. It returns "" for metrics with verdicts, whose share has an interval instead, and for fewer than two
// values.
func meanInterval(ctx context.Context, p *store.Pages, run *store.ScoredRun, metric string,
	f *store.MetricFigures) (string, error) {
	if f.Judged > 0 || f.OK < 2 {
		return "", nil
	}
	if f.OK > few {
		mean, half := f.Sum/float64(f.OK), agreement.Z95*f.Deviation/math.Sqrt(float64(f.OK))
		return between(mean-half, mean+half), nil
	}
	return store.Remember(p, []*store.Run{&run.Run}, "interval\x00"+metric, func(s string) int { return len(s) },
		func() (string, error) {
			values, err := p.Values(ctx, run, metric)
			if err != nil || len(values) < 2 {
				return "", err
			}
			return between(agreement.MeanInterval(slices.Clone(values), 0)), nil
		})
}

func between(low, high float64) string { return report.Value(low) + "–" + report.Value(high) }

// aboutMetric sets the parts of the page about v.Metric: spread and worst answers, unless only one slice is shown, and
// the slices.
func (s *Site) aboutMetric(ctx context.Context, p *store.Pages, list *store.List, v *runView) error {
	base := store.State{RunID: list.State.RunID, Mode: store.All}
	if v.Metric != list.Shape.Primary() {
		base.Metric = v.Metric
	}
	if v.Only == "" {
		values, err := p.Values(ctx, list.Run, v.Metric)
		if err != nil {
			return err
		}
		if n := len(values); n > 0 {
			v.Spread = &spread{values[0], agreement.Quantile(values, .25), agreement.Quantile(values, .5),
				agreement.Quantile(values, .75), values[n-1]}
		}
		if err := s.worst(ctx, p, base, v); err != nil {
			return err
		}
	}
	if v.Only != "" {
		if err := s.allows("by", v.Only); err != nil {
			return err
		}
	}
	for _, by := range sliced {
		if !s.mask.Filters(by.column) {
			continue
		}
		if v.Only != "" && v.Only != by.column {
			continue
		}
		limit := partsShown
		if v.Only != "" {
			limit = partsAll
		}
		parts, more, err := list.Slices(ctx, by.column, limit)
		if err != nil {
			return err
		}
		if len(parts) == 0 || len(parts) == 1 && parts[0].Part == "" { // nothing is known of it
			continue
		}
		of := slice{Column: by.column, Heading: by.heading, More: more}
		values := base.Values()
		values.Set("by", by.column)
		of.Address = address("/run", values)
		if by.column == "tier" {
			slices.SortStableFunc(parts, func(a, b store.Slice) int { return cmp.Compare(tierPlace(a.Part), tierPlace(b.Part)) })
		}
		for i := range parts {
			name := parts[i].Part
			f := store.ListFilter{Column: by.column, Op: store.Equal, Value: name}
			switch {
			case parts[i].Unreadable != "":
				f.Column, name = "tags", report.UnreadableTags+": "+shortened(name)+" (first: "+parts[i].Unreadable+")"
			case by.column == "tier":
				name = strings.ReplaceAll(name, "_", " ")
			}
			row := s.rowOf(name, &parts[i].Figures, parts[i].Scores, base.With(f))
			if by.column == "relation" {
				row.Display = relation.DisplayName(name)
			}
			of.Rows = append(of.Rows, row)
		}
		v.Slices = append(v.Slices, of)
	}
	if v.Only != "" && len(v.Slices) == 0 &&
		!slices.ContainsFunc(sliced, func(by struct{ column, heading string }) bool { return by.column == v.Only }) {
		return errcode.New(errcode.InvalidArgument,
			"by: unknown slice %.40q; expected tier, tag, database, dialect, relation or reason", v.Only)
	}
	return nil
}

// tierPlace returns the position of a tier in the order of difficulty; unknown ones are last.
func tierPlace(tier string) int {
	tiers := []string{"easy", "medium", "hard", "extra_hard"}
	if i := slices.Index(tiers, tier); i >= 0 {
		return i
	}
	return len(tiers)
}

// worst sets v.Worst to the first answers that did not pass, the worst first. For a metric without verdicts they are
// the answers with the worst values.
func (s *Site) worst(ctx context.Context, p *store.Pages, state store.State, v *runView) error {
	state.Sort = store.Sort{Column: v.Metric, Descending: v.Lower}
	if v.Chosen.Share != nil {
		state = state.In(store.Failed)
	} else {
		state = scored(state)
	}
	v.AllBad = casesAddress(state)
	short := state
	short.Size = worstShown
	list, err := p.List(ctx, short)
	if err != nil {
		return err
	}
	rows, err := list.Page(ctx, []string{v.Metric, "relation"})
	if err != nil {
		return err
	}
	for i := range rows {
		s.withholdRow(&rows[i])
		w := worst{CaseRow: rows[i], Address: caseAddress(state, rows[i].ID), Score: rows[i].Scores[v.Metric]}
		if r, there := rows[i].Scores["relation"]; there && r.Status == scoring.StatusOK && r.Label != "same" &&
			v.Metric != "relation" && r.Reason != w.Score.Reason {
			w.Why = r.Reason
		}
		v.Worst = append(v.Worst, w)
	}
	return nil
}

// tookSince returns the time between two instants in milliseconds, or nil if either is zero or to is before from.
func tookSince(from, to time.Time) *float64 {
	if from.IsZero() || to.IsZero() || to.Before(from) {
		return nil
	}
	ms := float64(to.Sub(from)) / float64(time.Millisecond)
	return &ms
}

// NotPassed returns the number of scores with a verdict that did not pass.
func (r metricRow) NotPassed() int64 { return r.Figures.Judged - r.Figures.Passed }
