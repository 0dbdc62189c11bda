package cell

import (
	"math"
	"slices"
	"sort"
)

// Runs holds numbers sorted only by their leading digits, so that it is built in two passes instead of six. A lookup
// sorts the run of numbers that it needs.
type Runs struct {
	keys  []uint64 // order keys of the numbers, ascending by the bits above shift
	shift uint     // 0: completely sorted
	done  map[int]bool
}

// NewRuns returns Runs of the numbers fs, none of which may be NaN.
func NewRuns(fs []float64) *Runs {
	r := &Runs{keys: make([]uint64, len(fs)), done: map[int]bool{}}
	for i, f := range fs {
		r.keys[i] = orderKey(f)
	}
	digits := varying(r.keys)
	if len(digits) > 2 {
		digits = digits[len(digits)-2:]
		r.shift = digits[0] * radixDigit
	}
	r.keys = radixSort(r.keys, digits)
	return r
}

// At returns the number at position i of the sorted numbers.
func (r *Runs) At(i int) float64 {
	r.run(i)
	return fromOrderKey(r.keys[i])
}

// Around returns the least number for which reached is true as above, and the largest for which it is false as below;
// NaN if there is none. If reached is true for a number, it must be true for all larger ones.
func (r *Runs) Around(reached func(f float64) bool) (below, above float64) {
	below, above = math.NaN(), math.NaN()
	lowest := uint64(1)<<r.shift - 1
	at := sort.Search(len(r.keys), func(i int) bool {
		most := fromOrderKey(r.keys[i] | lowest) // of its run
		return most != most || reached(most)     // beyond infinity
	})
	if at < len(r.keys) {
		from, to := r.run(at)
		at = from + sort.Search(to-from, func(i int) bool { return reached(fromOrderKey(r.keys[from+i])) })
	}
	if at < len(r.keys) {
		above = r.At(at)
	}
	if at > 0 {
		below = r.At(at - 1)
	}
	return below, above
}

// run sorts the run that contains position i and returns its bounds.
func (r *Runs) run(i int) (from, to int) {
	if r.shift == 0 {
		return i, i + 1
	}
	top := r.keys[i] >> r.shift
	from = sort.Search(i, func(k int) bool { return r.keys[k]>>r.shift >= top })
	if top == math.MaxUint64>>r.shift {
		to = len(r.keys)
	} else {
		to = i + sort.Search(len(r.keys)-i, func(k int) bool { return r.keys[i+k]>>r.shift > top })
	}
	if !r.done[from] {
		r.done[from] = true
		if list := r.keys[from:to]; len(list) < 256 {
			slices.Sort(list)
		} else {
			copy(list, radixSort(slices.Clone(list), varying(list)))
		}
	}
	return from, to
}

const radixDigit = 11 // number of bits per pass of a radix sort

// orderKey returns bits that sort like the number f; -0 has those of 0.
func orderKey(f float64) uint64 {
	b := math.Float64bits(f)
	switch {
	case f == 0:
		return 1 << 63
	case b>>63 != 0: // negative numbers ascend as their bits descend
		return ^b
	}
	return b | 1<<63
}

func fromOrderKey(k uint64) float64 {
	if k>>63 != 0 {
		return math.Float64frombits(k &^ (1 << 63))
	}
	return math.Float64frombits(^k)
}

// varying returns the digits in which some keys differ, from the least significant.
func varying(keys []uint64) (digits []uint) {
	differ := uint64(0)
	for _, k := range keys {
		differ |= k ^ keys[0]
	}
	for d := uint(0); d*radixDigit < 64; d++ {
		if differ>>(d*radixDigit)&(1<<radixDigit-1) != 0 {
			digits = append(digits, d)
		}
	}
	return digits
}

// radixSort returns keys sorted by the given digits, from the least significant. It overwrites keys.
func radixSort(keys []uint64, digits []uint) []uint64 {
	if len(keys) < 256 && len(digits) > 0 {
		shift := digits[0] * radixDigit
		slices.SortFunc(keys, func(a, b uint64) int {
			switch a, b := a>>shift, b>>shift; {
			case a < b:
				return -1
			case a > b:
				return 1
			}
			return 0
		})
		return keys
	}
	to := make([]uint64, len(keys))
	for _, d := range digits {
		var at [1 << radixDigit]int32
		shift := d * radixDigit
		for _, k := range keys {
			at[k>>shift&(1<<radixDigit-1)]++
		}
		n := int32(0)
		for v, c := range at {
			at[v] = n
			n += c
		}
		for _, k := range keys {
			v := k >> shift & (1<<radixDigit - 1)
			to[at[v]] = k
			at[v]++
		}
		keys, to = to, keys
	}
	return keys
}
