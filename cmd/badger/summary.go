package main

import (
	"io"
	"slices"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// terminalFlags say what the terminal can show, where it does not say so itself.
type terminalFlags struct {
	Width int  `placeholder:"N" help:"Columns of the terminal."`
	ASCII bool `name:"ascii" help:"Print nothing beyond ASCII."`
}

func (f terminalFlags) options(p process) report.Options {
	o := report.Terminal(p.stdout, p.getenv)
	if f.Width > 0 {
		o.Width = f.Width
	}
	if f.ASCII {
		o.Unicode = false
	}
	return o
}

// runSummary gathers what is shown of a run and what gates look at.
type runSummary struct {
	report  *report.Summary
	figures *report.Figures // once it is closed
	vague   string          // the tag of a judge that lacks the month of its model's release
	mask    *caseview.Mask  // nil: nothing is hidden
	status  string          // of the run; empty where it is not known
}

func newRunSummary(engine *scoring.Engine, names []string) *runSummary {
	var metrics []scoring.Metric
	for _, m := range engine.Metrics() {
		if slices.Contains(names, m.Name) {
			metrics = append(metrics, m)
		}
	}
	return &runSummary{report: report.NewSummary(report.SummaryOptions{Metrics: metrics})}
}

// add takes the scores of one case; c is nil where the case could not be read.
func (s *runSummary) add(c *scoring.Case, rows []batch.Row) {
	info := report.Case{}
	if c != nil {
		info = report.Case{ID: c.ID, Question: c.Question, Tags: c.Tags, TagsErr: c.TagsErr}
	}
	scores := make([]scoring.Score, len(rows))
	for i := range rows {
		scores[i] = rows[i].Score
	}
	info.Tier = report.Tier(scores)
	if !s.mask.None() {
		info.Question, info.Tags, info.TagsErr = "", nil, nil // they may hold a masked value
	}
	for i := range rows {
		r := rows[i]
		r.Score.Reason = s.mask.Reason(r.Score.Metric, r.Score.Reason)
		info.ID, info.Agent, info.Version, info.Batch = r.CaseID, r.Agent, r.Version, r.Batch
		s.report.Add(r.Score, info)
		if tag, month := metric.Tagged(&r.Score); tag != "" {
			s.report.Judged(r.Score.Metric, tag)
			if !month && s.vague == "" {
				s.vague = tag
			}
		}
	}
}

// describe tells of a case whose scores, or some of them, were added without it.
func (s *runSummary) describe(c *scoring.Case) {
	if !s.mask.None() {
		return
	}
	s.report.Describe(report.Case{ID: c.ID, Question: c.Question, Tags: c.Tags, Agent: c.Agent.Name, Version: c.Agent.Version, Batch: c.Agent.BatchID})
}

// close computes the figures once everything is added. Against names whom all others are compared
// with; empty: see [report.SummaryOptions].
func (s *runSummary) close(against string) error {
	if err := s.report.CompareWith(against); err != nil {
		return usage("--against: %w", err)
	}
	s.figures = s.report.Figures()
	s.figures.RunStatus = s.status
	return nil
}

// unversioned is the warning about a judge whose replies do not name the version of its model; empty
// where all do.
func (s *runSummary) unversioned() string {
	if s.vague == "" {
		return ""
	}
	return unversioned(s.vague)
}

// unversioned is that warning for a tag, or a judge.
func unversioned(judge string) string {
	return judge + ": the replies do not name the version of the model, so that its scores cannot be told from those of a later model of that name; " +
		"ask for a dated model, or set metrics.options.rose.released to the month of its release, such as 2504"
}

// anyValue tells whether any score has a value.
func (s *runSummary) anyValue() bool {
	return slices.ContainsFunc(s.figures.Metrics, func(m report.Metric) bool {
		return slices.ContainsFunc(m.Rates, func(r report.Rate) bool { return r.N > 0 })
	})
}

func (s *runSummary) writeJSON(w io.Writer) error {
	text, err := s.figures.JSON()
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

func (s *runSummary) render(w io.Writer, o report.Options) error { return s.figures.Render(w, o) }
