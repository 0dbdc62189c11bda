package export

import (
	"io"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/report"
)

// Format is a form in which a run can be written.
type Format struct {
	Name string // as flags and addresses call it, such as junit
	File string // a name for the file
	Type string // its media type
}

// Formats are all forms.
var Formats = []Format{
	{"csv", "cases.csv", "text/csv; charset=utf-8"},
	{"jsonl", "cases.jsonl", "application/x-ndjson"},
	{"junit", "cases.xml", "application/xml"},
	{"sarif", "cases.sarif", "application/sarif+json"},
	{"markdown", "summary.md", "text/markdown; charset=utf-8"},
}

// New writes a run in a form. Markdown takes memory for each score, the others for one answer.
// InvalidArgument: there is no such form.
func New(format string, w io.Writer, o Options) (Writer, error) {
	switch format {
	case "csv":
		return NewCSV(w, o), nil
	case "jsonl":
		return NewJSONLines(w, o), nil
	case "junit":
		return NewJUnit(w, o)
	case "sarif":
		return NewSARIF(w, o), nil
	case "markdown":
		return &summarised{w: w, o: o, sum: report.NewSummary(report.SummaryOptions{Metrics: o.Known, Primary: o.Metric})}, nil
	}
	return nil, errcode.New(errcode.InvalidArgument, "format: %.40q, expected csv, jsonl, junit, sarif or markdown", format)
}

// summarised is the summary in Markdown of the answers that are added.
type summarised struct {
	w   io.Writer
	o   Options
	sum *report.Summary
	run string
}

// Add adds the answer's scores.
func (m *summarised) Add(a *Answer) error {
	m.run = a.RunID
	of := report.Case{AnswerID: a.AnswerID, Question: a.Question, Tier: a.Tier, Tags: a.Tags, TagsErr: a.TagsErr}
	for i := range a.Scores {
		m.sum.Add(a.Scores[i], of)
	}
	return nil
}

// Close writes the summary.
func (m *summarised) Close() error {
	f := m.sum.Figures()
	f.RunStatus = m.o.status()
	return Markdown(m.w, f, MarkdownOptions{Run: m.run})
}
