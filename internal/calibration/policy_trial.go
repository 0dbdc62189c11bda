package calibration

import (
	"fmt"
	"io"
	"slices"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring/agreement"
	"github.com/badger-eval/badger/scoring/policy"
)

// PolicyTrial is the accuracy of tables of policies on databases that they were not derived from.
type PolicyTrial struct {
	Policy       policy.Policy `json:"policy"`
	Source       string        `json:"source"` // of the labelled cases
	Judge        string        `json:"judge,omitempty"`
	Cases        int           `json:"cases"`
	Groups       int           `json:"groups"`
	ByEvidence   int           `json:"by_evidence"`
	WronglySo    int           `json:"by_evidence_wrong"`        // cases of ByEvidence that humans reject
	Evidence     *float64      `json:"kappa_evidence,omitempty"` // undecided cases count as rejected
	Guess        *float64      `json:"kappa_guess,omitempty"`    // kappa of the verdicts without a judge
	Verdict      *float64      `json:"kappa_verdict,omitempty"`
	Calls        float64       `json:"judge_calls_per_case"`
	JudgeAlone   *float64      `json:"kappa_judge_alone,omitempty"`
	CallsOfAlone float64       `json:"judge_alone_calls_per_case"`
	Answered     int           `json:"judge_answered"` // number of cases with a verdict of the judge
	Advice       string        `json:"advice,omitempty"`
}

// Tried holds labelled cases with their outcomes, each by a table derived from the labels of all other databases. The
// slices have the same length.
type Tried struct {
	Cases    []policy.Labelled
	Outcomes []policy.Outcome
	From     []string // source of each case
}

// TryPolicy measures the cases of one source. judge is "" if no judge was called.
func TryPolicy(which policy.Policy, source LabelSource, tried Tried, judge string) PolicyTrial {
	t := PolicyTrial{Policy: which, Source: source.name(), Judge: judge}
	groups := map[string]bool{}
	vote := func(b bool) agreement.Vote { return agreement.VoteOf(&b) }
	var labels, guesses, byEvidence, verdicts, alone []agreement.Vote
	calls, callsOfAlone := 0, 0
	for i, o := range tried.Outcomes {
		if tried.From[i] != source.Where {
			continue
		}
		c := tried.Cases[i]
		groups[c.Group] = true
		labels, guesses, verdicts = append(labels, vote(c.Accepted)), append(guesses, vote(o.Guess)),
			append(verdicts, vote(o.Right))
		alone = append(alone, agreement.VoteOf(c.Judge))
		byEvidence = append(byEvidence, vote(o.ByEvidence))
		calls, callsOfAlone = calls+o.Calls, callsOfAlone+c.Calls
		if o.ByEvidence {
			t.ByEvidence++
			if !c.Accepted {
				t.WronglySo++
			}
		}
	}
	t.Cases, t.Groups = len(labels), len(groups)
	t.Calls, t.CallsOfAlone = float64(calls)/float64(t.Cases), float64(callsOfAlone)/float64(t.Cases)
	t.Guess = kappaWhere(labels, guesses)
	t.Evidence = kappaWhere(labels, byEvidence)
	if judge == "" {
		return t
	}
	t.Verdict = kappaWhere(labels, verdicts)
	onTheirs := agreement.Tally(labels, alone)
	t.Answered = onTheirs.N()
	if k := onTheirs.Kappa(); k.Defined {
		t.JudgeAlone = &k.Value
	}
	switch {
	case t.Answered == 0:
		t.Verdict, t.Advice = nil, "there is no reply of "+judge+" to any of these cases"
	case t.Verdict != nil && t.Guess != nil && *t.Verdict < *t.Guess:
		t.Advice = fmt.Sprintf("asking %s agrees less with people than guessing by the table does (%.3f, %.3f): do not ask it; verdict has the option without_judge: guess", judge, *t.Verdict, *t.Guess)
	}
	return t
}

// kappaWhere returns Cohen's kappa; nil if it is undefined, as when all labels are equal.
func kappaWhere(labels, votes []agreement.Vote) *float64 {
	if len(labels) == 0 || !slices.ContainsFunc(labels, func(v agreement.Vote) bool { return v != labels[0] }) {
		return nil
	}
	if k := agreement.Tally(labels, votes).Kappa(); k.Defined {
		return &k.Value
	}
	return nil
}

// Print writes the figures in at most 80 columns.
func (t *PolicyTrial) Print(w io.Writer) {
	fmt.Fprintf(w, "\nPolicy %s on %s of %s,\neach by a table made from the others (%s)\n", t.Policy,
		printable.Count(t.Cases, "labelled case"), t.Source, printable.Count(t.Groups, "group"))
	width := max(len("accepted by evidence"), len("kappa,  alone")+len(t.Judge))
	line := func(what, format string, args ...any) {
		fmt.Fprintf(w, "  %-*s  %s\n", width, what, fmt.Sprintf(format, args...))
	}
	line("accepted by evidence", "%d, %d of them labelled wrong", t.ByEvidence, t.WronglySo)
	if t.Evidence != nil {
		line("kappa, by evidence", "%.3f", *t.Evidence)
	}
	if t.Guess != nil {
		line("kappa, without judge", "%.3f", *t.Guess)
	}
	if t.Verdict != nil {
		line("kappa, then "+t.Judge, "%.3f at %.2f calls a case", *t.Verdict, t.Calls)
	}
	if t.JudgeAlone != nil {
		line("kappa, "+t.Judge+" alone", "%.3f at %.2f calls a case", *t.JudgeAlone, t.CallsOfAlone)
	}
	if t.Judge != "" && t.Answered > 0 && t.Answered < t.Cases {
		wrapped(w, fmt.Sprintf("%s has a verdict on %d of the cases; the table guesses the others", t.Judge, t.Answered))
	}
	if t.Advice != "" {
		wrapped(w, "!! "+t.Advice)
	}
}
