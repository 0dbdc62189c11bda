package judging

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// CheckLive returns a usage error if a judge answers from recorded replies only, which says nothing about today's.
func (c *Config) CheckLive() error {
	recorded := c.Offline || strings.HasPrefix(c.Backend, "replay:")
	for _, m := range c.Metrics {
		recorded = recorded || strings.HasPrefix(m.Backend, "replay:")
	}
	for _, r := range c.ByTag {
		recorded = recorded || strings.HasPrefix(r.Backend, "replay:")
	}
	switch {
	case !c.Asked():
		return errcode.Usage("no judge is configured; name one with --judge")
	case recorded:
		return errcode.Usage("the judge answers from recorded replies; expected one that can be asked now, without --offline")
	}
	return nil
}

// Occasion asks judges their questions anew: replies that the ledger holds from other occasions are not used. Each
// reply is stored in the ledger under a separate key, and so never answers a question of a run. The prompts are those
// of a run, byte for byte.
type Occasion struct {
	judges     *Judges
	asking     string
	at         time.Time
	repetition int

	mu      sync.Mutex
	replies map[string]freshReply // by assessment ID
}

// freshReply is what an occasion records of a reply.
type freshReply struct {
	judge    judgebackend.Identity
	question string // hash of the request without the number of the occasion
	prompt   string
	served   store.Served
}

// maxRepetitions is the maximum number of repetitions of an asking.
const maxRepetitions = 100

// Afresh returns an occasion: a repetition, from 1, of the asking with an ID that starts at a time. The same occasion
// uses the replies that it has got before.
func (j *Judges) Afresh(asking string, at time.Time, repetition int) (*Occasion, error) {
	if repetition < 1 || repetition > maxRepetitions {
		return nil, errcode.Usage("--repeat: expected 1 to %d", maxRepetitions)
	}
	return &Occasion{judges: j, asking: asking, at: at, repetition: repetition, replies: map[string]freshReply{}}, nil
}

// sample returns the number by which the ledger distinguishes the occasion's request from others. It is above 2^8, as
// the repetition is at least 1. of is the number that the metric gives.
func (o *Occasion) sample(of int) int {
	sum := sha256.Sum256([]byte(o.asking))
	// of the asking; another one has the same with a probability of 10^-12
	const bits = 40
	asking := int(binary.BigEndian.Uint64(sum[:8]) >> (64 - bits)) //nolint:gosec // 40 bits
	return (asking<<8|o.repetition)<<8 | of&0xff
}

// Judge sets the judges of an engine to those of the occasion.
func (o *Occasion) Judge(to *scoring.EngineOptions) {
	wrap := func(b judgebackend.Backend) judgebackend.Backend {
		switch b := b.(type) {
		case *judgebackend.Stack:
			if b != nil {
				return &fresh{Stack: b, occasion: o}
			}
		case *scoring.Panel:
			return o.panel(b)
		}
		return nil
	}
	to.Judge = wrap(o.judges.Backend())
	to.Judges = maps.Clone(o.judges.ByMetric())
	for name, judge := range to.Judges {
		judge.Backend = wrap(judge.Backend)
		to.Judges[name] = judge
	}
	to.ByTag = slices.Clone(o.judges.ByTag())
	for i := range to.ByTag {
		to.ByTag[i].Judge.Backend = wrap(to.ByTag[i].Judge.Backend)
	}
}

// fresh is a judge on an occasion.
type fresh struct {
	*judgebackend.Stack
	occasion *Occasion
	panel    *scoring.Panel // that the judge belongs to; nil for a single judge
	rules    string         // all of the panel that determines its outcome
}

