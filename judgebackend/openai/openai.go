// Package openai calls judges over OpenAI's chat completions API: OpenAI and Azure, and vLLM, Ollama, llama.cpp,
// LiteLLM and most gateways. A program lists [Provider] among its [judgebackend.Providers]. The official SDK
// encodes the requests; its retries, environment variables and tracing are off.
package openai

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/internal/endpoint"
)

// Provider opens judges at an endpoint of OpenAI's chat completions API.
var Provider = judgebackend.Provider{Name: "openai", Address: base, Open: open,
	Settings: []string{"reasoning_effort", "top_p", "seed", "body", "headers"},
	Members: []string{"model", "messages", "response_format", "temperature", "top_p", "seed", "reasoning_effort", "n",
		"max_tokens", "max_completion_tokens", "logprobs", "top_logprobs", "stream", "stream_options", "tools",
		"tool_choice", "functions", "function_call"},
}

const (
	base      = "https://api.openai.com/v1/"
	openAIKey = "OPENAI_API_KEY"
	azureKey  = "AZURE_OPENAI_API_KEY"
)

// openAI calls the chat completions API of OpenAI, Azure, vLLM, Ollama, llama.cpp and most gateways. If an endpoint
// rejects a feature, the next weaker one is used from then on: a JSON Schema as response format, then JSON mode with
// the schema in the prompt, then text with the schema in the prompt; the system message in the first user message; a
// stream.
type openAI struct {
	id       judgebackend.Identity
	chat     openai.ChatCompletionService
	key      endpoint.KeySource
	azure    bool
	guard    *endpoint.Guard
	features *endpoint.Features
}

func open(_ context.Context, model string, o *judgebackend.OpenOptions) (judgebackend.Backend, error) {
	address, err := url.Parse(o.BaseURL)
	switch {
	case err != nil:
		return nil, judgebackend.CheckBaseURL(address)
	case o.BaseURL == "" && o.AzureAPIVersion != "":
		return nil, errcode.New(errcode.InvalidArgument,
			"judge openai: Azure needs a base URL, https://RESOURCE.openai.azure.com")
	case o.BaseURL == "":
		address, _ = url.Parse(base)
	case o.AzureAPIVersion != "":
		// Azure has the deployment in the path and the key in a separate header. The SDK's azure package would do
		// the same, but depends on Azure's credential library.
		address = address.JoinPath("openai", "deployments", url.PathEscape(model))
	}
	b := &openAI{
		id:    judgebackend.Identity{Backend: "openai", Model: model, Host: endpoint.HostPort(address)},
		azure: o.AzureAPIVersion != "",
	}
	b.features = endpoint.NewFeatures(b.id, o.Log)
	g, err := endpoint.NewGuard(b.id, address, o)
	if err != nil {
		return nil, err
	}
	b.guard = g
	fallback := ""
	switch {
	case o.BaseURL == "":
		fallback = openAIKey
	case b.azure && strings.HasSuffix(address.Hostname(), ".openai.azure.com"):
		fallback = azureKey
	}
	if b.key, err = endpoint.NewKeySource(o, fallback); err != nil {
		return nil, err
	}
	// Endpoints older than max_completion_tokens know max_tokens only; OpenAI, Azure and Cortex
	// want the new form.
	if b.id.Host != "api.openai.com:443" && !b.azure && !strings.HasSuffix(address.Hostname(), ".snowflakecomputing.com") {
		b.features.BoundBy(endpoint.UseMaxTokens)
	}
	options := []option.RequestOption{
		option.WithBaseURL(address.String()),
		option.WithHTTPClient(g.Client()),
		option.WithMiddleware(g.Middleware),
		option.WithMaxRetries(0),
	}
	if b.azure {
		options = append(options, option.WithQuery("api-version", o.AzureAPIVersion))
	}
	// The service's constructor reads no environment; the client's would take URL and headers from
	// it.
	b.chat = openai.NewChatCompletionService(options...)
	return b, nil
}

func (b *openAI) Identity() judgebackend.Identity { return b.id }

func (b *openAI) Complete(ctx context.Context, r judgebackend.Request) (judgebackend.Response, error) {
	return b.key.Use(func(key endpoint.Key) (judgebackend.Response, error) { return b.complete(ctx, r, key) })
}

