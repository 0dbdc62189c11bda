package calibration

import (
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
	"github.com/badger-eval/badger/scoring/custom"
)

// JudgeTrial collects the scores of a custom judge on cases. [JudgeTrial.Sum] computes its figures.
type JudgeTrial struct {
	Judge *custom.Judge
	Rows  []scoring.Row // in the order of the cases, with the case ids only
	human []*bool       // label by row; nil without a label

	Statuses  map[scoring.Status]int
	Mean      float64             // of the scores with status ok; 0 without any
	Confusion agreement.Confusion // of the cases with a label and a verdict of the judge
	Interval  agreement.Interval  // 95 % CI of kappa
	Labels    []LabelTally        // by label of the judge
}

// NewJudgeTrial returns a trial of a judge without cases.
func NewJudgeTrial(j *custom.Judge) *JudgeTrial { return &JudgeTrial{Judge: j} }

// JudgeFigures returns the names of the figures that gates may use.
func JudgeFigures() []string { return []string{"accuracy", "kappa"} }

// LabelTally counts the answers to which the judge gave a label, and their human labels.
type LabelTally struct {
	Label      string `json:"label"`
	N          int    `json:"n"`
	PeoplePass int    `json:"people_pass"`
	PeopleFail int    `json:"people_fail"`
}

// Add adds the scores of a case. c is nil if the case could not be read.
func (t *JudgeTrial) Add(c *scoring.Case, rows []scoring.Row) {
	for i := range rows {
		t.Rows = append(t.Rows, scoring.Row{AnswerID: scoring.AnswerID{CaseID: rows[i].CaseID}, Score: rows[i].Score})
		var human *bool
		if c != nil {
			human = c.Human
		}
		t.human = append(t.human, human)
	}
}

// Sum computes the figures.
func (t *JudgeTrial) Sum() {
	t.Statuses = map[scoring.Status]int{}
	var said, people []agreement.Vote
	for i := range t.Rows {
		s := &t.Rows[i].Score
		t.Statuses[s.Status]++
		if s.Status == scoring.StatusOK {
			t.Mean += s.Value
		}
		said, people = append(said, agreement.VoteOf(s.Passed)), append(people, agreement.VoteOf(t.human[i]))
		if s.Status != scoring.StatusOK || s.Label == "" {
			continue
		}
		at := slices.IndexFunc(t.Labels, func(l LabelTally) bool { return l.Label == s.Label })
		if at < 0 {
			at = len(t.Labels)
			t.Labels = append(t.Labels, LabelTally{Label: s.Label})
		}
		t.Labels[at].N++
		if h := t.human[i]; h != nil && *h {
			t.Labels[at].PeoplePass++
		} else if h != nil {
			t.Labels[at].PeopleFail++
		}
	}
	if n := t.Statuses[scoring.StatusOK]; n > 0 {
		t.Mean /= float64(n)
	}
	slices.SortFunc(t.Labels, func(a, b LabelTally) int { return strings.Compare(a.Label, b.Label) })
	t.Confusion = agreement.Tally(people, said)
	if t.Confusion.LabelKappa().Defined {
		t.Interval = agreement.Bootstrap(t.Confusion, agreement.Confusion.Kappa, agreement.Resampling{})
	}
}

// JSON returns the value that --json writes. Undefined figures are null.
func (t *JudgeTrial) JSON() any {
	stat := func(s agreement.Stat) *float64 {
		if !s.Defined {
			return nil
		}
		return &s.Value
	}
	c := t.Confusion
	var ci []float64
	if t.Interval.Defined {
		ci = []float64{t.Interval.Lo, t.Interval.Hi}
	}
	var mean *float64
	if t.Statuses[scoring.StatusOK] > 0 {
		mean = &t.Mean
	}
	return map[string]any{
		"judge": map[string]any{"name": t.Judge.Name, "version": t.Judge.Version, "kind": t.Judge.Kind, "hash": t.Judge.Hash},
		"cases": len(t.Rows), "statuses": t.Statuses, "mean": mean,
		"agreement": map[string]any{
			"n": c.N(), "tp": c.TP, "fp": c.FP, "tn": c.TN, "fn": c.FN,
			"accuracy": stat(c.Accuracy()), "kappa": stat(c.LabelKappa()), "kappa_ci": ci,
			"balanced_accuracy": stat(c.BalancedAccuracy()),
		},
		"labels": t.Labels, "scores": t.Rows,
	}
}

// Check describes for each gate whether it passes, and reports whether all do and the judge failed on no case. The
// gates are those of [JudgeFigures]; an undefined figure fails.
func (t *JudgeTrial) Check(gates []gate.Gate) (said []string, reached bool) {
	reached = true
	if n := t.Statuses[scoring.StatusFailed]; n > 0 {
		said, reached = append(said, "the judge failed on "+printable.Count(n, "case")), false
	}
	for _, g := range gates {
		s := t.Confusion.Accuracy()
		if g.Metric == "kappa" {
			s = t.Confusion.LabelKappa()
		}
		why := fmt.Sprintf("%s is not defined (%s)", g.Metric, s.Why)
		if s.Defined {
			why = fmt.Sprintf("%s is %.4f over %d of %s", g.Metric, s.Value, t.Confusion.N(),
				printable.Count(t.Labelled(), "labelled case"))
		}
		ok := s.Defined && gate.Reached(s.Value, *g.Least)
		said, reached = append(said, gate.Line(ok, fmt.Sprintf("%s, expected at least %g", why, *g.Least))), reached && ok
	}
	return said, reached
}

// Labelled returns the number of cases with a label.
func (t *JudgeTrial) Labelled() int {
	n := 0
	for _, h := range t.human {
		if h != nil {
			n++
		}
	}
	return n
}
