package export

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

var _ = register(
	Format{Name: "jsonl", File: "cases.jsonl", Type: "application/x-ndjson",
		open: func(w io.Writer, o Options) (Writer, error) { return newJSONLines(w, o), nil }})

type jsonLines struct {
	w    *bufio.Writer
	e    *json.Encoder
	line bytes.Buffer // the encoder's output for one answer
	o    Options
}

// newJSONLines returns a Writer of one JSON object per line for each answer, with all its scores. A missing value is
// null.
func newJSONLines(w io.Writer, o Options) Writer {
	j := &jsonLines{w: bufio.NewWriter(w), o: o}
	j.e = json.NewEncoder(&j.line)
	j.e.SetEscapeHTML(false)
	return j
}

type jsonAnswer struct {
	Run string `json:"eval_run_id"`
	scoring.By
	CaseID   string   `json:"case_id"`
	Question string   `json:"question,omitempty"`
	Tier     string   `json:"tier,omitempty"`
	Tags     []string `json:"tags,omitempty"`
	Torn     string   `json:"unreadable_tags,omitempty"` // the raw tags, if they cannot be parsed
	Metric   string   `json:"metric"`                    // metric whose verdict is the outcome
	Outcome  Outcome  `json:"outcome"`
	jsonSpent
	Scores []jsonScore `json:"scores"`
}

type jsonScore struct {
	Metric  string         `json:"metric"`
	Version int            `json:"metric_version"`
	Status  scoring.Status `json:"status"`
	Value   *float64       `json:"value"`
	Label   string         `json:"label,omitempty"`
	Passed  *bool          `json:"passed"`
	Reason  string         `json:"reason"`
	Code    string         `json:"code,omitempty"`
}

// Add writes the line of an answer.
func (j *jsonLines) Add(a *Answer) error {
	outcome, by := a.verdict(j.o.Metric)
	out := jsonAnswer{
		Run: a.RunID, By: a.By, CaseID: a.CaseID, Question: a.Question, Tier: a.Tier, Tags: a.Tags, Torn: a.unreadableTags(),
		Metric: by, Outcome: outcome, jsonSpent: jsonSpentOf(a.Spent), Scores: make([]jsonScore, len(a.Scores)),
	}
	for i := range a.Scores {
		s := &a.Scores[i]
		out.Scores[i] = jsonScore{Metric: s.Metric, Version: s.Version, Status: s.Status, Label: s.Label, Passed: s.Passed,
			Reason: s.Reason}
		if s.Status == scoring.StatusOK {
			out.Scores[i].Value = &s.Value
		}
		if s.Status == scoring.StatusFailed {
			out.Scores[i].Code = s.Code.String()
		}
	}
	j.line.Reset()
	if err := j.e.Encode(&out); err != nil {
		return err
	}
	_, err := j.w.Write(printable.JSON(j.line.Bytes()))
	return err
}

// Close flushes the buffer.
func (j *jsonLines) Close() error { return j.w.Flush() }
