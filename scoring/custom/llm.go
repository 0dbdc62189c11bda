package custom

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/prompt"
)

const (
	maxCalls     = 16        // calls of llm_complete for one case
	maxPrompt    = 256 << 10 // bytes
	materialText = 8000      // default maximum of characters of one material
)

// conversation asks the questions of a script about one case, and counts them.
type conversation struct {
	ctx   context.Context //nolint:containedctx // lives for one call of a script
	judge *Judge
	in    *scoring.Input
	calls int
}

// conversationKey is the key under which a thread stores its conversation.
const conversationKey = "conversation"

func conversationOf(t *starlark.Thread) (*conversation, error) {
	c, ok := t.Local(conversationKey).(*conversation)
	if !ok {
		return nil, errcode.New(errcode.FailedPrecondition, "llm_complete is available in process_row only")
	}
	return c, nil
}

// llmNames are the additional functions of scripts that may ask a model.
var llmNames = starlark.StringDict{
	"llm_complete": starlark.NewBuiltin("llm_complete", llmComplete),
	"material":     starlark.NewBuiltin("material", material),
}

// material implements material(title, value, limit=8000): it returns a value of the case as text enclosed in markers
// for a prompt.
func material(t *starlark.Thread, fn *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	var title string
	var v starlark.Value
	limit := materialText
	if err := starlark.UnpackArgs(fn.Name(), args, kwargs, "title", &title, "value", &v, "limit?", &limit); err != nil {
		return nil, err
	}
	if literals, _ := t.Local(literalsKey).(map[string]bool); !literals[title] || strings.ContainsAny(title, "[]\n") ||
		len(title) > 80 {
		return nil, errcode.New(errcode.InvalidArgument,
			"material: the title must be a string literal in the script, on one line of at most 80 characters without brackets")
	}
	if limit < 1 || limit > 100_000 {
		return nil, errcode.New(errcode.InvalidArgument, "material: limit is %d, expected 1 to 100000 characters", limit)
	}
	if _, err := conversationOf(t); err != nil {
		return nil, err
	}
	b := budgetOf(t)
	text, err := materialOf(b, v)
	if err != nil {
		return nil, err
	}
	if err := b.alloc(int64(min(len(text), 8*limit)) + 200); err != nil {
		return nil, err
	}
	block := prompt.Block(title, text, limit)
	if b.trust != nil {
		b.trust.made[block] = max(b.trust.made[block], framed)
	}
	return starlark.String(block), nil
}

// materialOf formats a value for a prompt: a string unchanged, a result as a Markdown table with its first and last
// rows, None as "", and any other value as JSON.
func materialOf(b *budget, v starlark.Value) (string, error) {
	switch v := v.(type) {
	case starlark.NoneType:
		return "", nil
	case starlark.String:
		return string(v), b.read(int64(len(v)))
	case *table:
		return prompt.Table(v.t), b.alloc(64 << 10)
	}
	size, err := b.walk(v)
	if err != nil {
		return "", err
	}
	if err := b.alloc(2 * size); err != nil {
		return "", err
	}
	raw, err := encodeJSON(nil, v, 0)
	return string(raw), err
}

// textSchema is the schema of replies for llm_complete without a schema: an object with one string.
var textSchema = json.RawMessage(
	`{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"],"additionalProperties":false}`)

var purposeForm = lazyregexp.New(`^[a-z0-9_]{1,16}$`)

