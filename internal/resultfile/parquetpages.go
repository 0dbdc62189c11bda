package resultfile

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"

	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/internal/errcode"
)

// The size of a delta-encoded page after decoding follows only from its content, because each string may repeat any
// number of bytes of the one before. The library decodes all strings of a page in one step without an allocator, so
// they are counted here first. Pages of other encodings are skipped.

// errPages returns the error for pages that contradict themselves or the footer.
func errPages(what string) error { return errcode.New(errcode.DataLoss, "malformed content: %s", what) }

// checkPages reserves the memory for the decoded strings of the file's delta-encoded pages.
func (r *reader) checkPages(f *file.Reader, in io.ReaderAt) error {
	total := int64(0)
	for g := range f.NumRowGroups() {
		group := f.MetaData().RowGroup(g)
		for i := range group.NumColumns() {
			chunk, err := group.ColumnChunk(i)
			if err != nil {
				return arrowtable.Classify(err)
			}
			start := chunk.DataPageOffset()
			if d := chunk.DictionaryPageOffset(); chunk.HasDictionaryPage() && d > 0 && d < start {
				start = d
			}
			delta, err := deltaPages(in, start, chunk.TotalCompressedSize(), chunk.NumValues())
			if err != nil {
				return errcode.New(errcode.Of(err), "column %d (%q): %w", i+1, chunk.PathInSchema().String(), err)
			}
			if !delta {
				continue
			}
			pages, err := f.RowGroup(g).GetColumnPageReader(i)
			if err != nil {
				return arrowtable.Classify(err)
			}
			descr := f.MetaData().Schema.Column(i)
			for pages.Next() {
				n, err := r.expanded(pages.Page(), descr.MaxRepetitionLevel(), descr.MaxDefinitionLevel())
				if err != nil {
					return errcode.New(errcode.Of(err), "column %d (%q): %w", i+1, chunk.PathInSchema().String(), err)
				}
				if total += n; total < 0 {
					return errPages("sizes beyond any file")
				}
				if err := r.limits.CheckBytes(total); err != nil {
					return err
				}
				if err := r.limits.Extra(n); err != nil { // the strings of a page exist in addition to the table
					return err
				}
				if err := r.ctx.Err(); err != nil {
					return err
				}
			}
			if err := pages.Err(); err != nil {
				return arrowtable.Classify(err)
			}
		}
	}
	return nil
}

// deltaPages reports whether a column chunk has a delta-encoded data page, by the pages' own headers, because the
// encodings in the footer may be wrong. It returns an error if a header is malformed.
func deltaPages(in io.ReaderAt, start, size, values int64) (delta bool, err error) {
	for at, seen := start, int64(0); seen < values && at < start+size; {
		h := headerReader{in: bufio.NewReaderSize(io.NewSectionReader(in, at, start+size-at), 512)}
		h.page()
		if h.err != nil || h.compressed < 0 {
			return false, errPages("a page's header")
		}
		if at += h.read + h.compressed; h.dictionary {
			continue
		}
		if h.values < 0 || h.values > values-seen {
			return false, errPages("more values in its pages than in the footer")
		}
		seen += h.values
		switch parquet.Encoding(h.encoding) {
		case parquet.Encodings.DeltaBinaryPacked, parquet.Encodings.DeltaLengthByteArray, parquet.Encodings.DeltaByteArray:
			delta = true
		}
	}
	return delta, nil
}

// headerReader reads the header of one page, a structure of Thrift's compact protocol.
type headerReader struct {
	in   *bufio.Reader
	read int64
	err  error

	compressed, values, encoding int64
	dictionary                   bool // a dictionary page, or another page without rows
}

func (h *headerReader) byte() byte {
	b, err := h.in.ReadByte()
	if err != nil {
		h.err = err
		return 0
	}
	h.read++
	return b
}

func (h *headerReader) uvarint() (x uint64) {
	for shift := 0; shift < 64; shift += 7 {
		b := h.byte()
		x |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return x
		}
	}
	h.err = io.ErrUnexpectedEOF
	return 0
}

func (h *headerReader) varint() int64 {
	x := h.uvarint()
	return int64(x>>1) ^ -int64(x&1) //nolint:gosec // zigzag
}

