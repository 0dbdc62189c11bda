package server

import (
	"context"
	"time"

	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/udf"
)

// tallyOf counts the memory of a call. The first room bytes are reserved already. It is nil without a call.
func tallyOf(s *share, room int64) *account.Tally {
	if s == nil {
		return nil
	}
	return account.NewTally(s, room)
}

// tallyWait is how long a stream waits for others to give memory back. It has some itself, for which
// others may wait.
const tallyWait = 5 * time.Second

// waiting is the memory of a stream, which can be made to wait for it.
type waiting struct {
	*share
	ctx context.Context //nolint:containedctx // of the stream
}

// Hold is account.Holder's.
func (w waiting) Hold(n int64) error {
	for over := time.Now().Add(tallyWait); ; {
		err := w.share.Hold(n)
		if err == nil || time.Now().After(over) {
			return err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-w.ctx.Done():
			return w.ctx.Err()
		}
	}
}

// rowBytes is what a row takes next to its texts: the places of its arguments and its result, which
// grow by doubling, and what is said of a row that has no value.
func rowBytes(f *udf.Function) int64 {
	n := int64(224 + 40*len(f.Params))
	if f.Result == udf.JSON {
		n += 256
	}
	return n
}

// badBytes is what is known of a row whose arguments cannot be read.
const badBytes = 512

// replyBytes is how long a reply can be that holds the results of a batch as JSON, but for texts
// that are full of control characters, which arrive as long as they leave.
func replyBytes(in *udf.Batch, out *udf.Column) int64 {
	n := 256 + 32*int64(in.Rows) + 2*textBytesOf(out)
	for i := range in.Problems {
		n += 160 + 2*int64(len(in.Problems[i].Reason))
	}
	return n
}

// textBytesOf is how many bytes of text a column has.
func textBytesOf(c *udf.Column) (n int64) {
	if c.Type != udf.VARCHAR && c.Type != udf.JSON { // what is there is of another batch
		return 0
	}
	for _, text := range c.Texts {
		n += int64(len(text))
	}
	return n
}
