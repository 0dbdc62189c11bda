// Package sample selects which of many similar cases a test examines: all of them if tests are thorough
// (BADGER_THOROUGH is set, as in CI), otherwise a sample that a seed determines. BADGER_SEED sets another seed.
package sample

import (
	"math/rand/v2"
	"os"
	"strconv"
)

// Thorough reports whether tests examine all cases.
func Thorough() bool { return os.Getenv("BADGER_THOROUGH") != "" }

// seed returns BADGER_SEED if it is a number, otherwise 1, so that a failure can be reproduced.
func seed() uint64 {
	if n, err := strconv.ParseUint(os.Getenv("BADGER_SEED"), 10, 64); err == nil {
		return n
	}
	return 1
}

// Takes reports whether a test examines the i-th of n cases, from 0. It selects one of each share consecutive cases,
// and one of the rest. All are selected if tests are thorough or share is below 2.
func Takes(i, n, share int) bool {
	if Thorough() || share < 2 {
		return true
	}
	block := i / share
	r := rand.New(rand.NewPCG(seed(), uint64(block))) //nolint:gosec // a sample, and no negative number
	return i == block*share+r.IntN(min(share, n-block*share))
}

// One returns the index of one of n cases. The seed and the name determine it.
func One(name string, n int) int {
	h := seed()
	for _, b := range []byte(name) {
		h = (h ^ uint64(b)) * 0x100000001b3 // FNV-1a
	}
	return rand.New(rand.NewPCG(seed(), h)).IntN(n) //nolint:gosec // a sample
}

// Count returns the number of n cases that a test examines if it examines one in share, rounded up; n if tests are
// thorough or share is below 2.
func Count(n, share int) int {
	if Thorough() || share < 2 {
		return n
	}
	return (n + share - 1) / share
}

// Of returns the cases that a test examines, one in share in their order; all if tests are thorough or share is below
// 2.
func Of[T any](cases []T, share int) []T {
	out := make([]T, 0, Count(len(cases), share))
	for i, c := range cases {
		if Takes(i, len(cases), share) {
			out = append(out, c)
		}
	}
	return out
}
