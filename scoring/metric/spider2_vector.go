package metric

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// spiderVector is a column as Spider 2.0 compares it: a list of Python numbers and strings in which
// every missing value is the int 0.
type spiderVector struct {
	// A cell is a string if isText is set for it, else a number with a value and a printed form.
	text   []string
	isText []bool    // nil if all cells are numbers
	num    []float64 // 0 for strings
	prints printStyle
	ints   []int64  // the exact integers, if prints is asInt or asBool
	uints  []uint64 // the exact integers, if prints is asUint
	plain0 []bool   // missing values, which are printed as 0 in every style

	order []int32 // indexes of the cells sorted by their printed strings; computed on demand
	sums  *vectorSummary
}

type printStyle uint8

const (
	asInt printStyle = iota
	asUint
	asFloat
	asBool
)

// spiderVectors returns a table's columns as DataFrame.transpose().values.tolist() does: if all columns are numbers,
// they form one array, so that one column of floats makes all columns floats.
func spiderVectors(columns []csvColumn) []spiderVector {
	var kinds [csvObject + 1]bool
	for i := range columns {
		kinds[columns[i].kind] = true
	}
	onlyNumbers := !kinds[csvObject] && !kinds[csvBool]
	floats := onlyNumbers && (kinds[csvFloat] || kinds[csvInt] && kinds[csvUint])
	vectors := make([]spiderVector, len(columns))
	for i := range columns {
		vectors[i] = newSpiderVector(&columns[i], floats)
	}
	return vectors
}

func newSpiderVector(c *csvColumn, float bool) spiderVector {
	var v spiderVector
	switch c.kind {
	case csvInt, csvBool:
		v.ints, v.prints = c.ints, asInt
		if c.kind == csvBool {
			v.prints = asBool
		}
		v.num = make([]float64, len(c.ints))
		for i, n := range c.ints {
			v.num[i] = float64(n)
		}
	case csvUint:
		v.uints, v.prints = c.uints, asUint
		v.num = make([]float64, len(c.uints))
		for i, n := range c.uints {
			v.num[i] = float64(n)
		}
	case csvFloat:
		v.num, v.prints = slices.Clone(c.floats), asFloat
		for i, f := range v.num {
			if f != f {
				v.num[i] = 0
				v.markMissing(i)
			}
		}
	case csvObject:
		v.num, v.text, v.isText = make([]float64, len(c.text)), c.text, make([]bool, len(c.text))
		if c.truths {
			v.ints, v.prints = c.ints, asBool
		}
		for i := range c.text {
			switch {
			case c.gaps[i]:
				v.markMissing(i)
			case c.truths:
				v.num[i] = float64(c.ints[i])
			default:
				v.isText[i] = true
			}
		}
	}
	if float {
		v.prints = asFloat
	}
	return v
}

func (v *spiderVector) markMissing(i int) {
	if v.plain0 == nil {
		v.plain0 = make([]bool, len(v.num))
	}
	v.plain0[i] = true
}

func (v *spiderVector) textAt(i int) bool { return v.isText != nil && v.isText[i] }

// appendPrinted appends Python's str of cell i.
func (v *spiderVector) appendPrinted(b []byte, i int) []byte {
	switch {
	case v.textAt(i):
		return append(b, v.text[i]...)
	case v.plain0 != nil && v.plain0[i]:
		return append(b, '0')
	case v.prints == asFloat:
		return appendPythonFloat(b, v.num[i])
	case v.prints == asUint:
		return strconv.AppendUint(b, v.uints[i], 10)
	case v.prints == asBool:
		return append(b, pythonBool(v.ints[i] != 0)...)
	}
	return strconv.AppendInt(b, v.ints[i], 10)
}

// sorted returns the indexes of the cells sorted by printed text; a string precedes a number with the same text.
func (v *spiderVector) sorted() []int32 {
	if v.order != nil {
		return v.order
	}
	n := len(v.num)
	keys := v.text
	if v.isText == nil || v.plain0 != nil || slices.Contains(v.isText, false) {
		var all []byte
		ends := make([]int, n)
		for i := range n {
			all = v.appendPrinted(all, i)
			ends[i] = len(all)
		}
		joined, start := string(all), 0
		keys = make([]string, n)
		for i, end := range ends {
			keys[i], start = joined[start:end], end
		}
	}
	v.order = make([]int32, n)
	for i := range v.order {
		v.order[i] = int32(i)
	}
	slices.SortStableFunc(v.order, func(a, b int32) int {
		if c := strings.Compare(keys[a], keys[b]); c != 0 {
			return c
		}
		switch ta, tb := v.textAt(int(a)), v.textAt(int(b)); {
		case ta && !tb:
			return -1
		case tb && !ta:
			return 1
		}
		return 0
	})
	return v.order
}

