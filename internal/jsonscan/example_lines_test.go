package jsonscan_test

import (
	"fmt"
	"strings"

	"github.com/badger-eval/badger/internal/jsonscan"
)

func ExampleLines() {
	file := strings.NewReader("first\na line that is too long\ncut off")
	for line, err := range jsonscan.Lines(file, 10) {
		fmt.Printf("%d at %d: %q, %d bytes, torn %t, %v\n", line.Number, line.Offset, line.Text, line.Length, line.Torn, err)
	}
	// Output:
	// 1 at 0: "first", 5 bytes, torn false, <nil>
	// 2 at 6: "", 23 bytes, torn false, <nil>
	// 3 at 30: "cut off", 7 bytes, torn true, <nil>
}
