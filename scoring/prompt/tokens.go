package prompt

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// controlToken matches the tokens by which chat templates mark turns, roles, tools and thinking: those of ChatML, Qwen,
// Llama 3, Phi, GLM, Granite, Command and gpt-oss between <| and |>, those of DeepSeek with full-width bars, those of
// Gemma, Llama 2 and Mistral by name. In the text of a message, a server may take one for the end of the message.
var controlToken = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[<＜][|｜][^|｜<>＜＞\s]{1,64}[|｜][>＞]` +
		`|<\|(?:turn|channel|think|tool|tool_call|tool_response)>|<(?:turn|channel|think|tool|tool_call|tool_response)\|>` +
		`|</?s>|<(?:bos|eos|sop|eop)>|<</?SYS>>|<(?:start|end)_of_(?:turn|image|audio)>` +
		`|</?(?:think|tool_call|tool_response|tools|seed:think)>` +
		`|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|THINK)\]|\[gMASK\]`)
})

// withoutTokens returns s with the first character of each token of a chat template as its code: <|im_end|> becomes
// <U+003C>|im_end|>. A reader still sees the token, and no tokenizer does. Parts of tokens are left unchanged: they
// are operators of SQL and words.
func withoutTokens(s string) string {
	if !strings.ContainsAny(s, "<＜[") {
		return s
	}
	return controlToken().ReplaceAllStringFunc(s, func(token string) string {
		first, n := utf8.DecodeRuneInString(token)
		return fmt.Sprintf("<U+%04X>%s", first, token[n:])
	})
}
