package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

// Figures are the figures of a summary, encoded as one JSON document. They do not depend on the order in which scores
// were added.
type Figures struct {
	Cases   int      `json:"cases"`                     // number of different questions
	Answers int      `json:"answers"`                   // number of answers, over all agent versions and batches
	Missing int      `json:"missing_answers,omitempty"` // answers that the primary metric misses
	Scores  int      `json:"scores"`
	Agents  []Agent  `json:"agents"`
	Primary string   `json:"primary"` // the metric of tiers, tags and worst answers
	Metrics []Metric `json:"metrics"`
	// RunStatus is the status of the run in eval_runs; "" if it is unknown, or if the figures are not of a single run.
	RunStatus string `json:"run_status,omitempty"`

	// Batches are the latest batches of a stored run, the newest first.
	Batches []BatchOf `json:"batches,omitempty"`
	// EarlierBatches is the number of earlier batches of the run, which Batches leaves out.
	EarlierBatches int          `json:"earlier_batches,omitempty"`
	Gates          []GateResult `json:"gates,omitempty"`
	// each version against the previous one, and agents with the same version against each other
	Changes []Change `json:"changes,omitempty"`
	Tiers   []Slice  `json:"tiers,omitempty"`
	Tags    []Slice  `json:"tags,omitempty"`
	Turns   []Slice  `json:"turns,omitempty"` // of conversations, by the number of the turn
	// Conversations counts whole conversations, for each agent version that has any.
	Conversations []Conversations `json:"conversations,omitempty"`
	// UnreadableTags holds the figures of the cases whose tags cannot be parsed; nil without such cases.
	UnreadableTags *Slice   `json:"unreadable_tags,omitempty"`
	Worst          []Answer `json:"worst,omitempty"` // answers that did not pass, by agent version, the worst first
	// Objections are the answers to which refusal or sql_safety objects, see [scoring.Score.Objects], by agent version.
	Objections []objection `json:"objections,omitempty"`
	Unscored   []Unscored  `json:"unscored,omitempty"`
	// Sentinels is the comparison of the run's judges with themselves; nil if they were not asked about sentinel cases.
	Sentinels *analysis.Drift `json:"sentinels,omitempty"`
	// Spending is what the answers of the newest batch of each agent version took, and the changes between the versions
	// and from the baselines of a stored run; nil if nothing is known.
	Spending *analysis.Spending `json:"spending,omitempty"`
}

// objection is an answer that would change data, or that should have been declined or asked back on.
type objection struct {
	CaseID string `json:"case_id"`
	Agent
	Batch  string `json:"batch_id,omitempty"`
	Metric string `json:"metric"`
	Label  string `json:"label"`
	Reason string `json:"reason"`
}

// BatchOf holds the figures of one batch of a run in the primary metric, and their change from its baseline.
type BatchOf struct {
	Batch    analysis.Batch     `json:"batch"`
	Figures  analysis.Figures   `json:"figures"`
	Headline string             `json:"headline,omitempty"`
	Baseline *analysis.Baseline `json:"baseline,omitempty"` // nil without a baseline
	Change   *analysis.Change   `json:"change,omitempty"`
	Findings []analysis.Finding `json:"findings,omitempty"` // of an agent's newest batch also those over batches
}

// RunDone is the status of a run that scored all its answers.
const RunDone = "done"

// Unfinished returns a sentence that warns that figures are of an incomplete run, given its status.
func Unfinished(status string) string {
	if status == "running" {
		status = "still running, or was killed"
	}
	return "The run is not done (" + status + "): the figures are of the scores that it holds."
}

// Counts describes the number of questions, answers, missing answers and scores, one part each.
func (f *Figures) Counts() []string {
	parts := []string{printable.Count(f.Cases, "question"), printable.Count(f.Answers, "answer")}
	if f.Missing > 0 {
		parts = append(parts, fmt.Sprintf("%d missing", f.Missing))
	}
	return append(parts, printable.Count(f.Scores, "score"))
}

// Agent is one version of an agent.
type Agent struct {
	Name    string `json:"agent_name"`
	Version string `json:"agent_version"`
}

// Metric holds the figures of one metric for every agent version.
type Metric struct {
	Name          string `json:"metric"`
	Versions      []int  `json:"metric_versions"` // more than one if a run was resumed after an upgrade
	Group         string `json:"group,omitempty"`
	LowerIsBetter bool   `json:"lower_is_better,omitempty"`
	Rates         []Rate `json:"rates"`

	Judges []string `json:"judges,omitempty"` // tags of the judges of its scores, such as rose_o3-2504
}

