package scoring

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/badger-eval/badger/internal/errcode"
)

// Validity reports which values of a vector are present, as the bitmaps of columnar formats do: bit Offset+i of
// Bits, counted from the lowest bit of the first byte, is set if value i is not NULL. Nil Bits means that all are
// present.
type Validity struct {
	Bits   []byte
	Offset int
}

// IsNull reports whether value i is NULL.
func (v Validity) IsNull(i int) bool {
	i += v.Offset
	return v.Bits != nil && v.Bits[i>>3]&(1<<(i&7)) == 0
}

// nulls calls f for every NULL among the first n values, in order.
func (v Validity) nulls(n int, f func(i int)) {
	if v.Bits == nil {
		return
	}
	for i := 0; i < n; {
		p := v.Offset + i
		if p&7 == 0 && n-i >= 64 && len(v.Bits)-p>>3 >= 8 {
			missing := ^binary.LittleEndian.Uint64(v.Bits[p>>3:])
			for ; missing != 0; missing &= missing - 1 {
				f(i + bits.TrailingZeros64(missing))
			}
			i += 64
			continue
		}
		if v.Bits[p>>3]&(1<<(p&7)) == 0 {
			f(i)
		}
		i++
	}
}

// takes reports whether values of type t can be appended without a conversion of the column. If the column has no
// type yet, it sets the type to t.
func (b *Builder) takes(t Type) bool {
	if b.Type == Null {
		b.become(t)
	}
	return b.Type == t
}

// AppendInts appends a vector of values of type t: BOOL (0 and 1), INT64, DATE (days) or TIME (nanoseconds since
// midnight).
func (b *Builder) AppendInts(t Type, values []int64, valid Validity) {
	if len(values) == 0 {
		return
	}
	if !b.takes(t) {
		b.appendEach(len(values), valid, func(i int) Value { return Value{Type: t, num: values[i]} })
		return
	}
	b.extendInts(values, valid)
}

func (b *Builder) extendInts(values []int64, valid Validity) {
	c, start := (*Column)(b), b.n
	c.ints = append(grown(c.ints, len(values)), values...)
	valid.nulls(len(values), func(i int) {
		c.ints[start+i] = 0
		b.markNull(start + i)
	})
	c.n += len(values)
}

// grown returns s with capacity for at least n more elements: it doubles a short slice, and extends a long one by
// half, since the old one stays in memory until it is garbage-collected.
func grown[T any](s []T, n int) []T {
	if len(s)+n <= cap(s) {
		return s
	}
	more := len(s)
	if more > longVector {
		more /= 2
	}
	return slices.Grow(s, max(n, more))
}

// longVector is the length from which grown extends a slice by half. Such a slice of numbers has some MiB.
const longVector = 1 << 19

// AppendFloats appends a vector of FLOAT64 values.
func (b *Builder) AppendFloats(values []float64, valid Validity) {
	if len(values) == 0 {
		return
	}
	if !b.takes(Float64) {
		b.appendEach(len(values), valid, func(i int) Value { return FloatValue(values[i]) })
		return
	}
	c, start := (*Column)(b), b.n
	c.floats = append(grown(c.floats, len(values)), values...)
	valid.nulls(len(values), func(i int) {
		c.floats[start+i] = 0
		b.markNull(start + i)
	})
	c.n += len(values)
}

// AppendDecimals appends the DECIMAL values unscaled[i] / 10^scale.
func (b *Builder) AppendDecimals(unscaled []int64, scale int32, valid Validity) {
	if len(unscaled) == 0 {
		return
	}
	if b.takes(Decimal) && b.n == 0 && scale >= 0 {
		b.Scale = scale
	}
	if c := (*Column)(b); c.Type == Decimal && c.Scale == scale && c.bigs == nil {
		b.extendInts(unscaled, valid)
		return
	}
	b.appendEach(len(unscaled), valid, func(i int) Value { return DecimalValue(unscaled[i], scale) })
}

