// Package thrift reads and writes the binary protocol of Apache Thrift without generated types: a struct is a map
// of its fields by number.
//
// The protocol of SQL warehouses has 160 types, and a client needs thirty of them. The generated types of the
// vendor's driver are 29,000 lines and not exported. Bytes that are read are not copied: batches of rows are slices
// of the response.
package thrift

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Struct maps the numbers of a struct's fields to their values. The values are bool, int8, int16, int32, int64,
// float64, []byte (also for strings), Struct, []any, and map[string]string or map[string]Struct. [Append] also accepts
// string, []Struct and []string.
type Struct map[int16]any

// Text returns a field that holds a string; "" if it is missing.
func (s Struct) Text(id int16) string {
	b, _ := s[id].([]byte)
	return string(b)
}

// Bytes returns a field that holds bytes; nil if it is missing.
func (s Struct) Bytes(id int16) []byte {
	b, _ := s[id].([]byte)
	return b
}

// Int returns a field that holds an integer of any width; 0 if it is missing.
func (s Struct) Int(id int16) int64 {
	switch v := s[id].(type) {
	case int8:
		return int64(v)
	case int16:
		return int64(v)
	case int32:
		return int64(v)
	case int64:
		return v
	}
	return 0
}

// Bool returns a field that holds a boolean; false if it is missing.
func (s Struct) Bool(id int16) bool {
	b, _ := s[id].(bool)
	return b
}

// Struct returns a field that holds a struct; nil if it is missing. Reading from nil is like reading from an empty one.
func (s Struct) Struct(id int16) Struct {
	v, _ := s[id].(Struct)
	return v
}

// List returns a field that holds a list or a set; nil if it is missing.
func (s Struct) List(id int16) []any {
	v, _ := s[id].([]any)
	return v
}

// Structs returns the structs of a field that holds a list of structs.
func (s Struct) Structs(id int16) []Struct {
	list := s.List(id)
	out := make([]Struct, 0, len(list))
	for _, v := range list {
		if x, ok := v.(Struct); ok {
			out = append(out, x)
		}
	}
	return out
}

// Map returns a field that holds a map from strings to strings; nil if it is missing.
func (s Struct) Map(id int16) map[string]string {
	m, _ := s[id].(map[string]string)
	return m
}

// Entry returns the value of a key in a map of structs, or nil if it is missing.
func (s Struct) Entry(id int16, key string) Struct {
	m, _ := s[id].(map[string]Struct)
	return m[key]
}

// The kinds of messages.
const (
	Call      = 1
	Reply     = 2
	Exception = 3
)

// Message is a call or the reply to one.
type Message struct {
	Name   string
	Kind   byte
	Seq    int32
	Fields Struct
}

const version = 0x80010000

// The numbers of types on the wire.
const (
	tStop   = 0
	tBool   = 2
	tByte   = 3
	tDouble = 4
	tI16    = 6
	tI32    = 8
	tI64    = 10
	tString = 11
	tStruct = 12
	tMap    = 13
	tSet    = 14
	tList   = 15
)

// Append appends the encoding of a message to b. It panics if a field has a type that [Struct] does not list.
func Append(b []byte, m Message) []byte {
	b = binary.BigEndian.AppendUint32(b, version|uint32(m.Kind))
	b = appendBytes(b, m.Name)
	b = binary.BigEndian.AppendUint32(b, uint32(m.Seq)) //nolint:gosec // the same bits
	return appendStruct(b, m.Fields)
}

func appendBytes[T string | []byte](b []byte, v T) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(v))) //nolint:gosec // a message is far below 2 GiB
	return append(b, v...)
}

func appendStruct(b []byte, s Struct) []byte {
	for _, id := range slices.Sorted(maps.Keys(s)) {
		b = append(b, typeOf(s[id]))
		b = binary.BigEndian.AppendUint16(b, uint16(id)) //nolint:gosec // the same bits
		b = appendValue(b, s[id])
	}
	return append(b, tStop)
}

func typeOf(v any) byte {
	switch v.(type) {
	case bool:
		return tBool
	case int8:
		return tByte
	case int16:
		return tI16
	case int32:
		return tI32
	case int64:
		return tI64
	case float64:
		return tDouble
	case string, []byte:
		return tString
	case Struct:
		return tStruct
	case map[string]string, map[string]Struct:
		return tMap
	case []any, []Struct, []string:
		return tList
	}
	panic(fmt.Sprintf("thrift: a field of type %T", v))
}

