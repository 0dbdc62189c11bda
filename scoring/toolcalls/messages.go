package toolcalls

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/jsonscan"
)

// messages recognizes messages, and the objects that hold them. Their calls have the forms of the blocks in them.
var messages form

func init() { messages = form{is: isMessages, read: readMessages} } // not in a literal, which would refer to itself

func isMessages(o *object) bool { return holdsMessages(o, 0) }

func holdsMessages(o *object, depth int) bool {
	if role(o) != "" {
		return true
	}
	if depth > maxDepth {
		return true // reading it reports the depth
	}
	if o.has("name") {
		return false
	}
	for _, name := range []string{"messages", "choices", "candidates", "tool_calls", "parts"} {
		if o.isList(name) {
			return true
		}
	}
	if o.isList("output") && o.text("object") == "response" {
		return true
	}
	for _, name := range []string{"message", "output", "content", "delta"} {
		if of := o.object(name); of != nil {
			blocks := of.isList("content")
			if name == "content" && of.named("parts") || name == "delta" && blocks ||
				name != "content" && holdsMessages(of, depth+1) {
				return true
			}
		}
	}
	return false
}

// roles maps the types of LangChain's messages, and the roles that other products write, to roles.
var roles = map[string]string{"human": "user", "ai": "assistant", "system": "system", "tool": "tool",
	"function": "function", "AIMessageChunk": "assistant", "HumanMessageChunk": "user", "ToolMessageChunk": "tool",
	"chat": "assistant", "remove": "remove", "model": "assistant", "analyst": "assistant"}

// types are the keys of roles that are types of messages.
var types = []string{"human", "ai", "system", "tool", "function", "AIMessageChunk", "HumanMessageChunk",
	"ToolMessageChunk", "chat", "remove"}

// Role returns the role of a message, such as user or assistant, and "" if o is not a message.
func Role(o jsonscan.Object) string { return role(&object{members: o}) }

func role(o *object) string {
	if role := o.text("role"); role != "" {
		return cmp.Or(roles[role], role)
	}
	if kind := o.text("type"); slices.Contains(types, kind) &&
		(o.named("content") || o.named("parts") || o.named("tool_calls") || o.object("data") != nil) {
		return roles[kind]
	}
	if o.text("type") == "constructor" && o.object("kwargs") != nil {
		path, _ := o.list("id")
		if len(path) > 0 {
			switch class := textOf(path[len(path)-1]); {
			case strings.HasPrefix(class, "AIMessage"):
				return "assistant"
			case strings.HasPrefix(class, "HumanMessage"):
				return "user"
			case strings.Contains(class, "Message"):
				return "other"
			}
		}
	}
	if o.text("kind") == "response" && o.named("parts") { // Pydantic AI
		return "assistant"
	}
	if o.text("kind") == "request" && o.named("parts") {
		return "user"
	}
	return ""
}

// readMessages parses a message of an assistant. Messages of other roles have no calls: results of tools are not calls.
func readMessages(r *reader, o *object) {
	switch role(o) {
	case "":
		readHolder(r, o)
		return
	case "user", "system", "developer", "tool", "function", "toolResult", "remove", "other":
		return
	}
	for _, name := range []string{"data", "kwargs"} { // serialized by LangChain
		if inner := o.object(name); inner != nil {
			o = inner
		}
	}
	if r.toolCalls(o) {
		return
	}
	parts, hasParts := o.list("parts")
	if invocations, ok := o.list("toolInvocations"); ok && !hasParts { // AI SDK 4
		r.elements(invocations, o.at.member("toolInvocations"))
	}
	if hasParts {
		r.blocks(parts, o.at.member("parts"))
	}
	if list, ok := o.list("content"); ok {
		r.blocks(list, o.at.member("content"))
	}
	if of := o.object("content"); of != nil {
		if parts, ok := of.list("parts"); ok {
			r.blocks(parts, of.at.member("parts"))
		}
	}
	if more := o.object("additional_kwargs"); more != nil && len(r.found) == 0 {
		r.toolCalls(more)
	}
}

// toolCalls parses the calls that a message lists outside of its content. It returns false if there are none.
func (r *reader) toolCalls(o *object) bool {
	if calls, ok := o.list("tool_calls"); ok && len(calls) > 0 {
		r.elements(calls, o.at.member("tool_calls"))
		return true
	}
	if call := o.object("function_call"); call != nil { // OpenAI before tool_calls
		r.with("openai", call, func(r *reader, o *object) { r.add(o, "name", decoded(o.any("arguments"))) })
		return true
	}
	return false
}

// readHolder parses an object that holds messages.
func readHolder(r *reader, o *object) {
	for _, name := range []string{"messages", "choices", "candidates", "output"} {
		if list, ok := o.list(name); ok {
			if name == "choices" || name == "candidates" {
				r.samples(list, o.at.member(name))
			} else {
				r.elements(list, o.at.member(name))
			}
			return
		}
	}
	for _, name := range []string{"message", "output", "delta"} {
		if of := o.object(name); of != nil {
			r.with(r.as, of, readMessages)
			return
		}
	}
	if of := o.object("content"); of != nil {
		o = of
	}
	if list, ok := o.list("content"); ok { // an increment of a stream
		r.blocks(list, o.at.member("content"))
		return
	}
	if parts, ok := o.list("parts"); ok {
		r.blocks(parts, o.at.member("parts"))
		return
	}
	r.toolCalls(o)
}

// samples parses the samples of a response. Only one of them may have calls: the others are not part of the answer.
func (r *reader) samples(list []json.RawMessage, at *place) {
	with := 0
	for i, item := range list {
		n := len(r.found)
		if r.element(item, at.element(i)); len(r.found) > n {
			with++
		}
	}
	if with > 1 {
		r.fail("%v has %d samples with calls (n > 1); expected the one that is the answer", at, with)
	}
}

// passedTypes are types of blocks and items that are not calls.
var passedTypes = []string{"text", "input_text", "output_text", "summary_text", "refusal", "thinking",
	"redacted_thinking", "reasoning", "reasoning-part", "image", "image_url", "input_image", "file", "input_file",
	"input_audio", "audio", "document", "search_result", "container_upload", "compaction", "item_reference", "message",
	"mcp_list_tools", "mcp_approval_request", "mcp_approval_response", "tool_call_response",
	"step-start", "source", "source-url", "source-document", "chart", "table", "tool_results", "suggested_queries",
	"blob", "uri", "video"}

// passedMembers are members of blocks without a type that are not calls.
var passedMembers = []string{"text", "thought", "functionResponse", "function_response", "inlineData", "inline_data",
	"fileData", "file_data", "codeExecutionResult", "code_execution_result", "toolResult", "reasoningContent", "image",
	"document", "video", "audio", "cachePoint", "guardContent", "citationsContent", "searchResult"}

// passed reports whether o is a block or an item that a form publishes next to calls.
func passed(o *object) bool {
	if kind := o.text("type"); kind != "" {
		return slices.Contains(passedTypes, kind) || strings.HasSuffix(kind, "_output") ||
			strings.HasSuffix(kind, "tool_result") || strings.HasPrefix(kind, "data-")
	}
	return !o.has("name") && slices.ContainsFunc(passedMembers, func(name string) bool { return o.named(name) })
}
