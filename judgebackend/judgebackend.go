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

// Backend completes one request against one model. Implementations are safe for concurrent use,
// return promptly when the context ends, and put neither prompts nor secrets into errors.
//
// A Response whose FinishReason is not [FinishStop] comes together with an error: the answer cannot
// be used, but it was paid for and belongs in the record.
type Backend interface {
	Complete(ctx context.Context, r Request) (Response, error)
}

// Func makes a function a Backend.
type Func func(context.Context, Request) (Response, error)

// Complete calls f.
func (f Func) Complete(ctx context.Context, r Request) (Response, error) { return f(ctx, r) }

// Identity says who answers. Backend and Model are part of every request's hash.
type Identity struct {
	Backend string // the name it was opened by, "openai"
	Model   string // as asked for, "gpt-4o"
	Host    string // host:port that is contacted, "" for none
}

// Identified is implemented by backends that know who they are; all that [Providers.Open] returns do.
type Identified interface{ Identity() Identity }

// Role says who speaks a message.
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

// defaultMaxTokens bounds replies where a request does not.
const defaultMaxTokens = 4096

// Request is one question. The zero values of the optional fields are the usual ones.
type Request struct {
	// what the answer is for, "align"; letters, digits and ._-/ (it is logged)
	Purpose       string    `json:"purpose"`
	PromptVersion string    `json:"prompt_version,omitempty"` // version of the prompt's text; same alphabet
	Messages      []Message `json:"messages"`                 // system messages first, a user message last
	// JSON Schema of the reply, an object at the top; nil for text
	Schema      json.RawMessage `json:"schema,omitempty"`
	Temperature float64         `json:"temperature"`          // 0 to 2; 0.1 for judges, 0 for extractors
	MaxTokens   int             `json:"max_tokens,omitempty"` // bound of the reply; 0 for defaultMaxTokens
	// 1 to 20: token log-probabilities are wanted, if offered
	TopLogProbs int `json:"top_logprobs,omitempty"`
	Sample      int `json:"sample,omitempty"` // which of several independent answers to one question
	// for CompleteJSON: field in which the reply repeats a one-time word
	NonceField string `json:"nonce_field,omitempty"`

	hash  string    // set by Stack, so that it is computed once
	anew  bool      // ignore replies recorded before asked
	asked time.Time // with anew
}

// TokenCount is a number of tokens, or TokensUnknown where the backend does not say.
type TokenCount int64

// TokensUnknown means that usage was not reported; JSON and tables show null, never 0.
const TokensUnknown TokenCount = -1

// MarshalJSON writes null for unknown.
func (n TokenCount) MarshalJSON() ([]byte, error) {
	if n < 0 {
		return []byte("null"), nil
	}
	return json.Marshal(int64(n))
}

// UnmarshalJSON reads null as unknown.
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

// Plus adds; unknown plus anything is unknown.
func (n TokenCount) Plus(m TokenCount) TokenCount {
	if n < 0 || m < 0 {
		return TokensUnknown
	}
	if n > math.MaxInt64-m {
		return math.MaxInt64
	}
	return n + m
}

// FinishReason says why a reply ended.
type FinishReason string

// The reasons. The last three come with an error.
const (
	FinishStop      FinishReason = "stop"
	FinishLength    FinishReason = "length"    // cut at MaxTokens or at the end of the context window
	FinishRefusal   FinishReason = "refusal"   // the model declined, or a content filter did
	FinishOversized FinishReason = "oversized" // more bytes than MaxReplyBytes; none of them kept
)

// TokenLogProb is a token of a reply with its natural-log probability and that of its alternatives,
// or the text of several tokens that follow each other, with the log-probability of all of them and
// no alternatives. The tokens of a reply, joined, are the reply.
type TokenLogProb struct {
	Token   string         `json:"token"`
	LogProb float64        `json:"logprob"`
	Top     []TokenLogProb `json:"top,omitempty"`
}

// Response is one answer.
type Response struct {
	Reply        string
	TokensIn     TokenCount
	TokensOut    TokenCount
	Model        string // as the backend names it, which may be more exact than what was asked for
	Latency      time.Duration
	FinishReason FinishReason
	LogProbs     []TokenLogProb

	// Set by Stack.
	RequestHash  string    // content hash of the request, the ledger's key
	AssessmentID string    // content hash of request and reply
	CreatedAt    time.Time // when the answer was given
	Cached       bool      // no judge call for this caller: the ledger or a concurrent call had the reply
	AskAgain     bool      // from the ledger, and to be asked for again if it is of no use: see StackOptions.AskAgain
}

// ReplyTokens is MaxTokens, or its default.
func (r Request) ReplyTokens() int {
	if r.MaxTokens == 0 {
		return defaultMaxTokens
	}
	return r.MaxTokens
}

// bytesOut returns the number of bytes sent.
func (r Request) bytesOut() int {
	n := len(r.Schema)
	for _, m := range r.Messages {
		n += len(m.Content)
	}
	return n
}

// validate returns an error if r is invalid, without showing its content.
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

// isLabel reports whether s may appear in logs and tables as it is.
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

// String returns the purpose and size of r without its content, since requests are logged by accident.
func (r Request) String() string {
	return fmt.Sprintf("judge request %s %s: %d messages, %d bytes", r.Purpose, r.PromptVersion, len(r.Messages),
		r.bytesOut())
}

// GoString is String, so that %#v holds no content either.
func (r Request) GoString() string { return r.String() }

// LogValue is String.
func (r Request) LogValue() slog.Value { return slog.StringValue(r.String()) }

// String returns the outcome and size of r without its content.
func (r Response) String() string {
	return fmt.Sprintf("judge response of %s: %s, %d bytes", r.Model, r.FinishReason, len(r.Reply))
}

// GoString is String, so that %#v holds no content either.
func (r Response) GoString() string { return r.String() }

// LogValue is String.
func (r Response) LogValue() slog.Value { return slog.StringValue(r.String()) }
