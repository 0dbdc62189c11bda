package toolcalls

import (
	"encoding/json"
	"slices"
	"strings"
)

func init() {
	register(form{
		name: "openai", title: "OpenAI chat completions",
		is: func(o *object) bool {
			return o.object("function") != nil || o.text("type") == "custom" && o.has("custom")
		},
		read: func(r *reader, o *object) {
			if custom := o.object("custom"); custom != nil {
				r.add(custom, "name", custom.any("input"))
				return
			}
			f := o.object("function")
			if f == nil {
				r.fail("%v: a custom call without its object; expected %s", o.at, `{"custom": {"name", "input"}}`)
				return
			}
			if !f.has("arguments") && (f.has("parameters") || f.has("description")) {
				r.fail("%v.function defines a tool; expected a call with a name and arguments", o.at)
				return
			}
			r.add(f, "name", decoded(f.any("arguments")))
		},
	})
	register(form{
		name: "openai_agents", title: "OpenAI Agents spans",
		is: func(o *object) bool { return o.object("span_data") != nil },
		read: func(r *reader, o *object) {
			if data := o.object("span_data"); data.text("type") == "function" && !r.again(o, o.text("id"), "") {
				r.add(data, "name", decoded(data.any("input"))).start(o, "started_at")
			}
		},
	})
	register(form{
		name: "openai_responses", title: "OpenAI Responses",
		is: func(o *object) bool {
			kind := o.text("type")
			return kind == "function_call" || slices.Contains(hostedCalls, kind) || slices.Contains(namedCalls, kind)
		},
		read: readResponses,
	})
}

// namedCalls are the types of output items, in addition to function_call, that name a tool.
var namedCalls = []string{"custom_tool_call", "mcp_call"}

// hostedCalls are the types of output items for calls of the tools that OpenAI runs. The type is the name of the tool.
var hostedCalls = []string{"file_search_call", "web_search_call", "computer_call", "code_interpreter_call",
	"image_generation_call", "local_shell_call", "shell_call", "apply_patch_call", "tool_search_call"}

// readResponses parses an output item of the Responses API that is a call.
func readResponses(r *reader, o *object) {
	switch kind := o.text("type"); {
	case kind == "custom_tool_call":
		r.add(o, "name", o.any("input"))
	case !slices.Contains(hostedCalls, kind):
		r.add(o, "name", decoded(o.any("arguments")))
	default:
		r.call(strings.TrimSuffix(kind, "_call"), hostedArguments(o), o.at)
	}
}

// hostedArguments returns the arguments of a call of a hosted tool: its action, or else the members that
// hold its input.
func hostedArguments(o *object) json.RawMessage {
	if action := o.object("action"); action != nil {
		return o.get("action")
	}
	arguments := map[string]json.RawMessage{}
	for _, name := range []string{"queries", "code", "operation", "arguments"} {
		if o.has(name) {
			arguments[name] = o.get(name)
		}
	}
	if len(arguments) == 0 {
		return nil
	}
	raw, _ := json.Marshal(arguments) // valid JSON
	return raw
}
