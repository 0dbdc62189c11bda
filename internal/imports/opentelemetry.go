package imports

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/scoring/toolcalls"
)

func init() {
	register(&product{name: "opentelemetry", title: "OpenTelemetry", parts: otlpParts, answers: otlpAnswers})
}

// otlpParts adds the spans of an export, or the span that a record is. MLflow wraps the spans of a trace in data.
func otlpParts(raw json.RawMessage, o object, add func(part)) bool {
	if data := o.object("data"); o.object("info") != nil && len(toolcalls.SpanLists(jsonscan.Object(data))) > 0 {
		o = data
	}
	lists := toolcalls.SpanLists(jsonscan.Object(o))
	if len(lists) == 0 {
		if o.first("run_type") != nil || o.get("attributes") == nil && (otlpTrace(o) == "" || otlpID(o) == "") {
			return false
		}
		otlpPart(raw, o, "", add)
		return true
	}
	otlpLists(o, lists, "", 0, add)
	return true
}

// otlpPart adds a span.
func otlpPart(raw json.RawMessage, o object, at string, add func(part)) {
	trace := otlpTrace(o)
	if trace == "" {
		add(part{problem: "a span without traceId", at: at})
		return
	}
	add(part{trace: trace, id: otlpID(o), raw: raw})
}

// otlpLists adds the spans in lists of resources, scopes or spans.
func otlpLists(o object, lists []string, at string, depth int, add func(part)) {
	for _, name := range lists {
		for i, raw := range listOf(o.get(name)) {
			inner := objectOf(raw)
			switch more := toolcalls.SpanLists(jsonscan.Object(inner)); {
			case len(more) > 0 && depth < maxSpanLists:
				otlpLists(inner, more, at+atIndex(name, i)+".", depth+1, add)
			case inner == nil || name != "spans" && (otlpTrace(inner) == "" || len(more) > 0):
				if len(inner) == 0 || inner.first("resource", "scope") == nil { // a resource may have no spans
					add(part{problem: "expected a span", at: at + atIndex(name, i)})
				}
			default:
				otlpPart(raw, inner, at+atIndex(name, i), add)
			}
		}
	}
}

// maxSpanLists is the maximum nesting of lists of spans: resources, scopes and spans.
const maxSpanLists = 3

func otlpTrace(o object) string {
	return cmp.Or(o.text("traceId", "trace_id"), o.object("context").text("trace_id", "traceId"))
}

func otlpID(o object) string {
	return cmp.Or(o.text("spanId", "span_id"), o.object("context").text("span_id", "spanId"))
}

func otlpParent(o object) string {
	if parent := o.text("parentSpanId", "parent_span_id", "parent_id"); parent != "0000000000000000" {
		return parent
	}
	return ""
}

func otlpTime(o object, which string) time.Time {
	return o.time(which+"TimeUnixNano", which+"_time_unix_nano", which+"Time", which+"_time")
}

// Attributes with the input and the output of an agent or a model, with tokens, and with the ID of the conversation.
var (
	otlpInput = []string{"gen_ai.input.messages", "gen_ai.prompt", "langfuse.trace.input", "langfuse.observation.input",
		"input.value", "ai.prompt", "ai.prompt.messages", "traceloop.entity.input", "mlflow.spanInputs"}
	otlpOutput = []string{"gen_ai.output.messages", "gen_ai.completion", "langfuse.trace.output",
		"langfuse.observation.output", "output.value", "ai.response.text", "traceloop.entity.output", "mlflow.spanOutputs"}
	otlpTokensIn = []string{"gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt",
		"ai.usage.promptTokens", "ai.usage.inputTokens", "langfuse.observation.usage_details"}
	otlpTokensOut = []string{"gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens",
		"llm.token_count.completion", "ai.usage.completionTokens", "ai.usage.outputTokens"}
	otlpCost         = []string{"gen_ai.usage.cost", "llm.cost.total", "langfuse.observation.cost_details"}
	otlpConversation = []string{"gen_ai.conversation.id", "session.id", "langfuse.session.id",
		"ai.telemetry.metadata.sessionId", "traceloop.association.properties.session_id",
		"traceloop.association.properties.thread_id"}
)

