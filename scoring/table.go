package scoring

import (
	"math"
	"math/big"
	"unsafe"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/halt"
)

// Table is a query result: columns of equal length, in the order the query gave them. Column names
// may repeat or be empty.
type Table struct {
	Columns []Column
	Notes   []string // what its reader took otherwise than it is given, such as a type of unknown name; for people
	rows    int
}

// NewTable makes a table of columns of equal length.
func NewTable(columns ...Column) (*Table, error) {
	t := &Table{Columns: columns}
	for i := range columns {
		if i > 0 && columns[i].n != t.rows {
			return nil, errcode.New(errcode.InvalidArgument, "column %d (%q) has %d rows, the ones before it %d", i+1,
				columns[i].Name, columns[i].n, t.rows)
		}
		t.rows = columns[i].n
	}
	return t, nil
}

// EmptyTable makes a table without columns that still has a number of rows.
func EmptyTable(rows int) *Table { return &Table{rows: rows} }

// Rows is the number of rows.
func (t *Table) Rows() int { return t.rows }

// MemoryBytes is the size of the column so far in memory.
func (b *Builder) MemoryBytes() int64 { return (*Column)(b).memoryBytes() }

// MemoryBytes is the size of the table's data in memory, headers left out.
func (t *Table) MemoryBytes() int64 {
	var n int64
	for i := range t.Columns {
		n += t.Columns[i].memoryBytes()
	}
	return n
}

// cellBytes is the size of a value in a column of several kinds.
const cellBytes = 64

func (c *Column) memoryBytes() int64 {
	n := int64(8*len(c.nulls)+8*len(c.ints)+4*len(c.nanos)+8*len(c.floats)+len(c.text)+4*len(c.ends)+cellBytes*len(
		c.cells)+48*len(c.bigs)) + c.extra
	for _, b := range c.bigs {
		n += int64(8 * len(b.Bits()))
	}
	return n
}

// Column is a named vector of values of the same type. Values are stored densely (8 bytes for numbers and times,
// the bytes themselves for strings), so a column of a million rows needs only a few allocations. Use a [Builder] to
// build one.
type Column struct {
	Name string
	Type Type
	// Scale is the number of decimal digits of a DECIMAL column; every value has it. For a FLOAT64 column that was
	// read from text it is the maximal number with which a value was written, since rounded values show it. The
	// zero of 3.0 is not counted: programs print whole doubles in this way.
	Scale int32
	// Written describes how numbers were written that were read from text without types, such as CSV.
	Written Written

	n      int
	nulls  []uint64 // bit set: NULL; as long as the last NULL needs
	ints   []int64  // Bool, Int64, Decimal, Date, Time, seconds of timestamps
	nanos  []int32  // timestamps; nil while all are whole seconds
	floats []float64
	bigs   []*big.Int // Decimal, once one value needs more than 64 bits; ints is nil then
	text   []byte     // String, Bytes, JSON: all values concatenated …
	ends   []uint32   // … and where each ends
	cells  []Value    // Any
	extra  int64      // bytes of the strings and the large numbers of cells

	halt *halt.Signal      // of the computation that the column is read for; may be nil
	room func(int64) error // of a column that is built, see [Builder.Bound]; may be nil
}

// Written is how the numbers with decimal digits in a column were written.
type Written uint8

// 1.10 is padded, 1.1 and 1.0 are plain. Values that were not read from text have no spelling.
const (
	NotWritten Written = iota
	WrittenPlain
	WrittenPadded
)

// Len is the number of values.
func (c *Column) Len() int { return c.n }

// IsNull reports whether value i is NULL.
func (c *Column) IsNull(i int) bool {
	if c.Type == Null {
		return true
	}
	if c.cells != nil {
		return c.cells[i].Type == Null
	}
	w := i >> 6
	return w < len(c.nulls) && c.nulls[w]&(1<<(i&63)) != 0
}

