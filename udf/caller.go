package udf

import (
	"context"

	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
)

// Caller is who makes a call, and the memory that a server grants the call. Without one in its context, as in an
// embedded engine, a call has no name, and memory is not counted.
type Caller interface {
	// Name is the name under which the server knows the caller; empty without authentication.
	Name() string
	// Holder reserves memory until the call ends.
	account.Holder
	// Reserve reserves n bytes that count with the caller, but not with the call, which may end before they are
	// released.
	Reserve(n int64) (release func(), err error)
	// Read runs f, which may read results that references name, with an [account.Account] for them. If the rows of
	// other calls leave too little memory, it runs f a second time when no other row reads so much ([Aside]).
	Read(ctx context.Context, f func(ctx context.Context))
}

type callerKey struct{}

// WithCaller returns the context of a call of c. Rows that outlive the call keep c.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom returns the caller of the call that ctx belongs to, or nil.
func CallerFrom(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// callerName returns the name of the caller, or "".
func callerName(ctx context.Context) string {
	if c := CallerFrom(ctx); c != nil {
		return c.Name()
	}
	return ""
}

// reading runs f, which may read results that references name, and counts what it reads with the call.
func reading(ctx context.Context, f func(ctx context.Context)) {
	if c := CallerFrom(ctx); c != nil {
		c.Read(ctx, f)
		return
	}
	f(ctx)
}

// tallyOf counts the memory of the call that ctx belongs to. It is nil if the call has no [Caller].
func tallyOf(ctx context.Context) *account.Tally {
	if c := CallerFrom(ctx); c != nil {
		return account.NewTally(c, 0)
	}
	return nil
}

// jobBytes is the memory of a row that asks a judge, without its texts.
const jobBytes = 2 << 10

var errNoRoom = errcode.New(errcode.ResourceExhausted,
	"not enough memory for the result of this row and those of the other rows; send fewer rows at once")

// ErrStopping is the error of calls that a stopping server refuses or cuts off.
var ErrStopping = errcode.New(errcode.Unavailable, "the server is stopping; try again")
