package scoring

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/halt"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// SnapshotReader resolves result references, such as table:NAME or file:PATH.
type SnapshotReader interface {
	ReadSnapshot(ctx context.Context, ref string) (*Table, error)
}

// Config is a deployment's configuration of metrics; its maps have metric names as keys.
type Config struct {
	Options    map[string]json.RawMessage `json:"options,omitempty"`    // options, which those of a case override
	Thresholds map[string]float64         `json:"thresholds,omitempty"` // the thresholds that replace those of the metrics
}

// EngineOptions are optional dependencies and the configuration of an engine.
type EngineOptions struct {
	Snapshots SnapshotReader       // resolves result references; if nil, a metric that needs one fails with a message
	Judge     judgebackend.Backend // answers the questions of metrics that use a judge; nil if there is none
	Judges    map[string]Judge     // judges of single metrics, by the metric's name; they replace Judge
	ByTag     []TagJudge           // judges of cases with a tag; the first with one of a case replaces both
	Replies   Replies              // recorded judge replies, which are used instead of calls; may be nil
	Config    Config

	Panicked func(metric string, value any, stack []byte) // called after a panic inside a metric; may be nil
	NoReply  func(panel, judge, reason string)            // called when a judge of a panel gave no reply; may be nil
}

// Engine runs metrics on cases. It keeps no state between cases and is safe for concurrent use.
type Engine struct {
	metrics []Metric
	index   map[string]int
	opts    EngineOptions
	seen    []atomic.Bool // whether a case had the tag of each element of opts.ByTag
}

// NewEngine returns an engine with the metrics. A duplicate metric name is an error, and so are options, thresholds
// or judges of an unknown metric.
func NewEngine(metrics []Metric, o *EngineOptions) (*Engine, error) {
	e := &Engine{metrics: metrics, index: make(map[string]int, len(metrics))}
	if o != nil {
		e.opts = *o
	}
	e.seen = make([]atomic.Bool, len(e.opts.ByTag))
	for i := range metrics {
		if _, dup := e.index[metrics[i].Name]; dup {
			return nil, errcode.New(errcode.AlreadyExists, "duplicate metric %q", metrics[i].Name)
		}
		e.index[metrics[i].Name] = i
	}
	for _, name := range slices.Sorted(maps.Keys(e.opts.Judges)) {
		if err := e.checkJudge(name); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.opts.Config.Options)) {
		if err := e.checkOptions(name, e.opts.Config.Options[name]); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.opts.Config.Thresholds)) {
		m, err := e.Metric(name)
		if err != nil {
			return nil, errcode.New(errcode.Of(err), "thresholds: %w", err)
		}
		if err := m.Within(e.opts.Config.Thresholds[name]); err != nil {
			return nil, errcode.New(errcode.Of(err), "thresholds.%s: %w", name, err)
		}
	}
	return e, nil
}

func (e *Engine) checkOptions(name string, raw json.RawMessage) error {
	m, err := e.Metric(name)
	if err != nil {
		return errcode.New(errcode.Of(err), "options: %w", err)
	}
	return checkOptions(m, raw)
}

func checkOptions(m *Metric, raw json.RawMessage) error {
	if m.Options.None() {
		return errcode.New(errcode.InvalidArgument, "options: metric %q has none", m.Name)
	}
	if err := m.Options.Check(raw); err != nil {
		return errcode.New(errcode.InvalidArgument, "metric %q: %w", m.Name, err)
	}
	return nil
}

// Metrics lists the metrics in order. The slice must not be modified.
func (e *Engine) Metrics() []Metric { return e.metrics }

// AsksJudge reports whether a judge is configured and the metric uses one: because of its fields, or because of its
// configured options. Options of single cases are not considered.
func (e *Engine) AsksJudge(m *Metric) bool {
	there := e.opts.Judge != nil || len(e.opts.Judges) > 0 || len(e.opts.ByTag) > 0
	return there && ((m.Needs|m.Reads)&FieldJudge != 0 || m.Asks != nil && m.Asks(e.opts.Config.Options[m.Name]))
}

