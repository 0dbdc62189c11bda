package endpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// events returns the data of the events in a body of server-sent events (WHATWG HTML, 9.2); ok is false if the body
// is not in that form. The closing [DONE] is one of them.
func events(body []byte) (data []string, ok bool) {
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(body))
	first, _, _ := strings.Cut(text, "\n")
	if !strings.HasPrefix(first, ":") && !strings.HasPrefix(first, "data:") && !strings.HasPrefix(first, "event:") &&
		!strings.HasPrefix(first, "id:") && !strings.HasPrefix(first, "retry:") {
		return nil, false
	}
	for _, event := range strings.Split(text, "\n\n") {
		var lines []string
		for _, line := range strings.Split(event, "\n") {
			if d, ok := strings.CutPrefix(line, "data:"); ok {
				lines = append(lines, strings.TrimPrefix(d, " "))
			}
		}
		if len(lines) > 0 {
			data = append(data, strings.Join(lines, "\n"))
		}
	}
	return data, true
}

var errCutStream = errors.New("the stream has no end")

// join converts the chunks of a stream to one completion, in the form of a response without streaming. It also returns
// the chunks, which may report an error. A stream without an end is an error.
func join(data []string) (whole []byte, chunks []object, err error) {
	var s stream
	for _, d := range data {
		if strings.TrimSpace(d) == "[DONE]" {
			s.ended = true
			continue
		}
		var c object
		if json.Unmarshal([]byte(d), &c) != nil || c == nil {
			return nil, nil, errCutStream
		}
		chunks = append(chunks, c)
		s.add(c)
	}
	failed := len(chunks) > 0 && len(chunks[len(chunks)-1]["error"]) > 0
	if !s.ended && !failed {
		return nil, nil, errCutStream
	}
	return s.whole(), chunks, nil
}

// stream is what the chunks of a stream have brought so far.
type stream struct {
	model, usage, finish json.RawMessage
	fingerprint          json.RawMessage
	content, refusal     strings.Builder
	reasoning            strings.Builder
	calls                []*strings.Builder // arguments, by the index of the call
	logProbs             []json.RawMessage
	message              json.RawMessage // a whole message in a chunk
	ended                bool
}

func (s *stream) add(c object) {
	if c.text("type") != "" && len(c["choices"]) == 0 {
		s.addAnthropic(c)
		return
	}
	if c.text("model") != "" {
		s.model = c["model"]
	}
	if c.text("system_fingerprint") != "" {
		s.fingerprint = c["system_fingerprint"]
	}
	if c.child("usage") != nil {
		s.usage = c["usage"]
	}
	for _, choice := range c.list("choices") {
		if n := choice.loose("index"); n != "" && n != "0" {
			continue
		}
		delta := choice.child("delta")
		if delta == nil {
			delta = object{"content": choice["text"]}
		}
		if m := choice.child("message"); m != nil {
			s.message = choice["message"]
		}
		text, _, _ := contentOf(delta["content"])
		s.content.WriteString(text)
		s.refusal.WriteString(delta.text("refusal"))
		s.reasoning.WriteString(delta.text("reasoning_content") + delta.text("reasoning"))
		for i, call := range delta.list("tool_calls") {
			if at := call.count("index"); at >= 0 {
				i = int(at)
			}
			s.call(i).WriteString(call.child("function").loose("arguments"))
		}
		s.call(0).WriteString(delta.child("function_call").loose("arguments"))
		s.logProbs = append(s.logProbs, elements(choice.child("logprobs")["content"])...)
		if choice.text("finish_reason") != "" {
			s.finish, s.ended = choice["finish_reason"], true
		}
	}
}

// addAnthropic adds an event of Anthropic's API.
func (s *stream) addAnthropic(c object) {
	switch c.text("type") {
	case "message_start":
		m := c.child("message")
		s.model, s.usage = m["model"], m["usage"]
	case "content_block_start":
		if block := c.child("content_block"); block.text("type") == "text" {
			s.content.WriteString(block.text("text"))
		}
	case "content_block_delta":
		d := c.child("delta")
		s.content.WriteString(d.text("text"))
		if part := d.text("partial_json"); part != "" {
			s.call(int(max(0, c.count("index")))).WriteString(part)
		}
	case "message_delta":
		s.finish, s.ended = c.child("delta")["stop_reason"], true
		usage := object{}
		_ = json.Unmarshal(s.usage, &usage) // the start's, with the input
		for name, n := range c.child("usage") {
			usage[name] = n
		}
		s.usage, _ = json.Marshal(usage)
	case "message_stop":
		s.ended = true
	}
}

// call returns the arguments of a tool call; those beyond a limit are joined.
func (s *stream) call(i int) *strings.Builder {
	const most = 64
	i = min(max(i, 0), most-1)
	for len(s.calls) <= i {
		s.calls = append(s.calls, &strings.Builder{})
	}
	return s.calls[i]
}

// whole returns the completion.
func (s *stream) whole() []byte {
	message := map[string]any{"content": s.content.String(), "reasoning_content": s.reasoning.String(),
		"refusal": s.refusal.String()}
	var calls []any
	for _, c := range s.calls {
		calls = append(calls, map[string]any{"function": map[string]any{"arguments": c.String()}})
	}
	message["tool_calls"] = calls
	choice := map[string]any{"message": message}
	if s.message != nil && s.content.Len() == 0 {
		choice["message"] = s.message
	}
	if len(s.finish) > 0 {
		choice["finish_reason"] = s.finish
	}
	if len(s.logProbs) > 0 {
		choice["logprobs"] = map[string]any{"content": s.logProbs}
	}
	whole := map[string]any{"choices": []any{choice}}
	if len(s.model) > 0 {
		whole["model"] = s.model
	}
	if len(s.fingerprint) > 0 {
		whole["system_fingerprint"] = s.fingerprint
	}
	if len(s.usage) > 0 {
		whole["usage"] = s.usage
	}
	var b bytes.Buffer
	_ = json.NewEncoder(&b).Encode(whole) // strings and JSON that was decoded
	return b.Bytes()
}
