package udf

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/toolcalls"
)

// metricParam is a parameter of metric functions, with the fields of a case that it fills. The order of the table is
// the order of the arguments.
type metricParam struct {
	Param
	field scoring.Field // the parameter is taken if the metric needs any of these
	set   func(r *metricRow, b *Batch, k, i int) error
}

// metricParams are the parameters of all fields.
var metricParams = func() (params []metricParam) {
	for _, f := range scoring.Fields() {
		for _, a := range f.Args {
			r := readers[a.Name]
			params = append(params, metricParam{Param{a.Name, r.of, false, a.Doc}, f.Field | a.Also, r.set})
		}
	}
	return params
}()

// readers give, by parameter name, the type and the function that sets the case's field from the argument.
var readers = map[string]struct {
	of  Type
	set func(r *metricRow, b *Batch, k, i int) error
}{
	"dialect": {VARCHAR, func(r *metricRow, b *Batch, k, i int) error { r.c.Dialect = b.Text(k, i); return nil }},
	"case_json": {JSON, func(r *metricRow, b *Batch, k, i int) error {
		c, err := decodeCase(r.ctx, bytesOf(b.Text(k, i)))
		if err != nil {
			return err
		}
		r.c = *c
		return nil
	}},
	"expected_behaviour": {VARCHAR, behaviour},
	"question": {VARCHAR,
		func(r *metricRow, b *Batch, k, i int) error { r.c.Question = b.Text(k, i); return nil }},
	"interpretation": {VARCHAR,
		func(r *metricRow, b *Batch, k, i int) error { r.c.Agent.Interpretation = b.Text(k, i); return nil }},
	"response": {VARCHAR,
		func(r *metricRow, b *Batch, k, i int) error { r.c.Agent.Response = b.Text(k, i); return nil }},
	"gold_sql": {VARCHAR,
		func(r *metricRow, b *Batch, k, i int) error { r.gold[0].SQL = b.Text(k, i); return nil }},
	"agent_sql": {VARCHAR,
		func(r *metricRow, b *Batch, k, i int) error { r.c.Pred.SQL = b.Text(k, i); return nil }},
	"gold_result": {VARCHAR,
		func(r *metricRow, b *Batch, k, i int) error { r.gold[0].Result = r.result(b, k, i); return nil }},
	"agent_result": {VARCHAR,
		func(r *metricRow, b *Batch, k, i int) error { r.c.Pred.Result = r.result(b, k, i); return nil }},
	"sql_error": {VARCHAR, func(r *metricRow, b *Batch, k, i int) error {
		r.c.Pred.Error = b.Text(k, i)
		r.c.Pred.Ran = r.c.Pred.Error != "" || strings.TrimSpace(r.c.Pred.SQL) != ""
		return nil
	}},
	"expected_tools": {JSON, func(r *metricRow, b *Batch, k, i int) error {
		text := b.Text(k, i)
		if text != "" && !json.Valid(bytesOf(text)) {
			return errcode.New(errcode.InvalidArgument, "expected JSON")
		}
		r.c.Expected.Tools = bytesOf(text)
		return nil
	}},
	"tool_calls": {JSON, func(r *metricRow, b *Batch, k, i int) (err error) {
		r.c.Agent.ToolCalls, err = toolcalls.Parse(bytesOf(b.Text(k, i)), "tool_calls")
		return err
	}},
	"gold_latency_ms": {DOUBLE, func(r *metricRow, b *Batch, k, i int) (err error) {
		r.gold[0].Latency, err = latency(b, k, i)
		return err
	}},
	"agent_latency_ms": {DOUBLE, func(r *metricRow, b *Batch, k, i int) (err error) {
		r.c.Pred.Latency, err = latency(b, k, i)
		return err
	}},
	"evidence":   {VARCHAR, func(r *metricRow, b *Batch, k, i int) error { r.c.Evidence = b.Text(k, i); return nil }},
	"schema_ddl": {VARCHAR, func(r *metricRow, b *Batch, k, i int) error { r.c.Schema = b.Text(k, i); return nil }},
	"gold_error": {VARCHAR, func(r *metricRow, b *Batch, k, i int) error { r.gold[0].Error = b.Text(k, i); return nil }},
	"agent_chart": {VARCHAR,
		func(r *metricRow, b *Batch, k, i int) error {
			r.c.Pred.Chart = scoring.JSONOfCell(b.Text(k, i))
			return nil
		}},
	"gold_chart": {VARCHAR,
		func(r *metricRow, b *Batch, k, i int) error {
			r.gold[0].Chart = scoring.JSONOfCell(b.Text(k, i))
			return nil
		}},
	"contexts": {JSON,
		func(r *metricRow, b *Batch, k, i int) error {
			r.c.Agent.Contexts = scoring.JSONOfCell(b.Text(k, i))
			return nil
		}},
	"expected_clarifications": {JSON, func(r *metricRow, b *Batch, k, i int) error {
		if text := b.Text(k, i); text != "" && json.Unmarshal(bytesOf(text), &r.c.Expected.Clarifications) != nil {
			return errcode.New(errcode.InvalidArgument, "expected a JSON list of strings")
		}
		return nil
	}},
}

