package export

import (
	"bufio"
	"encoding/json"
	"io"

	"github.com/badger-eval/badger/scoring"
)

type jsonLines struct {
	w *bufio.Writer
	e *json.Encoder
	o Options
}

// NewJSONLines writes an object on a line for each answer, with all its scores. A value that is
// missing is null.
func NewJSONLines(w io.Writer, o Options) Writer {
	b := bufio.NewWriter(w)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	return &jsonLines{b, e, o}
}

type jsonAnswer struct {
	RunID    string      `json:"eval_run_id"`
	Agent    string      `json:"agent_name"`
	Version  string      `json:"agent_version"`
	Batch    string      `json:"batch_id"`
	CaseID   string      `json:"case_id"`
	Question string      `json:"question,omitempty"`
	Tier     string      `json:"tier,omitempty"`
	Tags     []string    `json:"tags,omitempty"`
	Metric   string      `json:"metric"` // whose verdict the outcome is
	Outcome  Outcome     `json:"outcome"`
	Scores   []jsonScore `json:"scores"`
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

// Add writes a line.
func (j *jsonLines) Add(a *Answer) error {
	out := jsonAnswer{
		RunID: a.RunID, Agent: a.Agent, Version: a.Version, Batch: a.Batch, CaseID: a.CaseID, Question: a.Question, Tier: a.Tier, Tags: a.Tags,
		Metric: j.o.Metric, Outcome: a.Outcome(j.o.Metric), Scores: make([]jsonScore, len(a.Scores)),
	}
	for i := range a.Scores {
		s := &a.Scores[i]
		out.Scores[i] = jsonScore{Metric: s.Metric, Version: s.Version, Status: s.Status, Label: s.Label, Passed: s.Passed, Reason: s.Reason}
		if s.Status == scoring.StatusOK {
			out.Scores[i].Value = &s.Value
		}
		if s.Status == scoring.StatusFailed {
			out.Scores[i].Code = s.Code.String()
		}
	}
	return j.e.Encode(&out)
}

// Close writes what is left.
func (j *jsonLines) Close() error { return j.w.Flush() }
