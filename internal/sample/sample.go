// Package sample chooses what a test looks at of many things that are alike: all of them if tests are
// thorough (BADGER_THOROUGH, as in CI), otherwise a sample drawn by a seed. BADGER_SEED draws another one.
package sample

import (
	"math/rand/v2"
	"os"
	"strconv"
)

// Thorough reports whether tests look at everything.
func Thorough() bool { return os.Getenv("BADGER_THOROUGH") != "" }

// seed is 1 unless BADGER_SEED is another number, so that a failure comes again.
func seed() uint64 {
	if n, err := strconv.ParseUint(os.Getenv("BADGER_SEED"), 10, 64); err == nil {
		return n
	}
	return 1
}

// Takes reports whether a test examines the i-th of n things, from 0. It examines one of each share
// consecutive things, and one of the rest.
func Takes(i, n, share int) bool {
	if Thorough() || share < 2 {
		return true
	}
	block := i / share
	r := rand.New(rand.NewPCG(seed(), uint64(block))) //nolint:gosec // a sample, and no negative number
	return i == block*share+r.IntN(min(share, n-block*share))
}

// One returns the place of one of n things, as the seed draws it for this name.
func One(name string, n int) int {
	h := seed()
	for _, b := range []byte(name) {
		h = (h ^ uint64(b)) * 0x100000001b3 // FNV-1a
	}
	return rand.New(rand.NewPCG(seed(), h)).IntN(n) //nolint:gosec // a sample
}

// Count returns how many of n things a test looks at if it looks at one of so many, rounded up.
func Count(n, share int) int {
	if Thorough() || share < 2 {
		return n
	}
	return (n + share - 1) / share
}
