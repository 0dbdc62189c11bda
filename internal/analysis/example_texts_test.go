package analysis_test

import (
	"fmt"

	"github.com/badger-eval/badger/internal/analysis"
)

func ExampleTexts() {
	var agents analysis.Texts[uint16]
	for _, name := range []string{"atlas", "bolt", "atlas"} {
		n, _ := agents.Of(name)
		fmt.Println(n, agents.Text(n))
	}
	fmt.Println(agents.Len())
	// Output:
	// 0 atlas
	// 1 bolt
	// 0 atlas
	// 2
}
