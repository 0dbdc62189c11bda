package calibration

import (
	"context"
	"math"
	"slices"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
	"github.com/badger-eval/badger/scoring/custom"
)

// ImproveReport is the outcome of improving a judge. All figures but those under choice are of the labels held out.
type ImproveReport struct {
	Judge     improvedJudge    `json:"judge"`
	Model     string           `json:"model"`
	Seed      uint64           `json:"seed"`
	Split     string           `json:"split"`  // question or database
	Labels    string           `json:"labels"` // SHA-256 of the labels
	Propose   partSize         `json:"propose"`
	Choose    partSize         `json:"choose"`
	HeldOut   partSize         `json:"held_out"`
	Old       judgeFigures     `json:"old"`
	OldChoice choiceFigures    `json:"old_choice"`
	Proposals []proposalResult `json:"proposals"`
	Chosen    string           `json:"chosen,omitempty"`  // the best proposal on the labels to choose on
	Shown     bool             `json:"shown"`             // whether the chosen one is better on the labels held out
	Written   string           `json:"written,omitempty"` // name of the new file, if any

	chosen *proposal
	base   *custom.Judge
}

type improvedJudge struct {
	Name    string `json:"name"`
	Version int    `json:"version"`
	Hash    string `json:"hash"`
}

// partSize counts the labelled answers of a part.
type partSize struct {
	Answers   int `json:"answers" yaml:"answers"`
	Questions int `json:"questions" yaml:"questions"`
	Pass      int `json:"pass" yaml:"pass"`
	Fail      int `json:"fail" yaml:"fail"`
}

// judgeFigures are the agreement of a judge with labels, and its calls. Undefined figures are null.
type judgeFigures struct {
	Verdicts   int                     `json:"verdicts"` // answers with a verdict; the others agree with no label
	Confusion  agreement.Confusion     `json:"confusion"`
	Accuracy   *float64                `json:"accuracy"`
	AccuracyCI *[2]float64             `json:"accuracy_ci"` // Wilson's interval
	Kappa      *float64                `json:"kappa"`
	KappaWhy   string                  `json:"kappa_undefined,omitempty"`
	KappaCI    *[2]float64             `json:"kappa_ci,omitempty"`
	Calls      int                     `json:"calls"`
	TokensIn   judgebackend.TokenCount `json:"tokens_in"`
	TokensOut  judgebackend.TokenCount `json:"tokens_out"`
	Money      string                  `json:"usd,omitempty"` // "" if the price or the tokens are unknown
}

// choiceFigures are the agreement on the labels to choose on.
type choiceFigures struct {
	Agree    int      `json:"agree"` // verdicts that are the labels
	Answers  int      `json:"answers"`
	Accuracy float64  `json:"accuracy"` // of all answers, so that a missing verdict is wrong
	Kappa    *float64 `json:"kappa"`
}

// proposalResult compares a proposal with the old judge.
type proposalResult struct {
	Name     string        `json:"name"`
	Rejected string        `json:"rejected,omitempty"` // why it was not measured
	Why      string        `json:"why,omitempty"`      // the model's reason for a rewritten prompt
	Examples int           `json:"examples,omitempty"`
	Choice   choiceFigures `json:"choice"`
	Figures  *judgeFigures `json:"figures,omitempty"`
	Fixed    int           `json:"fixed"`  // answers on which only the new verdict is the label
	Broken   int           `json:"broken"` // answers on which only the old verdict is the label
	Change   float64       `json:"change"` // of the share of answers whose verdict is the label
	CI       *[2]float64   `json:"ci,omitempty"`
	P        *float64      `json:"p"`
	Adjusted *float64      `json:"p_adjusted"` // among the proposals measured (Holm)
}

// measured holds a judge's replies on the labels that proposals are measured on.
type measured struct {
	answers []*labelledAnswer
	replies []JudgeReply
}

