package callers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/flight"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// Databend simulates the calls that Databend makes to a UDF server. Each block is one DoExchange, with the descriptor
// on its first message only. It retries every failure except a timeout and a cancellation, up to eight times.
type Databend struct {
	Client  flight.Client
	Handler string
	Headers map[string]string // headers in the DDL, such as a token
	Query   string            // query ID
	Args    []arrow.Field     // as the DDL declares them: type, nullable, metadata
	Result  arrow.Field
	Retries int // external_server_request_retry_times; 0: 8
}

func (d *Databend) context(ctx context.Context) context.Context {
	query := d.Query
	if query == "" {
		query = "0195-0000-0001"
	}
	ctx = metadata.AppendToOutgoingContext(ctx, "x-databend-tenant", "t1", "x-databend-query-id", query,
		"x-databend-function", d.Handler, "x-databend-function-handler", d.Handler)
	for k, v := range d.Headers {
		ctx = metadata.AppendToOutgoingContext(ctx, k, v)
	}
	return ctx
}

// Create simulates CREATE FUNCTION: it returns an error if the declared types or their nullability differ from the
// server's.
func (d *Databend) Create(ctx context.Context) error {
	info, err := d.Client.GetFlightInfo(d.context(ctx), path(d.Handler))
	if err != nil {
		return refused(err, 1)
	}
	schema, err := flight.DeserializeSchema(info.GetSchema(), memory.DefaultAllocator)
	if err != nil {
		return violation("the schema of %s: %v", d.Handler, err)
	}
	return compareFields(schema, d.Args, d.Result, sameDatabend)
}

// compareFields returns an error if the server's schema differs, by same, from the declared arguments and result.
func compareFields(schema *arrow.Schema, args []arrow.Field, result arrow.Field,
	same func(a, b arrow.Field) bool) error {
	declared := append(append([]arrow.Field{}, args...), result)
	if schema.NumFields() != len(declared) {
		return violation("%d fields, the DDL has %d arguments and a result", schema.NumFields(), len(args))
	}
	for i, want := range declared {
		if got := schema.Field(i); !same(got, want) {
			return violation("field %d is %v, the DDL says %v", i, got, want)
		}
	}
	return nil
}

// sameDatabend reports whether Databend regards two types as equal. All text layouts are equal, VARIANT is identified
// by its metadata, and nullability matters.
func sameDatabend(a, b arrow.Field) bool {
	kind := func(f arrow.Field) string {
		if v, ok := f.Metadata.GetValue("Extension"); ok {
			return v
		}
		switch f.Type.ID() {
		case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
			return "text"
		}
		return f.Type.String()
	}
	return kind(a) == kind(b) && a.Nullable == b.Nullable
}

// Call sends one block, as one or several records, with retries, and checks the reply.
func (d *Databend) Call(ctx context.Context, slices ...arrow.Record) (*Call, error) {
	c := &Call{}
	retries := d.Retries
	if retries == 0 {
		retries = 8
	}
	for attempt := 0; ; attempt++ {
		once, cancel := context.WithTimeout(ctx, 180*time.Second)
		schema, results, err := exchange(d.context(once), d.Client, d.Handler, false, slices)
		cancel()
		c.Attempts = append(c.Attempts, Attempt{"DoExchange", int(status.Code(err))})
		if err == nil {
			c.Results = results
			if schema.NumFields() != 1 || !sameDatabend(schema.Field(0), d.Result) {
				return c, violation("the result is %v, declared is %v", schema, d.Result)
			}
			return c, countRows(results, slices)
		}
		if isViolation(err) {
			return c, err
		}
		if code := status.Code(err); attempt >= retries || code == codes.DeadlineExceeded || code == codes.Canceled {
			return c, refused(err, attempt+1)
		}
		if err := c.wait(ctx, backoff(attempt, 50*time.Millisecond, 30*time.Second)); err != nil {
			return c, err
		}
	}
}

// RisingWave simulates the calls of an external function of RisingWave. The descriptor is on every message, and fields
// have no names. A call has five seconds. It retries on UNAVAILABLE, up to five attempts.
type RisingWave struct {
	Client      flight.Client
	Name        string
	Args        []arrow.Field // as the DDL declares them: types and metadata
	Result      arrow.Field
	AlwaysRetry bool // always_retry_on_network_error: retries every status without limit
}

// RisingWaveTimeout is the time limit of a call.
const RisingWaveTimeout = 5 * time.Second

// Create simulates CREATE FUNCTION: it checks the protocol version and compares the declared types with the server's.
func (r *RisingWave) Create(ctx context.Context) error {
	action, err := r.Client.DoAction(ctx, &flight.Action{Type: "protocol_version"})
	if err != nil {
		return refused(err, 1)
	}
	version, err := action.Recv()
	if err != nil || len(version.GetBody()) != 1 || version.GetBody()[0] != 2 {
		return violation("protocol_version is %v, %v", version.GetBody(), err)
	}
	if _, err := action.Recv(); !errors.Is(err, io.EOF) {
		return violation("protocol_version has a second result")
	}
	info, err := r.Client.GetFlightInfo(ctx, path(r.Name))
	if err != nil {
		return refused(err, 1)
	}
	if !proto.Equal(info.GetFlightDescriptor(), path(r.Name)) {
		return violation("the descriptor is not echoed")
	}
	if info.GetTotalRecords() != int64(len(r.Args)) {
		return violation("total_records is %d, the function has %d arguments", info.GetTotalRecords(), len(r.Args))
	}
	schema, err := flight.DeserializeSchema(info.GetSchema(), memory.DefaultAllocator)
	if err != nil {
		return violation("the schema of %s: %v", r.Name, err)
	}
	return compareFields(schema, r.Args, r.Result, sameRisingWave)
}

