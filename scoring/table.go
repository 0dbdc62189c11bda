package scoring

import (
	"math"
	"math/big"
	"unsafe"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/halt"
)

// Table is a query result: columns of equal length in the order of the query. Column names may repeat or be empty.
type Table struct {
	Columns []Column
	Notes   []string // remarks for people on what was not read as declared, such as an unknown type name
	rows    int
}

// NewTable returns a table with the columns, or an error if they differ in length.
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

// EmptyTable returns a table with a number of rows but without columns.
func EmptyTable(rows int) *Table { return &Table{rows: rows} }

// Rows returns the number of rows.
func (t *Table) Rows() int { return t.rows }

// MemoryBytes returns the size in bytes of the column's data so far.
func (b *Builder) MemoryBytes() int64 { return (*Column)(b).memoryBytes() }

// MemoryBytes returns the size in bytes of the table's data, without column headers.
func (t *Table) MemoryBytes() int64 {
	var n int64
	for i := range t.Columns {
		n += t.Columns[i].memoryBytes()
	}
	return n
}

// cellBytes is the size in bytes of a value in an ANY column.
const cellBytes = 64

func (c *Column) memoryBytes() int64 {
	n := int64(8*len(c.nulls)+8*len(c.ints)+4*len(c.nanos)+8*len(c.floats)+len(c.text)+4*len(c.ends)+cellBytes*len(
		c.cells)+48*len(c.bigs)) + c.extra
	for _, b := range c.bigs {
		n += int64(8 * len(b.Bits()))
	}
	return n
}

// Column is a named vector of values of one type, or of several if the type is [Any]. Values are stored densely (8
// bytes for numbers and times, the bytes themselves for strings), so a column of a million rows needs only a few
// allocations. Use a [Builder] to build one.
type Column struct {
	Name string
	Type Type
	// Scale is the number of decimal digits of every value in a DECIMAL column. For a FLOAT64 column that was parsed
	// from text it is the largest number of decimal digits with which a value was written, which shows rounding. A
	// single zero, as in 3.0, does not count, since programs print whole doubles so.
	Scale int32
	// Written describes the spelling of the numbers if they were parsed from text without types, such as CSV.
	Written Written

	n      int
	nulls  []uint64 // bit i&63 of word i>>6 is set if value i is NULL; as long as the last NULL needs
	ints   []int64  // values of Bool, Int64, Decimal, Date and Time, and seconds of timestamps
	nanos  []int32  // nanoseconds of timestamps; nil while all are whole seconds
	floats []float64
	bigs   []*big.Int // Decimal, once one value needs more than 64 bits; ints is nil then
	text   []byte     // String, Bytes, JSON: all values concatenated …
	ends   []uint32   // … and where each ends
	cells  []Value    // Any
	extra  int64      // bytes of the strings and the large numbers of cells

	halt *halt.Signal      // cancels a computation that reads the column; may be nil
	room func(int64) error // called by a Builder before it allocates much memory, see [Builder.Bound]; may be nil
}

// Written is the spelling of the numbers with decimal digits in a column.
type Written uint8

// A column is padded if a number with several decimal digits ends with a zero, as in 1.10, and plain if not, as in
// 1.1 and 1.0. NotWritten is for values that were not parsed from text.
const (
	NotWritten Written = iota
	WrittenPlain
	WrittenPadded
)

// Len returns the number of values.
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

// HasNulls reports whether a value is NULL.
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

// Ints returns the underlying vector of a BOOL (0 and 1), INT64, DATE (days), TIME (nanoseconds), timestamp (seconds)
// or DECIMAL (unscaled) column. For a DECIMAL column with a value of more than 64 bits it is nil. It must not be
// changed. NULLs hold 0.
func (c *Column) Ints() []int64 { return c.ints }

// Nanos returns the nanoseconds of the seconds of a timestamp column, or nil if all are 0. It must not be changed.
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

// Builder appends values to a column. If the initial type is [Null], the first value that is not NULL determines the
// type. A value of another type converts the column: INT64 to DECIMAL or FLOAT64 if that is lossless, else to [Any].
type Builder Column

// NewBuilder returns a builder of a column. If t is [Null], the values determine the type. room is an estimate of the
// number of values.
func NewBuilder(name string, t Type, room int) *Builder {
	b := &Builder{Name: name, Type: t}
	b.reserve(room)
	return b
}

// Bound sets a function that the builder calls before a conversion of the whole column takes n more bytes, for
// example when a string is appended to a column of numbers. If room returns an error, the builder panics with
// [NoRoom].
func (b *Builder) Bound(room func(n int64) error) { b.room = room }

// NoRoom is the value with which a builder panics if the function of [Builder.Bound] returns an error.
type NoRoom struct{ Err error }

func (e NoRoom) Error() string { return e.Err.Error() }

// Unwrap returns the error of the function passed to [Builder.Bound].
func (e NoRoom) Unwrap() error { return e.Err }

// unaskedRoom is the number of bytes below which a conversion of the column does not call room.
const unaskedRoom = 64 << 10

// makeRoom calls room before a conversion takes n more bytes for each value, unless that is less than unaskedRoom in
// total. It panics with [NoRoom] if room returns an error.
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

// Len returns the number of values so far.
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

// AppendText appends a copy of a STRING, BYTES or JSON value. A column holds at most 4 GiB of text; beyond that it
// returns an error.
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

// Append appends a value of any type, and converts the column if necessary.
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

// become sets the type of a column that holds only NULLs.
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

// extraBytes returns the number of bytes of the string or large number that a value points to.
func (v *Value) extraBytes() int64 {
	n := int64(len(v.text))
	if v.big != nil {
		n += 48 + int64(8*len(v.big.Bits()))
	}
	return n
}

// maxScale is the maximum scale to which one value can raise all values of a DECIMAL column. It exceeds that of any
// warehouse's type. A column with a value of a larger scale becomes ANY, so that 1e-1000 among a million integers
// does not create a million numbers of a thousand digits.
const maxScale = 100

// appendDecimal appends v with the column's scale. If v has more decimal digits, it first rescales all values.
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
			b.makeRoom(bigBytes) // the old numbers stay in memory until they are garbage-collected
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

// bigBytes is the estimated size in bytes of a number with more than 64 bits.
const bigBytes = 96

// widen converts a DECIMAL column from 64-bit integers to big.Int. It multiplies the values from index first on by
// 10^up; those before have been multiplied already.
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

// Column returns the finished column.
func (b *Builder) Column() Column {
	c := Column(*b)
	c.room = nil
	return c
}
