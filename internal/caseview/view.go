package caseview

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/scoring/relation"
	"github.com/badger-eval/badger/scoring/sqlparts"
	"github.com/badger-eval/badger/scoring/toolcalls"
)

// Input holds the data on a case. Only Case is required.
type Input struct {
	Case        *scoring.Case
	Scores      []scoring.Score // scores of one run, with details as Go values or JSON
	GoldHash    string          // hash of question and gold answers when scored; empty if unknown
	RunID       string
	Config      scoring.Config            // configuration of the run
	Assessments []judgebackend.Assessment // judge replies that the scores are based on
	Snapshots   scoring.SnapshotReader    // reads results that the case refers to; nil: they count as unreadable
	Mask        *Mask                     // nil: nothing is hidden
	Unstored    bool                      // the question and its accepted answers are not stored
	Unreadable  bool                      // the case cannot be read
}

// Options select what a view shows.
type Options struct {
	Metric string // metric whose score is explained; empty: see head
	Gold   int    // number of the accepted answer to compare with, from 1; 0: the one that the scores used
	Cells  CellOptions
	Before *Input // an earlier answer to the same question; nil: none
}

// View is a case with its scores, comparison and reasons, ready for display or JSON.
type View struct {
	CaseID       string   `json:"case_id"`
	Question     string   `json:"question"`
	Evidence     string   `json:"evidence,omitempty"`
	Database     string   `json:"database,omitempty"`
	Dialect      string   `json:"dialect,omitempty"`
	Tags         []string `json:"tags,omitempty"`
	TagsError    string   `json:"tags_error,omitempty"` // why the tags cannot be parsed
	Agent        string   `json:"agent_name"`
	AgentVersion string   `json:"agent_version"`
	Batch        string   `json:"batch_id,omitempty"`
	Run          string   `json:"eval_run_id,omitempty"`

	Conversation *Conversation `json:"conversation,omitempty"` // nil if the answer is in none

	Behaviour      string   `json:"expected_behaviour,omitempty"`
	Interpretation string   `json:"interpretation,omitempty"`
	Response       string   `json:"response,omitempty"`
	Tools          []string `json:"tool_calls,omitempty"`
	ToolForms      []string `json:"tool_calls_read_as,omitempty"` // the forms of other products that calls were parsed from
	AgentError     string   `json:"agent_error,omitempty"`        // the database's message, if the agent's query failed

	Chart    *Chart   `json:"chart,omitempty"`    // nil if neither the agent nor gold has a chart
	Contexts []string `json:"contexts,omitempty"` // the passages that the agent retrieved, as text or JSON

	Statements []Statement `json:"statements,omitempty"` // of the response, compared with the passages

	CostUSD   *scoring.USD `json:"cost_usd,omitempty"`
	TokensIn  *int64       `json:"tokens_in,omitempty"`
	TokensOut *int64       `json:"tokens_out,omitempty"`

	Latency     *time.Duration `json:"-"`
	GoldLatency *time.Duration `json:"-"`
	LatencyMS   *float64       `json:"latency_ms"`
	GoldMS      *float64       `json:"gold_latency_ms"`

	Headline string `json:"headline,omitempty"` // the verdict and the comparison of results, unless they agree

	Asked  *Score  `json:"score"`  // the explained score; null without scores
	Scores []Score `json:"scores"` // all scores, in the order of the metrics

	Golds []Gold `json:"golds"` // the accepted answers
	Gold  int    `json:"gold"`  // number of the one that is compared, from 1; 0: none

	Score     *float64   `json:"comparison_score"` // hybrid_ex under the shown mapping
	Stored    bool       `json:"stored"`           // the mapping is the stored score's; false: computed for this view
	Reshaped  string     `json:"reshaped,omitempty"`
	Order     string     `json:"order,omitempty"` // whether the rows are in the order that the question asks for
	Mapping   *Mapping   `json:"mapping"`
	Cells     *Cells     `json:"cells"`
	Queries   Queries    `json:"queries"`
	Relations *Relations `json:"relations"`

	Reason *relation.Reason `json:"reason,omitempty"` // the strongest reason why the answer differs
	Before *Before          `json:"before,omitempty"` // the earlier answer

	Counterexample *Counterexample `json:"counterexample,omitempty"` // if the metric counterexample found one

	Judge *Judgement `json:"judge"`

	Masked bool     `json:"masked,omitempty"` // parts are hidden
	Notes  []string `json:"notes,omitempty"`  // for the reader: missing data, changes since the scores
}

