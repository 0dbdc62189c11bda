package imports

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// questionKeys and answerKeys are the members in which agents log the question and the answer.
var (
	questionKeys = []string{"question", "input", "query", "prompt", "user_input", "user_message", "text", "content"}
	answerKeys   = []string{"answer", "output", "response", "result", "final_answer", "text", "content", "generation"}
)

// maxNesting is the maximum nesting of logged inputs and outputs.
const maxNesting = 8

// questionIn returns the question in the logged input of an agent: a string, a message, a list of messages, or an
// object with one of these.
func questionIn(raw json.RawMessage, depth int) string {
	if depth > maxNesting {
		return ""
	}
	if list := listOf(raw); list != nil {
		text := ""
		for _, m := range list {
			if inner := listOf(m); inner != nil { // a list for each prompt
				text = cmp.Or(questionIn(m, depth+1), text)
			} else if o := objectOf(m); o != nil && roleOf(o) == "user" {
				text = cmp.Or(contentText(o), text)
			}
		}
		return text
	}
	o := objectOf(raw)
	if o == nil {
		return strings.TrimSpace(textOf(raw))
	}
	if role := roleOf(o); role != "" {
		if role == "user" {
			return contentText(o)
		}
		return ""
	}
	for _, key := range append([]string{"messages", "inputs", "args", "kwargs", "request", "message"}, questionKeys...) {
		if text := questionIn(o.first(key), depth+1); text != "" {
			return text
		}
	}
	return ""
}

// answerIn returns the answer in the logged output of an agent.
func answerIn(raw json.RawMessage, depth int) string {
	if depth > maxNesting {
		return ""
	}
	if list := listOf(raw); list != nil {
		text, parts := "", contentText(object{"content": raw})
		for _, m := range list {
			o := objectOf(m)
			switch {
			case o == nil:
				text = cmp.Or(answerIn(m, depth+1), text)
			case roleOf(o) == "":
				text = cmp.Or(answerIn(m, depth+1), parts, text)
			case roleOf(o) == "assistant":
				text = cmp.Or(contentText(o), text)
			}
		}
		return text
	}
	o := objectOf(raw)
	if o == nil {
		return strings.TrimSpace(textOf(raw))
	}
	if role := roleOf(o); role != "" {
		if role == "assistant" {
			return contentText(o)
		}
		return ""
	}
	if kind := o.text("type"); strings.HasSuffix(kind, "_call") || strings.HasSuffix(kind, "_output") ||
		strings.HasPrefix(kind, "tool") || kind == "reasoning" || kind == "thinking" {
		return ""
	}
	for _, key := range append([]string{"messages", "choices", "candidates", "generations", "outputs", "message", "data",
		"kwargs", "body"}, answerKeys...) {
		if text := answerIn(o.first(key), depth+1); text != "" {
			return text
		}
	}
	return ""
}

// roleOf returns the role of a message: user, assistant or other. It is "" if o is not a message.
func roleOf(o object) string {
	role := o.text("role")
	if role == "" && (o["content"] != nil || o["data"] != nil) {
		role = o.text("type")
		if !slices.Contains([]string{"human", "ai", "system", "tool", "function", "AIMessageChunk"}, role) {
			return ""
		}
	}
	if path := listOf(o["id"]); role == "" && len(path) > 0 && o["kwargs"] != nil { // serialized by LangChain
		role = textOf(path[len(path)-1])
	}
	switch role {
	case "":
		return ""
	case "user", "human", "HumanMessage":
		return "user"
	case "assistant", "model", "ai", "AIMessage", "AIMessageChunk", "analyst":
		return "assistant"
	}
	return "other"
}

// contentText returns the text of a message, without reasoning, calls and results of tools.
func contentText(o object) string {
	if inner := o.object("data", "kwargs"); inner != nil && o["content"] == nil {
		o = inner
	}
	raw := o.first("content", "parts")
	if parts := objectOf(raw); parts != nil && parts["parts"] != nil {
		raw = parts["parts"]
	}
	list := listOf(raw)
	if list == nil {
		return strings.TrimSpace(textOf(raw))
	}
	var texts []string
	for _, m := range list {
		part := objectOf(m)
		kind := part.text("type")
		thought := string(part["thought"]) == "true"
		switch {
		case part == nil:
			texts = append(texts, textOf(m))
		case thought || kind != "" && kind != "text" && kind != "input_text" && kind != "output_text":
		default:
			if text := textOf(part.first("text", "content")); text != "" {
				texts = append(texts, text)
			}
		}
	}
	return strings.TrimSpace(strings.Join(texts, "\n"))
}
