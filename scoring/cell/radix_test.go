package cell

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// keyLists are keys of many lengths and shapes: hashes, few distinct ones, keys that differ in a
// few leading or trailing digits only, and keys that are sorted already.
func keyLists(r *rand.Rand) map[string][]uint64 {
	out := map[string][]uint64{}
	shapes := map[string]func(i int) uint64{
		"hashes":        func(int) uint64 { return r.Uint64() },
		"few":           func(int) uint64 { return r.Uint64N(5) },
		"small":         func(int) uint64 { return r.Uint64N(1 << 20) },
		"leading":       func(int) uint64 { return r.Uint64N(300) << 54 },
		"shared digits": func(int) uint64 { return 0xabcdef<<40 | r.Uint64N(1<<30) },
		"both ends":     func(int) uint64 { return r.Uint64N(3)<<62 | r.Uint64N(100) },
		"one":           func(int) uint64 { return 7 },
		"ascending":     func(i int) uint64 { return uint64(i / 3) },  //nolint:gosec // not negative
		"descending":    func(i int) uint64 { return ^uint64(i / 3) }, //nolint:gosec // not negative
	}
	for name, key := range shapes {
		for _, n := range []int{0, 1, 2, 12, 13, 255, 256, 257, 3_000, 20_000} {
			keys := make([]uint64, n)
			for i := range keys {
				keys[i] = key(i)
			}
			out[name+" "+strconv.Itoa(n)] = keys
		}
	}
	return out
}

// What has the same key stays in the order in which it was.
func TestSortKeyed(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 2))
	for name, keys := range keyLists(r) {
		list := make([]keyed, len(keys))
		for i, row := range r.Perm(len(keys)) {
			list[i] = keyed{keys[i], int32(row)} //nolint:gosec // small
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
		if sortKeyed(list); !slices.Equal(list, want) {
			t.Errorf("%s: sorted otherwise than by comparison", name)
		}
	}
}

// A sorter lists rows by keys of any number of bits, again and again.
func TestSorter(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 3))
	var s sorter
	for name, keys := range keyLists(r) {
		for _, used := range []int{0, 1, 11, 12, 33, 50, 64} {
			want := make([]keyed, len(keys))
			into := s.room(len(keys))
			for i, key := range keys {
				if used < 64 {
					key &= 1<<used - 1
				}
				into[i], want[i] = key, keyed{key, int32(i)} //nolint:gosec // small
			}
			slices.SortStableFunc(want, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
			if got := s.sort(used); !slices.Equal(got, want) {
				t.Errorf("%s, %d bits: sorted otherwise than by comparison", name, used)
			}
		}
	}
}
