// Package calibration measures the agreement of metrics, judges and policies with human labels.
//
// A [Study] holds labelled cases with scores of each metric; [Labelled.Score] computes it. Its [Report] can be
// written as JSON, as text, and as charts. A [JudgeTrial] holds the scores of a custom judge. [MakePolicies] derives
// the table of policies from labelled cases, and a [PolicyTrial] measures tables on databases that they were not
// derived from.
package calibration

import (
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
)

// Study holds labeled cases and the scores of metrics for them.
type Study struct {
	Cases   []Case
	Metrics []Metric
}

// Case is one labelled answer.
type Case struct {
	ID     string
	Label  agreement.Vote    // pass or fail; a case with a missing label is ignored
	Votes  []agreement.Vote  // one element for each annotator of the study; may be empty
	Groups map[string]string // by kind of group, such as [ByTier], for breakdowns
}

// Metric is one metric, with the judge that was called for it, if any.
type Metric struct {
	Key       string          // such as ex_bird, or rose@o3 with the judge
	Recorded  bool            // the verdicts were recorded, but not the judge's replies
	Scale     agreement.Scale // how values are compared with the threshold
	Threshold *float64        // nil: the metric has no verdicts
	Calls     bool            // the numbers of judge calls are known
	Scores    []Score         // by case of the study
}

// Score is the score of a metric for a case.
type Score struct {
	Status  scoring.Status
	Value   float64 // if Status is ok
	Verdict agreement.Vote
	Calls   int // number of judge calls
}

// Kinds of groups, in the order in which they are offered.
const (
	ByTier     = "tier"
	byDataset  = "dataset"
	byDatabase = "database"
)

// Options select the content of a report.
type Options struct {
	Resampling agreement.Resampling
	NoMeans    bool     // omit means of values and their intervals, which are slow
	Common     bool     // use only cases on which all metrics have a verdict
	By         []string // kinds of groups for breakdowns
	Compare    []string // keys of metrics: the first is compared with each of the others
	Backbone   []string // keys of the current judge's metric and of that with a candidate model

	Folds    int    // if above 1: number of folds of the cross-validation that chooses thresholds of graded metrics
	LeaveOut string // kind of group: thresholds are chosen on the other groups than the one that they are used for
}

func (o *Options) crossValidates() bool { return o.Folds > 1 || o.LeaveOut != "" }

// Report is the agreement of metrics with human labels.
type Report struct {
	N           int // labelled cases
	Passes      int // of them, how many are labelled a pass
	Metrics     []Result
	Breakdowns  []Breakdown
	Comparisons []Comparison
	Backbone    *Backbone // nil if it was not asked for
	People      *People   // nil if there are no votes
	Notes       []string
}

// Result is the agreement of one metric.
type Result struct {
	Key      string
	Recorded bool
	agreement.Confusion
	Of        int            // number of labelled cases; Confusion counts those with a verdict
	Coverage  agreement.Stat // share of cases with a verdict among the labelled ones that the metric applies to
	Kappa     agreement.Stat
	KappaCI   agreement.Interval
	Mean      agreement.Stat // of the values on labelled cases
	MeanCI    agreement.Interval
	Threshold *float64
	Calls     agreement.Stat         // mean number of judge calls per case with a verdict
	Without   map[scoring.Status]int // number of cases without a verdict by status; ok: the metric gives no verdict
	Chosen    *Chosen                // nil if the threshold was not chosen by cross-validation
	Notes     []string
}

// Chosen describes how a threshold was chosen by cross-validation.
type Chosen struct {
	How        string    // such as "10 folds" or "leaving out one database"
	Thresholds []float64 // chosen threshold by fold
	Fitted     agreement.Stat
	Before     agreement.Stat // kappa with the metric's own threshold
}

// Breakdown is the agreement in each group of one kind, such as by tier.
type Breakdown struct {
	By    string
	Parts []Part
}

// Part is the agreement in one group of cases.
type Part struct {
	Name    string
	N       int
	Passes  int
	Metrics []Result // in the order of the report; without intervals of kappa
	People  *People  // nil without votes
}

// Comparison is a test of two metrics on the cases on which both have a verdict.
type Comparison struct {
	A, B string
	agreement.Comparison
	Holm float64 // p-value adjusted for all comparisons of the report
}

// Backbone compares a candidate for a judge's model with the current one, on the cases on which both have a verdict.
// Adopt is true if the candidate is worse by none of four measures of agreement and better by at least one; ROSE,
// appendix E.2, requires AllBetter.
type Backbone struct {
	Current, Candidate string // keys of metrics
	N                  int    // number of cases with a verdict of both
	Measures           []BackboneMeasure
	Adopt              bool // no measure is worse, and at least one is better
	AllBetter          bool // all measures are better
	Why                string
}

// BackboneMeasure is one of the four measures, for both models.
type BackboneMeasure struct {
	Name               string
	Current, Candidate agreement.Stat
}

// People is the inter-annotator agreement.
type People struct {
	Annotators int // the largest number of votes on a case
	Cases      int // number of cases with at least two votes
	Unanimous  int // number of such cases whose votes are equal
	Fleiss     agreement.Stat
	Alpha      agreement.Stat
}