// metricRow is the case that is built from one row's arguments.
type metricRow struct {
	ctx  context.Context //nolint:containedctx // of the row
	c    scoring.Case
	gold [1]scoring.Query
}

// failed sets the error message of the agent's query but not whether the query ran. It is for metrics to which the
// field is optional.
func failed(r *metricRow, b *Batch, k, i int) error {
	r.c.Pred.Error = b.Text(k, i)
	return nil
}

// ranParam is the parameter agent_ran of metrics that need to know whether the agent's query ran. Without it, a query
// counts as run.
var ranParam = metricParam{Param{"agent_ran", BOOLEAN, true, "FALSE where the agent's query was not run at all"}, 0,
	func(r *metricRow, b *Batch, k, i int) error {
		if ran, ok := b.Bool(k, i); ok {
			r.c.Pred.Ran = ran
		}
		return nil
	}}

func behaviour(r *metricRow, b *Batch, k, i int) error {
	switch v := b.Text(k, i); v {
	case "", scoring.BehaviourAnswer, scoring.BehaviourClarify, scoring.BehaviourRefuse:
		r.c.Expected.Behaviour = v
		return nil
	}
	return errcode.New(errcode.InvalidArgument, "expected answer, clarify or refuse")
}

// result parses argument k as a result. For a long text it reserves the memory of the parsed table in the account of
// the call.
func (r *metricRow) result(b *Batch, k, i int) scoring.Result {
	text := bytesOf(b.Text(k, i))
	if len(text) <= smallText {
		return scoring.ParseResultText(text)
	}
	return scoring.ParseResultTextWithin(text, withinMemory(r.ctx))
}

// withinMemory returns a function that reserves the size of a table while it is read, and fails if the account of ctx
// lacks the memory. Without an account withinMemory returns nil.
func withinMemory(ctx context.Context) func(bytes int64) error {
	ctx, reading := account.Begin(ctx)
	if reading == nil {
		return nil
	}
	table := account.NewTable(ctx, reading)
	return func(bytes int64) error {
		if most := reading.Limit(); most > 0 && bytes > most {
			return errcode.New(errcode.ResourceExhausted, "more than the allowed %d bytes", most)
		}
		return table.Grow(bytes)
	}
}

// smallText is the number of bytes of text that are parsed without a reservation of memory, because that much for all
// concurrent rows is small.
const smallText = 4 << 10

// decodeCase parses a case. For a long text it first reserves the memory of the parsed case.
func decodeCase(ctx context.Context, text []byte) (*scoring.Case, error) {
	if a := account.From(ctx); a != nil && len(text) > smallText {
		if err := a.Hold(ctx, jsonExpansion(textOf(text))); err != nil {
			return nil, err
		}
	}
	return scoring.DecodeCase(text)
}

