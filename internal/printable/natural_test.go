package printable_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/badger-eval/badger/internal/printable"
)

// Equal numbers, such as 02 and 2, are ordered by their bytes.
func TestCompareNatural(t *testing.T) {
	want := []string{"", "1.9", "1.10", "1.10-rc1", "02", "2", "2024-9-30", "2024-10-01", "V2", "v9", "v10", "v10.1", "v100", "v99999999999999999999999", "v100000000000000000000000"}
	for range 50 {
		got := slices.Clone(want)
		rand.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		slices.SortFunc(got, printable.CompareNatural)
		if !slices.Equal(got, want) {
			t.Fatalf("got  %q\nwant %q", got, want)
		}
	}
}
