package cell

import (
	"cmp"
	"math"
	"slices"

	"github.com/badger-eval/badger/scoring"
)

// KeyCount is a key and the number of cells of a column that have it.
type KeyCount struct {
	Key uint64
	N   int
}

// NumberCount is a number and the number of cells of a column that hold it.
type NumberCount struct {
	Number float64
	N      int
}

// countWindow is the width of the range in which integers of a column are counted in an array, and maxClose the maximum
// number of distinct ones. Other values are counted in a hash table, with at most countTable distinct ones and
// countShare rows for each.
const (
	countWindow = 1 << 14
	maxClose    = 1 << 13
	countTable  = 1 << 12
	countShare  = 16
)

// MinCounted is the minimum number of rows of a column whose values are counted; for fewer rows, computing all keys is
// faster.
const MinCounted = 1 << 10

// Counts holds the distinct values of a column, with the number of cells that hold each.
type Counts struct {
	of     *scoring.Column
	values []valueCount
	nulls  int // number of NULL and NaN cells
}

// CountValues counts the distinct values of a column of numbers, truth values or dates. It returns nil for other types,
// for few rows, and if there are too many distinct values outside a narrow range.
func CountValues(c *scoring.Column) *Counts {
	c.Halt().Check()
	values, nulls, ok := countValues(c)
	if !ok {
		return nil
	}
	return &Counts{c, values, nulls}
}

// AsIs reports whether a view keeps the values of a column of another type than strings unconverted. The keys of such
// views differ only by FloatBits.
func (v View) AsIs() bool { return v.Format == "" && v.Kind != scoring.KindText }

// Keys returns the distinct keys under a view for which AsIs is true, with the key of NULL if there are NULL or NaN
// cells.
func (c *Counts) Keys(v View) []KeyCount {
	keys := make([]KeyCount, 0, len(c.values)+1)
	if c.nulls > 0 {
		keys = append(keys, KeyCount{NullKey, c.nulls})
	}
	for _, e := range c.values {
		keys = append(keys, KeyCount{keyOfBits(c.of, v, e.bits), int(e.n)})
	}
	return keys
}

// Numbers returns the distinct numbers, ascending, with -0 as 0. It returns nil for a column of dates and for a nil
// receiver.
func (c *Counts) Numbers() []NumberCount {
	if c == nil || c.of.Type == scoring.Date {
		return nil
	}
	numbers := make([]NumberCount, len(c.values))
	for i, e := range c.values {
		numbers[i] = NumberCount{numberOfBits(c.of, e.bits), int(e.n)}
	}
	slices.SortFunc(numbers, func(a, b NumberCount) int { return cmp.Compare(a.Number, b.Number) })
	return numbers
}

// valueCount is a value of a column, as bits, and the number of cells that hold it.
type valueCount struct {
	bits uint64
	n    int32 // 0: the slot is free
}

// countValues counts the distinct values of a column whose values have 64 bits; ok is false if it cannot.
func countValues(c *scoring.Column) (values []valueCount, nulls int, ok bool) {
	if c.Len() < MinCounted {
		return nil, 0, false
	}
	switch c.Type {
	case scoring.Int64, scoring.Bool, scoring.Date:
		if values, nulls, ok = countClose(c); ok {
			return values, nulls, true
		}
	case scoring.Decimal:
		if c.Ints() == nil {
			return nil, 0, false
		}
	case scoring.Float64:
	default:
		return nil, 0, false
	}
	return countFew(c)
}

