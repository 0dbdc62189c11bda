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

// inlet is where the messages of one DoExchange come in: it finds the function that they name, and
// checks them before the Arrow library reads them. Their memory is that of the gate, but for
// dictionaries, which the library keeps.
type inlet struct {
	ctx        context.Context //nolint:containedctx // lives for one call
	stream     flight.DataStreamReader
	share      *share
	descriptor *flight.FlightDescriptor
	pending    *flight.FlightData
	guard      guard
	kept       map[int64]int64 // bytes of dictionaries by their ids
	last       int64           // bytes of the last message
	bytes      *int64          // read so far
	fault      error           // why a message was refused
}

// open reads the first message, which names the function.
func (in *inlet) open(f *flightServer) (handler, error) {
	d, err := in.stream.Recv()
	if err != nil {
		return handler{}, in.received(err)
	}
	if in.descriptor = d.GetFlightDescriptor(); in.descriptor == nil {
		return handler{}, errcode.New(errcode.InvalidArgument, "the first message has no descriptor")
	}
	in.pending = d
	return f.named(in.ctx, in.descriptor)
}

// received is an error of the stream.
func (in *inlet) received(err error) error {
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

// Recv is the next message that carries Arrow data.
func (in *inlet) Recv() (*flight.FlightData, error) {
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

// keep reserves memory for a dictionary, which stays until the end of the stream or until another
// one replaces it.
func (in *inlet) keep(d *dictionary, n int64) error {
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

func (in *inlet) refuse(err error) error {
	in.fault = err
	return err
}

// because returns why reading ended: the fault found here, or else bytes that the Arrow library cannot read. The
// library's message may quote them.
func (in *inlet) because(budget *allocator) error {
	switch {
	case in.fault != nil:
		return in.fault
	case budget.exceeded:
		return errTooBig
	}
	return errNotArrow
}

// allocator is Go's memory up to a limit between renewals. The library takes sizes from the
// message, so that a few bytes can ask for all there is; it recovers from the panic.
type allocator struct {
	memory.GoAllocator
	limit, used int64
	exceeded    bool
}

func (a *allocator) renew() { a.used = 0 }

// Allocate is memory.Allocator's.
func (a *allocator) Allocate(size int) []byte {
	a.use(size)
	return a.GoAllocator.Allocate(size)
}

// Reallocate is memory.Allocator's.
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
