package metric

import (
	"context"
	"fmt"
	"strings"

	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/align"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/prompt"
)

// Stage1 is the result of asking a judge how the columns of two results correspond.
type Stage1 struct {
	Doubts   []string `json:"doubts"`             // reasons why the alignment without a judge is uncertain
	Asked    bool     `json:"asked"`              // false: no judge is configured
	Unusable bool     `json:"unusable,omitempty"` // the reply is malformed
	Used     bool     `json:"used"`               // the alignment with the accepted parts of the judge's proposal is used

	// EvidenceScore is the score with the alignment found without a judge. JudgeScore is the score with the accepted
	// parts of the judge's proposal.
	EvidenceScore float64  `json:"evidence_score"`
	JudgeScore    *float64 `json:"judge_score,omitempty"`

	Proposal *align.Proposal   `json:"proposal,omitempty"`
	Rejected []align.Rejection `json:"rejected,omitempty"`
}

// stage1Key is the memo key of the comparison after a judge's proposal.
type stage1Key struct{ hybridKey }

// withJudge asks the judge for another alignment if h is uncertain, not all cells agree and another alignment could
// increase the score. It returns a comparison with the accepted parts of the proposal if its score is higher, else
// the one of h. It does not modify h.
func (h *Hybrid) withJudge(ctx context.Context, in *scoring.Input, o *hybridOptions) (*Hybrid, error) {
	if h.value() == 1 || h.Counts.Method == cell.MethodTrivial || len(h.PredColumns) == 0 {
		return h, nil // all cells agree, or the results have nothing to align
	}
	gold, pred := in.Gold.Result.Table, in.Pred.Result.Table
	doubts := align.Uncertainties(&h.Alignment)
	if len(doubts) == 0 || !align.Open(gold, pred, &h.Alignment, o.align(in), o.maxTolerance()) {
		return h, nil // certain, or no proposal could increase the score
	}
	m := materialOf(in, resultsDiffer)
	m.Relation = h.describe()
	s := &Stage1{Doubts: doubts, EvidenceScore: h.Counts.Score}
	judged := *h
	judged.Stage1 = s
	if !in.HasJudge(prompt.Align.Purpose) {
		return &judged, nil
	}
	var p align.Proposal
	err := in.AskOnce(ctx, prompt.Align.Request(m), &p)
	switch judgebackend.KindOf(err) {
	case judgebackend.KindNoJudge:
		return &judged, nil
	case judgebackend.KindBadReply, judgebackend.KindRefused, judgebackend.KindLength, judgebackend.KindOversized:
		s.Asked, s.Unusable = true, true // the judge replied without a proposal
		return &judged, nil
	}
	if err != nil {
		return nil, err
	}
	return scoring.MemoReply(in, stage1Key{o.key()}, func() *Hybrid {
		s.Asked, s.Proposal = true, &p
		judged.accept(gold, pred, o, o.align(in))
		return &judged
	}), nil
}

// accept compares the results with the parts of the proposal that the tables confirm, and uses that alignment if the
// score is higher. h.Stage1 records the rejected parts and the score.
func (h *Hybrid) accept(gold, pred *scoring.Table, o *hybridOptions, about align.Options) {
	s := h.Stage1
	a, rejected := align.Accept(gold, pred, &h.Alignment, s.Proposal, about, o.maxTolerance())
	delta := paperDelta
	if t := s.Proposal.Tolerance; t != nil && *t >= 0 && *t <= o.maxTolerance() {
		delta = *t
	}
	counts := countCells(gold, pred, &a, o.cell(), delta)
	s.Rejected, s.JudgeScore = rejected, &counts.Score
	if counts.Score > h.Counts.Score {
		h.Alignment, h.Counts, s.Used = a, counts, true
	}
}

// describe returns a description of the alignment, and of the columns without a counterpart, for the judge.
func (h *Hybrid) describe() string {
	var b strings.Builder
	for _, c := range h.Alignment.Columns {
		fmt.Fprintf(&b, "Reference column %d goes with the agent's column %d: %.0f %% of the values agree", c.Gold+1,
			c.Pred+1, 100*c.Overlap)
		if c.Fact != "" {
			b.WriteString(" (" + c.Fact + ")")
		}
		b.WriteString(".\n")
	}
	if len(h.Alignment.Missing) > 0 {
		b.WriteString("Reference columns without a counterpart: " + numbered(h.Alignment.Missing) + ".\n")
	}
	if len(h.Alignment.Extra) > 0 {
		b.WriteString("The agent's columns without a counterpart: " + numbered(h.Alignment.Extra) + ".\n")
	}
	return b.String()
}

func numbered(columns []int) string {
	out := make([]string, len(columns))
	for k, i := range columns {
		out[k] = fmt.Sprint(i + 1)
	}
	return strings.Join(out, ", ")
}

// warnings returns a warning if the judge was needed but not configured, or its reply was unusable.
func (h *Hybrid) warnings() []string {
	switch {
	case h.Stage1 == nil:
		return nil
	case !h.Stage1.Asked:
		return []string{
			"stage1 is judge, and the alignment leaves doubt, but no judge is configured: the evidence alone decided"}
	case h.Stage1.Unusable:
		return []string{"the judge's proposal could not be read: the evidence alone decided"}
	}
	return nil
}
