package scoring

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
)

// Temperatures of requests (BADGER, section 8.2).
const (
	JudgeTemperature     = 0.1 // for verdicts
	ExtractorTemperature = 0.0 // for extracting facts from text
)

// WithPayer returns a context with the name of the party for which the judge is called, which the ledger records: see
// [judgebackend.WithPayer].
func WithPayer(ctx context.Context, name string) context.Context {
	return judgebackend.WithPayer(ctx, name)
}

// Judge configures which backend answers a metric's questions, and its temperature.
type Judge struct {
	Backend     judgebackend.Backend // nil: that of [EngineOptions].Judge
	Temperature *float64             // of the questions, from 0 to 2; nil: that of each prompt
	// number of the sample of every question, for several independent replies of one model; 0: that of each prompt
	Sample int
}

// on returns r with the settings of the judge.
func (j *Judge) on(r judgebackend.Request) judgebackend.Request {
	if j.Temperature != nil {
		r.Temperature = *j.Temperature
	}
	if j.Sample != 0 {
		r.Sample = j.Sample
	}
	return r
}

// TagJudge is the judge of the cases with a tag.
type TagJudge struct {
	Tag   string
	Judge Judge // its backend is nil if no calls are made for these cases
}

// ruleOf returns the element of [EngineOptions].ByTag whose judge is used for a case, or nil if it is that of the
// metric.
func (e *Engine) ruleOf(c *Case) *TagJudge {
	if c == nil {
		return nil
	}
	for i := range e.opts.ByTag {
		if slices.Contains(c.Tags, e.opts.ByTag[i].Tag) {
			return &e.opts.ByTag[i]
		}
	}
	if c.TagsErr != nil && len(e.opts.ByTag) > 0 { // which judge may see the case is not known
		return &TagJudge{}
	}
	return nil
}

// seeTags records the tags of a case for [Engine.UnseenTags].
func (e *Engine) seeTags(c *Case) {
	for i := range e.opts.ByTag {
		if slices.Contains(c.Tags, e.opts.ByTag[i].Tag) {
			e.seen[i].Store(true)
		}
	}
}

// UnseenTags returns the tags of [EngineOptions].ByTag that no case had so far.
func (e *Engine) UnseenTags() (tags []string) {
	for i := range e.opts.ByTag {
		if !e.seen[i].Load() {
			tags = append(tags, e.opts.ByTag[i].Tag)
		}
	}
	return tags
}

// checkJudge returns an error if the judge configured for the metric name is invalid: the metric is unknown or uses
// no judge, or the temperature is outside 0 to 2.
func (e *Engine) checkJudge(name string) error {
	m, err := e.Metric(name)
	if err != nil {
		return errcode.New(errcode.Of(err), "judges: %w", err)
	}
	if (m.Needs|m.Reads)&FieldJudge == 0 && m.Asks == nil {
		return errcode.New(errcode.InvalidArgument, "judges: metric %q asks no judge", name)
	}
	if t := e.opts.Judges[name].Temperature; t != nil && !(*t >= 0 && *t <= 2) {
		return errcode.New(errcode.InvalidArgument, "judges: the temperature of %q is %v, expected a number from 0 to 2",
			name, *t)
	}
	return nil
}

// judgeOf returns the judge that answers a metric's question with a purpose about a case, which may be nil. It is that
// of the case's tag, if there is one. If none is configured for the metric, it is that of the metric that the purpose
// names before the slash, such as rose for rose/prover, so that metrics that ask the same question share the reply.
func (e *Engine) judgeOf(metric, purpose string, c *Case) Judge {
	if rule := e.ruleOf(c); rule != nil {
		return rule.Judge
	}
	j, ok := e.opts.Judges[metric]
	if !ok {
		of, _, _ := strings.Cut(purpose, "/")
		j = e.opts.Judges[of]
	}
	if j.Backend == nil {
		j.Backend = e.opts.Judge
	}
	return j
}

// HasJudge reports whether a backend is configured for a metric's questions, about all cases or about those with a tag.
func (e *Engine) HasJudge(metric string) bool {
	return e.judgeOf(metric, "", nil).Backend != nil ||
		slices.ContainsFunc(e.opts.ByTag, func(r TagJudge) bool { return r.Judge.Backend != nil })
}

func (in *Input) judgeOf(purpose string) Judge {
	if p := in.panelOf(purpose); p != nil {
		return p.at(in.run.seat.member).Judge
	}
	return in.run.engine.judgeOf(in.metric, purpose, in.Case)
}

