package toolcalls

func init() {
	register(form{
		name: "anthropic", title: "Anthropic messages",
		is: func(o *object) bool {
			switch o.text("type") {
			case "tool_use", "server_tool_use", "mcp_tool_use":
				return o.object("tool_use") == nil
			}
			return false
		},
		read: func(r *reader, o *object) { r.add(o, "name", decoded(o.any("input", "arguments"))) },
	})
}
