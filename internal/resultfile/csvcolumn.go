package resultfile

import (
	"bytes"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// shape is the set of types that all cells of a column so far can be parsed as.
type shape uint8

const (
	number shape = 1 << iota
	boolean
	date
	timestamp   // without zone, or a date
	timestampTZ // with zone
	anyShape    = number | boolean | date | timestamp | timestampTZ
)

// csvColumn collects the cells of one column. While all are canonical integers it keeps only the numbers, because their
// text follows from them.
type csvColumn struct {
	name   string
	n      int
	nulls  []uint64
	empty  []int // rows of empty cells that do not mean NULL by the options: "" in a column of text, else NULL
	words  []nullWord
	ints   []int64
	isText bool
	text   []byte
	ends   []uint32
	shape  shape
	tokens bool // a cell is NaN or an infinity
	digits bool // a cell is a finite number
	exp    bool // a cell has an exponent as programs print it for doubles: 1.5e7, 1e+07
	code   bool // a cell has an exponent in a form that a code may also have: 12e3
	far    bool // an exponent exceeds maxExponent

	fractions
	size *csvSize // memory of all columns; set when all rows are read
}

// bytes returns the memory that the column uses so far.
func (c *csvColumn) bytes() int64 {
	return int64(8*len(c.nulls) + 8*len(c.empty) + 8*len(c.ints) + len(c.text) + 4*len(c.ends) + 48*len(c.words))
}

// nullWord is a cell with a word that programs print for NULL. It counts as NULL until all cells are read; then restore
// may make it text.
type nullWord struct {
	row    int
	text   string
	quoted bool
}

// beginsNull holds the first bytes of the words for NULL.
var beginsNull = [256]bool{'N': true, 'n': true, '(': true, '[': true, '<': true, '#': true, '\\': true}

// fractions describes how the numbers with a decimal point in a column are written.
type fractions struct {
	point        bool // a number has a point
	fewest, most int  // least and greatest number of digits after the point
	padded       bool // a number has several digits after the point and the last is 0, such as 1.10
	whole        bool // a number has no point
	zero         bool // a number has only zeros after the point, such as 5.0
	bare         bool // a number has no digit before the point, such as .5
	led          bool // a number starts with 0 before the point
}

// note adds a number with the given digits after the point. bare is set if no digit precedes the point, and led if a 0
// starts the number.
func (f *fractions) note(digits []byte, bare, led bool) {
	n := len(digits)
	if !f.point {
		f.point, f.fewest = true, n
	}
	f.fewest, f.most = min(f.fewest, n), max(f.most, n)
	f.padded = f.padded || n > 1 && digits[n-1] == '0'
	f.zero = f.zero || digits[0] == '0' && len(bytes.Trim(digits, "0")) == 0
	f.bare, f.led = f.bare || bare, f.led || led
}

// codes reports whether the cells may be codes such as versions (1.10 and 1.2) instead of numbers: some end in 0, and
// the number of decimals varies.
func (f *fractions) codes() bool { return f.padded && f.fewest != f.most }

// mayMerge reports whether two different strings may be the same number, such as 5 and 5.0 or .5 and 0.5.
func (f *fractions) mayMerge() bool { return f.zero && f.whole || f.bare && f.led }

// written returns whether the column's numbers have a point, and whether some end in a 0 after it (WrittenPadded).
func (f *fractions) written() scoring.Written {
	switch {
	case !f.point:
		return scoring.NotWritten
	case f.padded:
		return scoring.WrittenPadded
	}
	return scoring.WrittenPlain
}

// maxExponent is the maximum exponent in columns whose numbers do not fit doubles: 1e300 in a column of 38-digit
// numbers would make every value hundreds of digits long.
const maxExponent = 64

func (c *csvColumn) null() {
	for len(c.nulls) <= c.n>>6 {
		c.nulls = append(c.nulls, 0)
	}
	c.nulls[c.n>>6] |= 1 << (c.n & 63)
	if c.isText {
		c.ends = append(c.ends, uint32(len(c.text))) //nolint:gosec // bounded in append
	} else {
		c.ints = append(c.ints, 0)
	}
	c.n++
}

// append appends a cell. If words is set, words for NULL count as NULL.
func (c *csvColumn) append(cell []byte, quoted, words bool) error {
	if len(cell) == 0 {
		c.empty = append(c.empty, c.n)
	}
	if !c.isText {
		if n, ok := canonicalInt(cell); ok {
			c.ints = append(c.ints, n)
			c.n++
			return nil
		}
	}
	if words && len(cell) > 1 && len(cell) < 7 && beginsNull[cell[0]] && scoring.IsNullWord(cell) {
		c.words = append(c.words, nullWord{c.n, string(cell), quoted})
		c.null()
		return nil
	}
	if !c.isText {
		if len(cell) == 0 {
			c.ints = append(c.ints, 0)
			c.n++
			return nil
		}
		c.becomeText()
	}
	if c.shape != 0 && len(cell) > 0 {
		c.narrow(cell)
	}
	if len(c.text)+len(cell) > math.MaxUint32 {
		return errcode.New(errcode.ResourceExhausted, "more than 4 GiB of text in one column")
	}
	c.text = append(c.text, cell...)
	c.ends = append(c.ends, uint32(len(c.text))) //nolint:gosec // checked above
	c.n++
	return nil
}

// becomeText converts a column of integers so far to a column of their text.
func (c *csvColumn) becomeText() {
	c.isText, c.shape = true, anyShape
	c.ends = make([]uint32, 0, max(len(c.ints)+8, cap(c.ints)))
	empty := c.empty
	for i, n := range c.ints {
		switch {
		case len(empty) > 0 && empty[0] == i:
			empty = empty[1:]
		case !isNull(c.nulls, i):
			c.text = strconv.AppendInt(c.text, n, 10)
			c.shape, c.digits, c.whole = number, true, true
		}
		c.ends = append(c.ends, uint32(len(c.text))) //nolint:gosec // at most 20 bytes each of at most 2^27 values
	}
	c.ints = nil
}

func isNull(nulls []uint64, i int) bool {
	w := i >> 6
	return w < len(nulls) && nulls[w]&(1<<(i&63)) != 0
}

// reserve allocates memory for a total of rows rows, as estimated from the cells so far.
func (c *csvColumn) reserve(rows int) {
	more := max(rows-c.n, 0)
	if !c.isText {
		c.ints = slices.Grow(c.ints, more)
		return
	}
	c.ends = slices.Grow(c.ends, more)
	c.text = slices.Grow(c.text, len(c.text)/c.n*more)
}

// narrow removes the types from c.shape that the cell cannot be parsed as.
func (c *csvColumn) narrow(cell []byte) {
	var is shape
	switch first := cell[0]; {
	case first == '-' || first == '.' || first >= '0' && first <= '9':
		switch {
		case c.shape&number != 0 && c.isNumber(cell):
			is, c.digits = number, true
		case c.shape&number != 0 && isToken(cell):
			is, c.tokens = number, true
		case c.shape&(date|timestamp|timestampTZ) != 0 && len(cell) >= 10 && len(cell) < 64:
			if v, ok := scoring.ParseTimestamp(unsafe.String(unsafe.SliceData(cell), len(cell))); ok {
				switch {
				case len(cell) == 10:
					is = date | timestamp
				case v.Type == scoring.TimestampTZ:
					is = timestampTZ
				default:
					is = timestamp
				}
			}
		}
	case c.shape&boolean != 0 && (bytes.EqualFold(cell, []byte("true")) || bytes.EqualFold(cell, []byte("false"))):
		is = boolean
	case c.shape&number != 0 && isToken(cell):
		is, c.tokens = number, true
	}
	c.shape &= is
}

// canonicalInt parses an integer as databases print it: without plus, leading zeros and blanks, and within 64 bits. It
// returns false for any other cell.
func canonicalInt(b []byte) (int64, bool) {
	i := 0
	if len(b) > 1 && b[0] == '-' {
		i = 1
	}
	digits := len(b) - i
	if digits == 0 || digits > 19 || b[i] == '0' && len(b) > 1 {
		return 0, false
	}
	var n uint64
	for _, c := range b[i:] {
		if c -= '0'; c > 9 {
			return 0, false
		}
		n = n*10 + uint64(c)
	}
	switch {
	case i == 0 && n <= math.MaxInt64:
		return int64(n), true
	case i == 1 && n <= 1<<63:
		return -int64(n), true //nolint:gosec // wraps to MinInt64 where it must
	}
	return 0, false
}

// isNumber reports whether b is a plain number: -?digits[.digits][e±digits] without leading zeros; the digits
// before the point may be missing.
func (c *csvColumn) isNumber(b []byte) bool {
	i := 0
	if b[0] == '-' {
		i = 1
	}
	begin := i
	whole := run(b, i)
	if whole > i+1 && b[i] == '0' {
		return false
	}
	digits, i := whole-i, whole
	point := false
	if i < len(b) && b[i] == '.' {
		end := run(b, i+1)
		if end == i+1 {
			return false
		}
		c.note(b[i+1:end], whole == begin, b[begin] == '0')
		digits, i, point = digits+end-i-1, end, true
	} else {
		c.whole = true
	}
	if digits == 0 || digits > scoring.MaxDecimalDigits {
		return false
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		sign := i < len(b) && (b[i] == '+' || b[i] == '-')
		if sign {
			i++
		}
		end := run(b, i)
		if end == i || end-i > 3 || end != len(b) {
			return false
		}
		n, _ := strconv.Atoi(string(b[i:end]))
		c.far = c.far || n > maxExponent
		if point || sign {
			c.exp = true
		} else {
			c.code = true
		}
		return true
	}
	return i == len(b)
}

// run returns the index after the digits at b[i:].
func run(b []byte, i int) int {
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return i
}

// isToken reports whether b is NaN or an infinity, such as -inf, in any letter case.
func isToken(b []byte) bool {
	if bytes.EqualFold(b, []byte("nan")) {
		return true
	}
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		b = b[1:]
	}
	return bytes.EqualFold(b, []byte("inf")) || bytes.EqualFold(b, []byte("infinity"))
}

