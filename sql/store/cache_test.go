package store

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestKeepsWhatWasUsedLast holds the cache against a model over random calls: it never holds more
// bytes than its limit, and of what was put it lacks only what was used longer ago than all that it
// holds, or what is too large.
func TestKeepsWhatWasUsedLast(t *testing.T) {
	const limit = 20 * (overhead + 100)
	c := newCache(limit)
	r := rand.New(rand.NewPCG(1, 2))
	var used []string // the last used at the end
	sizes, values := map[string]int{}, map[string]int{}
	touch := func(key string) {
		for i, k := range used {
			if k == key {
				used = append(used[:i], used[i+1:]...)
				break
			}
		}
		used = append(used, key)
	}
	for step := range 5000 {
		key := fmt.Sprintf("k%02d", r.IntN(60))
		if r.IntN(2) == 0 {
			size := r.IntN(400)
			if r.IntN(50) == 0 {
				size = limit
			}
			c.Put(key, step, size)
			sizes[key], values[key] = size, step
			touch(key)
			if size+len(key)+overhead > limit/4 { // too large to be kept, and what was there is gone
				used = used[:len(used)-1]
				delete(values, key)
			}
			total := 0
			for i := len(used) - 1; i >= 0; i-- {
				if total += sizes[used[i]] + len(used[i]) + overhead; total > limit {
					for _, gone := range used[:i+1] {
						delete(values, gone)
					}
					used = used[i+1:]
					break
				}
			}
			continue
		}
		got, there := c.Get(key)
		want, should := values[key]
		if there != should || there && got != want {
			t.Fatalf("step %d: %s is %v, %t; want %d, %t", step, key, got, there, want, should)
		}
		if there {
			touch(key)
		}
	}
	if c.used > limit || c.used == 0 || len(c.byKey) != c.order.Len() {
		t.Errorf("%d bytes of %d, %d keys, %d entries", c.used, limit, len(c.byKey), c.order.Len())
	}
}
