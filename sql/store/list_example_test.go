package store_test

import (
	"fmt"
	"net/url"

	"github.com/badger-eval/badger/sql/store"
)

func ExampleParse() {
	asked, _ := url.ParseQuery("run=r-1&agent=atlas&filter=tier%3Dhard")
	state, err := store.Parse(asked)
	if err != nil {
		fmt.Println(err)
	}
	for _, f := range state.Filters {
		fmt.Println(f)
	}
	// Output:
	// tier=hard
}
