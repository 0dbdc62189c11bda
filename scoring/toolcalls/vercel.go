package toolcalls

import (
	"encoding/json"
	"strings"
)

func init() {
	register(form{
		name: "vercel", title: "Vercel AI SDK",
		is: func(o *object) bool {
			calls := o.isList("toolCalls")
			name := o.named("toolName")
			id := o.named("toolCallId")
			return name || o.object("toolInvocation") != nil || calls || id && strings.HasPrefix(o.text("type"), "tool-")
		},
		read: readVercel,
	})
}

// readVercel parses a call, a part of a message, or the result of generateText of the AI SDK 4 to 6.
func readVercel(r *reader, o *object) {
	kind := o.text("type")
	name := o.named("toolName")
	switch {
	case o.object("toolInvocation") != nil:
		r.with(r.as, o.object("toolInvocation"), readVercel)
	case kind == "tool-result", kind == "tool-error", kind == "tool-output-denied", kind == "tool-approval-response":
	case name:
		r.add(o, "toolName", vercelInput(o))
	case strings.HasPrefix(kind, "tool-"):
		if tool := strings.TrimPrefix(kind, "tool-"); strings.TrimSpace(tool) != "" {
			r.call(tool, vercelInput(o), o.at)
			return
		}
		r.fail("%v.type names no tool; expected tool-NAME", o.at)
	default:
		if steps, ok := o.list("steps"); ok && len(steps) > 0 {
			r.elements(steps, o.at.member("steps"))
			return
		}
		calls, _ := o.list("toolCalls")
		r.elements(calls, o.at.member("toolCalls"))
	}
}

// vercelInput returns the arguments of a call: args up to AI SDK 4, input since 5. Providers give them as JSON text.
func vercelInput(o *object) json.RawMessage { return decoded(o.any("input", "args", "rawInput")) }
