package judgebackend_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/backendtest"
)

// endpointForm is one form in which an endpoint answers. serve gets the call, its decoded body and the right answer,
// a JSON object.
type endpointForm struct {
	name  string
	serve func(call backendtest.Call, body map[string]any, answer string) backendtest.Raw
	want  judgebackend.Kind // of the error; "" if the answer arrives
	calls int               // made for the question
	usage string            // "" if it is 10 and 5; unknown
}

func jsonOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// completed is a chat completion with the message and the other members of the choice.
func completed(message map[string]any, choice ...any) map[string]any {
	c := map[string]any{"index": 0, "finish_reason": "stop", "message": message}
	for i := 0; i+1 < len(choice); i += 2 {
		c[choice[i].(string)] = choice[i+1]
	}
	return map[string]any{"id": "x", "object": "chat.completion", "created": 1, "model": "m-2025-01-01", "choices": []any{c},
		"usage": map[string]any{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}}
}

func ok(v any) backendtest.Raw { return backendtest.Raw{Body: jsonOf(v), Type: "application/json"} }

func content(v any) backendtest.Raw {
	return ok(completed(map[string]any{"role": "assistant", "content": v}))
}

func refused(status int, body any) backendtest.Raw {
	return backendtest.Raw{Status: status, Body: jsonOf(body), Type: "application/json"}
}

func openAIError(status int, message string, more ...any) backendtest.Raw {
	e := map[string]any{"message": message, "type": "invalid_request_error"}
	for i := 0; i+1 < len(more); i += 2 {
		e[more[i].(string)] = more[i+1]
	}
	return refused(status, map[string]any{"error": e})
}

type msg = map[string]any

// says wraps a form of the reply's text.
func says(form func(answer string) any) func(backendtest.Call, map[string]any, string) backendtest.Raw {
	return func(_ backendtest.Call, _ map[string]any, answer string) backendtest.Raw {
		return content(form(answer))
	}
}

// message wraps a form of the message.
func messageOf(form func(answer string) map[string]any, choice ...any) func(backendtest.Call, map[string]any, string) backendtest.Raw {
	return func(_ backendtest.Call, _ map[string]any, answer string) backendtest.Raw {
		return ok(completed(form(answer), choice...))
	}
}

// whole wraps a change of a usual completion.
func whole(change func(c map[string]any)) func(backendtest.Call, map[string]any, string) backendtest.Raw {
	return func(_ backendtest.Call, _ map[string]any, answer string) backendtest.Raw {
		c := completed(msg{"role": "assistant", "content": answer})
		change(c)
		return ok(c)
	}
}

// without refuses calls that have a member, with a response; others get the answer.
func without(member string, refusal backendtest.Raw) func(backendtest.Call, map[string]any, string) backendtest.Raw {
	return func(_ backendtest.Call, body map[string]any, answer string) backendtest.Raw {
		if _, has := body[member]; has {
			return refusal
		}
		return content(answer)
	}
}

// formatted refuses calls with a type of response format.
func formatted(kind string, refusal backendtest.Raw) func(backendtest.Call, map[string]any, string) backendtest.Raw {
	return func(_ backendtest.Call, body map[string]any, answer string) backendtest.Raw {
		if f, _ := body["response_format"].(map[string]any); f["type"] == kind {
			return refusal
		}
		return content(answer)
	}
}

// bounded refuses calls that allow more than 80 tokens.
func bounded(refusal backendtest.Raw) func(backendtest.Call, map[string]any, string) backendtest.Raw {
	return func(_ backendtest.Call, body map[string]any, answer string) backendtest.Raw {
		if n, _ := body["max_tokens"].(float64); n > 80 {
			return refusal
		}
		return content(answer)
	}
}

func withoutSystem(refusal backendtest.Raw) func(backendtest.Call, map[string]any, string) backendtest.Raw {
	return func(call backendtest.Call, _ map[string]any, answer string) backendtest.Raw {
		if strings.HasPrefix(call.Content, "system:") {
			return refusal
		}
		if !strings.Contains(call.Content, "You are tested.") {
			return openAIError(400, "the system text is lost")
		}
		return content(answer)
	}
}

// always gives one response.
func alwaysRaw(r backendtest.Raw) func(backendtest.Call, map[string]any, string) backendtest.Raw {
	return func(backendtest.Call, map[string]any, string) backendtest.Raw { return r }
}

// once gives r to the first call.
func once(r backendtest.Raw) func(backendtest.Call, map[string]any, string) backendtest.Raw {
	return func(call backendtest.Call, _ map[string]any, answer string) backendtest.Raw {
		if call.N == 0 {
			return r
		}
		return content(answer)
	}
}

// events is a stream of chunks of the answer. more are further events.
func events(answer string, more ...string) string {
	half := len(answer) / 2
	var out strings.Builder
	for _, c := range []string{
		jsonOf(msg{"id": "x", "model": "m", "choices": []any{msg{"index": 0, "delta": msg{"role": "assistant", "content": answer[:half]}}}}),
		jsonOf(msg{"id": "x", "model": "m", "choices": []any{msg{"index": 0, "delta": msg{"content": answer[half:]}, "finish_reason": "stop"}}}),
	} {
		out.WriteString("data: " + c + "\n\n")
	}
	return out.String() + strings.Join(more, "")
}

