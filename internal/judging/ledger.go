package judging

import (
	"context"
	"iter"
	"log/slog"
	"time"

	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/sql/store"
)

// Table is the table of assessments; [store.Store] implements it.
type Table interface {
	Assessments(ctx context.Context, f store.AssessmentFilter) iter.Seq2[judgebackend.Assessment, error]
	WriteAssessments(ctx context.Context, assessments ...judgebackend.Assessment) error
}

// Ledger is a [judgebackend.Store] in a table of a warehouse, which batch runs and servers share, and whose rows
// scores refer to. It need not be closed.
//
// A statement of a warehouse takes as long as many judge calls, and many callers use the ledger concurrently.
// Requests that arrive during a statement are combined into the next one, so that 64 concurrent judge calls need only
// a few statements.
type Ledger struct {
	log  *slog.Logger
	now  func() time.Time
	gets group[string, *judgebackend.Assessment]
	puts group[judgebackend.Assessment, struct{}]

	claims   *claims               // nil: the table must be used by this process only
	payments judgebackend.Payments // nil: the table cannot sum up payments
}

// mostTogether is the maximum number of requests in one statement.
const mostTogether = 256

// NewLedger returns a ledger in the table t. now gives the times by which the later of two replies is known; log
// receives warnings about damaged rows and may be nil.
func NewLedger(t Table, now func() time.Time, log *slog.Logger) *Ledger {
	return NewLedgerWithLease(t, DefaultLease, now, log)
}

// NewLedgerWithLease is NewLedger with claims that last for lease without renewal.
func NewLedgerWithLease(t Table, lease time.Duration, now func() time.Time, log *slog.Logger) *Ledger {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	l := &Ledger{log: log, now: now}
	if c, ok := t.(Claims); ok {
		l.claims = newClaims(c, lease, now)
	}
	l.payments, _ = t.(judgebackend.Payments)
	l.gets.do = func(ctx context.Context, hashes []string) ([]*judgebackend.Assessment, error) {
		return l.find(ctx, t, hashes)
	}
	l.puts.do = func(ctx context.Context, rows []judgebackend.Assessment) ([]struct{}, error) {
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

// Put implements judgebackend.Store. When it returns, the row is in the warehouse.
func (l *Ledger) Put(ctx context.Context, a judgebackend.Assessment) error {
	a.Put = l.now()
	if _, err := a.Detail(); err != nil { // in a statement, it would be the failure of others
		return err
	}
	_, err := l.puts.ask(ctx, a)
	return err
}

// PaidBy implements judgebackend.Payments. It returns nil if the table cannot sum up payments.
func (l *Ledger) PaidBy(ctx context.Context, payer string, from time.Time) ([]judgebackend.Payment, error) {
	if l.payments == nil {
		return nil, nil
	}
	return l.payments.PaidBy(ctx, payer, from)
}

// find returns the last undamaged reply to each request, in the order of hashes; nil for a request without one.
func (l *Ledger) find(ctx context.Context, t Table, hashes []string) ([]*judgebackend.Assessment, error) {
	last := make(map[string]judgebackend.Assessment, len(hashes))
	for a, err := range t.Assessments(ctx, store.AssessmentFilter{RequestHashes: hashes}) {
		if err != nil {
			return nil, err
		}
		if a.ID != a.ContentHash() {
			l.log.Warn("an assessment in the warehouse is damaged and is not used", "assessment", a.ID)
			continue
		}
		if was, ok := last[a.RequestHash]; !ok || !a.Put.Before(was.Put) {
			last[a.RequestHash] = a
		}
	}
	out := make([]*judgebackend.Assessment, len(hashes))
	for i, h := range hashes {
		if a, ok := last[h]; ok {
			a.Put = time.Time{} // the table's
			out[i] = &a
		}
	}
	return out, nil
}
