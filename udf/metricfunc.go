package udf

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// metricParam is a parameter that a metric's needs call for. The table's order is the order of the arguments.
type metricParam struct {
	Param
	needs scoring.Need // any of them
	set   func(r *metricRow, b *Batch, k, i int) error
}

var metricParams = []metricParam{
	{Param{"case_json", JSON, false, "the whole case, as a line of a case file"}, scoring.NeedCase,
		func(r *metricRow, b *Batch, k, i int) error {
			c, err := scoring.DecodeCase(bytesOf(b.Text(k, i)))
			if err != nil {
				return err
			}
			r.c = *c
			return nil
		}},
	{Param{"expected_behaviour", VARCHAR, false, "what the question calls for: answer, clarify or refuse"}, scoring.NeedBehaviour, behaviour},
	{Param{"question", VARCHAR, false, "the question that was asked"}, scoring.NeedQuestion | scoring.NeedMaterial,
		func(r *metricRow, b *Batch, k, i int) error { r.c.Question = b.Text(k, i); return nil }},
	{Param{"interpretation", VARCHAR, false, "the question in the agent's own words"}, scoring.NeedInterpretation,
		func(r *metricRow, b *Batch, k, i int) error { r.c.Agent.Interpretation = b.Text(k, i); return nil }},
	{Param{"response", VARCHAR, false, "the agent's answer in prose"}, scoring.NeedResponse | scoring.NeedBehaviour,
		func(r *metricRow, b *Batch, k, i int) error { r.c.Agent.Response = b.Text(k, i); return nil }},
	{Param{"gold_sql", VARCHAR, false, "the accepted query"}, scoring.NeedGoldSQL | scoring.NeedMaterial,
		func(r *metricRow, b *Batch, k, i int) error { r.gold[0].SQL = b.Text(k, i); return nil }},
	{Param{"agent_sql", VARCHAR, false, "the agent's query"}, scoring.NeedPredSQL | scoring.NeedExecution | scoring.NeedBehaviour | scoring.NeedMaterial,
		func(r *metricRow, b *Batch, k, i int) error { r.c.Pred.SQL = b.Text(k, i); return nil }},
	{Param{"gold_result", VARCHAR, false, `the accepted result: inline JSON {"columns":…,"rows":…} or a reference query:…, table:…, file:…`}, scoring.NeedGoldResult | scoring.NeedMaterial,
		func(r *metricRow, b *Batch, k, i int) error { r.gold[0].Result = result(b, k, i); return nil }},
	{Param{"agent_result", VARCHAR, false, "the agent's result, inline or by reference"}, scoring.NeedPredResult | scoring.NeedBehaviour | scoring.NeedMaterial,
		func(r *metricRow, b *Batch, k, i int) error { r.c.Pred.Result = result(b, k, i); return nil }},
	{Param{"sql_error", VARCHAR, false, "the database's message where the agent's query failed; NULL or empty where it ran"}, scoring.NeedExecution,
		func(r *metricRow, b *Batch, k, i int) error {
			r.c.Pred.Error = b.Text(k, i)
			r.c.Pred.Ran = r.c.Pred.Error != "" || strings.TrimSpace(r.c.Pred.SQL) != ""
			return nil
		}},
	{Param{"expected_tools", JSON, false, "the tool calls a right agent makes: a JSON list, or a specification"}, scoring.NeedTools,
		func(r *metricRow, b *Batch, k, i int) error {
			text := b.Text(k, i)
			if text != "" && !json.Valid(bytesOf(text)) {
				return errcode.New(errcode.InvalidArgument, "expected JSON")
			}
			r.c.Expected.Tools = bytesOf(text)
			return nil
		}},
	{Param{"tool_calls", JSON, false, `the tool calls the agent made: a JSON list of names or {"name":…,"arguments":…}`}, scoring.NeedTools,
		func(r *metricRow, b *Batch, k, i int) error {
			if text := b.Text(k, i); text != "" && json.Unmarshal(bytesOf(text), &r.c.Agent.ToolCalls) != nil {
				return errcode.New(errcode.InvalidArgument, `expected a JSON list of names or {"name":…,"arguments":…}`)
			}
			return nil
		}},
	{Param{"gold_latency_ms", DOUBLE, false, "how long the accepted query ran, in milliseconds"}, scoring.NeedLatency,
		func(r *metricRow, b *Batch, k, i int) (err error) {
			r.gold[0].Latency, err = latency(b, k, i)
			return err
		}},
	{Param{"agent_latency_ms", DOUBLE, false, "how long the agent's query ran, in milliseconds"}, scoring.NeedLatency,
		func(r *metricRow, b *Batch, k, i int) (err error) {
			r.c.Pred.Latency, err = latency(b, k, i)
			return err
		}},
}

