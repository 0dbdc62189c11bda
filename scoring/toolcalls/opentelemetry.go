package toolcalls

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/jsonscan"
)

func init() {
	register(form{
		name: "opentelemetry", title: "OpenTelemetry",
		is: func(o *object) bool {
			if len(SpanLists(o.members)) > 0 || o.text("type") == "tool_call" && !o.named("args") {
				return true
			}
			list := o.isList("attributes")
			return (list || o.object("attributes") != nil) && o.text("run_type") == ""
		},
		read: readOpenTelemetry,
	})
}

// SpanLists returns the names of the members of an export that hold spans, in the spelling of JSON or of protobuf.
func SpanLists(o jsonscan.Object) (names []string) {
	for _, name := range []string{"resourceSpans", "resource_spans", "scopeSpans", "scope_spans", "spans"} {
		if isList(o.Get(name)) {
			names = append(names, name)
		}
	}
	return names
}

// IsToolSpan reports whether a span with these attributes is the call of a tool.
func IsToolSpan(attributes, span jsonscan.Object) bool {
	_, is := toolSpan(&object{members: attributes}, &object{members: span})
	return is
}

// readOpenTelemetry parses a part of a message, a span, or an export of spans. The calls are the spans of tools. A
// trace without them has the calls that models requested in their messages.
func readOpenTelemetry(r *reader, o *object) {
	if lists := SpanLists(o.members); len(lists) > 0 {
		for _, name := range lists {
			list, _ := o.list(name)
			r.elements(list, o.at.member(name))
		}
		return
	}
	if o.text("type") == "tool_call" {
		r.add(o, "name", decoded(o.any("arguments")))
		return
	}
	if r.again(o, spanID(o), "") {
		return
	}
	a := attributesOf(o.get("attributes"))
	r.spans, r.agents = r.spans+1, r.agents || ofAgents(a)
	if tool, ok := toolSpan(a, o); ok {
		arguments := a.any("gen_ai.tool.call.arguments", "ai.toolCall.args", "input.value", "tool.parameters",
			"tool_arguments", "mlflow.spanInputs", "langfuse.observation.input")
		if entity := objectOf(decoded(a.any("traceloop.entity.input")), nil); arguments == nil && entity != nil {
			if arguments = entity.any("inputs"); arguments == nil {
				arguments = decoded(a.any("traceloop.entity.input"))
			}
		}
		name := object{at: o.at.member("attributes"),
			members: jsonscan.Object{{Name: []byte("gen_ai.tool.name"), Value: tool}}}
		if f := r.add(&name, "gen_ai.tool.name", observed(arguments)); f != nil {
			f.start(o, "startTimeUnixNano", "start_time_unix_nano", "startTime", "start_time")
			f.id = textOf(a.any("gen_ai.tool.call.id", "ai.toolCall.id"))
		}
		return
	}
	r.second(1, func() {
		r.requested(a, o)
		events, _ := o.list("events")
		for _, raw := range events {
			if e := objectOf(raw, o.at); e != nil {
				r.requested(attributesOf(e.get("attributes")), o)
			}
		}
	})
}

// spanID returns the ids of the trace and of the span, or "" if one is missing.
func spanID(o *object) string {
	context := o.object("context")
	if context == nil {
		context = &object{}
	}
	trace := cmp.Or(o.text("traceId"), o.text("trace_id"), context.text("trace_id"), context.text("traceId"))
	span := cmp.Or(o.text("spanId"), o.text("span_id"), context.text("span_id"), context.text("spanId"))
	if trace == "" || span == "" {
		return ""
	}
	return trace + " " + span
}

// conventions are the beginnings of the names of attributes of agents and models.
var conventions = []string{"gen_ai.", "openinference.", "llm.", "traceloop.", "ai.", "mlflow.", "langfuse.", "mcp."}

// ofAgents reports whether attributes follow a convention that is parsed.
func ofAgents(a *object) bool {
	for _, m := range a.members {
		for _, prefix := range conventions {
			if bytes.HasPrefix(m.Name, []byte(prefix)) {
				return true
			}
		}
	}
	return false
}

// flatName matches the attribute with the name of a tool that a model requested, in conventions that write messages as
// one attribute for each value. The numbers are those of the message and of the call.
var flatName = regexp.MustCompile(`^(?:gen_ai\.completion|llm\.output_messages)\.(\d{1,6})\.(?:message\.)?tool_calls\.` +
	`(\d{1,6})\.(?:tool_call\.function\.)?name$`)

// flat parses the calls that a model requested from attributes for each value.
func (r *reader) flat(a *object) {
	type place struct {
		message, call int
		name          string
	}
	var places []place
	for _, member := range a.members {
		if !bytes.HasSuffix(member.Name, []byte("name")) {
			continue
		}
		name := string(member.Name)
		if m := flatName.FindStringSubmatch(name); m != nil {
			message, _ := strconv.Atoi(m[1]) // digits
			call, _ := strconv.Atoi(m[2])
			places = append(places, place{message, call, name})
		}
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.message, b.message), cmp.Compare(a.call, b.call), strings.Compare(a.name, b.name))
	})
	for _, p := range places {
		r.add(a, p.name, decoded(a.any(strings.TrimSuffix(p.name, "name")+"arguments")))
	}
}

// requested parses the output messages of the span of a model.
func (r *reader) requested(a *object, o *object) {
	n := len(r.found)
	r.reply(a, "gen_ai.output.messages")
	r.flat(a)
	for i := n; i < len(r.found); i++ {
		f := &r.found[i]
		f.start(o, "startTimeUnixNano", "start_time_unix_nano", "startTime", "start_time")
	}
}

// toolSpan returns the name of the tool of a span, as JSON, if the span is a call of a tool.
func toolSpan(a, o *object) (name json.RawMessage, is bool) {
	fromName := func() json.RawMessage {
		if tool, ok := strings.CutPrefix(o.text("name"), "execute_tool "); ok {
			return jsonscan.AppendString(nil, tool)
		}
		return nil
	}
	switch operation := a.text("gen_ai.operation.name"); {
	case operation == "execute_tool":
		if name = a.any("gen_ai.tool.name"); name == nil {
			name = fromName()
		}
		return name, true
	case operation == "" && a.has("gen_ai.tool.name"):
		return a.any("gen_ai.tool.name"), true
	case a.text("openinference.span.kind") == "TOOL":
		if name = a.any("tool.name"); name == nil {
			name = o.any("name")
		}
		return name, true
	case a.text("traceloop.span.kind") == "tool":
		return a.any("traceloop.entity.name"), true
	case a.text("ai.operationId") == "ai.toolCall":
		return a.any("ai.toolCall.name"), true
	case strings.Trim(a.text("mlflow.spanType"), `"`) == "TOOL", a.text("langfuse.observation.type") == "tool":
		return o.any("name"), true
	}
	return nil, false
}
