package tracking

import (
	"context"
	"net/http"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

var _ = register(Exporter{Name: "langfuse", Title: "Langfuse", export: exportToLangfuse})

// langfuseScore is the body of POST /api/public/scores (https://api.reference.langfuse.com). A second request with the
// same id replaces the score.
type langfuseScore struct {
	ID       string         `json:"id"`
	TraceID  string         `json:"traceId"`
	Name     string         `json:"name"`
	Value    any            `json:"value"`
	Type     string         `json:"dataType"`
	Comment  string         `json:"comment,omitempty"`
	Metadata map[string]any `json:"metadata"`
}

// exportToLangfuse creates a score of the trace for each score with a value, and for each label.
func exportToLangfuse(ctx context.Context, c *client, o *Options, run *Run, r *Report) error {
	post := func(what string, s *langfuseScore) error {
		err := c.json(ctx, http.MethodPost, "/api/public/scores", s, nil)
		switch {
		case err == nil:
			r.sent(what)
		case fatal(err):
			return err
		default:
			r.failed(what, err)
		}
		return nil
	}
	id := ""
	if len(run.Rows) > 0 {
		id = run.Rows[0].ID
	}
	var last scoring.AnswerID
	for row, err := range run.Scores {
		if err != nil {
			return err
		}
		trace := o.trace(row.CaseID)
		if trace == "" {
			if row.AnswerID != last {
				r.NoTrace++
			}
			last = row.AnswerID
			continue
		}
		s := &row.Score
		if s.Status != scoring.StatusOK {
			r.NoValue++
			continue
		}
		out := &langfuseScore{ID: key(id, row.AnswerID, s.Metric), TraceID: trace, Name: s.Metric, Value: s.Value,
			Type: "NUMERIC", Metadata: metadata(id, &row)}
		if o.Content {
			out.Comment = s.Reason
		}
		if err := post("scores", out); err != nil {
			return err
		}
	}
	for _, v := range run.Labels {
		if trace := o.trace(v.CaseID); trace != "" {
			if err := post("labels", &langfuseScore{ID: key("label", v.AnswerID, v.Annotator), TraceID: trace, Name: labelName,
				Value: verdictOf(v), Type: "CATEGORICAL", Metadata: map[string]any{"annotator": v.Annotator}}); err != nil {
				return err
			}
		}
	}
	return nil
}

// labelName is the name of labels by people in other programs.
const labelName = "badger_label"

func verdictOf(v store.Vote) string {
	return map[int]string{1: "pass", -1: "fail"}[v.Says] + map[bool]string{true: "unsure"}[v.Says == 0]
}

// metadata identifies a score and how it was made.
func metadata(run string, row *scoring.Row) map[string]any {
	m := map[string]any{"badger_run": run, "metric_version": row.Score.Version}
	for name, value := range map[string]string{"agent": row.Agent, "agent_version": row.Version, "batch": row.Batch,
		"case": row.CaseID, "reference": row.GoldHash, "label": row.Score.Label} {
		if value != "" {
			m[name] = value
		}
	}
	if row.Score.Passed != nil {
		m["passed"] = *row.Score.Passed
	}
	return m
}
