package toolcalls

func init() {
	register(form{
		name: "inspect", title: "Inspect",
		is: func(o *object) bool {
			return o.text("event") != "" || len(o.get("function")) > 0 && o.get("function")[0] == '"'
		},
		read: func(r *reader, o *object) {
			if event := o.text("event"); event == "" || event == "tool" {
				r.add(o, "function", decoded(o.any("arguments")))
			}
		},
	})
}
