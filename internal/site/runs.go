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
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// The page lists the runs.
var _ = register(
	&page{name: "runs", pattern: "GET /{$}", nav: "Runs", place: 10, role: identity.Read, show: (*Site).runs})

// runsOnPage is how many runs a page of them shows.
const runsOnPage = 50

// runStatuses are the statuses of runs, for choosing among them.
var runStatuses = []string{"done", "running", "stopped", "failed"}

// runList is the data of the list of runs.
type runList struct {
	Filter   store.RunFilter
	Filtered bool
	Rows     []runRow
	Of       int64
	From, To int // which of them are on the page, from 1
	Agents   []string
	Versions []string
	Statuses []string
	Before   string // address of the page before; "": none
	After    string
	Pick     bool // whether runs are chosen here, to compare them
}

// runRow is one run.
type runRow struct {
	store.Run
	Address string
	Pick    string // the run as the address of a comparison has it; "": its names are too long for one
	Cases   int64  // with a score of the primary metric; 0: none yet
	Answers int64  // that the agent gave in the batch; 0: not known
	All     string // address of its cases
	Metric  string // the primary metric
	Share   *report.Share
	Mean    *float64 // where the metric gives no verdict
	Passed  string   // address of the cases that passed
	Scores  int64    // 0: not known
	Failed  *int64   // scores that failed; nil: not known
	Errors  string
	// GoldenSet are the versions of the golden set that the questions were taken from; "" if the run
	// does not say.
	GoldenSet string
	Duration  *float64 // milliseconds; nil: not known
	Tokens    *int64
	Cost      string
}

// reader knows what columns the users' tables have. It serves one page, or a whole static report.
func (s *Site) reader(ctx context.Context) (*store.Pages, error) {
	if h := heldIn(ctx); h != nil {
		return h.pages, nil
	}
	if s.o.Warehouse == nil {
		return nil, errcode.New(errcode.Unavailable, "there is no warehouse yet")
	}
	return s.o.Warehouse.Pages(ctx, s.o.Metrics)
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

// runRows finds the figures of runs.
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
			row.Share, row.Mean = shareOf(&f.Figures), meanOf(&f.Figures)
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

// primary is the primary metric of a run that has these: the one of its summary in the terminal.
func (s *Site) primary(names []string) string {
	var known []scoring.Metric
	for i := range s.o.Metrics {
		if len(names) == 0 || slices.Contains(names, s.o.Metrics[i].Name) {
			known = append(known, s.o.Metrics[i])
		}
	}
	if len(known) == 0 && len(names) > 0 {
		return names[0]
	}
	return report.Primary(known)
}

// shareOf is the share of a metric's verdicts that passed; nil if it gave none.
func shareOf(f *store.Figures) *report.Share {
	if f.Judged == 0 {
		return nil
	}
	return report.ShareOf(int(f.Passed), int(f.Judged))
}

// meanOf is the mean of a metric's values; nil if there are none.
func meanOf(f *store.Figures) *float64 {
	if f.OK == 0 {
		return nil
	}
	mean := f.Sum / float64(f.OK)
	return &mean
}

// runErrors is how many scores of a run failed, as its row says; nil if it does not.
func runErrors(run *store.Run) *int64 {
	var counts map[string]int64
	if json.Unmarshal([]byte(run.Counts), &counts) != nil || counts == nil {
		return nil
	}
	n := counts[string(scoring.StatusFailed)]
	return &n
}

// goldenSets are the versions of the golden set that a run took its questions from.
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

// runTokens is how many tokens judges read and wrote for a run; nil if that is not known.
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

// costOfRun returns the cost of a run, in the currency of its prices; "" if no price is known.
func costOfRun(run *store.Run) string {
	var cost struct {
		Money string `json:"money"`
	}
	if json.Unmarshal([]byte(run.Cost), &cost) != nil {
		return ""
	}
	return cost.Money
}