// AppendTimestamps appends TIMESTAMP or TIMESTAMPTZ values: seconds since 1970-01-01 00:00, and nanoseconds of the
// second in [0, 1e9). If nanos is nil, all are whole seconds.
func (b *Builder) AppendTimestamps(t Type, seconds []int64, nanos []int32, valid Validity) {
	if len(seconds) == 0 {
		return
	}
	if !b.takes(t) {
		b.appendEach(len(seconds), valid, func(i int) Value {
			v := Value{Type: t, num: seconds[i]}
			if nanos != nil {
				v.aux = nanos[i]
			}
			return v
		})
		return
	}
	c, start := (*Column)(b), b.n
	if nanos != nil && c.nanos == nil {
		c.nanos = make([]int32, start, max(start+len(nanos), cap(c.ints)))
	}
	b.extendInts(seconds, valid)
	switch {
	case nanos != nil:
		c.nanos = append(grown(c.nanos, len(nanos)), nanos...)
		valid.nulls(len(nanos), func(i int) { c.nanos[start+i] = 0 })
	case c.nanos != nil:
		c.nanos = append(c.nanos, make([]int32, len(seconds))...)
	}
}

// AppendTexts appends copies of STRING, BYTES or JSON values of type t. text holds the concatenated values: value i
// is text[offsets[i]-offsets[0] : offsets[i+1]-offsets[0]], so offsets has one element more than there are values. A
// column holds at most 4 GiB of text.
func (b *Builder) AppendTexts(t Type, text []byte, offsets []int32, valid Validity) error {
	n := len(offsets) - 1
	if n <= 0 {
		return nil
	}
	c, first, last := (*Column)(b), offsets[0], offsets[0]
	for _, o := range offsets {
		if o < last || int64(o)-int64(first) > int64(len(text)) {
			return errcode.New(errcode.DataLoss, "text offsets run backwards or beyond the text")
		}
		last = o
	}
	value := func(i int) []byte { return text[offsets[i]-first : offsets[i+1]-first] }
	if !b.takes(t) {
		b.appendEach(n, valid, func(i int) Value { return Value{Type: t, text: string(value(i))} })
		return nil
	}
	text = text[:last-first]
	if len(c.text)+len(text) > math.MaxUint32 {
		return errcode.New(errcode.ResourceExhausted, "column %q, row %d: more than 4 GiB of text in one column", c.Name,
			c.n+n)
	}
	hidden := false // whether a NULL has text, which must be skipped
	valid.nulls(n, func(i int) { hidden = hidden || offsets[i] != offsets[i+1] })
	if hidden {
		for i := range n {
			if valid.IsNull(i) {
				b.AppendNull()
			} else if err := b.AppendText(t, value(i)); err != nil {
				return err
			}
		}
		return nil
	}
	base := int64(len(c.text)) - int64(first)
	c.text = append(grown(c.text, len(text)), text...)
	c.ends = grown(c.ends, n)
	for _, end := range offsets[1:] {
		c.ends = append(c.ends, uint32(base+int64(end))) //nolint:gosec // checked above
	}
	valid.nulls(n, func(i int) { b.markNull(c.n + i) })
	c.n += n
	return nil
}

// AppendNulls appends n NULLs.
func (b *Builder) AppendNulls(n int) {
	if b.Type == Null {
		b.n += n
		return
	}
	for range n {
		b.AppendNull()
	}
}

func (b *Builder) appendEach(n int, valid Validity, value func(i int) Value) {
	for i := range n {
		if valid.IsNull(i) {
			b.AppendNull()
		} else {
			b.Append(value(i))
		}
	}
}

// IntColumn returns a column of BOOL, INT64, DATE or TIME values. It uses the slices without a copy. Bit i&63 of
// nulls[i>>6] is set if value i is NULL, and values[i] is 0 then; nulls is only as long as the last NULL needs, and
// nil if there are none.
func IntColumn(name string, t Type, values []int64, nulls []uint64) Column {
	return Column{Name: name, Type: t, n: len(values), ints: values, nulls: nulls}
}

// TextColumn returns a column of STRING, BYTES or JSON values that are concatenated in text; value i ends before
// ends[i]. It uses the slices without a copy. nulls is as in [IntColumn], and a NULL has no text.
func TextColumn(name string, t Type, text []byte, ends []uint32, nulls []uint64) Column {
	return Column{Name: name, Type: t, n: len(ends), text: text, ends: ends, nulls: nulls}
}

// Texts returns the underlying vectors of a STRING, BYTES or JSON column: the concatenated values, and the index at
// which each ends. They must not be changed.
func (c *Column) Texts() (text []byte, ends []uint32) { return c.text, c.ends }

// Nulls returns the bitmap of the NULLs: bit i&63 of word i>>6 is set if value i is NULL. Words after the last NULL
// are omitted. It is nil for a NULL and an ANY column. It must not be changed.
func (c *Column) Nulls() []uint64 { return c.nulls }