// Run proposes judges from the first part of the labels, chooses one on the second, and measures the judge and all
// proposals on the third. No text of the second and third is in a proposal, or in the request for a rewritten prompt.
func (x *Improvement) Run(ctx context.Context, ask judgeAsker) (*ImproveReport, error) {
	r := &ImproveReport{Judge: improvedJudge{x.Judge.Name, x.Judge.Version, x.Judge.Hash}, Seed: x.Seed, Split: "question",
		Labels: x.hash, Propose: x.size(partPropose), Choose: x.size(partChoose), HeldOut: x.size(partHeldOut), base: x.Judge}
	if x.ByDatabase {
		r.Split = "database"
	}
	first, err := x.ask(ctx, ask, x.Judge, partPropose)
	if err != nil {
		return nil, err
	}
	if reason := first.noVerdicts(); reason != "" {
		return nil, errcode.New(errcode.FailedPrecondition, "the judge has no verdict on any labelled answer: %s", reason)
	}
	proposals, err := x.propose(ctx, ask, first.replies)
	if err != nil {
		return nil, err
	}
	old, err := x.ask(ctx, ask, x.Judge, partChoose, partHeldOut)
	if err != nil {
		return nil, err
	}
	r.Old, r.OldChoice = old.figures(ask, judgebackend.Exchange{}), old.choice()
	var best *proposalResult
	for _, p := range proposals {
		r.Proposals = append(r.Proposals, proposalResult{Name: p.name, Why: p.why, Examples: len(p.change.Examples)})
		out := &r.Proposals[len(r.Proposals)-1]
		if p.rejected != nil {
			out.Rejected = p.rejected.Error()
			continue
		}
		now, err := x.ask(ctx, ask, p.judge, partChoose, partHeldOut)
		if err != nil {
			return nil, err
		}
		figures := now.figures(ask, p.asked)
		out.Figures, out.Choice = &figures, now.choice()
		out.compare(old, now)
		if best == nil || out.Choice.better(best.Choice) {
			best, r.Chosen, r.chosen = out, p.name, p
		}
	}
	var p []float64
	for i := range r.Proposals {
		if r.Proposals[i].P != nil {
			p = append(p, *r.Proposals[i].P)
		}
	}
	p = agreement.Holm(p)
	for i := range r.Proposals {
		out := &r.Proposals[i]
		if out.P == nil {
			continue
		}
		out.Adjusted, p = &p[0], p[1:]
		if out.Name == r.Chosen {
			r.Shown = out.Choice.better(r.OldChoice) && out.Fixed > out.Broken && *out.Adjusted < improveAlpha
		}
	}
	return r, nil
}

func (x *Improvement) size(part int) (s partSize) {
	seen := map[string]bool{}
	for _, a := range x.in(part) {
		s.Answers++
		seen[a.question] = true
		if a.label {
			s.Pass++
		} else {
			s.Fail++
		}
	}
	s.Questions = len(seen)
	return s
}

func (x *Improvement) ask(ctx context.Context, ask judgeAsker, j *custom.Judge, of ...int) (measured, error) {
	m := measured{answers: x.in(of...)}
	var err error
	m.replies, err = ask.Ask(ctx, j, casesOf(m.answers))
	return m, err
}

// noVerdicts returns the reason of the first answer without a verdict, or "" if any has one.
func (m measured) noVerdicts() (reason string) {
	for i := range m.replies {
		s := &m.replies[i].Score
		switch {
		case verdictOf(s) != agreement.Missing:
			return ""
		case reason == "" && s.Status == scoring.StatusOK:
			reason = "it has no threshold and returns no passed"
		case reason == "":
			reason = s.Reason
		}
	}
	return reason
}

// right reports whether the verdict on answer i is its label. A missing verdict is not.
func (m measured) right(i int) bool {
	return verdictOf(&m.replies[i].Score) == agreement.VoteOf(&m.answers[i].label)
}

// confusion returns the counts of the answers with a verdict in a part.
func (m measured) confusion(part int) agreement.Confusion {
	var labels, verdicts []agreement.Vote
	for i, a := range m.answers {
		if a.part == part {
			labels, verdicts = append(labels, agreement.VoteOf(&a.label)), append(verdicts, verdictOf(&m.replies[i].Score))
		}
	}
	return agreement.Tally(labels, verdicts)
}

func (m measured) choice() (c choiceFigures) {
	for i, a := range m.answers {
		if a.part == partChoose {
			c.Answers++
			if m.right(i) {
				c.Agree++
			}
		}
	}
	c.Accuracy = float64(c.Agree) / float64(c.Answers)
	c.Kappa = pointer(m.confusion(partChoose).LabelKappa())
	return c
}

// better reports whether c agrees with more labels than o or, with as many, has a higher kappa.
func (c choiceFigures) better(o choiceFigures) bool {
	if c.Agree != o.Agree || c.Kappa == nil || o.Kappa == nil {
		return c.Agree > o.Agree
	}
	return *c.Kappa > *o.Kappa
}

