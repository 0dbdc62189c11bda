package udf

import (
	"context"

	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
)

// Caller is the identity of a caller, and the memory that a server grants its call. A call whose context has no
// Caller, such as one in an embedded engine, has no name, and its memory is not counted.
type Caller interface {
	// Name is the name under which the server knows the caller; empty without authentication.
	Name() string
	// Holder reserves memory for the call, until the call ends.
	account.Holder
	// Reserve reserves n bytes within the limits of the caller, but not for the call: they remain reserved until
	// release is called, also after the call has ended.
	Reserve(n int64) (release func(), err error)
	// Read runs f, which may read results that references name, with an [account.Account] that reserves their memory.
	// If memory was short because of other calls, it runs f a second time, alone among such rows ([Aside]).
	Read(ctx context.Context, f func(ctx context.Context))
}

type callerKey struct{}

// WithCaller returns ctx with the caller c. Rows that continue after the call has ended keep c.
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

// reading runs f, which may read results that references name. If the call has a [Caller], their memory is reserved.
func reading(ctx context.Context, f func(ctx context.Context)) {
	if c := CallerFrom(ctx); c != nil {
		c.Read(ctx, f)
		return
	}
	f(ctx)
}

// tallyOf returns a tally of the memory of the call that ctx belongs to, or nil if the call has no [Caller].
func tallyOf(ctx context.Context) *account.Tally {
	if c := CallerFrom(ctx); c != nil {
		return account.NewTally(c, 0)
	}
	return nil
}

// jobBytes is the memory reserved for a row of a function that asks a judge, in addition to its strings.
const jobBytes = 2 << 10

var errNoRoom = errcode.New(errcode.ResourceExhausted,
	"not enough memory for the result of this row and those of the other rows; send fewer rows at once")

// ErrStopping is the error of calls that the server rejects or interrupts because it is stopping.
var ErrStopping = errcode.New(errcode.Unavailable, "the server is stopping; try again")