// repliesTo returns the recorded replies for questions with the purpose, or nil.
func (in *Input) repliesTo(purpose string) Replies {
	if in.replies != nil || in.run == nil {
		return in.replies
	}
	if p := in.panelOf(purpose); p != nil {
		return p.at(in.run.seat.member).Replies
	}
	return nil
}

// Replies provides recorded judge replies for cases, such as those published with a data set. If there is a reply to
// a question, no call is made. It is validated as strictly as a new reply.
type Replies interface {
	// Reply returns the recorded reply to the question with the purpose, and the id of its record. ok is false if there
	// is none.
	Reply(caseID, purpose string) (reply, assessmentID string, ok bool)
}

// tokenReplies is implemented by Replies that also recorded the log-probabilities of the replies' tokens. A metric
// that weights by them has the recorded value only if they are available.
type tokenReplies interface {
	// ReplyLogProbs returns the log-probabilities of the tokens of the reply that Reply returns; nil if none were
	// recorded.
	ReplyLogProbs(caseID, purpose string) []judgebackend.TokenLogProb
}

// ModelReplies is implemented by Replies that know which model gave the replies.
type ModelReplies interface {
	// ReplyModel returns the model that gave the reply that Reply returns.
	ReplyModel(caseID, purpose string) string
}

// Usage is the usage of the judge calls of a score. Cached replies count in Calls but not in Fresh. A call whose
// reply several metrics of a case share is counted only for the first of them that was computed, so that sums over
// scores count every call once.
type Usage struct {
	Calls int `json:"calls"`
	// calls that were sent to the backend now; not stored with the score, which is the same from cached replies
	Fresh     int                     `json:"-"`
	TokensIn  judgebackend.TokenCount `json:"tokens_in"`
	TokensOut judgebackend.TokenCount `json:"tokens_out"`
	// calls that were repeated because a reply did not satisfy its schema
	Repaired int `json:"repaired"`
	// the judge, such as openai:gpt-4o, if the case's tag selected it
	Judge string `json:"judge,omitempty"`
	// how a panel decided the score; nil if no panel was asked
	Panel *PanelScore `json:"panel,omitempty"`
}

// Ask sends the judge a question about the case, validates the reply against the request's schema, and decodes it
// into the value that into points to. It uses a recorded reply if there is one, else the configured backend, which
// may itself answer from its ledger. The call is counted in the score's usage and assessments. The error for an
// invalid reply has the code DataLoss and makes the score a failed one.
func (in *Input) Ask(ctx context.Context, r judgebackend.Request, into any) error {
	_, err := in.AskResponse(ctx, r, into)
	return err
}

// AskResponse is [Input.Ask] for metrics that also need the backend's response: its text and the log-probabilities of
// its tokens. A ledger records both, so a score from a cached response is the same.
func (in *Input) AskResponse(ctx context.Context, r judgebackend.Request, into any) (judgebackend.Response, error) {
	if err := in.take(r.Purpose); err != nil {
		return judgebackend.Response{}, err
	}
	resp, err := in.ask(ctx, r, into)
	in.run.seat.note(err)
	return resp, err
}

func (in *Input) ask(ctx context.Context, r judgebackend.Request, into any) (judgebackend.Response, error) {
	if replies := in.repliesTo(r.Purpose); replies != nil {
		if reply, id, ok := replies.Reply(in.Case.ID, r.Purpose); ok {
			in.usage.Calls++
			in.assessments = append(in.assessments, id)
			resp := judgebackend.Response{Reply: reply, FinishReason: judgebackend.FinishStop, AssessmentID: id, Cached: true}
			if m, ok := replies.(ModelReplies); ok {
				resp.Model = m.ReplyModel(in.Case.ID, r.Purpose)
			}
			if t, ok := replies.(tokenReplies); ok {
				resp.LogProbs = t.ReplyLogProbs(in.Case.ID, r.Purpose)
			}
			return resp, judgebackend.Decode(reply, r.Schema, into)
		}
	}
	judge := in.judgeOf(r.Purpose)
	if judge.Backend == nil {
		return judgebackend.Response{}, errcode.New(errcode.FailedPrecondition,
			"no judge is configured and no reply is recorded for %s", r.Purpose)
	}
	x, err := judgebackend.CompleteJSON(ctx, judge.Backend, judge.on(r), into)
	in.usage.Calls, in.usage.Repaired = in.usage.Calls+x.Calls, in.usage.Repaired+x.Repaired
	if !x.Cached {
		in.usage.Fresh += x.Calls
	}
	in.nameJudge()
	in.usage.TokensIn, in.usage.TokensOut = in.usage.TokensIn.Plus(x.TokensIn), in.usage.TokensOut.Plus(x.TokensOut)
	in.assessments = append(in.assessments, x.Assessments...)
	return x.Response, err
}

