package report

import (
	"encoding/binary"
	"hash/maphash"
)

// caseKey identifies a case: a question in a batch.
type caseKey struct{ id, batch string }

// caseNumbers numbers cases from 0, in the order in which they are added. It is a hash table that takes less memory
// than a map of the keys.
type caseNumbers struct {
	keys  []caseKey
	seed  maphash.Seed
	slots []int32 // open-addressing table: a case's number plus one, or 0; at most half full
}

// of returns the number of a case, and adds the case if it is new.
func (x *caseNumbers) of(key caseKey) int32 {
	if 2*len(x.keys) >= len(x.slots) {
		x.grow()
	}
	slot := x.slot(key)
	if *slot == 0 {
		x.keys = append(x.keys, key)
		*slot = int32(len(x.keys)) //nolint:gosec // two thousand million cases do not fit the memory
	}
	return *slot - 1
}

// known returns the number of a case, or -1 if it was not added.
func (x *caseNumbers) known(key caseKey) int32 {
	if len(x.keys) == 0 {
		return -1
	}
	return *x.slot(key) - 1
}

// slot returns the slot that holds the number of a case, or the empty one in which it belongs.
func (x *caseNumbers) slot(key caseKey) *int32 {
	last := uint64(len(x.slots) - 1)
	for i := maphash.Comparable(x.seed, key) & last; ; i = (i + 1) & last {
		if n := x.slots[i]; n == 0 || x.keys[n-1] == key {
			return &x.slots[i]
		}
	}
}

func (x *caseNumbers) grow() {
	if x.slots == nil {
		x.seed = maphash.MakeSeed()
	}
	x.slots = make([]int32, max(64, 2*len(x.slots)))
	for i, key := range x.keys {
		*x.slot(key) = int32(i + 1) //nolint:gosec // as in of
	}
}

// tagLists numbers distinct lists of tags from 1, since many cases have the same list.
type tagLists struct {
	numbers map[string]uint32
	lists   [][]uint16
}

// of returns the number of a list, and adds the list if it is new. The caller must not change tags afterwards.
func (x *tagLists) of(tags []uint16) uint32 {
	key := make([]byte, 0, 2*len(tags))
	for _, t := range tags {
		key = binary.LittleEndian.AppendUint16(key, t)
	}
	n, ok := x.numbers[string(key)]
	if !ok {
		if x.numbers == nil {
			x.numbers = map[string]uint32{}
		}
		x.lists = append(x.lists, tags)
		n = uint32(len(x.lists)) //nolint:gosec // no more than cases
		x.numbers[string(key)] = n
	}
	return n
}

// list returns the list with number n, or nil for 0.
func (x *tagLists) list(n uint32) []uint16 {
	if n == 0 {
		return nil
	}
	return x.lists[n-1]
}
