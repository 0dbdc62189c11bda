package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/flight"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf"
)

// flightServer serves functions to Databend and RisingWave over Arrow Flight. GetFlightInfo returns a function's
// types. DoExchange receives batches of arguments and returns a batch of results for each, in order.
type flightServer struct {
	flight.BaseFlightServer
	s *Server
}

// protocolVersion is the version of RisingWave's UDF protocol.
const protocolVersion = 2

// named returns the function that a descriptor names, by a PATH of one element or by CMD.
func (s *Server) named(ctx context.Context, d *flight.FlightDescriptor) (handler, error) {
	switch {
	case len(d.GetPath()) == 1:
		return s.handlerOf(ctx, d.GetPath()[0])
	case len(d.GetPath()) == 0 && len(d.GetCmd()) > 0:
		return s.handlerOf(ctx, string(d.GetCmd()))
	}
	return handler{}, errcode.New(errcode.InvalidArgument,
		"descriptor: expected a path of one element, the function's name")
}

// GetFlightInfo returns the types of a function.
func (f *flightServer) GetFlightInfo(ctx context.Context, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	h, err := f.s.named(ctx, d)
	if err != nil {
		return nil, grpcError(err, dialectOf(ctx).busy)
	}
	return h.flightInfo(d), nil
}

func (h handler) flightInfo(d *flight.FlightDescriptor) *flight.FlightInfo {
	return &flight.FlightInfo{
		Schema: flight.SerializeSchema(h.info(), memory.DefaultAllocator), FlightDescriptor: d,
		TotalRecords: int64(h.arity), TotalBytes: -1, // the number of inputs, by RisingWave's convention
	}
}

// GetSchema returns the schema that GetFlightInfo returns.
func (f *flightServer) GetSchema(ctx context.Context, d *flight.FlightDescriptor) (*flight.SchemaResult, error) {
	h, err := f.s.named(ctx, d)
	if err != nil {
		return nil, grpcError(err, dialectOf(ctx).busy)
	}
	return &flight.SchemaResult{Schema: flight.SerializeSchema(h.info(), memory.DefaultAllocator)}, nil
}

// ListFlights lists every function, once for each number of arguments that it accepts.
func (f *flightServer) ListFlights(_ *flight.Criteria, stream flight.FlightService_ListFlightsServer) error {
	d := dialectOf(stream.Context())
	functions := f.s.catalogue.Functions()
	for i := range functions {
		fn := &functions[i]
		for n := fn.Required(); n <= len(fn.Params); n++ {
			name := fn.Name
			if n > fn.Required() {
				name += "/" + strconv.Itoa(n)
			}
			descriptor := &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{name}}
			if err := stream.Send(handler{fn, n, d}.flightInfo(descriptor)); err != nil {
				return err
			}
		}
	}
	return nil
}

// ListActions lists the only action, protocol_version.
func (f *flightServer) ListActions(_ *flight.Empty, stream flight.FlightService_ListActionsServer) error {
	return stream.Send(
		&flight.ActionType{Type: "protocol_version", Description: "the version of the UDF protocol, one byte"})
}

// DoAction handles the action protocol_version.
func (f *flightServer) DoAction(a *flight.Action, stream flight.FlightService_DoActionServer) error {
	if a.GetType() != "protocol_version" {
		return status.Errorf(codes.Unimplemented, "unknown action %.40q, expected protocol_version", a.GetType())
	}
	return stream.Send(&flight.Result{Body: []byte{protocolVersion}})
}

// DoExchange calls a function. The call has a slot only while a batch is computed, not while it waits for the next
// one.
func (f *flightServer) DoExchange(stream flight.FlightService_DoExchangeServer) error {
	ctx := stream.Context()
	c, d := callFrom(ctx), dialectOf(ctx)
	c.wire, c.streamed = d.wire, true
	f.s.active.Add(1)
	defer f.s.active.Add(-1)
	err := fewerRows(c.wire, f.s.cut(f.s.exchangeArrow(ctx, c, grpcStream{stream}, shareFrom(ctx))))
	f.s.finish(ctx, c, err)
	return grpcError(err, d.busy)
}

// fewerRows adds to the error of a call that is too large how its caller sends fewer rows in a call. Databend retries
// on every error, so that its users read the last one.
func fewerRows(wire string, err error) error {
	if wire != databend.wire || errcode.Of(err) != errcode.ResourceExhausted || errors.Is(err, errBusy) {
		return err
	}
	return errcode.New(errcode.ResourceExhausted, "%w: SET external_server_request_batch_rows in Databend", err)
}

// exchangeStream carries the messages of one call in both directions.
type exchangeStream interface {
	flight.DataStreamReader
	// sendData sends a message and returns when it is written, because the parts of its body may be reused.
	sendData(header []byte, body [][]byte) error
}

// grpcStream is an exchangeStream of a Flight client.
type grpcStream struct {
	flight.FlightService_DoExchangeServer
}

func (s grpcStream) sendData(header []byte, body [][]byte) error {
	return s.SendMsg(flightMessage(header, body))
}

