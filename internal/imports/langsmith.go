package imports

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/badger-eval/badger/internal/jsonscan"
)

func init() {
	register(&product{name: "langsmith", title: "LangSmith", parts: langsmithParts, answers: langsmithAnswers})
}

func langsmithParts(raw json.RawMessage, o object, add func(part)) bool {
	if o.text("run_type") == "" {
		return false
	}
	r := langsmithRuns{trace: cmp.Or(o.text("trace_id"), o.text("id")), add: add}
	r.run(raw, o, "", 0)
	return true
}

// langsmithRuns adds the runs of a trace.
type langsmithRuns struct {
	trace string
	add   func(part)
}

// run adds a run and its child runs, each without the child runs in it.
func (r *langsmithRuns) run(raw json.RawMessage, o object, parent string, depth int) {
	children := listOf(o.get("child_runs"))
	id := o.text("id")
	if len(children) > 0 || parent != "" && o.text("parent_run_id") == "" {
		var own []jsonscan.Member
		for _, m := range o {
			if name := string(m.Name); name != "child_runs" && (name != "parent_run_id" || parent == "") {
				own = append(own, m)
			}
		}
		if parent != "" {
			own = append(own, jsonscan.Member{Name: []byte("parent_run_id"), Value: jsonscan.AppendString(nil, parent)})
		}
		raw = jsonscan.AppendObject(nil, own)
	}
	r.add(part{trace: r.trace, id: id, raw: raw})
	for i, child := range children {
		c := objectOf(child)
		switch {
		case c.text("run_type") == "":
			r.add(part{problem: "a child run without run_type", at: atIndex("child_runs", i)})
		case depth == maxRuns:
			r.add(part{problem: "runs nest too deep", at: atIndex("child_runs", i)})
		default:
			r.run(child, c, cmp.Or(c.text("parent_run_id"), id, "?"), depth+1)
		}
	}
}

// maxRuns is the maximum nesting of child runs.
const maxRuns = 64

// langsmithAnswers converts the runs of a trace to an answer. The outermost run that is not the call of a tool has the
// question and the answer.
func langsmithAnswers(parts []json.RawMessage, o *Options) []Answer {
	order := sorted(parts, func(r object) (bool, time.Time) { return r.text("parent_run_id") == "", r.time("start_time") })
	outer := slices.IndexFunc(order, func(i int) bool {
		return !slices.Contains([]string{"tool", "retriever", "embedding", "parser"}, objectOf(parts[i]).text("run_type"))
	})
	root := objectOf(parts[order[max(0, outer)]])
	a := Answer{Question: questionIn(root.get("inputs"), 0), Response: answerIn(root.get("outputs"), 0)}
	a.Error = root.text("error")
	a.RanAt = root.time("start_time")
	a.took(0, false, 0, root.time("start_time"), root.time("end_time"))
	a.tokens(&a.TokensIn, root, "prompt_tokens")
	a.tokens(&a.TokensOut, root, "completion_tokens")
	a.cost(&a.CostUSD, root, "total_cost")
	summed := a.TokensIn != nil || a.TokensOut != nil
	for _, i := range order {
		r := objectOf(parts[i])
		meta := r.object("extra").object("metadata")
		if o.CaseID != "" {
			a.CaseID = cmp.Or(a.CaseID, nameOf(meta.at(o.CaseID)), nameOf(r.at(o.CaseID)),
				nameOf(r.object("inputs").at(o.CaseID)))
		}
		a.Conversation = cmp.Or(a.Conversation, meta.text("thread_id", "session_id", "conversation_id"))
		a.Version = cmp.Or(a.Version, meta.text("revision_id"))
		if summed || r.text("run_type") != "llm" {
			continue
		}
		usage := r.object("outputs").object("usage_metadata", "usage")
		if usage == nil {
			usage = meta.object("usage_metadata")
		}
		if usage == nil {
			usage = r
		}
		a.usage(usage)
		if root.first("total_cost") == nil {
			a.cost(&a.CostUSD, r, "total_cost")
		}
	}
	a.calls(parts, o)
	a.written(root.get("outputs"), o)
	if outer < 0 {
		a.Err = cmp.Or(a.Err, onlyTools("runs", "a run of a chain or model"))
	}
	return []Answer{a}
}
