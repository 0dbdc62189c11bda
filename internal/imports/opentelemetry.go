package imports

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/badger-eval/badger/scoring/toolcalls"
)

func init() {
	register(&product{name: "opentelemetry", title: "OpenTelemetry", items: otlpItems, answers: otlpAnswers})
}

// otlpItems returns the spans of an export, or the span that a record is.
func otlpItems(o object) ([]item, bool) {
	if o["attributes"] != nil && o["run_type"] == nil {
		trace := cmp.Or(o.text("traceId", "trace_id"), o.object("context").text("trace_id", "traceId"))
		raw, err := json.Marshal(o)
		if trace == "" || err != nil {
			return nil, false
		}
		return []item{{trace, raw}}, true
	}
	var items []item
	found := false
	for _, name := range []string{"resourceSpans", "resource_spans", "scopeSpans", "scope_spans", "spans"} {
		if o[name] == nil {
			continue
		}
		found = true
		for _, raw := range listOf(o[name]) {
			inner, _ := otlpItems(objectOf(raw))
			items = append(items, inner...)
		}
	}
	return items, found
}

// otlpSpan is a span with its attributes.
type otlpSpan struct {
	object
	attributes object
	start, end time.Time
}

func (s *otlpSpan) root() bool {
	parent := s.parent()
	return parent == "" || parent == "0000000000000000"
}

// otlpAnswers converts the spans of a trace to an answer.
func otlpAnswers(items []json.RawMessage, o *Options) []Answer {
	var spans []otlpSpan
	for _, raw := range items {
		s := otlpSpan{object: objectOf(raw)}
		s.attributes = toolcalls.Attributes(s.object["attributes"])
		s.start = s.time("startTimeUnixNano", "start_time_unix_nano", "startTime", "start_time")
		s.end = s.time("endTimeUnixNano", "end_time_unix_nano", "endTime", "end_time")
		spans = append(spans, s)
	}
	sortParts(spans, func(s otlpSpan) (bool, time.Time) { return s.root(), s.start })
	a := Answer{}
	// If the first span has the answer, the texts of the others are steps towards it.
	answered := len(spans) > 0 && spans[0].response() != ""
	for i := range spans {
		s := &spans[i]
		at := s.attributes
		if o.CaseID != "" {
			a.CaseID = cmp.Or(a.CaseID, nameOf(at.at(o.CaseID)))
		}
		a.Agent = cmp.Or(a.Agent, at.text("gen_ai.agent.name"))
		a.Version = cmp.Or(a.Version, at.text("gen_ai.agent.version"))
		a.Conversation = cmp.Or(a.Conversation, at.text("gen_ai.conversation.id", "session.id",
			"ai.telemetry.metadata.sessionId"))
		if otlpTool(at) {
			continue
		}
		a.Question = cmp.Or(a.Question, questionIn(at.first("gen_ai.input.messages", "gen_ai.prompt", "input.value",
			"ai.prompt", "ai.prompt.messages", "traceloop.entity.input"), 0))
		if i == 0 || !answered {
			a.Response = cmp.Or(s.response(), a.Response)
		}
	}
	otlpTokens(spans, &a)
	if len(spans) > 0 {
		a.RanAt, a.Latency = spans[0].start, span(spans[0].start, spans[0].end)
	}
	a.calls(items, o)
	return []Answer{a}
}

// otlpTool reports whether attributes are those of the call of a tool.
func otlpTool(at object) bool {
	return at.text("gen_ai.operation.name") == "execute_tool" || at.text("openinference.span.kind") == "TOOL" ||
		at.text("traceloop.span.kind") == "tool" || at.text("ai.operationId") == "ai.toolCall"
}

// response returns the text that an agent or a model returned in a span, or "".
func (s *otlpSpan) response() string {
	return answerIn(s.attributes.first("gen_ai.output.messages", "gen_ai.completion", "output.value", "ai.response.text",
		"traceloop.entity.output"), 0)
}

func (s *otlpSpan) parent() string { return s.text("parentSpanId", "parent_span_id", "parent_id") }

// otlpTokens sums up the tokens of the innermost spans that have them: the span of an agent repeats those of its
// models.
func otlpTokens(spans []otlpSpan, a *Answer) {
	in := []string{"gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt",
		"ai.usage.promptTokens", "ai.usage.inputTokens"}
	out := []string{"gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion",
		"ai.usage.completionTokens", "ai.usage.outputTokens"}
	parents := map[string]string{}
	for i := range spans {
		s := &spans[i]
		parents[s.id()] = s.parent()
	}
	outer := map[string]bool{} // spans that enclose a span with tokens
	for i := range spans {
		if s := &spans[i]; s.attributes.first(append(in, out...)...) != nil {
			for id, n := parents[s.id()], 0; id != "" && n < len(spans) && !outer[id]; id, n = parents[id], n+1 {
				outer[id] = true
			}
		}
	}
	for i := range spans {
		if s := &spans[i]; !outer[s.id()] {
			s.attributes.count(&a.TokensIn, in...)
			s.attributes.count(&a.TokensOut, out...)
			s.attributes.cost(&a.CostUSD, "gen_ai.usage.cost", "llm.cost.total")
		}
	}
}

func (s *otlpSpan) id() string {
	return cmp.Or(s.text("spanId", "span_id"), s.object.object("context").text("span_id", "spanId"))
}
