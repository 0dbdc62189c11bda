package toolcalls

// The calls of agent frameworks and evaluation libraries whose form is one object.
func init() {
	register(form{
		name: "deepeval", title: "DeepEval",
		is: func(o *object) bool {
			snake := o.named("input_parameters")
			camel := o.named("inputParameters")
			return snake || camel
		},
		read: func(r *reader, o *object) { r.add(o, "name", o.any("input_parameters", "inputParameters")) },
	})
	register(form{
		name: "llamaindex", title: "LlamaIndex",
		is:   func(o *object) bool { kwargs := o.named("tool_kwargs"); return kwargs },
		read: func(r *reader, o *object) { r.add(o, "tool_name", o.any("tool_kwargs")) },
	})
	register(form{
		name: "pydantic_ai", title: "Pydantic AI",
		is: func(o *object) bool { return o.text("part_kind") != "" },
		read: func(r *reader, o *object) {
			if part := o.text("part_kind"); part == "tool-call" || part == "builtin-tool-call" {
				r.add(o, "tool_name", decoded(o.any("args")))
			}
		},
	})
	register(form{
		name: "cohere", title: "Cohere or Llama",
		is: func(o *object) bool {
			return o.has("name") && o.object("parameters") != nil && !o.has("arguments") && !o.has("args") &&
				!o.has("description")
		},
		read: func(r *reader, o *object) { r.add(o, "name", o.any("parameters")) },
	})
}