// vectorSummary holds hashes and sums with which most different vectors are distinguished, and equal ones recognized,
// without sorting.
type vectorSummary struct {
	strings  int
	textHash uint64  // of the strings as a multiset
	numHash  uint64  // of the numbers as a multiset, by their printed form
	total    float64 // sum of the numbers
	size     float64 // sum of their absolute values
}

func (v *spiderVector) summary() *vectorSummary {
	if v.sums != nil {
		return v.sums
	}
	s := new(vectorSummary)
	for i, f := range v.num {
		if v.textAt(i) {
			s.strings++
			s.textHash += mix(xxhash.Sum64String(v.text[i]))
			continue
		}
		s.numHash += v.numberHash(i)
		s.total += f
		s.size += math.Abs(f)
	}
	v.sums = s
	return s
}

// numberKey returns a key for number i. Two numbers have the same key if and only if they are printed the same.
func (v *spiderVector) numberKey(i int) (style printStyle, bits uint64) {
	switch {
	case v.plain0 != nil && v.plain0[i]:
		return asInt, 0
	case v.prints == asFloat:
		return asFloat, math.Float64bits(v.num[i])
	case v.prints == asUint && v.uints[i] > math.MaxInt64:
		return asUint, v.uints[i]
	case v.prints == asUint:
		return asInt, v.uints[i]
	}
	return v.prints, uint64(v.ints[i])
}

func (v *spiderVector) numberHash(i int) uint64 {
	style, bits := v.numberKey(i)
	return mix(bits ^ uint64(style)<<32 ^ intSalt)
}

const (
	spiderAbsolute = 1e-2 // Spider 2.0's tolerance
	spiderRelative = 1e-9 // the default of math.isclose
)

// isClose is Python's math.isclose with Spider 2.0's absolute and the default relative tolerance.
func isClose(a, b float64) bool {
	if a == b {
		return true
	}
	if math.IsInf(a, 0) || math.IsInf(b, 0) {
		return false
	}
	d := math.Abs(a - b)
	return d <= math.Max(spiderRelative*math.Max(math.Abs(a), math.Abs(b)), spiderAbsolute)
}

// spiderMatch reports whether Spider 2.0 considers two columns equal: cell by cell, in the order of the rows, or of
// the printed cells if ignoreOrder is set.
func spiderMatch(a, b *spiderVector, ignoreOrder bool) bool {
	if len(a.num) != len(b.num) {
		return false
	}
	if !ignoreOrder {
		for i := range a.num {
			if !spiderCell(a, i, b, i) {
				return false
			}
		}
		return true
	}
	sa, sb := a.summary(), b.summary()
	if sa.strings != sb.strings || sa.textHash != sb.textHash {
		return false
	}
	// Numbers that match one by one have sums that differ by no more than all tolerances together;
	// twice that leaves room for rounding.
	apart := math.Abs(sa.total - sb.total)
	if apart > 2*(spiderAbsolute*float64(len(a.num))+spiderRelative*(sa.size+sb.size)) && !math.IsInf(sa.size+sb.size, 0) {
		return false
	}
	if sa.numHash == sb.numHash && samePrints(a, b) {
		return true
	}
	oa, ob := a.sorted(), b.sorted()
	for k := range oa {
		if !spiderCell(a, int(oa[k]), b, int(ob[k])) {
			return false
		}
	}
	return true
}

func spiderCell(a *spiderVector, i int, b *spiderVector, j int) bool {
	if ta, tb := a.textAt(i), b.textAt(j); ta || tb {
		return ta && tb && a.text[i] == b.text[j]
	}
	return isClose(a.num[i], b.num[j])
}

// samePrints reports whether both vectors have the same multiset of printed cells. Then they are equal in any order,
// and the tolerance does not matter.
func samePrints(a, b *spiderVector) bool {
	ix := newRowIndex(len(a.num))
	var first []int32
	var count []int32
	hash := func(v *spiderVector, i int) uint64 {
		if v.textAt(i) {
			return mix(xxhash.Sum64String(v.text[i]))
		}
		return v.numberHash(i)
	}
	for i := range a.num {
		k, fresh := ix.find(hash(a, i), func(k int32) bool { return samePrint(a, i, a, int(first[k])) })
		if fresh {
			first, count = append(first, int32(i)), append(count, 0)
		}
		count[k]++
	}
	for j := range b.num {
		k, fresh := ix.find(hash(b, j), func(k int32) bool { return samePrint(b, j, a, int(first[k])) })
		if fresh {
			return false
		}
		if count[k]--; count[k] < 0 {
			return false
		}
	}
	return true
}

func samePrint(a *spiderVector, i int, b *spiderVector, j int) bool {
	if ta, tb := a.textAt(i), b.textAt(j); ta || tb {
		return ta && tb && a.text[i] == b.text[j]
	}
	styleA, bitsA := a.numberKey(i)
	styleB, bitsB := b.numberKey(j)
	return styleA == styleB && bitsA == bitsB
}
