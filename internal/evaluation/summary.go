package evaluation

import (
	"io"
	"slices"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/export"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
)

// Summary gathers what is shown of a run and what gates look at.
type Summary struct {
	Figures *report.Figures // once it is closed
	Mask    *caseview.Mask  // nil: nothing is hidden
	Status  string          // of the run; empty if it is not known

	report *report.Summary
	vague  string // the tag of a judge that lacks the month of its model's release
}

// summaryOf is an empty summary of a run with these metrics.
func summaryOf(metrics []scoring.Metric) *Summary {
	return &Summary{report: report.NewSummary(report.SummaryOptions{Metrics: metrics})}
}

// Primary is the metric whose verdict is the outcome of an answer.
func (s *Summary) Primary() string { return s.report.Primary() }

// NewSummary is an empty summary of a run with the named metrics of an engine.
func NewSummary(engine *scoring.Engine, names []string) *Summary {
	var metrics []scoring.Metric
	for _, m := range engine.Metrics() {
		if slices.Contains(names, m.Name) {
			metrics = append(metrics, m)
		}
	}
	return summaryOf(metrics)
}

// Add adds the scores of an answer to a question, which may be unknown.
func (s *Summary) Add(q store.Question, rows []scoring.Row) {
	if len(rows) == 0 {
		return
	}
	info := s.caseOf(rows[0].AnswerID, q)
	scores := make([]scoring.Score, len(rows))
	for i := range rows {
		scores[i] = rows[i].Score
	}
	info.Tier = report.Tier(scores)
	for i := range rows {
		r := rows[i]
		r.Score.Reason = s.Mask.Reason(r.Score.Metric, r.Score.Reason)
		s.report.Add(r.Score, info)
		if tag, month := metric.Tagged(&r.Score); tag != "" {
			s.report.Judged(r.Score.Metric, tag)
			if !month && s.vague == "" {
				s.vague = tag
			}
		}
	}
}

// Describe adds the question of a case whose scores, or some of them, were added without it.
func (s *Summary) Describe(of scoring.AnswerID, q store.Question) {
	s.report.Describe(s.caseOf(of, q))
}

// caseOf is a case as a report has it. What may hold a masked value is left out.
func (s *Summary) caseOf(of scoring.AnswerID, q store.Question) report.Case {
	c := report.Case{AnswerID: of}
	if s.Mask.None() {
		c.Question, c.Tags, c.TagsErr = q.Text, q.Tags, q.TagsErr
	}
	return c
}

// Close computes the figures once everything is added. against names the baseline of all comparisons; empty: see
// [report.SummaryOptions].
func (s *Summary) Close(against string) error {
	if err := s.report.CompareWith(against); err != nil {
		return errcode.Usage("--against: %w", err)
	}
	s.Figures = s.report.Figures()
	s.Figures.RunStatus = s.Status
	return nil
}

// Unversioned returns the warning about a judge whose replies do not name the version of its model; empty if all
// do.
func (s *Summary) Unversioned() string {
	if s.vague == "" {
		return ""
	}
	return Unversioned(s.vague)
}

// Unversioned is that warning for a tag, or a judge.
func Unversioned(judge string) string {
	return judge + ": the replies do not name the version of the model, so its scores cannot be distinguished from those of a later model of that name; " +
		"use a dated model, or set metrics.options.rose.released to the month of its release, such as 2504"
}

// AnyValue reports whether any score has a value.
func (s *Summary) AnyValue() bool {
	return slices.ContainsFunc(s.Figures.Metrics, func(m report.Metric) bool {
		return slices.ContainsFunc(m.Rates, func(r report.Rate) bool { return r.N > 0 })
	})
}

// WriteJSON writes the figures as one JSON document on a line.
func (s *Summary) WriteJSON(w io.Writer) error {
	text, err := s.Figures.JSON()
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// Render prints the figures.
func (s *Summary) Render(w io.Writer, o report.Options) error { return s.Figures.Render(w, o) }

// ExportOptions are the options of exports of a run with these metrics; the primary one comes first.
// Program is the version of the program.
func (s *Summary) ExportOptions(metrics []scoring.Metric, program string) export.Options {
	primary := s.Primary()
	ordered := []string{primary}
	for i := range metrics {
		if metrics[i].Name != primary {
			ordered = append(ordered, metrics[i].Name)
		}
	}
	return export.Options{Metric: primary, Metrics: ordered, Program: program, Status: func() string { return s.Status }}
}
