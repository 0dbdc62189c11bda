package custom

import (
	"hash/maphash"
	"math"
	"reflect"

	"go.starlark.net/starlark"
)

// keys records the dict keys that a run has used, so that keys with the same hash are charged for. Starlark hashes
// integers by their low 32 bits, floats by their whole part, functions by their names and short strings without a
// seed. So a script could choose a few thousand keys with the same hash, and each lookup would compare all of them.
type keys struct {
	seed   maphash.Seed
	seen   map[uint64]bool   // fingerprints of the keys used so far
	spread map[uint32]uint32 // number of distinct keys by Starlark's hash
}

// key charges the hashing of a key, and its comparison with the keys of the same hash that this run has used.
func key(b *budget, k starlark.Value) error {
	switch k := k.(type) {
	case starlark.Int:
		if n, ok := k.Int64(); ok && n >= math.MinInt32 && n <= math.MaxInt32 {
			return nil
		}
	case starlark.String:
		if len(k) >= 12 { // hashed with a seed
			return b.read(int64(len(k)))
		}
	case starlark.Bool, starlark.NoneType:
		return nil
	}
	if _, err := b.walk(k); err != nil {
		return err
	}
	h, err := k.Hash()
	if err != nil {
		return nil //nolint:nilerr // its use as a key returns the error
	}
	if b.keys.seen == nil {
		b.keys = keys{seed: maphash.MakeSeed(), seen: map[uint64]bool{}, spread: map[uint32]uint32{}}
	}
	if f := b.keys.fingerprint(k); !b.keys.seen[f] {
		if err := b.alloc(entryBytes); err != nil {
			return err
		}
		b.keys.seen[f] = true
		b.keys.spread[h]++
	}
	return b.work(int64(b.keys.spread[h]))
}

// fingerprint returns a seeded hash that differs for keys with the same hash in Starlark. The seed is random and does
// not affect the charge.
func (s *keys) fingerprint(v starlark.Value) uint64 {
	switch v := v.(type) {
	case starlark.Tuple:
		h := uint64(len(v)) + 1
		for _, e := range v {
			h = maphash.Comparable(s.seed, [2]uint64{h, s.fingerprint(e)})
		}
		return h
	case starlark.Float:
		return maphash.Comparable(s.seed, float64(v))
	case *starlark.Function, *starlark.Builtin:
		return maphash.Comparable(s.seed, reflect.ValueOf(v).Pointer())
	}
	return maphash.String(s.seed, v.String())
}

// eachKey charges the hashing of all elements of an iterable. For an element that is a pair, as in dict(pairs), it
// charges that of the pair's first element.
func eachKey(b *budget, v starlark.Value) error {
	it, ok := v.(starlark.Iterable)
	if !ok {
		return nil
	}
	for e := range starlark.Elements(it) {
		if err := b.work(1); err != nil {
			return err
		}
		if pair, ok := e.(starlark.Tuple); ok && len(pair) == 2 {
			if err := key(b, pair[0]); err != nil {
				return err
			}
		}
		if err := key(b, e); err != nil {
			return err
		}
	}
	return nil
}