func (b *openAI) complete(ctx context.Context, r judgebackend.Request,
	key endpoint.Key) (judgebackend.Response, error) {
	var auth []option.RequestOption
	switch {
	case key.Value() == "":
	case b.azure:
		auth = append(auth, option.WithHeader("api-key", key.Value()))
	default:
		auth = append(auth, option.WithAPIKey(key.Value()))
	}
	asked := r.ReplyTokens()
	for {
		params, extra, used := b.params(r)
		var body []byte
		_, err := b.chat.New(ctx, params, append(append(auth, extra...), option.WithResponseBodyInto(&body))...)
		if err == nil {
			var resp judgebackend.Response
			if resp, err = b.response(body, key); err == nil {
				return resp, b.features.Done(r, asked, resp)
			}
		}
		err = judgebackend.MapError(ctx, b.id, err)
		if !b.features.Fit(&r, err) && !b.features.Learn(err, used) { // it learns each feature once, so this ends
			return judgebackend.Response{}, err
		}
	}
}

// params encodes r with the features that the endpoint is believed to support. It returns further options of the
// call, and the features that it used and that the endpoint may reject.
func (b *openAI) params(r judgebackend.Request) (openai.ChatCompletionNewParams, []option.RequestOption,
	[]endpoint.Feature) {
	p := openai.ChatCompletionNewParams{Model: b.id.Model}
	var extra []option.RequestOption
	var used []endpoint.Feature
	try := func(f endpoint.Feature) bool {
		ok := b.features.Offers(f)
		if ok {
			used = append(used, f)
		}
		return ok
	}
	messages := r.Messages
	switch {
	case r.Schema == nil:
	case try(endpoint.UseJSONSchema):
		p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
				Name: judgebackend.SchemaName(r.Purpose), Schema: r.Schema, Strict: openai.Bool(judgebackend.IsStrict(r.Schema)),
			},
		}
	case try(endpoint.UseJSONObject):
		p.ResponseFormat.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
		messages = judgebackend.AppendSchema(messages, r.Schema)
	default:
		messages = judgebackend.AppendSchema(messages, r.Schema)
	}
	if messages[0].Role == judgebackend.System && !try(endpoint.UseSystemRole) {
		messages = judgebackend.WithoutSystem(messages)
	}
	if !try(endpoint.UseWhole) {
		extra = append(extra, option.WithJSONSet("stream", true))
		if try(endpoint.UseStreamUsage) {
			p.StreamOptions.IncludeUsage = openai.Bool(true)
		}
	}
	for _, m := range messages {
		switch m.Role {
		case judgebackend.System:
			p.Messages = append(p.Messages, openai.SystemMessage(m.Content))
		case judgebackend.Assistant:
			p.Messages = append(p.Messages, openai.AssistantMessage(m.Content))
		default:
			p.Messages = append(p.Messages, openai.UserMessage(m.Content))
		}
	}
	if try(endpoint.UseTemperature) {
		p.Temperature = openai.Float(r.Temperature)
	}
	if r.TopP != nil {
		p.TopP = openai.Float(*r.TopP)
	}
	if r.Seed != nil {
		p.Seed = openai.Int(*r.Seed)
	}
	p.ReasoningEffort = shared.ReasoningEffort(r.ReasoningEffort)
	names, values := r.Members()
	for _, name := range names {
		extra = append(extra, option.WithJSONSet(name, values[name]))
	}
	if r.TopLogProbs > 0 && try(endpoint.UseLogProbs) {
		p.Logprobs, p.TopLogprobs = openai.Bool(true), openai.Int(int64(r.TopLogProbs))
	}
	bound := b.features.BoundedBy()
	limit, _ := b.features.Bound(r.ReplyTokens())
	if bound == endpoint.UseMaxTokens {
		p.MaxTokens = openai.Int(int64(limit))
	} else {
		p.MaxCompletionTokens = openai.Int(int64(limit))
	}
	return p, extra, append(used, bound)
}

// response converts the body of the response to a request with key.
func (b *openAI) response(body []byte, key endpoint.Key) (judgebackend.Response, error) {
	reply, err := b.guard.Read(body, key)
	if err != nil {
		return judgebackend.Response{}, err
	}
	reply.Response.LogProbs = condense(saidTokens(reply.LogProbs))
	return reply.Response, nil
}

// saidTokens converts the log-probabilities of a choice. It returns nil if they have another form.
func saidTokens(raw json.RawMessage) []saidToken {
	var probs openai.ChatCompletionChoiceLogprobs
	if len(raw) == 0 || json.Unmarshal(raw, &probs) != nil {
		return nil
	}
	out := make([]saidToken, len(probs.Content))
	for i, t := range probs.Content {
		out[i] = saidToken{text: t.Token, logProb: t.Logprob}
		for _, b := range t.Bytes {
			out[i].bytes = append(out[i].bytes, byte(b))
		}
		for _, alt := range t.TopLogprobs {
			out[i].top = append(out[i].top, judgebackend.TokenLogProb{Token: alt.Token, LogProb: alt.Logprob})
		}
	}
	return out
}
