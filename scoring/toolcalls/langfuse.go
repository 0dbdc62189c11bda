package toolcalls

import (
	"encoding/json"
	"slices"
)

func init() {
	register(form{
		name: "langfuse", title: "Langfuse observations",
		is: func(o *object) bool {
			trace := o.isList("observations")
			return trace || IsObservation(o.text("type"))
		},
		read: readLangfuse,
	})
}

// observationTypes are the types of observations, as the API writes them.
var observationTypes = []string{"TOOL", "SPAN", "GENERATION", "EVENT", "AGENT", "CHAIN", "RETRIEVER", "EVALUATOR",
	"EMBEDDING", "GUARDRAIL"}

// IsObservation reports whether kind is the type of an observation of Langfuse.
func IsObservation(kind string) bool { return slices.Contains(observationTypes, kind) }

// readLangfuse parses an observation, or a trace with its observations. In a trace without observations of the type
// TOOL, spans that enclose no observation are the calls; without these, those that models requested.
func readLangfuse(r *reader, o *object) {
	if list, ok := o.list("observations"); ok {
		for i, raw := range list { // a list of traces has the ids of observations
			if len(raw) > 0 && raw[0] == '{' {
				r.element(raw, o.at.member("observations").element(i))
			}
		}
		return
	}
	if r.again(o, o.text("id"), "") {
		return
	}
	if parent := o.text("parentObservationId"); parent != "" {
		if r.inner == nil {
			r.inner = map[string]bool{}
		}
		r.inner[parent] = true
	}
	switch o.text("type") {
	case "TOOL":
		r.add(o, "name", observed(o.any("input"))).start(o, "startTime")
	case "SPAN":
		if o.text("name") == "" || !o.has("input") {
			return
		}
		r.second(1, func() {
			if f := r.add(o, "name", observed(o.any("input"))); f != nil {
				f.start(o, "startTime")
				f.inner = o.text("id")
			}
		})
	case "GENERATION":
		r.second(2, func() { r.reply(o, "output") })
	}
}

// observed returns the arguments in the input of an observation. The decorator of the SDK for Python stores the
// positional and the named arguments of a function; without positional ones, the named ones are the arguments.
func observed(input json.RawMessage) json.RawMessage {
	raw := logged(input)
	in := objectOf(raw, nil)
	if in == nil || !in.only("args", "kwargs") || in.object("kwargs") == nil {
		return raw
	}
	if args, ok := in.list("args"); ok && len(args) == 0 {
		return in.get("kwargs")
	}
	return raw
}
