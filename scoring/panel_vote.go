package scoring

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
)

// PanelScore records how a panel decided a score.
type PanelScore struct {
	Name    string      `json:"name"`
	Rule    PanelRule   `json:"rule"`
	Outcome string      `json:"outcome"`
	Votes   []PanelVote `json:"votes"`               // in the order of the panel's judges, the arbiter last
	Shown   string      `json:"detail_of,omitempty"` // judge whose detail and reason the score has
}

// The outcomes of a panel. The score has a value in the first five, unless a tie abstains.
const (
	PanelAgreed   = "agreed"    // all judges that were asked agree
	PanelMajority = "majority"  // more than half of them do
	PanelMedian   = "median"    // the median of their values
	PanelArbiter  = "arbiter"   // the arbiter decided
	PanelTie      = "tie"       // as many pass as fail: see [Panel].Tie
	PanelOutside  = "outside"   // all of them found the metric not applicable; no value
	PanelSplit    = "split"     // they differ, and the rule decides nothing
	PanelSilent   = "undecided" // too few of them gave a verdict or value
	PanelNoQuorum = "no_quorum" // too few of them replied
	PanelBroken   = "failed"    // the score failed for a reason that concerns every judge
)

// noReply is the status of a judge in a panel's record that gave no reply. The record does not say why, so that it is
// the same if the score is computed again from the recorded replies.
const noReply Status = "no_reply"

// PanelVote is the score by one judge of a panel.
type PanelVote struct {
	Judge  string `json:"judge"`
	Status Status `json:"status"` // that of the judge's score, or no_reply
	// of the judge's score if its status is ok
	Value  *float64 `json:"value,omitempty"`
	Label  string   `json:"label,omitempty"`
	Passed *bool    `json:"passed,omitempty"`

	Confidence    *float64 `json:"confidence,omitempty"` // in the detail of the score, if the panel's rule uses it
	Unsure        bool     `json:"unsure,omitempty"`     // the judge was too unsure to decide
	Reason        string   `json:"reason,omitempty"`
	Calls         int      `json:"calls"`
	AssessmentIDs []string `json:"assessment_ids,omitempty"`

	score Score
}

// sides are the ways in which a judge may have voted.
const (
	sidePass = "pass"
	sideFail = "fail"
)

// ballot collects the scores by the judges of a panel.
type ballot struct {
	panel     *Panel
	metric    *Metric
	threshold *float64
	votes     []PanelVote
	broken    *Score // a failed score whose cause concerns every judge
}

// add adds the score by the next judge. failed is the kind of its last failed question.
func (b *ballot) add(s Score, failed judgebackend.Kind) {
	v := PanelVote{Judge: b.panel.at(len(b.votes)).Name, Status: s.Status, Reason: s.Reason,
		AssessmentIDs: s.AssessmentIDs, score: s}
	if s.Usage != nil {
		v.Calls = s.Usage.Calls
	}
	switch {
	case s.Status == StatusOK:
		value := s.Value
		v.Value, v.Label, v.Passed = &value, s.Label, s.Passed
		if p := b.panel; p.Rule == Escalation {
			if v.Confidence = confidenceIn(s.Detail); p.SureFrom == 0 {
				v.Confidence = nil
			}
			v.Unsure = v.Confidence != nil && *v.Confidence < p.SureFrom || value > p.Unsure[0] && value < p.Unsure[1]
		}
	case s.Status == StatusFailed && failed == "" && v.Calls+len(v.AssessmentIDs) > 0 && s.Code != errcode.Internal:
		// the metric failed on the reply of this judge
	case s.Status == StatusFailed && !judgebackend.OfOneJudge(failed):
		b.broken = &s
	case s.Status == StatusFailed && !judgebackend.HasReply(failed):
		v.Status, v.Reason = noReply, ""
	}
	b.votes = append(b.votes, v)
}

// confidenceIn returns the member confidence of a score's detail if it is a number from 0 to 1, or else nil.
func confidenceIn(detail any) *float64 {
	text, err := json.Marshal(detail)
	if err != nil {
		return nil
	}
	var d struct {
		Confidence *float64 `json:"confidence"`
	}
	if json.Unmarshal(text, &d) != nil || d.Confidence == nil || !(*d.Confidence >= 0 && *d.Confidence <= 1) {
		return nil
	}
	return d.Confidence
}

// replied reports whether the judge replied, so that its score is its own.
func (v *PanelVote) replied() bool { return v.Status != noReply && v.Status != StatusFailed }

// side returns how the judge voted: pass, fail or a label; "" if it has no verdict or label.
func (b *ballot) side(v *PanelVote) string {
	switch {
	case v.Status != StatusOK:
		return ""
	case v.Passed != nil && *v.Passed:
		return sidePass
	case v.Passed != nil:
		return sideFail
	case b.verdicts():
		return ""
	}
	return v.Label
}

// verdicts reports whether the judges vote by passing the answer or failing it.
func (b *ballot) verdicts() bool {
	return b.threshold != nil || slices.ContainsFunc(b.votes, func(v PanelVote) bool { return v.Passed != nil })
}

