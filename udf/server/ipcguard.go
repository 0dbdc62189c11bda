package server

import (
	"encoding/binary"

	"github.com/badger-eval/badger/internal/errcode"
)

// The Arrow library trusts the metadata of a message: it allocates what counts say, follows nesting by recursion, and
// reads parts that are referenced twice twice. A guard checks the few numbers that can do harm first. Other invalid
// metadata makes the library panic, which it recovers from.

// Limits of a schema message. Functions have about a dozen flat parameters.
const (
	maxSchemaBytes = 128 << 10
	maxFields      = 64
	maxMetadata    = 16 // entries of a field's metadata, or of the schema's
)

// Kinds of messages, with their numbers in the Arrow format.
const (
	messageSchema     = 1
	messageDictionary = 2
	messageBatch      = 3
)

var (
	errNotArrow = errcode.New(errcode.InvalidArgument, "the stream is not valid Arrow IPC")
	errNested   = errcode.New(errcode.InvalidArgument,
		"Arrow schema: expected flat columns; send nested values as JSON strings")
	errCompressedBody = errcode.New(errcode.InvalidArgument,
		"the Arrow buffers are compressed; send them without compression, as is the default of Arrow libraries")
	errTooBig = errcode.New(errcode.ResourceExhausted,
		"the Arrow message is larger than the server accepts (limits.message_bytes); send fewer rows at once")
)

// Kinds of types, with their numbers in the Arrow format.
const (
	typeBinaryView = 23
	typeUtf8View   = 24
)

// guard checks the messages of one stream.
type guard struct {
	views int // number of view columns in the schema: each has a count of further buffers in each batch
}

// dictionary identifies the dictionary of a dictionary message.
type dictionary struct {
	id    int64
	delta bool // it extends the existing dictionary with that id
}

// check checks the metadata of one IPC message. It returns the dictionary that the message holds, or nil for other
// kinds of messages.
func (g *guard) check(header []byte) (*dictionary, error) {
	root, err := flatRoot(header)
	if err != nil {
		return nil, err
	}
	kind := root.byte(1)
	body, err := root.table(2)
	if err != nil {
		return nil, err
	}
	switch kind {
	case messageSchema:
		if len(header) > maxSchemaBytes {
			return nil, errTooBig
		}
		return nil, g.schema(body)
	case messageDictionary:
		d := &dictionary{id: body.int64(0), delta: body.byte(2) != 0}
		if body, err = body.table(1); err != nil {
			return nil, err
		}
		return d, checkBatch(body, 0)
	case messageBatch:
		return nil, checkBatch(body, g.views)
	}
	return nil, errNotArrow
}

func (g *guard) schema(schema flatTable) error {
	fields, err := schema.vector(1)
	if err != nil {
		return err
	}
	metadata, err := schema.vector(2)
	if err != nil {
		return err
	}
	if fields.n > maxFields || metadata.n > maxMetadata {
		return errTooBig
	}
	for i := range fields.n {
		field, err := fields.table(i)
		if err != nil {
			return err
		}
		children, err := field.vector(5)
		if err != nil {
			return err
		}
		metadata, err := field.vector(6)
		switch {
		case err != nil:
			return err
		case children.n > 0:
			return errNested
		case metadata.n > maxMetadata:
			return errTooBig
		}
		if kind := field.byte(2); kind == typeBinaryView || kind == typeUtf8View {
			if field.field(4) > 0 { // a dictionary of views
				return errNested
			}
			g.views++
		}
	}
	return nil
}

// schemaValue returns the value of a key in the metadata of a schema message, or "".
func schemaValue(header []byte, key string) (string, error) {
	root, err := flatRoot(header)
	if err != nil {
		return "", err
	}
	if root.byte(1) != messageSchema {
		return "", errNotArrow
	}
	schema, err := root.table(2)
	if err != nil {
		return "", err
	}
	metadata, err := schema.vector(2)
	if err != nil {
		return "", err
	}
	if metadata.n > maxMetadata {
		return "", errTooBig
	}
	for i := range metadata.n {
		entry, err := metadata.table(i)
		if err != nil {
			return "", err
		}
		if name, err := entry.text(0); err != nil || name != key {
			continue
		}
		return entry.text(1)
	}
	return "", nil
}