// figures returns the agreement with the labels held out, and the calls for these answers and for the proposal.
func (m measured) figures(ask judgeAsker, proposing judgebackend.Exchange) judgeFigures {
	c := m.confusion(partHeldOut)
	kappa := c.LabelKappa()
	f := judgeFigures{Verdicts: c.N(), Confusion: c, Accuracy: pointer(c.Accuracy()),
		AccuracyCI: ends(agreement.Wilson(c.TP+c.TN, c.N(), agreement.DefaultLevel)),
		Kappa:      pointer(kappa), Calls: proposing.Calls, TokensIn: proposing.TokensIn, TokensOut: proposing.TokensOut}
	if kappa.Defined {
		f.KappaCI = ends(agreement.Bootstrap(c, agreement.Confusion.Kappa, agreement.Resampling{}))
	} else {
		f.KappaWhy = kappa.Why
	}
	for i, a := range m.answers {
		if u := m.replies[i].Score.Usage; u != nil && a.part == partHeldOut {
			f.Calls, f.TokensIn, f.TokensOut = f.Calls+u.Calls, f.TokensIn.Plus(u.TokensIn), f.TokensOut.Plus(u.TokensOut)
		}
	}
	if f.TokensIn >= 0 && f.TokensOut >= 0 {
		if money, ok := ask.Price(int64(f.TokensIn), int64(f.TokensOut)); ok {
			f.Money = money.String()
		}
	}
	return f
}

// compare tests whether the verdicts of a proposal are more often the labels held out than those of the old judge, by
// McNemar's exact test. If a question has several answers, which depend on each other, the larger p-value of this test
// and of a randomization test by question counts.
func (out *proposalResult) compare(old, now measured) {
	byQuestion := map[string]float64{}
	n, several := 0, false
	for i, a := range old.answers {
		if a.part != partHeldOut {
			continue
		}
		_, seen := byQuestion[a.question]
		n, several = n+1, several || seen
		was, is := old.right(i), now.right(i)
		switch {
		case is && !was:
			out.Fixed++
			byQuestion[a.question]++
		case was && !is:
			out.Broken++
			byQuestion[a.question]--
		default:
			byQuestion[a.question] += 0
		}
	}
	out.Change = float64(out.Fixed-out.Broken) / float64(n)
	out.CI = ends(agreement.PairedShares(out.Fixed, out.Broken, n, agreement.DefaultLevel))
	p := agreement.McNemar(out.Fixed, out.Broken)
	if several {
		var diffs []float64
		for _, d := range byQuestion {
			diffs = append(diffs, d)
		}
		p = max(p, agreement.SignFlip(diffs, 0))
	}
	out.P = &p
}

// origin is the provenance of an improved judge file, without a time, so that the same labels and replies give the
// same file.
type origin struct {
	From     string         `yaml:"from"` // SHA-256 of the old file
	Proposal string         `yaml:"proposal"`
	Model    string         `yaml:"model"`
	Seed     uint64         `yaml:"seed"`
	Split    string         `yaml:"split"`
	Labels   string         `yaml:"labels"` // SHA-256
	Propose  partSize       `yaml:"propose,flow"`
	Choose   partSize       `yaml:"choose,flow"`
	HeldOut  partSize       `yaml:"held_out,flow"`
	Old      originFigures  `yaml:"old,flow"`
	New      originFigures  `yaml:"new,flow"`
	Test     map[string]any `yaml:"test,flow"`
	Shown    bool           `yaml:"shown"`
}

type originFigures struct {
	Verdicts int      `yaml:"verdicts"`
	Accuracy *float64 `yaml:"accuracy"`
	Kappa    *float64 `yaml:"kappa"`
}

// Improved returns the judge of the chosen proposal with its provenance. It must not be called without a chosen one.
func (r *ImproveReport) Improved(ctx context.Context, o *custom.Options) (*custom.Judge, error) {
	of := func(f *judgeFigures) originFigures {
		return originFigures{f.Verdicts, rounded4(f.Accuracy), rounded4(f.Kappa)}
	}
	p := &r.Proposals[slices.IndexFunc(r.Proposals, func(p proposalResult) bool { return p.Name == r.Chosen })]
	change := r.chosen.change
	change.Improved = origin{r.Judge.Hash, r.Chosen, r.Model, r.Seed, r.Split, r.Labels, r.Propose, r.Choose, r.HeldOut,
		of(&r.Old), of(p.Figures), map[string]any{"fixed": p.Fixed, "broken": p.Broken, "p_adjusted": rounded4(p.Adjusted)},
		r.Shown}
	return r.base.Changed(ctx, change, o)
}

// rounded4 rounds to four decimals; nil stays.
func rounded4(v *float64) *float64 {
	if v == nil {
		return nil
	}
	x := math.Round(*v*1e4) / 1e4
	return &x
}
