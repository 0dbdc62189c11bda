package toolcalls

func init() {
	register(form{
		name: "gemini", title: "Google Gemini",
		is: func(o *object) bool { return geminiCall(o) != nil || o.object("executableCode") != nil },
		read: func(r *reader, o *object) {
			if call := geminiCall(o); call != nil {
				r.add(call, "name", call.any("args"))
				return
			}
			r.call("code_execution", o.get("executableCode"), o.at)
		},
	})
}

// geminiCall returns the call of a part, or nil. The SDKs write it in camel or in snake case. An object function_call
// with arguments is OpenAI's.
func geminiCall(o *object) *object {
	if o.text("role") != "" {
		return nil
	}
	for _, name := range []string{"functionCall", "function_call"} {
		if call := o.object(name); call != nil && !call.has("arguments") {
			return call
		}
	}
	return nil
}