// HasNulls reports whether any value is NULL.
func (c *Column) HasNulls() bool {
	if c.Type == Null {
		return c.n > 0
	}
	if c.cells != nil {
		for i := range c.cells {
			if c.cells[i].Type == Null {
				return true
			}
		}
	}
	return c.nulls != nil
}

// Ints returns the underlying vector of a BOOL (0 and 1), INT64, DATE (days), TIME (nanoseconds), timestamp
// (seconds) or DECIMAL (unscaled; nil if a value needs more than 64 bits) column. It must not be changed. NULLs
// hold 0.
func (c *Column) Ints() []int64 { return c.ints }

// Nanos gives the nanoseconds of a timestamp column, or nil if all are 0.
func (c *Column) Nanos() []int32 { return c.nanos }

// Floats returns the underlying vector of a FLOAT64 column. It must not be changed. NULLs hold 0.
func (c *Column) Floats() []float64 { return c.floats }

// Text returns value i of a STRING, BYTES or JSON column without copying it; NULL is "".
func (c *Column) Text(i int) string {
	start := uint32(0)
	if i > 0 {
		start = c.ends[i-1]
	}
	end := c.ends[i]
	if start == end {
		return ""
	}
	return unsafe.String(&c.text[start], int(end-start))
}

// Value returns value i.
func (c *Column) Value(i int) Value {
	if c.IsNull(i) {
		return Value{}
	}
	switch c.Type {
	case Float64:
		return FloatValue(c.floats[i])
	case Decimal:
		if c.bigs != nil {
			return BigDecimalValue(c.bigs[i], c.Scale)
		}
		return DecimalValue(c.ints[i], c.Scale)
	case String, Bytes, JSON:
		return Value{Type: c.Type, text: c.Text(i)}
	case Timestamp, TimestampTZ:
		v := Value{Type: c.Type, num: c.ints[i]}
		if c.nanos != nil {
			v.aux = c.nanos[i]
		}
		return v
	case Any:
		return c.cells[i]
	}
	return Value{Type: c.Type, num: c.ints[i]}
}

// Builder grows a column. If the initial type is [Null], the first value that is not NULL decides the type. A value
// of another type widens the column: INT64 to DECIMAL or FLOAT64 if that is lossless, else to [Any].
type Builder Column

// NewBuilder starts a column. A [Null] type is decided by the values. room is a guess at the number
// of values.
func NewBuilder(name string, t Type, room int) *Builder {
	b := &Builder{Name: name, Type: t}
	b.reserve(room)
	return b
}

// Bound makes the builder call room before a value makes the whole column take n bytes more, as the first text in a
// column of numbers does. An error of room ends the building: the builder panics with a [NoRoom] of it.
func (b *Builder) Bound(room func(n int64) error) { b.room = room }

// NoRoom is the value of a builder's panic, see [Builder.Bound].
type NoRoom struct{ Err error }

func (e NoRoom) Error() string { return e.Err.Error() }

// Unwrap returns the error of the function that [Builder.Bound] was given.
func (e NoRoom) Unwrap() error { return e.Err }

// unaskedRoom is the size that a column may grow by at once without a question.
const unaskedRoom = 64 << 10

// makeRoom is called before all values so far take n bytes more each.
func (b *Builder) makeRoom(n int64) {
	if n *= int64(b.n); b.room == nil || n < unaskedRoom {
		return
	}
	if err := b.room(n); err != nil {
		panic(NoRoom{err})
	}
}

func (b *Builder) reserve(room int) {
	if room <= 0 {
		return
	}
	switch c := (*Column)(b); c.Type {
	case Float64:
		c.floats = make([]float64, 0, room)
	case String, Bytes, JSON:
		c.ends = make([]uint32, 0, room)
		c.text = make([]byte, 0, 8*room)
	case Any:
		c.cells = make([]Value, 0, room)
	case Null:
	default:
		c.ints = make([]int64, 0, room)
	}
}

