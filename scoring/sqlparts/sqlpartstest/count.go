package sqlpartstest

import "github.com/badger-eval/badger/scoring/sqlparts/internal/count"

// Parses returns the number of parses in this process so far.
func Parses() int64 { return count.Parses.Load() }
