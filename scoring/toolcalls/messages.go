package toolcalls

import (
	"slices"
	"strings"
)

// messages recognizes messages, and the objects that hold them. Their calls have the forms of the blocks in them.
var messages form

func init() { messages = form{is: isMessages, read: readMessages} } // not in a literal, which would refer to itself

func isMessages(o *object) bool {
	if role(o) != "" {
		return true
	}
	if o.has("name") {
		return false
	}
	for _, name := range []string{"messages", "choices", "candidates", "tool_calls", "parts"} {
		if _, ok := o.list(name); ok {
			return true
		}
	}
	if _, ok := o.list("output"); ok && o.text("object") == "response" {
		return true
	}
	for _, name := range []string{"message", "output", "content", "delta"} {
		if of := o.object(name); of != nil {
			_, blocks := of.list("content")
			if name == "content" && hasMember(of, "parts") || name == "delta" && blocks || name != "content" && isMessages(of) {
				return true
			}
		}
	}
	return false
}

// roles maps the types of LangChain's messages to roles.
var roles = map[string]string{"human": "user", "ai": "assistant", "system": "system", "tool": "tool",
	"function": "function", "AIMessageChunk": "assistant", "HumanMessageChunk": "user", "ToolMessageChunk": "tool",
	"chat": "assistant", "remove": "user"}

// role returns the role of a message, and "" if o is not a message.
func role(o *object) string {
	content := hasMember(o, "content") || hasMember(o, "parts") || hasMember(o, "tool_calls")
	if role := o.text("role"); role != "" {
		return role
	}
	if as := roles[o.text("type")]; as != "" && (content || o.object("data") != nil) {
		return as
	}
	if o.text("type") == "constructor" && o.object("kwargs") != nil {
		path, _ := o.list("id")
		if len(path) > 0 {
			switch class := textOf(path[len(path)-1]); {
			case strings.HasPrefix(class, "AIMessage"):
				return "assistant"
			case strings.Contains(class, "Message"):
				return "user"
			}
		}
	}
	if o.text("kind") == "response" && hasMember(o, "parts") { // Pydantic AI
		return "assistant"
	}
	if o.text("kind") == "request" && hasMember(o, "parts") {
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
	case "user", "system", "developer", "tool", "function", "toolResult":
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
		r.elements(invocations, o.at+".toolInvocations")
	}
	if hasParts {
		r.blocks(parts, o.at+".parts")
	}
	if list, ok := o.list("content"); ok {
		r.blocks(list, o.at+".content")
	}
	if of := o.object("content"); of != nil {
		if parts, ok := of.list("parts"); ok {
			r.blocks(parts, of.at+".parts")
		}
	}
	if more := o.object("additional_kwargs"); more != nil && len(r.found) == 0 {
		r.toolCalls(more)
	}
}

// toolCalls parses the calls that a message lists outside of its content. It returns false if there are none.
func (r *reader) toolCalls(o *object) bool {
	if calls, ok := o.list("tool_calls"); ok && len(calls) > 0 {
		r.elements(calls, o.at+".tool_calls")
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
			r.elements(list, o.at+"."+name)
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
		r.blocks(list, o.at+".content")
		return
	}
	if parts, ok := o.list("parts"); ok {
		r.blocks(parts, o.at+".parts")
		return
	}
	r.toolCalls(o)
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
	return !o.has("name") && slices.ContainsFunc(passedMembers, func(name string) bool { return hasMember(o, name) })
}
