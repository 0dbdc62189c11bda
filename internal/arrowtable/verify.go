package arrowtable

import (
	"encoding/binary"
	"math"

	"github.com/badger-eval/badger/internal/errcode"
)

// CheckMessage verifies the metadata of an Arrow IPC message (a flatbuffer Message, as in Flight's data_header) before
// the Arrow library reads it. The library allocates as much as the vector lengths in it claim, so a few bytes of a
// malicious file or client could crash the process. It returns the length of the message's body. The tables and their
// fields are those of Arrow's Message.fbs and Schema.fbs.
func CheckMessage(meta []byte) (bodyLength int64, err error) {
	bodyLength, _, err = checkMessage(meta)
	return bodyLength, err
}

// checkMessage does the same as CheckMessage, and also returns the number of fields of a schema and of arrays of a
// batch.
func checkMessage(meta []byte) (bodyLength int64, parts messageParts, err error) {
	v := verifier{b: meta, visits: len(meta)/8 + 64}
	v.message(int64(v.u32(0)))
	if t, ok := v.table(int64(v.u32(0))); ok {
		if at := v.field(t, 3, 8); at > 0 {
			bodyLength = int64(binary.LittleEndian.Uint64(meta[at:])) //nolint:gosec // refused below where negative
		}
	}
	if v.bad || bodyLength < 0 {
		return 0, messageParts{}, errcode.New(errcode.DataLoss, "malformed Arrow message")
	}
	return bodyLength, v.parts, nil
}

// messageParts counts the fields of a schema and the arrays of a batch in a message.
type messageParts struct{ fields, arrays int64 }

// verifier walks the tables of a flatbuffer. It sets bad if an offset is outside of the buffer, the nesting is too
// deep, or it visits too many tables.
type verifier struct {
	b      []byte
	visits int // number of tables that may still be visited, because shared tables could multiply
	depth  int
	bad    bool
	parts  messageParts
}

// table is the position of a flatbuffer table, and the position and size of its vtable.
type table struct{ at, vtable, size int64 }

func (v *verifier) inside(at, n int64) bool {
	if at < 0 || n < 0 || at > int64(len(v.b))-n {
		v.bad = true
		return false
	}
	return true
}

func (v *verifier) u16(at int64) uint16 {
	if !v.inside(at, 2) {
		return 0
	}
	return binary.LittleEndian.Uint16(v.b[at:])
}

func (v *verifier) u32(at int64) uint32 {
	if !v.inside(at, 4) {
		return 0
	}
	return binary.LittleEndian.Uint32(v.b[at:])
}

func (v *verifier) table(at int64) (table, bool) {
	vtable := at - int64(int32(v.u32(at))) //nolint:gosec // signed in the format
	size := int64(v.u16(vtable))
	if v.bad || size < 4 || !v.inside(vtable, size) || !v.inside(at, int64(v.u16(vtable+2))) {
		v.bad = true
	}
	return table{at, vtable, size}, !v.bad
}

// field returns the position of field i of t, which has n bytes, or 0 if the field is absent or outside of the buffer.
func (v *verifier) field(t table, i, n int64) int64 {
	slot := 4 + 2*i
	if v.bad || slot+2 > t.size {
		return 0
	}
	offset := int64(v.u16(t.vtable + slot))
	if offset == 0 || !v.inside(t.at+offset, n) {
		return 0
	}
	return t.at + offset
}

// target returns the position that field i of t refers to, or 0 if the field is absent.
func (v *verifier) target(t table, i int64) int64 {
	at := v.field(t, i, 4)
	if at == 0 {
		return 0
	}
	return at + int64(v.u32(at))
}

// vector checks that the vector in field i of t, with elements of n bytes, is inside the buffer. It returns the
// position of the first element and the number of elements.
func (v *verifier) vector(t table, i, n int64) (at, count int64) {
	at = v.target(t, i)
	if at == 0 {
		return 0, 0
	}
	count = int64(v.u32(at))
	if v.bad || count > math.MaxInt32 || !v.inside(at+4, count*n) {
		v.bad = true
		return 0, 0
	}
	return at + 4, count
}

