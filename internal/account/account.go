// Package account counts the memory that is used to read results for a call as memory of the call.
//
// A server limits the memory of all calls together. Code that reads results for a call gets the account of the call
// from its context, and does not depend on the server.
package account

import "context"

// Account is the memory account of one row of a call.
type Account interface {
	// Limit is the maximum size in bytes of a result that a reference names.
	Limit() int64
	// Hold reserves n further bytes until the row is done. If the memory is not available, the error is
	// ResourceExhausted.
	Hold(ctx context.Context, n int64) error
}

type key struct{}

// With returns a context with the account a for results that are read with it.
func With(ctx context.Context, a Account) context.Context { return context.WithValue(ctx, key{}, a) }

// From returns the account of ctx, or nil.
func From(ctx context.Context) Account {
	a, _ := ctx.Value(key{}).(Account)
	return a
}