// checkBatch returns an error for compressed bodies, whose size is unknown before decompression, and for more counts
// of view buffers than maxFields, fewer than views, or counts above the number of buffers. The library does not check
// these counts.
func checkBatch(batch flatTable, views int) error {
	if batch.field(3) > 0 {
		return errCompressedBody
	}
	buffers, err := batch.vector(2)
	if err != nil {
		return err
	}
	counts, err := batch.vector(4)
	if err != nil {
		return err
	}
	if counts.n > maxFields {
		return errTooBig
	}
	if counts.n < views {
		return errNotArrow
	}
	for i := range counts.n {
		n, ok := counts.int64(i)
		if !ok || n < 0 || n > int64(buffers.n) {
			return errNotArrow
		}
	}
	return nil
}

// flatTable is a table in a flatbuffer: its position, and that of its vtable, which holds the offsets of its fields.
type flatTable struct {
	b      []byte
	pos    int
	vtable int
	size   int // of the vtable in bytes
}

// flatVector is a vector of n elements from pos on.
type flatVector struct {
	b   []byte
	pos int
	n   int
}

func flatRoot(b []byte) (flatTable, error) {
	off, ok := u32(b, 0)
	if !ok {
		return flatTable{}, errNotArrow
	}
	return flatAt(b, off)
}

func flatAt(b []byte, pos int) (flatTable, error) {
	back, ok := u32(b, pos)
	if !ok {
		return flatTable{}, errNotArrow
	}
	vtable := pos - int(int32(back)) //nolint:gosec // the format's signed offset
	size, ok := u16(b, vtable)
	if !ok || size < 4 || vtable+size > len(b) {
		return flatTable{}, errNotArrow
	}
	return flatTable{b, pos, vtable, size}, nil
}

// field returns the position of a field, or 0 if it is absent.
func (t flatTable) field(slot int) int {
	at := 4 + 2*slot
	if at >= t.size { // also where half of an entry is left: the library reads it
		return 0
	}
	off, ok := u16(t.b, t.vtable+at)
	if !ok || off == 0 {
		return 0
	}
	return t.pos + off
}

func (t flatTable) int64(slot int) int64 {
	if p := t.field(slot); p > 0 {
		n, _ := flatVector{b: t.b, pos: p}.int64(0)
		return n
	}
	return 0
}

func (t flatTable) byte(slot int) byte {
	if p := t.field(slot); p > 0 && p < len(t.b) {
		return t.b[p]
	}
	return 0
}

// text returns the string that a field refers to; an absent field is an empty string.
func (t flatTable) text(slot int) (string, error) {
	v, err := t.vector(slot)
	if err != nil {
		return "", err
	}
	if v.n > len(t.b)-v.pos {
		return "", errNotArrow
	}
	return string(t.b[v.pos : v.pos+v.n]), nil
}

// table returns the table that a field refers to; an absent field is an error.
func (t flatTable) table(slot int) (flatTable, error) {
	p := t.field(slot)
	off, ok := u32(t.b, p)
	if p == 0 || !ok {
		return flatTable{}, errNotArrow
	}
	return flatAt(t.b, p+off)
}

// vector returns the vector that a field refers to; an absent field is an empty vector.
func (t flatTable) vector(slot int) (flatVector, error) {
	p := t.field(slot)
	if p == 0 {
		return flatVector{}, nil
	}
	off, ok := u32(t.b, p)
	if !ok {
		return flatVector{}, errNotArrow
	}
	n, ok := u32(t.b, p+off)
	if !ok || n > len(t.b) {
		return flatVector{}, errNotArrow
	}
	return flatVector{t.b, p + off + 4, n}, nil
}

func (v flatVector) table(i int) (flatTable, error) {
	p := v.pos + 4*i
	off, ok := u32(v.b, p)
	if !ok {
		return flatTable{}, errNotArrow
	}
	return flatAt(v.b, p+off)
}

func (v flatVector) int64(i int) (int64, bool) {
	p := v.pos + 8*i
	if p < 0 || p+8 > len(v.b) {
		return 0, false
	}
	return int64(binary.LittleEndian.Uint64(v.b[p:])), true //nolint:gosec // the format's signed integer
}

func u32(b []byte, p int) (int, bool) {
	if p < 0 || p+4 > len(b) {
		return 0, false
	}
	return int(binary.LittleEndian.Uint32(b[p:])), true
}

func u16(b []byte, p int) (int, bool) {
	if p < 0 || p+2 > len(b) {
		return 0, false
	}
	return int(binary.LittleEndian.Uint16(b[p:])), true
}