// optionalGoldSQL follows the results of metrics that look whether row order matters.
var optionalGoldSQL = metricParam{
	Param{"gold_sql", VARCHAR, true, "the accepted query, to see whether the order of rows matters"}, scoring.NeedOrderSQL,
	func(r *metricRow, b *Batch, k, i int) error { r.gold[0].SQL = b.Text(k, i); return nil },
}

// contextParams follow the arguments of metrics that read more of a case where it is given. A metric whose needs include one has it already.
var contextParams = []metricParam{
	{Param{"gold_result", VARCHAR, true, "the accepted result, inline or by reference"}, scoring.NeedGoldResult | scoring.NeedMaterial,
		func(r *metricRow, b *Batch, k, i int) error { r.gold[0].Result = result(b, k, i); return nil }},
	{Param{"agent_result", VARCHAR, true, "the agent's result, inline or by reference"}, scoring.NeedPredResult | scoring.NeedBehaviour | scoring.NeedMaterial,
		func(r *metricRow, b *Batch, k, i int) error { r.c.Pred.Result = result(b, k, i); return nil }},
	{Param{"sql_error", VARCHAR, true, "the database's message where the agent's query failed"}, scoring.NeedExecution,
		func(r *metricRow, b *Batch, k, i int) error { r.c.Pred.Error = b.Text(k, i); return nil }},
	{Param{"evidence", VARCHAR, true, "hints that came with the question"}, 0,
		func(r *metricRow, b *Batch, k, i int) error { r.c.Evidence = b.Text(k, i); return nil }},
	schema,
}

// readingParams follow the results of metrics that read why they differ off the queries and the question.
var readingParams = []metricParam{
	{Param{"gold_sql", VARCHAR, true, "the accepted query"}, scoring.NeedGoldSQL,
		func(r *metricRow, b *Batch, k, i int) error { r.gold[0].SQL = b.Text(k, i); return nil }},
	{Param{"agent_sql", VARCHAR, true, "the agent's query"}, scoring.NeedPredSQL,
		func(r *metricRow, b *Batch, k, i int) error { r.c.Pred.SQL = b.Text(k, i); return nil }},
	{Param{"question", VARCHAR, true, "the question that was asked"}, scoring.NeedQuestion,
		func(r *metricRow, b *Batch, k, i int) error { r.c.Question = b.Text(k, i); return nil }},
	{Param{"evidence", VARCHAR, true, "hints that came with the question"}, scoring.NeedContext,
		func(r *metricRow, b *Batch, k, i int) error { r.c.Evidence = b.Text(k, i); return nil }},
}

// schema follows the arguments of metrics that read the schema where it is given.
var schema = metricParam{
	Param{"schema_ddl", VARCHAR, true, "DDL of the tables the question is about"}, 0,
	func(r *metricRow, b *Batch, k, i int) error { r.c.Schema = b.Text(k, i); return nil },
}

