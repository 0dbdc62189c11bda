package arrowtable

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// ReadStream reads an Arrow IPC stream, also from where nothing may be trusted: heads are verified
// before the Arrow library reads them, what claims more than limits.Bytes is refused, and a stream
// that ends inside a message is [errcode.DataLoss].
func ReadStream(in io.Reader, limits Limits) (t *scoring.Table, err error) {
	mem := LimitedAllocator(memory.NewGoAllocator(), limits.Bytes)
	messages := &messageReader{in: bufio.NewReaderSize(in, 1<<16), mem: mem}
	defer Recover(&err)
	s, err := ipc.NewReaderFromMessageReader(messages, ipc.WithAllocator(mem))
	if err != nil {
		return nil, messages.because(err)
	}
	defer s.Release()
	a := NewAccumulator(s.Schema(), limits)
	for s.Next() {
		if err := a.Append(s.Record()); err != nil {
			return nil, err
		}
	}
	if err := messages.because(s.Err()); err != nil {
		return nil, err
	}
	return a.Table()
}

// CheckSchema verifies a schema as an IPC stream, the form in which Flight and Parquet files carry
// it, before the Arrow library reads it. See [CheckMessage].
func CheckSchema(stream []byte) error {
	m := &messageReader{in: bytes.NewReader(stream), mem: memory.NewGoAllocator()}
	defer m.Release()
	_, err := m.Message()
	return m.because(err)
}

// limitReached is what a limited allocator panics with.
type limitReached struct{ max int64 }

func (l limitReached) Error() string { return "more memory than allowed" }

// limitedAllocator panics on what would allocate more than the limit at once.
type limitedAllocator struct {
	memory.Allocator
	max int64
}

// LimitedAllocator makes an allocator for the Arrow libraries that refuses single allocations
// beyond limit bytes (0 and less: none) by a panic, which [Recover] makes an error: lengths inside
// a file may claim anything.
func LimitedAllocator(mem memory.Allocator, limit int64) memory.Allocator {
	if limit <= 0 {
		return mem
	}
	return limitedAllocator{mem, limit + 1<<10} // buffers are rounded up
}

func (a limitedAllocator) Allocate(size int) []byte {
	if size < 0 || int64(size) > a.max {
		panic(limitReached{a.max})
	}
	return a.Allocator.Allocate(size)
}

func (a limitedAllocator) Reallocate(size int, b []byte) []byte {
	if size < 0 || int64(size) > a.max {
		panic(limitReached{a.max})
	}
	return a.Allocator.Reallocate(size, b)
}

// Recover, deferred, makes an error of a panic: the Arrow libraries panic on malformed bytes.
func Recover(err *error) {
	v := recover()
	if v == nil {
		return
	}
	*err = errcode.New(errcode.DataLoss, "malformed content, or in a form that is not read")
	if e, ok := v.(error); ok && errors.As(e, new(limitReached)) {
		*err = Classify(e)
	}
}

// Classify gives an error of the Arrow libraries its code: ResourceExhausted beyond a limit, else
// DataLoss.
func Classify(err error) error {
	var limit limitReached
	switch {
	case err == nil:
		return nil
	case errors.As(err, &limit):
		return errcode.New(errcode.ResourceExhausted, "more than the allowed %d bytes", limit.max-1<<10)
	case errcode.Of(err) != errcode.Unknown:
		return err
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return errcode.New(errcode.DataLoss, "ends in the middle: the content is truncated")
	}
	return errcode.New(errcode.DataLoss, "malformed content: %w", err)
}

// messageReader cuts a stream into messages. The library's own reader takes a stream that is cut
// behind a message's head for one that ended there; this one does not, and bounds what a head may
// claim.
type messageReader struct {
	in  io.Reader
	mem memory.Allocator
	msg *ipc.Message
	err error
}

var _ ipc.MessageReader = (*messageReader)(nil)

// Retain does nothing: the reader has one owner.
func (m *messageReader) Retain() {}

// Release gives the current message back.
func (m *messageReader) Release() {
	if m.msg != nil {
		m.msg.Release()
		m.msg = nil
	}
}

// because prefers the reader's own error, which the library replaces or takes for the end.
func (m *messageReader) because(err error) error {
	if m.err != nil {
		err = m.err
	}
	return Classify(err)
}

// Message returns the next message, valid until the next call.
func (m *messageReader) Message() (*ipc.Message, error) {
	msg, err := m.next()
	if err != nil && !errors.Is(err, io.EOF) {
		m.err = Classify(err)
		err = m.err
	}
	m.Release()
	m.msg = msg
	return msg, err
}

func (m *messageReader) next() (*ipc.Message, error) {
	var word [4]byte
	if _, err := io.ReadFull(m.in, word[:]); err != nil {
		return nil, err // io.EOF only at the beginning: the end mark may be missing
	}
	head := binary.LittleEndian.Uint32(word[:])
	if head == 0xffffffff { // before Arrow 0.15 the length came at once
		if _, err := io.ReadFull(m.in, word[:]); err != nil {
			return nil, io.ErrUnexpectedEOF
		}
		head = binary.LittleEndian.Uint32(word[:])
	}
	if head == 0 {
		return nil, io.EOF
	}
	meta, err := m.read(int64(head))
	if err != nil {
		return nil, err
	}
	defer meta.Release()
	length, err := CheckMessage(meta.Bytes())
	if err != nil {
		return nil, err
	}
	body, err := m.read(length)
	if err != nil {
		return nil, err
	}
	defer body.Release()
	return ipc.NewMessage(meta, body), nil
}

// read reads n bytes, growing as they come: a short file must not make us allocate what it claims.
func (m *messageReader) read(n int64) (*memory.Buffer, error) {
	buf := memory.NewResizableBuffer(m.mem)
	for have := int64(0); have < n; {
		step := min(n-have, max(have, 1<<20))
		buf.Resize(int(have + step))
		if _, err := io.ReadFull(m.in, buf.Bytes()[have:]); err != nil {
			buf.Release()
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		have += step
	}
	return buf, nil
}