// Metric returns the metric with a name. The error for an unknown name suggests similar names.
func (e *Engine) Metric(name string) (*Metric, error) {
	if i, ok := e.index[name]; ok {
		return &e.metrics[i], nil
	}
	names := make([]string, len(e.metrics))
	for i := range e.metrics {
		names[i] = e.metrics[i].Name
	}
	return nil, errcode.New(errcode.NotFound, "unknown metric %.60q%s", name,
		cmp.Or(Suggest(name, names), severalHint(name)))
}

// Names for groups of metrics.
const (
	DefaultMetrics = "default" // the metrics that are computed by default
	AllMetrics     = "all"     // all metrics, also those that are computed only on request
)

// Choose returns the named metrics in the order of names, or the default ones if names is empty. A name may also be
// that of a group ([DefaultMetrics], [AllMetrics]): it adds the metrics of the group that are not in the list yet and
// for which wanted returns true. A nil wanted accepts all.
func (e *Engine) Choose(names []string, wanted func(*Metric) bool) ([]*Metric, error) {
	if len(names) == 0 {
		names = []string{DefaultMetrics}
	}
	var out, several []*Metric
	for _, name := range names {
		if name != DefaultMetrics && name != AllMetrics {
			m, err := e.Metric(name)
			if err != nil {
				return nil, err
			}
			if !slices.Contains(several, m) {
				out = append(out, m)
			}
			continue
		}
		for i := range e.metrics {
			m := &e.metrics[i]
			if (wanted == nil || wanted(m)) && (name == AllMetrics || !m.OnRequest) && !slices.Contains(out, m) {
				out, several = append(out, m), append(several, m)
			}
		}
	}
	return out, nil
}

// Score computes the named metrics on a case and returns their scores in the order of [Engine.Choose]. An error
// inside a metric becomes a failed score. It returns an error only for an unknown name or if ctx ends.
func (e *Engine) Score(ctx context.Context, c *Case, names ...string) ([]Score, error) {
	selected, err := e.Choose(names, nil)
	if err != nil {
		return nil, err
	}
	return e.ScoreMetrics(ctx, c, selected)
}

// ScoreMetrics is [Engine.Score] for metrics from [Engine.Choose].
func (e *Engine) ScoreMetrics(ctx context.Context, c *Case, metrics []*Metric) ([]Score, error) {
	r := run{engine: e, ctx: ctx, halt: halt.Of(ctx), c: c, asked: metrics, scores: make([]Score, 0, len(metrics))}
	e.seeTags(c)
	for _, m := range metrics {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s, ok := r.ahead[m.Name]
		if !ok {
			s = r.score(m)
		}
		r.scores = append(r.scores, s)
		if err := ctx.Err(); err != nil {
			return nil, err // a metric that was cut short has no score
		}
	}
	return r.scores, nil
}

// ScoreQuestion returns the scores for a question whose answer is missing or cannot be read. It computes the metrics
// that depend on the question alone (see [Metric.DescribesQuestion]), and returns otherwise for all others. If c is
// nil, it returns otherwise for every metric.
func (e *Engine) ScoreQuestion(ctx context.Context, c *Case, metrics []*Metric, otherwise Score) ([]Score, error) {
	r := run{engine: e, ctx: ctx, halt: halt.Of(ctx), c: c}
	out := make([]Score, len(metrics))
	for i, m := range metrics {
		if out[i] = otherwise; c != nil && m.DescribesQuestion() {
			out[i] = r.score(m)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i].Metric, out[i].Version = m.Name, m.Version
	}
	return out, nil
}

// run holds the state of scoring one case: its results, each resolved only once, and an Input for each accepted
// answer.
type run struct {
	engine *Engine
	ctx    context.Context //nolint:containedctx // lives for one call
	c      *Case
	pred   *Query
	golds  []*Query
	inputs []Input
	texts  sqlparts.Texts
	halt   *halt.Signal // of ctx
	asked  []*Metric

	scores  []Score          // the scores of asked that are computed so far, in order
	ahead   map[string]Score // by name: scores computed early because another metric uses them
	running []string         // names of the metrics being computed; each uses the score of the next
	seat    seat             // the judge of a panel for which the metric is computed
}

func (r *run) score(m *Metric) Score {
	r.running = append(r.running, m.Name)
	outer := r.seat
	defer func() { r.running, r.seat = r.running[:len(r.running)-1], outer }()
	r.seat = seat{}
	s := r.scoreGolds(m)
	if r.seat.panel != nil {
		s = r.byPanel(m, s)
	}
	return s
}

