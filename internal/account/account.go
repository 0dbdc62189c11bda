// Package account lets what reads for a call count its memory with the call's.
//
// A server bounds the memory of all calls together. Readers of references are far from it: they get
// the account through their context and know nothing else of the server.
package account

import "context"

// Account is the memory account of one row of a call.
type Account interface {
	// Limit is the maximum size in bytes of a result that a reference names.
	Limit() int64
	// Hold reserves n further bytes until the row is done. The error is ResourceExhausted if there
	// is no room.
	Hold(ctx context.Context, n int64) error
}

type key struct{}

// With is ctx with an account for what is read under it.
func With(ctx context.Context, a Account) context.Context { return context.WithValue(ctx, key{}, a) }

// From is the account of ctx, or nil.
func From(ctx context.Context) Account {
	a, _ := ctx.Value(key{}).(Account)
	return a
}