func (c *csvColumn) cell(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = c.ends[i-1]
	}
	return c.text[start:c.ends[i]]
}

// column returns the column with its type and values. ok is false if the column is text, see textColumn.
func (c *csvColumn) column() (col scoring.Column, ok bool) {
	if c.isText && c.shape&number != 0 || !c.isText && !c.allNull() {
		c.restore(func(w *nullWord) bool { return isToken([]byte(w.text)) }) // NaN among numbers is one
	}
	if !c.isText {
		if !c.allNull() {
			return scoring.IntColumn(c.name, scoring.Int64, c.ints, c.nullsAndEmpty()), true
		}
		if len(c.empty) == 0 && !slices.ContainsFunc(c.words, func(w nullWord) bool { return !scoring.OnlyNull(w.text) }) {
			b := scoring.NewBuilder(c.name, scoring.Null, 0)
			b.AppendNulls(c.n)
			return b.Column(), true
		}
		c.ends = make([]uint32, c.n) // nothing but NULL and empty text
		c.isText, c.ints = true, nil
	}
	if c.shape != 0 &&
		(c.shape != number || c.digits && (!c.code || c.exp) && !c.codes() && !(c.mayMerge() && c.merges())) {
		return c.typed()
	}
	return scoring.Column{}, false
}

// textColumn returns the column as text. A word for NULL stays NULL if printed has it, the words for NULL in typed
// columns of the same file, or if all other cells have the form of figures (see figures).
func (c *csvColumn) textColumn(printed map[nullWord]bool) scoring.Column {
	figures := len(c.words) > 0 && c.figures()
	c.restore(func(w *nullWord) bool { return !figures && !printed[nullWord{text: w.text, quoted: w.quoted}] })
	return scoring.TextColumn(c.name, scoring.String, c.text, c.ends, c.nulls)
}

