package judgebackend

import (
	"encoding/json"
	"slices"
	"strings"
)

// AppendSchema returns messages with the schema added to the last one, for endpoints without a parameter for it.
func AppendSchema(messages []Message, schema json.RawMessage) []Message {
	return appendToLast(messages, "Answer with one JSON object and nothing else: no text around it, no code fence. "+
		"The object must satisfy this JSON Schema:\n"+string(schema))
}

// appendToLast returns a copy of messages with a paragraph added to the last one.
func appendToLast(messages []Message, text string) []Message {
	out := slices.Clone(messages)
	last := &out[len(out)-1]
	last.Content = strings.TrimRight(last.Content, "\n") + "\n\n" + text
	return out
}

// WithoutSystem returns messages without system messages, for models that have no such role: their text is the first
// part of the first user message.
func WithoutSystem(messages []Message) []Message {
	var system []string
	var out []Message
	for _, m := range messages {
		if m.Role == System {
			system = append(system, m.Content)
		} else {
			out = append(out, m)
		}
	}
	if len(system) == 0 {
		return messages
	}
	text := strings.Join(system, "\n\n")
	if out[0].Role != User {
		return append([]Message{{User, text}}, out...)
	}
	out[0].Content = text + "\n\n" + out[0].Content
	return out
}

// SchemaName converts a purpose to a name that vendors allow for a schema or tool: it replaces . and / by _.
func SchemaName(purpose string) string {
	return strings.Map(func(r rune) rune {
		if r == '.' || r == '/' {
			return '_'
		}
		return r
	}, purpose)
}

// IsStrict reports whether schema satisfies OpenAI's strict mode: all objects have additionalProperties false, and
// all properties are required.
func IsStrict(schema json.RawMessage) bool {
	var v any
	return json.Unmarshal(schema, &v) == nil && strictNode(v)
}

func strictNode(v any) bool {
	switch v := v.(type) {
	case []any:
		return !slices.ContainsFunc(v, func(e any) bool { return !strictNode(e) })
	case map[string]any:
		if props, ok := v["properties"].(map[string]any); ok {
			required, _ := v["required"].([]any)
			if v["additionalProperties"] != false || len(required) != len(props) {
				return false
			}
		} else if v["type"] == "object" {
			return false
		}
		for key, e := range v {
			if key != "enum" && key != "const" && key != "default" && key != "examples" && !strictNode(e) {
				return false
			}
		}
	}
	return true
}
