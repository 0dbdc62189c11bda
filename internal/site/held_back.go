package site

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/scoring/relation"
	"github.com/badger-eval/badger/sql/store"
)

// The metrics that decide about questions that call for declining or asking back, and about queries that change data.
const (
	refusalMetric = "refusal"
	safetyMetric  = "sql_safety"
)

// heldWord returns the display word of a label of the metric refusal for a question that calls for declining or asking
// back. It reports false for other labels.
func heldWord(label string) (verdictWord, bool) {
	switch label {
	case "correct_refusal", "correct_clarification", "missed_refusal", "missed_clarification", "destructive":
		return verdictWords[label], true
	}
	return verdictWord{}, false
}

// otherSafety returns the labels of failed scores of sql_safety for queries that would not change data.
var otherSafety = sync.OnceValue(func() (labels []string) {
	for _, m := range metric.All() {
		if m.Name == safetyMetric {
			labels = m.Labels
		}
	}
	return slices.DeleteFunc(slices.Clone(labels), func(l string) bool { return l == "safe" || scoring.ChangesData(l) })
})

// wouldChange returns the list of a run's answers whose query would change data.
func wouldChange(run scoring.RunID) store.State {
	s := scored(store.State{RunID: run, Mode: store.Failed, Metric: safetyMetric})
	for _, label := range otherSafety() {
		s = s.With(store.ListFilter{Column: "label", Op: store.NotEqual, Value: label})
	}
	return s
}

// heldBack returns the list of a run's questions that call for declining or asking back, in a mode of the metric
// refusal: those with a verdict of it and without a value of the metric of results.
func heldBack(run, base scoring.RunID, mode store.Mode, results string) store.State {
	s := store.State{RunID: run, Baseline: base, Mode: mode, Metric: refusalMetric}
	for _, f := range []store.ListFilter{
		{Column: results, Op: store.Equal}, {Column: "label", Op: store.NotEqual, Value: "answered"},
		{Column: "label", Op: store.NotEqual, Value: overRefusal},
	} {
		s = s.With(f)
	}
	return scored(s)
}

// gravest is a sentence about the gravest faults of a run, with links to their cases.
type gravest struct {
	Text string
	IDs  []namedAddress
	All  string
}

// heldCounts are the questions of a run that call for declining or asking back, and the wrong answers among them.
type heldCounts struct {
	Of, Wrong, Newly int64
	NewlyIDs         []string // the first of the newly wrong ones
}

// heldOf counts the questions of the list that call for declining or asking back. It returns the zero value if the run
// has no scores of refusal.
func (s *Site) heldOf(ctx context.Context, p *store.Pages, pr *pair, list *store.List) (n heldCounts, err error) {
	results, run := list.State.Metric, pr.to.Run.RunID
	if results == refusalMetric || !hasScores(list, refusalMetric) {
		return n, nil
	}
	every, err := p.List(ctx, heldBack(run, scoring.RunID{}, store.All, results))
	if err != nil {
		return n, err
	}
	figures, _, err := every.Slices(ctx, "status", partsAll)
	for i := range figures { // of the scores with a value
		n.Of += figures[i].Scores
		n.Wrong += figures[i].Judged - figures[i].Passed
	}
	if base, there := pr.baseline(); there && n.Wrong > 0 && err == nil {
		ids, newly, err := firstIDs(ctx, p, heldBack(run, base, store.Broke, results), idsShown)
		if err == nil { // else the baseline has no such scores
			n.Newly, n.NewlyIDs = newly, ids
		}
	}
	return n, err
}

// hasScores reports whether the list's run has scores of a metric.
func hasScores(list *store.List, name string) bool {
	return slices.ContainsFunc(list.Shape.Metrics, func(m store.MetricShape) bool { return m.Metric == name })
}

// gravestOf returns the sentences below the headline: answers that would change data, and answers to questions that
// call for declining or asking back.
func (s *Site) gravestOf(
	ctx context.Context,
	p *store.Pages,
	pr *pair,
	list *store.List,
	held heldCounts,
) (out []gravest, err error) {
	add := func(text string, state store.State, ids []string) {
		out = append(out, gravest{text, namedCases(state, ids), casesAddress(state)})
	}
	if hasScores(list, safetyMetric) {
		state := wouldChange(pr.to.Run.RunID)
		ids, n, err := firstIDs(ctx, p, state, idsShown)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			text := things(n, "answer") + " would change data"
			if base, there := pr.baseline(); there {
				if was, err := countOf(ctx, p, wouldChange(base)); err == nil { // else it has no such scores
					text += "; " + count(was) + " before"
				}
			}
			add(text, state, ids)
		}
	}
	if held.Wrong == 0 {
		return out, nil
	}
	run, results := pr.to.Run.RunID, list.State.Metric
	n, state, ids, how := held.Wrong, heldBack(run, scoring.RunID{}, store.Failed, results), held.NewlyIDs, " wrong"
	if base, there := pr.baseline(); there && held.Newly > 0 {
		n, state, how = held.Newly, heldBack(run, base, store.Broke, results), " newly wrong"
	} else if ids, _, err = firstIDs(ctx, p, state, idsShown); err != nil {
		return nil, err
	}
	of := count(n) + " of " + things(held.Of, "question") + " to decline or ask back "
	add(of+printable.Verb(int(n), "is", "are")+how, state, ids)
	return out, nil
}

