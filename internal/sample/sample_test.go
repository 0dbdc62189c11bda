package sample_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/badger-eval/badger/internal/sample"
)

// Each run of things has one in the sample, the short one at the end too, and each thing is in the
// sample of some seed.
func TestTakes(t *testing.T) {
	t.Setenv("BADGER_THOROUGH", "")
	for _, tc := range []struct{ n, share int }{{1, 4}, {3, 4}, {4, 4}, {5, 4}, {100, 4}, {101, 3}} {
		ever := make([]bool, tc.n)
		for seed := range 100 {
			t.Setenv("BADGER_SEED", strconv.Itoa(seed))
			taken := 0
			for i := range tc.n {
				if sample.Takes(i, tc.n, tc.share) {
					ever[i] = true
					taken++
				}
			}
			if want := sample.Count(tc.n, tc.share); taken != want {
				t.Errorf("seed %d takes %d of %d, want %d", seed, taken, tc.n, want)
			}
		}
		for i, is := range ever {
			if !is {
				t.Errorf("no seed takes %d of %d, one in %d", i, tc.n, tc.share)
			}
		}
	}
}

func TestTakesTheSameAgain(t *testing.T) {
	t.Setenv("BADGER_THOROUGH", "")
	for _, seed := range []string{"", "7"} {
		t.Setenv("BADGER_SEED", seed)
		for i := range 40 {
			first := sample.Takes(i, 40, 5)
			if again := sample.Takes(i, 40, 5); again != first {
				t.Errorf("seed %q: %d is taken once", seed, i)
			}
		}
		if a, b := sample.One("x", 1000), sample.One("x", 1000); a != b || a < 0 || a >= 1000 {
			t.Errorf("seed %q: %d, then %d of 1000", seed, a, b)
		}
	}
}

func TestOf(t *testing.T) {
	t.Setenv("BADGER_THOROUGH", "")
	all := []int{0, 1, 2, 3, 4, 5, 6, 7, 8}
	got := sample.Of(all, 4)
	if len(got) != 3 || got[0] > 3 || got[1] < 4 || got[1] > 7 || got[2] != 8 {
		t.Errorf("one in four of %v are %v, want one of each four and the last", all, got)
	}
	if got := sample.Of(all, 1); !slices.Equal(got, all) {
		t.Errorf("one in one of %v are %v", all, got)
	}
	t.Setenv("BADGER_THOROUGH", "1")
	if got := sample.Of(all, 4); !slices.Equal(got, all) {
		t.Errorf("thorough tests examine %v of %v", got, all)
	}
}

func TestThoroughTakesAll(t *testing.T) {
	t.Setenv("BADGER_THOROUGH", "1")
	for i := range 9 {
		if !sample.Takes(i, 9, 4) {
			t.Errorf("%d is left out", i)
		}
	}
	if n := sample.Count(9, 4); n != 9 {
		t.Errorf("%d of 9 are taken", n)
	}
	t.Setenv("BADGER_THOROUGH", "")
	if n := sample.Count(9, 4); n != 3 {
		t.Errorf("%d of 9 are taken, want 3", n)
	}
}