// panel returns a panel whose judges are those of the occasion. Recorded replies are not used.
func (o *Occasion) panel(p *scoring.Panel) *scoring.Panel {
	rules := []any{p.Name, p.Rule, p.Quorum, p.Tie, p.Within, p.SureFrom, p.Unsure}
	for _, m := range p.Judges() {
		if b, ok := m.Backend.(interface{ Identity() judgebackend.Identity }); ok {
			id := b.Identity()
			id.Host = ""
			rules = append(rules, m.Name, id, m.Temperature, m.Sample)
		}
	}
	text, _ := json.Marshal(rules) // of numbers and strings
	of := func(m scoring.Member) scoring.Member {
		if s, ok := m.Backend.(*judgebackend.Stack); ok && s != nil {
			m.Backend = &fresh{s, o, p, string(text)}
		}
		return m
	}
	x := *p
	x.Members = slices.Clone(p.Members)
	for i := range x.Members {
		x.Members[i] = of(x.Members[i])
	}
	if p.Arbiter != nil {
		m := of(*p.Arbiter)
		x.Arbiter = &m
	}
	return &x
}

// Complete asks the judge.
func (f *fresh) Complete(ctx context.Context, r judgebackend.Request) (judgebackend.Response, error) {
	id, question := f.Identity(), ""
	if f.panel == nil {
		question = r.Hash(id)
	} else { // the question to the panel is the same whichever judge replies first
		q := r
		q.Sample, q.Temperature = 0, 0
		id = f.panel.Identity()
		question = q.Hash(id) + f.rules
	}
	r.Sample = f.occasion.sample(r.Sample)
	resp, err := f.Stack.Complete(ctx, r)
	if resp.AssessmentID != "" {
		id.Host = ""
		f.occasion.mu.Lock()
		f.occasion.replies[resp.AssessmentID] = freshReply{id, question, r.PromptVersion,
			store.Served{Model: resp.Model, Fingerprint: resp.Fingerprint}}
		f.occasion.mu.Unlock()
	}
	return resp, err
}

// Verdict returns the row of sentinels for the score of a case. ok is false if the score needed no judge. config is
// that of the engine.
func (o *Occasion) Verdict(c *scoring.Case, row *scoring.Row, config scoring.Config) (s store.Sentinel, ok bool) {
	score := &row.Score
	s = store.Sentinel{Asking: o.asking, Metric: score.Metric, AnswerID: row.AnswerID, Repetition: int64(o.repetition),
		Status: score.Status, Replies: score.AssessmentIDs, At: o.at}
	if score.Status == scoring.StatusFailed {
		s.Code = score.Code.String()
	} else if len(score.AssessmentIDs) == 0 {
		return s, false
	}
	if score.Status == scoring.StatusOK {
		s.Passed = score.Passed
	}
	var tags []string
	var options json.RawMessage
	if c != nil {
		s.Label, tags, options = c.Human, c.Tags, c.Options[score.Metric]
	}
	s.Judge = o.judges.judgeOf(score.Metric, tags)
	o.mu.Lock()
	defer o.mu.Unlock()
	for i, id := range score.AssessmentIDs {
		r := o.replies[id]
		if i == 0 {
			s.Judge, s.Prompt = r.judge, r.prompt
			s.Question = questionHash(r.question, score, config, options)
		}
		if !slices.Contains(s.Served, r.served) {
			s.Served = append(s.Served, r.served)
		}
	}
	return s, true
}

// questionHash identifies what determines a verdict apart from the judge's reply: the first request, the version and
// configuration of the metric, and the options of the case.
func questionHash(request string, score *scoring.Score, config scoring.Config, options json.RawMessage) string {
	var threshold *float64
	if t, is := config.Thresholds[score.Metric]; is {
		threshold = &t
	}
	text, _ := json.Marshal([]any{request, score.Metric, score.Version, threshold, config.Options[score.Metric], options})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// judgeOf returns the identity of the judge that a metric asks about a case with some tags, without a host.
func (j *Judges) judgeOf(metric string, tags []string) (id judgebackend.Identity) {
	judge := scoring.Judge{Backend: j.byMetric[metric].Backend}
	if judge.Backend == nil {
		judge.Backend = j.First()
	}
	for _, r := range j.byTag {
		if slices.Contains(tags, r.Tag) {
			judge = r.Judge
			break
		}
	}
	switch b := judge.Backend.(type) {
	case *judgebackend.Stack:
		if b != nil {
			id = b.Identity()
		}
	case *scoring.Panel:
		id = b.Identity()
	}
	id.Host = ""
	return id
}
