package scoring

import (
	"context"
	"math"
	"regexp"
	"slices"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
)

// PanelRule decides the outcome of a panel from the scores by its judges.
type PanelRule string

// The rules.
const (
	// majority is the outcome of more than half of the judges.
	majority PanelRule = "majority"
	// unanimity is the outcome of all judges; the score is abstained, and so left to a person, if they differ.
	unanimity PanelRule = "unanimity"
	// Escalation is the outcome of all judges if they agree and are sure, and otherwise that of the arbiter.
	Escalation PanelRule = "escalation"
)

// panelRules returns the rules.
func panelRules() []PanelRule { return []PanelRule{majority, unanimity, Escalation} }

// The outcomes of a tie, for [Panel].Tie.
const (
	tieAbstains = "abstain"
	tiePasses   = "pass"
	tieFails    = "fail"
)

// maxPanel is the maximum number of judges of a panel, with the arbiter.
const maxPanel = 16

// Panel is several judges that score every case for which the panel is the judge. Each judge scores the case as if it
// were the only one, and the rule decides the score. A panel is configured where a judge is; see [Judge].
type Panel struct {
	Name    string
	Rule    PanelRule
	Members []Member
	Arbiter *Member // asked if the members do not decide; set if and only if the rule is Escalation

	// Quorum is the number of members whose replies suffice; 0: all. If fewer replied, the score fails, unless more than
	// half of all members agree under the rule majority. It must be 0 under Escalation.
	Quorum int
	// Tie is the outcome if as many members pass the answer as fail it under majority: [tieAbstains] (also ""),
	// [tiePasses] or [tieFails].
	Tie string
	// Within is the largest difference of values that agree, for metrics without a verdict or label under unanimity and
	// Escalation.
	Within float64

	// A member is unsure under Escalation if the confidence in the detail of its score is below SureFrom (0: no
	// confidence is too low), or if its value is between Unsure[0] and Unsure[1], exclusively.
	SureFrom float64
	Unsure   [2]float64
}

// Member is a judge of a panel.
type Member struct {
	Name string // unique within the panel, such as openai:gpt-4o
	Judge
	Replies Replies // recorded replies instead of Judge; may be nil
}

// NewPanel returns the panel, or InvalidArgument if it is not valid.
func NewPanel(p Panel) (*Panel, error) {
	bad := func(format string, args ...any) (*Panel, error) {
		return nil, errcode.New(errcode.InvalidArgument, "panel %.60q: "+format, append([]any{p.Name}, args...)...)
	}
	all := slices.Clone(p.Members)
	if p.Arbiter != nil {
		all = append(all, *p.Arbiter)
	}
	isShare := func(v float64) bool { return v >= 0 && v <= 1 }
	switch least := 2; {
	case !panelName.MatchString(p.Name):
		return bad("expected a name of 1 to 64 letters, digits and ._-")
	case !slices.Contains(panelRules(), p.Rule):
		return bad("rule %.40q; expected majority, unanimity or escalation", p.Rule)
	case (p.Rule == Escalation) != (p.Arbiter != nil):
		return bad("expected an arbiter if and only if the rule is escalation")
	case len(all) < least || len(all) > maxPanel:
		return bad("%d judges; expected %d to %d", len(all), least, maxPanel)
	case p.Quorum < 0 || p.Quorum > len(p.Members):
		return bad("quorum %d; expected 1 to %d, the number of members", p.Quorum, len(p.Members))
	case p.Quorum > 0 && p.Rule == Escalation:
		return bad("quorum: unsupported by the rule escalation, which needs the reply of every member that it asks")
	case !slices.Contains([]string{"", tieAbstains, tiePasses, tieFails}, p.Tie):
		return bad("tie %.40q; expected abstain, pass or fail", p.Tie)
	case p.Tie != "" && p.Rule != majority:
		return bad("tie: only the rule majority has ties")
	case !(p.Within >= 0) || math.IsInf(p.Within, 1):
		return bad("within: %v; expected a number of at least 0", p.Within)
	case p.Within > 0 && p.Rule == majority:
		return bad("within: unsupported by the rule majority, which takes the median")
	case !isShare(p.SureFrom):
		return bad("sure_from: %v; expected 0 to 1", p.SureFrom)
	case !(p.Unsure[0] <= p.Unsure[1]) || math.IsInf(p.Unsure[0], 0) || math.IsInf(p.Unsure[1], 0):
		return bad("unsure: expected the lower and the upper limit of a range")
	case (p.SureFrom > 0 || p.Unsure != [2]float64{}) && p.Rule != Escalation:
		return bad("sure_from and unsure: supported by the rule escalation only")
	}
	for i := range all {
		m := &all[i]
		switch t := m.Temperature; {
		case m.Name == "":
			return bad("a judge has no name")
		case slices.ContainsFunc(all[:i], func(o Member) bool { return o.Name == m.Name }):
			return bad("duplicate judge %.80q: both would give the same replies; set sample, or name them", m.Name)
		case m.Backend == nil && m.Replies == nil:
			return bad("the judge %.80q cannot be asked", m.Name)
		case isPanel(m.Backend):
			return bad("the judge %.80q is a panel; expected a model", m.Name)
		case t != nil && !(*t >= 0 && *t <= 2):
			return bad("the temperature of %.80q is %v; expected 0 to 2", m.Name, *t)
		case m.Sample < 0:
			return bad("the sample of %.80q is %d; expected at least 0", m.Name, m.Sample)
		}
	}
	if p.Tie == "" {
		p.Tie = tieAbstains
	}
	return &p, nil
}