const (
	usageChunk = `data: {"id":"x","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5}}` + "\n\n"
	doneEvent  = "data: [DONE]\n\n"
	fastAPI    = `{"detail":[{"type":"extra_forbidden","loc":["body","response_format"],"msg":"Extra inputs are not permitted","input":{"type":"json_schema"}}]}`
)

// The forms in which endpoints of OpenAI's API answer, by their published references and their servers' sources, and
// the outcome that each should have: the answer where it is unambiguous, an error of the right kind where it is not.
var openAIForms = []endpointForm{
	// the answer's place
	{name: "a string", serve: says(func(a string) any { return a })},
	{name: "parts of text (message content may be an array)", serve: says(func(a string) any { return []any{msg{"type": "text", "text": a}} })},
	{name: "a text in two parts", serve: says(func(a string) any {
		return []any{msg{"type": "text", "text": a[:9]}, msg{"type": "text", "text": a[9:]}}
	})},
	{name: "thinking parts are left out (Mistral)", serve: says(func(a string) any {
		return []any{msg{"type": "thinking", "thinking": []any{msg{"type": "text", "text": `{"verdict":"fail"}`}}}, msg{"type": "text", "text": a}}
	})},
	{name: "output_text parts", serve: says(func(a string) any { return []any{msg{"type": "output_text", "text": a}} })},
	{name: "strings as parts", serve: says(func(a string) any { return []any{a[:5], a[5:]} })},
	{name: "one part", serve: says(func(a string) any { return msg{"type": "text", "text": a} })},
	{name: "the object itself", serve: says(func(a string) any { return json.RawMessage(a) })},
	{name: "a tool call", serve: messageOf(func(a string) map[string]any {
		return msg{"content": nil, "tool_calls": []any{msg{"id": "c", "type": "function", "function": msg{"name": "answer", "arguments": a}}}}
	}, "finish_reason", "tool_calls")},
	{name: "a tool call with an object for a string (Ollama)", serve: messageOf(func(a string) map[string]any {
		return msg{"content": "", "tool_calls": []any{msg{"function": msg{"name": "answer", "arguments": json.RawMessage(a)}}}}
	})},
	{name: "a tool call next to prose", serve: messageOf(func(a string) map[string]any {
		return msg{"content": "I call the tool.", "tool_calls": []any{msg{"function": msg{"arguments": a}}}}
	})},
	{name: "two tool calls that differ", serve: messageOf(func(a string) map[string]any {
		return msg{"content": nil, "tool_calls": []any{msg{"function": msg{"arguments": a}}, msg{"function": msg{"arguments": strings.Replace(a, "pass", "fail", 1)}}}}
	}), want: judgebackend.KindBadReply, calls: 2},
	{name: "a function call", serve: messageOf(func(a string) map[string]any {
		return msg{"content": nil, "function_call": msg{"name": "answer", "arguments": a}}
	}, "finish_reason", "function_call")},
	{name: "a tool call as text (Hermes)", serve: says(func(a string) any { return `<tool_call>{"name":"answer","arguments":` + a + `}</tool_call>` })},
	{name: "the reasoning, without content", serve: messageOf(func(a string) map[string]any { return msg{"content": "", "reasoning_content": a} })},
	{name: "the reasoning, without content (OpenRouter's name)", serve: messageOf(func(a string) map[string]any { return msg{"content": nil, "reasoning": a} })},
	{name: "content next to reasoning", serve: messageOf(func(a string) map[string]any { return msg{"content": a, "reasoning_content": `{"verdict":"fail"}`} })},
	{name: "parsed", serve: messageOf(func(a string) map[string]any { return msg{"content": "", "parsed": json.RawMessage(a)} })},
	{name: "the older completions API", serve: func(_ backendtest.Call, _ map[string]any, a string) backendtest.Raw {
		return ok(msg{"choices": []any{msg{"text": a, "finish_reason": "stop"}}, "usage": msg{"prompt_tokens": 10, "completion_tokens": 5}})
	}},
	{name: "Ollama's own form", serve: func(_ backendtest.Call, _ map[string]any, a string) backendtest.Raw {
		return ok(msg{"model": "m", "message": msg{"role": "assistant", "content": a}, "done": true, "done_reason": "stop", "prompt_eval_count": 10, "eval_count": 5})
	}},
	{name: "OpenAI's Responses API", serve: func(_ backendtest.Call, _ map[string]any, a string) backendtest.Raw {
		return ok(msg{"model": "m", "output": []any{msg{"type": "reasoning", "summary": []any{}}, msg{"type": "message", "content": []any{msg{"type": "output_text", "text": a}}}}, "usage": msg{"input_tokens": 10, "output_tokens": 5}})
	}},

	// the answer's text
	{name: "a JSON string", serve: says(func(a string) any { return jsonOf(a) })},
	{name: "a JSON string in a fence", serve: says(func(a string) any { return "```json\n" + jsonOf(a) + "\n```" })},
	{name: "wrapped", serve: says(func(a string) any { return `{"answer":` + a + `}` })},
	{name: "wrapped as text", serve: says(func(a string) any { return jsonOf(msg{"answer": a}) })},
	{name: "wrapped like the schema", serve: says(func(a string) any { return `{"type":"object","properties":` + a + `}` })},
	{name: "in a list", serve: says(func(a string) any { return "[" + a + "]" })},
	{name: "Python's literals", serve: says(func(a string) any { return strings.Replace(a, "true", "True", 1) })},
	{name: "a stray backslash", serve: says(func(a string) any { return strings.Replace(a, "because", `it\'s \d+ 100\%`, 1) })},
	{name: "a byte order mark", serve: says(func(a string) any { return "\ufeff" + a })},
	{name: "a draft in another tag", serve: says(func(a string) any { return `[THINK]{"verdict":"fail"}[/THINK]` + a })},
	{name: "gpt-oss channels", serve: says(func(a string) any {
		return `<|channel|>analysis<|message|>hm {"a":1}<|end|><|start|>assistant<|channel|>final<|message|>` + a
	})},
	{name: "a fence that does not end", serve: says(func(a string) any { return "```json\n" + a })},
	{name: "the answer twice", serve: says(func(a string) any { return a + "\n" + a })},
	{name: "two answers", serve: says(func(a string) any { return a + strings.Replace(a, "pass", "fail", 1) }), want: judgebackend.KindBadReply, calls: 2},
	{name: "single quotes", serve: says(func(a string) any { return strings.ReplaceAll(a, `"`, "'") }), want: judgebackend.KindBadReply, calls: 2},
	{name: "keys without quotes", serve: says(func(a string) any { return strings.Replace(a, `"verdict"`, "verdict", 1) }), want: judgebackend.KindBadReply, calls: 2},
	{name: "NaN", serve: says(func(a string) any { return strings.Replace(a, "7", "NaN", 1) }), want: judgebackend.KindBadReply, calls: 2},
	{name: "a number as text", serve: says(func(a string) any { return strings.Replace(a, "7", `"7"`, 1) }), want: judgebackend.KindBadReply, calls: 2},
	{name: "out of range", serve: says(func(a string) any { return strings.Replace(a, "7", "107", 1) }), want: judgebackend.KindBadReply, calls: 2},
	{name: "an apology", serve: says(func(string) any { return "I'm sorry, but I can't assist with that request." }), want: judgebackend.KindBadReply, calls: 2},
	{name: "nothing", serve: says(func(string) any { return "" }), want: judgebackend.KindBadReply, calls: 2},
	{name: "nothing at first", serve: once(content("")), calls: 2},

	// how it ended
	{name: "no finish reason", serve: messageOf(func(a string) map[string]any { return msg{"content": a} }, "finish_reason", nil)},
	{name: "a refusal", serve: messageOf(func(string) map[string]any { return msg{"content": nil, "refusal": "I'm sorry."} }), want: judgebackend.KindRefused},
	{name: "an empty refusal is none", serve: messageOf(func(a string) map[string]any { return msg{"content": a, "refusal": ""} })},
	{name: "a refusal as a part", serve: says(func(string) any { return []any{msg{"type": "refusal", "refusal": "I can't."}} }), want: judgebackend.KindRefused},
	{name: "a content filter", serve: messageOf(func(string) map[string]any { return msg{"content": ""} }, "finish_reason", "content_filter"), want: judgebackend.KindRefused},
	{name: "a content filter with a 400 (Azure)", serve: alwaysRaw(refused(400, msg{"error": msg{"message": "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.", "code": "content_filter", "status": 400}})), want: judgebackend.KindRefused},
	{name: "an error in the choice (OpenRouter)", serve: messageOf(func(string) map[string]any { return msg{"content": ""} }, "finish_reason", "error", "error", msg{"code": 502, "message": "Upstream error"}), want: judgebackend.KindServer, calls: 5},
	{name: "an error in the choice at first", serve: once(ok(completed(msg{"content": ""}, "finish_reason", "error"))), calls: 2},
	{name: "an error with a 200 (OpenRouter)", serve: alwaysRaw(ok(msg{"error": msg{"message": "Provider returned error", "code": 429}})), want: judgebackend.KindRateLimited, calls: 5},

	// bodies
	{name: "an HTML page", serve: alwaysRaw(backendtest.Raw{Body: "<html><body>Login</body></html>", Type: "text/html"}), want: judgebackend.KindMalformed, calls: 5},
	{name: "no choices", serve: whole(func(c map[string]any) { c["choices"] = []any{} }), want: judgebackend.KindMalformed, calls: 5},
	{name: "choices of null", serve: whole(func(c map[string]any) { c["choices"] = nil }), want: judgebackend.KindMalformed, calls: 5},
	{name: "a message of null", serve: messageOf(func(string) map[string]any { return nil }), want: judgebackend.KindMalformed, calls: 5},
	{name: "another content type", serve: func(_ backendtest.Call, _ map[string]any, a string) backendtest.Raw {
		r := content(a)
		r.Type = "text/plain; charset=utf-8"
		return r
	}},
	{name: "blanks to keep the connection open (OpenRouter, DeepSeek)", serve: func(_ backendtest.Call, _ map[string]any, a string) backendtest.Raw {
		r := content(a)
		r.Body = "\n\n        \n" + r.Body
		return r
	}},
	{name: "a list of one completion", serve: func(_ backendtest.Call, _ map[string]any, a string) backendtest.Raw {
		r := content(a)
		r.Body = "[" + r.Body + "]"
		return r
	}},
	{name: "members of other types", serve: whole(func(c map[string]any) { c["id"], c["created"], c["model"] = 17, "2025-01-01T00:00:00Z", nil })},

	// usage
	{name: "no usage", serve: whole(func(c map[string]any) { delete(c, "usage") }), usage: "unknown"},
	{name: "a usage of null", serve: whole(func(c map[string]any) { c["usage"] = nil }), usage: "unknown"},
	{name: "a usage of 0", serve: whole(func(c map[string]any) { c["usage"] = msg{"prompt_tokens": 0, "completion_tokens": 0} }), usage: "unknown"},
	{name: "a usage of 0 in and some out (Ollama's cache)", serve: whole(func(c map[string]any) { c["usage"] = msg{"prompt_tokens": 0, "completion_tokens": 5} }), usage: "unknown"},
	{name: "a usage of floats", serve: whole(func(c map[string]any) {
		c["usage"] = msg{"prompt_tokens": 10.0, "completion_tokens": json.RawMessage("5.0")}
	})},
	{name: "a usage of strings", serve: whole(func(c map[string]any) { c["usage"] = msg{"prompt_tokens": "10", "completion_tokens": "5"} })},
	{name: "a usage with other names", serve: whole(func(c map[string]any) { c["usage"] = msg{"input_tokens": 10, "output_tokens": 5} })},
	{name: "a usage with a total only", serve: whole(func(c map[string]any) { c["usage"] = msg{"total_tokens": 15} }), usage: "unknown"},

	// streams
	{name: "a stream that was not asked for", serve: func(_ backendtest.Call, _ map[string]any, a string) backendtest.Raw {
		return backendtest.Raw{Body: events(a, usageChunk, doneEvent), Type: "text/event-stream"}
	}},
	{name: "a stream without usage and comments in it", serve: func(_ backendtest.Call, _ map[string]any, a string) backendtest.Raw {
		return backendtest.Raw{Body: ": PROCESSING\n\n" + strings.ReplaceAll(events(a, doneEvent), "\n", "\r\n"), Type: "text/event-stream"}
	}, usage: "unknown"},
	{name: "a stream that breaks", serve: func(_ backendtest.Call, _ map[string]any, a string) backendtest.Raw {
		first, _, _ := strings.Cut(events(a), "\n\n")
		return backendtest.Raw{Body: first + "\n\n", Type: "text/event-stream"}
	}, want: judgebackend.KindMalformed, calls: 5},
	{name: "an error in a stream", serve: func(_ backendtest.Call, _ map[string]any, a string) backendtest.Raw {
		first, _, _ := strings.Cut(events(a), "\n\n")
		return backendtest.Raw{Body: first + "\n\ndata: {\"error\":{\"code\":429,\"message\":\"Rate limit\"}}\n\n", Type: "text/event-stream"}
	}, want: judgebackend.KindRateLimited, calls: 5},
	{name: "tool calls in a stream", serve: func(_ backendtest.Call, _ map[string]any, a string) backendtest.Raw {
		part := func(s string) string {
			return "data: " + jsonOf(msg{"choices": []any{msg{"index": 0, "delta": msg{"tool_calls": []any{msg{"index": 0, "function": msg{"arguments": s}}}}}}}) + "\n\n"
		}
		return backendtest.Raw{Body: part(a[:7]) + part(a[7:]) + usageChunk + doneEvent, Type: "text/event-stream"}
	}},
	{name: "only streams (Qwen)", serve: func(_ backendtest.Call, body map[string]any, a string) backendtest.Raw {
		if body["stream"] != true {
			return openAIError(400, "This model only support stream mode, please enable the stream parameter to access the model.")
		}
		usage := ""
		if o, _ := body["stream_options"].(map[string]any); o["include_usage"] == true {
			usage = usageChunk
		}
		return backendtest.Raw{Body: events(a, usage, doneEvent), Type: "text/event-stream"}
	}, calls: 2},
	{name: "only streams, without stream_options", serve: func(_ backendtest.Call, body map[string]any, a string) backendtest.Raw {
		switch {
		case body["stream"] != true:
			return openAIError(400, "only supports stream mode, set stream=true")
		case body["stream_options"] != nil:
			return openAIError(400, "Unrecognized request argument supplied: stream_options")
		}
		return backendtest.Raw{Body: events(a, doneEvent), Type: "text/event-stream"}
	}, calls: 3, usage: "unknown"},
	{name: "an error about upstream is none about streams", serve: alwaysRaw(openAIError(400, "upstream request was malformed")), want: judgebackend.KindInvalid},

	// features
	{name: "no response format", serve: without("response_format", openAIError(400, "Unknown parameter: 'response_format'.", "param", "response_format")), calls: 3},
	{name: "no response format (FastAPI, a list)", serve: without("response_format", backendtest.Raw{Status: 422, Body: fastAPI}), calls: 3},
	{name: "no response format (FastAPI, a string)", serve: without("response_format", refused(400, msg{"detail": "Unsupported parameter: response_format"})), calls: 3},
	{name: "no response format (Mistral, detail in message)", serve: without("response_format", backendtest.Raw{Status: 422, Body: `{"object":"error","message":` + fastAPI + `,"type":"invalid_request_error","param":null,"code":null}`}), calls: 3},
	{name: "no response format, said late", serve: without("response_format", openAIError(400, strings.Repeat("x", 220)+" response_format is not supported")), calls: 3},
	{name: "no response format, as 500", serve: without("response_format", refused(500, msg{"error": msg{"message": "response_format is not supported by this model", "type": "server_error"}})), calls: 3},
	{name: "a schema that cannot be used, as 500 (Ollama)", serve: without("response_format", refused(500, msg{"error": msg{"message": "invalid JSON schema in format", "type": "api_error"}})), calls: 3},
	{name: "a 500 that names a feature and does not reject it", serve: without("response_format", refused(500, msg{"error": msg{"message": "response_format: internal error"}})), want: judgebackend.KindServer, calls: 5},
	{name: "no endpoint supports it (OpenRouter)", serve: formatted("json_schema", refused(404, msg{"error": msg{"message": "No endpoints found that support response_format", "code": 404}})), calls: 2},
	{name: "no schema (DeepSeek)", serve: formatted("json_schema", openAIError(400, "This response_format type is unavailable now")), calls: 2},
	{name: "no schema (Groq)", serve: formatted("json_schema", openAIError(400, "This model does not support response format `json_schema`.", "param", "response_format")), calls: 2},
	{name: "a keyword of the schema (vLLM)", serve: formatted("json_schema", refused(400, msg{"object": "error", "message": `Grammar error: Unimplemented keys: ["uniqueItems"]`, "type": "BadRequestError", "param": nil, "code": 400})), calls: 2},
	{name: "a keyword of the schema (Gemini, in a list)", serve: formatted("json_schema", refused(400, []any{msg{"error": msg{"code": 400, "message": `Invalid JSON payload received. Unknown name "additionalProperties" at 'generation_config.response_schema': Cannot find field.`, "status": "INVALID_ARGUMENT"}}})), calls: 2},
	{name: "a keyword of the schema (Bedrock over LiteLLM)", serve: formatted("json_schema", refused(400, msg{"error": msg{"message": `BedrockException - {"message":"The model returned the following errors: output_config.format.schema: For 'integer' type, properties maximum, minimum are not supported"}`, "type": "None", "param": "None", "code": "400"}})), calls: 2},
	{name: "no max_tokens, and another temperature (o1)", serve: func(_ backendtest.Call, body map[string]any, a string) backendtest.Raw {
		switch {
		case body["max_tokens"] != nil:
			return openAIError(400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "param", "max_tokens", "code", "unsupported_parameter")
		case body["temperature"] != nil:
			return openAIError(400, "Unsupported value: 'temperature' does not support 0.1 with this model.", "param", "temperature", "code", "unsupported_value")
		}
		return content(a)
	}, calls: 3},
	{name: "no max_tokens, as 500 (LiteLLM)", serve: without("max_tokens", refused(500, msg{"error": msg{"message": "litellm.APIError: Unsupported parameter: 'max_tokens' is not supported with this model.", "type": nil, "param": nil, "code": "500"}})), calls: 2},
	{name: "no temperature (LiteLLM)", serve: without("temperature", refused(400, msg{"error": msg{"message": "litellm.UnsupportedParamsError: gpt-5 models don't support temperature=0.1. Only temperature=1 is supported.", "type": "None", "param": "None", "code": "400"}})), calls: 2},
	{name: "no temperature (Bedrock)", serve: without("temperature", refused(400, msg{"message": "The model returned the following errors: temperature is deprecated for this model."})), calls: 2},
	{name: "a lower limit of replies", serve: bounded(openAIError(400, "max_tokens is too large: 100. This model supports at most 80 completion tokens, whereas you provided 100.", "param", "max_tokens")), calls: 2},
	{name: "a lower limit of replies (DeepSeek)", serve: bounded(openAIError(400, "Invalid max_tokens value, the valid range of max_tokens is [1, 80]")), calls: 2},
	{name: "a lower limit of replies (Groq)", serve: bounded(openAIError(400, "`max_tokens` must be less than or equal to `80`, the maximum value for `max_tokens`")), calls: 2},
	{name: "a limit of the context", serve: bounded(openAIError(400, "'max_tokens' is too large: 100. This model's maximum context length is 80 tokens and your request has 50 input tokens")), want: judgebackend.KindTooLong},

	// the system role
	{name: "no system role (Gemma)", serve: withoutSystem(openAIError(400, "System role not supported")), calls: 2},
	{name: "no system role (o1)", serve: withoutSystem(openAIError(400, "Unsupported value: 'messages[0].role' does not support 'system' with this model.", "param", "messages[0].role", "code", "unsupported_value")), calls: 2},
	{name: "no system role (Google)", serve: withoutSystem(refused(400, []any{msg{"error": msg{"code": 400, "message": "Developer instruction is not enabled for models/gemma-3-27b-it", "status": "INVALID_ARGUMENT"}}})), calls: 2},
	{name: "no system role (templates)", serve: withoutSystem(refused(500, msg{"error": msg{"message": "Conversation roles must alternate user/assistant/user/assistant/..."}})), calls: 2},

	// failures
	{name: "no quota (OpenAI)", serve: alwaysRaw(refused(429, msg{"error": msg{"message": "You exceeded your current quota, please check your plan and billing details.", "type": "insufficient_quota", "code": "insufficient_quota"}})), want: judgebackend.KindBilling},
	{name: "no quota (LiteLLM)", serve: alwaysRaw(refused(429, msg{"error": msg{"message": "litellm.RateLimitError: RateLimitError: OpenAIException - You exceeded your current quota, please check your plan and billing details.", "type": "throttling_error", "param": nil, "code": "429"}})), want: judgebackend.KindBilling},
	{name: "no credits", serve: alwaysRaw(refused(429, msg{"error": msg{"message": "Your team has run out of credits.", "code": "429"}})), want: judgebackend.KindBilling},
	{name: "a budget of a proxy (LiteLLM)", serve: alwaysRaw(refused(400, msg{"error": msg{"message": "ExceededBudget: User has exceeded their budget. Current spend: 0.2; Max Budget: 0.1", "type": "budget_exceeded", "code": "400"}})), want: judgebackend.KindBilling},
	{name: "a quota per minute (Gemini)", serve: alwaysRaw(refused(429, msg{"error": msg{"message": "You exceeded your current quota, please check your plan and billing details. * Quota exceeded for metric: generate_content_free_tier_requests, limit: 2. Please retry in 36.6s.", "status": "RESOURCE_EXHAUSTED", "code": 429}})), want: judgebackend.KindRateLimited, calls: 5},
	{name: "a rate limit that mentions quotas (Azure)", serve: alwaysRaw(refused(429, msg{"error": msg{"code": "429", "message": "Requests have exceeded the token rate limit of your current pricing tier. Please retry after 20 seconds. See https://aka.ms/oai/quotaincrease to increase the default rate limit."}})), want: judgebackend.KindRateLimited, calls: 5},
	{name: "payment required", serve: alwaysRaw(openAIError(402, "Insufficient credits")), want: judgebackend.KindBilling},
	{name: "a wrong key", serve: alwaysRaw(openAIError(401, "Incorrect API key provided")), want: judgebackend.KindUnauthorized},
	{name: "too long", serve: alwaysRaw(openAIError(400, "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens.", "code", "context_length_exceeded")), want: judgebackend.KindTooLong},
	{name: "overloaded at first", serve: once(refused(529, msg{"type": "error", "error": msg{"type": "overloaded_error", "message": "Overloaded"}})), calls: 2},
	{name: "a page with a 503 at first", serve: once(backendtest.Raw{Status: 503, Body: "<html><body>503 Service Temporarily Unavailable</body></html>", Type: "text/html"}), calls: 2},
}

