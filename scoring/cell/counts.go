package cell

import "github.com/badger-eval/badger/scoring"

// KeyCount is a key of a column and how many of its cells have it.
type KeyCount struct {
	Key uint64
	N   int
}

// countWindow is how far apart the whole numbers of a column may be that are counted by their
// value.
const countWindow = 1 << 12

// MinCounted is the number of rows from which counting takes less time than making keys of all.
const MinCounted = 1 << 10

// KeyCounts lists the distinct keys of a column under a view, NULL among them, with how many cells
// have each. It takes a fraction of the time that the keys of all cells take, so ok is false where
// it would not: it counts whole numbers, truth values and dates that lie close together.
func KeyCounts(c *scoring.Column, v View) (counts []KeyCount, ok bool) {
	if c.Type != scoring.Int64 && c.Type != scoring.Bool && c.Type != scoring.Date || v.Format != "" || v.Kind == scoring.KindText || c.Len() < MinCounted {
		return nil, false
	}
	var times [countWindow]int32
	ints, nulls := c.Ints(), 0
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
				return nil, false
			}
			times[at]++
		}
	} else {
		for _, n := range ints {
			at := uint64(n - base) //nolint:gosec // as above
			if at >= countWindow {
				return nil, false
			}
			times[at]++
		}
	}
	if nulls > 0 {
		counts = append(counts, KeyCount{NullKey, nulls})
	}
	for at, n := range times {
		if n == 0 {
			continue
		}
		value, key := base+int64(at), uint64(0)
		if c.Type == scoring.Date {
			key = timeKey(value*86400, 0)
		} else {
			key = numberKey(value, 0)
		}
		counts = append(counts, KeyCount{key, int(n)})
	}
	return counts, true
}

// SumOfCounts is what [SumOf] is for a column whose keys were counted.
func SumOfCounts(counts []KeyCount) (s Sum) {
	for _, k := range counts {
		var one Sum
		one.Add(k.Key)
		n := uint64(k.N) //nolint:gosec // not negative
		s = s.Plus(Sum{n * one.a, n * one.b})
	}
	return s
}
