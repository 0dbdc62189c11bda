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
			} else if o := objectOf(m); o != nil && o.role() == "user" {
				text = cmp.Or(contentText(o), text)
			}
		}
		return text
	}
	o := objectOf(raw)
	if o == nil {
		return strings.TrimSpace(textOf(raw))
	}
	if role := o.role(); role != "" {
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
		return answerInList(list, depth)
	}
	o := objectOf(raw)
	if o == nil {
		return strings.TrimSpace(textOf(raw))
	}
	if role := o.role(); role != "" {
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

// textKinds are the types of the parts of messages that are text.
var textKinds = []string{"text", "input_text", "output_text", "user-prompt"}

// answerInList returns the answer in a list of messages, or of the parts of one.
func answerInList(list []json.RawMessage, depth int) (text string) {
	parts := partsText(list)
	for _, m := range list {
		o := objectOf(m)
		switch role := o.role(); {
		case o == nil:
			text = cmp.Or(answerIn(m, depth+1), text)
		case role == "":
			text = cmp.Or(answerIn(m, depth+1), parts, text)
		case role == "assistant":
			text = cmp.Or(contentText(o), text)
		}
	}
	return text
}

// contentText returns the text of a message, without reasoning, calls and results of tools.
func contentText(o object) string {
	if inner := o.object("data", "kwargs"); inner != nil && o.get("content") == nil && o.get("parts") == nil {
		o = inner
	}
	raw := o.first("content", "parts")
	if parts := objectOf(raw); parts != nil && parts.get("parts") != nil {
		raw = parts.get("parts")
	}
	list := listOf(raw)
	if list == nil {
		return strings.TrimSpace(textOf(raw))
	}
	return partsText(list)
}

// partsText returns the text in the parts of a message.
func partsText(list []json.RawMessage) string {
	var texts []string
	for _, m := range list {
		part := objectOf(m)
		kind := part.text("type", "part_kind")
		thought := string(part.get("thought")) == "true"
		switch {
		case part == nil:
			texts = append(texts, textOf(m))
		case thought || kind != "" && !slices.Contains(textKinds, kind):
		default:
			if text := textOf(part.first("text", "content")); text != "" {
				texts = append(texts, text)
			}
		}
	}
	return strings.TrimSpace(strings.Join(texts, "\n"))
}