func (h *headerReader) skip(n uint64) {
	if n > math.MaxInt32 {
		h.err = io.ErrUnexpectedEOF
		return
	}
	k, err := h.in.Discard(int(n)) //nolint:gosec // checked
	h.read += int64(k)
	if err != nil {
		h.err = err
	}
}

// Types of the values in Thrift's compact protocol.
const (
	thriftTrue, thriftFalse, thriftByte, thriftI16, thriftI32, thriftI64, thriftDouble, thriftBinary, thriftList,
	thriftSet, thriftMap, thriftStruct = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12

	thriftDepth = 8 // maximum nesting of skipped values
)

// fields calls field for each field of a structure. field must read the field's value.
func (h *headerReader) fields(field func(id int64, kind byte)) {
	id := int64(0)
	for h.err == nil {
		b := h.byte()
		kind := b & 0xf
		if kind == 0 {
			return
		}
		if id += int64(b >> 4); b>>4 == 0 {
			id = h.varint()
		}
		field(id, kind)
	}
}

// pass skips a value of a Thrift type. It sets h.err if the value is nested too deeply or is a map, which page headers
// do not have.
func (h *headerReader) pass(kind byte, depth int) {
	if depth > thriftDepth {
		h.err = io.ErrUnexpectedEOF
	}
	if h.err != nil {
		return
	}
	switch kind {
	case thriftTrue, thriftFalse:
	case thriftByte:
		h.byte()
	case thriftI16, thriftI32, thriftI64:
		h.uvarint()
	case thriftDouble:
		h.skip(8)
	case thriftBinary:
		h.skip(h.uvarint())
	case thriftList, thriftSet:
		b := h.byte()
		n := uint64(b >> 4)
		if n == 15 {
			n = h.uvarint()
		}
		for ; n > 0 && h.err == nil; n-- {
			if of := b & 0xf; of == thriftTrue || of == thriftFalse {
				h.byte() // a bool of a list has a byte
			} else {
				h.pass(of, depth+1)
			}
		}
	case thriftStruct:
		h.fields(func(_ int64, kind byte) { h.pass(kind, depth+1) })
	default: // no header of a page has a map
		h.err = io.ErrUnexpectedEOF
	}
}

// page reads the page header: PageHeader in parquet.thrift.
func (h *headerReader) page() {
	h.dictionary = true
	data := func(values, encoding int64) func(id int64, kind byte) {
		h.dictionary = false
		return func(id int64, kind byte) {
			switch id {
			case values:
				h.values = h.varint()
			case encoding:
				h.encoding = h.varint()
			default:
				h.pass(kind, 1)
			}
		}
	}
	h.fields(func(id int64, kind byte) {
		switch {
		case id == 3 && kind == thriftI32:
			h.compressed = h.varint()
		case id == 5 && kind == thriftStruct:
			h.fields(data(1, 2))
		case id == 8 && kind == thriftStruct:
			h.fields(data(1, 4))
		default:
			h.pass(kind, 0)
		}
	})
}

