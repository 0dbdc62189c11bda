package judgebackend

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
)

// Backend completes one request by one model. Implementations are safe for concurrent use, return promptly when the
// context ends, and put neither prompts nor secrets into errors.
//
// A Response whose FinishReason is not [FinishStop] comes together with an error: the reply cannot be used, but it
// was paid for and is recorded.
type Backend interface {
	Complete(ctx context.Context, r Request) (Response, error)
}

// Func is a function as a Backend.
type Func func(context.Context, Request) (Response, error)

// Complete calls f.
func (f Func) Complete(ctx context.Context, r Request) (Response, error) { return f(ctx, r) }

// Identity identifies a judge. Backend and Model are part of every request's hash.
type Identity struct {
	Backend string // the name it was opened by, "openai"
	Model   string // as asked for, "gpt-4o"
	Host    string // host:port that is contacted, "" for none
}

// Identified is implemented by backends that have an identity, such as all that [Providers.Open] returns.
type Identified interface{ Identity() Identity }

// Role is the role of a message's author.
type Role string

// The roles of messages.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
)

// Message is one turn of the conversation.
type Message struct {
	Role    Role   `json:"role"`
	Content string `json:"content"`
}

// defaultMaxTokens is the token limit of replies to requests without one.
const defaultMaxTokens = 4096

// Request is one question. The zero values of the optional fields are the usual ones.
type Request struct {
	// the kind of question, such as "align"; letters, digits and ._-/ (it is logged)
	Purpose       string    `json:"purpose"`
	PromptVersion string    `json:"prompt_version,omitempty"` // version of the prompt; same characters as Purpose
	Messages      []Message `json:"messages"`                 // system messages first, a user message last
	// JSON Schema of the reply, of type object; nil for a text reply
	Schema      json.RawMessage `json:"schema,omitempty"`
	Temperature float64         `json:"temperature"`          // 0 to 2; 0.1 for judges, 0 for extractors
	MaxTokens   int             `json:"max_tokens,omitempty"` // token limit of the reply; 0: defaultMaxTokens
	// 1 to 20: number of alternatives for which log-probabilities are requested, if the backend offers them; 0: none
	TopLogProbs int `json:"top_logprobs,omitempty"`
	Sample      int `json:"sample,omitempty"` // number of the sample, for several independent replies to a question
	Sampling
	// for CompleteJSON: the field in which the reply must repeat a one-time word
	NonceField string `json:"nonce_field,omitempty"`

	hash  string    // set by Stack
	anew  bool      // ignore recorded replies that are not later than asked
	asked time.Time // used with anew
}

// TokenCount is a number of tokens, or TokensUnknown if the backend does not report it.
type TokenCount int64

// TokensUnknown means that usage was not reported. JSON and tables show it as null.
const TokensUnknown TokenCount = -1

// MarshalJSON writes null for an unknown count.
func (n TokenCount) MarshalJSON() ([]byte, error) {
	if n < 0 {
		return []byte("null"), nil
	}
	return json.Marshal(int64(n))
}

// UnmarshalJSON reads null, and a negative number, as unknown.
func (n *TokenCount) UnmarshalJSON(b []byte) error {
	var v *int64
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	*n = TokensUnknown
	if v != nil && *v >= 0 {
		*n = TokenCount(*v)
	}
	return nil
}

// Plus returns the sum, or TokensUnknown if one of the counts is unknown.
func (n TokenCount) Plus(m TokenCount) TokenCount {
	if n < 0 || m < 0 {
		return TokensUnknown
	}
	if n > math.MaxInt64-m {
		return math.MaxInt64
	}
	return n + m
}

// FinishReason is the reason why a reply ended.
type FinishReason string

// The reasons. All but FinishStop come with an error.
const (
	FinishStop      FinishReason = "stop"
	FinishLength    FinishReason = "length"    // truncated at MaxTokens or at the end of the context window
	FinishRefusal   FinishReason = "refusal"   // the model declined, or a content filter did
	FinishOversized FinishReason = "oversized" // more than MaxReplyBytes; no part of it is stored
)

