package udf

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// KeptCall is a stored call that lasts longer than a connection: a batch whose caller polls for the reply, or a row
// that a _submit function started.
type KeptCall struct {
	ID       string
	Hash     string // of the content; a call with the same ID and another hash is an error
	Function string
	Request  []byte
	Reply    []byte // nil until the call has a reply
	Expires  time.Time
}

// CallStore stores calls where all replicas of the server find them. Implementations are safe for concurrent use.
type CallStore interface {
	// Keep stores calls. Some of them may be stored already.
	Keep(ctx context.Context, calls []KeptCall) error
	// Find returns the calls that exist and have not expired.
	Find(ctx context.Context, ids []string) ([]KeptCall, error)
	// Answer adds the reply to a stored call that has no reply yet.
	Answer(ctx context.Context, id string, reply []byte) error
}

// KeepCalls is how long a call is stored. Snowflake may ask for a reply for up to 12 hours.
const KeepCalls = 12 * time.Hour

// storeTime is the time limit for one access to a call store.
const storeTime = 30 * time.Second

// boundedStore limits each access to a call store to storeTime.
type boundedStore struct{ CallStore }

func (s boundedStore) Keep(ctx context.Context, calls []KeptCall) error {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	return s.CallStore.Keep(ctx, calls)
}

func (s boundedStore) Find(ctx context.Context, ids []string) ([]KeptCall, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	return s.CallStore.Find(ctx, ids)
}

func (s boundedStore) Answer(ctx context.Context, id string, reply []byte) error {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	return s.CallStore.Answer(ctx, id, reply)
}

// Calls returns the store that replicas share, each access limited in time, or nil if each replica has only its own
// calls.
func (c *Catalogue) Calls() CallStore { return c.calls }

// KeptID returns the id of a [KeptCall], a hash of parts. One part should be the caller's name, so that callers
// cannot read each other's calls.
func KeptID(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		sum := sha256.Sum256(p)
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}
