package metric

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// frame is a pandas DataFrame as read_sql_query returns it for a result (version 2.3): the selected columns, and the
// indexes of the rows in order.
type frame struct {
	cols []frameColumn
	rows []int32
}

type frameColumn struct {
	name  string
	kind  frameKind
	cells []cellKey // by row of the result; None has classNull, and NaN and NaT are nanKey
}

// frameKind is the dtype of a column.
type frameKind uint8

const (
	frameInt    frameKind = iota // int64
	frameFloat                   // float64
	frameBool                    // bool
	frameTime                    // datetime64
	frameObject                  // object: strings, dates, mixed values, or no value
)

func newFrame(t *scoring.Table) frame {
	f := frame{cols: make([]frameColumn, len(t.Columns)), rows: make([]int32, t.Rows())}
	for i := range f.rows {
		f.rows[i] = int32(i)
	}
	for j := range f.cols {
		f.cols[j] = newFrameColumn(&t.Columns[j])
	}
	return f
}

func newFrameColumn(c *scoring.Column) frameColumn {
	f := frameColumn{name: c.Name, cells: make([]cellKey, c.Len())}
	var seen [scoring.Any + 1]bool
	for i := range f.cells {
		v := c.Value(i)
		seen[v.Type] = true
		f.cells[i] = keyOf(v, asTyped)
	}
	f.kind = frameKindOf(seen)
	for i, k := range f.cells {
		switch {
		case f.kind == frameFloat && k.class == classNull, f.kind == frameTime && k.class == classNull:
			f.cells[i] = nanKey
		case f.kind == frameFloat:
			f.cells[i] = floatKey(k.float())
		}
	}
	return f
}

// frameKindOf returns the dtype that pandas infers for a column with values of the types in seen.
func frameKindOf(seen [scoring.Any + 1]bool) frameKind {
	floats := seen[scoring.Float64] || seen[scoring.Decimal]
	numbers := seen[scoring.Int64] || floats
	times := seen[scoring.Timestamp] != seen[scoring.TimestampTZ]
	for _, t := range []scoring.Type{scoring.String, scoring.Bytes, scoring.Date, scoring.Time, scoring.JSON} {
		if seen[t] {
			return frameObject
		}
	}
	switch {
	case seen[scoring.Bool] && !numbers && !times && !seen[scoring.Null]:
		return frameBool
	case seen[scoring.Bool], seen[scoring.Timestamp] && seen[scoring.TimestampTZ], times && numbers:
		return frameObject
	case times:
		return frameTime
	case floats, numbers && seen[scoring.Null]:
		return frameFloat
	case numbers:
		return frameInt
	}
	return frameObject
}

// float returns the double nearest to the number k.
func (k cellKey) float() float64 {
	switch k.class {
	case classInt:
		return float64(int64(k.num))
	case classFloat:
		return math.Float64frombits(k.num)
	}
	d := scoring.DecimalValue(int64(k.num), k.aux)
	if k.text != "" {
		unscaled, _ := new(big.Int).SetString(k.text, 10)
		d = scoring.BigDecimalValue(unscaled, k.aux)
	}
	f, _ := new(big.Float).SetPrec(4096).SetMode(big.ToNearestEven).SetString(d.String())
	v, _ := f.Float64()
	return v
}

func (k cellKey) number() bool {
	return k.class == classInt || k.class == classFloat || k.class == classDecimal
}

// gap reports whether the cell is missing, as pandas' isna does.
func (k cellKey) gap() bool { return k.class == classNull || k == nanKey }

func (f frame) empty() bool { return len(f.rows) == 0 || len(f.cols) == 0 }

// at returns the cell in row i of column j.
func (f frame) at(i, j int) cellKey { return f.cols[j].cells[f.rows[i]] }

// common returns the dtype of one array with all values of the frame.
func (f frame) common() frameKind {
	if len(f.cols) == 0 {
		return frameObject
	}
	kind := f.cols[0].kind
	for _, c := range f.cols[1:] {
		switch {
		case c.kind == kind:
		case c.kind <= frameFloat && kind <= frameFloat:
			kind = frameFloat
		default:
			return frameObject
		}
	}
	return kind
}

// arrayEqual reports whether two cells are equal as elements of numpy arrays with the dtypes ka and kb.
func arrayEqual(a cellKey, ka frameKind, b cellKey, kb frameKind) bool {
	if a == nanKey || b == nanKey {
		return false
	}
	if ka != kb && ka <= frameBool && kb <= frameBool && (ka == frameFloat || kb == frameFloat) {
		return a.float() == b.float() // numpy compares integers with doubles as doubles
	}
	return a == b
}

// valuesEqual computes (a.values == b.values).all() with numpy's broadcasting. ok is false if the shapes cannot be
// broadcast.
func valuesEqual(a, b frame) (equal, ok bool) {
	rows, ok1 := broadcast(len(a.rows), len(b.rows))
	cols, ok2 := broadcast(len(a.cols), len(b.cols))
	if !ok1 || !ok2 {
		return false, false
	}
	ka, kb := a.common(), b.common()
	for j := range cols {
		ja, jb := min(j, len(a.cols)-1), min(j, len(b.cols)-1)
		for i := range rows {
			x, y := a.at(min(i, len(a.rows)-1), ja), b.at(min(i, len(b.rows)-1), jb)
			if ka == frameFloat && x.number() {
				x = floatKey(x.float())
			}
			if kb == frameFloat && y.number() {
				y = floatKey(y.float())
			}
			if !arrayEqual(x, ka, y, kb) {
				return false, true
			}
		}
	}
	return true, true
}

