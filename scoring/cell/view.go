package cell

import (
	"math"
	"math/big"
	"runtime"
	"strings"
	"sync"

	"github.com/badger-eval/badger/internal/halt"
	"github.com/badger-eval/badger/scoring"
)

// View describes how a column is read: its kind, and the format if its strings represent other values.
type View struct {
	Kind   scoring.Kind
	Format string
	// FloatBits: keys of fractions that are doubles are computed from their bits. It must be the same for all columns
	// that are compared, and is valid only if all their fractions are doubles.
	FloatBits bool
	// Verbatim: strings are compared with regard to letter case.
	Verbatim bool
}

// Views returns the views of the two sides of a comparison. FloatBits is not set if a side has a format.
func Views(c *scoring.Comparison, floatBits bool) (g, p View) {
	floatBits = floatBits && c.GoldFormat == "" && c.PredFormat == ""
	return View{Kind: c.Kind, Format: c.GoldFormat, FloatBits: floatBits, Verbatim: c.Verbatim}, View{Kind: c.Kind,
		Format: c.PredFormat, FloatBits: floatBits, Verbatim: c.Verbatim}
}

// NaturalKind returns the kind of a column's type.
func NaturalKind(c *scoring.Column) scoring.Kind {
	switch c.Type {
	case scoring.Int64, scoring.Float64, scoring.Decimal:
		return scoring.KindNumber
	case scoring.Bool:
		return scoring.KindBool
	case scoring.Date, scoring.Time, scoring.Timestamp, scoring.TimestampTZ:
		return scoring.KindTime
	}
	return scoring.KindText
}

// FloatBits reports whether all fractions in the tables are doubles, so that View.FloatBits may be set.
func FloatBits(tables ...*scoring.Table) bool {
	for _, t := range tables {
		for i := range t.Columns {
			if typ := t.Columns[i].Type; typ == scoring.Decimal || typ == scoring.Any {
				return false
			}
		}
	}
	return true
}

// Keys sets keys[i] to the key of cell from+i for each i. Two cells are equal exactly if their keys are.
func Keys(c *scoring.Column, v View, from int, keys []uint64) {
	c.Halt().Check()
	switch {
	case v.Format != "":
		for i := range keys {
			keys[i] = valueKey(Read(c, v, from+i))
		}
		return
	case v.Kind == scoring.KindText &&
		(c.Type != scoring.String && c.Type != scoring.JSON && c.Type != scoring.Bytes && c.Type != scoring.Any &&
			c.Type != scoring.Null):
		for i := range keys { // compared as strings with a string column
			if keys[i] = NullKey; !c.IsNull(from + i) {
				keys[i] = TextKey(c.Value(from + i).String())
			}
		}
		return
	}
	switch c.Type {
	case scoring.Null:
		clear(keys)
		return
	case scoring.Bool, scoring.Int64:
		for i, n := range c.Ints()[from : from+len(keys)] {
			keys[i] = Mix(uint64(n), tagNumber) //nolint:gosec // bits; numberKey of scale 0
		}
	case scoring.Float64:
		for i, f := range c.Floats()[from : from+len(keys)] {
			keys[i] = floatKey(f, v.FloatBits)
		}
	case scoring.Decimal:
		if ints := c.Ints(); ints != nil {
			for i, n := range ints[from : from+len(keys)] {
				keys[i] = numberKey(n, c.Scale)
			}
			break
		}
		for i := range keys {
			keys[i] = valueKey(c.Value(from + i))
		}
	case scoring.Date:
		for i, n := range c.Ints()[from : from+len(keys)] {
			keys[i] = timeKey(n*86400, 0)
		}
	case scoring.String:
		key := TextKey
		if v.Verbatim {
			key = verbatimKey
		}
		for i := range keys {
			keys[i] = key(c.Text(from + i))
		}
	case scoring.Bytes:
		for i := range keys {
			keys[i] = bytesKey(c.Text(from + i))
		}
	case scoring.JSON:
		for i := range keys {
			keys[i] = jsonKey(c.Text(from + i))
		}
	default:
		for i := range keys {
			keys[i] = valueKey(c.Value(from + i))
		}
	}
	if c.HasNulls() {
		for i := range keys {
			if c.IsNull(from + i) {
				keys[i] = NullKey
			}
		}
	}
}

