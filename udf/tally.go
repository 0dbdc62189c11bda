package udf

import (
	"context"
	"sync"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
)

// tally reserves memory for one call in steps, so that it is cheap to count every row. A nil tally
// counts nothing.
type tally struct {
	share *share
	wait  context.Context //nolint:containedctx // of a stream, which can be made to wait; may be nil

	mu         sync.Mutex
	used, held int64
}

// tallyStep is how many bytes are reserved at once.
const tallyStep = 4 << 10

// tallyOf counts for a call, which has room for so many bytes already.
func tallyOf(s *share, room int64) *tally {
	if s == nil {
		return nil
	}
	return &tally{share: s, held: room}
}

// add counts n bytes, which the call holds until it ends.
func (t *tally) add(n int64) error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if over := t.used + n - t.held; over > 0 {
		step := (over + tallyStep - 1) / tallyStep * tallyStep
		if err := t.hold(step); err != nil {
			return err
		}
		t.held += step
	}
	t.used += n
	return nil
}

// tallyWait is how long a stream waits for others to give memory back. It has some itself, for which
// others may wait.
const tallyWait = 5 * time.Second

func (t *tally) hold(n int64) error {
	for over := time.Now().Add(tallyWait); ; {
		err := t.share.hold(n)
		if err == nil || t.wait == nil || time.Now().After(over) {
			return err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-t.wait.Done():
			return t.wait.Err()
		}
	}
}

// rowBytes is what a row takes next to its texts: the places of its arguments and its result, which
// grow by doubling, and what is said of a row that has no value.
func (f *Function) rowBytes() int64 {
	n := int64(224 + 40*len(f.Params))
	if f.Result == JSON {
		n += 256
	}
	return n
}

// badBytes is what is known of a row whose arguments cannot be read.
const badBytes = 512

// jobBytes is what a row takes that asks a judge.
const jobBytes = 2 << 10

// replyBytes is how long a reply can be that holds the results of a batch as JSON, but for texts
// that are full of control characters, which arrive as long as they leave.
func replyBytes(in *Batch, out *Column) int64 {
	n := 256 + 32*int64(in.Rows) + 2*textBytesOf(out)
	for i := range in.Problems {
		n += 160 + 2*int64(len(in.Problems[i].Reason))
	}
	return n
}

// textBytesOf is how many bytes of text a column has.
func textBytesOf(c *Column) (n int64) {
	if c.Type != VARCHAR && c.Type != JSON { // what is there is of another batch
		return 0
	}
	for _, text := range c.Texts {
		n += int64(len(text))
	}
	return n
}

var errNoRoom = errcode.New(errcode.ResourceExhausted, "no memory for the result of this row beside those of the others; send fewer rows at once")
