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
	Tier     string // complexity of the accepted query, such as easy; "" if it is not known
	Tags     []string
	TagsErr  error // why they cannot be read
	Place    Place
	Scores   []scoring.Score // by metric
}

// Of is an answer of a run to a question, with its scores.
func Of(run string, id scoring.AnswerID, q store.Question, scores []scoring.Score) *Answer {
	return &Answer{RunID: run, AnswerID: id, Question: q.Text, Tier: report.Tier(scores), Tags: q.Tags, TagsErr: q.TagsErr,
		Scores: scores}
}

// Withhold takes away what may quote values of results: question, tags and reasons.
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

// Place is the line of a file that an answer's case is in. The zero value is none.
type Place struct {
	File string // its path, with slashes
	Line int    // from 1
}

// Options select what is written of a run.
type Options struct {
	Metric  string           // whose verdict is the outcome of an answer
	Metrics []string         // that have scores, in the order of columns
	Known   []scoring.Metric // their groups and directions, for summaries
	Program string           // version of badger
	// of the run, asked when a document ends: done, running (also: killed), stopped or failed; nil, or "": not known
	Status func() string
}

// status is that of the run; "" if it is not known.
func (o *Options) status() string {
	if o.Status == nil {
		return ""
	}
	return o.Status()
}

// Writer writes answers in one form. The answers of an agent, version and batch may come in any order. The output
// is the same for the same answers in the same order.
type Writer interface {
	// Add writes an answer, which it does not keep.
	Add(a *Answer) error
	// Close ends the document. It does not close what the document is written to.
	Close() error
}

// Outcome is the outcome of a metric for an answer.
type Outcome string

// The outcomes.
const (
	Passed        Outcome = "passed"
	Failed        Outcome = "failed"         // the verdict, not the status of the score
	Unanswered    Outcome = "unanswered"     // the agent gave no answer; it counts as one that did not pass
	Error         Outcome = "error"          // the score failed
	Abstained     Outcome = "abstained"      // the metric could not decide
	NotApplicable Outcome = "not_applicable" // the question lacks what the metric needs
	Unjudged      Outcome = "unjudged"       // there is a value, and the metric gives no verdict
	Unscored      Outcome = "unscored"       // the run holds no score of the metric
)

// Missed reports whether the answer did not pass a metric, is missing, or could not be scored.
func (a *Answer) Missed(metric string) bool {
	switch a.Outcome(metric) {
	case Failed, Unanswered, Error:
		return true
	}
	return false
}

// Score is the answer's score of a metric, or nil.
func (a *Answer) Score(metric string) *scoring.Score {
	for i := range a.Scores {
		if a.Scores[i].Metric == metric {
			return &a.Scores[i]
		}
	}
	return nil
}

// Outcome returns the outcome of a metric for the answer.
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

// relationMetric is the metric that says why two results differ.
const relationMetric = "relation"

// difference is how the answer's result differs from the accepted one: the name of the relation and
// its sentence; "" if nothing is known, or nothing differs.
func (a *Answer) difference() (name, sentence string) {
	s := a.Score(relationMetric)
	if s == nil || s.Status != scoring.StatusOK || s.Label == "same" {
		return "", ""
	}
	return s.Label, s.Reason
}

// reason says why a metric came to its outcome.
func (a *Answer) reason(metric string) string {
	if s := a.Score(metric); s != nil {
		return s.Reason
	}
	if len(a.Scores) == 0 {
		return scoring.NoAnswer
	}
	return "the run holds no score of " + metric
}

// shownValue is the value of a score with the digits of all reports; a dash if there is none.
func shownValue(s *scoring.Score) string {
	if s == nil || s.Status != scoring.StatusOK {
		return "–"
	}
	return report.Value(s.Value)
}

// maxText is the maximal length in bytes of a string from data in forms for people.
const maxText = 4000

// oneLine is text from data on one line, with everything escaped that is not visible, and cut where
// it is very long.
func oneLine(s string) string { return printable.Text(cut(s, maxText)) }

// cut shortens a string to at most n bytes, at the start of a rune, and adds its length.
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
