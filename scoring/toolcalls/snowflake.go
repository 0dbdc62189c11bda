package toolcalls

func init() {
	register(form{
		name: "cortex_agent", title: "Snowflake Cortex agents",
		is: func(o *object) bool { return o.object("tool_use") != nil },
		read: func(r *reader, o *object) {
			use := o.object("tool_use")
			r.add(use, "name", decoded(use.any("input")))
		},
	})
}
