package jsonscan_test

import (
	"fmt"

	"github.com/badger-eval/badger/internal/jsonscan"
)

func ExampleScanner() {
	var s jsonscan.Scanner
	s.Reset([]byte(`{"case_id": "c-1", "answers": [1, 2], "note": {"seen": true}}`))
	if err := s.Object(); err != nil {
		fmt.Println(err)
	}
	for first := true; ; first = false {
		key, ok, err := s.Key(first)
		if err != nil || !ok {
			break
		}
		name := string(key)
		value, err := s.Skip() // the value as it is written
		fmt.Println(name, string(value), err)
	}
	// Output:
	// case_id "c-1" <nil>
	// answers [1, 2] <nil>
	// note {"seen": true} <nil>
}
