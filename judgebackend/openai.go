package judgebackend

import (
	"context"
	"net/url"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"
)

func init() { register("openai", openOpenAI) }

const (
	openAIBase = "https://api.openai.com/v1/"
	openAIKey  = "OPENAI_API_KEY"
	azureKey   = "AZURE_OPENAI_API_KEY"
)

// openAI speaks chat completions, which OpenAI, Azure, vLLM, Ollama, llama.cpp and most gateways
// understand. Where an endpoint turns a feature down, the next weaker form is used and remembered:
// a JSON Schema as response format, then JSON mode with the schema in words, then text with the
// schema in words.
type openAI struct {
	id      Identity
	chat    openai.ChatCompletionService
	key     keySource
	azure   bool
	dialect *dialect
	clock   Clock
}

func openOpenAI(_ context.Context, model string, o *OpenOptions) (Backend, error) {
	if err := wantModel("openai", model); err != nil {
		return nil, err
	}
	base, err := url.Parse(o.BaseURL)
	switch {
	case err != nil:
		return nil, errcode.New(errcode.InvalidArgument, "judge base URL is malformed")
	case o.BaseURL == "" && o.AzureAPIVersion != "":
		return nil, errcode.New(errcode.InvalidArgument, "judge openai: Azure needs a base URL, https://RESOURCE.openai.azure.com")
	case o.BaseURL == "":
		base, _ = url.Parse(openAIBase)
	case o.AzureAPIVersion != "":
		// Azure's form names the deployment in the path and takes the key in a header of its own.
		// The SDK's azure package would do the same, at the price of Azure's credential library.
		base = base.JoinPath("openai", "deployments", url.PathEscape(model))
	}
	b := &openAI{
		id:    Identity{Backend: "openai", Model: model, Host: hostPort(base)},
		azure: o.AzureAPIVersion != "",
		clock: o.clock(),
	}
	b.dialect = newDialect(b.id, o.log())
	g, err := newGuard(b.id, base, o)
	if err != nil {
		return nil, err
	}
	fallback := ""
	switch {
	case o.BaseURL == "":
		fallback = openAIKey
	case b.azure && strings.HasSuffix(base.Hostname(), ".openai.azure.com"):
		fallback = azureKey
	}
	if b.key, err = o.keySource(fallback); err != nil {
		return nil, err
	}
	// Endpoints older than max_completion_tokens know max_tokens only; OpenAI, Azure and Cortex
	// want the new form.
	if b.id.Host != "api.openai.com:443" && !b.azure && !strings.HasSuffix(base.Hostname(), ".snowflakecomputing.com") {
		b.dialect.bound = useMaxTokens
	}
	options := []option.RequestOption{
		option.WithBaseURL(base.String()),
		option.WithHTTPClient(g.client()),
		option.WithMiddleware(g.middleware),
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

func (b *openAI) Identity() Identity { return b.id }

func (b *openAI) Complete(ctx context.Context, r Request) (Response, error) {
	return b.key.use(func(key secret) (Response, error) { return b.complete(ctx, r, key) })
}

func (b *openAI) complete(ctx context.Context, r Request, key secret) (Response, error) {
	var auth []option.RequestOption
	switch {
	case key.value == "":
	case b.azure:
		auth = append(auth, option.WithHeader("api-key", key.value))
	default:
		auth = append(auth, option.WithAPIKey(key.value))
	}
	for {
		params, used := b.params(r)
		completion, err := b.chat.New(ctx, params, auth...)
		if err == nil {
			return b.response(completion)
		}
		err = mapError(ctx, b.id, err)
		if !b.dialect.learn(err, used) { // it learns each feature once, so this ends
			return Response{}, err
		}
	}
}

// params renders r with what the endpoint is thought to offer, and says which of the doubtful
// features it used.
func (b *openAI) params(r Request) (openai.ChatCompletionNewParams, []feature) {
	p := openai.ChatCompletionNewParams{Model: b.id.Model}
	var used []feature
	try := func(f feature) bool {
		ok := b.dialect.offers(f)
		if ok {
			used = append(used, f)
		}
		return ok
	}
	messages := r.Messages
	switch {
	case r.Schema == nil:
	case try(useJSONSchema):
		p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
				Name: schemaName(r.Purpose), Schema: r.Schema, Strict: openai.Bool(isStrict(r.Schema)),
			},
		}
	case try(useJSONObject):
		p.ResponseFormat.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
		messages = tellSchema(messages, r.Schema)
	default:
		messages = tellSchema(messages, r.Schema)
	}
	for _, m := range messages {
		switch m.Role {
		case System:
			p.Messages = append(p.Messages, openai.SystemMessage(m.Content))
		case Assistant:
			p.Messages = append(p.Messages, openai.AssistantMessage(m.Content))
		default:
			p.Messages = append(p.Messages, openai.UserMessage(m.Content))
		}
	}
	if try(useTemperature) {
		p.Temperature = openai.Float(r.Temperature)
	}
	if r.TopLogProbs > 0 && try(useLogProbs) {
		p.Logprobs, p.TopLogprobs = openai.Bool(true), openai.Int(int64(r.TopLogProbs))
	}
	bound := b.dialect.boundedBy()
	if bound == useMaxTokens {
		p.MaxTokens = openai.Int(int64(r.maxTokens()))
	} else {
		p.MaxCompletionTokens = openai.Int(int64(r.maxTokens()))
	}
	return p, append(used, bound)
}

func (b *openAI) response(c *openai.ChatCompletion) (Response, error) {
	if c == nil { // the body was null
		return Response{}, &Error{Kind: KindMalformed}
	}
	if len(c.Choices) == 0 {
		return Response{}, decodeUnusual(c.RawJSON(), b.clock)
	}
	choice := c.Choices[0]
	resp := Response{
		Reply:     choice.Message.Content,
		Model:     c.Model,
		TokensIn:  TokensUnknown,
		TokensOut: TokensUnknown,
	}
	if u := c.Usage; u.JSON.PromptTokens.Valid() && u.JSON.CompletionTokens.Valid() && u.PromptTokens >= 0 && u.CompletionTokens >= 0 {
		resp.TokensIn, resp.TokensOut = TokenCount(u.PromptTokens), TokenCount(u.CompletionTokens)
	}
	switch {
	case choice.Message.Refusal != "":
		resp.Reply, resp.FinishReason = choice.Message.Refusal, FinishRefusal
	case choice.FinishReason == "content_filter":
		resp.FinishReason = FinishRefusal
	case choice.FinishReason == "length":
		resp.FinishReason = FinishLength
	}
	resp.LogProbs = condense(saidTokens(choice.Logprobs.Content))
	return resp, nil
}

// saidTokens are the tokens of a completion as it reports them.
func saidTokens(content []openai.ChatCompletionTokenLogprob) []saidToken {
	out := make([]saidToken, len(content))
	for i, t := range content {
		out[i] = saidToken{text: t.Token, logProb: t.Logprob}
		for _, b := range t.Bytes {
			out[i].bytes = append(out[i].bytes, byte(b))
		}
		for _, alt := range t.TopLogprobs {
			out[i].top = append(out[i].top, TokenLogProb{Token: alt.Token, LogProb: alt.Logprob})
		}
	}
	return out
}
