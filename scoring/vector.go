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

// takes reports whether the column holds values of type t as they are, giving it that type if it has
// none.
func (b *Builder) takes(t Type) bool {
	if b.Type == Null {
		b.become(t)
	}
	return b.Type == t
}

// AppendInts appends the underlying vector of BOOL (0 and 1), INT64, DATE (days) or TIME (nanoseconds since
// midnight) values of type t.
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

// grown makes room for n more elements, and in a short vector for as many as it has: append alone would copy it several
// times over. A long one gets half as many, since the old vector stays in memory until garbage is collected.
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

// longVector is a length of vectors of numbers that take some MiB.
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

// AppendDecimals appends the DECIMAL values unscaled / 10^scale.
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

// AppendTimestamps appends TIMESTAMP or TIMESTAMPTZ values: seconds since 1970-01-01 00:00 and the
// nanoseconds of the second, in [0, 1e9). Nil nanos means that all are whole seconds.
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

// AppendTexts appends STRING, BYTES or JSON values of type t, copying them. text holds the concatenated values.
// offsets has one element more than there are values: the start of each value and the end of the last, counted from
// a point offsets[0] bytes before text. A column holds at most 4 GiB of text.
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
	hidden := false // text of a NULL
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

// IntColumn returns a column of BOOL, INT64, DATE or TIME values. It retains the slices. nulls has bit i&63 of word
// i>>6 set if value i is NULL, is only as long as the last NULL needs (nil without any), and values hold 0 there.
func IntColumn(name string, t Type, values []int64, nulls []uint64) Column {
	return Column{Name: name, Type: t, n: len(values), ints: values, nulls: nulls}
}

// TextColumn returns a column of STRING, BYTES or JSON values that follow each other in text, value i ending before
// ends[i]. It uses the slices without a copy; nulls is that of [IntColumn], and a NULL is empty.
func TextColumn(name string, t Type, text []byte, ends []uint32, nulls []uint64) Column {
	return Column{Name: name, Type: t, n: len(ends), text: text, ends: ends, nulls: nulls}
}

// Texts returns the underlying vectors of a STRING, BYTES or JSON column: the concatenated values, and the end of
// each. They must not be changed.
func (c *Column) Texts() (text []byte, ends []uint32) { return c.text, c.ends }

// Nulls gives the marks of the column's NULLs: bit i&63 of word i>>6, if there is such a word, is
// set where value i is NULL. It is nil for a NULL and an ANY column, which keep none. It must not
// be changed.
func (c *Column) Nulls() []uint64 { return c.nulls }