// expanded returns the number of bytes of a delta-encoded page's strings after decoding, or 0 for other encodings. It
// reserves memory for their lengths.
func (r *reader) expanded(p file.Page, repetition, definition int16) (int64, error) {
	encoding := parquet.Encoding(p.Encoding())
	if encoding != parquet.Encodings.DeltaBinaryPacked && encoding != parquet.Encodings.DeltaLengthByteArray &&
		encoding != parquet.Encodings.DeltaByteArray {
		return 0, nil
	}
	data := p.Data()
	var ok bool
	switch p := p.(type) {
	case *file.DataPageV1:
		for _, l := range []struct {
			most     int16
			encoding parquet.Encoding
		}{{repetition, p.RepetitionLevelEncoding()}, {definition, p.DefinitionLevelEncoding()}} {
			if l.most == 0 {
				continue
			}
			if l.encoding != parquet.Encodings.RLE || len(data) < 4 {
				return 0, errPages("the levels of a page")
			}
			if data, ok = after(data, 4+int64(binary.LittleEndian.Uint32(data))); !ok {
				return 0, errPages("the levels of a page")
			}
		}
	case *file.DataPageV2:
		if data, ok = after(data, int64(p.DefinitionLevelByteLen())+int64(p.RepetitionLevelByteLen())); !ok {
			return 0, errPages("the levels of a page")
		}
	default:
		return 0, nil
	}
	values := int64(p.NumValues())
	if encoding == parquet.Encodings.DeltaBinaryPacked {
		_, err := deltaHeader(data, values)
		return 0, err
	}
	// 4 bytes each, of prefixes and of lengths, here and in the library
	if err := r.limits.Extra(16 * values); err != nil {
		return 0, err
	}
	n, at := int64(0), 0
	var prefixes []int32
	if encoding == parquet.Encodings.DeltaByteArray {
		var err error
		prefixes = make([]int32, 0, values)
		if data, err = deltas(data, values, func(x int64) { prefixes = append(prefixes, int32(x)) }); err != nil { //nolint:gosec // as the library reads it
			return 0, err
		}
	}
	_, err := deltas(data, values, func(length int64) {
		if at < len(prefixes) {
			if length != 0 { // else it shares the bytes of the one before
				n += int64(max(prefixes[at], 0)) + max(length, 0)
			}
			at++
		}
	})
	if n < 0 {
		return 0, errPages("lengths beyond any file")
	}
	return n, err
}

func after(data []byte, n int64) ([]byte, bool) {
	if n < 0 || n > int64(len(data)) {
		return nil, false
	}
	return data[n:], true
}

// packed is the header of numbers encoded with DELTA_BINARY_PACKED, and the bytes after it.
type packed struct {
	block, minis, total uint64
	first               int64
	rest                []byte
}

// maxDeltaBlock is the maximum accepted number of values of a block. Writers use 128 to a few thousand.
const maxDeltaBlock = 1 << 16

func deltaHeader(data []byte, most int64) (h packed, err error) {
	malformed := errPages("delta-encoded numbers")
	for _, to := range []*uint64{&h.block, &h.minis, &h.total} {
		x, n := binary.Uvarint(data)
		if n <= 0 {
			return h, malformed
		}
		*to, data = x, data[n:]
	}
	first, n := binary.Varint(data)
	if n <= 0 || h.block == 0 || h.block > maxDeltaBlock || h.minis == 0 || h.block%h.minis != 0 || h.block/h.minis%8 != 0 || h.total > uint64(most) { //nolint:gosec // not negative
		return h, malformed
	}
	h.first, h.rest = first, data[n:]
	return h, nil
}

// deltas calls value for each number that is encoded at the beginning of data, and returns the bytes after them. More
// than most numbers are an error.
func deltas(data []byte, most int64, value func(int64)) (rest []byte, err error) {
	h, err := deltaHeader(data, most)
	if err != nil || h.total == 0 {
		return h.rest, err
	}
	malformed := errPages("delta-encoded numbers")
	x := h.first
	value(x)
	data = h.rest
	each := h.block / h.minis
	for left := h.total - 1; left > 0; {
		least, n := binary.Varint(data)
		if n <= 0 || uint64(len(data)-n) < h.minis { //nolint:gosec // not negative
			return nil, malformed
		}
		widths := data[n : n+int(h.minis)] //nolint:gosec // checked
		data = data[n+int(h.minis):]       //nolint:gosec // checked
		for _, width := range widths {
			if left == 0 {
				break
			}
			bits, ok := after(data, int64(each)*int64(width)/8) //nolint:gosec // small
			if !ok || width > 64 {
				return nil, malformed
			}
			for k := range min(each, left) {
				x += least + int64(bitsAt(data, k*uint64(width), width)) //nolint:gosec // wraps, as the format says
				value(x)
			}
			left -= min(each, left)
			data = bits
		}
	}
	return data, nil
}

// bitsAt returns the number in width bits of data that start at bit at, the lowest bit first.
func bitsAt(data []byte, at uint64, width byte) (x uint64) {
	for have := uint64(0); have < uint64(width); {
		b, skip := uint64(data[at/8]), at%8
		take := min(8-skip, uint64(width)-have)
		x |= b >> skip & (1<<take - 1) << have
		have += take
		at += take
	}
	return x
}