// countClose counts integers that are all within a range of countWindow; ok is false if they are not.
func countClose(c *scoring.Column) (values []valueCount, nulls int, ok bool) {
	var times [countWindow]int32
	ints := c.Ints()
	base := ints[0] - countWindow/2
	if c.HasNulls() {
		first := 0
		for first < len(ints)-1 && c.IsNull(first) {
			first++
		}
		base = ints[first] - countWindow/2
		for i, n := range ints {
			if c.IsNull(i) {
				nulls++
				continue
			}
			at := uint64(n - base) //nolint:gosec // bits: what is below base is beyond the window
			if at >= countWindow {
				return nil, 0, false
			}
			times[at]++
		}
	} else {
		for _, n := range ints {
			at := uint64(n - base) //nolint:gosec // as above
			if at >= countWindow {
				return nil, 0, false
			}
			times[at]++
		}
	}
	for at, n := range times {
		if n > 0 {
			values = append(values, valueCount{uint64(base + int64(at)), n}) //nolint:gosec // bits
		}
	}
	if len(values) > maxClose {
		return nil, 0, false
	}
	return values, nulls, true
}

// countFew counts values with a hash table; ok is false if there are too many distinct ones. NaN counts as NULL.
func countFew(c *scoring.Column) (values []valueCount, nulls int, ok bool) {
	most := min(countTable, c.Len()/countShare)
	size := 64
	shift := uint(64 - 6)
	for size < 2*most {
		size, shift = 2*size, shift-1
	}
	slots := make([]valueCount, size)
	distinct := 0
	var buf [chunk]uint64
	for from := 0; from < c.Len(); from += chunk {
		n := min(chunk, c.Len()-from)
		present := bitsOf(c, from, buf[:n])
		nulls += n - len(present)
		for _, b := range present {
			at := b * k2 >> shift
			for slots[at].bits != b && slots[at].n > 0 {
				at = (at + 1) & uint64(size-1) //nolint:gosec // not negative
			}
			s := &slots[at]
			if s.n == 0 {
				if distinct++; distinct > most {
					return nil, 0, false
				}
				s.bits = b
			}
			s.n++
		}
	}
	values = make([]valueCount, 0, distinct)
	for _, s := range slots {
		if s.n > 0 {
			values = append(values, s)
		}
	}
	return values, nulls, true
}

// bitsOf sets buf to the values of cells from row from on, as bits, and returns the part of it that holds those other
// than NULL and NaN.
func bitsOf(c *scoring.Column, from int, buf []uint64) []uint64 {
	n := 0
	nulls := c.HasNulls()
	if c.Type == scoring.Float64 {
		for i, f := range c.Floats()[from : from+len(buf)] {
			if f != f || nulls && c.IsNull(from+i) {
				continue
			}
			if buf[n] = math.Float64bits(f); f == 0 {
				buf[n] = 0 // also if it is -0
			}
			n++
		}
		return buf[:n]
	}
	for i, v := range c.Ints()[from : from+len(buf)] {
		if nulls && c.IsNull(from+i) {
			continue
		}
		buf[n] = uint64(v) //nolint:gosec // bits
		n++
	}
	return buf[:n]
}

// keyOfBits returns the key that [Keys] computes for a value, given as bits.
func keyOfBits(c *scoring.Column, v View, b uint64) uint64 {
	switch n := int64(b); c.Type { //nolint:gosec // bits
	case scoring.Float64:
		return floatKey(math.Float64frombits(b), v.FloatBits)
	case scoring.Date:
		return timeKey(n*86400, 0)
	case scoring.Decimal:
		return numberKey(n, c.Scale)
	default:
		return numberKey(n, 0)
	}
}

// numberOfBits returns the magnitude of a value, given as bits.
func numberOfBits(c *scoring.Column, b uint64) float64 {
	switch n := int64(b); c.Type { //nolint:gosec // bits
	case scoring.Float64:
		return math.Float64frombits(b)
	case scoring.Decimal:
		return magnitude(scoring.DecimalValue(n, c.Scale))
	default:
		return float64(n)
	}
}

// SumOfCounts returns what [SumOf] returns for a column with the given keys.
func SumOfCounts(counts []KeyCount) (s Sum) {
	for _, k := range counts {
		var one Sum
		one.Add(k.Key)
		n := uint64(k.N) //nolint:gosec // not negative
		s = s.Plus(Sum{n * one.a, n * one.b})
	}
	return s
}
