package toolcalls

func init() {
	register(form{
		name: "mcp", title: "MCP requests",
		is: func(o *object) bool { return o.text("method") != "" || o.text("jsonrpc") != "" },
		read: func(r *reader, o *object) {
			if o.text("method") != "tools/call" { // another request, a notification or a response
				return
			}
			params := o.object("params")
			if params == nil {
				r.fail("%v.params is missing; expected an object with a name and arguments", o.at)
				return
			}
			r.add(params, "name", params.any("arguments"))
		},
	})
}
