// Package anthropic calls judges over Anthropic's Messages API. A program lists [Provider] among its
// [judgebackend.Providers]. The official SDK encodes the requests; its retries, environment variables and tracing
// are off.
package anthropic

import (
	"context"
	"encoding/json"
	"net/url"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/internal/endpoint"
)

// Provider opens judges at an endpoint of Anthropic's Messages API.
var Provider = judgebackend.Provider{Name: "anthropic", Address: base, Open: open,
	Settings: []string{"top_p", "body", "headers"},
	Members: []string{"model", "messages", "system", "max_tokens", "temperature", "top_p", "tools", "tool_choice",
		"stream"},
}

const (
	base         = "https://api.anthropic.com/"
	anthropicKey = "ANTHROPIC_API_KEY"
)

// claude calls the Messages API. A schema is sent as the input schema of a tool that the model must call, or, if the
// endpoint does not support that, as text in the prompt.
type claude struct {
	id       judgebackend.Identity
	messages anthropic.MessageService
	key      endpoint.KeySource
	guard    *endpoint.Guard
	features *endpoint.Features
}

func open(_ context.Context, model string, o *judgebackend.OpenOptions) (judgebackend.Backend, error) {
	address, fallback := o.BaseURL, ""
	if address == "" {
		address, fallback = base, anthropicKey
	}
	at, err := url.Parse(address)
	if err != nil {
		return nil, judgebackend.CheckBaseURL(at)
	}
	b := &claude{id: judgebackend.Identity{Backend: "anthropic", Model: model, Host: endpoint.HostPort(at)}}
	b.features = endpoint.NewFeatures(b.id, o.Log)
	g, err := endpoint.NewGuard(b.id, at, o)
	if err != nil {
		return nil, err
	}
	b.guard = g
	if b.key, err = endpoint.NewKeySource(o, fallback); err != nil {
		return nil, err
	}
	// The service's constructor reads no environment; the client's would take URL, credentials and
	// headers from it.
	b.messages = anthropic.NewMessageService(
		option.WithBaseURL(at.String()),
		option.WithHTTPClient(g.Client()),
		option.WithMiddleware(g.Middleware),
		option.WithMaxRetries(0),
		option.WithRequestTimeout(time.Hour), // the attempt's context decides; the SDK would refuse long replies
		option.WithoutOpenTelemetry(),
	)
	return b, nil
}

func (b *claude) Identity() judgebackend.Identity { return b.id }

func (b *claude) Complete(ctx context.Context, r judgebackend.Request) (judgebackend.Response, error) {
	if r.Temperature > 1 && b.features.Offers(endpoint.UseTemperature) {
		return judgebackend.Response{}, &judgebackend.Error{Kind: judgebackend.KindInvalid,
			Detail: "this backend takes a temperature of at most 1"}
	}
	return b.key.Use(func(key endpoint.Key) (judgebackend.Response, error) { return b.complete(ctx, r, key) })
}

func (b *claude) complete(ctx context.Context, r judgebackend.Request,
	key endpoint.Key) (judgebackend.Response, error) {
	var auth []option.RequestOption
	if key.Value() != "" {
		auth = append(auth, option.WithAPIKey(key.Value()))
	}
	asked := r.ReplyTokens()
	for {
		params, used, err := b.params(r)
		if err != nil {
			return judgebackend.Response{}, err
		}
		var body []byte
		_, err = b.messages.New(ctx, params, append(append(auth, extra(r)...), option.WithResponseBodyInto(&body))...)
		if err == nil {
			var reply endpoint.Reply
			if reply, err = b.guard.Read(body, key); err == nil {
				return reply.Response, b.features.Done(r, asked, reply.Response)
			}
		}
		err = judgebackend.MapError(ctx, b.id, err)
		if !b.features.Fit(&r, err) && !b.features.Learn(err, used) {
			return judgebackend.Response{}, err
		}
	}
}

// extra returns the options that set the further members of the body.
func extra(r judgebackend.Request) (options []option.RequestOption) {
	names, values := r.Members()
	for _, name := range names {
		options = append(options, option.WithJSONSet(name, values[name]))
	}
	return options
}

func (b *claude) params(r judgebackend.Request) (anthropic.MessageNewParams, []endpoint.Feature, error) {
	limit, _ := b.features.Bound(r.ReplyTokens())
	p := anthropic.MessageNewParams{Model: b.id.Model, MaxTokens: int64(limit)}
	var used []endpoint.Feature
	messages := r.Messages
	if b.features.Offers(endpoint.UseTemperature) {
		used = append(used, endpoint.UseTemperature)
		p.Temperature = anthropic.Float(r.Temperature)
	}
	if r.TopP != nil {
		p.TopP = anthropic.Float(*r.TopP)
	}
	switch {
	case r.Schema == nil:
	case b.features.Offers(endpoint.UseForcedTool):
		used = append(used, endpoint.UseForcedTool)
		schema, err := toolSchema(r.Schema)
		if err != nil {
			return p, nil, err
		}
		name := judgebackend.SchemaName(r.Purpose)
		p.Tools = []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{
			Name: name, InputSchema: schema, Description: anthropic.String("Takes the answer."),
		}}}
		p.ToolChoice.OfTool = &anthropic.ToolChoiceToolParam{Name: name, DisableParallelToolUse: anthropic.Bool(true)}
	default:
		messages = judgebackend.AppendSchema(messages, r.Schema)
	}
	for _, m := range messages {
		switch m.Role {
		case judgebackend.System:
			p.System = append(p.System, anthropic.TextBlockParam{Text: m.Content})
		case judgebackend.Assistant:
			p.Messages = append(p.Messages, anthropic.NewAssistantMessage(anthropic.NewTextBlock(m.Content)))
		default:
			p.Messages = append(p.Messages, anthropic.NewUserMessage(anthropic.NewTextBlock(m.Content)))
		}
	}
	return p, used, nil
}

// toolSchema converts a schema to the SDK's type, which has separate fields for properties and required.
func toolSchema(schema json.RawMessage) (anthropic.ToolInputSchemaParam, error) {
	var s struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	var rest map[string]any
	if json.Unmarshal(schema, &s) != nil || json.Unmarshal(schema, &rest) != nil {
		return anthropic.ToolInputSchemaParam{}, &judgebackend.Error{Kind: judgebackend.KindInvalid,
			Detail: "the schema is malformed"}
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
