package imports

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"
)

func init() {
	register(&product{name: "langfuse", title: "Langfuse", items: langfuseItems, answers: langfuseAnswers})
}

// langfuseTypes are the types of observations.
var langfuseTypes = []string{"TOOL", "SPAN", "GENERATION", "EVENT", "AGENT", "CHAIN", "RETRIEVER", "EVALUATOR",
	"EMBEDDING", "GUARDRAIL"}

// langfuseItems returns a trace or an observation. They have the ID of the trace.
func langfuseItems(o object) ([]item, bool) {
	trace := o.text("traceId")
	if !slices.Contains(langfuseTypes, o.text("type")) {
		_, known := o["observations"]
		_, in := o["input"]
		_, out := o["output"]
		if trace = o.text("id"); trace == "" || !known && (!in || !out || o["timestamp"] == nil) {
			return nil, false
		}
	}
	raw, err := json.Marshal(o)
	return []item{{trace, raw}}, err == nil
}

// langfuseAnswers converts a trace and its observations to an answer. The trace, or else the outermost observation, has
// the question and the answer.
func langfuseAnswers(items []json.RawMessage, o *Options) []Answer {
	trace := object{}
	var observations []json.RawMessage
	var parsed []object
	for _, raw := range items {
		m := objectOf(raw)
		if slices.Contains(langfuseTypes, m.text("type")) {
			observations, parsed = append(observations, raw), append(parsed, m)
			continue
		}
		trace = m
		for _, raw := range listOf(m["observations"]) {
			if m := objectOf(raw); m != nil { // and not an ID
				observations, parsed = append(observations, raw), append(parsed, m)
			}
		}
	}
	sortParts(parsed, func(m object) (bool, time.Time) { return m.text("parentObservationId") == "", m.time("startTime") })
	root := trace
	if root["input"] == nil && root["output"] == nil && len(parsed) > 0 {
		root = parsed[0]
	}
	a := Answer{Question: questionIn(root["input"], 0), Response: answerIn(root["output"], 0)}
	a.Conversation, a.Version = trace.text("sessionId"), cmp.Or(trace.text("version"), trace.text("release"))
	for _, m := range append([]object{trace}, parsed...) {
		if o.CaseID != "" {
			a.CaseID = cmp.Or(a.CaseID, nameOf(m.object("metadata").at(o.CaseID)), nameOf(m.at(o.CaseID)),
				nameOf(m.object("input").at(o.CaseID)))
		}
		a.Conversation = cmp.Or(a.Conversation, m.text("sessionId"))
		usage, details := m.object("usageDetails"), m.object("usage")
		if usage == nil {
			usage = details
		}
		if usage == nil {
			usage = m
		}
		usage.count(&a.TokensIn, "input", "promptTokens", "inputUsage")
		usage.count(&a.TokensOut, "output", "completionTokens", "outputUsage")
		if trace["totalCost"] == nil {
			m.cost(&a.CostUSD, "calculatedTotalCost", "totalCost")
		}
	}
	trace.cost(&a.CostUSD, "totalCost")
	a.RanAt = trace.time("timestamp")
	if a.RanAt.IsZero() && len(parsed) > 0 {
		a.RanAt = parsed[0].time("startTime")
	}
	if seconds, ok := trace.number("latency"); ok && seconds >= 0 && seconds < 1e6 {
		d := time.Duration(seconds * float64(time.Second))
		a.Latency = &d
	} else if len(parsed) > 0 {
		a.Latency = span(parsed[0].time("startTime"), parsed[0].time("endTime"))
	}
	if len(observations) > 0 {
		a.calls(observations, o)
	}
	return []Answer{a}
}