// llmComplete implements llm_complete(prompt, schema=None, system="", purpose="", temperature=0.1, max_tokens=0). It
// returns the model's reply, a dict that satisfies the JSON Schema, or a string without a schema.
func llmComplete(t *starlark.Thread, fn *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	var user, system, purpose string
	var schema starlark.Value = starlark.None
	var temperature starlark.Value = starlark.Float(scoring.JudgeTemperature)
	maxTokens := 0
	if err := starlark.UnpackArgs(fn.Name(), args, kwargs, "prompt", &user, "schema?", &schema, "system?", &system,
		"purpose?", &purpose,
		"temperature?", &temperature, "max_tokens?", &maxTokens); err != nil {
		return nil, err
	}
	c, err := conversationOf(t)
	if err != nil {
		return nil, err
	}
	q := question{user: user, system: system, maxTokens: maxTokens, schema: textSchema}
	if q.temperature, err = number(temperature); err != nil {
		return nil, errcode.New(errcode.InvalidArgument, "llm_complete: temperature: %w", err)
	}
	if purpose != "" && !purposeForm.MatchString(purpose) {
		return nil, errcode.New(errcode.InvalidArgument,
			"llm_complete: purpose: expected at most 16 lowercase letters, digits and _")
	}
	q.purpose = purpose
	b := budgetOf(t)
	if schema != starlark.None {
		if _, err := b.walk(schema); err != nil {
			return nil, err
		}
		if q.schema, err = encodeJSON(nil, schema, 0); err != nil {
			return nil, errcode.New(errcode.InvalidArgument, "llm_complete: schema: %w", err)
		}
	}
	if err := b.read(int64(len(user) + len(system) + len(q.schema))); err != nil {
		return nil, err
	}
	switch {
	case b.trust.of(starlark.String(user)) == foreign:
		return nil, foreignText("the prompt")
	case b.trust.of(starlark.String(system)) == foreign:
		return nil, foreignText("the system message")
	case b.trust.of(schema) != own:
		return nil, foreignText("the schema")
	}
	reply, err := c.ask(q)
	if err != nil {
		return nil, err
	}
	if err := b.alloc(8 * int64(len(reply))); err != nil {
		return nil, err
	}
	v, err := decodeJSON(b, reply)
	if err != nil {
		return nil, err
	}
	if d, ok := v.(*starlark.Dict); ok && schema == starlark.None {
		answer, _, err := d.Get(starlark.String("answer"))
		return answer, err
	}
	return v, nil
}

// question holds the arguments of one call of llm_complete.
type question struct {
	user, system, purpose string
	schema                json.RawMessage
	temperature           float64
	maxTokens             int
}

// ask returns the reply to a question, from recorded replies or the configured judge backend. The reply satisfies the
// schema. More than maxCalls calls for one case are an error.
func (c *conversation) ask(q question) (json.RawMessage, error) {
	if c.calls++; c.calls > maxCalls {
		return nil, errcode.New(errcode.ResourceExhausted, "llm_complete: more than %d calls for one case", maxCalls)
	}
	if len(q.user)+len(q.system) > maxPrompt {
		return nil, errcode.New(errcode.ResourceExhausted, "llm_complete: a prompt of more than %d KiB", maxPrompt>>10)
	}
	purpose := c.judge.Name
	switch {
	case q.purpose != "":
		purpose += "/" + q.purpose
	case c.calls > 1:
		purpose += "/" + strconv.Itoa(c.calls)
	}
	var reply json.RawMessage
	err := c.in.Ask(c.ctx, judgebackend.Request{
		Purpose: purpose, PromptVersion: c.judge.Name + "/" + strconv.Itoa(c.judge.Version), Schema: q.schema,
		Temperature: q.temperature, MaxTokens: q.maxTokens, NonceField: "nonce",
		Messages: []judgebackend.Message{
			{Role: judgebackend.System,
				Content: strings.TrimSpace(strings.TrimSpace(q.system)+"\n\n"+prompt.Notice) +
					"\n\nReply with one JSON object and nothing else."},
			{Role: judgebackend.User, Content: q.user},
		},
	}, &reply)
	return reply, err
}

// foreignText returns the error for a prompt that contains, outside of material, a string of the case or of a reply.
func foreignText(where string) error {
	return errcode.New(errcode.InvalidArgument,
		"llm_complete: %s contains text of the case or of a reply, which the model would read as an instruction; "+
			"pass it as material(TITLE, VALUE)", where)
}

// titleOf returns the title for a field of the case in a prompt.
func titleOf(name string) string {
	if t, ok := map[string]string{
		"sql": "SQL of the agent", "gold_sql": "Accepted SQL", "result": "Result of the agent",
		"gold_result": "Accepted result", "error": "Error of the database",
		"schema_ddl": "Schema", "response": "Answer of the agent", "interpretation": "Question in the agent's words",
		"tool_calls": "Tool calls of the agent",
		"expected":   "Expected", "earlier_turns": "Turns before the question",
	}[name]; ok {
		return t
	}
	return strings.ToUpper(name[:1]) + name[1:]
}