// counts reports whether the judges have a verdict or a label, and not only values.
func (b *ballot) counts() bool {
	return slices.ContainsFunc(b.votes, func(v PanelVote) bool { return b.side(&v) != "" })
}

// members returns the votes of the members, without that of the arbiter.
func (b *ballot) members() []PanelVote { return b.votes[:min(len(b.votes), len(b.panel.Members))] }

// tally is the number of judges by their vote.
type tally struct {
	asked, replied int
	sides          map[string]int
	voted          []PanelVote // those with a vote or, if only values count, a value
}

func (b *ballot) tally(votes []PanelVote) tally {
	t := tally{asked: len(votes), sides: map[string]int{}}
	counts := b.counts()
	for i := range votes {
		v := &votes[i]
		if v.replied() {
			t.replied++
		}
		side := b.side(v)
		if side != "" {
			t.sides[side]++
		}
		if side != "" || !counts && v.Status == StatusOK {
			t.voted = append(t.voted, *v)
		}
	}
	return t
}

// agree reports whether the judges that voted agree: on the verdict, on the label, or on the value.
func (b *ballot) agree(t *tally) bool {
	if b.counts() {
		return len(t.sides) <= 1
	}
	value := func(x, y PanelVote) int { return cmp.Compare(*x.Value, *y.Value) }
	return len(t.voted) == 0 ||
		*slices.MaxFunc(t.voted, value).Value-*slices.MinFunc(t.voted, value).Value <= b.panel.Within
}

// escalates reports whether the arbiter is to be asked: the members replied and do not decide. A member that gave no
// reply is not replaced by the arbiter.
func (b *ballot) escalates() bool {
	t := b.tally(b.votes)
	for i := range b.votes {
		if b.votes[i].Status == noReply {
			return false
		}
	}
	return len(t.voted) < t.asked || !b.agree(&t) ||
		slices.ContainsFunc(b.votes, func(v PanelVote) bool { return v.Unsure })
}

// score returns the score of the panel, with the record of its votes.
func (b *ballot) score() Score {
	rec := &PanelScore{Name: b.panel.Name, Rule: b.panel.Rule, Votes: b.votes}
	s := b.decide(rec)
	s.Metric, s.Version = b.metric.Name, b.metric.Version
	s.AssessmentIDs, s.Warnings = nil, nil
	usage := Usage{Panel: rec}
	for i := range b.votes {
		v := &b.votes[i]
		s.AssessmentIDs = append(s.AssessmentIDs, v.AssessmentIDs...)
		if u := v.score.Usage; u != nil {
			usage.add(*u)
			usage.Judge = cmp.Or(usage.Judge, u.Judge)
		}
		for _, w := range v.score.Warnings {
			if !slices.Contains(s.Warnings, w) {
				s.Warnings = append(s.Warnings, w)
			}
		}
		if v.Status == noReply && s.Status != StatusFailed {
			s.Warnings = append(s.Warnings, fmt.Sprintf("%s of the panel %s gave no reply", v.Judge, b.panel.Name))
		}
	}
	s.Usage = &usage
	return s
}

// decide applies the rule.
func (b *ballot) decide(rec *PanelScore) Score {
	p := b.panel
	if b.broken != nil {
		rec.Outcome = PanelBroken
		return *b.broken
	}
	members := b.members()
	t := b.tally(members)
	if !slices.ContainsFunc(b.votes, func(v PanelVote) bool { return v.Status != StatusNotApplicable }) {
		rec.Outcome = PanelOutside
		return members[0].score
	}
	if p.Rule == Escalation {
		return b.escalated(rec, &t)
	}
	of := t.asked
	enough := t.replied >= cmp.Or(p.Quorum, t.asked)
	if enough {
		of = t.replied
	}
	if p.Rule == unanimity {
		switch {
		case !b.agree(&t): // whatever the others would say
			return b.abstained(rec, PanelSplit, &t)
		case !enough:
			return b.lacks(rec, &t)
		case len(t.voted) < of:
			return b.abstained(rec, PanelSilent, &t)
		}
		return b.decided(rec, PanelAgreed, t.voted, &t)
	}
	if !b.counts() {
		switch {
		case !enough:
			return b.lacks(rec, &t)
		case 2*len(t.voted) <= of:
			return b.abstained(rec, PanelSilent, &t)
		}
		return b.decided(rec, PanelMedian, t.voted, &t)
	}
	for side, n := range t.sides { // at most one has more than half
		if 2*n > of {
			outcome := PanelMajority
			if n == t.asked {
				outcome = PanelAgreed
			}
			return b.decided(rec, outcome, b.winners(&t, side), &t)
		}
	}
	switch {
	case !enough:
		return b.lacks(rec, &t)
	case t.sides[sidePass] > 0 && t.sides[sidePass] == t.sides[sideFail]:
		if p.Tie == tieAbstains {
			return b.abstained(rec, PanelTie, &t)
		}
		return b.decided(rec, PanelTie, b.on(&t, p.Tie), &t)
	case len(t.sides) > 1:
		return b.abstained(rec, PanelSplit, &t)
	}
	return b.abstained(rec, PanelSilent, &t)
}

