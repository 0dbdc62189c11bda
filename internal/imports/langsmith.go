package imports

import (
	"cmp"
	"encoding/json"
	"time"
)

func init() {
	register(&product{name: "langsmith", title: "LangSmith", items: langsmithItems, answers: langsmithAnswers})
}

func langsmithItems(o object) ([]item, bool) {
	if o.text("run_type") == "" {
		return nil, false
	}
	raw, err := json.Marshal(o)
	return []item{{cmp.Or(o.text("trace_id"), o.text("id")), raw}}, err == nil
}

// langsmithRuns returns runs with their child runs, those without a parent first and then by start.
func langsmithRuns(items []json.RawMessage) (runs []object) {
	for n := 0; n < len(items); n++ {
		o := objectOf(items[n])
		runs = append(runs, o)
		items = append(items[:len(items):len(items)], listOf(o["child_runs"])...)
	}
	sortParts(runs, func(r object) (bool, time.Time) { return r.text("parent_run_id") == "", r.time("start_time") })
	return runs
}

// langsmithAnswers converts the runs of a trace to an answer. The root has the question and the answer.
func langsmithAnswers(items []json.RawMessage, o *Options) []Answer {
	runs := langsmithRuns(items)
	root := runs[0]
	a := Answer{Question: questionIn(root["inputs"], 0), Response: answerIn(root["outputs"], 0)}
	a.RanAt, a.Latency = root.time("start_time"), span(root.time("start_time"), root.time("end_time"))
	for _, r := range runs {
		meta := r.object("extra").object("metadata")
		if o.CaseID != "" {
			a.CaseID = cmp.Or(a.CaseID, nameOf(meta.at(o.CaseID)), nameOf(r.at(o.CaseID)),
				nameOf(r.object("inputs").at(o.CaseID)))
		}
		a.Conversation = cmp.Or(a.Conversation, meta.text("thread_id", "session_id", "conversation_id"))
		a.Version = cmp.Or(a.Version, meta.text("revision_id"))
	}
	root.count(&a.TokensIn, "prompt_tokens")
	root.count(&a.TokensOut, "completion_tokens")
	root.cost(&a.CostUSD, "total_cost")
	if a.TokensIn == nil && a.TokensOut == nil {
		for _, r := range runs {
			if r.text("run_type") != "llm" {
				continue
			}
			usage := r.object("outputs").object("usage_metadata", "usage")
			if usage == nil {
				usage = r.object("extra").object("metadata").object("usage_metadata")
			}
			if usage == nil {
				usage = r
			}
			usage.count(&a.TokensIn, "input_tokens", "prompt_tokens")
			usage.count(&a.TokensOut, "output_tokens", "completion_tokens")
			if root["total_cost"] == nil {
				r.cost(&a.CostUSD, "total_cost")
			}
		}
	}
	a.calls(items, o)
	return []Answer{a}
}
