package server

import (
	"github.com/apache/arrow/go/v17/arrow/flight"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	pb "google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/badger-eval/badger/internal/errcode"
)

// rawMessage is an encoded message as received.
type rawMessage []byte

// pieces is an encoded message to send, in parts that are not copied into one.
type pieces [][]byte

// codec encodes protocol buffers, and passes rawMessage and pieces through, because a message of 60 MB should not be
// in memory three times.
type codec struct{ encoding.CodecV2 }

func newCodec() codec { return codec{encoding.GetCodecV2(proto.Name)} }

func (c codec) Marshal(v any) (mem.BufferSlice, error) {
	p, ok := v.(pieces)
	if !ok {
		return c.CodecV2.Marshal(v)
	}
	out := make(mem.BufferSlice, len(p))
	for i := range p {
		out[i] = mem.SliceBuffer(p[i])
	}
	return out, nil
}

func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	if raw, ok := v.(*rawMessage); ok {
		*raw = data.Materialize()
		return nil
	}
	return c.CodecV2.Unmarshal(data, v)
}

var errNotProto = errcode.New(errcode.InvalidArgument, "the message is not in the form of a protocol buffer")

// decode decodes a message. A FlightData shares the bytes of raw. For other messages it reserves the memory of the
// decoded message first.
func (g *gate) decode(raw rawMessage, m any) error {
	if d, ok := m.(*flight.FlightData); ok {
		return readFlightData(raw, d)
	}
	msg, ok := m.(pb.Message)
	if !ok {
		return errcode.New(errcode.Internal, "a message of type %T", m)
	}
	size, err := sizeOf(raw, msg.ProtoReflect().Descriptor(), 0)
	if err != nil {
		return err
	}
	if more := size - int64(len(raw)); more > 0 {
		if err := g.reserve(more, g.share.Hold); err != nil {
			return err
		}
	}
	if pb.Unmarshal(raw, msg) != nil {
		return errNotProto
	}
	return nil
}

// The numbers of FlightData's fields.
const (
	flightDescriptor = 1
	flightHeader     = 2
	flightMetadata   = 3
	flightBody       = 1000
)

// readFlightData decodes a FlightData, whose fields share the bytes of raw.
func readFlightData(raw []byte, d *flight.FlightData) error {
	return fields(raw, func(n protowire.Number, value []byte) error {
		switch n {
		case flightDescriptor:
			d.FlightDescriptor = &flight.FlightDescriptor{}
			if len(value) > maxDescriptor || pb.Unmarshal(value, d.FlightDescriptor) != nil {
				return errNotProto
			}
		case flightHeader:
			d.DataHeader = value
		case flightMetadata:
			d.AppMetadata = value
		case flightBody:
			d.DataBody = value
		}
		return nil
	})
}

// maxDescriptor is the maximum size of a Flight descriptor in bytes.
const maxDescriptor = 64 << 10

// fields calls read with the number and value of each length-delimited field of a message.
func fields(raw []byte, read func(n protowire.Number, value []byte) error) error {
	for len(raw) > 0 {
		n, kind, size := protowire.ConsumeTag(raw)
		if size < 0 {
			return errNotProto
		}
		raw = raw[size:]
		if kind != protowire.BytesType {
			if size = protowire.ConsumeFieldValue(n, kind, raw); size < 0 {
				return errNotProto
			}
			raw = raw[size:]
			continue
		}
		value, size := protowire.ConsumeBytes(raw)
		if size < 0 {
			return errNotProto
		}
		raw = raw[size:]
		if err := read(n, value); err != nil {
			return err
		}
	}
	return nil
}

// Estimates from above of the bytes that a decoded message takes in addition to its strings: lists grow by doubling.
const (
	messageBytes = 256
	textBytes    = 2 * 16
	numberBytes  = 2 * 8
)

// sizeOf estimates the memory in bytes of a message after decoding. Messages nested more than 100 levels are an
// error.
func sizeOf(raw []byte, d protoreflect.MessageDescriptor, depth int) (int64, error) {
	if depth > 100 {
		return 0, errNotProto
	}
	total := int64(messageBytes)
	for b := raw; len(b) > 0; {
		n, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			return 0, errNotProto
		}
		b = b[size:]
		if size = protowire.ConsumeFieldValue(n, kind, b); size < 0 {
			return 0, errNotProto
		}
		value := b[:size]
		b = b[size:]
		total += numberBytes
		f := d.Fields().ByNumber(n)
		if kind != protowire.BytesType {
			continue
		}
		value, _ = protowire.ConsumeBytes(value)
		switch {
		case f == nil: // unknown fields are kept unchanged
			total += int64(size) + 8
		case f.Kind() == protoreflect.MessageKind:
			sub, err := sizeOf(value, f.Message(), depth+1)
			if err != nil {
				return 0, err
			}
			total += sub
		case f.Kind() == protoreflect.StringKind || f.Kind() == protoreflect.BytesKind:
			total += int64(len(value)) + textBytes
		default: // packed numbers, of a byte or more each
			total += numberBytes * int64(len(value))
		}
	}
	return total, nil
}

// flightMessage encodes a FlightData with a header and a body in parts.
func flightMessage(header []byte, body [][]byte) pieces {
	size := 0
	for _, b := range body {
		size += len(b)
	}
	head := protowire.AppendTag(make([]byte, 0, len(header)+32), flightHeader, protowire.BytesType)
	head = protowire.AppendBytes(head, header)
	head = protowire.AppendTag(head, flightBody, protowire.BytesType)
	head = protowire.AppendVarint(head, uint64(size)) //nolint:gosec // a length
	return append(pieces{head}, body...)
}
