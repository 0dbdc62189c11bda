package server

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"runtime/debug"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/flight"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf"
	"github.com/badger-eval/badger/udf/identity"
)

// Keys of the metadata of schemas on a pipe.
const (
	pipeFunction = "badger.function" // of arguments: the function, as a Flight handler
	pipeCode     = "badger.code"     // of an error
	pipeReason   = "badger.reason"
)

// Pipe serves the calls of one process, which writes to in and reads from out, with the rights of a user of this
// machine. Both are sequences of streams in Arrow's IPC streaming format. A stream on in is a call: its schema names
// the function, else it is function. The stream on out with the same position has a batch of results for each batch of
// arguments, which is flushed before the next one is read.
//
// An error of a call ends its stream of results. Another stream follows, without columns, whose schema has the error.
// Pipe then returns the error, because the rest of in is not at the start of a stream. It returns nil at the end of in.
func (s *Server) Pipe(ctx context.Context, in io.Reader, out io.Writer, function string) error {
	ctx = identity.With(ctx, identity.Caller{Roles: []identity.Role{identity.Admin}})
	p := &pipeStream{in: bufio.NewReaderSize(in, 1<<16), out: bufio.NewWriterSize(out, 1<<16), limit: s.limits.Message}
	for {
		switch _, err := p.in.Peek(1); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return errcode.New(errcode.Unavailable, "reading arguments: %w", err)
		}
		if err := s.piped(ctx, p, function); err != nil {
			return errors.Join(err, p.sendError(err))
		}
		if err := p.end(); err != nil {
			return err
		}
	}
}

// piped serves one call.
func (s *Server) piped(ctx context.Context, p *pipeStream, function string) (err error) {
	c := &call{id: s.ids.next(""), start: s.now(), wire: unnamed.wire, streamed: true}
	ctx, cancel := s.bound(ctx)
	defer cancel()
	held := s.admission.of("")
	defer held.end()
	ctx = withShare(ctx, held)
	defer func() {
		if v := recover(); v != nil {
			LogPanics(s.log)("pipe", nil, debug.Stack())
			err = errPanicked
		}
		s.finish(ctx, c, err)
	}()
	p.share, p.function, p.held, p.ended = held, function, 0, false
	return s.cut(s.exchangeArrow(ctx, c, p, held))
}

// pipeStream is an exchangeStream in Arrow's IPC streaming format.
type pipeStream struct {
	in       *bufio.Reader
	out      *bufio.Writer
	limit    int // bytes of a message
	share    *share
	held     int64  // bytes reserved for the current message
	function string // of the call, unless its schema names one
	begun    bool   // the schema of the arguments was read
	ended    bool   // the last message of the arguments was read
	replying bool   // the schema of the results was written
}

// continuation precedes the length of the metadata of each message.
const continuation = 0xFFFFFFFF

// streamEnd ends a stream.
var streamEnd = [8]byte{0xFF, 0xFF, 0xFF, 0xFF}

var errNotStream = errcode.New(errcode.InvalidArgument,
	"the input is not in Arrow's IPC streaming format (pyarrow.ipc.new_stream writes it)")

// Recv implements flight.DataStreamReader. The memory of a message is reserved before it is read, and released when
// the next one is requested. The first message of a call has its descriptor.
func (p *pipeStream) Recv() (*flight.FlightData, error) {
	p.share.free(p.held)
	p.held = 0
	if p.ended {
		return nil, io.EOF
	}
	size, err := p.header()
	if err != nil {
		return nil, err
	}
	if size == 0 {
		p.ended = true
		return nil, io.EOF
	}
	header := make([]byte, size)
	if _, err := io.ReadFull(p.in, header); err != nil {
		return nil, truncated(err)
	}
	root, err := flatRoot(header)
	if err != nil {
		return nil, err
	}
	d := &flight.FlightData{DataHeader: header}
	if !p.begun {
		if d.FlightDescriptor, err = p.descriptor(header); err != nil {
			return nil, err
		}
		p.begun = true
	}
	length := root.int64(3)
	if length < 0 || length > int64(p.limit) {
		return nil, errcode.New(errcode.ResourceExhausted,
			"the message has %d bytes, expected at most %d (limits.message_bytes); send fewer rows in a batch", length, p.limit)
	}
	if err := p.share.holdLarge(receiving * length); err != nil {
		return nil, err
	}
	p.held = receiving * length
	d.DataBody = make([]byte, length)
	if _, err := io.ReadFull(p.in, d.DataBody); err != nil {
		return nil, truncated(err)
	}
	return d, nil
}

// header returns the length of the metadata of the next message, or 0 at the end of the stream.
func (p *pipeStream) header() (int, error) {
	var head [8]byte
	switch _, err := io.ReadFull(p.in, head[:]); {
	case errors.Is(err, io.EOF): // the end of a stream may be omitted at the end of the input
		return 0, nil
	case err != nil && head[0] == 0xFF:
		return 0, truncated(err)
	case err != nil || binary.LittleEndian.Uint32(head[:]) != continuation:
		return 0, errNotStream
	}
	size := binary.LittleEndian.Uint32(head[4:])
	if size > maxSchemaBytes {
		return 0, errTooBig
	}
	return int(size), nil
}

// descriptor returns the descriptor of a call by the schema of its arguments.
func (p *pipeStream) descriptor(header []byte) (*flight.FlightDescriptor, error) {
	name, err := schemaValue(header, pipeFunction)
	if err != nil {
		return nil, err
	}
	if name == "" {
		name = p.function
	}
	if name == "" {
		return nil, errcode.New(errcode.InvalidArgument,
			"no function is named: expected its name in the metadata of the schema (%s), or on the command line", pipeFunction)
	}
	return &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{name}}, nil
}

func truncated(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errcode.New(errcode.InvalidArgument, "the input ends within an Arrow message")
	}
	return errcode.New(errcode.Unavailable, "reading arguments: %w", err)
}

// sendData implements exchangeStream.
func (p *pipeStream) sendData(header []byte, body [][]byte) error {
	p.replying = true
	padding := -len(header) & 7
	var head [8]byte
	binary.LittleEndian.PutUint32(head[:], continuation)
	binary.LittleEndian.PutUint32(head[4:], uint32(len(header)+padding)) //nolint:gosec // small
	_, _ = p.out.Write(head[:])                                          // Flush returns the error
	_, _ = p.out.Write(header)
	_, _ = p.out.Write(make([]byte, padding))
	for _, b := range body {
		_, _ = p.out.Write(b)
	}
	return p.out.Flush()
}

// end ends the results of a call and prepares for the next call.
func (p *pipeStream) end() error {
	p.begun, p.replying = false, false
	_, _ = p.out.Write(streamEnd[:])
	return p.out.Flush()
}

// sendError ends the results of a call with its error.
func (p *pipeStream) sendError(failed error) error {
	if p.replying {
		if err := p.end(); err != nil {
			return err
		}
	}
	code, reason := udf.PublicError(failed)
	metadata := arrow.NewMetadata([]string{pipeCode, pipeReason}, []string{code.String(), reason})
	if err := p.sendData(schemaMessage(arrow.NewSchema(nil, &metadata)), nil); err != nil {
		return err
	}
	return p.end()
}
