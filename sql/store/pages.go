package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Pages reads data for web pages about runs. It caches the columns of the users' tables: make one for each page.
//
// Data from the scores of finished runs is cached in the Store, up to 16 MB, as such scores do not change. The key
// includes the run's start and score counts, so a run that is resumed or repeated under its ID is read again. Data from
// the users' tables is not cached.
type Pages struct {
	w         *Store
	layout    inputs
	known     []scoring.Metric
	searching time.Duration // time limit for matching a regular expression
	elsewhere Elsewhere     // fallback source; may be nil
	groups    []LabelGroup  // groups of the labels of the metric relation
	unlike    UnlikeRuns    // may be nil
	primary   string        // the declared primary metric; may be ""
}

// UnlikeRuns reports which scores of a metric by two runs are not comparable.
type UnlikeRuns func(metric string, from, to *Run) Unlike

// Comparing returns a copy of p whose lists with a baseline compare scores by unlike.
func (p *Pages) Comparing(unlike UnlikeRuns) *Pages {
	out := *p
	out.unlike = unlike
	return &out
}

// Elsewhere returns a run's answers to some questions, by case ID, with the questions, from the run's source. Missing
// ones are omitted.
type Elsewhere func(ctx context.Context, run scoring.RunID, ids []string) (map[string]*scoring.Case, error)

// Lacking returns a copy of p that reads questions and answers that are missing in the warehouse from e, for the cases
// on a page. Search, filters, order and slices do not use e.
func (p *Pages) Lacking(e Elsewhere) *Pages {
	q := *p
	q.elsewhere = e
	return &q
}

// remembered is the size in bytes of the cache of scores of finished runs.
const remembered = 16 << 20

// Grouping returns a copy of p whose lists have the column group: the group of the label that the metric relation gives
// an answer. Sorting by group uses the order of groups.
func (p *Pages) Grouping(groups []LabelGroup) *Pages {
	out := *p
	out.groups = groups
	return &out
}

// Deciding returns a copy of p with a declared primary metric, see [scoring.Primary].
func (p *Pages) Deciding(primary string) *Pages {
	out := *p
	out.primary = primary
	return &out
}

// Pages returns a Pages. known are the metrics in display order; other metrics follow them, sorted by name.
func (w *Store) Pages(ctx context.Context, known []scoring.Metric) (*Pages, error) {
	q, err := w.query(ctx)
	if err != nil {
		return nil, err
	}
	scores, err := w.columns(ctx, TableNamed("scores"))
	if err != nil && errcode.Of(err) != errcode.NotFound {
		return nil, err
	}
	q.withoutGold = err == nil && !scores["gold_hash"]
	return &Pages{w: w, layout: q, known: known, searching: searching}, nil
}

