package udf

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// KeptCall is a call that lasts longer than a connection: a batch whose caller polls for the reply,
// or a row that was submitted.
type KeptCall struct {
	ID       string
	Hash     string // of the content: another content under the same id is refused
	Function string
	Request  []byte
	Reply    []byte // nil while there is none
	Expires  time.Time
}

// CallStore keeps calls where every replica finds them. Implementations are safe for concurrent
// use.
type CallStore interface {
	// Keep keeps calls that may be there already.
	Keep(ctx context.Context, calls []KeptCall) error
	// Find returns the calls that exist and have not expired.
	Find(ctx context.Context, ids []string) ([]KeptCall, error)
	// Answer adds the reply to a call that has none.
	Answer(ctx context.Context, id string, reply []byte) error
}

// KeepCalls is how long a call is stored: Snowflake asks for 12 hours at best.
const KeepCalls = 12 * time.Hour

// storeTime bounds one access to a call store.
const storeTime = 30 * time.Second

// boundedStore gives each access to a call store its time.
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

// Calls is where replicas share calls, each access bounded in time; nil if each has its own.
func (c *Catalogue) Calls() CallStore { return c.calls }

// KeptID is the id of a [KeptCall], a hash of parts. The name of the caller should be one of them.
func KeptID(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		sum := sha256.Sum256(p)
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}