// answerParams follow the arguments of metrics that judge what an agent told in the light of what it did.
var answerParams = []metricParam{
	{Param{"agent_sql", VARCHAR, true, "the agent's query"}, scoring.NeedPredSQL | scoring.NeedExecution | scoring.NeedBehaviour,
		func(r *metricRow, b *Batch, k, i int) error { r.c.Pred.SQL = b.Text(k, i); return nil }},
	{Param{"agent_result", VARCHAR, true, "the agent's result, inline or by reference"}, scoring.NeedPredResult | scoring.NeedBehaviour | scoring.NeedContext,
		func(r *metricRow, b *Batch, k, i int) error { r.c.Pred.Result = result(b, k, i); return nil }},
	{Param{"sql_error", VARCHAR, true, "the database's message where the agent's query failed"}, scoring.NeedExecution | scoring.NeedContext,
		func(r *metricRow, b *Batch, k, i int) error { r.c.Pred.Error = b.Text(k, i); return nil }},
	{Param{"evidence", VARCHAR, true, "hints that came with the question"}, scoring.NeedContext,
		func(r *metricRow, b *Batch, k, i int) error { r.c.Evidence = b.Text(k, i); return nil }},
	{Param{"expected_behaviour", VARCHAR, true, "what the question calls for: answer, clarify or refuse"}, scoring.NeedBehaviour, behaviour},
}

// restatement follows the arguments of metrics that read the agent's interpretation where it is given.
var restatement = metricParam{
	Param{"interpretation", VARCHAR, true, "the question in the agent's own words"}, scoring.NeedRestatement,
	func(r *metricRow, b *Batch, k, i int) error { r.c.Agent.Interpretation = b.Text(k, i); return nil },
}

// metricRow is the case that one row's arguments make.
type metricRow struct {
	c    scoring.Case
	gold [1]scoring.Query
}

func behaviour(r *metricRow, b *Batch, k, i int) error {
	switch v := b.Text(k, i); v {
	case "", scoring.BehaviourAnswer, scoring.BehaviourClarify, scoring.BehaviourRefuse:
		r.c.Expected.Behaviour = v
		return nil
	}
	return errcode.New(errcode.InvalidArgument, "expected answer, clarify or refuse")
}

func result(b *Batch, k, i int) scoring.Result {
	return scoring.ParseResultText(bytesOf(b.Text(k, i)))
}

// bytesOf is the text's bytes, not to be written to.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// textOf is the text of bytes that nobody writes to again.
func textOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func latency(b *Batch, k, i int) (*time.Duration, error) {
	ms, ok := b.Float(k, i)
	if !ok {
		return nil, nil //nolint:nilnil // not measured
	}
	if !(ms >= 0 && ms <= 1e12) { // also refuses NaN
		return nil, errcode.New(errcode.InvalidArgument, "expected milliseconds from 0 to 1e12")
	}
	d := time.Duration(ms * float64(time.Millisecond))
	return &d, nil
}

// paramsOf lists the parameters that a metric's needs call for.
func paramsOf(m *scoring.Metric) (params []metricParam) {
	if m.Needs&scoring.NeedCase != 0 { // the case holds all others
		whole := *m
		whole.Needs = scoring.NeedCase
		m = &whole
	}
	for _, p := range metricParams {
		if m.Needs&p.needs != 0 {
			params = append(params, p)
		}
	}
	if m.Needs&scoring.NeedOrderSQL != 0 && m.Needs&scoring.NeedGoldSQL == 0 {
		p := optionalGoldSQL
		if len(params) == 0 { // all there is
			p.Optional, p.Doc = false, "the accepted query"
		}
		params = append(params, p)
	}
	if m.Needs&scoring.NeedContext != 0 {
		for _, p := range contextParams {
			if m.Needs&p.needs == 0 {
				params = append(params, p)
			}
		}
	}
	if m.Needs&scoring.NeedReading != 0 {
		for _, p := range readingParams {
			if m.Needs&p.needs == 0 {
				params = append(params, p)
			}
		}
	}
	if m.Needs&scoring.NeedSchema != 0 && m.Needs&scoring.NeedContext == 0 {
		params = append(params, schema)
	}
	if m.Needs&scoring.NeedAnswer != 0 {
		for _, p := range answerParams {
			if m.Needs&p.needs == 0 {
				params = append(params, p)
			}
		}
	}
	if m.Needs&scoring.NeedRestatement != 0 && m.Needs&scoring.NeedInterpretation == 0 {
		params = append(params, restatement)
	}
	if m.Options != nil {
		params = append(params, metricParam{
			Param{"options", JSON, true, "options of the metric, a JSON object"}, 0,
			func(r *metricRow, b *Batch, k, i int) error {
				if text := b.Text(k, i); text != "" {
					if r.c.Options == nil {
						r.c.Options = map[string]json.RawMessage{}
					}
					r.c.Options[m.Name] = bytesOf(text)
				}
				return nil
			},
		})
	}
	return params
}