// Read returns cell i under a view: a string that represents a number, a date or a truth value becomes one. A blank
// string becomes NULL in such a view, and so do words for NULL unless the view reads strings. A string that cannot
// be read remains a string.
func Read(c *scoring.Column, v View, i int) scoring.Value {
	val := c.Value(i)
	if v.Format == "" || val.IsNull() {
		return val
	}
	if f, ok := periodForms[v.Format]; ok {
		if p, ok := f.read(val); ok {
			return p
		}
		return absentIsNull(val)
	}
	switch v.Format {
	case FormatUUID, FormatHex, FormatBase64, FormatCode:
		if code, ok := readCode(val, v.Format); ok {
			return code
		}
		return val
	}
	if read := nestedFormats[v.Format]; read != nil {
		if n, ok := read(val); ok {
			return n
		}
		return val
	}
	if digits, ok := cutForms[v.Format]; ok {
		if t, ok := cut(val, digits); ok {
			return t
		}
		return absentIsNull(val)
	}
	if v.Format == FormatSerial {
		t, _ := serialTime(val)
		return t
	}
	if f, ok := durationForms[v.Format]; ok {
		if d, ok := readDuration(val, f.unit, f.minutes); ok {
			return d
		}
		return absentIsNull(val)
	}
	if n := val.Int(); val.Type == scoring.Int64 {
		switch v.Format {
		case formatCompact:
			return scoring.DateValue(scoring.DaysOf(int(n/10000), int(n/100%100), int(n%100)))
		case formatYearMon:
			return scoring.DateValue(scoring.DaysOf(int(n/100), int(n%100), 1))
		}
	}
	if val.Type.Numeric() {
		if t, ok := epochTime(val, v.Format); ok {
			return t
		}
		if n, ok := shortened(val, v.Format); ok {
			return n
		}
	}
	if val.Type == scoring.JSON && v.Format == FormatList {
		return scoring.StringValue(listOfJSON(val.Text()))
	}
	if val.Type != scoring.String {
		return val
	}
	s := val.Text()
	if strings.TrimSpace(s) == "" || v.Kind != scoring.KindText && absent(s) {
		return scoring.NullValue
	}
	switch v.Kind {
	case scoring.KindNumber:
		if v.Format == FormatMonth {
			if m, ok := parseMonth(s); ok {
				return scoring.IntValue(m)
			}
			return val
		}
		if v.Format == formatOrdinal {
			if n, ok := parseOrdinal(s); ok {
				return scoring.IntValue(n)
			}
			return val
		}
		if v.Format == FormatCredit || v.Format == FormatDebit {
			n, _, ok := parseLedger(s)
			switch {
			case !ok:
				return val
			case v.Format == FormatDebit:
				return product(n, scoring.IntValue(-1))
			}
			return n
		}
		if v.Format == FormatQuantity || v.Format == FormatMeasure {
			q, ok := parseQuantity(s)
			switch {
			case !ok:
				return val
			case v.Format == FormatMeasure:
				return q.number
			}
			return product(q.number, q.factor)
		}
		if n, _, ok := ParseNumber(s, v.Format == FormatComma); ok {
			return n
		}
	case scoring.KindBool:
		if t, ok := readTruth(s, v.Format); ok {
			return t
		}
		if b, vocabularies := parseBool(s); vocabularies != 0 {
			return scoring.BoolValue(b)
		}
	case scoring.KindTime:
		if t, ok := parseDate(s, v.Format); ok {
			return t
		}
	case scoring.KindText:
		switch v.Format {
		case FormatJSON:
			return scoring.TextValue(scoring.JSON, s)
		case FormatList:
			return scoring.StringValue(listOfText(s))
		case FormatPlain:
			return scoring.StringValue(plainly(s))
		case FormatLastFirst:
			if name, ok := lastFirst(s); ok {
				return scoring.StringValue(name)
			}
		case FormatInterval:
			if micros, _, ok := parseInterval(s); ok {
				return scoring.StringValue(micros.String() + " microseconds")
			}
		}
	}
	return val
}

