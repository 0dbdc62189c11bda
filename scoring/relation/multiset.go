package relation

import "math/bits"

// multiset counts for each key how often it occurs in gold and in the answer. It is a hash table with open addressing.
// It treats key 0 as key 1.
type multiset struct {
	slots []slot
	n     int
}

type slot struct {
	key        uint64
	gold, pred int32
}

// newMultiset returns an empty multiset with space for n different keys.
func newMultiset(n int) *multiset { return &multiset{slots: make([]slot, 1<<bits.Len(uint(n+n/2+1)))} } //nolint:gosec // not negative

// at returns the slot of a key, adding it if it is missing.
func (b *multiset) at(key uint64) *slot { return &b.slots[b.place(key)] }

// place returns the index of the slot of a key, adding it if it is missing.
func (b *multiset) place(key uint64) int {
	if key == 0 {
		key = 1
	}
	mask := len(b.slots) - 1
	for i := int(key) & mask; ; i = (i + 1) & mask { //nolint:gosec // masked
		switch s := &b.slots[i]; s.key {
		case key:
			return i
		case 0:
			s.key = key
			b.n++
			return i
		}
	}
}

// multisetOf returns how often each key occurs in gold and pred.
func multisetOf(gold, pred []uint64) *multiset {
	b := newMultiset(len(gold) + len(pred))
	for _, k := range gold {
		b.at(k).gold++
	}
	for _, k := range pred {
		b.at(k).pred++
	}
	return b
}

// matching is the result of matching the rows of both sides by key: the unmatched rows of each side, and counts.
type matching struct {
	gold, pred         []uint64 // keys of the rows
	onlyGold, onlyPred []int32  // unmatched rows; if a key occurs more often on this side, its last rows are
	newGold, newPred   []int32  // the unmatched rows whose key the other side lacks
	equal              int      // pairs of equal rows
	distinctGold       int
	distinctPred       int
	shared             int // number of keys that both sides have
}

func match(gold, pred []uint64) *matching {
	m := &matching{gold: gold, pred: pred}
	b := multisetOf(gold, pred)
	for i := range b.slots {
		s := &b.slots[i]
		if s.gold > 0 {
			m.distinctGold++
		}
		if s.pred > 0 {
			m.distinctPred++
		}
		if s.gold > 0 && s.pred > 0 {
			m.shared++
		}
	}
	var taken []int32 // of each slot with more rows of one side, how many of them have got a partner
	take := func(at int, most int32) bool {
		if taken == nil {
			taken = make([]int32, len(b.slots))
		}
		if taken[at] == most {
			return false
		}
		taken[at]++
		return true
	}
	for i, k := range gold {
		at := b.place(k)
		s := &b.slots[at]
		switch {
		case s.pred == 0:
			m.newGold = append(m.newGold, int32(i))   //nolint:gosec // rows are bounded far below
			m.onlyGold = append(m.onlyGold, int32(i)) //nolint:gosec // as above
		case s.gold <= s.pred || take(at, s.pred):
			m.equal++
		default:
			m.onlyGold = append(m.onlyGold, int32(i)) //nolint:gosec // as above
		}
	}
	for j, k := range pred {
		at := b.place(k)
		s := &b.slots[at]
		switch {
		case s.gold == 0:
			m.newPred = append(m.newPred, int32(j))   //nolint:gosec // as above
			m.onlyPred = append(m.onlyPred, int32(j)) //nolint:gosec // as above
		case s.pred > s.gold && !take(at, s.gold):
			m.onlyPred = append(m.onlyPred, int32(j)) //nolint:gosec // as above
		}
	}
	return m
}

// sameBag reports whether both sides hold the same rows, each equally often.
func (m *matching) sameBag() bool { return len(m.onlyGold) == 0 && len(m.onlyPred) == 0 }

// sameSet reports whether both sides hold the same rows, ignoring how often.
func (m *matching) sameSet() bool { return len(m.newGold) == 0 && len(m.newPred) == 0 }

// unique reports whether no key occurs twice on the same side.
func (m *matching) unique() bool {
	return m.distinctGold == len(m.gold) && m.distinctPred == len(m.pred)
}

// partners returns for each gold row the answer's row with the same key. The keys must be unique and the same on both
// sides.
func (m *matching) partners() []int32 {
	b := newMultiset(len(m.pred))
	for j, k := range m.pred {
		b.at(k).pred = int32(j) //nolint:gosec // rows are bounded far below
	}
	out := make([]int32, len(m.gold))
	for i, k := range m.gold {
		out[i] = b.at(k).pred
	}
	return out
}
