package arrowtable

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/klauspost/compress/zstd"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// ReadStream reads an Arrow IPC stream, also from an untrusted source: message heads are verified before the Arrow
// library reads them, a message that claims more than limits.Bytes is rejected, and a stream that ends inside a
// message is [errcode.DataLoss].
func ReadStream(in io.Reader, limits Limits) (t *scoring.Table, err error) {
	mem := limits.Allocator()
	messages := &messageReader{in: bufio.NewReaderSize(in, 1<<16), mem: mem, limits: limits}
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

// CheckSchema verifies a schema in the form of an IPC stream, as in Flight messages and Parquet files, before the Arrow
// library reads it. See [CheckMessage].
func CheckSchema(stream []byte) error {
	m := &messageReader{in: bytes.NewReader(stream), mem: memory.NewGoAllocator()}
	defer m.Release()
	_, err := m.Message()
	return m.because(err)
}

// Classify returns an error of the Arrow libraries with a code: ResourceExhausted for a limit, a code that it already
// has, or DataLoss.
func Classify(err error) error {
	var limit refused
	switch {
	case err == nil:
		return nil
	case errors.As(err, &limit):
		return limit.error
	case errcode.Of(err) != errcode.Unknown:
		return err
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return errcode.New(errcode.DataLoss, "ends in the middle: the content is truncated")
	}
	return errcode.New(errcode.DataLoss, "malformed content: %w", err)
}

// messageReader reads the messages of a stream and checks the lengths in their headers. The library's own reader takes
// a stream that is truncated after a message's header for a complete one; this one returns an error.
type messageReader struct {
	in     io.Reader
	mem    memory.Allocator
	limits Limits
	window int64 // bytes reserved for decompression
	arrays int64 // number of arrays of a batch for which memory is reserved
	msg    *ipc.Message
	err    error
}

var _ ipc.MessageReader = (*messageReader)(nil)

// Retain does nothing, because the reader has one owner.
func (m *messageReader) Retain() {}

// Release releases the current message.
func (m *messageReader) Release() {
	if m.msg != nil {
		m.msg.Release()
		m.msg = nil
	}
}

// because returns the reader's own error, if any, instead of err: the library may replace it or take it for the end of
// the stream.
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
	if head == 0xffffffff { // before Arrow 0.15 the length came first
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
	length, parts, err := checkMessage(meta.Bytes())
	if err != nil {
		return nil, err
	}
	if err := m.reserve(parts); err != nil {
		return nil, err
	}
	if m.limits.Bytes > 0 && length > m.limits.Bytes+1<<16 {
		return nil, errcode.New(errcode.ResourceExhausted, "more than the allowed %d bytes", m.limits.Bytes)
	}
	body, err := m.read(length)
	if err != nil {
		return nil, err
	}
	defer body.Release()
	if err := m.checkWindows(meta.Bytes(), body.Bytes()); err != nil {
		return nil, err
	}
	return ipc.NewMessage(meta, body), nil
}

// read reads n bytes. It grows the buffer as bytes arrive, so that a short file that claims to be long does not cause a
// large allocation.
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

// Bytes of memory for each field of a schema and each array of a batch, without values.
const (
	fieldBytes = 1024
	arrayBytes = 512
)

// reserve reserves memory for the fields and arrays of a message, less what the arrays of earlier messages reserved.
func (m *messageReader) reserve(parts messageParts) error {
	more := max(parts.arrays-m.arrays, 0) // those of the batch before are garbage
	m.arrays += more
	return m.limits.Extra(fieldBytes*parts.fields + arrayBytes*more)
}

// checkWindows reserves the memory for decompressing the buffers of a message that are compressed with zstd. Each
// buffer states the size of its window.
func (m *messageReader) checkWindows(meta, body []byte) (err error) {
	for _, part := range zstdBuffers(meta, body) {
		if m.window, err = m.limits.ReserveWindow(part, m.window); err != nil {
			return err
		}
	}
	return nil
}

// maxWindow is the maximum window in bytes for decompression, that of zstd's levels up to 19. A frame in a single
// segment may have a window as long as the table's limit.
const maxWindow = 8 << 20

// ReserveWindow reserves memory for decompressing a zstd frame if its window is larger than before, the window that is
// reserved already, and returns the larger of the two. A window of more than 8 MiB, as --long and --ultra produce, is
// ResourceExhausted, unless the frame is a single segment within limits.Bytes.
func (l Limits) ReserveWindow(frame []byte, before int64) (int64, error) {
	var h zstd.Header
	if err := h.Decode(frame); err != nil || h.Skippable {
		return before, nil //nolint:nilerr // the decompressor says what is wrong
	}
	most := uint64(maxWindow)
	if h.SingleSegment {
		most = max(most, uint64(max(l.Bytes, 0)))
	}
	if h.WindowSize > most {
		return 0, errcode.New(errcode.ResourceExhausted,
			"compressed with a window of %d bytes, expected at most %d; compress without --long and --ultra", h.WindowSize, most)
	}
	window := int64(h.WindowSize) //nolint:gosec // checked above
	if window <= before {
		return before, nil
	}
	return window, l.Extra(2 * (window - before))
}
