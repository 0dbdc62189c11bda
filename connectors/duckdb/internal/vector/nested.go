package vector

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/badger-eval/badger/internal/errcode"
)

// enum sets the column's type to a dictionary with the ENUM's values.
func (c *Column) enum(t mapping.LogicalType) error {
	index := map[mapping.Type]arrow.FixedWidthDataType{
		mapping.TypeUTinyInt: &arrow.Uint8Type{}, mapping.TypeUSmallInt: &arrow.Uint16Type{},
		mapping.TypeUInteger: &arrow.Uint32Type{},
	}[mapping.EnumInternalType(t)]
	if index == nil {
		return errcode.New(errcode.Internal, "an enumeration of an unknown width")
	}
	b := array.NewStringBuilder(c.mem)
	defer b.Release()
	for i := range mapping.EnumDictionarySize(t) {
		b.Append(mapping.EnumDictionaryValue(t, mapping.IdxT(i)))
	}
	c.words = b.NewArray()
	c.field.Type = &arrow.DictionaryType{IndexType: index, ValueType: arrow.BinaryTypes.String}
	c.width = index.Bytes()
	c.build = (*Column).dictionary
	return nil
}

func (c *Column) dictionary(v mapping.Vector, n int) (arrow.ArrayData, error) {
	b := c.buffer(n * c.width)
	copy(b.Bytes(), raw(v, n*c.width))
	present, nulls := c.validity(v, n)
	buffers := []*memory.Buffer{present, b}
	d := array.NewDataWithDictionary(c.field.Type, n, buffers, nulls, 0, c.words.Data().(*array.Data))
	for _, buf := range buffers {
		if buf != nil {
			buf.Release()
		}
	}
	return d, nil
}

// nested sets the Arrow type from the types inside a list, array, map, struct or union.
func (c *Column) nested(id mapping.Type, t mapping.LogicalType) error {
	add := func(name string, child mapping.LogicalType) error {
		defer mapping.DestroyLogicalType(&child)
		sub, err := NewColumn(child, c.mem)
		sub.field.Name = name
		c.children = append(c.children, sub)
		return err
	}
	fields := func() []arrow.Field {
		f := make([]arrow.Field, len(c.children))
		for i := range f {
			f[i] = c.children[i].field
		}
		return f
	}
	switch id {
	case mapping.TypeList:
		if err := add("item", mapping.ListTypeChildType(t)); err != nil {
			return err
		}
		c.field.Type, c.build = arrow.ListOfField(c.children[0].field), (*Column).lists
	case mapping.TypeArray:
		if err := add("item", mapping.ArrayTypeChildType(t)); err != nil {
			return err
		}
		c.width = int(mapping.ArrayTypeArraySize(t))                                                              //nolint:gosec // the engine allows 100000
		c.field.Type, c.build = arrow.FixedSizeListOfField(int32(c.width), c.children[0].field), (*Column).arrays //nolint:gosec // see above
	case mapping.TypeMap:
		pair := Column{mem: c.mem, field: arrow.Field{Name: "entries"}, build: (*Column).structs}
		for i, child := range []mapping.LogicalType{mapping.MapTypeKeyType(t), mapping.MapTypeValueType(t)} {
			sub, err := NewColumn(child, c.mem)
			mapping.DestroyLogicalType(&child)
			if err != nil {
				return err
			}
			sub.field.Name = [...]string{"key", "value"}[i]
			sub.field.Nullable = i == 1
			pair.children = append(pair.children, sub)
		}
		pair.field.Type = arrow.StructOf(pair.children[0].field, pair.children[1].field)
		c.children = []Column{pair}
		c.field.Type, c.build = arrow.MapOfWithMetadata(pair.children[0].field.Type, pair.children[0].field.Metadata,
			pair.children[1].field.Type, pair.children[1].field.Metadata), (*Column).lists
	case mapping.TypeStruct:
		for i := range mapping.StructTypeChildCount(t) {
			if err := add(mapping.StructTypeChildName(t, i), mapping.StructTypeChildType(t, i)); err != nil {
				return err
			}
		}
		c.field.Type, c.build = arrow.StructOf(fields()...), (*Column).structs
	case mapping.TypeUnion:
		var codes []arrow.UnionTypeCode
		for i := range mapping.UnionTypeMemberCount(t) {
			if err := add(mapping.UnionTypeMemberName(t, i), mapping.UnionTypeMemberType(t, i)); err != nil {
				return err
			}
			codes = append(codes, arrow.UnionTypeCode(i)) //nolint:gosec // the engine allows 256
		}
		if len(codes) > math.MaxInt8 {
			return errcode.Unread("a union of %d members", len(codes))
		}
		c.field.Type, c.build = arrow.SparseUnionOf(fields(), codes), (*Column).unions
	}
	return nil
}

