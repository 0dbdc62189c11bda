package judgebackend

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"log/slog"
	"math"
	"strconv"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
)

// Assessment is one recorded answer: a row of the assessments table, a line of a ledger file, a
// line of a replay file. The table has no columns for FinishReason, MaxTokens, ServedModel, LogProbs
// and Request, which are in its column detail, with Put: see [Assessment.Detail]. A store that has
// no place for them loses, in this order of importance, the reason of a cut or refused reply, the
// log-probabilities that some metrics weigh their scores by, and nothing else that scoring needs.
type Assessment struct {
	ID            string         `json:"assessment_id"` // content hash of request, reply and how it ended
	Kind          string         `json:"kind"`          // the request's purpose
	Backend       string         `json:"backend"`
	Model         string         `json:"model"` // as asked for
	PromptVersion string         `json:"prompt_version,omitempty"`
	RequestHash   string         `json:"request_hash"` // the ledger's key
	Reply         string         `json:"reply"`
	TokensIn      TokenCount     `json:"tokens_in"` // null where unknown
	TokensOut     TokenCount     `json:"tokens_out"`
	LatencyMS     int64          `json:"latency_ms"`
	CreatedAt     time.Time      `json:"created_at"`
	FinishReason  FinishReason   `json:"finish_reason,omitempty"` // empty is stop
	MaxTokens     int            `json:"max_tokens,omitempty"`
	ServedModel   string         `json:"served_model,omitempty"` // as the backend named it, where that differs
	LogProbs      []TokenLogProb `json:"logprobs,omitempty"`
	Payer         string         `json:"payer,omitempty"`   // opaque ID of who is billed: see [WithPayer]
	Request       *Request       `json:"request,omitempty"` // only where a recording keeps it, for people to read
	// when a table stored it: the later of two replies to a request is used; zero outside tables
	Put time.Time `json:"-"`
}

// rowDetail is the form of the column detail.
type rowDetail struct {
	Put          int64          `json:"put"` // in Unix nanoseconds; 0 if it is not known
	FinishReason FinishReason   `json:"finish_reason,omitempty"`
	MaxTokens    int            `json:"max_tokens,omitempty"`
	ServedModel  string         `json:"served_model,omitempty"`
	LogProbs     []TokenLogProb `json:"logprobs,omitempty"`
	Request      *Request       `json:"request,omitempty"`
}

// Detail returns the JSON of the column detail. It returns an internal error if a log-probability is not a number
// or a schema is not JSON.
func (a Assessment) Detail() (json.RawMessage, error) {
	d := rowDetail{0, a.FinishReason, a.MaxTokens, a.ServedModel, a.LogProbs, a.Request}
	if !a.Put.IsZero() {
		d.Put = a.Put.UnixNano()
	}
	b, err := json.Marshal(d)
	if err != nil {
		return nil, errcode.New(errcode.Internal, "an assessment cannot be written as JSON")
	}
	return b, nil
}

// ReadDetail sets what the column detail holds. One that is empty or cannot be read sets nothing:
// ContentHash then reports whether anything is lost that counts.
func (a *Assessment) ReadDetail(detail []byte) {
	var d rowDetail
	if json.Unmarshal(detail, &d) != nil {
		return
	}
	a.FinishReason, a.MaxTokens, a.ServedModel, a.LogProbs, a.Request = d.FinishReason, d.MaxTokens, d.ServedModel,
		d.LogProbs, d.Request
	if d.Put != 0 {
		a.Put = time.Unix(0, d.Put).UTC()
	}
}

// ContentHash returns the expected ID: it covers request hash, reply, finish reason and log-probabilities, so that
// damage to any of them is detected.
func (a Assessment) ContentHash() string {
	h := digest{sha256.New()}
	reason := a.FinishReason
	if reason == "" {
		reason = FinishStop
	}
	h.text("judge assessment 1", a.RequestHash, a.Reply, string(reason))
	hashLogProbs(h, a.LogProbs)
	return h.hex()
}

func hashLogProbs(h digest, ps []TokenLogProb) {
	h.number(uint64(len(ps)))
	for _, p := range ps {
		h.text(p.Token)
		h.number(math.Float64bits(p.LogProb))
		hashLogProbs(h, p.Top)
	}
}

// String identifies the assessment without showing its content.
func (a Assessment) String() string {
	return "judge assessment " + a.ID + " " + a.Kind + ": " + strconv.Itoa(len(a.Reply)) + " bytes"
}

// GoString is String, so that %#v holds no content either.
func (a Assessment) GoString() string { return a.String() }

// LogValue is String.
func (a Assessment) LogValue() slog.Value { return slog.StringValue(a.String()) }

// assess returns the record of an answer. resp's RequestHash and CreatedAt are set.
func assess(ctx context.Context, id Identity, r Request, resp Response) Assessment {
	a := Assessment{
		Kind: r.Purpose, Backend: id.Backend, Model: id.Model, PromptVersion: r.PromptVersion,
		RequestHash: resp.RequestHash, Reply: resp.Reply,
		TokensIn: resp.TokensIn, TokensOut: resp.TokensOut,
		LatencyMS: resp.Latency.Milliseconds(), CreatedAt: resp.CreatedAt,
		FinishReason: resp.FinishReason, MaxTokens: r.ReplyTokens(), LogProbs: resp.LogProbs,
		Payer: payerOf(ctx),
	}
	if resp.Model != id.Model {
		a.ServedModel = resp.Model
	}
	a.ID = a.ContentHash()
	return a
}

// readAssessment decodes a line. Token counts that it lacks are unknown.
func readAssessment(line []byte) (Assessment, error) {
	a := Assessment{TokensIn: TokensUnknown, TokensOut: TokensUnknown}
	err := json.Unmarshal(line, &a)
	return a, err
}

// response is the answer that a records.
func (a Assessment) response() Response {
	r := Response{
		Reply: a.Reply, TokensIn: a.TokensIn, TokensOut: a.TokensOut, Model: a.ServedModel,
		Latency: time.Duration(a.LatencyMS) * time.Millisecond, FinishReason: a.FinishReason, LogProbs: a.LogProbs,
		RequestHash: a.RequestHash, AssessmentID: a.ID, CreatedAt: a.CreatedAt, Cached: true,
	}
	if r.Model == "" {
		r.Model = a.Model
	}
	if r.FinishReason == "" {
		r.FinishReason = FinishStop
	}
	return r
}

// Store keeps assessments by request hash: the ledger. Implementations are safe for concurrent use;
// several processes may share one.
type Store interface {
	// Get gives the last assessment put for a request. A damaged entry is a miss, and a warning in
	// the store's log.
	Get(ctx context.Context, requestHash string) (Assessment, bool, error)
	// Put keeps a: when it returns, the end of the process does not lose it.
	Put(ctx context.Context, a Assessment) error
}

// Claimer is implemented by stores through which several processes agree which of them makes a call.
type Claimer interface {
	// Claim acquires the right to ask a request's question. If another process is asking it, ok is false. A nil
	// release means that no other process can ask, so a miss need not be looked up again. Otherwise the caller
	// calls release after it stored the answer. The right of a process that is killed expires.
	Claim(ctx context.Context, requestHash string) (release func(), ok bool, err error)
}

// Recorder takes the assessments of a run. A [FileStore]'s Put is one.
type Recorder func(context.Context, Assessment) error
