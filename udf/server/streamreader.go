package server

import (
	"context"
	"errors"
	"io"

	"github.com/apache/arrow/go/v17/arrow/flight"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"google.golang.org/protobuf/proto"

	"github.com/badger-eval/badger/internal/errcode"
)

// streamReader receives the messages of one exchange, and checks them before the Arrow library reads them. The
// gate reserves their memory, except that of dictionaries, which the library keeps until the end of the stream.
type streamReader struct {
	ctx        context.Context //nolint:containedctx // lives for one call
	stream     flight.DataStreamReader
	share      *share
	descriptor *flight.FlightDescriptor
	pending    *flight.FlightData
	guard      guard
	kept       map[int64]int64 // reserved bytes of dictionaries, by their ids
	last       int64           // bytes of the last message
	bytes      *int64          // counts the bytes received
	fault      error           // why a message was rejected
}

// open receives the first message and returns the function that it names.
func (in *streamReader) open(s *Server) (handler, error) {
	d, err := in.stream.Recv()
	if err != nil {
		return handler{}, in.received(err)
	}
	if in.descriptor = d.GetFlightDescriptor(); in.descriptor == nil {
		return handler{}, errcode.New(errcode.InvalidArgument, "the first message has no descriptor")
	}
	in.pending = d
	return s.named(in.ctx, in.descriptor)
}

// received converts an error of the stream to the error of the call.
func (in *streamReader) received(err error) error {
	switch {
	case errors.Is(err, io.EOF):
		return errcode.New(errcode.InvalidArgument, "the stream ended before its first message")
	case in.ctx.Err() != nil:
		return in.ctx.Err()
	case errcode.Of(err) != errcode.Unknown:
		return err
	}
	return errcode.New(errcode.Cancelled, "the stream broke: %w", err)
}

// Recv returns the next message with Arrow data.
func (in *streamReader) Recv() (*flight.FlightData, error) {
	for {
		d := in.pending
		in.pending = nil
		if d == nil {
			var err error
			if d, err = in.stream.Recv(); err != nil {
				if !errors.Is(err, io.EOF) {
					in.fault = in.received(err)
				}
				return nil, err
			}
		}
		if again := d.GetFlightDescriptor(); again != nil && again != in.descriptor && !proto.Equal(again, in.descriptor) {
			return nil, in.refuse(errcode.New(errcode.InvalidArgument, "a later message has another descriptor"))
		}
		if len(d.GetDataHeader()) == 0 {
			continue // a descriptor or metadata alone
		}
		dictionary, err := in.guard.check(d.GetDataHeader())
		if err != nil {
			return nil, in.refuse(err)
		}
		n := int64(len(d.GetDataBody()) + len(d.GetDataHeader()))
		if dictionary != nil {
			if err := in.keep(dictionary, n); err != nil {
				return nil, in.refuse(err)
			}
		}
		in.last = n
		*in.bytes += n
		return d, nil
	}
}

// keep reserves n bytes for a dictionary, until the end of the stream or until another one replaces it.
func (in *streamReader) keep(d *dictionary, n int64) error {
	if err := in.share.Hold(n); err != nil {
		return err
	}
	if !d.delta {
		in.share.free(in.kept[d.id])
		in.kept[d.id] = 0
	}
	in.kept[d.id] += n
	return nil
}

func (in *streamReader) refuse(err error) error {
	in.fault = err
	return err
}

// because returns why reading ended: the recorded fault, errTooBig, or else errNotArrow. It does not return the
// library's message, which may quote data.
func (in *streamReader) because(budget *allocator) error {
	switch {
	case in.fault != nil:
		return in.fault
	case budget.exceeded:
		return errTooBig
	}
	return errNotArrow
}

// allocator is Go's allocator with a limit on the bytes allocated between calls of renew. The library allocates sizes
// that the message states, so that a few bytes could request all memory. Above the limit it panics, and the library
// recovers.
type allocator struct {
	memory.GoAllocator
	limit, used int64
	exceeded    bool
}

func (a *allocator) renew() { a.used = 0 }

// Allocate implements memory.Allocator.
func (a *allocator) Allocate(size int) []byte {
	a.use(size)
	return a.GoAllocator.Allocate(size)
}

// Reallocate implements memory.Allocator.
func (a *allocator) Reallocate(size int, b []byte) []byte {
	if size > cap(b) {
		a.use(size)
	}
	return a.GoAllocator.Reallocate(size, b)
}

func (a *allocator) use(size int) {
	if size < 0 || a.used+int64(size) > a.limit {
		a.exceeded = true
		panic(errTooBig)
	}
	a.used += int64(size)
}
