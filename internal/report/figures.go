package report

import (
	"bytes"
	"encoding/json"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Figures are what a summary found: one JSON document, the same for the same scores in any order.
type Figures struct {
	Cases    int        `json:"cases"`
	Scores   int        `json:"scores"`
	Agents   []Agent    `json:"agents"`
	Primary  string     `json:"primary"` // the metric of tiers, tags and worst answers
	Metrics  []Metric   `json:"metrics"`
	Changes  []Change   `json:"changes,omitempty"` // every version against the one before it
	Tiers    []Slice    `json:"tiers,omitempty"`
	Tags     []Slice    `json:"tags,omitempty"`
	Worst    []Answer   `json:"worst,omitempty"` // answers that did not pass, by agent version, the worst first
	Unscored []Unscored `json:"unscored,omitempty"`
}

// Agent is one version of an agent.
type Agent struct {
	Name    string `json:"agent_name"`
	Version string `json:"agent_version"`
}

// Metric is what one metric says of every agent version.
type Metric struct {
	Name          string `json:"metric"`
	Versions      []int  `json:"metric_versions"` // more than one where a run went on after an upgrade
	Group         string `json:"group,omitempty"`
	LowerIsBetter bool   `json:"lower_is_better,omitempty"`
	Rates         []Rate `json:"rates"`
}

// Rate is what a metric says of the answers of one agent version.
type Rate struct {
	Agent
	N      int                    `json:"n"`      // scores with a value
	Mean   *float64               `json:"mean"`   // of the values; null without any
	Passed *Share                 `json:"passed"` // null where the metric gives no verdict
	Status map[scoring.Status]int `json:"status"`
	Labels []Count                `json:"labels,omitempty"` // of scores with a value
}

// Share is a pass rate with its 95 % Wilson interval; all are fractions.
type Share struct {
	Passed int     `json:"passed"`
	Of     int     `json:"of"`
	Rate   float64 `json:"rate"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

// Count counts a label.
type Count struct {
	Label string `json:"label"`
	N     int    `json:"n"`
}

// Slice is what the primary metric says of the cases of one tier or tag.
type Slice struct {
	Name  string `json:"name"`
	Cases int    `json:"cases"`
	Rates []Rate `json:"rates"`
}

// Change compares two agent versions on the cases that both have a score for.
type Change struct {
	From    Agent          `json:"from"`
	To      Agent          `json:"to"`
	Metrics []MetricChange `json:"metrics"`
	// Fixed and Broken are cases that the primary metric passed in one version only, Regressed those it rates lower, worst first.
	Fixed     []string `json:"fixed,omitempty"`
	Broken    []string `json:"broken,omitempty"`
	Regressed []Answer `json:"regressed,omitempty"`
}

// MetricChange is how one metric changed.
type MetricChange struct {
	Metric   string   `json:"metric"`
	N        int      `json:"n"`        // cases with a value in both
	Mean     float64  `json:"mean"`     // mean difference
	Rate     *float64 `json:"rate"`     // difference of the pass rates, a fraction; null without verdicts
	Improved int      `json:"improved"` // cases with a better value
	Worse    int      `json:"worse"`
	Fixed    int      `json:"fixed"` // cases that pass now and did not
	Broken   int      `json:"broken"`
	// P is McNemar's exact p for metrics with a verdict; Low and High are the 95 % interval of the mean difference for the others.
	P           *float64 `json:"p,omitempty"`
	Low         *float64 `json:"low,omitempty"`
	High        *float64 `json:"high,omitempty"`
	Significant bool     `json:"significant"` // at 5 %
}

// Answer is one scored answer.
type Answer struct {
	CaseID string `json:"case_id"`
	Agent
	Tier     string   `json:"tier,omitempty"`
	Value    float64  `json:"value"`
	Before   *float64 `json:"before,omitempty"` // value of the version before
	Question string   `json:"question,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	Why      string   `json:"why,omitempty"` // why the results differ, where the metric relation says so
}

// Unscored counts scores without a value that have the same reason. Numbers and quoted names in which reasons differ are left out.
type Unscored struct {
	Status  scoring.Status `json:"status"`
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