// scoreGolds returns the best score of m over the accepted answers, by the judge of r.seat if m asks a panel.
func (r *run) scoreGolds(m *Metric) Score {
	n := max(1, len(r.c.Golds))
	if r.inputs == nil {
		r.inputs, r.golds = make([]Input, n), make([]*Query, n)
	}
	var best Score
	for i := range n {
		s := r.scoreOne(m, i)
		if (m.Needs|m.Reads)&(FieldGoldResult|FieldGoldSQL|FieldLatency) == 0 {
			best = s
			break // the metric does not read the accepted answer, so the score is the same for all
		}
		if n > 1 {
			s.Gold = i + 1
		}
		if i == 0 || better(m, s, best) {
			best = s
		}
		if (m.Needs|m.Reads)&FieldJudge != 0 && best.Status == StatusOK && m.Threshold != nil && *m.Threshold == 1 &&
			best.Value == 1 {
			break // no other accepted answer can do better, and a judge need not be asked about them
		}
	}
	best.Metric, best.Version = m.Name, m.Version
	if best.Status == StatusOK {
		if t := r.engine.threshold(m); t != nil {
			passed := best.Value >= *t
			if m.LowerIsBetter {
				passed = best.Value <= *t
			}
			best.Passed = &passed
		}
	}
	return best
}

func (e *Engine) threshold(m *Metric) *float64 {
	if t, ok := e.opts.Config.Thresholds[m.Name]; ok {
		return &t
	}
	return m.Threshold
}

// better reports whether score a is better than b: by the rank of its status, then by its value. Equal scores are not
// better, so that the first of them is kept.
func better(m *Metric, a, b Score) bool {
	if rank(a) != rank(b) {
		return rank(a) > rank(b)
	}
	if a.Status != StatusOK {
		return false
	}
	if m.LowerIsBetter {
		return a.Value < b.Value
	}
	return a.Value > b.Value
}

func rank(s Score) int {
	return slices.Index([]Status{StatusNotApplicable, StatusFailed, StatusAbstained, StatusOK}, s.Status)
}

func (r *run) scoreOne(m *Metric, gold int) (s Score) {
	in := &r.inputs[gold]
	in.Case, in.run, in.metric, in.replies = r.c, r, m.Name, r.engine.opts.Replies
	in.usage, in.assessments = Usage{}, nil
	defer func() { // judge calls are counted even if the metric fails
		if in.usage.Calls > 0 || in.usage.Judge != "" {
			usage := in.usage
			s.Usage = &usage
		}
		s.AssessmentIDs = append(s.AssessmentIDs, in.assessments...)
	}()
	defer func() { // recovers from panics in all code of the metric: options, the score of a failed query, Score
		if v := recover(); v != nil {
			if err, ok := halt.Cause(v); ok {
				s = Fail(errcode.New(errcode.Of(err), "cancelled: no caller waits for the score"))
				return
			}
			if r.engine.opts.Panicked != nil {
				r.engine.opts.Panicked(m.Name, v, debug.Stack())
			}
			s = Fail(errcode.New(errcode.Internal, "metric %s panicked on this case; this is a bug in badger", m.Name))
		}
	}()
	in.options = in.options[:0]
	if raw, ok := r.engine.opts.Config.Options[m.Name]; ok {
		in.options = append(in.options, raw)
	}
	if raw, ok := r.c.Options[m.Name]; ok {
		if err := checkOptions(m, raw); err != nil {
			return Fail(err)
		}
		in.options = append(in.options, raw)
	}
	s, done := r.meetNeeds(m, in, gold)
	if !done {
		var err error
		if s, err = m.Score(r.ctx, in); err != nil {
			return Fail(err)
		}
		if both := FieldGoldResult | FieldPredResult; (m.Needs|m.Reads)&both == both &&
			(s.Status == StatusAbstained || s.Status == StatusOK && s.Value < 1) {
			if cut := cutWarning(in.Gold, in.Pred); cut != "" {
				s.Reason = strings.TrimPrefix(s.Reason+"; "+cut, "; ")
			}
		}
		fields := m.Needs | m.Reads | m.Context
		if fields&FieldGoldSQL != 0 && in.Gold != nil {
			s.Warnings = append(s.Warnings, in.Gold.wrapped("gold SQL")...)
		}
		if fields&FieldPredSQL != 0 && in.Pred != nil {
			s.Warnings = append(s.Warnings, in.Pred.wrapped("SQL of the agent")...)
		}
		if (m.Needs|m.Reads)&FieldGoldResult != 0 && in.Gold != nil {
			s.Warnings = append(s.Warnings, in.Gold.Result.notes("gold result")...)
		}
		if (m.Needs|m.Reads)&FieldPredResult != 0 && in.Pred != nil {
			s.Warnings = append(s.Warnings, in.Pred.Result.notes("result of the agent")...)
		}
		if lacks := r.c.Agent.LacksEarlierTurns(); lacks != "" && len(in.assessments) > 0 {
			s.Warnings = append(s.Warnings, lacks)
		}
	}
	if rank(s) < 0 || s.Status == StatusOK && (math.IsNaN(s.Value) || math.IsInf(s.Value, 0)) {
		return Fail(errcode.New(errcode.Internal, "metric %s returned no score; this is a bug in badger", m.Name))
	}
	return s
}

