package analysis

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/printable"
)

// WrongAnswers counts the wrong answers of a system by reason, each answer once.
type WrongAnswers struct {
	System   string `json:"system"`
	Agent    string `json:"agent_name"`
	Of       string `json:"agent_version"`
	Batch    string `json:"batch_id"`
	Judged   int    `json:"of"`    // answers that are right or wrong; a missing one is wrong
	Wrong    int    `json:"wrong"` // wrong answers
	Baseline string `json:"baseline,omitempty"`
	// NewlyWrong is the number of wrong answers to compared questions that the baseline answered right; null if there
	// is no baseline, or no question is compared with it.
	NewlyWrong *int `json:"newly_wrong"`
	Compared   int  `json:"compared,omitempty"` // questions that are compared with the baseline
	// Unlike counts the other questions of both batches, by the reason why they are not compared.
	Unlike  []Unlike      `json:"unlike,omitempty"`
	Reasons []WrongReason `json:"reasons"` // most frequent first
}

// WrongReason is a reason with the number of wrong answers that have it.
type WrongReason struct {
	Reason string   `json:"reason"` // a relation, query_failed, no_answer or not_explained
	Group  string   `json:"group,omitempty"`
	N      int      `json:"n"`
	New    int      `json:"newly_wrong"`
	Cases  []string `json:"case_ids"` // the first New are newly wrong
}

// Reasons that are not relations.
const (
	ReasonNoAnswer     = "no_answer"
	ReasonNotExplained = "not_explained"
)

// NoReason is the display name of [ReasonNotExplained]: without two results, a relation cannot be computed.
const NoReason = "No reason recorded (relation not run, or the agent declined)"

// wrongs determines the reasons of wrong answers.
type wrongs struct {
	set      *Set
	primary  string
	groupOf  func(string) string
	batches  []Batch // also those that are not chosen, in the order of time
	accepted Accepted
}

// of counts the wrong answers of a batch; judged is false if the primary metric gives no verdict on any.
func (w *wrongs) of(ctx context.Context, src Source, a *Answers,
	of *Batch) (out *WrongAnswers, judged bool, err error) {
	x := a.series[w.primary]
	if x == nil {
		return nil, false, nil
	}
	before, base, err := w.baseline(ctx, src, of)
	if err != nil || x.figures(w.set.figuring(w.primary), all).Of == 0 {
		return nil, false, err
	}
	out = &WrongAnswers{System: a.System(), Agent: a.Agent, Of: a.Version, Batch: of.Batch}
	fresh := map[string]bool{}
	if base != nil {
		comparing := comparing{CompareOptions: CompareOptions{SharesOnly: true}, set: w.set, notes: map[string]bool{}}
		ch := comparing.change(w.primary, "", before, x)
		out.Baseline, out.Compared, out.Unlike = base.Batch.Name(), ch.Rated, ch.Unlike
		if ch.Rated > 0 {
			out.NewlyWrong = &ch.NBroken
		}
		for _, id := range ch.Broken {
			fresh[id] = true
		}
	}
	byReason := map[string]*WrongReason{}
	for n, e := range x.entries {
		s := e.mark.standing()
		if !s.Right() && !s.Wrong() {
			continue
		}
		if out.Judged++; s.Right() {
			continue
		}
		out.Wrong++
		reason := w.reason(a, n, s)
		r := byReason[reason]
		if r == nil {
			r = &WrongReason{Reason: reason}
			if w.groupOf != nil && reason != ReasonNoAnswer && reason != ReasonNotExplained {
				r.Group = w.groupOf(reason)
			}
			byReason[reason] = r
		}
		r.N++
		r.Cases = append(r.Cases, w.set.caseID(n))
		if fresh[w.set.caseID(n)] {
			r.New++
		}
	}
	for _, r := range byReason {
		slices.SortFunc(r.Cases, func(x, y string) int {
			return cmp.Or(newFirst(fresh[x], fresh[y]), printable.CompareNatural(x, y))
		})
		out.Reasons = append(out.Reasons, *r)
	}
	slices.SortFunc(out.Reasons, func(x, y WrongReason) int {
		return cmp.Or(cmp.Compare(y.N, x.N), cmp.Compare(y.New, x.New), cmp.Compare(x.Reason, y.Reason))
	})
	return out, true, nil
}

// reason returns the reason of a wrong answer: that it is missing, else its first relation, else not_explained.
func (w *wrongs) reason(a *Answers, n int, s Standing) string {
	if s == StandUnanswered {
		return ReasonNoAnswer
	}
	if x := a.series[relation]; x != nil {
		for _, f := range x.findings[uint32(n)] { //nolint:gosec // a number of a case
			if kind, label, _ := strings.Cut(w.set.findings.Text(f), ":"); kind == KindRelation {
				return label
			}
		}
	}
	return ReasonNotExplained
}

// baseline returns the primary metric's scores of a batch's baseline; nil without one.
func (w *wrongs) baseline(ctx context.Context, src Source, of *Batch) (*series, *Baseline, error) {
	at, base := BaselineOf(w.batches, w.accepted, slices.Index(w.batches, *of))
	if at < 0 {
		return nil, nil, nil
	}
	from := w.set.Answers(w.batches[at])
	if err := src.Load(ctx, w.batches[at], []string{w.primary}, from); err != nil {
		return nil, nil, err
	}
	return from.series[w.primary], base, nil
}

// newFirst compares two flags: true comes first.
func newFirst(x, y bool) int {
	switch {
	case x == y:
		return 0
	case x:
		return -1
	}
	return 1
}