func blocks(stop string, b ...any) backendtest.Raw {
	return ok(msg{"id": "m", "type": "message", "role": "assistant", "model": "m-2025-01-01", "content": b, "stop_reason": stop, "usage": msg{"input_tokens": 10, "output_tokens": 5}})
}

func toolUse(input any) msg { return msg{"type": "tool_use", "id": "t", "name": "x", "input": input} }

func used(form func(a string) []any) func(backendtest.Call, map[string]any, string) backendtest.Raw {
	return func(_ backendtest.Call, _ map[string]any, a string) backendtest.Raw {
		return blocks("tool_use", form(a)...)
	}
}

func anthropicError(status int, kind, message string) backendtest.Raw {
	return refused(status, msg{"type": "error", "error": msg{"type": kind, "message": message}})
}

// anthropicForms are those of Anthropic's Messages API.
var anthropicForms = []endpointForm{
	{name: "a tool's input", serve: used(func(a string) []any { return []any{toolUse(json.RawMessage(a))} })},
	{name: "a tool's input as text", serve: used(func(a string) []any { return []any{toolUse(a)} })},
	{name: "a tool's input, wrapped", serve: used(func(a string) []any { return []any{toolUse(msg{"parameters": json.RawMessage(a)})} })},
	{name: "text next to the tool", serve: used(func(a string) []any {
		return []any{msg{"type": "text", "text": `I answer {"verdict":"fail"}`}, toolUse(json.RawMessage(a))}
	})},
	{name: "two tools that differ", serve: used(func(a string) []any {
		return []any{toolUse(json.RawMessage(a)), toolUse(json.RawMessage(strings.Replace(a, "pass", "fail", 1)))}
	}), want: judgebackend.KindBadReply, calls: 2},
	{name: "the same tool twice", serve: used(func(a string) []any { return []any{toolUse(json.RawMessage(a)), toolUse(json.RawMessage(a))} })},
	{name: "text", serve: used(func(a string) []any { return []any{msg{"type": "text", "text": a}} })},
	{name: "text after thinking", serve: used(func(a string) []any {
		return []any{msg{"type": "thinking", "thinking": `hm {"verdict":"fail"}`, "signature": "x"}, msg{"type": "text", "text": a}}
	})},
	{name: "a refusal", serve: alwaysRaw(blocks("refusal")), want: judgebackend.KindRefused},
	{name: "an empty message", serve: alwaysRaw(blocks("end_turn")), want: judgebackend.KindBadReply, calls: 2},
	{name: "no usage", serve: func(_ backendtest.Call, _ map[string]any, a string) backendtest.Raw {
		return ok(msg{"type": "message", "role": "assistant", "content": []any{toolUse(json.RawMessage(a))}, "stop_reason": "tool_use"})
	}, usage: "unknown"},
	{name: "a usage of 0", serve: func(_ backendtest.Call, _ map[string]any, a string) backendtest.Raw {
		return ok(msg{"type": "message", "role": "assistant", "content": []any{toolUse(json.RawMessage(a))}, "stop_reason": "tool_use", "usage": msg{"input_tokens": 0, "output_tokens": 0}})
	}, usage: "unknown"},
	{name: "a stream that was not asked for", serve: func(_ backendtest.Call, _ map[string]any, a string) backendtest.Raw {
		var out strings.Builder
		for _, e := range []msg{
			{"type": "message_start", "message": msg{"model": "m", "usage": msg{"input_tokens": 10, "output_tokens": 1}}},
			{"type": "content_block_start", "index": 0, "content_block": msg{"type": "tool_use", "id": "t", "name": "x", "input": msg{}}},
			{"type": "ping"},
			{"type": "content_block_delta", "index": 0, "delta": msg{"type": "input_json_delta", "partial_json": a[:8]}},
			{"type": "content_block_delta", "index": 0, "delta": msg{"type": "input_json_delta", "partial_json": a[8:]}},
			{"type": "content_block_stop", "index": 0},
			{"type": "message_delta", "delta": msg{"stop_reason": "tool_use"}, "usage": msg{"output_tokens": 5}},
			{"type": "message_stop"},
		} {
			fmt.Fprintf(&out, "event: %s\ndata: %s\n\n", e["type"], jsonOf(e))
		}
		return backendtest.Raw{Body: out.String(), Type: "text/event-stream"}
	}},
	{name: "no forced tool (thinking models)", serve: without("tools", anthropicError(400, "invalid_request_error", "tool_choice: Thinking may not be enabled when tool_choice forces tool use.")), calls: 2},
	{name: "no temperature", serve: without("temperature", anthropicError(400, "invalid_request_error", "`temperature` is deprecated for this model.")), calls: 2},
	{name: "a lower limit of replies", serve: bounded(anthropicError(400, "invalid_request_error", "max_tokens: 100 > 80, which is the maximum allowed number of output tokens for this model")), calls: 2},
	{name: "overloaded at first", serve: once(anthropicError(529, "overloaded_error", "Overloaded")), calls: 2},
	{name: "no credit", serve: alwaysRaw(anthropicError(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API.")), want: judgebackend.KindBilling},
}

// formSchema is the schema of the question that the forms are asked.
var formSchema = json.RawMessage(`{"type":"object","properties":{"verdict":{"type":"string","enum":["pass","fail"]},
	"score":{"type":"integer","minimum":0,"maximum":10},"sure":{"type":"boolean"},"why":{"type":"string"}},"required":["verdict","score"]}`)

func TestEndpointForms(t *testing.T) {
	for backend, forms := range map[string][]endpointForm{"openai": openAIForms, "anthropic": anthropicForms} {
		for _, tc := range forms {
			t.Run(backend+"/"+tc.name, func(t *testing.T) {
				e := backendtest.NewEndpoint(t, func(c backendtest.Call) backendtest.Answer {
					var body map[string]any
					if err := json.Unmarshal(c.Body, &body); err != nil {
						t.Error(err)
					}
					_, word, _ := strings.Cut(c.Content, "Set the field mark of your answer to ")
					word, _, _ = strings.Cut(word, ".")
					raw := tc.serve(c, body, `{"verdict":"pass","score":7,"sure":true,"why":"because","mark":"`+word+`"}`)
					return backendtest.Answer{Raw: &raw}
				})
				b := open(t, backend+":m", &judgebackend.OpenOptions{BaseURL: e.URL(), AllowHosts: []string{e.Host()}, KeyEnv: "THE_KEY", Getenv: env})
				s := stack(t, b, judgebackend.StackOptions{Clock: &backendtest.Clock{}})
				r := backendtest.Question()
				r.Schema, r.NonceField = formSchema, "mark"
				var got verdict
				x, err := judgebackend.CompleteJSON(t.Context(), s, r, &got)
				if kind := judgebackend.KindOf(err); kind != tc.want {
					t.Fatalf("%v, want kind %q", err, tc.want)
				}
				if n := len(e.Calls()); n != max(1, tc.calls) {
					t.Errorf("%d calls, want %d", n, max(1, tc.calls))
				}
				if err != nil {
					return
				}
				if got.Verdict != "pass" || got.Score != 7 {
					t.Errorf("got %+v", got)
				}
				if unknown := x.TokensIn == judgebackend.TokensUnknown || x.TokensOut == judgebackend.TokensUnknown; unknown != (tc.usage != "") {
					t.Errorf("tokens %d and %d, want unknown: %v", x.TokensIn, x.TokensOut, tc.usage != "")
				}
			})
		}
	}
}

// A feature that an endpoint rejected is left out from then on, so that the next question is one call.
func TestFeaturesAreRemembered(t *testing.T) {
	for name, serve := range map[string]func(backendtest.Call, map[string]any, string) backendtest.Raw{
		"system role": withoutSystem(openAIError(400, "System role not supported")),
		"stream": func(_ backendtest.Call, body map[string]any, a string) backendtest.Raw {
			if body["stream"] != true {
				return openAIError(400, "only supports stream mode")
			}
			return backendtest.Raw{Body: events(a, doneEvent)}
		},
		"as 500": without("temperature", refused(500, msg{"error": msg{"message": "temperature is not supported"}})),
	} {
		e := backendtest.NewEndpoint(t, func(c backendtest.Call) backendtest.Answer {
			var body map[string]any
			_ = json.Unmarshal(c.Body, &body)
			raw := serve(c, body, `{"verdict":"pass"}`)
			return backendtest.Answer{Raw: &raw}
		})
		b := openHTTP(t, "openai:m", e)
		for range 3 {
			var got verdict
			if _, err := judgebackend.CompleteJSON(t.Context(), b, withSchema(), &got); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if n := len(e.Calls()); n != 4 {
			t.Errorf("%s: %d calls, want 1 that is rejected and 3", name, n)
		}
	}
}

// A usage of 0 does not make a budget endless: the call is charged its maximum.
func TestBudgetEndsWithoutUsage(t *testing.T) {
	e := backendtest.NewEndpoint(t, func(backendtest.Call) backendtest.Answer {
		return backendtest.Answer{Raw: &backendtest.Raw{Body: `{"choices":[{"message":{"content":"hi"}}],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}`}}
	})
	budget, err := judgebackend.NewBudget(judgebackend.BudgetLimits{Tokens: 2000})
	if err != nil {
		t.Fatal(err)
	}
	s := stack(t, openHTTP(t, "openai:m", e), judgebackend.StackOptions{Budget: budget})
	for i := range 100 {
		r := backendtest.Question()
		r.Sample = i
		if _, err = s.Complete(context.Background(), r); err != nil {
			break
		}
	}
	if judgebackend.KindOf(err) != judgebackend.KindBudget || budget.Spent().Assumed == 0 {
		t.Errorf("%v after %d calls, %+v", err, len(e.Calls()), budget.Spent())
	}
}

// The endpoint's own words are in the error of a command: masked, on one line, bounded. They are not in that of a
// server, whose log has them.
func TestWordsOfEndpoint(t *testing.T) {
	const long = "canary of a prompt that is rather long"
	for _, tc := range []struct{ why, body, want string }{
		{"a message", `{"error":{"message":"The model is paused.\nResume it in the console."}}`, "The model is paused. Resume it in the console."},
		{"the key", `{"error":{"message":"Incorrect key: ` + backendtest.Secret + `, of Bearer ` + backendtest.Secret + `"}}`, "Incorrect key: [secret], of Bearer [secret]"},
		{"a part of the key", `{"error":{"message":"Incorrect key: ` + backendtest.Secret[:12] + `***"}}`, "Incorrect key: [secret]***"},
		{"the key, escaped", `{"error":{"message":"Incorrect key: \u0073` + backendtest.Secret[1:] + `"}}`, "Incorrect key: [secret]"},
		{"the prompt", `{"error":{"message":"Cannot process: ` + long + ` please."}}`, "Cannot process:[prompt] please."},
		{"control characters", `{"error":{"message":"red \u001b[31m\u202e"}}`, `red \x1b[31m\u202e`},
		{"a list of faults", `{"detail":[{"loc":["body","seed"],"msg":"not an integer","input":"` + long + `"}]}`, "body.seed: not an integer"},
		{"a provider's message within that of a gateway", `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"seed is odd\"}}"}}}`, "Provider returned error; seed is odd"},
		{"plain text", "no healthy upstream", "no healthy upstream"},
		{"a long message", `{"message":"` + strings.Repeat("long ", 300) + `"}`, strings.Repeat("long ", 59) + "lo..."},
	} {
		e := backendtest.NewEndpoint(t, func(backendtest.Call) backendtest.Answer {
			return backendtest.Answer{Raw: &backendtest.Raw{Status: 400, Body: tc.body}}
		})
		r := backendtest.Question()
		r.Messages[1].Content += " " + long + " "
		for _, show := range []bool{true, false} {
			b := open(t, "openai:m", &judgebackend.OpenOptions{BaseURL: e.URL(), AllowHosts: []string{e.Host()}, KeyEnv: "THE_KEY", Getenv: env, ShowWords: show})
			var log strings.Builder
			s := stack(t, b, judgebackend.StackOptions{Log: slog.New(slog.NewTextHandler(&log, nil))})
			var err error
			for range 3 {
				_, err = s.Complete(t.Context(), r)
			}
			if got := judgebackend.WordsOf(err); got != tc.want {
				t.Errorf("%s: %q, want %q", tc.why, got, tc.want)
			}
			if strings.Contains(err.Error(), "; the endpoint says: "+tc.want) != show || strings.Contains(err.Error(), "says") != show {
				t.Errorf("%s: shown %v: %v", tc.why, show, err)
			}
			if n := strings.Count(log.String(), "endpoint_says"); n != map[bool]int{true: 0, false: 1}[show] {
				t.Errorf("%s: shown %v: %d lines in the log\n%s", tc.why, show, n, log.String())
			}
		}
	}
}

// A reply that was cut at the endpoint's own limit says so.
func TestCutAtEndpointsLimit(t *testing.T) {
	e := backendtest.NewEndpoint(t, func(c backendtest.Call) backendtest.Answer {
		var body map[string]any
		_ = json.Unmarshal(c.Body, &body)
		raw := bounded(openAIError(400, "max_tokens is too large: 100. This model supports at most 80 completion tokens"))(c, body, "")
		if raw.Status == 0 {
			raw = ok(completed(msg{"content": "half of"}, "finish_reason", "length"))
		}
		return backendtest.Answer{Raw: &raw}
	})
	resp, err := openHTTP(t, "openai:m", e).Complete(t.Context(), backendtest.Question())
	if judgebackend.KindOf(err) != judgebackend.KindLength || !strings.HasSuffix(err.Error(), "the endpoint accepts at most 80") || resp.Reply != "half of" || resp.TokensOut != 5 {
		t.Errorf("%v, %+v", err, resp)
	}
}
