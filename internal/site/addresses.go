package site

import (
	"net/url"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// An address is a path and a query from the site's root, such as /cases?run=r1. Names of runs,
// agents, batches and cases are arbitrary texts, so they are always in the query. Equal views have
// equal addresses: keys are sorted.

func address(path string, v url.Values) string {
	if len(v) == 0 {
		return path
	}
	return path + "?" + v.Encode()
}

// addressOf is the address of a page that the links of every page lead to.
func addressOf(p *page, run *scoring.RunID) string {
	_, path, _ := strings.Cut(p.pattern, " ")
	path = strings.TrimSuffix(path, "{$}")
	if p.ofRun && run != nil {
		return address(path, store.RunValues(*run))
	}
	return path
}

func runsAddress() string { return "/runs" }

func runAddress(run scoring.RunID) string { return address("/run", store.RunValues(run)) }

// casesAddress is the page that lists the cases of a state: that of changes if it is about what became of questions.
func casesAddress(s store.State) string {
	if ofChanges(s.Mode) {
		return address("/compare", s.Values())
	}
	return address("/cases", s.Values())
}

// ofChanges reports whether a mode is about what became of questions since a baseline.
func ofChanges(m store.Mode) bool {
	return slices.Contains([]store.Mode{store.Broke, store.Fixed, store.StillWrong, store.StillRight, store.Unasked}, m)
}

// caseAddress is one case, looked at from a list in a state.
func caseAddress(s store.State, caseID string) string {
	v := s.Values()
	v.Set("case", caseID)
	return address("/case", v)
}

// failuresAddress lists what goes wrong in a run.
func failuresAddress(run scoring.RunID) string { return address("/failures", store.RunValues(run)) }

// labelsAddress lists all labels of a run's answers, those of right ones too.
func labelsAddress(run scoring.RunID) string {
	v := store.RunValues(run)
	v.Set("labels", "1")
	return address("/failures", v)
}

// costAddress returns the address of the page with the costs of a run's judges.
func costAddress(run scoring.RunID) string { return address("/cost", store.RunValues(run)) }

func queuesAddress() string { return "/queues" }

func queueAddress(queue string) string {
	return address("/queue", url.Values{"queue": {queue}})
}

// labelAddress is a case of a queue to label; no case: the next one.
func labelAddress(queue, caseID string) string {
	if caseID == "" {
		return address("/label/next", url.Values{"queue": {queue}})
	}
	return address("/label", url.Values{"queue": {queue}, "case": {caseID}})
}

// adjudicateAddress lists where the annotators of a queue differ.
func adjudicateAddress(queue string) string {
	return address("/adjudicate", url.Values{"queue": {queue}})
}

// newQueueAddress returns the address of the form that creates a queue of a list's cases.
func newQueueAddress(s store.State) string { return address("/queue/new", s.Values()) }

// exportAddress is all cases of a list, in a format.
func exportAddress(s store.State, format string) string {
	v := s.Values()
	v.Set("format", format)
	return address("/export", v)
}
