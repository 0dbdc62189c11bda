package store

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// WriteCases writes cases into golden_set, with set_version setVersion, and their answers into agent_runs, and replaces
// rows with the same keys. A case without an agent's name, SQL, result, error and response has no answer. Human labels
// are written with [Store.WriteLabels]. Each call holds its rows in memory, so write many cases in several calls.
func (w *Store) WriteCases(ctx context.Context, setVersion string, cases []*scoring.Case) error {
	golden, runs := newRows("golden_set"), newRows("agent_runs")
	defer golden.release()
	defer runs.release()
	for _, c := range cases {
		if c.ID == "" {
			return errcode.New(errcode.InvalidArgument, "writing cases: case_id is missing")
		}
		if err := goldenRow(golden, c, setVersion); err != nil {
			return errcode.New(errcode.Of(err), "writing cases: case %q: %w", c.ID, err)
		}
		if c.Agent.Name == "" && c.Pred.SQL == "" && !c.Pred.Ran && c.Pred.Result.Absent() && c.Agent.Response == "" {
			continue
		}
		if err := runRow(runs, c); err != nil {
			return errcode.New(errcode.Of(err), "writing cases: case %q: %w", c.ID, err)
		}
	}
	if err := golden.merge(ctx, w); err != nil {
		return err
	}
	return runs.merge(ctx, w)
}

// WriteAnswers writes the answers of cases to agent_runs, and no questions. An answer with the key of an existing one
// replaces it.
func (w *Store) WriteAnswers(ctx context.Context, cases []*scoring.Case) error {
	runs := newRows("agent_runs")
	defer runs.release()
	for _, c := range cases {
		if err := runRow(runs, c); err != nil {
			return errcode.New(errcode.Of(err), "writing answers: case %q: %w", c.ID, err)
		}
	}
	return runs.merge(ctx, w)
}

func goldenRow(b *rows, c *scoring.Case, setVersion string) error {
	var gold scoring.Query
	if len(c.Golds) > 0 {
		gold = c.Golds[0]
	}
	result, err := textOf(gold.Result)
	if err != nil {
		return errcode.New(errcode.Of(err), "gold result: %w", err)
	}
	var more []scoring.Alternative
	for i := 1; i < len(c.Golds); i++ {
		g := c.Golds[i]
		text, err := textOf(g.Result)
		if err != nil {
			return errcode.New(errcode.Of(err), "gold result %d: %w", i+1, err)
		}
		a := scoring.Alternative{SQL: g.SQL, Error: g.Error, LatencyMS: milliseconds(g.Latency), Chart: g.Chart}
		if text != "" {
			a.Result, _ = json.Marshal(text) // a string can always be encoded
		}
		more = append(more, a)
	}
	j := jsons{}
	b.row(c.ID, optional(c.Question), optional(c.Evidence), optional(c.Schema), optional(c.Dialect), optional(gold.SQL),
		optional(result),
		j.raw("expected tools", c.Expected.Tools), j.list(len(c.Expected.Clarifications), c.Expected.Clarifications),
		optional(c.Expected.Behaviour), j.list(len(c.Tags), c.Tags),
		setVersion, number(milliseconds(gold.Latency)), optional(gold.Error), j.list(len(more), more), optional(c.Database),
		j.list(len(c.Options), c.Options), chartText(gold.Chart))
	return j.err
}

func runRow(b *rows, c *scoring.Case) error {
	result, err := textOf(c.Pred.Result)
	if err != nil {
		return errcode.New(errcode.Of(err), "result of the agent: %w", err)
	}
	var goldLatency *float64
	if len(c.Golds) > 0 {
		goldLatency = milliseconds(c.Golds[0].Latency)
	}
	a, j := &c.Agent, jsons{}
	b.row(a.Name, a.Version, a.BatchID, c.ID, optional(a.Interpretation), optional(c.Pred.SQL), optional(result),
		optional(c.Pred.Error), j.calls(a.ToolCalls),
		optional(a.Response), number(milliseconds(c.Pred.Latency)), number(goldLatency), a.RanAt,
		optional(a.ConversationID),
		turnNumberOf(a.Turn), j.list(len(a.Earlier), a.Earlier), orNull(a.TokensIn), orNull(a.TokensOut),
		orNull((*int64)(a.CostUSD)), chartText(c.Pred.Chart), chartText(a.Contexts))
	return j.err
}

// chartText returns a chart, or other JSON, as stored in the tables; nil if there is none.
func chartText(raw json.RawMessage) any { return optional(string(raw)) }