func broadcast(a, b int) (int, bool) {
	switch {
	case a == b || b == 1:
		return a, true
	case a == 1:
		return b, true
	}
	return 0, false
}

// withoutRepeats returns the frame without rows that equal an earlier row; missing values are equal to each other.
func (f frame) withoutRepeats() frame {
	if f.empty() {
		return f
	}
	same := func(i, k int) bool {
		for j := range f.cols {
			if x, y := f.at(i, j), f.at(k, j); x != y && !(x.gap() && y.gap()) {
				return false
			}
		}
		return true
	}
	ix := newRowIndex(len(f.rows))
	var first, kept []int32
	for i, row := range f.rows {
		var h uint64
		for j := range f.cols {
			k := f.at(i, j)
			if k.gap() {
				k = cellKey{}
			}
			h = mix(h*3 + k.hash())
		}
		if _, fresh := ix.find(h, func(k int32) bool { return same(i, int(first[k])) }); fresh {
			first, kept = append(first, int32(i)), append(kept, row)
		}
	}
	f.rows = kept
	return f
}

// errUnordered represents the TypeError that Python raises when a date is compared with a number.
var errUnordered = errors.New("values of different types cannot be put into order")

// compareKeys compares two values that are not missing. A string is greater than a value of any other type. Values of
// two other types that are not both numbers cannot be compared: it returns an error.
func compareKeys(a, b cellKey) (int, error) {
	switch {
	case a == b:
		return 0, nil
	case a.number() && b.number():
		return compareNumbers(a, b), nil
	case a.class == classText && b.class == classText, a.class == classBytes && b.class == classBytes:
		return strings.Compare(a.text, b.text), nil
	case a.class == classText:
		return 1, nil
	case b.class == classText:
		return -1, nil
	case a.class == b.class:
		return cmp.Or(cmp.Compare(int64(a.num), int64(b.num)), cmp.Compare(a.aux, b.aux)), nil
	}
	return 0, errUnordered
}

func compareNumbers(a, b cellKey) int {
	if a.class == classInt && b.class == classInt {
		return cmp.Compare(int64(a.num), int64(b.num))
	}
	return cmp.Compare(a.float(), b.float())
}

// sortedBy returns the frame with rows sorted by columns, given by their indexes, with missing values last. As in
// pandas, a column that mixes strings with other types is an error unless there are several columns to sort by.
func (f frame) sortedBy(columns []int, ascending bool) (frame, error) {
	if len(columns) == 0 {
		return f, nil
	}
	for _, j := range columns {
		if err := f.sortable(j, len(columns) > 1); err != nil {
			return frame{}, err
		}
	}
	rows := slices.Clone(f.rows)
	slices.SortStableFunc(rows, func(x, y int32) int {
		for _, j := range columns {
			a, b := f.cols[j].cells[x], f.cols[j].cells[y]
			if a.gap() || b.gap() {
				if a.gap() != b.gap() {
					if a.gap() {
						return 1
					}
					return -1
				}
				continue
			}
			if c, _ := compareKeys(a, b); c != 0 {
				if ascending {
					return c
				}
				return -c
			}
		}
		return 0
	})
	f.rows = rows
	return f, nil
}

// sortable returns an error if the values of column j cannot be compared with each other. If mixed is set, strings
// may occur among values of one other type.
func (f frame) sortable(j int, mixed bool) error {
	var text, other bool
	var sample cellKey
	for i := range f.rows {
		k := f.at(i, j)
		switch {
		case k.gap():
			continue
		case k.class == classText:
			text = true
			continue
		case other:
			if _, err := compareKeys(k, sample); err != nil {
				return err
			}
		}
		other, sample = true, k
	}
	if text && other && !mixed {
		return errUnordered
	}
	return nil
}

// uniqueNames reports whether the column names are unique.
func (f frame) uniqueNames() bool {
	seen := make(map[string]bool, len(f.cols))
	for _, c := range f.cols {
		if seen[c.name] {
			return false
		}
		seen[c.name] = true
	}
	return true
}

// numberNames returns the frame with every column whose name is not unique renamed to name_index.
func (f frame) numberNames() frame {
	count := make(map[string]int, len(f.cols))
	for _, c := range f.cols {
		count[c.name]++
	}
	f.cols = slices.Clone(f.cols)
	for j := range f.cols {
		if name := f.cols[j].name; count[name] > 1 {
			f.cols[j].name = fmt.Sprintf("%s_%d", name, j)
		}
	}
	return f
}

// find returns the index of the first column with a name, or -1.
func (f frame) find(name string) int {
	return slices.IndexFunc(f.cols, func(c frameColumn) bool { return c.name == name })
}
