package site

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/internal/storedscores"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// The page lists the runs.
var _ = register(
	&page{name: "runs", pattern: "GET /runs", nav: "Runs", place: 110, role: identity.Read, show: (*Site).runs})

// The first page is the overview of the newest batch, or the list of runs if there is none.
var _ = register(
	&page{pattern: "GET /{$}", shortcut: true, role: identity.Read,
		serve: func(s *Site, rw http.ResponseWriter, r *http.Request) error {
			t, err := s.timeline(r.Context())
			if err != nil {
				return err
			}
			if run := t.newest(); run != nil {
				return s.goTo(rw, r, runAddress(*run))
			}
			return s.goTo(rw, r, runsAddress())
		}})

// runsOnPage is the maximum number of runs on a page of the list.
const runsOnPage = 50

// runStatuses are the statuses of runs that the list can be filtered by.
var runStatuses = []string{"done", "running", "stopped", "failed"}

// runList is the data of the list of runs.
type runList struct {
	Filter   store.RunFilter
	Filtered bool
	Rows     []runRow
	Of       int64
	From, To int // numbers of the first and last run shown, from 1
	Agents   []string
	Versions []string
	Statuses []string
	Before   string // address of the previous page; "": none
	After    string
	Pick     bool // show check boxes that choose runs to compare
}

// runRow is the row of a run in the list.
type runRow struct {
	store.Run
	Address string
	Pick    string // the run encoded for the address of a comparison; "" if its names are too long
	Cases   int64  // number of scores of the primary metric; 0: none yet
	Answers int64  // number of the agent's answers in the batch, of a running run; else 0
	All     string // address of its cases
	Metric  string // the primary metric
	Share   *report.Share
	Mean    *float64 // mean of the primary metric; nil without values
	// Unanswered is the number of questions without an answer.
	Unanswered int64
	Passed     string // address of the cases that passed
	Scores     int64  // 0: not known
	Failed     *int64 // number of scores that failed; nil: unknown
	Errors     string
	// GoldenSet lists the versions of the golden set that the questions were taken from; "" if unknown.
	GoldenSet string
	Duration  *float64 // milliseconds; nil: not known
	Tokens    *int64
	Cost      string
}

// reader returns the reader of the warehouse for one page, or that of the whole static report. It has read which
// columns the users' tables have.
func (s *Site) reader(ctx context.Context) (*store.Pages, error) {
	if h := heldIn(ctx); h != nil {
		return h.pages, nil
	}
	if s.o.Warehouse == nil {
		return nil, errcode.New(errcode.Unavailable, "there is no warehouse yet")
	}
	of := onceIn(ctx)
	if of == nil {
		of = &readOnce{}
	}
	of.reading.Lock()
	defer of.reading.Unlock()
	if of.pages == nil {
		p, err := s.o.Warehouse.Pages(ctx, s.o.Metrics)
		if err != nil {
			return nil, err
		}
		of.pages = p.Grouping(reasonGroups()).Comparing(storedscores.UnlikeRuns).Deciding(s.o.Primary)
	}
	return of.pages, nil
}

func (s *Site) runs(r *http.Request) (content, error) {
	q := r.URL.Query()
	ctx := r.Context()
	number, err := pageNumber(q)
	if err != nil {
		return content{}, err
	}
	list := runList{Filter: store.RunFilter{
		Text: q.Get("text"), By: scoring.By{Agent: q.Get("agent"), Version: q.Get("version")}, Status: q.Get("status"),
		Limit: runsOnPage, Offset: (number - 1) * runsOnPage,
	}, Statuses: runStatuses}
	list.Filter.Unnamed, list.Filter.Unversioned = list.Filter.Agent == analysis.NoName,
		list.Filter.Version == analysis.NoVersion
	f := list.Filter
	list.Filtered = f.Text != "" || f.Agent != "" || f.Version != "" || f.Status != ""
	p, err := s.reader(ctx)
	if err != nil {
		return content{}, err
	}
	runs, of, err := p.Runs(ctx, f)
	if err != nil {
		return content{}, err
	}
	list.Of, list.From, list.To = of, f.Offset+1, f.Offset+len(runs)
	agents, err := p.AgentsOfRuns(ctx)
	if err != nil {
		return content{}, err
	}
	for _, a := range agents {
		list.Agents, list.Versions = append(list.Agents, cmp.Or(a.Agent, analysis.NoName)), append(list.Versions, a.Version)
	}
	slices.Sort(list.Agents)
	list.Agents = slices.Compact(list.Agents)
	slices.SortFunc(list.Versions, printable.CompareVersions)
	list.Versions = slices.Compact(list.Versions)
	if len(list.Versions) > 0 { // the missing one comes first
		list.Versions[0] = cmp.Or(list.Versions[0], analysis.NoVersion)
	}
	if list.Rows, err = s.runRows(ctx, p, runs); err != nil {
		return content{}, err
	}
	list.Pick = len(list.Rows) > 1
	at := func(number int) string {
		v := url.Values{}
		for key, value := range map[string]string{"text": f.Text, "agent": f.Agent, "version": f.Version,
			"status": f.Status} {
			if value != "" {
				v.Set(key, value)
			}
		}
		if number > 1 {
			v.Set("page", strconv.Itoa(number))
		}
		return address(runsAddress(), v)
	}
	if number > 1 {
		list.Before = at(number - 1)
	}
	if int64(list.To) < of && len(runs) > 0 {
		list.After = at(number + 1)
	}
	running := slices.ContainsFunc(runs, func(r store.Run) bool { return r.Status == "running" })
	return content{Title: "Runs", Page: list, Poll: running}, nil
}