// Len is the number of values so far.
func (b *Builder) Len() int { return b.n }

// AppendNull appends NULL.
func (b *Builder) AppendNull() {
	c := (*Column)(b)
	switch c.Type {
	case Null:
		c.n++
		return
	case Any:
		c.cells = append(c.cells, Value{})
		c.n++
		return
	case Float64:
		c.floats = append(c.floats, 0)
	case String, Bytes, JSON:
		c.ends = append(c.ends, uint32(len(c.text))) //nolint:gosec // bounded in AppendText
	case Decimal:
		if c.bigs != nil {
			c.bigs = append(c.bigs, zero)
		} else {
			c.ints = append(c.ints, 0)
		}
	default:
		c.ints = append(c.ints, 0)
		if c.nanos != nil {
			c.nanos = append(c.nanos, 0)
		}
	}
	b.markNull(c.n)
	c.n++
}

var zero = new(big.Int)

func (b *Builder) markNull(i int) {
	for len(b.nulls) <= i>>6 {
		b.nulls = append(b.nulls, 0)
	}
	b.nulls[i>>6] |= 1 << (i & 63)
}

// AppendInt appends an INT64.
func (b *Builder) AppendInt(v int64) {
	if b.Type != Int64 {
		b.Append(IntValue(v))
		return
	}
	b.ints = append(b.ints, v)
	b.n++
}

// AppendFloat appends a FLOAT64.
func (b *Builder) AppendFloat(v float64) {
	if b.Type != Float64 {
		b.Append(FloatValue(v))
		return
	}
	b.floats = append(b.floats, v)
	b.n++
}

// AppendText appends a STRING, BYTES or JSON, copying it. A column holds at most 4 GiB of text.
func (b *Builder) AppendText(t Type, v []byte) error {
	if b.Type == Null {
		b.become(t)
	}
	if b.Type != t {
		b.Append(Value{Type: t, text: string(v)})
		return nil
	}
	c := (*Column)(b)
	if len(c.text)+len(v) > math.MaxUint32 {
		return errcode.New(errcode.ResourceExhausted, "column %q, row %d: more than 4 GiB of text in one column", c.Name,
			c.n+1)
	}
	c.text = append(c.text, v...)
	c.ends = append(c.ends, uint32(len(c.text))) //nolint:gosec // checked above
	c.n++
	return nil
}

// Append appends any value, and widens the column if necessary.
func (b *Builder) Append(v Value) {
	c := (*Column)(b)
	if v.Type == Null {
		b.AppendNull()
		return
	}
	if v.Type == Decimal && v.aux < 0 { // columns hold no negative scales
		v = BigDecimalValue(scaled(v.num, v.big, -v.aux), 0)
	}
	if c.Type == Null {
		b.become(v.Type)
	}
	switch {
	case c.Type == Any:
	case v.Type == Decimal && v.aux > maxScale && (c.Type == Decimal || c.Type == Int64):
		b.becomeAny()
	case c.Type == v.Type:
	case c.Type == Decimal && v.Type == Int64:
		v = DecimalValue(v.num, 0)
	case c.Type == Int64 && v.Type == Decimal:
		c.Type = Decimal
	default:
		b.becomeAny()
	}
	switch c.Type {
	case Any:
		b.appendCell(v)
	case Float64:
		c.floats = append(c.floats, v.Float())
	case Decimal:
		b.appendDecimal(v)
	case String, Bytes, JSON:
		if len(c.text)+len(v.text) > math.MaxUint32 {
			b.becomeAny()
			b.appendCell(v)
			break
		}
		c.text = append(c.text, v.text...)
		c.ends = append(c.ends, uint32(len(c.text))) //nolint:gosec // checked above
	case Timestamp, TimestampTZ:
		if v.aux != 0 && c.nanos == nil {
			c.nanos = make([]int32, c.n, max(c.n+1, cap(c.ints)))
		}
		if c.nanos != nil {
			c.nanos = append(c.nanos, v.aux)
		}
		c.ints = append(c.ints, v.num)
	default:
		c.ints = append(c.ints, v.num)
	}
	c.n++
}