// each calls visit for each table of the vector in field i of t.
func (v *verifier) each(t table, i int64, visit func(at int64)) {
	at, n := v.vector(t, i, 4)
	for range n {
		if v.bad {
			return
		}
		v.visit(at+int64(v.u32(at)), visit)
		at += 4
	}
}

// sub calls visit for the table in field i of t, if present.
func (v *verifier) sub(t table, i int64, visit func(at int64)) {
	if at := v.target(t, i); at != 0 {
		v.visit(at, visit)
	}
}

func (v *verifier) visit(at int64, visit func(at int64)) {
	v.visits--
	v.depth++
	if v.visits < 0 || v.depth > maxNesting {
		v.bad = true
	}
	if !v.bad {
		visit(at)
	}
	v.depth--
}

func (v *verifier) message(at int64) {
	t, ok := v.table(at)
	if !ok {
		return
	}
	kind := v.field(t, 1, 1)
	if kind == 0 {
		v.bad = true
		return
	}
	switch v.b[kind] {
	case 1:
		v.sub(t, 2, v.schema)
	case 2:
		v.sub(t, 2, v.dictionaryBatch)
	case 3:
		v.sub(t, 2, v.recordBatch)
	}
	v.each(t, 4, v.keyValue)
}

func (v *verifier) schema(at int64) {
	if t, ok := v.table(at); ok {
		v.each(t, 1, v.schemaField)
		v.each(t, 2, v.keyValue)
		v.vector(t, 3, 8)
	}
}

func (v *verifier) schemaField(at int64) {
	t, ok := v.table(at)
	if !ok {
		return
	}
	v.parts.fields++
	v.vector(t, 0, 1)                           // name
	v.sub(t, 3, func(at int64) { v.table(at) }) // the type: no vector of it is allocated for
	v.sub(t, 4, func(at int64) {
		if t, ok := v.table(at); ok {
			v.sub(t, 1, func(at int64) { v.table(at) })
		}
	})
	v.each(t, 5, v.schemaField)
	v.each(t, 6, v.keyValue)
}

func (v *verifier) keyValue(at int64) {
	if t, ok := v.table(at); ok {
		v.vector(t, 0, 1)
		v.vector(t, 1, 1)
	}
}

func (v *verifier) recordBatch(at int64) {
	if t, ok := v.table(at); ok {
		_, v.parts.arrays = v.vector(t, 1, 16) // nodes
		v.vector(t, 2, 16)                     // buffers
		v.sub(t, 3, func(at int64) { v.table(at) })
		v.vector(t, 4, 8) // how many buffers views have
	}
}

func (v *verifier) dictionaryBatch(at int64) {
	if t, ok := v.table(at); ok {
		v.sub(t, 1, v.recordBatch)
	}
}

// zstdBuffers returns the buffers of a message that are compressed with zstd, each without the 8 bytes that state its
// length before compression. [CheckMessage] must have verified meta.
func zstdBuffers(meta, body []byte) (parts [][]byte) {
	const zstdCodec = 1
	v := verifier{b: meta, visits: len(meta)/8 + 64}
	root, _ := v.table(int64(v.u32(0)))
	batch, ok := v.table(v.target(root, 2))
	if kind := v.field(root, 1, 1); kind > 0 && meta[kind] == 2 { // a dictionary's
		batch, ok = v.table(v.target(batch, 1))
	}
	if !ok {
		return nil
	}
	at := v.target(batch, 3)
	if at == 0 {
		return nil
	}
	compression, _ := v.table(at)
	if codec := v.field(compression, 0, 1); codec == 0 || meta[codec] != zstdCodec {
		return nil
	}
	first, n := v.vector(batch, 2, 16)
	for i := range n {
		offset, length := binary.LittleEndian.Uint64(meta[first+16*i:]), binary.LittleEndian.Uint64(meta[first+16*i+8:])
		if size := uint64(len(body)); length > 8 && length <= size && offset <= size-length {
			parts = append(parts, body[offset+8:offset+length])
		}
	}
	return parts
}
