package imports

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/scoring/toolcalls"
)

func init() {
	register(&product{name: "langfuse", title: "Langfuse", parts: langfuseParts, answers: langfuseAnswers})
}

// langfuseParts adds a trace without its observations, and the observations. They have the id of the trace.
func langfuseParts(raw json.RawMessage, o object, add func(part)) bool {
	if toolcalls.IsObservation(o.text("type")) {
		add(part{trace: o.text("traceId"), id: o.text("id"), raw: raw})
		return true
	}
	observations, id := o.get("observations"), o.text("id")
	if id == "" || observations == nil &&
		(o.get("input") == nil || o.get("output") == nil || o.first("timestamp") == nil) {
		return false
	}
	if observations != nil {
		raw = jsonscan.AppendObject(nil, slices.DeleteFunc(slices.Clone(o),
			func(m jsonscan.Member) bool { return string(m.Name) == "observations" }))
	}
	add(part{trace: id, id: "trace", raw: raw})
	for i, observation := range listOf(observations) {
		switch m := objectOf(observation); {
		case toolcalls.IsObservation(m.text("type")):
			add(part{trace: id, id: m.text("id"), raw: observation})
		case len(observation) > 0 && observation[0] == '"': // its id: it may be another record
		default:
			add(part{problem: "expected an observation with a type, such as SPAN", at: atIndex("observations", i)})
		}
	}
	return true
}

// langfuseAnswers converts a trace and its observations to an answer. The trace, or else the outermost observation, has
// the question and the answer.
func langfuseAnswers(parts []json.RawMessage, o *Options) []Answer {
	var trace object
	observations := slices.DeleteFunc(slices.Clone(parts), func(raw json.RawMessage) bool {
		m := objectOf(raw)
		if toolcalls.IsObservation(m.text("type")) {
			return false
		}
		trace = m
		return true
	})
	order := sorted(observations, func(m object) (bool, time.Time) {
		return m.text("parentObservationId") == "", m.time("startTime")
	})
	var outer, root object
	if len(order) > 0 {
		outer = objectOf(observations[order[0]])
	}
	tools := true
	if i := slices.IndexFunc(order, func(i int) bool { return !isLangfuseTool(observations[i]) }); i >= 0 {
		outer, tools = objectOf(observations[order[i]]), false
		root = outer
	}
	if trace.first("input", "output") != nil {
		root = trace
	}
	a := Answer{Question: questionIn(root.get("input"), 0), Response: answerIn(root.get("output"), 0)}
	if outer.text("level") == "ERROR" {
		a.Error = cmp.Or(outer.text("statusMessage"), "ERROR")
	}
	a.Conversation, a.Version = trace.text("sessionId"), cmp.Or(trace.text("version"), trace.text("release"))
	a.langfuseCase(trace, o)
	for _, i := range order {
		m := objectOf(observations[i])
		a.langfuseCase(m, o)
		a.Conversation = cmp.Or(a.Conversation, m.text("sessionId"))
		a.langfuseUsage(m)
		if trace.first("totalCost") == nil {
			a.cost(&a.CostUSD, m, "calculatedTotalCost", "totalCost")
		}
	}
	a.cost(&a.CostUSD, trace, "totalCost")
	if a.RanAt = trace.time("timestamp"); a.RanAt.IsZero() {
		a.RanAt = outer.time("startTime")
	}
	seconds, known := trace.number("latency")
	a.took(seconds, known, time.Second, outer.time("startTime"), outer.time("endTime"))
	if len(observations) > 0 {
		a.calls(observations, o)
	}
	a.written(root.get("output"), o)
	if tools && trace == nil {
		a.Err = onlyTools("observations", "a trace, or an observation of an agent or model")
	}
	return []Answer{a}
}

// isLangfuseTool reports whether an observation is a step whose input is not the question of a user.
func isLangfuseTool(raw json.RawMessage) bool {
	switch objectOf(raw).text("type") {
	case "TOOL", "RETRIEVER", "EMBEDDING", "GUARDRAIL", "EVALUATOR", "EVENT":
		return true
	}
	return false
}

func (a *Answer) langfuseCase(m object, o *Options) {
	if o.CaseID != "" {
		a.CaseID = cmp.Or(a.CaseID, nameOf(m.object("metadata").at(o.CaseID)), nameOf(m.at(o.CaseID)),
			nameOf(m.object("input").at(o.CaseID)))
	}
}

// langfuseUsage adds the tokens of an observation: its usageDetails, its usage, or else the members that earlier
// versions of the API have next to its input and output. The members of usageDetails are disjoint, such as input and
// cache_read_input_tokens, so those of a direction are added up. Usage in another unit, such as CHARACTERS, is not
// tokens.
func (a *Answer) langfuseUsage(m object) {
	details := m.object("usageDetails")
	unit := cmp.Or(m.object("usage").text("unit"), m.text("unit"))
	if len(details) == 0 && unit != "" && unit != "TOKENS" {
		return
	}
	if details.first("input", "output") == nil {
		usage := details
		if len(usage) == 0 {
			usage = m.object("usage")
		}
		if len(usage) == 0 {
			a.tokens(&a.TokensIn, m, "promptTokens", "inputUsage")
			a.tokens(&a.TokensOut, m, "completionTokens", "outputUsage")
			return
		}
		if usage.first("input_tokens", "prompt_tokens", "output_tokens", "completion_tokens") != nil {
			a.usage(usage)
			return
		}
		a.tokens(&a.TokensIn, usage, "input", "promptTokens", "inputUsage")
		a.tokens(&a.TokensOut, usage, "output", "completionTokens", "outputUsage")
		return
	}
	for _, member := range details {
		switch name := string(member.Name); {
		case strings.Contains(name, "input"):
			a.tokens(&a.TokensIn, details, name)
		case strings.Contains(name, "output"):
			a.tokens(&a.TokensOut, details, name)
		}
	}
}