// exchangeArrow receives batches of arguments of one function, and sends a batch of results for each.
func (s *Server) exchangeArrow(ctx context.Context, c *call, stream exchangeStream, held *share) error {
	in := &streamReader{ctx: ctx, stream: stream, share: held, kept: map[int64]int64{}, bytes: &c.in}
	h, err := in.open(s)
	if err != nil {
		return err
	}
	c.wire, c.function = h.dialect.wire, h.fn.Name

	// The schema goes out before any batch is read: clients may wait for it.
	schema := arrow.NewSchema([]arrow.Field{h.result()}, nil)
	out := &outlet{stream: stream, bytes: &c.out}
	if err := out.send(schemaMessage(schema), nil); err != nil {
		return sendError(ctx, err)
	}
	w := ipc.NewWriterWithPayloadWriter(out, ipc.WithSchema(schema))
	defer func() { _ = w.Close() }()

	budget := &allocator{limit: int64(s.limits.Message)}
	r, err := flight.NewRecordReader(in, ipc.WithAllocator(budget))
	switch {
	case errors.Is(err, io.EOF): // no schema, no batches
		return nil
	case err != nil:
		return in.because(budget)
	}
	defer r.Release()
	one := flightCall{s: s, h: h, c: c, schema: schema, share: held, arg: in}
	for budget.renew(); r.Next(); budget.renew() {
		before := held.holds()
		rec, err := one.placed(ctx, r.Record())
		if err != nil {
			return err
		}
		err = w.Write(rec)
		rec.Release()
		if err != nil {
			return sendError(ctx, err)
		}
		held.free(held.holds() - before) // what the batch took next to its message
	}
	if err := r.Err(); err != nil {
		return in.because(budget)
	}
	return nil
}

func sendError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errcode.Of(err) == errcode.DeadlineExceeded {
		return err
	}
	return errcode.New(errcode.Cancelled, "the reply could not be sent: %w", err)
}

// flightCall is one DoExchange call after its first message, with the columns that its batches reuse.
type flightCall struct {
	s      *Server
	h      handler
	c      *call
	schema *arrow.Schema
	share  *share
	arg    *streamReader
	later  bool // a batch was computed: later ones wait for a slot instead of failing
	in     udf.Batch
	out    udf.Column
}

// placed acquires a slot and computes a batch.
func (e *flightCall) placed(ctx context.Context, rec arrow.Record) (arrow.Record, error) {
	take := e.share.await
	if !e.later {
		take = func(context.Context) error { return e.share.enter() }
	}
	if err := take(ctx); err != nil {
		return nil, err
	}
	defer e.share.leave()
	return e.batch(ctx, rec)
}

// batch computes the results of one batch of arguments.
func (e *flightCall) batch(ctx context.Context, rec arrow.Record) (arrow.Record, error) {
	rows := rec.NumRows()
	if rows > int64(e.s.limits.Rows) {
		return nil, errcode.New(errcode.ResourceExhausted, "more than %d rows in one batch (limits.batch_rows)", e.s.limits.Rows)
	}
	if err := e.h.fn.CheckArity(int(rec.NumCols())); err != nil {
		return nil, err
	}
	if err := e.share.rows(ctx, int(rows), e.later); err != nil {
		return nil, err
	}
	e.later = true
	counted := account.NewTally(waiting{e.share, ctx}, e.arg.last) // the gate has as much again as the message takes
	if err := counted.Add(rows * rowBytes(e.h.fn)); err != nil {
		return nil, err
	}
	begun := e.s.now()
	e.in.Reset(e.h.fn, int(rec.NumCols()))
	e.in.Rows = int(rows)
	for k := range e.in.Args {
		if err := readArrow(&e.in, e.h.fn, k, rec.Column(k), counted); err != nil {
			return nil, err
		}
	}
	e.out.Type = e.h.fn.Result
	e.out.Resize(e.in.Rows)
	deadline := e.s.deadline(traits{name: e.h.dialect.wire, budget: e.h.dialect.budget})
	if err := e.s.catalogue.Run(ctx, e.h.fn, &e.in, &e.out, deadline); err != nil {
		return nil, err
	}
	e.c.late += e.in.Late
	e.c.rows += e.in.Rows
	e.c.nulls += e.out.CountNulls()
	if e.s.hooks.Served != nil {
		e.s.hooks.Served(e.c.wire, e.s.known(e.c.function), e.s.now().Sub(begun))
	}
	if err := counted.Add(textBytesOf(&e.out)); err != nil {
		return nil, err
	}
	return writeArrow(&e.out, e.schema)
}

// schemaMessage returns a schema as the data header of a FlightData message.
func schemaMessage(schema *arrow.Schema) []byte {
	// A serialised schema is an IPC stream: a marker, the length of the message, the message, and
	// an end.
	stream := flight.SerializeSchema(schema, memory.DefaultAllocator)
	n := int(stream[4]) | int(stream[5])<<8 | int(stream[6])<<16 | int(stream[7])<<24
	return bytes.Clone(stream[8 : 8+n])
}

// outlet sends the messages of one exchange. It skips the first payload of a writer, the schema, which was sent
// before.
type outlet struct {
	stream exchangeStream
	bytes  *int64 // sent so far
	begun  bool
	body   [][]byte
}

// Start implements ipc.PayloadWriter.
func (o *outlet) Start() error { return nil }

// Close implements ipc.PayloadWriter.
func (o *outlet) Close() error { return nil }

// WritePayload implements ipc.PayloadWriter. It sends the payload's buffers without a copy.
func (o *outlet) WritePayload(p ipc.Payload) error {
	if !o.begun {
		o.begun = true
		return nil
	}
	o.body = o.body[:0]
	if err := p.SerializeBody(o); err != nil {
		return err
	}
	meta := p.Meta()
	defer meta.Release()
	return o.send(meta.Bytes(), o.body)
}

// Write adds a part to a payload's body. The part must remain valid until it is sent.
func (o *outlet) Write(part []byte) (int, error) {
	if len(part) > 0 {
		o.body = append(o.body, part)
	}
	return len(part), nil
}

// send sends a message and returns when it is written.
func (o *outlet) send(header []byte, body [][]byte) error {
	*o.bytes += int64(len(header))
	for _, b := range body {
		*o.bytes += int64(len(b))
	}
	return o.stream.sendData(header, body)
}