// bytesOf returns the bytes of s, without a copy. They must not be modified.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// textOf returns bytes as a string. They must not be modified afterwards.
func textOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func latency(b *Batch, k, i int) (*time.Duration, error) {
	ms, ok := b.Float(k, i)
	if !ok {
		return nil, nil //nolint:nilnil // not measured
	}
	if !(ms >= 0 && ms <= scoring.MaxLatencyMS) { // also refuses NaN
		return nil, errcode.New(errcode.InvalidArgument, "expected milliseconds from 0 to 1e12")
	}
	d := time.Duration(ms * float64(time.Millisecond))
	return &d, nil
}

// circumstance are fields that supplement others, so that their arguments may be omitted.
const circumstance = scoring.FieldEvidence | scoring.FieldSchema | scoring.FieldExecution | scoring.FieldJudge

// contextOf returns the fields that the engine and the metric read for a few cases only. They become optional
// parameters, with which the function returns the same score as badger run.
func contextOf(m *scoring.Metric) scoring.Field {
	if m.Needs&scoring.FieldCase != 0 {
		return 0
	}
	context, results := m.Context, scoring.FieldGoldResult|scoring.FieldPredResult
	if (m.Needs|m.Reads|m.Context)&(scoring.FieldGoldSQL|scoring.FieldPredSQL) != 0 {
		context |= scoring.FieldDialect
	}
	if m.Needs&(results|scoring.FieldPredSQL|scoring.FieldExecution) != 0 {
		context |= scoring.FieldBehaviour
	}
	if m.Needs&scoring.FieldPredResult != 0 || m.FailedQuery.Status != "" || m.FailedQuery.Own {
		context |= scoring.FieldExecution
	}
	if m.Needs&scoring.FieldGoldResult != 0 {
		context |= scoring.FieldGoldError
	}
	return context
}