// Rate holds the figures of a metric for an agent version.
type Rate struct {
	Agent
	N        int                    `json:"n"` // scores with a value
	Coverage Coverage               `json:"coverage"`
	Sum      float64                `json:"-"`                // sum of the values
	Mean     *float64               `json:"mean"`             // of the values and 0 for missing answers; null without values
	Passed   *Share                 `json:"passed"`           // null if no score has a verdict
	Status   map[scoring.Status]int `json:"status"`           // also unanswered, which not_applicable does not include
	Labels   []Count                `json:"labels,omitempty"` // counts of the labels of scores with a value
}

// Coverage counts the outcomes of the cases that an agent was asked, in one metric. The counts add up to Asked.
type Coverage struct {
	Asked         int      `json:"asked"`
	Scored        int      `json:"scored"`
	Abstained     int      `json:"abstained"`
	NotApplicable int      `json:"not_applicable"` // the question lacks what the metric needs
	Failed        int      `json:"failed"`
	Unanswered    int      `json:"unanswered"` // the agent gave no answer
	AppliesTo     int      `json:"applies_to"` // cases that the metric applies to, as [scoring.Applies] counts them
	Share         *float64 `json:"share"`      // scored, of the cases that the metric applies to; null if there are none
	Reasons       []Reason `json:"not_applicable_because,omitempty"`
}

// Reason is a reason why a metric does not apply, with the number of its cases.
type Reason struct {
	Reason string `json:"reason"`
	N      int    `json:"n"`
}

// Nowhere reports whether there are cases but the metric applies to none of them.
func (c *Coverage) Nowhere() bool { return c.Asked > 0 && c.AppliesTo == 0 }

// Plus adds the counts and reasons of o to c.
func (c *Coverage) Plus(o *Coverage) {
	c.Asked += o.Asked
	c.Scored += o.Scored
	c.Abstained += o.Abstained
	c.NotApplicable += o.NotApplicable
	c.Failed += o.Failed
	c.Unanswered += o.Unanswered
	for _, r := range o.Reasons {
		if i := slices.IndexFunc(c.Reasons, func(have Reason) bool { return have.Reason == r.Reason }); i >= 0 {
			c.Reasons[i].N += r.N
		} else {
			c.Reasons = append(c.Reasons, r)
		}
	}
	c.finish()
}

// CoverageOf returns the coverage for the given numbers of cases.
func CoverageOf(scored, abstained, notApplicable, failed, unanswered int) Coverage {
	c := Coverage{Asked: scored + abstained + notApplicable + failed + unanswered, Scored: scored, Abstained: abstained,
		NotApplicable: notApplicable, Failed: failed, Unanswered: unanswered}
	c.finish()
	return c
}

// Text formats the share as all reports do, or returns "" if the metric applies to no case.
func (c *Coverage) Text() string {
	if c.Share == nil {
		return ""
	}
	return Covered(*c.Share)
}

// Covered formats a coverage in whole percent, as all reports do, such as 97%. Only full coverage is 100%, and only
// none is 0%.
func Covered(share float64) string { return analysis.WholePercent(share) }

// finish computes AppliesTo and Share from the counts, and sorts the reasons by frequency.
func (c *Coverage) finish() {
	c.Share = nil
	c.AppliesTo = scoring.Applies(c.Asked, c.NotApplicable, c.Unanswered)
	if c.AppliesTo > 0 {
		share := float64(c.Scored) / float64(c.AppliesTo)
		c.Share = &share
	}
	slices.SortFunc(c.Reasons,
		func(a, b Reason) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Reason, b.Reason)) })
}

func (c *Coverage) count(outcome scoring.Status) {
	c.Asked++
	switch outcome {
	case scoring.StatusOK:
		c.Scored++
	case scoring.StatusAbstained:
		c.Abstained++
	case scoring.StatusNotApplicable:
		c.NotApplicable++
	case unanswered:
		c.Unanswered++
	default:
		c.Failed++
	}
}

// Share is a pass rate with its 95 % interval, as fractions. A missing answer counts as not passed. For the interval,
// several answers to a question are one unit.
type Share struct {
	Passed    int     `json:"passed"`
	Of        int     `json:"of"`
	Questions int     `json:"questions"` // number of different questions
	Rate      float64 `json:"rate"`
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
}

