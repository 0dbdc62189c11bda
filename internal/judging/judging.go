// Package judging opens the judges of judge metrics. A [Config] names them, for all metrics and for single ones, with
// their limits and the place where replies are stored. [Config.Open] opens the judges with their ledger, budgets and
// audit log. [Config.Examine] checks them without a judge call. [Judges] reports their calls and costs.
//
// Messages name the keys of the configuration or, for options that a user enters, the flags of the command.
package judging

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
)

// Judges are the open judges. They share the ledger and the budgets. Nil means no judge; PaidBefore and ModelOf must
// not be called on nil.
type Judges struct {
	stack    *judgebackend.Stack            // for metrics without a separate judge; may be nil
	panel    *scoring.Panel                 // for metrics without a separate judge, instead of stack; may be nil
	panels   map[string]*scoring.Panel      // all that are used, by name
	byMetric map[string]scoring.Judge       // separate judges, by metric
	byTag    []scoring.TagJudge             // judges of cases with a tag
	others   map[string]*judgebackend.Stack // of separate judges, by endpoint, which several may share
	budget   *judgebackend.Budget
	ledger   judgebackend.Payments // nil: the ledger does not record payers
	close    []func() error
}

// One returns Judges with one open judge for all metrics. It reads no payers from the ledger, and Close does not
// close the judge.
func One(stack *judgebackend.Stack, budget *judgebackend.Budget) *Judges {
	return &Judges{stack: stack, budget: budget}
}

// Backend returns the judge of metrics without a separate one, or nil if unset.
func (j *Judges) Backend() judgebackend.Backend {
	switch {
	case j == nil:
	case j.panel != nil:
		return j.panel
	case j.stack != nil: // and not a nil *Stack
		return j.stack
	}
	return nil
}

// First returns the judge of metrics without a separate one or, if unset, the first separate one; nil if there is none.
func (j *Judges) First() judgebackend.Backend {
	for _, s := range j.stacks() {
		return s
	}
	return nil
}

// ByMetric returns the separate judges of single metrics, by metric.
func (j *Judges) ByMetric() map[string]scoring.Judge {
	if j == nil {
		return nil
	}
	return j.byMetric
}

// ByTag returns the judges of cases with a tag, in the order of their rules.
func (j *Judges) ByTag() []scoring.TagJudge {
	if j == nil {
		return nil
	}
	return j.byTag
}

// stacks returns the stacks of all judges, the shared one first.
func (j *Judges) stacks() (all []*judgebackend.Stack) {
	if j == nil {
		return nil
	}
	if j.stack != nil {
		all = append(all, j.stack)
	}
	for _, key := range slices.Sorted(maps.Keys(j.others)) {
		all = append(all, j.others[key])
	}
	return all
}

// stats returns the totals of all judges.
func (j *Judges) stats() (sum judgebackend.Stats) {
	for _, s := range j.stacks() {
		one := s.Stats()
		sum.Requests, sum.Hits, sum.Calls, sum.Retries = sum.Requests+one.Requests, sum.Hits+one.Hits, sum.Calls+one.Calls,
			sum.Retries+one.Retries
	}
	return sum
}

// Close closes the ledger and the audit log. No judge calls may follow.
func (j *Judges) Close() error {
	if j == nil {
		return nil
	}
	var errs []error
	for _, f := range j.close {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}

// Name returns the judges as scores and runs record them, such as openai:gpt-4o or openai:gpt-4o, rose=openai:o3
// (temperature 1).
func (j *Judges) Name() string {
	if j == nil {
		return "none"
	}
	var parts []string
	if b := j.Backend(); b != nil {
		parts = append(parts, nameWith(scoring.Judge{Backend: b}))
	}
	for _, metric := range slices.Sorted(maps.Keys(j.byMetric)) {
		parts = append(parts, j.named(metric))
	}
	for _, r := range j.byTag {
		parts = append(parts, "tag "+r.Tag+"="+nameWith(r.Judge))
	}
	return strings.Join(parts, ", ")
}

// nameOf returns the name of a judge with its settings, such as openai:o3 (reasoning_effort low).
func nameOf(s *judgebackend.Stack) string {
	id := s.Identity()
	name := id.Backend + ":" + id.Model
	if settings := s.Settings().String(); settings != "" {
		name += " (" + settings + ")"
	}
	return name
}

// named returns a metric's name with its judge, such as rose=openai:o3 (temperature 1).
func (j *Judges) named(metric string) string {
	of := j.byMetric[metric]
	if of.Backend == nil {
		of.Backend = j.Backend()
	}
	return metric + "=" + nameWith(of)
}

// nameWith returns the name of a judge with its temperature and sample, or of a panel; none if it has no backend.
func nameWith(of scoring.Judge) string {
	if p, ok := of.Backend.(*scoring.Panel); ok {
		return describe(p)
	}
	stack, ok := of.Backend.(*judgebackend.Stack)
	if !ok || stack == nil {
		return "none"
	}
	name := nameOf(stack)
	if of.Temperature != nil {
		name += " (temperature " + strconv.FormatFloat(*of.Temperature, 'g', -1, 64) + ")"
	}
	if of.Sample != 0 {
		name += " (sample " + strconv.Itoa(of.Sample) + ")"
	}
	return name
}

// ModelOf returns the model or the panel that judges a metric, or "" if there is none.
func (j *Judges) ModelOf(metric string) string {
	b := j.byMetric[metric].Backend
	if b == nil {
		b = j.Backend()
	}
	switch b := b.(type) {
	case *scoring.Panel:
		return b.Name
	case *judgebackend.Stack:
		return cmp.Or(b.Identity().Model, nameOf(b))
	}
	return ""
}

// PrintUsage prints the calls and tokens of each judge, one line each, and the total cost.
func (j *Judges) PrintUsage(w io.Writer) {
	if j == nil {
		return
	}
	all := j.stacks()
	spent := j.budget.Spent()
	uses := map[string]int{}
	for _, s := range all {
		uses[nameOf(s)]++
	}
	for _, s := range all {
		stats, name := s.Stats(), nameOf(s)
		if uses[name] > 1 {
			name += " at " + s.Identity().Host
		}
		if len(all) > 1 && stats.Requests == 0 {
			continue
		}
		fmt.Fprintf(w, "judge %s: %s", name, printable.Count(stats.Requests, "question"))
		if stats.Hits > 0 {
			fmt.Fprintf(w, ", %d of them answered by the ledger", stats.Hits)
		}
		fmt.Fprintf(w, "; %s", printable.Count(stats.Calls, "call"))
		if stats.Retries > 0 {
			fmt.Fprintf(w, ", %d of them retries", stats.Retries)
		}
		if len(all) > 1 {
			fmt.Fprintln(w)
		}
	}
	if len(all) > 1 {
		fmt.Fprintf(w, "all judges: %s", printable.Count(j.stats().Calls, "call"))
	}
	fmt.Fprintf(w, ", %d tokens in, %d out", spent.TokensIn, spent.TokensOut)
	if spent.Money > 0 {
		fmt.Fprintf(w, ", %s USD", spent.Money)
	}
	if spent.Assumed > 0 {
		fmt.Fprintf(w, "; the usage of %s is unknown and counted at its maximum",
			printable.Count(int64(spent.Assumed), "call"))
	}
	if spent.Refused > 0 {
		fmt.Fprintf(w, "; %s not made, for the budget did not allow it", printable.Count(int64(spent.Refused), "call"))
	}
	fmt.Fprintln(w)
}
