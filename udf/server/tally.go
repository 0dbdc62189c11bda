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

// tallyWait is the time limit for waiting for memory that other calls release. It must end, since others may wait for
// the memory of the stream.
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

// rowBytes is the memory of a row without its strings: the places of its arguments and its result in columns, which
// grow by doubling, and the problem of a row that has no value.
func rowBytes(f *udf.Function) int64 {
	n := int64(224 + 40*len(f.Params))
	if f.Result == udf.JSON {
		n += 256
	}
	return n
}

// badBytes is the memory of the error of a row whose arguments cannot be read.
const badBytes = 512

// replyBytes is the maximal length of a reply with the results of a batch as JSON. Escapes of control characters can
// make it longer, but such strings were as long in the request.
func replyBytes(in *udf.Batch, out *udf.Column) int64 {
	n := 256 + 32*int64(in.Rows) + 2*textBytesOf(out)
	for i := range in.Problems {
		n += 160 + 2*int64(len(in.Problems[i].Reason))
	}
	return n
}

// textBytesOf returns the number of bytes of text in a column.
func textBytesOf(c *udf.Column) (n int64) {
	if c.Type != udf.VARCHAR && c.Type != udf.JSON { // what is there is of another batch
		return 0
	}
	for _, text := range c.Texts {
		n += int64(len(text))
	}
	return n
}
