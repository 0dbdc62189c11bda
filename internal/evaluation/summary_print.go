package evaluation

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/cases"
	"github.com/badger-eval/badger/internal/printable"
)

// PrintSummary writes to e.Notes where the scores were stored, and about judge calls, queries and ignored input.
func (e *Run) PrintSummary(o batch.Outcome) {
	if e.Warehouse != nil {
		fmt.Fprintf(e.Notes, "run %s: %s scored", printable.Short(e.ID), printable.Count(o.Done, "answer"))
		if o.Skipped > 0 {
			fmt.Fprintf(e.Notes, ", %d held already", o.Skipped)
		}
		fmt.Fprintln(e.Notes, "; the scores are in badger.scores")
	}
	if e.Warehouse != nil && e.unstored > 0 {
		fmt.Fprintf(e.Notes, "note: the cost, tokens or latency of %s is in this output and not in the database: pages and compare read it in the table agent_runs, which a run does not write\n",
			printable.Count(e.unstored, "answer"))
	}
	if o.Changed > 0 {
		fmt.Fprintf(e.Notes, "note: %s re-scored, because the question or its gold has changed\n",
			printable.Count(o.Changed, "answer"))
	}
	if o.Other > 0 {
		fmt.Fprintf(e.Notes, "note: %s re-scored, because the answer differs from the one that was scored before (turns before it included)\n",
			printable.Count(o.Other, "answer"))
	}
	if n := sum(e.removed); n > 0 {
		fmt.Fprintf(e.Notes, "note: the scores of %s were removed, because the input has no such %s any more\n",
			printable.Count(n, "answer"), printable.Verb(int(n), "answer", "answers"))
	}
	if o.Lacking > 0 {
		fmt.Fprintf(e.Notes, "note: %s computed again, because the file of --scores and the database did not both have %s\n",
			printable.Count(o.Lacking, "score"), printable.Verb(int(o.Lacking), "it", "them"))
	}
	if s, ok := e.Source.(*cases.Warehouse); ok {
		fmt.Fprintf(e.Notes, "golden set: %s\n", s.Versions())
	}
	e.noteUnread()
	for i, name := range slices.Sorted(maps.Keys(e.strange)) {
		if i == 3 {
			fmt.Fprintf(e.Notes, "note: nor were those of %s\n", printable.Count(len(e.strange)-i, "more unknown metric"))
			break
		}
		_, err := e.Engine.Metric(name)
		fmt.Fprintf(e.Notes, "note: options of %s were not read: %v\n", printable.Count(e.strange[name], "answer"), err)
	}
	if e.Execution != nil {
		for _, line := range e.Execution.Lines() {
			fmt.Fprintln(e.Notes, line)
		}
	}
	if e.Recorded != nil {
		for _, line := range e.Recorded.lines(func(id string) bool { return e.cases[id] }) {
			fmt.Fprintln(e.Notes, line)
		}
	}
	if e.Judge != nil {
		e.Judge.PrintUsage(e.Notes)
	}
	if text := e.Summary.Unversioned(); text != "" {
		fmt.Fprintln(e.Notes, "note:", text)
	}
}

// maxListed is the maximum number of notes about ignored members.
const maxListed = 8

// noteUnread writes the ignored members of cases, the most frequent first.
func (e *Run) noteUnread() {
	answers, first := map[string]int64{}, map[string]string{}
	for _, u := range e.unreads {
		for _, says := range u.says {
			if id, found := first[says]; !found || printable.CompareNatural(u.first, id) < 0 {
				first[says] = u.first
			}
			answers[says] += u.answers
		}
	}
	all := slices.SortedFunc(maps.Keys(answers),
		func(a, b string) int { return cmp.Or(cmp.Compare(answers[b], answers[a]), cmp.Compare(a, b)) })
	for i, says := range all {
		if i == maxListed {
			fmt.Fprintf(e.Notes, "note: nor %s\n", printable.Count(len(all)-i, "more of the kind"))
			break
		}
		fmt.Fprintf(e.Notes, "note: %s, %scase %s: %s\n", printable.Count(answers[says], "answer"),
			map[bool]string{true: "first "}[answers[says] > 1], printable.Short(first[says]), printable.Text(says))
	}
}

// Warn writes a line with the number of failed scores, if there are any.
func (e *Run) Warn() {
	scores, metrics := 0, 0
	for i := range e.Summary.Figures.Metrics {
		failed := 0
		for _, r := range e.Summary.Figures.Metrics[i].Rates {
			failed += r.Coverage.Failed
		}
		if scores += failed; failed > 0 {
			metrics++
		}
	}
	if scores == 0 {
		return
	}
	fmt.Fprintf(e.Notes, "!! %s of %s could not be computed; the reason of each score says why", printable.Count(scores, "score"),
		printable.Count(metrics, "metric"))
	if e.Warehouse != nil {
		fmt.Fprintf(e.Notes, ", and --resume %s --retry-failed scores them again", printable.Shell(e.ID))
	}
	fmt.Fprintln(e.Notes)
}