// Metrics returns the names of the run's metrics, according to Versions, sorted; nil if that cannot be parsed.
func (r *Run) Metrics() []string {
	var versions struct {
		Metrics map[string]json.RawMessage `json:"metrics"`
	}
	if json.Unmarshal([]byte(r.Versions), &versions) != nil {
		return nil
	}
	names := make([]string, 0, len(versions.Metrics))
	for name := range versions.Metrics {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Runs returns the rows of eval_runs that match a filter, the latest first, those of a run by the time of their answers
// or else by the name of the batch, and their number
// without the filter's limit.
func (p *Pages) Runs(ctx context.Context, f RunFilter) (runs []Run, of int64, err error) {
	columns, err := p.w.columns(ctx, TableNamed("eval_runs"))
	if err != nil {
		return nil, 0, err
	}
	f.dated = columns["answered_at"]
	for r, err := range Rows(ctx, p.w, runsListed(p.w.SQL(), f)) {
		if err != nil {
			return runs, of, err
		}
		runs, of = append(runs, r.Run), r.of
	}
	if runs == nil && f.Offset > 0 { // beyond the last row, the total must be queried separately
		f.Offset, f.Limit = 0, 1
		_, of, err = p.Runs(ctx, f)
		runs = nil
	}
	return runs, of, err
}

// ScoredRun is a row of eval_runs whose scores are read.
type ScoredRun struct {
	Run
	alone bool
}

func (r *ScoredRun) scored() runScores {
	return runScores{RunID: r.RunID, Alone: r.alone}
}

// Run returns one row of eval_runs. The error is NotFound if it does not exist.
func (p *Pages) Run(ctx context.Context, key scoring.RunID) (*ScoredRun, error) {
	var run *ScoredRun
	rows := 0
	for r, err := range Rows(ctx, p.w, runsNamed(p.w.SQL(), key.ID)) {
		if err != nil {
			return nil, err
		}
		if rows++; r.RunID == key {
			run = &ScoredRun{Run: r}
		}
	}
	if run == nil {
		return nil, errcode.New(errcode.NotFound, "there is no run %.80q of agent %.80q, version %.80q, batch %.80q", key.ID,
			key.Agent, key.Version, key.Batch)
	}
	run.alone = rows == 1 && run.Status == "done" // an unfinished run may have scores of an agent without a row yet
	return run, nil
}

const readingRuns = "reading eval_runs"

// AgentVersion is a version of an agent.
type AgentVersion struct{ Agent, Version string }

// AgentsOfRuns lists the agents and versions that have runs, sorted.
func (p *Pages) AgentsOfRuns(ctx context.Context) (out []AgentVersion, err error) {
	return all(ctx, p.w, agentsOfRuns())
}

// Figures sums up scores of one metric.
type Figures struct {
	Scores        int64 // number of all scores
	OK            int64 // with a value
	Abstained     int64
	NotApplicable int64 // the metric does not apply to the question
	Unanswered    int64 // the agent gave no answer
	Failed        int64
	Judged        int64 // number of scores with a verdict
	Passed        int64
	Sum           float64 // sum of the values
}

func (f *Figures) plus(o *Figures) {
	f.Scores += o.Scores
	f.OK += o.OK
	f.Abstained += o.Abstained
	f.NotApplicable += o.NotApplicable
	f.Unanswered += o.Unanswered
	f.Failed += o.Failed
	f.Judged += o.Judged
	f.Passed += o.Passed
	f.Sum += o.Sum
}

// MetricFigures are the figures of a metric in a whole run.
type MetricFigures struct {
	Figures
	Deviation float64 // sample standard deviation of the values; 0 for fewer than two
	Why       string  // a reason why the metric does not apply to some questions; "" if none
}

// add adds a group of scores. All that are not applicable are added to NotApplicable. Standard deviations are combined
// by the squares around the common mean (Chan, Golub and LeVeque 1983).
func (f *MetricFigures) add(g *group) {
	f.Scores += g.n
	switch g.status {
	case scoring.StatusOK:
		if g.verdict != "" {
			f.Judged += g.n
		}
		if g.verdict == "1" {
			f.Passed += g.n
		}
		a, b := float64(f.OK), float64(g.n)
		squares := max(0, a-1)*f.Deviation*f.Deviation + (b-1)*g.deviation*g.deviation
		if a > 0 {
			apart := g.sum/b - f.Sum/a
			squares += apart * apart * a * b / (a + b)
		}
		f.OK += g.n
		f.Sum += g.sum
		if f.OK > 1 {
			f.Deviation = math.Sqrt(squares / float64(f.OK-1))
		}
	case scoring.StatusAbstained:
		f.Abstained += g.n
	case scoring.StatusNotApplicable:
		f.NotApplicable += g.n
	default:
		f.Failed += g.n
	}
}

// Shape has the number of cases of a run, and of scores by metric.
type Shape struct {
	Cases   int64
	Metrics []MetricShape // the primary metric first, then the others in display order
}

// MetricShape is the number of scores of a metric in a run.
type MetricShape struct {
	Metric string
	Scores int64
}

// Primary returns the primary metric, see [scoring.Primary]; empty in a run without scores.
func (s *Shape) Primary() string {
	if len(s.Metrics) == 0 {
		return ""
	}
	return s.Metrics[0].Metric
}

func (s *Shape) metric(name string) *MetricShape {
	for i := range s.Metrics {
		if s.Metrics[i].Metric == name {
			return &s.Metrics[i]
		}
	}
	return nil
}

// Shape reads the number of a run's cases, and its metrics with their numbers of scores.
func (p *Pages) Shape(ctx context.Context, run *ScoredRun) (*Shape, error) {
	found, err := Remember(p, []*Run{&run.Run}, "shape", func(s *Shape) int { return 100 * len(s.Metrics) },
		func() (*Shape, error) { return p.shape(ctx, run) })
	if err != nil {
		return nil, err
	}
	s := &Shape{found.Cases, slices.Clone(found.Metrics)}
	place := func(m MetricShape) int {
		return slices.IndexFunc(p.known, func(k scoring.Metric) bool { return k.Name == m.Metric })
	}
	names := make([]string, len(s.Metrics))
	for i := range s.Metrics {
		names[i] = s.Metrics[i].Metric
	}
	primary := scoring.Primary(p.primary, names, p.known)
	inOrder := func(a, b MetricShape) int {
		return cmp.Or(cmp.Compare(uint(place(a)), uint(place(b))), cmp.Compare(a.Metric, b.Metric)) //nolint:gosec // unknown ones, -1, come last
	}
	slices.SortFunc(s.Metrics, func(a, b MetricShape) int {
		switch primary {
		case a.Metric:
			return -1
		case b.Metric:
			return 1
		}
		return inOrder(a, b)
	})
	return s, nil
}

func (p *Pages) shape(ctx context.Context, run *ScoredRun) (*Shape, error) {
	s := &Shape{}
	var err error
	if s.Cases, err = first(ctx, p.w, casesOfRun(p.w.SQL(), run.scored())); err != nil {
		return nil, err
	}
	s.Metrics, err = all(ctx, p.w, metricsOfRun(p.w.SQL(), run.scored()))
	return s, err
}

// Figures returns the figures of each metric in a run.
func (p *Pages) Figures(ctx context.Context, run *ScoredRun) (map[string]MetricFigures, error) {
	return Remember(p, []*Run{&run.Run}, "figures", func(m map[string]MetricFigures) int { return 300 * len(m) },
		func() (map[string]MetricFigures, error) {
			out := map[string]MetricFigures{}
			for g, err := range Rows(ctx, p.w, groupsOfRun(p.w.SQL(), run.scored())) {
				if err != nil {
					return nil, err
				}
				f := out[g.metric]
				f.add(&g)
				out[g.metric] = f
			}
			for u, err := range Rows(ctx, p.w, unansweredOfRun(p.w.SQL(), run.scored())) {
				if err != nil {
					return out, err
				}
				f := out[u.metric]
				f.Unanswered, f.Why = u.n, u.why
				f.NotApplicable -= f.Unanswered
				out[u.metric] = f
			}
			return out, nil
		})
}

// Values returns the values of a metric in a run, in ascending order.
func (p *Pages) Values(ctx context.Context, run *ScoredRun, metric string) ([]float64, error) {
	return Remember(p, []*Run{&run.Run}, "values\x00"+metric, func(v []float64) int { return 8 * len(v) },
		func() (values []float64, err error) {
			return all(ctx, p.w, valuesOfRun(p.w.SQL(), run.scored(), metric))
		})
}

// RunMetric is a metric in a run.
type RunMetric struct {
	scoring.RunID
	Metric string
}

// RunFigures are the figures of a metric in a run.
type RunFigures struct {
	Figures
	Last time.Time // when the last score was stored; zero if unknown
}

// FiguresOf sums up one metric for each of some runs, in one query for those that are not cached.
func (p *Pages) FiguresOf(ctx context.Context, runs []Run, metric func(*Run) string) (map[RunMetric]RunFigures, error) {
	out, wanted := map[RunMetric]RunFigures{}, map[RunMetric]*Run{}
	var ids, metrics []string
	for i := range runs {
		r := &runs[i]
		key := RunMetric{RunID: r.RunID, Metric: metric(r)}
		if f, there := p.w.remembered.Get(print(r) + "figures\x00" + key.Metric); there && print(r) != "" {
			out[key] = f.(RunFigures) //nolint:forcetypeassert // put below
			continue
		}
		wanted[key] = r
		ids, metrics = append(ids, r.ID), append(metrics, key.Metric)
	}
	if len(wanted) == 0 {
		return out, nil
	}
	slices.Sort(ids)
	slices.Sort(metrics)
	for f, err := range Rows(ctx, p.w, figuresOfRuns(p.w.SQL(), slices.Compact(ids), slices.Compact(metrics))) {
		if err != nil {
			return out, err
		}
		if run := wanted[f.RunMetric]; run != nil {
			out[f.RunMetric] = f.RunFigures
			if mark := print(run); mark != "" {
				p.w.remembered.Put(mark+"figures\x00"+f.Metric, f.RunFigures, 200)
			}
		}
	}
	return out, nil
}

// print returns a cache key prefix for the scores of a finished run; "" if the run is not finished.
func print(run *Run) string {
	if run.Status != "done" {
		return ""
	}
	return fmt.Sprintf("%q %d %q\x00", []string{run.ID, run.Agent, run.Version, run.Batch}, run.Started.UnixNano(),
		run.Counts)
}

func prints(runs []*Run) string {
	out := ""
	for _, r := range runs {
		mark := print(r)
		if mark == "" {
			return ""
		}
		out += mark
	}
	return out
}

// Remember returns the cached value with the key what for some runs, or calls compute. It caches the value only if all
// runs are finished. The value must not be modified.
func Remember[T any](p *Pages, runs []*Run, what string, size func(T) int, compute func() (T, error)) (T, error) {
	mark := prints(runs)
	if v, there := p.w.remembered.Get(mark + what); there && mark != "" {
		return v.(T), nil //nolint:forcetypeassert // put below
	}
	v, err := compute()
	if err == nil && mark != "" {
		p.w.remembered.Put(mark+what, v, size(v))
	}
	return v, err
}

// RememberOf is like [Remember] for runs given by their keys. If one has no row in eval_runs, nothing is cached.
func RememberOf[T any](ctx context.Context, w *Store, keys []scoring.RunID, what string, size func(T) int,
	compute func() (T, error)) (T, error) {
	var runs []*Run
	for _, key := range keys {
		rows, err := w.Runs(ctx, key.ID)
		at := slices.IndexFunc(rows, func(r Run) bool { return r.RunID == key })
		if err != nil || at < 0 {
			return compute()
		}
		runs = append(runs, &rows[at])
	}
	return Remember(&Pages{w: w}, runs, what, size, compute)
}

// List is the cases of one run that a state selects.
type List struct {
	State State // with Metric set
	Run   *ScoredRun
	Shape *Shape

	p       *Pages
	base    *ScoredRun // the baseline, or nil
	unlike  Unlike
	covered bool

	found     *found                          // result of a search in this process; nil until made
	questions map[string]map[slicePart]*Slice // slices by column of golden_set and value; nil until read
}

// List returns the list of a state. If the state has no metric, it uses the run's primary one. A filter or sort column
// that is neither in [Columns] nor a metric of the run is an error (InvalidArgument).
func (p *Pages) List(ctx context.Context, s State) (*List, error) {
	l := &List{State: s, p: p}
	var err error
	if l.Run, err = p.Run(ctx, s.RunID); err != nil {
		return nil, err
	}
	if s.Baseline != (scoring.RunID{}) {
		if l.base, err = p.Run(ctx, s.Baseline); err != nil {
			return nil, err
		}
	}
	if l.Shape, err = p.Shape(ctx, l.Run); err != nil {
		return nil, err
	}
	if s.Metric == "" {
		l.State.Metric = l.Shape.Primary()
	}
	metric := l.Shape.metric(l.State.Metric)
	l.covered = metric != nil && metric.Scores == l.Shape.Cases
	known := func(what, column string) error {
		if slices.Contains(Columns, column) || l.Shape.metric(column) != nil {
			return nil
		}
		names := slices.Clone(Columns)
		for i := range l.Shape.Metrics {
			names = append(names, l.Shape.Metrics[i].Metric)
		}
		return errcode.New(errcode.InvalidArgument, "%s: %.60q is neither a metric of this run nor one of %s%s", what, column,
			strings.Join(Columns, ", "), scoring.Suggest(column, names))
	}
	for _, f := range s.Filters {
		if err := known("filter", f.Column); err != nil {
			return nil, err
		}
	}
	if s.Sort.Column != "" {
		if err := known("sort", s.Sort.Column); err != nil {
			return nil, err
		}
	}
	if metric == nil && l.State.Metric != "" {
		return nil, errcode.New(errcode.InvalidArgument, "metric: the run has no scores of %.60q", l.State.Metric)
	}
	if l.base != nil && p.unlike != nil {
		l.unlike = p.unlike(l.State.Metric, &l.base.Run, &l.Run.Run)
	}
	return l, nil
}

// query returns a new query over the list.
func (l *List) query() *caseList {
	var base runScores
	if l.base != nil {
		base = l.base.scored()
	}
	q := newCaseList(l.p.layout, l.State, l.Run.scored(), base, l.covered)
	q.groups = l.p.groups
	q.unlike = l.unlike
	return q
}

// runs returns the runs whose scores the list reads: its run and the baseline, if any.
func (l *List) runs() []*Run {
	if l.base == nil {
		return []*Run{&l.Run.Run}
	}
	return []*Run{&l.Run.Run, &l.base.Run}
}

// ask returns the rows of a statement over the list. They are cached if the statement only reads scores.
func ask[T any](ctx context.Context, l *List, build func(*caseList) (Select[T], error), size func(T) int) ([]T, error) {
	q := l.query()
	s, err := build(q)
	if err != nil {
		return nil, err
	}
	load := func() ([]T, error) { return all(ctx, l.p.w, s) }
	if !q.ofScores() {
		return load()
	}
	return Remember(l.p, l.runs(), fmt.Sprintf("%s\x00%q", s.String(), s.Args), func(rows []T) int {
		n := 0
		for _, r := range rows {
			n += size(r)
		}
		return n
	}, load)
}

// Counts returns the number of cases in each mode, under the state's filters and search.
func (l *List) Counts(ctx context.Context) (map[Mode]int64, error) {
	out := map[Mode]int64{}
	if l.here() {
		f, err := l.find(ctx)
		if err != nil {
			return nil, err
		}
		for _, of := range f.modes {
			for i, m := range Modes {
				if of&(1<<i) != 0 {
					out[m]++
				}
			}
		}
		return out, nil
	}
	for _, modes := range [][]Mode{
		{All, Failed, Passed, Errors, Abstained, Changed, Broke, Fixed, StillWrong, StillRight, Unasked,
			NotCompared, Added},
		{Disagrees, Unlabelled}} {
		rows, err := ask(ctx, l, func(q *caseList) (Select[[]int64], error) { return q.counts(modes) },
			func(counts []int64) int { return 8 * len(counts) })
		if err != nil {
			return nil, err
		}
		for i, m := range modes {
			out[m] = rows[0][i]
		}
	}
	return out, nil
}

// IDs streams the ids of all cases of the list, in its order.
func (l *List) IDs(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if l.here() {
			f, err := l.find(ctx)
			if err != nil {
				yield("", err)
				return
			}
			for _, id := range f.of(l.State.Mode) {
				if !yield(id, nil) {
					return
				}
			}
			return
		}
		rowsWhenRead(ctx, l.p.w, func() (Select[string], error) { return l.query().ids(0, 0) })(yield)
	}
}

// PageIDs returns the IDs of the cases on the state's page.
func (l *List) PageIDs(ctx context.Context) ([]string, error) {
	size := cmp.Or(l.State.Size, DefaultSize)
	offset := (max(l.State.Page, 1) - 1) * size
	if l.here() {
		f, err := l.find(ctx)
		if err != nil {
			return nil, err
		}
		ids := f.of(l.State.Mode)
		return ids[min(offset, len(ids)):min(offset+size, len(ids))], nil
	}
	return ask(ctx, l, func(q *caseList) (Select[string], error) { return q.ids(size, offset) },
		func(id string) int { return 16 + len(id) })
}

// First returns the IDs of the first n cases of the list, and the number of all its cases. The caller must not change
// the IDs.
func (l *List) First(ctx context.Context, n int) (ids []string, of int64, err error) {
	if l.here() {
		f, err := l.find(ctx)
		if err != nil {
			return nil, 0, err
		}
		ids := f.of(l.State.Mode)
		return ids[:min(n, len(ids))], int64(len(ids)), nil
	}
	rows, err := ask(ctx, l, func(q *caseList) (Select[firstCase], error) { return q.first(n) },
		func(c firstCase) int { return 40 + len(c.id) })
	for _, c := range rows {
		ids, of = append(ids, c.id), c.of
	}
	return ids, of, err
}

// Count returns the number of the list's cases. A search by a regular expression is an error (Unimplemented).
func (l *List) Count(ctx context.Context) (int64, error) {
	if l.regexp() {
		return 0, errcode.New(errcode.Unimplemented, "the number of cases of a search by a regular expression")
	}
	rows, err := ask(ctx, l, func(q *caseList) (Select[int64], error) { return q.count() }, func(int64) int { return 8 })
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	return rows[0], nil
}

// FirstCases are the first cases of a list with one value of a column.
type FirstCases struct {
	Part string // the value; "" if missing
	IDs  []string
	Of   int64 // number of all cases with the value
}

// FirstOfEach returns the first n cases of the list with each value of a string column, the values with the most cases
// first. A search by a regular expression is an error (Unimplemented). The caller must not change the IDs.
func (l *List) FirstOfEach(ctx context.Context, column string, n int) (out []FirstCases, err error) {
	if l.regexp() {
		return nil, errcode.New(errcode.Unimplemented, "parts of a search by a regular expression")
	}
	rows, err := ask(ctx, l, func(q *caseList) (Select[firstCase], error) { return q.firstOfEach(column, n) },
		func(c firstCase) int { return 40 + len(c.id) + len(c.part) })
	for _, c := range rows {
		if last := len(out) - 1; last < 0 || out[last].Part != c.part {
			out = append(out, FirstCases{Part: c.part, Of: c.of})
		}
		last := &out[len(out)-1]
		last.IDs = append(last.IDs, c.id)
	}
	slices.SortFunc(out, func(a, b FirstCases) int { return cmp.Or(cmp.Compare(b.Of, a.Of), cmp.Compare(a.Part, b.Part)) })
	return out, err
}

// CaseRow is a row in a list of cases. Unknown values are empty.
type CaseRow struct {
	ID                string
	Question, Gold    string // Gold is the accepted query
	Dialect, Database string
	Tags              []string
	TagsErr           error                    // why the tags cannot be parsed
	SQL, Error        string                   // the agent's query, and the database's error message for it
	Latency           string                   // of the agent's query, in milliseconds
	People            string                   // human verdict: pass, fail or divided
	Scores            map[string]scoring.Score // by metric; without evidence
}

// Page returns the cases on the state's page, with the scores of some metrics.
func (l *List) Page(ctx context.Context, metrics []string) ([]CaseRow, error) {
	ids, err := l.PageIDs(ctx)
	if err != nil {
		return nil, err
	}
	return l.Rows(ctx, ids, metrics)
}

// Rows returns some cases of the list, with the scores of some metrics. ids must be in the order of the list.
func (l *List) Rows(ctx context.Context, ids, metrics []string) ([]CaseRow, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows := make([]CaseRow, len(ids))
	byID := make(map[string]*CaseRow, len(ids))
	for i, id := range ids {
		rows[i] = CaseRow{ID: id, Scores: map[string]scoring.Score{}}
		byID[id] = &rows[i]
	}
	if len(metrics) > 0 {
		scores, err := ask(ctx, l, func(q *caseList) (Select[scoring.Row], error) { return q.scoresOf(ids, metrics), nil },
			func(r scoring.Row) int { return 200 + len(r.Score.Reason) + len(r.CaseID) + len(r.Score.Label) })
		if err != nil {
			return nil, err
		}
		for i := range scores {
			if to := byID[scores[i].CaseID]; to != nil {
				to.Scores[scores[i].Score.Metric] = scores[i].Score
			}
		}
	}
	each := func(s Select[CaseRow], take func(to, read *CaseRow)) error {
		for read, err := range Rows(ctx, l.p.w, s) {
			if err != nil {
				return err
			}
			if to := byID[read.ID]; to != nil {
				take(to, &read)
			}
		}
		return nil
	}
	err := each(l.query().questionsOfRows(ids), func(to, r *CaseRow) {
		to.Question, to.Gold, to.Dialect, to.Database, to.Tags, to.TagsErr = r.Question, r.Gold, r.Dialect, r.Database,
			r.Tags, r.TagsErr
	})
	if err == nil {
		err = each(l.query().answersOfRows(ids),
			func(to, r *CaseRow) { to.SQL, to.Error, to.Latency = r.SQL, r.Error, r.Latency })
	}
	if err == nil && l.p.layout.labelled {
		err = each(l.query().peopleOfRows(ids), func(to, r *CaseRow) { to.People = r.People })
	}
	if err == nil && l.p.elsewhere != nil {
		err = l.p.fillRows(ctx, l.State.RunID, rows)
	}
	return rows, err
}

// fillRows adds values that are missing in the warehouse from the fallback source.
func (p *Pages) fillRows(ctx context.Context, run scoring.RunID, rows []CaseRow) error {
	var ids []string
	lacks := func(c *CaseRow) bool { return c.Question == "" && c.Gold == "" && c.SQL == "" }
	for i := range rows {
		if lacks(&rows[i]) {
			ids = append(ids, rows[i].ID)
		}
	}
	if ids == nil {
		return nil
	}
	found, err := p.elsewhere(ctx, run, ids)
	for i := range rows {
		to := &rows[i]
		c := found[to.ID]
		if c == nil || !lacks(to) {
			continue
		}
		to.Question, to.Dialect, to.Database, to.Tags, to.TagsErr, to.SQL, to.Error = c.Question, c.Dialect, c.Database,
			c.Tags, c.TagsErr, c.Pred.SQL, c.Pred.Error
		if len(c.Golds) > 0 {
			to.Gold = c.Golds[0].SQL
		}
		if ms := milliseconds(c.Pred.Latency); ms != nil {
			to.Latency = strconv.FormatFloat(*ms, 'f', 1, 64)
		}
	}
	return err
}

// Neighbours is the position of a case in a list.
type Neighbours struct {
	Before, After string // IDs of the previous and the next case; empty at the ends
	Place, Of     int64  // position from 1, or 0 if the case is not in the list; and the number of cases
}

// Neighbours returns the position of a case in the list.
func (l *List) Neighbours(ctx context.Context, caseID string) (n Neighbours, err error) {
	if l.here() {
		f, err := l.find(ctx)
		if err != nil {
			return n, err
		}
		ids := f.of(l.State.Mode)
		n.Of = int64(len(ids))
		at := slices.Index(ids, caseID)
		if at < 0 {
			return n, nil
		}
		n.Place = int64(at) + 1
		if at > 0 {
			n.Before = ids[at-1]
		}
		if at+1 < len(ids) {
			n.After = ids[at+1]
		}
		return n, nil
	}
	rows, err := ask(ctx, l, func(q *caseList) (Select[Neighbours], error) { return q.neighbours(caseID) },
		func(n Neighbours) int { return 64 + len(n.Before) + len(n.After) })
	if len(rows) > 0 {
		n = rows[0]
	}
	return n, err
}

// Slice holds the figures of the primary metric for the cases with one value of a column.
type Slice struct {
	Part string // the value; "" if missing
	Figures
	Unreadable string // ID of the first case, if Part is the raw text of tags that cannot be parsed; else ""
}

// Slices sums up the primary metric by a string column over the cases of the list: at most limit parts, those with
// the most cases first, and the number of the others. A case with several tags is in several parts, and one without
// any in the part "". Cases whose tags cannot be parsed are in parts named by the raw text. A search by a regular
// expression is an error (Unimplemented).
func (l *List) Slices(ctx context.Context, column string, limit int) (parts []Slice, more int64, err error) {
	if l.regexp() {
		return nil, 0, errcode.New(errcode.Unimplemented, "slices of a search by a regular expression")
	}
	if slices.Contains(ofQuestions, column) {
		parts, err = l.questionSlices(ctx, column)
		more = int64(max(0, len(parts)-limit))
		return parts[:len(parts)-int(more)], more, err
	}
	rows, err := ask(ctx, l,
		func(q *caseList) (Select[slicedRow], error) { return q.slices([]string{column}, max(limit, partsRead)) },
		func(r slicedRow) int { return 150 + len(r.parts[0]) })
	if err != nil || len(rows) == 0 {
		return nil, 0, err
	}
	for _, r := range rows[:min(limit, len(rows))] {
		parts = append(parts, Slice{Part: r.parts[0], Figures: r.Figures})
	}
	return parts, rows[0].rows - int64(len(parts)), nil
}

// partsRead is the minimum number of parts that are read of a slice, so that pages with other limits share them.
const partsRead = 1000

// ofQuestions are columns of golden_set. Their slices are read in one query.
var ofQuestions = []string{"tag", "database", "dialect"}

// slicePart identifies a Slice: a tag may equal the raw text of tags that cannot be parsed.
type slicePart struct {
	name       string
	unreadable bool
}

func (l *List) questionSlices(ctx context.Context, column string) ([]Slice, error) {
	if l.questions == nil {
		byPart := map[string]map[slicePart]*Slice{}
		for _, c := range ofQuestions {
			byPart[c] = map[slicePart]*Slice{}
		}
		s, err := l.query().slices(ofQuestions, 0)
		if err != nil {
			return nil, err
		}
		for r, err := range Rows(ctx, l.p.w, s) {
			if err != nil {
				return nil, err
			}
			for i, c := range ofQuestions {
				names, unreadable := []string{r.parts[i]}, false
				if c == "tag" {
					tags, err := scoring.ParseTags(names[0])
					switch unreadable = err != nil; {
					case unreadable:
					case len(tags) == 0:
						names = []string{""}
					default:
						slices.Sort(tags)
						names = slices.Compact(tags)
					}
				}
				for _, name := range names {
					part := slicePart{name, unreadable}
					if byPart[c][part] == nil {
						byPart[c][part] = &Slice{Part: name}
					}
					byPart[c][part].plus(&r.Figures)
					if unreadable && (byPart[c][part].Unreadable == "" || r.first < byPart[c][part].Unreadable) {
						byPart[c][part].Unreadable = r.first
					}
				}
			}
		}
		l.questions = byPart
	}
	out := make([]Slice, 0, len(l.questions[column]))
	for _, part := range l.questions[column] {
		out = append(out, *part)
	}
	slices.SortFunc(out,
		func(a, b Slice) int { return cmp.Or(cmp.Compare(b.Scores, a.Scores), cmp.Compare(a.Part, b.Part)) })
	return out, nil
}

// searching is the time limit for a search by a regular expression.
const searching = 200 * time.Millisecond

// found is the cases that a search in this process found, in the order of the list.
type found struct {
	ids   []string
	modes []uint16 // bit i is set if the case is in Modes[i]
	left  int64    // number of cases not searched before the time limit
}

func (f *found) of(m Mode) (ids []string) {
	i := max(0, slices.Index(Modes, m))
	for n, of := range f.modes {
		if of&(1<<i) != 0 {
			ids = append(ids, f.ids[n])
		}
	}
	return ids
}

func (l *List) regexp() bool { return l.State.Regexp && l.State.Search != "" }

// here reports whether the list's cases are found once, in this process, and kept for the page: for a regular
// expression, as warehouses differ in their syntax, and for an embedded engine that reads users' tables, as it would
// repeat the joins for each query.
func (l *List) here() bool {
	if l.regexp() {
		return true
	}
	q := l.query()
	_, err := q.ids(1, 0)
	return err == nil && !q.ofScores() && l.p.w.SQL().Embedded
}

// find reads all cases of the list once. A regular expression is matched against their texts until its time limit.
func (l *List) find(ctx context.Context) (*found, error) {
	if l.found != nil {
		return l.found, nil
	}
	var pattern *regexp.Regexp
	var err error
	if l.regexp() {
		if pattern, err = l.State.pattern(); err != nil {
			return nil, err
		}
	}
	s, err := l.query().found(pattern != nil)
	if err != nil {
		return nil, err
	}
	f := &found{}
	var spent time.Duration
	matches := func(c *foundCase) bool {
		if pattern == nil {
			return true
		}
		if spent > l.p.searching {
			f.left++
			return false
		}
		began := time.Now()
		match := pattern.MatchString(c.id) || slices.ContainsFunc(c.texts[:], pattern.MatchString)
		spent += time.Since(began)
		return match
	}
	for c, err := range Rows(ctx, l.p.w, s) {
		if err != nil {
			return f, err
		}
		if matches(&c) {
			f.ids, f.modes = append(f.ids, strings.Clone(c.id)), append(f.modes, c.modes)
		}
	}
	l.found = f
	return f, nil
}

// Unsearched returns the number of cases that a search by a regular expression did not examine within its time limit of
// 200 ms. Lists and counts do not contain them.
func (l *List) Unsearched(ctx context.Context) (int64, error) {
	if !l.regexp() {
		return 0, nil
	}
	f, err := l.find(ctx)
	if err != nil {
		return 0, err
	}
	return f.left, nil
}

// CaseScore is a score with its evidence.
type CaseScore struct {
	scoring.Score
	ConfigHash string
	GoldHash   string
	At         time.Time // when it was stored; zero if unknown
}

// CaseDetail is a case of a run with its question, answer, scores and labels.
type CaseDetail struct {
	Answer   Answer // Case is nil if neither golden_set nor agent_runs has it
	Answered bool   // agent_runs has the answer
	Scores   []CaseScore
	Labels   []LoggedLabel // labels of this answer, the latest first, including replaced ones
}

// Unanswered reports whether a score records that no row with an answer was found.
func (c *CaseDetail) Unanswered() bool {
	return slices.ContainsFunc(c.Scores, func(s CaseScore) bool { return s.Missing() })
}

// take sets the answer from its n-th row. Several rows are an error in the answer.
func (c *CaseDetail) take(a Answer, n int) {
	if c.Answer, c.Answered = a, true; n > 1 {
		c.Answer.Case, c.Answer.Err = nil, severalRows(a.CaseID, n)
	}
}

// ask sets the question of a missing answer.
func (c *CaseDetail) ask(a *Answer) {
	c.Answer.SetVersion, c.Answer.InSet, c.Answer.Case, c.Answer.Err = a.SetVersion, a.InSet, a.Case, a.Err
}

// Case returns one case of a run. The error is NotFound if the run has no scores of the case.
func (p *Pages) Case(ctx context.Context, key scoring.RunID, caseID string) (*CaseDetail, error) {
	out := &CaseDetail{Answer: Answer{AnswerID: scoring.AnswerID{CaseID: caseID, By: key.By}}}
	for s, err := range Rows(ctx, p.w, scoresOfCase(p.w.SQL(), runScores{RunID: key}, caseID)) {
		if err != nil {
			return nil, err
		}
		out.Scores = append(out.Scores, s.score())
	}
	if out.Scores == nil {
		return nil, errcode.New(errcode.NotFound, "the run has no scores of case %.80q", caseID)
	}
	rows := 0
	for a, err := range p.w.casesWithin(ctx, p.layout, Filter{}, &keyRange{By: key.By, first: caseID, last: caseID}) {
		if err != nil {
			return out, err
		}
		rows++
		out.take(a, rows)
	}
	if !out.Answered {
		row, found, err := firstIfAny(ctx, p.w, p.layout.questionsWithin(Filter{}, &keyRange{first: caseID, last: caseID}))
		if err != nil {
			return out, err
		}
		if found {
			a := row.answer()
			out.ask(&a)
		}
	}
	labels, err := p.labels(ctx, key, []string{caseID})
	out.Labels = labels[caseID]
	return out, err
}
