package udf

import (
	"context"
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

// keepCalls is how long a call is kept: Snowflake asks for 12 hours at best.
const keepCalls = 12 * time.Hour