// metricFunctions makes the two functions of a metric: its value (or label), and the whole score.
func metricFunctions(engine *scoring.Engine, m *scoring.Metric) []Function {
	params := paramsOf(m)
	withGold := slices.ContainsFunc(params, func(p metricParam) bool { return strings.HasPrefix(p.Name, "gold_") })
	score := func(ctx context.Context, in *Batch, i int) (scoring.Score, error) {
		var r metricRow
		if withGold {
			r.c.Golds = r.gold[:]
		}
		for k := range params {
			if err := params[k].set(&r, in, k, i); err != nil {
				return scoring.Score{}, errcode.New(errcode.Of(err), "argument %d (%s): %w", k+1, params[k].Name, err)
			}
		}
		scores, err := engine.ScoreMetrics(ctx, &r.c, []*scoring.Metric{m})
		if err != nil {
			return scoring.Score{}, err
		}
		return scores[0], nil
	}
	asks := m.Needs&(scoring.NeedJudge|scoring.NeedJudgeIfAny) != 0 || engine.AsksJudge(m)
	value := Function{
		Name: m.Name, Group: m.Group, Result: DOUBLE, Doc: m.Summary, Version: m.Version,
		Metric: m.Name, Range: m.Range, Labels: m.Labels,
		Volatile: asks, Waits: asks,
	}
	for _, p := range params {
		value.Params = append(value.Params, p.Param)
	}
	if m.Labels != nil {
		value.Result = VARCHAR
	}
	whole := value
	whole.Name, whole.Result, whole.Range, whole.Labels = m.Name+"_json", JSON, "", nil
	whole.Doc = "The whole score of " + m.Name + " as JSON: status, value, label, passed, reason, code, detail."

	value.Row = func(ctx context.Context, in *Batch, i int, out *Column) error {
		s, err := score(ctx, in, i)
		switch {
		case err != nil:
			return err
		case s.Status != scoring.StatusOK || m.Labels != nil && s.Label == "":
			out.SetNull(i)
			in.explain(Problem{Row: i, Status: s.Status, Code: s.Code, Reason: s.Reason})
		case m.Labels != nil:
			out.SetText(i, s.Label)
		default:
			out.SetFloat(i, s.Value)
		}
		return nil
	}
	whole.Row = func(ctx context.Context, in *Batch, i int, out *Column) error {
		s, err := score(ctx, in, i)
		if err != nil {
			return err
		}
		if s.Status != scoring.StatusOK {
			in.explain(Problem{Row: i, Status: s.Status, Code: s.Code, Reason: s.Reason})
		}
		out.SetText(i, envelope(s))
		return nil
	}
	whole.Envelope = func(err error) string {
		s := scoring.Fail(err)
		s.Metric, s.Version = m.Name, m.Version
		return envelope(s)
	}
	return []Function{value, whole}
}

// envelope is the score as JSON. Evidence that JSON cannot hold is left out, with a warning.
func envelope(s scoring.Score) string {
	b, err := json.Marshal(s)
	if err == nil {
		return textOf(b)
	}
	if _, ok := detailJSON(s.Detail); !ok {
		s.Detail, s.Warnings = nil, append(s.Warnings, detailUnwritable)
		if b, err = json.Marshal(s); err == nil {
			return textOf(b)
		}
	}
	b, _ = json.Marshal(scoring.Score{
		CaseID: s.CaseID, Metric: s.Metric, Version: s.Version, Status: scoring.StatusFailed, Code: errcode.Internal, Reason: "the value is not a finite number",
	})
	return textOf(b)
}

const detailUnwritable = "the detail could not be written as JSON"

func detailJSON(detail any) (text string, ok bool) {
	b, err := json.Marshal(detail)
	return textOf(b), err == nil
}
