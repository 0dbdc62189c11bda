package main

import (
	"io"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
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

// runSummary gathers what is shown of a run, and the means that gates look at.
type runSummary struct {
	report *report.Summary
	sums   map[string]*mean
}

type mean struct {
	sum float64
	n   int
}

func newRunSummary(engine *scoring.Engine, names []string) *runSummary {
	var metrics []scoring.Metric
	for _, m := range engine.Metrics() {
		if slices.Contains(names, m.Name) {
			metrics = append(metrics, m)
		}
	}
	return &runSummary{report: report.NewSummary(report.SummaryOptions{Metrics: metrics}), sums: map[string]*mean{}}
}

// add takes the scores of one case; c is nil where the case could not be read.
func (s *runSummary) add(c *scoring.Case, rows []batch.Row) {
	info := report.Case{}
	if c != nil {
		info = report.Case{ID: c.ID, Question: c.Question, Tags: c.Tags}
	}
	for i := range rows {
		if sc := &rows[i].Score; sc.Metric == "sql_complexity" && sc.Status == scoring.StatusOK {
			info.Tier = strings.ReplaceAll(sc.Label, "_", " ")
		}
	}
	for i := range rows {
		r := &rows[i]
		info.ID, info.Agent, info.Version = r.Score.CaseID, r.Agent, r.AgentVersion
		s.report.Add(r.Score, info)
		if r.Score.Status == scoring.StatusOK {
			m := s.sums[r.Score.Metric]
			if m == nil {
				m = &mean{}
				s.sums[r.Score.Metric] = m
			}
			m.sum += r.Score.Value
			m.n++
		}
	}
}

// mean is the mean of a metric over the cases that have a value.
func (s *runSummary) mean(metric string) (value float64, n int) {
	if m := s.sums[metric]; m != nil {
		return m.sum / float64(m.n), m.n
	}
	return 0, 0
}

func (s *runSummary) writeJSON(w io.Writer) error {
	text, err := s.report.JSON()
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

func (s *runSummary) render(w io.Writer, o report.Options) error { return s.report.Render(w, o) }
