package evaluation

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/export"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/internal/storedscores"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
)

// Summary collects the figures of a run for reports and gates.
type Summary struct {
	Figures *report.Figures // set by Close
	Mask    *caseview.Mask  // nil: no column is masked
	Status  string          // of the run; "" if unknown

	report   *report.Summary
	declared string // primary metric of the configuration or a flag; "" if none
	vague    string // tag of a judge without a release month of its model; "" if none
}

// summaryOf returns an empty summary for these metrics, with a declared primary metric or "".
func summaryOf(metrics []scoring.Metric, primary string) *Summary {
	options := report.SummaryOptions{Metrics: metrics, Primary: primary}
	return &Summary{report: report.NewSummary(options), declared: primary}
}

// Declared returns the declared primary metric, or "".
func (s *Summary) Declared() string { return s.declared }

// Primary returns the metric whose verdict decides whether an answer is right.
func (s *Summary) Primary() string { return s.report.Primary() }

// NewSummary returns an empty summary for the named metrics of an engine. primary is the declared primary metric, or
// "": see [scoring.Primary].
func NewSummary(engine *scoring.Engine, names []string, primary string) *Summary {
	var metrics []scoring.Metric
	for _, m := range engine.Metrics() {
		if slices.Contains(names, m.Name) {
			metrics = append(metrics, m)
		}
	}
	return summaryOf(metrics, primary)
}

// Add adds the scores of one answer. q is its question, zero if unknown.
func (s *Summary) Add(q Asked, rows []scoring.Row) {
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

// Describe adds the question of an answer whose scores were added without it.
func (s *Summary) Describe(of scoring.AnswerID, q Asked) {
	s.report.Describe(s.caseOf(of, q))
}

// caseOf returns the case for a report. If columns are masked, it omits question and tags.
func (s *Summary) caseOf(of scoring.AnswerID, q Asked) report.Case {
	c := report.Case{AnswerID: of, Position: q.Position}
	if s.Mask.None() {
		c.Question, c.Tags, c.TagsErr = q.Text, q.Tags, q.TagsErr
	}
	return c
}

// date orders the versions and batches by the dates that w has of them, if there are several.
func (s *Summary) date(ctx context.Context, w *store.Store) error {
	if !s.report.Several() {
		return nil
	}
	batches, err := storedscores.In(w).Batches(ctx)
	dates := map[scoring.By]time.Time{}
	for i := range batches {
		dates[batches[i].By] = batches[i].At
	}
	s.report.Dated(dates)
	return err
}

// dateByAnswers orders the versions and batches by the time of their last answers, if there are several.
func (s *Summary) dateByAnswers(answered map[scoring.RunID]time.Time) {
	if !s.report.Several() {
		return
	}
	dates := map[scoring.By]time.Time{}
	for key, at := range answered {
		dates[key.By] = at
	}
	s.report.Dated(dates)
}

// Close computes the figures. against names the baseline of all comparisons; "": see [report.SummaryOptions].
func (s *Summary) Close(against string) error {
	if err := s.report.CompareWith(against); err != nil {
		return errcode.Usage("--against: %w", err)
	}
	s.Figures = s.report.Figures()
	s.Figures.RunStatus = s.Status
	return nil
}

// Unversioned returns the warning about a judge whose replies do not name the version of its model; "" if there is no
// such judge.
func (s *Summary) Unversioned() string {
	if s.vague == "" {
		return ""
	}
	return Unversioned(s.vague)
}

// Unversioned returns that warning for the judge with this tag or name.
func Unversioned(judge string) string {
	return judge + ": the replies do not name the version of the model, so its scores cannot be distinguished from those of a later model of that name; " +
		"use a dated model, or set metrics.options.rose.released to the month of its release, such as 2504"
}

// AnyScored reports whether any score has a value or abstained.
func (s *Summary) AnyScored() bool {
	return slices.ContainsFunc(s.Figures.Metrics, func(m report.Metric) bool {
		return slices.ContainsFunc(m.Rates, func(r report.Rate) bool { return r.N > 0 || r.Coverage.Abstained > 0 })
	})
}

// NoResultRead reports whether scores of metrics that need results failed, and none of them has a value or abstained.
// Metrics of SQL text alone may have values, but nothing that a database returned was compared.
func (s *Summary) NoResultRead(metrics []scoring.Metric) bool {
	failed := false
	for _, m := range s.Figures.Metrics {
		if !slices.ContainsFunc(metrics, func(of scoring.Metric) bool {
			return of.Name == m.Name && of.Needs&(scoring.FieldGoldResult|scoring.FieldPredResult) != 0
		}) {
			continue
		}
		for _, r := range m.Rates {
			if r.N > 0 || r.Coverage.Abstained > 0 {
				return false
			}
			failed = failed || r.Coverage.Failed > 0
		}
	}
	return failed
}

// WriteJSON writes the figures as JSON in one line.
func (s *Summary) WriteJSON(w io.Writer) error {
	text, err := s.Figures.JSON()
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// Render writes the figures in the format of o.
func (s *Summary) Render(w io.Writer, o report.Options) error { return s.Figures.Render(w, o) }

// ExportOptions returns the options for exports of a run with these metrics, the primary one first. program is
// badger's version.
func (s *Summary) ExportOptions(metrics []scoring.Metric, program string) export.Options {
	primary := s.Primary()
	ordered := []string{primary}
	for i := range metrics {
		if metrics[i].Name != primary {
			ordered = append(ordered, metrics[i].Name)
		}
	}
	return export.Options{Metric: primary, Metrics: ordered, Known: metrics, Program: program,
		Status: func() string { return s.Status }}
}