func pageNumber(q url.Values) (int, error) {
	text := q.Get("page")
	if text == "" {
		return 1, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 1e6 {
		return 0, errcode.New(errcode.InvalidArgument, "page: %.40q, expected a whole number from 1", text)
	}
	return n, nil
}

// runRows returns the rows of runs with their figures.
func (s *Site) runRows(ctx context.Context, p *store.Pages, runs []store.Run) ([]runRow, error) {
	metric := func(r *store.Run) string { return s.primary(r.Metrics()) }
	figures, err := p.FiguresOf(ctx, runs, metric)
	if err != nil {
		return nil, err
	}
	rows := make([]runRow, len(runs))
	for i := range runs {
		run := &runs[i]
		key := run.RunID
		f, there := figures[store.RunMetric{RunID: key, Metric: metric(run)}]
		row := runRow{Run: *run, Address: runAddress(key), Metric: metric(run)}
		state := store.State{RunID: key, Mode: store.All}
		if linked(key) {
			row.Pick = store.RunValues(key).Encode()
			row.All, row.Passed, row.Errors = casesAddress(state), casesAddress(state.In(store.Passed)),
				casesAddress(state.In(store.Errors))
		}
		if there {
			row.Cases = f.Scores
			row.Share, row.Mean = s.shareOf(row.Metric, &f.Figures), s.meanOf(row.Metric, &f.Figures)
			row.Unanswered = f.Unanswered
			row.Duration = tookSince(run.Started, f.Last)
		}
		row.Failed = runErrors(run)
		row.GoldenSet = goldenSets(run)
		row.Tokens, row.Cost = runTokens(run), costOfRun(run)
		if run.Status == "running" {
			if row.Answers, err = s.o.Warehouse.Count(ctx, store.Filter{By: key.By}); err != nil {
				return nil, err
			}
		}
		rows[i] = row
	}
	return rows, nil
}

// primary returns the primary metric among names, as in the terminal's summary; without names, among all metrics.
func (s *Site) primary(names []string) string {
	if len(names) == 0 {
		for i := range s.o.Metrics {
			names = append(names, s.o.Metrics[i].Name)
		}
	}
	return scoring.Primary(s.o.Primary, names, s.o.Metrics)
}

// shareOf returns the share of passed scores of a metric among those with a verdict and unanswered questions, or nil
// without verdicts. Without any answer it is 0 if the metric gives verdicts.
func (s *Site) shareOf(metric string, f *store.Figures) *report.Share {
	if f.Judged == 0 && (f.Unanswered == 0 || !s.givesVerdicts(metric)) {
		return nil
	}
	return report.ShareOf(int(f.Passed), int(f.Judged+f.Unanswered))
}

// givesVerdicts reports whether a metric gives verdicts unless the configuration says otherwise.
func (s *Site) givesVerdicts(metric string) bool {
	m := s.known(metric)
	return m != nil && m.Threshold != nil
}

// meanOf returns the mean of a metric's values, or nil without values.
func (s *Site) meanOf(metric string, f *store.Figures) *float64 {
	if f.OK == 0 {
		return nil
	}
	of := f.OK
	if !s.lower(metric) { // a missing answer counts as 0
		of += f.Unanswered
	}
	mean := f.Sum / float64(of)
	return &mean
}

// runErrors returns the number of failed scores in a run's stored counts, or nil if they are missing.
func runErrors(run *store.Run) *int64 {
	var counts map[string]int64
	if json.Unmarshal([]byte(run.Counts), &counts) != nil || counts == nil {
		return nil
	}
	n := counts[string(scoring.StatusFailed)]
	return &n
}

// goldenSets returns the versions of the golden set that a run's questions were taken from, separated by commas.
func goldenSets(run *store.Run) string {
	var versions struct {
		GoldenSet map[string]int64 `json:"golden_set"`
	}
	if json.Unmarshal([]byte(run.Versions), &versions) != nil {
		return ""
	}
	names := slices.Collect(maps.Keys(versions.GoldenSet))
	slices.SortFunc(names, printable.CompareVersions)
	return strings.Join(names, ", ")
}

// runTokens returns the number of input and output tokens of judges for a run's scores, or nil if unknown.
func runTokens(run *store.Run) *int64 {
	var tokens struct {
		In  *int64 `json:"in"`
		Out *int64 `json:"out"`
	}
	if json.Unmarshal([]byte(run.Tokens), &tokens) != nil || tokens.In == nil || tokens.Out == nil {
		return nil
	}
	n := *tokens.In + *tokens.Out
	return &n
}

// costOfRun returns what judge calls of a run cost, in the currency of the configured prices, or "" if unknown.
func costOfRun(run *store.Run) string {
	var cost struct {
		Money string `json:"money"`
	}
	if json.Unmarshal([]byte(run.Cost), &cost) != nil {
		return ""
	}
	return cost.Money
}
