package site

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/scoring/relation"
	"github.com/badger-eval/badger/sql/store"
)

// finding is what became of an answer, in one line.
type finding struct {
	Class string // of the verdict: right, wrong, doubt or none
	Word  string // such as Wrong
	Why   relation.Sentence
	By    string // the measure, if it is not the first one
	Tag   string // the human verdict, if it is another one
}

// word returns the class and the word of a verdict or status, as the template status has it.
func word(verdict string) (class, text string) {
	switch verdict {
	case "passed":
		return "right", "Right"
	case "failed":
		return "wrong", "Wrong"
	case "unanswered":
		return "wrong", "No answer"
	case "abstained":
		return "doubt", "Undecided"
	case "error":
		return "doubt", "Not scored"
	case "not_applicable":
		return "none", "Not asked"
	}
	return "none", ""
}

// newFinding returns the finding of a score. The reason explains scores of results.
func newFinding(s *caseview.Score, reason *relation.Reason, unanswered bool) *finding {
	f := &finding{}
	verdict := verdictOf(s)
	if unanswered && verdict == "not_applicable" {
		verdict = "unanswered"
	}
	f.Class, f.Word = word(verdict)
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

// asSentence starts a reason of a score as a sentence, and ends it as one.
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

// saidOf is the human verdict of an answer: the adjudicated label, else the verdict that all current labels share.
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

// tag sets the tag if people disagree with the verdict.
func (f *finding) tag(labels []store.LoggedLabel) {
	switch said := saidOf(labels); {
	case said == "pass" && f.Class == "wrong":
		f.Tag = "people say right"
	case said == "fail" && f.Class == "right":
		f.Tag = "people say wrong"
	}
}

// personWord returns the class and the word of a label's verdict.
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

// classWords are the meanings of the classes of relations.
var classWords = map[relation.Class]string{
	relation.Equivalent: "the same data", relation.Presentational: "the same data, shown otherwise",
	relation.Defensible: "another reading, often accepted", relation.Difference: "other data",
}

// kick is the line above the question: the case, and those of its tags that people sort by.
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

// judgeLine is a metric of a judge with its verdict, for the side of a case.
type judgeLine struct {
	Name   string
	Status verdictWord
	Value  string
	Reason string
}

// judged lists the scores that rest on a judge's reply.
func judged(v *caseview.View) (out []judgeLine) {
	for i := range v.Scores {
		s := &v.Scores[i]
		if !s.Judged {
			continue
		}
		class, text := word(verdictOf(s))
		l := judgeLine{
			Name:   metric.DisplayName(s.Metric),
			Status: verdictWord{class, strings.ToLower(text)},
			Reason: s.Reason,
		}
		if text == "" {
			if l.Value = s.Label; l.Value == "" {
				l.Value = figure(s.Value)
			}
		}
		out = append(out, l)
	}
	return out
}