// otherThanAnswer returns "clarification" or "refusal" if the question calls for that instead of an answer; else "".
func otherThanAnswer(behaviour string) string {
	switch behaviour {
	case BehaviourClarify:
		return "clarification"
	case BehaviourRefuse:
		return "refusal"
	}
	return ""
}

// meetNeeds sets the fields of in that the metric m needs. If an input is missing or unreadable, or the agent's query
// failed and this determines the score, it returns that score and true.
func (r *run) meetNeeds(m *Metric, in *Input, gold int) (Score, bool) {
	c, needs := r.c, m.Needs
	callsFor := otherThanAnswer(c.Expected.Behaviour)
	if needs&(FieldGoldResult|FieldPredResult) != 0 && callsFor != "" {
		return NotApplicable("the question calls for a " + callsFor + ", not for a result"), true
	}
	if r.pred == nil {
		r.pred = c.written(&c.Pred)
	}
	in.Pred = r.pred
	if gold < len(c.Golds) {
		if r.golds[gold] == nil {
			r.golds[gold] = c.written(&c.Golds[gold])
		}
		in.Gold = r.golds[gold]
	}
	if reason := in.lacks(needs &^ (FieldGoldResult | FieldPredResult)); reason != "" {
		return NotApplicable(reason), true
	}
	if needs&FieldJudge != 0 && r.engine.judgeOf(m.Name, "", r.c).Backend == nil && r.engine.opts.Replies == nil {
		return NotApplicable("no judge is configured"), true
	}
	if needs&FieldGoldResult != 0 {
		if reason := in.lacks(FieldGoldResult); reason != "" {
			return NotApplicable(reason), true
		}
		if err := r.resolve(in.Gold); err != nil {
			return Fail(errcode.New(errcode.Of(err), "gold result: %w", err)), true
		}
	}
	if in.Pred.Error != "" {
		if s, ends := m.failedScore(); ends {
			return s, true
		}
	} else if needs&FieldPredResult != 0 {
		if reason := in.lacks(FieldPredResult); reason != "" {
			return NotApplicable(reason), true
		}
		if err := r.resolve(in.Pred); err != nil {
			return Fail(errcode.New(errcode.Of(err), "result of the agent: %w", err)), true
		}
	}
	if m.Reads&FieldGoldResult != 0 {
		if err := r.resolveGiven(in.Gold); err != nil {
			return Fail(errcode.New(errcode.Of(err), "gold result: %w", err)), true
		}
	}
	if m.Reads&FieldPredResult != 0 {
		if err := r.resolveGiven(in.Pred); err != nil {
			return Fail(errcode.New(errcode.Of(err), "result of the agent: %w", err)), true
		}
	}
	if !in.asWritten && in.Gold != nil && in.Gold.Result.Table != nil && in.Pred.Result.Table != nil {
		in.asWritten = true
		if in.noRoom = HoldComparison(r.ctx, in.Gold.Result.Table, in.Pred.Result.Table); in.noRoom == nil {
			in.Gold.Result.Table, in.Pred.Result.Table = AsWritten(in.Gold.Result.Table.Until(r.halt),
				in.Pred.Result.Table.Until(r.halt))
		}
	}
	if in.noRoom != nil {
		return Fail(in.noRoom), true
	}
	return Score{}, false
}

