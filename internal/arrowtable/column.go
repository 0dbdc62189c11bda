package arrowtable

import (
	"math"
	"math/big"
	"unicode/utf8"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// column builds one column. While it reads arrays whose size in memory is not known in advance, it calls grow, if not
// nil, with the number of bytes added so far. An error of grow ends the reading.
type column struct {
	*scoring.Builder
	kind  kind
	grow  func(added int64) error
	added int64
	told  int64
	bytes int64 // memory of the builder when last measured

	ints   []int64 // buffers that are reused
	floats []float64
	nanos  []int32
}

func validity(arr arrow.Array) scoring.Validity {
	if len(arr.NullBitmapBytes()) == 0 || arr.NullN() == 0 {
		return scoring.Validity{}
	}
	return scoring.Validity{Bits: arr.NullBitmapBytes(), Offset: arr.Data().Offset()}
}

// add adds the size of v to c.added, and calls grow after every growStep bytes.
func (c *column) add(v scoring.Value) error {
	if c.added += int64(len(v.Text())) + 8; c.grow != nil && c.added-c.told > growStep {
		c.told = c.added
		return c.grow(c.added)
	}
	return nil
}

// growStep is the number of added bytes between two calls of grow.
const growStep = 64 << 10

// beside must be called before n bytes outside the column are used. It returns an error if they exceed the limit.
func (c *column) beside(n int64) error {
	if c.grow == nil || n <= growStep {
		return nil
	}
	return c.grow(c.added + n)
}

// reader returns a reader of values whose memory counts against the column's limit.
func (c *column) reader() reader { return reader{c.beside} }

// append appends the values of an array, all in one step for types that allow it, otherwise one by one.
func (c *column) append(arr arrow.Array) error {
	if arr.Len() == 0 {
		return nil // without values there may be no buffers
	}
	switch arr := arr.(type) {
	case *array.Null:
		c.AppendNulls(arr.Len())
		return nil
	case array.ExtensionArray:
		return c.append(arr.Storage())
	case *array.Dictionary:
		return c.appendDictionary(arr)
	case *array.RunEndEncoded:
		return c.appendRuns(arr)
	}
	if s, ok := arr.(*array.String); ok && (c.kind == plain || c.kind == jsonText) && isUTF8(s) {
		if err := c.beside(int64(len(s.ValueBytes()))); err != nil {
			return err
		}
		return c.AppendTexts(typeOf(s.DataType(), c.kind), s.ValueBytes(), s.ValueOffsets(), validity(s))
	}
	if c.kind != plain {
		return c.appendEach(arr)
	}
	switch arr := arr.(type) {
	case *array.Boolean:
		c.ints = resized(c.ints, arr.Len())
		for i := range c.ints {
			c.ints[i] = 0
			if arr.Value(i) {
				c.ints[i] = 1
			}
		}
		c.AppendInts(scoring.Bool, c.ints, validity(arr))
	case *array.Int8:
		appendInts(c, arr.Int8Values(), arr)
	case *array.Int16:
		appendInts(c, arr.Int16Values(), arr)
	case *array.Int32:
		appendInts(c, arr.Int32Values(), arr)
	case *array.Int64:
		if c.Type == scoring.Float64 && c.appendAsFloats(arr) {
			return nil
		}
		c.AppendInts(scoring.Int64, arr.Int64Values(), validity(arr))
	case *array.Uint8:
		appendInts(c, arr.Uint8Values(), arr)
	case *array.Uint16:
		appendInts(c, arr.Uint16Values(), arr)
	case *array.Uint32:
		appendInts(c, arr.Uint32Values(), arr)
	case *array.Uint64:
		for i, v := range arr.Uint64Values() {
			if v > math.MaxInt64 && arr.IsValid(i) {
				return c.appendEach(arr)
			}
		}
		appendInts(c, arr.Uint64Values(), arr)
	case *array.Float32:
		c.floats = resized(c.floats, arr.Len())
		for i, v := range arr.Float32Values() {
			c.floats[i] = widen(v)
		}
		c.AppendFloats(c.floats, validity(arr))
	case *array.Float64:
		c.IntsToFloats() // of earlier batches, in engines whose columns have no type
		c.AppendFloats(arr.Float64Values(), validity(arr))
	case *array.Decimal128:
		return c.appendDecimals(arr)
	case *array.Binary:
		if err := c.beside(int64(len(arr.ValueBytes()))); err != nil {
			return err
		}
		return c.AppendTexts(scoring.Bytes, arr.ValueBytes(), arr.ValueOffsets(), validity(arr))
	case *array.Date32:
		c.ints = resized(c.ints, arr.Len())
		for i, v := range arr.Date32Values() {
			c.ints[i] = int64(v)
		}
		c.AppendInts(scoring.Date, c.ints, validity(arr))
	case *array.Timestamp:
		c.appendTimestamps(arr)
	default:
		return c.appendEach(arr)
	}
	return nil
}

func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

func appendInts[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](c *column, values []T,
	arr arrow.Array) {
	c.ints = resized(c.ints, len(values))
	for i, v := range values {
		c.ints[i] = int64(v) //nolint:gosec // unsigned values beyond int64 do not come here
	}
	c.AppendInts(scoring.Int64, c.ints, validity(arr))
}

// appendAsFloats appends integers to a column of doubles, and reports whether it did: it appends none if one of them is
// beyond ±2^53, where a double may not be exact.
func (c *column) appendAsFloats(arr *array.Int64) bool {
	c.floats = resized(c.floats, arr.Len())
	for i, v := range arr.Int64Values() {
		if c.floats[i] = float64(v); v < -1<<53 || v > 1<<53 {
			return false
		}
	}
	c.AppendFloats(c.floats, validity(arr))
	return true
}

func (c *column) appendDecimals(arr *array.Decimal128) error {
	c.ints = resized(c.ints, arr.Len())
	for i, v := range arr.Values() {
		c.ints[i] = int64(v.LowBits()) //nolint:gosec // checked against the high bits
		if c.ints[i]>>63 != v.HighBits() && arr.IsValid(i) {
			return c.appendEach(arr)
		}
	}
	scale, err := scaleOf(arr.DataType().(*arrow.Decimal128Type).Scale)
	if err == nil {
		c.AppendDecimals(c.ints, scale, validity(arr))
	}
	return err
}

// scaleOf returns scale, or an error if it would mean numbers with more than scoring.MaxDecimalDigits zeros or
// decimals.
func scaleOf(scale int32) (int32, error) {
	if scale < -scoring.MaxDecimalDigits || scale > scoring.MaxDecimalDigits {
		return 0, errcode.New(errcode.DataLoss, "a decimal type of scale %d", scale)
	}
	return scale, nil
}

func (c *column) appendTimestamps(arr *array.Timestamp) {
	t := arr.DataType().(*arrow.TimestampType)
	c.ints = resized(c.ints, arr.Len())
	c.nanos = resized(c.nanos, arr.Len())
	fraction := int32(0)
	for i, v := range arr.TimestampValues() {
		c.ints[i], c.nanos[i] = momentOf(int64(v), t.Unit)
		if arr.IsValid(i) {
			fraction |= c.nanos[i]
		}
	}
	nanos := c.nanos
	if fraction == 0 {
		nanos = nil
	}
	c.AppendTimestamps(typeOf(t, plain), c.ints, nanos, validity(arr))
}

// infinite is the number of seconds that represents an infinite timestamp, see [scoring.InfiniteDay].
const infinite = scoring.InfiniteDay * 86400

// momentOf converts a timestamp in unit u to seconds and nanoseconds. The extreme 64-bit values become infinite, as in
// database engines. Nanoseconds are an exception: their range ends in the year 2262, which occurs in data.
func momentOf(v int64, u arrow.TimeUnit) (sec int64, nanos int32) {
	switch {
	case u == arrow.Nanosecond:
	case v == math.MaxInt64:
		return infinite, 0
	case v <= -math.MaxInt64:
		return -infinite, 0
	}
	units, each := perSecond(u)
	sec, sub := floorDiv(v, units)
	return sec, int32(sub * each) //nolint:gosec // below 1e9
}

func perSecond(u arrow.TimeUnit) (units, nanosEach int64) {
	switch u {
	case arrow.Second:
		return 1, 1e9
	case arrow.Millisecond:
		return 1e3, 1e6
	case arrow.Microsecond:
		return 1e6, 1e3
	}
	return 1e9, 1
}

func floorDiv(a, b int64) (quotient, remainder int64) {
	quotient, remainder = a/b, a%b
	if remainder < 0 {
		quotient, remainder = quotient-1, remainder+b
	}
	return quotient, remainder
}

// isUTF8 reports whether all values are valid UTF-8: whether the whole text is, and no value starts inside a character.
func isUTF8(arr *array.String) bool {
	text, offsets := arr.ValueBytes(), arr.ValueOffsets()
	if !utf8.Valid(text) {
		return false
	}
	for _, o := range offsets {
		if p := int(o - offsets[0]); p < len(text) && !utf8.RuneStart(text[p]) {
			return false
		}
	}
	return true
}

func (c *column) appendEach(arr arrow.Array) error {
	for i := range arr.Len() {
		if err := c.appendOne(arr, i); err != nil {
			return err
		}
	}
	return nil
}

func (c *column) appendOne(arr arrow.Array, i int) error {
	v, err := c.reader().value(arr, i, c.kind)
	if err != nil {
		return err
	}
	if err := c.add(v); err != nil {
		return err
	}
	c.Append(v)
	return nil
}

// appendDictionary decodes each entry of the dictionary once, and then appends the entry for each index.
func (c *column) appendDictionary(arr *array.Dictionary) error {
	words := arr.Dictionary()
	room, told := int64(words.Len())*int64(unsafe.Sizeof(scoring.Value{})), int64(0)
	if err := c.beside(room); err != nil {
		return err
	}
	values := make([]scoring.Value, words.Len())
	for i := range values {
		v, err := c.reader().value(words, i, c.kind)
		if err == nil && v.Type == scoring.JSON {
			if room += int64(len(v.Text())); room-told > growStep {
				told = room
				err = c.beside(room)
			}
		}
		if err != nil {
			return errcode.New(errcode.Of(err), "dictionary entry %d: %w", i+1, err)
		}
		values[i] = v
	}
	for i := range arr.Len() {
		v := scoring.Value{}
		if arr.IsValid(i) {
			v = values[arr.GetValueIndex(i)]
		}
		if err := c.add(v); err != nil {
			return err
		}
		c.Append(v)
	}
	return nil
}

func (c *column) appendRuns(arr *array.RunEndEncoded) error {
	for i := range arr.Len() {
		if err := c.appendOne(arr.Values(), arr.GetPhysicalIndex(i)); err != nil {
			return err
		}
	}
	return nil
}

// bigOf returns the two's complement number in words, the lowest word first.
func bigOf(words ...uint64) *big.Int {
	negative := words[len(words)-1]>>63 == 1
	n := new(big.Int)
	for i := len(words) - 1; i >= 0; i-- {
		w := words[i]
		if negative {
			w = ^w
		}
		n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(w))
	}
	if negative {
		n.Not(n)
	}
	return n
}