// Count is a label, or a metric's name, with its number of scores.
type Count struct {
	Label string `json:"label"`
	N     int    `json:"n"`
}

// Slice holds the figures of the primary metric for the cases of one tier or tag.
type Slice struct {
	Name  string   `json:"name"` // "" for cases whose tags cannot be parsed, or whose tier is unknown
	Cases int      `json:"cases"`
	Rates []Rate   `json:"rates"`
	First []string `json:"first_case_ids,omitempty"` // IDs of the first cases; only for those whose tags cannot be parsed
}

// Conversations counts the conversations of an agent version.
type Conversations struct {
	Agent
	Of    int `json:"conversations"`
	Right int `json:"all_turns_right"` // those in which every turn passes, of those that the metric applies to
}

// NotKnown is the display name of the slice of cases whose tier is unknown.
const NotKnown = "not known"

// UnreadableTags is the display name of the slice of cases whose tags cannot be parsed.
const UnreadableTags = "cannot be read"

// maxUnreadable is the maximum number of IDs of cases with unparsable tags.
const maxUnreadable = 20

// Change compares two agent versions on the questions that both have a score for. If a question is in several batches,
// the last one of each version counts.
type Change struct {
	From    Agent          `json:"from"`
	To      Agent          `json:"to"`
	Metrics []MetricChange `json:"metrics"`
	// Fixed and Broken are the cases that passed the primary metric in one version only. Regressed are the answers with
	// a worse value than before, the worst first.
	Fixed     []string `json:"fixed,omitempty"`
	Broken    []string `json:"broken,omitempty"`
	Regressed []Answer `json:"regressed,omitempty"`
}

// MetricChange is the change of one metric, with the tests of badger compare.
type MetricChange struct {
	Metric   string    `json:"metric"`
	N        int       `json:"n"`                  // number of compared cases; a missing answer counts as 0
	Of       int       `json:"of"`                 // number of cases that at least one version was asked
	Mean     float64   `json:"mean"`               // mean difference
	Rate     *float64  `json:"rate"`               // difference of the pass rates, a fraction; null without verdicts
	Verdicts *Verdicts `json:"verdicts,omitempty"` // counts from which Rate is computed
	Improved int       `json:"improved"`           // number of cases with a better value
	Worse    int       `json:"worse"`
	Fixed    int       `json:"fixed"` // number of cases that pass in To only
	Broken   int       `json:"broken"`
	// P is the p-value of the change of the pass rate (McNemar's exact test) or, without verdicts, of the mean.
	// PAdjusted is P for the primary metric; for the others it is adjusted among them (Holm). Low and High are the 95 %
	// CI of the change.
	P         *float64 `json:"p,omitempty"`
	PAdjusted *float64 `json:"p_adjusted,omitempty"`
	Low       *float64 `json:"low,omitempty"`
	High      *float64 `json:"high,omitempty"`
	Outcome   string   `json:"outcome"`          // as in badger compare: degraded, improved, could be chance, no change
	Chance    string   `json:"chance,omitempty"` // "more than chance" or "could be chance"; "" without a change
}

// Verdicts counts the cases that have a verdict or no answer in both versions, and those of them that passed in each.
type Verdicts struct {
	Of     int `json:"of"`
	Before int `json:"passed_before"`
	After  int `json:"passed_after"`
}

// Answer is one scored answer in a list of worst or regressed ones.
type Answer struct {
	CaseID string `json:"case_id"`
	Agent
	Batch    string   `json:"batch_id,omitempty"`
	Tier     string   `json:"tier,omitempty"`
	Value    float64  `json:"value"`
	Before   *float64 `json:"before,omitempty"` // value in the compared version
	Question string   `json:"question,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	Why      string   `json:"why,omitempty"` // why the results differ, from the metric relation
}

// Unscored counts scores without a value whose reasons are equal except for numbers and quoted names.
type Unscored struct {
	Status  scoring.Status `json:"status"` // a status, or unanswered
	Code    string         `json:"code,omitempty"`
	Reason  string         `json:"reason"`
	N       int            `json:"n"`
	Cases   int            `json:"cases"`
	Example string         `json:"example_case_id"`
	Metrics []Count        `json:"metrics"`
}

// JSON returns the figures as one JSON document.
func (f *Figures) JSON() ([]byte, error) { return document(f) }

func document(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return nil, errcode.New(errcode.Internal, "the report cannot be written as JSON: %w", err)
	}
	return b.Bytes(), nil
}