var panelName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

func isPanel(b judgebackend.Backend) bool {
	_, ok := b.(*Panel)
	return ok
}

// panelBackend is the name of the backend in the identity of a panel.
const panelBackend = "panel"

// Identity returns the identity of the panel: the backend panel, with its name as the model.
func (p *Panel) Identity() judgebackend.Identity {
	return judgebackend.Identity{Backend: panelBackend, Model: p.Name}
}

// Complete returns an error: the replies of several judges are not one reply. It makes a panel a
// [judgebackend.Backend], so that it can be configured wherever a judge can. An [Engine] asks its members instead.
func (p *Panel) Complete(context.Context, judgebackend.Request) (judgebackend.Response, error) {
	return judgebackend.Response{}, errcode.New(errcode.FailedPrecondition,
		"the panel %.60q answers no single question; ask one of its judges", p.Name)
}

// Judges returns the members, followed by the arbiter if there is one.
func (p *Panel) Judges() []Member {
	if p.Arbiter == nil {
		return p.Members
	}
	return append(slices.Clip(p.Members), *p.Arbiter)
}

// at returns the judge with an index of Judges.
func (p *Panel) at(i int) *Member {
	if i < len(p.Members) || p.Arbiter == nil {
		return &p.Members[min(i, len(p.Members)-1)]
	}
	return p.Arbiter
}

// seat is the judge of a panel for which a metric is computed.
type seat struct {
	panel  *Panel            // the panel that the metric asked; nil if it asked none
	member int               // index of the judge that replies
	failed judgebackend.Kind // kind of the last failed question; "" if none failed
}

// panelOf returns the panel that answers a question with the purpose, or nil if a single judge does.
func (in *Input) panelOf(purpose string) *Panel {
	p, _ := in.run.engine.judgeOf(in.metric, purpose, in.Case).Backend.(*Panel)
	return p
}

// AsksPanel reports whether a panel answers questions with the purpose. A metric that has a score without a reply must
// return the error of a judge of a panel instead, so that this judge counts as one without a reply.
func (in *Input) AsksPanel(purpose string) bool { return in.run != nil && in.panelOf(purpose) != nil }

// take records that the metric asks a panel, if the question is one for a panel.
func (in *Input) take(purpose string) error {
	p := in.panelOf(purpose)
	if p == nil {
		return nil
	}
	if was := in.run.seat.panel; was != nil && was != p {
		return errcode.New(errcode.FailedPrecondition,
			"the metric %s asks the panels %s and %s; configure one for it", in.metric, was.Name, p.Name)
	}
	in.run.seat.panel = p
	return nil
}

// MemoReply is [Memo] for a value that depends on a judge's reply: each judge of a panel has its own.
func MemoReply[T any](in *Input, key any, make func() T) T {
	type judged struct {
		key    any
		panel  *Panel
		member int
	}
	if in.run == nil {
		return Memo(in, key, make)
	}
	return Memo(in, judged{key, in.run.seat.panel, in.run.seat.member}, make)
}

// byPanel returns the score of the panel that m asked. first is the score by the first member.
func (r *run) byPanel(m *Metric, first Score) Score {
	p := r.seat.panel
	b := ballot{panel: p, metric: m, threshold: r.engine.threshold(m)}
	b.add(first, r.seat.failed)
	for i := 1; i < len(p.Members) && b.broken == nil; i++ {
		b.add(r.asMember(m, i))
	}
	if b.broken == nil && p.Rule == Escalation && b.escalates() {
		b.add(r.asMember(m, len(p.Members)))
	}
	for _, v := range b.votes {
		if v.Status == noReply && r.engine.opts.NoReply != nil {
			r.engine.opts.NoReply(p.Name, v.Judge, v.score.Reason)
		}
	}
	return b.score()
}

// asMember returns the score by the judge i of the panel, and the kind of its last failed question.
func (r *run) asMember(m *Metric, i int) (Score, judgebackend.Kind) {
	r.seat.member, r.seat.failed = i, ""
	s := r.scoreGolds(m)
	return s, r.seat.failed
}

// note records the kind of a failed question.
func (s *seat) note(err error) {
	if err != nil {
		s.failed = judgebackend.KindOf(err)
	}
}
