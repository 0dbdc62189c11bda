package store

import (
	"container/list"
	"sync"
)

// cache keeps values that are costly to compute, up to a total size in bytes, and drops the least recently used ones.
// It is safe for concurrent use.
type cache struct {
	mu    sync.Mutex
	limit int
	used  int
	byKey map[string]*list.Element
	order *list.List // the most recently used first
}

type entry struct {
	key   string
	value any
	bytes int
}

// overhead is the approximate size of an entry without its key and value, in bytes.
const overhead = 200

// newCache returns a cache of at most limit bytes.
func newCache(limit int) *cache {
	return &cache{limit: limit, byKey: map[string]*list.Element{}, order: list.New()}
}

// Get returns the cached value of a key, and reports whether there is one.
func (c *cache) Get(key string) (value any, there bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, there := c.byKey[key]
	if !there {
		return nil, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*entry).value, true //nolint:forcetypeassert // only Put adds
}

// Put caches a value of the given size in bytes. The value must not be modified afterwards. A value that is larger
// than a quarter of the cache is not cached.
func (c *cache) Put(key string, value any, bytes int) {
	bytes += len(key) + overhead
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, there := c.byKey[key]; there {
		c.remove(e)
	}
	if bytes > c.limit/4 {
		return
	}
	c.byKey[key] = c.order.PushFront(&entry{key, value, bytes})
	c.used += bytes
	for c.used > c.limit {
		c.remove(c.order.Back())
	}
}

func (c *cache) remove(e *list.Element) {
	of := c.order.Remove(e).(*entry) //nolint:forcetypeassert // as in Get
	delete(c.byKey, of.key)
	c.used -= of.bytes
}
