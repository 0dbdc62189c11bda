package udf

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/flight"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/badger-eval/badger/internal/errcode"
)

// flightServer serves functions the way Databend and RisingWave call them: GetFlightInfo gives a
// function's types, DoExchange takes batches of arguments and returns a batch of results for each,
// in order.
type flightServer struct {
	flight.BaseFlightServer
	s *Server
}

// protocolVersion is that of RisingWave's UDF protocol.
const protocolVersion = 2

// named finds the function that a descriptor names: PATH with one element, or CMD.
func (f *flightServer) named(ctx context.Context, d *flight.FlightDescriptor) (handler, error) {
	switch {
	case len(d.GetPath()) == 1:
		return f.s.catalogue.handlerOf(ctx, d.GetPath()[0])
	case len(d.GetPath()) == 0 && len(d.GetCmd()) > 0:
		return f.s.catalogue.handlerOf(ctx, string(d.GetCmd()))
	}
	return handler{}, errcode.New(errcode.InvalidArgument, "descriptor: expected a path of one element, the function's name")
}

// GetFlightInfo gives the types of a function.
func (f *flightServer) GetFlightInfo(ctx context.Context, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	h, err := f.named(ctx, d)
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

// GetSchema is GetFlightInfo's schema alone.
func (f *flightServer) GetSchema(ctx context.Context, d *flight.FlightDescriptor) (*flight.SchemaResult, error) {
	h, err := f.named(ctx, d)
	if err != nil {
		return nil, grpcError(err, dialectOf(ctx).busy)
	}
	return &flight.SchemaResult{Schema: flight.SerializeSchema(h.info(), memory.DefaultAllocator)}, nil
}

// ListFlights lists every function with every number of arguments.
func (f *flightServer) ListFlights(_ *flight.Criteria, stream flight.FlightService_ListFlightsServer) error {
	d := dialectOf(stream.Context())
	for i := range f.s.catalogue.functions {
		fn := &f.s.catalogue.functions[i]
		for n := fn.Required(); n <= len(fn.Params); n++ {
			name := fn.Name
			if n > fn.Required() {
				name += "/" + formatFloat(float64(n))
			}
			descriptor := &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{name}}
			if err := stream.Send(handler{fn, n, d}.flightInfo(descriptor)); err != nil {
				return err
			}
		}
	}
	return nil
}

// ListActions lists the actions.
func (f *flightServer) ListActions(_ *flight.Empty, stream flight.FlightService_ListActionsServer) error {
	return stream.Send(&flight.ActionType{Type: "protocol_version", Description: "the version of the UDF protocol, one byte"})
}

// DoAction answers protocol_version.
func (f *flightServer) DoAction(a *flight.Action, stream flight.FlightService_DoActionServer) error {
	if a.GetType() != "protocol_version" {
		return status.Errorf(codes.Unimplemented, "unknown action %.40q, expected protocol_version", a.GetType())
	}
	return stream.Send(&flight.Result{Body: []byte{protocolVersion}})
}

// DoExchange calls a function.
func (f *flightServer) DoExchange(stream flight.FlightService_DoExchangeServer) error {
	ctx := stream.Context()
	c, d := callFrom(ctx), dialectOf(ctx)
	c.wire = d.name
	leave, err := f.s.enter()
	if err == nil {
		defer leave()
		err = f.s.cut(f.exchange(ctx, c, stream))
	}
	f.s.finish(ctx, c, err)
	return grpcError(err, d.busy)
}

func (f *flightServer) exchange(ctx context.Context, c *call, stream flight.FlightService_DoExchangeServer) error {
	in := &inlet{ctx: ctx, stream: stream, admission: f.s.admission}
	defer in.free()
	h, err := in.open(f)
	if err != nil {
		return err
	}
	c.wire, c.function = h.dialect.name, h.fn.Name

	// The schema goes out before any batch is read: clients may wait for it.
	schema := arrow.NewSchema([]arrow.Field{h.result()}, nil)
	if err := stream.Send(&flight.FlightData{DataHeader: schemaMessage(schema)}); err != nil {
		return sendError(ctx, err)
	}
	w := flight.NewRecordWriter(&afterSchema{stream: stream}, ipc.WithSchema(schema))
	defer func() { _ = w.Close() }()

	budget := &allocator{limit: int64(f.s.limits.Message)}
	r, err := flight.NewRecordReader(in, ipc.WithAllocator(budget))
	switch {
	case errors.Is(err, io.EOF): // no schema, no batches
		return nil
	case err != nil:
		return in.because(budget)
	}
	defer r.Release()
	one := flightCall{s: f.s, h: h, c: c, schema: schema}
	for budget.renew(); r.Next(); budget.renew() {
		rec, err := one.batch(ctx, r.Record())
		if err != nil {
			return err
		}
		err = w.Write(rec)
		rec.Release()
		if err != nil {
			return sendError(ctx, err)
		}
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
	return errcode.New(errcode.Cancelled, "the reply could not be sent: %w", err)
}

// flightCall is one DoExchange past its beginning, with vectors that its batches share.
type flightCall struct {
	s      *Server
	h      handler
	c      *call
	schema *arrow.Schema
	in     Batch
	out    Column
}

// batch computes the results of one batch of arguments.
func (e *flightCall) batch(ctx context.Context, rec arrow.Record) (arrow.Record, error) {
	rows := rec.NumRows()
	if rows > int64(e.s.limits.Rows) {
		return nil, errcode.New(errcode.ResourceExhausted, "more than %d rows in one batch", e.s.limits.Rows)
	}
	if err := e.h.fn.checkArity(int(rec.NumCols())); err != nil {
		return nil, err
	}
	e.in.reset(e.h.fn, int(rec.NumCols()))
	e.in.Rows = int(rows)
	for k := range e.in.Args {
		if err := readArrow(&e.in, e.h.fn, k, rec.Column(k)); err != nil {
			return nil, err
		}
	}
	e.out.Type = e.h.fn.Result
	e.out.resize(e.in.Rows)
	budget := e.s.budget(traits{name: e.h.dialect.name, budget: e.h.dialect.budget})
	if err := e.s.catalogue.run(ctx, e.h.fn, &e.in, &e.out, budget); err != nil {
		return nil, err
	}
	e.c.rows += e.in.Rows
	e.c.nulls += e.out.countNulls()
	return writeArrow(&e.out, e.schema)
}

// schemaMessage is a schema as the header of a FlightData.
func schemaMessage(schema *arrow.Schema) []byte {
	// A serialised schema is an IPC stream: a marker, the length of the message, the message, and
	// an end.
	stream := flight.SerializeSchema(schema, memory.DefaultAllocator)
	n := int(stream[4]) | int(stream[5])<<8 | int(stream[6])<<16 | int(stream[7])<<24
	return bytes.Clone(stream[8 : 8+n])
}

// afterSchema drops the schema that a record writer begins with: it was sent.
type afterSchema struct {
	stream flight.DataStreamWriter
	begun  bool
}

func (a *afterSchema) Send(d *flight.FlightData) error {
	if !a.begun {
		a.begun = true
		return nil
	}
	return a.stream.Send(d)
}