// resolveGiven resolves the result of q for a metric that reads it if it is present. It returns nil if q is nil or
// has no result.
func (r *run) resolveGiven(q *Query) error {
	if q == nil || q.Result.Absent() {
		return nil
	}
	return r.resolve(q)
}

// resolve reads the table that the result of q refers to, unless this was done before, and returns the error of
// reading it.
func (r *run) resolve(q *Query) error {
	if q.Result.Table != nil || q.Result.Err != nil {
		return q.Result.Err
	}
	if r.engine.opts.Snapshots == nil {
		q.Result.Err = errcode.New(errcode.FailedPrecondition, "references are not resolved here; give the result inline")
		return q.Result.Err
	}
	q.Result.Table, q.Result.Err = r.engine.opts.Snapshots.ReadSnapshot(r.ctx, q.Result.Ref)
	if q.Result.Table == nil && q.Result.Err == nil {
		q.Result.Err = errcode.New(errcode.NotFound, "the reference has no result")
	}
	return q.Result.Err
}

// severalHint returns the end of an error about a name of a metric that is probably several.
func severalHint(name string) string {
	if strings.ContainsAny(strings.TrimSpace(name), " ;|+") {
		return "; separate names by commas"
	}
	return ""
}

// Suggest returns the end of an error message about an unknown name: "; did you mean " and at most four similar known
// names, the most similar first, or "" if none is similar.
func Suggest(name string, known []string) string {
	near := nearest(name, known)
	if len(near) == 0 {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", strings.Join(near[:min(len(near), 4)], ", "))
}

// SuggestOrList is Suggest that also lists the known names, at most ten, the most similar first. It returns "" if there
// are none. All names may come from data.
func SuggestOrList(name string, known []string) string {
	near := nearest(name, known)
	listed := slices.Clone(near)
	for _, k := range known {
		if !slices.Contains(listed, k) {
			listed = append(listed, k)
		}
	}
	if len(listed) == 0 || len(listed) == len(near) && len(near) <= 4 {
		return Suggest(name, known)
	}
	const most = 10
	more := max(0, len(listed)-most)
	for i := range listed {
		listed[i] = fmt.Sprintf("%.60s", listed[i])
	}
	text := strings.Join(listed[:len(listed)-more], ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	if len(near) > 0 {
		return Suggest(name, known) + " there are " + text
	}
	return "; there are " + text
}

// nearest returns the known names that are similar to name, contain it or begin similarly: first those that begin with
// it, then the most similar. It ignores letter case, underscores, dashes and blanks.
func nearest(name string, known []string) (near []string) {
	plain := strings.NewReplacer("_", "", "-", "", " ", "").Replace
	name = plain(strings.ToLower(name))
	far := map[string]int{}
	for _, k := range known {
		other := plain(strings.ToLower(k))
		d := distance(name, other)
		similar := d <= 1+len(name)/4 && (d == 1 || 2*d < len(name)) || d == 0
		if similar || len(name) >= 3 && strings.Contains(other, name) || len(name) >= 5 && begins(other, name) {
			if near = append(near, k); strings.HasPrefix(other, name) {
				d -= len(other) + len(name)
			}
			far[k] = d
		}
	}
	slices.SortStableFunc(near, func(a, b string) int { return far[a] - far[b] })
	return near
}

// begins reports whether s begins with prefix, but for one byte.
func begins(s, prefix string) bool {
	for n := len(prefix) - 1; n <= len(prefix)+1; n++ {
		if n <= len(s) && distance(prefix, s[:n]) <= 1 {
			return true
		}
	}
	return false
}

// distance returns the optimal string alignment distance of two strings: the number of bytes to change, insert,
// delete or swap with the next one. It returns 64 if a string is longer than 64 bytes.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	two, one, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		two, one, row = one, row, two
		row[0] = i + 1
		for j := range len(b) {
			switch {
			case a[i] == b[j]:
				row[j+1] = one[j]
			default:
				row[j+1] = 1 + min(one[j], row[j], one[j+1])
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], two[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