// paramsOf lists the parameters of a metric's functions: its required fields, then its optional ones, its options,
// and last the fields for rare cases. A metric without required fields takes the fields it reads, and any of them
// may be NULL.
func paramsOf(m *scoring.Metric) (params []metricParam) {
	needs, reads := m.Needs, m.Reads
	switch {
	case needs&scoring.FieldCase != 0: // it holds all others
		needs, reads = scoring.FieldCase, 0
	case needs&^scoring.FieldJudge == 0:
		needs = reads &^ circumstance
	case needs&scoring.FieldExecution != 0:
		needs |= scoring.FieldPredSQL // without a query none ran
	}
	take := func(optional bool, wanted scoring.Field) {
		for _, p := range metricParams {
			if p.field&wanted == 0 || slices.ContainsFunc(params, func(q metricParam) bool { return q.Name == p.Name }) {
				continue
			}
			if p.Optional = optional; optional && p.field == scoring.FieldExecution {
				p.set = failed
			}
			params = append(params, p)
		}
	}
	const seldom = scoring.FieldBehaviour | scoring.FieldInterpretation
	take(false, needs)
	take(true, reads&^seldom)
	take(true, reads)
	if !m.Options.None() {
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
	context := contextOf(m)
	for _, p := range metricParams {
		if p.field&scoring.FieldPredResult != 0 && context&scoring.FieldPredResult == 0 {
			continue // it also reports whether an agent answered, which is not asked here
		}
		if p.field&context == 0 || slices.ContainsFunc(params, func(q metricParam) bool { return q.Name == p.Name }) {
			continue
		}
		if p.Optional = true; p.field == scoring.FieldExecution {
			p.set = failed
		}
		params = append(params, p)
	}
	if m.Needs&scoring.FieldExecution != 0 {
		params = append(params, ranParam)
	}
	return params
}

// metricFunctions returns the two functions of a metric: its value (or label), and the whole score.
func metricFunctions(engine *scoring.Engine, m *scoring.Metric) []Function {
	params := paramsOf(m)
	withGold := slices.ContainsFunc(params, func(p metricParam) bool { return strings.HasPrefix(p.Name, "gold_") })
	scoreRow := func(ctx context.Context, in *Batch, i int) (row scoring.Row, err error) {
		r := metricRow{ctx: ctx}
		if withGold {
			r.c.Golds = r.gold[:]
		}
		for k := range params {
			if err := params[k].set(&r, in, k, i); err != nil {
				return row, errcode.New(errcode.Of(err), "argument %d (%s): %w", k+1, params[k].Name, err)
			}
		}
		scores, err := engine.ScoreMetrics(ctx, &r.c, []*scoring.Metric{m})
		if err != nil {
			return row, err
		}
		return scoring.Row{AnswerID: scoring.AnswerID{CaseID: r.c.ID}, Score: scores[0]}, nil
	}
	score := scoreRow
	if (m.Needs|m.Reads|contextOf(m))&(scoring.FieldGoldResult|scoring.FieldPredResult|scoring.FieldCase) != 0 {
		withReferences := func(ctx context.Context, in *Batch, i int) (row scoring.Row, err error) {
			reading(ctx, func(ctx context.Context) { row, err = scoreRow(ctx, in, i) })
			return row, err
		}
		score = func(ctx context.Context, in *Batch, i int) (scoring.Row, error) {
			if allInline(params, in, i) {
				return scoreRow(ctx, in, i)
			}
			return withReferences(ctx, in, i)
		}
	}
	asks := (m.Needs|m.Reads)&scoring.FieldJudge != 0 || engine.AsksJudge(m)
	value := Function{
		Name: m.Name, Group: m.Group, Result: DOUBLE, Doc: m.Summary, Version: m.Version,
		Metric: m.Name, Range: m.Range, Labels: m.Labels, Options: m.Options.List,
		Volatile: asks, Waits: asks, Once: asks,
	}
	if value.Cost = m.CostOf(); asks {
		value.Cost = scoring.CostJudged
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
		row, err := score(ctx, in, i)
		s := &row.Score
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
		row, err := score(ctx, in, i)
		if err != nil {
			return err
		}
		if s := &row.Score; s.Status != scoring.StatusOK {
			in.explain(Problem{Row: i, Status: s.Status, Code: s.Code, Reason: s.Reason})
		}
		out.SetText(i, envelope(row))
		return nil
	}
	whole.Envelope = func(err error) string {
		s := scoring.Fail(err)
		s.Metric, s.Version = m.Name, m.Version
		return envelope(scoring.Row{Score: s})
	}
	return []Function{value, whole}
}

// allInline reports whether all results among the arguments of row i are inline, instead of references, and short.
func allInline(params []metricParam, in *Batch, i int) bool {
	for k := range params {
		if params[k].field&(scoring.FieldGoldResult|scoring.FieldPredResult|scoring.FieldCase) != 0 {
			if text := in.Text(k, i); text != "" &&
				(text[0] != '{' || params[k].field == scoring.FieldCase || len(text) > smallText) {
				return false
			}
		}
	}
	return true
}

// envelope returns the score as JSON. Evidence that JSON cannot represent is omitted, with a warning.
func envelope(row scoring.Row) string {
	b, err := json.Marshal(row)
	if err == nil {
		return textOf(b)
	}
	s := &row.Score
	if _, warning := DetailJSON(s.Detail); warning != "" {
		s.Detail, s.Warnings = nil, append(s.Warnings, warning)
		if b, err = json.Marshal(row); err == nil {
			return textOf(b)
		}
	}
	b, _ = json.Marshal(scoring.Row{AnswerID: row.AnswerID, Score: scoring.Score{
		Metric: s.Metric, Version: s.Version, Status: scoring.StatusFailed, Code: errcode.Internal,
		Reason: "the value is not a finite number",
	}})
	return textOf(b)
}

// DetailJSON returns the detail of a score as JSON, or a warning for the score if JSON cannot represent it.
func DetailJSON(detail any) (text, warning string) {
	b, err := json.Marshal(detail)
	if err != nil {
		return "", "the detail could not be written as JSON"
	}
	return textOf(b), ""
}