// Magnitudes sets out[i] to cell i as a double, NaN if it is NULL or not a number. Magnitudes are for the order of
// numbers and for differences that an alignment allows, not for equality.
func Magnitudes(c *scoring.Column, v View, out []float64) {
	c.Halt().Check()
	if v.Format == "" && c.Type == scoring.Float64 && !c.HasNulls() {
		copy(out, c.Floats())
		return
	}
	for i := range out {
		out[i] = magnitude(Read(c, v, i))
	}
}

func magnitude(v scoring.Value) float64 {
	switch v.Type {
	case scoring.Bool, scoring.Int64:
		return float64(v.Int())
	case scoring.Float64:
		return v.Float()
	case scoring.Decimal:
		u, wide, scale := v.Decimal()
		if wide == nil && u > -1<<53 && u < 1<<53 && scale >= 0 && scale <= 22 {
			return float64(u) / pow10[scale] // correctly rounded
		}
		if wide == nil {
			wide = big.NewInt(u)
		}
		f, _ := new(big.Rat).SetFrac(wide, new(big.Int).Exp(ten, big.NewInt(int64(scale)), nil)).Float64()
		return f
	}
	return math.NaN()
}

var pow10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
	1e18, 1e19, 1e20, 1e21, 1e22}

// Pow10 returns 10^n as a double.
func Pow10(n int) float64 {
	switch {
	case n >= 0 && n < len(pow10):
		return pow10[n]
	case n < 0 && -n < len(pow10):
		return 1 / pow10[-n]
	}
	return math.Pow10(n)
}

// parallelRows is the minimum number of rows for work to be distributed over several processors.
const parallelRows = 1 << 15

// Spread calls f for ranges that together cover n rows, concurrently if there are many rows. The result must not depend
// on how the rows are divided.
func Spread(n int, f func(lo, hi int)) {
	workers := maxWorkers()
	if n < parallelRows || workers == 1 {
		f(0, n)
		return
	}
	var all halt.Group
	for w := range workers {
		all.Go(func() { f(n*w/workers, n*(w+1)/workers) })
	}
	all.Wait()
}

func maxWorkers() int { return runtime.GOMAXPROCS(0) }

// SumOf returns the multiset hash of a column's cells under a view.
func SumOf(c *scoring.Column, v View) Sum {
	c.Halt().Check()
	if c.Len() < parallelRows {
		return sumRange(c, v, 0, c.Len())
	}
	var mu sync.Mutex
	var total Sum
	Spread(c.Len(), func(lo, hi int) {
		s := sumRange(c, v, lo, hi)
		mu.Lock()
		total = total.Plus(s)
		mu.Unlock()
	})
	return total
}

func sumRange(c *scoring.Column, v View, lo, hi int) Sum {
	if hi-lo <= fewRows {
		var keys [fewRows]uint64
		return sumInto(keys[:], c, v, lo, hi)
	}
	var keys [chunk]uint64
	return sumInto(keys[:], c, v, lo, hi)
}

// sumInto returns the multiset hash of the cells from lo to hi-1. keys is a buffer.
func sumInto(keys []uint64, c *scoring.Column, v View, lo, hi int) (s Sum) {
	for ; lo < hi; lo += len(keys) {
		k := keys[:min(len(keys), hi-lo)]
		Keys(c, v, lo, k)
		for _, key := range k {
			s.Add(key)
		}
	}
	return s
}

// AllKeys returns the keys of all cells of a column.
func AllKeys(c *scoring.Column, v View) []uint64 {
	keys := make([]uint64, c.Len())
	fill(c, v, keys)
	return keys
}
