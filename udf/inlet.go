package udf

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/apache/arrow/go/v17/arrow/flight"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"google.golang.org/protobuf/proto"

	"github.com/badger-eval/badger/internal/errcode"
)

// inlet is where the messages of one DoExchange come in: it finds the function that they name,
// checks them before the Arrow library reads them, and accounts for their memory.
type inlet struct {
	ctx        context.Context //nolint:containedctx // lives for one call
	stream     flight.DataStreamReader
	share      *share
	patience   time.Duration   // for the next message
	stopping   context.Context //nolint:containedctx // the server's
	want       chan struct{}   // asks the reading goroutine for a message
	came       chan arrival
	closed     chan struct{}
	descriptor *flight.FlightDescriptor
	pending    *flight.FlightData
	guard      guard
	held       int64
	bytes      *int64 // read so far
	fault      error  // why a message was refused
}

// arrival is a message, or the end of the stream.
type arrival struct {
	d   *flight.FlightData
	err error
}

func newInlet(ctx context.Context, s *Server, stream flight.DataStreamReader, held *share) *inlet {
	in := &inlet{
		ctx: ctx, stream: stream, share: held, patience: s.limits.ReadTime, stopping: s.stopping,
		want: make(chan struct{}), came: make(chan arrival), closed: make(chan struct{}),
	}
	go in.read()
	return in
}

// read reads messages when they are asked for. It is a goroutine of its own, because nothing but
// the end of the call ends a wait for a message of a gRPC stream.
func (in *inlet) read() {
	for {
		select {
		case <-in.want:
		case <-in.closed:
			return
		}
		d, err := in.stream.Recv()
		select {
		case in.came <- arrival{d, err}:
		case <-in.closed:
			return
		}
		if err != nil {
			return
		}
	}
}

func (in *inlet) close() {
	close(in.closed)
	in.free()
}

// stoppingPatience is how long a stopping server waits for the next message of a stream: one that
// is being sent still comes.
const stoppingPatience = time.Second

// next waits for the next message, but not for ever.
func (in *inlet) next() (*flight.FlightData, error) {
	idle := time.NewTimer(in.patience)
	defer idle.Stop()
	select {
	case in.want <- struct{}{}:
	case <-in.ctx.Done():
		return nil, in.ctx.Err()
	}
	stopping := in.stopping.Done()
	for {
		select {
		case a := <-in.came:
			return a.d, a.err
		case <-in.ctx.Done():
			return nil, in.ctx.Err()
		case <-stopping:
			stopping = nil
			idle.Reset(min(in.patience, stoppingPatience))
		case <-idle.C:
			if in.stopping.Err() != nil {
				return nil, errStopping
			}
			return nil, errcode.New(errcode.DeadlineExceeded, "no message came on the stream for %v", in.patience)
		}
	}
}

// open reads the first message, which names the function.
func (in *inlet) open(f *flightServer) (handler, error) {
	d, err := in.next()
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
			if d, err = in.next(); err != nil {
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
		if err := in.guard.check(d.GetDataHeader()); err != nil {
			return nil, in.refuse(err)
		}
		in.free()
		n := int64(len(d.GetDataBody()) + len(d.GetDataHeader()))
		if err := in.share.wait(in.ctx, n); err != nil {
			return nil, in.refuse(err)
		}
		in.held = n
		*in.bytes += n
		return d, nil
	}
}

func (in *inlet) refuse(err error) error {
	in.fault = err
	return err
}

// free gives back the memory of the message before.
func (in *inlet) free() {
	in.share.free(in.held)
	in.held = 0
}

// because is why reading ended: the fault found here, or else bytes that the Arrow library cannot
// read. What the library says of them may quote them.
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
