package toolcalls

// readOwn parses a call in badger's own form: {"name", "arguments"}. A call without arguments may only have members
// that describe it, because arguments under another name would be ignored.
func readOwn(r *reader, o *object) {
	name := o.named("name")
	arguments := o.named("arguments")
	switch {
	case !name && !arguments:
		r.fail("%v: unknown form of a tool call; "+expected, o.at)
		return
	case !arguments && !o.only("name", "read_as", "id", "call_id", "tool_call_id", "type", "index", "description",
		"reasoning", "output", "result", "error", "status", "latency_ms", "duration_ms", "started_at", "ended_at",
		"timestamp"):
		r.fail("%v: a call without arguments has a member that is unknown; "+expected, o.at)
		return
	}
	f := r.add(o, "name", o.get("arguments"))
	if as := o.text("read_as"); f != nil && named(as) != nil {
		f.ReadAs = as
	}
}