// textOf returns a result as stored in the tables: an inline result as JSON, or a reference.
func textOf(r scoring.Result) (string, error) {
	switch {
	case r.Err != nil:
		return "", r.Err
	case r.Table != nil:
		return string(r.Table.AppendJSON(nil)), nil
	}
	return r.Ref, nil
}

func milliseconds(d *time.Duration) *float64 {
	if d == nil {
		return nil
	}
	ms := float64(*d) / float64(time.Millisecond)
	return &ms
}

// turnNumberOf returns n, or nil for 0, which is unknown.
func turnNumberOf(n int) any {
	if n == 0 {
		return nil
	}
	return int64(n)
}

func number(f *float64) any { return orNull(f) }

// orNull returns the value, or nil for a nil pointer.
func orNull[T any](v *T) any {
	if v == nil {
		return nil
	}
	return *v
}

// jsons encodes values as JSON text and keeps the first error.
type jsons struct{ err error }

// list returns v as JSON, or nil if n is 0.
func (j *jsons) list(n int, v any) any {
	if n == 0 {
		return nil
	}
	text, err := json.Marshal(v)
	if err != nil && j.err == nil {
		j.err = errcode.New(errcode.InvalidArgument, "a member is no JSON")
	}
	return string(text)
}

// calls returns the tool calls of an answer: NULL if they were not logged, and an empty list if the agent made none.
func (j *jsons) calls(calls []scoring.ToolCall) any {
	if calls != nil && len(calls) == 0 {
		return "[]"
	}
	return j.list(len(calls), calls)
}

func (j *jsons) raw(what string, v json.RawMessage) any {
	if len(v) == 0 {
		return nil
	}
	if !json.Valid(v) && j.err == nil {
		j.err = errcode.New(errcode.InvalidArgument, "%s: expected JSON", what)
	}
	return string(v)
}

// Label is one annotator's label of an answer.
type Label struct {
	scoring.AnswerID // without a version: the only one that answered the question in the batch
	Annotator        string
	Verdict          string // pass, fail or unsure
	Note             string
	At               time.Time
}

// WriteLabels writes rows of human_labels and replaces earlier labels of the same answers by the same annotators.
func (w *Store) WriteLabels(ctx context.Context, labels ...Label) error {
	b := newRows("human_labels")
	defer b.release()
	for _, l := range labels {
		if !slices.Contains([]string{"pass", "fail", "unsure"}, l.Verdict) {
			return errcode.New(errcode.InvalidArgument,
				"writing labels: case %q: the verdict is %.20q, expected pass, fail or unsure", l.CaseID, l.Verdict)
		}
		b.row(l.CaseID, l.Agent, l.Batch, l.Annotator, l.Verdict, optional(l.Note), l.At, optional(l.Version))
	}
	return b.merge(ctx, w)
}

const readingHumanLabels = "reading human_labels"

// Vote is one annotator's current verdict on an answer.
type Vote struct {
	scoring.AnswerID
	Annotator string
	Says      int  // 1: it passes, -1: it fails, 0: unsure
	Decides   bool // adjudicates a disagreement, and overrides the other votes
	// Known is false if the label has no version of the agent and several versions or none answered in the batch; the
	// vote is then ignored.
	Known bool
}

// Votes lists the human verdicts on answers in human_labels and label_log. It returns nil if human_labels does not
// exist.
func (w *Store) Votes(ctx context.Context) ([]Vote, error) {
	q, err := w.query(ctx)
	if err != nil || !q.labelled {
		return nil, err
	}
	return all(ctx, w, q.votes())
}

// votes returns the statement for the human verdicts on answers.
func (q inputs) votes() Select[Vote] {
	fields := append(fieldsIn(caseFirst, func(v *Vote) *scoring.AnswerID { return &v.AnswerID }),
		field[Vote]{SQL: "annotator", In: func(v *Vote) any { return &v.Annotator }},
		field[Vote]{SQL: "said", In: func(v *Vote) any { return &v.Says }},
		isOne("decides", func(v *Vote) *bool { return &v.Decides }))
	// A label without a version is only used if a single version of the agent answered.
	known := slices.IndexFunc(fields, func(f field[Vote]) bool { return f.SQL == "agent_version" })
	fields[known] = field[Vote]{SQL: "agent_version", Decode: func(v *Vote, version scoring.Value) error {
		v.Version, v.Known = strings.Clone(textIn(version)), !version.IsNull()
		return nil
	}}
	return Select[Vote]{
		What: readingHumanLabels, Fields: fields,
		From: " FROM (" + q.Labels("1 = 1", "1 = 1", "1 = 1") +
			") v ORDER BY case_id, agent_name, agent_version, batch_id, annotator, decides",
	}
}