// otlpAnswers converts the spans of a trace to an answer.
func otlpAnswers(parts []json.RawMessage, o *Options) []Answer {
	order := sorted(parts, func(s object) (bool, time.Time) { return otlpParent(s) == "", otlpTime(s, "start") })
	root := objectOf(parts[order[0]])
	var output json.RawMessage
	a := Answer{Error: otlpError(root)}
	a.RanAt = otlpTime(root, "start")
	a.took(0, false, 0, a.RanAt, otlpTime(root, "end"))
	// If the first span has the answer, the texts of the others are steps towards it.
	answered := false
	tokens := otlpSpans{parents: map[string]string{}}
	for n, i := range order {
		s := objectOf(parts[i])
		at := object(toolcalls.Attributes(s.get("attributes")))
		if o.CaseID != "" {
			a.CaseID = cmp.Or(a.CaseID, nameOf(at.at(o.CaseID)))
		}
		a.Agent = cmp.Or(a.Agent, at.text("gen_ai.agent.name"))
		a.Version = cmp.Or(a.Version, at.text("gen_ai.agent.version"))
		a.Conversation = cmp.Or(a.Conversation, at.text(otlpConversation...))
		tokens.add(s, at, i)
		if toolcalls.IsToolSpan(jsonscan.Object(at), jsonscan.Object(s)) {
			continue
		}
		if a.Question == "" {
			a.Question = questionIn(at.first(otlpInput...), 0)
		}
		if !answered {
			a.Response = cmp.Or(answerIn(at.first(otlpOutput...), 0), a.Response)
			answered = n == 0 && a.Response != ""
			output = at.first(otlpOutput...)
		}
	}
	for _, i := range tokens.innermost() {
		at := object(toolcalls.Attributes(objectOf(parts[i]).get("attributes")))
		if usage := at.object("langfuse.observation.usage_details"); usage != nil {
			a.langfuseUsage(object{{Name: []byte("usageDetails"), Value: at.first("langfuse.observation.usage_details")}})
		} else {
			a.tokens(&a.TokensIn, at, otlpTokensIn...)
			a.tokens(&a.TokensOut, at, otlpTokensOut...)
		}
		if cost := at.object("langfuse.observation.cost_details"); cost != nil {
			a.cost(&a.CostUSD, cost, "total")
		} else {
			a.cost(&a.CostUSD, at, otlpCost...)
		}
	}
	a.calls(parts, o)
	a.written(output, o)
	return []Answer{a}
}

// otlpError returns the error of a span, or "".
func otlpError(s object) string {
	status := s.object("status")
	switch status.text("code", "status_code") {
	case "2", "STATUS_CODE_ERROR", "ERROR":
		at := object(toolcalls.Attributes(s.get("attributes")))
		return cmp.Or(status.text("message", "description"), at.text("error.message", "exception.message", "error.type"),
			"ERROR")
	}
	return ""
}

// otlpSpans are the spans with tokens or costs, and the parents of all spans.
type otlpSpans struct {
	parents map[string]string
	with    []otlpTokens
}

// otlpTokens is a span with tokens or costs.
type otlpTokens struct {
	id string
	i  int // of its part
}

func (t *otlpSpans) add(s, attributes object, i int) {
	id := otlpID(s)
	t.parents[id] = otlpParent(s)
	if attributes.first(otlpTokensIn...) != nil || attributes.first(otlpTokensOut...) != nil ||
		attributes.first(otlpCost...) != nil {
		t.with = append(t.with, otlpTokens{id, i})
	}
}

// innermost returns the spans with tokens that enclose no other one: the span of an agent repeats those of its models.
func (t *otlpSpans) innermost() (parts []int) {
	outer := map[string]bool{}
	for _, s := range t.with {
		for id, n := t.parents[s.id], 0; id != "" && n < len(t.parents) && !outer[id]; id, n = t.parents[id], n+1 {
			outer[id] = true
		}
	}
	for _, s := range t.with {
		if !outer[s.id] {
			parts = append(parts, s.i)
		}
	}
	return parts
}
