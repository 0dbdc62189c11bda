package report

import (
	"math"
	"slices"
)

// series holds the scores of one metric for one agent version, by case number. Most metrics have few distinct scores,
// which are stored once; each case then takes one or two bytes. A series with more than maxKnown distinct ones, such as
// times, takes eleven bytes a case.
type series struct {
	known []found            // distinct scores; the first means no score
	index map[foundKey]int16 // their indexes in known
	codes []byte             // each case's index in known, in one byte or, if wide, in two
	wide  bool

	plain  bool // the following fields hold the scores instead
	values []float64
	marks  []mark
	words  []uint16 // found.word of each case; the cases beyond its end have 0
}

// found is the score of one case.
type found struct {
	mark          // 0: no score
	word  uint16  // number of the label of a score with a value, or of the group of the reason of one without
	value float64 // 0 for a score without a value
}

// foundKey identifies a score by the bits of its value, since NaN is not equal to itself.
type foundKey struct {
	bits uint64
	word uint16
	mark mark
}

// maxKnown is the maximum number of distinct scores in known.
const maxKnown = 4096

// put sets the score of a case.
func (x *series) put(n int, f found) {
	if !x.plain {
		if code, ok := x.code(f); ok {
			x.putCode(n, code)
			return
		}
		x.spread()
	}
	x.putPlain(n, f)
}

// code returns the index of a score in known, and adds it if it is new; false if known is full.
func (x *series) code(f found) (int16, bool) {
	if x.index == nil {
		x.known, x.index = []found{{}}, map[foundKey]int16{{}: 0}
	}
	key := foundKey{math.Float64bits(f.value), f.word, f.mark}
	code, ok := x.index[key]
	if ok {
		return code, true
	}
	if len(x.known) >= maxKnown {
		return 0, false
	}
	code = int16(len(x.known)) //nolint:gosec // bounded
	x.known, x.index[key] = append(x.known, f), code
	return code, true
}

func (x *series) putCode(n int, code int16) {
	if code > math.MaxUint8 && !x.wide {
		wide := make([]byte, 0, 2*len(x.codes)+2)
		for _, c := range x.codes {
			wide = append(wide, c, 0)
		}
		x.codes, x.wide = wide, true
	}
	if !x.wide {
		x.codes = reach(x.codes, n+1)
		x.codes[n] = byte(code) //nolint:gosec // fits, else they are wide
		return
	}
	x.codes = reach(x.codes, 2*n+2)
	x.codes[2*n], x.codes[2*n+1] = byte(code), byte(code>>8) //nolint:gosec // its two bytes
}

// spread converts the series to one that stores each case's score separately.
func (x *series) spread() {
	n := x.cases()
	x.values, x.marks = make([]float64, 0, n), make([]mark, 0, n)
	for i := range n {
		if f := x.at(int32(i)); f.mark != 0 { //nolint:gosec // as in caseNumbers
			x.putPlain(i, f)
		}
	}
	x.plain, x.known, x.index, x.codes = true, nil, nil, nil
}

func (x *series) putPlain(n int, f found) {
	x.values, x.marks = reach(x.values, n+1), reach(x.marks, n+1)
	x.values[n], x.marks[n] = f.value, f.mark
	if f.word != 0 || x.words != nil {
		x.words = reach(x.words, len(x.marks))
		x.words[n] = f.word
	}
}

// reach extends column with zero values to at least n elements.
func reach[T any](column []T, n int) []T {
	for len(column) < n {
		var none T
		column = append(column, none)
	}
	return column
}

// cases returns the number of cases that the series has room for.
func (x *series) cases() int {
	switch {
	case x.plain:
		return len(x.marks)
	case x.wide:
		return len(x.codes) / 2
	}
	return len(x.codes)
}

// any reports whether there is any score.
func (x *series) any() bool {
	for n := range int32(x.cases()) { //nolint:gosec // as in caseNumbers
		if x.at(n).outcome() >= 0 {
			return true
		}
	}
	return false
}

// judged reports whether any score has a verdict.
func (x *series) judged() bool {
	if x == nil {
		return false
	}
	return slices.ContainsFunc(x.marks, mark.judged) ||
		slices.ContainsFunc(x.known, func(f found) bool { return f.judged() })
}

// at returns the score of case n; if the case has none, its mark is 0.
func (x *series) at(n int32) found {
	if x == nil || n < 0 || int(n) >= x.cases() {
		return found{}
	}
	switch {
	case x.plain:
		f := found{mark: x.marks[n], value: x.values[n]}
		if int(n) < len(x.words) {
			f.word = x.words[n]
		}
		return f
	case x.wide:
		return x.known[int(x.codes[2*n])|int(x.codes[2*n+1])<<8]
	}
	return x.known[x.codes[n]]
}