// nameJudge records the judge of the case in the usage if the case's tag selected it.
func (in *Input) nameJudge() {
	if rule := in.run.engine.ruleOf(in.Case); rule != nil {
		id := identityOf(rule.Judge.Backend)
		in.usage.Judge = id.Backend + ":" + id.Model
	}
}

// AskOnce is [Input.Ask] for a question that several metrics share. For one case and accepted answer, only the first
// metric asks it; the others get the same reply or error. The assessment is listed for every metric that uses the
// reply, the usage only for the first. Questions are the same if their whole prompts and their judges are.
func (in *Input) AskOnce(ctx context.Context, r judgebackend.Request, into any) error {
	_, err := in.AskOnceResponse(ctx, r, into)
	return err
}

// AskOnceResponse is [Input.AskOnce] for metrics that also need the response, as with [Input.AskResponse].
func (in *Input) AskOnceResponse(ctx context.Context, r judgebackend.Request, into any) (judgebackend.Response, error) {
	if err := in.take(r.Purpose); err != nil {
		return judgebackend.Response{}, err
	}
	made := false
	a := Memo(in, in.shared(r), func() (a answer) {
		made = true
		before := len(in.assessments)
		a.response, a.err = in.AskResponse(ctx, r, &a.reply)
		a.assessments = slices.Clone(in.assessments[before:])
		return a
	})
	if !made {
		in.assessments = append(in.assessments, a.assessments...)
		in.nameJudge()
		in.run.seat.note(a.err)
	}
	if a.err != nil {
		return a.response, a.err
	}
	return a.response, judgebackend.Decode(string(a.reply), r.Schema, into)
}

// answer is the outcome of a shared question.
type answer struct {
	reply       json.RawMessage // satisfies the schema
	response    judgebackend.Response
	assessments []string
	err         error
}

// sharedKey identifies a question by the digest of its request and the judge that is asked, with its settings.
type sharedKey struct {
	question [sha256.Size]byte
	judge    judgebackend.Identity
	settings string
	member   *Member // of the panel that is asked; nil for a single judge
}

func (in *Input) shared(r judgebackend.Request) sharedKey {
	judge := in.judgeOf(r.Purpose)
	b, _ := json.Marshal(judge.on(r)) // its members are strings and finite numbers
	settings, _ := json.Marshal(judgebackend.SettingsOf(judge.Backend))
	key := sharedKey{question: sha256.Sum256(b), judge: identityOf(judge.Backend), settings: string(settings)}
	if p := in.panelOf(r.Purpose); p != nil {
		key.member = p.at(in.run.seat.member)
	}
	return key
}

// identityOf returns the identity of a backend, or the zero value if it has none.
func identityOf(b judgebackend.Backend) judgebackend.Identity {
	if i, ok := b.(judgebackend.Identified); ok {
		return i.Identity()
	}
	return judgebackend.Identity{}
}

// HasJudge reports whether a question with the purpose can be answered: by a backend, or by a recorded reply.
func (in *Input) HasJudge(purpose string) bool {
	return in.judgeOf(purpose).Backend != nil || in.Recorded(purpose)
}

// Recorded reports whether a reply to a question of that purpose was recorded for the case.
func (in *Input) Recorded(purpose string) bool {
	replies := in.repliesTo(purpose)
	if replies == nil {
		return false
	}
	_, _, ok := replies.Reply(in.Case.ID, purpose)
	return ok
}

// JudgeModel returns the name of the model that answers questions with this purpose: the model of the recorded
// replies if there is one (see [ModelReplies]), else that of the backend, or "" if both are unknown.
func (in *Input) JudgeModel(purpose string) string {
	if m, ok := in.repliesTo(purpose).(ModelReplies); ok && in.Recorded(purpose) {
		return m.ReplyModel(in.Case.ID, purpose)
	}
	return identityOf(in.judgeOf(purpose).Backend).Model
}
