package judgebackend

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"time"
)

type payerKey struct{}

// WithPayer returns ctx with the name of the payer of judge calls: a run, or a caller of a server. The record of a
// reply contains the name, so that budgets apply across processes.
func WithPayer(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, payerKey{}, name)
}

// payerOf returns the name set by WithPayer, or "".
func payerOf(ctx context.Context) string {
	name, _ := ctx.Value(payerKey{}).(string)
	return name
}

// Payment is the cost of a payer's recorded replies from one backend and model. Unknown token counts count as 0.
type Payment struct {
	Identity
	Calls     int64
	TokensIn  int64
	TokensOut int64
}

// Payments is implemented by stores that can return the cost of a payer's answers since a given time.
type Payments interface {
	PaidBy(ctx context.Context, payer string, from time.Time) ([]Payment, error)
}

// payments sums up the assessments of one payer from a time on.
type payments struct {
	payer string
	from  time.Time
	by    map[Identity]*Payment
}

func (p *payments) add(a *Assessment) {
	if a.Payer != p.payer || a.CreatedAt.Before(p.from) {
		return
	}
	id := Identity{Backend: a.Backend, Model: a.Model}
	sum := p.by[id]
	if sum == nil {
		sum = &Payment{Identity: id}
		p.by[id] = sum
	}
	sum.Calls++
	sum.TokensIn += int64(max(0, a.TokensIn))
	sum.TokensOut += int64(max(0, a.TokensOut))
}

func (p *payments) all() (out []Payment) {
	for _, sum := range p.by {
		out = append(out, *sum)
	}
	return out
}

// PaidBy implements Payments. It counts only the last reply to each request.
func (s *MemoryStore) PaidBy(_ context.Context, payer string, from time.Time) ([]Payment, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	p := payments{payer, from, map[Identity]*Payment{}}
	for _, a := range s.m {
		p.add(&a)
	}
	return p.all(), nil
}

// PaidBy implements Payments. It reads the whole file and counts every reply.
func (s *FileStore) PaidBy(_ context.Context, payer string, from time.Time) ([]Payment, error) {
	p := payments{payer, from, map[Identity]*Payment{}}
	d := bufio.NewReaderSize(io.NewSectionReader(s.f, 0, 1<<62), 1<<16)
	for {
		line, err := readLine(d)
		if err != nil {
			return p.all(), nil //nolint:nilerr // what is left is being written, or was torn
		}
		a := Assessment{TokensIn: TokensUnknown, TokensOut: TokensUnknown}
		if json.Unmarshal(line, &a) == nil {
			p.add(&a)
		}
	}
}
