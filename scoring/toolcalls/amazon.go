package toolcalls

func init() {
	register(form{
		name: "bedrock", title: "Amazon Bedrock Converse",
		is: func(o *object) bool { return o.object("toolUse") != nil },
		read: func(r *reader, o *object) {
			use := o.object("toolUse")
			r.add(use, "name", use.any("input"))
		},
	})
}