// become gives a column that held only NULLs its type.
func (b *Builder) become(t Type) {
	n := b.n
	b.Type, b.n = t, 0
	b.reserve(n + 16)
	for range n {
		b.AppendNull()
	}
}

func (b *Builder) becomeAny() {
	c := (*Column)(b)
	if c.Type == Any {
		return
	}
	b.makeRoom(cellBytes)
	cells, extra := make([]Value, c.n, c.n+8), int64(0)
	for i := range cells {
		cells[i] = c.Value(i)
		extra += cells[i].extraBytes()
	}
	*c = Column{Name: c.Name, Type: Any, n: c.n, cells: cells, extra: extra, room: c.room}
}

func (b *Builder) appendCell(v Value) {
	b.cells = append(b.cells, v)
	b.extra += v.extraBytes()
}

// extraBytes returns the number of bytes that a value refers to.
func (v *Value) extraBytes() int64 {
	n := int64(len(v.text))
	if v.big != nil {
		n += 48 + int64(8*len(v.big.Bits()))
	}
	return n
}

// maxScale is the maximal number of decimal digits that all values of a DECIMAL column may have because of one of
// them: more than any warehouse's type. A column with a value beyond is ANY, so that 1e-1000 among a million
// integers does not create a million numbers of a thousand digits.
const maxScale = 100

// appendDecimal appends at the column's scale, raising the scale of all values before where v has
// more digits.
func (b *Builder) appendDecimal(v Value) {
	c := (*Column)(b)
	if v.aux > c.Scale {
		up := v.aux - c.Scale
		c.Scale = v.aux
		if c.bigs == nil {
			for i, u := range c.ints {
				w, ok := mulPow10(u, up)
				if !ok {
					b.widen(i, up)
					break
				}
				c.ints[i] = w
			}
		} else {
			b.makeRoom(bigBytes) // the numbers before are garbage from then on
			for i, u := range c.bigs {
				c.bigs[i] = scaled(0, u, up)
			}
		}
	}
	if c.bigs == nil && v.big == nil {
		if u, ok := mulPow10(v.num, c.Scale-v.aux); ok {
			c.ints = append(c.ints, u)
			return
		}
	}
	if c.bigs == nil {
		b.widen(c.n, 0)
	}
	c.bigs = append(c.bigs, scaled(v.num, v.big, c.Scale-v.aux))
}

// bigBytes is the size of a number of a few words beyond 64 bits.
const bigBytes = 96

// widen moves a decimal column to unlimited digits; the values from first on are still to be scaled
// up.
func (b *Builder) widen(first int, up int32) {
	c := (*Column)(b)
	b.makeRoom(bigBytes)
	c.bigs = make([]*big.Int, len(c.ints), cap(c.ints)+1)
	for i, u := range c.ints {
		if i < first {
			c.bigs[i] = big.NewInt(u)
		} else {
			c.bigs[i] = scaled(u, nil, up)
		}
	}
	c.ints = nil
}

var pow10 = [...]int64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
	1e18}

func mulPow10(v int64, by int32) (int64, bool) {
	if by == 0 || v == 0 {
		return v, true
	}
	if int(by) >= len(pow10) {
		return 0, false
	}
	p := pow10[by]
	if v > math.MaxInt64/p || v < math.MinInt64/p {
		return 0, false
	}
	return v * p, true
}

func scaled(v int64, wide *big.Int, by int32) *big.Int {
	if wide == nil {
		wide = big.NewInt(v)
	}
	if by == 0 {
		return wide
	}
	p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(by)), nil)
	return p.Mul(p, wide)
}

// Column ends the building and returns the column.
func (b *Builder) Column() Column {
	c := Column(*b)
	c.room = nil
	return c
}
