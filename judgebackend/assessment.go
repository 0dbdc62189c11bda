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

// Assessment is one recorded reply of a judge: a row of the assessments table, or a line of a ledger or replay file.
// The table stores FinishReason, MaxTokens, ServedModel, Fingerprint, LogProbs, Request and Put in its column detail:
// see [Assessment.Detail]. Without that column a truncated or refused reply looks complete, and metrics that weight
// scores by log-probabilities lose these.
type Assessment struct {
	ID            string         `json:"assessment_id"` // see ContentHash
	Kind          string         `json:"kind"`          // the request's purpose
	Backend       string         `json:"backend"`
	Model         string         `json:"model"` // as requested
	PromptVersion string         `json:"prompt_version,omitempty"`
	RequestHash   string         `json:"request_hash"` // the ledger's key
	Reply         string         `json:"reply"`
	TokensIn      TokenCount     `json:"tokens_in"` // null if unknown
	TokensOut     TokenCount     `json:"tokens_out"`
	LatencyMS     int64          `json:"latency_ms"`
	CreatedAt     time.Time      `json:"created_at"`
	FinishReason  FinishReason   `json:"finish_reason,omitempty"` // empty is stop
	MaxTokens     int            `json:"max_tokens,omitempty"`
	ServedModel   string         `json:"served_model,omitempty"` // name in the reply, if it differs from Model
	Fingerprint   string         `json:"fingerprint,omitempty"`  // see Response
	LogProbs      []TokenLogProb `json:"logprobs,omitempty"`
	Payer         string         `json:"payer,omitempty"`   // opaque ID of the payer: see [WithPayer]
	Request       *Request       `json:"request,omitempty"` // only set if the recorder is configured to store requests
	// time at which a table stored it: of two replies to a request, the later is used; zero outside tables
	Put time.Time `json:"-"`
}

// rowDetail is the JSON object in the column detail.
type rowDetail struct {
	Put          int64          `json:"put"` // in Unix nanoseconds; 0 if unknown
	FinishReason FinishReason   `json:"finish_reason,omitempty"`
	MaxTokens    int            `json:"max_tokens,omitempty"`
	ServedModel  string         `json:"served_model,omitempty"`
	Fingerprint  string         `json:"fingerprint,omitempty"`
	LogProbs     []TokenLogProb `json:"logprobs,omitempty"`
	Request      *Request       `json:"request,omitempty"`
}

// Detail returns the JSON of the column detail. It returns an internal error if a log-probability is NaN or infinite,
// or the request's schema is not JSON.
func (a Assessment) Detail() (json.RawMessage, error) {
	d := rowDetail{0, a.FinishReason, a.MaxTokens, a.ServedModel, a.Fingerprint, a.LogProbs, a.Request}
	if !a.Put.IsZero() {
		d.Put = a.Put.UnixNano()
	}
	b, err := json.Marshal(d)
	if err != nil {
		return nil, errcode.New(errcode.Internal, "an assessment cannot be written as JSON")
	}
	return b, nil
}

// ReadDetail sets the fields of a that the JSON of the column detail holds. If detail is not JSON it changes nothing;
// then ContentHash differs from ID if a field was lost that the hash covers.
func (a *Assessment) ReadDetail(detail []byte) {
	var d rowDetail
	if json.Unmarshal(detail, &d) != nil {
		return
	}
	a.FinishReason, a.MaxTokens, a.ServedModel, a.Fingerprint, a.LogProbs, a.Request = d.FinishReason, d.MaxTokens,
		d.ServedModel, d.Fingerprint, d.LogProbs, d.Request
	if d.Put != 0 {
		a.Put = time.Unix(0, d.Put).UTC()
	}
}

// ContentHash returns the ID that an undamaged assessment has: a hash of request hash, reply, finish reason and
// log-probabilities.
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

// GoString returns String, so that %#v does not show content either.
func (a Assessment) GoString() string { return a.String() }

// LogValue returns String.
func (a Assessment) LogValue() slog.Value { return slog.StringValue(a.String()) }

// assess returns the assessment of a reply. resp.RequestHash and resp.CreatedAt must be set.
func assess(ctx context.Context, id Identity, r Request, resp Response) Assessment {
	a := Assessment{
		Kind: r.Purpose, Backend: id.Backend, Model: id.Model, PromptVersion: r.PromptVersion,
		RequestHash: resp.RequestHash, Reply: resp.Reply,
		TokensIn: resp.TokensIn, TokensOut: resp.TokensOut,
		LatencyMS: resp.Latency.Milliseconds(), CreatedAt: resp.CreatedAt,
		FinishReason: resp.FinishReason, MaxTokens: r.ReplyTokens(), LogProbs: resp.LogProbs,
		Fingerprint: resp.Fingerprint, Payer: payerOf(ctx),
	}
	if resp.Model != id.Model {
		a.ServedModel = resp.Model
	}
	a.ID = a.ContentHash()
	return a
}

// readAssessment decodes a line of a file. Token counts that are missing are unknown.
func readAssessment(line []byte) (Assessment, error) {
	a := Assessment{TokensIn: TokensUnknown, TokensOut: TokensUnknown}
	err := json.Unmarshal(line, &a)
	return a, err
}

// response returns the Response that a records, with Cached set.
func (a Assessment) response() Response {
	r := Response{
		Reply: a.Reply, TokensIn: a.TokensIn, TokensOut: a.TokensOut, Model: a.ServedModel,
		Latency: time.Duration(a.LatencyMS) * time.Millisecond, FinishReason: a.FinishReason, LogProbs: a.LogProbs,
		Fingerprint: a.Fingerprint, RequestHash: a.RequestHash, AssessmentID: a.ID, CreatedAt: a.CreatedAt, Cached: true,
	}
	if r.Model == "" {
		r.Model = a.Model
	}
	if r.FinishReason == "" {
		r.FinishReason = FinishStop
	}
	return r
}

// Store is the ledger: it stores assessments by request hash. Implementations are safe for concurrent use; several
// processes may share one.
type Store interface {
	// Get returns the last assessment put for a request. For a damaged entry it returns false and logs a warning.
	Get(ctx context.Context, requestHash string) (Assessment, bool, error)
	// Put stores a. After it returns, a crash of the process does not lose a.
	Put(ctx context.Context, a Assessment) error
}

// Claimer is implemented by stores through which several processes agree which of them makes a call.
type Claimer interface {
	// Claim acquires the right to call the judge for a request. If another process has it, ok is false. A nil release
	// means that no other process can call, so that a miss need not be looked up again. Otherwise the caller calls
	// release after it stored the reply. The right of a killed process expires.
	Claim(ctx context.Context, requestHash string) (release func(), ok bool, err error)
}

// Recorder is called with each assessment of a run. [FileStore.Put] is a Recorder.
type Recorder func(context.Context, Assessment) error