// on returns the votes of one side.
func (b *ballot) on(t *tally, side string) (votes []PanelVote) {
	for i := range t.voted {
		if b.side(&t.voted[i]) == side {
			votes = append(votes, t.voted[i])
		}
	}
	return votes
}

// winners returns the votes whose median is the value: all if the verdict follows from the value by a threshold, so
// that the median of all is on the side of the majority, and otherwise those of the side.
func (b *ballot) winners(t *tally, side string) []PanelVote {
	if b.threshold != nil {
		return t.voted
	}
	return b.on(t, side)
}

// escalated returns the outcome of the rule Escalation.
func (b *ballot) escalated(rec *PanelScore, t *tally) Score {
	if len(b.votes) <= len(b.panel.Members) {
		if t.replied < t.asked {
			return b.lacks(rec, t)
		}
		return b.decided(rec, PanelAgreed, t.voted, t)
	}
	v := &b.votes[len(b.votes)-1]
	switch v.Status {
	case StatusOK:
		return b.decided(rec, PanelArbiter, []PanelVote{*v}, t)
	case StatusAbstained, StatusNotApplicable:
		rec.Outcome = PanelSilent
		rec.Shown = v.Judge
		s := v.score
		s.Status = StatusAbstained
		s.Reason = fmt.Sprintf("the arbiter %s of the panel %s does not decide: %s", v.Judge, b.panel.Name, s.Reason)
		return s
	}
	rec.Outcome = PanelNoQuorum
	return Fail(errcode.New(v.score.Code, "the arbiter %s of the panel %s gave no usable reply: %s", v.Judge,
		b.panel.Name, v.score.Reason))
}

// decided returns the score with the median of the values of votes. Of an even number, it is the worse of the two in
// the middle, so that it is the value of a judge. The score has the detail of the first judge with that value.
func (b *ballot) decided(rec *PanelScore, outcome string, votes []PanelVote, t *tally) Score {
	sorted := slices.Clone(votes)
	slices.SortStableFunc(sorted, func(x, y PanelVote) int { // the worst first
		if b.metric.LowerIsBetter {
			return cmp.Compare(*y.Value, *x.Value)
		}
		return cmp.Compare(*x.Value, *y.Value)
	})
	middle := *sorted[(len(sorted)-1)/2].Value
	v := sorted[slices.IndexFunc(sorted, func(v PanelVote) bool { return *v.Value == middle })]
	rec.Outcome, rec.Shown = outcome, v.Judge
	s := v.score
	how := b.spread(t)
	switch outcome {
	case PanelMedian:
		how += "; the median counts"
	case PanelArbiter:
		how = "the arbiter " + v.Judge + " decides, since " + b.why(t)
	case PanelTie:
		how += "; a tie is a " + b.panel.Tie
	}
	s.Reason = fmt.Sprintf("panel %s (%s): %s", b.panel.Name, how, s.Reason)
	return s
}

// why describes why the members do not decide.
func (b *ballot) why(t *tally) string {
	members := b.members()
	for _, v := range members {
		switch {
		case v.Status == StatusFailed:
			return v.Judge + " gave no usable reply"
		case v.Status != StatusOK:
			return v.Judge + " does not decide"
		}
	}
	if b.agree(t) {
		for _, v := range members {
			if v.Unsure {
				return v.Judge + " is unsure"
			}
		}
	}
	return "the others differ (" + b.spread(t) + ")"
}

// spread describes the votes of the members, such as: 3 judges: 2 pass, 1 fail.
func (b *ballot) spread(t *tally) string {
	var parts []string
	if !b.counts() {
		for _, v := range t.voted {
			parts = append(parts, fmt.Sprint(*v.Value))
		}
	}
	sides := slices.Sorted(maps.Keys(t.sides))
	if b.verdicts() {
		sides = []string{sidePass, sideFail}
	}
	for _, side := range sides {
		if n := t.sides[side]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, side))
		}
	}
	if n := t.asked - len(t.voted); n > 0 {
		parts = append(parts, fmt.Sprintf("%d without", n))
	}
	noun := "judges"
	if t.asked == 1 {
		noun = "judge"
	}
	return fmt.Sprintf("%d %s: %s", t.asked, noun, strings.Join(parts, ", "))
}

// abstained returns the score of a panel that does not decide, which is left to a person.
func (b *ballot) abstained(rec *PanelScore, outcome string, t *tally) Score {
	rec.Outcome = outcome
	return Abstain(fmt.Sprintf("panel %s does not decide (%s)", b.panel.Name, b.spread(t)))
}

// lacks returns the failed score of a panel in which too few judges replied.
func (b *ballot) lacks(rec *PanelScore, t *tally) Score {
	rec.Outcome = PanelNoQuorum
	members := b.members()
	v := &members[slices.IndexFunc(members, func(v PanelVote) bool { return !v.replied() })]
	return Fail(errcode.New(v.score.Code, "panel %s: %d of %d judges replied, expected %d; %s: %s", b.panel.Name,
		t.replied, t.asked, cmp.Or(b.panel.Quorum, t.asked), v.Judge, v.score.Reason))
}
