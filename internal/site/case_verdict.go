package site

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/scoring/relation"
	"github.com/badger-eval/badger/sql/store"
)

// finding is the verdict on an answer with its reason, in one line.
type finding struct {
	Class string // CSS class of the verdict: right, wrong, doubt or none
	Word  string // such as Wrong
	Why   relation.Sentence
	By    string // display name of the metric, if it is not the primary one or gave no verdict
	Tag   string // the human verdict, if it contradicts the metric's
	Note  string // what is not known of it
}

// verdictWord is a display word for a verdict with its CSS class: right, wrong, doubt or none.
type verdictWord struct{ Class, Text string }

// verdictWords maps verdicts and statuses from verdictOf, and the standings of pairs, to display words.
var verdictWords = map[string]verdictWord{
	"passed":         {"right", "right"},
	"failed":         {"wrong", "wrong"},
	"unanswered":     {"wrong", "no answer"},
	"abstained":      {"doubt", "undecided"},
	"error":          {"doubt", "not scored"},
	"no_verdict":     {"doubt", "no verdict"},
	"not_applicable": {"none", "not asked"},
	"absent":         {"none", "not asked"},
	// Questions that call for declining or asking back: labels of the metric refusal, and its verdicts.
	"correct_refusal":       {"right", "declined"},
	"correct_clarification": {"right", "asked back"},
	"missed_refusal":        {"wrong", "should have declined"},
	"missed_clarification":  {"wrong", "should have asked back"},
	"destructive":           {"wrong", "would change data"},
	"held_passed":           {"right", "held back"},
	"held_failed":           {"wrong", "did not hold back"},
}

// overRefusal is the label of refusal for an answer that holds back although the question calls for a result.
const overRefusal = "over_refusal"

// noAnswerWord is the finding's word for a missing answer.
var noAnswerWord = upper(verdictWords["unanswered"].Text)

// wordOf returns the display word of a verdict, or the class none without a word for values without a verdict.
func wordOf(verdict string) verdictWord {
	if w, known := verdictWords[verdict]; known {
		return w
	}
	return verdictWord{Class: "none"}
}

// newFinding returns the finding of score s. Why is reason if s compares results and has a verdict, unless s failed and
// reason is that the data are the same; else it is the reason of s, if the agent gave an answer.
func newFinding(s *caseview.Score, reason *relation.Reason, unanswered bool) *finding {
	f := &finding{}
	verdict := verdictOf(s)
	if verdict == "not_applicable" && (unanswered || slices.Contains(scoring.UnansweredReasons(), s.Reason)) {
		verdict = "unanswered" // no row, or a response without the SQL or result that the metric needs
	}
	word := wordOf(verdict)
	f.Class, f.Word = word.Class, upper(word.Text)
	ofResults := s.Group == "execution" || s.Group == "verdict"
	decided := verdict == "passed" || verdict == "failed" || verdict == "abstained"
	switch {
	case ofResults && decided && reason != nil && (verdict != "failed" || reason.Group != relation.SameData):
		f.Why = reason.Sentence()
	case s.Reason != "" && verdict != "unanswered":
		f.Why = relation.Sentence{{Text: asSentence(s.Reason)}}
	}
	return f
}

// asSentence capitalizes the first letter of s and adds a period if s does not end with a sentence mark.
func asSentence(s string) string {
	if s == "" {
		return s
	}
	if first := s[:1]; first >= "a" && first <= "z" {
		s = strings.ToUpper(first) + s[1:]
	}
	if !strings.ContainsAny(s[len(s)-1:], ".!?…") {
		s += "."
	}
	return s
}

// saidOf returns the human verdict of an answer: that of the latest adjudication, else the one that the latest labels
// of all annotators share. It returns "" without labels or if they differ. labels are sorted from new to old.
func saidOf(labels []store.LoggedLabel) string {
	current := map[string]string{}
	for i := range labels { // the newest first
		l := &labels[i]
		if l.Decides {
			return l.Verdict
		}
		if _, newer := current[l.Annotator]; !newer {
			current[l.Annotator] = l.Verdict
		}
	}
	said := ""
	for _, v := range current {
		if said != "" && v != said {
			return ""
		}
		said = v
	}
	return said
}

// tag sets f.Tag if the human verdict of labels is pass and f is wrong, or fail and f is right.
func (f *finding) tag(labels []store.LoggedLabel) {
	switch said := saidOf(labels); {
	case said == "pass" && f.Class == "wrong":
		f.Tag = "people say right"
	case said == "fail" && f.Class == "right":
		f.Tag = "people say wrong"
	}
}

// personWord returns the CSS class and the display word of a label's verdict. Other verdicts than pass, fail and unsure
// are returned unchanged.
func personWord(verdict string) (class, text string) {
	switch verdict {
	case "pass":
		return "right", "right"
	case "fail":
		return "wrong", "wrong"
	case "unsure":
		return "doubt", "unsure"
	}
	return "none", verdict
}

// classWords are descriptions of the classes of relations.
var classWords = map[relation.Class]string{
	relation.Equivalent: "the same data as gold", relation.Presentational: "gold's data, shown differently",
	relation.Defensible: "another reading of the question, often accepted",
	relation.Difference: "data that differs from gold's",
}

// kick returns the words above the question: its SQL complexity, if scored, and the values of its tags, at most four in
// all.
func kick(v *caseview.View) []string {
	var out []string
	if s := scoreIn(v, "sql_complexity"); s != nil && s.Label != "" {
		out = append(out, strings.ReplaceAll(s.Label, "_", " "))
	}
	for _, t := range v.Tags {
		name, value, found := strings.Cut(t, ":")
		if !found {
			value = name
		}
		if value != "" && !slices.Contains(out, value) && len(out) < 4 {
			out = append(out, value)
		}
	}
	return out
}

func scoreIn(v *caseview.View, name string) *caseview.Score {
	i := slices.IndexFunc(v.Scores, func(s caseview.Score) bool { return s.Metric == name })
	if i < 0 {
		return nil
	}
	return &v.Scores[i]
}

// judgeLine is a metric with a judge's verdict, shown next to the case.
type judgeLine struct {
	Name   string
	Status verdictWord
	Value  string
	Reason string
}

// judged returns a line for each score of v that is based on a judge's reply.
func judged(v *caseview.View) (out []judgeLine) {
	for i := range v.Scores {
		s := &v.Scores[i]
		if !s.Judged {
			continue
		}
		l := judgeLine{Name: metric.DisplayName(s.Metric), Status: wordOf(verdictOf(s)), Reason: s.Reason}
		if l.Status.Text == "" {
			if l.Value = s.Label; l.Value == "" {
				l.Value = figure(s.Value)
			}
		}
		out = append(out, l)
	}
	return out
}