// entry is the range of a list's items among the items of all lists.
type entry struct{ offset, length uint64 }

// lists returns lists. If the items are not stored in the order of their lists, they are gathered in that order.
func (c *Column) lists(v mapping.Vector, n int) (arrow.ArrayData, error) {
	size := int(mapping.ListVectorGetSize(v)) //nolint:gosec // fits the memory
	items, err := c.children[0].inner(mapping.ListVectorGetChild(v), size)
	if err != nil {
		return nil, err
	}
	entries, present := values[entry](v, n), mask(v, n)
	offsets := c.buffer(4 * (n + 1))
	ends := arrow.Int32Traits.CastFromBytes(offsets.Bytes())
	ends[0] = 0
	next, ordered := uint64(0), true
	for i, e := range entries {
		if !valid(present, i) {
			e.length = 0
		}
		if e.length > 0 {
			ordered = ordered && e.offset == next
			next += e.length
		}
		if next > math.MaxInt32 {
			items.Release()
			offsets.Release()
			return nil, errcode.New(errcode.ResourceExhausted, "more than 2^31 items in %d lists", n)
		}
		ends[i+1] = int32(next) //nolint:gosec // checked above
	}
	if !ordered {
		inOrder, err := c.gather(items, entries, present)
		items.Release()
		if err != nil {
			offsets.Release()
			return nil, err
		}
		items = inOrder
	}
	return c.data(v, n, []*memory.Buffer{offsets}, []arrow.ArrayData{items}), nil
}

func (c *Column) gather(items arrow.ArrayData, entries []entry, present []uint64) (arrow.ArrayData, error) {
	all := array.MakeFromData(items)
	defer all.Release()
	var slices []arrow.Array
	defer func() {
		for _, s := range slices {
			s.Release()
		}
	}()
	for i, e := range entries {
		if valid(present, i) && e.length > 0 {
			slices = append(slices, array.NewSlice(all, int64(e.offset), int64(e.offset+e.length))) //nolint:gosec // inside of the items
		}
	}
	joined, err := array.Concatenate(slices, c.mem)
	if err != nil {
		return nil, errcode.Unread("lists of this type in this order cannot be read: %w", err)
	}
	defer joined.Release()
	d := joined.Data()
	d.Retain()
	return d, nil
}

func (c *Column) arrays(v mapping.Vector, n int) (arrow.ArrayData, error) {
	items, err := c.children[0].inner(mapping.ArrayVectorGetChild(v), n*c.width)
	if err != nil {
		return nil, err
	}
	return c.data(v, n, nil, []arrow.ArrayData{items}), nil
}

func (c *Column) fieldsOf(v mapping.Vector, n, first int) ([]arrow.ArrayData, error) {
	var out []arrow.ArrayData
	for i := range c.children {
		d, err := c.children[i].inner(mapping.StructVectorGetChild(v, mapping.IdxT(first+i)), n) //nolint:gosec // few
		if err != nil {
			for _, d := range out {
				d.Release()
			}
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

func (c *Column) structs(v mapping.Vector, n int) (arrow.ArrayData, error) {
	children, err := c.fieldsOf(v, n, 0)
	if err != nil {
		return nil, err
	}
	return c.data(v, n, nil, children), nil
}

// unions returns unions. The engine stores them as structs whose first field is the index of the member with the value.
// A NULL union is read as a NULL of its first member.
func (c *Column) unions(v mapping.Vector, n int) (arrow.ArrayData, error) {
	children, err := c.fieldsOf(v, n, 1)
	if err != nil {
		return nil, err
	}
	present := mask(v, n)
	b := c.buffer(n)
	for i, tag := range values[uint8](mapping.StructVectorGetChild(v, 0), n) {
		if !valid(present, i) || int(tag) >= len(children) {
			tag = 0
		}
		b.Bytes()[i] = tag
	}
	d := array.NewData(c.field.Type, n, []*memory.Buffer{nil, b}, children, 0, 0)
	b.Release()
	for _, child := range children {
		child.Release()
	}
	return d, nil
}
