package toolcalls

import (
	"encoding/json"

	"github.com/badger-eval/badger/internal/jsonscan"
)

func init() {
	register(form{
		name: "langchain", title: "LangChain, LangGraph or ragas",
		is: func(o *object) bool {
			args := o.named("args")
			name := o.named("name")
			return args && !o.has("arguments") && (name || o.text("type") == "tool_call") || isAction(o)
		},
		read: func(r *reader, o *object) {
			switch {
			case !isAction(o):
				r.add(o, "name", decoded(o.any("args")))
			case o.has("tool_input") || o.has("tool"):
				r.add(o, "tool", o.any("tool_input"))
			default:
				r.add(o, "action", o.any("action_input"))
			}
		},
	})
	register(form{
		name: "langsmith", title: "LangSmith runs",
		is:   func(o *object) bool { return o.text("run_type") != "" },
		read: readLangSmith,
	})
}

// isAction reports whether o is an action of a LangChain agent: an AgentAction, or the JSON of a ReAct step.
func isAction(o *object) bool {
	input := o.named("tool_input")
	action := o.named("action_input")
	return input || action
}

// readLangSmith parses a run with its child runs. Runs of other types than tool are not calls. Those of models have the
// calls that they requested, which count if the trace has no runs of tools.
func readLangSmith(r *reader, o *object) {
	if r.again(o, o.text("id"), "child_runs") {
		return
	}
	switch o.text("run_type") {
	case "tool":
		r.add(o, "name", runInputs(o)).start(o, "start_time", "startTime")
	case "llm":
		r.second(1, func() { r.reply(o, "outputs") })
	}
	if children, ok := o.list("child_runs"); ok {
		r.elements(children, o.at.member("child_runs"))
	}
}

// runInputs returns the inputs of a run of a tool. LangChain passes them to tracers as one text named input.
func runInputs(o *object) json.RawMessage {
	inputs := objectOf(decoded(o.any("inputs")), nil)
	if inputs == nil || len(inputs.members) != 1 || inputs.text("input") == "" {
		return decoded(o.any("inputs"))
	}
	if dict := logged(inputs.get("input")); len(dict) > 0 && dict[0] == '{' {
		return dict
	}
	return decoded(o.any("inputs"))
}

// reply parses the reply of a model that a tracing product stored: a message, a list of messages, or an object that
// holds them.
func (r *reader) reply(o *object, name string) {
	raw := decoded(o.any(name))
	if of := objectOf(raw, o.at.member(name)); of != nil {
		for _, key := range []string{"generations", "output"} {
			if list, ok := of.list(key); ok {
				r.generations(list, of.at.member(key))
				return
			}
		}
		if messages.is(of) {
			r.with(r.as, of, messages.read)
		}
		return
	}
	r.generations(jsonscan.ParseList(raw), o.at.member(name))
}

// generations parses the messages in a list, which may be nested in lists and in objects with a member message.
func (r *reader) generations(list []json.RawMessage, at *place) {
	for _, raw := range list {
		if isList(raw) {
			r.generations(jsonscan.ParseList(raw), at)
			continue
		}
		o := objectOf(raw, at)
		if o == nil {
			continue
		}
		if message := o.object("message"); message != nil {
			o = message
		}
		if f := formOf(o); f != nil {
			r.with(f.name, o, f.read)
		}
	}
}
