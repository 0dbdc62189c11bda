package report

import "math"

// series holds the scores of one metric for one agent version, by the number of the case. Most metrics
// have few different scores, or few different values: so each different one is held once, and a case
// takes one or two bytes that name it. A metric with more than maxKnown, such as one of times, takes
// eleven bytes a case.
type series struct {
	known []found            // the different scores; the first is none
	index map[foundKey]int16 // their indexes in known
	codes []byte             // of each case the place in known, in one byte or, where wide, in two
	wide  bool

	plain  bool // what follows holds the scores instead
	values []float64
	marks  []mark
	words  []uint16 // may be shorter than the others
}

// found is the outcome of a metric for a case.
type found struct {
	mark          // 0: there is no score
	word  uint16  // label of a score with a value, group of the reason of one without
	value float64 // 0 for a score without one
}

// foundKey compares scores by their bits, since NaN equals nothing.
type foundKey struct {
	bits uint64
	word uint16
	mark mark
}

// maxKnown bounds the different scores of a series that holds each once.
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

// code is the place of a score in known; false if there is no room for another.
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

// spread goes over to holding every score by itself.
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

// reach makes a column as long as n at least.
func reach[T any](column []T, n int) []T {
	for len(column) < n {
		var none T
		column = append(column, none)
	}
	return column
}

// cases is how many cases the series reaches.
func (x *series) cases() int {
	switch {
	case x.plain:
		return len(x.marks)
	case x.wide:
		return len(x.codes) / 2
	}
	return len(x.codes)
}

// at is the score of a case.
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