// figures reports whether there are cells other than NULL and empty ones, and all have the form of numbers, dates or
// times.
func (c *csvColumn) figures() bool {
	some := false
	for i := range c.n {
		if cell := c.cell(i); len(cell) > 0 {
			if some = true; !scoring.IsFigure(cell) {
				return false
			}
		}
	}
	return some
}

// restore turns the words for NULL for which which returns true back into strings.
func (c *csvColumn) restore(which func(w *nullWord) bool) {
	kept, restored := c.words[:0:0], 0
	for i := range c.words {
		if which(&c.words[i]) {
			restored++
		} else {
			kept = append(kept, c.words[i])
		}
	}
	if restored == 0 {
		return
	}
	if !c.isText {
		c.becomeText()
	}
	old, ends, words := c.text, c.ends, c.words
	c.text, c.ends, c.words = make([]byte, 0, len(old)+8*restored), make([]uint32, 0, c.n), kept
	from := uint32(0)
	for i, end := range ends {
		c.text = append(c.text, old[from:end]...)
		if len(words) > 0 && words[0].row == i {
			if which(&words[0]) {
				c.text = append(c.text, words[0].text...)
				c.nulls[i>>6] &^= 1 << (i & 63)
				c.narrow([]byte(words[0].text))
			}
			words = words[1:]
		}
		c.ends = append(c.ends, uint32(len(c.text))) //nolint:gosec // a few bytes more than before
		from = end
	}
	for len(c.nulls) > 0 && c.nulls[len(c.nulls)-1] == 0 {
		c.nulls = c.nulls[:len(c.nulls)-1]
	}
}

// merges reports whether two different cells of the column are the same number, such as 5 and 5.0.
func (c *csvColumn) merges() (found bool) {
	c.size.beside(mergeBytes*int64(c.n), func() { found = c.anyMerges() })
	return found
}