func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case bool:
		if v {
			return append(b, 1)
		}
		return append(b, 0)
	case int8:
		return append(b, byte(v)) //nolint:gosec // the same bits
	case int16:
		return binary.BigEndian.AppendUint16(b, uint16(v)) //nolint:gosec // the same bits
	case int32:
		return binary.BigEndian.AppendUint32(b, uint32(v)) //nolint:gosec // the same bits
	case int64:
		return binary.BigEndian.AppendUint64(b, uint64(v)) //nolint:gosec // the same bits
	case float64:
		return binary.BigEndian.AppendUint64(b, math.Float64bits(v))
	case string:
		return appendBytes(b, v)
	case []byte:
		return appendBytes(b, v)
	case Struct:
		return appendStruct(b, v)
	case map[string]string:
		b = append(b, tString, tString)
		b = binary.BigEndian.AppendUint32(b, uint32(len(v))) //nolint:gosec // small
		for _, k := range slices.Sorted(maps.Keys(v)) {
			b = appendBytes(appendBytes(b, k), v[k])
		}
	case map[string]Struct:
		b = append(b, tString, tStruct)
		b = binary.BigEndian.AppendUint32(b, uint32(len(v))) //nolint:gosec // small
		for _, k := range slices.Sorted(maps.Keys(v)) {
			b = appendStruct(appendBytes(b, k), v[k])
		}
	case []Struct:
		return appendList(b, tStruct, v)
	case []string:
		return appendList(b, tString, v)
	case []any:
		t := byte(tStruct)
		if len(v) > 0 {
			t = typeOf(v[0])
		}
		return appendList(b, t, v)
	}
	return b
}

func appendList[T any](b []byte, t byte, list []T) []byte {
	b = append(b, t)
	b = binary.BigEndian.AppendUint32(b, uint32(len(list))) //nolint:gosec // small
	for _, x := range list {
		b = appendValue(b, x)
	}
	return b
}

// ErrBroken is the error for bytes that end early or are not a message.
var ErrBroken = errors.New("malformed message of the Thrift binary protocol")

// maxDepth is the maximum nesting of structs.
const maxDepth = 64

// Parse reads a message. Bytes in it are slices of b. It returns [ErrBroken] for malformed bytes.
func Parse(b []byte) (Message, error) {
	r := reader{b: b}
	head := r.u32()
	if head&0xffff0000 != version {
		return Message{}, ErrBroken
	}
	m := Message{Kind: byte(head), Name: string(r.bytes()), Seq: int32(r.u32())} //nolint:gosec // the same bits
	m.Fields = r.structure(0)
	if r.broken {
		return Message{}, ErrBroken
	}
	return m, nil
}

// reader decodes b. After the first malformed byte, broken is true, and all further values are zero.
type reader struct {
	b      []byte
	broken bool
}

func (r *reader) take(n int) []byte {
	if r.broken || n < 0 || n > len(r.b) {
		r.broken = true
		return make([]byte, min(max(n, 0), 8))
	}
	out := r.b[:n:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) u8() byte    { return r.take(1)[0] }
func (r *reader) u16() uint16 { return binary.BigEndian.Uint16(r.take(2)) }
func (r *reader) u32() uint32 { return binary.BigEndian.Uint32(r.take(4)) }
func (r *reader) u64() uint64 { return binary.BigEndian.Uint64(r.take(8)) }

func (r *reader) bytes() []byte {
	n := r.u32()
	if n > math.MaxInt32 {
		r.broken = true
		return nil
	}
	return r.take(int(n))
}

// count reads the number of elements that follow, and checks that b has at least one byte for each.
func (r *reader) count() int {
	n := r.u32()
	if int64(n) > int64(len(r.b)) {
		r.broken = true
		return 0
	}
	return int(n)
}

func (r *reader) structure(depth int) Struct {
	s := Struct{}
	if depth > maxDepth {
		r.broken = true
	}
	for !r.broken {
		t := r.u8()
		if t == tStop {
			break
		}
		id := int16(r.u16()) //nolint:gosec // the same bits
		s[id] = r.value(t, depth)
	}
	return s
}

func (r *reader) value(t byte, depth int) any {
	if depth > maxDepth {
		r.broken = true
		return nil
	}
	switch t {
	case tBool:
		return r.u8() != 0
	case tByte:
		return int8(r.u8()) //nolint:gosec // the same bits
	case tI16:
		return int16(r.u16()) //nolint:gosec // the same bits
	case tI32:
		return int32(r.u32()) //nolint:gosec // the same bits
	case tI64:
		return int64(r.u64()) //nolint:gosec // the same bits
	case tDouble:
		return math.Float64frombits(r.u64())
	case tString:
		return r.bytes()
	case tStruct:
		return r.structure(depth + 1)
	case tMap:
		return r.dictionary(depth)
	case tSet, tList:
		elem := r.u8()
		n := r.count()
		list := make([]any, 0, min(n, 1024))
		for range n {
			if r.broken {
				return nil
			}
			list = append(list, r.value(elem, depth+1))
		}
		return list
	}
	r.broken = true
	return nil
}

// dictionary reads a map with keys that are strings. Values other than strings and structs are discarded.
func (r *reader) dictionary(depth int) any {
	key, elem := r.u8(), r.u8()
	n := r.count()
	texts, structs := map[string]string{}, map[string]Struct{}
	for range n {
		if r.broken {
			return nil
		}
		k, _ := r.value(key, depth+1).([]byte)
		switch v := r.value(elem, depth+1).(type) {
		case []byte:
			texts[string(k)] = string(v)
		case Struct:
			structs[string(k)] = v
		}
	}
	if elem == tStruct {
		return structs
	}
	return texts
}