// Conversation is the conversation that an answer is part of.
type Conversation struct {
	ID      string         `json:"id,omitempty"`
	Turn    int            `json:"turn"` // from 1; 0: unknown
	Earlier []scoring.Turn `json:"earlier_turns"`
	Omitted int            `json:"earlier_turns_omitted,omitempty"` // turns before those of Earlier
}

// maxTurns is the maximum number of earlier turns that are shown: the latest.
const maxTurns = 50

// conversationOf returns the conversation of a case, or nil.
func (m *Masked) conversationOf(a *scoring.Agent) *Conversation {
	if a.ConversationID == "" && len(a.Earlier) == 0 {
		return nil
	}
	out := &Conversation{ID: a.ConversationID, Turn: a.Turn, Earlier: []scoring.Turn{}}
	out.Omitted = max(0, len(a.Earlier)-maxTurns)
	for _, t := range a.Earlier[out.Omitted:] {
		out.Earlier = append(out.Earlier,
			scoring.Turn{Question: m.text(t.Question), SQL: m.written(t.SQL), Response: m.written(t.Response)})
	}
	return out
}

// Score is a score with its reason, masked for display.
type Score struct {
	Metric   string         `json:"metric"`
	Version  int            `json:"metric_version"`
	Group    string         `json:"group,omitempty"`
	Status   scoring.Status `json:"status"`
	Value    *float64       `json:"value"`
	Label    string         `json:"label,omitempty"`
	Passed   *bool          `json:"passed"`
	Reason   string         `json:"reason"`
	Code     string         `json:"code,omitempty"`
	Warnings []string       `json:"warnings,omitempty"`
	Judged   bool           `json:"judged,omitempty"` // it is based on a judge's reply
}

// Gold is an accepted answer with the score of the agent's result against it.
type Gold struct {
	Counted bool     `json:"counted"` // the stored scores used this one
	Value   *float64 `json:"hybrid_ex"`
	Reason  string   `json:"reason"` // reason of the value, or of its absence
	SQL     string   `json:"sql,omitempty"`
}

// builder collects the parts of a view.
type builder struct {
	Input
	view     *View
	masked   *Masked
	gold     *scoring.Query
	compared *Comparison
	tables   *tables      // compared, for display
	besides  *classified  // the cells of the earlier answer, if compared with the same gold result
	again    *cell.Result // counts recomputed under the alignment in use
	requests map[string]*judgebackend.Request
}

// Build returns the view of a case. Parts that cannot be read or compared are omitted and listed in Notes. It returns
// an error if the options name something that does not exist, or if the context has ended.
func Build(ctx context.Context, in Input, o Options) (*View, error) {
	b, err := build(ctx, in, o)
	if err != nil {
		return nil, err
	}
	return b.view, nil
}

