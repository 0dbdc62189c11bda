package scoring

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/halt"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// SnapshotReader resolves result references, such as table:NAME or file:PATH.
type SnapshotReader interface {
	ReadSnapshot(ctx context.Context, ref string) (*Table, error)
}

// Config is a deployment's configuration of metrics, by metric name.
type Config struct {
	Options    map[string]json.RawMessage `json:"options,omitempty"`    // defaults of a metric's options
	Thresholds map[string]float64         `json:"thresholds,omitempty"` // the value from which a score passes
}

// EngineOptions are optional inputs of an engine in addition to metrics.
type EngineOptions struct {
	Snapshots SnapshotReader       // if nil, references are not resolved, and scores state this
	Judge     judgebackend.Backend // answers the questions of judge metrics; nil: none does
	Judges    map[string]Judge     // those of single metrics, by name, in place of Judge
	Replies   Replies              // recorded answers that are used in place of calls; may be nil
	Config    Config

	Panicked func(metric string, value any, stack []byte) // called after a panic inside a metric; may be nil
}

// Engine runs metrics on cases. It keeps no state between cases and may be used from many
// goroutines.
type Engine struct {
	metrics []Metric
	index   map[string]int
	opts    EngineOptions
}

// NewEngine makes an engine of metrics. Names must be unique, and options and thresholds must name
// metrics that exist.
func NewEngine(metrics []Metric, o *EngineOptions) (*Engine, error) {
	e := &Engine{metrics: metrics, index: make(map[string]int, len(metrics))}
	if o != nil {
		e.opts = *o
	}
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

// Metrics lists the metrics in order.
func (e *Engine) Metrics() []Metric { return e.metrics }

// AsksJudge reports whether a metric may wait for a judge: if one is configured and the metric's
// needs name it, or its configured options do. Options of single cases are not known here.
func (e *Engine) AsksJudge(m *Metric) bool {
	there := e.opts.Judge != nil || len(e.opts.Judges) > 0
	return there && ((m.Needs|m.Reads)&FieldJudge != 0 || m.Asks != nil && m.Asks(e.opts.Config.Options[m.Name]))
}

// Metric finds a metric. The error of an unknown name offers the nearest ones.
func (e *Engine) Metric(name string) (*Metric, error) {
	if i, ok := e.index[name]; ok {
		return &e.metrics[i], nil
	}
	names := make([]string, len(e.metrics))
	for i := range e.metrics {
		names[i] = e.metrics[i].Name
	}
	return nil, errcode.New(errcode.NotFound, "unknown metric %.60q%s", name, Suggest(name, names))
}

// Names for groups of metrics.
const (
	DefaultMetrics = "default" // the metrics that are computed by default
	AllMetrics     = "all"     // these, and those that are computed on request only
)

// Choose returns the named metrics in their order, or the default ones if names is empty. If a name is that of a
// group of metrics, it adds those for which wanted returns true and that are not chosen yet; if wanted is nil, it
// adds all of them.
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

// Score runs the named metrics on a case (Choose), and returns their scores in that order. An error inside a metric
// becomes that metric's score; an error is returned only for an unknown name or when ctx ends.
func (e *Engine) Score(ctx context.Context, c *Case, names ...string) ([]Score, error) {
	selected, err := e.Choose(names, nil)
	if err != nil {
		return nil, err
	}
	return e.ScoreMetrics(ctx, c, selected)
}

// ScoreMetrics is Score for metrics that were found before.
func (e *Engine) ScoreMetrics(ctx context.Context, c *Case, metrics []*Metric) ([]Score, error) {
	r := run{engine: e, ctx: ctx, halt: halt.Of(ctx), c: c, asked: metrics, scores: make([]Score, 0, len(metrics))}
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

// ScoreQuestion is ScoreMetrics of a question whose answer is missing or cannot be read: metrics that
// describe the question alone are scored, and of all others the score is otherwise. Without a question,
// c nil, it is that of all.
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

// run is the scoring of one case: its results, resolved once, and an input for each accepted
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

	scores  []Score          // those asked for, so far
	ahead   map[string]Score // those that another metric rests on, computed before their turn
	running []string         // metrics that are being computed, each resting on the next
}

func (r *run) score(m *Metric) Score {
	r.running = append(r.running, m.Name)
	defer func() { r.running = r.running[:len(r.running)-1] }()
	n := max(1, len(r.c.Golds))
	if r.inputs == nil {
		r.inputs, r.golds = make([]Input, n), make([]*Query, n)
	}
	var best Score
	for i := range n {
		s := r.scoreOne(m, i)
		if (m.Needs|m.Reads)&(FieldGoldResult|FieldGoldSQL|FieldLatency) == 0 {
			best = s
			break // no accepted answer is read: one look is enough
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

// better prefers a score with a value, then the better value; the first of equals stays.
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
	defer func() { // also what a failed metric asked was paid for
		if in.usage.Calls > 0 {
			usage := in.usage
			s.Usage = &usage
		}
		s.AssessmentIDs = append(s.AssessmentIDs, in.assessments...)
	}()
	defer func() { // around everything that is the metric's: its options, its score of a failed query, its score
		if v := recover(); v != nil {
			if err, ok := halt.Cause(v); ok {
				s = Fail(errcode.New(errcode.Of(err), "given up: nobody waits for it any more"))
				return
			}
			if r.engine.opts.Panicked != nil {
				r.engine.opts.Panicked(m.Name, v, debug.Stack())
			}
			s = Fail(errcode.New(errcode.Internal, "metric %s broke down on this case; this is a defect of badger", m.Name))
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
	}
	if rank(s) < 0 || s.Status == StatusOK && (math.IsNaN(s.Value) || math.IsInf(s.Value, 0)) {
		return Fail(errcode.New(errcode.Internal, "metric %s gave no score; this is a defect of badger", m.Name))
	}
	return s
}

// otherThanAnswer returns the right reaction to a question that should not be answered; else "".
func otherThanAnswer(behaviour string) string {
	switch behaviour {
	case BehaviourClarify:
		return "clarification"
	case BehaviourRefuse:
		return "refusal"
	}
	return ""
}

// meetNeeds fills the input with the metric's inputs. If one is missing, or the agent's query failed, it returns
// the resulting score.
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
	if needs&FieldJudge != 0 && !r.engine.HasJudge(m.Name) && r.engine.opts.Replies == nil {
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

// resolveGiven resolves a result that a metric uses if it is given.
func (r *run) resolveGiven(q *Query) error {
	if q == nil || q.Result.Absent() {
		return nil
	}
	return r.resolve(q)
}

// resolve reads a referenced result, once.
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
		q.Result.Err = errcode.New(errcode.NotFound, "the reference led to no result")
	}
	return q.Result.Err
}

// Suggest ends an error about an unknown name: the nearest of the known names, the nearest first, or
// nothing.
func Suggest(name string, known []string) string {
	near := nearest(name, known)
	if len(near) == 0 {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", strings.Join(near[:min(len(near), 4)], ", "))
}

// nearest returns the known names that a name may be a misspelling or a part of, the nearest first. It ignores
// letter case and the signs between words.
func nearest(name string, known []string) (near []string) {
	plain := strings.NewReplacer("_", "", "-", "", " ", "").Replace
	name = plain(strings.ToLower(name))
	far := map[string]int{}
	for _, k := range known {
		other := plain(strings.ToLower(k))
		d := distance(name, other)
		if d <= 1+len(name)/4 || len(name) >= 3 && strings.Contains(other, name) {
			near, far[k] = append(near, k), d
		}
	}
	slices.SortStableFunc(near, func(a, b string) int { return far[a] - far[b] })
	return near
}

// distance is the number of letters to change, add, remove or exchange with the next one to convert one short name
// to another (optimal string alignment).
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
