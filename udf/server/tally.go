package server

import (
	"context"
	"errors"
	"time"

	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/udf"
)

// tallyOf returns a tally of the memory of a call whose first room bytes are reserved already. It is nil if s is nil.
func tallyOf(s *share, room int64) *account.Tally {
	if s == nil {
		return nil
	}
	return account.NewTally(s, room)
}

// tallyWait is the time limit for waiting for memory that other calls release. It must end, since others may wait for
// the memory of the stream.
const tallyWait = 5 * time.Second

// waiting reserves memory for a stream; it waits for up to tallyWait if there is none.
type waiting struct {
	*share
	ctx context.Context //nolint:containedctx // of the stream
}

// Hold implements account.Holder.
func (w waiting) Hold(n int64) error {
	for over := time.Now().Add(tallyWait); ; {
		err := w.share.Hold(n)
		if err == nil || !errors.Is(err, errBusy) || time.Now().After(over) {
			return err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-w.ctx.Done():
			return w.ctx.Err()
		}
	}
}

// rowBytes estimates the memory in bytes of a row without its strings: its values in the columns, which grow by
// doubling, and the record of a problem.
func rowBytes(f *udf.Function) int64 {
	n := int64(224 + 40*len(f.Params))
	if f.Result == udf.JSON {
		n += 256
	}
	return n
}

// badBytes is the memory in bytes of the error of a row whose arguments cannot be read.
const badBytes = 512

// replyBytes estimates the maximum length of the JSON reply with the results of a batch. Escapes of control
// characters can exceed it, but such strings were equally long in the request.
func replyBytes(in *udf.Batch, out *udf.Column) int64 {
	n := 256 + 32*int64(in.Rows) + 2*textBytesOf(out)
	for i := range in.Problems {
		n += 160 + 2*int64(len(in.Problems[i].Reason))
	}
	return n
}

// textBytesOf returns the number of bytes of the strings in a column; 0 for other types.
func textBytesOf(c *udf.Column) (n int64) {
	if c.Type != udf.VARCHAR && c.Type != udf.JSON { // what is there is of another batch
		return 0
	}
	for _, text := range c.Texts {
		n += int64(len(text))
	}
	return n
}
