package lru_test

import (
	"fmt"

	"github.com/badger-eval/badger/internal/lru"
)

func Example() {
	pages := lru.New(4000) // bytes, with about 200 for each entry
	for _, key := range []string{"a", "b", "c", "d"} {
		pages.Put(key, "page "+key, 700)
	}
	pages.Get("a")
	pages.Put("e", "page e", 700) // there is no room for five, and b was used longest ago
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		_, there := pages.Get(key)
		fmt.Println(key, there)
	}
	// Output:
	// a true
	// b false
	// c true
	// d true
	// e true
}
