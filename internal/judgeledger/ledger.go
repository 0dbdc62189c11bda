// Package judgeledger keeps judges' answers in a warehouse's table assessments, where batch runs
// and servers share them and where the scores point to them.
//
// A warehouse takes a statement in the time of many answers, and many callers ask at once. What
// arrives while one statement is on its way goes into the next one, so that 64 judges at work cost
// the statements of a few.
package judgeledger

import (
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
)

// Table is the table of assessments; [connectors.Warehouse] has it.
type Table interface {
	Assessments(ctx context.Context, f connectors.AssessmentFilter) iter.Seq2[connectors.Assessment, error]
	WriteAssessments(ctx context.Context, assessments ...connectors.Assessment) error
}

// Ledger is a [judgebackend.Store] in a table. It holds nothing that must be closed.
type Ledger struct {
	log  *slog.Logger
	now  func() time.Time
	gets group[string, *judgebackend.Assessment]
	puts group[connectors.Assessment, struct{}]

	claims   *claims // nil: nobody else uses the table
	payments payments
}

// payments is a table that can sum; [connectors.Warehouse] is one.
type payments interface {
	PaidBy(ctx context.Context, payer string, from time.Time) ([]connectors.Paid, error)
}

// mostTogether bounds the requests of one statement.
const mostTogether = 256

// New makes a ledger of a table. now tells the order in which answers were put; log receives
// warnings of damaged rows and may be nil.
func New(t Table, now func() time.Time, log *slog.Logger) *Ledger {
	return NewWithLease(t, DefaultLease, now, log)
}

// NewWithLease is New with claims that last so long.
func NewWithLease(t Table, lease time.Duration, now func() time.Time, log *slog.Logger) *Ledger {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	l := &Ledger{log: log, now: now}
	if c, ok := t.(Claims); ok {
		l.claims = newClaims(c, lease, now)
	}
	l.payments, _ = t.(payments)
	l.gets.do = func(ctx context.Context, hashes []string) ([]*judgebackend.Assessment, error) {
		return l.find(ctx, t, hashes)
	}
	l.puts.do = func(ctx context.Context, rows []connectors.Assessment) ([]struct{}, error) {
		return make([]struct{}, len(rows)), t.WriteAssessments(ctx, rows...)
	}
	return l
}

// Get implements judgebackend.Store.
func (l *Ledger) Get(ctx context.Context, requestHash string) (judgebackend.Assessment, bool, error) {
	a, err := l.gets.ask(ctx, requestHash)
	if err != nil || a == nil {
		return judgebackend.Assessment{}, false, err
	}
	return *a, true, nil
}

// Put implements judgebackend.Store: when it returns, the warehouse has the row.
func (l *Ledger) Put(ctx context.Context, a judgebackend.Assessment) error {
	row, err := toRow(a, l.now())
	if err != nil {
		return err
	}
	_, err = l.puts.ask(ctx, row)
	return err
}

// PaidBy implements judgebackend.Payments.
func (l *Ledger) PaidBy(ctx context.Context, payer string, from time.Time) ([]judgebackend.Payment, error) {
	if l.payments == nil {
		return nil, nil
	}
	paid, err := l.payments.PaidBy(ctx, payer, from)
	out := make([]judgebackend.Payment, len(paid))
	for i, p := range paid {
		out[i] = judgebackend.Payment{Identity: judgebackend.Identity{Backend: p.Backend, Model: p.Model}, Calls: p.Calls, TokensIn: p.TokensIn, TokensOut: p.TokensOut}
	}
	return out, err
}

// find reads the last sound answer to each request.
func (l *Ledger) find(ctx context.Context, t Table, hashes []string) ([]*judgebackend.Assessment, error) {
	type found struct {
		a   judgebackend.Assessment
		put int64
	}
	last := make(map[string]found, len(hashes))
	for row, err := range t.Assessments(ctx, connectors.AssessmentFilter{RequestHashes: hashes}) {
		if err != nil {
			return nil, err
		}
		a, put, err := fromRow(row)
		if err != nil || a.ID != a.ContentHash() {
			l.log.Warn("an assessment in the warehouse is damaged and is not used", "assessment", row.ID)
			continue
		}
		if was, ok := last[a.RequestHash]; !ok || put >= was.put {
			last[a.RequestHash] = found{a, put}
		}
	}
	out := make([]*judgebackend.Assessment, len(hashes))
	for i, h := range hashes {
		if f, ok := last[h]; ok {
			out[i] = &f.a
		}
	}
	return out, nil
}

// rowDetail is what the table has no columns for.
type rowDetail struct {
	Put          int64                       `json:"put"` // when it was put, in Unix nanoseconds: of two answers to one request the later counts
	FinishReason judgebackend.FinishReason   `json:"finish_reason,omitempty"`
	MaxTokens    int                         `json:"max_tokens,omitempty"`
	ServedModel  string                      `json:"served_model,omitempty"`
	LogProbs     []judgebackend.TokenLogProb `json:"logprobs,omitempty"`
	Request      *judgebackend.Request       `json:"request,omitempty"`
}

func toRow(a judgebackend.Assessment, now time.Time) (connectors.Assessment, error) {
	detail, err := json.Marshal(rowDetail{now.UnixNano(), a.FinishReason, a.MaxTokens, a.ServedModel, a.LogProbs, a.Request})
	if err != nil {
		return connectors.Assessment{}, errcode.New(errcode.Internal, "an assessment cannot be written as JSON")
	}
	return connectors.Assessment{
		ID: a.ID, Kind: a.Kind, Backend: a.Backend, Model: a.Model, PromptVersion: a.PromptVersion, RequestHash: a.RequestHash, Reply: a.Reply,
		TokensIn: known(a.TokensIn), TokensOut: known(a.TokensOut), LatencyMS: a.LatencyMS, CreatedAt: a.CreatedAt, Detail: detail, Payer: a.Payer,
	}, nil
}

// fromRow is the assessment of a row, and when it was put.
func fromRow(r connectors.Assessment) (judgebackend.Assessment, int64, error) {
	var d rowDetail
	if len(r.Detail) > 0 {
		if err := json.Unmarshal(r.Detail, &d); err != nil {
			return judgebackend.Assessment{}, 0, err
		}
	}
	return judgebackend.Assessment{
		ID: r.ID, Kind: r.Kind, Backend: r.Backend, Model: r.Model, PromptVersion: r.PromptVersion, RequestHash: r.RequestHash, Reply: r.Reply,
		TokensIn: count(r.TokensIn), TokensOut: count(r.TokensOut), LatencyMS: r.LatencyMS, CreatedAt: r.CreatedAt,
		FinishReason: d.FinishReason, MaxTokens: d.MaxTokens, ServedModel: d.ServedModel, LogProbs: d.LogProbs, Request: d.Request, Payer: r.Payer,
	}, d.Put, nil
}

func known(n judgebackend.TokenCount) *int64 {
	if n < 0 {
		return nil
	}
	v := int64(n)
	return &v
}

func count(n *int64) judgebackend.TokenCount {
	if n == nil {
		return judgebackend.TokensUnknown
	}
	return judgebackend.TokenCount(*n)
}