// TokenLogProb is a token of a reply with its natural-log probability and its alternatives, or several consecutive
// tokens as one, with the sum of their log-probabilities and no alternatives. The concatenated tokens are the reply.
type TokenLogProb struct {
	Token   string         `json:"token"`
	LogProb float64        `json:"logprob"`
	Top     []TokenLogProb `json:"top,omitempty"`
}

// Response is one reply.
type Response struct {
	Reply        string
	TokensIn     TokenCount
	TokensOut    TokenCount
	Model        string // as the backend names it, which may be more specific than the requested name
	Fingerprint  string // of the configuration that served the reply, such as system_fingerprint; "" if not reported
	Latency      time.Duration
	FinishReason FinishReason
	LogProbs     []TokenLogProb

	// Set by Stack.
	RequestHash  string    // content hash of the request, the ledger's key
	AssessmentID string    // content hash of request and reply
	CreatedAt    time.Time // when the backend gave the reply
	Cached       bool      // no judge call for this caller: the ledger or a concurrent call had the reply
	AskAgain     bool      // from the ledger; request another if it is invalid: see StackOptions.AskAgain
}

// ReplyTokens returns MaxTokens, or the default if it is 0.
func (r Request) ReplyTokens() int {
	if r.MaxTokens == 0 {
		return defaultMaxTokens
	}
	return r.MaxTokens
}

// bytesOut returns the number of bytes of the schema and the messages.
func (r Request) bytesOut() int {
	n := len(r.Schema)
	for _, m := range r.Messages {
		n += len(m.Content)
	}
	return n
}

// validate returns an error if r is invalid. The error does not show r's content.
func (r Request) validate() error {
	bad := func(format string, args ...any) error {
		return errcode.New(errcode.InvalidArgument, "judge request: "+format, args...)
	}
	switch {
	case !isLabel(r.Purpose):
		return bad("purpose must be 1 to 64 of letters, digits and ._-/")
	case r.PromptVersion != "" && !isLabel(r.PromptVersion):
		return bad("prompt version must be at most 64 of letters, digits and ._-/")
	case len(r.Messages) == 0:
		return bad("no messages")
	case r.Messages[len(r.Messages)-1].Role != User:
		return bad("the last message must be the user's")
	case math.IsNaN(r.Temperature) || r.Temperature < 0 || r.Temperature > 2:
		return bad("temperature must be within 0 and 2")
	case r.MaxTokens < 0:
		return bad("max tokens must not be negative")
	case r.TopLogProbs < 0 || r.TopLogProbs > 20:
		return bad("log-probabilities of at most 20 tokens can be asked for, not %d", r.TopLogProbs)
	case r.Sample < 0:
		return bad("sample must not be negative")
	}
	if err := r.Sampling.validate(); err != nil {
		return bad("%w", err)
	}
	talk := false
	for i, m := range r.Messages {
		switch {
		case m.Role == System && talk:
			return bad("message %d: system messages come first", i)
		case m.Role != System && m.Role != User && m.Role != Assistant:
			return bad("message %d: unknown role", i)
		}
		talk = talk || m.Role != System
	}
	if r.Schema != nil {
		if _, err := compileSchema(r.Schema); err != nil {
			return err
		}
	}
	return nil
}

// isLabel reports whether s has 1 to 64 letters, digits and ._-/ and so may appear in logs and tables unchanged.
func isLabel(s string) bool {
	for _, c := range []byte(s) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '_', c == '-', c == '/':
		default:
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// String describes r by purpose and size, without its content.
func (r Request) String() string {
	return fmt.Sprintf("judge request %s %s: %d messages, %d bytes", r.Purpose, r.PromptVersion, len(r.Messages),
		r.bytesOut())
}

// GoString returns String, so that %#v does not show content either.
func (r Request) GoString() string { return r.String() }

// LogValue returns String.
func (r Request) LogValue() slog.Value { return slog.StringValue(r.String()) }

// String describes r by outcome and size, without its content.
func (r Response) String() string {
	return fmt.Sprintf("judge response of %s: %s, %d bytes", r.Model, r.FinishReason, len(r.Reply))
}

// GoString returns String, so that %#v does not show content either.
func (r Response) GoString() string { return r.String() }

// LogValue returns String.
func (r Response) LogValue() slog.Value { return slog.StringValue(r.String()) }
