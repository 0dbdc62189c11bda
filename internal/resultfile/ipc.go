package resultfile

import (
	"encoding/binary"
	"io"

	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// readIPCStream reads an Arrow IPC stream.
func (r *reader) readIPCStream(in io.Reader) (*scoring.Table, error) {
	return arrowtable.ReadStream(contextReader{r.ctx, in}, r.limits)
}

// readIPCFile reads an Arrow IPC file (Feather 2): a stream between a magic word and a footer that indexes it. It reads
// the stream, and uses the footer only to check that the file is complete.
func (r *reader) readIPCFile(in readerAtSeeker) (*scoring.Table, error) {
	const magic = "ARROW1"
	size, err := in.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, ioError(err)
	}
	end := make([]byte, 4+len(magic))
	if size < int64(8+len(end)) {
		return nil, ioError(io.ErrUnexpectedEOF)
	}
	if _, err := in.ReadAt(end, size-int64(len(end))); err != nil {
		return nil, ioError(err)
	}
	footer := int64(binary.LittleEndian.Uint32(end))
	if string(end[4:]) != magic || footer > size-int64(8+len(end)) {
		return nil, errcode.New(errcode.DataLoss, "no valid Arrow footer: the file is truncated or corrupt")
	}
	return r.readIPCStream(io.NewSectionReader(in, 8, size-8-footer-int64(len(end))))
}
