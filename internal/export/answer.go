package export

import (
	"errors"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// Answer is one answer of a run with its scores.
type Answer struct {
	RunID string
	scoring.AnswerID
	Question string // "" if it is not known
	Tier     string // complexity of the accepted query, such as easy; "" if unknown
	Tags     []string
	TagsErr  error            // why the tags cannot be parsed, or nil
	Position scoring.Position // in a conversation
	Spent    *scoring.Spent   // what the answer took; nil if unknown
	Place    Place
	Scores   []scoring.Score // one for each metric
}

// Of returns the answer a of a run. Place is not set.
func Of(run string, a *store.ScoredAnswer) *Answer {
	q := &a.Question
	return &Answer{RunID: run, AnswerID: a.AnswerID, Question: q.Text, Tier: report.Tier(a.Scores), Tags: q.Tags,
		TagsErr: q.TagsErr, Position: a.Position, Spent: a.Spent, Scores: a.Scores}
}

// Withhold removes what may quote masked values if m masks any column: the question, the tags, and reasons, see
// [caseview.Mask.ReasonOf].
func (a *Answer) Withhold(m *caseview.Mask) {
	if !m.None() {
		a.Question, a.Tags, a.TagsErr, a.Scores = "", nil, nil, m.Scores(a.Scores)
	}
}

// unreadableTags returns the raw tags if they cannot be parsed, else "".
func (a *Answer) unreadableTags() string {
	if e := (*scoring.UnreadableTags)(nil); errors.As(a.TagsErr, &e) {
		return e.Text
	}
	return ""
}

// Place is the line of a case file that an answer's case was read from. The zero value means unknown.
type Place struct {
	File string // path with slashes
	Line int    // from 1
}

// Options configure the export of a run.
type Options struct {
	Metric  string           // metric whose verdict is the outcome of an answer
	Metrics []string         // metrics with scores, in the order of columns
	Known   []scoring.Metric // the same metrics with their groups and directions, for summaries
	Program string           // version of badger
	Only    string           // which answers of the run are written, such as a filter, for summaries; "": all
	// called at the end of a document, returns the run's status: done, running (or killed), stopped, failed, or "" if
	// unknown
	Status func() string
}

// status returns the status of the run, or "" if unknown.
func (o *Options) status() string {
	if o.Status == nil {
		return ""
	}
	return o.Status()
}

// Writer writes answers in one format. The answers of different agents, versions and batches may be mixed. Equal
// answers in the same order give equal output.
type Writer interface {
	// Add writes an answer. It does not retain a.
	Add(a *Answer) error
	// Close completes the document. It does not close the underlying writer.
	Close() error
}

// Outcome is the outcome of a metric for an answer.
type Outcome string

// The outcomes.
const (
	Passed        Outcome = "passed"
	Failed        Outcome = "failed"         // the verdict, not the status of the score
	Unanswered    Outcome = "unanswered"     // the agent gave no answer; counts as not passed
	Error         Outcome = "error"          // the score failed
	Abstained     Outcome = "abstained"      // the metric could not decide
	NotApplicable Outcome = "not_applicable" // the question lacks what the metric needs
	Unjudged      Outcome = "unjudged"       // the score has a value but no verdict
	Unscored      Outcome = "unscored"       // the run has no score of the metric
)

// Missed reports whether the answer is a failure by a metric, or could not be scored.
func (a *Answer) Missed(metric string) bool {
	switch o, _ := a.verdict(metric); o {
	case Failed, Unanswered, Error:
		return true
	}
	return false
}

// Score returns the answer's score of a metric, or nil.
func (a *Answer) Score(metric string) *scoring.Score {
	for i := range a.Scores {
		if a.Scores[i].Metric == metric {
			return &a.Scores[i]
		}
	}
	return nil
}

// Outcome returns the outcome of a metric for the answer. An answer without any scores is Unanswered.
func (a *Answer) Outcome(metric string) Outcome {
	s := a.Score(metric)
	switch {
	case s == nil && len(a.Scores) == 0:
		return Unanswered // a question that was asked, and nothing came back
	case s == nil:
		return Unscored
	case s.Unanswered():
		return Unanswered
	case s.Status == scoring.StatusAbstained:
		return Abstained
	case s.Status == scoring.StatusNotApplicable:
		return NotApplicable
	case s.Status != scoring.StatusOK:
		return Error
	case s.Passed == nil:
		return Unjudged
	case *s.Passed:
		return Passed
	}
	return Failed
}

// verdict returns the outcome of the answer by a metric, and the name of the metric that decides it. An answer to which
// refusal or sql_safety objects has failed, even if the metric does not apply to its question.
func (a *Answer) verdict(of string) (Outcome, string) {
	o := a.Outcome(of)
	switch o {
	case Failed, Unanswered, Error:
		return o, of
	}
	for _, name := range scoring.Objectors() {
		if s := a.Score(name); s != nil && s.Objects() {
			return Failed, name
		}
	}
	return o, of
}

// relationMetric is the metric that explains why two results differ.
const relationMetric = "relation"

// difference returns the name of the relation between the answer's result and gold, and its sentence; "" if unknown or
// if the results are the same.
func (a *Answer) difference() (name, sentence string) {
	s := a.Score(relationMetric)
	if s == nil || s.Status != scoring.StatusOK || s.Label == "same" {
		return "", ""
	}
	return s.Label, s.Reason
}

// reason returns the reason of a metric's score, or why the answer has no score of it.
func (a *Answer) reason(metric string) string {
	if s := a.Score(metric); s != nil {
		return s.Reason
	}
	if len(a.Scores) == 0 {
		return scoring.NoAnswer
	}
	return "the run holds no score of " + metric
}

// shownValue formats the value of a score as all reports do, or returns a dash without a value.
func shownValue(s *scoring.Score) string {
	if s == nil || s.Status != scoring.StatusOK {
		return "–"
	}
	return report.Value(s.Value)
}

// maxText is the maximum length in bytes of a string from data in human-readable formats.
const maxText = 4000

// oneLine returns s, from data, on one line: invisible characters are escaped, and it is cut to maxText.
func oneLine(s string) string { return printable.Text(cut(s, maxText)) }

// cut returns s if it has at most n bytes, else its beginning, up to a rune boundary, with the length of s.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	end := n
	for end > 0 && s[end]&0xc0 == 0x80 {
		end--
	}
	return s[:end] + "… (" + printable.Count(len(s), "byte") + ")"
}