// mergeBytes is the memory per cell that merges needs.
const mergeBytes = 128

func (c *csvColumn) anyMerges() bool {
	seen := map[string]string{}
	for i := range c.n {
		text := string(c.cell(i))
		plain := text
		if strings.IndexByte(plain, '.') >= 0 {
			plain = strings.TrimSuffix(strings.TrimRight(plain, "0"), ".")
		}
		if sign := strings.HasPrefix(plain, "-"); sign {
			plain = "-" + strings.TrimPrefix(plain[1:], "0")
		} else {
			plain = strings.TrimPrefix(plain, "0")
		}
		if other, there := seen[plain]; there && other != text && text != "" && other != "" {
			return true
		}
		seen[plain] = text
	}
	return false
}

// typed parses the cells as the type that c.shape allows. ok is false if a value would lose digits or cannot be parsed.
func (c *csvColumn) typed() (scoring.Column, bool) {
	parse := func(t scoring.Type) (scoring.Column, bool) {
		return c.read(t, func(b *scoring.Builder, cell []byte) bool {
			v, err := scoring.ParseAs(t, unsafe.String(unsafe.SliceData(cell), len(cell)))
			b.Append(v)
			return err == nil
		})
	}
	switch {
	case c.shape&number != 0 && c.tokens: // what has NaN was doubles where it came from
		return parse(scoring.Float64)
	case c.shape&number != 0:
		col, ok := c.numbers()
		col.Written = c.written()
		return col, ok
	case c.shape&boolean != 0:
		return parse(scoring.Bool)
	case c.shape&date != 0:
		return parse(scoring.Date)
	case c.shape&timestamp != 0:
		return parse(scoring.Timestamp)
	}
	return parse(scoring.TimestampTZ)
}

// numbers returns doubles if a cell has an exponent and doubles keep all digits, otherwise numbers as in
// [scoring.Builder.AppendNumber]. It returns false if neither is possible.
func (c *csvColumn) numbers() (scoring.Column, bool) {
	if c.exp {
		col, ok := c.read(scoring.Float64, func(b *scoring.Builder, cell []byte) bool {
			f, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(cell), len(cell)), 64)
			b.AppendFloat(f)
			return err == nil && doubleKeeps(f, cell)
		})
		if ok || c.far {
			return col, ok
		}
	}
	return c.read(scoring.Float64, func(b *scoring.Builder, cell []byte) bool {
		return b.AppendNumber(cell, cell[0] != '.' && run(cell, 1) == len(cell)) == nil
	})
}

func (c *csvColumn) read(t scoring.Type, add func(b *scoring.Builder, cell []byte) bool) (scoring.Column, bool) {
	nulls := c.nullsAndEmpty()
	b := scoring.NewBuilder(c.name, t, c.n)
	b.Bound(c.size.room)
	for i := range c.n {
		if isNull(nulls, i) {
			b.AppendNull()
		} else if !add(b, c.cell(i)) {
			return scoring.Column{}, false
		}
	}
	return b.Column(), true
}

// doubleKeeps reports whether f, the double of the cell, keeps all significant digits of the cell.
func doubleKeeps(f float64, cell []byte) bool {
	want, got := significant(cell), significant(strconv.AppendFloat(nil, f, 'e', -1, 64))
	return len(want) <= 15 && (f != 0 || len(want) == 0) || bytes.Equal(want, got)
}

// significant returns the digits of a number from the first to the last that is not 0.
func significant(number []byte) []byte {
	digits := make([]byte, 0, 24)
	for _, d := range number {
		if d == 'e' || d == 'E' {
			break
		}
		if d >= '1' && d <= '9' || d == '0' && len(digits) > 0 {
			digits = append(digits, d)
		}
	}
	return bytes.TrimRight(digits, "0")
}

// allNull reports whether the column has only NULL and empty cells.
func (c *csvColumn) allNull() bool {
	missing := len(c.empty)
	for _, w := range c.nulls {
		missing += bits.OnesCount64(w)
	}
	return missing == c.n
}

// nullsAndEmpty returns the NULL bits of a column that is not text. Its empty cells are also NULL, even quoted ones,
// because programs that quote every cell write NULL that way.
func (c *csvColumn) nullsAndEmpty() []uint64 {
	nulls := c.nulls
	if len(c.empty) > 0 {
		nulls = slices.Clone(nulls)
	}
	for _, i := range c.empty {
		for len(nulls) <= i>>6 {
			nulls = append(nulls, 0)
		}
		nulls[i>>6] |= 1 << (i & 63)
	}
	return nulls
}
