package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Figures are the figures of a summary: one JSON document, the same for the same scores in any order.
type Figures struct {
	Cases   int      `json:"cases"`   // questions
	Answers int      `json:"answers"` // to them, of all agent versions and batches
	Scores  int      `json:"scores"`
	Agents  []Agent  `json:"agents"`
	Primary string   `json:"primary"` // the metric of tiers, tags and worst answers
	Metrics []Metric `json:"metrics"`
	// RunStatus is the status of the run, as in eval_runs; empty if the figures are of no single run,
	// or it is not known.
	RunStatus string `json:"run_status,omitempty"`

	// Batches are the latest batches of a stored run, the newest first.
	Batches []BatchOf `json:"batches,omitempty"`
	// every version against the one before it, agents of one version against each other
	Changes []Change `json:"changes,omitempty"`
	Tiers   []Slice  `json:"tiers,omitempty"`
	Tags    []Slice  `json:"tags,omitempty"`
	// UnreadableTags are the cases whose tags cannot be read; nil if there are none.
	UnreadableTags *Slice     `json:"unreadable_tags,omitempty"`
	Worst          []Answer   `json:"worst,omitempty"` // answers that did not pass, by agent version, the worst first
	Unscored       []Unscored `json:"unscored,omitempty"`
}

// BatchOf is one batch of a run, by the primary metric, next to its baseline.
type BatchOf struct {
	Batch    analysis.Batch     `json:"batch"`
	Figures  analysis.Figures   `json:"figures"`
	Headline string             `json:"headline,omitempty"`
	Baseline *analysis.Baseline `json:"baseline,omitempty"` // nil if there is none
	Change   *analysis.Change   `json:"change,omitempty"`
	Findings []analysis.Finding `json:"findings,omitempty"` // of the newest batch of each agent also those of its course
}

// RunDone is the status of a run that scored all that it was asked to.
const RunDone = "done"

// Unfinished describes the effect of an incomplete run on figures, given its status.
func Unfinished(status string) string {
	if status == "running" {
		status = "still running, or was killed"
	}
	return "The run is not done (" + status + "): the figures are of the scores that it holds."
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

	Judges []string `json:"judges,omitempty"` // tags of the judges that its scores rest on, such as rose_o3-2504
}

// Rate holds the figures of a metric for an agent version.
type Rate struct {
	Agent
	N        int                    `json:"n"` // scores with a value
	Coverage Coverage               `json:"coverage"`
	Sum      float64                `json:"-"`                // of the values
	Mean     *float64               `json:"mean"`             // of the values; null without any
	Passed   *Share                 `json:"passed"`           // null where the metric gives no verdict
	Status   map[scoring.Status]int `json:"status"`           // and unanswered, which not_applicable excludes
	Labels   []Count                `json:"labels,omitempty"` // of scores with a value
}

// Coverage counts the outcomes of the cases that an agent was asked, in one metric. The counts add up to Asked.
type Coverage struct {
	Asked         int      `json:"asked"`
	Scored        int      `json:"scored"`
	Abstained     int      `json:"abstained"`
	NotApplicable int      `json:"not_applicable"` // what the metric needs is not part of the question
	Failed        int      `json:"failed"`
	Unanswered    int      `json:"unanswered"` // the agent gave no answer
	AppliesTo     int      `json:"applies_to"` // cases that the metric applies to, as [scoring.Applies] counts them
	Share         *float64 `json:"share"`      // scored, of the cases that the metric applies to; null if there are none
	Reasons       []Reason `json:"not_applicable_because,omitempty"`
}

// Reason is why a metric does not apply to some cases.
type Reason struct {
	Reason string `json:"reason"`
	N      int    `json:"n"`
}

// Nowhere reports whether there were cases and the metric applies to none of them.
func (c *Coverage) Nowhere() bool { return c.Asked > 0 && c.AppliesTo == 0 }

// Plus adds the cases of another.
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

// CoverageOf is the coverage of cases that were counted.
func CoverageOf(scored, abstained, notApplicable, failed, unanswered int) Coverage {
	c := Coverage{Asked: scored + abstained + notApplicable + failed + unanswered, Scored: scored, Abstained: abstained,
		NotApplicable: notApplicable, Failed: failed, Unanswered: unanswered}
	c.finish()
	return c
}

