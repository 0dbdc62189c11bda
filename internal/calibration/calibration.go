// Package calibration says how far metrics, judges and policies agree with people who labelled cases.
//
// A [Study] holds labelled cases and, for every metric, a score of each; [Labelled] creates it. Its [Report] is
// written as JSON, for a terminal, and as charts. A [JudgeTrial] holds the scores of a custom judge. [MakePolicies]
// derives the table of policies from labelled cases, and a [PolicyTrial] measures that table on databases that were
// left out.
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
	Label  agreement.Vote    // pass or fail; a case whose label is missing counts for no metric
	Votes  []agreement.Vote  // of the people who labelled it, one place for each annotator of the study; may be empty
	Groups map[string]string // by kind of group, such as [ByTier]; agreement is broken down by them
}

// Metric is one metric, with the judge that answered for it.
type Metric struct {
	Key       string          // such as ex_bird, or rose@o3 with the backend
	Recorded  bool            // the verdicts were recorded without the replies they came from
	Scale     agreement.Scale // how values become verdicts
	Threshold *float64        // nil: the metric gives no verdicts
	Calls     bool            // whether the judge's calls are known
	Scores    []Score         // of every case of the study
}

// Score is the score of a metric for a case.
type Score struct {
	Status  scoring.Status
	Value   float64 // where the status is ok
	Verdict agreement.Vote
	Calls   int // of the judge
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
	NoMeans    bool     // means of values and their intervals, which take longest, are left out
	Common     bool     // only cases on which every metric gives a verdict
	By         []string // kinds of groups to break agreement down by
	Compare    []string // keys: the first is tested against each of the others
	Backbone   []string // two keys: whether the judge of the second may take the place of the first

	Folds    int    // above 1: number of folds of the cross-validation that chooses thresholds of graded metrics
	LeaveOut string // kind of group: thresholds are chosen on all other groups than the one they are reported on
}

func (o *Options) crossValidates() bool { return o.Folds > 1 || o.LeaveOut != "" }

// Report is the agreement of metrics with the labels.
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
	Of        int            // labelled cases; the confusion counts those with a verdict
	Coverage  agreement.Stat // share with a verdict, of the labelled cases that the metric applies to
	Kappa     agreement.Stat
	KappaCI   agreement.Interval
	Mean      agreement.Stat // of the values on labelled cases, whatever the labels say
	MeanCI    agreement.Interval
	Threshold *float64
	Calls     agreement.Stat         // of the judge, for each case with a verdict
	Without   map[scoring.Status]int // cases without a verdict, by the status of their score; ok: the metric gives none
	Chosen    *Chosen                // where the threshold was chosen
	Notes     []string
}

// Chosen describes how a threshold was chosen.
type Chosen struct {
	How        string    // such as "10 folds" or "leaving out one database"
	Thresholds []float64 // of each fold
	Fitted     agreement.Stat
	Before     agreement.Stat // kappa with the metric's own threshold
}

// Breakdown is agreement by group, such as by agent.
type Breakdown struct {
	By    string
	Parts []Part
}

// Part is one group of cases.
type Part struct {
	Name    string
	N       int
	Passes  int
	Metrics []Result // in the order of the report; without intervals of agreement
	People  *People  // nil if there are no votes
}

// Comparison is a test of two metrics on the cases they share.
type Comparison struct {
	A, B string
	agreement.Comparison
	Holm float64 // p-value adjusted for all comparisons of the report
}

// Backbone reports whether a candidate for a judge's model may take the place of the current one: only
// if it agrees with people no worse by any of four measures, and better by one (ROSE, appendix E.2,
// asks for better by all four). Both are measured on the cases on which both have a verdict.
type Backbone struct {
	Current, Candidate string // keys
	N                  int    // cases
	Measures           []BackboneMeasure
	Adopt              bool // no figure is worse, and at least one is better
	AllBetter          bool // the rule as ROSE states it
	Why                string
}

// BackboneMeasure is one of the four measures.
type BackboneMeasure struct {
	Name               string
	Current, Candidate agreement.Stat
}

// People is how far those who labelled agree among themselves.
type People struct {
	Annotators int // the most votes of a case
	Cases      int // with two votes or more
	Unanimous  int // of them
	Fleiss     agreement.Stat
	Alpha      agreement.Stat
}
