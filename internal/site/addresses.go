package site

import (
	"net/url"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// address returns path with the query v, both from the site's root, such as /cases?run=r1. Names of runs, agents,
// batches and cases are arbitrary strings, so they are always in the query. Keys are sorted: equal views have equal
// addresses.

func address(path string, v url.Values) string {
	if len(v) == 0 {
		return path
	}
	return path + "?" + v.Encode()
}

// addressOf returns the address of p, a page with an entry in the navigation. If p is about one run and run is not nil,
// the query names run.
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

// casesAddress returns the address of the list of cases in state s: /compare if s.Mode compares with a baseline, else
// /cases.
func casesAddress(s store.State) string {
	if ofChanges(s.Mode) {
		return address("/compare", s.Values())
	}
	return address("/cases", s.Values())
}

// ofChanges reports whether m is one of the modes that compare a case's verdict with that in the baseline run.
func ofChanges(m store.Mode) bool {
	return slices.Contains(changeModes, m)
}

// scored returns the list of s without the cases whose score by its metric has no value, such as missing answers.
func scored(s store.State) store.State {
	return s.With(store.ListFilter{Column: "status", Op: store.Equal, Value: "ok"})
}

// caseAddress returns the address of the page of case caseID, opened from the list in state s.
func caseAddress(s store.State, caseID string) string {
	v := s.Values()
	v.Set("case", caseID)
	return address("/case", v)
}

// failuresAddress returns the address of the page that counts the wrong answers of a run by reason.
func failuresAddress(run scoring.RunID) string { return address("/failures", store.RunValues(run)) }

// labelsAddress returns the address of the page that counts all labels that metrics gave to a run's answers, right
// answers included.
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

// labelAddress returns the address of the page for labeling case caseID of a queue, or of the redirect to the next case
// to label if caseID is "".
func labelAddress(queue, caseID string) string {
	if caseID == "" {
		return address("/label/next", url.Values{"queue": {queue}})
	}
	return address("/label", url.Values{"queue": {queue}, "case": {caseID}})
}

// adjudicateAddress returns the address of the page with a queue's cases whose annotators disagree.
func adjudicateAddress(queue string) string {
	return address("/adjudicate", url.Values{"queue": {queue}})
}

// newQueueAddress returns the address of the form that creates a queue of a list's cases.
func newQueueAddress(s store.State) string { return address("/queue/new", s.Values()) }

// exportAddress returns the address that exports all cases of the list in state s as a file of the named format.
func exportAddress(s store.State, format string) string {
	v := s.Values()
	v.Set("format", format)
	return address("/export", v)
}