// Text is the share as all reports print it; "" if the metric applies to no case.
func (c *Coverage) Text() string {
	if c.Share == nil {
		return ""
	}
	return Covered(*c.Share)
}

// Covered is a coverage, a fraction, as all reports print it: in whole percent, such as 97%, where 100% is
// all and nothing less, and 0% is none.
func Covered(share float64) string { return analysis.WholePercent(share) }

// finish computes what follows from the counts.
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

// Share is a pass rate with its 95 % interval; all are fractions. A missing answer did not pass. The interval is over
// questions: several answers to a question are one unit.
type Share struct {
	Passed    int     `json:"passed"`
	Of        int     `json:"of"`
	Questions int     `json:"questions"` // different ones among Of
	Rate      float64 `json:"rate"`
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
}

// Count counts a label.
type Count struct {
	Label string `json:"label"`
	N     int    `json:"n"`
}

// Slice holds the figures of the primary metric for the cases of one tier or tag.
type Slice struct {
	Name  string   `json:"name"` // "" for the cases whose tags cannot be read, or whose tier is not known
	Cases int      `json:"cases"`
	Rates []Rate   `json:"rates"`
	First []string `json:"first_case_ids,omitempty"` // the first of these cases; nil in a slice of others
}

// NotKnown is how people read the name of the slice of the cases whose tier is not known.
const NotKnown = "not known"

// UnreadableTags is how people read the name of the slice of the cases whose tags cannot be read.
const UnreadableTags = "cannot be read"

// maxUnreadable is how many of these cases are named.
const maxUnreadable = 20

// Change compares two agent versions on the cases that both have a score for; of a case in several
// batches, on the last batch of each.
type Change struct {
	From    Agent          `json:"from"`
	To      Agent          `json:"to"`
	Metrics []MetricChange `json:"metrics"`
	// Fixed and Broken are cases that the primary metric passed in one version only, Regressed
	// those it rates lower, worst first.
	Fixed     []string `json:"fixed,omitempty"`
	Broken    []string `json:"broken,omitempty"`
	Regressed []Answer `json:"regressed,omitempty"`
}

// MetricChange is how one metric changed, as badger compare tests it.
type MetricChange struct {
	Metric   string    `json:"metric"`
	N        int       `json:"n"`                  // compared cases; a missing answer counts as 0
	Of       int       `json:"of"`                 // cases that both or one of them were asked
	Mean     float64   `json:"mean"`               // mean difference
	Rate     *float64  `json:"rate"`               // difference of the pass rates, a fraction; null without verdicts
	Verdicts *Verdicts `json:"verdicts,omitempty"` // that Rate is of
	Improved int       `json:"improved"`           // cases with a better value
	Worse    int       `json:"worse"`
	Fixed    int       `json:"fixed"` // cases that pass now and did not
	Broken   int       `json:"broken"`
	// P is of the change of the pass rate if the metric has verdicts (McNemar's exact test), else of the mean. PAdjusted
	// is P for the primary metric, and adjusted among the others for these (Holm). Low and High are the 95 % CI of the
	// same change.
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

// Answer is one scored answer.
type Answer struct {
	CaseID string `json:"case_id"`
	Agent
	Batch    string   `json:"batch_id,omitempty"`
	Tier     string   `json:"tier,omitempty"`
	Value    float64  `json:"value"`
	Before   *float64 `json:"before,omitempty"` // value of the version before
	Question string   `json:"question,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	Why      string   `json:"why,omitempty"` // why the results differ, if the metric relation has a reason
}

// Unscored counts scores without a value that have the same reason. Numbers and quoted names in
// which reasons differ are left out.
type Unscored struct {
	Status  scoring.Status `json:"status"` // or unanswered
	Code    string         `json:"code,omitempty"`
	Reason  string         `json:"reason"`
	N       int            `json:"n"`
	Cases   int            `json:"cases"`
	Example string         `json:"example_case_id"`
	Metrics []Count        `json:"metrics"`
}

// JSON is the figures as one document.
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