// sameRisingWave reports whether RisingWave regards two types as equal: names and nullability do not matter, and the
// names of extension types do.
func sameRisingWave(a, b arrow.Field) bool {
	name := func(f arrow.Field) string { v, _ := f.Metadata.GetValue("ARROW:extension:name"); return v }
	return arrow.TypeEqual(a.Type, b.Type) && name(a) == name(b)
}

// Call sends one chunk of rows, with retries, and checks the reply.
func (r *RisingWave) Call(ctx context.Context, rec arrow.Record) (*Call, error) {
	c := &Call{}
	for attempt := 0; ; attempt++ {
		once, cancel := context.WithTimeout(ctx, RisingWaveTimeout)
		schema, results, err := exchange(once, r.Client, r.Name, true, []arrow.Record{rec})
		cancel()
		c.Attempts = append(c.Attempts, Attempt{"DoExchange", int(status.Code(err))})
		if err == nil {
			c.Results = results
			if schema.NumFields() != 1 {
				return c, violation("%d columns: a second one is an error of every row", schema.NumFields())
			}
			if !sameRisingWave(schema.Field(0), r.Result) {
				return c, violation("the result is %v, declared is %v", schema.Field(0), r.Result)
			}
			return c, countRows(results, []arrow.Record{rec})
		}
		if isViolation(err) {
			return c, err
		}
		if !r.AlwaysRetry && (status.Code(err) != codes.Unavailable || attempt == 4) {
			return c, refused(err, attempt+1)
		}
		if err := c.wait(ctx, backoff(attempt, 100*time.Millisecond, time.Minute)); err != nil {
			return c, err
		}
	}
}

func path(name string) *flight.FlightDescriptor {
	return &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{name}}
}

func refused(err error, attempts int) error {
	return &Refused{int(status.Code(err)), status.Convert(err).Message(), attempts}
}

func countRows(results []json.RawMessage, in []arrow.Record) error {
	rows := 0
	for _, r := range in {
		rows += int(r.NumRows())
	}
	if len(results) != rows {
		return violation("%d rows for %d", len(results), rows)
	}
	return nil
}

// exchange makes one DoExchange call with recs, and returns the schema of the result and its first column as JSON. If
// every is set, each message has the descriptor.
func exchange(ctx context.Context, client flight.Client, name string, every bool,
	recs []arrow.Record) (*arrow.Schema, []json.RawMessage, error) {
	stream, err := client.DoExchange(ctx)
	if err != nil {
		return nil, nil, err
	}
	out := &described{stream: stream, descriptor: path(name), every: every}
	w := flight.NewRecordWriter(out, ipc.WithSchema(recs[0].Schema()))
	for _, rec := range recs {
		if err := w.Write(rec); err != nil {
			break // the reason is with the reply
		}
	}
	_ = w.Close()
	_ = stream.CloseSend()
	r, err := flight.NewRecordReader(stream)
	if err != nil {
		return nil, nil, err
	}
	defer r.Release()
	results := []json.RawMessage{}
	for r.Next() {
		rec := r.Record()
		if !rec.Schema().Equal(r.Schema()) {
			return nil, nil, violation("a batch of another schema")
		}
		for i := range int(rec.NumRows()) {
			results = append(results, cell(rec.Column(0), i))
		}
	}
	if err := r.Err(); err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	return r.Schema(), results, nil
}

// described writes messages with the descriptor on the first one, or on all if every is set.
type described struct {
	stream     flight.DataStreamWriter
	descriptor *flight.FlightDescriptor
	every      bool
	begun      bool
}

func (d *described) Send(m *flight.FlightData) error {
	m.FlightDescriptor = nil
	if !d.begun || d.every {
		m.FlightDescriptor = d.descriptor
	}
	d.begun = true
	return d.stream.Send(m)
}

// cell returns value i of a column as JSON. A text that contains JSON becomes a JSON string.
func cell(arr arrow.Array, i int) json.RawMessage {
	if arr.IsNull(i) {
		return json.RawMessage("null")
	}
	var v any
	switch a := arr.(type) {
	case *array.String:
		v = a.Value(i)
	case *array.LargeString:
		v = a.Value(i)
	case *array.LargeBinary:
		v = string(a.Value(i))
	case *array.Float64:
		v = a.Value(i)
	case *array.Int64:
		v = a.Value(i)
	case *array.Boolean:
		v = a.Value(i)
	default:
		v = fmt.Sprintf("a column of %v", arr.DataType())
	}
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage(`"` + err.Error() + `"`)
	}
	return b
}
