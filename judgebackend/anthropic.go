package judgebackend

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/badger-eval/badger/internal/errcode"
)

func init() { register("anthropic", openAnthropic) }

const (
	anthropicBase = "https://api.anthropic.com/"
	anthropicKey  = "ANTHROPIC_API_KEY"
)

// claude speaks the messages form. A schema becomes the input schema of a tool that the model is
// made to call; where an endpoint does not take that, the schema goes into words.
type claude struct {
	id       Identity
	messages anthropic.MessageService
	key      keySource
	dialect  *dialect
	clock    Clock
}

func openAnthropic(_ context.Context, model string, o *OpenOptions) (Backend, error) {
	if err := wantModel("anthropic", model); err != nil {
		return nil, err
	}
	address, fallback := o.BaseURL, ""
	if address == "" {
		address, fallback = anthropicBase, anthropicKey
	}
	base, err := url.Parse(address)
	if err != nil {
		return nil, errcode.New(errcode.InvalidArgument, "judge base URL is malformed")
	}
	b := &claude{id: Identity{Backend: "anthropic", Model: model, Host: hostPort(base)}, clock: o.clock()}
	b.dialect = newDialect(b.id, o.log())
	g, err := newGuard(b.id, base, o)
	if err != nil {
		return nil, err
	}
	if b.key, err = o.keySource(fallback); err != nil {
		return nil, err
	}
	// The service's constructor reads no environment; the client's would take URL, credentials and
	// headers from it.
	b.messages = anthropic.NewMessageService(
		option.WithBaseURL(base.String()),
		option.WithHTTPClient(g.client()),
		option.WithMiddleware(g.middleware),
		option.WithMaxRetries(0),
		option.WithRequestTimeout(time.Hour), // the attempt's context decides; the SDK would refuse long replies
		option.WithoutOpenTelemetry(),
	)
	return b, nil
}

func (b *claude) Identity() Identity { return b.id }

func (b *claude) Complete(ctx context.Context, r Request) (Response, error) {
	if r.Temperature > 1 && b.dialect.offers(useTemperature) {
		return Response{}, &Error{Kind: KindInvalid, Detail: "this backend takes a temperature of at most 1"}
	}
	return b.key.use(func(key secret) (Response, error) { return b.complete(ctx, r, key) })
}

func (b *claude) complete(ctx context.Context, r Request, key secret) (Response, error) {
	var auth []option.RequestOption
	if key.value != "" {
		auth = append(auth, option.WithAPIKey(key.value))
	}
	for {
		params, used, err := b.params(r)
		if err != nil {
			return Response{}, err
		}
		message, err := b.messages.New(ctx, params, auth...)
		if err == nil {
			return b.response(message)
		}
		err = mapError(ctx, b.id, err)
		if !b.dialect.learn(err, used) {
			return Response{}, err
		}
	}
}

func (b *claude) params(r Request) (anthropic.MessageNewParams, []feature, error) {
	p := anthropic.MessageNewParams{Model: b.id.Model, MaxTokens: int64(r.maxTokens())}
	var used []feature
	messages := r.Messages
	if b.dialect.offers(useTemperature) {
		used = append(used, useTemperature)
		p.Temperature = anthropic.Float(r.Temperature)
	}
	switch {
	case r.Schema == nil:
	case b.dialect.offers(useForcedTool):
		used = append(used, useForcedTool)
		schema, err := toolSchema(r.Schema)
		if err != nil {
			return p, nil, err
		}
		name := schemaName(r.Purpose)
		p.Tools = []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{
			Name: name, InputSchema: schema, Description: anthropic.String("Takes the answer."),
		}}}
		p.ToolChoice.OfTool = &anthropic.ToolChoiceToolParam{Name: name, DisableParallelToolUse: anthropic.Bool(true)}
	default:
		messages = tellSchema(messages, r.Schema)
	}
	for _, m := range messages {
		switch m.Role {
		case System:
			p.System = append(p.System, anthropic.TextBlockParam{Text: m.Content})
		case Assistant:
			p.Messages = append(p.Messages, anthropic.NewAssistantMessage(anthropic.NewTextBlock(m.Content)))
		default:
			p.Messages = append(p.Messages, anthropic.NewUserMessage(anthropic.NewTextBlock(m.Content)))
		}
	}
	return p, used, nil
}

// toolSchema is the schema as the SDK wants it: type, properties and required apart from the rest.
func toolSchema(schema json.RawMessage) (anthropic.ToolInputSchemaParam, error) {
	var s struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	var rest map[string]any
	if json.Unmarshal(schema, &s) != nil || json.Unmarshal(schema, &rest) != nil {
		return anthropic.ToolInputSchemaParam{}, &Error{Kind: KindInvalid, Detail: "the schema is malformed"}
	}
	delete(rest, "type")
	delete(rest, "properties")
	delete(rest, "required")
	p := anthropic.ToolInputSchemaParam{Required: s.Required, ExtraFields: rest}
	if s.Properties != nil {
		p.Properties = s.Properties
	}
	return p, nil
}

func (b *claude) response(m *anthropic.Message) (Response, error) {
	if m == nil { // the body was null
		return Response{}, &Error{Kind: KindMalformed}
	}
	if len(m.Content) == 0 && m.StopReason == "" {
		return Response{}, decodeUnusual(m.RawJSON(), b.clock)
	}
	resp := Response{Model: m.Model, TokensIn: TokensUnknown, TokensOut: TokensUnknown}
	var text strings.Builder
	for _, block := range m.Content {
		switch block.Type {
		case "tool_use": // the answer, whatever text stands beside it
			resp.Reply = string(block.Input)
		case "text":
			text.WriteString(block.Text)
		}
	}
	if resp.Reply == "" {
		resp.Reply = text.String()
	}
	if u := m.Usage; u.JSON.InputTokens.Valid() && u.JSON.OutputTokens.Valid() && u.InputTokens >= 0 && u.OutputTokens >= 0 {
		in := TokenCount(u.InputTokens)
		resp.TokensIn = in.Plus(TokenCount(max(0, u.CacheCreationInputTokens))).Plus(TokenCount(max(0, u.CacheReadInputTokens)))
		resp.TokensOut = TokenCount(u.OutputTokens)
	}
	switch m.StopReason {
	case anthropic.StopReasonMaxTokens, anthropic.StopReasonModelContextWindowExceeded:
		resp.FinishReason = FinishLength
	case anthropic.StopReasonRefusal:
		resp.FinishReason = FinishRefusal
	}
	return resp, nil
}
