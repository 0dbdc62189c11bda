package sqlpartstest

import "github.com/badger-eval/badger/scoring/sqlparts/internal/count"

// Parses is how many texts were parsed in this process so far.
func Parses() int64 { return count.Parses.Load() }