// held returns the labels of the metric refusal of questions that call for declining or asking back, on both sides of
// pr, by run and case ID.
func (s *Site) held(ctx context.Context, pr *pair, ids []string) (stands, error) {
	out := stands{}
	if len(ids) == 0 {
		return out, nil
	}
	p, err := s.reader(ctx)
	if err != nil {
		return nil, err
	}
	sides := []scoring.RunID{pr.to.Run.RunID}
	if base, there := pr.baseline(); there {
		sides = append(sides, base)
	}
	for _, run := range sides {
		list, err := p.List(ctx, store.State{RunID: run, Mode: store.All})
		if err != nil || !hasScores(list, refusalMetric) {
			continue // the run has no such scores
		}
		rows, err := list.Rows(ctx, ids, []string{refusalMetric})
		if err != nil {
			return nil, err
		}
		out[run] = map[string]string{}
		for i := range rows {
			score := rows[i].Scores[refusalMetric]
			if _, is := heldWord(score.Label); is && score.Status == scoring.StatusOK {
				out[run][rows[i].ID] = score.Label
			}
		}
	}
	return out, nil
}

// hold replaces the verdicts of questions that call for declining or asking back, to which the metric of results does
// not apply, by those of the metric refusal.
func (s *Site) hold(ctx context.Context, pr *pair, of stands, ids []string) error {
	unasked := slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		for _, verdicts := range of {
			if verdicts[id] == "not_applicable" {
				return false
			}
		}
		return true
	})
	labels, err := s.held(ctx, pr, unasked)
	if err != nil {
		return err
	}
	unasked = slices.DeleteFunc(unasked, func(id string) bool {
		for _, side := range labels {
			if side[id] != "" {
				return false
			}
		}
		return true
	})
	runs := make([]scoring.RunID, 0, len(of))
	for run := range of {
		runs = append(runs, run)
	}
	for v, err := range s.o.Warehouse.Verdicts(ctx, runs, refusalMetric, unasked) {
		if err != nil {
			return err
		}
		verdicts := of[v.RunID]
		if verdicts[v.CaseID] != "not_applicable" || v.Stands != "passed" && v.Stands != "failed" {
			continue
		}
		verdicts[strings.Clone(v.CaseID)] = cmp.Or(labels[v.RunID][v.CaseID], "held_"+v.Stands)
	}
	return nil
}

// where matches the reason of a query that does more than read.
var where = regexp.MustCompile(`^statement (\d+), line \d+: (.*)$`)

// unsafeFinding returns the finding of a failed score of sql_safety.
func unsafeFinding(s *caseview.Score) *finding {
	f := &finding{Class: "wrong", Word: "Would change data"}
	if !scoring.ChangesData(s.Label) {
		f.Word = "Does more than read"
		if s.Label == metric.UnknownSafety {
			f.Class, f.Word = "doubt", "May do more than read"
		}
	}
	f.Why = unsafeWhy(s.Reason)
	return f
}

// unsafeWhy returns the reason of a failed score of sql_safety as a sentence, such as: DELETE in statement 1.
func unsafeWhy(reason string) relation.Sentence {
	if m := where.FindStringSubmatch(reason); m != nil {
		return relation.Sentence{{Text: m[2], Code: true}, {Text: " in statement " + m[1] + "."}}
	}
	if reason == "" {
		return nil
	}
	return relation.Sentence{{Text: asSentence(reason)}}
}

// heldWhy returns the reason of a verdict of refusal: what the query changes, if it does, else the score's reason.
func heldWhy(label, reason, safety string) relation.Sentence {
	switch {
	case label == "destructive" && where.MatchString(safety):
		return unsafeWhy(safety)
	case reason != "":
		return relation.Sentence{{Text: asSentence(reason)}}
	}
	return nil
}

// heldFinding returns the finding of an answer to a question that calls for declining or asking back, or nil if refusal
// gave no such verdict. safety is the score of sql_safety, if any.
func heldFinding(s *caseview.Score, safety *caseview.Score) *finding {
	if s == nil || s.Status != scoring.StatusOK {
		return nil
	}
	w, is := heldWord(s.Label)
	if !is {
		return nil
	}
	reason := ""
	if safety != nil && verdictOf(safety) == "failed" {
		reason = safety.Reason
	}
	f := &finding{Class: w.Class, Word: upper(w.Text), Why: heldWhy(s.Label, s.Reason, reason)}
	if w.Class == "right" {
		f.Word += " rightly"
	}
	return f
}

// heldLabel returns the label of the score of refusal among scores, if its question calls for declining or asking back,
// else "".
func heldLabel(scores []scoring.Score) string {
	for i := range scores {
		if _, is := heldWord(scores[i].Label); is && scores[i].Metric == refusalMetric {
			return scores[i].Label
		}
	}
	return ""
}

// ranNote returns a sentence on whether a query that changes data ran, as far as badger knows.
func ranNote(v *caseview.View) string {
	if v.AgentError != "" {
		return "The agent reports that the query failed; parts of it may have run."
	}
	return "Whether the agent ran it is not recorded: badger reads the query and does not run it."
}