func build(ctx context.Context, in Input, o Options) (*builder, error) {
	if o.Gold < 0 || o.Gold > len(in.Case.Golds) {
		return nil, errcode.New(errcode.InvalidArgument, "gold: %d, expected 1 to %d, the number of accepted answers", o.Gold,
			len(in.Case.Golds))
	}
	b := &builder{Input: in, view: &View{}}
	b.resolve(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b.masked = in.Mask.over(b.Case)
	h, err := b.choose(ctx, o.Gold)
	if err != nil {
		return nil, err
	}
	if err := b.earlier(ctx, o); err != nil {
		return nil, err
	}
	b.results(h, o.Cells) // also finds out what is masked
	if err := b.head(o.Metric); err != nil {
		return nil, err
	}
	b.view.Headline = b.headline()
	b.queries()
	b.view.Relations = b.relations()
	b.view.Reason = b.reason()
	b.view.Counterexample = b.counterexample()
	if err := b.ask(ctx); err != nil {
		return nil, err
	}
	b.view.Judge = b.judgement()
	b.view.Masked = b.masked.active
	return b, nil
}

func (b *builder) note(text string) { b.view.Notes = append(b.view.Notes, text) }

// resolve replaces b.Case by a copy in which results that are references have been read, or have an error.
func (b *builder) resolve(ctx context.Context) {
	c := *b.Case
	c.Golds = slices.Clone(c.Golds)
	read := func(q *scoring.Query) {
		r := &q.Result
		if r.Table != nil || r.Err != nil || r.Ref == "" {
			return
		}
		if b.Snapshots == nil {
			r.Err = errcode.New(errcode.FailedPrecondition, "references are not resolved here")
			return
		}
		if r.Table, r.Err = b.Snapshots.ReadSnapshot(ctx, r.Ref); r.Table == nil && r.Err == nil {
			r.Err = errcode.New(errcode.NotFound, "the reference led to no result")
		}
	}
	read(&c.Pred)
	for i := range c.Golds {
		g := &c.Golds[i].Result
		if read(&c.Golds[i]); g.Table != nil && c.Pred.Result.Table != nil {
			if err := scoring.HoldComparison(ctx, g.Table, c.Pred.Result.Table); err != nil {
				g.Table, g.Err = nil, err
			}
		}
	}
	b.Case = &c
}

// placed is a metric's position among all metrics, and its group.
type placed struct {
	at    int
	group string
}

// places returns the positions of all built-in metrics, by name.
var places = sync.OnceValue(func() map[string]placed {
	out := map[string]placed{}
	for i, m := range metric.All() {
		out[m.Name] = placed{i, m.Group}
	}
	return out
})

// head sets the data on the case, and its scores in the order of the metrics. The explained score is that of asked,
// which must exist, else the first with a value among the metrics that compare results.
func (b *builder) head(asked string) error {
	v, c, m := b.view, b.Case, b.masked
	v.CaseID, v.Question, v.Evidence, v.Database, v.Dialect, v.Tags = c.ID, m.text(c.Question), m.text(c.Evidence),
		c.Database, c.Dialect, m.tags(c.Tags)
	if c.TagsErr != nil {
		v.TagsError = c.TagsErr.Error()
	}
	v.Conversation = m.conversationOf(&c.Agent)
	v.Agent, v.AgentVersion, v.Batch, v.Run, v.Behaviour = c.Agent.Name, c.Agent.Version, c.Agent.BatchID, b.RunID,
		c.Expected.Behaviour
	v.Interpretation, v.Response, v.AgentError = m.written(c.Agent.Interpretation), m.written(c.Agent.Response),
		m.written(errorText(c.Pred.Error))
	for _, t := range c.Agent.ToolCalls {
		text := t.Name
		if len(t.Arguments) > 0 {
			text += " " + m.written(string(t.Arguments))
		}
		v.Tools = append(v.Tools, text)
	}
	v.ToolForms = toolcalls.Titles(c.Agent.ToolCalls)
	spent := c.Spent()
	v.CostUSD, v.TokensIn, v.TokensOut, v.Latency = spent.CostUSD, spent.TokensIn, spent.TokensOut, spent.Latency
	v.Chart, v.Contexts, v.Statements = b.chart(), b.contexts(), b.statements()
	v.LatencyMS = milliseconds(v.Latency)
	if b.gold != nil {
		v.GoldLatency = b.gold.Latency
		v.GoldMS = milliseconds(v.GoldLatency)
	}
	known := places()
	for i := range b.Scores {
		s := &b.Scores[i]
		out := Score{Metric: s.Metric, Version: s.Version, Status: s.Status, Label: s.Label, Passed: s.Passed,
			Reason: m.reason(s.Metric, b.plainReason(s)), Judged: len(s.AssessmentIDs) > 0 || s.Usage != nil}
		if s.Status == scoring.StatusOK {
			value := s.Value
			out.Value = &value
		}
		if s.Status == scoring.StatusFailed {
			out.Code = s.Code.String()
			out.Reason = m.written(s.Reason)
		}
		for _, w := range s.Warnings {
			out.Warnings = append(out.Warnings, m.written(w))
		}
		out.Group = known[s.Metric].group
		v.Scores = append(v.Scores, out)
	}
	place := func(name string) int {
		if of, is := known[name]; is {
			return of.at
		}
		return len(known)
	}
	slices.SortStableFunc(v.Scores, func(x, y Score) int { return place(x.Metric) - place(y.Metric) })
	if asked != "" {
		if v.Asked = v.scoreOf(asked); v.Asked == nil {
			return errcode.New(errcode.NotFound, "there is no score of the metric %.60q for the case%s", asked,
				scoring.SuggestOrList(asked, v.metricNames()))
		}
		return nil
	}
	for _, name := range []string{"verdict", "hybrid_ex", "ex_permuted", "ex_bird", "refusal"} {
		if s := v.scoreOf(name); s != nil && (v.Asked == nil || v.Asked.Status != scoring.StatusOK) {
			if v.Asked == nil || s.Status == scoring.StatusOK {
				v.Asked = s
			}
		}
	}
	if v.Asked == nil && len(v.Scores) > 0 {
		v.Asked = &v.Scores[0]
	}
	return nil
}

// headline returns a sentence that names the verdict and the metric that compares results, if one of them passes the
// answer and the other does not, or the verdict is undecided; else "". The explained metric takes precedence over
// hybrid_ex.
func (b *builder) headline() string {
	v := b.view
	verdict, results := v.scoreOf("verdict"), v.scoreOf("hybrid_ex")
	if v.Asked != nil && v.Asked != verdict && v.Asked.Passed != nil {
		results = v.Asked
	}
	if verdict == nil || results == nil || results.Passed == nil {
		return ""
	}
	of := map[bool]string{true: "right", false: "wrong"}[*results.Passed] + " by " + results.Metric
	if results.Value != nil && results.Label == "" {
		of += " (" + strconv.FormatFloat(*results.Value, 'f', 3, 64) + ")"
	}
	switch {
	case verdict.Status == scoring.StatusAbstained:
		return "Undecided by verdict (" + verdict.Reason + "), " + of + "."
	case verdict.Passed == nil || *verdict.Passed == *results.Passed:
		return ""
	}
	is := map[bool]string{true: "Right", false: "Wrong"}[*verdict.Passed] + " by verdict"
	var decided struct {
		By string `json:"decided_by"`
	}
	b.detail("verdict", &decided)
	switch decided.By {
	case "judge", "guess":
		is += " (by a " + decided.By + ")"
	case "evidence":
		is += " (by rule)"
	}
	return is + ", " + of + "."
}

func (v *View) metricNames() (names []string) {
	for i := range v.Scores {
		names = append(names, v.Scores[i].Metric)
	}
	return names
}

// scoreOf returns the score of a metric, or nil.
func (v *View) scoreOf(name string) *Score {
	if i := slices.IndexFunc(v.Scores, func(s Score) bool { return s.Metric == name }); i >= 0 {
		return &v.Scores[i]
	}
	return nil
}

func milliseconds(d *time.Duration) *float64 {
	if d == nil {
		return nil
	}
	ms := float64(*d) / float64(time.Millisecond)
	return &ms
}

// withoutGold returns the note on a question without a gold answer; behaviour is what the agent is expected to do.
func withoutGold(behaviour string) string {
	switch behaviour {
	case scoring.BehaviourRefuse:
		return "The agent is expected to decline this question and not to answer it, so that nothing can be compared."
	case scoring.BehaviourClarify:
		return "The agent is expected to ask back and not to answer, so that nothing can be compared."
	}
	return "No gold answer is given for the question, so that nothing can be compared."
}

// choose sets the accepted answers and the one that is compared: wanted, or else the one that the scores used. It
// returns the comparison: the stored one of hybrid_ex if it fits the available results, else a new one; nil without
// any.
func (b *builder) choose(ctx context.Context, wanted int) (*metric.Hybrid, error) {
	c := b.Case
	if b.Unstored {
		b.note("The question and its accepted answers are not stored in this database: badger run --cases FILE --to URL stores scores only.")
		return nil, nil
	}
	if len(c.Golds) == 0 {
		if !b.Unreadable {
			b.note(withoutGold(c.Expected.Behaviour))
		}
		return nil, nil
	}
	if b.GoldHash != "" && b.Input.GoldHash != c.GoldHash() {
		b.note("The question or its accepted answers have changed since the scores were made.")
	}
	var stored metric.Hybrid
	have := b.detail("hybrid_ex", &stored) && stored.GoldColumns != nil
	counted := b.countedGold(&stored, have)
	var fits bool
	if counted > 0 {
		fits = have && b.fits(&stored, c.Golds[counted-1].Result.Table)
	}
	now := make([]*metric.Hybrid, len(c.Golds))
	for i := range c.Golds {
		g := Gold{Counted: i+1 == counted, SQL: c.Golds[i].SQL}
		if s := b.score("hybrid_ex"); g.Counted && fits {
			value := s.Value
			g.Value, g.Reason = &value, s.Reason
		} else {
			score, h, err := b.against(ctx, i)
			if err != nil {
				return nil, err
			}
			now[i] = h
			if score.Status == scoring.StatusOK {
				value := score.Value
				g.Value = &value
			}
			g.Reason = score.Reason
		}
		b.view.Golds = append(b.view.Golds, g)
	}
	if counted == 0 { // no score says which: the best
		best := 0
		for i := range b.view.Golds {
			if v := b.view.Golds[i].Value; v != nil && (b.view.Golds[best].Value == nil || *v > *b.view.Golds[best].Value) {
				best = i
			}
		}
		counted = best + 1
		b.view.Golds[best].Counted = true
	}
	at := wanted
	if at == 0 {
		at = counted
	}
	b.view.Gold, b.gold = at, &c.Golds[at-1]
	switch {
	case at == counted && fits:
		b.view.Stored = true
		return &stored, nil
	case at == counted && have && b.gold.Result.Table != nil && c.Pred.Result.Table != nil:
		b.note("The available results are not those that were scored; they were compared again.")
	}
	return now[at-1], nil
}

// countedGold returns the number, from 1, of the accepted answer that the scores used, or 0 if no score shows it.
func (b *builder) countedGold(stored *metric.Hybrid, have bool) int {
	if len(b.Case.Golds) == 1 {
		return 1
	}
	for _, name := range []string{"hybrid_ex", "verdict"} {
		if s := b.score(name); s != nil && s.Gold > 0 && s.Gold <= len(b.Case.Golds) {
			return s.Gold
		}
	}
	if !have {
		return 0
	}
	for i := range b.Case.Golds { // tables of scores do not hold it
		if b.fits(stored, b.Case.Golds[i].Result.Table) {
			return i + 1
		}
	}
	return 0
}

// fits reports whether the stored comparison h is of the gold result and the answer's: the columns have the same names,
// and comparing again gives the same counts.
func (b *builder) fits(h *metric.Hybrid, gold *scoring.Table) bool {
	agent := b.Case.Pred.Result.Table
	if gold == nil || agent == nil || !slices.Equal(h.GoldColumns, namesOf(gold)) ||
		!slices.Equal(h.PredColumns, namesOf(agent)) || !within(&h.Alignment, len(gold.Columns), len(agent.Columns)) {
		return false
	}
	again := countAgain(h, gold, agent)
	b.again = &again
	c := &h.Counts
	return again.GoldRows == c.GoldRows && again.PredRows == c.PredRows && again.Matched == c.Matched &&
		again.Equal == c.Equal && again.Method == c.Method &&
		slices.Equal(again.ColumnEqual, c.ColumnEqual)
}

// within reports whether an alignment names every column of both sides exactly once.
func within(a *scoring.Alignment, golds, agents int) bool {
	gold, agent := make([]bool, golds), make([]bool, agents)
	take := func(side []bool, i int) bool {
		if i < 0 || i >= len(side) || side[i] {
			return false
		}
		side[i] = true
		return true
	}
	for _, p := range a.Columns {
		if !take(gold, p.Gold) || !take(agent, p.Pred) {
			return false
		}
	}
	for _, i := range a.Missing {
		if !take(gold, i) {
			return false
		}
	}
	for _, j := range a.Extra {
		if !take(agent, j) {
			return false
		}
	}
	for _, k := range a.Index {
		if k < 0 || k >= len(a.Columns) {
			return false
		}
	}
	return !slices.Contains(gold, false) && !slices.Contains(agent, false)
}

func namesOf(t *scoring.Table) []string {
	out := make([]string, len(t.Columns))
	for i := range t.Columns {
		out[i] = t.Columns[i].Name
	}
	return out
}

// countAgain compares two results under the alignment of h, with the pairs of matched rows, which are not stored.
func countAgain(h *metric.Hybrid, gold, agent *scoring.Table) cell.Result {
	return cell.Compare(gold, agent, &h.Alignment,
		cell.Options{Pairs: true, EqualPairs: true, PenalizeExtra: h.Counts.NullFilled > len(h.Alignment.Missing)})
}

// against returns the score of hybrid_ex against one accepted answer, without a judge, and its comparison.
func (b *builder) against(ctx context.Context, gold int) (scoring.Score, *metric.Hybrid, error) {
	e, err := b.engine(nil)
	if err != nil {
		return scoring.Score{}, nil, err
	}
	c := *b.Case
	c.Golds = []scoring.Query{c.Golds[gold]}
	scores, err := e.Score(ctx, &c, "hybrid_ex")
	if err != nil {
		return scoring.Score{}, nil, err
	}
	h, _ := scores[0].Detail.(*metric.Hybrid)
	return scores[0], h, nil
}

// engine returns an engine with the run's options for built-in metrics. Invalid options are ignored.
func (b *builder) engine(judge judgebackend.Backend) (*scoring.Engine, error) {
	config := scoring.Config{Options: map[string]json.RawMessage{}}
	metrics := metric.All()
	for name, raw := range b.Config.Options {
		if slices.ContainsFunc(metrics,
			func(m scoring.Metric) bool { return m.Name == name && !m.Options.None() && m.Options.Check(raw) == nil }) {
			config.Options[name] = raw
		}
	}
	return scoring.NewEngine(metrics, &scoring.EngineOptions{Config: config, Judge: judge})
}

// results sets the mapping and the cells of both results under h, or notes why they cannot be compared.
func (b *builder) results(h *metric.Hybrid, o CellOptions) {
	v := b.view
	if h == nil || b.gold.Result.Table == nil || b.Case.Pred.Result.Table == nil {
		b.whyNot()
		return
	}
	gold, agent := b.gold.Result.Table, b.Case.Pred.Result.Table
	if !b.view.Stored { // else it was counted to see whether it fits
		counts := countAgain(h, gold, agent)
		b.again = &counts
	}
	counts := b.again
	b.compared = Compare(gold, agent, &h.Alignment, counts)
	t := &tables{Comparison: b.compared, mask: b.masked, before: b.besides}
	t.maskedGold, t.maskedAns = b.masked.sides(gold, agent, &h.Alignment, b.gold.SQL, b.Case.Pred.SQL)
	score := counts.Score
	if h.Reshaped != nil {
		score = 1
		v.Reshaped = b.masked.written(h.Reshaped.Text)
	}
	v.Score = &score
	switch {
	case h.Order == nil:
	case !h.Order.Kept:
		v.Order = b.masked.written(h.Order.Why)
	case counts.Score == 1:
		v.Order = "The rows are in the order that the question asks for."
	case counts.Equal > 1: // the order of rows that differ is unknown
		v.Order = "The rows that agree are in the order that the question asks for."
	}
	b.tables = t
	v.Mapping = t.mapping(h)
	v.Cells = t.cells(o)
}

// whyNot adds notes about the results that are missing or unreadable.
func (b *builder) whyNot() {
	say := func(whose string, q *scoring.Query) {
		switch r := &q.Result; {
		case r.Table != nil:
		case q.Error != "":
			b.note(whose + " query failed when it ran.")
		case r.Err != nil:
			why := r.Err.Error()
			if !b.masked.None() { // it may quote the result
				why = Withheld
			}
			b.note(whose + " result cannot be read: " + why)
		case r.Absent():
			b.note(whose + " result is not given.")
		}
	}
	if b.gold != nil {
		say("The accepted", b.gold)
	}
	say("The agent's", &b.Case.Pred)
}

// queries sets the formatted queries, and notes if another accepted answer is shown than the scores used.
func (b *builder) queries() {
	gold := ""
	if b.gold != nil {
		gold = b.masked.sql(b.gold.SQL)
	}
	b.view.Queries = CompareQueries(gold, b.masked.sql(b.Case.Pred.SQL), sqlparts.DialectOf(b.Case.Dialect))
	for i := range b.view.Golds {
		g := &b.view.Golds[i]
		g.SQL, g.Reason = b.masked.sql(g.SQL), b.masked.reason("hybrid_ex", g.Reason)
	}
	if n := len(b.view.Golds); n > 1 {
		for i := range b.view.Golds {
			if b.view.Golds[i].Counted && b.view.Gold != i+1 {
				b.note("The scores are by accepted answer " + strconv.Itoa(i+1) + "; this page shows number " +
					strconv.Itoa(b.view.Gold) + ".")
			}
		}
	}
}
